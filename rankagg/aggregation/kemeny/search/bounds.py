"""What is known of a case while it is searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proofs.nodes import Leaf, Node
from rankagg.aggregation.kemeny.proofs.proof import leaf_bound
from rankagg.aggregation.kemeny.proofs.rows import Derived, Weighting

__all__ = ["Bound", "Found", "unweighted"]


@dataclass(frozen=True, eq=False)
class Bound:
    """What a case is known to cost at least, and by which weighted rows.

    Attributes
    ----------
    value : int
        In the units of `Problem.costs`.
    weighting : Weighting
        The rows.
    rows : ndarray of int
        The numbers of its derived rows.
    """

    value: int
    weighting: Weighting
    rows: NDArray[np.intp]

    def used(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the cycles and the derived rows that have a weight."""
        weighting = self.weighting
        return weighting.cycles[weighting.weights > 0], self.rows[weighting.form_weights > 0]

    def leaf(self) -> Leaf:
        """Return it as a leaf of a proof."""
        weights, row_weights = self.weighting.weights, self.weighting.form_weights
        cycles, rows = self.used()
        return Leaf(
            tuple((a, b, c) for a, b, c in cycles.tolist()),
            tuple(int(weight) for weight in weights[weights > 0]),
            tuple(zip(rows.tolist(), map(int, row_weights[row_weights > 0]), strict=True)),
        )


@dataclass(frozen=True, eq=False)
class Found:
    """What a search has found about a case.

    Attributes
    ----------
    order : ndarray of int
        The best order of the case.
    nodes : sequence of node
        The tree of its cases.
    rows : sequence of Derived
        The derived rows that these speak of, which use each other only.
    lower : int
        What no order of the case costs less than, in the units of `Problem.costs`.
    is_done : bool
        Whether that is as much as a known order costs.
    """

    order: NDArray[np.intp]
    nodes: Sequence[Node]
    rows: Sequence[Derived]
    lower: int
    is_done: bool


def unweighted(problem: Problem, decided: Bools) -> Bound:
    """Return what a case costs at least whatever the rows say."""
    nothing = Weighting(np.empty((0, 3), dtype=np.intp), np.zeros(0, dtype=np.int64))
    value = leaf_bound(problem, nothing, decided)
    return Bound(value, nothing, np.zeros(0, dtype=np.intp))
