"""The exact consensus among rankings that satisfy constraints, or a conflict among these.

Let y[i, k] be 1 if item i is within the first k places, for every k that a constraint names. An
order exists if these sets of k items grow with k and contain, with each item, all items that must
be above it: the order takes the items set by set. In branch and bound each count row has a slack
column at a price above the cost of any order still wanted. So a case without an order costs too
much, and its weights prove it.

Items that the same counts name are a group. Given the order within each group, dynamic programming
over the numbers placed per group finds the cheapest merge that meets the counts. So an order that
breaks counts still leads to one that meets them. A fractional point also orders its groups. The
rows it violates most use the last of the items that a count names and the first of all others.
Their numbers are chosen first; then each side is chosen again as the best one for the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Integers64, Positions
from rankagg.aggregation.deadline import NEVER, Deadline
from rankagg.aggregation.kemeny import orders
from rankagg.aggregation.kemeny.branch_and_bound import UNDECIDED, Tightening, searched
from rankagg.aggregation.kemeny.certificate import Certificate
from rankagg.aggregation.kemeny.constraints import (
    NO_DEMANDS,
    Above,
    Constraints,
    Demands,
    Part,
    Within,
)
from rankagg.aggregation.kemeny.incumbent import Incumbent, extension
from rankagg.aggregation.kemeny.orders import Order
from rankagg.aggregation.kemeny.parts import Effort, Solution, Task, solve_parts
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.pulp_programs import IntegerProgram
from rankagg.aggregation.kemeny.relaxation import Cycles, Point, Relaxation
from rankagg.aggregation.kemeny.strict_search import CycleTightening, Search, solve_cuts
from rankagg.aggregation.kemeny.violated_rows import violated_cycles
from rankagg.aggregation.outcome import Outcome, proved_outcome
from rankagg.check_certificate import WEIGHT_DENOMINATOR, Derived, Leaf
from rankagg.core import ItemSet, PairwiseMatrix
from rankagg.core.graphs import ordered_parts
from rankagg.exceptions import InfeasibleError

# Priority added to pairs of items that counts separate.
ACROSS = 0.3
# The orders within groups get one GROUPS_SHARE-th of the time.
GROUPS_SHARE = 5
# Most combinations of numbers placed per group; with more, orders are not merged.
MERGED_UP_TO = 2**18
# Number of kicks of an order, and items per kick.
KICKS, STRENGTH = 10, 3
# Rows per round, their least violation, and how often sides are chosen.
ROWS, VIOLATION, TURNS = 20, 1e-3, 4


def _levels(
    parts: list[Part], n: int, wanted: Positions, deadline: Deadline = NEVER
) -> Positions | None:
    """Return item levels; orders by level that keep the pairs satisfy all constraints.

    None if no order does.
    """
    above = tuple((part.first, part.second) for part in parts if isinstance(part, Above))
    counts = [part.as_count(n) for part in parts if isinstance(part, Within)]
    demands = Demands(above, counts=tuple(count for count in counts if count.within))
    if demands.decided(n) is None:
        return None
    program, costs = IntegerProgram(), np.argsort(wanted).tolist()
    inside = {
        place: [int(program.columns([1], cost=cost)[0]) for cost in costs]
        for place in sorted({count.within for count in demands.counts})
    }
    for place, columns in inside.items():
        program.at_least(dict.fromkeys(columns, 1), place)
        program.at_least(dict.fromkeys(columns, -1), -place)
    for lower, upper in pairwise(inside.values()):
        for few, many in zip(lower, upper, strict=True):
            program.at_least({many: 1, few: -1}, 0)
    for first, second in above:
        for columns in inside.values():
            program.at_least({columns[first]: 1, columns[second]: -1}, 0)
    for count in demands.counts:
        program.at_least({inside[count.within][i]: 1 for i in count.items}, count.at_least)
    if not inside:
        return np.zeros(n, dtype=np.intp)
    values = program.solve(deadline).values
    return None if values is None else sum((values[c] == 0).astype(int) for c in inside.values())


def _conflict(
    parts: list[Part], n: int, wanted: Positions, deadline: Deadline = NEVER
) -> list[Part]:
    """Return a minimal set of constraints that no order satisfies."""
    size = len(parts)
    while size:
        at = 0
        while at < len(parts):
            others = parts[:at] + parts[at + size :]
            if _levels(others, n, wanted, deadline) is None:
                parts = others
            else:
                at += size
        size //= 2
    return parts


def _require_possible(
    demands: Demands, items: ItemSet, wanted: Positions, deadline: Deadline = NEVER
) -> Positions:
    """Return a level for each item, see `_levels`; raise `InfeasibleError` if there is none."""
    n, parts = len(items), demands.parts
    levels = _levels(parts, n, wanted, deadline)
    if levels is None:
        words = tuple(part.words(items) for part in _conflict(parts, n, wanted, deadline))
        why = f"{words[0]} is impossible."
        if len(words) > 1:
            why = f"{'; '.join(words)} contradict each other: leave any one of them out."
        raise InfeasibleError(f"No ranking keeps all constraints: {why}", words)
    return levels


class _Merges:
    """All merges of groups that meet the counts, as numbers placed per group."""

    def __init__(self, demands: Demands, n: int) -> None:
        self._counts = demands.counts
        # Whether each count (row) names each item.
        self._asked = np.array([np.isin(np.arange(n), count.items) for count in self._counts])
        self._group = np.unique(self._asked, axis=1, return_inverse=True)[1].reshape(-1)
        self.groups = [np.flatnonzero(self._group == at) for at in range(self._group.max() + 1)]
        self._shape = np.bincount(self._group) + 1
        self.is_possible = int(np.prod(self._shape, dtype=object)) <= MERGED_UP_TO
        if not self.is_possible:
            return
        # A column for each state, the empty one first; then layers by the total number placed.
        self._placed = np.indices(self._shape.tolist()).reshape(len(self._shape), -1)
        total = self._placed.sum(axis=0)
        self._layers = np.split(np.argsort(total, kind="stable"), np.cumsum(np.bincount(total)))
        self._allowed = np.ones(len(total), dtype=bool)
        for count, asked in zip(self._counts, self._asked, strict=True):
            inside = self._placed[np.unique(self._group[asked])].sum(axis=0)
            self._allowed &= (total != count.within) | (inside >= count.at_least)

    def cheapest(self, margins: NDArray[Any], order: Positions) -> Positions:
        """Return the cheapest order that keeps the given order within each group."""
        groups = [order[self._group[order] == group] for group in range(len(self._shape))]
        placed, steps = self._placed, self._shape[::-1].cumprod()[::-1] // self._shape
        paid = np.zeros(placed.shape)
        for at, group in enumerate(groups):
            for other in range(len(groups)):
                # Cost of the last item placed above all unplaced items of another group.
                later = np.zeros((len(group), len(groups[other]) + 1))
                if other != at:
                    pairs = margins[np.ix_(group, groups[other][::-1])]
                    later[:, :-1] = pairs.cumsum(axis=1)[:, ::-1]
                paid[at] += later[placed[at] - 1, placed[other]]
            paid[at, placed[at] == 0] = np.inf
        least, last = np.full(placed.shape[1], np.inf), np.zeros(placed.shape[1], dtype=np.intp)
        least[0] = 0.0
        for layer in self._layers[1:-1]:
            costs = paid[:, layer] + least[layer - steps[:, None]]
            last[layer] = np.argmin(costs, axis=0)
            least[layer] = np.where(self._allowed[layer], costs.min(axis=0), np.inf)
        found, way = [], placed.shape[1] - 1
        while way:
            group = last[way]
            found.append(groups[group][placed[group, way] - 1])
            way -= steps[group]
        return np.array(found[::-1], dtype=np.intp)

    def moves(self, order: Positions) -> tuple[Bools, Bools]:
        """Return which moves and swaps of places respect the counts."""
        moves, exchanges = np.ones((2, len(order), len(order)), dtype=bool)
        for count, asked in zip(self._counts, self._asked[:, order].astype(int), strict=True):
            k = count.within
            spare = asked[:k].sum() - count.at_least
            if k < len(order):  # the items next to the boundary cross it
                moves[:k, k:] &= (spare - asked[:k] + asked[k] >= 0)[:, None]
                moves[k:, :k] &= (spare + asked[k:] - asked[k - 1] >= 0)[:, None]
                exchanges[:k, k:] &= spare - asked[:k, None] + asked[k:] >= 0
        return moves, exchanges


class _FeasibleIncumbent(Incumbent):
    """The best order so far that meets the counts."""

    def __init__(
        self,
        problem: Problem,
        unit: int,
        decided: Bools,
        start: Positions,
        *,
        demands: Demands,
        deadline: Deadline,
    ) -> None:
        self._demands = demands
        self._merges = _Merges(demands, problem.n)
        super().__init__(problem, unit, decided, start, deadline)

    @property
    def groups(self) -> list[Positions]:
        """Groups of items that the same counts name; none if they have too many merges."""
        return self._merges.groups if self._merges.is_possible else []

    def _improved(self, order: Positions) -> Positions:
        """Return an improved order that meets the counts, or the best one if none is found."""
        order = self._merged(order)
        while not self._deadline.is_over:
            better = self._better(order)
            if better is None:
                break
            order = better
        return order

    def _merged(self, order: Positions) -> Positions:
        if self._merges.is_possible:
            return self._merges.cheapest(self.margins, order)
        return order if self._demands.counts_hold(order) else self.order

    def _better(self, order: Positions) -> Positions | None:
        """Return the order after the best move or swap; None if none helps."""
        permuted = self.margins[np.ix_(order, order)]
        moves, exchanges = self._merges.moves(order)
        for gains, allowed, route in (
            (orders.insertion_gains(permuted), moves, orders.moved),
            (_exchange_gains(permuted), exchanges, _exchanged),
        ):
            first, second = divmod(int(np.where(allowed, gains, 0).argmax()), len(order))
            if allowed[first, second] and gains[first, second] > self._threshold:
                return order[route(len(order), first, second)]
        return None

    def _keep(self, order: Positions) -> None:
        if self._demands.counts_hold(order):
            super()._keep(order)

    def recombine(self, before: Floats) -> None:
        """Do nothing, as recombined orders do not satisfy constraints."""

    def prepare(self) -> None:
        """Merge good orders; kick the best one out of local optima, and keep it if no worse."""
        for order in orders.starting_orders(self.margins):
            self.offer(super()._improved(order))
        rng = np.random.default_rng(0)
        order, cost = self.order, self.cost
        for _ in range(KICKS):
            if self.ends.is_over:
                return
            near = self._improved(orders.kicked(order, rng, STRENGTH))
            self._keep(near)
            new = self._problem.cost(near)
            # In the margins, and so in the moves, decided pairs outweigh all costs.
            if new <= cost and self.cost <= new:
                order, cost = near, new

    def search(self, proved: int | None = None) -> None:
        """Do nothing, as `prepare`."""


def _exchange_gains(permuted: NDArray[Any]) -> NDArray[Any]:
    """Return the gains of swapping the items at places p < q."""
    rows, columns = np.cumsum(permuted, axis=1), np.cumsum(permuted, axis=0)
    return np.triu(rows - rows.diagonal()[:, None] + columns.diagonal()[None, :] - columns, k=1)


@dataclass(frozen=True, eq=False)
class _Sides:
    """The items that a count names, and all others."""

    demands: Demands
    upper: Positions
    lower: Positions

    @classmethod
    def of(cls, demands: Demands, n: int) -> list[_Sides]:
        """Return the two sides of each list of items that counts name."""
        named = dict.fromkeys(tuple(sorted(count.items)) for count in demands.counts)
        uppers = [np.array(items, dtype=np.intp) for items in named if len(items) < n]
        return [cls(demands, upper, np.setdiff1d(np.arange(n), upper)) for upper in uppers]

    @cached_property
    def _least(self) -> Integers64:
        """Least number of ordered pairs, by the numbers of lower and upper items in a row."""
        n_upper, n_lower = len(self.upper), len(self.lower)
        behind = np.zeros((n_lower + 1, n_upper + 1), dtype=np.int64)
        for count in self.demands.counts:
            if len(count.items) == n_upper and set(count.items) == set(self.upper.tolist()):
                inside = np.arange(n_upper + 1) - n_upper + count.at_least
                most = count.within - count.at_least + 1
                behind[most:] = np.maximum(behind[most:], inside)
        return behind.cumsum(axis=0)

    def row(self, upper: Positions, lower: Positions) -> Derived:
        """Return the row over some items of each side."""
        return Derived(((1, self.demands.ahead(upper.tolist(), lower.tolist())),))

    def violated(self, before: Floats) -> list[Derived]:
        """Return rows that a point violates, the worst first."""
        turned, least = before[np.ix_(self.upper, self.lower)], self._least
        ranks = np.argsort(np.argsort(-before[self.lower].sum(axis=1), kind="stable"))
        below = ranks <= np.arange(len(ranks))[:, None]
        for _ in range(TURNS):
            above = _chosen(below @ turned.T, least[below.sum(axis=1)])
            below = _chosen(above @ turned, least.T[above.sum(axis=1)])
        above, below = np.split(np.unique(np.hstack([above, below]), axis=0), [len(turned)], axis=1)
        n_above, n_below = above.sum(axis=1), below.sum(axis=1)
        lacks = least[n_below, n_above] - ((above @ turned) * below).sum(axis=1)
        best = np.argsort(-lacks / np.sqrt(n_above * n_below), kind="stable")[:ROWS]
        best = best[lacks[best] > VIOLATION]
        return [self.row(self.upper[above[at]], self.lower[below[at]]) for at in best]


def _chosen(turned: Floats, least: Integers64) -> Bools:
    """Return per line the items of one side with the largest total violation, at least one.

    `turned` holds the value of each item, `least` the least sum of 0, 1, 2, ... of them.
    """
    ranked = np.argsort(turned, axis=1, kind="stable")
    lacks = least[:, 1:] - np.take_along_axis(turned, ranked, axis=1).cumsum(axis=1)
    chosen = np.zeros(turned.shape, dtype=bool)
    last = np.argmax(lacks, axis=1)[:, None]
    np.put_along_axis(chosen, ranked, np.arange(turned.shape[1]) <= last, axis=1)
    return chosen


class _ElasticRelaxation(Relaxation):
    """A relaxation in which derived rows have slack columns at a price."""

    def __init__(self, problem: Problem, price: float) -> None:
        super().__init__(problem)
        self._price = price

    def add_derived(self, numbers: Positions) -> None:
        """Add rows, each with a slack column; see `Relaxation`."""
        super().add_derived(numbers)
        k, one = len(numbers), np.ones(len(numbers))
        rows = (self._highs.getNumRow() - k + np.arange(k)).astype(np.int32)
        starts, free = np.arange(k, dtype=np.int32), one * float("inf")
        self._highs.addCols(k, one * self._price, 0 * one, free, k, starts, rows, one)
        self._pair_of = np.concatenate([self._pair_of, np.full(k, -1, dtype=np.int32)])

    def solve(self, deadline: Deadline) -> Point:
        """Solve; the value of the point includes the price of slack."""
        point = super().solve(deadline)
        lacking = float(np.array(self._highs.getSolution().col_value)[self._pair_of < 0].sum())
        return replace(point, value=point.value + self._price * lacking)


class _CountTightening(CycleTightening):
    """The rounds of one case under counts, with their rows."""

    def __init__(self, sides: list[_Sides], *given: Any, is_first: bool) -> None:
        super().__init__(*given, is_first=is_first)
        self._sides = sides

    def _violated(self, point: Point, left: float) -> tuple[Cycles, Sequence[Derived]]:
        rows = [row for sides in self._sides for row in sides.violated(point.before)]
        if not rows:
            return super()._violated(point, left)
        cycles = violated_cycles(point.before, self._margins, self._deadline)
        if not self._is_first and self._stalls(point, left):
            return cycles[:0], ()
        return cycles, rows


@dataclass
class _ConstrainedSearch(Search):
    """The state of a search under constraints."""

    # Only its counts are used.
    demands: Demands = NO_DEMANDS

    @cached_property
    def _sides(self) -> list[_Sides]:
        return _Sides.of(self.demands, self.problem.n)

    def _first_order(self, decided: Bools) -> Incumbent:
        if not self.demands:
            return super()._first_order(decided)  # respects pairs
        assert self.start is not None, "a search under constraints starts from a feasible order"
        return _FeasibleIncumbent(
            self.problem,
            self._unit,
            decided,
            self.start,
            demands=self.demands,
            deadline=self.deadline,
        )

    def _begin(self) -> Relaxation:
        if isinstance(self._best, _FeasibleIncumbent) and self._best.groups:
            self._offer_groups(self._best.groups)
        return super()._begin()

    def _offer_groups(self, groups: list[Positions]) -> None:
        """Merge groups, each in the best order found in its share of the time."""
        parts = GROUPS_SHARE * len(groups)

        def solve(task: Task) -> Solution:
            return _solve_constrained_part(replace(task, deadline=task.deadline.share(parts)))

        effort, decided = Effort(self.deadline), self._open[0][0]
        solved = solve_parts(self.problem, groups, solve, effort, start=self.order, decided=decided)
        self._best.offer(solved.order)
        if solved.interrupted:
            raise KeyboardInterrupt

    def _engine(self) -> Relaxation:
        price = (self.upper - self.problem.floor) // self._unit + 2
        relaxation = _ElasticRelaxation(self.problem, float(price))
        relaxation.derive([sides.row(sides.upper, sides.lower) for sides in self._sides])
        return relaxation

    def _rounds(self, relaxation: Relaxation) -> Tightening:
        given = relaxation, self.deadline, self._margins
        return _CountTightening(self._sides, *given, is_first=self._n_expanded == 0)

    def _next(self) -> int:
        """Return the open case with the least bound, as merges find good orders, not depth."""
        if not self.demands:
            return super()._next()
        cases = self._open.items()
        return min(cases, key=lambda case: (case[1][1].value, case[0] not in self._children))[0]

    def _weighed(self, undecided: Floats) -> Floats:
        """Prefer pairs that counts separate, because they decide the others."""
        weighed = super()._weighed(undecided)
        for sides in self._sides:
            across = np.ix_(sides.upper, sides.lower)
            weighed[across] += ACROSS * (undecided[across] > UNDECIDED)
            weighed.T[across] += ACROSS * (undecided.T[across] > UNDECIDED)
        return weighed

    def _only(self, order: Positions) -> Leaf:
        """Return a leaf that bounds the only order of a case, by a count that it breaks."""
        if self.demands.counts_hold(order):
            return super()._only(order)
        assert self.relaxation is not None, "a case was bounded before it has one order"
        broken = next(c for c in self.demands.counts if not Demands(counts=(c,)).counts_hold(order))
        inside, outside = order[: broken.within].tolist(), order[broken.within :].tolist()
        row = self.demands.ahead(
            [i for i in outside if i in broken.items], [i for i in inside if i not in broken.items]
        )
        weight = (self.upper - self.problem.floor) * WEIGHT_DENOMINATOR
        return Leaf(rows=((self.relaxation.note([Derived(((1, row),))]), weight),))


def solve_constrained(
    votes: PairwiseMatrix,
    constraints: Constraints,
    *,
    tie_cost: float,
    effort: Effort,
    start: Positions | None = None,
) -> Outcome:
    """Solve the problem of votes among rankings that satisfy constraints."""
    demands = constraints.over(votes.items)
    items, effort = effort.with_problem(lambda: Problem.from_pairwise(votes, tie_cost))
    wanted = orders.starting_orders(items.margins)[0] if start is None else start
    # Allow 10 seconds at least: without a feasible ranking there is nothing to return.
    ends = Deadline(max(effort.deadline.at, monotonic() + 10.0))
    levels = _require_possible(demands, votes.items, wanted, ends)
    decided = demands.decided(items.n)
    assert decided is not None, "feasible constraints do not contradict each other"
    feasible = extension(decided, np.lexsort((np.argsort(wanted), levels)))
    backend = partial(_solve_constrained_part, counts=Demands(counts=demands.counts))
    # Between two parts every pair has its cheaper or demanded direction. Counts join all items.
    parts = [np.arange(items.n)]
    if not demands.counts:
        parts = ordered_parts(decided | ((items.margins < 0) & ~decided.T))
    solved = solve_parts(items, parts, backend, effort, start=feasible, decided=decided)
    certificate = Certificate.build(
        votes,
        solved.order.tolist(),
        solved.proofs,
        tie_cost=tie_cost,
        problem=items,
        demands=demands,
    )
    return proved_outcome(certificate, solved, effort)


def _solve_constrained_part(task: Task, counts: Demands = NO_DEMANDS) -> Solution:
    """Solve a part, from an order that satisfies all constraints."""
    assert task.decided is not None, "constraints give a relation, perhaps empty"
    assert task.start is not None, "a part under constraints starts from a feasible order"
    if not counts and not task.decided.any():
        return solve_cuts(replace(task, start=None))
    first = task.start
    return searched(
        lambda: _ConstrainedSearch(
            task.problem, task.deadline, task.report, task.decided, start=first, demands=counts
        ),
        lambda: first,
    )


def _exchanged(n: int, first: int, second: int) -> Order:
    """Return the positions after swapping two."""
    route = np.arange(n)
    route[[first, second]] = second, first
    return route
