"""Leaving out tasks and systems: against aggregating by hand what is left."""

import json
from itertools import combinations
from math import comb

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError

TABLE = ra.datasets.load("superglue_human")
GAPS = ra.datasets.load("xtreme_gaps")
WIDE = ra.ScoreTable(
    np.arange(24.0).reshape(3, 8) % 7, systems="ABC", tasks=["x"] * 3 + ["y"] * 3 + ["z"] * 2,
    instances=[0, 1, 2, 0, 1, 2, 0, 1], higher_is_better={"x": True, "y": False, "z": True},
)  # fmt: skip
RULES = [ra.Mean(), ra.Borda(), ra.Kemeny(), ra.TwoLevel(ra.Borda(), ra.Borda())]


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("table", [TABLE, WIDE], ids=repr)
def test_leaving_out_a_task_is_dropping_it(rule, table):
    found = ra.stability(table, rule, n_samples=2, rng=0).influence()
    whole = rule.aggregate(table).ranking
    for task in table.tasks:
        less = rule.aggregate(table.drop(tasks=[task])).ranking
        assert found.loc[task, "distance"] == ra.kendall_distance(whole, less, p=0.5)
        assert found.loc[task, "top1"] == ra.top_k_agreement(whole, less, 1)
        assert found.loc[task, "winner"] == " = ".join(map(str, less.buckets[0]))
        np.testing.assert_equal(found.loc[task, "tau"], ra.kendall_tau(whole, less))


@pytest.mark.parametrize("rule", RULES[:3], ids=repr)
def test_leaving_out_a_system_is_dropping_it(rule):
    found = ra.stability(TABLE, rule, over="systems", n_samples=2, rng=0).influence()
    whole = rule.aggregate(TABLE).ranking
    for system in TABLE.systems:
        less = rule.aggregate(TABLE.drop(systems=[system])).ranking
        others = whole.restrict(less.items)
        assert found.loc[system, "distance"] == ra.kendall_distance(others, less, p=0.5)
        assert found.loc[system, "winner"] == " = ".join(less.buckets[0])


def test_rows_and_groups_of_profiles_are_left_out():
    profile = ra.datasets.load("condorcet_1785")
    found = ra.stability(profile, ra.Borda(), n_samples=2, rng=0).influence()
    assert found.index.tolist() == [0, 1, 2, 3, 4]
    less = ra.Borda().aggregate(profile[[1, 2, 3, 4]])
    assert found.loc[0, "winner"] == less.order[0]
    grouped = ra.Profile.from_orders(["AB", "BA", "AB", "BA"], groups="xyyx", counts=[3, 1, 1, 1])
    result = ra.stability(grouped, ra.Borda(), n_samples=2, rng=0)
    assert result.units == ("x", "y")
    assert result.influence().loc["x", "winner"] == "A = B"
    systems = ra.stability(profile, ra.Borda(), over="systems", rng=0).influence()
    assert systems.loc["A", "winner"] == "B"


def test_all_subsets_are_taken_where_they_are_few():
    found = ra.stability(TABLE, ra.Borda(), n_samples=45, rng=0).subsets()
    assert found["subsets"].tolist() == [min(comb(10, k), 45) for k in range(1, 10)]
    whole = ra.Borda().aggregate(TABLE).ranking
    taus = [
        ra.kendall_tau(whole, ra.Borda().aggregate(TABLE.drop(tasks=gone)).ranking)
        for gone in combinations(TABLE.tasks, 2)
    ]
    assert found.loc[8, "tau_0.5"] == pytest.approx(np.quantile(taus, 0.5))
    assert found.loc[8, "tau_0.05"] == pytest.approx(np.quantile(taus, 0.05))


def test_subsets_are_different_and_those_of_the_seed():
    first, again, other = (
        ra.stability(TABLE, ra.Borda(), sizes=[5], n_samples=100, rng=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert hash(first) == hash(again)
    assert first != other
    assert first.subsets(quantiles=[0.25])["subsets"].tolist() == [100]
    assert first.subsets(quantiles=[0.25]).columns.tolist() == ["subsets", "tau_0.25", "top1"]


def test_tasks_that_only_a_left_out_system_has_go_with_it():
    table = ra.ScoreTable(
        [[1.0, 2.0, 3.0], [2.0, 1.0, np.nan], [3.0, 3.0, np.nan]], systems="ABC",
        tasks="xyz", higher_is_better=True,
    )  # fmt: skip
    found = ra.stability(
        table, ra.Mean(), over="systems", tolerance={"z": 0.1, "x": 0.0}, n_samples=2, rng=0
    )
    assert found.influence().loc["A", "winner"] == "C"


def test_items_without_a_place_are_left_out_of_the_comparison():
    found = ra.stability(GAPS, ra.Mean(), over="systems", n_samples=3, rng=0)
    assert (found.influence()["distance"] == 0).all()
    assert found.influence().loc["M7", "winner"] == "M4"
    json.dumps(found.to_dict(), allow_nan=False)


def test_processes_change_nothing():
    one, two = (ra.stability(WIDE, ra.Borda(), n_samples=3, rng=0, n_jobs=jobs) for jobs in (1, 2))
    assert one == two


def test_what_is_not_proved_or_not_unique_is_said():
    assert ra.stability(TABLE, n_samples=2, rng=0).notes == ()
    assert ra.stability(TABLE, ra.Borda(), n_samples=2, rng=0).notes == ()
    circle = ra.stability(ra.datasets.load("three_cycle"), sizes=[], rng=0)
    assert "one of several" in circle.notes[0]
    assert circle.notes[0] in circle.summary()
    assert circle.subsets().empty
    assert "subsets" not in circle.summary()
    hard = ra.Uniform(range(60)).sample(10, rng=0)
    stopped = ra.stability(hard, ra.Kemeny(time_limit=0.01), sizes=[9], n_samples=1, rng=0)
    assert stopped.unproved > 0
    assert stopped.to_dict()["unproved"] == stopped.unproved
    assert f"note: {stopped.unproved} of 12 consensuses are not proved" in stopped.summary()


def test_it_can_be_read():
    result = ra.stability(TABLE, ra.Borda(), n_samples=5, rng=0)
    lines = result.summary(rows=3).splitlines()
    assert lines[0] == ("Borda: leaving out one of 10 tasks changes the order of others in 2 cases")
    assert "... and 7 more tasks" in lines
    assert repr(result) == "<Stability of Borda over 10 tasks>"
    assert ra.stability(TABLE, n_samples=1, sizes=[9], rng=0).consensus.certificate is not None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"over": "instances"}, "`over` must be"),
        ({"sizes": [0]}, "sizes of subsets of tasks"),
        ({"sizes": [10]}, "sizes of subsets of tasks"),
        ({"n_samples": 0}, "`n_samples` must be"),
        ({"aggregator": "borda"}, "`aggregator` must be"),
        ({"data": [1]}, "`data` must be a ScoreTable or a Profile"),
        ({"data": TABLE.drop(tasks=TABLE.tasks[1:])}, "more than 1 tasks"),
        ({"data": ra.Profile.from_orders(["AB", "BA"]), "over": "systems"}, "more than 2 systems"),
    ],
)
def test_bad_input_is_named(options, words):
    arguments = {"data": TABLE, "aggregator": ra.Borda(), "rng": 0, **options}
    with pytest.raises(InvalidInputError, match=words):
        ra.stability(**arguments)
    with pytest.raises(InvalidInputError, match="`quantiles`"):
        ra.stability(TABLE, ra.Borda(), n_samples=1, rng=0).subsets(quantiles=[2])
