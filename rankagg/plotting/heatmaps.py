"""Heat maps: shares of votes by pairs, agreement of tasks, and shares of ranks by items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle
from matplotlib.ticker import PercentFormatter

from rankagg._typing import Bools, Floats
from rankagg._validation import check_choice, check_number
from rankagg.aggregation import Borda, Consensus
from rankagg.aggregation.kemeny import Kemeny
from rankagg.analysis import RankShares, TaskAgreement
from rankagg.core import PairwiseMatrix, PartialRanking, counted
from rankagg.exceptions import InvalidInputError
from rankagg.inference.intervals.pairwise import PairwiseIntervals
from rankagg.inference.ranks.rank_results import ranks_from_intervals
from rankagg.plotting.sheet import PlotSheet, open_frame, rank_ticks
from rankagg.plotting.theme import (
    ACCENTS,
    DIVERGING,
    GRAY,
    INK,
    NO_RANK,
    SHARE_COLORS,
    letter,
    plot_of,
)
from rankagg.studies.confidence import ConfidenceStudy, JudgedCell
from rankagg.studies.study import StudyResult

if TYPE_CHECKING:
    from rankagg.inference import Decisions

# Cells of so many items still hold their number, of that size.
NUMBERED, NUMBER_SIZE = 14, 0.9
SIDES = ("top", "right", "bottom", "left")
# Between the column of all other tasks, or of no rank, and the others.
SLOT = 0.4


def _bare_cells(ax: Axes, rows: Sequence[str], columns: Sequence[str], at: Any = None) -> None:
    """Write the names of rows and, above, those of columns; no frame is around the cells."""
    ax.set_yticks(range(len(rows)), rows, parse_math=False)
    ax.set_xticks(range(len(columns)) if at is None else at, columns, rotation=90, parse_math=False)
    ax.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    open_frame(ax, SIDES, "")


def color_bar(ax: Axes, cells: ScalarMappable, label: str, **options: Any) -> None:
    """Draw the colors of cells beside them."""
    bar = ax.figure.colorbar(cells, ax=ax, fraction=0.04, pad=0.02, label=label, **options)
    bar.outline.set_visible(False)


def cell_number(
    ax: Axes, at: tuple[float, float], text: str, *, size: float, on_dark: bool, gid: str
) -> None:
    """Write a number into a cell."""
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": letter(size)}
    ax.text(*at, text, color="white" if on_dark else INK, gid=gid, **look)


def _hatched_cell(ax: Axes, corner: tuple[float, float], gid: str = "unknown") -> None:
    """Hatch a cell of which nothing is known."""
    look: dict[str, Any] = {"fill": False, "hatch": "////", "ec": "#cccccc", "lw": 0}
    ax.add_patch(Rectangle(corner, 1, 1, gid=gid, **look))


def percent_told(share: float) -> str:
    """Return a share in percent, never rounded to none or all of them."""
    if 1e-9 < share < 0.005:
        return "<1"
    return ">99" if 0.995 <= share < 1 - 1e-9 else f"{100 * share:.0f}"


@plot_of(PairwiseMatrix, "profile.pairwise()")
def pairwise_heatmap(
    votes: PairwiseMatrix,
    ranking: PartialRanking | Consensus | None = None,
    *,
    decisions: Decisions | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw for each two items the share of votes with row above column, in consensus order.

    Where the consensus has row above column although most votes say the reverse, a frame
    surrounds the cell. Pairs that nobody compared are hatched, whatever a policy imputes.

    Parameters
    ----------
    votes : PairwiseMatrix
        The votes.
    ranking : PartialRanking or Consensus, optional
        The order of rows and columns; the exact `Kemeny` consensus by default.
    decisions : Decisions, optional
        Decided pairs get a dot; see `PairwiseIntervals.decisions`.

    Raises
    ------
    ItemMismatchError
        If ranking or decisions are on other items.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> voters = ra.datasets.load("tennessee")
    >>> ax = plotting.pairwise_heatmap(voters.pairwise())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['1  Nashville', '2  Chattanooga', '3  Knoxville', '4  Memphis']
    """
    if ranking is None:
        ranking = Kemeny().aggregate(votes)
    if isinstance(ranking, Consensus):
        ranking = ranking.ranking
    votes.items.require_same(ranking.items, "The votes and the ranking")
    above = None
    if decisions is not None:
        votes.items.require_same(decisions.items, "The votes and the decisions")
        above = decisions.above
    # A policy may impute votes for pairs that nobody compared.
    shares = np.where(votes.comparisons > 0, votes.proportion, np.nan)
    return _share_matrix(shares, ranking, above=above, ax=ax)


