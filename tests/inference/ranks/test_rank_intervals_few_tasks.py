"""Few tasks: equal systems are seldom told apart, others as often as was measured."""

import numpy as np
import pytest
from scipy import stats

import rankagg as ra

RUNS = 400
ALPHA = 0.05
# More wrong decisions than in all but one of 2000 studies of a method that keeps its level.
ALLOWED = stats.binom.ppf(1 - 1 / 2000, RUNS, ALPHA) / RUNS


def normal(rng, tasks, systems):
    return rng.normal(size=(systems, tasks))


def ties(rng, tasks, systems):
    return rng.integers(0, 3, size=(systems, tasks)).astype(float)


def clones(rng, tasks, systems):
    pairs = np.repeat(rng.normal(size=(systems // 2, tasks)), 2, axis=0)
    return pairs + 0.03 * rng.normal(size=pairs.shape)


def unequal(rng, tasks, systems):
    return np.linspace(0.2, 3, systems)[:, None] * rng.normal(size=(systems, tasks))


def heavy(rng, tasks, systems):
    return rng.standard_t(2, size=(systems, tasks))


def scaled(rng, tasks, systems):
    return np.exp(rng.normal(size=tasks)) * rng.normal(size=(systems, tasks))


NULLS = (normal, ties, clones, unequal, heavy, scaled)


def table(scores, **more):
    return ra.ScoreTable(
        scores, systems=range(len(scores)), tasks=range(scores.shape[1]), higher_is_better=True,
        **more,
    )  # fmt: skip


def wrong_share(once, seed):
    return np.mean([once(rng) for rng in np.random.default_rng(seed).spawn(RUNS)])


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [4, 6, 9, 12, 20])
@pytest.mark.parametrize("of", ["borda", "mean"])
@pytest.mark.parametrize("draw", NULLS, ids=lambda draw: draw.__name__)
def test_ten_equal_systems_are_seldom_told_apart(draw, of, tasks):
    def once(rng):
        ranks = ra.rank_intervals(table(draw(rng, tasks, 10)), of=of, n_resamples=1000, rng=rng)
        return ranks.decisions.above.any()

    share = wrong_share(once, 10 * tasks)
    assert share <= ALLOWED
    assert (share > 0) == (tasks >= 6)


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [6, 12, 20])
def test_equal_systems_with_gaps_or_weights_are_seldom_told_apart(tasks):
    def once(rng):
        scores = normal(rng, tasks, 8)
        scores[(rng.random(scores.shape) < 0.2) & (np.arange(8)[:, None] > 0)] = np.nan
        weights = dict(enumerate(rng.uniform(0.2, 3, tasks)))
        return [
            ra.rank_intervals(table(scores, task_weights=weights), of=of, n_resamples=1000, rng=rng)
            .decisions.above.any()
            for of in ("borda", "mean")
        ]  # fmt: skip

    assert np.max(np.mean([once(r) for r in np.random.default_rng(1).spawn(RUNS)], axis=0)) <= (
        ALLOWED
    )


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [12, 20])
@pytest.mark.parametrize("draw", [normal, ties], ids=lambda draw: draw.__name__)
def test_sign_tests_of_equal_systems_seldom_decide(draw, tasks):
    def once(rng):
        ranks = ra.rank_intervals(table(draw(rng, tasks, 6)), of="pairwise")
        return ranks.decisions.above.any()

    assert wrong_share(once, tasks) <= ALLOWED


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [6, 9, 20])
@pytest.mark.parametrize("of", ["borda", "mean"])
def test_places_and_the_first_are_covered_where_systems_differ(of, tasks):
    level = np.array([0.6, 0.5, 0.5, 0, -0.5, -3])[:, None]
    truth = {"best": [1, 2, 2, 4, 5, 6], "worst": [1, 3, 3, 4, 5, 6]}

    def once(rng):
        ranks = ra.rank_intervals(
            table(level + normal(rng, tasks, 6)), of=of, n_resamples=1000, rng=rng
        )
        inside = (ranks.best <= truth["best"]) & (truth["worst"] <= ranks.worst)
        mine = (ranks.marginal_best <= truth["best"]) & (truth["worst"] <= ranks.marginal_worst)
        top = set(range(3)) <= set(ranks.top(3))
        return [not inside.all(), *~mine, 0 not in ranks.first, not top]

    missed = np.mean([once(rng) for rng in np.random.default_rng(tasks).spawn(RUNS)], axis=0)
    assert missed.max() <= ALLOWED


# Share of all pairs that is decided, in %, of systems spread evenly over three standard
# deviations; 400 tables each.
MEASURED = {
    (6, 6): (20.6, 17.9),
    (6, 8): (37.9, 31.2),
    (13, 8): (19.4, 16.6),
    (13, 10): (28.1, 25.1),
    (24, 10): (17.9, 16.6),
}


@pytest.mark.slow
@pytest.mark.parametrize(("systems", "tasks"), MEASURED)
def test_systems_that_differ_are_told_apart_as_often_as_measured(systems, tasks):
    level = np.linspace(0, 3, systems)[:, None]
    for of, expected in zip(("mean", "borda"), MEASURED[systems, tasks], strict=True):
        shares = [
            ra.rank_intervals(table(level + normal(rng, tasks, systems)), of=of).decisions.share
            for rng in np.random.default_rng(0).spawn(400)
        ]
        assert 100 * np.mean(shares) == pytest.approx(expected, abs=2)


def test_hoeffding_decides_nothing_where_sign_flips_do():
    level = np.linspace(0, 3, 13)[:, None]
    scores = table(level + normal(np.random.default_rng(0), 10, 13))
    decided = {
        method: len(ra.rank_intervals(scores, method=method).decisions.pairs)
        for method in ("sign-flips", "hoeffding")
    }
    assert decided["hoeffding"] == 0 < decided["sign-flips"]
    assert not ra.rank_intervals(scores, of="pairwise").decisions.pairs
