"""Splitting a problem into parts, and solving them one after the other or in several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.problem import PairCosts, Problem
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.aggregation.kemeny.solution import Backend, Progress, Solution, Task, silent
from rankagg.aggregation.kemeny.warm import Warm, WarmPart
from rankagg.core.graphs import Parts, strong_parts

__all__ = ["LOST", "Solved", "components_of", "in_processes", "majority_components", "solve_parts"]

T = TypeVar("T")
R = TypeVar("R")

#: What the reader of a result must know where `in_processes` had no results.
LOST = "a process was lost, and its work done again by one"


def in_processes(function: Callable[[T], R], items: Iterable[T], n_jobs: int) -> list[R] | None:
    """Return what a function gives for each item; None where a process ended before its time."""
    from joblib import Parallel, delayed  # noqa: PLC0415 - only where it is used

    try:
        results: list[R] = Parallel(n_jobs=n_jobs)(delayed(function)(item) for item in items)
    except BrokenProcessPool:
        return None
    return results


# From so many items on, cuts and the part of one item are looked for in the matrix itself.
DENSE = 256


def majority_components(problem: Problem) -> list[NDArray[np.intp]]:
    """Return the strong components of the strict majority relation, best first.

    An arc goes from i to j where placing i before j is strictly cheaper. Some optimal order puts
    the components one after the other, each in an optimal order of its own; ties between
    components are free. That holds for one optimum, not for all of them.

    References
    ----------
    Truchon (1998), "An extension of the Condorcet criterion and Kemeny orders".
    """
    return components_of(problem.margins < 0)


def components_of(arcs: Bools) -> list[NDArray[np.intp]]:
    """Return the strong components of a relation, each before those that arcs lead to from it."""
    if len(arcs) < DENSE:
        return _parts(arcs, strong_parts(arcs))
    parts = []
    for block in _blocks(arcs):
        inside = arcs[np.ix_(block, block)]
        parts += [block[part] for part in _parts(inside, _dense_parts(inside))]
    return parts


def _blocks(arcs: Bools) -> list[NDArray[np.intp]]:
    """Return groups of items, each behind those that it has no arcs to: parts or more."""
    order = np.argsort(arcs.sum(axis=0) - arcs.sum(axis=1), kind="stable")
    placed = arcs[np.ix_(order, order)]
    first = np.where(placed.any(axis=1), placed.argmax(axis=1), len(order))
    # No arc leads back over a cut.
    reached = np.minimum.accumulate(first[::-1])[::-1]
    cuts = np.flatnonzero(reached >= np.arange(len(order)))
    return [np.sort(block) for block in np.split(order, cuts[cuts > 0])]


def _parts(arcs: Bools, component: Parts) -> list[NDArray[np.intp]]:
    """Return the items of each component, those above before those below."""
    members = np.argsort(component, kind="stable")
    starts = np.flatnonzero(np.diff(component[members], prepend=-1))
    if len(starts) == 1:
        return [members]
    # Arcs between components, by rows and then by columns.
    rows = np.logical_or.reduceat(arcs[members], starts, axis=0)
    between = np.logical_or.reduceat(rows[:, members], starts, axis=1)
    np.fill_diagonal(between, False)
    parts = np.split(members, starts[1:])
    return [parts[c] for c in _sorted(between)]


def _sorted(above: Bools) -> list[int]:
    """Return the nodes of a graph without circles, each behind all that are above it."""
    waits = above.sum(axis=0)
    order: list[int] = []
    while len(order) < len(above):
        ready = np.flatnonzero(waits == 0)
        order += ready.tolist()
        waits -= above[ready].sum(axis=0)
        waits[ready] = -1
    return order


def _dense_parts(arcs: Bools) -> Parts:
    """Return the strongly connected parts; quick where one of them is large.

    A part is what can be reached from one of its items and reaches it. No chain of arcs between
    other items of one part leads through it.
    """
    back = np.ascontiguousarray(arcs.T)
    middle = int(np.argmax(np.minimum(arcs.sum(axis=1), back.sum(axis=1))))
    part = _reached(arcs, middle) & _reached(back, middle)
    others = np.flatnonzero(~part)
    component: Parts = np.zeros(len(arcs), dtype=np.int32)
    if len(others):
        component[others] = 1 + strong_parts(arcs[np.ix_(others, others)])
    return component


def _reached(arcs: Bools, start: int) -> Bools:
    """Return what chains of arcs lead to from an item, and itself."""
    seen: Bools = np.zeros(len(arcs), dtype=bool)
    seen[start] = True
    new = np.array([start])
    while len(new):
        new = np.flatnonzero(arcs[new].any(axis=0) & ~seen)
        seen[new] = True
    return seen


Part = NDArray[np.intp]

# Smaller parts take less time than a process.
WORTH_A_PROCESS = 30


@dataclass(frozen=True, eq=False)
class Solved:
    """What came of all parts."""

    parts: Sequence[Part]
    # Of each part, what its solution has.
    orders: Sequence[NDArray[np.intp]]
    # One per part of two items or more.
    proofs: tuple[Any, ...]
    # What the reader of the result must know.
    notes: tuple[str, ...]
    # True where the user stopped it.
    interrupted: bool

    @property
    def order(self) -> NDArray[np.intp]:
        """The positions of all items, best first."""
        inside = zip(self.parts, self.orders, strict=True)
        return np.concatenate([part[order] for part, order in inside])

    @property
    def levels(self) -> NDArray[np.intp]:
        """A number for each item, smaller is better, where solutions are numbers of buckets."""
        above = np.cumsum([0, *map(len, self.parts)])[:-1]
        levels = np.concatenate([o + a for o, a in zip(self.orders, above, strict=True)])
        return levels[np.argsort(np.concatenate(self.parts))]


def solve_parts(
    problem: PairCosts,
    parts: Sequence[Part],
    backend: Backend,
    progress: Progress,
    deadline: Deadline,
    *,
    start: NDArray[np.intp] | None = None,
    n_jobs: int = 1,
    decided: Bools | None = None,
    warm: Warm | WarmPart | None = None,
    kind: type[Proof] = Proof,
) -> Solved:
    """Solve the parts of a problem, which follow each other in some optimum."""
    tasks = []
    for part in parts:
        if len(part) > 1:
            inside = problem.restrict(part)
            held = None if decided is None else decided[np.ix_(part, part)]
            report, near = progress.of_part(inside), _within(start, part)
            known = None if warm is None else warm.within(part)
            tasks.append(Task(inside, deadline, report, near, n_jobs, held, known))
    apart = _solved_apart(tasks, backend, n_jobs)
    notes = {LOST: None} if apart is None else {}
    solutions = _solutions(tasks, backend, progress, apart or {})
    orders, proofs, interrupted = [], [], False
    for part in parts:
        if len(part) == 1:
            orders.append(np.zeros(1, dtype=np.intp))
            continue
        solution = next(solutions)
        interrupted = interrupted or solution.interrupted
        notes |= dict.fromkeys(solution.notes)
        orders.append(solution.order)
        proofs.append(solution.proof(part, kind))
    return Solved(parts, orders, tuple(proofs), tuple(notes), interrupted)


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
