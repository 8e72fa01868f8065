"""Lower bounds that anybody can check: weighted rows, at the leaves of a tree of cases.

Every order of a, b, c uses at least one of the arcs a before b, b before c, c before a. So taking
a cycle's weight off the cost of its three arcs lowers the cost of every order by at least that
weight, and the cheaper direction of each pair bounds what is left from below. Rows that are derived
from cycles count in the same way: they say "these arcs, each as often as it counts, are used so
many times at least". An arc is used no less than never; constraints demand more (see
`Demands.ahead`). Adding rows up, taking out that an order uses i -> j or j -> i, dividing, and
rounding both sides up to whole numbers gives a row again, because an order uses an arc once or not
at all (Chvátal 1973, https://doi.org/10.1016/0012-365X(73)90167-2).

Where that is not enough, there are two ways on. A pair that lifts the bound to some threshold when
it is turned round can be fixed for all orders below the threshold, so one set of weights fixes
many pairs at once. And a pair can be decided both ways: one case for i before j and one for j
before i, and the bound is the smaller of the two. In each case the pair, and what follows from the
decisions by transitivity, has only one direction to choose from.

Before all that, pairs can be decided without any threshold, because no optimum has them the other
way (see `persistency`). Some optimum is among the orders that are left, so what is proved of these
is proved of all.
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

# Of so few items all pairs are looked at, which is quicker than finding those that rows touch.
ALL_PAIRS_UP_TO = 150

AnyProblem = TypeVar("AnyProblem", bound=PairCosts)


class Form(NamedTuple):
    """What a row says: the arcs from `tails` to `heads` count `counts`, and reach `least`."""

    tails: Positions
    heads: Positions
    counts: Integers64
    least: int

    @classmethod
    def of_rows(cls, rows: Iterable[Derived], forms: Sequence[Form] = ()) -> list[Form]:
        """Return what derived rows say, which use those of some forms and the ones before."""
        known = list(forms)

        def earlier(at: int) -> tuple[dict[tuple[int, int], int], int]:
            tails, heads, counts, least = known[at]
            arcs = zip(tails.tolist(), heads.tolist(), strict=True)
            return dict(zip(arcs, counts.tolist(), strict=True)), least

        for row in rows:
            counts, least = row_form(row, earlier)
            ends = np.array(list(counts), dtype=np.intp).reshape(-1, 2)
            numbers = np.array(list(counts.values()), dtype=np.int64)
            known.append(cls(ends[:, 0], ends[:, 1], numbers, least))
        return known[len(forms) :]


@dataclass(frozen=True, eq=False)
class Weighting:
    """Rows with their weights: a lower bound on what every order costs.

    Taking a row's weight off the cost of its arcs, as often as each counts, lowers the cost of
    every order by the weight times `least`, or more.
    """

    # Shape (m, 3). Positions a, b, c: an order uses a -> b, b -> c or c -> a. In weak orders:
    # where a is not below b and b not below c, a is not below c.
    triples: Positions
    # Shape (m,). Of the triples.
    weights: Integers
    forms: Sequence[Form] = ()
    # Shape (len(forms). Of the derived rows.
    form_weights: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def of(cls, leaf: Leaf, where: Positions, forms: Sequence[Form] = ()) -> Weighting:
        """Return the rows of a leaf with `where[i]` for position i, and `forms` of derived ones."""
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

        Whatever they are, the bound that they make is valid; rounding only weakens it.
        """
        weights = duals if form_duals is None else np.concatenate([duals, form_duals])
        scaled = np.where(np.isfinite(weights) & (weights > 0), weights, 0.0) * WEIGHT_DENOMINATOR
        whole: Integers
        # The unit must fit by itself, even where all weights are 0.
        if scaled.max(initial=1.0) * unit < exact.INT64_SAFE / max(len(scaled), 1):
            whole = np.rint(scaled).astype(np.int64) * unit
        else:
            whole = exact.fit(round(weight) * unit for weight in scaled.tolist())
        return cls(triples, whole[: len(triples)], forms, whole[len(triples) :])

    @classmethod
    def empty(cls) -> Weighting:
        """Return no rows."""
        return cls(np.empty((0, 3), dtype=np.intp), np.zeros(0, dtype=np.int64))

    def leaf(self, numbers: Positions | None = None) -> Leaf:
        """Return the rows with a weight as a leaf of a proof; `numbers` of the derived ones."""
        used, rows_used = self.weights > 0, self.form_weights > 0
        rows = [] if numbers is None else numbers[rows_used].tolist()
        return Leaf(
            tuple((a, b, c) for a, b, c in self.triples[used].tolist()),
            tuple(map(int, self.weights[used])),
            tuple(zip(rows, map(int, self.form_weights[rows_used]), strict=True)),
        )

    def taken(self) -> tuple[Positions, Positions, Integers, int]:
        """Return tails, heads and what is taken off each arc; and what all orders pay for it."""
        tails, heads = self.triples.T.ravel(), self.triples.T[[1, 2, 0]].ravel()
        amounts: Any = np.tile(self.weights, 3)
        paid = exact.sum_of(self.weights)
        if len(self.forms):
            lengths = [len(form.counts) for form in self.forms]
            times: Any = np.repeat(self.form_weights, lengths)
            counts = np.concatenate([form.counts for form in self.forms])
            tails = np.concatenate([tails, *(form.tails for form in self.forms)])
            heads = np.concatenate([heads, *(form.heads for form in self.forms)])
            amounts = np.concatenate([amounts, exact.multiply(times, counts)])
            least = np.array([form.least for form in self.forms], dtype=np.int64)
            paid += exact.sum_of(exact.multiply(self.form_weights, least))
        return tails, heads, exact.fit(amounts), paid


