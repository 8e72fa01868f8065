"""Kendall's W against its definition, printed values and all orders of small rankings."""

from functools import partial
from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from scipy import stats

import rankagg as ra
from rankagg.distances import spearman_rho
from rankagg.exceptions import InvalidInputError
from rankagg.inference import rater_agreement
from tests import strategies

# Each call draws alike.
kendall_w = partial(ra.inference.kendall_w, rng=0)

NAN = float("nan")


def of(rows, **options):
    return kendall_w(ra.Profile.from_ranks(np.array(rows, dtype=float)), **options)


# -- printed values -------------------------------------------------------------------------------


def test_the_example_without_ties():
    # Siegel (1956), "Nonparametric statistics", chapter 9: three executives rank six applicants.
    found = of([[1, 6, 3, 2, 5, 4], [1, 5, 6, 4, 2, 3], [6, 3, 2, 5, 4, 1]])
    assert found.rank_sums.tolist() == [8, 14, 11, 11, 11, 8]
    assert (round(found.kendall_w, 2), round(found.mean_spearman, 3)) == (0.16, -0.257)


def test_the_example_with_ties():
    # Kendall (1948), "Rank correlation methods", chapter 6: W is .828, and .796 uncorrected.
    rows = [
        [1, 4.5, 2, 4.5, 3, 7.5, 6, 9, 7.5, 10],
        [2.5, 1, 2.5, 4.5, 4.5, 8, 9, 6.5, 10, 6.5],
        [2, 1, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10],
    ]
    found = of(rows)
    assert found.rank_sums.tolist() == [5.5, 6.5, 9, 13.5, 12, 20, 23, 23.5, 25.5, 26.5]
    assert round(found.kendall_w, 3) == 0.828
    assert found.how == "simulated"
    assert found.p_value < 0.01


def test_the_example_of_other_programs():
    # The data "anxiety" of the R package irr, whose manual has W .54, chi-square 30.8, p .0429.
    raters = ["33345523522615221243", "36462424332333221334", "21443216111233113322"]
    found = of([list(map(int, row)) for row in raters])
    assert (round(found.kendall_w, 4), round(found.statistic, 4)) == (0.5397, 30.7604)
    assert found.df == 19
    assert stats.chi2.sf(found.statistic, found.df) == pytest.approx(0.0428834731269479)


ICE_CREAM = [  # Conover (1999), "Practical nonparametric statistics", section 5.9
    [2, 3, NAN, 1, NAN, NAN, NAN], [NAN, 3, 1, NAN, 2, NAN, NAN], [NAN, NAN, 2, 1, NAN, 3, NAN],
    [NAN, NAN, NAN, 1, 2, NAN, 3], [3, NAN, NAN, NAN, 1, 2, NAN], [NAN, 3, NAN, NAN, NAN, 1, 2],
    [3, NAN, 1, NAN, NAN, NAN, 2],
]  # fmt: skip
# Hollander and Wolfe (1999), "Nonparametric statistical methods", table 7.14: pressures by runs.
ISOMERS = [
    [16, 18, NAN, 32, NAN], [19, NAN, NAN, 46, 45], [NAN, 26, 39, NAN, 61],
    [NAN, 21, 35, 55, NAN], [NAN, 19, NAN, 47, 48], [20, NAN, 33, 31, NAN],
    [13, 13, 34, NAN, NAN], [21, NAN, 30, NAN, 52], [24, 10, NAN, NAN, 50],
    [NAN, NAN, 24, 31, 37],
]  # fmt: skip


def test_balanced_designs():
    found = of(ICE_CREAM)
    assert (found.n_raters, found.n_ranked) == (7, 3)
    assert found.statistic == pytest.approx(12)
    assert found.kendall_w == 1
    assert np.isnan(found.mean_spearman)
    assert "7 raters, each ranks 3 of 7 items" in found.summary()


def test_ties_in_balanced_designs_are_not_corrected_in_w():
    found = of(ISOMERS, n_resamples=20_000)
    assert found.rank_sums.tolist() == [7.5, 7.5, 13, 15, 17]
    # Durbin's statistic is printed as 15.1, without its correction for a tie.
    assert round(found.kendall_w * 3 * (5**2 - 1) / (3 + 1), 1) == 15.1
    assert found.statistic == pytest.approx(15.1 * 20 / 19.5)
    # By 100,000 random orders .00022, .00013 to .00031.
    assert found.how == "simulated"
    assert found.p_value < 0.001


# Friedman (1937), https://doi.org/10.1080/01621459.1937.10503522: the tails of chi-square for few
# rankings, as Siegel (1956), table N, has them.
TAILS = {
    (3, 3): {2.667: 0.361, 4.667: 0.194, 6.0: 0.028},
    (3, 4): {4.5: 0.125, 6.0: 0.069, 6.5: 0.042, 8.0: 0.0046},
    (4, 2): {5.4: 0.167, 6.0: 0.042},
    (4, 3): {7.0: 0.054, 7.4: 0.033, 8.2: 0.017, 9.0: 0.0017},
}


@pytest.mark.parametrize(
    ("n", "m"),
    [(3, 3), (4, 2), *(pytest.param(*x, marks=pytest.mark.slow) for x in ((3, 4), (4, 3)))],
)
def test_p_values_of_few_rankings_are_those_in_print(n, m):
    orders = [*permutations(range(n))]
    every = [of([orders[0], *rows]) for rows in product(orders, repeat=m - 1)]
    found = {round(one.statistic, 3): one.p_value for one in every}
    for statistic, tail in TAILS[n, m].items():
        assert found[statistic] == pytest.approx(tail, abs=0.0005 if tail > 0.01 else 0.00005)
    assert {one.how for one in every} == {"exact"}
    # A p-value of p comes about with a chance of p.
    for p in found.values():
        assert np.mean([one.p_value <= p + 1e-9 for one in every]) == pytest.approx(p)


