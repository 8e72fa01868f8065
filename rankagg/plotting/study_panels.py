"""Panels of studies: what methods decide by case, how far corrupted scores lead rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, get_args

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from rankagg._typing import Floats
from rankagg._validation import check_choice, check_number
from rankagg.aggregation.positional import Borda
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.curves import PanelScale, head_panels, keyed_headings, panel_width
from rankagg.plotting.heatmaps import share_matrix
from rankagg.plotting.sheet import (
    GRID,
    add_height,
    legend_above,
    letters_across,
    note_height,
    widest,
    write_below,
)
from rankagg.plotting.theme import ACCENTS, GRAY, INK, LINES, MARKERS, canvas, plot_labels
from rankagg.studies.confidence.confidence_result import ConfidenceResult
from rankagg.studies.corruption.corruption import (
    BROKEN,
    CorruptionResult,
    ManipulationResult,
    ScalingResult,
)
from rankagg.studies.scores.score_models import LatentModel

Measure = Literal["decided", "any_wrong", "coverage", "covers_all", "width"]
Along = Literal["step", "proportion", "model"]
SAID: dict[Measure, str] = {
    "decided": "share of pairs decided",
    "any_wrong": "share of tables\nwith a wrong decision",
    "coverage": "share of intervals\nthat hold the truth",
    "covers_all": "share of tables where\nall intervals hold the truth",
    "width": "mean width of the intervals",
}
BELOW: dict[Along, str] = {
    "step": "step between neighboring systems, in units of the noise's scale",
    "proportion": "proportion of single scores removed",
    "model": "models",
}
HEIGHT, GAP = 26.0, 2.5
# Methods take so much of the room for a model.
BESIDE = 0.6


@dataclass(frozen=True)
class _Panel:
    """One case: its heading and the rows of `by_method` that belong to it."""

    heading: str
    table: pd.DataFrame


@dataclass(frozen=True)
class _Picture:
    """What is drawn of them."""

    panels: tuple[_Panel, ...]
    measure: Measure
    axis: Along
    alpha: float

    @property
    def low(self) -> float:
        """Where the upright axis starts: at 0 unless all coverages are high."""
        if self.measure not in ("coverage", "covers_all"):
            return 0.0
        least = min(float(np.nanmin(panel.table[self.measure])) for panel in self.panels)
        return 0.9 if least >= 0.9 else 0.5 if least >= 0.5 else 0.0

    @property
    def promised(self) -> float | None:
        """What the level promises of all pairs, or of each; None where it says nothing."""
        if self.measure == "any_wrong":
            return self.alpha
        return 1 - self.alpha if self.measure in ("coverage", "covers_all") else None


def confidence_plot(
    result: ConfidenceResult,
    *,
    measure: Measure = "decided",
    along: Along | None = None,
    alpha: float | None = None,
    proportion: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what methods decide against how far systems are apart, or how much is missing.

    A line a method, a panel for each number of comparisons, or each model.

    Parameters
    ----------
    result : ConfidenceResult
        What a study of confidence found.
    measure : str, default "decided"
        "decided": the share of pairs that are. "any_wrong": the share of tables with a wrong
        decision. "coverage": the share of intervals that hold the true proportion. "covers_all":
        the share of tables where all do. "width": how wide intervals are.
    along : {"step", "proportion", "model"}, optional
        What is on the horizontal axis: the step of the models, all of which are a `LatentModel`,
        the proportion removed, or the models side by side. By default the first that varies.
    alpha : float, optional
        A level of the study; its first by default.
    proportion : float, optional
        A proportion of the study, unless that is on the axis; its first by default.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If the argument is no result of such a study, the study has no such level or proportion,
        or what is to be drawn is not known.

    References
    ----------
    Himmi et al. (2023), "Towards more robust NLP system evaluation: handling missing scores in
    benchmarks", https://doi.org/10.48550/arXiv.2305.10284, figure 4.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> models = [ra.studies.LatentModel(step=s, n_systems=5, n_tasks=1) for s in (0.1, 0.5, 1)]
    >>> methods = [ra.studies.IntervalMethod(), ra.studies.IntervalMethod(holm=True)]
    >>> study = ra.studies.ConfidenceStudy(models=models, methods=methods, n_repetitions=5)
    >>> ax = plotting.confidence_plot(study.run())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['hoeffding', 'hoeffding, holm']
    """
    if not isinstance(result, ConfidenceResult):
        raise InvalidInputError(
            "result", "a ConfidenceResult", result, "`ConfidenceStudy.run` makes one."
        )
    what: Measure = check_choice(measure, get_args(Measure), "measure")
    study = result.study
    level = option_of(alpha, study.alphas, "alpha")
    axis = _axis(result) if along is None else check_choice(along, get_args(Along), "along")
    table = result.by_method().reset_index()
    table = table[table["alpha"] == level]
    if axis != "proportion":
        share = option_of(proportion, study.proportions, "proportion")
        table = table[table["proportion"] == share]
    if table[what].isna().all():
        raise InvalidInputError("measure", "what the study knows, such as 'decided'", measure)
    return _drawn(result, _Picture(tuple(_panels(result, table, axis)), what, axis, level), ax)


