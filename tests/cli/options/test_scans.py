"""Scans by commands say what the scores themselves say, whatever the files look like."""

import gzip
import json
import re

import numpy as np
import pytest

import rankagg as ra
from rankagg.io.scan.batches import rows_about, scan_files, scan_parts
from tests.io.scan.scan_files import drawn, long, wide, write

TABLE = drawn(2)
COLUMNS = ["--task", "task", "--instance", "id"]
LONG = [*COLUMNS, "--system", "system", "--score", "score"]
DIRECTIONS = [f"--lower={task}" for task, up in TABLE.higher_is_better.items() if not up]
WEIGHTS = [f"--weight={task}={weight}" for task, weight in TABLE.task_weights.items()]
SYSTEMS = ["--systems", ",".join(TABLE.systems)]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data").mkdir()
    for number, rows in enumerate((wide(TABLE)[:15], wide(TABLE)[15:])):
        write(rows, tmp_path / "data" / f"{number}.parquet", rows=4)
    write(long(TABLE), tmp_path / "long.csv")
    write(long(TABLE).sample(frac=1, random_state=1), tmp_path / "scattered.csv")
    return tmp_path


def found(out):
    """Return what JSON says of the data, without running times."""
    said = json.loads(out)
    del said["input"]
    return json.loads(re.sub(r'"runtime": [^,}]*', '"runtime": 0', json.dumps(said)))


def test_compare_streams_to_the_same_words(folder, run):
    named = [folder / "long.csv", *LONG, *DIRECTIONS, *WEIGHTS]
    whole, streamed = (
        re.sub(r"\d\.\d{3} s", "0 s", run("compare", *flag, *named).out).splitlines()
        for flag in ([], ["--stream"])
    )
    # Lines of what was read, which is not the same class.
    assert (whole[0], whole[2:]) == (streamed[0], streamed[2:])
    assert "ScoreTable of 4 systems" in whole[1]
    assert "ScoreSummary of 4 systems" in streamed[1]


@pytest.mark.parametrize("policy", ["uniform", "ignore", "last"])
def test_compare_streams_any_files_to_the_same_figures(policy, folder, run):
    stated = [*DIRECTIONS, *WEIGHTS, "--unranked", policy, "--json"]
    whole = by_method(run("compare", folder / "long.csv", *LONG, *stated).out)
    files = sorted((folder / "data").iterdir())
    for sources, columns in (
        ([folder / "long.csv"], [*LONG, *SYSTEMS]),
        ([folder / "data" / "*.parquet"], COLUMNS),
        (files[::-1], [*COLUMNS, "--jobs", "2"]),
    ):
        told = run("compare", "--stream", *sources, *columns, *stated)
        assert by_method(told.out) == whole


def by_method(out):
    """Return costs, scores and ranks by label: items may have another order."""
    said = json.loads(out)
    results = zip(said["methods"], said["consensuses"], strict=True)
    return [
        (method["method"], method["cost"], method["ratio"],
         dict(zip(one["items"], zip(one["ranks"], one["scores"] or one["ranks"], strict=True),
                  strict=True)))
        for method, one in results
    ]  # fmt: skip


@pytest.mark.parametrize("columns", [[], ["--json"]])
def test_what_scan_writes_is_read(folder, run, columns):
    expected = ra.ScoreSummary.from_scores(TABLE)
    sums = folder / "sums.json"
    scanned = ["scan", folder / "data", *COLUMNS, *DIRECTIONS, *WEIGHTS]
    told = run(*scanned, "--out", sums, *columns)
    assert ra.ScoreSummary.from_dict(json.loads(sums.read_text())) == expected
    assert expected.fingerprint in told.out
    streamed = ["--stream", *scanned[1:]]
    for command in ("compare", "rank", "solve", "tournament"):
        method = ["--method", "kemeny"] if command == "rank" else []
        told = run(command, sums, *method, "--json").out
        assert json.loads(told)["input"][0] == "scores: higher is better, but lower is better on z"
        if command == "compare":
            assert found(told) == found(run(command, *streamed, "--json").out)


