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

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, permutations
from logging import getLogger
from time import monotonic
from typing import cast

import numpy as np

from rankagg._typing import Bools, Integers, Integers64, Positions
from rankagg.aggregation import Deadline
from rankagg.aggregation.kemeny.branch_and_bound import Search
from rankagg.aggregation.kemeny.parts import majority_components
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import Proof, forced_bounds
from rankagg.analysis.removal.removal_units import Bracket, Question, RemovalClasses, fewest
from rankagg.analysis.removal.score_removals import Merged, each_rival, reach_targets
from rankagg.core import exact
from rankagg.core.graphs import strong_parts

Order = Positions


@dataclass(frozen=True, eq=False)
class SolvedPart:
    """A part of the items, which some optimum places together."""

    # Positions, in an optimal order.
    items: Order
    # That of these items, in this order.
    problem: Problem
    # The proof over positions in `searched`; empty for a single item.
    proof: Proof
    # The positions in the order that the proof has them.
    searched: Order

    @classmethod
    def of(
        cls, problem: Problem, part: Order, deadline: Deadline, pair: tuple[int, int] | None
    ) -> SolvedPart:
        """Solve a part; the first of a pair in it stands before the second."""
        if len(part) == 1:
            return cls(part, problem.restrict(part), Proof((0,)), part)
        first, second = (-1, -1) if pair is None else pair
        decided = np.outer(part == first, part == second)
        search = Search(problem.restrict(part), deadline, decided=decided)
        search.run()
        items = part[search.order]
        return cls(items, problem.restrict(items), search.proof, part)


@dataclass(frozen=True, eq=False)
class ExactOrder:
    """An optimal order of a problem, and the parts that it was found in."""

    problem: Problem
    # Its parts, the first one first.
    parts: list[SolvedPart]

    @classmethod
    def of(
        cls, problem: Problem, deadline: Deadline, pair: tuple[int, int] | None = None
    ) -> ExactOrder:
        """Find the best order, or the best one that puts the first of a pair before the second."""
        parts = majority_components(problem)
        if pair is not None:
            # Parts from that of the second to that of the first become one; all others stay where
            # they are: bringing them there turns no majority.
            until, at = (next(k for k, part in enumerate(parts) if i in part) for i in pair)
            if at <= until:
                parts[at : until + 1] = [np.concatenate(parts[at : until + 1])]
        return cls(problem, [SolvedPart.of(problem, part, deadline, pair) for part in parts])

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
        cost = inside.cost(np.arange(len(part.items)))
        return least - cost + max(by_pairs, by_proof, cost)


# What is told on the way.
SECONDS_BETWEEN_LINES = 5.0
# The orders of so few items are all looked at: 720.
ALL_ORDERS = 6


