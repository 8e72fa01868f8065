"""Worths however far apart: both methods find the maximum, or refuse where there is none."""

import numpy as np
import pytest

import rankagg as ra
from rankagg.core.graphs import ordered_parts
from rankagg.distributions.plackett_luce import choices as choice_sets
from rankagg.distributions.plackett_luce.likelihood import Likelihood, log_bucket_weights
from rankagg.distributions.separation import beats_graph
from rankagg.exceptions import InvalidInputError, NotIdentifiedError
from tests.distributions.luce_by_hand import from_rows, gathered


def design(rng, n, m, k, spread, *, ties=False):
    """Return m rankings of k of n items, of worths with that standard deviation."""
    worths = spread * rng.normal(size=n)
    ranks = np.full((m, n), np.nan)
    for row in ranks:
        seen = rng.choice(n, k, replace=False)
        rings = rng.gumbel(size=k) + worths[seen]
        places = np.argsort(np.argsort(-rings)).astype(float)
        row[seen] = np.floor(places / 2) if ties and rng.random() < 0.3 else places
    weights = rng.choice([0.25, 1.0, 3.0], m) if rng.random() < 0.5 else None
    return ra.Profile.from_ranks(ranks, weights=weights)


def check_against_connectivity(profile, *, tolerance=1e-5):
    """Check that both methods find the same maximum, or both refuse; say which."""
    if len(ordered_parts(beats_graph(profile.ranks))) > 1:
        for method in ("newton", "mm"):
            with pytest.raises(NotIdentifiedError, match="no finite maximum: no group here loses"):
                ra.PlackettLuce.fit(profile, method=method)
        return "refused"
    newton = ra.PlackettLuce.fit(profile)
    slow = ra.PlackettLuce.fit(profile, method="mm", tolerance=1e-7)
    assert newton.converged
    assert slow.converged
    assert slow.estimates == pytest.approx(newton.estimates, abs=tolerance)
    assert slow.log_likelihood == pytest.approx(newton.log_likelihood, rel=1e-9)
    assert (newton.standard_errors > 0).all()
    return "found"


SPREADS = [0.0, 0.3, 1.0, 2.0, 3.0, 10.0, 30.0]


@pytest.mark.parametrize("spread", SPREADS)
def test_random_designs_are_found_or_refused_by_both_methods(spread):
    rng = np.random.default_rng(int(10 * spread))
    seen = [
        check_against_connectivity(design(rng, n, m, k, spread))
        for n, m, k in [(2, 9, 2), (3, 7, 3), (3, 14, 2), (5, 12, 3), (8, 40, 4), (8, 15, 8)] * 2
    ]
    assert "found" in seen or spread >= 3
    assert "refused" in seen or spread < 3


@pytest.mark.parametrize("seed", range(6))
def test_random_designs_with_ties_are_found_by_both_methods(seed):
    rng = np.random.default_rng(seed)
    profile = design(rng, 5, 25, 4, 0.5, ties=True)
    assert check_against_connectivity(profile) == "found"


