"""Restricted domains: every answer against going through all axes and all orders."""

from itertools import combinations, pairwise, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InvalidInputError


@st.composite
def profiles(draw, most=5):
    n = draw(st.integers(1, most))
    rows = draw(st.lists(st.permutations(list("ABCDEF"[:n])), min_size=1, max_size=4))
    return ra.Profile.from_orders(["".join(row) for row in rows])


def is_single_peaked(profile, axis):
    """Look for a valley in every ranking on an axis."""
    places = profile.items.indices(axis)
    return not any(
        row[b] > row[a] and row[b] > row[c]
        for row in profile.ranks
        for a, b, c in combinations(places, 3)
    )


def all_axes(profile):
    """Return all axes, of each and its reverse the earlier."""
    return {
        axis
        for axis in permutations(profile.items)
        if axis <= axis[::-1] and is_single_peaked(profile, axis)
    }


def is_single_crossing(rows):
    """Look for a pair that changes places twice."""
    return all(
        sum(a != b for a, b in pairwise(above)) <= 1
        for i, j in combinations(range(len(rows[0])), 2)
        for above in [[row[i] < row[j] for row in rows]]
    )


def check_axis(profile):
    """Compare the axis with all there are."""
    found, every = ra.analysis.single_peaked_axis(profile), all_axes(profile)
    assert (found is None) == (not every)
    assert found is None or min(found, found[::-1]) in every
    return len(every)


@settings(max_examples=30)
@given(profiles())
def test_axes_equal_those_of_brute_force(profile):
    check_axis(profile)


@pytest.mark.parametrize("variant", ["walsh", "conitzer"])
def test_drawn_single_peaked_profiles_have_all_their_axes(variant):
    """Random profiles seldom have an axis; these have, and some of them several."""
    several, culture = 0, ra.cultures.SinglePeakedCulture(variant=variant)
    for seed in range(40):
        several += check_axis(culture.sample(2 + seed % 4, 1 + seed % 3, rng=seed)) > 1
    assert several > 5


def test_single_crossing_is_right_for_any_three_rankings_of_three_items():
    kinds = ["".join(order) for order in permutations("ABC")]
    for orders in product(kinds, repeat=3):
        profile = ra.Profile.from_orders(orders)
        check_axis(profile)
        rows = list(dict.fromkeys(map(tuple, profile.ranks.tolist())))
        possible = any(is_single_crossing(order) for order in permutations(rows))
        assert (ra.analysis.single_crossing_order(profile) is not None) == possible


@settings(max_examples=30)
@given(profiles())
def test_single_crossing_orders_equal_those_of_brute_force(profile):
    rows = list(dict.fromkeys(map(tuple, profile.ranks.tolist())))
    possible = {order for order in permutations(rows) if is_single_crossing(order)}
    found = ra.analysis.single_crossing_order(profile)
    if found is None:
        assert not possible
    else:
        order = tuple(map(tuple, found.ranks.tolist()))
        assert possible == {order, order[::-1]}


@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(1, 6))
def test_drawn_single_crossing_profiles_are_found_in_order(seed, n, m):
    profile = ra.cultures.EuclideanCulture(n_dimensions=1).sample(n, m, rng=seed)
    found = ra.analysis.single_crossing_order(profile)
    assert found is not None
    assert is_single_crossing(found.ranks.tolist())
    assert sorted(found.ranks.tolist()) == sorted(
        map(list, set(map(tuple, profile.ranks.tolist())))
    )


@pytest.mark.parametrize(
    "ask",
    [
        ra.analysis.single_peaked_axis,
        ra.analysis.single_crossing_order,
    ],
)
@pytest.mark.parametrize(
    "profile",
    [
        ra.Profile.from_ranks([[1, 1, 2]]),
        ra.Profile.from_orders(["AB", "ABC"]),
        ra.Profile([ra.PartialRanking.from_top_k("AB", items="ABCD")]),
        "ABC",
        None,
    ],
)
def test_incomplete_or_tied_rankings_are_refused(ask, profile):
    with pytest.raises(InvalidInputError, match="data"):
        ask(profile)
