"""Two versions of a table: the command prints the result of `compare_tables`."""

import json
from pathlib import Path

import pandas as pd
import pytest

import rankagg as ra

OLD = "system,x,y,z\nA,4,4,4\nB,3,3,3\nC,2,2,2\nD,1,1,1\n"
NEW = "system,x,y,w\nC,9,1,5\nB,3,3,3\nD,2,6,2\nE,5,5,5\n"


@pytest.fixture(autouse=True)
def _files(called):
    Path("old.csv").write_text(OLD, encoding="utf-8")
    Path("new.csv").write_text(NEW, encoding="utf-8")


def test_the_command_prints_the_result_of_the_function(run):
    tables = [ra.read_scores(f"{name}.csv", higher_is_better=True) for name in ("old", "new")]
    found = ra.analysis.compare_tables(*tables, ra.Borda())
    output = run("changes old.csv new.csv --rule borda --csv moved.csv").out
    assert found.summary() in output
    assert "before: read: old.csv, a table of scores: 4 systems x 3 tasks" in output
    pd.testing.assert_frame_equal(
        pd.read_csv("moved.csv", index_col="system"), found.to_frame(), check_dtype=False
    )
    plain = json.loads(run("changes old.csv new.csv --rule borda --json").out)
    plain.pop("input")
    assert plain == json.loads(json.dumps(found.to_dict()))


def test_a_task_of_only_one_version_may_be_named(run, refused):
    options = {"x": True, "y": True}
    old = ra.read_scores("old.csv", higher_is_better={**options, "z": True})
    new = ra.read_scores("new.csv", higher_is_better={**options, "w": False})
    new = new.with_task_weights({**dict.fromkeys("xyw", 1.0), "w": 3.0})
    found = ra.analysis.compare_tables(old, new, ra.Borda())
    output = run("changes old.csv new.csv --rule borda --lower w --weight w=3").out
    assert found.summary() in output
    refusal = refused("changes old.csv new.csv --lower v")
    assert refusal == "error: --lower must be one of the 4 tasks (x, y, w, z). Got 'v'."


def test_bad_pairs_of_tables_are_refused_in_one_sentence(refused):
    Path("votes.csv").write_text("A,B,count\n1,2,3\n2,1,2\n", encoding="utf-8")
    Path("other.csv").write_text("system,x,y\nF,1,2\nG,2,1\n", encoding="utf-8")
    assert "votes.csv holds ballots" in refused("changes votes.csv new.csv")
    assert "Got none of" in refused("changes other.csv new.csv")
    assert "read once only" in refused("changes - -")
