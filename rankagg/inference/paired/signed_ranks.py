"""Wilcoxon's signed ranks: the p-value, Hodges and Lehmann's estimate and its interval."""

from __future__ import annotations

from functools import lru_cache
from math import floor, sqrt

import numpy as np
import scipy
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.core.arithmetic.exact_sum import rounding_error
from rankagg.core.rankings.places import competition_ranks

__all__ = ["EXACT_UNITS", "hodges_lehmann", "signed_rank_p_value"]

# Up to so many units that differ the distribution of the sum of ranks is exact.
EXACT_UNITS = 100
# Different values of which all means of two are held at once.
HELD = 2000


def signed_rank_p_value(
    differences: Floats, errors: Floats | None = None
) -> tuple[float, bool, int]:
    """Return Wilcoxon's two-sided p-value, whether it is exact, and its direction.

    Differences of zero are left out, those of equal size share their mid-rank, and the
    distribution is that of all signs of these ranks, so ties do no harm.

    Parameters
    ----------
    differences : ndarray of float, shape (u,)
        One for each unit.
    errors : ndarray of float, shape (u,), optional
        How far rounding can have moved each; by default 2**-48 of its size.

    Returns
    -------
    tuple of float, bool and int
        The direction is 1 where positive differences have more ranks, -1 where negative ones
        have. Above 100 units that differ the p-value is that of a normal distribution with the
        variance of these ranks, and a correction for continuity.

    References
    ----------
    Wilcoxon (1945), "Individual comparisons by ranking methods", https://doi.org/10.2307/3001968;
    Pratt (1959), "Remarks on zeros and ties in the Wilcoxon signed rank procedures",
    https://doi.org/10.1080/01621459.1959.10501526.
    """
    kept = differences[differences != 0.0]
    if not len(kept):
        return 1.0, True, 0
    sizes = np.abs(kept)
    moved = rounding_error(sizes) if errors is None else errors[differences != 0.0]
    ranks = competition_ranks(sizes[None, :], errors=moved[None, :])[0]
    doubled = np.rint(2.0 * scipy.stats.rankdata(ranks)).astype(np.int64)
    plus = int(doubled[kept > 0].sum())
    minus = int(doubled.sum()) - plus
    least, direction = min(plus, minus), int(np.sign(plus - minus))
    if len(kept) <= EXACT_UNITS:
        return min(1.0, 2.0 * float(_distribution(doubled)[: least + 1].sum())), True, direction
    # The half of one step of the doubled sum, which goes up by one or more.
    step = int(np.gcd.reduce(doubled))
    deviation = max(doubled.sum() / 2.0 - least - step / 2.0, 0.0)
    error = float(np.sqrt((doubled.astype(np.float64) ** 2).sum())) / 2.0
    return min(1.0, 2.0 * float(scipy.stats.norm.sf(deviation / error))), False, direction


def hodges_lehmann(differences: Floats, alpha: float) -> tuple[float, float, float]:
    """Return the median of the means of two differences each, and an interval for the center.

    Parameters
    ----------
    differences : ndarray of float, shape (u,)
        One for each unit, zeros too.
    alpha : float
        Probability of error.

    Returns
    -------
    tuple of three float
        The estimate and the ends; infinite where so few units exclude nothing, NaN for an
        estimate of none.

    Notes
    -----
    The ends are means of two (a difference and itself among them) at ranks of the distribution
    without ties. For independent differences that are symmetric about one center they hold it with
    probability 1 - alpha at least, and with ties more often.

    References
    ----------
    Hodges and Lehmann (1963), "Estimates of location based on rank tests",
    https://doi.org/10.1214/aoms/1177704172.
    """
    n = len(differences)
    if not n:
        return np.nan, -np.inf, np.inf
    many = n * (n + 1) // 2
    below = _below(n, alpha)
    ranks = [(many - 1) // 2, many // 2]
    if below >= 0:
        ranks += [below, many - 1 - below]
    found = _walsh(differences, np.array(ranks))
    center = float((found[0] + found[1]) / 2.0)
    if below < 0:
        return center, -np.inf, np.inf
    return center, float(found[2]), float(found[3])


@lru_cache(maxsize=256)
def _below(n: int, alpha: float) -> int:
    """Return the rank from 0 of the lower end among the means of two; -1 where there is none."""
    if n <= 2 * EXACT_UNITS:
        # As large as a sum of ranks can be and still be rejected; 1e-15 is for rounding.
        tail = np.cumsum(_distribution(np.arange(1, n + 1)))
        return int(np.searchsorted(tail, alpha / 2.0 + 1e-15, side="right")) - 1
    middle = n * (n + 1) / 4.0
    error = sqrt(n * (n + 1) * (2 * n + 1) / 24.0)
    return max(floor(middle - float(scipy.stats.norm.isf(alpha / 2.0)) * error - 0.5), 0)


def _distribution(ranks: NDArray[np.int64]) -> Floats:
    """Return the probabilities of all sums of ranks whose signs are as likely as not."""
    total = int(ranks.sum())
    chances = np.zeros(total + 1)
    chances[0], reach = 1.0, 0
    for rank in ranks.tolist():
        # Halved as one goes, so that nothing overflows.
        chances[: reach + 1] *= 0.5
        chances[rank : reach + rank + 1] += chances[: reach + 1].copy()
        reach += rank
    return chances


def _walsh(differences: Floats, ranks: NDArray[np.intp]) -> Floats:
    """Return order statistics of the means of two differences, from rank 0."""
    values, counts = np.unique(differences, return_counts=True)
    if len(values) <= HELD:
        return _walsh_held(values, counts, ranks)
    return np.array([_walsh_at(values, counts, int(rank)) for rank in ranks])


def _walsh_held(values: Floats, counts: NDArray[np.intp], ranks: NDArray[np.intp]) -> Floats:
    first, second = np.triu_indices(len(values))
    means = (values[first] + values[second]) / 2.0
    often = np.where(
        first == second, counts[first] * (counts[first] + 1) // 2, counts[first] * counts[second]
    )
    order = np.argsort(means, kind="stable")
    at = np.searchsorted(np.cumsum(often[order]), ranks, side="right")
    result: Floats = means[order][at]
    return result


def _walsh_at(values: Floats, counts: NDArray[np.intp], rank: int) -> float:
    """Return one order statistic, to the last digits of a float, by halving."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    low, high = float(values[0]), float(values[-1])

    def upto(mean: float) -> int:
        """Count the means of two that are no larger."""
        reach = ends[np.searchsorted(values, 2.0 * mean - values, side="right")]
        self_too = int(counts[values <= mean].sum())
        return (int(counts @ reach) + self_too) // 2

    while True:
        middle = low + (high - low) / 2.0
        if not low < middle < high:
            return low if upto(low) > rank else high
        low, high = (low, middle) if upto(middle) > rank else (middle, high)
