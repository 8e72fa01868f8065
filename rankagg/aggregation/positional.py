"""Rules that give points for places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankagg._typing import Floats, Ranks, Unranked
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.evidence import Evidence
from rankagg.core import places
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.places import UNRANKED
from rankagg.core.profile import Profile

__all__ = ["Borda", "points"]


def points(ranks: Ranks, unranked: Unranked) -> Floats:
    """Return the points of every item in every ranking; see `Borda`.

    Parameters
    ----------
    ranks : ndarray of int32, shape (m, n)
        Places with codes.
    unranked : {"uniform", "ignore", "last"}
        The policy for unranked items.

    Returns
    -------
    ndarray of float, shape (m, n)
        From 0 to n - 1; under "ignore" wins less losses, from 1 - n to n - 1.
    """
    n = ranks.shape[1]
    if unranked == "last":
        bottom: Floats = n - 1 - places.mid_ranks(places.unranked_last(ranks))
        return bottom
    mids = places.mid_ranks(ranks)
    observed = (ranks != UNRANKED).sum(axis=1, keepdims=True)
    if unranked == "uniform":
        given, fallback = n - (mids + 1) * (n + 1) / (observed + 1), (n - 1) / 2
    else:
        given, fallback = observed - 1 - 2 * mids, 0.0
    result: Floats = np.where(np.isnan(given), fallback, given)
    return result


@dataclass(frozen=True, kw_only=True)
class Borda(Aggregator):
    """Borda count: n - 1 points for a first place down to 0 for the last, mean points for ties.

    The sum of ranks of the papers, counted from the other end. With unranked items the points
    are expected ones, in closed form and without a matrix, O(n) a ranking.

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, default "uniform"
        "uniform": an item's points are their mean over all compatible permutations,
        N - (r + 1)(N + 1)/(k + 1) for the item at the 0-based (mean) place r of k, and
        (N - 1)/2 for an unranked one. "ignore": wins less losses over the pairs that a ranking
        compares. "last": unranked items share the places below all others.

    Notes
    -----
    Scores are points, except under "ignore" and for plain matrices, where they are wins less
    losses. From a `PairwiseMatrix` the same scores follow from its row sums.

    References
    ----------
    Borda (1784); for partial rankings Himmi et al. (2023), whose sum over an N x N matrix this
    replaces.

    Examples
    --------
    >>> from rankagg import Borda, Profile
    >>> ballots = Profile.from_orders(["ABC", "BCA"], counts=[3, 2])
    >>> Borda().aggregate(ballots).scores
    array([6., 7., 2.])
    """

    needs: ClassVar[Needs] = "votes"
    unranked: Unranked = "uniform"

    def __post_init__(self) -> None:
        self._check_policy()

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        if evidence.has_rankings:
            return Outcome(scores=self._from_places(evidence.profile))
        return Outcome(scores=self._from_votes(evidence.votes(self.unranked)))

    def _from_places(self, profile: Profile) -> Floats:
        weights: Floats = profile.counts * profile.weights
        return weights @ points(profile.ranks, self.unranked)

    def _from_votes(self, votes: PairwiseMatrix) -> Floats:
        net: Floats = votes.margins.sum(axis=1)
        if votes.total_weight is None or self.unranked == "ignore":
            return net
        return ((votes.n_items - 1) * votes.total_weight + net) / 2
