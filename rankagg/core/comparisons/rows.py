"""What comparisons are kept as: arrays with an entry for each, checked, and as plain data."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Floats, Integers, Label
from rankagg._validation import as_numbers
from rankagg.core.arithmetic import exact
from rankagg.core.items import ItemSet, counted, label_column
from rankagg.core.value import Value, array_key, frozen_array
from rankagg.core.votes.fingerprint import label_lines
from rankagg.exceptions import Described, InvalidInputError

if TYPE_CHECKING:
    import pandas as pd

    from rankagg.core.comparisons.comparisons import Comparisons

__all__ = [
    "COLUMNS",
    "ComparisonRows",
    "as_codes",
    "as_covariates",
    "as_signs",
    "check_apart",
    "coded",
    "digest_of",
    "framed",
    "parsed",
    "plain",
]

Codes = NDArray[np.intp]

#: What a table of comparisons is made of beside covariates.
COLUMNS = ("first", "second", "outcome", "weight", "cluster", "side")
NOUN = "comparison"


def as_codes(values: ArrayLike, length: int | None, size: int, parameter: str) -> Codes:
    """Return positions below `size`, one per comparison, read-only."""
    given = np.asarray(values)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        kind = f"shape {given.shape} of {given.dtype}"
        raise InvalidInputError(
            parameter, "a flat sequence of whole numbers", Described(kind),
            "`Comparisons.from_arrays` takes labels.",
        )  # fmt: skip
    _check_length(given, length, parameter)
    wrong = (given < 0) | (given >= size)
    if wrong.any():
        at = int(np.argmax(wrong))
        allowed = f"at least 0 and below {size}"
        raise InvalidInputError(parameter, allowed, Described(f"{given[at]} at position {at}"))
    codes: Codes = frozen_array(np.array(given, dtype=np.intp))
    return codes


def as_signs(values: ArrayLike, length: int, parameter: str, remedy: str = "") -> NDArray[np.int8]:
    """Return 1, 0 and -1, one per comparison, read-only."""
    numbers = as_numbers(values, parameter)
    _check_length(numbers, length, parameter)
    wrong = ~np.isin(numbers, (-1.0, 0.0, 1.0))
    if wrong.any():
        at = int(np.argmax(wrong))
        shown = Described(f"{numbers[at]:g} at position {at}")
        raise InvalidInputError(parameter, "1, 0 or -1", shown, remedy)
    signs: NDArray[np.int8] = frozen_array(numbers.astype(np.int8))
    return signs


def as_covariates(covariates: Mapping[str, ArrayLike] | None, length: int) -> Mapping[str, Floats]:
    """Return finite numbers by name, one per comparison each, read-only."""
    if covariates is None:
        return MappingProxyType({})
    if not isinstance(covariates, Mapping):
        raise InvalidInputError("covariates", "a mapping from name to numbers", covariates)
    found = {}
    for name, values in covariates.items():
        if not isinstance(name, str) or not name or name in COLUMNS:
            taken = ", ".join(repr(column) for column in COLUMNS)
            allowed = f"texts with letters, none of {taken}"
            raise InvalidInputError("names of covariates", allowed, name, "Rename it.")
        parameter = f"covariate {name!r}"
        numbers = as_numbers(values, parameter)
        _check_length(numbers, length, parameter)
        if np.isnan(numbers).any():
            at = int(np.argmax(np.isnan(numbers)))
            shown = Described(f"nan at position {at}")
            raise InvalidInputError(
                parameter, "finite numbers", shown, "Leave such comparisons out, or fill it in."
            )
        found[name] = frozen_array(numbers)
    return MappingProxyType(found)


def check_apart(first: Codes, second: Codes, items: ItemSet) -> None:
    """Raise where an item meets itself."""
    same = first == second
    if same.any():
        at = int(np.argmax(same))
        number = counted(int(same.sum()), "such comparison", ",")
        shown = Described(f"{items[int(first[at])]!r} on both sides at position {at} ({number})")
        raise InvalidInputError(
            "comparisons", "between two different items", shown, "Leave those out."
        )


def coded(labels: Iterable[Label], parameter: str) -> tuple[Codes, tuple[Label, ...]]:
    """Return labels as positions among the different ones, which are in order of occurrence."""
    # Only what comes as labels needs it.
    import pandas as pd  # noqa: PLC0415

    if isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "iu":
        codes, found = pd.factorize(labels)
        return codes, tuple(found.tolist())
    column = label_column(labels, parameter)
    cells = np.empty(len(column), dtype=object)
    cells[:] = column
    codes, found = pd.factorize(cells)
    return codes, tuple(found.tolist())


def _check_length(values: NDArray[Any], length: int | None, parameter: str) -> None:
    if length is not None and len(values) != length:
        allowed = f"one entry per {NOUN} ({length} of them)"
        raise InvalidInputError(parameter, allowed, Described(f"shape {values.shape}"))


#: Counts of all pairs are dense: 2 GiB for one matrix.
MOST_ITEMS = 2**14

Signs = NDArray[np.int8]


class ComparisonRows(Value):
    """Comparisons of two items each, row by row; see `Comparisons` for what they are."""

    items: ItemSet
    first: Codes
    second: Codes
    outcomes: Signs
    weights: Floats | None
    clusters: Codes | None
    cluster_labels: tuple[Label, ...]
    sides: Signs | None
    covariates: Mapping[str, Floats]

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
        """The number of comparisons."""
        return len(self.first)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.items)

    @cached_property
    def n_ties(self) -> int:
        """The number of comparisons without a winner."""
        return int((self.outcomes == 0).sum())

    @cached_property
    def n_clusters(self) -> int:
        """The number of clusters that some comparison is in; 0 without clusters."""
        if self.clusters is None:
            return 0
        return int((np.bincount(self.clusters) > 0).sum())

    @cached_property
    def counts(self) -> Integers:
        """How often row and column met, weights aside, shape (n, n)."""
        won, tied = self._results
        return cast(Integers, frozen_array(won + won.T + tied))

    @cached_property
    def _results(self) -> tuple[Integers, Integers]:
        """How often row won against column, and how often they tied, weights aside."""
        won, tied = self._added(np.ones(len(self), dtype=np.int64))
        return frozen_array(won), frozen_array(tied)

    def _added(self, weights: Integers) -> tuple[Integers, Integers]:
        """Return the summed weights of wins of row against column, and of their ties."""
        n = self.n_items
        if n > MOST_ITEMS:
            shown = Described(counted(n, "item", ","))
            raise InvalidInputError(
                "comparisons", f"of at most {MOST_ITEMS:,} items, each pair of which is counted",
                shown, "Choose some with `restrict`.",
            )  # fmt: skip
        decided = self.outcomes != 0
        forward = self.outcomes > 0
        above = np.where(forward, self.first, self.second)
        below = np.where(forward, self.second, self.first)
        cells = above * n + below
        won = exact.count_cells(cells[decided], weights[decided], n * n).reshape(n, n)
        half = exact.count_cells(cells[~decided], weights[~decided], n * n).reshape(n, n)
        return won, exact.combine(half, 1, half.T, 1)

    def _taken(self, rows: NDArray[np.intp], items: ItemSet, first: Codes, second: Codes) -> Self:
        """Return some comparisons, known to be good."""
        part = type(self).__new__(type(self))
        arrays: dict[str, NDArray[Any] | None] = {
            "first": first, "second": second, "outcomes": self.outcomes,
            "weights": self.weights, "clusters": self.clusters, "sides": self.sides,
        }  # fmt: skip
        described = {name: frozen_array(values[rows]) for name, values in self.covariates.items()}
        part._set(
            items=items,
            cluster_labels=self.cluster_labels,
            covariates=MappingProxyType(described),
            **{
                name: None if array is None else frozen_array(array[rows])
                for name, array in arrays.items()
            },
        )
        return part


SCHEMA, VERSION = "rankagg.comparisons", 1
#: The arrays, and how each is hashed.
ARRAYS = {
    "first": "<i8", "second": "<i8", "outcomes": "i1", "weights": "<f8", "clusters": "<i8",
    "sides": "i1",
}  # fmt: skip
FIELDS = {"items", "cluster_labels", "covariates", *ARRAYS}


def plain(comparisons: Comparisons) -> dict[str, Any]:
    """Return plain data for JSON."""
    arrays = {name: getattr(comparisons, name) for name in ARRAYS}
    described = comparisons.covariates.items()
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "items": list(comparisons.items),
        **{name: None if array is None else array.tolist() for name, array in arrays.items()},
        "cluster_labels": list(comparisons.cluster_labels),
        "covariates": {name: values.tolist() for name, values in described},
    }


def parsed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of comparisons from plain data."""
    given = dict(data) if isinstance(data, Mapping) else {}
    found = given.pop("schema", None), given.pop("version", None)
    if found != (SCHEMA, VERSION):
        shown = Described(f"schema {found[0]!r}, version {found[1]!r}")
        allowed = f"plain data of schema {SCHEMA!r}, version {VERSION}"
        raise InvalidInputError("data", allowed, shown, "`Comparisons.to_dict` writes them.")
    if given.keys() != FIELDS:
        differing = ", ".join(sorted(map(str, given.keys() ^ FIELDS)))
        shown = Described(f"missing or unknown: {differing}")
        raise InvalidInputError("data", "all fields of comparisons and no others", shown)
    if given["clusters"] is None and given["cluster_labels"] == []:
        given["cluster_labels"] = None
    return given


