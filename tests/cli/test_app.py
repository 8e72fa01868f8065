"""The contract of commands, what they load, and Ctrl-C, which leaves nothing half-written."""

import json
import logging
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from pkgutil import iter_modules
from typing import ClassVar

import click
import numpy as np
import pytest

import rankagg as ra
from rankagg import __main__ as entry
from rankagg.aggregation.kemeny import parts
from rankagg.cli import commands, main
from rankagg.cli.app import COMMANDS as FIRST_LINES
from rankagg.cli.app import app
from rankagg.testing.commands import UNREADABLE, CommandContract, _commands_of
from tests.benchmarks.test_memory import COMMANDS

ROOT = Path(__file__).resolve().parents[2]

BUNDLED = ["--dataset", "tennessee"]


class TestCommands(CommandContract):
    group = app
    program = "rankagg"
    main = main
    # A command that is not named here is called with bundled data if it takes them.
    arguments: ClassVar = {
        **{
            path: BUNDLED
            for path, command in _commands_of(app).items()
            if any("--dataset" in one.opts for one in command.params)
        },
        "axioms": ["--rule", "borda", "--rankings", "2"],
        "changes": ["old.csv", "new.csv"],
        "explain": [*BUNDLED, "--pair", "Nashville", "Memphis"],
        "fit": [*BUNDLED, "--pseudo-rankings", "0.5"],
        "missing": ["--dataset", "xtreme_gaps", "--samples", "5"],
        "list": ["rules"],
        "report": ["--dataset", "three_cycle"],
        "sample": ["--items", "A,B,C"],
        "scan": ["scores.csv", "--task", "task"],
        "stability": [*BUNDLED, "--rule", "borda", "--samples", "5"],
        "study": [
            "approximation",
            "--culture",
            "mallows=0.8",
            "--items",
            "4",
            "--repetitions",
            "2",
        ],
        "test": ["--dataset", "superglue_human", "--reference", "Human"],
        "verify": ["proof.json", *BUNDLED],
    }

    def prepare(self, folder) -> None:
        certificate = ra.Kemeny().aggregate(ra.datasets.load("tennessee")).certificate
        assert certificate is not None
        (folder / "proof.json").write_text(json.dumps(certificate.to_dict()), encoding="utf-8")
        for name, score in (("one", 1), ("other", 2)):
            (folder / f"{name}.run").write_text(f"q Q0 {name} 1 {score} x\n", encoding="utf-8")
        for name in ("old", "new"):
            table = "system,x,y\nA,1.5,2.5\nB,2.5,1.5\n"
            (folder / f"{name}.csv").write_text(table, encoding="utf-8")
        (folder / "scores.csv").write_text("task,A,B\nx,1,2\ny,2,\n", encoding="utf-8")

    # An option that commands share is tried with one of them, and quick ones in one test.
    def test_an_unknown_choice_names_the_option_and_suggests(self, folder) -> None:
        asked = {
            id(one): (path, one.opts[0], one.type.choices[-1])
            for path, command in _commands_of(app).items()
            for one in command.params
            if isinstance(one, click.Option) and isinstance(one.type, click.Choice)
        }
        assert len(asked) > 30
        for case in asked.values():
            super().test_an_unknown_choice_names_the_option_and_suggests(folder, *case)

    def test_an_unknown_option_is_bad_usage(self) -> None:
        for path in _commands_of(app):
            super().test_an_unknown_option_is_bad_usage(path)

    def test_files_that_cannot_be_read_end_with_one_sentence(self, folder) -> None:
        kinds = click.Path | click.File
        for path, command in _commands_of(app).items():
            arguments = [one for one in command.params if isinstance(one, click.Argument)]
            for file in UNREADABLE if any(isinstance(one.type, kinds) for one in arguments) else ():
                super().test_files_that_cannot_be_read_end_with_one_sentence(folder, path, file)

    def test_a_missing_argument_is_bad_usage(self) -> None:
        for path in _commands_of(app):
            super().test_a_missing_argument_is_bad_usage(path)


def test_the_memory_of_every_command_is_measured() -> None:
    page = (ROOT / "docs" / "explanation" / "cost.rst").read_text(encoding="utf-8")
    table = page[page.index("Memory of commands") :]
    rows = re.findall(r"^   ([a-z]+) +\d+ +\d+ +\d+", table, flags=re.MULTILINE)
    assert rows
    assert set(rows) <= set(COMMANDS) == set(_commands_of(app))


