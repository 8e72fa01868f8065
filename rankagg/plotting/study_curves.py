"""Curves of studies: agreement of rules, cycles of majorities, rankings of incomplete data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rankagg._typing import Floats
from rankagg._validation import check_choice, check_number
from rankagg.core import counted, counts_told
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.curves import Band, band_sheet, draw_bands, frame_curves
from rankagg.plotting.sheet import rank_ticks
from rankagg.plotting.theme import GRAY, INK, letter, plot_labels, plot_of, stroke
from rankagg.studies import CycleResult, MissingScoresResult, TaskSubsetResult
from rankagg.studies.agreement import AgreementResult, Scope
from rankagg.studies.closed_forms import known_cycle, known_winner
from rankagg.studies.sources import gaps_told

Curve = Literal["top", "last", "top_tau"]
AXIS_OF_CURVE = {
    "top": "expected share of the first k\nthat both rules have",
    "last": "expected share of the last k\nthat both rules have",
    "top_tau": "tau-b over the systems that both\nrules have among their first k",
}
SCOPES = {
    "tasks": "the rules aggregate tasks",
    "instances": "the rules aggregate all instances",
    "within": "the rules aggregate the instances of one task: mean over tasks; bands: one standard "
    "deviation either way",
}
# How many times the smallest number the largest one is on a logarithmic scale.
LOGARITHMIC_FROM = 10
EVENTS = {
    "winner": "share with a Condorcet winner",
    "cycle": "share with a Condorcet cycle",
    "optimal": "share where Borda's ranking\nis a Kemeny optimum",
}
TAUS: dict[Tau, str] = {
    "tau": "tau-b with the same method's\nranking of the full data",
    "tau_true": "tau-b with the true ranking",
}


@plot_of(AgreementResult, "AgreementStudy.run")
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
    known = result.scopes
    usual: Scope = "instances" if "instances" in known else known[0]
    where = usual if scope is None else check_choice(scope, known, "scope")
    what: Curve = check_choice(curve, get_args(Curve), "curve")
    table = result.by_k().loc[where]
    pairs = list(dict.fromkeys(key[:2] for key in table.index))
    names = plot_labels((f"{first} / {second}" for first, second in pairs), 56)
    parts = [table.loc[pair] for pair in pairs]
    least = -1.0 if what == "top_tau" else 0.0
    bands = [
        Band.around(name, part.index, part[what], part[f"std_{what}"], least)
        for name, part in zip(names, parts, strict=True)
    ]
    sheet = band_sheet(ax, bands)
    handles = draw_bands(sheet.ax, bands)
    total, depths = result.study.data.n_systems, bands[0].at
    if what != "top_tau" and len(depths) == total:
        handles.append(chance_line(sheet.ax, depths / total))
    frame_curves(sheet.ax, bands, start=None if what == "top_tau" else 0.0)
    sheet.ax.set_xticks(rank_ticks(len(depths)))
    sheet.ax.set_ylabel(AXIS_OF_CURVE[what])
    # On all instances every rule is there.
    notes = [note for note in result.notes if where != "instances" or "instances only" not in note]
    along = f"k, of {counted(total, 'system')}"
    return sheet.finish([SCOPES[where], *notes], axis=along, handles=handles)


def chance_line(ax: Axes, shares: Floats) -> Line2D:
    """Draw what rankings at random have in common, at 1, 2 and so on."""
    look: dict[str, Any] = {"color": GRAY, "ls": ":", "zorder": 1}
    at = range(1, len(shares) + 1)
    return ax.plot(at, shares, label="at random", gid="random", **look)[0]


@plot_of(CycleResult, "CycleStudy.run")
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
    ['impartial culture, 3 items', 'known exactly', 'its limit']
    """
    check_choice(measure, tuple(EVENTS), "measure")
    bands, exact, limits = _of_sizes(result, measure)
    sheet = band_sheet(ax, bands)
    ax, handles = sheet.ax, draw_bands(sheet.ax, bands)
    frame_curves(ax, bands, start=0.0 if measure == "cycle" else None)
    _set_far_apart(ax, bands)
    if measure == "cycle":
        highest = np.concatenate([*(band.high for band in bands), list(limits.values())])
        top = min(1.0, np.ceil(10 * np.nanmax(highest, initial=0.0)) / 10)
        ax.set_ylim(0, top)
        ax.set_yticks(np.linspace(0, top, 6))
    look: dict[str, Any] = {"color": INK, "marker": "x", "ls": "none", "mew": stroke(0.9)}
    for number, known in exact.items():
        look |= {"clip_on": False, "zorder": 20}
        ax.plot(bands[number].at, known, gid=f"exact-{number}", **look)
    for number, limit in limits.items():
        ax.axhline(limit, color=INK, ls=":", zorder=3, gid=f"limit-{number}")
    handles += [Line2D([], [], label="known exactly", **look)] if exact else []
    handles += [Line2D([], [], color=INK, ls=":", label="its limit")] if limits else []
    ax.set_ylabel(EVENTS[measure])
    times = counts_told(result.by_size()["profiles"], "profile")
    has_bands = any(np.isfinite(band.low).any() for band in bands)
    notes = [f"{times} of each size" + "; bands: 95 % Wilson intervals" * has_bands]
    return sheet.finish(notes, axis="rankings in a profile", handles=handles)


