"""The likelihood of choices against sums over all subsets and numerical derivatives."""

from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.distributions.plackett_luce import choices
from rankagg.distributions.plackett_luce import choices as choice_sets
from rankagg.distributions.plackett_luce.likelihood import (
    Likelihood,
    elementary,
    leave_one_out,
    log_bucket_weights,
)
from tests.distributions.luce_by_hand import (
    from_rows,
    gathered,
    log_likelihood_by_hand,
    numerical_gradient,
)
from tests.strategies import profiles, quick

numbers = st.lists(st.floats(0, 5), min_size=1, max_size=6)

# -- elementary symmetric polynomials -------------------------------------------------------------


def polynomials(x, degree):
    """Return e_0, ..., e_degree as sums over subsets."""
    return [sum(prod(subset) for subset in combinations(x, d)) for d in range(degree + 1)]


@quick
@given(x=numbers, degree=st.integers(0, 7))
def test_elementary_polynomials_are_sums_over_subsets(x, degree):
    rows = np.array([x, x[::-1]])
    found = elementary(rows, degree)
    assert found.shape == (degree + 1, 2)
    assert found[:, 0] == pytest.approx(polynomials(x, degree), rel=1e-12)
    assert found[:, 1] == pytest.approx(polynomials(x, degree), rel=1e-12)


@quick
@given(x=numbers, degree=st.integers(0, 7))
def test_leaving_one_out_is_the_sum_over_subsets_of_the_others(x, degree):
    found = leave_one_out(np.array([x, x]), degree)
    for j in range(len(x)):
        expected = polynomials(x[:j] + x[j + 1 :], degree)
        assert found[:, 0, j] == pytest.approx(expected, rel=1e-12)
        assert found[:, 1, j] == pytest.approx(expected, rel=1e-12)


def test_nothing_cancels_among_numbers_of_very_different_size():
    x = np.array([[1e12, 1.0, 1e-12]])
    assert leave_one_out(x, 2)[1, 0] == pytest.approx([1.0 + 1e-12, 1e12, 1e12 + 1.0], rel=1e-15)
    assert elementary(x, 3)[3, 0] == pytest.approx(1.0, rel=1e-15)


def test_bucket_weights_leave_out_what_is_no_alternative():
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
SIZES = {
    "no ties": (),
    "ties of 2": (2,),
    "ties of 3": (3,),
    "ties of 2 and 3": (2, 3),
    "ties of 4": (2, 4),
}
WORTHS = np.array([0.9, -0.3, 0.1, -1.2, 0.4])
TIES = {2: -0.7, 3: 0.6, 4: 0.2}

every_kind = pytest.mark.parametrize("kind", DATA)


@pytest.fixture(params=[62, 0], ids=["merged", "chains"])
def read(request, monkeypatch):
    """Return a function from a kind of data to its profile and likelihood."""
    monkeypatch.setattr(choices, "BITS", request.param)

    def likelihood(kind, *, ridge=0.0, ghost=0.0):
        profile = from_rows(DATA[kind], counts=[2, 1, 3, 1, 2][: len(DATA[kind])])
        found = gathered(profile)
        found = found.with_ghost(ghost) if ghost else found
        return profile, Likelihood(found, SIZES[kind], ridge)

    return likelihood


def parameters_of(kind, worths=WORTHS):
    return np.array([*worths, *(TIES[d] for d in SIZES[kind])])


@every_kind
def test_the_value_is_the_sum_over_all_subsets(kind, read):
    profile, likelihood = read(kind)
    ties = {d: TIES[d] for d in SIZES[kind]}
    by_hand = log_likelihood_by_hand(profile, WORTHS, ties)
    at = parameters_of(kind)
    assert likelihood.value(at) == pytest.approx(by_hand, rel=1e-12)
    assert likelihood.derivatives(at).value == likelihood.value(at)


