"""Heat maps of estimated proportions: order, shares and dots are those of the intervals."""

from functools import cache

import numpy as np

import rankagg as ra
from rankagg.testing.plots import of_group
from tests.plotting.reading import column_labels, faults, notes, row_labels

INTERVALS = ra.PairwiseIntervals.from_data


@cache
def ballots():
    law = ra.PlackettLuce([2.0, 1.0, 0.9, 0.0, -1.5], items=["e", "c", "b", "d", "a"])
    return law.sample(60, rng=0)


@cache
def with_gaps():
    rows = [
        *([ra.PartialRanking.from_buckets(["A", "B"], items="ABCD")] * 8),
        *([ra.PartialRanking.from_buckets(["B", "C"], items="ABCD")] * 8),
        ra.PartialRanking.from_buckets(["C", "D"], items="ABCD"),
    ]
    return ra.Profile(rows)


def matrix(ax):
    """Return the drawn shares, NaN where masked."""
    (image,) = ax.get_images()
    return np.ma.filled(np.ma.asarray(image.get_array()).astype(float), np.nan)


def dots(ax):
    """Return the cells with a dot."""
    found = {
        (round(float(line.get_ydata()[0]) - 0.1), round(float(line.get_xdata()[0])))
        for line in of_group(ax, "decided")
    }
    assert len(found) == len(of_group(ax, "decided"))
    return found


def order_of(ax):
    return [text.get_text().split("  ", 1)[1] for text in ax.get_yticklabels()]


def check(ax, intervals, above):
    """Check cells and dots against the intervals, in the drawn order."""
    order = intervals.items.indices(order_of(ax))
    expected = intervals.estimate[np.ix_(order, order)].copy()
    np.fill_diagonal(expected, np.nan)
    np.testing.assert_array_equal(matrix(ax), expected)
    decided = {(i, j) for i, j in np.argwhere(above[np.ix_(order, order)]).tolist()}
    assert dots(ax) == decided


def test_rows_are_in_the_order_of_places_with_dots_on_decided_pairs():
    intervals = INTERVALS(ballots())
    ax = intervals.plot()
    ranks = ra.inference.RankIntervals.from_intervals(intervals)
    assert order_of(ax) == list(ranks.to_frame().index)
    decisions = intervals.decisions()
    assert 0 < decisions.above.sum() < 10
    check(ax, intervals, decisions.above)
    assert column_labels(ax) == order_of(ax)
    assert notes(ax) == (
        "dot: decided by Holm's procedure on Hoeffding p-values, family-wise error rate at "
        "most 0.05; rows by majorities lost"
    )
    bar = ax.get_images()[0].colorbar
    assert bar.ax.get_ylabel() == "share of rankings\nwith row above column"


def test_imputed_proportions_decide_nothing():
    intervals = INTERVALS(with_gaps(), estimand="imputed")
    ax = intervals.plot()
    sums = dict(zip(intervals.items, intervals.estimate.sum(axis=1), strict=True))
    drawn = [sums[name] for name in order_of(ax)]
    assert drawn == sorted(drawn, reverse=True)
    check(ax, intervals, np.zeros((4, 4), dtype=bool))
    assert "cannot decide pairs; rows by mean proportion" in notes(ax)
    label = ax.get_images()[0].colorbar.ax.get_ylabel()
    assert label == "mean proportion\nwith row above column"


def test_anytime_intervals_decide_where_they_are_simultaneous():
    alone = INTERVALS(ballots(), anytime=True)
    check(alone.plot(), alone, np.zeros((5, 5), dtype=bool))
    joint = INTERVALS(ballots(), anytime=True, simultaneous="bonferroni")
    ax = joint.plot()
    above = joint.decisions("intervals").above
    assert above.any()
    check(ax, joint, above)
    assert "dot: decided by bonferroni hoeffding intervals" in notes(ax)


def test_pairs_never_compared_are_hatched():
    intervals = INTERVALS(with_gaps())
    ax = intervals.plot()
    check(ax, intervals, intervals.decisions().above)
    hatched = {
        (round(patch.get_y() + 0.5), round(patch.get_x() + 0.5))
        for patch in ax.patches
        if patch.get_hatch()
    }
    unknown = np.isnan(matrix(ax)) & ~np.eye(4, dtype=bool)
    assert unknown.sum() == 6
    assert hatched == set(map(tuple, np.argwhere(unknown).tolist()))
    assert "hatched: never compared" in notes(ax)
    assert "hatched" not in notes(INTERVALS(ballots()).plot())


def test_frames_are_explained_where_there_are_any():
    # A loses one majority, to D, and D loses two.
    rows = ["BCDA"] * 2 + ["DABC"] * 2 + ["ACBD"]
    intervals = INTERVALS(ra.Profile.from_orders(rows))
    ax = intervals.plot()
    order = intervals.items.indices(order_of(ax))
    share = intervals.estimate[np.ix_(order, order)]
    place = [int(text.get_text().split()[0]) for text in ax.get_yticklabels()]
    wrong = {
        (i, j) for i in range(4) for j in range(4) if place[i] < place[j] and share[i, j] < 0.5
    }
    framed = {
        (round(patch.get_y() + 0.44), round(patch.get_x() + 0.44))
        for patch in of_group(ax, "against")
    }
    assert framed == wrong
    assert ("frame: below one half" in notes(ax)) == bool(wrong)
    assert wrong
    assert "frame" not in notes(INTERVALS(ballots()).plot())


def test_three_items_have_room_for_the_notes():
    ax = INTERVALS(ra.datasets.load("condorcet_1785")).plot()
    assert faults(ax) == []
    # All lose one majority.
    assert row_labels(ax) == ["1  A", "1  B", "1  C"]
