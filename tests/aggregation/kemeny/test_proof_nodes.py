"""Rows that are derived from others hold for every order."""

from itertools import permutations
from random import Random

import pytest

from rankagg.aggregation.kemeny.proof import Form, compact, forms_of
from rankagg.check_certificate import Derived, RefusedError
from tests.aggregation.kemeny.forging import N, random_rows


def used(form: Form, order: tuple[int, ...]) -> int:
    arcs = zip(form.tails, form.heads, form.counts, strict=True)
    return sum(int(count) for i, j, count in arcs if order.index(i) < order.index(j))


def test_every_order_obeys_a_derived_row() -> None:
    for seed in range(25):
        for form in forms_of(random_rows(Random(seed))):
            assert all(used(form, order) >= form.least for order in permutations(range(N)))


def test_rounding_makes_rows_that_no_sum_of_cycles_is() -> None:
    # Five cycles round a circle, each sharing an arc with the next: half of five is three.
    cycles = [tuple((at + step) % 5 for step in range(3)) for at in range(5)]
    row = Derived(tuple((1, cycle) for cycle in cycles), 2)
    (form,) = forms_of([row])
    assert form.least == 3
    assert min(used(form, order) for order in permutations(range(N))) == 3


def test_rows_that_nothing_uses_are_left_out() -> None:
    a, b, c = Derived(((1, (0, 1, 2)),)), Derived(((2, 0),), 2), Derived(((1, 1), (1, (1, 2))))
    rows, numbers = compact([a, a, b, c], [3])
    assert rows == (a, Derived(((1, 0), (1, (1, 2)))))
    assert numbers == [-1, 0, -1, 1]


def test_numbers_that_no_row_needs_are_refused() -> None:
    rows = [Derived(((2**20, (0, 1, 2)),)), Derived(((2**12, 0),))]
    with pytest.raises(RefusedError, match="counts more than"):
        forms_of(rows)
