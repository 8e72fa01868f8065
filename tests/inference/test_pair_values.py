"""Assumptions of tests, checked in the data: symmetric differences, independent instances."""

import re

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.inference.ranks.rank_intervals import _selection_note
from rankagg.inference.ranks.sign_flips import asymmetry_note
from rankagg.inference.units import _neighbor_note
from tests.sentences.definitions import correlation_of_gaps


def table(scores, **more):
    return ra.ScoreTable(scores, higher_is_better=True, **more)


def about(notes, words):
    return [note for note in notes if words in note]


def failing(tasks, failures):
    """Return scores of three systems; the first leads, and fails in some tasks."""
    scores = np.random.default_rng(1).normal(scale=0.2, size=(3, tasks))
    scores[0] += 1.0
    scores[0, :failures] -= 10.0
    return scores


# -- symmetry -------------------------------------------------------------------------------------


@pytest.mark.parametrize("turned", [False, True])
def test_one_sided_failures_are_noted_with_their_numbers(turned):
    scores = failing(60, 10)
    scores[:, :3] = 0.0
    scores[0, 20:23] = np.nan
    data = table(-scores if turned else scores)
    (note,) = about(ra.rank_intervals(data, of="mean").notes, "not symmetric")
    words = r"of (\d) less (\d) (\d+) lie above their mean and (\d+) below"
    first, second, above, below = map(int, re.search(words, note).groups())
    d = data.values[first] - data.values[second]
    assert (above, below) == ((d > np.nanmean(d)).sum(), (d < np.nanmean(d)).sum())
    assert 0 in (first, second)
    assert "majorities (pairwise)" in note
    assert "more tasks" in note
    (note,) = about(ra.paired_test(data, 0, 1).notes, "not symmetric")
    assert f"{above if (first, second) == (0, 1) else ''}" in note
    assert "`method='sign'`" in note
    assert about(ra.paired_test(data, 0, 1, method="wilcoxon").notes, "not symmetric")
    assert not about(ra.paired_test(data, 0, 1, method="sign").notes, "not symmetric")
    assert about(ra.inference.paired_tests(data, 2).notes, "not symmetric")


@pytest.mark.parametrize(
    "d",
    [
        np.zeros((0, 1)), np.zeros((12, 0)), np.zeros((12, 2)), np.ones((12, 1)),
        np.full((12, 1), np.nan), np.array([[1.0], [np.nan], [2.0]]), np.ones((1, 1)),
        # One large difference could be as large on the other side.
        np.array([[0.1, -0.1, 0.2, -0.2, 0.0, 0.1, -0.1, 50.0]]).T,
        # A middle that is where the mean is, nearly: no harm.
        np.array([10.0] * 20 + [9.0, 8.0, 7.5, 7.0, 6.5] * 2)[:, None],
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("error")
def test_symmetric_differences_have_no_note(d):
    assert asymmetry_note(d, [("A", "B"), ("A", "C")], "") == ()


def draws(kind, rng, size):
    if kind == "on scales":
        return rng.normal(size=size) * np.exp(rng.normal(size=(size[0], size[1], 1)))
    return {
        "normal": rng.normal, "t": lambda size: rng.standard_t(3, size=size),
        "answers": lambda size: rng.integers(0, 2, size).astype(float),
        "alike": lambda size: rng.exponential(size=size),
    }[kind](size=size)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "t", "on scales", "answers", "alike"])
@pytest.mark.parametrize("tasks", [6, 8, 12, 30])
def test_symmetric_differences_are_seldom_noted_as_asymmetric(kind, tasks):
    first, second = np.triu_indices(5, k=1)
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    is_noted = [
        bool(asymmetry_note(x[:, first] - x[:, second], pairs, ""))
        for x in draws(kind, np.random.default_rng(tasks), (200, tasks, 5))
    ]
    # The middle of answers that are right or wrong jumps: 8 % of 1200 tables of 30 tasks.
    assert np.mean(is_noted) <= (0.12 if kind == "answers" else 0.05)


# -- instances ------------------------------------------------------------------------------------

POOLED = "assumed independent"


