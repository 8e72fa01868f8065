"""A comparison measures every rule with the same votes."""

import itertools
import json
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings

import rankagg as ra
from rankagg.aggregation.two_level import default_rules
from rankagg.core.names import NUMBER_WORDS
from rankagg.exceptions import InvalidInputError, ItemMismatchError
from tests import oracles
from tests.aggregation.kemeny.weak_brute import weak_orders
from tests.strategies import policies, profiles


@pytest.fixture
def comparison():
    return ra.compare(ra.datasets.load("borda_fails_condorcet"))


@given(profile=profiles(unlisted=False), unranked=policies)
def test_every_number_follows_its_definition(profile, unranked):
    rules = [ra.Borda(), ra.Copeland(), ra.Kemeny()]
    comparison = ra.compare(profile.with_unranked(unranked), rules)
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
        assert row.distance == oracles.kendall_distance(consensus.ranking, exact, tie_cost=1 / 2)
        assert row.top1 == pytest.approx(float(oracles.top_k_overlap(consensus.ranking, exact, 1)))


def test_borda_and_the_exact_consensus_differ_by_one_pair(comparison):
    frame = comparison.disagreements("Kemeny", "Borda")
    assert frame.to_dict("records") == [
        {"above": "A", "below": "B", "other": "reversed", "votes_for": 3.0, "votes_against": 2.0,
         "ties": 0.0, "margin": 1.0}
    ]  # fmt: skip
    assert comparison.disagreements("Kemeny", "Copeland").empty
    places = comparison.ranks()  # in the order of the exact rule
    assert list(places.index) == ["A", "B", "C"]
    assert places[["Borda", "Kemeny"]].T.to_numpy().tolist() == [[2, 1, 3], [1, 2, 3]]
    as_dict = comparison.to_dict()
    assert (as_dict["schema"], as_dict["version"]) == ("rankagg.comparison", 1)
    assert [row["rule"] for row in as_dict["rules"]] == ["Borda", "Copeland", "Kemeny"]
    assert as_dict["consensuses"][2]["certificate"]["status"] == "optimal"


def test_disagreements_distinguish_tied_from_reversed_pairs():
    profile = ra.Profile.from_orders(["ABC", "BAC"])
    comparison = ra.compare(profile, [ra.Borda(), ra.Kemeny()])
    (tied,) = comparison.disagreements("Kemeny", "Borda").itertuples()
    assert tied.other == "tied"
    (broken,) = comparison.disagreements("Borda", "Kemeny").itertuples()
    assert broken.other == "above"
    assert (broken.above, broken.below) == comparison.exact.order[:2]


def test_default_rules_suit_the_data():
    names = [rule.name for rule in default_rules(ra.datasets.load("glue_human"))]
    assert names == ["Mean", "Borda", "Copeland", "Kemeny"]
    names = [rule.name for rule in default_rules(ra.datasets.load("tennessee"))]
    assert names == ["Borda", "Copeland", "Kemeny"]
    instances = ra.ScoreTable(
        [[1.0, 2.0]], tasks=["x", "x"], instances=[0, 1], higher_is_better=True
    )
    assert ra.TwoLevel(ra.Borda(), ra.Borda()) in default_rules(instances)


def test_all_rules_use_the_policy_of_the_data():
    data = ra.datasets.load("xtreme_gaps").with_unranked("ignore")
    comparison = ra.compare(data, [ra.Mean(), ra.Borda(), ra.Kemeny()])
    assert {c.unranked for c in comparison.consensuses} == {comparison.unranked} == {"ignore"}
    assert "unranked items: ignore" in comparison.summary()
    votes = data.rankings().pairwise()
    assert votes.unranked == "ignore"
    assert comparison.to_frame()["cost"][0] == votes.cost(comparison["Mean"].ranking)


def test_tied_votes_cost_the_tie_cost_of_the_exact_rule():
    data = ra.datasets.load("glue_human")
    free = ra.compare(data, [ra.Borda(), ra.Kemeny()]).to_frame()
    half = ra.compare(data, [ra.Borda(), ra.Kemeny(tie_cost=0.5)]).to_frame()
    ties = data.rankings().pairwise().ties
    shift = ties[np.triu_indices(6, 1)].sum() / 2
    assert shift > 0
    np.testing.assert_allclose(half["cost"] - free["cost"], shift)
    np.testing.assert_allclose(half["excess"], free["excess"])


