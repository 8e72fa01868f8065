"""Whether a likelihood of log worths has a maximum, the climb to it, and the covariance there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_solve

from rankagg._typing import Bools, Floats, Positions
from rankagg._validation import check_number
from rankagg.core import (
    ItemSet,
    counted,
    listed,
)
from rankagg.core.graphs import ordered_parts
from rankagg.exceptions import NotIdentifiedError

EPSILON = float(np.finfo(np.float64).eps)
# No parameter moves by more in the first step; the bound doubles whenever it holds a step back that
# the likelihood takes whole, and halves with a step. A parabola far from its maximum says little.
REACH = 4.0
# Steps of a climb at most: a concave likelihood takes some ten.
NEWTON_STEPS = 100
# How far from the maximum rounding may leave a parameter.
ROUNDING_MOVE = 1e-6
# A log parameter beyond this may be on its way to infinity.
FAR_PARAMETER = 10.0


@dataclass(frozen=True, kw_only=True)
class Penalties:
    """What is climbed in addition to the likelihood of the data, so that estimates are finite."""

    # Of each item against a ghost item.
    pseudo_rankings: float = 0.0
    # Of the squared log worths, and of the squared log tie weights.
    ridge: float = 0.0
    tie_ridge: float = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            check_number(value, name, low=0)

    @property
    def is_regular(self) -> bool:
        """True where worths have a finite maximum whatever the data are."""
        return self.pseudo_rankings > 0 or self.ridge > 0

    @property
    def is_plain(self) -> bool:
        """True where nothing but the likelihood of the data is maximized."""
        return not (self.is_regular or self.tie_ridge)

    def notes(self) -> list[str]:
        """Return a note for each."""
        ghosts = f"{counted(self.pseudo_rankings, 'pseudo-ranking', 'g')} per item"
        told = {
            ghosts: self.pseudo_rankings,
            f"a ridge of {self.ridge:g}": self.ridge,
            f"a ridge on ties of {self.tie_ridge:g}": self.tie_ridge,
        }
        return [f"With {what}; the likelihood is of the data." for what, by in told.items() if by]


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Value, gradient and information (minus the second derivatives) at some parameters."""

    value: float
    gradient: Floats
    information: Floats
    # Shape (p,). What rounding alone may make of each entry of the gradient.
    noise: Floats

    def are_rounding(self, moving: slice = slice(None)) -> bool:
        """Say whether every entry of the gradient is small beside the terms it is made of."""
        return bool((np.abs(self.gradient) <= self.noise)[moving].all())


class LogLikelihood(ABC):
    """A concave function of n log worths, of which only differences matter, and of others."""

    # With one, log worths are drawn to 0 and differences are not all that matters.
    ridge: float = 0.0
    # Whether log worths are brought back to sum 0 after every step.
    keeps_centered: bool = False

    @property
    @abstractmethod
    def n(self) -> int:
        """The number of items."""

    @abstractmethod
    def start(self) -> Floats:
        """Return parameters to begin at."""

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

        It has converged where no parameter would move by more than `tol`, or where the gradient is
        nothing but rounding. With `equal_worths` only the other parameters move.
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
                lost = size > ROUNDING_MOVE
                return Maximum.at(self, here, at, step, converged=not lost, stuck=lost)
            here = here + part * direction
            reach = max(reach * (2.0 if part == 1.0 and size > reach else part), REACH)
            if self.keeps_centered:
                # A constant changes neither the value nor its derivatives.
                here[:n] -= here[:n].mean()
        raise AssertionError("the loop returns")


