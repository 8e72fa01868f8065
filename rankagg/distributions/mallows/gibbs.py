"""Drawing completions of partial and tied rankings under Mallows, one item at a time.

Where an item may stand, given all others, is an interval of places; what each costs follows from
running sums. One sweep draws every free item anew in all rankings at once. The chain has the
distribution of the compatible permutations, each weighing exp(-theta d), as its limit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Ranks
from rankagg.core.rankings import places
from rankagg.core.rankings.places import UNRANKED

__all__ = ["Completions"]


class Completions:
    """A current completion of every ranking; columns in the order of the center."""

    def __init__(self, ranks: Ranks, rng: np.random.Generator) -> None:
        self._rng = rng
        self._observed: Bools = ranks != UNRANKED
        self._code = places.comparable(ranks)
        alike = (self._code[:, :, None] == self._code[:, None, :]).sum(axis=2) > 1
        self._free = ~self._observed | alike
        self.places = places.sample_compatible(ranks, rng).astype(np.int64)

    def reorder(self, order: NDArray[np.intp]) -> None:
        """Put the columns in the order of another center."""
        for name in ("_observed", "_code", "_free", "places"):
            setattr(self, name, getattr(self, name)[:, order])

    def sweep(self, theta: float) -> None:
        """Draw every free item anew, given the others."""
        for item in range(self.places.shape[1]):
            rows = np.flatnonzero(self._free[:, item])
            if len(rows):
                self._draw(rows, item, theta)

    def _draw(self, rows: NDArray[np.intp], item: int, theta: float) -> None:
        m, n = len(rows), self.places.shape[1]
        now = self.places[rows]
        mine = now[:, [item]]
        others = now - (now > mine)  # places once the item is gone; its own is of no use
        later = np.where(np.arange(n) > item, 1, -1)
        steps = np.zeros((m, n), dtype=np.int64)
        keep = np.arange(n) != item
        np.put_along_axis(steps, others[:, keep], np.broadcast_to(later[keep], (m, n - 1)), axis=1)
        # Standing at place c, it is after the others at places below c.
        cost = np.zeros((m, n), dtype=np.int64)
        cost[:, 1:] = np.cumsum(steps[:, : n - 1], axis=1)
        low, high = self._range(rows, item, others)
        at = np.arange(n)
        noise = self._rng.gumbel(size=(m, n))
        score = np.where((at >= low) & (at <= high), noise - theta * cost, -np.inf)
        chosen = score.argmax(axis=1)[:, None]
        moved = others + (others >= chosen)
        moved[:, [item]] = chosen
        self.places[rows] = moved

    def _range(
        self, rows: NDArray[np.intp], item: int, others: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first and the last place that the item may have."""
        n = others.shape[1]
        code, mine = self._code[rows], self._code[rows, item][:, None]
        bound = self._observed[rows] & self._observed[rows, item][:, None]
        better, worse = bound & (code < mine), bound & (code > mine)
        low = np.where(better, others + 1, 0).max(axis=1, keepdims=True)
        high = np.where(worse, others, n - 1).min(axis=1, keepdims=True)
        return low, high

    def distances(self) -> Floats:
        """Return the Kendall distance of every completion to the center, shape (m,)."""
        total = np.zeros(len(self.places))
        for j in range(1, self.places.shape[1]):
            total += (self.places[:, :j] > self.places[:, [j]]).sum(axis=1)
        return total

    def votes(self, weights: Floats) -> Floats:
        """Return the weight of row before column among the completions, shape (n, n)."""
        n = self.places.shape[1]
        votes = np.zeros((n, n))
        for i in range(n):
            votes[i] = weights @ (self.places[:, [i]] < self.places)
        return votes
