from decimal import Decimal
from itertools import combinations
from math import isnan, sqrt
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg import PartialRanking, ScoreTable
from rankagg.exceptions import InvalidInputError
from tests import strategies

NAN = float("nan")


def by_task(**changes):
    """Return two systems on two tasks of opposite directions."""
    better = {"acc": True, "err": False}
    parts = {"systems": "AB", "tasks": ["acc", "err"], "higher_is_better": better} | changes
    return ScoreTable([[0.9, 5.0], [0.8, 3.0]], **parts)


def ragged(**changes):
    """Return three systems; task x has two instances, task y three, some scores are missing."""
    scores = [[1.0, 10.0, 2.0, 20.0, 60.0], [3.0, NAN, NAN, 30.0, 50.0], [NAN, 0.0, NAN, 0.0, NAN]]
    better, weights = {"x": True, "y": False}, changes.get("task_weights", {"y": 0.5})
    return ScoreTable(
        scores, systems="ABC", tasks=["x", "y", "x", "y", "y"], instances=[1, 1, 2, 2, 3],
        higher_is_better=better, task_weights=weights,
    )  # fmt: skip


# -- shape ----------------------------------------------------------------------------------------


def test_labels_directions_and_weights_are_those_given():
    assert by_task(higher_is_better=False).higher_is_better == {"acc": False, "err": False}
    assert by_task(higher_is_better=True).signs.tolist() == [1, 1]
    assert by_task().signs.tolist() == [1, -1]
    assert ragged().signs.tolist() == [1, -1, 1, -1, -1]
    assert by_task().task_weights == {"acc": 1.0, "err": 1.0}
    assert ragged().task_weights == {"x": 1.0, "y": 0.5}
    assert ragged().weight_vector.tolist() == [1.0, 0.5]
    other = ragged().with_task_weights({"x": 3})
    assert other.task_weights == {"x": 3.0, "y": 1.0}
    assert other == ragged(task_weights={"x": 3}) != ragged()
    bare = ScoreTable([[1, 2, 3], [4, 5, 6]], higher_is_better=True)
    assert (bare.systems.labels, bare.tasks.labels) == ((0, 1), (0, 1, 2))
    turned = by_task(systems="ba", tasks=["err", "acc"])
    assert (turned.systems.labels, turned.tasks.labels) == (("b", "a"), ("err", "acc"))


def test_families_of_tasks_stay_with_them():
    table = by_task(task_families={"acc": "f"})
    assert table.task_families == {"acc": "f"}
    assert table.drop(tasks=["err"]).task_families == {"acc": "f"}
    assert table.drop(tasks=["acc"]).task_families == {}
    assert table.with_task_weights({"acc": 2}).task_families == {"acc": "f"}
    assert table != by_task()
    assert table == by_task().with_task_families(pd.Series({"acc": "f"}))


def test_rankings_of_one_family_are_one_cluster():
    table = ScoreTable([[1, 2, 3, 4]], tasks="abcd", higher_is_better=True)
    assert table.rankings().clusters is None
    # A family may be called as a task that is in none.
    clusters = table.with_task_families({"a": "c", "d": "c", "b": "x"}).rankings().clusters
    assert clusters == (0, 1, 2, 0)


# -- refusals -------------------------------------------------------------------------------------


def made(values, **names):
    return ScoreTable(values, higher_is_better=True, **names)


def three(groups):
    better = {"x": True, "y": True, "z": False}
    return ScoreTable([[1.0, 2.0, 3.0]], tasks="xyz", higher_is_better=better).group_tasks(groups)


