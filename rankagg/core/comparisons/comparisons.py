"""Comparisons: results of two items each, as arenas, matches and panels of judges have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Floats, Label
from rankagg._validation import as_weights
from rankagg.core.arithmetic import exact
from rankagg.core.comparisons.rows import (
    ComparisonRows,
    as_codes,
    as_covariates,
    as_signs,
    check_apart,
    coded,
    digest_of,
    framed,
    parsed,
    plain,
)
from rankagg.core.items import ItemSet, counted, label_column
from rankagg.core.results.pasted import html_table
from rankagg.core.value import frozen_array
from rankagg.core.votes.pairwise import PairwiseMatrix
from rankagg.exceptions import Described, InvalidInputError

if TYPE_CHECKING:
    import pandas as pd

    from rankagg.core.votes.connectivity import Connectivity

__all__ = ["Comparisons"]

Codes = NDArray[np.intp]
Signs = NDArray[np.int8]

SPELLED = "`read_comparisons` takes other ways to write an outcome."
_SHOWN = 10


class Comparisons(ComparisonRows):
    """m comparisons of two items each, with the outcome of every one; ties stay ties.

    Made by `read_comparisons` or `from_arrays`. Nothing is assumed of items that did not meet:
    a policy for unranked items has nothing to say of comparisons.

    Parameters
    ----------
    items : iterable of str or int
        The items; one without a comparison stays an item.
    first, second : array_like of int, shape (m,)
        The position in `items` of the item on the first and on the second side.
    outcomes : array_like of int, shape (m,)
        1 where the first side won, 0 for a tie, -1 where the second side won.
    weights : array_like of float, shape (m,), optional
        The importance of each comparison, positive; 1 by default.
    clusters : array_like of int, shape (m,), optional
        The position in `cluster_labels` of what the comparison belongs to: a judge, a prompt.
    cluster_labels : iterable of str or int, optional
        The names of the clusters; 0, 1, ... by default.
    sides : array_like of int, shape (m,), optional
        1 where the first item has the advantage of the side, 0 where none has, -1 where the
        second has; all 1 by default.
    covariates : mapping from name to array_like of float, shape (m,), optional
        Numbers that describe each comparison.

    Attributes
    ----------
    items : ItemSet
        The items.
    first, second : ndarray of int, shape (m,)
        Positions in `items`.
    outcomes : ndarray of int8, shape (m,)
        1, 0 or -1.
    weights : ndarray of float, shape (m,), or None
        None where all are 1 as none were given.
    clusters : ndarray of int, shape (m,), or None
        Positions in `cluster_labels`.
    cluster_labels : tuple of str or int
        Empty without clusters.
    sides : ndarray of int8, shape (m,), or None
        None stands for all 1.
    covariates : mapping from name to ndarray of float, shape (m,)
        May be empty.

    Examples
    --------
    >>> from rankagg import Comparisons
    >>> battles = Comparisons.from_arrays("AAB", "BCC", [1, 0, -1], clusters=["ann", "ann", "bob"])
    >>> battles
    <Comparisons: 3 comparisons of 3 items, 1 tie, 2 clusters>
    >>> battles.pairwise().wins
    array([[0., 1., 0.],
           [0., 0., 0.],
           [0., 1., 0.]])
    """

    def __init__(
        self,
        items: Iterable[Label],
        first: ArrayLike,
        second: ArrayLike,
        outcomes: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        cluster_labels: Iterable[Label] | None = None,
        sides: ArrayLike | None = None,
        covariates: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        item_set = ItemSet.coerce(items, ())
        one = as_codes(first, None, len(item_set), "first")
        m = len(one)
        if not m:
            raise InvalidInputError("comparisons", "at least one", Described("none"))
        other = as_codes(second, m, len(item_set), "second")
        check_apart(one, other, item_set)
        names, members = _clusters(clusters, cluster_labels, m)
        self._set(
            items=item_set,
            first=one,
            second=other,
            outcomes=as_signs(outcomes, m, "outcomes", SPELLED),
            weights=None if weights is None else _weights(weights, m),
            clusters=members,
            cluster_labels=names,
            sides=None if sides is None else as_signs(sides, m, "sides"),
            covariates=as_covariates(covariates, m),
        )

    @classmethod
    def from_arrays(
        cls,
        first: Iterable[Label],
        second: Iterable[Label],
        outcomes: ArrayLike,
        *,
        items: Iterable[Label] | None = None,
        weights: ArrayLike | None = None,
        clusters: Iterable[Label] | None = None,
        sides: ArrayLike | None = None,
        covariates: Mapping[str, ArrayLike] | None = None,
    ) -> Comparisons:
        """Create comparisons from labels.

        Parameters
        ----------
        first, second : iterable of str or int, length m
            The labels on the two sides; a string is taken letter by letter.
        outcomes : array_like of int, shape (m,)
            1 where the first side won, 0 for a tie, -1 where the second side won.
        items : iterable of str or int, optional
            All items; by default the sorted labels that occur.
        clusters : iterable of str or int, length m, optional
            The judge, prompt or whatever else comparisons share.
        weights, sides, covariates
            As for the class.

        Returns
        -------
        Comparisons

        Raises
        ------
        InvalidInputError
            If lengths differ, an item meets itself, or an entry is none of what is allowed.

        Examples
        --------
        >>> from rankagg import Comparisons
        >>> Comparisons.from_arrays(["Ann", "Bob"], ["Bob", "Cid"], [1, 0])
        <Comparisons: 2 comparisons of 3 items, 1 tie>
        """
        one, other = coded(first, "first"), coded(second, "second")
        item_set = ItemSet.coerce(items, (*one[1], *other[1]))
        members, names = (None, None) if clusters is None else coded(clusters, "clusters")
        return cls(
            item_set,
            _placed(*one, item_set),
            _placed(*other, item_set),
            outcomes,
            weights=weights,
            clusters=members,
            cluster_labels=names,
            sides=sides,
            covariates=covariates,
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Comparisons:
        """Create comparisons from what `to_dict` returned.

        Parameters
        ----------
        data : mapping
            Plain data.

        Returns
        -------
        Comparisons
        """
        return cls(**parsed(data))

    # -- votes ----------------------------------------------------------------------------------

    def pairwise(self) -> PairwiseMatrix:
        """Count for every two items how often each won against the other, and how often they tied.

        Returns
        -------
        PairwiseMatrix
            Without a policy: only who met whom counts.
        """
        n, squares = self.n_items, None
        if self.weights is None:
            (won, tied), denominator, step = self._results, 1, 0.0
        else:
            importance = exact.as_rational(self.weights)
            won, tied = self._added(importance.numerators)
            denominator, step = importance.denominator, importance.step
            cells = self.first * n + self.second
            squared = np.bincount(cells, weights=self.weights**2, minlength=n * n).reshape(n, n)
            squares = cast(Floats, squared + squared.T)
        against = exact.combine(won, 1, won.T, 1)
        most = Fraction(int(self.counts.max()))
        return PairwiseMatrix(
            items=self.items,
            scaled_wins=won,
            scaled_ties=tied,
            scaled_comparisons=exact.combine(against, 1, tied, 1),
            denominator=denominator,
            squared_weights=squares,
            rounding=exact.float_above(Fraction(step) / 2 * most),
        )

    def connectivity(self) -> Connectivity:
        """Return which items met, and which lead to each other through wins and ties.

        Returns
        -------
        Connectivity
        """
        # Only who asks needs tables.
        from rankagg.core.votes.connectivity import Connectivity  # noqa: PLC0415

        return Connectivity.of(self.items, *self._results)

    # -- parts --------------------------------------------------------------------------------

    def take(self, index: ArrayLike) -> Comparisons:
        """Return a choice of comparisons, of the same items and clusters.

        Parameters
        ----------
        index : array_like of int or bool
            Positions, which may repeat as in a resample, or a mask of shape (m,).

        Returns
        -------
        Comparisons

        Examples
        --------
        >>> from rankagg import Comparisons
        >>> battles = Comparisons.from_arrays("AAB", "BCC", [1, 0, -1])
        >>> battles.take([1, 1]).n_ties
        2
        """
        try:
            rows = np.arange(len(self))[np.asarray(index)]
        except (IndexError, TypeError, ValueError) as error:
            allowed = f"positions among {counted(len(self), 'comparison')}, or a mask of them"
            shown = Described(f"{type(index).__name__} ({error})")
            raise InvalidInputError("index", allowed, shown) from None
        if rows.ndim != 1 or not len(rows):
            raise InvalidInputError("index", "a flat selection of at least one comparison", index)
        return self._taken(rows, self.items, self.first, self.second)

    def restrict(self, items: Iterable[Label]) -> Comparisons:
        """Return the comparisons between items of a subset.

        Parameters
        ----------
        items : iterable of str or int
            A subset of the items; comparisons with another item are left out.

        Returns
        -------
        Comparisons
        """
        target = ItemSet.coerce(items, ())
        place = np.full(self.n_items, -1, dtype=np.intp)
        place[self.items.indices(target)] = np.arange(len(target))
        one, other = place[self.first], place[self.second]
        rows = np.flatnonzero((one >= 0) & (other >= 0))
        if not len(rows):
            raise InvalidInputError("items", "two or more that were compared", target)
        return self._taken(rows, target, one, other)

    # -- how it goes out ----------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return the comparisons as a table, which `read_comparisons` reads.

        Returns
        -------
        pandas.DataFrame
            With "first", "second" and "outcome" ("first", "second" or "tie"), and "weight",
            "cluster", "side" (1, 0 or -1) and covariates where there are any.
        """
        return framed(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, which `from_dict` takes back.

        Returns
        -------
        dict
            With "schema" and "version", and the arrays as lists.
        """
        return plain(self)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the comparisons in their order, as 64 hexadecimal digits.

        Of the line ``rankagg.comparisons 1``, the items as in the fingerprint of votes, and then
        for each array that is there a line with its name and length and its numbers, little
        endian: positions of 8 bytes, outcomes and sides of 1, floats of 8.
        """
        return digest_of(self)

    # -- how it looks -------------------------------------------------------------------------

    def __repr__(self) -> str:
        size = f"{counted(len(self), 'comparison', ',')} of {counted(self.n_items, 'item')}"
        more = [
            counted(self.n_ties, "tie", ","),
            "weighted" if self.weights is not None else "",
            counted(self.n_clusters, "cluster", ",") if self.clusters is not None else "",
            "with sides" if self.sides is not None else "",
            counted(len(self.covariates), "covariate") if self.covariates else "",
        ]
        return f"<Comparisons: {size}, {', '.join(word for word in more if word)}>"

    def _repr_html_(self) -> str:
        table = self.take(np.arange(min(len(self), _SHOWN))).to_frame()
        rows: list[tuple[object, ...]] = list(table.itertuples(index=False, name=None))
        blank = ("",) * (table.shape[1] - 1)
        if len(self) > _SHOWN:
            rows.append((f"... {counted(len(self), 'comparison', ',')} in all", *blank))
        return html_table(list(table), rows, named=False)


def _clusters(
    clusters: ArrayLike | None, labels: Iterable[Label] | None, length: int
) -> tuple[tuple[Label, ...], Codes | None]:
    """Return the names of clusters, and which one each comparison is in."""
    if clusters is None:
        if labels is not None:
            raise InvalidInputError("cluster_labels", "left out without `clusters`", labels)
        return (), None
    if labels is None:
        given = np.asarray(clusters)
        most = int(given.max(initial=-1)) if given.dtype.kind in "iu" else -1
        names: tuple[Label, ...] = tuple(range(min(most, 2 * length) + 1))
    else:
        names = label_column(labels, "cluster_labels")
        if len(set(names)) < len(names):
            raise InvalidInputError("cluster_labels", "distinct labels", names)
    return names, as_codes(clusters, length, len(names), "clusters")


def _placed(codes: Codes, labels: Iterable[Label], items: ItemSet) -> Codes:
    """Return positions among the items for positions among the labels."""
    return np.array(items.indices(labels), dtype=np.intp)[codes]


def _weights(weights: ArrayLike, length: int) -> Floats:
    return cast(Floats, frozen_array(as_weights(weights, length, noun="comparison")))
