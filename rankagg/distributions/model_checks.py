"""Goodness of fit by a parametric bootstrap, and comparison of models by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, get_args

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

from rankagg._typing import Floats, Generator, Ranks, RNGLike
from rankagg._validation import as_generator, check_integer, check_kind
from rankagg.aggregation import Held, as_data
from rankagg.core import Profile, Result, counted, listed, p_text, plain_rows
from rankagg.distributions.base import MOST_ENUMERATED, RankingDistribution, Uniform, uncompressed
from rankagg.distributions.fit_result import FitResult
from rankagg.distributions.mallows.distances import DISTANCES, DistanceName
from rankagg.distributions.mallows.mallows import Mallows, MallowsFit
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuce
from rankagg.exceptions import (
    Described,
    InvalidInputError,
    NotIdentifiedError,
    RankaggError,
    nearest,
)

Fitter = Callable[[Profile], FitResult]

# Significance level of a misfit.
LEVEL = 0.05
STATISTICS = ("distances", "ranks", "pairs", "cycles")
# Draws that replace sums over all rankings of many items.
N_DRAWN = 5_000
# Draws of a sample until it has a fit; the test fails after that many.
TRIES = 20
# Models within that many standard errors of the best are tested too.
NEAR = 2.0
NAMED_MODELS: dict[str, Fitter] = {
    "uniform": Uniform.fit,
    **{f"mallows-{d}": partial(Mallows.fit, distance=d) for d in get_args(DistanceName)},
    "plackett-luce": PlackettLuce.fit,
}


class GoodnessOfFit(Result):
    """Distance of rankings from a fitted distribution, compared with samples from it.

    Made by `goodness_of_fit`; `plot` draws a `rankagg.plotting.goodness_plot`.

    Attributes
    ----------
    model : str
        The fitted model.
    values : ndarray of float, shape (4,)
        The statistics of the rankings: distances, ranks, pairs and cycles.
    samples : ndarray of float, shape (n_resamples, 4)
        The statistics of samples from the fit, each with its own fit.
    p_values : ndarray of float, shape (4,)
        Share of samples, including the rankings, with a statistic as large.
    p_value : float
        Joint p-value: the share of samples whose smallest p-value is as small.
    shares : ndarray of float, shape (2, 2, n, n)
        For the rankings, then the fit: shares with an item (row) at a rank (column), and with an
        item (row) before another (column).
    n_rankings : float
        The effective number of rankings.
    """

    model: str
    values: Floats
    samples: Floats
    p_values: Floats
    p_value: float
    shares: Floats
    n_rankings: float

    _schema = "rankagg.goodness_of_fit"
    _plot = "goodness_plot"

    @property
    def verdict(self) -> str:
        """One sentence on whether the model fits, at the level 0.05."""
        if self.p_value > LEVEL:
            return f"No evidence against {self.model}: p {p_text(self.p_value)}."
        worst = STATISTICS[int(np.argmin(self.p_values))]
        return f"{self.model} does not fit: p {p_text(self.p_value)}, mostly by its {worst}."

    def to_frame(self) -> pd.DataFrame:
        """Return value, mean and 95 % quantile of the samples, and p_value of each statistic."""
        upper = np.quantile(self.samples, 1.0 - LEVEL, axis=0)
        columns = np.column_stack([self.values, self.samples.mean(axis=0), upper, self.p_values])
        names = ["value", "expected", "upper", "p_value"]
        return pd.DataFrame(columns, pd.Index(STATISTICS, name="statistic"), names)

    def _content(self) -> dict[str, Any]:
        rows = plain_rows(self.to_frame().reset_index())
        facts = self._plain("model", "p_value", "verdict")
        return {**facts, "n_resamples": len(self.samples), "statistics": rows}

    def _facts(self) -> list[str]:
        return [self.verdict, f"samples drawn from the fit: {len(self.samples)}"]


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

    In a parametric bootstrap, samples of as many rankings are drawn from the fit, and the model is
    fitted to each. Each sample is compared with its own fit, as the data are with theirs, by four
    statistics. Distances to the mode (Mallows' own distance, else Kendall's) give the statistic of
    Anderson and Darling. Shares of items at ranks, and shares of pairs, give that of Freeman and
    Tukey. The fourth is the difference of the number of cycles of three majorities from its mean.
    The joint p-value compares the smallest of the four with those of the samples.

    Parameters
    ----------
    fit : FitResult
        Of any model.
    data : Profile
        The rankings that were fitted: complete and strict, of equal or different weights.
    refit : callable, optional
        Takes a profile and returns its fit; must return `fit` for `data`. The default is the
        method `fit` of the distribution, with its distance and a center that was given. Required
        for other options, such as a ridge, and for other models.
    n_resamples : int, default 199
        Number of samples.
    rng : int, numpy.random.Generator or None, optional
        A seed or a generator.
    n_jobs : int, optional
        Processes, as joblib counts them; the result does not depend on it.

    Raises
    ------
    InvalidInputError
        If rankings have ties or gaps, or `refit` returns another fit.
    NotIdentifiedError
        If 20 samples in a row have no fit.

    Notes
    -----
    Expected shares are exact up to 8 items, and estimated from 5,000 draws beyond.

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
    >>> fit = ra.Mallows.fit(rankings, distance="spearman")
    >>> ra.distributions.goodness_of_fit(fit, rankings, n_resamples=39, rng=0).verdict
    'No evidence against Mallows: p 0.075.'
    """
    check_kind(fit, "fit", kind=FitResult, example="Mallows.fit(profile)")
    profile = as_data(data)
    check_kind(profile, "data", kind=Profile, example="Profile.from_orders(['AB', 'BA'])")
    if not (profile.is_complete and profile.is_strict):
        remedy = "`compare_models` accepts gaps."
        raise InvalidInputError("data", "complete strict rankings", profile, remedy)
    rows = uncompressed(profile)
    times = check_integer(n_resamples, "n_resamples", low=1)
    fitter = _fitter_of(fit) if refit is None else _checked_fitter(refit, "refit")
    if not np.isclose(fitter(profile).log_likelihood, fit.log_likelihood, rtol=1e-6, atol=1e-6):
        remedy = "Use the options of `fit`, and the `data` it was fitted to."
        raise InvalidInputError("refit", "such that `refit(data)` returns `fit`", refit, remedy)
    own, *streams = as_generator(rng).spawn(times + 1)
    observed, expected = _Shares.both(rows, fit.distribution, own)
    task = delayed(partial(_sample_statistics, fit.distribution, fitter, rows))
    drawn = np.array(Parallel(n_jobs=n_jobs)(map(task, streams)))
    first = _statistics(observed, expected)
    # The test of cycles is two-sided.
    far = np.vstack([first, drawn])
    far[:, 3] = np.abs(far[:, 3] - far[:, 3].mean())
    each = _shares_as_high(far)
    return GoodnessOfFit(
        model=type(fit.distribution).__name__,
        values=first,
        samples=drawn,
        p_values=each[0],
        p_value=float(_shares_as_high(-each.min(axis=1, keepdims=True))[0, 0]),
        shares=np.array([[part.ranks, part.pairs] for part in (observed, expected)]),
        n_rankings=observed.number,
    )


