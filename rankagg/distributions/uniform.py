"""All permutations alike."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import lgamma

import numpy as np
from scipy.special import gammaln

from rankagg._typing import Floats, Label, Ranks
from rankagg.core.items import ItemSet
from rankagg.core.rankings import places
from rankagg.core.rankings.partial import Permutation
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.distributions.base import RankingDistribution

__all__ = ["Uniform"]


class Uniform(RankingDistribution):
    """Every permutation of the items has the same probability.

    A partial or tied ranking has the summed probability of its compatible permutations.

    Parameters
    ----------
    items : iterable of str or int
        The items.

    Examples
    --------
    >>> from rankagg import Permutation, Uniform
    >>> uniform = Uniform("ABC")
    >>> round(uniform.prob(Permutation.from_order("BCA")), 4)
    0.1667
    """

    def __init__(self, items: Iterable[Label]) -> None:
        self._set(items=ItemSet.coerce(items, ()))

    def _key(self) -> tuple[Hashable, ...]:
        return (self.items,)

    def _log_probs(self, ranks: Ranks) -> Floats:
        return log_compatible(ranks) - lgamma(self.n_items + 1)

    def _sample(self, size: int, rng: np.random.Generator) -> Ranks:
        return np.argsort(rng.random((size, self.n_items)), axis=1).astype(np.int32)

    def _complete(self, ranks: Ranks, rng: np.random.Generator) -> Ranks:
        return places.sample_compatible(ranks, rng)

    @property
    def mode(self) -> Permutation:
        """The permutation in the order of the items; every other one is as probable."""
        return Permutation(np.arange(self.n_items), self.items)

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


def log_compatible(ranks: Ranks) -> Floats:
    """Return the log of the number of compatible permutations of each row."""
    n = ranks.shape[1]
    listed = ranks >= 0
    start = np.where(ranks == UNLISTED, listed.sum(axis=1, keepdims=True), ranks)
    with np.errstate(invalid="ignore"):
        sizes = 2.0 * (places.mid_ranks(ranks) - start) + 1.0
    observed = ranks != UNRANKED
    # log s! of a bucket of s items, shared out among them.
    ways = np.where(observed, gammaln(np.where(observed, sizes, 1.0) + 1.0), 0.0)
    shared = np.where(observed, ways / np.where(observed, sizes, 1.0), 0.0).sum(axis=1)
    result: Floats = shared + gammaln(n + 1.0) - gammaln(observed.sum(axis=1) + 1.0)
    return result
