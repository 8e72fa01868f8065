"""How many components a mixture has, and how sure they are: tables, tests and resamples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, field
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.optimize import linear_sum_assignment

from rankagg._typing import Floats, Generator, RNGLike
from rankagg._validation import as_generator, check_alpha, check_integer
from rankagg.aggregation import Deadline
from rankagg.core import Profile, Result, counted, p_text, plain_rows
from rankagg.distributions.base import RankingDistribution
from rankagg.distributions.mallows.center import MallowsData
from rankagg.distributions.mallows.uniformity import masked, uncompressed
from rankagg.distributions.mixtures.climb import (
    Climb,
    searched,
)
from rankagg.distributions.mixtures.fit import MixtureFit, family_of, fit_mixture
from rankagg.exceptions import InvalidInputError, NotIdentifiedError


class ComponentsChoice(Result):
    """Mixtures with several numbers of components, beside each other.

    Made by `choose_components`; it has no plot.

    Attributes
    ----------
    table : DataFrame
        As `to_frame` returns it.
    fits : tuple of MixtureFit
        In its order.
    notes : tuple of str
        What the reader must know.
    """

    table: pd.DataFrame = field(compare=False)
    fits: tuple[MixtureFit, ...]
    notes: tuple[str, ...] = ()

    _schema = "rankagg.components_choice"
    _named_rows = False

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number of components.

        n_components, log_likelihood, n_parameters, bic, icl, held_out (the mean log probability of
        rankings that a fit to the others has not seen), share_of_best.
        """
        return self.table.copy()

    def _content(self) -> dict[str, Any]:
        return {"rows": plain_rows(self.table), "notes": list(self.notes)}

    def _facts(self) -> list[str]:
        chosen = {
            "BIC": self.table["bic"].argmin(),
            "ICL": self.table["icl"].argmin(),
            "held-out score": self.table["held_out"].argmax(),
        }
        fits = {name: self.fits[int(at)] for name, at in chosen.items()}
        best = [f"{fit.n_components} by {name}" for name, fit in fits.items()]
        bound = {fit.n_components for fit in fits.values() if _at_bound(fit)}
        told = f"; with {' and '.join(map(str, sorted(bound)))} one is at a bound, see below"
        return [f"components: {', '.join(best)}{told if bound else ''}"]

    def _below(self, rows: int | None = None) -> tuple[str, ...]:
        return self.notes


def choose_components(
    profile: Profile,
    n_components: Iterable[int] = range(1, 6),
    *,
    n_folds: int = 5,
    rng: RNGLike = None,
    **options: Any,
) -> ComponentsChoice:
    """Fit mixtures with several numbers of components.

    Parameters
    ----------
    profile : Profile
        The rankings.
    n_components : iterable of int, default 1 to 5
        Numbers to try; those that are not identified are left out, with a note.
    n_folds : int, default 5
        Parts of the rankings, each of which is held out once.
    rng : int or numpy.random.Generator, optional
        A seed or a generator.
    **options
        Of `fit_mixture`.

    Returns
    -------
    ComponentsChoice

    Examples
    --------
    >>> import rankagg as ra
    >>> both = ra.Mixture([ra.Mallows("ABCDE", 1.5), ra.Mallows("EBCDA", 1.0)], [0.6, 0.4])
    >>> votes = both.sample(100, rng=0)
    >>> found = ra.distributions.choose_components(votes, [1, 2, 3], n_starts=1, n_folds=2, rng=0)
    >>> print(found.summary().splitlines()[0])
    components: 2 by BIC, 2 by ICL, 2 by held-out score
    """
    if not isinstance(profile, Profile):
        raise InvalidInputError("profile", "a Profile", profile)
    numbers = [check_integer(one, "n_components", low=1) for one in n_components]
    if not numbers:
        raise InvalidInputError("n_components", "one or more numbers", n_components)
    rows = uncompressed(profile)
    parts = check_integer(n_folds, "n_folds", low=2, high=max(len(rows), 2))
    generator = as_generator(rng)
    fold = generator.permutation(np.arange(len(rows)) % parts)
    fits, held, notes = [], [], []
    for number in numbers:
        try:
            fits.append(fit_mixture(profile, number, rng=generator, **options))
        except NotIdentifiedError as error:
            notes.append(f"Left out: {error}")
            continue
        total = 0.0
        for part in range(parts):
            seen = fit_mixture(_rows_of(rows, fold != part), number, rng=generator, **options)
            total += seen.distribution.log_prob(_rows_of(rows, fold == part))
        held.append(total / float(rows.weights.sum()))
    if not fits:
        raise NotIdentifiedError(notes[0])
    names = ("n_components", "log_likelihood", "n_parameters", "bic", "icl")
    columns: dict[str, Any] = {name: [getattr(fit, name) for fit in fits] for name in names}
    columns |= {"held_out": held, "share_of_best": [fit.share_of_best for fit in fits]}
    at_bound = [
        f"With {counted(fit.n_components, 'component')}: {note}"
        for fit in fits
        for note in _at_bound(fit)
    ]
    return ComponentsChoice(
        table=pd.DataFrame(columns), fits=tuple(fits), notes=(*notes, *at_bound)
    )


