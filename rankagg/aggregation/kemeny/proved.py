"""What all certificates have in common: a cost, a bound, and how both are checked."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from fractions import Fraction
from itertools import chain
from math import inf
from typing import Any, ClassVar, Literal, Self

import numpy as np

from rankagg import check_certificate
from rankagg._typing import Label
from rankagg._validation import check_number
from rankagg.check_certificate import (
    BYTES,
    NUMBER,
    SECONDS,
    UNLIMITED,
    BudgetError,
    RefusedError,
    Work,
)
from rankagg.core import ItemSet, PairwiseMatrix, Result, amount, amount_below, counted
from rankagg.exceptions import (
    DataFormatError,
    InvalidInputError,
    NotCheckedError,
    VerificationError,
    VerificationWarning,
)
from rankagg.io.json_files import votes_to_dict
from rankagg.io.strict_json import LARGEST_INTEGER, Field, parse_json

HEXADECIMAL = frozenset("0123456789abcdef")

#: Three different positions each, and their weights.
Triples = tuple[tuple[tuple[int, int, int], ...], tuple[int, ...]]
# The keys at the beginning of a file, and those of its numbers.
ITEM_KEYS = ("fingerprint", "items")
FIRST_KEYS = ("status", "cost", "lower_bound", "tolerance", "tie_cost")
SCALED = ("scaled_cost", "scaled_lower_bound", "denominator")


def _read_items(field: Field) -> tuple[Label, ...]:
    """Return distinct texts, or distinct integers."""
    labels: list[Label] = []
    # Texts need no look at each; other lists are gone through for what to say of them.
    all_texts = type(field.value) is list and set(map(type, field.value)) == {str}
    if all_texts:
        labels = list(field.value)
    for element in () if all_texts else field.elements():
        if type(element.value) is int:
            element.integer(low=-LARGEST_INTEGER)
        elif not isinstance(element.value, str):
            element.refuse("a text or an integer")
        labels.append(element.value)
    if not labels:
        field.refuse("a list of at least one item")
    if len({isinstance(label, str) for label in labels}) > 1:
        field.refuse("texts only or integers only")
    if len(set(labels)) < len(labels):
        field.refuse("free of repetitions")
    return tuple(labels)


def read_share(field: Field) -> Fraction:
    """Return a fraction from 0 to 1."""
    share = field.fraction()
    if share > 1:
        field.refuse("at most 1")
    return share


def _read_fingerprint(field: Field) -> str:
    """Return a SHA-256 as text."""
    text = field.text()
    if len(text) != 64 or not HEXADECIMAL.issuperset(text):
        field.refuse("a text of 64 hexadecimal digits")
    return text


def read_part(field: Field, n: int, taken: set[int]) -> tuple[int, ...]:
    """Return the positions of a part, of n, and add them to those of the parts before it."""
    positions = field.integers(high=n - 1)
    part = set(positions)
    if len(part) < len(positions) or len(part) < 2 or part & taken:
        field.refuse("two or more positions, none of them twice or in another proof")
    taken |= part
    return tuple(positions)


def read_triples(field: Field, part: set[int], most: int, noun: str) -> Triples:
    """Return lists of three different positions of a part and a weight, `most` of them at most."""
    if type(field.value) is not list or not _are_sound(field.value, part):
        for element in field.elements():
            _check_triple(element, part)
    rows = field.value
    if len(rows) > most:
        have = f"{counted(len(part), 'item')} have"
        field.refuse(f"at most {counted(most, noun)}, as {have}")
    return tuple((a, b, c) for a, b, c, _ in rows), tuple(weight for *_, weight in rows)


def _are_sound(rows: list[Any], part: set[int]) -> bool:
    """Say quickly whether all triples are as they must be; proofs have thousands."""
    if set(map(type, rows)) != {list} or set(map(len, rows)) != {4}:
        return False
    flat = list(chain.from_iterable(rows))
    if set(map(type, flat)) != {int}:
        return False
    weights = flat[3::4]
    return (
        part.issuperset(chain(flat[0::4], flat[1::4], flat[2::4]))
        and all(a != b != c != a for a, b, c, _ in rows)
        and min(weights) >= 1
        and max(weights) <= LARGEST_INTEGER
    )


def _check_triple(field: Field, part: set[int]) -> None:
    """Raise where a triple is not as it must be, saying why."""
    parts = field.elements()
    if len(parts) != 4:
        field.refuse("three positions and a weight")
    triple = [number.integer() for number in parts[:3]]
    if len(set(triple)) != 3 or not part.issuperset(triple):
        field.refuse("three different positions of the proof and a weight")
    parts[3].integer(low=1)


class Tree:
    """The nodes of one proof, of which every one but the first is the child of one before it."""

    def __init__(self, field: Field, part: set[int]) -> None:
        self.nodes = field.elements()
        if not self.nodes:
            field.refuse("a list of at least one node")
        self._part = part
        self._children: set[int] = set()

    def child(self, at: int, field: Field) -> int:
        """Return the number of a child of a node."""
        child = field.integer(low=at + 1, high=len(self.nodes) - 1)
        if child in self._children:
            field.refuse("a node that is not the child of another or of the same node already")
        self._children.add(child)
        return child

    def pair(self, field: Field) -> tuple[int, int]:
        """Return two different positions of the part."""
        pair = field.integers()
        if len(pair) != 2 or len(set(pair)) != 2 or not self._part.issuperset(pair):
            field.refuse("two different positions of the proof")
        return pair[0], pair[1]

    def check(self) -> None:
        """Raise where a node is nobody's child, once all are read."""
        for at in range(1, len(self.nodes)):
            if at not in self._children:
                self.nodes[at].refuse("a child of a node before it")


