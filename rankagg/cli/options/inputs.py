"""Options that say what the data are, shared by all commands that read some."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import update_wrapper
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from rankagg import datasets
from rankagg.aggregation.evidence import Data, WholeData
from rankagg.cli.options.kinds import (
    ballots,
    cast_votes,
    comparisons,
    evaluations,
    scores,
    votes,
    written_numbers,
)
from rankagg.cli.options.kinds.kind import Kind, Option, Values, check_one
from rankagg.cli.options.names import OneOf
from rankagg.cli.options.told import tell_ballots, tell_scores, warnings_noted
from rankagg.cli.options.wording import options_named
from rankagg.core.score_summary import ScoreSummary
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import InvalidInputError
from rankagg.io.tables.sources import kind_by_name, read_text

__all__ = [
    "DASH",
    "KIND_OPTIONS",
    "NAME",
    "NAMED",
    "AnyInput",
    "Input",
    "any_input_options",
    "buffered",
    "input_options",
    "read_input",
    "with_options",
]

#: What stands for the standard input, and what messages call it.
DASH, NAME = "-", "standard input"

# What content begins with, and what a file of that kind is called.
BEGINNINGS = ((b"PAR1", ".parquet"), (b"PK\x03\x04", ".xlsx"), (b"\x1f\x8b", ".gz"))
BEGIN, PIECE = 2**12, 2**20


@contextmanager
def buffered(files: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Return the paths of files; the standard input is kept in one, as some kinds need seeking."""
    if files.count(DASH) > 1:
        raise click.UsageError("The standard input can be read once only: give one `-`.")
    if DASH not in files:
        yield files
        return
    with TemporaryDirectory(prefix="rankagg-") as folder:
        path = Path(folder) / NAME
        try:
            with path.open("wb") as target:
                while piece := sys.stdin.buffer.read(PIECE):
                    target.write(piece)
        except (OSError, RuntimeError, ValueError, AttributeError) as error:
            reason = getattr(error, "strerror", None) or "It is closed"
            raise InvalidInputError("FILE", "a readable file", DASH, f"{reason}.") from None
        # Kinds of files are told by their names, which a stream has not.
        named = path.with_name(f"{NAME}{_suffix(path)}")
        path.rename(named)
        yield tuple(str(named) if file == DASH else file for file in files)


def _suffix(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(BEGIN)
    suffix = next((suffix for begin, suffix in BEGINNINGS if start.startswith(begin)), "")
    if suffix == ".gz":
        try:
            with gzip.open(path) as packed:
                start = packed.read(BEGIN)
        except (OSError, EOFError, zlib.error):
            return suffix
        return f".jsonl{suffix}" if _is_json_lines(start) else suffix
    return ".jsonl" if not suffix and _is_json_lines(start) else suffix


def _is_json_lines(start: bytes) -> bool:
    """Say whether a text begins with an object on a line of its own, and another behind it."""
    lines = start.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    objects = [line.strip() for line in lines[:2]]
    return len(lines) > 2 and all(one[:1] == b"{" and one[-1:] == b"}" for one in objects)


#: In the order in which contents are looked at.
KINDS = (
    scores.SCORES, ballots.BALLOTS, cast_votes.CAST_VOTES, comparisons.COMPARISONS,
    ballots.PREFLIB, votes.VOTES, scores.SUMMARY, evaluations.EVALUATIONS, votes.MATRIX,
)  # fmt: skip

# Bundled data sets know their columns and directions.
BUNDLED_SCORES = Kind(
    "scores", "--dataset, which knows its columns and directions", scores.read_bundled,
    takes=("weight", "group", "tolerance", "drop"),
)  # fmt: skip
BUNDLED_BALLOTS = Kind("ballots", "--dataset with ballots", ballots.read_bundled, takes=("drop",))

file_argument = click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path())

DROP = click.option(
    "--drop",
    multiple=True,
    metavar="COLUMN",
    help="A column of the table, or an item of a PrefLib file, to leave out; may be repeated.",
)

OPTIONS: list[Option] = [
    click.option("--dataset", metavar="NAME", help="A bundled data set instead of FILE."),
    click.option(
        "--format",
        type=OneOf(["auto", *(kind.name for kind in KINDS)]),
        default="auto",
        show_default=True,
        help="What FILE is. auto: PrefLib, a linear ordering matrix, votes as JSON, what "
        "`rankagg scan` or an evaluation tool wrote where its content says so, else scores.",
    ),
    *scores.DIRECTIONS,
    *evaluations.OPTIONS,
    *scores.COLUMNS,
    DROP,
    *scores.OF_TASKS,
    *ballots.OPTIONS,
    *cast_votes.OPTIONS,
    *comparisons.OPTIONS,
    *written_numbers.OPTIONS,
    click.option(
        "--unranked",
        type=OneOf(["uniform", "ignore", "last"]),
        default="uniform",
        show_default=True,
        help="What a ranking says of items that it does not rank: the average over compatible "
        "permutations, nothing, or that they are last.",
    ),
]

