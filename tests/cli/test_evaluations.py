"""One table out of many scores, against a slow loop; every choice said or asked for."""

import math
from types import SimpleNamespace

import click
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankagg.cli.data import _score_table
from rankagg.exceptions import InvalidInputError

SCORES = st.lists(
    st.tuples(st.sampled_from("ABC"), st.sampled_from("xyz"), st.sampled_from([0.0, 0.1, 0.3, 1])),
    min_size=1,
    max_size=12,
)


def frame_of(rows, **columns):
    """Return rows of (system, task, score) as a frame of evaluations."""
    frame = pd.DataFrame(rows, columns=["system", "task", "score"])
    usual = {"metric": "m", "instance": None, "higher_is_better": True, "source": "f"}
    columns = {**usual, **columns}
    columns["instance"] = pd.Series(columns["instance"], index=frame.index, dtype=object)
    return frame.assign(**columns).astype({"higher_is_better": "boolean"})


def made(frame, **options):
    usual = {"metric": (), "runs": None, "higher": (), "lower": (), "lower_is_better": False}
    return _score_table(frame, SimpleNamespace(**{**usual, **options}))


@settings(max_examples=5)
@given(SCORES)
def test_tables_are_what_a_slow_loop_makes(rows) -> None:
    frame = frame_of(rows)
    cells: dict[tuple[str, str], list[float]] = {}
    for system, task, score in rows:
        cells.setdefault((system, task), []).append(score)
    if any(len(scores) > 1 for scores in cells.values()):
        with pytest.raises(InvalidInputError, match=r"`--runs` must be .*further score"):
            made(frame)
    expected = {
        "mean": lambda scores: math.fsum(scores) / len(scores),
        "first": lambda scores: scores[0],
        "last": lambda scores: scores[-1],
    }
    for how, value in expected.items():
        got = made(frame, runs=how)[0].to_frame().stack().dropna().to_dict()
        assert got == {cell: pytest.approx(value(scores), abs=1e-15)
                       for cell, scores in cells.items()}  # fmt: skip


def test_runs_of_instances_are_averaged_one_by_one() -> None:
    rows = [("A", "x", 1), ("A", "x", 2), ("A", "x", 9)]
    table, notes = made(frame_of(rows, instance=["1", "1", "2"]), runs="mean")
    assert table.values.tolist() == [[1.5, 9]]
    assert table.instances == ("1", "2")
    said = "runs: the mean of several scores; there are 1 further score, such as of A on x"
    assert notes[-1] == said


METRICS = frame_of(
    [("A", "arc", 1), ("A", "arc", 2), ("A", "gsm8k", 3), ("A", "piqa", 4), ("A", "piqa", 5)],
    metric=["acc", "acc_norm", "exact_match", "acc", "acc_norm"],
)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (["acc"], {"arc": 1, "piqa": 4}),
        (["acc_norm", "exact_match"], {"arc": 2, "gsm8k": 3, "piqa": 5}),
        (["acc", "acc_norm"], {"arc": 1, "piqa": 4}),
        (["exact_match", "acc"], {"arc": 1, "gsm8k": 3, "piqa": 4}),
    ],
)
def test_metrics_are_chosen_by_name(metric, expected) -> None:
    table, notes = made(METRICS, metric=metric)
    assert table.to_frame().loc["A"].to_dict() == expected
    lacking = "left out: tasks without that metric: gsm8k"
    assert (lacking in notes) == ("gsm8k" not in expected)
    assert notes[0] == "read: 5 scores of 1 system on 3 tasks in 1 file"
    taken = [note for note in notes if note.startswith("metric: ")]
    assert sorted(task for note in taken for task in expected if task in note) == sorted(expected)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "arc has acc, acc_norm; piqa has acc, acc_norm. Name one, or several in the order"),
        ({"metric": ["accc"]}, "Did you mean 'acc'"),
        ({"metric": ["acc"], "higher": ["f1"]}, "`--higher or --lower` must be"),
    ],
)
def test_what_is_not_there_is_told(options, told) -> None:
    with pytest.raises(InvalidInputError, match=told):
        made(METRICS, **options)


def test_directions_are_stated_and_never_guessed() -> None:
    unstated = frame_of([("A", "x", 1), ("A", "y", 2)], higher_is_better=[pd.NA, True])
    unstated["metric"] = ["judge", "acc"]
    with pytest.raises(click.UsageError, match="whether higher is better in judge of task x"):
        made(unstated)
    judge = ["judge"]
    for given_, expected in (
        ({"lower": judge}, False), ({"lower_is_better": True}, False), ({"higher": judge}, True),
    ):  # fmt: skip
        table, notes = made(unstated, **given_)
        assert dict(table.higher_is_better) == {"x": expected, "y": True}
        side = "higher" if expected else "lower"
        assert notes[-1].endswith(f"{side} is better in judge")
    stated = made(frame_of([("A", "x", 1)], higher_is_better=False))[0]
    assert dict(stated.higher_is_better) == {"x": False}
    with pytest.raises(click.UsageError, match="state the other direction of acc"):
        made(unstated, higher=judge, lower=["acc"])
