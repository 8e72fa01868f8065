"""Rows of intervals: ranks, effects of paired tests, and units that would tell systems apart."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter, NullLocator

from rankagg._typing import Bools, Floats
from rankagg._validation import check_integer
from rankagg.core.items import counted
from rankagg.core.rankings.partial import PartialRanking
from rankagg.exceptions import InvalidInputError
from rankagg.inference.decisions import Decisions
from rankagg.inference.intervals.pairwise import PairwiseIntervals
from rankagg.inference.paired_results import TESTS, PairedTest, PairedTests
from rankagg.inference.power import Separation
from rankagg.inference.ranks.rank_results import RankIntervals
from rankagg.plotting.heatmaps import share_matrix
from rankagg.plotting.sheet import (
    GRID,
    OPEN,
    SOLID,
    add_height,
    interval_rows,
    legend_above,
    letters_across,
    name_letters,
    note_height,
    rank_ticks,
    widest,
    write_below,
)
from rankagg.plotting.theme import ACCENTS, GRAY, INK, canvas, plot_labels


def forest_plot(ranks: RankIntervals, *, top: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw confidence intervals for ranks: a row for each item, the best rank first.

    The point is the rank in the data, the bar goes from the best to the worst rank that the
    decided pairs leave the item. The point is filled where the item is one of `ranks.first`. These
    are asked of the first item alone, the bars hold for all at once; so a bar can reach the first
    rank although the point is open.

    Parameters
    ----------
    ranks : RankIntervals
        Made by `rank_intervals`.
    top : int, optional
        Only the first so many rows.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If `ranks` is something else, or `top` is no positive number.

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
    if not isinstance(ranks, RankIntervals):
        raise InvalidInputError(
            "ranks", "RankIntervals", ranks, "`rank_intervals(data)` makes them."
        )
    if top is not None:
        check_integer(top, "top", low=1)
    order = np.lexsort((ranks.worst, ranks.best, ranks.rank))[:top]
    names = plot_labels(ranks.items.at(order), name_letters(ax))
    rows = [f"{rank}  {name}" for rank, name in zip(ranks.rank[order], names, strict=True)]
    n, size = len(rows), len(ranks.rank)
    notes = [ranks.describe(), *(f"note: {note}" for note in ranks.notes)]
    if n < size:
        notes.insert(0, f"the first {n} of {counted(size, 'item')}")
    width, new = min(max(28.0, 1.2 * size), 44.0), ax is None
    height = 6.4 + 1.35 * n + note_height(notes, width)
    ax = canvas(ax, width + 4 + widest(rows), height)
    bounds = np.column_stack([ranks.best[order], ranks.worst[order]]).astype(np.float64)
    first = np.isin(order, ranks.items.indices(ranks.first))
    interval_rows(ax, rows, ranks.rank[order].astype(np.float64), bounds, first)
    ax.set_xlim(0.5, size + 0.5)
    ax.set_xticks(rank_ticks(size))
    _explain(ax, new=new, may_be_first=bool(first.any()), not_first=bool((~first).any()))
    write_below(ax, notes, width if new else None, axis="rank")
    return ax


def _explain(ax: Axes, *, new: bool, may_be_first: bool, not_first: bool) -> None:
    kinds = ((may_be_first, SOLID, "may be first"), (not_first, OPEN, "not first"))
    legend_above(
        ax,
        [
            Line2D([], [], marker="o", linestyle="none", label=text, **look)
            for occurs, look, text in kinds
            if occurs
        ],
        new=new,
        columns=2,
    )


def intervals_heatmap(intervals: PairwiseIntervals, *, ax: Axes | None = None) -> Axes:
    """Draw the estimated proportions, row above column, with a dot on every decided pair.

    Items are in the order of their ranks by majorities, or of the sums of their proportions
    where the intervals decide nothing. A frame surrounds a cell where the order has row above
    column although the proportion is below one half. Pairs that nobody compared are hatched.

    Parameters
    ----------
    intervals : PairwiseIntervals
        Made by `PairwiseIntervals.from_data`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If `intervals` is something else.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[40, 30, 30])
    >>> ax = plotting.intervals_heatmap(ra.PairwiseIntervals.from_data(profile))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['1  A', '2  B', '3  C']
    """
    if not isinstance(intervals, PairwiseIntervals):
        raise InvalidInputError(
            "intervals", "PairwiseIntervals", intervals,
            "`PairwiseIntervals.from_data(data)` makes them.",
        )  # fmt: skip
    how = _how(intervals)
    if how is None:
        order, decisions = _by_sums(intervals), None
    else:
        ranks = RankIntervals.from_intervals(intervals, how)
        order = PartialRanking.from_ranks(ranks.rank, items=intervals.items)
        decisions = ranks.decisions
    what = {
        "direct": f"share of {intervals.unit}s\nwith row above column",
        "imputed": "mean proportion\nwith row above column",
    }[intervals.estimand]
    above = None if decisions is None else decisions.above
    new = ax is None
    ax = share_matrix(intervals.estimate, order, above=above, label=what, ax=ax)
    notes = _of_intervals(intervals, decisions, _is_framed(intervals, order))
    # There is room below the color bar too.
    width = max(20.0, 1.5 * len(intervals.items)) if new else letters_across(ax)
    if new:
        add_height(ax, note_height(notes, width))
    write_below(ax, notes, width)
    return ax


def _how(intervals: PairwiseIntervals) -> Literal["holm", "intervals"] | None:
    """Return how pairs can be decided, Holm's procedure first; None where they cannot."""
    if intervals.estimand != "direct":
        return None
    if not intervals.anytime:
        return "holm"
    return None if intervals.simultaneous is None else "intervals"


