"""Ranks and effects with their uncertainty: rows of intervals, and average ranks on one axis."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rankagg._typing import Floats, Positions
from rankagg.core import counted, listed
from rankagg.inference import FriedmanTest, RankIntervals, Separation, SkillingsMackTest
from rankagg.inference.paired_test import TESTS, PairedTest, PairedTests
from rankagg.inference.pairwise_test import PairwiseTests
from rankagg.plotting.sheet import (
    HOLLOW,
    SOLID,
    PlotSheet,
    first_of,
    open_frame,
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

# The height of a row, in multiples of the font size.
ROW_HEIGHT: Final = 1.35
WORSE: Final = {"color": ACCENTS[1], "marker": "D", "mfc": ACCENTS[1], "mec": ACCENTS[1]}
DECIDED: Final[dict[str, dict[str, Any]]] = {"better": SOLID, "worse": WORSE, "-": HOLLOW}
# More decades than so many are numbered in steps; fewer than so many have numbers between.
MANY_DECADES, FEW_DECADES = 6, 2
# Heights in letters, downwards from the axis of average ranks at 0: the top, the critical
# difference, the first bar and the next ones, and rows of items.
TOP_EDGE, RULER, FIRST_BAR, NEXT_BAR, ITEM_ROW = -5.4, -3.4, 1.0, 0.8, 1.35
# More notes on pairs than so many are left to the summary.
MOST_NOTES: Final = 2
# Bars on one level are so many letters apart.
BARS_APART = 1.2


def _point_key(look: dict[str, Any], label: str) -> Line2D:
    """Return the mark of a legend for points."""
    return Line2D([], [], label=label, **{"marker": "o", "ls": "none", **look})


@plot_of(RankIntervals, "rank_intervals(data)")
def forest_plot(
    result: RankIntervals, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw confidence intervals for ranks: a row for each item, the best rank first.

    The point is the rank in the data, the bar goes from the best to the worst rank that the
    decided pairs leave the item. The point is filled where the item is one of `ranks.first`. These
    are asked of the first item alone, the bars hold for all at once; so a bar can reach the first
    rank although the point is open.

    Parameters
    ----------
    result : RankIntervals
        Made by `rank_intervals`.

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
    n, said = first_of(len(result.items), top, "item")
    order = np.array(result.items.indices(result.to_frame().index[:n]))
    size = int(result.worst[order].max()) if said else n
    sheet = PlotSheet(ax, min(max(28.0, 1.2 * size), 44.0), ROW_HEIGHT * (n + 0.4))
    ax, names = sheet.ax, sheet.names(result.items.at(order))
    rows = [f"{rank}  {name}" for rank, name in zip(result.rank[order], names, strict=True)]
    bounds = np.column_stack([result.best[order], result.worst[order]]).astype(np.float64)
    first = np.isin(order, result.items.indices(result.first))
    sheet.draw_intervals(rows, result.rank[order].astype(np.float64), bounds, first)
    ax.set_xlim(0.5, size + 0.5)
    ax.set_xticks(rank_ticks(size))
    notes = [
        said,
        result.describe(),
        *(f"note: {note}" for note in result.notes),
    ]
    handles = [_point_key(SOLID, "may be first")] if first.any() else []
    handles += [] if first.all() else [_point_key(HOLLOW, "not first")]
    return sheet.finish(notes, axis="rank", handles=handles, columns=2)


@plot_of(PairedTests | PairedTest, "paired_tests(data, reference)", "PairedTests or a PairedTest")
def effects_plot(
    result: PairedTests | PairedTest, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw the effects of paired tests with their intervals: a row for each system, the best first.

    The line stands where the system and the one it is tested against are alike. A point is filled
    where the test decides, with one error rate for all; intervals are for each pair alone, so that
    one can miss the line although its point is open. An arrow is an end that nothing bounds.

    Parameters
    ----------
    result : PairedTests or PairedTest
        Made by `paired_tests` or `paired_test`.

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
    n, said = first_of(len(result.tests), top, "system")
    frame, reference = result.to_frame().iloc[:n], plot_labels([result.reference])[0]
    is_sign = result.method == "sign"
    level = 0.5 if is_sign else 0.0
    points = frame["effect"].to_numpy(dtype=np.float64)
    bounds = frame[["lower", "upper"]].to_numpy(dtype=np.float64)
    sheet = PlotSheet(ax, 34.0, ROW_HEIGHT * (len(frame) + 0.4))
    ax, looks = sheet.ax, [DECIDED[decision] for decision in frame["decision"]]
    known = np.array([level, *points, *bounds.ravel()])
    low, high = float(known[np.isfinite(known)].min()), float(known[np.isfinite(known)].max())
    # There is room for arrows.
    room = 0.08 * (high - low) or max(0.5 * abs(low), 1.0)
    low, high = low - room, high + room
    ax.axvline(level, color=GRAY, lw=1.0, zorder=1, gid="alike")
    sheet.draw_intervals(sheet.names(frame.index), points, np.clip(bounds, low, high), looks)
    for side, (limit, marker) in enumerate(((low, "<"), (high, ">"))):
        for row in np.flatnonzero(np.isinf(bounds[:, side])):
            _endless(ax, limit, int(row), marker, looks[row]["color"])
    edge = 0.02 * (high - low)
    ax.set_xlim(low - edge, high + edge)
    effect = f"{result.tests[0].effect_name} to {reference}"
    words = {"better": "better", "worse": "worse", "-": f"not told from {reference}"}
    kinds = [kind for kind in DECIDED if kind in set(frame["decision"])]
    return sheet.finish(
        [said, *_effects_told(result, reference, points, bounds)],
        axis=f"share above {reference}" if is_sign else effect,
        handles=[_point_key(DECIDED[kind], words[kind]) for kind in kinds],
    )


def _endless(ax: Axes, at: float, row: int, marker: str, color: str) -> None:
    """Draw an end that nothing bounds."""
    look: dict[str, Any] = {"marker": marker, "color": color, "ms": dot(1.5), "mew": 0}
    ax.plot(at, row, clip_on=False, zorder=4, gid=f"arrow-{row}", **look)


def _effects_told(tests: PairedTests, reference: str, points: Floats, bounds: Floats) -> list[str]:
    one, total = tests.tests[0], len(tests.tests)
    most = max(test.n_units for test in tests.tests)
    share = f"{100 * (1 - tests.alpha):g} %"
    holm = f", with Holm's procedure; family-wise error rate {tests.alpha:g}"
    alone = holm if total > 1 else f", at alpha {tests.alpha:g}"
    nothing = np.isnan(points).any()
    return [
        f"filled: decided by {TESTS[one.method]} tests in {counted(most, one.unit)}{alone}",
        f"bars: {share} intervals" + (", for each pair alone" if total > 1 else ""),
        f"shares are of the {one.unit}s in which the two differ" if tests.method == "sign" else "",
        "arrow: no end" if np.isinf(bounds).any() else "",
        f"no point: no {one.unit} tells the system from {reference}" if nothing else "",
        *(f"note: {note}" for note in tests.notes),
    ]


@plot_of(Separation, "rankagg.inference.separation(data)")
def separation_plot(
    result: Separation, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw how many units would tell each system from the next one, beside those at hand.

    A row for each two neighbors by mean score. The upright mark stands at the units at hand, the
    point at those needed if the differences and spreads seen are the true ones, and the number at
    the right is that of the point. A filled point is left of its mark: there are enough. An arrow
    stands for an infinite number: the two are level, or were compared less than twice.

    Parameters
    ----------
    result : Separation
        Made by `separation`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> found = ra.inference.separation(ra.datasets.load("superglue_human"))
    >>> ax = plotting.separation_plot(found, top=2)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Human / DeBERTa', 'DeBERTa / T5 + Meena']
    """
    n, said = first_of(len(result.needed), top, "pair")
    needed = result.needed[:n]
    there = result.n_units[:n].astype(np.float64)
    sheet = PlotSheet(ax, 32.0, ROW_HEIGHT * (len(needed) + 0.4))
    ax, systems = sheet.ax, sheet.names(result.order, 24, share=0.2)
    known = np.concatenate([needed[np.isfinite(needed)], there])
    low, high = max(1.0, float(known.min())), max(1.0, float(known.max()))
    # So far apart that a tick is between them.
    room = max((high / low) ** 0.08, 1.5)
    low, high = low / room, high * room
    ax.set_xscale("log")
    edge = (high / low) ** 0.02
    ax.set_xlim(low / edge, high * edge)
    for row in range(len(needed)):
        is_enough, hand = bool(there[row] >= needed[row]), max(there[row], low)
        _units_row(ax, row, needed[row], hand, high, is_enough=is_enough)
    ticks = _log_ticks(low, high)
    ax.set_xticks(ticks, [_units_told(tick) for tick in ticks])
    ax.set_xticks([], minor=True)
    sheet.name_rows([f"{a} / {b}" for a, b in pairwise(systems)][: len(needed)])
    sheet.name_rows_at_right(range(len(needed)), [_units_told(number) for number in needed])
    open_frame(ax, ("top", "right", "left"))
    word, finite = result.unit, np.isfinite(needed)
    mark: dict[str, Any] = {"marker": "|", "color": INK, "ms": dot(2.5), "ls": "none"}
    handles = [Line2D([], [], label=f"{word}s at hand", **mark)]
    if (finite & (needed <= there)).any():
        handles.append(_point_key(SOLID, f"{word}s needed: enough are there"))
    if (finite & (needed > there)).any():
        handles.append(_point_key(HOLLOW, f"{word}s needed: more than are there"))
    notes = [said, *_separation_told(result, needed)]
    return sheet.finish(notes, axis=f"{word}s, on a log scale", handles=handles)