def _least_total(problem: Problem, weighting: Weighting, decided: Bools) -> int:
    """Return the sum of the cheaper or decided directions of all pairs, less what rows take off."""
    tails, heads, amounts, paid = weighting.taken()
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
    """Return the sum over the pairs of few items at once; None where machine integers are short."""
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
    return int(chosen.sum()) // 2  # every pair stands there twice


def _by_pair(
    tails: Positions, heads: Positions, amounts: Integers, n: int
) -> tuple[Positions, Positions, Integers]:
    """Return the pairs that arcs join, and what is taken off each of their two directions."""
    arcs = np.minimum(tails, heads) * n + np.maximum(tails, heads)
    pairs, where = np.unique(arcs, return_inverse=True)
    off: NDArray[Any] = np.zeros((2, len(pairs)), dtype=amounts.dtype)
    np.add.at(off, ((tails > heads).astype(np.intp), where.reshape(-1)), amounts)
    return pairs // n, pairs % n, off


def _chosen(costs: Integers, forward: Bools, backward: Bools) -> Integers:
    """Return the first of two costs where it is decided, the second where that is, or the less."""
    chosen: Integers = np.where(
        forward, costs[0], np.where(backward, costs[1], np.minimum(costs[0], costs[1]))
    )
    return chosen


def _with_the_others(problem: Problem, rest: NDArray[np.object_]) -> NDArray[np.object_]:
    """Return the bounds of all orders from those of orders among which all optima are.

    Whichever way a pair is, no order of the rest costs less than the lower of its two bounds. Some
    optimum is in the rest, so that holds for all orders; and an order outside is no optimum, so it
    costs a step more at least.
    """
    pairs = ~np.eye(problem.n, dtype=bool)
    least = problem.next_attainable(Fraction(max(np.minimum(rest, rest.T)[pairs])))
    bounds: NDArray[np.object_] = np.minimum(rest, least + problem.step)
    return bounds


def _excess(problem: Problem, weighting: Weighting, decided: Bools) -> tuple[Integers, int]:
    """Return what row before column adds to the bound of a case, and that bound; scaled."""
    rest = exact.multiply(problem.costs, WEIGHT_DENOMINATOR)
    tails, heads, amounts, paid = weighting.taken()
    if object in (amounts.dtype, rest.dtype):
        rest, amounts = exact.widen(rest), exact.widen(amounts)
    np.subtract.at(rest, (tails, heads), amounts)
    cheaper = np.where(decided, rest, np.where(decided.T, rest.T, np.minimum(rest, rest.T)))
    return rest - cheaper, paid + sum_below(cheaper, np.arange(problem.n))


def _same(number: int) -> int:
    """Return a number as it is."""
    return number


def renumbered_row(
    row: Derived, *, items: Callable[[int], int] = _same, rows: Callable[[int], int] = _same
) -> Derived:
    """Return a row with other numbers of items, and of earlier rows."""

    def changed(source: Any) -> Any:
        if isinstance(source, int):
            return rows(source)
        if isinstance(source, Given):
            upper, lower = (tuple(map(items, side)) for side in (source.upper, source.lower))
            return Given(upper, lower, source.least)
        return tuple(map(items, source))

    return Derived(tuple((times, changed(source)) for times, source in row.terms), row.divisor)


def _compact(rows: Sequence[Derived], used: Iterable[int]) -> tuple[tuple[Derived, ...], list[int]]:
    """Return the rows that are used, with those that they use, and the new number of each row."""
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
    """Return the weighted rows of a node; None where it has none."""
    if isinstance(node, Leaf):
        return node
    return node.leaf if isinstance(node, Fixing) else None


