"""The certificates of a ranking and of a weak order: how they are built, and what they state.

Every number is a plain integer, every position an item of its part, every weight positive; parts
are disjoint, and the nodes of a proof are a tree whose children stand behind their parents. So a
check takes each node once and needs no recursion, and no number turns an inequality round.
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

# The fields of all kinds that a file states as they are.
COMMON = (
    *("items", "scaled_cost", "scaled_lower_bound", "denominator"),
    *("tie_cost", "tolerance", "fingerprint"),
)


def _total_bound(problem: Any, proofs: tuple[Proof, ...], decided: Bools | None = None) -> int:
    """Return what no order costs less than that has the decided pairs.

    Every pair costs at least its cheaper direction, or the one that is decided; each proof
    replaces the share of the pairs inside its part by what it proves about them.
    """
    bound: int = problem.floor + _extra(problem, decided)
    for proof in proofs:
        part = proof.part_of(problem)
        inside = None if decided is None else decided[np.ix_(proof.positions, proof.positions)]
        bound += proof.bound_of(part, inside) - part.floor - _extra(part, inside)
    return bound


def _extra(problem: Any, decided: Bools | None) -> int:
    """Return what decided pairs cost more than their cheaper direction."""
    if decided is None:
        return 0
    return exact.sum_of(problem.margins[decided & (problem.margins > 0)])


class _Proved(Result):
    """An order of items with its cost, and what no other costs less than.

    A subclass says what the order is, and what a file states of it.
    """

    # The items in the order in which positions count.
    items: tuple[Label, ...]
    # Its cost and the proved bound, times `denominator`.
    scaled_cost: int
    scaled_lower_bound: int
    # What scaled numbers are divided by to be in votes.
    denominator: int
    # What a vote that ties two items costs.
    tie_cost: Fraction
    # By how much, in votes, a stated cost can be off because weights were no simple fractions; 0
    # means exact.
    tolerance: Fraction
    # `PairwiseMatrix.fingerprint` of the votes.
    fingerprint: str
    proofs: tuple[Any, ...]

    _prints_table = False
    #: Reads a file, and checks it; `called` in it is what the order is called.
    _statement: ClassVar[type[Statement]]
    _kind: ClassVar[type[Proof]] = Proof

    # -- what a subclass says -----------------------------------------------------------------

    @staticmethod
    @abstractmethod
    def _order_of(stated: Any) -> dict[str, Any]:
        """Return the fields that only this kind has, from what a file states."""

    @abstractmethod
    def _stated(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        """Return further prices, the order, and constraints, as plain data."""

    @abstractmethod
    def _means(self) -> str:
        """Say what proves the bound."""

    def _others(self) -> str:
        """Say which orders the bound holds for."""
        return f"no {self._statement.called}"

    # -- how it is made -----------------------------------------------------------------------

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
        """Return the certificate of a problem and a scaled cost, with what only this kind has."""
        off = Fraction(votes.rounding) * votes.n_items * (votes.n_items - 1)
        return cls(
            items=votes.items.labels,
            scaled_cost=cost,
            scaled_lower_bound=bound,
            denominator=problem.denominator,
            tie_cost=as_share(tie_cost),
            tolerance=off,  # two numbers for each pair
            fingerprint=votes.fingerprint,
            **own,
        )

    # -- what it states -----------------------------------------------------------------------

    @property
    def cost(self) -> float:
        """Cost of the order in votes."""
        return _as_float(self._in_votes(self.scaled_cost))

    @property
    def lower_bound(self) -> float:
        """No order costs less than this many votes."""
        return _as_float(self._in_votes(self.scaled_lower_bound))

    @property
    def gap(self) -> float:
        """Cost less lower bound, in votes; 0 where the order is optimal."""
        return _as_float(self._in_votes(self.scaled_cost - self.scaled_lower_bound))

    @property
    def relative_gap(self) -> float:
        """The gap as a share of the cost; 0 where the cost is 0."""
        gap = self.scaled_cost - self.scaled_lower_bound
        return _as_float(Fraction(gap, self.scaled_cost)) if self.scaled_cost else 0.0

    def _in_votes(self, scaled: int) -> Fraction:
        return Fraction(scaled, self.denominator)

    @property
    def status(self) -> Literal["optimal", "gap"]:
        """Say whether cost and lower bound meet ("optimal") or not ("gap")."""
        return "optimal" if self.scaled_cost == self.scaled_lower_bound else "gap"

    @property
    def n_cases(self) -> int:
        """The number of cases that the proof distinguishes, over all parts."""
        return sum(proof.n_cases for proof in self.proofs)

    def _facts(self) -> list[str]:
        """Return one line: status, cost, bound, and what proves it."""
        off = f"to within {counted(_as_float(self.tolerance), 'vote', '.2g')}"
        proof = f"proved by {self._means()}, {off if self.tolerance else 'exact'}"
        cost, bound = amount(self.cost), f"{self._others()} costs less than"
        if self.status == "optimal":
            return [f"optimal: {bound} {cost} ({proof})"]
        below = f"{100 * self.relative_gap:.3g} % below"
        return [f"gap: cost {cost}, {bound} {amount_below(self.lower_bound)} ({below}; {proof})"]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.summary()}>"

    # -- its proof ----------------------------------------------------------------------------

    def verify(
        self,
        votes: PairwiseMatrix,
        *,
        time_limit: float | None = SECONDS,
        memory_limit: float | None = BYTES,
    ) -> bool:
        """Check every statement against the votes, in integers and without a solver.

        `rankagg.check_certificate` decides, which was written from the specification of the file
        and uses nothing of the package that made the certificate.

        Parameters
        ----------
        votes : PairwiseMatrix
            The votes that the order was computed from.
        time_limit : float or None, default 60
            Seconds; None for no limit. What is sure to take longer is not begun.
        memory_limit : float or None, default 2**30
            Bytes that the check may take in addition to the certificate and the votes, estimated
            from their sizes; None for no limit. Votes on all pairs of 2,600 items take a gibibyte.

        Returns
        -------
        bool
            True; anything else raises.

        Raises
        ------
        VerificationError
            If a statement does not hold; the message says which.
        TooLargeError
            If the budget does not suffice to say.
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
        """Return what `to_dict` returns, which is all that is checked."""
        try:
            return self.to_dict()
        except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise VerificationError(
                f"The certificate holds what no file can hold: {error}."
            ) from None

    # -- on paper -----------------------------------------------------------------------------

    def _content(self) -> dict[str, Any]:
        prices, order, constraints = self._stated()
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
        """Read what `to_dict` wrote, and nothing else.

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
            stated = cls._statement(data)
        except RefusedError as error:
            raise DataFormatError(str(error)) from None
        own = cls._order_of(stated) | {"proofs": tuple(cls._kind(*p) for p in stated.proofs)}
        return cls(**{name: getattr(stated, name) for name in COMMON}, **own)

    @classmethod
    def from_json(cls, text: str, *, name: str = "The text") -> Self:
        """Read a JSON text; unlike `from_dict`, this notices a key that stands twice.

        Parameters
        ----------
        text : str
            The content of a file.
        name : str, optional
            What to call it in messages.

        Raises
        ------
        DataFormatError
            If it is no certificate of this version; the message names the place.
        """
        return cls.from_dict(parse_json(text, name))


def _as_float(votes: Fraction) -> float:
    try:
        return float(votes)
    except OverflowError:
        return inf


class Certificate(_Proved):
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
        """
        problem = problem or Problem.from_pairwise(votes, tie_cost)
        decided = demands.decided(problem.n) if demands else None
        if demands and decided is None:
            raise VerificationError("The stated constraints contradict each other.")
        places, proved = tuple(int(i) for i in order), tuple(proofs)
        cost, bound = problem.cost(np.array(places)), _total_bound(problem, proved, decided)
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
        demands = Demands.of(stated.demands) if stated.demands else NO_DEMANDS
        return {"order": stated.order, "demands": demands}

    def _stated(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        constraints = {"constraints": self.demands.to_dict()} if self.demands else {}
        return {}, {"order": list(self.order)}, constraints


class TiedCertificate(_Proved):
    """What is proved about a weak order: none costs less than `lower_bound`.

    The items are split into parts. The proof of each part bounds the pairs within it; every other
    pair costs at least the cheapest of its three places. `verify` checks all of it against the
    votes, in integers and without a solver. The reference specifies the file. It has no plot.

    Attributes
    ----------
    positions : tuple of tuple of int
        The weak order whose cost is stated: buckets of positions, best first, each ascending.
    consensus_tie_cost : Fraction
        What a vote that orders two items costs where the weak order ties them.
    others
        As of `Certificate`, of weak orders.
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
        """State what proofs prove about a weak order.

        Parameters
        ----------
        ranks : ndarray of int, shape (n,)
            One number per item, smaller is better, equal is tied.
        votes, proofs, problem
            As for `Certificate.build`.
        tie_cost, consensus_tie_cost : float or Fraction
            What ties cost; see the class.
        """
        problem = problem or WeakProblem.from_pairwise(votes, tie_cost, consensus_tie_cost)
        proved = tuple(proofs)
        buckets = (np.flatnonzero(ranks == rank).tolist() for rank in np.unique(ranks))
        own = {
            "positions": tuple(map(tuple, buckets)),
            "consensus_tie_cost": as_share(consensus_tie_cost),
            "proofs": proved,
        }
        cost, bound = problem.cost(ranks), _total_bound(problem, proved)
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