def framed(comparisons: Comparisons) -> pd.DataFrame:
    """Return a table with a row for each comparison."""
    # Only who asks needs tables.
    import pandas as pd  # noqa: PLC0415

    labels = _cells(comparisons.items)
    columns: dict[str, Any] = {
        "first": labels[comparisons.first],
        "second": labels[comparisons.second],
        "outcome": _cells(("tie", "first", "second"))[comparisons.outcomes],
    }
    if comparisons.weights is not None:
        columns["weight"] = comparisons.weights
    if comparisons.clusters is not None:
        columns["cluster"] = _cells(comparisons.cluster_labels)[comparisons.clusters]
    if comparisons.sides is not None:
        columns["side"] = comparisons.sides
    return pd.DataFrame({**columns, **comparisons.covariates})


def digest_of(comparisons: Comparisons) -> str:
    """Return the fingerprint; see `Comparisons.fingerprint`."""
    digest = sha256(b"rankagg.comparisons 1\n")
    for labels in (comparisons.items, comparisons.cluster_labels):
        digest.update(b"%d\n" % len(labels))
        for text in label_lines(labels):
            digest.update(text)
    arrays = [(name, kind, getattr(comparisons, name)) for name, kind in ARRAYS.items()]
    arrays += [
        (f"covariate {name}", "<f8", values) for name, values in comparisons.covariates.items()
    ]
    for name, kind, array in arrays:
        if array is not None:
            digest.update(f"{name} {len(array)}\n".encode("utf-8", "surrogatepass"))
            digest.update(array.astype(kind).tobytes())
    return digest.hexdigest()


def _cells(labels: Iterable[Label]) -> NDArray[np.object_]:
    """Return labels as an array of objects."""
    known = tuple(labels)
    cells = np.empty(len(known), dtype=object)
    cells[:] = known
    return cells
