"""Errors of Plackett-Luce estimates by clusters of rankings, such as those of one rater."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankagg._typing import Floats, Positions
from rankagg.core import UNRANKED, Profile, counted
from rankagg.distributions.base import clusters_of
from rankagg.distributions.maximum import FEWEST_UNITS, UNKNOWN, freed_score
from rankagg.distributions.plackett_luce.choices import Choices
from rankagg.distributions.plackett_luce.likelihood import Likelihood, LuceMaximum


class Errors(NamedTuple):
    """The covariance of estimates, and how well it is known."""

    covariance: Floats
    # Shape (p,). Infinite for independent rankings.
    degrees_of_freedom: Floats
    # 0 for independent rankings.
    n_clusters: int = 0
    notes: tuple[str, ...] = ()


def errors_of(best: LuceMaximum) -> Errors:
    """Return errors by the model for independent rankings, and else by the clusters."""
    clusters, degrees = clusters_of(best.profile), np.full(len(best.parameters), np.inf)
    if clusters is None:
        return Errors(best.covariance, degrees)
    number, n = int(clusters.max()) + 1, best.profile.n_items
    degrees[:n], degrees[n:] = _degrees_of(best.profile, clusters)
    many, meat = counted(number, "cluster"), _meat_of(best, clusters)
    if meat is None:
        reason = "Only one cluster determines the worth of an item, or the ties."
        if number < FEWEST_UNITS:
            reason = f"With {many} the variance between clusters cannot be estimated."
        return Errors(np.full_like(best.covariance, np.nan), degrees, number, (UNKNOWN + reason,))
    note = (
        f"Errors by the sandwich of {many}, with quantiles of Student's t by how many of them rank "
        "an item."
    )
    # Without penalties this is the covariance times the meat times the covariance.
    changed = best.covariance @ (meat - best.information) @ best.covariance
    return Errors(best.covariance + changed, degrees, number, (note,))


def _meat_of(best: LuceMaximum, clusters: Positions) -> Floats | None:
    """Return the covariance of the score between clusters, as for Bradley-Terry.

    None for few clusters, or if one leaves no information on some direction to the others.
    """
    number, meat = int(clusters.max()) + 1, np.zeros_like(best.covariance)
    if number < FEWEST_UNITS:
        return None
    weights = best.profile.counts * best.profile.weights
    for cluster in range(number):
        own = clusters == cluster
        choices = Choices.of(best.profile.ranks[own], weights[own])
        at = Likelihood(choices, best.sizes).derivatives(best.parameters)
        score = freed_score(at.information, at.gradient, best.covariance)
        if score is None:
            return None
        meat += np.outer(score, score)
    return (number - 1) / number * meat


def _degrees_of(profile: Profile, clusters: Positions) -> tuple[Floats, float]:
    """Return effective numbers of clusters less 1, by item and for the ties."""
    observed, sums = profile.ranks != UNRANKED, np.zeros((clusters.max() + 1, profile.n_items + 1))
    ranked = np.column_stack([observed, np.ones(len(profile), dtype=bool)])
    # A ranking of one item compares nothing.
    ranked &= observed.sum(axis=1, keepdims=True) > 1
    np.add.at(sums, clusters, ranked * (profile.counts * profile.weights)[:, None])
    # No cluster compares an item that only a prior ranks.
    squares = np.maximum((sums**2).sum(axis=0), np.finfo(float).tiny)
    degrees = np.maximum(sums.sum(axis=0) ** 2 / squares - 1.0, 1.0)
    return degrees[:-1], float(degrees[-1])
