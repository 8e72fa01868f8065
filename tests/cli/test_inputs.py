"""`-` is the standard input for any file, and options describe the notation of numbers."""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pandas as pd
import pytest

import rankagg as ra

SCORES = b"system,x,y\nA,1.25,2.25\nB,2.25,1.25\nC,3.25,3.25\n"
SOC = b"# DATA TYPE: soc\n# NUMBER ALTERNATIVES: 2\n2: 1,2\n1: 2,1\n"


@pytest.fixture
def run(called, monkeypatch):
    """Run the command line with bytes on the standard input; return code, output and errors."""

    def call(line, data=b""):
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(data)))
        return called(*line.split())

    return call


def packed(kind):
    frame = pd.read_csv(BytesIO(SCORES))
    if kind == "jsonl":
        return frame.to_json(orient="records", lines=True).encode()
    return b"\xef\xbb\xbf" + SCORES.replace(b"\n", b"\r\n")


@pytest.mark.parametrize("kind", ["jsonl", "bom"])
def test_every_kind_of_table_is_read_from_standard_input(run, kind):
    _, plain, _ = run("rank - --rule borda", SCORES)
    code, out, err = run("rank - --rule borda", packed(kind))
    assert (code, err) == (0, "")
    assert out == plain
    assert "read: standard input, a table of scores: 3 systems x 2 tasks" in out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_are_read_as_the_standard_input(called, tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(pipe.write_bytes, SCORES)
        code, out, err = called("rank", str(pipe))
    assert (code, err, written.result()) == (0, "", len(SCORES))
    assert f"read: {pipe}, a table of scores: 3 systems x 2 tasks" in out


def test_doubtful_columns_of_tasks_must_be_named(run):
    table = b"system,Score,x,y\nA,1.5,1.5,2\nB,2.5,2,3\n"
    code, _, err = run("rank - --rule borda", table)
    assert code == 2
    assert "type `rankagg rank - --rule borda --format scores --only x --only y`" in " ".join(
        err.split()
    )
    code, _, err = run("rank - --rule borda --format scores", table)
    assert code == 2
    assert "Name those to take with --only (x, y are left), or take all with --only '*'" in err
    code, out, _ = run("rank - --rule borda --only [xy]", table)
    assert code == 0
    assert "tasks: x and y\n" in out
    assert "tasks: Score, x and y\n" in run("rank - --rule borda --only *", table)[1]


def test_other_kinds_of_data_are_read_from_standard_input(run):
    code, out, _ = run("solve -", SOC)
    assert code == 0
    assert "read: standard input, ballots in a PrefLib format: 3 rankings" in out
    code, out, _ = run("rank - --rule borda --format cast-votes", b"1,2\nAnn,Bob\n,\nBob,Ann\n")
    assert "3 ballots cast: 2 read (2 as cast, 0 changed), 1 blank" in out
    # The file is read twice where directions differ.
    code, out, _ = run("rank - --rule borda --lower x", SCORES)
    assert "lower is better on x" in out


def test_certificates_may_come_from_standard_input(run, tmp_path):
    (tmp_path / "e.soc").write_bytes(SOC)
    certificate = ra.Kemeny().aggregate(ra.read_preflib(tmp_path / "e.soc")).certificate
    proof = json.dumps(certificate.to_dict()).encode()
    code, out, _ = run("verify - e.soc", proof)
    assert (code, out.startswith("The proof holds")) == (0, True)
    (tmp_path / "proof.json").write_bytes(proof)
    assert run("verify proof.json -", SOC)[1] == out
    code, _, err = run("verify - -", SOC)
    assert (code, "for CERTIFICATE or for FILE" in err) == (2, True)
    _, fit, _ = run("fit e.soc --model mallows --json")
    code, out, _ = run("sample - --size 3 --seed 1", fit.encode())
    assert (code, out.partition(",")[0]) == (0, "1")


@pytest.mark.parametrize(
    ("line", "data", "words"),
    [
        ("rank -", b"", "standard input is empty"),
        ("rank -", b"system,x\n", "standard input has a header and no rows"),
        ("rank - -", SCORES, "one"),
        ("scan - --task task", b"task,A,B\nx,1,2\n", "which the standard input forbids"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(run, line, data, words):
    code, out, err = run(line, data)
    assert (code, out) == (2, "")
    assert words in " ".join(err.split())
    assert "Traceback" not in err


def test_a_closed_standard_input_is_refused(called, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    code, _, err = called("rank", "-")
    assert code == 2
    assert "`FILE` must be a readable file. Got '-'. It is closed." in err


# -- how numbers are written ----------------------------------------------------------------------

GERMAN = "system;x;y\nA;1,5;-\nB;2,0;3 ± 1\n".encode()


def test_conversions_of_cells_are_reported(run, tmp_path):
    line = "rank - --rule borda --json --decimal , --na - --errors drop"
    code, out, err = run(line, GERMAN)
    assert code == 0
    notes = [
        "standard input: 1 cell with '-' read as missing.",
        "standard input: 1 number with an error behind: the errors were left out.",
    ]
    assert json.loads(out)["input"][3:] == [f"note: {note}" for note in notes]
    assert err.splitlines() == [f"warning: {note}" for note in notes]
    code, out, err = run("rank - --rule mean --percent", b"system,x\nA,86.1%\nB,85%\n")
    assert (code, err) == (0, "")
    assert "0.861" in out
    Path("ballots.csv").write_text("A;B;C\n1,5;1,5;3\n2;x;1\n1;2;3\n", encoding="utf-8")
    line = "rank ballots.csv --format ballots --decimal , --na x --rule borda"
    assert "top-k lists" in run(line)[1]


@pytest.mark.parametrize(
    ("line", "data", "words"),
    [
        ("rank -", GERMAN, "--decimal, --percent"),
        ("rank - --decimal ,", GERMAN, "--errors and --na say how numbers are written"),
        (
            "rank -",
            b"system,x,who\nA,1,Ann\n",
            "on 1 task (without who): type `rankagg rank - --format scores`",
        ),
        (
            "rank - --format scores",
            b"system,x,y\nA,1,`drop`\nB,1,2\n",
            "Got '`drop`'. --decimal, --percent",
        ),
        ("rank - --decmal ,", SCORES, "--decimal"),
        ("rank - --decimal ;", SCORES, "'.', ','"),
    ],
)
def test_remedies_name_options(run, line, data, words):
    code, _, err = run(line, data)
    assert code == 2
    assert words in " ".join(err.split())


def test_answered_questions_are_not_repeated(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    long = b"system,task,k,value\nA,qa,1,0.9\nB,qa,1,0.8\nA,qa,2,0.7\nB,qa,2,0.6\n"
    named = "--task task --score value --rule borda"
    assert run(f"rank - --instance k {named}", long)[0] == 0
    code, _, err = run(f"rank - {named}", long)
    assert (code, "--instance k" in err) == (2, True)
    wide = b"Model,qa,nli,Params (B)\nA,-,1.5,3\nB,2.5,3.5,7\nC,1.5,2.5,70\n"
    assert "once --na" in run("rank - --rule borda", wide)[2]
    assert "Params (B) may be no tasks" in run("rank - --rule borda --na=-", wide)[2]
    code, out, _ = run("rank - --rule borda --na=- --only qa --only nli", wide)
    assert (code, "1 of 6 scores missing" in out) == (0, True)
    twice = b"model,a,b\nx,1.5,2\n x ,2.5,3\ny,3.5,1\n"
    assert "'x' is in column 'model' more than once." in run("rank - --rule borda", twice)[2]
    lists = b"Oslo,Bonn,Graz\nG1,G2,G3\nG2,G1,G3\nG3,G4,G1\n"
    assert "'G3' is in column 'Graz' more than once." in run("rank - --rule borda", lists)[2]
    Path("ward.blt").write_text("2 1\n3 1 2\n0\nAnn\nBob\nChair\n", encoding="utf-8")
    code, _, err = run("count ward.blt")
    assert (code, "ward.blt, line 2: a ballot must read" in err) == (2, True)
    assert "Did you mean one of:" in run("count ward.blt --alias A=B")[2]
