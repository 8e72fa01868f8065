"""Profiles: many rankings of the same items, with counts, weights and groups."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Self, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import (
    Bools,
    Floats,
    Group,
    Integers64,
    Label,
    Positions,
    Ranks,
    RNGLike,
    Unranked,
)
from rankagg._validation import (
    as_counts,
    as_frame,
    as_generator,
    as_matrix,
    as_weights,
    check_flag,
    check_unranked,
)
from rankagg.core import exact, places
from rankagg.core.items import ItemSet, counted, label_column
from rankagg.core.labels import axis_labels
from rankagg.core.pairwise import PairwiseMatrix, count_votes
from rankagg.core.places import UNLISTED, UNRANKED
from rankagg.core.rankings import PartialRanking, as_ranking
from rankagg.core.results import html_table
from rankagg.core.value import Value, array_key, frozen_array
from rankagg.exceptions import Described, InvalidInputError


def canonical_profile(items: ItemSet, ranks: Ranks, **columns: Any) -> Profile:
    """Return a profile of ranks that are known to be canonical, without checking them again."""
    return Profile._trusted(items, ranks, **columns)


def _stacked(rankings: Sequence[PartialRanking]) -> tuple[ItemSet, Ranks]:
    """Return the items of rankings and their ranks; raises where these are no such rankings."""
    if not all(issubclass(kind, PartialRanking) for kind in set(map(type, rankings))):
        wrong = next(row for row in rankings if not isinstance(row, PartialRanking))
        remedy = "`Profile.from_orders` and `Profile.from_ranks` take plain data."
        raise InvalidInputError("rankings", "PartialRanking or Permutation objects", wrong, remedy)
    # Most often all of them share one object.
    distinct = {id(row.items): row.items for row in rankings}
    first, *others = distinct.values()
    for items in others:
        first.require_same(items, "The rankings of a profile")
    return first, np.concatenate([row.ranks for row in rankings]).reshape(-1, len(first))


def _rows_of_groups(groups: Sequence[Group]) -> dict[Group, list[int]]:
    """Return the rows of each group, in the order in which groups first occur."""
    rows: dict[Group, list[int]] = {}
    for row, group in enumerate(groups):
        rows.setdefault(group, []).append(row)
    return rows


def numbers_of(labels: Iterable[Hashable]) -> Positions:
    """Return the number of each label, from 0 in the order in which they first occur."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.intp)


