"""Ctrl-C: one line, code 130, no traceback, nothing half-written."""

import logging
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import rankagg as ra
from rankagg import __main__ as entry

LOGGER = logging.getLogger("rankagg.kemeny")


@pytest.fixture(scope="module")
def hard(tmp_path_factory) -> Path:
    """Return ballots that keep the exact rule busy for minutes."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("hard") / "votes.soc"
    ranks = np.argsort(rng.random((9, 140)), axis=1)
    ra.write_preflib(ra.Profile.from_ranks(ranks, items=range(140)), path)
    return path


def interrupted(folder: Path, *args: str) -> tuple[int, str, str]:
    """Run a command, send the signal when its search has begun, and return how it ended."""
    process = subprocess.Popen(
        [sys.executable, "-m", "rankagg", *args],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    told = process.stderr.readline()
    assert told.startswith("solving: "), told + process.stderr.read()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


@pytest.fixture
def impatient():
    """Let the user press Ctrl-C when a search tells how far it is for the first time."""

    class Impatience(logging.Handler):
        def emit(self, record):
            LOGGER.removeHandler(self)
            signal.raise_signal(signal.SIGINT)

    handler = Impatience()
    LOGGER.addHandler(handler)
    yield
    assert handler not in LOGGER.handlers, "nothing was told"


def test_a_solve_prints_what_it_has(run, impatient, hard, tmp_path) -> None:
    told = run("solve", hard, "--certificate", "proof.json", code=130)
    assert "interrupted: the best ranking so far, not proved optimal" in told.out
    assert [path.name for path in tmp_path.iterdir()] == ["proof.json"]


def test_a_stability_analysis_ends_with_one_line(run, impatient, hard, tmp_path) -> None:
    told = run("stability", hard, "--plot", "picture.svg", code=130)
    assert told.out == ""
    lines = [line for line in told.err.splitlines() if line and "solving: " not in line]
    assert lines == ["interrupted"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_report_leaves_the_page_with_what_there_is(hard, tmp_path) -> None:
    code, _, err = interrupted(tmp_path, "report", str(hard))
    assert code == 130
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    page = (tmp_path / "report.html").read_text()
    assert "not computed in time" in page
    assert "interrupted: the best ranking so far" in page


# What the interpreter does before it comes to the package is its own affair.
STARTED = """
import sys
from rankagg.__main__ import run
sys.argv = ["rankagg", "report", "--dataset", "glue_human"]
print("started", flush=True)
run()
"""


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 2.0, 3.0])
def test_no_moment_shows_a_traceback(tmp_path, delay) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", STARTED],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert "Traceback" not in err
    assert process.returncode in (130, 0)
    assert {path.name for path in tmp_path.iterdir()} <= {"report.html"}


def test_an_interruption_while_loading_is_quiet(monkeypatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rankagg.cli.main", interrupt)
    with pytest.raises(SystemExit) as stop:
        entry.run()
    assert stop.value.code == 130
