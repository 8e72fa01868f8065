"""What a command loads before it works: no more than it uses."""

import os
import subprocess
import sys
from pkgutil import iter_modules

import click

from rankagg.cli import commands
from rankagg.cli.app import COMMANDS, FILES, app
from rankagg.cli.options.rules import RULES_BY_NAME, WITHOUT_POLICY, make

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
# it is there, and none of what reads files; what --axiom takes is asked of the axioms.
CALLS = (
    (["--help"], set()),
    (["--version"], set()),
    *(([name, "--help"], {"numpy"}) for name in COMMANDS if name != "axioms"),
    (["datasets"], {"pandas"}),
    (["rank", *DATA, "--method", "borda"], set()),
    (["compare", *DATA, "--one"], {"pulp", "highspy"}),
    (["scan", "a.csv"], {"joblib", "tqdm", "pyarrow.csv"}),
    (["methods"], {"scipy.optimize", "scipy.stats"}),
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


def test_every_file_of_commands_is_listed() -> None:
    assert {module.name for module in iter_modules(commands.__path__)} == set(FILES)
    assert sorted(name for names in FILES.values() for name in names) == sorted(COMMANDS)


def test_first_lines_are_those_of_the_commands() -> None:
    for name, words in COMMANDS.items():
        command = app.get_command(click.Context(app), name)
        assert command is not None
        assert command.get_short_help_str(limit=1000) == words


def test_the_overview_lists_all_commands() -> None:
    text = " ".join(app.get_help(click.Context(app)).split())
    for name, words in COMMANDS.items():
        assert f"{name} {words}" in text


def test_rules_without_a_policy_are_those_listed() -> None:
    found = [name for name in RULES_BY_NAME if make(name, "uniform").policy is None]
    assert found == list(WITHOUT_POLICY)


def seconds(*args: str) -> float:
    """Return the lesser processor time of two runs."""
    runs = []
    for _ in range(2):
        before = os.times()
        subprocess.run([sys.executable, *args], capture_output=True, check=True)
        after = os.times()
        runs.append(sum(after[2:4]) - sum(before[2:4]))
    return min(runs)


def test_the_start_is_quick() -> None:
    assert seconds("-m", "rankagg", "--help") < 2 * seconds("-c", "import numpy")
