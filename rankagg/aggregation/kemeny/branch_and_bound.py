"""Branch and bound over the relaxation, for one part of a problem.

In each case, rows are added until none is violated or progress stalls; every point is rounded to
an order and improved; the case is closed when its *exact* bound, recomputed in integers from the
rounded duals, reaches the best order's cost. If it stays open, pairs whose other direction would
reach that cost are fixed, and the rest is decided at a pair for which both directions raise the
bound. The next case is a child of the last one, for which the relaxation is warm, or else the open
case with the least bound. Cycles are separated first. Rows that are half of a sum of cycles follow
only when cycles no longer help, as they are dearer, and weak at a point that violates cycles.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Integers, Positions
from rankagg.aggregation.deadline import NEVER, Deadline, until_stopped
from rankagg.aggregation.kemeny.incumbent import Incumbent
from rankagg.aggregation.kemeny.large import A_ROW, FirstSearch
from rankagg.aggregation.kemeny.orders import improve_windows
from rankagg.aggregation.kemeny.parts import Report, Solution, silent
from rankagg.aggregation.kemeny.persistency import (
    Pairs,
    all_by_cut,
    closed,
    may_be_cut,
    passing,
    small_cuts,
)
from rankagg.aggregation.kemeny.problem import PairCosts, Problem
from rankagg.aggregation.kemeny.proof import Proof, leaf_bound
from rankagg.aggregation.kemeny.proof_nodes import Weighting, renumbered
from rankagg.aggregation.kemeny.pulp_programs import relaxation_of
from rankagg.aggregation.kemeny.relaxation import Cycles, Point, Relaxation
from rankagg.aggregation.kemeny.violated_rows import (
    violated_cycles,
    violated_fences,
    violated_ladders,
    violated_walks,
)
from rankagg.check_certificate import (
    Branch,
    Cut,
    Derived,
    Exchange,
    Fixing,
    Leaf,
    Node,
    Persistent,
)

STALL_ROUNDS = 3
STALL_SHARE = 0.1
FEW_LADDERS = 100
# Rounds of halved rows, after each of which cycles are closed again, and the share of what is left
# to close that they have to close: in the first case, and in others.
HALF_ROUNDS = {True: 5, False: 2}
HALF_SHARE = {True: 0.05, False: 0.1}
# Units that they have to close at least: two cases take less time than rounds that close ever less.
HALF_UNITS = 0.1
# Halved rows that are slack now bind again soon, so they are dropped now and then only.
SOLVES_BETWEEN_DROPS = 5
RISE = 1e-6
# Equal ones decide most among rankings, single moves among weights that differ a lot.
MOVES_COUNTED = ((1, 1), (1, 0), (0, 1), (2, 1), (1, 2))
# Entries between two looks at the clock.
BETWEEN_LOOKS = 2**24
PROBES = 6
UNDECIDED = 0.05


@dataclass(frozen=True, eq=False)
class Bound:
    """What a case is known to cost at least, and by which weighted rows."""

    # In the units of `Problem.costs`.
    value: int
    weighting: Weighting
    # The numbers of its derived rows.
    rows: Positions

    def used(self) -> tuple[Positions, Positions]:
        """Return the triples and the derived rows that have a weight."""
        weighting = self.weighting
        return weighting.triples[weighting.weights > 0], self.rows[weighting.form_weights > 0]

    def leaf(self) -> Leaf:
        """Return it as a leaf of a proof."""
        return self.weighting.leaf(self.rows)


@dataclass(frozen=True, eq=False)
class FoundInCase:
    """What a search has found about a case."""

    # The best order of the case.
    order: Positions
    # The tree of its cases.
    nodes: Sequence[Node]
    # The derived rows that these speak of, which use each other only.
    rows: Sequence[Derived]
    # What no order of the case costs less than, in the units of `Problem.costs`.
    lower: int
    # Whether that is as much as a known order costs.
    is_done: bool


def unweighted(problem: PairCosts, case: Any, kind: type[Proof] = Proof) -> Bound:
    """Return what a case costs at least whatever the rows say."""
    nothing = Weighting.empty()
    return Bound(kind.least(problem, nothing, case), nothing, np.zeros(0, dtype=np.intp))


# How many a round takes, so that no family fills it. Ladders are found first: they cost least.
LADDERS, WALKS, FENCES = 400, 400, 100


class Tightening(ABC):
    """The rounds of one case."""

    def __init__(self, relaxation: Relaxation, deadline: Deadline) -> None:
        self._relaxation = relaxation
        self._deadline = deadline
        self._values: list[float] = []
        # The values at which no cycle was violated.
        self._closed: list[float] = []

    def add_rows(self, point: Point, left: float) -> bool:
        """Add rows that the last point violates; False where no more are worth their while."""
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
        """Return rows to add; none where they close next to nothing of what is left."""

    def _stalls(self, point: Point, left: float) -> bool:
        """Say whether the last rounds closed next to nothing."""
        return not point.is_integral and _stalls(
            self._values, point, STALL_ROUNDS, left, STALL_SHARE
        )


class CycleTightening(Tightening):
    """The rounds of one case of strict orders: cycles, and halves of sums of cycles."""

    def __init__(
        self, relaxation: Relaxation, deadline: Deadline, margins: Floats, *, is_first: bool
    ) -> None:
        super().__init__(relaxation, deadline)
        self._margins = margins
        self._is_first = is_first

    def _violated(self, point: Point, left: float) -> tuple[Cycles, Sequence[Derived]]:
        cycles = violated_cycles(point.before, self._margins, self._deadline)
        if not len(cycles):
            return cycles, self._halved(point, left)
        # The first case closes all of them, and so does one that has halved rows.
        if not (self._is_first or self._closed) and self._stalls(point, left):
            return cycles[:0], ()
        return cycles, ()

    def _halved(self, point: Point, left: float) -> Sequence[Derived]:
        rounds, share = HALF_ROUNDS[self._is_first], HALF_SHARE[self._is_first]
        if _stalls(self._closed, point, rounds, max(left, HALF_UNITS / share), share):
            return ()
        self._closed.append(point.value)
        before, deadline = point.before, self._deadline
        rows = violated_ladders(before, LADDERS, deadline)
        if len(rows) < FEW_LADDERS:
            rows += violated_walks(before, WALKS, deadline)
            rows += violated_fences(before, FENCES, deadline)
        return rows


def _stalls(values: list[float], point: Point, rounds: int, left: float, share: float) -> bool:
    """Say whether the last rounds closed less than a share of what is left to close."""
    return len(values) >= rounds and point.value - values[-rounds] < share * left


# Cuts add a tenth where weights differ a lot, and next to nothing among hundreds of items. They are
# tried for some pairs that keep at least this share of their gain when other items are set apart.
CUTS_UP_TO, CUT_SIZE, CUTS_PER_ITEM, PROMISING = 150, 6, 4, 0.5


class _Persistence:
    """What is known of every optimum of a part, and by which lines of a proof."""

    def __init__(self, problem: Problem, deadline: Deadline = NEVER) -> None:
        n = problem.n
        self._problem = problem
        self._deadline = deadline
        self._gains = _machine_gains(-problem.margins)
        self.known: Bools = np.zeros((n, n), dtype=bool)
        self.nodes: list[Persistent] = []
        # What was known when pairs were last tried with these multipliers.
        self._tried: dict[tuple[int, int], Bools] = {}
        while self._exchange() or self._cut():
            pass

    def _exchange(self) -> bool:
        """Try all multipliers, and say whether a pair was found."""
        before = len(self.nodes)
        for up, down in MOVES_COUNTED:
            pairs = self._pairs_to_try(up, down)
            step = max(BETWEEN_LOOKS // len(self.known), 1)
            for start in range(0, len(pairs), step):
                if self._deadline.is_over:
                    return False
                some = pairs[start : start + step]
                some = some[~self.known[tuple(some.T)]]
                found = some[passing(self._gains, self.known, some, up, down)]
                if len(found):
                    rest = len(self.nodes) + 1
                    self.nodes.append(Exchange(self._add(found), up, down, rest))
        return len(self.nodes) > before

    def _cut(self) -> bool:
        """Try cuts for the most promising pairs, and say whether a pair was found."""
        n = len(self.known)
        if n > CUTS_UP_TO or self._deadline.is_over:
            return False
        before = len(self.nodes)
        pairs = np.argwhere((self._gains > 0) & ~self.known & ~self.known.T)
        share = may_be_cut(self._gains, self.known, pairs)
        first = np.argsort(-share, kind="stable")[: CUTS_PER_ITEM * n]
        pairs = pairs[first[share[first] > PROMISING]]
        cuts, loss = small_cuts(self._gains, self.known, pairs, CUT_SIZE)
        for at in np.flatnonzero(loss < self._gains[tuple(pairs.T)]):
            pair, above = pairs[at : at + 1], np.flatnonzero(cuts[at])
            if not self.known[tuple(pair[0])] and all_by_cut(
                self._problem, self.known, above, pair
            ):
                rest = len(self.nodes) + 1
                self.nodes.append(Cut(tuple(above.tolist()), self._add(pair), rest))
        return len(self.nodes) > before

    def _pairs_to_try(self, up: int, down: int) -> Pairs:
        """Return open pairs for which more is known than when they were tried last."""
        is_open = (self._gains > 0) & ~self.known & ~self.known.T
        if (up, down) in self._tried:
            new = self.known & ~self._tried[up, down]
            is_open &= np.logical_or.outer(new.any(axis=1), new.any(axis=0))
        self._tried[up, down] = self.known
        return np.argwhere(is_open)

    def _add(self, found: Pairs) -> tuple[tuple[int, int], ...]:
        """Add pairs, and return those from which the others follow."""
        pairs = np.zeros_like(self.known)
        pairs[tuple(found.T)] = True
        more = closed(self.known | pairs)
        assert more is not None, "an optimum has all of these pairs"
        steps = more.astype(np.float32)
        self.known = more
        needed = np.argwhere(pairs & ~(steps @ steps > 0)).tolist()
        return tuple((x, y) for x, y in needed)


def _machine_gains(gains: Integers) -> NDArray[Any]:
    """Return gains in machine integers: rounded down, if need be, which proves less at most."""
    largest = int(np.abs(gains).max(initial=0)) + 1
    room = 8 * (len(gains) + 1) * (max(map(sum, MOVES_COUNTED)) + 1)
    if room * largest < 2**31:
        return gains.astype(np.int32)
    # Whatever is rounded, an exchange that passes passes with the exact gains.
    return (gains >> max((room * largest).bit_length() - 62, 0)).astype(np.int64)


RECOMBINE_FIRST, RECOMBINE_EVERY = 3, 40
# Parts of fewer items are solved as soon; the search for what holds in every optimum ends when this
# part of the time is gone.
EARLY_FROM, EARLY_SHARE = 45, 4


@dataclass
class CaseSearch(ABC):
    """The state of a search; `run` continues it until it is done or the deadline has passed."""

    kind: ClassVar[type[Proof]] = Proof

    # One part: at least two items.
    problem: Any
    deadline: Deadline = field(default_factory=Deadline)
    # Told the bounds as they change.
    report: Report = silent
    # What every order must respect.
    decided: Any = None
    # One of the same problem whose rows are used again.
    relaxation: Relaxation | None = None
    # The cost of an order that is known elsewhere: what costs as much need not be looked at.
    cutoff: int | None = None
    # The tree of cases; open ones are leaves with the bound of their parent.
    nodes: list[Node] = field(init=False)

    def __post_init__(self) -> None:
        kind, problem = self.kind, self.problem
        case = kind.nothing(problem.n) if self.decided is None else self.decided
        self._unit = problem.unit
        self._best = self._first_order(case)
        self.nodes = [Leaf()]
        # What each open case has decided and what is known of it, by node.
        self._open: dict[int, tuple[Any, Bound]] = {0: (case, unweighted(problem, case, kind))}
        self._children: list[int] = []

    @property
    def proof(self) -> Proof:
        """What has been found, as a proof over the positions of the part."""
        return Proof(tuple(range(self.problem.n)), tuple(self.nodes), tuple(self.rows))

    def solution(self, *, interrupted: bool, notes: tuple[str, ...] = ()) -> Solution:
        """Return the best order with the cases that bound all others."""
        nodes, rows = tuple(self.nodes), tuple(self.rows)
        return Solution(self.order, nodes, rows, interrupted, notes, self.lower)

    # -- what a kind of orders says -----------------------------------------------------------

    @abstractmethod
    def _first_order(self, case: Any) -> Any:
        """Return the best order that is known at first, which looks for better ones."""

    @abstractmethod
    def _begin(self) -> Relaxation:
        """Return the relaxation with its first rows."""

    @abstractmethod
    def _rounds(self, relaxation: Relaxation) -> Tightening:
        """Return what adds rows to a case."""

    @abstractmethod
    def _weights(self) -> NDArray[Any]:
        """Return how much statements matter, where they are equally undecided."""

    def _weighed(self, undecided: Floats) -> Floats:
        """Return how soon to decide statements: among equally undecided ones, what matters most."""
        weights = self._weights()
        weighed: Floats = undecided + 1e-3 * weights / max(weights.max(), 1.0)
        return weighed

    @abstractmethod
    def _open_pairs(self, case: Any) -> Bools:
        """Return the statements that a case leaves open."""

    @abstractmethod
    def _single(self, case: Any) -> Positions:
        """Return the one order that a case leaves."""

    # -- what is known ------------------------------------------------------------------------

    @property
    def order(self) -> Positions:
        """The best order so far: positions, or the number of each item's bucket."""
        order: Positions = self._best.order
        return order

    @property
    def rows(self) -> Sequence[Derived]:
        """The derived rows that the nodes speak of, and more."""
        return () if self.relaxation is None else self.relaxation.derived

    @property
    def upper(self) -> int:
        """Its cost, in the units of the problem, or that of a better one known elsewhere."""
        cost: int = self._best.cost
        return cost if self.cutoff is None else min(cost, self.cutoff)

    @property
    def lower(self) -> int:
        """What no order of the part costs less than."""
        return min([self.upper, *(bound.value for _, bound in self._open.values())])

    @property
    def is_done(self) -> bool:
        """True where the best order is proved."""
        return self.lower >= self.upper

    # -- the loop -----------------------------------------------------------------------------

    def run(
        self, *, until: int | None = None, known: int | None = None, cases: int | None = None
    ) -> None:
        """Search until the best order is proved."""
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
            # If it is stopped here, the case stays open with the best bound that it has reached.
            bound = self._open[at][1]
            self.nodes[at] = bound.leaf()
        if point is None or bound.value >= self.upper:
            del self._open[at]
        else:
            self._divide(at, point)

    def _divide(self, at: int, point: Point) -> None:
        """Fix what is the same in all better orders of a case, and split the rest in two."""
        case, bound = self._open[at]
        fixed = self.kind.fixed(self.problem, bound.weighting, case, self.upper)
        pair = None if fixed is None else self._pair(point, fixed)
        del self._open[at]
        if fixed is None or not np.array_equal(fixed, case):
            # Children first: whenever it is stopped, the tree is whole.
            self.nodes.append(Leaf())
            self.nodes[at] = Fixing(bound.leaf(), self.upper, len(self.nodes) - 1)
            at = len(self.nodes) - 1
        if fixed is not None and pair is None:
            self.nodes[at] = self._only(self._single(fixed))
        elif fixed is not None and pair is not None:
            self._split(at, pair, fixed, bound)

    def _only(self, order: Positions) -> Leaf:
        """Take the single order that is left; a leaf without weights bounds it by its own cost."""
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
                # Among cases, what is proved of all of them comes in leaps.
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
        """Return the pair to decide: of the most undecided ones, what raises both bounds most."""
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
        """Return the product of the steps that the bound makes when a pair is decided."""
        assert self.relaxation is not None
        cases = [case for case in both if case is not None]
        values = self.relaxation.probe(cases, self.deadline)
        left = (self.upper - self.problem.floor) / self._unit - point.value
        steps = [min(max(value - point.value, 1e-3), left) for value in values]
        return float(np.prod(steps))


