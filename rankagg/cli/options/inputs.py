"""What data a command reads: files, the standard input, and the lines that describe them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

import rankagg as ra
from rankagg.aggregation import Evidence
from rankagg.cli.options import kinds
from rankagg.cli.options.data_options import Typed
from rankagg.cli.options.kinds import DASH, NAME, READER_NAMES
from rankagg.cli.options.wording import options_named
from rankagg.core import counted, listing
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError, visible
from rankagg.io.tables.sources import MAX_BYTES, PER_BYTE, check_memory
from rankagg.kinds import KINDS

if TYPE_CHECKING:
    from rankagg.aggregation import Data

# So many tasks are named.
TASKS_NAMED = 40
# So many bytes tell a kind of file, and so many are read at a time.
BEGIN, PIECE = 2**12, 2**20


@contextmanager
def buffered(files: tuple[str, ...], max_bytes: int = MAX_BYTES) -> Iterator[tuple[str, ...]]:
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
                    check_memory(DASH, PER_BYTE * target.tell(), max_bytes)
        except DataFormatError:
            raise
        except (OSError, RuntimeError, ValueError, AttributeError) as error:
            reason = getattr(error, "strerror", None) or "It is closed"
            raise InvalidInputError("FILE", "a readable file", DASH, f"{reason}.") from None
        # JSON Lines are told by the name, which a stream has not.
        with path.open("rb") as file:
            named = path.with_suffix(".jsonl" if _is_json_lines(file.read(BEGIN)) else "")
        path.rename(named)
        yield tuple(str(named) if file == DASH else file for file in files)


def _is_json_lines(start: bytes) -> bool:
    """Say whether a text begins with an object on a line of its own, and another behind it."""
    lines = start.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    objects = [line.strip() for line in lines[:2]]
    return len(lines) > 2 and all(one[:1] == b"{" and one[-1:] == b"}" for one in objects)


@dataclass(frozen=True)
class Input:
    """What was read, and how."""

    # Of any kind that the command takes.
    data: Any
    tolerance: float
    # What the reader of the output must know, the direction of scores first.
    lines: tuple[str, ...]
    # Of the file or data set.
    name: str
    # The kind of its page, and its column of clusters; empty where the type of the data says it.
    page: str = ""
    cluster: str = ""
    # What the file says that it is about, or its name.
    title: str = ""
    # How many the file says are elected; 0 where it does not say.
    seats: int = 0
    # When reading began, by the clock of `time.monotonic`.
    began: float = 0.0

    def need(self, types: Any, what: str, remedy: str = "") -> None:
        """Refuse data of other types than these."""
        if not isinstance(self.data, types):
            raise click.UsageError(f"{what}; these data do not hold them.{remedy}")

    def refuse_sums(self) -> None:
        """Refuse what scores add up to."""
        if isinstance(self.data, ra.ScoreSummary):
            command = click.get_current_context().info_name
            raise click.UsageError(
                f"{self.name} holds what scores add up to, and {command} needs the scores "
                "themselves: give it the file of these."
            )

    @property
    def evidence(self) -> Evidence:
        """What rules take: the data, with the tolerance of scores."""
        return Evidence(self.data, self.tolerance)

    @property
    def holds_pairs(self) -> bool:
        """Whether these are results of pairs, which hold no rankings."""
        return isinstance(self.data, ra.PairwiseMatrix | ra.Comparisons)

    def refuse_pairs(self, what: str, verb: str = "hold them") -> None:
        """Refuse results of pairs, which do not hold more."""
        if self.holds_pairs:
            these = "comparisons do" if isinstance(self.data, ra.Comparisons) else "a matrix does"
            raise click.UsageError(f"{what}; {these} not {verb}.")


def read_input(ballots: bool = False, **values: Any) -> Input:
    """Read what the options name."""
    formats = [kind.name for kind in KINDS.values() if kind.holds_ballots or not ballots]
    began, typed = monotonic(), Typed(**values)
    files = typed.files
    if (not files) == (typed.dataset is None):
        raise click.UsageError(
            "Give either FILE or --dataset NAME; `rankagg list datasets` lists names."
        )
    piped = DASH in files
    with buffered(files, typed.max_bytes or MAX_BYTES) as paths:
        typed.files, typed.file = paths, paths[0] if paths else typed.dataset
        typed.source = f"data set {typed.dataset}" if typed.dataset else files[0]
        if files[:1] == (DASH,):
            typed.source = NAME
        path = Path(typed.file)
        name = typed.dataset or path.name or path.resolve().name
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        return replace(_read(typed, NAME if piped else name + more, formats), began=began)


def _read(typed: Typed, name: str, formats: Sequence[str]) -> Input:
    kind, taken = kinds.kind_of(typed, formats)
    kinds.check_options(kind, typed)
    with options_named(READER_NAMES), warnings_noted() as notes:
        try:
            data, lines = kinds.read(kind, typed)
        except DataFormatError:
            # What is refused may be of another kind.
            for line in taken:
                click.echo(visible(line), err=True)
            raise
        if typed.unranked and not isinstance(data, ra.Comparisons):
            data = data.with_unranked(typed.unranked)
    if isinstance(data, ra.ScoreTable | ra.ScoreSummary):
        told = tell_scores(data, typed)
    else:
        told = _tell_ballots(data, typed)[bool(kind.page) :]
    lines = (*told, *lines, *taken, *notes)
    title = getattr(typed, "title", "") or name
    seats = getattr(typed, "seats", 0)
    known = kind.page, typed.cluster or "", title, seats
    return Input(data, typed.tolerance or 0.0, lines, name, *known)


@contextmanager
def warnings_noted() -> Iterator[list[str]]:
    """Let what is warned of while data are read be among the lines that tell of them."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        yield notes
    for one in {str(warning.message): warning for warning in caught}.values():
        if issubclass(one.category, DataWarning):
            notes.append(f"note: {one.message}")
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def tell_scores(table: ra.ScoreTable | ra.ScoreSummary, typed: Typed) -> tuple[str, ...]:
    """Return what the reader of the output must know: the direction first."""
    lower = [str(task) for task, higher in table.higher_is_better.items() if not higher]
    if not lower:
        direction = "higher is better"
    elif len(lower) == table.n_tasks:
        direction = "lower is better"
    else:
        direction = f"higher is better, but lower is better on {', '.join(lower)}"
    tasks = listing(table.tasks, limit=TASKS_NAMED)
    lines = [f"scores: {direction}", *_tell_source(table, typed), visible(f"tasks: {tasks}")]
    weights = {task: weight for task, weight in table.task_weights.items() if weight != 1}
    if weights:
        shown = ", ".join(f"{task} {weight:g}" for task, weight in weights.items())
        lines.append(f"task weights other than 1: {shown}")
    if isinstance(table, ra.ScoreSummary) and table.n_empty:
        lines.append(f"left out: {counted(table.n_empty, 'instance')} without any score")
    if typed.tolerance:
        lines.append(f"tolerance: scores within {typed.tolerance:g} are tied")
    elif isinstance(table, ra.ScoreTable) and (near := table.near_ties()):
        lines.append(
            f"note: {counted(near, 'pair')} of scores differ only beyond 7 significant digits; "
            "--tolerance would tie them"
        )
    return tuple(lines)


def _tell_ballots(data: Data, typed: Typed) -> tuple[str, ...]:
    """Return what the reader of the output must know: what the data are first."""
    said: dict[type, str] = {ra.PairwiseMatrix: "matrix: row above column"}
    said[ra.Comparisons] = "comparisons: ties stay ties"
    return (said.get(type(data), "ballots: rank 1 is the best"), *_tell_source(data, typed))


def _tell_source(data: Data, typed: Typed) -> list[str]:
    more = len(typed.files) - 1
    source = typed.source + (f" and {more} more" if more > 0 else "")
    lines = [visible(f"read: {source}, {repr(data)[1:-1]}")]
    if typed.drop:
        lines.append(f"left out: {', '.join(typed.drop)}")
    return lines
