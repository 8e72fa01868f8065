"""Two groups of rankings: the test against slow counts, its level and its power."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.inference import two_group_test, two_groups, units
from tests.oracles import ABOVE, BELOW, NOT_COMPARED, TIED, as_places, judgment

# Hollander and Sethuraman (1978): with whom 14 white and 13 black women liked to spend their
# leisure time, men (A), women (B) or both (C).
LEISURE = ra.Profile.from_orders(
    ["BAC", "BCA", "CBA", "ABC", "ACB", "CAB", "CBA"],
    counts=[1, 7, 6, 1, 1, 5, 6],
    groups=["white"] * 3 + ["black"] * 4,
)


PLACE = {ABOVE: 1.0, TIED: 0.5, BELOW: 0.0}


def slow_energy(first, second):
    """Return the energy distance by all pairs of rankings, over the pairs of items of both."""
    ones, others = ([as_places(row) for row in rows] for rows in (first, second))
    found = []
    for i, j in combinations(range(len(ones[0])), 2):
        x, y = (
            [PLACE[said] for row in rows if (said := judgment(row, i, j)) != NOT_COMPARED]
            for rows in (ones, others)
        )
        if x and y:
            between, *within = (
                np.mean([(a - b) ** 2 for a in left for b in right])
                for left, right in ((x, y), (x, x), (y, y))
            )
            found.append(2 * between - sum(within))
    return np.mean(found)


def slow_p_value(units, size):
    """Return the share of divisions that reach the statistic of the first so many units."""

    def energy(inside):
        groups = [[], []]
        for at, unit in enumerate(units):
            groups[at not in inside].extend(unit)
        return slow_energy(*groups)

    least = energy(range(size)) - 1e-9
    return np.mean([energy(inside) >= least for inside in combinations(range(len(units)), size)])


def drawn(rng, m, n=4, gaps=0.2):
    """Return rankings with ties, unranked items and unlisted ones."""
    codes = np.where(
        rng.random((m, n)) < gaps, rng.choice([-1, -2], (m, n)), rng.integers(0, n, (m, n))
    )
    codes[:, :2] = np.abs(codes[:, :2])
    for row in codes:
        row[row >= 0] = stats.rankdata(row[row >= 0], method="min") - 1
    return [ra.PartialRanking(row, range(n)) for row in codes]


def of(first, second, **options):
    groups = ["x"] * len(first) + ["y"] * len(second)
    return two_group_test(ra.Profile([*first, *second], groups=groups), "x", "y", **options)


# -- against slow counts --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_statistic_and_p_value_are_those_of_all_pairs_and_divisions(seed):
    rows = drawn(np.random.default_rng(seed), 8, gaps=0.25 * (seed % 2))
    rows[5] = rows[1]
    found = of(rows[:3], rows[3:])
    assert found.statistic == pytest.approx(slow_energy(rows[:3], rows[3:]))
    assert found.p_value == pytest.approx(slow_p_value([[row] for row in rows], 3))
    assert found.n_resamples == 0


@pytest.mark.parametrize("seed", range(3))
def test_distances_within_and_between_are_those_of_all_pairs(seed):
    rows = drawn(np.random.default_rng(seed), 9, gaps=0)
    first, second = rows[:4], rows[4:]
    found = of(first, second)

    def apart(pairs):
        return np.mean([ra.kendall_distance(a, b, p=0.25, normalized=True) for a, b in pairs])

    assert found.between == pytest.approx(apart([(a, b) for a in first for b in second]))
    within = (apart(combinations(first, 2)), apart(combinations(second, 2)))
    assert found.within == pytest.approx(within)
    less = (3 / 4 * within[0], 4 / 5 * within[1])
    assert found.statistic == pytest.approx(2 * found.between - sum(less))


def test_clusters_are_divided_whole():
    rows = drawn(np.random.default_rng(1), 14, gaps=0)
    clusters = list("aaabbcdddeeefg")
    profile = ra.Profile(rows, groups=["x"] * 6 + ["y"] * 8, clusters=clusters)
    found = two_group_test(profile, "x", "y")
    whole = [[r for r, c in zip(rows, clusters, strict=True) if c == name] for name in "abcdefg"]
    assert found.unit == "cluster"
    assert found.statistic == pytest.approx(slow_energy(rows[:6], rows[6:]))
    assert found.p_value == pytest.approx(slow_p_value(whole, 3))


def test_drawn_divisions_come_near_all_and_blocks_do_not_matter(monkeypatch):
    rows = drawn(np.random.default_rng(4), 12)
    exact = of(rows[:5], rows[5:])
    monkeypatch.setattr(two_groups, "MOST_DIVISIONS", 1)
    whole = of(rows[:5], rows[5:], n_resamples=3000)
    error = 4.5 * np.sqrt(exact.p_value * (1 - exact.p_value) / 3000)
    assert abs(whole.p_value - exact.p_value) < error
    monkeypatch.setattr(two_groups, "HELD", 100)
    monkeypatch.setattr(units, "VALUES_HELD", 20)
    parts = of(rows[:5], rows[5:], n_resamples=3000)
    assert abs(parts.p_value - exact.p_value) < error
    assert parts.n_resamples == 3000


def test_what_was_observed_is_one_of_the_draws():
    rows = [ra.Permutation.from_order(order, items="ABC") for order in ("ABC", "CBA")]
    profile = ra.Profile(rows * 10, groups="xy" * 10, clusters=range(20))
    assert two_group_test(profile, "x", "y", n_resamples=100).p_value == 1 / 100


def test_counts_are_repetitions():
    again = [row for row, count in zip(LEISURE, LEISURE.counts, strict=True) for _ in range(count)]
    rows = ra.Profile(again, groups=["white"] * 14 + ["black"] * 13)
    assert two_group_test(rows, "white", "black") == two_group_test(LEISURE, "white", "black")


# -- what is known --------------------------------------------------------------------------------


def test_the_leisure_of_two_groups():
    found = two_group_test(LEISURE, "white", "black")
    # The between-group diversity of Feigin and Alvo (1986) by Kendall's metric is .5405267, by
    # the R package StatMethRank: the shares of the groups times six times the statistic.
    assert found.statistic * 6 * (14 * 13 / 27**2) == pytest.approx(0.540526688675)
    assert found.sizes == (14, 13)
    # Theirs is a chi-square test, with p = .0000029, or F with .00047.
    assert 2.9e-6 < found.p_value < 4.8e-4
    assert [one.ranking.order[0] for one in found.consensuses] == ["B", "C"]
    assert found.distance == pytest.approx(2 / 3)


def test_pairs_of_one_group_alone_are_counted():
    first = ra.Profile.from_orders(["ABC", "ACB"], items="ABCD")
    found = of(list(first), list(ra.Profile.from_orders(["ABD", "BAD"], items="ABCD")))
    assert "4 pairs of items that one group alone compares" in found.notes[0]


@pytest.mark.parametrize("sizes", [(8, 8), (5, 25)])
@pytest.mark.parametrize("runs", [100, pytest.param(300, marks=pytest.mark.slow)])
def test_it_holds_its_level_with_ties_gaps_and_clusters(sizes, runs):
    rng, levels = np.random.default_rng(0), np.array([0.05, 0.2])
    low = np.zeros((2, 2))
    for _ in range(runs):
        rows = drawn(rng, sum(sizes))
        groups = ["x"] * sizes[0] + ["y"] * sizes[1]
        options = {"n_resamples": 100, "rng": rng}
        plain = ra.Profile(rows, groups=groups)
        # Each rater says the same three times.
        raters = ra.Profile(rows * 3, groups=groups * 3, clusters=[*range(len(rows))] * 3)
        for at, profile in enumerate((plain, raters)):
            low[at] += two_group_test(profile, "x", "y", **options).p_value <= levels
    assert (low <= stats.binom.ppf(0.999, runs, levels)).all()
    assert (low >= stats.binom.ppf(0.001, runs, 0.6 * levels)).all()


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(4, 40), (20, 20), (60, 20)])
@pytest.mark.parametrize("theta", [0.1, 1.0])
def test_equal_mallows_groups_are_told_apart_as_seldom_as_promised(sizes, theta):
    rng, runs, low = np.random.default_rng(1), 1000, np.zeros(3)
    levels = np.array([0.01, 0.05, 0.2])
    mallows = ra.Mallows(ra.Permutation.from_order("ABCDEF"), theta=theta)
    for _ in range(runs):
        rows = list(mallows.sample(sum(sizes), rng=rng))
        found = of(rows[: sizes[0]], rows[sizes[0] :], n_resamples=400, rng=rng)
        low += found.p_value <= levels
    assert (low <= stats.binom.ppf(0.999, runs, levels)).all()
    # Divisions with the same statistic make it smaller.
    assert (low >= stats.binom.ppf(0.001, runs, 0.75 * levels)).all()


def test_other_centers_are_found():
    rng, found = np.random.default_rng(0), []
    for _ in range(40):
        groups = [
            ra.Mallows(ra.Permutation.from_order(center), theta=0.7).sample(25, rng=rng)
            for center in ("ABCDE", "CBADE")
        ]
        found.append(of(*map(list, groups), n_resamples=200, rng=rng).p_value <= 0.05)
    assert np.mean(found) > 0.9


# -- what is refused ------------------------------------------------------------------------------

AB = ra.Profile.from_orders(["AB", "BA", "AB"], groups=["x", "y", "y"])


@pytest.mark.parametrize(
    ("data", "names", "options", "message"),
    [
        ("AB", "xy", {}, "a ScoreTable or a Profile"),
        (ra.Profile.from_orders(["AB"]), "xy", {}, "a profile with groups"),
        (AB, "xz", {}, "`second` must be one of two different groups among x, y. Got 'z'"),
        (AB, "xx", {}, "`first` must be one of two different groups"),
        (AB, "xy", {"n_resamples": 9}, "`n_resamples` must be"),
        (AB, "xy", {"aggregator": "borda"}, "`aggregator` must be"),
        (ra.Profile(list(AB), counts=[10**9] * 3, groups="xyy"), "xy", {}, "than a billion"),
        (AB.with_clusters("aab"), "xy", {}, "clusters that lie in one group each. Got 1 in both"),
        (ra.Profile.from_orders(["AB", "CD"], groups="xy"), "xy", {},
         "groups that both compare two items"),
        (ra.Profile.from_orders(["AB", "BA"], groups="xy", weights=[1, 2]), "xy", {},
         "equal weight"),
    ],
)  # fmt: skip
def test_what_cannot_be_tested_is_refused(data, names, options, message):
    with pytest.raises(InvalidInputError, match=message):
        two_group_test(data, *names, **options)
