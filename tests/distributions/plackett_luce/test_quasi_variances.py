"""Quasi variances against the errors of all differences."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.distributions import quasi_variances
from rankagg.exceptions import InvalidInputError


def difference_variances(covariance):
    return np.array([
        covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
        for i, j in combinations(range(len(covariance)), 2)
    ])  # fmt: skip


def sums(variances):
    return np.array([a + b for a, b in combinations(variances, 2)])


@given(
    variances=st.lists(st.floats(0.05, 5), min_size=3, max_size=7), constant=st.floats(-0.02, 10)
)
def test_exact_for_a_diagonal_plus_a_constant(variances, constant):
    found = quasi_variances(np.diag(variances) + constant)
    assert found.variances == pytest.approx(variances, rel=1e-5)
    assert found.standard_errors == pytest.approx(np.sqrt(variances), rel=1e-5)
    assert found.worst_error < 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_no_other_numbers_are_closer(seed):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((5, 12))
    covariance = root @ root.T
    found = quasi_variances(covariance)
    target = difference_variances(covariance)

    def loss(q):
        return (np.log(sums(q) / target) ** 2).sum()

    least = loss(found.variances)
    for size in (1e-3, 1e-2, 0.1):
        for _ in range(20):
            other = found.variances + size * rng.standard_normal(5)
            if (sums(other) > 0).all():
                assert loss(other) >= least


def test_a_negative_quasi_variance_has_no_standard_error():
    # B and C differ far more from each other than each does from A.
    found = quasi_variances(np.array([[0.0, 0.0, 0.0], [0.0, 1.0, -0.9], [0.0, -0.9, 1.0]]))
    assert found.variances == pytest.approx([-0.9, 1.9, 1.9], rel=1e-6)
    assert np.isnan(found.standard_errors[0])
    assert found.standard_errors[1:] == pytest.approx(np.sqrt([1.9, 1.9]), rel=1e-6)
    assert found.worst_error < 1e-6


def test_a_start_outside_of_the_possible_is_replaced():
    # Least squares would give two small items a negative sum.
    root = np.diag([0.01, 0.01, 3.0, 3.0, 3.0])
    mixed = root @ root.T
    mixed[2, 3] = mixed[3, 2] = -8.0
    found = quasi_variances(mixed)
    assert (sums(found.variances) > 0).all()
    ratios = np.sqrt(sums(found.variances) / difference_variances(mixed))
    assert found.worst_error == pytest.approx(np.abs(ratios - 1).max(), rel=1e-9)


@pytest.mark.parametrize("n", [1, 2])
def test_two_items_have_one_difference_only(n):
    with pytest.raises(InvalidInputError, match=rf"three or more items. Got {n} item"):
        quasi_variances(np.eye(n))
    fit = ra.PlackettLuce.fit(ra.Profile.from_orders(["AB", "BA"]))
    with pytest.raises(InvalidInputError, match="one difference"):
        fit.comparison_intervals()


def test_those_of_a_fit_are_of_its_covariance():
    fit = ra.PlackettLuce.fit(ra.PlackettLuce([1.0, 0, -0.5, 0.3]).sample(50, rng=0))
    found, order = fit.quasi_variances(), np.argsort(-fit.estimates)
    assert list(found.to_frame().index) == order.tolist()
    assert list(found.to_frame().index) == list(fit.comparison_intervals().index)
    assert found.to_dict()["items"][0]["item"] == order[0]
    assert found.variances == pytest.approx(quasi_variances(fit.covariance).variances)
    ratios = np.sqrt(sums(found.variances) / difference_variances(fit.covariance))
    assert np.abs(ratios - 1).max() == pytest.approx(found.worst_error)
    assert found.worst_error < 0.05


@pytest.mark.parametrize("unit", [1e-300, 1e-5, 1e5, 1e300])
def test_the_unit_plays_no_part(unit):
    root = np.random.default_rng(0).standard_normal((5, 20))
    plain, scaled = quasi_variances(root @ root.T), quasi_variances(root @ root.T * unit)
    assert scaled.variances / unit == pytest.approx(plain.variances, rel=1e-6)
    assert scaled.worst_error == pytest.approx(plain.worst_error, rel=1e-6)


@pytest.mark.parametrize(
    ("covariance", "words"),
    [
        (np.zeros((3, 3)), "a positive variance of every difference. Got 0 for items 0 and 1"),
        (np.full((3, 3), np.nan), "finite, with a positive variance"),
        (np.diag([1.0, np.inf, 1.0]), "finite, with a positive variance"),
        (np.diag([1.0, 1.0, -1.0]), "for items 0 and 2"),
        (np.ones((3, 4)), "square"),
    ],
)
def test_what_is_no_covariance_is_refused(covariance, words):
    with pytest.raises(InvalidInputError, match=words):
        quasi_variances(covariance)


def test_items_are_named():
    spread = np.diag([1.0, 2.0, 3.0])
    frame = pd.DataFrame(spread, index=list("ABC"), columns=list("ABC"))
    assert list(quasi_variances(frame).to_frame().index) == ["A", "B", "C"]
    assert list(quasi_variances(spread, items="XYZ").items) == ["X", "Y", "Z"]
    assert list(quasi_variances(spread).items) == [0, 1, 2]
    with pytest.raises(InvalidInputError, match="`items` must be 3 labels"):
        quasi_variances(spread, items="XY")
    spread[0, 1] = spread[1, 0] = 1.5
    with pytest.raises(InvalidInputError, match="Got 0 for items 'A' and 'B'"):
        quasi_variances(spread, items="ABC")
