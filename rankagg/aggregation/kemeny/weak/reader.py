"""What a certificate about weak orders must be before anything in it is computed with.

Every number is a plain integer, every position an item of its part, every weight positive; parts
are disjoint, and the nodes of a proof are a tree whose children stand behind their parents. So a
check takes each node once and needs no recursion, and no number turns an inequality round.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, pairwise
from typing import NamedTuple

from rankagg._typing import Label
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
from rankagg.aggregation.kemeny.weak.nodes import WEIGHT_DENOMINATOR, Branch, Fixing, Leaf, Node
from rankagg.aggregation.kemeny.weak.proof import WeakProof
from rankagg.io.strict_json import Field

__all__ = ["FIELDS", "SCHEMA", "VERSION", "Content", "read_certificate"]

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
