"""Which model: whether one fits, by rankings drawn from it, and which of several predicts best."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, TypeAlias, cast, get_args

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

from rankagg._typing import Floats, Generator, Ranks, RNGLike
from rankagg._validation import as_generator, check_integer, check_kind
from rankagg.aggregation.evidence import Held, as_data
from rankagg.core import Profile, Result, counted, listed, p_text, plain_rows
from rankagg.distributions.base import (
    MOST_ENUMERATED,
    RankingDistribution,
    Uniform,
    uncompressed,
)
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

Fitter: TypeAlias = Callable[[Profile], FitResult]

# At which a model does not fit.
LEVEL = 0.05
STATISTICS = ("distances", "ranks", "pairs", "cycles")
# What is drawn in place of sums over all rankings of many items.
N_DRAWN = 5_000
# A sample without a fit is drawn again; a distribution that has hardly any other has no test.
TRIES = 20
# Standard errors within which another model is as good as the best.
NEAR = 2.0


#: The models that have a name.
NAMED_MODELS: dict[str, Fitter] = {
    "uniform": Uniform.fit,
    **{f"mallows-{d}": partial(Mallows.fit, distance=d) for d in get_args(DistanceName)},
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
    samples : ndarray of float, shape (n_resamples, 4)
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
    samples: Floats
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
        upper = np.quantile(self.samples, 1.0 - LEVEL, axis=0)
        columns = np.column_stack([self.values, self.samples.mean(axis=0), upper, self.p_values])
        names = ["value", "expected", "upper", "p_value"]
        return pd.DataFrame(columns, pd.Index(STATISTICS, name="statistic"), names)

    def _content(self) -> dict[str, Any]:
        rows = plain_rows(self.to_frame().reset_index())
        told = self._plain("model", "p_value", "verdict")
        return {**told, "n_resamples": len(self.samples), "statistics": rows}

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
        Processes, as joblib counts them; the result does not depend on it.

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
    >>> fit = ra.Mallows.fit(rankings, distance="spearman")
    >>> ra.distributions.goodness_of_fit(fit, rankings, n_resamples=39, rng=0).verdict
    'Nothing here speaks against Mallows: p 0.075.'
    """
    check_kind(fit, "fit", kind=FitResult, example="Mallows.fit(profile)")
    profile = as_data(data)
    check_kind(profile, "data", kind=Profile, example="Profile.from_orders(['AB', 'BA'])")
    if not (profile.is_complete and profile.is_strict):
        remedy = "`compare_models` takes gaps, for what models predict."
        raise InvalidInputError("data", "complete strict rankings", profile, remedy)
    rows = uncompressed(profile)
    times = check_integer(n_resamples, "n_resamples", low=1)
    fitter = _fitter_of(fit) if refit is None else _checked_fitter(refit, "refit")
    height = fitter(profile).log_likelihood
    if not np.isclose(height, fit.log_likelihood, rtol=1e-6, atol=1e-6):
        remedy = "It takes the options of `fit`, and `data` are what was fitted."
        raise InvalidInputError("refit", "such that `refit(data)` gives `fit`", refit, remedy)
    own, *streams = as_generator(rng).spawn(times + 1)
    seen, told_by_fit = _Shares.both(rows, fit.distribution, own)
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
        samples=drawn,
        p_values=each[0],
        p_value=float(_shares_as_high(-each.min(axis=1, keepdims=True))[0, 0]),
        shares=np.array([[part.ranks, part.pairs] for part in (seen, told_by_fit)]),
        n_rankings=seen.number,
    )


def _checked_fitter(fitter: object, parameter: str) -> Fitter:
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
    if type(made) not in (Uniform, Mallows, PlackettLuce):
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
            return _statistics(*_Shares.both(sample, fitter(sample).distribution, rng))
        except (NotIdentifiedError, InvalidInputError) as error:
            reason = error
    raise NotIdentifiedError(f"None of {TRIES} samples of the fit has one: {reason}")


