"""Tests of every two systems, and the bars and ranks of tests with gaps, against slow oracles."""

from itertools import combinations

import numpy as np
import pytest
import scipy

import rankagg as ra
from rankagg.inference.rank_tests import neighbor_groups
from tests.plotting.reading import notes, of_group

RNG = np.random.default_rng(3)
SCORES = RNG.normal(size=(6, 14)) + np.linspace(3, 0, 6)[:, None]
TABLE = ra.ScoreTable(SCORES, systems="ABCDEF", higher_is_better=True)
GAPS = ra.ScoreTable(
    np.where(RNG.random(SCORES.shape) < 0.2, np.nan, SCORES),
    systems="ABCDEF",
    higher_is_better=True,
)


def holm_by_hand(p):
    order, found, largest = sorted(p, key=p.get), {}, 0.0
    for k, pair in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - k) * p[pair]))
        found[pair] = largest
    return found


def test_p_values_are_those_of_scipy_by_holm():
    found = ra.inference.pairwise_tests(TABLE, method="wilcoxon")
    ranks = (len(SCORES) + 1 - scipy.stats.rankdata(SCORES, axis=0)).mean(axis=1)
    np.testing.assert_allclose(found.average_ranks, ranks)
    single = {
        (a, b): scipy.stats.wilcoxon(SCORES[a], SCORES[b]).pvalue
        for a, b in combinations(range(6), 2)
    }
    values = found.p_values().to_numpy()
    for (a, b), p in holm_by_hand(single).items():
        assert values[a, b] == values[b, a] == pytest.approx(p)
    assert (
        found.to_frame()["decided"].sum()
        == (np.triu(values, 1)[np.triu_indices(6, 1)] <= 0.05).sum()
    )


def runs_by_force(ranks, apart):
    order = np.argsort(ranks, kind="stable").tolist()
    runs = [
        order[i:j] for i in range(len(order)) for j in range(i + 1, len(order) + 1)
        if not any(apart[a, b] for a, b in combinations(order[i:j], 2))
    ]  # fmt: skip
    return [run for run in runs if not any(set(run) < set(other) for other in runs)]


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_the_largest_runs_without_a_decided_pair(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    apart = np.triu(rng.random((n, n)) < 0.3, k=1)
    apart, ranks = apart | apart.T, rng.random(n)
    found = [run.tolist() for run in neighbor_groups(ranks, apart)]
    assert found == runs_by_force(ranks, apart)


def test_without_gaps_ranks_and_p_values_are_those_of_friedman_and_nemenyi():
    plain, found = ra.inference.friedman(TABLE), ra.inference.skillings_mack(TABLE, rng=0)
    np.testing.assert_allclose(found.average_ranks, plain.average_ranks)
    np.testing.assert_allclose(found.p_values(), plain.p_values(), atol=1e-9)
    assert found.groups(0.1) == plain.groups(0.1)
    tied = ra.datasets.load("superglue_human")
    np.testing.assert_allclose(
        ra.inference.skillings_mack(tied, rng=0).average_ranks,
        ra.inference.friedman(tied).average_ranks,
    )


def test_errors_are_those_of_random_orders_within_tasks():
    found = ra.inference.skillings_mack(GAPS, rng=0, n_resamples=100)
    scores, drawn, rng = GAPS.values, [], np.random.default_rng(1)
    for _ in range(400):
        mixed = scores.copy()
        for task in mixed.T:
            present = ~np.isnan(task)
            task[present] = rng.permutation(task[present])
        table = ra.ScoreTable(mixed, systems="ABCDEF", higher_is_better=True)
        drawn.append(ra.inference.skillings_mack(table, rng=0, n_resamples=100).average_ranks)
    spread = np.std(np.array(drawn)[:, :, None] - np.array(drawn)[:, None, :], axis=0)
    np.testing.assert_allclose(spread[np.triu_indices(6, 1)], found.errors[np.triu_indices(6, 1)],
                               rtol=0.12)  # fmt: skip


def test_unconnected_parts_are_not_separated():
    nan = np.nan
    table = ra.ScoreTable(
        [[9, 9, 9, nan, nan], [1, 1, 2, nan, nan], [nan, nan, nan, 5, 6], [nan, nan, nan, 1, 1]],
        systems="ABCD", higher_is_better=True,
    )  # fmt: skip
    found = ra.inference.skillings_mack(table, rng=0, n_resamples=100)
    assert np.isnan(found.errors[:2, 2:]).all()
    assert (found.p_values().to_numpy()[:2, 2:] == 1).all()


@pytest.mark.parametrize("table", [TABLE, GAPS], ids=["whole", "gaps"])
def test_the_plot_explains_bars_and_counts_other_pairs(table):
    for test, words in (
        (ra.inference.pairwise_tests(table, method="sign"), "sign tests of 15 pairs with Holm"),
        (ra.inference.skillings_mack(table, rng=0, n_resamples=100), "Skillings and Mack"),
    ):
        ax = test.plot()
        assert words in notes(ax)
        assert not of_group(ax, "ruler")
        groups = [group for group in test.groups() if len(group) > 1]
        assert len(of_group(ax, "group")) == len(groups)
        joined = {frozenset(pair) for group in groups for pair in combinations(group, 2)}
        values = test.p_values()
        level = [p for p in combinations("ABCDEF", 2) if values.loc[p] > 0.05]
        rest = len([pair for pair in level if frozenset(pair) not in joined])
        assert (f"{rest} more pair" in notes(ax)) == (rest > 0)
