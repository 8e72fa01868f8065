"""Reciprocal rank fusion against a sum in fractions, ballot by ballot."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.core.rankings.places import UNRANKED
from rankagg.exceptions import InvalidInputError
from tests.strategies import profiles


def slow_scores(profile, k):
    """Average over the orders of a bucket, one place after the other; None for what is unseen."""
    totals = []
    for item in range(profile.n_items):
        column = profile.ranks[:, item].tolist()
        if all(place == UNRANKED for place in column):
            totals.append(None)
            continue
        total = Fraction(0)
        for row, count, weight in zip(
            profile.ranks.tolist(), profile.counts, profile.weights, strict=True
        ):
            place = row[item]
            if place < 0:
                continue
            mates = row.count(place)
            gains = [1 / (Fraction(k) + place + 1 + step) for step in range(mates)]
            size = int(count) * Fraction(float(weight)).limit_denominator(10**6)
            total += size * sum(gains) / mates
        totals.append(total)
    return totals


@given(profile=profiles(), k=st.sampled_from([0, 0.5, 1, 60, 1000]))
def test_scores_are_sums_of_reciprocals(profile: ra.Profile, k: float) -> None:
    scores = ra.ReciprocalRankFusion(k=k).aggregate(profile).scores
    expected = [np.nan if found is None else float(found) for found in slow_scores(profile, k)]
    np.testing.assert_allclose(scores, expected, rtol=1e-13, atol=0)


def test_what_no_ranking_observes_is_unranked_and_what_all_leave_off_is_last() -> None:
    unseen = ra.Profile([ra.PartialRanking.from_order("AB", items="ABC")])
    assert ra.ReciprocalRankFusion().aggregate(unseen).ranking.ranks.tolist() == [0, 1, UNRANKED]
    off = ra.Profile([ra.PartialRanking.from_top_k("AB", items="ABC")])
    assert ra.ReciprocalRankFusion().aggregate(off).ranking.ranks.tolist() == [0, 1, 2]


def test_weights_of_any_size() -> None:
    """What each weighs is read as a fraction, or as the binary number that it is."""
    orders, rule = ["AB", "BA"], ra.ReciprocalRankFusion()
    for weights in ([1e-99, 3e-99], [2**0.5, 1e9], [1e15, 1e-9], [1e99, 1e99]):
        scores = rule.aggregate(ra.Profile.from_orders(orders, weights=weights)).scores
        expected = [weights[0] / 61 + weights[1] / 62, weights[0] / 62 + weights[1] / 61]
        assert scores == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize("wrong", [-1, float("nan"), float("inf"), "60", True, None])
def test_k_is_a_number_from_0(wrong: object) -> None:
    with pytest.raises(InvalidInputError, match="k of ReciprocalRankFusion"):
        ra.ReciprocalRankFusion(k=wrong)
