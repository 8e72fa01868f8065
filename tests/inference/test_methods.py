"""The coverage study: its stored results, and the notes of methods that follow from it."""

import importlib
import runpy
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rankagg as ra
from rankagg.inference import pair_bounds

FOLDER = Path(__file__).parents[2] / "examples" / "long" / "coverage"
MODULES = ("distributions", "cells", "designs", "binomial", "proportions", "summary",
           "assumptions", "grid")  # fmt: skip
PARTS = ("ranks", "binomial", "proportions")


@pytest.fixture(scope="module")
def study():
    """Import the modules of the study, which import each other by their plain names."""
    sys.path.insert(0, str(FOLDER))
    try:
        found = {name: importlib.import_module(name) for name in MODULES}
    finally:
        sys.path.remove(str(FOLDER))
        for name in MODULES:
            sys.modules.pop(name, None)
    return found


@pytest.fixture(scope="module")
def kept():
    return {name: pd.read_csv(FOLDER / f"{name}.csv") for name in PARTS}


# -- stored results -------------------------------------------------------------------------------


@pytest.mark.parametrize("part", PARTS)
def test_the_rows_that_are_kept_are_the_cells_of_the_study(study, kept, part):
    cells = study[part.replace("ranks", "designs")].CELLS
    rows = kept[part][list(cells[0].KEYS)].itertuples(index=False)
    assert [tuple(row) for row in rows] == [cell.key() for cell in cells]


def test_the_stored_text_is_the_output_of_the_study(study, monkeypatch, capsys):
    # All rows are there, so that nothing is computed again.
    for name in MODULES:
        monkeypatch.setitem(sys.modules, name, study[name])
    monkeypatch.setattr(sys, "argv", ["run.py"])
    kept = {path: path.read_bytes() for path in FOLDER.glob("*.csv")}
    runpy.run_path(str(FOLDER / "run.py"), run_name="__main__")
    assert capsys.readouterr().out == (FOLDER / "coverage.txt").read_text(encoding="utf-8")
    assert {path: path.read_bytes() for path in FOLDER.glob("*.csv")} == kept


@pytest.mark.parametrize(
    "start",
    [
        pytest.param(("spaced", 6, 9, "borda", "sign-flips"), marks=pytest.mark.slow),
        pytest.param(("spaced", 6, 20, "mean", "sign-flips"), marks=pytest.mark.slow),
        pytest.param(("right or wrong", 6, 6, "pairwise", "sign-test"), marks=pytest.mark.slow),
        pytest.param(("equal", 6, 6, "borda", "max-t"), marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_a_cell_gives_its_row_again(study, kept, start):
    cell = next(cell for cell in study["designs"].CELLS if cell.key()[:5] == start)
    rows = kept["ranks"].set_index(list(cell.KEYS))
    again = cell.row(1000)
    for name in ("repetitions", "wrong", "ranks", "rank", "first", "top_1", "top_3", "power"):
        assert again[name] == pytest.approx(rows.loc[cell.key(), name], abs=1e-4, nan_ok=True), name


def test_the_table_of_assumptions_is_that_of_its_rows(study):
    assumptions, rows = study["assumptions"], pd.read_csv(FOLDER / "assumptions.csv")
    kept = rows[assumptions.KEYS].itertuples(index=False)
    assert [tuple(row) for row in kept] == assumptions.CELLS
    text = (FOLDER / "assumptions.txt").read_text(encoding="utf-8")
    assert assumptions.summary(rows) + "\n" == text


@pytest.mark.parametrize(
    "cell",
    [pytest.param(("skewed", "two systems, sign flips", 12), marks=pytest.mark.slow),
     ("rare failures", "two systems, sign flips", 8)],
)  # fmt: skip
def test_a_cell_of_assumptions_gives_its_row_again(study, cell):
    rows = pd.read_csv(FOLDER / "assumptions.csv").set_index(study["assumptions"].KEYS)
    again = study["assumptions"].row_of(*cell, 200)
    for name in ("wrong", "noted", "wrong_noted"):
        assert again[name] == pytest.approx(rows.loc[cell, name], abs=1e-4)


# -- statements of the package about its methods --------------------------------------------------


def test_methods_keep_their_level_from_the_documented_size(study, kept):
    summary, limit = study["summary"], study["cells"].LIMIT
    right = summary.right_unit(kept["ranks"])
    found = {"max-t": []}
    for _, rows in right[right["method"] == "max-t"].groupby("of"):
        found["max-t"].append(summary.holds_from(rows, summary.misses(rows)))
    for method in ("percentile", "wilson"):
        rows = kept["binomial"][kept["binomial"]["method"] == method]
        found[method] = [summary.holds_from(rows, rows["least"] < 1 - limit)]
    assert {method: max(sizes) for method, sizes in found.items()} == dict(pair_bounds.HOLDS_FROM)


def test_methods_that_miss_their_level_add_a_note(study, kept):
    right = study["summary"].right_unit(kept["ranks"])
    missed = right[study["summary"].misses(right)]
    ways = set(missed[["of", "method", "units"]].itertuples(index=False, name=None))
    assert ways
    for of, method, units in ways:
        scores = np.random.default_rng(0).normal(size=(4, units))
        table = ra.ScoreTable(scores, higher_is_better=True)
        ranks = ra.rank_intervals(table, of=of, method=method, n_resamples=100)
        assert any("were measured to be wrong" in note for note in ranks.notes)


def test_pair_intervals_that_miss_their_level_add_a_note(study, kept):
    pairs = kept["binomial"]
    missed = pairs[pairs["least"] < 1 - study["cells"].LIMIT]
    assert set(missed["method"]) == {"wilson", "percentile"}
    for method, units in set(missed[["method", "units"]].itertuples(index=False, name=None)):
        profile = ra.Profile.from_orders(["AB", "BA"], counts=[units - 2, 2])
        found = ra.PairwiseIntervals.from_data(profile, method=method, n_resamples=400, rng=0)
        assert any("were measured to be wrong" in note for note in found.notes)


# -- other draws ----------------------------------------------------------------------------------


def test_the_table_of_the_grid_is_that_of_its_rows(study):
    grid, rows = study["grid"], pd.read_csv(FOLDER / "grid.csv")
    assert [tuple(row) for row in rows[grid.KEYS].itertuples(index=False)] == grid.CELLS
    assert grid.summary(rows) + "\n" == (FOLDER / "grid.txt").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_cell_of_the_grid_gives_its_row_again(study):
    grid, rows = study["grid"], pd.read_csv(FOLDER / "grid.csv")
    cell = ("one noisy of three", "means", 6)
    again = grid.row_of(*cell, 1000)
    kept = rows.set_index(grid.KEYS)
    for name in ("wrong", "power", "noted"):
        assert again[name] == pytest.approx(kept.loc[cell, name], abs=1e-4)
