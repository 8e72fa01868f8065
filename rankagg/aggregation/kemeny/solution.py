"""What a backend is asked for one part, and what it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proofs.nodes import Node, leaf_of, moved_to
from rankagg.aggregation.kemeny.proofs.proof import Proof
from rankagg.aggregation.kemeny.proofs.rows import Derived, compact

if TYPE_CHECKING:
    from rankagg.aggregation.kemeny.search.warm import WarmPart

__all__ = ["Backend", "Report", "Solution", "Task", "silent"]


@dataclass(frozen=True, eq=False)
class Solution:
    """An order of one part, and the cases that bound what any order costs.

    Attributes
    ----------
    order : ndarray of int, shape (n,)
        Positions within the part, best first.
    nodes : tuple of Leaf, Branch or Enumeration
        The tree of cases, over positions within the part.
    rows : tuple of Derived
        The derived rows that the nodes use, and perhaps more.
    interrupted : bool
        True where the user stopped it.
    notes : tuple of str
        What the reader of the result must know.
    lower : int, optional
        What no order of the part costs less than, in the units of `Problem.costs`, if it is known
        already; the certificate computes it anew.
    """

    order: NDArray[np.intp]
    nodes: tuple[Node, ...]
    rows: tuple[Derived, ...] = ()
    interrupted: bool = False
    notes: tuple[str, ...] = ()
    lower: int | None = None

    def proof(self, part: NDArray[np.intp]) -> Proof:
        """Return the cases as a proof about the items of a part, with the rows that they use."""
        leaves = [leaf for leaf in map(leaf_of, self.nodes) if leaf is not None]
        rows, numbers = compact(self.rows, [row for leaf in leaves for row, _ in leaf.rows])
        where = part.tolist()
        nodes = moved_to(self.nodes, part, numbers)
        return Proof(tuple(where), nodes, tuple(row.moved_to(where) for row in rows))


#: Called with the lower and the upper bound of a part, in the units of `Problem.costs`.
Report: TypeAlias = Callable[[int, int], None]


def silent(lower: int, upper: int) -> None:
    """Report nothing."""


@dataclass(frozen=True, eq=False)
class Task:
    """What a backend is asked: one part, and what may help or hinder.

    Attributes
    ----------
    problem : Problem
        A part of at least two items.
    deadline : Deadline
        When to stop with what is there.
    report : callable
        Told the bounds as they change.
    start : ndarray of int, shape (n,), or None
        An order that is likely to be good, as positions within the part.
    n_jobs : int
        Processes that it may use.
    decided : ndarray of bool, shape (n, n), or None
        Pairs (row before column) that constraints decide, closed under transitivity; None where
        there are no constraints.
    warm : WarmPart or None
        What is known of the same items from related problems.
    """

    problem: Problem
    deadline: Deadline = field(default_factory=Deadline)
    report: Report = silent
    start: NDArray[np.intp] | None = None
    n_jobs: int = 1
    decided: Bools | None = None
    warm: WarmPart | None = None


#: Solves one part.
Backend: TypeAlias = Callable[[Task], Solution]
