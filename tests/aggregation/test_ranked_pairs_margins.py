"""Ranked pairs over margins, of which there are fewer than profiles.

Margins that are all even, or all odd, belong to some profile (Debord 1987); clones have the same
margin with everybody else.
"""

import re
from itertools import product

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.ranked_pairs import locked_paths
from tests.aggregation.margins import locking, margins_of, votes_of


def winners(margins):
    return set(np.flatnonzero(~locked_paths(margins).any(axis=0)).tolist())


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
        told = ",".join([*map(str, consensus.buckets[0]), *consensus.notes])
        assert winners(both) == set(map(int, re.findall(r"\d+", told))) == unbeaten


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base", "clones", "most"), [(3, 2, 4), (2, 3, 4), (4, 2, 2), (3, 3, 2)]
)  # fmt: skip
def test_no_margins_make_clones_matter(base, clones, most) -> None:
    # Four margins of four sizes are all there is of four items: only their order matters.
    values = range(-most, most + 1)
    pairs = [m * (m - 1) // 2 for m in (base, clones)]
    for outside in product(values, repeat=pairs[0]):
        for inside in product(values, repeat=pairs[1]):
            assert clones_change_nothing(margins_of(outside), margins_of(inside))
