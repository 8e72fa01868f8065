"""Pairwise counts over rankings, and mean places in buckets.

All pairs of items are compared in O(m n^2 / 2).

Without ties among listed items, one half of the pairs determines the other; only rankings with
ties are compared both ways. Places are compared in the smallest integer type, and the results are
counted eight at a time. Items that are present together are counted in packed bits, and only if
some item is missing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Integers64, Ranks

# Block size in places, so that a block stays in the cache.
COLUMN_PLACES = 2**18
# In smaller blocks, writing results takes longer than comparing places.
FEWEST_RANKINGS = 256
# Up to this number of comparisons, all pairs are compared in one operation.
COMPARED_AT_ONCE = 2**19
WORD = 8

# Block size in units, so that a block stays in the cache; a multiple of 8.
UNITS_AT_ONCE = 4096
# Block size in entries.
ENTRIES_AT_ONCE = 2**18

Doubled = NDArray[np.int32]
Columns = NDArray[np.unsignedinteger]


def row_sums(table: NDArray[Any]) -> Integers64:
    """Return the sum of each row of truth values, or of places: O(m n).

    NumPy's own sum is slow on short rows.

    Examples
    --------
    >>> import numpy as np
    >>> row_sums(np.array([[True, True], [False, True]]))
    array([2, 1])
    """
    # The largest sum is 0 + ... + n - 1.
    kind = np.int32 if table.shape[1] < 2**16 else np.int64
    sums: Integers64 = np.einsum("ij->i", table.astype(kind, copy=False)).astype(np.int64)
    return sums


def strict_rows(ranks: Ranks) -> Bools:
    """Return for each ranking whether its listed items are not tied: O(m n).

    Examples
    --------
    >>> import numpy as np
    >>> strict_rows(np.array([[0, 1, -1], [0, 0, 2], [0, -2, -2]], dtype=np.int32))
    array([ True, False,  True])
    """
    # Places count the items above, so only without ties is their sum 0 + ... + k - 1.
    if int(ranks.min(initial=0)) >= 0:
        k = ranks.shape[1]
        strict: Bools = row_sums(ranks) == k * (k - 1) // 2
    else:
        listed = row_sums(ranks >= 0)
        strict = row_sums(np.maximum(ranks, 0)) == listed * (listed - 1) // 2
    return strict


class Counts(NamedTuple):
    """The number, or the weight, of rankings by their order of row and column."""

    # Shape (n, n). Row is above column; unlisted items are below listed ones, and unranked items
    # below all.
    above: Integers64
    # Shape (n, n). Both are observed; the diagonal counts the rankings of one item.
    both: Integers64
    # Shape (n, n). Both are unlisted.
    off: Integers64


def count(ranks: Ranks, weights: Integers64 | None = None) -> Counts:
    """Count the rankings by their order of every two items; see `Counts`.

    Notes
    -----
    Time grows as m n^2, memory as n^2: 8 bytes per two items for `above`, and as much for `both`
    and `off` if items are missing or unlisted.

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
    # As unsigned integers the negative codes are the two largest, so they rank below all places.
    kind = np.min_scalar_type(n + 1)
    size = max(FEWEST_RANKINGS, COLUMN_PLACES // n)
    parts: dict[bool, _Sums] = {}
    for start in range(0, m, size):
        block = ranks[start : start + size]
        some = None if weights is None else weights[start : start + size]
        columns = block.astype(kind).T
        strict = strict_rows(block)
        for halved, rows in ((True, strict), (False, ~strict)):
            if not rows.any():
                continue
            part = parts.setdefault(halved, _Sums(n, halved))
            if rows.all():
                part.add(columns, some)
            else:
                part.add(columns[:, rows], None if some is None else some[rows])
    counted = [part.counts() for part in parts.values()]
    return counted[0] if len(counted) == 1 else Counts(*map(np.add, *counted))


class _Sums:
    """Sums over the rankings without ties (`halved`), or with ties."""

    def __init__(self, n: int, halved: bool) -> None:
        self._n, self._halved = n, halved
        self._above = np.zeros((n, n), dtype=np.int64)
        self._complete = 0  # rankings with all items listed
        self._both: Integers64 | None = None
        self._off: Integers64 | None = None

    def add(self, columns: Columns, weights: Integers64 | None) -> None:
        """Add rankings, given as the places of each item."""
        n, m = columns.shape
        missing = np.iinfo(columns.dtype).max
        padded = np.full((n, -(-m // WORD) * WORD), missing, dtype=columns.dtype)
        padded[:, :m] = columns
        if weights is not None:
            weights = np.concatenate([weights, np.zeros(padded.shape[1] - m, dtype=np.int64)])
        _compare_columns(padded, weights, self._above, strict=self._halved)
        if int(columns.max(initial=0)) < n:
            self._complete += m if weights is None else int(weights.sum())
            return
        present = padded != missing
        both = count_together(present, present, weights)
        self._both = both if self._both is None else self._both + both
        unlisted = padded == missing - 1
        if unlisted.any():
            off = count_together(unlisted, unlisted, weights)
            self._off = off if self._off is None else self._off + off

    def counts(self) -> Counts:
        """Return the sums; constant matrices take no memory."""
        shape = self._n, self._n
        if self._both is None:
            both = np.broadcast_to(np.int64(self._complete), shape)
        else:
            both = self._both + self._complete
        off = np.broadcast_to(np.int64(0), shape) if self._off is None else self._off
        if self._halved:
            self._mirror(both, off)
        return Counts(self._above, both, off)

    def _mirror(self, both: Integers64, off: Integers64) -> None:
        """Fill the lower triangle: without ties one of two items is above if one is listed."""
        one = both.diagonal()
        for start in range(0, self._n, FEWEST_RANKINGS):
            rows = slice(start, start + FEWEST_RANKINGS)
            stop = min(start + FEWEST_RANKINGS, self._n)
            ordered = one[rows, None] + one[:stop] - both[rows, :stop] - off[rows, :stop]
            ordered -= self._above[:stop, rows].T
            self._above[rows, :stop] += np.tril(ordered, k=start - 1)


def _compare_columns(
    columns: Columns, weights: Integers64 | None, counts: Integers64, *, strict: bool
) -> None:
    """Count the rankings with row above column, if strict in the upper triangle only."""
    n, m = columns.shape
    floats = None if weights is None else weights.astype(np.float64)
    if n * n * m <= COMPARED_AT_ONCE:
        above = (columns[:, None] < columns).reshape(n * n, m)
        sums = above @ (np.ones(m) if floats is None else floats)
        every = np.rint(sums).astype(np.int64).reshape(n, n)
        counts += np.triu(every) if strict else every
        return
    buffer = np.empty((n, m), dtype=bool)
    for i in range(n - 1):
        one, others, above = columns[i], columns[i + 1 :], buffer[i + 1 :]
        np.less(one, others, out=above)
        counts[i, i + 1 :] += _row_counts(above, floats)
        if not strict:
            np.greater(one, others, out=above)
            counts[i + 1 :, i] += _row_counts(above, floats)


def count_together(first: Bools, second: Bools, weights: Integers64 | None = None) -> Integers64:
    """Count the rankings in which row is in the first set, and column in the second."""
    if weights is not None:  # whole numbers below 2**53 are exact floats
        weighed = (first * weights.astype(np.float64)) @ second.T.astype(np.float64)
        return np.rint(weighed).astype(np.int64)
    if not hasattr(np, "bitwise_count"):  # before NumPy 2; blocks have fewer than 2**24 rankings
        return np.rint(first.astype(np.float32) @ second.T.astype(np.float32)).astype(np.int64)
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
    """Return rows of truth values as bits of 64-bit words."""
    n, m = table.shape
    words = np.zeros((n, -(-m // 64)), dtype=np.uint64)
    words.view(np.uint8)[:, : -(-m // 8)] = np.packbits(table, axis=1)
    return words


def _row_counts(table: Bools, weights: Floats | None = None) -> Integers64:
    """Count the true values of each row, or sum their weights, whole numbers below 2**53.

    The length of a row is a multiple of eight.
    """
    if weights is not None:
        return np.rint(table @ weights).astype(np.int64)
    if hasattr(np, "bitwise_count"):  # from NumPy 2 on
        counts: Integers64 = np.bitwise_count(table.view(np.uint64)).sum(axis=1, dtype=np.int64)
        return counts
    return np.asarray(np.count_nonzero(table, axis=1), dtype=np.int64)


def count_scores(columns: Floats, *, leads: bool) -> tuple[Integers64, NDArray[np.int16]]:
    """Count the units in which one system scores above another, and losses minus wins.

    The second array, for `leads`, has a system's losses minus its wins in each unit: O(m n^2 / 2).

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
        if width < size:  # clear the previous block's results
            above[:, width:] = below[:, width:] = False
        _compare(block, above, below, wins, behind[:, start : start + width])
    return wins, behind


def _compare(
    block: Floats, above: Bools, below: Bools, wins: Integers64, behind: NDArray[np.int16]
) -> None:
    """Compare every pair of systems once, and count both directions."""
    n, width = block.shape
    kind = np.int8 if n <= 127 else np.int16  # the range of wins minus losses
    room = np.empty((n, width), dtype=kind)
    total = np.zeros((n, width), dtype=kind)
    for i in range(n - 1):
        one, others = block[i], block[i + 1 :]
        more, less = above[i + 1 :], below[i + 1 :]
        np.greater(one, others, out=more[:, :width])
        np.less(one, others, out=less[:, :width])
        wins[i, i + 1 :] += _row_counts(more)
        wins[i + 1 :, i] += _row_counts(less)
        if behind.size:
            led = room[i + 1 :]
            np.subtract(more[:, :width], less[:, :width], out=led, dtype=kind, casting="unsafe")
            total[i + 1 :] += led
            total[i] -= led.sum(axis=0, dtype=kind)
    if behind.size:
        behind[:] = total


def doubled_places(ranks: Ranks) -> Doubled:
    """Return twice the mean place of each item's bucket, from 1; 0 if unranked: O(m n).

    Unlisted items form a bucket below the listed ones.

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
        # Twice the mean of the places from `listed` + 1 to the number of observed items.
        doubled = np.where(off, (2 * listed + row_sums(off) + 1)[:, None], doubled)
        begins = np.where(off, np.int32(-1), ranks)
    tied = ~strict_rows(ranks)
    if tied.any():
        some = begins[tied]
        # One bucket counter per ranking and place; codes use an extra one.
        cell = np.where(some >= 0, some, n) + (n + 1) * np.arange(len(some))[:, None]
        sizes = np.bincount(cell.ravel(), minlength=len(some) * (n + 1))[cell]
        doubled[tied] += np.where(some >= 0, sizes - 1, 0).astype(np.int32)
    return doubled.astype(np.int32, copy=False)
