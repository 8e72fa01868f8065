"""What a proof about weak orders is made of: the nodes of a tree of cases, as plain values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["WEIGHT_DENOMINATOR", "Branch", "Fixing", "Leaf", "Node", "moved_to", "node_to_dict"]

WEIGHT_DENOMINATOR = 2**20


@dataclass(frozen=True)
class Leaf:
    """A case that is bounded by weighted rows.

    Attributes
    ----------
    rows : tuple of (int, int, int)
        Positions a, b, c: where a is not below b and b not below c, a is not below c.
    weights : tuple of int
        Positive; divided by `WEIGHT_DENOMINATOR`, in the units of `WeakProblem`.
    """

    rows: tuple[tuple[int, int, int], ...] = ()
    weights: tuple[int, ...] = ()


@dataclass(frozen=True)
class Branch:
    """A statement that is decided both ways: the first item is not below the second, or is.

    Attributes
    ----------
    first, second : int
        Positions of the items.
    not_below, below : int
        The nodes of the two cases.
    """

    first: int
    second: int
    not_below: int
    below: int


@dataclass(frozen=True)
class Fixing:
    """A case from which weak orders that cost at least `threshold` are set aside.

    By the weights, every one of certain statements costs as much when it is turned round; what is
    left has all of them the other way, and what follows from that.

    Attributes
    ----------
    leaf : Leaf
        The weighted rows.
    threshold : int
        In the units of `WeakProblem`.
    rest : int
        The node of the case that is left.
    """

    leaf: Leaf
    threshold: int
    rest: int


Node = Leaf | Branch | Fixing


def moved_to(nodes: Iterable[Node], part: NDArray[np.intp]) -> tuple[Node, ...]:
    """Return nodes over the positions of a part as nodes over the positions of all items."""
    where = part.tolist()

    def move_leaf(leaf: Leaf) -> Leaf:
        return Leaf(tuple((where[a], where[b], where[c]) for a, b, c in leaf.rows), leaf.weights)

    def move(node: Node) -> Node:
        if isinstance(node, Leaf):
            return move_leaf(node)
        if isinstance(node, Fixing):
            return Fixing(move_leaf(node.leaf), node.threshold, node.rest)
        return Branch(where[node.first], where[node.second], node.not_below, node.below)

    return tuple(map(move, nodes))


def node_to_dict(node: Node) -> dict[str, Any]:
    """Return plain data for JSON."""
    if isinstance(node, Branch):
        return {
            "pair": [node.first, node.second], "not_below": node.not_below, "below": node.below,
        }  # fmt: skip
    if isinstance(node, Fixing):
        return {"rows": _rows(node.leaf), "threshold": node.threshold, "rest": node.rest}
    return {"rows": _rows(node)}


def _rows(leaf: Leaf) -> list[list[int]]:
    return [[*row, weight] for row, weight in zip(leaf.rows, leaf.weights, strict=True)]
