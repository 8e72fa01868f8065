"""Rules that go by the ranks of items: points for each, or the depth of a majority."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Integers, Ranks, Unranked
from rankagg.aggregation.base import Aggregator, Guarantee, Needs, Outcome
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.place_sums import (
    borda_points,
    borda_points_by_group,
    place_counts,
    summed_points,
)
from rankagg.core.arithmetic import exact
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.profile import Profile
from rankagg.core.rankings import places
from rankagg.core.rankings.places import UNRANKED

__all__ = ["Borda", "Bucklin", "points"]


def points(ranks: Ranks, unranked: Unranked) -> Floats:
    """Return the points of every item in every ranking; see `Borda`."""
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
    """Borda count: n - 1 points for first place down to 0 for the last, mean points for ties.

    The sum of ranks of the papers, counted from the other end. With unranked items the points
    are expected ones, in closed form and without a matrix, O(n) a ranking.

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, optional
        By default that of the matrix where the data are one, and "uniform" otherwise.
        "uniform": an item's points are their mean over all compatible permutations,
        N - (r + 1)(N + 1)/(k + 1) for the item at the 0-based (mean) rank r of k, and
        (N - 1)/2 for an unranked one. "ignore": wins less losses over the pairs that a ranking
        compares. "last": unranked items share the ranks below all others.

    Notes
    -----
    Scores are points, except under "ignore" and for plain matrices, where they are wins less
    losses. From a `PairwiseMatrix` the same scores follow from its row sums. They are summed in
    integers and rounded once, so that the order of the rankings changes no bit. On complete
    strict rankings the Kendall cost is at most five times the optimum.

    References
    ----------
    Borda (1784); for partial rankings Himmi et al. (2023), whose sum over an N x N matrix this
    replaces; for the guarantee Coppersmith, Fleischer and Rudra (2010),
    https://doi.org/10.1145/1798596.1798608.

    Examples
    --------
    >>> from rankagg import Borda, Profile
    >>> ballots = Profile.from_orders(["ABC", "BCA"], counts=[3, 2])
    >>> Borda().aggregate(ballots).scores
    array([6., 7., 2.])
    """

    needs: ClassVar[Needs] = "votes"
    guarantee: ClassVar[Guarantee] = Guarantee(5)
    unranked: Unranked | None = None

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        if evidence.has_rankings:
            return Outcome(scores=self._from_places(evidence.profile))
        if evidence.summary is not None:
            assert self.policy is not None, "the rule has one"
            return Outcome(scores=summed_points(evidence.summary, self.policy))
        votes = evidence.votes(self._stated_policy)
        return Outcome(scores=self._from_votes(votes, self._policy_for(evidence)))

    def _from_places(self, profile: Profile) -> Floats:
        assert self.policy is not None, "the rule has one"
        return borda_points(profile.ranks, profile.counts, profile.weights, self.policy)

    def _scores_by_group(self, profile: Profile, groups: NDArray[np.int64]) -> Floats | None:
        assert self.policy is not None, "the rule has one"
        if exact.as_rational(profile.weights).step:
            return None  # what a weight is read as depends on which others there are
        return borda_points_by_group(
            profile.ranks, profile.counts, profile.weights, self.policy, groups
        )

    def _from_votes(self, votes: PairwiseMatrix, policy: Unranked | None) -> Floats:
        margins = exact.combine(votes.scaled_wins, 1, votes.scaled_wins.T, -1)
        net = np.array([Fraction(int(lead), votes.denominator) for lead in margins.sum(axis=1)])
        if votes.exact_weight is not None and policy != "ignore":
            net = ((votes.n_items - 1) * votes.exact_weight + net) / 2
        return net.astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class Bucklin(Aggregator):
    """Rank by the depth at which more than half of all rankings have listed an item.

    At depth k an item has the votes of the rankings that rank it among their first k. Items
    that reach a majority at the same depth are ranked by their votes there; those that never do
    come last, by all their votes. Tied items share the ranks of their bucket evenly, and
    unlisted items those below the list. A ranking in which an item is unranked never votes for
    it, but counts among all. The score is n - depth + share of votes at that depth.

    References
    ----------
    Hoag and Hallett (1926), Proportional Representation; as a rule for one winner in Brams and
    Fishburn (2002), https://doi.org/10.1016/S1574-0110(02)80008-X.

    Examples
    --------
    >>> from rankagg import Bucklin, Profile
    >>> ballots = Profile.from_orders(["ABCD", "BCDA", "CDBA"], counts=[4, 3, 2])
    >>> Bucklin().aggregate(ballots)
    <Consensus by Bucklin: B > C > D > A>
    """

    needs: ClassVar[Needs] = "rankings"

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        profile = evidence.profile
        n = profile.n_items
        votes, _ = exact.as_votes(profile.counts, profile.weights)
        counts = place_counts(profile.ranks, votes)
        # A bucket of s items adds 1/s at every depth that it reaches into.
        over = lcm(*counts)
        listed: Integers = np.zeros((n, n), dtype=np.int64)
        for size, starts in counts.items():
            listed = exact.combine(listed, 1, _reached(starts, size), over // size)
        whole = over * int(votes.sum())
        majority = listed > whole // 2
        majority[:, -1] = True
        depth = majority.argmax(axis=1)
        shares = [int(row[at]) / whole for row, at in zip(listed, depth, strict=True)]
        scores: Floats = n - 1 - depth + np.array(shares)
        scores[(profile.ranks == UNRANKED).all(axis=0)] = np.nan
        return Outcome(scores=scores)


def _reached(starts: Integers, size: int) -> Integers:
    """Return the weight of the ranks that buckets of one size have up to every depth."""
    begun = np.cumsum(starts, axis=1)
    ended = np.zeros_like(begun)
    ended[:, size:] = begun[:, :-size]
    reached: Integers = np.cumsum(begun - ended, axis=1)
    return reached
