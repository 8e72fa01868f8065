"""Lower bounds that anybody can check: weighted rows at the leaves of a tree of cases.

Every order of a, b, c uses at least one of the arcs a before b, b before c, c before a. Subtract
a cycle's weight from the cost of its three arcs: the cost of every order falls by at least that
weight. The cheaper direction of each pair bounds the remaining cost from below. Rows derived from
cycles work in the same way; a row states a lower bound on a weighted count of arcs used. An arc is
used at least 0 times; constraints demand more (see `Demands.ahead`). Valid rows result from adding
rows, cancelling i -> j against j -> i, dividing, and rounding both sides up to integers, because an
order uses an arc once or not at all (Chvátal 1973,
https://doi.org/10.1016/0012-365X(73)90167-2).

If that does not suffice, there are two further steps. If reversing a pair lifts the bound to some
threshold, the pair is fixed for all orders below the threshold; one set of weights can fix many
pairs. Or a pair is decided both ways: one case for i before j and one for j before i, and the bound
is the smaller of the two. In each case the pair, and what follows by transitivity, has a single
direction.

First of all, pairs can be decided without any threshold, because every optimum has them (see
`persistency`). Some optimum is among the remaining orders, so a bound on these holds for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Integers, Integers64, Positions
from rankagg.aggregation.kemeny.persistency import all_by_cut, all_by_exchange, closed
from rankagg.aggregation.kemeny.problem import PairCosts, Problem, SubsetTable
from rankagg.check_certificate import (
    WEIGHT_DENOMINATOR,
    Branch,
    Cut,
    Derived,
    Enumeration,
    Exchange,
    Fixing,
    Given,
    Leaf,
    Node,
    Persistent,
    ProofReader,
    row_form,
)
from rankagg.core import exact, sum_below
from rankagg.exceptions import VerificationError

# Up to this number of items, visiting all pairs is faster than finding those that rows use.
ALL_PAIRS_UP_TO = 150

AnyProblem = TypeVar("AnyProblem", bound=PairCosts)


class Form(NamedTuple):
    """A row: arcs from `tails` to `heads`, times `counts`, sum to at least `least`."""

    tails: Positions
    heads: Positions
    counts: Integers64
    least: int

    @classmethod
    def of_rows(cls, rows: Iterable[Derived], forms: Sequence[Form] = ()) -> list[Form]:
        """Return the forms of derived rows, which may use earlier forms and rows before them."""
        result = list(forms)

        def earlier(at: int) -> tuple[dict[tuple[int, int], int], int]:
            tails, heads, counts, least = result[at]
            arcs = zip(tails.tolist(), heads.tolist(), strict=True)
            return dict(zip(arcs, counts.tolist(), strict=True)), least

        for row in rows:
            counts, least = row_form(row, earlier)
            ends = np.array(list(counts), dtype=np.intp).reshape(-1, 2)
            numbers = np.array(list(counts.values()), dtype=np.int64)
            result.append(cls(ends[:, 0], ends[:, 1], numbers, least))
        return result[len(forms) :]


@dataclass(frozen=True, eq=False)
class Weighting:
    """Rows with their weights: a lower bound on the cost of every order.

    Subtracting a row's weight times its counts from the costs of its arcs lowers the cost of every
    order by at least the weight times `least`.
    """

    # Shape (m, 3). Positions a, b, c: an order uses a -> b, b -> c or c -> a. In weak orders:
    # if a is not below b and b not below c, a is not below c.
    triples: Positions
    # Shape (m,). Weights of the triples.
    weights: Integers
    forms: Sequence[Form] = ()
    # Shape (len(forms),). Weights of the derived rows.
    form_weights: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def of(cls, leaf: Leaf, where: Positions, forms: Sequence[Form] = ()) -> Weighting:
        """Return the rows of a leaf, with `where[i]` for position i, given derived `forms`."""
        triples = np.array(leaf.triples, dtype=np.intp).reshape(-1, 3)
        used = [forms[row] for row, _ in leaf.rows]
        row_weights = exact.fit(weight for _, weight in leaf.rows)
        return cls(where[triples], exact.fit(leaf.weights), used, row_weights)

    @classmethod
    def rounded(
        cls,
        triples: Positions,
        duals: Floats,
        unit: int,
        forms: Sequence[Form] = (),
        form_duals: Floats | None = None,
    ) -> Weighting:
        """Return rows with float weights, in multiples of `unit`, as integers.

        Any weights give a valid bound; rounding only weakens it.
        """
        weights = duals if form_duals is None else np.concatenate([duals, form_duals])
        scaled = np.where(np.isfinite(weights) & (weights > 0), weights, 0.0) * WEIGHT_DENOMINATOR
        integers: Integers
        # The unit itself must fit, even if all weights are 0.
        if scaled.max(initial=1.0) * unit < exact.INT64_SAFE / max(len(scaled), 1):
            integers = np.rint(scaled).astype(np.int64) * unit
        else:
            integers = exact.fit(round(weight) * unit for weight in scaled.tolist())
        return cls(triples, integers[: len(triples)], forms, integers[len(triples) :])

    @classmethod
    def empty(cls) -> Weighting:
        """Return an empty weighting."""
        return cls(np.empty((0, 3), dtype=np.intp), np.zeros(0, dtype=np.int64))

    def leaf(self, numbers: Positions | None = None) -> Leaf:
        """Return the rows of positive weight as a leaf; `numbers` identify the derived rows."""
        used, rows_used = self.weights > 0, self.form_weights > 0
        rows = [] if numbers is None else numbers[rows_used].tolist()
        return Leaf(
            tuple((a, b, c) for a, b, c in self.triples[used].tolist()),
            tuple(map(int, self.weights[used])),
            tuple(zip(rows, map(int, self.form_weights[rows_used]), strict=True)),
        )

    def reductions(self) -> tuple[Positions, Positions, Integers, int]:
        """Return tails, heads, the reduction of each arc's cost, and the cost common to all."""
        tails, heads = self.triples.T.ravel(), self.triples.T[[1, 2, 0]].ravel()
        amounts: Any = np.tile(self.weights, 3)
        paid = exact.sum_of(self.weights)
        if len(self.forms):
            times: Any = np.repeat(self.form_weights, [len(form.counts) for form in self.forms])
            counts = np.concatenate([form.counts for form in self.forms])
            tails = np.concatenate([tails, *(form.tails for form in self.forms)])
            heads = np.concatenate([heads, *(form.heads for form in self.forms)])
            amounts = np.concatenate([amounts, exact.multiply(times, counts)])
            least = np.array([form.least for form in self.forms], dtype=np.int64)
            paid += exact.sum_of(exact.multiply(self.form_weights, least))
        return tails, heads, exact.fit(amounts), paid


