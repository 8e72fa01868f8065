"""Branch and bound among weak orders for one part of a problem, and heuristics.

The loop is that of `branch_and_bound`, over statements "i is not below j". The relaxation has one
column for z[i, j], i != j, within [0, 1]. Violated rows are added: totals z[i, j] + z[j, i] >= 1,
written (i, j, i), and the rows (i, j, k) of `weak_proof`.

The heuristics are the best buckets of an order, moves of single items, and kicks. They work on
float costs, so gains are approximate if integers exceed 53 bits; the caller recomputes costs
exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Generator, Integers64, Positions
from rankagg.aggregation.deadline import NEVER, Deadline
from rankagg.aggregation.kemeny import orders
from rankagg.aggregation.kemeny.branch_and_bound import CaseSearch, Tightening, searched
from rankagg.aggregation.kemeny.parts import Solution, Task
from rankagg.aggregation.kemeny.proof import Proof, Weighting
from rankagg.aggregation.kemeny.relaxation import Cycles, Point, Relaxation, SparseRows
from rankagg.aggregation.kemeny.weak_proof import Known, WeakProblem, WeakProof
from rankagg.check_certificate import Derived
from rankagg.core.graphs import strong_parts

Levels = Positions
ROW_VIOLATION = 1e-6
ROWS_PER_ITEM = 40


@dataclass(frozen=True, eq=False)
class _FloatCosts:
    """Float costs of pairs."""

    # Shape (n, n). Costs of row above column; the diagonal is 0.
    above: Floats
    # Shape (n, n). Costs of ties; symmetric, with a diagonal of 0.
    tied: Floats

    @property
    def negligible(self) -> float:
        """Gains below this are rounding error."""
        return orders.NEGLIGIBLE * max(float(self.above.max(initial=0.0)), 1.0)


def _best_buckets(costs: _FloatCosts, order: Positions) -> Levels:
    """Return the cheapest weak order whose buckets are stretches of an order.

    Dynamic programming over the start of the last bucket: O(n^2).
    """
    n = len(order)
    change = np.triu((costs.tied - costs.above)[np.ix_(order, order)], k=1)
    # gains[first, last]: cost added by tying the stretch from first to last.
    gains = np.cumsum(np.cumsum(change, axis=1)[::-1], axis=0)[::-1]
    best = np.zeros(n + 1)
    begins = np.zeros(n, dtype=np.intp)
    for last in range(n):
        totals = best[: last + 1] + gains[: last + 1, last]
        # Among equally good stretches take the shortest, to avoid ties that gain nothing.
        begins[last] = last - int(np.argmin(totals[::-1]))
        best[last + 1] = totals[begins[last]]
    starts = np.zeros(n, dtype=np.intp)
    last = n - 1
    while last >= 0:
        starts[begins[last]] = 1
        last = int(begins[last]) - 1
    levels = np.empty(n, dtype=np.intp)
    levels[order] = np.cumsum(starts) - 1
    return levels


def _move_items(costs: _FloatCosts, levels: Levels, deadline: Deadline = NEVER) -> Levels:
    """Move single items into other buckets or between them until no such move helps.

    Each pass evaluates all moves in time n^2 and makes the best one. Then the best buckets of the
    order are chosen, and both steps repeat until neither helps.
    """
    while not deadline.is_over:
        levels = _best_moves(costs, levels, deadline)
        again = _best_buckets(costs, np.lexsort((levels,)))
        if _cost(costs, again) >= _cost(costs, levels) - costs.negligible:
            return levels
        levels = again
    return levels


def _best_moves(costs: _FloatCosts, levels: Levels, deadline: Deadline) -> Levels:
    n = len(levels)
    items = np.arange(n)
    _, levels = np.unique(levels, return_inverse=True)
    member = np.zeros((n, int(levels.max(initial=0)) + 1))
    member[items, levels] = 1.0
    # Cost of each item above, below and tied with each bucket. A move changes two columns.
    item_costs = np.stack([costs.above, costs.above.T, costs.tied])
    sums = item_costs @ member
    while not deadline.is_over:
        after, before, level = sums
        before = np.cumsum(before, axis=1)
        after = np.cumsum(after[:, ::-1], axis=1)[:, ::-1]
        joined = level.copy()
        joined[:, 1:] += before[:, :-1]
        joined[:, :-1] += after[:, 1:]
        alone = np.empty((n, sums.shape[2] + 1))  # in a bucket of its own, before bucket k
        alone[:, 0], alone[:, 1:] = 0.0, before
        alone[:, :-1] += after
        best_alone, best_joined = alone.argmin(axis=1), joined.argmin(axis=1)
        least_alone, least_joined = alone[items, best_alone], joined[items, best_joined]
        gain = joined[items, levels] - np.minimum(least_alone, least_joined)
        item = int(np.argmax(gain))
        if gain[item] <= costs.negligible:
            return levels
        if least_alone[item] < least_joined[item]:
            target = int(best_alone[item])
            levels = np.where(levels >= target, levels + 1, levels)
            sums = np.insert(sums, target, 0.0, axis=2)
        else:
            target = int(best_joined[item])
        source = int(levels[item])
        sums[:, :, source] -= item_costs[:, :, item]
        sums[:, :, target] += item_costs[:, :, item]
        levels[item] = target
        if not (levels == source).any():
            sums = np.delete(sums, source, axis=2)
            levels = np.where(levels > source, levels - 1, levels)
    return levels


def _cost(costs: _FloatCosts, levels: Levels) -> float:
    """Return the cost of a weak order."""
    above = levels[:, None] < levels[None, :]
    tied = np.triu(levels[:, None] == levels[None, :], k=1)
    return float(costs.above[above].sum() + costs.tied[tied].sum())


def _shaken(levels: Levels, rng: Generator, strength: int) -> Levels:
    """Return the weak order with random items moved into or between random buckets."""
    changed = 2 * levels
    picked = rng.integers(len(levels), size=strength)
    changed[picked] = rng.integers(-1, 2 * int(levels.max()) + 2, size=strength)
    return np.unique(changed, return_inverse=True)[1]


# Most kicks in a row without success; kicks get one KICK_SHARE-th of the time left.
VAIN_KICKS, KICK_SHARE = 20, 5


class _WeakIncumbent:
    """The best weak order so far of one part that respects the known relations."""

    def __init__(
        self, problem: WeakProblem, unit: int, known: Known, deadline: Deadline = NEVER
    ) -> None:
        self._problem = problem
        self._known = known
        self._deadline = deadline
        self._costs = _biased(problem, unit, known)
        self._rng = np.random.default_rng(0)
        self._last_rounded = b""
        # The first order must respect the known relations.
        self.order = _extension(known)
        self.cost = problem.cost(self.order)
        self.offer(self.order)
        for order in orders.starting_orders(self._costs.above - self._costs.above.T):
            self.offer(_best_buckets(self._costs, order))

    def offer(self, levels: Positions) -> bool:
        """Improve a weak order, keep it if it is the best so far, and return whether it is."""
        improved = _move_items(self._costs, levels, self._deadline)
        cost = self._problem.cost(improved)
        if cost >= self.cost or not self._known.holds(improved[:, None] <= improved[None, :]):
            return False
        self.order, self.cost = improved, cost
        return True

    def kick(self) -> None:
        """Kick the best order until several kicks in a row fail, or a share of the time is over."""
        waiting, ends = 0, self._deadline.share(KICK_SHARE)
        while waiting < VAIN_KICKS and not ends.is_over:
            better = self.offer(_shaken(self.order, self._rng, max(2, self._problem.n // 12)))
            waiting = 0 if better else waiting + 1

    def search(self, proved: int | None = None) -> None:
        """Do nothing, as kicks come before the first relaxation."""

    def round(self, not_below: Floats) -> None:
        """Offer the best buckets of the order of a fractional point's row sums."""
        strength = not_below.sum(axis=1) - not_below.sum(axis=0)
        levels = _best_buckets(self._costs, np.argsort(-strength, kind="stable"))
        if levels.tobytes() != self._last_rounded:
            self._last_rounded = levels.tobytes()
            self.offer(levels)


