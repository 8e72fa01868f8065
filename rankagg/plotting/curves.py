"""Lines: ranks by several rules, overlaps of their first items, and robustness."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from rankagg._typing import Floats, Positions, Ranks
from rankagg.analysis import RuleComparison, Stability
from rankagg.analysis.comparison.agreement import flow_slots
from rankagg.core import count_range, counted
from rankagg.plotting.sheet import (
    PlotSheet,
    first_of,
    in_order,
    legend_mark,
    open_frame,
    rank_text,
    rank_ticks,
)
from rankagg.plotting.theme import (
    ACCENTS,
    GRAY,
    INK,
    LINES,
    MOST_DRAWN,
    PALE,
    dot,
    method_look,
    plot_labels,
    plot_of,
    stroke,
)

# Most points of a curve with a marker at each.
MARKED = 12
#: Style and words of the effect of leaving out a unit.
EFFECTS: dict[str, tuple[dict[str, Any], str]] = {
    "stays": ({"color": ACCENTS[0], "marker": "o"}, "the winner stays"),
    "changes": ({"color": ACCENTS[1], "marker": "D"}, "another winner, named at the right"),
    "unknown": ({"color": GRAY, "marker": "x"}, "nothing in common to compare"),
    "undecided": ({"color": GRAY, "marker": "P"}, "not decided within the limit"),
}


def _marked_points(number: int, total: int) -> tuple[int, int]:
    """Return the first point with a marker, and the step to the next ones."""
    every = 1 if total <= MARKED else -(-total // 8)
    return number % every, every


def draw_banded(
    ax: Axes, x: Any, y: Any, ends: tuple[Any, Any] | None, gid: str, **look: Any
) -> list[Line2D]:
    """Draw a line in a band with the given ends."""
    if ends is not None:
        low, high = (np.asarray(end, dtype=np.float64) for end in ends)
        shade = {"color": look["color"], "zorder": 2}
        # Separate points have bars.
        if look["ls"] == "none" or len(x) == 1:
            ax.vlines(x, low, high, lw=stroke(0.7), gid=f"bars-{gid}", **shade)
        else:
            known = (np.isfinite(low) & np.isfinite(high)).tolist()
            ax.fill_between(x, low, high, where=known, alpha=0.18, lw=0, gid=f"band-{gid}", **shade)
    return ax.plot(x, y, gid=f"line-{gid}", markevery=_marked_points(0, len(x)), **look)


@plot_of(RuleComparison, "rankagg.compare")
def bump_chart(
    result: RuleComparison,
    *,
    top: int | None = MOST_DRAWN,
    ax: Axes | None = None,
) -> Axes:
    """Draw a bump chart of ranks, with a column for each rule and a line for each item.

    Each item has its own height in each column; bars join ties. Lines that change height have
    colors and line styles, others are gray. Of more than `top` items the first by the exact rule,
    or else by the last rule, are drawn.

    Parameters
    ----------
    result : RuleComparison
        Result of `compare`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> comparison = ra.compare(ra.datasets.load("borda_fails_condorcet"))
    >>> ax = plotting.bump_chart(comparison)
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['Borda', 'Copeland', 'Kemeny']
    """
    names = result.rules
    ranks = np.stack([result[name].ranking.ranks for name in names])
    kept, note = _kept_items(result, top)
    ranks = ranks[:, kept]
    slots, columns = flow_slots(ranks), plot_labels(names, 24)
    step = max(9.0, 0.62 * max(map(len, columns)) + 2)
    sheet = PlotSheet(ax, step * max(len(names) - 1, 0.5), 1.5 * (slots.max() + 1))
    ax, labels = sheet.ax, sheet.names(result.consensuses[0].items.at(kept), share=0.25)
    moved = np.ptp(slots, axis=0) > 0
    for position, column in enumerate(slots.T):
        look: dict[str, Any] = {"color": GRAY, "ls": "-", "lw": stroke(0.6), "zorder": 2}
        if moved[position]:
            turn, color = divmod(int(np.count_nonzero(moved[:position])), len(ACCENTS))
            look = {"color": ACCENTS[color], "ls": LINES[(turn + color) % len(LINES)], "zorder": 3}
        look |= {"marker": "o", "label": f"_{labels[position]}"}
        ax.plot(range(len(names)), column, gid=f"item-{position}", **look)
    _join_ties(ax, slots, ranks)
    places = [[rank_text(rank) for rank in row] for row in ranks.tolist()]
    left = [f"{label}  {place}" for place, label in zip(places[0], labels, strict=True)]
    ax.set_yticks(slots[0], left, parse_math=False)
    if len(names) > 1:
        right = [f"{place}  {label}" for place, label in zip(places[-1], labels, strict=True)]
        sheet.name_rows_at_right(slots[-1], right)
    ax.set_xticks(range(len(names)), columns, parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False, length=0)
    ax.set_xlim(-0.15, len(names) - 0.85)
    ax.set_ylim(slots.max() + 0.7, -0.7)
    open_frame(ax, ("top", "right", "bottom", "left"), "")
    return sheet.finish([note])


def _kept_items(comparison: RuleComparison, top: int | None) -> tuple[Positions, str]:
    """Return the items to draw, and a note if there are more."""
    total = len(comparison.consensuses[0].items)
    n, note = first_of(total, top, "item")
    if not note:
        return np.arange(total), ""
    lead = comparison.exact or comparison.consensuses[-1]
    return np.sort(in_order(lead.ranking.ranks)[:n]), f"{note} by {lead.rule.name}"


def _join_ties(ax: Axes, slots: Floats, ranks: Ranks) -> None:
    bar: dict[str, Any] = {"color": INK, "alpha": 0.35, "zorder": 1, "lw": stroke(5)}
    for x, (heights, places) in enumerate(zip(slots, ranks, strict=True)):
        for place in np.unique(places[places >= 0]):
            tied = heights[places == place]
            if len(tied) > 1:
                ax.plot([x, x], [tied.min(), tied.max()], solid_capstyle="round", gid="tie", **bar)


@plot_of(RuleComparison, "rankagg.compare")
def overlap_plot(result: RuleComparison, *, ax: Axes | None = None) -> Axes:
    """Draw the share of the first k items of the exact consensus that each rule has, by k.

    The dotted line is the expected share of a random ranking. Rules with equal curves share a
    line.

    Parameters
    ----------
    result : RuleComparison
        Result of `compare` with an exact rule.

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
    curves, exact = result.overlap_curves(), result.exact
    assert exact is not None, "curves need an exact consensus"
    groups, depth, total = _alike(curves), len(curves), len(exact.items)
    names = dict(zip(curves.columns, plot_labels(curves.columns, 24), strict=True))
    sheet = PlotSheet(ax, 34.0, 20.0)
    ax, handles = sheet.ax, []
    for number, group in enumerate(groups):
        # Later lines are narrower, so that those below remain visible.
        fat = 1 + 0.9 * (len(groups) - 1 - number) / max(len(groups) - 1, 1)
        look = {**method_look(number), "lw": stroke(fat), "ms": dot(fat), "zorder": 3}
        look |= {"markevery": _marked_points(number, depth), "clip_on": False}
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
    place = {"loc": "center left", "bbox_to_anchor": (1.02, 0.5), "handlelength": 3}
    sheet.legend(handles, labels, **place)
    ranked = f"{depth} of {counted(total, 'item')} {'is' if depth == 1 else 'are'} ranked"
    notes = [
        f"only {ranked} by all rules" if depth < total else "",
        "the exact consensus is not proved optimal" if exact.is_proved is False else "",
    ]
    return sheet.finish(notes, axis="k: number of first items")


