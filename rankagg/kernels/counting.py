"""Counts over rankings: who is above whom in how many, and mean places in buckets.

Two items are compared in all rankings in O(m n^2 / 2).

Where all listed items of a ranking have places of their own, half of the pairs tell the other
half; only rankings with ties are compared both ways. Comparisons are made on columns of one byte
where that holds a place, eight of them a word, and counted as bits. Which items are there together
is counted on packed bits, an eighth of that again, and nothing is where nothing is missing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Integers64, Ranks

# Places looked at in one go: they stay in the cache with what is compared to them.
COLUMN_PLACES = 2**18
# With fewer rankings at one time more results would be written than places compared.
FEWEST_RANKINGS = 256
# Places of so few rankings are compared all at once.
COMPARED_AT_ONCE = 2**19
WORD = 8

# Units looked at in one go: what is compared to a column stays in the cache. A multiple of 8.
UNITS_AT_ONCE = 4096
# Entries that are looked at in one go.
ENTRIES_AT_ONCE = 2**18

Doubled = NDArray[np.int32]

Columns = NDArray[np.unsignedinteger]


def row_sums(table: NDArray[Any]) -> Integers64:
    """Return the sum of each row of truth values, or of places of one ranking: O(m n).

    NumPy's own sum is slow on rows as short as rankings are.

    Examples
    --------
    >>> import numpy as np
    >>> row_sums(np.array([[True, True], [False, True]]))
    array([2, 1])
    """
    # The largest sum is that of the places 0, ..., n - 1.
    kind = np.int32 if table.shape[1] < 2**16 else np.int64
    sums: Integers64 = np.einsum("ij->i", table.astype(kind, copy=False)).astype(np.int64)
    return sums


def strict_rows(ranks: Ranks) -> Bools:
    """Say of each ranking whether all its listed items have places of their own: O(m n).

    Examples
    --------
    >>> import numpy as np
    >>> strict_rows(np.array([[0, 1, -1], [0, 0, 2], [0, -2, -2]], dtype=np.int32))
    array([ True, False,  True])
    """
    # Places count the items above, so only without ties do they add up to 0 + ... + k - 1.
    if int(ranks.min(initial=0)) >= 0:
        k = ranks.shape[1]
        strict: Bools = row_sums(ranks) == k * (k - 1) // 2
    else:
        listed = row_sums(ranks >= 0)
        strict = row_sums(np.maximum(ranks, 0)) == listed * (listed - 1) // 2
    return strict


class Counts(NamedTuple):
    """How many rankings, or what weight of them, say something of row and column."""

    # Shape (n, n). The row is above the column, with unlisted items below listed, and unranked
    # ones below all.
    above: Integers64
    # Shape (n, n). Both are observed; on the diagonal, the item is.
    both: Integers64
    # Shape (n, n). Both are unlisted.
    off: Integers64


def count(ranks: Ranks, weights: Integers64 | None = None) -> Counts:
    """Count the rankings in which one item is above another, and in which they are at all.

    Notes
    -----
    Time grows as m n^2, memory as n^2: 8 bytes per two items for `above`, and as much for each of
    the others where something is missing or unlisted.

    Examples
    --------
    >>> import numpy as np
    >>> counts = count(np.array([[0, 1, 2], [1, 0, -1]], dtype=np.int32))
    >>> counts.above
    array([[0, 1, 2],
           [1, 0, 2],
           [0, 0, 0]])
    >>> counts.both
    array([[2, 2, 1],
           [2, 2, 1],
           [1, 1, 1]])
    """
    m, n = ranks.shape
    # As unsigned numbers the codes are the two largest: below all places.
    kind = np.min_scalar_type(n + 1)
    size = max(FEWEST_RANKINGS, COLUMN_PLACES // n)
    parts: dict[bool, _Sums] = {}
    for start in range(0, m, size):
        block = ranks[start : start + size]
        told = None if weights is None else weights[start : start + size]
        columns = block.astype(kind).T
        strict = strict_rows(block)
        for halved, rows in ((True, strict), (False, ~strict)):
            if not rows.any():
                continue
            part = parts.setdefault(halved, _Sums(n, halved))
            if rows.all():
                part.add(columns, told)
            else:
                part.add(columns[:, rows], None if told is None else told[rows])
    counted = [part.counts() for part in parts.values()]
    return counted[0] if len(counted) == 1 else Counts(*map(np.add, *counted))


class _Sums:
    """The rankings without ties, or those with some, added up."""

    def __init__(self, n: int, halved: bool) -> None:
        self._n, self._halved = n, halved
        self._above = np.zeros((n, n), dtype=np.int64)
        self._whole = 0  # rankings with all items listed
        self._both: Integers64 | None = None
        self._off: Integers64 | None = None

    def add(self, columns: Columns, weights: Integers64 | None) -> None:
        """Add rankings, given as the places of each item in them."""
        n, m = columns.shape
        missing = np.iinfo(columns.dtype).max
        padded = np.full((n, -(-m // WORD) * WORD), missing, dtype=columns.dtype)
        padded[:, :m] = columns
        if weights is not None:
            weights = np.concatenate([weights, np.zeros(padded.shape[1] - m, dtype=np.int64)])
        _compare_columns(padded, weights, self._above, strict=self._halved)
        largest = int(columns.max(initial=0))
        if largest < n:
            self._whole += m if weights is None else int(weights.sum())
            return
        there = padded != missing
        self._both = _with_block(self._both, count_together(there, there, weights))
        off = padded == missing - 1
        if off.any():
            self._off = _with_block(self._off, count_together(off, off, weights))

    def counts(self) -> Counts:
        """Return the sums; what was not counted takes no memory."""
        shape = self._n, self._n
        if self._both is None:
            both = np.broadcast_to(np.int64(self._whole), shape)
        else:
            both = self._both + self._whole
        none = np.broadcast_to(np.int64(0), shape)
        off = none if self._off is None else self._off
        if self._halved:
            self._mirror(both, off)
        return Counts(self._above, both, off)

    def _mirror(self, both: Integers64, off: Integers64) -> None:
        """Fill the lower triangle: of two items, one is above where one is listed."""
        one = both.diagonal()
        for start in range(0, self._n, FEWEST_RANKINGS):
            rows = slice(start, start + FEWEST_RANKINGS)
            stop = min(start + FEWEST_RANKINGS, self._n)
            told = one[rows, None] + one[:stop] - both[rows, :stop] - off[rows, :stop]
            told -= self._above[:stop, rows].T
            self._above[rows, :stop] += np.tril(told, k=start - 1)


def _with_block(total: Integers64 | None, part: Integers64) -> Integers64:
    return part if total is None else total + part


def _compare_columns(
    columns: Columns, weights: Integers64 | None, counts: Integers64, *, strict: bool
) -> None:
    """Add up who is above whom; of strict rankings the upper triangle."""
    n, m = columns.shape
    digits = None if weights is None else weights.astype(np.float64)
    if n * n * m <= COMPARED_AT_ONCE:  # all pairs at once
        told = (columns[:, None] < columns).reshape(n * n, m)
        above = told @ np.ones(m) if digits is None else told @ digits
        every = np.rint(above).astype(np.int64).reshape(n, n)
        counts += np.triu(every) if strict else every
        return
    outcome = np.empty((n, m), dtype=bool)
    for i in range(n - 1):
        one, others, told = columns[i], columns[i + 1 :], outcome[i + 1 :]
        np.less(one, others, out=told)
        counts[i, i + 1 :] += _count_true(told) if digits is None else _weigh_true(told, digits)
        if not strict:
            np.greater(one, others, out=told)
            counts[i + 1 :, i] += _count_true(told) if digits is None else _weigh_true(told, digits)


def count_together(first: Bools, second: Bools, weights: Integers64 | None = None) -> Integers64:
    """Count the rankings in which the row is in the first set, and the column in the second."""
    if weights is not None:  # whole numbers below 2**53, which these floats hold
        weighed = (first * weights.astype(np.float64)) @ second.T.astype(np.float64)
        return np.rint(weighed).astype(np.int64)
    if not hasattr(np, "bitwise_count"):  # before NumPy 2; blocks have fewer than 2**24 rankings
        product = first.astype(np.float32) @ second.T.astype(np.float32)
        return np.rint(product).astype(np.int64)
    mine, theirs = _packed(first), _packed(second)
    counts = np.empty((len(mine), len(mine)), dtype=np.int64)
    for i, row in enumerate(mine):
        if first is not second:
            counts[i] = np.bitwise_count(row & theirs).sum(axis=1, dtype=np.int64)
        else:
            counts[i, i:] = np.bitwise_count(row & theirs[i:]).sum(axis=1, dtype=np.int64)
            counts[i:, i] = counts[i, i:]
    return counts


def _packed(table: Bools) -> NDArray[np.uint64]:
    """Return rows of truth values as bits of words."""
    n, m = table.shape
    words = np.zeros((n, -(-m // 64)), dtype=np.uint64)
    words.view(np.uint8)[:, : -(-m // 8)] = np.packbits(table, axis=1)
    return words


def _count_true(outcome: Bools) -> Integers64:
    """Count what is true in each row, whose length is a multiple of eight."""
    counts: Integers64
    if hasattr(np, "bitwise_count"):  # from NumPy 2 on
        counts = np.bitwise_count(outcome.view(np.uint64)).sum(axis=1, dtype=np.int64)
    else:
        counts = np.asarray(np.count_nonzero(outcome, axis=1), dtype=np.int64)
    return counts


def _weigh_true(outcome: Bools, weights: Floats) -> Integers64:
    """Sum whole numbers below 2**53 where each row is true."""
    return np.rint(outcome @ weights).astype(np.int64)


def count_scores(columns: Floats, *, leads: bool) -> tuple[Integers64, NDArray[np.int16]]:
    """Count the units in which one system scores above another: O(m n^2 / 2).

    Examples
    --------
    >>> import numpy as np
    >>> wins, leads = count_scores(np.array([[3.0, 1.0], [2.0, 1.0]]), leads=True)
    >>> wins.tolist(), leads.tolist()
    ([[0, 1], [0, 0]], [[-1, 0], [1, 0]])
    """
    n, m = columns.shape
    wins = np.zeros((n, n), dtype=np.int64)
    behind = np.zeros((n, m) if leads else (0, 0), dtype=np.int16)
    size = max(8, min(UNITS_AT_ONCE, -(-m // 8) * 8))
    above = np.zeros((n, size), dtype=bool)
    below = np.zeros((n, size), dtype=bool)
    for start in range(0, m, size):
        block = columns[:, start : start + size]
        width = block.shape[1]
        if width < size:  # the words that are counted hold nothing of the block before
            above[:, width:] = below[:, width:] = False
        _compare(block, above, below, wins, behind[:, start : start + width])
    return wins, behind


def _compare(
    block: Floats,
    above: Bools,
    below: Bools,
    wins: Integers64,
    behind: NDArray[np.int16],
) -> None:
    """Add up half of the pairs in both directions."""
    n, width = block.shape
    kind = np.int8 if n <= 127 else np.int16  # what holds wins less losses
    room = np.empty((n, width), dtype=kind)
    total = np.zeros((n, width), dtype=kind)
    for i in range(n - 1):
        one, others = block[i], block[i + 1 :]
        more, less = above[i + 1 :], below[i + 1 :]
        np.greater(one, others, out=more[:, :width])
        np.less(one, others, out=less[:, :width])
        wins[i, i + 1 :] += _count_true(more)
        wins[i + 1 :, i] += _count_true(less)
        if behind.size:
            led = room[i + 1 :]
            np.subtract(more[:, :width], less[:, :width], out=led, dtype=kind, casting="unsafe")
            total[i + 1 :] += led
            total[i] -= led.sum(axis=0, dtype=kind)
    if behind.size:
        behind[:] = total


def doubled_places(ranks: Ranks) -> Doubled:
    """Return twice the mean place of each item's bucket, from 1; 0 where unranked: O(m n).

    Unlisted items share a bucket below the listed ones.

    Examples
    --------
    >>> import numpy as np
    >>> doubled_places(np.array([[0, 1, 1, -1], [-2, 0, 1, -2]], dtype=np.int32))
    array([[2, 5, 5, 0],
           [7, 2, 4, 7]], dtype=int32)
    """
    m, n = ranks.shape
    doubled = np.empty((m, n), dtype=np.int32)
    size = max(1, ENTRIES_AT_ONCE // n)
    for start in range(0, m, size):
        rows = slice(start, start + size)
        doubled[rows] = _doubled(ranks[rows])
    return doubled


def _doubled(ranks: Ranks) -> Doubled:
    n = ranks.shape[1]
    doubled = 2 * ranks + 2
    least = int(ranks.min(initial=0))
    if least < 0:
        doubled[ranks == -1] = 0
    begins = ranks
    if least < -1:
        off = ranks == -2
        listed = row_sums(ranks >= 0).astype(np.int32)
        # From `listed` to the number of observed items, both without the other's half.
        doubled = np.where(off, (2 * listed + row_sums(off) + 1)[:, None], doubled)
        begins = np.where(off, np.int32(-1), ranks)
    tied = ~strict_rows(ranks)
    if tied.any():
        some = begins[tied]
        # One bucket counter per ranking and place; other items go to a spare one.
        cell = np.where(some >= 0, some, n) + (n + 1) * np.arange(len(some))[:, None]
        sizes = np.bincount(cell.ravel(), minlength=len(some) * (n + 1))[cell]
        doubled[tied] += np.where(some >= 0, sizes - 1, 0).astype(np.int32)
    return doubled.astype(np.int32, copy=False)
