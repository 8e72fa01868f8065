"""What a profile is kept as: places with counts and weights; rows merged, grouped, joined."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import Any, Self, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Floats, Group, Ranks
from rankagg._validation import as_counts, as_weights
from rankagg.core.arithmetic import exact
from rankagg.core.items import ItemSet, counted, label_column
from rankagg.core.rankings.partial import PartialRanking, as_ranking
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.core.value import Value, array_key, frozen_array
from rankagg.exceptions import Described, InvalidInputError

__all__ = [
    "Rows",
    "equal_rows",
    "joined",
    "numbers_of_groups",
    "rows_of_groups",
    "spread_over",
    "stacked",
]


class Rows(Value):
    """Rankings of the same items, row by row; see `Profile` for what they are."""

    items: ItemSet
    ranks: Ranks
    counts: NDArray[np.int64]
    weights: Floats
    groups: tuple[Group, ...] | None

    def _fill(
        self,
        items: ItemSet,
        ranks: Ranks,
        counts: ArrayLike | None,
        weights: ArrayLike | None,
        groups: Sequence[Group] | None,
    ) -> None:
        m = len(ranks)
        named = None if groups is None else label_column(groups, "groups")
        if named is not None and len(named) != m:
            allowed = f"one group per ranking ({m} of them)"
            raise InvalidInputError("groups", allowed, Described(counted(len(named), "group")))
        self._set(
            items=items,
            ranks=frozen_array(np.ascontiguousarray(ranks, dtype=np.int32)),
            counts=frozen_array(as_counts(counts, m)),
            weights=frozen_array(as_weights(weights, m)),
            groups=named,
        )

    @classmethod
    def _trusted(
        cls,
        items: ItemSet,
        ranks: Ranks,
        *,
        counts: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        groups: Sequence[Group] | None = None,
    ) -> Self:
        """Create a profile from ranks that are known to be canonical."""
        profile = cls.__new__(cls)
        profile._fill(items, ranks, counts, weights, groups)
        return profile

    def _key(self) -> tuple[Hashable, ...]:
        arrays = (self.ranks, self.counts, self.weights)
        return self.items, self.groups, *(array_key(array) for array in arrays)

    def __len__(self) -> int:
        return len(self.ranks)

    def __iter__(self) -> Iterator[PartialRanking]:
        return (as_ranking(row, self.items) for row in self.ranks)

    @overload
    def __getitem__(self, index: int) -> PartialRanking: ...
    @overload
    def __getitem__(self, index: slice | Sequence[int] | NDArray[Any]) -> Self: ...
    def __getitem__(
        self, index: int | slice | Sequence[int] | NDArray[Any]
    ) -> PartialRanking | Self:
        if isinstance(index, int | np.integer):
            return as_ranking(self.ranks[index], self.items)
        rows = np.arange(len(self))[index]
        if len(rows) == 0:
            raise InvalidInputError("index", "a selection of at least one ranking", index)
        return self._replace(ranks=self.ranks[rows], rows=rows)

    def _replace(
        self,
        *,
        ranks: Ranks,
        items: ItemSet | None = None,
        rows: NDArray[Any] | None = None,
        counts: NDArray[np.int64] | None = None,
    ) -> Self:
        """Return a profile with other ranks (of a choice of rows) and the rest as here."""
        keep = slice(None) if rows is None else rows
        groups = self.groups
        if groups is not None and rows is not None:
            groups = tuple(groups[int(row)] for row in rows)
        return type(self)._trusted(
            items or self.items,
            ranks,
            counts=self.counts[keep] if counts is None else counts,
            weights=self.weights[keep],
            groups=groups,
        )

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.items)

    @property
    def n_rankings(self) -> int:
        """The number of observed rankings: the sum of the counts."""
        return int(self.counts.sum(dtype=object))

    @property
    def total_weight(self) -> float:
        """The sum of counts times weights."""
        return float(exact.total(self.counts, self.weights))

    @cached_property
    def is_complete(self) -> bool:
        """True where every ranking ranks every item."""
        return bool((self.ranks >= 0).all())

    @cached_property
    def is_strict(self) -> bool:
        """True where no ranking ties two items."""
        ordered = np.sort(self.ranks, axis=1)
        return not ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any()

    @property
    def has_unranked(self) -> bool:
        """True where some ranking did not observe some item."""
        return bool((self.ranks == UNRANKED).any())

    @property
    def has_unlisted(self) -> bool:
        """True where some ranking is a top-k list."""
        return bool((self.ranks == UNLISTED).any())


def stacked(rankings: Sequence[PartialRanking]) -> tuple[ItemSet, Ranks]:
    """Return the items of rankings and their ranks; raises where these are no such rankings."""
    if not all(issubclass(kind, PartialRanking) for kind in set(map(type, rankings))):
        wrong = next(row for row in rankings if not isinstance(row, PartialRanking))
        raise InvalidInputError(
            "rankings", "PartialRanking or Permutation objects", wrong,
            "`Profile.from_orders` and `Profile.from_ranks` take plain data.",
        )  # fmt: skip
    # Most often all of them share one object.
    distinct = {id(row.items): row.items for row in rankings}
    first, *others = distinct.values()
    for items in others:
        first.require_same(items, "The rankings of a profile")
    return first, np.concatenate([row.ranks for row in rankings]).reshape(-1, len(first))


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
