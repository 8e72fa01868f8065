"""Lines in panels: what studies found, and what is left on fewer tasks or systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from string import ascii_lowercase
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from rankagg._typing import Floats, Ranks
from rankagg._validation import check_choice
from rankagg.analysis import Stability
from rankagg.core import count_range, counted, listed
from rankagg.cultures import Named
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.sheet import (
    PlotSheet,
    open_frame,
    round_ticks,
    text_width,
)
from rankagg.plotting.theme import (
    ACCENTS,
    GRAY,
    INK,
    PALE,
    dot,
    letter,
    method_look,
    plot_labels,
    plot_of,
    stroke,
)
from rankagg.studies.measures import Curve
from rankagg.studies.study import StudyResult

# Curves of so many points have a marker at each.
MARKED = 12
# Bold letters are wider than others.
BOLD = 1.12
# A panel has so many ticks at most, numbers of neighbors are so far apart, and panels are so far
# apart and no narrower than that, in multiples of the font size.
MOST_TICKS, TICKS_APART, PANELS_APART, NARROWEST_PANEL = 5, 0.8, 2.5, 2.0
# More panels are wider than a page.
MOST_PANELS: Final = 6
#: What is along the axis of a parameter; others are called as they are.
AXES: Final = {
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
#: Points of a grid in words, by their column; others are called as they are.
WORDS: Final[Mapping[str, Callable[[Any], str]]] = {
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
# Those of these that span an order of magnitude are on a logarithmic scale.
LOGARITHMIC: Final = ("n_items", "n_rankings", "factor", "scale")
MAGNITUDE: Final = 10
# Where the upright axis of shares starts, if none is lower, and its steps if some is.
HALF, NEAR_ONE = 0.5, 0.9
STEPS = (0.02, 0.05, 0.1, 0.2)
OUTER = (0.05, 0.5, 0.95)
MOST_UNITS_DRAWN: Final = 30
#: Color, marker and size (in usual markers) of a unit, and its words in the legend.
FATES: Final = {
    "stays": (ACCENTS[0], "o", 1.0, "the winner stays"),
    "changes": (ACCENTS[1], "D", 1.3, "another winner, named at the right"),
    "unknown": (GRAY, "x", 1.3, "nothing in common to compare"),
    "undecided": (GRAY, "P", 1.3, "not decided within the limit"),
}


@dataclass(frozen=True)
class _PanelScale:
    """Where the values of a panel stand on the axis that all share."""

    # Shape (n,). The different values, from the least to the greatest.
    values: Floats
    # Where the panel starts, and how wide it is, in multiples of the font size.
    left: float
    width: float
    is_logarithmic: bool = False

    def place(self, values: Floats) -> Floats:
        """Return where values stand; in the middle where there is only one."""
        if len(self.values) == 1:
            return np.full(len(values), self.left + self.width / 2)
        ends = self.values[[0, -1]]
        if self.is_logarithmic:
            values, ends = np.log(values), np.log(ends)
        places: Floats = self.left + self.width * (values - ends[0]) / (ends[1] - ends[0])
        return places

    def ticks(self) -> dict[float, str]:
        """Return round values by where they stand, as many as there is room for."""
        own, (low, high) = self._named(self.values), self.values[[0, -1]]
        if self.is_logarithmic and _are_apart(own):
            return own
        for most in range(MOST_TICKS, 1, -1):
            rounded = MaxNLocator(nbins=most, steps=[1, 2, 5, 10])
            values = np.asarray(rounded.tick_values(low, high))
            ticks = self._named(values[(values >= low) & (values <= high)])
            if low < high and len(ticks) > 1 and _are_apart(ticks) and not self.is_logarithmic:
                return ticks
        # The ends where no two round values have room.
        ends = self._named(self.values[[0, -1]])
        return ends if _are_apart(ends) else self._named(self.values[:1])

    def _named(self, numbers: Floats) -> dict[float, str]:
        places = self.place(numbers)
        return {float(place): f"{x:g}" for place, x in zip(places, numbers, strict=True)}


def _are_apart(ticks: dict[float, str]) -> bool:
    """Say whether numbers along an axis in multiples of the font size have room."""
    ends = [(at - text_width([x]) / 2, at + text_width([x]) / 2) for at, x in ticks.items()]
    return all(after[0] - before[1] >= TICKS_APART for before, after in pairwise(ends))


@dataclass(frozen=True)
class _Panel:
    """One case: its heading, and a row for each point.

    A row has its line in `line`, where it is on the axis in `at`, its height in `middle`, the ends
    of its band in `low` and `high`, and in `dotted` a height for comparison; NaN where there is
    none.
    """

    heading: str
    table: pd.DataFrame


def _draw_panels(
    ax: Axes | None,
    panels: Sequence[_Panel],
    label: str,
    *,
    upright: Sequence[float],
    names: Sequence[str] = (),
    is_logarithmic: bool = False,
) -> tuple[PlotSheet, list[Any], float, str]:
    """Draw panels next to each other with a common upright axis.

    That starts at the first of its ticks, and ends at the last where there are several. Where
    `names` are given, values are their numbers, and points of several lines are next to each
    other. Returned are the marks of a legend, the height of the headings, and what they are where
    they have no room.
    """
    headings, total = [panel.heading for panel in panels], len(panels)
    lines = list(dict.fromkeys(line for panel in panels for line in panel.table["line"]))
    each = max(8.0, 46.0 / total, text_width(headings) + 1, len(names) * (text_width(names) + 2))
    sheet, key = PlotSheet(ax, total * (each + PANELS_APART) - PANELS_APART + 1, 22.0), ""
    ax = sheet.ax
    open_frame(ax, ("top", "right", "bottom"), "y")
    # What is next to given axes narrows them.
    ax.set_ylabel(label)
    if len(upright) > 1:
        margin = 0.02 * (upright[-1] - upright[0])
        ax.set_ylim(upright[0] - margin, upright[-1] + margin)
        ax.set_yticks(upright)
    if not sheet.is_new:
        each = max(NARROWEST_PANEL, (sheet.across - 1 + PANELS_APART) / total - PANELS_APART)
        headings, key = _keyed_headings(headings, each + PANELS_APART - 0.5)
    inset = each / 2 / len(names) if names else 0.0
    ticks: dict[float, str] = {}
    for number, (heading, panel) in enumerate(zip(headings, panels, strict=True)):
        left = number * (each + PANELS_APART)
        values = np.unique(panel.table["at"].to_numpy(np.float64))
        scale = _PanelScale(
            np.arange(max(len(names), 1), dtype=np.float64) if names else values,
            left + inset,
            each - 2 * inset,
            is_logarithmic,
        )
        compared = set[bytes]()
        for position, line in enumerate(lines):
            part = panel.table[panel.table["line"] == line].sort_values("at", kind="stable")
            if part.empty:
                continue
            # Within 0.6 of the room for a name.
            beside = 0.6 * inset * (2 * (position + 0.5) / len(lines) - 1)
            x, gid = scale.place(part["at"].to_numpy(np.float64)) + beside, f"{number}-{position}"
            # Points of different names are not joined.
            look = method_look(position) | ({"ls": "none"} if names else {})
            _draw_line(ax, gid, x, part, look | {"zorder": 3 + position, "clip_on": False})
            dotted = part["dotted"].to_numpy(np.float64)
            if np.isfinite(dotted).any() and dotted.tobytes() not in compared:
                compared.add(dotted.tobytes())
                look = _dotted_look() | {"gid": f"dotted-{gid}", "clip_on": False, "zorder": 20}
                # One height for all is a line, without crosses.
                is_line = len(np.unique(dotted)) == 1 < len(x)
                ax.plot(x, dotted, **look | ({"marker": ""} if is_line else {}))
        places = scale.place(scale.values).tolist()
        ticks |= dict(zip(places, names, strict=True)) if names else scale.ticks()
        ax.hlines(upright[0], left, left + each, color=INK, lw=stroke(0.5), zorder=1, gid="floor")
        place: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "annotation_clip": False}
        place |= {"xytext": (0.0, letter(0.4)), "textcoords": "offset points", "gid": "heading"}
        text = ax.annotate(heading, (left, 1.0), **place)
        text.set(va="bottom", weight="bold", parse_math=False)
    ax.set_xlim(-0.5, total * (each + PANELS_APART) - PANELS_APART + 0.5)
    # Names that have no room next to each other are upright.
    turned: Any = 90 if names and text_width(names) + 1 > each / len(names) else 0
    ax.set_xticks(list(ticks), list(ticks.values()), parse_math=False, rotation=turned)
    handles = [
        Line2D([], [], label=label, **method_look(k) | ({"ls": "none"} if names else {}))
        for k, label in enumerate(plot_labels(lines, 56))
    ]
    above = 0.8 + 1.3 * max(len(heading.splitlines()) for heading in headings)
    return sheet, handles, above if any(headings) else 0.0, key


def _dotted_look() -> dict[str, Any]:
    """Return how heights for comparison look."""
    return {"color": INK, "ls": ":", "lw": stroke(0.9), "marker": "x", "mew": stroke(0.9)}


def _draw_line(ax: Axes, gid: str, x: Floats, part: pd.DataFrame, look: dict[str, Any]) -> None:
    """Draw the middles in a band, where there is one."""
    low, high = (part[end].to_numpy(np.float64) for end in ("low", "high"))
    shade = {"color": look["color"], "zorder": 2}
    # Points that are not joined, and a single one, have bars.
    if look["ls"] == "none" or len(x) == 1:
        ax.vlines(x, low, high, lw=stroke(0.7), gid=f"bars-{gid}", **shade)
    else:
        known = (np.isfinite(low) & np.isfinite(high)).tolist()
        ax.fill_between(x, low, high, where=known, alpha=0.18, lw=0, gid=f"band-{gid}", **shade)
    every = 1 if len(x) <= MARKED else -(-len(x) // 8)
    ax.plot(x, part["middle"], gid=f"line-{gid}", markevery=every, **look)


def _keyed_headings(headings: Sequence[str], room: float) -> tuple[list[str], str]:
    """Return headings as they fit, and what they stand for where these are but letters."""
    if BOLD * text_width(headings) <= room:
        return list(headings), ""
    total = len(headings)
    numbers = map(str, range(1, total + 1))
    letters = [*(ascii_lowercase[:total] if total <= len(ascii_lowercase) else numbers)]
    told = (" ".join(heading.split()) for heading in headings)
    return letters, "; ".join(f"{a}: {b}" for a, b in zip(letters, told, strict=True))


# -- studies ---------------------------------------------------------------------------------------


@plot_of(StudyResult, "The `run` of a study")
def study_plot(
    result: StudyResult,
    *,
    x: str | None = None,
    y: str | None = None,
    panels: str | Sequence[str] | None = None,
    where: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what a study found: a line for each method over what varies, in panels.

    Parameters
    ----------
    result : result of a study
        What its `run` returned.
    x : str, optional
        What is along the axis: a dimension of the grid such as "n_items" or "proportion", a number
        in what a study runs through such as "phi" or "factor", or "model" or "removal" for
        names side by side. By default the number that the study is about, or the first that varies.
    y : str, optional
        The column that is drawn; by default the first of those that the class of the result has a
        label for. A message lists them.
    panels : str or sequence of str, optional
        Columns with a panel for each of their values; by default all but that along the axis.
        Values of other columns have lines of their own, and of all where this is empty.
    where : mapping from column to value, optional
        Draw only the rows with these values, as ``{"alpha": 0.01}``.

    Raises
    ------
    InvalidInputError
        If the argument is no result of a study, or the study has no such column or value.

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
    # What is along the axis is no part of a case.
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
    differing, _ = _told_apart(words[rest], ", ")
    parts = zip(*(words[name] for name in own), differing, strict=True)
    table["line"] = [", ".join(filter(None, part)) for part in parts]
    table["panel"], alike = _told_apart(words[chosen], ",\n")
    drawn, notes = _drawn(table, y)
    cases = [_Panel(str(head), part) for head, part in drawn.groupby("panel", sort=False)]
    shown = pd.concat([panel.table for panel in cases[:MOST_PANELS]])
    sheet, handles, above, key = _draw_panels(
        ax,
        cases[:MOST_PANELS],
        curve.label,
        upright=_upright(shown, curve),
        names=plot_labels(names, 24),
        is_logarithmic=axis in LOGARITHMIC and _spans_magnitude(places.values()),
    )
    if shown["low"].notna().any():
        bands = {0: curve.band, 1: "one standard deviation either way"}
        band = bands.get(_times(curve), "two standard errors either way")
        handles.append(Patch(color=GRAY, alpha=0.4, lw=0, label=f"band: {band}"))
    if shown["dotted"].notna().any():
        label = f"dotted: {curve.dotted_is}"
        handles.append(Line2D([], [], label=label, **_dotted_look()))
    each = f"{count_range(shown['cells'], measures.noun)} for every point"
    without = [name for name in _named(result, column) if name not in places]
    notes = [
        key,
        ", ".join(filter(None, [*alike, each])),
        *notes,
        f"without {axis}, and not shown: {listed(without)}" if without and not names else "",
        f"the first {MOST_PANELS} of {counted(len(cases), 'panel')}" * (len(cases) > MOST_PANELS),
        *result.notes,
    ]
    label = AXES.get(axis, axis.replace("_", "-"))
    return sheet.finish(notes, axis=label, handles=handles, columns=2, above=above)


def _rows_where(
    table: pd.DataFrame, columns: Sequence[str], where: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the rows of the table with some values."""
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
    """Return what a grid runs through and has a name, by that."""
    values = getattr(result.study, "data" if column == "model" else f"{column}s", ())
    return {one.name: one for one in values if isinstance(one, Named)}


