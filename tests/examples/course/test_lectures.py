"""Every lecture and exercise sheet runs from first to last cell and asserts its claims."""

import re
from importlib import import_module

import pytest
from matplotlib.artist import Artist

from .conftest import COURSE

pytest.importorskip("marimo", reason="pip install marimo lets these tests run")

import page

LECTURES = ("paradoxes", "consensus", "computing", "borda", "models", "benchmarks")
# The lecture that is about code.
WITH_CODE = "computing"
PICTURE = re.compile(r'<svg role="img" aria-label="([^"]*)"|<svg [^>]*aria-label="([^"]*)"')


def run(name):
    """Return the texts of what the cells of a notebook show; a cell that fails raises."""
    outputs, _ = import_module(name).app.run()
    # A plot that is shown as it is would be white in the dark, and say nothing to the blind.
    assert not any(isinstance(one, Artist) for one in outputs)
    # marimo shows these as trees in small letters.
    assert not any(isinstance(one, (dict, list, tuple)) for one in outputs)
    shown = [one.text for one in outputs if hasattr(one, "text")]
    assert not any(re.search(r">\s*None\s*<", text) for text in shown)
    pictures = PICTURE.findall("".join(shown))
    assert all(len(one or other) > 60 for one, other in pictures)
    assert len(pictures) == "".join(shown).count("<svg")
    return shown


def test_each_lecture_has_a_sheet_and_a_line_in_the_readme() -> None:
    text = (COURSE / "README.md").read_text(encoding="utf-8")
    notebooks = {one.stem for one in COURSE.glob("*.py") if "marimo.App" in one.read_text("utf-8")}
    sheets = {f"{name}_exercises" for name in LECTURES}
    assert sheets == {name for name in notebooks if name.endswith("_exercises")}
    assert set(LECTURES) <= notebooks
    assert all(f"`{name}.py`" in text for name in notebooks - sheets)


@pytest.mark.slow
@pytest.mark.parametrize("name", LECTURES)
def test_every_cell_of_a_lecture_runs(name) -> None:
    shown = run(name)
    text = "".join(shown)
    assert "After this lecture" in shown[0]
    assert "https://doi.org/" in text
    assert "<svg" in text
    assert ("<marimo-code-editor" in text) == (name == WITH_CODE)
    # A control is on the slide of what it moves.
    for control in (one for one in shown if re.search(r"<marimo-(slider|dropdown)", one)):
        rest = re.sub(r"<marimo-(slider|dropdown).*?</marimo-\1>", "", control)
        assert re.search(r"<svg|<table|<p|<span class=.markdown", rest)


@pytest.mark.slow
@pytest.mark.parametrize("name", LECTURES)
def test_every_cell_of_a_sheet_runs_and_has_solutions(name) -> None:
    shown = run(f"{name}_exercises")
    assert shown[0].count("Exercises: ") == 1
    assert sum("Solution" in one for one in shown[1:]) >= 5


@pytest.mark.parametrize("how", page.SOLUTIONS)
def test_solutions_are_folded_open_or_left_out(how) -> None:
    shown = page.solution(page.mo.md("forty-two"), how).text
    assert ("forty-two" in shown) == (how != "left out")
    assert ("marimo-accordion" in shown) == (how == "folded")
    assert "None" not in shown
