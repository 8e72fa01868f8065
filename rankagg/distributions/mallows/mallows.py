"""The Mallows distribution under the Kendall distance."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import log
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankagg._typing import Floats, Label, Ranks, RNGLike
from rankagg._validation import check_number
from rankagg.core.profile import Profile
from rankagg.core.rankings.partial import Permutation
from rankagg.distributions.base import RankingDistribution
from rankagg.distributions.mallows.compatible_sums import Completions, log_sums
from rankagg.distributions.mallows.kendall_distances import (
    as_center,
    distance_mean,
    distance_variance,
    mallows_log_normalizer,
    orders_from_stages,
    pair_stays,
    place_probabilities,
    sample_stages,
)

if TYPE_CHECKING:
    from rankagg.distributions.mallows.fit import MallowsFit


class Mallows(RankingDistribution):
    """Permutations, each exp(-theta) times as likely for every pair it has unlike the center.

    P(sigma) = exp(-theta d(sigma, center))/Z(theta), d the Kendall distance. The probability of a
    ranking with ties, unlisted or unranked items is that of all its compatible permutations
    together: it was observed in part, and which part says nothing else. `complete` draws one of
    these by a Markov chain of 50 sweeps, so nearly in proportion to their probabilities.

    Parameters
    ----------
    center : Permutation or iterable of str or int
        The center; labels, best first.
    theta : float
        The dispersion parameter, not negative and finite: phi = exp(-theta) is the factor for each
        pair. At theta 0, phi 1, the distribution is uniform.

    Attributes
    ----------
    center : Permutation
        The center.
    theta : float
        The dispersion parameter; the larger, the closer are rankings to the center.

    References
    ----------
    Mallows (1957), "Non-null ranking models", https://doi.org/10.1093/biomet/44.1-2.114.

    Examples
    --------
    >>> from rankagg import Mallows, Permutation
    >>> mallows = Mallows("ABC", theta=1.0)
    >>> round(mallows.prob(Permutation.from_order("ACB")), 4)
    0.1789
    >>> mallows.sample(3, rng=0)
    <Profile of 3 rankings of 3 items, complete, strict>
    """

    center: Permutation
    theta: float

    def __init__(self, center: Permutation | Iterable[Label], theta: float) -> None:
        middle = as_center(center)
        self._set(items=middle.items, center=middle, theta=check_number(theta, "theta", low=0))

    @classmethod
    def from_phi(cls, center: Permutation | Iterable[Label], phi: float) -> Mallows:
        """Create the distribution from phi = exp(-theta), so theta = -log(phi).

        Parameters
        ----------
        center : Permutation or iterable of str or int
            The center.
        phi : float
            In (0, 1]; 1 is uniform.

        Returns
        -------
        Mallows
        """
        share = check_number(phi, "phi", low=0, high=1, open_low=True)
        return cls(center, abs(log(share)))

    def _key(self) -> tuple[Hashable, ...]:
        return self.center, self.theta

    def _parameters(self) -> dict[str, Any]:
        return {"center": list(self.center.order), "theta": self.theta}

    @property
    def phi(self) -> float:
        """The dispersion parameter as a factor, phi = exp(-theta), in (0, 1]."""
        return float(np.exp(-self.theta))

    @property
    def thetas(self) -> Floats:
        """Theta once for every stage, shape (n - 1,)."""
        return np.full(self.n_items - 1, self.theta)

    # -- probabilities ------------------------------------------------------------------------

    @property
    def log_normalizer(self) -> float:
        """Log Z(theta)."""
        return mallows_log_normalizer(self.n_items, self.theta)

    def _log_probs(self, ranks: Ranks) -> Floats:
        return log_sums(ranks[:, self._order], self.theta) - self.log_normalizer

    @property
    def _order(self) -> Any:
        return np.argsort(self.center.ranks)

    # -- samples ------------------------------------------------------------------------------

    def _sample(self, size: int, rng: np.random.Generator) -> Ranks:
        passed = sample_stages(self.thetas, size, rng)
        # Under one theta a permutation and its inverse have the same distribution, so orders are
        # places.
        return np.ascontiguousarray(orders_from_stages(passed)[self.center.ranks].T)

    def _complete(self, ranks: Ranks, rng: np.random.Generator) -> Ranks:
        order = self._order
        chain = Completions(ranks[:, order], rng)
        for _ in range(50):
            chain.sweep(self.theta)
        return chain.places[:, self.center.ranks].astype(np.int32)

    # -- summaries ----------------------------------------------------------------------------

    @property
    def mode(self) -> Permutation:
        """The center; at theta = 0 every other permutation is as probable."""
        return self.center

    def pairwise_probabilities(self) -> Floats:
        """Return P(row before column), shape (n, n), in closed form."""
        n = self.n_items
        stays = pair_stays(n, self.theta)
        table = np.zeros((n, n))
        first, second = np.triu_indices(n, k=1)
        table[first, second] = stays[second - first]
        table[second, first] = 1.0 - stays[second - first]
        place = self.center.ranks
        return table[np.ix_(place, place)]

    def rank_probabilities(self) -> Floats:
        """Return P(item i has rank k + 1) in row i and column k, shape (n, n)."""
        return place_probabilities(self.thetas)[self.center.ranks]

    def entropy(self) -> float:
        """Return the entropy in nats: theta E[d] + log Z."""
        return self.theta * self.mean_distance + self.log_normalizer

    @property
    def mean_distance(self) -> float:
        """The expected Kendall distance to the center; n(n - 1)/4 at theta = 0."""
        return distance_mean(self.n_items, self.theta)

    @property
    def distance_variance(self) -> float:
        """The variance of the Kendall distance to the center."""
        return distance_variance(self.n_items, self.theta)

    # -- inference ----------------------------------------------------------------------------

    @classmethod
    def fit(
        cls,
        profile: Profile,
        *,
        center: Literal["kemeny", "borda"] | Permutation | Iterable[Label] = "kemeny",
        max_iterations: int = 500,
        rng: RNGLike = None,
        time_limit: float | None = None,
    ) -> MallowsFit:
        """Estimate the center and the dispersion parameter theta of a Mallows distribution.

        Parameters
        ----------
        profile : Profile
            The rankings. Ties, unlisted and unranked items are taken for what was not observed of a
            complete strict ranking, independently of it given what was ("missing at random").
        center : {"kemeny", "borda"}, Permutation or iterable of labels, default "kemeny"
            "kemeny": by maximum likelihood, which is the exact Kemeny consensus where rankings are
            complete and strict. "borda": the Borda consensus, quick and not the maximum. Or a given
            one.
        max_iterations : int, default 500
            Of expectation-maximization, for partial and tied rankings.
        rng : int or numpy.random.Generator, optional
            Used where a ranking has so many unranked items, or ties beside them, that the sum over
            its compatible permutations is too large: expected votes and the likelihood are then
            estimated from drawn completions, and a note says so.
        time_limit : float, optional
            Seconds for the search of the center. Of complete strict rankings it is then the best
            ranking found, and a note has its bound.

        Returns
        -------
        MallowsFit

        Raises
        ------
        OutOfTimeError
            If the center of partial or tied rankings was not found in time.
        InvalidInputError
            If all rankings agree with the center, so that theta has no finite maximum; or if some
            item is in no ranking.

        Examples
        --------
        >>> import rankagg as ra
        >>> fit = ra.Mallows.fit(ra.Mallows("ABCD", theta=1.0).sample(500, rng=0))
        >>> fit.distribution.center.order, round(fit.distribution.theta, 1)
        (('A', 'B', 'C', 'D'), 1.0)
        """
        from rankagg.distributions.mallows.fit import fit_mallows  # noqa: PLC0415

        return fit_mallows(
            profile, center=center, max_iterations=max_iterations, rng=rng, time_limit=time_limit
        )

    def __repr__(self) -> str:
        both = f"theta {self.theta:.4g}, phi {self.phi:.3g}"
        return f"<Mallows distribution: {both}, center {self.center._arrows()}>"
