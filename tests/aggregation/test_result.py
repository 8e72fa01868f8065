"""The result object: frozen, labeled, and honest about ties and costs."""

import json

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.base import ranks_by_scores


def test_what_a_tied_consensus_is() -> None:
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


def test_only_exact_rules_say_whether_they_are_proved() -> None:
    votes = ra.PairwiseMatrix.from_wins([[0, 3, 1], [1, 0, 3], [3, 1, 0]])
    assert ra.Copeland().aggregate(votes).is_proved is None
    assert ra.Copeland().aggregate(votes).certificate is None
    assert ra.Kemeny().aggregate(votes).is_proved is True
    assert ra.Kemeny(time_limit=0).aggregate(votes).is_proved is False
