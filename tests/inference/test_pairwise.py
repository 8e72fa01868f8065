"""Intervals of all pairs: bounds, inconsistent options, and output."""

from itertools import permutations
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankagg as ra
from rankagg import PairwiseIntervals, hoeffding_radius
from rankagg.exceptions import InvalidInputError
from rankagg.inference.pair_bounds import _anytime_alpha
from rankagg.inference.pairwise import _hoeffding_p_value
from tests import strategies

NAN = float("nan")
from_data = PairwiseIntervals.from_data

BINOMIAL = ("wilson", "clopper-pearson")
EXACT = ("hoeffding", *BINOMIAL)
RESAMPLING = ("percentile",)
METHODS = (*EXACT, *RESAMPLING)
ALTERNATIVES = ("two-sided", "greater", "less")

THREE = ra.Profile.from_orders(
    ["ABC", "ACB", "BAC", "BCA", "CAB", "CBA"], counts=[15, 9, 6, 4, 3, 3]
)
SPARSE = ra.Profile.from_orders(["AB", "BA", "ABC", "C"], items="ABCD", counts=[3, 2, 2, 1])
TIED = ra.Profile(
    [ra.PartialRanking([0, 0, 2], "ABC"), ra.PartialRanking([0, 1, 2], "ABC")], counts=[2, 5]
)
GROUPED = ra.Profile.from_orders(
    ["AB", "BA", "AB", "BA"], counts=[6, 2, 3, 9], groups="xxyy", weights=[1, 1, 3, 3]
)
ALL_MISSING = ra.Profile([ra.PartialRanking([-1, -1, -1], "ABC")], counts=[4])

strict = strategies.profiles(ties=False, weights=st.just(1.0), min_size=2)


def upper(matrix):
    """Return the entries of the pairs, first item before second."""
    return matrix[np.triu_indices(len(matrix), k=1)]


def without_few(intervals):
    """Return the notes but for that on too few units."""
    return tuple(note for note in intervals.notes if "were measured" not in note)


def options_of(method):
    return {"rng": 1, "n_resamples": 400} if method in RESAMPLING else {}


# -- estimates ------------------------------------------------------------------------------------


@given(strategies.profiles(groups=True))
def test_estimates_are_the_proportions_of_the_votes(profile):
    found = from_data(profile)
    proportion = profile.with_unranked("ignore").pairwise().proportion
    np.testing.assert_allclose(upper(found.estimate), upper(proportion), atol=1e-12)
    without = np.argwhere(np.isnan(np.triu(proportion, k=1))).tolist()
    assert found.never_compared == tuple(tuple(profile.items[k] for k in p) for p in without)


# -- common properties ----------------------------------------------------------------------------


def check_shape(intervals):
    """Check what holds for every result."""
    estimate, lower, high = intervals.estimate, intervals.lower, intervals.upper
    np.testing.assert_allclose(estimate + estimate.T, np.where(np.isnan(estimate), NAN, 1))
    assert (upper(lower.T) == 1 - upper(high)).all()
    assert (upper(high.T) == 1 - upper(lower)).all()
    assert (lower >= 0).all()
    assert (high <= 1).all()
    compared = ~np.isnan(estimate)
    slack = 1e-9
    assert (lower[compared] <= estimate[compared] + slack).all()
    assert (estimate[compared] <= high[compared] + slack).all()
    assert (intervals.n_units == intervals.n_units.T).all()
    for matrix in (estimate, lower, high):
        assert np.diag(matrix).tolist() == [0.5] * len(matrix)


@given(strict, st.sampled_from(EXACT), st.sampled_from(ALTERNATIVES), st.floats(0.001, 0.3))
def test_rows_and_columns_swap(profile, method, alternative, alpha):
    check_shape(from_data(profile, method=method, alternative=alternative, alpha=alpha))


# -- each method ----------------------------------------------------------------------------------


def test_hoeffding_is_the_estimate_and_its_radius():
    intervals = from_data(THREE, alpha=0.1)
    radius = sqrt(log(20) / (2 * 40))
    estimate = np.array([27, 30, 25]) / 40
    assert upper(intervals.estimate) == pytest.approx(estimate)
    assert upper(intervals.lower) == pytest.approx(estimate - radius)
    assert upper(intervals.upper) == pytest.approx(np.minimum(estimate + radius, 1))
    assert upper(intervals.shares) == pytest.approx(1 / 40)
    assert upper(intervals.n_units).tolist() == [40, 40, 40]