NO_LABELS = ([["a"], ["b"]], [None, 1], [NAN, NAN], 5, [b"a", b"b"])
REFUSED = [
    *((lambda x=x: by_task(systems=x[0]), x[1])
      for x in (("ABC", "`systems`"), ("AA", "`items`"), (["A", 1], "`items`"))),
    (lambda: by_task(tasks=["acc"]), "`tasks`"),
    (lambda: by_task(tasks=["acc", "acc"]), r"`tasks`.*'acc'\. Name columns"),
    (lambda: by_task(tasks=["acc", 1]), "`items`"),
    (lambda: by_task(instances=[1]), "`instances`"),
    (lambda: by_task(tasks=["acc", "acc"], instances=[1, 1]), "`tasks`"),
    *((lambda x=x: by_task(higher_is_better=x), "`higher_is_better`")
      for x in (None, "yes", 1, {"acc": True}, {"acc": True, "err": 0},
                {"acc": True, "err": True, "f1": True})),
    *((lambda x=x: by_task(task_weights={"acc": x}), "`task_weights`")
      for x in (0, -1, NAN, np.inf, 1e-300, 1e300, "1")),
    (lambda: by_task(task_weights={"f1": 1}), r"`task_weights`.*\(acc, err\)\. Got 'f1'"),
    (lambda: by_task(task_families={"ac": "f"}), "`task_families` must .*Did you mean 'acc'"),
    *((lambda x=x: made(x), "`values`")
      for x in ([1.0, 2.0], [[1.0], [1.0, 2.0]], [[1.0, np.inf]], [["x", "y"]], [[]],
                np.empty((0, 2)), np.zeros((2, 2, 2)), 7, None)),
    (lambda: made([[1.0, NAN], [2.0, NAN]], tasks=["acc", "err"]), "`values`.*'err'.*leave"),
    *((lambda x=x: made([[1.0, 2.0]], tasks=x), "`tasks` must be") for x in NO_LABELS),
    *((lambda x=x: made([[1.0, 2.0]], tasks="tt", instances=x), "`instances` must be")
      for x in NO_LABELS),
    *((lambda x=x: by_task().rankings(x), "`tolerance`")
      for x in (-0.1, NAN, np.inf, "0", None, {"acc": -1}, {"f1": 0.1})),
    (lambda: by_task().drop(tasks=["f1"]), "`tasks` must be one of the 2 tasks .*'f1'"),
    (lambda: by_task().drop(systems=["Z"]), "`systems` must be one of the 2 systems .*'Z'"),
    (lambda: by_task().drop(tasks=iter(["acc", "err"])), r"Got \['acc', 'err'\]"),
    (lambda: by_task().drop(systems=iter("AB")), r"Got \['A', 'B'\]"),
    (lambda: made([[1.0, NAN], [1.0, 2.0]], systems="AB", tasks="xy").drop(systems=["B"]), "'y'"),
    (lambda: by_task().relative_to("Z"), "`system` must be one of the 2 systems .*'Z'"),
    *((lambda x=x: made([[1.0, x], [1.0, 2.0]], tasks="xy").relative_to(0),
       r"on task 'y'.*\.drop\(tasks=\.\.\.\)") for x in (0.0, -1.0, NAN)),
    (lambda: made([[1e-308, 1.0], [1e308, 2.0]]).relative_to(0), r"1e-308 with 1e\+308 on 0"),
    (lambda: ra.studies.ReversedScores().corrupt(by_task(), ["f1"]), "`tasks` .* 2 tasks .*'f1'"),
    *((lambda x=x: three(x), None)  # of opposite directions, or a name of another
      for x in ({"new": ["f1"]}, {"new": []}, {"new": ["x", "z"]}, {"y": ["x"]},
                {"new": ["x", "y"], "other": ["y"]}, {"new": ["x", "x"]}, {3: ["x"]})),
    (lambda: by_task().describe("instance"), "'system' or 'task' or 'cell'"),
]  # fmt: skip


def test_bad_tables_and_operations_are_refused():
    for call, words in REFUSED:
        with pytest.raises(InvalidInputError, match=words):
            call()
    with pytest.raises(TypeError, match="higher_is_better"):
        ScoreTable([[1.0]])


def test_an_instance_without_scores_is_no_task_without_scores():
    table = ScoreTable([[1.0, NAN]], tasks="xx", instances=[1, 2], higher_is_better=True)
    assert table.rankings()[1].n_observed == 0


# -- rankings -------------------------------------------------------------------------------------


def test_every_instance_is_a_ranking_with_the_group_and_weight_of_its_task():
    profile = ragged().rankings()
    assert len(profile) == 5
    assert profile.groups == ("x", "y", "x", "y", "y")
    assert profile.weights.tolist() == [1.0, 0.5, 1.0, 0.5, 0.5]
    assert profile.counts.tolist() == [1] * 5
    assert profile[0] == PartialRanking.from_order("BA", items="ABC")
    assert profile[1] == PartialRanking.from_order("CA", items="ABC")
    assert profile[2] == PartialRanking.from_order("A", items="ABC")
    assert profile[3].order == ("C", "A", "B")


