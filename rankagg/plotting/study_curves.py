"""Curves of studies: agreement of rules, cycles of majorities, rankings of incomplete data."""

from __future__ import annotations

from typing import Any, Literal, get_args

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from rankagg._typing import Floats
from rankagg._validation import check_choice, check_number
from rankagg.analysis.robustness.task_agreement import TaskAgreement
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.curves import Band, draw_bands, frame_curves
from rankagg.plotting.sheet import (
    GRID,
    add_height,
    legend_above,
    letters_across,
    name_letters,
    note_height,
    number_size,
    rank_ticks,
    widest,
    write_below,
)
from rankagg.plotting.theme import (
    ACCENTS,
    DIVERGING,
    GRAY,
    INK,
    LINES,
    MARKERS,
    canvas,
    plot_labels,
)
from rankagg.studies.agreement.agreement_result import AgreementResult, Scope
from rankagg.studies.cycles.closed_forms import known_cycle, known_winner
from rankagg.studies.cycles.cycle_result import CycleResult
from rankagg.studies.missing_scores.missing_scores_result import MissingScoresResult
from rankagg.studies.task_subsets.task_subset_result import TaskSubsetResult

WIDTH, HEIGHT = 36.0, 28.0
Curve = Literal["top", "last", "top_tau"]
AGREEMENT_SAID = {
    "top": "expected share of the first k\nthat both rules have",
    "last": "expected share of the last k\nthat both rules have",
    "top_tau": "tau-b over the systems that both\nrules have among their first k",
}
WHERE = {
    "tasks": "the rules aggregate tasks",
    "instances": "the rules aggregate all instances",
    "within": "the rules aggregate the instances of one task: mean over tasks; bands: one standard "
    "deviation either way",
}


def agreement_plot(
    result: AgreementResult,
    *,
    scope: Scope | None = None,
    curve: Curve = "top",
    ax: Axes | None = None,
) -> Axes:
    """Draw for every k how far pairs of rules agree on their first, or last, k systems.

    Parameters
    ----------
    result : AgreementResult
        The results of a study.
    scope : {"tasks", "instances", "within"}, optional
        What the rules aggregate: tasks, all instances, or the instances of one task, with a mean
        over tasks in a band of one standard deviation; by default all instances where there are
        some.
    curve : {"top", "last", "top_tau"}, default "top"
        The expected share that the first k, or the last k, have in common, with a dotted line for
        rankings at random; or tau-b over the systems that both have among their first k.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If the argument is no such result, or the rules were not compared there.

    References
    ----------
    Colombo et al. (2022), "What are the best systems? New perspectives on NLP benchmarking",
    https://doi.org/10.48550/arXiv.2202.03799, figures 4, 10 and 11.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> result = ra.studies.AgreementStudy(data=ra.datasets.load("xtreme_human")).run()
    >>> ax = plotting.agreement_plot(result)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['Mean / Borda', 'at random']
    """
    if not isinstance(result, AgreementResult):
        raise InvalidInputError(
            "result", "an AgreementResult", result, "`AgreementStudy.run` makes one."
        )
    known = result.scopes
    usual: Scope = "instances" if "instances" in known else known[0]
    where = usual if scope is None else check_choice(scope, known, "scope")
    what: Curve = check_choice(curve, get_args(Curve), "curve")
    bands = _agreement_bands(result, where, what)
    new = ax is None
    ax = canvas(ax, max(WIDTH, widest(band.name for band in bands) + 8), HEIGHT + len(bands))
    handles = draw_bands(ax, bands)
    total = result.study.data.n_systems
    depths = bands[0].at
    if what != "top_tau" and len(depths) == total:
        (line,) = ax.plot(
            depths, depths / total, color=GRAY, linestyle=":", zorder=1, label="at random",
            gid="random",
        )  # fmt: skip
        handles.append(line)
    frame_curves(ax, bands, start=None if what == "top_tau" else 0.0)
    ax.set_xticks(rank_ticks(len(depths)))
    ax.set_ylabel(AGREEMENT_SAID[what])
    # On all instances every rule is there.
    notes = [note for note in result.notes if where != "instances" or "instances only" not in note]
    along = f"k, of {counted(total, 'system')}"
    write_below(ax, [WHERE[where], *notes], WIDTH - 4 if new else None, axis=along)
    legend_above(ax, handles, new=new)
    return ax


