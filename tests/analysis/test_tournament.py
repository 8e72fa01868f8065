"""The majority graph against definitions, set by set."""

from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InvalidInputError, ItemMismatchError
from tests.analysis.test_tournament_solutions import graph_of, margins


def graphs():
    """Any tournament of five items or fewer with draws; margins 0 to 3."""
    return margins(("small",)).map(graph_of)


def beats(graph, a, b):
    votes = graph.votes
    i, j = graph.items.index(a), graph.items.index(b)
    return votes.wins[i, j] > votes.wins[j, i]


def subsets(items):
    for size in range(1, len(items) + 1):
        yield from combinations(items, size)


def dominates(graph, inside):
    return all(beats(graph, a, b) for a in inside for b in graph.items if b not in inside)


def is_undominated(graph, inside):
    return not any(beats(graph, b, a) for a in inside for b in graph.items if b not in inside)


# -- sets -----------------------------------------------------------------------------------------


@given(graph=graphs())
def test_smith_is_the_smallest_dominating_set(graph):
    assert graph.smith_set() == next(s for s in subsets(graph.items) if dominates(graph, s))


@given(graph=graphs())
def test_schwartz_is_the_union_of_the_smallest_undominated_sets(graph):
    sets = [set(s) for s in subsets(graph.items) if is_undominated(graph, s)]
    smallest = [s for s in sets if not any(other < s for other in sets)]
    assert set(graph.schwartz_set()) == set().union(*smallest)
    assert set(graph.schwartz_set()) <= set(graph.smith_set())


@given(graph=graphs())
def test_uncovered_items_are_those_that_nothing_covers(graph):
    def covers(a, b):
        return beats(graph, a, b) and all(
            beats(graph, c, b) for c in graph.items if beats(graph, c, a)
        )

    expected = [b for b in graph.items if not any(covers(a, b) for a in graph.items if a != b)]
    assert list(graph.uncovered_set()) == expected
    assert expected


@given(graph=graphs())
def test_condorcet_winner_and_loser(graph):
    for found, wins in ((graph.condorcet_winner, True), (graph.condorcet_loser, False)):
        expected = [
            a
            for a in graph.items
            if all(beats(graph, *((a, b) if wins else (b, a))) for b in graph.items if b != a)
        ]
        assert [found] == (expected or [None])
    if graph.condorcet_winner is not None:
        assert graph.smith_set() == (graph.condorcet_winner,)


@given(graph=graphs())
def test_groups_beat_all_later_ones_and_cannot_be_split(graph):
    groups = graph.condensation()
    assert sorted(item for group in groups for item in group) == sorted(graph.items)
    for k, group in enumerate(groups):
        later = [item for other in groups[k + 1 :] for item in other]
        assert all(beats(graph, a, b) for a in group for b in later)
        for part in subsets(group[:-1]):
            rest = [item for item in group if item not in part]
            for first, second in ((part, rest), (rest, part)):
                assert not all(beats(graph, a, b) for a in first for b in second)


@given(graph=graphs())
def test_cycles_are_all_that_there_are(graph):
    found = graph.cycles(length=5)
    expected = set()
    for size in range(3, len(graph.items) + 1):
        for chosen in combinations(graph.items, size):
            for rest in permutations(chosen[1:]):
                cycle = (chosen[0], *rest)
                steps = zip(cycle, (*cycle[1:], cycle[0]), strict=True)
                if all(beats(graph, a, b) for a, b in steps):
                    expected.add(cycle)
    assert set(found) == expected
    assert len(found) == len(expected)
    assert graph.is_acyclic == (not expected)
    # Cycles with an item in common are one group.
    groups = [set(cycle) for cycle in expected]
    for cycle in expected:
        joined = set().union(*(group for group in groups if group & set(cycle)))
        groups = [group for group in groups if not group & joined] + [joined]
    assert {frozenset(group) for group in graph.cyclic_components()} == {
        frozenset(g) for g in groups
    }
    assert all(len(cycle) == 3 for cycle in graph.cycles())


def test_draws_alone_are_no_cycle():
    graph = ra.TournamentGraph(ra.PairwiseMatrix.from_wins([[0, 1], [1, 0]], items="AB"))
    assert graph.condensation() == (("A", "B"),)
    assert graph.cyclic_components() == ()
    assert "Condorcet cycles" not in graph.summary()


