"""`rankagg report` writes its page."""

import re

import pandas as pd
import pytest

import rankagg as ra
from rankagg.cli import rules
from rankagg.cli.command import UNPROVED
from rankagg.report import findings
from rankagg.report.page import make_report
from tests.tournaments import PALEY


@pytest.fixture(autouse=True)
def _few_removals(monkeypatch):
    """Let pages not look for the fewest removals, which takes most of their time."""
    monkeypatch.setattr(findings, "SECONDS_FOR_REMOVALS", 0.0)


def test_a_report_is_written_to_the_given_path(run, tmp_path):
    assert "wrote: t.html" in run("report --dataset tennessee -o t.html --title Capital").out
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    assert "<title>Capital</title>" in page
    assert "read: data set tennessee" in page
    run("report --dataset tennessee --rule schulze --unit ranking")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<title>tennessee</title>" in page
    assert "Schulze orders all pairs as the exact consensus does." in page


def test_the_heading_is_the_title_that_a_preflib_file_states(run, tmp_path):
    ballots = ra.Profile.from_orders(["AB", "BA"], counts=[2, 1])
    for title, heading in (("Mayor & <council>", "Mayor &amp; &lt;council&gt;"), ("", "e.soc")):
        ra.io.write_ballots(ballots, tmp_path / "e.soc", title=title)
        run("report e.soc")
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert f"<title>{heading}</title>" in page


def test_an_unproved_report_is_written_and_ends_with_code_three(run, tmp_path):
    ra.io.write_votes(PALEY, tmp_path / "paley.json")
    run("report paley.json --time-limit 0", code=UNPROVED)
    assert "is not proved" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_report_on_many_items_states_its_time_limit(run, monkeypatch):
    asked = []

    def made_of(*args, **options):
        asked.append(options["time_limit"])
        return make_report(*args, **options)

    monkeypatch.setattr(ra, "make_report", made_of)
    assert "seconds at most" not in run("report --dataset three_cycle").err
    monkeypatch.setattr(rules, "ITEMS_UNLIMITED", 2)
    many = run("report --dataset three_cycle")
    assert "note: 3 items, so 60 seconds at most; --time-limit SECONDS sets another" in many.err
    run("report --dataset three_cycle --time-limit 70")
    assert [limit and round(limit, -1) for limit in asked] == [None, 60, 70]


def test_options_of_the_user_reach_the_page(run, tmp_path) -> None:
    rows = [{"a": "X", "b": "Y", "won": won, "judge": k} for won, n in (("a", 25), ("b", 4))
            for k in range(n)]  # fmt: skip
    pd.DataFrame(rows).to_csv(tmp_path / "b.csv", index=False)
    (tmp_path / "i.csv").write_text("item,organisation,size\nX,Uni,7\n", encoding="utf-8")
    line = "report b.csv --format comparisons --first a --second b --outcome won --cluster judge"
    run(f"{line} --items i.csv --about date=today")
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<strong>25</strong> judges" in html
    assert "Date: today" in html
    assert re.search(r'<td class="card">Uni</td><td class="card number"[^>]*>7<', html)
    assert "Did you mean" in run("report b.csv --kind batles", code=2).err
    assert "error: " in run("report --dataset tennessee --unit instance", code=2).err
    err = run("report --dataset tennessee --gate frist=X", code=2).err
    assert "first-decided, first=ITEM, above=ITEM,ITEM" in err
    err = run("report --dataset tennessee --items i.csv", code=2).err
    assert "error: `--items` must be a table with rows of items of the data. Got X." in err
    (tmp_path / "v.csv").write_text("first,second\nA,B\nB,A\nA,\n", encoding="utf-8")
    run("report v.csv --format cast-votes")
    assert "wins the instant runoff" in (tmp_path / "report.html").read_text(encoding="utf-8")
    run("report v.csv --format cast-votes --seats 2")
    assert "are elected by STV after" in (tmp_path / "report.html").read_text(encoding="utf-8")
    text = '3 2\n5 1 2 0\n3 2 0\n2 3 1 0\n0\n"A"\n"B"\n"C"\n"Two seats"\n'
    (tmp_path / "two.blt").write_text(text, encoding="utf-8")
    run("report two.blt")
    assert "are elected by STV after" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Ballots cast" in (tmp_path / "report.html").read_text(encoding="utf-8")
    run("report two.blt --seats 1")
    assert "wins the instant runoff after" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_scores_and_cards_may_be_in_one_file(run, tmp_path) -> None:
    """The columns of tasks are no cards, and rows of other items are counted."""
    table = pd.DataFrame({"model": ["A", "B"], "size": [0, 70], "x": [1.5, 2.5], "y": [3.5, 2.5]})
    table.to_csv(tmp_path / "scores.csv", index=False)
    table.loc[2] = ["C", 7, 1.5, 1.5]
    table.to_csv(tmp_path / "cards.csv", index=False)
    err = run("report scores.csv --format scores --only x --only y --items cards.csv").err
    assert "2 columns of tasks of the data, left out (x, y)" in err
    assert "1 row of no item of the data, left out (C)" in err
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    cards = re.findall(r'<td class="card number" data-key="([^"]*)">(.*?)</td></tr>', html)
    assert sorted(cards) == [("0.0", "0"), ("70.0", "70")]
    assert html.count('<th scope="col" class="card') == 1
    table.loc[2] = ["A", 7, 1.5, 1.5]
    table.to_csv(tmp_path / "twice.csv", index=False)
    err = run("report scores.csv --format scores --only x --items twice.csv", code=2).err
    assert "`--items` must be a row for each item. Got 'A'" in err