def in_tasks(**more):
    values = np.random.default_rng(2).normal(size=(3, 24))
    usual = {"tasks": np.repeat(range(4), 6).tolist(), "instances": range(24)}
    return table(values, **{**usual, **more})


@pytest.mark.parametrize("of", ["mean", "borda", "pairwise"])
def test_pooled_instances_of_several_tasks_are_noted(of):
    data = in_tasks()
    (note,) = about(ra.rank_intervals(data, of=of).notes, POOLED)
    assert note.startswith("rankings of 4 tasks")
    assert about(ra.rank_intervals(data, of=of, unit="instance").notes, "instances of 4 tasks")
    for options in ({"unit": "task"}, {"fixed_tasks": True})[: 1 if of == "mean" else 2]:
        assert not about(ra.rank_intervals(data, of=of, **options).notes, POOLED)
    if of == "mean":
        with pytest.raises(InvalidInputError, match="`fixed_tasks` must be False for of='mean'"):
            ra.rank_intervals(data, of=of, fixed_tasks=True)


def test_every_result_with_pooled_instances_has_the_note():
    data = in_tasks()
    assert about(ra.PairwiseIntervals.from_data(data).notes, POOLED)
    assert about(ra.paired_test(data, 0, 1).notes, POOLED)
    assert len(about(ra.inference.paired_tests(data, 0).notes, POOLED)) == 1
    assert not about(ra.paired_test(data, 0, 1, unit="task").notes, POOLED)
    for test in (ra.inference.friedman, ra.inference.skillings_mack):
        assert about(test(data).notes, "rankings of 4 tasks")
        assert about(test(data, unit="instance").notes, "instances of 4 tasks")
        assert not about(test(data, unit="task").notes, POOLED)
    summary = ra.ScoreSummary.from_scores(data)
    assert about(ra.rank_intervals(summary).notes, POOLED)
    assert not about(ra.rank_intervals(summary, fixed_tasks=True).notes, POOLED)


# -- gaps that depend on scores -------------------------------------------------------------------


def with_gaps(rng, tasks, gaps):
    """Return scores of eight systems in tasks easy and hard; four hide low ones, or none does."""
    scores = rng.normal(size=(tasks, 1)) + rng.normal(size=(tasks, 8)) + rng.normal(size=8)
    drawn = rng.random(scores.shape)
    low = (scores < -0.7) & (np.arange(8) < 4) & (drawn < 0.8)
    scores[{"hidden": low, "any": drawn < 0.3, "weak": drawn < 0.05 * np.arange(8)}[gaps]] = np.nan
    return scores


def test_every_rule_notes_that_low_scores_are_missing():
    scores = with_gaps(np.random.default_rng(1), 40, "hidden")
    for sign, higher in ((1.0, True), (-1.0, False)):
        data = ra.ScoreTable(sign * scores.T, higher_is_better=higher)
        for of in ("mean", "borda", "pairwise"):
            (note,) = about(ra.rank_intervals(data, of=of).notes, "do worse")
            (stated,) = note.numbers
            assert stated.number == pytest.approx(correlation_of_gaps(scores), abs=1e-9)
    assert _selection_note(np.nan_to_num(scores)) == ()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scores", [np.full((9, 2), np.nan), np.zeros((0, 3)), np.eye(8)])
def test_tables_without_or_of_only_gaps_have_no_selection_note(scores):
    assert _selection_note(scores) == ()
    assert _selection_note(np.where(np.eye(len(scores), scores.shape[1]) > 0, np.nan, 1.0)) == ()


@pytest.mark.parametrize(
    ("gaps", "tasks", "least", "most"),
    [("any", 12, 0.0, 0.03), ("weak", 30, 0.0, 0.03), ("hidden", 12, 0.3, 0.6),
     ("hidden", 30, 0.85, 1.0)],
)  # fmt: skip
def test_the_selection_note_has_its_power_and_error_rate(gaps, tasks, least, most):
    rng = np.random.default_rng(tasks)
    is_noted = [bool(_selection_note(with_gaps(rng, tasks, gaps))) for _ in range(80)]
    assert least <= np.mean(is_noted) <= most


