"""What everything that takes the exact rule makes of a consensus that may tie items."""

import itertools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import rankagg as ra
from rankagg import check_certificate
from rankagg.cli.app import app
from rankagg.exceptions import InvalidInputError
from tests.aggregation.kemeny.weak_brute import weak_orders

RULE = ra.Kemeny(consensus_ties=True, tie_cost=0.5)
VOTERS = ra.Profile.from_ranks(
    [[0, 0, 2, 3], [0, 0, 3, 2], [1, 0, 2, 2], [0, 1, 3, 2], [2, 1, 0, 3]], items="ABCD"
)


def price(votes, levels):
    ranking = ra.PartialRanking.from_ranks(levels, items=votes.items)
    return votes.cost(ranking, tie_cost=0.5, consensus_tie_cost=0.5)


def test_the_result_states_its_prices():
    exact = RULE.aggregate(VOTERS)
    assert exact.buckets[0] == ("A", "B")
    assert exact.cost == exact.certificate.cost
    assert exact.cost == min(price(exact.pairwise, w) for w in weak_orders(4))
    assert (exact.tie_cost, exact.consensus_tie_cost) == (0.5, 0.5)
    assert "a tied vote costs 0.5, a vote on a tied pair 0.5" in exact.summary()
    plain = json.loads(json.dumps(exact.to_dict()))
    assert plain["consensus_tie_cost"] == 0.5
    assert ra.WeakCertificate.from_dict(plain["certificate"]) == exact.certificate
    assert ra.Kemeny().aggregate(VOTERS).consensus_tie_cost is None


def test_compare_measures_all_rules_at_the_prices_of_the_exact_one():
    table = ra.compare(VOTERS, [ra.Borda(), RULE, ra.Kemeny(tie_cost=0.5)])
    frame = table.to_frame()
    assert frame["excess"].min() == 0
    assert frame["excess"][1] == 0
    assert frame["cost"][1] == RULE.aggregate(VOTERS).cost
    assert frame["guarantee"].isna().all()
    text = table.summary(optima=True)
    assert "a vote on a tied pair 0.5" in text
    assert "optima       " in text
    both = table.distances_to_optima()
    assert (both["nearest"] <= both["farthest"]).all()


def test_guarantees_are_shown_only_at_prices_for_which_they_hold():
    strict = ra.Profile.from_orders(["ABC", "BCA", "CAB", "ACB"])
    for exact, shown in ((0.5, True), (0.25, False), (1.0, False)):
        rule = ra.Kemeny(consensus_ties=True, tie_cost=exact)
        frame = ra.compare(strict, [ra.Borda(), rule]).to_frame()
        assert frame["guarantee"].notna().all() == shown


@pytest.mark.parametrize("pair", list(itertools.combinations("ABCD", 2)))
def test_explain_prices_the_swap(pair):
    exact = RULE.aggregate(VOTERS)
    told = ra.explain(exact, *pair)
    i, j = (VOTERS.items.indices([told.above, told.below])[k] for k in (0, 1))
    turned = min(price(exact.pairwise, w) for w in weak_orders(4) if w[j] < w[i])
    assert told.swap.extra_cost == pytest.approx(turned - exact.cost)
    assert told.swap.ranking.ranks[j] < told.swap.ranking.ranks[i]
    free = ra.Kemeny(consensus_ties=True, tie_cost=0.5, consensus_tie_cost=0.0)
    assert ra.explain(free.aggregate(VOTERS), *pair).swap is None


def test_what_is_of_strict_rankings_refuses_it():
    with pytest.raises(InvalidInputError, match="the bounds are of strict rankings"):
        ra.dispersion_report(VOTERS, [RULE])
    with pytest.raises(InvalidInputError, match="beside the strict Kemeny rule"):
        ra.make_report(VOTERS, aggregators=[ra.Borda(), RULE])


def test_stability_compares_one_optimum_and_says_so():
    result = ra.stability(VOTERS, RULE, n_samples=2, rng=0)
    assert "one optimum of each is compared; whether there are others was not looked at" in (
        result.notes
    )
    assert len(result.influence()) == 5


