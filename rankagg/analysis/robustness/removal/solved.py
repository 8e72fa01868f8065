"""The exact consensus part by part, and what orders cost at least that begin with an item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.decomposition import majority_components
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proofs.nodes import Node
from rankagg.aggregation.kemeny.proofs.proof import forced_bounds
from rankagg.aggregation.kemeny.search.branch_and_bound import Search

__all__ = ["Solved"]

Order = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of the items, which some optimum places together.

    Attributes
    ----------
    items : ndarray of int
        Positions, in an optimal order.
    problem : Problem
        That of these items, in this order.
    nodes : list of nodes
        The proof over positions in `searched`; empty for a single item.
    searched : ndarray of int
        The positions in the order that the proof has them.
    """

    items: Order
    problem: Problem
    nodes: list[Node]
    searched: Order

    @property
    def cost(self) -> int:
        return self.problem.cost(np.arange(len(self.items)))


@dataclass(frozen=True, eq=False)
class Solved:
    """An optimal order of a problem, and the parts that it was found in.

    Attributes
    ----------
    problem : Problem
        Any integer costs.
    parts : list
        Its parts, the first one first.
    """

    problem: Problem
    parts: list[_Part]

    @classmethod
    def of(cls, problem: Problem, deadline: Deadline) -> Solved:
        """Solve a problem."""
        parts = majority_components(problem)
        return cls(problem, [_solve(problem, part, deadline) for part in parts])

    @classmethod
    def with_pair(cls, problem: Problem, first: int, second: int, deadline: Deadline) -> Solved:
        """Find the best order that puts one item before another.

        The parts from that of `second` to that of `first`, where they come in this order, become
        one; all others stay where they are: bringing them there turns no majority.
        """
        parts = majority_components(problem)
        (at,), (until,) = (
            [k for k, part in enumerate(parts) if item in part] for item in (second, first)
        )
        if until < at:
            return cls.of(problem, deadline)
        joined = np.concatenate(parts[at : until + 1])
        inside = [_solve(problem, part, deadline) for part in parts[:at]]
        inside.append(_solve(problem, joined, deadline, pair=(first, second)))
        inside += [_solve(problem, part, deadline) for part in parts[until + 1 :]]
        return cls(problem, inside)

    @property
    def order(self) -> Order:
        """The positions, best first."""
        return np.concatenate([part.items for part in self.parts])

    def least_led_by(self, item: int) -> int:
        """Return what an order costs at least that begins with an item."""
        least, before = self.problem.cost(self.order), np.zeros(0, dtype=np.intp)
        for part in self.parts:
            if item in part.items:
                break
            before = np.append(before, part.items)
        else:
            raise ValueError("the item is in one of the parts")
        least += int(self.problem.margins[item, before].sum())
        if len(part.items) == 1:
            return least
        inside = part.problem
        own = int(np.flatnonzero(part.items == item)[0])
        by_pairs = inside.floor + int(np.maximum(inside.margins[own], 0).sum())
        forced = forced_bounds(self.problem.restrict(part.searched), part.nodes)
        np.fill_diagonal(forced, 0)
        by_proof = int(forced[int(np.flatnonzero(part.searched == item)[0])].max())
        return least - part.cost + max(by_pairs, by_proof, part.cost)


def _solve(
    problem: Problem, part: Order, deadline: Deadline, pair: tuple[int, int] | None = None
) -> _Part:
    if len(part) == 1:
        return _Part(part, problem.restrict(part), [], part)
    decided = np.zeros((len(part), len(part)), dtype=bool)
    if pair is not None:
        decided[np.flatnonzero(part == pair[0])[0], np.flatnonzero(part == pair[1])[0]] = True
    search = Search(problem.restrict(part), deadline, decided=decided)
    search.run()
    items = part[search.order]
    return _Part(items, problem.restrict(items), search.nodes, part)
