"""How far pairs of rules agree on their first systems, and each two tasks on all."""

from __future__ import annotations

from typing import Literal, get_args

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from rankagg._typing import Floats
from rankagg._validation import check_choice
from rankagg.analysis.robustness.task_agreement import TaskAgreement
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.robustness.panels import Band, draw_bands, frame_curves
from rankagg.plotting.style.layout import (
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
from rankagg.plotting.style.theme import DIVERGING, GRAY, INK, canvas, plot_labels
from rankagg.studies.agreement.agreement_result import AgreementResult, Scope

__all__ = ["agreement_plot", "task_agreement_plot"]

WIDTH, HEIGHT = 36.0, 28.0
Curve = Literal["top", "last", "top_tau"]
SAID = {
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
    bands = _bands(result, where, what)
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
    ax.set_ylabel(SAID[what])
    # On all instances every rule is there.
    notes = [note for note in result.notes if where != "instances" or "instances only" not in note]
    along = f"k, of {counted(total, 'system')}"
    write_below(ax, [WHERE[where], *notes], WIDTH - 4 if new else None, axis=along)
    legend_above(ax, handles, new=new)
    return ax


def _bands(result: AgreementResult, scope: Scope, curve: Curve) -> list[Band]:
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
