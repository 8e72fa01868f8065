"""Lines: curves in bands in panels, ranks from rule to rule, and overlaps of the first items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from rankagg._typing import Floats, Positions, Ranks
from rankagg.analysis import RuleComparison
from rankagg.analysis.comparison.agreement import flow_slots
from rankagg.core import counted
from rankagg.plotting.sheet import (
    PlotSheet,
    open_frame,
    plain_legend,
    rank_ticks,
    right_names,
    text_width,
)
from rankagg.plotting.theme import (
    ACCENTS,
    GRAY,
    INK,
    LINES,
    NO_RANK,
    dot,
    letter,
    method_look,
    plot_labels,
    plot_of,
    stroke,
)

# Curves of so many points have a marker at each.
MARKED = 12
# Bold letters are wider than others.
BOLD = 1.12
# A panel has so many ticks at most, numbers of neighbors are so far apart, and panels are so far
# apart and no narrower than that, in multiples of the font size.
MOST_TICKS, TICKS_APART, PANELS_APART, NARROWEST_PANEL = 5, 0.8, 2.5, 2.0


def _every_mark(number: int, total: int) -> tuple[int, int]:
    """Return which points of a curve have a marker: all of few."""
    every = 1 if total <= MARKED else -(-total // 8)
    return number % every, every


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
class Panel:
    """One case: its heading, and a row for each point.

    A row has its line in `line`, where it is on the axis in `at`, its height in `middle`, the ends
    of its band in `low` and `high`, and in `dotted` a height for comparison; NaN where there is
    none.
    """

    heading: str
    table: pd.DataFrame


def draw_panels(
    ax: Axes | None,
    panels: Sequence[Panel],
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
                look = dotted_look() | {"gid": f"dotted-{gid}", "clip_on": False, "zorder": 20}
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


def dotted_look() -> dict[str, Any]:
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
    marks = _every_mark(0, len(x))
    ax.plot(x, part["middle"], gid=f"line-{gid}", markevery=marks, **look)


def _keyed_headings(headings: Sequence[str], room: float) -> tuple[list[str], str]:
    """Return headings as they fit, and what they stand for where these are but letters."""
    if BOLD * text_width(headings) <= room:
        return list(headings), ""
    total = len(headings)
    numbers = map(str, range(1, total + 1))
    letters = [*(ascii_lowercase[:total] if total <= len(ascii_lowercase) else numbers)]
    told = (" ".join(heading.split()) for heading in headings)
    return letters, "; ".join(f"{a}: {b}" for a, b in zip(letters, told, strict=True))


@plot_of(RuleComparison, "rankagg.compare")
def bump_chart(
    comparison: RuleComparison,
    *,
    top: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a rank-flow (bump) chart: a column for each rule, a line for each item.

    Every item has a height of its own in every column; tied items are joined by a bar.
    Lines that go up or down are colored, straight ones gray.

    Parameters
    ----------
    comparison : RuleComparison
        The consensuses.
    top : int, optional
        Draw only the first items of the exact rule (of the last one where none is exact),
        in their order among themselves.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> comparison = ra.compare(ra.datasets.load("borda_fails_condorcet"))
    >>> ax = plotting.bump_chart(comparison)
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['Borda', 'Copeland', 'Kemeny']
    """
    names = comparison.rules
    ranks = np.stack([comparison[name].ranking.ranks for name in names])
    kept, note = _kept_items(comparison, top)
    ranks = ranks[:, kept]
    slots, columns = flow_slots(ranks), plot_labels(names, 24)
    step = max(9.0, 0.62 * max(map(len, columns)) + 2)
    sheet = PlotSheet(ax, step * max(len(names) - 1, 0.5), 1.5 * (slots.max() + 1))
    ax, labels = sheet.ax, sheet.names(comparison.consensuses[0].items.at(kept), share=0.25)
    moved = np.ptp(slots, axis=0) > 0
    for position, column in enumerate(slots.T):
        look: dict[str, Any] = {"color": GRAY, "ls": "-", "lw": stroke(0.6), "zorder": 2}
        if moved[position]:
            turn, color = divmod(int(np.count_nonzero(moved[:position])), len(ACCENTS))
            look = {"color": ACCENTS[color], "ls": LINES[turn % len(LINES)], "zorder": 3}
        look |= {"marker": "o", "label": f"_{labels[position]}"}
        ax.plot(range(len(names)), column, gid=f"item-{position}", **look)
    _join_ties(ax, slots, ranks)
    places = [[NO_RANK if rank < 0 else str(rank + 1) for rank in row] for row in ranks.tolist()]
    left = [f"{label}  {place}" for place, label in zip(places[0], labels, strict=True)]
    ax.set_yticks(slots[0], left, parse_math=False)
    if len(names) > 1:
        right = [f"{place}  {label}" for place, label in zip(places[-1], labels, strict=True)]
        right_names(ax, slots[-1], right)
    ax.set_xticks(range(len(names)), columns, parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False, length=0)
    ax.set_xlim(-0.15, len(names) - 0.85)
    ax.set_ylim(slots.max() + 0.7, -0.7)
    open_frame(ax, ("top", "right", "bottom", "left"), "")
    return sheet.finish([note])


