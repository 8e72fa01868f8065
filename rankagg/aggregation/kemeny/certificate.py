"""A proof of a lower bound on every order's cost, checked in integers and without a solver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np

from rankagg._typing import Label
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.core.items import ItemSet
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.rankings import Permutation
from rankagg.exceptions import DataFormatError, VerificationError

__all__ = ["Certificate", "Cycle", "dual_bound"]

SCHEMA = "rankagg.certificate"
WEIGHT_BITS = 20

#: Positions a, b, c and an integer weight: every order uses an arc of a -> b -> c -> a.
Cycle = tuple[int, int, int, int]


def dual_bound(problem: Problem, cycles: Iterable[Cycle], weight_denominator: int) -> Fraction:
    """Return the lower bound that weighted 3-cycles prove.

    Every order of a, b, c uses at least one of the arcs a before b, b before c, c before a. So
    taking a cycle's weight off the cost of its three arcs lowers every order's cost by at least
    that weight, and the cheaper direction of each remaining pair bounds the rest from below.

    Parameters
    ----------
    problem : Problem
        The integer costs.
    cycles : iterable of (int, int, int, int)
        Positions a, b, c and a non-negative integer weight.
    weight_denominator : int
        What the weights are divided by.

    Returns
    -------
    fractions.Fraction
        In the units of `problem.costs`.
    """
    rest = problem.costs.astype(object) * weight_denominator
    total = 0
    for a, b, c, weight in cycles:
        total += weight
        for i, j in ((a, b), (b, c), (c, a)):
            rest[i, j] -= weight
    pairs = np.triu(np.minimum(rest, rest.T), k=1).sum()
    return Fraction(total + int(pairs), weight_denominator) + problem.constant


@dataclass(frozen=True)
class Certificate:
    """What is proved about a ranking: no order costs less than `lower_bound`.

    Anybody can check it against the votes with `verify`, which uses integers and no solver.

    Attributes
    ----------
    items : tuple of str or int
        The items in the order in which positions count.
    order : tuple of int
        Positions of the items, best first: the ranking whose cost is stated.
    scaled_cost, scaled_lower_bound : int
        Cost of the ranking and the proved bound, raised to the next cost that an order can have;
        times `denominator`.
    denominator : int
        What scaled numbers are divided by to be in votes.
    tie_cost : float
        What a vote that ties two items costs.
    cycles : tuple of (int, int, int, int)
        Positions a, b, c and a weight, see `dual_bound`.
    weight_denominator : int
        What the weights are divided by.
    tolerance : float
        By how much the stated costs can be off because weights were no simple fractions; 0 means
        exact.
    """

    items: tuple[Label, ...]
    order: tuple[int, ...]
    scaled_cost: int
    scaled_lower_bound: int
    denominator: int
    tie_cost: float
    cycles: tuple[Cycle, ...]
    weight_denominator: int
    tolerance: float = 0.0

    @classmethod
    def build(
        cls,
        votes: PairwiseMatrix,
        order: Sequence[int],
        weighted_cycles: Iterable[tuple[int, int, int, float]],
        *,
        tie_cost: float = 0.0,
    ) -> Certificate:
        """Round weights to dyadic fractions and state what they prove.

        Parameters
        ----------
        votes : PairwiseMatrix
            The votes.
        order : sequence of int
            Positions of the items, best first.
        weighted_cycles : iterable of (int, int, int, float)
            Cycles with the dual values of a solver, in the units of `Problem.costs`; wrong values
            weaken the bound and cannot make it false.
        tie_cost : float, default 0
            What a vote that ties two items costs.

        Returns
        -------
        Certificate
        """
        problem = Problem.from_pairwise(votes, tie_cost)
        scale = 2**WEIGHT_BITS
        cycles = tuple(
            (a, b, c, weight)
            for a, b, c, dual in weighted_cycles
            if (weight := round(dual * scale)) > 0
        )
        bound = dual_bound(problem, cycles, scale)
        pairs = votes.n_items * (votes.n_items - 1) // 2
        return cls(
            items=votes.items.labels,
            order=tuple(int(i) for i in order),
            scaled_cost=problem.cost(np.asarray(order)),
            scaled_lower_bound=problem.next_attainable(bound),
            denominator=problem.denominator,
            tie_cost=tie_cost,
            cycles=cycles,
            weight_denominator=scale,
            tolerance=2 * votes.rounding * pairs,
        )

    # -- what it states -----------------------------------------------------------------------

    @property
    def cost(self) -> float:
        """Cost of the ranking in votes."""
        return float(Fraction(self.scaled_cost, self.denominator))

    @property
    def lower_bound(self) -> float:
        """No order costs less than this many votes."""
        return float(Fraction(self.scaled_lower_bound, self.denominator))

    @property
    def gap(self) -> float:
        """Cost less lower bound, in votes; 0 where the ranking is optimal."""
        return float(Fraction(self.scaled_cost - self.scaled_lower_bound, self.denominator))

    @property
    def relative_gap(self) -> float:
        """The gap as a share of the cost; 0 where the cost is 0."""
        return self.gap / self.cost if self.scaled_cost else 0.0

    @property
    def status(self) -> Literal["optimal", "gap"]:
        """Say whether cost and lower bound meet ("optimal") or not ("gap")."""
        return "optimal" if self.scaled_cost == self.scaled_lower_bound else "gap"

    @cached_property
    def ranking(self) -> Permutation:
        """The ranking whose cost is stated."""
        return Permutation.from_order([self.items[i] for i in self.order], items=self.items)

    def summary(self) -> str:
        """Return one line: status, cost, bound, and what proves it."""
        exactness = "exact" if self.tolerance == 0 else f"to within {self.tolerance:.2g} votes"
        cycles = "3-cycle" if len(self.cycles) == 1 else "3-cycles"
        by = f"{len(self.cycles)} weighted {cycles}" if self.cycles else "majorities alone"
        proof = f"proved by {by}, {exactness}"
        if self.status == "optimal":
            return f"optimal: no ranking costs less than {self.lower_bound:g} ({proof})"
        return (
            f"gap: cost {self.cost:g}, no ranking costs less than {self.lower_bound:g} "
            f"({100 * self.relative_gap:.3g} % below; {proof})"
        )

    # -- its proof ----------------------------------------------------------------------------

    def verify(self, votes: PairwiseMatrix) -> bool:
        """Check every statement against the votes, in integers and without a solver.

        Parameters
        ----------
        votes : PairwiseMatrix
            The votes that the ranking was computed from.

        Returns
        -------
        bool
            True; anything else raises.

        Raises
        ------
        VerificationError
            If a statement does not hold; the message says which.
        """
        votes.items.require_same(ItemSet(self.items), "A certificate and the votes")
        problem = Problem.from_pairwise(votes, self.tie_cost)
        n = problem.n
        if problem.denominator != self.denominator:
            raise VerificationError(
                f"The votes are over {problem.denominator}, the certificate over "
                f"{self.denominator}: it was made for other votes."
            )
        if sorted(self.order) != list(range(n)):
            raise VerificationError(f"`order` is no order of {n} items.")
        for a, b, c, weight in self.cycles:
            if not (0 <= a < n and 0 <= b < n and 0 <= c < n and len({a, b, c}) == 3):
                raise VerificationError(f"({a}, {b}, {c}) is no cycle of three of {n} items.")
            if weight < 0:
                raise VerificationError(f"Cycle ({a}, {b}, {c}) has the negative weight {weight}.")
        if self.weight_denominator < 1:
            raise VerificationError("`weight_denominator` is not positive.")
        cost = problem.cost(np.array(self.order))
        if cost != self.scaled_cost:
            raise VerificationError(f"The ranking costs {cost}, not {self.scaled_cost} as stated.")
        bound = dual_bound(problem, self.cycles, self.weight_denominator)
        proved = problem.next_attainable(bound)
        if proved < self.scaled_lower_bound:
            raise VerificationError(
                f"The cycles prove the bound {proved}, not {self.scaled_lower_bound} as stated."
            )
        if self.scaled_lower_bound > self.scaled_cost:
            raise VerificationError("The stated bound exceeds the cost of the ranking.")
        return True

    # -- on paper -----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with `schema` and `version`."""
        return {
            "schema": SCHEMA,
            "version": 1,
            "status": self.status,
            "items": list(self.items),
            "order": list(self.order),
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "scaled_cost": self.scaled_cost,
            "scaled_lower_bound": self.scaled_lower_bound,
            "denominator": self.denominator,
            "tie_cost": self.tie_cost,
            "tolerance": self.tolerance,
            "weight_denominator": self.weight_denominator,
            "cycles": [list(cycle) for cycle in self.cycles],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Certificate:
        """Read what `to_dict` wrote.

        Parameters
        ----------
        data : dict
            Plain data, as parsed from JSON.

        Returns
        -------
        Certificate

        Raises
        ------
        DataFormatError
            If `data` is no certificate of a known version.
        """
        if data.get("schema") != SCHEMA or data.get("version") != 1:
            raise DataFormatError(
                f"Not a certificate: schema {data.get('schema')!r}, version "
                f"{data.get('version')!r}; expected {SCHEMA!r}, version 1."
            )
        try:
            return cls(
                items=tuple(data["items"]),
                order=tuple(data["order"]),
                scaled_cost=data["scaled_cost"],
                scaled_lower_bound=data["scaled_lower_bound"],
                denominator=data["denominator"],
                tie_cost=data["tie_cost"],
                cycles=tuple((a, b, c, weight) for a, b, c, weight in data["cycles"]),
                weight_denominator=data["weight_denominator"],
                tolerance=data["tolerance"],
            )
        except (KeyError, TypeError, ValueError) as error:
            raise DataFormatError(f"Not a complete certificate: {error!r}.") from None

    def __repr__(self) -> str:
        return f"<Certificate {self.summary()}>"
