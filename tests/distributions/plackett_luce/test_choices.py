"""Choices of rankings, and two ways to hold their sets."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.distributions.plackett_luce import choices
from rankagg.distributions.plackett_luce.choices import (
    _ChainSets,
    _MergedSets,
)  # fmt: skip
from rankagg.distributions.plackett_luce.plackett_luce import _stage_masks
from tests.distributions.luce_by_hand import choices_by_hand, from_rows, gathered
from tests.strategies import profiles

ROWS = ["A>B>C>D>E", "A=B>C=D=E", "C>A>...", "D=E>...", "B>E>A", "A=D", "C", "E=C>D>A", "A>B>C>D>E"]
COUNTS = [3, 1, 2, 1, 4, 2, 5, 1, 1]
WEIGHTS = [1.0, 0.5, 2.0, 1.0, 0.25, 1.0, 3.0, 0.1, 1.5]


@pytest.fixture(params=[62, 0], ids=["merged", "chains"])
def representation(request, monkeypatch):
    """Hold sets merged, or as chains whatever the number of items."""
    monkeypatch.setattr(choices, "BITS", request.param)
    return _MergedSets if request.param else _ChainSets


def table_of(found):
    """Return which items are in each set."""
    tables = [np.zeros((0, found.n_items), dtype=bool)]
    for items, inside in found.sets.members():
        tables.append(np.zeros((len(items), found.n_items), dtype=bool))
        np.put_along_axis(tables[-1], items, inside, axis=1)
    return np.concatenate(tables)


def held_sets(found):
    """Return the summed weight of each set as a Counter."""
    held, rows = Counter(), table_of(found)
    assert len(rows) == len(found.weights)
    for row, weight in zip(rows, found.weights, strict=True):
        held[frozenset(np.flatnonzero(row).tolist())] += weight
    return held


def check_against_a_loop(profile):
    sets, tied, won = Counter(), Counter(), np.zeros(profile.n_items)
    for ranking, count, weight in zip(profile, profile.counts, profile.weights, strict=True):
        for alternatives, chosen in choices_by_hand(ranking):
            sets[alternatives] += count * weight
            tied[len(chosen)] += count * weight
            won[sorted(chosen)] += count * weight / len(chosen)
    found = gathered(profile)
    assert held_sets(found) == pytest.approx(sets)
    assert found.tied == pytest.approx(tied)
    assert found.won == pytest.approx(won)


@pytest.mark.parametrize("bits", [62, 0])
def test_choices_are_those_of_a_loop(bits):
    @given(profile=profiles())
    def check(profile):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(choices, "BITS", bits)
            check_against_a_loop(profile)

    check()


@pytest.mark.parametrize("block", [1, 20_000_000])
def test_a_small_block_changes_nothing(block, representation, monkeypatch):
    monkeypatch.setattr(choices, "MARKS_AT_ONCE", block)
    monkeypatch.setattr(choices, "TABLE_ENTRIES", block)
    check_against_a_loop(from_rows(ROWS, counts=COUNTS, weights=WEIGHTS))


@given(profile=profiles())
def test_stages_are_the_choices_of_each_ranking(profile):
    seen = Counter()
    for rows, alternatives, chosen in _stage_masks(profile.ranks):
        for row, among, picked in zip(rows, alternatives, chosen, strict=True):
            sets = (frozenset(np.flatnonzero(mask).tolist()) for mask in (among, picked))
            seen[int(row), *sets] += 1
    assert seen == Counter(
        (row, *choice) for row, ranking in enumerate(profile) for choice in choices_by_hand(ranking)
    )


def test_stages_keep_the_number_of_the_ranking_across_blocks(monkeypatch):
    monkeypatch.setattr(choices, "MARKS_AT_ONCE", 5)
    profile = from_rows(ROWS)
    rows = Counter(int(row) for part, _, _ in _stage_masks(profile.ranks) for row in part)
    expected = {row: len(choices_by_hand(ranking)) for row, ranking in enumerate(profile)}
    assert rows == Counter(expected)


def test_rankings_of_one_item_are_no_choices(representation):
    found = gathered(from_rows(["A", "B", "C>..."], items="ABC"))
    assert (found.won.tolist(), found.weights.tolist()) == ([0, 0, 1], [1])
    empty = gathered(from_rows(["A", "B"], items="ABC"))
    assert held_sets(empty) == {}
    assert empty.sets.totals(np.zeros(0)).tolist() == [0, 0, 0]
    assert empty.sets.sums(np.ones(3)).shape == (0,)
    assert not empty.sets.both(np.zeros(0)).any()


def two_ways(profile):
    ways = []
    for bits in (62, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(choices, "BITS", bits)
            ways.append(gathered(profile))
    return ways


def check_linear_maps(found, values):
    """Check the maps against the table of the same sets; rates are functions of the sets."""
    inside = table_of(found).astype(float)
    sums = found.sets.sums(values)
    assert sums == pytest.approx(inside @ values)
    rates = found.weights / (1.0 + sums**2)
    assert found.sets.totals(rates) == pytest.approx(rates @ inside)
    assert found.sets.both(rates) == pytest.approx(inside.T @ np.diag(rates) @ inside)
    return found.sets.totals(rates), found.sets.both(rates)


@given(profile=profiles(min_size=2), ghost=st.booleans())
def test_chains_and_merged_sets_agree(profile, ghost):
    merged, chains = (found.with_ghost(0.5) if ghost else found for found in two_ways(profile))
    values = 0.3 + np.arange(merged.n_items) ** 1.5
    for first, second in zip(
        *(check_linear_maps(f, values) for f in (merged, chains)), strict=True
    ):
        assert first == pytest.approx(second)
    assert held_sets(merged) == pytest.approx(held_sets(chains))
    assert merged.won == pytest.approx(chains.won)
    assert merged.tied == pytest.approx(chains.tied)


def test_a_ghost_wins_and_loses_against_every_item(representation):
    profile = from_rows(["A>B>C", "B=C>A"], items="ABC")
    plain, ghostly = gathered(profile), gathered(profile).with_ghost(0.5)
    added = Counter(held_sets(ghostly))
    added.subtract(held_sets(plain))
    assert +added == {frozenset({i, 3}): 1.0 for i in range(3)}
    assert (ghostly.won[:3] - plain.won).tolist() == [0.5, 0.5, 0.5]
    assert ghostly.won[3] == 1.5
    assert ghostly.tied[1] - plain.tied[1] == 3
    assert ghostly.tied[2] == plain.tied[2] == 1


def test_short_rankings_are_summed_place_by_place_or_not(monkeypatch):
    rows = [">".join(map(str, np.random.default_rng(m).permutation(30)[:k]))
            for m, k in enumerate((2, 3, 5, 2, 9, 7, 2, 1))]  # fmt: skip
    found = two_ways(from_rows([*rows, "0=1>2", "4>3>..."], items=[str(i) for i in range(30)]))[1]
    for held in (found, found.with_ghost(0.5)):
        sums = []
        for short in (0, 4, 1000):
            monkeypatch.setattr(choices, "SHORT", short)
            sums.append(check_linear_maps(held, np.linspace(0.5, 2.0, held.n_items))[1])
        assert sums[0] == pytest.approx(sums[1])
        assert sums[0] == pytest.approx(sums[2])


def test_many_items_are_held_as_chains():
    profile = ra.Profile.from_ranks(np.random.default_rng(0).permuted(
        np.tile(np.arange(70), (4, 1)), axis=1))  # fmt: skip
    found = gathered(profile)
    assert isinstance(found.sets, _ChainSets)
    check_linear_maps(found, np.linspace(0.5, 2.0, 70))
    check_against_a_loop(profile)
