"""The interval of theta whose center is chosen by the data: its parts, and its coverage."""

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg.core.rankings.places import UNLISTED
from rankagg.distributions.mallows import theta_interval
from rankagg.distributions.mallows.center import theta_of
from rankagg.distributions.mallows.kendall_distances import kendall_distance_counts
from rankagg.distributions.mallows.theta_interval import (
    ThetaData,
    invert,
    is_feasible,
    local_cost,
    log_doubt,
    tail_at_least,
    tail_at_most,
)  # fmt: skip
from rankagg.exceptions import InvalidInputError
from tests.distributions.enumeration import strict_ranks

VOTES = ra.Profile.from_orders(["ABCD", "BACD", "ACDB", "DABC", "ABDC"], counts=[4, 2, 3, 1, 1])


# -- the distance to the true center --------------------------------------------------------------


def distance_law(n, m, theta):
    """Return the chances of all summed distances, by convolution."""
    counts = np.array(kendall_distance_counts(n), dtype=float)
    one = counts * np.exp(-theta * np.arange(len(counts)))
    law = np.ones(1)
    for _ in range(m):
        law = np.convolve(law, one / one.sum())
    return law


@pytest.mark.parametrize(("n", "m"), [(2, 1), (2, 9), (3, 1), (3, 5), (5, 4), (6, 10), (4, 30)])
@pytest.mark.parametrize("theta", [0.0, 0.05, 0.5, 2.0, 6.0])
def test_tails_are_those_of_the_law_and_rather_too_large(n, m, theta):
    law = distance_law(n, m, theta)
    for d in range(len(law) + 1):
        upper, lower = law[d:].sum(), law[: d + 1].sum()
        if 1e-10 < upper < 0.4:
            assert 0.98 * upper <= tail_at_least(d, n, m, theta) <= 1.2 * upper
            assert tail_at_least(d - 0.5, n, m, theta) == tail_at_least(d, n, m, theta)
        if 1e-6 < lower < 0.4:
            assert 0.8 * lower <= tail_at_most(d, n, m, theta) <= 1.25 * lower
            assert tail_at_most(d + 0.5, n, m, theta) == tail_at_most(d, n, m, theta)
    assert tail_at_least(0, n, m, theta) == 1.0
    assert tail_at_least(len(law), n, m, theta) == 0.0


def test_tails_near_the_mean_are_smooth():
    law = distance_law(4, 30, 0.0)
    for d in range(80, 101):
        assert tail_at_least(d, 4, 30, 0.0) == pytest.approx(law[d:].sum(), abs=2e-3)


def test_tails_of_large_samples_are_normal():
    law = ra.Mallows(range(20), 0.2)
    mean, error = 5000 * law.mean_distance, np.sqrt(5000 * law.distance_variance)
    for z in (-3, -1.5, 0.5, 2, 4):
        at = np.round(mean + z * error)
        expected = stats.norm.sf((at - 0.5 - mean) / error)
        assert tail_at_least(at, 20, 5000, 0.2) == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize(("n", "m"), [(3, 4), (3, 7), (4, 3)])
@pytest.mark.parametrize("theta", [0.0, 0.7, 2.0, 4.0])
def test_the_doubt_bounds_the_chance_of_a_wrong_majority(n, m, theta):
    drawn = ra.Mallows(range(n), theta).sample(m * 2000, rng=0).ranks.reshape(2000, m, n)
    i, j = np.triu_indices(n, k=1)
    wrong = ((drawn[:, :, i] < drawn[:, :, j]).sum(axis=1) <= m / 2).any(axis=1)
    assert wrong.mean() <= np.exp(log_doubt(n, m, theta)) + 4 / np.sqrt(2000)


# -- the statistic --------------------------------------------------------------------------------


def random_profile(seed, kind, weighted):
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(3, 9)), int(rng.integers(2, 6))
    ranks = ra.Mallows(range(n), 0.5).sample(m, rng=rng).ranks.astype(float)
    if kind == "gaps":
        ranks[rng.random(ranks.shape) < 0.3] = np.nan
    if kind == "ties":
        ranks = 1 + np.floor(ranks / 2)
    weights = rng.choice([0.5, 1.0, 2.0], m) if weighted else None
    profile = ra.Profile.from_ranks(ranks, weights=weights)
    if kind != "cut off":
        return profile
    cut = np.where(profile.ranks < rng.integers(1, n + 1, (m, 1)), profile.ranks, UNLISTED)
    return ra.Profile([ra.PartialRanking(row, range(n)) for row in cut], weights=weights)


