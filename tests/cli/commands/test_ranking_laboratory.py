"""`rankagg tournament`, `explain` and `stability` as their user meets them."""

import json

import networkx as nx
import pytest

import rankagg as ra
from rankagg.cli.exit_codes import UNPROVED


@pytest.fixture
def sports(data, tmp_path):
    """The rankings of sports, each voter a line."""
    return str(data("rankings/sports_ranks.csv"))


def test_the_cycle_of_condorcet(said, tmp_path):
    text = said("tournament", "--dataset", "condorcet_1785", "--dot", "a.dot", "--graphml", "a.xml")
    assert "Condorcet winner  none" in text
    assert "Condorcet cycles  among A, B, C" in text
    assert '"B" -> "C" [label="24"]' in (tmp_path / "a.dot").read_text(encoding="utf-8")
    assert set(nx.read_graphml(tmp_path / "a.xml").edges) == {("A", "B"), ("B", "C"), ("C", "A")}


def test_rows_limit_the_majorities_and_say_so(said):
    text = said("tournament", "--dataset", "tennessee", "--rows", "2")
    assert text.splitlines()[-1] == "... and 4 more majorities"
    assert "more" not in said("tournament", "--dataset", "tennessee", "--all")


def test_the_tolerance_is_used(said, tmp_path):
    (tmp_path / "t.csv").write_text("s,x,y\nA,1.0,2.0\nB,1.1,2.1\n", encoding="utf-8")
    assert json.loads(said("tournament", "t.csv", "--json"))["condorcet_winner"] == "B"
    tied = json.loads(said("tournament", "t.csv", "--json", "--tolerance", "0.5"))
    assert tied["condorcet_winner"] is None
    assert tied["draws"] == [["A", "B"]]


def test_both_orders_of_a_pair_are_explained_alike(said):
    lines = ["explain", "--dataset", "borda_fails_condorcet", "--method", "borda", "--pair"]
    text = said(*lines, "A", "B")
    assert text == said(*lines, "B", "A")
    assert "Borda has B above A" in text
    assert "a majority for A" in text


def test_numbers_are_found_as_labels(said, tmp_path):
    (tmp_path / "m.lop").write_text("2\n 0 5\n 1 0\n", encoding="utf-8")
    found = json.loads(said("explain", "m.lop", "--pair", "0", "1", "--json"))
    assert (found["votes_for"], found["votes_against"]) == (5, 1)


def test_unknown_items_and_no_pair_are_bad_input(said):
    assert "Foo" in said("explain", "--dataset", "tennessee", "--pair", "Foo", "Memphis", code=2)
    assert "--pair" in said("explain", "--dataset", "tennessee", code=2)


def test_sports_basketball_and_swimming(said, sports):
    """The one pair on which Borda and the exact consensus differ."""
    asked = ["explain", sports, "--format", "ballots", "--drop", "voter"]
    asked += ["--pair", "Basketball", "Swimming"]
    compared = said("compare", sports, "--format", "ballots", "--drop", "voter")
    assert "optima       this one only" in compared
    assert "Borda disagrees with Kemeny on 1 pair" in compared
    assert "Swimming above Basketball: 66 votes for, 64 against" in compared
    borda, exact = said(*asked, "--method", "borda"), said(*asked)
    assert "Borda has Basketball above Swimming" in borda
    assert "Kemeny has Swimming above Basketball" in exact
    for text in (borda, exact):
        assert "a majority for Swimming" in text
    assert "Basketball above Swimming costs 2 votes more" in exact


def test_stability_is_that_of_the_library(said):
    asked = ["stability", "--dataset", "superglue_human", "--method", "borda", "--samples", "5"]
    found = json.loads(said(*asked, "--json"))
    table = ra.datasets.load("superglue_human")
    expected = ra.stability(table, ra.Borda(), n_samples=5, rng=0)
    assert found["influence"] == json.loads(json.dumps(expected.to_dict()["influence"]))
    assert found["subsets"] == json.loads(json.dumps(expected.to_dict()["subsets"]))
    text = said(*asked, "--rows", "3")
    assert "... and 7 more tasks" in text
    assert "more tasks" not in said(*asked, "--all")
    assert "systems" in said(*asked, "--over", "systems")


def test_a_matrix_has_nothing_to_leave_out(said, tmp_path):
    (tmp_path / "m.lop").write_text("2\n 0 5\n 1 0\n", encoding="utf-8")
    assert "a matrix does not hold them" in said("stability", "m.lop", code=2)
    assert "these data do not hold them" in said("removals", "m.lop", code=2)


def test_removals_are_those_of_the_library(said):
    asked = ["removals", "--dataset", "tennessee", "--pair", "Memphis", "Nashville"]
    found = json.loads(said(*asked, "--json"))
    votes = ra.datasets.load("tennessee")
    expected = ra.removal_radius(votes, pair=("Nashville", "Memphis"))
    assert found["pair"] == ["Nashville", "Memphis"]
    assert (found["level"]["number"], found["overtaken"]["number"]) == (16, 17)
    assert found["removed"] == expected.to_dict()["removed"]
    text = said("removals", "--dataset", "superglue_human", "--method", "borda", "--unit", "task")
    assert "removing 2 of 10 tasks (CB and WiC) would put DeBERTa first in place of Human" in text
    assert "... and 1 more unit" in said(*asked, "--rows", "1")
    said("removals", "--dataset", "tennessee", "--time-limit", "0", code=3)


