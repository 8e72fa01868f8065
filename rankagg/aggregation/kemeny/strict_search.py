"""The search among strict orders: cuts, then branch and bound, with warm starts.

Small parts are solved by dynamic programming over subsets. Larger ones begin with the cycles that
proofs of related problems used, and mostly end at a bound without any search. The others continue
with branch and bound, with the rows and the order found. Cycles are separated first. Halves of sums
of cycles follow when cycles no longer help: they cost more, and are weak at a point that violates
cycles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Positions
from rankagg.aggregation.deadline import Deadline, until_stopped
from rankagg.aggregation.kemeny import orders as heuristics
from rankagg.aggregation.kemeny.branch_and_bound import (
    Bound,
    CaseSearch,
    Tightening,
    searched,
    unweighted,
)
from rankagg.aggregation.kemeny.incumbent import Incumbent
from rankagg.aggregation.kemeny.large import A_ROW, FirstSearch
from rankagg.aggregation.kemeny.parts import Solution, Task, Warm
from rankagg.aggregation.kemeny.persistency import Persistence
from rankagg.aggregation.kemeny.problem import ENUMERABLE, SubsetTable, improve_windows
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.aggregation.kemeny.relaxation import Cycles, Point, Relaxation
from rankagg.aggregation.kemeny.violated_rows import violated_cycles, violated_halves
from rankagg.check_certificate import Derived, Enumeration

# Rounds of halved rows, each followed by cycles, and the share of the remaining gap that they must
# close: in the first case (True) and in others.
HALF_ROUNDS = {True: 5, False: 2}
HALF_SHARE = {True: 0.05, False: 0.1}
# Units that they must close at least, as two cases take less time than rounds with little progress.
HALF_UNITS = 0.1
RECOMBINE_FIRST, RECOMBINE_EVERY = 3, 40
# From EARLY_FROM items on, pairs of every optimum are searched first, for one EARLY_SHARE-th of the
# time; smaller parts are solved as quickly without.
EARLY_FROM, EARLY_SHARE = 45, 4
# From this number of items on a search takes seconds to begin, so check the time limit before.
LONG_TO_BEGIN = 2000
# With this many open cases of few items rows are weak, and enumeration is as fast.
ENUMERATE_FROM = 16
A_SUBSET = 2e-6  # seconds per subset of an enumeration
# Up to this number of items dynamic programming is faster, also for checking the proof.
TABLE_UP_TO = 10
# From FIRST_ORDER items on, a first-order method finds rows before the solver; from NO_PROGRAM on,
# no linear program is begun under a time limit.
FIRST_ORDER, NO_PROGRAM = 70, 300
# With more items or rounds, the full branch and bound is worth its start-up time.
LARGE, ROUNDS = 150, 20


class CycleTightening(Tightening):
    """The rounds of one case of strict orders: cycles, and halves of sums of cycles."""

    def __init__(
        self, relaxation: Relaxation, deadline: Deadline, margins: Floats, *, is_first: bool
    ) -> None:
        super().__init__(relaxation, deadline)
        self._margins = margins
        self._is_first = is_first

    def _violated(self, point: Point, left: float) -> tuple[Cycles, Sequence[Derived]]:
        cycles = violated_cycles(point.before, self._margins, self._deadline)
        if not len(cycles):
            return cycles, self._halved(point, left)
        # The first case and cases with halved rows add all violated cycles.
        if not (self._is_first or self._closed) and self._stalls(point, left):
            return cycles[:0], ()
        return cycles, ()

    def _halved(self, point: Point, left: float) -> Sequence[Derived]:
        rounds, share = HALF_ROUNDS[self._is_first], HALF_SHARE[self._is_first]
        left = max(left, HALF_UNITS / share)
        if self._closes_little(self._closed, point, rounds, left, share):
            return ()
        self._closed.append(point.value)
        return violated_halves(point.before, self._deadline)


@dataclass
class Search(CaseSearch):
    """A search among strict orders."""

    # Shape (n,). A starting order that replaces the heuristic ones.
    start: Positions | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._margins = self.problem.margins.astype(np.float64)
        self._n_expanded = 0
        self._near: Floats | None = None  # a point near which orders are recombined

    def _first_order(self, case: Bools) -> Incumbent:
        return Incumbent(self.problem, self._unit, case, self.start, self.deadline)

    def _begin(self) -> Relaxation:
        self._best.prepare()
        relaxation = self._engine()
        relaxation.meanwhile = self._best.keep_pace
        # Start with rows that the cheaper directions of all pairs violate.
        cheapest = (1.0 - np.sign(self._best.margins)) / 2.0
        relaxation.add_cycles(violated_cycles(cheapest, self._margins, self.deadline))
        return relaxation

    def _engine(self) -> Relaxation:
        return Relaxation(self.problem)

    def _rounds(self, relaxation: Relaxation) -> Tightening:
        is_first = self._n_expanded == 0
        return CycleTightening(relaxation, self.deadline, self._margins, is_first=is_first)

    def _weights(self) -> NDArray[Any]:
        return np.asarray(np.abs(self._best.margins))

    def _open_pairs(self, case: Bools) -> Bools:
        return np.triu(~(case | case.T), k=1)

    def _single(self, case: Bools) -> Positions:
        return np.argsort(-case.sum(axis=1))

    def warm_up(self) -> None:
        """Bound the root without a linear program; its cycles are first rows for one."""
        self.deadline.seconds_left()
        first = FirstSearch(self.problem, self._unit, self._best, self.deadline, self.report)
        try:
            first.run()
        finally:
            value, weighting = first.answer()
            decided, bound = self._open[0]
            if value > bound.value:
                bound = Bound(value, weighting, np.zeros(0, dtype=np.intp))
                self._open[0] = decided, bound
                self.nodes[0] = bound.leaf()
                self.deadline = self.deadline.later(-2 * A_ROW * len(bound.weighting.triples))
                self._best.ends = self.deadline
        self._near = first.point

    def improve(self) -> None:
        """Improve the order until the deadline; the bound stays."""
        while not self.is_done:
            left = self.deadline.seconds_left()
            near, self._near = self._near, None
            if near is None:
                self._best.search_for(left / 2)
            else:
                self._best.recombine(near)
            self._best.offer(improve_windows(self.problem, self.order, self.deadline))
            self.report(self.lower, self.upper)

    def _next(self) -> int:
        at = super()._next()
        if at == 0 and self.decided is None and self.problem.n >= EARLY_FROM:
            return self._decide_early()
        return at

    def _tighten(self, at: int) -> Point | None:
        point = super()._tighten(at)
        self._n_expanded += 1
        # This costs as much as a case or two, so small searches skip it.
        if point is not None and self._n_expanded % RECOMBINE_EVERY == RECOMBINE_FIRST:
            self._best.recombine(point.before)
        return point

    def _decide_early(self) -> int:
        """Decide in the root the pairs that every optimum has; return the remaining case."""
        found = Persistence(self.problem, self.deadline.share(EARLY_SHARE))
        if found.nodes:
            _, bound = self._open[0]
            bound = replace(bound, value=Proof.least(self.problem, bound.weighting, found.known))
            self.nodes = [*found.nodes, bound.leaf()]
            self._open = {len(found.nodes): (found.known, bound)}
            if (found.known | found.known.T).sum() == self.problem.n * (self.problem.n - 1):
                self._best.offer(np.argsort(-found.known.sum(axis=1)))
        return len(found.nodes)


def solve_cuts(task: Task) -> Solution:
    """Solve one part, with a warm start if there are related problems."""
    return _searched(task) if task.warm is None else _solve_warm(task, task.warm)


def _searched(task: Task, relaxation: Relaxation | None = None) -> Solution:
    """Solve one part by cuts and branch and bound."""
    problem, start = task.problem, task.start

    def begin() -> Search:
        if problem.n >= LONG_TO_BEGIN:
            task.deadline.seconds_left()
        return Search(problem, task.deadline, task.report, start=start, relaxation=relaxation)

    def run(search: Search) -> Solution | None:
        if problem.n >= FIRST_ORDER and relaxation is None:
            search.warm_up()
        if problem.n >= NO_PROGRAM and task.deadline.time_limit is not None:
            search.improve()
        if problem.n <= ENUMERABLE:
            search.run(cases=ENUMERATE_FROM)
            left = task.deadline.time_limit  # for two enumerations: the certificate takes another
            has_time = left is None or left > 2 * A_SUBSET * 2**problem.n
            if has_time and not search.is_done:
                return enumerated(task)
        search.run()
        return None

    def first() -> Positions:
        return heuristics.starting_orders(problem.margins)[0] if start is None else start

    return searched(begin, first, run)


def enumerated(task: Task) -> Solution:
    """Return the best of all orders, within about two seconds."""
    table = SubsetTable(task.problem)
    return Solution(table.order(), (Enumeration(),), lower=table.cost + task.problem.constant)


def _solve_warm(task: Task, warm: Warm) -> Solution:
    """Solve one part with cycles from related problems."""
    n = task.problem.n
    if n <= TABLE_UP_TO:
        return enumerated(task)
    if n > LARGE:
        return _searched(task)
    root = _Root(task)
    with until_stopped() as stop:
        root.run(warm)
    if root.is_done or stop.out_of_time or stop.by_user:
        return root.solution(interrupted=stop.by_user)
    return _searched(replace(task, start=root.order), root.relaxation)


class _Root:
    """The case of all orders of a part."""

    def __init__(self, task: Task) -> None:
        self._problem, self._deadline, self._report = task.problem, task.deadline, task.report
        self._margins = task.problem.margins.astype(np.float64)
        self._none = np.zeros(self._margins.shape, dtype=bool)
        self._bound = unweighted(task.problem, self._none)
        first = task.start
        self.order = heuristics.starting_orders(self._margins)[0] if first is None else first
        self._cost: int = task.problem.cost(self.order)
        self.relaxation: Relaxation | None = None

    @property
    def is_done(self) -> bool:
        """Whether the order is proved."""
        return self._bound.value >= self._cost

    def solution(self, *, interrupted: bool) -> Solution:
        """Return the order with its bound."""
        rows = (self._bound.leaf(),)
        return Solution(self.order, rows, interrupted=interrupted, lower=self._bound.value)

    def run(self, warm: Warm) -> None:
        """Add cycles until the order is proved, none is violated, or the rounds are over."""
        self._deadline.seconds_left()
        self._offer(self.order)
        cheapest = (1.0 - np.sign(self._margins)) / 2.0
        first = violated_cycles(cheapest, self._margins, self._deadline)
        cycles = _with_learned(first, cheapest, warm)
        relaxation = self.relaxation = Relaxation(self._problem, warm.live)
        for _ in range(ROUNDS):
            relaxation.add_cycles(cycles)
            point = relaxation.solve(self._deadline)
            weighting = relaxation.weighting(point)
            value = Proof.least(self._problem, weighting, self._none)
            if value >= self._bound.value:
                self._bound = Bound(value, weighting, point.rows)
            if not self.is_done:
                self._offer(np.argsort(-point.before.sum(axis=1), kind="stable"))
            self._report(min(self._bound.value, self._cost), self._cost)
            if self.is_done:
                break
            cycles = violated_cycles(point.before, self._margins, self._deadline)
            if len(cycles) == 0:
                break
        warm.learn(self._bound.used()[0])

    def _offer(self, order: Positions) -> None:
        """Improve an order by moves of single items, and keep it if it is the best so far."""
        better = heuristics.improve(self._margins, order, self._deadline)
        cost = self._problem.cost(better)
        if cost < self._cost:
            self.order, self._cost = better, cost


def _with_learned(new: Cycles, cheapest: Floats, warm: Warm) -> Cycles:
    """Return new cycles, and learned ones that the cheaper directions of pairs violate."""
    known = warm.cycles
    a, b, c = known.T
    known = known[cheapest[a, b] + cheapest[b, c] + cheapest[c, a] < 1.0]
    n = len(cheapest)
    numbers = np.array([n * n, n, 1])
    return np.concatenate([new, known[~np.isin(known @ numbers, new @ numbers)]])
