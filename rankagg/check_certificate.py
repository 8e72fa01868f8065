"""Check a certificate: `python check_certificate.py certificate.json votes.json`.

It is written from the specification of both files alone, and needs only Python's standard library,
so this file can be copied anywhere. The package reads certificates with it. It prints one sentence.
The exit code is 0 if the proof holds, 1 if not, and 3 if the budget does not suffice.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from itertools import chain, pairwise, product
from math import gcd, inf, lcm
from pathlib import Path
from reprlib import repr as short
from time import monotonic
from typing import Any, ClassVar, NoReturn, Self, TypeAlias

__all__ = ["check"]

WEIGHT_DENOMINATOR = 2**20
LARGEST_COUNT = 2**31 - 1  # of an arc's count, and of the bound, in a derived row
MOST_DIGITS = 1000
LARGEST_INTEGER = 10**MOST_DIGITS - 1
LARGEST_SCALED = 10**300 - 1  # votes over one denominator
LARGEST_VOTES = 10**100
ENUMERABLE = 20  # the most items for an enumeration of all subsets
FRACTION = re.compile(r"(0|[1-9][0-9]{0,999})(/[1-9][0-9]{0,999})?")

SECONDS, BYTES = 60.0, 2**30
SHOWN = 8  # places of a ranking in a sentence
SPEED = 1e7  # steps per second on a fast machine
ENTRY, NUMBER = 150, 60  # bytes of a large integer in a dictionary, and in a list
ABOVE, TIED, BELOW = range(3)

Arc: TypeAlias = "tuple[int, int]"
Form: TypeAlias = "tuple[dict[Arc, int], int]"  # counts of arcs, and a lower bound of their sum
Case: TypeAlias = "list[int] | None"  # for each place the set of places decided behind it, as bits


class RefusedError(Exception):
    """The proof does not hold, or the file is no certificate; the message is a sentence."""


class BudgetError(Exception):
    """The budget does not suffice to check the proof."""


def _require(holds: object, sentence: str) -> None:
    """Raise `RefusedError` with a sentence unless something holds."""
    if not holds:
        raise RefusedError(sentence)


class Work:
    """Time and memory budget; sizes are checked before loops."""

    def __init__(self, seconds: float = SECONDS, size: float = BYTES) -> None:
        self.seconds, self.size, self.ends = seconds, size, monotonic() + seconds

    def spend(self, steps: float = 0) -> None:
        """Raise if the remaining time does not suffice for so many steps."""
        if monotonic() + steps / SPEED > self.ends:
            raise BudgetError(f"it takes more than {self.seconds:g} s")

    def hold(self, size: float) -> None:
        """Raise if so many bytes are too many."""
        if size > self.size:
            raise BudgetError(f"it takes more than {self.size / 2**20:g} MiB")


UNLIMITED = Work(inf, inf)


# -- the parts of a proof -------------------------------------------------------------------------


@dataclass(frozen=True)
class Given:
    """A row by constraints: an order has at least `least` arcs from upper to lower items."""

    upper: tuple[int, ...]
    lower: tuple[int, ...]
    least: int


@dataclass(frozen=True)
class Derived:
    """A sum of other rows, divided and rounded up (Chvátal 1973, Gomory).

    Each term has a multiplier and a row: an arc (i, j), a cycle (a, b, c, ...), the number of an
    earlier derived row, or a row by constraints.
    """

    terms: tuple[tuple[int, tuple[int, ...] | int | Given], ...]
    divisor: int = 1


@dataclass(frozen=True)
class Leaf:
    """A case with a bound from weighted rows.

    The triples are cycles a, b, c. Among weak orders they are the rows that c is not above a if a
    is not below b, and b not below c. Weights are over `WEIGHT_DENOMINATOR`.
    """

    triples: tuple[tuple[int, int, int], ...] = ()
    weights: tuple[int, ...] = ()
    rows: tuple[tuple[int, int], ...] = ()  # numbers of derived rows, and their weights


@dataclass(frozen=True)
class Branch:
    """A case split by a statement: first before second, or first not below second."""

    first: int
    second: int
    yes: int  # the node of the case in which the statement holds
    no: int


@dataclass(frozen=True)
class Fixing:
    """A case without the orders that cost at least a threshold by weighted rows."""

    leaf: Leaf
    threshold: int
    rest: int


@dataclass(frozen=True)
class Exchange:
    """Pairs of every optimum, because a move of either item would gain without them."""

    pairs: tuple[Arc, ...]
    up: int  # the multiplier of the move of the first item
    down: int  # and of the second item
    rest: int


@dataclass(frozen=True)
class Cut:
    """Pairs of every optimum, because moving a set of items up would gain without them."""

    above: tuple[int, ...]
    pairs: tuple[Arc, ...]
    rest: int


@dataclass(frozen=True)
class Enumeration:
    """A small part that is solved again by dynamic programming over all subsets."""


Persistent = Exchange | Cut
Node = Leaf | Branch | Fixing | Exchange | Cut | Enumeration
Proof: TypeAlias = "tuple[tuple[int, ...], tuple[Node, ...], tuple[Derived, ...]]"


@dataclass(frozen=True)
class Count:
    """A constraint: at least `at_least` of some items are within the first places."""

    items: tuple[int, ...]
    within: int
    at_least: int


@dataclass(frozen=True)
class Demands:
    """Constraints on an order, over positions of items."""

    above: tuple[Arc, ...] = ()  # the first is before the second
    first: tuple[int, ...] = ()  # before all others
    last: tuple[int, ...] = ()  # behind all others
    counts: tuple[Count, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.above or self.first or self.last or self.counts)

    def ahead(self, upper: Iterable[int], lower: Iterable[int]) -> Given:
        """Return the row for the arcs from some items to some others.

        A count constraint implies that its first places have a minimum of upper items and a
        maximum of lower items. Each further lower item is behind all of these upper items.
        """
        ahead, behind = tuple(upper), tuple(lower)
        above, below = set(ahead), set(behind)
        steps = [
            (
                count.within - count.at_least + len(below & items),
                count.at_least - len(items - above),
            )
            for count, items in zip(self.counts, self._counted, strict=True)
        ]
        # The least number of upper items before each lower item, from the first lower item on.
        least = (
            max((inside for most, inside in steps if most <= at and inside > 0), default=0)
            for at in range(len(behind))
        )
        return Given(ahead, behind, sum(least))

    @cached_property
    def _counted(self) -> list[set[int]]:
        return [set(count.items) for count in self.counts]


def row_form(row: Derived, earlier: Callable[[int], Form], work: Work = UNLIMITED) -> Form:
    """Return the form of a derived row, from the forms of the rows that it uses."""
    counts: dict[Arc, int] = {}
    least = 0
    for times, source in row.terms:
        arcs, reached = _source_form(source, earlier, work)
        work.spend(len(arcs))
        for arc, count in arcs.items():
            counts[arc] = counts.get(arc, 0) + times * count
        least += times * reached
    for i, j in list(counts):  # an order uses exactly one of i -> j and j -> i
        both = min(counts[i, j], counts.get((j, i), 0))
        if both:
            counts[i, j], counts[j, i] = counts[i, j] - both, counts[j, i] - both
            least -= both
    counts = {arc: -(-count // row.divisor) for arc, count in counts.items() if count}
    least = -(-least // row.divisor)
    largest = max(map(abs, (least, *counts.values())))
    _require(largest <= LARGEST_COUNT, f"A derived row counts more than {LARGEST_COUNT}.")
    return counts, least


def _source_form(source: Any, earlier: Callable[[int], Form], work: Work) -> Form:
    if isinstance(source, int):
        return earlier(source)
    if isinstance(source, Given):
        work.spend(len(source.upper) * len(source.lower))
        return dict.fromkeys(product(source.upper, source.lower), 1), source.least
    if len(source) == 2:  # an arc, which is used at least 0 times
        return {source: 1}, 0
    return dict.fromkeys(zip(source, (*source[1:], source[0]), strict=True), 1), 1


# -- reading: plain integers, known keys ----------------------------------------------------------


def _parse(text: str) -> Any:
    """Return the content of a JSON text whose numbers are integers."""

    def refuse(word: str) -> NoReturn:
        raise RefusedError(f"{word[:40]} is no integer of at most {MOST_DIGITS} digits.")

    def integer(word: str) -> int:
        return int(word) if len(word.lstrip("-")) <= MOST_DIGITS else refuse(word)

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        _require(len(dict(pairs)) == len(pairs), "An object has the same key twice.")
        return dict(pairs)

    try:
        return json.loads(
            text,
            object_pairs_hook=distinct,
            parse_int=integer,
            parse_float=refuse,
            parse_constant=refuse,
        )
    except (json.JSONDecodeError, RecursionError) as error:
        raise RefusedError(f"The file is not JSON: {error}.") from None


class Field:
    """A value of a file with its path, and checks of its type and range."""

    def __init__(self, value: Any, path: str = "") -> None:
        self.value, self.path = value, path  # "proofs[0].nodes[3].threshold"; "" for the root

    def fail(self, sentence: str, remedy: str = "") -> NoReturn:
        """Raise `RefusedError`."""
        raise RefusedError(f"{sentence} {remedy}".strip())

    def refuse(self, allowed: str, remedy: str = "") -> NoReturn:
        """Raise `RefusedError` with the allowed values."""
        value, path = self.value, self.path
        if len(path) > 160:
            path = f"{path[:106]}…{path[-53:]}"
        if isinstance(value, dict | list | tuple):
            got = f"a {type(value).__name__} of {len(value)}"
        elif isinstance(value, int) and value.bit_length() > 10_000:  # Python does not print it
            got = f"an integer of {value.bit_length()} bits"
        else:
            got = " ".join(short(value).split())
        self.fail(f"{f'`{path}`' if path else 'The file'} must be {allowed}. Got {got}.", remedy)

    def has(self, key: str) -> bool:
        """Return whether this is an object with a key."""
        return isinstance(self.value, dict) and key in self.value

    def members(self, *keys: str) -> list[Self]:
        """Return the members of an object that has exactly these keys, in their order."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        paths = [f"{self.path}.{key}" if self.path else key for key in keys]
        for key, path in zip(keys, paths, strict=True):
            if key not in self.value:
                self.fail(f"`{path}` is missing.")
        for key in self.value:
            if key not in keys:
                where = f" of `{self.path}`" if self.path else ""
                self.fail(f"{short(key)} is no key{where}; the keys are {', '.join(keys)}.")
        both = zip(keys, paths, strict=True)
        return [type(self)(self.value[key], path) for key, path in both]

    def elements(self) -> list[Self]:
        """Return the elements of a list."""
        return [type(self)(x, f"{self.path}[{at}]") for at, x in enumerate(self.as_list())]

    def as_list(self) -> list[Any]:
        """Return the value, which must be a list."""
        if type(self.value) is not list:
            self.refuse("a list")
        return self.value

    def integer(self, low: int = 0, high: int = LARGEST_INTEGER) -> int:
        """Return the value, which must be an integer from `low` to `high`."""
        if type(self.value) is not int or not low <= self.value <= high:
            most = f"at most {MOST_DIGITS} digits" if high == LARGEST_INTEGER else f"at most {high}"
            least = "" if low == -LARGEST_INTEGER else f"at least {low} and "
            self.refuse(f"an integer of {least}{most}")
        return self.value

    def integers(self, low: int = 0, high: int = LARGEST_INTEGER) -> list[int]:
        """Return the value, which must be a list of integers from `low` to `high`."""
        values = self.as_list()
        if values and (set(map(type, values)) != {int} or min(values) < low or max(values) > high):
            return [element.integer(low, high) for element in self.elements()]  # which raises
        return values

    def constant(self, expected: int | str, remedy: str = "") -> None:
        """Require an integer or a text."""
        if type(self.value) is not type(expected) or self.value != expected:
            self.refuse(repr(expected), remedy)

    def fraction(self) -> Fraction:
        """Return a non-negative fraction from a text in lowest terms, "3" or "7/2"."""
        text = self.value
        if type(text) is not str or not FRACTION.fullmatch(text) or str(Fraction(text)) != text:
            self.refuse('a text such as "3" or "7/2", a fraction in lowest terms')
        return Fraction(text)


