"""Best-first branch and bound over the relaxation, for one part of a problem.

Cases are solved in the order of their bounds. In each, rows are added until none is violated or
progress stalls; every point is rounded to an order and improved; the case is closed when its
*exact* bound, recomputed in integers from the rounded duals, reaches the best order's cost. What
remains is decided at the pair that is most undecided.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Integers
from rankagg.aggregation.kemeny import heuristics
from rankagg.aggregation.kemeny.cuts import Point, Relaxation, unit_of, violated_cycles
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import Branch, Leaf, Node, decide, leaf_bound, round_weights
from rankagg.aggregation.kemeny.solution import (
    Deadline,
    OutOfTimeError,
    Report,
    Solution,
    Task,
    silent,
    until_stopped,
)

__all__ = ["Search", "solve_cuts"]

ROWS_PER_ITEM = 40
STALL_ROUNDS = 6
STALL_SHARE = 0.02
KICKS = 12
KICK_EVERY = 20
SEED = 0


@dataclass(frozen=True, eq=False)
class Bound:
    """What a case is known to cost at least, and by which weighted cycles."""

    value: int
    cycles: NDArray[np.intp]
    weights: Integers

    def leaf(self) -> Leaf:
        used = np.flatnonzero(self.weights > 0)
        return Leaf(
            tuple((a, b, c) for a, b, c in self.cycles[used].tolist()),
            tuple(int(weight) for weight in self.weights[used]),
        )


@dataclass
class Search:
    """The state of a search; `run` continues it until it is done or the deadline has passed.

    Attributes
    ----------
    problem : Problem
        One part: at least two items.
    start : ndarray of int, shape (n,), optional
        An order that is likely to be good, instead of those that the votes suggest.
    decided : ndarray of bool, shape (n, n), optional
        Pairs (row before column) that every order must respect, closed under transitivity.
    relaxation : Relaxation, optional
        One of the same problem whose rows are used again.
    order : ndarray of int
        The best order so far, as positions.
    upper, lower : int
        Its cost, and what no order costs less than, in the units of `Problem.costs`.
    nodes : list of Leaf or Branch
        The tree of cases; open ones are leaves with the bound of their parent.
    """

    problem: Problem
    deadline: Deadline = field(default_factory=Deadline)
    report: Report = silent
    start: NDArray[np.intp] | None = None
    decided: Bools | None = None
    relaxation: Relaxation | None = None
    order: NDArray[np.intp] = field(init=False)
    upper: int = field(init=False)
    nodes: list[Node] = field(init=False)

    def __post_init__(self) -> None:
        n = self.problem.n
        if self.decided is None:
            self.decided = np.zeros((n, n), dtype=bool)
        self._unit = unit_of(self.problem)
        self._margins = self._biased_margins(self.decided)
        self._rng = np.random.default_rng(SEED)
        # The first offer must be sound: an order that respects what is decided.
        near = heuristics.starting_orders(self._margins)[0] if self.start is None else self.start
        self.order = _extension(self.decided, near)
        self.upper = self.problem.cost(self.order)
        self._last_rounded: NDArray[np.intp] | None = None
        candidates = (
            heuristics.starting_orders(self._margins) if self.start is None else [self.start]
        )
        for candidate in (self.order, *candidates):
            self._offer(candidate)
        self.nodes = [Leaf()]
        nothing = Bound(0, np.empty((0, 3), dtype=np.intp), np.zeros(0, dtype=np.int64))
        floor = leaf_bound(self.problem, nothing.cycles, nothing.weights, self.decided)
        # Bounds of the open cases, as a heap of (value, node), and what each case has decided.
        self._open: list[tuple[int, int]] = [(floor, 0)]
        self._cases: dict[int, tuple[Bools, Bound]] = {
            0: (self.decided, Bound(floor, nothing.cycles, nothing.weights))
        }
        self._closed = self.upper

    def _biased_margins(self, decided: Bools) -> Floats:
        """Return margins for the heuristics, in which no decided pair is worth turning round."""
        margins: Floats = (self.problem.margins / self._unit).astype(np.float64)
        penalty = float(np.abs(margins).sum()) + 1.0
        margins[decided] = -penalty
        margins[decided.T] = penalty
        return margins

    @property
    def lower(self) -> int:
        """What no order of the part costs less than."""
        return min([self.upper, self._closed, *(b.value for _, b in self._cases.values())])

    @property
    def is_done(self) -> bool:
        """True where the best order is proved."""
        return self.lower >= self.upper

    # -- the loop -----------------------------------------------------------------------------

    def run(self, *, until: int | None = None, known: int | None = None) -> None:
        """Search until the best order is proved.

        Parameters
        ----------
        until : int, optional
            Stop once no order costs less than this.
        known : int, optional
            A bound that is known already: stop at an order that reaches it.

        Raises
        ------
        OutOfTimeError, KeyboardInterrupt
            If it has to stop before; the state stays valid.
        """
        while self._open and not self.is_done:
            if until is not None and self.lower >= until:
                return
            if known is not None and self.upper <= known:
                return
            self._expand()

    def _expand(self) -> None:
        _, at = heapq.heappop(self._open)
        try:
            point = self._tighten(at)
        except (OutOfTimeError, KeyboardInterrupt):
            # The case stays open, with the best bound that it has reached.
            bound = self._cases[at][1]
            self.nodes[at] = bound.leaf()
            heapq.heappush(self._open, (bound.value, at))
            raise
        decided, bound = self._cases.pop(at)
        self.nodes[at] = bound.leaf()
        if point is None:
            self._closed = min(self._closed, bound.value)
            return
        if at == 0 or len(self.nodes) % KICK_EVERY == 1:
            self.kick()
        first, second = self._branching_pair(point, decided)
        before, after = len(self.nodes), len(self.nodes) + 1
        self.nodes[at] = Branch(first, second, before, after)
        for child, pair in ((before, (first, second)), (after, (second, first))):
            self.nodes.append(bound.leaf())
            case = decide(decided, *pair)
            if case is not None:
                exact = leaf_bound(self.problem, bound.cycles, bound.weights, case)
                passed = Bound(max(exact, bound.value), bound.cycles, bound.weights)
                heapq.heappush(self._open, (passed.value, child))
                self._cases[child] = (case, passed)

    def _tighten(self, at: int) -> Point | None:
        """Add rows in one case and raise its bound; return a point if it stays open."""
        decided, bound = self._cases[at]
        if bound.value >= self.upper:
            return None
        if self.relaxation is None:
            self.relaxation = Relaxation(self.problem)
        relaxation = self.relaxation
        relaxation.fix(decided)
        history: list[float] = []
        while True:
            point = relaxation.solve(self.deadline)
            self._round(point)
            bound = self._best(bound, point, decided)
            self._cases[at] = (decided, bound)
            if bound.value >= self.upper:
                return None
            violated = violated_cycles(point.before, ROWS_PER_ITEM * self.problem.n)
            if len(violated) == 0 or self._stalls(history, point):
                return point
            if history and point.value > history[-1] + 1e-6:
                relaxation.drop_slack_rows()
            history.append(point.value)
            relaxation.add_rows(violated)
            self.report(self.lower, self.upper)

    def _stalls(self, history: list[float], point: Point) -> bool:
        """Say whether the last rounds closed next to nothing of the gap."""
        if len(history) < STALL_ROUNDS or point.is_integral:
            return False
        gap = (self.upper - self.problem.floor) / self._unit - point.value
        return point.value - history[-STALL_ROUNDS] < STALL_SHARE * gap

    def _best(self, bound: Bound, point: Point, decided: Bools) -> Bound:
        assert self.relaxation is not None
        # "At most two arcs of a cycle" is "at least one arc of the reverse cycle".
        cycles = self.relaxation.cycles[:, ::-1]
        weights = round_weights(point.duals, self._unit)
        value = leaf_bound(self.problem, cycles, weights, decided)
        return Bound(value, cycles, weights) if value >= bound.value else bound

    def _branching_pair(self, point: Point, decided: Bools) -> tuple[int, int]:
        undecided = np.minimum(point.before, 1.0 - point.before)
        undecided[decided | decided.T] = -1.0
        # Among equally undecided pairs, the one that matters most.
        weight = 1e-3 * np.abs(self._margins) / max(np.abs(self._margins).max(), 1.0)
        first, second = np.unravel_index(
            np.argmax(np.triu(undecided + weight + 2.0, k=1)), undecided.shape
        )
        return int(first), int(second)

    # -- incumbents ---------------------------------------------------------------------------

    def _round(self, point: Point) -> None:
        order = np.argsort(-point.before.sum(axis=1), kind="stable")
        if self._last_rounded is not None and np.array_equal(order, self._last_rounded):
            return
        self._last_rounded = order
        self._offer(order)

    def _offer(self, order: NDArray[np.intp]) -> None:
        improved = heuristics.improve(self._margins, order)
        if self.decided is not None and np.tril(self.decided[np.ix_(improved, improved)]).any():
            return
        cost = self.problem.cost(improved)
        if cost < self.upper:
            self.order, self.upper = improved, cost

    def kick(self, times: int = KICKS) -> None:
        """Disturb the best order and improve it again, some times."""
        for _ in range(times):
            strength = max(2, self.problem.n // 20)
            self._offer(heuristics.kicked(self.order, self._rng, strength))


def _extension(decided: Bools, order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return an order that respects what is decided, near another one."""
    left = list(order)
    result = []
    while left:
        head = next(item for item in left if not any(decided[other, item] for other in left))
        left.remove(head)
        result.append(head)
    return np.array(result, dtype=np.intp)


def solve_cuts(task: Task) -> Solution:
    """Solve one part by cuts and branch and bound.

    Parameters
    ----------
    task : Task
        The part.

    Returns
    -------
    Solution
    """
    search = Search(task.problem, task.deadline, task.report, task.start)
    with until_stopped() as stop:
        search.run()
    return Solution(search.order, tuple(search.nodes), stop.by_user)
