"""Groups of instances drawn again, against drawing them in plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.core.grouped_tally import GroupedTally
from rankagg.exceptions import InformationLostError, InvalidInputError
from rankagg.inference.intervals import bootstrap
from rankagg.inference.intervals.bootstrap import resample_counts
from rankagg.inference.pair_values import point_differences
from rankagg.inference.summed_units import summed_points_of, summed_units
from tests.core.test_grouped_tally import plain_groups
from tests.core.test_score_summary import tables

NAN = float("nan")
PLAIN = {"method": "percentile", "n_resamples": 100, "rng": 1}


def value_of(profile, i, j, estimand):
    """Return what one ranking says of a pair: whether it tells, and how far i is above j."""
    matrix = profile.pairwise("ignore" if estimand == "direct" else "uniform")
    tells = bool(matrix.comparisons[i, j]) or estimand == "imputed"
    return tells, matrix.wins[i, j] + matrix.ties[i, j] / 2


def rows_of(table, unit, *, fixed, n_groups=3):
    """Return the groups as rows, by task and number: stratum, weight, and the values of pairs."""
    profile = table.rankings()
    tasks = sorted(table.tasks)
    by_task = plain_groups(table, n_groups)
    cells = [(task, g, units) for task in tasks for g, units in sorted(by_task[task].items())]
    if unit == "instance":
        numbers = sorted({g for _, g, _ in cells})
        cells = [(None, g, [u for _, h, us in cells if h == g for u in us]) for g in numbers]
    rows = []
    for task, _, units in cells:
        single = [profile[np.array([u])] for u in units]
        # Of equal count and weight, so that the task weighs afterwards.
        weights = [table.task_weights[table.tasks[int(table.unit_tasks[u])]] for u in units]
        plain = [ra.Profile._trusted(one.items, one.ranks) for one in single]
        rows.append((tasks.index(task) if fixed else 0, weights, plain))
    return rows


def plain_means(rows, times, pair, estimand, task_weights):
    """Return the mean of a pair over rows of which each counts so often."""
    strata = {}
    for (stratum, weights, profiles), often in zip(rows, times, strict=True):
        for weight, profile in zip(weights, profiles, strict=True):
            tells, value = value_of(profile, *pair, estimand)
            total = strata.setdefault(stratum, [0.0, 0.0])
            w = often * (1 if task_weights is not None else weight)
            total[0] += w * value * tells
            total[1] += w * tells
    if task_weights is None:
        first, mass = strata[0]
        return first / mass if mass else NAN
    told = [(task_weights[s], first / mass) for s, (first, mass) in strata.items() if mass]
    return sum(w * mean for w, mean in told) / sum(w for w, _ in told) if told else NAN


@settings(deadline=None, max_examples=25)
@given(
    table=tables(max_systems=3, max_units=7),
    estimand=st.sampled_from(["direct", "imputed"]),
    unit=st.sampled_from(["ranking", "instance", "fixed"]),
)
def test_resampled_means_in_plain_python(table, estimand, unit):
    fixed = unit == "fixed"
    kind = "ranking" if fixed else unit
    summary = ra.ScoreSummary.from_scores(table, n_groups=3)
    units = summed_units(summary, unit=kind, estimand=estimand, fixed_tasks=fixed)
    rows = rows_of(table, kind, fixed=fixed)
    strata = np.array([stratum for stratum, _, _ in rows])
    found = bootstrap.resampled_means(units, 4, np.random.default_rng(5))
    several = len(set(strata)) > 1
    ones, rng = np.ones(len(rows)), np.random.default_rng(5)
    times = resample_counts(ones, strata, 4, rng, one_less=several)
    weights = [table.task_weights[t] for t in sorted(table.tasks)] if fixed else None
    for p, pair in enumerate(zip(*units.pairs, strict=True)):
        single = several and found.single[p]  # nothing says how such a pair varies
        drawn = [ones] * 4 if single else times
        expected = [plain_means(rows, row, pair, estimand, weights) for row in drawn]
        np.testing.assert_allclose(found.means[:, p], expected, atol=1e-12)
        whole = plain_means(rows, np.ones(len(rows)), pair, estimand, weights)
        np.testing.assert_allclose(found.mean[p], whole, atol=1e-12)
        np.testing.assert_allclose(units.moments.mean[p], whole, atol=1e-12)


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
    for method in ("hoeffding", "percentile", "bca"):
        options = {"method": method, "unit": "instance", "rng": 1}
        found, expected = (ra.PairwiseIntervals.from_data(d, **options) for d in (summary, table))
        for name in ("estimate", "n_units", "shares"):
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12)
        assert not any("rankings that tell" in note for note in found.notes)
        atol = 1e-12 if method == "hoeffding" else 0.03
        for name in ("lower", "upper"):
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=atol)


def test_every_unit_a_group_of_its_own_is_the_bootstrap_of_units():
    table = correlated(80, "a", 3)
    summary = ra.ScoreSummary.from_scores(table, n_groups=10**6)
    units = summed_units(summary, unit="ranking", estimand="direct", fixed_tasks=False)
    assert len(units.groups.first) == 80
    order = [u for _, us in sorted(plain_groups(table, 10**6)["a"].items()) for u in us]
    counts = resample_counts(np.ones(80), np.zeros(80, dtype=int), 50, np.random.default_rng(2))
    found = bootstrap.resampled_means(units, 50, np.random.default_rng(2)).means
    first, second = units.pairs
    values = (table.values[first] > table.values[second])[:, order]
    np.testing.assert_allclose(found, counts @ values.T / 80, atol=1e-12)


def width(summary, **options):
    intervals = ra.PairwiseIntervals.from_data(summary, method="percentile", rng=1, **options)
    return (intervals.upper - intervals.lower)[np.triu_indices(4, k=1)].mean()


def test_instances_that_tasks_share_are_one_unit():
    # Four tasks that say nearly the same are little more than one.
    summary = ra.ScoreSummary.from_scores(correlated(2000), n_groups=200)
    alone = ra.ScoreSummary.from_scores(correlated(2000, "a"), n_groups=200)
    assert 0.9 < width(summary, unit="instance") / width(alone) < 1.05
    assert 0.42 < width(summary, unit="ranking") / width(alone) < 0.55


@pytest.mark.parametrize("method", ["bernstein", "normal"])
def test_no_variance_of_instances_is_known(method):
    summary = ra.ScoreSummary.from_scores(correlated(), n_groups=5)
    with pytest.raises(InvalidInputError, match="differ in weight"):
        ra.PairwiseIntervals.from_data(summary, unit="instance", method=method)


def test_instances_that_are_not_in_all_tasks():
    table = correlated()
    kept = np.r_[0:60, 60:100, 120:180, 180:240]
    part = ra.ScoreTable(
        table.values[:, kept], systems=table.systems, higher_is_better=True,
        tasks=[table.tasks[int(table.unit_tasks[u])] for u in kept],
        instances=[table.instances[u] for u in kept], task_weights={"a": 2},
    )  # fmt: skip
    summary = ra.ScoreSummary.from_scores(part, n_groups=20)
    found = ra.PairwiseIntervals.from_data(summary, unit="instance")
    assert any("counts as often as it has rankings" in note for note in found.notes)
    assert found.n_units[0, 1] == 60
    # No instance has a larger share than its five votes; the true sum of squares is smaller.
    votes = np.where(np.arange(60) < 40, 5.0, 4.0)
    true = (votes**2).sum() / votes.sum() ** 2
    assert true < found.shares[0, 1] == 5 / votes.sum() < 1.1 * true


def test_few_groups_are_told():
    table = correlated(1000, "a")
    few, many = (
        ra.PairwiseIntervals.from_data(ra.ScoreSummary.from_scores(table, n_groups=g), **PLAIN)
        for g in (20, bootstrap.GROUPS_HOLD_FROM["percentile"])
    )
    assert any("resamples draw groups, and 20 tell" in note for note in few.notes)
    assert not any("resamples draw groups" in note for note in many.notes)


def test_groups_that_agree_though_their_units_do_not():
    # In every group each of two systems is above in one unit of two.
    summary = ra.ScoreSummary.from_scores(correlated(2, "a", 2), n_groups=2)
    tally = ra.ScoreSummary.from_scores(
        ra.ScoreTable([[1, 2], [2, 1]], systems="AB", tasks="xx", instances=[0, 1],
                      higher_is_better=True)).tallies["x"]  # fmt: skip
    made = ra.ScoreSummary(
        summary.systems, {"x": GroupedTally(4, dict.fromkeys(range(4), tally))},
        higher_is_better=True,
    )  # fmt: skip
    found = ra.PairwiseIntervals.from_data(made, **PLAIN)
    assert (found.lower[0, 1], found.upper[0, 1]) == (0, 1)
    assert any(note.startswith("all groups agree on 1 pair") for note in found.notes)


@pytest.mark.parametrize("scores", [[2, 1], [1, 1]])
def test_units_that_agree(scores):
    table = ra.ScoreTable(
        np.repeat([scores], 30, axis=0).T, systems="AB", tasks=["x"] * 30, instances=range(30),
        higher_is_better=True,
    )  # fmt: skip
    summary = ra.ScoreSummary.from_scores(table, n_groups=5)
    found, expected = (ra.PairwiseIntervals.from_data(d, **PLAIN) for d in (summary, table))
    np.testing.assert_array_equal(found.lower, expected.lower)
    np.testing.assert_array_equal(found.upper, expected.upper)
    assert found.notes == expected.notes


@settings(deadline=None, max_examples=25)
@given(table=tables(max_units=7), unranked=st.sampled_from(["uniform", "ignore", "last"]))
def test_points_of_groups(table, unranked):
    summary = ra.ScoreSummary.from_scores(table, n_groups=3)
    units = summed_points_of(summary, "borda", "max-t", unranked, unit="ranking", fixed_tasks=True)
    row = 0
    for task in sorted(table.tasks):
        for _, columns in sorted(plain_groups(table, 3)[task].items()):
            profile = table.rankings()[np.array(columns)]
            expected = point_differences(profile.ranks, unranked).values().sum(axis=0)
            np.testing.assert_allclose(units.groups.first[row], expected, atol=1e-12)
            assert (units.groups.told[row] == len(columns)).all()
            row += 1
    assert row == len(units.groups.first)


@pytest.mark.parametrize("of", ["borda", "pairwise"])
@pytest.mark.parametrize("unit", ["ranking", "instance"])
def test_ranks_by_max_t(of, unit):
    rng = np.random.default_rng(4)
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
    lambda s: ra.PairwiseIntervals.from_data(s, method="percentile"),
    lambda s: ra.rank_intervals(s, of="pairwise", method="max-t"),
    lambda s: ra.rank_intervals(s, method="max-t"),
    lambda s: ra.rank_shares(s, ra.Borda(), n_resamples=100),
    lambda s: ra.rank_shares(s, ra.Borda(), unit="instance", n_resamples=100),
])  # fmt: skip
def test_without_groups_the_remedy_is_told(call):
    plain = ra.ScoreSummary.from_scores(correlated())
    with pytest.raises(InformationLostError, match=r"groups=200.*|read_scores") as lost:
        call(plain)
    assert "`n_groups=200`" in str(lost.value)
    assert "`read_scores`" in str(lost.value)
    call(ra.ScoreSummary.from_scores(correlated(), n_groups=10))


@pytest.mark.parametrize("call", [
    ra.PairwiseIntervals.from_data,
    ra.rank_intervals,
    ra.rank_shares,
])  # fmt: skip
def test_fixed_tasks_go_with_rankings(call):
    with pytest.raises(InvalidInputError, match="fixed_tasks"):
        call(
            ra.ScoreSummary.from_scores(correlated(), n_groups=5), unit="instance", fixed_tasks=True
        )
