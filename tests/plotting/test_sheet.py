"""Sheets: sizes of new figures, notes, and ticks."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from rankagg.plotting.sheet import PlotSheet, rank_ticks
from tests.plotting.reading import below, caption_of, collisions, cut_off, of_group


@pytest.mark.parametrize(
    ("n", "ticks"),
    [
        (1, [1]), (3, [1, 2, 3]), (12, list(range(1, 13))), (13, [1, 5, 10]),
        (60, [1, *range(5, 61, 5)]), (61, [1, 10, 20, 30, 40, 50, 60]),
        (105, [1, *range(10, 101, 10)]), (130, [1, *range(20, 121, 20)]),
        (500, [1, *range(50, 501, 50)]),
    ],
)  # fmt: skip
def test_ticks_are_few_and_round(n, ticks):
    assert rank_ticks(n) == ticks
    assert len(rank_ticks(12345)) <= 14


@pytest.mark.parametrize("letter", ["i", "W"])
def test_notes_are_as_wide_as_new_axes_and_the_figure_as_high_as_they_need(letter):
    sheet = PlotSheet(None, 20, 8)
    sheet.ax.set(xticks=[], yticks=[])
    ax = sheet.finish([f"{letter * 7} " * 20, "", "W" * 400, "short"])
    ax.figure.canvas.draw()
    (caption,) = of_group(ax, "caption")
    size = mpl.rcParams["font.size"] * ax.figure.dpi / 72
    assert caption.get_window_extent().width <= 20.3 * size
    assert ax.get_window_extent().width == pytest.approx(20 * size, rel=0.1)
    assert ax.get_window_extent().height == pytest.approx(8 * size, rel=0.1)
    assert not cut_off(ax)
    assert not collisions(ax)
    assert "short" in below(ax).splitlines()
    assert "" not in below(ax).splitlines()


def test_notes_of_given_axes_are_as_wide_as_these():
    _, ax = plt.subplots(figsize=(4, 3))
    sheet = PlotSheet(ax, 99, 99)
    sheet.finish(["many words " * 15])
    ax.figure.canvas.draw()
    (caption,) = of_group(ax, "caption")
    assert caption.get_window_extent().width <= 1.02 * ax.get_window_extent().width
    points = sheet.across * mpl.rcParams["font.size"]
    assert points == pytest.approx(ax.get_position().width * 4 * 72)


def test_percent_signs_stay_with_their_numbers_and_formulas_are_plain_text():
    for inches in (1.5, 2, 3, 4):
        _, ax = plt.subplots(figsize=(inches, 2))
        PlotSheet(ax, 9, 9).finish(["intervals of 95 % for all of these places at 99.9 % at once"])
        assert not any(line.lstrip().startswith("%") for line in below(ax).splitlines())
    ax = PlotSheet(None, 30, 9).finish(["$x^2$ and $\\bad{$"])
    ax.figure.canvas.draw()
    assert below(ax) == "$x^2$ and $\\bad{$"


def test_captions_are_below_the_axis_label_and_separate_from_it():
    _, ax = plt.subplots(layout="constrained")
    PlotSheet(ax, 30, 9).finish(["an old caption"], axis="old")
    PlotSheet(ax, 30, 9).finish(["a caption"], axis="seconds")
    assert ax.get_xlabel() == "seconds"
    assert caption_of(ax) == "a caption"
    assert below(ax) == "seconds\na caption"
    ax.figure.canvas.draw()
    (caption,) = of_group(ax, "caption")
    assert caption.get_window_extent().y1 < ax.xaxis.label.get_window_extent().y0
    assert not cut_off(ax)
    PlotSheet(ax, 30, 9).finish(axis="seconds")
    assert caption_of(ax) == ""
