"""Units that would tell neighbors apart: points, marks and numbers are those of the result."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

import rankagg as ra
from rankagg import plotting
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.interval_rows import _log_ticks, _units_told
from rankagg.testing.plots import of_group
from tests.plotting.reading import faults, legend_words, notes, row_labels


@cache
def separation(needed=(5.0, 12.0, 400.0), there=(12, 12, 12)):
    """Return a result of four systems with numbers given by hand."""
    table = ra.ScoreTable(np.random.default_rng(0).normal(size=(4, 12)), higher_is_better=True)
    return replace(ra.separation(table), needed=np.array(needed), n_units=np.array(there))


def numbers(ax):
    """Return the texts at the right."""
    (right,) = ax.child_axes
    return [text.get_text() for text in right.get_yticklabels()]


def test_points_are_needed_marks_are_at_hand():
    found = separation()
    ax = found.plot()
    assert ax.get_xscale() == "log"
    for k, (needed, there) in enumerate(zip(found.needed, found.n_units, strict=True)):
        (point,), (mark,), (gap,) = (of_group(ax, f"{x}-{k}") for x in ("point", "hand", "gap"))
        assert point.get_xydata().tolist() == [[needed, k]]
        assert mark.get_xydata().tolist() == [[there, k]]
        assert sorted(gap.get_xdata()) == sorted([needed, there])
        assert (point.get_markerfacecolor() != "white") == (needed <= there)
    names = [str(system) for system in found.order]
    shown = row_labels(ax)
    assert shown == [f"{a} / {b}" for a, b in pairwise(names)]
    assert numbers(ax) == ["5", "12", "400"]
    assert legend_words(ax) == [
        "tasks at hand", "tasks needed: enough are there", "tasks needed: more than are there",
    ]  # fmt: skip
    assert "80 % power of t tests; 3 tests with a family-wise error rate of" in notes(ax)


def test_infinite_and_unknown_numbers_are_said():
    ax = separation((np.inf, np.nan, 30.0), (12, 12, 0)).plot()
    assert numbers(ax) == ["\N{INFINITY}", "unknown", "30"]
    low, high = ax.get_xlim()
    (arrow,) = of_group(ax, "arrow-0")
    assert 30 < arrow.get_xdata()[0] < high
    assert not of_group(ax, "point-0")
    assert not of_group(ax, "point-1")
    assert not of_group(ax, "gap-1")
    assert low < of_group(ax, "hand-2")[0].get_xdata()[0] < 1  # none at hand, at the edge
    assert "\N{INFINITY}: level, or compared in less than two tasks" in notes(ax)
    assert "unknown: all tasks agree" in notes(ax)
    assert "level" not in notes(separation().plot())
    assert faults(ax) == []


@pytest.mark.parametrize("low", [1.0, 1.41, 2.1, 7.0, 99.0, 141.0])
@pytest.mark.parametrize("ratio", [2.25, 10.0, 300.0, 1e9, 1e40])
def test_every_axis_has_some_whole_numbers(low, ratio):
    ticks = _log_ticks(low, low * ratio)
    assert 1 <= len(ticks) <= 8
    assert all(low <= tick <= low * ratio * (1 + 1e-9) for tick in ticks)
    assert all(tick == round(tick) for tick in ticks)


def test_large_numbers_are_short():
    assert [_units_told(x) for x in (3.0, 123456.0, 2.4e6, 1e40)] == ["3", "123,456", "2e6", "1e40"]


def test_rows_that_are_not_drawn_are_counted():
    found = separation()
    ax = found.plot(top=1)
    assert len(numbers(ax)) == 1
    assert f"the first 1 of {len(found.needed)} pairs" in notes(ax)
    with pytest.raises(InvalidInputError, match="`top` must be an integer of at least 1"):
        plotting.separation_plot(found, top=0)
