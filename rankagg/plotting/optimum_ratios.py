"""How near rules come to the optimum: their ratios to it, rule by rule and grid cell by cell."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import compress
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rankagg._typing import Floats
from rankagg.core.items import counted
from rankagg.plotting.curves import BOLD, keyed_headings
from rankagg.plotting.sheet import PlotSheet, open_frame, right_names, round_ticks, text_width
from rankagg.plotting.theme import GRAY, INK, NO_RANK, method_look, plot_labels, plot_of, stroke
from rankagg.studies.approximation import ApproximationResult

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


def ratio_rows(result: ApproximationResult) -> list[RatioRow]:
    """Return a row for each rule in each cell of the grid, in the order of the study."""
    table, rows = result.by_method().to_dict("index"), []
    cell = ["model", "n_items", "n_rankings", "missing", "method"]
    for key, part in result.to_frame().groupby(cell, sort=False):
        values = table[key]
        ratios = part["ratio"].dropna().clip(upper=HUGE)
        quantiles = np.full(5, np.nan)
        if len(ratios):
            quantiles = np.quantile(ratios, [0, 0.25, 0.5, 0.75, 1])
        quantiles[quantiles > HUGE / 1e6] = np.inf
        ends = (float(values["mean_ratio"]), float(values["mean_ratio_high"]))
        mean = ends if values["unproved"] and np.isfinite(ends[0]) else None
        known = int(part["hit"].count())
        hits = f"{100 * values['hit_rate']:.0f} %" if known else NO_RANK
        hits += f" of {known}" if 0 < known < len(part) else ""
        hits += f", {values['failed']:.0f} failed" if values["failed"] else ""
        rows.append(RatioRow(_heading(key[:4]), str(key[4]), quantiles, mean, hits))
    return rows


def _heading(cell: tuple[Hashable, ...]) -> str:
    model, n_items, n_rankings, missing = cell
    gaps = f", {missing:.0%} missing" if missing else ""
    return f"{model}: {counted(n_items, 'item')}, {counted(n_rankings, 'ranking')}{gaps}"


@plot_of(ApproximationResult, "ApproximationStudy.run")
def ratio_plot(result: ApproximationResult, *, ax: Axes | None = None) -> Axes:
    """Draw for every model, size and rule how its costs compare with the optimum.

    A thin line from the lowest ratio to the highest, a thick one for the middle half, a mark for
    the median, and at the right how often the rule hit the optimum. Where optima are not proved, a
    dashed line below shows what the mean ratio may be.

    Parameters
    ----------
    result : ApproximationResult
        The results of a study.

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
    ...     models=[ra.cultures.MallowsCulture(phi=0.8)],
    ...     n_items=[5, 10],
    ...     n_repetitions=5,
    ... )
    >>> ax = plotting.ratio_plot(study.run())
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['Borda', 'Copeland', 'Borda', 'Copeland']
    """
    rows = ratio_rows(result)
    headings, key = plot_labels(dict.fromkeys(row.heading for row in rows), 64), ""
    methods = list(dict.fromkeys(row.method for row in rows))
    firsts = [k for k, row in enumerate(rows) if k == 0 or row.heading != rows[k - 1].heading]
    heights = np.cumsum([2.1 if k in firsts else 1.0 for k in range(len(rows))])
    sheet = PlotSheet(
        ax, max(36.0, BOLD * text_width(headings) + 2), 1.6 * (float(heights[-1]) + 0.2)
    )
    ax, names = sheet.ax, dict(zip(methods, sheet.names(methods, 24), strict=True))
    finite = np.concatenate([row.numbers[np.isfinite(row.numbers)] for row in rows])
    high = max(1.02, float(finite.max(initial=1.0)))
    edge = high + 0.06 * (high - 1)
    for number, (height, row) in enumerate(zip(heights.tolist(), rows, strict=True)):
        look = method_look(methods.index(row.method))
        _draw_row(ax, number, height, row, edge=edge, look=look)
    ax.set_xlim(1 - 0.03 * (high - 1), edge)
    ax.set_yticks(heights, [names[row.method] for row in rows], parse_math=False)
    top = heights[0] - 0.95
    right_names(ax, [top, *heights], ["optimal", *(row.hits for row in rows)])
    if not sheet.is_new:
        headings, key = keyed_headings(headings, sheet.across)
    for heading, first in zip(headings, firsts, strict=True):
        text = ax.text(0, heights[first] - 0.95, heading, transform=ax.get_yaxis_transform())
        text.set(va="center", weight="bold", parse_math=False, gid="heading")
    ax.set_ylim(float(heights[-1]) + 0.7, 0.5)
    ax.set_xticks(round_ticks(1, high, room=sheet.across))
    ax.tick_params(axis="y", length=0)
    open_frame(ax, ("top", "right", "left"), "x")
    failed = int(result.by_method()["failed"].sum())
    unproved = f"{result.n_unproved} of {result.n_cells} optima are not proved"
    notes = [
        key,
        f"each row: {counted(result.study.n_repetitions, 'data set')}; at the right how often the "
        "result is optimal",
        f"{unproved}: the ratios to them are at least what is drawn" if result.n_unproved else "",
        f"rules could not rank the data {counted(failed, 'time')}; those have no ratio"
        if failed
        else "",
    ]
    axis = "cost, in multiples of the optimum"
    return sheet.finish(notes, axis=axis, handles=_marks_of(rows), columns=2)


def _looks_of_marks() -> dict[str, dict[str, Any]]:
    """Return how lines and marks of a row look, by their words in the legend."""
    thin = {"lw": stroke(0.9), "marker": "|", "ms": stroke(5), "mew": stroke(0.9)}
    dashes = {"ls": (0, (2, 1)), "lw": stroke(0.7), "marker": "|", "ms": stroke(3)}
    return {
        "lowest to highest": thin,
        "middle half": {"lw": stroke(4), "solid_capstyle": "butt"},
        "median": {"color": INK, "mfc": "white", "ls": "none", "mew": stroke(0.8)},
        "the mean is in here: not all proved": {"color": INK, "mew": stroke(0.7), **dashes},
        "infinite: the optimum costs 0": {"color": INK, "marker": ">", "ls": "none"},
    }


def _draw_row(
    ax: Axes, number: int, height: float, row: RatioRow, *, edge: float, look: dict[str, Any]
) -> None:
    """Draw one row; what is infinite ends in an arrow at the edge."""
    whole, half, middle, dashed, arrow = _looks_of_marks().values()
    if np.isnan(row.quantiles).any():
        place: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "gid": f"nothing-{number}"}
        ax.text(0.01, height, "ranked none of the data", va="center", style="italic", **place)
        return
    low, first, median, third, high = np.minimum(row.quantiles, edge)
    level, color = [height, height], look["color"]
    ax.plot([low, high], level, color=color, gid=f"range-{number}", zorder=2, **whole)
    ax.plot([first, third], level, color=color, gid=f"quartiles-{number}", zorder=3, **half)
    ax.plot(median, height, marker=look["marker"], gid=f"median-{number}", zorder=5, **middle)
    ends = [(row.quantiles[-1], height)]
    if row.mean is not None:
        below, at = height + 0.36, np.minimum(row.mean, edge)
        ends.append((row.mean[1], below))
        ax.plot(at, [below, below], clip_on=False, gid=f"mean-{number}", zorder=4, **dashed)
    for value, at_height in ends:
        if np.isinf(value):
            ax.plot(edge, at_height, clip_on=False, gid=f"infinite-{number}", zorder=6, **arrow)


def _marks_of(rows: list[RatioRow]) -> list[Line2D]:
    """Return the marks of the legend."""
    occurs = [True, True, True, any(row.mean is not None for row in rows)]
    occurs.append(any(np.isinf(row.numbers).any() for row in rows))
    marks = []
    for words, look in compress(_looks_of_marks().items(), occurs):
        known = {"color": GRAY, "marker": "o" if words == "median" else "", **look}
        marks.append(Line2D([], [], label=words, **known))
    return marks
