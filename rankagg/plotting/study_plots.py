"""Lines in panels: the results of studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from rankagg._typing import Floats
from rankagg._validation import check_choice
from rankagg.core import count_range, counted, listed
from rankagg.cultures import Named
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.curves import draw_banded
from rankagg.plotting.sheet import PlotSheet, open_frame, text_width
from rankagg.plotting.theme import GRAY, INK, letter, method_look, plot_labels, plot_of, stroke
from rankagg.studies import StudyResult
from rankagg.studies.measures import Curve

# Width of bold letters relative to others.
BOLD = 1.12
# Most ticks of a panel, gaps between ticks and between panels, and the narrowest panel, in
# multiples of the font size.
MOST_TICKS, TICKS_APART, PANELS_APART, NARROWEST_PANEL = 5, 0.8, 2.5, 2.0
# Most panels that fit on a page.
MOST_PANELS = 6
#: Axis labels of variables; others have their own name.
AXES = {
    "model": "data",
    "n_items": "items",
    "n_rankings": "rankings",
    "n_corrupted": "corrupted tasks",
    "missing": "share of items missing",
    "proportion": "proportion of scores removed",
    "step": "step between neighboring systems, in units of the noise's scale",
    "size": "tasks drawn at random",
    "k": "k",
}
#: Values in words, by column; others are printed as they are.
WORDS: Mapping[str, Callable[[Any], str]] = {
    "n_items": lambda number: counted(number, "item"),
    "scope": {
        "tasks": "rules aggregate tasks",
        "instances": "rules aggregate all instances",
        "within": "rules aggregate one task's instances",
    }.__getitem__,
    "n_rankings": lambda number: counted(number, "ranking"),
    "n_corrupted": lambda number: counted(number, "corrupted task") if number else "",
    "missing": lambda share: f"{share:.0%} missing" if share else "",
    "proportion": lambda share: f"{100 * share:g} % removed" if share else "",
    "alpha": lambda alpha: f"alpha {alpha:g}",
    "scale": lambda factor: f"scores of a task times {factor:g}" if factor != 1 else "",
}
# Variables with a logarithmic scale if they span an order of magnitude.
LOGARITHMIC = ("n_items", "n_rankings", "factor", "scale")
MAGNITUDE = 10
# Starts of the upright axis if all values are above, and steps of axes that start at 0.
HALF, NEAR_ONE = 0.5, 0.9
STEPS = (0.02, 0.05, 0.1, 0.2)


@dataclass(frozen=True)
class _PanelScale:
    """Map from the values of a panel to the axis that all panels share."""

    # The different values in increasing order, shape (n,).
    values: Floats
    # In multiples of the font size.
    left: float
    width: float
    is_logarithmic: bool = False

    def place(self, values: Floats) -> Floats:
        """Return the positions of values; a single one is in the middle."""
        if len(self.values) == 1:
            return np.full(len(values), self.left + self.width / 2)
        ends = self.values[[0, -1]]
        if self.is_logarithmic:
            values, ends = np.log(values), np.log(ends)
        return np.asarray(self.left + self.width * (values - ends[0]) / (ends[1] - ends[0]))

    def ticks(self) -> dict[float, str]:
        """Return round values by their positions, as many as fit."""
        low, high = ends = self.values[[0, -1]]
        rounding = 1e-9 * (high - low)
        round_values = [
            np.asarray(MaxNLocator(nbins=most, steps=[1, 2, 5, 10]).tick_values(low, high))
            for most in range(MOST_TICKS, 1, -1)
        ]
        for values in [self.values, ends] if self.is_logarithmic else [*round_values, ends]:
            inside = (values >= low - rounding) & (values <= high + rounding)
            ticks = self._named(values[inside])
            if len(ticks) > 1 and _are_apart(ticks):
                return ticks
        return self._named(self.values[:1])

    def _named(self, numbers: Floats) -> dict[float, str]:
        places = self.place(numbers)
        return {float(place): f"{x:g}" for place, x in zip(places, numbers, strict=True)}


def _are_apart(ticks: dict[float, str]) -> bool:
    """Return whether the numbers of ticks do not overlap."""
    ends = [(at - text_width([x]) / 2, at + text_width([x]) / 2) for at, x in ticks.items()]
    return all(after[0] - before[1] >= TICKS_APART for before, after in pairwise(ends))


def _draw_panels(
    ax: Axes,
    panels: Mapping[str, pd.DataFrame],
    lines: Sequence[str],
    *,
    width: float,
    floor: float,
    names: Sequence[str] = (),
    is_logarithmic: bool = False,
) -> None:
    """Draw panels next to each other on common axes.

    A row of a panel is a point: its `line`, its position `at` on the axis, its height `middle`, the
    ends of its band, `low` and `high`, and the height `dotted` for comparison, NaN if there is
    none. Values of a categorical axis are positions in `names`; their lines are side by side.
    """
    inset = width / 2 / len(names) if names else 0.0
    ticks: dict[float, str] = {}
    for number, (heading, table) in enumerate(panels.items()):
        left = number * (width + PANELS_APART)
        values = np.arange(float(len(names))) if names else np.unique(table["at"].astype(float))
        scale = _PanelScale(values, left + inset, width - 2 * inset, is_logarithmic)
        compared = set[bytes]()
        for position, line in enumerate(lines):
            part = table[table["line"] == line].sort_values("at", kind="stable")
            if part.empty:
                continue
            # Use 60 % of the space of a name.
            shift = 0.6 * inset * (2 * (position + 0.5) / len(lines) - 1)
            x, gid = scale.place(part["at"].to_numpy(np.float64)) + shift, f"{number}-{position}"
            look = _method_style(position, names) | {"zorder": 3 + position, "clip_on": False}
            draw_banded(ax, x, part["middle"], (part["low"], part["high"]), gid, **look)
            dotted = part["dotted"].to_numpy(np.float64)
            if np.isfinite(dotted).any() and dotted.tobytes() not in compared:
                compared.add(dotted.tobytes())
                look = _dotted_style() | {"gid": f"dotted-{gid}", "clip_on": False, "zorder": 20}
                # A constant needs no markers.
                is_line = len(np.unique(dotted)) == 1 < len(x)
                ax.plot(x, dotted, **look | ({"marker": ""} if is_line else {}))
        places = scale.place(scale.values).tolist()
        ticks |= dict(zip(places, names, strict=True)) if names else scale.ticks()
        ax.hlines(floor, left, left + width, color=INK, lw=stroke(0.5), zorder=1, gid="floor")
        place: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "annotation_clip": False}
        place |= {"xytext": (0.0, letter(0.4)), "textcoords": "offset points", "gid": "heading"}
        ax.annotate(heading, (left, 1.0), **place).set(va="bottom", weight="bold", parse_math=False)
    ax.set_xlim(-0.5, len(panels) * (width + PANELS_APART) - PANELS_APART + 0.5)
    # Names that do not fit side by side are vertical.
    turned: Any = 90 if names and text_width(names) + 1 > width / len(names) else 0
    ax.set_xticks(list(ticks), list(ticks.values()), parse_math=False, rotation=turned)


def _method_style(position: int, names: Sequence[str]) -> dict[str, Any]:
    """Return the style of a line; points of a categorical axis are not joined."""
    return method_look(position) | ({"ls": "none"} if names else {})


def _dotted_style() -> dict[str, Any]:
    """Return the style of heights for comparison."""
    return {"color": INK, "ls": ":", "lw": stroke(0.9), "marker": "x", "mew": stroke(0.9)}


def _keyed_headings(headings: Sequence[str], room: float) -> tuple[list[str], str]:
    """Return headings that fit, and the key to them if they are letters."""
    if BOLD * text_width(headings) <= room:
        return list(headings), ""
    letters = list(ascii_lowercase[: len(headings)])
    words = (" ".join(heading.split()) for heading in headings)
    return letters, "; ".join(f"{a}: {b}" for a, b in zip(letters, words, strict=True))


@plot_of(StudyResult, "study.run()", "the result of a study")
def study_plot(
    result: StudyResult,
    *,
    x: str | None = None,
    y: str | None = None,
    panels: str | Sequence[str] | None = None,
    where: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the results of a study in panels, with a line for each method.

    Of more than 6 panels the first are drawn, and the caption says so.

    Parameters
    ----------
    result : StudyResult
        Result of the `run` of a study.
    x : str, optional
        Variable along the axis: a dimension of the grid such as "n_items" or "proportion", a
        parameter of the data or methods such as "phi" or "factor", or "model" or "removal" for
        names side by side. By default the main number of the study, or the first that varies.
    y : str, optional
        Column to draw; the main one of the study by default. The message on an unknown column
        lists all.
    panels : str or sequence of str, optional
        Columns with a panel for each value; by default all but that along the axis. Values of
        other columns are separate lines; an empty sequence draws one panel.
    where : mapping from column to value, optional
        Values of the rows to draw, such as ``{"alpha": 0.01}``; all by default.

    Raises
    ------
    InvalidInputError
        If the result is of no study, or the study has no such column or value.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> study = ra.studies.CycleStudy(data=ra.cultures.ImpartialCulture(), n_repetitions=20, rng=0)
    >>> ax = plotting.study_plot(study.run(), y="winner")
    >>> ax.get_xlabel()
    'rankings'
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['impartial culture, 3 items', 'band: 95 % Wilson intervals', 'dotted: known exactly']
    """
    measures, table = result.measures, result.by_method()
    columns = [str(name) for name in table.index.names]
    points = [name for name in columns if name not in measures.lines]
    table = _rows_where(table.reset_index(), columns, where or {})
    y = check_choice(y or next(iter(measures.curves)), list(measures.curves), "y")
    curve = measures.curves[y]
    axis, column, places = _along(result, table, points, x)
    is_named = axis == column and any(isinstance(value, str) for value in places)
    names = [str(value) for value in places] if is_named else []
    table = table[table[column].isin(list(places))].assign(at=lambda rows: rows[column].map(places))
    # Words of the cases, without the variable along the axis.
    words = pd.DataFrame(
        {
            name: table[name].map(
                {value: _rest(result, name, value, axis) for value in table[name].unique().tolist()}
            )
            for name in dict.fromkeys([*points, *measures.lines])
            if name != axis
        }
    )
    table = _with_heights(table, curve, y)
    usual = [name for name in words if name not in measures.lines]
    chosen = usual if panels is None else [panels] if isinstance(panels, str) else list(panels)
    for name in chosen:
        check_choice(name, list(words), "panels")
    own = [name for name in measures.lines if name in words and name not in chosen]
    rest = [name for name in words if name not in (*own, *chosen)]
    differing, _ = _split_words(words[rest], ", ")
    parts = zip(*(words[name] for name in own), differing, strict=True)
    table["line"] = [", ".join(filter(None, part)) for part in parts]
    table["panel"], alike = _split_words(words[chosen], ",\n")
    known, notes = _known_points(table, y)
    cases = {str(heading): part for heading, part in known.groupby("panel", sort=False)}
    drawn = dict(list(cases.items())[:MOST_PANELS])
    shown = pd.concat(drawn.values())
    lines, total, ticks = shown["line"].unique().tolist(), len(drawn), _upright_ticks(shown, curve)
    headings, key, names = list(drawn), "", plot_labels(names, 24)
    width = max(46 / total, text_width(headings) + 1, len(names) * (text_width(names) + 2), 8.0)
    sheet = PlotSheet(ax, total * (width + PANELS_APART) - PANELS_APART + 1, 22.0)
    _draw_upright_axis(sheet.ax, curve.label, ticks)
    if not sheet.is_new:
        width = (sheet.across - 1 + PANELS_APART) / total - PANELS_APART
        width = max(NARROWEST_PANEL, width)
        headings, key = _keyed_headings(headings, width + PANELS_APART - 0.5)
    _draw_panels(
        sheet.ax,
        dict(zip(headings, drawn.values(), strict=True)),
        lines,
        width=width,
        floor=ticks[0],
        names=names,
        is_logarithmic=axis in LOGARITHMIC and _spans_magnitude(places.values()),
    )
    handles: list[Any] = [
        Line2D([], [], label=label, **_method_style(position, names))
        for position, label in enumerate(plot_labels(lines, 56))
    ]
    if shown["low"].notna().any():
        bands = (curve.band, "one standard deviation either way", "two standard errors either way")
        band = bands[_times(curve)]
        handles.append(Patch(color=GRAY, alpha=0.4, lw=0, label=f"band: {band}"))
    if shown["dotted"].notna().any():
        label = f"dotted: {curve.dotted_is}"
        handles.append(Line2D([], [], label=label, **_dotted_style()))
    each = f"{count_range(shown['cells'], measures.noun)} for each point"
    without = [name for name in _named(result, column) if name not in places]
    notes = [
        key,
        ", ".join(filter(None, [*alike, each])),
        *notes,
        f"not drawn, without {axis}: {listed(without)}" if without and not names else "",
        f"the first {MOST_PANELS} of {counted(len(cases), 'panel')}" * (len(cases) > MOST_PANELS),
        *result.notes,
    ]
    label = AXES.get(axis, axis.replace("_", "-"))
    lines_above = max(len(heading.splitlines()) for heading in headings)
    raised = 0.8 + 1.3 * lines_above if lines_above else 0.0
    return sheet.finish(notes, axis=label, handles=handles, columns=2, raised=raised)