class Profile(Value):
    """m rankings of n items in one array, with counts, weights and groups.

    Parameters
    ----------
    rankings : iterable of PartialRanking
        Rankings of the same items; `Permutation` is one kind.
    counts : array_like of int, shape (m,), optional
        How often each ranking was observed, independently; 1 by default.
    weights : array_like of float, shape (m,), optional
        The importance of each ranking; 1 by default. Aggregation uses counts times weights;
        inference takes the counts as the sample size.
    groups : sequence of str or int, length m, optional
        The group (task) of each ranking, for rules that work on two levels.
    clusters : sequence of str or int, length m, optional
        What rankings depend on, such as the rater of each: inference takes the clusters as
        independent, and not the rankings.

    Attributes
    ----------
    items : ItemSet
        The ranked items.
    ranks : ndarray of int32, shape (m, n)
        Rank of item i in ranking t counted from 0, which is best, with the codes `UNRANKED` and
        `UNLISTED`.
    counts : ndarray of int64, shape (m,)
        Repeated observations.
    weights : ndarray of float64, shape (m,)
        Importance of each ranking.
    groups, clusters : tuple or None
        Group and cluster of each ranking.
    unranked : {"uniform", "ignore", "last"}
        What a ranking says of an item that it does not rank; see `with_unranked`.

    Examples
    --------
    >>> from rankagg import Permutation, Profile
    >>> first, second = Permutation.from_order("ABC"), Permutation.from_order("BCA")
    >>> profile = Profile([first, second], counts=[3, 2])
    >>> profile
    <Profile of 5 rankings (2 rows) of 3 items, complete, strict>
    >>> profile.pairwise().wins
    array([[0., 3., 3.],
           [2., 0., 5.],
           [2., 0., 0.]])
    """

    items: ItemSet
    ranks: Ranks
    counts: Integers64
    weights: Floats
    groups: tuple[Group, ...] | None
    clusters: tuple[Label, ...] | None
    unranked: Unranked

    def __init__(
        self,
        rankings: Iterable[PartialRanking],
        *,
        counts: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        groups: Sequence[Group] | None = None,
        clusters: Sequence[Label] | None = None,
    ) -> None:
        rows = list(rankings)
        if not rows:
            raise InvalidInputError("rankings", "at least one ranking", rows)
        items, ranks = _stacked(rows)
        self._fill(items, ranks, counts=counts, weights=weights, groups=groups, clusters=clusters)

    def _fill(
        self,
        items: ItemSet,
        ranks: Ranks,
        *,
        counts: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        groups: Sequence[Group] | None = None,
        clusters: Sequence[Label] | None = None,
        unranked: Unranked = "uniform",
    ) -> None:
        m = len(ranks)
        labels = {"groups": groups, "clusters": clusters}
        named = {k: None if of is None else label_column(of, k) for k, of in labels.items()}
        for name, column in named.items():
            if column is not None and len(column) != m:
                allowed, noun = f"one {name[:-1]} per ranking ({m} of them)", name[:-1]
                raise InvalidInputError(name, allowed, Described(counted(len(column), noun)))
        self._set(
            items=items,
            ranks=frozen_array(np.ascontiguousarray(ranks, dtype=np.int32)),
            counts=frozen_array(as_counts(counts, m)),
            weights=frozen_array(as_weights(weights, m)),
            unranked=unranked,
            **named,
        )

    @classmethod
    def _trusted(cls, items: ItemSet, ranks: Ranks, **columns: Any) -> Self:
        """Create a profile from ranks that are known to be canonical, and columns of the class."""
        profile = cls.__new__(cls)
        profile._fill(items, ranks, **columns)
        return profile

    def _key(self) -> tuple[Hashable, ...]:
        arrays = (self.ranks, self.counts, self.weights)
        labels = self.items, self.groups, self.clusters, self.unranked
        return *labels, *(array_key(array) for array in arrays)

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
        counts: Integers64 | None = None,
        unranked: Unranked | None = None,
    ) -> Self:
        """Return a profile with other ranks (of a choice of rows) and the rest as here."""
        keep = slice(None) if rows is None else rows
        labels = {"groups": self.groups, "clusters": self.clusters}
        if rows is not None:
            labels = {
                name: None if of is None else tuple(of[int(row)] for row in rows)
                for name, of in labels.items()
            }
        return type(self)._trusted(
            items or self.items,
            ranks,
            counts=self.counts[keep] if counts is None else counts,
            weights=self.weights[keep],
            unranked=unranked or self.unranked,
            **labels,
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

    @property
    def observed(self) -> Bools:
        """True where a ranking ranks an item, or lists it where it was read as 'last'; (m, n)."""
        if self.unranked == "last":
            return self.ranks >= 0
        return cast(Bools, self.ranks != UNRANKED)

    def times_ranked(self) -> dict[Label, int]:
        """Return in how many rankings each item has a rank.

        Returns
        -------
        dict
            From item to number.
        """
        return dict(zip(self.items, (self.counts @ (self.ranks >= 0)).tolist(), strict=True))

    # -- constructors -------------------------------------------------------------------------

    @classmethod
    def from_ranks(
        cls,
        ranks: ArrayLike,
        *,
        items: Iterable[Label] | None = None,
        tolerance: float = 0.0,
        counts: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        groups: Sequence[Group] | None = None,
    ) -> Self:
        """Create a profile from ranks, smaller is better, one ranking a row.

        Parameters
        ----------
        ranks : array_like of float, shape (m, n)
            Finite numbers, NaN for an item that the ranking does not rank. An array of integers
            below 0 is refused, as `ranks` of a profile hold codes there. The rank 0 is the best
            where each row holds the ranks 0, 1, ... of the items that it ranks, or different ones
            below n with NaN between; where ranks begin at 1, it means not ranked. Negative numbers,
            and fractions other than 1/2, are no ranks, and 0 is a number among them.
        items : iterable of str or int, optional
            The items of the columns; 0, 1, ..., n - 1 by default.
        tolerance : float, default 0
            A new bucket starts where the step between sorted numbers exceeds it.
        counts, weights, groups
            As for the class.

        Raises
        ------
        InvalidInputError
            If it is not certain what a rank 0 means.

        Warns
        -----
        DataWarning
            How many cells with 0 were read as not ranked.
        """
        codes, item_set = places.from_table(ranks, items, tolerance, are_ranks=True)
        return cls._trusted(item_set, codes, counts=counts, weights=weights, groups=groups)

    @classmethod
    def from_scores(
        cls,
        scores: ArrayLike,
        *,
        higher_is_better: bool,
        items: Iterable[Label] | None = None,
        tolerance: float = 0.0,
        counts: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        groups: Sequence[Group] | None = None,
    ) -> Self:
        """Create a profile from scores, one ranking a row.

        Parameters
        ----------
        scores : array_like of float, shape (m, n)
            Finite scores, NaN where an item was not scored.
        higher_is_better : bool
            Which direction is better; there is no default.
        items : iterable of str or int, optional
            The items of the columns; 0, 1, ..., n - 1 by default.
        tolerance : float, default 0
            A new bucket starts where the step between sorted scores exceeds it.
        counts, weights, groups
            As for the class.

        Examples
        --------
        >>> from rankagg import Profile
        >>> list(Profile.from_scores([[.9, .7, float("nan")]], higher_is_better=True))
        [<PartialRanking 0 > 1; unranked: 2>]
        """
        sign = -1.0 if check_flag(higher_is_better, "higher_is_better") else 1.0
        scores = as_frame(scores)
        codes, item_set = places.from_table(
            sign * as_matrix(scores, "scores", nan=True),
            axis_labels(scores, 1, items, "items"),
            tolerance,
            are_ranks=False,
        )
        return cls._trusted(item_set, codes, counts=counts, weights=weights, groups=groups)

    @classmethod
    def from_orders(
        cls,
        orders: Iterable[Iterable[Label]],
        *,
        items: Iterable[Label] | None = None,
        counts: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        groups: Sequence[Group] | None = None,
    ) -> Self:
        """Create a profile from strict orders, best first.

        Parameters
        ----------
        orders : iterable of iterables of str or int
            Each lists distinct labels, best first; a string is taken letter by letter.
        items : iterable of str or int, optional
            All items; by default the sorted labels that occur. Labels that an order leaves out
            are unranked in it.
        counts, weights, groups
            As for the class.
        """
        if isinstance(orders, np.ndarray) and orders.ndim == 2 and orders.dtype.kind in "iu":
            orders = orders.tolist()
        try:
            rows = list(map(tuple, orders))
        except TypeError:
            allowed = "orders, each a sequence of labels"
            raise InvalidInputError("orders", allowed, orders) from None
        at_once = places.from_orders(rows, items)
        if at_once is not None:
            ranks, item_set = at_once
            return cls._trusted(item_set, ranks, counts=counts, weights=weights, groups=groups)
        item_set = ItemSet.coerce(items, chain.from_iterable(rows))
        made = [PartialRanking.from_order(row, items=item_set) for row in rows]
        return cls(made, counts=counts, weights=weights, groups=groups)

    # -- derived data -------------------------------------------------------------------------

    def with_unranked(self, unranked: Unranked) -> Self:
        """Return the rankings by another policy for the items that they do not rank.

        All that is computed from rankings follows their policy: votes, rules, costs, intervals.

        Parameters
        ----------
        unranked : {"uniform", "ignore", "last"}
            What a ranking says of an item that it does not rank. "uniform", which rankings have
            unless it is stated: the proportion of its compatible permutations (an unranked item
            is before the one at rank r of k with (r + 1)/(k + 1), two unranked ones split evenly).
            "ignore": nothing. "last": it is unlisted, below every ranked one, and is not compared
            with other such items.

        Raises
        ------
        InvalidInputError
            If unranked items were made unlisted ones before: which they were is not known.

        Examples
        --------
        >>> from rankagg import Borda, Profile
        >>> ballots = Profile.from_orders(["ABC", "C"], counts=[2, 3])
        >>> for policy in ("uniform", "ignore", "last"):
        ...     print(policy, Borda().aggregate(ballots.with_unranked(policy)).order)
        uniform ('A', 'B', 'C')
        ignore ('A', 'B', 'C')
        last ('C', 'A', 'B')
        """
        policy = check_unranked(unranked)
        if policy == self.unranked:
            return self
        if self.unranked == "last" and self.has_unlisted:
            allowed = "'last' for lists, which are above all that they leave out"
            remedy = "State it where the rankings are made or read."
            raise InvalidInputError("unranked", allowed, policy, remedy)
        ranks = self.ranks
        if policy == "last":
            ranks = np.where(ranks == UNRANKED, np.int32(UNLISTED), ranks)
        return self._replace(ranks=ranks, unranked=policy)

    def pairwise(self) -> PairwiseMatrix:
        """Count for every two items the votes for one above the other.

        Unranked items count by the policy of the profile; unlisted ones are below all listed ones,
        and not compared with each other. Ties are ties under every policy.
        """
        return self._votes

    @cached_property
    def _votes(self) -> PairwiseMatrix:
        return count_votes(self.items, self.ranks, self.counts, self.weights, self.unranked)

    def direct_pairwise(self) -> PairwiseMatrix:
        """Count the votes of those who compare both items, without shares of unranked ones."""
        return (self if self.unranked == "last" else self.with_unranked("ignore")).pairwise()

    def by_group(self) -> dict[Group, Profile]:
        """Return the rankings of each group, in the order in which groups first occur."""
        if self.groups is None:
            remedy = "Give `groups=` to its constructor."
            raise InvalidInputError("profile", "a profile with groups", self, remedy)
        rows = _rows_of_groups(self.groups)
        return {group: self[np.array(index)] for group, index in rows.items()}

    def sorted_by_group(self) -> tuple[Profile, Integers64]:
        """Return the rankings in the order of `by_group`, and the number of each one's group."""
        if self.groups is None:
            self.by_group()  # which raises
        numbers = numbers_of(self.groups or ())
        if (np.diff(numbers) >= 0).all():
            return self, numbers
        order = np.argsort(numbers, kind="stable")
        return self[order], numbers[order]

    def compress(self) -> Profile:
        """Return the profile with equal rows (ranking, weight, group, cluster) merged."""
        codes = [numbers_of(of) for of in (self.groups, self.clusters) if of is not None]
        rows = np.column_stack([self.ranks, self.weights.view(np.int64), *codes])
        _, first, where = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        counts = np.zeros(len(first), dtype=np.int64)
        np.add.at(counts, where.ravel(), self.counts)
        order = np.argsort(first)
        rows = first[order]
        return self._replace(ranks=self.ranks[rows], rows=rows, counts=counts[order])

    def with_clusters(self, clusters: Sequence[Label] | None) -> Self:
        """Return the profile with a cluster for each ranking, or without any.

        Parameters
        ----------
        clusters : sequence of str or int, length m, or None
            See the class.
        """
        names = ("counts", "weights", "groups", "unranked")
        columns = {name: getattr(self, name) for name in names}
        return type(self)._trusted(self.items, self.ranks, **columns, clusters=clusters)

    def restrict(self, items: Iterable[Label]) -> Profile:
        """Return the rankings of a subset of the items, each in the order that it has here.

        Parameters
        ----------
        items : iterable of str or int
            A subset of the items.
        """
        target = ItemSet.coerce(items, ())
        columns = self.items.indices(target)
        return self._replace(ranks=places.closed_up(self.ranks[:, columns]), items=target)

    def reindex(self, items: Iterable[Label]) -> Profile:
        """Return the same rankings over `items`; new items are in none of them.

        Parameters
        ----------
        items : iterable of str or int
            Must hold all items of the profile; the order is free.
        """
        target = ItemSet.coerce(items, ())
        lost = [label for label in self.items if label not in target]
        if lost:
            allowed = "a set that holds every item of the profile"
            raise InvalidInputError("items", allowed, lost, "`restrict` drops items.")
        absent = UNLISTED if self.unranked == "last" else UNRANKED
        ranks = np.full((len(self), len(target)), absent, dtype=np.int32)
        ranks[:, target.indices(self.items)] = self.ranks
        return self._replace(ranks=ranks, items=target)

    def sample_compatible(self, *, rng: RNGLike = None) -> Profile:
        """Replace each ranking by a uniform draw among its compatible permutations.

        Every row is one draw, however large its count.

        Parameters
        ----------
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator.
        """
        drawn = places.sample_compatible(self.ranks, as_generator(rng))
        return self._replace(ranks=drawn)

    def __add__(self, other: object) -> Profile:
        if not isinstance(other, Profile):
            return NotImplemented
        self.items.require_same(other.items, "Added profiles")
        if self.unranked != other.unranked:
            allowed = f"the same policy in both profiles ({self.unranked!r} here)"
            raise InvalidInputError("unranked", allowed, other.unranked)
        labels = {}
        for name in ("groups", "clusters"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if (mine is None) != (theirs is None):
                raise InvalidInputError(name, "given in both profiles or in none", theirs)
            labels[name] = None if mine is None else mine + theirs
        return Profile._trusted(
            self.items,
            np.concatenate([self.ranks, other.ranks]),
            counts=np.concatenate([self.counts, other.counts]),
            weights=np.concatenate([self.weights, other.weights]),
            unranked=self.unranked,
            **labels,
        )

    # -- how it looks -------------------------------------------------------------------------

    def __repr__(self) -> str:
        rows = "" if self.n_rankings == len(self) else f" ({counted(len(self), 'row')})"
        kind = [
            "with unranked items" if self.has_unranked else "",
            "top-k lists" if self.has_unlisted else "",
            "complete" if self.is_complete else "",
            "strict" if self.is_strict else "with ties",
        ]
        words = ", ".join(word for word in kind if word)
        groups = "" if self.groups is None else f", {counted(len(set(self.groups)), 'group')}"
        size = f"{counted(self.n_rankings, 'ranking')}{rows} of {counted(self.n_items, 'item')}"
        return f"<Profile of {size}, {words}{groups}>"

    def _repr_html_(self) -> str:
        shown = zip(self.counts[:10], self, strict=False)
        rows = [(count, ranking.to_text()) for count, ranking in shown]
        more = [("", f"... {counted(len(self), 'row')} in all")] if len(self) > len(rows) else []
        return html_table(["count", "ranking"], [*rows, *more], named=False)
