"""The fit of a mixture: from many starts, and what must be said of it."""

from __future__ import annotations

from dataclasses import field, replace
from math import lgamma
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pandas as pd
import scipy
from scipy.special import logsumexp, xlogy

from rankagg._typing import Floats, RNGLike
from rankagg._validation import (
    as_generator,
    check_choice,
    check_flag,
    check_integer,
    check_number,
)
from rankagg.aggregation import Deadline, Evidence, time_limit_of
from rankagg.aggregation.evidence import as_data
from rankagg.core import UNRANKED, Profile, counted
from rankagg.distributions.base import RankingDistribution, effective_weights
from rankagg.distributions.fit_result import FitResult
from rankagg.distributions.mallows.center import MallowsData
from rankagg.distributions.mallows.mallows import Mallows
from rankagg.distributions.mallows.model_distances import DistanceName
from rankagg.distributions.mixtures.climb import (
    CLOSE,
    Climb,
    Family,
    MallowsFamily,
    PlackettLuceFamily,
    begin,
    log_parts,
    searched,
)
from rankagg.distributions.mixtures.mixture import Mixture
from rankagg.distributions.plackett_luce.choices import stage_masks
from rankagg.distributions.separation import check_observed
from rankagg.exceptions import Described, InvalidInputError, NotIdentifiedError

if TYPE_CHECKING:
    from rankagg.distributions.mixtures.choice import ComponentsTest, MixtureBootstrap

FamilyName = Literal["mallows", "plackett-luce"]
# How far from the best, as a share of its size, a start may end that has reached it.
REACHED_WITHIN = 1e-5


def fit_mixture(
    profile: Profile,
    n_components: int,
    *,
    family: FamilyName = "mallows",
    distance: DistanceName = "kendall",
    noise: bool = False,
    n_starts: int = 20,
    max_theta: float = 12.0,
    ridge: float = 0.01,
    max_iterations: int = 2000,
    rng: RNGLike = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
) -> MixtureFit:
    """Estimate a mixture of Mallows or of Plackett-Luce distributions by maximum likelihood.

    Expectation-maximization from many drawn starts; the best end is what comes back. Centers are
    exact in every step where those of `Mallows.fit` are, and where a climb ends, centers with one
    item elsewhere are tried. That the best of all is the maximum is not proved: see
    `share_of_best`.

    Parameters
    ----------
    profile : Profile
        Rankings. Mallows components take ties, unlisted and unranked items for what was not
        observed, as `Mallows.fit` does; Plackett-Luce components take rankings without ties.
    n_components : int
        How many, beside noise.
    family : {"mallows", "plackett-luce"}, default "mallows"
        What the components are.
    distance : str, default "kendall"
        As for `Mallows`.
    noise : bool, default False
        Whether a `Uniform` component is one more.
    n_starts : int, default 20
        How many starts, each around rankings of the data.
    max_theta : float, default 12
        The bound of theta. A component at it is one ranking, as a note says.
    ridge : float, default 0.01
        Of Plackett-Luce components: ridge/2 times the sum of their squared log worths is taken from
        the log likelihood that is maximized, so that they are finite; above 0.
    max_iterations : int, default 2000
        Of each climb.
    rng : int or numpy.random.Generator, optional
        A seed or a generator, for the starts.
    n_jobs : int, optional
        Workers for joblib, -1 for one a core. The fit does not depend on it.
    time_limit : float, optional
        Seconds for all starts.

    Returns
    -------
    MixtureFit

    Raises
    ------
    NotIdentifiedError
        If different mixtures have the same probabilities: k Plackett-Luce components of 2k - 1
        items or fewer, or more parameters than there are different outcomes.
    InvalidInputError
        If options are out of range, or the family has no probability for the rankings.
    OutOfTimeError
        If the starts were not climbed in time.

    References
    ----------
    Murphy and Martin (2003), https://doi.org/10.1016/S0167-9473(02)00165-2; Zhao, Piech and Xia
    (2016), "Learning mixtures of Plackett-Luce models", ICML, arXiv:1603.07323.

    Examples
    --------
    >>> import rankagg as ra
    >>> both = ra.Mixture([ra.Mallows("ABCDE", 1.5), ra.Mallows("EBCDA", 1.0)], [0.6, 0.4])
    >>> fit = ra.fit_mixture(both.sample(500, rng=0), 2, n_starts=5, rng=0)
    >>> [" ".join(part.mode.order) for part in fit.distribution.components]
    ['A B C D E', 'E B C D A']
    """
    profile = as_data(profile, "profile")
    if not isinstance(profile, Profile) or profile.n_items < 2:
        raise InvalidInputError("profile", "a Profile of two or more items", profile)
    number = check_integer(n_components, "n_components", low=1)
    asked = {
        "family": check_choice(family, get_args(FamilyName), "family"),
        "distance": check_choice(distance, get_args(DistanceName), "distance"),
        "noise": check_flag(noise, "noise"),
        "n_starts": check_integer(n_starts, "n_starts", low=1),
        "max_theta": check_number(max_theta, "max_theta", low=0, high=100, open_low=True),
        "ridge": check_number(ridge, "ridge", low=0, open_low=True),
        "max_iterations": check_integer(max_iterations, "max_iterations", low=1),
    }
    if family != "mallows" and distance != "kendall":
        raise InvalidInputError("distance", "left out for 'plackett-luce'", distance)
    check_observed(profile)
    _check_identified(profile, number, asked)
    data = MallowsData.of(profile, Deadline.after(time_limit_of(time_limit)), distance)
    if family != "mallows":
        _check_strict(data)
    elif not data.is_exact:
        allowed = "rankings whose completions can be summed over"
        remedy = "Leave out rankings with many gaps, or ties beside gaps."
        raise InvalidInputError("profile", allowed, Described("larger ones"), remedy)
    chosen = family_of(data, asked)
    return _fitted(chosen, _climbs(chosen, number, asked, rng, n_jobs), asked)


