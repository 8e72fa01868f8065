"""Profiles: many rankings of the same items, with counts, weights and groups."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
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
from rankagg.core.items import ItemSet, check_ordered, counted, label_column
from rankagg.core.labels import axis_labels
from rankagg.core.pairwise import PairwiseMatrix, count_votes
from rankagg.core.places import UNLISTED, UNRANKED
from rankagg.core.rankings import PartialRanking, as_ranking
from rankagg.core.results import html_table
from rankagg.core.value import Value, array_key, frozen_array
from rankagg.exceptions import Described, InvalidInputError


def canonical_profile(items: ItemSet, ranks: Ranks, **columns: Any) -> Profile:
    """Return a profile of canonical ranks, which are not checked again."""
    return Profile._trusted(items, ranks, **columns)


def _stacked_ranks(rankings: Sequence[PartialRanking]) -> tuple[ItemSet, Ranks]:
    """Return the items and the ranks of rankings; raise for other objects or different items."""
    if not all(issubclass(kind, PartialRanking) for kind in set(map(type, rankings))):
        wrong = next(row for row in rankings if not isinstance(row, PartialRanking))
        remedy = "`Profile.from_orders` and `Profile.from_ranks` take plain data."
        raise InvalidInputError("rankings", "PartialRanking or Permutation objects", wrong, remedy)
    # Rankings usually share one ItemSet.
    first, *others = {id(row.items): row.items for row in rankings}.values()
    for items in others:
        first.require_same(items, "The rankings of a profile")
    return first, np.concatenate([row.ranks for row in rankings]).reshape(-1, len(first))


def label_numbers(labels: Iterable[Hashable]) -> Positions:
    """Return the number of each label, from 0 in the order of first occurrence."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.intp)


