from fractions import Fraction
from math import lcm

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankagg.core import exact
from tests import strategies

integers = st.one_of(st.integers(-9, 9), st.integers(-(10**40), 10**40))


def held(rational):
    """Return the fractions that numerators and a denominator make."""
    return [Fraction(int(value), rational.denominator) for value in rational.numerators.ravel()]


def square(values):
    return np.array(values, dtype=object).reshape(2, 2)


# -- floats as fractions --------------------------------------------------------------------------


@given(st.lists(st.sampled_from(strategies.WEIGHTS), min_size=1))
def test_weights_are_read_as_the_fractions_that_their_author_wrote(values):
    meant = {1.0: 1, 2.0: 2, 1 / 2: Fraction(1, 2), 1 / 3: Fraction(1, 3), 0.1: Fraction(1, 10)}
    rational = exact.as_rational(np.array(values))
    assert held(rational) == [meant[value] for value in values]
    assert rational.step == 0


@given(st.lists(st.fractions(0, 1000, max_denominator=1000), min_size=1, max_size=4))
def test_simple_fractions_are_exact(fractions):
    rational = exact.as_rational(np.array([float(fraction) for fraction in fractions]))
    assert held(rational) == fractions
    assert rational.step == 0
    assert rational.denominator == lcm(*(fraction.denominator for fraction in fractions))


@pytest.mark.parametrize("value", [1e15, 2.0**53, 2.0**70, 1e300, 2.0**1023])
def test_whole_numbers_of_any_size_are_exact(value):
    rational = exact.as_rational(np.array([value, 3.0]))
    assert held(rational) == [int(value), 3]
    assert (rational.denominator, rational.step) == (1, 0)
    for small in (1 / value, 5e-324):  # which keep their size
        (tiny,) = held(exact.as_rational(np.array([small])))
        assert float(tiny / Fraction(small)) == pytest.approx(1)


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=5))
def test_anything_else_is_rounded_to_a_stated_grid(values):
    rational = exact.as_rational(np.array(values))
    error = max(
        abs(Fraction(value) - fraction)
        for value, fraction in zip(values, held(rational), strict=True)
    )
    if rational.step:
        assert error <= Fraction(rational.step) / 2
        assert rational.step == 1 / rational.denominator
        assert rational.step <= 2.0**-38 * max(values)
    else:
        assert [float(fraction) for fraction in held(rational)] == values


def test_the_limits_of_exactness_are_those_documented():
    def step(*values):
        return exact.as_rational(np.array(values)).step

    assert step(1 / 1_000_000) == 0
    assert step(1 / 1_000_001) > 0
    assert step(1 / 999_983, 1 / 999_979, 1 / 997) == 0  # a common denominator below 10**15
    assert step(1 / 999_983, 1 / 999_979, 1 / 1009) > 0
    # A grid of 2**-40 of the power of two just above the largest.
    assert step(np.pi, 0.5) == 2.0**-38
    assert step(np.pi / 8, 0.1) == 2.0**-41
    assert step(np.pi * 2.0**60, np.pi) == 1.0


def test_too_many_different_weights_are_rounded(monkeypatch):
    monkeypatch.setattr(exact, "DISTINCT_LIMIT", 4)
    assert exact.as_rational(np.array([0.1, 0.2, 0.3, 0.4] * 3)).step == 0
    assert exact.as_rational(np.array([0.1, 0.2, 0.3, 0.4, 0.5])).step > 0


# -- sums and products ----------------------------------------------------------------------------


@given(*(st.lists(integers, min_size=4, max_size=4) for _ in range(2)), integers, integers)
def test_combine_never_overflows(first, second, by_first, by_second):
    a, b = (exact.fit(square(values)) for values in (first, second))
    result = exact.combine(a, by_first, b, by_second)
    expected = [x * by_first + y * by_second for x, y in zip(first, second, strict=True)]
    assert [int(value) for value in result.ravel()] == expected


@given(st.lists(integers, min_size=4, max_size=4))
def test_fit_keeps_the_numbers_and_leaves_room_for_their_sum(values):
    fitted = exact.fit(square(values))
    assert [int(value) for value in fitted.ravel()] == values
    if fitted.dtype == np.int64:
        assert int(fitted.sum()) == sum(values)
    else:
        assert sum(map(abs, values)) * 4 >= exact.INT64_SAFE


def test_int64_ends_where_sums_and_their_doubles_would_not_fit():
    for size in (1, 4):
        last = 2**62 // size - 1
        assert exact.fit(np.full(size, last, dtype=object)).dtype == np.int64
        assert exact.fit(np.full(size, last + 1, dtype=object)).dtype == object
        assert exact.fit(np.full(size, -last, dtype=object)).dtype == np.int64


