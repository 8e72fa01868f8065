"""The default backend: cuts, then branch and bound, warm where problems are related.

Small parts are solved by dynamic programming over subsets. Larger ones begin with the cycles that
counted in related problems, and mostly end at a bound without any search. The others go on to
branch and bound with the rows and the order that were found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankagg._typing import Bools, Floats, Positions
from rankagg.aggregation.deadline import Deadline, until_stopped
from rankagg.aggregation.kemeny import orders as heuristics
from rankagg.aggregation.kemeny.branch_and_bound import Bound, FoundInCase, Search, unweighted
from rankagg.aggregation.kemeny.parts import PROCESS_LOST, Solution, Task, WarmPart, in_processes
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import leaf_bound
from rankagg.aggregation.kemeny.proof_nodes import compact
from rankagg.aggregation.kemeny.pulp_programs import CbcRelaxation, relaxation_of
from rankagg.aggregation.kemeny.relaxation import Cycles, HighsRelaxation, Relaxation, why_not_highs
from rankagg.aggregation.kemeny.subset_dp import ENUMERABLE, SubsetTable
from rankagg.aggregation.kemeny.violated_rows import violated_cycles
from rankagg.check_certificate import Derived, Enumeration, Leaf

# Cases differ in the time that they take, so there are some for each process.
CASES_PER_JOB = 4
# A search among so many items takes seconds to begin, which a limit may not have left.
LONG_TO_BEGIN = 2000
# So many open cases of few items: rows are weak there, and all orders are searched as soon.
ENUMERATE_FROM = 16
A_SUBSET = 2e-6  # seconds that a set of items takes then
# Parts of so many items take less time by dynamic programming, and so do their proofs.
TABLE_UP_TO = 10


@dataclass(frozen=True, eq=False)
class _OpenCase:
    """What a process needs to know of a case."""

    problem: Problem
    # Shape (n, n). What the case has decided.
    decided: Bools
    # Shape (m, 3). First rows.
    cycles: Positions
    # More first rows, which use each other only.
    rows: tuple[Derived, ...]
    # The best order so far.
    order: Positions
    upper: int
    deadline: Deadline


def _run_together(search: Search, n_jobs: int, notes: list[str]) -> None:
    """Run a search to its end; its cases are searched in processes once there are enough."""
    from joblib import cpu_count  # noqa: PLC0415 - only where it is used

    jobs = cpu_count() if n_jobs == -1 else n_jobs
    search.run(cases=CASES_PER_JOB * jobs)
    if search.is_done:
        return
    cases = {at: _case(search, *case) for at, case in search.open_cases.items()}
    found = in_processes(_search_elsewhere, cases.values(), jobs)
    if found is None:
        notes.append(PROCESS_LOST)
        search.run()
        return
    for at, what in zip(cases, found, strict=True):
        search.close(at, what)
    search.report(search.lower, search.upper)
    search.deadline.seconds_left()


def _case(search: Search, decided: Bools, bound: Bound) -> _OpenCase:
    cycles, used = bound.used()
    rows, _ = compact(search.rows, used.tolist())
    best = search.order, search.upper
    return _OpenCase(search.problem, decided, cycles, rows, *best, search.deadline)


def _search_elsewhere(case: _OpenCase) -> FoundInCase:
    relaxation = relaxation_of(case.problem)
    relaxation.add_cycles(case.cycles)
    relaxation.derive(case.rows)
    known: dict[str, Any] = {"start": case.order, "decided": case.decided, "cutoff": case.upper}
    search = Search(case.problem, case.deadline, relaxation=relaxation, **known)
    with until_stopped() as stop:
        search.run()
    if stop.by_user:
        raise KeyboardInterrupt
    return FoundInCase(search.order, search.nodes, search.rows, search.lower, search.is_done)


# From so many items on, rows without a solver are worth their time; and from so many on, no linear
# program is begun that a time limit would stop.
FIRST_ORDER, NO_PROGRAM = 70, 300


def solve_cuts(task: Task) -> Solution:
    """Solve one part, by what is known of related problems where there is such."""
    return _searched(task) if task.warm is None else _solve_warm(task, task.warm)


def _searched(task: Task, relaxation: Relaxation | None = None) -> Solution:
    """Solve one part by cuts and branch and bound."""
    begun: list[Search] = []
    notes: list[str] = []
    with until_stopped() as stop:
        if task.problem.n >= LONG_TO_BEGIN:
            task.deadline.seconds_left()
        begun.append(
            Search(
                task.problem, task.deadline, task.report, start=task.start, relaxation=relaxation
            )
        )
        if task.problem.n >= FIRST_ORDER and relaxation is None:
            begun[0].warm_up()
        if task.problem.n >= NO_PROGRAM and task.deadline.time_limit is not None:
            begun[0].improve()
        if task.problem.n <= ENUMERABLE:
            begun[0].run(cases=ENUMERATE_FROM)
            if not begun[0].is_done and _has_time(task):
                return enumerated(task)
        if task.n_jobs == 1:
            begun[0].run()
        else:
            _run_together(begun[0], task.n_jobs, notes)
    if not begun:
        return Solution(_first_order(task), (Leaf(),), interrupted=stop.by_user)
    if isinstance(begun[0].relaxation, CbcRelaxation):
        notes.append(f"solved by PuLP's CBC, which takes longer: {why_not_highs()}")
    return begun[0].solution(interrupted=stop.by_user, notes=tuple(notes))


def _has_time(task: Task) -> bool:
    """Say whether all orders can be searched, now and for the certificate, before the deadline."""
    left = task.deadline.time_limit
    return left is None or left > 2 * A_SUBSET * 2**task.problem.n


def enumerated(task: Task) -> Solution:
    """Return the best of all orders, which takes a second or two at most."""
    table = SubsetTable(task.problem)
    return Solution(table.order(), (Enumeration(),), lower=table.cost + task.problem.constant)


def _first_order(task: Task) -> Positions:
    """Return an order that takes no time."""
    if task.start is not None:
        return task.start
    return heuristics.starting_orders(task.problem.margins)[0]


# More items are worth what branch and bound does before its first relaxation, and more rounds are
# worth what it does after that.
LARGE, ROUNDS = 150, 20


def _solve_warm(task: Task, warm: WarmPart) -> Solution:
    """Solve one part by what is known of related problems."""
    n = task.problem.n
    if n <= TABLE_UP_TO:
        return enumerated(task)
    if n > LARGE or why_not_highs() is not None:
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
        self.relaxation: HighsRelaxation | None = None

    @property
    def is_done(self) -> bool:
        """Whether the order is proved."""
        return self._bound.value >= self._cost

    def solution(self, *, interrupted: bool) -> Solution:
        """Return the order with its bound."""
        rows = (self._bound.leaf(),)
        return Solution(self.order, rows, interrupted=interrupted, lower=self._bound.value)

    def run(self, warm: WarmPart) -> None:
        """Add cycles until the order is proved, none is violated, or it has taken long enough."""
        self._deadline.seconds_left()
        self._offer(self.order)
        cheapest = (1.0 - np.sign(self._margins)) / 2.0
        first = violated_cycles(cheapest, self._margins, self._deadline)
        cycles = _with_known(first, cheapest, warm)
        relaxation = self.relaxation = HighsRelaxation(self._problem, warm.live)
        for _ in range(ROUNDS):
            relaxation.add_cycles(cycles)
            point = relaxation.solve(self._deadline)
            weighting = relaxation.weighting(point)
            value = leaf_bound(self._problem, weighting, self._none)
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


def _with_known(new: Cycles, cheapest: Floats, warm: WarmPart) -> Cycles:
    """Return new cycles, and known ones that are violated by the cheaper way of each pair."""
    known = warm.cycles
    a, b, c = known.T
    known = known[cheapest[a, b] + cheapest[b, c] + cheapest[c, a] < 1.0]
    n = len(cheapest)
    numbers = np.array([n * n, n, 1])
    return np.concatenate([new, known[~np.isin(known @ numbers, new @ numbers)]])