KINDS = ("plain", "gaps", "ties", "cut off")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_statistic_is_the_cost_of_an_order_as_good_as_borda(kind, weighted, seed):
    profile = random_profile(seed, kind, weighted)
    center = ra.Permutation(np.random.default_rng(seed).permutation(profile.n_items), profile.items)
    data = ThetaData.of(profile, center)
    votes = profile.pairwise("ignore")
    scale = 1.0 if data.weights is not None else profile.weights[0]
    found = cost_of(data) * scale
    # A tie in the votes costs nothing.
    orders = strict_ranks(profile.n_items)
    costs = [votes.cost(ra.Permutation(row, profile.items)) for row in orders]
    assert any(found == pytest.approx(cost) for cost in costs)
    least, borda = min(costs), votes.cost(ra.Borda(unranked="ignore").aggregate(profile).ranking)
    assert least - 1e-9 <= found
    assert found <= borda + 1e-9 or len(set(net_of(votes))) < profile.n_items
    if profile.n_items <= 3:
        assert found == pytest.approx(least) or kind != "plain" or has_cycle(votes)
    assert data.m == profile.n_rankings
    assert data.is_plain == (kind == "plain" and data.weights is None)


def cost_of(data):
    return float(local_cost(data.wins[None], np.random.default_rng(0))[0])


def net_of(votes):
    return np.round((votes.wins - votes.wins.T).sum(axis=1), 9).tolist()


def has_cycle(votes):
    beats = votes.wins > votes.wins.T
    return bool(np.trace(np.linalg.matrix_power(beats.astype(int), 3)))


def test_neighbors_are_exchanged_and_tied_points_are_drawn():
    # Borda puts B first; a majority of three in five wants A above it.
    wins = ra.Profile.from_orders(["ABC", "BCA"], counts=[3, 2]).pairwise().wins
    assert local_cost(wins[None], np.random.default_rng(0)).tolist() == [4.0]
    cycle = ra.Profile.from_orders(["ABC", "BCA", "CAB"], counts=[2, 2, 2]).pairwise().wins
    assert local_cost(np.stack([cycle] * 50), np.random.default_rng(0)).tolist() == [8.0] * 50
    # All points are equal, and no neighbors' majority: half of each pair, in every order.
    even = np.array([[0, 2, 1], [2, 0, 3], [3, 1, 0]], dtype=float)
    drawn = local_cost(np.stack([even] * 200), np.random.default_rng(0))
    assert set(drawn.tolist()) <= {4.0, 5.0, 6.0}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_draws_have_the_gaps_ties_and_weights_of_the_data(kind, weighted):
    for seed in range(4):
        profile = random_profile(seed, kind, weighted)
        data = ThetaData.of(profile, ra.Permutation(range(len(profile.items)), profile.items))
        rng = np.random.default_rng(seed)
        orders = np.array(
            [[rng.permutation(data.n) for _ in range(data.m)] for _ in range(3)], dtype=np.int32
        )
        for wins, places in zip(data.drawn_wins(orders, 0.3), orders, strict=True):
            ranks = profile.ranks.copy()
            for own, place in zip(ranks, places, strict=True):
                seen = np.flatnonzero(own != ra.UNRANKED)
                listed = sorted(own[seen].tolist(), key=lambda code: (code < 0, code))
                own[seen[np.argsort(place[seen])]] = listed
            expected = profile._replace(ranks=ranks).pairwise("ignore").wins
            scale = 1.0 if data.weights is not None else profile.weights[0]
            assert wins * scale == pytest.approx(expected)


def test_draws_of_few_rows_have_mean_and_covariance_of_many(monkeypatch):
    law = ra.Mallows(range(4), 0.4)
    many = ThetaData.of(law.sample(5000, rng=0), law.center)
    monkeypatch.setattr(theta_interval, "NORMAL", 0)
    monkeypatch.setattr(theta_interval, "FEWEST_ROWS", 200)
    assert many.rows == 200
    drawn = law.sample(1500 * 200, rng=np.random.default_rng(1)).ranks
    wins = many.drawn_wins(drawn.reshape(1500, 200, 4), 0.4)
    chances = law.pairwise_probabilities()
    assert wins.mean(axis=0) == pytest.approx(5000 * chances, abs=5 * 35 / np.sqrt(1500))
    spread = wins.std(axis=0)
    np.fill_diagonal(chances, 0.0)
    assert spread == pytest.approx(np.sqrt(5000 * chances * (1 - chances)), rel=0.08)
    assert wins + wins.transpose(0, 2, 1) == pytest.approx(5000 * (1 - np.eye(4)) + 0 * wins)
    found = many.drawn_distances(200 * law.mean_distance + np.array([0, 1, -1]), 0.4)
    assert found == pytest.approx(5000 * law.mean_distance + np.array([0, 5, -5]))


