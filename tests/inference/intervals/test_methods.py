"""Normal intervals of pairs: against statsmodels, and where they may be made at all."""

import importlib
import runpy
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

import rankagg as ra
from rankagg.inference.intervals import methods
from rankagg.inference.intervals.methods import (
    IntervalOptions,
    _bernstein_radius,
    _is_near_normal,
    _largest_skewness,
    _normal_radius,
    by_intervals,
)
from tests.inference.intervals.test_pairwise_coverage import pair_of

from_data = ra.PairwiseIntervals.from_data
KINDS = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}


def gappy(seed, m, share=0.3):
    """Return a table of three systems with gaps and ties."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, size=(3, m)) + np.array([[1.0], [0.0], [0.0]])
    values[rng.random(values.shape) < share] = np.nan
    values[0, np.isnan(values).all(axis=0)] = 0.0
    return ra.ScoreTable(values, higher_is_better=True, tasks=["x"] * m, instances=range(m))


@cache
def values_of(seed, m, i, j):
    """Return what each ranking of a table says of a pair, one by one."""
    told = []
    profile = gappy(seed, m).rankings().compress()
    for ranking, count in zip(profile, profile.counts, strict=True):
        if ranking.ranks[i] >= 0 and ranking.ranks[j] >= 0:
            told += [0.5 - np.sign(ranking.ranks[i] - ranking.ranks[j]) / 2] * count
    return np.array(told, dtype=float)


# -- what they are --------------------------------------------------------------------------------


@pytest.mark.parametrize("alternative", list(KINDS))
@pytest.mark.parametrize("simultaneous", [None, "bonferroni"])
def test_they_are_those_of_statsmodels_and_scipy(alternative, simultaneous):
    table = gappy(1, 1800)
    found = from_data(
        table, method="normal", alpha=0.1, alternative=alternative,
        simultaneous=simultaneous,
    )  # fmt: skip
    assert found.notes == ()
    alpha = 0.1 / 3 if simultaneous else 0.1
    for i, j in ((0, 1), (0, 2), (1, 2)):
        values = values_of(1, 1800, i, j)
        low, high = DescrStatsW(values).zconfint_mean(alpha, KINDS[alternative])
        expected = max(low, 0.0), min(high, 1.0)
        assert (found.lower[i, j], found.upper[i, j]) == pytest.approx(expected, abs=1e-12)
        assert (found.lower[j, i], found.upper[j, i]) == pytest.approx(
            (1 - expected[1], 1 - expected[0]), abs=1e-12
        )
        if alternative == "two-sided":
            theirs = stats.norm.interval(1 - alpha, values.mean(), stats.sem(values))
            assert (low, high) == pytest.approx(theirs, abs=1e-12)


# -- where they may not be made -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wins", "losses"), [(1, 0), (5, 5), (12, 12), (1000, 0), (0, 1000), (999, 1), (100_000, 9)]
)
def test_units_that_are_few_or_agree_take_bernsteins_and_a_note_says_so(wins, losses):
    profile = pair_of(wins, losses)
    found, expected = (from_data(profile, method=method) for method in ("normal", "bernstein"))
    np.testing.assert_array_equal(found.lower, expected.lower)
    np.testing.assert_array_equal(found.upper, expected.upper)
    (note,) = found.notes
    assert note.startswith("on 1 pair rankings are too few, or agree too nearly,")
    assert note.endswith("'bernstein'")
    # Never shorter than what so many units that agree can justify.
    assert max(found.lower[0, 1], found.lower[1, 0]) < 0.05 ** (1 / (wins + losses))


def test_pairs_are_judged_one_by_one():
    # A and B are compared often and closely, C is nearly always last, D is never there.
    profile = ra.Profile.from_orders(["ABC", "BAC", "BCA"], items="ABCD", counts=[500, 300, 3])
    normal, bernstein = (from_data(profile, method=method) for method in ("normal", "bernstein"))
    assert normal.lower[0, 1] > bernstein.lower[0, 1]
    assert normal.lower[0, 2] == bernstein.lower[0, 2]
    assert (normal.lower[0, 3], normal.upper[0, 3]) == (0, 1)
    assert [note.split(" ")[:3] for note in normal.notes] == [
        ["no", "ranking", "tells"], ["on", "2", "pairs"]
    ]  # fmt: skip


def test_the_farther_out_the_tail_the_more_units_it_takes():
    found = [
        next(n for n in range(2, 10**5) if _is_near_normal(0.6, 0.24 * n / (n - 1), n, alpha))
        for alpha in (0.1, 0.05, 0.05 / 15, 0.05 / 190)
    ]
    # Where z**3 * .2/.24**.5 / (3 * n**.5) + z**4/(2 * n) falls to .3: 0.2 / .24**.5 is skewness.
    assert found == [22, 49, 334, 989]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8))
def test_mean_and_variance_bound_the_skewness(values):
    deviation = np.std(values)
    if deviation > 1e-3:
        skewness = np.mean((np.array(values) - np.mean(values)) ** 3) / deviation**3
        assert abs(skewness) <= _largest_skewness(np.mean(values), deviation) * (1 + 1e-9) + 1e-9


# -- how often they hold --------------------------------------------------------------------------


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 15])
@pytest.mark.parametrize("n", [10, 60, 300, pytest.param(1000, marks=pytest.mark.slow)])
def test_at_every_proportion_they_are_wrong_about_as_often_as_they_say(n, alpha, sides):
    wins = np.arange(n + 1)
    mean = wins / n
    variance = mean * (1 - mean) * n / (n - 1)
    near = _is_near_normal(mean, variance, n, alpha, sides)
    two = (radius(variance, n, alpha, sides) for radius in (_normal_radius, _bernstein_radius))
    radius = np.where(near, *two)
    rare = np.geomspace(0.02, 0.1 / n, 60)
    true = np.concatenate([np.linspace(0.02, 0.98, 193), rare, 1 - rare])
    chance = stats.binom.pmf(wins[:, None], n, true)
    missed = (mean - radius)[:, None] > true + 1e-12
    if sides == 2:
        missed |= true - 1e-12 > (mean + radius)[:, None]
    assert (chance * missed).sum(axis=0).max() < 1.36 * alpha


# -- what is decided ------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.05, 0.5])
def test_decisions_are_possible_from_where_some_outcome_decides(alpha):
    options = IntervalOptions("normal", alpha, "bonferroni", n_resamples=100)
    enough = by_intervals(options, 2)

    def decides(n):
        found = (from_data(pair_of(k, n - k), method="normal", alpha=alpha) for k in range(n + 1))
        return any(intervals.lower[0, 1] > 0.5 for intervals in found)

    assert not any(decides(n) for n in range(1, enough))
    if alpha == 0.05:
        assert decides(enough)


# -- the coverage study ---------------------------------------------------------------------------


FOLDER = Path(__file__).parents[3] / "examples" / "long" / "coverage"
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


# -- what is kept ---------------------------------------------------------------------------------


@pytest.mark.parametrize("part", PARTS)
def test_the_rows_that_are_kept_are_the_cells_of_the_study(study, kept, part):
    cells = study[part.replace("ranks", "designs")].CELLS
    rows = kept[part][list(cells[0].KEYS)].itertuples(index=False)
    assert [tuple(row) for row in rows] == [cell.key() for cell in cells]


def test_the_text_is_what_the_study_prints(study, monkeypatch, capsys):
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


# -- what is said of it ---------------------------------------------------------------------------


def test_methods_hold_from_where_the_package_says(study, kept):
    summary, limit = study["summary"], study["cells"].LIMIT
    right = summary.right_unit(kept["ranks"])
    found = {"max-t": []}
    for _, rows in right[right["method"] == "max-t"].groupby("of"):
        found["max-t"].append(summary.holds_from(rows, summary.misses(rows)))
    for method in ("percentile", "wilson"):
        rows = kept["binomial"][kept["binomial"]["method"] == method]
        found[method] = [summary.holds_from(rows, rows["least"] < 1 - limit)]
    assert {method: max(sizes) for method, sizes in found.items()} == dict(methods.HOLDS_FROM)


def test_what_misses_its_level_says_so_where_it_is_used(study, kept):
    right = study["summary"].right_unit(kept["ranks"])
    missed = right[study["summary"].misses(right)]
    ways = set(missed[["of", "method", "units"]].itertuples(index=False, name=None))
    assert ways
    for of, method, units in ways:
        scores = np.random.default_rng(0).normal(size=(4, units))
        table = ra.ScoreTable(scores, higher_is_better=True)
        ranks = ra.rank_intervals(table, of=of, method=method, n_resamples=100)
        assert any("were measured to be wrong" in note for note in ranks.notes)


def test_intervals_of_pairs_that_miss_their_level_say_so(study, kept):
    pairs = kept["binomial"]
    missed = pairs[pairs["least"] < 1 - study["cells"].LIMIT]
    assert set(missed["method"]) == {"wilson", "percentile"}
    for method, units in set(missed[["method", "units"]].itertuples(index=False, name=None)):
        profile = ra.Profile.from_orders(["AB", "BA"], counts=[units - 2, 2])
        found = ra.PairwiseIntervals.from_data(profile, method=method, n_resamples=400, rng=0)
        assert any("were measured to be wrong" in note for note in found.notes)


# -- what it draws --------------------------------------------------------------------------------


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