@given(
    st.lists(st.lists(integers, min_size=4, max_size=4), min_size=1, max_size=3),
    st.integers(1, 10**20),
    st.integers(1, 1000),
)
@example([[0, 0, 0, 0]], 10**20, 1)
def test_reducing_divides_by_all_that_is_common(lists, denominator, factor):
    arrays = [exact.fit(square([value * factor for value in values])) for values in lists]
    reduced, smaller = exact.reduce_by(arrays, denominator * factor)
    for values, array in zip(lists, reduced, strict=True):
        assert [Fraction(int(value), smaller) for value in array.ravel()] == [
            Fraction(value, denominator) for value in values
        ]
    fractions = [Fraction(value, denominator) for values in lists for value in values]
    assert smaller == lcm(*(fraction.denominator for fraction in fractions))


# -- votes, limbs, cells --------------------------------------------------------------------------

positive = st.one_of(st.integers(1, 9), st.integers(2**50, 2**62), st.integers(1, 10**40))


def column(values):
    return exact.fit(np.array(values, dtype=object))


@given(
    st.lists(
        st.tuples(
            st.integers(1, 2**53),
            st.one_of(
                st.sampled_from(strategies.WEIGHTS), st.floats(1e-100, 1e100), st.floats(0.5, 2)
            ),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_counts_times_weights_are_never_rounded(rows):
    counts, weights = zip(*rows, strict=True)
    votes, denominator = exact.as_votes(column(counts), np.array(weights))
    held = [Fraction(int(vote), denominator) for vote in votes]
    simple = [count * exact.as_fraction(weight) for count, weight in rows]
    binary = [count * Fraction(weight) for count, weight in rows]
    assert held in (simple, binary)
    assert exact.total(column(counts), np.array(weights)) == sum(held)


def test_weights_without_a_common_denominator_are_the_binary_numbers_that_they_are():
    weights = [1 / 999_983, 1 / 999_979, 1 / 999_961]
    votes, denominator = exact.as_votes(np.ones(3, dtype=np.int64), np.array(weights))
    assert [Fraction(int(vote), denominator) for vote in votes] == [Fraction(w) for w in weights]
    whole = np.array([2.0**60 + 2**10, np.pi * 2.0**70])
    votes, denominator = exact.as_votes(np.ones(2, dtype=np.int64), whole)
    assert (votes.tolist(), denominator) == ([2**60 + 2**10, int(whole[1])], 1)


@given(st.lists(positive, min_size=1, max_size=6), st.integers(0, 10**6))
def test_limbs_make_the_weights_and_leave_room(weights, largest):
    parts = list(exact.limbs(column(weights), largest))
    held = [sum(int(limb[row]) * scale for limb, scale in parts) for row in range(len(weights))]
    assert held == weights
    for limb, _ in parts:
        assert (limb >= 0).all()
        assert largest * sum(map(int, limb)) <= 2**53
    if largest * sum(weights) < 2**53:
        assert len(parts) == 1


def test_limbs_refuse_numbers_that_do_not_fit():
    with pytest.raises(OverflowError, match="exceed exact floats"):
        next(exact.limbs(np.ones(4, dtype=np.int64), 2**50))


@given(st.lists(st.tuples(st.integers(0, 3), positive), min_size=1, max_size=8))
def test_cells_are_counted_exactly(entries):
    cells, weights = zip(*entries, strict=True)
    counted = exact.count_cells(np.array(cells), column(weights), 5)
    assert [int(value) for value in counted] == [
        sum(weight for cell, weight in entries if cell == wanted) for wanted in range(5)
    ]


@given(*(st.lists(integers, min_size=4, max_size=4) for _ in range(2)))
def test_products_of_entries_never_overflow(first, second):
    result = exact.multiply(column(first), column(second))
    assert [int(value) for value in result] == [a * b for a, b in zip(first, second, strict=True)]
    if result.dtype == np.int64:
        assert int(result.sum()) == sum(a * b for a, b in zip(first, second, strict=True))


@given(st.fractions(min_value=0, max_value=1, max_denominator=10**12))
def test_a_float_above_is_the_nearest_one_that_is_not_below(bound):
    above = exact.float_above(bound)
    assert Fraction(above) >= bound
    assert above == float(bound) or Fraction(float(bound)) < bound
    assert above <= np.nextafter(float(bound), np.inf)


@given(st.lists(integers, min_size=1, max_size=6))
def test_a_sum_is_the_sum_of_numbers_of_any_size(numbers):
    assert exact.sum_of(column(numbers)) == sum(numbers)
    assert exact.sum_of(np.full(4, 2**62)) == 2**64
