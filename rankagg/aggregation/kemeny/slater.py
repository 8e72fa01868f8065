"""Slater's rule: the ranking that contradicts the fewest majorities, with a proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankagg._typing import Unranked
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.deadline import Deadline, time_limit_of
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.core.pairwise import PairwiseMatrix

__all__ = ["Slater"]


@dataclass(frozen=True, kw_only=True)
class Slater(Aggregator):
    """The ranking that contradicts the fewest majorities, whatever their size.

    It is Kemeny's ranking of a tournament in which each majority is one vote, and solved and
    proved as that: the certificate speaks of the votes that `tournament` returns, and its cost
    is the number of majorities contradicted. A pair without a majority costs nothing.

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items; by default that of the matrix where the data are one, and
        "uniform" otherwise.
    time_limit : float, optional
        Seconds after which the best ranking so far comes back, with its bound and status "gap".

    Notes
    -----
    Which of several optima comes back is unspecified; `Consensus.optima` is the set of all.

    References
    ----------
    Slater (1961), https://doi.org/10.1093/biomet/48.3-4.303.

    Examples
    --------
    >>> from rankagg import Profile, Slater
    >>> votes = Profile.from_orders(["ABCD", "BCDA", "DABC"], counts=[3, 2, 2])
    >>> consensus = Slater().aggregate(votes)
    >>> consensus.order, consensus.certificate.cost
    (('A', 'B', 'C', 'D'), 1.0)
    >>> consensus.certificate.verify(Slater.tournament(votes.pairwise()))
    True
    """

    needs: ClassVar[Needs] = "votes"
    unranked: Unranked | None = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        time_limit_of(self.time_limit, " of Slater")

    @property
    def is_strict(self) -> bool:
        """The consensus never ties items."""
        return True

    @staticmethod
    def tournament(votes: PairwiseMatrix) -> PairwiseMatrix:
        """Return one vote for each majority, and none for a pair without one.

        Parameters
        ----------
        votes : PairwiseMatrix
            Any votes.

        Returns
        -------
        PairwiseMatrix
        """
        majority = votes.scaled_wins > votes.scaled_wins.T
        return PairwiseMatrix.from_wins(majority.astype(np.float64), items=votes.items)

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        return self._aggregate_within(evidence, rng, Deadline())

    def _aggregate_within(
        self, evidence: Evidence, rng: np.random.Generator, deadline: Deadline
    ) -> Outcome:
        ends = deadline.sooner(self.time_limit)
        tournament = self.tournament(evidence.votes(self._stated_policy))
        return Kemeny(time_limit=self.time_limit).solve(tournament, deadline=ends)
