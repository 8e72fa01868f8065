"""Maximum likelihood for Plackett-Luce: by Newton's method, or by minorization-maximization."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, cast

import numpy as np

from rankagg._typing import Floats
from rankagg._validation import check_choice, check_integer, check_number
from rankagg.aggregation import Evidence
from rankagg.core import UNRANKED, Profile, counted
from rankagg.distributions.maximum import FAR_PARAMETER, Maximum, inverse_information, newton
from rankagg.distributions.plackett_luce.choices import Choices, choices_of
from rankagg.distributions.plackett_luce.likelihood import (
    DistinctChoices,
    Likelihood,
    endless_choices,
    minorize,
)
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuce
from rankagg.distributions.plackett_luce.result import PlackettLuceFit
from rankagg.distributions.separation import (
    beats_graph,
    check_connected,
    check_observed,
    is_linked,
    rises_for_ever,
)
from rankagg.exceptions import InvalidInputError

NEWTON_STEPS = 100


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """How to climb; see `PlackettLuce.fit`."""

    method: Literal["newton", "mm"] = "newton"
    pseudo_rankings: float = 0.0
    ridge: float = 0.0
    tie_ridge: float = 0.0
    max_iterations: int | None = None
    tol: float = 1e-9

    def __post_init__(self) -> None:
        check_choice(self.method, ("newton", "mm"), "method")
        check_number(self.pseudo_rankings, "pseudo_rankings", low=0)
        check_number(self.ridge, "ridge", low=0)
        check_number(self.tie_ridge, "tie_ridge", low=0)
        check_number(self.tol, "tol", low=0, open_low=True)
        if self.method == "mm" and (self.ridge or self.tie_ridge):
            ridge = self.ridge or self.tie_ridge
            raise InvalidInputError("ridge", "0 with method 'mm'", ridge, "Use method='newton'.")
        default = NEWTON_STEPS if self.method == "newton" else 100_000
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


def _climbed(likelihood: Likelihood, profile: Profile, options: FitOptions) -> Maximum:
    """Climb to the maximum, by the other method too where the first one fails.

    Without ties there is a maximum, since the items were found connected (or there are
    pseudo-rankings or a ridge). With ties a climb that goes far, or does not arrive, is a reason
    to look for a direction in which the likelihood rises for ever.
    """
    steps, tolerance = cast(int, options.max_iterations), options.tol
    by_newton = options.method == "newton"
    if not by_newton and not likelihood.sizes:
        return minorize(likelihood, steps, tolerance)
    quick = newton(likelihood, steps if by_newton else NEWTON_STEPS, tolerance)
    if likelihood.sizes and (not quick.converged or np.abs(quick.parameters).max() > FAR_PARAMETER):
        _check_endless_ties(likelihood, profile, options)
    if not by_newton:
        return minorize(likelihood, steps, tolerance)
    # Steps that ran out because the caller wanted few are no failure of the method.
    ran_out = not quick.stuck and steps < NEWTON_STEPS
    if quick.converged or ran_out or likelihood.ridge or likelihood.tie_ridge:
        return quick
    slow = minorize(likelihood, 20_000, tolerance, quick.parameters)
    return slow if slow.converged or slow.value > quick.value else quick


def _check_endless_ties(likelihood: Likelihood, profile: Profile, options: FitOptions) -> None:
    sizes, free = likelihood.sizes, {"ties": not likelihood.tie_ridge}
    observed = DistinctChoices.of_ranks(profile.ranks)
    if options.pseudo_rankings:
        observed = observed.with_ghost()
    # Ties alone make the plainer sentence.
    direction = endless_choices(observed, sizes, worths=False, **free)
    if direction is None and not likelihood.ridge:
        direction = endless_choices(observed, sizes, **free)
    if direction is None:
        return
    n = likelihood.n
    worths = (direction[:n] - int(np.median(direction[:n]))).astype(np.float64)

    def beside(sign: int) -> list[str]:
        moved = [str(d) for d, move in zip(sizes, direction[n:], strict=True) if move * sign > 0]
        return [f"the weights of ties of {' and '.join(moved)}"] if moved else []

    remedy = (
        "Use `pseudo_rankings=0.5`, a `ridge` or a `tie_ridge`, break ties where nothing but ties "
        "was observed, or leave items out."
    )
    raise rises_for_ever(worths, profile.items, beside, remedy)


def fit_worths(
    profile: Profile, options: FitOptions, max_tied: int | None = None
) -> PlackettLuceFit:
    """Return the fit; see `PlackettLuce.fit`."""
    if not isinstance(profile, Profile) or profile.n_items < 2:
        raise InvalidInputError("profile", "a Profile of two or more items", profile)
    check_observed(profile)
    weights = profile.counts * profile.weights
    choices = choices_of(profile.ranks, weights)
    largest = max(choices.tied, default=1)
    if max_tied is not None and largest > check_integer(max_tied, "max_tied", low=1):
        allowed = f"{largest} or more: so many items are tied somewhere"
        remedy = "Break such ties first, or leave the rankings out."
        raise InvalidInputError("max_tied", allowed, max_tied, remedy)
    if not options.is_regular:
        check_connected(beats_graph(profile.ranks), profile.items)
    total = float(weights.sum())
    effective = total**2 / float(profile.counts @ profile.weights**2)
    fit = _maximize_choices(profile, choices, effective / total, options)
    return replace(fit, notes=(*fit.notes, *Evidence(profile).gaps(by_policy=False)))


def _score_covariance(profile: Profile) -> Floats:
    """Return the covariance of the score where all orders of what is observed are as likely."""
    observed = profile.ranks != UNRANKED
    number = observed.sum(axis=1)
    chosen = np.minimum((profile.ranks >= 0).sum(axis=1), number - 1)
    # A choice from s items has the trace 1 - 1/s, and all items share what their choices have.
    traces = np.cumsum(1.0 - 1.0 / np.maximum(np.arange(profile.n_items + 1), 1.0))
    shares = (traces[number] - traces[number - chosen]) / np.maximum(number - 1, 1)
    rates = shares * profile.counts * profile.weights**2
    covariance: Floats = -(observed.T * (rates / number)) @ observed
    covariance[np.diag_indices(profile.n_items)] += rates @ observed
    return covariance


def _maximize_choices(
    profile: Profile, choices: Choices, scale: float, options: FitOptions
) -> PlackettLuceFit:
    """Return the fit; `scale` is how many observations a unit of weight is worth."""
    ghost = options.pseudo_rankings
    sizes = tuple(sorted(d for d in choices.tied if d > 1))
    shown = choices.with_ghost(ghost) if ghost else choices
    climbed = Likelihood(shown, sizes, options.ridge, options.tie_ridge)
    found = _climbed(climbed, profile, options)
    data = Likelihood(choices, sizes)
    n = data.n
    worths = found.parameters[:n] - found.parameters[:n].mean()
    parameters = np.concatenate([worths, found.parameters[climbed.n :]])
    ties = dict(zip(sizes, parameters[n:].tolist(), strict=True))
    at = found if options.is_plain else data.derivatives(parameters)
    equal, score = np.nan, np.nan
    if options.is_plain or not sizes:
        start = data.start()
        if sizes:
            start = newton(data, NEWTON_STEPS, 1e-9, equal_worths=True).parameters
        alike = data.derivatives(start)
        equal = alike.value if options.is_plain else np.nan
        if profile.is_strict:
            # Before anything was chosen.
            inverse = inverse_information(_score_covariance(profile), n)
        else:
            inverse = inverse_information(alike.information, n) * scale
        score = float(alike.gradient @ inverse @ alike.gradient)
    return PlackettLuceFit(
        distribution=PlackettLuce(worths, items=profile.items, log_ties=ties),
        names=(*map(str, profile.items), *(f"log tie {d}" for d in ties)),
        estimates=parameters,
        covariance=_covariance_of_fit(choices, at.information, found.information, options) / scale,
        log_likelihood=at.value * scale,
        n_parameters=n - 1 + len(ties),
        n_observations=scale * float(profile.counts @ profile.weights),
        converged=found.converged,
        n_iterations=found.n_iterations,
        notes=(*_option_notes(options, ties, scale), *found.notes()),
        gradient_norm=found.gradient_norm,
        log_likelihood_equal=equal * scale,
        _score=score,
    )


def _covariance_of_fit(
    choices: Choices, own: Floats, climbed: Floats, options: FitOptions
) -> Floats:
    """Return the covariance of log worths less their mean, beside that of the tie weights.

    With a ridge it is from the curvature of what was climbed. Pseudo-rankings are no data and do
    not count, unless nothing else links the items.
    """
    n = len(choices.won)
    ghost = options.pseudo_rankings > 0
    if not (options.ridge or options.tie_ridge) and (
        not ghost or is_linked(choices.sets.both(choices.weights))
    ):
        covariance = inverse_information(own, n)
    else:
        inverse = inverse_information(climbed, n + ghost, grounded=not options.ridge)
        keep = np.delete(np.arange(len(climbed)), slice(n, n + ghost))
        covariance = inverse[np.ix_(keep, keep)]
    project = np.eye(len(covariance))
    project[:n, :n] -= 1.0 / n
    return project @ covariance @ project.T


def _option_notes(options: FitOptions, ties: dict[int, float], scale: float) -> list[str]:
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
