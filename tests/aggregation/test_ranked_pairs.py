"""Ranked pairs against stacks of its authors, and clones over margins, fewer than profiles.

Margins that are all even, or all odd, belong to some profile (Debord 1987); clones have the same
margin with everybody else.
"""

import re
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.aggregation import ranked_pairs
from rankagg.aggregation.ranked_pairs import locked_paths
from rankagg.exceptions import InvalidInputError
from tests.aggregation.margins import locking, margins_of, votes_of

PARALLEL = ra.RankedPairs(tie_breaking="parallel")


def some_margins(sizes=(1, 3, 6, 10), most=2):
    pairs = st.sampled_from(sizes).flatmap(
        lambda size: st.lists(st.integers(-most, most), min_size=size, max_size=size)
    )
    return pairs.map(margins_of)


def is_stack(order, margins):
    """Say whether a path down the order outweighs each reverse majority (Zavist and Tideman)."""
    for a, b in combinations(range(len(order)), 2):
        paths = (
            (order[a], *inner, order[b])
            for size in range(b - a)
            for inner in combinations(order[a + 1 : b], size)
        )
        best = max(min(margins[i, j] for i, j in pairwise(path)) for path in paths)
        if best < margins[order[b], order[a]]:
            return False
    return True


def stacks(margins):
    return [order for order in permutations(range(len(margins))) if is_stack(order, margins)]


# Two cycles of one size that share an item, and a larger one above them.
@example(margins_of([1, -1, 0, 0, 1, 0, 0, 1, -1, 1]))
@example(margins_of([1, -1, 1, -1, 1, 1, -1, 1, 1, 1]))
@given(margins=some_margins())
def test_the_outcomes_are_the_stacks(margins):
    expected = stacks(margins)
    assert [one.order for one in PARALLEL.outcomes(votes_of(margins))] == expected
    consensus = PARALLEL.aggregate(votes_of(margins))
    best = [min(order.index(i) for order in expected) for i in range(len(margins))]
    found = consensus.ranking.ranks
    assert [sorted(best).index(place) for place in best] == found.tolist()
    winners = [i for i, place in enumerate(best) if place == 0]
    assert consensus.buckets[0] == tuple(winners)
    names = ", ".join(map(str, winners))
    many = (f"each wins by some order of equal majorities: {names}",) * (len(winners) > 1)
    assert consensus.notes == many


def test_parts_that_share_no_cycle_choose_for_themselves():
    cycle = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    order = np.sign(np.arange(3)[None, :] - np.arange(3)[:, None])
    margins = np.kron(np.eye(3, dtype=int), cycle) + 5 * np.kron(order, np.ones((3, 3), dtype=int))
    assert len(PARALLEL.outcomes(votes_of(margins))) == 27
    assert PARALLEL.aggregate(votes_of(margins)).buckets == ((0, 1, 2), (3, 4, 5), (6, 7, 8))


def test_too_many_ways_are_refused(monkeypatch):
    monkeypatch.setattr(ranked_pairs, "MOST_STEPS", 50)
    margins = np.triu(np.random.default_rng(0).choice([-1, 1], (7, 7)), 1)
    votes = votes_of(margins - margins.T)
    with pytest.raises(
        InvalidInputError, match=r"so many cycles\. Got 'parallel'\. 'together' leaves"
    ):
        PARALLEL.aggregate(votes)
    nothing = votes_of(np.zeros((4, 4), dtype=int))
    assert len(PARALLEL.outcomes(nothing, limit=24)) == 24
    for call, words in (
        (lambda: PARALLEL.outcomes(votes), "tie_breaking of RankedPairs"),
        (lambda: ra.RankedPairs(tie_breaking="order"), "tie_breaking of RankedPairs"),
        (lambda: PARALLEL.outcomes(nothing, limit=23), "at least the number of outcomes"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            call()


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