def test_the_name_of_the_items_plays_no_part():
    profile = ra.Mallows("ABCDE", 0.3).sample(12, rng=3)
    order = np.array([3, 0, 4, 2, 1])
    renamed = ra.Profile([ra.Permutation(row[order], "ABCDE") for row in profile.ranks])
    first, second = ra.Mallows.fit(profile), ra.Mallows.fit(renamed)
    assert first.conf_int().to_numpy() == pytest.approx(second.conf_int().to_numpy())
    borda = ra.Mallows.fit(profile, center="borda")
    assert borda.conf_int().to_numpy() == pytest.approx(first.conf_int().to_numpy(), abs=0.03)


# -- against a full enumeration -------------------------------------------------------------------


def exact_tails(n, m, theta, observed):
    """Return P(statistic <= observed) and P(>= observed), over all samples of m rankings."""
    every = np.array(strict_ranks(n))
    center = ra.Permutation(np.arange(n))
    distance = np.array([ra.kendall_distance(ra.Permutation(p), center) for p in every])
    chances = np.exp(-theta * distance)
    chances /= chances.sum()
    rows = np.array([*np.ndindex(*[len(every)] * m)])
    wins, weights = every[:, :, None] < every[:, None, :], chances[rows].prod(axis=1)
    samples = wins[rows].sum(axis=1, dtype=float)
    # Tied points are ordered at random: many times, to sum over it.
    many = [local_cost(samples, np.random.default_rng(k)) for k in range(20)]
    below = np.mean([weights[cost <= observed + 1e-9].sum() for cost in many])
    return below, np.mean([weights[cost >= observed - 1e-9].sum() for cost in many])


FOUR = ThetaData.of(
    ra.Profile.from_orders(["ABC", "ABC", "BAC", "ACB"]), ra.Permutation.from_order("ABC")
)


def test_simulated_tails_are_those_of_an_enumeration():
    draws = theta_interval._Draws.around(FOUR, 1.0, 0.05, np.inf, np.random.default_rng(0))
    for theta in (0.0, 0.4, 1.0, 1.7):
        expected = exact_tails(3, 4, theta, draws.observed)
        assert draws.tails(theta) == pytest.approx(expected, abs=0.03)


def test_ends_are_where_the_tails_are_half_of_alpha():
    lower, upper = invert(FOUR, 1.0, 0.2, np.random.default_rng(0))
    observed = cost_of(FOUR)
    assert exact_tails(3, 4, upper, observed)[1] == pytest.approx(0.1, abs=0.02)
    assert lower == 0.0 or exact_tails(3, 4, lower, observed)[0] == pytest.approx(0.1, abs=0.02)
    assert exact_tails(3, 4, 0.0, observed)[0] > 0.1 or lower > 0


# -- where the center is certain ------------------------------------------------------------------


def test_many_rankings_need_no_simulation():
    fit = ra.Mallows.fit(ra.Mallows("ABCDE", 1.0).sample(400, rng=0))
    first, second = fit.conf_int(rng=1), fit.conf_int(rng=2)
    assert (first == second).all(axis=None)
    # The likelihood ratio is conditional on the center, which is certain here.
    profile = fit.conf_int(method="profile")
    assert first.to_numpy() == pytest.approx(profile.to_numpy(), abs=0.01)
    assert first.loc["theta", "lower"] < fit.distribution.theta < first.loc["theta", "upper"]


def test_ends_with_a_certain_center_are_those_of_the_distance():
    fit = ra.Mallows.fit(ra.Mallows("ABCDE", 1.5).sample(120, rng=0))
    lower, upper = fit.conf_int(0.1).loc["theta"]
    cost = fit.consensus.cost
    assert tail_at_most(cost, 5, 120, lower) == pytest.approx(0.98 * 0.05, rel=1e-3)
    assert tail_at_least(cost, 5, 120, upper) == pytest.approx(0.98 * 0.05, rel=1e-3)


def test_both_ways_meet_where_the_center_becomes_certain(monkeypatch):
    fit = ra.Mallows.fit(ra.Mallows("ABCD", 1.0).sample(60, rng=1))
    known = fit.conf_int().to_numpy()[0]
    for certain_from in (np.inf, float(known.mean())):
        monkeypatch.setattr(theta_interval, "_certain_from", lambda *_, at=certain_from: at)
        assert fit.conf_int().to_numpy()[0] == pytest.approx(known, abs=0.03)


# -- what a fit says ------------------------------------------------------------------------------


def test_a_fit_says_which_interval_it_has():
    chosen, given = ra.Mallows.fit(VOTES), ra.Mallows.fit(VOTES, center=list("ABCD"))
    assert not chosen.center_is_given
    assert given.center_is_given
    assert "allows for the choice of the center (inverted test)" in chosen.notes[1]
    assert given.notes[1].startswith("The center is given; interval and error of theta are cond")
    assert (given.conf_int() == given.conf_int(method="profile")).all(axis=None)
    with pytest.raises(InvalidInputError, match="'profile' or 'wald' with a given center"):
        given.conf_int(method="inversion")


