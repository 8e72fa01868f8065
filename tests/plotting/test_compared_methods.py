"""Bump charts: every item at its place in every column, under its own name."""

import numpy as np
import pytest
from hypothesis import given

import rankagg as ra
from rankagg import plotting
from rankagg.analysis.comparison.agreement import flow_slots
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.compared_methods import _moved_items
from rankagg.plotting.theme import GRAY, plot_labels
from rankagg.testing.plots import below, collisions, of_group
from tests.plotting.reading import column_labels, row_labels
from tests.strategies import profiles, quick


def heights(ax, n):
    return np.array([of_group(ax, f"item-{k}")[0].get_ydata() for k in range(n)]).T


def names(axis):
    return {
        round(tick.get_loc(), 6): tick.label1.get_text() or tick.label2.get_text()
        for tick in axis.get_major_ticks()
    }


@quick
@given(profile=profiles(max_rows=5))
def test_heights_follow_the_places(profile):
    ranks = profile.ranks
    slots = flow_slots(ranks)
    for places, column in zip(ranks, slots, strict=True):
        assert len(set(column)) == len(column)  # nobody hides anybody
        for i, j in np.argwhere((places[:, None] < places) & (places[:, None] >= 0)):
            assert column[i] < column[j]
        for i, j in np.argwhere((places[:, None] >= 0) & (places < 0)):
            assert column[i] + 1 < column[j]


def test_lines_go_through_the_places_and_end_at_their_names():
    comparison = ra.compare(ra.datasets.load("superglue_human"))
    ax = plotting.bump_chart(comparison)
    drawn = heights(ax, 6)
    places = comparison.ranks().reindex(list(comparison.votes.items))
    for column, method in zip(drawn, comparison.methods, strict=True):
        np.testing.assert_array_equal(column + 1, places[method])
    left = names(ax.yaxis)
    right = names(ax.child_axes[0].yaxis)
    for k, item in enumerate(comparison.votes.items):
        assert left[drawn[0, k]] == f"{item}  {places['Mean'][item]}"
        assert right[drawn[-1, k]] == f"{places['Kemeny'][item]}  {item}"
    assert column_labels(ax) == list(comparison.methods)


def test_only_items_that_change_order_are_colored():
    comparison = ra.compare(ra.datasets.load("superglue_human"))
    ax = plotting.bump_chart(comparison)
    colored = {
        item
        for k, item in enumerate(comparison.votes.items)
        if of_group(ax, f"item-{k}")[0].get_color() != GRAY
    }
    assert colored == {"NEZHA Plus", "PAI Albert"}


@quick
@given(profile=profiles(max_rows=4))
def test_moved_items_are_those_in_pairs_that_change(profile):
    ranks = np.where(profile.ranks >= 0, profile.ranks, profile.n_items)
    changed = [
        any(
            len({int(np.sign(row[i] - row[j])) for row in ranks}) > 1
            for j in range(profile.n_items)
        )
        for i in range(profile.n_items)
    ]
    assert _moved_items(flow_slots(profile.ranks), profile.ranks).tolist() == changed


def test_ties_are_joined_and_unranked_items_stand_apart():
    profile = ra.Profile([ra.PartialRanking.from_buckets([["A"], ["B", "C"]], items="ABCD")] * 2)
    comparison = ra.compare(profile, [ra.PlackettLuceRanking()])
    ax = plotting.bump_chart(comparison)
    (tie,) = of_group(ax, "tie")
    assert sorted(tie.get_ydata()) == [1, 2]
    assert heights(ax, 4)[0].tolist()[3] == 4
    assert row_labels(ax) == ["A  1", "B  2", "C  2", "D  –"]  # noqa: RUF001


def test_the_first_items_are_those_of_the_exact_method(thirty):
    comparison = ra.compare(thirty)
    ax = plotting.bump_chart(comparison, top=7)
    first = comparison.exact.order[:7]
    labels = [t.get_text() for t in ax.child_axes[0].get_yticklabels()]
    drawn = heights(ax, 7)
    by_height = [labels[k].split("  ")[1] for k in np.argsort(drawn[-1])]
    assert by_height == [plot_labels([name])[0] for name in first]
    assert below(ax) == "the first 7 of 30 items by Kemeny"
    assert not collisions(ax)


def test_some_methods_in_their_order():
    comparison = ra.compare(ra.datasets.load("tennessee"))
    ax = plotting.bump_chart(comparison, methods=["Kemeny", "Borda"])
    assert column_labels(ax) == ["Kemeny", "Borda"]
    with pytest.raises(InvalidInputError, match="one of Borda"):
        plotting.bump_chart(comparison, methods=["Mean"])
    with pytest.raises(InvalidInputError, match="one or more"):
        plotting.bump_chart(comparison, methods=[])
    with pytest.raises(InvalidInputError, match="matplotlib axes"):
        plotting.bump_chart(comparison, ax="here")
