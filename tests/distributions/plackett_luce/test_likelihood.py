"""The likelihood of choices against sums over all subsets, however far worths are apart."""

from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.distributions.plackett_luce import choices
from rankagg.distributions.plackett_luce import likelihood as likelihoods
from rankagg.distributions.plackett_luce.likelihood import (
    Likelihood,
    _elementary,
    _leave_one_out,
    log_bucket_weights,
)  # fmt: skip
from rankagg.exceptions import InvalidInputError
from tests.distributions.luce_by_hand import (
    from_rows,
    gathered,
    log_likelihood_by_hand,
    numerical_gradient,
)  # fmt: skip
from tests.strategies import profiles

numbers = st.lists(st.floats(0, 5), min_size=1, max_size=6)

# -- elementary symmetric polynomials -------------------------------------------------------------


def polynomials(x, degree):
    """Return e_0, ..., e_degree as sums over subsets."""
    return [sum(prod(subset) for subset in combinations(x, d)) for d in range(degree + 1)]


@given(x=numbers, degree=st.integers(0, 7))
def test_elementary_polynomials_are_sums_over_subsets(x, degree):
    found = _elementary(np.array([x, x[::-1]]), degree)
    assert found.shape == (degree + 1, 2)
    assert found[:, 0] == pytest.approx(polynomials(x, degree), rel=1e-12)
    assert found[:, 1] == pytest.approx(polynomials(x, degree), rel=1e-12)


@given(x=numbers, degree=st.integers(0, 7))
def test_leaving_one_out_is_the_sum_over_subsets_of_the_others(x, degree):
    found = _leave_one_out(np.array([x, x]), degree)
    for j in range(len(x)):
        expected = polynomials(x[:j] + x[j + 1 :], degree)
        assert found[:, 0, j] == pytest.approx(expected, rel=1e-12)
        assert found[:, 1, j] == pytest.approx(expected, rel=1e-12)


def test_nothing_cancels_among_numbers_of_very_different_size():
    x = np.array([[1e12, 1.0, 1e-12]])
    assert _leave_one_out(x, 2)[1, 0] == pytest.approx([1.0 + 1e-12, 1e12, 1e12 + 1.0], rel=1e-15)
    assert _elementary(x, 3)[3, 0] == pytest.approx(1.0, rel=1e-15)


def test_bucket_weights_leave_out_absent_items():
    logs = np.log([[2.0, 3.0, 4.0]])
    logs = np.vstack([logs, [[logs[0, 0], -np.inf, logs[0, 2]]]])
    found = np.exp(log_bucket_weights(logs, {2: np.log(0.5), 3: 0.0}))
    pairs = [0.5 * (6**0.5 + 8**0.5 + 12**0.5), 0.5 * 8**0.5]
    assert found == pytest.approx(np.array([[9, 6], pairs, [24 ** (1 / 3), 0]]))


# -- the likelihood -------------------------------------------------------------------------------

DATA = {
    "no ties": ["A>B>C>D>E", "C>A>...", "B>E>A", "D>B", "E>C>D>A"],
    "ties of 2": ["A=B>C>D>E", "C>A>...", "B>E=A", "D=B", "E>C>D=A>..."],
    "ties of 3": ["A=B=C>D>E", "C>A>...", "B>E>A", "D>A=B=C", "E=C=D>..."],
    "ties of 2 and 3": ["A=B>C=D=E", "C>A=B>...", "B=E=A", "D=A", "E>C>D>A"],
    "ties of 4": ["A=B=C=D>E", "C>A>...", "B=E>A", "D>B"],
}
SIZES = dict(zip(DATA, [(), (2,), (3,), (2, 3), (2, 4)], strict=True))
WORTHS = np.array([0.9, -0.3, 0.1, -1.2, 0.4])
TIES = {2: -0.7, 3: 0.6, 4: 0.2}

every_kind = pytest.mark.parametrize("kind", DATA)


WAYS = {"merged": (62, 8), "chains": (0, 8), "sparse": (0, 0)}


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def read(request, monkeypatch):
    """Return a function from a kind of data to its profile and likelihood."""
    monkeypatch.setattr(choices, "BITS", request.param[0])
    monkeypatch.setattr(likelihoods, "SPARSE_FROM", request.param[1])

    def likelihood(kind, *, ridge=0.0, ghost=0.0):
        profile = from_rows(DATA[kind], counts=[2, 1, 3, 1, 2][: len(DATA[kind])])
        found = gathered(profile)
        found = found.with_ghost(ghost) if ghost else found
        return profile, Likelihood(found, SIZES[kind], ridge)

    return likelihood


def parameters_of(kind, worths=WORTHS):
    return np.array([*worths, *(TIES[d] for d in SIZES[kind])])


@given(profile=profiles(min_size=2, max_size=4), shift=st.floats(-3, 3))
def test_the_value_of_any_profile_is_the_sum_over_all_subsets(profile, shift):
    found = gathered(profile)
    sizes = tuple(sorted(d for d in found.tied if d > 1))
    worths = shift * np.cos(np.arange(profile.n_items))
    ties = {d: 0.3 * d - shift for d in sizes}
    value = Likelihood(found, sizes).value(np.array([*worths, *ties.values()]))
    assert value == pytest.approx(log_likelihood_by_hand(profile, worths, ties), abs=1e-10)


