"""Rows of intervals: ranks, effects of paired tests, and units that separate neighbors."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg import plotting
from rankagg.exceptions import InvalidInputError
from rankagg.inference.decisions import Decisions
from rankagg.inference.ranks.rank_results import ranks_from_decisions
from tests.plotting.reading import (
    below,
    caption_of,
    drawn_quickly,
    faults,
    legend_words,
    notes,
    of_group,
    one,
    row_labels,
)


@cache
def of_three():
    profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[40, 30, 30])
    return ra.rank_intervals(profile, of="borda")


# Eight systems; some are first neither alone nor together.
WIDE = np.linspace(2.5, 0, 8)[:, None] + np.random.default_rng(0).normal(size=(8, 9))


def drawn(ax, n):
    """Return the rank, best and worst of every row, and whether its point is filled."""
    points = [one(ax, f"point-{k}") for k in range(n)]
    bars = [one(ax, f"bar-{k}") for k in range(n)]
    assert [list(point.get_ydata()) for point in points] == [[k] for k in range(n)]
    assert [list(bar.get_ydata()) for bar in bars] == [[k, k] for k in range(n)]
    rows = [(*point.get_xdata(), *bar.get_xdata()) for point, bar in zip(points, bars, strict=True)]
    filled = [point.get_markerfacecolor() != "white" for point in points]
    return np.array(rows, dtype=int), filled


def intervals_of(above, decided):
    """Return rank intervals from majorities and decided pairs given by hand."""
    names = ra.ItemSet("ABCDEFGH"[: len(above)])
    decisions = Decisions(items=names, above=np.array(decided, dtype=bool), alpha=0.1, how="hand")
    return ranks_from_decisions("pairwise", "ranking", np.array(above), decisions, ("a note",))


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
    np.testing.assert_array_equal(rows, frame[["rank", "best", "worst"]].to_numpy())
    assert row_labels(ax) == [f"{place}  {name}" for name, place in frame["rank"].items()]
    assert filled == (frame["best"] == 1).tolist()
    plt.close("all")


CHAIN = np.triu(np.ones((3, 3), dtype=bool), k=1)


def test_the_caption_states_the_level_and_its_meaning():
    assert notes(plotting.forest_plot(intervals_of(CHAIN, CHAIN))) == (
        "rank ranks by majorities; simultaneous 90 % confidence intervals, by hand; independent: "
        "rankings note: a note"
    )


def test_points_are_filled_for_items_that_may_be_first():
    ranks = ra.rank_intervals(ra.datasets.load("xglue"), alpha=0.1)
    wide = ra.rank_intervals(ra.ScoreTable(WIDE, higher_is_better=True))
    assert set(wide.first) < set(wide.top(1))  # fewer than the bars that reach the first rank
    for found in (ranks, wide):
        _, filled = drawn(plotting.forest_plot(found), len(found.items))
        names = list(found.to_frame().index)
        assert {name for name, full in zip(names, filled, strict=True) if full} == set(found.first)


# -- effects of paired tests ----------------------------------------------------------------------


@cache
def against_c(method=None, n_tasks=12):
    scores = np.array([[3.0], [0.5], [0.0], [-3.0]])
    scores = scores + np.random.default_rng(2).normal(size=(4, n_tasks))
    table = ra.ScoreTable(scores, systems="ABCD", higher_is_better=True)
    return ra.inference.paired_tests(table, "C", method=method)


@pytest.mark.parametrize(("method", "level"), [(None, 0.0), ("sign", 0.5)])
def test_rows_are_the_tests_in_the_order_of_effects(method, level):
    found = against_c(method)
    ax = found.plot()
    frame = found.to_frame()
    assert row_labels(ax) == list(frame.index)
    fills = {"better": "#0072B2", "worse": "#D55E00", "-": "white"}
    assert set(frame["decision"]) == set(fills)
    for k, row in enumerate(frame.itertuples()):
        point, bar = one(ax, f"point-{k}"), one(ax, f"bar-{k}")
        assert point.get_xydata().tolist() == [[row.effect, k]]
        assert bar.get_xydata().tolist() == [[row.lower, k], [row.upper, k]]
        assert point.get_markerfacecolor() == fills[row.decision]
    assert set(one(ax, "alike").get_xdata()) == {level}
    assert not of_group(ax, "arrow-0")
    words = {"better": "better", "worse": "worse", "-": "no decision against C"}
    assert legend_words(ax) == list(words.values())
    markers = {
        one(ax, f"point-{k}").get_marker() for k, x in enumerate(frame["decision"]) if x == "worse"
    }
    assert markers == {"D"} != {one(ax, "point-0").get_marker()} == {"o"}


def test_infinite_ends_are_arrows():
    found = against_c(n_tasks=4)
    assert np.isinf(found.to_frame()[["lower", "upper"]].to_numpy()).all()
    ax = found.plot()
    low, high = ax.get_xlim()
    for k in range(3):
        markers = {arrow.get_marker(): arrow.get_xdata()[0] for arrow in of_group(ax, f"arrow-{k}")}
        assert set(markers) == {"<", ">"}
        assert low < markers["<"] < found.to_frame()["effect"].iloc[k] < markers[">"] < high
    assert "arrow: infinite" in below(ax)
    assert faults(ax) == []


def test_a_system_without_an_effect_has_a_row_without_a_point():
    scores = [[1.0, 2, 1, 2, 3, 1, 2], [1.0, 2, 1, 2, 3, 1, 2], [0.0, 1, 2, 1, 1, 0, 1]]
    table = ra.ScoreTable(scores, systems=list("ABC"), higher_is_better=True)
    found = ra.inference.paired_tests(table, "A", method="sign")
    assert found.to_frame()["effect"].isna().sum() == 1
    text = notes(found.plot())
    assert "no point: no task in which the system and A differ" in text
    assert "shares are of the tasks in which the two differ" in text


# -- units that tell neighbors apart --------------------------------------------------------------


@cache
def separation(needed=(5.0, 12.0, 400.0), there=(12, 12, 12)):
    """Return a result of four systems with numbers given by hand."""
    table = ra.ScoreTable(np.random.default_rng(0).normal(size=(4, 12)), higher_is_better=True)
    return replace(ra.inference.separation(table), needed=np.array(needed), n_units=np.array(there))


def numbers(ax):
    """Return the texts at the right."""
    (right,) = ax.child_axes
    return [text.get_text() for text in right.get_yticklabels()]


def test_points_show_needed_units_and_marks_available_units():
    found = separation()
    ax = found.plot()
    assert ax.get_xscale() == "log"
    for k, (needed, there) in enumerate(zip(found.needed, found.n_units, strict=True)):
        point, mark, gap = (one(ax, f"{x}-{k}") for x in ("point", "hand", "gap"))
        assert point.get_xydata().tolist() == [[needed, k]]
        assert mark.get_xydata().tolist() == [[there, k]]
        assert sorted(gap.get_xdata()) == sorted([needed, there])
        assert (point.get_markerfacecolor() != "white") == (needed <= there)
    names = map(str, found.order)
    assert row_labels(ax) == [f"{a} / {b}" for a, b in pairwise(names)]
    assert numbers(ax) == ["5", "12", "400"]
    assert legend_words(ax) == [
        "tasks available", "tasks needed: enough are available",
        "tasks needed: more than available",
    ]  # fmt: skip
    assert "80 % power of t tests; 3 tests with a family-wise error rate of" in notes(ax)


@pytest.mark.parametrize("most", [2, 3, 4, 40, 10**6])
def test_ticks_are_at_different_whole_numbers(most):
    ax = separation((2.0, 2.0, float(most)), (2, 2, 2)).plot()
    ax.figure.canvas.draw()
    ticks, (low, high) = ax.get_xticks(), ax.get_xlim()
    assert (ticks == ticks.round()).all()
    texts = [label.get_text() for label in ax.get_xticklabels()]
    assert len(texts) == len(set(texts)) >= 2
    assert low <= ticks[0] < ticks[-1] <= high


def test_infinite_and_unknown_numbers_are_written():
    ax = separation((np.inf, np.nan, 30.0), (12, 12, 0)).plot()
    assert numbers(ax) == ["\N{INFINITY}", "unknown", "30"]
    low, high = ax.get_xlim()
    assert 30 < one(ax, "arrow-0").get_xdata()[0] < high
    assert not any(of_group(ax, gid) for gid in ("point-0", "point-1", "gap-1"))
    assert low < one(ax, "hand-2").get_xdata()[0] < 1  # none at hand, at the edge
    assert "\N{INFINITY}: equal means, or fewer than two tasks" in notes(ax)
    assert "unknown: all tasks agree" in notes(ax)
    assert "equal means" not in notes(separation().plot())
    assert faults(ax) == []


@pytest.mark.parametrize(
    ("found", "kind"), [(of_three, "items"), (against_c, "systems"), (separation, "pairs")]
)
def test_the_caption_states_that_only_the_first_rows_are_drawn(found, kind):
    for top in (2, 3):
        ax = found().plot(top=top)
        assert len(row_labels(ax)) == top
        assert caption_of(ax).startswith(f"the first {top} of 3 {kind}") == (top < 3)
    with pytest.raises(InvalidInputError, match="`top` must be an integer of at least 1"):
        found().plot(top=0)
