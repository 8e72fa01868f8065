"""Units against loops over rankings and permutations, in fractions."""

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.inference import units
from rankagg.inference.units import Units
from tests import oracles, strategies

NAN = float("nan")
estimands = st.sampled_from(["direct", "imputed"])

# Their means over a task are exact, so equal ones stay equal.
exact_weights = st.sampled_from([1.0, 2.0, 0.5])


# -- the slow twin --------------------------------------------------------------------------------


def value(ranking, i, j, estimand):
    """Return what a ranking says of a pair, None where it says nothing."""
    places = oracles.as_places(ranking)
    if estimand == "imputed" and not places[i] == places[j] == oracles.OFF_LIST:
        return oracles.probability_before(ranking)[i][j]
    values = {oracles.ABOVE: Fraction(1), oracles.TIED: Fraction(1, 2), oracles.BELOW: Fraction(0)}
    return values.get(oracles.judgment(places, i, j))


def votes_of(profile):
    """Return ranking, count and weight of each row."""
    weights = [oracles.as_fraction(weight) for weight in profile.weights]
    return list(zip(profile, map(int, profile.counts), weights, strict=True))


def average(values_and_weights):
    present = [(value, weight) for value, weight in values_and_weights if value is not None]
    total = sum((weight for _, weight in present), Fraction(0))
    return sum(value * weight for value, weight in present) / total if present else None


def slow_units(profile, i, j, estimand, labels=None, *, equal=False):
    """Return (value, weight) of every unit that tells of the pair."""
    rows = [
        (value(ranking, i, j, estimand), count, weight)
        for ranking, count, weight in votes_of(profile)
    ]
    if labels is None:
        found = [(value, weight) for value, count, weight in rows for _ in range(count)]
    else:
        found = []
        for label in dict.fromkeys(labels):
            members = [row for row, own in zip(rows, labels, strict=True) if own == label]
            size = sum(count for _, count, _ in members)
            importance = sum(count * weight for _, count, weight in members) / size
            mean = average((value, count * weight) for value, count, weight in members)
            found.append((mean, Fraction(1) if equal else importance))
    return [(value, weight) for value, weight in found if value is not None]


def slow_moments(values):
    """Return n, mean and shares of the units that tell."""
    n = len(values)
    if n == 0:
        return 0, NAN, NAN
    mass, mean = sum(weight for _, weight in values), average(values)
    shares = sum((weight / mass) ** 2 for _, weight in values)
    return n, float(mean), float(shares)


def check_moments(held, expected):
    """Compare moments, NaN where the slow twin has it."""
    for position, name in enumerate(("n", "mean", "shares")):
        values = [moments[position] for moments in expected]
        np.testing.assert_allclose(getattr(held, name), values, atol=1e-12, err_msg=name)


def check(held, profile, estimand, labels=None, **more):
    """Compare moments of units with those of the slow twin."""
    expected = [
        slow_moments(slow_units(profile, i, j, estimand, labels, **more))
        for i, j in oracles.pairs(profile.n_items)
    ]
    check_moments(held.moments, expected)


def values_of(held):
    return np.concatenate([block.values for block in held.blocks()])


# -- one ranking ----------------------------------------------------------------------------------


@given(strategies.profiles(), estimands)
def test_values_are_those_of_an_enumeration(profile, estimand):
    found = values_of(Units.of(profile, is_direct=estimand == "direct"))
    pairs = oracles.pairs(profile.n_items)
    expected = [[value(ranking, i, j, estimand) for i, j in pairs] for ranking in profile]
    expected = np.array(expected, dtype=float).reshape(len(profile), -1)
    np.testing.assert_allclose(found, expected, atol=1e-12)


# -- moments --------------------------------------------------------------------------------------


@given(strategies.profiles(), estimands)
def test_moments_of_rankings_equal_the_loop(profile, estimand):
    held = Units.of(profile, is_direct=estimand == "direct")
    check(held, profile, estimand)
    if held.is_weighted:
        assert len(set(profile.weights)) > 1


@given(strategies.profiles(groups=True, weights=exact_weights), estimands)
def test_moments_of_tasks_equal_the_loop(profile, estimand):
    held = Units.of(profile, unit="task", is_direct=estimand == "direct")
    assert held.n_units == len(set(profile.groups))
    check(held, profile, estimand, profile.groups)


