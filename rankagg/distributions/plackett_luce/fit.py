"""The maximum of a Plackett-Luce likelihood, its covariance, and the score at equal worths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankagg._typing import Floats
from rankagg.core import UNRANKED, Profile
from rankagg.distributions.finite_maximum import (
    beats_graph,
    check_connected,
    check_observed,
    is_linked,
    rises_for_ever,
)
from rankagg.distributions.maximum import (
    FAR_PARAMETER,
    Maximum,
    Penalties,
    inverse_information,
    less_mean,
    newton,
)
from rankagg.distributions.plackett_luce.choices import Choices, choices_of
from rankagg.distributions.plackett_luce.likelihood import (
    DistinctChoices,
    Likelihood,
    endless_choices,
)


@dataclass(frozen=True, eq=False)
class _LuceMaximum:
    """Worths and weights of ties at the maximum, with what is known of their errors."""

    climb: Maximum
    # Log worths with sum 0, then the logs of the tie weights of these sizes.
    parameters: Floats
    sizes: tuple[int, ...]
    # Of the data, in the unit of their weights.
    value: float
    covariance: Floats
    # How many observations a unit of weight is worth.
    scale: float
    # At equal worths; NaN where penalties leave no likelihood to compare.
    value_equal: float
    score: float


def maximize_choices(profile: Profile, penalties: Penalties, tol: float) -> _LuceMaximum:
    """Return the maximum of the likelihood of rankings, or raise where there is none."""
    check_observed(profile)
    if not penalties.is_regular:
        check_connected(beats_graph(profile), profile.items)
    weights = profile.counts * profile.weights
    choices = choices_of(profile.ranks, weights)
    sizes = tuple(sorted(d for d in choices.tied if d > 1))
    ghost = penalties.pseudo_rankings
    shown = choices.with_ghost(ghost) if ghost else choices
    climbed = Likelihood(shown, sizes, penalties.ridge, penalties.tie_ridge)
    found = newton(climbed, tol)
    # Without ties the maximum is known to exist.
    if sizes and (not found.converged or np.abs(found.parameters).max() > FAR_PARAMETER):
        _check_endless_ties(climbed, profile, penalties)
    data = Likelihood(choices, sizes)
    n = data.n
    worths = found.parameters[:n] - found.parameters[:n].mean()
    parameters = np.concatenate([worths, found.parameters[climbed.n :]])
    at = found if penalties.is_plain else data.derivatives(parameters)
    scale = float(weights.sum()) / float(profile.counts @ profile.weights**2)
    equal, score = np.nan, np.nan
    if penalties.is_plain or not sizes:
        value, score = _at_equal_worths(profile, data, scale)
        equal = value * scale if penalties.is_plain else np.nan
    covariance = _covariance(choices, at.information, found.information, penalties)
    return _LuceMaximum(found, parameters, sizes, at.value, covariance / scale, scale, equal, score)


def _check_endless_ties(likelihood: Likelihood, profile: Profile, penalties: Penalties) -> None:
    sizes, free = likelihood.sizes, {"ties": not likelihood.tie_ridge}
    observed = DistinctChoices.of_ranks(profile.ranks)
    if penalties.pseudo_rankings:
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


def _at_equal_worths(profile: Profile, data: Likelihood, scale: float) -> tuple[float, float]:
    """Return the greatest log likelihood with equal worths, and the score statistic there."""
    start = newton(data, equal_worths=True).parameters if data.sizes else data.start()
    alike = data.derivatives(start)
    if profile.is_strict:
        # Before anything was chosen.
        inverse = inverse_information(_score_covariance(profile), data.n)
    else:
        inverse = inverse_information(alike.information, data.n) * scale
    return alike.value, float(alike.gradient @ inverse @ alike.gradient)


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


def _covariance(choices: Choices, own: Floats, climbed: Floats, penalties: Penalties) -> Floats:
    """Return the covariance of log worths less their mean, with that of the tie weights.

    With a ridge it is from the curvature of what was climbed. Pseudo-rankings are no data and do
    not count, unless nothing else links the items.
    """
    n = choices.n_items
    ghost = penalties.pseudo_rankings > 0
    if not (penalties.ridge or penalties.tie_ridge) and (
        not ghost or is_linked(choices.sets.both(choices.weights))
    ):
        return less_mean(inverse_information(own, n), n)
    inverse = inverse_information(climbed, n + ghost, grounded=not penalties.ridge)
    keep = np.delete(np.arange(len(climbed)), slice(n, n + ghost))
    return less_mean(inverse[np.ix_(keep, keep)], n)
