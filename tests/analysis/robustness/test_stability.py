"""Leaving out tasks and systems, against aggregating the rest by hand."""

import json
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.analysis.robustness.perturbation import Near, Parts
from rankagg.analysis.robustness.stability import _Source, leave_each_out
from rankagg.exceptions import InvalidInputError
from tests import oracles

TABLE = ra.datasets.load("superglue_human")
GAPS = ra.datasets.load("xtreme_gaps")
WIDE = ra.ScoreTable(
    np.arange(24.0).reshape(3, 8) % 7, systems="ABC", tasks=["x"] * 3 + ["y"] * 3 + ["z"] * 2,
    instances=[0, 1, 2, 0, 1, 2, 0, 1], higher_is_better={"x": True, "y": False, "z": True},
)  # fmt: skip
RULES = [ra.Mean(), ra.Borda(), ra.Kemeny(), ra.TwoLevel(ra.Borda(), ra.Borda())]


@pytest.mark.parametrize(
    ("rule", "table"), [(ra.Mean(), WIDE), (ra.Kemeny(), TABLE), (RULES[3], WIDE)], ids=repr
)
def test_leaving_out_a_task_is_dropping_it(rule, table):
    found = ra.stability(table, rule, n_samples=2, rng=0).influence()
    whole = rule.aggregate(table).ranking
    for task in table.tasks:
        less = rule.aggregate(table.drop(tasks=[task])).ranking
        assert found.loc[task, "distance"] == ra.kendall_distance(whole, less, tie_cost=0.5)
        assert found.loc[task, "top1"] == ra.distances.top_k_agreement(whole, less, 1)
        assert found.loc[task, "winner"] == " = ".join(map(str, less.buckets[0]))
        np.testing.assert_allclose(found.loc[task, "tau"], ra.kendall_tau(whole, less))


@pytest.mark.parametrize("rule", RULES[:3], ids=repr)
def test_leaving_out_a_system_is_dropping_it(rule):
    found = ra.stability(TABLE, rule, unit="system", n_samples=2, rng=0).influence()
    whole = rule.aggregate(TABLE).ranking
    for system in TABLE.systems:
        less = rule.aggregate(TABLE.drop(systems=[system])).ranking
        others = whole.restrict(less.items)
        assert found.loc[system, "distance"] == ra.kendall_distance(others, less, tie_cost=0.5)
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
    systems = ra.stability(profile, ra.Borda(), unit="system", rng=0).influence()
    assert systems.loc["A", "winner"] == "B"


def test_all_subsets_are_taken_where_they_are_few():
    found = ra.stability(TABLE, ra.Borda(), sizes=[2, 8], n_samples=45, rng=0).subsets()
    assert found["subsets"].tolist() == [45, 45]
    whole = ra.Borda().aggregate(TABLE).ranking
    taus = [
        ra.kendall_tau(whole, ra.Borda().aggregate(TABLE.drop(tasks=gone)).ranking)
        for gone in combinations(TABLE.tasks, 2)
    ]
    assert found.loc[8, "tau_0.5"] == pytest.approx(np.quantile(taus, 0.5))
    assert found.loc[8, "tau_0.05"] == pytest.approx(np.quantile(taus, 0.05))


