"""The ballots of PrefLib's formats: alternatives by number, best first, braces around ties."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from rankagg._numbers import EXACT_LIMIT
from rankagg._typing import Ranks
from rankagg.core.rankings.canonical import scattered
from rankagg.exceptions import DataFormatError, shown
from rankagg.io.tables.text import check_size

__all__ = ["Ballot", "Ballots", "as_ranks", "parse_ballot", "strict_ballots", "whole_number"]

# Single alternatives up to the last comma before anything else: most lines are no more than these.
SINGLE = re.compile(r"(?:[0-9]{1,9} *, *)*")
TOKEN = re.compile(r"\s*(?:\{([^{}]*)\}|([0-9]+))\s*(?:,|$)")


@dataclass(frozen=True)
class Ballot:
    """A line of a file: how often it occurs, its alternatives, and the sizes of its buckets."""

    line: int
    count: int
    alternatives: list[int]
    sizes: list[int]


@dataclass(frozen=True)
class Ballots:
    """The ballots of a file."""

    # Shape (m,). The line of each ballot, how often it occurs, and how many alternatives it
    # names.
    lines: NDArray[np.int64]
    counts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    # What the ballots name, one ballot after another, best first.
    alternatives: NDArray[np.int64]
    # The sizes of all buckets, and how many each ballot has; None where nothing is tied.
    buckets: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None

    @classmethod
    def of(cls, ballots: list[Ballot]) -> Ballots:
        """Put ballots that were read one by one together."""
        sizes = [size for ballot in ballots for size in ballot.sizes]
        return cls(
            lines=_integers(ballot.line for ballot in ballots),
            counts=_integers(ballot.count for ballot in ballots),
            lengths=_integers(len(ballot.alternatives) for ballot in ballots),
            alternatives=_integers(a for ballot in ballots for a in ballot.alternatives),
            buckets=(_integers(sizes), _integers(len(ballot.sizes) for ballot in ballots)),
        )

    def __len__(self) -> int:
        return len(self.lines)


def _integers(numbers: Iterable[int]) -> NDArray[np.int64]:
    return np.fromiter(numbers, np.int64)


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
    single = SINGLE.match(order)
    begun = single.end() if single else 0
    alternatives = [int(part) for part in order[:begun].split(",")[:-1]]
    buckets = _buckets(name, number, order, begun)
    sizes = [1] * len(alternatives) + [len(bucket) for bucket in buckets]
    return Ballot(number, count, [*alternatives, *chain.from_iterable(buckets)], sizes)


def _buckets(name: str, number: int, order: str, position: int) -> list[list[int]]:
    buckets = []
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


def as_ranks(name: str, n: int, ballots: Ballots, left_out: int) -> Ranks:
    """Return the places of n alternatives in every ballot; `left_out` where there is none."""
    listed, lengths = ballots.alternatives, ballots.lengths
    check_size(name, (len(ballots), "ballots"), (n, "alternatives"), len(listed))
    outside = (listed < 1) | (listed > n)
    if outside.any():
        at = int(np.argmax(outside))
        line = np.repeat(ballots.lines, lengths)[at]
        raise DataFormatError(
            f"{name}, line {line}: alternative {listed[at]} is not among the {n} of the header."
        )
    if ballots.buckets is None:
        strict = scattered(listed - 1, lengths, n, left_out)
        if strict is not None:
            return strict
    row = np.repeat(np.arange(len(ballots)), lengths)
    order = np.argsort(row * n + listed, kind="stable")
    again = (row[order][1:] == row[order][:-1]) & (listed[order][1:] == listed[order][:-1])
    if again.any():
        at = int(order[1:][again].min())
        raise DataFormatError(
            f"{name}, line {ballots.lines[row[at]]}: alternative {listed[at]} occurs twice."
        )
    # A bucket's place is the number of alternatives before it in its ballot.
    sizes, in_ballot = ballots.buckets or (np.ones_like(listed), lengths)
    before = np.repeat(np.cumsum(lengths) - lengths, in_ballot)
    ranks = np.full((len(ballots), n), left_out, dtype=np.int32)
    ranks[row, listed - 1] = np.repeat(np.cumsum(sizes) - sizes - before, sizes)
    return ranks


LINE, COMMA, ZERO = ord("\n"), ord(","), ord("0")
SPLIT_NUMBER = re.compile(rb"[0-9] +[0-9]")

# Longer counts and alternatives are left to whoever reads line by line.
COUNT_DIGITS, DIGITS = 15, 9


def strict_ballots(text: str, separator: str, first_line: int) -> Ballots | None:
    """Return ballots `count: 1,2,3`; None where anything else stands in a line."""
    if not text.isascii():
        return None
    data = text.encode().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    data = data.replace(b": ", b":").replace(b", ", b",")
    if data.translate(None, b"0123456789,: \n") or (b" " in data and SPLIT_NUMBER.search(data)):
        return None
    data = data.replace(b" ", b"").rstrip(b"\n") + b"\n"
    blank = len(data) - len(data.lstrip(b"\n"))
    return _parsed(data[blank:], ord(separator), first_line + blank) if len(data) > 1 else None


def _parsed(data: bytes, separator: int, first_line: int) -> Ballots | None:
    characters = np.frombuffer(data, dtype=np.uint8)
    at = np.flatnonzero(characters - np.uint8(ZERO) > 9)
    sign = characters[at]
    digits = np.diff(at, prepend=-1) - 1  # of the number before each sign
    starts = np.append(True, sign[:-1] == LINE)
    blank = starts & (sign == LINE) & (digits == 0)
    line = first_line + np.cumsum(starts) - 1
    if blank.any():
        at, sign, digits, starts, line = (x[~blank] for x in (at, sign, digits, starts, line))
    expected = np.where(starts, separator, COMMA)
    if not ((sign == expected) | (~starts & (sign == LINE))).all() or (digits < 1).any():
        return None
    if digits[starts].max() > COUNT_DIGITS or digits.max(initial=0, where=~starts) > DIGITS:
        return None
    numbers = _numbers(characters, at, digits)
    counts = numbers[starts]
    if (counts < 1).any():
        return None
    return Ballots(
        lines=line[starts],
        counts=counts,
        lengths=np.diff(np.flatnonzero(np.append(starts, True))) - 1,
        alternatives=numbers[~starts],
    )


def _numbers(
    characters: NDArray[np.uint8], ends: NDArray[np.intp], digits: NDArray[np.intp]
) -> NDArray[np.int64]:
    """Return the numbers whose digits stand before `ends`."""
    numbers = (characters[ends - 1] - ZERO).astype(np.int64)
    for place in range(1, int(digits.max())):
        longer = np.flatnonzero(digits > place)
        numbers[longer] += (characters[ends[longer] - 1 - place] - ZERO) * np.int64(10**place)
    return numbers
