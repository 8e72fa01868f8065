"""One part after the other, or several at a time in processes of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.processes import LOST, in_processes
from rankagg.aggregation.kemeny.progress import Progress
from rankagg.aggregation.kemeny.proofs.proof import Proof
from rankagg.aggregation.kemeny.search.warm import Warm, WarmPart
from rankagg.aggregation.kemeny.solution import Backend, Solution, Task, silent

__all__ = ["Solved", "solve_parts"]

Part = NDArray[np.intp]

# Smaller parts take less time than a process.
WORTH_A_PROCESS = 30


@dataclass(frozen=True, eq=False)
class Solved:
    """What came of all parts.

    Attributes
    ----------
    order : ndarray of int
        Positions of all items, best first.
    proofs : tuple of Proof
        One per part of two items or more.
    notes : tuple of str
        What the reader of the result must know.
    interrupted : bool
        True where the user stopped it.
    """

    order: NDArray[np.intp]
    proofs: tuple[Proof, ...]
    notes: tuple[str, ...]
    interrupted: bool


def solve_parts(
    problem: Problem,
    parts: Sequence[Part],
    backend: Backend,
    progress: Progress,
    deadline: Deadline,
    *,
    start: NDArray[np.intp] | None = None,
    n_jobs: int = 1,
    decided: Bools | None = None,
    warm: Warm | WarmPart | None = None,
) -> Solved:
    """Solve the parts of a problem, which follow each other in some optimum.

    Parameters
    ----------
    problem : Problem
        The problem of all items.
    parts : sequence of ndarray of int
        Positions, in the order of the parts.
    backend : Backend
        What solves a part.
    progress : Progress
        What is told of the bounds.
    deadline : Deadline
        When to stop; parts that are left then get a quick order each.
    start : ndarray of int, optional
        An order of all items that is likely to be good.
    n_jobs : int, default 1
        Processes that joblib starts for large parts.
    decided : ndarray of bool, shape (n, n), optional
        Pairs that constraints decide, closed under transitivity.
    warm : Warm or WarmPart, optional
        What is known from related problems.

    Returns
    -------
    Solved
    """
    tasks = []
    for part in parts:
        if len(part) > 1:
            inside = problem.restrict(part)
            held = None if decided is None else decided[np.ix_(part, part)]
            report, near = progress.of_part(inside), _within(start, part)
            known = None if warm is None else warm.within(part)
            tasks.append(Task(inside, deadline, report, near, n_jobs, held, known))
    order: list[int] = []
    proofs: list[Proof] = []
    notes: list[str] = []
    interrupted = False
    apart = _solved_apart(tasks, backend, n_jobs)
    if apart is None:
        notes.append(LOST)
    solutions = _solutions(tasks, backend, progress, apart or {})
    for part in parts:
        if len(part) == 1:
            order.append(int(part[0]))
            continue
        solution = next(solutions)
        interrupted = interrupted or solution.interrupted
        notes += [note for note in solution.notes if note not in notes]
        order += part[solution.order].tolist()
        proofs.append(solution.proof(part))
    return Solved(np.array(order, dtype=np.intp), tuple(proofs), tuple(notes), interrupted)


def _solved_apart(tasks: list[Task], backend: Backend, n_jobs: int) -> dict[int, Solution] | None:
    """Return the solutions of large tasks, by their `id`; None where a process was lost."""
    large = [task for task in tasks if task.problem.n >= WORTH_A_PROCESS]
    if n_jobs == 1 or len(large) < 2:
        return {}
    # A process of its own says nothing on its way, and starts no others.
    alone = [replace(task, report=silent, n_jobs=1, warm=None) for task in large]
    found = in_processes(backend, alone, n_jobs)
    if found is None:
        return None
    return {id(task): solution for task, solution in zip(large, found, strict=True)}


def _solutions(
    tasks: list[Task], backend: Backend, progress: Progress, apart: dict[int, Solution]
) -> Iterator[Solution]:
    """Yield the solutions of tasks in their order; those that are known are `apart`."""
    stopped = False
    for task in tasks:
        solution = apart.get(id(task))
        if solution is None:
            solution = backend(replace(task, deadline=Deadline.after(0)) if stopped else task)
        progress.close_part(task.problem, task.problem.cost(solution.order), solution.lower)
        stopped = stopped or solution.interrupted or progress.is_stopped
        yield solution


def _within(start: NDArray[np.intp] | None, part: Part) -> NDArray[np.intp] | None:
    """Return the order that a part's items have in an order of all, as positions in the part."""
    if start is None:
        return None
    return np.argsort(np.argsort(start)[part])
