"""From votes and constraints to the exact consensus among rankings that keep them.

Whether constraints can be kept at all, and which of them contradict each other.

Let y[i, k] be 1 where item i is within the first k places, for every k that a constraint names.
Sets of k items that grow with k, of which no item lacks one that must be above it, are all that an
order needs: it takes the items set by set.

Branch and bound where constraints decide pairs and demand rows; see `demands`.

Rows that constraints demand are in the relaxation from the start, and stay. Each has a column of
its own that makes up what it lacks, at a price above the cost of any order that is still looked
for. So a case that holds no order is one that costs too much, and its weights say so in the proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats
from rankagg.aggregation.base import Outcome, checked_outcome
from rankagg.aggregation.deadline import NEVER, Deadline
from rankagg.aggregation.kemeny import orders
from rankagg.aggregation.kemeny.branch_and_bound import UNDECIDED, Search, searched
from rankagg.aggregation.kemeny.certificate import Certificate
from rankagg.aggregation.kemeny.constraints import NO_DEMANDS, Constraints, Count, Demands
from rankagg.aggregation.kemeny.cuts import solve_cuts
from rankagg.aggregation.kemeny.incumbent import Incumbent, extension
from rankagg.aggregation.kemeny.optima import HeldOptima, held
from rankagg.aggregation.kemeny.parts import Effort, Solution, Task, solve_parts
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof_nodes import WEIGHT_DENOMINATOR, Derived, Leaf
from rankagg.aggregation.kemeny.pulp_programs import IntegerProgram
from rankagg.aggregation.kemeny.relaxation import HighsRelaxation, Point, Relaxation
from rankagg.core.graphs import ordered_parts
from rankagg.core.items import ItemSet, listed
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.exceptions import InfeasibleError
from rankagg.kernels.insertion import insertion_gains


@dataclass(frozen=True)
class Above:
    """One item is above another."""

    first: int
    second: int

    def words(self, items: ItemSet) -> str:
        """Say it with the names of the items."""
        return f"{items[self.first]} above {items[self.second]}"


@dataclass(frozen=True)
class Within:
    """At least so many of some items are within the first places, or the last."""

    items: tuple[int, ...]
    within: int
    at_least: int
    at_the_end: bool = False

    def words(self, items: ItemSet) -> str:
        """Say it with the names of the items."""
        names = listed(items.at(self.items))
        place = "last" if self.at_the_end else "first"
        where = f"the {place} {self.within}" if self.within > 1 else place
        if self.at_least == len(self.items):
            return f"{names} within {where}" if self.within > 1 else f"{names} {where}"
        return f"{self.at_least} of {names} within {where}"

    def as_count(self, n: int) -> Count:
        """Return the same of the first places: what is at the end leaves few others there."""
        if not self.at_the_end:
            return Count(self.items, self.within, self.at_least)
        others = tuple(i for i in range(n) if i not in self.items)
        # Of the places before the last ones, the items themselves take what is left to them.
        return Count(others, n - self.within, n - self.within - len(self.items) + self.at_least)


Part = Above | Within


def parts_of(demands: Demands) -> list[Part]:
    """Return constraints one by one: what is said of several items, for each of them."""
    parts: list[Part] = [Above(*pair) for pair in demands.above]
    for some, at_the_end in ((demands.first, False), (demands.last, True)):
        parts += [Within((i,), len(some), 1, at_the_end) for i in some]
    for count in demands.counts:
        if count.at_least == len(count.items):
            parts += [Within((i,), count.within, 1) for i in count.items]
        else:
            parts.append(Within(count.items, count.within, count.at_least))
    return list(dict.fromkeys(parts))


def levels(
    parts: list[Part], n: int, wanted: NDArray[np.intp], deadline: Deadline = NEVER
) -> NDArray[np.intp] | None:
    """Return a level for each item: orders that go level by level, and keep pairs, keep to all.

    None where no order does.
    """
    above = tuple((part.first, part.second) for part in parts if isinstance(part, Above))
    counts = [part.as_count(n) for part in parts if isinstance(part, Within)]
    demands = Demands(above, counts=tuple(count for count in counts if count.within))
    if demands.decided(n) is None:
        return None
    program, costs = IntegerProgram(), np.argsort(wanted).tolist()
    inside = {
        place: [int(program.columns([1], cost=cost)[0]) for cost in costs]
        for place in demands.places
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
        kept = {inside[count.within][i]: 1 for i in count.items}
        program.at_least(kept, count.at_least)
    if not inside:
        return np.zeros(n, dtype=np.intp)
    values = program.solve(deadline).values
    return None if values is None else sum((values[c] == 0).astype(int) for c in inside.values())


def conflict(
    parts: list[Part], n: int, wanted: NDArray[np.intp], deadline: Deadline = NEVER
) -> list[Part]:
    """Return constraints that no order keeps together, of which none can be left out."""
    size = len(parts)
    while size:
        at = 0
        while at < len(parts):
            others = parts[:at] + parts[at + size :]
            if levels(others, n, wanted, deadline) is None:
                parts = others
            else:
                at += size
        size //= 2
    return parts


def require_possible(
    demands: Demands, items: ItemSet, wanted: NDArray[np.intp], deadline: Deadline = NEVER
) -> NDArray[np.intp]:
    """Return a level for each item, see `levels`."""
    n, parts = len(items), parts_of(demands)
    found = levels(parts, n, wanted, deadline)
    if found is None:
        words = tuple(part.words(items) for part in conflict(parts, n, wanted, deadline))
        why = f"{words[0]} is impossible."
        if len(words) > 1:
            why = f"{'; '.join(words)} contradict each other, and no part of them does."
        raise InfeasibleError(f"No ranking keeps all constraints: {why}", words)
    return found


class FeasibleIncumbent(Incumbent):
    """The best order that keeps to counts too: with every marker in its place."""

    def __init__(
        self,
        problem: Problem,
        unit: int,
        decided: Bools,
        start: NDArray[np.intp],
        *,
        demands: Demands,
        deadline: Deadline,
    ) -> None:
        self._demands = demands
        super().__init__(problem, unit, decided, start, deadline)

    def _improved(self, order: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return a better order that keeps to all, or the best one where this one does not."""
        items = self._demands.unmarked(order)
        if not self._demands.counts_hold(items):
            return self.order
        while not self._deadline.is_over:
            better = self._better(items)
            if better is None:
                break
            items = better
        return self._demands.marked(items)

    def _better(self, items: NDArray[np.intp]) -> NDArray[np.intp] | None:
        """Return the order after a good move of one item, or of two that change places."""
        n = len(items)
        permuted = self.margins[np.ix_(items, items)]
        for gains, route in (
            (insertion_gains(permuted), orders.moved),
            (_exchange_gains(permuted), orders.exchanged),
        ):
            best = np.argsort(-gains, axis=None, kind="stable")[: 4 * n]
            for move in best[gains.ravel()[best] > self._threshold].tolist():
                neighbor = items[route(n, *divmod(move, n))]
                if self._demands.counts_hold(neighbor):
                    return neighbor
        return None

    def _keep(self, order: NDArray[np.intp]) -> None:
        items = self._demands.unmarked(order)
        if self._demands.counts_hold(items):
            super()._keep(self._demands.marked(items))

    def recombine(self, before: Floats) -> None:
        """Do nothing: mixtures do not keep to constraints."""

    def prepare(self) -> None:
        """Kick the order out of local optima some times, and keep what is no worse."""
        rng = np.random.default_rng(0)
        items = self._demands.unmarked(self.order)
        cost = self.cost
        for _ in range(40):
            if self.ends.is_over:
                return
            near = orders.kicked(items, rng, strength=3)
            if not self._demands.counts_hold(near):
                continue
            order = self._improved(self._demands.marked(near))
            self._keep(order)
            new = self._problem.cost(order)
            # What is decided outweighs all costs in the margins, and so in the moves.
            if new <= cost and self.cost <= new:
                items, cost = self._demands.unmarked(order), new

    def search(self, proved: int | None = None) -> None:
        """Do nothing, as `prepare`."""


