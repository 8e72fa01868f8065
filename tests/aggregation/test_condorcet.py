"""Rules on majorities: by hand, by their definitions, and against slow twins over margins."""

import itertools
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from tests import oracles
from tests.aggregation.margins import locking, margins_of, votes_of
from tests.strategies import policies, profiles


@given(profile=profiles(), unranked=policies)
def test_copeland_counts_majorities(profile: ra.Profile, unranked: str) -> None:
    data = profile.with_unranked(unranked)
    wins, _, comparisons = oracles.pairwise_votes(data, unranked)
    n = profile.n_items

    def margin(i: int, j: int) -> Fraction:
        # A pair that no ranking compares is a draw, whatever the policy imputes.
        return (wins[i][j] - wins[j][i]) * (comparisons[i][j] > 0)

    for alpha in (0.0, 0.5, 1.0):
        expected = [
            sum(margin(i, j) > 0 for j in range(n))
            + alpha * sum(margin(i, j) == 0 for j in range(n) if j != i)
            for i in range(n)
        ]
        rule = ra.Copeland(draw_points=alpha)
        assert rule.aggregate(data).scores.tolist() == expected


@pytest.mark.parametrize("alpha", [-0.1, 1.5, float("nan"), "half", True])
def test_copeland_refuses_alpha_outside_the_unit_interval(alpha: object) -> None:
    with pytest.raises(
        ra.exceptions.InvalidInputError, match=r"`draw_points of Copeland` must be .* in"
    ):
        ra.Copeland(draw_points=alpha)


@given(profile=profiles(), unranked=policies)
def test_majority_buckets_are_the_weak_condensation(profile: ra.Profile, unranked: str) -> None:
    wins, _, _ = oracles.pairwise_votes(profile, unranked)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(profile.n_items))
    graph.add_edges_from(
        (i, j)
        for i, j in itertools.permutations(range(profile.n_items), 2)
        if wins[i][j] >= wins[j][i]
    )
    condensed = nx.condensation(graph)
    expected = [
        {profile.items[i] for i in condensed.nodes[c]["members"]}
        for c in nx.topological_sort(condensed)
    ]
    consensus = ra.PairwiseMajority().aggregate(profile.with_unranked(unranked))
    assert [set(bucket) for bucket in consensus.buckets] == expected


@pytest.mark.parametrize(
    ("data", "buckets", "note"),
    [
        ("tennessee", (("Nashville",), ("Chattanooga",), ("Knoxville",), ("Memphis",)), None),
        ("condorcet_1785", (("A", "B", "C"),), "cyclic: the majorities among A, B, C contradict"),
        # B > A, C > B and A = C (Colombo et al. 2022, Table 1): no cycle, and no ranking.
        ("toy_tasks", (("A", "B", "C"),), "not transitive: draws among A, B, C"),
        (ra.Profile.from_orders(["AB", "BA"]), (("A", "B"),), None),
    ],
)
def test_majority_notes_distinguish_a_cycle_from_a_draw(data, buckets, note) -> None:
    data = ra.datasets.load(data) if isinstance(data, str) else data
    consensus = ra.PairwiseMajority().aggregate(data)
    assert consensus.buckets == buckets
    assert len(consensus.notes) == (note is not None)
    assert note is None or consensus.notes[0].startswith(note)


def test_majorities_are_compared_exactly() -> None:
    # Thirds add up in floats to something else than one.
    profile = ra.Profile.from_orders(["AB", "AB", "AB", "BA"], weights=[1 / 3, 1 / 3, 1 / 3, 1])
    assert np.array_equal(ra.Copeland().aggregate(profile).scores, [0.5, 0.5])


@st.composite
def margin_matrices(draw, *, distinct=False):
    """Margins of a tournament: odd and distinct where no two may be equal."""
    n = draw(st.integers(2, 5))
    pairs = n * (n - 1) // 2
    if distinct:
        sizes = draw(st.lists(st.integers(1, 99), min_size=pairs, max_size=pairs, unique=True))
    else:
        sizes = draw(st.lists(st.integers(0, 3), min_size=pairs, max_size=pairs))
    signs = draw(st.lists(st.sampled_from([-1, 1]), min_size=pairs, max_size=pairs))
    return margins_of(np.multiply(sizes, signs))


def above(consensus):
    ranks = consensus.ranking.ranks
    return ranks[:, None] < ranks[None, :]


