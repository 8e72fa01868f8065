"""Ranks of compared items: decisions, their basis, and their error rates."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.integrate import quad
from scipy.stats import binom, binomtest

import rankagg as ra
from rankagg.analysis.robustness.redraws import _RedrawComparisons
from rankagg.exceptions import InvalidInputError
from rankagg.inference.ranks.comparison_ranks import (
    _mixed_sign_test,
    _pair_majorities,
    _score_items,
    comparison_rank_intervals,
)
from tests.core.test_comparisons import comparisons


def battles(seed, n, m, *, clusters=0, effect=2.0, worths=None, ties=0.1, weights=None):
    """Draw results of a Bradley-Terry model; clusters add worths of their own."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n, m)
    second = (first + rng.integers(1, n, m)) % n
    lead = np.zeros(m) if worths is None else worths[first] - worths[second]
    judge = rng.integers(0, clusters, m) if clusters else None
    if clusters:
        own = rng.normal(0, effect, (clusters, n))
        lead = lead + own[judge, first] - own[judge, second]
    outcomes = np.where(rng.random(m) < 1 / (1 + np.exp(-lead)), 1, -1)
    outcomes[rng.random(m) < ties] = 0
    return ra.Comparisons(range(n), first, second, outcomes, clusters=judge, weights=weights)


# -- scores and their covariance ------------------------------------------------------------------


def slow_scores(data, over_opponents):
    """Return win rates by a loop."""
    n = data.n_items
    weights = np.ones(len(data)) if data.weights is None else data.weights
    gained, total = np.zeros((n, n)), np.zeros((n, n))
    for one, other, outcome, weight in zip(
        data.first, data.second, data.outcomes, weights, strict=True
    ):
        for i, j, won in ((one, other, (outcome + 1) / 2), (other, one, (1 - outcome) / 2)):
            gained[i, j] += weight * won
            total[i, j] += weight
    if over_opponents:
        np.fill_diagonal(total, 1)
        return (gained / total).sum(axis=1) / (n - 1)
    return gained.sum(axis=1) / total.sum(axis=1)


@pytest.mark.parametrize("over_opponents", [True, False])
@pytest.mark.parametrize("unit", ["comparison", "cluster"])
def test_covariance_is_that_of_resamples(over_opponents, unit):
    data = battles(1, 4, 160, clusters=40, worths=np.linspace(0, 1, 4))
    found = _score_items(data, unit, over_opponents=over_opponents)
    np.testing.assert_allclose(found.scores, slow_scores(data, over_opponents))
    rng = np.random.default_rng(2)
    members = np.arange(len(data)) if unit == "comparison" else data.clusters
    rows = [np.flatnonzero(members == unit) for unit in np.unique(members)]
    drawn = [
        slow_scores(
            data.take(np.concatenate([rows[at] for at in rng.integers(0, len(rows), len(rows))])),
            over_opponents,
        )
        for _ in range(150)
    ]
    # 150 resamples know a standard error to 6 %.
    ratio = np.sqrt(found.covariance.diagonal()) / np.std(drawn, axis=0)
    np.testing.assert_allclose(ratio, 1, atol=0.2)
    assert found.n_units == len(rows)


def test_an_item_that_always_won_has_an_error():
    outcomes = [1] * 6 + [1, -1] * 20
    data = ra.Comparisons.from_arrays("A" * 6 + "B" * 40, "B" * 6 + "C" * 40, outcomes)
    found = _score_items(data, "comparison", over_opponents=False)
    shrunk = 8 / 10  # six wins and two, of six and four
    assert found.covariance[0, 0] == pytest.approx(shrunk * (1 - shrunk) / 6)


# -- majorities -----------------------------------------------------------------------------------


@given(comparisons(max_items=4))
@settings(max_examples=25)
def test_majorities_of_clusters_are_those_of_a_loop(drawn):
    made, _ = drawn
    clusters = np.arange(len(made)) % 3
    data = ra.Comparisons(
        made.items, made.first, made.second, made.outcomes, weights=made.weights, clusters=clusters
    )
    n = data.n_items
    expected = np.zeros((n, n), dtype=int)
    for cluster in np.unique(clusters):
        votes = data.take(clusters == cluster).pairwise()
        margins = votes.wins - votes.wins.T
        expected += margins > 1e-9
    won, n_units = _pair_majorities(data, "cluster")
    assert won.tolist() == expected.tolist()
    assert n_units == len(np.unique(clusters))
    won, n_units = _pair_majorities(made, "comparison")
    assert won.tolist() == made._results[0].tolist()
    assert n_units == len(made)