def _exchange_gains(permuted: NDArray[Any]) -> NDArray[Any]:
    """Return how much cheaper the order gets when the items at places p < q change places.

    Both pass each other, and all items between.
    """
    rows, columns = np.cumsum(permuted, axis=1), np.cumsum(permuted, axis=0)
    gains: NDArray[Any] = np.triu(
        rows - rows.diagonal()[:, None] + columns.diagonal()[None, :] - columns, k=1
    )
    return gains


class ElasticRelaxation(HighsRelaxation):
    """A relaxation in which rows that constraints demand can be bought off."""

    def __init__(self, problem: Problem, rows: Sequence[Derived], price: float) -> None:
        super().__init__(problem)
        if not rows:
            return
        self._price = price
        self.derive(rows)
        self.n_kept = len(rows)
        one = np.ones(1)
        for row in range(len(rows)):
            at = np.array([row], dtype=np.int32)
            self._highs.addCol(price, 0.0, float("inf"), 1, at, one)
        self._pair_of = np.concatenate([self._pair_of, np.full(len(rows), -1, dtype=np.int32)])

    def solve(self, deadline: Deadline) -> Point:
        """Solve; the value of the point has the price of what was bought off."""
        point = super().solve(deadline)
        if not self.n_kept:
            return point
        columns = np.array(self._highs.getSolution().col_value)
        lacking = float(columns[self._pair_of < 0].sum())
        return replace(point, value=point.value + self._price * lacking)