def _along(
    result: StudyResult, table: pd.DataFrame, points: Sequence[str], x: str | None
) -> tuple[str, str, dict[Any, float]]:
    """Return what is along the axis, its column, and where the values of that are."""
    found: dict[str, tuple[str, dict[Any, float]]] = {}
    for column in reversed(points):
        named = _named(result, column)
        for value in table[column].unique().tolist():
            one = vars(named[value]) if value in named else {column: value}
            for name, number in one.items():
                if isinstance(number, Real) and (name == column or name not in points):
                    found.setdefault(name, (column, {}))[1][value] = float(number)
    numbers = {name: len(set(at.values())) for name, (_, at) in found.items()}
    # That with the most values first.
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
    """Return a value in words, without the number that is along the axis."""
    named = _named(result, column)
    return named[value].name_without(axis) if value in named else WORDS.get(column, str)(value)


def _times(curve: Curve) -> int:
    """Return how many standard errors, or deviations, a band has either way."""
    return 0 if not curve.around else 2 if curve.around.startswith("se_") else 1


def _with_heights(table: pd.DataFrame, curve: Curve, y: str) -> pd.DataFrame:
    """Return a table with the heights of points, and those of the ends of their bands."""
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


def _told_apart(words: pd.DataFrame, between: str) -> tuple[list[str], list[str]]:
    """Return a text for each row of what differs between rows, and what all share."""
    alike, differing = list[str](), list[list[str]]()
    for name in words:
        parts = [text.split(", ") for text in words[name]]
        shared = set(parts[0]).intersection(*parts)
        alike += [part for part in parts[0] if part in shared and part]
        differing.append([", ".join(p for p in one if p not in shared) for one in parts])
    if not differing:
        return [""] * len(words), alike
    return [between.join(filter(None, one)) for one in zip(*differing, strict=True)], alike


