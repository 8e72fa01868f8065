"""Comparisons on the command line: everywhere a file goes."""

import json

import pytest
from click.testing import CliRunner

from rankagg.cli.app import app

TEXT = "a,b,won,judge,w\nx,y,model_a,j1,1\ny,z,tie,j1,2\nz,x,model_b,j2,1\nw,v,model_a,j2,1\n"
COLUMNS = ["--format", "comparisons", "--first-side", "a", "--second", "b", "--outcome", "won"]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "battles.csv"
    path.write_text(TEXT)
    return str(path)


def run(*args):
    return CliRunner().invoke(app, args)


def refusal(*args):
    done = run(*args)
    assert done.exit_code
    return " ".join(f"{done.output} {done.exception}".split())


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["rank"], "rank item\n   1    w"),
        (["compare"], "Copeland"),
        (["solve", "--first", "x"], "   1    x"),
        (["tournament"], "pairs with a majority: 3, without: 7"),
        (["explain", "--pair", "x", "y"], "x"),
        (["fit", "--model", "bradley-terry", "--pseudo-rankings", "0.5"], "BradleyTerry"),
    ],
)
def test_commands_take_comparisons(file, command, expected):
    name, *options = command
    done = run(name, file, *COLUMNS, "--cluster", "judge", *options)
    assert done.exit_code in (0, 1), done.output
    assert "comparisons: ties stay ties\nread: " in done.output
    assert "Comparisons: 4 comparisons of 5 items, 1 tie, 2 clusters" in done.output
    assert expected in done.output


def test_short_names_and_weights(file):
    options = ["--first", "a", "--second", "b", "--outcome", "won", "--weight", "w"]
    done = run("rank", file, "--format", "comparisons", *options)
    assert "1 tie, weighted" in done.output
    done = run("rank", file, "--format", "comparisons", *options, "--json")
    assert json.loads(done.output)["schema"] == "rankagg.consensus"


def test_gaps_are_told(file):
    done = run("rank", file, *COLUMNS)
    assert "no comparison joins these 2 sets, so that their order says nothing: v, w | x" in (
        " ".join(done.output.split())
    )


@pytest.mark.parametrize(
    ("command", "options", "words"),
    [
        ("rank", [], "needs the columns: give --first and --second and --outcome"),
        ("rank", ["--first", "aa", "--second", "b", "--outcome", "won"], "Did you mean 'a'"),
        ("rank", [*COLUMNS, "--weight", "w", "--weight", "won"], "takes one --weight COLUMN"),
        ("rank", [*COLUMNS, "--weight", "judge"], "must be a finite number"),
        ("rank", [*COLUMNS, "--system", "a"], "--system has no meaning for a table of comparisons"),
        ("rank", [*COLUMNS[:-1], "judge"], "column 'judge' must say 'left'"),
        ("stability", COLUMNS, "Stability needs rankings or scores; comparisons do not hold them"),
        ("missing", COLUMNS, "comparisons do not say what is missing"),
        ("dispersion", COLUMNS, "comparisons do not hold them"),
        ("fit", COLUMNS, "--model plackett-luce needs rankings; comparisons do not hold them"),
    ],
)
def test_what_is_refused(file, command, options, words):
    assert words in refusal(command, file, "--format", "comparisons", *options)


def test_columns_of_comparisons_are_refused_elsewhere(file):
    told = refusal("rank", file, "--cluster", "judge")
    assert "--cluster has no meaning for a table of scores" in told


def test_intervals_of_ranks(tmp_path):
    rows = [("x", "y", "left"), ("y", "z", "tie"), ("z", "x", "right"), ("x", "y", "right")] * 30
    lines = [f"{a},{b},{won},{at % 24}" for at, (a, b, won) in enumerate(rows)]
    path = tmp_path / "battles.csv"
    path.write_text("\n".join(["a,b,won,judge", *lines]))
    done = run("intervals", str(path), *COLUMNS, "--cluster", "judge")
    assert done.exit_code == 0, done.output
    assert "ranks by mean win rates over all opponents" in done.output
    assert "independent: 24 clusters" in done.output
    done = run("intervals", str(path), *COLUMNS, "--ranks", "pairwise", "--json")
    told = json.loads(done.output)
    assert told["ranks"]["unit"] == "comparison"
    assert told["intervals"] is None
    assert "without clusters" in refusal("intervals", str(path), *COLUMNS, "--unit", "cluster")
