"""Corruptions: each against its definition, and all against their contract."""

from dataclasses import dataclass

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.studies import (
    AdversarialScores,
    CopiedScores,
    Corruption,
    NoisyScores,
    RescaledScores,
    ReversedScores,
)
from rankagg.testing.studies import CorruptionContract

TABLE = ra.ScoreTable(
    np.random.default_rng(0).normal(size=(5, 6)), systems="ABCDE", tasks=list("xxyyzz"),
    instances=[0, 1] * 3, higher_is_better=True,
)  # fmt: skip


class TestReversed(CorruptionContract):
    corruption = ReversedScores()


class TestAdversarial(CorruptionContract):
    corruption = AdversarialScores(step=2)


class TestRescaled(CorruptionContract):
    corruption = RescaledScores(factor=10, after=AdversarialScores())


class TestCopied(CorruptionContract):
    corruption = CopiedScores()


class TestNoisy(CorruptionContract):
    corruption = NoisyScores(proportion=0.5, after=ReversedScores())


def task_of(table, task):
    return table.values[:, table.unit_tasks == table.tasks.index(task)]


def test_reversed_scores_have_the_same_range_and_the_opposite_order():
    table = ra.ScoreTable([[1.0], [7.0], [7.0], [3.0]], higher_is_better=False)
    assert ReversedScores().corrupt(table, [0]).values.ravel().tolist() == [7.0, 1.0, 1.0, 5.0]


@pytest.mark.parametrize("step", [0.0, 1.0, 2.5])
def test_adversarial_scores_follow_the_reversed_truth(step):
    truth = ra.Permutation.from_order([2, 0, 1])  # heights 2, 1, 3
    table = ra.ScoreTable(np.zeros((3, 40_000)), tasks=["x"] * 40_000,
                          instances=range(40_000), higher_is_better=True)  # fmt: skip
    found = AdversarialScores(step=step).corrupt(table, ["x"], truth, rng=0).values
    means = [-step * height + np.euler_gamma for height in (2, 1, 3)]
    np.testing.assert_allclose(found.mean(axis=1), means, atol=5 * np.pi / np.sqrt(6 * 40_000))
    np.testing.assert_allclose(found.std(axis=1), np.pi / np.sqrt(6), rtol=0.03)


def test_the_default_truth_is_the_borda_ranking():
    truth = ra.Borda().aggregate(TABLE).ranking
    found = AdversarialScores().corrupt(TABLE, ["x"], rng=0)
    assert found == AdversarialScores().corrupt(TABLE, ["x"], truth, rng=0)
    assert found != AdversarialScores().corrupt(TABLE, ["x"], truth.reverse(), rng=0)


def test_copies_repeat_the_instances_of_the_first_task():
    table = ra.ScoreTable(
        [[1.0, 2, 3, 4, 5, 6], [9.0, 8, 7, 6, 5, 4]], tasks=list("xyyyzz"),
        instances=[0, 0, 1, 2, 0, 1], higher_is_better={"x": True, "y": False, "z": True},
    )  # fmt: skip
    found = CopiedScores().corrupt(table, ["z", "y"])
    assert found.values.tolist() == [[1, -5, -6, -5, 5, 6], [9, -5, -4, -5, 5, 4]]


@pytest.mark.parametrize("proportion", [0.0, 0.3, 1.0])
def test_noise_is_that_proportion_of_the_variance(proportion):
    values = np.random.default_rng(1).normal(5, 3, size=(20_000, 1))
    found = NoisyScores(proportion=proportion).corrupt(
        ra.ScoreTable(values, higher_is_better=True), [0], rng=0
    )
    explained = np.corrcoef(found.values[:, 0], values[:, 0])[0, 1] ** 2
    assert explained == pytest.approx(1 - proportion, abs=0.03)
    assert found.values.std() == pytest.approx(values.std(), rel=0.03)
    assert found.values.mean() == pytest.approx(values.mean(), abs=0.1)


@pytest.mark.parametrize(
    "corruption",
    [AdversarialScores(), NoisyScores(), RescaledScores(factor=2, after=NoisyScores())],
)
def test_draws_for_a_task_do_not_depend_on_later_tasks(corruption):
    one = corruption.corrupt(TABLE, ["y"], rng=5)
    two = corruption.corrupt(TABLE, ["y", "z"], rng=5)
    np.testing.assert_array_equal(task_of(one, "y"), task_of(two, "y"))


@dataclass(frozen=True, kw_only=True)
class Lost(Corruption):
    """Returns what it should not."""

    what: float = np.nan

    def _corrupted(self, tasks, heights, rng):
        return [self.what * task if self.what != 7 else task[:1] for task in tasks]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        *((lambda by=by: RescaledScores(factor=by), "factor of Rescaled")
          for by in (0.0, -1.0, np.nan, np.inf, "2")),
        (lambda: NoisyScores(proportion=1.5), "proportion of Noisy"),
        (lambda: Lost().corrupt(TABLE, ["x"]), r"scores of Lost.*finite scores of shape \(5, 2\)"),
        (lambda: Lost(what=7).corrupt(TABLE, ["x"]), r"finite scores of shape \(5, 2\)"),
        (
            lambda: CopiedScores().corrupt(ra.ScoreTable(
                                                   [[1, np.nan]] * 2, tasks="xx", instances=[0, 1],
                                                   higher_is_better=True), ["x"]),
            r"complete for scores that are copied. Got 2 missing scores. `ScoreTable.drop` leaves",
        ),
    ],
)  # fmt: skip
def test_bad_parameters_are_named(call, words):
    with pytest.raises(InvalidInputError, match=words):
        call()
