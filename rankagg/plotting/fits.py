"""Plots of fitted models: parameters, distances, components, goodness of fit."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter

from rankagg._typing import Floats, Label, Positions
from rankagg.core import counted
from rankagg.distributions import (
    BradleyTerryFit,
    FitResult,
    MallowsFit,
    MixtureFit,
    PlackettLuceFit,
)
from rankagg.distributions.base import RankingDistribution
from rankagg.distributions.mallows.distances import DISTANCES
from rankagg.distributions.model_checks import NEAR, STATISTICS, GoodnessOfFit, ModelComparison
from rankagg.plotting.sheet import (
    HOLLOW,
    ROW_HEIGHT,
    SOLID,
    PlotSheet,
    bar_look,
    first_of,
    open_frame,
    percent,
)
from rankagg.plotting.theme import ACCENTS, GRAY, INK, MOST_DRAWN, PALE, plot_of, stroke

_NAMES = {
    "kendall": "Kendall distance",
    "footrule": "footrule",
    "spearman": "squared Spearman distance",
}
# Most bars; more distances are binned.
MOST_BARS = 30
# Probability of the tails that are not drawn.
TAIL = 5e-4
# Membership probability from which on the dark part of a bar counts a ranking.
SURE = 0.9


def _distance_probabilities(n_items: int, theta: float) -> Floats:
    """Return the probabilities of the Kendall distance, a sum of independent stages."""
    chances = np.ones(1)
    for size in range(2, n_items + 1):
        stage = np.exp(-theta * np.arange(size))
        chances = np.convolve(chances, stage / stage.sum())
    return chances


@plot_of(FitResult, "PlackettLuce.fit(profile)", "the result of a fit")
def parameters_plot(
    fit: FitResult,
    *,
    alpha: float = 0.05,
    top: int | None = MOST_DRAWN,
    ax: Axes | None = None,
) -> Axes:
    """Draw the estimates of all parameters of a fit, with confidence intervals.

    Of more than `top` parameters the first ones are drawn, in the order of the fit.

    Parameters
    ----------
    fit : FitResult
        Fit of any model.
    alpha : float, default 0.05
        Error probability of the intervals, in (0, 1).

    Raises
    ------
    InvalidInputError
        If alpha is out of range.
    """
    n, note = first_of(len(fit.estimates), top, "parameter")
    sheet = PlotSheet.of_rows(ax, n)
    notes = _draw_estimates(sheet, fit, np.arange(n), fit.names[:n], alpha)
    return sheet.finish([note, *notes], axis=f"estimate, with {percent(alpha)} interval")


def _draw_estimates(
    sheet: PlotSheet, fit: FitResult, order: Positions, names: Iterable[Label], alpha: float
) -> list[str]:
    """Draw some of the estimates with their intervals, and return notes on the fit."""
    bounds = fit.conf_int(alpha).to_numpy()[order]
    known = np.isfinite(bounds).all(axis=1)
    sheet.draw_intervals(sheet.names(names), fit.estimates[order], bounds, known)
    return ["" if known.all() else "note: open points have no standard error", *_fit_notes(fit)]


def _fit_notes(fit: FitResult) -> list[str]:
    return [
        "" if fit.converged else "note: the fit has not converged",
        # The notes themselves are too long for a picture.
        f"see the {counted(len(fit.notes), 'note')} of its summary" if fit.notes else "",
    ]


@plot_of(MallowsFit, "Mallows.fit(profile)", "a fit of Mallows")
def distances_plot(fit: MallowsFit, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw the observed and expected distances of rankings to the fitted center.

    Bars show only complete rankings without ties; the caption states their share.

    Parameters
    ----------
    fit : MallowsFit
        Result of `Mallows.fit`.
    alpha : float, default 0.05
        Error probability of the interval of theta in the caption, in (0, 1).

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> fit = ra.Mallows.fit(ra.Mallows("ABCD", theta=1.0).sample(500, rng=0))
    >>> ax = plotting.distances_plot(fit)
    >>> ax.get_ylabel()
    'share of rankings'
    """
    low, high = fit.conf_int(alpha).to_numpy()[0]
    fitted, data = fit.distribution, fit.data
    if fitted.distance == "kendall":
        expected = _distance_probabilities(fitted.n_items, fitted.theta)
    else:
        chances = fitted.distance_probabilities()
        expected = np.bincount(chances.index.astype(int), weights=chances).astype(np.float64)
    ranks = data.ranks[:, np.argsort(fitted.center.ranks)]
    is_strict = (np.sort(ranks, axis=1) == np.arange(fitted.n_items)).all(axis=1)
    distances = DISTANCES[fitted.distance].of(ranks[is_strict]).astype(int)
    weights = (data.counts * data.weights)[is_strict]
    share = weights.sum() / data.total_weight
    low_end, high_end = np.searchsorted(np.cumsum(expected), [TAIL, 1.0 - TAIL])
    first = min([*distances, low_end])
    last = max([*distances, min(high_end, len(expected) - 1)])
    step = ceil((last - first + 1) / MOST_BARS)
    edges: Any = np.arange(first - first % step, last + step + 1, step) - 0.5
    sheet = PlotSheet(ax, 32.0, 18.0)
    ax, handles = sheet.ax, list[Any]()
    if share:
        bars: dict[str, Any] = {"fc": PALE, "ec": ACCENTS[0], "lw": stroke(0.5), "gid": "known"}
        bars |= {"weights": weights / weights.sum(), "rwidth": 0.86, "label": "rankings"}
        ax.hist(distances, edges, **bars)
        handles.append(ax.patches[0])
    line: dict[str, Any] = {"color": ACCENTS[1], "marker": "D", "label": "fitted distribution"}
    heights, _ = np.histogram(np.arange(len(expected)), edges, weights=expected)
    handles += ax.plot(edges[:-1] + step / 2, heights, gid="expected", **line)
    ax.set_ylim(bottom=0.0)
    ax.set_ylabel("share of rankings")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    strict = f"bars: the {100 * share:.3g} % of rankings that are complete and without ties"
    notes = [
        f"theta {fitted.theta:.3g} ({percent(alpha)}: {low:.3g} to {high:.3g})",
        "" if is_strict.all() else strict,
        *_fit_notes(fit),
    ]
    axis = f"{_NAMES[fitted.distance]} to the center" + (f", {step} in a bar" if step > 1 else "")
    return sheet.finish(notes, axis=axis, handles=handles, columns=2)


