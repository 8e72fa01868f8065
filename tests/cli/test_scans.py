"""Scans by commands give the output of the scores, for files of any form."""

import json
import re
from shutil import copytree

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


def test_sums_are_compared_in_the_same_words(folder, output):
    output(f"scan long.csv {LONG} {STATED} --out sums.json")
    whole, summed = (
        re.sub(r"\d\.\d{3} s", "0 s", output(f"compare {source}")).splitlines()
        for source in (f"long.csv {LONG} {STATED}", "sums.json")
    )
    # Lines of what was read, which is not the same class.
    assert whole[1:] == summed[1:]
    assert "a table of scores: 4 systems" in whole[0]
    assert "sums of scores: 4 systems" in summed[0]


@pytest.mark.parametrize(
    "source",
    [f"long.csv {LONG} --systems {','.join(TABLE.systems)}", f"'data/*.parquet' {COLUMNS}",
     f"data/1.parquet data/0.parquet {COLUMNS} --jobs 1"],
)  # fmt: skip
def test_sums_of_any_files_are_those_of_the_table(source, folder, output):
    output(f"scan {source} {STATED} --out sums.json")
    found = ra.ScoreSummary.from_dict(json.loads((folder / "sums.json").read_text()))
    assert found.fingerprint == ra.ScoreSummary.from_scores(TABLE).fingerprint


@pytest.mark.parametrize("form", ["", "--json"])
def test_commands_read_the_output_of_scan(folder, run, form):
    expected = ra.ScoreSummary.from_scores(TABLE)
    result = run(f"scan {DATA} {STATED} --out sums.json {form}")
    assert ra.ScoreSummary.from_dict(json.loads((folder / "sums.json").read_text())) == expected
    assert expected.fingerprint in result.out
    for line in ("compare", "rank --rule kemeny", "solve", "tournament"):
        text = run(f"{line} sums.json --json").out
        assert json.loads(text)["input"][2] == "scores: higher is better, but lower is better on z"


@pytest.mark.parametrize("at", range(0, 800, 200))
def test_sums_that_were_changed_are_refused(at, folder, refused):
    sums = folder / "sums.json"
    text = json.dumps(ra.ScoreSummary.from_scores(TABLE).to_dict())
    place = re.compile(r"\d").search(text, text.index('"wins"') + at)
    sums.write_text(text[: place.start()] + str((int(place[0]) + 1) % 10) + text[place.end() :])
    message = refused("compare sums.json")
    assert message.startswith("error: sums.json does not hold sums of scores as JSON")


BAD = {
    f"scan {DATA} --lower w": "--lower must be one of",
    f"scan {DATA} --systems s0,s7": "--systems must be",
    f"scan {DATA} --lower w --score s": "--system and --score must be given",
    "scan untasked.csv --lower w": "--lower needs --task",
    f"scan {DATA} --lower x --lower-is-better": "--lower-is-better covers",
    "scan sums.json": "sums.json",
    "scan board.csv": "Name the columns of scores with --systems, or --system and --score",
    "compare sums.json --tolerance 1": "--tolerance has no meaning for sums",
    "compare bad.json": "bad.json does not hold sums of scores as JSON",
    "compare cut.json": "cut.json does not hold sums of scores as JSON",
}


def test_bad_input_is_refused(folder, refused):
    summary = json.dumps(ra.ScoreSummary.from_scores(TABLE).to_dict())
    (folder / "sums.json").write_text(summary)
    (folder / "bad.json").write_text(summary.replace('"version": 1', '"version": NaN'))
    (folder / "cut.json").write_text(summary[:-9])
    (folder / "board.csv").write_text("system,x\nA,1\nB,2\n")
    (folder / "untasked.csv").write_text("A,B\n1,2\n")
    for line, words in BAD.items():
        assert words in refused(line), line