def _set_far_apart(ax: Axes, bands: Sequence[Band]) -> None:
    """Set numbers of rankings that are far apart on a logarithmic scale."""
    at = np.unique(np.concatenate([band.at for band in bands]))
    if len(at) > 2 and at[-1] >= LOGARITHMIC_FROM * at[0]:
        ticks = [tick for tick in ax.get_xticks() if at[0] <= tick <= at[-1]]
        ax.set_xscale("log")
        ax.set_xticks(ticks, labels=[f"{tick:.0f}" for tick in ticks])
        ax.set_xticks([], minor=True)
        ax.set_xlim(at[0], at[-1])


def _of_sizes(
    result: CycleResult, measure: str
) -> tuple[list[Band], dict[int, Floats], dict[int, float]]:
    """Return curves, and by their numbers what is known exactly of them, and in the limit."""
    groups = list(result.by_size().reset_index().groupby(["model", "n_items"], sort=False))
    cases = [(str(part["model"].iloc[0]), int(part["n_items"].iloc[0])) for _, part in groups]
    names = plot_labels((f"{model}, {counted(size, 'item')}" for model, size in cases), 48)
    formula = {"winner": known_winner, "cycle": known_cycle}.get(measure)
    models = {model.name: model for model in result.study.models}
    bands, exact, limits = [], {}, {}
    for number, ((_, part), (model, size)) in enumerate(zip(groups, cases, strict=True)):
        rows = part.sort_values("n_rankings")
        columns = [rows[f"{measure}{end}"].to_numpy() for end in ("", "_low", "_high")]
        bands.append(Band(names[number], rows["n_rankings"].to_numpy(np.float64), *columns))
        if formula is None:
            continue
        known = rows[f"{measure}_exact"].to_numpy(np.float64)
        if np.isfinite(known).any():
            exact[number] = known
        limit = formula(models[model], size, None)
        if limit is not None:
            limits[number] = limit
    return bands, exact, limits


Tau = Literal["tau", "tau_true"]


