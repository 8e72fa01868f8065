"""`--plot` draws the plot of a command; `--as` and `--json` print its result."""

import re

import pytest

import rankagg as ra
from rankagg.testing.results import _latex_cells, _markdown_cells
from tests.conftest import slow_but

HUMAN = "--dataset superglue_human"
DRAWING = {
    name: f"{line} {HUMAN}"
    for name, line in {
        "compare": "compare", "solve": "solve", "tournament": "tournament",
        "stability": "stability --rule borda --samples 5", "intervals": "intervals",
        "test": "test --reference Human", "power": "test --power 0.8",
        "agreement": "dispersion --agreement --resamples 100",
        "fit": "fit --pseudo-rankings 0.5",
    }.items()
} | {"missing": "missing --samples 5 --dataset xtreme_gaps"}  # fmt: skip
PASTED = [DRAWING[name] for name in ("compare", "intervals", "test", "power", "agreement")]
PASTED.append(f"rank {HUMAN} --rule borda")


@pytest.mark.parametrize(
    "command", [name if name in ("agreement", "tournament")
                else pytest.param(name, marks=pytest.mark.slow) for name in DRAWING]
)  # fmt: skip
def test_a_picture_names_all_items_and_changes_no_output(run, tmp_path, monkeypatch, command):
    # Letters in an SVG are outlines unless they are asked to stay letters.
    monkeypatch.setitem(__import__("matplotlib").rcParams, "svg.fonttype", "none")
    line = DRAWING[command]
    plain, result = run(line).out, run(f"{line} --plot a.svg")
    times = r"\d+\.\d+ s\b"
    assert re.sub(times, "", result.out) == re.sub(times, "", plain)
    assert "plot: a.svg" in result.err
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    if command != "stability":
        data = ra.datasets.load(line.split()[-1])
        names = data.tasks if command == "agreement" else data.systems
        assert all(str(name) in drawn for name in names)


@pytest.mark.parametrize(
    ("kind", "start"), slow_but([("png", b"\x89PNG")], [("png", b"\x89PNG"), ("pdf", b"%PDF")])
)
def test_plots_are_written_in_each_format(run, tmp_path, kind, start):
    run(f"tournament --dataset tennessee --plot a.{kind}")
    assert (tmp_path / f"a.{kind}").read_bytes().startswith(start)


def test_other_kinds_are_refused_before_anything_is_computed(refused, tmp_path):
    message = refused("compare --dataset tennessee --plot a.docx")
    assert "ends in .pdf, .png, .svg" in message
    assert not (tmp_path / "a.docx").exists()


def test_the_table_is_printed_alone(run, refused) -> None:
    for line in PASTED:
        markdown, latex = (run(f"{line} --as {form}") for form in ("markdown", "latex"))
        assert len(_markdown_cells(markdown.out)) == len(_latex_cells(latex.out)) > 3
        assert "6 systems" in markdown.err
        assert "--as and --json exclude each other" in refused(f"{line} --as latex --json")


def test_printed_formats_equal_those_of_the_result(output, parsed) -> None:
    consensus = ra.Borda().aggregate(ra.datasets.load("superglue_human"))
    assert output(f"rank {HUMAN} --rule borda --as latex") == consensus.to_latex()
    intervals = ra.rank_intervals(ra.datasets.load("superglue_human"))
    assert output(f"intervals {HUMAN} --as markdown --rows 2") == intervals.to_markdown(rows=2)
    assert parsed(f"rank {HUMAN} --rule borda")["schema"] == "rankagg.consensus"
