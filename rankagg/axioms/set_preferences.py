"""Which of two sets of winners a voter prefers: extensions of an order of items to sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

from rankagg._validation import check_choice
from rankagg.axioms.ballots import Order
from rankagg.axioms.outcomes import Winners

__all__ = ["EXTENSIONS", "SetPreference", "check_extension", "prefers"]

SetPreference: TypeAlias = Literal["fishburn", "gardenfors", "kelly", "optimist", "pessimist"]
EXTENSIONS: tuple[SetPreference, ...] = get_args(SetPreference)


def _above(first: set[int], second: set[int]) -> bool:
    """Say whether all places of the first set are better than all of the second."""
    return not first or not second or max(first) < min(second)


def _fishburn(one: set[int], other: set[int]) -> bool:
    mine, both, yours = one - other, one & other, other - one
    return _above(mine, both) and _above(mine, yours) and _above(both, yours)


def _gardenfors(one: set[int], other: set[int]) -> bool:
    mine, both, yours = one - other, one & other, other - one
    if not mine:
        return _above(both, yours)
    if not yours:
        return _above(mine, both)
    return _above(mine, yours)


_RULES: dict[SetPreference, Callable[[set[int], set[int]], bool]] = {
    "fishburn": _fishburn,
    "gardenfors": _gardenfors,
    "kelly": lambda one, other: max(one) <= min(other),
    "optimist": lambda one, other: min(one) < min(other),
    "pessimist": lambda one, other: max(one) < max(other),
}


def check_extension(value: object, parameter: str) -> None:
    """Raise unless the value names an extension."""
    check_choice(value, EXTENSIONS, parameter)


def prefers(order: Order, one: Winners, other: Winners, extension: SetPreference) -> bool:
    """Say whether a voter with an order strictly prefers one set of winners to another.

    Parameters
    ----------
    order : tuple of int
        The items, best first.
    one, other : frozenset of int
        The sets.
    extension : {"fishburn", "gardenfors", "kelly", "optimist", "pessimist"}
        How sets are compared. "kelly": nothing in the one is worse than anything in the other;
        "fishburn": what only the one has is better than what both have, and that better than
        what only the other has; "gardenfors": the same of a set and a part of it, and else what
        only the one has is better than what only the other has; "optimist" and "pessimist": by
        the best and by the worst item.

    Returns
    -------
    bool
    """
    if one == other:
        return False
    place = {item: at for at, item in enumerate(order)}
    return _RULES[extension]({place[item] for item in one}, {place[item] for item in other})
