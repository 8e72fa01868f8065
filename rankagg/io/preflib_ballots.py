"""The ballots of PrefLib's formats: alternatives by number, best first, braces around ties."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain

import numpy as np

from rankagg._numbers import EXACT_LIMIT
from rankagg._typing import Ranks
from rankagg.exceptions import DataFormatError, shown
from rankagg.io.size import check_size

__all__ = ["Ballot", "as_ranks", "parse_ballot", "whole_number"]

STRICT = re.compile(r"[0-9]{1,9}(?: *, *[0-9]{1,9})*")
TOKEN = re.compile(r"\s*(?:\{([^{}]*)\}|([0-9]+))\s*(?:,|$)")


@dataclass(frozen=True)
class Ballot:
    """A line of a file: how often it occurs, its alternatives, and the sizes of its buckets."""

    line: int
    count: int
    alternatives: list[int]
    sizes: list[int]


def whole_number(text: str, *, low: int = 1) -> int | None:
    """Return a whole number from `low` to below 2**53; None for any other text."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > 20:
        return None
    number = int(digits)
    return number if low <= number < EXACT_LIMIT else None


def parse_ballot(name: str, number: int, line: str, separator: str) -> Ballot:
    """Return the ballot in a line; `separator` stands between its count and its order."""
    before, found, order = line.partition(separator)
    count = whole_number(before)
    if count is None or not found:
        raise DataFormatError(
            f"{name}, line {number}: a ballot must read 'count{separator} 1,2,{{3,4}}', its count "
            f"a positive whole number below 2**53. Got {shown(line.strip())}."
        )
    order = order.strip()
    if STRICT.fullmatch(order):
        alternatives = [int(part) for part in order.split(",")]
        return Ballot(number, count, alternatives, [1] * len(alternatives))
    buckets = _buckets(name, number, order)
    sizes = [len(bucket) for bucket in buckets]
    return Ballot(number, count, list(chain.from_iterable(buckets)), sizes)


def _buckets(name: str, number: int, order: str) -> list[list[int]]:
    buckets = []
    position = 0
    while position < len(order):
        found = TOKEN.match(order, position)
        parts = (found[1] or found[2] or "").split(",") if found else []
        members = [member for part in parts if (member := whole_number(part, low=0)) is not None]
        if found is None or len(members) < len(parts):
            raise DataFormatError(
                f"{name}, line {number}: alternatives must be numbers, ties in braces. "
                f"Got {shown(order[position:])}; the line may be cut off."
            )
        buckets.append(members)
        position = found.end()
    if not order or order.endswith(","):
        raise DataFormatError(f"{name}, line {number} ends in the middle of a ballot.")
    return buckets


def as_ranks(name: str, n: int, ballots: list[Ballot], left_out: int) -> Ranks:
    """Return the places of n alternatives in every ballot; `left_out` where there is none."""
    lengths = [len(ballot.alternatives) for ballot in ballots]
    check_size(name, (len(ballots), "ballots"), (n, "alternatives"), sum(lengths))
    listed = np.array([a for ballot in ballots for a in ballot.alternatives], dtype=np.int64)
    row = np.repeat(np.arange(len(ballots)), lengths)
    outside = (listed < 1) | (listed > n)
    if outside.any():
        at = int(np.argmax(outside))
        raise DataFormatError(
            f"{name}, line {ballots[row[at]].line}: alternative {listed[at]} is not among the {n} "
            "of the header."
        )
    order = np.argsort(row * n + listed, kind="stable")
    again = (row[order][1:] == row[order][:-1]) & (listed[order][1:] == listed[order][:-1])
    if again.any():
        at = int(order[1:][again].min())
        raise DataFormatError(
            f"{name}, line {ballots[row[at]].line}: alternative {listed[at]} occurs twice."
        )
    # A bucket's place is the number of alternatives before it in its ballot.
    sizes = np.array([size for ballot in ballots for size in ballot.sizes], dtype=np.int64)
    of_ballot = np.repeat(np.cumsum(lengths) - lengths, [len(ballot.sizes) for ballot in ballots])
    ranks = np.full((len(ballots), n), left_out, dtype=np.int32)
    ranks[row, listed - 1] = np.repeat(np.cumsum(sizes) - sizes - of_ballot, sizes)
    return ranks
