"""Branch and bound among weak orders, for one part of a problem.

In each case, rows are added until none is violated or progress stalls; every point is rounded to a
weak order and improved; the case is closed when its *exact* bound, recomputed in integers from the
rounded duals, reaches the best cost. If it stays open, statements whose opposite would reach that
cost are fixed, and what remains is decided at a statement "i is not below j" for which both answers
raise the bound. The next case is a child of the last one, for which the relaxation is warm, or
else the open case with the least bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.weak_orders import Incumbent
from rankagg.aggregation.kemeny.weak_problem import WeakProblem
from rankagg.aggregation.kemeny.weak_proof import (
    Branch,
    Fixing,
    Known,
    Leaf,
    Node,
    fixed_below,
    leaf_bound,
    learn,
    nothing,
    round_weights,
)
from rankagg.aggregation.kemeny.weak_relaxation import Point, Relaxation, unit_of, violated_rows

__all__ = ["WeakSearch"]

ROWS_PER_ITEM = 40
STALL_ROUNDS = 3
STALL_SHARE = 0.1
PROBES = 6
UNDECIDED = 0.05

NO_ROWS: NDArray[np.intp] = np.empty((0, 3), dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Bound:
    """What a case is known to cost at least, and by which weighted rows."""

    value: int
    rows: NDArray[np.intp]
    weights: Integers

    def leaf(self) -> Leaf:
        used = np.flatnonzero(self.weights > 0)
        return Leaf(
            tuple((a, b, c) for a, b, c in self.rows[used].tolist()),
            tuple(int(weight) for weight in self.weights[used]),
        )


def silent(lower: int, upper: int) -> None:
    """Report nothing."""


@dataclass
class WeakSearch:
    """The state of a search; `run` continues it until it is done or the deadline has passed."""

    # One part: at least two items.
    problem: WeakProblem
    deadline: Deadline = field(default_factory=Deadline)
    # Told the bounds as they change.
    report: Callable[[int, int], None] = silent
    # What every weak order must respect.
    known: Known | None = None
    # One of the same problem whose rows are used again.
    relaxation: Relaxation | None = None
    # The tree of cases; open ones are leaves with the bound of their parent.
    nodes: list[Node] = field(init=False)

    def __post_init__(self) -> None:
        known = nothing(self.problem.n) if self.known is None else self.known
        self._unit = unit_of(self.problem)
        self._best = Incumbent(self.problem, self._unit, known, self.deadline)
        self.nodes = [Leaf()]
        floor = leaf_bound(self.problem, NO_ROWS, np.zeros(0, dtype=np.int64), known)
        # What each open case has decided and what is known of it, by node.
        start = Bound(floor, NO_ROWS, np.zeros(0, dtype=np.int64))
        self._open: dict[int, tuple[Known, Bound]] = {0: (known, start)}
        self._children: list[int] = []

    @property
    def levels(self) -> NDArray[np.intp]:
        """The best weak order so far: the number of each item's bucket."""
        return self._best.levels

    @property
    def upper(self) -> int:
        """Its cost, in the units of `WeakProblem`."""
        return self._best.cost

    @property
    def lower(self) -> int:
        """What no weak order of the part costs less than."""
        return min([self.upper, *(bound.value for _, bound in self._open.values())])

    @property
    def is_done(self) -> bool:
        """True where the best weak order is proved."""
        return self.lower >= self.upper

    # -- the loop -----------------------------------------------------------------------------

    def run(self, *, kicks: bool = True, until: int | None = None) -> None:
        """Search until the best weak order is proved."""
        if kicks and not self.is_done:
            self._best.kick()
        while not self.is_done:
            if until is not None and (self.lower >= until or self.upper < until):
                return
            self._expand()

    def _next(self) -> int:
        """Return a child of the last case, or else the open case with the least bound."""
        near = [at for at in self._children if at in self._open]
        return min(near or self._open, key=lambda at: (self._open[at][1].value, at))

    def _expand(self) -> None:
        at = self._next()
        try:
            point = self._tighten(at)
        finally:
            # If it is stopped here, the case stays open with the best bound that it has reached.
            bound = self._open[at][1]
            self.nodes[at] = bound.leaf()
        if point is None or bound.value >= self.upper:
            del self._open[at]
        else:
            self._divide(at, point)

    def _divide(self, at: int, point: Point) -> None:
        """Fix what is the same in all better ones of a case, and split the rest in two."""
        known, bound = self._open[at]
        fixed = fixed_below(self.problem, bound.rows, bound.weights, known, self.upper)
        statement = None if fixed is None else self._statement(point, fixed)
        del self._open[at]
        if fixed is None or not _same(fixed, known):
            # Children first: whenever it is stopped, the tree is whole.
            self.nodes.append(Leaf())
            self.nodes[at] = Fixing(bound.leaf(), self.upper, len(self.nodes) - 1)
            at = len(self.nodes) - 1
        if fixed is not None and statement is None:
            # A single weak order is left, and a leaf without weights bounds it by its own cost.
            self._best.offer(fixed.above.sum(axis=0))
        elif fixed is not None and statement is not None:
            self._split(at, statement, fixed, bound)

    def _split(self, at: int, pair: tuple[int, int], known: Known, bound: Bound) -> None:
        not_below, below = len(self.nodes), len(self.nodes) + 1
        self.nodes += [bound.leaf(), bound.leaf()]
        self.nodes[at] = Branch(*pair, not_below, below)
        self._children = [not_below, below]
        for child, answer in ((not_below, False), (below, True)):
            case = learn(known, *pair, below=answer)
            if case is not None:
                exact = leaf_bound(self.problem, bound.rows, bound.weights, case)
                passed = Bound(max(exact, bound.value), bound.rows, bound.weights)
                self._open[child] = (case, passed)

    def _tighten(self, at: int) -> Point | None:
        """Add rows in one case and raise its bound; return a point if it stays open."""
        known, bound = self._open[at]
        if bound.value >= self.upper:
            return None
        if self.relaxation is None:
            self.deadline.seconds_left()
            self.relaxation = Relaxation(self.problem)
        relaxation = self.relaxation
        relaxation.fix(known)
        if at not in self._children:
            relaxation.restore_rows(bound.rows[bound.weights > 0])
        history: list[float] = []
        while True:
            point = relaxation.solve(self.deadline)
            self._best.round(point.not_below)
            bound = self._better(bound, point, known)
            self._open[at] = (known, bound)
            if bound.value >= self.upper:
                return None
            limit = ROWS_PER_ITEM * self.problem.n
            # Rows that are there and violated say that the solver is wrong, not what to add.
            violated = relaxation.missing(violated_rows(point.not_below, limit, self.deadline))
            if len(violated) == 0 or self._stalls(history, point):
                return point
            if history and point.value > history[-1] + 1e-6:
                relaxation.drop_slack_rows()
            history.append(point.value)
            relaxation.add_rows(violated)
            self.report(self.lower, self.upper)

    def _stalls(self, history: list[float], point: Point) -> bool:
        """Say whether the last rounds closed next to nothing of what is left to close."""
        if len(history) < STALL_ROUNDS or point.is_integral:
            return False
        left = (self.upper - self.problem.step - self.problem.floor) / self._unit - point.value
        return point.value - history[-STALL_ROUNDS] < STALL_SHARE * left

    def _better(self, bound: Bound, point: Point, known: Known) -> Bound:
        assert self.relaxation is not None
        rows = self.relaxation.rows
        # Totals need no weight: the places of a pair are looked at one by one.
        weighed = rows[:, 0] != rows[:, 2]
        rows, weights = rows[weighed], round_weights(point.duals[weighed], self._unit)
        value = leaf_bound(self.problem, rows, weights, known)
        return Bound(value, rows, weights) if value >= bound.value else bound

    def _statement(self, point: Point, known: Known) -> tuple[int, int] | None:
        """Return what to decide: of the most undecided ones, what raises both bounds most."""
        undecided = np.minimum(point.not_below, 1.0 - point.not_below)
        is_open = ~(known.not_below | known.above.T)
        undecided[~is_open] = -1.0
        slopes = np.abs((self.problem.slopes / self._unit).astype(np.float64))
        # Among equally undecided ones, the one that matters most.
        weighed = undecided + 1e-3 * slopes / max(slopes.max(), 1.0)
        pairs = np.argwhere(is_open)
        if len(pairs) == 0:
            return None
        ranked = pairs[np.argsort(-weighed[tuple(pairs.T)], kind="stable")[:PROBES]]
        promising = [pair for pair in ranked.tolist() if undecided[tuple(pair)] > UNDECIDED]
        if len(promising) < 2:
            first, second = ranked[0].tolist()
            return first, second
        promise = [self._promise(point, known, *pair) for pair in promising]
        first, second = promising[int(np.argmax(promise))]
        return first, second

    def _promise(self, point: Point, known: Known, first: int, second: int) -> float:
        """Return the product of the steps that the bound makes when a statement is decided."""
        assert self.relaxation is not None
        both = [learn(known, first, second, below=answer) for answer in (False, True)]
        values = self.relaxation.probe([c for c in both if c is not None], self.deadline)
        left = (self.upper - self.problem.floor) / self._unit - point.value
        steps = [min(max(value - point.value, 1e-3), left) for value in values]
        return float(np.prod(steps))


def _same(first: Known, second: Known) -> bool:
    return np.array_equal(first.not_below, second.not_below) and np.array_equal(
        first.above, second.above
    )
