"""Heat maps: each number in its cell, in the drawn order."""

from functools import cache
from itertools import permutations

import numpy as np
import pytest

import rankagg as ra
from rankagg import plotting
from rankagg.analysis.robustness.rank_shares import _rank_shares
from rankagg.core import ItemSet
from rankagg.exceptions import ItemMismatchError
from rankagg.inference.ranks.rank_results import ranks_from_intervals
from rankagg.plotting.heatmaps import _percent_text, _tau_text
from tests.plotting.reading import (
    caption_of,
    cells_of,
    collisions,
    column_labels,
    faults,
    notes,
    of_group,
    one,
    row_labels,
)


def test_cells_show_the_shares_in_consensus_order():
    votes = ra.datasets.load("tennessee").pairwise()
    ax = plotting.pairwise_heatmap(votes)
    order = ["Nashville", "Chattanooga", "Knoxville", "Memphis"]
    at = votes.items.indices(order)
    expected = votes.proportion[np.ix_(at, at)]
    np.fill_diagonal(expected, np.nan)
    np.testing.assert_allclose(matrix(ax), expected)
    assert column_labels(ax) == order
    assert row_labels(ax) == [f"{place}  {name}" for place, name in enumerate(order, start=1)]
    numbers = {t.get_position(): t.get_text() for t in of_group(ax, "share")}
    assert numbers == {(j, i): f"{100 * expected[i, j]:.0f}" for i, j in permutations(range(4), 2)}


def test_majorities_that_the_consensus_contradicts_are_framed():
    ax = plotting.pairwise_heatmap(ra.datasets.load("condorcet_1785").pairwise())
    ((row, column),) = cells_of(of_group(ax, "against"))
    names = column_labels(ax)
    assert (names[row], names[column]) == ("B", "A")  # 33 of 60 have A above B
    borda = ra.Borda().aggregate(ra.datasets.load("borda_fails_condorcet"))
    assert len(of_group(plotting.pairwise_heatmap(borda.pairwise, borda), "against")) == 1


def test_the_caption_explains_the_marks_that_are_drawn():
    frame, hatched = "frame: below one half, against the order of rows", "hatched: never compared"
    ax = plotting.pairwise_heatmap(ra.datasets.load("condorcet_1785").pairwise())
    assert notes(ax) == frame
    votes = ra.Profile.from_ranks([[1, 2, np.nan], [np.nan, np.nan, 1]]).pairwise()
    order = ra.Permutation.from_order(votes.items)
    assert caption_of(plotting.pairwise_heatmap(votes, order)) == hatched
    # The pairs that nobody compared are in the last row.
    assert caption_of(plotting.pairwise_heatmap(votes, order, top=2)) == "the first 2 of 3 items"


def test_ranks_end_at_the_last_one_that_an_item_reaches():
    # These shares leave a rounding error at the sixth and the seventh rank.
    best, worst = np.array([2, 3, 2, 1]), np.array([4, 5, 4, 1])
    ends = np.tile(best[:, None], 7), np.tile(worst[:, None], 7)
    proved = np.ones(4, dtype=bool)
    shares = _rank_shares(ItemSet("ABCDEFG"), ra.Borda(), "ranking", *ends, is_proved=proved)
    assert matrix(plotting.rank_distribution_plot(shares, top=2)).shape == (2, 5)


@pytest.mark.parametrize(("policy", "hatched"), [("ignore", 4), ("uniform", 4), ("last", 0)])
def test_pairs_never_compared_are_hatched_under_every_policy(policy, hatched):
    profile = ra.Profile.from_ranks([[1, 2, np.nan], [np.nan, np.nan, 1]])
    ax = plotting.pairwise_heatmap(profile.with_unranked(policy).pairwise())
    assert len([p for p in ax.patches if p.get_hatch()]) == hatched
    assert np.isnan(matrix(ax)).sum() == 3 + hatched
    assert not [t for t in of_group(ax, "share") if "nan" in t.get_text()]


def test_rankings_and_decisions_are_of_the_same_items():
    votes, other = ra.datasets.load("tennessee").pairwise(), ra.Permutation.from_order("ABCD")
    none = np.zeros((4, 4), dtype=bool)
    decisions = ra.inference.Decisions(items=other.items, above=none, alpha=0.05, how="by hand")
    for options in ({"ranking": other}, {"decisions": decisions}):
        with pytest.raises(ItemMismatchError):
            plotting.pairwise_heatmap(votes, **options)


# -- estimated proportions ------------------------------------------------------------------------

INTERVALS = ra.PairwiseIntervals.from_data


@cache
def ballots():
    law = ra.PlackettLuce([2.0, 1.0, 0.9, 0.0, -1.5], items=["e", "c", "b", "d", "a"])
    return law.sample(60, rng=0)


def matrix(ax):
    """Return the drawn shares, NaN where masked."""
    (image,) = ax.get_images()
    return np.ma.filled(np.ma.asarray(image.get_array()).astype(float), np.nan)


def dots(ax):
    """Return the cells with a dot."""
    lines = of_group(ax, "decided")
    places = [(line.get_ydata()[0] - 0.1, line.get_xdata()[0]) for line in lines]
    found = {(round(y), round(x)) for y, x in places}
    assert len(found) == len(lines)
    return found


def order_of(ax):
    return [text.get_text().split("  ", 1)[1] for text in ax.get_yticklabels()]


def check(ax, intervals, above):
    """Check cells and dots against the intervals, in the drawn order."""
    order = intervals.items.indices(order_of(ax))
    expected = intervals.estimate[np.ix_(order, order)].copy()
    np.fill_diagonal(expected, np.nan)
    np.testing.assert_array_equal(matrix(ax), expected)
    assert dots(ax) == set(map(tuple, np.argwhere(above[np.ix_(order, order)]).tolist()))