@dataclass(frozen=True, eq=False)
class Contest:
    """A question about some of the items, which stand together whatever is removed."""

    units: RemovalClasses
    question: Question
    # Shape (s,). Positions of the items.
    part: Positions
    bracket: Bracket
    deadline: Deadline
    # The orders that rivals have to beat, each once, as `vector` has them.
    pool: list[Integers64] = field(default_factory=list)

    def add(self, order: Order) -> bool:
        """Take an order that rivals have to beat; say whether it is new."""
        vector = self.vector(order)
        is_new = not any(np.array_equal(vector, known) for known in self.pool)
        self.pool.extend([vector] if is_new else [])
        return is_new

    def offer(self, removed: Integers64) -> None:
        """Take a removal of merged classes that does it."""
        self.bracket.offer(self.merged.spread(removed))

    def look_at_clock(self) -> None:
        """Raise where the time is up; tell now and then how far the search is."""
        self.deadline.seconds_left()
        now, bracket = monotonic(), self.bracket
        if now - bracket.told >= SECONDS_BETWEEN_LINES:
            bracket.told = now
            told = "%d to %d of %d have to go"
            getLogger("rankagg.kemeny").info(told, bracket.lower, bracket.upper, bracket.total)

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
    def pairs(self) -> tuple[Positions, Positions]:
        """The pairs i < j."""
        first, second = np.triu_indices(self.size, k=1)
        return first, second

    @cached_property
    def merged(self) -> Merged:
        """Leads of i over j, shape (k, pairs), and how many units have these."""
        leads = [
            self.units.leads(int(item), self.part[k + 1 :]) for k, item in enumerate(self.part[:-1])
        ]
        joined = cast(Integers, np.concatenate(leads, axis=1))
        return Merged(joined, self.units.counts)

    @cached_property
    def whole(self) -> Integers:
        """The margins of all units."""
        return self.margins(np.zeros(len(self.merged.counts), dtype=np.int64))

    def margins(self, removed: Integers64) -> Integers:
        """Return the margins that are left, shape (pairs,)."""
        return exact.integer_product(self.merged.counts - removed, self.merged.gains)

    def sums(self, vectors: Integers64) -> Integers:
        """Return the leads of one unit of each class, added up over pairs with factors."""
        return exact.integer_product(self.merged.gains, vectors)

    # -- orders -------------------------------------------------------------------------------

    def vector(self, order: Order) -> Integers64:
        """Return which pairs i < j an order has in this order."""
        place = np.argsort(order)
        first, second = self.pairs
        return (place[first] < place[second]).astype(np.int64)

    def value(self, order: Order, margins: Integers) -> int:
        """Return the value of an order."""
        return int(exact.integer_product(self.vector(order), margins))

    def is_rival(self, order: Order) -> bool:
        """Say whether an order has what the question asks for."""
        if self.question.is_pair:
            place = np.argsort(order)
            return bool(place[self.rivals[0]] < place[self.tops[0]])
        return int(order[0]) in self.rivals

    def does_it(self, removed: Integers64) -> bool:
        """Say whether a removal changes what is asked; removed of merged classes."""
        self.look_at_clock()
        margins = self.margins(removed)
        best = self.best(margins)
        others = self.best_top if self.is_rival(best) else self.best_rival
        if self.is_rival(best) != self.question.strict:
            # Either a rival is best and that is enough, or a top is and a rival must be better.
            return self.is_rival(best)
        other = others(margins)
        least = self.value(best, margins) - self.value(other, margins)
        return least > 0 if self.question.strict else least == 0

    def best(self, margins: Integers) -> Order:
        """Return an order of the largest value."""
        if self.size <= ALL_ORDERS:
            return self._best_of(margins, self.all_orders[2] | True)
        return ExactOrder.of(self._problem(margins), self.deadline).order

    def best_top(self, margins: Integers) -> Order:
        """Return the best order in which the present firsts, or the upper item, prevail."""
        if self.size <= ALL_ORDERS:
            return self._best_of(margins, ~self.all_orders[2])
        return self._best_led(margins, self.tops, self.rivals)

    def best_rival(self, margins: Integers) -> Order:
        """Return the best order in which a rival prevails."""
        if self.size <= ALL_ORDERS:
            return self._best_of(margins, self.all_orders[2])
        return self._best_led(margins, self.rivals, self.tops)

    @cached_property
    def all_orders(self) -> tuple[Positions, Integers64, Bools]:
        """All orders, which pairs they have in order, and in which of them a rival prevails."""
        orders = np.array(list(permutations(range(self.size))), dtype=np.intp)
        place = np.argsort(orders, axis=1)
        first, second = self.pairs
        vectors = (place[:, first] < place[:, second]).astype(np.int64)
        return orders, vectors, np.array([self.is_rival(order) for order in orders])

    def _best_of(self, margins: Integers, some: Bools) -> Order:
        orders, vectors, _ = self.all_orders
        values = exact.integer_product(vectors[some], margins)
        best: Order = orders[some][int(np.argmax(values))]
        return best

    def _best_led(self, margins: Integers, leaders: list[int], others: list[int]) -> Order:
        """Return the best order that begins with a leader, or has one of a pair above the other."""
        problem, deadline = self._problem(margins), self.deadline
        if self.question.is_pair:
            return ExactOrder.of(problem, deadline, (leaders[0], others[0])).order
        bounds = {leader: 0 for leader in leaders}
        if len(leaders) > 1:
            solved = ExactOrder.of(problem, deadline)
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
            order = np.append(leader, rest[ExactOrder.of(problem.restrict(rest), deadline).order])
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
    part = _near_tops(thresholds, question, bracket.upper - 1)
    contest = Contest(units, question, part, bracket, deadline)
    _approach(contest)
    if bracket.is_closed():
        return
    smaller = _near_tops(thresholds, question, bracket.upper - 1)
    if len(smaller) < contest.size:
        contest = Contest(units, question, smaller, bracket, deadline)
        contest.add(contest.best_top(contest.whole))
    if contest.size <= ALL_ORDERS:
        _order_by_order(contest)
    elif _n_tries(contest.merged.counts, bracket) <= SUBSETS:
        _try_all(contest)


def _n_tries(counts: Integers64, bracket: Bracket) -> int:
    """Return how many choices of units are smaller than the best, or more than `SUBSETS`."""
    most = bracket.upper - 1
    if most > SUBSETS:
        return SUBSETS + 1
    ways = [1] + [0] * most
    for count in counts.tolist():
        sums = [0, *accumulate(ways)]
        ways = [sums[k + 1] - sums[max(k - count, 0)] for k in range(most + 1)]
    return min(sum(ways[bracket.lower :]), SUBSETS + 1)


def _removals(counts: list[int], size: int) -> Iterator[list[int]]:
    """Yield all ways to choose so many units of classes."""
    if not counts:
        if not size:
            yield []
        return
    rest = sum(counts[1:])
    for many in range(max(size - rest, 0), min(counts[0], size) + 1):
        yield from ([many, *others] for others in _removals(counts[1:], size - many))


# -- what no removal of a size can change ---------------------------------------------------------


def _thresholds(units: RemovalClasses, deadline: Deadline) -> Integers64:
    """Return how many removals it takes that row has no majority over column any longer."""
    n = len(units.items)
    found = np.zeros((n, n), dtype=np.int64)
    for item in range(n):
        deadline.seconds_left()
        others = np.delete(np.arange(n), item)
        leads = units.leads(item, others)
        margins = exact.integer_product(units.counts, leads)
        found[item, others] = fewest(margins, leads, units.counts)
    return found


