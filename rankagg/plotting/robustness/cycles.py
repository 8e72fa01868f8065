"""How often majorities are cyclic, or have a Condorcet winner, by the number of rankings."""

from __future__ import annotations

from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rankagg._validation import check_choice
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.robustness.panels import Band, draw_bands, frame_curves
from rankagg.plotting.style.layout import legend_above, widest, write_below
from rankagg.plotting.style.theme import INK, canvas, plot_labels
from rankagg.studies.cycles.closed_forms import known_cycle, known_winner
from rankagg.studies.cycles.cycle_result import CycleResult

__all__ = ["cycle_plot"]

WIDTH, HEIGHT = 36.0, 28.0
# How many times the smallest number the largest one is on a logarithmic scale.
WIDE = 10
SAID = {
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
    check_choice(measure, tuple(SAID), "measure")
    bands, exact, limits = _bands(result, measure)
    new = ax is None
    ax = canvas(ax, max(WIDTH, widest(band.name for band in bands) + 8), HEIGHT + len(bands))
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
    ax.set_ylabel(SAID[measure])
    times = counted(result.study.n_repetitions, "profile")
    notes = [f"{times} of each size; bands: 95 % Wilson intervals"]
    write_below(ax, notes, WIDTH - 4 if new else None, axis="rankings in a profile")
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


def _bands(
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
