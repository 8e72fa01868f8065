"""Robustness: agreement by size of subset, or the change from leaving out each unit."""

from dataclasses import replace

import numpy as np
import pytest

import rankagg as ra
from rankagg import plotting
from tests.plotting.reading import cut_off, legend_words, notes, one, row_labels


@pytest.fixture(scope="module")
def few():
    """Return an analysis of subsets of 10 tasks."""
    return ra.stability(
        ra.datasets.load("superglue_human"), ra.Borda(), sizes=[1, 4, 9], n_samples=20, rng=0
    )


def dots(ax):
    """Return {row: (fate, distance)} of an influence plot."""
    found = {}
    for line in ax.get_lines():
        fate, _, row = (line.get_gid() or "").partition("-")
        if row:
            ((x, y),) = line.get_xydata()
            assert int(row) == y
            assert int(row) not in found
            found[int(row)] = (fate, x)
    return found


# -- subsets -------------------------------------------------------------------------------------


def test_lines_and_the_band_are_the_quantiles_and_the_share_with_the_same_winner(few):
    ax = plotting.robustness_plot(few)
    frame = few.subsets()
    columns = {"line-0-0": "tau_0.5", "line-0-1": "top1"}
    for gid, column in columns.items():
        line = one(ax, gid)
        assert len(line.get_xdata()) == len(frame)
        np.testing.assert_allclose(line.get_ydata(), frame[column])
    median, winner = one(ax, "line-0-0"), one(ax, "line-0-1")
    assert median.get_color() != winner.get_color()
    assert median.get_linestyle() != winner.get_linestyle()
    assert median.get_marker() != winner.get_marker()
    assert legend_words(ax) == [
        "tau: median", "share of subsets with the same winner", "tau: 5 % to 95 % of subsets",
    ]  # fmt: skip
    corners = one(ax, "band-0-0").get_paths()[0].vertices
    ends = zip(median.get_xdata(), frame["tau_0.05"], frame["tau_0.95"], strict=True)
    for at, low, high in ends:
        heights = corners[corners[:, 0] == at, 1]
        assert heights.min() == pytest.approx(low)
        assert heights.max() == pytest.approx(high)


def test_disagreement_is_not_cut_off():
    profile = ra.Profile.from_orders(["ABCD", "ABCD", "DCBA", "DCBA", "ABCD"])
    result = ra.stability(profile, ra.Borda(), sizes=[1, 2], rng=0)
    assert result.subsets()["tau_0.05"].min() < 0
    assert plotting.robustness_plot(result).get_yticks()[0] == -1
    alike = ra.stability(ra.datasets.load("superglue_human"), ra.Borda(), sizes=[7])
    assert plotting.robustness_plot(alike).get_yticks()[0] == 0


def test_subsets_without_a_tau_are_counted():
    profile = ra.Profile.from_orders(["ABC", "CBA", "ABC", "BCA"])
    result = ra.stability(profile, ra.Borda(), sizes=[1, 2, 3], rng=0)
    taus = [result._agreement(part)["tau"] for part in result.on_subsets]
    missing = int(np.isnan(taus).sum())
    assert missing == 2
    ax = plotting.robustness_plot(result)
    assert f"tau is not defined in {missing} of {len(taus)} subsets" in notes(ax)
    nowhere = ra.stability(ra.Profile.from_orders(["AB", "BA"] * 2), ra.Borda(), sizes=[2], rng=0)
    assert np.isnan(one(plotting.robustness_plot(nowhere), "line-0-0").get_ydata()).all()


# -- single units --------------------------------------------------------------------------------


def test_single_units_are_in_the_order_of_their_influence(thirty):
    result = ra.stability(thirty, ra.Borda(), sizes=[])
    ax = plotting.robustness_plot(result)
    frame = result.influence()
    labels = row_labels(ax)
    assert sorted(labels) == sorted(map(str, thirty.tasks))
    drawn = dots(ax)
    assert len(drawn) == 12
    distances = [drawn[row][1] for row in range(12)]
    assert distances == sorted(distances, reverse=True)
    by_name = dict(zip(map(str, frame.index), frame.itertuples(), strict=True))
    for row, label in enumerate(labels):
        fate = "changes" if by_name[label].top1 < 1 else "stays"
        assert drawn[row] == (fate, by_name[label].distance)
    top, bottom = ax.get_ylim()[::-1]
    assert top < bottom  # the first row is at the top


def test_changes_of_the_winner_are_marked_and_named():
    result = ra.stability(ra.distributions.Uniform("ABCDEF").sample(5, rng=3), ra.Borda(), sizes=[])
    frame = result.influence()
    changed = frame[frame["top1"] < 1]
    assert 0 < len(changed) < len(frame)
    assert frame["distance"].idxmax() not in changed.index
    ax = plotting.robustness_plot(result)
    labels = row_labels(ax)
    marked = {int(labels[row]) for row, (fate, _) in dots(ax).items() if fate == "changes"}
    assert marked == set(changed.index)
    (right,) = ax.child_axes
    ticks = right.yaxis.get_major_ticks()
    named = {int(labels[int(tick.get_loc())]): tick.label2.get_text() for tick in ticks}
    assert named == dict(changed["winner"])
    lines = {line.get_gid().partition("-")[0]: line for line in ax.get_lines() if line.get_gid()}
    assert lines["changes"].get_marker() != lines["stays"].get_marker()
    assert lines["changes"].get_color() != lines["stays"].get_color()
    assert legend_words(ax) == ["the winner stays", "another winner, named at the right"]


def replaced(given, without):
    return replace(given, _without=tuple(without), _sizes=(), on_subsets=())


def test_undecided_units_have_a_mark_of_their_own():
    given = ra.stability(ra.datasets.load("superglue_human"), sizes=[])
    late = replace(given._without[2], is_proved=False)
    result = replaced(given, without=[*given._without[:2], late, *given._without[3:]])
    ax = plotting.robustness_plot(result)
    labels = row_labels(ax)
    assert labels[-1] == str(given.units[2])
    assert dots(ax)[len(labels) - 1] == ("undecided", 0.0)
    assert "not decided within the limit" in legend_words(ax)
    assert "without 1 of 10 tasks" in notes(ax)
    nothing = ra.stability(
        ra.distributions.Uniform(range(40)).sample(45, rng=0), time_limit=0.0, sizes=[]
    )
    ax = plotting.robustness_plot(nothing)
    assert {fate for fate, _ in dots(ax).values()} == {"undecided"}
    assert "the first 40 of 45 rankings by distance; the winner changes in 0 of" in notes(ax)
    assert "nan" not in notes(ax)
    assert not cut_off(ax)
