"""Top-k lists and weights of places as options of `rankagg solve`, and their proofs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import rankagg as ra
from rankagg import check_certificate
from rankagg.cli import main


def code_of(*args: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(args))
    return ended.value.code


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        (["--top-k", "2"], ra.TopK(k=2, unranked="uniform")),
        (["--top-k", "2", "--tie-cost", "0.25"], ra.TopK(k=2, tie_cost=0.25, unranked="uniform")),
        (
            ["--place-weights", "1, .5,.1"],
            ra.PlaceWeightedKemeny(weights=[1, 0.5, 0.1], unranked="uniform"),
        ),
    ],
)
def test_every_option_goes_to_the_rule(capsys, options: list[str], rule: ra.Aggregator) -> None:
    assert code_of("solve", "--dataset", "glue_human", "--json", *options) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["aggregator"] == repr(rule)
    assert found["optima"] is None
    again = rule.aggregate(ra.datasets.load("glue_human"))
    assert found["certificate"] == json.loads(json.dumps(again.certificate.to_dict()))


def test_proofs_are_checked_by_both_programs(capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    written = ["--certificate", "p.json", "--votes", "v.json"]
    assert code_of("solve", "--dataset", "glue_human", "--top-k", "3", *written) == 0
    assert code_of("verify", "p.json", "--dataset", "glue_human") == 0
    assert capsys.readouterr().out.endswith(
        "The proof holds: this ranking costs 125/2 votes, and none costs less.\n"
    )
    called = [sys.executable, "-I", "-S", check_certificate.__file__, "p.json", "v.json"]
    held = subprocess.run(called, capture_output=True, text=True, encoding="utf-8", check=False)
    assert held.returncode == 0, held.stderr
    assert held.stdout == "The proof holds: this list costs 125/2, and none less than 125/2.\n"
    plain = json.loads(Path("p.json").read_text(encoding="utf-8"))
    plain["placed"].reverse()
    Path("p.json").write_text(json.dumps(plain), encoding="utf-8")
    assert code_of("verify", "p.json", "--dataset", "glue_human") == 1
    forged = subprocess.run(called, capture_output=True, text=True, encoding="utf-8", check=False)
    assert forged.returncode == 1
    assert forged.stderr.startswith("The proof does not hold: the list costs ")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--top-k", "0"], "must be a whole number from 1"),
        (["--top-k", "7"], "`k of TopK` must be at most the number of items, 6"),
        (["--place-weights", "1,x"], "`--place-weights` must be NUMBER,NUMBER"),
        (["--place-weights", ""], "`--place-weights` must be NUMBER,NUMBER"),
        (["--place-weights", "1,2"], "none larger than the one before it"),
        (["--place-weights", "1,nan"], "weights of PlaceWeightedKemeny"),
        (["--top-k", "2", "--place-weights", "1"], "--top-k does not go with --place-weights"),
        (["--top-k", "2", "--consensus-ties"], "--top-k does not go with --consensus-ties"),
        (["--top-k", "2", "--first", "T5"], "--top-k does not go with constraints"),
        (["--place-weights", "1", "--backend", "lazy"], "does not go with --backend"),
    ],
)
def test_what_is_wrong_is_said(capsys, options: list[str], words: str) -> None:
    assert code_of("solve", "--dataset", "glue_human", *options) == 2
    assert words in capsys.readouterr().err


def test_a_time_limit_leaves_a_gap_that_is_checked(capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = ["solve", "--dataset", "glue_human", "--top-k", "3", "--time-limit", "0"]
    assert code_of(*given, "--certificate", "p.json") == 3
    assert "not proved optimal in time" in capsys.readouterr().out
    assert code_of("verify", "p.json", "--dataset", "glue_human") == 0
    assert capsys.readouterr().out.startswith("The bound holds: ")
