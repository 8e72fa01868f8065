"""The problem of lists in integers, what a list costs at least, and all beginnings of lists.

The problem in integers: a pair costs what its order does, times a weight of the upper place.

A list puts items on the first k places, one on each; all others are tied behind them. With the
weights w[1] >= ... >= w[k] > 0 of the places it costs

    constant + sum over places p of w[p] * sum over the items j behind p of gains[item at p, j].

For weights all equal to 1, `gains` is what the pair costs in that order less what it costs tied,
and the constant what all pairs cost tied: the cost of a weak order of that form.

What a list costs at least, of which the first places are known.

For weights of 1 on the first m of the places that are left, and 0 behind them, let T be the m
items on these. Every item of T pays for all items that are left, which counts pairs within T in
both orders: one of the two is taken back, at most the dearer one. Half of it is taken from each of
the two items, so an item x pays at least

    2 * (what x costs above all that are left) - (its m - 1 dearest pairs with them)

halves, and the m items that pay least bound the sum. Other weights are a sum of such ones, times
the steps from place to place. Only items that may be on these places count as the other of a pair.

Pairs that some best list has in one order: exchanging the two would cost no less.

Let x above any other item z cost no more than y above z does, z above x no less than z above y,
and x above y no more than y above x. Where y stands above x, let them change places. The pair and
those with an item between then cost no more, at the same weight; of those with an item behind
both, the cheaper x now has the larger weight. So the list costs no more. Every such exchange
brings it nearer to one order of all items (see `keys`), so some best list has all these pairs in
their order. It takes nothing but weights that do not grow from place to place.

Going through all beginnings of lists, but for those that bounds rule out: a proof, and a search.

A beginning is the set of items on the first places, with the cheapest order of them that was seen:
what follows pays for what is left, whatever the order before it. One item more at a time, a
beginning is left out

* where an item would come before one that some best list has above it (`exchanges`),
* where no list with this beginning costs less than the bound that is to be proved (`bounds`).

Where no list is left at the end, none costs less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import inf, lcm
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers, Positions
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.problem import as_share
from rankagg.aggregation.kemeny.proved import (
    FIRST_KEYS,
    ITEM_KEYS,
    SCALED,
    Proved,
    read_share,
    tolerance_of,
)
from rankagg.aggregation.kemeny.weak_proof import WeakProblem
from rankagg.check_certificate import NUMBER, BudgetError, Work
from rankagg.core import ItemSet, PairwiseMatrix, PartialRanking, as_ranking, counted, exact
from rankagg.exceptions import OutOfTimeError
from rankagg.io.strict_json import Field

# No sum that a search forms is more than so many times the gains of all pairs in both orders, and
# the largest weight.
TIMES = 16


@dataclass(frozen=True, eq=False)
class PlacedProblem:
    """Integer costs of pairs, and the weights of the places of the upper item."""

    # Shape (n, n). What row above column adds to the cost, for a place of weight 1; int64 where
    # every sum fits, else Python integers. The diagonal is 0.
    gains: Integers
    # What every list costs.
    constant: int
    # One for each place, none larger than the one before it, all above 0; at most n - 1.
    weights: tuple[int, ...]
    # What integers are divided by to be in votes.
    denominator: int

    @classmethod
    def from_pairwise(
        cls,
        votes: PairwiseMatrix,
        weights: Sequence[Fraction],
        tie_cost: float | Fraction,
        consensus_tie_cost: float | Fraction,
    ) -> PlacedProblem:
        """State the problem of pairwise votes."""
        pairs = WeakProblem.from_pairwise(votes, tie_cost, consensus_tie_cost)
        heard = list(weights)[: max(pairs.n - 1, 0)]
        whole = lcm(*(weight.denominator for weight in heard))
        scaled = tuple(int(weight * whole) for weight in heard)
        gains = exact.combine(pairs.above, 1, pairs.tied, -1)
        if exact.sum_of(np.abs(gains)) * TIMES >= exact.INT64_SAFE:
            gains = exact.widen(gains)
        constant = exact.sum_of(np.triu(pairs.tied, k=1)) * whole
        return cls(gains, constant, scaled, pairs.denominator * whole)

    @property
    def n(self) -> int:
        """The number of items."""
        return len(self.gains)

    @property
    def k(self) -> int:
        """The number of places that have a weight."""
        return len(self.weights)

    @property
    def floor(self) -> int:
        """The constant, for `Progress`: bounds are told with it, and there are no parts."""
        return self.constant

    @cached_property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """Places p with how much more their weight is than that of the next, where it is more.

        The cost is the sum over these of the step times the cost of the first p places, each of
        weight 1.
        """
        after = (*self.weights[1:], 0)
        both = enumerate(zip(self.weights, after, strict=True), 1)
        return tuple((p, weight - next_one) for p, (weight, next_one) in both if weight > next_one)

    @cached_property
    def _is_small(self) -> bool:
        largest = exact.sum_of(np.abs(self.gains)) * max(self.weights, default=1)
        return largest * TIMES < exact.INT64_SAFE

    def weighed(self, sums: Integers, weight: int) -> Integers:
        """Return sums of gains times a weight, of the type in which all weighted sums fit."""
        wide: Integers = sums.astype(np.int64 if self._is_small else object)
        return wide * weight

    def cost(self, placed: Positions) -> int:
        """Return the cost of a list: the positions on the first k places, best first."""
        is_behind = np.ones(self.n, dtype=bool)
        total = self.constant
        for item, weight in zip(placed.tolist(), self.weights, strict=True):
            is_behind[item] = False
            total += weight * exact.sum_of(self.gains[item, is_behind])
        return total

    def in_votes(self, scaled: int) -> float:
        """Turn a scaled cost into votes."""
        return float(Fraction(scaled, self.denominator))


# Numbers that are looked at in one go.
BOUND_CELLS = 2**22


class Bounds:
    """The bounds of one problem, with some items alone on the first k places."""

    def __init__(self, problem: PlacedProblem, items: Positions) -> None:
        self._problem = problem
        self.gains: Integers = problem.gains[np.ix_(items, items)]
        self.rest: Integers = problem.gains[items].sum(axis=1)
        r = len(items)
        off = ~np.eye(r, dtype=bool)
        others = np.broadcast_to(np.arange(r), (r, r))[off].reshape(r, -1)
        dearer = np.maximum(self.gains, self.gains.T)[off].reshape(r, -1)
        falling = np.argsort(-dearer, axis=1, kind="stable")
        self._others = np.take_along_axis(others, falling, axis=1)
        self._dearer = np.take_along_axis(dearer, falling, axis=1)

    def least(self, used: Bools, spent: Integers, rest: Integers, deadline: Deadline) -> Integers:
        """Return twice what lists with known beginnings cost at least, without the constant."""
        found = 2 * spent
        if not len(used):
            return found
        placed = int(used[0].sum())
        size = max(1, BOUND_CELLS // used.shape[1] ** 2)
        for start in range(0, len(used), size):
            deadline.seconds_left()
            rows = slice(start, start + size)
            for step, number, payments in self._payments(placed, used[rows], rest[rows]):
                payments.sort(axis=1)
                cheapest = payments[:, :number].sum(axis=1)
                found[rows] += self._problem.weighed(cheapest, step)
        return found

    def with_each(self) -> Integers:
        """Return twice what lists cost at least that have an item on a place; shape (r,)."""
        r = len(self.rest)
        used = np.zeros((1, r), dtype=bool)
        total = self._problem.weighed(np.zeros_like(self.rest), 1)
        for step, number, payments in self._payments(0, used, self.rest[None]):
            (row,) = payments
            cheapest = np.sort(row)[:number]
            paid = np.full_like(row, cheapest.sum())
            if number == self._problem.k:
                # Who is not among the cheapest takes the place of the dearest of them.
                paid += np.maximum(row - cheapest[-1], 0)
            total += self._problem.weighed(paid, step)
        return total

    def _payments(
        self, placed: int, used: Bools, rest: Integers
    ) -> Iterator[tuple[int, int, Integers]]:
        """Yield each step to come, its number of places left, and what every item left pays."""
        if placed >= self._problem.k:
            return
        which, item = np.nonzero(~used)
        left = used.shape[1] - placed
        is_left = ~used[which[:, None], self._others[item]]
        pairs = self._dearer[item][is_left].reshape(len(which), left - 1)
        twice = 2 * rest[which, item]
        taken, done = np.zeros_like(twice), 0
        for place, step in self._problem.steps:
            number = place - placed
            if number < 1:
                continue
            taken = taken + pairs[:, done : number - 1].sum(axis=1)
            done = number - 1
            yield step, number, (twice - taken).reshape(len(used), left)


def keys(gains: Integers) -> Positions:
    """Return the items by what they cost above all others, and then by what others cost above them.

    Where two can be exchanged for a cost that is no more, the better one comes first.
    """
    above, below = gains.sum(axis=1), gains.sum(axis=0)
    first = np.argsort(-below, kind="stable")
    return first[np.argsort(above[first], kind="stable")]


def contenders(gains: Integers, k: int, deadline: Deadline) -> tuple[Positions, Bools]:
    """Return the items that may be among the first k of a best list, and pairs that it keeps."""
    order = keys(gains)
    columns = gains.T.copy(order="C")
    is_out = np.zeros(len(gains), dtype=bool)
    better: dict[int, list[int]] = {}
    for at, item in enumerate(order.tolist()):
        deadline.seconds_left()
        found: list[int] = []
        start, size = 0, 64
        while start < at and not is_out[item]:
            block = order[start : min(start + size, at)]
            found += block[_exchanged_above(gains, columns, block, item)].tolist()
            is_out[item] = len(found) >= k or is_out[found].any()
            start, size = start + size, 2 * size
        better[item] = found
    items = order[~is_out[order]]
    place = {item: at for at, item in enumerate(items.tolist())}
    above = np.zeros((len(items), len(items)), dtype=bool)
    for item, at in place.items():
        above[[place[other] for other in better[item]], at] = True
    return items, above


def _exchanged_above(gains: Integers, columns: Integers, others: Positions, item: int) -> Bools:
    """Return which others an exchange puts above an item, of those before it among the keys."""
    likely: Bools = gains[others, item] <= gains[item, others]
    block = others[likely]
    # The pair itself is compared already, and the diagonal holds nothing.
    itself = np.zeros((len(block), len(gains)), dtype=bool)
    itself[:, item] = True
    itself[np.arange(len(block)), block] = True
    above = (gains[block] <= gains[item]) | itself
    below = (columns[block] >= columns[item]) | itself
    likely[likely] = above.all(axis=1) & below.all(axis=1)
    return likely


# Numbers that a layer of beginnings may hold, and those that come in one go.
LAYER_CELLS = 2**23
GROWN_AT_ONCE = 2**20


@dataclass(frozen=True, eq=False)
class Enumerated:
    """What came of going through the beginnings."""

    # What no list costs less than, scaled.
    bound: int
    # Shape (k,). The cheapest list seen that costs less than was asked for; None where there is
    # none.
    placed: Positions | None
    # Whether no beginning was dropped for lack of room.
    is_complete: bool = True


@dataclass(frozen=True, eq=False)
class Layer:
    """Beginnings with the same number of items."""

    # Shape (m, r). Their items.
    used: Bools
    # Shape (m,). What the items cost in the cheapest order seen.
    spent: Integers
    # Shape (m, r). What each item costs above all that are left.
    rest: Integers
    # Shape (m,). The row in the layer before, and the item that was added.
    parent: NDArray[np.int32]
    last: NDArray[np.int32]
    # Shape (m,). Twice what lists with this beginning cost at least.
    least: Integers

    def take(self, rows: NDArray[Any]) -> Layer:
        """Return some rows."""
        return Layer(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


def first_bound(problem: PlacedProblem, deadline: Deadline) -> int:
    """Return what no list costs less than, before anything is known of it; scaled."""
    bounds = Bounds(problem, np.arange(problem.n))
    used = np.zeros((1, problem.n), dtype=bool)
    nothing = problem.weighed(np.zeros_like(bounds.rest[:1]), 1)
    (twice,) = bounds.least(used, nothing, bounds.rest[None], deadline)
    return problem.constant + -(-int(twice) // 2)  # costs are integers


def layer_width(n: int) -> int:
    """Return how many beginnings of n items a layer may hold."""
    return max(LAYER_CELLS // max(n, 1), 1)


def enumerate_below(
    problem: PlacedProblem, below: int, deadline: Deadline, width: int | None = None
) -> Enumerated:
    """Look for lists that cost less than a number, and prove that there are none."""
    if not problem.k or first_bound(problem, deadline) >= below:
        return Enumerated(below, None)
    target = 2 * (below - problem.constant)
    items, above = contenders(problem.gains, problem.k, deadline)
    while True:
        if len(items) < problem.k:
            return Enumerated(below, None)
        kept = Bounds(problem, items).with_each() < target
        if kept.all():
            break
        items, above = items[kept], above[np.ix_(kept, kept)]
    room = layer_width(len(items))
    return _Walk(problem, items, above, target, min(width or room, room)).run(deadline)


class _Walk:
    """One way through the layers."""

    def __init__(
        self, problem: PlacedProblem, items: Positions, above: Bools, target: int, width: int
    ) -> None:
        self._problem, self._items = problem, items
        self._bounds = Bounds(problem, items)
        self._exchanged_above = above.astype(np.float32)
        self._target, self._width = target, width
        self._dropped: int | None = None

    def run(self, deadline: Deadline) -> Enumerated:
        r = len(self._items)
        none = self._problem.weighed(np.zeros_like(self._bounds.rest[:1]), 1)
        start = np.zeros(1, dtype=np.int32)
        layer = Layer(
            np.zeros((1, r), dtype=bool), none, self._bounds.rest[None], start, start, none
        )
        trail: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = []
        for weight in self._problem.weights:
            layer = self._next(layer, weight, deadline)
            trail.append((layer.parent, layer.last))
            if not len(layer.spent):
                break
        ends = [] if self._dropped is None else [self._dropped]
        placed = None
        if len(layer.spent):
            row = int(np.argmin(layer.spent))
            ends.append(2 * int(layer.spent[row]))
            placed = self._traced(trail, row)
        twice = min([*ends, self._target])
        bound = self._problem.constant + -(-twice // 2)
        return Enumerated(bound, placed, self._dropped is None)

    def _traced(
        self, trail: list[tuple[NDArray[np.int32], NDArray[np.int32]]], row: int
    ) -> Positions:
        backwards = []
        for parent, last in reversed(trail):
            backwards.append(int(last[row]))
            row = int(parent[row])
        return self._items[backwards[::-1]]

    def _next(self, layer: Layer, weight: int, deadline: Deadline) -> Layer:
        """Return the beginnings with one item more."""
        r = layer.used.shape[1]
        size = max(1, GROWN_AT_ONCE // r**2)
        grown: list[Layer] = []
        n_grown = 0
        for start in range(0, len(layer.spent), size):
            deadline.seconds_left()
            part = self._grown(layer, slice(start, start + size), weight, deadline)
            grown.append(part)
            n_grown += len(part.spent)
            if n_grown > 2 * self._width:
                grown = [self._kept(grown)]
                n_grown = len(grown[0].spent)
        return self._kept(grown)

    def _grown(self, layer: Layer, rows: slice, weight: int, deadline: Deadline) -> Layer:
        used = layer.used[rows]
        waits = (~used).astype(np.float32) @ self._exchanged_above > 0
        which, item = np.nonzero(~used & ~waits)
        parent = which + rows.start
        spent = layer.spent[parent] + self._problem.weighed(layer.rest[parent, item], weight)
        now = layer.used[parent]
        now[np.arange(len(item)), item] = True
        first = _cheapest_rows(now, spent)
        parent, item, spent, now = parent[first], item[first], spent[first], now[first]
        rest = layer.rest[parent] - self._bounds.gains[:, item].T
        least = self._bounds.least(now, spent, rest, deadline)
        whole = Layer(now, spent, rest, parent.astype(np.int32), item.astype(np.int32), least)
        return whole.take(np.flatnonzero(least < self._target))

    def _kept(self, grown: list[Layer]) -> Layer:
        """Return each beginning once, in its cheapest order, and the most promising ones alone."""
        layer = grown[0]
        if len(grown) > 1:
            names = layer.__dataclass_fields__
            layer = Layer(*(np.concatenate([getattr(g, name) for g in grown]) for name in names))
            layer = layer.take(_cheapest_rows(layer.used, layer.spent))
        if len(layer.spent) <= self._width:
            return layer
        order = np.argsort(layer.least, kind="stable")
        dropped = int(layer.least[order[self._width]])
        self._dropped = dropped if self._dropped is None else min(self._dropped, dropped)
        return layer.take(order[: self._width])


def _cheapest_rows(used: Bools, spent: Integers) -> Positions:
    """Return a row of each set of items: one that costs least."""
    if not len(used):
        return np.zeros(0, dtype=np.intp)
    bits = np.packbits(used, axis=1)
    spare = -bits.shape[1] % 8
    words = np.ascontiguousarray(np.pad(bits, ((0, 0), (0, spare)))).view(np.uint64)
    by_cost = np.argsort(spent, kind="stable")
    order = by_cost[np.lexsort(words[by_cost].T)]
    placed = words[order]
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (placed[1:] != placed[:-1]).any(axis=1)
    return order[is_first]


def _read_placed(field: Field, n: int) -> tuple[int, ...]:
    positions = field.integers(high=n - 1)
    if len(set(positions)) < len(positions) or len(positions) > n - 1:
        field.refuse(f"at most {n - 1} different positions")
    return tuple(positions)


def _read_weights(field: Field, k: int, price: Fraction) -> tuple[Fraction, ...]:
    """Return as many weights as there are places, none larger than the one before it."""
    elements = field.elements()
    weights = tuple(element.fraction() for element in elements)
    if len(weights) != k:
        field.refuse("a list with a weight for each position of `placed`")
    if any(first < second for first, second in pairwise(weights)) or 0 in weights:
        field.refuse("free of zeros, with no weight larger than the one before it")
    if price and any(weight != 1 for weight in weights):
        field.refuse('"1" everywhere unless `consensus_tie_cost` is "0"')
    return weights


class PlacedCertificate(Proved):
    """What is proved about a list where places count: none costs less than `lower_bound`.

    It holds no rows, as other certificates do: `verify` goes through all beginnings of lists in
    integers, leaving out those that a bound or an exchange of two items rules out. It takes no
    solver, and about as long as the bound took to find. The reference specifies the file. It has
    no plot.

    Attributes
    ----------
    items : tuple of str or int
        The items in the order in which positions count.
    placed : tuple of int, length k
        The positions on the first k places, best first; all others are tied behind them.
    weights : tuple of Fraction, length k
        The weights of the places, none larger than the one before it.
    scaled_cost, scaled_lower_bound : int
        The cost of the list and the proved bound, times `denominator`.
    denominator : int
        What scaled numbers are divided by to be in votes.
    tie_cost, consensus_tie_cost : Fraction
        What a vote that ties two items costs where the list does not, and what one that orders two
        costs where the list ties them.
    tolerance : Fraction
        By how much, in votes, a stated cost can be off because weights were no simple fractions; 0
        means exact.
    fingerprint : str
        `PairwiseMatrix.fingerprint` of the votes.
    """

    placed: tuple[int, ...]
    weights: tuple[Fraction, ...]
    consensus_tie_cost: Fraction

    _schema = "rankagg.placed_certificate"
    _keys = (*FIRST_KEYS, "consensus_tie_cost", *ITEM_KEYS, "weights", "placed", *SCALED)
    _called = "list"

    @classmethod
    def build(
        cls,
        votes: PairwiseMatrix,
        placed: Positions,
        bound: int,
        *,
        weights: Sequence[Fraction],
        tie_cost: float | Fraction,
        consensus_tie_cost: float | Fraction,
        problem: PlacedProblem | None = None,
    ) -> PlacedCertificate:
        """State what is known about a list.

        Parameters
        ----------
        votes : PairwiseMatrix
            The votes.
        placed : ndarray of int, shape (k,)
            The positions on the first places.
        bound : int
            What no list costs less than, scaled; `verify` checks it.
        weights : sequence of Fraction
            The weights of the first k places.
        tie_cost, consensus_tie_cost : float or Fraction
            What ties cost; see the class.
        problem : PlacedProblem, optional
            What the votes state at these weights and prices, where it is known.

        Returns
        -------
        PlacedCertificate
        """
        if problem is None:
            problem = PlacedProblem.from_pairwise(votes, weights, tie_cost, consensus_tie_cost)
        return cls(
            items=votes.items.labels,
            placed=tuple(placed.tolist()),
            weights=tuple(weights[: problem.k]),
            scaled_cost=problem.cost(placed),
            scaled_lower_bound=bound,
            denominator=problem.denominator,
            tie_cost=as_share(tie_cost),
            consensus_tie_cost=as_share(consensus_tie_cost),
            tolerance=_tolerance(votes, weights[: problem.k]),
            fingerprint=votes.fingerprint,
        )

    @cached_property
    def ranking(self) -> PartialRanking:
        """The list whose cost is stated; a `Permutation` where it leaves out no more than one."""
        k = len(self.placed)
        ranks = np.full(len(self.items), k, dtype=np.int32)
        ranks[list(self.placed)] = np.arange(k)
        return as_ranking(ranks, ItemSet(self.items))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per place of the list.

        Returns
        -------
        pandas.DataFrame
            Columns rank (from 1), item and weight.
        """
        return pd.DataFrame(
            {
                "rank": range(1, len(self.placed) + 1),
                "item": ItemSet(self.items).at(np.array(self.placed, dtype=np.intp)),
                "weight": [float(weight) for weight in self.weights],
            }
        )

    def _means(self) -> str:
        return f"the beginnings of lists of {counted(len(self.placed), 'item')}"

    # -- its proof ----------------------------------------------------------------------------

    def _problem(self, votes: PairwiseMatrix) -> PlacedProblem:
        return PlacedProblem.from_pairwise(
            votes, self.weights, self.tie_cost, self.consensus_tie_cost
        )

    def _tolerance_of(self, votes: PairwiseMatrix) -> Fraction:
        return _tolerance(votes, self.weights)

    def _cost_in(self, problem: PlacedProblem) -> int:
        return problem.cost(np.array(self.placed, dtype=np.intp))

    def _bound_in(self, problem: PlacedProblem, work: Work) -> int:
        n, number = problem.n, NUMBER if problem.gains.dtype == object else 8
        work.hold(12 * number * n**2)
        # A beginning has what each item costs, twice, and some of them are grown before all.
        width = int(min(layer_width(n), work.size / (4 * n * (1 + 2 * number))))
        try:
            found = enumerate_below(
                problem, self.scaled_lower_bound, Deadline(work.ends), max(width, 1)
            )
        except OutOfTimeError:
            raise BudgetError(f"it takes more than {work.seconds:g} s") from None
        is_short = not found.is_complete and width < layer_width(n)
        if is_short and found.bound < self.scaled_lower_bound:
            work.hold(inf)
        return found.bound

    # -- on paper -----------------------------------------------------------------------------

    @staticmethod
    def _read_order(members: dict[str, Field], n: int) -> dict[str, Any]:
        price = read_share(members["consensus_tie_cost"])
        placed = _read_placed(members["placed"], n)
        weights = _read_weights(members["weights"], len(placed), price)
        return {"consensus_tie_cost": price, "placed": placed, "weights": weights}

    def _plain_order(self) -> dict[str, Any]:
        return {
            "consensus_tie_cost": str(self.consensus_tie_cost),
            "weights": [str(weight) for weight in self.weights],
            "placed": list(self.placed),
        }


def _tolerance(votes: PairwiseMatrix, weights: Sequence[Fraction]) -> Fraction:
    """Return by how much a cost can be off: no pair counts more than the first weight."""
    return tolerance_of(votes) * max(weights, default=Fraction(1))
