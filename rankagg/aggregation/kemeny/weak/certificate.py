"""A proof that no weak order costs less, in a form that somebody else can check."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg.aggregation.kemeny.problem import as_share
from rankagg.aggregation.kemeny.proofs.proved import Proved, tolerance_of
from rankagg.aggregation.kemeny.weak.nodes import WEIGHT_DENOMINATOR, Fixing, Leaf
from rankagg.aggregation.kemeny.weak.problem import WeakProblem
from rankagg.aggregation.kemeny.weak.proof import WeakProof
from rankagg.aggregation.kemeny.weak.reader import SCHEMA, VERSION, Content, read_certificate
from rankagg.check_certificate import UNLIMITED, Work
from rankagg.core.items import ItemSet, counted
from rankagg.core.rankings.partial import PartialRanking, as_ranking
from rankagg.core.votes.pairwise import PairwiseMatrix

__all__ = ["WeakCertificate"]


class WeakCertificate(Proved):
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

    _schema = SCHEMA
    _version = VERSION
    _called = "weak order"

    @classmethod
    def build(
        cls,
        votes: PairwiseMatrix,
        levels: NDArray[np.integer],
        proofs: Iterable[WeakProof],
        *,
        tie_cost: float | Fraction,
        consensus_tie_cost: float | Fraction,
    ) -> WeakCertificate:
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

        Returns
        -------
        WeakCertificate
        """
        problem = WeakProblem.from_pairwise(votes, tie_cost, consensus_tie_cost)
        proved = tuple(proofs)
        return cls(
            items=votes.items.labels,
            positions=tuple(
                tuple(np.flatnonzero(levels == level).tolist()) for level in np.unique(levels)
            ),
            scaled_cost=problem.cost(levels),
            scaled_lower_bound=_total_bound(problem, proved),
            denominator=problem.denominator,
            tie_cost=as_share(tie_cost),
            consensus_tie_cost=as_share(consensus_tie_cost),
            tolerance=tolerance_of(votes),
            fingerprint=votes.fingerprint,
            proofs=proved,
        )

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
        return sum(rows for _, rows in map(_size, self.proofs))

    @property
    def n_cases(self) -> int:
        """The number of cases that the proof distinguishes, over all parts."""
        return sum(cases for cases, _ in map(_size, self.proofs))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per proof: how many items it orders, its cases and weighted rows.

        Returns
        -------
        pandas.DataFrame
            n_items, n_cases, n_rows. Pairs within none of these parts need no proof.
        """
        rows = [(len(p.positions), *_size(p)) for p in self.proofs]
        return pd.DataFrame(rows, columns=["n_items", "n_cases", "n_rows"])

    def _means(self) -> str:
        cases = sum(len(proof.nodes) > 1 for proof in self.proofs) and self.n_cases
        means = counted(self.n_rows, "weighted row") if self.n_rows else "pairs alone"
        return means + (f" in {counted(cases, 'case')}" if cases else "")

    # -- its proof ----------------------------------------------------------------------------

    @staticmethod
    def _read(data: object) -> Content:
        return read_certificate(data)

    def _problem(self, votes: PairwiseMatrix) -> WeakProblem:
        return WeakProblem.from_pairwise(votes, self.tie_cost, self.consensus_tie_cost)

    def _cost_in(self, problem: WeakProblem) -> int:
        return problem.cost(self.ranking.ranks)

    def _bound_in(self, problem: WeakProblem, work: Work) -> int:
        return _total_bound(problem, self.proofs, work)

    # -- on paper -----------------------------------------------------------------------------

    def _content(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "cost": str(self._in_votes(self.scaled_cost)),
            "lower_bound": str(self._in_votes(self.scaled_lower_bound)),
            "tolerance": str(self.tolerance),
            "tie_cost": str(self.tie_cost),
            "consensus_tie_cost": str(self.consensus_tie_cost),
            "fingerprint": self.fingerprint,
            "items": list(self.items),
            "buckets": [list(bucket) for bucket in self.positions],
            "scaled_cost": self.scaled_cost,
            "scaled_lower_bound": self.scaled_lower_bound,
            "denominator": self.denominator,
            "weight_denominator": WEIGHT_DENOMINATOR,
            "proofs": [proof.to_dict() for proof in self.proofs],
        }


def _size(proof: WeakProof) -> tuple[int, int]:
    """Return the number of cases, and of weighted rows in them and in what fixes statements."""
    leaves = [node for node in proof.nodes if isinstance(node, Leaf)]
    fixing = [node.leaf for node in proof.nodes if isinstance(node, Fixing)]
    return len(leaves), sum(len(leaf.rows) for leaf in leaves + fixing)


def _total_bound(
    problem: WeakProblem, proofs: tuple[WeakProof, ...], work: Work = UNLIMITED
) -> int:
    """Return the floor of all pairs, raised by what each part proves about its own."""
    bound = problem.floor
    for proof in proofs:
        part = problem.restrict(np.array(proof.positions, dtype=np.intp))
        bound += proof.bound(problem, work) - part.floor
    return bound
