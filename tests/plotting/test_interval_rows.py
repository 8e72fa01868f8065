"""Forests of ranks: every bar goes from the best to the worst rank, under its own name."""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg import plotting
from rankagg.exceptions import InvalidInputError
from rankagg.inference.decisions import Decisions
from rankagg.plotting.sheet import caption_of
from rankagg.testing.plots import below, of_group
from tests.plotting.reading import column_labels, drawn_quickly, row_labels


@cache
def of_three():
    profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[40, 30, 30])
    return ra.rank_intervals(profile, of="borda")


# Eight systems of which some are first neither alone nor together.
WIDE = np.linspace(2.5, 0, 8)[:, None] + np.random.default_rng(0).normal(size=(8, 9))


def drawn(ax, n):
    """Return the rank, best and worst of every row, and whether its point is filled."""
    points = [of_group(ax, f"point-{k}")[0] for k in range(n)]
    bars = [of_group(ax, f"bar-{k}")[0] for k in range(n)]
    assert [list(point.get_ydata()) for point in points] == [[k] for k in range(n)]
    assert [list(bar.get_ydata()) for bar in bars] == [[k, k] for k in range(n)]
    rows = [(*point.get_xdata(), *bar.get_xdata()) for point, bar in zip(points, bars, strict=True)]
    filled = [point.get_markerfacecolor() != "white" for point in points]
    return np.array(rows, dtype=int), filled


def intervals_of(above, decided):
    """Return rank intervals from majorities and decided pairs given by hand."""
    n = len(above)
    names = ra.ItemSet("ABCDEFGH"[:n])
    decisions = Decisions(items=names, above=np.array(decided, dtype=bool), alpha=0.1, how="hand")
    return ra.inference.RankIntervals.from_decisions(
        "pairwise", "ranking", np.array(above), decisions, ("a note",)
    )


@drawn_quickly
@given(seed=st.integers(0, 10_000), n=st.integers(1, 8))
def test_rows_are_the_intervals_in_the_order_of_places(seed, n):
    rng = np.random.default_rng(seed)
    above = np.triu(rng.random((n, n)) < 0.7, k=1)
    mix = rng.permutation(n)
    above = above[np.ix_(mix, mix)]
    ranks = intervals_of(above, above & (rng.random((n, n)) < 0.5))
    ax = plotting.forest_plot(ranks)
    rows, filled = drawn(ax, n)
    frame = ranks.to_frame()
    np.testing.assert_array_equal(rows, frame.to_numpy())
    labels = row_labels(ax)
    assert labels == [f"{place}  {name}" for name, place in frame["rank"].items()]
    assert filled == (frame["best"] == 1).tolist()
    plt.close("all")


def test_the_best_place_is_left_and_the_first_item_on_top():
    ax = of_three().plot()
    left, right = ax.get_xlim()
    bottom, top = ax.get_ylim()
    assert left < 1
    assert right > 3
    assert bottom > 2
    assert top < 0
    assert column_labels(ax) == ["1", "2", "3"]


def test_open_points_are_said_to_be_not_first():
    chain = np.triu(np.ones((3, 3), dtype=bool), k=1)
    said = {}
    for name, decided in (("all", chain), ("none", np.zeros_like(chain))):
        ax = plotting.forest_plot(intervals_of(chain, decided))
        legend = ax.get_legend()
        said[name] = [
            (text.get_text(), handle.get_markerfacecolor() != "white")
            for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True)
        ]
    assert said["all"] == [("may be first", True), ("not first", False)]
    assert said["none"] == [("may be first", True)]


def test_the_level_and_its_meaning_are_said():
    chain = np.triu(np.ones((3, 3), dtype=bool), k=1)
    note = " ".join(below(plotting.forest_plot(intervals_of(chain, chain))).split())
    assert note == (
        "rank ranks by majorities; simultaneous 90 % confidence intervals, by hand; independent: "
        "rankings note: a note"
    )


def test_a_cycle_of_majorities_leaves_the_first_place_empty():
    cycle = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=bool)
    rows, filled = drawn(plotting.forest_plot(intervals_of(cycle, np.zeros((3, 3)))), 3)
    assert rows.tolist() == [[2, 1, 3]] * 3
    assert filled == [True] * 3


def test_points_are_filled_for_items_that_may_be_first():
    ranks = ra.rank_intervals(ra.datasets.load("xglue"), alpha=0.1)
    wide = ra.rank_intervals(ra.ScoreTable(WIDE, higher_is_better=True))
    assert set(wide.first) < set(wide.top(1))  # fewer than the bars that reach the first rank
    for found in (ranks, wide):
        _, filled = drawn(plotting.forest_plot(found), len(found.items))
        names = list(found.to_frame().index)
        assert {name for name, full in zip(names, filled, strict=True) if full} == set(found.first)


def test_only_the_first_rows_are_drawn_on_request_and_said_to_be_some():
    ranks = of_three()
    ax = plotting.forest_plot(ranks, top=2)
    rows, _ = drawn(ax, 2)
    np.testing.assert_array_equal(rows, ranks.to_frame().to_numpy()[:2])
    assert ax.get_xlim()[1] > 3
    assert caption_of(ax).startswith("the first 2 of 3 items")
    assert not caption_of(plotting.forest_plot(ranks, top=3)).startswith("the first")
    with pytest.raises(InvalidInputError, match="`top` must be an integer of at least 1"):
        plotting.forest_plot(ranks, top=0)
