"""Maximum likelihood for Plackett-Luce: the maximum, its errors and refusals."""

import numpy as np
import pytest
from scipy import optimize

import rankagg as ra
from rankagg.distributions.plackett_luce import choices
from rankagg.distributions.plackett_luce.likelihood import Likelihood
from rankagg.exceptions import InvalidInputError
from tests.distributions.luce_by_hand import (
    DATA,
    centered_inverse,
    curvature,
    every_kind,
    from_rows,
    gathered,
    likelihood_of,
    log_likelihood_by_hand,
    log_likelihood_function,
)  # fmt: skip


def with_a_ghost(profile):
    """Return a profile with an item that half wins and half loses against every other one."""
    items = "ABCDG"
    rows = [ra.PartialRanking([*ranking.ranks, ra.UNRANKED], items) for ranking in profile]
    votes = from_rows([row for item in "ABCD" for row in (f"{item}>G", f"G>{item}")], items)
    weights = [1.0] * len(rows) + [0.5] * 8
    return ra.Profile([*rows, *votes], counts=[*profile.counts, *[1] * 8], weights=weights)


# -- the maximum ----------------------------------------------------------------------------------


@every_kind
def test_no_other_parameters_are_as_likely(kind):
    fit = ra.PlackettLuce.fit(DATA[kind])
    value = likelihood_of(DATA[kind], fit)
    assert value(fit.estimates) == pytest.approx(fit.log_likelihood, rel=1e-12)
    law = fit.distribution
    by_hand = log_likelihood_by_hand(DATA[kind], law.log_worths, law.log_ties)
    assert by_hand == pytest.approx(fit.log_likelihood, rel=1e-12)
    rng = np.random.default_rng(0)
    for size in (0.01, 0.3, 2.0):
        for _ in range(10):
            step = size * rng.standard_normal(len(fit.estimates))
            step[:4] -= step[:4].mean()
            assert value(fit.estimates + step) < fit.log_likelihood


def test_log_worths_sum_to_0_and_parameters_are_named():
    fit = ra.PlackettLuce.fit(DATA["ties of 2 and 3"])
    assert fit.names == ("A", "B", "C", "D", "log tie 2", "log tie 3")
    assert fit.estimates[:4].sum() == pytest.approx(0, abs=1e-12)
    assert fit.distribution.log_worths == pytest.approx(fit.estimates[:4])
    assert list(fit.distribution.log_ties.values()) == fit.estimates[4:].tolist()
    assert fit.n_parameters == 5


def test_a_size_of_ties_that_does_not_occur_is_not_modeled():
    profile = from_rows(["A=B=C>D", "D>A>B>C", "C>B>A>D", "B>D>A>C"], "ABCD")
    assert list(ra.PlackettLuce.fit(profile).distribution.log_ties) == [3]


# -- counts and weights ---------------------------------------------------------------------------


def test_weights_count_by_their_effective_number():
    profile = DATA["complete"]
    weights = np.array([1.0, 2.0, 0.5, 1.0, 3.0])
    weighted = ra.Profile(list(profile), counts=profile.counts, weights=weights)
    fit = ra.PlackettLuce.fit(weighted)
    total = profile.counts @ weights
    effective = total**2 / (profile.counts @ weights**2)
    assert fit.n_observations == pytest.approx(effective)
    bend = curvature(likelihood_of(weighted, fit), fit.estimates)
    expected = centered_inverse(bend, 4) * total / effective
    assert fit.covariance == pytest.approx(expected, rel=1e-4)
    assert any("the effective one" in note for note in fit.notes)
    height = fit.distribution.log_prob(weighted) * effective / total
    assert fit.log_likelihood == pytest.approx(height)


@every_kind
def test_equal_weights_change_no_estimate_and_no_error(kind):
    profile = DATA[kind]
    weighted = ra.Profile(list(profile), counts=profile.counts, weights=[1e-50] * len(profile))
    first, second = ra.PlackettLuce.fit(profile), ra.PlackettLuce.fit(weighted)
    assert second.estimates == pytest.approx(first.estimates, abs=1e-7)
    assert second.covariance == pytest.approx(first.covariance, rel=1e-6)
    assert second.log_likelihood == pytest.approx(first.log_likelihood)
    p_values = [fit.test_equal_worths().pvalue for fit in (first, second)]
    assert p_values[1] == pytest.approx(p_values[0], rel=1e-5)


