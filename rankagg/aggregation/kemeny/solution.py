"""What a backend is asked for one part and returns, and what a long solve says on its way."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.problem import PairCosts
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.aggregation.kemeny.proof_nodes import Derived, Node, compact, leaf_of, moved_to
from rankagg.exceptions import OutOfTimeError

if TYPE_CHECKING:
    from rankagg.aggregation.kemeny.placed_lists import PlacedProblem
    from rankagg.aggregation.kemeny.warm import WarmPart

__all__ = ["LOGGER", "Backend", "Listener", "Progress", "Report", "Solution", "Task", "silent"]


@dataclass(frozen=True, eq=False)
class Solution:
    """An order of one part, and the cases that bound what any order costs."""

    # Shape (n,). Positions within the part, best first; among weak orders, numbers of buckets.
    order: NDArray[np.intp]
    # The tree of cases, over positions within the part.
    nodes: tuple[Node, ...]
    # The derived rows that the nodes use, and perhaps more.
    rows: tuple[Derived, ...] = ()
    # True where the user stopped it.
    interrupted: bool = False
    # What the reader of the result must know.
    notes: tuple[str, ...] = ()
    # What no order of the part costs less than, in the units of `Problem.costs`, if it is known
    # already; the certificate computes it anew.
    lower: int | None = None

    def proof(self, part: NDArray[np.intp], kind: type[Proof] = Proof) -> Proof:
        """Return the cases as a proof about the items of a part, with the rows that they use."""
        leaves = [leaf for leaf in map(leaf_of, self.nodes) if leaf is not None]
        rows, numbers = compact(self.rows, [row for leaf in leaves for row, _ in leaf.rows])
        where = part.tolist()
        nodes = moved_to(self.nodes, part, numbers)
        return kind(tuple(where), nodes, tuple(row.moved_to(where) for row in rows))


#: Called with the lower and the upper bound of a part, in the units of `Problem.costs`.
Report: TypeAlias = Callable[[int, int], None]


def silent(lower: int, upper: int) -> None:
    """Report nothing."""


@dataclass(frozen=True, eq=False)
class Task:
    """What a backend is asked: one part, and what may help or hinder."""

    # A part of at least two items.
    problem: Any
    # When to stop with what is there.
    deadline: Deadline = field(default_factory=Deadline)
    # Told the bounds as they change.
    report: Report = silent
    # Shape (n,). An order that is likely to be good, as positions within the part.
    start: NDArray[np.intp] | None = None
    # Processes that it may use.
    n_jobs: int = 1
    # Shape (n, n). Pairs (row before column) that constraints decide, closed under transitivity;
    # None where there are no constraints.
    decided: Bools | None = None
    # What is known of the same items from related problems.
    warm: WarmPart | None = None


#: Solves one part.
Backend: TypeAlias = Callable[[Task], Solution]


LOGGER = logging.getLogger("rankagg.kemeny")

SECONDS_BETWEEN = 1.0
SECONDS_BETWEEN_CALLS = 0.1

#: Called with the cost of the best ranking so far and the bound, in votes; true stops the search.
Listener: TypeAlias = Callable[[float, float], object]


Costs: TypeAlias = "PairCosts | PlacedProblem"


class Progress:
    """Bounds on the cost of the whole, from those of the part that is being solved."""

    def __init__(self, problem: Costs, listener: Listener | None = None) -> None:
        self._problem = problem
        self._listener = listener
        self.is_stopped = False
        # What the parts solved so far cost at least and at most, above their floors.
        self._proved = self._above = 0
        self._start = self._told = monotonic()
        self._called = 0.0

    def of_part(self, part: Costs) -> Report:
        """Return what a backend calls with the bounds of one part; it raises `OutOfTimeError`."""

        def report(lower: int, upper: int) -> None:
            now = monotonic()
            floor = self._problem.floor - part.floor
            best, bound = floor + self._above + upper, floor + self._proved + lower
            if now - self._told >= SECONDS_BETWEEN:
                self._told = now
                self._tell(bound, best, part.n, now - self._start)
            if now - self._called >= SECONDS_BETWEEN_CALLS:
                self._called = now
                self._call(best, bound)
                if self.is_stopped:
                    raise OutOfTimeError

        return report

    def _call(self, best: int, bound: int) -> None:
        if self._listener is not None and not self.is_stopped:
            in_votes = self._problem.in_votes
            self.is_stopped = bool(self._listener(in_votes(best), in_votes(bound)))

    def _tell(self, lower: int, upper: int, items: int, seconds: float) -> None:
        gap = 100 * (upper - lower) / upper if upper else 0.0
        LOGGER.info(
            "bound %.10g, best %.10g, gap %.3f %%, %.0f s (part of %d items)",
            self._problem.in_votes(lower),
            self._problem.in_votes(upper),
            gap,
            seconds,
            items,
        )

    def close_part(self, part: Costs, cost: int, lower: int | None) -> None:
        """Add what a finished part costs, and what it costs at least where that is known."""
        self._above += cost - part.floor
        if lower is not None:
            self._proved += lower - part.floor
        self._call(self._problem.floor + self._above, self._problem.floor + self._proved)