def _checked_fitter(fitter: object, parameter: str) -> Fitter:
    """Return the fitter, wrapped to raise if it does not return a fit."""
    allowed = "a function that takes a profile and returns a fit"
    if not callable(fitter):
        raise InvalidInputError(parameter, allowed, fitter)
    return partial(_fitted, fitter, parameter, allowed)


def _fitted(fitter: Fitter, parameter: str, allowed: str, profile: Profile) -> FitResult:
    fit: object = fitter(profile)
    if not isinstance(fit, FitResult):
        raise InvalidInputError(parameter, allowed, Described(f"one that returns {fit!r}"))
    return fit


def _fitter_of(fit: FitResult) -> Fitter:
    model = fit.distribution
    if type(model) not in (Uniform, Mallows, PlackettLuce):
        remedy = "It is a function that takes a profile and returns a fit of this model."
        raise InvalidInputError("refit", f"given for a {type(model).__name__}", None, remedy)
    options = {"distance": model.distance} if hasattr(model, "distance") else {}
    if isinstance(fit, MallowsFit) and fit.center_is_given:
        options["center"] = fit.distribution.center
    return partial(type(model).fit, **options)  # type: ignore[attr-defined]


def _sample_statistics(
    model: RankingDistribution, fitter: Fitter, rows: Profile, rng: Generator
) -> Floats:
    """Return the statistics of one sample of the fit."""
    for _ in range(TRIES):
        sample = rows._replace(ranks=model.sample(len(rows), rng=rng).ranks)
        try:
            return _statistics(*_Shares.both(sample, fitter(sample).distribution, rng))
        except (NotIdentifiedError, InvalidInputError) as error:
            reason = error
    raise NotIdentifiedError(f"None of {TRIES} samples from the fit can be fitted: {reason}")


