"""Votes for pairs, as JSON or as a linear ordering matrix; they need no options."""

from __future__ import annotations

from rankagg.cli.options.kinds.kind import Found, Kind, Values
from rankagg.io.json_files import looks_like_votes, read_votes
from rankagg.io.matrices import looks_like_matrix, read_matrix

__all__ = ["MATRIX", "VOTES"]


def _read_matrix(values: Values) -> Found:
    return Found(read_matrix(values["file"]))


def _read_votes(values: Values) -> Found:
    return Found(read_votes(values["file"]))


MATRIX = Kind(
    "matrix", "a linear ordering matrix", _read_matrix, takes=(), looks_so=looks_like_matrix
)

VOTES = Kind("votes", "votes as JSON", _read_votes, takes=(), looks_so=looks_like_votes)