def option_of(given: float | None, known: Sequence[float], parameter: str) -> float:
    """Return one of the numbers of a study, its first by default."""
    if given is None:
        return known[0]
    return check_choice(check_number(given, parameter), list(known), parameter)


def _axis(result: ConfidenceResult) -> Along:
    study = result.study
    steps = {model.step for model in study.models if isinstance(model, LatentModel)}
    if len(steps) > 1 and all(isinstance(model, LatentModel) for model in study.models):
        return "step"
    return "proportion" if len(study.proportions) > 1 else "model"


def _panels(result: ConfidenceResult, table: pd.DataFrame, axis: Along) -> Iterator[_Panel]:
    """Iterate over the cases; the column `at` says where on the axis a row stands."""
    models = result.study.models
    if axis == "model":
        order = {model.name: float(number) for number, model in enumerate(models)}
        yield _Panel("", table.assign(at=table["model"].map(order)))
        return
    if axis == "proportion":
        for model in models:
            yield _Panel(
                model.name, table[table["model"] == model.name].assign(at=table["proportion"])
            )
        return
    sizes: dict[tuple[int, int, int], dict[str, float]] = {}
    for model in models:
        if not isinstance(model, LatentModel):
            raise InvalidInputError("along", "'model' or 'proportion' for these models", axis)
        number = model.n_tasks * (model.n_instances or 1)
        size = (number, model.n_tasks, model.n_systems)
        sizes.setdefault(size, {})[model.name] = model.step
    for size, steps in sizes.items():
        part = table[table["model"].isin(list(steps))]
        # Beside the comparisons only what differs.
        told = [
            counted(value, noun)
            for position, (value, noun) in enumerate(
                zip(size, ("comparison", "task", "system"), strict=True)
            )
            if position == 0 or len({other[position] for other in sizes}) > 1
        ]
        yield _Panel(",\n".join(told), part.assign(at=part["model"].map(steps)))


def _drawn(result: ConfidenceResult, picture: _Picture, ax: Axes | None) -> Axes:
    methods = [method.name for method in result.study.ways]
    labels = plot_labels([model.name for model in result.study.models], 24)
    panels, low, is_named = picture.panels, picture.low, picture.axis == "model"
    headings, key = [panel.heading for panel in panels], ""
    each, new = max(8.0, 46.0 / len(panels), widest(headings) + 1), ax is None
    each = max(each, len(labels) * (widest(labels) + 2)) if is_named else each
    total = len(panels) * (each + GAP) - GAP
    ax = canvas(ax, total + 6, HEIGHT + 0.7 * len(methods))
    _frame(ax, picture)
    if not new:
        each = panel_width(len(panels), GAP, letters_across(ax))
        total = len(panels) * (each + GAP) - GAP
        headings, key = keyed_headings(headings, each + GAP - 0.5)
    lefts = [number * (each + GAP) for number in range(len(panels))]
    ticks: dict[float, str] = {}
    for number, (left, panel) in enumerate(zip(lefts, panels, strict=True)):
        at = panel.table["at"].to_numpy(np.float64)
        inset = each / 2 / len(labels) if is_named else 0.0
        scale = PanelScale(float(at.min()), float(at.max()), left + inset, each - 2 * inset)
        for position, method in enumerate(methods):
            part = panel.table[panel.table["method"] == method].sort_values("at")
            places = scale.place(part["at"].to_numpy(np.float64))
            values = part[picture.measure].to_numpy(np.float64)
            # Points of different models are not joined, and stand beside each other.
            beside = inset * (2 * (position + 0.5) / len(methods) - 1) * BESIDE
            _line(ax, (number, position), places + beside, values, is_joined=not is_named)
        if is_named:
            places = scale.place(np.arange(len(labels), dtype=np.float64))
            ticks.update(zip(places.tolist(), labels, strict=True))
        else:
            ticks.update(scale.ticks())
        ax.hlines(low, left, left + each, color=INK, linewidth=0.5 * _width(), zorder=1)
    ax.set_xlim(-0.5, total + 0.5)
    # Names that have no room beside each other stand upright.
    upright = is_named and widest(labels) + 1 > each / len(labels)
    ax.set_xticks(
        list(ticks), list(ticks.values()), parse_math=False, rotation=90 if upright else 0
    )
    above = head_panels(ax, lefts, headings)
    along, *notes = _notes(result, picture)
    write_below(ax, [key, *notes], total if new else None, axis=along)
    handles = _handles(plot_labels(methods, 40), is_joined=not is_named)
    legend_above(ax, handles, new=new, columns=2, above=above)
    return ax


