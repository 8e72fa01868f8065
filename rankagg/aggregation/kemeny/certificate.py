"""The certificates of a ranking and of a weak order: how they are built, and what they state.

Every number is a plain integer, every position an item of its part, every weight positive; parts
are disjoint, and the nodes of a proof are a tree whose children stand behind their parents. So a
check takes each node once and needs no recursion, and no number turns an inequality round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg.aggregation.kemeny.constraints import NO_DEMANDS, Demands
from rankagg.aggregation.kemeny.problem import Problem, as_share
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.aggregation.kemeny.proved import Proved, total_bound
from rankagg.aggregation.kemeny.weak_proof import WeakProblem, WeakProof
from rankagg.check_certificate import Branch, Enumeration, Fixing, Persistent, Strict, Weak
from rankagg.core import (
    ItemSet,
    PairwiseMatrix,
    PartialRanking,
    Permutation,
    as_ranking,
    counted,
)
from rankagg.exceptions import VerificationError


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
    demands: Demands = NO_DEMANDS

    _schema = "rankagg.certificate"
    _statement = Strict

    @classmethod
    def build(
        cls,
        votes: PairwiseMatrix,
        order: Sequence[int],
        proofs: Iterable[Proof],
        *,
        tie_cost: float | Fraction = 0.0,
        problem: Problem | None = None,
        demands: Demands = NO_DEMANDS,
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
        decided = demands.decided(problem.n) if demands else None
        if demands and decided is None:
            raise VerificationError("The constraints that are stated contradict each other.")
        places, proved = tuple(int(i) for i in order), tuple(proofs)
        cost, bound = problem.cost(np.array(places)), total_bound(problem, proved, decided)
        own = {"order": places, "proofs": proved, "demands": demands}
        return cls._built(votes, problem, cost, bound, tie_cost=tie_cost, **own)

    # -- what it states -----------------------------------------------------------------------

    @cached_property
    def ranking(self) -> Permutation:
        """The ranking whose cost is stated."""
        return Permutation.from_order([self.items[i] for i in self.order], items=self.items)

    @property
    def n_cycles(self) -> int:
        """The number of weighted 3-cycles, over all cases and fixings of all parts."""
        return sum(proof.n_triples for proof in self.proofs)

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

    def to_frame(self) -> pd.DataFrame:
        """Return one row per proof: its items, cases, weighted 3-cycles and derived rows.

        Returns
        -------
        pandas.DataFrame
            n_items, n_cases, n_cycles, n_rows. Pairs within none of these parts need no proof.
        """
        rows = [(len(p.positions), p.n_cases, p.n_triples, len(p.rows)) for p in self.proofs]
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

    # -- on paper -----------------------------------------------------------------------------

    @staticmethod
    def _order_of(stated: Strict) -> dict[str, Any]:
        return {"order": stated.order, "demands": Demands.of(stated.demands)}

    def _stated(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        constraints = {"constraints": self.demands.to_dict()} if self.demands else {}
        return {}, {"order": list(self.order)}, constraints


class TiedCertificate(Proved):
    """What is proved about a weak order: none costs less than `lower_bound`.

    The items are split into parts. The proof of each part bounds the pairs within it; every other
    pair costs at least the cheapest of its three places. `verify` checks all of it against the
    votes, in integers and without a solver. The reference specifies the file. It has no plot.

    Attributes
    ----------
    items : tuple of str or int
        The items in the order in which positions count.
    positions : tuple of tuple of int
        The weak order whose cost is stated: buckets of positions, best first, each ascending.
    scaled_cost, scaled_lower_bound : int
        Its cost and the proved bound, raised to the next cost that a weak order can have; times
        `denominator`.
    denominator : int
        What scaled numbers are divided by to be in votes.
    tie_cost, consensus_tie_cost : Fraction
        What a vote that ties two items costs where the weak order does not, and what one that
        orders two costs where the weak order ties them.
    tolerance : Fraction
        By how much, in votes, a stated cost can be off because weights were no simple fractions; 0
        means exact.
    fingerprint : str
        `PairwiseMatrix.fingerprint` of the votes.
    proofs : tuple of WeakProof
        For disjoint parts of the items; pairs in none of them count their cheapest place.
    """

    positions: tuple[tuple[int, ...], ...]
    consensus_tie_cost: Fraction
    proofs: tuple[WeakProof, ...] = ()

    _schema = "rankagg.weak_certificate"
    _statement = Weak
    _kind = WeakProof

    @classmethod
    def build(
        cls,
        votes: PairwiseMatrix,
        levels: NDArray[np.integer],
        proofs: Iterable[WeakProof],
        *,
        tie_cost: float | Fraction,
        consensus_tie_cost: float | Fraction,
        problem: WeakProblem | None = None,
    ) -> TiedCertificate:
        """State what proofs prove about a weak order.

        Parameters
        ----------
        votes : PairwiseMatrix
            The votes.
        levels : ndarray of int, shape (n,)
            One number per item, smaller is better, equal is tied.
        proofs : iterable of WeakProof
            For disjoint parts of the items; `verify` checks their form.
        tie_cost, consensus_tie_cost : float or Fraction
            What ties cost; see the class.
        problem : WeakProblem, optional
            That of these votes, where it is stated already.

        Returns
        -------
        TiedCertificate
        """
        problem = problem or WeakProblem.from_pairwise(votes, tie_cost, consensus_tie_cost)
        proved = tuple(proofs)
        buckets = (np.flatnonzero(levels == level).tolist() for level in np.unique(levels))
        own = {
            "positions": tuple(map(tuple, buckets)),
            "consensus_tie_cost": as_share(consensus_tie_cost),
            "proofs": proved,
        }
        cost, bound = problem.cost(levels), total_bound(problem, proved)
        return cls._built(votes, problem, cost, bound, tie_cost=tie_cost, **own)

    # -- what it states -----------------------------------------------------------------------

    @cached_property
    def ranking(self) -> PartialRanking:
        """The weak order whose cost is stated; a `Permutation` where it ties nothing."""
        ranks = np.zeros(len(self.items), dtype=np.int32)
        above = 0
        for bucket in self.positions:
            ranks[list(bucket)] = above
            above += len(bucket)
        return as_ranking(ranks, ItemSet(self.items))

    @property
    def n_rows(self) -> int:
        """The number of weighted rows, over all cases and fixings of all parts."""
        return sum(proof.n_triples for proof in self.proofs)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per proof: how many items it orders, its cases and weighted rows.

        Returns
        -------
        pandas.DataFrame
            n_items, n_cases, n_rows. Pairs within none of these parts need no proof.
        """
        rows = [(len(p.positions), p.n_cases, p.n_triples) for p in self.proofs]
        return pd.DataFrame(rows, columns=["n_items", "n_cases", "n_rows"])

    def _means(self) -> str:
        cases = sum(len(proof.nodes) > 1 for proof in self.proofs) and self.n_cases
        means = counted(self.n_rows, "weighted row") if self.n_rows else "pairs alone"
        return means + (f" in {counted(cases, 'case')}" if cases else "")

    # -- on paper -----------------------------------------------------------------------------

    @staticmethod
    def _order_of(stated: Weak) -> dict[str, Any]:
        prices = {"consensus_tie_cost": stated.consensus_tie_cost}
        return {"positions": stated.buckets, **prices}

    def _stated(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        buckets = {"buckets": [list(bucket) for bucket in self.positions]}
        return {"consensus_tie_cost": str(self.consensus_tie_cost)}, buckets, {}


def certificate_of(data: Any) -> Certificate | TiedCertificate:
    """Return the certificate that plain data hold, of a weak order where they say so."""
    schema = data.get("schema") if type(data) is dict else None
    return (TiedCertificate if schema == Weak.schema else Certificate).from_dict(data)
