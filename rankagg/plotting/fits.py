"""Plots of fits: distances to a center, dispersion at every rank, worths of items."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter

from rankagg._typing import Floats, Positions, Ranks
from rankagg.core import UNRANKED, counted, places
from rankagg.distributions import (
    BradleyTerryFit,
    FitResult,
    GeneralizedMallowsFit,
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
from rankagg.plotting.interval_rows import ROW_HEIGHT
from rankagg.plotting.sheet import (
    HOLLOW,
    SOLID,
    PlotSheet,
    bar_look,
    interval_rows,
    open_frame,
    rank_ticks,
)
from rankagg.plotting.theme import ACCENTS, GRAY, INK, PALE, plot_of, stroke

# More distances than that share bars.
MOST_BARS = 30
# The tails of the distribution that are left out.
TAIL = 5e-4
# From which probability on a ranking is sure to belong to a component.
SURE = 0.9


def distance_probabilities(n_items: int, theta: float) -> Floats:
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


def _known_distances(ranks: Ranks, weights: Floats) -> Floats:
    """Return the weight at every distance of the complete strict rankings among some."""
    n = ranks.shape[1]
    strict = (np.sort(ranks, axis=1) == np.arange(n)).all(axis=1)
    found: Floats = np.bincount(
        places.discordances(ranks[strict]), weights=weights[strict], minlength=n * (n - 1) // 2 + 1
    ).astype(np.float64)
    return found


def _spread_distances(ranks: Ranks, weights: Floats, theta: float) -> Floats | None:
    """Return the weight at every distance of the other rankings, shared out by the distribution.

    Under a Mallows distribution the items of a bucket have a Mallows distribution of their own, and
    so do unlisted ones: what they add to the distance of the buckets is independent of it.
    """
    if (ranks == UNRANKED).any():
        return None
    n = ranks.shape[1]
    partial = (np.sort(ranks, axis=1) != np.arange(n)).any(axis=1)
    rows = places.comparable(ranks[partial])
    result = np.zeros(n * (n - 1) // 2 + 1)
    known: dict[tuple[int, ...], Floats] = {}
    for row, start, weight in zip(rows, places.discordances(rows), weights[partial], strict=True):
        sizes = tuple(sorted(np.unique(row, return_counts=True)[1].tolist()))
        if sizes not in known:
            expected = np.ones(1)
            for size in (size for size in sizes if size > 1):
                expected = np.convolve(expected, distance_probabilities(size, theta))
            known[sizes] = expected
        result[start : start + len(known[sizes])] += weight * known[sizes]
    return result


@plot_of(FitResult, "PlackettLuce.fit(profile)", "the result of a fit")
def fit_plot(fit: FitResult, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw a fitted distribution, as its own `plot` method does.

    Plackett-Luce and Bradley-Terry: log worths (`worths_plot`). Mallows: Kendall distances to the
    center (`distances_plot`). Generalized Mallows: thetas by rank (`thetas_plot`). Mixtures:
    components and memberships (`memberships_plot`). Other fits: parameters (`parameters_plot`).

    Parameters
    ----------
    fit : FitResult
        Made by `fit` of a distribution.
    alpha : float, default 0.05
        Of the confidence intervals, in (0, 1).

    Raises
    ------
    InvalidInputError
        If `fit` is something else, or alpha is out of range.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> votes = ra.PairwiseMatrix.from_wins([[0, 7, 9], [3, 0, 6], [1, 4, 0]], items="ABC")
    >>> ax = plotting.fit_plot(ra.BradleyTerry.fit(votes))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A', 'B', 'C']
    """
    return fit.plot(alpha=alpha, ax=ax)