@plot_of(PlackettLuceFit | BradleyTerryFit, "PlackettLuce.fit(profile)", "a fit with log worths")
def worths_plot(
    fit: PlackettLuceFit | BradleyTerryFit,
    *,
    alpha: float = 0.05,
    top: int | None = MOST_DRAWN,
    ax: Axes | None = None,
) -> Axes:
    """Draw estimated log worths with confidence intervals, the best item at the top.

    Log worths and intervals are relative to the mean of all log worths, the line at 0. The
    caption lists other parameters: ties, the advantage of a side, covariates. Of more than `top`
    items the best are drawn.

    Parameters
    ----------
    fit : PlackettLuceFit or BradleyTerryFit
        Result of `PlackettLuce.fit` or `BradleyTerry.fit`.
    alpha : float, default 0.05
        Error probability of the intervals, `fit.conf_int(alpha)`, in (0, 1).

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> strengths = ra.PlackettLuce([1.0, 0.0, -1.0], items="ABC")
    >>> ax = plotting.worths_plot(ra.PlackettLuce.fit(strengths.sample(100, rng=0)))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A', 'B', 'C']
    """
    items, level = fit.distribution.items, percent(alpha)
    n, note = first_of(len(items), top, "item")
    order = np.argsort(-fit.estimates[: len(items)], kind="stable")[:n]
    sheet = PlotSheet.of_rows(ax, n)
    sheet.ax.axvline(0.0, color=GRAY, lw=1.0, zorder=1, gid="mean")
    notes = _draw_estimates(sheet, fit, order, items.at(order), alpha)
    rest = fit.conf_int(alpha).assign(x=fit.estimates).iloc[len(items) :]
    others = ", ".join(
        f"{row.Index}: {row.x:.2f} ({level}: {row.lower:.2f} to {row.upper:.2f})"
        for row in rest.itertuples()
    )
    notes = [
        note,
        f"{type(fit.distribution).__name__}, with {level} intervals (Wald)",
        f"not drawn: {others}" if others else "",
        *notes,
    ]
    return sheet.finish(notes, axis="log worth")


