"""A proof that no ranking costs less, in a form that somebody else can check without a solver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from rankagg.aggregation.kemeny.problem import Problem, as_share
from rankagg.aggregation.kemeny.proofs.certificate_reader import (
    SCHEMA,
    VERSION,
    Content,
    read_certificate,
)
from rankagg.aggregation.kemeny.proofs.demands import Demands
from rankagg.aggregation.kemeny.proofs.nodes import (
    WEIGHT_DENOMINATOR,
    Branch,
    Enumeration,
    Fixing,
    Leaf,
    Persistent,
)
from rankagg.aggregation.kemeny.proofs.proof import Proof
from rankagg.aggregation.kemeny.proofs.proved import Proved, tolerance_of
from rankagg.aggregation.kemeny.proofs.total_bound import total_bound
from rankagg.check_certificate import Work
from rankagg.core.items import counted
from rankagg.core.rankings.partial import Permutation
from rankagg.core.votes.pairwise import PairwiseMatrix
from rankagg.exceptions import (
    VerificationError,
)

__all__ = ["Certificate"]

NONE = Demands()


class Certificate(Proved):
    """What is proved about a ranking: no order costs less than `lower_bound`.

    With constraints, that is said of the orders that keep them, and the ranking is one.

    The items are split into parts. The proof of each part bounds the pairs within it; every other
    pair costs at least its cheaper direction. `verify` checks all of it against the votes, in
    integers and without a solver. The reference specifies the file, and a short program in the
    documentation checks it without this package. It has no plot.

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
    tie_cost : Fraction
        What a vote that ties two items costs.
    tolerance : Fraction
        By how much, in votes, a stated cost can be off because weights were no simple fractions; 0
        means exact.
    fingerprint : str
        `PairwiseMatrix.fingerprint` of the votes.
    proofs : tuple of Proof
        For disjoint parts of the items; pairs in none of them count their cheaper direction.
    demands : Demands
        The constraints, over positions; empty where there are none.
    """

    order: tuple[int, ...]
    proofs: tuple[Proof, ...] = ()
    demands: Demands = Demands()

    _schema = SCHEMA
    _version = VERSION

    @classmethod
    def build(
        cls,
        votes: PairwiseMatrix,
        order: Sequence[int],
        proofs: Iterable[Proof],
        *,
        tie_cost: float | Fraction = 0.0,
        problem: Problem | None = None,
        demands: Demands = NONE,
    ) -> Certificate:
        """State what proofs prove about an order.

        Parameters
        ----------
        votes : PairwiseMatrix
            The votes.
        order : sequence of int
            Positions of the items, best first.
        proofs : iterable of Proof
            For disjoint parts of the items; `verify` checks their form.
        tie_cost : float or Fraction, default 0
            What a vote that ties two items costs.
        problem : Problem, optional
            That of these votes, where it is stated already.
        demands : Demands, optional
            The constraints.

        Returns
        -------
        Certificate
        """
        problem = problem or Problem.from_pairwise(votes, tie_cost)
        proved = tuple(proofs)
        return cls(
            items=votes.items.labels,
            order=tuple(int(i) for i in order),
            scaled_cost=problem.cost(np.asarray(order)),
            scaled_lower_bound=total_bound(problem, proved, demands),
            denominator=problem.denominator,
            tie_cost=as_share(tie_cost),
            tolerance=tolerance_of(votes),
            fingerprint=votes.fingerprint,
            proofs=proved,
            demands=demands,
        )

    # -- what it states -----------------------------------------------------------------------

    @cached_property
    def ranking(self) -> Permutation:
        """The ranking whose cost is stated."""
        return Permutation.from_order([self.items[i] for i in self.order], items=self.items)

    @property
    def n_cycles(self) -> int:
        """The number of weighted 3-cycles, over all cases and fixings of all parts."""
        return sum(len(leaf.cycles) for leaf in self._leaves())

    @property
    def n_rows(self) -> int:
        """The number of rows derived from cycles, over all parts."""
        return sum(len(proof.rows) for proof in self.proofs)

    @property
    def n_decided(self) -> int:
        """The number of pairs that are shown to be so in every optimum, over all parts.

        What follows from them by transitivity is not counted.
        """
        early = (node for p in self.proofs for node in p.nodes if isinstance(node, Persistent))
        return sum(len(node.pairs) for node in early)

    @property
    def n_cases(self) -> int:
        """The number of cases that the proof distinguishes, over all parts."""
        return sum(proof.n_cases for proof in self.proofs)

    def _leaves(self) -> Iterator[Leaf]:
        return (leaf for proof in self.proofs for leaf in proof.leaves())

    def to_frame(self) -> pd.DataFrame:
        """Return one row per proof: its items, cases, weighted 3-cycles and derived rows.

        Returns
        -------
        pandas.DataFrame
            n_items, n_cases, n_cycles, n_rows. Pairs within none of these parts need no proof.
        """
        rows = [
            (len(p.positions), p.n_cases, sum(len(leaf.cycles) for leaf in p.leaves()), len(p.rows))
            for p in self.proofs
        ]
        return pd.DataFrame(rows, columns=["n_items", "n_cases", "n_cycles", "n_rows"])

    def _others(self) -> str:
        return "no ranking under the constraints" if self.demands else "no ranking"

    def _means(self) -> str:
        means = []
        if self.n_cycles:
            plural = "" if self.n_cycles == 1 else "s"
            means.append(f"{self.n_cycles} weighted 3-cycle{plural}")
        if self.n_rows:
            means.append(f"{counted(self.n_rows, 'row')} derived from them")
        if self.n_decided:
            means.append(f"{counted(self.n_decided, 'pair')} that every optimum has")
        if any(Enumeration() in proof.nodes for proof in self.proofs):
            means.append("enumeration of subsets")
        splits = any(isinstance(n, Branch | Fixing) for p in self.proofs for n in p.nodes)
        cases = self.n_cases if splits else 0
        return (" and ".join(means) or "majorities alone") + (
            f" in {counted(cases, 'case')}" if cases else ""
        )

    # -- its proof ----------------------------------------------------------------------------

    @staticmethod
    def _read(data: object) -> Content:
        return read_certificate(data)

    def _problem(self, votes: PairwiseMatrix) -> Problem:
        return Problem.from_pairwise(votes, self.tie_cost)

    def _cost_in(self, problem: Problem) -> int:
        return problem.cost(np.array(self.order))

    def _bound_in(self, problem: Problem, work: Work) -> int:
        if not self.demands.hold(np.array(self.order)):
            raise VerificationError("The ranking breaks a constraint that is stated.")
        return total_bound(problem, self.proofs, self.demands, work)

    # -- on paper -----------------------------------------------------------------------------

    def _content(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "cost": str(self._in_votes(self.scaled_cost)),
            "lower_bound": str(self._in_votes(self.scaled_lower_bound)),
            "tolerance": str(self.tolerance),
            "tie_cost": str(self.tie_cost),
            "fingerprint": self.fingerprint,
            "items": list(self.items),
            "order": list(self.order),
            "scaled_cost": self.scaled_cost,
            "scaled_lower_bound": self.scaled_lower_bound,
            "denominator": self.denominator,
            "weight_denominator": WEIGHT_DENOMINATOR,
            "proofs": [proof.to_dict() for proof in self.proofs],
            **({"constraints": self.demands.to_dict()} if self.demands else {}),
        }