def family_of(data: MallowsData, asked: dict[str, Any]) -> Family:
    """Return the family that a fit was asked for."""
    if asked["family"] == "mallows":
        return MallowsFamily(data, asked["max_theta"])
    return PlackettLuceFamily(data, asked["ridge"])


def _climbs(
    family: Family, number: int, asked: dict[str, Any], rng: RNGLike, n_jobs: int | None
) -> list[Climb]:
    from joblib import Parallel, delayed  # noqa: PLC0415 - only where it is used

    starts = [
        begin(family, number, seed, noise=asked["noise"])
        for seed in as_generator(rng).spawn(asked["n_starts"])
    ]
    steps = asked["max_iterations"]
    pool = Parallel(n_jobs=n_jobs)
    climbs: list[Climb] = pool(delayed(searched)(family, start, steps) for start in starts)
    return climbs


def _check_strict(data: MallowsData) -> None:
    if any((chosen.sum(axis=1) > 1).any() for _, _, chosen in stage_masks(data.ranks)):
        remedy = "Break the ties, or take family='mallows', which sums over what they leave open."
        allowed = "free of ties for 'plackett-luce'"
        raise InvalidInputError("profile", allowed, Described("ties"), remedy)


def _check_identified(profile: Profile, k: int, asked: dict[str, Any]) -> None:
    """Raise where there are certainly several mixtures with the same probabilities."""
    n, is_mallows = profile.n_items, asked["family"] == "mallows"
    if not is_mallows and k > 1 and n <= 2 * k - 1:
        raise NotIdentifiedError(
            f"A mixture of {counted(k, 'Plackett-Luce distribution')} is not identified by "
            f"rankings of {counted(n, 'item')}: that takes {2 * k} or more. Fit fewer components, "
            "or family='mallows'."
        )
    free = k * (1 if is_mallows else n - 1) + k - 1 + asked["noise"]
    # Rankings of the same items that end at the same place have so many outcomes.
    observed = profile.ranks != UNRANKED
    kinds = np.unique(np.column_stack([observed, (profile.ranks >= 0).sum(axis=1)]), axis=0)
    sizes = kinds[:, :-1].sum(axis=1)
    known = lgamma(free + 2.0)
    outcomes = sum(
        min(np.exp(min(lgamma(s + 1.0) - lgamma(s - min(t, s - 1) + 1.0), known)), free + 1.0) - 1.0
        for s, t in zip(sizes.tolist(), kinds[:, -1].tolist(), strict=True)
        if s
    )
    if profile.is_strict and free > round(outcomes):
        raise NotIdentifiedError(
            f"A mixture of {free} free parameters is not identified by rankings that can come out "
            f"in {counted(round(outcomes) + 1, 'way')}. Fit fewer components."
        )


