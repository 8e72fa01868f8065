"""Existence of a maximum, the steps of the climb to it, and convergence."""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import linprog

import rankagg as ra
from rankagg.distributions.base import check_observed
from rankagg.distributions.maximum import check_connected, inverse_information
from rankagg.distributions.plackett_luce.likelihood import Likelihood, _beats_graph, _is_linked
from rankagg.exceptions import InvalidInputError, NotIdentifiedError
from tests.conftest import seeds
from tests.distributions.luce_by_hand import choices_by_hand, features, from_rows, gathered
from tests.oracles import ABOVE, TIED, as_places, judgment, ordered_pairs
from tests.strategies import profiles

PROFILE = from_rows(["A>B>C", "B>C>A", "C>A>B", "A>C>B"], "ABC", counts=[30, 2, 1, 4])


@dataclass(frozen=True, eq=False)
class Broken(Likelihood):
    """A likelihood without a finite value at the end of the complete first step."""

    instead: float = np.inf
    tried: list = field(default_factory=list)

    def value(self, parameters):
        """Return the log likelihood, or something else at the second point."""
        self.tried.append(parameters)
        return self.instead if len(self.tried) == 2 else super().value(parameters)


@pytest.mark.parametrize("instead", [np.inf, np.nan, -np.inf])
def test_a_value_that_is_not_finite_shortens_the_step(instead):
    broken = Broken(gathered(PROFILE), instead=instead)
    first = broken.maximize(steps=1)
    whole = Likelihood(gathered(PROFILE)).maximize(steps=1)
    assert broken.tried[1] == pytest.approx(whole.parameters)
    assert first.parameters == pytest.approx(whole.parameters / 2)
    found = Broken(gathered(PROFILE), instead=instead).maximize()
    top = Likelihood(gathered(PROFILE)).maximize()
    assert found.converged
    assert found.parameters == pytest.approx(top.parameters, abs=1e-8)


@dataclass(frozen=True, eq=False)
class Nowhere(Likelihood):
    """A likelihood that has a value at the start only."""

    def value(self, parameters):
        """Return the log likelihood at equal worths, and none elsewhere."""
        return np.nan if parameters.any() else super().value(parameters)


def test_a_climb_without_a_step_is_marked_stuck():
    found = Nowhere(gathered(PROFILE)).maximize()
    assert (found.converged, found.stuck, found.n_iterations) == (False, True, 0)
    assert not found.parameters.any()


def test_a_converged_fit_is_at_the_maximum_to_the_tolerance():
    likelihood = Likelihood(gathered(PROFILE))
    top = likelihood.maximize(1e-12)
    for tolerance in (1e-2, 1e-5):
        found = likelihood.maximize(tolerance)
        assert found.converged
        assert found.parameters == pytest.approx(top.parameters, abs=3 * tolerance)


def test_the_inverse_is_that_of_the_space_of_differences():
    rates = np.array([[0, 2.0, 0.5], [2.0, 0, 1e-9], [0.5, 1e-9, 0]])
    information = np.diag(rates.sum(axis=1)) - rates
    found = inverse_information(information, 3, grounded=True)
    project = np.eye(3) - 1 / 3
    assert project @ found @ project == pytest.approx(np.linalg.pinv(information), rel=1e-8)
    ridged = inverse_information(information + np.eye(3), 3, grounded=False)
    expected = project @ np.linalg.inv(information + np.eye(3)) @ project
    assert project @ ridged @ project == pytest.approx(expected, rel=1e-8)


def test_information_without_an_inverse_has_no_errors():
    assert np.isnan(inverse_information(np.zeros((3, 3)), 3, grounded=True)).any()
    assert np.isnan(inverse_information(np.full((3, 3), np.nan), 3, grounded=True)).any()


# -- whether there is a maximum -------------------------------------------------------------------


def all_wins(profile):
    """Return who is above or level with whom in some ranking, pair by pair."""
    wins = np.zeros((profile.n_items, profile.n_items), dtype=bool)
    for ranking in map(as_places, profile):
        for i, j in ordered_pairs(profile.n_items):
            wins[i, j] |= judgment(ranking, i, j) in (ABOVE, TIED)
    return wins


@given(profile=profiles(max_size=6, max_rows=5))
def test_the_graph_of_wins_equals_brute_force(profile):
    assert (_beats_graph(profile) == all_wins(profile)).all()


def test_no_weight_is_too_small_to_link_items():
    assert _beats_graph(from_rows(["A>B", "B>A"], "AB", weights=[1e30, 1e-30])).sum() == 2


def check(rows, items):
    profile = from_rows(rows, items)
    check_connected(_beats_graph(profile), profile.items)


@pytest.mark.parametrize("rows", [["A>B>C", "C>A"], ["A=B=C"], ["A>...", "B>...", "C>..."]])
def test_connected_rankings_have_a_fit(rows):
    check(rows, "ABC")
    with pytest.raises(NotIdentifiedError, match=r"\(A, B, C \| D\)|never compared: D\."):
        check(rows, "ABCD")


