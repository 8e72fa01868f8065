"""Every lecture runs from its first cell to its last: what it claims, it asserts."""

from importlib import import_module
from pathlib import Path

import matplotlib as mpl
import pytest

import rankagg
from rankagg.classroom.catalog import LECTURES

FOLDER = Path(rankagg.__file__).parent / "lectures"


def test_the_course_has_every_lecture_and_knows_it() -> None:
    files = {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}
    assert files == set(LECTURES)


@pytest.mark.parametrize("name", LECTURES)
def test_every_cell_of_a_lecture_runs(name) -> None:
    pytest.importorskip("marimo", reason="pip install 'rankagg[teach]' lets this test run")
    app = import_module(f"rankagg.lectures.{name}").app
    # A cell that fails raises here; the look that a lecture gives its figures stays in it.
    with mpl.rc_context():
        outputs, _ = app.run()
    # A figure has a `text` too, which is a method.
    shown = "".join(one.text for one in outputs if isinstance(getattr(one, "text", None), str))
    assert "After this lecture" in shown
    assert shown.count("Solution") >= 5
    assert "https://doi.org/" in shown
    assert app._config.app_title.startswith(LECTURES[name][0])
