"""What a certificate about weak orders must be before anything in it is computed with.

Every number is a plain integer, every position an item of its part, every weight positive; parts
are disjoint, and the nodes of a proof are a tree whose children stand behind their parents. So a
check takes each node once and needs no recursion, and no number turns an inequality round.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, pairwise
from typing import Any, NamedTuple

from rankagg._typing import Label
from rankagg.aggregation.kemeny.weak.nodes import WEIGHT_DENOMINATOR, Branch, Fixing, Leaf, Node
from rankagg.aggregation.kemeny.weak.proof import WeakProof
from rankagg.core.items import counted
from rankagg.io.strict_json import LARGEST_INTEGER, Field

__all__ = ["FIELDS", "SCHEMA", "VERSION", "Content", "read_certificate"]

SCHEMA = "rankagg.weak_certificate"
VERSION = 1

FIELDS = (
    "schema", "version", "status", "cost", "lower_bound", "tolerance", "tie_cost",
    "consensus_tie_cost", "fingerprint", "items", "buckets", "scaled_cost", "scaled_lower_bound",
    "denominator", "weight_denominator", "proofs",
)  # fmt: skip

HEXADECIMAL = frozenset("0123456789abcdef")


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
    """Return the content of a certificate in plain data.

    Parameters
    ----------
    data : object
        What was parsed from JSON.

    Returns
    -------
    Content

    Raises
    ------
    DataFormatError
        If anything is not as it must be; the message names the field.
    """
    whole = Field(data, "")
    if whole.has("schema") and whole.has("version"):
        assert isinstance(whole.value, dict)
        # Another schema or version has other keys.
        Field(whole.value["schema"], "schema").constant(SCHEMA)
        Field(whole.value["version"], "version").constant(VERSION)
    (
        _, _, status, cost, lower_bound, tolerance, tie_cost, consensus_tie_cost, fingerprint,
        items, buckets, scaled_cost, scaled_lower_bound, denominator, weight_denominator, proofs,
    ) = whole.members(*FIELDS)  # fmt: skip
    weight_denominator.constant(WEIGHT_DENOMINATOR)
    labels = _read_items(items)
    content = Content(
        items=labels,
        positions=_read_buckets(buckets, len(labels)),
        scaled_cost=scaled_cost.integer(),
        scaled_lower_bound=scaled_lower_bound.integer(),
        denominator=denominator.integer(low=1),
        tie_cost=_read_share(tie_cost),
        consensus_tie_cost=_read_share(consensus_tie_cost),
        tolerance=tolerance.fraction(),
        fingerprint=_read_fingerprint(fingerprint),
        proofs=_read_proofs(proofs, len(labels)),
    )
    if content.scaled_lower_bound > content.scaled_cost:
        scaled_lower_bound.refuse("at most `scaled_cost`")
    # What is printed says the same as what is proved.
    cost.constant(str(Fraction(content.scaled_cost, content.denominator)))
    lower_bound.constant(str(Fraction(content.scaled_lower_bound, content.denominator)))
    met = content.scaled_cost == content.scaled_lower_bound
    status.constant("optimal" if met else "gap")
    return content


def _read_items(field: Field) -> tuple[Label, ...]:
    labels = []
    for element in field.elements():
        if type(element.value) is int:
            element.integer(low=-LARGEST_INTEGER)
        elif type(element.value) is not str:
            element.refuse("a text or an integer")
        labels.append(element.value)
    if not labels:
        field.refuse("a list of at least one item")
    if len(set(map(type, labels))) > 1:
        field.refuse("texts only or integers only")
    if len(set(labels)) < len(labels):
        field.refuse("free of repetitions")
    return tuple(labels)


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


def _read_share(field: Field) -> Fraction:
    share = field.fraction()
    if share > 1:
        field.refuse("at most 1")
    return share


def _read_fingerprint(field: Field) -> str:
    text = field.text()
    if len(text) != 64 or not HEXADECIMAL.issuperset(text):
        field.refuse("a text of 64 hexadecimal digits")
    return text


# -- proofs -----------------------------------------------------------------------------------


def _read_proofs(field: Field, n: int) -> tuple[WeakProof, ...]:
    taken: set[int] = set()
    proofs = []
    for element in field.elements():
        positions_field, nodes_field = element.members("positions", "nodes")
        positions = positions_field.integers(high=n - 1)
        part = set(positions)
        if len(part) < len(positions) or len(part) < 2 or part & taken:
            positions_field.refuse("two or more positions, none of them twice or in another proof")
        taken |= part
        proofs.append(WeakProof(tuple(positions), _read_nodes(nodes_field, part)))
    return tuple(proofs)


def _read_nodes(field: Field, part: set[int]) -> tuple[Node, ...]:
    elements = field.elements()
    if not elements:
        field.refuse("a list of at least one node")
    reader = _NodeReader(part, len(elements))
    nodes = tuple(reader.read(at, element) for at, element in enumerate(elements))
    for at in range(1, len(elements)):
        if at not in reader.children:
            elements[at].refuse("a child of a node before it")
    return nodes


class _NodeReader:
    """Reads the nodes of one proof, and remembers which of them are children."""

    def __init__(self, part: set[int], n_nodes: int) -> None:
        self._part = part
        self._n_nodes = n_nodes
        self.children: set[int] = set()

    def read(self, at: int, node: Field) -> Node:
        if node.has("pair"):
            pair, not_below, below = node.members("pair", "not_below", "below")
            first, second = self._pair(pair)
            return Branch(first, second, self._child(at, not_below), self._child(at, below))
        if node.has("threshold"):
            rows, threshold, rest = node.members("rows", "threshold", "rest")
            return Fixing(self._leaf(rows), threshold.integer(), self._child(at, rest))
        (rows,) = node.members("rows")
        return self._leaf(rows)

    def _pair(self, field: Field) -> list[int]:
        pair = field.integers()
        if len(pair) != 2 or len(set(pair)) != 2 or not self._part.issuperset(pair):
            field.refuse("two different positions of the proof")
        return pair

    def _child(self, at: int, field: Field) -> int:
        child = field.integer(low=at + 1, high=self._n_nodes - 1)
        if child in self.children:
            field.refuse("a node that is not the child of another or of the same node already")
        self.children.add(child)
        return child

    def _leaf(self, field: Field) -> Leaf:
        if type(field.value) is not list or not self._sound(field.value):
            for element in field.elements():
                self._check_row(element)
        rows: Any = field.value
        m = len(self._part)
        most = m * (m - 1) * (m - 2)
        if len(rows) > most:
            field.refuse(f"at most {counted(most, 'row')}, as {counted(m, 'item')} have")
        return Leaf(tuple((a, b, c) for a, b, c, _ in rows), tuple(weight for *_, weight in rows))

    def _sound(self, rows: list[Any]) -> bool:
        """Say quickly whether all rows are as they must be; proofs have thousands."""
        if set(map(type, rows)) != {list} or set(map(len, rows)) != {4}:
            return False
        flat = list(chain.from_iterable(rows))
        if set(map(type, flat)) != {int}:
            return False
        weights = flat[3::4]
        return (
            self._part.issuperset(chain(flat[0::4], flat[1::4], flat[2::4]))
            and all(a != b != c != a for a, b, c, _ in rows)
            and min(weights) >= 1
            and max(weights) <= LARGEST_INTEGER
        )

    def _check_row(self, field: Field) -> None:
        """Raise where a row is not as it must be, saying why."""
        parts = field.elements()
        if len(parts) != 4:
            field.refuse("three positions and a weight")
        row = [part.integer() for part in parts[:3]]
        if len(set(row)) != 3 or not self._part.issuperset(row):
            field.refuse("three different positions of the proof and a weight")
        parts[3].integer(low=1)
