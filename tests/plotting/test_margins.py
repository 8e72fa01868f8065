"""Notes and ticks around plots."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from rankagg.plotting.sheet import (
    caption_of,
    letters_across,
    note_height,
    rank_ticks,
    widest,
    write_below,
)
from rankagg.plotting.theme import canvas
from rankagg.testing.plots import below, collisions, cut_off, of_group


@pytest.mark.parametrize(
    ("n", "ticks"),
    [
        (1, [1]), (3, [1, 2, 3]), (12, list(range(1, 13))), (13, [1, 5, 10]),
        (60, [1, *range(5, 61, 5)]), (61, [1, 10, 20, 30, 40, 50, 60]),
        (105, [1, *range(10, 101, 10)]), (130, [1, *range(20, 121, 20)]),
        (500, [1, *range(50, 501, 50)]),
    ],
)  # fmt: skip
def test_ticks_are_few_and_round(n, ticks) -> None:
    assert rank_ticks(n) == ticks
    assert len(rank_ticks(12345)) <= 14


@pytest.mark.parametrize("letter", ["i", "n", "W"])
def test_notes_are_as_wide_as_they_may(letter) -> None:
    sentences = [f"{letter * 7} " * 20, "", "W" * 400, "short"]
    ax = canvas(None, 26, 10 + note_height(sentences, 20))
    ax.set(xticks=[], yticks=[])
    write_below(ax, sentences, 20)
    ax.figure.canvas.draw()
    (caption,) = of_group(ax, "caption")
    box = caption.get_window_extent()
    size = mpl.rcParams["font.size"] * ax.figure.dpi / 72
    assert box.width <= 20.3 * size
    assert box.height <= note_height(sentences, 20) * size
    assert not cut_off(ax)
    assert not collisions(ax)
    assert "short" in below(ax).splitlines()
    assert "" not in below(ax).splitlines()


def test_notes_of_given_axes_are_as_wide_as_these() -> None:
    _, ax = plt.subplots(figsize=(4, 3))
    write_below(ax, ["many words " * 15])
    ax.figure.canvas.draw()
    (caption,) = of_group(ax, "caption")
    assert caption.get_window_extent().width <= 1.02 * ax.get_window_extent().width
    points = letters_across(ax) * mpl.rcParams["font.size"]
    assert points == pytest.approx(ax.get_position().width * 4 * 72)


def test_percent_signs_stay_with_their_numbers() -> None:
    _, ax = plt.subplots()
    for width in range(8, 30):
        write_below(ax, ["intervals of 95 % for all of these places at 99.9 % at once"], width)
        assert not any(line.lstrip().startswith("%") for line in below(ax).splitlines())


def test_formulas_in_notes_are_plain_text() -> None:
    _, ax = plt.subplots()
    write_below(ax, ["$x^2$ and $\\bad{$"], 30)
    ax.figure.canvas.draw()
    assert below(ax) == "$x^2$ and $\\bad{$"


def test_captions_stand_below_the_label_of_the_axis_and_are_not_part_of_it() -> None:
    _, ax = plt.subplots(layout="constrained")
    write_below(ax, ["an old caption"], 30, axis="old")
    write_below(ax, ["a caption"], 30, axis="seconds")
    assert ax.get_xlabel() == "seconds"
    assert caption_of(ax) == "a caption"
    assert below(ax) == "seconds\na caption"
    ax.figure.canvas.draw()
    (caption,) = of_group(ax, "caption")
    assert caption.get_window_extent().y1 < ax.xaxis.label.get_window_extent().y0
    assert not cut_off(ax)
    write_below(ax, [], 30, axis="seconds")
    assert caption_of(ax) == ""


def test_widths_follow_the_font_and_not_the_size_of_letters() -> None:
    lines = ["iiiiiiii", "i"]
    usual = widest(lines)
    with mpl.rc_context({"font.family": "DejaVu Sans Mono"}):
        assert widest(lines) > 1.5 * usual
    with mpl.rc_context({"font.size": 3 * mpl.rcParams["font.size"]}):
        assert widest(lines) == pytest.approx(usual, rel=0.05)
    assert widest(lines) == usual


def test_a_caption_beyond_its_axes_is_in_a_file_that_is_cut_to_its_content() -> None:
    figure, ax = plt.subplots(figsize=(3, 3), layout="constrained")
    write_below(ax, ["a caption that is much longer than the axes are wide " * 2], 99)
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    (caption,) = ax.texts
    inches = caption.get_window_extent(renderer).width / figure.dpi
    assert figure.get_tightbbox(renderer).width >= inches > 3
    write_below(ax, ["short"])
    assert figure.get_tightbbox(renderer).width < 3.1
