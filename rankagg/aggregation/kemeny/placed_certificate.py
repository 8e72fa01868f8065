"""A proof that no list costs less, in a form that somebody else can check."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.placed_lists import PlacedProblem, enumerate_below, widest
from rankagg.aggregation.kemeny.problem import as_share
from rankagg.aggregation.kemeny.proved import (
    SCALED,
    STATED,
    Proved,
    read_share,
    tolerance_of,
)
from rankagg.check_certificate import NUMBER, BudgetError, Work
from rankagg.core.items import ItemSet, counted
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.rankings.partial import PartialRanking, as_ranking
from rankagg.exceptions import OutOfTimeError
from rankagg.io.strict_json import Field

__all__ = ["PlacedCertificate"]


def _read_placed(field: Field, n: int) -> tuple[int, ...]:
    positions = field.integers(high=n - 1)
    if len(set(positions)) < len(positions) or len(positions) > n - 1:
        field.refuse(f"at most {n - 1} different positions")
    return tuple(positions)


def _read_weights(field: Field, k: int, price: Fraction) -> tuple[Fraction, ...]:
    """Return as many weights as there are places, none larger than the one before it."""
    elements = field.elements()
    weights = tuple(element.fraction() for element in elements)
    if len(weights) != k:
        field.refuse("a list with a weight for each position of `placed`")
    if any(first < second for first, second in pairwise(weights)) or 0 in weights:
        field.refuse("free of zeros, with no weight larger than the one before it")
    if price and any(weight != 1 for weight in weights):
        field.refuse('"1" everywhere unless `consensus_tie_cost` is "0"')
    return weights


class PlacedCertificate(Proved):
    """What is proved about a list where places count: none costs less than `lower_bound`.

    It holds no rows, as other certificates do: `verify` goes through all beginnings of lists in
    integers, leaving out those that a bound or an exchange of two items rules out. It takes no
    solver, and about as long as the bound took to find. The reference specifies the file. It has
    no plot.

    Attributes
    ----------
    items : tuple of str or int
        The items in the order in which positions count.
    placed : tuple of int, length k
        The positions on the first k places, best first; all others are tied behind them.
    weights : tuple of Fraction, length k
        The weights of the places, none larger than the one before it.
    scaled_cost, scaled_lower_bound : int
        The cost of the list and the proved bound, times `denominator`.
    denominator : int
        What scaled numbers are divided by to be in votes.
    tie_cost, consensus_tie_cost : Fraction
        What a vote that ties two items costs where the list does not, and what one that orders two
        costs where the list ties them.
    tolerance : Fraction
        By how much, in votes, a stated cost can be off because weights were no simple fractions; 0
        means exact.
    fingerprint : str
        `PairwiseMatrix.fingerprint` of the votes.
    """

    placed: tuple[int, ...]
    weights: tuple[Fraction, ...]
    consensus_tie_cost: Fraction

    _schema = "rankagg.placed_certificate"
    _keys = (
        *STATED, "consensus_tie_cost", "fingerprint", "items", "weights", "placed", *SCALED,
    )  # fmt: skip
    _called = "list"

    @classmethod
    def build(
        cls,
        votes: PairwiseMatrix,
        placed: NDArray[np.intp],
        bound: int,
        *,
        weights: Sequence[Fraction],
        tie_cost: float | Fraction,
        consensus_tie_cost: float | Fraction,
        problem: PlacedProblem | None = None,
    ) -> PlacedCertificate:
        """State what is known about a list.

        Parameters
        ----------
        votes : PairwiseMatrix
            The votes.
        placed : ndarray of int, shape (k,)
            The positions on the first places.
        bound : int
            What no list costs less than, scaled; `verify` checks it.
        weights : sequence of Fraction
            The weights of the first k places.
        tie_cost, consensus_tie_cost : float or Fraction
            What ties cost; see the class.
        problem : PlacedProblem, optional
            What the votes state at these weights and prices, where it is known.

        Returns
        -------
        PlacedCertificate
        """
        if problem is None:
            problem = PlacedProblem.from_pairwise(votes, weights, tie_cost, consensus_tie_cost)
        return cls(
            items=votes.items.labels,
            placed=tuple(placed.tolist()),
            weights=tuple(weights[: problem.k]),
            scaled_cost=problem.cost(placed),
            scaled_lower_bound=bound,
            denominator=problem.denominator,
            tie_cost=as_share(tie_cost),
            consensus_tie_cost=as_share(consensus_tie_cost),
            tolerance=_tolerance(votes, weights[: problem.k]),
            fingerprint=votes.fingerprint,
        )

    @cached_property
    def ranking(self) -> PartialRanking:
        """The list whose cost is stated; a `Permutation` where it leaves out no more than one."""
        k = len(self.placed)
        ranks = np.full(len(self.items), k, dtype=np.int32)
        ranks[list(self.placed)] = np.arange(k)
        return as_ranking(ranks, ItemSet(self.items))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per place of the list.

        Returns
        -------
        pandas.DataFrame
            Columns rank (from 1), item and weight.
        """
        return pd.DataFrame(
            {
                "rank": range(1, len(self.placed) + 1),
                "item": ItemSet(self.items).at(np.array(self.placed, dtype=np.intp)),
                "weight": [float(weight) for weight in self.weights],
            }
        )

    def _means(self) -> str:
        return f"the beginnings of lists of {counted(len(self.placed), 'item')}"

    # -- its proof ----------------------------------------------------------------------------

    def _problem(self, votes: PairwiseMatrix) -> PlacedProblem:
        return PlacedProblem.from_pairwise(
            votes, self.weights, self.tie_cost, self.consensus_tie_cost
        )

    def _tolerance_of(self, votes: PairwiseMatrix) -> Fraction:
        return _tolerance(votes, self.weights)

    def _cost_in(self, problem: PlacedProblem) -> int:
        return problem.cost(np.array(self.placed, dtype=np.intp))

    def _bound_in(self, problem: PlacedProblem, work: Work) -> int:
        n, number = problem.n, NUMBER if problem.gains.dtype == object else 8
        work.hold(12 * number * n**2)
        # A beginning has what each item costs, twice, and some of them are grown before all.
        width = int(min(widest(n), work.size / (4 * n * (1 + 2 * number))))
        try:
            found = enumerate_below(
                problem, self.scaled_lower_bound, Deadline(work.ends), max(width, 1)
            )
        except OutOfTimeError:
            raise BudgetError(f"it takes more than {work.seconds:g} s") from None
        if not found.is_complete and width < widest(n) and found.bound < self.scaled_lower_bound:
            work.hold(inf)
        return found.bound

    # -- on paper -----------------------------------------------------------------------------

    @staticmethod
    def _read_order(members: dict[str, Field], n: int) -> dict[str, Any]:
        price = read_share(members["consensus_tie_cost"])
        placed = _read_placed(members["placed"], n)
        weights = _read_weights(members["weights"], len(placed), price)
        return {"consensus_tie_cost": price, "placed": placed, "weights": weights}

    def _plain_order(self) -> dict[str, Any]:
        return {
            "consensus_tie_cost": str(self.consensus_tie_cost),
            "weights": [str(weight) for weight in self.weights],
            "placed": list(self.placed),
        }


def _tolerance(votes: PairwiseMatrix, weights: Sequence[Fraction]) -> Fraction:
    """Return by how much a cost can be off: no pair counts more than the first weight."""
    return tolerance_of(votes) * max(weights, default=Fraction(1))
