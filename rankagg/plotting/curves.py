"""Curves in bands on one axis, and panels of them beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from string import ascii_lowercase
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from rankagg._typing import Floats
from rankagg.core import counted, listed
from rankagg.cultures import Named
from rankagg.plotting.sheet import PlotSheet, open_frame, round_ticks, text_width
from rankagg.plotting.theme import GRAY, INK, letter, method_look, plot_labels, stroke
from rankagg.studies.study import StudyResult

# Curves of so many points have a marker at each, and so many numbers stand along the axis.
MARKED = 12
# More panels are wider than a page.
MOST_PANELS = 6
#: What stands along the axis of a parameter; others are called as they are.
AXES: Final = {
    "model": "models",
    "n_items": "items",
    "n_rankings": "rankings",
    "n_corrupted": "corrupted tasks",
    "missing": "share of items missing",
    "proportion": "proportion of single scores removed",
    "step": "step between neighboring systems, in units of the noise's scale",
}
#: The ticks of shares.
SHARES: Final = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
# Bold letters are wider than others.
BOLD = 1.12


@dataclass(frozen=True, eq=False)
class Band:
    """One curve."""

    name: str
    # Shape (n,). Where its points are.
    at: Floats
    # Shape (n,). How high they are; NaN where that is not known.
    middle: Floats
    # Shape (n,). The ends of the band; NaN where there is none.
    low: Floats
    high: Floats

    @classmethod
    def around(cls, name: str, at: Any, mean: Any, std: Any, least: float) -> Band:
        """Return means with one standard deviation either way, as far as that can be."""
        places, middle, deviation = (np.asarray(part, np.float64) for part in (at, mean, std))
        ends = (np.clip(middle + sign * deviation, least, 1.0) for sign in (-1, 1))
        return cls(name, places, middle, *ends)


def band_sheet(ax: Axes | None, bands: Sequence[Band]) -> PlotSheet:
    """Return axes for curves, wide enough for their names above them."""
    return PlotSheet(ax, max(32.0, text_width(band.name for band in bands) + 4), 22.0)


def every_mark(number: int, total: int) -> tuple[int, int]:
    """Return which points of a curve have a marker: all of few."""
    every = 1 if total <= MARKED else -(-total // 8)
    return number % every, every


def draw_bands(ax: Axes, bands: Sequence[Band]) -> list[Line2D]:
    """Draw curves in their bands and return them, for a legend.

    Bands may cover each other, so that each is framed in the line of its curve.
    """
    curves = []
    for number, band in enumerate(bands):
        look, at = method_look(number), band.at
        known = (np.isfinite(band.low) & np.isfinite(band.high)).tolist()
        shade = {"color": look["color"], "alpha": 0.18, "lw": 0, "zorder": 1}
        ax.fill_between(at, band.low, band.high, where=known, gid=f"band-{number}", **shade)
        # A point without neighbors has no band, and two short bars instead.
        ends: dict[str, Any] = {"marker": "_" if len(at) <= MARKED else "", "mew": stroke(0.5)}
        ends |= {"color": look["color"], "ls": look["ls"], "lw": stroke(0.5)}
        ends |= {"zorder": 2, "clip_on": False}
        ax.plot(at, band.low, gid=f"low-{number}", **ends)
        ax.plot(at, band.high, gid=f"high-{number}", **ends)
        look |= {"markevery": every_mark(number, len(at)), "zorder": 4 + number, "clip_on": False}
        curves += ax.plot(at, band.middle, label=band.name, gid=f"curve-{number}", **look)
    return curves


def tau_axis(ax: Axes, lowest: float, start: float | None = None) -> None:
    """Set limits and ticks for shares and correlations: from -1 where one is negative."""
    if lowest < 0:
        ax.set_ylim(-1, 1)
        ax.set_yticks([-1, -0.5, 0, 0.5, 1])
        ax.axhline(0, color=INK, lw=stroke(0.5), zorder=0)
        return
    # In steps of 0.2.
    low = min(np.floor(5 * lowest + 1e-9), 4) / 5 if start is None else start
    step = 0.2 if low < 0.5 else 0.1 if low < 0.7 else 0.05
    ax.set_ylim(low, 1)
    ax.set_yticks(np.arange(round((1 - low) / step) + 1) * step + low)


def frame_curves(ax: Axes, bands: Sequence[Band], *, start: float | None = None) -> None:
    """Set limits, ticks and a grid for shares and correlations over whole numbers."""
    heights = np.concatenate([np.concatenate([b.middle, b.low]) for b in bands])
    tau_axis(ax, float(np.nanmin(heights, initial=1.0)), start)
    at = np.unique(np.concatenate([band.at for band in bands]))
    least, most = int(at.min()), int(at.max())
    ax.set_xlim(least - 0.5 * (least == most), most + 0.5 * (least == most))
    ax.set_xticks(at.tolist() if len(at) <= MARKED else round_ticks(least, most, whole=True))
    open_frame(ax)


# A panel has so many ticks at most, numbers of neighbors are so far apart, and panels are so far
# apart and no narrower than that, in multiples of the font size.
MOST_TICKS, TICKS_APART, PANELS_APART, NARROWEST_PANEL = 5, 0.8, 2.5, 2.0


@dataclass(frozen=True)
class PanelScale:
    """Where the values of a panel stand on the axis that all share."""

    # The least and the greatest value.
    low: float
    high: float
    # Where the panel starts, and how wide it is, in multiples of the font size.
    left: float
    width: float

    def place(self, values: Floats) -> Floats:
        """Return where values stand; in the middle where there is only one."""
        if self.low == self.high:
            return np.full(len(values), self.left + self.width / 2)
        return self.left + self.width * (values - self.low) / (self.high - self.low)

    def ticks(self) -> dict[float, str]:
        """Return round values by where they stand, as many as there is room for."""
        for most in range(MOST_TICKS, 1, -1):
            rounded = MaxNLocator(nbins=most, steps=[1, 2, 5, 10])
            values = np.asarray(rounded.tick_values(self.low, self.high))
            ticks = self._told(values[(values >= self.low) & (values <= self.high)])
            if self.low < self.high and len(ticks) > 1 and _are_apart(ticks):
                return ticks
        # The ends where no two round values have room.
        ends = self._told(np.unique([self.low, self.high]))
        return ends if _are_apart(ends) else self._told(np.array([self.low]))

    def _told(self, numbers: Floats) -> dict[float, str]:
        places = self.place(numbers)
        return {float(place): f"{x:g}" for place, x in zip(places, numbers, strict=True)}


def _are_apart(ticks: dict[float, str]) -> bool:
    """Say whether numbers along an axis in multiples of the font size have room."""
    ends = [(at - text_width([x]) / 2, at + text_width([x]) / 2) for at, x in ticks.items()]
    return all(after[0] - before[1] >= TICKS_APART for before, after in pairwise(ends))


@dataclass(frozen=True)
class StudyPanel:
    """One case of a study: what stands above it, and its rows.

    A row has where it stands in `at`, its height in `middle`, and the ends of its band in `low` and
    `high`, where there are some.
    """

    heading: str
    table: pd.DataFrame


def draw_study_panels(
    ax: Axes | None,
    panels: Sequence[StudyPanel],
    label: str,
    *,
    upright: Sequence[float] = SHARES,
    dashed: float | None = None,
    names: Sequence[str] = (),
) -> tuple[PlotSheet, float, str]:
    """Draw panels beside each other, a line for each method, with a common upright axis.

    That starts at the first of its ticks, and ends at the last where there are several. Where
    `names` are given, values are their numbers, and points of several methods stand beside each
    other. Returned are the height of the headings, and what they stand for where they have no room.
    """
    headings, total = [panel.heading for panel in panels], len(panels)
    methods = list(dict.fromkeys(panels[0].table["method"]))
    each = max(8.0, 46.0 / total, text_width(headings) + 1, len(names) * (text_width(names) + 2))
    sheet, key = PlotSheet(ax, total * (each + PANELS_APART) - PANELS_APART + 1, 22.0), ""
    ax = sheet.ax
    open_frame(ax, ("top", "right", "bottom"), "y")
    # What stands beside given axes narrows them.
    ax.set_ylabel(label)
    if len(upright) > 1:
        margin = 0.02 * (upright[-1] - upright[0])
        ax.set_ylim(upright[0] - margin, upright[-1] + margin)
        ax.set_yticks(upright)
    if dashed is not None:
        ax.axhline(dashed, color=GRAY, ls=(0, (2, 2)), zorder=1, gid="dashed")
    if not sheet.is_new:
        each = max(NARROWEST_PANEL, (sheet.across - 1 + PANELS_APART) / total - PANELS_APART)
        headings, key = keyed_headings(headings, each + PANELS_APART - 0.5)
    inset = each / 2 / len(names) if names else 0.0
    ticks: dict[float, str] = {}
    for number, (heading, panel) in enumerate(zip(headings, panels, strict=True)):
        at, left = panel.table["at"].to_numpy(np.float64), number * (each + PANELS_APART)
        scale = PanelScale(float(at.min()), float(at.max()), left + inset, each - 2 * inset)
        for position, method in enumerate(methods):
            part = panel.table[panel.table["method"] == method].sort_values("at", kind="stable")
            places = scale.place(part["at"].to_numpy(np.float64))
            # Within 0.6 of the room for a name.
            beside = 0.6 * inset * (2 * (position + 0.5) / len(methods) - 1)
            # Points of different models are not joined.
            look = method_look(position) | ({"ls": "none"} if names else {})
            look |= {"zorder": 3 + position, "clip_on": False}
            _draw_line(ax, f"{number}-{position}", places + beside, part, look)
        along = scale.place(np.arange(len(names), dtype=np.float64)).tolist()
        ticks |= dict(zip(along, names, strict=True)) if names else scale.ticks()
        ax.hlines(upright[0], left, left + each, color=INK, lw=stroke(0.5), zorder=1, gid="floor")
        place: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "annotation_clip": False}
        place |= {"xytext": (0.0, letter(0.4)), "textcoords": "offset points", "gid": "heading"}
        text = ax.annotate(heading, (left, 1.0), **place)
        text.set(va="bottom", weight="bold", parse_math=False)
    ax.set_xlim(-0.5, total * (each + PANELS_APART) - PANELS_APART + 0.5)
    # Names that have no room beside each other stand upright.
    turned: Any = 90 if names and text_width(names) + 1 > each / len(names) else 0
    ax.set_xticks(list(ticks), list(ticks.values()), parse_math=False, rotation=turned)
    return sheet, 0.8 + 1.3 * max(len(heading.splitlines()) for heading in headings), key


def _draw_line(ax: Axes, gid: str, x: Floats, part: pd.DataFrame, look: dict[str, Any]) -> None:
    """Draw the middles in a band, where there is one."""
    if "low" in part:
        shade = {"color": look["color"], "zorder": 2}
        ax.fill_between(x, part["low"], part["high"], alpha=0.18, lw=0, gid=f"band-{gid}", **shade)
        # A single point has no band.
        if len(x) == 1:
            ax.vlines(x, part["low"], part["high"], lw=stroke(0.5), **shade)
    marks = every_mark(0, len(x))
    ax.plot(x, part["middle"], gid=f"line-{gid}", markevery=marks, **look)


def named_in(result: StudyResult, column: str) -> dict[str, Named]:
    """Return what a grid runs through and has a name, by that."""
    values = getattr(result.study, f"{column}s", ())
    return {one.name: one for one in values if isinstance(one, Named)}


def numbers_along(result: StudyResult) -> dict[str, tuple[str, dict[Any, float]]]:
    """Return the numbers that a grid runs through, and those in what has a name there.

    By what they are called: the column where they are found, and the numbers by its values.
    """
    found: dict[str, tuple[str, dict[Any, float]]] = {}
    for column in reversed(result._grid):
        named = named_in(result, column)
        for value in result._frame[column].unique():
            one = vars(named[value]) if value in named else {column: value}
            for name, number in one.items():
                if isinstance(number, Real) and (name == column or name not in result._grid):
                    found.setdefault(name, (column, {}))[1][value] = float(number)
    return found


def varying(result: StudyResult) -> list[str]:
    """Return what such numbers are called that vary."""
    known = numbers_along(result).items()
    return [name for name, (_, values) in known if len(set(values.values())) > 1]


def cases_over(
    result: StudyResult, rows: pd.DataFrame, over: str, told: Callable[[Any], Sequence[str]]
) -> dict[Sequence[str], pd.DataFrame]:
    """Return the rows, with where they stand on an axis in `at`, by all else in words.

    `told` says what a point of the grid is, in a text for each of its dimensions.
    """
    column, numbers = numbers_along(result)[over]
    rows = rows[rows[column].isin(list(numbers))]
    # What is along the axis is no part of a case.
    named = named_in(result, column)
    kinds = {value: named[value].name_without(over) if named else 0 for value in numbers}
    rows = rows.assign(**{"at": rows[column].map(numbers), column: rows[column].map(kinds)})
    return {tuple(told(key)): part for key, part in rows.groupby(result._grid, sort=False)}


def panels_over(
    result: StudyResult, rows: pd.DataFrame, over: str, told: Callable[[Any], Sequence[str]]
) -> tuple[list[StudyPanel], str, list[str]]:
    """Return a panel for each case as far as there is room, what all share, and what is missing."""
    cases = cases_over(result, rows, over, told)
    alike, differing = [], []
    for values in zip(*cases, strict=True):
        parts = [value.split(", ") for value in values]
        shared = set(parts[0]).intersection(*parts)
        alike += [part for part in parts[0] if part in shared]
        differing.append([", ".join(p for p in one if p not in shared) for one in parts])
    headings = [",\n".join(filter(None, words)) for words in zip(*differing, strict=True)]
    panels = [StudyPanel(*each) for each in zip(headings, cases.values(), strict=True)]
    column, numbers = numbers_along(result)[over]
    left_out = [name for name in named_in(result, column) if name not in numbers]
    notes = [f"without {axis_of(over)}, and not shown: {listed(left_out)}"] if left_out else []
    if len(panels) > MOST_PANELS:
        notes.append(f"the first {MOST_PANELS} of {counted(len(panels), 'panel')}")
    return panels[:MOST_PANELS], ", ".join(filter(None, alike)), notes


def axis_of(over: str) -> str:
    """Return what stands along an axis."""
    return AXES.get(over, over.replace("_", "-"))


def method_keys(names: Iterable[str], **look: Any) -> list[Any]:
    """Return the lines of a legend, one for each method."""
    labels = enumerate(plot_labels(names, 40))
    return [Line2D([], [], label=label, **method_look(k) | look) for k, label in labels]


def keyed_headings(headings: Sequence[str], room: float) -> tuple[list[str], str]:
    """Return headings as they fit, and what they stand for where these are but letters."""
    if BOLD * text_width(headings) <= room:
        return list(headings), ""
    total = len(headings)
    numbers = map(str, range(1, total + 1))
    letters = [*(ascii_lowercase[:total] if total <= len(ascii_lowercase) else numbers)]
    told = (" ".join(heading.split()) for heading in headings)
    return letters, "; ".join(f"{a}: {b}" for a, b in zip(letters, told, strict=True))