def _by_sums(intervals: PairwiseIntervals) -> PartialRanking:
    known = np.where(np.isnan(intervals.estimate), 0.5, intervals.estimate)
    return PartialRanking.from_scores(
        known.sum(axis=1), higher_is_better=True, items=intervals.items, tolerance=1e-9
    )


def _is_framed(intervals: PairwiseIntervals, order: PartialRanking) -> bool:
    before: Bools = order.ranks[:, None] < order.ranks
    return bool((before & (intervals.estimate < 0.5)).any())


def _of_intervals(
    intervals: PairwiseIntervals, decisions: Decisions | None, is_framed: bool
) -> list[str]:
    if decisions is None:
        first = "these intervals cannot decide pairs; rows by mean proportion"
    else:
        bound = "about" if decisions.is_approximate else "at most"
        first = (
            f"dot: decided by {decisions.how}, family-wise error rate {bound} "
            f"{decisions.alpha:g}; rows by majorities lost"
        )
    return [
        first,
        "frame: below one half against the order of rows" if is_framed else "",
        "hatched: never compared" if intervals.never_compared else "",
        *(f"note: {note}" for note in intervals.notes),
    ]


Look = dict[str, Any]
WORSE: Final[Look] = {
    "color": ACCENTS[1], "marker": "D", "markerfacecolor": ACCENTS[1],
    "markeredgecolor": ACCENTS[1],
}  # fmt: skip
LOOKS: Final[dict[str, Look]] = {"better": SOLID, "worse": WORSE, "-": OPEN}


