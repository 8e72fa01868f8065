"""Plots of many items draw and state the first forty; rows show the numbers of their results."""

from functools import partial

import numpy as np
import pytest

import rankagg as ra
from rankagg import plotting
from tests.conftest import slow_but
from tests.plotting.reading import caption_of, faults, of_group, one, row_labels

RNG = np.random.default_rng(0)
N = 50
SYSTEMS = [f"S{k}" for k in range(N)]
TABLE = ra.ScoreTable(
    RNG.normal(size=(N, 12)) + np.linspace(9, 0, N)[:, None], systems=SYSTEMS, higher_is_better=True
)
WIDE = ra.ScoreTable(
    RNG.normal(size=(5, N)), tasks=[f"T{k}" for k in range(N)], higher_is_better=True
)
RANKINGS = TABLE.rankings()


def fit():
    return ra.BradleyTerry.fit(ra.Comparisons.from_rankings(RANKINGS))


# What is drawn, what a row is of, and how many there are.
MANY = {
    "forest_plot": (partial(ra.rank_intervals, TABLE, of="borda"), "items", N),
    "effects_plot": (partial(ra.inference.paired_tests, TABLE, "S9", method="sign"), "systems", 49),
    "separation_plot": (partial(ra.inference.separation, TABLE), "pairs", 49),
    "bump_chart": (partial(ra.compare, TABLE, [ra.Borda(), ra.Copeland()]), "items", N),
    "pairwise_heatmap": (RANKINGS.pairwise, "items", N),
    "intervals_heatmap": (partial(ra.PairwiseIntervals.from_data, RANKINGS), "items", N),
    "pair_intervals_plot": (partial(ra.PairwiseIntervals.from_data, RANKINGS), "pairs", 1225),
    "task_agreement_plot": (partial(ra.analysis.task_agreement, WIDE), "tasks", N),
    "rank_distribution_plot": (
        partial(ra.rank_shares, RANKINGS, ra.Borda(), n_resamples=30, rng=0), "items", N,
    ),
    "missingness_map": (partial(ra.analysis.missing_report, TABLE), "items", N),
    "tournament_plot": (partial(ra.TournamentGraph, RANKINGS), "items", N),
    "critical_difference_diagram": (partial(ra.inference.friedman, TABLE), "items", N),
    "list_ranks_plot": (partial(ra.inference.robust_rank_aggregation, RANKINGS), "items", N),
    "new_task_plot": (partial(ra.inference.new_task_ranks, TABLE, alpha=0.3), "systems", N),
}  # fmt: skip


@pytest.mark.parametrize("name", slow_but(["forest_plot", "critical_difference_diagram"], MANY))
def test_the_caption_states_that_the_first_forty_are_drawn(name):
    made, noun, total = MANY[name]
    plot, found = getattr(plotting, name), made()
    ax = plot(found)
    assert " ".join(caption_of(ax).split()).startswith(f"the first 40 of {total:,} {noun}")
    at_right = [t.get_text() for child in ax.child_axes for t in child.get_yticklabels()]
    rows = len(row_labels(ax)) + len(at_right) * (name == "critical_difference_diagram")
    assert rows == 40
    assert faults(ax) == []
    assert ax.figure.get_size_inches()[1] * 72 < 90 * ax.xaxis.label.get_fontsize()
    assert len(row_labels(plot(found, top=3))) in (2, 3)


def test_pairs_of_neighbors_are_drawn_first_with_their_intervals():
    found = ra.PairwiseIntervals.from_data(ra.datasets.load("superglue_human"))
    ax = found.plot(top=6)
    assert row_labels(ax)[5].split(" / ")[0] == row_labels(ax)[0].split(" / ")[0]
    for k, row in enumerate(row_labels(ax)):
        i, j = found.items.indices(row.split(" / "))
        assert one(ax, f"bar-{k}").get_xdata().tolist() == [found.lower[i, j], found.upper[i, j]]
        assert one(ax, f"point-{k}").get_xdata()[0] == found.estimate[i, j]


def test_marks_are_the_shares_of_the_lists():
    tops = [ra.PartialRanking.from_top_k(top, items="ABCDE") for top in ("ABC", "ADB", "AE")]
    found = ra.inference.robust_rank_aggregation(ra.Profile(tops), n_items=100)
    ax = found.plot()
    for k, item in enumerate(row_labels(ax)):
        shares = found.shares[:, found.items.index(item)]
        assert one(ax, f"lists-{k}").get_xdata().tolist() == shares.tolist()
    blue = [one(ax, f"lists-{k}").get_color() == "#0072B2" for k in range(5)]
    assert blue == (found.to_frame()["p_holm"] <= 0.05).tolist()
    assert of_group(ax, "lists-5") == []


def test_a_rule_is_drawn_with_its_mean_and_the_middle_of_its_splits():
    rules = [ra.Borda(), ra.Copeland()]
    found = ra.analysis.choose_rule(ra.datasets.load("xtreme_human"), rules, n_splits=20, rng=0)
    ax = found.plot()
    for k, name in enumerate(row_labels(ax)):
        distances = found.distances[found.rules.index(name)]
        ends = np.quantile(distances, [0.05, 0.95])
        np.testing.assert_allclose(one(ax, f"bar-{k}").get_xdata(), ends)
        np.testing.assert_allclose(one(ax, f"point-{k}").get_xdata(), distances.mean())