class Profile(Value):
    """m rankings of n items in one array, with counts, weights and groups.

    Parameters
    ----------
    rankings : iterable of PartialRanking
        Rankings of the same items; `Permutation` is one kind.
    counts : array_like of int, shape (m,), optional
        The number of independent observations of each ranking; 1 by default.
    weights : array_like of float, shape (m,), optional
        The importance of each ranking; 1 by default. Aggregation uses counts times weights;
        inference takes the counts as the sample size.
    groups : sequence of str or int, length m, optional
        The group (task) of each ranking, for rules that work on two levels.
    clusters : sequence of str or int, length m, optional
        The cluster of each ranking, such as its rater. Inference takes clusters, and not
        rankings, as independent.

    Attributes
    ----------
    items : ItemSet
        The ranked items.
    ranks : ndarray of int32, shape (m, n)
        Rank of item i in ranking t, from 0, the best, with the codes `UNRANKED` and `UNLISTED`.
    counts : ndarray of int64, shape (m,)
        Repeated observations.
    weights : ndarray of float64, shape (m,)
        Importance of each ranking.
    groups, clusters : tuple or None
        Group and cluster of each ranking.
    unranked : {"uniform", "ignore", "last"}
        The policy for items that a ranking does not rank; see `with_unranked`.

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
        check_ordered(rankings, "rankings", "a sequence of rankings, with `counts` if given")
        rows = list(rankings)
        if not rows:
            raise InvalidInputError("rankings", "at least one ranking", rows)
        items, ranks = _stacked_ranks(rows)
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
        given = {"groups": groups, "clusters": clusters}
        labels = {k: None if x is None else label_column(x, k) for k, x in given.items()}
        for name, column in labels.items():
            if column is not None and len(column) != m:
                allowed, noun = f"one {name[:-1]} per ranking ({m} of them)", name[:-1]
                raise InvalidInputError(name, allowed, Described(counted(len(column), noun)))
        self._set(
            items=items,
            ranks=frozen_array(np.ascontiguousarray(ranks, dtype=np.int32)),
            counts=frozen_array(as_counts(counts, m)),
            weights=frozen_array(as_weights(weights, m)),
            unranked=unranked,
            **labels,
        )

    @classmethod
    def _trusted(cls, items: ItemSet, ranks: Ranks, **columns: Any) -> Self:
        """Create a profile from canonical ranks and columns of the class."""
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
        """Return a profile with other ranks, of some rows, and all else unchanged."""
        keep = slice(None) if rows is None else rows
        labels = {"groups": self.groups, "clusters": self.clusters}
        if rows is not None:
            labels = {
                name: None if column is None else tuple(column[int(row)] for row in rows)
                for name, column in labels.items()
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
        """The number of observed rankings, the sum of the counts."""
        return int(self.counts.sum(dtype=object))

    @property
    def total_weight(self) -> float:
        """The sum of counts times weights."""
        return float(exact.total(self.counts, self.weights))

    @cached_property
    def is_complete(self) -> bool:
        """True if every ranking ranks every item."""
        return bool((self.ranks >= 0).all())

    @cached_property
    def is_strict(self) -> bool:
        """True if no ranking ties two items."""
        ordered = np.sort(self.ranks, axis=1)
        return not ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any()

    @property
    def has_unranked(self) -> bool:
        """True if some ranking did not observe some item."""
        return bool((self.ranks == UNRANKED).any())

    @property
    def has_unlisted(self) -> bool:
        """True if some ranking is a top-k list."""
        return bool((self.ranks == UNLISTED).any())

    @property
    def observed(self) -> Bools:
        """Mask of observed items, shape (m, n); unlisted ones are not observed under "last"."""
        if self.unranked == "last":
            return self.ranks >= 0
        return cast(Bools, self.ranks != UNRANKED)

    def times_ranked(self) -> dict[Label, int]:
        """Return the number of rankings in which each item has a rank.

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
            Finite numbers, NaN for an item that the ranking does not rank. An array with negative
            integers is refused, as these are codes in the `ranks` of a profile. 0 is the best rank
            if each row has the ranks 0, 1, ... of the items that it ranks, not only 0 and 1, or
            distinct ranks below n with gaps. If ranks begin at 1, 0 means not ranked. Numbers that
            are negative, or have fractions other than 1/2, are no ranks; 0 is then a number too.
        items : iterable of str or int, optional
            The items of the columns; 0, 1, ..., n - 1 by default.
        tolerance : float, default 0
            A new bucket starts if the step between sorted numbers exceeds it.
        counts, weights, groups
            As for the class.

        Raises
        ------
        InvalidInputError
            If the meaning of a rank 0 is ambiguous.

        Warns
        -----
        DataWarning
            If zeros are read as not ranked; it counts them.
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
            Finite scores, NaN for an item without a score.
        higher_is_better : bool
            Whether higher scores are better; there is no default.
        items : iterable of str or int, optional
            The items of the columns; 0, 1, ..., n - 1 by default.
        tolerance : float, default 0
            A new bucket starts if the step between sorted scores exceeds it.
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
        orders : iterable of iterables of str or int, or mapping from these to counts
            Each lists distinct labels, best first; a string is taken letter by letter.
        items : iterable of str or int, optional
            All items; by default the sorted labels that occur. Items that are not in an order are
            unranked in it.
        counts, weights, groups
            As for the class.
        """
        if isinstance(orders, np.ndarray) and orders.ndim == 2 and orders.dtype.kind in "iu":
            orders = orders.tolist()
        allowed = "orders, each a sequence of labels"
        if isinstance(orders, str):
            raise InvalidInputError("orders", allowed, orders, "Put a single order into a list.")
        if isinstance(orders, Mapping):
            if counts is not None:
                raise InvalidInputError("counts", "left out where `orders` have them", counts)
            counts, orders = list(orders.values()), list(orders)
        try:
            rows = list(map(tuple, given := list(orders)))
        except TypeError:
            raise InvalidInputError("orders", allowed, orders) from None
        for part in (orders, *{type(order): order for order in given}.values()):
            check_ordered(part, "orders", allowed)
        columns: dict[str, Any] = dict(counts=counts, weights=weights, groups=groups)
        if plain := places.from_orders(rows, items):
            ranks, item_set = plain
            return cls._trusted(item_set, ranks, **columns)
        item_set = ItemSet.coerce(items, chain.from_iterable(rows))
        return cls([PartialRanking.from_order(row, items=item_set) for row in rows], **columns)

    # -- derived data -------------------------------------------------------------------------

    def with_unranked(self, unranked: Unranked) -> Self:
        """Return the rankings by another policy for the items that they do not rank.

        Votes, rules, costs and intervals of the rankings all follow their policy.

        Parameters
        ----------
        unranked : {"uniform", "ignore", "last"}
            The votes of a ranking on an item that it does not rank. "uniform", the default of
            rankings: the proportion of its compatible permutations. An unranked item is before
            the one at rank r of k with (r + 1)/(k + 1); two unranked ones split evenly. "ignore":
            no vote. "last": the item is unlisted, below every ranked one, and not compared with
            other unlisted items.

        Raises
        ------
        InvalidInputError
            If unranked items were already made unlisted, and can no longer be identified.

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
            allowed = "'last' for top-k lists"
            remedy = "Set the policy when the rankings are made or read."
            raise InvalidInputError("unranked", allowed, policy, remedy)
        ranks = self.ranks
        if policy == "last":
            ranks = np.where(ranks == UNRANKED, np.int32(UNLISTED), ranks)
        return self._replace(ranks=ranks, unranked=policy)

    def pairwise(self) -> PairwiseMatrix:
        """Count the votes for one item above the other, for every two items.

        Unranked items count by the policy of the profile. Unlisted ones are below all listed ones,
        and not compared with each other. Ties are ties under every policy.
        """
        return self._votes

    @cached_property
    def _votes(self) -> PairwiseMatrix:
        return count_votes(self.items, self.ranks, self.counts, self.weights, self.unranked)

    def direct_pairwise(self) -> PairwiseMatrix:
        """Count the votes of rankings that compare both items, without shares of unranked ones."""
        return (self if self.unranked == "last" else self.with_unranked("ignore")).pairwise()

    def by_group(self) -> dict[Group, Profile]:
        """Return the rankings of each group, in the order of first occurrence."""
        if self.groups is None:
            remedy = "Give `groups=` to its constructor."
            raise InvalidInputError("profile", "a profile with groups", self, remedy)
        rows: dict[Group, list[int]] = {}
        for row, group in enumerate(self.groups):
            rows.setdefault(group, []).append(row)
        return {group: self[np.array(index)] for group, index in rows.items()}

    def sorted_by_group(self) -> tuple[Profile, Integers64]:
        """Return the rankings in the order of `by_group`, and the group number of each."""
        if self.groups is None:
            self.by_group()  # which raises
        numbers = label_numbers(self.groups or ())
        if (np.diff(numbers) >= 0).all():
            return self, numbers
        order = np.argsort(numbers, kind="stable")
        return self[order], numbers[order]

    def compress(self) -> Profile:
        """Return the profile with equal rows (ranking, weight, group, cluster) merged."""
        codes = [label_numbers(x) for x in (self.groups, self.clusters) if x is not None]
        rows = np.column_stack([self.ranks, self.weights.view(np.int64), *codes])
        _, first, where = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        counts = np.zeros(len(first), dtype=np.int64)
        np.add.at(counts, where.ravel(), self.counts)
        order = np.argsort(first)
        rows = first[order]
        return self._replace(ranks=self.ranks[rows], rows=rows, counts=counts[order])

    def with_clusters(self, clusters: Sequence[Label] | None) -> Self:
        """Return the profile with a cluster for each ranking, or without clusters.

        Parameters
        ----------
        clusters : sequence of str or int, length m, or None
            As for the class.
        """
        names = ("counts", "weights", "groups", "unranked")
        columns = {name: getattr(self, name) for name in names}
        return type(self)._trusted(self.items, self.ranks, **columns, clusters=clusters)

    def restrict(self, items: Iterable[Label]) -> Profile:
        """Return the rankings of a subset of the items, each in the same order.

        Parameters
        ----------
        items : iterable of str or int
            A subset of the items.
        """
        target = ItemSet.coerce(items, ())
        columns = self.items.indices(target)
        return self._replace(ranks=places.close_gaps(self.ranks[:, columns]), items=target)

    def reindex(self, items: Iterable[Label]) -> Profile:
        """Return the same rankings over `items`; new items are in none of them.

        Parameters
        ----------
        items : iterable of str or int
            Items in any order, with all items of the profile.
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
        """Replace each ranking by a uniform draw from its compatible permutations.

        Every row is one draw, for any count.

        Parameters
        ----------
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator.
        """
        return self._replace(ranks=places.sample_compatible(self.ranks, as_generator(rng)))

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

    # -- display ------------------------------------------------------------------------------

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
