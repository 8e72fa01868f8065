"""Rules compared: bump charts, and top-k agreement curves."""

import matplotlib.pyplot as plt
import numpy as np
from hypothesis import given

import rankagg as ra
from rankagg import plotting
from rankagg.analysis.comparison.agreement import flow_slots
from rankagg.plotting.theme import GRAY, plot_labels
from tests.plotting.reading import (
    below,
    collisions,
    column_labels,
    drawn_quickly,
    legend_words,
    of_group,
    one,
    row_labels,
)
from tests.strategies import profiles


def heights(ax, n):
    return np.array([of_group(ax, f"item-{k}")[0].get_ydata() for k in range(n)]).T


def names(axis):
    return {
        round(tick.get_loc(), 6): tick.label1.get_text() or tick.label2.get_text()
        for tick in axis.get_major_ticks()
    }


@given(profile=profiles(max_rows=5))
def test_heights_follow_the_places(profile):
    for places, column in zip(profile.ranks, flow_slots(profile.ranks), strict=True):
        assert len(set(column)) == len(column)  # nobody hides anybody
        known = places[:, None] >= 0
        for i, j in np.argwhere(known & (places[:, None] < places)):
            assert column[i] < column[j]
        for i, j in np.argwhere(known & (places < 0)):
            assert column[i] + 1 < column[j]


def test_lines_go_through_the_places_and_end_at_their_names():
    comparison = ra.compare(ra.datasets.load("superglue_human"))
    ax = plotting.bump_chart(comparison)
    drawn, items = heights(ax, 6), list(comparison.votes.items)
    places = comparison.ranks().reindex(items)
    for column, method in zip(drawn, comparison.rules, strict=True):
        np.testing.assert_array_equal(column + 1, places[method])
    left = names(ax.yaxis)
    right = names(ax.child_axes[0].yaxis)
    for k, item in enumerate(items):
        assert left[drawn[0, k]] == f"{item}  {places['Mean'][item]}"
        assert right[drawn[-1, k]] == f"{places['Kemeny'][item]}  {item}"
    assert column_labels(ax) == list(comparison.rules)
    # Only items that change order are colored.
    colored = {items[k] for k in range(6) if one(ax, f"item-{k}").get_color() != GRAY}
    assert colored == {"NEZHA Plus", "PAI Albert"}


def test_ties_are_joined_and_unranked_items_are_separate():
    profile = ra.Profile([ra.PartialRanking.from_buckets([["A"], ["B", "C"]], items="ABCD")] * 2)
    ax = plotting.bump_chart(ra.compare(profile, [ra.distributions.PlackettLuceRanking()]))
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


# -- top-k agreement curves -----------------------------------------------------------------------


def curves(ax):
    """Return {method: ([k, ...], [overlap, ...])} as drawn, by the words of the legend."""
    found = {}
    legend = legend_words(ax)
    lines = [line for line in ax.get_lines() if line.get_gid().startswith("curve-")]
    assert legend[: len(lines)] == [line.get_label() for line in lines]
    for line in lines:
        for method in line.get_label().split("\n"):
            assert method not in found
            found[method] = line.get_data()
    return found


@drawn_quickly
@given(profile=profiles(min_size=1, unranked=False))
def test_curves_go_through_the_overlaps(profile):
    comparison = ra.compare(profile)
    ax = plotting.overlap_plot(comparison)
    expected = comparison.overlap_curves()
    drawn = curves(ax)
    assert set(drawn) == set(comparison.rules)
    for method, (depths, shares) in drawn.items():
        assert list(depths) == list(expected.index)
        np.testing.assert_allclose(shares, expected[method], atol=1e-9)
    plt.close("all")


def test_the_best_curve_is_first_and_widest(thirty):
    comparison = ra.compare(thirty)
    lines = [a for a in plotting.overlap_plot(comparison).get_lines() if a.get_gid() != "random"]
    means = [line.get_ydata().mean() for line in lines]
    assert means == sorted(means, reverse=True)
    assert lines[0].get_label() == "Kemeny"
    widths = [line.get_linewidth() for line in lines]
    assert widths == sorted(set(widths), reverse=True)
    assert len(widths) > 2