@given(st.data(), strategies.profiles(), estimands)
def test_moments_of_instances_equal_the_loop(data, profile, estimand):
    size = len(profile)
    labels = data.draw(st.lists(st.sampled_from("uvw"), min_size=size, max_size=size))
    held = Units.of(profile, unit="instance", is_direct=estimand == "direct", instances=labels)
    assert (held.n_units, held.is_weighted) == (len(set(labels)), False)
    check(held, profile, estimand, labels, equal=True)


def slow_fixed(profile, i, j, estimand):
    """Return the mean of the means of the tasks that tell of the pair, and its shares."""
    means = []
    for task in dict.fromkeys(profile.groups):
        rows = [
            row for row, own in zip(votes_of(profile), profile.groups, strict=True) if own == task
        ]
        values = [(value(ranking, i, j, estimand), count) for ranking, count, _ in rows]
        size = sum(count for number, count in values if number is not None)
        weight = sum(count * weight for _, count, weight in rows) / sum(c for _, c, _ in rows)
        if size:
            means.append((average(values), weight, size))
    if not means:
        return 0, NAN, NAN
    mass = sum(weight for _, weight, _ in means)
    mean = sum(mean * weight for mean, weight, _ in means) / mass
    shares = sum((weight / mass) ** 2 / size for _, weight, size in means)
    return sum(size for _, _, size in means), float(mean), float(shares)


@given(strategies.profiles(groups=True), estimands)
def test_moments_of_fixed_tasks_equal_the_loop(profile, estimand):
    pairs = oracles.pairs(profile.n_items)
    found = Units.of(profile, fixed_tasks=True, is_direct=estimand == "direct").moments
    check_moments(found, [slow_fixed(profile, i, j, estimand) for i, j in pairs])


# -- blocks ---------------------------------------------------------------------------------------

CHOICES = [
    {}, {"unit": "task"}, {"unit": "instance"}, {"fixed_tasks": True}, {"is_direct": False},
    {"is_direct": False, "unit": "task"},
]  # fmt: skip


@pytest.mark.parametrize("size", [1, 8])
@given(profile=strategies.profiles(groups=True, max_rows=8), choice=st.sampled_from(CHOICES))
def test_the_size_of_blocks_changes_nothing(size, profile, choice):
    held = Units.of(profile, instances=[ord(g) % 2 for g in profile.groups], **choice)
    whole, moments = held.whole(), held.moments
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(units, "VALUES_HELD", size)
        np.testing.assert_array_equal(held.whole().values, whole.values)
        np.testing.assert_array_equal(held.whole().counts, whole.counts)
        for name in ("n", "mean", "shares"):
            found, expected = (getattr(given, name) for given in (held.moments, moments))
            np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("held", "unit", "sizes"),
    [(9, "ranking", [3, 3, 3, 1]), (9, "task", [1, 1, 1, 1]), (15, "task", [2, 2])],
)
def test_blocks_keep_their_size_limit(monkeypatch, held, unit, sizes):
    profile = ra.Profile.from_orders(["ABC"] * 10, groups="uuuvvwwwwx")
    monkeypatch.setattr(units, "VALUES_HELD", held)
    assert [len(block.values) for block in Units.of(profile, unit=unit).blocks()] == sizes


# -- all units at once ----------------------------------------------------------------------------


# -- score tables ---------------------------------------------------------------------------------


@pytest.fixture
def table():
    return ra.ScoreTable(
        [[0.9, 0.5, 0.7, NAN], [0.8, 0.7, 0.7, 0.1]], systems="AB",
        tasks=["f1", "f1", "bleu", "bleu"], instances=[1, 2, 1, 2], task_weights={"f1": 3},
        higher_is_better=True,
    )  # fmt: skip


FAMILIES = {**dict.fromkeys("abc", "f"), **dict.fromkeys("de", "g")}


def of_families(n=5, m=12, seed=0, **options):
    """Return a table whose first five tasks are two families, and one of their weighted means."""
    scores = np.random.default_rng(seed).normal(size=(n, m)) + np.linspace(2, 0, n)[:, None]
    table = ra.ScoreTable(scores, tasks="abcdefghijkl"[:m], higher_is_better=True, **options)
    means = table.group_tasks({"F": "abc", "G": "de"}).with_task_weights({"F": 3, "G": 2})
    return table.with_task_families(FAMILIES), means


