"""What the readers of all certificates have in common."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain
from typing import Any, Protocol

from rankagg._typing import Label
from rankagg.core.items import counted
from rankagg.io.strict_json import LARGEST_INTEGER, Field

__all__ = [
    "Tree", "Triples", "check_printed", "check_version", "read_fingerprint", "read_items",
    "read_part", "read_share", "read_triples",
]  # fmt: skip

HEXADECIMAL = frozenset("0123456789abcdef")

#: Three different positions each, and their weights.
Triples = tuple[tuple[tuple[int, int, int], ...], tuple[int, ...]]


class Stated(Protocol):
    """The numbers of a certificate."""

    @property
    def scaled_cost(self) -> int:
        """Cost of the order."""

    @property
    def scaled_lower_bound(self) -> int:
        """The proved bound."""

    @property
    def denominator(self) -> int:
        """What both are divided by to be in votes."""


def check_version(whole: Field, schema: str, version: int, remedy: str = "") -> None:
    """Look at schema and version first: another version has other keys."""
    if whole.has("schema") and whole.has("version"):
        assert isinstance(whole.value, dict)
        Field(whole.value["schema"], "schema").constant(schema)
        Field(whole.value["version"], "version").constant(version, remedy)


def check_printed(
    content: Stated, *, scaled_lower_bound: Field, cost: Field, lower_bound: Field, status: Field
) -> None:
    """Raise unless what is printed says the same as what is proved."""
    if content.scaled_lower_bound > content.scaled_cost:
        scaled_lower_bound.refuse("at most `scaled_cost`")
    cost.constant(str(Fraction(content.scaled_cost, content.denominator)))
    lower_bound.constant(str(Fraction(content.scaled_lower_bound, content.denominator)))
    met = content.scaled_cost == content.scaled_lower_bound
    status.constant("optimal" if met else "gap")


def read_items(field: Field) -> tuple[Label, ...]:
    """Return distinct texts, or distinct integers."""
    labels: list[Label] = []
    # Texts need no look at each; other lists are gone through for what to say of them.
    all_texts = type(field.value) is list and set(map(type, field.value)) == {str}
    if all_texts:
        labels = list(field.value)  # type: ignore[call-overload]
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


def read_fingerprint(field: Field) -> str:
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
    rows: Any = field.value
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
