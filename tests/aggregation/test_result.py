"""The result object: frozen, labeled, and honest about ties and costs."""

import json

import pytest

import rankagg as ra


@pytest.fixture
def tied() -> ra.Consensus:
    return ra.Borda().aggregate(ra.Profile.from_orders(["ABC", "BAC"]))


def test_order_of_a_tied_consensus_raises_and_names_the_buckets(tied: ra.Consensus) -> None:
    assert tied.buckets == (("A", "B"), ("C",))
    with pytest.raises(ra.exceptions.TiedRankingError, match=r"A = B.*\.buckets"):
        _ = tied.order


def test_tied_consensus_is_never_cheaper_than_the_exact_one(tied: ra.Consensus) -> None:
    assert tied.cost == 1.0  # half of each of the two votes
    assert ra.Kemeny().aggregate(ra.Profile.from_orders(["ABC", "BAC"])).cost == 1.0


def test_frame_has_places_from_one_best_first(tied: ra.Consensus) -> None:
    frame = tied.to_frame()
    assert frame["rank"].tolist() == [1, 1, 3]
    assert frame["item"].tolist() == ["A", "B", "C"]
    assert frame["score"].tolist() == [3.0, 3.0, 0.0]


def test_dict_is_json_and_holds_no_nan() -> None:
    consensus = ra.Mean().aggregate(ra.datasets.load("xtreme_gaps"))
    data = json.loads(json.dumps(consensus.to_dict(), allow_nan=False))
    assert (data["schema"], data["version"]) == ("rankagg.consensus", 2)
    position = data["items"].index("M5")
    assert data["ranks"][position] is None
    assert data["scores"][position] is None


def test_equality_ignores_the_clock(tied: ra.Consensus) -> None:
    again = ra.Borda().aggregate(ra.Profile.from_orders(["ABC", "BAC"]))
    assert again == tied
    assert again.runtime > 0
    assert ra.Borda(unranked="last").aggregate(ra.Profile.from_orders(["ABC", "BAC"])) != tied


def test_summary_states_rule_policy_cost_and_proof() -> None:
    summary = ra.Kemeny(unranked="ignore").aggregate(ra.datasets.load("tennessee")).summary()
    for part in ("Kemeny(unranked='ignore'", "unranked     ignore", "cost         207", "optimal"):
        assert part in summary


def test_only_exact_rules_have_a_certificate(tied: ra.Consensus) -> None:
    assert tied.certificate is None


def test_only_exact_rules_say_whether_they_are_proved() -> None:
    votes = ra.PairwiseMatrix.from_wins([[0, 3, 1], [1, 0, 3], [3, 1, 0]])
    assert ra.Copeland().aggregate(votes).is_proved is None
    assert ra.Kemeny().aggregate(votes).is_proved is True
    assert ra.Kemeny(time_limit=0).aggregate(votes).is_proved is False
