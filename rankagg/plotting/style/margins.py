"""What stands around a plot: notes below it, and ranks along its axis."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from rankagg.core.items import shortened
from rankagg.plotting.style.letters import widest

__all__ = [
    "add_height",
    "caption_of",
    "letters_across",
    "note_height",
    "rank_ticks",
    "write_below",
]

# The width of a small letter, in multiples of the font size.
LETTER = 0.48
# Notes are cut to so many letters, and lines are no shorter than so many.
LONGEST, NARROWEST = 400, 12
CAPTION = "caption"


def letters_across(ax: Axes) -> float:
    """Return the width of axes in multiples of the font size."""
    points: float = ax.get_window_extent().width * 72 / ax.figure.dpi
    return points / float(mpl.rcParams["font.size"])


def note_height(sentences: Iterable[str], width: float) -> float:
    """Return how high notes of that width are, in multiples of the font size."""
    return 1.4 * len(_lines(sentences, width))


def add_height(ax: Axes, height: float) -> None:
    """Make the figure higher, by multiples of the font size."""
    figure = ax.get_figure(root=True)
    assert figure is not None, "drawn axes are in a figure"
    width, old = figure.get_size_inches()
    figure.set_size_inches(width, old + height * float(mpl.rcParams["font.size"]) / 72)


def write_below(
    ax: Axes, sentences: Iterable[str], width: float | None = None, *, axis: str = ""
) -> None:
    """Write a caption below the axes, from the left, each sentence on lines of its own.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where; a caption that is there already is replaced.
    sentences : iterable of str
        Empty ones are left out. Labels in them are plain text.
    width : float, optional
        How long lines may be, in multiples of the font size; as wide as the axes by default.
    axis : str
        The quantity along the axis, above the caption.
    """
    ax.set_xlabel(axis, parse_math=False)
    for old in [text for text in ax.texts if text.get_gid() == CAPTION]:
        old.remove()
    lines = _lines(sentences, letters_across(ax) if width is None else width)
    if not lines:
        return
    gap = 0.5 * float(mpl.rcParams["font.size"]) if axis else 0.0
    # The label of the axis moves with its ticks, and the caption moves with the label.
    caption = _Caption(
        "\n".join(lines), (0.0, 0.0), (0.0, -gap), xycoords=("axes fraction", ax.xaxis.label),
        textcoords="offset points", ha="left", va="top", annotation_clip=False, gid=CAPTION,
        parse_math=False, fontsize="medium", clip_on=False,
    )  # fmt: skip
    ax.add_artist(caption)
    figure = ax.get_figure(root=True)
    assert figure is not None, "drawn axes are in a figure"
    figure.add_artist(_Room(caption))


class _Caption(Annotation):
    """A caption that is no wider than its axes for the layout.

    What stands beside axes narrows them: a caption beyond them would do so again at every drawing.
    """

    def get_tightbbox(self, renderer: RendererBase | None = None) -> Bbox:
        box = self.get_window_extent(renderer)
        assert self.axes is not None, "a caption is on axes"
        across = self.axes.get_window_extent(renderer)
        low, high = np.clip([box.x0, box.x1], across.x0, across.x1)
        return Bbox.from_extents(low, box.y0, high, box.y1)


class _Room(Artist):
    """The whole place of a caption, which pictures that are cut to their content keep."""

    def __init__(self, caption: _Caption) -> None:
        super().__init__()
        self._caption = caption

    def draw(self, renderer: RendererBase) -> None:
        """Draw nothing: the caption draws itself."""

    def get_tightbbox(self, renderer: RendererBase | None = None) -> Bbox:
        is_there = self._caption.axes is not None and self._caption.figure is not None
        return self._caption.get_window_extent(renderer) if is_there else Bbox.null()


def caption_of(ax: Axes) -> str:
    """Return the caption below axes, empty where there is none."""
    return next((text.get_text() for text in ax.texts if text.get_gid() == CAPTION), "")


def _lines(sentences: Iterable[str], width: float) -> list[str]:
    # "95 %" stays on one line.
    texts = [shortened(text, LONGEST).replace(" %", "\N{NO-BREAK SPACE}%") for text in sentences]
    letters = max(NARROWEST, int(width / LETTER))
    while True:
        lines = [line for text in texts for line in wrap(text, letters)]
        if letters <= NARROWEST or all(widest([line]) <= width for line in lines):
            return lines
        letters -= 1


def rank_ticks(n: int) -> list[int]:
    """Return the ranks to print along an axis: all of few, else the first and round ones."""
    if n <= 12:
        return list(range(1, n + 1))
    step, factors = 5, [2.0, 2.0, 2.5]
    while n / step > 12:
        step = round(step * factors[0])
        factors = [*factors[1:], factors[0]]
    return [1, *range(step, n + 1, step)]
