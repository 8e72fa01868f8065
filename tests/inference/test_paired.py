"""Tests of two systems, against enumeration, SciPy and statsmodels."""

from itertools import product

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.inference.one_pair import (
    difference_of_proportions,
    flip_tests,
    hodges_lehmann,
    signed_rank_p_value,
)

DIFFERENCES = st.lists(st.integers(-4, 4), min_size=1, max_size=8)


def table(first, second, **more):
    return ra.ScoreTable([first, second], systems="AB", higher_is_better=True, **more)


def signs_of(n):
    return np.array(list(product([1, -1], repeat=n)))


# -- sign flips -----------------------------------------------------------------------------------


@given(DIFFERENCES, st.integers(0, 3))
def test_flips_against_all_signs(differences, seed):
    weights = np.random.default_rng(seed).integers(1, 4, len(differences)).astype(float)
    d = np.array(differences, dtype=float)
    found = flip_tests(d[:, None], weights, 0.2, 100, np.random.default_rng(0))
    sums = np.abs(signs_of(len(d)) @ (weights * d))
    assert found.is_exact
    assert found.p_value[0] == pytest.approx((sums >= sums[0] - 1e-9).mean())
    assert found.mean[0] == pytest.approx(np.average(d, weights=weights))


@given(DIFFERENCES, st.sampled_from([0.01, 0.05, 0.2, 0.5]))
def test_the_interval_holds_what_flips_do_not_reject(differences, alpha):
    d = np.array(differences, dtype=float)
    weights = 1.0 + np.arange(len(d)) % 2
    found = flip_tests(d[:, None], weights, alpha, 100, np.random.default_rng(0))
    for center in np.linspace(-5, 5, 101) + 1e-5:
        moved = flip_tests(d[:, None] - center, weights, alpha, 100, np.random.default_rng(0))
        assert (moved.p_value[0] > alpha) == (found.lower[0] <= center <= found.upper[0])


def test_drawn_signs_count_the_observed_ones():
    d = np.ones((30, 1))
    found = flip_tests(d, np.ones(30), 0.05, 500, np.random.default_rng(0))
    assert not found.is_exact
    assert found.p_value[0] == 1 / 500


def test_drawn_signs_come_near_all_signs():
    d = np.random.default_rng(3).normal(0.4, 1, size=(12, 5))
    d[0, 1] = np.nan
    exact = flip_tests(d, np.ones(12), 0.1, 100, np.random.default_rng(0))
    padded = np.concatenate([d, np.full((40, 5), np.nan)])  # tells nothing, but has too many signs
    drawn = flip_tests(padded, np.ones(52), 0.1, 20_000, np.random.default_rng(0))
    assert exact.is_exact
    assert not drawn.is_exact
    np.testing.assert_allclose(drawn.p_value, exact.p_value, atol=0.02)
    np.testing.assert_allclose(drawn.lower, exact.lower, atol=0.1)
    np.testing.assert_allclose(drawn.upper, exact.upper, atol=0.1)


def test_flips_turn_whole_clusters():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(2, 30))
    tasks = np.repeat(range(6), 5).tolist()
    scores = table(*values, tasks=tasks, instances=list(range(5)) * 6)
    found = ra.paired_test(scores, "A", "B", unit="task")
    d = (values[0] - values[1]).reshape(6, 5).mean(axis=1)
    sums = np.abs(signs_of(6) @ d)
    assert (found.n_units, found.word, found.is_exact) == (6, "task", True)
    assert found.p_value == pytest.approx((sums >= sums[0] - 1e-12).mean())
    assert found.effect == pytest.approx(d.mean())


def test_runs_of_a_question_are_one_unit_where_they_are_named():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(2, 12))
    scores = table(
        *values, tasks=["qa"] * 12, instances=[f"{q}/{r}" for q in "abcd" for r in "123"]
    )
    found = ra.paired_test(scores, "A", "B", unit="instance", instances=list("aaabbbcccddd"))
    assert found.n_units == 4
    assert found.effect == pytest.approx((values[0] - values[1]).mean())


# -- McNemar and signs ----------------------------------------------------------------------------


def answers(both, wins, losses, neither):
    first = [1] * both + [1] * wins + [0] * losses + [0] * neither
    second = [1] * both + [0] * wins + [1] * losses + [0] * neither
    return table(first, second)


@pytest.mark.parametrize(
    "counts", [(3, 7, 1, 2), (0, 0, 0, 4), (5, 2, 9, 0), (1, 4, 4, 1), (0, 1, 0, 0)]
)
def test_mcnemar_against_statsmodels(counts):
    both, wins, losses, neither = counts
    found = ra.paired_test(answers(*counts), "A", "B")
    assert found.method == "mcnemar"
    n, k = wins + losses, min(wins, losses)
    if n:
        expected = mcnemar([[both, wins], [losses, neither]], exact=True).pvalue
        assert found.p_value == pytest.approx(expected)
        half = ra.paired_test(answers(*counts), "A", "B", midp=True)
        mid = 2 * (scipy.stats.binom.cdf(k - 1, n, 0.5) + scipy.stats.binom.pmf(k, n, 0.5) / 2)
        assert half.p_value == pytest.approx(min(mid, 1.0))
        assert not half.is_exact
    else:
        assert found.p_value == 1.0
    assert found.effect == pytest.approx((wins - losses) / sum(counts))
    assert found.lower <= found.effect <= found.upper


