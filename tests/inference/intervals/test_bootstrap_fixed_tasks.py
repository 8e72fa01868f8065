"""Resamples within several fixed tasks, small ones too: variances, degrees of freedom, notes."""

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg import PairwiseIntervals
from rankagg.inference.intervals.bootstrap import resampled_means, widened
from rankagg.inference.units import units_of


def fixed(sizes, gaps=0.0, seed=0):
    """Return scores of three systems in tasks of so many instances, some of them missing."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(3, sum(sizes)))
    values[rng.random(values.shape) < gaps] = np.nan
    values[2] = np.where(np.isnan(values).all(axis=0), 0.0, values[2])
    tasks = np.repeat(np.arange(len(sizes)), sizes)
    return ra.ScoreTable(
        values, tasks=tasks.tolist(), instances=range(len(tasks)), higher_is_better=True,
        task_weights={s: s + 1.0 for s in range(len(sizes))},
    )  # fmt: skip


@pytest.mark.parametrize("sizes", [(2, 2), (5, 3, 7), (1, 4), (20, 2, 2)])
@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_freedom_of_fixed_tasks_in_plain_python(sizes, gaps):
    held = units_of(fixed(sizes, gaps), fixed_tasks=True)
    block, found = held.all_blocks(), resampled_means(held, 100, np.random.default_rng(1))
    for p in range(3):
        parts, single = [], False
        for s in range(len(sizes)):
            told = block.values[block.strata == s, p]
            told = told[~np.isnan(told)]
            single |= len(told) == 1
            if len(told) > 1:
                parts.append(((s + 1) ** 2 * told.var(ddof=1) / len(told), len(told) - 1))
        total = sum(a for a, _ in parts)
        doubt = sum(a**2 / f for a, f in parts)
        expected = 0 if single else total**2 / doubt if doubt else np.inf
        assert found.freedom[p] == pytest.approx(expected)
        assert found.single[p] == single


@pytest.mark.parametrize(("sizes", "gaps"), [((2, 2), 0.0), ((3, 4, 2), 0.0), ((12, 8), 0.3)])
def test_resamples_of_small_fixed_tasks_vary_as_much_as_means(sizes, gaps):
    held = units_of(fixed(sizes, gaps, seed=4), fixed_tasks=True)
    block = held.all_blocks()
    found = resampled_means(held, 20_000, np.random.default_rng(1)).means.var(axis=0)
    share = np.arange(1, len(sizes) + 1) / np.arange(1, len(sizes) + 1).sum()
    expected = sum(
        share[s] ** 2
        * np.nanvar(block.values[block.strata == s], axis=0, ddof=1)
        / (~np.isnan(block.values[block.strata == s])).sum(axis=0)
        for s in range(len(sizes))
    )
    np.testing.assert_allclose(found, expected, rtol=0.15 if gaps else 0.06)


def test_one_task_draws_as_without_tasks():
    table = fixed((12,))
    mine, theirs = (
        resampled_means(units_of(table, fixed_tasks=flag), 50, np.random.default_rng(1))
        for flag in (True, False)
    )
    np.testing.assert_array_equal(mine.means, theirs.means)
    assert mine.freedom is None


@pytest.mark.parametrize("simultaneous", [None, "max-t"])
def test_a_fixed_task_of_one_unit_decides_nothing_and_says_so(simultaneous):
    options = {"method": "percentile", "simultaneous": simultaneous, "fixed_tasks": True, "rng": 0}
    found = PairwiseIntervals.from_data(fixed((9, 1, 8)), **options)
    off = ~np.eye(3, dtype=bool)
    assert (found.lower[off] == 0).all()
    assert (found.upper[off] == 1).all()
    (note,) = found.notes
    assert note.startswith("on 3 pairs a fixed task has one ranking alone")
    ranks = ra.rank_intervals(fixed((9, 1, 8)), of="mean", fixed_tasks=True)
    assert ranks.decisions.pairs == ()
    assert any("one ranking alone" in text for text in ranks.notes)


def test_little_freedom_is_said():
    few, many = (
        PairwiseIntervals.from_data(fixed(sizes), method="percentile", fixed_tasks=True, rng=0)
        for sizes in ((2, 2), (30, 30))
    )
    assert any("degrees of freedom; intervals were measured to hold from 7" in n for n in few.notes)
    assert many.notes == ()


def test_quantiles_of_t_are_as_far_out():
    freedom = np.array([0.0, 1.0, 5.0, np.inf])
    for quantile in (-2.0, 0.0, 1.5, 3.0):
        wide = widened(quantile, freedom)
        assert wide[[0, 3]].tolist() == [quantile, quantile]
        far = stats.t.cdf(wide[1:3], freedom[1:3])
        assert far == pytest.approx(stats.norm.cdf([quantile] * 2))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_few_degrees_of_freedom_are_bonferroni(alternative):
    # Four resamples of two tasks of two: their largest deviation is no more than the root of two.
    drawn = resampled_means(
        units_of(fixed((2, 2)), fixed_tasks=True), 2000, np.random.default_rng(1)
    )
    drawn = drawn.take(drawn.varies)
    low, high = drawn.max_t(0.05, alternative)
    tail = 0.05 / (2 if alternative == "two-sided" else 1) / len(drawn.mean)
    radius = stats.t.isf(tail, drawn.freedom) * drawn.means.std(axis=0, ddof=1)
    np.testing.assert_allclose(drawn.mean - low, radius)
    np.testing.assert_allclose(high - drawn.mean, radius)


@pytest.mark.parametrize(
    "sizes", [(2, 3, 4) * 2, pytest.param((5, 10, 15) * 2, marks=pytest.mark.slow)]
)
def test_equal_systems_in_small_tasks_are_rarely_told_apart(sizes):
    # Before tasks drew one less, and t, about a fifth of such tables were wrong.
    rng, wrong, times = np.random.default_rng(3), 0, 60 if len(sizes) * 3 == sum(sizes) else 400
    tasks = np.repeat(np.arange(len(sizes)), sizes).tolist()
    for _ in range(times):
        table = ra.ScoreTable(
            rng.normal(size=(6, len(tasks))), tasks=tasks, instances=range(len(tasks)),
            higher_is_better=True,
        )  # fmt: skip
        found = ra.rank_intervals(table, of="mean", fixed_tasks=True, n_resamples=300, rng=rng)
        wrong += bool(found.decisions.pairs)
    assert wrong <= stats.binom.isf(1e-4, times, 0.05)
