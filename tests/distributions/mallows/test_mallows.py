"""The Mallows distribution: partial rankings, the ends of theta, and its closed forms."""

from math import factorial, inf, log, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from tests import oracles
from tests.strategies import rankings, strict_rankings

THETAS = st.sampled_from([0.0, 1e-6, 0.1, 0.8, 2.0, 10.0])


def over_compatible(law, ranking):
    """Sum the probabilities of the compatible permutations."""
    return sum(
        law.prob(ra.Permutation.from_ranks(places, items=law.items))
        for places in oracles.compatible_permutations(ranking)
    )


# -- partial rankings -----------------------------------------------------------------------------


@given(ranking=rankings(max_size=5), theta=THETAS, data=st.data())
def test_partial_ranking_has_the_chance_of_its_compatible_permutations(ranking, theta, data):
    law = ra.Mallows(data.draw(strict_rankings(ranking.items)), theta)
    assert law.prob(ranking) == pytest.approx(over_compatible(law, ranking), rel=1e-9)


@given(ranking=rankings(max_size=5))
def test_uniform_law_gives_a_partial_ranking_its_share(ranking):
    law = ra.distributions.Uniform(ranking.items)
    share = ranking.n_compatible_permutations / factorial(ranking.n_items)
    assert law.prob(ranking) == pytest.approx(share, rel=1e-12)
    flat = ra.Mallows(ra.Permutation.identity(ranking.items), 0.0)
    assert flat.log_prob(ranking) == pytest.approx(law.log_prob(ranking), abs=1e-12)


# -- parameters -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        *((lambda bad=bad: ra.Mallows("AB", bad), r"`theta` must be a number in \[0, inf\)")
          for bad in (-1e-9, inf, -inf, nan, True, np.True_, "1", None, 1j)),
        *((lambda bad=bad: ra.distributions.mallows_log_normalizer(3, bad), "`theta` must be")
          for bad in (-1, nan, "1")),
        *((lambda bad=bad: ra.Mallows.from_phi("ABC", bad), r"`phi` must be a number in \(0, 1\]")
          for bad in (0, 0.0, -0.5, 1.0001, inf, nan, True, "0.5")),
        *((lambda ranks=ranks: ra.Mallows(ra.PartialRanking(ranks, "ABC"), 1.0),
           "`center` must be complete and strict")
          for ranks in ([0, 0, 2], [0, ra.UNRANKED, 1], [0, ra.UNLISTED, ra.UNLISTED])),
    ],
)  # fmt: skip
def test_bad_parameters_are_refused(call, words):
    with pytest.raises(InvalidInputError, match=words):
        call()


def test_center_may_be_labels_or_a_permutation():
    law = ra.Mallows("BCA", 1)
    assert law.center == ra.Permutation.from_order("BCA")
    assert law.mode.order == ("B", "C", "A")
    for kind in (ra.Permutation, ra.PartialRanking):
        assert law == ra.Mallows(kind.from_order(["B", "C", "A"]), 1.0)
    assert law != ra.Mallows("BCA", 1.5)
    assert law != ra.Mallows("BAC", 1.0)


@pytest.mark.parametrize("phi", [1e-300, 0.01, 0.5, 0.999, 1, 1.0])
def test_phi_is_exp_of_minus_theta(phi):
    law = ra.Mallows.from_phi("ABC", phi)
    assert law.theta == pytest.approx(-log(phi), abs=0.0)
    assert law.phi == pytest.approx(phi)
    assert law.log_prob(law.center.reverse()) == pytest.approx(3 * log(phi) - law.log_normalizer)


# -- closed forms ---------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_log_normalizer_without_concentration_is_that_of_all_permutations(n):
    for theta, error in ((0.0, 1e-12), (1e-13, 1e-9)):
        found = ra.distributions.mallows_log_normalizer(n, theta)
        assert found == pytest.approx(log(factorial(n)), abs=error)
    assert ra.distributions.mallows_log_normalizer(n, 900.0) == 0.0


@pytest.mark.parametrize("theta", [60.0, 800.0, 1e6])
def test_large_theta_leaves_the_center(theta):
    law = ra.Mallows(ra.Permutation.from_ranks([2, 0, 3, 1], items="ABCD"), theta)
    assert set(law.sample(50, rng=0)) == {law.center}
    assert law.prob(law.center) == pytest.approx(1.0)
    assert law.log_prob(law.center.reverse()) == pytest.approx(-6 * theta)
    assert law.entropy() == pytest.approx(0.0, abs=1e-20)
    at = np.equal.outer(law.center.ranks, np.arange(4))
    np.testing.assert_allclose(law.rank_probabilities(), at, atol=1e-20)


def test_repr_states_theta_and_center():
    text = "<Mallows distribution: theta 0.25, phi 0.779, center B > A>"
    assert repr(ra.Mallows("BA", 0.25)) == text