def _at_bound(fit: MixtureFit) -> list[str]:
    """Return what is said of components that are one ranking."""
    return [note for note in fit.notes if "at its bound" in note]


def _rows_of(rows: Profile, chosen: Any) -> Profile:
    return Profile._trusted(rows.items, rows.ranks[chosen], weights=rows.weights[chosen])


class ComponentsTest(Result):
    """A simulated test that a mixture has no more components.

    Made by `MixtureFit.test_more_components`; it has no plot.

    Attributes
    ----------
    n_components : int
        How many there are under the hypothesis.
    likelihood_ratio : float
        Twice the gain in log likelihood by one more.
    expected : float
        The same on average in samples from the fit.
    p_value : float
        Share of samples (the data among them) with as large a gain.
    n_resamples : int
        Simulated samples.
    """

    n_components: int
    likelihood_ratio: float
    expected: float
    p_value: float
    n_resamples: int

    _schema = "rankagg.components_test"
    _prints_table = False

    def to_frame(self) -> pd.DataFrame:
        """Return one row with the attributes as columns."""
        return pd.DataFrame([self._content()])

    def _content(self) -> dict[str, Any]:
        return asdict(self)

    def _facts(self) -> list[str]:
        return [
            f"{counted(self.n_components, 'component')} against one more: likelihood ratio "
            f"{self.likelihood_ratio:.4g}, p {p_text(self.p_value)}",
            f"expected without one more: {self.expected:.4g}, from "
            f"{counted(self.n_resamples, 'simulated sample')}",
        ]


def test_components(
    fit: MixtureFit, times: int, rng: Generator, n_jobs: int | None
) -> ComponentsTest:
    """Compare the gain by one more component with that in samples from the fit."""
    rows = uncompressed(fit._data)
    # Refused here, before anything is simulated.
    more = fit_mixture(fit._data, fit.n_components + 1, rng=rng, **fit._asked)
    observed = max(2.0 * (more.log_likelihood - fit.log_likelihood), 0.0)
    pool = Parallel(n_jobs=n_jobs)
    drawn = np.array(pool(delayed(_simulated_gain)(fit, rows, seed) for seed in rng.spawn(times)))
    return ComponentsTest(
        n_components=fit.n_components,
        likelihood_ratio=observed,
        expected=float(drawn.mean()),
        p_value=(1 + int((drawn >= observed).sum())) / (1 + times),
        n_resamples=times,
    )


def _simulated_gain(fit: MixtureFit, rows: Profile, rng: Generator) -> float:
    ranks = masked(fit.distribution._sample(len(rows), rng), rows.ranks, rows.ranks)
    sample = rows._replace(ranks=ranks)
    one, more = (
        fit_mixture(sample, fit.n_components + k, rng=rng, **fit._asked).log_likelihood
        for k in (0, 1)
    )
    return max(2.0 * (more - one), 0.0)


