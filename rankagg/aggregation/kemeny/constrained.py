"""From votes and constraints to the exact consensus among rankings that keep them.

Whether constraints can be kept at all, and which of them contradict each other.

Let y[i, k] be 1 where item i is within the first k places, for every k that a constraint names.
Sets of k items that grow with k, of which no item lacks one that must be above it, are all that an
order needs: it takes the items set by set. Where some constraints may be broken, a number for each
item that grows along all pairs "above" that are kept holds the rest of the order.

Branch and bound where constraints decide pairs and demand rows; see `demands`.

Rows that constraints demand are in the relaxation from the start, and stay. Each has a column of
its own that makes up what it lacks, at a price above the cost of any order that is still looked
for. So a case that holds no order is one that costs too much, and its weights say so in the proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats
from rankagg.aggregation.base import Outcome, checked_outcome
from rankagg.aggregation.deadline import NEVER, Deadline
from rankagg.aggregation.kemeny import orders
from rankagg.aggregation.kemeny import orders as heuristics
from rankagg.aggregation.kemeny.branch_and_bound import UNDECIDED, Search, searched
from rankagg.aggregation.kemeny.certificate import Certificate
from rankagg.aggregation.kemeny.constraints import Constraints, Count, Demands
from rankagg.aggregation.kemeny.cuts import solve_cuts
from rankagg.aggregation.kemeny.incumbent import Incumbent, extension
from rankagg.aggregation.kemeny.optima import HeldOptima, held
from rankagg.aggregation.kemeny.parts import (
    Effort,
    Solution,
    Task,
    solve_parts,
)
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


class _Program:
    """Sets of first places that keep to some constraints, or to most of them."""

    def __init__(
        self, n: int, parts: list[Part], *, soft: bool, wanted: NDArray[np.intp] | None = None
    ) -> None:
        counts = [part.as_count(n) for part in parts if isinstance(part, Within)]
        self._n = n
        self._program = program = IntegerProgram()
        self.places = sorted({count.within for count in counts if count.within > 0})
        cost = np.argsort(np.arange(n) if wanted is None else wanted).tolist()
        self._inside = {
            place: [
                int(program.columns([1], cost=0 if wanted is None else cost[i])[0])
                for i in range(n)
            ]
            for place in self.places
        }
        for at, place in enumerate(self.places):
            columns = self._inside[place]
            program.at_least(dict.fromkeys(columns, 1), place)
            program.at_least(dict.fromkeys(columns, -1), -place)
            if at:
                for lower, upper in zip(self._inside[self.places[at - 1]], columns, strict=True):
                    program.at_least({upper: 1, lower: -1}, 0)
        self.broken = program.columns([1] * len(parts), cost=1) if soft else None
        heights = program.columns([n - 1] * n, whole=False) if soft else None
        for number, part in enumerate(parts):
            may = None if self.broken is None else int(self.broken[number])
            if isinstance(part, Above):
                for columns in self._inside.values():
                    self._demand({columns[part.first]: 1, columns[part.second]: -1}, 0, 1, may)
                if heights is not None:
                    up, down = int(heights[part.first]), int(heights[part.second])
                    self._demand({down: 1, up: -1}, 1, n, may)
            else:
                count = part.as_count(n)
                if count.within:
                    columns = self._inside[count.within]
                    kept = {columns[i]: 1 for i in count.items}
                    self._demand(kept, count.at_least, max(count.at_least, 0), may)

    def _demand(self, row: dict[int, int], least: int, slack: int, may: int | None) -> None:
        """Add a row, which need not hold where the constraint may be broken, and is."""
        self._program.at_least(row if may is None else {**row, may: slack}, least)

    def keep(self, number: int) -> None:
        """Demand one of the constraints."""
        assert self.broken is not None, "all are kept already"
        self._program.fix(int(self.broken[number]), 0)

    def solve(self, deadline: Deadline) -> NDArray[np.int64] | None:
        return self._program.solve(deadline).values

    def levels(self, values: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return how many of the sets leave out each item."""
        found = np.zeros(self._n, dtype=np.intp)
        for columns in self._inside.values():
            found += values[columns] == 0
        return found


def levels(
    demands: Demands, n: int, wanted: NDArray[np.intp], deadline: Deadline = NEVER
) -> NDArray[np.intp] | None:
    """Return a level for each item: orders that go level by level, and keep pairs, keep to all."""
    program = _Program(n, parts_of(demands), soft=False, wanted=wanted)
    if not program.places:
        return np.zeros(n, dtype=np.intp)
    values = program.solve(deadline)
    return None if values is None else program.levels(values)


def conflict(demands: Demands, n: int, deadline: Deadline = NEVER) -> list[Part]:
    """Return a smallest set of constraints that no order keeps together.

    Every set that breaks too few for the rest to be kept must be hit: a smallest set that hits all
    that are known is either in conflict, and then no smaller one is, or can be kept by breaking
    others, which make one more set.

    References
    ----------
    Ignatiev, Previti, Liffiton and Marques-Silva (2015),
    https://doi.org/10.1007/978-3-319-23219-5_13.
    """
    parts = parts_of(demands)
    hitting = IntegerProgram()
    chosen = hitting.columns([1] * len(parts), cost=1)
    while True:
        picked = hitting.solve(deadline).values
        assert picked is not None, "all constraints together hit every set"
        some = np.flatnonzero(picked[chosen])
        program = _Program(n, parts, soft=True)
        for number in some.tolist():
            program.keep(number)
        values = program.solve(deadline)
        if values is None:
            return [parts[number] for number in some]
        assert program.broken is not None
        broken = np.flatnonzero(values[program.broken])
        hitting.at_least({int(chosen[number]): 1 for number in broken}, 1)