def test_help_fits_on_a_screen_and_names_each_group_of_options_in_a_line(called) -> None:
    for name in ["", *FIRST_LINES]:
        text = called(f"{name} --help").out
        assert len(text.splitlines()) <= 45, name
        assert max(map(len, text.splitlines())) <= 82, name
    text, full = called("solve --help").out, called("solve --help-all").out
    assert "  Constraints  --above, --above-all, --below-all\n" in text
    assert "Constraints options:\n  --above ITEM,ITEM..." in full
    assert "FILE may be a table" in full
    assert "FILE may be a table" not in text
    for name, groups in {
        "count": "Scores  --|Battles  --|--lower",
        "changes": "Ballots  --",
    }.items():
        assert not re.search(groups, called(f"{name} --help").out)


def test_help_states_what_the_commands_do(called) -> None:
    assert "STUDY is approximation, cycles, missing-scores," in called("study --help").out
    for name in ("report", "stability", "tournament"):
        assert "best ranking found and its bound" not in called(f"{name} --help").out
    # The axioms know no ties of ranked pairs.
    assert "ranked pairs" not in called("axioms --help-all").out


def test_without_a_command_ten_lines_name_commands_for_a_file(called) -> None:
    lines = called("").out
    assert len(lines.splitlines()) <= 10
    named = re.findall(r"rankagg (\w+)", lines)
    assert len(named) > 5
    assert set(named) - {"a"} <= set(FIRST_LINES)


def test_an_unknown_command_suggests_the_nearest(refused) -> None:
    assert refused("stabilty") == "error: No such command 'stabilty'. Did you mean 'stability'?"
    for gone in ("power", "agreement", "removals", "models", "cycles", "experiment", "rules"):
        assert refused(gone).startswith(f"error: No such command '{gone}'.")


# -- a contract that is broken fails --------------------------------------------------------------


def broken(callback, *params: click.Parameter, text: str = "Do it.\n\n\b\n  tool bad") -> type:
    group = click.Group("tool")
    group.add_command(click.Command("bad", callback=callback, params=list(params), help=text))
    return type("Broken", (CommandContract,), {"group": group})


def crash() -> None:
    raise ValueError("a traceback")


JSON = click.Option(["--json", "as_json"], is_flag=True, help="Print JSON.")
FILE = click.Argument(["file"], type=click.Path())
CHOICE = click.Option(["--kind"], type=click.Choice(["one", "two"]), help="Which.")


