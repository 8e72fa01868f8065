"""Intervals from what scores add up to, against those from the rankings."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.core import canonical_profile
from rankagg.core.task_tally import GroupedTally
from rankagg.exceptions import InformationLostError, InvalidInputError, RankaggError
from rankagg.inference.intervals import bootstrap
from rankagg.inference.intervals.bootstrap import resample_counts
from rankagg.inference.pair_values import point_differences
from rankagg.inference.summed_units import summed_points_of, summed_units
from tests.core.test_grouped_tally import plain_groups
from tests.core.test_score_summary import tables
from tests.inference.intervals.test_bootstrap import resampled_means
from tests.strategies import policies

few = settings(max_examples=10)


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
    method=st.sampled_from(["hoeffding", "bernstein"]),
    unit=st.sampled_from(["ranking", "fixed", "task"]),
    weighted=st.booleans(),
    policy=policies,
)
def test_intervals(*, table, method, unit, weighted, policy):
    table = (table if weighted else table.with_task_weights({})).with_unranked(policy)
    from_data = partial(
        ra.PairwiseIntervals.from_data, method=method, simultaneous="bonferroni",
        unit="ranking" if unit == "fixed" else unit, fixed_tasks=unit == "fixed",
    )  # fmt: skip
    summary = ra.ScoreSummary.from_scores(table)
    try:
        expected = from_data(table)
    except InvalidInputError as error:
        assert "bernstein" in str(error)  # noqa: PT017 - whatever is refused is refused alike
        with pytest.raises(InvalidInputError, match="bernstein"):
            from_data(summary)
        return
    exactly = not weighted and unit != "fixed"
    assert_same(from_data(summary), expected, exactly=exactly)


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


def test_resampling_tasks_is_possible():
    rng = np.random.default_rng(3)
    table = ra.ScoreTable(
        rng.normal(size=(3, 60)), tasks=np.repeat(range(20), 3), instances=range(60),
        higher_is_better=True,
    )  # fmt: skip
    options = {"method": "percentile", "unit": "task", "rng": 1}
    found = ra.PairwiseIntervals.from_data(ra.ScoreSummary.from_scores(table), **options)
    assert_same(found, ra.PairwiseIntervals.from_data(table, **options), exactly=False)


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
        plain = [canonical_profile(one.items, one.ranks, unranked=one.unranked) for one in single]
        rows.append((tasks.index(task) if fixed else 0, weights, plain))
    return rows


def plain_means(rows, times, pair, task_weights):
    """Return the mean of a pair over rows of which each counts so often."""
    strata = {}
    for (stratum, weights, profiles), often in zip(rows, times, strict=True):
        for weight, profile in zip(weights, profiles, strict=True):
            tells, value = value_of(profile, *pair)
            total = strata.setdefault(stratum, [0.0, 0.0])
            w = often * (1 if task_weights is not None else weight)
            total[0] += w * value * tells
            total[1] += w * tells
    if task_weights is None:
        first, mass = strata[0]
        return first / mass if mass else NAN
    told = [(task_weights[s], first / mass) for s, (first, mass) in strata.items() if mass]
    return sum(w * mean for w, mean in told) / sum(w for w, _ in told) if told else NAN


@few
@given(
    table=tables(max_systems=3, max_units=7),
    unit=st.sampled_from(["ranking", "instance", "fixed"]),
    policy=st.sampled_from(["uniform", "last"]),
)
def test_resampled_means_in_plain_python(table, unit, policy):
    table, fixed = table.with_unranked(policy), unit == "fixed"
    kind = "ranking" if fixed else unit
    summary = ra.ScoreSummary.from_scores(table, n_groups=3)
    units = summed_units(summary, unit=kind, fixed_tasks=fixed)
    rows = rows_of(table, kind, fixed=fixed)
    strata = np.array([stratum for stratum, _, _ in rows])
    found = resampled_means(units, 4, np.random.default_rng(5))
    several = len(set(strata)) > 1
    ones, rng = np.ones(len(rows)), np.random.default_rng(5)
    times = resample_counts(ones, strata, 4, rng, one_less=several)
    weights = [table.task_weights[t] for t in sorted(table.tasks)] if fixed else None
    for p, pair in enumerate(zip(*units.pairs, strict=True)):
        single = several and found.single[p]  # nothing says how such a pair varies
        drawn = [ones] * 4 if single else times
        expected = [plain_means(rows, row, pair, weights) for row in drawn]
        np.testing.assert_allclose(found.means[:, p], expected, atol=1e-12)
        whole = plain_means(rows, np.ones(len(rows)), pair, weights)
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


@pytest.mark.parametrize("method", ["bernstein", "normal"])
def test_no_variance_of_instances_is_known(method):
    with pytest.raises(InvalidInputError, match="differ in weight"):
        intervals_of_groups(correlated(), 5, unit="instance", method=method)


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


def test_few_groups_are_told():
    few, many = (
        intervals_of_groups(correlated(1000, "a"), n_groups, **PLAIN)
        for n_groups in (20, bootstrap.GROUPS_HOLD_FROM["percentile"])
    )
    assert any("resamples draw groups, and 20 tell" in note for note in few.notes)
    assert not any("resamples draw groups" in note for note in many.notes)


def test_groups_that_agree_though_their_units_do_not():
    # In every group each of two systems is above in one unit of two.
    scores = ra.ScoreTable(
        [[1, 2], [2, 1]], systems="AB", tasks="xx", instances=[0, 1], higher_is_better=True
    )
    tally = ra.ScoreSummary.from_scores(scores).tallies["x"]
    groups = {"x": GroupedTally(4, dict.fromkeys(range(4), tally))}
    made = ra.ScoreSummary(scores.systems, groups, higher_is_better=True)
    found = ra.PairwiseIntervals.from_data(made, **PLAIN)
    assert (found.lower[0, 1], found.upper[0, 1]) == (0, 1)
    assert any(note.startswith("all groups agree on 1 pair") for note in found.notes)


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


@few
@given(table=tables(max_units=7), policy=policies)
def test_points_of_groups(table, policy):
    table = table.with_unranked(policy)
    summary = ra.ScoreSummary.from_scores(table, n_groups=3)
    units = summed_points_of(summary, "borda", "max-t", unit="ranking", fixed_tasks=True)
    row = 0
    for task in sorted(table.tasks):
        for _, columns in sorted(plain_groups(table, 3)[task].items()):
            profile = table.rankings()[np.array(columns)]
            expected = point_differences(profile).values().sum(axis=0)
            np.testing.assert_allclose(units.groups.first[row], expected, atol=1e-12)
            assert (units.groups.told[row] == len(columns)).all()
            row += 1
    assert row == len(units.groups.first)


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
    lambda s: ra.PairwiseIntervals.from_data(s, method="percentile"),
    lambda s: ra.rank_intervals(s, of="pairwise", method="max-t"),
    lambda s: ra.rank_intervals(s, method="max-t"),
    lambda s: ra.rank_shares(s, ra.Borda(), n_resamples=100),
    lambda s: ra.rank_shares(s, ra.Borda(), unit="instance", n_resamples=100),
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
    for name in ("total_weight", "least_weight", "is_plain"):
        assert getattr(found, name) == getattr(expected, name)
    for name in ("spread", "average_spread", "normalized_spread"):
        assert getattr(found, name) == near(getattr(expected, name))
    assert found.spread_bounds == tuple(near(bound) for bound in expected.spread_bounds)


@few
@given(table=tables(max_units=5))
def test_policies_flip_the_same_pairs(table):
    found = ra.analysis.sensitivity(ra.ScoreSummary.from_scores(table))
    expected = ra.analysis.sensitivity(table, n_samples=1, rng=0)
    assert found.consensuses == expected.consensuses
    frame = expected.to_frame(everything=True).drop(columns="share")
    order = ["above", "below"]
    everything = found.to_frame(everything=True)
    assert everything.sort_values(order).to_dict("list") == frame.sort_values(order).to_dict("list")
    flips = everything[everything[list(found.policies)].nunique(axis=1) > 1]
    assert found.to_frame().to_dict("records") == flips.to_dict("records")
    k = min(2, table.n_systems)
    top = expected.top(k).drop(columns="share")
    assert found.top(k).loc[lambda frame: (frame > 0).any(axis=1)].sort_index().equals(
        top[(top > 0).any(axis=1)].sort_index()
    )  # fmt: skip
    assert "completion" not in found.summary()
    assert found.to_dict()["n_samples"] == 0
    assert np.isnan(found.share_above).all()


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


def test_completions_need_the_rankings():
    summary = ra.ScoreSummary.from_scores(
        ra.ScoreTable([[1, 2], [2, 1]], higher_is_better=True, tasks="xy")
    )
    with pytest.raises(InformationLostError, match="read_scores"):
        ra.analysis.sensitivity(summary, model=ra.distributions.Uniform(summary.systems))
    with pytest.raises(InformationLostError, match="PickAPerm needs rankings"):
        ra.analysis.sensitivity(summary, ra.PickAPerm())


def rounded(value):
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value


@few
@given(table=tables(), ridge=st.sampled_from([0.0, 0.5]))
def test_bradley_terry(table, ridge):
    summary = ra.ScoreSummary.from_scores(table)
    try:
        expected = ra.BradleyTerry.fit(table.rankings(), ridge=ridge, cov_type="model")
    except RankaggError as error:
        with pytest.raises(type(error)):
            ra.BradleyTerry.fit(summary, ridge=ridge)
        return
    found = ra.BradleyTerry.fit(summary, ridge=ridge)
    # Squares of weights are summed in another order, and what stands on them may differ by a bit.
    for name in ("estimates", "covariance", "log_likelihood", "n_observations"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-9, abs=1e-12)
    # Units are lost in sums, and known for rankings.
    assert found.unit == ("comparison" if table.n_systems <= 2 else None)
