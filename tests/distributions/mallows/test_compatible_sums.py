"""Sums over compatible permutations against enumeration, and draws among them."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.core.places import UNLISTED, UNRANKED, compatible_ranks
from rankagg.distributions.mallows import compatible_sums
from rankagg.distributions.mallows.compatible_sums import (
    LARGEST_GAP,
    _lattice_pairs,
    _lattice_sums,
    check_sums,
    expected_votes,
    log_sums,
)  # fmt: skip
from rankagg.distributions.mallows.mallows import _Completions
from rankagg.exceptions import InvalidInputError
from tests.conftest import slow_but
from tests.distributions.enumeration import discordant
from tests.strategies import places

THETAS = st.sampled_from([0.0, 1e-9, 0.01, 0.4, 1.0, 3.0, 25.0])


@st.composite
def tables(draw, max_items=6, **kinds):
    """Draw rows of places over the same items."""
    n = draw(st.integers(1, max_items))
    return np.array(draw(st.lists(places(n, **kinds), min_size=1, max_size=4)), dtype=np.int32)


def by_hand(row, theta):
    """Return the log sum of one row, and P(before), over its compatible permutations."""
    completions = np.array(list(compatible_ranks(row)))
    center = tuple(range(len(row)))
    distances = np.array([discordant(tuple(each), center) for each in completions.tolist()])
    logs = -theta * distances
    weights = np.exp(logs - logs.max())
    before = np.tensordot(weights, completions[:, :, None] < completions[:, None, :], axes=1)
    return float(np.log(weights.sum()) + logs.max()), before / weights.sum()


# -- sums and votes -------------------------------------------------------------------------------


@given(ranks=tables(), theta=THETAS)
def test_log_sums_are_those_of_enumeration(ranks, theta):
    expected = [by_hand(row, theta)[0] for row in ranks]
    np.testing.assert_allclose(log_sums(ranks, theta), expected, rtol=1e-11, atol=1e-11)


@given(ranks=tables(), theta=THETAS, data=st.data())
def test_expected_votes_are_those_of_enumeration(ranks, theta, data):
    weight = st.sampled_from([0.1, 1.0, 3.0])
    weights = np.array(data.draw(st.lists(weight, min_size=len(ranks), max_size=len(ranks))))
    expected = sum(w * by_hand(row, theta)[1] for row, w in zip(ranks, weights, strict=True))
    votes = expected_votes(ranks, weights, theta)
    np.testing.assert_allclose(votes, expected, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("row", list(permutations([0, 1, UNRANKED, UNLISTED])))
def test_a_lone_unlisted_item_is_last_of_the_observed(row):
    log_sum, before = by_hand(np.array(row, dtype=np.int32), 0.7)
    ranks = np.array([row], dtype=np.int32)
    np.testing.assert_allclose(log_sums(ranks, 0.7), [log_sum], rtol=1e-12)
    np.testing.assert_allclose(expected_votes(ranks, np.ones(1), 0.7), before, atol=1e-12)


# -- size limits ----------------------------------------------------------------------------------


def with_gaps(number):
    return np.array([[0, 1] + [UNRANKED] * number], dtype=np.int32)


def test_too_many_unranked_items_are_refused():
    words, n = f"at most {LARGEST_GAP} unranked items. Got one with", LARGEST_GAP + 3
    few = ra.Profile.from_orders([[0, 1], [1, 0], [*range(n)]], items=range(n))
    for call in (
        ra.Mallows.fit,
        ra.distributions.MallowsRanking().aggregate,
        ra.Mallows(range(n), 1.0).log_prob,
    ):
        with pytest.raises(InvalidInputError, match=words):
            call(few)


def test_as_many_unranked_items_as_allowed_are_summed():
    # With theta 0 every way counts one: 16!/2!.
    expected = np.log(np.arange(3.0, LARGEST_GAP + 3)).sum()
    assert _lattice_sums(with_gaps(LARGEST_GAP), 0.0)[0] == pytest.approx(expected)


@pytest.mark.parametrize("tied", [0, UNLISTED])
def test_too_many_ties_with_a_gap_are_refused(tied):
    ranks = np.array([[tied] * 8 + [UNRANKED]], dtype=np.int32)
    with pytest.raises(InvalidInputError, match="at most 5040 ways to break their ties"):
        check_sums(ranks)
    assert log_sums(ranks[:, :8], 0.0)[0] == pytest.approx(np.log(40320.0))


# -- parts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("states", [1, 40, 100])
def test_parts_of_the_rows_give_the_same(states, monkeypatch):
    rng = np.random.default_rng(1)
    rows = [row for _ in range(6) for row in ([0, 1, 2, -1, -1], [2, 0, 1, -1, 3], [-1] * 5)]
    ranks = rng.permuted(np.array(rows, dtype=np.int32), axis=1)
    sums, before = _lattice_pairs(ranks, 0.6)
    monkeypatch.setattr(compatible_sums, "STATES", states)
    for_parts, before_parts = _lattice_pairs(ranks, 0.6)
    np.testing.assert_allclose(for_parts, sums, rtol=1e-14)
    np.testing.assert_allclose(before_parts, before, rtol=1e-13)
    np.testing.assert_allclose(_lattice_sums(ranks, 0.6), sums, rtol=1e-14)


N, L = UNRANKED, UNLISTED
DRAWS = 800
LAWS = [
    ra.distributions.Uniform(range(4)), ra.Mallows([2, 0, 1, 3], 0.8), ra.Mallows(range(4), 0.0),
    ra.PlackettLuce([1.0, 0.0, -0.5, 0.3]),
]  # fmt: skip
ROWS = [[0, N, 1, N], [0, L, L, N], [N, 0, N, N], [N, N, N, N], [L, L, 0, 1]]
TIED = [[0, 0, 2, N], [0, 1, 1, 1], [N, 0, 0, 0]]


def frequencies(law, row):
    copies = ra.Profile([ra.PartialRanking(row, law.items)] * DRAWS)
    drawn = law.complete(copies, rng=1).compress()
    return dict(zip(map(tuple, drawn.ranks.tolist()), drawn.counts / DRAWS, strict=True))


# Only laws that give no chance to ties break them.
DRAWN = [*product(LAWS[1:2], ROWS + TIED), *product(LAWS[:1], ROWS[:2]), *product(LAWS[3:], ROWS)]


@pytest.mark.parametrize(("law", "row"), slow_but(DRAWN[1::2], DRAWN), ids=str)
def test_completions_are_drawn_in_proportion_to_their_probability(law, row):
    found = frequencies(law, row)
    partial = ra.PartialRanking(row, law.items)
    compatible = {tuple(p.ranks.tolist()): law.prob(p) for p in partial.compatible_permutations()}
    total = sum(compatible.values())
    assert set(found) <= set(compatible)
    for ranks, weight in compatible.items():
        chance = weight / total
        error = np.sqrt(chance * (1 - chance) / DRAWS)
        assert abs(found.get(ranks, 0.0) - chance) < 4.5 * error + 1e-12


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_complete_strict_rankings_are_not_changed(law):
    profile = ra.Profile.from_orders([[0, 1, 2, 3], [3, 1]], items=range(4), counts=[5, 2])
    done = law.complete(profile, rng=0)
    assert done[0] == profile[0]
    assert done.is_complete
    assert done.is_strict
    assert done.counts.tolist() == [5, 2]
    assert law.complete(profile, rng=0) == done


def test_completing_tied_rankings_is_refused():
    tied = ra.Profile.from_ranks([[0, 0, 2, 3]])
    for law in (LAWS[3], ra.PlackettLuce(np.zeros(4), log_ties={2: 0.0})):
        with pytest.raises(InvalidInputError, match="free of ties"):
            law.complete(tied, rng=0)


# -- chains ---------------------------------------------------------------------------------------


def test_sampled_completions_stay_compatible():
    rows = np.repeat(np.array([[0, N, 1, N, 2], [0, 0, N, 3, 2]], np.int32), 12, axis=0)
    chain = _Completions(rows, np.random.default_rng(0))
    partial = [ra.PartialRanking(row) for row in rows]
    for _ in range(5):
        chain.sweep(0.3)
        drawn = [ra.Permutation.from_ranks(places) for places in chain.places]
        assert not any(map(ra.kendall_distance, partial, drawn))
