"""What the exact rules for places have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from rankagg._typing import Unranked
from rankagg._validation import check_flag, check_number
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.deadline import Deadline, time_limit_of
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.placed.solve import solve_placed
from rankagg.aggregation.kemeny.progress import Listener
from rankagg.core.votes.pairwise import PairwiseMatrix
from rankagg.exceptions import InvalidInputError

__all__ = ["PlacedRule"]


@dataclass(frozen=True, kw_only=True)
class PlacedRule(Aggregator):
    """A rule whose consensus is a list: some first places, and all other items tied behind."""

    needs: ClassVar[Needs] = "votes"
    unranked: Unranked | None = None
    tie_cost: float = 0.0
    time_limit: float | None = None
    verify: bool = True
    on_progress: Listener | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        owner = type(self).__name__
        super().__post_init__()
        check_number(self.tie_cost, f"tie_cost of {owner}", low=0, high=1)
        time_limit_of(self.time_limit, f" of {owner}")
        check_flag(self.verify, f"verify of {owner}")
        if self.on_progress is not None and not callable(self.on_progress):
            raise InvalidInputError(f"on_progress of {owner}", "a function", self.on_progress)

    @abstractmethod
    def _weights(self, n_items: int) -> Sequence[Fraction]:
        """Return the weights of the places of so many items, none larger than the one before."""

    @property
    def _price(self) -> float:
        """What a vote costs that orders two items which are tied behind the list."""
        return 0.0

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        return self._aggregate_within(evidence, rng, Deadline())

    def _aggregate_within(
        self, evidence: Evidence, rng: np.random.Generator, deadline: Deadline
    ) -> Outcome:
        ends = deadline.sooner(self.time_limit)  # counting takes time too
        return self.solve(evidence.votes(self._stated_policy), deadline=ends)

    def solve(self, votes: PairwiseMatrix, *, deadline: Deadline | None = None) -> Outcome:
        """Solve the problem of pairwise votes; where all places count alike, as Kemeny's.

        Parameters
        ----------
        votes : PairwiseMatrix
            The votes.
        deadline : Deadline, optional
            When to stop; the rule's own time limit holds too.

        Returns
        -------
        Outcome
        """
        weights = self._weights(votes.n_items)
        if list(weights) == [1] * (votes.n_items - 1):
            kemeny = Kemeny(
                unranked=self.unranked, tie_cost=self.tie_cost, time_limit=self.time_limit,
                verify=self.verify, on_progress=self.on_progress,
            )  # fmt: skip
            return kemeny.solve(votes, deadline=deadline)
        return solve_placed(
            votes, weights, tie_cost=self.tie_cost,
            consensus_tie_cost=self._price, verify=self.verify, listener=self.on_progress,
            deadline=(deadline or Deadline()).sooner(self.time_limit),
        )  # fmt: skip
