"""Kinds of data in files, and their recognition by content."""

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

#: A function, or its path in `rankagg.io` for a lazy import, as "scores:read_scores".
Function: TypeAlias = str | Callable[..., Any]


def _loaded(function: Function) -> Any:
    return resolve_name(f"rankagg.io.{function}") if isinstance(function, str) else function


@dataclass(frozen=True)
class DataKind:
    """A kind of data in files."""

    # The value of `--format`.
    name: str
    # The description of such data in messages.
    what: str
    # A function of a path or stream; commands have options for its other parameters.
    reader: Function
    # Tells from a text whether it is of this kind.
    signs: Function | None = None
    # Tells from the names and the number of files whether they are of this kind.
    file_names: Function | None = None
    # The schema in JSON of this kind.
    schema: str = ""
    # The kind of the page, by default by the type that the reader returns.
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
        """The name of the reader's return type, from its annotation."""
        annotation = signature(self.read).return_annotation
        return getattr(annotation, "__name__", str(annotation)).rpartition(".")[2]

    @property
    def call(self) -> str:
        """The name of the reader in `rankagg`."""
        name = self.read.__name__
        return f"io.{name}" if name in dir(io) else name

    @property
    def is_table(self) -> bool:
        """Whether this is a table, recognized by its headings and cells."""
        return self.signs is None and not self.schema

    @property
    def has_commands(self) -> bool:
        """Whether commands read it; scores of a DataFrame must be chosen first."""
        return self.returns != "DataFrame"

    @property
    def holds_ballots(self) -> bool:
        """Whether an election can be counted from such data."""
        return self.returns in ("Profile", "CastVotes") and self.page != "lists"

    def recognizes(self, text: str) -> bool:
        """Return whether a text is of this kind."""
        if self.schema:
            return text.lstrip().startswith("{") and f'"{self.schema}"' in text
        return self.signs is not None and bool(_loaded(self.signs)(text))

    def recognizes_names(self, files: Sequence[str]) -> bool:
        """Return whether files are of this kind by their names or their number."""
        return self.file_names is not None and bool(_loaded(self.file_names)(files))

    def stated_title(self, file: str) -> str:
        """Return the title that a file states; empty without one."""
        return "" if self.title is None else str(_loaded(self.title)(file))


#: By the value of `--format`; kinds are recognized in this order.
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
        DataKind(
            "blt",
            "ballots in BLT",
            "blt:read_blt",
            "blt:looks_like_blt",
            "blt:is_named_blt",
            page="election",
        ),
        DataKind(
            "abif", "ballots in ABIF", "abif:read_abif", "abif:looks_like_abif", page="election"
        ),
    )
}
# The remedy for lists of several lengths, one per line.
_LINES_OF_LISTS = (
    "If each line is a ranked list, put each list into its own column or file for `read_rankings`."
)


@dataclass(frozen=True, repr=False)
class Recognized:
    """The possible kinds of a file by its content; made by `recognize`."""

    source: Any = field(compare=False)
    # The name of the file.
    name: str
    # Empty if no kind fits.
    readings: tuple[FileReading, ...]

    @property
    def is_certain(self) -> bool:
        """Whether there is exactly one reading, which is certain."""
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
            arguments = [source, *(f"{name}={x!r}" for name, x in parameters.items())]
            if form == "scores" and "higher_is_better" not in parameters:
                arguments.append("higher_is_better=...")
            calls.append(f"{KINDS[form].call}({', '.join(arguments)})")
        return tuple(calls)

    def read(self, **parameters: Any) -> Any:
        """Return the data, read with further parameters; raise unless the kind is certain."""
        if not self.is_certain:
            raise DataFormatError(f"{self}.")
        (one,) = self.readings
        return KINDS[one.format].read(self.source, **{**(one.parameters or {}), **parameters})

    def __repr__(self) -> str:
        return visible(f"<{self}>")

    def __str__(self) -> str:
        what = " or ".join(one.what for one in self.readings) or "no known kind of data"
        verb = "holds" if self.is_certain or not self.readings else "may hold"
        return ": ".join(x for x in (f"{self.name} {verb} {what}", " or ".join(self.calls)) if x)


def recognize(
    source: sources.TableSource, *, drop: Iterable[Label] = (), max_bytes: int = sources.MAX_BYTES
) -> Recognized:
    r"""Recognize the kind of a file by its content, and the call that reads it.

    The kinds are scores (wide, of instances, long), tables of ballots, cast votes, comparisons,
    ranked lists, logs of evaluations, PrefLib, ABIF, linear ordering matrices, votes and sums as
    JSON. Nothing is guessed: if several kinds are possible, such as scores and ranks, the result
    has all of them.

    Parameters
    ----------
    source : path, text stream or DataFrame
        As for `read_scores`.
    drop : iterable of str or int, optional
        Columns of a table to leave out.
    max_bytes : int, default 2**30
        The maximum memory for reading, in bytes; larger files are refused.

    Returns
    -------
    Recognized
        The possible kinds, their `calls`, and `read`, which reads the file if its kind is certain.

    Raises
    ------
    DataFormatError
        If it is neither a table nor a text of one of these kinds.
    InvalidInputError
        If `drop` names no column of the table.

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg import recognize
    >>> found = recognize(StringIO("model_a,model_b,winner\nx,y,model_a\ny,z,tie\nz,x,model_b\n"))
    >>> found.readings[0].what, found.calls
    ('comparisons of model_a and model_b by winner', ("read_comparisons(stream, first='model_a', second='model_b', outcome='winner')",))
    >>> found.read()
    <Comparisons: 3 comparisons of 3 items, 1 tie>
    """  # noqa: E501
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
    table.check_columns(drop=names_of(drop))
    readings = readings_of(table, names_of(drop))
    certain = [one for one in readings if one.is_certain]
    return Recognized(source, name or table.name, tuple(certain if len(certain) == 1 else readings))


def _seem_lines_of_lists(text: str) -> bool:
    """Return whether lines are lists of distinct names that share names with each other."""
    lines = [line for line in sources.first_lines(text) if line.strip()]
    rows = [[cell.strip() for cell in line.split(",")] for line in lines]
    names = [name for row in rows for name in row]
    is_once = all(len(set(row)) == len(row) for row in rows)
    return is_once and len(set(names)) < len(names) and not any(map(NUMBER.match, names))