@dataclass
class ConstrainedSearch(Search):
    """The state of a search under constraints."""

    # Of which only the counts are looked at.
    demands: Demands = NO_DEMANDS

    def _first_order(self, decided: Bools) -> Incumbent:
        if not self.demands:
            return super()._first_order(decided)  # it keeps to pairs by itself
        assert self.start is not None, "a search under constraints starts where they are kept"
        rest: dict[str, Any] = {"demands": self.demands, "deadline": self.deadline}
        return FeasibleIncumbent(self.problem, self._unit, decided, self.start, **rest)

    def _engine(self) -> Relaxation:
        given = self.demands.rows(self.problem.n - len(self.demands.places))
        rows = [Derived(((1, row),)) for row in given]
        price = (self.upper - self.problem.floor) // self._unit + 2
        return ElasticRelaxation(self.problem, rows, float(price))

    def _weighed(self, undecided: Floats) -> Floats:
        """Decide first who is within the places that are counted: that decides many pairs."""
        weighed = super()._weighed(undecided)
        n = self.problem.n - len(self.demands.places)
        weighed[:, n:] += undecided[:, n:] > UNDECIDED
        return weighed

    def _only(self, order: NDArray[np.intp]) -> Leaf:
        """Return what bounds the only order of a case: where it breaks a demand, that row."""
        items = self.demands.unmarked(order)
        if self.demands.counts_hold(items) and np.array_equal(order, self.demands.marked(items)):
            return super()._only(order)
        place = np.argsort(order)
        weight = (self.upper - self.problem.floor) * WEIGHT_DENOMINATOR
        for number, row in enumerate(self.demands.rows(len(items))):
            if sum(place[i] < place[j] for i, j in row.arcs) < row.least:
                return Leaf(rows=((number, weight),))
        raise AssertionError("an order that breaks no row keeps to all counts")


def solve_constrained(
    votes: PairwiseMatrix,
    constraints: Constraints,
    *,
    tie_cost: float,
    effort: Effort,
    start: NDArray[np.intp] | None = None,
) -> Outcome:
    """Solve the problem of votes among rankings that keep constraints."""
    demands = constraints.over(votes.items)
    items, effort = effort.stated(lambda: Problem.from_pairwise(votes, tie_cost))
    wanted = orders.starting_orders(items.margins)[0] if start is None else start
    # Without a ranking that keeps the constraints there is nothing to return.
    ends = Deadline(max(effort.deadline.at, monotonic() + 10.0))
    levels = require_possible(demands, votes.items, wanted, ends)
    decided = demands.decided(items.n)
    assert decided is not None, "what can be kept does not contradict itself"
    by_level = np.lexsort((np.argsort(wanted), levels))
    inside = decided[: items.n, : items.n]
    feasible = demands.marked(extension(inside, by_level))

    problem = demands.with_markers(items)
    backend = partial(_solve_constrained_part, counts=Demands(counts=demands.counts))
    # Between two parts every pair goes the cheaper way, or the one that is demanded. What says how
    # many items are within the first places joins all of them.
    parts = [np.arange(problem.n)]
    if not demands.places:
        parts = ordered_parts(decided | ((problem.margins < 0) & ~decided.T))
    solved = solve_parts(problem, parts, backend, effort, start=feasible, decided=decided)
    found = demands.unmarked(solved.order)
    certificate = Certificate.build(
        votes, found.tolist(), solved.proofs, tie_cost=tie_cost, problem=items, demands=demands
    )
    # What counts places ties the choices in one block of optima to those in others.
    optima = None
    if not demands.places:
        problem = held(items, decided)
        optima = HeldOptima(
            items=votes.items, _problem=problem, _order=found, _free=items, _decided=decided
        )
    return checked_outcome(certificate, votes, solved, effort, optima)


def _solve_constrained_part(task: Task, counts: Demands) -> Solution:
    """Solve a part, from an order that keeps to all constraints."""
    assert task.decided is not None, "constraints decide pairs, or none of them"
    assert task.start is not None, "a part under constraints starts where they are kept"
    if not counts and not task.decided.any():
        return solve_cuts(replace(task, start=None))
    first = task.start
    return searched(
        lambda: ConstrainedSearch(
            task.problem, task.deadline, task.report, task.decided, start=first, demands=counts
        ),
        lambda: first,
    )
