"""First solutions for parts of many items: an order and a bound without linear programs.

Three steps alternate: find rows against the order of the present point, raise the bound by a
first-order method, and round the point to a better order. On many problems cost and bound become
equal; on others the cycles are first rows for `branch_and_bound`; with thousands of items the
result is final. The method is a primal-dual gradient method. A step is two products with a sparse
matrix of three entries per row, so a thousand steps take no longer than one simplex solve. Any
weights give a valid bound; `proof` recomputes it in integers.

References
----------
Chambolle and Pock (2011), doi:10.1007/s10851-010-0251-1; with steps scaled by row and column, Pock
and Chambolle (2011), doi:10.1109/ICCV.2011.6126441; with restarts at averages, Applegate and others
(2021), "Practical large-scale linear programming using primal-dual hybrid gradient",
https://arxiv.org/abs/2106.04756.
"""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Integers64, Positions
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.incumbent import Incumbent
from rankagg.aggregation.kemeny.parts import Report
from rankagg.aggregation.kemeny.problem import Problem, improve_windows
from rankagg.aggregation.kemeny.proof import Proof, Weighting, least_first

Cycles = NDArray[np.int32]
Floats32 = NDArray[np.float32]

#: Steps between two restarts, at first and at most.
STEPS, MOST_STEPS = 30, 120
#: Steps between two checks of the clock.
UNTIMED = 10
#: Largest deviation of the ratio of dual and primal steps from the scale of the margins.
RATIO = 100.0
#: A row stays if its weight or its slack passes these.
NO_WEIGHT, NEARLY_TIGHT = 1e-4, 0.2
#: Smaller violations are rounding error.
VIOLATION = 1e-3
#: Pairs that are processed at a time.
BLOCK_ENTRIES = 2**20
#: Rows of the method, and so cycles of a certificate, with 25 bytes each in its file.
MOST_ROWS = 300_000
#: Seconds that a row takes in the certificate; about half of the rows get there.
A_ROW = 1e-5


