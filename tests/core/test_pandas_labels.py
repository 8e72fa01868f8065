"""Tables and columns of pandas: labels and missing values, or one sentence of refusal."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InvalidInputError, shown
from tests.strategies import normal, texts

SCORES = pd.DataFrame(
    {"qa": [0.7, 0.6, 0.4], "nli": [0.5, 0.8, 0.3]}, index=["large", "medium", "small"]
)
UP: dict[str, Any] = {"higher_is_better": True}


def with_levels(*levels: list[str]) -> pd.DataFrame:
    return SCORES.set_axis(pd.MultiIndex.from_arrays(levels), axis=1)


@given(
    st.lists(texts(1), min_size=1, max_size=4, unique_by=normal),
    st.lists(st.integers(0, 9), min_size=1, max_size=4, unique=True),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_a_table_survives_the_way_to_pandas_and_back(systems, tasks, has_instances, random) -> None:
    names = tasks * 2 if has_instances else tasks
    values = [[random.choice([0.5, 2.0, np.nan]) for _ in names] for _ in systems]
    values[0] = [1.0] * len(names)  # every task has a score
    instances = [i // len(tasks) for i in range(len(names))] if has_instances else None
    table = ra.ScoreTable(values, systems=systems, tasks=names, instances=instances, **UP)
    assert ra.ScoreTable(table.to_frame(), **UP) == table


@pytest.mark.parametrize(
    "given_as", ["Float64", "float64[pyarrow]", "Sparse[float]", object, "float32", "string"]
)
def test_missing_values_of_every_type_are_missing(given_as: Any) -> None:
    # Numbers that floats of 32 bits hold too.
    frame = pd.DataFrame({"x": [0.5, None], "y": [1.0, 2.0]}, index=["A", "B"])
    typed = frame.astype(given_as) if given_as != "string" else frame.convert_dtypes()
    assert ra.ScoreTable(typed, **UP) == ra.ScoreTable(frame, **UP)
    assert ra.ScoreTable(frame, **UP).n_missing == 1
    assert ra.PartialRanking.from_scores(typed["x"], **UP) == ra.PartialRanking.from_scores(
        {"A": 0.5}, items="AB", **UP
    )


def test_labels_are_taken_from_the_index() -> None:
    table = ra.ScoreTable(SCORES, **UP)
    assert table == ra.read_scores(SCORES, **UP)
    assert table.systems.labels == tuple(SCORES.index)
    assert table.tasks.labels == tuple(SCORES.columns)
    assert ra.ScoreTable(SCORES.sort_values("nli"), **UP).systems[0] == "small"
    assert ra.ScoreTable(SCORES, systems=list(SCORES.index), **UP) == table
    by_task = ra.Profile.from_scores(SCORES.T, **UP)
    assert by_task == ra.Profile.from_ranks(-SCORES.T)
    assert list(by_task) == list(table.rankings())
    best = ra.PartialRanking.from_ranks(-SCORES["qa"])
    assert best == ra.PartialRanking.from_scores(SCORES["qa"], **UP)
    assert best.items.labels == tuple(SCORES.index)
    wins = table.rankings().pairwise()
    square = pd.DataFrame(wins.wins, index=wins.items.labels, columns=wins.items.labels)
    assert ra.PairwiseMatrix.from_wins(square, ties=square * 0).items == table.systems
    assert ra.PlackettLuce(SCORES["qa"]).items == table.systems
    latent = ra.distributions.LatentScores
    assert latent(SCORES).systems == latent(SCORES["qa"]).systems == table.systems
    assert ra.Permutation.from_ranks(pd.Series({"b": 0, "a": 1})).order == ("b", "a")


def test_frames_without_labels_are_numbered() -> None:
    bare = pd.DataFrame(SCORES.to_numpy())
    assert ra.ScoreTable(bare, **UP) == ra.ScoreTable(SCORES.to_numpy(), **UP)
    named = ra.ScoreTable(bare, systems="ABC", tasks=["x", "y"], **UP)
    assert named.systems.labels == ("A", "B", "C")
    assert ra.PairwiseMatrix.from_wins(pd.DataFrame(np.ones((2, 2)))).items.labels == (0, 1)


HOSTILE: list[tuple[Any, str]] = [
        (lambda: ra.ScoreTable(SCORES, systems="ABC", **UP), "index of the table"),
        (lambda: ra.ScoreTable(SCORES, tasks=["nli", "qa"], **UP), "columns of the table"),
        (lambda: ra.ScoreTable(SCORES.reset_index(), **UP), "set_index.*read_scores"),
        (lambda: ra.ScoreTable(SCORES.reset_index(drop=True), **UP), "set_index"),
        (lambda: ra.ScoreTable(SCORES.assign(x="no"), **UP), "could not convert"),
        (lambda: ra.ScoreTable(SCORES.assign(x=pd.Timestamp(2026, 1, 1)), **UP), "datetime64"),
        (lambda: ra.ScoreTable(SCORES.assign(x=1j), **UP), "complex128"),
        (lambda: ra.ScoreTable(np.array([["2026"]], "M8[D]"), **UP), "datetime64"),
        (lambda: ra.Profile.from_ranks([[1, 2]], weights=np.array([1j])), "complex128"),
        (lambda: ra.ScoreTable(SCORES.assign(x=pd.array([2**53 + 1, None, 3], "Int64")), **UP),
         "9007199254740993"),
        (lambda: ra.ScoreTable(pd.concat([SCORES, SCORES]), **UP), "occurs twice"),
        (lambda: ra.ScoreTable(pd.concat([SCORES, SCORES], axis=1), **UP), "distinct"),
        (lambda: ra.ScoreTable(SCORES.iloc[:0], **UP), "at least one system"),
        (lambda: ra.ScoreTable(SCORES.iloc[:, :0], **UP), "at least one"),
        (lambda: ra.ScoreTable(SCORES.set_axis([1.0, 2.0, 3.0]), **UP), "strings or integers"),
        (lambda: ra.ScoreTable(SCORES.set_axis(["a", None, "b"]), **UP), "strings or integers"),
        (lambda: ra.ScoreTable(SCORES.set_index("qa", append=True), **UP), "one level"),
        (lambda: ra.ScoreTable(with_levels(["x", "x"], ["u", "u"]), **UP), "distinct"),
        (lambda: ra.ScoreTable(with_levels(["x"] * 2, ["u", "v"], ["a"] * 2), **UP), "3 levels"),
        (lambda: ra.ScoreTable(with_levels(["x"] * 2, ["u", "v"]), tasks="xy", **UP), "two levels"),
        (lambda: ra.ScoreTable(pa.table({"x": [1.0]}), **UP), "a plain range"),
        (lambda: ra.Profile.from_ranks(SCORES, items="AB"), "columns of the table"),
        (lambda: ra.Profile.from_scores(SCORES, items="AB", **UP), "columns of the table"),
        (lambda: ra.PartialRanking.from_ranks(SCORES["qa"], items="ABC"), "index of the table"),
        (lambda: ra.PairwiseMatrix.from_wins(SCORES), "same in the index and the columns"),
        (lambda: ra.PairwiseMatrix.from_wins(SCORES.reset_index(drop=True)), "none in the index"),
        (lambda: ra.compare(SCORES), "meaning is stated.*ScoreTable"),  # type: ignore[arg-type]
        (lambda: ra.rank_intervals(SCORES), "meaning is stated"),  # type: ignore[arg-type]
]  # fmt: skip


def test_hostile_tables_are_refused_in_one_sentence() -> None:
    for make, message in HOSTILE:
        with pytest.raises(InvalidInputError, match=message) as error:
            make()
        assert "\n" not in str(error.value) + shown(SCORES) + shown(np.eye(3))
    assert shown("a\nb") == r"'a\nb'"


TASKS = {"qa": 0.5, "nli": 2.0, "mt": 4.0}


def table_of(**options: Any) -> ra.ScoreTable:
    scores = [[0.1, 5.0, 9.0], [0.4, 4.0, 6.0], [0.7, 3.0, 4.0]]
    return ra.ScoreTable(scores, systems="ABC", tasks=list(TASKS), **{**UP, **options})


def shuffled(values: dict[str, Any]) -> pd.Series[Any]:
    return pd.Series(dict(reversed(values.items())))


def test_a_series_is_aligned_by_the_names_of_tasks() -> None:
    better = {"qa": True, "nli": False, "mt": True}
    given = table_of(higher_is_better=shuffled(better), task_weights=shuffled(TASKS))
    assert given == table_of(higher_is_better=better, task_weights=TASKS)
    assert table_of().with_task_weights(shuffled(TASKS)) == table_of(task_weights=TASKS)
    assert given.rankings(shuffled(TASKS)) == given.rankings(TASKS)


@pytest.mark.parametrize(
    "call",
    [
        lambda table, step: ra.Borda().aggregate(table, tolerance=step).to_frame(),
        lambda table, step: ra.rank_intervals(table.rankings(step)).to_frame(),
        lambda table, step: ra.analysis.task_agreement(table, tolerance=step).to_frame(),
        lambda table, step: ra.studies.TaskSubsetStudy(
            data=table, rules=[ra.Borda()], tolerance=step, n_repetitions=1, rng=0
        ).run().to_frame(),
    ],
)  # fmt: skip
def test_a_tolerance_may_be_a_series_wherever_it_may_be_a_mapping(call) -> None:
    by_series = call(table_of(), shuffled(TASKS))
    pd.testing.assert_frame_equal(by_series, call(table_of(), TASKS))


@pytest.mark.parametrize("parameter", ["higher_is_better", "task_weights", "tolerance"])
def test_a_series_names_every_task_once_and_no_other(parameter) -> None:
    for index, message in (
        (["qa", "nli"], "Got none for 'mt'"),
        (["qa", "nli", "mt", "mr"], "Got 'mr'"),
        (["qa", "nli", "mt", "qa"], "Got 'qa' more than once"),
        (range(3), "Got 0"),
        (pd.Index([["qa"], ["nli"], ["mt"]], dtype=object), r"Got \['qa'\]"),
        (pd.MultiIndex.from_product([["qa", "nli", "mt"], [0]]), r"Got \('qa', 0\)"),
    ):
        series = pd.Series([True] * len(index), index=index)
        mean = ra.Mean().aggregate
        make = partial(mean, table_of()) if parameter == "tolerance" else table_of
        with pytest.raises(InvalidInputError, match=f"`{parameter}` must be a Series.*{message}"):
            make(**{parameter: series})


def test_a_tolerance_for_comparisons_is_refused() -> None:
    pairs = ra.Comparisons.from_arrays(["A", "B"], ["B", "A"], [1, 0])
    for step in (shuffled(TASKS), np.ones(3)):
        with pytest.raises(InvalidInputError, match=r"0\.0 for Comparisons"):
            ra.rank_shares(pairs, ra.Borda(), tolerance=step)


def test_weights_of_tasks_are_named(tmp_path: Any) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("task,id,A,B\nqa,0,1,2\nnli,0,3,1\nmt,0,1,1\n")

    def scanned(better: Any, weights: Any) -> ra.ScoreSummary:
        return ra.io.scan_scores(
            path, task="task", instance="id", higher_is_better=better, task_weights=weights
        ).summarize()

    for wrong in (2.0, [], [1, 2, 3], "qa", np.ones(3)):
        for make in (lambda x: table_of(task_weights=x), lambda x: scanned(True, x)):
            with pytest.raises(InvalidInputError, match="`task_weights` must be a mapping"):
                make(wrong)
    better = {"qa": True, "nli": False, "mt": True}
    assert scanned(better, TASKS) == scanned(shuffled(better), shuffled(TASKS))
