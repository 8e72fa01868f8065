"""Parts of a problem that are solved one by one: tasks, solutions and progress.

Solves of related problems, such as resamples of the same rankings, share rows and the solver. A
valid row is valid for all votes on the same items, so rows used in earlier proofs are tried first.
The search starts from the consensus of the full data, which is near that of most resamples. No
proof is reused: every answer has its own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankagg._typing import Bools, Positions
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.problem import PairCosts
from rankagg.aggregation.kemeny.proof import Proof, least_first
from rankagg.check_certificate import Derived, Node

if TYPE_CHECKING:
    from rankagg.aggregation.kemeny.relaxation import Live


AnyProblem = TypeVar("AnyProblem", bound=PairCosts)
#: Cycles that are kept: the first ones used, which are used most often.
MOST = 20_000
SECONDS_BETWEEN_LINES = 1.0


@dataclass(frozen=True, eq=False)
class Solution:
    """An order of one part, and the cases that bound the cost of every order."""

    # Shape (n,). Positions within the part, best first; among weak orders, numbers of buckets.
    order: Positions
    # The tree of cases, over positions within the part.
    nodes: tuple[Node, ...]
    # The derived rows that the nodes use, and perhaps more.
    rows: tuple[Derived, ...] = ()
    # True if the user interrupted.
    interrupted: bool = False
    # Lower bound of the part in the units of `Problem.costs`, if already known; the certificate
    # recomputes it.
    lower: int | None = None


#: Called with the lower and the upper bound of a part, in the units of `Problem.costs`.
Report = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Task:
    """One part for a backend to solve, with its limits and starting information."""

    # A part of at least two items.
    problem: Any
    # When to stop with the best order so far.
    deadline: Deadline = field(default_factory=Deadline)
    # Called when the bounds change.
    report: Report = lambda lower, upper: None
    # Shape (n,). An order that is likely to be good, as positions within the part.
    start: Positions | None = None
    # Shape (n, n). Pairs (row before column) that constraints decide, closed under transitivity;
    # None without constraints.
    decided: Bools | None = None
    # Rows from related problems of the same items.
    warm: Warm | None = None


#: Solves one part.
Backend = Callable[[Task], Solution]


@dataclass(frozen=True)
class Effort:
    """Limits of an exact rule."""

    deadline: Deadline
    # The note on a missing proof, unless the user interrupted.
    unproved: str = "not proved optimal in time"

    def with_problem(self, make_problem: Callable[[], AnyProblem]) -> tuple[AnyProblem, Effort]:
        """Return a problem, and the effort less the time reserved for the certificate."""
        began = monotonic()
        problem = make_problem()
        _ = problem.floor
        # The certificate and its check take about ten times as long.
        return problem, replace(self, deadline=self.deadline.later(-10 * (monotonic() - began)))


class _Progress:
    """Logged bounds on the total cost, given those of the part being solved."""

    def __init__(self, problem: PairCosts) -> None:
        self._problem = problem
        # Lower and upper bounds of the parts solved so far, above their floors.
        self._proved = self._above = 0
        self._start = self._last_line = monotonic()

    def part_report(self, part: PairCosts) -> Report:
        """Return the function that a backend calls with the bounds of one part."""

        def report(lower: int, upper: int) -> None:
            now = monotonic()
            if now - self._last_line < SECONDS_BETWEEN_LINES:
                return
            self._last_line = now
            floor = self._problem.floor - part.floor
            best, bound = floor + self._above + upper, floor + self._proved + lower
            logging.getLogger("rankagg.kemeny").info(
                "bound %.10g, best %.10g, gap %.3f %%, %.0f s (part of %d items)",
                self._problem.in_votes(bound),
                self._problem.in_votes(best),
                100 * (best - bound) / best if best else 0.0,
                now - self._start,
                part.n,
            )

        return report

    def close_part(self, part: PairCosts, cost: int, lower: int | None) -> None:
        """Add the cost of a finished part, and its lower bound if known."""
        self._above += cost - part.floor
        if lower is not None:
            self._proved += lower - part.floor


Cycles = Positions


class _Learned:
    """Cycles over all items from proofs of related problems, and a shared solver."""

    def __init__(self, numbers: Iterable[int] = (), cycles: Cycles | None = None) -> None:
        self.numbers = set(numbers)
        self.cycles = np.zeros((0, 3), dtype=np.intp) if cycles is None else cycles
        self.live: Live | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the solver; each process has its own."""
        return self.__dict__ | {"live": None}


