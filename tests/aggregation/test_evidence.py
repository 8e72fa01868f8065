"""Scores, rankings and votes of data, and what comparisons of pairs lack."""

import json

import numpy as np
import pytest
from hypothesis import given, settings

import rankagg as ra
from rankagg.aggregation import Evidence
from rankagg.aggregation import evidence as module
from rankagg.aggregation.base import ranks_by_scores
from rankagg.exceptions import InformationLostError, InvalidInputError
from tests.core.test_comparisons import comparisons
from tests.rules import public_rules
from tests.strategies import POLICIES

# A and B tie within .05 on both tasks, and A is ahead by less on one of them.
TABLE = ra.ScoreTable(
    [[0.90, 0.50], [0.88, 0.52], [0.10, 0.80]], systems="ABC", higher_is_better=True
)
RULES = [ra.Borda(), ra.Copeland(), ra.Kemeny(), ra.TwoLevel(ra.Borda(), ra.Borda())]


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_a_tolerance_is_that_of_the_rankings(rule: ra.Aggregator) -> None:
    by_hand = rule.aggregate(TABLE.rankings(0.05))
    for data in (TABLE, Evidence(TABLE, 0.05)):
        options = {"tolerance": 0.05} if data is TABLE else {}
        found = rule.aggregate(data, **options)
        assert found.cost == by_hand.cost
        assert found.pairwise == by_hand.pairwise
    assert rule.aggregate(TABLE).pairwise != by_hand.pairwise
    one = rule.aggregate(TABLE, tolerance={0: 0.05})
    assert one.pairwise == TABLE.rankings({0: 0.05}).pairwise() != by_hand.pairwise


def test_distances_and_graphs_use_the_tolerance() -> None:
    ranking, profile = ra.Permutation.from_order("ABC"), TABLE.rankings(0.05)
    evidence = Evidence(TABLE, 0.05)
    ties = ra.TournamentGraph(evidence).votes.ties.tolist()
    assert ties == ra.TournamentGraph(profile).votes.ties.tolist()
    assert ties != ra.TournamentGraph(TABLE).votes.ties.tolist()
    for measure in (
        lambda data, **given: ra.dispersion(data, ranking, **given),
        ra.inference.spread,
    ):
        expected = measure(profile)
        assert measure(TABLE, tolerance=0.05) == measure(evidence) == expected
        assert measure(TABLE) != expected


def test_evidence_has_one_tolerance() -> None:
    evidence = Evidence(TABLE, 0.05)
    assert Evidence.of(evidence) is Evidence.of(evidence, 0.05) is evidence
    by_task = Evidence(TABLE, {0: 0.05})
    assert (by_task.tolerance_for(0), by_task.tolerance_for(1)) == (0.05, 0.0)
    profile = TABLE.rankings()
    for call, words in (
        (lambda: ra.Borda().aggregate(evidence, tolerance=0.1), "^`tolerance` must be 0.05, or "),
        (lambda: Evidence([1, 2, 3]), "^`data` must be .*with their direction"),
        (lambda: ra.TwoLevel(ra.Mean(), ra.Borda()).aggregate(profile), "^Mean needs scores; a P"),
        (lambda: ra.Bucklin().aggregate(profile.pairwise()), "^Bucklin needs rankings; a Pairw"),
    ):
        with pytest.raises((InvalidInputError, InformationLostError), match=words):
            call()


def test_votes_are_counted_once_for_all_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    count = ra.Profile.pairwise
    monkeypatch.setattr(
        ra.Profile, "pairwise", lambda self, *given: counted.append(given) or count(self, *given)
    )
    evidence = Evidence(TABLE.rankings())
    for rule in (ra.Copeland(), ra.Minimax(), ra.Kemeny()):
        rule.aggregate(evidence)
    assert counted == [()]


@pytest.mark.parametrize("policy", POLICIES)
def test_votes_and_their_rankings_give_the_same_consensus(policy: str) -> None:
    partial = ra.Profile.from_orders(["AB", "BCA", "CA"], items="ABC", counts=[3, 2, 1])
    data = partial.with_unranked(policy)
    for rule in public_rules():
        if (rule.needs, rule.reads_unranked) != ("votes", "by policy"):
            continue  # sums of votes cannot be read as "last" any more
        ranked, counted = (rule.aggregate(given, rng=0) for given in (data, data.pairwise()))
        assert counted.unranked == policy
        assert (counted.ranking, counted.cost) == (ranked.ranking, ranked.cost), rule
        assert np.array_equal(counted.scores, ranked.scores), rule


