"""`rankagg fit` and `sample` as their user meets them."""

import io
import json
import sys
from pathlib import Path

import pandas as pd
import pytest

import rankagg as ra
from rankagg.cli import main

BALLOTS = "A,B,C,D,count\n1,2,3,4,9\n2,1,3,4,6\n1,3,2,4,4\n4,1,2,3,3\n2,3,4,1,2\n"
MATRIX = "3\n 0 5 1\n 2 0 4\n 3 2 0\n"
OPTIONS = ["--format", "ballots", "--count", "count"]


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run the command line in an empty folder that holds small files."""
    monkeypatch.chdir(tmp_path)
    Path("ballots.csv").write_text(BALLOTS, encoding="utf-8")
    Path("matrix.lop").write_text(MATRIX, encoding="utf-8")

    def call(*args, code=0):
        with pytest.raises(SystemExit) as stop:
            main(list(args))
        captured = capsys.readouterr()
        assert stop.value.code == code, captured.err
        return captured.out if code == 0 else captured.err

    return call


@pytest.fixture
def profile():
    orders = ["ABCD", "BACD", "ACBD", "BCDA", "DABC"]
    return ra.Profile.from_orders(orders, items="ABCD", counts=[9, 6, 4, 3, 2])


LAWS = {
    "mallows": ra.Mallows,
    "generalized-mallows": ra.GeneralizedMallows,
    "plackett-luce": ra.PlackettLuce,
    "bradley-terry": ra.BradleyTerry,
}


@pytest.mark.parametrize("model", LAWS)
def test_a_fit_as_json_is_that_of_the_package(run, profile, model):
    printed = json.loads(run("fit", "ballots.csv", *OPTIONS, "--model", model, "--json"))
    fit = LAWS[model].fit(profile)
    facts = json.loads(json.dumps(fit.to_dict()))
    assert {name: printed[name] for name in facts} == facts
    assert ra.distribution_from_dict(printed["distribution"]) == fit.distribution
    assert printed["input"][0] == "ballots: rank 1 is best"


@pytest.mark.parametrize("model", LAWS)
def test_a_fit_as_text_is_the_summary(run, profile, model):
    printed = run("fit", "ballots.csv", *OPTIONS, "--model", model)
    assert str(LAWS[model].fit(profile).summary()) in printed


def test_a_reference_and_alpha_change_the_table(run, profile):
    printed = run("fit", "ballots.csv", *OPTIONS, "--reference", "B", "--alpha", "0.1")
    fit = ra.PlackettLuce.fit(profile)
    assert str(fit.summary(reference="B", alpha=0.1)) in printed


def test_a_ridge_and_pseudo_rankings_reach_the_fit(run, profile):
    for option, name in (("--ridge", "ridge"), ("--pseudo-rankings", "pseudo_rankings")):
        printed = json.loads(run("fit", "ballots.csv", *OPTIONS, option, "2", "--json"))
        law = ra.PlackettLuce.fit(profile, **{name: 2.0}).distribution
        assert ra.distribution_from_dict(printed["distribution"]) == law


def test_bradley_terry_takes_a_matrix(run):
    printed = json.loads(run("fit", "matrix.lop", "--model", "bradley-terry", "--json"))
    votes = ra.PairwiseMatrix.from_wins([[0, 5, 1], [2, 0, 4], [3, 2, 0]])
    worths = ra.BradleyTerry.fit(votes).distribution.log_worths
    assert printed["distribution"]["log_worths"] == pytest.approx(worths.tolist())


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["matrix.lop", "--model", "mallows"], "needs rankings"),
        (["ballots.csv", *OPTIONS, "--model", "mallows", "--ridge", "1"], "has no worths"),
        (["ballots.csv", *OPTIONS, "--model", "mallows", "--reference", "A"], "has no worths"),
        (["ballots.csv", *OPTIONS, "--reference", "Z"], "Z"),
        (
            ["ballots.csv", *OPTIONS, "--alpha", "1"],
            "'--alpha': must be a number above 0 and below 1. Got '1'.",
        ),
        (["ballots.csv", *OPTIONS, "--ridge", "-1"], "'--ridge': must be"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_bad_input_to_fit_is_one_sentence(run, args, words):
    assert words in run("fit", *args, code=2)


def test_separable_ballots_say_what_to_do(run):
    Path("clear.csv").write_text("A,B,count\n1,2,9\n", encoding="utf-8")
    message = run("fit", "clear.csv", *OPTIONS, code=2)
    assert "no finite maximum" in message
    assert "--pseudo-rankings 0.5, a --ridge" in message


@pytest.mark.parametrize("model", LAWS)
def test_a_stored_fit_is_drawn_from(run, model):
    Path("fit.json").write_text(
        run("fit", "ballots.csv", *OPTIONS, "--model", model, "--json"), encoding="utf-8"
    )
    run("sample", "fit.json", "--size", "500", "--seed", "3", "--out", "drawn.csv")
    drawn = ra.read_ballots("drawn.csv", count="count")
    law = ra.distribution_from_dict(json.loads(Path("fit.json").read_text())["distribution"])
    assert drawn.n_rankings == 500
    assert drawn.compress() == law.sample(500, rng=3).compress()


@pytest.mark.parametrize(
    ("options", "law"),
    [
        (["--center", "B, A,C", "--theta", "0.7"], ra.Mallows("BAC", 0.7)),
        (["--items", "A,B,C"], ra.Uniform("ABC")),
        (
            ["--log-worth", "A=1", "--log-worth", "B=-0.5", "--log-worth", "x=y=0"],
            ra.PlackettLuce({"A": 1.0, "B": -0.5, "x=y": 0.0}),
        ),
    ],
)
def test_a_stated_law_is_drawn_from(run, options, law):
    frame = pd.read_csv(io.StringIO(run("sample", *options, "--size", "60")))
    expected = law.sample(60, rng=0).compress()
    assert frame["count"].tolist() == expected.counts.tolist()
    assert (frame[list(law.items)].to_numpy() == expected.ranks + 1).all()


def test_names_reach_programs_as_they_are_and_steer_no_terminal(run, monkeypatch):
    options = ("sample", "--items", "a\x1b[2J,b", "--size", "3")
    assert "a\x1b[2J" in run(*options)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shown = run(*options)
    assert "\x1b" not in shown
    assert "a\\x1b[2J" in shown


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([], "Give one of"),
        (["--items", "A,B", "--center", "A,B", "--theta", "1"], "Give one of"),
        (["--center", "A,B"], "belong together"),
        (["--theta", "1", "--items", "A"], "belong together"),
        (["--center", "A,B", "--theta", "-1"], "`--theta` must be"),
        (["--log-worth", "A"], "ITEM=NUMBER"),
        (["ballots.csv"], "is not JSON"),
        (["list.json"], "holds no object"),
        (["other.json"], "no distribution of schema"),
        (["short.json"], "short.json: `theta` is missing"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_bad_input_to_sample_is_one_sentence(run, args, words):
    Path("list.json").write_text("[1]", encoding="utf-8")
    Path("other.json").write_text('{"schema": "x"}', encoding="utf-8")
    short = {"schema": "rankagg.distribution", "version": 1, "model": "Mallows",
             "items": ["A", "B"], "center": ["A", "B"]}  # fmt: skip
    Path("short.json").write_text(json.dumps(short), encoding="utf-8")
    assert words in run("sample", *args, code=2)