class _FirstOrder:
    """The relaxation of one problem, with rows that are added and dropped.

    Values are above the floor, in units of the margins (see `Problem`).
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
        """Add new rows, the first ones if there is no room for all; return their number."""
        new = cycles[~np.isin(self._keys(cycles), self._keys(self.cycles))]
        new = new[: max(room - len(self.cycles), 0)]
        if len(new):
            self.cycles = np.concatenate([self.cycles, new])
            self._weights = np.concatenate([self._weights, np.zeros(len(new), dtype=np.float32)])
            self._is_ready = False
        return len(new)

    def _keys(self, cycles: Cycles) -> Integers64:
        return np.asarray(cycles.astype(np.int64) @ np.array([self.n**2, self.n, 1]))

    def drop(self) -> None:
        """Drop the rows without weight that are far from tight."""
        if not self._is_ready:
            return
        keep = (self._weights > NO_WEIGHT) | (self._rows @ self._x - self._least < NEARLY_TIGHT)
        if not keep.all():
            self.cycles, self._weights = self.cycles[keep], self._weights[keep]
            self._is_ready = False

    def _prepare(self) -> None:
        """Assign numbers to the pairs that rows use; all others keep their majority direction."""
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
        self._rows = scipy.sparse.csr_array(
            (signs, columns.ravel().astype(np.int32), starts), shape=(m, len(pairs))
        )
        self._columns = self._rows.T.tocsr()
        self._share = 1 / np.diff(self._columns.indptr).astype(np.float32)
        self._is_ready = True

    # -- steps --------------------------------------------------------------------------------

    def run(self, deadline: Deadline) -> None:
        """Take the steps between two restarts, and keep the better of last point and average."""
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
            # Extrapolate: twice the new point minus the old one.
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


def _cycles_against(
    before: Floats32,
    margins: Floats32,
    order: Positions,
    limit: int,
    deadline: Deadline,
    *,
    heavy: float = 0.0,
) -> Cycles:
    """Return the most violated row for each arc against an order.

    Every cycle has an arc against the order, so few such arcs take little time. Of more than
    `limit` arcs the most expensive ones are used.
    """
    n = len(before)
    tails, heads = _arcs_back(before, margins, order, limit)
    thirds = np.empty(len(tails), dtype=np.int32)
    over = np.empty(len(tails), dtype=np.float32)
    size = max(1, BLOCK_ENTRIES // n)
    price = np.float32(heavy / max(float(np.abs(margins).max()), 1.0))
    for start in range(0, len(tails), size):
        deadline.seconds_left()
        some = slice(start, start + size)
        # [., c]: the arcs b -> c and c -> a, minus 1; 0 if c is b, 1/2 if c is a.
        used = before[heads[some]]
        used -= before[tails[some]]
        if price:
            least = np.minimum(-margins[heads[some]], margins[tails[some]])
            np.maximum(least, 0.0, out=least)
            least *= price
            best = (used + least).argmax(axis=1)
        else:
            best = used.argmax(axis=1)
        thirds[some] = best
        over[some] = used[np.arange(len(best)), best]
    over += before[tails, heads] - 1
    found = np.flatnonzero(over > VIOLATION)
    # The point uses less than one arc of the reverse.
    turned = least_first(np.column_stack([thirds[found], heads[found], tails[found]]))
    _, unique = np.unique(turned.astype(np.int64) @ np.array([n * n, n, 1]), return_index=True)
    return turned[unique[np.argsort(-over[found][unique], kind="stable")]]


def _arcs_back(
    before: Floats32, margins: Floats32, order: Positions, limit: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return tails and heads of the most expensive arcs from later to earlier items."""
    n = len(before)
    place = np.argsort(order).astype(np.int32)
    tails: list[NDArray[np.int32]] = []
    heads: list[NDArray[np.int32]] = []
    prices: list[Floats32] = []
    size = max(1, BLOCK_ENTRIES // n)
    for start in range(0, n, size):
        rows = slice(start, start + size)
        tail, head = np.nonzero((before[rows] > VIOLATION) & (place[rows, None] > place))
        tail += start
        tails.append(tail.astype(np.int32))
        heads.append(head.astype(np.int32))
        prices.append(np.abs(margins[tail, head]) * before[tail, head])
    all_tails, all_heads = np.concatenate(tails), np.concatenate(heads)
    if len(all_tails) > limit:
        dearest = np.sort(np.argpartition(-np.concatenate(prices), limit)[:limit])
        return all_tails[dearest], all_heads[dearest]
    return all_tails, all_heads


#: Preference for heavy cycles, until the share of new ones falls below FEW.
HEAVY, FEW = 0.25, 0.02
#: Restarts between two searches for rows, and such rounds between two improvements of the order.
RESTARTS, ROUNDS = 3, 6
#: The bound stalls if PATIENCE rounds close less than the share LITTLE of the remaining gap.
PATIENCE, LITTLE = 4, 0.01


class FirstSearch:
    """The state of the search for a first solution; `run` continues it."""

    def __init__(
        self, problem: Problem, unit: int, best: Incumbent, deadline: Deadline, report: Report
    ) -> None:
        self._problem = problem
        self._unit = unit
        self._best = best
        self._deadline = deadline
        self._report = report
        self._margins: Floats32 = best.margins.astype(np.float32)
        self._method = _FirstOrder(self._margins)
        self._none: Bools = np.zeros((problem.n, problem.n), dtype=bool)
        self._lower = problem.floor

    def run(self) -> None:
        """Raise the bound and improve the order until the order is proved or the bound stalls."""
        method, history = self._method, [0.0]
        turn, heavy = 0, HEAVY
        while not self._is_proved():
            turn += 1
            order = np.argsort(-method.before.sum(axis=1), kind="stable")
            rows = _cycles_against(
                method.before, self._margins, order, MOST_ROWS, self._ends, heavy=heavy
            )
            added = method.add(rows, MOST_ROWS)
            if len(method.cycles) == 0:
                return
            for _ in range(RESTARTS):
                method.run(self._ends)
            history.append(method.value)
            self._best.search(self._problem.floor + int(method.value) * self._unit)
            if turn % ROUNDS == 1:
                self._prove()
            if turn % ROUNDS == 0:
                self._round()
            self._report(min(self._lower, self._best.cost), self._best.cost)
            if turn % RESTARTS == 0:
                method.drop()
            if added < FEW * len(method.cycles):
                heavy = 0.0
            if self._is_stalled(history):
                if not heavy:
                    break
                heavy, history = 0.0, history[-1:]
        self._round()

    @property
    def _ends(self) -> Deadline:
        """When to stop, to leave time for the rows in the certificate."""
        return self._deadline.later(-A_ROW * len(self._method.cycles))

    @property
    def point(self) -> Floats:
        """The present point: value of row before column."""
        return self._method.before.astype(np.float64)

    def _round(self) -> None:
        self._best.round(self.point)
        self._best.offer(improve_windows(self._problem, self._best.order, self._deadline))

    def _prove(self) -> None:
        """Recompute the bound in integers, so that every reported bound is proved."""
        self._lower = max(self._lower, self.answer()[0])

    def _is_proved(self) -> bool:
        if self._lower >= self._best.cost:
            return True
        near = self._best.cost - self._problem.step
        if self._problem.floor + self._method.value * self._unit <= near:
            return False
        self._prove()
        return self._lower >= self._best.cost

    def _is_stalled(self, history: list[float]) -> bool:
        if len(history) <= PATIENCE:
            return False
        # Rounding can make the remaining gap negative, although the integers still differ.
        left = max((self._best.cost - self._problem.floor) / self._unit - history[-1], 0.0)
        return history[-1] - history[-1 - PATIENCE] <= LITTLE * left

    def answer(self) -> tuple[int, Weighting]:
        """Return the best bound so far, recomputed in integers, and its weighted rows."""
        cycles, weights = self._method.best
        used = weights > 0
        duals = weights[used].astype(np.float64)
        weighting = Weighting.rounded(cycles[used].astype(np.intp), duals, self._unit)
        return Proof.least(self._problem, weighting, self._none), weighting