def _alike(curves: pd.DataFrame) -> list[list[str]]:
    """Return groups of rules with equal curves, the best on average first."""
    groups: dict[tuple[float, ...], list[str]] = {}
    for rule, curve in curves.items():
        groups.setdefault(tuple(curve.round(9)), []).append(str(rule))
    return sorted(groups.values(), key=lambda group: -float(curves[group[0]].mean()))


@plot_of(Stability, "rankagg.stability")
def robustness_plot(
    result: Stability, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw the agreement of consensuses of fewer tasks, or systems, with that of all data.

    One line is the median of tau over the subsets of each size, in a band from the 5 % to the
    95 % quantile. The other is the share of subsets with the same winner. An analysis without
    subsets has a row for each task, or system: the effect of leaving it out. Of more than `top`
    rows those with the largest effect are drawn.

    Parameters
    ----------
    result : Stability
        Result of `stability`.

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
    frame = result.subsets()
    if frame.empty:
        return _draw_influence(result, top, ax)
    sheet = PlotSheet(ax, 46.0, 22.0)
    ax, handles = sheet.ax, list[Any]()
    band = frame["tau_0.05"], frame["tau_0.95"]
    for k, (column, label, ends) in enumerate(
        [("tau_0.5", "tau: median", band), ("top1", "share of subsets with the same winner", None)]
    ):
        look = method_look(k) | {"zorder": 3 + k, "clip_on": False, "label": label}
        handles += draw_banded(ax, frame.index, frame[column], ends, f"0-{k}", **look)
    handles.append(Patch(color=PALE, label="tau: 5 % to 95 % of subsets"))
    is_negative = bool((frame[["tau_0.05", "tau_0.5"]] < 0).any(axis=None))
    ax.set_ylim(-1.04 if is_negative else -0.02, 1.02)
    ax.set_yticks(np.linspace(-1, 1, 5) if is_negative else np.linspace(0, 1, 6))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.set_ylabel("agreement with the consensus\nof all data")
    open_frame(ax, grid="y")
    parts, complete = result.on_subsets, result.consensus.ranking.ranks
    undefined = sum(part.is_proved and not _has_tau(part.ranks, complete) for part in parts)
    total = counted(len(parts), "subset")
    notes = [
        f"{result.consensus.rule.name}, {count_range(frame['subsets'], 'subset')} of each size",
        f"tau is not defined in {undefined} of {total}: all systems tie" if undefined else "",
        *result.notes,
    ]
    return sheet.finish(notes, axis=f"{result.noun} kept, of {len(result.units)}", handles=handles)


def _has_tau(first: Ranks, second: Ranks) -> bool:
    """Return whether neither ranking ties all common items."""
    common = (first >= 0) & (second >= 0)
    return all(len(np.unique(ranks[common])) > 1 for ranks in (first, second))


def _draw_influence(stability: Stability, top: int | None, ax: Axes | None) -> Axes:
    """Draw the distance and the winner without each unit."""
    n, note = first_of(len(stability.units), top, stability.noun.removesuffix("s"))
    frame = stability.influence().sort_values("distance", ascending=False, kind="stable")
    no_winner, no_distance = frame["winner"].isna(), frame["distance"].isna() | frame["top1"].isna()
    effects = [no_winner, no_distance, frame["top1"] < 1 - 1e-9]
    frame["effect"] = np.select(effects, ["undecided", "unknown", "changes"], "stays")
    shown, rest = frame.iloc[:n], frame.iloc[n:]
    sheet = PlotSheet.of_rows(ax, n, 30.0)
    ax, names = sheet.ax, sheet.names(shown.index, share=0.3)
    for row, (distance, effect) in enumerate(zip(shown["distance"], shown["effect"], strict=True)):
        end = 0.0 if np.isnan(distance) else float(distance)
        ax.plot([0, end], [row, row], color=GRAY, lw=stroke(0.5), zorder=2)
        look: dict[str, Any] = {"ls": "none", "zorder": 3, "clip_on": False} | EFFECTS[effect][0]
        ax.plot(end, row, gid=f"{effect}-{row}", **look)
    sheet.name_rows(names)
    changed = np.flatnonzero(shown["effect"] == "changes")
    if len(changed):
        sheet.name_rows_at_right(
            changed.tolist(), sheet.names(shown["winner"].iloc[changed], share=0.25)
        )
    farthest = float(np.nanmax([1.0, *shown["distance"]]))
    ax.set_xlim(-0.03 * farthest, 1.05 * farthest)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    open_frame(ax, ("top", "right", "left"), "x")
    handles = [
        legend_mark(words, look)
        for effect, (look, words) in EFFECTS.items()
        if effect in set(shown["effect"])
    ]
    n_changes = int((rest["effect"] == "changes").sum())
    notes = [
        f"{note} by distance; the winner changes in {n_changes} of the others" if note else "",
        f"{stability.consensus.rule.name}, without one of {len(frame)} {stability.noun}",
        *stability.notes,
    ]
    return sheet.finish(notes, axis="pairs in another order, half for a tie", handles=handles)
