"""A proof that no ranking costs less, in a form that somebody else can check without a solver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np

from rankagg._typing import Label
from rankagg.aggregation.kemeny.nodes import WEIGHT_DENOMINATOR, Enumeration, Fixing, Leaf, Node
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.core.items import ItemSet
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.rankings import Permutation
from rankagg.exceptions import DataFormatError, VerificationError

__all__ = ["Certificate"]

SCHEMA = "rankagg.certificate"
VERSION = 1


@dataclass(frozen=True)
class Certificate:
    """What is proved about a ranking: no order costs less than `lower_bound`.

    The items are split into parts. The proof of each part bounds the pairs within it; every other
    pair costs at least its cheaper direction. `verify` checks all of it against the votes, in
    integers and without a solver.

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
    proofs : tuple of Proof
        One per part, for disjoint parts.
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
    proofs: tuple[Proof, ...] = ()
    tolerance: float = 0.0

    @classmethod
    def build(
        cls,
        votes: PairwiseMatrix,
        order: Sequence[int],
        proofs: Iterable[Proof],
        *,
        tie_cost: float = 0.0,
    ) -> Certificate:
        """State what proofs prove about an order.

        Parameters
        ----------
        votes : PairwiseMatrix
            The votes.
        order : sequence of int
            Positions of the items, best first.
        proofs : iterable of Proof
            For disjoint parts of the items.
        tie_cost : float, default 0
            What a vote that ties two items costs.

        Returns
        -------
        Certificate
        """
        problem = Problem.from_pairwise(votes, tie_cost)
        proved = tuple(proofs)
        pairs = votes.n_items * (votes.n_items - 1) // 2
        return cls(
            items=votes.items.labels,
            order=tuple(int(i) for i in order),
            scaled_cost=problem.cost(np.asarray(order)),
            scaled_lower_bound=_total_bound(problem, proved),
            denominator=problem.denominator,
            tie_cost=tie_cost,
            proofs=proved,
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

    @property
    def n_cycles(self) -> int:
        """The number of weighted 3-cycles, over all cases and fixings of all parts."""
        fixing = (node.leaf for node in self._nodes() if isinstance(node, Fixing))
        return sum(len(leaf.cycles) for leaf in chain(self._leaves(), fixing))

    @property
    def n_cases(self) -> int:
        """The number of cases that the proof distinguishes, over all parts."""
        return sum(1 for _ in self._leaves())

    def _leaves(self) -> Iterable[Leaf]:
        return (node for node in self._nodes() if isinstance(node, Leaf))

    def _nodes(self) -> Iterable[Node]:
        return chain.from_iterable(proof.nodes for proof in self.proofs)

    def summary(self) -> str:
        """Return one line: status, cost, bound, and what proves it."""
        exactness = "exact" if self.tolerance == 0 else f"to within {self.tolerance:.2g} votes"
        proof = f"proved by {self._means()}, {exactness}"
        if self.status == "optimal":
            return f"optimal: no ranking costs less than {self.lower_bound:g} ({proof})"
        return (
            f"gap: cost {self.cost:g}, no ranking costs less than {self.lower_bound:g} "
            f"({100 * self.relative_gap:.3g} % below; {proof})"
        )

    def _means(self) -> str:
        means = []
        if self.n_cycles:
            plural = "" if self.n_cycles == 1 else "s"
            means.append(f"{self.n_cycles} weighted 3-cycle{plural}")
        if any(Enumeration() in proof.nodes for proof in self.proofs):
            means.append("enumeration of subsets")
        cases = sum(len(proof.nodes) > 1 for proof in self.proofs) and self.n_cases
        return (" and ".join(means) or "majorities alone") + (f" in {cases} cases" if cases else "")

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
        if problem.denominator != self.denominator:
            raise VerificationError(
                f"The votes are over {problem.denominator}, the certificate over "
                f"{self.denominator}: it was made for other votes."
            )
        if sorted(self.order) != list(range(problem.n)):
            raise VerificationError(f"`order` is no order of {problem.n} items.")
        cost = problem.cost(np.array(self.order))
        if cost != self.scaled_cost:
            raise VerificationError(f"The ranking costs {cost}, not {self.scaled_cost} as stated.")
        proved = _total_bound(problem, self.proofs)
        if proved < self.scaled_lower_bound:
            raise VerificationError(
                f"The proofs show the bound {proved}, not {self.scaled_lower_bound} as stated."
            )
        if self.scaled_lower_bound > self.scaled_cost:
            raise VerificationError("The stated bound exceeds the cost of the ranking.")
        return True

    # -- on paper -----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with `schema` and `version`."""
        return {
            "schema": SCHEMA,
            "version": VERSION,
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
            "weight_denominator": WEIGHT_DENOMINATOR,
            "proofs": [proof.to_dict() for proof in self.proofs],
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
        known = (SCHEMA, VERSION, WEIGHT_DENOMINATOR)
        given = tuple(data.get(key) for key in ("schema", "version", "weight_denominator"))
        if given != known:
            raise DataFormatError(
                f"Not a certificate: schema, version and weight_denominator are {given}; "
                f"expected {known}."
            )
        try:
            return cls(
                items=tuple(data["items"]),
                order=tuple(data["order"]),
                scaled_cost=data["scaled_cost"],
                scaled_lower_bound=data["scaled_lower_bound"],
                denominator=data["denominator"],
                tie_cost=data["tie_cost"],
                proofs=tuple(Proof.from_dict(proof) for proof in data["proofs"]),
                tolerance=data["tolerance"],
            )
        except (KeyError, TypeError, ValueError) as error:
            raise DataFormatError(f"Not a complete certificate: {error!r}.") from None

    def __repr__(self) -> str:
        return f"<Certificate {self.summary()}>"


def _total_bound(problem: Problem, proofs: tuple[Proof, ...]) -> int:
    """Return the floor of all pairs, raised by what each part proves about its own."""
    taken: set[int] = set()
    bound = problem.floor
    for proof in proofs:
        positions = set(proof.positions)
        sound = positions <= set(range(problem.n)) and len(positions) == len(proof.positions)
        if not sound or positions & taken:
            raise VerificationError("The parts of a proof are not disjoint sets of items.")
        taken |= positions
        part = problem.restrict(np.array(proof.positions, dtype=np.intp))
        bound += proof.bound(problem) - part.floor
    return bound
