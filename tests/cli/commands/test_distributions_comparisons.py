"""`rankagg fit --model bradley-terry` of comparisons, as its user meets it."""

import json

import pytest
from click.testing import CliRunner

import rankagg as ra
from rankagg.cli.app import app
from tests.distributions.battles import battles

COLUMNS = ["--format", "comparisons", "--first", "first", "--second", "second", "--outcome",
           "outcome", "--cluster", "cluster", "--side", "side"]  # fmt: skip
MODEL = ["--model", "bradley-terry"]


@pytest.fixture(scope="module")
def data():
    return battles(120, 4, 2, clusters=[k % 20 for k in range(120)])


@pytest.fixture(scope="module")
def file(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("battles") / "battles.csv"
    data.to_frame().to_csv(path, index=False)
    return str(path)


def run(*args):
    return CliRunner().invoke(app, ["fit", *args], standalone_mode=True)


def test_the_fit_as_json_is_that_of_the_package(file, data):
    options = ["--covariate", "x", "--ties", "davidson", "--advantage", "--elo", "--json"]
    done = run(file, *COLUMNS, *MODEL, *options, "--reference", "B")
    printed = json.loads(done.output)
    fit = ra.fit_bradley_terry(data, ties="davidson", side=True, covariates=["x"])
    facts = json.loads(json.dumps(fit.to_dict()))
    found = [row["estimate"] for row in printed["parameters"]]
    assert found == pytest.approx([row["estimate"] for row in facts["parameters"]])
    assert printed["n_clusters"] == 20
    ratings = {row["item"]: row["elo"] for row in printed["elo"]}
    assert ratings == pytest.approx(fit.elo(reference="B")["elo"].to_dict())
    drawn = ra.distribution_from_dict(printed["distribution"])
    assert drawn.log_worths == pytest.approx(fit.log_worths)


def test_the_fit_as_text_shows_what_was_asked(file):
    done = run(file, *COLUMNS, *MODEL, "--errors-by", "model", "--elo")
    assert done.exit_code == 0, done.output
    assert "comparisons are taken for" in done.output
    assert "independent" in done.output
    assert "elo  std_err" in done.output
    plain = run(file, *COLUMNS, *MODEL)
    assert "20 clusters" in plain.output
    assert "elo  std_err" not in plain.output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--ties", "davidson"], "are for --model bradley-terry with --format comparisons"),
        ([*MODEL, "--pseudo-rankings", "1", "--elo"], "without --pseudo-rankings and --ridge"),
        ([*MODEL, "--ties", "halve"], "--ties"),
        ([*MODEL, "--covariate", "y"], "`--covariate` must be a column of"),
        ([*MODEL, "--reference", "Z"], "--reference"),
    ],
)
def test_what_is_refused(file, options, words):
    done = run(file, *COLUMNS, *options)
    assert done.exit_code
    assert words in " ".join(f"{done.output} {done.exception}".split())
