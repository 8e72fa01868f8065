"""`rankagg steps` and `list`: they print the results of the library."""

import json
import re
from pathlib import Path

import pytest

import rankagg as ra
from rankagg.cli.rules import _named_rules
from rankagg.teaching.show import _has_steps
from tests.report.test_page import Page

BALLOTS = "a_b,<i> & \\,50%,count\n1,2,3,4\n2,3,1,3\n3,1,2,2\n"


@pytest.fixture
def hostile(tmp_path):
    (tmp_path / "ballots.csv").write_text(BALLOTS, encoding="utf-8")
    return "steps ballots.csv --format ballots --count count"


def test_steps_are_written_as_text_and_html(run, hostile, tmp_path):
    line = f"{hostile} --rule schulze"
    steps = ra.teaching.show_steps(ra.Schulze(), ra.read_ballots("ballots.csv", count="count"))
    assert run(line).out.endswith(steps.summary(rows=20) + "\n")
    assert json.loads(run(f"{line} --json").out)["steps"] == steps.to_dict()["steps"]
    for name in ("a.txt", "a"):
        assert f"wrote: {name}" in run(f"{line} -o {name}").out
        assert (tmp_path / name).read_text(encoding="utf-8") == f"{steps.summary(rows=20)}\n"
    err = run(f"{hostile} -o a.pdf", code=2).err
    assert "ends in .txt, .html or .htm" in err


def test_a_page_has_all_tables_a_picture_and_no_label_that_is_markup(run, hostile):
    steps = ra.teaching.show_steps(ra.Kemeny(), ra.read_ballots("ballots.csv", count="count"))
    run(f"{hostile} -o a.html")
    page = Path("a.html").read_text(encoding="utf-8")
    found = Page(page)
    assert found.seen.count("table") == sum(bool(step.columns) for step in steps.steps)
    assert found.seen.count("svg") == 1
    assert not {"i", "script"} & set(found.seen)
    text = " ".join(found.text.split())
    for step in steps.steps:
        assert step.heading in text
        assert all(sentence in text for sentence in step.sentences)
        assert all(str(cell) in text for row in step.rows for cell in row)
    assert "://" not in re.sub(r'xmlns\S*="[^"]*"', "", page)
    run("steps --dataset superglue_human --rule borda -o five.html")
    assert "svg" not in Page(Path("five.html").read_text(encoding="utf-8")).seen


def test_every_method_has_steps_or_is_refused(run):
    for method, rule in _named_rules().items():
        kind = type(rule)
        if method == "approval":
            assert (
                "ballots of two levels"
                in run("rank --rule approval --dataset tennessee", code=2).err
            )
            continue
        data = "superglue_human" if rule.needs == "scores" else "condorcet_1785"
        result = run("steps --dataset", data, "--rule", method, code=0 if _has_steps(kind) else 2)
        if _has_steps(kind):
            assert rule.aggregate(ra.datasets.load(data)).ranking.to_text() in result.out
        else:
            assert "a rule with steps (" in result.err


def test_the_steps_are_plotted(run, tmp_path):
    run("steps --dataset tennessee --rule borda --plot a.svg")
    assert (tmp_path / "a.svg").stat().st_size > 5000
    six = ["steps", "--dataset", "superglue_human", "--rule", "borda", "--plot", "b.svg"]
    assert "at most 4 items" in run(*six, code=2).err
