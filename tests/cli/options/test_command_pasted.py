"""`--as latex` and `--as markdown` print the table alone."""

import json

import pytest
from click.testing import CliRunner

import rankagg as ra
from rankagg.cli.app import app
from rankagg.testing.results import latex_cells, markdown_cells

COMMANDS = {
    "rank": ["--method", "borda", "--dataset", "superglue_human"],
    "compare": ["--dataset", "superglue_human"],
    "intervals": ["--dataset", "superglue_human"],
    "test": ["--dataset", "superglue_human", "--reference", "Human"],
    "agreement": ["--dataset", "superglue_human"],
    "power": ["--dataset", "superglue_human"],
}


def run(command, *more):
    return CliRunner().invoke(app, [command, *COMMANDS[command], *more])


@pytest.mark.parametrize("command", COMMANDS)
def test_the_table_is_printed_alone(command) -> None:
    markdown, latex = run(command, "--as", "markdown"), run(command, "--as", "latex")
    assert len(markdown_cells(markdown.stdout)) == len(latex_cells(latex.stdout)) > 3
    assert "6 systems" in markdown.stderr
    both = run(command, "--as", "latex", "--json")
    assert both.exit_code == 2
    assert "--as and --json exclude each other" in both.output


def test_what_is_printed_is_what_the_result_gives() -> None:
    consensus = ra.Borda().aggregate(ra.datasets.load("superglue_human"))
    assert run("rank", "--as", "latex").stdout == consensus.to_latex()
    intervals = ra.rank_intervals(ra.datasets.load("superglue_human"))
    cut = run("intervals", "--as", "markdown", "--rows", "2").stdout
    assert cut == intervals.to_markdown(rows=2)
    assert json.loads(run("rank", "--json").stdout)["schema"] == "rankagg.consensus"
