"""Ranks on one more task: order statistics, what gaps and ties may hide, and coverage."""

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.inference import new_task_ranks


def table_of(values, **options):
    return ra.ScoreTable(values, higher_is_better=True, **options)


def test_ends_are_order_statistics():
    scores = np.random.default_rng(0).normal(size=(5, 59)) + np.arange(5)[:, None]
    ranks = (scores[:, None] < scores[None]).sum(axis=1) + 1
    found = new_task_ranks(table_of(scores), alpha=0.1)
    ordered = np.sort(ranks, axis=1)
    assert found.best.tolist() == ordered[:, 2].tolist()  # k = floor(60 * 0.05) = 3
    assert found.worst.tolist() == ordered[:, -3].tolist()


def test_ties_and_gaps_may_be_any_order():
    # On all tasks A and B tie before D, and C has no score: the best rank of B is 1, the worst 3.
    table = table_of(np.tile([[2.0], [2], [np.nan], [1]], 19), systems="ABCD")
    with_c = table_of(np.hstack([table.values, [[0.0], [0], [9], [1]]]), systems="ABCD")
    found = new_task_ranks(with_c, alpha=0.1).to_frame()
    assert found.loc["B"].tolist() == [1, 4, 20]
    assert found.loc["D"].tolist() == [2, 4, 20]
    assert found.loc["C"].tolist() == [1, 4, 1]
    near = table_of(np.tile([[2.0], [1.9], [1]], 19))
    assert new_task_ranks(near, alpha=0.1).worst.tolist() == [1, 2, 3]
    assert new_task_ranks(near, alpha=0.1, tolerance=0.2).worst.tolist() == [2, 2, 3]


def test_a_family_counts_once_however_many_tasks_it_has():
    rng = np.random.default_rng(2)
    scores, sizes = rng.normal(size=(4, 39)) + np.arange(4)[:, None], rng.integers(1, 6, 39)
    copies = np.repeat(np.arange(39), sizes)
    families = dict(enumerate(copies.tolist()))
    found = new_task_ranks(table_of(scores[:, copies], task_families=families), alpha=0.1)
    assert found == new_task_ranks(table_of(scores), alpha=0.1)


def test_ranks_of_a_family_share_its_weight():
    # Of 38 families, the first system is last on a task in four of one, and second on all of one.
    values = np.array([[9.0] * 41, [5.0] * 41, [1.0] * 41])
    values[0, [0, 4]] = 0, 3
    table = table_of(values, task_families=dict.fromkeys(range(4), "a"))
    ends = {0.2: 3, 0.3: 2, 1.2: 2, 1.3: 1}
    for weight, worst in ends.items():
        found = new_task_ranks(table, alpha=2 * (weight + 1) / 39)
        assert (found.worst[0], found.n_tasks[0]) == (worst, 38)


def test_the_summary_names_items_with_few_or_no_scores():
    few = new_task_ranks(table_of([[1.0, 2.0], [2.0, 3.0], [np.nan, np.nan]], systems="ABC"))
    assert few.to_frame().to_numpy().tolist() == [[1, 3, 2], [1, 3, 2]]
    text = few.summary()
    assert "Ranks of 3 systems on one more task, level 95 % for each" in text
    assert "scored on fewer than 39 independent tasks, so that every rank is possible" in text
    assert "without any score, so left out: C" in text
    with pytest.raises(InvalidInputError, match="`table` must be a ScoreTable"):
        new_task_ranks(ra.Profile.from_orders(["AB"]))


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_intervals_cover_the_rank_on_the_next_task(gaps):
    """Nominal 90: each system's rank on the task that was held out, over 300 tables."""
    rng, covered = np.random.default_rng(1), []
    for _ in range(300):
        scores = rng.normal(size=(6, 1)) + rng.gumbel(size=(6, 40))
        known = np.where(rng.random((6, 39)) < gaps, np.nan, scores[:, 1:])
        new = (scores[:, :1] < scores[:, 0]).sum(axis=1) + 1
        found = new_task_ranks(table_of(known), alpha=0.1)
        covered.append((found.best <= new) & (new <= found.worst))
    assert np.mean(covered) >= 0.9


def test_coverage_of_a_task_of_a_new_family():
    """Nominal 80, where tasks of a family are nearly alike: 200 tables of 9 families."""
    rng, covered = np.random.default_rng(3), []
    for _ in range(200):
        family = np.repeat(np.arange(10), rng.integers(1, 12, 10))
        scores = rng.normal(size=(20, 10))[:, family]
        scores += rng.normal(scale=0.1, size=scores.shape)
        known, new = family < 9, rng.choice(np.flatnonzero(family == 9))
        rank = (scores[:, [new]] < scores[:, new]).sum(axis=1) + 1
        families = dict(enumerate(family[known].tolist()))
        found = new_task_ranks(table_of(scores[:, known], task_families=families), alpha=0.2)
        covered.append((found.best <= rank) & (rank <= found.worst))
    assert np.mean(covered) >= 0.8
