"""Nanson: whatever has no more than the average Borda count goes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankagg._typing import Unranked
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.voting.ranked import by_places
from rankagg.core.arithmetic import exact
from rankagg.core.rankings.partial import as_ranking

__all__ = ["Nanson"]


@dataclass(frozen=True, kw_only=True)
class Nanson(Aggregator):
    """Nanson's rule: in each round all items at or below the average Borda count go out.

    Items that go out in one round are ranked by their counts in it. Where all that remain have
    the same count, they tie.

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items; by default that of the matrix where the data are one, and
        "uniform" otherwise. Votes are counted once, with all items.

    Notes
    -----
    The count of an item is the sum of its margins over the items that remain; the average is 0.
    Some authors let items at the average stay; Niou compares both.

    References
    ----------
    Nanson (1882), "Methods of election", Transactions and Proceedings of the Royal Society of
    Victoria 19; Niou (1987), "A note on Nanson's rule", Public Choice 54.

    Examples
    --------
    >>> from rankagg import Nanson, Profile
    >>> ballots = Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2])
    >>> Nanson().aggregate(ballots)
    <Consensus by Nanson: A > B > C>
    """

    needs: ClassVar[Needs] = "votes"
    unranked: Unranked | None = None

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        votes = evidence.votes(self._stated_policy)
        margins = exact.combine(votes.scaled_wins, 1, votes.scaled_wins.T, -1)
        inside = np.arange(votes.n_items)
        ranks = np.zeros(votes.n_items, dtype=np.int32)
        while len(inside):
            counts = margins[np.ix_(inside, inside)].sum(axis=1)
            stays = counts > 0
            out = inside[~stays]
            ranks[out] = int(stays.sum()) + by_places((-counts[~stays]).tolist())
            inside = inside[stays]
        return Outcome(ranking=as_ranking(ranks, votes.items))
