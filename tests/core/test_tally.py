"""Imputed votes of many items: rounded to a grid, by no more than stated, whatever the order."""

from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankagg import Kemeny, PartialRanking, Profile
from rankagg.core import tally
from tests import oracles, strategies
from tests.core.test_pairwise import fractions

# Grids of 2**2 (four items) to 2**4 (two): real rounding where an oracle can follow.
coarse = {"EXACT_ITEMS": 0, "GRID_ROOM": 100}


def assert_within(votes, profile, policy="uniform"):
    """Wins are off by no more than `rounding`, and nothing else is."""
    wins, ties, comparisons = oracles.pairwise_votes(profile, policy)
    held = fractions(votes, "wins")
    assert fractions(votes, "ties") == ties
    assert fractions(votes, "comparisons") == comparisons
    for i, j in oracles.ordered_pairs(profile.n_items):
        assert abs(held[i][j] - wins[i][j]) <= Fraction(votes.rounding)
        assert held[i][j] + held[j][i] == wins[i][j] + wins[j][i]
    return held == wins


def incomplete(n, m, seed=1):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(m, n)) + np.linspace(0, 2, n)
    scores[rng.random(scores.shape) < 0.2] = np.nan
    return Profile.from_scores(scores, higher_is_better=True)


# -- a coarse grid, against the enumeration -------------------------------------------------------


@given(strategies.profiles(max_size=4))
def test_rounded_votes_are_within_their_stated_rounding(profile):
    with patch.multiple(tally, **coarse):
        votes = profile.pairwise()
    same = assert_within(votes, profile)
    assert same or not votes.is_exact


def test_votes_whose_denominators_do_not_fit_are_marked_rounded():
    # Shares of thirds and fifths together: 30 * 16 fits into 2**9, 30 * 16 not into 2**8.
    profile = Profile.from_orders(["AB", "ABCD", "AC"], items="ABCD")
    ranks = [[1, 2, np.nan, np.nan], [1, np.nan, np.nan, np.nan]]
    with patch.multiple(tally, EXACT_ITEMS=0, GRID_ROOM=12 * 16):
        assert Profile.from_ranks(ranks).pairwise().is_exact
    with patch.multiple(tally, EXACT_ITEMS=0, GRID_ROOM=12 * 16 - 1):
        rounded = Profile.from_ranks(ranks).pairwise()
        assert rounded.denominator == 8
        # Thirds are off by half a unit at most, halves are not.
        assert rounded.rounding == 1 / 16
        assert fractions(rounded, "wins")[2][0] == Fraction(3, 8) + Fraction(1, 2)
        assert profile.with_unranked("ignore").pairwise().is_exact
        assert profile.with_unranked("last").pairwise().is_exact
    with patch.multiple(tally, EXACT_ITEMS=4, GRID_ROOM=12 * 16 - 1):
        assert Profile.from_ranks(ranks).pairwise().is_exact


@given(strategies.profiles(max_size=4), st.data())
def test_the_order_of_rankings_and_blocks_change_no_rounded_vote(profile, data):
    order = data.draw(st.permutations(range(len(profile))))
    with patch.multiple(tally, **coarse):
        votes = profile.pairwise()
        assert profile[order].pairwise() == votes
        with patch.object(tally, "PLACES_AT_ONCE", 1):
            blocks = profile[order].pairwise()
    assert blocks == votes
    assert blocks.rounding == votes.rounding


@given(st.data(), strategies.letters(max_size=4))
@settings(max_examples=15)
def test_rounded_votes_add_up_to_those_of_the_whole(data, items):
    parts = [data.draw(strategies.profiles(items)) for _ in range(3)]
    whole = parts[0] + parts[1] + parts[2]
    with patch.multiple(tally, **coarse):
        votes = [part.pairwise() for part in parts]
        together = whole.pairwise()
        left, right = (votes[0] + votes[1]) + votes[2], votes[0] + (votes[1] + votes[2])
        for held in (together, left, right):
            assert_within(held, whole)
            # Half a unit of the grid for each ranking, and for each part that meets the grid.
            units = sum(w for _, w in oracles.as_votes(whole)) + 6
            assert held.rounding <= units / (2 * tally.grid(len(items)))
        if together.is_exact or all(not (part.is_exact or part.is_decided) for part in votes):
            assert left == right == together


