"""What people hold, such as lists of orders, as data of this package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from rankagg._frames import is_frame
from rankagg.core.items import ItemSet
from rankagg.core.profile import Profile
from rankagg.core.rankings.partial import PartialRanking
from rankagg.exceptions import Described, InvalidInputError

ORDERS = (
    "a ScoreTable, ScoreSummary, Profile, PairwiseMatrix or Comparisons, or orders of labels, best "
    "first, as a list or as a mapping from order to count"
)
#: What one is to call where it is not certain what plain data are.
STATED = (
    "`Profile.from_orders` takes orders, `Profile.from_ranks` ranks, and `ScoreTable` scores with "
    "their direction."
)
#: What reads a file.
READERS = (
    "`ra.recognize(path).read()` reads a file, and `ra.read_scores(path, higher_is_better=True)` "
    'scores (False for errors). Orders stand in a list, as ["A > B > C"].'
)


def as_profile(data: object, parameter: str = "data") -> Profile | None:
    """Return orders, or a mapping from order to count, as a profile; None for anything else.

    Parameters
    ----------
    data : object
        A sequence of orders, or a mapping from order to count. An order is a list or tuple of
        labels, best first, in which a list or tuple holds tied ones; or a text such as "A > B = C",
        or "ABC" where all texts have the same letters. A label that an order leaves out is unranked
        in it.
    parameter : str, default "data"
        What messages call the data.

    Returns
    -------
    Profile or None

    Raises
    ------
    InvalidInputError
        If the data are an array, a frame, a path or another text, or a sequence of which it is not
        certain what it holds.
    """
    if isinstance(data, str | bytes | PathLike):
        raise InvalidInputError(
            parameter, "data that were read, or orders in a list", data, READERS
        )
    if isinstance(data, np.ndarray):
        told = Described(f"an array of shape {data.shape}")
        raise InvalidInputError(parameter, "data whose meaning is stated", told, STATED)
    if is_frame(data):
        remedy = (
            "`compare(frame, higher_is_better=True)` states it (False for errors), and so does "
            "`ScoreTable(frame, higher_is_better=True)`."
        )
        told = Described("a frame without the direction of its scores")
        raise InvalidInputError(parameter, "data whose meaning is stated", told, remedy)
    if isinstance(data, Mapping):
        orders, counts = list(data), list(data.values())
    elif isinstance(data, Sequence):
        orders, counts = list(data), None
    else:
        return None
    if not orders:
        raise InvalidInputError(parameter, "at least one order", data)
    if all(isinstance(order, PartialRanking) for order in orders):
        return Profile(orders, counts=counts)
    buckets = [_buckets(order, orders, parameter) for order in orders]
    labels = [label for order in buckets for bucket in order for label in bucket]
    if not any(isinstance(label, str) for label in labels):
        told = Described(f"{data!r:.60}")
        raise InvalidInputError(parameter, "orders of labels that are texts", told, STATED)
    items = ItemSet.coerce(None, labels)
    rankings = [PartialRanking.from_buckets(order, items=items) for order in buckets]
    return Profile(rankings, counts=counts)


def _buckets(order: object, orders: Sequence[Any], parameter: str) -> list[list[Any]]:
    """Return the groups of tied labels of an order, best first."""
    if isinstance(order, str):
        if ">" in order or "=" in order:
            groups = [[label.strip() for label in part.split("=")] for part in order.split(">")]
            if all(label for group in groups for label in group):
                return groups
        elif all(isinstance(one, str) and _alike(one, order) for one in orders):
            return [[letter] for letter in order]
    elif isinstance(order, list | tuple) and order:
        return [list(part) if isinstance(part, list | tuple) else [part] for part in order]
    allowed = 'orders such as ["A", "B", "C"] or "A > B > C"'
    raise InvalidInputError(parameter, allowed, order, STATED)


def _alike(one: str, other: str) -> bool:
    """Say whether two texts are orders of the same letters."""
    return len(one) > 1 and len(set(one)) == len(one) and sorted(one) == sorted(other)
