"""Ranks and effects with intervals in rows, and average ranks on an axis."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator

from rankagg._typing import Floats, Positions
from rankagg.core import counted, listed
from rankagg.inference import (
    FriedmanTest,
    PairwiseTests,
    RankIntervals,
    Separation,
    SkillingsMackTest,
)
from rankagg.inference.paired_test import TESTS, PairedTest, PairedTests
from rankagg.plotting.sheet import (
    HOLLOW,
    ROW_HEIGHT,
    SOLID,
    PlotSheet,
    first_of,
    legend_mark,
    open_frame,
    percent,
    rank_ticks,
)
from rankagg.plotting.theme import (
    ACCENTS,
    GRAY,
    INK,
    MOST_DRAWN,
    dot,
    letter,
    plot_labels,
    plot_of,
    stroke,
)

WORSE = {"color": ACCENTS[1], "marker": "D", "mfc": ACCENTS[1], "mec": ACCENTS[1]}
DECIDED: dict[str, dict[str, Any]] = {"better": SOLID, "worse": WORSE, "-": HOLLOW}
# Most ticks of a logarithmic axis.
MOST_TICKS = 7
# Heights in multiples of the font size, downwards from the axis of average ranks: the top, the
# critical difference, the first bar and the next ones.
TOP_EDGE, RULER, FIRST_BAR, NEXT_BAR = -5.4, -3.4, 1.0, 0.8
# Most notes of pairwise tests in the caption.
MOST_NOTES = 2
# Gap between bars on one level.
BARS_APART = 1.2


def ranks_sheet(ax: Axes | None, n: int, last: int) -> PlotSheet:
    """Return a sheet for intervals of ranks in n rows, up to the last rank."""
    sheet = PlotSheet.of_rows(ax, n, min(max(28.0, 1.2 * last), 44.0))
    sheet.ax.set_xlim(0.5, last + 0.5)
    sheet.ax.set_xticks(rank_ticks(last))
    return sheet


@plot_of(RankIntervals, "rank_intervals(data)")
def forest_plot(
    result: RankIntervals, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw confidence intervals for ranks, with a row for each item, the best rank first.

    The point is the rank in the data. The bar extends from the best to the worst rank that the
    decided pairs allow. The point is filled if the item is in `result.first`. That is tested for
    the first rank alone, while the bars hold simultaneously: a bar can reach the first rank
    although the point is open. Of more than `top` items the first are drawn.

    Parameters
    ----------
    result : RankIntervals
        Result of `rank_intervals`.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to mobility
    across neighbourhoods and academic achievement across countries",
    https://doi.org/10.1093/restud/rdad006.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[40, 30, 30])
    >>> ax = plotting.forest_plot(ra.rank_intervals(profile, of="borda"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['1  A', '2  B', '3  C']
    """
    n, note = first_of(len(result.items), top, "item")
    order = np.array(result.items.indices(result.to_frame().index[:n]))
    sheet = ranks_sheet(ax, n, int(result.worst[order].max()))
    names, ranks = sheet.names(result.items.at(order)), result.rank[order].astype(np.float64)
    rows = [f"{rank:.0f}  {name}" for rank, name in zip(ranks, names, strict=True)]
    bounds = np.column_stack([result.best[order], result.worst[order]]).astype(np.float64)
    first = np.isin(order, result.items.indices(result.first))
    sheet.draw_intervals(rows, ranks, bounds, first)
    handles = [legend_mark("may be first", SOLID)] if first.any() else []
    handles += [] if first.all() else [legend_mark("not first", HOLLOW)]
    notes = [note, result.describe(), *(f"note: {text}" for text in result.notes)]
    return sheet.finish(notes, axis="rank", handles=handles, columns=2)


