"""Friedman's test against SciPy, Kendall's W by hand, and Nemenyi's differences against print."""

from fractions import Fraction
from functools import partial
from itertools import combinations, permutations, product
from math import inf

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from tests import strategies

# Each call draws alike.
skillings_mack = partial(ra.inference.skillings_mack, rng=0)

SUPERGLUE = ra.datasets.load("superglue_human")
GAPS = ra.datasets.load("xtreme_gaps")

equal = st.just(1.0)
complete = {"unranked": False, "unlisted": False, "weights": equal}


@st.composite
def observed(draw, *, min_size=2, **kinds):
    """Draw two or more complete rankings that do not all tie all items."""
    profile = draw(strategies.profiles(min_size=min_size, **{**complete, **kinds}))
    assume(profile.n_rankings >= 2)
    assume(profile.ranks.any())
    return profile


@st.composite
def in_units(draw):
    """Draw rankings with groups, that do not all tie all items."""
    profile = draw(observed(groups=True, max_rows=6))
    assume(len(set(profile.groups)) > 1)
    return profile


def mid_ranks(profile):
    """Return the mid-ranks from 1 of all rankings, repeated ones as rows of their own."""
    return np.repeat([stats.rankdata(row) for row in profile.ranks], profile.counts, axis=0)


def kendall_w_by_hand(rows):
    """Return Kendall's W of rows of mid-ranks, with the sizes of ties, in fractions."""
    m, n = rows.shape
    totals = [sum(Fraction(value) for value in column) for column in rows.T]
    mean = sum(totals) / n
    ties = sum(
        size**3 - size for row in rows for size in np.unique(row, return_counts=True)[1].tolist()
    )
    return 12 * sum((total - mean) ** 2 for total in totals) / (m**2 * (n**3 - n) - m * ties)


# -- Friedman -------------------------------------------------------------------------------------


@given(observed(min_size=3))
def test_chi_square_and_its_p_value_are_those_of_scipy(profile):
    test = ra.inference.friedman(profile)
    expected = stats.friedmanchisquare(*mid_ranks(profile).T)
    assert test.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert test.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    assert test.df == profile.n_items - 1


@given(observed())
def test_average_ranks_and_w_are_those_of_the_definition(profile):
    test, rows = ra.inference.friedman(profile), mid_ranks(profile)
    assert test.average_ranks == pytest.approx(rows.mean(axis=0), rel=1e-14)
    assert test.kendall_w == pytest.approx(float(kendall_w_by_hand(rows)), rel=1e-14)
    assert test.n_rankings == len(rows)
    assert test.items == profile.items


@given(observed())
def test_f_is_that_of_an_analysis_of_variance_of_the_ranks(profile):
    # Ranks as observations in two ways, items and rankings: the means of rankings are all equal.
    rows, test = mid_ranks(profile), ra.inference.friedman(profile)
    m, k = rows.shape
    between = m * ((rows.mean(axis=0) - (k + 1) / 2) ** 2).sum()
    rest = ((rows - (k + 1) / 2) ** 2).sum() - between
    assert test.f_df == (k - 1, (k - 1) * (m - 1))
    if rest < 1e-9:
        assert test.f_statistic == inf or test.f_statistic > 1e12
        assert test.f_p_value == pytest.approx(0, abs=1e-6)
    else:
        expected = (between / (k - 1)) / (rest / ((k - 1) * (m - 1)))
        assert test.f_statistic == pytest.approx(expected, abs=1e-9)
        assert test.f_p_value == pytest.approx(stats.f.sf(expected, *test.f_df), rel=1e-6)


def test_equal_rankings_agree_fully():
    test = ra.inference.friedman(ra.Profile.from_orders(["CAB"], counts=[7]))
    assert (test.kendall_w, test.statistic) == (1, 14)
    assert (test.f_statistic, test.f_p_value) == (inf, 0)
    assert test.to_dict()["f_statistic"] is None
    assert ra.inference.friedman(ra.Profile.from_ranks([[0, 1, 1]], counts=[7])).kendall_w == 1


