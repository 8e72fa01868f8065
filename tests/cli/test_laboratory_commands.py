"""`rankagg tournament`, `explain` and `stability` as their user meets them."""

import json

import networkx as nx
import pytest

import rankagg as ra
from rankagg.cli import main


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*args, code=0):
        with pytest.raises(SystemExit) as stop:
            main(list(args))
        captured = capsys.readouterr()
        assert stop.value.code == code, captured.err
        return captured.out if code == 0 else captured.err

    return call


@pytest.fixture
def sports(data, tmp_path):
    """The rankings of sports, each voter a line."""
    return str(data("rankings/sports_ranks.csv"))


def test_the_circle_of_condorcet(run, tmp_path):
    text = run("tournament", "--dataset", "condorcet_1785", "--dot", "a.dot", "--graphml", "a.xml")
    assert "Condorcet winner  none" in text
    assert "go round          A, B, C" in text
    assert '"B" -> "C" [label="24"]' in (tmp_path / "a.dot").read_text(encoding="utf-8")
    assert set(nx.read_graphml(tmp_path / "a.xml").edges) == {("A", "B"), ("B", "C"), ("C", "A")}


def test_rows_limit_the_majorities_and_say_so(run):
    text = run("tournament", "--dataset", "tennessee", "--rows", "2")
    assert text.splitlines()[-1] == "... and 4 more majorities"
    assert "more" not in run("tournament", "--dataset", "tennessee", "--all")


def test_the_tolerance_is_used(run, tmp_path):
    (tmp_path / "t.csv").write_text("s,x,y\nA,1.0,2.0\nB,1.1,2.1\n", encoding="utf-8")
    assert json.loads(run("tournament", "t.csv", "--json"))["condorcet_winner"] == "B"
    tied = json.loads(run("tournament", "t.csv", "--json", "--tolerance", "0.5"))
    assert tied["condorcet_winner"] is None
    assert tied["draws"] == [["A", "B"]]


def test_both_orders_of_a_pair_are_explained_alike(run):
    lines = ["explain", "--dataset", "borda_fails_condorcet", "--method", "borda", "--pair"]
    text = run(*lines, "A", "B")
    assert text == run(*lines, "B", "A")
    assert "Borda has B above A" in text
    assert "a majority for A" in text


def test_numbers_are_found_as_labels(run, tmp_path):
    (tmp_path / "m.lop").write_text("2\n 0 5\n 1 0\n", encoding="utf-8")
    found = json.loads(run("explain", "m.lop", "--pair", "0", "1", "--json"))
    assert (found["votes_for"], found["votes_against"]) == (5, 1)


def test_unknown_items_and_no_pair_are_bad_input(run):
    assert "Foo" in run("explain", "--dataset", "tennessee", "--pair", "Foo", "Memphis", code=2)
    assert "--pair" in run("explain", "--dataset", "tennessee", code=2)


def test_sports_basketball_and_swimming(run, sports):
    """The one pair on which Borda and the exact consensus differ."""
    asked = ["explain", sports, "--format", "ballots", "--drop", "voter"]
    asked += ["--pair", "Basketball", "Swimming"]
    borda, exact = run(*asked, "--method", "borda"), run(*asked)
    assert "Borda has Basketball above Swimming" in borda
    assert "Kemeny has Swimming above Basketball" in exact
    for text in (borda, exact):
        assert "a majority for Swimming" in text
    assert "Basketball above Swimming costs 2 votes more" in exact


def test_stability_is_that_of_the_library(run):
    asked = ["stability", "--dataset", "superglue_human", "--method", "borda", "--samples", "5"]
    found = json.loads(run(*asked, "--json"))
    table = ra.datasets.load("superglue_human")
    expected = ra.stability(table, ra.Borda(), n_samples=5, rng=0)
    assert found["influence"] == json.loads(json.dumps(expected.to_dict()["influence"]))
    assert found["subsets"] == json.loads(json.dumps(expected.to_dict()["subsets"]))
    text = run(*asked, "--rows", "3")
    assert "... and 7 more tasks" in text
    assert "more tasks" not in run(*asked, "--all")
    assert "systems" in run(*asked, "--over", "systems")


def test_a_matrix_has_nothing_to_leave_out(run, tmp_path):
    (tmp_path / "m.lop").write_text("2\n 0 5\n 1 0\n", encoding="utf-8")
    assert "a matrix does not hold them" in run("stability", "m.lop", code=2)