def require_possible(
    demands: Demands, items: ItemSet, wanted: NDArray[np.intp], deadline: Deadline = NEVER
) -> NDArray[np.intp]:
    """Return a level for each item, see `levels`."""
    n = len(items)
    found = None if demands.decided(n) is None else levels(demands, n, wanted, deadline)
    if found is None:
        words = tuple(part.words(items) for part in conflict(demands, n, deadline))
        raise InfeasibleError(
            "No ranking keeps all constraints: "
            + (f"{'; '.join(words)} contradict each other, and no smaller set of them does."
               if len(words) > 1 else f"{words[0]} is impossible."),
            words,
        )  # fmt: skip
    return found


# Moves that are tried after one another before an order counts as a local optimum.
TRIED = 4

# Kicks before the first relaxation, and how many items each moves.
SEED, KICKS, STRENGTH = 0, 40, 3

NOTHING = Demands()


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
            (_exchange_gains(permuted), _exchanged),
        ):
            best = np.argsort(-gains, axis=None, kind="stable")[: TRIED * n]
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
        rng = np.random.default_rng(SEED)
        items = self._demands.unmarked(self.order)
        cost = self.cost
        for _ in range(KICKS):
            if self._ends.is_over:
                return
            near = orders.kicked(items, rng, STRENGTH)
            if not self._demands.counts_hold(near):
                continue
            order = self._improved(self._demands.marked(near))
            self._keep(order)
            new = self._problem.cost(order)
            # What is decided outweighs all costs in the margins, and so in the moves.
            if new <= cost and self.cost <= new:
                items, cost = self._demands.unmarked(order), new

    def search(self) -> None:
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


def _exchanged(n: int, first: int, second: int) -> NDArray[np.intp]:
    """Return the positions in the order in which they stand after two have changed places."""
    route = np.arange(n)
    route[[first, second]] = second, first
    return route


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
    demands: Demands = NOTHING

    def _first_order(self, decided: Bools) -> Incumbent:
        if not self.demands:
            return super()._first_order(decided)  # it keeps to pairs by itself
        assert self.start is not None, "a search under constraints starts where they are kept"
        return FeasibleIncumbent(
            self.problem, self._unit, decided, self.start,
            demands=self.demands, deadline=self.deadline,
        )  # fmt: skip

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
        if self.demands.counts_hold(self.demands.unmarked(order)) and np.array_equal(
            order, self.demands.marked(self.demands.unmarked(order))
        ):
            return super()._only(order)
        place = np.argsort(order)
        weight = (self.upper - self.problem.floor) * WEIGHT_DENOMINATOR
        for number, row in enumerate(self.demands.rows(len(self.demands.unmarked(order)))):
            if sum(place[i] < place[j] for i, j in row.arcs) < row.least:
                return Leaf(rows=((number, weight),))
        raise AssertionError("an order that breaks no row keeps to all counts")


# Without a ranking that keeps the constraints there is nothing to return when the time is over.
SECONDS_TO_BEGIN = 10.0


def solve_constrained(
    votes: PairwiseMatrix,
    constraints: Constraints,
    *,
    tie_cost: float,
    effort: Effort,
    start: NDArray[np.intp] | None = None,
) -> tuple[Outcome, bool]:
    """Solve the problem of votes among rankings that keep constraints; say if it was stopped."""
    demands = constraints.over(votes.items)
    items, effort = effort.stated(lambda: Problem.from_pairwise(votes, tie_cost))
    wanted = heuristics.starting_orders(items.margins)[0] if start is None else start
    ends = Deadline(max(effort.deadline.at, monotonic() + SECONDS_TO_BEGIN))
    levels = require_possible(demands, votes.items, wanted, ends)
    decided = demands.decided(items.n)
    assert decided is not None, "what can be kept does not contradict itself"
    by_level = np.lexsort((np.argsort(wanted), levels))
    inside = decided[: items.n, : items.n]
    feasible = demands.marked(extension(inside, by_level))

    problem = demands.with_markers(items)
    backend = partial(_solve_part, counts=Demands(counts=demands.counts))
    parts = _parts(problem, decided, demands)
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
    outcome = checked_outcome(
        certificate,
        votes,
        solved.notes,
        optima,
        verify=effort.verify,
        interrupted=solved.interrupted,
    )
    return outcome, solved.is_stopped


def _parts(problem: Problem, decided: Bools, demands: Demands) -> list[NDArray[np.intp]]:
    """Return parts such that their best orders, one after the other, are the best order.

    Between two of them every pair goes the cheaper way, or the one that is demanded. What says
    how many items are within the first places joins all of them.
    """
    if demands.places:
        return [np.arange(problem.n)]
    return ordered_parts(decided | ((problem.margins < 0) & ~decided.T))


def _solve_part(task: Task, counts: Demands) -> Solution:
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