def test_hoeffding_takes_weights_and_fixed_tasks():
    weighted = from_data(GROUPED)
    radius = hoeffding_radius((8 + 12 * 3) ** 2 / (8 + 12 * 9), 0.05)
    assert weighted.estimate[0, 1] == pytest.approx((6 + 9) / 44)
    assert weighted.upper[0, 1] == pytest.approx(15 / 44 + radius)
    fixed = from_data(GROUPED, fixed_tasks=True)
    mean = 1 / 4 * 6 / 8 + 3 / 4 * 3 / 12
    radius = hoeffding_radius([8, 12], 0.05, weights=[1 / 4, 3 / 4])
    assert fixed.fixed_tasks
    assert fixed.estimate[0, 1] == pytest.approx(mean)
    assert fixed.upper[0, 1] == pytest.approx(mean + radius)
    assert fixed.n_units[0, 1] == 20


@given(strict, st.sampled_from(BINOMIAL), st.floats(0.001, 0.4))
def test_binomial_intervals_are_those_of_scipy(profile, method, alpha):
    intervals, votes = (
        from_data(profile, method=method, alpha=alpha),
        profile.with_unranked("ignore").pairwise(),
    )
    named = "exact" if method == "clopper-pearson" else method
    for i, j in zip(*np.triu_indices(profile.n_items, k=1), strict=True):
        n, wins, expected = int(votes.comparisons[i, j]), int(votes.wins[i, j]), (0, 1)
        if n:
            exact = stats.binomtest(wins, n).proportion_ci(1 - alpha, method=named)
            expected = pytest.approx((exact.low, exact.high), abs=1e-12)
        assert (intervals.lower[i, j], intervals.upper[i, j]) == expected


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("alpha", [0.01, 0.1])
def test_one_bound_is_that_of_twice_the_error(method, alpha):
    options = {"method": method, **options_of(method)}
    both = from_data(THREE, alpha=2 * alpha, **options)
    above = from_data(THREE, alpha=alpha, alternative="greater", **options)
    below = from_data(THREE, alpha=alpha, alternative="less", **options)
    np.testing.assert_allclose(upper(above.lower), upper(both.lower), atol=1e-12)
    np.testing.assert_allclose(upper(below.upper), upper(both.upper), atol=1e-12)
    assert (upper(above.upper) == 1).all()
    assert (upper(below.lower) == 0).all()
    assert (above.lower.T[np.triu_indices(len(above.lower), k=1)] == 0).all()


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("method", METHODS)
def test_bonferroni_shares_the_error_among_the_pairs(method, alternative):
    options = {"method": method, "alternative": alternative, **options_of(method)}
    together = from_data(THREE, alpha=0.3, simultaneous="bonferroni", **options)
    alone = from_data(THREE, alpha=0.1, **options)
    np.testing.assert_allclose(together.lower, alone.lower, atol=1e-12)
    np.testing.assert_allclose(together.upper, alone.upper, atol=1e-12)
    assert together.alpha == 0.3


def test_max_t_covers_all_pairs_and_is_shorter_than_bonferroni():
    options = {"method": "percentile", "n_resamples": 5000, "rng": 1}
    alone = from_data(THREE, **options)
    max_t = from_data(THREE, simultaneous="max-t", **options)
    assert (upper(max_t.lower) < upper(alone.lower)).all()
    assert (upper(max_t.lower) > upper(from_data(THREE, simultaneous="bonferroni").lower)).all()
    middle = upper(max_t.lower + max_t.upper) / 2
    unclipped = upper(max_t.upper) < 1
    assert middle[unclipped] == pytest.approx(upper(max_t.estimate)[unclipped])