@pytest.mark.parametrize("at", range(0, 1000, 100))
def test_sums_that_were_changed_are_refused(at, folder, run):
    sums = folder / "sums.json"
    run("scan", folder / "data", *COLUMNS, "--out", sums)
    text = sums.read_text()
    start = text.index('"wins"')
    place = re.compile(r"\d").search(text, start + at)
    changed = str((int(place[0]) + 1) % 10)
    sums.write_text(text[: place.start()] + changed + text[place.end() :])
    told = run("compare", sums, code=2)
    assert told.err.startswith("Error: sums.json does not hold sums of scores as JSON")


def test_it_prints_what_there_is(folder, run):
    frame = wide(TABLE)
    frame.loc[:2, list(TABLE.systems)] = float("nan")
    write(frame, folder / "gaps.csv")
    table = ra.ScoreTable(
        TABLE.values[:, 3:], systems=TABLE.systems, higher_is_better=True,
        tasks=[TABLE.tasks[t] for t in TABLE.unit_tasks[3:]], instances=TABLE.instances[3:],
    )  # fmt: skip
    told = run("scan", folder / "gaps.csv", *COLUMNS)
    assert "warning: 3 instances have no score of any system and are left out" in told.err
    assert "left out: 3 instances without any score" in told.out
    lines = [line.split() for line in told.out.splitlines()]
    missing = {}
    for at, task in enumerate(table.tasks):
        values = table.values[:, table.unit_tasks == at]
        gone = int(np.isnan(values).sum())
        missing[task] = (str(values.shape[1]), str(values.size - gone), str(gone))
    for task, numbers in missing.items():
        (line,) = [line for line in lines if line and line[0] == task]
        assert (line[1], *line[2:5]) == ("higher", *numbers)
    for at, system in enumerate(table.systems):
        gone = int(np.isnan(table.values[at]).sum())
        (line,) = [line for line in lines if line and line[0] == system]
        assert line[1:3] == [str(table.values.shape[1] - gone), str(gone)]
    assert "... and 3 more systems" in run("scan", folder / "gaps.csv", *COLUMNS, "--rows=1").out


def test_it_goes_on_from_a_journal(folder, run):
    journal = folder / "scan.jsonl"
    args = ["scan", folder / "data", *COLUMNS, "--json"]
    first = run(*args, "--journal", journal)
    written = journal.read_bytes()
    assert len(written.splitlines()) > 1
    again = run(*args, "--resume", journal, "--progress")
    assert again.out == first.out
    assert journal.read_bytes() == written
    assert "rows" in again.err
    told = run("scan", folder / "long.csv", *LONG, "--journal", journal, code=2)
    assert told.err.startswith(
        "Error: `--journal` must be a new file, or one of a scan with the same"
    )


