"""Climbing a concave log likelihood whose log worths are determined up to a constant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankagg._typing import Floats
from rankagg.distributions.luce import Derivatives, Likelihood
from rankagg.exceptions import NotIdentifiedError

__all__ = ["NEWTON_STEPS", "Maximum", "inverse_information", "minorize", "newton"]

HALVINGS = 40
# A log parameter beyond this is on its way to infinity: no data tell odds of exp(35).
BEYOND = 35.0
# The least curvature of a maximum, as a share of the weight of all choices.
FLAT = 1e-12
EPSILON = float(np.finfo(np.float64).eps)
NEWTON_STEPS = 100
ENDLESS = (
    "The likelihood has no finite maximum: a worth or a tie weight grows without end. Use "
    "`pseudo_rankings=0.5` or a `ridge`, break ties where nothing but ties was observed, or leave "
    "items out."
)


@dataclass(frozen=True, eq=False)
class Maximum:
    """Where a climb ended.

    Attributes
    ----------
    parameters : ndarray of float, shape (p,)
        Log worths with sum 0, then log tie weights.
    value : float
        The log likelihood there.
    information : ndarray of float, shape (p, p)
        Minus the second derivatives there.
    gradient_norm : float
        The largest entry of the gradient.
    n_iterations : int
        Steps.
    converged : bool
        True where the gradient is small enough.
    """

    parameters: Floats
    value: float
    information: Floats
    gradient_norm: float
    n_iterations: int
    converged: bool


def newton(
    likelihood: Likelihood, steps: int, tolerance: float, *, equal_worths: bool = False
) -> Maximum:
    """Climb by Newton steps, halved until the likelihood rises.

    It has converged where no parameter would move by more than the tolerance, or where the gradient
    is nothing but rounding. With `equal_worths` only the tie weights move.
    """
    n = likelihood.n
    here = np.zeros(n + len(likelihood.sizes))
    rounding = 4.0 * EPSILON * float(likelihood.choices.weights.sum())
    for step in range(steps + 1):
        at = likelihood.derivatives(here)
        gradient, information = at.gradient.copy(), _full_rank(at.information, n)
        if equal_worths:
            gradient[:n] = 0.0
            information[:n, n:] = information[n:, :n] = 0.0
        _check_curvature(information, likelihood)
        direction: Floats = np.linalg.solve(information, gradient).astype(np.float64)
        small = np.abs(direction).max() <= tolerance or np.abs(gradient).max() <= rounding
        if small or step == steps:
            return _maximum(likelihood, here, at, step, converged=bool(small))
        here = here + _step(likelihood, here, direction, at.value, float(direction @ gradient))
        _check_finite(here)
    raise AssertionError("the loop returns")


def _check_curvature(information: Floats, likelihood: Likelihood) -> None:
    """Raise where the likelihood is flat in some direction: it rises for ever, ever less."""
    least = float(np.linalg.eigvalsh(information)[0])
    if least <= FLAT * float(likelihood.choices.weights.sum()):
        raise NotIdentifiedError(ENDLESS)


def _step(
    likelihood: Likelihood, here: Floats, direction: Floats, value: float, slope: float
) -> Floats:
    """Return the direction, halved until the likelihood rises by a part of what the slope says."""
    slack = 1e-12 * abs(value)
    for halving in range(HALVINGS):
        part = 0.5**halving
        # A step that is much too long overflows: its value is -inf, and it is halved.
        with np.errstate(over="ignore", invalid="ignore"):
            reached = likelihood.value(here + part * direction)
        if reached >= value + 1e-4 * part * slope - slack:
            break
    return part * direction


def minorize(likelihood: Likelihood, steps: int, tolerance: float) -> Maximum:
    """Climb by raising what was observed more often than expected.

    Without ties these are the steps of Hunter (2004): each maximizes a function that lies below
    the likelihood and touches it. With ties they are those of generalized iterative scaling. It
    has converged where no entry of the gradient exceeds the tolerance times the weight of all
    choices.
    """
    if likelihood.sizes:
        # With ties a maximum need not exist, which these steps would take long to show.
        newton(likelihood, NEWTON_STEPS, 1e-6)
    n = likelihood.n
    here = np.zeros(n + len(likelihood.sizes))
    observed = likelihood.linear
    small = tolerance * float(likelihood.choices.weights.sum())
    for step in range(steps + 1):
        expected = likelihood.expected(here)
        norm = float(np.abs(observed - expected).max())
        if norm <= small or step == steps:
            at = likelihood.derivatives(here)
            return _maximum(likelihood, here, at, step, converged=norm <= small)
        here = here + np.log(observed / expected)
        here[:n] -= here[:n].mean()
        _check_finite(here)
    raise AssertionError("the loop returns")


def inverse_information(information: Floats, n: int) -> Floats:
    """Return the inverse on the space of log worths that sum to 0; the first n are log worths."""
    inverse: Floats = np.linalg.inv(_full_rank(information, n)).astype(np.float64)
    return inverse


def _full_rank(information: Floats, n: int) -> Floats:
    """Add what determines the constant that the likelihood leaves open."""
    full = information.copy()
    full[:n, :n] += float(np.trace(information[:n, :n])) / n**2
    return full


def _maximum(
    likelihood: Likelihood, here: Floats, at: Derivatives, step: int, *, converged: bool
) -> Maximum:
    here = here.copy()
    if not likelihood.ridge:
        # A constant changes neither the value nor its derivatives.
        here[: likelihood.n] -= here[: likelihood.n].mean()
    norm = float(np.abs(at.gradient).max())
    return Maximum(here, at.value, at.information, norm, step, converged)


def _check_finite(parameters: Floats) -> None:
    if not (np.abs(parameters) < BEYOND).all():
        raise NotIdentifiedError(ENDLESS)