@pytest.mark.parametrize("simultaneous", [None, "bonferroni"])
def test_anytime_intervals_are_wider(simultaneous):
    choice = {"simultaneous": simultaneous, "alpha": 0.3}
    once, always = (from_data(THREE, anytime=anytime, **choice) for anytime in (False, True))
    assert (upper(always.lower) < upper(once.lower)).all()
    alpha = 0.1 if simultaneous else 0.3
    radius = hoeffding_radius(40, _anytime_alpha(alpha, 40))
    assert upper(always.estimate - always.lower) == pytest.approx(radius)


# -- scores ---------------------------------------------------------------------------------------


@pytest.fixture
def table():
    rng = np.random.default_rng(5)
    values = rng.normal(size=(3, 24)).round(1) + np.array([[0.5], [0], [0]])
    values[0, 3] = values[2, 7] = NAN
    return ra.ScoreTable(
        values, systems="ABC", tasks=["f1"] * 12 + ["bleu"] * 12, instances=[*range(12)] * 2,
        task_weights={"f1": 2}, higher_is_better=True,
    )  # fmt: skip


@pytest.mark.parametrize(
    "choice",
    [
        {},
        {"unit": "task", "method": "percentile", "rng": 3},
        {"fixed_tasks": True},
    ],
)
def test_scores_are_ranked_first(table, choice):
    assert from_data(table, **choice) == from_data(table.rankings(), **choice)


# -- little or nothing to tell --------------------------------------------------------------------

ANY_METHOD = [*METHODS, "max-t"]


def chosen(method):
    if method == "max-t":
        return {"method": "percentile", "simultaneous": "max-t", "rng": 1, "n_resamples": 400}
    return {"method": method, **options_of(method)}


@pytest.mark.parametrize("method", ANY_METHOD)
def test_pairs_never_compared_are_named_and_unbounded(method):
    found = from_data(SPARSE, **chosen(method))
    assert found.never_compared == (("A", "D"), ("B", "D"), ("C", "D"))
    assert found.notes[0] == "no ranking compares 3 pairs: the interval is [0, 1]"
    assert np.isnan(found.estimate[3, :3]).all()
    assert found.lower[3, :3].tolist() == found.lower[:3, 3].tolist() == [0, 0, 0]
    assert found.upper[3, :3].tolist() == found.upper[:3, 3].tolist() == [1, 1, 1]
    assert found.n_units[0].tolist() == [0, 7, 2, 0]
    assert (found.p_values()[3] == 1).all()
    nothing = from_data(ALL_MISSING, **chosen(method))
    assert (len(nothing.never_compared), nothing.decisions().pairs) == (3, ())
    assert (upper(nothing.upper) - upper(nothing.lower) == 1).all()


@pytest.mark.parametrize("method", EXACT)
def test_one_ranking_decides_no_pair(method):
    found = from_data(ra.Profile.from_orders(["AB"]), method=method)
    assert (found.estimate[0, 1], found.upper[0, 1]) == (1, 1)
    assert found.lower[0, 1] < 0.5
    assert without_few(found) == ()
    if method == "clopper-pearson":
        assert found.lower[0, 1] == pytest.approx(0.025)
        one_sided = from_data(ra.Profile.from_orders(["AB"]), method=method, alternative="greater")
        assert one_sided.lower[0, 1] == pytest.approx(0.05)
    if method == "hoeffding":
        assert found.lower[0, 1] == 0


@pytest.mark.parametrize("method", [*RESAMPLING, "max-t"])
def test_unanimous_pairs_get_exact_intervals_and_a_note(method):
    for m in (1, 30):
        found = from_data(ra.Profile.from_orders(["AB"] * m), **chosen(method))
        exact = from_data(ra.Profile.from_orders(["AB"] * m), method="clopper-pearson")
        assert found.lower[0, 1] == pytest.approx(exact.lower[0, 1])
        assert found.upper[0, 1] == 1
        (note,) = found.notes
        assert note.startswith("all units agree on 1 pair,")


@pytest.mark.parametrize("method", ANY_METHOD)
def test_one_item_has_no_pairs(method):
    found = from_data(ra.Profile.from_orders(["A"]), **chosen(method))
    assert (found.estimate.tolist(), found.never_compared) == ([[0.5]], ())
    assert len(found.to_frame()) == 0
    assert list(found.to_frame().columns) == list(from_data(THREE).to_frame().columns)
    assert found.decisions().pairs == ()


