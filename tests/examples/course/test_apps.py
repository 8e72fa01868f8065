"""Every app runs from its first cell to its last, and shows something."""

from importlib import import_module

import pytest

import rankagg

APPS = ("laboratory", "cycle", "manipulate", "leaderboard", "mallows")


# The laboratory loads what the others load, too, and all examples.
@pytest.mark.parametrize("name", [pytest.param(APPS[0], marks=pytest.mark.slow), *APPS[1:]])
def test_every_cell_runs_and_the_last_picture_is_drawn(name) -> None:
    pytest.importorskip("marimo", reason="pip install marimo lets this test run")
    outputs, _ = import_module(name).app.run()
    shown = [one.text for one in outputs if one is not None]
    assert "<h1>" in shown[0]
    assert any('class="verdict"' in text for text in shown)
    assert any("<svg" in text for text in shown)
    assert not any('role="alert"' in text for text in shown)


@pytest.mark.parametrize("example", range(5))
def test_every_example_of_the_laboratory_can_be_edited(example) -> None:
    pytest.importorskip("marimo", reason="pip install marimo lets this test run")
    laboratory = import_module("laboratory")
    names = list(laboratory.EXAMPLES)
    assert len(names) == 5
    profile = laboratory.voting.profile_of_text(laboratory.text_of(names[example]))
    data = rankagg.datasets.load(laboratory.EXAMPLES[names[example]])
    assert profile.total_weight == (
        data.n_tasks if isinstance(data, rankagg.ScoreTable) else data.total_weight
    )