MORE = {}, {"ridge": 0.8}, {"ghost": 0.5}, {"ridge": 2.0, "ghost": 1.5}
# In fast tests: the smallest and the largest sum of each kind, and one of each way.
DERIVED = [
    pytest.param(kind, more, way, id=f"{kind}, {more}, {name}", marks=[pytest.mark.slow] * slow)
    for kind in DATA for more in MORE for name, way in WAYS.items()
    for slow in [len(more) == 1 or (name != "merged" and (kind != "ties of 2 and 3" or not more))]
]  # fmt: skip


@pytest.mark.parametrize(("kind", "more", "read"), DERIVED, indirect=["read"])
def test_gradient_and_information_are_the_derivatives(kind, more, read):
    _, likelihood = read(kind, **more)
    at = parameters_of(kind, [*WORTHS, 0.25] if "ghost" in more else WORTHS)
    found = likelihood.derivatives(at)
    assert found.value == likelihood.value(at)
    assert found.gradient == pytest.approx(numerical_gradient(likelihood.value, at), abs=1e-6)
    bend = numerical_gradient(lambda here: likelihood.derivatives(here).gradient, at)
    assert found.information == pytest.approx(-bend, abs=1e-6)


@every_kind
def test_small_tables_sum_to_the_same(kind, read, monkeypatch):
    _, likelihood = read(kind)
    at = parameters_of(kind)
    whole = likelihood.derivatives(at)
    monkeypatch.setattr(choices, "TABLE_ENTRIES", 1)
    parts = likelihood.derivatives(at)
    assert parts.value == pytest.approx(whole.value, rel=1e-12)
    assert parts.gradient == pytest.approx(whole.gradient, abs=1e-12)
    assert parts.information == pytest.approx(whole.information, abs=1e-12)


def test_the_ghost_adds_votes_against_an_item_of_its_own(read):
    profile, likelihood = read("ties of 2", ghost=0.5)
    at = parameters_of("ties of 2", [*WORTHS, 0.25])
    ghostly = log_likelihood_by_hand(profile, WORTHS, {2: TIES[2]})
    for worth in WORTHS:
        total = np.log(np.exp(worth) + np.exp(0.25) + np.exp(TIES[2] + (worth + 0.25) / 2))
        ghostly += 0.5 * (worth + 0.25 - 2 * total)
    assert likelihood.value(at) == pytest.approx(ghostly, rel=1e-12)


# -- worths that have no floats -------------------------------------------------------------------


@pytest.mark.parametrize("count", [10**3, 10**8, 10**10, 10**12, 10**13])
def test_rare_wins_have_finite_odds(count):
    profile = ra.Profile.from_orders(["AB", "BA"], counts=[count, 1])
    fit = ra.PlackettLuce.fit(profile)
    assert fit.converged
    assert fit.estimates[0] - fit.estimates[1] == pytest.approx(np.log(count), rel=1e-6)
    error = fit.relative_to("B").loc["A", "std_err"]
    assert error == pytest.approx(np.sqrt(1 / count + 1), rel=1e-3)


def test_the_information_of_rare_wins_does_not_cancel():
    count = 10**12
    rows = ["A>B", "B>A", "B>C", "C>B"]
    found = gathered(from_rows(rows, "ABC", counts=[count, 1, count, 1]))
    gap = np.log(count)
    information = Likelihood(found).derivatives(np.array([gap, 0.0, -gap])).information
    # Each pair has n p (1 - p) = count/(count + 1).
    expected = (count / (count + 1)) * np.array([[1, -1, 0], [-1, 2, -1], [0, -1, 1]])
    assert information == pytest.approx(expected, rel=1e-12)


# -- sums over sets, both ways --------------------------------------------------------------------


def test_bucket_weights_of_extreme_worths_are_computed():
    logs = np.array([[3000.0, 1000.0, -1000.0], [-2000.0, -np.inf, -2000.0]])
    found = log_bucket_weights(logs, {2: 5.0, 3: 7.0})
    # One item weighs its worth, a pair 5 and the mean, three 7 and the mean of all.
    expected = np.array([[3000, -2000 + np.log(2)], [2005, -1995], [1007, -np.inf]])
    assert found == pytest.approx(expected)


def test_results_lost_by_rounded_weights_are_refused():
    profile = ra.Profile.from_orders(["AB", "BA"], weights=[np.pi * 1e10, np.e * 1e-10])
    with pytest.raises(InvalidInputError, match="Leave out results with smaller weights"):
        ra.BradleyTerry.fit(profile)
    # Rankings keep all weights.
    fit = ra.PlackettLuce.fit(ra.Profile.from_orders(["AB", "BA"], weights=[1e12, 1.0]))
    assert np.ptp(fit.estimates) == pytest.approx(np.log(1e12), rel=1e-6)
