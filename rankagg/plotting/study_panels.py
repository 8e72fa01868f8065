"""Panels of studies: what methods decide by case, how far corrupted scores lead rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Literal, get_args

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from rankagg import _pandas as pd
from rankagg._typing import Floats
from rankagg._validation import check_choice, check_number
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.curves import StudyPanel, draw_study_panels, every_mark, method_keys
from rankagg.plotting.study_curves import number_of_study
from rankagg.plotting.theme import GRAY, method_look, plot_labels, plot_of, stroke
from rankagg.studies.confidence import ConfidenceResult
from rankagg.studies.corruption import LOST, CorruptionResult, ManipulationResult, ScalingResult
from rankagg.studies.sources import LatentModel

Measure = Literal["decided", "any_wrong", "coverage", "covers_all", "width"]
Along = Literal["step", "proportion", "model"]
AXIS_OF_MEASURE: dict[Measure, str] = {
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
DASHED: Any = (0, (2, 2))


@plot_of(ConfidenceResult, "ConfidenceStudy.run")
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
    what: Measure = check_choice(measure, get_args(Measure), "measure")
    study = result.study
    level = number_of_study(alpha, study.alphas, "alpha")
    axis = _axis(result) if along is None else check_choice(along, get_args(Along), "along")
    table = result.by_method().reset_index()
    table = table[table["alpha"] == level]
    if axis != "proportion":
        share = number_of_study(proportion, study.proportions, "proportion")
        table = table[table["proportion"] == share]
    if table[what].isna().all():
        raise InvalidInputError("measure", "what the study knows, such as 'decided'", measure)
    panels = list(_panels(result, table, axis))
    is_coverage, joined = what in ("coverage", "covers_all"), axis != "model"
    # Points of different models are not joined.
    line: dict[str, Any] = {} if joined else {"ls": "none"}
    # What the level promises of all pairs, or of each; the axis starts at 0 but for high coverages.
    promised = level if what == "any_wrong" else 1 - level if is_coverage else None
    least = float(table[what].min()) if is_coverage else 0.0
    low = 0.9 if least >= 0.9 else 0.5 if least >= 0.5 else 0.0

    def draw(ax: Axes, where: tuple[int, int], x: Floats, part: pd.DataFrame) -> None:
        look = {**method_look(where[1]), **line}
        gid = "line-{}-{}".format(*where)
        ax.plot(x, part[what], zorder=3 + where[1], clip_on=False, gid=gid, **look)

    names = [] if joined else plot_labels([model.name for model in study.models], 24)
    sheet, above, key = draw_study_panels(
        ax, panels, draw, AXIS_OF_MEASURE[what], low=low, names=names
    )
    if promised is not None:
        sheet.ax.axhline(promised, color=GRAY, ls=DASHED, zorder=1, gid="promised")
    sheet.ax.set_ylim(low - 0.02 * (1 - low), 1 + 0.02 * (1 - low))
    sheet.ax.set_yticks(low + (1 - low) * np.arange(6) / 5)
    handles = method_keys((method.name for method in study.ways), **line)
    removed = ""
    if axis != "proportion" and share:
        removed = f", {100 * share:g} % of the single scores removed"
    drawn = pd.concat([panel.table for panel in panels])
    without = drawn[what].isna() & (drawn["failed"] < drawn["tables"])
    failed = counted(result.n_failed, "time")
    notes = [
        key,
        f"alpha {level:g}{removed}; {counted(study.n_repetitions, 'table')} for every point",
        "" if promised is None else f"dashed: what alpha {level:g} promises",
        "methods without intervals are not drawn" if without.any() else "",
        f"methods could not judge the table {failed}" if result.n_failed else "",
    ]
    return sheet.finish(notes, axis=BELOW[axis], handles=handles, columns=2, above=above)


def _axis(result: ConfidenceResult) -> Along:
    study = result.study
    steps = {model.step for model in study.models if isinstance(model, LatentModel)}
    if len(steps) > 1 and all(isinstance(model, LatentModel) for model in study.models):
        return "step"
    return "proportion" if len(study.proportions) > 1 else "model"


def _panels(result: ConfidenceResult, table: pd.DataFrame, axis: Along) -> Iterator[StudyPanel]:
    """Iterate over the cases; the column `at` says where on the axis a row stands."""
    models = result.study.models
    if axis == "model":
        order = {model.name: float(number) for number, model in enumerate(models)}
        yield StudyPanel("", table.assign(at=table["model"].map(order)))
        return
    if axis == "proportion":
        for model in models:
            part = table[table["model"] == model.name]
            yield StudyPanel(model.name, part.assign(at=part["proportion"]))
        return
    sizes: dict[tuple[int, int, int], dict[str, float]] = {}
    for model in models:
        if not isinstance(model, LatentModel):
            raise InvalidInputError("along", "'model' or 'proportion' for these models", axis)
        number = model.n_tasks * (model.n_instances or 1)
        size = (number, model.n_tasks, model.n_systems)
        sizes.setdefault(size, {})[model.name] = model.step
    # Beside the comparisons only what differs.
    differ = [True, *(len(set(values)) > 1 for values in list(zip(*sizes, strict=True))[1:])]
    for size, steps in sizes.items():
        part = table[table["model"].isin(list(steps))]
        nouns = zip(size, ("comparison", "task", "system"), differ, strict=True)
        told = ",\n".join(counted(value, noun) for value, noun, is_told in nouns if is_told)
        yield StudyPanel(told, part.assign(at=part["model"].map(steps)))


def corruption_panels(
    result: CorruptionResult,
    panels: Sequence[StudyPanel],
    notes: Sequence[str],
    *,
    threshold: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw panels beside each other on the same axes: for every rule a line in a band."""

    def draw(ax: Axes, where: tuple[int, int], x: Floats, part: pd.DataFrame) -> None:
        look, name = method_look(where[1]), "{}-{}".format(*where)
        low, high = part["distance_0.05"], part["distance_0.95"]
        shade = {"color": look["color"], "zorder": 2}
        ax.fill_between(x, low, high, alpha=0.18, lw=0, gid=f"band-{name}", **shade)
        # A single point has no band.
        if len(x) == 1:
            ax.vlines(x, low, high, lw=stroke(0.5), **shade)
        look |= {"markevery": every_mark(0, len(x)), "zorder": 3 + where[1], "clip_on": False}
        ax.plot(x, part["mean_distance"], gid=f"mean-{name}", **look)

    label = "normalized Kendall distance\nto the true order"
    sheet, above, key = draw_study_panels(ax, panels, draw, label)
    sheet.ax.set_ylim(-0.02, 1.02)
    sheet.ax.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    if threshold is not None:
        sheet.ax.axhline(threshold, color=GRAY, ls=DASHED, zorder=1, gid="threshold")
    study = result.study
    sizes = (
        f"{counted(study.n_systems, 'system')}, {counted(study.n_tasks, 'task')} with "
        f"{counted(study.n_instances, 'instance')} each, "
        f"{counted(study.n_repetitions, 'table')} for every point"
    )
    handles = method_keys(dict.fromkeys(panels[0].table["method"]))
    what = "line: mean; band: 5 % to 95 % of tables"
    handles.append(Patch(color=GRAY, alpha=0.4, lw=0, label=what))
    along, *others = notes
    below = [key, *others, sizes, *result.notes]
    return sheet.finish(below, axis=along, handles=handles, columns=2, above=above)


