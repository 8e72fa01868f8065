"""Weights of 3-cycles without a linear program: a primal-dual gradient method on few rows.

The relaxation is solved approximately. A step is two products with a sparse matrix of three entries
a row, and nothing is factorized, so a thousand steps take no longer than one solve of the simplex
method. Whatever the weights are, the bound that they make is valid; `proof` recomputes it in
integers.

References
----------
Chambolle and Pock (2011), doi:10.1007/s10851-010-0251-1; with steps scaled by row and column, Pock
and Chambolle (2011), doi:10.1109/ICCV.2011.6126441; with restarts at averages, Applegate and others
(2021), "Practical large-scale linear programming using primal-dual hybrid gradient",
https://arxiv.org/abs/2106.04756.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankagg.aggregation.deadline import Deadline

__all__ = ["FirstOrder", "Floats32"]

Cycles = NDArray[np.int32]
Floats32 = NDArray[np.float32]

#: Steps between two restarts at first.
STEPS, MOST_STEPS = 30, 120
#: Steps between two looks at the clock.
UNTIMED = 10
#: How far the ratio of dual and primal steps may go from the scale of the margins.
RATIO = 100.0
#: A row stays where it has weight, or is nearly tight.
NO_WEIGHT, NEARLY_TIGHT = 1e-4, 0.2


class FirstOrder:
    """The relaxation of one problem, with rows that come and go.

    Values are margins' units above the floor (see `Problem`).

    Parameters
    ----------
    margins : ndarray of float32, shape (n, n)
        Cost of row before column less cost of the reverse.

    Attributes
    ----------
    before : ndarray of float32, shape (n, n)
        How much row stands before column, 0 to 1: by majority, where no row says otherwise.
    cycles : ndarray of int, shape (m, 3)
        The rows: an order uses at least one arc of a -> b -> c -> a.
    value : float
        The best bound so far.
    best : tuple of ndarray
        The cycles that make it and their weights.
    """

    def __init__(self, margins: Floats32) -> None:
        self.n = len(margins)
        self._margins = margins
        self.before: Floats32 = (margins < 0).astype(np.float32)
        self.before[margins == 0] = 0.5
        apart = np.abs(margins[margins != 0])
        self._scale = float(apart.mean(dtype=np.float64)) if len(apart) else 1.0
        self.cycles: Cycles = np.empty((0, 3), dtype=np.int32)
        self._weights = np.zeros(0, dtype=np.float32)
        self._ratio = 1.0
        self._steps = STEPS
        self.value = 0.0
        self.best: tuple[Cycles, Floats32] = (self.cycles, self._weights)
        self._is_ready = False

    # -- rows ---------------------------------------------------------------------------------

    def add(self, cycles: Cycles, room: int) -> int:
        """Add rows that are not there yet, the first ones where there is no room for all.

        Parameters
        ----------
        cycles : ndarray of int, shape (k, 3)
            None of them twice.
        room : int
            How many rows there may be.

        Returns
        -------
        int
            How many were added.
        """
        new = cycles[~np.isin(self._keys(cycles), self._keys(self.cycles))]
        new = new[: max(room - len(self.cycles), 0)]
        if len(new):
            self.cycles = np.concatenate([self.cycles, new])
            added = np.zeros(len(new), dtype=np.float32)
            self._weights = np.concatenate([self._weights, added])
            self._is_ready = False
        return len(new)

    def _keys(self, cycles: Cycles) -> NDArray[np.int64]:
        keys: NDArray[np.int64] = cycles.astype(np.int64) @ np.array([self.n**2, self.n, 1])
        return keys

    def drop(self) -> None:
        """Drop the rows without weight that are far from tight."""
        if not self._is_ready:
            return
        slack = self._rows @ self._x - self._least
        keep = (self._weights > NO_WEIGHT) | (slack < NEARLY_TIGHT)
        if not keep.all():
            self.cycles, self._weights = self.cycles[keep], self._weights[keep]
            self._is_ready = False

    def _prepare(self) -> None:
        """Give numbers to the pairs that rows touch; all others stay at their majority."""
        tails, heads = self.cycles, np.roll(self.cycles, -1, axis=1)
        forward = tails < heads
        low = np.minimum(tails, heads).astype(np.int64)
        pairs, columns = np.unique(
            (low * self.n + np.maximum(tails, heads)).ravel(), return_inverse=True
        )
        self._first, self._second = pairs // self.n, pairs % self.n
        self._x = self.before[self._first, self._second]
        self._costs = self._margins[self._first, self._second] / np.float32(self._scale)
        self._floor = float(np.minimum(self._costs, 0.0).sum(dtype=np.float64))
        m = len(self.cycles)
        self._least: Floats32 = 1.0 - (~forward).sum(axis=1, dtype=np.float32)
        signs = np.where(forward, np.float32(1.0), np.float32(-1.0)).ravel()
        starts = np.arange(0, 3 * m + 1, 3, dtype=np.int32)
        shape = (m, len(pairs))
        self._rows = sparse.csr_array(
            (signs, columns.ravel().astype(np.int32), starts), shape=shape
        )
        self._columns = self._rows.T.tocsr()
        self._share = 1 / np.diff(self._columns.indptr).astype(np.float32)
        self._is_ready = True

    # -- steps --------------------------------------------------------------------------------

    def run(self, deadline: Deadline) -> None:
        """Take the steps of one restart, and keep the better of their end and their average.

        Raises
        ------
        OutOfTimeError
            If the deadline passes; the state stays valid.
        """
        if not self._is_ready:
            self._prepare()
        x, y = self._x.copy(), self._weights.copy()
        taken = self._columns @ y
        x_sum, y_sum = np.zeros_like(x), np.zeros_like(y)
        x_step, y_step = self._share / np.float32(self._ratio), np.float32(self._ratio / 3)
        for step in range(self._steps):
            if step % UNTIMED == 0:
                deadline.seconds_left()
            taken -= self._costs
            taken *= x_step
            taken += x
            np.clip(taken, 0.0, 1.0, out=taken)
            x, ahead = taken, x
            # Twice the new point less the old one.
            np.subtract(x, ahead, out=ahead)
            ahead += x
            slack = self._rows @ ahead
            slack -= self._least
            slack *= y_step
            y -= slack
            np.maximum(y, 0.0, out=y)
            x_sum += x
            y_sum += y
            taken = self._columns @ y
        share = np.float32(1 / self._steps)
        self._restart(x, y, taken, x_sum * share, y_sum * share)

    def _restart(
        self, x: Floats32, y: Floats32, taken: Floats32, mean_x: Floats32, mean_y: Floats32
    ) -> None:
        value, mean_value = self._bound(y, taken), self._bound(mean_y, self._columns @ mean_y)
        if mean_value >= value:
            x, y, value = mean_x, mean_y, mean_value
        moved_x = float(np.linalg.norm((x - self._x) / np.sqrt(self._share)))
        moved_y = float(np.linalg.norm(y - self._weights)) * np.sqrt(3)
        if min(moved_x, moved_y) > 1e-6:
            ratio = np.sqrt(self._ratio * moved_y / moved_x)
            self._ratio = float(np.clip(ratio, 1 / RATIO, RATIO))
        self._x, self._weights = x, y
        self.before[self._first, self._second] = x
        self.before[self._second, self._first] = 1 - x
        if value * self._scale > self.value:
            self.value = value * self._scale
            self.best = self.cycles, y * np.float32(self._scale)
        else:
            self._steps = min(2 * self._steps, MOST_STEPS)

    def _bound(self, weights: Floats32, taken: Floats32) -> float:
        left = np.minimum(self._costs - taken, 0.0).sum(dtype=np.float64) - self._floor
        return float(np.multiply(self._least, weights).sum(dtype=np.float64) + left)
