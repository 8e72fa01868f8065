"""The command line as its user meets it: output, files, sentences and exit codes."""

import json
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import pandas as pd
import pulp
import pytest

import rankagg as ra
from rankagg.aggregation.kemeny import relaxation

TABLE = "system,x,y,z\nA,3,2,1\nB,2,3,2\nC,1,1,\n"
BALLOTS = "A,B,C,count\n1,2,3,3\n3,1,2,2\n"
PREFLIB = (
    "# DATA TYPE: soi\n# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: A\n"
    "# ALTERNATIVE NAME 2: B\n# ALTERNATIVE NAME 3: C\n3: 1,2\n2: 2,3\n"
)


@pytest.fixture
def run(called):
    """Return `called`, with small files in its folder."""
    for name, text in (("table.csv", TABLE), ("ballots.csv", BALLOTS), ("votes.txt", PREFLIB)):
        Path(name).write_text(text, encoding="utf-8")
    return called


def test_compare_states_direction_data_policy_proof_and_disagreements(run) -> None:
    result = run("compare", "table.csv")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0] == "scores: higher is better"
    assert "3 systems x 3 tasks, 1 of 9 scores missing" in lines[1]
    assert "unranked items: uniform" in lines[2]
    assert lines[3].startswith("certificate  optimal")
    for method in ("Mean", "Borda", "Copeland", "Kemeny"):
        assert any(line.strip().startswith(method) for line in lines)
    assert "disagrees with Kemeny" in result.out or "as Kemeny does" in result.out


@pytest.mark.parametrize("name", ra.datasets.names())
def test_compare_works_on_every_bundled_data_set(run, name: str) -> None:
    result = run("compare", "--dataset", name)
    assert result.code == 0
    assert "certificate  optimal" in result.out


def test_directions_weights_and_groups(run) -> None:
    result = run("compare", "table.csv", "--lower", "y", "--weight", "x=2", "--drop", "z")
    assert result.out.startswith("scores: higher is better, but lower is better on y\n")
    assert "left out: z" in result.out
    assert "task weights other than 1: x 2" in result.out
    assert run("compare", "table.csv", "--lower-is-better").out.startswith(
        "scores: lower is better"
    )
    grouped = run("compare", "table.csv", "--group", "xy=x,y").out
    assert "3 systems x 2 tasks" in grouped


def test_wide_and_long_instances(run) -> None:
    Path("wide.csv").write_text("s,k,t,u\nA,0,2,1\nA,1,2,1\nB,0,1,2\nB,1,1,3\n")
    Path("long.csv").write_text("s,task,k,v\nA,t,0,2\nA,t,1,2\nB,t,0,1\nB,t,1,1\n")
    assert "TwoLevel(Borda, Borda)" in run("compare", "wide.csv", "--instance", "k").out
    long = run("compare", "long.csv", "--task", "task", "--instance", "k", "--score", "v")
    assert "1 task, 2 instances" in long.out


def test_ballots_and_preflib_are_read(run) -> None:
    ballots = run("compare", "ballots.csv", "--format", "ballots", "--count", "count")
    assert ballots.out.startswith(
        "ballots: rank 1 is best\nread: ballots.csv, Profile of 5 rankings"
    )
    preflib = run("compare", "votes.txt", "--unranked", "ignore")
    assert "with unranked items" in preflib.out
    assert "unranked items: ignore" in preflib.out
    assert "top-k lists" in run("compare", "votes.txt", "--left-out", "unlisted").out


def test_json_is_plain_and_complete(run) -> None:
    data = json.loads(run("compare", "table.csv", "--json").out)
    assert data["schema"] == "rankagg.comparison"
    assert data["input"][0] == "scores: higher is better"
    rank = json.loads(run("rank", "table.csv", "--method", "borda", "--json").out)
    assert rank["schema"] == "rankagg.consensus"


