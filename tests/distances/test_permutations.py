"""Cayley, Hamming, Ulam, rank-biased overlap and weighted tau."""

from collections import deque
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankagg as ra
from rankagg.exceptions import InvalidInputError, ItemMismatchError
from tests.strategies import ranking_pairs, strict_rankings

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


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
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
@given(orders=st.lists(st.permutations(range(5)), min_size=3, max_size=3))
def test_they_are_metrics_that_names_do_not_matter_to(distance, orders):
    a, b, c = (ra.Permutation.from_order(order) for order in orders)
    assert distance(a, b) == distance(b, a)
    assert distance(a, c) <= distance(a, b) + distance(b, c)
    assert (distance(a, b) == 0) == (a == b)
    renamed = [ra.Permutation(r.ranks[[2, 0, 4, 1, 3]]) for r in (a, b)]
    assert distance(*renamed) == distance(a, b)


@pytest.mark.parametrize("distance", MOVES)
def test_the_largest_distance_is_one_when_normalized(distance):
    start = ra.Permutation.from_order(range(5))
    values = [
        distance(start, ra.Permutation.from_order(order), normalized=True)
        for order in permutations(range(5))
    ]
    assert max(values) == 1
    assert np.isnan(
        ra.distances.cayley_distance(*[ra.Permutation.from_order("A")] * 2, normalized=True)
    )


@pytest.mark.parametrize("distance", MOVES)
def test_ties_gaps_and_other_items_are_refused(distance):
    whole = ra.Permutation.from_order("ABC")
    for other in (ra.PartialRanking.from_ranks([0, 0, 2], items="ABC"), [0, 1, 2]):
        with pytest.raises(InvalidInputError, match="`second` must be a complete strict ranking"):
            distance(whole, other)
        with pytest.raises(InvalidInputError, match="`first` must be a complete strict ranking"):
            distance(other, whole)
    with pytest.raises(ItemMismatchError):
        distance(whole, ra.Permutation.from_order("ABD"))


def test_long_rankings_are_quick():
    rng = np.random.default_rng(0)
    first, second = (ra.Permutation(rng.permutation(20_000)) for _ in range(2))
    assert 20_000 - ra.distances.ulam_distance(first, second) == pytest.approx(
        2 * 20_000**0.5, rel=0.1
    )
    assert ra.distances.cayley_distance(first, second) > 19_970
    assert ra.distances.hamming_distance(first, second) > 19_980


# -- overlap and weighted tau ---------------------------------------------------------------------


@given(pair=ranking_pairs(), persistence=st.sampled_from([0.1, 0.5, 0.9, 0.99]))
def test_rank_biased_overlap_averages_the_overlap_of_the_first_k(pair, persistence):
    first, second = pair
    both = (first.ranks != ra.UNRANKED) & (second.ranks != ra.UNRANKED)
    if not both.any():
        with pytest.raises(InvalidInputError, match="in common"):
            ra.distances.rank_biased_overlap(first, second)
        return
    n = int(both.sum())
    overlap = [ra.distances.top_k_agreement(first, second, k) for k in range(1, n + 1)]
    expected = sum((1 - persistence) * persistence**k * a for k, a in enumerate(overlap))
    found = ra.distances.rank_biased_overlap(first, second, persistence=persistence)
    assert found == pytest.approx(expected + persistence**n)
    assert 0 <= found <= 1 + 1e-12


def test_rank_biased_overlap_of_equal_and_of_reversed_rankings():
    abc = ra.Permutation.from_order("ABC")
    assert ra.distances.rank_biased_overlap(abc, abc) == pytest.approx(1)
    low = ra.distances.rank_biased_overlap(abc, abc.reverse(), persistence=0.5)
    assert low == pytest.approx(0.5 * 0 + 0.25 * 0.5 + 0.125 + 0.125)
    for wrong in (0, 1, -1, "x"):
        with pytest.raises(InvalidInputError, match="persistence"):
            ra.distances.rank_biased_overlap(abc, abc, persistence=wrong)


@given(orders=st.lists(st.permutations(range(6)), min_size=2, max_size=2), additive=st.booleans())
def test_weighted_tau_sums_over_pairs(orders, additive):
    first, second = (ra.Permutation.from_order(order) for order in orders)

    def by_places_of(lead):
        total = weight_sum = 0.0
        for i, j in combinations(range(6), 2):
            r, s = 1 / (lead.ranks[i] + 1), 1 / (lead.ranks[j] + 1)
            weight = r + s if additive else r * s
            agree = (first.ranks[i] < first.ranks[j]) == (second.ranks[i] < second.ranks[j])
            total += weight * (1 if agree else -1)
            weight_sum += weight
        return total / weight_sum

    expected = (by_places_of(first) + by_places_of(second)) / 2
    assert ra.distances.weighted_kendall_tau(first, second, additive=additive) == pytest.approx(
        expected
    )


def test_weighted_tau_is_that_of_scipy_where_there_are_ties():
    x, y = [12, 2, 1, 12, 2], [1, 4, 7, 1, 0]
    first, second = (ra.PartialRanking.from_scores(v, higher_is_better=True) for v in (x, y))
    assert ra.distances.weighted_kendall_tau(first, second) == pytest.approx(
        stats.weightedtau(x, y).statistic
    )