# -- columns that are like their neighbors ---------------------------------------------------------


def leaning(rng, columns, systems, by=0.6):
    """Draw scores, a row per column of a table, that lean on those of the column before."""
    rows = rng.normal(size=(columns, systems))
    for t in range(1, columns):
        rows[t] = by * rows[t - 1] + np.sqrt(1 - by**2) * rows[t]
    return rows


def neighbor_excess(scores):
    """Return how many standard deviations over all orders the mean correlation is above its mean.

    Without gaps; by the correlation of every pair of columns in every order.
    """
    rows = scores - scores.mean(axis=1, keepdims=True)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows -= rows.mean(axis=0)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    n, correlation = len(rows), rows @ rows.T
    pairs = correlation[~np.eye(n, dtype=bool)]
    found = correlation.diagonal(1).mean()
    return found, (found - pairs.mean()) / (pairs.std() / np.sqrt(n - 1))


@pytest.mark.parametrize("columns", [6, 25])
@pytest.mark.parametrize("by", [0.0, 0.3, 0.6])
def test_correlated_neighbors_are_noted(columns, by):
    rng = np.random.default_rng(columns)
    for _ in range(20):
        scores = leaning(rng, columns, 6, by) * rng.lognormal(size=(columns, 1))
        found, excess = neighbor_excess(scores)
        notes = _neighbor_note(scores)
        assert bool(notes) == (excess > stats.norm.isf(0.01))
        if notes:
            assert f"(mean correlation {found:.2f})" in notes[0]
            assert "depend on each other, declare families" in notes[0]


def test_the_note_on_neighbors_has_its_error_rate():
    rng = np.random.default_rng(0)
    for columns, power in ((8, 0.2), (25, 0.95)):
        equal = [_neighbor_note(rng.normal(size=(columns, 5))) for _ in range(200)]
        gaps = [rng.normal(size=(columns, 5)) for _ in range(200)]
        for scores in gaps:
            scores[rng.random(scores.shape) < 0.2] = np.nan
        assert sum(map(bool, equal)) <= 6  # of 200 at 1 %: 7 or more in one of 200 studies
        assert sum(bool(_neighbor_note(scores)) for scores in gaps) <= 6
        noted = [bool(_neighbor_note(leaning(rng, columns, 5))) for _ in range(60)]
        assert np.mean(noted) >= power


@pytest.mark.parametrize("scores", [
    np.ones((8, 3)), np.full((8, 3), np.nan), np.arange(24.0).reshape(8, 3) * 7e306,
    np.zeros((0, 3)), np.random.default_rng(0).normal(size=(5, 4)), np.ones((9, 1)),
    np.tile([1.0, 2.0, 4.0], (9, 1)),
])  # fmt: skip
def test_columns_that_do_not_vary_have_no_note(scores):
    assert _neighbor_note(scores) == ()


def test_columns_that_are_declared_have_no_note():
    scores = leaning(np.random.default_rng(2), 16, 6, 0.9).T
    table = ra.ScoreTable(scores, higher_is_better=True)
    for found in (
        ra.rank_intervals(table), ra.rank_intervals(table, of="mean"),
        ra.rank_intervals(table, of="pairwise"), ra.paired_test(table, 0, 1),
        ra.inference.paired_tests(table, 0),
    ):  # fmt: skip
        assert sum("neighboring tasks" in note for note in found.notes) == 1
    families = ra.ScoreTable(
        scores, higher_is_better=True, task_families={t: t // 4 for t in range(16)}
    )
    tasks = ra.ScoreTable(
        scores, tasks=np.repeat(range(8), 2).tolist(), instances=range(16), higher_is_better=True
    )
    shuffled = np.random.default_rng(0).permutation(16)
    for found in (
        ra.rank_intervals(families), ra.paired_test(families, 0, 1),
        ra.rank_intervals(tasks), ra.rank_intervals(tasks, unit="task"),
        ra.rank_intervals(ra.ScoreTable(scores[:, shuffled], higher_is_better=True)),
        ra.rank_intervals(table.rankings()),
    ):  # fmt: skip
        assert not any("neighboring tasks" in note for note in found.notes)