@given(strategies.score_arrays(rows=3, columns=2, missing=False), st.sampled_from([0.0, 0.25, 0.5]))
def test_a_unit_is_ranked_like_a_ranking_of_its_own(scores, tolerance):
    table = ScoreTable(scores, higher_is_better={0: True, 1: False})
    first, second = table.rankings(tolerance)
    for ranking, column, better in zip((first, second), scores.T, (True, False), strict=True):
        assert ranking == PartialRanking.from_scores(
            column, higher_is_better=better, tolerance=tolerance
        )


def test_the_tolerance_may_differ_by_task():
    table = made([[1.0, 1.0, 1.0], [1.5, 1.5, 1.5]], tasks="xyx", instances=[1, 1, 2])
    assert [r.is_strict for r in table.rankings({"x": 0.5})] == [False, True, False]
    assert [r.is_strict for r in table.rankings({"x": 0.4, "y": 0.6})] == [True, False, True]
    assert [r.is_strict for r in table.rankings(0.5)] == [False, False, False]
    assert [r.is_strict for r in table.rankings()] == [True, True, True]


# -- means ----------------------------------------------------------------------------------------


@given(strategies.score_arrays(columns=4), st.lists(st.sampled_from("xy"), min_size=4, max_size=4))
def test_task_scores_are_means_by_definition(scores, tasks):
    scores = np.vstack([scores, np.ones(4)])  # every task has a score
    better = {task: task == "x" for task in tasks}
    table = ScoreTable(scores, tasks=tasks, instances=range(4), higher_is_better=better)
    means = table.task_scores()
    for i, row in enumerate(scores.tolist()):
        for t, task in enumerate(table.tasks):
            of_task = [score for score, name in zip(row, tasks, strict=True) if name == task]
            present = [score for score in of_task if not isnan(score)]
            if present:
                assert means[i, t] == pytest.approx(sum(present) / len(present))
                assert table.task_scores(signed=True)[i, t] == means[i, t] * (
                    -1 if task == "y" else 1
                )
            else:
                assert np.isnan(means[i, t])


# -- other tables ---------------------------------------------------------------------------------


def test_dropping_does_not_change_the_rest():
    table = ragged().drop(tasks=["x"], systems=["B"])
    assert table == ScoreTable(
        [[10.0, 20.0, 60.0], [0.0, 0.0, NAN]],
        systems="AC",
        tasks="yyy",
        instances=[1, 2, 3],
        higher_is_better={"y": False},
        task_weights={"y": 0.5},
    )
    assert by_task().drop() == by_task()


def test_grouped_tasks_are_averaged_in_the_place_of_their_first_member():
    down = ScoreTable([[4.0, 2.0, 9.0]], tasks="xyz", higher_is_better=False)
    grouped = down.group_tasks({"x": ["x", "y"], "w": ["z"]})
    assert grouped == ScoreTable([[3.0, 9.0]], tasks="xw", higher_is_better=False)
    table = ScoreTable(
        [[90.0, 1.0, 80.0, 7.0], [70.0, 2.0, NAN, 8.0]],
        systems="AB",
        tasks=["m", "err", "mm", "rte"],
        higher_is_better={"m": True, "err": False, "mm": True, "rte": True},
        task_weights={"m": 5, "rte": 3},
    )
    assert table.group_tasks({"mnli": ["m", "mm"]}) == ScoreTable(
        [[85.0, 1.0, 7.0], [NAN, 2.0, 8.0]],
        systems="AB",
        tasks=["mnli", "err", "rte"],
        higher_is_better={"mnli": True, "err": False, "rte": True},
        task_weights={"rte": 3},
    )


def test_grouped_instances_are_averaged_one_by_one():
    scores = [[1.0, 2.0, 30.0, 40.0], [5.0, NAN, 7.0, 8.0]]
    grouped = made(scores, tasks="xxyy", instances=[1, 2, 1, 2]).group_tasks({"both": "xy"})
    assert grouped == made([[15.5, 21.0], [6.0, NAN]], tasks=["both"] * 2, instances=[1, 2])


def test_grouped_tasks_keep_the_family_of_their_members():
    families = {"m": "mnli", "mm": "mnli", "mx": "mnli", "q": "qa"}
    table = ScoreTable(
        np.eye(5), tasks=["m", "mm", "mx", "q", "r"], higher_is_better=True, task_families=families
    )
    assert table.group_tasks({"new": ["m", "mm"], "q": ["r", "q"]}).task_families == {
        "new": "mnli", "mx": "mnli", "q": "qa",
    }  # fmt: skip
    with pytest.raises(InvalidInputError, match=r"most one family\. Got \['m', 'q'\]"):
        table.group_tasks({"new": ["m", "q"]})


