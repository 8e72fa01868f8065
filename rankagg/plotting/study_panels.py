"""Panels of studies: what methods decide by case, how far corrupted scores lead rules."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from rankagg._validation import check_choice, check_number
from rankagg.core import counted
from rankagg.cultures import DataSource
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.curves import (
    StudyPanel,
    axis_of,
    draw_study_panels,
    method_keys,
    panels_over,
    varying,
)
from rankagg.plotting.study_curves import number_of_study
from rankagg.plotting.theme import GRAY, plot_labels, plot_of
from rankagg.studies import ConfidenceResult, LatentModel
from rankagg.studies.corruption import LOST, CorruptionResult, corruption_told

Measure = Literal["decided", "any_wrong", "coverage", "covers_all", "width"]
AXIS_OF_MEASURE: dict[Measure, str] = {
    "decided": "share of pairs decided",
    "any_wrong": "share of tables\nwith a wrong decision",
    "coverage": "share of intervals\nthat hold the truth",
    "covers_all": "share of tables where\nall intervals hold the truth",
    "width": "mean width of the intervals",
}


@plot_of(ConfidenceResult, "ConfidenceStudy.run")
def confidence_plot(
    result: ConfidenceResult,
    *,
    measure: Measure = "decided",
    along: str | None = None,
    alpha: float | None = None,
    proportion: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what methods decide against how far systems are apart, or how much is missing.

    A line a method, a panel for each case of what is not along the axis.

    Parameters
    ----------
    result : ConfidenceResult
        What a study of confidence found.
    measure : str, default "decided"
        "decided": the share of pairs that are. "any_wrong": the share of tables with a wrong
        decision. "coverage": the share of intervals that hold the true proportion. "covers_all":
        the share of tables where all do. "width": how wide intervals are.
    along : str, optional
        What is on the horizontal axis: "step" or another parameter of the models, "proportion",
        or "model" for the models side by side. By default the first of these that varies.
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
    known = varying(result)
    usual = next((name for name in ("step", "proportion") if name in known), "model")
    axis = check_choice(
        along or usual, list(dict.fromkeys([*known, "proportion", "model"])), "along"
    )
    table = result.by_method().reset_index()
    table = table[table["alpha"] == level]
    if axis != "proportion":
        share = number_of_study(proportion, study.proportions, "proportion")
        table = table[table["proportion"] == share]
    if table[what].isna().all():
        raise InvalidInputError("measure", "what the study knows, such as 'decided'", measure)
    table = table.assign(middle=table[what])
    names = [model.name for model in study.models] if axis == "model" else []
    if names:
        table, alike, left_out = table.assign(at=table["model"].map(names.index)), "", list[str]()
        parts = table.groupby("removal", sort=False) if "removal" in table else [("", table)]
        panels = [StudyPanel(str(removal), part) for removal, part in parts]
    else:
        # Of scores that are drawn, how many comparisons there are says most.
        words = {model.name_without("step"): _sizes_of(model) for model in study.models}
        told = words if axis == "step" else {}
        panels, alike, left_out = panels_over(
            result, table, axis, lambda cell: (told.get(cell[0], cell[0]), *cell[2:])
        )
    is_coverage = what in ("coverage", "covers_all")
    # What the level promises of all pairs, or of each; the axis starts at 0 but for high coverages.
    promised = level if what == "any_wrong" else 1 - level if is_coverage else None
    least = float(table[what].min()) if is_coverage else 0.0
    low = 0.9 if least >= 0.9 else 0.5 if least >= 0.5 else 0.0
    upright, label = np.linspace(low, 1, 6).tolist(), AXIS_OF_MEASURE[what]
    sheet, above, key = draw_study_panels(
        ax, panels, label, upright=upright, dashed=promised, names=plot_labels(names, 24)
    )
    line = {"ls": "none"} if names else {}
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
        alike,
        "" if promised is None else f"dashed: what alpha {level:g} promises",
        "methods without intervals are not drawn" if without.any() else "",
        f"methods could not judge the table {failed}" if result.n_failed else "",
        *left_out,
    ]
    return sheet.finish(notes, axis=axis_of(axis), handles=handles, columns=2, above=above)


def _sizes_of(model: DataSource) -> str:
    if not isinstance(model, LatentModel):
        return model.name
    number = model.n_tasks * (model.n_instances or 1)
    sizes = (number, "comparison"), (model.n_tasks, "task"), (model.n_systems, "system")
    return ", ".join(counted(*size) for size in sizes)


@plot_of(CorruptionResult, "CorruptionStudy.run")
def corruption_plot(
    result: CorruptionResult,
    *,
    over: str | None = None,
    threshold: float = LOST,
    ax: Axes | None = None,
) -> Axes:
    """Draw how far rules are led astray, against how much is corrupted.

    A panel for each case, with a line for the mean of every rule in a band from the 5 % to the
    95 % quantile of the tables. A rule breaks down where its line crosses the dashed one.

    Parameters
    ----------
    result : CorruptionResult
        The results of a study.
    over : str, optional
        What is on the horizontal axis: "n_corrupted", or a parameter of the corruptions or of the
        models, such as "factor" or "step". By default the first of these that varies.
    threshold : float, default 0.75
        Where the dashed line is, from 0 to below 1; see `CorruptionResult.breakdown`.

    Raises
    ------
    InvalidInputError
        If the argument is no such result, or it has no such parameter.

    References
    ----------
    Colombo et al. (2022), figures 3 and 7, https://doi.org/10.48550/arXiv.2202.03799.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> study = ra.studies.CorruptionStudy(
    ...     models=[ra.datasets.load("superglue_human")],
    ...     corruptions=[ra.studies.ReversedScores(), ra.studies.NoisyScores()],
    ...     n_repetitions=2,
    ... )
    >>> ax = plotting.corruption_plot(study.run())
    >>> ax.get_xlabel()
    'corrupted tasks'
    """
    check_number(threshold, "threshold", low=0, high=1, open_high=True)
    known = [*varying(result), "n_corrupted"]
    along = check_choice(over or known[0], known, "over")
    ends = {"mean_distance": "middle", "distance_0.05": "low", "distance_0.95": "high"}
    rows = result.by_method().reset_index().rename(columns=ends)
    panels, alike, left_out = panels_over(result, rows, along, corruption_told)
    label = "normalized Kendall distance"
    sheet, above, key = draw_study_panels(ax, panels, label, dashed=threshold)
    handles = method_keys(rule.name for rule in result.study.rules)
    what = "line: mean; band: 5 % to 95 % of tables"
    handles.append(Patch(color=GRAY, alpha=0.4, lw=0, label=what))
    tables = f"{counted(result.study.n_repetitions, 'table')} for every point"
    notes = [
        key,
        f"distance to {result.distance_to}",
        f"dashed: {threshold:g}, beyond which a rule has broken down",
        ", ".join(filter(None, [alike, tables])),
        *left_out,
        *result.notes,
    ]
    return sheet.finish(notes, axis=axis_of(along), handles=handles, columns=2, above=above)
