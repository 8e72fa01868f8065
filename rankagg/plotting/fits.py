"""Plots of fits: distances to a center, dispersion at every rank, worths of items."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter

from rankagg._typing import Floats, Positions
from rankagg.core import counted
from rankagg.distributions import (
    BradleyTerryFit,
    FitResult,
    MallowsFit,
    MixtureFit,
    PlackettLuceFit,
)
from rankagg.distributions.base import RankingDistribution
from rankagg.distributions.goodness_of_fit import (
    NEAR,
    STATISTICS,
    GoodnessOfFit,
    ModelComparison,
)
from rankagg.distributions.mallows.distances import DISTANCES
from rankagg.plotting.interval_rows import ROW_HEIGHT
from rankagg.plotting.sheet import (
    HOLLOW,
    SOLID,
    PlotSheet,
    bar_look,
    first_of,
    open_frame,
)
from rankagg.plotting.theme import ACCENTS, GRAY, INK, MOST_DRAWN, PALE, plot_of, stroke

_NAMES = {
    "kendall": "Kendall distance",
    "footrule": "footrule",
    "spearman": "squared Spearman distance",
}
# More distances than that share bars.
MOST_BARS = 30
# The tails of the distribution that are left out.
TAIL = 5e-4
# From which probability on a ranking is sure to belong to a component.
SURE = 0.9


def _distance_probabilities(n_items: int, theta: float) -> Floats:
    """Return the chance of every Kendall distance to the center."""
    # The distance is a sum of independent stages, so its Fourier transform is the
    # product of theirs: mean powers of z with weights exp(-theta v), v from 0 to size - 1.
    length = n_items * (n_items - 1) // 2 + 1
    angles = -2j * np.pi * np.arange(length // 2 + 1) / length
    product = np.ones(len(angles), dtype=np.complex128)
    for size in range(2, n_items + 1):
        total = np.exp(-theta * np.arange(size)).sum()
        with np.errstate(invalid="ignore", divide="ignore"):
            sums = np.expm1(size * (angles - theta)) / np.expm1(angles - theta)
        sums[angles == theta] = size  # only at 0
        product *= sums / total
    result: Floats = np.maximum(np.fft.irfft(product, length), 0.0)
    return result


@plot_of(FitResult, "PlackettLuce.fit(profile)", "the result of a fit")
def parameters_plot(
    fit: FitResult,
    *,
    alpha: float = 0.05,
    top: int | None = MOST_DRAWN,
    ax: Axes | None = None,
) -> Axes:
    """Draw the estimates of all parameters of any fit, with confidence intervals.

    Parameters
    ----------
    fit : FitResult
        The fit.
    alpha : float, default 0.05
        Probability of error of the intervals, in (0, 1).

    Raises
    ------
    InvalidInputError
        If alpha is out of range.
    """
    n, said = first_of(len(fit.estimates), top, "parameter")
    bounds = fit.conf_int(alpha).to_numpy()[:n]
    known = np.isfinite(bounds).all(axis=1)
    sheet = PlotSheet(ax, 32.0, ROW_HEIGHT * (n + 0.4))
    sheet.draw_intervals(sheet.names(fit.names[:n]), fit.estimates[:n], bounds, known)
    notes = [said, *_notes_of(fit, are_known=bool(known.all()))]
    return sheet.finish(notes, axis=f"estimate, with {100 * (1 - alpha):g} % interval")


def _notes_of(fit: FitResult, *, are_known: bool) -> list[str]:
    """Return what the reader must know of a fit; `are_known` says that all have intervals."""
    return [
        "" if fit.converged else "note: the fit has not converged",
        "" if are_known else "note: an open point has no known error",
        # A picture is no place for sentences on errors.
        f"its summary has {counted(len(fit.notes), 'note')}" if fit.notes else "",
    ]


@plot_of(MallowsFit, "Mallows.fit(profile)", "a fit of Mallows")
def distances_plot(fit: MallowsFit, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw the distances of rankings to the fitted center, and those expected.

    Rankings with ties, and those that do not rank all items, have no distance: bars are of the
    others, and a note says how many these are.

    Parameters
    ----------
    fit : MallowsFit
        Made by `Mallows.fit`.
    alpha : float, default 0.05
        Of the interval of theta, which is printed; in (0, 1).

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
    known = np.bincount(distances, weights=weights, minlength=len(expected))
    share = known.sum() / data.total_weight
    shares: Floats = known / (known.sum() or 1.0)
    starts, step = _bins(expected, shares)
    sheet = PlotSheet(ax, 32.0, 18.0)
    ax, at, handles = sheet.ax, starts + (step - 1) / 2, list[Any]()
    bars: dict[str, Any] = {"fc": PALE, "ec": ACCENTS[0], "lw": stroke(0.5), "label": "rankings"}
    if share:
        handles.append(ax.bar(at, _in_bins(shares, starts, step), 0.86 * step, gid="known", **bars))
    line: dict[str, Any] = {"color": ACCENTS[1], "marker": "D", "label": "fitted distribution"}
    handles += ax.plot(at, _in_bins(expected, starts, step), gid="expected", **line)
    ax.set_ylim(bottom=0.0)
    ax.set_ylabel("share of rankings")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    strict = f"bars: the {100 * share:.3g} % of rankings that rank all items without ties"
    notes = [
        f"theta {fitted.theta:.3g} ({100 * (1 - alpha):g} %: {low:.3g} to {high:.3g})",
        "" if is_strict.all() else strict,
        *_notes_of(fit, are_known=True),
    ]
    axis = f"{_NAMES[fitted.distance]} to the center" + (f", {step} in a bar" if step > 1 else "")
    return sheet.finish(notes, axis=axis, handles=handles, columns=2)


def _bins(expected: Floats, known: Floats) -> tuple[Positions, int]:
    """Return where bins start, and how many distances each holds.

    They hold every known distance, and all of what the distribution says but its tails.
    """
    low, high = (int(k) for k in np.searchsorted(np.cumsum(expected), [TAIL, 1.0 - TAIL]))
    seen = [*np.flatnonzero(known).tolist(), low, min(high, len(expected) - 1)]
    low, high = min(seen), max(seen)
    step = ceil((high - low + 1) / MOST_BARS)
    return np.arange(low - low % step, high + 1, step), step


def _in_bins(shares: Floats, starts: Positions, step: int) -> Floats:
    end = min(int(starts[-1]) + step, len(shares))
    return np.add.reduceat(shares[:end], starts)


@plot_of(PlackettLuceFit | BradleyTerryFit, "PlackettLuce.fit(profile)", "a fit with log worths")
def worths_plot(
    fit: PlackettLuceFit | BradleyTerryFit,
    *,
    alpha: float = 0.05,
    top: int | None = MOST_DRAWN,
    ax: Axes | None = None,
) -> Axes:
    """Draw estimated log worths with confidence intervals, the best item at the top.

    The line at 0 is the mean of all log worths, against which the intervals are. Tie parameters,
    the advantage of the side and covariates are no items; they stand in a note.

    Parameters
    ----------
    fit : PlackettLuceFit or BradleyTerryFit
        Made by `PlackettLuce.fit` or `BradleyTerry.fit`.
    alpha : float, default 0.05
        Of the intervals, `fit.conf_int(alpha)`; in (0, 1).

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> strengths = ra.PlackettLuce([1.0, 0.0, -1.0], items="ABC")
    >>> ax = plotting.worths_plot(ra.PlackettLuce.fit(strengths.sample(100, rng=0)))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A', 'B', 'C']
    """
    bounds, items = fit.conf_int(alpha).to_numpy(), fit.distribution.items
    n, share = len(items), f"{100 * (1 - alpha):g} %"
    shown, said = first_of(n, top, "item")
    order = np.argsort(-fit.estimates[:n], kind="stable")[:shown]
    known = np.isfinite(bounds[order]).all(axis=1)
    sheet = PlotSheet(ax, 32.0, ROW_HEIGHT * (shown + 0.4))
    ax = sheet.ax
    ax.axvline(0.0, color=GRAY, lw=1.0, zorder=1, gid="mean")
    sheet.draw_intervals(sheet.names(items.at(order)), fit.estimates[order], bounds[order], known)
    rest = zip(fit.names[n:], fit.estimates[n:], *bounds[n:].T, strict=True)
    others = [f"{name}: {x:.2f} ({share}: {low:.2f} to {high:.2f})" for name, x, low, high in rest]
    what = "for ties" if isinstance(fit, PlackettLuceFit) else "beside worths"
    notes = [
        said,
        f"{type(fit.distribution).__name__}, with {share} intervals (Wald)",
        f"not drawn, {what}: {', '.join(others)}" if others else "",
        *_notes_of(fit, are_known=bool(known.all())),
    ]
    return sheet.finish(notes, axis="log worth")


@plot_of(MixtureFit, "Mixture.fit(data, 2)", "a fit of a mixture")
def memberships_plot(fit: MixtureFit, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw the components of a mixture, and how sure the rankings are of them.

    A row is a component: its bar is its weight, with the interval, and the dark part of the bar is
    the share of rankings that belong to it with a probability of 0.9 or more. Beside the number
    stand its first items.

    Parameters
    ----------
    fit : MixtureFit
        Made by `Mixture.fit`.
    alpha : float, default 0.05
        Of the intervals, in (0, 1).

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
            ax.plot(bounds[j], [j, j], gid=f"bar-{j}", **bar_look(INK, "|"))
    ax.set_yticks(range(k), sheet.names(names, 44), parse_math=False)
    ax.set_ylim(k - 0.5, -0.5)
    ax.set_xlim(left=0.0)
    ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    open_frame(ax, grid="x")
    notes = [f"dark: rankings that belong to it with a probability of {SURE:g} or more"]
    notes += _notes_of(fit, are_known=True)
    axis = f"share of rankings, with {100 * (1 - alpha):g} % interval"
    return sheet.finish(notes, axis=axis)


def _first_items(part: RankingDistribution, room: int) -> str:
    """Return as many items of the mode as there is room for, the best first."""
    names = [str(item) for item in part.mode.order]
    told = (" > ".join([*names[:n], "…"]) for n in range(len(names) - 1, 0, -1))
    return next((text for text in (" > ".join(names), *told) if len(text) <= room), names[0])


@plot_of(ModelComparison, "compare_models(profile)", "a comparison of models")
def models_plot(result: ModelComparison, *, ax: Axes | None = None) -> Axes:
    """Draw by how much held-out log scores are below that of the best model.

    Bars are two standard errors of the difference to either side; the point is filled where they
    hold 0. Models that give some ranking no chance, or failed, stand in a note.

    Parameters
    ----------
    result : ModelComparison
        Made by `compare_models`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> rankings = ra.Mallows("ABCD", theta=1.0).sample(100, rng=0)
    >>> models = ["uniform", "mallows-kendall"]
    >>> found = ra.distributions.compare_models(rankings, models, n_folds=2, n_resamples=20, rng=0)
    >>> [label.get_text() for label in plotting.models_plot(found).get_yticklabels()]
    ['mallows-kendall', 'uniform']
    """
    frame = result.to_frame()
    known = frame["difference"].gt(-np.inf).to_numpy()
    points, errors = frame.loc[known, ["difference", "difference_error"]].to_numpy().T
    bounds = np.column_stack([points - NEAR * errors, points + NEAR * errors])
    sheet = PlotSheet(ax, 32.0, ROW_HEIGHT * (len(points) + 0.4))
    sheet.ax.axvline(0.0, color=GRAY, lw=1.0, zorder=1, gid="best")
    sheet.draw_intervals(sheet.names(frame.index[known]), points, bounds, bounds[:, 1] >= 0.0)
    absent = ", ".join(frame.index[~known])
    notes = [result.verdict, f"not drawn, without a score: {absent}" if absent else ""]
    return sheet.finish(notes, axis="held-out log score per ranking, less that of the best")


@plot_of(GoodnessOfFit, "goodness_of_fit(fit, profile)", "a test of a fit")
def goodness_plot(result: GoodnessOfFit, *, ax: Axes | None = None) -> Axes:
    """Draw the shares of items at ranks and of pairs against those that the fit expects.

    Where all is as expected points are on the diagonal; in the band around it, of two standard
    errors, are most shares that differ by chance alone.

    Parameters
    ----------
    result : GoodnessOfFit
        Made by `goodness_of_fit`.

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
    # Off the corner, where the zeros of both axes would meet.
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), ylabel="share of rankings")
    open_frame(ax)
    each = ", ".join(f"{name} {p:.3g}" for name, p in zip(STATISTICS, result.p_values, strict=True))
    notes = [result.verdict, f"p of each: {each}"]
    return sheet.finish(notes, axis="expected share", handles=handles, columns=2)
