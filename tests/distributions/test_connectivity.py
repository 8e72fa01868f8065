"""Who beats whom, directly or through others: the same as from all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.core.graphs import ordered_parts
from rankagg.distributions.separation import (
    beats_graph,
    check_connected,
    check_observed,
    is_linked,
)
from rankagg.exceptions import InvalidInputError, NotIdentifiedError
from tests.distributions.luce_by_hand import from_row, from_rows
from tests.oracles import ABOVE, TIED, as_places, judgment, ordered_pairs
from tests.strategies import profiles, quick


def all_wins(profile):
    """Return who is above or level with whom in some ranking, pair by pair."""
    wins = np.zeros((profile.n_items, profile.n_items), dtype=bool)
    for ranking in map(as_places, profile):
        for i, j in ordered_pairs(profile.n_items):
            wins[i, j] |= judgment(ranking, i, j) in (ABOVE, TIED)
    return wins


def closure(graph):
    """Return what can be reached, by Warshall's loop."""
    reach = graph.copy()
    for k in range(len(graph)):
        reach |= reach[:, [k]] & reach[k]
    return reach


@quick
@given(profile=profiles(max_size=6, max_rows=5))
def test_reachability_is_that_of_all_pairs(profile):
    graph, wins = beats_graph(profile.ranks), all_wins(profile)
    assert (closure(graph) == closure(wins)).all()
    off = ~np.eye(profile.n_items, dtype=bool)
    assert not (graph & ~wins & off).any()
    assert not np.diag(graph).any()


@pytest.mark.parametrize(
    ("row", "edges"),
    [
        ("A>B>C", ["AB", "BC"]),
        ("A=B=C", ["AB", "BA", "BC", "CB"]),
        ("A>...", ["AB", "AC"]),
        ("A=B>...", ["AB", "BA", "BC"]),
        ("A>C", ["AC"]),
        ("B", []),
    ],
)
def test_only_neighbors_are_joined(row, edges):
    graph = beats_graph(from_row(row, "ABC").ranks[None, :])
    assert ["ABC"[i] + "ABC"[j] for i, j in np.argwhere(graph)] == edges


def test_a_list_of_nothing_says_nothing():
    empty = ra.PartialRanking.from_top_k([], items="ABC")
    assert not beats_graph(empty.ranks[None, :]).any()


@quick
@given(
    graph=st.integers(1, 6).flatmap(
        lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=n, max_size=n)
    )
)
def test_components_are_mutually_reachable_and_sources_come_first(graph):
    beats = np.array(graph)
    np.fill_diagonal(beats, False)
    reach = closure(beats)
    parts = ordered_parts(beats)
    assert sorted(i for part in parts for i in part) == list(range(len(beats)))
    where = {i: k for k, part in enumerate(parts) for i in part}
    for i, j in ordered_pairs(len(beats)):
        assert (where[i] == where[j]) == (reach[i, j] and reach[j, i])
        if reach[i, j]:
            assert where[i] <= where[j]


def test_components_of_a_chain_are_in_its_order():
    graph = beats_graph(ra.Profile.from_orders(["DBAC"]).ranks)
    assert ordered_parts(graph) == [[3], [1], [0], [2]]


def check(rows, items):
    profile = from_rows(rows, items)
    check_connected(beats_graph(profile.ranks), profile.items)


@pytest.mark.parametrize("rows", [["A>B>C", "C>A"], ["A=B=C"], ["A>...", "B>...", "C>..."]])
def test_connected_rankings_pass(rows):
    check(rows, "ABC")
    with pytest.raises(NotIdentifiedError, match=r"\(A, B, C \| D\)|never compared: D\."):
        check(rows, "ABCD")


@pytest.mark.parametrize(
    ("rows", "items", "words"),
    [
        (["A>B>C", "B>A>C"], "ABC", [
            "no group here loses to a later one (A, B | C)", "never above another: C.",
        ]),
        (["A>B>C", "A>C>B"], "ABC", ["(A | B, C)", "never beaten: A."]),
        (["A>B", "B>A", "C>D", "D>C"], "ABCD", ["(A, B | C, D)"]),
        (["A>B", "B>A", "C"], "ABC", ["never compared: C."]),
        (["A>B>C>D>E>F>G>H>I"], "ABCDEFGHI", ["G | H | ... 9 groups in all)"]),
    ],
)  # fmt: skip
def test_the_message_names_groups_and_remedies(rows, items, words):
    with pytest.raises(NotIdentifiedError) as caught:
        check(rows, items)
    text = str(caught.value)
    for part in [*words, "pseudo_rankings=0.5", "ridge", "drop items"]:
        assert part in text
    assert ("never beaten" in text) == any("never beaten" in word for word in words) or len(
        items
    ) > 4


def test_one_item_is_connected_and_two_are_not():
    check_connected(np.zeros((1, 1), dtype=bool), ra.ItemSet("A"))
    with pytest.raises(NotIdentifiedError, match=r"\(A \| B\)"):
        check_connected(np.zeros((2, 2), dtype=bool), ra.ItemSet("AB"))


def test_linked_means_joined_by_chains_of_sets():
    table = np.zeros((4, 4))
    table[0, 1] = table[1, 0] = table[2, 3] = table[3, 2] = 0.5
    assert not is_linked(table)
    table[1, 2] = table[2, 1] = 1e-9
    assert is_linked(table)


def test_unobserved_items_are_named_with_the_remedy():
    with pytest.raises(InvalidInputError, match=r"B, D.*profile\.restrict"):
        check_observed(from_rows(["A>C", "C>A"], "ABCD"))
    check_observed(from_rows(["A>...", "B>..."], "ABCD"))
