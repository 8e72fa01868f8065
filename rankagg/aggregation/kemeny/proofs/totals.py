"""What a case costs at least, from the pairs that its weighted rows touch: no others change."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proofs.nodes import WEIGHT_DENOMINATOR
from rankagg.aggregation.kemeny.proofs.rows import Weighting
from rankagg.core.arithmetic import exact

__all__ = ["least_total"]

# Of so few items all pairs are looked at, which is quicker than finding those that rows touch.
FEW = 150

# Floats hold whole numbers below this exactly.
WHOLE_FLOATS = 2**53


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
    tails, heads, amounts, paid = weighting.taken()
    if problem.n <= FEW:
        least = _least_of_all(problem, tails * problem.n + heads, amounts, decided)
        if least is not None:
            return least + paid
    total = problem.floor - problem.constant
    if decided.any():
        total += exact.sum_of(problem.margins[decided & (problem.margins > 0)])
    low, high, off = _by_pair(tails, heads, amounts, problem.n)
    costs: Any = np.stack([problem.costs[low, high], problem.costs[high, low]])
    costs = exact.multiply(costs, WEIGHT_DENOMINATOR)
    rest = exact.combine(costs, 1, off, -1)
    choice = decided[low, high], decided[high, low]
    less = exact.sum_of(_chosen(costs, *choice)) - exact.sum_of(_chosen(rest, *choice))
    return total * WEIGHT_DENOMINATOR + paid - less


def _least_of_all(
    problem: Problem, arcs: NDArray[np.intp], amounts: Integers, decided: Bools
) -> int | None:
    """Return the sum over the pairs of few items at once; None where machine integers are short."""
    n, costs = problem.n, problem.costs
    if object in (costs.dtype, amounts.dtype):
        return None
    most = exact.sum_of(amounts)
    largest = int(np.abs(costs).max(initial=0)) * WEIGHT_DENOMINATOR
    if most >= WHOLE_FLOATS or (largest + most) * n * n >= exact.INT64_SAFE:
        return None
    off = np.bincount(arcs, amounts, n * n).astype(np.int64).reshape(n, n)
    rest = costs * WEIGHT_DENOMINATOR - off
    chosen = np.minimum(rest, rest.T)
    if decided.any():
        chosen = np.where(decided, rest, np.where(decided.T, rest.T, chosen))
    return int(chosen.sum()) // 2  # every pair stands there twice


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