@dataclass(frozen=True, eq=False)
class _Shares:
    """Shares of weight in a sample or a distribution."""

    # The share of each distance to the mode.
    distances: dict[float, float]
    # Shares of items at ranks, and of the row before the column.
    ranks: Floats
    pairs: Floats
    # Independent rankings; infinite for exact shares.
    number: float

    @classmethod
    def of(cls, ranks: Ranks, weights: Floats, model: RankingDistribution) -> _Shares:
        """Return the shares of strict rankings, with distances to the mode of a distribution."""
        n, shares = ranks.shape[1], weights / weights.sum()
        distance = DISTANCES[getattr(model, "distance", "kendall")]
        places = ranks[:, np.argsort(model.mode.ranks, kind="stable")]
        values, where = np.unique(distance.of(places), return_inverse=True)
        return cls(
            dict(zip(values, np.bincount(where.ravel(), weights=shares), strict=True)),
            np.array([np.bincount(column, weights=shares, minlength=n) for column in ranks.T]),
            np.array([shares @ (ranks[:, [item]] < ranks) for item in range(n)]),
            1.0 / float(shares @ shares),
        )

    @classmethod
    def both(
        cls, rows: Profile, model: RankingDistribution, rng: Generator
    ) -> tuple[_Shares, _Shares]:
        """Return the shares in some rankings, and those expected under a distribution."""
        observed = cls.of(rows.ranks, rows.weights, model)
        if model.n_items <= MOST_ENUMERATED:
            return observed, replace(cls.of(*model.enumerated, model), number=np.inf)
        return observed, cls.of(model.sample(N_DRAWN, rng=rng).ranks, np.ones(N_DRAWN), model)


def _statistics(observed: _Shares, expected: _Shares) -> Floats:
    far = _anderson_darling(observed.distances, expected.distances)
    ranks = _freeman_tukey(observed.ranks, expected.ranks)
    pairs = _freeman_tukey(observed.pairs, expected.pairs)
    return np.array(
        [*(observed.number * np.array([far, ranks, pairs])), _cycles_of_three(observed.pairs)]
    )


def _anderson_darling(observed: dict[float, float], expected: dict[float, float]) -> float:
    """Return the Anderson-Darling statistic per observation."""
    values = sorted(observed.keys() | expected.keys())
    chances, shares = (np.array([p.get(at, 0.0) for at in values]) for p in (expected, observed))
    below = np.cumsum(chances)
    spread = np.maximum(below * (1.0 - below), 1e-12)
    return float(chances @ (np.cumsum(shares - chances) ** 2 / spread))