def test_an_interval_is_the_same_twice_and_moves_with_the_seed():
    fit = ra.Mallows.fit(VOTES)
    first, again, other = fit.conf_int(), fit.conf_int(method="inversion"), fit.conf_int(rng=7)
    assert (first == again).all(axis=None)
    assert (first != other).any(axis=None)
    assert other.to_numpy() == pytest.approx(first.to_numpy(), abs=0.15)
    wide = fit.conf_int(0.01).loc["theta"]
    assert wide["lower"] <= first.loc["theta", "lower"]
    assert wide["upper"] > first.loc["theta", "upper"]


def test_small_alphas_take_too_many_draws():
    fit = ra.Mallows.fit(ra.Mallows("ABCDE", 0.1).sample(10, rng=0))
    with pytest.raises(InvalidInputError, match=r"alpha of method 'inversion'.*0\.002"):
        fit.conf_int(0.001, method="inversion")
    assert (fit.conf_int(0.001) == fit.conf_int(0.001, method="profile")).all(axis=None)


def test_too_many_comparisons_are_told(monkeypatch):
    monkeypatch.setattr(theta_interval, "MOST_WORK", 10)
    fit = ra.Mallows.fit(ra.Mallows("ABCDE", 0.1).sample(10, rng=0))
    assert "conditional on the center, which these rankings chose" in fit.notes[1]
    assert (fit.conf_int() == fit.conf_int(method="profile")).all(axis=None)
    with pytest.raises(InvalidInputError, match="with so many rankings"):
        fit.conf_int(method="inversion")
    # Where the center is certain no draw is needed.
    assert is_feasible(ThetaData.of(ra.Mallows("ABCDE", 2.0).sample(100, rng=0),
                                    ra.Permutation.from_order("ABCDE")), 0.05)  # fmt: skip


def test_rankings_that_agree_less_than_by_chance_have_the_interval_0():
    everything = ra.Profile.from_ranks(strict_ranks(4) * 3, items="ABCD")
    assert ra.Mallows.fit(everything).conf_int().to_numpy().tolist() == [[0.0, 0.0]]


# -- coverage -------------------------------------------------------------------------------------


def coverage(theta, n, m, *, times, alpha, seed):
    """Return how often the interval holds theta, whose center is as good as any other."""
    law, rng, held = ra.Mallows(range(n), theta), np.random.default_rng(seed), 0
    for r in range(times):
        data = ThetaData.of(law.sample(m, rng=rng), law.center)
        cost = cost_of(data)
        if cost == 0.0:
            continue  # no estimate, and no interval
        lower, upper = invert(data, theta_of(cost / m, n), alpha, np.random.default_rng(r))
        held += lower <= theta <= upper
    return held


DESIGNS = [(0.4, 6, 50), (0.1, 6, 30), (0.1, 15, 15), (0.05, 30, 10), (0.02, 20, 10)]


@pytest.mark.parametrize(("theta", "n", "m"), [(0.1, 6, 30), (0.02, 12, 6)])
def test_the_interval_covers_in_a_small_sample(theta, n, m, monkeypatch):
    monkeypatch.setattr(theta_interval, "WORK", 0)
    low, high = stats.binom.interval(1 - 1e-4, 20, 0.9)
    assert low <= coverage(theta, n, m, times=20, alpha=0.1, seed=5) <= high


@pytest.mark.slow
@pytest.mark.parametrize(("theta", "n", "m"), [*DESIGNS, (1.2, 5, 20), (0.0, 6, 30), (0.8, 10, 60)])
def test_the_interval_covers_theta_as_often_as_it_says(theta, n, m):
    low, _ = stats.binom.interval(1 - 1e-4, 400, 0.95)
    held = coverage(theta, n, m, times=400, alpha=0.05, seed=5)
    assert held >= low
    assert held < 400 or theta == 0.0


@pytest.mark.slow
def test_the_interval_of_rankings_with_gaps_covers():
    law, rng, held = ra.Mallows(range(6), 0.3), np.random.default_rng(0), 0
    for r in range(200):
        ranks = law.sample(25, rng=rng).ranks.astype(float)
        ranks[rng.random(ranks.shape) < 0.25] = np.nan
        fit = ra.Mallows.fit(ra.Profile.from_ranks(ranks))
        lower, upper = fit.conf_int(0.1, rng=r).loc["theta"]
        held += lower <= 0.3 <= upper
    low, _ = stats.binom.interval(1 - 1e-4, 200, 0.9)
    assert held >= low
