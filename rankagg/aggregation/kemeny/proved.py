"""What all certificates have in common: a cost, a bound, and how both are read and checked."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from math import inf
from typing import Any, ClassVar, Literal, Self

import numpy as np

from rankagg._typing import Bools, Label
from rankagg._validation import check_number
from rankagg.aggregation.kemeny.problem import PairCosts, as_share
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.check_certificate import (
    BYTES,
    SECONDS,
    WEIGHT_DENOMINATOR,
    BudgetError,
    RefusedError,
    Statement,
    Work,
    check,
)
from rankagg.core import PairwiseMatrix, Result, amount, amount_below, counted, exact
from rankagg.exceptions import (
    DataFormatError,
    InvalidInputError,
    NotCheckedError,
    VerificationError,
)
from rankagg.io.json_files import votes_to_dict
from rankagg.io.tables.sources import parse_json

# The fields of all kinds that a file states as they are.
COMMON = (
    *("items", "scaled_cost", "scaled_lower_bound", "denominator"),
    *("tie_cost", "tolerance", "fingerprint"),
)


def total_bound(problem: Any, proofs: tuple[Proof, ...], decided: Bools | None = None) -> int:
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


class Proved(Result):
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
        NotCheckedError
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
            raise NotCheckedError(
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

        Returns
        -------
        A certificate of this class

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

        Returns
        -------
        A certificate of this class

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
