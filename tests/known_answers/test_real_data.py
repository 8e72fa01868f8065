"""The exact consensus of real ballots and leaderboards, proved optimal (optional data)."""

import csv

import pytest

import rankagg as ra


def check_optimum(votes, cost, **parameters):
    """Check the consensus of some votes and its proof."""
    consensus = ra.Kemeny(**parameters).aggregate(votes.with_unranked(votes.unranked))
    assert consensus.cost == pytest.approx(cost, abs=1e-6)
    assert consensus.certificate.status == "optimal"
    assert consensus.certificate.lower_bound == consensus.certificate.cost == consensus.cost
    assert consensus.certificate.verify(votes)
    assert isinstance(consensus.ranking, ra.Permutation)


def test_kemeny_reaches_every_proved_optimum(data):
    # The least number of strict pairwise disagreements, by file.
    with data("kemeny_optima.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len({row["file"] for row in rows}) == len(rows) == 26
    for row in rows:
        assert row["proved_optimal"] == "1"
        path = data(row["file"])
        if path.suffix == ".csv":
            profile = ra.read_scores(path, higher_is_better=True).rankings()
        else:
            profile = ra.read_preflib(path, unranked="ignore")
        check_optimum(profile.with_unranked("ignore").pairwise(), int(row["min_disagreements"]))


@pytest.mark.parametrize(
    ("name", "cost"), [("glue.csv", 5587.5), ("superglue.csv", 298.5), ("xtreme.csv", 42.5)]
)
def test_a_tied_vote_may_cost_half(name, cost, data):
    table = ra.read_scores(data(f"tasks/{name}"), higher_is_better=True)
    check_optimum(table.with_unranked("ignore").rankings().pairwise(), cost, tie_cost=0.5)


@pytest.mark.parametrize(
    ("unranked", "dropped", "cost"),
    [
        ("ignore", (), 37),
        ("uniform", (), 77.261905),
        ("last", (), 54),
        ("ignore", ("Score",), 34),
        ("uniform", ("Score",), 69.435065),
        ("last", ("Score",), 49),
    ],
)
def test_the_policy_for_missing_scores_decides_the_cost(unranked, dropped, cost, data):
    path = data("tasks/xtreme_missing.csv")
    table = ra.read_scores(path, higher_is_better=True, only="*", drop=dropped)
    assert table.n_missing == (8 if not dropped else 7)
    check_optimum(table.with_unranked(unranked).rankings().pairwise(), cost)


@pytest.mark.parametrize(("form", "cost"), [("toi", 3), ("toc", 496)])
def test_unranked_is_not_tied_last(form, cost, data):
    # The same ballots: toc ties at the end what toi leaves out.
    profile = ra.read_preflib(data(f"preflib/00032-00000006.{form}"), unranked="ignore")
    assert profile.is_complete == (form == "toc")
    check_optimum(profile.with_unranked("ignore").pairwise(), cost)


def test_systems_that_share_no_task_are_noted(data):
    table = ra.read_scores(data("tasks/gem_bleu_main.csv"), higher_is_better=True)
    assert (table.n_systems, table.n_tasks, table.n_missing) == (27, 46, 856)
    votes = table.with_unranked("ignore").rankings().pairwise()
    assert len(votes.never_compared) == 99
    assert any("never compared" in n for n in ra.Copeland().aggregate(votes).notes)
