"""The Kemeny rule: the ranking that contradicts the fewest votes, with a proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankagg._typing import Unranked
from rankagg._validation import check_choice, check_number
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.certificate import Certificate
from rankagg.aggregation.kemeny.decomposition import majority_components
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.pulp_models import solve_lazy, solve_naive

__all__ = ["Kemeny"]

Backend = Literal["lazy", "naive"]
SOLVERS = {"lazy": solve_lazy, "naive": solve_naive}


@dataclass(frozen=True, kw_only=True)
class Kemeny(Aggregator):
    """The exact Kemeny consensus: a strict ranking of least summed Kendall distance.

    The problem is split by strict majorities, each part solved, and the whole proved by a
    certificate that is verified before it is returned. Where the linear relaxation is not tight
    the certificate says "gap" instead of "optimal".

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, default "uniform"
        The policy for unranked items.
    tie_cost : float, default 0
        What a vote that judges two items equal costs, 0 to 1. It shifts every cost by the same
        amount and changes no optimum.
    backend : {"lazy", "naive"}, default "lazy"
        "lazy" adds the rows of the integer programme as they are violated, "naive" states them
        all at once (the textbook formulation, tolerable to some 60 items). Both use PuLP with
        its CBC.

    Notes
    -----
    Which of several optima comes back is unspecified.

    References
    ----------
    Kemeny (1959); Young and Levenglick (1978), doi:10.1137/0135023; as an integer programme
    Groetschel, Juenger and Reinelt (1984), doi:10.1287/opre.32.6.1195.

    Examples
    --------
    >>> from rankagg import Kemeny, Profile
    >>> consensus = Kemeny().aggregate(Profile.from_orders(["ABC", "BCA"], counts=[3, 2]))
    >>> consensus.order, consensus.cost, consensus.certificate.status
    (('A', 'B', 'C'), 4.0, 'optimal')
    """

    needs: ClassVar[Needs] = "votes"
    unranked: Unranked = "uniform"
    tie_cost: float = 0.0
    backend: Backend = "lazy"

    def __post_init__(self) -> None:
        self._check_policy()
        check_number(self.tie_cost, "tie_cost of Kemeny", low=0, high=1)
        check_choice(self.backend, tuple(SOLVERS), "backend of Kemeny")

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        votes = evidence.votes(self.unranked)
        problem = Problem.from_pairwise(votes, self.tie_cost)
        order: list[int] = []
        cycles: list[tuple[int, int, int, float]] = []
        for part in majority_components(problem):
            if len(part) == 1:
                order.append(int(part[0]))
                continue
            solution = SOLVERS[self.backend](problem.restrict(part))
            order += [int(part[i]) for i in solution.order]
            cycles += [
                (int(part[a]), int(part[b]), int(part[c]), dual)
                for a, b, c, dual in solution.cycles
            ]
        certificate = Certificate.build(votes, order, cycles, tie_cost=self.tie_cost)
        certificate.verify(votes)
        return Outcome(ranking=certificate.ranking, certificate=certificate)
