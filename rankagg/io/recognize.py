"""What a file is, told by its content, and the call that reads it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from io import StringIO
from os import PathLike
from typing import Any, NamedTuple

from rankagg._typing import Label
from rankagg.exceptions import DataFormatError, visible
from rankagg.io import (
    abif,
    ballots,
    cast_votes,
    comparisons,
    json_files,
    matrices,
    preflib,
    scores,
)
from rankagg.io.evaluations import read_evaluations as evaluations
from rankagg.io.table_readings import FileReading, readings_of
from rankagg.io.tables import sources
from rankagg.io.tables.columns import names_of
from rankagg.io.tables.reading import read_table

ABIF_LINE = re.compile(r"\s*[0-9]+\s*[:*]\s*\S")
# Without its number, which the reader asks for.
ORDER_LINE = re.compile(r"[^<>,;\t]+>\s*[^<>\s]")


@dataclass(frozen=True, repr=False)
class Recognized:
    """What a file may be, by its content; `recognize` says it.

    Attributes
    ----------
    name : str
        Of the file.
    readings : tuple of FileReading
        Each with `format` (the word for ``--format``), `what` it is, `parameters` of the reader,
        and `is_certain`; empty where nothing is known that looks so.
    """

    source: Any = field(compare=False)
    name: str
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
            calls.append(f"{FORMATS[form].read.__name__}({', '.join(given)})")
        return tuple(calls)

    def read(self, **parameters: Any) -> Any:
        """Return the data, where it is certain what they are.

        Parameters
        ----------
        **parameters
            Further ones of the reader; scores need `higher_is_better`.

        Returns
        -------
        ScoreTable, Profile, CastVotes, Comparisons, ...
            What the reader returns.

        Raises
        ------
        DataFormatError
            If there is doubt; the message holds the calls to choose from.
        """
        if not self.is_certain:
            raise DataFormatError(f"{self}.")
        (one,) = self.readings
        return FORMATS[one.format].read(self.source, **{**(one.parameters or {}), **parameters})

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
    InvalidInputError
        If there is no such file.

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
    plain, name = source, ""
    if not (sources.is_any_frame(source) or sources.kind_by_name(source) in sources.BINARY):
        name, text = sources.read_text(source, max_bytes)
        if not isinstance(source, str | PathLike):
            source.seek(0)
            plain = StringIO(text)
        for word, form in FORMATS.items():
            if form.looks_so is not None and form.looks_so(text):
                return Recognized(source, name, (FileReading(word, form.what),))
    table, gone = read_table(plain, max_bytes=max_bytes), names_of(drop)
    try:
        readings = [one.without(gone) for one in readings_of(table, gone)]
    except DataFormatError:  # what reads it says why
        readings = []
    sure = [one for one in readings if one.is_certain]
    return Recognized(source, name or table.name, tuple(sure if len(sure) == 1 else readings))


# -- formats ---------------------------------------------------------------------------------------


def _looks_like_abif(text: str) -> bool:
    """Say whether the first lines are those of ABIF, as `27:A>B>C`, or of BLT, as `27 1 2 3 0`."""
    if abif.BLT.match(text):
        return True
    seen = sources.first_lines(text)
    lines = [line for line in seen if line.strip() and line.lstrip()[0] not in "#{="]
    if lines and all(map(ORDER_LINE.match, lines)):
        return True
    return all(map(ABIF_LINE.match, lines)) and any(set(">=/") & set(line) for line in lines)


class Format(NamedTuple):
    """A kind of file."""

    read: Callable[..., Any]
    what: str = ""
    # What says by signs of its own what it is; tables do not.
    looks_so: Callable[[str], bool] | None = None


#: By the words for `--format`.
FORMATS = {
    "preflib": Format(
        preflib.read_preflib, "ballots in a PrefLib format", preflib.looks_like_preflib
    ),
    "votes": Format(json_files.read_votes, "votes as JSON", json_files.looks_like_votes),
    "summary": Format(json_files.read_summary, "sums of scores", json_files.looks_like_summary),
    "evaluations": Format(
        evaluations.read_evaluations, "evaluations", evaluations.looks_like_evaluations
    ),
    "matrix": Format(matrices.read_matrix, "a linear ordering matrix", matrices.looks_like_matrix),
    "abif": Format(abif.read_abif, "ballots in ABIF or BLT", _looks_like_abif),
    "scores": Format(scores.read_scores),
    "ballots": Format(ballots.read_ballots),
    "cast-votes": Format(cast_votes.read_cast_votes),
    "comparisons": Format(comparisons.read_comparisons),
    "lists": Format(ballots.read_rankings),
}
