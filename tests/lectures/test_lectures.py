"""Every lecture runs from its first cell to its last: what it claims, it asserts."""

import re
from importlib import import_module
from pathlib import Path

import pytest
from matplotlib.artist import Artist

import rankagg
from rankagg.classroom import LECTURES, notebooks

FOLDER = Path(rankagg.__file__).parent / "lectures"


def test_the_course_has_every_lecture_and_knows_it() -> None:
    files = {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}
    assert files == set(LECTURES)


@pytest.mark.parametrize("name", LECTURES)
def test_every_cell_of_a_lecture_runs(monkeypatch, name) -> None:
    mo = pytest.importorskip("marimo", reason="pip install 'rankagg[teach]' lets this test run")
    given, whole = [], mo.show_code
    monkeypatch.setattr(
        mo, "show_code", lambda value=None, **how: given.append(value) or whole(value, **how)
    )
    app = import_module(f"rankagg.lectures.{name}").app
    # A cell that fails raises here.
    outputs, _ = app.run()
    # A plot that is shown as it is would be white in the dark, and tell nothing to the blind.
    assert not any(isinstance(one, Artist) for one in outputs)
    # Marimo shows these as trees in small letters.
    assert not any(isinstance(one, (dict, list, tuple)) for one in [*outputs, *given])
    shown = "".join(getattr(one, "text", "") for one in outputs)
    pictures = re.findall(
        r'<svg role="img" aria-label="([^"]*)"|<svg [^>]*aria-label="([^"]*)"', shown
    )
    assert all(len(one or other) > 60 for one, other in pictures)
    assert len(pictures) == shown.count("<svg") >= 1
    assert ".ra-drawn" in shown
    # The style that reaches code, too, whose own colors are faint.
    assert (FOLDER / app._config.css_file).read_text(encoding="utf-8").count(".cm-line") == 2
    assert "After this lecture" in shown
    assert shown.count("Solution") >= 5
    assert "https://doi.org/" in shown
    assert app._config.app_title.startswith(notebooks()[name].title)
