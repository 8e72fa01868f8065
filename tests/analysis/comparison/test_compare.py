"""A comparison measures every rule with the same votes."""

import json

import numpy as np
import pytest
from hypothesis import given

import rankagg as ra
from rankagg.aggregation.two_level import default_aggregators
from rankagg.cli import main
from rankagg.cli.options.rules import RULES_BY_NAME
from rankagg.exceptions import InvalidInputError
from tests import oracles
from tests.strategies import policies, profiles, quick

INVALID = ra.exceptions.InvalidInputError


@pytest.fixture
def comparison():
    return ra.compare(ra.datasets.load("borda_fails_condorcet"))


@quick
@given(profile=profiles(unlisted=False), unranked=policies)
def test_every_figure_is_that_of_its_definition(profile, unranked):
    rules = [
        ra.Borda(unranked=unranked),
        ra.Copeland(unranked=unranked),
        ra.Kemeny(unranked=unranked),
    ]
    comparison = ra.compare(profile, rules)
    wins, _, _ = oracles.pairwise_votes(profile, unranked)
    optimum, _ = oracles.kemeny(wins)
    exact = comparison.exact.ranking
    frame = comparison.to_frame()
    for row, consensus in zip(frame.itertuples(), comparison.consensuses, strict=True):
        cost = oracles.cost(consensus.ranking, wins)
        assert row.cost == pytest.approx(float(cost))
        assert row.excess == pytest.approx(float(cost - optimum))
        assert row.excess >= -1e-12
        ratio = float(cost / optimum) if optimum else (1.0 if cost == 0 else np.inf)
        assert row.ratio == pytest.approx(ratio)
        assert row.distance == oracles.kendall_distance(consensus.ranking, exact, p=1 / 2)
        assert row.top1 == pytest.approx(float(oracles.top_k_overlap(consensus.ranking, exact, 1)))


def test_borda_and_the_exact_consensus_differ_by_one_pair(comparison):
    frame = comparison.disagreements("Kemeny", "Borda")
    assert frame.to_dict("records") == [
        {"above": "A", "below": "B", "other": "reversed", "votes_for": 3.0, "votes_against": 2.0,
         "ties": 0.0, "margin": 1.0}
    ]  # fmt: skip
    assert comparison.disagreements("Kemeny", "Copeland").empty


def test_disagreements_on_ties_are_told_apart():
    profile = ra.Profile.from_orders(["ABC", "BAC"])
    comparison = ra.compare(profile, [ra.Borda(), ra.Kemeny()])
    (tied,) = comparison.disagreements("Kemeny", "Borda").itertuples()
    assert tied.other == "tied"
    (broken,) = comparison.disagreements("Borda", "Kemeny").itertuples()
    assert broken.other == "above"
    assert (broken.above, broken.below) == comparison.exact.order[:2]


def test_places_are_counted_from_one_in_the_order_of_the_exact_rule(comparison):
    places = comparison.ranks()
    assert list(places.index) == ["A", "B", "C"]
    assert places["Borda"].tolist() == [2, 1, 3]
    assert places["Kemeny"].tolist() == [1, 2, 3]


def test_default_rules_suit_the_data():
    names = [rule.name for rule in default_aggregators(ra.datasets.load("glue_human"))]
    assert names == ["Mean", "Borda", "Copeland", "Kemeny"]
    names = [rule.name for rule in default_aggregators(ra.datasets.load("tennessee"))]
    assert names == ["Borda", "Copeland", "Kemeny"]
    instances = ra.ScoreTable(
        [[1.0, 2.0]], tasks=["x", "x"], instances=[0, 1], higher_is_better=True
    )
    assert ra.TwoLevel(ra.Borda(), ra.Borda()) in default_aggregators(instances)


def test_without_an_exact_rule_nothing_is_compared_with_an_optimum():
    comparison = ra.compare(ra.datasets.load("tennessee"), [ra.Borda(), ra.Copeland()])
    assert comparison.exact is None
    assert (
        comparison.to_frame()[["excess", "ratio", "distance", "tau", "top1"]].isna().all(axis=None)
    )
    assert "add Kemeny()" in comparison.summary()


def test_one_policy_for_all():
    data = ra.datasets.load("xtreme_gaps")
    with pytest.raises(INVALID, match="one policy"):
        ra.compare(data, [ra.Borda(unranked="last"), ra.Kemeny()])
    with pytest.raises(INVALID, match="one policy"):
        ra.compare(data, [ra.Borda(unranked="last")], unranked="ignore")
    comparison = ra.compare(data, [ra.Mean(), ra.Borda(unranked="last")])
    assert comparison.unranked == comparison["Borda"].unranked == "last"
    assert "unranked items: last" in comparison.summary()


def test_costs_of_the_mean_follow_the_policy_of_the_comparison():
    data = ra.datasets.load("xtreme_gaps")
    comparison = ra.compare(data, [ra.Mean(), ra.Kemeny(unranked="ignore")])
    votes = data.rankings().pairwise("ignore")
    assert comparison.to_frame()["cost"][0] == votes.cost(comparison["Mean"].ranking)