def least_first(cycles: NDArray[Any]) -> NDArray[Any]:
    """Return cycles of three, each turned so that it begins with its least item."""
    turns = (cycles.argmin(axis=1)[:, None] + np.arange(3)) % 3
    return np.take_along_axis(cycles, turns, axis=1)


def _least_total(problem: Problem, weighting: Weighting, decided: Bools) -> int:
    """Return the bound: cheaper or decided directions of all pairs, reduced by rows."""
    tails, heads, amounts, paid = weighting.reductions()
    if problem.n <= ALL_PAIRS_UP_TO:
        least = _least_of_all(problem, tails * problem.n + heads, amounts, decided)
        if least is not None:
            return least + paid
    total = problem.floor - problem.constant
    if decided.any():
        total += exact.sum_of(problem.margins[decided & (problem.margins > 0)])
    low, high, off = _by_pair(tails, heads, amounts, problem.n)
    costs: Any = np.stack([problem.costs[low, high], problem.costs[high, low]])
    costs = exact.multiply(costs, WEIGHT_DENOMINATOR)
    rest = exact.combine(costs, 1, off, -1)
    choice = decided[low, high], decided[high, low]
    less = exact.sum_of(_chosen(costs, *choice)) - exact.sum_of(_chosen(rest, *choice))
    return total * WEIGHT_DENOMINATOR + paid - less


