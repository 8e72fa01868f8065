"""What proofs are made of: rows that every order obeys, and the nodes of a tree of cases.

What every order obeys: cycles, and rows that are derived from them.

A row says "these arcs, each as often as it counts, are used so many times at least". An arc is used
no less than never, and a cycle at least once; constraints demand more (see `demands`); the rest is
made of these. Adding rows up, taking out that an order uses i -> j or j -> i, dividing, and
rounding both sides up to whole numbers gives a row again (Chvátal and Gomory), because an order
uses an arc once or not at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rankagg._typing import Integers, Integers64, Positions
from rankagg.core import exact
from rankagg.exceptions import VerificationError

#: (i, j) is the arc from i to j, three and more items are a cycle, a number an earlier row.
Source: TypeAlias = "tuple[int, ...] | int | Given"

#: What an arc may count in a derived row, and how often the row may ask for arcs.
LARGEST_COUNT = 2**31 - 1
WEIGHT_DENOMINATOR = 2**20


@dataclass(frozen=True)
class Given:
    """A row that constraints demand of every order: of these arcs so many are used at least."""

    # From each of the first items to each of the others.
    upper: tuple[int, ...]
    lower: tuple[int, ...]
    least: int

    @property
    def arcs(self) -> Iterable[tuple[int, int]]:
        """The arcs, which count one each."""
        return product(self.upper, self.lower)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"ahead": [list(self.upper), list(self.lower)]}


def same(number: int) -> int:
    """Return a number as it is."""
    return number


@dataclass(frozen=True)
class Derived:
    """Other rows, summed up, divided, and rounded up.

    References
    ----------
    Chvátal (1973), https://doi.org/10.1016/0012-365X(73)90167-2.
    """

    # How often a row is taken, and which: an arc (i, j), a cycle (a, b, c, ...), the number of an
    # earlier derived row, or one that constraints demand.
    terms: tuple[tuple[int, Source], ...]
    divisor: int = 1

    def renumbered(
        self, *, items: Callable[[int], int] = same, rows: Callable[[int], int] = same
    ) -> Derived:
        """Return the row with other numbers of items, and of earlier rows."""

        def changed(source: Source) -> Source:
            if isinstance(source, int):
                return rows(source)
            if isinstance(source, Given):
                upper, lower = (tuple(map(items, side)) for side in (source.upper, source.lower))
                return Given(upper, lower, source.least)
            return tuple(map(items, source))

        terms = tuple((times, changed(source)) for times, source in self.terms)
        return Derived(terms, self.divisor)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""

        def plain(source: Source) -> Any:
            if isinstance(source, Given):
                return source.to_dict()
            return source if isinstance(source, int) else list(source)

        terms = [[times, plain(source)] for times, source in self.terms]
        return {"terms": terms, "divisor": self.divisor}


class Form(NamedTuple):
    """What a row says: the arcs from `tails` to `heads` count `counts`, and reach `least`."""

    tails: Positions
    heads: Positions
    counts: Integers64
    least: int


def forms_of(rows: Iterable[Derived], forms: Sequence[Form] = ()) -> list[Form]:
    """Return what derived rows say."""
    known = list(forms)
    for row in rows:
        known.append(_form_of(row, known))
    return known[len(forms) :]


def _form_of(row: Derived, earlier: Sequence[Form]) -> Form:
    counts: dict[tuple[int, int], int] = defaultdict(int)
    least = 0
    for times, source in row.terms:
        if isinstance(source, int):
            other = earlier[source]
            arcs = zip(other.tails.tolist(), other.heads.tolist(), strict=True)
            for arc, count in zip(arcs, other.counts.tolist(), strict=True):
                counts[arc] += times * count
            least += times * other.least
        elif isinstance(source, Given):
            for arc in source.arcs:
                counts[arc] += times
            least += times * source.least
        elif len(source) == 2:
            counts[source[0], source[1]] += times
        else:
            for arc in zip(source, (*source[1:], source[0]), strict=True):
                counts[arc] += times
            least += times
    for i, j in list(counts):
        both = min(counts[i, j], counts.get((j, i), 0))
        if both:  # an order uses exactly one of the two
            counts[i, j] -= both
            counts[j, i] -= both
            least -= both
    rounded = {arc: -(-count // row.divisor) for arc, count in counts.items() if count}
    least = -(-least // row.divisor)
    if max(map(abs, (least, *rounded.values()))) > LARGEST_COUNT:
        raise VerificationError(f"A derived row counts more than {LARGEST_COUNT}.")
    ends = np.array(list(rounded), dtype=np.intp).reshape(-1, 2)
    return Form(ends[:, 0], ends[:, 1], np.array(list(rounded.values()), dtype=np.int64), least)


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


def compact(rows: Sequence[Derived], used: Iterable[int]) -> tuple[tuple[Derived, ...], list[int]]:
    """Return the rows that are used, with those that they use, and the new number of each row."""
    needed = set(used)
    for at in range(len(rows) - 1, -1, -1):
        if at in needed:
            needed.update(source for _, source in rows[at].terms if isinstance(source, int))
    numbers = [-1] * len(rows)
    kept: list[Derived] = []
    for at in sorted(needed):
        numbers[at] = len(kept)
        kept.append(rows[at].renumbered(rows=numbers.__getitem__))
    return tuple(kept), numbers


@dataclass(frozen=True)
class Leaf:
    """A case that is bounded by weighted rows."""

    # Positions a, b, c of items; see `Weighting`.
    triples: tuple[tuple[int, int, int], ...] = ()
    # Of the triples; positive; divided by `WEIGHT_DENOMINATOR`, in the units of the problem.
    weights: tuple[int, ...] = ()
    # Numbers of derived rows of the proof, and their weights.
    rows: tuple[tuple[int, int], ...] = ()

    def weighting(self, where: Positions, forms: Sequence[Form] = ()) -> Weighting:
        """Return the rows with `where[i]` for position i, and `forms` of the derived ones."""
        triples = np.array(self.triples, dtype=np.intp).reshape(-1, 3)
        used = [forms[row] for row, _ in self.rows]
        row_weights = exact.fit(weight for _, weight in self.rows)
        return Weighting(where[triples], exact.fit(self.weights), used, row_weights)


@dataclass(frozen=True)
class Branch:
    """A statement that is decided both ways: first before second, or first not below second."""

    # Positions of the items.
    first: int
    second: int
    # The nodes of the cases where it holds, and where it does not.
    yes: int
    no: int


@dataclass(frozen=True)
class Fixing:
    """A case from which orders that cost at least `threshold` are set aside.

    By the weights, every one of certain pairs costs as much when it is turned round; what is left
    has all of them the other way, and what follows by transitivity.
    """

    leaf: Leaf
    # In the units of the problem.
    threshold: int
    # The node of the case that is left.
    rest: int


@dataclass(frozen=True)
class Exchange:
    """Pairs that have the same order in every optimum, because moves gain nothing in one.

    Only what other nodes of its kind, or cuts, have found may be known before; see `persistency`.
    """

    # Positions x, y of items: x is before y in every optimum.
    pairs: tuple[tuple[int, int], ...]
    # How often the move of x counts, and how often that of y.
    up: int
    down: int
    # The node of the case that has these pairs, and what follows by transitivity.
    rest: int


@dataclass(frozen=True)
class Cut:
    """Pairs that have the same order in every optimum, because many items can be moved at once."""

    # Positions of the items that are moved up.
    above: tuple[int, ...]
    # Positions x, y of items, where only x is among those above.
    pairs: tuple[tuple[int, int], ...]
    # As that of an exchange.
    rest: int


@dataclass(frozen=True)
class Enumeration:
    """A small part whose best order is found again by dynamic programming over all subsets."""


#: What holds in every optimum; these nodes stand in a chain from the root, before all others.
Persistent = Exchange | Cut
Node = Leaf | Branch | Fixing | Exchange | Cut | Enumeration


def leaf_of(node: Node) -> Leaf | None:
    """Return the weighted rows of a node; None where it has none."""
    if isinstance(node, Leaf):
        return node
    return node.leaf if isinstance(node, Fixing) else None


def renumbered(
    node: Node,
    *,
    items: Callable[[int], int] = same,
    rows: Callable[[int], int] = same,
    below: int = 0,
) -> Node:
    """Return a node with other numbers of items and derived rows, its children further down."""
    if isinstance(node, Leaf):
        triples = tuple((items(a), items(b), items(c)) for a, b, c in node.triples)
        return Leaf(triples, node.weights, tuple((rows(row), w) for row, w in node.rows))
    if isinstance(node, Fixing):
        leaf = renumbered(node.leaf, items=items, rows=rows)
        assert isinstance(leaf, Leaf)
        return Fixing(leaf, node.threshold, node.rest + below)
    if isinstance(node, Branch):
        yes, no = node.yes + below, node.no + below
        return Branch(items(node.first), items(node.second), yes, no)
    if isinstance(node, Persistent):
        pairs = tuple((items(x), items(y)) for x, y in node.pairs)
        if isinstance(node, Cut):
            node = replace(node, above=tuple(map(items, node.above)))
        return replace(node, pairs=pairs, rest=node.rest + below)
    return node


# -- on paper ---------------------------------------------------------------------------------


class Notation(NamedTuple):
    """The words of a file for what proofs and nodes hold."""

    # The members of a proof.
    proof: tuple[str, ...]
    # The members of a leaf: triples with weights, and derived rows where there are some.
    leaf: tuple[str, ...]
    # The members of a branch that are children.
    yes: str
    no: str


def node_to_dict(node: Node, words: Notation) -> dict[str, Any]:
    """Return plain data for JSON."""
    if isinstance(node, Leaf):
        triples = [[*t, w] for t, w in zip(node.triples, node.weights, strict=True)]
        return dict(zip(words.leaf, (triples, [list(row) for row in node.rows]), strict=False))
    if isinstance(node, Fixing):
        leaf = node_to_dict(node.leaf, words)
        return leaf | {"threshold": node.threshold, "rest": node.rest}
    if isinstance(node, Branch):
        return {"pair": [node.first, node.second], words.yes: node.yes, words.no: node.no}
    if isinstance(node, Persistent):
        pairs = [list(pair) for pair in node.pairs]
        if isinstance(node, Exchange):
            return {"exchange": pairs, "up": node.up, "down": node.down, "rest": node.rest}
        return {"above": list(node.above), "cut": pairs, "rest": node.rest}
    return {"enumeration": True}