def strongest_path(margins, i, j):
    """Go through all simple paths; a path is as strong as its weakest majority."""
    complete = nx.complete_graph(len(margins), nx.DiGraph)
    paths = nx.all_simple_edge_paths(complete, i, j)
    return max(0, *(min(margins[arc] for arc in path) for path in paths))


# -- the rules ------------------------------------------------------------------------------------


@given(margins=margin_matrices())
def test_minimax_ranks_by_the_worst_defeat_then_the_next(margins):
    n = len(margins)
    found = above(ra.Minimax().aggregate(votes_of(margins)))
    defeats = [sorted((max(margins[j, i], 0) for j in range(n)), reverse=True) for i in range(n)]
    for i in range(n):
        for j in range(n):
            assert found[i, j] == (defeats[i] < defeats[j])


@given(margins=margin_matrices())
def test_schulze_respects_the_strongest_paths(margins):
    n = len(margins)
    consensus = ra.Schulze().aggregate(votes_of(margins))
    beats = np.array(
        [
            [i != j and strongest_path(margins, i, j) > strongest_path(margins, j, i)
             for j in range(n)] for i in range(n)
        ]
    )  # fmt: skip
    assert consensus.scores.tolist() == (beats.sum(axis=1) - beats.sum(axis=0)).tolist()
    assert (above(consensus) >= beats).all()
    # The first bucket: of those that nothing beats, the ones that beat most others.
    winners = {i for i in range(n) if not beats[:, i].any()}
    most = max(beats[i].sum() for i in winners)
    first = set(consensus.buckets[0])
    assert first == {i for i in winners if beats[i].sum() == most}
    also = ", ".join(str(i) for i in sorted(winners - first))
    expected = (f"also winners, as no item beats them: {also}",) if also else ()
    assert consensus.notes == expected


@given(margins=margin_matrices() | margin_matrices(distinct=True))
def test_ranked_pairs_equals_the_locked_graph(margins):
    n = len(margins)
    locked = locking(margins)
    paths = np.array([[i != j and nx.has_path(locked, i, j) for j in range(n)] for i in range(n)])
    found = above(ra.RankedPairs().aggregate(votes_of(margins)))
    assert (found >= paths).all()
    if len(np.unique(np.abs(margins))) == 1 + n * (n - 1) // 2:
        assert (found == paths).all()


def test_equal_majorities_that_close_a_cycle_are_left_out_together():
    cycle = np.array([[0, 2, -2, 5], [-2, 0, 2, 5], [2, -2, 0, 5], [-5, -5, -5, 0]])
    consensus = ra.RankedPairs().aggregate(votes_of(cycle))
    assert consensus.buckets == ((0, 1, 2), (3,))
    # They leave room for clear lesser ones: A > B > C > A by 5 each is left out; A > D > B by 3
    # and 1 is not.
    wins = [[0, 5, 0, 3], [0, 0, 5, 0], [5, 0, 0, 0], [0, 1, 0, 0]]
    found = ra.RankedPairs().aggregate(ra.PairwiseMatrix.from_wins(wins, items="ABCD"))
    assert found.scores.tolist() == [2.0, -2.0, 0.0, 0.0]


@given(margins=margin_matrices())
def test_mc4_is_the_share_of_time_of_its_walk(margins):
    n, teleport = len(margins), 0.05
    shares = ra.MC4().aggregate(votes_of(margins)).scores
    walk = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                walk[i, j] = {1: 1.0, 0: 0.5, -1: 0.0}[int(np.sign(margins[j, i]))] / n
        walk[i, i] = 1 - walk[i].sum()
    walk = (1 - teleport) * walk + teleport / n
    np.testing.assert_allclose(shares @ walk, shares, atol=1e-12)
    assert shares.sum() == pytest.approx(1)
    assert (shares > 0).all()


@pytest.mark.parametrize(
    ("rule", "order"),
    [(ra.Minimax(), (0, 2, 1)), (ra.Schulze(), (0, 1, 2)), (ra.RankedPairs(), (0, 1, 2))],
)
def test_large_margins_stay_exact(rule, order):
    big = 2**70
    votes = ra.PairwiseMatrix.from_wins(
        np.array([[0, big + 2**20, 0], [0, 0, big + 2**19], [big, 0, 0]], dtype=float)
    )
    assert rule.aggregate(votes).order == order
