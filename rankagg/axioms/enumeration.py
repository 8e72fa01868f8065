"""All anonymous profiles of a size, those that differ in the names of items once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations_with_replacement, islice, permutations
from math import comb, factorial

import numpy as np
from numpy.typing import NDArray

from rankagg.axioms.ballots import Ballots, Order, tallied
from rankagg.core.items import counted
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["check_size", "class_count", "profile_count", "profiles"]

# How many profiles are looked through at most, and how many at once.
LARGEST, CHUNK = 3_000_000, 1 << 16
DRAWN = "A search at random for one rule and axiom, `n_samples=1000`, looks at some of them."
#: More items have more orders than there is room for in a table of their products.
MOST_ITEMS = 6


@lru_cache(maxsize=MOST_ITEMS)
def _orders(n_items: int) -> tuple[tuple[Order, ...], NDArray[np.int64]]:
    """Return all orders, and the table of what each becomes in the names of another.

    Entry (b, a) is the number of order a after the items were named by their ranks in order b.
    """
    orders = np.array(list(permutations(range(n_items))))
    places = np.argsort(orders, axis=1)
    weights = n_items ** np.arange(n_items)[::-1]
    codes = orders @ weights  # ascending, as the orders are
    named = places[:, orders] @ weights
    table: NDArray[np.int64] = np.searchsorted(codes, named)
    return tuple(tuple(order) for order in orders.tolist()), table


def _candidates(n_items: int, n_rankings: int, *, neutral: bool) -> int:
    kinds = factorial(n_items)
    return comb(kinds + n_rankings - 2, n_rankings - 1) if neutral else comb(
        kinds + n_rankings - 1, n_rankings
    )  # fmt: skip


def check_size(n_items: int, n_rankings: int, *, neutral: bool = True) -> None:
    """Raise unless all profiles of a size can be looked through."""
    if n_items > MOST_ITEMS:
        raise InvalidInputError(
            "n_items", f"at most {MOST_ITEMS} for a whole search", n_items, DRAWN
        )  # fmt: skip
    number = _candidates(n_items, n_rankings, neutral=neutral)
    if number > LARGEST:
        many = f"{number:.1e}" if number < 1e300 else "more than 1e+300"
        what = f"{n_rankings}, {many} profiles of {counted(n_items, 'item')}"
        raise InvalidInputError(
            "n_rankings", f"so small that a whole search has at most {LARGEST:,} profiles to see",
            Described(what), DRAWN,
        )  # fmt: skip
    # Profiles are compared as one number each.
    if factorial(n_items) ** n_rankings >= 2**63:
        most = next(m for m in range(63) if factorial(n_items) ** (m + 1) >= 2**63)
        raise InvalidInputError(
            "n_rankings", f"at most {most} for a whole search with {counted(n_items, 'item')}",
            n_rankings, DRAWN,
        )  # fmt: skip


def profiles(n_items: int, n_rankings: int, *, neutral: bool = True) -> Iterator[Ballots]:
    """Iterate over all anonymous profiles of a size."""
    orders, _ = _orders(n_items)
    for rows in _classes(n_items, n_rankings) if neutral else _all(n_items, n_rankings):
        for row in rows.tolist():
            yield tallied(orders[number] for number in row)


def _chunks(kinds: int, length: int) -> Iterator[NDArray[np.int64]]:
    multisets = combinations_with_replacement(range(kinds), length)
    while chosen := list(islice(multisets, CHUNK)):
        yield np.array(chosen, dtype=np.int64).reshape(len(chosen), length)


def _all(n_items: int, n_rankings: int) -> Iterator[NDArray[np.int64]]:
    return _chunks(factorial(n_items), n_rankings)


def _classes(n_items: int, n_rankings: int) -> Iterator[NDArray[np.int64]]:
    """Yield one profile a row of each class: the least one in lexicographic order.

    It has the first order among its ballots, as every ballot can be named so.
    """
    kinds = factorial(n_items)
    _, table = _orders(n_items)
    weights = kinds ** np.arange(n_rankings, dtype=np.int64)[::-1]
    for rest in _chunks(kinds, n_rankings - 1):
        rows = np.hstack([np.zeros((len(rest), 1), dtype=np.int64), rest])
        own = rows @ weights
        least = own.copy()
        for at in range(1, n_rankings):
            named = np.sort(table[rows[:, at, None], rows], axis=1)
            np.minimum(least, named @ weights, out=least)
        yield rows[own == least]


def class_count(n_items: int, n_rankings: int) -> int:
    """Return how many profiles of a size differ in more than the names of items.

    They are counted by the profiles that a renaming leaves as they are, on average over all
    renamings (Burnside's lemma). One of order k moves orders in cycles of k, so that such a
    profile has each order as often as the others of its cycle.
    """
    kinds = factorial(n_items)
    fixed = 0
    for renaming in permutations(range(n_items)):
        order, power = 1, renaming
        while power != tuple(range(n_items)):
            power, order = tuple(renaming[item] for item in power), order + 1
        if n_rankings % order == 0:
            copies = n_rankings // order
            fixed += comb(kinds // order + copies - 1, copies)
    return fixed // kinds


def profile_count(n_items: int, n_rankings: int, *, neutral: bool = True) -> int:
    """Return how many profiles of a size `profiles` gives."""
    if neutral:
        return class_count(n_items, n_rankings)
    return comb(factorial(n_items) + n_rankings - 1, n_rankings)