def _draw_upright_axis(ax: Axes, label: str, ticks: Sequence[float]) -> None:
    open_frame(ax, ("top", "right", "bottom"), "y")
    ax.set_ylabel(label)
    if len(ticks) > 1:
        margin = 0.02 * (ticks[-1] - ticks[0])
        ax.set_ylim(ticks[0] - margin, ticks[-1] + margin)
        ax.set_yticks(ticks)


def _rows_where(
    table: pd.DataFrame, columns: Sequence[str], where: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the rows of a table with the given values."""
    for name, value in where.items():
        check_choice(name, list(columns), "where")
        known = table[name].unique().tolist()
        if value not in known:
            check_choice(value, known, f"where[{name!r}]")
        table = table[table[name] == value]
        if table.empty:
            raise InvalidInputError("where", "values that occur together", dict(where))
    return table


def _named(result: StudyResult, column: str) -> dict[str, Named]:
    """Return the named values of a dimension of the grid, by name."""
    values = getattr(result.study, "data" if column == "model" else f"{column}s", ())
    return {one.name: one for one in values if isinstance(one, Named)}


def _along(
    result: StudyResult, table: pd.DataFrame, points: Sequence[str], x: str | None
) -> tuple[str, str, dict[Any, float]]:
    """Return the variable along the axis, its column, and the positions of the values there."""
    found: dict[str, tuple[str, dict[Any, float]]] = {}
    for column in reversed(points):
        named = _named(result, column)
        for value in table[column].unique().tolist():
            one = vars(named[value]) if value in named else {column: value}
            for name, number in one.items():
                if isinstance(number, Real) and (name == column or name not in points):
                    found.setdefault(name, (column, {}))[1][value] = float(number)
    numbers = {name: len(set(at.values())) for name, (_, at) in found.items()}
    # The variable with the most values first.
    varying = sorted((n for n in numbers if numbers[n] > 1), key=numbers.__getitem__, reverse=True)
    texts = {name: table[name].unique().tolist() for name in points if name not in found}
    usual = [name for name in result.measures.usual_x if name in varying]
    several = [name for name, values in texts.items() if len(values) > 1]
    fallback = [*usual, *varying, *several, *found, *texts]
    axis = check_choice(x or fallback[0], list(dict.fromkeys([*varying, *found, *texts])), "x")
    if axis in found:
        return axis, *found[axis]
    return axis, axis, {value: float(number) for number, value in enumerate(texts[axis])}


def _spans_magnitude(numbers: Iterable[float]) -> bool:
    values = sorted(set(numbers))
    return len(values) > 2 and 0 < MAGNITUDE * values[0] <= values[-1]


def _rest(result: StudyResult, column: str, value: Any, axis: str) -> str:
    """Return a value in words, without the number along the axis."""
    named = _named(result, column)
    return named[value].name_without(axis) if value in named else WORDS.get(column, str)(value)


def _times(curve: Curve) -> int:
    """Return the number of standard errors or deviations on either side of a band."""
    return 0 if not curve.around else 2 if curve.around.startswith("se_") else 1


def _with_heights(table: pd.DataFrame, curve: Curve, y: str) -> pd.DataFrame:
    """Return a table with the heights of points and of the ends of their bands."""
    middle = table[y].astype(np.float64)
    empty = pd.Series(np.nan, index=table.index)
    low, high = (table[end] for end in curve.ends) if curve.ends else (empty, empty)
    if curve.around:
        around = _times(curve) * table[curve.around].astype(np.float64)
        low, high = ((middle + sign * around).clip(curve.least, curve.most) for sign in (-1, 1))
    dotted = empty
    if curve.dotted:
        dotted = (
            table[curve.dotted] if isinstance(curve.dotted, str) else empty.fillna(curve.dotted)
        )
    return table.assign(middle=middle, low=low, high=high, dotted=dotted)


def _split_words(words: pd.DataFrame, between: str) -> tuple[list[str], list[str]]:
    """Return the words in which rows differ, one text a row, and those that they share."""
    alike, differing = list[str](), list[list[str]]()
    for name in words:
        parts = [text.split(", ") for text in words[name]]
        shared = set(parts[0]).intersection(*parts)
        alike += [part for part in parts[0] if part in shared and part]
        differing.append([", ".join(p for p in one if p not in shared) for one in parts])
    if not differing:
        return [""] * len(words), alike
    return [between.join(filter(None, one)) for one in zip(*differing, strict=True)], alike


def _known_points(table: pd.DataFrame, y: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows of lines with some point, and a note on the others."""
    has_some = table.groupby("line")["middle"].transform("count") > 0
    is_known = table.groupby(["line", "panel"])["middle"].transform("count") > 0
    if not has_some.any():
        raise InvalidInputError("y", "a column with known values", y)
    without = table["line"][~has_some].unique().tolist()
    return table[is_known], [f"not drawn, because unknown: {listed(without)}"] * bool(without)


def _upright_ticks(table: pd.DataFrame, curve: Curve) -> list[float]:
    """Return the ticks of the upright axis; only the first if values have no upper bound."""
    if curve.most is None:
        return [curve.least]
    heights = table[["middle", "low", "high", "dotted"]].to_numpy(np.float64)
    lowest, highest = np.nanmin(heights), np.nanmax(heights)
    if lowest < 0:
        return [-1.0, -0.5, 0.0, 0.5, 1.0]
    if lowest >= HALF:
        return [*map(float, np.linspace(NEAR_ONE if lowest >= NEAR_ONE else HALF, 1, 6))]
    step = next(step for step in STEPS if highest <= 6 * step)
    return [step * k for k in range(1 + max(1, int(np.ceil(highest / step - 1e-9))))]
