"""Exact tests of one pair, against enumeration and SciPy."""

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from rankagg.inference import one_pair
from rankagg.inference.one_pair import (
    _binomial_p_value,
    _difference_of_proportions,
    _end_rank,
    _hodges_lehmann,
    _signed_rank_p_value,
)  # fmt: skip
from tests.inference.test_paired_test import signs_of


def flip_tests(d, weights, alpha=0.2, n_vectors=100):
    return one_pair._flip_tests(d, weights, alpha, n_vectors, np.random.default_rng(0))


DIFFERENCES = st.lists(st.integers(-4, 4), min_size=1, max_size=8)


@given(DIFFERENCES, st.integers(0, 3))
def test_sign_flip_tests_equal_those_of_all_signs(differences, seed):
    weights = np.random.default_rng(seed).integers(1, 4, len(differences)).astype(float)
    d = np.array(differences, dtype=float)
    found = flip_tests(d[:, None], weights)
    sums = np.abs(signs_of(len(d)) @ (weights * d))
    assert found.is_exact
    assert found.p_value[0] == pytest.approx((sums >= sums[0] - 1e-9).mean())
    assert found.mean[0] == pytest.approx(np.average(d, weights=weights))


@given(DIFFERENCES, st.sampled_from([0.01, 0.05, 0.2, 0.5]))
def test_the_interval_has_the_effects_that_flips_do_not_reject(differences, alpha):
    d = np.array(differences, dtype=float)
    weights = 1.0 + np.arange(len(d)) % 2
    found = flip_tests(d[:, None], weights, alpha)
    for center in np.linspace(-5, 5, 21) + 1e-5:
        moved = flip_tests(d[:, None] - center, weights, alpha)
        assert (moved.p_value[0] > alpha) == (found.lower[0] <= center <= found.upper[0])


def test_drawn_signs_count_the_observed_ones():
    found = flip_tests(np.ones((30, 1)), np.ones(30), n_vectors=500)
    assert not found.is_exact
    assert found.p_value[0] == 1 / 500


def test_tails_and_near_equal_sums_are_counted_as_by_hand():
    d = np.random.default_rng(1).normal(0.3, 1, (20, 1))
    # 0.29 times a hundred is less than 29 in floats.
    assert flip_tests(d, np.ones(20), 0.29).lower == flip_tests(d, np.ones(20), 0.2900001).lower
    # Four units of thirty say little; in two orders their weights have two sums.
    few = np.append(np.arange(1.0, 5.0), np.full(26, np.nan))[:, None]
    assert flip_tests(few, np.random.default_rng(15).random(30), 0.05, 1000).lower == -np.inf
    assert _hodges_lehmann(np.array([1.0, 2.0]), 0.7 - 0.2) == (1.5, 1.0, 2.0)
    assert _binomial_p_value(3, 1) == 2 * 5 / 16
    assert _end_rank(201, 0.1) == 8791  # as by the exact distribution


def most_likely(wins, losses, n, d):
    """Return the most likely probability of a loss, by a search."""
    rest = n - wins - losses
    low, high = max(0.0, -d), (1 - d) / 2

    def minus(q):
        parts = (wins, q + d), (losses, q), (rest, 1 - 2 * q - d)
        return -sum(k * np.log(max(p, 1e-300)) for k, p in parts if k)

    return scipy.optimize.minimize_scalar(minus, bounds=(low, high), options={"xatol": 1e-12}).x


@pytest.mark.parametrize(("wins", "losses", "n"), [(12, 2, 50), (0, 5, 20), (3, 3, 9), (1, 0, 400)])
def test_tangos_interval_inverts_the_score_test(wins, losses, n):
    for end in _difference_of_proportions(wins, losses, n, 0.05):
        q = most_likely(wins, losses, n, end)
        z = (wins - losses - n * end) / np.sqrt(n * (2 * q + end - end**2))
        assert abs(z) == pytest.approx(1.959964, abs=2e-3)


@given(DIFFERENCES)
def test_signed_rank_tests_equal_those_of_all_signs(differences):
    d = np.array(differences, dtype=float)
    p_value, is_exact, direction = _signed_rank_p_value(d)
    kept = d[d != 0]
    ranks = scipy.stats.rankdata(np.abs(kept))
    sums = signs_of(len(kept)) @ ranks if len(kept) else np.zeros(1)
    seen = (np.sign(kept) * ranks).sum()
    assert is_exact
    assert p_value == pytest.approx((np.abs(sums) >= abs(seen) - 1e-9).mean())
    assert direction == np.sign(seen)


@pytest.mark.parametrize(
    ("n", "how"), [(9, "exact"), (40, "exact"), (100, "exact"), (250, "approx")]
)
def test_signed_rank_tests_equal_scipy(n, how):
    d = np.random.default_rng(n).normal(0.2, 1, n)
    expected = scipy.stats.wilcoxon(d, method=how, correction=how == "approx").pvalue
    assert _signed_rank_p_value(d)[0] == pytest.approx(expected, rel=1e-9)


def test_equal_differences_are_tied_however_they_are_rounded():
    d = np.array([0.3 - 0.1, -(0.2 - 0.0), 0.7 - 0.5, 0.9])
    assert _signed_rank_p_value(d) == _signed_rank_p_value(np.array([0.2, -0.2, 0.2, 0.9]))


@given(DIFFERENCES, st.sampled_from([0.02, 0.05, 0.3]))
def test_the_hodges_lehmann_estimate_equals_that_by_hand(differences, alpha):
    d = np.array(differences, dtype=float)
    n = len(d)
    means = np.sort([(d[i] + d[j]) / 2 for i in range(n) for j in range(i, n)])
    center, lower, upper = _hodges_lehmann(d, alpha)
    assert center == pytest.approx(np.median(means))
    sums = np.sort((signs_of(n) > 0) @ np.arange(1, n + 1))
    cut = sum((sums <= k).mean() <= alpha / 2 for k in range(n * (n + 1) // 2))
    expected = (means[cut - 1], means[-cut]) if cut else (-np.inf, np.inf)
    assert (lower, upper) == pytest.approx(expected)


def test_quantiles_of_many_walsh_averages_need_little_memory():
    d = np.random.default_rng(0).normal(size=600).round(3)
    wide = np.concatenate([d, np.random.default_rng(1).normal(size=600)])
    i, j = np.triu_indices(len(wide))
    center, low, high = _hodges_lehmann(wide, 0.05)
    means = (wide[i] + wide[j]) / 2
    assert center == pytest.approx(np.median(means), abs=1e-12)
    assert min(np.abs(means - low).min(), np.abs(means - high).min()) < 1e-12


def test_blocks_of_pairs_are_tested_as_all_at_once(monkeypatch):
    """Numbers do not depend on how many pairs are tested at a time, with gaps or without."""
    d = np.random.default_rng(3).normal(size=(16, 11))
    d[np.random.default_rng(4).random(d.shape) < 0.2] = np.nan
    weights = np.linspace(1, 2, 16)
    whole = flip_tests(d, weights, 0.1, 500)
    monkeypatch.setattr(one_pair, "ENDS_HELD", 3 * 500)
    for found, expected in zip(flip_tests(d, weights, 0.1, 500), whole, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_means_of_two_are_the_same_by_sorting_and_by_halving(monkeypatch):
    d = np.random.default_rng(5).normal(size=30).round(1)
    sorted_ends = one_pair._hodges_lehmann(d, 0.05)
    monkeypatch.setattr(one_pair, "MEANS_HELD", 0)
    assert one_pair._hodges_lehmann(d, 0.05) == pytest.approx(sorted_ends, abs=1e-12)