@pytest.mark.parametrize("rule", [ra.Borda(), ra.Mean()], ids=repr)
def test_sums_of_too_many_items_are_ranked_without_votes(rule, monkeypatch) -> None:
    counted = rule.aggregate(TABLE)
    assert counted.to_dict()["cost"] == counted.cost > 0
    monkeypatch.setattr(module, "MOST_ITEMS", 2)
    monkeypatch.setattr(ra.PairwiseMatrix, "__init__", None)  # whatever makes one fails
    found = rule.aggregate(TABLE)
    assert found == counted
    assert np.isnan(found.cost)
    assert found.to_dict()["cost"] is None
    assert "cost         not counted for more than" in found.summary()
    compared = ra.compare(TABLE, [rule])
    assert "cost         not counted for more than" in compared.summary()
    assert compared.to_frame()["cost"].isna().all()
    assert compared.plot() is not None


@pytest.mark.parametrize("data", [TABLE, TABLE.rankings()], ids=["scores", "rankings"])
def test_counting_votes_of_too_many_items_is_refused(data, monkeypatch) -> None:
    counted = TABLE.rankings().pairwise()
    monkeypatch.setattr(module, "MOST_ITEMS", 2)
    words = r"^`data` must be of at most 2 items where votes .* Got 3 items, whose votes take 0 GB"
    for asked in (ra.Copeland().aggregate, ra.Kemeny().aggregate, ra.compare, ra.make_report):
        with pytest.raises(InvalidInputError, match=words):
            asked(data)
    assert ra.Kemeny().aggregate(counted).is_proved


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


def test_rules_that_need_scores_or_rankings_refuse_votes():
    for rule, what in ((ra.Mean(), "scores"), (ra.Bucklin(), "rankings"), (ra.PickAPerm(), "r")):
        with pytest.raises(InformationLostError, match=f"needs {what}.*Comparisons do not hold"):
            rule.aggregate(BATTLES)
    with pytest.raises(InformationLostError, match="needs rankings"):
        ra.inference.dispersion_report(BATTLES, [ra.Borda()])
    with pytest.raises(InvalidInputError, match="PairwiseMatrix or Comparisons, or orders of lab"):
        ra.aggregation.Evidence(2)


# -- the result -----------------------------------------------------------------------------------


def test_a_tied_consensus_has_buckets_and_no_order() -> None:
    profile = ra.Profile.from_orders(["ABC", "BAC"])
    tied = ra.Borda().aggregate(profile)
    assert tied.buckets == (("A", "B"), ("C",))
    with pytest.raises(ra.exceptions.TiedRankingError, match=r"A = B.*\.buckets"):
        _ = tied.order
    # Half of each of the two votes; no order costs less.
    assert tied.cost == ra.Kemeny().aggregate(profile).cost == 1.0
    frame = tied.to_frame()
    assert frame["rank"].tolist() == [1, 1, 3]
    assert frame["item"].tolist() == ["A", "B", "C"]
    assert frame["score"].tolist() == [3.0, 3.0, 0.0]
    again = ra.Borda().aggregate(profile)
    assert again == tied
    assert again.runtime > 0  # and is no part of what is equal
    assert ra.Borda().aggregate(profile.with_unranked("last")) != tied
    assert ranks_by_scores(np.array([[-0.3, -(0.1 + 0.2), np.nan]])).tolist() == [[0, 0, -1]]


def test_dict_is_json_and_holds_no_nan() -> None:
    consensus = ra.Mean().aggregate(ra.datasets.load("xtreme_gaps"))
    data = json.loads(json.dumps(consensus.to_dict(), allow_nan=False))
    assert (data["schema"], data["version"]) == ("rankagg.consensus", 1)
    position = data["items"].index("M5")
    assert data["ranks"][position] is None
    assert data["scores"][position] is None


def test_summary_states_rule_policy_cost_and_proof() -> None:
    summary = ra.Kemeny().aggregate(ra.datasets.load("tennessee").with_unranked("ignore")).summary()
    for part in ("rule         Kemeny()", "unranked     ignore", "cost         207", "optimal"):
        assert part in summary


def test_only_exact_rules_have_a_proof_status() -> None:
    votes = ra.PairwiseMatrix.from_wins([[0, 3, 1], [1, 0, 3], [3, 1, 0]])
    assert ra.Copeland().aggregate(votes).is_proved is None
    assert ra.Copeland().aggregate(votes).certificate is None
    assert ra.Kemeny().aggregate(votes).is_proved is True
    assert ra.Kemeny(time_limit=0).aggregate(votes).is_proved is False
