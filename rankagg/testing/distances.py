"""What every distance, and every measure of agreement, promises on complete strict rankings."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import permutations
from math import isclose
from typing import Any, ClassVar, Literal

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError, ItemMismatchError

__all__ = ["DistanceContract"]

LABELS = ("D", "B", "A", "C")
ALL_ORDERS = [ra.Permutation.from_order(order, items=LABELS) for order in permutations(LABELS)]


@cache
def _table(distance: Callable[..., float]) -> np.ndarray[Any, Any]:
    return np.array([[distance(one, other) for other in ALL_ORDERS] for one in ALL_ORDERS])


class DistanceContract:
    """Tests of the axioms of distances, on all pairs of rankings of four items.

    Subclass it and set `distances`, functions of two rankings. Say with `kind` whether they are
    metrics, distances that need not satisfy the triangle inequality, or similarities, which are 1
    for equal rankings and less for others unless `separates` is False.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.distances import DistanceContract
    >>> class TestFootrule(DistanceContract):
    ...     distances = (ra.distances.spearman_footrule,)
    """

    distances: ClassVar[tuple[Callable[..., float], ...]]
    kind: ClassVar[Literal["metric", "distance", "similarity"]] = "metric"
    #: Whether different rankings are always told apart; the first k of them may be the same.
    separates: ClassVar[bool] = True

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run every test with every distance."""
        if "distance" in metafunc.fixturenames:
            metafunc.parametrize("distance", self.distances)

    def test_is_a_number(self, distance: Callable[..., float]) -> None:
        assert type(distance(ALL_ORDERS[0], ALL_ORDERS[5])) in {int, float}

    def test_is_least_for_equal_rankings(self, distance: Callable[..., float]) -> None:
        table = _table(distance)
        same = np.eye(len(ALL_ORDERS), dtype=bool)
        table = 1.0 - table if self.kind == "similarity" else table
        np.testing.assert_allclose(table[same], 0.0, atol=1e-12)
        assert (table >= -1e-12).all()
        if self.separates:
            assert (table[~same] > 1e-12).all()

    def test_is_symmetric(self, distance: Callable[..., float]) -> None:
        table = _table(distance)
        np.testing.assert_allclose(table, table.T, atol=1e-12)

    def test_satisfies_the_triangle_inequality(self, distance: Callable[..., float]) -> None:
        if self.kind == "metric":
            table = _table(distance)
            detour = (table[:, :, None] + table[None, :, :]).min(axis=1)
            assert (table <= detour + 1e-12).all()

    def test_names_do_not_matter(self, distance: Callable[..., float]) -> None:
        """Right-invariance: renaming the items changes nothing."""
        renamed: dict[Any, str] = dict(zip(LABELS, "CADB", strict=True))
        for other in ALL_ORDERS:
            first, second = (
                ra.Permutation.from_order([renamed[label] for label in one.order], items=LABELS)
                for one in (ALL_ORDERS[7], other)
            )
            assert isclose(distance(first, second), distance(ALL_ORDERS[7], other), abs_tol=1e-12)

    def test_other_items_are_refused(self, distance: Callable[..., float]) -> None:
        with pytest.raises(ItemMismatchError):
            distance(ALL_ORDERS[0], ra.Permutation.from_order("WXYZ"))

    def test_what_is_no_ranking_is_refused(self, distance: Callable[..., float]) -> None:
        with pytest.raises(InvalidInputError):
            distance(ALL_ORDERS[0], [0, 1, 2, 3])
