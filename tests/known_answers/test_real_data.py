"""The exact consensus of real ballots and leaderboards, proved optimal (optional data)."""

import csv

import pytest

import rankagg as ra

# All files of the table of proved optima, with the number of items.
PREFLIB = {
    "00002-00000008.soi": 8,
    "00003-00000001.toc": 32,
    "00005-00000002.toi": 6,
    "00006-00000003.soc": 14,
    "00006-00000032.soc": 23,
    "00006-00000039.toc": 30,
    "00009-00000001.soc": 9,
    "00009-00000002.soc": 7,
    "00012-00000001.soc": 11,
    "00014-00000001.soc": 10,
    "00015-00000010.soc": 71,
    "00015-00000076.soc": 44,
    "00016-00000001.toi": 11,
    "00027-00000001.toc": 15,
    "00028-00000001.soi": 5,
    "00030-00000001.soi": 5,
    "00032-00000002.soc": 6,
    "00032-00000006.toc": 32,
    "00032-00000006.toi": 32,
    "00034-00000001.soi": 36,
    "00035-00000002.soc": 15,
    "00043-00000103.soc": 23,
    "00046-00000001.soc": 47,
}
LEADERBOARDS = {"glue.csv": 105, "superglue.csv": 24, "xtreme.csv": 15}


@pytest.fixture(scope="module")
def optima(data):
    """Return the least number of strict pairwise disagreements, by file."""
    with data("kemeny_optima.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["proved_optimal"] for row in rows} == {"1"}
    return {row["file"]: int(row["min_disagreements"]) for row in rows}


def check_optimum(votes, cost, **parameters):
    """Check the consensus of some votes and its proof."""
    consensus = ra.Kemeny(unranked=votes.unranked, **parameters).aggregate(votes)
    assert consensus.cost == pytest.approx(cost, abs=1e-6)
    assert consensus.certificate.status == "optimal"
    assert consensus.certificate.lower_bound == consensus.certificate.cost == consensus.cost
    assert consensus.certificate.verify(votes)
    assert isinstance(consensus.ranking, ra.Permutation)


def test_every_proved_optimum_is_tested(optima):
    files = {f"preflib/{name}" for name in PREFLIB} | {f"tasks/{name}" for name in LEADERBOARDS}
    assert set(optima) == files


@pytest.mark.parametrize("name", PREFLIB)
def test_kemeny_reaches_the_optimum_of_ballots(name, data, optima):
    profile = ra.read_preflib(data(f"preflib/{name}"))
    assert profile.n_items == PREFLIB[name]
    assert profile.is_strict or name.endswith(("toc", "toi"))
    assert profile.is_complete or name.endswith(("soi", "toi"))
    check_optimum(profile.pairwise(unranked="ignore"), optima[f"preflib/{name}"])


@pytest.mark.parametrize("name", LEADERBOARDS)
def test_kemeny_reaches_the_optimum_of_a_leaderboard(name, data, optima):
    table = ra.read_scores(data(f"tasks/{name}"), higher_is_better=True)
    assert (table.n_systems, table.n_missing) == (LEADERBOARDS[name], 0)
    check_optimum(table.rankings().pairwise(unranked="ignore"), optima[f"tasks/{name}"])


@pytest.mark.parametrize(
    ("name", "cost"), [("glue.csv", 5587.5), ("superglue.csv", 298.5), ("xtreme.csv", 42.5)]
)
def test_a_tied_vote_may_cost_half(name, cost, data):
    table = ra.read_scores(data(f"tasks/{name}"), higher_is_better=True)
    check_optimum(table.rankings().pairwise(unranked="ignore"), cost, tie_cost=0.5)


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
    table = ra.read_scores(path, higher_is_better=True, drop=dropped)
    assert table.n_missing == (8 if not dropped else 7)
    check_optimum(table.rankings().pairwise(unranked=unranked), cost)


@pytest.mark.parametrize(("form", "cost"), [("toi", 3), ("toc", 496)])
def test_unranked_is_not_tied_last(form, cost, data):
    # The same ballots: toc ties at the end what toi leaves out.
    profile = ra.read_preflib(data(f"preflib/00032-00000006.{form}"))
    assert profile.is_complete == (form == "toc")
    check_optimum(profile.pairwise(unranked="ignore"), cost)


def test_systems_that_share_no_task(data):
    table = ra.read_scores(data("tasks/gem_bleu_main.csv"), higher_is_better=True)
    assert (table.n_systems, table.n_tasks, table.n_missing) == (27, 46, 856)
    votes = table.rankings().pairwise(unranked="ignore")
    assert len(votes.never_compared) == 99
    assert any("never compared" in n for n in ra.Copeland(unranked="ignore").aggregate(votes).notes)