# -- units ----------------------------------------------------------------------------------------


@given(in_units())
def test_a_task_is_ranked_once_by_its_average_ranks(profile):
    rows = [
        [sum(map(Fraction, column)) for column in mid_ranks(part).T]
        for part in profile.by_group().values()
    ]
    ranked = ra.Profile.from_ranks([[sorted(row).index(value) for value in row] for row in rows])
    if not ranked.ranks.any():
        with pytest.raises(InvalidInputError, match="a tie of all in every task"):
            ra.inference.friedman(profile, unit="task")
        return
    found, expected = ra.inference.friedman(profile, unit="task"), ra.inference.friedman(ranked)
    assert (found.unit, found.n_rankings) == ("task", len(rows))
    assert found.average_ranks.tolist() == expected.average_ranks.tolist()
    assert found.kendall_w == expected.kendall_w


@pytest.mark.parametrize("tolerance", [0.0, 1.0, {SUPERGLUE.tasks[0]: 5.0}], ids=str)
def test_scores_are_ranked_with_their_tolerance(tolerance):
    found = ra.inference.friedman(SUPERGLUE, tolerance=tolerance)
    assert found == ra.inference.friedman(SUPERGLUE.rankings(tolerance))
    assert (found == ra.inference.friedman(SUPERGLUE)) == (tolerance == 0)


# -- Nemenyi --------------------------------------------------------------------------------------

# Demšar (2006), Table 5(a): critical values of the two-tailed Nemenyi test.
QUANTILES = {
    0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
}


@pytest.mark.parametrize("alpha", QUANTILES)
@pytest.mark.parametrize("k", range(2, 11))
def test_critical_differences_are_those_in_print(k, alpha):
    test = ra.inference.FriedmanTest.from_average_ranks([(k + 1) / 2] * k, 25)
    quantile = test.critical_difference(alpha) / np.sqrt(k * (k + 1) / (6 * 25))
    assert quantile == pytest.approx(QUANTILES[alpha][k - 2], abs=1.1e-3)


def test_the_example_of_demsar():
    names = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    test = ra.inference.FriedmanTest.from_average_ranks([3.143, 2.0, 2.893, 1.964], 14, items=names)
    assert test.statistic == pytest.approx(9.28, abs=0.01)
    assert test.f_statistic == pytest.approx(3.69, abs=0.01)
    assert test.f_df == (3, 39)
    assert stats.f.isf(0.05, *test.f_df) == pytest.approx(2.85, abs=0.005)
    # Section 3.2.2: nothing is decided at 0.05; at 0.10 C4.5 differs from the two best.
    assert test.groups(0.05) == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    assert test.groups(0.10) == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))
    assert "without ties" in test.notes[0]
    assert test.notes[0] in test.summary()


@given(observed(), st.sampled_from([0.001, 0.05, 0.3, 0.9]))
def test_p_values_agree_with_the_critical_difference(profile, alpha):
    test = ra.inference.friedman(profile)
    frame, bound = test.p_values(), test.critical_difference(alpha)
    assert list(frame.index) == list(frame.columns) == list(test.items)
    values = frame.to_numpy()
    assert np.array_equal(values, values.T)
    assert (np.diag(values) == 1).all()
    for i, j in combinations(range(profile.n_items), 2):
        apart = abs(test.average_ranks[i] - test.average_ranks[j])
        assert (values[i, j] < alpha) == (apart > bound)