def _agreement_bands(result: AgreementResult, scope: Scope, curve: Curve) -> list[Band]:
    table = result.by_k().loc[scope]
    pairs = list(dict.fromkeys(key[:2] for key in table.index))
    names = plot_labels((f"{first} / {second}" for first, second in pairs), 56)
    least = -1.0 if curve == "top_tau" else 0.0
    bands = []
    for pair, name in zip(pairs, names, strict=True):
        part = table.loc[pair]
        mean, std = part[curve].to_numpy(), part[f"std_{curve}"].to_numpy()
        bands.append(
            Band(
                name,
                part.index.to_numpy(dtype=np.float64),
                mean,
                np.maximum(mean - std, least),
                np.minimum(mean + std, 1.0),
            )
        )
    return bands


# Cells of so many tasks still hold their number, of that size.
NUMBERED, USUAL = 14, 0.85
# Between the column of all others and those of single tasks.
GAP = 0.35


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
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If `agreement` is something else.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> found = ra.task_agreement(ra.datasets.load("superglue_human"))
    >>> ax = plotting.task_agreement_plot(found)
    >>> [label.get_text() for label in ax.get_yticklabels()][:3]
    ['WSC', 'COPA', 'RTE']
    """
    if not isinstance(agreement, TaskAgreement):
        raise InvalidInputError(
            "agreement", "a TaskAgreement", agreement, "`task_agreement(data)` makes one."
        )
    n = len(agreement.tasks)
    order = np.argsort(-np.nan_to_num(agreement.with_rest, nan=-2.0), kind="stable")
    names = plot_labels(agreement.tasks.at(order), name_letters(ax))
    notes = _sentences(agreement)
    side, new = max(1.5 if n > NUMBERED else 2.2, 14 / n) * n, ax is None
    margin = 2 + 0.62 * max(map(len, names))
    ax = canvas(ax, side * (1 + 1 / n) + margin + 9, side + margin)
    edges = np.array([0.0, 1.0, *(1 + GAP + np.arange(n + 1))])
    cells = np.full((n, n + 2), np.nan)
    cells[:, 0] = agreement.with_rest[order]
    cells[:, 2:] = agreement.tau[np.ix_(order, order)]
    known = np.ma.masked_invalid(cells)
    known[np.arange(n), np.arange(n) + 2] = np.ma.masked
    image = ax.pcolormesh(
        edges, np.arange(n + 1.0) - 0.5, known, cmap=DIVERGING, vmin=-1, vmax=1, gid="cells"
    )
    centers = [0.5, *(1.5 + GAP + np.arange(n))]
    ax.set_ylim(n - 0.5, -0.5)
    ax.set_yticks(range(n), names, parse_math=False)
    ax.set_xticks(centers, ["all others", *names], rotation=90, parse_math=False)
    ax.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.04, pad=0.02, label="Kendall's tau-b")
    bar.outline.set_visible(False)
    texts = [_short(value) for value in cells[~np.isnan(cells)]] if n <= NUMBERED else []
    size = USUAL if new else number_size(ax, texts, (n, edges[-1]), USUAL)
    _mark(ax, cells, edges, size if n <= NUMBERED else None)
    # There is room below the color bar too.
    width = max(22.0, side) if new else letters_across(ax)
    if new:
        add_height(ax, note_height(notes, width))
    write_below(ax, notes, width)
    return ax


def _mark(ax: Axes, cells: Floats, edges: Floats, size: float | None) -> None:
    n = len(cells)
    points = float(mpl.rcParams["font.size"])
    for i in range(n):
        for j in (0, *range(2, n + 2)):
            corner, value = (edges[j], i - 0.5), cells[i, j]
            if j == i + 2:
                ax.add_patch(Rectangle(corner, 1, 1, fc="#e8e8e8", ec="none"))
            elif np.isnan(value):
                ax.add_patch(
                    Rectangle(
                        corner, 1, 1, fill=False, hatch="////", ec="#cccccc", lw=0,
                        gid=f"unknown-{i}-{j}",
                    )
                )  # fmt: skip
            elif size is not None:
                ax.text(
                    edges[j] + 0.5, i, _short(value), ha="center", va="center", gid="tau",
                    color="white" if value > 0.6 or value < -0.8 else INK, fontsize=size * points,
                )  # fmt: skip


def _short(tau: float) -> str:
    """Return two digits without a nought before them."""
    text = f"{tau:.2f}".replace("-", "\N{MINUS SIGN}")
    text = text.replace("0.", ".", 1).replace("1.00", "1")
    return "0" if text.endswith(".00") else text


def _sentences(agreement: TaskAgreement) -> list[str]:
    def number(value: float) -> str:
        return "unknown" if np.isnan(value) else f"{value:.2f}"

    unknown = np.isnan(agreement.with_rest).any() or np.isnan(agreement.tau).any()
    return [
        f"{counted(len(agreement.tasks), 'task')} on {counted(agreement.n_systems, 'system')}; "
        f"Kendall's W {number(agreement.kendall_w)}, mean tau of two tasks "
        f"{number(agreement.mean_tau)}",
        "all others: the ranking by Borda of all other tasks; rows in that order",
        "hatched: too little in common, or all tied" if unknown else "",
        *(f"note: {note}" for note in agreement.notes),
    ]


WIDTH_C, HEIGHT_C = 36.0, 28.0
# How many times the smallest number the largest one is on a logarithmic scale.
WIDE = 10
CYCLES_SAID = {
    "winner": "share with a Condorcet winner",
    "cycle": "share with a Condorcet cycle",
    "optimal": "share where Borda's ranking\nis a Kemeny optimum",
}


def cycle_plot(
    result: CycleResult,
    *,
    measure: Literal["winner", "cycle", "optimal"] = "cycle",
    ax: Axes | None = None,
) -> Axes:
    """Draw for every model and number of items a share of profiles, by the number of rankings.

    A line for the share, in a band of its 95 % Wilson intervals. Crosses are probabilities that
    are known exactly, and dotted lines their limits for ever more rankings. Numbers of rankings
    that span an order of magnitude stand on a logarithmic scale.

    Parameters
    ----------
    result : CycleResult
        The results of a study.
    measure : {"winner", "cycle", "optimal"}, default "cycle"
        The share: with a Condorcet winner, with a cycle of strict majorities, or where Borda's
        ranking is a Kemeny optimum.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If an argument is none of these.

    References
    ----------
    Gehrlein (2002), https://doi.org/10.1023/A:1015551010381, compares cultures in this way.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> study = ra.studies.CycleStudy(models=[ra.cultures.ImpartialCulture()], n_repetitions=20)
    >>> ax = plotting.cycle_plot(study.run())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['ImpartialCulture(), 3 items', 'known exactly', 'its limit']
    """
    if not isinstance(result, CycleResult):
        raise InvalidInputError("result", "a CycleResult", result, "`CycleStudy.run` makes one.")
    check_choice(measure, tuple(CYCLES_SAID), "measure")
    bands, exact, limits = _cycle_bands(result, measure)
    new = ax is None
    ax = canvas(ax, max(WIDTH_C, widest(band.name for band in bands) + 8), HEIGHT_C + len(bands))
    curves = draw_bands(ax, bands)
    frame_curves(ax, bands, start=0.0 if measure == "cycle" else None)
    _spread(ax, bands)
    if measure == "cycle":
        top = max(float(np.nanmax(np.append(band.high, 0.0))) for band in bands)
        top = max([top, *(limit for limit in limits if limit is not None)])
        top = min(1.0, np.ceil(10 * top) / 10)
        ax.set_ylim(0, top)
        ax.set_yticks(np.linspace(0, top, 6))
    width = float(mpl.rcParams["lines.linewidth"])
    look: dict[str, Any] = {
        "color": INK,
        "marker": "x",
        "linestyle": "none",
        "markeredgewidth": 0.9 * width,
    }
    for number, (band, known) in enumerate(zip(bands, exact, strict=True)):
        if np.isfinite(known).any():
            ax.plot(band.at, known, **look, zorder=20, clip_on=False, gid=f"exact-{number}")
            known_mark = Line2D([], [], label="known exactly", **look)
            curves = [*[c for c in curves if c.get_label() != "known exactly"], known_mark]
    for number, limit in enumerate(limits):
        if limit is not None:
            ax.axhline(limit, color=INK, linestyle=":", zorder=3, gid=f"limit-{number}")
    if any(limit is not None for limit in limits):
        curves.append(Line2D([], [], color=INK, linestyle=":", label="its limit"))
    ax.set_ylabel(CYCLES_SAID[measure])
    times = counted(result.study.n_repetitions, "profile")
    notes = [f"{times} of each size; bands: 95 % Wilson intervals"]
    write_below(ax, notes, WIDTH_C - 4 if new else None, axis="rankings in a profile")
    legend_above(ax, curves, new=new)
    return ax


def _spread(ax: Axes, bands: list[Band]) -> None:
    """Set numbers of rankings that are far apart on a logarithmic scale."""
    at = np.unique(np.concatenate([band.at for band in bands]))
    if len(at) > 2 and at[-1] >= WIDE * at[0]:
        ticks = [tick for tick in ax.get_xticks() if at[0] <= tick <= at[-1]]
        ax.set_xscale("log")
        ax.set_xticks(ticks, labels=[f"{tick:.0f}" for tick in ticks])
        ax.set_xticks([], minor=True)
        ax.set_xlim(at[0], at[-1])


def _cycle_bands(
    result: CycleResult, measure: str
) -> tuple[list[Band], list[np.ndarray], list[float | None]]:
    table = result.by_size().reset_index()
    groups = list(table.groupby(["model", "n_items"], sort=False))
    labels = [
        f"{model}, {counted(int(size), 'item')}"
        for _, part in groups
        for model, size in [part.iloc[0][["model", "n_items"]]]
    ]
    bands, exact, limits = [], [], []
    known = {"winner": known_winner, "cycle": known_cycle}.get(measure)
    models = {model.name: model for model in result.study.models}
    for name, (_, part) in zip(plot_labels(labels, 48), groups, strict=True):
        rows = part.sort_values("n_rankings")
        columns = [rows[f"{measure}{end}"].to_numpy() for end in ("", "_low", "_high")]
        bands.append(Band(name, rows["n_rankings"].to_numpy(dtype=np.float64), *columns))
        none = np.full(len(rows), np.nan)
        exact.append(rows[f"{measure}_exact"].to_numpy() if measure != "optimal" else none)
        model, size = part.iloc[0][["model", "n_items"]]
        limits.append(None if known is None else known(models[model], int(size), None))
    return bands, exact, limits


WIDTH_M, HEIGHT_M = 36.0, 31.0
Measure = Literal["tau", "tau_true"]
TAU_SAID: dict[Measure, str] = {
    "tau": "tau-b with the same method's\nranking of the full data",
    "tau_true": "tau-b with the true ranking",
}


def missing_scores_plot(
    result: MissingScoresResult,
    *,
    measure: Measure = "tau",
    model: str | None = None,
    scale: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how near rankings stay to those of the full data, against what was removed.

    A line a method for the mean of tau over the tables, in a band that holds their middle half.

    Parameters
    ----------
    result : MissingScoresResult
        What a study of missing scores found.
    measure : {"tau", "tau_true"}, default "tau"
        Tau with the same method's ranking of the full data, or with the true ranking.
    model : str, optional
        The name of a model of the study; its first by default.
    scale : float, optional
        A scale of the study; its first by default.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If the argument is no result of such a study, the study has no such model or scale, or no
        true ranking is known.

    References
    ----------
    Figures 2, 3, 5 and 10 of Himmi et al. (2023), "Towards more robust NLP system evaluation:
    handling missing scores in benchmarks".

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> table = ra.datasets.load("superglue_human")
    >>> study = ra.studies.MissingScoresStudy(
    ...     models=[ra.studies.TableModel(label="SuperGLUE", table=table)],
    ...     proportions=[0, 0.2, 0.4],
    ...     n_repetitions=5,
    ... )
    >>> ax = plotting.missing_scores_plot(study.run())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['Mean', 'Borda, uniform']
    """
    if not isinstance(result, MissingScoresResult):
        raise InvalidInputError(
            "result", "a MissingScoresResult", result, "`MissingScoresStudy.run` makes one."
        )
    what: Measure = check_choice(measure, ("tau", "tau_true"), "measure")
    names = [one.name for one in result.study.models]
    name = names[0] if model is None else check_choice(model, names, "model")
    scales = list(result.study.scales)
    factor = (
        scales[0] if scale is None else check_choice(check_number(scale, "scale"), scales, "scale")
    )
    frame = result.to_frame()
    frame = frame[(frame["model"] == name) & (frame["scale"] == factor)]
    if what == "tau_true" and frame["tau_true"].isna().all():
        raise InvalidInputError(
            "measure", '"tau" where no true ranking is known', measure, f"{name} has none."
        )
    new = ax is None
    ax = canvas(ax, WIDTH_M, HEIGHT_M)
    methods = result.study.methods
    lines = [
        _draw(ax, frame[frame["method"] == method], what, number, label)
        for number, (method, label) in enumerate(
            zip(methods, plot_labels(methods, 40), strict=True)
        )
    ]
    _axes(ax, sorted(result.study.proportions))
    ax.set_ylabel(TAU_SAID[what])
    along, *notes = _notes(result, frame, what)
    write_below(ax, notes, WIDTH_M - 7 if new else None, axis=along)
    legend_above(ax, lines, new=new, columns=1 if max(map(len, methods)) > 20 else 2)
    return ax


