"""Maximum likelihood for Plackett-Luce: by Newton's method, or by minorization-maximization."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg._validation import check_choice, check_integer, check_number
from rankagg.core.items import ItemSet, counted, listed
from rankagg.core.profile import Profile
from rankagg.distributions.connectivity import (
    beats_graph,
    check_connected,
    check_observed,
    is_linked,
)
from rankagg.distributions.plackett_luce.choices import Choices, choices_of
from rankagg.distributions.plackett_luce.likelihood import (
    NEWTON_STEPS,
    Likelihood,
    Maximum,
    Observed,
    endless_direction,
    inverse_information,
    minorize,
    newton,
)
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuce
from rankagg.distributions.plackett_luce.result import PlackettLuceFit
from rankagg.exceptions import InvalidInputError, NotIdentifiedError

__all__ = ["FitOptions", "Sample", "find_maximum", "fit_plackett_luce", "maximize_choices"]


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """How to climb; see `fit_plackett_luce`."""

    method: Literal["newton", "mm"] = "newton"
    pseudo_rankings: float = 0.0
    ridge: float = 0.0
    tie_ridge: float = 0.0
    max_iterations: int | None = None
    tolerance: float = 1e-9

    def __post_init__(self) -> None:
        check_choice(self.method, ("newton", "mm"), "method")
        check_number(self.pseudo_rankings, "pseudo_rankings", low=0)
        check_number(self.ridge, "ridge", low=0)
        check_number(self.tie_ridge, "tie_ridge", low=0)
        check_number(self.tolerance, "tolerance", low=0, open_low=True)
        if self.method == "mm" and (self.ridge or self.tie_ridge):
            raise InvalidInputError(
                "ridge", "0 with method 'mm'", self.ridge or self.tie_ridge,
                "Use method='newton'.",
            )  # fmt: skip
        default = 100 if self.method == "newton" else 100_000
        steps = default if self.max_iterations is None else self.max_iterations
        object.__setattr__(self, "max_iterations", check_integer(steps, "max_iterations", low=1))

    @property
    def is_regular(self) -> bool:
        """True where worths have a finite maximum whatever the data are."""
        return self.pseudo_rankings > 0 or self.ridge > 0

    @property
    def is_plain(self) -> bool:
        """True where nothing but the likelihood of the data is maximized."""
        return not (self.is_regular or self.tie_ridge)


# A log parameter beyond this may be on its way to infinity, where ties are modeled.
FAR = 10.0
# Steps of minorization-maximization after Newton's failed.
RESCUE = 20_000


def find_maximum(
    likelihood: Likelihood,
    items: ItemSet,
    observed: Callable[[], Observed],
    *,
    method: str,
    steps: int,
    tolerance: float,
) -> Maximum:
    """Climb to the maximum, by the other method too where the first one fails.

    Without ties there is a maximum, since the items were found connected (or there are
    pseudo-rankings or a ridge). With ties a climb that goes far, or does not arrive, is a reason
    to look for a direction in which the likelihood rises for ever.
    """
    if method == "mm" and not likelihood.sizes:
        return minorize(likelihood, steps, tolerance)
    quick = newton(likelihood, steps if method == "newton" else NEWTON_STEPS, tolerance)
    if likelihood.sizes and (not quick.converged or np.abs(quick.parameters).max() > FAR):
        _check_endless_ties(likelihood, items, observed())
    if method == "mm":
        return minorize(likelihood, steps, tolerance)
    # Steps that ran out because the caller wanted few are no failure of the method.
    ran_out = not quick.stuck and steps < NEWTON_STEPS
    if quick.converged or ran_out or likelihood.ridge or likelihood.tie_ridge:
        return quick
    slow = minorize(likelihood, RESCUE, tolerance, quick.parameters)
    return slow if slow.converged or slow.value > quick.value else quick


def _check_endless_ties(likelihood: Likelihood, items: ItemSet, observed: Observed) -> None:
    sizes, free = likelihood.sizes, {"ties": not likelihood.tie_ridge}
    # Ties alone make the plainer sentence.
    direction = endless_direction(observed, sizes, worths=False, **free)
    if direction is None and not likelihood.ridge:
        direction = endless_direction(observed, sizes, **free)
    if direction is None:
        return
    n = likelihood.n
    worths = direction[:n] - int(np.median(direction[:n]))
    grows, falls = (_names(items, likelihood, worths, direction[n:], sign) for sign in (1, -1))
    parts = [f"{what} {verb}" for what, verb in ((grows, "grow"), (falls, "fall")) if what]
    raise NotIdentifiedError(
        f"The likelihood has no finite maximum: it rises for ever as {' and '.join(parts)}. Use "
        "`pseudo_rankings=0.5`, a `ridge` or a `tie_ridge`, break ties where nothing but ties was "
        "observed, or leave items out."
    )


def _names(
    items: ItemSet,
    likelihood: Likelihood,
    worths: NDArray[np.int64],
    ties: NDArray[np.int64],
    sign: int,
) -> str:
    named = items.where(worths[: len(items)] * sign > 0)
    sizes = [str(d) for d, value in zip(likelihood.sizes, ties, strict=True) if value * sign > 0]
    parts = [f"the worths of {listed(named)}"] if named else []
    parts += [f"the weights of ties of {' and '.join(sizes)}"] if sizes else []
    return " and ".join(parts)


@dataclass(frozen=True, eq=False)
class Sample:
    """Observed choices."""

    items: ItemSet
    # What was chosen from what.
    choices: Choices
    # Summed weight of the observations.
    total: float
    # How many observations of equal weight that is worth.
    effective: float
    # Returns the different choices, for the question whether a maximum exists.
    observed: Callable[[], Observed]


def fit_plackett_luce(
    profile: Profile,
    *,
    max_tied: int | None = None,
    method: Literal["newton", "mm"] = "newton",
    pseudo_rankings: float = 0.0,
    ridge: float = 0.0,
    tie_ridge: float = 0.0,
    max_iterations: int | None = None,
    tolerance: float = 1e-9,
) -> PlackettLuceFit:
    """Return the fit; see `PlackettLuce.fit`."""
    if not isinstance(profile, Profile) or profile.n_items < 2:
        raise InvalidInputError("profile", "a Profile of two or more items", profile)
    options = FitOptions(
        method=method, pseudo_rankings=pseudo_rankings, ridge=ridge,
        tie_ridge=tie_ridge, max_iterations=max_iterations, tolerance=tolerance,
    )  # fmt: skip
    check_observed(profile)
    weights = profile.counts * profile.weights
    choices = choices_of(profile.ranks, weights)
    _check_ties(choices.tied, max_tied)
    if not options.is_regular:
        check_connected(beats_graph(profile.ranks), profile.items)
    total = float(weights.sum())
    effective = total**2 / float(profile.counts @ profile.weights**2)
    sample = Sample(
        profile.items, choices, total, effective, lambda: Observed.of_ranks(profile.ranks)
    )
    return maximize_choices(sample, options)


def maximize_choices(
    sample: Sample,
    options: FitOptions,
    kind: type[PlackettLuce] = PlackettLuce,
    notes: Sequence[str] = (),
) -> PlackettLuceFit:
    """Return the fit of observed choices."""
    choices, ghost = sample.choices, options.pseudo_rankings
    sizes = tuple(sorted(d for d in choices.tied if d > 1))
    shown = choices.with_ghost(ghost) if ghost else choices
    climbed = Likelihood(shown, sizes, options.ridge, options.tie_ridge)
    found = find_maximum(
        climbed, sample.items,
        lambda: sample.observed().with_ghost() if ghost else sample.observed(),
        method=options.method, steps=cast(int, options.max_iterations), tolerance=options.tolerance,
    )  # fmt: skip
    data = Likelihood(choices, sizes)
    n, scale = data.n, sample.effective / sample.total
    worths = found.parameters[:n] - found.parameters[:n].mean()
    parameters = np.concatenate([worths, found.parameters[climbed.n :]])
    ties = dict(zip(sizes, parameters[n:].tolist(), strict=True))
    at = found if options.is_plain else data.derivatives(parameters)
    return PlackettLuceFit(
        distribution=kind(worths, items=sample.items, log_ties=ties),
        names=(*map(str, sample.items), *(f"log tie {d}" for d in ties)),
        estimates=parameters,
        covariance=_covariance(choices, at.information, found.information, options) / scale,
        log_likelihood=at.value,
        n_parameters=n - 1 + len(ties),
        n_observations=sample.effective,
        converged=found.converged,
        n_iterations=found.n_iterations,
        notes=(*_notes(options, ties, scale), *notes, *_numerical_notes(found)),
        gradient_norm=found.gradient_norm,
        log_likelihood_equal=_equal_worths(data) if options.is_plain else np.nan,
        _scale=scale,
        _is_plain=options.is_plain,
    )


def _equal_worths(data: Likelihood) -> float:
    if not data.sizes:
        return data.value(np.zeros(data.n))
    return newton(data, NEWTON_STEPS, 1e-9, equal_worths=True).value


def _covariance(choices: Choices, own: Floats, climbed: Floats, options: FitOptions) -> Floats:
    """Return the covariance of log worths less their mean, beside that of the tie weights.

    With a ridge it is from the curvature of what was climbed. Pseudo-rankings are no data and do
    not count, unless nothing else links the items.
    """
    n = choices.n_items
    ghost = options.pseudo_rankings > 0
    if not (options.ridge or options.tie_ridge) and (
        not ghost or is_linked(choices.sets.both(choices.weights))
    ):
        return _centered(inverse_information(own, n, grounded=True), n)
    total = n + ghost
    keep = [*range(n), *range(total, len(climbed))]
    inverse = inverse_information(climbed, total, grounded=not options.ridge)
    return _centered(inverse[np.ix_(keep, keep)], n)


def _notes(options: FitOptions, ties: dict[int, float], scale: float) -> list[str]:
    notes = ["Log worths sum to 0; standard errors are for that contrast."]
    if ties:
        notes.append(f"Buckets of up to {counted(max(ties), 'item')} are modeled.")
    if options.pseudo_rankings:
        notes.append(
            f"With {counted(options.pseudo_rankings, 'pseudo-ranking', 'g')} per item; the "
            "likelihood is of the data."
        )
    for name, ridge in (("ridge", options.ridge), ("ridge on ties", options.tie_ridge)):
        if ridge:
            notes.append(f"With a {name} of {ridge:g}; the likelihood is of the data.")
    if not np.isclose(scale, 1.0):
        notes.append("Weighted rankings: errors are for the effective number of observations.")
    return notes


def _numerical_notes(found: Maximum) -> list[str]:
    if found.converged:
        return []
    if found.stuck:
        return [
            "Not converged: rounding hides the maximum, since weights or worths differ too much. "
            "What is shown is not the maximum."
        ]
    return [
        f"Not converged in {counted(found.n_iterations, 'step')}; what is shown is not the "
        "maximum. Raise `max_iterations`."
    ]


def _check_ties(tied: dict[int, float], max_tied: int | None) -> None:
    if max_tied is None:
        return
    most = check_integer(max_tied, "max_tied", low=1)
    largest = max(tied, default=1)
    if largest > most:
        raise InvalidInputError(
            "max_tied", f"{largest} or more: so many items are tied somewhere", max_tied,
            "Break such ties first, or leave the rankings out.",
        )  # fmt: skip


def _centered(covariance: Floats, n: int) -> Floats:
    """Return the covariance of log worths less their mean, beside that of the tie weights."""
    project = np.eye(len(covariance))
    project[:n, :n] -= 1.0 / n
    centered: Floats = project @ covariance @ project.T
    return centered
