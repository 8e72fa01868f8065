"""The contract of commands, for ours and for a small group of somebody else's."""

import json
import re
import sys
from pathlib import Path
from typing import ClassVar

import click
import pytest

import rankagg as ra
from rankagg.cli import main
from rankagg.cli.app import app
from rankagg.testing.commands import CommandContract, commands_of
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
            for path, command in commands_of(app).items()
            if any("--dataset" in one.opts for one in command.params)
        },
        "axioms": ["--method", "borda", "--rankings", "2"],
        "agreement": ["--dataset", "superglue_human"],
        "experiment": ["--dataset", "superglue_human", "--repetitions", "2"],
        "explain": [*BUNDLED, "--pair", "Nashville", "Memphis"],
        "fit": [*BUNDLED, "--pseudo-rankings", "0.5"],
        "missing": ["--dataset", "xtreme_gaps", "--samples", "5"],
        "power": ["--dataset", "superglue_human"],
        "cycles": ["--rankings", "5", "--repetitions", "3"],
        "quiz": ["borda"],
        "removals": [*BUNDLED, "--method", "borda"],
        "replicate": ["p1-table-1"],
        "sample": ["--items", "A,B,C"],
        "scan": ["scores.csv", "--task", "task"],
        "stability": [*BUNDLED, "--method", "borda", "--samples", "5"],
        "study": ["--mallows", "0.8", "--items", "4", "--repetitions", "2"],
        "teach": ["--list"],
        "test": ["--dataset", "superglue_human", "--reference", "Human"],
        "verify": ["proof.json", *BUNDLED],
    }

    def prepare(self, folder) -> None:
        certificate = ra.Kemeny().aggregate(ra.datasets.load("tennessee")).certificate
        assert certificate is not None
        (folder / "proof.json").write_text(json.dumps(certificate.to_dict()), encoding="utf-8")
        (folder / "scores.csv").write_text("task,A,B\nx,1,2\ny,2,\n", encoding="utf-8")


def test_the_memory_of_every_command_is_measured_and_some_is_told() -> None:
    told = (ROOT / "docs" / "explanation" / "cost.rst").read_text(encoding="utf-8")
    table = told[told.index("Memory of commands") :]
    rows = re.findall(r"^   ([a-z]+) +\d+ +\d+ +\d+", table, flags=re.MULTILINE)
    assert rows
    assert set(rows) <= set(COMMANDS) == set(commands_of(app))


# -- the contract of a group of somebody else's ---------------------------------------------------


class Suggesting(click.Group):
    def resolve_command(self, ctx, args):
        if args[0] not in self.commands:
            ctx.fail(f"No such command {args[0]!r}. Did you mean '{args[0][:-1]}'?")
        return super().resolve_command(ctx, args)


@click.group(name="tool", cls=Suggesting)
def tool() -> None:
    """A tool."""


@tool.group(cls=Suggesting)
def remote() -> None:
    """Other places."""


@remote.command()
@click.option("--name", required=True, help="Whom to greet.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.argument("file", type=click.File())
def greet(name: str, file, *, as_json: bool) -> None:
    """Say hello.

    \b
        tool remote greet --name Ann list.txt
    """
    try:
        text = file.read()
        if not text.startswith("hello"):
            raise click.UsageError(f"{file.name} holds no greeting.")
    except UnicodeDecodeError:
        raise click.UsageError(f"{file.name} is no text.") from None
    click.echo(json.dumps({"schema": "greeting", "version": 1}) if as_json else f"{text} {name}")


class TestSomebodyElses(CommandContract):
    group = tool
    arguments: ClassVar = {"remote greet": ["--name", "Ann", "list.txt"]}

    def prepare(self, folder) -> None:
        (folder / "list.txt").write_text("hello", encoding="utf-8")


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
    "no JSON": ("json_is", broken(lambda as_json: click.echo("[NaN]"), JSON), {}),
    "exits with 0": ("files", broken(lambda file: click.echo("read"), FILE), {"file": "absent"}),
    "nothing is suggested": (
        "an_unknown_choice",
        broken(lambda kind: None, CHOICE),
        {"option": "--kind", "choice": "two"},
    ),
}


@pytest.mark.parametrize("words", FAULTS)
def test_what_breaks_it_is_found(tmp_path, words) -> None:
    test, contract, given = FAULTS[words]
    (name,) = [name for name in dir(contract) if name.startswith(f"test_{test}")]
    folder = {} if test == "help_says" else {"folder": tmp_path}
    with pytest.raises(AssertionError, match=words):
        getattr(contract(), name)(path="bad", **folder, **given)


def test_an_exception_of_a_command_is_an_exception_of_its_test(tmp_path) -> None:
    with pytest.raises(ValueError, match="a traceback"):
        broken(crash)().test_it_does_its_work(tmp_path, "bad")
