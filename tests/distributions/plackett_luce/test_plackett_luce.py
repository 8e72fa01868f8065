"""The Plackett-Luce distribution against sums over all weak orders."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.distributions.plackett_luce.plackett_luce import MOST_SUBSET_ITEMS
from rankagg.exceptions import InvalidInputError
from tests.distributions.luce_by_hand import from_row, from_rows, log_prob_by_hand, log_worth
from tests.strategies import profiles, rankings

WORTHS = [1.0, -0.5, 0.2]
# -- probabilities --------------------------------------------------------------------------------


@given(profile=profiles(min_size=2, max_size=4), scale=log_worth, tie=log_worth)
def test_log_probabilities_are_those_of_the_definition(profile, scale, tie):
    worths = scale * np.sin(1.0 + np.arange(profile.n_items))
    ties = {d: tie / d for d in range(2, profile.n_items + 1)}
    law = ra.PlackettLuce(worths, items=profile.items, log_ties=ties)
    expected = [log_prob_by_hand(ranking, worths, ties) for ranking in profile]
    assert law.log_probs(profile) == pytest.approx(expected, abs=1e-10)
    total = (profile.counts * profile.weights) @ expected
    assert law.log_prob(profile) == pytest.approx(total, abs=1e-9)
    assert law.log_prob(profile[0]) == pytest.approx(expected[0], abs=1e-10)


@given(ranking=rankings(min_size=2, max_size=5, ties=False), scale=log_worth)
def test_strict_rankings_need_no_tie_weights(ranking, scale):
    worths = scale * np.cos(np.arange(ranking.n_items))
    law = ra.PlackettLuce(worths, items=ranking.items)
    assert law.log_prob(ranking) == pytest.approx(log_prob_by_hand(ranking, worths), abs=1e-10)


@pytest.mark.parametrize(
    ("ties", "row"),
    [({}, "A=B>C"), ({}, "A>B=C"), ({2: 1.0}, "A=B=C"), ({3: 1.0}, "A=B"), ({3: 1.0}, "A=B>...")],
)
def test_a_size_of_ties_that_is_not_modeled_has_probability_0(ties, row):
    law = ra.PlackettLuce(WORTHS, items="ABC", log_ties=ties)
    assert law.log_prob(from_row(row, "ABC")) == -np.inf
    assert law.prob(from_row(row, "ABC")) == 0
    assert law.prob(from_row("A>B>C", "ABC")) > 0


def test_a_profile_with_an_impossible_ranking_is_impossible():
    law = ra.PlackettLuce(WORTHS, items="ABC")
    assert law.log_prob(from_rows(["A>B>C", "A=B>C"], "ABC")) == -np.inf


@pytest.mark.parametrize(
    ("worths", "expected"),
    [([2000.0, 0.0, -1000.0], 0.0), ([0.0, -1600.0, -1601.0], -np.log1p(np.exp(-1.0)))],
)
def test_worths_far_apart_have_log_probabilities_still(worths, expected):
    law = ra.PlackettLuce(worths, items="ABC")
    assert law.log_prob(ra.Permutation.from_order("ABC")) == pytest.approx(expected)


# -- parameters -----------------------------------------------------------------------------------


@given(values=st.lists(st.floats(-50, 50), min_size=1, max_size=6))
def test_log_worths_sum_to_0_and_worths_to_1(values):
    law = ra.PlackettLuce(values)
    assert law.log_worths.sum() == pytest.approx(0, abs=1e-9)
    assert law.worths.sum() == pytest.approx(1)
    differences = np.subtract.outer(values, values)
    assert np.subtract.outer(law.log_worths, law.log_worths) == pytest.approx(differences, abs=1e-9)
    assert (law.worths > 0).all()


def test_a_mapping_names_the_items():
    law = ra.PlackettLuce({"B": 1.0, "A": -1.0})
    assert tuple(law.items) == ("A", "B")
    assert law.log_worths.tolist() == [-1, 1]
    assert ra.PlackettLuce({"B": 1.0, "A": -1.0}, items="BA").log_worths.tolist() == [1, -1]


@pytest.mark.parametrize(
    ("worths", "options", "words"),
    [
        *((worths, {}, "`log_worths`|`items`")
          for worths in ([0.0, np.nan], [np.inf, 0.0], [[0.0, 1.0]], ["a"], [])),
        *((worths, {"items": items}, r"one .*number.* for each item") for worths, items in (
            ([0.0, 1.0], "ABC"), ({"A": 0.0, "B": 1.0}, "ABC"), ({"A": 0.0, "B": 1.0}, "A"),
            ({"A": 0.0, "B": 1.0}, "AC"), ({"A": np.nan, "B": 1.0}, None),
        )),
        *((WORTHS, {"log_ties": ties}, "log_ties")
          for ties in ({1: 0.0}, {4: 0.0}, {2.5: 0.0}, {2: np.inf}, {2: np.nan}, {"2": 0.0})),
    ],
    ids=str,
)  # fmt: skip
def test_worths_and_weights_of_ties_are_checked(worths, options, words):
    with pytest.raises(InvalidInputError, match=words):
        ra.PlackettLuce(worths, **options)


def test_repr_states_worths_and_ties():
    law = ra.PlackettLuce([2.0, 1.0, 0.0, -1.0, -2.0], items="ABCDE", log_ties={2: 0.0})
    assert repr(law) == (
        "<PlackettLuce distribution on 5 items: A +2, B +1, C +0, D -1, ..., buckets up to 2>"
    )


# -- summaries ------------------------------------------------------------------------------------


def test_the_mode_may_be_tied():
    law = ra.PlackettLuce([1.0, 1.0, -3.0], items="ABC", log_ties={2: 2.0})
    assert law.mode.buckets == (("A", "B"), ("C",))


@pytest.mark.parametrize("ties", [{}, {2: 0.0}], ids=str)
def test_sums_over_subsets_of_too_many_items_are_refused(ties):
    law = ra.PlackettLuce(np.arange(MOST_SUBSET_ITEMS + 1.0), log_ties=ties)
    with pytest.raises(InvalidInputError, match=r"at most 16 .*17 items.*\.sample\(10_000, rng=0"):
        law.rank_probabilities()
    with pytest.raises(InvalidInputError, match="sample"):
        law.entropy()
    if ties:
        with pytest.raises(InvalidInputError, match="sample"):
            law.pairwise_probabilities()
        with pytest.raises(InvalidInputError, match="sample"):
            _ = law.mode
    else:
        assert law.mode.order[0] == MOST_SUBSET_ITEMS
        assert law.pairwise_probabilities().shape == (MOST_SUBSET_ITEMS + 1, MOST_SUBSET_ITEMS + 1)
