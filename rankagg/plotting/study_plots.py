"""The plot of studies: a line for each method over what varies, in panels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from rankagg._validation import check_choice
from rankagg.core import counted, counts_told, listed
from rankagg.cultures import Named
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.curves import Panel, dotted_look, draw_panels
from rankagg.plotting.theme import GRAY, plot_labels, plot_of
from rankagg.studies.measures import Curve
from rankagg.studies.study import StudyResult

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
    names = [str(value) for value in places] if axis == column and _is_named(places) else []
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
    cases = [Panel(str(head), part) for head, part in drawn.groupby("panel", sort=False)]
    shown = pd.concat([panel.table for panel in cases[:MOST_PANELS]])
    sheet, handles, above, key = draw_panels(
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
        handles.append(Line2D([], [], label=label, **dotted_look()))
    each = f"{counts_told(shown['cells'], measures.noun)} for every point"
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


def _is_named(places: Mapping[Any, float]) -> bool:
    return any(isinstance(value, str) for value in places)


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
