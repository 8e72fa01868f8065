"""Nemenyi's comparison of all pairs of average ranks, as numbers; `FriedmanTest` gives them names.

Two items differ where their average ranks differ by more than the largest of all differences would
with probability alpha if all items ranked alike. It is a studentized range, for many rankings.
Nothing is corrected for ties, which makes the comparison more careful and not less.
"""

from __future__ import annotations

import numpy as np
import scipy

from rankagg._typing import Floats

__all__ = ["alike", "critical_difference", "pair_p_values"]


def critical_difference(n_items: int, n_rankings: int, alpha: float) -> float:
    """Return the difference of average ranks that is exceeded with probability alpha."""
    quantile = float(scipy.stats.studentized_range.ppf(1.0 - alpha, n_items, np.inf))
    return quantile * _scale(n_items, n_rankings)


def pair_p_values(average_ranks: Floats, n_rankings: int) -> Floats:
    """Return the adjusted p-value of each pair, shape (n, n); 1 on the diagonal."""
    n = len(average_ranks)
    gaps = np.abs(average_ranks[:, None] - average_ranks) / _scale(n, n_rankings)
    distinct, where = np.unique(gaps, return_inverse=True)
    tails = np.clip(scipy.stats.studentized_range.sf(distinct, n, np.inf), 0.0, 1.0)
    values: Floats = tails[where].reshape(n, n)
    np.fill_diagonal(values, 1.0)
    return values


def alike(average_ranks: Floats, difference: float) -> list[list[int]]:
    """Return the largest sets of neighbors by average rank that differ by no more, best first."""
    order = np.argsort(average_ranks, kind="stable")
    ranks = average_ranks[order]
    ends = np.searchsorted(ranks, ranks + difference, side="right")
    # A set that ends where the one before it ends is part of that one.
    starts = np.flatnonzero(np.diff(ends, prepend=0))
    return [order[start : ends[start]].tolist() for start in starts]


def _scale(n_items: int, n_rankings: int) -> float:
    """Return the standard deviation of an average rank without ties, times sqrt(k/(k - 1)).

    Average ranks sum to a constant; this is what they would have as independent numbers.
    """
    return float(np.sqrt(n_items * (n_items + 1) / (12.0 * n_rankings)))
