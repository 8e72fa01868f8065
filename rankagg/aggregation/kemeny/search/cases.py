"""The open cases of a search, several at a time in processes of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools
from rankagg.aggregation.deadline import Deadline, until_stopped
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.processes import LOST, in_processes
from rankagg.aggregation.kemeny.proofs.rows import Derived, compact
from rankagg.aggregation.kemeny.relaxation.cbc import relaxation_of
from rankagg.aggregation.kemeny.search.bounds import Bound, Found
from rankagg.aggregation.kemeny.search.branch_and_bound import Search

__all__ = ["run_together"]

# Cases differ in the time that they take, so there are some for each process.
CASES_PER_JOB = 4


@dataclass(frozen=True, eq=False)
class Case:
    """What a process needs to know of a case.

    Attributes
    ----------
    problem : Problem
        The part.
    decided : ndarray of bool, shape (n, n)
        What the case has decided.
    cycles : ndarray of int, shape (m, 3)
        First rows.
    rows : tuple of Derived
        More first rows, which use each other only.
    order : ndarray of int
        The best order so far.
    upper : int
        Its cost.
    deadline : Deadline
        When to stop.
    """

    problem: Problem
    decided: Bools
    cycles: NDArray[np.intp]
    rows: tuple[Derived, ...]
    order: NDArray[np.intp]
    upper: int
    deadline: Deadline


def run_together(search: Search, n_jobs: int, notes: list[str]) -> None:
    """Run a search to its end; its cases are searched in processes once there are enough.

    Parameters
    ----------
    search : Search
        The search.
    n_jobs : int
        Processes that joblib starts; -1 for all cores. Where one is lost, the search goes on
        without any.
    notes : list of str
        What the reader of the result must know is added.

    Raises
    ------
    OutOfTimeError, KeyboardInterrupt
        If it has to stop before; the state stays valid.
    """
    from joblib import cpu_count  # noqa: PLC0415 - only where it is used

    jobs = cpu_count() if n_jobs == -1 else n_jobs
    search.run(cases=CASES_PER_JOB * jobs)
    if search.is_done:
        return
    cases = {at: _case(search, *case) for at, case in search.open_cases.items()}
    found = in_processes(_solve, cases.values(), jobs)
    if found is None:
        notes.append(LOST)
        search.run()
        return
    for at, what in zip(cases, found, strict=True):
        search.close(at, what)
    search.report(search.lower, search.upper)
    search.deadline.seconds_left()


def _case(search: Search, decided: Bools, bound: Bound) -> Case:
    cycles, used = bound.used()
    rows, _ = compact(search.rows, used.tolist())
    return Case(search.problem, decided, cycles, rows, search.order, search.upper, search.deadline)


def _solve(case: Case) -> Found:
    relaxation = relaxation_of(case.problem)
    relaxation.add_cycles(case.cycles)
    relaxation.derive(case.rows)
    search = Search(
        case.problem, case.deadline, start=case.order, decided=case.decided,
        relaxation=relaxation, cutoff=case.upper,
    )  # fmt: skip
    with until_stopped() as stop:
        search.run()
    if stop.by_user:
        raise KeyboardInterrupt
    return Found(search.order, search.nodes, search.rows, search.lower, search.is_done)
