"""Radii against their formulas and their guarantees."""

from math import comb, inf, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankagg import hoeffding_radius
from rankagg.exceptions import InvalidInputError
from rankagg.inference import comparisons_needed
from rankagg.inference.pair_bounds import (
    _anytime_alpha,
    radius_of_shares,
)
from rankagg.inference.pairwise import _hoeffding_p_value

deltas = st.floats(1e-9, 0.999)
sizes = st.integers(1, 10**6)


# -- Hoeffding ------------------------------------------------------------------------------------


@given(sizes, deltas, st.sampled_from([1, 2]))
def test_a_radius_is_that_of_the_formula(z, alpha, sides):
    expected = sqrt(log(sides / alpha) / (2 * z))
    assert radius_of_shares(1 / z, alpha, sides) == pytest.approx(expected, rel=1e-12)
    if expected <= 1:
        assert hoeffding_radius(z, alpha, sides) == pytest.approx(expected, rel=1e-12)
    else:
        with pytest.raises(InvalidInputError, match="radius of at most 1"):
            hoeffding_radius(z, alpha, sides)


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 9)), min_size=1, max_size=6))
def test_a_mean_of_means_weighs_each_value_by_its_share(tasks):
    total = sum(weight for _, weight in tasks)
    shares = [weight / total / n for n, weight in tasks for _ in range(n)]
    radius = sqrt(log(2 / 0.9) / 2 * sum(share**2 for share in shares))
    sizes, weights = np.transpose(tasks)
    assert hoeffding_radius(sizes, 0.9, weights=weights / total) == pytest.approx(radius)
    assert hoeffding_radius(1, 0.9, weights=shares) == pytest.approx(radius)


@pytest.mark.parametrize(
    ("n", "weights", "message"),
    [
        (0.01, None, "`n` must be numbers of values, at least 1. Got 0.01"),
        ([3, 0], None, "`n` .* Got 0"),
        (float("nan"), None, "`n`"),
        (10, [0.5, 0.6], "`weights` must be numbers of at least 0 that sum to 1"),
        (10, [1.5, -0.5], "`weights`"),
        (10, [0.5, float("nan")], "`weights`"),
        ([9, 1], None, r"`n` must be large enough .* \(it would be 1.36\)"),
    ],
)
def test_bad_weights_and_sizes_are_refused(n, weights, message):
    with pytest.raises(InvalidInputError, match=message):
        hoeffding_radius(n, 0.05, weights=weights)


# -- p-values -------------------------------------------------------------------------------------


@given(sizes, deltas)
def test_a_p_value_is_delta_where_the_bound_is_one_half(z, alpha):
    mean = 0.5 + float(radius_of_shares(1 / z, alpha, sides=1))
    assert _hoeffding_p_value(mean, 1 / z) == pytest.approx(alpha, rel=1e-6)


# -- all sample sizes -----------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.5])
def test_levels_over_all_sample_sizes_sum_to_alpha(alpha):
    spent = _anytime_alpha(alpha, np.arange(1, 10**6 + 1)).sum()
    assert spent <= alpha
    assert spent + 6 * alpha / pi**2 / 10**6 == pytest.approx(alpha, rel=1e-9)


# -- how many comparisons -------------------------------------------------------------------------


@given(st.floats(0.01, 0.5), st.floats(1e-6, 0.9), st.integers(2, 50))
def test_the_needed_number_is_the_least_that_reaches_the_margin(margin, alpha, n_items):
    needed = comparisons_needed(margin, alpha, n_items=n_items)
    level = alpha / comb(n_items, 2)
    slack = 1 + 1e-12
    assert radius_of_shares(1 / needed, level) <= margin * slack
    if needed > 1:
        assert radius_of_shares(1 / (needed - 1), level) * slack > margin


@pytest.mark.parametrize(
    ("margin", "alpha", "n_items", "needed"),
    [(0.1, 0.05, 2, 185), (0.1, 0.05, 20, 447), (0.5, 0.05, 2, 8), (0.5, 0.9, 2, 2)],
)
def test_known_numbers_of_comparisons(margin, alpha, n_items, needed):
    found = comparisons_needed(margin, alpha, n_items=n_items)
    assert found == needed
    assert type(found) is int


# -- errors ---------------------------------------------------------------------------------------

NO_PROBABILITIES = [0, 1, -0.05, 1.5, float("nan"), inf, True, "0.05", None]


@pytest.mark.parametrize(
    ("call", "wrong", "words"),
    [
        (lambda bad: comparisons_needed(0.1, bad), NO_PROBABILITIES, "`alpha` must be a number in"),
        (lambda bad: hoeffding_radius(10, bad), [1.5], "alpha"),
        (lambda bad: hoeffding_radius(10, 0.05, bad), [0, 3, 1.5, "2"], "`sides` must be an int"),
        (lambda bad: comparisons_needed(bad, 0.05), [0, -0.1, 0.51, float("nan"), "0.1"],
         "`margin` must be a number in"),
        (lambda bad: comparisons_needed(0.1, 0.05, n_items=bad), [1, 0, 2.5],
         "`n_items` must be an integer of at least 2"),
    ],
)  # fmt: skip
def test_bad_parameters_are_refused(call, wrong, words):
    for bad in wrong:
        with pytest.raises(InvalidInputError, match=words):
            call(bad)
