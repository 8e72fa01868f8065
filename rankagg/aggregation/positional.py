"""Rules that give points for places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankagg._typing import Floats, Unranked
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.evidence import Evidence
from rankagg.core import places
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.places import UNRANKED
from rankagg.core.profile import Profile

__all__ = ["Borda"]


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
        mids = places.mid_ranks(profile.ranks)
        n = profile.n_items
        missing = profile.ranks == UNRANKED
        observed = n - missing.sum(axis=1, keepdims=True)
        if self.unranked == "uniform":
            points = n - (mids + 1) * (n + 1) / (observed + 1)
            fallback: float | Floats = (n - 1) / 2
        elif self.unranked == "last":
            bottom = places.mid_ranks(places.unranked_last(profile.ranks))
            points, fallback = n - 1 - bottom, 0.0
        else:
            points, fallback = observed - 1 - 2 * mids, 0.0
        weights: Floats = profile.counts * profile.weights
        return weights @ np.where(np.isnan(points), fallback, points)

    def _from_votes(self, votes: PairwiseMatrix) -> Floats:
        net: Floats = votes.margins.sum(axis=1)
        if votes.total_weight is None or self.unranked == "ignore":
            return net
        return ((votes.n_items - 1) * votes.total_weight + net) / 2
