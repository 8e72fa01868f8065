"""JSON files of votes and of sums of scores, without any loss."""

from __future__ import annotations

import json
from fractions import Fraction
from os import PathLike
from typing import Any, NoReturn

import numpy as np

from rankagg import check_certificate
from rankagg._typing import Integers, Label
from rankagg.core import (
    DIVIDE_VOTES,
    LARGEST_VOTES,
    ItemSet,
    PairwiseMatrix,
    ScoreSummary,
    counted,
    exact,
)
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.output_files import write_text
from rankagg.io.tables.sources import DISTINCT, MAX_BYTES, Source, parse_json, read_text

VOTES_SCHEMA = "rankagg.votes"
VOTES_VERSION = 1
#: Scaled votes must be floats too.
LARGEST_SCALED = 10**300 - 1


class _Field(check_certificate.Field):
    """A value in a JSON file and its place, with checks."""

    def fail(self, sentence: str, remedy: str = "") -> NoReturn:
        """Raise an error of the format."""
        raise DataFormatError(sentence, remedy)


# -- votes ----------------------------------------------------------------------------------------


def votes_to_dict(votes: PairwiseMatrix, *, lazy: bool = False) -> dict[str, Any]:
    """Return plain data for JSON: items, denominator, rounding, wins and ties."""
    wins, ties, denominator = votes.lowest_terms
    wins_rows, ties_rows = (map(np.ndarray.tolist, matrix) for matrix in (wins, ties))
    return {
        "schema": VOTES_SCHEMA,
        "version": VOTES_VERSION,
        "items": list(votes.items),
        "denominator": denominator,
        "rounding": str(Fraction(votes.rounding)),
        "wins": wins_rows if lazy else list(wins_rows),
        "ties": ties_rows if lazy else list(ties_rows),
    }


def write_votes(votes: PairwiseMatrix, target: str | PathLike[str]) -> None:
    """Write votes as JSON, which `read_votes` and other programs read without loss.

    The reference of the certificate specifies the file. It does not hold how many rankings compared
    a pair, and the treatment of unranked items.

    Parameters
    ----------
    votes : PairwiseMatrix
        Any votes.
    target : path
        The file to write.
    """
    text = json.dumps(votes_to_dict(votes), ensure_ascii=False, separators=(",", ":"))
    write_text(target, f"{text}\n")


def read_votes(source: Source, *, max_bytes: int = MAX_BYTES) -> PairwiseMatrix:
    """Read votes from JSON as `write_votes` writes it.

    Parameters
    ----------
    source : path or text stream
        The file.
    max_bytes : int, default 2**30
        Bytes of memory that reading may take.

    Returns
    -------
    PairwiseMatrix
        A plain matrix, with a comparison of two items for each vote on them.

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg.io import read_votes
    >>> votes = read_votes(StringIO('''{"schema": "rankagg.votes", "version": 1,
    ...     "items": ["A", "B"], "denominator": 2, "rounding": "0",
    ...     "wins": [[0, 5], [2, 0]], "ties": [[0, 1], [1, 0]]}'''))
    >>> votes.wins
    array([[0. , 2.5],
           [1. , 0. ]])
    """
    name, text = read_text(source, max_bytes)
    try:
        return _parse_votes(_Field(parse_json(text, name, max_bytes=max_bytes), ""))
    except (DataFormatError, InvalidInputError) as error:
        raise DataFormatError(f"{name} does not hold votes as JSON: {error}") from None


def _parse_votes(content: _Field) -> PairwiseMatrix:
    schema, version, items, denominator, rounding, wins, ties = content.members(
        "schema", "version", "items", "denominator", "rounding", "wins", "ties"
    )
    schema.constant(VOTES_SCHEMA)
    version.constant(VOTES_VERSION)
    labels = ItemSet(_parse_labels(items))
    bound = rounding.fraction()
    try:
        is_double = Fraction(float(bound)) == bound
    except OverflowError:
        is_double = False
    if not is_double:
        rounding.refuse("a fraction that a double holds exactly")
    scale = denominator.integer(1, LARGEST_SCALED)
    won, tied = (_parse_matrix(matrix, len(labels), scale) for matrix in (wins, ties))
    if not np.array_equal(tied, tied.T):
        ties.refuse("symmetric")
    return PairwiseMatrix(
        items=labels, wins=won, ties=tied, denominator=scale, rounding=float(bound)
    )


def _parse_labels(items: _Field) -> list[Label]:
    for element in items.elements():
        if type(element.value) not in (str, int):
            element.refuse("a text or an integer")
    assert isinstance(items.value, list)
    return items.value


def _parse_matrix(field: _Field, n: int, denominator: int) -> Integers:
    rows = [row.integers(high=LARGEST_SCALED) for row in field.elements()]
    if len(rows) != n or any(len(row) != n for row in rows):
        field.refuse(f"{counted(n, 'row')} of {counted(n, 'integer')}")
    if any(row[at] for at, row in enumerate(rows)):
        field.refuse("0 on its diagonal")
    if max(map(max, rows)) > LARGEST_VOTES * denominator:
        field.refuse(f"at most {LARGEST_VOTES:g} votes each", DIVIDE_VOTES)
    return exact.fit(np.array(rows, dtype=object))


# -- sums of scores --------------------------------------------------------------------------------


def read_summary(source: Source, *, max_bytes: int = MAX_BYTES) -> ScoreSummary:
    """Read sums of scores from JSON, as ``rankagg scan --out`` writes them.

    Parameters
    ----------
    source : path or text stream
        The file.
    max_bytes : int, default 2**30
        Bytes of memory that reading may take.

    Returns
    -------
    ScoreSummary

    Examples
    --------
    >>> import json
    >>> from io import StringIO
    >>> import rankagg as ra
    >>> table = ra.datasets.load("superglue_human")
    >>> text = json.dumps(ra.ScoreSummary.from_scores(table).to_dict())
    >>> ra.io.read_summary(StringIO(text))
    <ScoreSummary of 6 systems x 10 tasks, 10 instances, 0 of 60 scores missing>
    """
    name, text = read_text(source, max_bytes)
    try:
        return ScoreSummary.from_dict(parse_json(text, name, DISTINCT, max_bytes))
    except DataFormatError as error:
        why = str(error).rstrip(".")
        raise DataFormatError(
            f"{name} does not hold sums of scores as JSON: {why}. `rankagg scan --out` writes them."
        ) from None
