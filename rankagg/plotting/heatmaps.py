"""Heat maps: shares of votes by pairs, agreement of tasks, shares of ranks, and missing cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, comb
from typing import Any, Final, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import PercentFormatter

from rankagg._typing import Bools, Floats
from rankagg._validation import check_choice, table_remedy
from rankagg.aggregation import Borda, Consensus
from rankagg.aggregation.kemeny import Kemeny
from rankagg.analysis import RankShares, TaskAgreement
from rankagg.analysis.missing import MissingReport, missing_report
from rankagg.core import UNRANKED, PairwiseMatrix, PartialRanking, Profile, ScoreTable, counted
from rankagg.exceptions import InvalidInputError
from rankagg.inference import Decisions
from rankagg.inference.pairwise import PairwiseIntervals
from rankagg.inference.ranks.rank_results import ranks_from_intervals
from rankagg.plotting.sheet import PlotSheet, first_of, open_frame, rank_ticks
from rankagg.plotting.theme import (
    ACCENTS,
    DIVERGING,
    GRAY,
    INK,
    MOST_DRAWN,
    NO_RANK,
    SHARE_COLORS,
    letter,
    plot_labels,
    plot_of,
)
from rankagg.studies.confidence import ConfidenceStudy
from rankagg.studies.study import StudyResult

# Cells of so many items still hold their number, of that size.
NUMBERED, NUMBER_SIZE = 14, 0.9
SIDES = ("top", "right", "bottom", "left")
# Between the column of all other tasks, or of no rank, and the others.
SLOT = 0.4
# More columns than so many are merged into patterns, of which so many are drawn; cells of so many
# columns hold the share that is missing as a number.
MOST_COLUMNS: Final = 60
MOST_PATTERNS: Final = 40
MOST_NUMBERED: Final = 20
BORDER: Final = "#d0d0d0"


def _bare_cells(ax: Axes, rows: Sequence[str], columns: Sequence[str], at: Any = None) -> None:
    """Write the names of rows and, above, those of columns; no frame is around the cells."""
    ax.set_yticks(range(len(rows)), rows, parse_math=False)
    ax.set_xticks(range(len(columns)) if at is None else at, columns, rotation=90, parse_math=False)
    ax.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    open_frame(ax, SIDES, "")


def _color_bar(ax: Axes, cells: ScalarMappable, label: str, **options: Any) -> None:
    """Draw the colors of cells beside them."""
    bar = ax.figure.colorbar(cells, ax=ax, fraction=0.04, pad=0.02, label=label, **options)
    bar.outline.set_visible(False)


def _write_numbers(
    sheet: PlotSheet,
    cells: Floats,
    columns: Floats,
    told: Callable[[float], str],
    *,
    light: tuple[float, float],
    gid: str = "share",
) -> bool:
    """Write known numbers into cells, where there is room; say whether there is.

    Grounds are light between two numbers, and too dark for ink beyond them.
    """
    known = np.argwhere(np.isfinite(cells)).tolist()
    texts = [told(cells[row, k]) for row, k in known]
    shape = len(cells), float(columns[-1] - columns[0] + 1)
    size = sheet.number_size(texts, shape, NUMBER_SIZE)
    if size is None:
        return False
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": letter(size), "gid": gid}
    for (row, k), text in zip(known, texts, strict=True):
        color = INK if light[0] <= cells[row, k] <= light[1] else "white"
        sheet.ax.text(columns[k], row, text, color=color, **look)
    return True


def _hatched_cell(
    ax: Axes, corner: tuple[float, float], gid: str = "unknown", color: str = "#cccccc"
) -> None:
    """Hatch a cell of which nothing is known."""
    look: dict[str, Any] = {"fill": False, "hatch": "////", "ec": color, "lw": 0}
    ax.add_patch(Rectangle(corner, 1, 1, gid=gid, **look))


def _percent_told(share: float) -> str:
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
    top: int | None = MOST_DRAWN,
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
    """Draw a matrix of shares in the order of a ranking."""
    total, ranks = len(ranking.items), ranking.ranks
    n, said = first_of(total, top, "item")
    order = np.argsort(np.where(ranks >= 0, ranks, total), kind="stable")[:n]
    side = max(1.5 if n > NUMBERED else 2.4, 20 / n) * n
    sheet = PlotSheet(ax, side, side)
    ax, names = sheet.ax, sheet.names(ranking.items.at(order))
    places = [str(rank + 1) if rank >= 0 else NO_RANK for rank in ranks[order].tolist()]
    cells = np.ma.masked_invalid(shares[np.ix_(order, order)])
    cells[np.diag_indices(n)] = np.ma.masked
    image = ax.imshow(cells, cmap=DIVERGING, vmin=0, vmax=1, interpolation="none", aspect="auto")
    rows = [f"{place}  {name}" for place, name in zip(places, names, strict=True)]
    _bare_cells(ax, rows, names)
    _color_bar(ax, image, label)
    known, light = np.ma.filled(cells, np.nan), (0.1, 0.8)
    has_numbers = n <= NUMBERED and _write_numbers(
        sheet, known, np.arange(float(n)), lambda share: f"{100 * share:.0f}", light=light
    )
    dots = np.zeros((n, n), dtype=bool) if above is None else above[np.ix_(order, order)]
    for (i, j), value in np.ndenumerate(known):
        if i == j:
            ax.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, fc="#e8e8e8", ec="none"))
            continue
        if np.isnan(value):
            _hatched_cell(ax, (j - 0.5, i - 0.5))
            continue
        if 0 <= ranks[order[i]] < ranks[order[j]] and value < 0.5:
            frame: dict[str, Any] = {"fill": False, "ec": ACCENTS[1], "lw": letter(0.2)}
            ax.add_patch(Rectangle((j - 0.44, i - 0.44), 0.88, 0.88, gid="against", **frame))
        if dots[i, j]:
            height, color = (
                i + 0.33 * has_numbers,
                INK if light[0] <= value <= light[1] else "white",
            )
            ax.plot(j, height, "o", ms=letter(0.3), mew=0, color=color, gid="decided")
    return sheet.finish([said, *notes])


@plot_of(PairwiseIntervals, "PairwiseIntervals.from_data(data)")
def intervals_heatmap(
    result: PairwiseIntervals, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw the estimated proportions, row above column, with a dot on every decided pair.

    Items are in the order of their ranks by majorities, or of the sums of their proportions
    where the intervals decide nothing. A frame surrounds a cell where the order has row above
    column although the proportion is below one half. Pairs that nobody compared are hatched.

    Parameters
    ----------
    result : PairwiseIntervals
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
    estimate, above = result.estimate, None
    # Holm's procedure decides pairs where it can.
    how: Literal["holm", "intervals"] | None = None
    if not (result.anytime and result.simultaneous is None):
        how = "intervals" if result.anytime else "holm"
    first = "these intervals cannot decide pairs; rows by mean proportion"
    if how is None:
        known = np.where(np.isnan(estimate), 0.5, estimate).sum(axis=1)
        order = PartialRanking.from_scores(
            known, higher_is_better=True, items=result.items, tolerance=1e-9
        )
    else:
        ranks = ranks_from_intervals(result, how)
        order = PartialRanking.from_ranks(ranks.rank, items=result.items)
        decisions, above = ranks.decisions, ranks.decisions.above
        bound = "about" if decisions.is_approximate else "at most"
        first = (
            f"dot: decided by {decisions.how}, family-wise error rate {bound} "
            f"{decisions.alpha:g}; rows by majorities lost"
        )
    label = f"share of {result.unit}s\nwith row above column"
    notes = [first, *_marks_told(estimate, order), *(f"note: {note}" for note in result.notes)]
    return _share_matrix(estimate, order, above=above, label=label, notes=notes, top=top, ax=ax)


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
    model: str | None = None,
    top: int | None = MOST_DRAWN,
    ax: Axes | None = None,
) -> Axes:
    """Draw the estimated proportions of one table, row above column, with a dot on decided pairs.

    The table is the first of the study's repetitions, by the first method, level, proportion and
    removal of the study. Systems are in the order of Borda's consensus of what is left of it, best
    first. A frame surrounds a cell where that has row above column although the proportion is below
    one half; pairs that nothing compares are hatched.

    Parameters
    ----------
    result : StudyResult
        What a study of confidence found.
    model : str, optional
        The name of a model of the study; its first by default.

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
        *_marks_told(judged.estimate, order),
    ]
    label = f"estimated proportion of {way.unit}s\nwith row above column"
    return _share_matrix(
        judged.estimate, order, above=judged.above, label=label, notes=notes, top=top, ax=ax
    )


