"""Plots of fits show the fit, the data and the distribution."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import rankagg as ra
from rankagg import plotting
from rankagg.plotting.fits import _distance_probabilities
from rankagg.plotting.theme import plot_labels
from tests.plotting.reading import faults, legend_words, notes, of_group, one, row_labels


@cache
def plackett_luce(n=5):
    names = [f"{'System' if k % 3 else 'A system with a rather long name'} {k}" for k in range(n)]
    law = ra.PlackettLuce(np.linspace(-1, 1, n), items=names)
    return ra.PlackettLuce.fit(law.sample(80, rng=0))


@cache
def with_ties():
    rows = [["A", "BC"], "BAC", ["CA", "B"], "CBA"]
    ballots = [ra.PartialRanking.from_buckets(row, items="ABC") for row in rows]
    return ra.PlackettLuce.fit(ra.Profile(ballots, counts=[5, 4, 3, 2]))


def rows(ax, n):
    """Return the estimate and the bounds of every row, from top to bottom."""
    found = []
    for k in range(n):
        point, bar = one(ax, f"point-{k}"), one(ax, f"bar-{k}")
        assert list(point.get_ydata()) == [k]
        assert list(bar.get_ydata()) == [k, k]
        found.append([*point.get_xdata(), *bar.get_xdata()])
    return np.array(found)


# -- log worths -------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.05, 0.5])
def test_worths_are_in_order_with_their_intervals(alpha):
    fit = plackett_luce()
    ax = fit.plot(alpha=alpha)
    frame = fit.conf_int(alpha).assign(estimate=fit.estimates)
    frame = frame.sort_values("estimate", ascending=False)[["estimate", "lower", "upper"]]
    np.testing.assert_array_equal(rows(ax, 5), frame.to_numpy())
    assert row_labels(ax) == plot_labels(frame.index)
    bottom, top = ax.get_ylim()
    assert bottom > 4
    assert top < 0
    assert set(one(ax, "mean").get_xdata()) == {0.0}
    text = f"log worth PlackettLuce, with {100 * (1 - alpha):g} % intervals"
    assert notes(ax).startswith(text)


def test_tie_parameters_are_in_the_caption_only():
    fit = with_ties()
    assert fit.names[3:] == ("log tie 2",)
    ax = fit.plot()
    assert len(ax.get_yticklabels()) == 3
    assert not of_group(ax, "point-3")
    low, high = fit.conf_int().iloc[3]
    text = f"log tie 2: {fit.estimates[3]:.2f} (95 %: {low:.2f} to {high:.2f})"
    assert f"not drawn: {text}" in notes(ax)
    assert "ties" not in notes(plackett_luce().plot())


@pytest.mark.parametrize("draw", [plotting.worths_plot, plotting.parameters_plot])
def test_unknown_errors_are_open_points_without_bars(draw):
    fit = plackett_luce()
    covariance = fit.covariance.copy()
    covariance[2, 2] = np.nan
    ax = draw(replace(fit, covariance=covariance))
    names = row_labels(ax)
    points = [one(ax, f"point-{k}") for k in range(5)]
    is_open = [point.get_markerfacecolor() == "white" for point in points]
    assert is_open == [not of_group(ax, f"bar-{k}") for k in range(5)]
    assert is_open == [name == fit.names[2] for name in names]
    assert "note: open points have no standard error" in notes(ax)
    assert "open point" not in notes(draw(fit))


# -- any parameters ---------------------------------------------------------------------------


# -- distances to the center ----------------------------------------------------------------------


@cache
def strict():
    return ra.Mallows.fit(ra.Mallows("DBACE", theta=0.7).sample(200, rng=0))


@cache
def thirty():
    return ra.Mallows.fit(ra.Mallows(range(30), theta=0.2).sample(60, rng=1))


def exact_law(n, theta):
    counts = np.array(ra.distributions.kendall_distance_counts(n), dtype=float)
    weights = counts * np.exp(-theta * np.arange(len(counts)))
    return weights / weights.sum()


def bars(ax, gid):
    """Return left edge, floor, right edge and top of every bar."""
    return np.array([bar.get_bbox().extents for bar in of_group(ax, gid)])


@pytest.mark.parametrize(("n", "theta"), [(1, 0.3), (3, 0.0), (7, 1e-9), (12, 30.0), (60, 0.3)])
def test_the_drawn_law_counts_permutations(n, theta):
    law = _distance_probabilities(n, theta)
    np.testing.assert_allclose(law, exact_law(n, theta), atol=1e-12)


def test_bars_show_distances_with_the_law_of_theta():
    fit = strict()
    ax = fit.plot(alpha=0.2)
    profile, center = fit.data, fit.distribution.center
    shares = np.zeros(11)
    for ranking, count in zip(profile, profile.counts, strict=True):
        shares[int(ra.kendall_distance(ranking, center))] += count / profile.n_rankings
    for left, floor, right, top in bars(ax, "known"):
        (d,) = (k for k in range(11) if left < k < right)
        assert floor == 0
        assert top == pytest.approx(shares[d])
        shares[d] = 0
    assert not shares.any()
    theta = fit.distribution.theta
    law = exact_law(5, theta)
    for x, y in one(ax, "expected").get_xydata():
        assert y == pytest.approx(law[round(x)])
    assert legend_words(ax) == ["rankings", "fitted distribution"]
    low, high = fit.conf_int(0.2).iloc[0]
    text = notes(ax)
    assert f"theta {theta:.3g} (80 %: {low:.3g} to {high:.3g})" in text
    assert f"see the {len(fit.notes)} note" in text


def test_many_distances_share_bars_with_the_full_total():
    fit = thirty()
    ax = fit.plot()
    known = bars(ax, "known")
    assert 10 < len(known) <= 30
    assert known[:, 3].sum() == pytest.approx(1)
    center = fit.distribution.center
    distances = [ra.kendall_distance(ranking, center) for ranking in fit.data]
    step = round(known[1, 0] - known[0, 0])
    assert f", {step} in a bar" in notes(ax)
    middles = known[:, [0, 2]].mean(axis=1)
    starts = np.round(middles - (step - 1) / 2).astype(int)
    for start, height in zip(starts, known[:, 3], strict=True):
        inside = sum(start <= d < start + step for d in distances)
        assert height == pytest.approx(inside / len(distances))
    law = exact_law(30, fit.distribution.theta)
    line = one(ax, "expected")
    expected = [law[start : start + step].sum() for start in starts]
    np.testing.assert_allclose(line.get_ydata(), expected, atol=1e-12)
    np.testing.assert_allclose(line.get_xdata(), middles)
    assert faults(ax) == []


def test_memberships_are_drawn_by_component():
    both = ra.Mixture([ra.Mallows("ABCD", 2.0), ra.Mallows("DCBA", 2.0)], [0.7, 0.3])
    fit = ra.Mixture.fit(both.sample(80, rng=0), 2, noise=True, n_starts=1, rng=0)
    ax = plotting.memberships_plot(fit)
    assert row_labels(ax)[0] == "1: A > B > C > D"
    assert row_labels(ax)[-1] == "noise"
    drawn = {bar.get_gid(): bar.get_width() for bar in ax.patches}
    for j, weight in enumerate(fit.distribution.weights):
        assert drawn[f"weight-{j}"] == weight
        sure = (fit.memberships().iloc[:, j] >= 0.9) @ fit.data.counts / 80
        assert drawn[f"sure-{j}"] == pytest.approx(min(sure, weight))
