"""The certificate of a ranking: what is read of it, and what its proofs prove of all items.

Every number is a plain integer, every position an item of its part, every weight positive; parts
are disjoint, and the nodes of a proof are a tree whose children stand behind their parents. So a
check takes each node once and needs no recursion, and no number turns an inequality round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Bools
from rankagg.aggregation.kemeny.constraints import NO_DEMANDS, Demands, read_demands, read_given
from rankagg.aggregation.kemeny.problem import Problem, as_share
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.aggregation.kemeny.proof_nodes import (
    LARGEST_COUNT,
    WEIGHT_DENOMINATOR,
    Branch,
    Cut,
    Derived,
    Enumeration,
    Exchange,
    Fixing,
    Given,
    Leaf,
    Node,
    Notation,
    Persistent,
    Source,
)
from rankagg.aggregation.kemeny.proved import (
    FIRST_KEYS,
    ITEM_KEYS,
    SCALED,
    Proved,
    Tree,
    read_part,
    read_share,
    read_triples,
    tolerance_of,
)
from rankagg.aggregation.kemeny.subset_dp import ENUMERABLE
from rankagg.aggregation.kemeny.weak_proof import WeakProblem, WeakProof
from rankagg.check_certificate import UNLIMITED, Work
from rankagg.core import (
    ItemSet,
    PairwiseMatrix,
    PartialRanking,
    Permutation,
    as_ranking,
    counted,
    exact,
)
from rankagg.exceptions import VerificationError
from rankagg.io.strict_json import Field

# The keys at the end of a file.
PROVEN = ("weight_denominator", "proofs")


def total_bound(
    problem: Problem | WeakProblem,
    proofs: tuple[Proof, ...],
    demands: Demands = NO_DEMANDS,
    work: Work = UNLIMITED,
) -> int:
    """Return what no order costs less than that keeps to the demands.

    Every pair costs at least its cheaper direction, or the one that is demanded; each proof
    replaces the share of the pairs inside its part by what it proves about them.
    """
    if isinstance(problem, WeakProblem) or not demands:
        bounds = ((proof, proof.part_of(problem)) for proof in proofs)
        return problem.floor + sum(
            proof.bound_of(part, None, work) - part.floor for proof, part in bounds
        )
    decided = demands.decided(problem.n)
    if decided is None:
        raise VerificationError("The constraints that are stated contradict each other.")
    bound = problem.floor + _extra(problem, decided)
    for proof in proofs:
        part = proof.part_of(problem)
        inside = decided[np.ix_(proof.positions, proof.positions)]
        _check_nodes(proof, is_free=not inside.any())
        bound += proof.bound_of(part, inside, work) - part.floor - _extra(part, inside)
    return bound


def _extra(problem: Problem, decided: Bools) -> int:
    """Return what decided pairs cost more than their cheaper direction."""
    return exact.sum_of(problem.margins[decided & (problem.margins > 0)])


def _check_nodes(proof: Proof, *, is_free: bool) -> None:
    """Raise where a proof moves items that constraints hold, or takes all orders."""
    sources = (source for row in proof.rows for _, source in row.terms)
    is_free = is_free and not any(isinstance(source, Given) for source in sources)
    if not is_free and any(isinstance(node, Persistent | Enumeration) for node in proof.nodes):
        raise VerificationError(
            "A proof uses an exchange, a cut or an enumeration where constraints hold items."
        )


def _read_proofs(
    field: Field, n: int, kind: type[Proof] = Proof, demands: Demands = NO_DEMANDS
) -> tuple[Any, ...]:
    taken: set[int] = set()
    proofs = []
    words = kind.logic.notation
    for element in field.elements():
        members = dict(zip(words.proof, element.members(*words.proof), strict=True))
        positions = read_part(members["positions"], n, taken)
        part = set(positions)
        rows = tuple(
            _read_row(at, row, part, demands)
            for at, row in enumerate(members["rows"].elements() if "rows" in members else ())
        )
        reader = _NodeReader(members["nodes"], part, len(rows), words)
        proofs.append(kind(positions, reader.nodes(), rows))
    return tuple(proofs)


def _read_row(at: int, field: Field, part: set[int], demands: Demands) -> Derived:
    terms_field, divisor = field.members("terms", "divisor")
    terms = tuple(_read_term(at, term, part, demands) for term in terms_field.elements())
    if not terms:
        terms_field.refuse("a list of at least one term")
    return Derived(terms, divisor.integer(low=1, high=LARGEST_COUNT))


def _read_term(at: int, field: Field, part: set[int], demands: Demands) -> tuple[int, Source]:
    parts = field.elements()
    if len(parts) != 2:
        field.refuse("how often, and which row")
    times = parts[0].integer(low=1, high=LARGEST_COUNT)
    if type(parts[1].value) is int:
        return times, parts[1].integer(high=at - 1)
    if demands and type(parts[1].value) is dict:
        return times, read_given(parts[1], demands, part)
    items = tuple(parts[1].integers())
    if len(items) < 2 or len(set(items)) < len(items) or not part.issuperset(items):
        parts[1].refuse("two or more different positions of the proof, or an earlier row")
    return times, items


class _NodeReader:
    """Reads the nodes of one proof."""

    def __init__(self, field: Field, part: set[int], n_rows: int, words: Notation) -> None:
        self.tree = Tree(field, part)
        self._part = part
        self._n_rows = n_rows
        self._words = words
        # Where the chain goes on of nodes that say what holds in every optimum.
        self._chain = 0

    def nodes(self) -> tuple[Node, ...]:
        nodes = tuple(self._node(at, node) for at, node in enumerate(self.tree.nodes))
        self.tree.check()
        return nodes

    def _node(self, at: int, node: Field) -> Node:
        words = self._words
        if node.has("pair"):
            pair, yes, no = node.members("pair", words.yes, words.no)
            both = self.tree.pair(pair)
            return Branch(*both, self.tree.child(at, yes), self.tree.child(at, no))
        if node.has("threshold"):
            *leaf, threshold, rest = node.members(*words.leaf, "threshold", "rest")
            return Fixing(self._leaf(*leaf), threshold.integer(), self.tree.child(at, rest))
        early = None if words is WeakProof.logic.notation else self._early(at, node)
        return early or self._leaf(*node.members(*words.leaf))

    def _early(self, at: int, node: Field) -> Node | None:
        """Return a node that stands at the root, or in the chain from there; None for others."""
        if node.has("enumeration"):
            return self._enumeration(node)
        if node.has("exchange"):
            pairs, up, down, rest = node.members("exchange", "up", "down", "rest")
            return Exchange(
                self._pairs(pairs),
                up.integer(high=LARGEST_COUNT),
                down.integer(high=LARGEST_COUNT),
                self._next_in_chain(at, node, rest),
            )
        if node.has("cut"):
            above, pairs, rest = node.members("above", "cut", "rest")
            upper = tuple(above.integers())
            if len(set(upper)) < len(upper) or not self._part.issuperset(upper):
                above.refuse("different positions of the proof")
            return Cut(upper, self._pairs(pairs), self._next_in_chain(at, node, rest))
        return None

    def _enumeration(self, node: Field) -> Enumeration:
        (flag,) = node.members("enumeration")
        if flag.value is not True:
            flag.refuse("true")
        if len(self.tree.nodes) > 1 or len(self._part) > ENUMERABLE:
            node.refuse(f"the only node of its proof, which has at most {ENUMERABLE} positions")
        return Enumeration()

    def _pairs(self, field: Field) -> tuple[tuple[int, int], ...]:
        if type(field.value) is not list or not self._are_pairs(field.value):
            for element in field.elements():
                self.tree.pair(element)
            field.refuse("a list of at least one pair")
        pairs: Any = field.value
        return tuple((first, second) for first, second in pairs)

    def _are_pairs(self, pairs: list[Any]) -> bool:
        """Say quickly whether all pairs are as they must be; proofs have thousands."""
        if set(map(type, pairs)) != {list} or set(map(len, pairs)) != {2}:
            return False
        flat = list(chain.from_iterable(pairs))
        return (
            set(map(type, flat)) == {int}
            and self._part.issuperset(flat)
            and all(first != second for first, second in pairs)
        )

    def _next_in_chain(self, at: int, node: Field, rest: Field) -> int:
        if at != self._chain:
            node.refuse("the root, or the rest of another exchange or cut")
        self._chain = self.tree.child(at, rest)
        return self._chain

    def _leaf(self, triples: Field, rows: Field | None = None) -> Leaf:
        m = len(self._part)
        ways = m * (m - 1) * (m - 2)
        if rows is None:
            return Leaf(*read_triples(triples, self._part, ways, "row"))
        cycles, weights = read_triples(triples, self._part, ways // 3, "cycle")
        return Leaf(cycles, weights, tuple(map(self._weighted_row, rows.elements())))

    def _weighted_row(self, field: Field) -> tuple[int, int]:
        parts = field.elements()
        if len(parts) != 2:
            field.refuse("a row and a weight")
        return parts[0].integer(high=self._n_rows - 1), parts[1].integer(low=1)


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
    _keys = (*FIRST_KEYS, *ITEM_KEYS, "order", *SCALED, *PROVEN)
    _optional_keys = ("constraints",)

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

    @property
    def n_cases(self) -> int:
        """The number of cases that the proof distinguishes, over all parts."""
        return sum(proof.n_cases for proof in self.proofs)

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

    # -- its proof ----------------------------------------------------------------------------

    @property
    def _numbers_a_pair(self) -> int:
        # Without them, votes are gone through as they are, some rows after the other.
        return 6 if self.demands or self.tie_cost.denominator > 1 else 1

    def _problem(self, votes: PairwiseMatrix) -> Problem:
        return Problem.from_pairwise(votes, self.tie_cost)

    def _cost_in(self, problem: Problem) -> int:
        return problem.cost(np.array(self.order))

    def _bound_in(self, problem: Problem, work: Work) -> int:
        if not self.demands.hold(np.array(self.order)):
            raise VerificationError("The ranking breaks a constraint that is stated.")
        return total_bound(problem, self.proofs, self.demands, work)

    # -- on paper -----------------------------------------------------------------------------

    @staticmethod
    def _read_order(members: dict[str, Field], n: int) -> dict[str, Any]:
        members["weight_denominator"].constant(WEIGHT_DENOMINATOR)
        order = members["order"].integers(high=n - 1)
        if len(order) != n or len(set(order)) != n:
            members["order"].refuse(f"each of the positions 0 to {n - 1} once")
        constraints = members.get("constraints")
        demands = NO_DEMANDS if constraints is None else read_demands(constraints, n)
        proofs = _read_proofs(members["proofs"], n, demands=demands)
        return {"order": tuple(order), "proofs": proofs, "demands": demands}

    def _plain_order(self) -> dict[str, Any]:
        return {
            "order": list(self.order),
            "weight_denominator": WEIGHT_DENOMINATOR,
            "proofs": [proof.to_dict() for proof in self.proofs],
            **({"constraints": self.demands.to_dict()} if self.demands else {}),
        }


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
    _keys = (*FIRST_KEYS, "consensus_tie_cost", *ITEM_KEYS, "buckets", *SCALED, *PROVEN)
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

        Returns
        -------
        TiedCertificate
        """
        problem = WeakProblem.from_pairwise(votes, tie_cost, consensus_tie_cost)
        proved = tuple(proofs)
        return cls(
            items=votes.items.labels,
            positions=tuple(
                tuple(np.flatnonzero(levels == level).tolist()) for level in np.unique(levels)
            ),
            scaled_cost=problem.cost(levels),
            scaled_lower_bound=total_bound(problem, proved),
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
        return sum(proof.n_triples for proof in self.proofs)

    @property
    def n_cases(self) -> int:
        """The number of cases that the proof distinguishes, over all parts."""
        return sum(proof.n_cases for proof in self.proofs)

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

    # -- its proof ----------------------------------------------------------------------------

    def _problem(self, votes: PairwiseMatrix) -> WeakProblem:
        return WeakProblem.from_pairwise(votes, self.tie_cost, self.consensus_tie_cost)

    def _cost_in(self, problem: WeakProblem) -> int:
        return problem.cost(self.ranking.ranks)

    def _bound_in(self, problem: WeakProblem, work: Work) -> int:
        return total_bound(problem, self.proofs, work=work)

    # -- on paper -----------------------------------------------------------------------------

    @staticmethod
    def _read_order(members: dict[str, Field], n: int) -> dict[str, Any]:
        members["weight_denominator"].constant(WEIGHT_DENOMINATOR)
        return {
            "positions": _read_buckets(members["buckets"], n),
            "consensus_tie_cost": read_share(members["consensus_tie_cost"]),
            "proofs": _read_proofs(members["proofs"], n, WeakProof),
        }

    def _plain_order(self) -> dict[str, Any]:
        return {
            "consensus_tie_cost": str(self.consensus_tie_cost),
            "buckets": [list(bucket) for bucket in self.positions],
            "weight_denominator": WEIGHT_DENOMINATOR,
            "proofs": [proof.to_dict() for proof in self.proofs],
        }


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