@plot_of(PairedTests | PairedTest, "paired_tests(data, reference)", "PairedTests or a PairedTest")
def effects_plot(
    result: PairedTests | PairedTest, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw effects of paired tests with intervals, a row for each system, the best first.

    The vertical line marks no difference from the reference. Filled points are decided by tests
    with a common error rate. Intervals are for each pair alone: one can exclude the line although
    its point is open. Arrows mark infinite ends. Of more than `top` systems the first are drawn.

    Parameters
    ----------
    result : PairedTests or PairedTest
        Result of `paired_tests` or `paired_test`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> tests = ra.inference.paired_tests(ra.datasets.load("superglue_human"), "NEZHA Plus")
    >>> ax = plotting.effects_plot(tests)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Human', 'DeBERTa', 'T5 + Meena', 'T5', 'PAI Albert']
    """
    if isinstance(result, PairedTest):
        result = PairedTests(reference=result.second, tests=(result,), alpha=result.alpha)
    n, note = first_of(len(result.tests), top, "system")
    frame, reference = result.to_frame().iloc[:n], plot_labels([result.reference])[0]
    is_sign = result.method == "sign"
    level = 0.5 if is_sign else 0.0
    points = frame["effect"].to_numpy(dtype=np.float64)
    bounds = frame[["lower", "upper"]].to_numpy(dtype=np.float64)
    sheet = PlotSheet.of_rows(ax, n, 34.0)
    ax, looks = sheet.ax, [DECIDED[decision] for decision in frame["decision"]]
    known = np.array([level, *points, *bounds.ravel()])
    known = known[np.isfinite(known)]
    low, high = float(known.min()), float(known.max())
    # Leave space for arrows.
    room = 0.08 * (high - low) or max(0.5 * abs(low), 1.0)
    low, high = low - room, high + room
    ax.axvline(level, color=GRAY, lw=1.0, zorder=1, gid="alike")
    sheet.draw_intervals(sheet.names(frame.index), points, np.clip(bounds, low, high), looks)
    for side, (limit, marker) in enumerate(((low, "<"), (high, ">"))):
        for row in np.flatnonzero(np.isinf(bounds[:, side])):
            _draw_arrow(ax, limit, int(row), marker, looks[row]["color"])
    edge = 0.02 * (high - low)
    ax.set_xlim(low - edge, high + edge)
    effect = f"{result.tests[0].effect_name} to {reference}"
    words = {"better": "better", "worse": "worse", "-": f"no decision against {reference}"}
    kinds = [kind for kind in DECIDED if kind in set(frame["decision"])]
    return sheet.finish(
        [note, *_effect_notes(result, reference, points, bounds)],
        axis=f"share above {reference}" if is_sign else effect,
        handles=[legend_mark(words[kind], DECIDED[kind]) for kind in kinds],
    )


def _draw_arrow(ax: Axes, at: float, row: int, marker: str, color: str) -> None:
    """Draw an infinite end."""
    look: dict[str, Any] = {"marker": marker, "color": color, "ms": dot(1.5), "mew": 0}
    ax.plot(at, row, clip_on=False, zorder=4, gid=f"arrow-{row}", **look)


def _effect_notes(tests: PairedTests, reference: str, points: Floats, bounds: Floats) -> list[str]:
    one, total = tests.tests[0], len(tests.tests)
    most = max(test.n_units for test in tests.tests)
    holm = f", with Holm's procedure; family-wise error rate {tests.alpha:g}"
    alone = holm if total > 1 else f", at alpha {tests.alpha:g}"
    nothing = np.isnan(points).any()
    return [
        f"filled: decided by {TESTS[one.method]} tests in {counted(most, one.unit)}{alone}",
        f"bars: {percent(tests.alpha)} intervals" + (", for each pair alone" if total > 1 else ""),
        f"shares are of the {one.unit}s in which the two differ" if tests.method == "sign" else "",
        "arrow: infinite" if np.isinf(bounds).any() else "",
        f"no point: no {one.unit} in which the system and {reference} differ" if nothing else "",
        *(f"note: {note}" for note in tests.notes),
    ]


@plot_of(Separation, "rankagg.inference.separation(data)")
def separation_plot(
    result: Separation, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw the numbers of units needed and available to separate neighboring systems.

    A row is a pair of neighbors by mean score. The vertical mark is the number of units available.
    The point, with its number at the right, is the number needed if the observed differences and
    spreads are the true ones. It is filled if there are enough units. An arrow is an infinite
    number: the two have equal means, or fewer than two units in common. Of more than `top` pairs
    the first are drawn.

    Parameters
    ----------
    result : Separation
        Result of `separation`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> found = ra.inference.separation(ra.datasets.load("superglue_human"))
    >>> ax = plotting.separation_plot(found, top=2)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Human / DeBERTa', 'DeBERTa / T5 + Meena']
    """
    n, note = first_of(len(result.needed), top, "pair")
    needed, there = result.needed[:n], result.n_units[:n].astype(np.float64)
    sheet = PlotSheet.of_rows(ax, n)
    ax, systems = sheet.ax, sheet.names(result.order, 24, share=0.2)
    known = np.concatenate([needed[np.isfinite(needed)], there])
    low, high = max(1.0, float(known.min())), max(1.0, float(known.max()))
    # A range that contains a tick.
    room = max((high / low) ** 0.1, 1.6)
    low, high = low / room, high * room
    ax.set_xscale("log")
    # Arrows and marks at the ends are inside the frame.
    edge = (high / low) ** 0.02
    ax.set_xlim(low / edge, high * edge)
    mark: dict[str, Any] = {"marker": "|", "color": INK, "ms": dot(2.5), "mew": stroke(1.2)}
    for row, (number, available) in enumerate(zip(needed, there, strict=True)):
        look, start = SOLID if available >= number else HOLLOW, max(available, low)
        if not np.isnan(number):
            gap = {"color": look["color"], "lw": stroke(1.5), "zorder": 2, "gid": f"gap-{row}"}
            ax.plot([start, min(number, high)], [row, row], solid_capstyle="butt", **gap)
        ax.plot(start, row, ls="none", zorder=4, gid=f"hand-{row}", clip_on=False, **mark)
        if np.isinf(number):
            _draw_arrow(ax, high, row, ">", GRAY)
        elif not np.isnan(number):
            ax.plot(number, row, "o", mew=stroke(), zorder=3, gid=f"point-{row}", **look)
    between = (1.0,) if high / low > 1e3 else (1.0, 2.0, 5.0)
    # Narrow axes would have ticks between whole numbers.
    ticks = np.rint(LogLocator(subs=between, numticks=MOST_TICKS).tick_values(low, high))
    ax.set_xticks(np.unique(ticks[(ticks >= low) & (ticks <= high)]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda number, _: _unit_count(number)))
    ax.minorticks_off()
    sheet.name_rows([f"{a} / {b}" for a, b in pairwise(systems)][:n])
    sheet.name_rows_at_right(range(n), [_unit_count(number) for number in needed])
    open_frame(ax, ("top", "right", "left"))
    unit, finite = f"{result.unit}s", np.isfinite(needed)
    handles = [legend_mark(f"{unit} available", mark)]
    if (finite & (needed <= there)).any():
        handles.append(legend_mark(f"{unit} needed: enough are available", SOLID))
    if (finite & (needed > there)).any():
        handles.append(legend_mark(f"{unit} needed: more than available", HOLLOW))
    test, tests = TESTS.get(result.method, "t"), counted(result.n_tests, "test")
    notes = [
        note,
        f"{100 * result.power:g} % power of {test} tests; {tests} with a family-wise error "
        f"rate of {result.alpha:g}",
        f"orders of magnitude: {unit} needed if the observed differences and spreads are true",
        f"\N{INFINITY}: equal means, or fewer than two {unit}" if np.isinf(needed).any() else "",
        f"unknown: all {unit} agree, so that the spread is 0" if np.isnan(needed).any() else "",
    ]
    return sheet.finish(notes, axis=f"{unit}, on a log scale", handles=handles)


def _unit_count(number: float) -> str:
    if not np.isfinite(number):
        return "unknown" if np.isnan(number) else "\N{INFINITY}"
    return f"{number:,.0f}" if number < 1e6 else re.sub(r"e\+0*", "e", f"{number:.0e}")


@plot_of(
    FriedmanTest | SkillingsMackTest | PairwiseTests,
    "friedman(data)",
    "a FriedmanTest, a SkillingsMackTest or PairwiseTests",
)
def critical_difference_diagram(
    result: FriedmanTest | SkillingsMackTest | PairwiseTests,
    *,
    alpha: float | None = None,
    top: int | None = MOST_DRAWN,
    ax: Axes | None = None,
) -> Axes:
    """Draw average ranks, with bars that join items without a significant difference.

    The best item is on the left. A bar has a dot for each of its items. For Friedman's test the
    critical difference is drawn, and all pairs without a common bar differ significantly. For
    other tests the caption counts further pairs that do not. Of more than `top` items the first
    are drawn.

    Parameters
    ----------
    result : FriedmanTest, SkillingsMackTest or PairwiseTests
        Result of `friedman`, of `skillings_mack` (rankings with gaps), or of `pairwise_tests`.
    alpha : float, optional
        Family-wise error rate of the bars; that of pairwise tests by default, otherwise 0.05.

    References
    ----------
    Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", Journal of
    Machine Learning Research 7, https://www.jmlr.org/papers/v7/demsar06a.html, with the best on
    the right; the paper has no DOI.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> test = ra.inference.friedman(ra.datasets.load("superglue_human"))
    >>> ax = plotting.critical_difference_diagram(test)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Human  2.10', 'DeBERTa  2.35', 'T5 + Meena  2.75']
    """
    if alpha is None:
        alpha = result.alpha if isinstance(result, PairwiseTests) else 0.05
    difference = result.critical_difference(alpha) if isinstance(result, FriedmanTest) else 0.0
    n, note = first_of(int(np.isfinite(result.average_ranks).sum()), top, "item")
    order = np.argsort(result.average_ranks, kind="stable")
    position, order = np.argsort(order), order[:n]
    ranks = result.average_ranks[order]
    every = [np.sort(position[result.items.indices(group)]) for group in result.groups(alpha)]
    groups = [group[group < n] for group in every if group[1:2].size and group[1] < n]
    # Of bars that continue beyond the last item the longest contains the others.
    groups = [g for k, g in enumerate(groups) if k == 0 or g[-1] > groups[k - 1][-1]]
    left, low, last = (n + 1) // 2, min(1.0, float(ranks[0])), float(len(result.items))
    if note:
        low, last = float(np.floor(ranks[0])), float(np.ceil(ranks[-1]))
    high = max(last, float(ranks[-1]), 0.0 if note else 1.0 + difference)
    # The height depends on the levels of bars, and these on the width.
    width = min(max(32.0, 1.2 * n), 48.0) if ax is None else PlotSheet(ax, 0.0, 0.0).across
    levels = _bar_levels(
        [ranks[group[[0, -1]]] for group in groups], BARS_APART * (high - low) / width
    )
    first_row = FIRST_BAR + NEXT_BAR * (max(levels, default=-1) + 1) + 0.6
    bottom = first_row + ROW_HEIGHT * (left - 1) + 0.9
    edge = TOP_EDGE if difference else RULER + 1.0
    sheet = PlotSheet(ax, width, bottom - edge)
    ax, names = sheet.ax, sheet.names(result.items.at(order), share=0.25)
    pad = 0.03 * (high - low)
    ax.set_xlim(low - pad, high + pad)
    ax.set_ylim(bottom, edge)
    _put_axis(ax, low, max(last, float(ranks[-1])))
    if difference:
        _put_ruler(ax, low if note else 1.0, difference, alpha)
    _put_bars(ax, ranks, groups, levels)
    rows = first_row + ROW_HEIGHT * np.array([k if k < left else n - 1 - k for k in range(n)])
    leader: dict[str, Any] = {"color": INK, "lw": stroke(0.6), "solid_joinstyle": "miter"}
    for k, (rank, row) in enumerate(zip(ranks, rows, strict=True)):
        side = ax.get_xlim()[k >= left]
        ax.plot([rank, rank, side], [0.0, row, row], zorder=2, gid=f"item-{k}", **leader)
    texts = [f"{t}  {r:.2f}" for t, r in zip(names[:left], ranks[:left], strict=True)]
    ax.set_yticks(rows[:left], texts, parse_math=False)
    ax.tick_params(axis="y", length=0)
    texts = [f"{r:.2f}  {t}" for t, r in zip(names[left:], ranks[left:], strict=True)]
    sheet.name_rows_at_right(rows[left:], texts)
    joined = np.zeros((len(result.items),) * 2, dtype=bool)
    for group in every:
        joined[np.ix_(group, group)] = True
    n_joined = int(np.triu(joined, k=1).sum())
    return sheet.finish([note, *_test_notes(result, alpha, len(groups), n_joined)])


def _put_ruler(ax: Axes, start: float, difference: float, alpha: float) -> None:
    """Draw the critical difference above the axis, and its line if it fits."""
    ruler: dict[str, Any] = {"color": INK, "marker": "|", "ms": stroke(5), "mew": stroke()}
    if start + difference <= ax.get_xlim()[1]:
        ax.plot([start, start + difference], [RULER, RULER], lw=stroke(), gid="ruler", **ruler)
    text = f"critical difference {difference:.2f} (alpha = {alpha:g})"
    ax.text(start, RULER - 0.5, text, ha="left", va="bottom", gid="ruler-text")


def _put_bars(ax: Axes, ranks: Floats, groups: list[Positions], levels: list[int]) -> None:
    bar: dict[str, Any] = {"color": ACCENTS[0], "lw": letter(0.25), "marker": "o", "mew": 0}
    bar |= {"ms": letter(0.45), "solid_capstyle": "round", "zorder": 3}
    for group, level in zip(groups, levels, strict=True):
        ax.plot(ranks[group], np.full(len(group), FIRST_BAR + NEXT_BAR * level), gid="group", **bar)


def _bar_levels(spans: list[Floats], apart: float) -> list[int]:
    """Return the first level of each bar, best first, at which it is apart from the others."""
    ends: list[float] = []
    levels = []
    for start, end in spans:
        level = next((k for k, taken in enumerate(ends) if taken + apart < start), len(ends))
        ends[level:] = [end, *ends[level + 1 :]]
        levels.append(level)
    return levels


def _put_axis(ax: Axes, low: float, high: float) -> None:
    """Put the axis of average ranks at height 0."""
    open_frame(ax, ("left", "right", "bottom"), "")
    line = ax.spines["top"]
    line.set_visible(True)
    line.set_position(("data", 0.0))
    line.set_bounds(low, high)
    ax.set_xticks([rank for rank in rank_ticks(int(high)) if rank >= low])
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False)


