"""How near each rule's consensus on some of the tasks is to its own on all."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.robustness.bands import Band, draw_bands, frame_curves
from rankagg.plotting.style.legends import legend_above
from rankagg.plotting.style.letters import widest
from rankagg.plotting.style.margins import write_below
from rankagg.plotting.style.theme import canvas, plot_labels
from rankagg.studies.task_subsets.task_subset_result import TaskSubsetResult

__all__ = ["task_subset_plot"]

WIDTH, HEIGHT = 36.0, 28.0


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
    >>> study = ra.TaskSubsetStudy(data=ra.datasets.load("xtreme_human"), n_repetitions=10)
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
    ax = canvas(ax, max(WIDTH, widest(band.name for band in bands) + 8), HEIGHT + len(bands))
    curves = draw_bands(ax, bands)
    frame_curves(ax, bands)
    ax.set_ylabel("tau-b with the same rule's\nconsensus on all tasks")
    along, *notes = _notes(result)
    write_below(ax, notes, WIDTH - 4 if new else None, axis=along)
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


def _notes(result: TaskSubsetResult) -> list[str]:
    study = result.study
    return [
        f"tasks drawn at random, of {study.data.n_tasks}",
        f"mean of {counted(study.n_repetitions, 'subset')} of each size, the same for every rule; "
        "bands: one standard deviation either way",
        *result.notes,
    ]
