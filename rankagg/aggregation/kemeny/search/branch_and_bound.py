"""Branch and bound over the relaxation, for one part of a problem.

In each case, rows are added until none is violated or progress stalls; every point is rounded to
an order and improved; the case is closed when its *exact* bound, recomputed in integers from the
rounded duals, reaches the best order's cost. If it stays open, pairs whose other direction would
reach that cost are fixed, and what remains is decided at a pair for which both directions raise
the bound. The next case is a child of the last one, for which the relaxation is warm, or else the
open case with the least bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.orders.incumbent import Incumbent
from rankagg.aggregation.kemeny.orders.windows import improve_windows
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proofs.nodes import Branch, Fixing, Leaf, Node, moved_down
from rankagg.aggregation.kemeny.proofs.proof import decide, fixed_below, leaf_bound
from rankagg.aggregation.kemeny.proofs.rows import Derived
from rankagg.aggregation.kemeny.relaxation.cbc import relaxation_of
from rankagg.aggregation.kemeny.relaxation.relaxation import Point, Relaxation, unit_of
from rankagg.aggregation.kemeny.search.bounds import Bound, Found, unweighted
from rankagg.aggregation.kemeny.search.early import Persistence
from rankagg.aggregation.kemeny.search.large import A_ROW, FirstSearch
from rankagg.aggregation.kemeny.search.tightening import Tightening, cycles_at
from rankagg.aggregation.kemeny.solution import Report, silent

__all__ = ["EARLY_FROM", "Search"]

RECOMBINE_FIRST, RECOMBINE_EVERY = 3, 40
PROBES = 6
UNDECIDED = 0.05
# Parts of fewer items are solved as soon; the search for what holds in every optimum ends when this
# part of the time is gone.
EARLY_FROM, EARLY_SHARE = 45, 4


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
    cutoff : int, optional
        The cost of an order that is known elsewhere: what costs as much need not be looked at.
    nodes : list of Leaf, Branch, Fixing, Exchange or Cut
        The tree of cases; open ones are leaves with the bound of their parent.
    """

    problem: Problem
    deadline: Deadline = field(default_factory=Deadline)
    report: Report = silent
    start: NDArray[np.intp] | None = None
    decided: Bools | None = None
    relaxation: Relaxation | None = None
    cutoff: int | None = None
    nodes: list[Node] = field(init=False)

    def __post_init__(self) -> None:
        n = self.problem.n
        decided = np.zeros((n, n), dtype=bool) if self.decided is None else self.decided
        self._unit = unit_of(self.problem)
        self._best = self._first_order(decided)
        self._margins = self.problem.margins.astype(np.float64)
        self.nodes = [Leaf()]
        # What each open case has decided and what is known of it, by node.
        bound = unweighted(self.problem, decided)
        self._open: dict[int, tuple[Bools, Bound]] = {0: (decided, bound)}
        self._children: list[int] = []
        self._n_expanded = 0
        self._near: Floats | None = None  # a point that orders are sought near

    def _first_order(self, decided: Bools) -> Incumbent:
        return Incumbent(self.problem, self._unit, decided, self.start, self.deadline)

    def _begin(self) -> Relaxation:
        return relaxation_of(self.problem)

    @property
    def order(self) -> NDArray[np.intp]:
        """The best order so far, as positions."""
        return self._best.order

    @property
    def rows(self) -> Sequence[Derived]:
        """The derived rows that the nodes speak of, and more."""
        return () if self.relaxation is None else self.relaxation.derived

    @property
    def upper(self) -> int:
        """Its cost, in the units of `Problem.costs`, or that of a better one known elsewhere."""
        return self._best.cost if self.cutoff is None else min(self._best.cost, self.cutoff)

    @property
    def lower(self) -> int:
        """What no order of the part costs less than."""
        return min([self.upper, *(bound.value for _, bound in self._open.values())])

    @property
    def is_done(self) -> bool:
        """True where the best order is proved."""
        return self.lower >= self.upper

    @property
    def open_cases(self) -> dict[int, tuple[Bools, Bound]]:
        """What each open case has decided and what is known of it, by node."""
        return dict(self._open)

    def close(self, at: int, found: Found) -> None:
        """Put what another search has found about an open case in its place, if it is more."""
        decided, bound = self._open[at]
        self._best.offer(found.order)
        if not found.is_done and found.lower <= bound.value:
            return
        del self._open[at]
        assert self.relaxation is not None, "a case that is searched elsewhere was bounded here"
        first = self.relaxation.note(found.rows)
        below = len(self.nodes) - 1  # its root takes the place of the case
        nodes = [moved_down(node, below, first) for node in found.nodes]
        self.nodes[at] = nodes[0]
        self.nodes += nodes[1:]
        if not found.is_done:
            self._open[at] = decided, replace(bound, value=found.lower)

    # -- the loop -----------------------------------------------------------------------------

    def run(
        self, *, until: int | None = None, known: int | None = None, cases: int | None = None
    ) -> None:
        """Search until the best order is proved.

        Parameters
        ----------
        until : int, optional
            Stop once no order costs less than this.
        known : int, optional
            A bound that is known already: stop at an order that reaches it.
        cases : int, optional
            Stop once so many cases are open.

        Raises
        ------
        OutOfTimeError, KeyboardInterrupt
            If it has to stop before; the state stays valid.
        """
        while not self.is_done:
            if until is not None and self.lower >= until:
                return
            if known is not None and self.upper <= known:
                return
            if cases is not None and len(self._open) >= cases:
                return
            self._expand()

    def warm_up(self) -> None:
        """Bound the root without a linear program; its cycles are the first rows of one.

        Raises
        ------
        OutOfTimeError, KeyboardInterrupt
            If it has to stop before; what it has found stays.
        """
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
                self.deadline = self.deadline.later(-2 * A_ROW * len(bound.weighting.cycles))
        self._near = first.point

    def improve(self) -> None:
        """Look for better orders until the deadline; the bound stays.

        Raises
        ------
        OutOfTimeError, KeyboardInterrupt
            When it has to stop; what it has found stays.
        """
        while not self.is_done and self.deadline.seconds_left() > 0:
            near, self._near = self._near, None
            if near is None:
                self._best.prepare()
            else:
                self._best.recombine(near)
            self._best.offer(improve_windows(self.problem, self.order, self.deadline))
            self.report(self.lower, self.upper)

    def _next(self) -> int:
        """Return a child of the last case, or else the open case with the least bound."""
        near = [at for at in self._children if at in self._open]
        return min(near or self._open, key=lambda at: (self._open[at][1].value, at))

    def _decide_early(self) -> int:
        """Decide in the root what holds in every optimum; return the case that is left."""
        found = Persistence(self.problem, self.deadline.share(EARLY_SHARE))
        if found.nodes:
            _, bound = self._open[0]
            bound = replace(bound, value=leaf_bound(self.problem, bound.weighting, found.known))
            self.nodes = [*found.nodes, bound.leaf()]
            self._open = {len(found.nodes): (found.known, bound)}
            if (found.known | found.known.T).sum() == self.problem.n * (self.problem.n - 1):
                self._best.offer(np.argsort(-found.known.sum(axis=1)))
        return len(found.nodes)

    def _expand(self) -> None:
        at = self._next()
        if at == 0 and self.decided is None and self.problem.n >= EARLY_FROM:
            at = self._decide_early()
        try:
            point = self._tighten(at)
            self._n_expanded += 1
            # Costs as much as a case or two, so small searches do without.
            if point is not None and self._n_expanded % RECOMBINE_EVERY == RECOMBINE_FIRST:
                self._best.recombine(point.before)
        finally:
            # If it is stopped here, the case stays open with the best bound that it has reached.
            bound = self._open[at][1]
            self.nodes[at] = bound.leaf()
        if point is None or bound.value >= self.upper:
            del self._open[at]
        else:
            self._divide(at, point)

    def _divide(self, at: int, point: Point) -> None:
        """Fix what is the same in all better orders of a case, and split the rest in two."""
        decided, bound = self._open[at]
        fixed = fixed_below(self.problem, bound.weighting, decided, self.upper)
        pair = None if fixed is None else self._pair(point, fixed)
        del self._open[at]
        if fixed is None or not np.array_equal(fixed, decided):
            # Children first: whenever it is stopped, the tree is whole.
            self.nodes.append(Leaf())
            self.nodes[at] = Fixing(bound.leaf(), self.upper, len(self.nodes) - 1)
            at = len(self.nodes) - 1
        if fixed is not None and pair is None:
            self.nodes[at] = self._only(np.argsort(-fixed.sum(axis=1)))
        elif fixed is not None and pair is not None:
            self._split(at, pair, fixed, bound)

    def _only(self, order: NDArray[np.intp]) -> Leaf:
        """Take the single order that is left; a leaf without weights bounds it by its own cost."""
        self._best.offer(order)
        return Leaf()

    def _split(self, at: int, pair: tuple[int, int], decided: Bools, bound: Bound) -> None:
        before, after = len(self.nodes), len(self.nodes) + 1
        self.nodes += [bound.leaf(), bound.leaf()]
        self.nodes[at] = Branch(*pair, before, after)
        self._children = [before, after]
        for child, (first, second) in ((before, pair), (after, pair[::-1])):
            case = decide(decided, first, second)
            if case is not None:
                exact = leaf_bound(self.problem, bound.weighting, case)
                self._open[child] = (case, replace(bound, value=max(exact, bound.value)))

    def _tighten(self, at: int) -> Point | None:
        """Add rows in one case and raise its bound; return a point if it stays open."""
        decided, bound = self._open[at]
        if bound.value >= self.upper:
            return None
        if self.relaxation is None:
            self.deadline.seconds_left()
            self._best.prepare()
            self.relaxation = self._begin()
            # Without rows it would put each pair the cheaper way, whatever the others do.
            cheapest = (1.0 - np.sign(self._best.margins)) / 2.0
            self.relaxation.add_cycles(cycles_at(cheapest, self._margins, self.deadline))
        relaxation = self.relaxation
        relaxation.fix(decided)
        if at not in self._children:
            relaxation.restore(*bound.used())
        is_first = self._n_expanded == 0
        tightening = Tightening(relaxation, self._margins, self.deadline, is_first=is_first)
        while True:
            point = relaxation.solve(self.deadline)
            self._best.round(point.before)
            bound = self._better(bound, point, decided)
            self._open[at] = (decided, bound)
            if bound.value < self.upper:
                self._best.search()
            if bound.value >= self.upper:
                return None
            left = (self.upper - self.problem.step - self.problem.floor) / self._unit - point.value
            if not tightening.add_rows(point, left):
                return point
            self.report(self.lower, self.upper)

    def _better(self, bound: Bound, point: Point, decided: Bools) -> Bound:
        assert self.relaxation is not None
        weighting = self.relaxation.weighting(point)
        value = leaf_bound(self.problem, weighting, decided)
        return Bound(value, weighting, point.rows) if value >= bound.value else bound

    def _pair(self, point: Point, decided: Bools) -> tuple[int, int] | None:
        """Return the pair to decide: of the most undecided ones, what raises both bounds most."""
        margins = np.abs(self._best.margins)
        undecided = np.minimum(point.before, 1.0 - point.before)
        undecided[decided | decided.T] = -1.0
        # Among equally undecided pairs, the one that matters most.
        weighed = undecided + 1e-3 * margins / max(margins.max(), 1.0)
        self._weigh(weighed, undecided)
        pairs = np.argwhere(np.triu(~(decided | decided.T), k=1))
        if len(pairs) == 0:
            return None
        ranked = pairs[np.argsort(-weighed[tuple(pairs.T)], kind="stable")[:PROBES]]
        promising = [pair for pair in ranked.tolist() if undecided[tuple(pair)] > UNDECIDED]
        if len(promising) < 2:
            first, second = ranked[0].tolist()
            return first, second
        promise = [self._promise(point, decided, *pair) for pair in promising]
        first, second = promising[int(np.argmax(promise))]
        return first, second

    def _weigh(self, weighed: Floats, undecided: Floats) -> None:
        """Say which pairs to decide first: nothing more than that."""

    def _promise(self, point: Point, decided: Bools, first: int, second: int) -> float:
        """Return the product of the steps that the bound makes when a pair is decided."""
        assert self.relaxation is not None
        both = (decide(decided, first, second), decide(decided, second, first))
        cases = [case for case in both if case is not None]
        values = self.relaxation.probe(cases, self.deadline)
        left = (self.upper - self.problem.floor) / self._unit - point.value
        steps = [min(max(value - point.value, 1e-3), left) for value in values]
        return float(np.prod(steps))