def test_out_writes_files_that_read_back(run) -> None:
    assert run("compare", "table.csv", "--out", "results").code == 0
    frame = pd.read_csv("results/methods.csv")
    assert frame["method"].tolist() == ["Mean", "Borda", "Copeland", "Kemeny"]
    assert set(pd.read_csv("results/ranks.csv")["item"]) == {"A", "B", "C"}
    certificate = ra.Certificate.from_dict(json.loads(Path("results/certificate.json").read_text()))
    votes = ra.read_scores("table.csv", higher_is_better=True).rankings().pairwise()
    assert certificate.verify(votes)
    assert run("rank", "table.csv", "--out", "one").code == 0
    assert pd.read_csv("one/ranking.csv")["rank"].tolist() == [1, 2, 3]


def test_chosen_methods_only(run) -> None:
    data = json.loads(
        run("compare", "table.csv", "--method", "median", "--method", "kemeny", "--json").out
    )
    assert [row["method"] for row in data["methods"]] == ["Median", "Kemeny"]


def test_rows_are_limited_and_the_rest_is_counted(run) -> None:
    assert "... and 5 more items" in run("compare", "--dataset", "xtreme_gaps", "--rows", "5").out
    assert "more items" not in run("compare", "--dataset", "xtreme_gaps", "--all").out


def test_gap_ends_with_code_three(run) -> None:
    # One ballot per pair and its reverse elsewhere make any tournament; here Paley's on 7.
    lines = ["# NUMBER ALTERNATIVES: 7"]
    for i, j in permutations(range(7), 2):
        if (i - j) % 7 in (1, 2, 4):
            rest = [str(k + 1) for k in range(7) if k not in (i, j)]
            lines.append("1: " + ",".join([str(i + 1), str(j + 1), *rest]))
            lines.append("1: " + ",".join([*rest[::-1], str(i + 1), str(j + 1)]))
    Path("paley.soc").write_text("\n".join(lines) + "\n")
    for command in ("compare", "rank"):
        result = run(command, "paley.soc", "--method", "kemeny", "--time-limit", "0")
        assert "certificate  gap" in result.out
        assert result.code == 3
    assert run("compare", "paley.soc", "--method", "kemeny").code == 0


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["compare", "table.csv", "--drop", "w"], ["`--drop`", "'w'", "x, y, z"]),
        (["compare", "table.csv", "--lower", "w"], ["'w'"]),
        (["compare", "table.csv", "--weight", "x=-1"], ["`--weight`", "-1"]),
        (["compare", "table.csv", "--weight", "x"], ["`--weight`", "TASK=NUMBER"]),
        (["compare", "table.csv", "--tolerance", "-1"], ["--tolerance", "0 or more", "-1"]),
        (["compare", "table.csv", "--tie-cost", "2"], ["--tie-cost", "0 to 1", "2"]),
        (["compare", "table.csv", "--time-limit", "-2"], ["--time-limit", "-2"]),
        (["rank", "table.csv", "--method", "mean", "--time-limit", "2"], ["--time-limit"]),
        (["compare", "table.csv", "--method", "mean", "--tie-cost", "1"], ["--tie-cost"]),
        (["compare", "table.csv", "--instance", "x", "--score", "y"], ["`--task and --score`"]),
        (["compare", "--dataset", "tenessee"], ["`--dataset`", "Did you mean 'tennessee'"]),
        (["compare"], ["FILE", "--dataset"]),
        (["compare", "table.csv", "--dataset", "tennessee"], ["FILE", "--dataset"]),
        (["compare", "--dataset", "tennessee", "--lower-is-better"], ["--dataset"]),
        (["compare", "votes.txt", "--weight", "x=2"], ["--weight", "ballots"]),
        (["compare", "votes.txt", "--method", "mean"], ["Mean needs scores"]),
        (["compare", "table.csv", "--count", "x"], ["--count", "--format ballots"]),
        (["compare", "table.csv", "--group", "x=y,z"], ["`--group`", "'x'"]),
        (["rank", "bad.csv"], ["row 2", "'x'", "'many'"]),
        (["datasets", "none"], ["`NAME`"]),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_code_two(run, args: list[str], words: list[str]) -> None:
    Path("bad.csv").write_text("system,x\nA,many\n")
    result = run(*args)
    assert result.code == 2
    assert result.out == ""
    assert "Traceback" not in result.err
    for word in words:
        assert word in result.err