@pytest.mark.parametrize(("n", "m", "k"), [(80, 36, 40), (70, 30, 60)])
@pytest.mark.parametrize("spread", [2.0, 3.0])
def test_many_items_of_few_rankings_have_a_maximum(n, m, k, spread):
    rng = np.random.default_rng(int(n + spread))
    drawn = [design(rng, n, m, k, spread) for _ in range(4)]
    connected = [one for one in drawn if len(ordered_parts(beats_graph(one.ranks))) == 1]
    assert len(connected) >= 2
    for profile in connected:
        fit = ra.PlackettLuce.fit(profile)
        assert fit.converged
        assert fit.n_iterations < 15
        # A maximum: every item was chosen as often as expected.
        likelihood = Likelihood(gathered(profile))
        expected = likelihood.expected(fit.estimates)
        assert expected == pytest.approx(likelihood.linear, rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m", "k"), [(80, 36, 40), (150, 60, 60)])
@pytest.mark.parametrize("spread", [1.0, 2.0, 3.0])
def test_large_designs_are_found_by_both_methods(n, m, k, spread):
    rng = np.random.default_rng(int(n + spread))
    seen = [
        check_against_connectivity(design(rng, n, m, k, spread), tolerance=1e-4) for _ in range(12)
    ]
    assert seen.count("found") >= 10


# -- worths that have no floats -------------------------------------------------------------------


def chain(n, wins, losses):
    """Return results of neighbors only: each item against the next."""
    table = np.zeros((n, n))
    first = np.arange(n - 1)
    table[first, first + 1], table[first + 1, first] = wins, losses
    return ra.PairwiseMatrix.from_wins(table, items=range(n))


@pytest.mark.parametrize("n", [2, 30, pytest.param(400, marks=pytest.mark.slow)])
def test_a_chain_of_neighbors_has_their_log_odds(n):
    fit = ra.BradleyTerry.fit(chain(n, 9, 1))
    assert fit.converged
    assert -np.diff(fit.estimates) == pytest.approx(np.full(n - 1, np.log(9)), abs=1e-6)
    # One log odds has the variance 1/9 + 1, and those of a chain are independent.
    errors = fit.relative_to(0)["std_err"].to_numpy()[1:]
    assert errors == pytest.approx(np.sqrt(np.arange(1, n) * (1 / 9 + 1)), rel=1e-6)
    assert fit.log_likelihood == pytest.approx((n - 1) * (9 * np.log(0.9) + np.log(0.1)))


@pytest.mark.parametrize("n", [10, pytest.param(150, marks=pytest.mark.slow)])
def test_a_chain_with_ties_has_their_log_odds(n):
    rows, counts = [], []
    for i in range(n - 1):
        for places, count in (((0, 1), 9), ((1, 0), 1), ((0, 0), 3)):
            row = np.full(n, np.nan)
            row[i : i + 2] = places
            rows.append(row)
            counts.append(count)
    fit = ra.PlackettLuce.fit(ra.Profile.from_ranks(rows, counts=counts))
    assert fit.converged
    assert -np.diff(fit.estimates[:n]) == pytest.approx(np.full(n - 1, np.log(9)), abs=1e-6)
    assert fit.estimates[n] == pytest.approx(0.0, abs=1e-6)  # 3/sqrt(9 1)


def nearly_sorted(n, m, seed=0):
    """Return rankings of all items with some neighbors exchanged."""
    rng = np.random.default_rng(seed)
    orders = np.tile(np.arange(n), (m, 1))
    for order in orders:
        for i in range(n - 1):
            if rng.random() < 0.3:
                order[[i, i + 1]] = order[[i + 1, i]]
    return ra.Profile.from_orders(orders.tolist(), items=range(n))


@pytest.mark.slow
def test_long_rankings_that_nearly_agree_have_a_maximum():
    profile = nearly_sorted(130, 40)
    assert len(ordered_parts(beats_graph(profile.ranks))) == 1
    fit = ra.PlackettLuce.fit(profile)
    assert fit.converged
    assert np.ptp(fit.estimates) > choice_sets.SPREAD
    expected = Likelihood(gathered(profile)).expected(fit.estimates)
    assert expected == pytest.approx(Likelihood(gathered(profile)).linear, rel=1e-7)


@pytest.mark.parametrize("count", [10**3, 10**8, 10**13])
@pytest.mark.parametrize("method", ["newton", "mm"])
def test_rare_wins_have_finite_odds(count, method):
    profile = ra.Profile.from_orders(["AB", "BA"], counts=[count, 1])
    fit = ra.PlackettLuce.fit(profile, method=method)
    assert fit.converged
    assert fit.estimates[0] - fit.estimates[1] == pytest.approx(np.log(count), rel=1e-6)
    error = fit.relative_to("B").loc["A", "std_err"]
    assert error == pytest.approx(np.sqrt(1 / count + 1), rel=1e-3)


@pytest.mark.parametrize("method", ["newton", "mm"])
@pytest.mark.parametrize("heavy", [1e3, 1e9, 1e15])
def test_few_votes_beside_very_many_are_not_lost(method, heavy):
    """Convergence is judged item by item, not by the weight of all choices."""
    wins = [[0, heavy, 0], [heavy, 0, 9], [0, 1, 0]]
    fit = ra.BradleyTerry.fit(ra.PairwiseMatrix.from_wins(wins, items="ABC"), method=method)
    assert fit.converged
    assert fit.estimates[1] - fit.estimates[2] == pytest.approx(np.log(9), abs=1e-6)


def test_the_information_of_rare_wins_does_not_cancel():
    count = 10**12
    rows = ["A>B", "B>A", "B>C", "C>B"]
    found = gathered(from_rows(rows, "ABC", counts=[count, 1, count, 1]))
    gap = np.log(count)
    information = Likelihood(found).derivatives(np.array([gap, 0.0, -gap])).information
    # Each pair has n p (1 - p) = count/(count + 1).
    rate = count / (count + 1)
    expected = rate * np.array([[1, -1, 0], [-1, 2, -1], [0, -1, 1]])
    assert information == pytest.approx(expected, rel=1e-12)


def test_a_gradient_of_rounding_is_no_maximum_where_worths_may_still_move():
    heavy = 1e13
    wins = [[0, heavy, 0, 0], [heavy, 0, 9, 0], [0, 1, 0, heavy], [0, 0, heavy, 0]]
    fit = ra.BradleyTerry.fit(ra.PairwiseMatrix.from_wins(wins, items="ABCD"))
    wrong = abs(fit.estimates[1] - fit.estimates[2] - np.log(9)) > 1e-5
    assert fit.converged != wrong


@pytest.mark.parametrize("method", ["newton", "mm"])
def test_what_rounding_hides_is_not_called_the_maximum(method):
    """Two heavy pairs and a light one between them: no sum of floats knows of the light one."""
    heavy = 2.0**60
    wins = [[0, heavy, 0, 0], [heavy, 0, 9, 0], [0, 1, 0, heavy], [0, 0, heavy, 0]]
    fit = ra.BradleyTerry.fit(ra.PairwiseMatrix.from_wins(wins, items="ABCD"), method=method)
    assert not fit.converged
    assert any("rounding hides the maximum" in note for note in fit.notes)
    assert "rounding hides the maximum" in str(fit.summary()).replace("\n", " ")


@pytest.mark.parametrize("weight", [1e-100, 1e-30, 1e30, 1e100])
def test_the_unit_of_weights_plays_no_part(weight):
    rows = ["A>B>C", "C>A>B", "B>C>A", "A>C>B", "C>B"]
    for options in ({}, {"method": "mm"}):
        plain = ra.PlackettLuce.fit(from_rows(rows, "ABC"), **options)
        scaled = ra.PlackettLuce.fit(from_rows(rows, "ABC", weights=[weight] * 5), **options)
        assert scaled.converged
        assert scaled.estimates == pytest.approx(plain.estimates, abs=1e-7)
        assert scaled.covariance == pytest.approx(plain.covariance, rel=1e-6)


def test_steps_that_ran_out_are_told():
    profile = ra.Profile.from_orders(["ABC", "BCA", "CAB", "ABC"])
    fit = ra.PlackettLuce.fit(profile, max_iterations=1, tolerance=1e-15)
    assert not fit.converged
    assert "Not converged in 1 step" in fit.notes[-1]
    assert not any("onverged" in note for note in ra.PlackettLuce.fit(profile).notes)


# -- sums over sets, both ways --------------------------------------------------------------------


@pytest.mark.parametrize("bits", [62, 0], ids=["merged", "chains"])
def test_near_and_far_sums_are_the_same(bits, monkeypatch):
    monkeypatch.setattr("rankagg.distributions.plackett_luce.choices.BITS", bits)
    profile = from_rows(
        ["A>B>C>D>E", "C>A>...", "B>E>A", "D>B", "E>C>D>A"], weights=[1, 2, 3, 1, 5]
    )
    found = gathered(profile)
    logs = np.array([3.0, -4.0, 0.5, 20.0, -9.0])
    near = [found.sets.log_sums(logs), found.sets.expected(logs, found.weights)]
    near += found.sets.moments(logs, found.weights)
    monkeypatch.setattr(choice_sets, "SPREAD", -1.0)
    monkeypatch.setattr(choice_sets, "TABLE_ENTRIES", 7)
    far = [found.sets.log_sums(logs), found.sets.expected(logs, found.weights)]
    far += found.sets.moments(logs, found.weights)
    for one, other in zip(near, far, strict=True):
        assert other == pytest.approx(one, rel=1e-12)


@pytest.mark.parametrize("bits", [62, 0], ids=["merged", "chains"])
def test_sums_of_worths_without_floats(bits, monkeypatch):
    monkeypatch.setattr("rankagg.distributions.plackett_luce.choices.BITS", bits)
    found = gathered(from_rows(["A>B>C", "C>B"], "ABC"))
    logs = np.array([2000.0, 0.0, -2000.0])
    sizes = np.vstack(list(found.sets.tables())).sum(axis=1)
    sums = dict(zip(sizes.tolist(), found.sets.log_sums(logs).tolist(), strict=True))
    assert sums == {3: 2000.0, 2: 0.0}
    likelihood = Likelihood(found)
    assert likelihood.value(logs) == -2000.0
    assert likelihood.expected(logs).tolist() == [1.0, 2.0, 0.0]


def test_weights_of_buckets_of_worths_without_floats():
    logs = np.array([[3000.0, 1000.0, -1000.0], [-2000.0, -np.inf, -2000.0]])
    found = log_bucket_weights(logs, {2: 5.0, 3: 7.0})
    # One item weighs its worth, a pair 5 and the mean, three 7 and the mean of all.
    expected = np.array([[3000, -2000 + np.log(2)], [2005, -1995], [1007, -np.inf]])
    assert found == pytest.approx(expected)


def test_a_law_with_worths_without_floats_draws_and_completes():
    law = ra.PlackettLuce([1500.0, 0.0, -1500.0], items="ABC")
    assert set(law.sample(20, rng=0).ranks.ravel().tolist()) == {0, 1, 2}
    assert (law.sample(20, rng=0).ranks == [0, 1, 2]).all()
    partial = from_rows(["C", "B", "A>...", "B>..."], "ABC")
    drawn = law.complete(partial, rng=0)
    assert drawn.ranks.tolist() == [[0, 1, 2], [0, 1, 2], [0, 1, 2], [1, 0, 2]]
    tied = ra.PlackettLuce([1500.0, 0.0, -1500.0], log_ties={2: 800.0, 3: -5000.0})
    # Of three, the pair of the best weighs 800 + 750, more than the best alone.
    assert (tied.sample(5, rng=0).ranks == [0, 0, 2]).all()
    assert tied.log_prob(tied.sample(1, rng=0)) == pytest.approx(0.0, abs=1e-12)


def test_results_that_rounded_weights_lose_are_told():
    profile = ra.Profile.from_orders(["AB", "BA"], weights=[np.pi * 1e10, np.e * 1e-10])
    with pytest.raises(InvalidInputError, match="Results of smaller weight are lost"):
        ra.BradleyTerry.fit(profile)
    # Rankings keep all weights.
    fit = ra.PlackettLuce.fit(ra.Profile.from_orders(["AB", "BA"], weights=[1e12, 1.0]))
    assert np.ptp(fit.estimates) == pytest.approx(np.log(1e12), rel=1e-6)
