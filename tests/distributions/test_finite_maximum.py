"""Whether there is a maximum: who beats whom, and linear programs over all buckets."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import rankagg as ra
from rankagg.core.graphs import ordered_parts
from rankagg.distributions.finite_maximum import (
    beats_graph,
    check_connected,
    check_observed,
    is_linked,
)  # fmt: skip
from rankagg.distributions.plackett_luce.likelihood import DistinctChoices, endless_choices
from rankagg.exceptions import InvalidInputError, NotIdentifiedError
from tests.conftest import seeds
from tests.distributions.luce_by_hand import choices_by_hand, features, from_rows
from tests.oracles import ABOVE, TIED, as_places, judgment, ordered_pairs
from tests.strategies import profiles


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


@given(profile=profiles(max_size=6, max_rows=5))
def test_who_beats_whom_is_found_pair_by_pair(profile):
    assert (beats_graph(profile) == all_wins(profile)).all()


def test_no_weight_is_too_small_to_link_items():
    assert beats_graph(from_rows(["A>B", "B>A"], "AB", weights=[1e30, 1e-30])).sum() == 2


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


def check(rows, items):
    profile = from_rows(rows, items)
    check_connected(beats_graph(profile), profile.items)


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


def rows_by_hand(profile, sizes):
    """Return what is chosen less every alternative of it, as rows of features."""
    n = profile.n_items
    rows = [
        features(chosen, n, sizes) - features(bucket, n, sizes)
        for ranking in profile
        for alternatives, chosen in choices_by_hand(ranking)
        for d in (1, *sizes)
        for bucket in combinations(sorted(alternatives), d)
    ]
    return np.array(rows).reshape(-1, n + len(sizes))


def rising_by_hand(profile, sizes, *, worths=True, ties=True):
    """Say whether some direction gains on an alternative and loses on none: all are listed."""
    n, rows = profile.n_items, rows_by_hand(profile, sizes)
    free = [worths] * n + [ties] * len(sizes)
    bounds = [(-1, 1) if one else (0, 0) for one in free]
    found = linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=bounds)
    return -found.fun > 1e-6


def sizes_of(profile):
    return tuple(sorted({len(c) for r in profile for _, c in choices_by_hand(r)} - {1}))


def check_direction(profile, **free):
    sizes = sizes_of(profile)
    if not sizes:
        return None
    found = endless_choices(DistinctChoices.of_ranks(profile.ranks), sizes, **free)
    assert (found is not None) == rising_by_hand(profile, sizes, **free)
    if found is None:
        return None
    # What is found rises, by hand too.
    gains = rows_by_hand(profile, sizes) @ found
    assert min(gains) >= -1e-9
    assert max(gains) > 1e-9
    return found


@given(profile=profiles(min_size=2, max_size=5))
def test_a_direction_is_found_exactly_where_there_is_one(profile):
    check_direction(profile)


@pytest.mark.parametrize("seed", seeds(4, 12))
def test_random_ties_are_judged_as_by_hand(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(3, 6)), int(rng.integers(2, 8))
    profile = ra.Profile.from_ranks(rng.integers(1, n, (m, n)))
    check_direction(profile)
    check_direction(profile, worths=False)
    check_direction(profile, ties=False)


def test_a_ghost_is_met_by_every_item_both_ways():
    observed = DistinctChoices.of_ranks(from_rows(["A>B>C", "A=B"], "ABC").ranks).with_ghost()
    pairs = [
        (np.flatnonzero(a).tolist(), np.flatnonzero(c).tolist())
        for a, c in zip(observed.alternatives, observed.chosen, strict=True)
        if a[3]
    ]
    assert sorted(pairs) == sorted(([i, 3], [winner]) for i in range(3) for winner in (i, 3))
    assert len(observed.alternatives) == 3 + 6


def test_the_message_names_what_grows():
    with pytest.raises(NotIdentifiedError, match=r"as the weights of ties of 2 grow\."):
        ra.PlackettLuce.fit(from_rows(["A=B", "B=C", "C=A"], "ABC"))
    words = r"rises for ever as the worth of A and the weights of ties of 2 grow\."
    with pytest.raises(NotIdentifiedError, match=words):
        ra.PlackettLuce.fit(from_rows(["A=B", "B=C", "A>C", "A=C"], "ABC"))


def test_regular_fits_with_endless_ties_are_refused():
    # A ghost is tied with nobody, which bounds ties of two and not those of three.
    profile = from_rows(["A=B=C", "A=B=C", "A=B=C"], "ABC")
    with pytest.raises(NotIdentifiedError, match="weights of ties of 3 grow"):
        ra.PlackettLuce.fit(profile, pseudo_rankings=0.5)


def test_ridges_hold_what_they_are_on():
    profile = from_rows(["A=B=C", "A=B=C"], "ABC")
    with pytest.raises(NotIdentifiedError, match="weights of ties of 3 grow"):
        ra.PlackettLuce.fit(profile, ridge=1.0)
    assert ra.PlackettLuce.fit(profile, ridge=1.0, tie_ridge=1.0).converged


@pytest.mark.parametrize("counts", [[3, 1, 1], [10**9, 1, 1], [1, 1, 10**6]])
def test_davidson_pairs_have_a_maximum_whatever_the_counts(counts):
    profile = from_rows(["A>B", "B>A", "A=B"], "AB", counts=counts)
    for data in (profile, profile.with_unranked("ignore").pairwise()):
        fit = ra.BradleyTerry.fit(data, ties="davidson")
        wins, losses, ties = counts
        assert fit.converged
        # exp(l_A - l_B) is the odds; the weight of a tie is against the geometric mean.
        assert np.ptp(fit.estimates[:2]) == pytest.approx(abs(np.log(wins / losses)), abs=1e-5)
        expected = np.log(ties / np.sqrt(wins * losses))
        assert fit.estimates[2] == pytest.approx(expected, abs=1e-5)
