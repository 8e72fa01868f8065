"""Optional data, commands called in this process, and the settings of all tests.

Some tests read real data that the project does not bundle: files in `../shared/data` next to the
checkout, or in the folder that the environment variable RANKAGG_DATA names, and tables of known
answers in the folder `facts` next to it. Without them these tests skip.
"""

import json
import os
import signal
from pathlib import Path
from shlex import split
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings

from rankagg.cli import main
from tests.report.browser import launched

CHECKOUT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("RANKAGG_DATA") or CHECKOUT.parent / "shared" / "data")
FACTS = DATA.parent / "facts"

# A shell that runs tests in the background has them ignore Ctrl-C, and so all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Every run tries the same examples: a red test is red for everybody. Before a release
# `--hypothesis-profile=thorough` tries more of them, and others.
# Drawing is slow on a busy machine, and no fault.
SLOW = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("rankagg", max_examples=20, derandomize=True, database=None, **SLOW)
settings.register_profile("thorough", max_examples=300, **SLOW)
settings.load_profile("rankagg")


def seeds(few, many):
    """Return the seeds of cases that are drawn: few in fast runs, as many in slow ones."""
    return [*range(few), *(pytest.param(at, marks=pytest.mark.slow) for at in range(few, many))]


def slow_but(quick, rows):
    """Return rows for `parametrize`; all are slow but the quick ones."""
    slow = pytest.mark.slow
    return [
        row
        if row in quick
        else pytest.param(*(row if isinstance(row, tuple) else [row]), marks=slow)
        for row in rows
    ]


@pytest.fixture(scope="session")
def browser():
    """Return one browser for all tests: a process can drive no second one."""
    with launched() as started:
        yield started


def choose_kernels(name, monkeypatch):
    """Let every call run in NumPy, or compiled."""
    if name == "numba":
        pytest.importorskip("numba", reason="the extra `fast` is not installed")
    monkeypatch.setattr("rankagg.kernels.local_search._is_wanted", lambda: name == "numba")
    monkeypatch.setattr("rankagg.kernels.local_search.LOADING", 0.0)


@pytest.fixture(params=["numpy", "numba"])
def kernels(request, monkeypatch):
    """Run a test in NumPy and compiled; return which."""
    choose_kernels(request.param, monkeypatch)
    return request.param


@pytest.fixture(scope="session")
def data():
    """Return a function from the name of an optional data file to its path."""

    def find(name):
        return _present(DATA / name, f"optional data file {name}")

    return find


@pytest.fixture(scope="session")
def facts():
    """Return a function from the name of a table of facts to a dict of its cases.

    The keys are the names of the cases; where several share a name, "name / data".
    """

    def read(name):
        text = _present(FACTS / f"{name}.json", f"optional table of facts {name}.json").read_text(
            encoding="utf-8"
        )
        cases = json.loads(text)
        names = [case["name"] for case in cases]
        keys = [
            f"{case['name']} / {case['data']}" if names.count(case["name"]) > 1 else case["name"]
            for case in cases
        ]
        assert len(set(keys)) == len(cases), "two cases with one key"
        return dict(zip(keys, cases, strict=True))

    return read


def _present(path, what):
    if not path.exists():
        pytest.skip(f"{what} is not in {path.parent}; RANKAGG_DATA names another data folder")
    return path


# -- commands, called in this process, in an empty folder -----------------------------------------


class CommandResult(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def called(capsys, monkeypatch, tmp_path):
    """Return a function that calls a line and more words in an empty folder, however it ends."""
    monkeypatch.chdir(tmp_path)

    def call(line: str, *more) -> CommandResult:
        with pytest.raises(SystemExit) as stop:
            main([*split(line), *map(str, more)])
        return CommandResult(stop.value.code or 0, *capsys.readouterr())

    return call


@pytest.fixture
def run(called):
    """Return a function that calls a command, which must end with a code, by default 0."""

    def call(*args, code: int | tuple[int, ...] = 0) -> CommandResult:
        result = called(*args)
        assert result.code in (code if isinstance(code, tuple) else (code,)), result.err
        return result

    return call


@pytest.fixture
def output(run):
    """Return a function from a call to what it prints, or to what it says is wrong."""

    def call(*args, code=0) -> str:
        result = run(*args, code=code)
        return result.err if code else result.out

    return call


@pytest.fixture
def parsed(output):
    """Return a function from a call to what it prints as JSON, which has no NaN."""

    def call(*args, code=0) -> dict:
        out = output(*args, "--json", code=code)
        assert "NaN" not in out
        return json.loads(out)

    return call


@pytest.fixture
def refused(called):
    """Return a function from a call of bad input to its one sentence, without backticks."""

    def call(*args) -> str:
        code, out, err = called(*args)
        assert (code, out) == (2, ""), err
        assert "Traceback" not in err
        (line,) = [line for line in err.splitlines() if line.lower().startswith("error:")]
        return line.replace("`", "")

    return call
