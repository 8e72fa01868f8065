"""Lower bounds among weak orders that anybody can check: weighted rows in a tree of cases.

Where a is not below b and b not below c, a is not below c, so every weak order has
z[a, b] + z[b, c] - z[a, c] <= 1. Adding a row's weight times what it exceeds 1 by to the cost of
every weak order makes none dearer. The sum is again a cost of pairs, one by one, and the cheapest
of the three places of each pair bounds it from below.

Where that is not enough, there are two ways on. A statement "i is not below j", or "i is below j",
that lifts the bound to some threshold can be set aside for all weak orders below the threshold.
And it can be decided both ways: one case for each, and the bound is the smaller of the two. In
each case a pair has only those places to choose from that what is known leaves open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers
from rankagg.aggregation.kemeny.weak_problem import WeakProblem
from rankagg.check_certificate import NUMBER, UNLIMITED, Work
from rankagg.core.arithmetic import exact
from rankagg.exceptions import VerificationError

__all__ = [
    "WEIGHT_DENOMINATOR",
    "Branch",
    "Fixing",
    "Known",
    "Leaf",
    "Node",
    "WeakProof",
    "arrays_of",
    "closed",
    "fixed_below",
    "leaf_bound",
    "learn",
    "moved_to",
    "node_to_dict",
    "nothing",
    "round_weights",
]


class Known(NamedTuple):
    """Two relations, closed under all that follows from them."""

    # Shape (n, n). The row is above the column or tied with it; transitive, and true on the
    # diagonal.
    not_below: Bools
    # Shape (n, n). The row is above the column; part of `not_below`, and whatever is not below
    # the row is above whatever the column is not below.
    above: Bools

    @property
    def is_whole(self) -> bool:
        """True where a single weak order is left."""
        decided = self.above | self.above.T | (self.not_below & self.not_below.T)
        return bool(decided.all())

    def holds(self, z: Bools) -> bool:
        """Say whether a weak order, as "row is not below column", is as it is known to be."""
        return bool((z >= self.not_below).all() and not (self.above & z.T).any())


def nothing(n: int) -> Known:
    """Return what is known of n items at first."""
    return Known(np.eye(n, dtype=bool), np.zeros((n, n), dtype=bool))


def learn(known: Known, first: int, second: int, *, below: bool) -> Known | None:
    """Add that the first item is below the second, or is not; None if that contradicts."""
    if known.not_below[first, second] if below else known.above[second, first]:
        return None
    # A chain through the new link leads to its upper end and on from its lower end.
    high, low = (second, first) if below else (first, second)
    upward, downward = known.not_below[:, high], known.not_below[low]
    joined = upward[:, None] & downward
    if below:
        strictly = joined
    else:
        strictly = (known.above[:, high][:, None] & downward) | (upward[:, None] & known.above[low])
    return Known(known.not_below | joined, known.above | strictly)


def closed(not_below: Bools, above: Bools) -> Known | None:
    """Return all that follows from two relations; None if they contradict each other."""
    weak = not_below | above | np.eye(len(above), dtype=bool)
    strict = above
    while True:
        steps, strictly = weak.astype(np.float32), strict.astype(np.float32)
        more = weak | (steps @ steps > 0)
        higher = strict | (strictly @ steps > 0) | (steps @ strictly > 0)
        if higher.diagonal().any():
            return None
        if np.array_equal(more, weak) and np.array_equal(higher, strict):
            return Known(weak, strict)
        weak, strict = more | higher, higher


WEIGHT_DENOMINATOR = 2**20


@dataclass(frozen=True)
class Leaf:
    """A case that is bounded by weighted rows."""

    # Positions a, b, c: where a is not below b and b not below c, a is not below c.
    rows: tuple[tuple[int, int, int], ...] = ()
    # Positive; divided by `WEIGHT_DENOMINATOR`, in the units of `WeakProblem`.
    weights: tuple[int, ...] = ()


@dataclass(frozen=True)
class Branch:
    """A statement that is decided both ways: the first item is not below the second, or is."""

    # Positions of the items.
    first: int
    second: int
    # The nodes of the two cases.
    not_below: int
    below: int


@dataclass(frozen=True)
class Fixing:
    """A case from which weak orders that cost at least `threshold` are set aside.

    By the weights, every one of certain statements costs as much when it is turned round; what is
    left has all of them the other way, and what follows from that.
    """

    leaf: Leaf
    # In the units of `WeakProblem`.
    threshold: int
    # The node of the case that is left.
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


class Excess(NamedTuple):
    """What statements add to the bound of a case, scaled by `WEIGHT_DENOMINATOR`."""

    base: int
    # Shape (n, n). What is added where the row is not below, or is below, the column; without
    # meaning on the diagonal.
    not_below: Integers
    below: Integers


def round_weights(duals: NDArray[np.float64], unit: int) -> Integers:
    """Turn float weights, in multiples of `unit`, into integers over the weight denominator.

    Whatever they are, the bound that they make is valid; rounding only weakens it.
    """
    scaled = np.where(np.isfinite(duals) & (duals > 0), duals, 0.0) * WEIGHT_DENOMINATOR
    if scaled.max(initial=1.0) * unit < exact.INT64_SAFE / max(len(scaled), 1):
        small: Integers = np.rint(scaled).astype(np.int64) * unit
        return small
    return exact.fit(round(weight) * unit for weight in scaled.tolist())


def leaf_bound(
    problem: WeakProblem, rows: NDArray[np.intp], weights: Integers, known: Known
) -> int:
    """Return the bound of one case, raised to the next cost that a weak order can have."""
    return _raised(problem, _excess(problem, rows, weights, known).base)


def _raised(problem: WeakProblem, base: int) -> int:
    return problem.next_attainable(Fraction(base, WEIGHT_DENOMINATOR))


def fixed_below(
    problem: WeakProblem,
    rows: NDArray[np.intp],
    weights: Integers,
    known: Known,
    threshold: int,
) -> Known | None:
    """Add all statements whose opposite makes every weak order cost at least `threshold`."""
    excess = _excess(problem, rows, weights, known)
    if _raised(problem, excess.base) >= threshold:
        return None
    # More than the last attainable cost below the threshold is at least the threshold.
    room = problem.last_below(threshold) * WEIGHT_DENOMINATOR - excess.base
    below, not_below = excess.not_below > room, excess.below > room
    np.fill_diagonal(below, False)
    return closed(known.not_below | not_below, known.above | below.T)


def _excess(
    problem: WeakProblem, rows: NDArray[np.intp], weights: Integers, known: Known
) -> Excess:
    slopes, constant, huge = _with_rows(problem, rows, weights)
    # The three places of a pair, less the constant; "row above column" costs what z = 1, 0 does.
    above = np.where(known.not_below.T, huge, slopes)
    below = np.where(known.not_below, huge, slopes.T)
    tied = np.where(known.above | known.above.T, huge, slopes + slopes.T)
    up = np.minimum(above, tied)
    least = np.minimum(up, below)
    base = constant + exact.sum_of(np.triu(least, k=1))
    return Excess(base, up - least, below - least)


def _with_rows(
    problem: WeakProblem, rows: NDArray[np.intp], weights: Integers
) -> tuple[Integers, int, int]:
    """Return scaled slopes and constant of the cost with the rows added, and a number above all."""
    total = exact.sum_of(weights)
    largest = max(int(np.abs(problem.slopes).max(initial=0)), 1) * WEIGHT_DENOMINATOR
    # A slope meets each row once; a place of a pair adds up two slopes, and a bound n^2 of those.
    huge = 4 * (largest + total) + 1
    kind = np.int64 if 2 * huge * problem.n**2 < exact.INT64_SAFE else object
    slopes = problem.slopes.astype(kind) * WEIGHT_DENOMINATOR
    taken = weights.astype(kind)
    first, middle, last = rows.T
    np.add.at(slopes, (first, middle), taken)
    np.add.at(slopes, (middle, last), taken)
    np.subtract.at(slopes, (first, last), taken)
    return slopes, problem.both * WEIGHT_DENOMINATOR - total, huge


def arrays_of(leaf: Leaf) -> tuple[NDArray[np.intp], Integers]:
    """Return rows and weights as arrays."""
    rows = np.array(leaf.rows, dtype=np.intp).reshape(-1, 3)
    return rows, exact.fit(leaf.weights)


@dataclass(frozen=True)
class WeakProof:
    """A bound for the items of one part, whatever the order of the others."""

    # The items of the part.
    positions: tuple[int, ...]
    # The tree of cases; the first node is the root, and children stand behind their parents.
    # `reader` says what else a proof must be, and checks it.
    nodes: tuple[Node, ...] = (Leaf(),)

    def bound(self, problem: WeakProblem, work: Work = UNLIMITED) -> int:
        """Return what the proof proves about the part, in the units of `WeakProblem`."""
        part = problem.restrict(np.array(self.positions, dtype=np.intp))
        where = np.zeros(problem.n, dtype=np.intp)
        where[list(self.positions)] = np.arange(len(self.positions))
        number = NUMBER if part.above.dtype == object else 8
        # A case that waits has two tables of what is known; there are no more than nodes.
        work.hold((12 * number + 2 * len(self.nodes)) * part.n**2)
        bounds = []
        for node, known in self._walk(part, where):
            work.spend()
            if isinstance(node, Fixing):
                bounds.append(node.threshold)
            elif isinstance(node, Leaf):
                bounds.append(_bound_of(part, where, node, known))
        if not bounds:
            raise VerificationError("Every case of a proof contradicts itself.")
        return min(bounds)

    def _walk(self, part: WeakProblem, where: NDArray[np.intp]) -> Iterator[tuple[Node, Known]]:
        """Yield each node with what its case has decided, parents first.

        Cases that contradict themselves hold no weak order and are left out.
        """
        stack = [(0, nothing(part.n))]
        while stack:
            at, known = stack.pop()
            node = self.nodes[at]
            yield node, known
            cases: list[tuple[int, Known | None]] = []
            if isinstance(node, Branch):
                first, second = int(where[node.first]), int(where[node.second])
                cases = [
                    (node.not_below, learn(known, first, second, below=False)),
                    (node.below, learn(known, first, second, below=True)),
                ]
            elif isinstance(node, Fixing):
                rows, weights = arrays_of(node.leaf)
                fixed = fixed_below(part, where[rows], weights, known, node.threshold)
                cases = [(node.rest, fixed)]
            stack.extend((child, case) for child, case in cases if case is not None)

    # -- on paper -----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "positions": list(self.positions),
            "nodes": [node_to_dict(node) for node in self.nodes],
        }


def _bound_of(part: WeakProblem, where: NDArray[np.intp], leaf: Leaf, known: Known) -> int:
    rows, weights = arrays_of(leaf)
    return leaf_bound(part, where[rows], weights, known)
