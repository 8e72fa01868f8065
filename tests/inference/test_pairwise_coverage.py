"""How often intervals hold the true proportion: exactly where few outcomes are possible.

Of n independent comparisons of two items, the wins are binomial: coverage is a sum over all
possible numbers of wins. Elsewhere data are drawn with fixed seeds, and a share of runs may be off
by four standard errors.
"""

from functools import cache

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg import PairwiseIntervals
from rankagg.inference.pair_bounds import _anytime_alpha, radius_of_shares

from_data = PairwiseIntervals.from_data


def least(level, runs):
    """Return the share of runs that a coverage of `level` reaches but for bad luck."""
    return level - 4 * np.sqrt(level * (1 - level) / runs)


def pair_of(wins, losses):
    """Return comparisons of A and B."""
    orders = [("AB", wins), ("BA", losses)]
    rows = [(order, count) for order, count in orders if count]
    return ra.Profile.from_orders([o for o, _ in rows], counts=[c for _, c in rows], items="AB")


@cache
def bounds(n, method, alpha, **_):
    """Return lower and upper bounds of A above B for 0 to n wins."""
    options = {"rng": 1, "n_resamples": 1000} if method == "percentile" else {}
    found = [
        from_data(pair_of(k, n - k), method=method, alpha=alpha, **options) for k in range(n + 1)
    ]
    return tuple(np.array([getattr(i, name)[0, 1] for i in found]) for name in ("lower", "upper"))


def coverage(n, method, alpha, p):
    lower, upper = bounds(n, method, alpha)
    return stats.binom.pmf(np.arange(n + 1), n, p)[(lower <= p) & (p <= upper)].sum()


# -- one pair, exactly ----------------------------------------------------------------------------

EVERYWHERE = np.linspace(0.005, 0.995, 100)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
@pytest.mark.parametrize("n", [5, 30, pytest.param(150, marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", ["hoeffding", "clopper-pearson"])
def test_coverage_is_never_below_the_level(method, n, alpha):
    assert min(coverage(n, method, alpha, p) for p in EVERYWHERE) >= 1 - alpha


@pytest.mark.parametrize("method", ["hoeffding", "clopper-pearson"])
def test_one_sided_coverage_is_never_below_the_level(method):
    n, alpha = 25, 0.1
    chances = np.array([stats.binom.pmf(np.arange(n + 1), n, p) for p in EVERYWHERE])
    for alternative in ("greater", "less"):
        found = [
            from_data(pair_of(k, n - k), method=method, alpha=alpha, alternative=alternative)
            for k in range(n + 1)
        ]
        lower, upper = (
            np.array([getattr(i, name)[0, 1] for i in found]) for name in ("lower", "upper")
        )
        inside = (lower <= EVERYWHERE[:, None]) & (EVERYWHERE[:, None] <= upper)
        assert (chances * inside).sum(axis=1).min() >= 1 - alpha


# -- looking after each comparison, exactly -------------------------------------------------------


def chance_of_leaving(radii, p):
    """Return the chance that a mean is ever further from p than the radius of its size."""
    alive, left = np.array([1.0]), 0.0
    for n, radius in enumerate(radii, start=1):
        alive = np.append(alive * (1 - p), 0.0) + np.append(0.0, alive * p)
        outside = np.abs(np.arange(n + 1) / n - p) > radius
        left += alive[outside].sum()
        alive = np.where(outside, 0.0, alive)
    return left


@pytest.mark.parametrize("p", [0.5, 0.9])
def test_anytime_intervals_cover_at_all_sizes_together(p):
    sizes = np.arange(1, 2001)
    assert chance_of_leaving(radius_of_shares(1 / sizes, _anytime_alpha(0.3, sizes)), p) <= 0.3
