"""The climbs step by step: what a step may be, and what counts as having arrived."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest

from rankagg.distributions.maximum import inverse_information, newton
from rankagg.distributions.plackett_luce.likelihood import Likelihood
from tests.distributions.luce_by_hand import from_rows, gathered

PROFILE = from_rows(["A>B>C", "B>C>A", "C>A>B", "A>C>B"], "ABC", counts=[30, 2, 1, 4])


@dataclass(frozen=True, eq=False)
class Broken(Likelihood):
    """A likelihood whose value is none at the whole of the first step."""

    instead: float = np.inf
    tried: list = field(default_factory=list)

    def value(self, parameters):
        """Return the log likelihood, or something else at the second point."""
        self.tried.append(parameters)
        return self.instead if len(self.tried) == 2 else super().value(parameters)


@pytest.mark.parametrize("instead", [np.inf, np.nan, -np.inf])
def test_a_value_that_is_not_finite_shortens_the_step(instead):
    broken = Broken(gathered(PROFILE), instead=instead)
    first = newton(broken, steps=1)
    whole = newton(Likelihood(gathered(PROFILE)), steps=1)
    assert broken.tried[1] == pytest.approx(whole.parameters)
    assert first.parameters == pytest.approx(whole.parameters / 2)
    found = newton(Broken(gathered(PROFILE), instead=instead))
    top = newton(Likelihood(gathered(PROFILE)))
    assert found.converged
    assert found.parameters == pytest.approx(top.parameters, abs=1e-8)


@dataclass(frozen=True, eq=False)
class Nowhere(Likelihood):
    """A likelihood that has a value at the start only."""

    def value(self, parameters):
        """Return the log likelihood at equal worths, and none elsewhere."""
        return np.nan if parameters.any() else super().value(parameters)


def test_a_climb_without_any_step_says_that_it_is_stuck():
    found = newton(Nowhere(gathered(PROFILE)))
    assert (found.converged, found.stuck, found.n_iterations) == (False, True, 0)
    assert not found.parameters.any()


def test_a_first_step_is_not_longer_than_its_reach():
    # Nearly all say A > B, B > C and so on: the parabolas are highest further and further away.
    pairs = [f"{one}>{other}" for one, other in pairwise("ABCDEFGHIJKL")]
    turned = [pair[::-1] for pair in pairs]
    profile = from_rows(pairs + turned, "ABCDEFGHIJKL", counts=[10**9] * 11 + [1] * 11)
    for steps, moved in ((1, 4.0), (2, 4.0 + 8.0)):
        found = newton(Likelihood(gathered(profile)), steps=steps)
        assert np.abs(found.parameters).max() == pytest.approx(moved)
        assert not found.converged
        assert not found.stuck
        assert found.n_iterations == steps


def test_what_converged_is_a_maximum_to_the_tolerance():
    likelihood = Likelihood(gathered(PROFILE))
    top = newton(likelihood, 1e-12)
    for tolerance in (1e-2, 1e-5):
        found = newton(likelihood, tolerance)
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
