import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import rankagg as ra

STUDIES = ("Agreement", "TaskSubset", "MissingScores", "Corruption", "Approximation", "Confidence")


@pytest.mark.parametrize("program", ["own_table", "median_score", "hard_tasks"])
def test_every_study_leaves_a_table_and_a_figure(program, tmp_path, monkeypatch):
    here = Path(__file__).parent
    ra.datasets.load("xtreme_human").drop(systems=["Human"]).to_frame().to_csv(
        tmp_path / "scores.csv"
    )
    monkeypatch.syspath_prepend(here)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(here / f"{program}.py"), run_name="__main__")
    plt.close("all")
    for study in STUDIES:
        assert "tabular" in (tmp_path / f"{study}Study.tex").read_text(encoding="utf-8")
        assert "<svg" in (tmp_path / f"{study}Study.svg").read_text(encoding="utf-8")
    missing = (tmp_path / "MissingScoresStudy.tex").read_text(encoding="utf-8")
    assert ("MedianScore" in missing) == (program == "median_score")
