"""Scans by commands say what the scores themselves say, whatever the files look like."""

import json
import re
from shutil import copytree

import numpy as np
import pytest

import rankagg as ra
from tests.io.scan.scan_files import drawn, long, wide, write

TABLE = drawn(2).with_task_weights({})
COLUMNS = "--task task --instance id"
DATA = f"data {COLUMNS}"
LONG = f"{COLUMNS} --system system --score score"
STATED = " ".join([f"--lower={task}" for task, up in TABLE.higher_is_better.items() if not up])


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Write the table as files of several kinds, once."""
    path = tmp_path_factory.mktemp("scans")
    (path / "data").mkdir()
    for number, rows in enumerate((wide(TABLE)[:15], wide(TABLE)[15:])):
        write(rows, path / "data" / f"{number}.parquet", rows=4)
    write(long(TABLE), path / "long.csv")
    write(long(TABLE).sample(frac=1, random_state=1), path / "scattered.csv")
    return path


@pytest.fixture
def folder(written, called, tmp_path):
    """Return the folder where commands are called, with the files in it."""
    copytree(written, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_sums_are_compared_in_the_same_words(folder, said):
    said(f"scan long.csv {LONG} {STATED} --out sums.json")
    whole, summed = (
        re.sub(r"\d\.\d{3} s", "0 s", said(f"compare {source}")).splitlines()
        for source in (f"long.csv {LONG} {STATED}", "sums.json")
    )
    # Lines of what was read, which is not the same class.
    assert (whole[0], whole[2:]) == (summed[0], summed[2:])
    assert "ScoreTable of 4 systems" in whole[1]
    assert "ScoreSummary of 4 systems" in summed[1]


@pytest.mark.parametrize(
    "source",
    [f"long.csv {LONG} --systems {','.join(TABLE.systems)}", f"'data/*.parquet' {COLUMNS}",
     f"data/1.parquet data/0.parquet {COLUMNS} --jobs 1"],
)  # fmt: skip
def test_sums_of_any_files_are_those_of_the_table(source, folder, said):
    said(f"scan {source} {STATED} --out sums.json")
    found = ra.ScoreSummary.from_dict(json.loads((folder / "sums.json").read_text()))
    assert found.fingerprint == ra.ScoreSummary.from_scores(TABLE).fingerprint


@pytest.mark.parametrize("form", ["", "--json"])
def test_what_scan_writes_is_read(folder, run, form):
    expected = ra.ScoreSummary.from_scores(TABLE)
    told = run(f"scan {DATA} {STATED} --out sums.json {form}")
    assert ra.ScoreSummary.from_dict(json.loads((folder / "sums.json").read_text())) == expected
    assert expected.fingerprint in told.out
    for line in ("compare", "rank --rule kemeny", "solve", "tournament"):
        told = run(f"{line} sums.json --json").out
        assert json.loads(told)["input"][0] == "scores: higher is better, but lower is better on z"


@pytest.mark.parametrize("at", range(0, 800, 200))
def test_sums_that_were_changed_are_refused(at, folder, refused):
    sums = folder / "sums.json"
    text = json.dumps(ra.ScoreSummary.from_scores(TABLE).to_dict())
    place = re.compile(r"\d").search(text, text.index('"wins"') + at)
    sums.write_text(text[: place.start()] + str((int(place[0]) + 1) % 10) + text[place.end() :])
    told = refused("compare sums.json")
    assert told.startswith("error: sums.json does not hold sums of scores as JSON")


def test_it_prints_what_there_is(folder, run, said):
    frame = wide(TABLE)
    frame.loc[:2, list(TABLE.systems)] = float("nan")
    write(frame, folder / "gaps.csv")
    told = run(f"scan gaps.csv {COLUMNS}")
    assert "warning: 3 instances have no score of any system and are left out" in told.err
    assert "left out: 3 instances without any score" in told.out
    lines = {words[0]: words[1:] for words in map(str.split, told.out.splitlines()) if words}
    values, of_unit = TABLE.values[:, 3:], TABLE.unit_tasks[3:]
    for at, task in enumerate(TABLE.tasks):
        own = values[:, of_unit == at]
        gone = int(np.isnan(own).sum())
        numbers = [str(number) for number in (own.shape[1], own.size - gone, gone)]
        assert lines[str(task)][:4] == ["higher", *numbers]
    for row, system in zip(values, TABLE.systems, strict=True):
        gone = int(np.isnan(row).sum())
        assert lines[str(system)][:2] == [str(row.size - gone), str(gone)]
    assert "... and 3 more systems" in said(f"scan gaps.csv {COLUMNS} --rows=1")


def test_scattered_rows(folder, said):
    pytest.importorskip("duckdb", reason="the extra `big` is not installed")
    expected = ra.ScoreSummary.from_scores(TABLE).fingerprint
    assert expected in said(f"scan scattered.csv {LONG} {STATED} --scattered sort")


BAD = {
    f"scan {DATA} --lower w": "--lower must be one of",
    "scan data --instance id --task tusk": "Did you mean 'task'",
    f"scan {DATA} --systems s0,s7": "--systems must be",
    f"scan {DATA} --lower w --score s": "--system and --score must be given",
    f"scan none.csv {COLUMNS}": "SOURCES must be a file",
    "scan untasked.csv --lower w": "--lower needs --task",
    f"scan {DATA} --lower x --lower-is-better": "--lower-is-better covers",
    "scan data --task task --groups 5": "--instance",
    "scan sums.json": "sums.json",
    "scan board.csv": "board.csv holds string in the column 'system', where scores should be",
    f"scan scattered.csv {LONG}": "--scattered sort",
    "compare sums.json --tolerance 1": "--tolerance has no meaning for sums",
    "compare bad.json": "bad.json does not hold sums of scores as JSON",
    "compare cut.json": "cut.json does not hold sums of scores as JSON",
}


def test_bad_input(folder, refused):
    summary = json.dumps(ra.ScoreSummary.from_scores(TABLE).to_dict())
    (folder / "sums.json").write_text(summary)
    (folder / "bad.json").write_text(summary.replace('"version": 1', '"version": NaN'))
    (folder / "cut.json").write_text(summary[:-9])
    (folder / "board.csv").write_text("system,x\nA,1\nB,2\n")
    (folder / "untasked.csv").write_text("A,B\n1,2\n")
    for line, words in BAD.items():
        assert words in refused(line), line


def test_groups_are_kept(folder, said):
    told = said(f"scan {DATA} --groups 5 --out sums.json")
    assert "groups: 5, by the labels of instances" in told
    kept = ra.ScoreSummary.from_dict(json.loads((folder / "sums.json").read_text()))
    assert kept.n_groups == 5
    assert kept.fingerprint in told
    said("compare sums.json")
