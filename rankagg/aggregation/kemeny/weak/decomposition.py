"""Splitting a problem among weak orders where one place is the cheapest for every pair across.

Let the items fall into groups, first to last, so that for every i in an earlier and j in a later
group "i above j" costs no more than "j above i" and no more than a tie. Then some optimal weak
order puts the groups one above the other, each in an optimal weak order of its own.

Proof. Take any weak order. Keep its order inside each group, and put the groups one above the
other. Pairs inside a group cost what they did, and each pair across has its cheapest place, so
the whole costs no more. What is left to choose is each group's inside, and those do not meet.

Nothing is asked of the penalties, of transitivity or of complete votes. Where "i above j" costs
strictly less than the other two for all pairs across, the same step makes every other weak order
cheaper: then all optimal weak orders are made of optimal ones of the groups, and only of those.

The finest such groups are the strong components of the graph with an arc from x to y wherever "y
above x" is not (the only) cheapest: an arc keeps x from going into a later group than y, and two
items with arcs both ways, such as those that are cheapest tied, stay together.
"""

from __future__ import annotations

from graphlib import TopologicalSorter

import numpy as np
from numpy.typing import NDArray

from rankagg.aggregation.kemeny.weak.problem import WeakProblem
from rankagg.core.graphs import strong_parts

__all__ = ["groups"]


def groups(problem: WeakProblem, *, all_optima: bool = False) -> list[NDArray[np.intp]]:
    """Return the finest groups that can be solved one by one, best first.

    Parameters
    ----------
    problem : WeakProblem
        Any integer costs.
    all_optima : bool, default False
        Whether all optimal weak orders must keep to the groups, and not only one of them.

    Returns
    -------
    list of ndarray of int
        Positions of the items of each group.
    """
    others = np.minimum(problem.above.T, problem.tied)
    last_first = problem.above >= others if all_optima else problem.above > others
    arcs = last_first.T.copy()
    np.fill_diagonal(arcs, False)
    group = strong_parts(arcs)
    count = int(group.max()) + 1
    between = np.zeros((count, count), dtype=bool)
    tails, heads = np.nonzero(arcs)
    between[group[tails], group[heads]] = True
    np.fill_diagonal(between, False)
    earlier = {g: np.flatnonzero(between[:, g]).tolist() for g in range(count)}
    return [np.flatnonzero(group == g) for g in TopologicalSorter(earlier).static_order()]
