"""`rankagg agreement` as its user meets it."""

import json
from functools import partial
from pathlib import Path

import pytest

import rankagg as ra

GAPS = "system,x,y,z,w\nA,3,2,1,5\nB,2,3,2,\nC,1,1,,3\nD,0,,0,1\n"
MANY = "s,k,t,u\nA,0,2,1\nA,1,2,1\nB,0,1,2\nB,1,1,3\nC,0,0,0\nC,1,0,1\n"


@pytest.fixture
def agreement(run):
    """Call the command, with small files in its folder."""
    Path("gaps.csv").write_text(GAPS, encoding="utf-8")
    Path("many.csv").write_text(MANY, encoding="utf-8")
    return partial(run, "agreement")


def test_it_says_what_the_functions_say(agreement):
    table = ra.read_scores("gaps.csv", higher_is_better=True)
    found = json.loads(agreement("gaps.csv", "--seed", "3", "--json").out)
    test = ra.skillings_mack(table, rng=3)
    assert found.pop("test") == test.to_dict()
    found.pop("input")
    assert found == ra.task_agreement(table).to_dict()
    text = agreement("gaps.csv", "--seed", "3").out
    assert f"Skillings, Mack  {test.statistic:.4g}" in text
    assert "Kendall's W" in text


def test_instances_are_averaged_first(agreement):
    given = ["many.csv", "--system", "s", "--instance", "k"]
    found = json.loads(agreement(*given, "--json").out)
    averaged = ra.ScoreTable(
        [[2, 1], [1, 2.5], [0, 0.5]], systems="ABC", tasks="tu", higher_is_better=True
    )
    assert found["test"]["n_rankings"] == 2
    assert found["test"]["statistic"] == ra.skillings_mack(averaged).statistic


def test_weights_do_not_count_in_the_test_and_that_is_said(agreement):
    weighted = agreement("gaps.csv", "--weight", "x=3").out
    plain = agreement("gaps.csv").out
    line = next(text for text in plain.splitlines() if text.startswith("Skillings, Mack"))
    assert line in weighted
    assert "every task count the same" in weighted
    assert "every task count the same" not in plain


def test_ballots_and_single_tasks_are_refused(agreement):
    assert "needs the scores of systems" in agreement("--dataset", "tennessee", code=2).err
    told = agreement("gaps.csv", "--drop", "y", "--drop", "z", "--drop", "w", code=2)
    assert "two tasks" in told.err
