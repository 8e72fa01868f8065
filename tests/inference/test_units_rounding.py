"""Equal up to rounding, and sizes of scores: the same in means, tests and intervals."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.core.arithmetic import exact_sum
from tests.strategies import quick

NAN = np.nan


def whole_numbers(seed, shape, *, gaps=False):
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 40, shape).astype(float)
    values += np.linspace(0, 12, shape[0]).round()[:, None]
    if gaps:
        values[rng.random(shape) < 0.1] = NAN
    return values


def tables():
    yield "tasks", whole_numbers(1, (4, 9)), {}
    yield "gaps", whole_numbers(2, (4, 12), gaps=True), {}
    weights = {0: 1e-90, 1: 3.0, 2: 1e90}
    yield "weights", whole_numbers(3, (3, 10)), {"task_weights": weights}
    pooled = {"tasks": np.repeat(range(6), 3).tolist(), "instances": list(range(18))}
    yield "instances", whole_numbers(4, (3, 18)), pooled
    mixed = {"higher_is_better": {t: t % 2 == 0 for t in range(8)}}
    yield "directions", whole_numbers(5, (4, 8)), mixed


TABLES = {name: (values, options) for name, values, options in tables()}


def made(name, shift):
    values, options = TABLES[name]
    return ra.ScoreTable(np.ldexp(values, shift), **{"higher_is_better": True, **options})


def ranked(rule):
    return lambda table: rule.aggregate(table).ranking


CALLS = {
    **{
        type(rule).__name__: ranked(rule)
        for rule in (ra.Mean(), ra.Median(), ra.Borda(), ra.Copeland(), ra.Kemeny())
    },
    "GeometricMean": ranked(ra.GeometricMean()),
    "HarmonicMean": ranked(ra.HarmonicMean()),
}
for of in ("mean", "borda", "pairwise"):
    for unit in ("ranking", "task"):
        CALLS[f"rank_intervals {of} {unit}"] = lambda t, o=of, u=unit: ra.rank_intervals(
            t, of=o, unit=u
        )
CALLS["max-t"] = lambda t: ra.rank_intervals(t, of="mean", method="max-t", n_resamples=200)
for method in ("sign-flip", "wilcoxon", "sign"):
    CALLS[method] = lambda t, m=method: ra.paired_tests(t, 0, method=m)
CALLS["task flips"] = lambda t: ra.paired_tests(t, 0, unit="task")
CALLS["separation"] = ra.separation
CALLS["compare"] = lambda t: ra.compare(t, [ra.Mean(), ra.Borda()])
CALLS["friedman"] = ra.friedman
CALLS["skillings_mack"] = lambda t: ra.skillings_mack(t, n_resamples=200)
CALLS["PairwiseIntervals"] = ra.PairwiseIntervals.from_data
CALLS["rank_shares"] = lambda t: ra.rank_shares(t, ra.Mean(), n_resamples=50, rng=0)
CALLS["stability"] = lambda t: ra.stability(t, ra.Mean(), rng=0)
CALLS["removal_radius"] = lambda t: ra.removal_radius(t, ra.Mean())
CALLS["dispersion_report"] = ra.dispersion_report
CALLS["task_agreement"] = ra.task_agreement
CALLS["sensitivity"] = lambda t: ra.sensitivity(t, ra.Mean(), n_samples=20, rng=0)
CALLS["summary"] = lambda t: ra.Mean().aggregate(ra.ScoreSummary.from_scores(t)).ranking

#: Numbers that are of the scores, and so have their size.
OF_SCORES = {
    "effect", "lower", "upper", "difference", "spread", "detectable", "scores", "runtime",
    "correlation",
}  # fmt: skip


def facts(result):
    """Return what a result says, without numbers that have the size of scores."""
    if isinstance(result, ra.PartialRanking):
        return result.ranks.tolist()

    def without(given):
        if isinstance(given, dict):
            return {k: without(v) for k, v in given.items() if k not in OF_SCORES}
        return [without(part) for part in given] if isinstance(given, list | tuple) else given

    found = without(result.to_dict())
    if "tests" in found:  # the largest effect first, and the least floats are all the same
        found["tests"].sort(key=lambda row: row["system"])
    return found


def outcome(call, table):
    try:
        return facts(call(table))
    except ra.exceptions.InvalidInputError as error:
        return type(error)


def check(call, name, shift):
    expected = outcome(CALLS[call], made(name, 0))
    assert outcome(CALLS[call], made(name, shift)) == expected


#: What sums scores; all else sees their order.
SUMS = (
    "Mean", "Median", "GeometricMean", "HarmonicMean", "rank_intervals mean ranking",
    "rank_intervals mean task", "sign-flip", "wilcoxon", "sign", "task flips", "separation",
    "summary",
)  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "shift"), [("gaps", 1018), ("weights", -1074)])
@pytest.mark.parametrize("call", SUMS)
def test_a_power_of_two_changes_nothing(call, name, shift):
    check(call, name, shift)


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("shift", [1000, 1018, -1000, -1074])
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("call", CALLS)
def test_a_power_of_two_changes_nothing_anywhere(call, name, shift):
    check(call, name, shift)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", ["sign-flip", "wilcoxon"])
@pytest.mark.parametrize("shift", [1018, -900])
def test_effects_have_the_size_of_scores(method, shift):
    one, other = (
        ra.paired_test(made("gaps", s), 0, 1, method=method, alpha=0.2) for s in (0, shift)
    )
    for name in ("effect", "lower", "upper"):
        assert getattr(other, name) == np.ldexp(getattr(one, name), shift)
    one, other = ra.separation(made("gaps", 0)), ra.separation(made("gaps", shift))
    for name in ("difference", "spread", "detectable"):
        np.testing.assert_array_equal(getattr(other, name), np.ldexp(getattr(one, name), shift))


@pytest.mark.filterwarnings("error")
def test_the_largest_scores_have_ranks():
    values = np.array([[1e308], [1.7e308], [1.0e307]]) * np.linspace(0.9, 1.0, 8)
    found = ra.rank_intervals(
        ra.ScoreTable(values, systems="ABC", higher_is_better=True), of="mean"
    )
    assert found.rank.tolist() == [2, 1, 3]
    assert found.decisions.above[1].tolist() == [True, False, True]


# -- equal up to rounding -------------------------------------------------------------------------


@st.composite
def decimals(draw):
    """Draw scores as an author writes them: a large number and a few small steps."""
    base = draw(st.sampled_from([0, 1, -1000, 10**9, -(10**9)]))
    step = draw(st.sampled_from([Fraction(1, 1000), Fraction(1, 10), Fraction(1)]))
    n, m = draw(st.integers(2, 4)), draw(st.integers(1, 8))
    steps = draw(
        st.lists(st.lists(st.integers(0, 3), min_size=m, max_size=m), min_size=n, max_size=n)
    )
    return [[base + step * k for k in row] for row in steps]


@quick
@given(scores=decimals(), per_task=st.sampled_from([1, 2]))
def test_means_tests_and_intervals_agree_on_what_is_equal(scores, per_task):
    m = len(scores[0])
    tasks = [column // per_task for column in range(m)]
    table = ra.ScoreTable(
        [[float(score) for score in row] for row in scores], tasks=tasks, instances=range(m),
        higher_is_better=True,
    )  # fmt: skip
    by_task = [
        [
            sum(some) / len(some)
            for task in range(tasks[-1] + 1)
            if (some := [score for score, t in zip(row, tasks, strict=True) if t == task])
        ]
        for row in scores
    ]
    means = [sum(row) / len(row) for row in by_task]
    rank = [1 + sum(other > mean for other in means) for mean in means]
    for data in (table, ra.ScoreSummary.from_scores(table)):
        assert (ra.Mean().aggregate(data).ranking.ranks + 1).tolist() == rank
    assert ra.rank_intervals(table, of="mean", unit="task").rank.tolist() == rank
    test = ra.paired_test(table, 0, 1, unit="task", method="sign-flip")
    pairs = list(zip(by_task[0], by_task[1], strict=True))
    wins, ties = (sum(a > b for a, b in pairs), sum(a == b for a, b in pairs))
    assert (test.wins, test.ties, test.losses) == (wins, ties, len(pairs) - wins - ties)
    assert test.direction == (means[0] > means[1]) - (means[0] < means[1])
    assert (test.effect == 0) == (means[0] == means[1])
    sums = [
        abs(sum(s * (a - b) for s, (a, b) in zip(signs, pairs, strict=True)))
        for signs in np.ndindex(*[2] * len(pairs))
        for signs in [[1 - 2 * s for s in signs]]
    ]
    assert test.p_value == pytest.approx(sum(s >= sums[0] for s in sums) / len(sums))


def test_equal_steps_are_equal_however_large_scores_are():
    first = [1e9 + 0.001 * (k + 1) for k in range(8)]
    second = [1e9 + 0.001 * k for k in range(8)]
    table = ra.ScoreTable([first, second], systems="AB", higher_is_better=True)
    for method in ("sign-flip", "wilcoxon", "sign"):
        found = ra.paired_test(table, "A", "B", method=method)
        assert (found.wins, found.ties, found.losses, found.p_value) == (8, 0, 0, 2 / 256)
    # All steps share one rank, so that the median of their sum has the most outcomes.
    turned = ra.ScoreTable(
        [first[:4] + second[4:], second[:4] + first[4:]], systems="AB", higher_is_better=True
    )
    for method in ("sign-flip", "wilcoxon"):
        found = ra.paired_test(turned, "A", "B", method=method)
        assert (found.direction, found.p_value) == (0, 1)
    agreed = ra.paired_test(table, "A", "B")
    assert any("agree on some pair" in note for note in agreed.notes)
    assert np.isnan(ra.separation(table).detectable).all()


def test_means_within_a_unit_are_ties_with_a_note():
    table = ra.ScoreTable(
        [[0.1, 0.2, 1.0, 1.0], [0.15, 0.15, 0.9, 0.9]], systems="AB", tasks=[0, 0, 1, 1],
        instances=range(4), higher_is_better=True,
    )  # fmt: skip
    found = ra.paired_test(table, "A", "B", unit="task")
    assert (found.wins, found.ties) == (1, 1)
    assert "means that are equal up to rounding count as ties in 1 task" in found.notes


def test_ranks_of_sums_differ_where_one_vote_of_ten_to_the_13_does():
    profile = ra.Profile.from_orders(["AB", "BA"], counts=[5 * 10**12 + 1, 5 * 10**12])
    assert ra.Borda().aggregate(profile).order == ("A", "B")


@quick
@given(values=st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30), shift=st.integers(-900, 900))
def test_the_error_bounds_what_rounding_does(values, shift):
    cells = np.ldexp(np.array([values]), shift)
    true = sum(map(Fraction, cells[0].tolist()), Fraction(0)) / len(values)
    size = float(np.abs(cells).mean())
    found = exact_sum.weighted_mean(cells, np.ones_like(cells))[0]
    assert abs(Fraction(found) - true) <= Fraction(exact_sum.rounding_error(size)) + Fraction(
        5e-324
    )
    plain = float(np.cumsum(cells)[-1]) / len(values)
    error = Fraction(exact_sum.rounding_error(size, len(values))) + Fraction(5e-324)
    assert abs(Fraction(plain) - true) <= error


@pytest.mark.parametrize("top", [5e-324, 1e-300, 1.0, 1e300, 1.7e308])
def test_scaled_numbers_come_back(top):
    values = np.array([top, -top, top / 2, np.nan])
    numbers, shift = exact_sum.scaled(values)
    np.testing.assert_array_equal(exact_sum.restored(numbers, shift), values)
    assert np.isfinite(np.nansum(np.abs(numbers) * 2.0**60))


def test_what_resamples_do_not_vary_by_is_not_rounding():
    first = [1e9 + 0.001 * (k + 1) for k in range(8)]
    table = ra.ScoreTable(
        [first, [1e9 + 0.001 * k for k in range(8)]], systems="AB", higher_is_better=True
    )
    notes = ra.rank_intervals(table, of="mean", method="max-t", n_resamples=200).notes
    assert any("same" in note or "agree" in note for note in notes)
