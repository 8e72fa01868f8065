"""`rankagg report` writes its page."""

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


def test_a_report_is_written_where_it_was_asked_for(run, tmp_path):
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


def test_a_report_without_a_proof_is_written_and_says_so_at_exit(run, tmp_path):
    ra.io.write_votes(PALEY, tmp_path / "paley.json")
    run("report paley.json --time-limit 0", code=UNPROVED)
    assert "is not proved" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_report_on_many_items_has_a_limit_and_says_so_before(run, monkeypatch):
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


def test_the_command_says_what_the_user_said(run, tmp_path) -> None:
    rows = [{"a": "X", "b": "Y", "won": won, "judge": k} for won, n in (("a", 25), ("b", 4))
            for k in range(n)]  # fmt: skip
    pd.DataFrame(rows).to_csv(tmp_path / "b.csv", index=False)
    (tmp_path / "i.csv").write_text("item,organisation,size\nX,Uni,7\n", encoding="utf-8")
    line = "report b.csv --format comparisons --first a --second b --outcome won --cluster judge"
    run(f"{line} --items i.csv --about date=today")
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<strong>25</strong> judges" in html
    assert "Date: today" in html
    assert '<span class="quiet">Uni, 7</span>' in html
    assert "Did you mean" in run("report b.csv --kind batles", code=2).err
    assert "error: " in run("report --dataset tennessee --unit instance", code=2).err
    told = run("report --dataset tennessee --gate frist=X", code=2).err
    assert "first-decided, first=ITEM, above=ITEM,ITEM" in told
    told = run("report --dataset tennessee --items b.csv", code=2).err
    assert "--items` must be a table with one row for each item" in told
    told = run("report --dataset tennessee --items i.csv", code=2).err
    assert told.startswith("error: --items i.csv has what is not in the data: X.\n")
    (tmp_path / "v.csv").write_text("first,second\nA,B\nB,A\nA,\n", encoding="utf-8")
    run("report v.csv --format cast-votes")
    assert "wins the instant runoff" in (tmp_path / "report.html").read_text(encoding="utf-8")
    run("report v.csv --format cast-votes --seats 2")
    assert "are elected by STV after" in (tmp_path / "report.html").read_text(encoding="utf-8")