FAULTS = {
    "no example": ("help_says", broken(lambda: None, text="Do it."), {}),
    "no sentence": ("help_says", broken(lambda: None, text="do it"), {}),
    "not explained": ("help_says", broken(lambda x: None, click.Option(["--x"])), {}),
    "left nothing": ("it_does", broken(lambda: None), {}),
    "exits with 3": ("it_does", broken(lambda: sys.exit(3)), {}),
    "no schema": ("json_is", broken(lambda as_json: click.echo("{}"), JSON), {}),
    "not JSON": ("json_is", broken(lambda as_json: click.echo("[NaN]"), JSON), {}),
    "exits with 0": ("files", broken(lambda file: click.echo("read"), FILE), {"file": "absent"}),
    "no suggestion": (
        "an_unknown_choice", broken(lambda kind: None, CHOICE),
        {"option": "--kind", "choice": "two"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("words", FAULTS)
def test_each_fault_fails_its_contract_test(tmp_path, words) -> None:
    test, contract, given = FAULTS[words]
    (name,) = [name for name in dir(contract) if name.startswith(f"test_{test}")]
    folder = {} if test == "help_says" else {"folder": tmp_path}
    with pytest.raises(AssertionError, match=words):
        getattr(contract(), name)(path="bad", **folder, **given)


def test_an_exception_of_a_command_is_an_exception_of_its_test(tmp_path) -> None:
    with pytest.raises(ValueError, match="a traceback"):
        broken(crash)().test_it_does_its_work(tmp_path, "bad")


# -- modules loaded before a command works --------------------------------------------------------

HEAVY = (
    "numpy", "pandas", "scipy.stats", "scipy.optimize", "statsmodels", "networkx", "matplotlib",
    "joblib", "pulp", "highspy", "jinja2", "tqdm", "pyarrow.csv", "pyarrow.json", "pyarrow.parquet",
)  # fmt: skip
SCRIPT = """
import sys
from rankagg.cli import main
seen = set()
for args in {calls!r}:
    try:
        main(args)
    except SystemExit as stop:
        assert not stop.code, stop.code
    new = {{name for name in {heavy!r} if name in sys.modules}} - seen
    print("loaded", *new)
    seen |= new
"""
DATA = ["--dataset", "tennessee"]
# In one process: each call, and what it may load beyond those above it. Pandas loads pyarrow where
# it is there, and none of what reads files.
CALLS = (
    (["--help"], set()),
    *(([name, "--help"], set()) for name in FIRST_LINES),
    (["--version"], {"numpy"}),
    (["list", "datasets"], {"pandas", "pyarrow.csv"}),
    (["rank", *DATA, "--rule", "borda"], set()),
    (["compare", *DATA], {"pulp", "highspy"}),
    (["scan", "a.csv"], {"joblib", "tqdm"}),
    (["list", "rules"], set()),
)


def test_a_command_loads_only_what_it_uses(tmp_path) -> None:
    (tmp_path / "a.csv").write_text("A,B\n1,2\n", encoding="utf-8")
    script = SCRIPT.format(calls=[args for args, _ in CALLS], heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    loaded = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("loaded")]
    for (args, allowed), new in zip(CALLS, loaded, strict=True):
        assert set(new) <= allowed, args


def test_the_overview_lists_the_commands_of_all_files_by_their_first_sentences() -> None:
    files = {file for file, _ in FIRST_LINES.values()}
    assert {module.name for module in iter_modules(commands.__path__)} == files
    overview = app.get_help(click.Context(app))
    for name, (_, words) in FIRST_LINES.items():
        assert _commands_of(app)[name].get_short_help_str(limit=1000) == words
        assert re.search(f"^  {name} +{re.escape(words)}$", overview, flags=re.MULTILINE)


# -- Ctrl-C ---------------------------------------------------------------------------------------


@pytest.fixture
def hard(tmp_path_factory):
    """Return a function to a file of ballots on many items, which keep the exact rule busy."""

    def write(n: int) -> Path:
        path = tmp_path_factory.mktemp("hard") / "votes.soc"
        ranks = np.argsort(np.random.default_rng(0).random((9, n)), axis=1)
        ra.io.write_ballots(ra.Profile.from_ranks(ranks, items=range(n)), path)
        return path

    return write


def interrupted(folder: Path, stream: str, *args: str, delay: float = 0) -> int:
    """Run Python, send the signal some time after its first line, and return the exit code."""
    process = subprocess.Popen(
        [sys.executable, *args],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    line = getattr(process, stream).readline()
    assert line.startswith(("solving: ", "started", "1 rule on "))
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert "Traceback" not in err
    return process.returncode


@pytest.fixture(autouse=True)
def listens_again():
    """Let the tests be interrupted by Ctrl-C, which the end of a command ignores."""
    yield
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def impatient(monkeypatch):
    """Let the user press Ctrl-C when a search tells how far it is for the first time."""
    monkeypatch.setattr(parts, "SECONDS_BETWEEN_LINES", 0.0)

    class Impatience(logging.Handler):
        def emit(self, record):
            logging.getLogger("rankagg.kemeny").removeHandler(self)
            signal.raise_signal(signal.SIGINT)

    handler = Impatience()
    logging.getLogger("rankagg.kemeny").addHandler(handler)
    yield
    assert handler not in logging.getLogger("rankagg.kemeny").handlers, "nothing was reported"


def test_an_interrupted_solve_prints_the_best_ranking(run, impatient, hard, tmp_path) -> None:
    result = run("solve", hard(60), "--certificate", "proof.json", code=130)
    assert "interrupted: the best ranking so far, not proved optimal" in result.out
    assert [path.name for path in tmp_path.iterdir()] == ["proof.json"]


def test_a_picture_of_an_unproved_consensus_has_code_3(run, hard) -> None:
    run("tournament", hard(60), "--plot", "a.svg", "--time-limit", "0", code=3)


def test_an_interrupted_stability_analysis_prints_one_line(run, impatient, hard, tmp_path) -> None:
    result = run("stability", hard(60), "--plot", "picture.svg", code=130)
    assert result.out == ""
    lines = [line for line in result.err.splitlines() if line and "solving: " not in line]
    assert lines == ["interrupted"]
    assert list(tmp_path.iterdir()) == []


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
def test_interruption_at_any_moment_shows_no_traceback(tmp_path, delay) -> None:
    assert interrupted(tmp_path, "stdout", "-c", STARTED, delay=delay) in (130, 0)
    assert {path.name for path in tmp_path.iterdir()} <= {"report.html"}


def test_an_interruption_while_loading_ends_with_one_line(monkeypatch, capsys) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rankagg.cli.main", interrupt)
    with pytest.raises(SystemExit) as stop:
        entry.run()
    assert stop.value.code == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_a_closed_standard_output_is_a_failure(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(SystemExit) as ended:
        main(["list", "rules"])
    monkeypatch.undo()
    assert ended.value.code == 1
    assert "the standard output is closed" in capsys.readouterr().err