# -- errors, intervals, tables --------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("options", [{}, {"pseudo_rankings": 0.5}], ids=str)
def test_standard_errors_are_from_the_curvature(kind, options):
    fit = ra.PlackettLuce.fit(DATA[kind], **options)
    expected = centered_inverse(curvature(likelihood_of(DATA[kind], fit), fit.estimates), 4)
    assert fit.covariance == pytest.approx(expected, rel=1e-3, abs=1e-4)
    assert fit.standard_errors == pytest.approx(np.sqrt(np.diag(fit.covariance)))


# -- pseudo-rankings and ridge --------------------------------------------------------------------


RIDGES = [{"ridge": 1.5}, {"ridge": 0.7, "tie_ridge": 2.0}]
CLIMBED = [
    *(pytest.param(kind, bits, options, marks=[pytest.mark.slow] * (len(options) < 3 or bits == 0))
      for kind in DATA for bits in (62, 0) for ridge in RIDGES
      for options in (ridge, {**ridge, "pseudo_rankings": 0.5})),
    ("ties of 2", 62, {"tie_ridge": 2.0}), ("ties of 2 and 3", 62, {"tie_ridge": 2.0}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "bits", "options"), CLIMBED, ids=str)
def test_a_ridge_penalizes_the_maximized_likelihood(kind, bits, options, monkeypatch):
    monkeypatch.setattr(choices, "BITS", bits)
    profile = DATA[kind]
    fit = ra.PlackettLuce.fit(profile, **options)
    n = 5 if "pseudo_rankings" in options else 4
    value = log_likelihood_function(
        with_a_ghost(profile) if n == 5 else profile, [*fit.distribution.log_ties]
    )
    ridges = np.repeat(
        [options.get("ridge", 0.0), options.get("tie_ridge", 0.0)], [n, len(fit.names[4:])]
    )

    def climbed(x):
        return value(x) - ridges @ x**2 / 2

    found = optimize.minimize(lambda x: -climbed(x), np.zeros(len(ridges)), tol=1e-10).x
    # Ties alone hold no worth: those are known but for a constant.
    worths = found[:4] - found[:4].mean()
    assert fit.estimates == pytest.approx(np.r_[worths, found[n:]], abs=1e-4)
    bend = curvature(climbed, found)
    keep = [0, 1, 2, 3, *range(n, len(ridges))]
    inverse = np.linalg.pinv(bend, rcond=1e-5)[np.ix_(keep, keep)]
    project = np.eye(len(keep))
    project[:4, :4] -= 0.25
    assert fit.covariance == pytest.approx(project @ inverse @ project.T, rel=1e-3, abs=1e-4)
    assert fit.log_likelihood == pytest.approx(likelihood_of(profile, fit)(fit.estimates))
    assert fit.log_likelihood < ra.PlackettLuce.fit(profile).log_likelihood
    if fit.names[4:]:
        with pytest.raises(InvalidInputError, match="maximizes the likelihood of the data"):
            fit.test_equal_worths()


@every_kind
def test_pseudo_rankings_are_votes_with_a_ghost(kind):
    profile = DATA[kind]
    fit = ra.PlackettLuce.fit(profile, pseudo_rankings=0.5)
    ghostly = ra.PlackettLuce.fit(with_a_ghost(profile))
    worths = ghostly.estimates[:4] - ghostly.estimates[:4].mean()
    assert fit.estimates[:4] == pytest.approx(worths, abs=1e-7)
    assert fit.estimates[4:] == pytest.approx(ghostly.estimates[5:], abs=1e-7)
    assert fit.log_likelihood == pytest.approx(likelihood_of(profile, fit)(fit.estimates))
    assert fit.log_likelihood < ra.PlackettLuce.fit(profile).log_likelihood
    assert fit.n_observations == profile.n_rankings
    assert any("0.5 pseudo-rankings" in note for note in fit.notes)


def test_rankings_without_choices_have_estimates_of_zero():
    alone = ra.Profile.from_orders(["A", "B"], items="AB")
    fit = ra.PlackettLuce.fit(alone, pseudo_rankings=1.0)
    assert fit.estimates.tolist() == [0, 0]
    # One win and one loss each against a ghost: variances 2 to it, 4 between the two, 1 of half.
    assert fit.standard_errors == pytest.approx([1, 1])
    assert fit.log_likelihood == 0


