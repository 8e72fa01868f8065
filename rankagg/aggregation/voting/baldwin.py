"""Baldwin: the lowest Borda count goes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankagg.aggregation.base import Needs
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.voting.eliminations import Count, Elimination, Round
from rankagg.aggregation.voting.lowest import lowest
from rankagg.core.arithmetic import exact

__all__ = ["Baldwin"]


@dataclass(frozen=True, kw_only=True)
class Baldwin(Elimination):
    """Baldwin's rule: in each round the item with the lowest Borda count goes out.

    The count of an item is the sum of its margins over the items that remain, which orders them
    as points do.

    Parameters
    ----------
    tie_breaking : {"together", "parallel", "order", "refuse"}, default "together"
        As for `InstantRunoff`.
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items; by default that of the matrix where the data are one, and
        "uniform" otherwise. Votes are counted once, with all items.

    References
    ----------
    Baldwin (1926), "The technique of the Nanson preferential majority system of election",
    Proceedings of the Royal Society of Victoria 39.

    Examples
    --------
    >>> from rankagg import Baldwin, Profile
    >>> ballots = Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2])
    >>> Baldwin().aggregate(ballots)
    <Consensus by Baldwin: A > B > C>
    """

    needs: ClassVar[Needs] = "votes"

    def _count(self, evidence: Evidence) -> Count:
        votes = evidence.votes(self._stated_policy)
        margins = exact.combine(votes.scaled_wins, 1, votes.scaled_wins.T, -1)

        def decide(inside: tuple[int, ...]) -> Round:
            return Round(lowest(inside, margins[np.ix_(inside, inside)].sum(axis=1)))

        return decide
