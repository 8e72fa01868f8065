"""Options that say what the data are, shared by all commands that read some."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import update_wrapper
from pathlib import Path
from typing import Any, Literal

import click

from rankagg import datasets
from rankagg._typing import Label
from rankagg.aggregation.evidence import Data, WholeData
from rankagg.cli.options.cast_votes import (
    CAST_VOTES,
    CAST_VOTES_NAMES,
    CAST_VOTES_OPTIONS,
    read_cast,
)
from rankagg.cli.options.comparisons import (
    COMPARISONS,
    COMPARISONS_NAMES,
    COMPARISONS_OPTIONS,
    first_name,
    read_compared,
)
from rankagg.cli.options.evaluations import (
    EVALUATION_NAMES,
    EVALUATION_OPTIONS,
    seem_evaluations,
    selected,
)
from rankagg.cli.options.kinds import check_meaning
from rankagg.cli.options.names import OneOf, labels_of, split, task_weights
from rankagg.cli.options.numbers import Number
from rankagg.cli.options.standard_input import DASH, NAME, buffered
from rankagg.cli.options.text_numbers import (
    TEXT_NUMBERS,
    TEXT_NUMBERS_NAMES,
    TEXT_NUMBERS_OPTIONS,
)
from rankagg.cli.options.told import tell_ballots, tell_scores, warnings_noted
from rankagg.cli.options.wording import options_named
from rankagg.core.profile import Profile
from rankagg.core.scores import ScoreTable
from rankagg.core.tallied_scores import ScoreSummary
from rankagg.exceptions import InvalidInputError
from rankagg.io.ballots import read_ballots
from rankagg.io.cast_result import CastVotes
from rankagg.io.evaluations.read import looks_like_evaluations
from rankagg.io.evaluations.selection import Selection
from rankagg.io.matrices import looks_like_matrix, read_matrix
from rankagg.io.preflib import looks_like_preflib, read_preflib
from rankagg.io.scores import read_scores
from rankagg.io.summaries import looks_like_summary, read_summary
from rankagg.io.table import kind_by_name
from rankagg.io.text import read_text
from rankagg.io.votes import looks_like_votes, read_votes

__all__ = [
    "NAMED",
    "AnyInput",
    "Input",
    "any_input_options",
    "input_options",
    "read_input",
    "with_options",
]

file_argument = click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path())

FORMATS = (
    "scores", "ballots", "cast-votes", "comparisons", "preflib", "matrix", "votes", "summary",
    "evaluations",
)  # fmt: skip

OPTIONS: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = [
    click.option("--dataset", metavar="NAME", help="A bundled data set instead of FILE."),
    click.option(
        "--format",
        type=OneOf(["auto", *FORMATS]),
        default="auto",
        show_default=True,
        help="What FILE is. auto: PrefLib, a linear ordering matrix, votes as JSON, what "
        "`rankagg scan` or an evaluation tool wrote where its content says so, else scores.",
    ),
    click.option("--lower-is-better", is_flag=True, help="Scores: lower is better on every task."),
    click.option(
        "--lower",
        multiple=True,
        metavar="TASK",
        help="Lower is better on TASK, and higher on the others; may be repeated.",
    ),
    *EVALUATION_OPTIONS,
    click.option("--system", metavar="COLUMN", help="Column of systems; default: the first."),
    click.option("--instance", metavar="COLUMN", help="Column of instances of the tasks."),
    click.option("--task", metavar="COLUMN", help="Long form: column of tasks."),
    click.option("--score", metavar="COLUMN", help="Long form: column of scores."),
    click.option(
        "--drop",
        multiple=True,
        metavar="COLUMN",
        help="A column of the table, or an item of a PrefLib file, to leave out; may be repeated.",
    ),
    click.option(
        "--weight",
        multiple=True,
        metavar="TASK=NUMBER",
        help="Weight of a task; default 1; may be repeated. Comparisons: the column of weights.",
    ),
    click.option(
        "--group",
        multiple=True,
        metavar="NEW=TASK,TASK",
        help="Average tasks (sub-metrics, languages) into a new one first; may be repeated.",
    ),
    click.option(
        "--tolerance",
        type=Number(0),
        help="Scores next to each other that differ by no more are tied; default 0.",
    ),
    click.option(
        "--count",
        metavar="COLUMN",
        help="Ballots: column of counts; needs --format ballots or cast-votes.",
    ),
    click.option(
        "--left-out",
        type=OneOf(["unranked", "unlisted"]),
        help="Ballots: items left out are not observed (the default, but for cast votes), or below "
        "all listed ones.",
    ),
    *CAST_VOTES_OPTIONS,
    *COMPARISONS_OPTIONS,
    *TEXT_NUMBERS_OPTIONS,
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
    **CAST_VOTES_NAMES,
    **COMPARISONS_NAMES,
    **TEXT_NUMBERS_NAMES,
    "source": "FILE",
    "paths": "FILE",
    "metric": "--metric",
    "by": "--by",
    "runs": "--runs",
    "higher_is_better": "--higher or --lower",
    "task and score": "--task and --score",
    "task_weights": "--weight",
    "groups": "--group",
    "count": "--count",
    "drop": "--drop",
    "instance": "--instance",
    "score": "--score",
    "system": "--system",
    "task": "--task",
}


#: Values that say what the data are.
NAMED = (
    "files", "dataset", "format", "lower_is_better", "lower", "system", "instance", "task",
    "score", "drop", "weight", "group", "tolerance", "count", "left_out", "unranked", *CAST_VOTES,
    *EVALUATION_NAMES, *COMPARISONS, *TEXT_NUMBERS,
)  # fmt: skip


@dataclass(frozen=True)
class AnyInput:
    """What was read, and how.

    Attributes
    ----------
    data : ScoreTable, ScoreSummary, Profile, PairwiseMatrix or Comparisons
        The data.
    unranked : str
        The policy for unranked items.
    tolerance : float
        For ranking scores.
    lines : tuple of str
        What the reader of the output must know, the direction of scores first.
    name : str
        Of the file or data set.
    """

    data: Data
    unranked: Any
    tolerance: float
    lines: tuple[str, ...]
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
        return _read(values, unranked, values["dataset"] or path.name or path.resolve().name)
    with buffered(files) as paths:
        told = NAME if files[0] == DASH else files[0]
        values |= {"files": paths, "file": paths[0], "told": told}
        return _read(values, unranked, NAME)


def _read(values: dict[str, Any], unranked: str, name: str) -> AnyInput:
    kind = _kind(values)
    check_meaning(kind, values)
    with options_named({**NAMES, **first_name()}), warnings_noted() as notes:
        read = READERS[kind](values)
        data = _plain(read)
        if isinstance(data, ScoreTable):
            data = _reshape(data, values)
    if isinstance(data, ScoreTable | ScoreSummary):
        lines = tell_scores(data, values)
    else:
        lines = tell_ballots(data, values)
    if isinstance(read, CastVotes):
        lines = (*lines, *read.lines())
    if isinstance(read, Selection):
        lines = (*lines, *read.notes)
    return AnyInput(data, unranked, values["tolerance"] or 0.0, (*lines, *notes), name)


def _plain(read: Data | CastVotes | Selection) -> Data:
    if isinstance(read, CastVotes):
        return read.profile
    return read.table if isinstance(read, Selection) else read


def _kind(values: dict[str, Any]) -> str:
    if values["dataset"]:
        with options_named({"name": "--dataset"}):
            return f"bundled {datasets.info(values['dataset']).kind}"
    if values["format"] != "auto":
        kind = str(values["format"])
        _check_one(values["files"], kind)
        return kind
    if seem_evaluations(values["files"]):
        return "evaluations"
    _check_one(values["files"], "auto")
    if kind_by_name(values["file"]) in ("Parquet", "Excel"):
        return "scores"
    with options_named(NAMES):
        text = read_text(values["file"])[1]
    return next((kind for kind, looks_so in LOOKS.items() if looks_so(text)), "scores")


def _check_one(files: tuple[str, ...], kind: str) -> None:
    if len(files) > 1 and kind != "evaluations":
        raise click.UsageError(
            f"Give one FILE, not {len(files)}: several are read together where they hold "
            "evaluations (--format evaluations)."
        )


def _read_bundled_scores(values: dict[str, Any]) -> WholeData:
    table = datasets.load(values["dataset"])
    if not isinstance(table, ScoreTable):
        return table
    return table.drop(tasks=labels_of("--drop", values["drop"], table.tasks, "task"))


def _read_bundled_ballots(values: dict[str, Any]) -> WholeData:
    return _without(datasets.load(values["dataset"]), values["drop"])


def _read_preflib(values: dict[str, Any]) -> WholeData:
    profile = read_preflib(values["file"], left_out=_left_out(values))
    return _without(profile, values["drop"])


def _read_ballots(values: dict[str, Any]) -> WholeData:
    return read_ballots(
        values["file"],
        count=values["count"],
        drop=values["drop"],
        left_out=_left_out(values),
        decimal=values["decimal"] or ".",
        missing=values["na"],
    )


def _left_out(values: dict[str, Any]) -> Literal["unranked", "unlisted"]:
    return "unlisted" if values["left_out"] == "unlisted" else "unranked"


def _without(data: WholeData, drop: tuple[str, ...]) -> WholeData:
    if not drop or not isinstance(data, Profile):
        return data
    out = labels_of("--drop", drop, data.items, "item")
    kept = [label for label in data.items if label not in out]
    if not kept:
        raise InvalidInputError("--drop", "fewer than all items", list(drop))
    return data.restrict(kept)


def _read_scores(values: dict[str, Any]) -> ScoreTable:
    columns = {name: values[name] for name in ("system", "task", "instance", "score", "drop")}
    columns |= {"missing": values["na"], "percent": values["percent"]}
    columns |= {"decimal": values["decimal"] or ".", "errors": values["errors"] or "refuse"}
    if values["lower_is_better"] and values["lower"]:
        raise click.UsageError("--lower-is-better covers every task; leave --lower out.")
    table = read_scores(values["file"], higher_is_better=not values["lower_is_better"], **columns)
    if not values["lower"]:
        return table
    lower = labels_of("--lower", values["lower"], table.tasks, "task")
    directions = {task: task not in lower for task in table.tasks}
    return read_scores(values["file"], higher_is_better=directions, **columns)


def _read_matrix(values: dict[str, Any]) -> WholeData:
    return read_matrix(values["file"])


def _read_votes(values: dict[str, Any]) -> WholeData:
    return read_votes(values["file"])


def _read_summary(values: dict[str, Any]) -> ScoreSummary:
    summary = read_summary(values["file"])
    weights = task_weights("--weight", values["weight"], summary.tasks)
    return summary.with_task_weights(weights) if weights else summary


def _read_evaluations(values: dict[str, Any]) -> Selection:
    return selected(values["files"], values)


LOOKS: dict[str, Callable[[str], bool]] = {
    "preflib": looks_like_preflib,
    "votes": looks_like_votes,
    "summary": looks_like_summary,
    "evaluations": looks_like_evaluations,
    "matrix": looks_like_matrix,
}

READERS: dict[str, Callable[[dict[str, Any]], Data | CastVotes | Selection]] = {
    "scores": _read_scores,
    "ballots": _read_ballots,
    "cast-votes": read_cast,
    "comparisons": read_compared,
    "preflib": _read_preflib,
    "matrix": _read_matrix,
    "votes": _read_votes,
    "summary": _read_summary,
    "evaluations": _read_evaluations,
    "bundled scores": _read_bundled_scores,
    "bundled ballots": _read_bundled_ballots,
}


def _reshape(table: ScoreTable, values: dict[str, Any]) -> ScoreTable:
    groups: dict[Label, list[Label]] = {}
    for new, members in split("--group", values["group"], "NEW=TASK,TASK", last=False).items():
        names = [member.strip() for member in members.split(",") if member.strip()]
        groups[new] = labels_of("--group", names, table.tasks, "task")
    if groups:
        table = table.group_tasks(groups)
    weights = task_weights("--weight", values["weight"], table.tasks)
    return table.with_task_weights(weights) if weights else table
