"""Rankings with ties and gaps, and permutations without either."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from html import escape
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Floats, Label, Ranks, RNGLike
from rankagg._validation import as_generator, as_numbers, check_flag, check_integer, check_number
from rankagg.core import places
from rankagg.core.items import ItemSet, check_ordered, clean_label, counted, listed
from rankagg.core.labels import axis_labels
from rankagg.core.places import UNLISTED, UNRANKED
from rankagg.core.value import Value, frozen_array
from rankagg.exceptions import Described, InvalidInputError, TiedRankingError

BUCKETS_SHOWN = 8


def _check_length(length: int, items: ItemSet, parameter: str) -> None:
    """Raise unless there is one number per item."""
    if length != len(items):
        allowed = f"one number per item ({len(items)} of them)"
        raise InvalidInputError(parameter, allowed, Described(counted(length, "number")))


def _flat_integers(ranks: ArrayLike) -> NDArray[Any]:
    try:
        values = np.atleast_1d(np.asarray(ranks))
    except ValueError:  # sequences of unequal lengths
        values = np.empty(0)
    if values.ndim != 1 or values.dtype.kind not in "iu" or np.ma.is_masked(ranks):
        remedy = "`from_order` takes items, best first, and `from_ranks` other numbers."
        raise InvalidInputError("ranks", "a flat sequence of integers", ranks, remedy)
    return values


def _tied_text(bucket: tuple[Label, ...]) -> str:
    if len(bucket) <= BUCKETS_SHOWN:
        return " = ".join(map(str, bucket))
    return f"{' = '.join(map(str, bucket[:3]))} = ... ({len(bucket)} tied)"


class PartialRanking(Value):
    """A ranking that may have ties, unobserved items and unlisted items.

    Further constructors are `from_order`, `from_ranks`, `from_buckets`, `from_scores` and
    `from_top_k`; each returns an instance of its class. Rankings are immutable. Two rankings are
    equal, and have the same hash, if their items and ranks are equal, also if their classes differ.

    Parameters
    ----------
    ranks : array_like of int, shape (n,)
        Competition ranks from 0, the best (0, 1, 1, 3), `UNRANKED` (-1) for an item that was not
        observed, `UNLISTED` (-2) for one left off a top-k list.
    items : iterable of str or int, optional
        The items of the ranks; 0, 1, ..., n - 1 by default.

    Attributes
    ----------
    items : ItemSet
        The items, observed or not.
    ranks : ndarray of int32, shape (n,)
        The rank of each item from 0, the number of better items; read-only. `rank` counts from 1.

    Examples
    --------
    >>> from rankagg import PartialRanking
    >>> ranking = PartialRanking.from_buckets([["A"], ["B", "C"]], items="ABCD")
    >>> ranking
    <PartialRanking A > B = C; unranked: D>
    >>> ranking.ranks
    array([ 0,  1,  1, -1], dtype=int32)
    >>> print(ranking)
    1. A
    2. B = C
    unranked: D
    """

    items: ItemSet
    ranks: Ranks

    def __init__(self, ranks: ArrayLike, items: Iterable[Label] | None = None) -> None:
        items = axis_labels(ranks, 0, items, "items")
        values = _flat_integers(ranks)
        labels = ItemSet(range(len(values))) if items is None else ItemSet.coerce(items, ())
        _check_length(len(values), labels, "ranks")
        bounded = (np.abs(values) <= len(values) + abs(UNLISTED)).all()
        if not bounded or not places.are_canonical(values[None, :].astype(np.int32))[0]:
            raise InvalidInputError(
                "ranks",
                "competition ranks from 0 (0, 1, 1, 3), -1 for unranked, -2 for unlisted",
                values.tolist(),
                "`from_ranks` takes any numbers.",
            )
        self._set(items=labels, ranks=frozen_array(values.astype(np.int32)))
        self._check()

    @classmethod
    def _of(cls, ranks: NDArray[Any], items: ItemSet) -> Self:
        """Return the ranking of canonical ranks; raise if they are not valid for the class."""
        ranking = cls.__new__(cls)
        ranking._set(items=items, ranks=frozen_array(np.array(ranks, dtype=np.int32)))
        ranking._check()
        return ranking

    def _check(self) -> None:
        """Raise if the ranks are not valid for the class."""

    def _key(self) -> tuple[Hashable, ...]:
        return self.items, self.ranks.tobytes()

    # -- properties ---------------------------------------------------------------------------

    @property
    def n_items(self) -> int:
        """The number of items, observed or not."""
        return len(self.items)

    @property
    def n_observed(self) -> int:
        """The number of items that are not `UNRANKED`."""
        return int((self.ranks != UNRANKED).sum())

    @property
    def is_complete(self) -> bool:
        """True if every item has a rank: none is unranked or unlisted."""
        return bool((self.ranks >= 0).all())

    @property
    def is_strict(self) -> bool:
        """True if no two items are tied."""
        # Ranks count the better items, so only without ties is their sum 0 + 1 + 2 + ...
        listed = self.ranks[self.ranks >= 0]
        return int(listed.sum()) == len(listed) * (len(listed) - 1) // 2

    @cached_property
    def buckets(self) -> tuple[tuple[Label, ...], ...]:
        """The listed labels, best bucket first; the labels of a bucket are tied."""
        labels = self.items.labels
        order = np.argsort(self.ranks, kind="stable")
        order = order[self.ranks[order] >= 0]
        starts = np.flatnonzero(np.diff(self.ranks[order], prepend=-1)).tolist()
        ends = [*starts[1:], len(order)]
        sequence = [labels[i] for i in order.tolist()]
        return tuple(tuple(sequence[a:b]) for a, b in zip(starts, ends, strict=False))

    @property
    def order(self) -> tuple[Label, ...]:
        """The listed labels, best first.

        Raises
        ------
        TiedRankingError
            If some are tied; use `.buckets`.
        """
        if not self.is_strict:
            tied = next(bucket for bucket in self.buckets if len(bucket) > 1)
            raise TiedRankingError(
                f"A ranking with ties has no strict order ({listed(tied, ' = ')}). Use `.buckets`."
            )
        return tuple(chain.from_iterable(self.buckets))

    @property
    def unranked(self) -> tuple[Label, ...]:
        """The labels that were not observed."""
        return self.items.where(self.ranks == UNRANKED)

    @property
    def unlisted(self) -> tuple[Label, ...]:
        """The labels left off a top-k list, below all listed ones and not compared."""
        return self.items.where(self.ranks == UNLISTED)

    def rank(self, label: Label) -> int | None:
        """Return the rank of an item from 1, the best; tied items share the best rank.

        It is `ranks[i] + 1`, or None if the item is unranked or unlisted.

        Parameters
        ----------
        label : str or int
            One of the items.

        Examples
        --------
        >>> from rankagg import PartialRanking
        >>> ranking = PartialRanking.from_buckets(["B", "AC"], items="ABCD")
        >>> [ranking.rank(label) for label in "ABCD"]
        [2, 1, 2, None]
        """
        position = int(self.ranks[self.items.index(label)])
        return position + 1 if position >= 0 else None

    # -- constructors -------------------------------------------------------------------------

    @classmethod
    def from_order(cls, order: Iterable[Label], *, items: Iterable[Label] | None = None) -> Self:
        """Create a strict ranking from labels.

        Parameters
        ----------
        order : iterable of str or int
            Distinct labels, best first. A string is taken letter by letter.
        items : iterable of str or int, optional
            All items; those not in `order` are unranked. Default: the sorted labels of `order`.
        """
        check_ordered(order, "order", "labels in a sequence, best first")
        return cls.from_buckets([[label] for label in order], items=items)

    @classmethod
    def from_buckets(
        cls, buckets: Iterable[Iterable[Label]], *, items: Iterable[Label] | None = None
    ) -> Self:
        """Create a ranking from groups of tied labels, best group first.

        Parameters
        ----------
        buckets : iterable of iterables of str or int
            Each label at most once; no bucket empty.
        items : iterable of str or int, optional
            All items; those in no bucket are unranked. Default: the sorted labels of `buckets`.
        """
        check_ordered(buckets, "buckets", "groups of tied labels in a sequence, best first")
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
        return cls._of(ranks, item_set)

    @classmethod
    def from_ranks(
        cls,
        ranks: ArrayLike | Mapping[Label, float],
        *,
        items: Iterable[Label] | None = None,
        tolerance: float = 0.0,
    ) -> Self:
        """Create a ranking from numbers, smaller is better.

        Parameters
        ----------
        ranks : array_like of float, shape (n,), or mapping from label to number
            Finite numbers; NaN means not observed; equal numbers are tied. An array with negative
            integers is refused, as these are codes in the `ranks` of a ranking.
        items : iterable of str or int, optional
            The items of the numbers. Default: 0, 1, ..., n - 1, or the sorted keys of a mapping.
        tolerance : float, default 0
            A new bucket starts if the step between sorted numbers exceeds it.

        Examples
        --------
        >>> from rankagg import PartialRanking
        >>> PartialRanking.from_ranks([2.5, 1, float("nan"), 2.5], items="ABCD")
        <PartialRanking B > A = D; unranked: C>
        """
        places.refuse_codes(ranks)
        return cls._from_numbers(ranks, "ranks", 1.0, items, tolerance)

    @classmethod
    def from_scores(
        cls,
        scores: ArrayLike | Mapping[Label, float],
        *,
        higher_is_better: bool,
        tolerance: float = 0.0,
        items: Iterable[Label] | None = None,
    ) -> Self:
        """Create a ranking from scores.

        Parameters
        ----------
        scores : array_like of float, shape (n,), or mapping from label to number
            Finite scores; NaN means not scored; equal scores are tied.
        higher_is_better : bool
            Whether higher scores are better; there is no default.
        tolerance : float, default 0
            As for `from_ranks`.
        items : iterable of str or int, optional
            As for `from_ranks`.
        """
        sign = -1.0 if check_flag(higher_is_better, "higher_is_better") else 1.0
        return cls._from_numbers(scores, "scores", sign, items, tolerance)

    @classmethod
    def _from_numbers(
        cls,
        given: ArrayLike | Mapping[Label, float],
        parameter: str,
        sign: float,
        items: Iterable[Label] | None,
        tolerance: float,
    ) -> Self:
        """Return the ranking of numbers; smaller is better after multiplication by `sign`."""
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
        _check_length(len(values), item_set, parameter)
        step = check_number(tolerance, "tolerance", low=0)
        return cls._of(places.competition_ranks(sign * values[None, :], step)[0], item_set)

    @classmethod
    def from_top_k(cls, order: Iterable[Label], *, items: Iterable[Label]) -> Self:
        """Create a top-k list; all other items are below the listed ones, and not compared.

        They are `unlisted`: neither missing, since they are known to be lower, nor tied.

        Parameters
        ----------
        order : iterable of str or int
            The k listed labels, best first.
        items : iterable of str or int
            All items that could have been listed.

        Examples
        --------
        >>> from rankagg import PartialRanking
        >>> PartialRanking.from_top_k("CA", items="ABCD")
        <PartialRanking C > A; unlisted: B, D>
        """
        listed = PartialRanking.from_order(order, items=items)
        return cls._of(np.where(listed.ranks == UNRANKED, UNLISTED, listed.ranks), listed.items)

    # -- the same order on other items --------------------------------------------------------

    def reindex(self, items: Iterable[Label]) -> PartialRanking:
        """Return the same ranking over `items`; new items are unranked.

        It is a `Permutation` if it is complete and strict.

        Parameters
        ----------
        items : iterable of str or int
            Items in any order, with every observed item.
        """
        target = ItemSet.coerce(items, ())
        lost = [label for label in self.items.where(self.ranks != UNRANKED) if label not in target]
        if lost:
            raise InvalidInputError(
                "items", "a set that holds every observed item", lost, "`restrict` drops items."
            )
        ranks = np.full(len(target), UNRANKED, dtype=np.int32)
        here = [label for label in self.items if label in target]
        ranks[target.indices(here)] = self.ranks[self.items.indices(here)]
        return as_ranking(ranks, target)

    def restrict(self, items: Iterable[Label]) -> PartialRanking:
        """Return the ranking of a subset of the items, in the same order.

        It is a `Permutation` if it is complete and strict.

        Parameters
        ----------
        items : iterable of str or int
            A subset of the items.
        """
        target = ItemSet.coerce(items, ())
        columns = self.items.indices(target)
        return as_ranking(places.close_gaps(self.ranks[None, columns])[0], target)

    def reverse(self) -> PartialRanking:
        """Return the ranking from worst to best; unranked items stay unranked.

        Unlisted items are refused: reversed, they would be above all others without a rank.
        """
        if self.unlisted:
            raise InvalidInputError("ranking", "free of unlisted items", self)
        flipped = np.where(self.ranks >= 0, -self.ranks.astype(np.float64), np.nan)
        return type(self)._of(places.competition_ranks(flipped[None, :])[0], self.items)

    # -- compatible permutations --------------------------------------------------------------

    @property
    def n_compatible_permutations(self) -> int:
        """The number of complete strict rankings that agree with this one.

        N!/k! for k of N items observed, times the factorial of every bucket's size, since ties
        (and unlisted items) are broken in every way.
        """
        return places.count_compatible(self.ranks)

    def compatible_permutations(self) -> Iterator[Permutation]:
        """Iterate over every complete strict ranking that agrees with this one.

        Their number is `n_compatible_permutations`, which grows like a factorial.

        Examples
        --------
        >>> from rankagg import PartialRanking
        >>> ranking = PartialRanking.from_order("AB", items="ABC")
        >>> [" ".join(p.order) for p in ranking.compatible_permutations()]
        ['C A B', 'A C B', 'A B C']
        """
        for ranks in places.compatible_ranks(self.ranks):
            yield permutation_of(ranks, self.items)

    def sample_compatible(self, size: int, *, rng: RNGLike = None) -> list[Permutation]:
        """Draw compatible permutations independently, each with the same probability.

        Parameters
        ----------
        size : int
            The number of draws.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator.
        """
        repeated = np.repeat(self.ranks[None, :], check_integer(size, "size", low=0), axis=0)
        drawn = places.sample_compatible(repeated, as_generator(rng))
        return [permutation_of(row, self.items) for row in drawn]

    def pairwise_probabilities(self) -> Floats:
        """Return P(i before j) in a uniformly drawn compatible permutation.

        If both are observed: 1, 0, or 1/2 for a tie. If one is observed, at the 0-based rank r of
        k (a tied item has its bucket's mean rank), the unobserved one is before it with
        probability (r + 1)/(k + 1), for any N. If neither is observed: 1/2. Row before column,
        shape (n, n); 0 on the diagonal. Equation 6 of Himmi et al. (2023), with its misprint
        corrected.
        """
        n = self.n_items
        mids = places.mid_ranks(self.ranks[None, :])[0]
        observed = ~np.isnan(mids)
        seen = mids[observed]
        share = (seen + 1.0) / (len(seen) + 1.0)
        before = np.full((n, n), 0.5)
        before[np.ix_(observed, observed)] = 0.5 * (1.0 + np.sign(seen[None, :] - seen[:, None]))
        before[np.ix_(~observed, observed)] = share
        before[np.ix_(observed, ~observed)] = 1.0 - share[:, None]
        np.fill_diagonal(before, 0.0)
        return before

    def expected_ranks(self) -> Floats:
        """Return the expected rank of each item in a uniformly drawn compatible permutation.

        Ranks from 0, shape (n,): (r + 1)(N + 1)/(k + 1) - 1 for an observed item at the 0-based
        (mean) rank r of k, and (N - 1)/2 for an unobserved one.
        """
        n = self.n_items
        mids = places.mid_ranks(self.ranks[None, :])[0]
        expected = (mids + 1) * (n + 1) / (self.n_observed + 1) - 1
        return np.where(np.isnan(mids), (n - 1) / 2, expected)

    # -- display ------------------------------------------------------------------------------

    def to_text(self) -> str:
        """Return the ranking in one line, with at most eight buckets.

        Examples
        --------
        >>> import rankagg as ra
        >>> ra.PartialRanking.from_buckets(["A", ["B", "C"]], items="ABCD").to_text()
        'A > B = C; unranked: D'
        """
        groups = [_tied_text(bucket) for bucket in self.buckets]
        if len(groups) > BUCKETS_SHOWN:
            groups = [*groups[: BUCKETS_SHOWN - 2], "...", groups[-1]]
        parts = [" > ".join(groups)] if groups else []
        if self.unlisted:
            parts.append(f"unlisted: {listed(self.unlisted)}")
        if self.unranked:
            parts.append(f"unranked: {listed(self.unranked)}")
        return "; ".join(parts)

    def _rows(self) -> Iterator[tuple[int | str, tuple[Label, ...]]]:
        rank = 1
        for bucket in self.buckets:
            yield rank, bucket
            rank += len(bucket)
        if self.unlisted:
            yield "unlisted", self.unlisted
        if self.unranked:
            yield "unranked", self.unranked

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.to_text()}>"

    def __str__(self) -> str:
        return "\n".join(
            f"{rank}. {' = '.join(map(str, labels))}"
            if isinstance(rank, int)
            else f"{rank}: {', '.join(map(str, labels))}"
            for rank, labels in self._rows()
        )

    def _repr_html_(self) -> str:
        body = "".join(
            f"<tr><td>{rank}</td><td>{escape(' = '.join(map(str, labels)))}</td></tr>"
            for rank, labels in self._rows()
        )
        return f"<table><thead><tr><th>rank</th><th>item</th></tr></thead>{body}</table>"


class Permutation(PartialRanking):
    """A complete strict ranking; it can replace any `PartialRanking`.

    As a map it sends the position of an item to its rank, `ranks[i]`.

    Parameters
    ----------
    order : iterable of str or int
        All items, best first.
    items : iterable of str or int, optional
        The same items in the order of the arrays; sorted by default.

    Examples
    --------
    >>> from rankagg import Permutation
    >>> sigma = Permutation(["A", "C", "B"])
    >>> sigma.order, sigma.ranks.tolist()
    (('A', 'C', 'B'), [0, 2, 1])
    >>> sigma.compose(sigma.inverse()) == Permutation.identity("ABC")
    True
    """

    def __init__(self, order: Iterable[Label], items: Iterable[Label] | None = None) -> None:
        ranking = PartialRanking.from_order(order, items=items)
        self._set(items=ranking.items, ranks=ranking.ranks)
        self._check()

    def _check(self) -> None:
        if not (self.is_complete and self.is_strict):
            value = Described(self.to_text())
            remedy = "`PartialRanking` takes ties and unranked items."
            raise InvalidInputError("ranks of Permutation", "complete and strict", value, remedy)

    @classmethod
    def identity(cls, items: Iterable[Label] | int) -> Permutation:
        """Return the ranking of `items` in the given order.

        Parameters
        ----------
        items : iterable of label, or int
            The items, best first; a number n for 0, 1, ..., n - 1.
        """
        if isinstance(items, int | np.integer):
            items = range(check_integer(items, "items", low=1))
        item_set = ItemSet.coerce(items, ())
        return cls._of(np.arange(len(item_set)), item_set)

    def inverse(self) -> Permutation:
        """Return the inverse map: item position p gets the position of the item at rank p."""
        return permutation_of(np.argsort(self.ranks), self.items)

    def compose(self, other: Permutation) -> Permutation:
        """Return the map "first `other`, then self": ranks[i] = self.ranks[other.ranks[i]].

        Parameters
        ----------
        other : Permutation
            A permutation of the same items.
        """
        self.items.require_same(other.items, "composed permutations")
        return permutation_of(self.ranks[other.ranks], self.items)

    def reverse(self) -> Permutation:
        """Return the ranking from worst to best."""
        return permutation_of(self.n_items - 1 - self.ranks, self.items)


def permutation_of(ranks: NDArray[Any], items: ItemSet) -> Permutation:
    """Return the permutation of ranks 0, 1, ..., n - 1 in the order of items."""
    return Permutation._of(ranks, items)


def as_ranking(ranks: Ranks, items: ItemSet) -> PartialRanking:
    """Return a `Permutation` if ranks are complete and strict, else a `PartialRanking`."""
    if not np.array_equal(np.sort(ranks), np.arange(len(items))):
        return PartialRanking(ranks, items)
    # The ranks need no second check.
    permutation = Permutation.__new__(Permutation)
    permutation._set(items=items, ranks=frozen_array(np.array(ranks, dtype=np.int32)))
    return permutation