def _draw(ax: Axes, frame: pd.DataFrame, measure: Measure, number: int, label: str) -> Line2D:
    """Draw the line of a method and its band, and return the line."""
    groups = frame.groupby("proportion")[measure]
    means = groups.mean()
    at = means.index.to_numpy()
    low, high = groups.quantile(0.25).to_numpy(), groups.quantile(0.75).to_numpy()
    color = ACCENTS[number % len(ACCENTS)]
    ax.fill_between(
        at, low, high, where=np.isfinite(low).tolist(), color=color, alpha=0.16, linewidth=0,
        zorder=1, gid=f"band-{number}",
    )  # fmt: skip
    (line,) = ax.plot(
        at, means.to_numpy(), color=color, linestyle=LINES[number % len(LINES)],
        marker=MARKERS[number % len(MARKERS)], zorder=3, clip_on=False, label=label,
        gid=f"mean-{number}",
    )  # fmt: skip
    return line


def _axes(ax: Axes, proportions: list[float]) -> None:
    width = float(mpl.rcParams["lines.linewidth"])
    bottom, _ = ax.get_ylim()
    if bottom < -0.3:
        ax.set_ylim(-1, 1)
        ax.set_yticks([-1, -0.5, 0, 0.5, 1])
    else:
        ax.set_ylim(min(0.0, bottom), 1)
        ax.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.axhline(0, color=INK, linewidth=0.5 * width, zorder=0)
    most = max(0.1, proportions[-1])
    ax.set_xlim(0, most)
    ticks = [k / 10 for k in range(11) if k / 10 <= most + 1e-9]
    ax.set_xticks(ticks, [f"{100 * tick:.0f} %" for tick in ticks])
    # Away from the lowest number at the other axis, however large the letters are.
    ax.tick_params(axis="x", pad=0.4 * float(mpl.rcParams["font.size"]))
    ax.grid(color=GRID, linewidth=0.5 * width)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _notes(result: MissingScoresResult, frame: pd.DataFrame, measure: Measure) -> list[str]:
    study = result.study
    name, scale = frame["model"].iloc[0], float(frame["scale"].iloc[0])
    what = "system-task entries" if study.whole_tasks else "single scores"
    scaled = f", scores of one task times {scale:g}" if scale != 1 else ""
    notes = [
        f"proportion of {what} removed",
        f"{name}{scaled}; mean and middle half of {counted(study.n_repetitions, 'table')} each",
    ]
    unranked = int((frame["unranked"] > 0).sum())
    if unranked:
        notes.append(f"unranked systems, {counted(unranked, 'time')}, count as randomly placed")
    undefined = int(frame[measure].isna().sum())
    if undefined:
        notes.append(
            f"tau is not defined for {undefined} of {counted(len(frame), 'ranking')}: all systems "
            "tie, or none is ranked"
        )
    return notes