def test_a_lead_from_rounding_alone_is_not_counted():
    weights, sides = [0.1, 0.2, 0.3], {"first": [0, 0, 0], "second": [1, 1, 1]}
    data = ra.Comparisons("AB", **sides, outcomes=[1, 1, -1], weights=weights, clusters=[0, 0, 0])
    won, n_units = _pair_majorities(data, "cluster")
    assert (won.any(), n_units) == (False, 1)


def test_sign_tests_are_those_of_scipy():
    data = battles(4, 3, 150, worths=np.array([0.0, 1.0, 2.0]))
    ranks, won = comparison_rank_intervals(data, of="pairwise"), data._results[0]
    off = ~np.eye(3, dtype=bool)
    p_values = [
        binomtest(int(k), int(n), alternative="greater").pvalue
        for k, n in zip(won[off], (won + won.T)[off], strict=True)
    ]
    decided = ra.distributions.fit_result.holm(np.array(p_values)) <= 0.05
    assert (ranks.decisions.above[off] >= decided).all()
    assert decided.any()
    assert ranks.unit == "comparison"
    assert "exact sign tests of comparisons" in ranks.describe()
    six = ra.Comparisons("AB", [0] * 6, [1] * 6, [1] * 6)  # p is 1/64
    for alpha, is_above in ((2 / 64, True), (1.99 / 64, False)):
        assert (
            comparison_rank_intervals(six, of="pairwise", alpha=alpha).decisions.above[0, 1]
            == is_above
        )


# -- rank intervals -------------------------------------------------------------------------------


@pytest.mark.parametrize("of", ["borda", "mean", "pairwise"])
def test_ranks_of_items_far_apart(of):
    data = battles(5, 4, 2000, clusters=50, effect=0.3, worths=np.array([3.0, 2.0, 1.0, 0.0]))
    ranks, again = (comparison_rank_intervals(data, of=of, rng=7) for _ in range(2))
    assert ranks.to_dict() == again.to_dict()
    assert (ranks.unit, ranks.n_units, ranks.first) == ("cluster", 50, (0,))
    assert ranks.rank.tolist() == ranks.best.tolist() == ranks.worst.tolist() == [1, 2, 3, 4]
    assert comparison_rank_intervals(data, of=of, unit="comparison").n_units == 2000


def test_win_rates_over_opponents_do_not_depend_on_the_schedule():
    # The best meets the second best only; the worst is never met by it.
    rows = [("A", "B", 1)] * 60 + [("B", "A", 1)] * 40 + [("B", "C", 1)] * 95 + [("C", "B", 1)] * 5
    rows += [("A", "C", 1)] * 2 + [("C", "A", 1)] * 0
    data = ra.Comparisons.from_arrays(*zip(*rows, strict=True))
    assert comparison_rank_intervals(data, of="mean").rank.tolist() == [2, 1, 3]
    assert comparison_rank_intervals(data, of="borda").rank.tolist() == [1, 2, 3]


FEW = ra.Comparisons.from_arrays("AAB", "BCC", [1, 1, 1])
GAP = battles(7, 4, 100).restrict([0, 1, 2])
GAP = ra.Comparisons(range(4), GAP.first, GAP.second, GAP.outcomes)
WEIGHTED = ra.Comparisons.from_arrays("AAB" * 9, "BCC" * 9, [1] * 27, weights=range(1, 28))


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (FEW, {}, r"two items, at least twice, for of='borda'. Got A and B less often \(3 such"),
        (FEW, {"of": "mean"}, "in at least 20 comparisons for of='mean'. Got 3 comparisons. With"),
        (GAP, {}, "every two items, at least twice"),
        (WEIGHTED, {"of": "pairwise"}, "of equal weights for of='pairwise'"),
        (FEW, {"unit": "cluster"}, "without clusters. Got 'cluster'. `cluster=` of `read"),
        (FEW, {"of": "mean", "anytime": True}, r"False .* Use majorities, of='pairwise'"),
        (ra.Profile.from_orders(["AB"]), {}, "must be Comparisons.*`rank_intervals` is for rank"),
    ],
)  # fmt: skip
def test_bad_data_and_options_are_refused(data, options, words):
    with pytest.raises(InvalidInputError, match=words):
        comparison_rank_intervals(data, **options)


@pytest.mark.parametrize("times", [])
@pytest.mark.parametrize(
    ("n", "m", "options"),
    [(2, 30, {"ties": 0.6}), (3, 60, {"ties": 0.6}), (5, 1200, {"clusters": 30, "effect": 0.5}),
     (3, 300, {"weights": np.where(np.arange(300) < 10, 20.0, 1.0)})],
)  # fmt: skip
def test_ratings_of_equal_items_are_seldom_separated(n, m, options, times):
    wrong = 0
    for seed in range(times):
        data = battles([seed, n, m], n, m, **options)
        ranks = ra.inference.rank_sets(ra.BradleyTerry.fit(data), n_resamples=1000, rng=0)
        wrong += bool(ranks.decisions.above.any())
    assert wrong <= binom.ppf(0.999, times, 0.05)


