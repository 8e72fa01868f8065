"""The default backend: a first answer without a solver, then cuts and branch and bound."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg.aggregation.deadline import until_stopped
from rankagg.aggregation.kemeny.orders import heuristics
from rankagg.aggregation.kemeny.proofs.nodes import Enumeration, Leaf
from rankagg.aggregation.kemeny.relaxation.cbc import CbcRelaxation
from rankagg.aggregation.kemeny.relaxation.highs import why_not_highs
from rankagg.aggregation.kemeny.relaxation.relaxation import Relaxation
from rankagg.aggregation.kemeny.search.branch_and_bound import Search
from rankagg.aggregation.kemeny.search.cases import run_together
from rankagg.aggregation.kemeny.solution import Solution, Task
from rankagg.aggregation.kemeny.subset_dp import LARGEST, SubsetTable

__all__ = ["solve_cuts"]

# From so many items on, rows without a solver are worth their time; and from so many on, no linear
# program is begun that a time limit would stop.
FIRST_ORDER, NO_PROGRAM = 70, 300

# So many open cases of few items: rows are weak there, and all orders are searched as soon.
HOPELESS = 16
A_SUBSET = 2e-6  # seconds that a set of items takes then


def solve_cuts(task: Task, relaxation: Relaxation | None = None) -> Solution:
    """Solve one part by cuts and branch and bound.

    Parameters
    ----------
    task : Task
        The part.
    relaxation : Relaxation, optional
        One of the same part, with rows.

    Returns
    -------
    Solution
    """
    begun: list[Search] = []
    notes: list[str] = []
    with until_stopped() as stop:
        begun.append(
            Search(task.problem, task.deadline, task.report, task.start, relaxation=relaxation)
        )
        if task.problem.n >= FIRST_ORDER and relaxation is None:
            begun[0].warm_up()
        if task.problem.n >= NO_PROGRAM and task.deadline.time_limit is not None:
            begun[0].improve()
        if task.problem.n <= LARGEST:
            begun[0].run(cases=HOPELESS)
            if not begun[0].is_done and _has_time(task):
                return _enumerated(task)
        if task.n_jobs == 1:
            begun[0].run()
        else:
            run_together(begun[0], task.n_jobs, notes)
    if not begun:
        return Solution(_first_order(task), (Leaf(),), interrupted=stop.by_user)
    if isinstance(begun[0].relaxation, CbcRelaxation):
        notes.append(f"solved by PuLP's CBC, which takes longer: {why_not_highs()}")
    search = begun[0]
    return Solution(
        search.order, tuple(search.nodes), tuple(search.rows), stop.by_user, tuple(notes),
        search.lower,
    )  # fmt: skip


def _has_time(task: Task) -> bool:
    """Say whether all orders can be searched, now and for the certificate, before the deadline."""
    left = task.deadline.time_limit
    return left is None or left > 2 * A_SUBSET * 2**task.problem.n


def _enumerated(task: Task) -> Solution:
    """Return the best of all orders, which takes a second or two at most."""
    order = SubsetTable(task.problem).order()
    return Solution(order, (Enumeration(),), lower=task.problem.cost(order))


def _first_order(task: Task) -> NDArray[np.intp]:
    """Return an order that takes no time."""
    if task.start is not None:
        return task.start
    return heuristics.starting_orders(task.problem.margins.astype(np.float64))[0]
