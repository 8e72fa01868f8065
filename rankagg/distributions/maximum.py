"""Maximization of likelihoods of log worths: existence, Newton steps, and the covariance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_solve

from rankagg._typing import Bools, Floats, Positions
from rankagg._validation import check_number
from rankagg.core import ItemSet, counted, listed
from rankagg.core.graphs import ordered_parts
from rankagg.exceptions import NotIdentifiedError

EPSILON = float(np.finfo(np.float64).eps)
# Trust region: largest move of a parameter in the first step. It doubles if it shortened a step
# that was taken in full, and shrinks with a halved step.
REACH = 4.0
# Most steps of a climb; a concave likelihood takes about ten.
NEWTON_STEPS = 100
# Largest error of a parameter by rounding.
ROUNDING_MOVE = 1e-6
# A log parameter beyond this may be on its way to infinity.
FAR_PARAMETER = 10.0
# Share of the information on a direction that a unit must leave to the others.
LEFT = 1e-8
# Errors by fewer units are unknown. Items compared by fewer are named: from four on, the measured
# coverage of intervals is nominal.
FEWEST_UNITS = 4
#: Beginning of the note of a fit without errors.
UNKNOWN = "Errors are unknown. "
#: Of models without errors by cluster.
CLUSTERED = f"{UNKNOWN}Rankings of a cluster depend on each other, which AIC and BIC ignore."


@dataclass(frozen=True, kw_only=True)
class Penalties:
    """Penalties added to the log likelihood, so that estimates are finite."""

    # Wins and losses of each item against a ghost item.
    pseudo_rankings: float = 0.0
    # Penalties on squared log worths, and on squared log tie weights.
    ridge: float = 0.0
    tie_ridge: float = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            check_number(value, name, low=0)

    @property
    def is_regular(self) -> bool:
        """True if worths have a finite maximum for all data."""
        return self.pseudo_rankings > 0 or self.ridge > 0

    @property
    def is_plain(self) -> bool:
        """True if only the likelihood of the data is maximized."""
        return not (self.is_regular or self.tie_ridge)

    def notes(self) -> list[str]:
        """Return a note for each penalty."""
        ghosts = f"{counted(self.pseudo_rankings, 'pseudo-ranking', 'g')} per item"
        penalties = {
            ghosts: self.pseudo_rankings,
            f"a ridge of {self.ridge:g}": self.ridge,
            f"a ridge on ties of {self.tie_ridge:g}": self.tie_ridge,
        }
        after = "; the likelihood is of the data."
        return [f"With {name}{after}" for name, size in penalties.items() if size]


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Value, gradient and information (minus the second derivatives) at some parameters."""

    value: float
    gradient: Floats
    information: Floats
    # Shape (p,). Largest rounding error of each entry of the gradient.
    noise: Floats

    def are_rounding(self, moving: slice = slice(None)) -> bool:
        """Return whether every entry of the gradient is within its rounding error."""
        return bool((np.abs(self.gradient) <= self.noise)[moving].all())


class LogLikelihood(ABC):
    """A concave log likelihood of n log worths and of other parameters.

    Without a ridge it depends only on differences of log worths.
    """

    # The penalty that shrinks log worths to 0.
    ridge: float = 0.0
    # Whether log worths are centered to sum 0 after every step.
    keeps_centered: bool = False

    @property
    @abstractmethod
    def n(self) -> int:
        """The number of items."""

    @abstractmethod
    def start(self) -> Floats:
        """Return the initial parameters."""

    @abstractmethod
    def value(self, parameters: Floats) -> float:
        """Return the log likelihood."""

    @abstractmethod
    def derivatives(self, parameters: Floats) -> Derivatives:
        """Return value, gradient and information."""

    def maximize(
        self,
        tol: float = 1e-9,
        *,
        steps: int = NEWTON_STEPS,
        equal_worths: bool = False,
    ) -> Maximum:
        """Climb by Newton steps, halved until the likelihood rises.

        The climb has converged if no parameter would move by more than `tol`, or if the gradient
        is only rounding error. With `equal_worths` only the other parameters move.
        """
        n, reach = self.n, REACH
        here = self.start()
        for step in range(steps + 1):
            at = self.derivatives(here)
            direction = _newton_step(self, at, equal_worths=equal_worths)
            if direction is None:
                return Maximum.at(self, here, at, step, stuck=True)
            size = float(np.abs(direction).max())
            if size <= tol or at.are_rounding(slice(n if equal_worths else 0, None)):
                close = size <= max(tol, ROUNDING_MOVE)
                return Maximum.at(self, here, at, step, converged=close, stuck=not close)
            if step == steps:
                return Maximum.at(self, here, at, step)
            if size > reach:
                direction *= reach / size
            part = _rising_part(self, here, direction, at)
            if part == 0.0:
                stuck = size > ROUNDING_MOVE
                return Maximum.at(self, here, at, step, converged=not stuck, stuck=stuck)
            here = here + part * direction
            reach = max(reach * (2.0 if part == 1.0 and size > reach else part), REACH)
            if self.keeps_centered:
                # A constant changes neither the value nor its derivatives.
                here[:n] -= here[:n].mean()
        raise AssertionError("the loop returns")


