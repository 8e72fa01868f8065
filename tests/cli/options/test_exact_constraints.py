"""Constraints as options of `rankagg solve`."""

import json

import pytest

import rankagg as ra
from rankagg.cli import main


def code_of(*args: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["solve", *args])
    return ended.value.code


def solved(capsys: pytest.CaptureFixture[str], *options: str) -> dict:
    assert code_of("--dataset", "tennessee", "--json", *options) == 0
    return json.loads(capsys.readouterr().out)


def test_every_option_goes_to_the_rule(capsys) -> None:
    found = solved(
        capsys, "--above", "Knoxville, Nashville", "--above", "Memphis,Nashville",
        "--first", "Chattanooga", "--last", "Nashville", "--top", "Knoxville,Memphis:3",
        "--quota", "Memphis,Knoxville:2:1",
    )  # fmt: skip
    wish = ra.Constraints(
        above=[("Knoxville", "Nashville"), ("Memphis", "Nashville")],
        first=["Chattanooga"], last=["Nashville"], top=(["Knoxville", "Memphis"], 3),
        quotas=[ra.Quota(["Memphis", "Knoxville"], within=2, at_least=1)],
    )  # fmt: skip
    assert found["aggregator"] == repr(ra.Kemeny(unranked="uniform", constraints=wish))
    assert found["buckets"] == [["Chattanooga"], ["Knoxville"], ["Memphis"], ["Nashville"]]
    assert found["certificate"]["constraints"]["first"] == [2]
    assert found["optima"] is None


def test_quotation_marks_hold_a_name_together(capsys, tmp_path) -> None:
    votes = tmp_path / "votes.json"
    items = ["A, the first", "B"]
    ra.write_votes(ra.PairwiseMatrix.from_wins([[0, 2], [1, 0]], items=items), votes)
    assert code_of(str(votes), "--json", "--above", 'B,"A, the first"') == 0
    assert json.loads(capsys.readouterr().out)["buckets"] == [["B"], ["A, the first"]]


def test_what_nobody_looked_for_is_said(capsys) -> None:
    assert code_of("--dataset", "tennessee", "--top", "Memphis:2") == 0
    assert "not looked for where constraints count places" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--above", "Memphis"], "`--above` must be ITEM,ITEM"),
        (["--first", "Memphs"], "Did you mean 'Memphis'"),
        (["--top", "Memphis"], "`--top` must be ITEM,ITEM:PLACES"),
        (["--top", "Memphis:-1"], "`--top` must be"),
        (["--quota", "Memphis:3"], "`--quota` must be ITEM,ITEM:PLACES:NUMBER"),
        (["--quota", "Memphis:3:2"], "at_least of Quota"),
        (["--last", "Memphis", "--first", "Memphis"], "No ranking keeps all constraints"),
        (["--first", "Memphis", "--consensus-ties"], "may tie items"),
        (["--first", "Memphis", "--backend", "lazy"], "'cuts' where there are constraints"),
    ],
)
def test_what_is_wrong_is_one_sentence(capsys, options: list[str], words: str) -> None:
    assert code_of("--dataset", "tennessee", *options) == 2
    told = capsys.readouterr().err
    assert words in told
    assert len(told.strip().splitlines()) == 1


def test_items_are_weighed(capsys, tmp_path) -> None:
    votes, proof = tmp_path / "votes.json", tmp_path / "proof.json"
    options = ["--item-weight", "Memphis=2.5", "--item-weight", "Nashville=0"]
    assert code_of("--dataset", "tennessee", *options) == 2
    assert "weight of Nashville" in capsys.readouterr().err
    found = solved(
        capsys, "--item-weight", "Memphis=2.5", "--votes", str(votes), "--certificate", str(proof)
    )
    heavy = ra.weigh_items(ra.datasets.load("tennessee").pairwise(), {"Memphis": 2.5})
    assert found["cost"] == ra.Kemeny().aggregate(heavy).cost
    certificate = ra.Certificate.from_json(proof.read_text(encoding="utf-8"))
    assert certificate.verify(ra.read_votes(votes))