def most_likely(wins, losses, n, d):
    """Return the most likely probability of a loss, by a search."""
    rest = n - wins - losses
    low, high = max(0.0, -d), (1 - d) / 2

    def minus(q):
        parts = (wins, q + d), (losses, q), (rest, 1 - 2 * q - d)
        return -sum(k * np.log(max(p, 1e-300)) for k, p in parts if k)

    return scipy.optimize.minimize_scalar(minus, bounds=(low, high), options={"xatol": 1e-12}).x


@pytest.mark.parametrize(("wins", "losses", "n"), [(12, 2, 50), (0, 5, 20), (3, 3, 9), (1, 0, 400)])
def test_tangos_interval_ends_where_the_score_test_does(wins, losses, n):
    for end in difference_of_proportions(wins, losses, n, 0.05):
        q = most_likely(wins, losses, n, end)
        z = (wins - losses - n * end) / np.sqrt(n * (2 * q + end - end**2))
        assert abs(z) == pytest.approx(1.959964, abs=2e-3)


def test_tangos_interval_at_its_ends():
    for n in (1, 5, 40):
        assert difference_of_proportions(n, 0, n, 0.05)[1] == 1.0
        assert difference_of_proportions(0, n, n, 0.05)[0] == -1.0
        low, high = difference_of_proportions(0, 0, n, 0.05)
        assert low == -high < 0
    assert difference_of_proportions(0, 0, 0, 0.05) == (-1.0, 1.0)


@pytest.mark.parametrize("seed", range(3))
def test_signs_against_scipy(seed):
    values = np.random.default_rng(seed).integers(0, 3, size=(2, 15))
    found = ra.paired_test(table(*values), "A", "B", method="sign")
    wins, losses = (values[0] > values[1]).sum(), (values[0] < values[1]).sum()
    expected = scipy.stats.binomtest(int(wins), int(wins + losses))
    assert found.p_value == pytest.approx(expected.pvalue)
    interval = expected.proportion_ci(0.95)
    assert (found.lower, found.upper) == pytest.approx((interval.low, interval.high))
    assert (found.wins, found.ties, found.losses) == (wins, 15 - wins - losses, losses)


# -- signed ranks ---------------------------------------------------------------------------------


@given(DIFFERENCES)
def test_signed_ranks_against_all_signs(differences):
    d = np.array(differences, dtype=float)
    p_value, is_exact, direction = signed_rank_p_value(d)
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
def test_signed_ranks_against_scipy(n, how):
    d = np.random.default_rng(n).normal(0.2, 1, n)
    expected = scipy.stats.wilcoxon(d, method=how, correction=how == "approx").pvalue
    assert signed_rank_p_value(d)[0] == pytest.approx(expected, rel=1e-9)


def test_equal_differences_are_tied_however_they_are_rounded():
    d = np.array([0.3 - 0.1, -(0.2 - 0.0), 0.7 - 0.5, 0.9])
    assert signed_rank_p_value(d) == signed_rank_p_value(np.array([0.2, -0.2, 0.2, 0.9]))