class MixtureBootstrap(Result):
    """Errors of a mixture by resampling, components matched to those of the fit.

    Made by `MixtureFit.bootstrap`; it has no plot.

    Attributes
    ----------
    names : tuple of str
        The parameters.
    estimates : ndarray of float, shape (p,)
        Of the fit.
    draws : ndarray of float, shape (n_resamples, p)
        Of the resamples.
    same_modes : ndarray of float, shape (k,)
        The share of resamples in which each component had the mode that it has in the fit.
    """

    names: tuple[str, ...]
    estimates: Floats
    draws: Floats
    same_modes: Floats

    _schema = "rankagg.mixture_bootstrap"
    _row = "parameter"

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return one row per parameter.

        Parameters
        ----------
        alpha : float, default 0.05
            For the percentiles.

        Returns
        -------
        pandas.DataFrame
            estimate, std_err, lower, upper.
        """
        level = check_alpha(alpha)
        lower, upper = np.quantile(self.draws, [level / 2.0, 1.0 - level / 2.0], axis=0)
        columns = {"estimate": self.estimates, "std_err": self.draws.std(axis=0, ddof=1)}
        index = pd.Index(self.names, name="parameter")
        return pd.DataFrame({**columns, "lower": lower, "upper": upper}, index=index)

    def _content(self) -> dict[str, Any]:
        own = {"n_resamples": len(self.draws), "same_modes": self.same_modes.tolist()}
        return {**own, "parameters": plain_rows(self.to_frame().reset_index())}

    def _facts(self) -> list[str]:
        shares = ", ".join(f"{share:.2g}" for share in self.same_modes)
        return [
            f"{counted(len(self.draws), 'resample')} of a mixture",
            f"share of resamples with the same mode, by component: {shares}",
        ]


def bootstrap(fit: MixtureFit, times: int, rng: Generator, n_jobs: int | None) -> MixtureBootstrap:
    """Return fits to resampled rankings, climbed from the fit."""
    rows = uncompressed(fit._data)
    pool = Parallel(n_jobs=n_jobs)
    found = pool(delayed(_resampled)(fit, rows, seed) for seed in rng.spawn(times))
    return MixtureBootstrap(
        names=fit.names,
        estimates=fit.estimates.copy(),
        draws=np.array([draw for draw, _ in found]),
        same_modes=np.mean([same for _, same in found], axis=0),
    )


def _resampled(fit: MixtureFit, rows: Profile, rng: Generator) -> tuple[Floats, Any]:
    asked, mixture = fit._asked, fit.distribution
    chosen = rng.integers(len(rows), size=len(rows))
    data = MallowsData.of(_rows_of(rows, chosen), Deadline(), asked["distance"])
    family, start = family_of(data, asked), Climb(mixture.components, mixture.weights)
    best = searched(family, start, asked["max_iterations"])
    k = fit.n_components
    own = [family.parameters(part) for part in mixture.components[:k]]
    new = [family.parameters(part) for part in best.parts[:k]]

    def apart(one: RankingDistribution, other: RankingDistribution) -> float:
        return float(np.abs(one.mode.ranks - other.mode.ranks).sum())

    costs = [
        [
            apart(one, other) + float(np.abs(own[i] - new[j]).sum())
            for j, other in enumerate(best.parts[:k])
        ]
        for i, one in enumerate(mixture.components[:k])
    ]
    matched = linear_sum_assignment(costs)[1]
    order = [*matched, *range(k, len(best.parts))]
    draw = np.concatenate([best.weights[order], *(new[j] for j in matched)])
    modes = zip(mixture.components, (best.parts[j] for j in matched), strict=False)
    return draw, np.array([apart(one, other) == 0.0 for one, other in modes])
