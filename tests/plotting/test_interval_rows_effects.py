"""Effects of paired tests: every row is a test, drawn as it decides."""

from functools import cache

import numpy as np
import pytest

import rankagg as ra
from rankagg import plotting
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.sheet import caption_of
from rankagg.testing.plots import below, of_group
from tests.plotting.reading import faults, legend_words, notes, row_labels

LEVELS = [3.0, 0.5, 0.0, -3.0]


@cache
def against_c(method=None, n_tasks=12):
    scores = np.array(LEVELS)[:, None] + np.random.default_rng(2).normal(size=(4, n_tasks))
    table = ra.ScoreTable(scores, systems=list("ABCD"), higher_is_better=True)
    return ra.paired_tests(table, "C", method=method)


@pytest.mark.parametrize(("method", "level"), [(None, 0.0), ("sign", 0.5)])
def test_rows_are_the_tests_in_the_order_of_effects(method, level):
    found = against_c(method)
    ax = found.plot()
    frame = found.to_frame()
    assert row_labels(ax) == list(frame.index)
    fills = {"better": "#0072B2", "worse": "#D55E00", "-": "white"}
    assert set(frame["decision"]) == set(fills)
    for k, row in enumerate(frame.itertuples()):
        (point,), (bar,) = of_group(ax, f"point-{k}"), of_group(ax, f"bar-{k}")
        assert point.get_xydata().tolist() == [[row.effect, k]]
        assert bar.get_xydata().tolist() == [[row.lower, k], [row.upper, k]]
        assert point.get_markerfacecolor() == fills[row.decision]
    assert set(of_group(ax, "alike")[0].get_xdata()) == {level}
    assert not of_group(ax, "arrow-0")
    legend = legend_words(ax)
    words = {"better": "better", "worse": "worse", "-": "not told from C"}
    assert legend == [words[kind] for kind in words if kind in set(frame["decision"])]


def test_worse_systems_differ_in_color_and_mark():
    ax = against_c().plot()
    best, worst = (of_group(ax, f"point-{k}")[0] for k in (0, 2))
    assert (best.get_marker(), worst.get_marker()) == ("o", "D")


def test_ends_that_nothing_bounds_are_arrows():
    found = against_c(n_tasks=4)
    assert np.isinf(found.to_frame()[["lower", "upper"]].to_numpy()).all()
    ax = found.plot()
    low, high = ax.get_xlim()
    for k in range(3):
        markers = {arrow.get_marker(): arrow.get_xdata()[0] for arrow in of_group(ax, f"arrow-{k}")}
        assert set(markers) == {"<", ">"}
        assert low < markers["<"] < found.to_frame()["effect"].iloc[k] < markers[">"] < high
    assert "arrow: no end" in below(ax)
    assert faults(ax) == []


def test_a_system_that_no_unit_tells_has_a_row_without_a_point():
    scores = [[1.0, 2, 1, 2, 3, 1, 2], [1.0, 2, 1, 2, 3, 1, 2], [0.0, 1, 2, 1, 1, 0, 1]]
    table = ra.ScoreTable(scores, systems=list("ABC"), higher_is_better=True)
    found = ra.paired_tests(table, "A", method="sign")
    assert found.to_frame()["effect"].isna().sum() == 1
    text = " ".join(below(found.plot()).split())
    assert "no point: no task tells the system from A" in text
    assert "shares are of the tasks in which the two differ" in text


def test_one_test_is_a_row_and_says_its_own_level():
    table = ra.datasets.load("superglue_human")
    ax = ra.paired_test(table, "Human", "T5", alpha=0.1).plot()
    assert row_labels(ax) == ["Human"]
    assert ax.get_xlabel() == "mean difference to T5"
    text = notes(ax)
    assert "T5 filled: decided by sign-flip tests in 10 tasks, at alpha 0.1 bars: 90" in text
    assert "each pair alone" not in text


def test_rows_that_are_not_drawn_are_counted():
    ax = plotting.effects_plot(against_c(), top=2)
    assert len(ax.get_yticklabels()) == 2
    assert caption_of(ax).startswith("the first 2 of 3 systems")
    with pytest.raises(InvalidInputError, match="`top` must be an integer of at least 1"):
        plotting.effects_plot(against_c(), top=0)


@pytest.mark.parametrize(
    ("method", "written"), [("mcnemar", "McNemar"), ("wilcoxon", "Wilcoxon"), ("sign", "sign")]
)
def test_tests_are_written_as_names(method, written):
    table = ra.ScoreTable([[1, 0, 1, 1], [0, 0, 0, 1]], systems="AB", higher_is_better=True)
    tests = ra.paired_tests(table, "B", method=method)
    text = " ".join(below(plotting.effects_plot(tests)).split())
    assert f"decided by {written} tests" in text
    assert f"{written} tests with" in " ".join(tests.summary().split())
    assert f"{written} test, " in " ".join(tests.tests[0].summary().split())
