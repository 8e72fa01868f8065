"""Why one item is ranked above another: every number against its definition."""

import json
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from tests.strategies import profiles

CONDORCET = ra.datasets.load("condorcet_1785")
SUPERGLUE = ra.datasets.load("superglue_human")
UNSCORED = ra.ScoreTable([[1.0], [2.0], [np.nan]], systems="ABC", higher_is_better=True)


@given(profile=profiles(min_size=2, max_size=4), data=st.data())
def test_the_swap_is_the_cheapest_ranking_that_reverses_the_pair(profile, data):
    exact = ra.Kemeny().aggregate(profile)
    a, b = data.draw(st.permutations(list(profile.items)))[:2]
    found = ra.explain(exact, a, b)
    votes = profile.pairwise()
    rankings = [
        ra.Permutation.from_ranks(p, items=profile.items)
        for p in permutations(range(profile.n_items))
    ]
    other_way = [r for r in rankings if r.rank(found.below) < r.rank(found.above)]
    cheapest = min(votes.cost(ranking) for ranking in other_way)
    assert found.extra_cost == pytest.approx(cheapest - exact.cost, abs=1e-9)
    assert votes.cost(found.swap) == pytest.approx(cheapest)
    assert found.swap.rank(found.below) < found.swap.rank(found.above)


@given(profile=profiles(min_size=2, max_size=5), data=st.data())
def test_the_cycle_of_majorities_contains_both_items(profile, data):
    a, b = data.draw(st.permutations(list(profile.items)))[:2]
    found = ra.explain(ra.Kemeny().aggregate(profile), a, b)
    graph = ra.TournamentGraph(profile).to_networkx()
    cycle = found.cycle
    if cycle:
        assert {a, b} <= set(cycle)
        assert len(set(cycle)) == len(cycle) >= 3
        steps = zip(cycle, (*cycle[1:], cycle[0]), strict=True)
        assert all(graph.has_edge(*step) for step in steps)
    else:
        longer = ra.TournamentGraph(profile).cycles(length=5)
        together = [c for c in longer if a in c and b in c]
        neighbors = [
            c for c in together if {(a, b), (b, a)} & set(zip(c, (*c[1:], c[0]), strict=True))
        ]
        assert not neighbors


@given(profile=profiles(min_size=2, max_size=4), data=st.data())
def test_votes_add_up_over_rankings(profile, data):
    a, b = data.draw(st.permutations(list(profile.items)))[:2]
    found = ra.explain(ra.Borda().aggregate(profile.with_unranked("ignore")), a, b)
    frame = found.rankings()
    assert frame["for"].sum() == pytest.approx(found.votes_for)
    assert frame["against"].sum() == pytest.approx(found.votes_against)
    assert frame["tied"].sum() == pytest.approx(found.ties)
    assert frame.to_numpy().sum() == pytest.approx(profile.total_weight)


@given(profile=profiles(min_size=2, max_size=4), data=st.data())
def test_the_pair_is_in_the_order_of_the_consensus(profile, data):
    a, b = data.draw(st.permutations(list(profile.items)))[:2]
    consensus = ra.Borda().aggregate(profile)
    found = ra.explain(consensus, a, b)
    assert found == ra.explain(consensus, b, a)
    places = consensus.ranking.rank(found.above), consensus.ranking.rank(found.below)
    assert found.is_tied == (places[0] == places[1])
    assert places[0] <= places[1]
    assert found.score_difference >= -1e-9
    json.dumps(found.to_dict(), allow_nan=False)
    assert str(found) == found.summary()


def test_rankings_of_scores_are_called_tasks_unless_they_are_of_instances():
    text = str(ra.explain(ra.Kemeny().aggregate(SUPERGLUE), "T5", "NEZHA Plus"))
    assert text.endswith(" tasks turned the pair round")
    table = ra.ScoreTable(
        [[1, 1, 2], [0, 0, 3]], systems="AB", tasks="ttt", instances="123", higher_is_better=True
    )
    text = str(ra.explain(ra.Kemeny().aggregate(table), "A", "B"))
    assert text.endswith("if 1 ranking turned the pair round")


def test_votes_alone_leave_the_number_of_rankings_unknown():
    found = ra.explain(ra.Kemeny().aggregate(CONDORCET.pairwise()), "A", "B")
    assert found.rankings_to_flip is None
    assert found.rankings().empty
    assert found.votes_for == 27
    assert "another majority, if more than 3 votes turned round" in str(found)


def test_the_explanation_of_condorcets_cycle_is_as_printed():
    text = ra.explain(ra.Kemeny().aggregate(CONDORCET), "A", "B").summary()
    assert text.splitlines() == [
        "Kemeny has B above A",
        "votes       27 for B above A, 33 for the reverse: a majority for A",
        "cycle       A beats B beats C beats A",
        "swap        A above B costs 4 votes more: A > B > C",
        "flip        another majority, if 4 rankings turned the pair round",
    ]


def test_scores_ties_and_tasks_are_reported():
    mean = ra.explain(ra.Mean().aggregate(SUPERGLUE), "NEZHA Plus", "PAI Albert")
    assert "scores      86.305 against 83.195, a difference of 3.11" in str(mean)
    assert mean.swap is None
    assert mean.rankings().loc["WSC", "tied"] == 1
    assert mean.rankings().index.name == "task"
    copeland = ra.explain(ra.Copeland().aggregate(CONDORCET), "B", "A")
    assert str(copeland).startswith("Copeland ties A and B\n")


def test_another_optimum_costs_the_same():
    cycle = ra.datasets.load("three_cycle")
    exact = ra.Kemeny().aggregate(cycle)
    found = ra.explain(exact, *exact.order[:2])
    assert found.extra_cost == 0
    assert "costs the same" in str(found)


def test_pairs_never_compared_are_reported():
    profile = ra.Profile.from_orders(["AB", "C"], items="ABC")
    found = ra.explain(ra.Kemeny().aggregate(profile.with_unranked("ignore")), "A", "C")
    assert "never compared" in str(found)
    assert found.rankings()["open"].sum() == 2


@pytest.mark.parametrize(
    ("consensus", "second", "words"),
    [
        (3, "B", "`consensus` must be a Consensus"),
        (ra.Kemeny().aggregate(CONDORCET), "A", "`second` must be another item"),
        (ra.Kemeny().aggregate(CONDORCET), "Z", "Z"),
        (ra.Mean().aggregate(UNSCORED), "C", "`second` must be an item that the consensus"),
    ],
    ids=["consensus", "twice", "unknown", "no place"],
)
def test_bad_input_is_named(consensus, second, words):
    with pytest.raises(InvalidInputError, match=words):
        ra.explain(consensus, "A", second)


def test_a_swap_not_computed_in_time_is_reported():
    profile = ra.Profile.from_orders([range(12)], counts=[3])
    limited = ra.Kemeny(time_limit=1e-6).aggregate(profile)
    assert limited.certificate.status == "optimal"
    found = ra.explain(limited, 0, 11)
    assert found.swap is None
    assert "swap        not computed in time" in found.summary()
    assert "not solved" not in ra.explain(ra.Borda().aggregate(profile), 0, 11).summary()