def _width() -> float:
    return float(mpl.rcParams["lines.linewidth"])


def _frame(ax: Axes, picture: _Picture) -> None:
    if picture.promised is not None:
        ax.axhline(picture.promised, color=GRAY, linestyle=(0, (2, 2)), zorder=1, gid="promised")
    low = picture.low
    margin = 1 - low
    ax.set_ylim(low - 0.02 * margin, 1 + 0.02 * margin)
    ax.set_yticks(low + margin * np.arange(6) / 5)
    ax.grid(axis="y", color=GRID, linewidth=0.5 * _width())
    ax.set_axisbelow(True)
    for side in ("top", "right", "bottom"):
        ax.spines[side].set_visible(False)
    ax.set_ylabel(SAID[picture.measure])


def _notes(result: ConfidenceResult, picture: _Picture) -> Iterator[str]:
    yield BELOW[picture.axis]
    share = picture.panels[0].table["proportion"].iloc[0]
    is_told = share and picture.axis != "proportion"
    removed = f", {100 * share:g} % of the single scores removed" if is_told else ""
    tables = counted(result.study.n_repetitions, "table")
    yield f"alpha {picture.alpha:g}{removed}; {tables} for every point"
    if picture.promised is not None:
        yield f"dashed: what alpha {picture.alpha:g} promises"
    table = pd.concat([panel.table for panel in picture.panels])
    if (table[picture.measure].isna() & (table["failed"] < table["tables"])).any():
        yield "methods without intervals are not drawn"
    if result.n_failed:
        yield f"methods could not judge the table {counted(result.n_failed, 'time')}"


