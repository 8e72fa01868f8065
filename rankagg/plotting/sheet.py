"""Layout of plots: axes with row names, a legend above and a caption below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import count
from textwrap import wrap
from typing import Any, Literal

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.textpath import text_to_path
from matplotlib.transforms import ScaledTranslation

from rankagg._typing import Bools, Floats, Label, Positions, Ranks
from rankagg.core import counted, shortened
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.theme import ACCENTS, GRAY, GRID, INK, NO_RANK, letter, plot_labels, stroke

# All lengths are in multiples of the font size.
#: Height of a row.
ROW_HEIGHT = 1.35
# Text on a screen is slightly wider than in print.
HINTING = 1.05
# Width of a narrow and of a wide letter.
LETTER, WIDE_LETTER = 0.48, 0.6
# Fewest characters of a name and of a line of the caption, and most of a sentence there.
LEAST_NAME, NARROWEST_LINE, LONGEST_NOTE = 8, 12, 400
# Smallest font of numbers in cells, 5.6 points in print.
SMALLEST = 0.7
# Legend: mark with its gap, gap between columns, and padding.
MARK, BETWEEN_COLUMNS, PADDING = 2.4, 1.5, 0.3
# Margins of a new figure before the layout.
AROUND = np.array([60.0, 45.0])
CAPTION_MARK = "caption"
#: Points differ by color and by whether they are filled.
SOLID: dict[str, Any] = {"color": ACCENTS[0], "mfc": ACCENTS[0], "mec": ACCENTS[0]}
HOLLOW: dict[str, Any] = {"color": GRAY, "mfc": "white", "mec": INK}


class PlotSheet:
    """Given or new axes, with the names, legend and caption around them.

    New axes have the given size in multiples of the font size. Their figure grows by the space
    that names, legend and caption need.
    """

    def __init__(self, ax: Axes | None, width: float, height: float) -> None:
        self.is_new, self._size = ax is None, np.array([width, height])
        if ax is None:
            inches = (self._size + AROUND) * letter() / 72
            _, ax = plt.subplots(figsize=inches.tolist(), layout="constrained")
        if not isinstance(ax, Axes):
            raise InvalidInputError("ax", "Matplotlib axes", ax, "Use `fig, ax = plt.subplots()`.")
        self.ax = ax

    @classmethod
    def of_rows(cls, ax: Axes | None, n: int, width: float = 32.0) -> PlotSheet:
        """Return a sheet for n rows."""
        return cls(ax, width, ROW_HEIGHT * (n + 0.4))

    @property
    def across(self) -> float:
        """Width of the axes in multiples of the font size, after layout."""
        return float(self._size[0]) if self.is_new else self._laid_out()[0]

    def names(self, labels: Iterable[Label], most: int = 32, *, share: float = 0.45) -> list[str]:
        """Return labels shortened to a share of the width of given axes."""
        return plot_labels(labels, self.letters(share, most))

    def letters(self, share: float, most: int = 32) -> int:
        """Return the number of letters for names next to the axes."""
        room = most if self.is_new else share * self.across / WIDE_LETTER
        return int(np.clip(room, LEAST_NAME, most))

    def number_size(
        self, numbers: Iterable[str], cells: tuple[int, float], usual: float
    ) -> float | None:
        """Return the font size of numbers in a grid of cells; None if they do not fit."""
        if self.is_new:
            return usual
        across, high = self._laid_out()
        wide = (across / cells[1] - 0.3) / max(text_width(numbers), 0.1)
        size = min(usual, wide, (high / cells[0] - 0.1) / 1.25)
        return None if size < SMALLEST else size

    def finish(
        self,
        notes: Iterable[str] = (),
        *,
        axis: str = "",
        handles: Sequence[Any] = (),
        columns: int = 1,
        raised: float = 0.0,
    ) -> Axes:
        """Add the axis label, the caption below it and the legend above; return the axes."""
        width = self.across
        self._write_below(_broken_lines(notes, width), "\n".join(_broken_lines([axis], width)))
        if handles:
            self._draw_legend(handles, width - 2 * PADDING, columns, raised)
        if self.is_new:
            self._fit()
        return self.ax

    def name_rows(self, names: Sequence[str]) -> None:
        """Name the rows from top to bottom."""
        self.ax.set_yticks(range(len(names)), names, parse_math=False)
        self.ax.tick_params(axis="y", length=0)
        self.ax.set_ylim(len(names) - 0.4, -0.6)

    def name_rows_at_right(self, at: Sequence[float] | Floats, names: Sequence[str]) -> None:
        """Write texts to the right of rows."""
        right = self.ax.secondary_yaxis("right")
        right.yaxis.set_ticks(at, names, parse_math=False)
        right.yaxis.set_tick_params(length=0)
        right.spines["right"].set_visible(False)

    def draw_intervals(
        self,
        names: Sequence[str],
        points: Floats,
        bounds: Floats,
        looks: Bools | Sequence[Mapping[str, Any]],
    ) -> None:
        """Draw a point and a bar in each row, from top to bottom; `looks` are styles or flags."""
        for row, (point, given) in enumerate(zip(points, looks, strict=True)):
            chosen = given if isinstance(given, Mapping) else SOLID if given else HOLLOW
            look = {"marker": "o", **chosen}
            if np.isfinite(bounds[row]).all():
                bar = bar_look(look["color"])
                self.ax.plot(bounds[row], [row, row], gid=f"bar-{row}", zorder=2, **bar)
            self.ax.plot(point, row, ls="none", mew=stroke(), zorder=3, gid=f"point-{row}", **look)
        self.name_rows(names)
        open_frame(self.ax, ("top", "right", "left"))

    def legend(self, handles: Sequence[Any], labels: Sequence[str], **place: Any) -> None:
        """Draw a legend without a frame or formulas."""
        look: dict[str, Any] = {"borderaxespad": 0.0, "fontsize": "medium", "frameon": False}
        for text in self.ax.legend(handles, labels, **look, **place).get_texts():
            text.set_parse_math(False)

    def _laid_out(self) -> tuple[float, float]:
        layout = self.ax.figure.get_layout_engine()
        if layout is not None:
            layout.execute(_figure_of(self.ax))
        box = self.ax.get_window_extent()
        pixels = letter() * self.ax.figure.dpi / 72
        return float(box.width / pixels), float(box.height / pixels)

    def _fit(self) -> None:
        """Resize the figure to the axes and the texts around them."""
        figure = _figure_of(self.ax)
        for _ in range(2):
            self._laid_out()
            place, size = self.ax.get_position(original=True), figure.get_size_inches()
            around = size * (1 - np.array([place.width, place.height]))
            figure.set_size_inches(*(self._size * letter() / 72 + around))

    def _write_below(self, lines: Sequence[str], axis: str) -> None:
        """Write the axis label, and the caption below it from the left."""
        ax = self.ax
        ax.set_xlabel(axis, parse_math=False)
        for old in [text for text in ax.texts if text.get_gid() == CAPTION_MARK]:
            old.remove()
        if not lines:
            return
        # The caption moves with the axis label, which moves with the ticks.
        ax.annotate(
            "\n".join(lines),
            (0.0, 0.0),
            (0.0, -0.5 * letter() if axis else 0.0),
            xycoords=("axes fraction", ax.xaxis.label),
            textcoords="offset points",
            annotation_clip=False,
            va="top",
            parse_math=False,
            fontsize="medium",
            gid=CAPTION_MARK,
        )

    def _draw_legend(
        self, handles: Sequence[Any], room: float, columns: int, raised: float
    ) -> None:
        """Draw the legend above the axes, in as many of the columns as fit."""
        labels = [str(handle.get_label()) for handle in handles]
        while columns > 1 and _legend_width(labels, columns) > room:
            columns -= 1
        if columns == 1:
            labels = ["\n".join(_broken_lines([label], room - MARK)) for label in labels]
        shift = ScaledTranslation(0.0, raised * letter() / 72, _figure_of(self.ax).dpi_scale_trans)
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": columns}
        place |= {"bbox_transform": self.ax.transAxes + shift, "borderpad": PADDING}
        spaces = {"columnspacing": BETWEEN_COLUMNS, "handletextpad": MARK - 2.0}
        self.legend(handles, labels, **place, **spaces)


def _figure_of(ax: Axes) -> Any:
    return ax.get_figure(root=True)


def _legend_width(labels: Sequence[str], columns: int) -> float:
    """Return the width of a legend in multiples of the font size."""
    parts = [part for part in np.array_split(np.array(labels), columns) if len(part)]
    return sum(MARK + text_width(part) for part in parts) + BETWEEN_COLUMNS * (len(parts) - 1)


def text_width(texts: Iterable[str], size: float = 1.0) -> float:
    """Return the width of the widest text, in multiples of the font size."""
    # The font depends on these parameters alone.
    fonts = repr(mpl.rcParams.find_all(r"^font\."))
    widths = [_line_width(line, letter(), fonts) for text in texts for line in text.splitlines()]
    return HINTING * size * max(widths, default=0.0) / letter()


@lru_cache(maxsize=4096)
def _line_width(line: str, points: float, fonts: str) -> float:
    """Return the width of a line in points; cached, since typesetting is slow."""
    font = FontProperties(size=points)
    return text_to_path.get_text_width_height_descent(line, font, ismath=False)[0]


def _broken_lines(sentences: Iterable[str], width: float) -> list[str]:
    """Break sentences into lines of at most `width` multiples of the font size."""
    # Keep "95 %" on one line.
    texts = [shortened(text, LONGEST_NOTE).replace(" %", "\xa0%") for text in sentences]
    letters = max(NARROWEST_LINE, int(width / LETTER))
    while True:
        lines = [line for text in texts for line in wrap(text, letters)]
        if letters <= NARROWEST_LINE or all(text_width([line]) <= width for line in lines):
            return lines
        letters -= 1


def first_of(total: int, top: int | None, noun: str) -> tuple[int, str]:
    """Return the number of rows drawn, and a note if there are more."""
    n = total if top is None else min(total, top)
    return n, f"the first {n:,} of {counted(total, noun, ',')}" if n < total else ""


def in_order(ranks: Ranks) -> Positions:
    """Return the positions of items, best first; those without a rank are last."""
    return np.argsort(np.where(ranks >= 0, ranks, len(ranks)), kind="stable")


def rank_text(rank: int) -> str:
    """Return a rank, counted from 1, or a dash for none."""
    return str(rank + 1) if rank >= 0 else NO_RANK


def rank_ticks(n: int) -> list[int]:
    """Return the ranks along an axis: all up to 12, otherwise the first and round ones."""
    if n <= 12:
        return list(range(1, n + 1))
    steps = (first * 10**power for power in count() for first in (5, 10, 20))
    step = next(step for step in steps if n <= 12 * step)
    return [1, *range(step, n + 1, step)]


def open_frame(
    ax: Axes,
    hidden: Sequence[str] = ("top", "right"),
    grid: Literal["both", "x", "y", ""] = "both",
) -> None:
    """Hide sides of the frame, and draw a light grid behind the data."""
    ax.spines[list(hidden)].set_visible(False)
    if grid:
        ax.grid(axis=grid, color=GRID, linewidth=stroke(0.5))
        ax.set_axisbelow(True)


def bar_look(color: str) -> dict[str, Any]:
    """Return the style of an interval, with marks at its ends."""
    return {
        "color": color,
        "lw": stroke(2),
        "solid_capstyle": "butt",
        "marker": "|",
        "ms": stroke(4),
        "mew": stroke(),
    }


def legend_mark(label: str, look: Mapping[str, Any]) -> Line2D:
    """Return a legend entry for points or, with their own style, for lines."""
    return Line2D([], [], label=label, **{"marker": "o", "ls": "none", **look})


def percent(alpha: float) -> str:
    """Return the level of intervals with an error probability."""
    return f"{100 * (1 - alpha):g} %"