def test_scores_relative_to_a_system():
    low = ScoreTable([[1e-308, 1.0], [1e308, 2.0]], higher_is_better=True)
    assert low.relative_to(1).values[0].tolist() == [0.0, 0.5]
    for score in (0.0, -1.0, NAN):  # of another than the reference
        assert made([[1.0, score], [1.0, 2.0]]).relative_to(1).values[0, 0] == 1.0
    table = by_task(task_weights={"acc": 2}).relative_to("B")
    np.testing.assert_allclose(table.values, [[0.9 / 0.8, 5 / 3], [1, 1]], rtol=1e-15)
    assert table.higher_is_better == by_task().higher_is_better
    assert table.task_weights == {"acc": 2.0, "err": 1.0}
    assert list(table.rankings()) == list(by_task().rankings())


# -- descriptions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["system", "task", "cell"])
def test_describe_counts_and_sums_the_scores_of_each_row(by):
    table = ragged()
    frame = table.describe(by)
    rows = {
        (system, "xy"[task]): [table.values[i, u] for u in np.flatnonzero(table.unit_tasks == task)]
        for i, system in enumerate("ABC") for task in range(2)
    }  # fmt: skip
    expected = {}
    for (system, task), scores in rows.items():
        key = {"system": system, "task": task, "cell": (system, task)}[by]
        expected[key] = expected.get(key, []) + scores
    assert list(frame.index) == list(expected)
    assert list(frame.columns) == ["count", "missing", "mean", "sum", "variance", "std"]
    for row, scores in zip(frame.to_numpy(), expected.values(), strict=True):
        there = np.array([score for score in scores if not isnan(score)])
        mean = there.mean() if len(there) else NAN
        variance = there.var(ddof=1) if len(there) > 1 else NAN
        values = [len(there), len(scores) - len(there), mean, there.sum(), variance, sqrt(variance)]
        assert row == pytest.approx(values, nan_ok=True)


def test_to_frame_labels_systems_and_units():
    frame = by_task().to_frame()
    assert list(frame.index) == ["A", "B"]
    assert list(frame.columns) == ["acc", "err"]
    assert frame.loc["B", "err"] == 3.0
    frame = ragged().to_frame()
    assert list(frame.columns) == [("x", 1), ("y", 1), ("x", 2), ("y", 2), ("y", 3)]
    assert frame.loc["A", ("y", 3)] == 60.0


def test_repr_states_size_and_missing_scores():
    assert repr(by_task()) == "<ScoreTable of 2 systems x 2 tasks, 0 of 4 scores missing>"
    assert repr(ragged()) == (
        "<ScoreTable of 3 systems x 2 tasks, 5 instances, 5 of 15 scores missing>"
    )


LARGE = ra.ScoreTable(
    [[1e308, 1.7e308, -1e308], [1.2e308, 1.5e308, NAN]], systems="AB", higher_is_better=True
)

SMALL = ra.ScoreTable([[1e-310, 5e-324], [2e-310, 1e-323]], systems="AB", higher_is_better=True)


def near_ties(rows: list[list[float]], digits: int) -> int:
    """Pairs of one unit whose decimals agree when rounded, and that are not equal."""
    found = 0
    for column in zip(*rows, strict=True):
        shown = [Decimal(f"{Decimal(score):.{digits - 1}E}") for score in column]
        for i, j in combinations(range(len(column)), 2):
            found += column[i] != column[j] and shown[i] == shown[j]
    return found


@given(data=st.data(), digits=st.integers(1, 12))
def test_near_ties_are_those_of_rounded_decimals(data: st.DataObject, digits: int) -> None:
    bases = st.sampled_from([1.0, 9.99999, 1e-310, 1.7e308, -3.0, 0.0, 1e5, 123456.0])
    noise = st.sampled_from([0.0, 1e-9, 1e-4, 0.03, -2e-6])
    cell = st.builds(lambda base, off: base * (1 - off), bases, noise)
    rows = data.draw(st.lists(st.lists(cell, min_size=2, max_size=2), min_size=1, max_size=4))
    table = ra.ScoreTable(rows, higher_is_better=True)
    with mock.patch("rankagg.core.scores.NEAR_DIGITS", digits):
        assert table.near_ties() == near_ties(rows, digits)