def _near_tops(thresholds: Integers64, question: Question, size: int) -> Positions:
    """Return the items that may stand with the tops once so many units are removed."""
    # Column may be level with row, or ahead of it.
    parts = strong_parts(thresholds.T <= size)  # noqa: SIM300
    return np.flatnonzero(parts == parts[question.tops[0]])


def _joined_from(thresholds: Integers64, question: Question, total: int) -> int:
    """Return with how many removals some rival may stand with the tops."""
    sizes = np.unique(thresholds[thresholds < total]).tolist()

    def has_rivals(size: int) -> bool:
        return bool(np.isin(_near_tops(thresholds, question, size), question.rivals).any())

    at = bisect_left(sizes, True, key=has_rivals)
    return sizes[at] if at < len(sizes) else total


# -- upper bounds ---------------------------------------------------------------------------------


def _approach(contest: Contest) -> None:
    """Find removals for an order that is near to prevailing, then for the best one without them."""
    margins = contest.whole
    contest.add(contest.best_top(margins))
    seen: set[bytes] = set()
    for _ in range(ROUNDS):
        contest.look_at_clock()
        order = contest.best_rival(margins)
        if order.tobytes() in seen or contest.bracket.is_closed():
            break
        seen.add(order.tobytes())
        _, removed = _for_order(contest, order)
        if removed is None:
            break
        contest.offer(removed)
        margins = contest.margins(removed)
    if not contest.bracket.is_closed():
        _one_by_one(contest)


def _one_by_one(contest: Contest) -> None:
    """Remove what speaks most for the best order of the others against the best of the rivals.

    Both orders are found anew each time; what turns out not to be needed is put back.
    """
    counts, strict = contest.merged.counts, int(contest.question.strict)
    removed = np.zeros(len(counts), dtype=np.int64)
    while True:
        contest.look_at_clock()
        margins = contest.margins(removed)
        top, rival = contest.best_top(margins), contest.best_rival(margins)
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
    contest.offer(removed)
    for k in np.flatnonzero(removed).tolist():
        fewer = removed.copy()
        fewer[k] -= 1
        if contest.does_it(fewer):
            removed = fewer
            contest.offer(removed)


def _for_order(contest: Contest, order: Order) -> tuple[int, Integers64 | None]:
    """Find the fewest removals that let one order prevail, fewer than the best so far."""
    strict = int(contest.question.strict)
    vector = contest.vector(order)
    # What a unit says for each order of the pool and against this one.
    gains: list[Integers] = []
    targets: list[int] = []
    while True:
        for rival in contest.pool[len(gains) :]:
            ahead = rival - vector
            gains.append(contest.sums(ahead))
            targets.append(int(exact.integer_product(ahead, contest.whole)) + strict)
        bound, removed = reach_targets(
            cast(Integers, np.stack(gains, axis=1)),
            targets,
            contest.merged.counts,
            contest.bracket.upper,
            contest.deadline,
        )
        if removed is None:
            return bound, None
        margins = contest.margins(removed)
        best = contest.best_top(margins)
        if contest.value(order, margins) >= contest.value(best, margins) + strict:
            return bound, removed
        if not contest.add(best):
            return bound, None  # the solver is not as exact as that


# -- all of it ------------------------------------------------------------------------------------


def _order_by_order(contest: Contest) -> None:
    """Find the fewest removals for every order in which a rival prevails.

    Each has to beat every order of the others, and the removals that it needs against one of them
    bound what it needs.
    """
    orders, vectors, is_rival = contest.all_orders
    rivals, tops = orders[is_rival], vectors[~is_rival]
    counts, strict = contest.merged.counts, int(contest.question.strict)
    theirs = contest.sums(tops.T)
    values = exact.integer_product(contest.whole, tops.T).astype(object)
    bounds = np.zeros(len(rivals), dtype=np.int64)
    for at, order in enumerate(rivals):
        contest.look_at_clock()
        mine = contest.sums(contest.vector(order))[:, None]
        each = cast(Integers, np.broadcast_to(mine, theirs.shape))
        gains = exact.combine(theirs, 1, each, -1)
        targets = exact.fit(values - contest.value(order, contest.whole) + strict)
        bounds[at] = fewest(targets, gains, counts).max()

    def solve(at: int) -> int:
        bound, removed = _for_order(contest, rivals[at])
        if removed is not None:
            contest.offer(removed)
        return bound

    each_rival(contest.bracket, tuple(range(len(rivals))), bounds, solve)


def _try_all(contest: Contest) -> None:
    """Solve without every set of units, the small ones first."""
    counts, bracket = contest.merged.counts.tolist(), contest.bracket
    for size in range(bracket.lower, bracket.upper):
        for chosen in _removals(counts, size):
            removed = np.array(chosen, dtype=np.int64)
            if contest.does_it(removed):
                contest.offer(removed)
                return
        bracket.raise_to(size + 1)
