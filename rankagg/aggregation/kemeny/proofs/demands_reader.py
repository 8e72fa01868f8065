"""Reading the constraints of a certificate, and the rows that name them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from rankagg.aggregation.kemeny.proofs.demands import Count, Demands
from rankagg.aggregation.kemeny.proofs.rows import Given
from rankagg.io.strict_json import Field

__all__ = ["NONE", "GivenRows", "read_demands", "read_given"]

NONE = Demands()

#: The rows that constraints demand, by name and number.
GivenRows: TypeAlias = Mapping[tuple[str, int], Given]


def read_demands(field: Field, n: int) -> Demands:
    """Return the constraints over n items; raise `DataFormatError` where they are malformed."""
    above, first, last, counts = field.members("above", "first", "last", "counts")
    demands = Demands(
        above=tuple(_pair(pair, n) for pair in above.elements()),
        first=_positions(first, n),
        last=_positions(last, n),
        counts=tuple(_count(count, n) for count in counts.elements()),
    )
    if not demands:
        field.refuse("left out where there are none")
    return demands


def _positions(field: Field, n: int) -> tuple[int, ...]:
    positions = field.integers(high=n - 1)
    if len(set(positions)) < len(positions):
        field.refuse("different positions")
    return tuple(positions)


def _pair(field: Field, n: int) -> tuple[int, int]:
    pair = _positions(field, n)
    if len(pair) != 2:
        field.refuse("two different positions")
    return pair[0], pair[1]


def _count(field: Field, n: int) -> Count:
    items, within, at_least = field.members("items", "within", "at_least")
    some = _positions(items, n)
    places = within.integer(low=1, high=n)
    return Count(some, places, at_least.integer(low=1, high=min(len(some), places)))


def read_given(field: Field, part: set[int], given: GivenRows) -> Given:
    """Return a row that constraints demand, all of whose arcs are in the part."""
    name = next((name for name in ("before", "behind", "quota") if field.has(name)), "before")
    (number,) = field.members(name)
    row = given.get((name, number.integer()))
    if row is None or not part.issuperset(i for arc in row.arcs for i in arc):
        field.refuse("a row of the constraints that speaks of positions of the proof only")
    return row