# -- ties -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", BINOMIAL)
def test_binomial_intervals_leave_ties_out(method):
    found = from_data(TIED, method=method)
    assert without_few(found) == ("2 ties were left out",)
    assert upper(found.n_units).tolist() == [5, 7, 7]
    expected = from_data(ra.Profile([TIED[1]], counts=[5]), method=method)
    assert found.lower[0, 1] == expected.lower[0, 1]


# -- options that do not go together --------------------------------------------------------------

WEIGHTED = ra.Profile(list(THREE), weights=[1, 1, 1, 1, 1, 2])


@pytest.mark.parametrize(
    ("profile", "choice", "parameter", "message"),
    [
        (THREE, {"method": "bayes"}, "method", "must be 'hoeffding' or 'wilson' or"),
        (THREE, {"simultaneous": True}, "simultaneous", "None or 'bonferroni' or 'max-t'"),
        (THREE, {"alternative": "larger"}, "alternative", "'two-sided' or 'greater' or 'less'"),
        (THREE, {"n_resamples": 99}, "n_resamples", "an integer of at least 100"),
        (THREE, {"simultaneous": "max-t"}, "simultaneous", "a bootstrap: `method='percentile'`"),
        (THREE, {"method": "wilson", "anytime": True}, "anytime", "unless `method='hoeffding'`"),
        (GROUPED, {"method": "percentile", "fixed_tasks": True}, "fixed_tasks", "False for a boot"),
        (WEIGHTED, {"method": "wilson"}, "method", "direct comparisons of equal weight"),
        (GROUPED, {"method": "clopper-pearson", "fixed_tasks": True}, "method", "each ranking a"),
    ],
)
def test_options_that_do_not_go_together_are_refused(profile, choice, parameter, message):
    with pytest.raises(InvalidInputError, match=message) as caught:
        from_data(profile, **choice)
    assert caught.value.parameter == parameter


# -- resamples ------------------------------------------------------------------------------------


def test_too_few_resamples_for_the_level_are_noted():
    options = {"method": "percentile", "n_resamples": 100, "rng": 1}
    (note,) = without_few(from_data(THREE, alpha=0.01, **options))
    assert note == "only 0.5 resamples expected beyond each bound: raise `n_resamples`"
    assert without_few(from_data(THREE, alpha=0.2, **options)) == ()
    joint = from_data(THREE, alpha=0.2, simultaneous="bonferroni", **options)
    assert len(without_few(joint)) == 1
    assert without_few(from_data(THREE, alpha=0.01, simultaneous="max-t", **options)) == ()


# -- p-values -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_p_values_are_exact_or_those_of_hoeffding(method):
    found = from_data(THREE, method=method, **options_of(method)).p_values()
    wins = THREE.pairwise().wins
    for i, j in permutations(range(3), 2):
        if method in BINOMIAL:
            expected = stats.binomtest(int(wins[i, j]), 40, alternative="greater").pvalue
        else:
            expected = _hoeffding_p_value(wins[i, j] / 40, 1 / 40)
        assert found[i, j] == pytest.approx(expected, abs=1e-12)
    assert np.diag(found).tolist() == [1, 1, 1]


@given(strict, st.floats(0.01, 0.4))
def test_a_p_value_below_alpha_is_a_bound_above_one_half(profile, alpha):
    found = from_data(profile, alpha=alpha, alternative="greater")
    np.testing.assert_array_equal(
        upper(found.lower) > 0.5 + 1e-9, upper(found.p_values()) < alpha - 1e-9
    )


# -- how they look --------------------------------------------------------------------------------


def test_a_frame_has_the_larger_proportion_above():
    profile = ra.Profile.from_orders(["BAC", "CBA", "ABC"], counts=[30, 5, 5])
    frame = from_data(profile, simultaneous="bonferroni").to_frame()
    radius = float(hoeffding_radius(40, 0.05 / 3))
    row = [35 / 40, pytest.approx(35 / 40 - radius), 1, 40, True]
    assert list(frame.columns) == [
        "above", "below", "estimate", "lower", "upper", "n_units", "outside"
    ]  # fmt: skip
    assert frame.to_numpy().tolist() == [[*pair, *row] for pair in ("BA", "AC", "BC")]
