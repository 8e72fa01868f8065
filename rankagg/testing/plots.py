"""Contract suite of plots, which reads texts, their boxes and data back from the drawing."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.text import Text
from matplotlib.transforms import BboxBase
from numpy.typing import ArrayLike

from rankagg._typing import Floats

__all__ = ["Picture", "PlotContract"]


Texts = list[tuple[str, BboxBase]]
# Common figure sizes in multiples of the font size: a column, and a strip across the page.
NARROW, WIDE = (30.0, 36.0), (81.0, 27.0)
# Keyed by identity, as data have no hash; values keep their pictures, so that ids stay unique.
_SEEN: dict[tuple[int, str], _Seen] = {}


def _texts(ax: Axes) -> Texts:
    """Return all visible texts of a figure, after layout, with their boxes in pixels."""
    figure: Any = ax.get_figure(root=True)
    # Boxes need the layout, but no pixels; an unchanged figure has its layout.
    if figure.stale:
        figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()  # of raster canvases
    unseen = _unused_tick_labels(figure.findobj(Axes))
    return [
        (text.get_text(), text.get_window_extent(renderer))
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and id(text) not in unseen
    ]


def _unused_tick_labels(all_axes: Sequence[Any]) -> set[int]:
    """Return the ids of labels that axes keep without a visible tick."""
    unseen = set()
    for axis in (axis for ax in all_axes for axis in (ax.xaxis, ax.yaxis)):
        kept = {id(text) for text in axis.findobj(Text)} - {id(axis.label), id(axis.offsetText)}
        ticks = axis._update_ticks() if axis.get_visible() else []
        unseen |= kept - {id(label) for tick in ticks for label in (tick.label1, tick.label2)}
    return unseen


def _overlaps(found: Texts, slack: float = 0.5) -> list[tuple[str, str]]:
    return [
        (one, two)
        for (one, first), (two, second) in combinations(found, 2)
        if min(first.x1, second.x1) - max(first.x0, second.x0) > slack
        and min(first.y1, second.y1) - max(first.y0, second.y0) > slack
    ]


def _beyond(found: Texts, size: tuple[float, float], slack: float = 1.0) -> list[str]:
    width, height = size
    return [
        text
        for text, box in found
        if box.x0 < -slack or box.y0 < -slack or box.x1 > width + slack or box.y1 > height + slack
    ]


def _faults(ax: Axes) -> list[str]:
    """Return the texts that overlap, and those that extend beyond the figure."""
    found = _texts(ax)
    beyond = _beyond(found, ax.figure.canvas.get_width_height())
    overlaps = [f"{one!r} on {two!r}" for one, two in _overlaps(found)]
    return [*overlaps, *(f"{text!r} is cut off" for text in beyond)]


@dataclass(frozen=True)
class Picture:
    """A plot to be tested, with its expected content.

    Attributes
    ----------
    draw : callable
        Takes `ax=`, as all plots do, and returns axes.
    labels : sequence of str
        Texts that must be visible and complete.
    drawn : callable, optional
        Reads the data back from the axes.
    data : array_like of float, optional
        The expected data.
    """

    draw: Callable[..., Axes]
    labels: Sequence[str] = ()
    drawn: Callable[[Axes], ArrayLike] | None = None
    data: ArrayLike = ()


@dataclass(frozen=True, eq=False)
class _Seen:
    """The observations of a picture drawn on new axes, and then on given ones."""

    picture: Picture
    is_axes: bool
    is_given: bool
    opened: int
    opened_on_given_axes: int
    kept_settings: bool
    data: Floats
    texts: Texts
    size: tuple[float, float]
    moved: float


def _observed(picture: Picture) -> _Seen:
    """Draw a picture on new axes, with pixels, and on given ones."""
    before, figures = mpl.rcParams.copy(), len(plt.get_fignums())
    new = picture.draw(ax=None)
    opened = len(plt.get_fignums()) - figures
    kept = mpl.rcParams == before
    figure: Any = new.get_figure(root=True)
    figure.canvas.draw()
    data = () if picture.drawn is None else picture.drawn(new)
    found = _texts(new)
    before_again = _places_of_axes(new)
    for _ in range(2):  # like a window and then a file
        figure.draw_without_rendering()
    moved = float(np.abs(_places_of_axes(new) - before_again).max())
    _, ax = plt.subplots()
    figures = len(plt.get_fignums())
    is_given = picture.draw(ax=ax) is ax
    return _Seen(
        picture=picture,
        is_axes=isinstance(new, Axes),
        is_given=is_given,
        opened=opened,
        opened_on_given_axes=len(plt.get_fignums()) - figures,
        kept_settings=kept,
        data=np.asarray(data, dtype=np.float64),
        texts=found,
        size=figure.canvas.get_width_height(),
        moved=moved,
    )


def _places_of_axes(ax: Axes) -> Floats:
    """Return the bounds of all axes of a figure, as fractions of its size."""
    figure: Any = ax.get_figure(root=True)
    return np.array([one.get_position().bounds for one in figure.axes])


def _faults_on_given_axes(picture: Picture, size: tuple[float, float] = NARROW) -> list[str]:
    """Return the faults of a picture on given axes: texts, warnings, and moving axes."""
    inches = np.array(size) * float(mpl.rcParams["font.size"]) / 72
    figure, ax = plt.subplots(figsize=inches, layout="constrained")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        picture.draw(ax=ax)
        found = _faults(ax)
        before = _places_of_axes(ax)
        figure.draw_without_rendering()
    # For instance: no room for axes.
    found += [str(warning.message) for warning in warned]
    if np.abs(_places_of_axes(ax) - before).max() >= 0.02:
        found.append("axes move when they are drawn again")
    return found


class PlotContract:
    """Tests of texts and data in plots, and of their side effects.

    Subclass it and set `pictures`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.plots import Picture, PlotContract
    >>> votes = ra.datasets.load("tennessee").pairwise()
    >>> class TestHeatmap(PlotContract):
    ...     pictures = (
    ...         Picture(lambda ax: ra.plotting.pairwise_heatmap(votes, ax=ax), ["Memphis"]),
    ...     )
    """

    pictures: ClassVar[tuple[Picture, ...]]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run every test with every picture."""
        if "picture" in metafunc.fixturenames:
            metafunc.parametrize("picture", self.pictures)

    @pytest.fixture(autouse=True)
    def _close_figures(self) -> Iterator[None]:
        yield
        plt.close("all")

    @pytest.fixture
    def seen(self, picture: Picture) -> _Seen:
        """Draw a picture once for all tests, in the current style."""
        key = (id(picture), repr(mpl.rcParams))
        if key not in _SEEN:
            _SEEN[key] = _observed(picture)
        return _SEEN[key]

    def test_draws_on_new_axes_and_on_given_ones(self, seen: _Seen) -> None:
        assert seen.is_axes
        assert seen.is_given

    def test_data_drawn_are_the_data_given(self, seen: _Seen) -> None:
        if seen.picture.drawn is not None:
            np.testing.assert_allclose(seen.data, np.asarray(seen.picture.data, dtype=float))

    def test_labels_are_there(self, seen: _Seen) -> None:
        shown = "\n".join(text for text, _ in seen.texts)
        assert [label for label in seen.picture.labels if label not in shown] == []

    def test_no_two_texts_overlap_and_none_is_cut_off(self, seen: _Seen) -> None:
        assert _overlaps(seen.texts) == []
        assert _beyond(seen.texts, seen.size) == []

    def test_drawing_again_moves_nothing(self, seen: _Seen) -> None:
        assert seen.moved < 0.02

    @pytest.mark.parametrize("size", [NARROW, WIDE], ids=["narrow", "wide"])
    def test_given_axes_hold_all_texts(self, seen: _Seen, size: tuple[float, float]) -> None:
        assert _faults_on_given_axes(seen.picture, size) == []

    def test_leaves_the_settings_of_matplotlib_alone(self, seen: _Seen) -> None:
        assert seen.kept_settings

    def test_opens_one_figure_and_none_on_given_axes(self, seen: _Seen) -> None:
        assert seen.opened_on_given_axes == 0
        assert seen.opened == 1