REFUSED_REMOVALS = {
    "--pair Memphis Nashvile": "Did you mean 'Nashville'?",
    "--pair Memphis Memphis": "--pair must be two different items",
    "--unit task": "--unit must be 'ranking' for rankings without groups",
    "--method minimax": "--method must be Borda, Copeland, Kemeny, Mean",
}


@pytest.mark.parametrize("words", REFUSED_REMOVALS)
def test_removals_name_the_option_that_is_wrong(said, words):
    told = said("removals", "--dataset", "tennessee", *words.split(), code=2)
    assert REFUSED_REMOVALS[words] in told.replace("`", "")


STUDY = ["study", "--mallows", "0.8", "--items", "5", "--repetitions", "6", "--rankings", "4"]


def test_a_study_prints_what_the_library_finds(said, tmp_path):
    asked = [*STUDY, "--gumbel", "0.1", "--method", "borda", "--method", "kwiksort", "--seed", "3"]
    asked += ["--missing", "0.2", "--unranked", "ignore", "--out", "rows.csv"]
    found = json.loads(said(*asked, "--json"))
    study = ra.studies.ApproximationStudy(
        aggregators=[ra.Borda(unranked="ignore"), ra.KwikSort(pivot="best", unranked="ignore")],
        models=[
            ra.cultures.MallowsCulture(phi=0.8),
            ra.studies.LatentModel(step=0.1, n_instances=None),
        ],
        n_items=[5],
        n_rankings=[4],
        missing=[0.2],
        n_repetitions=6,
        seed=3,
    )
    result = study.run()
    assert found["unranked_policy"] == "ignore"
    rows = result.to_dict()["results"]
    for mine, theirs in zip(found["results"], rows, strict=True):
        assert mine["hit_rate"] == theirs["hit_rate"]
        assert mine["mean_ratio"] == theirs["mean_ratio"]
    assert len((tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()) == 1 + 2 * 6 * 2


def test_a_study_goes_on_from_its_journal(said, tmp_path):
    first = said(*STUDY, "--journal", "j.jsonl", "--json")
    size = (tmp_path / "j.jsonl").stat().st_size
    assert said(*STUDY, "--journal", "j.jsonl", "--json") == first
    assert (tmp_path / "j.jsonl").stat().st_size == size
    assert "same rules, seed" in said(*STUDY, "--journal", "j.jsonl", "--seed", "9", code=2)


def test_a_study_without_a_proof_says_so_in_its_exit_code(said):
    hard = ["study", "--mallows", "1", "--items", "40", "--rankings", "7", "--repetitions", "2"]
    said(*hard, "--time-limit", "0", code=UNPROVED)


def test_a_study_needs_a_model(said):
    assert "--mallows" in said("study", code=2)
    assert "rules without scores" in said(*STUDY, "--method", "mean", code=2)


def test_compare_says_what_is_decided(said, tmp_path):
    text = said("compare", "--dataset", "borda_fails_condorcet", "--decide", "ranking")
    assert "decided      0 of 3 pairs, by Holm's procedure on Hoeffding p-values" in text
    assert "A above B: 3 votes for, 2 against, not decided" in text
    (tmp_path / "m.lop").write_text("2\n 0 5\n 1 0\n", encoding="utf-8")
    assert "a matrix does not hold them" in said("compare", "m.lop", "--decide", "task", code=2)


def test_compare_counts_the_optima_unless_told_not_to(said):
    asked = ["compare", "--dataset", "tennessee"]
    assert "optima       " in said(*asked)
    assert "optima       " not in said(*asked, "--one")


@pytest.mark.parametrize(
    ("name", "study"),
    [
        (
            "missing-scores",
            lambda table: ra.studies.MissingScoresStudy(
                models=[ra.studies.Observed(label="superglue_human", data=table)],
                aggregators=[ra.Borda()], n_repetitions=2, seed=3,
            ),
        ),
        (
            "task-subsets",
            lambda table: ra.studies.TaskSubsetStudy(
                data=table, aggregators=[ra.Borda()], n_repetitions=2, seed=3
            ),
        ),
    ],
)  # fmt: skip
def test_an_experiment_is_that_of_the_library(said, name, study):
    asked = ["experiment", "--dataset", "superglue_human", "--study", name, "--seed", "3"]
    found = said(*asked, "--repetitions", "2", "--method", "borda")
    result = study(ra.datasets.load("superglue_human")).run()
    assert found.splitlines()[2:] == result.summary(rows=20).splitlines()


def test_an_experiment_on_confidence(said, tmp_path):
    asked = ["experiment", "--dataset", "superglue_human", "--study", "confidence"]
    said(*asked, "--repetitions", "2", "--out", "rows.csv", "--json")
    assert "sign-test, holm" in (tmp_path / "rows.csv").read_text()
    assert "no meaning" in said(*asked, "--method", "borda", code=2)


def test_an_experiment_needs_scores(said):
    assert "needs scores" in said("experiment", "--dataset", "tennessee", code=2)
    asked = ["experiment", "--dataset", "superglue_human", "--tolerance", "0.1"]
    assert "--tolerance has no meaning" in said(*asked, code=2)