class Warm:
    """Cycles of some items from related problems; positions are within these items."""

    def __init__(
        self, n: int, part: Positions | None = None, learned: _Learned | None = None
    ) -> None:
        self._n = n
        self._part = np.arange(n) if part is None else part
        self._learned = learned or _Learned()

    @classmethod
    def of(cls, n: int, proofs: Iterable[Proof]) -> Warm:
        """Return the cycles that proofs about n items use."""
        warm = cls(n)
        used = chain.from_iterable(leaf.triples for proof in proofs for leaf in proof.leaves())
        cycles = np.array(list(used), dtype=np.intp).reshape(-1, 3)
        warm.learn(np.unique(least_first(cycles), axis=0))
        return warm

    def fork(self) -> Warm:
        """Return an independent copy that shares the solver."""
        other = _Learned(self._learned.numbers, self._learned.cycles)
        other.live = self._learned.live
        return Warm(self._n, self._part, other)

    def within(self, part: Positions) -> Warm:
        """Return the view of some of the items."""
        return Warm(self._n, self._part[part], self._learned)

    @property
    def live(self) -> Live:
        """The shared solver."""
        from rankagg.aggregation.kemeny.relaxation import Live  # noqa: PLC0415 - solvers load late

        if self._learned.live is None:
            self._learned.live = Live()
        return self._learned.live

    @property
    def cycles(self) -> Cycles:
        """The learned cycles among the items, the least position of each first."""
        where = np.full(self._n, -1)
        where[self._part] = np.arange(len(self._part))
        cycles = where[self._learned.cycles]
        return np.asarray(cycles[cycles.min(axis=1, initial=0) >= 0])

    def learn(self, cycles: Cycles) -> None:
        """Keep cycles that a proof used, given with their least position first."""
        learned, cycles = self._learned, self._part[cycles]
        numbers = (cycles @ np.array([self._n**2, self._n, 1])).tolist()
        new = [at for at, number in enumerate(numbers) if number not in learned.numbers]
        new = new[: MOST - len(learned.numbers)]
        if new:
            learned.numbers.update(numbers[at] for at in new)
            learned.cycles = np.concatenate([learned.cycles, cycles[new]])


@dataclass(frozen=True, eq=False)
class _SolvedParts:
    """The solutions of all parts."""

    parts: Sequence[Positions]
    # The order of each solution.
    orders: Sequence[Positions]
    # One per part of two items or more.
    proofs: tuple[Any, ...]
    # True if the user interrupted.
    interrupted: bool

    @property
    def order(self) -> Positions:
        """The positions of all items, best first."""
        inside = zip(self.parts, self.orders, strict=True)
        return np.concatenate([part[order] for part, order in inside])

    @property
    def levels(self) -> Positions:
        """A number for each item, smaller is better, if solutions are numbers of buckets."""
        above = np.cumsum([0, *map(len, self.parts)])[:-1]
        levels = np.concatenate([o + a for o, a in zip(self.orders, above, strict=True)])
        return levels[np.argsort(np.concatenate(self.parts))]


def solve_parts(
    problem: PairCosts,
    parts: Sequence[Positions],
    backend: Backend,
    effort: Effort,
    *,
    start: Positions | None = None,
    decided: Bools | None = None,
    warm: Warm | None = None,
    kind: type[Proof] = Proof,
) -> _SolvedParts:
    """Solve the parts of a problem, which follow each other in some optimum."""
    progress, deadline = _Progress(problem), effort.deadline
    orders, proofs, interrupted = [], [], False
    for part in parts:
        if len(part) == 1:
            orders.append(np.zeros(1, dtype=np.intp))
            continue
        inside = problem.restrict(part)
        task = Task(
            inside,
            Deadline.after(0) if interrupted else deadline,
            progress.part_report(inside),
            None if start is None else np.argsort(np.argsort(start)[part]),
            None if decided is None else decided[np.ix_(part, part)],
            None if warm is None else warm.within(part),
        )
        solution = backend(task)
        progress.close_part(inside, inside.cost(solution.order), solution.lower)
        interrupted = interrupted or solution.interrupted
        orders.append(solution.order)
        proofs.append(kind.of_part(part, solution.nodes, solution.rows))
    return _SolvedParts(parts, orders, tuple(proofs), interrupted)
