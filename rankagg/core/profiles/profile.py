"""Profiles: many rankings of the same items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Group, Label, RNGLike, Unranked
from rankagg._validation import (
    as_generator,
    as_matrix,
    check_flag,
    check_unranked,
)
from rankagg.core.items import ItemSet, counted
from rankagg.core.pandas_labels import axis_labels
from rankagg.core.profiles import rows as changes
from rankagg.core.profiles.rows import Rows, stacked
from rankagg.core.rankings import canonical, places
from rankagg.core.rankings.partial import PartialRanking
from rankagg.core.results.pasted import html_table
from rankagg.core.votes.pairwise import PairwiseMatrix
from rankagg.exceptions import InvalidInputError

__all__ = ["Profile"]

_SHOWN = 10


class Profile(Rows):
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
    groups : tuple or None
        Group of each ranking.

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

    def __init__(
        self,
        rankings: Iterable[PartialRanking],
        *,
        counts: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        groups: Sequence[Group] | None = None,
    ) -> None:
        rows = list(rankings)
        if not rows:
            raise InvalidInputError("rankings", "at least one ranking", rows)
        items, ranks = stacked(rows)
        self._fill(items, ranks, counts, weights, groups)

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
        """Create a profile from numbers, smaller is better, one ranking a row.

        Parameters
        ----------
        ranks : array_like of float, shape (m, n)
            Finite numbers, NaN for an item that the ranking does not rank. An array of integers
            below 0 is refused, as `ranks` of a profile hold codes there.
        items : iterable of str or int, optional
            The items of the columns; 0, 1, ..., n - 1 by default.
        tolerance : float, default 0
            A new bucket starts where the step between sorted numbers exceeds it.
        counts, weights, groups
            As for the class.

        Returns
        -------
        Profile
        """
        canonical.refuse_codes(ranks)
        codes, item_set = canonical.from_table(ranks, items, tolerance)
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

        Returns
        -------
        Profile

        Examples
        --------
        >>> from rankagg import Profile
        >>> list(Profile.from_scores([[.9, .7, float("nan")]], higher_is_better=True))
        [<PartialRanking 0 > 1; unranked: 2>]
        """
        sign = -1.0 if check_flag(higher_is_better, "higher_is_better") else 1.0
        return cls.from_ranks(
            sign * as_matrix(scores, "scores", nan=True),
            items=axis_labels(scores, 1, items, "items"),
            tolerance=tolerance,
            counts=counts,
            weights=weights,
            groups=groups,
        )

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

        Returns
        -------
        Profile
        """
        rows, item_set = canonical.from_orders(orders, items)
        return cls._trusted(item_set, rows, counts=counts, weights=weights, groups=groups)

    # -- derived data -------------------------------------------------------------------------

    def pairwise(self, unranked: Unranked = "uniform") -> PairwiseMatrix:
        """Count for every two items the votes for one above the other.

        Parameters
        ----------
        unranked : {"uniform", "ignore", "last"}, default "uniform"
            What a ranking says of an item that it does not rank. "uniform": the proportion of
            its compatible permutations (an unranked item is before the observed one at rank r
            of k with (r + 1)/(k + 1), two unranked ones split evenly); "ignore": nothing;
            "last": it is below every ranked one. Observed ties are ties under every policy.

        Returns
        -------
        PairwiseMatrix
        """
        return PairwiseMatrix.from_ranks(
            self.items, self.ranks, self.counts, self.weights, check_unranked(unranked)
        )

    def by_group(self) -> dict[Group, Profile]:
        """Return the rankings of each group, in the order in which groups first occur.

        Returns
        -------
        dict
            From group to Profile.

        Raises
        ------
        InvalidInputError
            If the profile has no groups.
        """
        if self.groups is None:
            raise InvalidInputError(
                "profile", "a profile with groups", self, "Give `groups=` to its constructor."
            )
        rows = changes.rows_of_groups(self.groups)
        return {group: self[np.array(index)] for group, index in rows.items()}

    def _sorted_by_group(self) -> tuple[Profile, NDArray[np.int64]]:
        """Return the rankings in the order of `by_group`, and the number of each one's group."""
        if self.groups is None:
            self.by_group()  # which raises
        numbers = changes.numbers_of_groups(self)
        if (np.diff(numbers) >= 0).all():
            return self, numbers
        order = np.argsort(numbers, kind="stable")
        return self[order], numbers[order]

    def compress(self) -> Profile:
        """Return the profile with equal rows (ranking, weight and group) merged into counts."""
        first, counts = changes.equal_rows(self)
        merged = self[first]
        return merged._replace(ranks=merged.ranks, counts=counts)

    def restrict(self, items: Iterable[Label]) -> Profile:
        """Return the rankings of a subset of the items, each in the order that it has here.

        Parameters
        ----------
        items : iterable of str or int
            A subset of the items.

        Returns
        -------
        Profile
        """
        target = ItemSet.coerce(items, ())
        columns = self.items.indices(target)
        return self._replace(ranks=canonical.restricted(self.ranks, columns), items=target)

    def reindex(self, items: Iterable[Label]) -> Profile:
        """Return the same rankings over `items`; new items are unranked everywhere.

        Parameters
        ----------
        items : iterable of str or int
            Must hold all items of the profile; the order is free.

        Returns
        -------
        Profile
        """
        target = ItemSet.coerce(items, ())
        return self._replace(ranks=changes.spread_over(self, target), items=target)

    def sample_compatible(self, *, rng: RNGLike = None) -> Profile:
        """Replace each ranking by a uniform draw among its compatible permutations.

        Parameters
        ----------
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator (SPEC 7).

        Returns
        -------
        Profile
            Complete and strict. Every row is one draw, however large its count.
        """
        drawn = places.sample_compatible(self.ranks, as_generator(rng))
        return self._replace(ranks=drawn)

    def __add__(self, other: object) -> Profile:
        if not isinstance(other, Profile):
            return NotImplemented
        return Profile._trusted(self.items, **changes.joined(self, other))

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
        shown = zip(self.counts[:_SHOWN], self, strict=False)
        rows = [(count, ranking._arrows()) for count, ranking in shown]
        more = [("", f"... {counted(len(self), 'row')} in all")] if len(self) > _SHOWN else []
        return html_table(["count", "ranking"], [*rows, *more], named=False)
