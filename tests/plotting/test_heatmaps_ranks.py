"""Heat maps of ranks: every cell holds the share that belongs to its item and rank."""

from functools import cache

import numpy as np
import pytest
from matplotlib.colors import to_rgba

import rankagg as ra
from rankagg.analysis.robustness.rank_shares import RankShares, Span
from rankagg.plotting.heatmaps import percent_told
from rankagg.testing.plots import collisions, of_group
from tests.plotting.reading import column_labels, notes, row_labels


@cache
def of_sports():
    law = ra.Mallows(["soccer", "judo", "golf", "ski"], theta=0.4)
    return ra.rank_shares(law.sample(20, rng=1), n_resamples=50, rng=0)


def by_hand(best, worst, *, proved=True, items=None, rule=None):
    """Return shares of resamples that leave these places."""
    spans = [
        Span(np.array(low), np.array(high), np.array(low) == 1, proved)
        for low, high in zip(best, worst, strict=True)
    ]
    names = ra.ItemSet("ABCDEFGH"[: len(best[0])] if items is None else items)
    return RankShares._of_spans(names, rule or ra.Kemeny(), "ranking", spans)


def cells(ax):
    """Return the drawn matrix, by row and rank, from where it is on the axes."""
    (image,) = of_group(ax, "shares")
    left, right, bottom, top = image.get_extent()
    data = np.asarray(image.get_array())
    n = len(data)
    assert (left, right, bottom, top) == (0.5, n + 0.5, n - 0.5, -0.5)
    return data


def test_cells_are_the_shares_in_the_order_of_mean_places():
    shares = of_sports()
    ax = shares.plot()
    frame = shares.ranks()
    np.testing.assert_array_equal(cells(ax), frame.to_numpy())
    assert row_labels(ax) == list(shares.to_frame().index)
    assert column_labels(ax) == ["1", "2", "3", "4"]
    bottom, top = ax.get_ylim()
    assert bottom > top
    assert ax.get_xlim() == (0.5, 4.5)


def test_numbers_are_percent_of_the_cell_they_stand_in():
    shares = by_hand([[1, 2, 3]] * 3 + [[2, 1, 3]], [[1, 2, 3]] * 3 + [[2, 1, 3]])
    ax = shares.plot()
    numbers = {text.get_position(): text.get_text() for text in of_group(ax, "share")}
    assert numbers == {
        (1, 0): "75", (2, 0): "25", (1, 1): "25", (2, 1): "75", (3, 2): "100",
    }  # fmt: skip


def test_numbers_are_legible_on_every_color():
    ax = of_sports().plot()
    (image,) = of_group(ax, "shares")
    for text in of_group(ax, "share"):
        column, row = text.get_position()
        ground = image.cmap(image.norm(cells(ax)[round(row), round(column) - 1]))
        light = np.array([0.2126, 0.7152, 0.0722])
        contrast = abs(light @ (np.array(to_rgba(text.get_color())) - ground)[:3])
        assert contrast > 0.35


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.001, "<1"), (0.0049, "<1"), (0.0051, "1"), (0.5, "50"), (0.994, "99"), (0.996, ">99"),
     (1.0, "100"), (1 - 1e-15, "100")],
)  # fmt: skip
def test_percent_is_never_rounded_to_none_or_all(share, text):
    assert percent_told(share) == text


def test_equal_parts_of_several_places_are_said():
    shares = by_hand([[1, 1, 3]] * 2, [[2, 2, 3]] * 2)
    ax = shares.plot()
    np.testing.assert_allclose(cells(ax), [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]])
    assert "2 of 2 resamples have more than one optimum" in notes(ax)
    assert "leaves several ranks, equal parts" in notes(ax)
    assert "equal parts" not in notes(by_hand([[1, 2]], [[1, 2]]).plot())


def test_resamples_without_a_place_have_a_hatched_column():
    places = [[0, 1, 2], [0, 1, 0], [0, 1, 2], [0, 2, 1]]
    shares = by_hand(places, places, rule=ra.Mean())
    ax = shares.plot()
    names = row_labels(ax)
    assert names == ["B", "C", "A"]
    patches = [of_group(ax, f"without-{row}")[0] for row in range(3)]
    assert [bool(patch.get_hatch()) for patch in patches] == [False, True, True]
    (image,) = of_group(ax, "shares")
    for patch, share in zip(patches, [0, 0.25, 1], strict=True):
        assert patch.get_facecolor() == to_rgba(image.cmap(image.norm(share)))
        assert patch.get_x() > 3.5
        assert patch.get_x() + 1 <= ax.get_xlim()[1]
    written = {t.get_position()[1]: t.get_text() for t in of_group(ax, "without-number")}
    assert written == {1: "25", 2: "100"}
    ticks = dict(zip(column_labels(ax), ax.get_xticks(), strict=True))
    assert ticks["–"] == patches[0].get_x() + 0.5  # noqa: RUF001
    assert "in 4 of 4 resamples some item has no rank" in notes(ax)
    np.testing.assert_allclose(cells(ax).sum(axis=1), [1, 0.75, 0])
    assert not collisions(ax)


def test_unproved_resamples_are_said():
    ax = by_hand([[1, 2]] * 3, [[1, 2]] * 3, proved=False).plot()
    assert "note: 3 of 3 resamples are not proved optimal: one ranking counts" in notes(ax)
    assert "not proved" not in notes(of_sports().plot())


def test_what_was_drawn_is_said():
    text = notes(of_sports().plot())
    assert text.startswith(
        "rank ranks by Kemeny in 50 resamples of rankings shares of resamples, not confidence; "
        "rows by mean rank"
    )


def test_the_colors_reach_to_the_largest_share():
    for share in (0.31, 0.55, 1.0):
        times = round(100 * share)
        rows = [[1, 2, 3, 4]] * times + [[4, 3, 2, 1]] * (100 - times)
        (image,) = of_group(by_hand(rows, rows).plot(), "shares")
        low, high = image.get_clim()
        assert low == 0
        most = max(share, 1 - share)
        assert most <= high < most + 0.1
