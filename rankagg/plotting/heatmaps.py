"""Heat maps of pairwise shares, agreement of tasks, shares of ranks, and missing cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, comb
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import PercentFormatter

from rankagg._typing import Bools, Floats, Label
from rankagg._validation import check_choice, table_remedy
from rankagg.aggregation import Borda, Consensus
from rankagg.aggregation.kemeny import Kemeny
from rankagg.analysis import MissingReport, RankShares, TaskAgreement, missing_report
from rankagg.core import UNRANKED, PairwiseMatrix, PartialRanking, Profile, ScoreTable, counted
from rankagg.exceptions import InvalidInputError
from rankagg.inference import Decisions
from rankagg.inference.pairwise import PairwiseIntervals
from rankagg.inference.ranks.rank_results import ranks_from_intervals
from rankagg.plotting.sheet import PlotSheet, first_of, in_order, open_frame, rank_text, rank_ticks
from rankagg.plotting.theme import (
    DIVERGING,
    GRAY,
    INK,
    MOST_DRAWN,
    NO_RANK,
    SHARE_COLORS,
    letter,
    plot_of,
)
from rankagg.studies import ConfidenceStudy, StudyResult

# Most items with numbers in their cells, and the font size of these numbers.
NUMBERED, NUMBER_SIZE = 14, 0.9
SIDES = ("top", "right", "bottom", "left")
# Gap after the column of all other tasks.
SLOT = 0.4
# More columns of missing cells are merged into patterns. Most patterns drawn, and most columns with
# numbers in their cells.
MOST_COLUMNS = 60
MOST_PATTERNS = 40
MOST_NUMBERED = 20
BORDER = "#d0d0d0"
DIAGONAL = "#e8e8e8"


def _bare_cells(ax: Axes, rows: Sequence[str], columns: Sequence[str], at: Any = None) -> None:
    """Name the rows and, above them, the columns, without a frame."""
    ax.set_yticks(range(len(rows)), rows, parse_math=False)
    ax.set_xticks(range(len(columns)) if at is None else at, columns, rotation=90, parse_math=False)
    ax.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    open_frame(ax, SIDES, "")


def _color_bar(ax: Axes, cells: ScalarMappable, label: str, **options: Any) -> None:
    """Draw a color bar next to the cells."""
    bar = ax.figure.colorbar(cells, ax=ax, fraction=0.04, pad=0.02, label=label, **options)
    bar.outline.set_visible(False)


def _write_numbers(
    sheet: PlotSheet,
    cells: Floats,
    columns: Floats,
    text_of: Callable[[float], str],
    *,
    light: tuple[float, float],
    gid: str = "share",
) -> bool:
    """Write finite values into cells, and return whether they fit.

    Cells with values between those of `light` get dark text, others white.
    """
    known = np.argwhere(np.isfinite(cells)).tolist()
    texts = [text_of(cells[row, k]) for row, k in known]
    shape = len(cells), float(columns[-1] - columns[0] + 1)
    size = sheet.number_size(texts, shape, NUMBER_SIZE)
    if size is None:
        return False
    points = letter(size)
    for (row, k), text in zip(known, texts, strict=True):
        color = INK if light[0] <= cells[row, k] <= light[1] else "white"
        sheet.ax.text(
            columns[k], row, text, color=color, ha="center", va="center", fontsize=points, gid=gid
        )
    return True


def _hatched_cell(
    ax: Axes, corner: tuple[float, float], gid: str = "unknown", color: str = "#a8a8a8"
) -> None:
    """Hatch a cell."""
    look: dict[str, Any] = {"fill": False, "hatch": "////", "ec": color, "lw": 0}
    ax.add_patch(Rectangle(corner, 1, 1, gid=gid, **look))


def _percent_text(share: float) -> str:
    """Return a share in percent, rounded to neither 0 nor 100."""
    if 1e-9 < share < 0.005:
        return "<1"
    return ">99" if 0.995 <= share < 1 - 1e-9 else f"{100 * share:.0f}"


@plot_of(PairwiseMatrix, "profile.pairwise()")
def pairwise_heatmap(
    votes: PairwiseMatrix,
    ranking: PartialRanking | Consensus | None = None,
    *,
    decisions: Decisions | None = None,
    top: int | None = MOST_DRAWN,
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of votes with row above column for each pair, in consensus order.

    A frame marks pairs that the consensus orders against the majority. Pairs never compared are
    hatched, even if a policy imputes votes. Of more than `top` items the first of the ranking are
    drawn.

    Parameters
    ----------
    votes : PairwiseMatrix
        Pairwise votes.
    ranking : PartialRanking or Consensus, optional
        Order of rows and columns; the exact `Kemeny` consensus by default.
    decisions : Decisions, optional
        Decided pairs are marked with a dot; see `PairwiseIntervals.decisions`.

    Raises
    ------
    ItemMismatchError
        If the ranking or the decisions have other items.

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
    return _share_matrix(shares, ranking, above=above, top=top, ax=ax)


def _share_matrix(
    shares: Floats,
    ranking: PartialRanking,
    *,
    above: Bools | None = None,
    label: str = "share of votes\nwith row above column",
    notes: Sequence[str] = (),
    top: int | None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a matrix of pairwise shares in the order of a ranking."""
    ranks = ranking.ranks
    n, note = first_of(len(ranks), top, "item")
    order = in_order(ranks)[:n]
    side = max(1.5 if n > NUMBERED else 2.4, 20 / n) * n
    sheet = PlotSheet(ax, side, side)
    ax, names = sheet.ax, sheet.names(ranking.items.at(order))
    cells = np.ma.masked_invalid(shares[np.ix_(order, order)])
    cells[np.diag_indices(n)] = np.ma.masked
    colors = DIVERGING.with_extremes(bad=DIAGONAL)
    image = ax.imshow(cells, cmap=colors, vmin=0, vmax=1, interpolation="none", aspect="auto")
    rows = [f"{rank_text(ranks[i])}  {name}" for i, name in zip(order, names, strict=True)]
    _bare_cells(ax, rows, names)
    _color_bar(ax, image, label)
    known, light = np.ma.filled(cells, np.nan), (0.1, 0.8)
    has_numbers = n <= NUMBERED and _write_numbers(
        sheet, known, np.arange(float(n)), lambda share: f"{100 * share:.0f}", light=light
    )
    unknown = np.isnan(known) & ~np.eye(n, dtype=bool)
    for i, j in np.argwhere(unknown).tolist():
        _hatched_cell(ax, (j - 0.5, i - 0.5))
    drawn = ranks[order]
    against = (drawn[:, None] >= 0) & (drawn[:, None] < drawn) & (known < 0.5)
    for i, j in np.argwhere(against).tolist():
        frame: dict[str, Any] = {"fill": False, "ec": INK, "lw": letter(0.2), "gid": "against"}
        ax.add_patch(Rectangle((j - 0.44, i - 0.44), 0.88, 0.88, **frame))
    decided = np.zeros((n, n), dtype=bool) if above is None else above[np.ix_(order, order)]
    for i, j in np.argwhere(decided & np.isfinite(known)).tolist():
        color = INK if light[0] <= known[i, j] <= light[1] else "white"
        ax.plot(j, i + 0.33 * has_numbers, "o", ms=letter(0.3), mew=0, color=color, gid="decided")
    marks = [
        "frame: below one half, against the order of rows" if against.any() else "",
        "hatched: never compared" if unknown.any() else "",
    ]
    return sheet.finish([note, *notes, *marks])


