"""The center of a fitted Mallows distribution: exact, given, by Borda, or by sampling."""

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg.aggregation.deadline import NEVER
from rankagg.distributions.mallows.center import MallowsData, _climb_by_sampling
from rankagg.exceptions import InvalidInputError, ItemMismatchError
from tests import oracles
from tests.distributions.enumeration import best_theta
from tests.distributions.mallows_data import CASES, VOTES, random_incomplete, random_votes


@pytest.mark.parametrize("seed", range(5))
def test_center_is_an_exact_kemeny_consensus(seed):
    profile = random_votes(seed)
    fit = ra.Mallows.fit(profile)
    cost, orders = oracles.kemeny(oracles.pairwise_votes(profile)[0])
    assert tuple(profile.items.indices(fit.distribution.center.order)) in orders
    assert fit.consensus.cost == pytest.approx(float(cost))
    assert fit.consensus.certificate.status == "optimal"
    assert any("Other centers are as likely" in note for note in fit.notes) == (len(orders) > 1)


def test_equally_good_centers_are_told():
    fit = ra.Mallows.fit(ra.Profile.from_orders(["ABC", "BAC"]))
    assert set(fit.consensus.optima) == {
        ra.Permutation.from_order("ABC"), ra.Permutation.from_ranks([1, 0, 2], items="ABC")
    }  # fmt: skip
    assert any("Other centers are as likely: 1 pair left open" in note for note in fit.notes)


def test_given_center_is_kept():
    for center in (list("DCBA"), ra.Permutation.from_ranks([3, 2, 1, 0], items="ABCD")):
        fit = ra.Mallows.fit(VOTES, center=center)
        assert fit.distribution.center.order == ("D", "C", "B", "A")
        assert fit.consensus is None
    fit = ra.Mallows.fit(VOTES, center=list("BACD"))
    theta, height = best_theta(VOTES, (1, 0, 2, 3))
    assert fit.distribution.theta == pytest.approx(theta, abs=1e-4)
    assert fit.log_likelihood == pytest.approx(height)


def test_borda_center_is_borda_and_says_so():
    # Borda puts B first, the majorities A.
    profile = ra.Profile.from_orders(["ABC", "BCA"], counts=[3, 2])
    fit = ra.Mallows.fit(profile, center="borda")
    assert fit.distribution.center.order == ("B", "A", "C")
    assert fit.consensus == ra.Borda().aggregate(profile)
    assert any("not the maximum of the likelihood" in note for note in fit.notes)
    assert fit.log_likelihood < ra.Mallows.fit(profile).log_likelihood


def test_center_of_other_items_or_another_name_is_refused():
    with pytest.raises(InvalidInputError, match="`center` must be 'kemeny' or 'borda'"):
        ra.Mallows.fit(VOTES, center="copeland")
    with pytest.raises(ItemMismatchError):
        ra.Mallows.fit(VOTES, center=ra.Permutation.from_order("ABCE"))
    with pytest.raises(InvalidInputError, match="`center` must be complete and strict"):
        ra.Mallows.fit(VOTES, center=ra.PartialRanking([0, 0, 2, 3], "ABCD"))


@pytest.mark.parametrize(("seed", "kind"), CASES[::4])
def test_given_center_of_incomplete_rankings_has_its_best_theta(seed, kind):
    profile = random_incomplete(seed, kind)
    for center in ((0, 1, 2, 3), (1, 0, 2, 3)):
        ranks = center[: profile.n_items]
        fit = ra.Mallows.fit(profile, center=ra.Permutation.from_ranks(ranks, items=profile.items))
        theta, height = best_theta(profile, ranks)
        assert fit.log_likelihood == pytest.approx(height, abs=1e-7)
        assert fit.distribution.theta == pytest.approx(theta, abs=1e-3)


def test_few_iterations_do_not_converge(monkeypatch):
    profile = random_incomplete(1, "gaps")
    assert ra.Mallows.fit(profile).converged
    monkeypatch.setattr("rankagg.distributions.mallows.center.MOST_STEPS", 1)
    assert not ra.Mallows.fit(profile).converged


# Around a given center no consensus is sought again and again.
@pytest.mark.parametrize("given", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_climb_by_sampling_reaches_what_exact_sums_reach(given):
    rng = np.random.default_rng(2)
    ranks = ra.Mallows(range(6), 0.6).sample(100, rng=rng).ranks.astype(float)
    ranks[rng.random(ranks.shape) < 0.3] = np.nan
    profile = ra.Profile.from_ranks(ranks)
    exact = ra.Mallows.fit(profile)
    center = exact.distribution.center if given else None
    data = MallowsData.of(profile, NEVER)
    sampled = _climb_by_sampling(data, center, np.random.default_rng(0))
    assert sampled.center == exact.distribution.center
    assert sampled.theta == pytest.approx(exact.distribution.theta, rel=0.01)
    assert sampled.log_likelihood == pytest.approx(exact.log_likelihood, abs=1.5)
    assert sampled.information**-0.5 == pytest.approx(exact.standard_errors[0], rel=0.05)


def with_long_gaps(m):
    rng = np.random.default_rng(3)
    ranks = ra.Mallows(range(18), 0.4).sample(m, rng=rng).ranks.astype(float)
    for row in ranks:
        row[rng.choice(18, 15, replace=False)] = np.nan
    return ra.Profile.from_ranks(ranks)


@pytest.mark.slow
def test_long_gaps_are_sampled_and_said_to_be():
    fit = ra.Mallows.fit(with_long_gaps(40), rng=0)
    assert any("estimated from drawn completions" in note for note in fit.notes)
    assert fit.distribution.theta == pytest.approx(0.4, abs=4 * fit.standard_errors[0])
    # The likelihood of other thetas is not known: estimate and standard error.
    radius = stats.norm.ppf(0.975) * fit.standard_errors[0]
    assert fit.conf_int().loc["theta"].tolist() == pytest.approx(
        [fit.distribution.theta - radius, fit.distribution.theta + radius]
    )


@pytest.mark.slow
def test_a_given_center_and_seed_are_kept_where_sums_are_sampled():
    profile = with_long_gaps(30)
    first, second = (ra.Mallows.fit(profile, center=range(18), rng=0) for _ in range(2))
    assert first.distribution.center == ra.Permutation.identity(range(18))
    assert first == second
