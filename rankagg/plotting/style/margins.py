"""What stands around a plot: notes below it, and ranks along its axis."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap

import matplotlib as mpl
from matplotlib.axes import Axes

from rankagg.core.items import shortened
from rankagg.plotting.style.letters import widest

__all__ = [
    "add_height",
    "letters_across",
    "note_height",
    "rank_ticks",
    "write_below",
]

# The width of a small letter, in multiples of the font size.
LETTER = 0.48
# Notes are cut to so many letters, and lines are no shorter than so many.
LONGEST, NARROWEST = 400, 12


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


def write_below(ax: Axes, sentences: Iterable[str], width: float | None = None) -> None:
    """Write sentences below the axes, from the left, each on lines of its own.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where.
    sentences : iterable of str
        Empty ones are left out. Labels in them are plain text.
    width : float, optional
        How long lines may be, in multiples of the font size; as wide as the axes by default.
    """
    lines = _lines(sentences, letters_across(ax) if width is None else width)
    ax.set_xlabel("\n".join(lines), loc="left", parse_math=False)


def _lines(sentences: Iterable[str], width: float) -> list[str]:
    # "95 %" stays on one line.
    texts = [shortened(text, LONGEST).replace(" %", "\N{NO-BREAK SPACE}%") for text in sentences]
    letters = max(NARROWEST, int(width / LETTER))
    while True:
        lines = [line for text in texts for line in wrap(text, letters)]
        if letters <= NARROWEST or widest(lines) <= width:
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