def searched(begin: Callable[[], CaseSearch], first: Callable[[], Positions]) -> Solution:
    """Search until it is proved or stopped; where there was no time to begin, return `first`."""
    begun: list[CaseSearch] = []
    with until_stopped() as stop:
        begun.append(begin())
        begun[0].run()
    if not begun:
        return Solution(first(), (Leaf(),), interrupted=stop.by_user)
    return begun[0].solution(interrupted=stop.by_user)


@dataclass
class Search(CaseSearch):
    """A search among strict orders."""

    # Shape (n,). An order that is likely to be good, instead of those that the votes suggest.
    start: Positions | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._margins = self.problem.margins.astype(np.float64)
        self._n_expanded = 0
        self._near: Floats | None = None  # a point that orders are sought near

    def _first_order(self, case: Bools) -> Incumbent:
        return Incumbent(self.problem, self._unit, case, self.start, self.deadline)

    def _begin(self) -> Relaxation:
        self._best.prepare()
        relaxation = self._engine()
        relaxation.meanwhile = self._best.keep_pace
        # Without rows it would put each pair the cheaper way, whatever the others do.
        cheapest = (1.0 - np.sign(self._best.margins)) / 2.0
        relaxation.add_cycles(violated_cycles(cheapest, self._margins, self.deadline))
        return relaxation

    def _engine(self) -> Relaxation:
        return relaxation_of(self.problem)

    def _rounds(self, relaxation: Relaxation) -> Tightening:
        is_first = self._n_expanded == 0
        return CycleTightening(relaxation, self.deadline, self._margins, is_first=is_first)

    def _weights(self) -> NDArray[Any]:
        weights: NDArray[Any] = np.abs(self._best.margins)
        return weights

    def _open_pairs(self, case: Bools) -> Bools:
        return np.triu(~(case | case.T), k=1)

    def _single(self, case: Bools) -> Positions:
        return np.argsort(-case.sum(axis=1))

    @property
    def open_cases(self) -> dict[int, tuple[Bools, Bound]]:
        """What each open case has decided and what is known of it, by node."""
        return dict(self._open)

    def close(self, at: int, found: FoundInCase) -> None:
        """Put what another search has found about an open case in its place, if it is more."""
        case, bound = self._open[at]
        self._best.offer(found.order)
        if not found.is_done and found.lower <= bound.value:
            return
        del self._open[at]
        assert self.relaxation is not None, "a case that is searched elsewhere was bounded here"
        first = self.relaxation.note(found.rows)
        below = len(self.nodes) - 1  # its root takes the place of the case
        nodes = [renumbered(node, rows=first.__add__, below=below) for node in found.nodes]
        self.nodes[at] = nodes[0]
        self.nodes += nodes[1:]
        if not found.is_done:
            self._open[at] = case, replace(bound, value=found.lower)

    def warm_up(self) -> None:
        """Bound the root without a linear program; its cycles are the first rows of one."""
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
                self.deadline = self.deadline.later(-2 * A_ROW * len(bound.weighting.triples))
                self._best.ends = self.deadline
        self._near = first.point

    def improve(self) -> None:
        """Look for better orders until the deadline; the bound stays."""
        while not self.is_done:
            left = self.deadline.seconds_left()
            near, self._near = self._near, None
            if near is None:
                self._best.search_for(left / 2)
            else:
                self._best.recombine(near)
            self._best.offer(improve_windows(self.problem, self.order, self.deadline))
            self.report(self.lower, self.upper)

    def _next(self) -> int:
        at = super()._next()
        if at == 0 and self.decided is None and self.problem.n >= EARLY_FROM:
            return self._decide_early()
        return at

    def _tighten(self, at: int) -> Point | None:
        point = super()._tighten(at)
        self._n_expanded += 1
        # Costs as much as a case or two, so small searches do without.
        if point is not None and self._n_expanded % RECOMBINE_EVERY == RECOMBINE_FIRST:
            self._best.recombine(point.before)
        return point

    def _decide_early(self) -> int:
        """Decide in the root what holds in every optimum; return the case that is left."""
        found = _Persistence(self.problem, self.deadline.share(EARLY_SHARE))
        if found.nodes:
            _, bound = self._open[0]
            bound = replace(bound, value=leaf_bound(self.problem, bound.weighting, found.known))
            self.nodes = [*found.nodes, bound.leaf()]
            self._open = {len(found.nodes): (found.known, bound)}
            if (found.known | found.known.T).sum() == self.problem.n * (self.problem.n - 1):
                self._best.offer(np.argsort(-found.known.sum(axis=1)))
        return len(found.nodes)