def _look(method: int) -> dict[str, Any]:
    look = method % len(ACCENTS)
    faces = ("white", ACCENTS[look], GRAY)
    return {
        "color": ACCENTS[look],
        "marker": MARKERS[look],
        "markerfacecolor": faces[method // len(ACCENTS) % len(faces)],
    }


def _line(ax: Axes, where: tuple[int, int], x: Floats, y: Floats, *, is_joined: bool) -> None:
    """Draw one method in one panel."""
    panel, method = where
    ax.plot(
        x, y, linestyle=LINES[method % len(LINES)] if is_joined else "none",
        zorder=3 + method, clip_on=False, gid=f"line-{panel}-{method}", **_look(method),
    )  # fmt: skip


def _handles(names: Sequence[str], *, is_joined: bool) -> list[Line2D]:
    return [
        Line2D(
            [], [], linestyle=LINES[k % len(LINES)] if is_joined else "none", label=name, **_look(k)
        )
        for k, name in enumerate(names)
    ]


def confidence_heatmap(
    result: ConfidenceResult,
    *,
    method: str | None = None,
    model: str | None = None,
    alpha: float | None = None,
    proportion: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the estimated proportions of one table, row above column, with a dot on decided pairs.

    The table is the first of the study's repetitions. Systems are in the order of Borda's
    consensus of what is left of it, best first. A frame surrounds a cell where that has row above
    column although the proportion is below one half; pairs that nothing compares are hatched.

    Parameters
    ----------
    result : ConfidenceResult
        What a study of confidence found.
    method : str, optional
        The name of a method of the study; its first by default.
    model : str, optional
        The name of a model of the study; its first by default.
    alpha, proportion : float, optional
        A level and a proportion of the study; its first by default.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

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
    ...     models=[ra.studies.TableModel(label="SuperGLUE", table=table)],
    ...     methods=[ra.studies.IntervalMethod(holm=True, method="clopper-pearson")],
    ...     proportions=[0.2],
    ...     n_repetitions=1,
    ... )
    >>> ax = plotting.confidence_heatmap(study.run())
    >>> len(ax.get_yticklabels())
    6
    """
    if not isinstance(result, ConfidenceResult):
        raise InvalidInputError(
            "result", "a ConfidenceResult", result, "`ConfidenceStudy.run` makes one."
        )
    study = result.study
    ways = {way.name: way for way in study.ways}
    models = {one.name: one for one in study.models}
    way = ways[check_choice(method or next(iter(ways)), list(ways), "method")]
    source = models[check_choice(model or next(iter(models)), list(models), "model")]
    level = option_of(alpha, study.alphas, "alpha")
    share = option_of(proportion, study.proportions, "proportion")
    ranked, judged = result._judged(source, share, level, way)
    order = Borda(unranked="uniform").aggregate(ranked.profile).ranking
    new = ax is None
    ax = share_matrix(
        judged.estimate, order, above=judged.above,
        label=f"estimated proportion of {way.unit}s\nwith row above column", ax=ax,
    )  # fmt: skip
    n = len(judged.items)
    pairs = counted(n * (n - 1) // 2, "pair")
    units = counted(round(ranked.comparisons(way.unit)), way.unit)
    before = order.ranks[:, None] < order.ranks
    framed = bool((before & (judged.estimate < 0.5)).any())
    notes = [
        f"{source.name}, {100 * share:g} % of the single scores removed at random",
        f"dot: decided by {way.name} at alpha {level:g}, {int(judged.above.sum())} of {pairs}, "
        f"from {units} each on average",
        "frame: below one half against the order of rows" if framed else "",
        "hatched: never compared" if np.isnan(judged.estimate).any() else "",
    ]
    width = max(20.0, 1.5 * n) if new else letters_across(ax)
    if new:
        add_height(ax, note_height(notes, width))
    write_below(ax, notes, width)
    return ax


HEIGHT_C, GAP_C = 28.0, 2.0
# Lines have so many marks at most.
MARKS = 12


@dataclass(frozen=True)
class Panel:
    """One case: a part of the results, with what stands above it."""

    heading: str
    # Rows of `by_method` of that case, with its index as columns.
    table: pd.DataFrame


def corruption_panels(
    result: CorruptionResult,
    panels: Sequence[Panel],
    along: str,
    notes: Sequence[str],
    *,
    threshold: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw panels beside each other on the same axes: for every rule a line in a band."""
    methods = list(dict.fromkeys(panels[0].table["method"]))
    headings, key = [panel.heading for panel in panels], ""
    each, new = max(8.0, 42.0 / len(panels), widest(headings) + 1), ax is None
    total = len(panels) * (each + GAP_C) - GAP_C
    ax = canvas(ax, total + 6, HEIGHT_C + 0.7 * len(methods))
    _frame_c(ax)
    if not new:
        each = panel_width(len(panels), GAP_C, letters_across(ax))
        total = len(panels) * (each + GAP_C) - GAP_C
        headings, key = keyed_headings(headings, each + GAP_C - 0.5)
    lefts = [number * (each + GAP_C) for number in range(len(panels))]
    ticks: dict[float, str] = {}
    for number, (left, panel) in enumerate(zip(lefts, panels, strict=True)):
        values = panel.table[along].to_numpy(dtype=np.float64)
        scale = PanelScale(float(values.min()), float(values.max()), left, each)
        for position, method in enumerate(methods):
            part = panel.table[panel.table["method"] == method]
            _draw(ax, (number, position), scale.place(part[along].to_numpy(float)), part)
        ticks.update(scale.ticks())
        ax.hlines(
            0, left, left + each, color=INK, linewidth=0.5 * _width_c(), zorder=1, gid="floor"
        )
    if threshold is not None:
        ax.axhline(threshold, color=GRAY, linestyle=(0, (2, 2)), zorder=1, gid="threshold")
    ax.set_xlim(-0.5, total + 0.5)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xticks(list(ticks), list(ticks.values()))
    above = head_panels(ax, lefts, headings)
    study = result.study
    sizes = (
        f"{counted(study.n_systems, 'system')}, {counted(study.n_tasks, 'task')} with "
        f"{counted(study.n_instances, 'instance')} each, "
        f"{counted(study.n_repetitions, 'table')} for every point"
    )
    below = [key, *notes[1:], sizes, *result._warnings()]
    write_below(ax, below, total if new else None, axis=notes[0])
    legend_above(ax, _handles_c(plot_labels(methods, 40)), new=new, columns=2, above=above)
    return ax


def _frame_c(ax: Axes) -> None:
    ax.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.grid(axis="y", color=GRID, linewidth=0.5 * _width_c())
    ax.set_axisbelow(True)
    for side in ("top", "right", "bottom"):
        ax.spines[side].set_visible(False)
    ax.set_ylabel("normalized Kendall distance\nto the true order")


def _width_c() -> float:
    return float(mpl.rcParams["lines.linewidth"])


def _draw(ax: Axes, where: tuple[int, int], x: Floats, part: pd.DataFrame) -> None:
    """Draw one rule in one panel."""
    number, method = where
    color = ACCENTS[method % len(ACCENTS)]
    low, high = (part[f"distance_{q}"].to_numpy(float) for q in ("0.05", "0.95"))
    ax.fill_between(
        x, low, high, color=color, alpha=0.18, linewidth=0, zorder=2, gid=f"band-{number}-{method}"
    )
    # A single point has no band.
    if len(x) == 1:
        ax.vlines(x, low, high, color=color, linewidth=0.5 * _width_c(), zorder=2)
    ax.plot(
        x, part["mean_distance"].to_numpy(float), color=color, linestyle=LINES[method % len(LINES)],
        marker=MARKERS[method % len(MARKERS)], markevery=1 + len(x) // MARKS, zorder=3 + method,
        markerfacecolor="white", clip_on=False, gid=f"mean-{number}-{method}",
    )  # fmt: skip


def _handles_c(names: Sequence[str]) -> list[Artist]:
    """Return the marks of the legend."""
    lines: list[Artist] = [
        Line2D(
            [], [], color=ACCENTS[k % len(ACCENTS)], linestyle=LINES[k % len(LINES)],
            marker=MARKERS[k % len(MARKERS)], markerfacecolor="white", label=name,
        )
        for k, name in enumerate(names)
    ]  # fmt: skip
    band = Patch(
        color=GRAY, alpha=0.4, linewidth=0, label="line: mean; band: 5 % to 95 % of tables"
    )
    return [*lines, band]


def manipulation_plot(
    result: ManipulationResult, *, threshold: float = BROKEN, ax: Axes | None = None
) -> Axes:
    """Draw the distance to the true order against the number of corrupted tasks.

    A panel for each step, with a line for the mean of every rule in a band from the 5 % to the
    95 % quantile of the tables. A rule breaks down where its line crosses the dashed one.

    Parameters
    ----------
    result : ManipulationResult
        The results of a study.
    threshold : float, default 0.75
        Where the dashed line is, from 0 to below 1; see `ManipulationResult.breakdown`.
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
    Colombo et al. (2022), figure 3, https://doi.org/10.48550/arXiv.2202.03799.

    Examples
    --------
    >>> from rankagg import plotting, studies
    >>> study = studies.ManipulationStudy(steps=[0.1, 0.3], n_corrupted=[0, 20], n_repetitions=2)
    >>> ax = plotting.manipulation_plot(study.run())
    >>> ax.get_xlabel()
    'corrupted tasks, of 20'
    """
    if not isinstance(result, ManipulationResult):
        raise InvalidInputError(
            "result", "a ManipulationResult", result, "`ManipulationStudy.run` makes one."
        )
    check_number(threshold, "threshold", low=0, high=1, open_high=True)
    table = result.by_method().reset_index().sort_values("n_corrupted", kind="stable")
    panels = [Panel(f"step {step:g}", table[table["step"] == step]) for step in result.study.steps]
    notes = [
        f"corrupted tasks, of {result.study.n_tasks}",
        f"dashed: {threshold:g}, beyond which a rule has broken down",
    ]
    return corruption_panels(result, panels, "n_corrupted", notes, threshold=threshold, ax=ax)


def scaling_plot(result: ScalingResult, *, ax: Axes | None = None) -> Axes:
    """Draw the distance to the true order against the factor of one task.

    A panel for each step, first where the task is rescaled alone, then where it is reversed as
    well, with a line for the mean of every rule in a band from the 5 % to the 95 % quantile of the
    tables.

    Parameters
    ----------
    result : ScalingResult
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
    Colombo et al. (2022), figure 7, https://doi.org/10.48550/arXiv.2202.03799.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> study = ra.studies.ScalingStudy(steps=[0.1], factors=[1, 5, 10], n_repetitions=2)
    >>> ax = plotting.scaling_plot(study.run())
    >>> ax.get_xlabel()
    'factor of the scores of one task, of 20'
    """
    if not isinstance(result, ScalingResult):
        raise InvalidInputError(
            "result", "a ScalingResult", result, "`ScalingStudy.run` makes one."
        )
    table = result.by_method().reset_index().sort_values("factor", kind="stable")
    study = result.study
    panels = [
        Panel(
            f"{'reversed' if reverse else 'rescaled'}\nstep {step:g}",
            table[(table["reversed"] == reverse) & (table["step"] == step)],
        )
        for reverse, step in product(study.reversed, study.steps)
    ]
    notes = [f"factor of the scores of one task, of {study.n_tasks}"]
    if True in study.reversed:
        notes.append("reversed: the true order is reversed on that task, before it is rescaled")
    return corruption_panels(result, panels, "factor", notes, ax=ax)