@dataclass(frozen=True, eq=False)
class Maximum:
    """The end of a climb."""

    # Shape (p,). Log worths with sum 0, then the other parameters.
    parameters: Floats
    # The log likelihood there.
    value: float
    # Shape (p, p). Minus the second derivatives there.
    information: Floats
    n_iterations: int
    # True if no parameter is further from the maximum than the tolerance, or than rounding errors
    # (at most `ROUNDING_MOVE`).
    converged: bool = False
    # True if no step raised the likelihood before the limit of steps.
    stuck: bool = False

    @classmethod
    def at(
        cls, likelihood: LogLikelihood, here: Floats, at: Derivatives, step: int, **how: bool
    ) -> Maximum:
        """Return the end of a climb after so many steps."""
        here = here.copy()
        if not likelihood.ridge:
            here[: likelihood.n] -= here[: likelihood.n].mean()
        return cls(here, at.value, at.information, step, **how)

    def notes(self) -> list[str]:
        """Return a note if the climb ended before the maximum."""
        if self.stuck and not self.converged:
            return [
                "Not converged: rounding errors hide the maximum, since weights or worths differ "
                "too much. The estimates are not the maximum."
            ]
        steps = counted(self.n_iterations, "step")
        note = f"Not converged in {steps}: the estimates are not the maximum. Raise `tol`."
        return [] if self.converged else [note]

    def check_rises(self, names: Sequence[str], moved: Floats, remedy: str) -> None:
        """Raise if a climb ended far away without a maximum, and name the diverging parameters.

        `moved` has the distance of each from its start, in log odds. If a concave likelihood rises
        without limit, Newton steps stay long.
        """
        far = np.abs(moved)
        if self.converged or far.max() <= FAR_PARAMETER:
            return
        changes = []
        for sign, verb in ((1, "grow"), (-1, "fall")):
            which = (far >= far.max() / 2.0) & (moved * sign > 0)
            if which.any():
                labels = listed([name for name, is_far in zip(names, which, strict=True) if is_far])
                changes.append(f"{labels} {verb if which.sum() > 1 else verb + 's'}")
        raise NotIdentifiedError(
            "The likelihood has no finite maximum, or rounding errors hide it: it still rises as "
            f"{' and '.join(changes)}. {remedy}"
        )


def _newton_step(
    likelihood: LogLikelihood, at: Derivatives, *, equal_worths: bool = False
) -> Floats | None:
    """Return the Newton step; None if the information is singular up to rounding."""
    n = likelihood.n
    if equal_worths:
        moving = np.arange(n, len(at.gradient))
        matrix = at.information[np.ix_(moving, moving)]
    else:
        matrix, moving = _determined(at.information, n, grounded=not likelihood.ridge)
    solved = _solve_definite(matrix, at.gradient[moving])
    if solved is None:
        return None
    direction = np.zeros(len(at.gradient))
    direction[moving] = solved
    if not (likelihood.ridge or equal_worths):
        direction[:n] -= direction[:n].mean()
    return direction if np.isfinite(direction).all() else None


def _determined(information: Floats, n: int, *, grounded: bool) -> tuple[Floats, Positions]:
    """Return an invertible information matrix, and the positions of its parameters.

    Grounded, the log worth with the most information is fixed, since log worths are identified up
    to a constant; this limits rounding errors. Otherwise a constant is added to the block of log
    worths, which does not change contrasts that sum to 0.
    """
    if n == 0:
        return information, np.arange(len(information))
    if not grounded:
        full = information.copy()
        full[:n, :n] += float(np.trace(information[:n, :n])) / n**2
        return full, np.arange(len(full))
    moving = np.delete(np.arange(len(information)), int(np.argmax(np.diag(information)[:n])))
    return information[np.ix_(moving, moving)], moving