def test_tolerance_reaches_every_rule():
    table = ra.ScoreTable([[1.0], [1.1]], systems="AB", higher_is_better=True)
    comparison = ra.compare(table, [ra.Borda()], tolerance=0.2)
    assert comparison["Borda"].buckets == (("A", "B"),)


def test_tied_votes_cost_what_the_exact_rule_says():
    data = ra.datasets.load("glue_human")
    free = ra.compare(data, [ra.Borda(), ra.Kemeny()]).to_frame()
    half = ra.compare(data, [ra.Borda(), ra.Kemeny(tie_cost=0.5)]).to_frame()
    ties = data.rankings().pairwise().ties
    shift = ties[np.triu_indices(6, 1)].sum() / 2
    assert shift > 0
    np.testing.assert_allclose(half["cost"] - free["cost"], shift)
    np.testing.assert_allclose(half["excess"], free["excess"])


def test_gap_is_said_where_the_optimum_is_not_proved():
    squares = {1, 3, 4, 5, 9}
    paley = [[int((i - j) % 11 in squares) for j in range(11)] for i in range(11)]
    comparison = ra.compare(ra.PairwiseMatrix.from_wins(paley), [ra.Kemeny(backend="lazy")])
    assert "certificate  gap" in comparison.summary()


def test_dict_is_json_with_a_schema(comparison):
    data = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert (data["schema"], data["version"]) == ("rankagg.comparison", 2)
    assert [row["method"] for row in data["methods"]] == ["Borda", "Copeland", "Kemeny"]
    assert data["consensuses"][2]["certificate"]["status"] == "optimal"


def test_long_labels_are_cut_in_text():
    long = "x" * 200
    profile = ra.Profile.from_orders([["<script>", long]])
    comparison = ra.compare(profile)
    assert long not in comparison.summary()
    assert "…" in comparison.summary()


@pytest.mark.parametrize(
    ("rules", "message"),
    [([], "one or more rules"), ([ra.Borda(), ra.Borda()], "each once"), (["borda"], "objects")],
)
def test_bad_rules_are_refused(rules, message):
    with pytest.raises(INVALID, match=message):
        ra.compare(ra.datasets.load("tennessee"), rules)


def test_bad_data_and_methods_are_refused(comparison):
    kinds = "ScoreTable, ScoreSummary, Profile, PairwiseMatrix or Comparisons"
    with pytest.raises(INVALID, match=kinds):
        ra.compare([[1, 2]])
    with pytest.raises(INVALID, match="Borda, Copeland, Kemeny"):
        comparison["Schulze"]


@quick
@given(profile=profiles(unlisted=False))
def test_agreement_curves_and_optima_follow_their_definitions(profile):
    comparison = ra.compare(profile, [ra.Borda(), ra.Copeland(), ra.Kemeny()])
    exact = comparison.exact
    distances, taus = comparison.agreement("distance"), comparison.agreement()
    top_heavy = comparison.agreement("tau_ap")
    curves, to_optima = comparison.overlap_curves(), comparison.distances_to_optima()
    optima = list(exact.optima)
    for one in comparison.consensuses:
        name = one.aggregator.name
        for other in comparison.consensuses:
            both = (one.ranking, other.ranking)
            expected = 0 if one is other else oracles.kendall_distance(*both, p=1 / 2)
            assert distances.loc[name, other.aggregator.name] == expected
            tau = taus.loc[name, other.aggregator.name]
            assert tau == pytest.approx(ra.kendall_tau(*both), nan_ok=True)
            tau = top_heavy.loc[name, other.aggregator.name]
            assert tau == pytest.approx(ra.distances.tau_ap(*both), nan_ok=True)
        for k in curves.index:
            overlap = oracles.top_k_overlap(one.ranking, exact.ranking, k)
            assert curves.loc[k, name] == pytest.approx(float(overlap))
        found = [oracles.kendall_distance(one.ranking, optimum, p=1 / 2) for optimum in optima]
        assert to_optima.loc[name, "nearest"] == min(found)
        assert to_optima.loc[name, "farthest"] == max(found)
    assert curves.index.tolist() == list(range(1, profile.n_items + 1))


def test_curves_and_optima_need_an_exact_rule():
    comparison = ra.compare(ra.datasets.load("tennessee"), [ra.Borda(), ra.Copeland()])
    assert comparison.agreement("distance").to_numpy().max() > 0
    with pytest.raises(INVALID, match=r"Add Kemeny\(\)"):
        comparison.overlap_curves()
    with pytest.raises(INVALID, match=r"Add Kemeny\(\)"):
        comparison.distances_to_optima()
    with pytest.raises(INVALID, match="measure"):
        comparison.agreement("rho")