def _fitted(family: Family, climbs: list[Climb], asked: dict[str, Any]) -> MixtureFit:
    """Return the best of some climbs, its components by weight."""
    heights = np.array([climb.height for climb in climbs])
    best = searched(family, climbs[int(heights.argmax())], asked["max_iterations"], CLOSE)
    noise = int(asked["noise"])
    number = len(best.parts) - noise
    order = [*np.argsort(-best.weights[:number], kind="stable"), *range(number, number + noise)]
    best = replace(best, parts=tuple(best.parts[k] for k in order), weights=best.weights[order])
    mixture = Mixture(best.parts, best.weights)
    data, logs = family.data, logsumexp(log_parts(family, best), axis=1)
    names, estimates, covariance = _estimates(family, best, number)
    reached = int((heights >= best.height - REACHED_WITHIN * abs(best.height)).sum())
    notes = [
        f"{reached} of {counted(len(heights), 'start')} reached the best value; that it is the "
        "maximum is not proved.",
        *Evidence(data.profile).gaps(by_policy=False),
    ]
    for k, part in enumerate(best.parts[:number], 1):
        if not isinstance(part, Mallows):
            continue
        notes.append(f"Component {k}: center {part.center._arrows()}")
        if part.theta >= asked["max_theta"]:
            notes.append(
                f"Component {k} is one ranking: theta is at its bound {part.theta:g}, and has no "
                "standard error. The likelihood, AIC, BIC and ICL depend on the bound; "
                f"{'' if noise else 'a noise component or '}fewer components may do without."
            )
    if isinstance(family, PlackettLuceFamily):
        notes.append(
            f"With a ridge of {family.ridge:g} on log worths, which sum to 0 in each component; "
            "the likelihood is of the data."
        )
    notes.append(
        "Standard errors are from outer products of scores, and hold centers for known; "
        "`bootstrap` does not."
    )
    if not best.converged:
        notes.append("Not converged: what is shown is not a maximum. Raise `max_iterations`.")
    shares = mixture.memberships(data.profile)
    weights = data.profile.counts * effective_weights(data.profile)
    per_part = 1 if isinstance(family, MallowsFamily) else data.profile.n_items - 1
    return MixtureFit(
        distribution=mixture,
        names=names,
        estimates=estimates,
        covariance=covariance,
        log_likelihood=float(data.weights @ logs),
        n_parameters=number * per_part + len(best.parts) - 1,
        n_observations=data.total,
        converged=best.converged,
        n_iterations=best.n_iterations,
        notes=tuple(notes),
        membership_entropy=-float(weights @ xlogy(shares, shares).sum(axis=1)),
        start_values=heights,
        share_of_best=reached / len(heights),
        _data=data.profile,
        _asked=asked,
    )


def _estimates(family: Family, best: Climb, number: int) -> tuple[tuple[str, ...], Floats, Floats]:
    """Return names, estimates and covariance: weights, then the parameters of each component."""
    data, weights = family.data, best.weights
    joint = log_parts(family, best)
    shares = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    names = [f"weight {k + 1}" for k in range(number)] + ["weight of noise"] * (
        len(weights) - number
    )
    own = [family.parameters(part) for part in best.parts[:number]]
    # Log odds of weights, and worths of a component, are known up to a constant.
    tables, moves = [shares - weights], [np.diag(weights) - np.outer(weights, weights)]
    for k, part in enumerate(best.parts[:number]):
        is_mallows, width = isinstance(family, MallowsFamily), len(own[k])
        labels = ["theta"] if is_mallows else list(map(str, data.profile.items))
        names += [f"{label} {k + 1}" if is_mallows else f"{k + 1}: {label}" for label in labels]
        found = family.scores(part) * shares[:, [k]]
        at_bound = isinstance(family, MallowsFamily) and own[k][0] >= family.max_theta
        tables.append(np.full_like(found, np.nan) if at_bound else found)
        moves.append(np.eye(width) - (0.0 if is_mallows else 1.0 / width))
    table = np.hstack(tables)
    known = ~np.isnan(table[0])
    information = table[:, known].T @ (table[:, known] * data.weights[:, None])
    if isinstance(family, PlackettLuceFamily):
        information[np.diag_indices(len(information))] += family.ridge * (
            np.arange(len(known)) >= len(weights)
        )
    scale = 1.0 / np.sqrt(np.maximum(np.diag(information), 1e-300))
    around = np.outer(scale, scale)
    inverse = np.linalg.pinv(information * around, rcond=1e-9, hermitian=True) * around
    move = scipy.linalg.block_diag(*moves)[np.ix_(known, known)]
    covariance = np.full((len(known),) * 2, np.nan)
    covariance[np.ix_(known, known)] = move @ inverse @ move.T
    return tuple(names), np.concatenate([weights, *own]), covariance


