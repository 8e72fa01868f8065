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
    "lines_of",
    "name_letters",
    "note_height",
    "number_size",
    "rank_ticks",
    "write_below",
]

# The width of a small letter, in multiples of the font size.
LETTER = 0.48
# That of a wide one, and how many letters are left of a name at least.
WIDE_LETTER, LEAST_NAME = 0.6, 8
# Numbers are at least so large, in multiples of the font size.
SMALLEST = 0.55
# Notes are cut to so many letters, and lines are no shorter than so many.
LONGEST, NARROWEST = 400, 12
CAPTION = "caption"


def letters_across(ax: Axes) -> float:
    """Return the width of axes in multiples of the font size, laid out with what is drawn."""
    figure = ax.get_figure(root=True)
    assert figure is not None, "drawn axes are in a figure"
    layout = figure.get_layout_engine()
    if layout is not None:
        layout.execute(figure)
    points: float = ax.get_window_extent().width * 72 / ax.figure.dpi
    return points / float(mpl.rcParams["font.size"])


def name_letters(ax: Axes | None, most: int = 32, *, share: float = 0.45) -> int:
    """Return how many letters names beside a plot may have.

    Parameters
    ----------
    ax : matplotlib.axes.Axes or None
        The given axes; without them, the figure fits its names.
    most : int, default 32
        No more than so many.
    share : float, default 0.45
        How much of the width names may take.

    Returns
    -------
    int
    """
    if not isinstance(ax, Axes):
        return most
    letters = share * letters_across(ax) / WIDE_LETTER
    return int(np.clip(letters, LEAST_NAME, most))


def number_size(
    ax: Axes, numbers: Iterable[str], shape: tuple[int, float], usual: float
) -> float | None:
    """Return how large numbers in the cells of given axes may be.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where they are; names and color bars beside them are there already.
    numbers : iterable of str
        All of them.
    shape : tuple of int and float
        How many cells are above and beside each other.
    usual : float
        How large they are where there is room, in multiples of the font size.

    Returns
    -------
    float or None
        None where nobody could read them.
    """
    across = letters_across(ax)
    box = ax.get_window_extent()
    high = across * box.height / box.width / shape[0]
    wide = across / shape[1]
    size = min(usual, (wide - 0.3) / max(widest(numbers), 0.1), (high - 0.1) / 1.25)
    return None if size < SMALLEST else size


def note_height(sentences: Iterable[str], width: float) -> float:
    """Return how high notes of that width are, in multiples of the font size."""
    return 1.4 * len(lines_of(sentences, width))


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
    if width is None:
        width = letters_across(ax)
        axis = "\n".join(lines_of([axis], width))
    ax.set_xlabel(axis, parse_math=False)
    for old in [text for text in ax.texts if text.get_gid() == CAPTION]:
        old.remove()
    lines = lines_of(sentences, width)
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


def lines_of(sentences: Iterable[str], width: float) -> list[str]:
    """Break sentences into lines no wider than that, in multiples of the font size."""
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
