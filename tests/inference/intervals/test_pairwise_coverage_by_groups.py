"""How often intervals by groups hold the true proportion, of systems that are equal above all."""

import numpy as np
import pytest

import rankagg as ra
from tests.inference.intervals.test_pairwise_coverage import least

pytestmark = pytest.mark.slow

RUNS, UNITS, SYSTEMS = 300, 600, 4
CERTAIN = 0.95


def equal(rng):
    return rng.normal(size=(SYSTEMS, UNITS)), 0.5


def tied(rng):
    return (rng.random((SYSTEMS, UNITS)) < 0.8).astype(float), 0.5


def gaps(rng):
    values = rng.normal(size=(SYSTEMS, UNITS))
    values[rng.random(values.shape) < 0.3] = np.nan
    values[0, np.isnan(values).all(axis=0)] = 0
    return values, 0.5


def nearly_certain(rng):
    values = rng.normal(size=(SYSTEMS, UNITS))
    values[0] = np.where(rng.random(UNITS) < CERTAIN, 100, -100)
    return values, CERTAIN


def intervals_of(draw, seed, n_groups, unit="ranking", **options):
    rng = np.random.default_rng([seed, n_groups])
    values, truth = draw(rng)
    times = 3 if unit == "instance" else 1
    # Three tasks with the same instances: the first two all but repeat what the third says.
    more = [values + 0.05 * rng.normal(size=values.shape) for _ in range(times - 1)]
    table = ra.ScoreTable(
        np.concatenate([*more, values], axis=1), tasks=np.repeat(range(times), UNITS).tolist(),
        instances=list(range(UNITS)) * times, higher_is_better=True,
    )  # fmt: skip
    summary = ra.ScoreSummary.from_scores(table, n_groups=n_groups)
    found = ra.PairwiseIntervals.from_data(
        summary, method="percentile", unit=unit, rng=seed, n_resamples=600, **options
    )
    truths = np.full((SYSTEMS, SYSTEMS), 0.5)
    truths[0, 1:], truths[1:, 0] = truth, 1 - truth
    return found, truths


def share_covered(*words, **options):
    held = []
    for seed in range(RUNS):
        found, truth = intervals_of(*words[:1], seed, *words[1:], **options)
        inside = (found.lower <= truth) & (truth <= found.upper)
        held.append(inside.all() if options.get("simultaneous") else inside[0, 1])
    return np.mean(held)


@pytest.mark.parametrize("draw", [equal, tied, gaps, nearly_certain])
def test_single_pairs(draw):
    assert share_covered(draw, 100) >= least(0.95, RUNS)


@pytest.mark.parametrize("unit", ["ranking", "instance"])
def test_all_pairs_of_equal_systems(unit):
    assert share_covered(equal, 200, unit=unit, simultaneous="max-t") >= least(0.95, RUNS)


def test_instances_as_rankings_would_cover_too_little():
    """What the unit is for: tasks that say the same are not new evidence."""
    held = []
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(2, UNITS))
        table = ra.ScoreTable(
            np.tile(values, 3), tasks=np.repeat(range(3), UNITS).tolist(),
            instances=list(range(UNITS)) * 3, higher_is_better=True,
        )  # fmt: skip
        summary = ra.ScoreSummary.from_scores(table, n_groups=100)
        found = [
            ra.PairwiseIntervals.from_data(
                summary, method="percentile", unit=unit, rng=seed, n_resamples=600
            )
            for unit in ("ranking", "instance")
        ]
        held.append([i.lower[0, 1] <= 0.5 <= i.upper[0, 1] for i in found])
    wrong, right = np.mean(held, axis=0)
    assert right >= least(0.95, RUNS)
    assert wrong < 0.85
