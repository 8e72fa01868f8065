"""Cayley, Hamming, Ulam, rank-biased overlap and weighted tau."""

from collections import deque
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from tests.strategies import strict_rankings

MOVES = (ra.distances.cayley_distance, ra.distances.hamming_distance, ra.distances.ulam_distance)


def exchanges(order):
    for i, j in combinations(range(len(order)), 2):
        changed = list(order)
        changed[i], changed[j] = changed[j], changed[i]
        yield tuple(changed)


def insertions(order):
    for i, j in permutations(range(len(order)), 2):
        rest = [*order[:i], *order[i + 1 :]]
        yield (*rest[:j], order[i], *rest[j:])


def steps_from(start, moves):
    """Count the moves to every order, by breadth."""
    found, queue = {start: 0}, deque([start])
    while queue:
        here = queue.popleft()
        for there in moves(here):
            if there not in found:
                found[there] = found[here] + 1
                queue.append(there)
    return found


@pytest.mark.parametrize("n", [1, 3, 5])
@pytest.mark.parametrize(
    ("distance", "moves"),
    [(ra.distances.cayley_distance, exchanges), (ra.distances.ulam_distance, insertions)],
)
def test_the_distance_is_the_least_number_of_moves(distance, moves, n):
    start = ra.Permutation.from_order(range(n))
    for order, steps in steps_from(tuple(range(n)), moves).items():
        assert distance(start, ra.Permutation.from_order(order)) == steps


@given(first=strict_rankings(), data=st.data())
def test_hamming_counts_other_places(first, data):
    order = data.draw(st.permutations(list(first.items)))
    second = ra.Permutation.from_order(order, items=first.items)
    expected = sum(first.rank(item) != second.rank(item) for item in first.items)
    assert ra.distances.hamming_distance(first, second) == expected


@pytest.mark.parametrize("distance", MOVES)
def test_the_largest_distance_is_one_when_normalized(distance):
    start, *others = map(ra.Permutation.from_order, permutations(range(5)))
    assert max(distance(start, other, normalized=True) for other in others) == 1
    one = ra.Permutation.from_order("A")
    assert np.isnan(ra.distances.cayley_distance(one, one, normalized=True))


@pytest.mark.parametrize("distance", MOVES)
def test_ties_and_gaps_are_refused(distance):
    whole = ra.Permutation.from_order("ABC")
    for other in (ra.PartialRanking.from_ranks([0, 0, 2], items="ABC"), [0, 1, 2]):
        with pytest.raises(InvalidInputError, match="`second` must be a complete strict ranking"):
            distance(whole, other)
        with pytest.raises(InvalidInputError, match="`first` must be a complete strict ranking"):
            distance(other, whole)


def test_long_rankings_are_quick():
    rng = np.random.default_rng(0)
    first, second = (ra.Permutation.from_ranks(rng.permutation(20_000)) for _ in range(2))
    assert 20_000 - ra.distances.ulam_distance(first, second) == pytest.approx(
        2 * 20_000**0.5, rel=0.1
    )
    assert ra.distances.cayley_distance(first, second) > 19_970
    assert ra.distances.hamming_distance(first, second) > 19_980