def _kept_items(comparison: RuleComparison, top: int | None) -> tuple[Positions, str]:
    """Return the items to draw and, where some are left out, a sentence that says so."""
    total = len(comparison.consensuses[0].items)
    if top is None or top >= total:
        return np.arange(total), ""
    lead = comparison.exact or comparison.consensuses[-1]
    ranks, name = lead.ranking.ranks, lead.rule.name
    order = np.argsort(np.where(ranks >= 0, ranks, total), kind="stable")
    return np.sort(order[:top]), f"the first {top} of {counted(total, 'item')} by {name}"


def _join_ties(ax: Axes, slots: Floats, ranks: Ranks) -> None:
    bar: dict[str, Any] = {"color": INK, "alpha": 0.35, "zorder": 1, "lw": stroke(5)}
    for x, (heights, places) in enumerate(zip(slots, ranks, strict=True)):
        for place in np.unique(places[places >= 0]):
            tied = heights[places == place]
            if len(tied) > 1:
                ends = [tied.min(), tied.max()]
                ax.plot([x, x], ends, solid_capstyle="round", gid="tie", **bar)


@plot_of(RuleComparison, "rankagg.compare")
def overlap_plot(comparison: RuleComparison, *, ax: Axes | None = None) -> Axes:
    """Draw for every k how many of the exact consensus's first k each rule has among its own.

    A dotted line shows what a ranking drawn at random has. Methods with the same curve share a
    line.

    Parameters
    ----------
    comparison : RuleComparison
        The consensuses, an exact one among them.

    Raises
    ------
    InvalidInputError
        If no exact rule is among the rules.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> comparison = ra.compare(ra.datasets.load("superglue_human"))
    >>> ax = plotting.overlap_plot(comparison)
    >>> [text.get_text().split() for text in ax.get_legend().get_texts()]
    [['Copeland', 'Kemeny'], ['Mean', 'Borda'], ['at', 'random']]
    """
    curves, exact = comparison.overlap_curves(), comparison.exact
    assert exact is not None, "curves need an exact consensus"
    groups, depth, total = _alike(curves), len(curves), len(exact.items)
    names = dict(zip(curves.columns, plot_labels(curves.columns, 24), strict=True))
    sheet = PlotSheet(ax, 34.0, 20.0)
    ax, handles = sheet.ax, []
    for number, group in enumerate(groups):
        # Later ones are narrower, so that earlier ones stay in sight below them.
        fat = 1 + 0.9 * (len(groups) - 1 - number) / max(len(groups) - 1, 1)
        look = {**method_look(number), "lw": stroke(fat), "ms": dot(fat), "zorder": 3}
        look |= {"markevery": _every_mark(number, depth), "clip_on": False}
        label = "\n".join(names[rule] for rule in group)
        curve = curves[group[0]]
        handles += ax.plot(curve.index, curve, label=label, gid=f"curve-{number}", **look)
    if depth == total:
        at = np.arange(1, depth + 1)
        handles += ax.plot(at, at / total, ":", color=GRAY, label="at random", gid="random")
    ax.set_xlim(1 if depth > 1 else 0.5, max(depth, 1.5))
    ax.set_ylim(0, 1.03)
    ax.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.set_xticks(rank_ticks(depth))
    open_frame(ax)
    lead = names[exact.rule.name]
    ax.set_ylabel(f"expected overlap with\n{lead}'s first k", parse_math=False)
    labels = [str(handle.get_label()) for handle in handles]
    beside = {"loc": "center left", "bbox_to_anchor": (1.02, 0.5), "handlelength": 3}
    plain_legend(ax, handles, labels, **beside)
    ranked = f"{depth} of {counted(total, 'item')} {'is' if depth == 1 else 'are'} ranked"
    notes = [
        f"only {ranked} by all rules" if depth < total else "",
        "the exact consensus is not proved optimal" if exact.is_proved is False else "",
    ]
    return sheet.finish(notes, axis="k: how many of the first items")


def _alike(curves: pd.DataFrame) -> list[list[str]]:
    """Return the rules in groups with one curve, the best on average first."""
    groups: dict[tuple[float, ...], list[str]] = {}
    for rule, curve in curves.items():
        groups.setdefault(tuple(curve.round(9)), []).append(str(rule))
    return sorted(groups.values(), key=lambda group: -float(curves[group[0]].mean()))
