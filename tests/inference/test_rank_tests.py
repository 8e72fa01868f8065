"""Friedman's test against SciPy, Kendall's W by hand, and Nemenyi's differences against print."""

from functools import partial
from itertools import combinations

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


def mid_ranks(profile):
    """Return the mid-ranks from 1 of all rankings, repeated ones as rows of their own."""
    return np.repeat([stats.rankdata(row) for row in profile.ranks], profile.counts, axis=0)


# -- Friedman -------------------------------------------------------------------------------------


@given(observed(min_size=3))
def test_chi_square_and_its_p_value_are_those_of_scipy(profile):
    test = ra.inference.friedman(profile)
    expected = stats.friedmanchisquare(*mid_ranks(profile).T)
    assert test.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert test.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    assert test.df == profile.n_items - 1


# -- Nemenyi --------------------------------------------------------------------------------------

# Demšar (2006), Table 5(a): critical values of the two-tailed Nemenyi test.
QUANTILES = {
    0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
}


def printed(ranks, n_rankings, items=None):
    """Return the test of average ranks that are printed somewhere."""
    values, k = np.array(ranks), len(ranks)
    w = 12 * ((values - values.mean()) ** 2).sum() / (k**3 - k)
    return ra.inference.FriedmanTest(
        items=ra.ItemSet(items or range(k)), average_ranks=values, n_rankings=n_rankings,
        kendall_w=float(w), unit="ranking", notes=(),
    )  # fmt: skip


@pytest.mark.parametrize("alpha", QUANTILES)
@pytest.mark.parametrize("k", range(2, 11))
def test_critical_differences_equal_published_values(k, alpha):
    test = printed([(k + 1) / 2] * k, 25)
    quantile = test.critical_difference(alpha) / np.sqrt(k * (k + 1) / (6 * 25))
    assert quantile == pytest.approx(QUANTILES[alpha][k - 2], abs=1.1e-3)


def test_the_example_of_demsar_is_reproduced():
    names = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    test = printed([3.143, 2.0, 2.893, 1.964], 14, items=names)
    assert test.statistic == pytest.approx(9.28, abs=0.01)
    assert test.f_statistic == pytest.approx(3.69, abs=0.01)
    assert test.f_df == (3, 39)
    assert stats.f.isf(0.05, *test.f_df) == pytest.approx(2.85, abs=0.005)
    # Section 3.2.2: nothing is decided at 0.05; at 0.10 C4.5 differs from the two best.
    assert test.groups(0.05) == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    assert test.groups(0.10) == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))


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


# -- refusals -------------------------------------------------------------------------------------


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
         "rankings that order some items. Got a tie of all in every ranking."),
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


# -- summary and plain data -----------------------------------------------------------------------


def test_the_summary_states_statistics_and_groups():
    test = ra.inference.friedman(SUPERGLUE)
    lines = test.summary(alpha=0.1).splitlines()
    assert lines[0] == "6 items in 10 rankings; independent: rankings"
    assert lines[1] == "Friedman         chi-square 25.92, df 5, p 9.25e-05"
    assert lines[2] == "Iman, Davenport  F 9.687, df 5 and 45, p 2.5e-06"
    assert lines[3] == "Kendall          W 0.5184"
    assert lines[4].endswith(f"difference {test.critical_difference(0.1):.4g} at alpha 0.1")
    bars = [line for line in lines if line.startswith("not separated")]
    assert len(bars) == sum(len(group) > 1 for group in test.groups(0.1))
    assert lines[-6].split() == ["Human", "2.100"]
    fields = test.to_dict()
    assert (fields["schema"], fields["version"], fields["f_df"]) == ("rankagg.friedman", 1, [5, 45])
    assert fields["p_value"] == test.p_value
    assert dict(zip(fields["items"], fields["average_ranks"], strict=True)) == (
        test.to_frame()["average_rank"].to_dict()
    )
    short = test.summary(rows=2).splitlines()
    assert short[-1] == "... and 4 more items"
    assert sum(line.startswith("not separated") for line in short) == 2


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


def test_the_published_example_is_reproduced():
    found = skillings_mack(table(ASSEMBLY), n_resamples=2000)
    assert found.statistic == pytest.approx(15.493049, abs=5e-7)
    assert (found.df, found.n_rankings) == (3, 9)
    assert stats.chi2.sf(found.statistic, 3) == pytest.approx(0.00144030, abs=5e-8)
    assert found.p_value < 0.003
    frame = found.to_frame()
    assert frame.index.tolist() == [0, 2, 1, 3]
    assert frame["average_points"].iloc[0] > 0 > frame["average_points"].iloc[-1]


@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=2, max_size=6))
def test_without_gaps_skillings_mack_is_friedmans_test(rows):
    if all(len(set(row)) == 1 for row in rows):
        return
    scores = table(rows)
    found, friedman = (
        skillings_mack(scores, n_resamples=100),
        ra.inference.friedman(scores),
    )
    assert found.statistic == pytest.approx(friedman.statistic)
    assert found.df == friedman.df


def test_without_gaps_skillings_mack_of_many_items_is_friedmans_test():
    scores = np.random.default_rng(0).normal(size=(260, 12)) + np.linspace(6, 0, 260)[:, None]
    many = ra.ScoreTable(scores, higher_is_better=True)
    test = ra.inference.skillings_mack(many, n_resamples=100, rng=0)
    friedman = ra.inference.friedman(many)
    assert test.statistic == pytest.approx(friedman.statistic)
    np.testing.assert_allclose(test.average_ranks, friedman.average_ranks)


def test_many_units_have_the_p_value_of_chi_square():
    many = ra.Profile.from_orders(["ABC", "BAC", "CAB"], counts=[20, 20, 11])
    found = skillings_mack(many)
    assert (found.n_resamples, "by chi-square" in found.summary()) == (0, True)
    assert found.p_value == pytest.approx(ra.inference.friedman(many).p_value)


def test_a_p_value_that_no_float_holds_is_below_one():
    profile = ra.Profile.from_orders(["ABC", "BAC"], counts=[3000, 1])
    found = ra.inference.friedman(profile)
    assert found.p_value == 0
    assert "p < 1e-300" in str(found)
    assert "p < 1e-300" in repr(found)
