"""What a command loads before it works: no more than it uses."""

import os
import subprocess
import sys
from pkgutil import iter_modules

import click
import pytest

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
for args in {calls!r}:
    try:
        main(args)
    except SystemExit as stop:
        assert not stop.code, stop.code
print("loaded", *[name for name in {heavy!r} if name in sys.modules])
"""


def loaded_by(*calls: list[str]) -> set[str]:
    script = SCRIPT.format(calls=calls, heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split()[1:])


@pytest.mark.parametrize(
    ("args", "allowed"),
    [
        (["--help"], set()),
        (["--version"], set()),
        (["methods"], {"numpy", "pandas", "scipy.optimize", "scipy.stats"}),
        (["datasets"], {"numpy", "pandas"}),
        (["rank", "--dataset", "tennessee", "--method", "borda"], {"numpy", "pandas"}),
        (["compare", "--dataset", "tennessee", "--one"], {"numpy", "pandas", "pulp", "highspy"}),
        (["scan", "{folder}/a.csv"], {"numpy", "pandas", "joblib", "tqdm", "pyarrow.csv"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_loads_only_what_it_uses(args, allowed, tmp_path) -> None:
    # Pandas loads pyarrow where it is there, and none of what reads files.
    (tmp_path / "a.csv").write_text("A,B\n1,2\n", encoding="utf-8")
    assert loaded_by([arg.format(folder=tmp_path) for arg in args]) <= allowed


def test_the_help_of_a_command_loads_nothing_to_work_with() -> None:
    # What --axiom takes is asked of the axioms.
    asked = [[name, "--help"] for name in COMMANDS if name != "axioms"]
    assert loaded_by(*asked) <= {"numpy"}


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
    """Return the least processor time of three runs."""
    runs = []
    for _ in range(3):
        before = os.times()
        subprocess.run([sys.executable, *args], capture_output=True, check=True)
        after = os.times()
        runs.append(
            after.children_user + after.children_system
            - before.children_user - before.children_system
        )  # fmt: skip
    return min(runs)


def test_the_start_is_quick() -> None:
    numpy = seconds("-c", "import numpy")
    for args in (
        ["-c", "import rankagg"],
        ["-m", "rankagg", "--help"],
        ["-m", "rankagg", "--version"],
    ):
        assert seconds(*args) < 2 * numpy