def test_rank_shares_and_resamples():
    shares = ra.rank_shares(VOTERS, RULE, n_resamples=10, rng=0)
    assert shares.aggregator == RULE
    versions = np.array([[1, 1, 1, 1, 1], [0, 0, 5, 0, 0]])
    whole, single = ra.resample_kemeny(VOTERS, versions, RULE)
    assert whole.ranking == RULE.aggregate(VOTERS).ranking
    assert single.ranking == VOTERS[2]
    assert single.cost == 0


def test_inside_of_two_levels():
    table = ra.datasets.load("glue_human")
    rule = ra.TwoLevel(ra.Borda(), RULE)
    assert rule.aggregate(table).ranking.is_complete


def test_capabilities_say_that_it_may_tie():
    frame = ra.capabilities([RULE, ra.Kemeny(consensus_ties=True, tie_cost=0.25), ra.Kemeny()])
    assert frame["ties"].tolist() == ["may", "may", "never"]
    assert frame["guarantee"].tolist() == [1.0, 2.0, 1.0]


# -- on the command line ----------------------------------------------------------------------


def run(*args):
    return CliRunner().invoke(app, list(args))


@pytest.fixture
def ballots(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ballots.toc").write_text(
        "# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: A\n# ALTERNATIVE NAME 2: B\n"
        "# ALTERNATIVE NAME 3: C\n3: {1,2},3\n2: 2,{1,3}\n1: 3,1,2\n",
        encoding="utf-8",
    )
    return "ballots.toc"


def test_solve_and_verify(ballots):
    solved = run(
        "solve", ballots, "--consensus-ties", "--certificate", "p.json", "--votes", "v.json"
    )
    assert solved.exit_code == 0, solved.output
    assert "tie_cost=0.5, consensus_ties=True" in solved.output
    assert "optima       this one only" in solved.output
    plain = json.loads(run("solve", ballots, "--consensus-ties", "--json").output)
    assert plain["optima"]["is_unique"] is True
    for votes in (ballots, "v.json"):
        checked = run("verify", "p.json", votes)
        assert checked.exit_code == 0, checked.output
        assert checked.output.startswith("The proof holds: this ranking costs ")
    with open("p.json", encoding="utf-8") as file:
        forged = json.load(file)
    forged["buckets"] = [[0, 1, 2]]
    with open("f.json", "w", encoding="utf-8") as file:
        json.dump(forged, file)
    refused = run("verify", "f.json", ballots)
    assert refused.exit_code == 1


def test_the_stand_alone_checker_is_a_program(ballots):
    run("solve", ballots, "--consensus-ties", "--certificate", "p.json", "--votes", "v.json")
    called = [sys.executable, "-I", "-S", check_certificate.__file__, "p.json", "v.json"]
    held = subprocess.run(called, capture_output=True, text=True, encoding="utf-8", check=False)
    assert held.returncode == 0, held.stderr
    assert held.stdout.startswith("The proof holds: this weak order costs ")
    weak = json.loads(Path("p.json").read_text(encoding="utf-8"))
    Path("p.json").write_text(json.dumps(weak | {"buckets": [[0, 1, 2]]}), encoding="utf-8")
    other = subprocess.run(called, capture_output=True, text=True, encoding="utf-8", check=False)
    assert other.returncode == 1
    assert other.stderr.startswith("The proof does not hold: ")


@pytest.mark.parametrize(
    "command", [("rank", "--method", "kemeny"), ("compare",), ("explain", "--pair", "A", "B",
                "--method", "kemeny")],
)  # fmt: skip
def test_other_commands(ballots, command):
    found = run(command[0], ballots, *command[1:], "--consensus-ties", "--consensus-tie-cost", "1")
    assert found.exit_code == 0, found.output


def test_options_that_do_not_go_together(ballots):
    alone = run("solve", ballots, "--consensus-tie-cost", "1")
    assert alone.exit_code == 2
    assert "--consensus-tie-cost needs --consensus-ties." in alone.output
    other = run("rank", ballots, "--method", "borda", "--consensus-ties")
    assert "--consensus-ties belongs to the exact method" in other.output
    refused = run("dispersion", ballots, "--consensus-ties")
    assert refused.exit_code != 0
    backend = run("solve", ballots, "--consensus-ties", "--backend", "naive")
    assert backend.exit_code != 0