def _biased(problem: WeakProblem, unit: int, known: Known) -> _FloatCosts:
    """Return float costs with penalties on everything that the known relations exclude."""
    above = (problem.above / unit).astype(np.float64)
    tied = (problem.tied / unit).astype(np.float64)
    penalty = float(above.sum() + tied.sum()) + 1.0
    above[known.not_below.T & ~np.eye(problem.n, dtype=bool)] += penalty
    tied[known.above | known.above.T] += penalty
    return _FloatCosts(above, tied)


def _extension(known: Known) -> Positions:
    """Return a weak order that respects the known relations, with as few ties as possible."""
    parts = strong_parts(known.not_below)
    first = np.array([np.argmax(parts == part) for part in range(int(parts.max()) + 1)])
    inside = known.not_below[np.ix_(first, first)]
    # The relation of the parts is a partial order, so sorting by the number below respects it.
    return np.argsort(np.argsort(-inside.sum(axis=1), kind="stable"))[parts]


class _WeakRelaxation(Relaxation):
    """The relaxation among weak orders; its rows are triples (i, j, k) and totals (i, j, i).

    All columns are there from the start.
    """

    _at_least = False

    def __init__(self, problem: WeakProblem) -> None:
        super().__init__(problem)
        self._floor = (problem.floor - problem.both) / self.unit
        self._add_columns(np.arange(len(self._costs), dtype=np.int32))

    def weighting(self, point: Point) -> Weighting:
        """Return the weighted rows of a point; totals need none, as costs cover all relations."""
        weighed = point.cycles[:, 0] != point.cycles[:, 2]
        kept = replace(point, cycles=point.cycles[weighed], duals=point.duals[weighed])
        return super().weighting(kept)

    def _square(self, values: Floats) -> Floats:
        not_below = np.ones((self._n, self._n))
        not_below[self._pairs] = values
        return not_below

    def _known(self, case: Known) -> tuple[Bools, Bools]:
        return case.not_below, case.above.T

    def _listed(self) -> tuple[Positions, ...]:
        return np.nonzero(~np.eye(self._n, dtype=bool))

    def _numbers(self, cycles: Cycles) -> Integers64:
        return np.asarray(cycles @ np.array([self._n**2, self._n, 1]))

    def _columns(self, first: Positions, second: Positions) -> NDArray[np.int32]:
        columns = first * (self._n - 1) + second - (second > first)
        return columns.astype(np.int32)

    def _of_cycles(self, cycles: Cycles) -> SparseRows:
        first, middle, last = cycles.T
        totals = first == last
        # A total is written -z - z <= -1 and has no third entry.
        pairs = (first, middle), (middle, last), (first, np.where(totals, middle, last))
        columns = np.column_stack([self._columns(*pair) for pair in pairs])
        signs = np.where(totals[:, None], [-1.0, -1.0, 0.0], [1.0, 1.0, -1.0])
        kept = np.column_stack([np.ones((len(cycles), 2), dtype=bool), ~totals])
        starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))[:-1]]).astype(np.int32)
        return SparseRows(np.where(totals, -1.0, 1.0), starts, columns[kept], signs[kept])


