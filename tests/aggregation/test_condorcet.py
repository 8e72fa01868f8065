"""Copeland and pairwise majority against their definitions."""

import itertools
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import rankagg as ra
from tests import oracles
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
    ("data", "buckets", "told"),
    [
        ("tennessee", (("Nashville",), ("Chattanooga",), ("Knoxville",), ("Memphis",)), None),
        ("condorcet_1785", (("A", "B", "C"),), "cyclic: the majorities among A, B, C contradict"),
        # B > A, C > B and A = C (Colombo et al. 2022, Table 1): no cycle, and no ranking.
        ("toy_tasks", (("A", "B", "C"),), "not transitive: draws among A, B, C"),
        (ra.Profile.from_orders(["AB", "BA"]), (("A", "B"),), None),
    ],
)
def test_majority_tells_a_cycle_from_a_draw(data, buckets, told) -> None:
    data = ra.datasets.load(data) if isinstance(data, str) else data
    consensus = ra.PairwiseMajority().aggregate(data)
    assert consensus.buckets == buckets
    assert len(consensus.notes) == (told is not None)
    assert told is None or consensus.notes[0].startswith(told)


def test_majorities_are_compared_exactly() -> None:
    # Thirds add up in floats to something else than one.
    profile = ra.Profile.from_orders(["AB", "AB", "AB", "BA"], weights=[1 / 3, 1 / 3, 1 / 3, 1])
    assert np.array_equal(ra.Copeland().aggregate(profile).scores, [0.5, 0.5])