def effects_plot(
    tests: PairedTests | PairedTest, *, top: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the effects of paired tests with their intervals: a row for each system, the best first.

    The line stands where the system and the one it is tested against are alike. A point is filled
    where the test decides, with one error rate for all; intervals are for each pair alone, so that
    one can miss the line although its point is open. An arrow is an end that nothing bounds.

    Parameters
    ----------
    tests : PairedTests or PairedTest
        Made by `paired_tests` or `paired_test`.
    top : int, optional
        Only the first so many rows.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If `tests` is something else, or `top` is no positive number.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> tests = ra.paired_tests(ra.datasets.load("superglue_human"), "NEZHA Plus")
    >>> ax = plotting.effects_plot(tests)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Human', 'DeBERTa', 'T5 + Meena', 'T5', 'PAI Albert']
    """
    if not isinstance(tests, PairedTests | PairedTest):
        raise InvalidInputError(
            "tests", "PairedTests or a PairedTest", tests,
            "`paired_tests(data, reference)` makes them.",
        )  # fmt: skip
    if top is not None:
        check_integer(top, "top", low=1)
    if isinstance(tests, PairedTest):
        tests = PairedTests(reference=tests.second, tests=(tests,), alpha=tests.alpha)
    frame = tests.to_frame().iloc[:top]
    names = plot_labels(frame.index, name_letters(ax))
    reference = plot_labels([tests.reference])[0]
    level = 0.5 if tests.method == "sign" else 0.0
    points = frame["effect"].to_numpy(dtype=np.float64)
    bounds = frame[["lower", "upper"]].to_numpy(dtype=np.float64)
    notes = _of_effects(tests, reference, points, bounds)
    width, new = 34.0, ax is None
    kinds = [kind for kind in LOOKS if kind in set(frame["decision"])]
    height = 4.8 + 1.35 * (len(names) + len(kinds)) + note_height(notes, width)
    ax = canvas(ax, width + 4 + widest(names), height)
    low, high = _span(np.array([level, *points, *bounds.ravel()]))
    ax.axvline(level, color=GRAY, linewidth=1.0, zorder=1, gid="alike")
    looks = [LOOKS[decision] for decision in frame["decision"]]
    interval_rows(ax, names, points, np.clip(bounds, low, high), looks)
    _arrows(ax, bounds, (low, high), looks)
    edge = 0.02 * (high - low)
    ax.set_xlim(low - edge, high + edge)
    axis = (
        f"share above {reference}" if tests.method == "sign" else
        f"{tests.tests[0].effect_name} to {reference}"
    )  # fmt: skip
    write_below(ax, notes, width if new else None, axis=axis)
    words = {"better": "better", "worse": "worse", "-": f"not told from {reference}"}
    legend_above(ax, [_key(LOOKS[kind], words[kind]) for kind in kinds], new=new)
    return ax


def _span(values: Floats) -> tuple[float, float]:
    """Return limits that hold all finite values, with room for arrows."""
    known = values[np.isfinite(values)]
    low, high = float(known.min()), float(known.max())
    room = 0.08 * (high - low) or max(0.5 * abs(low), 1.0)
    return low - room, high + room


def _arrows(ax: Axes, bounds: Floats, limits: tuple[float, float], looks: list[Look]) -> None:
    size = float(mpl.rcParams["lines.markersize"])
    for side, (limit, marker) in enumerate(zip(limits, "<>", strict=True)):
        for row in np.flatnonzero(np.isinf(bounds[:, side])):
            ax.plot(
                limit, row, marker=marker, color=looks[row]["color"], markersize=1.5 * size,
                markeredgewidth=0, clip_on=False, zorder=4, gid=f"arrow-{row}",
            )  # fmt: skip


def _key(look: Look, label: str) -> Line2D:
    return Line2D([], [], linestyle="none", label=label, **{"marker": "o", **look})


def _of_effects(tests: PairedTests, reference: str, points: Floats, bounds: Floats) -> list[str]:
    one, total = tests.tests[0], len(tests.tests)
    most = max(test.n_units for test in tests.tests)
    share = f"{100 * (1 - tests.alpha):g} %"
    holm = f", with Holm's procedure; family-wise error rate {tests.alpha:g}"
    alone = holm if total > 1 else f", at alpha {tests.alpha:g}"
    nothing = int(np.isnan(points).sum())
    return [
        f"the first {len(points)} of {counted(total, 'system')}" if len(points) < total else "",
        f"filled: decided by {TESTS[one.method]} tests in {counted(most, one.word)}{alone}",
        f"bars: {share} intervals" + (", for each pair alone" if total > 1 else ""),
        f"shares are of the {one.word}s in which the two differ" if tests.method == "sign" else "",
        "arrow: no end" if np.isinf(bounds).any() else "",
        f"no point: no {one.word} tells the system from {reference}" if nothing else "",
        *(f"note: {note}" for note in tests.notes),
    ]


WIDTH: Final = 32.0
# More decades than so many are numbered in steps; fewer than so many have numbers between.
MANY, FEW = 6, 2


def separation_plot(
    separation: Separation, *, top: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draw how many units would tell each system from the next one, beside those at hand.

    A row for each two neighbors by mean score. The upright mark stands at the units at hand, the
    point at those needed if the differences and spreads seen are the true ones, and the number at
    the right is that of the point. A filled point is left of its mark: there are enough. An arrow
    stands for an infinite number: the two are level, or were compared less than twice.

    Parameters
    ----------
    separation : Separation
        Made by `separation`.
    top : int, optional
        Only the first so many pairs.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If `separation` is something else, or `top` is no positive number.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> found = ra.separation(ra.datasets.load("superglue_human"))
    >>> ax = plotting.separation_plot(found, top=2)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Human / DeBERTa', 'DeBERTa / T5 + Meena']
    """
    if not isinstance(separation, Separation):
        raise InvalidInputError(
            "separation", "a Separation", separation, "`rankagg.separation(data)` makes one."
        )
    if top is not None:
        check_integer(top, "top", low=1)
    needed = separation.needed[:top]
    there = separation.n_units[:top].astype(np.float64)
    systems = plot_labels(separation.order, name_letters(ax, 24, share=0.2))
    names = [f"{a} / {b}" for a, b in pairwise(systems)][: len(needed)]
    told = [_written(number) for number in needed]
    notes = _of_separation(separation, len(needed))
    new = ax is None
    height = 8.4 + 1.35 * len(names) + note_height(notes, WIDTH)
    ax = canvas(ax, WIDTH + 6 + widest(names) + widest(told), height)
    low, high = _limits(needed, there)
    for row in range(len(needed)):
        _draw_row(ax, row, (needed[row], there[row]), (low, high))
    _frame(ax, names, told, (low, high))
    write_below(ax, notes, WIDTH if new else None, axis=f"{separation.word}s, on a log scale")
    legend_above(ax, _keys(separation.word, needed, there), new=new)
    return ax


def _draw_row(
    ax: Axes, row: int, numbers: tuple[float, float], limits: tuple[float, float]
) -> None:
    needed, there = numbers
    width = float(mpl.rcParams["lines.linewidth"])
    size = float(mpl.rcParams["lines.markersize"])
    look = SOLID if needed <= there else OPEN
    hand = max(there, limits[0])
    end = min(needed, limits[1])
    if not np.isnan(end):
        ax.plot(
            [hand, end], [row, row], color=look["color"], linewidth=1.5 * width, zorder=2,
            solid_capstyle="butt", gid=f"gap-{row}",
        )  # fmt: skip
    ax.plot(
        hand, row, marker="|", color=INK, markersize=2.5 * size, markeredgewidth=1.2 * width,
        linestyle="none", zorder=4, gid=f"hand-{row}",
    )  # fmt: skip
    if np.isinf(needed):
        ax.plot(
            limits[1], row, marker=">", color=GRAY, markersize=1.5 * size, markeredgewidth=0,
            clip_on=False, zorder=4, gid=f"arrow-{row}",
        )  # fmt: skip
    elif not np.isnan(needed):
        ax.plot(
            needed, row, marker="o", linestyle="none", markeredgewidth=width, zorder=3,
            gid=f"point-{row}", **look,
        )  # fmt: skip


def _limits(needed: Floats, there: Floats) -> tuple[float, float]:
    """Return limits of the axis, so far apart that a tick is between them."""
    known = np.concatenate([needed[np.isfinite(needed)], there])
    low, high = max(1.0, float(known.min())), max(1.0, float(known.max()))
    room = max((high / low) ** 0.08, 1.5)
    return low / room, high * room


def _frame(ax: Axes, names: list[str], told: list[str], limits: tuple[float, float]) -> None:
    width = float(mpl.rcParams["lines.linewidth"])
    ax.set_xscale("log")
    edge = (limits[1] / limits[0]) ** 0.02
    ax.set_xlim(limits[0] / edge, limits[1] * edge)
    ticks = _ticks(*limits)
    ax.set_xticks(ticks, [_written(tick) for tick in ticks])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    right = ax.secondary_yaxis("right")
    right.yaxis.set_ticks(range(len(told)), told, parse_math=False)
    right.yaxis.set_tick_params(length=0)
    right.spines["right"].set_visible(False)
    ax.grid(color=GRID, linewidth=0.5 * width)
    ax.set_axisbelow(True)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)