@given(DIFFERENCES, st.sampled_from([0.02, 0.05, 0.3]))
def test_hodges_lehmann_by_hand(differences, alpha):
    d = np.array(differences, dtype=float)
    n = len(d)
    means = np.sort([(d[i] + d[j]) / 2 for i in range(n) for j in range(i, n)])
    center, lower, upper = hodges_lehmann(d, alpha)
    assert center == pytest.approx(np.median(means))
    sums = np.sort((signs_of(n) > 0) @ np.arange(1, n + 1))
    cut = sum((sums <= k).mean() <= alpha / 2 for k in range(n * (n + 1) // 2))
    expected = (means[cut - 1], means[-cut]) if cut else (-np.inf, np.inf)
    assert (lower, upper) == pytest.approx(expected)


def test_many_means_of_two_are_found_without_holding_them():
    d = np.random.default_rng(0).normal(size=1200).round(3)
    wide = np.concatenate([d, np.random.default_rng(1).normal(size=1200)])
    i, j = np.triu_indices(len(wide))
    center, low, high = hodges_lehmann(wide, 0.05)
    means = (wide[i] + wide[j]) / 2
    assert center == pytest.approx(np.median(means), abs=1e-12)
    assert min(np.abs(means - low).min(), np.abs(means - high).min()) < 1e-12


# -- all pairs against one ------------------------------------------------------------------------


def test_tests_against_one_are_those_of_each_pair():
    values = np.random.default_rng(0).normal(size=(5, 20)) + np.arange(5)[:, None]
    values[2, :4] = np.nan
    scores = ra.ScoreTable(values, systems="ABCDE", higher_is_better=True)
    for method in ("sign-flip", "wilcoxon", "sign"):
        found = ra.paired_tests(scores, "C", method=method)
        for test in found.tests:
            alone = ra.paired_test(scores, test.first, "C", method=method)
            seen = [(t.effect, t.lower, t.upper, t.p_value) for t in (test, alone)]
            assert seen[0] == pytest.approx(seen[1], abs=1e-12)
            assert (test.wins, test.losses, test.notes) == (alone.wins, alone.losses, alone.notes)
        p_values = [test.p_value for test in found.tests]
        np.testing.assert_allclose(found.adjusted, multipletests(p_values, method="holm")[1])
        assert set(found.better) | set(found.worse) | set(found.undecided) == set("ABDE")
        assert "E" in found.better
        assert any("left out" in note for note in found.notes)


def test_where_lower_is_better_the_effect_turns():
    values = np.random.default_rng(0).normal(size=(2, 9))
    up, down = (ra.ScoreTable(values, systems="AB", higher_is_better=h) for h in (True, False))
    one, other = (ra.paired_test(t, "A", "B") for t in (up, down))
    assert one.effect == -other.effect
    assert (one.lower, one.upper) == (-other.upper, -other.lower)
    assert one.p_value == other.p_value


def test_systems_that_share_nothing():
    scores = table([1.0, 2.0, np.nan, np.nan], [np.nan, np.nan, 3.0, 4.0])
    for method in ("sign-flip", "wilcoxon", "sign"):
        found = ra.paired_test(scores, "A", "B", method=method)
        assert np.isnan(found.effect)
        assert found.p_value == 1.0
        assert found.n_units == 0
        assert "never compared" in str(found)
        assert found.lower == (0.0 if method == "sign" else -np.inf)


@pytest.mark.parametrize("method", ["mcnemar", "sign-flip", "wilcoxon", "sign"])
@pytest.mark.parametrize("columns", [1, 2, 30])
def test_identical_systems(method, columns):
    found = ra.paired_test(table([1] * columns, [1] * columns), "A", "B", method=method)
    assert found.p_value == 1.0
    assert found.ties == columns
    assert found.direction == 0
    if method != "sign":
        assert found.effect == 0.0
        assert found.lower <= 0 <= found.upper
        assert ("no width" in str(found)) == (found.lower == found.upper)


def test_differences_that_are_no_floats_are_refused():
    with pytest.raises(InvalidInputError, match="Divide all scores"):
        ra.paired_test(table([1.7e308, 1], [-1.7e308, 0]), "A", "B")


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_scale_changes_no_test(scale):
    values = np.random.default_rng(0).normal(size=(2, 9))
    for method in ("sign-flip", "wilcoxon", "sign"):
        one, other = (
            ra.paired_test(table(*(values * by)), "A", "B", method=method) for by in (1, scale)
        )
        assert one.p_value == other.p_value
    found, usual = (ra.separation(table(*(values * by))).needed[0] for by in (scale, 1))
    assert found == usual


def test_too_few_units_say_so():
    few = ra.paired_test(table([1.5, 2, 3], [0.0, 0, 0]), "A", "B")
    assert (few.lower, few.upper) == (-np.inf, np.inf)
    assert "at least 6 are needed" in str(few)
    many = ra.ScoreTable(np.random.default_rng(0).normal(size=(100, 8)), higher_is_better=True)
    assert "never rejects" in str(ra.paired_tests(many, 0))


@pytest.mark.parametrize(
    ("words", "options", "said"),
    [
        (("A", "A"), {}, "another system than the first"),
        (("A", "C"), {}, "one of the 2 items"),
        (("A", "B"), {"method": "mcnemar"}, "unless all scores are 0 or 1"),
        (("A", "B"), {"method": "t"}, "'mcnemar' or 'sign-flip'"),
        (("A", "B"), {"midp": True}, "midp"),
        (("A", "B"), {"unit": "instance"}, "no instances"),
        (("A", "B"), {"n_resamples": 10}, "n_resamples"),
    ],
)
def test_bad_input_is_named(words, options, said):
    with pytest.raises(InvalidInputError, match=said):
        ra.paired_test(table([1.5, 2], [3, 4]), *words, **options)


def test_weights_are_for_sign_flips():
    scores = table([1, 0, 1], [0, 0, 1], task_weights={0: 2.0})
    assert ra.paired_test(scores, "A", "B").method == "sign-flip"
    assert ra.paired_test(scores, "A", "B").effect == pytest.approx(0.5)
    with pytest.raises(InvalidInputError, match="with_task_weights"):
        ra.paired_test(scores, "A", "B", method="mcnemar")
    with pytest.raises(InvalidInputError, match="a ScoreTable"):
        ra.paired_tests(scores.rankings(), "A")
