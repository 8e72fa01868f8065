"""What a certificate must be before anything in it is computed with.

Every number is a plain integer, every position an item of its part, every weight positive; parts
are disjoint, and the nodes of a proof are a tree whose children stand behind their parents. So a
check takes each node once and needs no recursion, and no number turns an inequality round.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple

from rankagg._typing import Label
from rankagg.aggregation.kemeny.proofs.demands import Demands
from rankagg.aggregation.kemeny.proofs.demands_reader import (
    NONE,
    GivenRows,
    read_demands,
    read_given,
)
from rankagg.aggregation.kemeny.proofs.nodes import (
    WEIGHT_DENOMINATOR,
    Branch,
    Cut,
    Enumeration,
    Exchange,
    Fixing,
    Leaf,
    Node,
)
from rankagg.aggregation.kemeny.proofs.proof import Proof
from rankagg.aggregation.kemeny.proofs.reading import (
    Tree,
    check_printed,
    check_version,
    read_fingerprint,
    read_items,
    read_part,
    read_share,
    read_triples,
)
from rankagg.aggregation.kemeny.proofs.rows import LARGEST_COUNT, Derived, Source
from rankagg.aggregation.kemeny.subset_dp import LARGEST
from rankagg.io.strict_json import Field

__all__ = ["FIELDS", "SCHEMA", "VERSION", "Content", "read_certificate"]

SCHEMA = "rankagg.certificate"
VERSION = 3

FIELDS = (
    "schema", "version", "status", "cost", "lower_bound", "tolerance", "tie_cost", "fingerprint",
    "items", "order", "scaled_cost", "scaled_lower_bound", "denominator", "weight_denominator",
    "proofs",
)  # fmt: skip


class Content(NamedTuple):
    """What a certificate holds, as the constructor of `Certificate` takes it."""

    items: tuple[Label, ...]
    order: tuple[int, ...]
    scaled_cost: int
    scaled_lower_bound: int
    denominator: int
    tie_cost: Fraction
    tolerance: Fraction
    fingerprint: str
    proofs: tuple[Proof, ...]
    demands: Demands


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
    check_version(
        whole, SCHEMA, VERSION, "Solve again: certificates of former versions have no derived rows."
    )
    (
        _, _, status, cost, lower_bound, tolerance, tie_cost, fingerprint, items, order,
        scaled_cost, scaled_lower_bound, denominator, weight_denominator, proofs, *constraints,
    ) = whole.members(*FIELDS, *(["constraints"] if whole.has("constraints") else []))  # fmt: skip
    weight_denominator.constant(WEIGHT_DENOMINATOR)
    labels = read_items(items)
    demands = read_demands(constraints[0], len(labels)) if constraints else NONE
    content = Content(
        items=labels,
        order=_read_order(order, len(labels)),
        scaled_cost=scaled_cost.integer(),
        scaled_lower_bound=scaled_lower_bound.integer(),
        denominator=denominator.integer(low=1),
        tie_cost=read_share(tie_cost),
        tolerance=tolerance.fraction(),
        fingerprint=read_fingerprint(fingerprint),
        proofs=_read_proofs(proofs, len(labels), demands),
        demands=demands,
    )
    check_printed(
        content, scaled_lower_bound=scaled_lower_bound, cost=cost, lower_bound=lower_bound,
        status=status,
    )  # fmt: skip
    return content


def _read_order(field: Field, n: int) -> tuple[int, ...]:
    order = field.integers(high=n - 1)
    if len(order) != n or len(set(order)) != n:
        field.refuse(f"each of the positions 0 to {n - 1} once")
    return tuple(order)


# -- proofs -----------------------------------------------------------------------------------


def _read_proofs(field: Field, n: int, demands: Demands = NONE) -> tuple[Proof, ...]:
    taken: set[int] = set()
    proofs = []
    markers = len(demands.places)
    given = {(row.name, row.number): row for row in demands.rows(n)}
    for element in field.elements():
        positions_field, rows_field, nodes_field = element.members("positions", "rows", "nodes")
        positions = read_part(positions_field, n + markers, taken)
        part = set(positions)
        rows = tuple(
            _read_row(at, row, part, given) for at, row in enumerate(rows_field.elements())
        )
        proofs.append(Proof(positions, _read_nodes(nodes_field, part, len(rows)), rows))
    return tuple(proofs)


def _read_row(at: int, field: Field, part: set[int], given: GivenRows) -> Derived:
    terms_field, divisor = field.members("terms", "divisor")
    terms = tuple(_read_term(at, term, part, given) for term in terms_field.elements())
    if not terms:
        terms_field.refuse("a list of at least one term")
    return Derived(terms, divisor.integer(low=1, high=LARGEST_COUNT))


def _read_term(at: int, field: Field, part: set[int], given: GivenRows) -> tuple[int, Source]:
    parts = field.elements()
    if len(parts) != 2:
        field.refuse("how often, and which row")
    times = parts[0].integer(low=1, high=LARGEST_COUNT)
    if type(parts[1].value) is int:
        return times, parts[1].integer(high=at - 1)
    if given and type(parts[1].value) is dict:
        return times, read_given(parts[1], part, given)
    items = tuple(parts[1].integers())
    if len(items) < 2 or len(set(items)) < len(items) or not part.issuperset(items):
        parts[1].refuse("two or more different positions of the proof, or an earlier row")
    return times, items


def _read_nodes(field: Field, part: set[int], n_rows: int) -> tuple[Node, ...]:
    reader = _NodeReader(Tree(field, part), part, n_rows)
    nodes = tuple(reader.read(at, node) for at, node in enumerate(reader.tree.nodes))
    reader.tree.check()
    return nodes


class _NodeReader:
    """Reads the nodes of one proof."""

    def __init__(self, tree: Tree, part: set[int], n_rows: int) -> None:
        self.tree = tree
        self._part = part
        self._n_rows = n_rows
        # Where the chain goes on of nodes that say what holds in every optimum.
        self._chain = 0

    def read(self, at: int, node: Field) -> Node:
        if node.has("enumeration"):
            return self._enumeration(node)
        if node.has("pair"):
            pair, before, after = node.members("pair", "before", "after")
            both = self.tree.pair(pair)
            return Branch(*both, self.tree.child(at, before), self.tree.child(at, after))
        if node.has("threshold"):
            cycles, rows, threshold, rest = node.members("cycles", "rows", "threshold", "rest")
            return Fixing(self._leaf(cycles, rows), threshold.integer(), self.tree.child(at, rest))
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
        return self._leaf(*node.members("cycles", "rows"))

    def _enumeration(self, node: Field) -> Enumeration:
        (flag,) = node.members("enumeration")
        if flag.value is not True:
            flag.refuse("true")
        if len(self.tree.nodes) > 1 or len(self._part) > LARGEST:
            node.refuse(f"the only node of its proof, which has at most {LARGEST} positions")
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

    def _leaf(self, cycles: Field, rows: Field) -> Leaf:
        m = len(self._part)
        corners, weights = read_triples(cycles, self._part, m * (m - 1) * (m - 2) // 3, "cycle")
        return Leaf(corners, weights, tuple(map(self._weighted_row, rows.elements())))

    def _weighted_row(self, field: Field) -> tuple[int, int]:
        parts = field.elements()
        if len(parts) != 2:
            field.refuse("a row and a weight")
        return parts[0].integer(high=self._n_rows - 1), parts[1].integer(low=1)