# -- shares ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["comparison", "cluster"])
def test_a_resample_counts_the_drawn_comparisons(unit):
    data = battles(8, 4, 60, clusters=7, weights=np.tile([1.0, 0.5, 1 / 3], 20))
    redraw = _RedrawComparisons.of(data, ra.Borda(), unit)
    if unit == "cluster":
        counts = np.array([2, 0, 1, 1, 0, 3, 1])
        rows = np.repeat(np.arange(60), counts[data.clusters])
        assert redraw.resampled(counts).votes == data.take(rows).pairwise()
    once = np.rint(redraw.shares * redraw.size).astype(int)
    assert redraw.resampled(once).votes == data.pairwise()
    drawn = redraw.draw(1000, np.random.default_rng(0))
    assert (drawn.sum(axis=1) == (7 if unit == "cluster" else 60)).all()
    np.testing.assert_allclose(drawn.mean(axis=0), redraw.size * redraw.shares, rtol=0.25)


def test_shares_of_ranks_are_over_resamples_of_clusters():
    data = battles(9, 4, 300, clusters=30, effect=0.5, worths=np.array([2.0, 1.0, 0.5, 0.0]))
    shares = ra.rank_shares(data, ra.Copeland(), n_resamples=50, rng=1)
    assert shares.unit == "cluster"
    assert shares.first_in_every[0] > 0.8
    assert "50 resamples of clusters" in shares.summary()
    kemeny = ra.rank_shares(data, n_resamples=20, unit="comparison", rng=1)
    assert kemeny.first_in_every[0] > 0.8
    with pytest.raises(InvalidInputError, match="for Comparisons"):
        ra.rank_shares(data, fixed_tasks=True)
    with pytest.raises(InvalidInputError, match="but of Comparisons"):
        ra.rank_shares(ra.Profile.from_orders(["AB"]), unit="cluster")


def test_units_of_very_unequal_size_count_as_few():
    data = battles(10, 3, 600, worths=np.array([2.0, 1.0, 0.0]))
    rng = np.random.default_rng(0)
    even = rng.integers(0, 60, 600)
    uneven = np.where(rng.random(600) < 0.7, 0, even)
    ranks = {}
    for name, clusters in (("even", even), ("uneven", uneven)):
        clustered = ra.Comparisons(
            data.items, data.first, data.second, data.outcomes, clusters=clusters
        )
        ranks[name] = comparison_rank_intervals(clustered)
        expected = [
            (sizes**2).sum() ** 2 / (sizes**4).sum()
            for item in range(3)
            for sizes in [np.bincount(clusters[(data.first == item) | (data.second == item)])]
        ]
        found = _score_items(clustered, "cluster", over_opponents=False).effective
        np.testing.assert_allclose(found, np.array(expected, dtype=float))
    assert ranks["even"].decisions.above.sum() == 3
    assert not ranks["uneven"].decisions.above.any()
    assert any("count as 1.0 of equal size" in note for note in ranks["uneven"].notes)
    assert not any("of equal size" in note for note in ranks["even"].notes)


# -- at every look --------------------------------------------------------------------------------


@pytest.mark.parametrize(("won", "decided"), [(0, 0), (3, 3), (5, 10), (18, 20), (3, 20)])
def test_the_anytime_sign_test_averages_over_win_probabilities(won, decided):
    def ratio(p):
        return 2 * (2 * p) ** won * (2 * (1 - p)) ** (decided - won)

    mean, _ = quad(ratio, 0.5, 1)
    assert _mixed_sign_test(np.array(won), np.array(decided)) == pytest.approx(min(1 / mean, 1))


def test_the_anytime_sign_test_keeps_its_error_over_all_sizes():
    # Exact: pairs not rejected yet continue.
    ever = {True: 0.0, False: 0.0}
    for every in ever:
        alive = np.ones(1)
        for m in range(1, 500):
            alive = (np.append(alive, 0) + np.append(0, alive)) / 2
            won = np.arange(m + 1)
            p = _mixed_sign_test(won, np.full(m + 1, m)) if every else binom.sf(won - 1, m, 0.5)
            ever[every] += alive[p <= 0.05].sum()
            alive[p <= 0.05] = 0
    assert 0.02 < ever[True] <= 0.05
    assert ever[False] > 0.25