def test_families_are_units_of_as_many_tasks():
    table, means = of_families()
    found, expected = (ra.rank_intervals(one, of="mean") for one in (table, means))
    assert (found.n_units, found.unit, found.decisions.basis.word) == (9, "cluster", "cluster")
    pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame())
    pd.testing.assert_frame_equal(
        found.to_frame(simultaneous=False), expected.to_frame(simultaneous=False)
    )
    assert (found.first, found.by) == (expected.first, "mean scores")
    for other in (
        ra.inference.friedman(table),
        ra.paired_test(table, 0, 1),
        ra.rank_shares(table, ra.Borda(), n_resamples=10),
        ra.PairwiseIntervals.from_data(table),
        ra.rank_intervals(table, of="pairwise", unit="task"),
    ):
        assert other.unit == "cluster"


def test_rankings_of_one_rater_are_one_unit():
    profile = ra.Profile.from_orders(["AB", "AB", "BA", "BA", "AB", "AB"])
    given = Units.of(profile.with_clusters("xxyyyz"))
    assert values_of(given).ravel().tolist() == pytest.approx([1, 1 / 3, 1])
    assert given.unit_weights.tolist() == [2, 3, 1]
    with pytest.raises(InvalidInputError, match="fixed_tasks"):
        Units.of(profile.with_clusters("xxyyyz"), fixed_tasks=True)


def test_a_score_table_has_instances_and_tasks(table):
    instance = Units.of(table, unit="instance")
    assert values_of(instance) == pytest.approx(np.array([[(3 * 1 + 0.5) / 4], [0]]))
    task = Units.of(table, unit="task")
    assert values_of(task).tolist() == [[0.5], [0.5]]
    assert task.is_weighted
    assert task.moments.shares == pytest.approx([(9 + 1) / 16])
    assert values_of(Units.of(table)).tolist()[:3] == [[1], [0], [0.5]]
    assert values_of(Units.of(table.rankings(0.15))).tolist()[:2] == [[0.5], [0]]


# -- weights --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "choice", "expected"),
    [
        ([1, 1, 1], {}, False), ([2, 2, 2], {}, False), ([1, 1, 2], {}, True),
        ([1, 1, 2], {"unit": "task"}, True), ([1, 3, 2], {"unit": "task"}, False),
        ([1, 1, 2], {"unit": "instance"}, False), ([1, 1, 1], {"fixed_tasks": True}, True),
        ([0.1, 0.1, 0.1], {"unit": "task"}, False),
    ],
)  # fmt: skip
def test_units_are_weighted_where_they_differ_or_tasks_are_fixed(weights, choice, expected):
    profile = ra.Profile.from_orders(["AB"] * 3, weights=weights, groups="xxy")
    assert Units.of(profile, instances="uuv", **choice).is_weighted is expected


# -- errors ---------------------------------------------------------------------------------------

BALLOTS = ra.Profile.from_orders(["AB", "BA"])
GROUPED = ra.Profile.from_orders(["AB", "BA"], groups="xy")


@pytest.mark.parametrize(
    ("given_data", "choice", "message"),
    [
        (BALLOTS, {"unit": "metric"}, "`unit` must be 'ranking' or 'instance' or 'task'"),
        ([[0, 1]], {}, "`data` must be orders of labels that are texts"),
        (BALLOTS, {"unit": "instance"}, "they have no instances.*has `clusters=`"),
        (BALLOTS, {"unit": "task"}, "they have no tasks.*Give the profile its groups"),
        (BALLOTS, {"fixed_tasks": True}, "`fixed_tasks` must be False for rankings without groups"),
        (GROUPED, {"fixed_tasks": True, "unit": "task"}, "False unless `unit='ranking'`"),
        (GROUPED, {"fixed_tasks": True, "unit": "instance", "instances": [1, 1]},
         "since tasks share instances"),
    ],
)  # fmt: skip
def test_units_that_the_data_do_not_know_are_refused(given_data, choice, message):
    with pytest.raises(InvalidInputError, match=message):
        Units.of(given_data, **choice)


# -- equal up to rounding, and sizes of scores ----------------------------------------------------


