"""Ranked pairs and clones over margins, which are fewer than profiles.

Margins that are all even, or all odd, belong to some profile (Debord 1987); clones have the same
margin with everybody else.
"""

import re

import numpy as np

import rankagg as ra
from tests.aggregation.margins import locking, margins_of, votes_of


def winners(margins):
    return set(ra.RankedPairs().aggregate(votes_of(margins)).winners)


def with_clones(margins, inside):
    """Return margins in which the last item is several with these margins between them."""
    n = len(margins) + len(inside) - 1
    of = np.minimum(np.arange(n), len(margins) - 1)
    cloned = margins[np.ix_(of, of)]
    cloned[len(margins) - 1 :, len(margins) - 1 :] = inside
    return cloned


def clones_change_nothing(margins, inside):
    last = len(margins) - 1
    cloned = with_clones(margins, inside)
    return {min(x, last) for x in winners(cloned)} == winners(margins)


def test_clones_change_nothing_under_ranked_pairs() -> None:
    rng = np.random.default_rng(8)
    for _ in range(60):
        n, k, most = rng.integers([2, 2, 1], [6, 5, 5])
        base, inside = (
            margins_of(rng.integers(-most, most + 1, size=m * (m - 1) // 2)) for m in (n, k)
        )
        assert clones_change_nothing(base, inside), (base, inside)
        both = with_clones(base, inside)
        unbeaten = {x for x, paths in locking(both).in_degree() if not paths}
        consensus = ra.RankedPairs().aggregate(votes_of(both))
        text = ",".join([*map(str, consensus.buckets[0]), *consensus.notes])
        assert winners(both) == set(map(int, re.findall(r"\d+", text))) == unbeaten
