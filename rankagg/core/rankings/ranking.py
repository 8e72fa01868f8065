"""What all rankings have in common: ranks of labeled items."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from html import escape
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Label, Ranks
from rankagg.core.items import ItemSet, counted, listed
from rankagg.core.pandas_labels import axis_labels
from rankagg.core.rankings import places
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.core.value import Value, frozen_array
from rankagg.exceptions import Described, InvalidInputError, TiedRankingError

__all__ = ["Ranking", "check_length"]

_SHOWN = 8


class Ranking(Value):
    """A weak order over the observed part of an `ItemSet`: what all rankings have in common.

    Not to be created itself: `PartialRanking` may have ties and unobserved items, `Permutation`
    is complete and strict. Rankings are immutable; two of them are equal, and hash alike, where
    their items and ranks are, whatever their class.

    Parameters
    ----------
    ranks : array_like of int, shape (n,)
        Competition ranks counted from 0, which is best (0, 1, 1, 3), `UNRANKED` (-1) for an item
        that was not observed, `UNLISTED` (-2) for one left off a top-k list.
    items : iterable of str or int, optional
        The items that the ranks belong to; 0, 1, ..., n - 1 by default.

    Attributes
    ----------
    items : ItemSet
        The items, observed or not.
    ranks : ndarray of int32, shape (n,)
        How many items are better, for each item: its rank counted from 0; read-only. `rank` counts
        from 1.
    """

    items: ItemSet
    ranks: Ranks

    def __init__(self, ranks: ArrayLike, items: Iterable[Label] | None = None) -> None:
        items = axis_labels(ranks, 0, items, "items")
        values = _flat_integers(ranks)
        labels = ItemSet.numbered(len(values)) if items is None else ItemSet.coerce(items, ())
        check_length(len(values), labels, "ranks")
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

    @abstractmethod
    def _check(self) -> None:
        """Raise where the ranks are not of the class's kind."""

    def _key(self) -> tuple[Hashable, ...]:
        return self.items, self.ranks.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ranking) and self._key() == other._key()

    __hash__ = Value.__hash__

    # -- what it says -------------------------------------------------------------------------

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
        """True where every item has a rank of its own accord: none unranked, none unlisted."""
        return bool((self.ranks >= 0).all())

    @property
    def is_strict(self) -> bool:
        """True where no two items are judged equal."""
        # Ranks count the items above, so only without ties do they add up to 0 + 1 + 2 + ...
        listed = self.ranks[self.ranks >= 0]
        return int(listed.sum()) == len(listed) * (len(listed) - 1) // 2

    @cached_property
    def buckets(self) -> tuple[tuple[Label, ...], ...]:
        """The listed labels, best bucket first; labels within one bucket are tied."""
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
            If some are tied: `.buckets` keeps them together.
        """
        if not self.is_strict:
            tied = next(bucket for bucket in self.buckets if len(bucket) > 1)
            raise TiedRankingError(
                f"A ranking with ties has no strict order ({' = '.join(map(str, tied))}). "
                "Use `.buckets`."
            )
        return tuple(chain.from_iterable(self.buckets))

    @property
    def unranked(self) -> tuple[Label, ...]:
        """The labels that were not observed."""
        return self._labels_where(UNRANKED)

    @property
    def unlisted(self) -> tuple[Label, ...]:
        """The labels left off a top-k list: below all listed ones, not compared."""
        return self._labels_where(UNLISTED)

    def rank(self, label: Label) -> int | None:
        """Return the rank of an item as people count: 1 is best, tied items share the best.

        Parameters
        ----------
        label : str or int
            One of the items.

        Returns
        -------
        int or None
            One more than the number of items that are better, `ranks[i] + 1`; None where the item
            is unranked or unlisted.

        Examples
        --------
        >>> from rankagg import PartialRanking
        >>> ranking = PartialRanking.from_buckets(["B", "AC"], items="ABCD")
        >>> [ranking.rank(label) for label in "ABCD"]
        [2, 1, 2, None]
        """
        position = int(self.ranks[self.items.index(label)])
        return position + 1 if position >= 0 else None

    def _labels_where(self, code: int) -> tuple[Label, ...]:
        return self.items.where(self.ranks == code)

    # -- how it looks -------------------------------------------------------------------------

    def _arrows(self) -> str:
        groups = [_tied(bucket) for bucket in self.buckets]
        if len(groups) > _SHOWN:
            groups = [*groups[: _SHOWN - 2], "...", groups[-1]]
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
        return f"<{type(self).__name__} {self._arrows()}>"

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


def _flat_integers(ranks: ArrayLike) -> NDArray[Any]:
    remedy = "`from_ranks` takes other numbers."
    try:
        values = np.atleast_1d(np.asarray(ranks))
    except ValueError:
        raise InvalidInputError("ranks", "a flat sequence of integers", ranks, remedy) from None
    if values.ndim != 1 or not np.issubdtype(values.dtype, np.integer):
        raise InvalidInputError("ranks", "a flat sequence of integers", ranks, remedy)
    return values


def _tied(bucket: tuple[Label, ...]) -> str:
    if len(bucket) <= _SHOWN:
        return " = ".join(map(str, bucket))
    return f"{' = '.join(map(str, bucket[:3]))} = ... ({len(bucket)} tied)"


def check_length(length: int, items: ItemSet, parameter: str) -> None:
    """Raise unless there is one number per item."""
    if length != len(items):
        raise InvalidInputError(
            parameter,
            f"one number per item ({len(items)} of them)",
            Described(counted(length, "number")),
        )
