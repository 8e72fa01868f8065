"""Clusters of rankings: errors of fits, and tests that need independent rankings."""

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError

ORDERS = ["ABC", "ACB", "BAC", "ABC", "CAB", "ABC", "BCA", "ACB"]


def raters(seed, n_raters=12, each=6):
    """Return rankings of raters with a taste of their own, some with ties and gaps."""
    rng, rankings = np.random.default_rng(seed), []
    for _ in range(n_raters):
        worths = np.array([0.5, 0.2, 0.0, -0.2, -0.5]) + rng.normal(size=5)
        taste = ra.PlackettLuce(worths, log_ties={2: -1.0})
        ranks = taste.sample(each, rng=rng).ranks + 1.0
        ranks[0, rng.integers(5)] = np.nan
        rankings += [ra.PartialRanking.from_ranks(row) for row in ranks]
    return ra.Profile(rankings, clusters=np.repeat(range(n_raters), each).tolist())


@pytest.mark.parametrize("options", [{}, {"ridge": 0.5, "tie_ridge": 0.5}], ids=["plain", "ridge"])
def test_errors_are_those_of_leaving_out_one_cluster(options):
    profile = raters(0)
    fit = ra.PlackettLuce.fit(profile, **options)
    clusters = np.array(profile.clusters)
    without = [
        ra.PlackettLuce.fit(profile[clusters != one], **options).estimates for one in range(12)
    ]
    jackknife = np.sqrt(11 / 12 * ((np.array(without) - fit.estimates) ** 2).sum(axis=0))
    assert fit.standard_errors == pytest.approx(jackknife, rel=0.15)
    assert (fit.unit, fit.n_units) == ("cluster", 12)
    assert fit.degrees_of_freedom == pytest.approx(np.full(6, 11.0), rel=0.02)
    alone = ra.PlackettLuce.fit(profile.with_clusters(None), **options)
    assert alone.estimates == pytest.approx(fit.estimates)
    assert (fit.standard_errors[:5] > 1.4 * alone.standard_errors[:5]).all()


def test_of_rankings_of_two_items_errors_are_those_of_bradley_terry():
    rng = np.random.default_rng(3)
    pairs = [list(rng.permutation(4)[:2]) for _ in range(120)]
    profile = ra.Profile.from_orders(pairs, items=range(4), counts=rng.integers(1, 4, 120))
    profile = profile.with_clusters(rng.integers(0, 9, 120).tolist())
    luce, terry = ra.PlackettLuce.fit(profile), ra.BradleyTerry.fit(profile)
    assert luce.covariance == pytest.approx(terry.covariance, rel=1e-6)
    assert luce.degrees_of_freedom == pytest.approx(terry.degrees_of_freedom)
    assert luce.to_frame().to_numpy() == pytest.approx(terry.to_frame().to_numpy(), rel=1e-6)


def test_copies_of_a_ranking_by_one_rater_are_no_evidence():
    rankings = [ra.Permutation.from_order(order) for order in ORDERS]
    copied = ra.Profile(rankings * 6, clusters=[*range(8)] * 6)
    by_count = ra.Profile(rankings, counts=[6] * 8, clusters=range(8))
    single = ra.Profile(rankings, clusters=range(8))
    errors = [ra.PlackettLuce.fit(one).standard_errors for one in (copied, by_count)]
    assert errors[0] == pytest.approx(errors[1])
    assert errors[0] == pytest.approx(ra.PlackettLuce.fit(single).standard_errors, rel=0.3)
    assert (
        "independent: 8 clusters"
        in ra.inference.rank_sets(ra.PlackettLuce.fit(copied), rng=0).summary()
    )


def test_errors_are_unknown_where_clusters_do_not_vary():
    few = raters(1, n_raters=3)
    one = ra.Profile.from_orders(["AB", "BA", "AB", "BA", "BC", "CB"]).with_clusters("vwxyzz")
    for profile, reason in (few, "With 3 clusters"), (one, "Only one cluster determines"):
        fit = ra.PlackettLuce.fit(profile)
        assert np.isnan(fit.standard_errors).all()
        assert any(note.startswith(f"Errors are unknown. {reason}") for note in fit.notes)
        with pytest.raises(InvalidInputError, match=reason):
            ra.inference.rank_sets(fit)


def test_what_needs_independent_rankings_refuses_clusters():
    profile = ra.Profile.from_orders(ORDERS * 2).with_clusters([*range(8)] * 2)
    mallows, luce = ra.Mallows.fit(profile), ra.PlackettLuce.fit(profile)
    assert mallows.to_frame()[["std_err", "lower", "upper"]].isna().all(axis=None)
    mixture = ra.Mixture.fit(profile, 1, n_starts=1, rng=0)
    assert mixture.to_frame()[["std_err", "lower", "upper"]].isna().all(axis=None)
    note = (
        "Errors are unknown. Rankings of a cluster depend on each other, which AIC and BIC ignore."
    )
    assert mallows.notes[0].startswith(note)
    assert mixture.notes[-1].startswith(note)
    for call in (
        mallows.test_uniform,
        luce.test_equal_worths,
        lambda: ra.distributions.goodness_of_fit(mallows, profile),
        lambda: ra.distributions.compare_models(profile),
        lambda: ra.inference.robust_rank_aggregation(profile),
    ):
        with pytest.raises(InvalidInputError, match=r"independent rankings.* of (8 )?clusters"):
            call()
    own = profile.with_clusters(range(16))
    assert ra.Mallows.fit(own) == ra.Mallows.fit(profile.with_clusters(None))


@pytest.mark.slow
def test_equal_items_are_told_apart_as_often_as_promised():
    rng, wrong = np.random.default_rng(0), 0
    for _ in range(300):
        tastes = [ra.PlackettLuce(rng.normal(size=4)).sample(8, rng=rng) for _ in range(25)]
        rankings = [ranking for taste in tastes for ranking in taste]
        profile = ra.Profile(rankings, clusters=np.repeat(range(25), 8).tolist())
        sets = ra.inference.rank_sets(ra.PlackettLuce.fit(profile), rng=rng)
        wrong += bool(sets.decisions.pairs)
    assert 3 <= wrong <= 25
