"""The maximum of a log likelihood of contests, by Newton's method with exact curvature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.distributions.bradley_terry.contests import (
    Contests,
    Terms,
    Ties,
    starting_tie,
    terms_of,
)
from rankagg.distributions.connectivity import solve_definite

__all__ = ["Model", "Peak", "assemble", "climb", "gradient_of", "inverse"]

EPSILON = float(np.finfo(np.float64).eps)
HALVINGS = 60
# No parameter moves by more in the first step; the bound doubles where it holds back a good step.
REACH = 4.0
# How far from the maximum rounding may leave a parameter.
LOST = 1e-6


@dataclass(frozen=True, eq=False)
class Model:
    """Contests and how their ties are modeled: the log likelihood as a function of parameters.

    The parameters are n log worths, then k effects of the extras, then the tie parameter where
    there is one.
    """

    contests: Contests
    ties: Ties

    @property
    def has_tie(self) -> bool:
        """Whether there is a tie parameter."""
        return self.ties != "half" and self.contests.n_ties > 0

    @property
    def n_parameters(self) -> int:
        """The length of parameters; one less of them is free."""
        return self.contests.n_items + self.contests.n_extras + self.has_tie

    def start(self) -> Floats:
        """Return parameters to begin at: all are equal, ties are as frequent as they were."""
        start = np.zeros(self.n_parameters)
        if self.has_tie:
            share = self.contests.n_ties / float(self.contests.totals.sum())
            start[-1] = starting_tie(self.ties, share)
        return start

    def split(self, parameters: Floats) -> tuple[Floats, Floats, float | None]:
        """Return log worths, effects, and the tie parameter."""
        n, k = self.contests.n_items, self.contests.n_extras
        tie = float(parameters[-1]) if self.has_tie else None
        return parameters[:n], parameters[n : n + k], tie

    def odds(self, parameters: Floats) -> Floats:
        """Return the log odds of the first side of each kind of contest."""
        worths, effects, _ = self.split(parameters)
        return self.contests.log_odds(worths, effects)

    def terms(self, parameters: Floats) -> Terms:
        """Return what each outcome of each kind of contest says."""
        return terms_of(self.ties, self.odds(parameters), self.split(parameters)[2])

    def value(self, parameters: Floats) -> float:
        """Return the log likelihood; minus infinity where the tie parameter is out of range."""
        tie = self.split(parameters)[2]
        if self.ties == "rao-kupper" and tie is not None and tie <= 0:
            return -np.inf
        # Outcomes that did not happen may have a log likelihood of minus infinity.
        values, results = self.terms(parameters).value, self.contests.results
        return float(np.sum(results * values, where=results > 0))

    def assemble(self, odds: Floats, mixed: Floats, tie: Floats) -> Floats:
        """Return `assemble` of all kinds of contests."""
        return assemble(self.contests, odds, mixed, tie, has_tie=self.has_tie)


def gradient_of(contests: Contests, odds: Floats, tie: Floats, *, has_tie: bool) -> Floats:
    """Return the sum of x and t with these factors, each of shape (c,).

    x is what the log odds of a kind of contest are made of, t the tie parameter.
    """
    first, second, n = contests.first, contests.second, contests.n_items
    worths = np.bincount(first, odds, n) - np.bincount(second, odds, n)
    parts = [worths, contests.extras.T @ odds, *([np.array([tie.sum()])] if has_tie else [])]
    return np.concatenate(parts)


def assemble(
    contests: Contests, odds: Floats, mixed: Floats, tie: Floats, *, has_tie: bool
) -> Floats:
    """Return the sum of x x', x t' + t x' and t t' with these factors, each of shape (c,)."""
    n, k = contests.n_items, contests.n_extras
    first, second, extras = contests.first, contests.second, contests.extras
    table = np.zeros((n + k + has_tie, n + k + has_tie))
    met = np.bincount(first * n + second, odds, n * n).reshape(n, n)
    met = met + met.T
    table[:n, :n] = -met
    table[np.arange(n), np.arange(n)] += met.sum(axis=1)
    columns = [(n + at, odds * extras[:, at]) for at in range(k)]
    if has_tie:
        columns.append((n + k, mixed))
        table[-1, -1] = tie.sum()
    for column, factors in columns:
        table[:n, column] = np.bincount(first, factors, n) - np.bincount(second, factors, n)
        table[n : n + k, column] = extras.T @ factors
    below = np.tril_indices(len(table), -1)
    table[below] = table.T[below]
    return table


@dataclass(frozen=True, eq=False)
class Peak:
    """Where a climb ended."""

    # Shape (p,). Log worths with sum 0, effects, tie parameter.
    parameters: Floats
    # The log likelihood there.
    value: float
    # Shape (p, p). Minus the second derivatives there.
    information: Floats
    n_iterations: int
    # True where no parameter would move by more than the tolerance, or than rounding leaves open.
    converged: bool
    # The largest log odds of any contest there, in absolute value.
    furthest: float


def climb(model: Model, *, steps: int, tolerance: float, start: Floats | None = None) -> Peak:
    """Climb by Newton steps, halved until the likelihood rises.

    The log likelihood is concave under all three models of ties. Whether it has a maximum is not
    asked here.
    """
    n, results = model.contests.n_items, model.contests.results
    here, reach = model.start() if start is None else start.copy(), REACH
    value = model.value(here)
    for step in range(steps + 1):
        terms = model.terms(here)
        with np.errstate(invalid="ignore"):
            gradient = gradient_of(
                model.contests,
                np.sum(results * terms.slope, axis=0),
                np.sum(results * terms.tie_slope, axis=0),
                has_tie=model.has_tie,
            )
            information = model.assemble(
                *(
                    np.sum(results * bend, axis=0)
                    for bend in (terms.bend, terms.mixed_bend, terms.tie_bend)
                )
            )
        at = _At(value, information, step, float(np.abs(model.odds(here)).max(initial=0.0)))
        direction = _direction(gradient, information, n)
        if direction is None:
            return _ended(here, n, at, converged=False)
        size = float(np.abs(direction).max())
        if size <= tolerance:
            return _ended(here, n, at, converged=True)
        if step == steps:
            return _ended(here, n, at, converged=False)
        if size > reach:
            direction *= reach / size
        part, risen = _part(model, here, direction, value, float(direction @ gradient))
        if part == 0.0:
            return _ended(here, n, at, converged=size <= LOST)
        here, value = here + part * direction, risen
        reach = max(reach * (2.0 if part == 1.0 and size > reach else part), REACH)
    raise AssertionError("the loop returns")


@dataclass(frozen=True, eq=False)
class _At:
    value: float
    information: Floats
    step: int
    furthest: float


def _ended(here: Floats, n: int, at: _At, *, converged: bool) -> Peak:
    centered = here.copy()
    centered[:n] -= centered[:n].mean()
    return Peak(centered, at.value, at.information, at.step, converged, at.furthest)


def _part(
    model: Model, here: Floats, direction: Floats, value: float, slope: float
) -> tuple[float, float]:
    """Return the part of a step with which the likelihood rises by enough, and its value there."""
    # Sums of this size are rounded by about so much.
    slack = 16.0 * EPSILON * abs(value)
    for halving in range(HALVINGS):
        part = 0.5**halving
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            reached = model.value(here + part * direction)
        if np.isfinite(reached) and reached >= value + 1e-4 * part * slope - slack:
            return part, reached
    return 0.0, value


def _direction(gradient: Floats, information: Floats, n: int) -> Floats | None:
    """Return the step to the maximum of the parabola; none where it has none to rounding."""
    moving = _moving(information, n)
    solved = solve_definite(information[np.ix_(moving, moving)], gradient[moving])
    if solved is None:
        return None
    direction = np.zeros(len(gradient))
    direction[moving] = solved
    direction[:n] -= direction[:n].mean()
    return direction if np.isfinite(direction).all() else None


def inverse(information: Floats, n: int) -> Floats:
    """Return the covariance of log worths less their mean, of effects and of the tie parameter."""
    moving = _moving(information, n)
    solved = solve_definite(information[np.ix_(moving, moving)], np.eye(len(moving)))
    covariance = np.zeros_like(information)
    covariance[np.ix_(moving, moving)] = np.nan if solved is None else solved
    covariance[:n] -= covariance[:n].mean(axis=0)
    covariance[:, :n] -= covariance[:, :n].mean(axis=1)[:, None]
    return (covariance + covariance.T) / 2.0


def _moving(information: Floats, n: int) -> NDArray[np.intp]:
    """Return all parameters but the log worth of which most is known: only differences matter."""
    held = int(np.argmax(np.diag(information)[:n]))
    return np.delete(np.arange(len(information)), held)
