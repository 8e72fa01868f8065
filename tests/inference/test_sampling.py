"""Sampled means of functions of rankings against exact ones, and the promises about them."""

from fractions import Fraction
from itertools import permutations
from math import ceil, log, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.inference import distance_to, mean_distance, sampling
from rankagg.inference.sampling import _Sampler
from tests import oracles, strategies
from tests.inference.test_dispersion import distance

HALVES = ra.Profile.from_orders(["AB", "BA"], counts=[500, 500])
SMALL = ra.Profile.from_orders(["ABC", "BCA", "CAB"], counts=[2, 1, 1], weights=[1, 2, 0.5])
UNANIMOUS = ra.Profile.from_orders(["ABCD"], counts=[1000])
# More choices than are drawn.
MANY = ra.Profile.from_ranks(
    np.random.default_rng(0).permuted(np.tile(np.arange(5), (60, 1)), axis=1)
)
FOOTRULE = ra.inference.UStatistic(kernel=ra.distances.spearman_footrule, low=0, high=4)


# -- the slow twins -------------------------------------------------------------------------------


def choices_of(profile, degree):
    """Return rows and weight of every ordered choice of different observations."""
    rows = np.repeat(np.arange(len(profile)), profile.counts)
    weights = [oracles.as_fraction(profile.weights[row]) for row in rows]
    found = {}
    for chosen in permutations(range(len(rows)), degree):
        product = Fraction(1)
        for observation in chosen:
            product *= weights[observation]
        key = tuple(int(rows[observation]) for observation in chosen)
        found[key] = found.get(key, 0) + product
    return found


def exact_mean(profile, kernel, degree):
    law = choices_of(profile, degree)
    total = sum(
        weight * Fraction(kernel(*(profile[row] for row in rows))) for rows, weight in law.items()
    )
    return float(total / sum(law.values()))


def drawn_rows(profile, degree, size, rng=0):
    """Return rows that the sampler chose, as its statistic meets them."""
    seen = []

    def remember(*arrays):
        rows = [
            [np.flatnonzero((profile.ranks == one).all(axis=1))[0] for one in a] for a in arrays
        ]
        seen.append(np.array(rows).T)
        return np.zeros(len(arrays[0]))

    statistic = ra.inference.UStatistic(degree=degree, low=0, high=1, batch=remember)
    list(_Sampler(profile, statistic, np.random.default_rng(rng)).chunks(size))
    return np.concatenate(seen)


# -- kernels --------------------------------------------------------------------------------------


@given(
    strategies.profiles(min_size=2, max_size=4),
    strategies.policies,
    st.sampled_from([0.0, 0.25, 1.0]),
    st.booleans(),
)
def test_the_kernel_is_the_distance_of_two_rankings(profile, policy, p, normalized):
    statistic = mean_distance(profile.n_items, normalized=normalized, p=p, unranked=policy)
    m, n = len(profile), profile.n_items
    rows = np.array([(s, t) for s in range(m) for t in range(m)])
    scale = n * (n - 1) / 2 if normalized else 1
    places = [oracles.as_places(ranking) for ranking in profile]
    expected = [
        float(distance(places[s], places[t], policy, Fraction(p))) / scale for s, t in rows.tolist()
    ]
    np.testing.assert_allclose(statistic.values(profile, rows), expected, atol=1e-12)
    assert (statistic.degree, statistic.low) == (2, 0)
    assert statistic.high == n * (n - 1) / 2 / scale


def test_distances_do_not_depend_on_the_size_of_blocks(monkeypatch):
    rng = np.random.default_rng(1)
    profile = ra.Profile.from_ranks(rng.random((20, 5)))
    rows = rng.integers(0, 20, (57, 2))
    whole = mean_distance(5).values(profile, rows)
    monkeypatch.setattr(sampling, "CELLS_HELD", 5**2 * 10)
    assert mean_distance(5).values(profile, rows).tolist() == whole.tolist()


def test_the_distance_to_a_ranking_looks_at_one_ranking():
    target = ra.Permutation.from_order("ABC")
    statistic = distance_to(target, ra.distances.spearman_footrule, 4)
    assert (statistic.degree, statistic.low, statistic.high, statistic.width) == (1, 0, 4, 4)
    assert statistic.values(SMALL, np.array([[0], [1], [2]])).tolist() == [0, 4, 4]
    kendall = distance_to(target, ra.kendall_distance, 3)
    exact = ra.dispersion(SMALL, target, average=True)
    assert exact_mean(SMALL, kendall.kernel, 1) == pytest.approx(exact)


