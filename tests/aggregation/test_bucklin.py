"""Bucklin's depth against a count in fractions, ballot by ballot."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

import rankagg as ra
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from tests.strategies import profiles, quick


def slow_bucklin(profile):
    """Give one (depth, share) per item, None for one that no ranking observes."""
    ballots = [
        (row, int(count) * Fraction(float(weight)).limit_denominator(10**6))
        for row, count, weight in zip(
            profile.ranks.tolist(), profile.counts, profile.weights, strict=True
        )
    ]
    total = sum(size for _, size in ballots)
    n = profile.n_items
    results = []
    for item in range(n):
        if all(row[item] == UNRANKED for row, _ in ballots):
            results.append(None)
            continue
        for depth in range(1, n + 1):
            votes = Fraction(0)
            for row, size in ballots:
                if row[item] == UNRANKED:
                    continue
                mates = sum(place == row[item] for place in row)
                if row[item] == UNLISTED:
                    above = sum(place >= 0 for place in row)
                else:
                    above = sum(0 <= place < row[item] for place in row)
                votes += size * Fraction(min(max(depth - above, 0), mates), mates)
            if votes > total / 2 or depth == n:
                results.append((depth, votes / total))
                break
    return results


@quick
@given(profile=profiles())
def test_scores_are_depth_and_share(profile: ra.Profile) -> None:
    scores = ra.Bucklin().aggregate(profile).scores
    expected = [
        float("nan") if found is None else float(profile.n_items - found[0] + found[1])
        for found in slow_bucklin(profile)
    ]
    np.testing.assert_allclose(scores, expected, atol=1e-9)


def test_the_capital_of_tennessee() -> None:
    """The common textbook example: first places alone would choose Memphis."""
    votes = ra.Profile.from_orders(
        [
            ["Memphis", "Nashville", "Chattanooga", "Knoxville"],
            ["Nashville", "Chattanooga", "Knoxville", "Memphis"],
            ["Chattanooga", "Knoxville", "Nashville", "Memphis"],
            ["Knoxville", "Chattanooga", "Nashville", "Memphis"],
        ],
        counts=[42, 26, 15, 17],
    )
    consensus = ra.Bucklin().aggregate(votes)
    assert consensus.order == ("Nashville", "Chattanooga", "Knoxville", "Memphis")
    expected = {"Nashville": 2.68, "Chattanooga": 2.58, "Knoxville": 1.58, "Memphis": 1.0}
    for name, score in zip(votes.items, consensus.scores, strict=True):
        assert score == pytest.approx(expected[name])


def test_exactly_half_is_no_majority() -> None:
    votes = ra.Profile.from_orders(["ABC", "BAC"])
    assert ra.Bucklin().aggregate(votes).scores.tolist() == [2, 2, 1]


def test_half_made_of_thirds_is_no_majority() -> None:
    # Three rankings tie all items; of the other three, two have C last and one has it first.
    votes = ra.Profile.from_ranks(
        [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 1, 2], [1, 0, 2], [2, 1, 0]]
    )
    depths = 3 - np.ceil(ra.Bucklin().aggregate(votes).scores - 1)
    assert depths.tolist() == [2, 2, 3]


def test_half_made_of_tenths_is_no_majority() -> None:
    # Each has .4 of .8 in first places, and in floating point one of them has more than half.
    ranks = [[0, 1, 2]] * 3 + [[1, 0, 2]] * 3
    votes = ra.Profile.from_ranks(ranks, weights=[0.1, 0.1, 0.2, 0.1, 0.2, 0.1])
    assert ra.Bucklin().aggregate(votes).scores == pytest.approx([2, 2, 1])
