"""Weighted rows in arrays, and the rows and nodes of `check_certificate` renumbered and written.

A row says "these arcs, each as often as it counts, are used so many times at least". An arc is used
no less than never, and a cycle at least once; constraints demand more (see `Demands.ahead`); the
rest is made of these. Adding rows up, taking out that an order uses i -> j or j -> i, dividing, and
rounding both sides up to whole numbers gives a row again (Chvátal and Gomory), because an order
uses an arc once or not at all.

References
----------
Chvátal (1973), https://doi.org/10.1016/0012-365X(73)90167-2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from rankagg._typing import Integers, Integers64, Positions
from rankagg.check_certificate import (
    Branch,
    Cut,
    Derived,
    Exchange,
    Fixing,
    Given,
    Leaf,
    Node,
    Persistent,
    ProofReader,
    row_form,
)
from rankagg.core import exact


class Form(NamedTuple):
    """What a row says: the arcs from `tails` to `heads` count `counts`, and reach `least`."""

    tails: Positions
    heads: Positions
    counts: Integers64
    least: int


def forms_of(rows: Iterable[Derived], forms: Sequence[Form] = ()) -> list[Form]:
    """Return what derived rows say."""
    known = list(forms)

    def earlier(at: int) -> tuple[dict[tuple[int, int], int], int]:
        tails, heads, counts, least = known[at]
        arcs = zip(tails.tolist(), heads.tolist(), strict=True)
        return dict(zip(arcs, counts.tolist(), strict=True)), least

    for row in rows:
        counts, least = row_form(row, earlier)
        ends = np.array(list(counts), dtype=np.intp).reshape(-1, 2)
        numbers = np.array(list(counts.values()), dtype=np.int64)
        known.append(Form(ends[:, 0], ends[:, 1], numbers, least))
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


def same(number: int) -> int:
    """Return a number as it is."""
    return number


def renumbered_row(
    row: Derived, *, items: Callable[[int], int] = same, rows: Callable[[int], int] = same
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
        kept.append(renumbered_row(rows[at], rows=numbers.__getitem__))
    return tuple(kept), numbers


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


def row_to_dict(row: Derived) -> dict[str, Any]:
    """Return plain data for JSON."""

    def plain(source: Any) -> Any:
        if isinstance(source, Given):
            return {"ahead": [list(source.upper), list(source.lower)]}
        return source if isinstance(source, int) else list(source)

    terms = [[times, plain(source)] for times, source in row.terms]
    return {"terms": terms, "divisor": row.divisor}


def node_to_dict(node: Node, words: type[ProofReader] = ProofReader) -> dict[str, Any]:
    """Return plain data for JSON, in the words of a kind of certificate."""
    if isinstance(node, Leaf):
        triples = [[*t, w] for t, w in zip(node.triples, node.weights, strict=True)]
        rows = [list(row) for row in node.rows]
        return dict(zip(words.leaf_keys, (triples, rows), strict=False))
    if isinstance(node, Fixing):
        ends = {"threshold": node.threshold, "rest": node.rest}
        return node_to_dict(node.leaf, words) | ends
    if isinstance(node, Branch):
        children = dict(zip(words.answers, (node.yes, node.no), strict=True))
        return {"pair": [node.first, node.second], **children}
    if isinstance(node, Persistent):
        pairs = [list(pair) for pair in node.pairs]
        if isinstance(node, Exchange):
            return {"exchange": pairs, "up": node.up, "down": node.down, "rest": node.rest}
        return {"above": list(node.above), "cut": pairs, "rest": node.rest}
    return {"enumeration": True}