def test_subsets_are_different_and_those_of_the_seed():
    first, again, other = (
        ra.stability(TABLE, ra.Borda(), sizes=[5], n_samples=30, rng=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert hash(first) == hash(again)
    assert first != other
    assert first.subsets(quantiles=[0.25])["subsets"].tolist() == [30]
    assert first.subsets(quantiles=[0.25]).columns.tolist() == ["subsets", "tau_0.25", "top1"]


def test_tasks_that_only_a_left_out_system_has_are_dropped_with_it():
    table = ra.ScoreTable(
        [[1.0, 2.0, 3.0], [2.0, 1.0, np.nan], [3.0, 3.0, np.nan]], systems="ABC",
        tasks="xyz", higher_is_better=True,
    )  # fmt: skip
    found = ra.stability(
        table, ra.Mean(), unit="system", tolerance={"z": 0.1, "x": 0.0}, n_samples=2, rng=0
    )
    assert found.influence().loc["A", "winner"] == "C"


def test_items_without_a_place_are_left_out_of_the_comparison():
    found = ra.stability(GAPS, ra.Mean(), unit="system", n_samples=3, rng=0)
    assert (found.influence()["distance"] == 0).all()
    assert found.influence().loc["M7", "winner"] == "M4"
    json.dumps(found.to_dict(), allow_nan=False)


def test_unproved_and_multiple_optima_are_noted():
    assert ra.stability(TABLE, sizes=[], rng=0).notes == ()
    assert ra.stability(TABLE, ra.Borda(), n_samples=2, rng=0).notes == ()
    (subsets,) = ra.stability(TABLE, sizes=[9], n_samples=1, rng=0).notes
    assert subsets == "one optimum of each subset is compared with one of all data"
    cyclic = ra.stability(ra.datasets.load("three_cycle"), sizes=[], rng=0)
    assert "have several optima; a pair counts as changed only if" in cyclic.notes[0]
    assert cyclic.notes[0] in cyclic.summary()
    assert cyclic.subsets().empty
    assert "subsets" not in cyclic.summary()


def all_optima(profile):
    _, orders = oracles.kemeny(oracles.pairwise_votes(profile)[0])
    return [profile.items.at(order) for order in orders]


def agreed(optima, items):
    return {
        (a, b)
        for a, b in permutations(items, 2)
        if all(order.index(a) < order.index(b) for order in optima)
    }


@pytest.mark.parametrize("over", ["task", "system"])
@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(3, 5))
def test_influence_counts_pairs_that_differ_in_all_optima(over, seed, m, n):
    # Few voters of few items: several optima are the rule.
    orders = [np.random.default_rng([seed, k]).permutation(n).tolist() for k in range(m)]
    profile = ra.Profile.from_orders([["ABCDE"[i] for i in order] for order in orders])
    whole = all_optima(profile)
    found = ra.stability(profile, unit=over, sizes=[], rng=0)
    frame = found.influence()
    for unit in frame.index:
        others = [item for item in profile.items if item != unit]
        rest = profile.restrict(others)
        if over == "task":
            rest = profile[np.delete(np.arange(len(profile)), unit)]
        part = all_optima(rest)
        first = {order[0] for order in part}
        leading = {next(item for item in order if item != unit) for order in whole}
        changed = agreed(whole, others) & {(b, a) for a, b in agreed(part, others)}
        row = frame.loc[unit]
        assert row["distance"] == len(changed)
        assert set(row["winner"].split(" or ")) == first
        assert row["tau"] == pytest.approx(1 - 4 * len(changed) / (len(others) * (len(others) - 1)))
        if over == "task" or row["top1"] == 0:
            assert row["top1"] == float(bool(first & leading))
    assert found.undecided == 0


HARD = ra.distributions.Uniform(range(60)).sample(10, rng=0)


def test_unproved_consensuses_give_no_influence():
    stopped = ra.stability(HARD, time_limit=0.0, sizes=[9], n_samples=2)
    assert stopped.unproved == stopped.to_dict()["unproved"] == 13
    assert "note: 13 of 13 consensuses are not proved" in stopped.summary()
    assert stopped.undecided == 10
    frame = stopped.influence()
    assert frame.isna().all(axis=None)
    assert (stopped.subsets()["subsets"] == 0).all()
    assert stopped.headline() == (
        "the effect of leaving out one of 10 rankings is not decided within the limit"
    )
    assert "without 10 of 10 rankings, the changes are not decided" in stopped.summary()
    facts = stopped.to_dict()
    assert facts["undecided"] == 10
    assert {row["winner"] for row in facts["influence"]} == {None}


@pytest.mark.parametrize("late", ["proof", "optima"])
def test_an_undecided_unit_is_nan_and_counted(monkeypatch, late):
    whole = ra.stability(TABLE, sizes=[]).influence()
    known = _Source.known

    def slow(self, consensus, deadline, *, optima):
        part = known(self, consensus, deadline, optima=optima)
        if TABLE.tasks[3] in consensus.evidence.data.tasks:
            return part
        return replace(part, is_proved=late != "proof", always=None, leaders=())

    monkeypatch.setattr(_Source, "known", slow)
    result = ra.stability(TABLE, sizes=[])
    assert (result.undecided, result.unproved) == (1, int(late == "proof"))
    frame = result.influence()
    assert frame.iloc[3].isna().all()
    pd.testing.assert_frame_equal(frame.drop(index=TABLE.tasks[3]), whole.drop(TABLE.tasks[3]))
    assert result.headline().endswith("; 1 are not decided within the limit")


def test_without_a_search_for_others_one_optimum_each_is_compared():
    parts = Parts(data=TABLE, tolerance=0.0, unit="task")
    quick = leave_each_out(parts, ra.Kemeny(), optima=False, deadline=ra.aggregation.Deadline())
    assert quick.notes == ("one optimum of each is compared; others were not searched for",)
    assert quick.influence().equals(ra.stability(TABLE, sizes=[]).influence())
    assert ra.stability(TABLE, ra.Borda(), sizes=[]).notes == ()


def test_units_have_the_noun_of_the_data():
    rankings = ra.Profile.from_orders(["ABC", "BCA", "CAB", "ABC"])
    groups = ra.Profile.from_orders(["AB", "BA", "AB", "BA"], groups="xyyx")
    rule = ra.Borda()
    assert ra.stability(TABLE, rule, sizes=[]).noun == "tasks"
    assert ra.stability(TABLE, rule, sizes=[], unit="system").noun == "systems"
    assert ra.stability(rankings, rule, sizes=[]).noun == "rankings"
    assert "one of 4 rankings changes" in ra.stability(rankings, rule, sizes=[2]).summary()
    assert "subsets of rankings" in ra.stability(rankings, rule, sizes=[2]).summary()
    assert ra.stability(rankings, rule, sizes=[], unit="system").noun == "items"
    assert ra.stability(groups, rule, sizes=[]).noun == "groups"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"unit": "instance"}, "`unit` must be"),
        ({"sizes": [0]}, "sizes of subsets of tasks"),
        ({"sizes": [10]}, "sizes of subsets of tasks"),
        ({"n_samples": 0}, "`n_samples` must be"),
        ({"rule": "borda"}, "`rule` must be"),
        ({"data": 1}, "`data` must be a ScoreTable or a Profile"),
        (
            {"data": TABLE.drop(tasks=TABLE.tasks[1:])},
            "`data` must be at least 2 tasks. Got 1 task",
        ),
        (
            {"data": ra.Profile.from_orders(["AB", "BA"]), "unit": "system"},
            "`data` must be at least 3 items. Got 2 items",
        ),
    ],
)
def test_bad_input_is_named(options, words):
    arguments = {"data": TABLE, "rule": ra.Borda(), "rng": 0, **options}
    with pytest.raises(InvalidInputError, match=words):
        ra.stability(**arguments)
    with pytest.raises(InvalidInputError, match="`quantiles`"):
        ra.stability(TABLE, ra.Borda(), n_samples=1, rng=0).subsets(quantiles=[2])


@pytest.mark.parametrize("over", ["task", "system"])
def test_warm_starts_change_neither_proofs_nor_optima(monkeypatch, over, workers):
    """What parts learn from each other changes neither proofs nor optima."""
    rng = np.random.default_rng(0)
    scores = np.linspace(0, 1, 12) + rng.normal(scale=0.3, size=(6, 12))
    table = ra.ScoreTable(scores.T.round(1), higher_is_better=True)
    warm = ra.stability(table, unit=over, sizes=[4], n_samples=3, rng=0)
    again = ra.stability(table, unit=over, sizes=[4], n_samples=3, rng=0, n_jobs=workers)
    monkeypatch.setattr(Near, "of", lambda *known: None)
    alone = ra.stability(table, unit=over, sizes=[4], n_samples=3, rng=0)
    assert (warm.unproved, warm.undecided) == (0, 0)
    assert [found._key() for found in warm._without] == [found._key() for found in again._without]
    for one, other in zip(warm._without, alone._without, strict=True):
        assert (one.always == other.always).all()
        assert one.leaders == other.leaders