def ordered(*rankings):
    """A function of any number of rankings that looks at their order too."""
    return sum(place / 3 ** (k + 1) for k, place in enumerate(r.ranks[0] for r in rankings))


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_any_function_of_some_rankings_is_estimated(degree):
    statistic = ra.inference.UStatistic(kernel=ordered, degree=degree, low=0, high=1)
    estimate = ra.HoeffdingEstimator(epsilon=0.02, alpha=0.01).estimate(SMALL, statistic, rng=3)
    expected = exact_mean(SMALL, lambda *rankings: Fraction(ordered(*rankings)), degree)
    assert (estimate.value, estimate.stopped) == (pytest.approx(expected, abs=1e-12), "all")
    assert (estimate.lower, estimate.upper) == (estimate.value, estimate.value)
    assert estimate.n_samples == len(choices_of(SMALL, degree))
    assert "exact" in str(estimate)


@given(strategies.profiles(min_size=2), st.integers(1, 2))
def test_few_choices_are_all_evaluated(profile, degree):
    if profile.n_rankings < degree:
        return
    statistic = ra.inference.UStatistic(kernel=ordered, degree=degree, low=-2, high=3)
    estimate = ra.HoeffdingEstimator(epsilon=0.1, alpha=0.01).estimate(profile, statistic)
    expected = exact_mean(profile, lambda *rankings: Fraction(ordered(*rankings)), degree)
    assert estimate.value == pytest.approx(expected, abs=1e-9)


def test_no_more_choices_are_evaluated_than_would_be_drawn(monkeypatch):
    monkeypatch.setattr(sampling, "CHOICES_HELD", 1000)
    exact = ra.spread(MANY, average=True)
    for epsilon, stopped in ((0.22, "all"), (0.23, "fixed")):  # 3811 and 3487 for 3600 choices
        found = ra.HoeffdingEstimator(epsilon=epsilon, alpha=0.05).estimate(MANY, rng=1)
        assert found.stopped == stopped
        assert abs(found.value - exact) < (1e-9 if stopped == "all" else epsilon)
        assert found.n_samples == (60 * 59 if stopped == "all" else 3487)


def test_a_function_of_rankings_and_one_of_arrays_give_the_same():
    arrays = ra.inference.UStatistic(  # arrays are used where both are given
        low=0, high=4, batch=lambda first, second: np.abs(first - second).sum(axis=1),
        kernel=lambda *_: nan,
    )  # fmt: skip
    estimator = ra.HoeffdingEstimator(epsilon=0.2, alpha=0.1)
    assert estimator.estimate(SMALL, arrays, rng=5) == estimator.estimate(SMALL, FOOTRULE, rng=5)


# -- drawing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_choices_have_the_product_of_their_weights(degree):
    law = choices_of(SMALL, degree)
    total = sum(law.values())
    size = 20_000
    rows = drawn_rows(SMALL, degree, size)
    drawn = [tuple(row) for row in rows.tolist()]
    assert set(drawn) <= set(law)
    observed = [drawn.count(key) for key in law]
    expected = [float(size * weight / total) for weight in law.values()]
    assert stats.chisquare(observed, expected).pvalue > 1e-3


def test_samples_are_drawn_in_chunks(monkeypatch):
    sizes = []

    def count(first):
        sizes.append(len(first))
        return np.zeros(len(first))

    monkeypatch.setattr(sampling, "CHOICES_HELD", 40)
    statistic = ra.inference.UStatistic(degree=1, low=0, high=1, batch=count)
    many = MANY[np.arange(160) % 60]
    estimate = ra.HoeffdingEstimator(epsilon=0.1, alpha=0.1).estimate(many, statistic, rng=0)
    assert sizes == [40, 40, 40, 30]
    assert estimate.n_samples == 150


# -- a number of samples that is fixed beforehand -------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 2.0, 10.0])
@pytest.mark.parametrize("alpha", [0.01, 0.5])
def test_the_number_of_samples_follows_from_the_range(epsilon, alpha):
    estimator = ra.HoeffdingEstimator(epsilon=epsilon, alpha=alpha)
    statistic = ra.inference.UStatistic(kernel=ra.distances.spearman_footrule, low=0, high=12)
    expected = ceil(144 * log(2 / alpha) / (2 * epsilon**2))
    assert estimator.n_samples(statistic) == expected >= 1
    if expected < 1000:
        estimate = estimator.estimate(MANY, statistic, rng=0)
        assert (estimate.n_samples, estimate.stopped) == (expected, "fixed")
        assert estimate.alpha == alpha