@plot_of(PairwiseIntervals, "PairwiseIntervals.from_data(data)")
def intervals_heatmap(
    result: PairwiseIntervals, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw the estimated proportions with row above column, with a dot on each decided pair.

    Items are in the order of their ranks by majorities, or of their mean proportions if the
    intervals cannot decide pairs; of more than `top` items the first are drawn. A frame marks
    pairs that this order has against their proportion. Pairs never compared are hatched.

    Parameters
    ----------
    result : PairwiseIntervals
        Result of `PairwiseIntervals.from_data`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[40, 30, 30])
    >>> ax = plotting.intervals_heatmap(ra.PairwiseIntervals.from_data(profile))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['1  A', '2  B', '3  C']
    """
    estimate, above = result.estimate, None
    first = "these intervals cannot decide pairs; rows by mean proportion"
    if result.anytime and result.simultaneous is None:
        known = np.where(np.isnan(estimate), 0.5, estimate).sum(axis=1)
        order = PartialRanking.from_scores(
            known, higher_is_better=True, items=result.items, tolerance=1e-9
        )
    else:
        ranks = ranks_from_intervals(result, "intervals" if result.anytime else "holm")
        order = PartialRanking.from_ranks(ranks.rank, items=result.items)
        decisions, above = ranks.decisions, ranks.decisions.above
        bound = "about" if decisions.is_approximate else "at most"
        first = (
            f"dot: decided by {decisions.how}, family-wise error rate {bound} "
            f"{decisions.alpha:g}; rows by majorities lost"
        )
    label = f"share of {result.unit}s\nwith row above column"
    notes = [first, *(f"note: {note}" for note in result.notes)]
    return _share_matrix(estimate, order, above=above, label=label, notes=notes, top=top, ax=ax)


@plot_of(StudyResult, "ConfidenceStudy.run")
def confidence_heatmap(
    result: StudyResult,
    *,
    model: str | None = None,
    top: int | None = MOST_DRAWN,
    ax: Axes | None = None,
) -> Axes:
    """Draw the estimated proportions in one table of a study, with a dot on each decided pair.

    The table is that of the first repetition, level, proportion and removal, judged by the first
    method. Systems are in the order of Borda's consensus of its remaining scores; of more than
    `top` the first are drawn. A frame marks pairs that this order has against their proportion.
    Pairs never compared are hatched.

    Parameters
    ----------
    result : StudyResult
        Result of a `ConfidenceStudy`.
    model : str, optional
        Name of a model of the study; the first by default.

    Raises
    ------
    InvalidInputError
        If the result is of another study, the model is unknown, or the method does not apply.

    References
    ----------
    Himmi et al. (2023), "Towards more robust NLP system evaluation: handling missing scores in
    benchmarks", https://doi.org/10.48550/arXiv.2305.10284, figures 6 and 11. Their cells show the
    distance of intervals from 1/2.

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
        raise InvalidInputError("result", allowed, result, "`study_plot` draws other studies.")
    sources = {one.name: one for one in study.data}
    source = sources[check_choice(model or next(iter(sources)), list(sources), "model")]
    way, level, share = (study.methods or ())[0], study.alphas[0], study.proportions[0]
    removed = f", {100 * share:g} % of the single scores removed, {study.removals[0].name}"
    ranked, judged = study.judged(source)
    order = Borda().aggregate(ranked.profile).ranking
    pairs = counted(len(judged.items) * (len(judged.items) - 1) // 2, "pair")
    units = counted(round(ranked.comparisons(way.unit)), way.unit)
    notes = [
        source.name + removed * bool(share),
        f"dot: decided by {way.name} at alpha {level:g}, {int(judged.above.sum())} of {pairs}, "
        f"from {units} each on average",
    ]
    label = f"estimated proportion of {way.unit}s\nwith row above column"
    return _share_matrix(
        judged.estimate, order, above=judged.above, label=label, notes=notes, top=top, ax=ax
    )


@plot_of(TaskAgreement, "task_agreement(data)")
def task_agreement_plot(
    result: TaskAgreement, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw a heat map of Kendall's tau of all pairs of tasks, and of each with all others.

    The first column, the tau of a task with the ranking by all others, orders the rows. Of more
    than `top` tasks those with the highest are drawn. Blue pairs agree, orange pairs disagree.
    Hatched pairs have fewer than two systems in common, or a task that ties all systems.

    Parameters
    ----------
    result : TaskAgreement
        Result of `task_agreement`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> found = ra.analysis.task_agreement(ra.datasets.load("superglue_human"))
    >>> ax = plotting.task_agreement_plot(found)
    >>> [label.get_text() for label in ax.get_yticklabels()][:3]
    ['WSC', 'COPA', 'RTE']
    """
    n, note = first_of(len(result.tasks), top, "task")
    order = np.argsort(-np.nan_to_num(result.with_rest, nan=-2.0), kind="stable")[:n]
    side = max(1.5 if n > NUMBERED else 2.2, 20 / n)
    sheet = PlotSheet(ax, side * (n + 1 + SLOT), side * n)
    ax, names = sheet.ax, sheet.names(result.tasks.at(order))
    edges = np.array([0.0, 1.0, *(1 + SLOT + np.arange(n + 1))])
    cells = np.full((n, n + 2), np.nan)
    cells[:, 0] = result.with_rest[order]
    cells[:, 2:] = result.tau[np.ix_(order, order)]
    known = np.ma.masked_invalid(cells)
    known[np.arange(n), np.arange(n) + 2] = np.ma.masked
    colors: dict[str, Any] = {"cmap": DIVERGING, "vmin": -1, "vmax": 1}
    image = ax.pcolormesh(edges, np.arange(n + 1.0) - 0.5, known, gid="cells", **colors)
    ax.set_ylim(n - 0.5, -0.5)
    _bare_cells(ax, names, ["all others", *names], [0.5, *(1.5 + SLOT + np.arange(n))])
    _color_bar(ax, image, "Kendall's tau-b")
    if n <= NUMBERED:
        others = known.filled(np.nan)
        _write_numbers(sheet, others, edges[:-1] + 0.5, _tau_text, light=(-0.8, 0.6), gid="tau")
    for i in range(n):
        for j in (0, *range(2, n + 2)):
            corner, value = (edges[j], i - 0.5), cells[i, j]
            if j == i + 2:
                ax.add_patch(Rectangle(corner, 1, 1, fc=DIAGONAL, ec="none"))
            elif np.isnan(value):
                _hatched_cell(ax, corner, f"unknown-{i}-{j}")
    unknown = np.isnan(result.with_rest).any() or np.isnan(result.tau).any()
    means = [
        "unknown" if np.isnan(value) else f"{value:.2f}"
        for value in (result.kendall_w, result.mean_tau)
    ]
    return sheet.finish(
        [
            note,
            f"{counted(len(result.tasks), 'task')} on {counted(result.n_systems, 'system')}; "
            f"Kendall's W {means[0]}, mean tau of two tasks {means[1]}",
            "all others: tau with the ranking by Borda of all other tasks, which orders the rows",
            "hatched: too little in common, or all tied" if unknown else "",
            *(f"note: {note}" for note in result.notes),
        ]
    )


def _tau_text(tau: float) -> str:
    """Return two digits without a leading zero."""
    text = f"{tau:.2f}".replace("-", "\N{MINUS SIGN}")
    text = text.replace("0.", ".", 1).replace("1.00", "1")
    return "0" if text.endswith(".00") else text


@plot_of(RankShares, "rank_shares(data)")
def rank_distribution_plot(
    result: RankShares, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw a heat map of the shares of resamples in which each item has each rank.

    Rows are in the order of mean ranks; of more than `top` items the first are drawn, up to the
    last rank that they reach. Several possible ranks in a resample share it equally, as in
    `RankShares.ranks`. Resamples that do not rank an item have a column of their own. Cells of up
    to 14 items contain numbers, in percent.

    Parameters
    ----------
    result : RankShares
        Result of `rank_shares`.

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
    n, note = first_of(len(result.items), top, "item")
    frame = result.ranks().iloc[:n]
    # Sums of shares leave rounding errors.
    reached = np.flatnonzero(frame.to_numpy().max(axis=0, initial=0.0) > 1e-9)
    last = int(reached[-1]) + 1 if note and len(reached) else len(result.items)
    cells = frame.to_numpy()[:, :last]
    without = (result.best == 0).mean(axis=0)[result.items.indices(frame.index)]
    ticks, heads = rank_ticks(last), list(map(str, rank_ticks(last)))
    if without.any():
        cells = np.column_stack([cells, np.full(n, np.nan), without])
        ticks, heads = [*ticks, last + 2], [*heads, NO_RANK]
    columns = cells.shape[1]
    width = min(columns * max(1.2 if n > NUMBERED else 2.6, 28 / n), 1.2 * MOST_COLUMNS)
    sheet = PlotSheet(ax, width, n * max(1.35 if n > NUMBERED else 2, 10 / n))
    ax, names = sheet.ax, sheet.names(frame.index)
    most = min(1.0, max(ceil(10 * np.nanmax(cells) - 1e-9) / 10, 0.1))
    colors = {"cmap": SHARE_COLORS, "vmin": 0, "vmax": most}
    image = ax.imshow(cells, interpolation="none", aspect="auto", **colors)
    image.set(extent=(0.5, columns + 0.5, n - 0.5, -0.5), gid="shares")
    ax.set_yticks(range(n), names, parse_math=False)
    ax.set_xticks(ticks, heads)
    ax.tick_params(length=0)
    open_frame(ax, SIDES, "")
    ax.add_patch(Rectangle((0.5, -0.5), last, n, fill=False, ec=GRAY, lw=0.8, clip_on=False))
    _color_bar(ax, image, "share of resamples", format=PercentFormatter(1.0, decimals=0))
    shown = np.where(cells > 1e-9, cells, np.nan)
    if n <= NUMBERED:
        _write_numbers(
            sheet, shown, np.arange(1.0, columns + 1.0), _percent_text, light=(0, 0.6 * most)
        )
    within = " within tasks" if result.fixed_tasks else ""
    several = bool((result.best != result.worst).any())
    notes = [
        note,
        f"ranks by {result.rule.name} in {counted(result.n_resamples, 'resample')} of "
        f"{result.unit}s{within}",
        "shares of resamples, not confidence; rows by mean rank",
        *(f"note: {note}" for note in result.notes),
        "note: several possible ranks in a resample share it equally" if several else "",
    ]
    return sheet.finish(notes, axis="rank")


@plot_of()
def missingness_map(
    data: ScoreTable | Profile | MissingReport,
    *,
    top: int | None = MOST_DRAWN,
    ax: Axes | None = None,
) -> Axes:
    """Draw a map of items in rows and tasks in columns, dark where scores are missing.

    Items with the most missing cells come first; of more than `top` these are drawn. For tasks
    with instances and groups of rankings the shade is the missing share. Up to 60 rankings without
    groups have a column each. With more, or more than 60 tasks, a column is a pattern: all that
    lack the same items.

    Parameters
    ----------
    data : ScoreTable, Profile or MissingReport
        Data, or the result of `missing_report`. Items left off a top-k list are not missing: they
        are below the listed ones.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> nan = float("nan")
    >>> table = ra.ScoreTable([[.9, .8, .7], [.7, nan, .6], [nan, nan, .8]], systems="ABC",
    ...                       tasks=["x", "y", "z"], higher_is_better=True)
    >>> ax = plotting.missingness_map(table)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['C  2 of 3', 'B  1 of 3', 'A  0 of 3']
    """
    if not isinstance(data, ScoreTable | Profile | MissingReport):
        raise InvalidInputError(
            "data", "a ScoreTable, a Profile or a MissingReport", data, table_remedy(data)
        )
    report = data if isinstance(data, MissingReport) else missing_report(data)
    profile = data if isinstance(data, Profile) else None
    n, note = first_of(len(report.items), top, "item")
    order = np.argsort(-report.missing, kind="stable")[:n]
    shares, tasks, columns, notes = _missing_columns(report, profile)
    shares, k = shares[order], shares.shape[1]
    partial = np.where((shares > 0) & (shares < 1), shares, np.nan)
    is_partial = bool(np.isfinite(partial).any())
    cell = max(2.6 if k <= MOST_NUMBERED else 1.5, 8 / k)
    width = max(cell * k, 26.0)
    sheet = PlotSheet(ax, width, max(1.7 * n, 9.0 if is_partial else 2.0))
    ax, names = sheet.ax, sheet.names(report.items.at(order), share=0.3)
    rows = [
        f"{name}  {report.missing[i]} of {report.n_units}"
        for name, i in zip(names, order, strict=True)
    ]
    if tasks is not None:
        names = sheet.names(tasks, share=0.3)
        columns = [f"{name}{text}" for name, text in zip(names, columns, strict=True)]
    colors: dict[str, Any] = {"cmap": SHARE_COLORS, "vmin": 0, "vmax": 1, "edgecolors": BORDER}
    sides = np.arange(k + 1) - 0.5, np.arange(n + 1) - 0.5
    mesh = ax.pcolormesh(*sides, shares, lw=letter(0.05), gid="cells", **colors)
    ax.set_yticks(range(n), rows, parse_math=False)
    ax.set_xticks(range(k), columns, rotation=90, parse_math=False)
    ax.tick_params(length=0)
    # Keep the cells of a few columns narrow.
    ax.set_xlim(-0.5, max(k, width / cell) - 0.5)
    ax.set_ylim(n - 0.5, -0.5)
    open_frame(ax, SIDES, "")
    handles = [Patch(fc=SHARE_COLORS(0.0), ec=BORDER, label="observed")]
    missing: dict[str, Any] = {"fc": SHARE_COLORS(1.0), "label": "missing"}
    if is_partial:
        missing |= {"ec": "white", "hatch": "////", "label": "missing in all"}
        for row, column in np.argwhere(shares == 1).tolist():
            _hatched_cell(ax, (column - 0.5, row - 0.5), f"full-{row}-{column}", "white")
        if k <= MOST_NUMBERED and _write_numbers(
            sheet, partial, np.arange(float(k)), _percent_text, light=(0, 0.6)
        ):
            notes.append("numbers: percent missing")
        _color_bar(ax, mesh, f"share of {report.unit}s missing", aspect=12)
    if (shares == 1).any():
        handles.append(Patch(**missing))
    return sheet.finish([note, _missing_total(report), *notes], handles=handles, columns=3)


def _missing_columns(
    report: MissingReport, profile: Profile | None
) -> tuple[Floats, Sequence[Label] | None, list[str], list[str]]:
    """Return missing shares of all items by task, ranking or pattern, with columns and notes."""
    tasks, unit, notes = report.tasks, report.unit, list[str]()
    if tasks is not None and len(tasks) <= MOST_COLUMNS:
        shares = report.by_task().to_numpy(dtype=np.float64)
        counts = [f"  {k:.0f} of {len(shares)}" for k in shares.sum(axis=0)]
        columns = counts if np.isin(shares, (0, 1)).all() else [""] * len(tasks)
    elif tasks is None and profile is not None and len(profile) <= MOST_COLUMNS:
        shares = (profile.ranks == UNRANKED).T.astype(np.float64)
        times = [f" ({counted(k, 'time')})" if k > 1 else "" for k in profile.counts.tolist()]
        columns = [f"{number}{often}" for number, often in enumerate(times, start=1)]
        notes = ["a column is a ranking"]
    else:
        patterns, tasks = report.patterns(), None
        shown, rest = patterns.head(MOST_PATTERNS), patterns["units"].iloc[MOST_PATTERNS:]
        shares = np.zeros((len(report.items), len(shown)))
        for column, items in enumerate(shown["missing"]):
            shares[report.items.indices(items), column] = 1
        columns = [str(units) for units in shown["units"]]
        notes = [f"a column: {unit}s that lack the same items, with their number"]
        if len(rest):
            rarer = counted(len(rest), "rarer pattern")
            notes.append(f"not drawn: {rarer}, of {rest.sum()} {unit}s together")
    if never := len(report.never_compared):
        pairs, verb = counted(comb(len(report.items), 2), "pair"), "was" if never == 1 else "were"
        notes.append(f"{never} of {pairs} of items {verb} never compared")
    if profile is not None and profile.has_unlisted:
        notes.append("items left off a top-k list are not missing: they are below the listed ones")
    return shares, tasks, columns, notes


def _missing_total(report: MissingReport) -> str:
    cells, missing = counted(report.n_cells, "cell"), report.n_missing
    if not missing:
        return f"nothing is missing: all {cells} are observed"
    verb = "is" if missing == 1 else "are"
    return f"{missing} of {cells} {verb} missing ({100 * missing / report.n_cells:.3g} %)"