def tolerance_of(votes: PairwiseMatrix) -> Fraction:
    """Return by how much a cost can be off, in votes: two entries for each pair."""
    return Fraction(votes.rounding) * votes.n_items * (votes.n_items - 1)


class Proved(Result):
    """An order of items with its cost, and what no other costs less than.

    A subclass states the order and its proofs, what both say of votes, and how a file is read.
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

    _prints_table = False
    #: What the order is called.
    _called: ClassVar[str] = "ranking"
    #: The keys of a file behind `schema` and `version`, and those that some files have.
    _keys: ClassVar[tuple[str, ...]]
    _optional_keys: ClassVar[tuple[str, ...]] = ()

    # -- what a subclass says -----------------------------------------------------------------

    @staticmethod
    @abstractmethod
    def _read_order(members: dict[str, Field], n: int) -> dict[str, Any]:
        """Return what a file says of the order and its proofs; raises `DataFormatError`."""

    @abstractmethod
    def _plain_order(self) -> dict[str, Any]:
        """Return the same as plain data."""

    @abstractmethod
    def _problem(self, votes: PairwiseMatrix) -> Any:
        """Return the problem that votes state, with its `denominator`."""

    @abstractmethod
    def _cost_in(self, problem: Any) -> int:
        """Return what the order costs, scaled."""

    @abstractmethod
    def _bound_in(self, problem: Any, work: Work) -> int:
        """Return what the proofs prove, scaled; raises `VerificationError` where one is none."""

    @abstractmethod
    def _means(self) -> str:
        """Say what proves the bound."""

    @property
    def _numbers_a_pair(self) -> int:
        """How many numbers are made of each pair of votes at once, at most."""
        return 6

    def _others(self) -> str:
        """Say which orders the bound holds for."""
        return f"no {self._called}"

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

        Two programs decide: that of the package, and `rankagg.check_certificate`, which was
        written from the specification of the file and uses nothing of the package. What one of
        them refuses does not hold. The second takes more time and memory, a gibibyte for votes on
        all pairs of 2,600 items; where the budget does not suffice for it, a `VerificationWarning`
        says that the first has decided alone.

        Parameters
        ----------
        votes : PairwiseMatrix
            The votes that the order was computed from.
        time_limit : float or None, default 60
            Seconds; None for no limit. What is sure to take longer is not begun.
        memory_limit : float or None, default 2**30
            Bytes that the check may take beside the certificate and the votes, estimated from
            their sizes; None for no limit.

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
        try:
            self._check(votes, work)
        except BudgetError as error:
            raise NotCheckedError(
                f"Not checked within the budget: {error}. Raise `time_limit` or `memory_limit`."
            ) from None
        try:
            check_certificate.check(self.to_dict(), votes_to_dict(votes, lazy=True), work)
        except RefusedError as error:
            raise VerificationError(
                "Two programs differ, so the certificate is refused: the package finds no fault, "
                f"and `rankagg.check_certificate` says that {error}."
            ) from None
        except BudgetError as error:
            said = f"The package alone has checked the certificate: of the second program, {error}."
            remedy = "Raise `time_limit` or `memory_limit` to have both."
            warnings.warn(f"{said} {remedy}", VerificationWarning, stacklevel=2)
        return True

    def _check(self, votes: PairwiseMatrix, work: Work = UNLIMITED) -> None:
        """Raise where a statement does not hold, by the package's own program."""
        if not isinstance(votes, PairwiseMatrix):
            raise InvalidInputError(
                "votes", "a PairwiseMatrix", votes, "`Profile.pairwise` counts one."
            )
        self._check_form()
        if votes.items != (own := ItemSet(self.items)):
            told = f"The votes and the certificate must have {votes.items._mismatch(own)}"
            raise VerificationError(told)
        mark = votes.fingerprint
        if self.fingerprint != mark:
            raise VerificationError(
                "The certificate is for other votes: their fingerprint is "
                f"{mark[:8]}..., the certificate has {self.fingerprint[:8]}..."
            )
        with np.errstate(over="raise"):  # a number of NumPy has no place here, and would wrap
            self._check_numbers(votes, work)

    def _check_numbers(self, votes: PairwiseMatrix, work: Work) -> None:
        """Raise where a number is not what the votes or the proofs say."""
        number = NUMBER if votes.lowest_terms[0].dtype == object else 8
        work.spend()
        work.hold(self._numbers_a_pair * number * votes.n_items**2)
        problem = self._problem(votes)
        if problem.denominator != self.denominator:
            raise VerificationError(
                f"The votes are over {problem.denominator}, not {self.denominator} as stated."
            )
        tolerance = tolerance_of(votes)
        if self.tolerance != tolerance:
            raise VerificationError(
                f"The costs are known to within {counted(tolerance, 'vote')}, not "
                f"{self.tolerance} as stated."
            )
        cost = self._cost_in(problem)
        if cost != self.scaled_cost:
            raise VerificationError(
                f"The {self._called} costs {self._in_votes(cost)}, not "
                f"{self._in_votes(self.scaled_cost)} as stated."
            )
        proved = self._bound_in(problem, work)
        if proved < self.scaled_lower_bound:
            raise VerificationError(
                f"The proofs show the bound {self._in_votes(proved)}, not "
                f"{self._in_votes(self.scaled_lower_bound)} as stated."
            )

    def _check_form(self) -> None:
        """Raise unless a file with this content would be read, and read as this."""
        try:
            content = self._read(self.to_dict())
            own = {name: getattr(self, name) for name in content}
            is_same = all(type(own[name]) is type(content[name]) for name in own) and own == content
        except DataFormatError as error:
            raise VerificationError(f"The certificate is malformed: {error}") from None
        except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise VerificationError(
                f"The certificate holds what no file can hold: {error}."
            ) from None
        if not is_same:
            raise VerificationError(
                "The certificate is not made of tuples, plain integers and fractions."
            )

    # -- on paper -----------------------------------------------------------------------------

    @classmethod
    def _read(cls, data: object) -> dict[str, Any]:
        """Return the fields that plain data state."""
        whole = Field(data, "")
        if whole.has("schema") and whole.has("version"):  # another version has other keys
            assert isinstance(whole.value, dict)
            Field(whole.value["schema"], "schema").constant(cls._schema)
            Field(whole.value["version"], "version").constant(cls._version)
        some = (key for key in cls._optional_keys if whole.has(key))
        keys = ("schema", "version", *cls._keys, *some)
        members = dict(zip(keys, whole.members(*keys), strict=True))
        items = _read_items(members["items"])
        content = {
            "items": items,
            "tie_cost": read_share(members["tie_cost"]),
            "tolerance": members["tolerance"].fraction(),
            "fingerprint": _read_fingerprint(members["fingerprint"]),
            **cls._read_order(members, len(items)),
        }
        cost = content["scaled_cost"] = members["scaled_cost"].integer()
        bound = content["scaled_lower_bound"] = members["scaled_lower_bound"].integer()
        over = content["denominator"] = members["denominator"].integer(low=1)
        if bound > cost:
            members["scaled_lower_bound"].refuse("at most `scaled_cost`")
        members["cost"].constant(str(Fraction(cost, over)))
        members["lower_bound"].constant(str(Fraction(bound, over)))
        members["status"].constant("optimal" if cost == bound else "gap")
        return content

    def _content(self) -> dict[str, Any]:
        content = {
            "status": self.status,
            "cost": str(self._in_votes(self.scaled_cost)),
            "lower_bound": str(self._in_votes(self.scaled_lower_bound)),
            "tolerance": str(self.tolerance),
            "tie_cost": str(self.tie_cost),
            "fingerprint": self.fingerprint,
            "items": list(self.items),
            "scaled_cost": self.scaled_cost,
            "scaled_lower_bound": self.scaled_lower_bound,
            "denominator": self.denominator,
            **self._plain_order(),
        }
        keys = (*self._keys, *self._optional_keys)
        return {key: content[key] for key in keys if key in content}

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
        return cls(**cls._read(data))

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