def test_the_interval_stays_within_the_range():
    estimator = ra.HoeffdingEstimator(epsilon=0.4, alpha=0.1)
    for value, lower, upper in ((0, 0, 0.4), (1, 0.6, 1)):
        constant = ra.inference.UStatistic(
            degree=2, low=0, high=1, batch=lambda first, _, value=value: np.full(len(first), value)
        )
        found = estimator.estimate(MANY, constant, rng=0)
        assert (found.value, found.lower, found.upper) == (value, lower, upper)


# -- stopping early -------------------------------------------------------------------------------


def test_relative_precision_holds_as_often_as_promised():
    epsilon, alpha, runs = 0.3, 0.2, 50
    rule = ra.inference.EmpiricalBernsteinStopping(epsilon=epsilon, alpha=alpha)
    exact = ra.spread(SMALL, average=True)
    estimates = [rule.estimate(SMALL, rng=seed) for seed in range(runs)]
    assert {estimate.stopped for estimate in estimates} == {"relative"}
    errors = sum(abs(estimate.value - exact) > epsilon * exact for estimate in estimates)
    assert errors <= stats.binom.ppf(0.999, runs, alpha)
    outside = sum(not estimate.lower <= exact <= estimate.upper for estimate in estimates)
    assert outside <= stats.binom.ppf(0.999, runs, alpha)
    assert all(estimate.lower <= estimate.value <= estimate.upper for estimate in estimates)


def test_what_stops_is_what_the_interval_says():
    rule = ra.inference.EmpiricalBernsteinStopping(epsilon=0.2, alpha=0.1)
    losses = ra.inference.UStatistic(kernel=lambda *two: -ra.kendall_distance(*two), low=-3, high=0)
    for seed in range(5):
        for statistic, sign in ((None, 1), (losses, -1)):
            estimate = rule.estimate(SMALL, statistic, rng=seed)
            assert estimate.stopped == "relative"
            # No mean within the interval is farther off, relatively.
            nearest, farthest = sorted((sign * estimate.lower, sign * estimate.upper))
            assert sign * estimate.value <= 1.2 * nearest * (1 + 1e-12)
            assert sign * estimate.value >= 0.8 * farthest * (1 - 1e-12)


def test_where_all_rankings_are_equal_an_absolute_precision_is_enough():
    rule = ra.inference.EmpiricalBernsteinStopping(epsilon=0.1, alpha=0.05, floor=0.05)
    estimate = rule.estimate(UNANIMOUS, rng=0)
    assert estimate.stopped == "absolute"
    assert 0 <= estimate.value <= 0.05 * 6
    assert (estimate.lower, estimate.upper) == (0, pytest.approx(2 * estimate.value))
    assert estimate.upper - estimate.lower <= 2 * 0.05 * 6
    finer = ra.inference.EmpiricalBernsteinStopping(epsilon=0.1, alpha=0.05, floor=0.01)
    assert finer.estimate(UNANIMOUS, rng=0).n_samples > estimate.n_samples


@pytest.mark.parametrize("limit", [10, 100, 1e2])
def test_no_more_samples_than_allowed(limit):
    rule = ra.inference.EmpiricalBernsteinStopping(epsilon=0.01, alpha=0.05, max_samples=limit)
    estimate = rule.estimate(SMALL, rng=0)
    assert (estimate.n_samples, estimate.stopped) == (limit, "max_samples")
    assert 0 <= estimate.lower <= estimate.value <= estimate.upper <= 3
    assert estimate.lower <= ra.spread(SMALL, average=True) <= estimate.upper


def test_the_variance_decides_when_to_stop():
    rule = ra.inference.EmpiricalBernsteinStopping(epsilon=0.1, alpha=0.05)
    constant = ra.inference.UStatistic(
        degree=1, low=0, high=2, batch=lambda first: np.ones(len(first))
    )
    coin = ra.inference.UStatistic(degree=1, low=0, high=2, batch=lambda first: 2.0 * first[:, 0])
    sure, unsure = (rule.estimate(HALVES, statistic, rng=1) for statistic in (constant, coin))
    assert unsure.n_samples > 3 * sure.n_samples
    assert sure.value == pytest.approx(1, rel=0.1)


# -- both -----------------------------------------------------------------------------------------

