"""Critical-difference diagrams: ranks, labels, bars and the ruler are those of the test."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg import plotting
from rankagg.plotting.interval_rows import _bar_levels
from rankagg.plotting.theme import plot_labels
from tests.inference.test_rank_tests import printed
from tests.plotting.reading import notes, of_group, one


@cache
def of_thirty(m):
    names = [f"{'System' if k % 3 else 'A system with a rather long name'} {k}" for k in range(30)]
    law = ra.distributions.LatentScores([0.15 * k for k in range(30)], systems=names)
    return ra.inference.friedman(law.sample(m, rng=1))


def demsar(items=("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"), n_rankings=14):
    """Return the test of Demšar's Table 6."""
    return printed([3.143, 2.0, 2.893, 1.964], n_rankings, items=items)


def sides(ax):
    """Return the height of every label on the left and on the right."""
    return [
        dict(zip([t.get_text() for t in axis.get_ticklabels()], axis.get_ticklocs(), strict=True))
        for axis in (ax.yaxis, ax.child_axes[0].yaxis)
    ]


def leaders(ax, n):
    """Return rank, height and end of every leader line, best first."""
    found = []
    for k in range(n):
        (x0, y0), (x1, y1), (x2, y2) = one(ax, f"item-{k}").get_xydata()
        assert y0 == 0 < y1 == y2
        assert x0 == x1
        assert x2 in ax.get_xlim()
        found.append((x0, y1, x2))
    return found


@pytest.mark.parametrize("test", [demsar(), of_thirty(12)])
def test_leader_lines_join_the_average_rank_and_the_name(test):
    ax = plotting.critical_difference_diagram(test)
    n = len(test.items)
    frame = test.to_frame()["average_rank"]
    left, right = sides(ax)
    assert len(left) + len(right) == n
    edges = ax.get_xlim()
    names = plot_labels(frame.index)
    for name, average, (rank, height, end) in zip(names, frame, leaders(ax, n), strict=True):
        assert rank == average
        on_left = end == edges[0]
        text = f"{name}  {rank:.2f}" if on_left else f"{rank:.2f}  {name}"
        assert (left if on_left else right)[text] == height


@pytest.mark.parametrize("test", [demsar(), of_thirty(12)])
def test_leader_lines_cross_no_others(test):
    ax = plotting.critical_difference_diagram(test)
    lines = leaders(ax, len(test.items))
    for rank, height, end in lines:
        for other, depth, _ in lines:
            crosses = min(rank, end) < other < max(rank, end) and depth > height
            assert not crosses
    bars = max(bar.get_ydata()[0] for bar in of_group(ax, "group"))
    assert bars < min(height for _, height, _ in lines)


@pytest.mark.parametrize(("test", "alpha"), [(demsar(), 0.2), (of_thirty(12), 0.05)])
def test_bars_join_the_groups(test, alpha):
    ax = plotting.critical_difference_diagram(test, alpha=alpha)
    rank = dict(zip(test.items, test.average_ranks, strict=True))
    groups = [sorted(rank[item] for item in g) for g in test.groups(alpha) if len(g) > 1]
    bars = of_group(ax, "group")
    assert groups
    assert [list(bar.get_xdata()) for bar in bars] == groups
    assert all(len(set(bar.get_ydata())) == 1 and bar.get_ydata()[0] > 0 for bar in bars)
    assert all(bar.get_marker() == "o" for bar in bars)
    spans = {}
    for bar in bars:
        spans.setdefault(bar.get_ydata()[0], []).append((min(bar.get_xdata()), bar.get_xdata()[-1]))
    for level in spans.values():
        assert all(first[1] < second[0] for first, second in pairwise(sorted(level)))


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 6)), max_size=12))
def test_bars_on_one_level_are_apart(drawn):
    starts = np.sort([start for start, _ in drawn])
    ends = np.maximum.accumulate([a + width for a, (_, width) in zip(starts, drawn, strict=True)])
    spans = list(zip(starts, ends, strict=True))
    levels = _bar_levels([np.array(span, dtype=float) for span in spans], 1.5)
    assert len(levels) == len(spans)
    for k, (start, _) in enumerate(spans):
        before = [end for (_, end), level in zip(spans[:k], levels, strict=False)
                  if level == levels[k]]  # fmt: skip
        assert all(end + 1.5 < start for end in before)
        # No level is skipped.
        assert levels[k] == 0 or levels[k] - 1 in levels[:k]


@pytest.mark.parametrize("n_rankings", [2, 14])
def test_the_ruler_is_as_long_as_the_critical_difference(n_rankings):
    test = demsar(n_rankings=n_rankings)
    ax = plotting.critical_difference_diagram(test, alpha=0.1)
    start, end = one(ax, "ruler").get_xdata()
    assert end - start == pytest.approx(test.critical_difference(0.1), rel=1e-12)
    text = f"critical difference {end - start:.2f} (alpha = 0.1)"
    assert one(ax, "ruler-text").get_text() == text
    low, high = ax.get_xlim()
    assert low < start < end < high
    bottom, top = ax.get_ylim()
    assert top < one(ax, "ruler").get_ydata()[0] < 0 < bottom


def test_the_caption_explains_the_bars():
    alike = printed([1.9, 2.0, 2.1], 5)
    text = notes(plotting.critical_difference_diagram(alike))
    assert "items that the bar joins differ by at most" in text
    apart = printed([1.0, 2.0, 3.0], 500)
    ax = plotting.critical_difference_diagram(apart)
    assert not of_group(ax, "group")
    for words in ("no two items differ by at most", "p < 0.0001"):
        assert words in notes(ax)