def _read_share(field: Field) -> Fraction:
    """Return a fraction from 0 to 1."""
    share = field.fraction()
    return share if share <= 1 else field.refuse("at most 1")


def _read_items(field: Field) -> tuple[Any, ...]:
    """Return the names of items: distinct texts, or distinct integers."""
    for element in field.elements():
        if type(element.value) is int:
            element.integer(low=-LARGEST_INTEGER)
        elif not isinstance(element.value, str):
            element.refuse("a text or an integer")
        elif re.search("[\ud800-\udfff]", element.value):
            element.refuse("a text without half of a character")
    # Convert subclasses of str, which may print differently.
    items = tuple("".join(x) if isinstance(x, str) else x for x in field.value)
    if not items:
        field.refuse("a list of at least one item")
    if len(set(map(type, items))) > 1:
        field.refuse("texts only or integers only")
    if len(set(items)) < len(items):
        field.refuse("free of repetitions")
    return items


def _read_positions(field: Field, n: int, length: int | None = None) -> tuple[int, ...]:
    """Return distinct positions of n items."""
    positions = tuple(field.integers(high=n - 1))
    if len(set(positions)) < len(positions) or length not in (None, len(positions)):
        field.refuse("different positions" if length is None else "two different positions")
    return positions


def _read_demands(field: Field, n: int) -> Demands:
    """Return the constraints on n items."""
    above, first, last, counts = field.members("above", "first", "last", "counts")
    parts = []
    for count in counts.elements():
        items, within, least = count.members("items", "within", "at_least")
        some, places = _read_positions(items, n), within.integer(1, n)
        parts.append(Count(some, places, least.integer(1, min(len(some), places))))
    pairs = tuple((i, j) for i, j in (_read_positions(pair, n, 2) for pair in above.elements()))
    ends = _read_positions(first, n), _read_positions(last, n)
    return Demands(pairs, *ends, tuple(parts)) or field.refuse("left out if there are none")


