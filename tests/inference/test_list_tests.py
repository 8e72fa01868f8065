"""Robust rank aggregation: its distribution against exact sums and draws, and its output."""

from itertools import product
from math import comb, factorial

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.inference import list_tests as module
from rankagg.inference import robust_rank_aggregation


def slow_score(shares):
    """Return the least probability that k of n uniform variables or more are below a share."""
    n, ordered = len(shares), sorted(shares)
    tails = [
        sum(comb(n, i) * x**i * (1 - x) ** (n - i) for i in range(k, n + 1))
        for k, x in enumerate(ordered, 1)
    ]
    return min(tails)


def slow_chance(score, n):
    """Return the chance of a score by all ways in which n variables fall between boundaries."""
    ends = [0.0, *(stats.beta.ppf(score, k, n - k + 1) for k in range(1, n + 1)), 1.0]
    found = 0.0
    for counts in product(range(n + 1), repeat=n + 1):
        if sum(counts) == n and any(sum(counts[:k]) >= k for k in range(1, n + 1)):
            ways = factorial(n)
            for count, low, high in zip(counts, ends, ends[1:], strict=False):
                ways *= (high - low) ** count / factorial(count)
            found += ways
    return found


def of(*lists, n_items=None, items="ABCDEFGH"):
    rankings = [ra.PartialRanking.from_top_k(names, items=items) for names in lists]
    return robust_rank_aggregation(ra.Profile(rankings), n_items=n_items)


def test_scores_are_the_least_tails_of_ordered_shares():
    found = of("ABC", "ADB", "AE", n_items=100)
    assert found.shares[:, 1].tolist() == [0.02, 0.03, 1.0]
    for k in range(8):
        assert found.scores[k] == pytest.approx(slow_score(found.shares[:, k]), rel=1e-12)
    assert found.bounds == pytest.approx(np.minimum(3 * found.scores, 1))
    assert module._scores(np.full((4, 1), 1e-4)) == pytest.approx([1e-16], rel=1e-9, abs=0)
    assert found.to_frame().index[:3].tolist() == ["A", "B", "D"]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("score", [1e-12, 0.003, 0.05, 0.4, 0.99])
def test_p_values_are_the_probability_of_smaller_scores(n, score):
    (found,) = module._chance_of_less(np.array([score]), n)
    assert found == pytest.approx(slow_chance(score, n), rel=1e-9)
    assert found <= min(1, n * score) * (1 + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("n", [5_000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_p_values_of_many_lists_are_those_of_draws(n):
    drawn = module._scores(np.random.default_rng(0).random((30, n)))
    levels = np.array([0.001, 0.01, 0.1, 0.5])
    expected = module._chance_of_less(levels, 30)
    error = 4.5 * np.sqrt(expected * (1 - expected) / n)
    assert (np.abs((drawn[:, None] <= levels).mean(axis=0) - expected) <= error).all()
    assert (np.diff(module._chance_of_less(np.linspace(0, 1, n // 100), 200)) >= 0).all()


def test_scores_of_the_package_of_kolde_are_the_same():
    # RobustRankAggreg 1.2, aggregateRanks(glist, N = 26) of lists as its manual has them, without
    # and with `exact = TRUE`.
    found = of("shad", "askdmhzbqp", "haxscmegbido", items="abcdeghikmopqsxz", n_items=26)
    frame = found.to_frame().loc[list("ashdmbkz")]
    bounds = [0.00460855712335, 0.01092398725535, 0.03686845698680, 0.19116977696859]
    bounds += [0.40555302685480, 0.82954028220300, 0.92324761037779, 1]
    exact = [0.00437060009316, 0.01013856238459, 0.03261471627118, 0.14906944168310]
    exact += [0.28553456193443, 0.50435987797269, 0.54573949942344, 0.84588059332698]
    assert frame["bound"].tolist() == pytest.approx(bounds, rel=1e-11)
    assert frame["p_value"].tolist() == pytest.approx(exact, rel=1e-11)


def test_items_that_no_list_names_count_as_hypotheses():
    few, many = of("AB", "AB", "AC"), of("AB", "AB", "AC", n_items=1000)
    assert many.p_values[0] < few.p_values[0]
    assert many.p_holm[0] == pytest.approx(1000 * many.p_values[0])
    assert of("AB", "AB", "AC").p_holm[0] == pytest.approx(8 * few.p_values[0])


def test_small_p_values_are_printed_with_exponents():
    found = of("ABCD", "ABDC", "EFGH", n_items=20_000)
    for number in (found.scores[0], found.bounds[0], found.p_values[0], found.p_holm[0]):
        assert f"{number:.3g}" in found.summary(rows=1).split()
    assert "10\\textsuperscript{$-$8}" in found.to_latex(rows=1)


@pytest.mark.parametrize(
    ("lists", "options", "message"),
    [
        ("AB", {}, "`data` must be a Profile of ranked lists"),
        (ra.Profile.from_orders(["AB"]), {"n_items": 1}, "`n_items` must be"),
        (ra.Profile.from_orders(["AB", "BA"], weights=[1, 2]), {}, "lists of equal weight"),
        (ra.Profile.from_orders(["AB"], counts=[201]), {}, "at most 200 lists"),
    ],
)
def test_lists_without_p_values_are_refused(lists, options, message):
    with pytest.raises(InvalidInputError, match=message):
        robust_rank_aggregation(lists, **options)
