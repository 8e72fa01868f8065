"""The search among strict orders: cuts, then branch and bound, warm where problems are related.

Small parts are solved by dynamic programming over subsets. Larger ones begin with the cycles that
counted in related problems, and mostly end at a bound without any search. The others go on to
branch and bound with the rows and the order that were found. Cycles are separated first. Rows that
are half of a sum of cycles follow only when cycles no longer help, as they are dearer, and weak at
a point that violates cycles.
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

# Rounds of halved rows, after each of which cycles are closed again, and the share of what is left
# to close that they have to close: in the first case, and in others.
HALF_ROUNDS = {True: 5, False: 2}
HALF_SHARE = {True: 0.05, False: 0.1}
# Units that they have to close at least: two cases take less time than rounds that close ever less.
HALF_UNITS = 0.1
RECOMBINE_FIRST, RECOMBINE_EVERY = 3, 40
# Parts of fewer items are solved as soon; the search for what holds in every optimum ends when this
# part of the time is gone.
EARLY_FROM, EARLY_SHARE = 45, 4
# A search among so many items takes seconds to begin, which a limit may not have left.
LONG_TO_BEGIN = 2000
# So many open cases of few items: rows are weak there, and all orders are searched as soon.
ENUMERATE_FROM = 16
A_SUBSET = 2e-6  # seconds that a set of items takes then
# Parts of so many items take less time by dynamic programming, and so do their proofs.
TABLE_UP_TO = 10
# From so many items on, rows without a solver are worth their time; and from so many on, no linear
# program is begun that a time limit would stop.
FIRST_ORDER, NO_PROGRAM = 70, 300
# More items are worth what branch and bound does before its first relaxation, and more rounds are
# worth what it does after that.
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
        # The first case closes all of them, and so does one that has halved rows.
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

    # Shape (n,). An order that is likely to be good, instead of those that the votes suggest.
    start: Positions | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._margins = self.problem.margins.astype(np.float64)
        self._n_expanded = 0
        self._near: Floats | None = None  # a point that orders are sought near

    def _first_order(self, case: Bools) -> Incumbent:
        return Incumbent(self.problem, self._unit, case, self.start, self.deadline)

    def _begin(self) -> Relaxation:
        self._best.prepare()
        relaxation = self._engine()
        relaxation.meanwhile = self._best.keep_pace
        # Without rows it would put each pair the cheaper way, whatever the others do.
        cheapest = (1.0 - np.sign(self._best.margins)) / 2.0
        relaxation.add_cycles(violated_cycles(cheapest, self._margins, self.deadline))
        return relaxation

    def _engine(self) -> Relaxation:
        return Relaxation(self.problem)

    def _rounds(self, relaxation: Relaxation) -> Tightening:
        is_first = self._n_expanded == 0
        return CycleTightening(relaxation, self.deadline, self._margins, is_first=is_first)

    def _weights(self) -> NDArray[Any]:
        weights: NDArray[Any] = np.abs(self._best.margins)
        return weights

    def _open_pairs(self, case: Bools) -> Bools:
        return np.triu(~(case | case.T), k=1)

    def _single(self, case: Bools) -> Positions:
        return np.argsort(-case.sum(axis=1))

    def warm_up(self) -> None:
        """Bound the root without a linear program; its cycles are the first rows of one."""
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
        """Look for better orders until the deadline; the bound stays."""
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
        # Costs as much as a case or two, so small searches do without.
        if point is not None and self._n_expanded % RECOMBINE_EVERY == RECOMBINE_FIRST:
            self._best.recombine(point.before)
        return point

    def _decide_early(self) -> int:
        """Decide in the root what holds in every optimum; return the case that is left."""
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
    """Solve one part, by what is known of related problems where there is such."""
    return _searched(task) if task.warm is None else _solve_warm(task, task.warm)


def _searched(task: Task, relaxation: Relaxation | None = None) -> Solution:
    """Solve one part by cuts and branch and bound."""
    problem, start = task.problem, task.start

    def begin() -> Search:
        if problem.n >= LONG_TO_BEGIN:
            task.deadline.seconds_left()
        given = problem, task.deadline, task.report
        return Search(*given, start=start, relaxation=relaxation)

    def run(search: Search) -> Solution | None:
        if problem.n >= FIRST_ORDER and relaxation is None:
            search.warm_up()
        if problem.n >= NO_PROGRAM and task.deadline.time_limit is not None:
            search.improve()
        if problem.n <= ENUMERABLE:
            search.run(cases=ENUMERATE_FROM)
            if not search.is_done and _has_time(task):
                return enumerated(task)
        search.run()
        return None

    def first() -> Positions:
        return heuristics.starting_orders(problem.margins)[0] if start is None else start

    return searched(begin, first, run)


def _has_time(task: Task) -> bool:
    """Say whether all orders can be searched, now and for the certificate, before the deadline."""
    left = task.deadline.time_limit
    return left is None or left > 2 * A_SUBSET * 2**task.problem.n


def enumerated(task: Task) -> Solution:
    """Return the best of all orders, which takes a second or two at most."""
    table = SubsetTable(task.problem)
    return Solution(table.order(), (Enumeration(),), lower=table.cost + task.problem.constant)


def _solve_warm(task: Task, warm: Warm) -> Solution:
    """Solve one part by what is known of related problems."""
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
        """Add cycles until the order is proved, none is violated, or it has taken long enough."""
        self._deadline.seconds_left()
        self._offer(self.order)
        cheapest = (1.0 - np.sign(self._margins)) / 2.0
        first = violated_cycles(cheapest, self._margins, self._deadline)
        cycles = _with_known(first, cheapest, warm)
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


def _with_known(new: Cycles, cheapest: Floats, warm: Warm) -> Cycles:
    """Return new cycles, and known ones that are violated by the cheaper way of each pair."""
    known = warm.cycles
    a, b, c = known.T
    known = known[cheapest[a, b] + cheapest[b, c] + cheapest[c, a] < 1.0]
    n = len(cheapest)
    numbers = np.array([n * n, n, 1])
    return np.concatenate([new, known[~np.isin(known @ numbers, new @ numbers)]])
