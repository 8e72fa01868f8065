"""Mixtures of distributions over rankings, and their fit."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import logsumexp, softmax, xlogy

from rankagg._typing import Floats, Generator, Ranks, RNGLike
from rankagg._validation import as_numbers, check_integer
from rankagg.aggregation import Evidence, Held, as_data, deadline_of
from rankagg.core import PartialRanking, Profile, counted, permutation_of
from rankagg.distributions.base import (
    MOST_ENUMERATED,
    RankingDistribution,
    Uniform,
    clusters_of,
    effective_weights,
)
from rankagg.distributions.fit_result import FitResult
from rankagg.distributions.mallows.mallows import Mallows
from rankagg.distributions.maximum import CLUSTERED
from rankagg.distributions.mixture_climb import find_mixture
from rankagg.exceptions import Described, InvalidInputError

# Relative tolerance within which a start has reached the best value.
REACHED_WITHIN = 1e-5
# Largest difference of the sum of weights from 1.
WEIGHT_SLACK = 1e-9


class Mixture(RankingDistribution):
    """A weighted mixture of distributions over rankings.

    P(ranking) = sum_k weight_k P_k(ranking). Each component defines the probability of a partial
    ranking. `complete` draws the component first, and then the completion from it.

    Parameters
    ----------
    components : iterable of RankingDistribution
        Of the same items in the same order, without ties; no mixtures. `Uniform` is noise.
    weights : array_like of float, shape (k,), optional
        Not negative, with sum 1; equal ones by default.

    References
    ----------
    McLachlan and Peel (2000), "Finite mixture models", https://doi.org/10.1002/0471721182; of
    Mallows distributions: Murphy and Martin (2003), https://doi.org/10.1016/S0167-9473(02)00165-2.

    Examples
    --------
    >>> import rankagg as ra
    >>> both = ra.Mixture([ra.Mallows("ABC", 2.0), ra.Mallows("CBA", 2.0)], [0.7, 0.3])
    >>> both.memberships(ra.Profile.from_orders(["ABC", "CAB"])).round(2)
    array([[1.  , 0.  ],
           [0.24, 0.76]])
    """

    components: tuple[RankingDistribution, ...]
    weights: Floats

    def __init__(
        self, components: Iterable[RankingDistribution], weights: ArrayLike | None = None
    ) -> None:
        parts = tuple(components) if isinstance(components, Iterable) else ()
        if not parts or not all(isinstance(part, RankingDistribution) for part in parts):
            raise InvalidInputError("components", "one or more distributions", components)
        for part in parts:
            parts[0].items.require_same(part.items, "The components of a mixture")
            if isinstance(part, Mixture):
                remedy = "Pass its components, with the products of the weights."
                raise InvalidInputError("components", "no mixtures", Described("one"), remedy)
            if getattr(part, "log_ties", None):
                got, remedy = Described("one with ties"), "Leave out its `log_ties`."
                raise InvalidInputError("components", "distributions without ties", got, remedy)
        equal = np.full(len(parts), 1.0 / len(parts))
        shares = equal if weights is None else as_numbers(weights, "weights").astype(np.float64)
        total = float(shares.sum())
        # NaN compares as false.
        is_share = bool((shares >= 0).all()) and abs(total - 1.0) <= WEIGHT_SLACK
        if shares.shape != (len(parts),) or not is_share:
            allowed = f"{counted(len(parts), 'number')} from 0 on with sum 1, one per component"
            raise InvalidInputError("weights", allowed, weights)
        shares = shares.copy() if abs(total - 1.0) < 1e-14 else shares / total
        shares.flags.writeable = False
        self._set(items=parts[0].items, components=parts, weights=shares)

    def _key(self) -> tuple[Hashable, ...]:
        return self.components, tuple(self.weights.tolist())

    def _parameters(self) -> dict[str, Any]:
        parts = [part.to_dict() for part in self.components]
        return {"weights": self.weights.tolist(), "components": parts}

    # -- probabilities ------------------------------------------------------------------------

    def _log_joint(self, ranks: Ranks) -> Floats:
        """Return log of weight times probability by each component, shape (m, k)."""
        each = np.stack([part._log_probs(ranks) for part in self.components], axis=1)
        with np.errstate(divide="ignore"):
            return each + np.log(self.weights)

    def _log_probs(self, ranks: Ranks) -> Floats:
        return logsumexp(self._log_joint(ranks), axis=1)

    def memberships(self, data: Profile) -> Floats:
        """Return the probability that each ranking comes from each component.

        Parameters
        ----------
        data : Profile
            m rankings of the same items.

        Returns
        -------
        ndarray of float, shape (m, k)
            Rows sum to 1; NaN for a ranking of probability 0.
        """
        if not isinstance(data, Profile):
            raise InvalidInputError("data", "a Profile", data)
        self.items.require_same(data.items, "A mixture and the rankings")
        with np.errstate(invalid="ignore"):
            return softmax(self._log_joint(data.ranks), axis=1)

    # -- samples ------------------------------------------------------------------------------

    def _sample(self, size: int, rng: Generator) -> Ranks:
        numbers = rng.multinomial(size, self.weights)
        drawn = [
            part._sample(int(number), rng)
            for part, number in zip(self.components, numbers, strict=True)
            if number
        ]
        return rng.permutation(np.concatenate(drawn))

    def _complete(self, ranks: Ranks, rng: Generator) -> Ranks:
        # The largest of the log weights plus Gumbel noise.
        joint = self._log_joint(ranks)
        chosen = (joint + rng.gumbel(size=joint.shape)).argmax(axis=1)
        completed = ranks.copy()
        for k, part in enumerate(self.components):
            if (chosen == k).any():
                completed[chosen == k] = part._complete(ranks[chosen == k], rng)
        return completed

    # -- summaries ----------------------------------------------------------------------------

    @property
    def mode(self) -> PartialRanking:
        """A most probable ranking of up to 8 items; beyond that, a local maximum.

        The local search starts at the most probable of the components' modes. It swaps neighbors
        as long as a swap raises the probability.
        """
        if self.n_items <= MOST_ENUMERATED:
            return super().mode
        starts = [part.mode.ranks for part in self.components]
        ranks = max(starts, key=lambda start: float(self._log_probs(start[None])[0]))
        height = float(self._log_probs(ranks[None])[0])
        while True:
            # Row k swaps the items of places k and k + 1.
            others = np.tile(ranks, (self.n_items - 1, 1))
            places = np.arange(self.n_items - 1)
            order = np.argsort(ranks)
            others[places, order[:-1]], others[places, order[1:]] = places + 1, places
            logs = self._log_probs(others)
            if logs.max() <= height + 1e-12:
                return permutation_of(ranks, self.items)
            ranks, height = others[logs.argmax()], float(logs.max())

    def pairwise_probabilities(self) -> Floats:
        """Return P(row before column), shape (n, n): the weighted mean over components."""
        tables = [part.pairwise_probabilities() for part in self.components]
        return np.tensordot(self.weights, tables, axes=1)

    def rank_probabilities(self) -> Floats:
        """Return P(item i has rank k + 1) in row i and column k: the mean over components."""
        tables = [part.rank_probabilities() for part in self.components]
        return np.tensordot(self.weights, tables, axes=1)

    # -- inference ----------------------------------------------------------------------------

    @classmethod
    def fit(
        cls,
        data: Held,
        n_components: int,
        *,
        noise: bool = False,
        n_starts: int = 20,
        max_theta: float = 12.0,
        rng: RNGLike = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
    ) -> MixtureFit:
        """Estimate a mixture of Mallows distributions by maximum likelihood.

        Expectation-maximization under Kendall's distance runs from many random starts; the best
        result is returned. Centers are exact in every step where those of `Mallows.fit` are. At
        the end of a climb, centers with one item moved are tried. The best result is not proved
        to be the maximum: see `share_of_best`.

        Parameters
        ----------
        data : Profile
            Rankings. Ties, unlisted and unranked items are missing observations, as for
            `Mallows.fit`.
        n_components : int
            Number of components without noise.
        noise : bool, default False
            Whether to add a `Uniform` component.
        n_starts : int, default 20
            Number of starts, each around rankings of the data.
        max_theta : float, default 12
            Upper bound of theta. A component at the bound is one ranking; a note names it.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator, for the starts.
        n_jobs : int, optional
            Processes, as joblib counts them; the result does not depend on it.
        time_limit : float, optional
            Seconds for all starts.

        Raises
        ------
        NotIdentifiedError
            If there are more parameters than different outcomes.
        InvalidInputError
            If options are out of range.
        OutOfTimeError
            If the climbs from all starts did not end in time.

        References
        ----------
        Murphy and Martin (2003), https://doi.org/10.1016/S0167-9473(02)00165-2.

        Examples
        --------
        >>> import rankagg as ra
        >>> both = ra.Mixture([ra.Mallows("ABCDE", 1.5), ra.Mallows("EBCDA", 1.0)], [0.6, 0.4])
        >>> fit = ra.Mixture.fit(both.sample(500, rng=0), 2, n_starts=5, rng=0)
        >>> [" ".join(part.mode.order) for part in fit.distribution.components]
        ['A B C D E', 'E B C D A']
        """
        profile = as_data(data)
        if not isinstance(profile, Profile) or profile.n_items < 2:
            raise InvalidInputError("data", "a Profile of two or more items", data)
        number = check_integer(n_components, "n_components", low=1)
        best = find_mixture(
            profile,
            number,
            noise=noise,
            n_starts=n_starts,
            max_theta=max_theta,
            deadline=deadline_of(time_limit),
            rng=rng,
            n_jobs=n_jobs,
        )
        fit = MixtureFit(
            distribution=cls(best.parts, best.weights),
            names=best.names,
            estimates=best.estimates,
            covariance=best.covariance * (1.0 if clusters_of(profile) is None else np.nan),
            log_likelihood=best.log_likelihood,
            n_parameters=number + len(best.parts) - 1,
            n_observations=best.total,
            converged=best.converged,
            n_iterations=best.n_iterations,
            start_values=best.heights,
            data=profile,
        )
        return replace(fit, notes=tuple(_notes(fit, max_theta)))

    def __repr__(self) -> str:
        parts = zip(self.weights, self.components, strict=True)
        terms = ", ".join(f"{weight:.3g} {part!r}" for weight, part in parts)
        return f"<Mixture of {counted(len(self.components), 'distribution')}: {terms}>"


def _notes(fit: MixtureFit, max_theta: float) -> Iterator[str]:
    n_starts, noise = len(fit.start_values), fit.n_components < len(fit.components)
    yield (
        f"{round(fit.share_of_best * n_starts)} of {counted(n_starts, 'start')} reached the best "
        "value, which is not proved to be the maximum."
    )
    yield from Evidence(fit.data).gaps(by_policy=False)
    for k, part in enumerate(fit.components, 1):
        if not isinstance(part, Mallows):
            continue
        yield f"Component {k}: center {part.center.to_text()}"
        if part.theta >= max_theta:
            yield (
                f"Component {k} is one ranking: theta is at its bound {part.theta:g}, and has no "
                "standard error. The likelihood, AIC, BIC and ICL depend on the bound. "
                f"Try {'' if noise else 'a noise component or '}fewer components."
            )
    by_scores = "Standard errors are from outer products of scores, given the centers."
    yield by_scores if clusters_of(fit.data) is None else CLUSTERED
    if not fit.converged:
        yield "Not converged: the estimates are not a maximum. Raise `n_starts`."


class MixtureFit(FitResult):
    """A fitted mixture.

    Made by `Mixture.fit`. The parameters are the weights, then theta of each component. Components
    are sorted by weight, noise last. `plot` draws a `rankagg.plotting.memberships_plot`.

    Attributes
    ----------
    distribution : Mixture
        The mixture.
    start_values : ndarray of float, shape (n_starts,)
        The log likelihood that each start reached.
    data : Profile
        The rankings.
    """

    distribution: Mixture
    start_values: Floats = field(compare=False)
    data: Profile = field(compare=False)

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
        """The number of components without noise."""
        return len(self.components) - isinstance(self.components[-1], Uniform)

    @property
    def share_of_best(self) -> float:
        """The share of starts that reached the best value, to a 100,000th of its size."""
        least = self.log_likelihood - REACHED_WITHIN * abs(self.log_likelihood)
        return float((self.start_values >= least).mean())

    @property
    def membership_entropy(self) -> float:
        """The summed entropy of the memberships of the rankings, in nats; 0 if all are certain."""
        shares = self.distribution.memberships(self.data)
        weights = self.data.counts * effective_weights(self.data)
        return -float(weights @ xlogy(shares, shares).sum(axis=1))

    @property
    def icl(self) -> float:
        """The integrated completed likelihood criterion: BIC plus twice the entropy.

        References
        ----------
        Biernacki, Celeux and Govaert (2000), https://doi.org/10.1109/34.865189.
        """
        return self.bic + 2.0 * self.membership_entropy

    def memberships(self, data: Profile | None = None) -> pd.DataFrame:
        """Return the probability that each ranking comes from each component.

        Parameters
        ----------
        data : Profile, optional
            Rankings of the same items; by default those of the fit.

        Returns
        -------
        pandas.DataFrame
            One row per ranking; columns 1, 2, ... and "noise".
        """
        shares = self.distribution.memberships(self.data if data is None else data)
        columns = [
            *range(1, self.n_components + 1),
            *["noise"] * (len(self.components) - self.n_components),
        ]
        return pd.DataFrame(shares, columns=pd.Index(columns, name="component"))

    def _bounds(self, alpha: float) -> pd.DataFrame:
        # Clip to the range of the parameter.
        frame = super()._bounds(alpha)
        of_weights = np.arange(len(frame)) < len(self.weights)
        return frame.clip(0.0, np.where(of_weights, 1.0, np.inf), axis=0)

    @property
    def _tests_zero(self) -> bool:
        return False

    def _head(self) -> dict[str, str]:
        share = f"{100 * self.share_of_best:.3g} % of {counted(len(self.start_values), 'start')}"
        return {**super()._head(), "ICL:": f"{self.icl:.6g}", "Best value:": share}

    def _content(self, alpha: float = 0.05) -> dict[str, Any]:
        own = self._plain("icl", "share_of_best")
        return {**super()._content(alpha), **own, "distribution": self.distribution.to_dict()}
