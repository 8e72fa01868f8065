"""Lower bounds that anybody can check: weighted 3-cycles, at the leaves of a tree of cases.

Every order of a, b, c uses at least one of the arcs a before b, b before c, c before a. So taking
a cycle's weight off the cost of its three arcs lowers the cost of every order by at least that
weight, and the cheaper direction of each pair bounds what is left from below.

Where that is not enough, a pair is decided both ways: one case for i before j and one for j before
i, and the bound is the smaller of the two. In each case the pair, and what follows from the
decisions by transitivity, has only one direction to choose from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.subset_dp import SubsetTable
from rankagg.core import exact
from rankagg.exceptions import VerificationError

__all__ = [
    "Branch",
    "Enumeration",
    "Leaf",
    "Node",
    "Proof",
    "decide",
    "forced_bounds",
    "leaf_bound",
    "moved_to",
    "round_weights",
]

WEIGHT_BITS = 20
WEIGHT_DENOMINATOR = 2**WEIGHT_BITS


@dataclass(frozen=True)
class Leaf:
    """A case that is bounded by weighted cycles.

    Attributes
    ----------
    cycles : tuple of (int, int, int)
        Positions a, b, c of items.
    weights : tuple of int
        Not negative; divided by `WEIGHT_DENOMINATOR`, in the units of `Problem.costs`.
    """

    cycles: tuple[tuple[int, int, int], ...] = ()
    weights: tuple[int, ...] = ()


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
class Enumeration:
    """A small part whose best order is found again by dynamic programming over all subsets."""


Node = Leaf | Branch | Enumeration


def moved_to(nodes: Iterable[Node], part: NDArray[np.intp]) -> tuple[Node, ...]:
    """Return nodes over the positions of a part as nodes over the positions of all items."""
    where = part.tolist()

    def move(node: Node) -> Node:
        if isinstance(node, Leaf):
            cycles = tuple((where[a], where[b], where[c]) for a, b, c in node.cycles)
            return Leaf(cycles, node.weights)
        if isinstance(node, Branch):
            return Branch(where[node.first], where[node.second], node.before, node.after)
        return node

    return tuple(move(node) for node in nodes)


def round_weights(duals: NDArray[np.float64], unit: int) -> Integers:
    """Turn float weights, in multiples of `unit`, into integers over the weight denominator.

    Whatever they are, the bound that they make is valid; rounding only weakens it.
    """
    scaled = np.where(np.isfinite(duals) & (duals > 0), duals, 0.0) * WEIGHT_DENOMINATOR
    if scaled.max(initial=0.0) * unit < exact.INT64_SAFE / max(len(scaled), 1):
        small: Integers = np.rint(scaled).astype(np.int64) * unit
        return small
    return np.array([round(float(weight)) * unit for weight in scaled], dtype=object)


def decide(decided: Bools, first: int, second: int) -> Bools | None:
    """Add "first before second" and what follows by transitivity; None if it contradicts."""
    if decided[second, first]:
        return None
    above = decided[:, first].copy()
    above[first] = True
    below = decided[second].copy()
    below[second] = True
    closed: Bools = decided | (above[:, None] & below)
    return closed


def leaf_bound(
    problem: Problem, cycles: NDArray[np.intp], weights: Integers, decided: Bools
) -> int:
    """Return the bound of one case, raised to the next cost that an order can have.

    Parameters
    ----------
    problem : Problem
        The problem of the part.
    cycles : ndarray of int, shape (m, 3)
        Positions within the part.
    weights : ndarray of int, shape (m,)
        Over `WEIGHT_DENOMINATOR`.
    decided : ndarray of bool, shape (n, n)
        Pairs (row before column) that the case has decided, closed under transitivity.

    Returns
    -------
    int
        In the units of `Problem.costs`.
    """
    rest, total = _without_cycles(problem, cycles, weights)
    pairs = int(np.triu(_cheaper(rest, decided), k=1).sum(dtype=object))
    return problem.next_attainable(Fraction(total + pairs, WEIGHT_DENOMINATOR))


def forced_bounds(problem: Problem, nodes: Sequence[Node]) -> NDArray[np.object_]:
    """Return for every pair what an order costs at least that has row before column.

    Parameters
    ----------
    problem : Problem
        The problem of the part.
    nodes : sequence of Leaf or Branch
        A tree of cases over positions within the part.

    Returns
    -------
    ndarray of int, shape (n, n)
        In the units of `Problem.costs`; meaningless on the diagonal.
    """
    n = problem.n
    impossible = int(problem.costs.sum(dtype=object)) + problem.constant + 1
    bounds = np.full((n, n), impossible, dtype=object)
    proof = Proof(tuple(range(n)), tuple(nodes))
    for leaf, decided in proof.cases(n, np.arange(n)):
        if isinstance(leaf, Enumeration):
            raise TypeError("An enumeration has no weights.")
        cycles = np.array(leaf.cycles, dtype=np.intp).reshape(-1, 3)
        weights = exact.fit(np.array(leaf.weights, dtype=object))
        rest, total = _without_cycles(problem, cycles, weights)
        cheaper = _cheaper(rest, decided)
        base = total + int(np.triu(cheaper, k=1).sum(dtype=object))
        case = -((cheaper - rest.astype(object) - base) // WEIGHT_DENOMINATOR) + problem.constant
        case[decided.T] = impossible
        bounds = np.minimum(bounds, case)
    return bounds


def _without_cycles(
    problem: Problem, cycles: NDArray[np.intp], weights: Integers
) -> tuple[Integers, int]:
    """Return scaled costs less the weights of the cycles through each arc, and all weight."""
    rest = exact.combine(problem.costs, WEIGHT_DENOMINATOR, 0 * problem.costs, 1)
    taken = exact.fit(weights)
    if object in (taken.dtype, rest.dtype):
        rest, taken = rest.astype(object), taken.astype(object)
    for tail, head in ((0, 1), (1, 2), (2, 0)):
        np.subtract.at(rest, (cycles[:, tail], cycles[:, head]), taken)
    return rest, int(taken.sum(dtype=object))


def _cheaper(rest: Integers, decided: Bools) -> Integers:
    """Return the cheaper direction of each pair, or the decided one; symmetric."""
    return np.where(decided, rest, np.where(decided.T, rest.T, np.minimum(rest, rest.T)))


@dataclass(frozen=True)
class Proof:
    """A bound for the items of one part, whatever the order of the others.

    Attributes
    ----------
    positions : tuple of int
        The items of the part.
    nodes : tuple of Leaf or Branch
        The tree of cases; the first node is the root, and children stand behind their parents.
    """

    positions: tuple[int, ...]
    nodes: tuple[Node, ...] = (Leaf(),)

    def bound(self, problem: Problem) -> int:
        """Return what the proof proves about the part, in the units of `Problem.costs`.

        Parameters
        ----------
        problem : Problem
            The problem of all items.

        Returns
        -------
        int
            The sum of the costs of the pairs within the part is never less.

        Raises
        ------
        VerificationError
            If the proof is not well formed.
        """
        part = problem.restrict(np.array(self.positions, dtype=np.intp))
        where = np.full(problem.n, -1, dtype=np.intp)
        where[list(self.positions)] = np.arange(len(self.positions))
        bounds = [
            self._case_bound(part, where, node, decided)
            for node, decided in self.cases(part.n, where)
        ]
        if not bounds:
            raise VerificationError("Every case of a proof contradicts itself.")
        return min(bounds)

    def cases(self, n: int, where: NDArray[np.intp]) -> Iterator[tuple[Leaf | Enumeration, Bools]]:
        """Walk the tree; cases that contradict themselves hold no order and are left out."""
        stack: list[tuple[int, Bools]] = [(0, np.zeros((n, n), dtype=bool))]
        while stack:
            at, decided = stack.pop()
            node = self.nodes[at]
            if not isinstance(node, Branch):
                yield node, decided
                continue
            if not (at < node.before < len(self.nodes) and at < node.after < len(self.nodes)):
                raise VerificationError(
                    f"Node {at} of a proof has children that are not behind it."
                )
            first, second = _inside(where, np.array([[node.first, node.second]]))[0].tolist()
            for child, pair in ((node.before, (first, second)), (node.after, (second, first))):
                case = decide(decided, *pair)
                if case is not None:
                    stack.append((child, case))

    @staticmethod
    def _case_bound(
        part: Problem, where: NDArray[np.intp], leaf: Leaf | Enumeration, decided: Bools
    ) -> int:
        if isinstance(leaf, Enumeration):
            return SubsetTable(part).cost
        if len(leaf.weights) != len(leaf.cycles):
            raise VerificationError("A case has not one weight per cycle.")
        if any(weight < 0 for weight in leaf.weights):
            raise VerificationError("A cycle has a negative weight.")
        cycles = np.array(leaf.cycles, dtype=np.intp).reshape(-1, 3)
        weights = exact.fit(np.array(leaf.weights, dtype=object))
        return leaf_bound(part, _inside(where, cycles), weights, decided)

    # -- on paper -----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "positions": list(self.positions),
            "nodes": [_node_to_dict(node) for node in self.nodes],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Proof:
        """Read what `to_dict` wrote."""
        nodes: list[Node] = []
        for node in data["nodes"]:
            if "enumeration" in node:
                nodes.append(Enumeration())
            elif "pair" in node:
                first, second = node["pair"]
                nodes.append(Branch(first, second, node["before"], node["after"]))
            else:
                cycles = tuple((a, b, c) for a, b, c, _ in node["cycles"])
                nodes.append(Leaf(cycles, tuple(weight for *_, weight in node["cycles"])))
        return cls(tuple(data["positions"]), tuple(nodes))


def _node_to_dict(node: Node) -> dict[str, Any]:
    if isinstance(node, Leaf):
        return {"cycles": [[*c, w] for c, w in zip(node.cycles, node.weights, strict=True)]}
    if isinstance(node, Branch):
        return {"pair": [node.first, node.second], "before": node.before, "after": node.after}
    return {"enumeration": True}


def _inside(where: NDArray[np.intp], positions: NDArray[np.intp]) -> NDArray[np.intp]:
    """Translate rows of positions into the part's own; raise where a row is not sound."""
    outside = (positions < 0) | (positions >= len(where))
    local = np.where(outside, -1, where[np.where(outside, 0, positions)])
    ordered = np.sort(positions, axis=1)
    bad = (local < 0).any(axis=1) | (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if bad.any():
        row = tuple(positions[int(np.argmax(bad))].tolist())
        raise VerificationError(f"{row} are no distinct items of the part.")
    return local
