"""Rules on comparisons: the same as on the votes that they add up to."""

import pytest
from hypothesis import given, settings

import rankagg as ra
from rankagg.exceptions import InformationLostError, InvalidInputError
from tests.core.test_comparisons import comparisons

RULES = [
    ra.Borda(), ra.Copeland(), ra.PairwiseMajority(), ra.Kemeny(), ra.Slater(), ra.Minimax(),
    ra.RankedPairs(), ra.Schulze(), ra.MC4(), ra.KwikSort(), ra.InsertionSearch(),
]  # fmt: skip
BATTLES = ra.Comparisons.from_arrays("AABCE", "BCCAF", [1, 0, 1, 1, 1], items="ABCDEF")


@given(comparisons(max_items=4))
@settings(max_examples=8)
def test_rules_on_votes_see_the_votes(drawn):
    made, _ = drawn
    votes = made.pairwise()
    for rule in RULES:
        ours, theirs = (rule.aggregate(data, rng=1) for data in (made, votes))
        assert ours.ranking == theirs.ranking
        assert ours.cost == theirs.cost
    assert ra.TournamentGraph(made) == ra.TournamentGraph(votes)


def test_what_needs_more_says_so():
    for rule, what in ((ra.Mean(), "scores"), (ra.Bucklin(), "rankings"), (ra.PickAPerm(), "r")):
        with pytest.raises(InformationLostError, match=f"needs {what}.*Comparisons do not hold"):
            rule.aggregate(BATTLES)
    with pytest.raises(InformationLostError, match="needs rankings"):
        ra.inference.dispersion_report(BATTLES, [ra.Borda()])
    with pytest.raises(InvalidInputError, match="PairwiseMatrix or Comparisons, or orders of lab"):
        ra.aggregation.Evidence(2)


def test_what_comparisons_leave_open_is_said():
    notes = ra.Kemeny().aggregate(BATTLES).notes
    assert notes == (
        "in no comparison, so placed by nothing: D",
        "no comparison joins {A, B, C} and {E, F}: their order relative to each other rests on no "
        "comparison",
    )
    joined = ra.Comparisons.from_arrays("AB", "BC", [1, 1])
    assert ra.Kemeny().aggregate(joined).notes == ()
