"""How near rankings stay to those of the full data as scores are missing or tasks left out."""

from __future__ import annotations

from typing import Literal

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rankagg._validation import check_choice, check_number
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.robustness.panels import Band, draw_bands, frame_curves
from rankagg.plotting.style.layout import GRID, legend_above, widest, write_below
from rankagg.plotting.style.theme import ACCENTS, INK, LINES, MARKERS, canvas, plot_labels
from rankagg.studies.missing_scores.missing_scores_result import MissingScoresResult
from rankagg.studies.task_subsets.task_subset_result import TaskSubsetResult

__all__ = ["missing_scores_plot", "task_subset_plot"]

WIDTH, HEIGHT = 36.0, 31.0
Measure = Literal["tau", "tau_true"]
SAID: dict[Measure, str] = {
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
    ax = canvas(ax, WIDTH, HEIGHT)
    methods = result.study.methods
    lines = [
        _draw(ax, frame[frame["method"] == method], what, number, label)
        for number, (method, label) in enumerate(
            zip(methods, plot_labels(methods, 40), strict=True)
        )
    ]
    _axes(ax, sorted(result.study.proportions))
    ax.set_ylabel(SAID[what])
    along, *notes = _notes(result, frame, what)
    write_below(ax, notes, WIDTH - 7 if new else None, axis=along)
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
    bands = _bands(result)
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


def _bands(result: TaskSubsetResult) -> list[Band]:
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
