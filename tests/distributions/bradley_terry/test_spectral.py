"""Rank centrality: the walk, its errors, and how near it is to maximum likelihood."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

import rankagg as ra
from rankagg.distributions.bradley_terry.spectral import (
    spectral_covariance,
    spectral_worths,
    stationary,
)  # fmt: skip
from rankagg.exceptions import InvalidInputError, NotIdentifiedError

WORTHS = np.array([0.9, 0.4, -0.1, -0.3, -0.9])


def drawn(counts, worths, rng):
    """Return wins of so many comparisons of each pair."""
    n = len(worths)
    wins = np.zeros((n, n))
    for i, j in zip(*np.triu_indices(n, 1), strict=True):
        wins[i, j] = rng.binomial(counts[i, j], expit(worths[i] - worths[j]))
        wins[j, i] = counts[i, j] - wins[i, j]
    return wins


def by_steps(wins):
    """Return log worths as the paper has them: steps with the shares over the largest degree."""
    met = wins + wins.T
    moves = np.divide(wins.T, met, out=np.zeros_like(wins), where=met > 0)
    moves /= (met > 0).sum(axis=1).max()
    moves[np.diag_indices(len(wins))] = 1 - moves.sum(axis=1)
    time = np.linalg.matrix_power(moves, 1 << 20)[0]
    return np.log(time) - np.log(time).mean()


@given(st.integers(2, 7), st.integers(0, 10**6))
def test_shares_of_time_stay_as_they_are(n, seed):
    rates = np.exp(np.random.default_rng(seed).normal(scale=4, size=(n, n)))
    np.fill_diagonal(rates, 0)
    time = stationary(rates)
    assert (time > 0).all()
    assert time @ rates == pytest.approx(time * rates.sum(axis=1), rel=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_worths_are_those_of_the_paper(seed):
    rng = np.random.default_rng(seed)
    counts = np.triu(rng.integers(0, 2, (5, 5)) * 40 + 1, 1) - np.triu(np.eye(5, k=3))
    wins = drawn(counts, WORTHS, rng)
    fit = ra.BradleyTerry.fit(ra.PairwiseMatrix.from_wins(wins + (wins.T > 0)), method="spectral")
    assert fit.estimates == pytest.approx(by_steps(wins + (wins.T > 0)), abs=1e-8)
    assert fit.log_likelihood <= ra.BradleyTerry.fit(
        ra.PairwiseMatrix.from_wins(wins + (wins.T > 0))).log_likelihood  # fmt: skip


def test_worths_are_those_of_choix():
    # choix 0.4.1: rank_centrality(4, data), each win a row.
    votes = ra.PairwiseMatrix.from_wins([[0, 7, 9, 2], [3, 0, 6, 4], [1, 4, 0, 5], [3, 2, 6, 0]])
    fit = ra.BradleyTerry.fit(votes, method="spectral")
    known = [0.501887, 0.06451735, -0.63837514, 0.0719708]
    assert fit.estimates == pytest.approx(known, abs=1e-8)


def test_worths_that_explain_all_are_found_exactly_and_their_covariance_is_the_slope():
    counts = np.array([[0, 9, 4, 0, 2], [9, 0, 5, 3, 0], [4, 5, 0, 8, 1], [0, 3, 8, 0, 7],
                       [2, 0, 1, 7, 0.0]])  # fmt: skip
    chances = np.where(counts > 0, expit(WORTHS[:, None] - WORTHS), 0)
    assert spectral_worths(chances) == pytest.approx(WORTHS)
    expected = np.zeros((5, 5))
    for i, j in zip(*np.nonzero(np.triu(counts)), strict=True):
        step = np.zeros((5, 5))
        step[i, j], step[j, i] = 1e-5, -1e-5
        slope = (spectral_worths(chances + step) - spectral_worths(chances - step)) / 2e-5
        expected += np.outer(slope, slope) * chances[i, j] * chances[j, i] / counts[i, j]
    assert spectral_covariance(WORTHS, counts) == pytest.approx(expected, rel=1e-5)


@pytest.mark.slow
def test_errors_are_those_of_draws_and_no_smaller_than_those_of_maximum_likelihood():
    rng, counts = np.random.default_rng(0), np.full((5, 5), 60)
    counts[0, 3], counts[1, 4] = 0, 300
    found, errors = [], []
    for _ in range(400):
        votes = ra.PairwiseMatrix.from_wins(drawn(counts, WORTHS, rng))
        walk, most = (ra.BradleyTerry.fit(votes, method=how) for how in ("spectral", "newton"))
        found.append(walk.estimates)
        errors.append(walk.standard_errors)
        assert (walk.standard_errors >= 0.97 * most.standard_errors).all()
    assert np.mean(errors, axis=0) == pytest.approx(np.std(found, axis=0), rel=0.12)
    inside = np.abs(np.array(found) - WORTHS) <= 1.96 * np.array(errors)
    assert (np.abs(inside.mean(axis=0) - 0.95) <= 0.04).all()


def test_weights_count_by_their_effective_number():
    ballots = ra.Profile.from_orders(["AB", "BA", "BC", "CB", "CA", "AC"] * 5)
    plain = ra.BradleyTerry.fit(ballots.with_unranked("ignore").pairwise(), method="spectral")
    light = ra.Profile(list(ballots), counts=ballots.counts, weights=[0.1] * len(ballots))
    weighted = ra.BradleyTerry.fit(light.with_unranked("ignore").pairwise(), method="spectral")
    assert weighted.covariance == pytest.approx(plain.covariance)
    assert (plain.pairs()["p_value"] > 0.5).all()
    assert len(ra.inference.next_pairs(plain, 2, k=1)) == 2


def test_what_has_no_walk_is_refused():
    votes = ra.PairwiseMatrix.from_wins([[0, 3, 3], [1, 0, 2], [0, 0, 0]], items="ABC")
    with pytest.raises(NotIdentifiedError, match="never won or tied: C"):
        ra.BradleyTerry.fit(votes, method="spectral")
    for options in ({"ridge": 1.0}, {"pseudo_rankings": 1.0}, {"ties": "davidson"}):
        with pytest.raises(InvalidInputError, match="'newton' but for a PairwiseMatrix without"):
            ra.BradleyTerry.fit(votes, method="spectral", **options)
    with pytest.raises(InvalidInputError, match="'newton' but for a PairwiseMatrix"):
        ra.BradleyTerry.fit(ra.Profile.from_orders(["AB", "BA"]), method="spectral")
    with pytest.raises(InvalidInputError, match="'newton' or 'spectral'"):
        ra.BradleyTerry.fit(votes, method="walk")


def test_the_rule_adds_to_wins_and_centers_parts_that_nothing_joins():
    wins = np.array([[0, 3, 0, 0], [1, 0, 0, 0], [0, 0, 0, 5], [0, 0, 0, 0.0]])
    votes = ra.PairwiseMatrix.from_wins(wins, items="ABCD")
    consensus = ra.RankCentrality(pseudo_wins=1.0).aggregate(votes)
    ratios = np.log([2, 6]) / 2
    assert consensus.scores == pytest.approx([ratios[0], -ratios[0], ratios[1], -ratios[1]])
    with pytest.raises(InvalidInputError, match="`pseudo_wins of RankCentrality` must be"):
        ra.RankCentrality(pseudo_wins=0)
