"""The layout of plots: how wide texts are, legends, notes and ranks around axes, rows of items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from textwrap import wrap
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.font_manager import FontProperties
from matplotlib.text import Annotation
from matplotlib.textpath import text_to_path
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox, ScaledTranslation

from rankagg._typing import Bools, Floats
from rankagg.core.items import shortened
from rankagg.plotting.theme import ACCENTS, GRAY, INK

# Letters on a screen are set a little wider than in print.
HINTING = 1.05
# The room of a number along an axis.
TICK = 4.0
FONTS: Final = (
    "font.family", "font.sans-serif", "font.serif", "font.monospace", "font.style", "font.variant",
    "font.weight", "font.stretch",
)  # fmt: skip


def widest(texts: Iterable[str], size: float = 1.0) -> float:
    """Return the width of the widest text, in multiples of the font size."""
    points = float(mpl.rcParams["font.size"])
    # Which font it is depends on these alone.
    fonts = repr([mpl.rcParams[name] for name in FONTS])
    widths = [_width(line, points, fonts) for text in texts for line in text.splitlines()]
    return HINTING * size * max(widths, default=0.0) / points


@lru_cache(maxsize=4096)
def _width(line: str, points: float, fonts: str) -> float:
    """Return the width of a line in points; setting letters takes long, and lines come again."""
    font = FontProperties(size=points)
    width: float = text_to_path.get_text_width_height_descent(line, font, ismath=False)[0]
    return width


def round_ticks(
    low: float, high: float, *, whole: bool = False, room: float = np.inf
) -> list[float]:
    """Return some round numbers from `low` to `high`."""
    most = int(np.clip(room / TICK, 1, 8))
    ticks = MaxNLocator(nbins=most, integer=whole, min_n_ticks=1).tick_values(low, high)
    return [float(tick) for tick in ticks if low <= tick <= high]


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
    """Return how many letters names beside a plot may have."""
    if not isinstance(ax, Axes):
        return most
    letters = share * letters_across(ax) / WIDE_LETTER
    return int(np.clip(letters, LEAST_NAME, most))


def number_size(
    ax: Axes, numbers: Iterable[str], shape: tuple[int, float], usual: float
) -> float | None:
    """Return how large numbers in the cells of given axes may be."""
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
    """Write a caption below the axes, from the left, each sentence on lines of its own."""
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


# In multiples of the font size: a mark with the gap to its words, and the gap between columns.
MARK: Final = 2.4
BETWEEN: Final = 1.5
EDGE: Final = 0.3


def legend_above(
    ax: Axes, handles: Sequence[Any], *, new: bool, columns: int = 1, above: float = 0.0
) -> None:
    """Say above the axes what the marks mean."""
    labels = [str(handle.get_label()) for handle in handles]
    if not new:
        room = letters_across(ax) - 2 * EDGE
        while columns > 1 and _legend_width(labels, columns) > room:
            columns -= 1
        if columns == 1:
            labels = ["\n".join(lines_of([label], room - MARK)) for label in labels]
    figure = ax.get_figure(root=True)
    assert figure is not None, "drawn axes are in a figure"
    raised = ScaledTranslation(
        0.0, above * float(mpl.rcParams["font.size"]) / 72, figure.dpi_scale_trans
    )
    legend = ax.legend(
        handles=handles, labels=labels, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns,
        bbox_transform=ax.transAxes + raised, frameon=False, borderaxespad=0.0, borderpad=EDGE,
        handletextpad=MARK - 2.0, columnspacing=BETWEEN, fontsize="medium",
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)


def _legend_width(labels: Sequence[str], columns: int) -> float:
    """Return how wide a legend is, in multiples of the font size; marks go down its columns."""
    parts = [part for part in np.array_split(np.array(labels), columns) if len(part)]
    return sum(MARK + widest(part) for part in parts) + BETWEEN * (len(parts) - 1)


GRID = "#e4e4e4"
#: The looks of points: color tells them, and so does whether they are filled.
SOLID: Final[dict[str, Any]] = {
    "color": ACCENTS[0],
    "markerfacecolor": ACCENTS[0],
    "markeredgecolor": ACCENTS[0],
}
OPEN: Final[dict[str, Any]] = {"color": GRAY, "markerfacecolor": "white", "markeredgecolor": INK}


def interval_rows(
    ax: Axes,
    names: Sequence[str],
    points: Floats,
    bounds: Floats,
    solid: Bools | Sequence[Mapping[str, Any]],
) -> None:
    """Draw points with bars in rows from top to bottom."""
    width = float(mpl.rcParams["lines.linewidth"])
    for row, point in enumerate(points):
        chosen = solid[row]
        look = chosen if isinstance(chosen, Mapping) else SOLID if chosen else OPEN
        if np.isfinite(bounds[row]).all():
            ax.plot(
                bounds[row], [row, row], color=look["color"], linewidth=2 * width, zorder=2,
                solid_capstyle="butt", marker="|", markersize=4 * width,
                markeredgewidth=width, gid=f"bar-{row}",
            )  # fmt: skip
        ax.plot(
            point, row, linestyle="none", markeredgewidth=width, zorder=3, gid=f"point-{row}",
            **{"marker": "o", **look},
        )  # fmt: skip
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(color=GRID, linewidth=0.5 * width)
    ax.set_axisbelow(True)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
