"""Strict rankings with unranked items: sums over all places where those may be inserted.

A state says how many of the k observed items are placed and which of the u unranked ones; the
places are filled from the first. Placing an item costs theta for every unplaced one that stands
before it in the center. There are (k + 1) 2^u states, whatever the number of permutations, and
rankings with equally many gaps go through them together.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Ranks
from rankagg.core.rankings.places import UNRANKED
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["LARGEST_GAP", "lattice_pairs", "lattice_sums"]

# More unranked items than that have too many subsets.
LARGEST_GAP = 14
# States of all rankings that are held at one time.
STATES = 2_000_000


def lattice_sums(ranks: Ranks, theta: float) -> Floats:
    """Return log sum exp(-theta d) over all ways to insert the unranked items of every row.

    Parameters
    ----------
    ranks : ndarray of int32, shape (m, n)
        Strict places, or `UNRANKED`; columns in the order of the center.
    theta : float
        Not negative.

    Returns
    -------
    ndarray of float, shape (m,)
    """
    result = np.empty(len(ranks))
    for rows, lattice in _lattices(ranks, theta):
        result[rows] = lattice.forward()[-1][:, -1]
    return result


def lattice_pairs(ranks: Ranks, theta: float) -> tuple[Floats, Floats]:
    """Return the sums, and for every row P(item before item) among all ways.

    Parameters
    ----------
    ranks : ndarray of int32, shape (m, n)
        Strict places, or `UNRANKED`; columns in the order of the center.
    theta : float
        Not negative.

    Returns
    -------
    sums : ndarray of float, shape (m,)
        As `lattice_sums`.
    before : ndarray of float, shape (m, n, n)
        Row before column, each way weighted by exp(-theta d).
    """
    m, n = ranks.shape
    sums, before = np.empty(m), np.empty((m, n, n))
    for rows, lattice in _lattices(ranks, theta):
        sums[rows], before[rows] = lattice.pairs()
    return sums, before


def _lattices(ranks: Ranks, theta: float) -> Iterator[tuple[NDArray[np.intp], _Lattice]]:
    missing = (ranks == UNRANKED).sum(axis=1)
    for number in np.unique(missing):
        if number > LARGEST_GAP:
            raise InvalidInputError(
                "profile", f"rankings with at most {LARGEST_GAP} unranked items",
                Described(f"one with {int(number)}"),
                "Leave such rankings out, or restrict the profile to fewer items.",
            )  # fmt: skip
        rows = np.flatnonzero(missing == number)
        size = max(1, STATES // ((ranks.shape[1] + 1) << int(number)))
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            yield part, _Lattice(ranks[part], int(number), theta)


class _Lattice:
    """The states of m rankings with u unranked items each."""

    def __init__(self, ranks: Ranks, u: int, theta: float) -> None:
        self.m, self.n = ranks.shape
        self.u, self.k, self.theta = u, self.n - u, theta
        gone = ranks == UNRANKED
        # Positions in the center of the unranked items, ascending, and of the observed in order.
        self.missing = np.nonzero(gone)[1].reshape(self.m, u)
        key = np.where(gone, self.n, ranks)
        self.observed = np.argsort(key, axis=1)[:, : self.k]
        masks = np.arange(1 << u)
        bits = (masks[:, None] >> np.arange(u)) & 1
        self.size = bits.sum(axis=1)
        # unplaced[t, M]: of the first t unranked items, how many are not in M.
        placed = np.concatenate([np.zeros((1 << u, 1), dtype=int), np.cumsum(bits, axis=1)], axis=1)
        self.unplaced = np.arange(u + 1)[:, None] - placed.T
        self.bits = bits.astype(bool)

    def observed_cost(self, q: int) -> Floats:
        """Return the log weight of placing the q-th observed item, shape (m, 2^u)."""
        here = self.observed[:, [q]]
        behind = (self.observed[:, q + 1 :] < here).sum(axis=1)
        ahead = (self.missing < here).sum(axis=1)
        cost: Floats = -self.theta * (behind[:, None] + self.unplaced[ahead])
        return cost

    def missing_cost(self, q: int, x: int) -> Floats:
        """Return the log weight of placing the x-th unranked item, shape (m, 2^u)."""
        behind = (self.observed[:, q:] < self.missing[:, [x]]).sum(axis=1)
        cost: Floats = -self.theta * (behind[:, None] + self.unplaced[x])
        return cost

    def _moves(self) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.intp]]]:
        """Yield unranked item, subsets without it and with it, small subsets first."""
        for count in range(self.u):
            for x in range(self.u):
                source = np.flatnonzero((self.size == count) & ~self.bits[:, x])
                yield x, source, source | (1 << x)

    def forward(self) -> list[Floats]:
        """Return the log weight of all ways to every state: a list over q of (m, 2^u)."""
        levels = []
        level = np.full((self.m, 1 << self.u), -np.inf)
        level[:, 0] = 0.0
        for q in range(self.k + 1):
            costs = [self.missing_cost(q, x) for x in range(self.u)]
            for x, source, target in self._moves():
                step = level[:, source] + costs[x][:, source]
                level[:, target] = np.logaddexp(level[:, target], step)
            levels.append(level)
            if q < self.k:
                level = level + self.observed_cost(q)
        return levels

    def backward(self) -> list[Floats]:
        """Return the log weight of all ways from every state to the end."""
        levels = []
        level = np.full((self.m, 1 << self.u), -np.inf)
        level[:, -1] = 0.0
        for q in reversed(range(self.k + 1)):
            if q < self.k:
                level = level + self.observed_cost(q)
            costs = [self.missing_cost(q, x) for x in range(self.u)]
            for x, source, target in reversed(list(self._moves())):
                step = level[:, target] + costs[x][:, source]
                level[:, source] = np.logaddexp(level[:, source], step)
            levels.append(level)
        return levels[::-1]

    def pairs(self) -> tuple[Floats, Floats]:
        """Return the sums, and P(before) for all pairs of items of the center."""
        ahead, behind = self.forward(), self.backward()
        total = ahead[-1][:, -1]
        rows = np.arange(self.m)
        before = np.zeros((self.m, self.n, self.n))
        for q in range(self.k):
            # All later observed items are unplaced when the q-th is placed.
            for later in range(q + 1, self.k):
                before[rows, self.observed[:, q], self.observed[:, later]] = 1.0
        for q in range(self.k + 1):
            for x in range(self.u):
                source = np.flatnonzero(~self.bits[:, x])
                flow = ahead[q][:, source] + self.missing_cost(q, x)[:, source]
                flow = np.exp(flow + behind[q][:, source | (1 << x)] - total[:, None])
                placed_here = flow.sum(axis=1)
                for later in range(q, self.k):
                    before[rows, self.missing[:, x], self.observed[:, later]] += placed_here
                for y in range(self.u):
                    if y != x:
                        open_too = ~self.bits[source, y]
                        share = flow[:, open_too].sum(axis=1)
                        before[rows, self.missing[:, x], self.missing[:, y]] += share
        for x in range(self.u):
            for later in range(self.k):
                there = before[rows, self.missing[:, x], self.observed[:, later]]
                before[rows, self.observed[:, later], self.missing[:, x]] = 1.0 - there
        # Sums of chances may be off 1 by rounding.
        return total, np.clip(before, 0.0, 1.0)