def _share_matrix(
    shares: Floats,
    ranking: PartialRanking,
    *,
    above: Bools | None = None,
    label: str = "share of votes\nwith row above column",
    notes: Sequence[str] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw a matrix of shares in the order of a ranking."""
    n, ranks = len(ranking.items), ranking.ranks
    order = np.argsort(np.where(ranks >= 0, ranks, n), kind="stable")
    side = max(1.5 if n > NUMBERED else 2.4, 17 / n) * n
    # There is room below the color bar too.
    sheet = PlotSheet(ax, side, side, notes=20.0 if notes else 0.0)
    ax, names = sheet.ax, sheet.names(ranking.items.at(order))
    places = [str(rank + 1) if rank >= 0 else NO_RANK for rank in ranks[order].tolist()]
    cells = np.ma.masked_invalid(shares[np.ix_(order, order)])
    cells[np.diag_indices(n)] = np.ma.masked
    image = ax.imshow(cells, cmap=DIVERGING, vmin=0, vmax=1, interpolation="none", aspect="auto")
    rows = [f"{place}  {name}" for place, name in zip(places, names, strict=True)]
    _bare_cells(ax, rows, names)
    color_bar(ax, image, label)
    texts = [f"{100 * value:.0f}" for value in cells.compressed()]
    size = sheet.number_size(texts, (n, n), NUMBER_SIZE) if n <= NUMBERED else None
    dots = np.zeros((n, n), dtype=bool) if above is None else above[np.ix_(order, order)]
    for (i, j), value in np.ndenumerate(np.ma.filled(cells, np.nan)):
        if i == j:
            ax.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, fc="#e8e8e8", ec="none"))
            continue
        if np.isnan(value):
            _hatched_cell(ax, (j - 0.5, i - 0.5))
            continue
        on_dark = bool(value > 0.8 or value < 0.1)
        if size is not None:
            told = f"{100 * value:.0f}"
            cell_number(ax, (j, i), told, size=size, on_dark=on_dark, gid="share")
        if 0 <= ranks[order[i]] < ranks[order[j]] and value < 0.5:
            frame: dict[str, Any] = {"fill": False, "ec": ACCENTS[1], "lw": letter(0.2)}
            ax.add_patch(Rectangle((j - 0.44, i - 0.44), 0.88, 0.88, gid="against", **frame))
        if dots[i, j]:
            height, color = i + 0.33 * (size is not None), "white" if on_dark else INK
            ax.plot(j, height, "o", ms=letter(0.3), mew=0, color=color, gid="decided")
    return sheet.finish(notes)


@plot_of(PairwiseIntervals, "PairwiseIntervals.from_data(data)")
def intervals_heatmap(intervals: PairwiseIntervals, *, ax: Axes | None = None) -> Axes:
    """Draw the estimated proportions, row above column, with a dot on every decided pair.

    Items are in the order of their ranks by majorities, or of the sums of their proportions
    where the intervals decide nothing. A frame surrounds a cell where the order has row above
    column although the proportion is below one half. Pairs that nobody compared are hatched.

    Parameters
    ----------
    intervals : PairwiseIntervals
        Made by `PairwiseIntervals.from_data`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[40, 30, 30])
    >>> ax = plotting.intervals_heatmap(ra.PairwiseIntervals.from_data(profile))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['1  A', '2  B', '3  C']
    """
    estimate, above = intervals.estimate, None
    # Holm's procedure decides pairs where it can.
    how: Literal["holm", "intervals"] | None = None
    if not (intervals.anytime and intervals.simultaneous is None):
        how = "intervals" if intervals.anytime else "holm"
    first = "these intervals cannot decide pairs; rows by mean proportion"
    if how is None:
        known = np.where(np.isnan(estimate), 0.5, estimate).sum(axis=1)
        order = PartialRanking.from_scores(
            known, higher_is_better=True, items=intervals.items, tolerance=1e-9
        )
    else:
        ranks = ranks_from_intervals(intervals, how)
        order = PartialRanking.from_ranks(ranks.rank, items=intervals.items)
        decisions, above = ranks.decisions, ranks.decisions.above
        bound = "about" if decisions.is_approximate else "at most"
        first = (
            f"dot: decided by {decisions.how}, family-wise error rate {bound} "
            f"{decisions.alpha:g}; rows by majorities lost"
        )
    label = f"share of {intervals.unit}s\nwith row above column"
    notes = [first, *_marks_told(estimate, order), *(f"note: {note}" for note in intervals.notes)]
    return _share_matrix(estimate, order, above=above, label=label, notes=notes, ax=ax)


def _marks_told(estimate: Floats, order: PartialRanking) -> list[str]:
    """Say what frames and hatched cells mean, where there are some."""
    framed = (order.ranks[:, None] < order.ranks) & (estimate < 0.5)
    unknown = np.isnan(estimate) & ~np.eye(len(estimate), dtype=bool)
    return [
        "frame: below one half against the order of rows" if framed.any() else "",
        "hatched: never compared" if unknown.any() else "",
    ]


@plot_of(StudyResult, "ConfidenceStudy.run")
def confidence_heatmap(
    result: StudyResult,
    *,
    method: str | None = None,
    model: str | None = None,
    alpha: float | None = None,
    proportion: float | None = None,
    removal: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the estimated proportions of one table, row above column, with a dot on decided pairs.

    The table is the first of the study's repetitions. Systems are in the order of Borda's
    consensus of what is left of it, best first. A frame surrounds a cell where that has row above
    column although the proportion is below one half; pairs that nothing compares are hatched.

    Parameters
    ----------
    result : StudyResult
        What a study of confidence found.
    method : str, optional
        The name of a method of the study; its first by default.
    model : str, optional
        The name of a model of the study; its first by default.
    alpha, proportion : float, optional
        A level and a proportion of the study; its first by default.
    removal : str, optional
        The name of a mechanism of the study; its first by default.

    Raises
    ------
    InvalidInputError
        If the argument is no result of such a study, the study has nothing of that kind, or the
        method cannot judge the table.

    References
    ----------
    Himmi et al. (2023), "Towards more robust NLP system evaluation: handling missing scores in
    benchmarks", https://doi.org/10.48550/arXiv.2305.10284, figures 6 and 11. Their cells show how
    far the interval is from 1/2, where it leaves that outside.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> table = ra.datasets.load("superglue_human")
    >>> study = ra.studies.ConfidenceStudy(
    ...     data=ra.studies.ObservedData(label="SuperGLUE", data=table),
    ...     methods=[ra.studies.IntervalMethod(holm=True, method="clopper-pearson")],
    ...     proportions=[0.2],
    ...     n_repetitions=1,
    ... )
    >>> ax = plotting.confidence_heatmap(study.run())
    >>> len(ax.get_yticklabels())
    6
    """
    study = result.study
    if not isinstance(study, ConfidenceStudy):
        allowed = "the result of a ConfidenceStudy"
        raise InvalidInputError("result", allowed, result, "`study_plot` draws those of others.")
    way = _chosen(method, study.methods or (), "method")
    source = _chosen(model, study.data, "model")
    mechanism = _chosen(removal, study.removals, "removal")
    level = check_choice(
        study.alphas[0] if alpha is None else check_number(alpha, "alpha"),
        list(study.alphas),
        "alpha",
    )
    share = check_choice(
        study.proportions[0] if proportion is None else check_number(proportion, "proportion"),
        list(study.proportions),
        "proportion",
    )
    removed = f", {100 * share:g} % of the single scores removed, {mechanism.name}"
    ranked, judged = study.judged(JudgedCell(source, share, mechanism), level, way)
    order = Borda().aggregate(ranked.profile).ranking
    pairs = counted(len(judged.items) * (len(judged.items) - 1) // 2, "pair")
    units = counted(round(ranked.comparisons(way.unit)), way.unit)
    notes = [
        source.name + removed * bool(share),
        f"dot: decided by {way.name} at alpha {level:g}, {int(judged.above.sum())} of {pairs}, "
        f"from {units} each on average",
        *_marks_told(judged.estimate, order),
    ]
    label = f"estimated proportion of {way.unit}s\nwith row above column"
    return _share_matrix(
        judged.estimate, order, above=judged.above, label=label, notes=notes, ax=ax
    )


def _chosen(name: str | None, among: Iterable[Any], parameter: str) -> Any:
    """Return what has the name, the first by default."""
    known = {one.name: one for one in among}
    return known[check_choice(name or next(iter(known)), list(known), parameter)]


@plot_of(TaskAgreement, "task_agreement(data)")
def task_agreement_plot(agreement: TaskAgreement, *, ax: Axes | None = None) -> Axes:
    """Draw Kendall's tau of every two tasks, and of each task with all the others, as a heat map.

    The first column is a task against the ranking by all others, and orders the rows: tasks at the
    top carry the ranking, those at the bottom go their own way. Blue tasks order systems alike,
    orange ones the reverse. Pairs of tasks without two systems in common, and tasks that tie all,
    are hatched.

    Parameters
    ----------
    agreement : TaskAgreement
        Made by `task_agreement`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> found = ra.analysis.task_agreement(ra.datasets.load("superglue_human"))
    >>> ax = plotting.task_agreement_plot(found)
    >>> [label.get_text() for label in ax.get_yticklabels()][:3]
    ['WSC', 'COPA', 'RTE']
    """
    n = len(agreement.tasks)
    order = np.argsort(-np.nan_to_num(agreement.with_rest, nan=-2.0), kind="stable")
    side = max(1.5 if n > NUMBERED else 2.2, 17 / n)
    sheet = PlotSheet(ax, side * (n + 1 + SLOT), side * n, notes=22.0)
    ax, names = sheet.ax, sheet.names(agreement.tasks.at(order))
    edges = np.array([0.0, 1.0, *(1 + SLOT + np.arange(n + 1))])
    cells = np.full((n, n + 2), np.nan)
    cells[:, 0] = agreement.with_rest[order]
    cells[:, 2:] = agreement.tau[np.ix_(order, order)]
    known = np.ma.masked_invalid(cells)
    known[np.arange(n), np.arange(n) + 2] = np.ma.masked
    colors: dict[str, Any] = {"cmap": DIVERGING, "vmin": -1, "vmax": 1}
    image = ax.pcolormesh(edges, np.arange(n + 1.0) - 0.5, known, gid="cells", **colors)
    ax.set_ylim(n - 0.5, -0.5)
    _bare_cells(ax, names, ["all others", *names], [0.5, *(1.5 + SLOT + np.arange(n))])
    color_bar(ax, image, "Kendall's tau-b")
    texts = [_tau_told(value) for value in cells[~np.isnan(cells)]]
    size = sheet.number_size(texts, (n, edges[-1]), 0.85) if n <= NUMBERED else None
    for i in range(n):
        for j in (0, *range(2, n + 2)):
            corner, value = (edges[j], i - 0.5), cells[i, j]
            if j == i + 2:
                ax.add_patch(Rectangle(corner, 1, 1, fc="#e8e8e8", ec="none"))
            elif np.isnan(value):
                _hatched_cell(ax, corner, f"unknown-{i}-{j}")
            elif size is not None:
                on_dark, at = bool(value > 0.6 or value < -0.8), (edges[j] + 0.5, i)
                cell_number(ax, at, _tau_told(value), size=size, on_dark=on_dark, gid="tau")
    unknown = np.isnan(agreement.with_rest).any() or np.isnan(agreement.tau).any()
    means = [
        "unknown" if np.isnan(value) else f"{value:.2f}"
        for value in (agreement.kendall_w, agreement.mean_tau)
    ]
    return sheet.finish(
        [
            f"{counted(n, 'task')} on {counted(agreement.n_systems, 'system')}; "
            f"Kendall's W {means[0]}, mean tau of two tasks {means[1]}",
            "all others: the ranking by Borda of all other tasks; rows in that order",
            "hatched: too little in common, or all tied" if unknown else "",
            *(f"note: {note}" for note in agreement.notes),
        ]
    )


def _tau_told(tau: float) -> str:
    """Return two digits without a nought before them."""
    text = f"{tau:.2f}".replace("-", "\N{MINUS SIGN}")
    text = text.replace("0.", ".", 1).replace("1.00", "1")
    return "0" if text.endswith(".00") else text


@plot_of(RankShares, "rank_shares(data)")
def rank_distribution_plot(shares: RankShares, *, ax: Axes | None = None) -> Axes:
    """Draw the share of resamples in which each item takes each rank, as a heat map.

    Rows are in the order of mean ranks. Where a resample leaves an item several ranks, each has
    an equal part, as in `RankShares.ranks`. Resamples in which an item has no rank are in a
    hatched column of their own. Numbers are percent, in the cells of up to 14 items.

    Parameters
    ----------
    shares : RankShares
        Made by `rank_shares`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[4, 3, 3])
    >>> shares = ra.rank_shares(profile, ra.Borda(), n_resamples=50, rng=0)
    >>> ax = plotting.rank_distribution_plot(shares)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A', 'B', 'C']
    """
    frame = shares.ranks()
    cells, n = frame.to_numpy(), len(frame)
    without = (shares.best == 0).mean(axis=0)[shares.items.indices(frame.index)]
    columns, ticks = n + (1 + SLOT) * bool(without.any()), [*map(float, rank_ticks(n))]
    width = columns * max(1.2 if n > NUMBERED else 2.6, 28 / n)
    sheet = PlotSheet(ax, width, n * max(1.35 if n > NUMBERED else 2, 10 / n))
    ax, names = sheet.ax, sheet.names(frame.index)
    top = min(1.0, max(ceil(10 * cells.max() - 1e-9) / 10, 0.1))
    extent = (0.5, n + 0.5, n - 0.5, -0.5)
    image = ax.imshow(
        cells, cmap=SHARE_COLORS, vmin=0, vmax=top, interpolation="none", aspect="auto"
    )
    image.set(extent=extent, gid="shares")
    ax.set_yticks(range(n), names, parse_math=False)
    heads = [f"{tick:.0f}" for tick in ticks]
    if without.any():
        ticks, heads = [*ticks, n + 1 + SLOT], [*heads, NO_RANK]
        _add_column(ax, without, ticks[-1], Normalize(0.0, top))
    ax.set_xlim(0.5, columns + 0.5)
    ax.set_xticks(ticks, heads)
    ax.tick_params(length=0)
    open_frame(ax, SIDES, "")
    ax.add_patch(Rectangle((0.5, -0.5), n, n, fill=False, ec=GRAY, lw=0.8, clip_on=False))
    color_bar(ax, image, "share of resamples", format=PercentFormatter(1.0, decimals=0))
    shown = cells > 1e-9
    texts = [percent_told(share) for share in cells[shown]]
    size = sheet.number_size(texts, (n, columns), NUMBER_SIZE) if n <= NUMBERED else None
    for row, column in np.argwhere(shown) if size is not None else ():
        told, on_dark = percent_told(cells[row, column]), bool(cells[row, column] > 0.6 * top)
        cell_number(ax, (column + 1, row), told, size=size or 1, on_dark=on_dark, gid="share")
    within = " within tasks" if shares.fixed_tasks else ""
    several = bool((shares.best != shares.worst).any())
    notes = [
        f"ranks by {shares.rule.name} in {counted(shares.n_resamples, 'resample')} of "
        f"{shares.unit}s{within}",
        "shares of resamples, not confidence; rows by mean rank",
        *(f"note: {note}" for note in shares.notes),
        "note: where a resample leaves several ranks, equal parts" if several else "",
    ]
    return sheet.finish(notes, axis="rank")


def _add_column(ax: Axes, without: Floats, x: float, norm: Normalize) -> None:
    """Draw how often every item has no rank."""
    for row, share in enumerate(without):
        look = {"fc": SHARE_COLORS(norm(share)), "ec": GRAY, "lw": 0.3}
        look["hatch"] = "////" if share > 0 else None
        ax.add_patch(Rectangle((x - 0.5, row - 0.5), 1, 1, gid=f"without-{row}", **look))
        if len(without) <= NUMBERED and share > 1e-9:
            text = ax.text(x, row, percent_told(share), ha="center", va="center")
            text.set(gid="without-number", fontsize=letter(NUMBER_SIZE))
            text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 1})