def _least_of_all(
    problem: Problem, arcs: Positions, amounts: Integers, decided: Bools
) -> int | None:
    """Return the sum over the pairs of few items; None if machine integers could overflow."""
    n, costs = problem.n, problem.costs
    if object in (costs.dtype, amounts.dtype):
        return None
    most = exact.sum_of(amounts)
    largest = int(np.abs(costs).max(initial=0)) * WEIGHT_DENOMINATOR
    if most >= 2**53 or (largest + most) * n * n >= exact.INT64_SAFE:
        return None
    off = np.bincount(arcs, amounts, n * n).astype(np.int64).reshape(n, n)
    rest = costs * WEIGHT_DENOMINATOR - off
    chosen = np.minimum(rest, rest.T)
    if decided.any():
        chosen = np.where(decided, rest, np.where(decided.T, rest.T, chosen))
    return int(chosen.sum()) // 2  # every pair occurs twice


def _by_pair(
    tails: Positions, heads: Positions, amounts: Integers, n: int
) -> tuple[Positions, Positions, Integers]:
    """Return the pairs that arcs join, and the reductions of their two directions."""
    arcs = np.minimum(tails, heads) * n + np.maximum(tails, heads)
    pairs, where = np.unique(arcs, return_inverse=True)
    off: NDArray[Any] = np.zeros((2, len(pairs)), dtype=amounts.dtype)
    np.add.at(off, ((tails > heads).astype(np.intp), where.reshape(-1)), amounts)
    return pairs // n, pairs % n, off


def _chosen(costs: Integers, forward: Bools, backward: Bools) -> Integers:
    """Return the decided one of two costs for each pair, and the smaller one if open."""
    chosen: Integers = np.where(
        forward, costs[0], np.where(backward, costs[1], np.minimum(costs[0], costs[1]))
    )
    return chosen


def _with_the_others(problem: Problem, rest: NDArray[np.object_]) -> NDArray[np.object_]:
    """Extend bounds from a set that contains all optima to all orders.

    No order of the set costs less than the lower of a pair's two bounds. The set contains an
    optimum, so that holds for all orders. An order outside is no optimum, so it costs at least one
    step more.
    """
    pairs = ~np.eye(problem.n, dtype=bool)
    least = problem.next_attainable(Fraction(max(np.minimum(rest, rest.T)[pairs])))
    return np.minimum(rest, least + problem.step)


def _excess(problem: Problem, weighting: Weighting, decided: Bools) -> tuple[Integers, int]:
    """Return how much row before column adds to the bound of a case, and the bound; scaled."""
    rest = exact.multiply(problem.costs, WEIGHT_DENOMINATOR)
    tails, heads, amounts, paid = weighting.reductions()
    if object in (amounts.dtype, rest.dtype):
        rest, amounts = exact.widen(rest), exact.widen(amounts)
    np.subtract.at(rest, (tails, heads), amounts)
    cheaper = np.where(decided, rest, np.where(decided.T, rest.T, np.minimum(rest, rest.T)))
    return rest - cheaper, paid + sum_below(cheaper, np.arange(problem.n))


def renumbered_row(
    row: Derived, *, items: Callable[[int], int] = int, rows: Callable[[int], int] = int
) -> Derived:
    """Return a row with items and earlier rows renumbered."""

    def changed(source: Any) -> Any:
        if isinstance(source, int):
            return rows(source)
        if isinstance(source, Given):
            upper, lower = (tuple(map(items, side)) for side in (source.upper, source.lower))
            return Given(upper, lower, source.least)
        return tuple(map(items, source))

    return Derived(tuple((times, changed(source)) for times, source in row.terms), row.divisor)