SUBSETS_WIDTH, SUBSETS_HEIGHT = 36.0, 28.0


def task_subset_plot(result: TaskSubsetResult, *, ax: Axes | None = None) -> Axes:
    """Draw for every rule how near its consensus on subsets of tasks is to its own on all.

    A line for the mean of tau over the subsets of each size, in a band of one standard deviation
    either way that ends at the bounds of tau.

    Parameters
    ----------
    result : TaskSubsetResult
        The results of a study.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If the argument is no such result.

    References
    ----------
    Colombo et al. (2022), "What are the best systems? New perspectives on NLP benchmarking",
    https://doi.org/10.48550/arXiv.2202.03799, figures 5, 8 and 9.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> study = ra.studies.TaskSubsetStudy(data=ra.datasets.load("xtreme_human"), n_repetitions=10)
    >>> ax = plotting.task_subset_plot(study.run())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['Mean', 'Borda']
    """
    if not isinstance(result, TaskSubsetResult):
        raise InvalidInputError(
            "result", "a TaskSubsetResult", result, "`TaskSubsetStudy.run` makes one."
        )
    bands = _subset_bands(result)
    new = ax is None
    ax = canvas(
        ax, max(SUBSETS_WIDTH, widest(band.name for band in bands) + 8), SUBSETS_HEIGHT + len(bands)
    )
    curves = draw_bands(ax, bands)
    frame_curves(ax, bands)
    ax.set_ylabel("tau-b with the same rule's\nconsensus on all tasks")
    along, *notes = _subsets_notes(result)
    write_below(ax, notes, SUBSETS_WIDTH - 4 if new else None, axis=along)
    legend_above(ax, curves, new=new)
    return ax


def _subset_bands(result: TaskSubsetResult) -> list[Band]:
    table = result.by_size().reset_index()
    names = plot_labels(result.methods, 48)
    bands = []
    for method, name in zip(result.methods, names, strict=True):
        part = table[table["method"] == method].sort_values("size")
        mean, std = part["mean"].to_numpy(), part["std"].to_numpy()
        bands.append(
            Band(
                name,
                part["size"].to_numpy(dtype=np.float64),
                mean,
                np.maximum(mean - std, -1.0),
                np.minimum(mean + std, 1.0),
            )
        )
    return bands


def _subsets_notes(result: TaskSubsetResult) -> list[str]:
    study = result.study
    return [
        f"tasks drawn at random, of {study.data.n_tasks}",
        f"mean of {counted(study.n_repetitions, 'subset')} of each size, the same for every rule; "
        "bands: one standard deviation either way",
        *result.notes,
    ]
