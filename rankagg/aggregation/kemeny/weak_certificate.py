"""A proof that no weak order costs less, in a form that somebody else can check.

What a certificate about weak orders must be before anything in it is computed with.

Every number is a plain integer, every position an item of its part, every weight positive; parts
are disjoint, and the nodes of a proof are a tree whose children stand behind their parents. So a
check takes each node once and needs no recursion, and no number turns an inequality round.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Label
from rankagg.aggregation.kemeny.problem import as_share
from rankagg.aggregation.kemeny.proved import (
    Proved,
    Tree,
    check_printed,
    check_version,
    read_fingerprint,
    read_items,
    read_part,
    read_share,
    read_triples,
    tolerance_of,
)
from rankagg.aggregation.kemeny.weak_problem import WeakProblem
from rankagg.aggregation.kemeny.weak_proof import (
    WEIGHT_DENOMINATOR,
    Branch,
    Fixing,
    Leaf,
    Node,
    WeakProof,
)
from rankagg.check_certificate import UNLIMITED, Work
from rankagg.core.items import ItemSet, counted
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.rankings.partial import PartialRanking, as_ranking
from rankagg.io.strict_json import Field

__all__ = ["FIELDS", "SCHEMA", "VERSION", "Content", "WeakCertificate", "read_certificate"]

SCHEMA = "rankagg.weak_certificate"
VERSION = 1

FIELDS = (
    "schema", "version", "status", "cost", "lower_bound", "tolerance", "tie_cost",
    "consensus_tie_cost", "fingerprint", "items", "buckets", "scaled_cost", "scaled_lower_bound",
    "denominator", "weight_denominator", "proofs",
)  # fmt: skip


class Content(NamedTuple):
    """What a certificate holds, as the constructor of `WeakCertificate` takes it."""

    items: tuple[Label, ...]
    positions: tuple[tuple[int, ...], ...]
    scaled_cost: int
    scaled_lower_bound: int
    denominator: int
    tie_cost: Fraction
    consensus_tie_cost: Fraction
    tolerance: Fraction
    fingerprint: str
    proofs: tuple[WeakProof, ...]


def read_certificate(data: object) -> Content:
    """Return the content of a certificate in plain data."""
    whole = Field(data, "")
    check_version(whole, SCHEMA, VERSION)
    (
        _, _, status, cost, lower_bound, tolerance, tie_cost, consensus_tie_cost, fingerprint,
        items, buckets, scaled_cost, scaled_lower_bound, denominator, weight_denominator, proofs,
    ) = whole.members(*FIELDS)  # fmt: skip
    weight_denominator.constant(WEIGHT_DENOMINATOR)
    labels = read_items(items)
    content = Content(
        items=labels,
        positions=_read_buckets(buckets, len(labels)),
        scaled_cost=scaled_cost.integer(),
        scaled_lower_bound=scaled_lower_bound.integer(),
        denominator=denominator.integer(low=1),
        tie_cost=read_share(tie_cost),
        consensus_tie_cost=read_share(consensus_tie_cost),
        tolerance=tolerance.fraction(),
        fingerprint=read_fingerprint(fingerprint),
        proofs=_read_proofs(proofs, len(labels)),
    )
    check_printed(
        content, scaled_lower_bound=scaled_lower_bound, cost=cost, lower_bound=lower_bound,
        status=status,
    )  # fmt: skip
    return content


def _read_buckets(field: Field, n: int) -> tuple[tuple[int, ...], ...]:
    buckets = []
    for element in field.elements():
        bucket = element.integers(high=n - 1)
        if not bucket or any(a >= b for a, b in pairwise(bucket)):
            element.refuse("a list of one or more positions, ascending")
        buckets.append(tuple(bucket))
    listed = list(chain.from_iterable(buckets))
    if len(listed) != n or len(set(listed)) != n:
        field.refuse(f"lists with each of the positions 0 to {n - 1} once")
    return tuple(buckets)


# -- proofs -----------------------------------------------------------------------------------


def _read_proofs(field: Field, n: int) -> tuple[WeakProof, ...]:
    taken: set[int] = set()
    proofs = []
    for element in field.elements():
        positions_field, nodes_field = element.members("positions", "nodes")
        positions = read_part(positions_field, n, taken)
        proofs.append(WeakProof(positions, _read_nodes(nodes_field, set(positions))))
    return tuple(proofs)


def _read_nodes(field: Field, part: set[int]) -> tuple[Node, ...]:
    tree = Tree(field, part)
    nodes = tuple(_read_node(at, node, tree, part) for at, node in enumerate(tree.nodes))
    tree.check()
    return nodes


def _read_node(at: int, node: Field, tree: Tree, part: set[int]) -> Node:
    if node.has("pair"):
        pair, not_below, below = node.members("pair", "not_below", "below")
        both = tree.pair(pair)
        return Branch(*both, tree.child(at, not_below), tree.child(at, below))
    if node.has("threshold"):
        rows, threshold, rest = node.members("rows", "threshold", "rest")
        return Fixing(_read_leaf(rows, part), threshold.integer(), tree.child(at, rest))
    (rows,) = node.members("rows")
    return _read_leaf(rows, part)


def _read_leaf(field: Field, part: set[int]) -> Leaf:
    m = len(part)
    return Leaf(*read_triples(field, part, m * (m - 1) * (m - 2), "row"))


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
