"""Cultures: each against its law by enumeration."""

import pickle
from collections import Counter
from math import asin, log, pi

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg.cultures import _conitzer, _theta_of_norm_phi, _walsh
from rankagg.exceptions import InvalidInputError
from tests import culture_laws as laws

CULTURES = [
    ra.cultures.ImpartialCulture(),
    ra.cultures.AnonymousCulture(),
    ra.cultures.UrnCulture(contagion=0.3),
    ra.cultures.EuclideanCulture(),
    ra.cultures.EuclideanCulture(n_dimensions=1, points="gaussian"),
    ra.cultures.SinglePeakedCulture(),
    ra.cultures.SinglePeakedCulture(variant="conitzer"),
    ra.cultures.MallowsCulture(norm_phi=0.4),
    ra.cultures.MallowsCulture(phi=0.6),
]


def law_of(culture, n, m):
    """Return the probability of every profile of m rankings of n items."""
    match culture:
        case ra.cultures.ImpartialCulture():
            return laws.impartial(n, m)
        case ra.cultures.AnonymousCulture():
            return laws.anonymous(n, m)
        case ra.cultures.UrnCulture(contagion=contagion):
            return laws.urn(n, m, contagion)
        case ra.cultures.SinglePeakedCulture(variant=variant):
            marginal = laws.walsh(n) if variant == "walsh" else laws.conitzer(n)
        case ra.cultures.MallowsCulture(norm_phi=None, phi=phi):
            marginal = laws.mallows(n, -log(phi))
        case ra.cultures.MallowsCulture(norm_phi=norm_phi):
            marginal = laws.normalized_mallows(n, norm_phi)
    return laws.independent(laws.relabelled(marginal, n), m)


def drawn(culture, n, m, number, seed=0):
    """Count profiles of a culture."""
    rng = np.random.default_rng(seed)
    return Counter(
        tuple(map(tuple, culture.sample(n, m, rng=rng).ranks.tolist())) for _ in range(number)
    )


def p_value(found, law):
    """Test frequencies against a law; what is impossible must not be there."""
    possible = {key: float(chance) for key, chance in law.items() if chance > 0}
    assert set(found) <= set(possible)
    assert sum(possible.values()) == pytest.approx(1)
    expected = found.total() * np.array(list(possible.values()))
    return stats.chisquare([found[key] for key in possible], expected).pvalue


# -- the laws -------------------------------------------------------------------------------------

ENUMERATED = [c for c in CULTURES if not isinstance(c, ra.cultures.EuclideanCulture)]


@pytest.mark.parametrize("culture", ENUMERATED, ids=repr)
def test_profiles_are_as_frequent_as_they_are_probable(culture):
    assert p_value(drawn(culture, 3, 2, 300), law_of(culture, 3, 2)) > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(3, 3), (4, 2)])
@pytest.mark.parametrize("culture", ENUMERATED, ids=repr)
def test_larger_profiles_are_as_frequent_as_they_are_probable(culture, n, m):
    assert p_value(drawn(culture, n, m, 15_000), law_of(culture, n, m)) > 1e-3


def test_voters_on_a_line_rank_by_distance():
    culture = ra.cultures.EuclideanCulture(n_dimensions=1)
    assert p_value(drawn(culture, 3, 2, 300), laws.on_a_line()) > 1e-3


@pytest.mark.parametrize("dimension", [1, 3])
def test_gaussian_voters_agree_on_a_pair_as_correlation_implies(dimension):
    """The voters' places beyond the midpoint, along its line, have the correlation 1/3."""
    culture = ra.cultures.EuclideanCulture(n_dimensions=dimension, points="gaussian")
    pairs = drawn(culture, 2, 2, 800, seed=3)
    alike = sum(number for (one, other), number in pairs.items() if one == other)
    assert stats.binomtest(alike, 800, 0.5 + asin(1 / 3) / pi).pvalue > 1e-3


@pytest.mark.parametrize(("draw", "law"), [(_walsh, laws.walsh), (_conitzer, laws.conitzer)])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_orders_on_an_axis_have_their_law(draw, law, n):
    orders = draw(n, 20_000, np.random.default_rng(n))
    assert p_value(Counter(map(tuple, np.argsort(orders, axis=1).tolist())), law(n)) > 1e-3


@pytest.mark.parametrize("n", [2, 3, 12, 40])
def test_norm_phi_is_the_expected_share_of_pairs(n):
    for norm_phi in (1e-6, 0.1, 0.5, 0.9, 1 - 1e-9):
        mallows = ra.Mallows(range(n), theta=_theta_of_norm_phi(n, norm_phi))
        assert mallows.mean_distance / (n * (n - 1) / 4) == pytest.approx(norm_phi, rel=1e-9)


# -- contract of cultures -------------------------------------------------------------------------


@pytest.mark.parametrize("culture", CULTURES, ids=repr)
def test_profiles_have_the_size_asked_for_and_repeat_with_a_seed(culture):
    for n, m in ((2, 1), (7, 1), (2, 50), (9, 30)):
        profile = culture.sample(n, m, rng=4)
        assert (profile.n_items, len(profile)) == (n, m)
        assert (np.sort(profile.ranks, axis=1) == np.arange(n)).all()
        assert profile == culture.sample(n, m, rng=4)
    assert pickle.loads(pickle.dumps(culture)) == culture


def test_extreme_contagion_and_norm_phi_have_known_profiles():
    assert len(ra.cultures.MallowsCulture(norm_phi=0).sample(9, 30, rng=1).compress()) == 1
    assert len(ra.cultures.UrnCulture(contagion=1e300).sample(9, 30, rng=1).compress()) == 1
    assert len(ra.cultures.UrnCulture(contagion=0).sample(9, 30, rng=1).compress()) == 30
    # 200! is no float.
    assert len(ra.cultures.AnonymousCulture().sample(200, 30, rng=1).compress()) == 30


def test_large_batches_of_voters_are_ranked_as_small_ones(monkeypatch):
    monkeypatch.setattr("rankagg.cultures.DISTANCES_AT_ONCE", 60)
    profile = ra.cultures.EuclideanCulture(n_dimensions=2).sample(6, 95, rng=3)
    rng = np.random.default_rng(3)
    candidates = rng.random((6, 2))
    voters = np.vstack([rng.random((size, 2)) for size in [10] * 9 + [5]])
    distances = np.linalg.norm(voters[:, None] - candidates[None], axis=2)
    assert (profile.ranks == stats.rankdata(distances, axis=1) - 1).all()


REFUSED = [
    (lambda: ra.cultures.UrnCulture(contagion=-0.1), "contagion of UrnCulture"),
    (lambda: ra.cultures.UrnCulture(contagion=float("inf")), "contagion of UrnCulture"),
    (lambda: ra.cultures.EuclideanCulture(n_dimensions=0), "n_dimensions of EuclideanCulture"),
    (lambda: ra.cultures.EuclideanCulture(points="sphere"), "points of EuclideanCulture"),
    (lambda: ra.cultures.SinglePeakedCulture(variant="black"), "variant of SinglePeakedCultu"),
    (lambda: ra.cultures.MallowsCulture(norm_phi=1.1), "norm_phi of MallowsCulture"),
    (lambda: ra.cultures.ImpartialCulture().sample(1, 5), "n_items"),
    (lambda: ra.cultures.ImpartialCulture().sample(3, 0), "n_rankings"),
]


def test_bad_parameters_of_cultures_are_named():
    for make, named in REFUSED:
        with pytest.raises(InvalidInputError, match=named):
            make()
