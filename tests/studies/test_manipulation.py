"""How many corrupted tasks rules bear: the breakdown points, small and as printed."""

import numpy as np
import pandas as pd
import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.studies.corruption import PRINTED, ManipulationCell, ManipulationResult

MEAN, ONE, TWO = (rule.name for rule in PRINTED)


def points(result):
    """Return {step: {method: breakdown point}}."""
    table = result.breakdown().set_index(["step", "method"])["n_corrupted"]
    return {step: part.droplevel("step").to_dict() for step, part in table.groupby(level="step")}


def result_of(distances):
    """Return the result that has these mean distances at 0, 2, 4, ... corrupted tasks."""
    counts = [2 * k for k in range(len(distances))]
    study = ra.studies.ManipulationStudy(
        aggregators=[ra.Borda()], steps=[1.0], n_corrupted=counts[::-1], n_repetitions=2
    )
    row = {"method": "Borda", "top1": 0.0, "unproved": False, "runtime": 0.1, "error": None}
    means = dict(zip(counts, distances, strict=True))
    rows = {
        cell: [{**row, "distance": means[cell.n_corrupted] + (0.01 if cell.repetition else -0.01)}]
        for cell in study.cells()
    }
    return ManipulationResult(study=study, _rows=rows)


@pytest.mark.parametrize(
    ("distances", "threshold", "expected"),
    [
        ([0.1, 0.5, 0.8, 0.9], 0.75, 4),
        ([0.1, 0.8, 0.6, 0.9], 0.75, 2),
        ([0.8, 0.8, 0.8, 0.9], 0.75, 0),
        ([0.1, 0.5, 0.8, 0.9], 0.4, 2),
        ([0.1, 0.5, 0.5, 0.5], 0.6, None),
    ],
)
def test_breakdown_is_the_first_number_beyond_the_threshold(distances, threshold, expected) -> None:
    (row,) = result_of(distances).breakdown(threshold).to_dict("records")
    if expected is None:
        assert pd.isna(row["n_corrupted"])
        assert pd.isna(row["mean_distance"])
    else:
        assert row["n_corrupted"] == expected
        assert row["mean_distance"] == pytest.approx(distances[expected // 2])
        assert row["se_distance"] == pytest.approx(0.01)


def test_at_the_threshold_a_rule_is_not_broken() -> None:
    study = ra.studies.ManipulationStudy(aggregators=[ra.Borda()], steps=[1.0], n_repetitions=1)
    row = {"method": "Borda", "top1": 0.0, "unproved": False, "runtime": 0.1, "error": None}
    rows = {cell: [{**row, "distance": 0.75}] for cell in study.cells()}
    assert ManipulationResult(study=study, _rows=rows).breakdown()["n_corrupted"].isna().all()


def test_a_point_that_is_not_reached_is_missing_everywhere() -> None:
    result = result_of([0.1, 0.2])
    assert result.breakdown()["n_corrupted"].isna().all()
    assert result.to_dict()["breakdown"] == [
        {"step": 1.0, "method": "Borda", "n_corrupted": None, "mean_distance": None,
         "se_distance": None}
    ]  # fmt: skip
    assert "NaN" not in result.summary()


@pytest.mark.parametrize("threshold", [-0.1, 1, "a"])
def test_a_bad_threshold_is_named(threshold) -> None:
    with pytest.raises(InvalidInputError, match="threshold"):
        result_of([0.1, 0.9]).breakdown(threshold)


@pytest.mark.parametrize("numbers", [[], [1, 1], [-1], [21], [0.5], 3])
def test_bad_numbers_of_corrupted_tasks_are_named(numbers) -> None:
    with pytest.raises(InvalidInputError, match="n_corrupted of ManipulationStudy"):
        ra.studies.ManipulationStudy(n_corrupted=numbers)


def test_all_numbers_of_corrupted_tasks_by_default() -> None:
    study = ra.studies.ManipulationStudy(n_tasks=3, n_repetitions=1, steps=[0.1])
    assert list(study.cells()) == [ManipulationCell(0.1, k, 0) for k in range(4)]


def test_the_figure_goes_the_way_of_the_paper() -> None:
    """The mean goes first, one level next, two levels last; all are lost in the end."""
    study = ra.studies.ManipulationStudy(
        steps=[0.05, 0.3], n_corrupted=[0, 3, 8, 10, 14], n_repetitions=2, aggregators=PRINTED
    )
    result = study.run()
    assert points(result) == {0.05: {MEAN: 3, ONE: 8, TWO: 10}, 0.3: {MEAN: 8, ONE: 10, TWO: 14}}
    table = result.by_method()
    assert (table.xs(0, level="n_corrupted")["mean_distance"] < 0.1).all()
    assert (table.xs(14, level="n_corrupted")["mean_distance"] > 0.9).all()
    assert (table.xs(14, level="n_corrupted")["top1"] == 0).all()
    assert (table.loc[0.3].xs(0, level="n_corrupted")["top1"] == 1).all()


@pytest.mark.slow
def test_the_point_that_the_paper_prints_otherwise_is_a_close_one() -> None:
    """100 tables have a standard error of .005, more than what is between .7526 and .75."""
    study = ra.studies.ManipulationStudy(
        aggregators=PRINTED[:1], steps=[0.1], n_corrupted=[2], n_repetitions=5000
    )
    (row,) = study.run(n_jobs=2).by_method().to_dict("records")
    assert row["mean_distance"] == pytest.approx(0.7526, abs=3 * row["se_distance"])
    assert 0.004 < row["se_distance"] * np.sqrt(5000 / 100) < 0.007


@pytest.mark.slow
def test_breakdown_points_of_the_paper() -> None:
    """Section 4.2 prints 2, 3, 5 for the mean; the second is 2 by its own definition."""
    result = ra.studies.ManipulationStudy().run(n_jobs=2)
    found = points(result)
    by_definition = {0.05: (2, 5, 10), 0.1: (2, 7, 11), 0.3: (5, 10, 11)}
    for step, expected in by_definition.items():
        assert tuple(found[step][name] for name in (MEAN, ONE, TWO)) == expected
    # What the paper could not compute; proved throughout.
    assert result.n_unproved == result.n_failed == 0
    exact = [(part["Kemeny"], part["TwoLevel(Borda, Kemeny)"]) for part in found.values()]
    assert exact == [(5, 9), (7, 10), (10, 10)]
