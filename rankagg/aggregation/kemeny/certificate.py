"""Certificates of a ranking and of a weak order: construction, contents and files.

Every number is a plain integer, every position an item of its part, every weight positive. Parts
are disjoint, and the nodes of a proof are a tree whose children come after their parents. So a
check visits each node once without recursion, and no factor reverses an inequality.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Bools, Label
from rankagg._validation import check_number
from rankagg.aggregation.kemeny.constraints import NO_DEMANDS, Demands
from rankagg.aggregation.kemeny.problem import PairCosts, Problem, as_share
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.aggregation.kemeny.weak_proof import WeakProblem, WeakProof
from rankagg.check_certificate import (
    BYTES,
    SECONDS,
    WEIGHT_DENOMINATOR,
    Branch,
    BudgetError,
    Enumeration,
    Fixing,
    Persistent,
    RefusedError,
    Statement,
    Strict,
    Weak,
    Work,
    check,
)
from rankagg.core import (
    ItemSet,
    PairwiseMatrix,
    PartialRanking,
    Permutation,
    Result,
    amount,
    amount_below,
    as_ranking,
    counted,
    exact,
)
from rankagg.exceptions import DataFormatError, InvalidInputError, TooLargeError, VerificationError
from rankagg.io.json_files import votes_to_dict
from rankagg.io.tables.sources import parse_json

# The fields of all kinds that a file holds unchanged.
COMMON = (
    *("items", "scaled_cost", "scaled_lower_bound", "denominator"),
    *("tie_cost", "tolerance", "fingerprint"),
)


def _total_bound(problem: Any, proofs: tuple[Proof, ...], decided: Bools | None = None) -> int:
    """Return the lower bound of all orders with the decided pairs.

    Every pair costs at least its cheaper or its decided direction; each proof replaces the share
    of the pairs in its part by its own bound.
    """
    bound: int = problem.floor + _extra(problem, decided)
    for proof in proofs:
        part = proof.part_of(problem)
        inside = None if decided is None else decided[np.ix_(proof.positions, proof.positions)]
        bound += proof.bound_of(part, inside) - part.floor - _extra(part, inside)
    return bound


def _extra(problem: Any, decided: Bools | None) -> int:
    """Return the excess cost of decided pairs over their cheaper direction."""
    if decided is None:
        return 0
    return exact.sum_of(problem.margins[decided & (problem.margins > 0)])


class _Proved(Result):
    """An order of items with its cost and a proved lower bound.

    A subclass defines the kind of order and its representation in a file.
    """

    # The items; positions refer to this order.
    items: tuple[Label, ...]
    # The cost of the order and the proved bound, times `denominator`.
    scaled_cost: int
    scaled_lower_bound: int
    # The divisor that converts scaled numbers to votes.
    denominator: int
    # Cost of a vote that ties two items.
    tie_cost: Fraction
    # Bound, in votes, on the error of a stated cost if weights are no simple fractions; 0 means
    # exact.
    tolerance: Fraction
    # `PairwiseMatrix.fingerprint` of the votes.
    fingerprint: str
    proofs: tuple[Any, ...]

    _prints_table = False
    #: Reads and checks a file; its `called` is the noun for the order.
    _statement: ClassVar[type[Statement]]
    _kind: ClassVar[type[Proof]] = Proof

    # -- hooks of subclasses ------------------------------------------------------------------

    @staticmethod
    @abstractmethod
    def _own_fields(statement: Any) -> dict[str, Any]:
        """Return the fields that only this kind has, given a file's statement."""

    @abstractmethod
    def _plain_fields(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        """Return further tie costs, the order, and constraints, as plain data."""

    @abstractmethod
    def _means(self) -> str:
        """Describe the means of the proof."""

    def _others(self) -> str:
        """Describe the orders that the bound excludes."""
        return f"no {self._statement.called}"

    # -- construction -------------------------------------------------------------------------

    @classmethod
    def _built(
        cls,
        votes: PairwiseMatrix,
        problem: PairCosts,
        cost: int,
        bound: int,
        *,
        tie_cost: float | Fraction,
        **own: Any,
    ) -> Self:
        """Return the certificate of a problem and a scaled cost, with the fields of this kind."""
        off = Fraction(votes.rounding) * votes.n_items * (votes.n_items - 1)
        return cls(
            items=votes.items.labels,
            scaled_cost=cost,
            scaled_lower_bound=bound,
            denominator=problem.denominator,
            tie_cost=as_share(tie_cost),
            tolerance=off,  # two rounded numbers per pair
            fingerprint=votes.fingerprint,
            **own,
        )

    # -- statements ---------------------------------------------------------------------------

    @property
    def cost(self) -> float:
        """Cost of the order in votes."""
        return _as_float(self._in_votes(self.scaled_cost))

    @property
    def lower_bound(self) -> float:
        """Proved lower bound of all orders, in votes."""
        return _as_float(self._in_votes(self.scaled_lower_bound))

    @property
    def gap(self) -> float:
        """Cost minus lower bound, in votes; 0 if the order is optimal."""
        return _as_float(self._in_votes(self.scaled_cost - self.scaled_lower_bound))

    @property
    def relative_gap(self) -> float:
        """The gap as a share of the cost; 0 if the cost is 0."""
        gap = self.scaled_cost - self.scaled_lower_bound
        return _as_float(Fraction(gap, self.scaled_cost)) if self.scaled_cost else 0.0

    def _in_votes(self, scaled: int) -> Fraction:
        return Fraction(scaled, self.denominator)

    @property
    def status(self) -> Literal["optimal", "gap"]:
        """Status: "optimal" if cost and lower bound are equal, else "gap"."""
        return "optimal" if self.scaled_cost == self.scaled_lower_bound else "gap"

    @property
    def n_cases(self) -> int:
        """The number of cases of the proof, over all parts."""
        return sum(proof.n_cases for proof in self.proofs)

    def _facts(self) -> list[str]:
        """Return one line: status, cost, bound, and means of the proof."""
        off = f"to within {counted(_as_float(self.tolerance), 'vote', '.2g')}"
        proof = f"proved by {self._means()}, {off if self.tolerance else 'exact'}"
        cost, bound = amount(self.cost), f"{self._others()} costs less than"
        if self.status == "optimal":
            return [f"optimal: {bound} {cost} ({proof})"]
        below = f"{100 * self.relative_gap:.3g} % below"
        return [f"gap: cost {cost}, {bound} {amount_below(self.lower_bound)} ({below}; {proof})"]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.summary()}>"

    # -- verification -------------------------------------------------------------------------

    def verify(
        self,
        votes: PairwiseMatrix,
        *,
        time_limit: float | None = SECONDS,
        memory_limit: float | None = BYTES,
    ) -> bool:
        """Check every statement against the votes, in integers and without a solver.

        `rankagg.check_certificate` decides. It was written from the specification of the file and
        uses nothing of the package that made the certificate.

        Parameters
        ----------
        votes : PairwiseMatrix
            The votes that the order was computed from.
        time_limit : float or None, default 60
            Seconds; None for no limit. A check that must take longer does not start.
        memory_limit : float or None, default 2**30
            Bytes of the check in addition to the certificate and the votes, estimated from their
            sizes; None for no limit. Votes on all pairs of 2,600 items take a gibibyte.

        Returns
        -------
        bool
            True; a failed check raises.

        Raises
        ------
        VerificationError
            If a statement does not hold; the message names it.
        TooLargeError
            If the budget does not suffice.
        """
        limits = {"time_limit": time_limit, "memory_limit": memory_limit}
        work = Work(
            *(inf if x is None else check_number(x, name, low=0) for name, x in limits.items())
        )
        if not isinstance(votes, PairwiseMatrix):
            raise InvalidInputError(
                "votes", "a PairwiseMatrix", votes, "`Profile.pairwise` counts one."
            )
        try:
            check(self._as_file(), votes_to_dict(votes, lazy=True), work)
        except RefusedError as error:
            raise VerificationError(str(error)) from None
        except BudgetError as error:
            raise TooLargeError(
                f"Not checked within the budget: {error}. Raise `time_limit` or `memory_limit`."
            ) from None
        return True

    def _as_file(self) -> dict[str, Any]:
        """Return `to_dict()`, which is all that is checked."""
        try:
            return self.to_dict()
        except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise VerificationError(
                f"The certificate cannot be written to a file: {error}."
            ) from None

    # -- serialization ------------------------------------------------------------------------

    def _content(self) -> dict[str, Any]:
        prices, order, constraints = self._plain_fields()
        return {
            "status": self.status,
            "cost": str(self._in_votes(self.scaled_cost)),
            "lower_bound": str(self._in_votes(self.scaled_lower_bound)),
            "tolerance": str(self.tolerance),
            "tie_cost": str(self.tie_cost),
            **prices,
            "fingerprint": self.fingerprint,
            "items": list(self.items),
            **order,
            "scaled_cost": self.scaled_cost,
            "scaled_lower_bound": self.scaled_lower_bound,
            "denominator": self.denominator,
            "weight_denominator": WEIGHT_DENOMINATOR,
            "proofs": [proof.to_dict() for proof in self.proofs],
            **constraints,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read the result of `to_dict`.

        Parameters
        ----------
        data : dict
            Plain data, as parsed from JSON.

        Raises
        ------
        DataFormatError
            If `data` is no certificate of this version; the message names the field.
        """
        try:
            statement = cls._statement(data)
        except RefusedError as error:
            raise DataFormatError(str(error)) from None
        own = cls._own_fields(statement)
        own["proofs"] = tuple(cls._kind(*proof) for proof in statement.proofs)
        return cls(**{name: getattr(statement, name) for name in COMMON}, **own)

    @classmethod
    def from_json(cls, text: str, *, name: str = "The text") -> Self:
        """Read a JSON text; unlike `from_dict`, this detects duplicate keys.

        Parameters
        ----------
        text : str
            The content of a file.
        name : str, optional
            The name of the text in messages.

        Raises
        ------
        DataFormatError
            If the text is no certificate of this version; the message names the place.
        """
        return cls.from_dict(parse_json(text, name))


def _as_float(votes: Fraction) -> float:
    try:
        return float(votes)
    except OverflowError:
        return inf


class Certificate(_Proved):
    """The proof that no ranking costs less than `lower_bound`, with a ranking and its cost.

    With constraints, the bound holds for the rankings that satisfy them, and the ranking does.

    The items are split into parts. The proof of each part bounds the pairs within it; every other
    pair costs at least its cheaper direction. `verify` checks everything against the votes, in
    integers and without a solver. The reference specifies the file, and a short program in the
    documentation checks it without this package. It has no plot.

    Attributes
    ----------
    items : tuple of str or int
        The items; positions refer to this order.
    order : tuple of int
        Positions of the items, best first: the ranking.
    scaled_cost, scaled_lower_bound : int
        Cost of the ranking and the proved bound, raised to the next cost that an order can have;
        times `denominator`.
    denominator : int
        The divisor that converts scaled numbers to votes.
    tie_cost : Fraction
        Cost of a vote that ties two items.
    tolerance : Fraction
        Bound, in votes, on the error of a stated cost if weights are no simple fractions; 0 means
        exact.
    fingerprint : str
        `PairwiseMatrix.fingerprint` of the votes.
    proofs : tuple of Proof
        For disjoint parts of the items; pairs in none of them count their cheaper direction.
    demands : Demands
        The constraints, over positions; empty if there are none.
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
        """Return the certificate of an order and its proofs.

        Parameters
        ----------
        votes : PairwiseMatrix
            The votes.
        order : sequence of int
            Positions of the items, best first.
        proofs : iterable of Proof
            For disjoint parts of the items; `verify` checks their form.
        tie_cost : float or Fraction, default 0
            Cost of a vote that ties two items.
        problem : Problem, optional
            The problem of these votes, to avoid building it again.
        demands : Demands, optional
            The constraints.
        """
        problem = problem or Problem.from_pairwise(votes, tie_cost)
        decided = demands.decided(problem.n) if demands else None
        if demands and decided is None:
            raise VerificationError("The stated constraints contradict each other.")
        places, proved = tuple(int(i) for i in order), tuple(proofs)
        cost, bound = problem.cost(np.array(places)), _total_bound(problem, proved, decided)
        return cls._built(
            votes,
            problem,
            cost,
            bound,
            tie_cost=tie_cost,
            order=places,
            proofs=proved,
            demands=demands,
        )

    @cached_property
    def ranking(self) -> Permutation:
        """The ranking."""
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
        """The number of pairs proved to be the same in every optimum, over all parts.

        Pairs that follow by transitivity are not counted.
        """
        early = (node for p in self.proofs for node in p.nodes if isinstance(node, Persistent))
        return sum(len(node.pairs) for node in early)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per proof: numbers of items, cases, weighted 3-cycles and derived rows.

        Returns
        -------
        pandas.DataFrame
            n_items, n_cases, n_cycles, n_rows. Pairs outside these parts need no proof.
        """
        rows = [(len(p.positions), p.n_cases, p.n_triples, len(p.rows)) for p in self.proofs]
        return pd.DataFrame(rows, columns=["n_items", "n_cases", "n_cycles", "n_rows"])

    def _others(self) -> str:
        return "no ranking under the constraints" if self.demands else "no ranking"

    def _means(self) -> str:
        means = []
        if self.n_cycles:
            means.append(counted(self.n_cycles, "weighted 3-cycle"))
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

    @staticmethod
    def _own_fields(statement: Strict) -> dict[str, Any]:
        demands = Demands.of(statement.demands) if statement.demands else NO_DEMANDS
        return {"order": statement.order, "demands": demands}

    def _plain_fields(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        constraints = {"constraints": self.demands.to_dict()} if self.demands else {}
        return {}, {"order": list(self.order)}, constraints


class TiedCertificate(_Proved):
    """The proof that no weak order costs less than `lower_bound`, with one and its cost.

    The items are split into parts. The proof of each part bounds the pairs within it; every other
    pair costs at least the cheapest of its three relations. `verify` checks everything against the
    votes, in integers and without a solver. The reference specifies the file. It has no plot.

    Attributes
    ----------
    positions : tuple of tuple of int
        The weak order: buckets of positions, best first, each ascending.
    consensus_tie_cost : Fraction
        Cost of a vote that orders two items if the weak order ties them.
    others
        As for `Certificate`, for weak orders.
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
        ranks: NDArray[np.integer],
        proofs: Iterable[WeakProof],
        *,
        tie_cost: float | Fraction,
        consensus_tie_cost: float | Fraction,
        problem: WeakProblem | None = None,
    ) -> TiedCertificate:
        """Return the certificate of a weak order and its proofs.

        Parameters
        ----------
        ranks : ndarray of int, shape (n,)
            One number per item, smaller is better, equal is tied.
        votes, proofs, problem
            As for `Certificate.build`.
        tie_cost, consensus_tie_cost : float or Fraction
            Costs of ties; see the class.
        """
        problem = problem or WeakProblem.from_pairwise(votes, tie_cost, consensus_tie_cost)
        proved = tuple(proofs)
        buckets = (np.flatnonzero(ranks == rank).tolist() for rank in np.unique(ranks))
        return cls._built(
            votes,
            problem,
            problem.cost(ranks),
            _total_bound(problem, proved),
            tie_cost=tie_cost,
            positions=tuple(map(tuple, buckets)),
            consensus_tie_cost=as_share(consensus_tie_cost),
            proofs=proved,
        )

    @cached_property
    def ranking(self) -> PartialRanking:
        """The weak order; a `Permutation` if it ties nothing."""
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
        """Return one row per proof: numbers of items, cases and weighted rows.

        Returns
        -------
        pandas.DataFrame
            n_items, n_cases, n_rows. Pairs outside these parts need no proof.
        """
        rows = [(len(p.positions), p.n_cases, p.n_triples) for p in self.proofs]
        return pd.DataFrame(rows, columns=["n_items", "n_cases", "n_rows"])

    def _means(self) -> str:
        cases = sum(len(proof.nodes) > 1 for proof in self.proofs) and self.n_cases
        means = counted(self.n_rows, "weighted row") if self.n_rows else "pairs alone"
        return means + (f" in {counted(cases, 'case')}" if cases else "")

    @staticmethod
    def _own_fields(statement: Weak) -> dict[str, Any]:
        return {"positions": statement.buckets, "consensus_tie_cost": statement.consensus_tie_cost}

    def _plain_fields(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        buckets = {"buckets": [list(bucket) for bucket in self.positions]}
        return {"consensus_tie_cost": str(self.consensus_tie_cost)}, buckets, {}