def test_solver_failure_is_one_sentence_and_code_one(run, monkeypatch) -> None:
    monkeypatch.setattr(relaxation, "highspy", None)
    monkeypatch.setattr(pulp.COIN_CMD, "available", lambda self: False)
    result = run("compare", "--dataset", "three_cycle")
    assert result.code == 1
    assert result.err.startswith("Error: HiGHS cannot be used")


def test_solve_prints_cost_bound_and_uniqueness_and_writes_the_proof(run) -> None:
    result = run("solve", "--dataset", "condorcet_1785", "--certificate", "proof.json")
    assert result.code == 0
    assert "optima       this one only" in result.out
    assert "cost         76 votes" in result.out
    assert "no ranking costs less than 76" in result.out
    proof = ra.Certificate.from_dict(json.loads(Path("proof.json").read_text()))
    assert proof.verify(ra.datasets.load("condorcet_1785").pairwise())
    several = run("solve", "--dataset", "three_cycle")
    assert "3 rankings, which differ on 3 of 3 pairs, in one block" in several.out
    assert "optima  " not in run("solve", "--dataset", "three_cycle", "--one").out


def test_solve_reads_linear_ordering_matrices(run) -> None:
    Path("small.lop").write_text("3\n 0 5 1\n 2 0 4\n 3 0 0\n")
    result = run("solve", "small.lop")
    assert result.out.startswith("matrix: row above column\nread: small.lop, PairwiseMatrix")
    assert "sum above the diagonal in the order found: 10" in result.out
    data = json.loads(run("solve", "small.lop", "--json", "--backend", "subset-dp").out)
    assert data["cost"] == 5
    assert data["optima"]["count"] == 1
    assert run("solve", "small.lop", "--drop", "0").code == 2


def test_solve_without_time_says_gap_and_no_optima(run) -> None:
    result = run("solve", "--dataset", "three_cycle", "--time-limit", "0")
    assert result.code == 3
    assert "optima  " not in result.out


def test_interruption_ends_with_code_130(run, monkeypatch) -> None:
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(ra.Kemeny, "_aggregate_within", interrupt)
    assert run("rank", "table.csv").code == 130


def test_interrupted_search_prints_what_it_has_and_ends_with_code_130(run, monkeypatch) -> None:
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(relaxation.HighsRelaxation, "solve", interrupt)
    result = run("compare", "--dataset", "three_cycle")
    assert "certificate  gap" in result.out
    assert "interrupted: the best ranking so far" in result.out
    assert result.code == 130


def test_what_was_left_out_is_counted_on_stderr(run) -> None:
    Path("gaps.csv").write_text("s,k,t,u\nA,0,1,1\nA,1,,1\nB,0,2,2\nB,1,,1\n")
    result = run("compare", "gaps.csv", "--instance", "k")
    assert result.code == 0
    assert result.err.startswith("warning: gaps.csv: 1 of 4 instances")


def test_datasets_lists_names_and_tells_about_one(run) -> None:
    assert [line.split()[0] for line in run("datasets").out.splitlines()] == list(
        ra.datasets.names()
    )
    assert "known   kemeny_cost: 207" in run("datasets", "tennessee").out


def test_python_m_runs_it() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rankagg", "--version"], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert lines[0] == f"rankagg, version {ra.__version__}"
    assert lines[1].split()[:2] in (["kernels:", "NumPy"], ["kernels:", "numba"])
