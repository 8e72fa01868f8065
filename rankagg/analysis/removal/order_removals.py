"""The fewest removals that change the exact Kemeny consensus.

Orders are held against each other by their value: the sum of the margins of all pairs i < j that
they put in this order. The consensus has the largest. Items that stay below (or above) whatever is
removed are left out first: where every item of a part beats every item below by so many votes that
no removal of the size turns a majority, the exact consensus of all is that of the part, followed by
that of the rest. Removals are then looked for that let one order of a rival prevail, which gives an
upper bound. Where few items are left, the least removal is found for each of their orders; where
few choices are left below the bound, all are tried, each solved exactly. Else an interval is left.

Deciding whether so many removals suffice is hard in general: Bartholdi, Tovey and Trick (1992),
doi:10.1016/0895-7177(92)90085-Y, for deleting voters; the fewest changes of ballots are the margin
of victory of Magrino, Rivest, Shen and Wagner (2011) and Xia (2012), doi:10.1145/2229012.2229086.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, permutations
from typing import cast

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.branch_and_bound import Search
from rankagg.aggregation.kemeny.parts import majority_components
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import Proof, forced_bounds
from rankagg.analysis.removal.removal_units import Bracket, Question, RemovalClasses, fewest
from rankagg.analysis.removal.score_removals import Merged, each_rival, reach_targets
from rankagg.core.arithmetic import exact
from rankagg.core.graphs import strong_parts

Order = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of the items, which some optimum places together."""

    # Positions, in an optimal order.
    items: Order
    # That of these items, in this order.
    problem: Problem
    # The proof over positions in `searched`; empty for a single item.
    proof: Proof
    # The positions in the order that the proof has them.
    searched: Order

    @property
    def cost(self) -> int:
        return self.problem.cost(np.arange(len(self.items)))


@dataclass(frozen=True, eq=False)
class Solved:
    """An optimal order of a problem, and the parts that it was found in."""

    problem: Problem
    # Its parts, the first one first.
    parts: list[_Part]

    @classmethod
    def of(cls, problem: Problem, deadline: Deadline) -> Solved:
        """Solve a problem."""
        parts = majority_components(problem)
        return cls(problem, [_solve(problem, part, deadline) for part in parts])

    @classmethod
    def with_pair(cls, problem: Problem, first: int, second: int, deadline: Deadline) -> Solved:
        """Find the best order that puts one item before another.

        The parts from that of `second` to that of `first`, where they come in this order, become
        one; all others stay where they are: bringing them there turns no majority.
        """
        parts = majority_components(problem)
        (at,), (until,) = (
            [k for k, part in enumerate(parts) if item in part] for item in (second, first)
        )
        if until < at:
            return cls.of(problem, deadline)
        joined = np.concatenate(parts[at : until + 1])
        inside = [_solve(problem, part, deadline) for part in parts[:at]]
        inside.append(_solve(problem, joined, deadline, pair=(first, second)))
        inside += [_solve(problem, part, deadline) for part in parts[until + 1 :]]
        return cls(problem, inside)

    @property
    def order(self) -> Order:
        """The positions, best first."""
        return np.concatenate([part.items for part in self.parts])

    def least_led_by(self, item: int) -> int:
        """Return what an order costs at least that begins with an item."""
        least, before = self.problem.cost(self.order), np.zeros(0, dtype=np.intp)
        for part in self.parts:
            if item in part.items:
                break
            before = np.append(before, part.items)
        else:
            raise ValueError("the item is in one of the parts")
        least += int(self.problem.margins[item, before].sum())
        if len(part.items) == 1:
            return least
        inside = part.problem
        own = int(np.flatnonzero(part.items == item)[0])
        by_pairs = inside.floor + int(np.maximum(inside.margins[own], 0).sum())
        forced = forced_bounds(self.problem.restrict(part.searched), part.proof)
        np.fill_diagonal(forced, 0)
        by_proof = int(forced[int(np.flatnonzero(part.searched == item)[0])].max())
        return least - part.cost + max(by_pairs, by_proof, part.cost)


