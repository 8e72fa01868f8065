"""The journal: damaged, changed, repeated or foreign lines are not read as results."""

import errno
import os
import signal
import warnings
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

import rankagg as ra
from rankagg.exceptions import (
    DataFormatError,
    DataWarning,
    InvalidInputError,
    OutputError,
    WorkerError,
)
from tests.studies.test_study import rows

STUDY = ra.studies.ApproximationStudy(
    rules=[ra.Borda(), ra.Copeland()],
    data=[ra.cultures.MallowsCulture(phi=0.9)],
    n_items=[3, 5],
    n_rankings=[4],
    n_repetitions=3,
    rng=0,
)
RESULT = STUDY.run()
ROWS = {cell.key: STUDY._try(cell, None) for cell in STUDY.cells()}


def note(path):
    pieces = ({"cell": key, "rows": rows} for key, rows in ROWS.items())
    STUDY._journal(path).append(pieces)


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "study.jsonl"
    assert read(file) == {}
    note(file)
    return file


def noted(study, path):
    return study._journal(path).read(3)


def read(path):
    return noted(STUDY, path)


def test_journal_lines_are_read_back(path):
    found = read(path)
    assert found == ROWS
    assert len(found) == 6
    assert read(path) == found
    assert_frame_equal(rows(STUDY.run(journal=path)), rows(RESULT))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"null", "changed since it was written"),
        (b"[]", "changed since it was written"),
        (b"{}", "changed since it was written"),
        (b"", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"9" * 5000, "not JSON"),
        (b'{"cell": "\xff"}', "not JSON in UTF-8"),
        (b'{"cell": [], "rows": [], "check": null}', "changed since it was written"),
    ],
)
def test_a_malformed_line_is_named(path, line, words):
    lines = path.read_bytes().split(b"\n")
    lines[3] = line
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(DataFormatError, match=f"line 4: {words}"):
        read(path)


def test_a_truncated_last_line_is_dropped_with_a_warning(path):
    whole, found = path.read_bytes(), read(path)
    last = len(whole) - whole[:-1].rfind(b"\n") - 1
    for cut in (1, 2, 30, last - 1):
        path.write_bytes(whole[: len(whole) - cut])
        with pytest.warns(DataWarning, match=r"the last line was cut off; its data set is comp"):
            left = read(path)
        assert left == {key: found[key] for key in list(found)[:-1]}
        assert read(path) == left  # the rest of it is gone


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_damaged_bytes_are_detected_or_harmless(path, share):
    whole, found = path.read_bytes(), read(path)
    rng = np.random.default_rng(int(10 * share))
    noticed = 0
    for _ in range(50):
        damaged = bytearray(whole)
        at = rng.integers(int(share * len(damaged)))
        how = rng.integers(3)
        if how == 0:
            damaged[at] ^= 1 << int(rng.integers(8))
        elif how == 1:
            del damaged[at]
        else:
            damaged.insert(at, int(rng.integers(256)))
        path.write_bytes(bytes(damaged))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            try:
                left = read(path)
            except (DataFormatError, InvalidInputError):
                noticed += 1
            else:
                assert left.items() <= found.items()
    assert noticed > 40


def test_a_journal_of_something_else_is_refused(path):
    for text in ("system,a\nA,1\n", '{"version": 2}\n', "[1]\n", "\n", "x" * 100):
        path.write_text(text)
        with pytest.raises(InvalidInputError, match="a new file, or one of a study"):
            read(path)
        assert path.read_text() == text


def test_a_full_disk_keeps_earlier_lines(path, monkeypatch):
    found, real = read(path), Path.open

    def full(self, mode="r", *args, **options):
        if mode != "a":
            return real(self, mode, *args, **options)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(OutputError, match=r"No space left on device\. Earlier lines stay"):
        note(path)
    assert read(path) == found


class Broken(ra.Borda):
    """A rule that stops as if its process had been killed."""

    def _aggregate(self, evidence, rng):
        if len(evidence.items) == 5:
            raise BrokenProcessPool
        return super()._aggregate(evidence, rng)


class Suicidal(ra.Borda):
    """A rule whose process is killed, as for lack of memory."""

    def _aggregate(self, evidence, rng):
        if evidence.profile.n_items == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return super()._aggregate(evidence, rng)


@pytest.mark.parametrize(
    ("rule", "n_jobs", "kept"),
    [(Broken(), 1, 3), pytest.param(Suicidal(), 2, 32, marks=pytest.mark.slow)],
)
def test_a_killed_worker_does_not_spoil_the_journal(rule, n_jobs, kept, tmp_path):
    path = tmp_path / "study.jsonl"
    study = replace(STUDY, rules=[rule], n_repetitions=kept)
    with pytest.raises(WorkerError, match="was killed"):
        study.run(n_jobs=n_jobs, journal=path)
    left = noted(study, path)
    assert {key[1] for key in left} <= {3}
    assert len(left) >= kept