@plot_of(ManipulationResult, "ManipulationStudy.run")
def manipulation_plot(
    result: ManipulationResult, *, threshold: float = LOST, ax: Axes | None = None
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
    check_number(threshold, "threshold", low=0, high=1, open_high=True)
    table = result.by_method().reset_index()
    table["at"] = table["n_corrupted"]
    panels = [
        StudyPanel(f"step {step:g}", table[table["step"] == step]) for step in result.study.steps
    ]
    notes = [
        f"corrupted tasks, of {result.study.n_tasks}",
        f"dashed: {threshold:g}, beyond which a rule has broken down",
    ]
    return corruption_panels(result, panels, notes, threshold=threshold, ax=ax)


@plot_of(ScalingResult, "ScalingStudy.run")
def scaling_plot(result: ScalingResult, *, ax: Axes | None = None) -> Axes:
    """Draw the distance to the true order against the factor of one task.

    A panel for each step, first where the task is rescaled alone, then where it is reversed as
    well, with a line for the mean of every rule in a band from the 5 % to the 95 % quantile of the
    tables.

    Parameters
    ----------
    result : ScalingResult
        The results of a study.

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
    table, study = result.by_method().reset_index(), result.study
    table["at"] = table["factor"]
    panels = [
        StudyPanel(
            f"{'reversed' if reverse else 'rescaled'}\nstep {step:g}",
            table[(table["reversed"] == reverse) & (table["step"] == step)],
        )
        for reverse, step in product(study.reversed, study.steps)
    ]
    notes = [f"factor of the scores of one task, of {study.n_tasks}"]
    if True in study.reversed:
        notes.append("reversed: the true order is reversed on that task, before it is rescaled")
    return corruption_panels(result, panels, notes, ax=ax)
