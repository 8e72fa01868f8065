from decimal import Decimal
from itertools import combinations
from math import isnan, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg import ItemSet, PartialRanking, ScoreTable
from rankagg.exceptions import InvalidInputError
from tests import strategies
from tests.strategies import quick

NAN = float("nan")


def by_task(**changes):
    """Return two systems on two tasks of opposite directions."""
    parts = {
        "systems": "AB",
        "tasks": ["acc", "err"],
        "higher_is_better": {"acc": True, "err": False},
        **changes,
    }
    return ScoreTable([[0.9, 5.0], [0.8, 3.0]], **parts)


def ragged(**changes):
    """Return three systems; task x has two instances, task y three, some scores are missing."""
    parts = {
        "systems": "ABC",
        "tasks": ["x", "y", "x", "y", "y"],
        "instances": [1, 1, 2, 2, 3],
        "higher_is_better": {"x": True, "y": False},
        "task_weights": {"y": 0.5},
        **changes,
    }
    scores = [[1.0, 10.0, 2.0, 20.0, 60.0], [3.0, NAN, NAN, 30.0, 50.0], [NAN, 0.0, NAN, 0.0, NAN]]
    return ScoreTable(scores, **parts)


# -- shape ----------------------------------------------------------------------------------------


def test_a_table_by_task():
    table = by_task()
    assert (table.n_systems, table.n_tasks, table.n_units) == (2, 2, 2)
    assert table.systems == ItemSet("AB")
    assert table.tasks == ItemSet(["acc", "err"])
    assert not table.is_instance_level
    assert table.instances is None
    assert table.n_missing == 0
    assert table.values.tolist() == [[0.9, 5.0], [0.8, 3.0]]


def test_a_ragged_table_by_instance():
    table = ragged()
    assert (table.n_systems, table.n_tasks, table.n_units) == (3, 2, 5)
    assert table.tasks == ItemSet("xy")
    assert table.unit_tasks.tolist() == [0, 1, 0, 1, 1]
    assert table.is_instance_level
    assert table.instances == (1, 1, 2, 2, 3)
    assert table.n_missing == 5
    assert table.missing.tolist() == np.isnan(table.values).tolist()


def test_systems_and_tasks_are_numbered_where_they_have_no_names():
    table = ScoreTable([[1, 2, 3], [4, 5, 6]], higher_is_better=True)
    assert table.systems == ItemSet([0, 1])
    assert table.tasks == ItemSet([0, 1, 2])


def test_the_given_order_of_systems_and_tasks_is_kept():
    table = ScoreTable([[1, 2], [3, 4]], systems="ba", tasks="zy", higher_is_better=True)
    assert table.systems.labels == ("b", "a")
    assert table.tasks.labels == ("z", "y")


def test_one_direction_holds_for_all_tasks():
    assert by_task(higher_is_better=False).higher_is_better == {"acc": False, "err": False}
    assert by_task(higher_is_better=True).signs.tolist() == [1, 1]
    assert by_task().signs.tolist() == [1, -1]
    assert ragged().signs.tolist() == [1, -1, 1, -1, -1]


def test_tasks_weigh_one_unless_told():
    assert by_task().task_weights == {"acc": 1.0, "err": 1.0}
    assert ragged().task_weights == {"x": 1.0, "y": 0.5}
    assert ragged().weight_vector.tolist() == [1.0, 0.5]


def test_families_of_tasks_stay_with_them():
    table = by_task(task_families={"acc": "f"})
    assert table.task_families == {"acc": "f"}
    assert table.drop(tasks=["err"]).task_families == {"acc": "f"}
    assert table.drop(tasks=["acc"]).task_families == {}
    assert table.with_task_weights({"acc": 2}).task_families == {"acc": "f"}
    assert table != by_task()
    assert table == by_task().with_task_families(pd.Series({"acc": "f"}))
    with pytest.raises(InvalidInputError, match=r"`task_families` must .*Did you mean 'acc'"):
        by_task(task_families={"ac": "f"})


def test_rankings_of_one_family_are_one_cluster():
    table = ScoreTable([[1, 2, 3, 4]], tasks="abcd", higher_is_better=True)
    assert table.rankings().clusters is None
    # A family may be called as a task that is in none.
    clusters = table.with_task_families({"a": "c", "d": "c", "b": "x"}).rankings().clusters
    assert clusters == (0, 1, 2, 0)


