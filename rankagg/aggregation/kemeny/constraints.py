"""Constraints on the exact consensus: as the user states them, and over positions.

If at least q of some items are within the first k places, at most k - q others are. So every other
item except the first k - q is behind q of those items. For any choice of items from both sides,
this bounds the number of ordered pairs from below: a row over arcs, see `Demands.ahead`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from rankagg import check_certificate
from rankagg._typing import Bools, Label, Positions
from rankagg._validation import check_integer
from rankagg.aggregation.kemeny.persistency import closed
from rankagg.check_certificate import Count
from rankagg.core import ItemSet, listed
from rankagg.exceptions import InvalidInputError, nearest


@dataclass(frozen=True)
class Above:
    """The constraint that one item is above another."""

    first: int
    second: int

    def words(self, items: ItemSet) -> str:
        """Describe the constraint with the names of the items."""
        return f"{items[self.first]} above {items[self.second]}"


@dataclass(frozen=True)
class Within:
    """The constraint that enough of some items are within the first places, or the last."""

    items: tuple[int, ...]
    within: int
    at_least: int
    at_the_end: bool = False

    def words(self, items: ItemSet) -> str:
        """Describe the constraint with the names of the items."""
        names = listed(items.at(self.items))
        place = "last" if self.at_the_end else "first"
        where = f"the {place} {self.within}" if self.within > 1 else place
        if self.at_least == len(self.items):
            return f"{names} within {where}" if self.within > 1 else f"{names} {where}"
        return f"{self.at_least} of {names} within {where}"

    def as_count(self, n: int) -> Count:
        """Return the equivalent count of the first places."""
        if not self.at_the_end:
            return Count(self.items, self.within, self.at_least)
        others = tuple(i for i in range(n) if i not in self.items)
        # At most `len(items) - at_least` of the items are before the last places; others fill them.
        return Count(others, n - self.within, n - self.within - len(self.items) + self.at_least)


Part = Above | Within


@dataclass(frozen=True)
class Demands(check_certificate.Demands):
    """Constraints over positions."""

    @classmethod
    def of(cls, demands: check_certificate.Demands) -> Demands:
        """Return the constraints that a certificate states."""
        return cls(demands.above, demands.first, demands.last, demands.counts)

    def decided(self, n: int) -> Bools | None:
        """Return the pairs that follow by transitivity; None if they contradict each other."""
        return closed(self.stated(n))

    @property
    def parts(self) -> list[Part]:
        """The constraints one by one, those on several items separately for each item."""
        parts: list[Part] = [Above(*pair) for pair in self.above]
        for some, at_the_end in ((self.first, False), (self.last, True)):
            parts += [Within((i,), len(some), 1, at_the_end) for i in some]
        for count in self.counts:
            if count.at_least == len(count.items):
                parts += [Within((i,), count.within, 1) for i in count.items]
            else:
                parts.append(Within(count.items, count.within, count.at_least))
        return list(dict.fromkeys(parts))

    def stated(self, n: int) -> Bools:
        """Return the demanded pairs, shape (n, n)."""
        before = np.zeros((n, n), dtype=bool)
        for first, second in self.above:
            before[first, second] = True
        for some, turned in ((self.first, False), (self.last, True)):
            ends = np.isin(np.arange(n), some)
            pairs = np.outer(ends, ~ends)
            before |= pairs.T if turned else pairs
        return before

    def counts_hold(self, order: Positions) -> bool:
        """Return whether an order meets all counts."""
        place = np.argsort(order)
        return all(
            np.count_nonzero(place[items] < count.within) >= count.at_least
            for items, count in zip(self._places, self.counts, strict=True)
        )

    @cached_property
    def _places(self) -> list[Positions]:
        return [np.array(count.items, dtype=np.intp) for count in self.counts]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "above": [list(pair) for pair in self.above],
            "first": list(self.first),
            "last": list(self.last),
            "counts": [
                {"items": list(c.items), "within": c.within, "at_least": c.at_least}
                for c in self.counts
            ],
        }


NO_DEMANDS = Demands()


@dataclass(frozen=True, init=False)
class Quota:
    """A minimum number of some items within the first places.

    Parameters
    ----------
    items : iterable of str or int
        The items that count.
    within : int
        The number of first places.
    at_least : int
        The least number of the items there.

    Examples
    --------
    >>> from rankagg import Quota
    >>> Quota(["A", "B", "C"], within=5, at_least=2)
    Quota(items=('A', 'B', 'C'), within=5, at_least=2)
    """

    items: tuple[Label, ...]
    within: int
    at_least: int

    def __init__(self, items: Iterable[Label], within: int, at_least: int) -> None:
        labels = _distinct_labels(items, "items of Quota")
        if not labels:
            raise InvalidInputError("items of Quota", "one or more items", items)
        places = check_integer(within, "within of Quota", low=1)
        least = check_integer(at_least, "at_least of Quota", low=1, high=min(len(labels), places))
        object.__setattr__(self, "items", labels)
        object.__setattr__(self, "within", places)
        object.__setattr__(self, "at_least", least)


@dataclass(frozen=True, init=False)
class Constraints:
    """Constraints that the consensus satisfies regardless of the votes.

    Parameters
    ----------
    above : iterable of (item, item), default ()
        Pairs whose first item is above the second, not necessarily adjacent.
    first : iterable of items, default ()
        Items above all others, in the order of least cost.
    last : iterable of items, default ()
        Items below all others, in the order of least cost.
    quotas : iterable of Quota, default ()
        Minimum numbers of some items within the first places.

    Notes
    -----
    To allow at most q of some items within the first k places, demand at least k - q of all others
    there. To demand both of two items, use ``Quota("AB", within=k, at_least=2)``.

    Examples
    --------
    >>> import rankagg as ra
    >>> votes = ra.Profile.from_orders(["ABCD", "ABDC", "BACD"])
    >>> wish = ra.Constraints(above=[("C", "A")], quotas=[ra.Quota("CD", within=2, at_least=1)])
    >>> consensus = ra.Kemeny(constraints=wish).aggregate(votes)
    >>> consensus.order, consensus.is_proved
    (('B', 'C', 'A', 'D'), True)
    """

    above: tuple[tuple[Label, Label], ...]
    first: tuple[Label, ...]
    last: tuple[Label, ...]
    quotas: tuple[Quota, ...]

    def __init__(
        self,
        *,
        above: Iterable[tuple[Label, Label]] = (),
        first: Iterable[Label] = (),
        last: Iterable[Label] = (),
        quotas: Iterable[Quota] = (),
    ) -> None:
        object.__setattr__(self, "above", _label_pairs(above))
        object.__setattr__(self, "first", _distinct_labels(first, "first of Constraints"))
        object.__setattr__(self, "last", _distinct_labels(last, "last of Constraints"))
        object.__setattr__(self, "quotas", _quotas(quotas))

    def __repr__(self) -> str:
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        arguments = ", ".join(f"{name}={value!r}" for name, value in given.items() if value)
        return f"Constraints({arguments})"

    def over(self, items: ItemSet) -> Demands:
        """Return the constraints over positions of the items.

        Parameters
        ----------
        items : ItemSet
            The items of the votes.
        """
        n = len(items)
        counts = []
        for quota in self.quotas:
            check_integer(quota.within, "places of a quota of Constraints", low=1, high=n)
            where = _indices_of(quota.items, items, "a quota of Constraints")
            counts.append(Count(where, quota.within, quota.at_least))
        above = [_indices_of(pair, items, "above of Constraints") for pair in self.above]
        return Demands(
            above=tuple((a, b) for a, b in above),
            first=_indices_of(self.first, items, "first of Constraints"),
            last=_indices_of(self.last, items, "last of Constraints"),
            counts=tuple(counts),
        )


def _distinct_labels(labels: Any, parameter: str) -> tuple[Label, ...]:
    try:
        given = tuple(labels)
        distinct = len(set(given)) == len(given)
    except TypeError:
        raise InvalidInputError(parameter, "a list of items", labels) from None
    if not distinct:
        raise InvalidInputError(parameter, "free of repetitions", list(given))
    return given


def _label_pairs(above: Any) -> tuple[tuple[Label, Label], ...]:
    pairs = tuple(
        _distinct_labels(pair, "a pair in above of Constraints")
        for pair in _iterable(above, "above of Constraints", "a list of pairs of items")
    )
    for pair in pairs:
        if len(pair) != 2:
            raise InvalidInputError("above of Constraints", "a list of pairs of items", pair)
    if len(set(pairs)) < len(pairs):
        raise InvalidInputError("above of Constraints", "free of repetitions", list(pairs))
    return tuple((a, b) for a, b in pairs)


def _quotas(quotas: Any) -> tuple[Quota, ...]:
    given = _iterable(quotas, "quotas of Constraints", "a list of Quota")
    for quota in given:
        if not isinstance(quota, Quota):
            raise InvalidInputError("quotas of Constraints", "a list of Quota", quota)
    if len(set(given)) < len(given):
        raise InvalidInputError("quotas of Constraints", "free of repetitions", list(given))
    return given


def _iterable(values: Any, parameter: str, allowed: str) -> tuple[Any, ...]:
    try:
        return tuple(values)
    except TypeError:
        raise InvalidInputError(parameter, allowed, values) from None


def _indices_of(labels: Iterable[Label], items: ItemSet, parameter: str) -> tuple[int, ...]:
    labels = tuple(labels)
    for label in labels:
        if label not in items:
            raise InvalidInputError(parameter, "items of the data", label, nearest(label, items))
    return tuple(items.indices(labels))
