"""Intervals from what scores add up to, against those from the rankings."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.core import canonical_profile
from rankagg.exceptions import InformationLostError, InvalidInputError
from rankagg.inference.summed_units import SummedUnits
from rankagg.inference.units import resample_counts
from tests.core.test_grouped_tally import plain_groups
from tests.core.test_score_summary import tables
from tests.inference.test_bootstrap import resampled_means
from tests.strategies import policies

few = settings(max_examples=6)


def assert_same(found, expected, *, exactly):
    for name in ("estimate", "lower", "upper", "n_units", "shares"):
        one, other = getattr(found, name), getattr(expected, name)
        if exactly:
            np.testing.assert_array_equal(one, other, err_msg=name)
        else:
            np.testing.assert_allclose(one, other, atol=1e-12, err_msg=name)
    assert found.notes == expected.notes
    assert found.describe() == expected.describe()


@given(
    table=tables(),
    unit=st.sampled_from(["ranking", "fixed", "task"]),
    weighted=st.booleans(),
    policy=policies,
)
def test_intervals(*, table, unit, weighted, policy):
    table = (table if weighted else table.with_task_weights({})).with_unranked(policy)
    from_data = partial(
        ra.PairwiseIntervals.from_data, simultaneous="bonferroni",
        unit="ranking" if unit == "fixed" else unit, fixed_tasks=unit == "fixed",
    )  # fmt: skip
    summary = ra.ScoreSummary.from_scores(table)
    exactly = not weighted and unit != "fixed"
    assert_same(from_data(summary), from_data(table), exactly=exactly)


@given(table=tables(), policy=policies)
def test_binomial_intervals(table, policy):
    table = table.with_task_weights({}).with_unranked(policy)
    summary = ra.ScoreSummary.from_scores(table)
    for method in ("wilson", "clopper-pearson"):
        from_data = partial(ra.PairwiseIntervals.from_data, method=method)
        assert_same(from_data(summary), from_data(table), exactly=True)


def many(n=101):
    """Return a table of so many systems that imputed shares are rounded to a grid."""
    rng = np.random.default_rng(7)
    values = rng.integers(0, 500, (n, 60)).astype(float)
    values[rng.random(values.shape) < rng.random(60)] = np.nan
    values[0, np.isnan(values).all(axis=0)] = 0
    return ra.ScoreTable(values, higher_is_better=True, tasks=["x"] * 60, instances=range(60))


def told(result):
    """Return what a result says; sums do not know where who does worse is left out."""
    plain = result.to_dict()
    return plain | {"notes": [note for note in plain["notes"] if "missing more often" not in note]}


@few
@given(
    table=tables(),
    policy=policies,
    fixed=st.booleans(),
    times=st.sampled_from([1, 30]),
)
def test_ranks_by_points(table, policy, fixed, times):
    table = table.with_unranked(policy)
    summary = sum((ra.ScoreSummary.from_scores(table) for _ in range(times - 1)),
                  ra.ScoreSummary.from_scores(table))  # fmt: skip
    often = ra.ScoreTable(
        np.tile(table.values, times),
        tasks=[table.tasks[t] for t in table.unit_tasks] * times,
        instances=range(table.n_units * times),
        higher_is_better=table.higher_is_better,
        task_weights=table.task_weights,
    )
    often = often.with_unranked(policy)
    found = ra.rank_intervals(summary, fixed_tasks=fixed)
    assert told(found) == told(ra.rank_intervals(often, method="hoeffding", fixed_tasks=fixed))


@given(table=tables(), method=st.sampled_from([None, "hoeffding", "sign-test"]), policy=policies)
def test_ranks_by_majorities(table, method, policy):
    table = table.with_task_weights({}).with_unranked(policy)
    found = ra.rank_intervals(ra.ScoreSummary.from_scores(table), of="pairwise", method=method)
    assert told(found) == told(ra.rank_intervals(table, of="pairwise", method=method))


@pytest.mark.parametrize(
    "call",
    [
        ra.inference.friedman,
        *(partial(ra.rank_intervals, **options)
          for options in ({"method": "sign-flips"}, {"of": "mean"},
                          {"unit": "task"})),
    ],
)  # fmt: skip
def test_what_needs_the_rankings(call):
    with pytest.raises(InformationLostError, match="read_scores"):
        call(ra.ScoreSummary.from_scores(many(3)))


# -- groups of instances drawn again, against plain Python ----------------------------------------


NAN = float("nan")
PLAIN = {"method": "percentile", "n_resamples": 100, "rng": 1}


def value_of(profile, i, j):
    """Return what one ranking says of a pair: whether it tells, and how far i is above j."""
    matrix = profile.direct_pairwise()
    return bool(matrix.comparisons[i, j]), matrix.wins[i, j] + matrix.ties[i, j] / 2


def rows_of(table, unit, n_groups=3):
    """Return the groups as rows, by task and number: weights, and the values of pairs."""
    profile = table.rankings()
    tasks = sorted(table.tasks)
    by_task = plain_groups(table, n_groups)
    cells = [(task, g, units) for task in tasks for g, units in sorted(by_task[task].items())]
    if unit == "instance":
        numbers = sorted({g for _, g, _ in cells})
        cells = [(None, g, [u for _, h, us in cells if h == g for u in us]) for g in numbers]
    rows = []
    for _, _, units in cells:
        single = [profile[np.array([u])] for u in units]
        # Of equal count and weight, so that the task weighs afterwards.
        weights = [table.task_weights[table.tasks[int(table.unit_tasks[u])]] for u in units]
        plain = [canonical_profile(one.items, one.ranks, unranked=one.unranked) for one in single]
        rows.append((weights, plain))
    return rows


def plain_means(rows, times, pair):
    """Return the mean of a pair over rows of which each counts so often."""
    first = mass = 0.0
    for (weights, profiles), often in zip(rows, times, strict=True):
        for weight, profile in zip(weights, profiles, strict=True):
            tells, value = value_of(profile, *pair)
            first += often * weight * value * tells
            mass += often * weight * tells
    return first / mass if mass else NAN


@few
@given(
    table=tables(max_systems=3, max_units=7),
    kind=st.sampled_from(["ranking", "instance"]),
    policy=st.sampled_from(["uniform", "last"]),
)
def test_resampled_means_in_plain_python(table, kind, policy):
    table = table.with_unranked(policy)
    summary = ra.ScoreSummary.from_scores(table, n_groups=3)
    units = SummedUnits.of_pairs(summary, unit=kind, fixed_tasks=False)
    rows = rows_of(table, kind)
    found = resampled_means(units, 4, np.random.default_rng(5))
    ones, rng = np.ones(len(rows)), np.random.default_rng(5)
    times = resample_counts(ones, np.zeros(len(rows), dtype=int), 4, rng)
    for p, pair in enumerate(zip(*units.pairs, strict=True)):
        expected = [plain_means(rows, row, pair) for row in times]
        np.testing.assert_allclose(found.means[:, p], expected, atol=1e-12)
        whole = plain_means(rows, ones, pair)
        np.testing.assert_allclose(found.mean[p], whole, atol=1e-12)
        np.testing.assert_allclose(units.moments.mean[p], whole, atol=1e-12)


def intervals_of_groups(table, n_groups, **options):
    summary = ra.ScoreSummary.from_scores(table, n_groups=n_groups)
    return ra.PairwiseIntervals.from_data(summary, **options)


def correlated(m=60, tasks="abcd", n=4, seed=0):
    """Return a table whose tasks have the same instances, all of them complete."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n, m))
    values = [shared + 0.3 * rng.normal(size=(n, m)) for _ in tasks]
    return ra.ScoreTable(
        np.concatenate(values, axis=1), systems="ABCD"[:n], higher_is_better=True,
        tasks=np.repeat(list(tasks), m).tolist(), instances=list(range(m)) * len(tasks),
    )  # fmt: skip


