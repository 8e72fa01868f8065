"""How near rules come to the optimum: their ratios to it, rule by rule and grid cell by cell."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rankagg._typing import Floats
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.curves import keyed_headings
from rankagg.plotting.sheet import (
    GRID,
    legend_above,
    letters_across,
    name_letters,
    round_ticks,
    widest,
    write_below,
)
from rankagg.plotting.theme import ACCENTS, GRAY, INK, MARKERS, NO_RANK, canvas, plot_labels
from rankagg.studies.approximation.study_result import StudyResult

CELL: Final = ["model", "n_items", "n_rankings", "missing"]
# Stands for an infinite ratio while quantiles are taken.
HUGE: Final = 1e250


@dataclass(frozen=True, eq=False)
class RatioRow:
    """One rule in one cell of the grid."""

    heading: str
    method: str
    # Shape (5,). Lowest ratio, quartiles and highest; NaN where the rule ranked nothing.
    quantiles: Floats
    # What the mean ratio is at least and at most, where not all optima are proved.
    mean: tuple[float, float] | None
    # How often the rule hit the optimum, and how often it failed.
    hits: str

    @property
    def numbers(self) -> Floats:
        """All that is drawn along the axis."""
        return np.array([*self.quantiles, *(self.mean or ())])


def ratio_rows(result: StudyResult) -> list[RatioRow]:
    """Return a row for each rule in each cell of the grid, in the order of the study."""
    frame = result.to_frame()
    table = result.by_method().to_dict("index")
    rows: list[RatioRow] = []
    for key, part in frame.groupby([*CELL, "method"], sort=False):
        values = table[key]
        ratios = part["ratio"].dropna().clip(upper=HUGE)
        quantiles = np.full(5, np.nan)
        if len(ratios):
            quantiles = np.quantile(ratios, [0, 0.25, 0.5, 0.75, 1])
        quantiles[quantiles > HUGE / 1e6] = np.inf
        mean = (float(values["mean_ratio"]), float(values["mean_ratio_high"]))
        known = int(part["hit"].count())
        hits = f"{100 * values['hit_rate']:.0f} %" if known else NO_RANK
        if 0 < known < len(part):
            hits += f" of {known}"
        if values["failed"]:
            hits += f", {values['failed']:.0f} failed"
        rows.append(
            RatioRow(
                _heading(key[:4]), str(key[4]), quantiles,
                mean if values["unproved"] and np.isfinite(mean[0]) else None, hits,
            )
        )  # fmt: skip
    return rows


def _heading(cell: tuple[Hashable, ...]) -> str:
    model, n_items, n_rankings, missing = cell
    gaps = f", {missing:.0%} missing" if missing else ""
    return f"{model}: {counted(n_items, 'item')}, {counted(n_rankings, 'ranking')}{gaps}"


WIDTH, ROW = 36.0, 1.4


def ratio_plot(result: StudyResult, *, ax: Axes | None = None) -> Axes:
    """Draw for every model, size and rule how its costs compare with the optimum.

    A thin line from the lowest ratio to the highest, a thick one for the middle half, a mark for
    the median, and at the right how often the rule hit the optimum. Where optima are not proved, a
    dashed line below shows what the mean ratio may be.

    Parameters
    ----------
    result : StudyResult
        The results of a study.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If the argument is no study result.

    References
    ----------
    Ali and Meilă (2012), https://doi.org/10.1016/j.mathsocsci.2011.08.008, compare rules in this
    way.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> study = ra.studies.ApproximationStudy(
    ...     aggregators=[ra.Borda(), ra.Copeland()],
    ...     models=[ra.studies.MallowsModel(phi=0.8)],
    ...     n_items=[5, 10],
    ...     n_repetitions=5,
    ... )
    >>> ax = plotting.ratio_plot(study.run())
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['Borda', 'Copeland', 'Borda', 'Copeland']
    """
    if not isinstance(result, StudyResult):
        raise InvalidInputError(
            "result", "a StudyResult", result, "`ApproximationStudy.run` makes one."
        )
    rows = ratio_rows(result)
    headings = plot_labels(dict.fromkeys(row.heading for row in rows), 64)
    methods = list(dict.fromkeys(row.method for row in rows))
    names = dict(zip(methods, plot_labels(methods, name_letters(ax, 24)), strict=True))
    firsts = [k for k, row in enumerate(rows) if k == 0 or row.heading != rows[k - 1].heading]
    heights = np.cumsum([2.1 if k in firsts else 1.0 for k in range(len(rows))])
    width = max(WIDTH, widest(headings) + 2)
    margin = widest(names.values()) + widest(row.hits for row in rows) + 6
    new = ax is None
    ax = canvas(ax, width + margin, ROW * (float(heights[-1]) + 1) + 11)
    finite = np.concatenate([row.numbers[np.isfinite(row.numbers)] for row in rows])
    high = max(1.02, float(finite.max(initial=1.0)))
    low, edge = 1 - 0.03 * (high - 1), high + 0.06 * (high - 1)
    for number, (height, row) in enumerate(zip(heights, rows, strict=True)):
        _draw(ax, number, float(height), row, (methods.index(row.method), edge))
    ax.set_xlim(low, edge)
    ax.set_yticks(heights, [names[row.method] for row in rows], parse_math=False)
    _right(ax, heights, rows)
    room, key = (width if new else letters_across(ax)), ""
    if not new:
        headings, key = keyed_headings(headings, room)
    for heading, first in zip(headings, firsts, strict=True):
        ax.text(
            0, heights[first] - 0.95, heading, transform=ax.get_yaxis_transform(), va="center",
            weight="bold", parse_math=False, gid="heading",
        )  # fmt: skip
    ax.set_ylim(float(heights[-1]) + 0.7, 0.5)
    ax.set_xticks(round_ticks(1, high, room=room))
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=GRID, linewidth=0.5 * float(mpl.rcParams["lines.linewidth"]))
    ax.set_axisbelow(True)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    along, *notes = _notes(result, rows)
    write_below(ax, [key, *notes], width if new else None, axis=along)
    legend_above(ax, _handles(rows), new=new, columns=2)
    return ax


def _draw(ax: Axes, number: int, height: float, row: RatioRow, look: tuple[int, float]) -> None:
    """Draw one row; what is infinite ends in an arrow at the edge."""
    method, edge = look
    width = float(mpl.rcParams["lines.linewidth"])
    color, marker = ACCENTS[method % len(ACCENTS)], MARKERS[method % len(MARKERS)]
    if np.isnan(row.quantiles).any():
        ax.text(
            0.01, height, "ranked none of the data", va="center", color=INK, style="italic",
            transform=ax.get_yaxis_transform(), gid=f"nothing-{number}",
        )  # fmt: skip
        return
    low, first, median, third, high = np.minimum(row.quantiles, edge)
    ax.plot(
        [low, high], [height, height], color=color, linewidth=0.9 * width, marker="|",
        markersize=5 * width, markeredgewidth=0.9 * width, gid=f"range-{number}", zorder=2,
    )  # fmt: skip
    ax.plot(
        [first, third], [height, height], color=color, linewidth=4 * width, zorder=3,
        solid_capstyle="butt", gid=f"quartiles-{number}",
    )  # fmt: skip
    ax.plot(
        median, height, color=INK, marker=marker, markerfacecolor="white", linestyle="none",
        markeredgewidth=0.8 * width, zorder=5, gid=f"median-{number}",
    )  # fmt: skip
    if row.mean is not None:
        below = height + 0.36
        ax.plot(
            np.minimum(row.mean, edge), [below, below], **_mean_look(), zorder=4, clip_on=False,
            gid=f"mean-{number}",
        )  # fmt: skip
    for value, level in ((row.quantiles[-1], 0.0), ((row.mean or (0.0,))[-1], 0.36)):
        if np.isinf(value):
            ax.plot(
                edge, height + level, color=INK, marker=">", linestyle="none", zorder=6,
                clip_on=False, gid=f"infinite-{number}",
            )  # fmt: skip


def _mean_look() -> dict[str, Any]:
    width = float(mpl.rcParams["lines.linewidth"])
    return {
        "color": INK, "linestyle": (0, (2, 1)), "linewidth": 0.7 * width, "marker": "|",
        "markersize": 3 * width, "markeredgewidth": 0.7 * width,
    }  # fmt: skip


def _right(ax: Axes, heights: np.ndarray, rows: list[RatioRow]) -> None:
    """Write the hit rates at the right."""
    axis = ax.secondary_yaxis("right")
    axis.yaxis.set_ticks([heights[0] - 0.95, *heights], ["optimal", *(row.hits for row in rows)])
    axis.yaxis.set_tick_params(length=0)
    axis.spines["right"].set_visible(False)


def _handles(rows: list[RatioRow]) -> list[Line2D]:
    """Return the marks of the legend."""
    width = float(mpl.rcParams["lines.linewidth"])
    handles = [
        Line2D(
            [], [], color=GRAY, linewidth=0.9 * width, marker="|", markersize=5 * width,
            label="lowest to highest",
        ),
        Line2D(
            [], [], color=GRAY, linewidth=4 * width, solid_capstyle="butt", label="middle half"
        ),
        Line2D(
            [], [], color=INK, marker="o", markerfacecolor="white", linestyle="none",
            markeredgewidth=0.8 * width, label="median",
        ),
    ]  # fmt: skip
    if any(row.mean is not None for row in rows):
        handles.append(Line2D([], [], label="the mean is in here: not all proved", **_mean_look()))
    if any(np.isinf(row.numbers).any() for row in rows):
        label = "infinite: the optimum costs 0"
        handles.append(Line2D([], [], color=INK, marker=">", linestyle="none", label=label))
    return handles


def _notes(result: StudyResult, rows: list[RatioRow]) -> list[str]:
    times = result.study.n_repetitions
    notes = [
        "cost, in multiples of the optimum",
        f"each row: {counted(times, 'data set')}; at the right how often the result is optimal",
    ]
    if result.n_unproved:
        notes.append(
            f"{result.n_unproved} of {result.n_cells} optima are not proved: the ratios to them "
            "are at least what is drawn"
        )
    failed = int(result.by_method()["failed"].sum())
    if failed:
        notes.append(
            f"rules could not rank the data {counted(failed, 'time')}; those have no ratio"
        )
    return notes