@given(observed(max_size=6), st.floats(0.001, 0.999))
def test_groups_are_the_largest_sets_within_the_critical_difference(profile, alpha):
    test = ra.inference.friedman(profile)
    bound = test.critical_difference(alpha)
    rank = dict(zip(test.items, test.average_ranks, strict=True))
    within = [
        set(chosen)
        for size in range(1, len(rank) + 1)
        for chosen in combinations(rank, size)
        if max(map(rank.get, chosen)) - min(map(rank.get, chosen)) <= bound
    ]
    largest = [chosen for chosen in within if not any(chosen < other for other in within)]
    found = test.groups(alpha)
    assert sorted(map(sorted, found)) == sorted(map(sorted, largest))
    for group in found:
        assert [rank[item] for item in group] == sorted(rank[item] for item in group)
    assert [rank[group[0]] for group in found] == sorted(rank[group[0]] for group in found)


# -- average ranks alone --------------------------------------------------------------------------


@given(observed(ties=False))
def test_average_ranks_are_enough_without_ties(profile):
    full = ra.inference.friedman(profile)
    for digits, error in ((15, 1e-12), (2, 0.05)):
        test = ra.inference.FriedmanTest.from_average_ranks(
            full.average_ranks.round(digits), full.n_rankings, items=full.items
        )
        assert test.kendall_w == pytest.approx(full.kendall_w, abs=error)
        assert test.unit == "ranking"
    assert test.critical_difference() == full.critical_difference()


@pytest.mark.parametrize(
    ("values", "n", "words"),
    [
        ([1, 2, 4], 5, "sum to n(n + 1)/2 = 6. Got the sum 7."),
        ([0.5, 2.5, 3], 5, "the 1 smallest of which sum to 1 at least. Got the sum 0.5 of these."),
        ([1, 1, 4], 5, "the 2 smallest of which sum to 3 at least. Got the sum 2 of these."),
        ([1], 5, "`average_ranks` must be two finite numbers or more"),
        ([1, float("nan")], 5, "two finite numbers or more"),
        ([[1, 2]], 5, "`average_ranks` must be a flat sequence of numbers"),
        (["a"], 5, "a flat sequence of numbers"),
        *(([1, 2], n, "`n_rankings` must be an integer of at least 2") for n in (1, 2.5, "many")),
    ],
)
def test_average_ranks_that_cannot_be_are_refused(values, n, words):
    with pytest.raises(InvalidInputError) as caught:
        ra.inference.FriedmanTest.from_average_ranks(values, n)
    assert words in str(caught.value)
    with pytest.raises(InvalidInputError, match="`items` must be 2 labels"):
        ra.inference.FriedmanTest.from_average_ranks([1, 2], 5, items="ABC")


# -- what is refused ------------------------------------------------------------------------------


def test_incomplete_rankings_are_counted():
    some = ra.PartialRanking.from_order("AB", items="ABC")
    top = ra.PartialRanking.from_top_k("A", items="ABC")
    profile = ra.Profile([some, ra.Permutation.from_order("ABC"), top], counts=[2, 3, 5])
    with pytest.raises(InvalidInputError) as caught:
        ra.inference.friedman(profile)
    assert str(caught.value).startswith(
        "`data` must be complete rankings for Friedman's test. Got 7 incomplete ones of 10. "
        "Leave out"
    )
    assert ra.inference.friedman(profile[(profile.ranks >= 0).all(axis=1)]).n_rankings == 3
    with pytest.raises(InvalidInputError, match="4 incomplete ones of 4"):
        ra.inference.friedman(GAPS)


def test_weights_must_be_equal():
    weighted = SUPERGLUE.with_task_weights({SUPERGLUE.tasks[0]: 3})
    with pytest.raises(InvalidInputError, match=r"Got weights from 1 to 3.*with_task_weights"):
        ra.inference.friedman(weighted)
    assert ra.inference.friedman(weighted.with_task_weights({})) == ra.inference.friedman(SUPERGLUE)
    assert (
        ra.inference.friedman(ra.Profile.from_orders(["AB", "BA"], weights=[0.1, 0.1])).kendall_w
        == 0
    )


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (ra.Profile.from_orders(["ABC"]), "two rankings or more. Got 1 ranking."),
        (ra.Profile.from_orders(["A", "A"]), "rankings of two items or more"),
        (ra.Profile.from_ranks([[0, 0]] * 3),
         "rankings that tell items apart. Got a tie of all in every ranking."),
        (ra.Profile.from_orders(["AB", "BA"]).pairwise(), "a ScoreTable or a Profile"),
    ],
)  # fmt: skip
def test_other_data_are_refused(data, words):
    with pytest.raises(InvalidInputError) as caught:
        ra.inference.friedman(data)
    assert f"`data` must be {words}" in str(caught.value)
    one = ra.Profile.from_orders(["AB", "BA"], groups="xx")
    with pytest.raises(InvalidInputError, match=r"two tasks or more\. Got 1 task"):
        ra.inference.friedman(one, unit="task")