def _compact(rows: Sequence[Derived], used: Iterable[int]) -> tuple[tuple[Derived, ...], list[int]]:
    """Return used rows with the rows they use, and the new number of each row."""
    needed = set(used)
    for at in range(len(rows) - 1, -1, -1):
        if at in needed:
            needed.update(source for _, source in rows[at].terms if isinstance(source, int))
    numbers = [-1] * len(rows)
    kept: list[Derived] = []
    for at in sorted(needed):
        numbers[at] = len(kept)
        kept.append(renumbered_row(rows[at], rows=numbers.__getitem__))
    return tuple(kept), numbers


def _leaf_of(node: Node) -> Leaf | None:
    """Return the weighted rows of a node; None if it has none."""
    if isinstance(node, Leaf):
        return node
    return node.leaf if isinstance(node, Fixing) else None


def _renumbered(node: Node, items: Callable[[int], int], rows: Callable[[int], int]) -> Node:
    """Return a node with items and derived rows renumbered."""
    if isinstance(node, Leaf):
        triples = tuple((items(a), items(b), items(c)) for a, b, c in node.triples)
        return Leaf(triples, node.weights, tuple((rows(row), w) for row, w in node.rows))
    if isinstance(node, Fixing):
        leaf = _renumbered(node.leaf, items, rows)
        assert isinstance(leaf, Leaf)
        return replace(node, leaf=leaf)
    if isinstance(node, Branch):
        return replace(node, first=items(node.first), second=items(node.second))
    if isinstance(node, Persistent):
        if isinstance(node, Cut):
            node = replace(node, above=tuple(map(items, node.above)))
        return replace(node, pairs=tuple((items(x), items(y)) for x, y in node.pairs))
    return node


def _row_to_dict(row: Derived) -> dict[str, Any]:
    """Return plain data for JSON."""

    def plain(source: Any) -> Any:
        if isinstance(source, Given):
            return {"ahead": [list(source.upper), list(source.lower)]}
        return source if isinstance(source, int) else list(source)

    terms = [[times, plain(source)] for times, source in row.terms]
    return {"terms": terms, "divisor": row.divisor}


def _node_to_dict(node: Node, words: type[ProofReader] = ProofReader) -> dict[str, Any]:
    """Return plain data for JSON, with the keys of a kind of certificate."""
    if isinstance(node, Leaf):
        triples = [[*t, w] for t, w in zip(node.triples, node.weights, strict=True)]
        return dict(zip(words.leaf_keys, (triples, [list(row) for row in node.rows]), strict=False))
    if isinstance(node, Fixing):
        return _node_to_dict(node.leaf, words) | {"threshold": node.threshold, "rest": node.rest}
    if isinstance(node, Branch):
        children = dict(zip(words.answers, (node.yes, node.no), strict=True))
        return {"pair": [node.first, node.second], **children}
    if isinstance(node, Persistent):
        pairs = [list(pair) for pair in node.pairs]
        if isinstance(node, Exchange):
            return {"exchange": pairs, "up": node.up, "down": node.down, "rest": node.rest}
        return {"above": list(node.above), "cut": pairs, "rest": node.rest}
    return {"enumeration": True}


