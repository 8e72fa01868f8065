"""`rankagg verify`: exit 0 or 1 and one sentence, and the stand-alone checker beside it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import rankagg as ra
from rankagg import check_certificate

CHECKER = Path(check_certificate.__file__)


def solved(called, *args: str) -> None:
    code, _, _ = called("solve", *args, "--certificate", "proof.json", "--votes", "votes.json")
    assert code in (0, 3)


def alone(*files: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-I", "-S", str(CHECKER), *files],
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip


@pytest.mark.parametrize("name", ra.datasets.names())
def test_certificates_of_all_bundled_data_hold(called, name: str) -> None:
    solved(called, "--dataset", name)
    said = called("verify", "proof.json", "--dataset", name)
    assert said[0] == 0
    assert said[1].startswith("The proof holds: this ranking costs ")
    assert said[1].count("\n") == 1
    assert called("verify", "proof.json", "votes.json") == said


def test_a_budget_that_does_not_suffice_is_no_verdict(called) -> None:
    solved(called, "--dataset", "glue_human", "--top-k", "3")
    for limit in (["--time-limit", "0"], ["--memory-limit", "100"]):
        code, out, err = called("verify", "proof.json", "votes.json", *limit)
        assert (code, out) == (3, "")
        assert err.startswith("Error: Not checked within the budget: it takes more than ")
        program = alone("proof.json", "votes.json", *limit)
        assert (program.returncode, program.stdout) == (3, "")
        assert program.stderr.startswith("Not checked within the budget: it takes more than ")
    assert called("verify", "proof.json", "votes.json", "--time-limit", "-1")[0] == 2


def test_the_stand_alone_checker_is_a_program(called) -> None:
    solved(called, "--dataset", "xtreme_gaps", "--tie-cost", "0.1")
    held = alone("proof.json", "votes.json")
    assert held.returncode == 0, held.stderr
    assert (
        held.stdout == "The proof holds: this ranking costs 2102/35, and none less than 2102/35.\n"
    )
    plain = json.loads(Path("proof.json").read_text(encoding="utf-8"))
    Path("forged.json").write_text(json.dumps({**plain, "cost": "60"}), encoding="utf-8")
    forged = alone("forged.json", "votes.json")
    assert forged.returncode == 1
    assert forged.stderr.startswith("The proof does not hold: ")
    assert forged.stderr.count("\n") == 1
    assert alone("proof.json").stderr.startswith("usage: ")


def test_glue(called, data) -> None:
    file = str(data("tasks/glue.csv"))
    code, _, _ = called("compare", file, "--one", "--out", "results")
    assert code == 0
    said = called("verify", "results/certificate.json", file)
    assert said == (0, "The proof holds: this ranking costs 4454 votes, and none costs less.\n", "")
    held = alone("results/certificate.json", "results/votes.json")
    assert held.stdout == "The proof holds: this ranking costs 4454, and none less than 4454.\n"


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (["--dataset", "tennessee"], "must have the same items"),
        (["--dataset", "xtreme_gaps", "--unranked", "ignore"], "for other votes"),
        (["--dataset", "xtreme_gaps", "--weight", "Classification=2"], "for other votes"),
    ],
)
def test_other_votes_are_noticed(called, other: list[str], words: str) -> None:
    solved(called, "--dataset", "xtreme_gaps")
    code, out, err = called("verify", "proof.json", *other)
    assert (code, out) == (1, "")
    assert err.startswith("Error: proof.json is no valid proof for these votes. ")
    assert words in err


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"status": "gap"}, "`status` must be 'optimal'. Got 'gap'."),
        ({"cost": "75"}, "`cost` must be '76'. Got '75'."),
        ({"lower_bound": "75"}, "`lower_bound` must be '76'"),
        ({"tolerance": "1"}, "within 0 votes, not 1 as stated"),
        ({"order": [True, False]}, "`order[0]` must be an integer"),
        ({"scaled_cost": float("nan")}, "has the number NaN"),
        ({"proofs": []}, "show the bound 70, not 76"),
        ({"version": 1}, "Solve again"),
    ],
)
def test_forgeries_are_told(called, change: dict[str, object], words: str) -> None:
    solved(called, "--dataset", "condorcet_1785")
    plain = json.loads(Path("proof.json").read_text(encoding="utf-8"))
    Path("proof.json").write_text(json.dumps({**plain, **change}), encoding="utf-8")
    code, out, err = called("verify", "proof.json", "votes.json")
    assert (code, out) == (1, "")
    assert words in err
    assert err.count("\n") == 1


def test_a_gap_is_told_as_one(called) -> None:
    matrix = [[0, 9, 1], [3, 0, 8], [7, 2, 0]]
    votes = ra.PairwiseMatrix.from_wins(matrix)
    ra.write_votes(votes, "votes.json")
    certificate = ra.Certificate.build(votes, [0, 1, 2], []).to_dict()
    Path("proof.json").write_text(json.dumps(certificate), encoding="utf-8")
    said = called("verify", "proof.json", "votes.json")
    assert said == (
        0, "The bound holds: this ranking costs 12 votes, and none less than 6 votes.\n", ""
    )  # fmt: skip


def test_rounded_weights_are_told(called) -> None:
    votes = ra.Profile.from_orders(["ABC", "BCA"], weights=[2**0.5, 3**0.5]).pairwise()
    ra.write_votes(votes, "votes.json")
    certificate = ra.Kemeny().aggregate(votes).certificate.to_dict()
    Path("proof.json").write_text(json.dumps(certificate), encoding="utf-8")
    code, out, _ = called("verify", "proof.json", "votes.json")
    assert code == 0
    within = f"all to within about {6 * votes.rounding:.6g} votes"
    assert f"costs about 2.82843 votes, and none costs less, {within}." in out


def test_a_file_that_is_not_there_is_bad_input(called) -> None:
    code, _, err = called("verify", "nothing.json", "--dataset", "tennessee")
    assert (code, "nothing.json" in err) == (2, True)
    code, _, _ = called("verify", "nothing.json")
    assert code == 2


def test_votes_as_large_as_they_may_be(called) -> None:
    votes = {
        "schema": "rankagg.votes", "version": 1, "items": ["A", "B"], "denominator": 10**199,
        "rounding": "0", "wins": [[0, 10**299], [10**298 + 1, 0]], "ties": [[0, 0], [0, 0]],
    }  # fmt: skip
    Path("votes.json").write_text(json.dumps(votes), encoding="utf-8")
    solved(called, "votes.json")
    code, out, _ = called("verify", "proof.json", "votes.json")
    assert (code, "costs about 1e+99 votes" in out) == (0, True)
    assert alone("proof.json", "votes.json").returncode == 0
    votes["wins"][0][1] += 1
    Path("votes.json").write_text(json.dumps(votes), encoding="utf-8")
    assert called("verify", "proof.json", "votes.json")[0] == 2
    assert alone("proof.json", "votes.json").returncode == 1


def test_every_command_reads_votes_as_json(called) -> None:
    ra.write_votes(ra.datasets.load("condorcet_1785").pairwise(), "votes.json")
    for extra in ([], ["--format", "votes"]):
        code, out, _ = called("solve", "votes.json", *extra)
        assert code == 0
        assert "no ranking costs less than 76" in out
    code, _, err = called("solve", "votes.json", "--count", "n")
    assert code == 2
    assert "has no meaning for votes as JSON" in err


def test_a_file_that_the_program_cannot_read_is_one_sentence(called) -> None:
    solved(called, "--dataset", "tennessee")
    Path("latin.json").write_bytes(b'{"a": "\xe9"}')
    for name in ("nothing.json", "latin.json"):
        refused = alone(name, "votes.json")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "error: a file cannot be read: " in refused.stderr
        assert "Traceback" not in refused.stderr