# -- how it is told -------------------------------------------------------------------------------


def test_the_summary_tells_statistics_and_groups():
    test = ra.inference.friedman(SUPERGLUE)
    lines = test.summary(alpha=0.1).splitlines()
    assert lines[0] == "6 items in 10 rankings; independent: rankings"
    assert lines[1] == "Friedman         chi-square 25.92, df 5, p 9.25e-05"
    assert lines[2] == "Iman, Davenport  F 9.687, df 5 and 45, p 2.5e-06"
    assert lines[3] == "Kendall          W 0.5184"
    assert lines[4].endswith(f"difference {test.critical_difference(0.1):.4g} at alpha 0.1")
    bars = [line for line in lines if line.startswith("not told apart")]
    assert len(bars) == sum(len(group) > 1 for group in test.groups(0.1))
    assert lines[-6].split() == ["Human", "2.100"]
    told = test.to_dict()
    assert (told["schema"], told["version"], told["f_df"]) == ("rankagg.friedman", 1, [5, 45])
    assert told["p_value"] == test.p_value
    assert dict(zip(told["items"], told["average_ranks"], strict=True)) == (
        test.to_frame()["average_rank"].to_dict()
    )
    short = test.summary(rows=2).splitlines()
    assert short[-1] == "... and 4 more items"
    assert sum(line.startswith("not told apart") for line in short) == 2


# -- Skillings and Mack ---------------------------------------------------------------------------


GAP = np.nan
# Minutes of four methods of assembly for nine persons: the example of Skillings and Mack (1981).
ASSEMBLY = [
    [3.2, 4.1, 3.8, 4.2], [3.1, 3.9, 3.4, 4.0], [4.3, 3.5, 4.6, 4.8], [3.5, 3.6, 3.9, 4.0],
    [3.6, 4.2, 3.7, 3.9], [4.5, 4.7, 3.7, GAP], [GAP, 4.2, 3.4, GAP], [4.3, 4.6, 4.4, 4.9],
    [3.5, GAP, 3.7, 3.9],
]  # fmt: skip


def table(rows, **more):
    return ra.ScoreTable(np.array(rows, dtype=float).T, higher_is_better=False, **more)


def by_hand(rows):
    """Return the statistic from the definitions, with the covariance of all orders of each row."""
    n = len(rows[0])
    sums, covariance = np.zeros(n), np.zeros((n, n))
    for row in np.array(rows, dtype=float):
        there = np.flatnonzero(~np.isnan(row))
        k = len(there)
        values = row[there]
        ranks = np.array([(values < v).sum() + ((values == v).sum() + 1) / 2 for v in values])
        points = np.sqrt(12 / (k + 1)) * (ranks - (k + 1) / 2)
        sums[there] += points
        orders = np.array(list(permutations(points)))
        covariance[np.ix_(there, there)] += orders.T @ orders / len(orders)
    return float(sums @ np.linalg.pinv(covariance) @ sums), np.linalg.matrix_rank(covariance)


def test_the_published_example():
    found = skillings_mack(table(ASSEMBLY), n_resamples=2000)
    assert found.statistic == pytest.approx(15.493049, abs=5e-7)
    assert (found.df, found.n_rankings) == (3, 9)
    assert found.chi2_p_value == pytest.approx(0.00144030, abs=5e-8)
    assert found.simulated_p_value < 0.003
    frame = found.to_frame()
    assert frame.index.tolist() == [0, 2, 1, 3]
    assert frame["average_points"].iloc[0] > 0 > frame["average_points"].iloc[-1]


