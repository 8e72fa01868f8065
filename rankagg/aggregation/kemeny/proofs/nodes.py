"""What a proof is made of: the nodes of a tree of cases, as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "WEIGHT_DENOMINATOR",
    "Branch",
    "Cut",
    "Enumeration",
    "Exchange",
    "Fixing",
    "Leaf",
    "Node",
    "Persistent",
    "leaf_of",
    "moved_down",
    "moved_to",
    "node_to_dict",
]

WEIGHT_DENOMINATOR = 2**20


@dataclass(frozen=True)
class Leaf:
    """A case that is bounded by weighted rows.

    Attributes
    ----------
    cycles : tuple of (int, int, int)
        Positions a, b, c of items.
    weights : tuple of int
        Of the cycles; positive; divided by `WEIGHT_DENOMINATOR`, in the units of `Problem.costs`.
    rows : tuple of (int, int)
        Numbers of derived rows of the proof, and their weights.
    """

    cycles: tuple[tuple[int, int, int], ...] = ()
    weights: tuple[int, ...] = ()
    rows: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Branch:
    """A pair that is decided both ways.

    Attributes
    ----------
    first, second : int
        Positions of the items.
    before, after : int
        The nodes of the cases "first before second" and "second before first".
    """

    first: int
    second: int
    before: int
    after: int


@dataclass(frozen=True)
class Fixing:
    """A case from which orders that cost at least `threshold` are set aside.

    By the weights, every one of certain pairs costs as much when it is turned round; what is left
    has all of them the other way, and what follows by transitivity.

    Attributes
    ----------
    leaf : Leaf
        The weighted rows.
    threshold : int
        In the units of `Problem.costs`.
    rest : int
        The node of the case that is left.
    """

    leaf: Leaf
    threshold: int
    rest: int


@dataclass(frozen=True)
class Exchange:
    """Pairs that have the same order in every optimum, because moves gain nothing in one.

    Only what other nodes of its kind, or cuts, have found may be known before; see `persistency`.

    Attributes
    ----------
    pairs : tuple of (int, int)
        Positions x, y of items: x is before y in every optimum.
    up, down : int
        How often the move of x counts, and how often that of y.
    rest : int
        The node of the case that has these pairs, and what follows by transitivity.
    """

    pairs: tuple[tuple[int, int], ...]
    up: int
    down: int
    rest: int


@dataclass(frozen=True)
class Cut:
    """Pairs that have the same order in every optimum, because many items can be moved at once.

    Attributes
    ----------
    above : tuple of int
        Positions of the items that are moved up.
    pairs : tuple of (int, int)
        Positions x, y of items, where only x is among those above.
    rest : int
        As that of an exchange.
    """

    above: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
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


def moved_to(
    nodes: Iterable[Node], part: NDArray[np.intp], numbers: Sequence[int] = ()
) -> tuple[Node, ...]:
    """Return nodes over the positions of a part as nodes over the positions of all items.

    `numbers` has the new number of each derived row.
    """
    where = part.tolist()

    def move_leaf(leaf: Leaf) -> Leaf:
        cycles = tuple((where[a], where[b], where[c]) for a, b, c in leaf.cycles)
        return Leaf(cycles, leaf.weights, tuple((numbers[row], w) for row, w in leaf.rows))

    def move(node: Node) -> Node:
        if isinstance(node, Leaf):
            return move_leaf(node)
        if isinstance(node, Fixing):
            return Fixing(move_leaf(node.leaf), node.threshold, node.rest)
        if isinstance(node, Branch):
            return Branch(where[node.first], where[node.second], node.before, node.after)
        if isinstance(node, Persistent):
            pairs = tuple((where[x], where[y]) for x, y in node.pairs)
            if isinstance(node, Exchange):
                return replace(node, pairs=pairs)
            return replace(node, above=tuple(where[i] for i in node.above), pairs=pairs)
        return node

    return tuple(move(node) for node in nodes)


def moved_down(node: Node, below: int, first: int) -> Node:
    """Return a node of another tree whose children stand `below` nodes further down.

    `first` is the number of the first of its derived rows.
    """

    def move_leaf(leaf: Leaf) -> Leaf:
        return replace(leaf, rows=tuple((row + first, weight) for row, weight in leaf.rows))

    if isinstance(node, Leaf):
        return move_leaf(node)
    if isinstance(node, Branch):
        return replace(node, before=node.before + below, after=node.after + below)
    if isinstance(node, Fixing):
        return Fixing(move_leaf(node.leaf), node.threshold, node.rest + below)
    raise TypeError(f"{type(node).__name__} stands at the root only.")


# -- on paper ---------------------------------------------------------------------------------


def node_to_dict(node: Node) -> dict[str, Any]:
    """Return plain data for JSON."""
    if isinstance(node, Leaf):
        return {
            "cycles": [[*c, w] for c, w in zip(node.cycles, node.weights, strict=True)],
            "rows": [list(row) for row in node.rows],
        }
    if isinstance(node, Fixing):
        return node_to_dict(node.leaf) | {"threshold": node.threshold, "rest": node.rest}
    if isinstance(node, Branch):
        return {"pair": [node.first, node.second], "before": node.before, "after": node.after}
    if isinstance(node, Persistent):
        pairs = [list(pair) for pair in node.pairs]
        if isinstance(node, Exchange):
            return {"exchange": pairs, "up": node.up, "down": node.down, "rest": node.rest}
        return {"above": list(node.above), "cut": pairs, "rest": node.rest}
    return {"enumeration": True}
