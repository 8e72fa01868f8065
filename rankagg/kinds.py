"""Kinds of data that files hold: one entry for each, and what a file is by its content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from inspect import signature
from io import StringIO
from os import PathLike
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeAlias

from rankagg import io
from rankagg._typing import Label
from rankagg.exceptions import DataFormatError, visible
from rankagg.io.tables import sources
from rankagg.io.tables.columns import names_of
from rankagg.io.tables.look import NUMBER
from rankagg.io.tables.reading import read_table

if TYPE_CHECKING:
    from rankagg.io.table_readings import FileReading

#: A function, or where `rankagg.io` has it, as "scores:read_scores": it is loaded when it is used.
Function: TypeAlias = str | Callable[..., Any]


def _loaded(function: Function) -> Any:
    return resolve_name(f"rankagg.io.{function}") if isinstance(function, str) else function


@dataclass(frozen=True)
class DataKind:
    """A kind of data that files hold."""

    # The word for `--format`.
    name: str
    # What such a file holds, in messages.
    what: str
    # A function of a path or stream; commands have options for its other parameters.
    reader: Function
    # Whether a text is of this kind by signs of its own.
    signs: Function | None = None
    # Whether files are of this kind by their names, or by being several.
    file_names: Function | None = None
    # What JSON of this kind states as its schema.
    schema: str = ""
    # The kind of the page; by default that of what the reader returns.
    page: str = ""
    # Whether several files are read together.
    takes_many: bool = False
    # The title that a file states, if its reader does not return it.
    title: Function | None = None

    @property
    def read(self) -> Callable[..., Any]:
        """The function that reads such a file."""
        reader: Callable[..., Any] = _loaded(self.reader)
        return reader

    @property
    def returns(self) -> str:
        """The name of the type that the reader returns, by its annotation."""
        found = signature(self.read).return_annotation
        return getattr(found, "__name__", str(found)).rpartition(".")[2]

    @property
    def call(self) -> str:
        """What the reader is called from `rankagg` on."""
        name = self.read.__name__
        return f"io.{name}" if name in dir(io) else name

    @property
    def is_table(self) -> bool:
        """Whether this is a table, whose headings and cells say what it holds."""
        return self.signs is None and not self.schema

    @property
    def has_commands(self) -> bool:
        """Whether commands read it; of a frame scores have to be chosen first."""
        return self.returns != "DataFrame"

    @property
    def holds_ballots(self) -> bool:
        """Whether an election is counted from such data."""
        return self.returns in ("Profile", "CastVotes") and self.page != "lists"

    def recognizes(self, text: str) -> bool:
        """Say whether a text is of this kind by signs of its own."""
        if self.schema:
            return text.lstrip().startswith("{") and f'"{self.schema}"' in text
        return self.signs is not None and bool(_loaded(self.signs)(text))

    def recognizes_names(self, files: Sequence[str]) -> bool:
        """Say whether files are of this kind by their names, or by being several."""
        return self.file_names is not None and bool(_loaded(self.file_names)(files))

    def stated_title(self, file: str) -> str:
        """Return the title that a file states; empty without one."""
        return "" if self.title is None else str(_loaded(self.title)(file))


#: By the words for `--format`; kinds with signs of their own are tried in this order.
KINDS = {
    kind.name: kind
    for kind in (
        DataKind("scores", "a table of scores", "scores:read_scores"),
        DataKind("ballots", "a table of ballots", "ballots:read_ballots"),
        DataKind("cast-votes", "cast votes", "cast_votes:read_cast_votes", page="election"),
        DataKind("comparisons", "a table of comparisons", "comparisons:read_comparisons"),
        DataKind("lists", "ranked lists", "ballots:read_rankings", page="lists", takes_many=True),
        DataKind(
            "preflib",
            "ballots in a PrefLib format",
            "preflib:read_preflib",
            "preflib:looks_like_preflib",
            title="preflib:title_of",
        ),
        DataKind("votes", "votes as JSON", "json_files:read_votes", schema="rankagg.votes"),
        DataKind(
            "summary", "sums of scores", "json_files:read_summary", schema="rankagg.score_summary"
        ),
        DataKind(
            "evaluations",
            "evaluations",
            "evaluations:read_evaluations",
            "evaluations:looks_like_evaluations",
            "evaluations:seem_evaluations",
            takes_many=True,
        ),
        DataKind(
            "matrix",
            "a linear ordering matrix",
            "matrices:read_matrix",
            "matrices:looks_like_matrix",
        ),
        DataKind("blt", "ballots in BLT", "blt:read_blt", "blt:looks_like_blt", page="election"),
        DataKind(
            "abif", "ballots in ABIF", "abif:read_abif", "abif:looks_like_abif", page="election"
        ),
    )
}
# What reads lists of several lengths, one a line.
_LINES_OF_LISTS = (
    "If each line is a ranked list, `read_rankings` reads it from a column of its own, empty at "
    "the end, or from a file of its own."
)


@dataclass(frozen=True, repr=False)
class Recognized:
    """What a file may be, by its content; `recognize` says it."""

    source: Any = field(compare=False)
    # Of the file.
    name: str
    # Empty where nothing is known that looks so.
    readings: tuple[FileReading, ...]

    @property
    def is_certain(self) -> bool:
        """Whether there is one reading, and no doubt."""
        return len(self.readings) == 1 and self.readings[0].is_certain

    @property
    def calls(self) -> tuple[str, ...]:
        """The call of each reading."""
        calls = []
        is_file = isinstance(self.source, str | PathLike)
        source = repr(self.name) if is_file else self.name.removeprefix("the ").lower()
        for form, _, parameters, _ in self.readings:
            if parameters is None:
                continue
            given = [source, *(f"{name}={x!r}" for name, x in parameters.items())]
            given += ["higher_is_better=..."] if form == "scores" else []
            calls.append(f"{KINDS[form].call}({', '.join(given)})")
        return tuple(calls)

    def read(self, **parameters: Any) -> Any:
        """Return what the reader returns, given further parameters; raise where there is doubt."""
        if not self.is_certain:
            raise DataFormatError(f"{self}.")
        (one,) = self.readings
        return KINDS[one.format].read(self.source, **{**(one.parameters or {}), **parameters})

    def __repr__(self) -> str:
        return visible(f"<{self}>")

    def __str__(self) -> str:
        what = " or ".join(one.what for one in self.readings) or "nothing that is known"
        verb = "holds" if self.is_certain or not self.readings else "may hold"
        return ": ".join(x for x in (f"{self.name} {verb} {what}", " or ".join(self.calls)) if x)


def recognize(
    source: sources.TableSource,
    *,
    drop: Iterable[Label] = (),
    max_bytes: int = sources.MAX_BYTES,
) -> Recognized:
    r"""Say by its content what a file is, and by which call it is read.

    Scores (wide, of instances, long), tables of ballots, cast votes, comparisons, ranked lists,
    logs of evaluations, PrefLib, ABIF, linear ordering matrices, votes and sums as
    JSON. Where there is doubt all that it may be is said, and nothing is guessed: numbers that may
    be scores or ranks are such a case.

    Parameters
    ----------
    source : path, text stream or DataFrame
        As `read_scores` takes it.
    drop : iterable of str or int, optional
        Columns of a table to leave out.
    max_bytes : int, default 2**30
        How many bytes of memory reading may take; what would take more is refused.

    Returns
    -------
    Recognized
        What the file may be, its `calls`, and `read`, which reads it where it is certain.

    Raises
    ------
    DataFormatError
        If it is neither a table nor a text of one of these kinds.

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg import recognize
    >>> found = recognize(StringIO("model_a,model_b,winner\nx,y,model_a\ny,z,tie\nz,x,model_b\n"))
    >>> found.readings[0].what, found.calls
    ('comparisons of model_a and model_b by winner', ("read_comparisons(stream, first='model_a', second='model_b', outcome='winner')",))
    >>> found.read()
    <Comparisons: 3 comparisons of 3 items, 1 tie>
    """  # noqa: E501 - one line is what is printed
    from rankagg.io.table_readings import FileReading, readings_of

    plain, name, text = source, "", ""
    if not (sources.is_any_frame(source) or sources.kind_by_name(source) in sources.BINARY):
        name, text = sources.read_text(source, max_bytes)
        if not isinstance(source, str | PathLike):
            source.seek(0)
            plain = StringIO(text)
        for kind in KINDS.values():
            if kind.recognizes(text):
                return Recognized(source, name, (FileReading(kind.name, kind.what),))
    try:
        table = read_table(plain, max_bytes=max_bytes)
    except DataFormatError as error:
        if text and _seem_lines_of_lists(text):
            raise DataFormatError(error.sentence, _LINES_OF_LISTS) from None
        raise
    gone = names_of(drop)
    try:
        readings = readings_of(table, gone)
    except DataFormatError:  # what reads it says why
        readings = []
    sure = [one for one in readings if one.is_certain]
    return Recognized(source, name or table.name, tuple(sure if len(sure) == 1 else readings))


def _seem_lines_of_lists(text: str) -> bool:
    """Say whether lines are names between commas that stand in several lines, once in each."""
    lines = [line for line in sources.first_lines(text) if line.strip()]
    rows = [[cell.strip() for cell in line.split(",")] for line in lines]
    names = [name for row in rows for name in row]
    is_once = all(len(set(row)) == len(row) for row in rows)
    return is_once and len(set(names)) < len(names) and not any(map(NUMBER.match, names))
