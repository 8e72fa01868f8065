"""Mechanisms of missing scores: removed entries, their frequencies, and the output of studies."""

from collections import Counter
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.testing.studies import RemovalContract, StudyContract
from tests.studies.test_missing_scores import LATENT, SMALL, make

S = ra.studies
TABLE = ra.ScoreTable(
    [[4, 7, 1], [3, 8, np.nan]], systems="AB", tasks="xyz", higher_is_better=True
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Stated(S.ScoreRemoval):
    """Log odds as they are given, row by row."""

    odds: tuple[float, ...]

    def _log_odds(self, scores, rng):
        return np.reshape(self.odds, (len(scores), -1))


class TestAtRandom(RemovalContract):
    removal = S.RandomRemoval()


class TestBySystem(RemovalContract):
    removal = S.RemovalBySystem(spread=3)


class TestByTask(RemovalContract):
    removal = S.RemovalByTask(spread=3)


class TestByScore(RemovalContract):
    removal = S.RemovalByScore(strength=5)


class TestByAge(RemovalContract):
    removal = S.RemovalByAge(strength=-1.5)


class TestBlocks(RemovalContract):
    removal = S.RemovalOfBlocks(n_systems=2, n_tasks=3)


class TestStudyOfSeveral(StudyContract):
    study = make(
        data=[SMALL, LATENT], rules=[ra.Borda()], proportions=[0.3], n_repetitions=2,
        removals=[S.RandomRemoval(), S.RemovalByScore(), S.RemovalOfBlocks()],
    )  # fmt: skip


# -- how often -------------------------------------------------------------------------------------


def chances(odds, number):
    """Draw one place after another, each in proportion to the odds of those that are left."""
    found = Counter()
    for order in permutations(odds, number):
        left, chance = dict(odds), 1.0
        for place in order:
            chance *= left[place] / sum(left.values())
            del left[place]
        found[frozenset(order)] += chance
    return found


def frequencies(removal, number, n_draws, table=TABLE):
    share, found, rng = number / (~table.missing).sum(), Counter(), np.random.default_rng(0)
    for _ in range(n_draws):
        left = removal.remove(table, share, rng=rng)
        kept = {(i, t) for t, row in zip(left.tasks, left.missing.T, strict=True)
                for i in np.flatnonzero(~row).tolist()}  # fmt: skip
        there = np.argwhere(~table.missing).tolist()
        gone = frozenset((i, j) for i, j in there if (i, table.tasks[j]) not in kept)
        found[gone] += 1 / n_draws
    return found


def assert_alike(found, expected, n_draws):
    assert found.keys() <= expected.keys()
    assert sum(expected.values()) == pytest.approx(1)
    for places, chance in expected.items():
        assert abs(found[places] - chance) < 4 * np.sqrt(chance * (1 - chance) / n_draws)


@pytest.mark.parametrize("number", [1, 3])
def test_sets_have_the_frequencies_of_sequential_draws(number):
    odds = {(0, 0): 1.0, (0, 1): 4.0, (0, 2): 0.5, (1, 0): 2.0, (1, 1): 1.0}
    logs = (*np.log(list(odds.values())), np.nan)
    found = frequencies(Stated(odds=logs), number, 400)
    assert_alike(found, chances(odds, number), 400)


# -- removed entries -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "removal", [S.RemovalBySystem(spread=2), S.RemovalByTask(spread=2)], ids=repr
)
def test_log_odds_of_systems_and_tasks_are_normal(removal):
    table, axis = TABLE.drop(tasks=["z"]), int(isinstance(removal, S.RemovalByTask))
    expected, rng = Counter(), np.random.default_rng(1)
    for _ in range(1000):
        worths = np.exp(rng.normal(0, 2, 2))
        odds = {place: worths[place[axis]] for place in np.ndindex(2, 2)}
        for places, chance in chances(odds, 2).items():
            expected[places] += chance / 1000
    assert_alike(frequencies(removal, 2, 300, table), expected, 300)