def _rising_part(
    likelihood: LogLikelihood, here: Floats, direction: Floats, at: Derivatives
) -> float:
    """Halve a step until the likelihood rises enough for its slope; 0 after 40 halvings.

    A value that is not finite is no rise.
    """
    slope = float(direction @ at.gradient)
    # Largest rounding error of a difference of two values.
    slack = 1e-12 * abs(at.value) + float(np.abs(here) @ at.noise)
    for halving in range(40):
        part = 0.5**halving
        # Long steps may overflow.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            reached = likelihood.value(here + part * direction)
        if np.isfinite(reached) and reached >= at.value + 1e-4 * part * slope - slack:
            return part
    return 0.0


def _solve_definite(matrix: Floats, right: Floats) -> Floats | None:
    """Solve positive definite linear equations; None if rounding makes them indefinite.

    Parameters are scaled to unit curvature, since their weights may differ by any factor.
    """
    diagonal = np.diag(matrix)
    if not (np.isfinite(matrix).all() and (diagonal > 0).all()):
        return None
    scale = 1.0 / np.sqrt(diagonal)
    scaled = scale[:, None] * matrix * scale
    try:
        lower = np.linalg.cholesky(scaled)
    except np.linalg.LinAlgError:
        return None
    # By the Cholesky factor, which nearly singular matrices have while other solvers give up.
    return (scale * cho_solve((lower, True), (right.T * scale).T).T).T


def inverse_information(information: Floats, n: int, *, grounded: bool = True) -> Floats:
    """Return a covariance, of log worths up to a constant; NaN if the matrix is singular."""
    matrix, kept = _determined(information, n, grounded=grounded)
    inverse = np.zeros_like(information)
    solved = _solve_definite(matrix, np.eye(len(kept)))
    inverse[np.ix_(kept, kept)] = np.nan if solved is None else solved
    return inverse


def less_mean(covariance: Floats, n: int) -> Floats:
    """Return the covariance of n centered log worths, and of the other parameters."""
    centered = covariance.copy()
    centered[:n] -= centered[:n].mean(axis=0)
    centered[:, :n] -= centered[:, :n].mean(axis=1, keepdims=True)
    return (centered + centered.T) / 2.0


def freed_score(information: Floats, score: Floats, inverse: Floats) -> Floats | None:
    """Divide the score of a unit by the share of information that it leaves to the others.

    None if it leaves nothing on some direction.
    """
    left = np.eye(len(inverse)) - information @ inverse
    # The eigenvalues are real, as those of a similar symmetric matrix.
    if np.trace(left) < len(left) - 0.5 and np.linalg.eigvals(left).real.min() < LEFT:
        return None
    return np.asarray(np.linalg.solve(left, score), dtype=np.float64)


def check_connected(
    beats: Bools,
    items: ItemSet,
    *,
    words: Sequence[str] = ("never compared", "never beaten", "never above another"),
    loses: str = "loses to a later one",
    remedy: str = "Use `pseudo_rankings=0.5`, a `ridge`, or drop items until one group is left.",
    camps: bool = False,
) -> None:
    """Raise if worths have no finite maximum-likelihood estimate.

    It exists if and only if in every split of the items into two groups each group loses to the
    other at least once (Ford 1957).
    """
    parts = ordered_parts(beats)
    if len(parts) <= 1:
        return
    met = beats | beats.T
    seen = met.any(axis=1)
    kinds = (~seen, seen & ~beats.any(axis=0), seen & ~beats.any(axis=1))
    facts = [
        f"{what}: {listed(items.where(who))}"
        for what, who in zip(words, kinds, strict=True)
        if who.any()
    ]
    apart = ordered_parts(met)
    if camps and sum(len(part) > 1 for part in apart) > 1:
        named = [part for part in apart[:4] if len(part) > 1]
        facts.append(f"camps that never met: {_shown_groups(named, items)}")
    more = f" | ... {counted(len(parts), 'group')} in all" if len(parts) > 8 else ""
    details = "; ".join(facts) + ". " if facts else ""
    raise NotIdentifiedError(
        f"The worths have no finite maximum: no group here {loses} "
        f"({_shown_groups(parts[:8], items)}{more}). {details}{remedy}"
    )


def _shown_groups(parts: Sequence[Any], items: ItemSet) -> str:
    return " | ".join(listed([items[int(i)] for i in part]) for part in parts)
