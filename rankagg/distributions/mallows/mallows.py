"""The Mallows distribution under the Kendall distance, and under five others."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cached_property
from math import log
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Generator, Label, Ranks, RNGLike
from rankagg._validation import check_choice, check_number
from rankagg.aggregation.evidence import as_data
from rankagg.core import Permutation, Profile
from rankagg.distributions.base import RankingDistribution
from rankagg.distributions.mallows.compatible_sums import Completions, log_sums
from rankagg.distributions.mallows.displacements import DISTANCES
from rankagg.distributions.mallows.distance_centers import Completed
from rankagg.distributions.mallows.kendall_distances import as_center
from rankagg.distributions.mallows.model_distances import (
    DistanceMoments,
    DistanceName,
    ModelDistance,
)

if TYPE_CHECKING:
    from rankagg.distributions.mallows.fit import MallowsFit


class Mallows(RankingDistribution):
    """Permutations, each exp(-theta) times as likely for every unit of distance from the center.

    P(sigma) = exp(-theta d(sigma, center))/Z(theta), d the Kendall distance or another one. The
    probability of a ranking with ties, unlisted or unranked items is that of all its compatible
    permutations together: it was observed in part, and which part says nothing else. Under other
    distances than Kendall's these are gone through, up to 50,000 in all. `complete` draws one of
    them, under Kendall's by a Markov chain of 50 sweeps, so nearly in proportion to their
    probabilities.

    Parameters
    ----------
    center : Permutation or iterable of str or int
        The center; labels, best first.
    theta : float
        The dispersion parameter, not negative and finite: phi = exp(-theta) is the factor for each
        unit of distance. At theta 0, phi 1, the distribution is uniform.
    distance : str, default "kendall"
        "kendall": pairs in another order. "cayley": exchanges of two items. "hamming": items with
        another rank. "ulam": items that must be taken out and put in elsewhere, which is n less
        the longest order that both have in common. "footrule": displacements of items in sum.
        "spearman": squared displacements in sum. Cayley's, Hamming's and the displacements are the
        same of rankings as ranks of items and as items of ranks; Ulam's is of the order of items.

    Attributes
    ----------
    center : Permutation
        The center.
    theta : float
        The dispersion parameter; the larger, the closer are rankings to the center.
    distance : str
        The distance.

    Notes
    -----
    Sums over all rankings are exact, but for squared Spearman distances of more than 16 items:
    these are estimated with a fixed seed (Neal 2001), and `log_normalizer_error` is the standard
    error. The Ulam distance takes 50 items at most.

    References
    ----------
    Mallows (1957), "Non-null ranking models", https://doi.org/10.1093/biomet/44.1-2.114; Diaconis
    (1988), "Group representations in probability and statistics", chapter 6.

    Examples
    --------
    >>> from rankagg import Mallows, Permutation
    >>> mallows = Mallows("ABC", theta=1.0)
    >>> round(mallows.prob(Permutation.from_order("ACB")), 4)
    0.1789
    >>> mallows.sample(3, rng=0)
    <Profile of 3 rankings of 3 items, complete, strict>
    >>> round(Mallows("ABCDEFGH", theta=1.0, distance="footrule").mean_distance, 3)
    2.472
    """

    center: Permutation
    theta: float
    distance: DistanceName

    def __init__(
        self,
        center: Permutation | Iterable[Label],
        theta: float,
        distance: DistanceName = "kendall",
    ) -> None:
        middle, kind = as_center(center), check_choice(distance, get_args(DistanceName), "distance")
        at = check_number(theta, "theta", low=0)
        self._set(items=middle.items, center=middle, theta=at, distance=kind)

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
        return cls(center, abs(log(check_number(phi, "phi", low=0, high=1, open_low=True))))

    def _key(self) -> tuple[Hashable, ...]:
        return self.center, self.theta, self.distance

    def _parameters(self) -> dict[str, Any]:
        # As it was stored before there were others.
        kind = {} if self.distance == "kendall" else {"distance": self.distance}
        return {"center": list(self.center.order), "theta": self.theta, **kind}

    @property
    def _distance(self) -> ModelDistance:
        return DISTANCES[self.distance]

    @cached_property
    def _moments(self) -> DistanceMoments:
        return self._distance.moments(self.n_items, self.theta)

    @property
    def phi(self) -> float:
        """The dispersion parameter as a factor, phi = exp(-theta), in (0, 1]."""
        return float(np.exp(-self.theta))

    # -- probabilities ------------------------------------------------------------------------

    @property
    def log_normalizer(self) -> float:
        """Log Z(theta)."""
        return self._moments.log_normalizer

    @property
    def log_normalizer_error(self) -> float:
        """The standard error of log Z(theta) where it was estimated; else 0."""
        return self._moments.error

    def _log_probs(self, ranks: Ranks) -> Floats:
        if self.distance == "kendall":
            return log_sums(ranks[:, self._order], self.theta) - self.log_normalizer
        every = Completed.of(self._distance, self.items, ranks, np.ones(len(ranks)))
        return every.log_sums(self.center, self.theta) - self.log_normalizer

    def distance_probabilities(self) -> pd.Series[float]:
        """Return the probability of every distance to the center.

        Returns
        -------
        pandas.Series
            Index: the distances that there are.

        Raises
        ------
        InvalidInputError
            If rankings are too many to count by their distance: of more than 50 items for "ulam",
            100 for "footrule", 8 for "spearman".
        """
        distances, counts = self._distance.log_counts(self.n_items)
        there = np.isfinite(counts)
        chances = np.exp(counts - self.theta * distances - self.log_normalizer)[there]
        return pd.Series(chances, index=pd.Index(distances[there], name="distance"))

    @property
    def _order(self) -> Any:
        return np.argsort(self.center.ranks)

    # -- samples ------------------------------------------------------------------------------

    def _sample(self, size: int, rng: Generator) -> Ranks:
        drawn = self._distance.sample(self.n_items, self.theta, size, rng)
        return np.ascontiguousarray(drawn[:, self.center.ranks])

    def _complete(self, ranks: Ranks, rng: Generator) -> Ranks:
        if self.distance != "kendall":
            every = Completed.of(self._distance, self.items, ranks, np.ones(len(ranks)))
            return every.drawn(self.center, self.theta, rng)
        chain = Completions(ranks[:, self._order], rng)
        for _ in range(50):
            chain.sweep(self.theta)
        return chain.places[:, self.center.ranks].astype(np.int32)

    # -- summaries ----------------------------------------------------------------------------

    @property
    def mode(self) -> Permutation:
        """The center; at theta = 0 every other permutation is as probable."""
        return self.center

    def pairwise_probabilities(self) -> Floats:
        """Return P(row before column), shape (n, n).

        In closed form for "kendall", "cayley" and "hamming"; else a sum over all rankings of up to
        8 items.
        """
        table = self._distance.pairs(self.n_items, self.theta)
        place = self.center.ranks
        return super().pairwise_probabilities() if table is None else table[np.ix_(place, place)]

    def rank_probabilities(self) -> Floats:
        """Return P(item i has rank k + 1) in row i and column k, shape (n, n).

        As for `pairwise_probabilities`.
        """
        table = self._distance.places(self.n_items, self.theta)
        return super().rank_probabilities() if table is None else table[self.center.ranks]

    def entropy(self) -> float:
        """Return the entropy in nats: theta E[d] + log Z."""
        return self.theta * self.mean_distance + self.log_normalizer

    @property
    def mean_distance(self) -> float:
        """The expected distance to the center."""
        return self._moments.mean

    @property
    def distance_variance(self) -> float:
        """The variance of the distance to the center."""
        return self._moments.variance

    # -- inference ----------------------------------------------------------------------------

    @classmethod
    def fit(
        cls,
        profile: Profile,
        *,
        distance: DistanceName = "kendall",
        center: Literal["kemeny", "borda"] | Permutation | Iterable[Label] | None = None,
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
        distance : str, default "kendall"
            As for `Mallows`.
        center : {"kemeny", "borda"}, Permutation or iterable of labels, optional
            By default by maximum likelihood. Of complete strict rankings that is the exact Kemeny
            consensus for "kendall", the order of the mean ranks for "spearman" and the best
            assignment of items to ranks for "footrule" and "hamming", all of them proved; for
            "cayley" and "ulam" all centers of up to 7 items are tried, and of more a search ends
            at a local maximum, as a note says. "kemeny" and "borda": that consensus, which is not
            the maximum for other distances. Or a given one.
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
        profile = as_data(profile, "profile")
        from rankagg.distributions.mallows.fit import fit_mallows  # noqa: PLC0415

        return fit_mallows(
            profile,
            distance=distance,
            center=center,
            max_iterations=max_iterations,
            rng=rng,
            time_limit=time_limit,
        )

    def __repr__(self) -> str:
        both = f"theta {self.theta:.4g}, phi {self.phi:.3g}"
        kind = "" if self.distance == "kendall" else f"{self.distance} distance, "
        return f"<Mallows distribution: {kind}{both}, center {self.center._arrows()}>"