#: Parameters of what reads and reshapes the data, and what they are called here.
NAMES = {
    **cast_votes.NAMES,
    **comparisons.NAMES,
    **written_numbers.NAMES,
    **scores.NAMES,
    **ballots.NAMES,
    "source": "FILE",
    "paths": "FILE",
    "metric": "--metric",
    "by": "--by",
    "runs": "--runs",
    "higher_is_better": "--higher or --lower",
    "drop": "--drop",
}

#: Options that some kinds take, and others do not.
KIND_OPTIONS = tuple(dict.fromkeys(option for kind in KINDS for option in kind.takes))

#: Values that say what the data are.
NAMED = ("files", "dataset", "format", "unranked", *KIND_OPTIONS)


@dataclass(frozen=True)
class AnyInput:
    """What was read, and how."""

    data: Data
    # The policy for unranked items.
    unranked: Any
    tolerance: float
    # What the reader of the output must know, the direction of scores first.
    lines: tuple[str, ...]
    # Of the file or data set.
    name: str


@dataclass(frozen=True)
class Input(AnyInput):
    """What was read, and how; no sums of scores, which some commands cannot work on."""

    data: WholeData


def input_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, which receives one `Input` in their place."""

    def whole(values: dict[str, Any]) -> Input:
        found = read_input(**values)
        if isinstance(found.data, ScoreSummary):
            command = click.get_current_context().info_name
            raise click.UsageError(
                f"{found.name} holds what scores add up to, and {command} needs the scores "
                "themselves: give it the file of these."
            )
        return Input(found.data, found.unranked, found.tolerance, found.lines, found.name)

    return file_argument(with_options(command, whole, NAMED))


def any_input_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, which receives one `AnyInput` in their place."""
    return file_argument(with_options(command, lambda values: read_input(**values), NAMED))


def with_options(
    command: Callable[..., Any],
    read: Callable[[dict[str, Any]], AnyInput],
    names: tuple[str, ...],
) -> Callable[..., Any]:
    """Add all options but FILE to a command; `read` gets the values of those of some names."""

    def wrapped(**values: Any) -> Any:
        return command(read({name: values.pop(name) for name in names}), **values)

    result: Callable[..., Any] = update_wrapper(wrapped, command)
    for option in reversed(OPTIONS):
        result = option(result)
    return result


def read_input(*, unranked: str, **values: Any) -> AnyInput:
    """Read what the options name."""
    files = values["files"]
    values["file"] = files[0] if files else None
    if (values["file"] is None) == (values["dataset"] is None):
        raise click.UsageError(
            "Give either FILE or --dataset NAME; `rankagg datasets` lists names."
        )
    if DASH not in files:
        path = Path(values["file"] or ".")
        name = values["dataset"] or path.name or path.resolve().name
        more = len(values.get("files", ())) - 1
        return _read(values, unranked, f"{name} and {more} more" if more > 0 else name)
    with buffered(files) as paths:
        told = NAME if files[0] == DASH else files[0]
        values |= {"files": paths, "file": paths[0], "told": told}
        return _read(values, unranked, NAME)


def _read(values: Values, unranked: str, name: str) -> AnyInput:
    kind = _kind(values)
    kind.check(values, KIND_OPTIONS)
    with options_named({**NAMES, **comparisons.first_name()}), warnings_noted() as notes:
        data, lines = kind.read(values)
        if isinstance(data, ScoreTable):
            data = scores.reshaped(data, values)
    if isinstance(data, ScoreTable | ScoreSummary):
        told = tell_scores(data, values)
    else:
        told = tell_ballots(data, values)
    return AnyInput(data, unranked, values["tolerance"] or 0.0, (*told, *lines, *notes), name)


def _kind(values: Values) -> Kind:
    files = values["files"]
    if values["dataset"]:
        with options_named({"name": "--dataset"}):
            found = datasets.info(values["dataset"]).kind
        return BUNDLED_SCORES if found == "scores" else BUNDLED_BALLOTS
    by_name = {kind.name: kind for kind in KINDS}
    if values["format"] == "auto" and evaluations.seem_evaluations(files):
        return evaluations.EVALUATIONS
    if values["format"] != "evaluations":
        check_one(files)
    if values["format"] != "auto":
        return by_name[values["format"]]
    if kind_by_name(files[0]) in ("Parquet", "Excel"):
        return scores.SCORES
    with options_named(NAMES):
        text = read_text(files[0])[1]
    seen = (kind for kind in KINDS if kind.looks_so is not None and kind.looks_so(text))
    return next(seen, scores.SCORES)