def test_infinite_odds_are_removed_first_or_never():
    removal = Stated(odds=(np.inf, -np.inf, np.inf, -np.inf, 0.0, 5.0))
    assert set(frequencies(removal, 1, 60)) == {frozenset({(0, 0)}), frozenset({(0, 2)})}
    assert set(frequencies(removal, 3, 20)) == {frozenset({(0, 0), (0, 2), (1, 1)})}
    with pytest.raises(InvalidInputError, match=r"leaves some of 5 entries; 3 may go\. Got 0.8"):
        removal.remove(TABLE, 0.8)
    with pytest.raises(InvalidInputError, match=r"leaves some of 5 entries; 4 may go\. Got 0.99"):
        S.RandomRemoval().remove(TABLE, 0.99)
    with pytest.raises(InvalidInputError, match="log odds of Stated"):
        Stated(odds=(np.nan, 0, 0, 0, 0, 0)).remove(TABLE, 0.2)


def test_old_systems_lack_new_tasks():
    scores = ra.distributions.LatentScores(np.zeros(4)).sample(4, rng=0)
    gone = S.RemovalByAge(strength=1e6).remove(scores, 3 / 16, rng=0).missing
    assert np.argwhere(gone).tolist() == [[0, 2], [0, 3], [1, 3]]


@pytest.mark.parametrize("whole_tasks", [True, False])
def test_blocks_are_removed_together(whole_tasks):
    scores = ra.distributions.LatentScores(np.zeros(6)).sample(8, 2, rng=0)
    shapes = set()
    for seed in range(10):
        removal = S.RemovalOfBlocks(n_systems=3, n_tasks=2)
        left = removal.remove(scores, 2 / 8, whole_tasks=whole_tasks, rng=seed)
        # A task may have lost both of its blocks.
        scored = left.to_frame().reindex(columns=scores.to_frame().columns).notna()
        gone = ~scored.to_numpy().reshape(6, 8, 2)
        assert (gone.all(axis=2) == gone.any(axis=2)).all()
        cells = gone.all(axis=2)
        # Two blocks: they may share their systems, or their tasks.
        shapes.add((cells.any(axis=1).sum(), cells.any(axis=0).sum()))
        assert cells.sum() == 12
    assert shapes <= {(3, 4), (6, 2), (6, 4)}
    assert len(shapes) > 1


@pytest.mark.parametrize(
    ("make_one", "message"),
    [
        (lambda: S.RemovalBySystem(spread=-1), "spread of RemovalBySystem"),
        (lambda: S.RemovalByScore(strength=np.nan), "strength of RemovalByScore"),
        (lambda: S.RemovalOfBlocks(n_tasks=0), "n_tasks of RemovalOfBlocks"),
        (lambda: S.RandomRemoval().remove(TABLE, 1.0), "proportion"),
        (lambda: S.RandomRemoval().remove(TABLE, 0.5, whole_tasks=1), "whole_tasks"),
    ],
)
def test_bad_values_are_named(make_one, message):
    with pytest.raises(InvalidInputError, match=message):
        make_one()


# -- in a study ------------------------------------------------------------------------------------


def test_a_mechanism_is_shown_unless_it_is_the_default():
    few = {"data": [LATENT], "proportions": [0, 0.3], "rules": [ra.Mean(), ra.Borda()]}
    usual = make(**few).run()
    assert "removal" not in usual.to_frame()
    assert "removal" not in usual.by_method().index.names
    assert "at once: completely at random\n" in usual.summary()
    removals = [S.RandomRemoval(), S.RemovalBySystem()]
    both = make(**few, removals=removals).run()
    names = ["completely at random", "by system"]
    index = ["model", "scale", "proportion", "removal", "method"]
    assert both.by_method().index.names == index
    shown = both._table()
    assert shown.columns.tolist() == ["model", "removal", "method", "0 %", "30 %"]
    assert shown["removal"].tolist() == [name for name in names for _ in both.study.methods]
    assert shown["method"].tolist() == [*both.study.methods] * 2
    assert "at once: completely at random; by system\n" in both.summary()
    assert f"{LATENT.name}, by system: over all proportions removed" in both.summary()
    assert "by system & Mean" in both.to_latex()


def test_impossible_proportions_are_refused_before_any_run():
    never = Stated(odds=(-np.inf,) * 5 + (0.0,) * 7)
    with pytest.raises(InvalidInputError, match="leaves some of 11 entries; 6 may go"):
        make(data=[SMALL], proportions=[0.1, 0.8], removals=[never])


# -- the figures of the page -----------------------------------------------------------------------
