"""Rows of a profile merged, grouped, joined, and spread over more items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Group, Ranks
from rankagg.core.items import ItemSet
from rankagg.core.profiles.rows import Rows
from rankagg.core.rankings.places import UNRANKED
from rankagg.exceptions import InvalidInputError

__all__ = ["equal_rows", "joined", "numbers_of_groups", "rows_of_groups", "spread_over"]


def equal_rows(profile: Rows) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the first of every set of rows that are equal, and the summed counts of the set."""
    numbers = numbers_of_groups(profile)
    rows = np.column_stack([profile.ranks, numbers, profile.weights.view(np.int64)])
    _, first, where = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    counts = np.zeros(len(first), dtype=np.int64)
    np.add.at(counts, where.ravel(), profile.counts)
    order = np.argsort(first)
    return first[order], counts[order]


def numbers_of_groups(profile: Rows) -> NDArray[np.int64]:
    """Return the number of each row's group, from 0 in the order in which groups first occur."""
    codes: dict[Group | None, int] = {}
    groups = profile.groups or (None,) * len(profile)
    return np.array([codes.setdefault(group, len(codes)) for group in groups], dtype=np.int64)


def rows_of_groups(groups: Sequence[Group]) -> dict[Group, list[int]]:
    """Return the rows of each group, in the order in which groups first occur."""
    rows: dict[Group, list[int]] = {}
    for row, group in enumerate(groups):
        rows.setdefault(group, []).append(row)
    return rows


def spread_over(profile: Rows, target: ItemSet) -> Ranks:
    """Return the places over more items, which are unranked everywhere."""
    lost = [label for label in profile.items if label not in target]
    if lost:
        raise InvalidInputError(
            "items", "a set that holds every item of the profile", lost, "`restrict` drops items."
        )
    ranks = np.full((len(profile), len(target)), UNRANKED, dtype=np.int32)
    ranks[:, target.indices(profile.items)] = profile.ranks
    return ranks


def joined(first: Rows, second: Rows) -> dict[str, Any]:
    """Return what a profile of the rows of both is made of, but for its items."""
    first.items.require_same(second.items, "Added profiles")
    if (first.groups is None) != (second.groups is None):
        raise InvalidInputError("groups", "given in both profiles or in none", second.groups)
    join: Callable[..., NDArray[Any]] = np.concatenate
    return {
        "ranks": join([first.ranks, second.ranks]),
        "counts": join([first.counts, second.counts]),
        "weights": join([first.weights, second.weights]),
        "groups": None if first.groups is None else (*first.groups, *cast(Any, second.groups)),
    }
