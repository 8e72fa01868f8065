"""Which model: several fitted to the same rankings, and held against rankings left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

from rankagg._typing import Floats, Generator, RNGLike
from rankagg._validation import as_generator, check_integer, check_kind
from rankagg.aggregation.evidence import Held, as_data
from rankagg.core import Profile, Result, counted, listed, plain_rows
from rankagg.distributions.base import RankingDistribution, uncompressed
from rankagg.distributions.fit_result import FitResult
from rankagg.distributions.goodness_of_fit import (
    LEVEL,
    NAMED_MODELS,
    Fitter,
    GoodnessOfFit,
    Shares,
    checked_fitter,
    goodness_of_fit,
)
from rankagg.exceptions import Described, InvalidInputError, RankaggError, nearest

# Standard errors within which another model is as good as the best.
NEAR = 2.0


class ModelComparison(Result):
    """Several models of the same rankings, the best held-out log score first.

    Made by `compare_models`; `plot` draws a `rankagg.plotting.models_plot`.

    Attributes
    ----------
    models : tuple of str
        Their names, the best first, failed ones last.
    fits : tuple of FitResult or None
        To all rankings; None for a model that failed.
    failures : tuple of str
        Why a model has no score; empty where it has one.
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
    failures: tuple[str, ...]
    scores: Floats
    weights: Floats
    errors: Floats
    n_folds: int
    tests: tuple[GoodnessOfFit, ...] = field(compare=False)

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
        frame["failure"] = self.failures
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
        pairs = zip(self.models, self.failures, strict=True)
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
        Names, "uniform", "mallows-kendall" and "mallows-" with the other five distances,
        "generalized-mallows", "plackett-luce"; by default all of them. Or names with functions
        that take a profile and return its fit.
    n_folds : int, optional
        Parts of the rankings, drawn at random, that are left out one after the other; by default
        5, or half the rankings where these are fewer.
    n_resamples : int, default 99
        Samples of `goodness_of_fit`, of the best model and, while none fits, of those within two
        standard errors of it; 0 for no test. With gaps nothing is tested.
    rng : int, numpy.random.Generator or None, optional
        A seed or a generator.
    n_jobs : int, optional
        Processes, as joblib counts them: 1 by default, -1 for all cores. The result does not
        depend on it.

    Returns
    -------
    ModelComparison
        A model that cannot be fitted, to all rankings or without a fold, is in it with the reason.

    Raises
    ------
    InvalidInputError
        If rankings have ties or are fewer than twice the folds, or if no model could be fitted.

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
        failures=failures,
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
        chosen[name] = checked_fitter(fitter, f"models ({name})")
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
    seen, told = Shares.both(rest, made, rng)
    pairs = np.triu_indices(made.n_items, 1)

    def error(share: Floats, chance: Floats) -> float:
        own = share * (1 - share) / (seen.number - 1) + chance * (1 - chance) / (told.number - 1)
        return float(((share - chance) ** 2 - own).mean())

    firsts = error(seen.ranks[:, 0], told.ranks[:, 0])
    return np.array([error(seen.pairs[pairs], told.pairs[pairs]), firsts])