def test_near_ties_leave_out_missing_scores() -> None:
    table = ra.ScoreTable(
        [[1.0, NAN], [1.0 + 1e-12, 2.0], [NAN, NAN], [1.1, 2.0]], higher_is_better=True
    )
    assert table.near_ties() == 1


def test_means_of_extreme_scores_are_right() -> None:
    assert ra.Mean().aggregate(LARGE).scores.tolist() == [
        pytest.approx(1.7e308 / 3), pytest.approx(1.35e308),
    ]  # fmt: skip
    assert ra.Median().aggregate(LARGE).scores.tolist() == [1e308, pytest.approx(1.35e308)]
    assert ra.Median().aggregate(SMALL).order == ("B", "A")
    for rule in (ra.Mean(), ra.GeometricMean(), ra.HarmonicMean()):
        assert rule.aggregate(SMALL).order == ("B", "A")
    assert ra.HarmonicMean().aggregate(SMALL).scores[0] == pytest.approx(1e-323, abs=1e-323)


def test_differences_too_large_for_a_float_raise_no_warning():
    table = ra.ScoreTable([[1.7e308], [-1.7e308], [0.0]], higher_is_better=True)
    assert table.rankings().ranks.tolist() == [[0, 2, 1]]
    assert table.rankings(1e300).ranks.tolist() == [[0, 2, 1]]


@pytest.mark.parametrize(
    "changes",
    [
        {"values": -np.arange(8.0).reshape(2, 4)},
        {"task_weights": {"y": 3.0}},
        {"task_families": {"x": "f"}},
    ],
    ids=str,
)
def test_a_changed_copy_equals_a_new_table(changes):
    given = {
        "systems": "AB", "tasks": list("xxyy"), "instances": [0, 1, 0, 1], "task_weights": {"x": 5},
        "higher_is_better": {"x": True, "y": False}, "task_families": {"y": "g"},
    }  # fmt: skip
    values = np.arange(8.0).reshape(2, 4)
    table = ScoreTable(values, **given)
    assert table.missing.sum() + table.signs.sum() == 0  # which are kept
    ((name, change),) = changes.items()
    found = getattr(table, f"with_{name}")(change)
    new = ScoreTable(**{"values": values} | given | changes)
    assert found == new
    for name in ("missing", "signs", "unit_tasks"):
        assert np.array_equal(getattr(found, name), getattr(new, name))
    with pytest.raises(InvalidInputError, match="shape"):
        table.with_values(values[:1])
    with pytest.raises(InvalidInputError, match="every task has a score"):
        table.with_values(np.where([1, 1, 0, 0], np.nan, values))


def test_comparisons_are_the_votes_of_units_that_score_both():
    rng = np.random.default_rng(0)
    values = np.where(rng.random((5, 8)) < 0.3, np.nan, rng.integers(0, 3, (5, 8)))
    values[0] = 1
    weights = dict(zip("abcd", (1.0, 2.0, 0.5, 1.0), strict=True))
    table = ScoreTable(
        values, higher_is_better={**dict.fromkeys("abc", True), "d": False}, tasks=list("aabbccdd"),
        instances=[0, 1] * 4, task_weights=weights,
    )  # fmt: skip
    found, expected = table.comparisons().pairwise(), table.with_unranked("ignore").rankings()
    np.testing.assert_array_equal(found.wins, expected.pairwise().wins)
    np.testing.assert_array_equal(found.ties, expected.pairwise().ties)
    frame = table.comparisons().to_frame()
    assert (frame["weight"] == frame["cluster"].map(weights)).all()
    loose = table.comparisons(tolerance=5)
    assert loose.n_ties == len(loose)


def test_comparisons_cluster_by_families():
    table = ScoreTable(
        np.eye(3), higher_is_better=True, tasks="xyz", task_families={"x": "f", "y": "f"}
    )
    assert table.comparisons().cluster_labels == ("f", "z")
    assert table.comparisons().n_clusters == 2
    single = ScoreTable(np.eye(3), higher_is_better=True, tasks=["t"] * 3, instances="klm")
    assert single.comparisons().cluster_labels == ("k", "l", "m")
    assert ra.BradleyTerry.fit(single.comparisons(), ridge=1).covariance is not None
    assert single.with_task_families({"t": "f"}).comparisons().n_clusters == 1
    clash = table.with_task_families({"x": "z", "y": "z"})
    assert clash.comparisons().n_clusters == 2
    assert clash.comparisons().weights is None