def _units_row(
    ax: Axes, row: int, needed: float, hand: float, highest: float, *, is_enough: bool
) -> None:
    look = SOLID if is_enough else HOLLOW
    mark: dict[str, Any] = {"marker": "|", "color": INK, "ms": dot(2.5), "mew": stroke(1.2)}
    if not np.isnan(needed):
        gap = {"color": look["color"], "lw": stroke(1.5), "zorder": 2}
        ends = [hand, min(needed, highest)]
        ax.plot(ends, [row, row], solid_capstyle="butt", gid=f"gap-{row}", **gap)
    ax.plot(hand, row, ls="none", zorder=4, gid=f"hand-{row}", **mark)
    if np.isinf(needed):
        _endless(ax, highest, row, ">", GRAY)
    elif not np.isnan(needed):
        ax.plot(needed, row, "o", mew=stroke(), zorder=3, gid=f"point-{row}", **look)


def _log_ticks(low: float, high: float) -> list[float]:
    """Return powers of ten within limits, with numbers between where there is room for them."""
    first, last = int(np.ceil(np.log10(low) - 1e-9)), int(np.floor(np.log10(high) + 1e-9))
    if last - first >= FEW_DECADES:
        return [10.0**k for k in range(first, last + 1, -(-(last - first) // MANY_DECADES))]
    multiples = (1, 2, 5) if last > first else (1, 2, 3, 5, 7)
    ticks = [many * 10.0**k for k in range(max(first - 1, 0), last + 1) for many in multiples]
    return [tick for tick in ticks if low <= tick <= high]


def _units_told(number: float) -> str:
    if not np.isfinite(number):
        return "unknown" if np.isnan(number) else "\N{INFINITY}"
    return f"{number:,.0f}" if number < 1e6 else re.sub(r"e\+0*", "e", f"{number:.0e}")


def _separation_told(separation: Separation, needed: Floats) -> list[str]:
    word = separation.unit
    test = TESTS.get(separation.method, "t")
    tests = counted(separation.n_tests, "test")
    level = f"\N{INFINITY}: level, or compared in less than two {word}s"
    agree = f"unknown: all {word}s agree, which tells no spread"
    return [
        f"{100 * separation.power:g} % power of {test} tests; {tests} with a family-wise error "
        f"rate of {separation.alpha:g}",
        f"{word}s needed if the differences and spreads seen are the true ones: orders of "
        "magnitude",
        level if np.isinf(needed).any() else "",
        agree if np.isnan(needed).any() else "",
    ]


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
    """Draw average ranks, and bars that join items next to each other that are not told apart.

    The best item is on the left. A bar has a dot for each of its items. Of Friedman's test there is
    the critical difference, too, and items that no bar joins differ; of tests of each pair the
    number of undecided pairs that no bar joins is said.

    Parameters
    ----------
    result : FriedmanTest, SkillingsMackTest or PairwiseTests
        Made by `friedman`, for rankings with gaps by `skillings_mack`, or by `pairwise_tests`.
    alpha : float, optional
        The family-wise error rate of bars; that of pairwise tests by default, else 0.05.

    References
    ----------
    Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", Journal of
    Machine Learning Research 7, https://www.jmlr.org/papers/v7/demsar06a.html, who has the best
    on the right; the paper has no DOI.

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
    known = int(np.isfinite(result.average_ranks).sum())
    n, said = first_of(known, top, "item")
    order = np.argsort(result.average_ranks, kind="stable")
    position, order = np.argsort(order), order[:n]
    ranks = result.average_ranks[order]
    every = [np.sort(position[result.items.indices(group)]) for group in result.groups(alpha)]
    groups = [group[group < n] for group in every if group[1:2].size and group[1] < n]
    # Of bars that go on beyond the last item the longest holds the others.
    groups = [g for k, g in enumerate(groups) if k == 0 or g[-1] > groups[k - 1][-1]]
    left, low, last = (n + 1) // 2, min(1.0, float(ranks[0])), float(len(result.items))
    if said:
        low, last = float(np.floor(ranks[0])), float(np.ceil(ranks[-1]))
    high = max(last, float(ranks[-1]), 0.0 if said else 1.0 + difference)
    # Bars stand on levels, of which the height of the axes depends: these are wide enough.
    width = min(max(32.0, 1.2 * n), 48.0) if ax is None else PlotSheet(ax, 0.0, 0.0).across
    levels = _bar_levels(
        [ranks[group[[0, -1]]] for group in groups], BARS_APART * (high - low) / width
    )
    first_row = FIRST_BAR + NEXT_BAR * (max(levels, default=-1) + 1) + 0.6
    bottom = first_row + ITEM_ROW * (left - 1) + 0.9
    edge = TOP_EDGE if difference else RULER + 1.0
    sheet = PlotSheet(ax, width, bottom - edge)
    ax, names = sheet.ax, sheet.names(result.items.at(order), share=0.25)
    pad = 0.03 * (high - low)
    ax.set_xlim(low - pad, high + pad)
    ax.set_ylim(bottom, edge)
    _put_axis(ax, low, max(last, float(ranks[-1])))
    if difference:
        _put_ruler(ax, low if said else 1.0, difference, alpha)
    _put_bars(ax, ranks, groups, levels)
    rows = first_row + ITEM_ROW * np.array([k if k < left else n - 1 - k for k in range(n)])
    leader: dict[str, Any] = {"color": INK, "lw": stroke(0.6), "solid_joinstyle": "miter"}
    for k, (rank, row) in enumerate(zip(ranks, rows, strict=True)):
        side = ax.get_xlim()[k >= left]
        ax.plot([rank, rank, side], [0.0, row, row], zorder=2, gid=f"item-{k}", **leader)
    texts = [f"{t}  {r:.2f}" for t, r in zip(names[:left], ranks[:left], strict=True)]
    ax.set_yticks(rows[:left], texts, parse_math=False)
    ax.tick_params(axis="y", length=0)
    texts = [f"{r:.2f}  {t}" for t, r in zip(names[left:], ranks[left:], strict=True)]
    sheet.name_rows_at_right(rows[left:], texts)
    joined = sum(len(g) * (len(g) - 1) // 2 for g in every)
    joined -= sum(_pairs_of_both(one, two) for one, two in pairwise(every))
    return sheet.finish([said, *_test_told(result, alpha, len(groups), joined)])


def _pairs_of_both(one: Positions, two: Positions) -> int:
    """Return how many pairs are in both of two sets next to each other."""
    both = max(int(one[-1] - two[0]) + 1, 0)
    return both * (both - 1) // 2


def _put_ruler(ax: Axes, start: float, difference: float, alpha: float) -> None:
    """Draw the critical difference above the axis, where it is no wider than that."""
    ruler: dict[str, Any] = {"color": INK, "marker": "|", "ms": stroke(5), "mew": stroke()}
    if start + difference <= ax.get_xlim()[1]:
        ends = [start, start + difference]
        ax.plot(ends, [RULER, RULER], lw=stroke(), gid="ruler", **ruler)
    told = f"critical difference {difference:.2f} (alpha = {alpha:g})"
    ax.text(start, RULER - 0.5, told, ha="left", va="bottom", gid="ruler-text")


def _put_bars(ax: Axes, ranks: Floats, groups: list[Positions], levels: list[int]) -> None:
    bar: dict[str, Any] = {"color": ACCENTS[0], "lw": letter(0.25), "marker": "o", "mew": 0}
    bar |= {"ms": letter(0.45), "solid_capstyle": "round", "zorder": 3}
    for group, level in zip(groups, levels, strict=True):
        heights = np.full(len(group), FIRST_BAR + NEXT_BAR * level)
        ax.plot(ranks[group], heights, gid="group", **bar)


def _bar_levels(spans: list[Floats], apart: float) -> list[int]:
    """Return for each bar, best first, the first level at which it is well apart from others."""
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


def _test_told(
    test: FriedmanTest | SkillingsMackTest | PairwiseTests, alpha: float, bars: int, joined: int
) -> list[str]:
    """Say what the axis and the bars mean; `joined` is how many pairs bars join."""
    subject = {0: "no two items", 1: "items that the bar joins"}.get(bars, "items that a bar joins")
    notes = [f"note: {note}" for note in test.notes]
    if len(notes) > MOST_NOTES:
        notes = [f"its summary has {counted(len(notes), 'note')}"]
    if isinstance(test, FriedmanTest):
        return [
            f"average rank, 1 is best, in {counted(test.n_rankings, 'ranking')}; independent: "
            f"{test.unit}s",
            f"{subject} differ by no more than the critical difference (Nemenyi)",
            f"all items alike: p {_chance_told(test.f_p_value)} (Friedman, by F)",
            *notes,
        ]
    values, n = test.p_values().to_numpy(), len(test.items)
    rest = int((np.triu(values > alpha, k=1)).sum()) - joined
    rate = f"family-wise error rate {alpha:g}"
    beyond = f"{counted(rest, 'more pair', ',')} that no bar joins {'is' if rest == 1 else 'are'}"
    unjoined = f"{beyond} not told apart either" if rest > 0 else ""
    absent = test.items.where(np.isnan(test.average_ranks))
    without = f"not drawn, ranked with no other: {listed(absent)}" if absent else ""
    if isinstance(test, SkillingsMackTest):
        what = f"average rank in {counted(test.n_rankings, 'ranking')}, adjusted for whom each is "
        alike = f"all items alike: p {_chance_told(test.p_value)} (Skillings and Mack)"
        bar = f"{subject} are not told apart by their ranks ({rate})"
        scale = f"{what}ranked with; independent: {test.unit}s"
        return [scale, bar, unjoined, alike, without, *notes]
    one, pairs = test.tests[0], counted(n * (n - 1) // 2, "pair", ",")
    return [
        f"average rank, 1 is best; independent: {one.unit}s",
        f"{subject} are not told apart by {TESTS[one.method]} tests of {pairs} with Holm's "
        f"procedure ({rate})",
        unjoined,
        without,
        *notes,
    ]


def _chance_told(p: float) -> str:
    return f"= {p:.2g}" if p >= 1e-4 else "< 0.0001"
