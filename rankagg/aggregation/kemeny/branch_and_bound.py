"""Branch and bound over the relaxation, for one part of a problem.

In each case, rows are added until none is violated or progress stalls, and every point is rounded
to an order and improved. The case is closed when its *exact* bound, recomputed in integers from the
rounded duals, reaches the best order's cost. If it stays open, pairs whose reverse would reach that
cost are fixed. Then the case is split at a pair for which both directions raise the bound. The next
case is a child of the last one, for which the relaxation is warm, or else the open case with the
least bound.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Positions
from rankagg.aggregation.deadline import Deadline, until_stopped
from rankagg.aggregation.kemeny.parts import Report, Solution
from rankagg.aggregation.kemeny.problem import PairCosts
from rankagg.aggregation.kemeny.proof import Proof, Weighting
from rankagg.aggregation.kemeny.relaxation import Cycles, Point, Relaxation
from rankagg.check_certificate import Branch, Derived, Fixing, Leaf, Node

STALL_ROUNDS = 3
STALL_SHARE = 0.1
# Slack halved rows often bind again soon, so they are dropped at intervals.
SOLVES_BETWEEN_DROPS = 5
RISE = 1e-6
PROBES = 6
UNDECIDED = 0.05


@dataclass(frozen=True, eq=False)
class Bound:
    """The lower bound of a case, with the weighted rows that prove it."""

    # In the units of `Problem.costs`.
    value: int
    weighting: Weighting
    # The numbers of the derived rows.
    rows: Positions

    def used(self) -> tuple[Positions, Positions]:
        """Return the triples and the derived rows of positive weight."""
        weighting = self.weighting
        return weighting.triples[weighting.weights > 0], self.rows[weighting.form_weights > 0]

    def leaf(self) -> Leaf:
        """Return the bound as a leaf of a proof."""
        return self.weighting.leaf(self.rows)


def unweighted(problem: PairCosts, case: Any, kind: type[Proof] = Proof) -> Bound:
    """Return the lower bound of a case without rows."""
    nothing = Weighting.empty()
    return Bound(kind.least(problem, nothing, case), nothing, np.zeros(0, dtype=np.intp))


class Tightening(ABC):
    """The rounds of one case."""

    def __init__(self, relaxation: Relaxation, deadline: Deadline) -> None:
        self._relaxation = relaxation
        self._deadline = deadline
        self._values: list[float] = []
        # The values at which no cycle was violated.
        self._closed: list[float] = []

    def add_rows(self, point: Point, left: float) -> bool:
        """Add rows that the last point violates; return False if no more are worth it."""
        values = self._values
        triples, rows = self._violated(point, left)
        if not len(triples) and not rows:
            return False
        rose = bool(values) and point.value > values[-1] + RISE
        values.append(point.value)
        if rose and (not self._closed or len(values) % SOLVES_BETWEEN_DROPS == 0):
            self._relaxation.drop_slack_rows()
        self._relaxation.add_cycles(triples)
        self._relaxation.derive(rows)
        return True

    @abstractmethod
    def _violated(self, point: Point, left: float) -> tuple[Cycles, Sequence[Derived]]:
        """Return rows to add; none if they close too little of the remaining gap."""

    def _stalls(self, point: Point, left: float) -> bool:
        """Return whether the last rounds closed too little of the gap."""
        closes = self._closes_little(self._values, point, STALL_ROUNDS, left, STALL_SHARE)
        return closes and not point.is_integral

    @staticmethod
    def _closes_little(
        values: list[float], point: Point, rounds: int, left: float, share: float
    ) -> bool:
        """Return whether the last rounds closed less than a share of the remaining gap."""
        return len(values) >= rounds and point.value - values[-rounds] < share * left


@dataclass
class CaseSearch(ABC):
    """The state of a search; `run` continues it until it is done or the deadline has passed."""

    kind: ClassVar[type[Proof]] = Proof

    # One part of at least two items.
    problem: Any
    deadline: Deadline = field(default_factory=Deadline)
    # Called when the bounds change.
    report: Report = lambda lower, upper: None
    # The relation that every order must respect.
    decided: Any = None
    # A relaxation of the same problem whose rows are reused.
    relaxation: Relaxation | None = None
    # The tree of cases; open ones are leaves with the bound of their parent.
    nodes: list[Node] = field(init=False)

    def __post_init__(self) -> None:
        kind, problem = self.kind, self.problem
        case = kind.nothing(problem.n) if self.decided is None else self.decided
        self._unit = problem.unit
        self._best = self._first_order(case)
        self.nodes = [Leaf()]
        # The decided relation and the bound of each open case, by node.
        self._open: dict[int, tuple[Any, Bound]] = {0: (case, unweighted(problem, case, kind))}
        self._children: list[int] = []

    @property
    def proof(self) -> Proof:
        """The present tree as a proof over the positions of the part."""
        return Proof(tuple(range(self.problem.n)), tuple(self.nodes), tuple(self.rows))

    def solution(self, *, interrupted: bool) -> Solution:
        """Return the best order with the cases that bound all others."""
        return Solution(self.order, tuple(self.nodes), tuple(self.rows), interrupted, self.lower)

    # -- hooks for strict and weak orders -----------------------------------------------------

    @abstractmethod
    def _first_order(self, case: Any) -> Any:
        """Return the incumbent, which starts from a heuristic order."""

    @abstractmethod
    def _begin(self) -> Relaxation:
        """Return the relaxation with its first rows."""

    @abstractmethod
    def _rounds(self, relaxation: Relaxation) -> Tightening:
        """Return the tightening that adds rows to a case."""

    @abstractmethod
    def _weights(self) -> NDArray[Any]:
        """Return the weights of statements, which break ties between equally undecided ones."""

    def _weighed(self, undecided: Floats) -> Floats:
        """Return the priorities of statements: by indecision, then by weight."""
        weights = self._weights()
        return np.asarray(undecided + 1e-3 * weights / max(weights.max(), 1.0))

    @abstractmethod
    def _open_pairs(self, case: Any) -> Bools:
        """Return the statements that a case leaves open."""

    @abstractmethod
    def _single(self, case: Any) -> Positions:
        """Return the only order of a case."""

    # -- state --------------------------------------------------------------------------------

    @property
    def order(self) -> Positions:
        """The best order so far: positions, or the number of each item's bucket."""
        order: Positions = self._best.order
        return order

    @property
    def rows(self) -> Sequence[Derived]:
        """All derived rows, including those that the nodes use."""
        return () if self.relaxation is None else self.relaxation.derived

    @property
    def upper(self) -> int:
        """Cost of the best order, in the units of the problem."""
        cost: int = self._best.cost
        return cost

    @property
    def lower(self) -> int:
        """Lower bound of all orders of the part."""
        return min([self.upper, *(bound.value for _, bound in self._open.values())])

    @property
    def is_done(self) -> bool:
        """True if the best order is proved."""
        return self.lower >= self.upper

    # -- the loop -----------------------------------------------------------------------------

    def run(
        self, *, until: int | None = None, known: int | None = None, cases: int | None = None
    ) -> None:
        """Search until the best order is proved, or a bound, cost or number of cases is reached."""
        while not self.is_done:
            if until is not None and self.lower >= until:
                return
            if known is not None and self.upper <= known:
                return
            if cases is not None and len(self._open) >= cases:
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
            # If interrupted here, the case stays open with its best bound so far.
            bound = self._open[at][1]
            self.nodes[at] = bound.leaf()
        if point is None or bound.value >= self.upper:
            del self._open[at]
        else:
            self._divide(at, point)

    def _divide(self, at: int, point: Point) -> None:
        """Fix the pairs that all better orders of a case share, and split the rest in two."""
        case, bound = self._open[at]
        fixed = self.kind.fixed(self.problem, bound.weighting, case, self.upper)
        pair = None if fixed is None else self._pair(point, fixed)
        del self._open[at]
        if fixed is None or not np.array_equal(fixed, case):
            # Append children first, so that the tree is complete at any interruption.
            self.nodes.append(Leaf())
            self.nodes[at] = Fixing(bound.leaf(), self.upper, len(self.nodes) - 1)
            at = len(self.nodes) - 1
        if fixed is not None and pair is None:
            self.nodes[at] = self._only(self._single(fixed))
        elif fixed is not None and pair is not None:
            self._split(at, pair, fixed, bound)

    def _only(self, order: Positions) -> Leaf:
        """Offer the only order of a case; a leaf without weights bounds it by its cost."""
        self._best.offer(order)
        return Leaf()

    def _split(self, at: int, pair: tuple[int, int], case: Any, bound: Bound) -> None:
        yes, no = len(self.nodes), len(self.nodes) + 1
        self.nodes += [bound.leaf(), bound.leaf()]
        self.nodes[at] = Branch(*pair, yes, no)
        self._children = [yes, no]
        for child, part in zip(self._children, self._both(case, pair), strict=True):
            if part is not None:
                value = self.kind.least(self.problem, bound.weighting, part)
                self._open[child] = (part, replace(bound, value=max(value, bound.value)))

    def _both(self, case: Any, pair: tuple[int, int]) -> list[Any]:
        """Return the cases where a statement holds, and where it does not."""
        return [self.kind.answered(case, *pair, holds=holds) for holds in (True, False)]

    def _tighten(self, at: int) -> Point | None:
        """Add rows in one case and raise its bound; return a point if it stays open."""
        case, bound = self._open[at]
        if bound.value >= self.upper:
            return None
        if self.relaxation is None:
            self.deadline.seconds_left()
            self.relaxation = self._begin()
        relaxation = self.relaxation
        relaxation.fix(case)
        if at not in self._children:
            relaxation.restore(*bound.used())
        rounds = self._rounds(relaxation)
        while True:
            point = relaxation.solve(self.deadline)
            self._best.round(point.before)
            bound = self._better(bound, point, case)
            self._open[at] = (case, bound)
            if bound.value < self.upper:
                # With several cases the common bound rises in leaps, so it is not judged.
                self._best.search(None if self._children else bound.value)
            if bound.value >= self.upper:
                return None
            left = (self.upper - self.problem.step - self.problem.floor) / self._unit - point.value
            if not rounds.add_rows(point, left):
                return point
            self.report(self.lower, self.upper)

    def _better(self, bound: Bound, point: Point, case: Any) -> Bound:
        assert self.relaxation is not None
        weighting = self.relaxation.weighting(point)
        value = self.kind.least(self.problem, weighting, case)
        return Bound(value, weighting, point.rows) if value >= bound.value else bound

    def _pair(self, point: Point, case: Any) -> tuple[int, int] | None:
        """Return the pair to decide: of the most undecided ones, the best for both bounds."""
        is_open = self._open_pairs(case)
        pairs = np.argwhere(is_open)
        if len(pairs) == 0:
            return None
        undecided = np.where(is_open, np.minimum(point.before, 1.0 - point.before), -1.0)
        weighed = self._weighed(undecided)
        ranked = pairs[np.argsort(-weighed[tuple(pairs.T)], kind="stable")[:PROBES]]
        promising = [pair for pair in ranked.tolist() if undecided[tuple(pair)] > UNDECIDED]
        if len(promising) < 2:
            first, second = ranked[0].tolist()
            return first, second
        promise = [self._promise(point, self._both(case, pair)) for pair in promising]
        first, second = promising[int(np.argmax(promise))]
        return first, second

    def _promise(self, point: Point, both: list[Any]) -> float:
        """Return the product of the increases of the bound when a pair is decided."""
        assert self.relaxation is not None
        values = self.relaxation.probe([case for case in both if case is not None], self.deadline)
        left = (self.upper - self.problem.floor) / self._unit - point.value
        return float(np.prod([min(max(value - point.value, 1e-3), left) for value in values]))


AnySearch = TypeVar("AnySearch", bound=CaseSearch)


def searched(
    begin: Callable[[], AnySearch],
    first: Callable[[], Positions],
    run: Callable[[AnySearch], Solution | None] = CaseSearch.run,
) -> Solution:
    """Search until proved or stopped; without time to begin, return `first`.

    `run` continues a search, and may return another solution.
    """
    searches: list[AnySearch] = []
    with until_stopped() as stop:
        searches.append(begin())
        if (solution := run(searches[0])) is not None:
            return solution
    if not searches:
        return Solution(first(), (Leaf(),), interrupted=stop.by_user)
    return searches[0].solution(interrupted=stop.by_user)
