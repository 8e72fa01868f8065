"""`--plot` draws the picture of a command."""

import re

import pytest

import rankagg as ra

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