class ProofReader:
    """A reader of one proof, whose numbers are integers and whose nodes are a tree."""

    keys: tuple[str, ...] = ("positions", "rows", "nodes")
    leaf_keys: tuple[str, ...] = ("cycles", "rows")
    answers = ("before", "after")

    def __init__(self, n: int, demands: Demands, taken: set[int], work: Work) -> None:
        self.n, self.demands, self.taken, self.work = n, demands, taken, work

    def read(self, field: Field) -> Proof:
        members = dict(zip(self.keys, field.members(*self.keys), strict=True))
        positions = members["positions"].integers(high=self.n - 1)
        self.part = set(positions)
        if len(self.part) < max(len(positions), 2) or self.part & self.taken:
            members["positions"].refuse(
                "two or more positions, none of them twice or in another proof"
            )
        self.taken |= self.part
        rows = members["rows"].elements() if "rows" in members else []
        self.n_rows = len(rows)
        derived = tuple(self._row(at, row) for at, row in enumerate(rows))
        fields = members["nodes"].elements()
        if not fields:
            members["nodes"].refuse("a list of at least one node")
        self.n_nodes, self.children, self.chain = len(fields), {0}, 0
        nodes = tuple(self._node(at, node) for at, node in enumerate(fields))
        for at, node in enumerate(fields):
            if at not in self.children:
                node.refuse("a child of a node before it")
        return tuple(positions), nodes, derived

    def _row(self, at: int, field: Field) -> Derived:
        terms, divisor = field.members("terms", "divisor")
        sources = tuple(self._term(at, term) for term in terms.elements())
        if not sources:
            terms.refuse("a list of at least one term")
        return Derived(sources, divisor.integer(1, LARGEST_COUNT))

    def _term(self, at: int, field: Field) -> tuple[int, Any]:
        parts = field.elements()
        if len(parts) != 2:
            field.refuse("a multiplier and a row")
        times, source = parts[0].integer(1, LARGEST_COUNT), parts[1]
        if type(source.value) is int:
            return times, source.integer(high=at - 1)
        if self.demands and type(source.value) is dict:
            return times, self._given(*source.members("ahead"))
        items = tuple(source.integers())
        if len(items) < 2 or len(set(items)) < len(items) or not self.part.issuperset(items):
            source.refuse("two or more different positions of the proof, or an earlier row")
        return times, items

    def _given(self, field: Field) -> Given:
        sides = [side.integers() for side in field.elements()]
        named = list(chain(*sides))
        if (
            len(sides) != 2
            or not all(sides)
            or len(set(named)) < len(named)
            or not self.part.issuperset(named)
        ):
            field.refuse("two lists, none empty, of different positions of the proof")
        self.work.spend(len(named) + sum(len(count.items) for count in self.demands.counts))
        return self.demands.ahead(*sides)

    def _node(self, at: int, node: Field) -> Node:
        if node.has("pair"):
            pair, yes, no = node.members("pair", *self.answers)
            return Branch(*self._pair(pair), self._child(at, yes), self._child(at, no))
        if node.has("threshold"):
            *leaf, threshold, rest = node.members(*self.leaf_keys, "threshold", "rest")
            return Fixing(self._leaf(*leaf), threshold.integer(), self._child(at, rest))
        return self._root_node(at, node) or self._leaf(*node.members(*self.leaf_keys))

    def _root_node(self, at: int, node: Field) -> Node | None:
        """Return a node that must be at the root, or in the chain from it; None for others."""
        if node.has("enumeration"):
            (flag,) = node.members("enumeration")
            if flag.value is not True:
                flag.refuse("true")
            if self.n_nodes > 1 or len(self.part) > ENUMERABLE:
                most = f"which has at most {ENUMERABLE} positions"
                node.refuse(f"the only node of its proof, {most}")
            return Enumeration()
        if node.has("exchange"):
            pairs, *times, rest = node.members("exchange", "up", "down", "rest")
            up, down = (field.integer(high=LARGEST_COUNT) for field in times)
            return Exchange(self._pairs(pairs), up, down, self._next(at, node, rest))
        if node.has("cut"):
            above, pairs, rest = node.members("above", "cut", "rest")
            upper = _read_positions(above, self.n)
            if not self.part.issuperset(upper):
                above.refuse("different positions of the proof")
            return Cut(upper, self._pairs(pairs), self._next(at, node, rest))
        return None

    def _next(self, at: int, node: Field, rest: Field) -> int:
        if at != self.chain:
            node.refuse("the root, or the rest of another exchange or cut")
        self.chain = self._child(at, rest)
        return self.chain

    def _child(self, at: int, field: Field) -> int:
        child = field.integer(at + 1, self.n_nodes - 1)
        if child in self.children:
            field.refuse("a node that is not the child of another or of the same node already")
        self.children.add(child)
        return child

    def _pair(self, field: Field) -> Arc:
        pair = field.integers()
        if len(pair) != 2 or pair[0] == pair[1] or not self.part.issuperset(pair):
            field.refuse("two different positions of the proof")
        return pair[0], pair[1]

    def _pairs(self, field: Field) -> tuple[Arc, ...]:
        pairs = tuple(map(self._pair, field.elements()))
        return pairs or field.refuse("a list of at least one pair")

    def _leaf(self, triples: Field, rows: Field) -> Leaf:
        most = len(self.part) * (len(self.part) - 1) * (len(self.part) - 2) // 3
        weighted = []
        for row in rows.elements():
            parts = row.elements()
            if len(parts) != 2:
                row.refuse("a row and a weight")
            weighted.append((parts[0].integer(high=self.n_rows - 1), parts[1].integer(low=1)))
        return Leaf(*self._triples(triples, most), tuple(weighted))

    def _triples(self, field: Field, most: int) -> tuple[Any, Any]:
        """Return the triples of distinct positions of the part, and their weights."""
        rows, part = field.as_list(), self.part
        if len(rows) > most:
            field.refuse(f"a list of at most {most}")
        for at, row in enumerate(rows):
            if type(row) is list and len(row) == 4 and set(map(type, row)) == {int}:
                a, b, c, weight = row
                if a != b != c != a and 1 <= weight <= LARGEST_INTEGER and part >= {a, b, c}:
                    continue
            allowed = "three different positions of the proof and a weight of at least 1"
            Field(row, f"{field.path}[{at}]").refuse(allowed)
        return tuple((a, b, c) for a, b, c, _ in rows), tuple(weight for *_, weight in rows)