@dataclass(frozen=True)
class Proof:
    """A bound for the items of one part that holds for any order of the others."""

    # The items of the part.
    positions: tuple[int, ...]
    # The tree of cases; the first node is the root, and children come after their parents.
    # `ProofReader` states and checks all requirements.
    nodes: tuple[Node, ...] = (Leaf(),)
    # The derived rows that the nodes use; each uses only those before it.
    rows: tuple[Derived, ...] = ()

    # The keys of a file.
    words: ClassVar[type[ProofReader]] = ProofReader

    # -- the relation that a case decides -----------------------------------------------------

    @staticmethod
    def nothing(n: int) -> Any:
        """Return the empty relation of n items."""
        return np.zeros((n, n), dtype=bool)

    @staticmethod
    def answered(known: Any, first: int, second: int, *, holds: bool = True) -> Any:
        """Add a pair, or its reverse, to a closed relation and close it under transitivity.

        None if it contradicts the relation.
        """
        first, second = (first, second) if holds else (second, first)
        if known[second, first]:
            return None
        above = known[:, first].copy()
        above[first] = True
        below = known[second].copy()
        below[second] = True
        return known | (above[:, None] & below)

    @staticmethod
    def least(problem: Any, weighting: Weighting, known: Any) -> int:
        """Return the bound of one case, raised to the next cost that an order can have."""
        base = _least_total(problem, weighting, known)
        return int(problem.next_attainable(Fraction(base, WEIGHT_DENOMINATOR)))

    @staticmethod
    def fixed(problem: Any, weighting: Weighting, known: Any, threshold: int) -> Any:
        """Decide all pairs whose reverse costs every order at least `threshold`.

        None if all orders of the case cost that much.
        """
        excess, base = _excess(problem, weighting, known)
        if problem.next_attainable(Fraction(base, WEIGHT_DENOMINATOR)) >= threshold:
            return None
        # More than the last attainable cost below the threshold is at least the threshold.
        last = problem.last_below(threshold) * WEIGHT_DENOMINATOR
        return closed(known | (excess > last - base).T)

    @classmethod
    def of_part(cls, part: Positions, nodes: Sequence[Node], rows: Sequence[Derived]) -> Self:
        """Return the proof of a part, given nodes over positions in it and the rows they use."""
        leaves = [leaf for leaf in map(_leaf_of, nodes) if leaf is not None]
        rows, numbers = _compact(rows, [row for leaf in leaves for row, _ in leaf.rows])
        where, number = part.tolist(), numbers.__getitem__
        at = where.__getitem__
        renumbered = tuple(_renumbered(node, at, number) for node in nodes)
        return cls(tuple(where), renumbered, tuple(renumbered_row(row, items=at) for row in rows))

    # -- the bound ----------------------------------------------------------------------------

    def bound(self, problem: PairCosts) -> int:
        """Return the proved lower bound of the part, in the units of the problem."""
        return self.bound_of(self.part_of(problem))

    def part_of(self, problem: AnyProblem) -> AnyProblem:
        """Return the problem of the part."""
        return problem.restrict(np.array(self.positions, dtype=np.intp))

    def bound_of(self, part: PairCosts, decided: Bools | None = None) -> int:
        """Return the same as `bound`, given the problem of the part.

        `decided` has pairs (row before column) that every order must respect, closed under
        transitivity.
        """
        walk = self.walk(part, decided)
        inner = Branch | Persistent
        bounds = [self._own(part, node, c) for _, node, c in walk if not isinstance(node, inner)]
        if not bounds:
            raise VerificationError("Every case of a proof contradicts itself.")
        return min(bounds)

    def forced_bounds(self, part: Problem) -> NDArray[np.object_]:
        """Return lower bounds on orders with row before column, for all pairs of a part."""
        n = part.n
        impossible = exact.sum_of(part.costs) + part.constant + 1
        nowhere = np.full((n, n), impossible, dtype=object)
        bounds: dict[int, NDArray[np.object_]] = {}
        # Parents come before children; contradictory cases are left out.
        for at, node, decided in reversed(list(self.walk(part))):
            if isinstance(node, Enumeration):
                raise TypeError("An enumeration has no weights.")
            if isinstance(node, Branch):
                bounds[at] = np.minimum(bounds.pop(node.yes, nowhere), bounds.pop(node.no, nowhere))
                continue
            if isinstance(node, Persistent):
                bounds[at] = _with_the_others(part, bounds.pop(node.rest))
                continue
            leaf = node.leaf if isinstance(node, Fixing) else node
            excess, base = _excess(part, self.weighting(leaf), decided)
            case = -((-exact.widen(excess) - base) // WEIGHT_DENOMINATOR) + part.constant
            if isinstance(node, Fixing):
                rest = bounds.pop(node.rest, nowhere)
                case = np.maximum(case, np.minimum(rest, node.threshold))
            case[decided.T] = impossible
            bounds[at] = case
        return bounds[0]

    def walk(self, part: PairCosts, decided: Any = None) -> Iterator[tuple[int, Node, Any]]:
        """Yield the index, node and decided pairs of each case, parents first.

        Raises `VerificationError` if an exchange or a cut does not hold. Contradictory cases, which
        contain no order, are left out.
        """
        stack = [(0, self.nothing(part.n) if decided is None else decided)]
        while stack:
            at, decided = stack.pop()
            node = self.nodes[at]
            yield at, node, decided
            cases = []
            if isinstance(node, Branch):
                first, second = int(self._where[node.first]), int(self._where[node.second])
                for child, holds in ((node.yes, True), (node.no, False)):
                    cases.append((child, self.answered(decided, first, second, holds=holds)))
            elif isinstance(node, Fixing):
                fixed = self.fixed(part, self.weighting(node.leaf), decided, node.threshold)
                cases = [(node.rest, fixed)]
            elif isinstance(node, Persistent):
                cases = [(node.rest, self._persistent(part, node, decided))]
            stack.extend((child, case) for child, case in cases if case is not None)

    def _persistent(self, part: Any, node: Persistent, known: Bools) -> Bools:
        """Add the pairs of a node that every optimum has; raise if that does not hold."""
        pairs = self._where[np.array(node.pairs, dtype=np.intp).reshape(-1, 2)]
        if isinstance(node, Exchange):
            holds = all_by_exchange(part, known, pairs, node.up, node.down)
        else:
            above = self._where[np.array(node.above, dtype=np.intp)]
            holds = all_by_cut(part, known, above, pairs)
        more = known.copy()
        more[tuple(pairs.T)] = True
        found = closed(more) if holds else None
        if found is None:
            raise VerificationError("The proof does not show that a pair is in every optimum.")
        return found

    @property
    def n_cases(self) -> int:
        """The number of cases."""
        return sum(isinstance(node, Leaf) for node in self.nodes)

    @property
    def n_triples(self) -> int:
        """The number of weighted triples, in cases and fixings."""
        return sum(len(leaf.triples) for leaf in self.leaves())

    def leaves(self) -> Iterator[Leaf]:
        """Yield the weighted rows of cases and fixings."""
        return (leaf for leaf in map(_leaf_of, self.nodes) if leaf is not None)

    def weighting(self, leaf: Leaf) -> Weighting:
        """Return the weighted rows of a case, over positions within the part."""
        return Weighting.of(leaf, self._where, self._forms)

    @cached_property
    def _where(self) -> Positions:
        """The place of each position within the part."""
        where = np.zeros(max(self.positions, default=0) + 1, dtype=np.intp)
        where[list(self.positions)] = np.arange(len(self.positions))
        return where

    @cached_property
    def _forms(self) -> list[Form]:
        where = self._where.tolist().__getitem__
        return Form.of_rows(renumbered_row(row, items=where) for row in self.rows)

    def _own(self, part: Any, node: Node, decided: Any) -> int:
        """Return the lower bound on orders whose case ends at this node."""
        if isinstance(node, Fixing):
            return node.threshold
        if isinstance(node, Leaf):
            return self.least(part, self.weighting(node), decided)
        return SubsetTable(part).cost

    # -- serialization ------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        content = {
            "positions": list(self.positions),
            "rows": [_row_to_dict(row) for row in self.rows],
            "nodes": [_node_to_dict(node, self.words) for node in self.nodes],
        }
        return {key: content[key] for key in self.words.keys}
