"""Corrupted scores: a panel for each case, a line in a band for each rule."""

from itertools import product

import numpy as np
import pytest

import rankagg as ra
from rankagg import plotting
from rankagg.exceptions import InvalidInputError
from rankagg.testing.plots import of_group
from tests.plotting.reading import faults, notes

SIZES = {"n_systems": 5, "n_tasks": 6, "n_instances": 3, "n_repetitions": 4}


@pytest.fixture(scope="module")
def many():
    return ra.studies.ManipulationStudy(n_corrupted=[6, 0, 3], steps=[0.2, 1.0], **SIZES).run()


@pytest.fixture(scope="module")
def scaled():
    return ra.studies.ScalingStudy(factors=[1, 4, 9], steps=[0.2, 1.0], **SIZES).run()


def one(ax, gid):
    (artist,) = of_group(ax, gid)
    return artist


def assert_drawn(ax, result, cases, along):
    """Compare every line and band with the repetitions; panels stand in the order of cases."""
    frame = result.to_frame()
    for number, case in enumerate(cases):
        inside = frame[(frame[list(case)] == list(case.values())).all(axis=1)]
        for position, rule in enumerate(result.study.aggregators):
            groups = inside[inside["method"] == rule.name].groupby(along)["distance"]
            line = one(ax, f"mean-{number}-{position}")
            np.testing.assert_allclose(line.get_ydata(), groups.mean())
            (path,) = one(ax, f"band-{number}-{position}").get_paths()
            for q in (0.05, 0.95):
                x, y = line.get_xdata(), groups.quantile(q)
                for point in zip(x, y, strict=True):
                    assert np.isclose(path.vertices, point).all(axis=1).any()


def test_manipulation_lines_and_bands(many):
    ax = plotting.manipulation_plot(many)
    cases = [{"step": 0.2}, {"step": 1.0}]
    assert_drawn(ax, many, cases, "n_corrupted")
    assert [text.get_text() for text in of_group(ax, "heading")] == ["step 0.2", "step 1"]


def test_scaling_lines_and_bands(scaled):
    ax = plotting.scaling_plot(scaled)
    cases = [{"reversed": r, "step": s} for r, s in product((False, True), (0.2, 1.0))]
    assert_drawn(ax, scaled, cases, "factor")
    assert [text.get_text() for text in of_group(ax, "heading")] == [
        f"{word}\nstep {step}" for word in ("rescaled", "reversed") for step in ("0.2", "1")
    ]
    assert "reversed: the true order is reversed" in notes(ax)


def test_ticks_stand_at_their_numbers(scaled):
    ax = plotting.scaling_plot(scaled)
    numbers = [float(text.get_text()) for text in ax.get_xticklabels()]
    panels = [one(ax, f"mean-{number}-0").get_xdata() for number in range(4)]
    assert len(numbers) == 4 * 4
    for ticks, shown, line in zip(
        np.split(ax.get_xticks(), 4), np.split(np.array(numbers), 4), panels, strict=True
    ):
        np.testing.assert_allclose(ticks, np.interp(shown, [1, 4, 9], line))


def test_the_threshold_is_drawn_where_it_is(many):
    for value in (0.75, 0.5):
        ax = plotting.manipulation_plot(many, threshold=value)
        assert set(one(ax, "threshold").get_ydata()) == {value}
        assert f"dashed: {value}" in notes(ax)
    with pytest.raises(InvalidInputError, match="threshold"):
        plotting.manipulation_plot(many, threshold=1)


def test_it_says_how_much_was_drawn(many):
    said = notes(many.plot())
    assert "corrupted tasks, of 6" in said
    assert "5 systems, 6 tasks with 3 instances each, 4 tables for every point" in said


def test_what_is_not_proved_is_said():
    result = ra.studies.ManipulationStudy(
        aggregators=[ra.Kemeny()], steps=[0.01], n_systems=40, n_tasks=9, n_instances=1,
        n_corrupted=[4], n_repetitions=1, time_limit=0.0,
    ).run()  # fmt: skip
    ax = result.plot()
    assert "an optimum was not proved 1 time" in notes(ax)
    assert len(one(ax, "mean-0-0").get_xdata()) == 1
    assert faults(ax) == []
