"""Reading the certificate of a list, which may come from anybody."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from rankagg._typing import Label
from rankagg.aggregation.kemeny.proofs.reading import (
    check_printed,
    check_version,
    read_fingerprint,
    read_items,
    read_share,
)
from rankagg.io.strict_json import Field

__all__ = ["FIELDS", "SCHEMA", "VERSION", "Content", "read_certificate"]

SCHEMA = "rankagg.placed_certificate"
VERSION = 1

FIELDS = (
    "schema", "version", "status", "cost", "lower_bound", "tolerance", "tie_cost",
    "consensus_tie_cost", "fingerprint", "items", "weights", "placed", "scaled_cost",
    "scaled_lower_bound", "denominator",
)  # fmt: skip


class Content(NamedTuple):
    """What a certificate holds, as the constructor of `PlacedCertificate` takes it."""

    items: tuple[Label, ...]
    placed: tuple[int, ...]
    weights: tuple[Fraction, ...]
    scaled_cost: int
    scaled_lower_bound: int
    denominator: int
    tie_cost: Fraction
    consensus_tie_cost: Fraction
    tolerance: Fraction
    fingerprint: str


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
        items, weights, placed, scaled_cost, scaled_lower_bound, denominator,
    ) = whole.members(*FIELDS)  # fmt: skip
    labels = read_items(items)
    price = read_share(consensus_tie_cost)
    positions = _read_placed(placed, len(labels))
    content = Content(
        items=labels,
        placed=positions,
        weights=_read_weights(weights, len(positions), price),
        scaled_cost=scaled_cost.integer(),
        scaled_lower_bound=scaled_lower_bound.integer(),
        denominator=denominator.integer(low=1),
        tie_cost=read_share(tie_cost),
        consensus_tie_cost=price,
        tolerance=tolerance.fraction(),
        fingerprint=read_fingerprint(fingerprint),
    )
    check_printed(
        content, scaled_lower_bound=scaled_lower_bound, cost=cost, lower_bound=lower_bound,
        status=status,
    )  # fmt: skip
    return content


def _read_placed(field: Field, n: int) -> tuple[int, ...]:
    positions = field.integers(high=n - 1)
    if len(set(positions)) < len(positions) or len(positions) > n - 1:
        field.refuse(f"at most {n - 1} different positions")
    return tuple(positions)


def _read_weights(field: Field, k: int, price: Fraction) -> tuple[Fraction, ...]:
    """Return as many weights as there are places, none larger than the one before it."""
    elements = field.elements()
    weights = tuple(element.fraction() for element in elements)
    if len(weights) != k:
        field.refuse("a list with a weight for each position of `placed`")
    if any(first < second for first, second in pairwise(weights)) or 0 in weights:
        field.refuse("free of zeros, with no weight larger than the one before it")
    if price and any(weight != 1 for weight in weights):
        field.refuse('"1" everywhere unless `consensus_tie_cost` is "0"')
    return weights
