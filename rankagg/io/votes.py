"""Pairwise votes in JSON: exact integers over one denominator, as certificates speak of them."""

from __future__ import annotations

import json
from fractions import Fraction
from os import PathLike
from typing import Any

import numpy as np

from rankagg._typing import Integers, Label
from rankagg.core.arithmetic import exact
from rankagg.core.items import ItemSet, counted
from rankagg.core.pairwise import LARGEST_VOTES, SCALE, PairwiseMatrix
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.output_files import write_text
from rankagg.io.strict_json import Field, parse_json
from rankagg.io.tables.text import Source, read_text

__all__ = ["looks_like_votes", "read_votes", "votes_to_dict", "write_votes"]

SCHEMA = "rankagg.votes"
VERSION = 1

#: Scaled votes must be floats too.
LARGEST_SCALED = 10**300 - 1


def looks_like_votes(text: str) -> bool:
    """Say whether a text seems to be JSON of votes."""
    return text.lstrip().startswith("{") and f'"{SCHEMA}"' in text


def votes_to_dict(votes: PairwiseMatrix, *, lazy: bool = False) -> dict[str, Any]:
    """Return plain data for JSON: items, denominator, rounding, wins and ties."""
    wins, ties, denominator = votes.lowest_terms
    wins_rows, ties_rows = (map(np.ndarray.tolist, matrix) for matrix in (wins, ties))
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "items": list(votes.items),
        "denominator": denominator,
        "rounding": str(Fraction(votes.rounding)),
        "wins": wins_rows if lazy else list(wins_rows),
        "ties": ties_rows if lazy else list(ties_rows),
    }


def write_votes(votes: PairwiseMatrix, target: str | PathLike[str]) -> None:
    """Write votes as JSON, which `read_votes` and other programs read without any loss.

    The reference of the certificate specifies the file. How many rankings compared a pair and what
    was done with unranked items is not kept.

    Parameters
    ----------
    votes : PairwiseMatrix
        Any votes.
    target : path
        The file to write.
    """
    text = json.dumps(votes_to_dict(votes), ensure_ascii=False, separators=(",", ":"))
    write_text(target, f"{text}\n")


def read_votes(source: Source) -> PairwiseMatrix:
    """Read votes from JSON as `write_votes` writes it.

    Parameters
    ----------
    source : path or text stream
        The file.

    Returns
    -------
    PairwiseMatrix
        A plain matrix: whoever judges two items counts as a comparison of them.

    Raises
    ------
    DataFormatError
        If the file is anything else; the message names the field.

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg import read_votes
    >>> votes = read_votes(StringIO('''{"schema": "rankagg.votes", "version": 1,
    ...     "items": ["A", "B"], "denominator": 2, "rounding": "0",
    ...     "wins": [[0, 5], [2, 0]], "ties": [[0, 1], [1, 0]]}'''))
    >>> votes.wins
    array([[0. , 2.5],
           [1. , 0. ]])
    """
    name, text = read_text(source)
    try:
        return _read(Field(parse_json(text, name), ""))
    except (DataFormatError, InvalidInputError) as error:
        raise DataFormatError(f"{name} does not hold votes as JSON: {error}") from None


def _read(whole: Field) -> PairwiseMatrix:
    schema, version, items, denominator, rounding, wins, ties = whole.members(
        "schema", "version", "items", "denominator", "rounding", "wins", "ties"
    )
    schema.constant(SCHEMA)
    version.constant(VERSION)
    labels = ItemSet(_labels(items))
    off = rounding.fraction()
    try:
        is_double = Fraction(float(off)) == off
    except OverflowError:
        is_double = False
    if not is_double:
        rounding.refuse("a fraction that a double holds exactly")
    scale = denominator.integer(1, LARGEST_SCALED)
    won, tied = (_read_matrix(matrix, len(labels), scale) for matrix in (wins, ties))
    if not np.array_equal(tied, tied.T):
        ties.refuse("symmetric")
    against = exact.combine(won, 1, won.T, 1)
    return PairwiseMatrix(
        items=labels,
        scaled_wins=won,
        scaled_ties=tied,
        scaled_comparisons=exact.combine(against, 1, tied, 1),
        denominator=scale,
        rounding=float(off),
    )


def _labels(items: Field) -> list[Label]:
    for element in items.elements():
        if type(element.value) not in (str, int):
            element.refuse("a text or an integer")
    assert isinstance(items.value, list)
    return items.value


def _read_matrix(field: Field, n: int, denominator: int) -> Integers:
    rows = [row.integers(high=LARGEST_SCALED) for row in field.elements()]
    if len(rows) != n or any(len(row) != n for row in rows):
        field.refuse(f"{counted(n, 'row')} of {counted(n, 'integer')}")
    if any(row[at] for at, row in enumerate(rows)):
        field.refuse("0 on its diagonal")
    if max(map(max, rows)) > LARGEST_VOTES * denominator:
        field.refuse(f"at most {LARGEST_VOTES:g} votes each", SCALE)
    return exact.fit(np.array(rows, dtype=object))