def test_rows_are_in_the_order_of_places_with_dots_on_decided_pairs():
    intervals = INTERVALS(ballots())
    ax = plotting.intervals_heatmap(intervals)
    ranks = ranks_from_intervals(intervals)
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


# -- shares of ranks ------------------------------------------------------------------------------


@cache
def of_sports():
    law = ra.Mallows(["soccer", "judo", "golf", "ski"], theta=0.4)
    return ra.rank_shares(law.sample(20, rng=1), n_resamples=50, rng=0)


def by_hand(best, worst, *, proved=True, items=None, rule=None):
    """Return shares of resamples that leave these places."""
    names = ra.ItemSet("ABCDEFGH"[: len(best[0])] if items is None else items)
    ends, known = (np.array(best), np.array(worst)), np.full(len(best), proved)
    return _rank_shares(names, rule or ra.Kemeny(), "ranking", *ends, is_proved=known)


def cells(ax):
    """Return the drawn matrix, by row and rank, from where it is on the axes."""
    image = one(ax, "shares")
    data = np.asarray(image.get_array())
    n = len(data)
    assert tuple(image.get_extent()) == (0.5, n + 0.5, n - 0.5, -0.5)
    return data


def test_cells_are_the_shares_in_the_order_of_mean_places():
    shares = of_sports()
    ax = shares.plot()
    np.testing.assert_array_equal(cells(ax), shares.ranks().to_numpy())
    assert row_labels(ax) == list(shares.to_frame().index)
    assert column_labels(ax) == ["1", "2", "3", "4"]
    bottom, top = ax.get_ylim()
    assert bottom > top
    assert ax.get_xlim() == (0.5, 4.5)


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.001, "<1"), (0.0049, "<1"), (0.0051, "1"), (0.5, "50"), (0.994, "99"), (0.996, ">99"),
     (1.0, "100"), (1 - 1e-15, "100")],
)  # fmt: skip
def test_percentages_are_never_rounded_to_0_or_100(share, text):
    assert _percent_text(share) == text


def test_resamples_without_a_place_have_a_column():
    places = [[0, 1, 2], [0, 1, 0], [0, 1, 2], [0, 2, 1]]
    ax = by_hand(places, places, rule=ra.Mean()).plot()
    assert row_labels(ax) == ["B", "C", "A"]
    drawn = np.ma.filled(one(ax, "shares").get_array(), np.nan)
    np.testing.assert_allclose(drawn[:, 3:], [[np.nan, 0], [np.nan, 0.25], [np.nan, 1]])
    np.testing.assert_allclose(drawn[:, :3].sum(axis=1), [1, 0.75, 0])
    written = {t.get_position(): t.get_text() for t in of_group(ax, "share")}
    assert (written[5, 1], written[5, 2]) == ("25", "100")
    assert dict(zip(column_labels(ax), ax.get_xticks(), strict=True))["\N{EN DASH}"] == 5
    assert "in 4 of 4 resamples some item has no rank" in notes(ax)
    assert not collisions(ax)


def test_unproved_resamples_are_noted():
    ax = by_hand([[1, 2]] * 3, [[1, 2]] * 3, proved=False).plot()
    assert "note: 3 of 3 resamples are not proved optimal: one ranking counts" in notes(ax)
    text = notes(of_sports().plot())
    assert "not proved" not in text
    assert text.startswith(
        "rank ranks by Kemeny in 50 resamples of rankings shares of resamples, not confidence; "
        "rows by mean rank"
    )


# -- agreement of tasks ---------------------------------------------------------------------------


def table(values, tasks=None):
    return ra.ScoreTable(values, tasks=tasks, higher_is_better=True)


def test_tasks_that_agree_with_all_others_are_on_top():
    found = ra.analysis.task_agreement(ra.datasets.load("superglue_human"))
    ax = found.plot()
    names = row_labels(ax)
    rest = dict(zip(found.tasks, found.with_rest, strict=True))
    assert [rest[name] for name in names] == sorted(rest.values(), reverse=True)
    assert column_labels(ax) == ["all others", *names]
    texts = of_group(ax, "tau")
    assert len(texts) == 10 * 10  # nine pairs of each task, and all others
    tau = found.pairs().assign(**{"all others": found.with_rest})
    ticks = dict(zip(ax.get_xticks(), column_labels(ax), strict=True))
    for text in texts:
        x, y = text.get_position()
        assert text.get_text() == _tau_text(tau.loc[names[int(y)], ticks[x]])
    assert notes(ax).startswith("10 tasks on 6 systems; Kendall's W 0.52, mean tau of two tasks")
    assert faults(ax) == []


def test_unknown_agreement_is_hatched_and_last():
    gap = np.nan
    rows = [[1, 2, gap, 1], [2, 3, gap, 1], [3, 1, gap, 1], [4, 4, 5, 1]]
    ax = ra.analysis.task_agreement(table(rows, ["x", "y", "one score", "all tied"])).plot()
    assert set(row_labels(ax)[2:]) == {"one score", "all tied"}
    hatched = [p for p in ax.patches if (p.get_gid() or "").startswith("unknown")]
    assert len(hatched) == 10 + 2  # all of two rows and columns but the diagonal, and all others
    assert "hatched" in notes(ax)
    assert "3 scores missing" in notes(ax)
    assert "hatched" not in notes(ra.analysis.task_agreement(table([[1, 2], [2, 3]])).plot())


def test_numbers_are_shown_with_two_digits():
    minus = "\N{MINUS SIGN}"
    values = (1.0, -1.0, 0.0, -0.001, 0.456, -0.5, 0.999)
    shown = ["1", f"{minus}1", "0", "0", ".46", f"{minus}.50", "1"]
    assert [_tau_text(value) for value in values] == shown