def test_other_weights_make_another_table():
    table = ragged().with_task_weights({"x": 3})
    assert table.task_weights == {"x": 3.0, "y": 1.0}
    assert table == ragged(task_weights={"x": 3})
    assert table != ragged()


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "parameter"),
    [
        ({"systems": "ABC"}, "systems"),
        ({"systems": "AA"}, "items"),
        ({"systems": ["A", 1]}, "items"),
        ({"tasks": ["acc"]}, "tasks"),
        ({"tasks": ["acc", "acc"]}, "tasks"),
        ({"tasks": ["acc", 1]}, "items"),
        ({"instances": [1]}, "instances"),
        ({"tasks": ["acc", "acc"], "instances": [1, 1]}, "tasks"),
        ({"higher_is_better": None}, "higher_is_better"),
        ({"higher_is_better": "yes"}, "higher_is_better"),
        ({"higher_is_better": 1}, "higher_is_better"),
        ({"higher_is_better": {"acc": True}}, "higher_is_better"),
        ({"higher_is_better": {"acc": True, "err": 0}}, "higher_is_better"),
        ({"higher_is_better": {"acc": True, "err": True, "f1": True}}, "higher_is_better"),
        ({"task_weights": {"acc": 0}}, "task_weights"),
        ({"task_weights": {"acc": -1}}, "task_weights"),
        ({"task_weights": {"acc": NAN}}, "task_weights"),
        ({"task_weights": {"acc": np.inf}}, "task_weights"),
        ({"task_weights": {"acc": 1e-300}}, "task_weights"),
        ({"task_weights": {"acc": 1e300}}, "task_weights"),
        ({"task_weights": {"acc": "1"}}, "task_weights"),
        ({"task_weights": {"f1": 1}}, "task_weights"),
    ],
    ids=str,
)
def test_refuses_labels_directions_and_weights_that_do_not_fit(changes, parameter):
    with pytest.raises(InvalidInputError) as caught:
        by_task(**changes)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize(
    "values",
    [
        [1.0, 2.0],
        [[1.0], [1.0, 2.0]],
        [[1.0, np.inf]],
        [["x", "y"]],
        [[]],
        np.empty((0, 2)),
        np.zeros((2, 2, 2)),
        7,
        None,
        [[1.0, NAN], [2.0, NAN]],  # nobody has a score on the second task
    ],
    ids=str,
)
def test_refuses_what_is_no_table_of_scores(values):
    with pytest.raises(InvalidInputError) as caught:
        ScoreTable(values, higher_is_better=True)
    assert caught.value.parameter == "values"


def test_the_direction_has_no_default():
    with pytest.raises(TypeError, match="higher_is_better"):
        ScoreTable([[1.0]])


def test_an_unknown_task_is_named_beside_the_known_ones():
    with pytest.raises(InvalidInputError, match=r"\(acc, err\)\. Got 'f1'"):
        by_task(task_weights={"f1": 1})


def test_a_repeated_task_asks_for_instances():
    with pytest.raises(InvalidInputError, match=r"'acc'\. `instances=` tells"):
        by_task(tasks=["acc", "acc"])


def test_a_task_without_scores_is_named():
    with pytest.raises(InvalidInputError, match=r"'err'.*leave it out"):
        ScoreTable([[1.0, NAN]], tasks=["acc", "err"], higher_is_better=True)


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
@strategies.quick
def test_a_unit_is_ranked_like_a_ranking_of_its_own(scores, tolerance):
    table = ScoreTable(scores, higher_is_better={0: True, 1: False})
    first, second = table.rankings(tolerance)
    for ranking, column, better in zip((first, second), scores.T, (True, False), strict=True):
        assert ranking == PartialRanking.from_scores(
            column, higher_is_better=better, tolerance=tolerance
        )


def test_the_tolerance_may_differ_by_task():
    table = ScoreTable(
        [[1.0, 1.0, 1.0], [1.5, 1.5, 1.5]],
        tasks=["x", "y", "x"],
        instances=[1, 1, 2],
        higher_is_better=True,
    )
    assert [r.is_strict for r in table.rankings({"x": 0.5})] == [False, True, False]
    assert [r.is_strict for r in table.rankings({"x": 0.4, "y": 0.6})] == [True, False, True]
    assert [r.is_strict for r in table.rankings(0.5)] == [False, False, False]
    assert [r.is_strict for r in table.rankings()] == [True, True, True]


@pytest.mark.parametrize("tolerance", [-0.1, NAN, np.inf, "0", None, {"acc": -1}, {"f1": 0.1}])
def test_a_tolerance_is_a_number_for_known_tasks(tolerance):
    with pytest.raises(InvalidInputError) as caught:
        by_task().rankings(tolerance)
    assert caught.value.parameter == "tolerance"


