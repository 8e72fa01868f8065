"""The gallery has every plot once; its examples run when the pages are built."""

import ast
from pathlib import Path

import pytest

from rankagg import plotting

GALLERY = Path(__file__).resolve().parents[1] / "examples" / "gallery"
WORKED = sorted(GALLERY.glob("worked/plot_*.py"))
EXAMPLES = sorted({*GALLERY.glob("*/plot_*.py")} - {*WORKED})
PLOTS = set(dir(plotting)) - {"style"}


def drawn(example):
    """Return the plots that an example calls by name."""
    tree = ast.parse(example.read_text(encoding="utf-8"))
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call.attr for call in calls if isinstance(call, ast.Attribute) and call.attr in PLOTS]


def test_every_plot_has_one_example_and_that_of_studies_one_for_each():
    assert len(PLOTS) > 20
    shown = [plot for example in EXAMPLES for plot in drawn(example)]
    assert sorted(set(shown)) == sorted(PLOTS)
    assert [plot for plot in PLOTS if shown.count(plot) > 1] == ["study_plot"]
    assert shown.count("study_plot") == 7


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_draws_one_plot_in_few_lines_with_a_text(example):
    assert len(drawn(example)) == 1
    text = example.read_text(encoding="utf-8")
    tree = ast.parse(text)
    title, line, *prose = (ast.get_docstring(tree) or "").splitlines()
    assert line == "=" * len(title)
    assert " ".join(prose).strip().endswith(".")
    start = tree.body[1].lineno
    code = [row for row in text.splitlines()[start - 1 :] if row.strip()]
    assert len(code) <= 16


@pytest.mark.parametrize("example", WORKED, ids=lambda path: path.stem)
def test_a_worked_example_asserts_its_conclusion(example):
    text = example.read_text(encoding="utf-8")
    _, conclusion = text.split("# **Conclusion.** ")
    assert "\nassert " in conclusion
    assert len(drawn(example)) == 1
