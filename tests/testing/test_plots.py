"""The contract of plots finds the faults of a plot."""

from collections.abc import Callable

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.offsetbox import AnnotationBbox, DrawingArea

from rankagg import plotting
from rankagg.testing.plots import WIDE, Picture, PlotContract, _faults_on_given_axes, _observed
from tests.plotting.reading import collisions, cut_off

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _look():
    with plotting.style():
        yield
    plt.close("all")


def plain(ax):
    """Draw a line and its name."""
    ax = plt.subplots()[1] if ax is None else ax
    ax.plot([1, 2, 3], gid="line")
    ax.text(1, 2, "a name")
    return ax


def forgets_its_axes(ax):
    return plain(None)


def opens_two(ax):
    plt.figure()
    return plain(ax)


def changes_settings(ax):
    mpl.rcParams["font.size"] = 31
    return plain(ax)


def overlaps(ax):
    ax = plain(ax)
    ax.text(1.01, 2.01, "another name")
    return ax


def cuts(ax):
    ax = plain(ax)
    ax.text(2.1, 1, "a name that runs far beyond the right edge of the figure" * 3)
    return ax


def leaves_out(ax):
    ax = plain(ax)
    ax.texts[0].remove()
    return ax


def other_data(ax):
    ax = plain(ax)
    ax.lines[0].set_ydata([1, 2, 4])
    return ax


def drifts(ax):
    """Draw a box beyond axes that make room for it, again at every drawing."""
    if ax is None:
        ax = plt.subplots(layout="constrained")[1]
    lines = ax.plot([1, 2, 3], gid="line")
    ax.text(1, 2, "a name")
    ax.figure.legend(lines, ["what takes much room beside"], loc="outside right upper")
    ax.figure.draw_without_rendering()
    points = ax.bbox.width * 72 / ax.figure.dpi
    wide = AnnotationBbox(
        DrawingArea(points + 15, 9), (0, -40),
        xycoords="axes pixels", box_alignment=(0, 1), frameon=False, pad=0,
    )  # fmt: skip
    ax.add_artist(wide).set_clip_on(False)
    return ax


LINE: Callable = lambda ax: ax.lines[0].get_ydata()  # noqa: E731
ON_GIVEN_AXES = "test_given_axes_hold_all_texts"
TESTS = [name for name in vars(PlotContract) if name.startswith("test_") and name != ON_GIVEN_AXES]
BREAKS = {
    plain: set(),
    forgets_its_axes: {
        "test_draws_on_new_axes_and_on_given_ones",
        "test_opens_one_figure_and_none_on_given_axes",
    },
    opens_two: {"test_opens_one_figure_and_none_on_given_axes"},
    changes_settings: {"test_leaves_the_settings_of_matplotlib_alone"},
    overlaps: {"test_no_two_texts_overlap_and_none_is_cut_off"},
    cuts: {"test_no_two_texts_overlap_and_none_is_cut_off"},
    leaves_out: {"test_labels_are_there"},
    drifts: {"test_drawing_again_moves_nothing"},
    other_data: {"test_data_drawn_are_the_data_given"},
}
# Where another one tries the same test.
ALIKE = {opens_two, cuts}


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(draw, id=draw.__name__, marks=pytest.mark.slow if draw in ALIKE else ())
        for draw in BREAKS
    ],
)
def test_each_fault_fails_its_own_test(draw) -> None:
    seen = _observed(Picture(draw, ["a name"], LINE, [1, 2, 3]))
    red = set()
    for name in TESTS:
        try:
            getattr(PlotContract(), name)(seen=seen)
        except AssertionError:
            red.add(name)
    assert red == BREAKS[draw]


@pytest.mark.parametrize(
    ("draw", "fault"),
    [
        (overlaps, "'a name' on 'another name'"),
        pytest.param(cuts, "is cut off", marks=pytest.mark.slow),
        pytest.param(drifts, "axes move when they are drawn again", marks=pytest.mark.slow),
    ],
)
def test_faults_on_given_axes_are_found(draw, fault) -> None:
    assert _faults_on_given_axes(Picture(plain)) == []
    assert any(fault in found for found in _faults_on_given_axes(Picture(draw), WIDE))


def test_changed_text_is_laid_out_again() -> None:
    ax = plain(None)
    assert (collisions(ax), cut_off(ax)) == ([], [])
    text = ax.text(1.01, 2.01, "another name")
    assert collisions(ax)
    text.set_position((40, 1))
    assert not collisions(ax)
    assert cut_off(ax) == ["another name"]
    ax.set_xlim(0, 50)
    assert not cut_off(ax)


def test_texts_are_where_the_layout_puts_them() -> None:
    _, ax = plt.subplots(layout="constrained")
    ax.set_yticks([0.5], ["a name of a row that needs more room than there is"])
    assert not cut_off(ax)
