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

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers
from rankagg.aggregation.kemeny.weak.known import Known, closed, learn, nothing
from rankagg.aggregation.kemeny.weak.nodes import (
    WEIGHT_DENOMINATOR,
    Branch,
    Fixing,
    Leaf,
    Node,
    node_to_dict,
)
from rankagg.aggregation.kemeny.weak.problem import WeakProblem
from rankagg.check_certificate import NUMBER, UNLIMITED, Work
from rankagg.core.arithmetic import exact
from rankagg.exceptions import VerificationError

__all__ = ["WeakProof", "arrays_of", "fixed_below", "leaf_bound", "round_weights"]


class Excess(NamedTuple):
    """What statements add to the bound of a case, scaled by `WEIGHT_DENOMINATOR`.

    Attributes
    ----------
    base : int
        The bound.
    not_below, below : ndarray of int, shape (n, n)
        What is added where the row is not below, or is below, the column; without meaning on
        the diagonal.
    """

    base: int
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
    """Return the bound of one case, raised to the next cost that a weak order can have.

    Parameters
    ----------
    problem : WeakProblem
        The problem of the part.
    rows : ndarray of int, shape (m, 3)
        Positions within the part.
    weights : ndarray of int, shape (m,)
        Over `WEIGHT_DENOMINATOR`.
    known : Known
        What the case has decided.

    Returns
    -------
    int
        In the units of `WeakProblem`.
    """
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
    """Add all statements whose opposite makes every weak order cost at least `threshold`.

    Parameters
    ----------
    problem, rows, weights, known
        As in `leaf_bound`.
    threshold : int
        In the units of `WeakProblem`.

    Returns
    -------
    Known or None
        None if no weak order is left.
    """
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
    """A bound for the items of one part, whatever the order of the others.

    Attributes
    ----------
    positions : tuple of int
        The items of the part.
    nodes : tuple of Leaf, Branch or Fixing
        The tree of cases; the first node is the root, and children stand behind their parents.
        `reader` says what else a proof must be, and checks it.
    """

    positions: tuple[int, ...]
    nodes: tuple[Node, ...] = (Leaf(),)

    def bound(self, problem: WeakProblem, work: Work = UNLIMITED) -> int:
        """Return what the proof proves about the part, in the units of `WeakProblem`.

        Parameters
        ----------
        problem : WeakProblem
            The problem of all items.
        work : Work, optional
            What it may take.

        Returns
        -------
        int
            The sum of the costs of the pairs within the part is never less.

        Raises
        ------
        VerificationError
            If every case contradicts itself, so that nothing is left to be bounded.
        """
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
