"""Which policy for unranked items a rule works under, and which votes fit it."""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from tests.rules import public_rules
from tests.strategies import POLICIES, profiles

VOTE_RULES = [
    rule for rule in public_rules()
    if rule.needs == "votes" and not isinstance(rule, ra.InsertionSearch)
]  # fmt: skip
COMPLETE = ra.Profile.from_orders(["ABC", "BCA", "BAC"], counts=[3, 2, 1])
GAPS = ra.Profile.from_orders(["AB", "BCA", "CA"], items="ABC", counts=[3, 2, 1])


@pytest.mark.parametrize("counted", POLICIES)
def test_complete_rankings_fit_every_policy(counted: str) -> None:
    votes = COMPLETE.with_unranked(counted).pairwise()
    assert votes.is_decided
    for rule, policy in product(VOTE_RULES, POLICIES):
        stated = replace(rule, unranked=policy)
        result = stated.aggregate(votes, rng=0)
        assert result.ranking == stated.aggregate(COMPLETE, rng=0).ranking
        assert result.unranked == policy
        search = ra.InsertionSearch(start=stated).aggregate(votes, rng=0)
        assert search.unranked == policy


@pytest.mark.parametrize("counted", POLICIES)
def test_a_policy_that_was_not_given_is_that_of_the_votes(counted) -> None:
    votes = GAPS.with_unranked(counted).pairwise()
    assert not votes.is_decided
    for rule in VOTE_RULES:
        result = rule.aggregate(votes, rng=0)
        assert result.unranked == counted
        stated = replace(rule, unranked=counted).aggregate(GAPS, rng=0)
        assert (result.ranking, result.cost) == (stated.ranking, stated.cost)
        if result.scores is not None:
            assert result.scores.tolist() == stated.scores.tolist()
        assert ra.InsertionSearch(start=rule).aggregate(votes, rng=0).unranked == counted
        for policy in set(POLICIES) - {counted}:
            with pytest.raises(InvalidInputError, match=f"`unranked` must be '{counted}'"):
                replace(rule, unranked=policy).aggregate(votes)


@pytest.mark.parametrize("rule", VOTE_RULES, ids=repr)
def test_rankings_and_plain_matrices_are_read_as_uniform(rule: ra.Aggregator) -> None:
    assert (rule.unranked, rule.policy) == (None, "uniform")
    assert rule.aggregate(GAPS, rng=0).unranked == "uniform"
    assert rule.aggregate(GAPS, rng=0).ranking == (
        replace(rule, unranked="uniform").aggregate(GAPS, rng=0).ranking
    )
    assert rule.aggregate(ra.PairwiseMatrix.from_wins(np.eye(3)), rng=0).unranked == "uniform"
    assert rule != replace(rule, unranked="uniform")
    with pytest.raises(InvalidInputError, match=f"unranked of {type(rule).__name__}"):
        replace(rule, unranked="first")


def test_the_policy_of_a_rule_of_ones_own_is_checked() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Own(ra.Borda):
        unranked: str = "uniform"

    assert Own(unranked="last").policy == "last"
    with pytest.raises(InvalidInputError, match="unranked of Own"):
        Own(unranked="first")


@pytest.mark.parametrize("counted", POLICIES)
def test_compare_takes_the_policy_of_the_votes(counted: str) -> None:
    votes = GAPS.with_unranked(counted).pairwise()
    for rules in (None, [ra.Borda(), ra.Kemeny()], [ra.Borda(unranked=counted), ra.Copeland()]):
        comparison = ra.compare(votes, rules)
        assert comparison.unranked == counted
        assert {consensus.unranked for consensus in comparison.consensuses} == {counted}
    with pytest.raises(InvalidInputError, match="one policy"):
        ra.compare(votes, [ra.Borda(unranked=p) for p in POLICIES])
    other = next(policy for policy in POLICIES if policy != counted)
    assert (
        ra.compare(COMPLETE.with_unranked(counted).pairwise().with_unranked(other)).unranked
        == other
    )


@given(profile=profiles(min_size=2))
def test_votes_are_decided_where_all_policies_count_the_same(profile: ra.Profile) -> None:
    counted = {policy: profile.with_unranked(policy).pairwise() for policy in POLICIES}
    whole = profile.with_unranked("ignore").pairwise()
    compared = all(
        whole.exact_weight * whole.denominator == int(whole.scaled_comparisons[i, j])
        for i in range(profile.n_items) for j in range(i)
    )  # fmt: skip
    for votes in counted.values():
        assert votes.is_decided == compared
        assert not (votes + profile.pairwise(votes.unranked)).is_decided or compared
    if compared:
        assert len({(v.scaled_wins.tobytes(), v.denominator) for v in counted.values()}) == 1