@plot_of(MissingScoresResult, "MissingScoresStudy.run")
def missing_scores_plot(
    result: MissingScoresResult,
    *,
    measure: Tau = "tau",
    model: str | None = None,
    scale: float | None = None,
    removal: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how near rankings stay to those of the full data, against what was removed.

    A line a method and mechanism for the mean of tau over the tables, in a band that holds their
    middle half.

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
    removal : str, optional
        The name of a mechanism of the study; all of them by default.

    Raises
    ------
    InvalidInputError
        If the argument is no result of such a study, the study has no such model, scale or
        mechanism, or no true ranking is known.

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
    ...     models=[ra.studies.ObservedData(label="SuperGLUE", data=table)],
    ...     proportions=[0, 0.2, 0.4],
    ...     n_repetitions=5,
    ... )
    >>> ax = plotting.missing_scores_plot(study.run())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['Mean', 'Borda']
    """
    what: Tau = check_choice(measure, get_args(Tau), "measure")
    names = [one.name for one in result.study.models]
    name = names[0] if model is None else check_choice(model, names, "model")
    factor = number_of_study(scale, result.study.scales, "scale")
    frame = result.to_frame()
    frame = frame[(frame["model"] == name) & (frame["scale"] == factor)]
    if what == "tau_true" and frame["tau_true"].isna().all():
        allowed = '"tau" where no true ranking is known'
        raise InvalidInputError("measure", allowed, measure, f"{name} has none.")
    study, bands = result.study, []
    if removal is not None:
        check_choice(removal, [one.name for one in study.removals], "removal")
    by = [column for column in ("method", "removal") if column in frame]
    cases = frame.groupby(by, sort=False)
    lines = {", ".join(of): part for of, part in cases if removal in (None, *of[1:]) or not of[1:]}
    for part, label in zip(lines.values(), plot_labels(lines, 56), strict=True):
        groups = part.groupby("proportion")[what]
        parts = (groups.mean(), groups.quantile(0.25), groups.quantile(0.75))
        at = groups.mean().index.to_numpy(np.float64)
        bands.append(Band(label, at, *(part.to_numpy(np.float64) for part in parts)))
    sheet = band_sheet(ax, bands)
    ax, handles = sheet.ax, draw_bands(sheet.ax, bands)
    frame_curves(ax, bands, start=0.0)
    most = max(0.1, *study.proportions)
    ax.set_xlim(0, most)
    ticks = [k / 10 for k in range(11) if k / 10 <= most + 1e-9]
    ax.set_xticks(ticks, [f"{100 * tick:.0f} %" for tick in ticks])
    # Away from the lowest number at the other axis, however large the letters are.
    ax.tick_params(axis="x", pad=letter(0.4))
    ax.set_ylabel(TAUS[what])
    along, *notes = _notes_on_removal(result, frame, what)
    columns = 1 if max(map(len, lines)) > 20 else 2
    return sheet.finish(notes, axis=along, handles=handles, columns=columns)


def number_of_study(given: float | None, known: Sequence[float], parameter: str) -> float:
    """Return one of the numbers of a study, its first by default."""
    if given is None:
        return known[0]
    return check_choice(check_number(given, parameter), list(known), parameter)


def _notes_on_removal(result: MissingScoresResult, frame: pd.DataFrame, measure: Tau) -> list[str]:
    study, total = result.study, counted(len(frame), "ranking")
    name, scale = frame["model"].iloc[0], float(frame["scale"].iloc[0])
    what = "system-task entries" if study.whole_tasks else "single scores"
    scaled = f", scores of one task times {scale:g}" if scale != 1 else ""
    unranked, undefined = int((frame["unranked"] > 0).sum()), int(frame[measure].isna().sum())
    placed = f"unranked systems, {counted(unranked, 'time')}, count as randomly placed"
    ties = f"tau is not defined for {undefined} of {total}: all systems tie, or none is ranked"
    return [
        f"proportion of {what} removed",
        f"{name}{scaled}; mean and middle half of {counted(study.n_repetitions, 'table')} each",
        *gaps_told(model for model in study.models if model.name == name),
        placed if unranked else "",
        ties if undefined else "",
    ]


@plot_of(TaskSubsetResult, "TaskSubsetStudy.run")
def task_subset_plot(result: TaskSubsetResult, *, ax: Axes | None = None) -> Axes:
    """Draw for every rule how near its consensus on subsets of tasks is to its own on all.

    A line for the mean of tau over the subsets of each size, in a band of one standard deviation
    either way that ends at the bounds of tau.

    Parameters
    ----------
    result : TaskSubsetResult
        The results of a study.

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
    table, study = result.by_size().reset_index(), result.study
    parts = [table[table["method"] == one].sort_values("size") for one in result.methods]
    bands = [
        Band.around(name, part["size"], part["mean"], part["std"], -1.0)
        for name, part in zip(plot_labels(result.methods, 48), parts, strict=True)
    ]
    sheet = band_sheet(ax, bands)
    handles = draw_bands(sheet.ax, bands)
    frame_curves(sheet.ax, bands)
    sheet.ax.set_ylabel("tau-b with the same rule's\nconsensus on all tasks")
    notes = [
        f"mean of {counted(study.n_repetitions, 'subset')} of each size, the same for every rule; "
        "bands: one standard deviation either way",
        *result.notes,
    ]
    along = f"tasks drawn at random, of {study.data.n_tasks}"
    return sheet.finish(notes, axis=along, handles=handles)