def test_instances_that_are_in_all_tasks_say_what_the_table_says():
    table = correlated()
    summary = ra.ScoreSummary.from_scores(table, n_groups=10**6)
    for method in ("hoeffding", "percentile"):
        options = {"method": method, "unit": "instance", "rng": 1}
        found, expected = (ra.PairwiseIntervals.from_data(d, **options) for d in (summary, table))
        for name in ("estimate", "n_units", "shares"):
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12)
        assert not any("rankings that tell" in note for note in found.notes)
        atol = 1e-12 if method == "hoeffding" else 0.03
        for name in ("lower", "upper"):
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=atol)


def test_instances_that_are_not_in_all_tasks():
    table = correlated()
    kept = np.r_[0:60, 60:100, 120:180, 180:240]
    part = ra.ScoreTable(
        table.values[:, kept], systems=table.systems, higher_is_better=True,
        tasks=[table.tasks[int(table.unit_tasks[u])] for u in kept],
        instances=[table.instances[u] for u in kept], task_weights={"a": 2},
    )  # fmt: skip
    found = intervals_of_groups(part, 20, unit="instance")
    assert any("counts as often as it has rankings" in note for note in found.notes)
    assert found.n_units[0, 1] == 60
    # No instance has a larger share than its five votes; the true sum of squares is smaller.
    votes = np.where(np.arange(60) < 40, 5.0, 4.0)
    true = (votes**2).sum() / votes.sum() ** 2
    assert true < found.shares[0, 1] == 5 / votes.sum() < 1.1 * true