def _drawn(table: pd.DataFrame, y: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows of lines that have some point, and which have none."""
    has_some = table.groupby("line")["middle"].transform("count") > 0
    is_known = table.groupby(["line", "panel"])["middle"].transform("count") > 0
    if not has_some.any():
        raise InvalidInputError("y", "a column that the study knows something of", y)
    without = table["line"][~has_some].unique().tolist()
    return table[is_known], [f"not drawn, as it is not known: {listed(without)}"] * bool(without)


def _upright(table: pd.DataFrame, curve: Curve) -> list[float]:
    """Return the ticks of the upright axis; its start alone where the values have no end."""
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


# -- fewer tasks or systems ------------------------------------------------------------------------


@plot_of(Stability, "rankagg.stability")
def robustness_plot(result: Stability, *, ax: Axes | None = None) -> Axes:
    """Draw how near consensuses of fewer tasks, or systems, come to that of all data.

    A line for the median of tau over the subsets of each size, in a band from the 5 % to the
    95 % quantile, and one for the share of subsets with the same winner. An analysis without
    subsets is drawn as what leaving out each single task, or system, changes: a dot for each,
    the most influential first.

    Parameters
    ----------
    result : Stability
        The analysis.

    References
    ----------
    Colombo et al. (2022), "What are the best systems? New perspectives on NLP benchmarking",
    https://doi.org/10.48550/arXiv.2202.03799, draw tau against the number of tasks.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> table = ra.datasets.load("superglue_human")
    >>> result = ra.stability(table, ra.Borda(), n_samples=20, rng=0)
    >>> ax = plotting.robustness_plot(result)
    >>> ax.get_xlabel()
    'tasks kept, of 10'
    """
    frame = result.subsets(OUTER)
    if frame.empty:
        return _draw_influence(result, ax)
    ends = dict(zip(("low", "middle", "high"), (f"tau_{q:g}" for q in OUTER), strict=True))
    curves = {
        "tau: median": frame[list(ends.values())].set_axis(list(ends), axis=1),
        "share of subsets with the same winner": frame[["top1"]].set_axis(["middle"], axis=1),
    }
    rows = pd.concat([part.assign(line=name, at=frame.index) for name, part in curves.items()])
    panel = _Panel("", rows.assign(dotted=np.nan))
    lowest = float(np.nanmin(rows[["low", "middle"]].to_numpy(np.float64), initial=1.0))
    upright = np.linspace(-1.0 if lowest < 0 else 0.0, 1.0, 5 if lowest < 0 else 6).tolist()
    label = "agreement with the consensus\nof all data"
    sheet, handles, *_ = _draw_panels(ax, [panel], label, upright=upright)
    parts, whole = result.on_subsets, result.consensus.ranking.ranks
    undefined = sum(part.is_proved and not _has_tau(part.ranks, whole) for part in parts)
    total = counted(len(parts), "subset")
    notes = [
        f"{result.consensus.rule.name}, {count_range(frame['subsets'], 'subset')} of each size",
        f"tau is not defined in {undefined} of {total}: all systems tie" if undefined else "",
        *result.notes,
    ]
    middle_part = Patch(color=PALE, label="tau: 5 % to 95 % of subsets")
    return sheet.finish(
        notes,
        axis=f"{result.noun} kept, of {len(result.units)}",
        handles=[*handles, middle_part],
    )


def _has_tau(first: Ranks, second: Ranks) -> bool:
    """Say whether both tell some of their common items apart."""
    common = (first >= 0) & (second >= 0)
    return all(len(np.unique(ranks[common])) > 1 for ranks in (first, second))


def _draw_influence(stability: Stability, ax: Axes | None) -> Axes:
    """Draw a dot for each unit: its distance, and whether its absence changes the winner."""
    frame = stability.influence().sort_values("distance", ascending=False, kind="stable")
    no_winner, no_distance = frame["winner"].isna(), frame["distance"].isna() | frame["top1"].isna()
    fates = [no_winner, no_distance, frame["top1"] < 1 - 1e-9]
    frame["fate"] = np.select(fates, ["undecided", "unknown", "changes"], "stays")
    shown = frame.head(MOST_UNITS_DRAWN)
    sheet = PlotSheet(ax, 30.0, 1.5 * len(shown) + 1)
    ax, names = sheet.ax, sheet.names(shown.index, share=0.3)
    for row, (distance, fate) in enumerate(zip(shown["distance"], shown["fate"], strict=True)):
        end = 0.0 if np.isnan(distance) else float(distance)
        ax.plot([0, end], [row, row], color=GRAY, lw=stroke(0.5), zorder=2)
        ax.plot(end, row, zorder=3, clip_on=False, gid=f"{fate}-{row}", **_fate_look(str(fate)))
    sheet.name_rows(names)
    news = np.flatnonzero(shown["fate"] == "changes")
    if len(news):
        winners = [sheet.names([str(shown["winner"].iloc[k])], share=0.25)[0] for k in news]
        sheet.name_rows_at_right(news.tolist(), winners)
    farthest = float(np.nanmax([1.0, *shown["distance"]]))
    ax.set_xlim(-0.03 * farthest, 1.05 * farthest)
    ax.set_xticks(round_ticks(0, farthest, whole=True))
    open_frame(ax, ("top", "right", "left"), "x")
    handles = [
        Line2D([], [], label=words, **_fate_look(fate))
        for fate, (*_, words) in FATES.items()
        if fate in set(shown["fate"])
    ]
    name, total = stability.consensus.rule.name, len(stability.units)
    notes = [
        f"{name}, without one of {total} {stability.noun}",
        _not_drawn(frame.iloc[MOST_UNITS_DRAWN:], stability.noun),
        *stability.notes,
    ]
    return sheet.finish(notes, axis="pairs in another order, half for a tie", handles=handles)


def _fate_look(fate: str) -> dict[str, Any]:
    color, marker, scale, _ = FATES[fate]
    return {"color": color, "marker": marker, "ms": dot(scale), "ls": "none"}


def _not_drawn(rest: pd.DataFrame, noun: str) -> str:
    if rest.empty:
        return ""
    changes, highest = int((rest["fate"] == "changes").sum()), rest["distance"].max()
    winners = f"the winner changes in {changes}" if changes else "the winner stays"
    which = "" if np.isnan(highest) else f" with a distance of at most {highest:g}; {winners}"
    return f"not drawn: {len(rest)} {noun}{which}"