def whole_numbers(seed, shape, *, gaps=False):
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 40, shape).astype(float)
    values += np.linspace(0, 12, shape[0]).round()[:, None]
    if gaps:
        values[rng.random(shape) < 0.1] = NAN
    return values


POOLED = {"tasks": np.repeat(range(6), 3).tolist(), "instances": list(range(18))}
TABLES = {
    "tasks": (whole_numbers(1, (4, 9)), {}),
    "gaps": (whole_numbers(2, (4, 12), gaps=True), {}),
    "weights": (whole_numbers(3, (3, 10)), {"task_weights": {0: 1e-90, 1: 3.0, 2: 1e90}}),
    "instances": (whole_numbers(4, (3, 18)), POOLED),
    "directions": (
        whole_numbers(5, (4, 8)), {"higher_is_better": {t: t % 2 == 0 for t in range(8)}}
    ),
}  # fmt: skip


def made(name, shift):
    values, options = TABLES[name]
    return ra.ScoreTable(np.ldexp(values, shift), **{"higher_is_better": True, **options})


def ranked(rule):
    return lambda table: rule.aggregate(table).ranking


#: What sums scores; all else sees their order.
RULES = (ra.Mean(), ra.Median(), ra.GeometricMean(), ra.HarmonicMean())
CALLS = {type(rule).__name__: ranked(rule) for rule in RULES}
for unit in ("ranking", "task"):
    CALLS[f"rank_intervals {unit}"] = lambda t, u=unit: ra.rank_intervals(t, of="mean", unit=u)
for method in ("sign-flips", "wilcoxon", "sign"):
    CALLS[method] = lambda t, m=method: ra.inference.paired_tests(t, 0, method=m, rng=0)
CALLS["task flips"] = lambda t: ra.inference.paired_tests(t, 0, unit="task")
CALLS["separation"] = ra.inference.separation
CALLS["summary"] = lambda t: ra.Mean().aggregate(ra.ScoreSummary.from_scores(t)).ranking

#: Numbers that are of the scores, and so have their size.
OF_SCORES = {
    "effect", "lower", "upper", "difference", "spread", "detectable", "scores", "runtime",
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


CASES = zip(CALLS, ("gaps", "weights") * 6, (1018, -1074) * 6, strict=True)
ALL = itertools.product(CALLS, TABLES, (1000, 1018, -1000, -1074))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("call", "name", "shift"), [*CASES, *(pytest.param(*c, marks=pytest.mark.slow) for c in ALL)]
)
def test_a_power_of_two_changes_nothing(call, name, shift):
    assert outcome(CALLS[call], made(name, shift)) == outcome(CALLS[call], made(name, 0))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", ["sign-flips", "wilcoxon"])
@pytest.mark.parametrize("shift", [1018, -900])
def test_effects_have_the_size_of_scores(method, shift):
    one, other = (
        ra.paired_test(made("gaps", s), 0, 1, method=method, alpha=0.2) for s in (0, shift)
    )
    for name in ("effect", "lower", "upper"):
        assert getattr(other, name) == np.ldexp(getattr(one, name), shift)
    one, other = (
        ra.inference.separation(made("gaps", 0)),
        ra.inference.separation(made("gaps", shift)),
    )
    for name in ("difference", "spread", "detectable"):
        np.testing.assert_array_equal(getattr(other, name), np.ldexp(getattr(one, name), shift))


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


@given(scores=decimals(), per_task=st.sampled_from([1, 2]))
def test_means_tests_and_intervals_agree_on_ties(scores, per_task):
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
    test = ra.paired_test(table, 0, 1, unit="task", method="sign-flips")
    pairs = list(zip(by_task[0], by_task[1], strict=True))
    wins, ties = (sum(a > b for a, b in pairs), sum(a == b for a, b in pairs))
    assert (test.wins, test.ties, test.losses) == (wins, ties, len(pairs) - wins - ties)
    assert test._direction == (means[0] > means[1]) - (means[0] < means[1])
    assert (test.effect == 0) == (means[0] == means[1])
    sums = [
        abs(sum(s * (a - b) for s, (a, b) in zip(signs, pairs, strict=True)))
        for signs in np.ndindex(*[2] * len(pairs))
        for signs in [[1 - 2 * s for s in signs]]
    ]
    assert test.p_value == pytest.approx(sum(s >= sums[0] for s in sums) / len(sums))
