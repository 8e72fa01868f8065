"""Compatible permutations of one ranking: the complete strict rankings that agree with it.

A ranking that observes k of N items has N!/k! of them, times the factorial of each bucket's size
where ties are broken in every way. What they say on average has closed forms that need no
enumeration (Himmi et al. 2023, whose equation 6 is garbled in print).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, permutations, product
from math import factorial, prod

import numpy as np

from rankagg._typing import Floats, Ranks
from rankagg.core.rankings import places
from rankagg.core.rankings.places import UNLISTED, UNRANKED

__all__ = ["compatible_ranks", "count_compatible", "expected_ranks", "pairwise_probabilities"]


def _buckets(ranks: Ranks) -> list[list[int]]:
    """Return positions of tied items, best bucket first, unlisted items last."""
    buckets = [np.flatnonzero(ranks == place) for place in np.unique(ranks[ranks >= 0])]
    unlisted = np.flatnonzero(ranks == UNLISTED)
    return [bucket.tolist() for bucket in (*buckets, unlisted) if len(bucket)]


def count_compatible(ranks: Ranks) -> int:
    """Return the number of compatible permutations."""
    ways = prod(factorial(len(bucket)) for bucket in _buckets(ranks))
    observed = int((ranks != UNRANKED).sum())
    return ways * factorial(len(ranks)) // factorial(observed)


def compatible_ranks(ranks: Ranks) -> Iterator[Ranks]:
    """Yield the places of every compatible permutation."""
    n = len(ranks)
    unranked = np.flatnonzero(ranks == UNRANKED).tolist()
    buckets = _buckets(ranks)
    for slots in combinations(range(n), len(unranked)):
        rest = [slot for slot in range(n) if slot not in slots]
        for newcomers in permutations(unranked):
            for broken in product(*(permutations(bucket) for bucket in buckets)):
                result = np.empty(n, dtype=np.int32)
                result[list(newcomers)] = slots
                result[list(chain.from_iterable(broken))] = rest
                yield result


def pairwise_probabilities(ranks: Ranks) -> Floats:
    """Return P(row before column) in a uniform compatible permutation; 0 on the diagonal.

    An unobserved item is before the observed one at the (mean) place r of k with probability
    (r + 1)/(k + 1), whatever N is; two unobserved ones precede each other with 1/2.
    """
    n = len(ranks)
    mids = places.mid_ranks(ranks[None, :])[0]
    observed = ~np.isnan(mids)
    seen = mids[observed]
    share = (seen + 1.0) / (len(seen) + 1.0)
    before = np.full((n, n), 0.5)
    before[np.ix_(observed, observed)] = 0.5 * (1.0 + np.sign(seen[None, :] - seen[:, None]))
    before[np.ix_(~observed, observed)] = share
    before[np.ix_(observed, ~observed)] = 1.0 - share[:, None]
    np.fill_diagonal(before, 0.0)
    return before


def expected_ranks(ranks: Ranks) -> Floats:
    """Return expected places, from 0, in a uniform compatible permutation.

    (r + 1)(N + 1)/(k + 1) - 1 for the item at the (mean) place r of k, (N - 1)/2 for an
    unobserved one.
    """
    n = len(ranks)
    mids = places.mid_ranks(ranks[None, :])[0]
    observed = ~np.isnan(mids)
    expected = np.full(n, (n - 1) / 2)
    expected[observed] = (mids[observed] + 1) * (n + 1) / (observed.sum() + 1) - 1
    return expected
