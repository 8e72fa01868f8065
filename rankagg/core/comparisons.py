"""Comparisons of two items each: battles in arenas, matches, judgments of two answers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Floats, Integers, Label, Positions
from rankagg._validation import as_numbers, as_weights, check_entries
from rankagg.core import exact
from rankagg.core.graphs import Connectivity, connected_parts, ordered_parts
from rankagg.core.items import ItemSet, counted, label_column
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.results import html_table
from rankagg.core.value import Value, array_key, frozen_array
from rankagg.exceptions import Described, InvalidInputError

Codes = Positions

#: Columns of a table of comparisons, apart from covariates.
COMPARISON_COLUMNS = ("first", "second", "outcome", "weight", "cluster", "side")
#: Counts of all pairs are a dense matrix of 2 GiB.
MOST_COMPARED_ITEMS = 2**14


def _as_codes(values: ArrayLike, length: int | None, size: int, parameter: str) -> Codes:
    """Return positions below `size`, one per comparison, read-only."""
    given = np.asarray(values)
    if given.ndim != 1 or given.dtype.kind not in "iu" or np.ma.is_masked(values):
        kind = Described(f"shape {given.shape} of {given.dtype}")
        remedy = "`Comparisons.from_arrays` takes labels."
        raise InvalidInputError(parameter, "a flat sequence of unmasked integers", kind, remedy)
    _check_length(given, length, parameter)
    check_entries(given, (given >= 0) & (given < size), parameter, f"at least 0 and below {size}")
    return cast(Codes, frozen_array(np.array(given, dtype=np.intp)))


def _as_signs(values: ArrayLike, length: int, parameter: str, remedy: str = "") -> NDArray[np.int8]:
    """Return 1, 0 and -1, one per comparison, read-only; True is 1, and False -1."""
    numbers = as_numbers(values, parameter)
    if pd.api.types.infer_dtype(np.asarray(values)) == "boolean":
        numbers = 2 * numbers - 1
    _check_length(numbers, length, parameter)
    check_entries(numbers, np.isin(numbers, (-1.0, 0.0, 1.0)), parameter, "1, 0 or -1", remedy)
    return cast(NDArray[np.int8], frozen_array(numbers.astype(np.int8)))


def _as_covariates(covariates: Mapping[str, ArrayLike] | None, length: int) -> Mapping[str, Floats]:
    """Return finite numbers by name, one per comparison each, read-only."""
    if not isinstance(covariates, Mapping | None):
        raise InvalidInputError("covariates", "a mapping from name to numbers", covariates)
    arrays = {}
    for name, values in (covariates or {}).items():
        if not isinstance(name, str) or not name or name in COMPARISON_COLUMNS:
            allowed = f"texts with letters, none of {', '.join(map(repr, COMPARISON_COLUMNS))}"
            raise InvalidInputError("names of covariates", allowed, name, "Rename it.")
        parameter = f"covariate {name!r}"
        numbers = as_numbers(values, parameter)
        _check_length(numbers, length, parameter)
        remedy = "Leave such comparisons out, or fill in the number."
        check_entries(numbers, ~np.isnan(numbers), parameter, "finite numbers", remedy)
        arrays[name] = frozen_array(numbers)
    return MappingProxyType(arrays)


def _coded(labels: Iterable[Label], parameter: str) -> tuple[Codes, tuple[Label, ...]]:
    """Return positions among the distinct labels, and these in order of occurrence."""
    if not (isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "iu"):
        labels = _label_array(label_column(labels, parameter))
    codes, distinct = pd.factorize(labels)
    return codes, tuple(distinct.tolist())


def _label_array(labels: Sequence[Label]) -> NDArray[np.object_]:
    cells = np.empty(len(labels), dtype=object)
    cells[:] = labels
    return cells


def _check_length(values: NDArray[Any], length: int | None, parameter: str) -> None:
    if length is not None and len(values) != length:
        allowed = f"one entry per comparison ({length} of them)"
        raise InvalidInputError(parameter, allowed, Described(f"shape {values.shape}"))


class Comparisons(Value):
    """m comparisons of two items each, with their outcomes; ties stay ties.

    Made by `read_comparisons` or `from_arrays`. Items that did not meet have no votes, so no policy
    for unranked items applies.

    Parameters
    ----------
    items : iterable of str or int
        The items, with or without comparisons.
    first, second : array_like of int, shape (m,)
        Positions in `items` of the item on the first and on the second side.
    outcomes : array_like of int, shape (m,)
        1 if the first side won, 0 for a tie, -1 if the second side won; or True and False for 1
        and -1.
    weights : array_like of float, shape (m,), optional
        Positive importance of each comparison; 1 by default.
    clusters : array_like of int, shape (m,), optional
        Position in `cluster_labels` of the cluster of each comparison, such as a judge or prompt.
    cluster_labels : iterable of str or int, optional
        Names of the clusters; 0, 1, ... by default.
    sides : array_like of int, shape (m,), optional
        1 if the first item has the advantage of the side, -1 if the second has it, 0 if neither;
        all 1 by default.
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
        None if none were given; all are 1 then.
    clusters : ndarray of int, shape (m,), or None
        Positions in `cluster_labels`.
    cluster_labels : tuple of str or int
        Empty without clusters.
    sides : ndarray of int8, shape (m,), or None
        None means all 1.
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

    items: ItemSet
    first: Codes
    second: Codes
    outcomes: NDArray[np.int8]
    weights: Floats | None
    clusters: Codes | None
    cluster_labels: tuple[Label, ...]
    sides: NDArray[np.int8] | None
    covariates: Mapping[str, Floats]

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
        one = _as_codes(first, None, len(item_set), "first")
        m = len(one)
        if not m:
            raise InvalidInputError("comparisons", "at least one", Described("none"))
        other = _as_codes(second, m, len(item_set), "second")
        if (same := one == other).any():
            at = int(np.argmax(same))
            number = counted(int(same.sum()), "such comparison", ",")
            label = item_set[int(one[at])]
            shown = Described(f"{label!r} on both sides at position {at} ({number})")
            allowed = "between two different items"
            raise InvalidInputError("comparisons", allowed, shown, "Leave those out.")
        names, members = _cluster_codes(clusters, cluster_labels, m)
        self._set(
            items=item_set,
            first=one,
            second=other,
            outcomes=_as_signs(
                outcomes, m, "outcomes", "`read_comparisons` takes other ways to write an outcome."
            ),
            weights=None
            if weights is None
            else frozen_array(as_weights(weights, m, noun="comparison")),
            clusters=members,
            cluster_labels=names,
            sides=None if sides is None else _as_signs(sides, m, "sides"),
            covariates=_as_covariates(covariates, m),
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
            Labels on the two sides; of a string each letter is a label.
        outcomes : array_like of int, shape (m,)
            1 if the first side won, 0 for a tie, -1 if the second side won; or True and False for 1
        and -1.
        items : iterable of str or int, optional
            All items; by default the sorted labels that occur.
        clusters : iterable of str or int, length m, optional
            Judge, prompt or other cluster of each comparison.
        weights, sides, covariates
            As for the class.

        Raises
        ------
        InvalidInputError
            If lengths differ, an item meets itself, or an entry is not allowed.

        Examples
        --------
        >>> from rankagg import Comparisons
        >>> Comparisons.from_arrays(["Ann", "Bob"], ["Bob", "Cid"], [1, 0])
        <Comparisons: 2 comparisons of 3 items, 1 tie>
        """
        one, other = _coded(first, "first"), _coded(second, "second")
        item_set = ItemSet.coerce(items, (*one[1], *other[1]))
        members, names = (None, None) if clusters is None else _coded(clusters, "clusters")
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

    def _key(self) -> tuple[Hashable, ...]:
        arrays = (self.first, self.second, self.outcomes, self.weights, self.clusters, self.sides)
        described = tuple((name, array_key(self.covariates[name])) for name in self.covariates)
        keys = (None if array is None else array_key(array) for array in arrays)
        return self.items, self.cluster_labels, described, *keys

    def __getstate__(self) -> dict[str, object]:
        # A read-only view of a mapping is not pickled.
        return {**super().__getstate__(), "covariates": dict(self.covariates)}

    def __setstate__(self, state: dict[str, object]) -> None:
        described = cast(dict[str, Floats], state["covariates"])
        frozen = {name: frozen_array(values) for name, values in described.items()}
        super().__setstate__({**state, "covariates": MappingProxyType(frozen)})

    def __len__(self) -> int:
        return len(self.first)

    # -- counts -------------------------------------------------------------------------------

    @property
    def n_comparisons(self) -> int:
        """Number of comparisons."""
        return len(self.first)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.items)

    @cached_property
    def n_ties(self) -> int:
        """Number of comparisons without a winner."""
        return int((self.outcomes == 0).sum())

    @cached_property
    def n_clusters(self) -> int:
        """Number of clusters with a comparison; 0 without clusters."""
        return 0 if self.clusters is None else len(np.unique(self.clusters))

    @cached_property
    def counts(self) -> Integers:
        """Number of comparisons of row and column without weights, shape (n, n)."""
        won, tied = self._results
        return cast(Integers, frozen_array(won + won.T + tied))

    @cached_property
    def _results(self) -> tuple[Integers, Integers]:
        """Numbers of wins of row against column, and of their ties, without weights."""
        won, tied = self._added(np.ones(len(self), dtype=np.int64))
        return frozen_array(won), frozen_array(tied)

    def _added(self, weights: Integers) -> tuple[Integers, Integers]:
        """Return the summed weights of wins of row against column, and of their ties."""
        n = self.n_items
        if n > MOST_COMPARED_ITEMS:
            shown = Described(counted(n, "item", ","))
            allowed = f"of at most {MOST_COMPARED_ITEMS:,} items, as all pairs are counted"
            raise InvalidInputError("comparisons", allowed, shown, "Choose some with `restrict`.")
        decided = self.outcomes != 0
        forward = self.outcomes > 0
        above = np.where(forward, self.first, self.second)
        cells = above * n + np.where(forward, self.second, self.first)
        won = exact.count_cells(cells[decided], weights[decided], n * n).reshape(n, n)
        half = exact.count_cells(cells[~decided], weights[~decided], n * n).reshape(n, n)
        return won, exact.combine(half, 1, half.T, 1)

    def _taken(self, rows: Positions, items: ItemSet, first: Codes, second: Codes) -> Self:
        """Return some comparisons without checks."""

        def taken(array: NDArray[Any] | None) -> Any:
            return None if array is None else frozen_array(array[rows])

        return self._with(
            items=items,
            first=taken(first),
            second=taken(second),
            outcomes=taken(self.outcomes),
            weights=taken(self.weights),
            clusters=taken(self.clusters),
            sides=taken(self.sides),
            covariates=MappingProxyType({k: taken(x) for k, x in self.covariates.items()}),
        )

    # -- votes ----------------------------------------------------------------------------------

    def pairwise(self) -> PairwiseMatrix:
        """Return the numbers of wins and ties of each pair of items.

        Returns
        -------
        PairwiseMatrix
            Votes without a policy: items that did not meet have none.
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
        return PairwiseMatrix(
            items=self.items,
            wins=won,
            ties=tied,
            denominator=denominator,
            squared_weights=squares,
            rounding=exact.float_above(Fraction(step) / 2 * Fraction(int(self.counts.max()))),
        )

    def connectivity(self) -> Connectivity:
        """Return the items that met, and those joined by chains of wins and ties."""
        won, tied = self._results
        beats = (won + tied) > 0
        part = connected_parts(beats | beats.T)
        return Connectivity(
            items=self.items,
            wins=won.sum(axis=1),
            ties=tied.sum(axis=1),
            losses=won.sum(axis=0),
            parts=tuple(self.items.where(part == number) for number in range(part.max() + 1)),
            groups=tuple(self.items.at(group) for group in ordered_parts(beats)),
        )

    # -- parts --------------------------------------------------------------------------------

    def take(self, positions: ArrayLike) -> Comparisons:
        """Return some comparisons, of the same items and clusters.

        Parameters
        ----------
        positions : array_like of int or bool
            Positions, which may repeat as in a resample, or a mask of shape (m,).

        Examples
        --------
        >>> from rankagg import Comparisons
        >>> battles = Comparisons.from_arrays("AAB", "BCC", [1, 0, -1])
        >>> battles.take([1, 1]).n_ties
        2
        """
        try:
            rows = np.arange(len(self))[np.asarray(positions)]
        except (IndexError, TypeError, ValueError) as error:
            allowed = f"positions among {counted(len(self), 'comparison')}, or a mask of them"
            shown = Described(f"{type(positions).__name__} ({error})")
            raise InvalidInputError("positions", allowed, shown) from None
        if rows.ndim != 1 or not len(rows):
            raise InvalidInputError(
                "positions", "a flat selection of at least one comparison", positions
            )
        return self._taken(rows, self.items, self.first, self.second)

    def restrict(self, items: Iterable[Label]) -> Comparisons:
        """Return the comparisons between items of a subset.

        Parameters
        ----------
        items : iterable of str or int
            A subset of the items; comparisons with another item are left out.
        """
        target = ItemSet.coerce(items, ())
        place = np.full(self.n_items, -1, dtype=np.intp)
        place[self.items.indices(target)] = np.arange(len(target))
        one, other = place[self.first], place[self.second]
        rows = np.flatnonzero((one >= 0) & (other >= 0))
        if not len(rows):
            raise InvalidInputError("items", "two or more that were compared", target)
        return self._taken(rows, target, one, other)

    # -- export -------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return the comparisons as a table that `read_comparisons` reads.

        Returns
        -------
        pandas.DataFrame
            Columns "first", "second" and "outcome" ("first", "second" or "tie"), and any of
            "weight", "cluster", "side" (1, 0 or -1) and covariates.
        """
        labels, clusters = _label_array(self.items), self.clusters
        columns: dict[str, Any] = {
            "first": labels[self.first],
            "second": labels[self.second],
            "outcome": _label_array(("tie", "first", "second"))[self.outcomes],
            "weight": self.weights,
            "cluster": None if clusters is None else _label_array(self.cluster_labels)[clusters],
            "side": self.sides,
            **self.covariates,
        }
        return pd.DataFrame({k: column for k, column in columns.items() if column is not None})

    # -- display ------------------------------------------------------------------------------

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
        table = self.take(np.arange(min(len(self), 10))).to_frame()
        rows: list[tuple[object, ...]] = list(table.itertuples(index=False, name=None))
        blank = ("",) * (table.shape[1] - 1)
        if len(self) > len(rows):
            rows.append((f"... {counted(len(self), 'comparison', ',')} in all", *blank))
        return html_table(list(table), rows, named=False)


def _cluster_codes(
    clusters: ArrayLike | None, labels: Iterable[Label] | None, length: int
) -> tuple[tuple[Label, ...], Codes | None]:
    """Return the names of clusters, and the cluster of each comparison."""
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
    return names, _as_codes(clusters, length, len(names), "clusters")


def _placed(codes: Codes, labels: Iterable[Label], items: ItemSet) -> Codes:
    """Convert positions among the labels to positions among the items."""
    return np.array(items.indices(labels), dtype=np.intp)[codes]