@plot_of(FitResult, "PlackettLuce.fit(profile)", "the result of a fit")
def parameters_plot(fit: FitResult, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
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
    bounds = fit.conf_int(alpha).to_numpy()
    known = np.isfinite(bounds).all(axis=1)
    sheet = PlotSheet(ax, 32.0, ROW_HEIGHT * (len(known) + 0.4))
    interval_rows(sheet.ax, sheet.names(fit.names), fit.estimates, bounds, known)
    notes = _notes_of(fit, are_known=bool(known.all()))
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
    """Draw the Kendall distances of rankings to the fitted center, and those expected.

    Rankings with ties or unlisted items have no distance of their own: theirs are spread as the
    fitted distribution has them, given what was observed, and hatched. Where items are unranked the
    distribution stands alone, and a note says so.

    Parameters
    ----------
    fit : MallowsFit
        Made by `Mallows.fit`.
    alpha : float, default 0.05
        Of the interval of theta, which is printed; in (0, 1).

    Raises
    ------
    InvalidInputError
        If `fit` is something else, or alpha is out of range.

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
    fitted, data = fit.distribution, fit._data
    expected = distance_probabilities(fitted.n_items, fitted.theta)
    ranks = data.ranks[:, np.argsort(fitted.center.ranks)]
    spread = _spread_distances(ranks, data.weights, fitted.theta)
    parts = [] if spread is None else [_known_distances(ranks, data.weights), spread]
    parts = [part / data.total for part in parts]
    starts, step = _bins(expected, parts)
    sheet = PlotSheet(ax, 32.0, 18.0)
    ax, at, floor = sheet.ax, starts + (step - 1) / 2, np.zeros(len(starts))
    handles: list[Any] = []
    edge: dict[str, Any] = {"ec": ACCENTS[0], "lw": stroke(0.5)}
    # Rankings with a distance of their own, and on them those with ties.
    looks: dict[str, dict[str, Any]] = {
        "known": {"fc": PALE, "label": "rankings"},
        "spread": {"fc": "white", "hatch": "////", "label": "rankings with ties, imputed"},
    }
    for part, (gid, look) in zip(parts, looks.items(), strict=False):
        bars = _in_bins(part, starts, step)
        if bars.any():
            handles.append(ax.bar(at, bars, 0.86 * step, floor, gid=gid, **edge, **look))
        floor += bars
    line: dict[str, Any] = {"color": ACCENTS[1], "marker": "D", "label": "fitted distribution"}
    handles += ax.plot(at, _in_bins(expected, starts, step), gid="expected", **line)
    ax.set_ylim(bottom=0.0)
    ax.set_ylabel("share of rankings")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    alone = "note: the distribution alone, since items are unranked in some rankings"
    notes = [
        f"theta {fitted.theta:.3g} ({100 * (1 - alpha):g} %: {low:.3g} to {high:.3g})",
        "" if parts else alone,
        *_notes_of(fit, are_known=True),
    ]
    axis = "Kendall distance to the center" + (f", {step} in a bar" if step > 1 else "")
    return sheet.finish(notes, axis=axis, handles=handles, columns=2)


def _bins(expected: Floats, parts: list[Floats]) -> tuple[Positions, int]:
    """Return where bins start, and how many distances each holds.

    They hold every known distance, and all of what the distribution says but its tails.
    """
    below = np.cumsum(expected)
    low, high = (int(k) for k in np.searchsorted(below, [TAIL, 1.0 - TAIL]))
    high = min(high, len(expected) - 1)
    for part, least in zip(parts, (0.0, TAIL / 10), strict=False):
        seen = np.flatnonzero(part > least)
        if len(seen):
            low, high = min(low, int(seen[0])), max(high, int(seen[-1]))
    step = ceil((high - low + 1) / MOST_BARS)
    return np.arange(low - low % step, high + 1, step), step


def _in_bins(shares: Floats, starts: Positions, step: int) -> Floats:
    end = min(int(starts[-1]) + step, len(shares))
    return np.add.reduceat(shares[:end], starts)


@plot_of(GeneralizedMallowsFit, "GeneralizedMallows.fit(profile)", "a fit with thetas by rank")
def thetas_plot(fit: GeneralizedMallowsFit, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw theta by the rank that is filled, with confidence intervals.

    The larger theta, the closer is the choice for that rank to the center; at 0 it is left to
    chance, and intervals end there. A theta without a finite maximum is an open triangle at the
    upper edge.

    Parameters
    ----------
    fit : GeneralizedMallowsFit
        Made by `GeneralizedMallows.fit`.
    alpha : float, default 0.05
        Of the intervals, which are conditional on the center; in (0, 1).

    Raises
    ------
    InvalidInputError
        If `fit` is something else, or alpha is out of range.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> from rankagg.distributions import GeneralizedMallows
    >>> rankings = GeneralizedMallows("ABCD", thetas=[2.0, 1.0, 0.5]).sample(200, rng=0)
    >>> ax = plotting.thetas_plot(GeneralizedMallows.fit(rankings))
    >>> ax.get_ylabel()
    'theta = -log(phi)'
    """
    bounds = fit.conf_int(alpha).clip(lower=0.0).to_numpy()
    thetas, known = fit.estimates, np.isfinite(bounds).all(axis=1)
    n = len(thetas)
    sheet = PlotSheet(ax, min(max(28.0, 1.2 * n), 44.0), 18.0)
    ax = sheet.ax
    # Thetas without a maximum are at a bound that is none of the data's.
    top = 1.12 * float(bounds[known].max(initial=0.0)) or 1.0
    # Half of a point at 0 would be cut off.
    point: dict[str, Any] = {"ls": "none", "zorder": 3, "clip_on": False}
    for k, theta in enumerate(thetas):
        if known[k]:
            ax.plot([k + 1, k + 1], bounds[k], gid=f"bar-{k}", **bar_look(SOLID["color"], "_"))
            ax.plot(k + 1, theta, marker="o", gid=f"point-{k}", **point, **SOLID)
        else:
            look: dict[str, Any] = {"marker": "^", "ms": stroke(6), "mew": stroke()}
            ax.plot(k + 1, top, gid=f"unbounded-{k}", mfc="white", mec=INK, **point, **look)
    ax.set_xlim(0.4, n + 0.6)
    ax.set_ylim(0.0, top)
    ax.set_xticks(rank_ticks(n))
    ax.set_ylabel("theta = -log(phi)")
    open_frame(ax, grid="y")
    notes = [
        f"thetas with {100 * (1 - alpha):g} % likelihood intervals",
        "" if known.all() else "open triangle: no finite maximum",
        *_notes_of(fit, are_known=True),
    ]
    return sheet.finish(notes, axis="rank that is filled")


@plot_of(PlackettLuceFit | BradleyTerryFit, "PlackettLuce.fit(profile)", "a fit with log worths")
def worths_plot(
    fit: PlackettLuceFit | BradleyTerryFit, *, alpha: float = 0.05, ax: Axes | None = None
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

    Raises
    ------
    InvalidInputError
        If `fit` is something else, or alpha is out of range.

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
    order = np.argsort(-fit.estimates[:n], kind="stable")
    known = np.isfinite(bounds[order]).all(axis=1)
    sheet = PlotSheet(ax, 32.0, ROW_HEIGHT * (n + 0.4))
    ax = sheet.ax
    ax.axvline(0.0, color=GRAY, lw=1.0, zorder=1, gid="mean")
    interval_rows(ax, sheet.names(items.at(order)), fit.estimates[order], bounds[order], known)
    rest = zip(fit.names[n:], fit.estimates[n:], *bounds[n:].T, strict=True)
    others = [f"{name}: {x:.2f} ({share}: {low:.2f} to {high:.2f})" for name, x, low, high in rest]
    what = "for ties" if isinstance(fit, PlackettLuceFit) else "beside worths"
    notes = [
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

    Raises
    ------
    InvalidInputError
        If `fit` is something else, or alpha is out of range.

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
    k, data = len(mixture.weights), fit._data
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
def models_plot(comparison: ModelComparison, *, ax: Axes | None = None) -> Axes:
    """Draw by how much held-out log scores are below that of the best model.

    Bars are two standard errors of the difference to either side; the point is filled where they
    hold 0. Models that give some ranking no chance, or failed, stand in a note.

    Parameters
    ----------
    comparison : ModelComparison
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
    frame = comparison.to_frame()
    known = frame["difference"].gt(-np.inf).to_numpy()
    points, errors = frame.loc[known, ["difference", "difference_error"]].to_numpy().T
    bounds = np.column_stack([points - NEAR * errors, points + NEAR * errors])
    sheet = PlotSheet(ax, 32.0, ROW_HEIGHT * (len(points) + 0.4))
    sheet.ax.axvline(0.0, color=GRAY, lw=1.0, zorder=1, gid="best")
    interval_rows(sheet.ax, sheet.names(frame.index[known]), points, bounds, bounds[:, 1] >= 0.0)
    absent = ", ".join(frame.index[~known])
    notes = [comparison.verdict, f"not drawn, without a score: {absent}" if absent else ""]
    return sheet.finish(notes, axis="held-out log score per ranking, less that of the best")


@plot_of(GoodnessOfFit, "goodness_of_fit(fit, profile)", "a test of a fit")
def goodness_plot(test: GoodnessOfFit, *, ax: Axes | None = None) -> Axes:
    """Draw the shares of items at ranks and of pairs against those that the fit expects.

    Where all is as expected points are on the diagonal; in the band around it, of two standard
    errors, are most shares that differ by chance alone.

    Parameters
    ----------
    test : GoodnessOfFit
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
    ax, at, off = sheet.ax, np.linspace(0.0, 1.0, 101), ~np.eye(test.shares.shape[-1], dtype=bool)
    radius = 2.0 * np.sqrt(at * (1.0 - at) / test.n_rankings)
    ax.fill_between(at, at - radius, at + radius, color=PALE, lw=0, gid="band")
    ax.plot(at, at, color=GRAY, lw=1.0, gid="diagonal")
    (ranks, pairs), (their_ranks, their_pairs) = test.shares
    look: dict[str, Any] = {"marker": "o", "ls": "none", "clip_on": False}
    first, second = look | SOLID | {"label": "items at ranks"}, look | HOLLOW | {"label": "pairs"}
    handles = ax.plot(their_ranks.ravel(), ranks.ravel(), gid="ranks", **first)
    handles += ax.plot(their_pairs[off], pairs[off], gid="pairs", **second)
    # Off the corner, where the zeros of both axes would meet.
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), ylabel="share of rankings")
    open_frame(ax)
    each = ", ".join(f"{name} {p:.3g}" for name, p in zip(STATISTICS, test.p_values, strict=True))
    notes = [test.verdict, f"p of each: {each}"]
    return sheet.finish(notes, axis="expected share", handles=handles, columns=2)