def test_guarantees_stand_beside_ratios_of_complete_strict_rankings(comparison):
    frame = comparison.to_frame().set_index("method")
    assert frame["guarantee"].dropna().to_dict() == {"Borda": 5.0, "Kemeny": 1.0}
    assert (frame["ratio"] <= frame["guarantee"].fillna(np.inf)).all()
    for data in (
        ra.datasets.load("xtreme_gaps"),
        ra.Profile([ra.PartialRanking.from_buckets([["A", "B"], ["C"]])]),
        ra.datasets.load("borda_fails_condorcet").pairwise(),
    ):
        other = ra.compare(data)
        assert other.to_frame()["guarantee"].isna().all()
        assert "guarantee" not in other.summary()


def test_pairs_are_decided_as_the_decisions_say():
    profile = ra.Profile.from_orders(["ABC", "BCA"], counts=[60, 40])
    comparison = ra.compare(profile, [ra.Borda(), ra.Kemeny()])
    decisions = ra.PairwiseIntervals.from_data(profile, method="clopper-pearson").decisions()
    assert ("B", "C") in decisions.pairs
    assert ("A", "B") not in decisions.pairs
    plain = comparison.disagreements("Kemeny", "Borda")
    told = comparison.disagreements("Kemeny", "Borda", decisions=decisions)
    assert told.drop(columns="decided").equals(plain)
    assert set(zip(told["above"], told["below"], told["decided"], strict=True)) == {
        ("A", "B", "no")
    }
    assert ", not decided" in comparison.summary(decisions=decisions)
    sure = np.zeros((3, 3), dtype=bool)
    sure[1, 0] = True
    other = ra.inference.Decisions(items=profile.items, above=sure, alpha=0.05, how="by hand")
    (row,) = comparison.disagreements("Kemeny", "Borda", decisions=other).itertuples()
    assert row.decided == "reversed"
    assert "decided the other way" in comparison.summary(decisions=other)
    other = ra.inference.Decisions(items=profile.items, above=sure.T, alpha=0.05, how="by hand")
    (row,) = comparison.disagreements("Kemeny", "Borda", decisions=other).itertuples()
    assert row.decided == "as above"
    with pytest.raises(ra.exceptions.ItemMismatchError):
        comparison.disagreements(
            "Kemeny",
            "Borda",
            decisions=ra.inference.Decisions(
                items=ra.ItemSet("XYZ"), above=sure, alpha=0.05, how="by hand"
            ),
        )


def test_the_optima_are_told_on_request():
    several = ra.compare(ra.Profile.from_orders(["ABC", "BCA", "CAB"]))
    count = several.exact.optima.count()
    assert count > 1
    assert "optima  " not in several.summary()
    text = several.summary(optima=True)
    assert f"optima       {count} rankings, which differ on" in text
    assert "nearest farthest" in text
    one = ra.compare(ra.datasets.load("tennessee")).summary(optima=True)
    assert "optima       this one only" in one
    assert "nearest" not in one


def test_randomized_rules_repeat_with_a_seed():
    profile = ra.Uniform("ABCDEFGHIJ").sample(7, rng=0)
    rules = [ra.KwikSort(), ra.Kemeny()]
    first = [ra.compare(profile, rules, rng=k)["KwikSort"].ranking for k in range(8)]
    again = [ra.compare(profile, rules, rng=k)["KwikSort"].ranking for k in range(8)]
    assert first == again
    assert len(set(first)) > 1


# -- what rules say of themselves -----------------------------------------------------------------


def test_a_composition_says_what_its_parts_say():
    rules = [
        ra.InsertionSearch(start=ra.KwikSort(unranked="last")),
        ra.TwoLevel(ra.Mean(), ra.Borda(unranked="ignore")),
    ]
    frame = ra.capabilities(rules)
    assert frame["rule"].tolist() == [rule.name for rule in rules]
    assert frame["needs"].tolist() == ["votes", "scores"]
    assert frame["unranked"].tolist() == ["last", "ignore"]
    assert frame["ties"].tolist() == ["never", "may"]
    assert frame["guarantee"].iloc[0] == 2
    assert frame["in_expectation"].tolist() == [True, False]
    assert frame["guarantee"].isna().tolist() == [False, True]


def test_only_rules_are_taken():
    with pytest.raises(InvalidInputError, match="Borda"):
        ra.capabilities([ra.Borda])


def test_the_command_lists_every_method(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["methods", "--json"])
    assert stop.value.code == 0
    listed = json.loads(capsys.readouterr().out)["methods"]
    assert [entry["method"] for entry in listed] == list(RULES_BY_NAME)
    assert {entry["method"]: entry["guarantee"] for entry in listed}["schulze"] is None
    with pytest.raises(SystemExit):
        main(["methods"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:2] == ["method", "rule"]
    assert [line.split()[0] for line in lines[1 : len(RULES_BY_NAME) + 1]] == list(RULES_BY_NAME)


def test_the_closest_of_the_pairs_that_differ_come_first():
    profile = ra.Uniform("ABCDEF").sample(9, rng=0)
    comparison = ra.compare(profile, [ra.Borda(), ra.PickAPerm()])
    margins = comparison.disagreements("Borda", "PickAPerm")["margin"]
    assert margins.min() < 0 < margins.max()
    assert margins.abs().is_monotonic_increasing