@dataclass(frozen=True, eq=False)
class _Shares:
    """What a sample shows, or a distribution: shares of weight."""

    # The share at every distance to the mode that there is.
    distances: dict[float, float]
    # Of items at ranks, and of pairs in an order.
    ranks: Floats
    pairs: Floats
    # Independent rankings; infinite where shares are known.
    number: float

    @classmethod
    def of(cls, ranks: Ranks, weights: Floats, made: RankingDistribution) -> _Shares:
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
    ) -> tuple[_Shares, _Shares]:
        """Return what rankings show, and the chances that a distribution gives it."""
        seen = cls.of(rows.ranks, rows.weights, made)
        if made.n_items <= MOST_ENUMERATED:
            return seen, replace(cls.of(*made.enumerated, made), number=np.inf)
        return seen, cls.of(made.sample(N_DRAWN, rng=rng).ranks, np.ones(N_DRAWN), made)


def _statistics(seen: _Shares, expected: _Shares) -> Floats:
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


# -- several models -------------------------------------------------------------------------------


class ModelComparison(Result):
    """Several models of the same rankings, the best held-out log score first.

    Made by `compare_models`; `plot` draws a `rankagg.plotting.models_plot`.

    Attributes
    ----------
    models : tuple of str
        Their names, the best first, failed ones last.
    fits : tuple of FitResult or None
        To all rankings; None for a model that failed.
    scores : ndarray of float, shape (k, m)
        The log probability of every ranking by every model, fitted without its fold.
    weights : ndarray of float, shape (m,)
        Of the rankings.
    errors : ndarray of float, shape (k, 2)
        By how much chances of pairs and of first ranks are wrong: see `to_frame`.
    n_folds : int
        Into how many parts the rankings were split.
    tests : tuple of GoodnessOfFit
        Of the best models, up to the first that fits.
    """

    models: tuple[str, ...]
    fits: tuple[FitResult | None, ...] = field(compare=False)
    scores: Floats
    weights: Floats
    errors: Floats
    n_folds: int
    tests: tuple[GoodnessOfFit, ...] = field(compare=False)
    # Why a model has no score; empty where it has one.
    _failures: tuple[str, ...]

    _schema = "rankagg.model_comparison"
    _plot = "models_plot"
    _formats: ClassVar = dict.fromkeys(("log_likelihood", "aic", "bic"), "{:z.1f}".format)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model.

        Returns
        -------
        pandas.DataFrame
            log_likelihood, n_parameters, aic, bic of the fit to all rankings; log_score: the mean
            log probability of a ranking by the fit without its fold, and its standard error;
            difference: that to the best model, with its own standard error; pair_error and
            first_error: root mean squared error of the chance that one item is before another, and
            of an item's chance to be first, against the shares in the folds left out, beyond what
            these vary by chance (0 where they vary more; NaN where gaps hide them); failure.
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
        """Return the mean of the scores less others, and its standard error."""
        shares = self.weights / self.weights.sum()
        number = 1.0 / float(shares @ shares)
        # Two models that both give a ranking no chance have no difference.
        with np.errstate(invalid="ignore"):
            means = (self.scores - less) @ shares
            squares = (self.scores - less - means[:, None]) ** 2 @ shares**2
        return means, np.sqrt(squares * number / (number - 1.0))

    @property
    def verdict(self) -> str:
        """One sentence: whether anything here fits, each model at the level 0.05."""
        if not self.tests:
            return (
                f"{self.models[0]} has the highest held-out score; whether it fits was not tested."
            )
        if self.tests[-1].p_value > LEVEL:
            return self.tests[-1].verdict
        return f"Nothing here fits: not {listed([test.model for test in self.tests])}."

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
            "AIC and BIC do not count the center of Mallows, which is discrete: the held-out score "
            "decides. Its errors are those over rankings, the fits given.",
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
    """Fit several models to the same rankings, and say which predicts others of them best.

    Parameters
    ----------
    data : Profile
        Strict rankings; gaps are what was not observed, as in the fits. Ties are refused: they are
        outcomes to Plackett-Luce and gaps to Mallows, so probabilities could not be compared.
    models : iterable of str or (str, callable), optional
        Names, "uniform", "mallows-kendall", "mallows-footrule", "mallows-spearman" and
        "plackett-luce"; by default all of them. Or names with functions that take a profile and
        return its fit.
    n_folds : int, optional
        Parts of the rankings, drawn at random, that are left out one after the other; by default
        5, or half the rankings where these are fewer.
    n_resamples : int, default 99
        Samples of `goodness_of_fit`, of the best model and, while none fits, of those within two
        standard errors of it; 0 for no test. With gaps nothing is tested.
    rng : int, numpy.random.Generator or None, optional
        A seed or a generator.
    n_jobs : int, optional
        Processes, as joblib counts them; the result does not depend on it.

    Returns
    -------
    ModelComparison
        A model that cannot be fitted, to all rankings or without a fold, is in it with the reason.

    References
    ----------
    Stone (1974), "Cross-validatory choice and assessment of statistical predictions",
    https://doi.org/10.1111/j.2517-6161.1974.tb00994.x.

    Examples
    --------
    >>> import rankagg as ra
    >>> rankings = ra.PlackettLuce([2, 1, 0, -1, -2]).sample(300, rng=0)
    >>> models = ["mallows-kendall", "plackett-luce"]
    >>> found = ra.distributions.compare_models(rankings, models, rng=0)
    >>> found.verdict
    'Nothing here speaks against plackett-luce: p 0.75.'
    """
    profile = as_data(data)
    check_kind(profile, "data", kind=Profile, example="Profile.from_orders(['AB', 'BA'])")
    if not profile.is_strict:
        allowed = "without ties: they are outcomes to some models, and gaps to others"
        raise InvalidInputError("data", allowed, profile)
    chosen, rows = _models_of(models), uncompressed(profile)
    if len(rows) < 4:
        remedy = "Half of them are left out at least once, and two are the fewest that vary."
        found = Described(counted(len(rows), "ranking"))
        raise InvalidInputError("data", "four rankings or more", found, remedy)
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
        told = Described(f"{names[0]}: {failures[0]}")
        raise InvalidInputError("models", "such that one has a fit and a score", told)
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
    """Return the fit to all rankings, why a fit failed, scores without folds, and errors."""
    fit, where, scores = None, "", np.full(len(rows), np.nan)
    rng, errors = np.random.default_rng(seed), np.full((fold_of.max() + 1, 2), np.nan)
    try:
        fit = fitter(rows.compress())
        for fold in range(len(errors)):
            where, out = f"without fold {fold + 1}: ", fold_of == fold
            made = fitter(rows[~out].compress()).distribution
            scores[out] = made.log_probs(rows[out])
            errors[fold] = _calibration(made, rows[out], rng)
    except RankaggError as error:
        return fit, f"{where}{error}", np.full_like(scores, np.nan), np.full(2, np.nan)
    return fit, "", scores, np.sqrt(np.maximum(errors.mean(axis=0), 0.0))


def _calibration(made: RankingDistribution, rest: Profile, rng: Generator) -> Floats:
    """Return mean squared errors of the chances of pairs and first ranks, beyond chance."""
    if not rest.is_complete:
        return np.full(2, np.nan)
    seen, told = _Shares.both(rest, made, rng)
    pairs = np.triu_indices(made.n_items, 1)

    def error(share: Floats, chance: Floats) -> float:
        own = share * (1 - share) / (seen.number - 1) + chance * (1 - chance) / (told.number - 1)
        return float(((share - chance) ** 2 - own).mean())

    firsts = error(seen.ranks[:, 0], told.ranks[:, 0])
    return np.array([error(seen.pairs[pairs], told.pairs[pairs]), firsts])