def test_an_unproved_optimum_is_reported_with_its_gap():
    squares = {1, 3, 4, 5, 9}
    paley = [[int((i - j) % 11 in squares) for j in range(11)] for i in range(11)]
    comparison = ra.compare(ra.PairwiseMatrix.from_wins(paley), [ra.Kemeny(time_limit=0)])
    assert "certificate  gap" in comparison.summary()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda data: ra.compare(data, []), "one or more rules"),
        (lambda data: ra.compare(data, [ra.Borda(), ra.Borda()]), "each once"),
        (lambda data: ra.compare(data, ["borda"]), "object"),
        (
            lambda data: ra.compare(None),
            "ScoreTable, ScoreSummary, Profile, PairwiseMatrix or Comparisons",
        ),
        (lambda data: ra.compare(data)["Schulze"], "Borda, Copeland, Kemeny"),
        (lambda data: ra.analysis.capabilities([ra.Borda]), "Borda"),
    ],
)
def test_bad_calls_are_refused(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call(ra.datasets.load("tennessee"))


@settings(max_examples=10)
@given(profile=profiles(unlisted=False))
def test_agreement_curves_and_optima_follow_their_definitions(profile):
    comparison = ra.compare(profile, [ra.Borda(), ra.Copeland(), ra.Kemeny()])
    exact = comparison.exact
    distance = partial(ra.kendall_distance, tie_cost=0.5)
    distances = comparison.agreement(distance)
    taus, top_heavy = comparison.agreement(), comparison.agreement(ra.distances.tau_ap)
    curves, optima = comparison.overlap_curves(), list(exact.optima)
    for one in comparison.consensuses:
        name = one.rule.name
        for other in comparison.consensuses:
            both = (one.ranking, other.ranking)
            expected = 0 if one is other else oracles.kendall_distance(*both, tie_cost=1 / 2)
            assert distances.loc[name, other.rule.name] == expected
            tau = taus.loc[name, other.rule.name]
            assert tau == pytest.approx(ra.kendall_tau(*both), nan_ok=True)
            tau = top_heavy.loc[name, other.rule.name]
            assert tau == pytest.approx(ra.distances.tau_ap(*both), nan_ok=True)
        for k in curves.index:
            overlap = oracles.top_k_overlap(one.ranking, exact.ranking, k)
            assert curves.loc[k, name] == pytest.approx(float(overlap))
        found = [
            oracles.kendall_distance(one.ranking, optimum, tie_cost=1 / 2) for optimum in optima
        ]
        assert distance(one.ranking, exact.optima.nearest(one.ranking)) == min(found)
        assert distance(one.ranking, exact.optima.farthest(one.ranking)) == max(found)
    assert curves.index.tolist() == list(range(1, profile.n_items + 1))


def test_without_an_exact_rule_excess_is_unknown():
    comparison = ra.compare(ra.datasets.load("tennessee"), [ra.Borda(), ra.Copeland()])
    assert comparison.exact is None
    unknown = ["excess", "ratio", "distance", "tau", "top1"]
    assert comparison.to_frame()[unknown].isna().all(axis=None)
    assert "add Kemeny()" in comparison.summary()
    assert comparison.agreement(ra.kendall_distance).to_numpy().max() > 0
    with pytest.raises(InvalidInputError, match=r"Add Kemeny\(\)"):
        comparison.overlap_curves()
    with pytest.raises(InvalidInputError, match="measure"):
        comparison.agreement("rho")


def test_guarantees_are_shown_for_complete_strict_rankings(comparison):
    frame = comparison.to_frame().set_index("rule")
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


def test_disagreements_state_the_given_decisions():
    profile = ra.Profile.from_orders(["ABC", "BCA"], counts=[60, 40])
    comparison = ra.compare(profile, [ra.Borda(), ra.Kemeny()])
    decisions = ra.PairwiseIntervals.from_data(profile, method="clopper-pearson").decisions()
    assert ("B", "C") in decisions.pairs
    assert ("A", "B") not in decisions.pairs
    plain = comparison.disagreements("Kemeny", "Borda")
    frame = comparison.disagreements("Kemeny", "Borda", decisions=decisions)
    assert frame.drop(columns="decided").equals(plain)
    assert set(zip(frame["above"], frame["below"], frame["decided"], strict=True)) == {
        ("A", "B", "no")
    }
    assert ", not decided" in comparison.summary(decisions=decisions)
    sure = np.zeros((3, 3), dtype=bool)
    sure[1, 0] = True
    other = ra.inference.Decisions(items=profile.items, above=sure, alpha=0.05, how="by hand")
    assert "decided the other way" in comparison.summary(decisions=other)
    for decided, word in ((other, "reversed"), (replace(other, above=sure.T), "as above")):
        (row,) = comparison.disagreements("Kemeny", "Borda", decisions=decided).itertuples()
        assert row.decided == word
    with pytest.raises(ra.exceptions.ItemMismatchError):
        comparison.disagreements(
            "Kemeny", "Borda", decisions=replace(other, items=ra.ItemSet("XYZ"))
        )


def test_the_summary_describes_the_optima_on_request():
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
    profile = ra.distributions.Uniform("ABCDEFGHIJ").sample(7, rng=0)
    rules = [ra.KwikSort(), ra.Kemeny()]
    first = [ra.compare(profile, rules, rng=k)["KwikSort"].ranking for k in range(8)]
    again = [ra.compare(profile, rules, rng=k)["KwikSort"].ranking for k in range(8)]
    assert first == again
    assert len(set(first)) > 1


# -- properties of rules --------------------------------------------------------------------------


def test_the_properties_of_a_composition_follow_its_parts():
    rules = [
        ra.InsertionSearch(start=ra.KwikSort()),
        ra.TwoLevel(ra.Mean(), ra.Borda()),  # which ranks what a task has no score of
    ]
    frame = ra.analysis.capabilities(rules)
    assert frame["rule"].tolist() == [rule.name for rule in rules]
    assert frame["needs"].tolist() == ["votes", "scores"]
    assert frame["unranked"].tolist() == ["by policy", "by policy"]
    assert frame["ties"].tolist() == ["never", "may"]
    assert frame["guarantee"].iloc[0] == 2
    assert frame["in_expectation"].tolist() == [True, False]
    assert frame["guarantee"].isna().tolist() == [False, True]


def test_differing_pairs_are_sorted_by_margin():
    profile = ra.distributions.Uniform("ABCDEF").sample(9, rng=0)
    comparison = ra.compare(profile, [ra.Borda(), ra.PickAPerm()])
    margins = comparison.disagreements("Borda", "PickAPerm")["margin"]
    assert margins.min() < 0 < margins.max()
    assert margins.abs().is_monotonic_increasing


# -- an exact rule that may tie -------------------------------------------------------------------

RULE = ra.Kemeny(consensus_ties=True, tie_cost=0.5)
VOTERS = ra.Profile.from_ranks(
    [[0, 0, 2, 3], [0, 0, 3, 2], [1, 0, 2, 2], [0, 1, 3, 2], [2, 1, 0, 3]], items="ABCD"
)


def price(votes, levels):
    ranking = ra.PartialRanking.from_ranks(levels, items=votes.items)
    return votes.cost(ranking, tie_cost=0.5, consensus_tie_cost=0.5)


def test_the_result_states_its_prices():
    exact = RULE.aggregate(VOTERS)
    assert exact.buckets[0] == ("A", "B")
    assert exact.cost == exact.certificate.cost
    assert exact.cost == min(price(exact.pairwise, w) for w in weak_orders(4))
    assert (exact.tie_cost, exact.consensus_tie_cost) == (0.5, 0.5)
    assert "a tied vote costs 0.5, a vote on a tied pair 0.5" in exact.summary()
    plain = json.loads(json.dumps(exact.to_dict()))
    assert plain["consensus_tie_cost"] == 0.5
    assert ra.TiedCertificate.from_dict(plain["certificate"]) == exact.certificate
    assert ra.Kemeny().aggregate(VOTERS).consensus_tie_cost is None


def test_compare_measures_all_rules_at_the_prices_of_the_exact_one():
    table = ra.compare(VOTERS, [ra.Borda(), RULE, ra.Kemeny(tie_cost=0.5)])
    frame = table.to_frame()
    assert frame["excess"].min() == 0
    assert frame["excess"][1] == 0
    assert frame["cost"][1] == RULE.aggregate(VOTERS).cost
    assert frame["guarantee"].isna().all()
    text = table.summary(optima=True)
    assert "a vote on a tied pair 0.5" in text
    assert "optima       " in text


def test_guarantees_are_shown_only_for_valid_tie_costs():
    strict = ra.Profile.from_orders(["ABC", "BCA", "CAB", "ACB"])
    for exact, shown in ((0.5, True), (0.25, False), (1.0, False)):
        rule = ra.Kemeny(consensus_ties=True, tie_cost=exact)
        frame = ra.compare(strict, [ra.Borda(), rule]).to_frame()
        assert frame["guarantee"].notna().all() == shown


@pytest.mark.parametrize("pair", list(itertools.combinations("ABCD", 2)))
def test_explain_prices_the_swap(pair):
    exact = RULE.aggregate(VOTERS)
    explanation = ra.explain(exact, *pair)
    i, j = (VOTERS.items.indices([explanation.above, explanation.below])[k] for k in (0, 1))
    turned = min(price(exact.pairwise, w) for w in weak_orders(4) if w[j] < w[i])
    assert explanation.extra_cost == pytest.approx(turned - exact.cost)
    assert explanation.swap.ranks[j] < explanation.swap.ranks[i]
    free = ra.Kemeny(consensus_ties=True, tie_cost=0.5, consensus_tie_cost=0.0)
    assert ra.explain(free.aggregate(VOTERS), *pair).swap is None


def test_results_for_strict_rankings_refuse_kemeny_with_ties():
    with pytest.raises(InvalidInputError, match="the bounds are for strict rankings"):
        ra.inference.dispersion_report(VOTERS, [RULE])
    with pytest.raises(InvalidInputError, match="rules other than Kemeny with ties"):
        ra.make_report(VOTERS, rules=[ra.Borda(), RULE])


# -- on the command line ----------------------------------------------------------------------


@pytest.fixture
def ballots(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ballots.toc").write_text(
        "# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: A\n# ALTERNATIVE NAME 2: B\n"
        "# ALTERNATIVE NAME 3: C\n3: {1,2},3\n2: 2,{1,3}\n1: 3,1,2\n",
        encoding="utf-8",
    )
    return "ballots.toc"


def test_a_rule_is_found_by_its_class_name() -> None:
    data = ra.datasets.load("tennessee")
    rules = [ra.Kemeny(time_limit=20), ra.TopK(1), ra.TopK(2)]
    comparison = ra.compare(data, rules)
    assert comparison["Kemeny"] is comparison["Kemeny(time_limit=20)"] is comparison.consensuses[0]
    with pytest.raises(InvalidInputError, match=r"one of TopK\(k=1\), TopK\(k=2\)\. Got 'TopK'"):
        comparison["TopK"]
    with pytest.raises(InvalidInputError, match=r"Kemeny\(time_limit=20\).*Got 'Borda'"):
        comparison["Borda"]


@pytest.mark.parametrize(("cost", "value"), [(22166520.5, "22,166,520.5"), (1033.0667, "1,033.07")])
def test_a_proved_cost_is_one_number_wherever_it_is_printed(cost, value):
    votes = ra.PairwiseMatrix.from_wins([[0, 3e7, 3e7], [cost, 0, 3e7], [0, 0, 0]], items="ABC")
    compared = ra.compare(votes, [ra.Borda(), ra.Kemeny()])
    text = f"{compared.summary()}\n{compared.exact.summary()}"
    assert text.count(f"no ranking costs less than {value} ") == 2
    assert text.count(value) == 5
    assert "e+0" not in text


# -- in words -------------------------------------------------------------------------------------


def test_the_paragraph_of_a_known_example_is_as_printed():
    ballots = ra.datasets.load("tennessee")
    decisions = ra.rank_intervals(ballots).decisions
    comparison = ra.compare(ballots, [ra.Borda(), ra.Copeland(), ra.Kemeny()])
    assert comparison.sentences(decisions=decisions) == (
        "This compares 3 rules (Borda, Copeland, Kemeny) on 100 rankings of 4 items.",
        "The ranking that contradicts the fewest votes (the exact rule, Kemeny) is Nashville > "
        "Chattanooga > Knoxville > Memphis: it contradicts 207 votes.",
        "Nashville is ranked first.",
        "The consensus is proved optimal, and no other is as good.",
        "Borda contradicts 16 votes more and orders 1 pair differently; the closest is Knoxville "
        "above Memphis (58 votes for, 42 against); none of them is decided.",
        "Copeland orders every pair as Kemeny does.",
        "With 100 rankings, 3 of 6 pairs are decided at 95 %.",
    )


@settings(max_examples=10)
@given(profile=profiles())
def test_sentences_agree_with_the_tables(profile):
    comparison = ra.compare(profile, [ra.Borda(), ra.Copeland(), ra.Kemeny()])
    sentences = comparison.sentences()
    text = " ".join(sentences)
    exact = comparison.exact
    assert ("no other is as good" in text) is exact.optima.is_unique
    number = exact.optima.count() - 1
    if number:
        spelled = re.search(r"proved optimal; (\w[\w,]*) others? (?:is|are) as good", text)
        assert spelled[1] == (NUMBER_WORDS[number] if number <= 12 else f"{number:,}")
    assert ("First place is open" in text) is (len(exact.optima.winners()) > 1)
    for method in ("Borda", "Copeland"):
        frame = comparison.disagreements("Kemeny", method)
        sentence = next(s for s in sentences if s.startswith(f"{method} "))
        if frame.empty:
            assert sentence == f"{method} orders every pair as Kemeny does."
        else:
            assert f"orders {len(frame)} pair{'s' * (len(frame) > 1)} differently" in sentence
            row = comparison.to_frame().set_index("rule").loc[method]
            more = re.search(r"contradicts (as many|[\d.,]+) votes?", sentence)[1]
            assert (more == "as many") == (row["excess"] == 0)


def test_sentences_state_what_is_unknown():
    ballots = ra.datasets.load("tennessee")
    plain = ra.compare(ballots, [ra.Borda(), ra.Copeland()]).sentences()
    assert plain[-1].startswith("Without the exact rule (Kemeny), the fewest")
    assert plain[1].startswith("Borda gives Nashville > ")
    comparison = ra.compare(ballots)
    assert comparison.sentences(optima=False)[1].startswith("A ranking that contradicts the fewest")
    assert comparison.sentences(optima=False)[2] == (
        "Nashville leads an order that contradicts the fewest votes."
    )
    assert "other optima were not searched for" in comparison.sentences(optima=False)[3]
    with pytest.raises(InvalidInputError, match="optima"):
        comparison.sentences(optima="yes")
    other = ra.rank_intervals(ra.datasets.load("glue_human")).decisions
    with pytest.raises(ItemMismatchError):
        comparison.sentences(decisions=other)


def test_sentences_state_missing_scores_and_the_policy():
    table = ra.datasets.load("xtreme_gaps")
    assert ra.compare(table).sentences()[0] == (
        "This compares 4 rules (Mean, Borda, Copeland, Kemeny) on 10 systems and 4 tasks, 18 of "
        "40 scores missing; the policy for unranked items is 'uniform'."
    )


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (ra.datasets.load("tennessee").pairwise(), "votes on the pairs of 4 items"),
        (ra.Comparisons.from_arrays("AAB", "BCC", [1, 1, 0]), "3 battles of 3 items"),
        (ra.Profile.from_orders(["A"]), "1 ranking of 1 item"),
    ],
)
def test_sentences_use_the_words_of_each_kind_of_data(data, words):
    sentences = ra.compare(data, [ra.Borda(), ra.Kemeny()]).sentences()
    assert words in sentences[0]
    assert re.search(r"^First place |is ranked first", sentences[2])


def test_an_unproved_consensus_is_not_called_optimal():
    ballots = ra.datasets.load("tennessee")
    comparison = ra.compare(ballots, [ra.Kemeny()], time_limit=1e-9)
    sentences = comparison.sentences()
    assert comparison.exact.is_proved or "not proved optimal" in sentences[3]


@settings(max_examples=10)
@given(profile=profiles())
def test_sentences_describe_a_consensus_with_ties(profile):
    weak = ra.Kemeny(consensus_ties=True, tie_cost=0.5)
    comparison = ra.compare(profile, [ra.Borda(), weak])
    first, winners = comparison.exact.buckets[0], comparison.exact.optima.winners()
    # Notes on items that nothing joins come before it.
    text = " ".join(comparison.sentences())
    if len(first) > 1 and set(first) == set(winners):
        assert "First place is shared by " in text
    else:
        assert ("First place is open" if len(winners) > 1 else " is ranked first") in text