def _freeman_tukey(observed: Floats, expected: Floats) -> float:
    """Return the Freeman-Tukey statistic per observation; chances may be 0."""
    return 4.0 * float(((np.sqrt(observed) - np.sqrt(expected)) ** 2).sum())


def _cycles_of_three(pairs: Floats) -> float:
    """Return the number of majority cycles of three items."""
    wins = (pairs > pairs.T + 1e-12).astype(np.float64)
    return float(np.trace(wins @ wins @ wins)) / 3.0


def _shares_as_high(values: Floats) -> Floats:
    """Return the share of rows at least as high, up to rounding, for each row and column."""
    # One column at a time, since memory grows with the square of the number of samples.
    near = 1e-9 * (1.0 + np.abs(values))
    columns = [
        (c[None, :] >= (c - e)[:, None]).mean(axis=1) for c, e in zip(values.T, near.T, strict=True)
    ]
    return np.column_stack(columns)


# -- several models -------------------------------------------------------------------------------


class ModelComparison(Result):
    """Models of the same rankings in order of their held-out log scores, the best first.

    Made by `compare_models`; `plot` draws a `rankagg.plotting.models_plot`.

    Attributes
    ----------
    models : tuple of str
        Their names, the best first, failed ones last.
    fits : tuple of FitResult or None
        Fits to all rankings; None for a model that failed.
    scores : ndarray of float, shape (k, m)
        Log probability of every ranking under every model, fitted without its fold.
    weights : ndarray of float, shape (m,)
        Of the rankings.
    errors : ndarray of float, shape (k, 2)
        Errors of the probabilities of pairs and of first ranks: see `to_frame`.
    n_folds : int
        Number of folds.
    tests : tuple of GoodnessOfFit
        Tests of the best models, up to the first that fits.
    """

    models: tuple[str, ...]
    fits: tuple[FitResult | None, ...] = field(compare=False)
    scores: Floats
    weights: Floats
    errors: Floats
    n_folds: int
    tests: tuple[GoodnessOfFit, ...] = field(compare=False)
    # Reason why a model has no score; empty if it has one.
    _failures: tuple[str, ...]

    _schema = "rankagg.model_comparison"
    _plot = "models_plot"
    _formats: ClassVar = dict.fromkeys(("log_likelihood", "aic", "bic"), "{:z.1f}".format)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model.

        Returns
        -------
        pandas.DataFrame
            log_likelihood, n_parameters, aic, bic of the fit to all rankings.
            log_score, log_score_error: mean log probability of a ranking under the fit without its
            fold, and its standard error.
            difference, difference_error: difference to the best model, and its standard error.
            pair_error, first_error: root mean squared errors of the probabilities that one item is
            before another, and that an item is first, compared with the shares in the held-out
            folds. Sampling variance is subtracted (0 if it is larger); NaN with gaps.
            failure: reason of a failure.
        """
        keys = ["log_likelihood", "n_parameters", "aic", "bic"]
        rows = [[getattr(fit, key, np.nan) for key in keys] for fit in self.fits]
        frame = pd.DataFrame(rows, pd.Index(self.models, name="model"), keys)
        frame["n_parameters"] = frame["n_parameters"].astype("Int64")
        frame["log_score"], frame["log_score_error"] = self._means(0.0)
        frame["difference"], frame["difference_error"] = self._means(self.scores[0])
        frame["pair_error"], frame["first_error"] = self.errors.T
        frame["failure"] = self._failures
        return frame

    def _means(self, less: Floats | float) -> tuple[Floats, Floats]:
        """Return the mean of the scores minus others, and its standard error."""
        shares = self.weights / self.weights.sum()
        number = 1.0 / float(shares @ shares)
        # Scores of -inf have no difference.
        with np.errstate(invalid="ignore"):
            means = (self.scores - less) @ shares
            squares = (self.scores - less - means[:, None]) ** 2 @ shares**2
        return means, np.sqrt(squares * number / (number - 1.0))

    @property
    def verdict(self) -> str:
        """One sentence on whether a model fits, each tested at the level 0.05."""
        if not self.tests:
            return (
                f"{self.models[0]} has the highest held-out score; whether it fits was not tested."
            )
        if self.tests[-1].p_value > LEVEL:
            return self.tests[-1].verdict
        return f"No model fits: {listed([test.model for test in self.tests])} rejected."

    def _content(self) -> dict[str, Any]:
        tests = [test.to_dict() for test in self.tests]
        rows = plain_rows(self.to_frame().reset_index())
        return {**self._plain("n_folds", "verdict"), "models": rows, "tests": tests}

    def _table(self) -> pd.DataFrame:
        frame = self.to_frame()
        return frame[frame.pop("failure") == ""].dropna(axis=1, how="all")

    def _facts(self) -> list[str]:
        return [self.verdict, f"held-out scores: {self.n_folds} folds"]

    def _below(self, rows: int | None = None) -> list[str]:
        pairs = zip(self.models, self._failures, strict=True)
        return [
            *(f"{model} failed: {why}" for model, why in pairs if why),
            "AIC and BIC do not count the discrete center of Mallows: compare held-out scores. "
            "Their standard errors are over rankings, given the fits.",
        ]


def compare_models(
    data: Held,
    models: Iterable[str | tuple[str, Fitter]] | None = None,
    *,
    n_folds: int | None = None,
    n_resamples: int = 99,
    rng: RNGLike = None,
    n_jobs: int | None = None,
) -> ModelComparison:
    """Fit models to the same rankings, and compare their predictions of held-out rankings.

    Parameters
    ----------
    data : Profile
        Strict rankings; gaps are missing observations, as in the fits. Ties are rejected: they are
        outcomes to Plackett-Luce and gaps to Mallows, so that their probabilities differ in kind.
    models : iterable of str or (str, callable), optional
        Names, "uniform", "mallows-kendall", "mallows-footrule", "mallows-spearman" and
        "plackett-luce"; by default all of them. Or names with functions that take a profile and
        return its fit.
    n_folds : int, optional
        Random folds of the rankings, held out in turn; by default 5, or half the number of
        rankings if that is smaller.
    n_resamples : int, default 99
        Samples of `goodness_of_fit`; 0 for no test. The best model is tested, then those within
        two standard errors of it until one fits. Rankings with gaps are not tested.
    rng : int, numpy.random.Generator or None, optional
        A seed or a generator.
    n_jobs : int, optional
        Processes, as joblib counts them; the result does not depend on it.

    Returns
    -------
    ModelComparison
        A model that cannot be fitted, to all rankings or without a fold, is listed with the
        reason.

    References
    ----------
    Stone (1974), "Cross-validatory choice and assessment of statistical predictions",
    https://doi.org/10.1111/j.2517-6161.1974.tb00994.x.

    Examples
    --------
    >>> import rankagg as ra
    >>> rankings = ra.PlackettLuce([2, 1, 0, -1, -2]).sample(300, rng=0)
    >>> models = ["mallows-kendall", "plackett-luce"]
    >>> comparison = ra.distributions.compare_models(rankings, models, rng=0)
    >>> comparison.verdict
    'No evidence against plackett-luce: p 0.75.'
    """
    profile = as_data(data)
    check_kind(profile, "data", kind=Profile, example="Profile.from_orders(['AB', 'BA'])")
    if not profile.is_strict:
        allowed = "without ties: they are outcomes to some models, and gaps to others"
        raise InvalidInputError("data", allowed, profile)
    chosen, rows = _models_of(models), uncompressed(profile)
    if len(rows) < 4:
        remedy = "Each fold and each fit needs two or more."
        got = Described(counted(len(rows), "ranking"))
        raise InvalidInputError("data", "four rankings or more", got, remedy)
    most = len(rows) // 2
    parts = min(5, most) if n_folds is None else check_integer(n_folds, "n_folds", low=2, high=most)
    times = check_integer(n_resamples, "n_resamples", low=0)
    generator = as_generator(rng)
    fold_of = generator.permutation(np.arange(len(rows)) % parts)
    seed = int(generator.integers(2**63))
    tasks = [delayed(_scored)(fitter, rows, fold_of, seed) for fitter in chosen.values()]
    done = dict(zip(chosen, Parallel(n_jobs=n_jobs)(tasks), strict=True))
    names = sorted(chosen, key=lambda n: (done[n][1] != "", -float(done[n][2] @ rows.weights)))
    fits, failures, scores, errors = zip(*(done[name] for name in names), strict=True)
    if all(failures):
        got = Described(f"{names[0]}: {failures[0]}")
        raise InvalidInputError("models", "such that one has a fit and a score", got)
    result = ModelComparison(
        models=tuple(names),
        fits=fits,
        _failures=failures,
        scores=np.array(scores),
        weights=rows.weights,
        errors=np.array(errors),
        n_folds=parts,
        tests=(),
    )
    frame, tests = result.to_frame(), list[GoodnessOfFit]()
    near = frame["difference"] >= -NEAR * frame["difference_error"]
    for name in frame.index[near] if times and profile.is_complete else ():
        test = partial(goodness_of_fit, refit=chosen[name], n_resamples=times, n_jobs=n_jobs)
        tests.append(replace(test(done[name][0], profile, rng=generator), model=name))
        if tests[-1].p_value > LEVEL:
            break
    return replace(result, tests=tuple(tests))


def _models_of(models: Iterable[str | tuple[str, Fitter]] | None) -> dict[str, Fitter]:
    given = list(NAMED_MODELS if models is None else models)
    for one in given:
        if isinstance(one, str) and one not in NAMED_MODELS:
            raise InvalidInputError(
                "models", f"among {', '.join(NAMED_MODELS)}", one, nearest(one, NAMED_MODELS)
            )
    chosen = {}
    for one in given:
        name, fitter = (one, NAMED_MODELS[one]) if isinstance(one, str) else one
        chosen[name] = _checked_fitter(fitter, f"models ({name})")
    if not chosen or len(chosen) < len(given):
        raise InvalidInputError("models", "one or more, of different names", given)
    return chosen


def _scored(
    fitter: Fitter, rows: Profile, fold_of: NDArray[Any], seed: int
) -> tuple[FitResult | None, str, Floats, Floats]:
    """Return the fit to all rankings, a reason of failure, held-out scores, and errors."""
    fit, where, scores = None, "", np.full(len(rows), np.nan)
    rng, errors = np.random.default_rng(seed), np.full((fold_of.max() + 1, 2), np.nan)
    try:
        fit = fitter(rows.compress())
        for fold in range(len(errors)):
            where, out = f"without fold {fold + 1}: ", fold_of == fold
            model = fitter(rows[~out].compress()).distribution
            scores[out] = model.log_probs(rows[out])
            errors[fold] = _calibration(model, rows[out], rng)
    except RankaggError as error:
        return fit, f"{where}{error}", np.full_like(scores, np.nan), np.full(2, np.nan)
    return fit, "", scores, np.sqrt(np.maximum(errors.mean(axis=0), 0.0))


def _calibration(model: RankingDistribution, rest: Profile, rng: Generator) -> Floats:
    """Return squared errors of pair and first-rank probabilities, minus sampling variance."""
    if not rest.is_complete:
        return np.full(2, np.nan)
    observed, expected = _Shares.both(rest, model, rng)
    pairs = np.triu_indices(model.n_items, 1)

    def error(share: Floats, chance: Floats) -> float:
        variance = share * (1 - share) / (observed.number - 1)
        variance += chance * (1 - chance) / (expected.number - 1)
        return float(((share - chance) ** 2 - variance).mean())

    firsts = error(observed.ranks[:, 0], expected.ranks[:, 0])
    return np.array([error(observed.pairs[pairs], expected.pairs[pairs]), firsts])