def _solve(
    problem: Problem, part: Order, deadline: Deadline, pair: tuple[int, int] | None = None
) -> _Part:
    if len(part) == 1:
        return _Part(part, problem.restrict(part), Proof((0,)), part)
    decided = np.zeros((len(part), len(part)), dtype=bool)
    if pair is not None:
        decided[np.flatnonzero(part == pair[0])[0], np.flatnonzero(part == pair[1])[0]] = True
    search = Search(problem.restrict(part), deadline, decided=decided)
    search.run()
    items = part[search.order]
    return _Part(items, problem.restrict(items), search.proof, part)


# The orders of so few items are all looked at: 720.
FEW = 6


@dataclass(frozen=True, eq=False)
class Contest:
    """A question about some of the items, which stand together whatever is removed."""

    units: RemovalClasses
    question: Question
    # Shape (s,). Positions of the items.
    part: NDArray[np.intp]

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.part)

    @cached_property
    def tops(self) -> list[int]:
        """Places in the part of the present firsts, or of the upper item."""
        return np.flatnonzero(np.isin(self.part, self.question.tops)).tolist()

    @cached_property
    def rivals(self) -> list[int]:
        """Places in the part of the others, or of the lower item."""
        return np.flatnonzero(np.isin(self.part, self.question.rivals)).tolist()

    @cached_property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The pairs i < j."""
        first, second = np.triu_indices(self.size, k=1)
        return first, second

    @cached_property
    def merged(self) -> Merged:
        """Leads of i over j for all pairs, and how many units have these."""
        leads = [
            self.units.leads(int(item), self.part[k + 1 :]) for k, item in enumerate(self.part[:-1])
        ]
        joined = cast(Integers, np.concatenate(leads, axis=1))
        return Merged(joined, self.units.counts)

    @cached_property
    def leads(self) -> Integers:
        """Leads of i over j in one unit of each class, shape (k, pairs)."""
        return self.merged.gains

    @cached_property
    def whole(self) -> Integers:
        """The margins of all units."""
        return self.margins(np.zeros(len(self.merged.counts), dtype=np.int64))

    def margins(self, removed: NDArray[np.int64]) -> Integers:
        """Return the margins that are left, shape (pairs,)."""
        left = self.merged.counts - removed
        if self._is_small:
            return exact.fit(left @ self.leads.astype(np.int64))
        return exact.fit(left.astype(object) @ self.leads.astype(object))

    def sums(self, vectors: NDArray[np.int64]) -> Integers:
        """Return the leads of one unit of each class, added up over pairs with factors."""
        if self._is_small:
            return self.leads.astype(np.int64) @ vectors
        return exact.fit(self.leads.astype(object) @ vectors.astype(object))

    @cached_property
    def _is_small(self) -> bool:
        """Whether no sum of leads leaves int64; factors are -1, 0 and 1."""
        most = int(np.abs(self.leads).max(initial=0))
        return most * max(self.units.total, 1) * max(len(self.pairs[0]), 1) < exact.INT64_SAFE

    # -- orders -------------------------------------------------------------------------------

    def vector(self, order: Order) -> NDArray[np.int64]:
        """Return which pairs i < j an order has in this order."""
        place = np.argsort(order)
        first, second = self.pairs
        return (place[first] < place[second]).astype(np.int64)

    def value(self, order: Order, margins: Integers) -> int:
        """Return the value of an order."""
        return int((self.vector(order).astype(object) * margins.astype(object)).sum())

    def is_rival(self, order: Order) -> bool:
        """Say whether an order has what the question asks for."""
        if self.question.is_pair:
            place = np.argsort(order)
            return bool(place[self.rivals[0]] < place[self.tops[0]])
        return int(order[0]) in self.rivals

    def does_it(self, removed: NDArray[np.int64], deadline: Deadline) -> bool:
        """Say whether a removal changes what is asked; removed of merged classes."""
        margins = self.margins(removed)
        best = self.best(margins, deadline)
        others = self.best_top if self.is_rival(best) else self.best_rival
        if self.is_rival(best) != self.question.strict:
            # Either a rival is best and that is enough, or a top is and a rival must be better.
            return self.is_rival(best)
        other = others(margins, deadline)
        least = self.value(best, margins) - self.value(other, margins)
        return least > 0 if self.question.strict else least == 0

    def best(self, margins: Integers, deadline: Deadline) -> Order:
        """Return an order of the largest value."""
        if self.size <= FEW:
            return self._best_of(margins, np.ones(len(self._all[0]), dtype=bool))
        return Solved.of(self._problem(margins), deadline).order

    def best_top(self, margins: Integers, deadline: Deadline) -> Order:
        """Return the best order in which the present firsts, or the upper item, prevail."""
        if self.size <= FEW:
            return self._best_of(margins, ~self._all[2])
        if self.question.is_pair:
            return self._forced(margins, self.tops[0], self.rivals[0], deadline)
        return self._led_by(margins, self.tops, deadline)

    def best_rival(self, margins: Integers, deadline: Deadline) -> Order:
        """Return the best order in which a rival prevails."""
        if self.size <= FEW:
            return self._best_of(margins, self._all[2])
        if self.question.is_pair:
            return self._forced(margins, self.rivals[0], self.tops[0], deadline)
        return self._led_by(margins, self.rivals, deadline)

    @cached_property
    def _all(self) -> tuple[NDArray[np.intp], NDArray[np.int64], Bools]:
        """All orders, which pairs they have in order, and in which of them a rival prevails."""
        orders = np.array(list(permutations(range(self.size))), dtype=np.intp)
        place = np.argsort(orders, axis=1)
        first, second = self.pairs
        vectors = (place[:, first] < place[:, second]).astype(np.int64)
        return orders, vectors, np.array([self.is_rival(order) for order in orders])

    @property
    def sides(self) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """All orders in which a rival prevails, and which pairs all others have in order."""
        orders, vectors, is_rival = self._all
        return orders[is_rival], vectors[~is_rival]

    def _best_of(self, margins: Integers, some: Bools) -> Order:
        orders, vectors, _ = self._all
        # `margins` fits: any sum of them does.
        kind = np.dtype(object) if margins.dtype == object else np.dtype(np.int64)
        values = vectors[some].astype(kind) @ margins.astype(kind)
        best: Order = orders[some][int(np.argmax(values))]
        return best

    def _forced(self, margins: Integers, first: int, second: int, deadline: Deadline) -> Order:
        return Solved.with_pair(self._problem(margins), first, second, deadline).order

    def _led_by(self, margins: Integers, leaders: list[int], deadline: Deadline) -> Order:
        """Return the best order that begins with one of some items."""
        problem = self._problem(margins)
        bounds = {leader: 0 for leader in leaders}
        if len(leaders) > 1:
            solved = Solved.of(problem, deadline)
            if int(solved.order[0]) in leaders:
                return solved.order
            bounds = {leader: solved.least_led_by(leader) for leader in leaders}
        best: Order | None = None
        least = 0
        # The most promising first; what cannot be better is left out.
        for leader in sorted(leaders, key=bounds.__getitem__):
            if best is not None and bounds[leader] >= least:
                break
            rest = np.delete(np.arange(self.size), leader)
            order = np.append(leader, rest[Solved.of(problem.restrict(rest), deadline).order])
            cost = problem.cost(order)
            if best is None or cost < least:
                best, least = order, cost
        assert best is not None, "there is a leader"
        return best

    def _problem(self, margins: Integers) -> Problem:
        costs = np.zeros((self.size, self.size), dtype=margins.dtype)
        first, second = self.pairs
        costs[first, second] = np.maximum(-margins, 0)
        costs[second, first] = np.maximum(margins, 0)
        return Problem(exact.fit(costs), 0, 1)


# So many choices are all tried.
SUBSETS = 20_000
ROUNDS = 4


def search_orders(
    units: RemovalClasses, question: Question, bracket: Bracket, deadline: Deadline
) -> None:
    """Find the fewest removals that change the exact consensus, as far as that can be proved."""
    thresholds = _thresholds(units, deadline)
    bracket.raise_to(_joined_from(thresholds, question, bracket.total))
    if bracket.is_closed():
        return
    contest = Contest(units, question, _part(thresholds, question, bracket.upper - 1))
    pool = _Pool(contest)
    _approach(contest, pool, bracket, deadline)
    if bracket.is_closed():
        return
    smaller = _part(thresholds, question, bracket.upper - 1)
    if len(smaller) < contest.size:
        contest = Contest(units, question, smaller)
        pool = _Pool(contest)
        pool.add(contest.best_top(contest.whole, deadline))
    if contest.size <= FEW:
        _order_by_order(contest, pool, bracket, deadline)
    elif _n_tries(contest.merged.counts, bracket) <= SUBSETS:
        _try_all(contest, bracket, deadline)


def _n_tries(counts: NDArray[np.int64], bracket: Bracket) -> int:
    """Return how many choices of units are smaller than the best, or more than `SUBSETS`."""
    most = bracket.upper - 1
    if most > SUBSETS:
        return SUBSETS + 1
    ways = [1] + [0] * most
    for count in counts.tolist():
        sums = [0, *accumulate(ways)]
        ways = [sums[k + 1] - sums[max(k - count, 0)] for k in range(most + 1)]
    return min(sum(ways[bracket.lower :]), SUBSETS + 1)


def _choices(counts: list[int], size: int) -> Iterator[list[int]]:
    """Yield all ways to choose so many units of classes."""
    if not counts:
        if not size:
            yield []
        return
    rest = sum(counts[1:])
    for many in range(max(size - rest, 0), min(counts[0], size) + 1):
        yield from ([many, *others] for others in _choices(counts[1:], size - many))


# -- what no removal of a size can change ---------------------------------------------------------


def _thresholds(units: RemovalClasses, deadline: Deadline) -> NDArray[np.int64]:
    """Return how many removals it takes that row has no majority over column any longer."""
    n = len(units.items)
    found = np.zeros((n, n), dtype=np.int64)
    for item in range(n):
        deadline.seconds_left()
        others = np.delete(np.arange(n), item)
        leads = units.leads(item, others)
        margins = units.counts.astype(object) @ leads.astype(object)
        if leads.dtype != object and all(abs(int(margin)) < 2**62 for margin in margins):
            margins = margins.astype(np.int64)
        found[item, others] = fewest(margins, leads, units.counts)
    return found


def _part(thresholds: NDArray[np.int64], question: Question, size: int) -> NDArray[np.intp]:
    """Return the items that may stand with the tops once so many units are removed."""
    # Column may be level with row, or ahead of it.
    parts = strong_parts(thresholds.T <= size)  # noqa: SIM300
    return np.flatnonzero(parts == parts[question.tops[0]])


def _joined_from(thresholds: NDArray[np.int64], question: Question, total: int) -> int:
    """Return with how many removals some rival may stand with the tops."""
    sizes = np.unique(thresholds[thresholds < total]).tolist()
    low, high = 0, len(sizes)
    while low < high:
        middle = (low + high) // 2
        part = _part(thresholds, question, sizes[middle])
        if np.isin(part, question.rivals).any():
            high = middle
        else:
            low = middle + 1
    return sizes[low] if low < len(sizes) else total


# -- upper bounds ---------------------------------------------------------------------------------


class _Pool:
    """Orders that rivals have to beat, each once."""

    def __init__(self, contest: Contest) -> None:
        self._contest = contest
        self.vectors: list[NDArray[np.int64]] = []

    def add(self, order: Order) -> bool:
        """Take an order; say whether it is new."""
        vector = self._contest.vector(order)
        if any(np.array_equal(vector, known) for known in self.vectors):
            return False
        self.vectors.append(vector)
        return True


def _approach(contest: Contest, pool: _Pool, bracket: Bracket, deadline: Deadline) -> None:
    """Find removals for an order that is near to prevailing, then for the best one without them."""
    margins = contest.whole
    pool.add(contest.best_top(margins, deadline))
    seen: set[bytes] = set()
    for _ in range(ROUNDS):
        deadline.seconds_left()
        order = contest.best_rival(margins, deadline)
        if order.tobytes() in seen or bracket.is_closed():
            break
        seen.add(order.tobytes())
        _, removed = _for_order(contest, order, pool, bracket, deadline)
        if removed is None:
            break
        bracket.offer(contest.merged.spread(removed))
        margins = contest.margins(removed)
    if not bracket.is_closed():
        _one_by_one(contest, bracket, deadline)


def _one_by_one(contest: Contest, bracket: Bracket, deadline: Deadline) -> None:
    """Remove what speaks most for the best order of the others against the best of the rivals.

    Both orders are found anew each time; what turns out not to be needed is put back.
    """
    counts, strict = contest.merged.counts, int(contest.question.strict)
    removed = np.zeros(len(counts), dtype=np.int64)
    while True:
        deadline.seconds_left()
        margins = contest.margins(removed)
        top, rival = contest.best_top(margins, deadline), contest.best_rival(margins, deadline)
        gap = contest.value(top, margins) - contest.value(rival, margins) + strict
        if gap <= 0:
            break
        ahead = contest.vector(top) - contest.vector(rival)
        gains = contest.sums(ahead) * ((counts - removed) > 0)
        best = int(np.argmax(gains))
        if gains[best] <= 0:
            return
        # Half of what this class could do alone: the orders change under way.
        many = max(min(-(-gap // (2 * int(gains[best]))), int(counts[best] - removed[best])), 1)
        removed[best] += many
        if int(removed.sum()) >= contest.units.total:
            return
    bracket.offer(contest.merged.spread(removed))
    for k in np.flatnonzero(removed).tolist():
        deadline.seconds_left()
        fewer = removed.copy()
        fewer[k] -= 1
        if contest.does_it(fewer, deadline):
            removed = fewer
            bracket.offer(contest.merged.spread(removed))


def _for_order(
    contest: Contest, order: Order, pool: _Pool, bracket: Bracket, deadline: Deadline
) -> tuple[int, NDArray[np.int64] | None]:
    """Find the fewest removals that let one order prevail, fewer than the best so far."""
    strict = int(contest.question.strict)
    vector = contest.vector(order)
    # What a unit says for each order of the pool and against this one.
    gains: list[Integers] = []
    targets: list[int] = []
    while True:
        for rival in pool.vectors[len(gains) :]:
            ahead = rival - vector
            gains.append(contest.sums(ahead))
            targets.append(int((contest.whole.astype(object) * ahead).sum()) + strict)
        bound, removed = reach_targets(
            cast(Integers, np.stack(gains, axis=1)),
            targets,
            contest.merged.counts,
            bracket.upper,
            deadline,
        )
        if removed is None:
            return bound, None
        margins = contest.margins(removed)
        best = contest.best_top(margins, deadline)
        if contest.value(order, margins) >= contest.value(best, margins) + strict:
            return bound, removed
        if not pool.add(best):
            return bound, None  # the solver is not as exact as that


# -- all of it ------------------------------------------------------------------------------------


def _order_by_order(contest: Contest, pool: _Pool, bracket: Bracket, deadline: Deadline) -> None:
    """Find the fewest removals for every order in which a rival prevails.

    Each has to beat every order of the others, and the removals that it needs against one of them
    bound what it needs.
    """
    rivals, tops = contest.sides
    counts, strict = contest.merged.counts, int(contest.question.strict)
    theirs = contest.sums(tops.T)
    values = contest.whole.astype(object) @ tops.T.astype(object)
    bounds = np.zeros(len(rivals), dtype=np.int64)
    for at, order in enumerate(rivals):
        deadline.seconds_left()
        mine = contest.sums(contest.vector(order))[:, None]
        each = cast(Integers, np.broadcast_to(mine, theirs.shape))
        gains = exact.combine(theirs, 1, each, -1)
        targets = exact.fit(values - contest.value(order, contest.whole) + strict)
        bounds[at] = fewest(targets, gains, counts).max()

    def solve(at: int) -> int:
        bound, removed = _for_order(contest, rivals[at], pool, bracket, deadline)
        if removed is not None:
            bracket.offer(contest.merged.spread(removed))
        return bound

    each_rival(bracket, tuple(range(len(rivals))), bounds, solve)


def _try_all(contest: Contest, bracket: Bracket, deadline: Deadline) -> None:
    """Solve without every set of units, the small ones first."""
    counts = contest.merged.counts.tolist()
    for size in range(bracket.lower, bracket.upper):
        for chosen in _choices(counts, size):
            deadline.seconds_left()
            removed = np.array(chosen, dtype=np.int64)
            if contest.does_it(removed, deadline):
                bracket.offer(contest.merged.spread(removed))
                bracket.raise_to(size)
                return
        bracket.raise_to(size + 1)