class WeakProofReader(ProofReader):
    """A reader of one proof of a weak order."""

    keys = ("positions", "nodes")
    leaf_keys = ("rows",)
    answers = ("not_below", "below")

    def _root_node(self, at: int, node: Field) -> None:
        return None

    def _leaf(self, triples: Field, _: Field | None = None) -> Leaf:
        n = len(self.part)
        return Leaf(*self._triples(triples, n * (n - 1) * (n - 2)))


# -- the votes ------------------------------------------------------------------------------------


class _Votes:
    """Votes over one denominator in lowest terms, as sparse rows."""

    def __init__(self, data: Any, work: Work) -> None:
        schema, version, items, denominator, rounding, *matrices = Field(data).members(
            "schema", "version", "items", "denominator", "rounding", "wins", "ties"
        )
        schema.constant("rankagg.votes")
        version.constant(1)
        self.items = _read_items(items)
        self.n, self.entries = len(self.items), 0
        common = denominator.integer(1, LARGEST_SCALED)
        self.wins, self.ties = (self._rows(matrix, common, work) for matrix in matrices)
        ties = self.ties
        if any(ties[j].get(i) != x for i, row in enumerate(ties) for j, x in row.items()):
            matrices[1].refuse("symmetric")
        self.rounding = rounding.fraction()
        if self.rounding > sys.float_info.max or self.rounding != Fraction(float(self.rounding)):
            rounding.refuse("a fraction that a double holds exactly")
        rows = [*self.wins, *ties]
        divisor = gcd(common, *chain.from_iterable(row.values() for row in rows))
        for row in rows if divisor > 1 else ():
            row.update((j, x // divisor) for j, x in row.items())
        self.denominator = common // divisor

    def _rows(self, matrix: Field, denominator: int, work: Work) -> list[dict[int, int]]:
        """Return the rows of a matrix, which may be an iterator."""
        rows: list[dict[int, int]] = []
        is_lazy = isinstance(matrix.value, Iterator)
        for row in matrix.value if is_lazy else matrix.as_list():
            i = len(rows)
            work.spend()
            numbers = Field(row, f"{matrix.path}[{i}]").integers(high=LARGEST_SCALED)
            if len(numbers) != self.n or i >= self.n or numbers[i]:
                matrix.refuse(f"a square matrix of integers, {self.n} wide, with 0 on the diagonal")
            if max(numbers) > LARGEST_VOTES * denominator:
                matrix.refuse("of at most 10**100 votes")
            rows.append({j: x for j, x in enumerate(numbers) if x})
            self.entries += len(rows[-1])
            work.hold(self.entries * ENTRY)
        if len(rows) != self.n:
            matrix.refuse(f"a square matrix of integers, {self.n} wide")
        return rows

    def fingerprint(self) -> str:
        """Return the hash of the votes for a certificate."""
        digest = sha256(f"rankagg.votes 1\n{self.n} {self.denominator}\n".encode())
        for label in self.items:
            name = str(label).encode()
            is_number = type(label) is int
            digest.update(b"i%b\n" % name if is_number else b"s%d:%b\n" % (len(name), name))
        for matrix in (self.wins, self.ties):
            largest = max((x for row in matrix for x in row.values()), default=0)
            width = (largest.bit_length() + 7) // 8
            digest.update(b"%d\n" % width)
            for row in matrix:
                numbers = bytearray(self.n * width)
                for j, x in row.items():
                    numbers[j * width : (j + 1) * width] = x.to_bytes(width, "little")
                digest.update(numbers)
        return digest.hexdigest()

    def won(self, i: int, j: int) -> int:
        """Return the votes with the first above the second."""
        return self.wins[i].get(j, 0)

    def tied(self, i: int, j: int) -> int:
        """Return the votes that tie the two."""
        return self.ties[i].get(j, 0)

    def pairs(self) -> set[Arc]:
        """Return the pairs i > j that have votes."""
        rows = enumerate(zip(self.wins, self.ties, strict=True))
        return {(max(i, j), min(i, j)) for i, both in rows for j in chain(*both)}


def _members(bits: int) -> Iterator[int]:
    """Yield the positions of the bits that are set, the lowest first."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def _decided(case: Case, new: Sequence[Arc]) -> Case:
    """Return a case with more pairs decided, transitively closed; None if that is a cycle."""
    if case is None or not new:
        return case
    case = list(case)
    if len(new) == 1:
        ((i, j),) = new
        below = case[j] | 1 << j
        case = [row | below if row >> i & 1 or a == i else row for a, row in enumerate(case)]
    else:
        for i, j in new:
            case[i] |= 1 << j
        for k in range(len(case)):
            bit, behind = 1 << k, case[k]
            case = [row | behind if row & bit else row for row in case]
    return None if any(row >> i & 1 for i, row in enumerate(case)) else case


def _demanded(demands: Demands, n: int, work: Work) -> list[int]:
    """Return the case with the pairs that constraints decide."""
    first, last = set(demands.first), set(demands.last)
    work.hold(n * n / 8 + NUMBER * n * (len(first) + len(last)))
    work.spend(n * n)
    pairs = list(demands.above)
    pairs += [(i, j) for i in first for j in range(n) if j not in first]
    pairs += [(i, j) for j in last for i in range(n) if i not in last]
    case = _decided([0] * n, pairs)
    if case is None:
        raise RefusedError("The stated constraints contradict each other.")
    return case


# -- the bound of one part: a tree of cases -------------------------------------------------------


class _Part(ABC):
    """The costs and cases of one proof; subclasses define the logic of cases."""

    floor: int
    step: int
    root: Any

    def __init__(self, proof: Proof, work: Work) -> None:
        self.positions, self.nodes, self.rows = proof
        self.where = {position: at for at, position in enumerate(self.positions)}
        self.n, self.work = len(self.positions), work

    @abstractmethod
    def assume(self, case: Any, i: int, j: int, *, holds: bool) -> Any:
        """Return a case with a statement, or its negation; None for a contradiction."""

    @abstractmethod
    def reduce(self, leaf: Leaf) -> Any:
        """Return the reduced costs by weighted rows."""

    @abstractmethod
    def total(self, case: Any, reduced: Any) -> int:
        """Return a lower bound of the orders of a case, times `WEIGHT_DENOMINATOR`."""

    @abstractmethod
    def fix(self, case: Any, reduced: Any, total: int, threshold: int) -> Any:
        """Return the case without statements whose bound reaches a threshold."""

    @abstractmethod
    def solve_root(self, node: Any, case: Any) -> Any:
        """Return the bound of an enumeration, or the case after an exchange or a cut."""

    def _rest(self, node: Fixing, case: Any) -> Any:
        reduced = self.reduce(node.leaf)
        total, limit = self.total(case, reduced), node.threshold
        return None if self.lift(total) >= limit else self.fix(case, reduced, total, limit)

    def lift(self, bound: int) -> int:
        """Return the least possible cost that is not below a bound."""
        above = bound - self.floor * WEIGHT_DENOMINATOR
        steps = -(-above // (self.step * WEIGHT_DENOMINATOR)) if self.step else 0
        return self.floor + max(0, steps) * self.step

    def bound(self) -> int:
        """Return the least bound of all cases; every node is used once."""
        cases = {0: self.root}
        bounds: list[int] = []
        for at, node in enumerate(self.nodes):
            self.work.spend(self.n)
            self.work.hold(len(cases) * self.n * (self.n / 8 + NUMBER))
            case = cases.pop(at)
            if isinstance(node, Branch):
                i, j = self.where[node.first], self.where[node.second]
                for child, holds in ((node.yes, True), (node.no, False)):
                    cases[child] = case and self.assume(case, i, j, holds=holds)
            elif isinstance(node, Fixing):
                cases[node.rest] = case and self._rest(node, case)
                if case is not None:
                    bounds.append(node.threshold)
            elif isinstance(node, Leaf):
                if case is not None:
                    bounds.append(self.lift(self.total(case, self.reduce(node))))
            elif isinstance(node, Enumeration):
                bounds.append(self.solve_root(node, case))
            else:
                cases[node.rest] = self.solve_root(node, case)
        _require(bounds, "Every case of a proof contradicts itself.")
        return min(bounds)


class _StrictPart(_Part):
    """The costs of placing row before column."""

    def __init__(
        self, cost: Callable[[int, int], int], proof: Proof, case: list[int], work: Work
    ) -> None:
        super().__init__(proof, work)
        some = self.positions
        work.spend(self.n**2)
        work.hold(self.n**2 * 2 * NUMBER)
        self.cost = [[cost(a, b) for b in some] for a in some]
        pairs = [(i, j) for i in range(self.n) for j in range(i)]
        self.floor = sum(min(self.cost[i][j], self.cost[j][i]) for i, j in pairs)
        self.step = gcd(*(self.cost[i][j] - self.cost[j][i] for i, j in pairs))
        inside = sum(1 << position for position in some)
        self.root = [sum(1 << self.where[j] for j in _members(case[i] & inside)) for i in some]
        sources = (source for row in self.rows for _, source in row.terms)
        self.is_free = not any(self.root) and not any(isinstance(s, Given) for s in sources)
        self.forms: list[Form] = []
        forms: list[Form] = []
        held, where = 0, self.where
        for row in self.rows:
            counts, least = row_form(row, forms.__getitem__, work)
            forms.append((counts, least))
            self.forms.append(({(where[i], where[j]): c for (i, j), c in counts.items()}, least))
            held += len(counts) * ENTRY
            work.hold(held)

    @cached_property
    def costlier(self) -> list[int]:
        """The places before which each place costs more than behind them, as bits."""
        cost, places = self.cost, range(self.n)
        return [sum(1 << j for j in places if cost[i][j] > cost[j][i]) for i in places]

    @cached_property
    def gaps(self) -> list[tuple[int, int, int]]:
        """The positive differences in cost of i before j and behind j, with i and j, descending."""
        self.work.hold(self.n**2 * NUMBER * 2)
        cost = self.cost
        gaps = (
            (cost[i][j] - cost[j][i], i, j)
            for i, row in enumerate(self.costlier)
            for j in _members(row)
        )
        return sorted(gaps, reverse=True)

    def extra(self, case: list[int]) -> int:
        """Return the cost of decided pairs beyond their cheaper direction."""
        cost = self.cost
        return sum(
            cost[i][j] - cost[j][i]
            for i, row in enumerate(case)
            for j in _members(row & self.costlier[i])
        )

    def assume(self, case: Any, i: int, j: int, *, holds: bool) -> Any:
        return _decided(case, [(i, j) if holds else (j, i)])

    def reduce(self, leaf: Leaf) -> tuple[dict[Arc, int], int]:
        """Return the reductions of arcs by weighted rows, and the constant of all orders."""
        reductions: dict[Arc, int] = {}
        constant, where = sum(leaf.weights), self.where
        for triple, weight in zip(leaf.triples, leaf.weights, strict=True):
            a, b, c = (where[p] for p in triple)
            for arc in ((a, b), (b, c), (c, a)):
                reductions[arc] = reductions.get(arc, 0) + weight
        for row, weight in leaf.rows:
            counts, least = self.forms[row]
            self.work.spend(len(counts))
            constant += weight * least
            for arc, count in counts.items():
                reductions[arc] = reductions.get(arc, 0) + weight * count
        return reductions, constant

    def reduced_pairs(self, reductions: dict[Arc, int]) -> Iterator[tuple[int, int, int, int]]:
        """Yield the pairs with reductions, and the reduced costs of both directions."""
        for (i, j), amount in reductions.items():
            if i < j or (j, i) not in reductions:
                ahead = WEIGHT_DENOMINATOR * self.cost[i][j] - amount
                behind = WEIGHT_DENOMINATOR * self.cost[j][i] - reductions.get((j, i), 0)
                yield i, j, ahead, behind

    def total(self, case: Any, reduced: Any) -> int:
        """Return the constant and the decided or cheaper directions of all pairs, summed."""
        reductions, constant = reduced
        total = WEIGHT_DENOMINATOR * (self.floor + self.extra(case)) + constant
        for i, j, ahead, behind in self.reduced_pairs(reductions):
            own = WEIGHT_DENOMINATOR * self.cost[i][j], WEIGHT_DENOMINATOR * self.cost[j][i]
            if case[i] >> j & 1:
                total += ahead - own[0]
            elif case[j] >> i & 1:
                total += behind - own[1]
            else:
                total += min(ahead, behind) - min(own)
        return int(total)

    def fix(self, case: Any, reduced: Any, total: int, threshold: int) -> Case:
        # A direction that costs more than this beyond the other reaches the threshold.
        room, (reductions, _) = inf, reduced
        if self.step:
            steps = -(-(threshold - self.floor) // self.step) - 1
            room = (self.floor + steps * self.step) * WEIGHT_DENOMINATOR - total
        new = []
        for gap, i, j in self.gaps:
            if WEIGHT_DENOMINATOR * gap <= room:
                break
            if (i, j) not in reductions and (j, i) not in reductions:
                new.append((j, i))
        for i, j, ahead, behind in self.reduced_pairs(reductions):
            if abs(ahead - behind) > room:
                new.append((i, j) if ahead < behind else (j, i))
        return _decided(
            case, [(i, j) for i, j in new if not (case[i] >> j & 1 or case[j] >> i & 1)]
        )

    def solve_root(self, node: Any, case: Any) -> Any:
        message = "A proof uses an exchange, a cut or an enumeration of constrained items."
        _require(self.is_free, message)
        if isinstance(node, Enumeration):
            return self.enumerate()
        pairs = [(self.where[x], self.where[y]) for x, y in node.pairs]
        self.work.spend(len(pairs) * self.n)
        holds = self._by_exchange if isinstance(node, Exchange) else self._by_cut
        case = _decided(case, pairs) if holds(node, pairs, case) else None
        _require(case, "The proof does not show that a pair is in every optimum.")
        return case

    def gain(self, i: int, j: int) -> int:
        """Return the gain of i before j over j before i."""
        return self.cost[j][i] - self.cost[i][j]

    def between(self, case: list[int]) -> Callable[[int, int], set[int]]:
        """Return a function of x and y: the items that a case allows between y and x behind it."""
        ahead = [sum(1 << k for k in range(self.n) if case[k] >> y & 1) for y in range(self.n)]
        everybody = (1 << self.n) - 1
        return lambda x, y: set(_members(everybody & ~(ahead[y] | case[x])))

    def _by_exchange(self, node: Exchange, pairs: list[Arc], case: list[int]) -> bool:
        gain, up, down, between = self.gain, node.up, node.down, self.between(case)
        for x, y in pairs:
            others = between(x, y) - {x, y}
            self.work.spend(len(others))
            loss = sum(min(0, up * gain(x, k) + down * gain(k, y)) for k in others)
            if (up + down) * gain(x, y) + loss <= 0:
                return False
        return True

    def _by_cut(self, node: Cut, pairs: list[Arc], case: list[int]) -> bool:
        upper, between = {self.where[p] for p in node.above}, self.between(case)
        for x, y in pairs:
            others = between(x, y)
            across = product(others & upper, others - upper)
            self.work.spend(len(others & upper) * len(others - upper))
            loss = sum(min(0, self.gain(u, v)) for u, v in across if not case[u] >> v & 1)
            if x not in upper or y in upper or self.gain(x, y) + loss <= 0:
                return False
        return True

    def enumerate(self) -> int:
        """Return the least cost of all orders."""
        self.work.hold(2**self.n * NUMBER)
        self.work.spend(2**self.n * self.n)
        best = [0] * 2**self.n  # by sets of items, encoded as bits
        behind = [0] * self.n  # the cost of each item behind the items of the set
        for some in range(1, 2**self.n):
            for k in _members(some ^ (some - 1)):
                sign = 1 if some >> k & 1 else -1
                behind = [p + sign * c for p, c in zip(behind, self.cost[k], strict=True)]
            best[some] = min(best[some ^ 1 << k] + behind[k] for k in _members(some))
            if not some % 4096:
                self.work.spend()
        return best[-1]


# -- rankings that may tie items ------------------------------------------------------------------


class _WeakCase:
    """A partially decided weak order: the items not below, and above, each other, as bits."""

    def __init__(self, not_below: list[int], above: list[int]) -> None:
        self.not_below, self.above = not_below, above

    def learn(self, statements: Iterable[tuple[int, int, bool]]) -> _WeakCase | None:
        """Return the closure of the case with statements (i, j, is_below), or None."""
        n = len(self.above)
        weak, strict = list(self.not_below), list(self.above)
        for i, j, is_below in statements:
            if is_below:
                strict[j] |= 1 << i
            else:
                weak[i] |= 1 << j
        before = None
        while before != (weak, strict):
            before = (list(weak), list(strict))
            for i in range(n):
                weak[i] |= strict[i]
                for k in range(n):
                    if weak[i] >> k & 1:
                        weak[i] |= weak[k]
                        strict[i] |= strict[k]
                    if strict[i] >> k & 1:
                        strict[i] |= weak[k]
        return None if any(strict[i] >> i & 1 for i in range(n)) else _WeakCase(weak, strict)

    def places(self, i: int, j: int) -> list[int]:
        """Return the possible places of i relative to j."""
        i_above, j_above = self.above[i] >> j & 1, self.above[j] >> i & 1
        is_open = (
            not self.not_below[j] >> i & 1,
            not i_above and not j_above,
            not self.not_below[i] >> j & 1,
        )
        return [place for place in (ABOVE, TIED, BELOW) if is_open[place]]


class _WeakPart(_Part):
    """The costs of i above j, of a tie, and of i below j, for each pair i < j."""

    def __init__(
        self, cost: Callable[[int, int], tuple[int, int, int]], proof: Proof, work: Work
    ) -> None:
        super().__init__(proof, work)
        work.spend(self.n**2)
        work.hold(self.n**2 * 4 * ENTRY)
        some, pairs = self.positions, [(i, j) for j in range(self.n) for i in range(j)]
        self.cost = {(i, j): cost(some[i], some[j]) for i, j in pairs}
        self.floor = sum(map(min, self.cost.values()))
        self.step = gcd(*(three[k] - three[TIED] for three in self.cost.values() for k in (0, 2)))
        self.root = _WeakCase([1 << i for i in range(self.n)], [0] * self.n)

    def assume(self, case: Any, i: int, j: int, *, holds: bool) -> Any:
        self.work.spend(4 * self.n**2)
        return case.learn([(i, j, not holds)])

    def reduce(self, leaf: Leaf) -> tuple[dict[Arc, list[int]], int]:
        """Return the reduced costs of all places, and the constant of all orders."""
        self.work.spend(4 * self.n**2)
        costs = {pair: [WEIGHT_DENOMINATOR * c for c in three] for pair, three in self.cost.items()}
        for triple, weight in zip(leaf.triples, leaf.weights, strict=True):
            a, b, c = (self.where[p] for p in triple)
            for i, j, w in ((a, b, weight), (b, c, weight), (a, c, -weight)):
                # The weight counts if i is not below j: above it or tied.
                for place in (ABOVE, TIED) if i < j else (TIED, BELOW):
                    costs[min(i, j), max(i, j)][place] += w
        return costs, -sum(leaf.weights)

    def total(self, case: Any, reduced: Any) -> int:
        costs, constant = reduced
        least = (min(three[p] for p in case.places(*pair)) for pair, three in costs.items())
        return int(constant + sum(least))

    def solve_root(self, node: Any, case: Any) -> Any:
        raise TypeError(node)  # the reader reads none

    def fix(self, case: Any, reduced: Any, total: int, threshold: int) -> Any:
        new = []
        for (i, j), three in reduced[0].items():
            places = case.places(i, j)
            least = min(three[place] for place in places)
            for first, second, when in ((i, j, (ABOVE, TIED)), (j, i, (TIED, BELOW))):
                for is_below in (False, True):
                    where = [p for p in places if (p in when) != is_below]
                    # The case already has the negation of an impossible statement.
                    if where and (
                        self.lift(total + min(three[p] for p in where) - least) >= threshold
                    ):
                        new.append((first, second, not is_below))
        return case.learn(new)


# -- the statements -------------------------------------------------------------------------------


class Statement(ABC):
    """The statement of a certificate about an order."""

    schema: ClassVar[str]
    called: ClassVar[str]
    reader: ClassVar[type[ProofReader]] = ProofReader
    own: ClassVar[tuple[str, ...]]
    optional: ClassVar[tuple[str, ...]] = ()
    demands = Demands()
    constant = 0
    factor: int  # the denominator of costs is that of the votes times this

    def __init__(self, data: Any, work: Work = UNLIMITED) -> None:
        root, self.work = Field(data), work
        if root.has("schema") and root.has("version"):  # other versions have other keys
            Field(data["schema"], "schema").constant(self.schema)
            Field(data["version"], "version").constant(1)
        keys = (
            *("schema", "version", "status", "cost", "lower_bound", "tolerance", "tie_cost"),
            *("fingerprint", "items", "scaled_cost", "scaled_lower_bound", "denominator"),
            *("weight_denominator", "proofs", *self.own),
            *(key for key in self.optional if root.has(key)),
        )
        self.fields = dict(zip(keys, root.members(*keys), strict=True))
        self.fields["weight_denominator"].constant(WEIGHT_DENOMINATOR)
        self.items = _read_items(self.fields["items"])
        self.tie_cost = _read_share(self.fields["tie_cost"])
        self.tolerance = self.fields["tolerance"].fraction()
        self.fingerprint = self.fields["fingerprint"].value
        if type(self.fingerprint) is not str or not re.fullmatch("[0-9a-f]{64}", self.fingerprint):
            self.fields["fingerprint"].refuse("a text of 64 hexadecimal digits")
        self.read_order()
        n, taken = len(self.items), set[int]()
        self.proofs = tuple(
            self.reader(n, self.demands, taken, work).read(proof)
            for proof in self.fields["proofs"].elements()
        )
        self.scaled_cost = self.fields["scaled_cost"].integer()
        self.scaled_lower_bound = self.fields["scaled_lower_bound"].integer()
        self.denominator = self.fields["denominator"].integer(low=1)
        if self.scaled_lower_bound > self.scaled_cost:
            self.fields["scaled_lower_bound"].refuse("at most `scaled_cost`")
        self.is_optimal = self.scaled_lower_bound == self.scaled_cost
        self.fields["cost"].constant(self.in_votes(self.scaled_cost))
        self.fields["lower_bound"].constant(self.in_votes(self.scaled_lower_bound))
        self.fields["status"].constant("optimal" if self.is_optimal else "gap")

    def in_votes(self, scaled: int) -> str:
        """Return a scaled number as votes, in lowest terms."""
        return str(Fraction(scaled, self.denominator))

    @abstractmethod
    def read_order(self) -> None:
        """Read the order and the other fields of this kind."""

    @abstractmethod
    def levels(self) -> list[Sequence[int]]:
        """Return groups of tied items, best first."""

    @abstractmethod
    def cost(self, votes: _Votes) -> int:
        """Set `factor` and return the cost of the order."""

    @abstractmethod
    def proved(self, votes: _Votes) -> int:
        """Return the lower bound of the proofs."""

    def check(self, data: Any) -> str:
        """Check the certificate against votes, and return the result as a sentence."""
        votes, n = _Votes(data, self.work), len(self.items)
        if self.items != votes.items:
            both = (("the votes have", votes), ("the certificate has", self))
            extra = [
                f"only {who} {', '.join(sorted(map(str, set(a.items) - set(b.items))))}"
                for (who, a), (_, b) in (both, both[::-1])
                if set(a.items) - set(b.items)
            ]
            difference = " and ".join(extra) or "they have them in another order"
            same = "The votes and the certificate must have the same items in the same order"
            raise RefusedError(f"{same}: {difference}.")
        fingerprint = votes.fingerprint()
        _require(
            self.fingerprint == fingerprint,
            f"The certificate is for other votes: their fingerprint is {fingerprint[:8]}..., the "
            f"certificate has {self.fingerprint[:8]}...",
        )
        total, text = self.cost(votes), self.in_votes
        over = votes.denominator * self.factor
        _require(
            over == self.denominator,
            f"The votes are over {over}, not {self.denominator} as stated.",
        )
        tolerance = votes.rounding * n * (n - 1)
        _require(
            self.tolerance == tolerance,
            f"The costs are known to within {tolerance}, not {self.tolerance} as stated.",
        )
        costs = f"The {self.called} costs {text(total)}, not {text(self.scaled_cost)} as stated."
        _require(self.scaled_cost == total, costs)
        proved, stated = self.proved(votes), self.scaled_lower_bound
        bound = f"The proofs show the bound {text(proved)}, not {text(stated)} as stated."
        _require(stated <= proved, bound)
        levels = [" = ".join(str(self.items[i]) for i in some) for some in self.levels()]
        if len(levels) > SHOWN:
            levels[SHOWN - 2 : -1] = ["..."]
        return (
            f"The proof holds: the {self.called} {' > '.join(levels)} costs {text(total)} "
            f"({self.prices()}), and none{' under its constraints' if self.demands else ''} less "
            f"than {text(stated)}."
        )

    def prices(self) -> str:
        """Return the costs of ties as text."""
        return f"a tied vote costs {self.tie_cost}"


class Strict(Statement):
    """The statement that no ranking without ties costs less."""

    schema, called = "rankagg.certificate", "ranking"
    own, optional = ("order",), ("constraints",)

    def read_order(self) -> None:
        n, order = len(self.items), self.fields["order"]
        self.order = tuple(order.integers(high=n - 1))
        if len(self.order) != n or len(set(self.order)) != n:
            order.refuse(f"each of the positions 0 to {n - 1} once")
        if "constraints" in self.fields:
            self.demands = _read_demands(self.fields["constraints"], n)

    def levels(self) -> list[Sequence[int]]:
        return [(i,) for i in self.order]

    def cost(self, votes: _Votes) -> int:
        self.factor = self.tie_cost.denominator
        place = {i: at for at, i in enumerate(self.order)}
        self.constant = sum(x for i, row in enumerate(votes.ties) for j, x in row.items() if i > j)
        self.constant *= self.tie_cost.numerator
        against = (
            x for i, row in enumerate(votes.wins) for j, x in row.items() if place[i] > place[j]
        )
        return self.constant + sum(against) * self.factor

    def proved(self, votes: _Votes) -> int:
        case = [0] * votes.n
        if self.demands:
            case = _demanded(self.demands, votes.n, self.work)
            at = {i: place for place, i in enumerate(self.order)}
            keeps = [at[i] < at[j] for i, row in enumerate(case) for j in _members(row)]
            for count in self.demands.counts:
                keeps.append(sum(at[i] < count.within for i in count.items) >= count.at_least)
            _require(all(keeps), "The ranking breaks a stated constraint.")

        def before(i: int, j: int) -> int:
            return votes.won(j, i) * self.factor

        total = self.constant + sum(min(before(i, j), before(j, i)) for i, j in votes.pairs())
        for i, row in enumerate(case):
            total += sum(max(before(i, j) - before(j, i), 0) for j in _members(row))
        for proof in self.proofs:
            part = _StrictPart(before, proof, case, self.work)
            total += part.bound() - part.floor - part.extra(part.root)
        return total


class Weak(Statement):
    """The statement that no ranking with ties costs less."""

    schema, called, reader = "rankagg.weak_certificate", "weak order", WeakProofReader
    own = ("consensus_tie_cost", "buckets")

    def read_order(self) -> None:
        self.consensus_tie_cost = _read_share(self.fields["consensus_tie_cost"])
        n, buckets = len(self.items), []
        for element in self.fields["buckets"].elements():
            bucket = tuple(element.integers(high=n - 1))
            if not bucket or any(a >= b for a, b in pairwise(bucket)):
                element.refuse("a list of one or more positions, ascending")
            buckets.append(bucket)
        if sorted(chain(*buckets)) != list(range(n)):
            self.fields["buckets"].refuse(f"lists with each of the positions 0 to {n - 1} once")
        self.buckets = tuple(buckets)

    def levels(self) -> list[Sequence[int]]:
        return list(self.buckets)

    def prices(self) -> str:
        return f"{super().prices()}, a vote on a tied pair {self.consensus_tie_cost}"

    def cost(self, votes: _Votes) -> int:
        self.factor = lcm(self.tie_cost.denominator, self.consensus_tie_cost.denominator)
        level = {i: at for at, bucket in enumerate(self.buckets) for i in bucket}
        return sum(
            self.pair_costs(votes, i, j)[1 + (level[i] > level[j]) - (level[i] < level[j])]
            for i, j in votes.pairs()
        )

    def pair_costs(self, votes: _Votes, i: int, j: int) -> tuple[int, int, int]:
        """Return the costs of i above j, of a tie, and of i below j."""
        up, down = votes.won(i, j), votes.won(j, i)
        tie = int(self.tie_cost * self.factor) * votes.tied(i, j)
        agreed = int(self.consensus_tie_cost * self.factor)
        return self.factor * down + tie, agreed * (up + down), self.factor * up + tie

    def proved(self, votes: _Votes) -> int:
        def costs(i: int, j: int) -> tuple[int, int, int]:
            return self.pair_costs(votes, i, j)

        total = sum(min(costs(i, j)) for i, j in votes.pairs())
        for proof in self.proofs:
            part = _WeakPart(costs, proof, self.work)
            total += part.bound() - part.floor
        return total


KINDS = {kind.schema: kind for kind in (Strict, Weak)}


def check(certificate: Any, votes: Any, work: Work | None = None) -> str:
    """Check a certificate against votes, and return the result as a sentence."""
    schema = certificate.get("schema") if type(certificate) is dict else None
    _require(type(schema) is str and schema in KINDS, "This is no certificate.")
    return KINDS[str(schema)](certificate, work or Work()).check(votes)


def _main() -> None:
    """Check the files that the command line names."""
    parser = argparse.ArgumentParser(description="Check a certificate against votes.")
    parser.add_argument("certificate", type=Path)
    parser.add_argument("votes", type=Path)
    parser.add_argument("--time-limit", type=float, default=SECONDS, metavar="SECONDS")
    parser.add_argument("--memory-limit", type=float, default=BYTES, metavar="BYTES")
    options = parser.parse_args()
    work = Work(options.time_limit, options.memory_limit)
    try:
        paths = (options.certificate, options.votes)
        work.hold(16 * sum(path.stat().st_size for path in paths))
        certificate, votes = (_parse(path.read_text(encoding="utf-8")) for path in paths)
        sys.stdout.write(check(certificate, votes, work) + "\n")
    except RefusedError as error:
        sys.exit(f"The proof does not hold: {error}")
    except (OSError, UnicodeDecodeError) as error:
        parser.error(f"a file cannot be read: {error}")
    except BudgetError as error:
        sys.stderr.write(f"Not checked within the budget: {error}.\n")
        sys.exit(3)


if __name__ == "__main__":
    _main()
