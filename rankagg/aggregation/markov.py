"""Rules that follow a walk from item to better item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankagg._typing import Unranked
from rankagg._validation import check_number
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.evidence import Evidence
from rankagg.core.rankings.partial import PartialRanking, as_ranking

__all__ = ["MC4"]

# Shares of time that differ by no more, relatively to 1/n, are equal.
EQUAL = 1e-9


@dataclass(frozen=True, kw_only=True)
class MC4(Aggregator):
    """Rank by the time that a walk spends at each item, which moves to items that beat it.

    At every step another item is drawn; the walk goes there if a majority puts it above, and
    stays otherwise (with half a chance to go where there is no majority). Now and then it starts
    anew anywhere, so that it never gets stuck. The scores are shares of time, from a linear
    system; those that differ by no more than 1e-9 of their mean are tied.

    Parameters
    ----------
    teleport : float, default 0.05
        The chance of a fresh start at each step, in (0, 1).
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items; by default that of the matrix where the data are one, and
        "uniform" otherwise.

    References
    ----------
    Dwork, Kumar, Naor and Sivakumar (2001), "Rank aggregation methods for the web",
    https://doi.org/10.1145/371920.372165.

    Examples
    --------
    >>> from rankagg import MC4, Profile
    >>> MC4().aggregate(Profile.from_orders(["ABC", "BCA"], counts=[3, 2]))
    <Consensus by MC4: A > B > C>
    """

    needs: ClassVar[Needs] = "votes"
    teleport: float = 0.05
    unranked: Unranked | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.teleport, "teleport of MC4", low=0, high=1, open_low=True, open_high=True)

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        votes = evidence.votes(self._stated_policy)
        n = votes.n_items
        beaten = (votes.scaled_wins < votes.scaled_wins.T).astype(np.float64)
        level = (votes.scaled_wins == votes.scaled_wins.T).astype(np.float64)
        moves = (beaten + level / 2.0) / n
        np.fill_diagonal(moves, 0.0)
        np.fill_diagonal(moves, 1.0 - moves.sum(axis=1))
        # time = (1 - t) time @ moves + t/n, with time summing to 1
        system = np.eye(n) - (1.0 - self.teleport) * moves.T
        time = np.linalg.solve(system, np.full(n, self.teleport / n))
        ranking = PartialRanking.from_scores(
            time, higher_is_better=True, tolerance=EQUAL / n, items=votes.items
        )
        return Outcome(scores=time, ranking=as_ranking(ranking.ranks, votes.items))