def _ticks(low: float, high: float) -> list[float]:
    """Return powers of ten within limits, with numbers between where there is room for them."""
    first, last = int(np.ceil(np.log10(low) - 1e-9)), int(np.floor(np.log10(high) + 1e-9))
    if last - first >= FEW:
        return [10.0**k for k in range(first, last + 1, -(-(last - first) // MANY))]
    multiples = (1, 2, 5) if last > first else (1, 2, 3, 5, 7)
    found = [many * 10.0**k for k in range(max(first - 1, 0), last + 1) for many in multiples]
    return [tick for tick in found if low <= tick <= high]


def _written(number: float) -> str:
    if np.isnan(number):
        return "unknown"
    if np.isinf(number):
        return "\N{INFINITY}"
    return f"{number:,.0f}" if number < 1e6 else re.sub(r"e\+0*", "e", f"{number:.0e}")


def _keys(word: str, needed: Floats, there: Floats) -> list[Line2D]:
    size = float(mpl.rcParams["lines.markersize"])
    marks = [
        Line2D(
            [], [], marker="|", color=INK, markersize=2.5 * size, linestyle="none",
            label=f"{word}s at hand",
        )
    ]  # fmt: skip
    finite = np.isfinite(needed)
    for look, occurs, label in (
        (SOLID, finite & (needed <= there), f"{word}s needed: enough are there"),
        (OPEN, finite & (needed > there), f"{word}s needed: more than are there"),
    ):
        if occurs.any():
            marks.append(Line2D([], [], marker="o", linestyle="none", label=label, **look))
    return marks


def _of_separation(separation: Separation, shown: int) -> list[str]:
    total, needed = len(separation.needed), separation.needed[:shown]
    test = TESTS["mcnemar"] if separation.is_answers else "t"
    tests = counted(separation.n_tests, "test")
    return [
        f"the first {shown} of {counted(total, 'pair')}" if shown < total else "",
        f"{100 * separation.power:g} % power of {test} tests; {tests} with a family-wise error "
        f"rate of {separation.alpha:g}",
        f"{separation.word}s needed if the differences and spreads seen are the true ones: orders "
        "of magnitude",
        f"\N{INFINITY}: level, or compared in less than two {separation.word}s"
        if np.isinf(needed).any()
        else "",
        f"unknown: all {separation.word}s agree, which tells no spread"
        if np.isnan(needed).any()
        else "",
    ]