@given(st.data(), strategies.letters(max_size=4), strategies.policies)
def test_weights_of_any_denominator_are_not_rounded_to_the_grid(data, items, policy):
    """Denominators of weights are no reason to round: only those of shares are."""
    first, second = (
        data.draw(strategies.profiles(items, unranked=False, unlisted=False)) for _ in range(2)
    )
    with patch.multiple(tally, EXACT_ITEMS=0, GRID_ROOM=2**6):
        summed = first.with_unranked(policy).pairwise() + second.with_unranked(policy).pairwise()
        assert summed == (first + second).with_unranked(policy).pairwise()
        assert summed.is_exact


# -- real sizes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [101, 150])
def test_votes_of_many_items_are_int64_and_marked_rounded(n):
    profile = incomplete(n, 40)
    votes = profile.pairwise()
    assert votes.scaled_wins.dtype == votes.scaled_ties.dtype == np.int64
    assert votes.denominator & (votes.denominator - 1) == 0
    assert not votes.is_exact
    assert 0 < votes.rounding <= 40 * n**2 / 2**50
    assert profile.with_unranked("ignore").pairwise().is_exact
    assert profile.with_unranked("last").pairwise().is_exact
    expected = sum(ranking.pairwise_probabilities() for ranking in profile)
    np.testing.assert_allclose(votes.wins, expected, rtol=0, atol=votes.rounding + 1e-12)
    assert np.abs(votes.wins - expected).max() > 1e-13  # the bound is about something
    certificate = Kemeny(time_limit=0).aggregate(votes).certificate
    assert certificate.tolerance == 2 * Fraction(votes.rounding) * (n * (n - 1) // 2) > 0


def test_few_lengths_of_rankings_of_many_items_stay_exact():
    n = 200
    profile = Profile.from_orders([range(n), range(n - 1), range(9)], items=range(n))
    votes = profile.pairwise()
    assert votes.is_exact
    assert fractions(votes, "wins")[n - 1][0] == Fraction(1, n) + Fraction(1, 10)
    # Of up to a hundred items everything is.
    votes = Profile.from_orders([range(k) for k in range(1, 101)]).pairwise()
    assert votes.is_exact
    assert fractions(votes, "wins")[99][0] == sum(Fraction(1, k + 1) for k in range(1, 100))
    votes = Profile([PartialRanking.from_top_k("A", items="ABC")]).pairwise()
    assert (fractions(votes, "wins")[1][2], votes.is_decided) == (0, False)


# -- the parts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 101, 1000, 5000])
def test_the_grid_leaves_room_for_votes_and_fits(n):
    step = tally.grid(n)
    assert step * n**2 <= 2**50 < 2 * step * n**2
    assert tally.shares_fit(step, n)


@given(st.integers(-(10**30), 10**30), st.integers(0, 10**12), st.integers(1, 10**12))
def test_rescaling_rounds_to_the_nearest(number, factor, divisor):
    (result,) = tally._rescaled(np.array([number], dtype=object), factor, divisor).tolist()
    assert abs(Fraction(number * factor, divisor) - result) <= Fraction(1, 2)
    (small,) = tally._rescaled(np.array([number % 1000]), factor, divisor).tolist()
    assert abs(Fraction(number % 1000 * factor, divisor) - small) <= Fraction(1, 2)
    for size in (1, 2**62):  # halves are rounded up
        rounded = tally._rescaled(np.array([1, 2, 3, -1, -3]), size, 2 * size)
        assert rounded.tolist() == [1, 1, 2, 0, -1]
