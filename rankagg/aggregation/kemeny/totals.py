"""What a case costs at least, from the pairs that its weighted rows touch: no others change."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers
from rankagg.aggregation.kemeny.nodes import WEIGHT_DENOMINATOR
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.rows import Weighting
from rankagg.core import exact

__all__ = ["least_total"]


def least_total(problem: Problem, weighting: Weighting, decided: Bools) -> int:
    """Return the sum of the cheaper or decided directions of all pairs, less what rows take off.

    Parameters
    ----------
    problem : Problem
        The problem of the part.
    weighting : Weighting
        Rows over positions within the part, with weights over `WEIGHT_DENOMINATOR`.
    decided : ndarray of bool, shape (n, n)
        Pairs (row before column) that the case has decided.

    Returns
    -------
    int
        Times `WEIGHT_DENOMINATOR`, without the problem's constant.
    """
    total = problem.floor - problem.constant
    if decided.any():
        total += exact.sum_of(problem.margins[decided & (problem.margins > 0)])
    tails, heads, amounts, paid = weighting.taken()
    low, high, off = _by_pair(tails, heads, amounts, problem.n)
    costs: Any = np.stack([problem.costs[low, high], problem.costs[high, low]])
    costs = exact.multiply(costs, np.array(WEIGHT_DENOMINATOR, dtype=object))
    rest = exact.combine(costs, 1, off, -1)
    choice = decided[low, high], decided[high, low]
    less = exact.sum_of(_chosen(costs, *choice)) - exact.sum_of(_chosen(rest, *choice))
    return total * WEIGHT_DENOMINATOR + paid - less


def _by_pair(
    tails: NDArray[np.intp], heads: NDArray[np.intp], amounts: Integers, n: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], Integers]:
    """Return the pairs that arcs join, and what is taken off each of their two directions."""
    arcs = np.minimum(tails, heads) * n + np.maximum(tails, heads)
    pairs, where = np.unique(arcs, return_inverse=True)
    off: NDArray[Any] = np.zeros((2, len(pairs)), dtype=amounts.dtype)
    np.add.at(off, ((tails > heads).astype(np.intp), where.reshape(-1)), amounts)
    return pairs // n, pairs % n, off


def _chosen(costs: Integers, forward: Bools, backward: Bools) -> Integers:
    """Return the first of two costs where it is decided, the second where that is, or the less."""
    chosen: Integers = np.where(
        forward, costs[0], np.where(backward, costs[1], np.minimum(costs[0], costs[1]))
    )
    return chosen
