"""Climbing a concave log likelihood whose log worths are determined up to a constant.

Whether there is a maximum at all is not decided here: see `connectivity` and `recession`. A climb
says where it ended, and whether that is the maximum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.distributions.connectivity import solve_definite
from rankagg.distributions.plackett_luce.likelihood import Derivatives, Likelihood

__all__ = ["NEWTON_STEPS", "Maximum", "inverse_information", "minorize", "newton"]

HALVINGS = 40
EPSILON = float(np.finfo(np.float64).eps)
NEWTON_STEPS = 100
# No parameter moves by more in the first step; the bound doubles whenever it holds a step back that
# the likelihood takes whole, and halves with a step. A parabola far from its maximum says little.
REACH = 4.0
# Moves below this are rounding.
LEAST_MOVE = 1e-13
# How far from the maximum rounding may leave a parameter.
LOST = 1e-6


@dataclass(frozen=True, eq=False)
class Maximum:
    """Where a climb ended."""

    # Shape (p,). Log worths with sum 0, then log tie weights.
    parameters: Floats
    # The log likelihood there.
    value: float
    # Shape (p, p). Minus the second derivatives there.
    information: Floats
    # The largest entry of the gradient.
    gradient_norm: float
    n_iterations: int
    # True where no parameter is further from the maximum than the tolerance, or than rounding
    # leaves open (at most `LOST`).
    converged: bool
    # True where no further step was found, though steps were left.
    stuck: bool = False


def newton(
    likelihood: Likelihood, steps: int, tolerance: float, *, equal_worths: bool = False
) -> Maximum:
    """Climb by Newton steps, halved until the likelihood rises.

    It has converged where no parameter would move by more than the tolerance, or where the gradient
    is nothing but rounding. With `equal_worths` only the tie weights move.
    """
    n = likelihood.n
    here = np.zeros(n + len(likelihood.sizes))
    reach = REACH
    for step in range(steps + 1):
        at = likelihood.derivatives(here)
        direction = _direction(likelihood, at, equal_worths=equal_worths)
        if direction is None:
            return _maximum(likelihood, here, at, step, stuck=True)
        size = float(np.abs(direction).max())
        moving = slice(n if equal_worths else 0, None)
        if size <= tolerance or _is_rounding(likelihood, at, moving):
            close = size <= max(tolerance, LOST)
            return _maximum(likelihood, here, at, step, converged=close, stuck=not close)
        if step == steps:
            return _maximum(likelihood, here, at, step)
        if size > reach:
            direction *= reach / size
        part = _part(likelihood, here, direction, at)
        if part == 0.0:
            return _maximum(likelihood, here, at, step, converged=size <= LOST, stuck=size > LOST)
        here = here + part * direction
        reach = max(reach * (2.0 if part == 1.0 and size > reach else part), REACH)
        if not likelihood.ridge:
            # A constant changes neither the value nor its derivatives.
            here[:n] -= here[:n].mean()
    raise AssertionError("the loop returns")


def _is_rounding(likelihood: Likelihood, at: Derivatives, moving: slice) -> bool:
    """Say whether every entry of the gradient is small beside the terms it is the difference of."""
    sums = likelihood.choices.weights.shape[0]
    noise = 4.0 * EPSILON * np.sqrt(sums + 16.0) * at.scale
    return bool((np.abs(at.gradient) <= noise)[moving].all())


def _direction(
    likelihood: Likelihood, at: Derivatives, *, equal_worths: bool = False
) -> Floats | None:
    """Return the step to the maximum of the parabola; none where it has none to rounding."""
    n = likelihood.n
    if equal_worths:
        moving = np.arange(n, len(at.gradient))
        matrix = at.information[np.ix_(moving, moving)]
    else:
        matrix, moving = _determined(at.information, n, grounded=not likelihood.ridge)
    solved = solve_definite(matrix, at.gradient[moving])
    if solved is None:
        return None
    direction = np.zeros(len(at.gradient))
    direction[moving] = solved
    if not (likelihood.ridge or equal_worths):
        direction[:n] -= direction[:n].mean()
    return direction if np.isfinite(direction).all() else None


def _determined(information: Floats, n: int, *, grounded: bool) -> tuple[Floats, NDArray[np.intp]]:
    """Return information that has an inverse, and which parameters it is of.

    Without a ridge the log worths are determined up to a constant, and one of them is held: the one
    of which most is known, so that its rounding does not reach the others. With one they sum to 0,
    and what is added says nothing about such.
    """
    if not grounded:
        full = information.copy()
        full[:n, :n] += float(np.trace(information[:n, :n])) / n**2
        return full, np.arange(len(full))
    moving = np.delete(np.arange(len(information)), int(np.argmax(np.diag(information)[:n])))
    return information[np.ix_(moving, moving)], moving


def _part(likelihood: Likelihood, here: Floats, direction: Floats, at: Derivatives) -> float:
    """Return the part of a step with which the likelihood rises by enough of what the slope says.

    It is halved until it does, or until there is nothing left of it: then 0. A value that is not
    finite is no rise.
    """
    slope = float(direction @ at.gradient)
    slack = 1e-12 * abs(at.value)
    for halving in range(HALVINGS):
        part = 0.5**halving
        # A step that is much too long may overflow.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            reached = likelihood.value(here + part * direction)
        if np.isfinite(reached) and reached >= at.value + 1e-4 * part * slope - slack:
            return part
    return 0.0


def minorize(
    likelihood: Likelihood, steps: int, tolerance: float, start: Floats | None = None
) -> Maximum:
    """Climb by raising what was observed more often than expected.

    Without ties these are the steps of Hunter (2004): each maximizes a function that lies below
    the likelihood and touches it. With ties they are those of generalized iterative scaling, for
    worths and for tie weights in turn. It has converged where no parameter would move by more than
    the tolerance in a Newton step, as there.
    """
    n = likelihood.n
    here = np.zeros(n + len(likelihood.sizes)) if start is None else start.copy()
    enough = max(tolerance, LEAST_MOVE)
    for step in range(steps + 1):
        moves = _moves(likelihood, here)
        moves[:n] -= moves[:n].mean()
        size = float(np.abs(moves).max())
        if size <= enough or step == steps or not np.isfinite(size):
            at = likelihood.derivatives(here)
            close = _is_close(likelihood, at, tolerance)
            lost = not np.isfinite(size) or _is_rounding(likelihood, at, slice(None))
            if close or lost or step == steps:
                return _maximum(likelihood, here, at, step, converged=close, stuck=lost)
            # Small steps may have a long way to go.
            enough = size / 4.0
        here[:n] += moves[:n]
        if likelihood.sizes:
            here[n:] += _moves(likelihood, here)[n:]
    raise AssertionError("the loop returns")


def _moves(likelihood: Likelihood, here: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        moves: Floats = np.log(likelihood.linear / likelihood.expected(here))
    return moves


def _is_close(likelihood: Likelihood, at: Derivatives, tolerance: float) -> bool:
    direction = _direction(likelihood, at)
    if direction is None:
        return False
    allowed = LOST if _is_rounding(likelihood, at, slice(None)) else tolerance
    return bool(np.abs(direction).max() <= max(allowed, tolerance))


def inverse_information(information: Floats, n: int, *, grounded: bool) -> Floats:
    """Return a covariance of differences of log worths and of tie weights; NaN if there is none."""
    matrix, kept = _determined(information, n, grounded=grounded)
    inverse = np.zeros_like(information)
    solved = solve_definite(matrix, np.eye(len(kept)))
    inverse[np.ix_(kept, kept)] = np.nan if solved is None else solved
    return inverse


def _maximum(
    likelihood: Likelihood,
    here: Floats,
    at: Derivatives,
    step: int,
    *,
    converged: bool = False,
    stuck: bool = False,
) -> Maximum:
    here = here.copy()
    if not likelihood.ridge:
        here[: likelihood.n] -= here[: likelihood.n].mean()
    norm = float(np.abs(at.gradient).max())
    return Maximum(here, at.value, at.information, norm, step, converged, stuck)
