"""The center of a fitted Mallows distribution: exact, given, or by Borda."""

import pytest

import rankagg as ra
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