@quick
@given(profile=profiles(min_size=2, max_size=4), shift=st.floats(-3, 3))
def test_the_value_of_any_profile_is_the_sum_over_all_subsets(profile, shift):
    found = gathered(profile)
    sizes = tuple(sorted(d for d in found.tied if d > 1))
    worths = shift * np.cos(np.arange(profile.n_items))
    ties = {d: 0.3 * d - shift for d in sizes}
    value = Likelihood(found, sizes).value(np.array([*worths, *ties.values()]))
    assert value == pytest.approx(log_likelihood_by_hand(profile, worths, ties), abs=1e-10)


@every_kind
@pytest.mark.parametrize("more", [{}, {"ridge": 0.8}, {"ghost": 0.5}, {"ridge": 2.0, "ghost": 1.5}])
def test_gradient_and_information_are_the_derivatives(kind, more, read):
    _, likelihood = read(kind, **more)
    at = parameters_of(kind, [*WORTHS, 0.25] if "ghost" in more else WORTHS)
    found = likelihood.derivatives(at)
    slope = numerical_gradient(likelihood.value, at)
    assert found.gradient == pytest.approx(slope, abs=1e-6)
    bend = numerical_gradient(lambda here: likelihood.derivatives(here).gradient, at)
    assert found.information == pytest.approx(-bend, abs=1e-6)


@every_kind
def test_the_gradient_is_observed_less_expected(kind, read):
    _, likelihood = read(kind)
    at = parameters_of(kind)
    difference = likelihood.linear - likelihood.expected(at)
    assert likelihood.derivatives(at).gradient == pytest.approx(difference, abs=1e-12)


@every_kind
def test_a_constant_added_to_all_worths_changes_nothing(kind, read):
    _, likelihood = read(kind)
    at = parameters_of(kind)
    moved = at + 7.0 * (np.arange(len(at)) < 5)
    assert likelihood.value(moved) == pytest.approx(likelihood.value(at), rel=1e-12)
    first, second = likelihood.derivatives(at), likelihood.derivatives(moved)
    assert second.gradient == pytest.approx(first.gradient, abs=1e-10)
    assert first.information[:, :5].sum(axis=1) == pytest.approx(0, abs=1e-10)


@every_kind
def test_the_information_has_no_negative_direction(kind, read):
    _, likelihood = read(kind)
    values = np.linalg.eigvalsh(likelihood.derivatives(parameters_of(kind)).information)
    assert values.min() > -1e-12


@every_kind
def test_small_tables_sum_to_the_same(kind, read, monkeypatch):
    _, likelihood = read(kind)
    at = parameters_of(kind)
    whole = likelihood.derivatives(at)
    monkeypatch.setattr(choice_sets, "TABLE_ENTRIES", 1)
    parts = likelihood.derivatives(at)
    assert parts.value == pytest.approx(whole.value, rel=1e-12)
    assert parts.gradient == pytest.approx(whole.gradient, abs=1e-12)
    assert parts.information == pytest.approx(whole.information, abs=1e-12)


def test_the_ghost_adds_votes_against_an_item_of_its_own(read):
    profile, likelihood = read("ties of 2", ghost=0.5)
    at = parameters_of("ties of 2", [*WORTHS, 0.25])
    ghostly = log_likelihood_by_hand(profile, WORTHS, {2: TIES[2]})
    for worth in WORTHS:
        tie = TIES[2] + (worth + 0.25) / 2
        total = np.log(np.exp(worth) + np.exp(0.25) + np.exp(tie))
        ghostly += 0.5 * (worth + 0.25 - 2 * total)
    assert likelihood.value(at) == pytest.approx(ghostly, rel=1e-12)


def test_worths_far_apart_do_not_overflow():
    profile = ra.Profile.from_orders(["AB", "BA"])
    likelihood = Likelihood(gathered(profile))
    at = np.array([350.0, -350.0])
    assert likelihood.value(at) == pytest.approx(-700.0)
    assert likelihood.derivatives(at).gradient == pytest.approx([-1, 1])
    assert likelihood.value(at + 5000.0) == pytest.approx(-700.0)