@dataclass(frozen=True, eq=False)
class Maximum:
    """Where a climb ended."""

    # Shape (p,). Log worths with sum 0, then the other parameters.
    parameters: Floats
    # The log likelihood there.
    value: float
    # Shape (p, p). Minus the second derivatives there.
    information: Floats
    n_iterations: int
    # True where no parameter is further from the maximum than the tolerance, or than rounding
    # leaves open (at most `ROUNDING_MOVE`).
    converged: bool = False
    # True where no further step was found, though steps were left.
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
        """Return a note where the climb ended before the maximum."""
        if self.stuck and not self.converged:
            return [
                "Not converged: rounding hides the maximum, since weights or worths differ too "
                "much. What is shown is not the maximum."
            ]
        steps = counted(self.n_iterations, "step")
        note = f"Not converged in {steps}: what is shown is not the maximum. Raise `tol`."
        return [] if self.converged else [note]

    def check_rises(self, names: Sequence[str], moved: Floats, remedy: str) -> None:
        """Raise where a climb ended far away without a maximum, and say along which parameters.

        `moved` says how far each of them went, in log odds. A concave likelihood that rises for
        ever leaves a step of its own size to Newton's method wherever it stops.
        """
        far = np.abs(moved)
        if self.converged or far.max() <= FAR_PARAMETER:
            return
        told = []
        for sign, verb in ((1, "grow"), (-1, "fall")):
            which = (far >= far.max() / 2.0) & (moved * sign > 0)
            if which.any():
                labels = listed([name for name, is_far in zip(names, which, strict=True) if is_far])
                told.append(f"{labels} {verb if which.sum() > 1 else verb + 's'}")
        raise NotIdentifiedError(
            "The likelihood has no finite maximum, or rounding hides it: it still rises as "
            f"{' and '.join(told)}. {remedy}"
        )


def _newton_step(
    likelihood: LogLikelihood, at: Derivatives, *, equal_worths: bool = False
) -> Floats | None:
    """Return the step to the maximum of the parabola; none where it has none to rounding."""
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
    """Return information that has an inverse, and which parameters it is of.

    Without a ridge the log worths are determined up to a constant, and one of them is held: the one
    of which most is known, so that its rounding does not reach the others. With one they sum to 0,
    and what is added says nothing about such.
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
    """Return the part of a step with which the likelihood rises by enough of what the slope says.

    It is halved until it does, or until there is nothing left of it: then 0. A value that is not
    finite is no rise.
    """
    slope = float(direction @ at.gradient)
    # What rounding alone may make of two values.
    slack = 1e-12 * abs(at.value) + float(np.abs(here) @ at.noise)
    for halving in range(40):
        part = 0.5**halving
        # A step that is much too long may overflow.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            reached = likelihood.value(here + part * direction)
        if np.isfinite(reached) and reached >= at.value + 1e-4 * part * slope - slack:
            return part
    return 0.0


def _solve_definite(matrix: Floats, right: Floats) -> Floats | None:
    """Solve linear equations whose matrix is positive definite; None where rounding hides that.

    Parameters are scaled to a curvature of 1, since their weights may differ by any factor.
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
    # By its factor: nearly singular matrices have one where other ways to solve give up.
    found = cho_solve((lower, True), (right.T * scale).T)
    return (scale * found.T).T


def inverse_information(information: Floats, n: int, *, grounded: bool = True) -> Floats:
    """Return a covariance of differences of log worths and of the rest; NaN if there is none."""
    matrix, kept = _determined(information, n, grounded=grounded)
    inverse = np.zeros_like(information)
    solved = _solve_definite(matrix, np.eye(len(kept)))
    inverse[np.ix_(kept, kept)] = np.nan if solved is None else solved
    return inverse


def less_mean(covariance: Floats, n: int) -> Floats:
    """Return the covariance of n log worths less their mean, and of the other parameters."""
    project = np.eye(len(covariance))
    project[:n, :n] -= 1.0 / n
    centered = project @ covariance @ project.T
    return np.asarray((centered + centered.T) / 2.0)


def check_connected(
    beats: Bools,
    items: ItemSet,
    *,
    words: Sequence[str] = ("never compared", "never beaten", "never above another"),
    loses: str = "loses to a later one",
    remedy: str = "Use `pseudo_rankings=0.5`, a `ridge`, or drop items until one group is left.",
    camps: bool = False,
) -> None:
    """Raise where worths have no finite maximum-likelihood estimate.

    It exists exactly where no two groups of the items are such that the one never loses to the
    other (Ford 1957).
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
    told = "; ".join(facts) + ". " if facts else ""
    raise NotIdentifiedError(
        f"The worths have no finite maximum: no group here {loses} "
        f"({_shown_groups(parts[:8], items)}{more}). {told}{remedy}"
    )


def _shown_groups(parts: Sequence[Any], items: ItemSet) -> str:
    return " | ".join(listed([items[int(i)] for i in part]) for part in parts)
