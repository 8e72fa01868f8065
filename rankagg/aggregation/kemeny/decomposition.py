"""Splitting a Kemeny problem where strict majorities leave no cycle across the cut."""

from __future__ import annotations

from graphlib import TopologicalSorter

import numpy as np
from numpy.typing import NDArray

from rankagg.aggregation.kemeny.problem import Problem
from rankagg.core.graphs import strong_parts

__all__ = ["majority_components"]


def majority_components(problem: Problem) -> list[NDArray[np.intp]]:
    """Return the strong components of the strict majority relation, best first.

    An arc goes from i to j where placing i before j is strictly cheaper. Some optimal order puts
    the components one after the other, each in an optimal order of its own; ties between
    components are free. That holds for one optimum, not for all of them.

    Parameters
    ----------
    problem : Problem
        Any integer costs.

    Returns
    -------
    list of ndarray of int
        Positions of the items of each component.

    References
    ----------
    Truchon (1998), "An extension of the Condorcet criterion and Kemeny orders".
    """
    arcs = problem.margins < 0
    component = strong_parts(arcs)
    count = int(component.max()) + 1
    between = np.zeros((count, count), dtype=bool)
    between[component[np.nonzero(arcs)[0]], component[np.nonzero(arcs)[1]]] = True
    np.fill_diagonal(between, False)
    above = {c: np.flatnonzero(between[:, c]).tolist() for c in range(count)}
    return [np.flatnonzero(component == c) for c in TopologicalSorter(above).static_order()]