class MixtureFit(FitResult):
    """A fitted mixture.

    Made by `fit_mixture`. The parameters are the weights, then theta or the log worths of each
    component; components come by weight, noise last. `plot` draws a
    `rankagg.plotting.memberships_plot`.

    Attributes
    ----------
    distribution : Mixture
        The mixture.
    share_of_best : float
        The share of starts that reached the best value, to a 100,000th of its size.
    start_values : ndarray of float, shape (n_starts,)
        The value that each start reached: the log likelihood, less the ridge if any.
    membership_entropy : float
        The summed entropy of the memberships of the rankings, in nats: 0 where all are certain.
    """

    distribution: Mixture
    share_of_best: float = field(compare=False)
    start_values: Floats = field(compare=False)
    membership_entropy: float
    _data: Profile = field(compare=False)
    _asked: dict[str, Any] = field(compare=False)

    _plot = "memberships_plot"

    @property
    def weights(self) -> Floats:
        """The fitted weight of each component."""
        return self.distribution.weights

    @property
    def components(self) -> tuple[RankingDistribution, ...]:
        """The fitted components, by weight, noise last."""
        return self.distribution.components

    @property
    def n_components(self) -> int:
        """How many components there are beside noise."""
        return len(self.distribution.components) - int(self._asked["noise"])

    @property
    def icl(self) -> float:
        """The integrated completed likelihood criterion: BIC plus twice the entropy.

        References
        ----------
        Biernacki, Celeux and Govaert (2000), https://doi.org/10.1109/34.865189.
        """
        return self.bic + 2.0 * self.membership_entropy

    def memberships(self, profile: Profile | None = None) -> pd.DataFrame:
        """Return the probability that each ranking comes from each component.

        Parameters
        ----------
        profile : Profile, optional
            Rankings of the same items; by default those of the fit.

        Returns
        -------
        pandas.DataFrame
            One row per ranking; columns 1, 2, ... and "noise".
        """
        shares = self.distribution.memberships(self._data if profile is None else profile)
        columns = [*range(1, self.n_components + 1), *["noise"] * self._asked["noise"]]
        return pd.DataFrame(shares, columns=pd.Index(columns, name="component"))

    def test_more_components(
        self, *, n_resamples: int = 99, rng: RNGLike = None, n_jobs: int | None = None
    ) -> ComponentsTest:
        """Test "there are no more components" by simulating the likelihood ratio against one more.

        Parameters
        ----------
        n_resamples : int, default 99
            Samples drawn from this fit, with the gaps and ties of the data.
        rng : int or numpy.random.Generator, optional
            A seed or a generator.
        n_jobs : int, optional
            Workers for joblib, -1 for one a core. The result does not depend on it.

        Returns
        -------
        ComponentsTest

        References
        ----------
        McLachlan (1987), https://doi.org/10.2307/2347790.
        """
        from rankagg.distributions.mixtures.choice import test_components  # noqa: PLC0415

        times = check_integer(n_resamples, "n_resamples", low=1)
        return test_components(self, times, as_generator(rng), n_jobs)

    def bootstrap(
        self, *, n_resamples: int = 99, rng: RNGLike = None, n_jobs: int | None = None
    ) -> MixtureBootstrap:
        """Return errors by resampling rankings: centers are estimated anew each time.

        Parameters
        ----------
        n_resamples : int, default 99
            How often; each begins its climb at this fit.
        rng : int or numpy.random.Generator, optional
            A seed or a generator.
        n_jobs : int, optional
            Workers for joblib, -1 for one a core. The result does not depend on it.

        Returns
        -------
        MixtureBootstrap
        """
        from rankagg.distributions.mixtures.choice import bootstrap  # noqa: PLC0415

        times = check_integer(n_resamples, "n_resamples", low=2)
        return bootstrap(self, times, as_generator(rng), n_jobs)

    def conf_int(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return Wald intervals, within what a parameter can be.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of each, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            As `FitResult.conf_int` returns it.
        """
        frame = super().conf_int(alpha)
        of_weights, k = np.arange(len(frame)) < len(self.distribution.weights), -np.inf
        low = np.where(of_weights | (self._asked["family"] == "mallows"), 0.0, k)
        return frame.clip(low, np.where(of_weights, 1.0, np.inf), axis=0)

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return one row per parameter.

        Parameters
        ----------
        alpha : float, default 0.05
            For the intervals.

        Returns
        -------
        pandas.DataFrame
            As `FitResult.to_frame` returns it; z and p_value are NaN, since no parameter is asked
            whether it is 0.
        """
        frame = super().to_frame(alpha)
        frame[["z", "p_value"]] = np.nan
        return frame

    def _coefficients(self, alpha: float) -> pd.DataFrame:
        return super()._coefficients(alpha).drop(columns=["z", "P>|z|"])

    def _head(self) -> dict[str, str]:
        share = f"{100 * self.share_of_best:.3g} % of {counted(len(self.start_values), 'start')}"
        return {**super()._head(), "ICL:": f"{self.icl:.6g}", "Best value:": share}

    def _content(self, alpha: float = 0.05) -> dict[str, Any]:
        own = self._plain("icl", "share_of_best")
        return {**super()._content(alpha), **own, "distribution": self.distribution.to_dict()}
