"""Sums that are rounded once, against fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankagg.core import exact_sum

near = st.floats(-1e3, 1e3)
far = st.floats(-1e300, 1e300)
tiny = st.floats(-1e-300, 1e-300)
numbers = st.one_of(near, far, tiny, st.sampled_from([0.1, -0.1, 1e16, -1e16, 1.0, 5e-324]))


def rounded(values) -> float:
    return float(sum((Fraction(value) for value in values), Fraction(0)))


@given(values=st.lists(st.tuples(numbers, st.integers(0, 3)), min_size=1, max_size=20),
       rows=st.integers(1, 3), block=st.sampled_from([1, 7, 10_000]))  # fmt: skip
def test_groups_are_summed_apart_in_any_order_and_block(values, rows, block) -> None:
    cells = np.array([[v * (row + 1) for v, _ in values] for row in range(rows)])
    known, groups = np.unique([group for _, group in values], return_inverse=True)
    expected = [[rounded(row[groups == group]) for group in range(len(known))] for row in cells]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_sum, "CELLS_AT_ONCE", block)
        before = cells.copy()
        assert exact_sum.sum_by_group(cells, groups, len(known)).tolist() == expected
        assert np.array_equal(cells, before)


def test_many_numbers_are_summed_exactly() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(3, 20_001)) * 10.0 ** rng.integers(-8, 8, size=(3, 20_001))
    assert exact_sum.sum_rows(values).tolist() == [rounded(row) for row in values.tolist()]


def test_cancelled_terms_leave_the_exact_rest() -> None:
    values = [1e300, 1.0, 1e-20, -1e300, 5e-324, -1.0]
    assert exact_sum.sum_rows(np.array([values])).tolist() == [1e-20]
    assert exact_sum.sum_rows(np.array([[5e-324] * 3])).tolist() == [1.5e-323]
    assert exact_sum.sum_rows(np.zeros((1, 3))).tolist() == [0.0]
    for sign in (1.0, -1.0):  # the last one breaks the tie between two floats
        values = [1.0, 2.0**-53, sign * 2.0**-120]
        assert exact_sum.sum_rows(np.array([values])).tolist() == [rounded(values)]


@pytest.mark.parametrize("count", [5, 6, 13, 14, 29, 30])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_rest_of_many_numbers_is_summed_exactly(count: int, sign: int) -> None:
    # After 0.75, each is as large as what a cut can leave, and has digits far below.
    extra = (count + 3).bit_length()
    for digits in (49, 50, 51):
        left = 2.0 ** (extra - 53) - 2.0 ** (extra - 53 - digits)
        values = [0.75, -0.75, *[sign * left] * count]
        assert exact_sum.sum_rows(np.array([values])).tolist() == [rounded(values)]


@pytest.mark.filterwarnings("error")
def test_means_of_the_largest_floats_are_floats() -> None:
    largest = np.finfo(float).max
    values = np.array([[largest, largest, largest], [largest, -largest, largest / 2]])
    groups, every = np.zeros(3, dtype=np.int64), np.ones((2, 3), dtype=bool)
    means = exact_sum.mean_by_group(values, every, groups, 1)[:, 0]
    assert means.tolist() == exact_sum.weighted_mean(values, np.full((2, 3), 0.7)).tolist()
    assert means[0] == largest
    assert means[1] == pytest.approx(largest / 6)
    assert exact_sum.sum_rows(values).tolist() == [np.inf, largest / 2]
    # Sums beyond all floats, also with weights of a half, and a mean that is none of the values.
    beyond = np.array([[largest] * 6 + [-largest] * 2])
    every, equal = np.ones((1, 8), dtype=bool), np.ones((1, 8))
    together = np.zeros(8, dtype=np.int64)
    assert exact_sum.mean_by_group(beyond, every, together, 1).tolist() == [[largest / 2]]
    assert exact_sum.weighted_mean(beyond, equal).tolist() == [largest / 2]


@given(data=st.data(), n=st.integers(1, 6))
def test_means_leave_out_missing_values(data: st.DataObject, n: int) -> None:
    values = data.draw(st.lists(near, min_size=n, max_size=n))
    present = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    groups = np.sort(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    n_groups = len(np.unique(groups))
    groups = np.unique(groups, return_inverse=True)[1]
    means = exact_sum.mean_by_group(np.array([values]), np.array([present]), groups, n_groups)[0]
    for group in range(n_groups):
        kept = [v for v, p, g in zip(values, present, groups, strict=True) if p and g == group]
        if kept:
            assert means[group] == rounded(kept) / len(kept)
        else:
            assert np.isnan(means[group])


@given(pairs=st.lists(st.tuples(near, st.floats(1e-9, 1e9)), min_size=1, max_size=8))
def test_weighted_means_are_near_the_true_ones(pairs: list[tuple[float, float]]) -> None:
    values, weights = (np.array([column]) for column in zip(*pairs, strict=True))
    (mean,) = exact_sum.weighted_mean(values, weights)
    true = sum(Fraction(v) * Fraction(w) for v, w in pairs) / sum(Fraction(w) for _, w in pairs)
    size = sum(abs(Fraction(v)) * Fraction(w) for v, w in pairs) / sum(
        Fraction(w) for _, w in pairs
    )
    assert abs(Fraction(mean) - true) <= Fraction(2) ** -51 * size
    turned = exact_sum.weighted_mean(values[:, ::-1].copy(), weights[:, ::-1].copy())
    assert turned.tolist() == [mean]
    assert exact_sum.weighted_mean(values, weights * 2.0**-900).tolist() == [mean]


def test_a_mean_of_equal_numbers_is_that_number() -> None:
    # Products and sums alone come to 0.20000000000000004.
    values, weights = np.full((1, 3), 0.2), np.array([[0.1, 0.1, 0.2]])
    assert exact_sum.weighted_mean(values, weights).tolist() == [0.2]
    assert exact_sum.are_level(np.array([0.3, 0.1 + 0.2]))
    assert not exact_sum.are_level(np.array([0.3, 0.3 + 1e-12]))