@pytest.mark.parametrize(
    ("rows", "items", "words"),
    [
        (["A>B>C", "B>A>C"], "ABC", [
            "no group here loses to a later one (A, B | C)", "never above another: C.",
        ]),
        (["A>B>C", "A>C>B"], "ABC", ["(A | B, C)", "never beaten: A."]),
        (["A>B", "B>A", "C>D", "D>C"], "ABCD", ["(A, B | C, D)"]),
        (["A>B", "B>A", "C"], "ABC", ["never compared: C."]),
        (["A>B>C>D>E>F>G>H>I"], "ABCDEFGHI", ["G | H | ... 9 groups in all)"]),
    ],
)  # fmt: skip
def test_the_message_names_groups_and_remedies(rows, items, words):
    with pytest.raises(NotIdentifiedError) as caught:
        check(rows, items)
    text = str(caught.value)
    for part in [*words, "pseudo_rankings=0.5", "ridge", "drop items"]:
        assert part in text
    assert ("never beaten" in text) == any("never beaten" in word for word in words) or len(
        items
    ) > 4


def test_one_item_is_connected_and_two_are_not():
    check_connected(np.zeros((1, 1), dtype=bool), ra.ItemSet("A"))
    with pytest.raises(NotIdentifiedError, match=r"\(A \| B\)"):
        check_connected(np.zeros((2, 2), dtype=bool), ra.ItemSet("AB"))


def test_sets_are_linked_by_chains():
    table = np.zeros((4, 4))
    table[0, 1] = table[1, 0] = table[2, 3] = table[3, 2] = 0.5
    assert not _is_linked(table)
    table[1, 2] = table[2, 1] = 1e-9
    assert _is_linked(table)


def test_unobserved_items_are_named_with_the_remedy():
    with pytest.raises(InvalidInputError, match=r"B, D.*profile\.restrict"):
        check_observed(from_rows(["A>C", "C>A"], "ABCD"))
    check_observed(from_rows(["A>...", "B>..."], "ABCD"))


def has_a_maximum(profile):
    """Say whether no direction gains on an alternative and loses on none: all are listed."""
    sizes = tuple(sorted({len(c) for r in profile for _, c in choices_by_hand(r)} - {1}))
    n = profile.n_items
    rows = np.array([
        features(chosen, n, sizes) - features(bucket, n, sizes)
        for ranking in profile
        for alternatives, chosen in choices_by_hand(ranking)
        for d in (1, *sizes)
        for bucket in combinations(sorted(alternatives), d)
    ])  # fmt: skip
    bounds = [(-1, 1)] * rows.shape[1]
    found = linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=bounds)
    return -found.fun <= 1e-6


@pytest.mark.parametrize("seed", seeds(8, 200))
def test_rankings_with_ties_have_a_fit_exactly_where_they_have_a_maximum(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(3, 6)), int(rng.integers(2, 12))
    profile = ra.Profile.from_ranks(rng.integers(1, n, (m, n)))
    if has_a_maximum(profile):
        assert ra.PlackettLuce.fit(profile).converged
    else:
        with pytest.raises(NotIdentifiedError, match="no finite maximum"):
            ra.PlackettLuce.fit(profile)


def test_the_message_names_the_diverging_parameters():
    with pytest.raises(NotIdentifiedError, match=r"it still rises as log tie 2 grows\."):
        ra.PlackettLuce.fit(from_rows(["A=B", "B=C", "C=A"], "ABC"))
    words = r"it still rises as A, log tie 2 grow and C falls\."
    with pytest.raises(NotIdentifiedError, match=words):
        ra.PlackettLuce.fit(from_rows(["A=B", "B=C", "A>C", "A=C"], "ABC"))


def test_regular_fits_with_endless_ties_are_refused():
    # A ghost is tied with nobody, which bounds ties of two and not those of three.
    profile = from_rows(["A=B=C", "A=B=C", "A=B=C"], "ABC")
    with pytest.raises(NotIdentifiedError, match="log tie 3 grows"):
        ra.PlackettLuce.fit(profile, pseudo_rankings=0.5)


def test_ridges_bound_the_parameters_they_penalize():
    profile = from_rows(["A=B=C", "A=B=C"], "ABC")
    with pytest.raises(NotIdentifiedError, match="log tie 3 grows"):
        ra.PlackettLuce.fit(profile, ridge=1.0)
    assert ra.PlackettLuce.fit(profile, ridge=1.0, tie_ridge=1.0).converged


@pytest.mark.parametrize("counts", [[3, 1, 1], [10**9, 1, 1], [1, 1, 10**6]])
def test_davidson_pairs_have_a_maximum_for_any_counts(counts):
    profile = from_rows(["A>B", "B>A", "A=B"], "AB", counts=counts)
    for data in (profile, profile.with_unranked("ignore").pairwise()):
        fit = ra.BradleyTerry.fit(data, ties="davidson")
        wins, losses, ties = counts
        assert fit.converged
        # exp(l_A - l_B) is the odds; the weight of a tie is against the geometric mean.
        assert np.ptp(fit.estimates[:2]) == pytest.approx(abs(np.log(wins / losses)), abs=1e-5)
        expected = np.log(ties / np.sqrt(wins * losses))
        assert fit.estimates[2] == pytest.approx(expected, abs=1e-5)
