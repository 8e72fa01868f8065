"""The exact rule's options, and time limits of commands that may search long."""

import subprocess
import sys
from pathlib import Path

import pytest

import rankagg as ra
from rankagg import check_certificate
from rankagg.cli.app import app
from rankagg.testing.commands import _commands_of
from tests.conftest import slow_but

LIMITED = ["rank", "dispersion", "compare", "explain", "solve", "stability", "report",
           "study", "tournament", "axioms", "missing", "fit"]  # fmt: skip
BALLOTS = "ballots.csv --format ballots --count count"
SOLVE = "solve --dataset tennessee"


@pytest.fixture
def ballots(called):
    """Write ballots on which searches take a while."""
    ra.io.write_ballots(ra.cultures.ImpartialCulture().sample(8, 30, rng=1), "ballots.csv")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"{SOLVE} --above Memphis", "--above must be ITEM,ITEM"),
        (f"{SOLVE} --above-all Memphs", "Did you mean 'Memphis'"),
        (f"{SOLVE} --above-all Memphis --below-all Memphis", "No ranking keeps all constraints"),
        (f"{SOLVE} --above-all Memphis --consensus-ties", "excludes constraints"),
        (f"rank {BALLOTS} --rule borda --time-limit 1", "for rules that search, such as kem"),
        ("missing --dataset xtreme_gaps --rule borda --time-limit 1", "rules that search"),
        ("study corruption --dataset glue_human --rule borda --time-limit 1", "rules that sea"),
        (f"fit {BALLOTS} --model plackett-luce --time-limit 0",
         "--time-limit is for --model mallows."),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_one_sentence(refused, ballots, line, words) -> None:
    assert words in refused(line)


# -- constraints, weights of items and lists ------------------------------------------------------


def test_every_constraint_reaches_the_rule(parsed) -> None:
    found = parsed(
        f"{SOLVE} --above 'Knoxville, Nashville' --above Memphis,Nashville --above-all Chattanooga "
        "--below-all Nashville"
    )
    wish = ra.Constraints(
        above=[("Knoxville", "Nashville"), ("Memphis", "Nashville")],
        first=["Chattanooga"], last=["Nashville"],
    )  # fmt: skip
    assert found["rule"] == repr(ra.Kemeny(constraints=wish))
    assert found["buckets"] == [["Chattanooga"], ["Knoxville"], ["Memphis"], ["Nashville"]]
    assert found["certificate"]["constraints"]["first"] == [2]
    assert found["optima"] is None


def test_quotation_marks_hold_a_name_together(parsed) -> None:
    items = ["A, the first", "B"]
    ra.io.write_votes(ra.PairwiseMatrix.from_wins([[0, 2], [1, 0]], items=items), "votes.json")
    found = parsed("solve votes.json", "--above", 'B,"A, the first"')
    assert found["buckets"] == [["B"], ["A, the first"]]


def test_verify_states_that_a_proof_is_under_constraints(run, output) -> None:
    run("solve --dataset tennessee --above Memphis,Nashville --certificate p.json --votes v.json")
    verdict = output("verify p.json --dataset tennessee")
    holds = "The proof holds: the ranking Memphis > Nashville > Chattanooga > Knoxville costs 255"
    kept = "(Memphis above Nashville) costs less.\n"
    free = "(a tied vote costs 0), and none under its constraints"
    assert verdict == f"{holds} votes {free} {kept}"
    program = [sys.executable, "-I", "-S", check_certificate.__file__, "p.json", "v.json"]
    held = subprocess.run(program, capture_output=True, text=True, encoding="utf-8", check=True)
    assert held.stdout == f"{holds} {free} less than 255.\n"


# -- time limits ----------------------------------------------------------------------------------


def test_commands_that_search_take_a_limit() -> None:
    commands = _commands_of(app)
    for name in LIMITED:
        assert any("--time-limit" in one.opts for one in commands[name].params), name


def test_a_limit_leaves_a_gap_that_is_checked(ballots, run, output) -> None:
    result = run(f"solve {BALLOTS} --time-limit 0 --certificate p.json", code=3)
    assert "not proved optimal in time" in result.out
    assert output(f"verify p.json {BALLOTS}").startswith("The bound holds: ")


@pytest.mark.parametrize("command", slow_but(["dispersion"], ["rank", "dispersion"]))
@pytest.mark.parametrize(
    ("method", "name"), [("young", "Young"), ("ranked-pairs", "RankedPairs"), ("kemeny", "")]
)
def test_rules_end_at_the_limit_with_a_bound_or_error(command, method, name, ballots, run) -> None:
    line = f"{command} {BALLOTS} --rule {method}"
    result = run(f"{line} --time-limit 0", code=3)
    if not name:
        assert "% below; proved by" in result.out
        return
    assert result.err == f"error: {name} was not computed in time: the time limit has passed.\n"
    assert result.out == ""
    assert run(f"{line} --time-limit 1000").out == run(line).out


def test_limits_reach_the_rules_of_studies(run) -> None:
    rows = "".join(f"s{k},{(7 * k) % 5},{(3 * k) % 7},{k / 4 if k - 4 else ''}\n" for k in range(8))
    Path("scores.csv").write_text(f"system,x,y,z\n{rows}", encoding="utf-8")
    result = run("missing scores.csv --rule kemeny --samples 4 --time-limit 0", code=3)
    assert "4 of 4 completions are not settled in time" in result.out
    run("study missing-scores scores.csv --rule kemeny --repetitions 2 --time-limit 0")


def test_centers_without_a_bound_are_refused_at_the_limit(run) -> None:
    Path("ballots.csv").write_text("A,B,C\n1,2,\n2,1,3\n", encoding="utf-8")
    result = run("fit ballots.csv --format ballots --time-limit 0 --model mallows", code=3)
    assert result.out == ""
    assert "The center of Mallows was not found in time" in result.err


def test_a_study_resumes_from_the_journal_after_the_limit(run) -> None:
    line = "study cycles --rankings 3 --repetitions 5 --journal cycles.jsonl --time-limit"
    result = run(line, 0, code=3)
    assert result.out == ""
    assert "0 of 5 data sets were done in time; the journal keeps them" in result.err
    assert run(line, 1000).out == run(line, 1).out
