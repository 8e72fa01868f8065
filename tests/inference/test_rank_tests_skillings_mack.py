"""Skillings and Mack's test against a published example, Friedman's test and enumeration."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

import rankagg as ra
from rankagg.exceptions import InvalidInputError

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
    found = ra.skillings_mack(table(ASSEMBLY), n_resamples=2000)
    assert found.statistic == pytest.approx(15.493049, abs=5e-7)
    assert (found.df, found.n_rankings) == (3, 9)
    assert found.chi2_p_value == pytest.approx(0.00144030, abs=5e-8)
    assert found.simulated_p_value < 0.003
    assert found.to_frame().index.tolist() == [0, 2, 1, 3]


@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=2, max_size=6))
def test_without_gaps_it_is_friedmans_test(rows):
    if all(len(set(row)) == 1 for row in rows):
        return
    scores = table(rows)
    found, friedman = ra.skillings_mack(scores, n_resamples=100), ra.friedman(scores)
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
            ra.skillings_mack(table(rows))
        return
    found = ra.skillings_mack(table(rows), n_resamples=100)
    assert found.statistic == pytest.approx(statistic, abs=1e-9)
    assert found.df == rank
    values = np.array(rows, dtype=float)
    ranks, k = rankdata(values, axis=1, nan_policy="omit"), (~np.isnan(values)).sum(axis=1)[:, None]
    points, ranked = np.sqrt(12 / (k + 1)) * (ranks - (k + 1) / 2), ~np.isnan(values).all(axis=0)
    average = np.nanmean(points[:, ranked], axis=0)
    assert found.average_points[ranked] == pytest.approx(average, abs=1e-12)
    assert np.isnan(found.average_points[~ranked]).all()
    assert found.n_telling == sum(len(set(row[~np.isnan(row)])) > 1 for row in values)


def test_simulated_p_values_come_near_enumerated_ones():
    rows = [[1, 2, 3], [1, 3, GAP], [2, 1, 1], [GAP, 1, 2]]
    seen = by_hand(rows)[0]
    orders = []
    for row in rows:
        there = [i for i in range(3) if not np.isnan(row[i])]
        orders.append([])
        for order in permutations([row[i] for i in there]):
            new = list(row)
            for i, value in zip(there, order, strict=True):
                new[i] = value
            orders[-1].append(new)
    exact = np.mean([by_hand(chosen)[0] >= seen - 1e-9 for chosen in product(*orders)])
    found = ra.skillings_mack(table(rows), n_resamples=5000)
    assert found.simulated_p_value == pytest.approx(exact, abs=0.025)
    assert found.p_value == found.simulated_p_value


def test_what_was_observed_is_one_of_the_draws():
    rows = np.tile(np.arange(6.0), (12, 1))
    found = ra.skillings_mack(table(rows), n_resamples=500)
    assert found.simulated_p_value == 1 / 500


def test_many_units_are_not_simulated():
    rows = np.random.default_rng(0).normal(size=(51, 3))
    found = ra.skillings_mack(table(rows))
    assert (found.simulated_p_value, found.n_resamples) == (None, 0)
    assert found.p_value == found.chi2_p_value


def test_counts_are_repetitions():
    ballots = ra.Profile.from_orders(["ABC", "BA", "CB"], counts=[3, 2, 4])
    spread = ra.Profile.from_orders(["ABC"] * 3 + ["BA"] * 2 + ["CB"] * 4)
    one, other = (ra.skillings_mack(data, n_resamples=2000) for data in (ballots, spread))
    assert one == other
    assert one.n_rankings == 9


def test_parts_that_nothing_links():
    ballots = ra.Profile.from_orders(["AB", "AB", "CD", "DC", "E"], items="ABCDE")
    found = ra.skillings_mack(ballots)
    assert found.df == 2
    assert found.statistic == pytest.approx(2.0)
    assert len(found.notes) == 2
    assert "1 item is told from no other" in found.notes


def test_items_of_a_unit_are_ranked_once():
    rng = np.random.default_rng(0)
    values = np.repeat(rng.normal(size=(3, 4)), 2, axis=1)
    values[1, :2] = np.nan
    scores = ra.ScoreTable(
        values, tasks=np.repeat(range(4), 2).tolist(), instances=[0, 1] * 4, higher_is_better=True
    )
    once = ra.ScoreTable(values[:, ::2], higher_is_better=True)
    one, two = ra.skillings_mack(scores, unit="task"), ra.skillings_mack(once)
    assert one.statistic == pytest.approx(two.statistic)
    assert one.n_rankings == 4
    values[0, 0] = np.nan
    uneven = ra.ScoreTable(
        values, tasks=np.repeat(range(4), 2).tolist(), instances=[0, 1] * 4, higher_is_better=True
    )
    with pytest.raises(InvalidInputError, match="the same items within every unit"):
        ra.skillings_mack(uneven, unit="task")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (ra.Profile.from_orders(["ABC"]), "two rankings or more"),
        (ra.Profile.from_orders(["A", "A"]), "two items or more"),
        (ra.Profile.from_orders(["A", "B"]), "tell two items apart"),
        (ra.Profile.from_orders(["AB", "BA"], weights=[1, 2]), "equal weight"),
        ([[1, 2]], "ScoreTable or a Profile"),
    ],
)
def test_bad_input_is_named(data, said):
    with pytest.raises(InvalidInputError, match=said):
        ra.skillings_mack(data)


@pytest.mark.slow
def test_it_holds_its_level_with_gaps():
    rng = np.random.default_rng(0)
    wrong = np.zeros(2)
    for seed in range(600):
        rows = rng.normal(size=(8, 5))
        rows[rng.random(rows.shape) < 0.3] = np.nan
        rows[np.isnan(rows).all(axis=1), 0] = 0.0
        rows[0] = rng.normal(size=5)
        found = ra.skillings_mack(table(rows), n_resamples=400, rng=seed)
        wrong += [found.simulated_p_value <= 0.05, found.chi2_p_value <= 0.05]
    simulated, _ = wrong / 600
    assert 0.05 - 3 * 0.0089 <= simulated <= 0.05 + 3 * 0.0089