# -- rankings -------------------------------------------------------------------------------------


@given(graph=graphs(), data=st.data())
def test_feedback_arcs_weigh_what_a_ranking_costs_beyond_the_floor(graph, data):
    order = data.draw(st.permutations(list(graph.items)))
    ranking = ra.Permutation.from_order(order, items=graph.items)
    arcs = graph.feedback_arcs(ranking)
    floor = np.triu(np.minimum(graph.votes.wins, graph.votes.wins.T), k=1).sum()
    assert arcs["margin"].sum() == pytest.approx(graph.votes.cost(ranking) - floor)
    for arc in arcs.itertuples():
        assert beats(graph, arc.above, arc.below)
        assert ranking.rank(arc.above) > ranking.rank(arc.below)


# -- out ------------------------------------------------------------------------------------------


@given(graph=graphs())
def test_the_networkx_graph_holds_every_majority(graph):
    found = graph.to_networkx()
    assert list(found.nodes) == list(graph.items)
    expected = {(a, b) for a in graph.items for b in graph.items if a != b and beats(graph, a, b)}
    assert set(found.edges) == expected
    for a, b, facts in found.edges(data=True):
        i, j = graph.items.index(a), graph.items.index(b)
        assert facts["margin"] == graph.margins[i, j] == facts["votes_for"] - facts["votes_against"]
    assert len(graph.draws()) + len(expected) == len(graph.items) * (len(graph.items) - 1) // 2


def test_files_can_be_read_again(tmp_path):
    votes = ra.PairwiseMatrix.from_wins(
        [[0, 3, 1], [1, 0, 2], [2, 1, 0]], items=['a "b"', "c", "d"]
    )
    graph = ra.TournamentGraph(votes)
    nx.write_graphml(graph.to_networkx(), tmp_path / "graph.graphml")
    back = nx.read_graphml(tmp_path / "graph.graphml")
    assert dict(back.edges) == dict(graph.to_networkx().edges)
    assert '"a \\"b\\"" -> "c" [label="2"];' in graph.to_dot()
    assert graph.to_dot().startswith("digraph tournament {")


@given(graph=graphs())
def test_its_table_has_wins_losses_and_draws(graph):
    assert graph == ra.TournamentGraph(graph.votes)
    assert graph.to_dict()["smith_set"] == list(graph.smith_set())
    frame = graph.to_frame()
    assert (frame[["wins", "losses", "draws"]].sum(axis=1) == len(graph.items) - 1).all()
    assert frame["smith"].sum() == len(graph.smith_set())


def test_what_is_refused():
    profile = ra.Profile.from_orders(["AB", "C"], items="ABC")
    ignored = ra.TournamentGraph(profile.with_unranked("ignore"))
    assert len(ignored.arcs()) == 1
    with pytest.raises(InvalidInputError, match="data that were read, or orders in a list"):
        ra.TournamentGraph("AB")
    with pytest.raises(ItemMismatchError):
        ignored.feedback_arcs(ra.Permutation.from_order("ABD"))
    with pytest.raises(InvalidInputError, match="`length` must be"):
        ignored.cycles(length=2)


def test_a_graph_is_made_from_scores_rankings_votes_and_evidence():
    table = ra.ScoreTable(
        [[0.50, 3, 1], [0.52, 2, 2], [0.10, 1, 3]], systems="ABC", higher_is_better=True
    )
    tied = ra.TournamentGraph(ra.aggregation.Evidence(table, tolerance=0.1))
    assert tied.votes == table.rankings(0.1).pairwise()
    assert tied != ra.TournamentGraph(table)
    assert ra.TournamentGraph(table.rankings(0.1)) == tied
    gaps = ra.Profile.from_orders(["AB", "BC"], items="ABC")
    for policy in ("uniform", "ignore", "last"):
        votes = gaps.with_unranked(policy).pairwise()
        assert ra.TournamentGraph(gaps.with_unranked(policy)).votes == votes
        # Votes that were counted under a policy keep it.
        assert ra.TournamentGraph(votes).votes == votes
    with pytest.raises(InvalidInputError, match="unranked"):
        ra.TournamentGraph(gaps.with_unranked("none"))
