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
from rankagg.plotting.sheet import caption_of
from rankagg.testing.plots import collisions, cut_off, of_group


@cache
def separation(needed=(5.0, 12.0, 400.0), there=(12, 12, 12)):
    """Return a result of four systems with numbers given by hand."""
    table = ra.ScoreTable(np.random.default_rng(0).normal(size=(4, 12)), higher_is_better=True)
    return replace(ra.separation(table), needed=np.array(needed), n_units=np.array(there))


def numbers(ax):
    """Return the texts at the right."""
    (right,) = ax.child_axes
    return [text.get_text() for text in right.get_yticklabels()]


def caption(ax):
    return " ".join(caption_of(ax).split())


def test_points_are_needed_marks_are_at_hand() -> None:
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
    shown = [text.get_text() for text in ax.get_yticklabels()]
    assert shown == [f"{a} / {b}" for a, b in pairwise(names)]
    assert numbers(ax) == ["5", "12", "400"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "tasks at hand", "tasks needed: enough are there", "tasks needed: more than are there",
    ]  # fmt: skip
    assert caption(ax).startswith("80 % power of t tests; 3 tests with a family-wise error rate of")


def test_infinite_and_unknown_numbers_are_said() -> None:
    ax = separation((np.inf, np.nan, 30.0), (12, 12, 0)).plot()
    assert numbers(ax) == ["\N{INFINITY}", "unknown", "30"]
    low, high = ax.get_xlim()
    (arrow,) = of_group(ax, "arrow-0")
    assert 30 < arrow.get_xdata()[0] < high
    assert not of_group(ax, "point-0")
    assert not of_group(ax, "point-1")
    assert not of_group(ax, "gap-1")
    assert low < of_group(ax, "hand-2")[0].get_xdata()[0] < 1  # none at hand, at the edge
    assert "\N{INFINITY}: level, or compared in less than two tasks" in caption(ax)
    assert "unknown: all tasks agree" in caption(ax)
    assert "level" not in caption(separation().plot())
    assert not collisions(ax)
    assert not cut_off(ax)


@pytest.mark.parametrize("low", [1.0, 1.41, 2.1, 7.0, 99.0, 141.0])
@pytest.mark.parametrize("ratio", [2.25, 10.0, 300.0, 1e9, 1e40])
def test_every_axis_has_some_whole_numbers(low, ratio) -> None:
    ticks = _log_ticks(low, low * ratio)
    assert 1 <= len(ticks) <= 8
    assert all(low <= tick <= low * ratio * (1 + 1e-9) for tick in ticks)
    assert all(tick == round(tick) for tick in ticks)


def test_large_numbers_are_short() -> None:
    assert [_units_told(x) for x in (3.0, 123456.0, 2.4e6, 1e40)] == ["3", "123,456", "2e6", "1e40"]


def test_thirty_long_names_are_legible_and_the_rest_counted(thirty) -> None:
    ax = ra.separation(thirty).plot()
    assert not collisions(ax)
    assert not cut_off(ax)
    assert len(numbers(ax)) == 29
    ax = ra.separation(thirty).plot(top=3)
    assert len(numbers(ax)) == 3
    assert caption(ax).startswith("the first 3 of 29 pairs")


def test_bad_input_is_named() -> None:
    with pytest.raises(InvalidInputError, match="`separation` must be a Separation"):
        plotting.separation_plot(separation().to_frame())
    with pytest.raises(InvalidInputError, match="`top` must be an integer of at least 1"):
        plotting.separation_plot(separation(), top=0)