def _renumbered(node: Node, items: Callable[[int], int], rows: Callable[[int], int]) -> Node:
    """Return a node with other numbers of items and derived rows."""
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
        pairs = tuple((items(x), items(y)) for x, y in node.pairs)
        if isinstance(node, Cut):
            node = replace(node, above=tuple(map(items, node.above)))
        return replace(node, pairs=pairs)
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
    """Return plain data for JSON, in the words of a kind of certificate."""
    if isinstance(node, Leaf):
        triples = [[*t, w] for t, w in zip(node.triples, node.weights, strict=True)]
        rows = [list(row) for row in node.rows]
        return dict(zip(words.leaf_keys, (triples, rows), strict=False))
    if isinstance(node, Fixing):
        ends = {"threshold": node.threshold, "rest": node.rest}
        return _node_to_dict(node.leaf, words) | ends
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
    """A bound for the items of one part, whatever the order of the others."""

    # The items of the part.
    positions: tuple[int, ...]
    # The tree of cases; the first node is the root, and children stand behind their parents.
    # `ProofReader` says what else a proof must be, and checks it.
    nodes: tuple[Node, ...] = (Leaf(),)
    # The derived rows that the nodes use; each uses only those before it.
    rows: tuple[Derived, ...] = ()

    # How a file calls its parts.
    words: ClassVar[type[ProofReader]] = ProofReader

    # -- what is known in a case, and what follows --------------------------------------------

    @staticmethod
    def nothing(n: int) -> Any:
        """Return what is known of n items at first."""
        return np.zeros((n, n), dtype=bool)

    @staticmethod
    def answered(known: Any, first: int, second: int, *, holds: bool = True) -> Any:
        """Add that the first item is before the second, or the reverse, and what follows.

        None if it contradicts what is known.
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
        """Decide all pairs whose other direction makes every order cost at least `threshold`.

        None where all orders of the case do.
        """
        excess, base = _excess(problem, weighting, known)
        if problem.next_attainable(Fraction(base, WEIGHT_DENOMINATOR)) >= threshold:
            return None
        # More than the last attainable cost below the threshold is at least the threshold.
        last = problem.last_below(threshold) * WEIGHT_DENOMINATOR
        return closed(known | (excess > last - base).T)

    @classmethod
    def of_part(cls, part: Positions, nodes: Sequence[Node], rows: Sequence[Derived]) -> Self:
        """Return the proof of a part from nodes over positions in it, with the rows they use."""
        leaves = [leaf for leaf in map(_leaf_of, nodes) if leaf is not None]
        rows, numbers = _compact(rows, [row for leaf in leaves for row, _ in leaf.rows])
        where, number = part.tolist(), numbers.__getitem__
        at = where.__getitem__
        renumbered = tuple(_renumbered(node, at, number) for node in nodes)
        return cls(tuple(where), renumbered, tuple(renumbered_row(row, items=at) for row in rows))

    # -- the bound ----------------------------------------------------------------------------

    def bound(self, problem: PairCosts) -> int:
        """Return what the proof proves about the part, in the units of the problem."""
        return self.bound_of(self.part_of(problem))

    def part_of(self, problem: AnyProblem) -> AnyProblem:
        """Return the problem of the part."""
        return problem.restrict(np.array(self.positions, dtype=np.intp))

    def bound_of(self, part: PairCosts, decided: Bools | None = None) -> int:
        """Return what `bound` returns, from the problem of the part.

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
        """Return for every pair of a part what an order costs at least with row before column."""
        n = part.n
        impossible = exact.sum_of(part.costs) + part.constant + 1
        nowhere = np.full((n, n), impossible, dtype=object)
        bounds: dict[int, NDArray[np.object_]] = {}
        walk = list(self.walk(part))
        # Children are walked after their parents; those without orders are not.
        for at, node, decided in reversed(walk):
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
        """Yield each node with its index and what its case has decided, parents first.

        Raises `VerificationError` where an exchange or a cut does not hold.
        Cases that contradict themselves hold no order and are left out.
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
        """Return what is known of every optimum with the pairs of a node; raise if they fail."""
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
        """The number of cases that are distinguished."""
        return sum(isinstance(node, Leaf) for node in self.nodes)

    @property
    def n_triples(self) -> int:
        """The number of weighted triples, in cases and in what fixes pairs."""
        return sum(len(leaf.triples) for leaf in self.leaves())

    def leaves(self) -> Iterator[Leaf]:
        """Yield the weighted rows of cases and of what fixes pairs."""
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
        """Return what the orders cost at least that end at this node."""
        if isinstance(node, Fixing):
            return node.threshold
        if isinstance(node, Leaf):
            return self.least(part, self.weighting(node), decided)
        return SubsetTable(part).cost

    # -- on paper -----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        content = {
            "positions": list(self.positions),
            "rows": [_row_to_dict(row) for row in self.rows],
            "nodes": [_node_to_dict(node, self.words) for node in self.nodes],
        }
        return {key: content[key] for key in self.words.keys}
