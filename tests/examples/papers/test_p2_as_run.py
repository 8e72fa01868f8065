"""The experiment on tasks as it was run: its random merge, its sums, and the removed scores."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import kendalltau, rankdata

import rankagg as ra
from replication import p2_as_run as as_run
from replication.p2_as_run import (
    chance_of,
    pooled_as_shipped,
    run_again,
    shuffle,
    taus_of_rows,
)


def test_the_run_of_the_paper_repeats_with_its_seed(leaderboards):
    table = leaderboards["XTREME"]
    one, again = (run_again(table, 1, seed=seed) for seed in (5, 5))
    assert one == again
    assert one != run_again(table, 1, seed=6)
    # What is summed decides nothing about the mean, nor whether it takes part.
    assert run_again(table, 1, sums=("proportions",), seed=5)["proportions"] == one["proportions"]
    assert one["counts"].mean == one["proportions"].mean
    assert one["counts"].one_level < one["proportions"].one_level


def test_each_rule_is_compared_with_its_own_ranking_of_the_full_table(monkeypatch):
    # Where nothing is removed it is the same ranking, and the two rules differ.
    monkeypatch.setattr(as_run, "RUN_LEVELS", (0.0,))
    monkeypatch.setattr(as_run, "MEDIUM", (0.0, 1.0))
    table = ra.ScoreTable([[9, 1, 1], [2, 2, 2], [0, 0, 0]], higher_is_better=True)
    run = run_again(table, 1)["proportions"]
    assert (run.mean, run.one_level, run.tau) == (1.0, 1.0, pytest.approx(1 / 3))


@pytest.mark.parametrize(("place", "system"), [(0, "D"), (1, None), (2, None), (3, "A")])
def test_a_tied_place_counts_for_no_system(place, system):
    ranking = ra.PartialRanking.from_buckets(["A", "BC", "D"], items="ABCD")
    assert as_run._alone_in(ranking, place) == system
    assert as_run._same(ranking, ranking, place) == (system is not None)


def test_scores_are_removed_one_by_one():
    table = ra.ScoreTable(np.ones((30, 40)), higher_is_better=True)
    rng = np.random.default_rng(0)
    shares = np.array([as_run._remove(table, 0.3, rng).n_missing / 1200 for _ in range(50)])
    assert shares.mean() == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / 1200 / 50))
    assert shares.std() == pytest.approx(np.sqrt(0.21 / 1200), rel=0.5)
    assert as_run._remove(table, 0.0, rng).n_missing == 0
    assert as_run._remove(table, 1.0, rng) is None


@pytest.mark.parametrize(("a", "b"), [(1, 2), (2, 2), (3, 1), (0, 2)])
def test_the_random_merge_has_its_distribution(a, b):
    words = {"".join(word) for word in permutations("A" * a + "B" * b)}
    law = {word: float(chance_of(word)) for word in words}
    assert sum(law.values()) == 1
    rng = np.random.default_rng(0)
    size = 4000
    drawn = ["".join(shuffle("A" * a, "B" * b, rng)) for _ in range(size)]
    for word in words:
        error = np.sqrt(law[word] * (1 - law[word]) / size)
        assert abs(drawn.count(word) / size - law[word]) <= 5 * error
    # The lists keep their order.
    assert [x for x in shuffle(range(3), range(10, 13), rng) if x < 10] == [0, 1, 2]


def test_taus_of_rows_are_those_of_each_row():
    rng = np.random.default_rng(0)
    one, other = (rankdata(rng.integers(0, 4, (300, 4)), axis=1) for _ in range(2))
    taus = [kendalltau(a, b).statistic for a, b in zip(one, other, strict=True)]
    assert np.isnan(taus).any()
    assert taus_of_rows(one, other) == pytest.approx(np.nan_to_num(taus), abs=1e-12)


def test_the_program_pools_places_over_tables():
    # Two tables of three systems, and one of two; the last of each data set is left out.
    mean = [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]
    one_level = [[0.0, 2.0, 1.0], [0.5, 0.5, 2.0], [0.0, 1.0, 2.0]]
    two_levels = [[0.0, 2.0, 1.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]]
    pair = [[0.0, 1.0], [1.0, 0.0]]
    pooled = pooled_as_shipped([np.array([mean, one_level, two_levels]), np.array([pair] * 3)])
    near = 2 / 6**0.5
    taus = [1 / 3, near, 1.0], [1 / 3, 1 / 3, 1.0], [1.0, near, 1.0]
    # In the second table one level has no system in the last place, and of two none is third.
    tops = [(2 / 3, 1 / 3), (2 / 3, 1 / 3), (2 / 3, 2 / 3)]
    expected = [[np.mean(tau), np.std(tau), *top] for tau, top in zip(taus, tops, strict=True)]
    assert pooled == pytest.approx(np.array(expected))


def test_the_run_on_instances_is_reproduced(run_on_instances):
    runs = run_on_instances.rankings
    assert len(runs) == 34
    assert sum(run.shape[1] for run in runs) == 71_394
    # Of the smallest and the largest data set; tests of typed references go through all.
    for run in (min(runs, key=np.size), max(runs, key=np.size)):
        _, one, two = run[:, ::50]
        taus = [kendalltau(a, b).statistic for a, b in zip(one, two, strict=True)]
        assert taus_of_rows(one, two) == pytest.approx(np.nan_to_num(taus), abs=1e-12)
