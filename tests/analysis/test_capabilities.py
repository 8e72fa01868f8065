"""What rules say of themselves, as a table."""

import json

import pytest

import rankagg as ra
from rankagg.cli import main
from rankagg.cli.options.rules import RULES_BY_NAME
from rankagg.exceptions import InvalidInputError


def test_a_composition_says_what_its_parts_say():
    rules = [
        ra.InsertionSearch(start=ra.KwikSort(unranked="last")),
        ra.TwoLevel(ra.Mean(), ra.Borda(unranked="ignore")),
    ]
    frame = ra.capabilities(rules)
    assert frame["rule"].tolist() == [rule.name for rule in rules]
    assert frame["needs"].tolist() == ["votes", "scores"]
    assert frame["unranked"].tolist() == ["last", "ignore"]
    assert frame["ties"].tolist() == ["never", "may"]
    assert frame["guarantee"].iloc[0] == 2
    assert frame["in_expectation"].tolist() == [True, False]
    assert frame["guarantee"].isna().tolist() == [False, True]


def test_only_rules_are_taken():
    with pytest.raises(InvalidInputError, match="Borda"):
        ra.capabilities([ra.Borda])


def test_the_command_lists_every_method(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["methods", "--json"])
    assert stop.value.code == 0
    listed = json.loads(capsys.readouterr().out)["methods"]
    assert [entry["method"] for entry in listed] == list(RULES_BY_NAME)
    assert {entry["method"]: entry["guarantee"] for entry in listed}["schulze"] is None
    with pytest.raises(SystemExit):
        main(["methods"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:2] == ["method", "rule"]
    assert [line.split()[0] for line in lines[1 : len(RULES_BY_NAME) + 1]] == list(RULES_BY_NAME)
