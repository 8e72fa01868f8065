"""Strict orders of labels as places, all of them at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Label, Ranks
from rankagg.core.items import ItemSet
from rankagg.core.rankings.places import UNRANKED

__all__ = ["places_of_orders", "scattered"]


def places_of_orders(
    rows: Sequence[Sequence[Any]], items: Iterable[Label] | None
) -> tuple[Ranks, ItemSet] | None:
    """Return the places of orders, best first, and the items.

    None where an order names a label twice, or one that is no label or no item: who calls must
    say which. Labels that are neither plain text nor plain integers are left to the caller too.
    """
    labels = list(chain.from_iterable(rows))
    # By type first: True and 1.0 would be found where 1 is.
    kinds = set(map(type, labels))
    if not rows or not {str, int} >= kinds:
        return None
    codes, distinct = _coded_numbers(labels) if kinds == {int} else _coded(labels)
    item_set = ItemSet.coerce(items, distinct)
    try:
        position = np.array([item_set._index[label] for label in distinct], dtype=np.intp)
    except KeyError:
        return None
    lengths = np.fromiter(map(len, rows), np.intp, len(rows))
    ranks = scattered(position[codes], lengths, len(item_set), UNRANKED)
    return None if ranks is None else (ranks, item_set)


def _coded(labels: list[Any]) -> tuple[NDArray[np.intp], list[Any]]:
    """Return a code for each label, and the labels that the codes stand for."""
    number: defaultdict[Label, int] = defaultdict(count().__next__)
    return np.fromiter(map(number.__getitem__, labels), np.intp, len(labels)), list(number)


def _coded_numbers(labels: list[int]) -> tuple[NDArray[np.intp], list[int]]:
    """Do the same for plain integers, which a table finds quicker where they are close."""
    try:
        numbers = np.array(labels, dtype=np.int64)
    except OverflowError:
        return _coded(labels)
    low = int(numbers.min())
    if int(numbers.max()) - low > len(labels):
        return _coded(labels)
    at = (numbers - low).astype(np.intp)
    occurs = np.zeros(int(at.max()) + 1, dtype=np.intp)
    occurs[at] = 1
    return (np.cumsum(occurs) - 1)[at], (np.flatnonzero(occurs) + low).tolist()


def scattered(codes: Any, lengths: Any, n_items: int, left_out: int) -> Ranks | None:
    """Return the places of orders of items by number; None where one names an item twice.

    Parameters
    ----------
    codes : ndarray of int
        All orders one after another, best first, items counted from 0.
    lengths : ndarray of int, shape (m,)
        How many items each order names.
    n_items : int
        The number of items.
    left_out : int
        The place of an item that an order does not name.
    """
    m = len(lengths)
    if len(codes) == m * n_items and (lengths == n_items).all():
        orders = codes.reshape(m, n_items)
        ranks = np.full((m, n_items), UNRANKED, dtype=np.int32)
        np.put_along_axis(ranks, orders, np.arange(n_items, dtype=np.int32)[None, :], axis=1)
        return None if (ranks == UNRANKED).any() else ranks
    row = np.repeat(np.arange(m), lengths)
    place = np.arange(len(codes)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    ranks = np.full((m, n_items), left_out, dtype=np.int32)
    ranks[row, codes] = place
    return ranks if np.array_equal((ranks >= 0).sum(axis=1), lengths) else None