def test_scattered_rows(folder, run):
    told = run("scan", folder / "scattered.csv", *LONG, code=2)
    assert "--scattered sort" in told.err
    pytest.importorskip("duckdb", reason="the extra `big` is not installed")
    expected = ra.ScoreSummary.from_scores(TABLE).fingerprint
    told = run("scan", folder / "scattered.csv", *LONG, *DIRECTIONS, "--scattered", "sort")
    assert expected in told.out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["scan", "data", "--lower", "w"], "--lower must be one of"),
        (["scan", "data", "--task", "tusk"], "Did you mean 'task'"),
        (["scan", "data", "--systems", "s0,s7"], "--systems must be"),
        (["scan", "data", "--lower", "w", "--score", "s"], "--system and --score must be given"),
        (["scan", "none.csv"], "SOURCES must be a file"),
        (["scan", "untasked.csv", "--lower", "w"], "--lower needs --task"),
        (["scan", "data", "--weight", "q=2"], "--weight must be one of"),
        (["scan", "data", "--lower", "x", "--lower-is-better"], "--lower-is-better covers"),
        (["scan", "data", "--engine", "dask"], "need each other"),
        (["scan", "data", "--scheduler", "tcp://x:1"], "need each other"),
        (["compare", "--stream"], "--stream needs FILE"),
        (["compare", "--stream", "none.csv"], "FILE must be a file"),
        (["compare", "--stream", "data", "--drop", "x"], "--drop has no meaning for --stream"),
        (["compare", "--stream", "data", "--side", "x"], "--side has no meaning for --stream"),
        (["compare", "--stream", "data", "--format", "ballots"], "--format ballots has no"),
        (["compare", "a.csv", "b.csv"], "--stream adds up several"),
        (["compare", "long.csv", "--jobs", "2"], "--jobs has no meaning without --stream"),
        (["experiment", "sums.json"], "experiment needs the scores themselves"),
        (["compare", "sums.json", "--tolerance", "1"], "--tolerance has no meaning for sums"),
        (["compare", "bad.json"], "bad.json does not hold sums of scores as JSON"),
        (["compare", "cut.json"], "cut.json does not hold sums of scores as JSON"),
    ],
)  # fmt: skip
def test_bad_input(args, words, folder, run, monkeypatch):
    monkeypatch.chdir(folder)
    summary = json.dumps(ra.ScoreSummary.from_scores(TABLE).to_dict())
    (folder / "sums.json").write_text(summary)
    (folder / "bad.json").write_text(summary.replace('"version": 1', '"version": NaN'))
    (folder / "cut.json").write_text(summary[:-9])
    (folder / "untasked.csv").write_text("A,B\n1,2\n")
    if args[0] == "scan" and "untasked.csv" not in args and "--task" not in args:
        args = [*args, *COLUMNS]
    told = run(*args, code=2)
    assert words in told.err.replace("`", "")
    assert told.out == ""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_bar_knows_how_much_is_left(jobs, folder, run):
    for name in ("a.csv", "b.jsonl"):
        write(long(TABLE), folder / name)
    n = len(long(TABLE))
    for source, total in (("data", "40.0"), ("a.csv", f"{n}"), ("b.jsonl", f"{n}")):
        columns = COLUMNS if source == "data" else LONG
        told = run("scan", folder / source, *columns, "--progress", "--jobs", jobs)
        last = told.err.rstrip().rpartition("\r")[2]
        assert "100%" in last, last
        assert f"/{total}" in last, last
        assert "rows/s" in last, last


def test_rows_of_long_text_are_estimated(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("A,B\n" + "".join(f"{i % 10},{i % 1000}\n" for i in range(300_000)))
    (part,) = scan_parts(scan_files(path), whole=False)
    assert rows_about(part) == pytest.approx(300_000, rel=0.01)
    assert path.stat().st_size > 2**20
    packed = tmp_path / "b.csv.gz"
    packed.write_bytes(gzip.compress(b"A,B\n1,2\n"))
    (part,) = scan_parts(scan_files(packed), whole=False)
    assert rows_about(part) is None


def test_groups_are_kept(folder, run):
    out = folder / "sums.json"
    said = run("scan", folder / "data", *COLUMNS, "--groups", 5, "--out", out).out
    assert "groups: 5, by the labels of instances" in said
    kept = ra.ScoreSummary.from_dict(json.loads(out.read_text()))
    assert kept.n_groups == 5
    assert kept.fingerprint in said
    run("compare", out)
    refused = run("scan", folder / "data", "--task", "task", "--groups", 5, code=2).err
    assert "--groups" in refused
    assert "--instance" in refused


@pytest.mark.parametrize("given", [["--decimal", ","], ["--percent"], ["--na", "none"]])
def test_how_numbers_are_written_is_for_other_commands_and_that_is_said(run, given):
    told = run("scan", "nothing.csv", *given, code=2).err
    assert f"A scan does not take {given[0]}: it reads numbers with a point" in told