# -- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"pseudo_rankings": -1}, {"ridge": -0.1}, {"tie_ridge": -1}, {"ridge": np.inf},
        {"tol": 0},
    ],
    ids=str,
)  # fmt: skip
def test_options_are_checked(options):
    with pytest.raises(InvalidInputError, match=next(iter(reversed(options)))):
        ra.PlackettLuce.fit(DATA["complete"], **options)


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (ra.Profile.from_orders(["A"]), {}, "a Profile of two or more items"),
        ([[0, 1]], {}, "`data` must be orders of labels that are texts"),
        (from_rows(["A>B", "B>A"], "ABCD"), {"pseudo_rankings": 0.5}, r"C, D.*restrict"),
        (ra.Profile.from_ranks([[np.nan] * 2] * 2, items="AB"), {}, r"observe every item.*A, B"),
    ],
)
def test_data_that_do_not_fit_are_refused(data, options, words):
    with pytest.raises(InvalidInputError, match=words):
        ra.PlackettLuce.fit(data, **options)


# -- larger data ----------------------------------------------------------------------------------


def test_the_fit_of_the_sushi_rankings_is_reproduced(data):
    profile = ra.read_preflib(data("preflib/00014-00000001.soc"))
    assert (profile.n_rankings, profile.n_items) == (5000, 10)
    fit = ra.PlackettLuce.fit(profile)
    assert fit.converged
    assert fit.n_iterations < 15
    # Complete rankings: the order by worth is close to Borda's.
    assert ra.kendall_tau(fit.distribution.mode, ra.Borda().aggregate(profile).ranking) > 0.85
    assert fit.standard_errors.max() < 0.03
    assert fit.test_equal_worths().pvalue < 1e-100
    uniform = ra.distributions.Uniform(profile.items).log_prob(profile)
    mallows = ra.Mallows.fit(profile)
    assert mallows.converged
    assert uniform < mallows.log_likelihood < fit.log_likelihood
    assert mallows.distribution.center == ra.Kemeny().aggregate(profile).ranking
    assert 0.1 < mallows.distribution.theta < 0.5
    assert mallows.distribution.center.order[0] == fit.distribution.mode.order[0]


# -- numbers and words, to the letter -------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "notes"),
    [
        ({}, []),
        ({"pseudo_rankings": 0.5},
         ["With 0.5 pseudo-rankings per item; the likelihood is of the data."]),
        ({"ridge": 2.0, "tie_ridge": 0.25},
         ["With a ridge of 2; the likelihood is of the data.",
          "With a ridge on ties of 0.25; the likelihood is of the data."]),
        ({"tie_ridge": 0.25}, ["With a ridge on ties of 0.25; the likelihood is of the data."]),
    ],
    ids=str,
)  # fmt: skip
def test_notes_are_exactly_as_stated(options, notes):
    first = [
        "Log worths sum to 0; standard errors are for that contrast.",
        "Buckets of up to 2 items are modeled.",
    ]
    profile = DATA["ties of 2"]
    assert list(ra.PlackettLuce.fit(profile, **options).notes) == first + notes
    weighted = ra.Profile(list(profile), weights=[1.0, 1.0, 1.0, 1.0, 1.0, 1.5])
    fit = ra.PlackettLuce.fit(weighted, pseudo_rankings=0.1)
    last = "Weighted rankings: the number of observations is the effective one."
    assert fit.notes[-1] == last
    assert ra.PlackettLuce.fit(DATA["complete"]).notes == tuple(first[:1])


def test_a_fit_that_did_not_converge_has_a_note():
    few = Likelihood(gathered(DATA["complete"])).maximize(steps=1)
    assert few.notes() == [
        "Not converged in 1 step: the estimates are not the maximum. Raise `tol`."
    ]
    heavy = 2.0**60
    wins = [[0, heavy, 0, 0], [heavy, 0, 9, 0], [0, 1, 0, heavy], [0, 0, heavy, 0]]
    stuck = ra.BradleyTerry.fit(ra.PairwiseMatrix.from_wins(wins, items="ABCD"))
    assert stuck.notes[-1] == (
        "Not converged: rounding errors hide the maximum, since weights or worths differ too much. "
        "The estimates are not the maximum."
    )