@plot_of(TaskAgreement, "task_agreement(data)")
def task_agreement_plot(
    result: TaskAgreement, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw Kendall's tau of every two tasks, and of each task with all the others, as a heat map.

    The first column is a task against the ranking by all others, and orders the rows: tasks at the
    top carry the ranking, those at the bottom go their own way. Blue tasks order systems alike,
    orange ones the reverse. Pairs of tasks without two systems in common, and tasks that tie all,
    are hatched.

    Parameters
    ----------
    result : TaskAgreement
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
    n, said = first_of(len(result.tasks), top, "task")
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
    others = cells.copy()
    others[np.arange(n), np.arange(n) + 2] = np.nan
    if n <= NUMBERED:
        _write_numbers(sheet, others, edges[:-1] + 0.5, _tau_told, light=(-0.8, 0.6), gid="tau")
    for i in range(n):
        for j in (0, *range(2, n + 2)):
            corner, value = (edges[j], i - 0.5), cells[i, j]
            if j == i + 2:
                ax.add_patch(Rectangle(corner, 1, 1, fc="#e8e8e8", ec="none"))
            elif np.isnan(value):
                _hatched_cell(ax, corner, f"unknown-{i}-{j}")
    unknown = np.isnan(result.with_rest).any() or np.isnan(result.tau).any()
    means = [
        "unknown" if np.isnan(value) else f"{value:.2f}"
        for value in (result.kendall_w, result.mean_tau)
    ]
    return sheet.finish(
        [
            said,
            f"{counted(len(result.tasks), 'task')} on {counted(result.n_systems, 'system')}; "
            f"Kendall's W {means[0]}, mean tau of two tasks {means[1]}",
            "all others: the ranking by Borda of all other tasks; rows in that order",
            "hatched: too little in common, or all tied" if unknown else "",
            *(f"note: {note}" for note in result.notes),
        ]
    )


def _tau_told(tau: float) -> str:
    """Return two digits without a nought before them."""
    text = f"{tau:.2f}".replace("-", "\N{MINUS SIGN}")
    text = text.replace("0.", ".", 1).replace("1.00", "1")
    return "0" if text.endswith(".00") else text


@plot_of(RankShares, "rank_shares(data)")
def rank_distribution_plot(
    result: RankShares, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw the share of resamples in which each item takes each rank, as a heat map.

    Rows are in the order of mean ranks, and columns end where no row has a share. Where a resample
    leaves an item several ranks, each has an equal part, as in `RankShares.ranks`. Resamples in
    which an item has no rank are in a column of their own. Numbers are percent, in the cells of up
    to 14 items.

    Parameters
    ----------
    result : RankShares
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
    n, said = first_of(len(result.items), top, "item")
    frame = result.ranks().iloc[:n]
    reached = np.flatnonzero(frame.to_numpy().max(axis=0, initial=0.0))
    last = int(reached[-1]) + 1 if said and len(reached) else len(result.items)
    cells = frame.to_numpy()[:, :last]
    without = (result.best == 0).mean(axis=0)[result.items.indices(frame.index)]
    ticks, heads = rank_ticks(last), list(map(str, rank_ticks(last)))
    if without.any():
        cells = np.column_stack([cells, np.full(n, np.nan), without])
        ticks, heads = [*ticks, last + 2], [*heads, NO_RANK]
    columns = cells.shape[1]
    width = columns * max(1.2 if n > NUMBERED else 2.6, 28 / n)
    # Ranks need no names, which would have to be read.
    width = width if columns <= MOST_COLUMNS else 1.2 * MOST_COLUMNS
    sheet = PlotSheet(ax, width, n * max(1.35 if n > NUMBERED else 2, 10 / n))
    ax, names = sheet.ax, sheet.names(frame.index)
    top = min(1.0, max(ceil(10 * np.nanmax(cells) - 1e-9) / 10, 0.1))
    colors: dict[str, Any] = {"cmap": SHARE_COLORS, "vmin": 0, "vmax": top}
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
            sheet, shown, np.arange(1.0, columns + 1.0), _percent_told, light=(0, 0.6 * top)
        )
    within = " within tasks" if result.fixed_tasks else ""
    several = bool((result.best != result.worst).any())
    notes = [
        said,
        f"ranks by {result.rule.name} in {counted(result.n_resamples, 'resample')} of "
        f"{result.unit}s{within}",
        "shares of resamples, not confidence; rows by mean rank",
        *(f"note: {note}" for note in result.notes),
        "note: where a resample leaves several ranks, equal parts" if several else "",
    ]
    return sheet.finish(notes, axis="rank")


@dataclass(frozen=True, eq=False)
class _MissingGrid:
    """Shares of units that are missing, the items that miss most first."""

    # Shape (n, k). In [0, 1].
    shares: Floats
    # What is written beside them.
    rows: list[str]
    columns: list[str]
    # What a reader should know.
    notes: list[str]

    @property
    def is_partial(self) -> bool:
        """True where some cell is missing in part."""
        return bool(((self.shares > 0) & (self.shares < 1)).any())


def _missing_grid(
    report: MissingReport, profile: Profile | None, top: int | None, letters: int = 32
) -> _MissingGrid:
    """Choose what fits: a column for each task, each ranking, or each pattern."""
    n, said = first_of(len(report.items), top, "item")
    order = np.argsort(-report.missing, kind="stable")[:n]
    names = plot_labels(report.items.at(order), letters)
    gone = [f"{report.missing[i]} of {report.n_units}" for i in order]
    rows = [f"{name}  {number}" for name, number in zip(names, gone, strict=True)]
    if report.tasks is not None and len(report.tasks) <= MOST_COLUMNS:
        shares, columns, extra = _task_columns(report, letters)
    elif report.tasks is None and profile is not None and len(profile) <= MOST_COLUMNS:
        shares = (profile.ranks == UNRANKED).T.astype(np.float64)
        times = [f" ({counted(k, 'time')})" if k > 1 else "" for k in profile.counts.tolist()]
        columns = [f"{number}{often}" for number, often in enumerate(times, start=1)]
        extra = ["a column is a ranking"]
    else:
        shares, columns, extra = _pattern_columns(report)
    never = len(report.never_compared)
    pairs, verb = counted(comb(len(report.items), 2), "pair"), "was" if never == 1 else "were"
    extra.append(f"{never} of {pairs} of items {verb} never compared" if never else "")
    return _MissingGrid(shares[order], rows, columns, [said, _how_much(report), *extra])


def _task_columns(report: MissingReport, letters: int) -> tuple[Floats, list[str], list[str]]:
    assert report.tasks is not None, "only data with tasks come here"
    shares = report.by_task().to_numpy(dtype=np.float64)
    names = plot_labels(report.tasks, letters)
    if np.isin(shares, (0, 1)).all():
        counts, total = shares.sum(axis=0).astype(int), len(report.items)
        names = [f"{name}  {k} of {total}" for name, k in zip(names, counts, strict=True)]
    return shares, names, []


def _pattern_columns(report: MissingReport) -> tuple[Floats, list[str], list[str]]:
    patterns, unit = report.patterns(), report.unit
    shown, rest = patterns.head(MOST_PATTERNS), patterns["units"].iloc[MOST_PATTERNS:]
    shares = np.zeros((len(report.items), len(shown)))
    for column, gone in enumerate(shown["missing"]):
        shares[report.items.indices(gone), column] = 1
    notes = [f"a column: {unit}s that lack the same items, with their number"]
    if len(rest):
        rarer = counted(len(rest), "rarer pattern")
        notes.append(f"not drawn: {rarer}, of {rest.sum()} {unit}s together")
    return shares, [str(units) for units in shown["units"]], notes


def _how_much(report: MissingReport) -> str:
    cells, missing = counted(report.n_cells, "cell"), report.n_missing
    if not missing:
        return f"nothing is missing: all {cells} are observed"
    verb = "is" if missing == 1 else "are"
    return f"{missing} of {cells} {verb} missing ({100 * missing / report.n_cells:.3g} %)"


@plot_of()
def missingness_map(
    data: ScoreTable | Profile | MissingReport,
    *,
    top: int | None = MOST_DRAWN,
    ax: Axes | None = None,
) -> Axes:
    """Draw items in rows and tasks in columns, dark where something is missing.

    Items that miss most stand first. Of tasks with instances, and of groups of rankings, the shade
    is the share that is missing. Up to 60 rankings without groups have a column each; of more,
    and of more than 60 tasks, a column is one pattern: all that lack the same items.

    Parameters
    ----------
    data : ScoreTable, Profile or MissingReport
        The data, or what `missing_report` says of them. Items left off a top-k list are not
        missing: it is known that they are below the listed ones.

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
    grid = _missing_grid(report, profile, top)
    n, k = grid.shares.shape
    is_numbered = grid.is_partial and k <= MOST_NUMBERED
    cell = max(2.6 if k <= MOST_NUMBERED else 1.5, 8 / k)
    room = max(cell * k, 26.0)
    sheet = PlotSheet(ax, room, max(1.7 * n, 9.0 if grid.is_partial else 2.0))
    ax = sheet.ax
    if not sheet.is_new:
        grid = _missing_grid(report, profile, top, sheet.letters(0.3))
    notes = [
        *grid.notes,
        "items left off a top-k list are not missing: they are below the listed ones"
        if profile is not None and profile.has_unlisted
        else "",
    ]
    colors: dict[str, Any] = {"cmap": SHARE_COLORS, "vmin": 0, "vmax": 1, "edgecolors": BORDER}
    sides = np.arange(k + 1) - 0.5, np.arange(n + 1) - 0.5
    mesh = ax.pcolormesh(*sides, grid.shares, lw=letter(0.05), gid="cells", **colors)
    ax.set_yticks(range(n), grid.rows, parse_math=False)
    ax.set_xticks(range(k), grid.columns, rotation=90, parse_math=False)
    ax.tick_params(length=0)
    # Few columns would be wider than high.
    ax.set_xlim(-0.5, max(k, room / cell) - 0.5)
    ax.set_ylim(n - 0.5, -0.5)
    open_frame(ax, SIDES, "")
    handles = [Patch(fc=SHARE_COLORS(0.0), ec=BORDER, label="observed")]
    whole: dict[str, Any] = {"fc": SHARE_COLORS(1.0), "label": "missing"}
    if grid.is_partial:
        whole |= {"ec": "white", "hatch": "////", "label": "missing in all"}
        for row, column in np.argwhere(grid.shares == 1).tolist():
            _hatched_cell(ax, (column - 0.5, row - 0.5), f"full-{row}-{column}", "white")
        if is_numbered:
            partial = np.where((grid.shares > 0) & (grid.shares < 1), grid.shares, np.nan)
            at = np.arange(float(k))
            is_numbered = _write_numbers(sheet, partial, at, _percent_told, light=(0, 0.6))
        _color_bar(ax, mesh, f"share of {report.unit}s missing", aspect=12)
    if (grid.shares == 1).any():
        handles.append(Patch(**whole))
    if is_numbered:
        notes.append("numbers: percent missing")
    if not report.n_missing:
        text = ax.text((k - 1) / 2, (n - 1) / 2, "nothing is missing", gid="nothing")
        text.set(ha="center", va="center")
        text.set_bbox({"fc": "white", "ec": INK, "boxstyle": "round"})
    return sheet.finish(notes, handles=handles, columns=3)
