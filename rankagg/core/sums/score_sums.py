"""Adding up the scores of one task, unit by unit in NumPy: see `TaskTally`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from math import lcm

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats
from rankagg.core.arithmetic import exact
from rankagg.core.votes.shares import EXACT_ITEMS, grid, shares_fit
from rankagg.kernels.counting import count_together
from rankagg.kernels.scores import count_scores

__all__ = ["ScoreSums", "sizes_fit", "sums_of"]

Counts = NDArray[np.int64]

# Products of fewer steps are left to one thread; those of fewer units are not worth a call.
SINGLE, LEAST = 2**18, 64
# Units that lack the same systems are compared by themselves from this number on.
ALONE = 512


def sums_of(columns: Floats) -> ScoreSums:
    """Add up units.

    Parameters
    ----------
    columns : ndarray of float, shape (n, m)
        Scores of n systems on m units, higher is better, NaN where missing.

    Returns
    -------
    ScoreSums
    """
    present = ~np.isnan(columns)
    sums = ScoreSums(len(columns))
    if present.all():
        sums.add_alike(columns, np.arange(len(columns)))
    else:
        _add_by_pattern(sums, columns, present)
    return sums


class ScoreSums:
    """Sums over units as they come, by the number k of systems that are there.

    Attributes
    ----------
    wins, both, on_grid, squares_on_grid : ndarray of int64, shape (n, n)
        See `TaskTally`.
    units, placed, shares, squares : dict
        The same by k. The last two are emptied as soon as the k have no denominator that is cheap.
    """

    def __init__(self, n: int) -> None:
        self.wins, self.both = _zeros(n, n), _zeros(n, n)
        self.units: dict[int, int] = defaultdict(int)
        self.placed: dict[int, Counts] = defaultdict(partial(_zeros, n))
        self.shares: dict[int, Counts] = defaultdict(partial(_zeros, n, n))
        self.squares: dict[int, Counts] = defaultdict(partial(_zeros, n, n))
        self.on_grid: Counts | None = None
        self.squares_on_grid: Counts | None = None
        if n > EXACT_ITEMS:
            self.on_grid, self.squares_on_grid = _zeros(n, n), _zeros(n, n)

    @property
    def sizes(self) -> list[int]:
        """The numbers of systems that occur, without none and all."""
        return sorted(k for k in self.units if 0 < k < len(self.wins))

    def _keeps_shares(self) -> bool:
        """Say whether shares are kept for each k; else they take no memory any more."""
        if sizes_fit(self.sizes, len(self.wins)):
            return True
        self.shares.clear()
        self.squares.clear()
        return False

    def add_alike(self, columns: Floats, there: NDArray[np.intp]) -> None:
        """Add units in which just the systems at these positions are, a row for each."""
        n, (k, m) = len(self.wins), columns.shape
        self.units[k] += m
        if not k:
            return
        wins, behind = count_scores(columns, leads=k < n)
        self.wins[np.ix_(there, there)] += wins
        self.both[np.ix_(there, there)] += m
        if k == n:
            return
        lacking = np.ix_(np.setdiff1d(np.arange(n), there), there)
        # 2r + 2 is k + 1 and what a system loses less what it wins.
        doubled = behind.astype(np.int64) + (k + 1)
        self.placed[k][there] += doubled.sum(axis=1)
        if self._keeps_shares():
            self.shares[k][lacking] += doubled.sum(axis=1)
            self.squares[k][lacking] += (doubled**2).sum(axis=1)
        if self.on_grid is not None and self.squares_on_grid is not None:
            for total, power in ((self.on_grid, 1), (self.squares_on_grid, 2)):
                total[lacking] += _rounded(doubled, k, n, power).sum(axis=1)

    def add_mixed(self, columns: Floats, present: Bools, sizes: NDArray[np.intp]) -> None:
        """Add units in which some systems are, ordered by their number; below 2**24 of them."""
        n = len(self.wins)
        wins, behind = count_scores(columns, leads=True)
        self.wins += wins
        self.both += count_together(present, present)
        starts = np.concatenate([[0], np.flatnonzero(np.diff(sizes)) + 1])
        for start, stop in pairwise([*starts.tolist(), len(sizes)]):
            k = int(sizes[start])
            self.units[k] += stop - start
            if k in (0, n):
                continue
            self._add_places(k, behind[:, start:stop], present[:, start:stop])
        if self.on_grid is not None and self.squares_on_grid is not None:
            doubled = (behind.astype(np.int64) + (sizes + 1)) * present
            once, absent = np.ones(len(sizes), dtype=np.int64), (~present).astype(np.float64)
            for on_grid, power in ((self.on_grid, 1), (self.squares_on_grid, 2)):
                units = _rounded(doubled, sizes, n, power).astype(np.float64)
                added = exact.exact_product(once, absent.T, units.T).astype(np.int64)
                np.add(on_grid, added, out=on_grid)

    def _add_places(self, k: int, behind: NDArray[np.int16], present: Bools) -> None:
        """Add 2r + 2 and its square for units with k systems."""
        n, m = behind.shape
        both_powers = np.empty((2, n, m))
        doubled, squared = both_powers
        np.add(behind, k + 1, out=doubled)
        doubled *= present
        np.multiply(doubled, doubled, out=squared)
        self.placed[k] += doubled.sum(axis=1).astype(np.int64)
        if self._keeps_shares():
            sums = _product((~present).astype(np.float64), both_powers.reshape(2 * n, m))
            self.shares[k] += sums[:, :n]
            self.squares[k] += sums[:, n:]


def sizes_fit(sizes: Sequence[int], n: int) -> bool:
    """Say whether shares of units of these sizes are exact over one denominator that is cheap."""
    return n <= EXACT_ITEMS or shares_fit(lcm(1, *(2 * (k + 1) for k in sizes)), n)


def _zeros(*shape: int) -> Counts:
    return np.zeros(shape, dtype=np.int64)


def _product(left: Floats, right: Floats) -> Counts:
    """Return products of whole numbers, whose sums floats hold, summed over the units."""
    width = SINGLE // (len(left) * len(right))
    m = left.shape[1] // max(width, 1) * width
    if width < LEAST:
        return np.rint(left @ right.T).astype(np.int64)
    total = left[:, m:] @ right[:, m:].T
    if m:
        mine, theirs = (part[:, :m].reshape(len(part), -1, width) for part in (left, right))
        total += np.matmul(mine.transpose(1, 0, 2), theirs.transpose(1, 2, 0)).sum(axis=0)
    return np.rint(total).astype(np.int64)


def _rounded(doubled: Counts, k: int | NDArray[np.intp], n: int, power: int) -> Counts:
    """Return powers of (r + 1)/(k + 1) as multiples of the grid of n items."""
    over = (2 * (k + 1)) ** power
    rounded: Counts = (doubled**power * grid(n) + over // 2) // over
    return rounded


def _add_by_pattern(sums: ScoreSums, columns: Floats, present: Bools) -> None:
    """Add units: those that lack the same systems together where they are many."""
    order, starts = _grouped(present)
    counts = np.diff(np.append(starts, len(order)))
    alone = counts >= ALONE
    for at in np.flatnonzero(alone):
        units = order[starts[at] : starts[at] + counts[at]]
        there = np.flatnonzero(present[:, units[0]])
        sums.add_alike(_taken(columns, units, there), there)
    if alone.all():
        return
    rest = order[np.repeat(~alone, counts)]
    sizes = present[:, rest].sum(axis=0)
    by_size = np.argsort(sizes, kind="stable")
    rest = rest[by_size]
    sums.add_mixed(columns[:, rest], present[:, rest], sizes[by_size])


def _taken(columns: Floats, units: NDArray[np.intp], there: NDArray[np.intp]) -> Floats:
    """Return some units and systems; a view where the units stand side by side."""
    first, last = units[0], units[-1]
    if last - first + 1 == len(units):
        return columns[there, first : last + 1]
    return columns[np.ix_(there, units)]


def _grouped(present: Bools) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return an order in which units with the same systems are together, and where each starts."""
    packed = np.packbits(present, axis=0)
    keys = np.zeros(packed.shape[1], dtype=np.uint64)
    if len(packed) <= 8:
        for byte in packed:
            keys = (keys << np.uint64(8)) | byte
    else:
        rows = np.ascontiguousarray(packed.T)
        whole = rows.view(np.dtype((np.void, rows.shape[1])))[:, 0]
        keys = np.unique(whole, return_inverse=True)[1].astype(np.uint64)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    return order, np.concatenate([[0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1])