@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=2, max_size=6))
def test_without_gaps_it_is_friedmans_test(rows):
    if all(len(set(row)) == 1 for row in rows):
        return
    scores = table(rows)
    found, friedman = (
        skillings_mack(scores, n_resamples=100),
        ra.inference.friedman(scores),
    )
    assert found.statistic == pytest.approx(friedman.statistic)
    assert found.df == friedman.df
    assert found.chi2_p_value == pytest.approx(friedman.p_value)


@settings(max_examples=40)
@given(
    st.lists(
        st.lists(st.sampled_from([0, 1, 2, 3, GAP]), min_size=4, max_size=4), min_size=2, max_size=6
    )
)
def test_against_the_definitions(rows):
    if any(np.isnan(row).all() for row in rows):
        return
    statistic, rank = by_hand(rows)
    if rank == 0:
        with pytest.raises(InvalidInputError, match="tell two items apart"):
            skillings_mack(table(rows))
        return
    found = skillings_mack(table(rows), n_resamples=100)
    assert found.statistic == pytest.approx(statistic, abs=1e-9)
    assert found.df == rank
    values = np.array(rows, dtype=float)
    ranks, k = (
        stats.rankdata(values, axis=1, nan_policy="omit"),
        (~np.isnan(values)).sum(axis=1)[:, None],
    )
    points, ranked = np.sqrt(12 / (k + 1)) * ((k + 1) / 2 - ranks), ~np.isnan(values).all(axis=0)
    average = np.nanmean(points[:, ranked], axis=0)
    assert found.average_points[ranked] == pytest.approx(average, abs=1e-12)
    assert np.isnan(found.average_points[~ranked]).all()
    assert found.n_telling == sum(len(set(row[~np.isnan(row)])) > 1 for row in values)


def test_simulated_p_values_come_near_enumerated_ones():
    rows = [[1, 2, 3], [1, 3, GAP], [2, 1, 1], [GAP, 1, 2]]
    seen = by_hand(rows)[0]
    orders = [
        [
            list(order)
            for order in permutations(row)
            if np.array_equal(np.isnan(order), np.isnan(row))
        ]
        for row in rows
    ]
    exact = np.mean([by_hand(chosen)[0] >= seen - 1e-9 for chosen in product(*orders)])
    found = skillings_mack(table(rows), n_resamples=5000)
    assert found.simulated_p_value == pytest.approx(exact, abs=0.025)
    assert found.p_value == found.simulated_p_value


def test_parts_that_nothing_links():
    ballots = ra.Profile.from_orders(["AB", "AB", "CD", "DC", "E"], items="ABCDE")
    found = skillings_mack(ballots)
    assert found.df == 2
    assert found.statistic == pytest.approx(2.0)
    assert len(found.notes) == 2
    assert "1 item is told from no other" in found.notes


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (ra.Profile.from_orders(["ABC"]), "two rankings or more"),
        (ra.Profile.from_orders(["A", "A"]), "two items or more"),
        (ra.Profile.from_orders(["A", "B"]), "tell two items apart"),
        (ra.Profile.from_orders(["AB", "BA"], weights=[1, 2]), "equal weight"),
        ([[1, 2]], "orders of labels that are texts"),
    ],
)
def test_bad_input_is_named(data, said):
    with pytest.raises(InvalidInputError, match=said):
        skillings_mack(data)


def test_a_p_value_that_no_float_holds_is_below_one():
    profile = ra.Profile.from_orders(["ABC", "BAC"], counts=[3000, 1])
    found = ra.inference.friedman(profile)
    assert found.p_value == 0
    assert "p < 1e-300" in str(found)
    assert "p < 1e-300" in repr(found)