def _violated_weak_rows(not_below: Floats, limit: int, deadline: Deadline) -> Positions:
    """Return violated rows: all totals, then the worst (i, j, k) for each i, k, worst first."""
    n = len(not_below)
    low, high = np.nonzero(np.triu(not_below + not_below.T < 1.0 - ROW_VIOLATION, k=1))
    totals = np.column_stack([low, high, low])
    found, excess = [], []
    items = np.arange(n)
    through = not_below.T.copy()  # [k, j]: j not below k
    np.fill_diagonal(through, -3.0)
    for i in range(n):
        deadline.seconds_left()
        used = through + not_below[i]
        used[:, i] = -3.0
        middle = used.argmax(axis=1)
        over = used[items, middle] - not_below[i] - 1.0
        over[i] = -1.0
        picked = np.flatnonzero(over > ROW_VIOLATION)
        found.append(np.column_stack([np.full(len(picked), i), middle[picked], picked]))
        excess.append(over[picked])
    rows, over = np.concatenate(found), np.concatenate(excess)
    return np.concatenate([totals, rows[np.argsort(-over, kind="stable")[:limit]]])


class _RowTightening(Tightening):
    """The rounds of one case of weak orders."""

    def _violated(self, point: Point, left: float) -> tuple[Cycles, Sequence[Derived]]:
        rows = _violated_weak_rows(point.before, ROWS_PER_ITEM * len(point.before), self._deadline)
        # A violated row in the model is a solver error, so do not add it again.
        rows = self._relaxation.missing(rows)
        return (rows[:0] if self._stalls(point, left) else rows), ()


@dataclass
class WeakSearch(CaseSearch):
    """A search among weak orders."""

    kind: ClassVar[type[Proof]] = WeakProof

    def run(
        self, *, until: int | None = None, known: int | None = None, cases: int | None = None
    ) -> None:
        """Search until the best weak order is proved, after kicks for a better one."""
        if until is None and not self.is_done:
            self._best.kick()
        super().run(until=until, known=known, cases=cases)

    def _first_order(self, case: Known) -> _WeakIncumbent:
        return _WeakIncumbent(self.problem, self._unit, case, self.deadline)

    def _begin(self) -> Relaxation:
        return _WeakRelaxation(self.problem)

    def _rounds(self, relaxation: Relaxation) -> Tightening:
        return _RowTightening(relaxation, self.deadline)

    def _weights(self) -> NDArray[Any]:
        return np.asarray(np.abs((self.problem.slopes / self._unit).astype(np.float64)))

    def _open_pairs(self, case: Known) -> Bools:
        return ~(case.not_below | case.above.T)

    def _single(self, case: Known) -> Positions:
        return np.asarray(case.above.sum(axis=0))


def solve_weak_part(task: Task) -> Solution:
    """Solve one part among weak orders; without time, return a heuristic order."""

    def first() -> Levels:
        problem = task.problem
        costs = _FloatCosts(problem.above.astype(np.float64), problem.tied.astype(np.float64))
        return _best_buckets(costs, orders.starting_orders(costs.above - costs.above.T)[0])

    return searched(lambda: WeakSearch(task.problem, task.deadline, task.report), first)
