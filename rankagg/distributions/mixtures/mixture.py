"""Mixtures: rankings that come from one of several distributions, and it is not known which."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp, softmax

from rankagg._typing import Floats, Generator, Ranks
from rankagg._validation import as_numbers
from rankagg.core import PartialRanking, Profile, counted, permutation_of
from rankagg.distributions.base import MOST_ENUMERATED, RankingDistribution
from rankagg.exceptions import Described, InvalidInputError

if TYPE_CHECKING:
    from rankagg.distributions.mixtures.fit import MixtureFit

# How far from 1 the sum of weights may be.
WEIGHT_SLACK = 1e-9


class Mixture(RankingDistribution):
    """Rankings of which each comes from one of several distributions, by their weights.

    P(ranking) = sum_k weight_k P_k(ranking). What the probability of a partial ranking is of, each
    component says for itself; `complete` draws the component first, and what is open from it.

    Parameters
    ----------
    components : iterable of RankingDistribution
        Of the same items in the same order; none with ties, and no mixtures. `Uniform` is noise.
    weights : array_like of float, shape (k,), optional
        Not negative, with sum 1; equal ones by default.

    Attributes
    ----------
    components : tuple of RankingDistribution
        The components.
    weights : ndarray of float, shape (k,)
        Their shares of all rankings.

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
                remedy = "Its components are some of this one, by the products of their weights."
                raise InvalidInputError("components", "no mixtures", Described("one"), remedy)
            if getattr(part, "log_ties", None):
                told, remedy = Described("one with ties"), "Leave out its `log_ties`."
                raise InvalidInputError("components", "distributions without ties", told, remedy)
        equal = np.full(len(parts), 1.0 / len(parts))
        shares = equal if weights is None else as_numbers(weights, "weights").astype(np.float64)
        total = float(shares.sum())
        # What is no number compares as false.
        is_share = bool((shares >= 0).all()) and abs(total - 1.0) <= WEIGHT_SLACK
        if shares.shape != (len(parts),) or not is_share:
            allowed = f"{counted(len(parts), 'number')} from 0 on with sum 1, one per component"
            raise InvalidInputError("weights", allowed, weights)
        shares = shares.copy() if abs(total - 1.0) < 1e-14 else shares / total
        shares.flags.writeable = False
        self._set(items=parts[0].items, components=parts, weights=shares)

    @classmethod
    def fit(cls, profile: Profile, n_components: int, **options: Any) -> MixtureFit:
        """Return `fit_mixture` of the same parameters, so that mixtures are fitted as others are.

        Parameters
        ----------
        profile : Profile
            The rankings.
        n_components : int
            How many.
        **options
            Of `fit_mixture`.

        Returns
        -------
        MixtureFit
        """
        from rankagg.distributions.mixtures.fit import fit_mixture  # noqa: PLC0415

        return fit_mixture(profile, n_components, **options)

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
        logs: Floats = logsumexp(self._log_joint(ranks), axis=1)
        return logs

    def memberships(self, profile: Profile) -> Floats:
        """Return the probability that each ranking comes from each component.

        Parameters
        ----------
        profile : Profile
            m rankings of the same items.

        Returns
        -------
        ndarray of float, shape (m, k)
            Rows sum to 1; NaN where no component has a ranking.
        """
        if not isinstance(profile, Profile):
            raise InvalidInputError("profile", "a Profile", profile)
        self.items.require_same(profile.items, "A mixture and the rankings")
        with np.errstate(invalid="ignore"):
            return softmax(self._log_joint(profile.ranks), axis=1)

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
        """A most probable ranking of up to 8 items, by trying all; beyond, what a search finds.

        That begins at the most probable of the components' modes, and exchanges neighbors as long
        as one exchange raises the probability. It need not find the most probable one.
        """
        if self.n_items <= MOST_ENUMERATED:
            return super().mode
        starts = [part.mode.ranks for part in self.components]
        ranks = max(starts, key=lambda start: float(self._log_probs(start[None])[0]))
        height = float(self._log_probs(ranks[None])[0])
        while True:
            # The k-th exchanges the items of places k and k + 1.
            others = np.tile(ranks, (self.n_items - 1, 1))
            places = np.arange(self.n_items - 1)
            order = np.argsort(ranks)
            others[places, order[:-1]], others[places, order[1:]] = places + 1, places
            logs = self._log_probs(others)
            if logs.max() <= height + 1e-12:
                return permutation_of(ranks, self.items)
            ranks, height = others[logs.argmax()], float(logs.max())

    def pairwise_probabilities(self) -> Floats:
        """Return P(row before column), shape (n, n): what the components say, weighted."""
        tables = [part.pairwise_probabilities() for part in self.components]
        return np.asarray(np.tensordot(self.weights, tables, axes=1))

    def rank_probabilities(self) -> Floats:
        """Return P(item i has rank k + 1) in row i and column k: the components', weighted."""
        tables = [part.rank_probabilities() for part in self.components]
        return np.asarray(np.tensordot(self.weights, tables, axes=1))

    def __repr__(self) -> str:
        parts = zip(self.weights, self.components, strict=True)
        told = ", ".join(f"{weight:.3g} {part!r}" for weight, part in parts)
        return f"<Mixture of {counted(len(self.components), 'distribution')}: {told}>"