@plot_of(MixtureFit, "Mixture.fit(data, 2)", "a fit of a mixture")
def memberships_plot(fit: MixtureFit, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw the components of a mixture, and the share of rankings that clearly belong to each.

    A row is a component with its first items. The bar is its weight, with a confidence interval.
    The dark part is the share of rankings that belong to it with a probability of at least 0.9.

    Parameters
    ----------
    fit : MixtureFit
        Result of `Mixture.fit`.
    alpha : float, default 0.05
        Error probability of the intervals, in (0, 1).

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> both = ra.Mixture([ra.Mallows("ABCD", 2.0), ra.Mallows("DCBA", 2.0)], [0.7, 0.3])
    >>> ax = plotting.memberships_plot(ra.Mixture.fit(both.sample(50, rng=0), 2, n_starts=2, rng=0))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['1: A > B > C > D', '2: D > C > B > A']
    """
    bounds, mixture = fit.conf_int(alpha).to_numpy(), fit.distribution
    k, data = len(mixture.weights), fit.data
    weights = data.counts * data.weights
    sure = weights @ (fit.memberships().to_numpy() >= SURE) / weights.sum()
    sheet = PlotSheet(ax, 32.0, 1.6 * ROW_HEIGHT * (k + 0.4))
    ax, room = sheet.ax, sheet.letters(0.45, 40)
    names = [f"{j + 1}: {_first_items(p, room)}" for j, p in enumerate(mixture.components)]
    names[fit.n_components :] = ["noise"] * (k - fit.n_components)
    for j in range(k):
        edge: dict[str, Any] = {"ec": ACCENTS[0], "lw": stroke(0.5), "height": 0.6}
        ax.barh(j, mixture.weights[j], fc=PALE, gid=f"weight-{j}", **edge)
        ax.barh(j, min(sure[j], mixture.weights[j]), fc=ACCENTS[0], gid=f"sure-{j}", **edge)
        if np.isfinite(bounds[j]).all():
            ax.plot(bounds[j], [j, j], gid=f"bar-{j}", **bar_look(INK))
    ax.set_yticks(range(k), sheet.names(names, 44), parse_math=False)
    ax.set_ylim(k - 0.5, -0.5)
    ax.set_xlim(left=0.0)
    ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    open_frame(ax, grid="x")
    dark = f"dark: rankings that belong to it with a probability of {SURE:g} or more"
    axis = f"share of rankings, with {percent(alpha)} interval"
    return sheet.finish([dark, *_fit_notes(fit)], axis=axis)


def _first_items(part: RankingDistribution, room: int) -> str:
    """Return as many items of the mode as fit, the best first."""
    names = [str(item) for item in part.mode.order]
    cut = (" > ".join([*names[:n], "…"]) for n in range(len(names) - 1, 0, -1))
    return next((text for text in (" > ".join(names), *cut) if len(text) <= room), names[0])


@plot_of(ModelComparison, "compare_models(profile)", "a comparison of models")
def models_plot(result: ModelComparison, *, ax: Axes | None = None) -> Axes:
    """Draw the differences of held-out log scores to that of the best model.

    Bars extend two standard errors of the difference to either side; the point is filled if they
    contain 0. The caption lists models without a score: they failed, or give some ranking
    probability 0.

    Parameters
    ----------
    result : ModelComparison
        Result of `compare_models`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> rankings = ra.Mallows("ABCD", theta=1.0).sample(100, rng=0)
    >>> models = ["uniform", "mallows-kendall"]
    >>> result = ra.distributions.compare_models(rankings, models, n_folds=2, n_resamples=9, rng=0)
    >>> [label.get_text() for label in plotting.models_plot(result).get_yticklabels()]
    ['mallows-kendall', 'uniform']
    """
    frame = result.to_frame()
    known = frame["difference"].gt(-np.inf).to_numpy()
    points, errors = frame.loc[known, ["difference", "difference_error"]].to_numpy().T
    bounds = np.column_stack([points - NEAR * errors, points + NEAR * errors])
    sheet = PlotSheet.of_rows(ax, len(points))
    sheet.ax.axvline(0.0, color=GRAY, lw=1.0, zorder=1, gid="best")
    sheet.draw_intervals(sheet.names(frame.index[known]), points, bounds, bounds[:, 1] >= 0.0)
    absent = ", ".join(frame.index[~known])
    notes = [result.verdict, f"not drawn, without a score: {absent}" if absent else ""]
    return sheet.finish(notes, axis="held-out log score per ranking, minus that of the best")


@plot_of(GoodnessOfFit, "goodness_of_fit(fit, profile)", "a test of a fit")
def goodness_plot(result: GoodnessOfFit, *, ax: Axes | None = None) -> Axes:
    """Draw observed against expected shares, of items at ranks and of pairs.

    A perfect fit puts all points on the diagonal. The band of two standard errors contains most
    points that deviate by chance.

    Parameters
    ----------
    result : GoodnessOfFit
        Result of `goodness_of_fit`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> rankings = ra.Mallows("ABCD", theta=1.0).sample(100, rng=0)
    >>> fit = ra.Mallows.fit(rankings)
    >>> test = ra.distributions.goodness_of_fit(fit, rankings, n_resamples=19, rng=0)
    >>> plotting.goodness_plot(test).get_ylabel()
    'share of rankings'
    """
    sheet = PlotSheet(ax, 24.0, 24.0)
    ax, at, off = sheet.ax, np.linspace(0.0, 1.0, 101), ~np.eye(result.shares.shape[-1], dtype=bool)
    radius = 2.0 * np.sqrt(at * (1.0 - at) / result.n_rankings)
    ax.fill_between(at, at - radius, at + radius, color=PALE, lw=0, gid="band")
    ax.plot(at, at, color=GRAY, lw=1.0, gid="diagonal")
    (ranks, pairs), (their_ranks, their_pairs) = result.shares
    look: dict[str, Any] = {"marker": "o", "ls": "none", "clip_on": False}
    first, second = look | SOLID | {"label": "items at ranks"}, look | HOLLOW | {"label": "pairs"}
    handles = ax.plot(their_ranks.ravel(), ranks.ravel(), gid="ranks", **first)
    handles += ax.plot(their_pairs[off], pairs[off], gid="pairs", **second)
    # Keep the zeros of both axes apart.
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), ylabel="share of rankings")
    open_frame(ax)
    each = ", ".join(f"{name} {p:.3g}" for name, p in zip(STATISTICS, result.p_values, strict=True))
    notes = [result.verdict, f"p-values: {each}"]
    return sheet.finish(notes, axis="expected share", handles=handles, columns=2)
