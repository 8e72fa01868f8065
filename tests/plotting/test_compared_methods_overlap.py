"""Top-k agreement curves: one for each method, through its expected overlaps."""

from contextlib import nullcontext

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given

import rankagg as ra
from rankagg import plotting
from rankagg.testing.plots import below, collisions, cut_off, of_group
from tests.plotting.reading import drawn_quickly, legend_words, notes
from tests.strategies import profiles


def curves(ax):
    """Return {method: ([k, ...], [overlap, ...])} as drawn, by the words of the legend."""
    found = {}
    legend = legend_words(ax)
    lines = [line for line in ax.get_lines() if line.get_gid().startswith("curve-")]
    assert legend[: len(lines)] == [line.get_label() for line in lines]
    for line in lines:
        for method in line.get_label().split("\n"):
            assert method not in found
            found[method] = line.get_data()
    return found


@drawn_quickly
@given(profile=profiles(min_size=1, unranked=False))
def test_curves_go_through_the_overlaps(profile):
    comparison = ra.compare(profile)
    ax = plotting.overlap_plot(comparison)
    expected = comparison.overlap_curves()
    drawn = curves(ax)
    assert set(drawn) == set(comparison.methods)
    for method, (depths, shares) in drawn.items():
        assert list(depths) == list(expected.index)
        np.testing.assert_allclose(shares, expected[method], atol=1e-9)
    plt.close("all")


def test_methods_with_one_curve_share_a_line():
    comparison = ra.compare(ra.datasets.load("superglue_human"))
    ax = plotting.overlap_plot(comparison)
    labels = legend_words(ax)
    expected = comparison.overlap_curves()
    alike = {}
    for method in expected:
        alike.setdefault(tuple(expected[method].round(9)), []).append(method)
    assert sorted(labels[:-1]) == sorted("\n".join(group) for group in alike.values())


def test_the_best_curve_comes_first_and_shows_below_the_others(thirty):
    comparison = ra.compare(thirty)
    lines = [a for a in plotting.overlap_plot(comparison).get_lines() if a.get_gid() != "random"]
    means = [line.get_ydata().mean() for line in lines]
    assert means == sorted(means, reverse=True)
    assert lines[0].get_label() == "Kemeny"
    widths = [line.get_linewidth() for line in lines]
    assert widths == sorted(set(widths), reverse=True)
    assert len(widths) > 2


def test_a_dotted_line_shows_what_chance_has(thirty):
    ax = plotting.overlap_plot(ra.compare(thirty))
    (line,) = of_group(ax, "random")
    depths, shares = line.get_data()
    np.testing.assert_allclose(shares, np.arange(1, 31) / 30)
    assert list(depths) == list(range(1, 31))
    drawn = ra.Uniform(range(30)).sample(400, rng=0)
    overlap = [ra.distances.top_k_agreement(one, drawn[0], 7) for one in drawn[1:]]
    assert np.mean(overlap) == pytest.approx(shares[6], abs=0.02)


def test_items_that_some_method_does_not_rank_are_counted():
    profile = ra.Profile(
        [ra.PartialRanking.from_order("AB", items="ABCD"),
         ra.PartialRanking.from_order("BAC", items="ABCD")]
    )  # fmt: skip
    comparison = ra.compare(profile, [ra.PlackettLuceRanking(), ra.Kemeny()])
    depth = len(comparison.overlap_curves())
    assert depth < 4
    ax = plotting.overlap_plot(comparison)
    note = notes(ax)
    assert f"only {depth} of 4 items are ranked by all methods" in note
    assert not of_group(ax, "random")
    ax = plotting.overlap_plot(ra.compare(ra.datasets.load("tennessee")))
    assert below(ax) == "k: how many of the first items"


def test_an_unproved_consensus_is_said_to_be_one():
    profile = ra.Uniform(range(40)).sample(7, rng=0)
    ax = plotting.overlap_plot(ra.compare(profile, [ra.Borda(), ra.Kemeny(time_limit=0.0)]))
    assert "the exact consensus is not proved optimal" in notes(ax)


class Odd(ra.Borda):
    name = "$\\frac$ " + "W" * 200


class OddKemeny(ra.Kemeny):
    name = "$\\frac$ " + "Kemeny" * 9


@pytest.mark.parametrize("styled", [True, False])
def test_odd_names_of_rules_are_plain_text(styled):
    comparison = ra.compare(ra.Uniform(range(9)).sample(4, rng=1), [Odd(), OddKemeny()])
    with nullcontext() if styled else mpl.style.context("default"):
        ax = plotting.overlap_plot(comparison)
        assert any("$\\frac$" in text.get_text() for text in ax.get_legend().get_texts())
        assert not collisions(ax)
        assert not cut_off(ax)