@pytest.mark.parametrize("scores", [[2, 1], [1, 1]])
def test_units_that_agree(scores):
    table = ra.ScoreTable(
        np.repeat([scores], 30, axis=0).T, systems="AB", tasks=["x"] * 30, instances=range(30),
        higher_is_better=True,
    )  # fmt: skip
    expected = ra.PairwiseIntervals.from_data(table, **PLAIN)
    found = intervals_of_groups(table, 5, **PLAIN)
    for name in ("lower", "upper"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert found.notes == expected.notes


@pytest.mark.parametrize(("of", "unit"), [("borda", "ranking"), ("pairwise", "instance")])
def test_ranks_by_max_t(of, unit):
    rng = np.random.default_rng(5)
    values = rng.normal(size=(4, 1200)) + np.array([0.5, 0.45, 0, 0])[:, None]
    table = ra.ScoreTable(
        values, systems="ABCD", higher_is_better=True, tasks=["x", "y"] * 600,
        instances=np.repeat(range(600), 2).tolist(),
    )  # fmt: skip
    summary = ra.ScoreSummary.from_scores(table, n_groups=200)
    found, expected = (
        ra.rank_intervals(data, of=of, method="max-t", unit=unit) for data in (summary, table)
    )
    assert found.method == "max-t"
    assert found.to_frame().to_dict() == expected.to_frame().to_dict()
    assert found.to_frame()["worst"].max() == 4


@pytest.mark.parametrize("call", [
    lambda s: ra.PairwiseIntervals.from_data(s, unit="instance"),
    lambda s: ra.rank_intervals(s, of="pairwise", method="max-t"),
    lambda s: ra.rank_shares(s, ra.Borda(), n_resamples=100),
])  # fmt: skip
def test_without_groups_the_remedy_is_told(call):
    with pytest.raises(InformationLostError, match=r"groups=200.*|read_scores") as lost:
        call(ra.ScoreSummary.from_scores(correlated()))
    assert "`n_groups=200`" in str(lost.value)
    assert "`read_scores`" in str(lost.value)
    call(ra.ScoreSummary.from_scores(correlated(), n_groups=10))


# -- what sums tell of rankings: spread, sensitivity, Bradley-Terry -------------------------------


OPTIONS = st.sampled_from([{}, {"average": True}, {"normalized": True}, {"tie_cost": 0.5}])


def near(expected):
    return None if expected is None else pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True)


@given(table=tables(), policy=policies, options=OPTIONS)
def test_spread(table, policy, options):
    found = ra.inference.spread(ra.ScoreSummary.from_scores(table).with_unranked(policy), **options)
    assert found == near(ra.inference.spread(table.with_unranked(policy), **options))


@few
@given(table=tables(), policy=policies)
def test_dispersion_report(table, policy):
    rules = [ra.Borda(), ra.Copeland(), ra.Kemeny()]
    found, expected = (
        ra.inference.dispersion_report(data.with_unranked(policy), rules)
        for data in (ra.ScoreSummary.from_scores(table), table)
    )
    assert (found.votes, found.consensuses) == (expected.votes, expected.consensuses)
    for name in ("total_weight", "_least_weight", "_is_plain"):
        assert getattr(found, name) == getattr(expected, name)
    for name in ("spread", "average_spread", "normalized_spread"):
        assert getattr(found, name) == near(getattr(expected, name))
    assert found.spread_bounds == tuple(near(bound) for bound in expected.spread_bounds)


@few
@given(table=tables(), policy=policies, exact=st.booleans())
def test_tasks_are_left_out(table, policy, exact):
    rule = ra.Kemeny() if exact else ra.Borda()
    table = table.with_unranked(policy)
    summary = ra.ScoreSummary.from_scores(table)
    if table.n_tasks < 2:
        with pytest.raises(InvalidInputError, match="at least 2 tasks"):
            ra.stability(summary, rule)
        return
    found, expected = (ra.stability(data, rule, n_samples=2, rng=0) for data in (summary, table))
    assert found.to_dict() == expected.to_dict()
    with pytest.raises(InformationLostError, match="read_scores"):
        ra.stability(summary, rule, unit="system")


def rounded(value):
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value