def _test_notes(
    test: FriedmanTest | SkillingsMackTest | PairwiseTests, alpha: float, bars: int, joined: int
) -> list[str]:
    """Explain the axis and the bars, which join some number of pairs."""
    subject = {0: "no two items", 1: "items that the bar joins"}.get(bars, "items that a bar joins")
    scale, rate = "average rank, 1 is best", f"(family-wise error rate {alpha:g})"
    equal = unjoined = without = ""
    if isinstance(test, FriedmanTest):
        scale += f", in {counted(test.n_rankings, 'ranking')}"
        bar = f"{subject} differ by at most the critical difference (Nemenyi)"
        equal = f"equal ranks of all items: p {_p_value(test.f_p_value)} (Friedman, by F)"
    elif isinstance(test, SkillingsMackTest):
        rankings = counted(test.n_rankings, "ranking")
        scale = f"average rank in {rankings}, adjusted for the other items ranked"
        bar = f"{subject} do not differ significantly in their ranks {rate}"
        equal = f"equal ranks of all items: p {_p_value(test.p_value)} (Skillings and Mack)"
    else:
        tests = f"{TESTS[test.tests[0].method]} tests of {counted(len(test.tests), 'pair', ',')}"
        bar = f"{subject} do not differ significantly by {tests} with Holm's procedure {rate}"
    if not isinstance(test, FriedmanTest):
        rest = int((np.triu(test.p_values().to_numpy() > alpha, k=1)).sum()) - joined
        more = f"{counted(rest, 'more pair', ',')} without a common bar"
        unjoined = f"{more} {'does' if rest == 1 else 'do'} not differ either" if rest > 0 else ""
        absent = test.items.where(np.isnan(test.average_ranks))
        without = f"not drawn, never ranked with others: {listed(absent)}" if absent else ""
    unit = test.tests[0].unit if isinstance(test, PairwiseTests) else test.unit
    notes = [f"note: {note}" for note in test.notes]
    if len(notes) > MOST_NOTES:
        notes = [f"see the {counted(len(notes), 'note')} of its summary"]
    return [f"{scale}; independent: {unit}s", bar, unjoined, equal, without, *notes]


def _p_value(p: float) -> str:
    return f"= {p:.2g}" if p >= 1e-4 else "< 0.0001"
