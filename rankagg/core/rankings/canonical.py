"""Places in their canonical form, from what people have: groups of labels, numbers, fewer items.

Every function returns places that start at 0, count how many items are better, and carry the codes
of `places`; so whatever made them, equal rankings have equal arrays.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankagg._frames import as_frame
from rankagg._typing import Bools, Floats, Label, Positions, Ranks
from rankagg._validation import as_matrix, as_numbers, check_number
from rankagg.core.items import ItemSet, clean_label, counted
from rankagg.core.pandas_labels import axis_labels
from rankagg.core.rankings import places
from rankagg.core.rankings.places import UNRANKED
from rankagg.exceptions import DataWarning, Described, InvalidInputError

#: At least this share of rows must show that 0 means not ranked; fewer may be slips.
SHARE_OF_SIGNS = 0.1


def _places_of_orders(
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
    ranks = scattered(position[codes], lengths, len(item_set))
    return None if ranks is None else (ranks, item_set)


def _coded(labels: list[Any]) -> tuple[Positions, list[Any]]:
    """Return a code for each label, and the labels that the codes stand for."""
    number: defaultdict[Label, int] = defaultdict(count().__next__)
    return np.fromiter(map(number.__getitem__, labels), np.intp, len(labels)), list(number)


def _coded_numbers(labels: list[int]) -> tuple[Positions, list[int]]:
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


def scattered(codes: Any, lengths: Any, n_items: int) -> Ranks | None:
    """Return the places of orders of items by number; None where one names an item twice."""
    m = len(lengths)
    if len(codes) == m * n_items and (lengths == n_items).all():
        orders = codes.reshape(m, n_items)
        ranks = np.full((m, n_items), UNRANKED, dtype=np.int32)
        np.put_along_axis(ranks, orders, np.arange(n_items, dtype=np.int32)[None, :], axis=1)
        return None if (ranks == UNRANKED).any() else ranks
    row = np.repeat(np.arange(m), lengths)
    place = np.arange(len(codes)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    ranks = np.full((m, n_items), UNRANKED, dtype=np.int32)
    ranks[row, codes] = place
    return ranks if np.array_equal((ranks >= 0).sum(axis=1), lengths) else None


def from_buckets(
    buckets: Iterable[Iterable[Label]], items: Iterable[Label] | None
) -> tuple[Ranks, ItemSet]:
    """Return the places of tied groups, best first; see `PartialRanking.from_buckets`."""
    groups = [tuple(bucket) for bucket in buckets]
    labels = [clean_label(label) for label in chain.from_iterable(groups)]
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise InvalidInputError("buckets", "groups of distinct labels", twice, "It is twice.")
    if not all(groups):
        raise InvalidInputError("buckets", "non-empty groups of labels", groups)
    item_set = ItemSet.coerce(items, labels)
    ranks = np.full(len(item_set), UNRANKED, dtype=np.int32)
    place = 0
    for group in groups:
        ranks[item_set.indices(group)] = place
        place += len(group)
    return ranks, item_set


def from_orders(
    orders: Iterable[Iterable[Label]], items: Iterable[Label] | None
) -> tuple[Ranks, ItemSet]:
    """Return the places of strict orders, one ranking a row; see `Profile.from_orders`."""
    if isinstance(orders, np.ndarray) and orders.ndim == 2 and orders.dtype.kind in "iu":
        orders = orders.tolist()
    try:
        rows = list(map(tuple, orders))
    except TypeError:
        allowed = "orders, each a sequence of labels"
        raise InvalidInputError("orders", allowed, orders) from None
    at_once = _places_of_orders(rows, items)
    if at_once is not None:
        return at_once
    item_set = ItemSet.coerce(items, (label for row in rows for label in row))
    if not rows:
        raise InvalidInputError("rankings", "at least one ranking", rows)
    return np.stack([from_buckets([[x] for x in row], item_set)[0] for row in rows]), item_set


def from_numbers(
    given: ArrayLike | Mapping[Label, float],
    parameter: str,
    sign: float,
    items: Iterable[Label] | None,
    tolerance: float,
) -> tuple[Ranks, ItemSet]:
    """Return the places of numbers, smaller times `sign` is better; NaN is not observed."""
    if isinstance(given, Mapping):
        item_set = ItemSet.coerce(items, given)
        for label in given:
            if label not in item_set:
                raise InvalidInputError(parameter, "numbers for the given items", label)
        values = as_numbers([given.get(label, np.nan) for label in item_set], parameter)
    else:
        items = axis_labels(given, 0, items, "items")
        values = as_numbers(given, parameter)
        item_set = ItemSet.coerce(range(len(values)) if items is None else items, ())
    check_length(len(values), item_set, parameter)
    step = check_number(tolerance, "tolerance", low=0)
    return places.competition_ranks(sign * values[None, :], step)[0], item_set


def from_table(
    ranks: ArrayLike, items: Iterable[Label] | None, tolerance: float, *, are_ranks: bool
) -> tuple[Ranks, ItemSet]:
    """Return the places of numbers, one ranking a row; see `Profile.from_ranks`."""
    ranks = as_frame(ranks)
    items = axis_labels(ranks, 1, items, "items")
    values = as_matrix(ranks, "ranks", nan=True)
    if values.shape[0] == 0 or values.shape[1] == 0:
        allowed = "a table with at least one row and one column"
        raise InvalidInputError("ranks", allowed, Described(f"shape {values.shape}"))
    item_set = ItemSet.coerce(range(values.shape[1]) if items is None else items, ())
    if len(item_set) != values.shape[1]:
        allowed = f"one number per item ({len(item_set)} of them) in each row"
        raise InvalidInputError("ranks", allowed, Described(f"shape {values.shape}"))
    step = check_number(tolerance, "tolerance", low=0)
    if are_ranks:
        values = _without_zeros(values)
    return places.competition_ranks(values, step), item_set


def zeros_not_ranked(values: Floats) -> Bools | None:
    """Return which zeros in ranks, shape (m, n), mean not ranked; None where it is not certain.

    The whole table has one convention. Where each row has the ranks 0, 1, ... of the items that it
    ranks, or different ones below n of which some are missing, 0 is the best. Where every row with
    a zero has a rank 1 too, and one row in ten has several zeros, or all ranks from 1, 0 means not
    ranked. Numbers that are no ranks, negative or with fractions other than 1/2, are only numbers.
    """
    zero: Bools = values == 0
    none: Bools = np.zeros_like(zero)
    if not zero.any() or (values < 0).any() or (values % 0.5 > 0).any():
        return none
    best = places.competition_ranks(values)
    listed = best >= 0
    fits = [((values == way) | ~listed).all(axis=1) for way in (best, places.mid_ranks(best))]
    if (fits[0] | fits[1]).all():
        return none
    ranked = listed & ~zero
    least = np.where(ranked, values, np.inf).min(axis=1, keepdims=True)
    shared = np.count_nonzero(values == least, axis=1)
    # Items that share rank 1 may have the mean rank.
    has_first = (least[:, 0] == 1) | (least[:, 0] == (shared + 1) / 2)
    has_zero, has_rank = zero.any(axis=1), ranked.any(axis=1)
    signs = has_first & ((zero.sum(axis=1) > 1) | (listed.all(axis=1) & ~has_zero))
    if not signs.any() and not listed.all() and values[listed].max() < values.shape[1]:
        # Ranks from 0 of which some are missing: no two of a row are equal.
        ordered = np.sort(values, axis=1)
        return None if (np.diff(ordered, axis=1) == 0).any() else none
    if (has_zero & has_rank & ~has_first).any():
        return None
    is_shown = np.count_nonzero(signs) >= SHARE_OF_SIGNS * np.count_nonzero(has_rank)
    return zero if signs.any() and is_shown else None


def _without_zeros(ranks: Floats) -> Floats:
    """Return ranks with NaN for the zeros that mean not ranked, with a warning."""
    not_ranked = zeros_not_ranked(ranks)
    if not_ranked is None:
        raise InvalidInputError(
            "ranks",
            "ranks from 1, or the ranks 0 to n - 1 in each row",
            Described("zeros that may be the best rank or mean not ranked"),
            "Add 1 to all ranks, or replace zeros by NaN; "
            "`from_scores(..., higher_is_better=False)` takes any numbers.",
        )
    if not not_ranked.any():
        return ranks
    number = counted(int(np.count_nonzero(not_ranked)), "cell")
    warnings.warn(
        f"{number} with rank 0 read as not ranked, as ranks begin at 1.", DataWarning, stacklevel=4
    )
    return np.where(not_ranked, np.nan, ranks)


def refuse_codes(ranks: object) -> None:
    """Refuse an array of integers below 0, such as the `ranks` of a profile, which hold codes."""
    if not (isinstance(ranks, np.ndarray) and ranks.dtype.kind == "i" and (ranks < 0).any()):
        return
    allowed = "an array of integers from 0 on, or of any floats"
    remedy = (
        "Below 0 the ranks of a profile hold codes, for which NaN stands here; "
        "`from_scores(..., higher_is_better=False)` takes any numbers."
    )
    raise InvalidInputError("ranks", allowed, int(ranks[ranks < 0][0]), remedy)


def restricted(ranks: Ranks, columns: list[int]) -> Ranks:
    """Return the places of some items among themselves, row by row."""
    return _closed_up(ranks[:, columns])


def without(ranks: Ranks, gone: Bools) -> Ranks:
    """Return the places, row by row, with some items of each row unranked."""
    return _closed_up(np.where(gone, UNRANKED, ranks))


def _closed_up(ranks: Ranks) -> Ranks:
    """Return places in which some items may be missing as places without gaps."""
    listed = np.where(ranks >= 0, ranks, np.nan).astype(np.float64)
    return np.where(ranks < 0, ranks, places.competition_ranks(listed))


def check_length(length: int, items: ItemSet, parameter: str) -> None:
    """Raise unless there is one number per item."""
    if length != len(items):
        raise InvalidInputError(
            parameter,
            f"one number per item ({len(items)} of them)",
            Described(counted(length, "number")),
        )
