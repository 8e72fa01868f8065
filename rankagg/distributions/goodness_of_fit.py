"""Whether a fitted distribution fits: what rankings show, against rankings drawn from the fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias, cast, get_args

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from rankagg._typing import Floats, Generator, Ranks, RNGLike
from rankagg._validation import as_generator, check_integer, check_kind
from rankagg.aggregation.evidence import Held, as_data
from rankagg.core import Profile, Result, p_text, plain_rows
from rankagg.distributions.base import (
    MOST_ENUMERATED,
    RankingDistribution,
    Uniform,
    effective_weights,
    uncompressed,
)
from rankagg.distributions.fit_result import FitResult
from rankagg.distributions.mallows.generalized import GeneralizedMallows
from rankagg.distributions.mallows.mallows import Mallows, MallowsFit
from rankagg.distributions.mallows.model_distances import DISTANCES, DistanceName
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuce
from rankagg.exceptions import Described, InvalidInputError, NotIdentifiedError

Fitter: TypeAlias = Callable[[Profile], FitResult]

# At which a model does not fit.
LEVEL = 0.05
STATISTICS = ("distances", "ranks", "pairs", "cycles")
# What is drawn in place of sums over all rankings of many items.
N_DRAWN = 5_000
# A sample without a fit is drawn again; a distribution that has hardly any other has no test.
TRIES = 20


def fit_uniform(profile: Profile) -> FitResult:
    """Return the uniform distribution as a fit without parameters."""
    uniform, weights = Uniform(profile.items), profile.counts * effective_weights(profile)
    return FitResult(
        distribution=uniform,
        names=(),
        estimates=np.zeros(0),
        covariance=np.zeros((0, 0)),
        log_likelihood=float(weights @ uniform.log_probs(profile)),
        n_parameters=0,
        n_observations=float(weights.sum()),
        converged=True,
        n_iterations=0,
    )


#: The models that have a name.
NAMED_MODELS: dict[str, Fitter] = {
    "uniform": fit_uniform,
    **{f"mallows-{d}": partial(Mallows.fit, distance=d) for d in get_args(DistanceName)},
    "generalized-mallows": GeneralizedMallows.fit,
    "plackett-luce": PlackettLuce.fit,
}


class GoodnessOfFit(Result):
    """How far rankings are from a fitted distribution, against rankings drawn from it.

    Made by `goodness_of_fit`; `plot` draws a `rankagg.plotting.goodness_plot`.

    Attributes
    ----------
    model : str
        What was fitted.
    values : ndarray of float, shape (4,)
        What the rankings show: of distances, ranks, pairs and cycles.
    drawn : ndarray of float, shape (n_resamples, 4)
        What rankings drawn from the fit, and fitted, show.
    p_values : ndarray of float, shape (4,)
        Share of the samples (the rankings among them) that show as much or more.
    p_value : float
        Of the least of the four: the share of samples whose least one is as small.
    shares : ndarray of float, shape (2, 2, n, n)
        Of the rankings and of the fit: those with an item (row) at a rank (column), and with one
        item (row) before another.
    n_rankings : float
        The effective number.
    """

    model: str
    values: Floats
    drawn: Floats
    p_values: Floats
    p_value: float
    shares: Floats
    n_rankings: float

    _schema = "rankagg.goodness_of_fit"
    _plot = "goodness_plot"

    @property
    def verdict(self) -> str:
        """One sentence: whether this fits, at the level 0.05."""
        if self.p_value > LEVEL:
            return f"Nothing here speaks against {self.model}: p {p_text(self.p_value)}."
        worst = STATISTICS[int(np.argmin(self.p_values))]
        return f"{self.model} does not fit: p {p_text(self.p_value)}, most by its {worst}."

    def to_frame(self) -> pd.DataFrame:
        """Return one row per statistic: value, mean and 95 % quantile of the drawn, p_value."""
        upper = np.quantile(self.drawn, 1.0 - LEVEL, axis=0)
        columns = np.column_stack([self.values, self.drawn.mean(axis=0), upper, self.p_values])
        names = ["value", "expected", "upper", "p_value"]
        return pd.DataFrame(columns, pd.Index(STATISTICS, name="statistic"), names)

    def _content(self) -> dict[str, Any]:
        rows = plain_rows(self.to_frame().reset_index())
        told = self._plain("model", "p_value", "verdict")
        return {**told, "n_resamples": len(self.drawn), "statistics": rows}

    def _facts(self) -> list[str]:
        return [self.verdict, f"samples drawn from the fit: {len(self.drawn)}"]


def goodness_of_fit(
    fit: FitResult,
    data: Held,
    *,
    refit: Fitter | None = None,
    n_resamples: int = 199,
    rng: RNGLike = None,
    n_jobs: int | None = None,
) -> GoodnessOfFit:
    """Test whether rankings could have been drawn from a fitted distribution.

    A parametric bootstrap: as many rankings are drawn from the fit, the model is fitted to them
    anew, and they are held against that fit as the data are against theirs. Four respects count:
    the distances to the mode (Mallows' own distance, else Kendall's), by the statistic
    of Anderson and Darling; the shares of items at ranks and of pairs, by that of Freeman and
    Tukey; and by how much the number of cycles of three in the majorities differs from its mean.
    One p-value is for all: the least of the four, against the least ones of the samples.

    Parameters
    ----------
    fit : FitResult
        Of any model.
    data : Profile
        The rankings that were fitted: complete and strict, of equal or different weights.
    refit : callable, optional
        Takes a profile and returns its fit; must give back `fit` for `data`. By default that of
        the distribution with its distance and, where one was given, its center. Other options,
        such as a ridge, and other models need it.
    n_resamples : int, default 199
        Samples.
    rng : int, numpy.random.Generator or None, optional
        A seed or a generator.
    n_jobs : int, optional
        Processes, as joblib counts them: 1 by default, -1 for all cores. The result does not
        depend on it.

    Returns
    -------
    GoodnessOfFit

    Raises
    ------
    InvalidInputError
        If rankings have ties or gaps, or `refit` gives another fit.
    NotIdentifiedError
        If samples of the fit hardly ever have a fit.

    Notes
    -----
    Sums over all rankings of up to 8 items are exact, and from 5,000 draws beyond.

    References
    ----------
    Choulakian, Lockhart and Stephens (1994), "Cramér-von Mises statistics for discrete
    distributions", https://doi.org/10.2307/3315828; Freeman and Tukey (1950), "Transformations
    related to the angular and the square root",
    https://doi.org/10.1214/aoms/1177729756; Stute, González Manteiga and Presedo Quindimil (1993),
    "Bootstrap based goodness-of-fit-tests", https://doi.org/10.1007/BF02613687.

    Examples
    --------
    >>> import rankagg as ra
    >>> rankings = ra.Mallows("ABCDE", theta=0.8).sample(200, rng=0)
    >>> fit = ra.Mallows.fit(rankings, distance="cayley")
    >>> ra.distributions.goodness_of_fit(fit, rankings, n_resamples=39, rng=0).verdict
    'Mallows does not fit: p 0.025, most by its distances.'
    """
    check_kind(fit, "fit", kind=FitResult, example="Mallows.fit(profile)")
    profile = as_data(data)
    check_kind(profile, "data", kind=Profile, example="Profile.from_orders(['AB', 'BA'])")
    if not (profile.is_complete and profile.is_strict):
        remedy = "`compare_models` takes gaps, for what models predict."
        raise InvalidInputError("data", "complete strict rankings", profile, remedy)
    rows = uncompressed(profile)
    times = check_integer(n_resamples, "n_resamples", low=1)
    fitter = _fitter_of(fit) if refit is None else checked_fitter(refit, "refit")
    height = fitter(profile).log_likelihood
    if not np.isclose(height, fit.log_likelihood, rtol=1e-6, atol=1e-6):
        remedy = "It takes the options of `fit`, and `data` are what was fitted."
        raise InvalidInputError("refit", "such that `refit(data)` gives `fit`", refit, remedy)
    own, *streams = as_generator(rng).spawn(times + 1)
    seen, told_by_fit = Shares.both(rows, fit.distribution, own)
    task = delayed(partial(_drawn_again, fit.distribution, fitter, rows))
    drawn = np.array(Parallel(n_jobs=n_jobs)(map(task, streams)))
    first = _statistics(seen, told_by_fit)
    # Too few cycles speak against a model as too many do.
    far = np.vstack([first, drawn])
    far[:, 3] = np.abs(far[:, 3] - far[:, 3].mean())
    each = _shares_as_high(far)
    return GoodnessOfFit(
        model=type(fit.distribution).__name__,
        values=first,
        drawn=drawn,
        p_values=each[0],
        p_value=float(_shares_as_high(-each.min(axis=1, keepdims=True))[0, 0]),
        shares=np.array([[part.ranks, part.pairs] for part in (seen, told_by_fit)]),
        n_rankings=seen.number,
    )


def checked_fitter(fitter: object, parameter: str) -> Fitter:
    """Return a function of a profile, which says so where what it returns is no fit."""
    allowed = "a function that takes a profile and returns a fit"
    if not callable(fitter):
        raise InvalidInputError(parameter, allowed, fitter)
    return partial(_fitted, fitter, parameter, allowed)


def _fitted(fitter: Fitter, parameter: str, allowed: str, profile: Profile) -> FitResult:
    found: object = fitter(profile)
    if not isinstance(found, FitResult):
        raise InvalidInputError(parameter, allowed, Described(f"one that returns {found!r}"))
    return found


def _fitter_of(fit: FitResult) -> Fitter:
    made = fit.distribution
    if isinstance(made, Uniform):
        return fit_uniform
    if type(made) not in (Mallows, GeneralizedMallows, PlackettLuce):
        remedy = "It is a function that takes a profile and returns a fit as this one."
        raise InvalidInputError("refit", f"given for a {type(made).__name__}", None, remedy)
    options = {"distance": made.distance} if hasattr(made, "distance") else {}
    if isinstance(fit, MallowsFit) and fit.center_is_given:
        options["center"] = fit.distribution.center
    return partial(type(made).fit, **options)  # type: ignore[attr-defined]


def _drawn_again(
    made: RankingDistribution, fitter: Fitter, rows: Profile, rng: Generator
) -> Floats:
    """Return the statistics of one sample of the fit."""
    for _ in range(TRIES):
        sample = rows._replace(ranks=made.sample(len(rows), rng=rng).ranks)
        try:
            return _statistics(*Shares.both(sample, fitter(sample).distribution, rng))
        except (NotIdentifiedError, InvalidInputError) as error:
            reason = error
    raise NotIdentifiedError(f"None of {TRIES} samples of the fit has one: {reason}")


@dataclass(frozen=True, eq=False)
class Shares:
    """What a sample shows, or a distribution: shares of weight."""

    # The share at every distance to the mode that there is.
    distances: dict[float, float]
    # Of items at ranks, and of pairs in an order.
    ranks: Floats
    pairs: Floats
    # Independent rankings; infinite where shares are known.
    number: float

    @classmethod
    def of(cls, ranks: Ranks, weights: Floats, made: RankingDistribution) -> Shares:
        """Return the shares of strict rankings, with distances to the mode of a distribution."""
        n, shares = ranks.shape[1], weights / weights.sum()
        distance = DISTANCES[cast(DistanceName, getattr(made, "distance", "kendall"))]
        places = ranks[:, np.argsort(made.mode.ranks, kind="stable")]
        values, where = np.unique(distance.of(places), return_inverse=True)
        return cls(
            dict(zip(values, np.bincount(where.ravel(), weights=shares), strict=True)),
            np.array([np.bincount(column, weights=shares, minlength=n) for column in ranks.T]),
            np.array([shares @ (ranks[:, [item]] < ranks) for item in range(n)]),
            1.0 / float(shares @ shares),
        )

    @classmethod
    def both(
        cls, rows: Profile, made: RankingDistribution, rng: Generator
    ) -> tuple[Shares, Shares]:
        """Return what rankings show, and the chances that a distribution gives it."""
        seen = cls.of(rows.ranks, rows.weights, made)
        if made.n_items <= MOST_ENUMERATED:
            return seen, replace(cls.of(*made.enumerated, made), number=np.inf)
        return seen, cls.of(made.sample(N_DRAWN, rng=rng).ranks, np.ones(N_DRAWN), made)


def _statistics(seen: Shares, expected: Shares) -> Floats:
    far = _anderson_darling(seen.distances, expected.distances)
    ranks = _freeman_tukey(seen.ranks, expected.ranks)
    pairs = _freeman_tukey(seen.pairs, expected.pairs)
    return np.array([*(seen.number * np.array([far, ranks, pairs])), _cycles_of_three(seen.pairs)])


def _anderson_darling(seen: dict[float, float], expected: dict[float, float]) -> float:
    """Return the weighted square between two distributions, of one observation."""
    values = sorted(seen.keys() | expected.keys())
    chances, shares = (np.array([p.get(at, 0.0) for at in values]) for p in (expected, seen))
    below = np.cumsum(chances)
    spread = np.maximum(below * (1.0 - below), 1e-12)
    return float(chances @ (np.cumsum(shares - chances) ** 2 / spread))


def _freeman_tukey(seen: Floats, expected: Floats) -> float:
    """Return the squares between roots of shares, of one observation; chances may be 0."""
    return 4.0 * float(((np.sqrt(seen) - np.sqrt(expected)) ** 2).sum())


def _cycles_of_three(pairs: Floats) -> float:
    """Return how many three items are such that each beats another one of them."""
    wins = (pairs > pairs.T + 1e-12).astype(np.float64)
    return float(np.trace(wins @ wins @ wins)) / 3.0


def _shares_as_high(values: Floats) -> Floats:
    """Return for each row and column the share of rows that are as high, but for rounding."""
    # A column at a time: samples are compared with each other.
    near = 1e-9 * (1.0 + np.abs(values))
    columns = [
        (c[None, :] >= (c - e)[:, None]).mean(axis=1) for c, e in zip(values.T, near.T, strict=True)
    ]
    return np.column_stack(columns)
