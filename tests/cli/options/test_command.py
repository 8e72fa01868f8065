"""`--plot` draws the picture of a command, and `rankagg report` writes its page."""

import re

import pytest

import rankagg as ra
from rankagg.cli.commands import documents
from rankagg.cli.exit_codes import UNPROVED
from rankagg.report.page import make_report

DRAWING = {
    "compare": ["--dataset", "superglue_human"],
    "solve": ["--dataset", "superglue_human"],
    "tournament": ["--dataset", "superglue_human"],
    "stability": ["--dataset", "superglue_human", "--method", "borda", "--samples", "5"],
    "intervals": ["--dataset", "superglue_human"],
    "missing": ["--dataset", "xtreme_gaps", "--samples", "5"],
    "test": ["--dataset", "superglue_human", "--reference", "Human"],
    "power": ["--dataset", "superglue_human"],
    "agreement": ["--dataset", "superglue_human", "--resamples", "100"],
    "fit": ["--dataset", "superglue_human", "--pseudo-rankings", "0.5"],
}


@pytest.mark.parametrize("command", DRAWING)
def test_a_picture_names_all_items_and_changes_no_output(run, tmp_path, monkeypatch, command):
    # Letters in an SVG are outlines unless they are asked to stay letters.
    monkeypatch.setitem(__import__("matplotlib").rcParams, "svg.fonttype", "none")
    plain = run(command, *DRAWING[command]).out
    told = run(command, *DRAWING[command], "--plot", "a.svg")
    times = r"\d+\.\d+ s\b"
    assert re.sub(times, "", told.out) == re.sub(times, "", plain)
    assert "plot: a.svg" in told.err
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    if command != "stability":
        data = ra.datasets.load(DRAWING[command][1])
        names = data.tasks if command == "agreement" else data.systems
        assert all(str(name) in drawn for name in names)


@pytest.mark.parametrize(
    ("kind", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")]
)
def test_pictures_come_in_three_kinds(run, tmp_path, kind, start):
    run("compare", "--dataset", "tennessee", "--plot", f"a.{kind}")
    assert (tmp_path / f"a.{kind}").read_bytes().startswith(start)


def test_other_kinds_are_refused_before_anything_is_computed(run, tmp_path):
    told = run("compare", "--dataset", "tennessee", "--plot", "a.docx", code=2)
    assert "must end in .pdf, .png, .svg" in told.err
    assert not (tmp_path / "a.docx").exists()


def test_a_study_draws_its_ratios(run, tmp_path):
    run("study", "--mallows", "0.8", "--items", "5", "--repetitions", "5", "--plot", "a.png")
    assert (tmp_path / "a.png").stat().st_size > 5000


def test_a_report_is_written_where_it_was_asked_for(run, tmp_path):
    told = run("report", "--dataset", "tennessee", "-o", "t.html", "--title", "Capital")
    assert "wrote: t.html" in told.out
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    assert "<title>Capital</title>" in page
    assert "read: data set tennessee" in page
    run("report", "--dataset", "tennessee", "--method", "schulze", "--one")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<title>tennessee</title>" in page
    assert "Schulze orders all pairs as the exact rule does." in page
    assert "was not looked at" in page


def test_a_report_without_a_proof_is_written_and_says_so_at_exit(run, tmp_path):
    squares = {1, 3, 4, 5, 9}
    rows = [" ".join(str(int((i - j) % 11 in squares)) for j in range(11)) for i in range(11)]
    (tmp_path / "paley.lop").write_text("\n".join(["11", *rows]) + "\n", encoding="utf-8")
    run("report", "paley.lop", "--time-limit", "0", code=UNPROVED)
    assert "is not proved" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_report_on_many_items_has_a_limit_and_says_so_before(run, monkeypatch):
    asked = []

    def made_of(*args, **options):
        asked.append(options["time_limit"])
        return make_report(*args, **options)

    monkeypatch.setattr(ra, "make_report", made_of)
    plain = run("report", "--dataset", "tennessee", "--one")
    assert "seconds at most" not in plain.err
    monkeypatch.setattr(documents, "ITEMS_UNLIMITED", 3)
    many = run("report", "--dataset", "tennessee", "--one")
    assert "note: 4 items, so 60 seconds at most; --time-limit SECONDS sets another" in many.err
    run("report", "--dataset", "tennessee", "--one", "--time-limit", "70")
    assert asked == [None, 60.0, 70.0]


def test_a_report_takes_its_unit_and_refuses_what_does_not_suit(run):
    run("report", "--dataset", "tennessee", "--unit", "ranking")
    assert "Error: " in run("report", "--dataset", "tennessee", "--unit", "instance", code=2).err
