"""Reciprocal rank fusion: a place is worth one over a constant and itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankagg._validation import check_number
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.place_sums import place_counts
from rankagg.core.arithmetic import exact
from rankagg.core.arithmetic.exact_sum import row_sums
from rankagg.core.rankings.places import UNLISTED, UNRANKED

__all__ = ["ReciprocalRankFusion"]


@dataclass(frozen=True, kw_only=True)
class ReciprocalRankFusion(Aggregator):
    """Sum 1/(k + rank) over the rankings, ranks from 1: what search engines merge lists by.

    The top of a ranking counts most, the more so the smaller k is. An item gets nothing from a
    ranking that leaves it out, whether it is off the list or was not observed, and is unranked
    where no ranking has observed it. Tied items get the mean of what their places give, which is
    what each gets on average when the tie is broken at random.

    Parameters
    ----------
    k : float, default 60
        At least 0. How little the first place stands out: at 60 it gives 1/61, the second 1/62.

    Notes
    -----
    What is left out counts as little as a rank far below all others: items that few rankings
    observe come out low, and rules with a policy for unranked items are fairer to them. Places
    are counted in integers, so that the order of the rankings changes no bit. There are n places
    for each item: time and memory grow as n^2 beside the rankings.

    References
    ----------
    Cormack, Clarke and Büttcher (2009), "Reciprocal rank fusion outperforms Condorcet and
    individual rank learning methods", https://doi.org/10.1145/1571941.1572114.

    Examples
    --------
    >>> from rankagg import Profile, ReciprocalRankFusion
    >>> lists = Profile.from_orders(["ABC", "ACB", "BCA", "BCA"])
    >>> ReciprocalRankFusion().aggregate(lists)
    <Consensus by ReciprocalRankFusion: B > A > C>
    >>> ReciprocalRankFusion(k=0).aggregate(lists).scores.round(2)
    array([2.67, 2.83, 1.83])
    """

    needs: ClassVar[Needs] = "rankings"
    k: float = 60

    def __post_init__(self) -> None:
        check_number(self.k, "k of ReciprocalRankFusion", low=0)

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        profile = evidence.profile
        votes, denominator = exact.as_votes(profile.counts, profile.weights)
        listed = np.where(profile.ranks == UNLISTED, np.int32(UNRANKED), profile.ranks)
        gains = 1.0 / (float(self.k) + np.arange(1, profile.n_items + 1))
        scores = np.zeros(profile.n_items)
        for size, starts in sorted(place_counts(listed, votes).items()):
            shares = np.lib.stride_tricks.sliding_window_view(gains, size).mean(axis=1)
            # Larger denominators are no NumPy integers.
            whole = starts if denominator < exact.INT64_SAFE else starts.astype(object)
            times = np.asarray(whole[:, : len(shares)] / denominator, dtype=np.float64)
            scores += row_sums(times * shares)
        scores[(profile.ranks == UNRANKED).all(axis=0)] = np.nan
        return Outcome(scores=scores)
