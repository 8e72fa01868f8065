"""A scan that was stopped goes on from its journal, and ends with the same bytes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.scan import batches
from rankagg.io.scan import count as scan_run
from tests.io.scan.scan_files import LONG, drawn, long, scan, wide, write


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch):
    monkeypatch.setattr(batches, "PART_ROWS", 5)


@pytest.fixture
def journal(tmp_path_factory):
    """Return the path of a journal that is not there yet."""
    return tmp_path_factory.mktemp("journal") / "scan.jsonl"


@pytest.fixture
def made(tmp_path):
    """Return a scan of eight parts or more, and what it adds up to."""
    table = drawn(4)
    path = write(wide(table), tmp_path / "a.parquet", rows=5)
    return scan(path, table), json.dumps(ra.ScoreSummary.from_scores(table).to_dict())


def stop_after(monkeypatch, parts):
    """Let the scan end while it counts the part of this number."""
    real = scan_run.count_part

    def count(layout, part, advance=None):
        if part.number == parts:
            raise KeyboardInterrupt
        return real(layout, part, advance)

    monkeypatch.setattr(scan_run, "count_part", count)


@pytest.mark.parametrize("parts", [0, 3, 7])
def test_it_goes_on(parts, made, journal, monkeypatch):
    whole, expected = made
    with monkeypatch.context() as patch:
        stop_after(patch, parts)
        with pytest.raises(KeyboardInterrupt):
            whole.summarize(journal=journal)
    assert len(journal.read_text().splitlines()) == 1 + parts
    counted = []
    real = scan_run.count_part
    monkeypatch.setattr(
        scan_run, "count_part", lambda *args: counted.append(args[1].number) or real(*args)
    )
    assert json.dumps(whole.summarize(journal=journal).to_dict()) == expected
    assert counted == list(range(parts, 8))
    # And once more: nothing is left to count.
    counted.clear()
    assert json.dumps(whole.summarize(journal=journal).to_dict()) == expected
    assert not counted


def test_changed_lines_are_refused_and_equal_ones_read_over(made, journal):
    whole, _ = made
    whole.summarize(journal=journal)
    text = journal.read_text()
    for at in (0.3, 0.6, 0.9):
        place = text.index("1", int(at * len(text)))
        journal.write_text(text[:place] + "2" + text[place + 1 :])
        with pytest.raises(DataFormatError, match="remove the line"):
            whole.summarize(journal=journal)
    journal.write_text(text + text.splitlines(keepends=True)[2])
    assert whole.summarize(journal=journal) == whole.summarize()


def test_the_journal_of_another_scan_is_refused(made, journal):
    whole, _ = made
    whole.summarize(journal=journal)
    table = drawn(4)
    other = scan(whole.files[0], table, systems=["s0", "s2"])
    with pytest.raises(InvalidInputError, match="same unchanged files"):
        other.summarize(journal=journal)
    write(wide(table), Path(whole.files[0]), rows=4)
    with pytest.raises(InvalidInputError, match="same unchanged files"):
        scan(whole.files[0], table).summarize(journal=journal)


def test_an_instance_twice_is_seen_over_a_stop(journal, tmp_path, monkeypatch):
    table = drawn(4)
    frame = wide(table).assign(task="x")
    frame.loc[38, "id"] = frame.loc[1, "id"]
    whole = scan(write(frame, tmp_path / "a.parquet", rows=5), table)
    with monkeypatch.context() as patch:
        stop_after(patch, 4)
        with pytest.raises(KeyboardInterrupt):
            whole.summarize(journal=journal)
    with pytest.raises(DataFormatError, match="same instance"):
        whole.summarize(journal=journal)


def test_long_files(journal, tmp_path):
    table = drawn(5)
    frame = long(table)
    half = frame["id"].isin(table.instances[:20])
    write(frame[half], tmp_path / "a.parquet")
    write(frame[~half], tmp_path / "b.parquet")
    made = scan(tmp_path, table, LONG)
    first = made.summarize(journal=journal)
    assert first == made.summarize(journal=journal) == ra.ScoreSummary.from_scores(table)
    with pytest.raises(InvalidInputError, match="same unchanged files"):
        scan(tmp_path, table, LONG, systems=None).summarize(journal=journal)


KILLED = """
import os, signal, sys
import rankagg as ra
from rankagg.io.scan import batches
from rankagg.io.scan import count as scan_run
batches.PART_ROWS = 5
real = scan_run.count_part
def count(layout, part, advance=None):
    if part.number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(layout, part, advance)
scan_run.count_part = count
ra.io.scan_scores(sys.argv[1], higher_is_better={"x": True, "y": True, "z": False}, task="task",
               instance="id", task_weights={"y": 0.5}).summarize(journal=sys.argv[2])
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL")
def test_a_process_that_was_killed(made, journal):
    whole, expected = made
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(whole.files[0]), str(journal)], check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert len(journal.read_text().splitlines()) == 6
    assert json.dumps(whole.summarize(journal=journal).to_dict()) == expected
