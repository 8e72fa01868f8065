"""The base class of distributions over rankings, and the uniform distribution."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable
from functools import cached_property
from html import escape
from itertools import permutations
from math import lgamma
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from scipy.special import gammaln

from rankagg._typing import Bools, Floats, Generator, Label, Positions, Ranks, RNGLike
from rankagg._validation import as_generator, check_integer
from rankagg.core import (
    UNLISTED,
    UNRANKED,
    ItemSet,
    PartialRanking,
    Permutation,
    Profile,
    Value,
    canonical_profile,
    counted,
    label_numbers,
    listed,
    permutation_of,
    places,
)
from rankagg.exceptions import Described, InvalidInputError

if TYPE_CHECKING:
    from rankagg.distributions.fit_result import FitResult

SCHEMA = "rankagg.distribution"
# Most items whose permutations are enumerated.
MOST_ENUMERATED = 8
# Most rankings that are rows of their own.
MOST_COPIES = 10**7


def _are_strict(ranks: Ranks) -> Bools:
    """Return whether each row of ranks has no ties."""
    ordered = np.sort(ranks, axis=1)
    return np.asarray((ordered[:, 1:] != ordered[:, :-1]).all(axis=1))


def _all_places(n_items: int) -> Ranks:
    """Return the ranks of all n! permutations, one a row."""
    return np.array(list(permutations(range(n_items))), dtype=np.int32)


class RankingDistribution(Value):
    """A distribution over rankings of some items.

    A subclass sets `items`, identifies itself by `_key`, and implements `_log_probs` for valid
    ranks. Arguments are checked here. Draws and summaries enumerate all permutations of up to 8
    items, unless a subclass overrides them.

    Attributes
    ----------
    items : ItemSet
        The items.
    """

    items: ItemSet

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.items)

    # -- probabilities ------------------------------------------------------------------------

    def log_prob(self, data: PartialRanking | Profile) -> float:
        """Return the log probability of a ranking, or of independent rankings.

        Parameters
        ----------
        data : PartialRanking or Profile
            Of the same items. Each class defines the probability of a partial ranking.

        Returns
        -------
        float
            For a profile the sum over its rankings, times their counts and weights.
        """
        if isinstance(data, PartialRanking):
            return float(self.log_probs(Profile([data]))[0])
        return float(self.log_probs(data) @ (data.counts * data.weights))

    def log_probs(self, data: Profile) -> Floats:
        """Return the log probability of each ranking of a profile.

        Parameters
        ----------
        data : Profile
            m rankings of the same items.

        Returns
        -------
        ndarray of float, shape (m,)
            Counts and weights are ignored.
        """
        if not isinstance(data, Profile):
            raise InvalidInputError("data", "a ranking or a Profile", data)
        self.items.require_same(data.items, "A distribution and the rankings")
        return self._log_probs(data.ranks)

    def prob(self, data: PartialRanking | Profile) -> float:
        """Return the probability, the exponential of `log_prob`.

        Parameters
        ----------
        data : PartialRanking or Profile
            Of the same items.
        """
        return float(np.exp(self.log_prob(data)))

    @abstractmethod
    def _log_probs(self, ranks: Ranks) -> Floats:
        """Return the log probabilities of m rows of canonical places."""

    # -- samples ------------------------------------------------------------------------------

    def sample(self, size: int, *, rng: RNGLike = None) -> Profile:
        """Draw rankings.

        Parameters
        ----------
        size : int
            How many, at least 1.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator.

        Returns
        -------
        Profile
            One row per draw.
        """
        number = check_integer(size, "size", low=1)
        return canonical_profile(self.items, self._sample(number, as_generator(rng)))

    def _sample(self, size: int, rng: Generator) -> Ranks:
        """Draw ranks, shape (size, n)."""
        ranks, probabilities = self.enumerated
        return ranks[rng.choice(len(ranks), size, p=probabilities / probabilities.sum())]

    def complete(self, data: Profile, *, rng: RNGLike = None) -> Profile:
        """Draw complete rankings given partial ones.

        Parameters
        ----------
        data : Profile
            Rankings of the same items.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator.

        Returns
        -------
        Profile
            Complete and strict; every row is one draw, however large its count. Each class
            documents whether the draws are exact.
        """
        if not isinstance(data, Profile):
            raise InvalidInputError("data", "a Profile", data)
        self.items.require_same(data.items, "A distribution and the rankings to complete")
        ranks = data.ranks.copy()
        gaps = ~((ranks >= 0).all(axis=1) & _are_strict(ranks))
        if gaps.any():
            ranks[gaps] = self._complete(ranks[gaps], as_generator(rng))
        return data._replace(ranks=ranks)

    def _complete(self, ranks: Ranks, rng: Generator) -> Ranks:
        """Draw complete strict ranks for rows that have ties or gaps."""
        allowed = f"complete and strict for a {type(self).__name__} distribution"
        remedy = "Uniform, Mallows and PlackettLuce distributions complete rankings."
        raise InvalidInputError("data", allowed, Described("rankings with ties or gaps"), remedy)

    # -- summaries ----------------------------------------------------------------------------

    @property
    def mode(self) -> PartialRanking:
        """A most probable ranking."""
        ranks, probabilities = self.enumerated
        return permutation_of(ranks[np.argmax(probabilities)], self.items)

    def pairwise_probabilities(self) -> Floats:
        """Return P(row before column), shape (n, n); 0 on the diagonal."""
        ranks, probabilities = self.enumerated
        before = ranks[:, :, None] < ranks[:, None, :]
        return np.asarray(np.einsum("k,kij->ij", probabilities, before))

    def rank_probabilities(self) -> Floats:
        """Return P(item i has rank k + 1) in row i and column k, shape (n, n)."""
        ranks, probabilities = self.enumerated
        at = ranks[:, :, None] == np.arange(self.n_items)
        return np.asarray(np.einsum("k,kij->ij", probabilities, at))

    def entropy(self) -> float:
        """Return the entropy in nats."""
        return float(scipy.stats.entropy(self.enumerated[1]))

    @cached_property
    def enumerated(self) -> tuple[Ranks, Floats]:
        """Ranks of all permutations, one a row, and their probabilities; of up to 8 items."""
        if self.n_items > MOST_ENUMERATED:
            allowed = f"up to {MOST_ENUMERATED} for sums over all rankings"
            remedy = f"{type(self).__name__} can only draw and sum by enumeration."
            raise InvalidInputError("items", allowed, self.items, remedy)
        ranks = _all_places(self.n_items)
        return ranks, np.exp(self._log_probs(ranks))

    def expected_distance(self, ranking: PartialRanking | None = None) -> float:
        """Return the expected Kendall distance between a random ranking and a given one.

        Parameters
        ----------
        ranking : PartialRanking, optional
            Complete; by default the mode.

        Returns
        -------
        float
            In pairs; pairs tied in either ranking cost nothing.
        """
        target = self.mode if ranking is None else ranking
        if not isinstance(target, PartialRanking):
            raise InvalidInputError("ranking", "a PartialRanking or Permutation", ranking)
        self.items.require_same(target.items, "A distribution and the ranking")
        if not target.is_complete:
            raise InvalidInputError("ranking", "complete", Described(repr(target)))
        above = target.ranks[:, None] < target.ranks[None, :]
        # The chance that a draw reverses each pair of the ranking.
        return float(self.pairwise_probabilities().T[above].sum())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} distribution on {counted(self.n_items, 'item')}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>"

    # -- as plain data ------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with `schema` and `version`.

        Returns
        -------
        dict
            The input of `distribution_from_dict`, for the distributions of this package.
        """
        return {
            "schema": SCHEMA,
            "version": 1,
            "model": type(self).__name__,
            "items": list(self.items),
            **self._parameters(),
        }

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters, without the items, as plain data."""
        return {}


class Uniform(RankingDistribution):
    """Every permutation of the items has the same probability.

    A partial or tied ranking has the summed probability of its compatible permutations.

    Parameters
    ----------
    items : iterable of str or int
        The items.

    Examples
    --------
    >>> from rankagg import Permutation
    >>> from rankagg.distributions import Uniform
    >>> uniform = Uniform("ABC")
    >>> round(uniform.prob(Permutation.from_order("BCA")), 4)
    0.1667
    """

    def __init__(self, items: Iterable[Label]) -> None:
        self._set(items=ItemSet.coerce(items, ()))

    def _key(self) -> tuple[Hashable, ...]:
        return (self.items,)

    def _log_probs(self, ranks: Ranks) -> Floats:
        return _log_compatible(ranks) - lgamma(ranks.shape[1] + 1)

    def _sample(self, size: int, rng: Generator) -> Ranks:
        return np.argsort(rng.random((size, self.n_items)), axis=1).astype(np.int32)

    def _complete(self, ranks: Ranks, rng: Generator) -> Ranks:
        return places.sample_compatible(ranks, rng)

    @classmethod
    def fit(cls, data: Profile) -> FitResult:
        """Return the uniform distribution over the items of the rankings as a fit.

        Parameters
        ----------
        data : Profile
            The rankings. Nothing is estimated; the fit has their log likelihood.
        """
        # `fit_result` imports this file.
        from rankagg.distributions.fit_result import FitResult  # noqa: PLC0415

        uniform, weights = cls(data.items), data.counts * effective_weights(data)
        return FitResult(
            distribution=uniform,
            names=(),
            estimates=np.zeros(0),
            covariance=np.zeros((0, 0)),
            log_likelihood=float(weights @ uniform.log_probs(data)),
            n_parameters=0,
            n_observations=float(weights.sum()),
            converged=True,
            n_iterations=0,
        )

    @property
    def mode(self) -> Permutation:
        """The permutation in the order of the items; all permutations are equally probable."""
        return permutation_of(np.arange(self.n_items), self.items)

    def pairwise_probabilities(self) -> Floats:
        """Return P(row before column): 1/2."""
        before = np.full((self.n_items, self.n_items), 0.5)
        np.fill_diagonal(before, 0.0)
        return before

    def rank_probabilities(self) -> Floats:
        """Return P(item i has rank k + 1): 1/n."""
        return np.full((self.n_items, self.n_items), 1.0 / self.n_items)

    def entropy(self) -> float:
        """Return log n!."""
        return lgamma(self.n_items + 1)


def check_observed(profile: Profile) -> None:
    """Raise if an item is in no ranking."""
    unseen = (profile.ranks == UNRANKED).all(axis=0)
    if unseen.any():
        names = listed(profile.items.where(unseen))
        remedy = "Leave items out with `profile.restrict(...)`."
        allowed = "rankings that observe every item somewhere"
        raise InvalidInputError("data", allowed, Described(names), remedy)


def clusters_of(profile: Profile) -> Positions | None:
    """Return the cluster of each row, or None if all rankings are independent."""
    labels = profile.clusters
    if labels is None or len(set(labels)) == profile.counts.sum():
        return None
    return label_numbers(labels)


def effective_weights(profile: Profile) -> Floats:
    """Return the weights of the rows, scaled to sum to the effective number of rankings.

    That number is (sum w)^2/sum w^2 (Kish 1965, "Survey Sampling", section 11.7). With equal
    weights it is the number of rankings, whatever the unit of weights.
    """
    shares = profile.weights / profile.weights.max()
    return np.asarray(shares * float(profile.counts @ shares) / float(profile.counts @ shares**2))


def check_independent(profile: Profile) -> None:
    """Raise if some rankings are of one cluster."""
    if (clusters := clusters_of(profile)) is not None:
        got = Described(f"rankings of {counted(int(clusters.max()) + 1, 'cluster')}")
        remedy = "`with_clusters(None)` takes them as independent."
        raise InvalidInputError("data", "independent rankings", got, remedy)


def uncompressed(profile: Profile) -> Profile:
    """Return the profile with one row for every copy of a ranking; raise if some depend."""
    if profile.n_rankings > MOST_COPIES:
        raise InvalidInputError("data", f"a sample of at most {MOST_COPIES:,} rankings", profile)
    check_independent(profile)
    rows = np.repeat(np.arange(len(profile)), profile.counts)
    return profile._replace(ranks=profile.ranks[rows], rows=rows, counts=np.ones_like(rows))


def _log_compatible(ranks: Ranks) -> Floats:
    """Return the log of the number of compatible permutations of each row."""
    n = ranks.shape[1]
    start = np.where(ranks == UNLISTED, (ranks >= 0).sum(axis=1, keepdims=True), ranks)
    with np.errstate(invalid="ignore"):
        sizes = 2.0 * (places.mid_ranks(ranks) - start) + 1.0
    observed = ranks != UNRANKED
    # log s! of a bucket of s items, divided equally among them.
    ways = np.where(observed, gammaln(np.where(observed, sizes, 1.0) + 1.0), 0.0)
    shared = np.where(observed, ways / np.where(observed, sizes, 1.0), 0.0).sum(axis=1)
    return np.asarray(shared + gammaln(n + 1.0) - gammaln(observed.sum(axis=1) + 1.0))