# -- means ----------------------------------------------------------------------------------------


def test_signed_task_scores_make_higher_better():
    means = ragged().task_scores(signed=True)
    assert means[:2].tolist() == [[1.5, -30.0], [3.0, -40.0]]


@given(strategies.score_arrays(columns=4), st.lists(st.sampled_from("xy"), min_size=4, max_size=4))
@strategies.quick
def test_task_scores_are_means_by_definition(scores, tasks):
    scores = np.vstack([scores, np.ones(4)])  # every task has a score
    table = ScoreTable(scores, tasks=tasks, instances=range(4), higher_is_better=True)
    means = table.task_scores()
    for i, row in enumerate(scores.tolist()):
        for t, task in enumerate(table.tasks):
            of_task = [score for score, name in zip(row, tasks, strict=True) if name == task]
            present = [score for score in of_task if not isnan(score)]
            if present:
                assert means[i, t] == pytest.approx(sum(present) / len(present))
            else:
                assert np.isnan(means[i, t])


# -- other tables ---------------------------------------------------------------------------------


def test_dropping_leaves_the_rest_as_it_is():
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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda table: table.drop(tasks=["f1"]), r"`tasks` must be one of the 2 tasks .*'f1'"),
        (lambda table: table.drop(systems=["Z"]), r"`systems` must be one of the 2 systems .*'Z'"),
        (lambda table: table.relative_to("Z"), r"`system` must be one of the 2 systems .*'Z'"),
        (lambda table: ra.studies.Reversed().corrupt(table, ["f1"]), r"`tasks` .* 2 tasks .*'f1'"),
    ],
    ids=["tasks", "systems", "relative", "factors"],
)
def test_unknown_labels_are_told_by_what_was_asked_for(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call(by_task())


def test_dropping_too_much_names_the_labels_of_any_iterable():
    for labels in ({"tasks": ["acc", "err"]}, {"systems": ["A", "B"]}):
        ((name, all_of_them),) = labels.items()
        with pytest.raises(InvalidInputError) as caught:
            by_task().drop(**{name: iter(all_of_them)})
        assert caught.value.value == all_of_them


def test_dropping_the_only_scores_of_a_task_names_the_task():
    table = ScoreTable([[1.0, NAN], [1.0, 2.0]], systems="AB", tasks="xy", higher_is_better=True)
    with pytest.raises(InvalidInputError, match="'y'"):
        table.drop(systems=["B"])


def test_grouped_tasks_are_averaged_in_the_place_of_their_first_member():
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


def test_grouped_tasks_keep_their_direction_and_may_keep_a_name():
    table = ScoreTable([[4.0, 2.0, 9.0]], tasks="xyz", higher_is_better=False)
    grouped = table.group_tasks({"x": ["x", "y"], "w": ["z"]})
    assert grouped == ScoreTable([[3.0, 9.0]], tasks="xw", higher_is_better=False)


def test_grouped_instances_are_averaged_one_by_one():
    table = ScoreTable(
        [[1.0, 2.0, 30.0, 40.0], [5.0, NAN, 7.0, 8.0]],
        tasks="xxyy",
        instances=[1, 2, 1, 2],
        higher_is_better=True,
    )
    assert table.group_tasks({"both": "xy"}) == ScoreTable(
        [[15.5, 21.0], [6.0, NAN]],
        tasks=["both", "both"],
        instances=[1, 2],
        higher_is_better=True,
    )


@pytest.mark.parametrize(
    "groups",
    [
        {"new": ["f1"]},
        {"new": []},
        {"new": ["x", "z"]},  # of opposite directions
        {"y": ["x"]},  # y is a task of its own
        {"new": ["x", "y"], "other": ["y"]},
        {"new": ["x", "x"]},
        {3: ["x"]},
    ],
    ids=str,
)
def test_refuses_groups_that_do_not_fit(groups):
    table = ScoreTable(
        [[1.0, 2.0, 3.0]], tasks="xyz", higher_is_better={"x": True, "y": True, "z": False}
    )
    with pytest.raises(InvalidInputError):
        table.group_tasks(groups)


def test_scores_relative_to_a_system():
    table = by_task(task_weights={"acc": 2}).relative_to("B")
    np.testing.assert_allclose(table.values, [[0.9 / 0.8, 5 / 3], [1, 1]], rtol=1e-15)
    assert table.higher_is_better == by_task().higher_is_better
    assert table.task_weights == {"acc": 2.0, "err": 1.0}
    assert list(table.rankings()) == list(by_task().rankings())


@pytest.mark.parametrize("score", [0.0, -1.0, NAN])
def test_a_reference_has_a_positive_score_everywhere(score):
    table = ScoreTable([[1.0, score], [1.0, 2.0]], systems="AB", tasks="xy", higher_is_better=True)
    with pytest.raises(InvalidInputError, match=r"on task 'y'.*\.drop\(tasks=\.\.\.\)"):
        table.relative_to("A")
    assert table.relative_to("B").values[0, 0] == 1.0


# -- descriptions ---------------------------------------------------------------------------------


def test_describe_by_system():
    frame = ragged().describe()
    assert list(frame.index) == ["A", "B", "C"]
    assert list(frame.columns) == ["count", "missing", "mean", "sum", "variance", "std"]
    assert frame["count"].tolist() == [5, 3, 2]
    assert frame["missing"].tolist() == [0, 2, 3]
    assert frame.loc["B", "mean"] == pytest.approx(83 / 3)
    assert frame.loc["B", "sum"] == 83.0
    variance = sum((score - 83 / 3) ** 2 for score in (3, 30, 50)) / 2
    assert frame.loc["B", "variance"] == pytest.approx(variance)
    assert frame.loc["B", "std"] == pytest.approx(sqrt(variance))


def test_describe_by_task():
    frame = ragged().describe("task")
    assert list(frame.index) == ["x", "y"]
    assert frame["count"].tolist() == [3, 7]
    assert frame["missing"].tolist() == [3, 2]
    assert frame.loc["x", "mean"] == 2.0


def test_describe_by_cell():
    frame = ragged().describe("cell")
    assert list(frame.index) == [(system, task) for system in "ABC" for task in "xy"]
    assert frame["count"].tolist() == [2, 3, 1, 2, 0, 2]
    assert frame.loc[("A", "y"), "variance"] == pytest.approx(700.0)
    assert np.isnan(frame.loc[("C", "x"), "mean"])
    assert np.isnan(frame.loc[("B", "x"), "variance"])


def test_describe_knows_three_ways():
    with pytest.raises(InvalidInputError, match="'system' or 'task' or 'cell'"):
        by_task().describe("instance")


def test_to_frame_labels_systems_and_units():
    frame = by_task().to_frame()
    assert list(frame.index) == ["A", "B"]
    assert list(frame.columns) == ["acc", "err"]
    assert frame.loc["B", "err"] == 3.0
    frame = ragged().to_frame()
    assert list(frame.columns) == [("x", 1), ("y", 1), ("x", 2), ("y", 2), ("y", 3)]
    assert frame.loc["A", ("y", 3)] == 60.0


def test_repr_tells_size_and_missing_scores():
    assert repr(by_task()) == "<ScoreTable of 2 systems x 2 tasks, 0 of 4 scores missing>"
    assert repr(ragged()) == (
        "<ScoreTable of 3 systems x 2 tasks, 5 instances, 5 of 15 scores missing>"
    )


LARGE = ra.ScoreTable(
    [[1e308, 1.7e308, -1e308], [1.2e308, 1.5e308, NAN]], systems="AB", higher_is_better=True
)

SMALL = ra.ScoreTable([[1e-310, 5e-324], [2e-310, 1e-323]], systems="AB", higher_is_better=True)


@pytest.mark.parametrize("digits", ["7", 0, -3, 2.5, 16, 10**400, None, True, NAN])
def test_digits_are_a_whole_number_that_floats_hold(digits: object) -> None:
    with pytest.raises(InvalidInputError, match="`digits` must be an integer of at least 1 and at"):
        LARGE.near_ties(digits)


def near_ties(rows: list[list[float]], digits: int) -> int:
    """Pairs of one unit whose decimals agree when rounded, and that are not equal."""
    found = 0
    for column in zip(*rows, strict=True):
        shown = [Decimal(f"{Decimal(score):.{digits - 1}E}") for score in column]
        for i, j in combinations(range(len(column)), 2):
            found += column[i] != column[j] and shown[i] == shown[j]
    return found


@quick
@given(data=st.data(), digits=st.integers(1, 12))
def test_near_ties_are_those_of_rounded_decimals(data: st.DataObject, digits: int) -> None:
    bases = st.sampled_from([1.0, 9.99999, 1e-310, 1.7e308, -3.0, 0.0, 1e5, 123456.0])
    noise = st.sampled_from([0.0, 1e-9, 1e-4, 0.03, -2e-6])
    cell = st.builds(lambda base, off: base * (1 - off), bases, noise)
    rows = data.draw(st.lists(st.lists(cell, min_size=2, max_size=2), min_size=1, max_size=4))
    table = ra.ScoreTable(rows, higher_is_better=True)
    assert table.near_ties(digits) == near_ties(rows, digits)


def test_near_ties_leave_out_what_is_missing() -> None:
    table = ra.ScoreTable(
        [[1.0, NAN], [1.0 + 1e-12, 2.0], [NAN, NAN], [1.1, 2.0]], higher_is_better=True
    )
    assert table.near_ties() == 1
    assert table.near_ties(15) == 0
    assert table.near_ties(1) == 3


@pytest.mark.parametrize("by", ["system", "task", "cell"])
def test_summaries_of_the_largest_floats_are_those_of_smaller_ones(by: str) -> None:
    scaled = ra.ScoreTable(LARGE.values * 2.0**-600, systems="AB", higher_is_better=True)
    found, expected = LARGE.describe(by), scaled.describe(by)
    for column in ("count", "missing"):
        assert found[column].tolist() == expected[column].tolist()
    for column in ("mean", "std"):
        np.testing.assert_allclose(found[column] * 2.0**-600, expected[column], rtol=1e-14)
    assert not np.isinf(found[["mean", "std"]].to_numpy()).any()
    assert LARGE.describe("system").loc["A", "sum"] == 1.7e308
    assert LARGE.describe("system").loc["B", "sum"] == np.inf


def test_means_of_extreme_scores_are_right() -> None:
    assert ra.Mean().aggregate(LARGE).scores.tolist() == [
        pytest.approx(1.7e308 / 3), pytest.approx(1.35e308),
    ]  # fmt: skip
    assert ra.Median().aggregate(LARGE).scores.tolist() == [1e308, pytest.approx(1.35e308)]
    assert ra.Median().aggregate(SMALL).order == ("B", "A")
    for rule in (ra.Mean(), ra.GeometricMean(), ra.HarmonicMean()):
        assert rule.aggregate(SMALL).order == ("B", "A")
    assert ra.HarmonicMean().aggregate(SMALL).scores[0] == pytest.approx(1e-323, abs=1e-323)


def test_ratios_that_are_no_floats_are_refused() -> None:
    table = ra.ScoreTable([[1e-308, 1.0], [1e308, 2.0]], systems="AB", higher_is_better=True)
    with pytest.raises(InvalidInputError, match=r"1e-308 beside 1e\+308 on 0"):
        table.relative_to("A")
    assert table.relative_to("B").values[0].tolist() == [0.0, 0.5]


@pytest.mark.parametrize("parameter", ["tasks", "instances"])
@pytest.mark.parametrize("labels", [[["a"], ["b"]], [None, 1], [NAN, NAN], 5, [b"a", b"b"]])
def test_tasks_and_instances_are_labels(parameter: str, labels: object) -> None:
    given = {"tasks": ["t", "t"], "instances": [0, 1], parameter: labels}
    with pytest.raises(InvalidInputError, match=f"`{parameter}` must be"):
        ra.ScoreTable([[1.0, 2.0]], higher_is_better=True, **given)


def test_steps_that_are_too_large_for_a_float_are_ranked_in_silence():
    table = ra.ScoreTable([[1.7e308], [-1.7e308], [0.0]], higher_is_better=True)
    assert table.rankings().ranks.tolist() == [[0, 2, 1]]
    assert table.rankings(1e300).ranks.tolist() == [[0, 2, 1]]


@pytest.mark.parametrize(
    "changes",
    [
        {"values": -np.arange(8.0).reshape(2, 4)},
        {"systems": ["C", "A"]},
        {"task_weights": {"y": 3.0}},
        {"task_families": {"x": "f"}},
        {"values": np.ones((2, 4)), "systems": "XY", "task_weights": {"x": 2}},
    ],
    ids=str,
)
def test_a_table_with_something_else_is_the_one_that_is_made_anew(changes):
    given = {
        "systems": "AB", "tasks": list("xxyy"), "instances": [0, 1, 0, 1], "task_weights": {"x": 5},
        "higher_is_better": {"x": True, "y": False}, "task_families": {"y": "g"},
    }  # fmt: skip
    values = np.arange(8.0).reshape(2, 4)
    table = ScoreTable(values, **given)
    assert table.missing.sum() + table.signs.sum() == 0  # which are kept
    found, new = table._with(**changes), ScoreTable(**{"values": values} | given | changes)
    assert found == new
    for name in ("missing", "signs", "unit_tasks"):
        assert np.array_equal(getattr(found, name), getattr(new, name))
    with pytest.raises(InvalidInputError, match="every task has a score"):
        table._with(values=np.where([1, 1, 0, 0], np.nan, values))
