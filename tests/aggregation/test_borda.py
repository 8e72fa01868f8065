"""Borda's closed form against enumeration, and against the same votes as a matrix."""

import numpy as np
import pytest
from hypothesis import given

import rankagg as ra
from tests import oracles
from tests.strategies import policies, profiles, quick


@quick
@given(profile=profiles(), unranked=policies)
def test_scores_are_those_of_enumeration(profile: ra.Profile, unranked: str) -> None:
    scores = ra.Borda(unranked=unranked).aggregate(profile).scores
    expected = [float(score) for score in oracles.borda(profile, unranked)]
    np.testing.assert_allclose(scores, expected, atol=1e-9)


@quick
@given(profile=profiles(), unranked=policies)
def test_matrix_and_rankings_give_the_same_scores(profile: ra.Profile, unranked: str) -> None:
    rule = ra.Borda(unranked=unranked)
    from_votes = rule.aggregate(profile.pairwise(unranked))
    np.testing.assert_allclose(from_votes.scores, rule.aggregate(profile).scores, atol=1e-9)


def test_plain_matrix_is_scored_by_wins_less_losses() -> None:
    votes = ra.PairwiseMatrix.from_wins([[0, 5, 0], [1, 0, 2], [0, 0, 0]], items="ABC")
    assert ra.Borda().aggregate(votes).scores.tolist() == [4, -2, -2]


def test_points_of_one_complete_ranking_are_n_less_one_to_zero() -> None:
    profile = ra.Profile.from_orders(["DBAC"])
    assert ra.Borda().aggregate(profile).scores.tolist() == [1, 2, 0, 3]


def test_scores_equal_but_for_rounding_are_tied_and_said_to_be() -> None:
    # Eight tenths in two ways: the floats for 0.7 and 0.1 are less, in sum, than two for 0.4.
    table = ra.ScoreTable([[0.7, 0.1], [0.4, 0.4]], systems="AB", higher_is_better=True)
    consensus = ra.Mean().aggregate(table)
    assert consensus.scores[0] != consensus.scores[1]
    assert consensus.buckets == (("A", "B"),)
    assert "A = B" in consensus.notes[0]


def test_votes_counted_under_another_policy_are_refused() -> None:
    votes = ra.Profile.from_orders(["AB"], items="ABC").pairwise("last")
    with pytest.raises(ra.exceptions.InvalidInputError, match="'last' for votes counted that way"):
        ra.Borda(unranked="ignore").aggregate(votes)


def test_unknown_policy_is_told_with_the_known_ones() -> None:
    with pytest.raises(ra.exceptions.InvalidInputError, match="'uniform' or 'ignore' or 'last'"):
        ra.Borda(unranked="drop")