# -- against the definitions ----------------------------------------------------------------------


@settings(max_examples=5)
@given(strategies.profiles(min_size=2, max_size=4, unranked=False, unlisted=False))
def test_w_and_spearman_are_those_of_the_definitions(profile):
    rows = [row for row, count in zip(profile, profile.counts, strict=True) for _ in range(count)]
    if len(rows) < 2 or all(len(row.buckets) == 1 for row in rows):
        return
    profile = ra.Profile(rows)
    found = kendall_w(profile, n_resamples=100)
    friedman = ra.inference.friedman(profile)
    assert found.kendall_w == pytest.approx(friedman.kendall_w)
    assert (found.statistic, found.df) == (pytest.approx(friedman.statistic), friedman.df)
    telling = [row for row in rows if len(row.buckets) > 1]
    pairs = [spearman_rho(*pair) for pair in combinations(telling, 2)]
    expected = np.mean(pairs) if pairs else NAN
    assert found.mean_spearman == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("rows", [
    [[1, 2, 2, 3], [2, 1, 1, 3], [1, 3, 2, 2]], [[1, 1, 2], [2, 1, 2], [1, 2, 3], [3, 2, 1]],
])  # fmt: skip
def test_exact_p_values_count_all_orders_with_ties(rows):
    def statistic(table):
        return round(float(np.var(np.sum(table, axis=0))), 6)

    ranks = [stats.rankdata(row) for row in rows]
    # The items of one ranking may keep their order: only that of others to it counts.
    others = product(*(permutations(row) for row in ranks[1:]))
    every = [statistic([ranks[0], *table]) for table in others]
    expected = np.mean([value >= statistic(ranks) for value in every])
    found = of(rows)
    assert (found.how, found.p_value) == ("exact", pytest.approx(expected))


def test_simulated_p_values_are_near_exact_ones(monkeypatch):
    rows = [[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4], [4, 1, 2, 3]]
    exact = of(rows)
    monkeypatch.setattr(rater_agreement, "MOST_SUMS", 10)
    simulated = of(rows)
    assert (exact.how, simulated.how, simulated.n_resamples) == ("exact", "simulated", 10_000)
    error = 4.5 * np.sqrt(exact.p_value * (1 - exact.p_value) / 10_000)
    assert abs(simulated.p_value - exact.p_value) < error


def test_many_raters_are_tested_by_chi_square():
    found = of(np.array([[1, 2, 3], [2, 1, 3], [3, 2, 1]] * 20))
    assert (found.how, found.p_value) == ("chi-square", stats.chi2.sf(found.statistic, 2))


@pytest.mark.parametrize(("m", "runs"), [(7, 100), pytest.param(60, 400, marks=pytest.mark.slow)])
def test_it_holds_its_level(m, runs):
    rng, levels, low = np.random.default_rng(0), np.array([0.05, 0.2]), np.zeros(2)
    blocks = ~np.isnan(np.array(ICE_CREAM)) if m == 7 else np.ones((60, 4), dtype=bool)
    for _ in range(runs):
        # Some items of a block tie.
        rows = np.where(blocks, rng.integers(1, 10, blocks.shape), NAN)
        low += of(rows, n_resamples=100, rng=rng).p_value <= levels
    assert (low <= stats.binom.ppf(0.999, runs, levels)).all()
    assert (low >= stats.binom.ppf(0.001, runs, 0.7 * levels)).all()


def test_unlisted_items_tie_at_the_end():
    lists = ra.Profile([ra.PartialRanking.from_top_k(top, items="ABCD") for top in ("AB", "BA")])
    tied = ra.Profile.from_ranks([[1, 2, 3, 3], [2, 1, 3, 3]], items="ABCD")
    assert kendall_w(lists) == kendall_w(tied)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (ra.Profile.from_orders(["ABC"]), "two rankings or more, without clusters"),
        (ra.Profile.from_orders(["ABC", "AB"]), "`krippendorff_alpha` with metric='ordinal'"),
        (ra.Profile.from_orders(["AB", "CD"]), "`skillings_mack` for a test"),
        (ra.Profile.from_orders(["AB", "BA"], weights=[1, 2]), "equal weight"),
        (ra.Profile.from_ranks([[1, 1], [1, 1]]), "tell items apart"),
        (ra.Profile.from_orders(["AB", "BA"]).with_clusters("xx"), "more, without clusters"),
        ([[1, 2]], "two rankings or more"),
        ([1, 2], "orders such as"),
    ],
)
def test_what_has_no_w_is_refused(data, message):
    with pytest.raises(InvalidInputError, match=message):
        kendall_w(data)


def test_an_array_has_a_row_per_rater_as_for_krippendorff():
    ratings = [[1, 2, 3, 3, 2, 1], [1, 2, 3, 3, 2, 2], [0.5, 3, 3, 3, 2, 3]]
    found = kendall_w(ratings)
    expected = kendall_w(ra.Profile.from_ranks(ratings))
    assert found.kendall_w == expected.kendall_w
    assert found.p_value == expected.p_value
    assert found.rank_sums.tolist() == expected.rank_sums.tolist()
    frame = pd.DataFrame(ratings, columns=[*"ABCDEF"])
    assert tuple(kendall_w(frame).items) == tuple("ABCDEF")
    assert kendall_w(np.array(ratings)).n_raters == 3
    for wrong in ([["x", "y"], ["y", "x"]], [1, 2, 3], "AB", None):
        with pytest.raises(InvalidInputError, match="`data`"):
            kendall_w(wrong)
