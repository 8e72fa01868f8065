"""How near rules come to the optimum: their ratios to it, rule by rule and grid cell by cell."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rankagg._typing import Floats
from rankagg._validation import check_choice
from rankagg.core import counted, counts_told, percent
from rankagg.plotting.curves import (
    BOLD,
    MOST_PANELS,
    SHARES,
    axis_of,
    cases_over,
    draw_study_panels,
    keyed_headings,
    method_keys,
    panels_over,
    varying,
)
from rankagg.plotting.sheet import PlotSheet, open_frame, right_names, round_ticks, text_width
from rankagg.plotting.theme import GRAY, INK, NO_RANK, method_look, plot_labels, plot_of, stroke
from rankagg.studies.approximation import ApproximationResult, heading_of, parts_told

Measure = Literal["mean_ratio", "hit_rate"]
#: More rows, with their headings, are longer than a page.
PAGE = 48


@dataclass(frozen=True, eq=False)
class RatioRow:
    """One rule in one cell of the grid."""

    heading: str
    method: str
    # Shape (5,). Lowest ratio, quartiles and highest; NaN where there is none, for a reason.
    quantiles: Floats
    # What the mean ratio is at least and at most, where not all optima are proved.
    mean: tuple[float, float] | None
    # How often the rule hit the optimum, and how often it failed.
    hits: str
    reason: str

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
        ratios = part["ratio"].dropna()
        quantiles = np.full(5, np.nan)
        if len(ratios):
            quantiles = np.quantile(ratios, [0, 0.25, 0.5, 0.75, 1])
        ends = (float(values["mean_ratio"]), float(values["mean_ratio_high"]))
        mean = ends if values["unproved"] and np.isfinite(ends[0]) else None
        known = int(part["hit"].count())
        hits = percent(values["hit_rate"]) if known else NO_RANK
        hits += f" of {known}" if 0 < known < len(part) else ""
        hits += f", {values['failed']:.0f} failed" if values["failed"] else ""
        reason = "the optimum costs 0" if values["no_ratio"] else "ranked none of the data"
        rows.append(RatioRow(heading_of(key[:4]), str(key[4]), quantiles, mean, hits, reason))
    return rows


@plot_of(ApproximationResult, "ApproximationStudy.run")
def ratio_plot(
    result: ApproximationResult,
    *,
    over: str | None = None,
    measure: Measure = "mean_ratio",
    ax: Axes | None = None,
) -> Axes:
    """Draw how the costs of rules compare with the optimum: all of them, or a mean over something.

    For every model, size and rule a thin line from the lowest ratio to the highest, a thick one
    for the middle half, a mark for the median, and at the right how often the rule hit the
    optimum; where optima are not proved, a dashed line below shows what the mean ratio may be.
    With `over` a line for every rule over that parameter, in a panel for each case of the others.

    Parameters
    ----------
    result : ApproximationResult
        The results of a study.
    over : str, optional
        The parameter along the axis: "n_items", "n_rankings", "missing", or one of the models,
        such as "phi". By default none, or that with the most values where rows for all would be
        longer than a page.
    measure : {"mean_ratio", "hit_rate"}, default "mean_ratio"
        What is drawn over a parameter: the mean ratio in a band of two standard errors, or the
        share of optimal results in a band of 95 % Wilson intervals.

    Raises
    ------
    InvalidInputError
        If the argument is no study result, or the study has no such parameter.

    References
    ----------
    Ali and Meilă (2012), https://doi.org/10.1016/j.mathsocsci.2011.08.008, compare rules in this
    way.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> study = ra.studies.ApproximationStudy(
    ...     rules=[ra.Borda(), ra.Copeland()],
    ...     models=[ra.cultures.MallowsCulture(phi=0.8)],
    ...     n_items=[5, 10],
    ...     n_repetitions=5,
    ... )
    >>> result = study.run()
    >>> ax = plotting.ratio_plot(result)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['Borda', 'Copeland', 'Borda', 'Copeland']
    >>> ax = result.plot(over="n_items")
    >>> ax.get_xlabel()
    'items'
    """
    what: Measure = check_choice(measure, get_args(Measure), "measure")
    rows, numbers = ratio_rows(result), varying(result)
    over = check_choice(over, [None, *numbers], "over")
    firsts = [k for k, row in enumerate(rows) if k == 0 or row.heading != rows[k - 1].heading]
    heights = np.cumsum([2.0 if k in firsts else 1.0 for k in range(len(rows))])
    if over is None and heights[-1] > PAGE:
        table = result.by_method().reset_index()
        panels = {name: len(cases_over(result, table, name, parts_told)) for name in numbers}
        best = min(panels, key=panels.__getitem__, default="")
        over = best if 0 < panels.get(best, 0) <= MOST_PANELS else None
    if over is not None:
        return _lines(result, over, what, ax)
    total, fits = len(rows), int((heights <= PAGE).sum())
    # Whole cells of the grid.
    fits = max(first for first in [*firsts, total] if first <= fits) or fits
    heights, rows = heights[:fits], rows[:fits]
    firsts = [first for first in firsts if first < len(rows)]
    headings, key = plot_labels([rows[first].heading for first in firsts], 64), ""
    methods = list(dict.fromkeys(row.method for row in rows))
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
    drawn = result.by_method().reset_index().iloc[:fits]
    notes = [
        key,
        f"each row: {counts_told(drawn['cells'], 'data set')}; at the right how often the result "
        "is optimal",
        *_unknown(drawn),
        f"the first {fits} of {counted(total, 'row')}" if fits < total else "",
    ]
    axis = "cost, in multiples of the optimum"
    return sheet.finish(notes, axis=axis, handles=_marks_of(rows), columns=2)


def _unknown(drawn: pd.DataFrame) -> list[str]:
    """Return notes on what is not known of the rows of a table that are drawn."""
    cells = drawn[drawn["method"] == drawn["method"].iloc[0]]
    unproved = int(cells["unproved"].sum())
    failed, without = (int(drawn[name].sum()) for name in ("failed", "no_ratio"))
    notes = []
    if unproved:
        optima = f"{unproved} of {cells['cells'].sum()} optima are not proved"
        notes.append(f"{optima}: the ratios to them are at least what is drawn")
    if failed:
        times = counted(failed, "time")
        notes.append(f"rules could not rank the data {times}; those have no ratio")
    if without:
        times = counted(without, "time")
        notes.append(f"only the optimum costs 0 {times}; those have no ratio")
    return notes


def _lines(result: ApproximationResult, over: str, measure: Measure, ax: Axes | None) -> Axes:
    """Draw a line for every rule over a parameter, in a panel for each case of the others."""
    rows, is_ratio = result.by_method().reset_index(), measure == "mean_ratio"
    middle, errors = rows[measure], 2 * rows["se_ratio"]
    band = (middle - errors).clip(lower=1), middle + errors
    low, high = band if is_ratio else (rows["hit_low"], rows["hit_high"])
    rows = rows.assign(middle=middle, low=low, high=high)
    panels, alike, left_out = panels_over(result, rows, over, parts_told)
    label = "mean cost, in multiples\nof the optimum" if is_ratio else "share of optimal results"
    upright = (1.0,) if is_ratio else SHARES
    sheet, above, key = draw_study_panels(ax, panels, label, upright=upright)
    handles = method_keys(rule.name for rule in result.study.rules)
    band_of = "two standard errors either way" if is_ratio else "95 % Wilson intervals"
    drawn = pd.concat([panel.table for panel in panels])
    sets = f"{counts_told(drawn['cells'], 'data set')} for every point"
    notes = [
        key,
        ", ".join(filter(None, [alike, sets])),
        f"bands: {band_of}" if drawn["se_ratio" if is_ratio else "hit_low"].notna().any() else "",
        *_unknown(drawn),
        *left_out,
    ]
    return sheet.finish(notes, axis=axis_of(over), handles=handles, columns=2, above=above)


def _looks_of_marks() -> dict[str, dict[str, Any]]:
    """Return how lines and marks of a row look, by their words in the legend."""
    thin = {"lw": stroke(0.9), "marker": "|", "ms": stroke(5), "mew": stroke(0.9)}
    dashes = {"ls": (0, (2, 1)), "lw": stroke(0.7), "marker": "|", "ms": stroke(3)}
    return {
        "lowest to highest": thin,
        "middle half": {"lw": stroke(4), "solid_capstyle": "butt"},
        "median": {"color": INK, "mfc": "white", "ls": "none", "mew": stroke(0.8)},
        "the mean is in here: not all proved": {"color": INK, "mew": stroke(0.7), **dashes},
        "not bounded from above": {"color": INK, "marker": ">", "ls": "none"},
    }


def _draw_row(
    ax: Axes, number: int, height: float, row: RatioRow, *, edge: float, look: dict[str, Any]
) -> None:
    """Draw one row; what is infinite ends in an arrow at the edge."""
    whole, half, middle, dashed, arrow = _looks_of_marks().values()
    if np.isnan(row.quantiles).any():
        place: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "gid": f"nothing-{number}"}
        ax.text(0.01, height, row.reason, va="center", style="italic", **place)
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
    # Rows of one data set each have a single ratio.
    spread = any(row.quantiles[0] < row.quantiles[-1] for row in rows)
    occurs = [spread, spread, True, any(row.mean is not None for row in rows)]
    occurs.append(any(np.isinf(row.numbers).any() for row in rows))
    marks = []
    for words, look in compress(_looks_of_marks().items(), occurs):
        known = {"color": GRAY, "marker": "o" if words == "median" else "", **look}
        label = words if spread else words.replace("median", "ratio of the data set")
        marks.append(Line2D([], [], label=label, **known))
    return marks