RULES = (
    ra.HoeffdingEstimator(epsilon=0.6, alpha=0.1),
    ra.inference.EmpiricalBernsteinStopping(epsilon=0.3, alpha=0.1),
)
both_rules = pytest.mark.parametrize("rule", RULES, ids=["fixed", "stopping"])


@both_rules
def test_equal_seeds_give_equal_estimates(rule):
    first, second = (rule.estimate(MANY, rng=7) for _ in range(2))
    assert first == second
    assert rule.estimate(MANY, rng=np.random.default_rng(7)) == first
    assert rule.estimate(MANY, rng=8) != first


@both_rules
def test_a_kernel_that_leaves_its_range_is_told(rule):
    low = ra.inference.UStatistic(kernel=ra.distances.spearman_footrule, low=0, high=3)
    with pytest.raises(InvalidInputError, match="a value of 4, outside 0 to 3"):
        rule.estimate(SMALL, low, rng=0)
    nothing = ra.inference.UStatistic(
        degree=1, low=0, high=3, batch=lambda first: first[:, 0] * nan
    )
    with pytest.raises(InvalidInputError, match="a value of nan"):
        rule.estimate(SMALL, nothing, rng=0)


@both_rules
def test_there_are_as_many_rankings_as_the_function_looks_at(rule):
    one = ra.Profile.from_orders(["ABC"])
    with pytest.raises(InvalidInputError, match=r"2 rankings or more .* Got 1 ranking"):
        rule.estimate(one, rng=0)
    three = ra.inference.UStatistic(kernel=ordered, degree=3, low=0, high=1)
    with pytest.raises(InvalidInputError, match="3 rankings or more"):
        rule.estimate(one[[0, 0]], three, rng=0)
    assert rule.estimate(ra.Profile.from_orders(["AB"], counts=[2]), rng=0).lower == 0


def test_one_ranking_of_nearly_all_the_weight_is_told(monkeypatch):
    monkeypatch.setattr(sampling, "REDRAWS", 100)
    heavy = ra.Profile.from_orders(["ABC", "BCA"], weights=[1e9, 1])
    with pytest.raises(InvalidInputError, match="nearly every choice holds a ranking twice"):
        RULES[1].estimate(heavy, rng=0)


def stopping(**options):
    return ra.inference.EmpiricalBernsteinStopping(**{"epsilon": 0.1, "alpha": 0.1, **options})


def statistic(**options):
    return ra.inference.UStatistic(**{"low": 0, "high": 1, "kernel": ordered, **options})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        *((lambda rule=rule, data=data: rule.estimate(data), "`profile` must be a Profile")
          for rule in RULES for data in (SMALL.pairwise(), None)),
        *((lambda rule=rule: rule.estimate(SMALL, ra.kendall_distance),
           "`statistic` must be a UStatistic") for rule in RULES),
        *((lambda rule=rule: rule.estimate(SMALL, rng="seed"), "`rng` must be") for rule in RULES),
        *((lambda kind=kind, alpha=alpha: kind(epsilon=0.1, alpha=alpha),
           r"`alpha` must be a number in \(0, 1\)")
          for kind in map(type, RULES) for alpha in (0, 1, nan, "0.1", True)),
        *((lambda kind=kind, bad=bad: kind(epsilon=bad, alpha=0.1), "`epsilon` must be a number in")
          for kind in map(type, RULES) for bad in (0, nan, np.inf, None)),
        (lambda: stopping(epsilon=1), r"`epsilon` must be a number in \(0, 1\)"),
        *((lambda bad=bad: stopping(floor=bad), "`floor`") for bad in (0, 1.5)),
        *((lambda bad=bad: stopping(max_samples=bad), "`max_samples`") for bad in (9, 10.5)),
        *((lambda bad=bad: statistic(kernel=bad), "`kernel` must be a function")
          for bad in (None, 3)),
        (lambda: statistic(low=1), r"`high` must be a number above low \(1\)"),
        (lambda: statistic(low=nan), "`low`"),
        (lambda: statistic(high=np.inf), "`high`"),
        *((lambda bad=bad: statistic(degree=bad), "`degree`") for bad in (0, 1.5)),
        (lambda: mean_distance(1), "`n_items`"),
        (lambda: mean_distance(3, p=2), "`p`"),
        (lambda: mean_distance(3, unranked="drop"), "'uniform' or 'ignore' or 'last'"),
        (lambda: distance_to("ABC", ra.kendall_distance, 3), "`ranking`"),
    ],
)  # fmt: skip
def test_refusals(call, words):
    with pytest.raises(InvalidInputError, match=words):
        call()
