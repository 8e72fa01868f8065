"""What comparisons are kept as: arrays with an entry for each, and their counts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Integers, Label
from rankagg.core.arithmetic import exact
from rankagg.core.items import ItemSet, counted
from rankagg.core.value import Value, array_key, frozen_array
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["ComparisonRows"]

#: Counts of all pairs are dense: 2 GiB for one matrix.
MOST_ITEMS = 2**14

Codes = NDArray[np.intp]
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
