"""The climbs of a mixture from many starts, what they need of rankings, and standard errors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import lgamma
from typing import Literal, TypeAlias, get_args

import numpy as np
import scipy
from joblib import Parallel, delayed
from scipy.special import logsumexp

from rankagg._typing import Floats, RNGLike
from rankagg._validation import (
    as_generator,
    check_choice,
    check_flag,
    check_integer,
    check_number,
)
from rankagg.aggregation import Deadline
from rankagg.core import UNRANKED, Profile, counted
from rankagg.distributions.finite_maximum import check_observed
from rankagg.distributions.mallows.center import MallowsData
from rankagg.distributions.mallows.model_distances import DistanceName
from rankagg.distributions.mixtures.climb import (
    CLOSE,
    Climb,
    Family,
    MallowsFamily,
    PlackettLuceFamily,
    begin,
    log_parts,
    searched,
)
from rankagg.distributions.plackett_luce.choices import stage_masks
from rankagg.exceptions import Described, InvalidInputError, NotIdentifiedError

FamilyName: TypeAlias = Literal["mallows", "plackett-luce"]
# Of each climb.
CLIMB_STEPS = 2000


@dataclass(frozen=True, kw_only=True)
class MixtureOptions:
    """Options of a fit; see `Mixture.fit`."""

    family: FamilyName = "mallows"
    distance: DistanceName = "kendall"
    noise: bool = False
    n_starts: int = 20
    max_theta: float = 12.0
    ridge: float = 0.01

    def __post_init__(self) -> None:
        check_choice(self.family, get_args(FamilyName), "family")
        check_choice(self.distance, get_args(DistanceName), "distance")
        check_flag(self.noise, "noise")
        check_integer(self.n_starts, "n_starts", low=1)
        check_number(self.max_theta, "max_theta", low=0, high=100, open_low=True)
        check_number(self.ridge, "ridge", low=0, open_low=True)
        if self.family != "mallows" and self.distance != "kendall":
            raise InvalidInputError("distance", "left out for 'plackett-luce'", self.distance)


def family_of(profile: Profile, options: MixtureOptions, deadline: Deadline) -> Family:
    """Return the family of components for some rankings."""
    data = MallowsData.of(profile, deadline, options.distance)
    if options.family == "mallows":
        return MallowsFamily(data, options.max_theta)
    return PlackettLuceFamily(data, options.ridge)


def checked_family(
    profile: Profile, number: int, options: MixtureOptions, deadline: Deadline
) -> Family:
    """Return the family, and refuse rankings that it has no probability for or cannot identify."""
    check_observed(profile)
    _check_identified(profile, number, options)
    family = family_of(profile, options, deadline)
    if options.family == "mallows":
        if not family.data.is_exact:
            allowed = "rankings whose completions can be summed over"
            remedy = "Leave out rankings with many gaps, or ties beside gaps."
            raise InvalidInputError("data", allowed, Described("larger ones"), remedy)
    elif any((chosen.sum(axis=1) > 1).any() for _, _, chosen in stage_masks(family.data.ranks)):
        remedy = "Break the ties, or take family='mallows', which sums over what they leave open."
        raise InvalidInputError(
            "data", "free of ties for 'plackett-luce'", Described("ties"), remedy
        )
    return family


def _check_identified(profile: Profile, k: int, options: MixtureOptions) -> None:
    """Raise where there are certainly several mixtures with the same probabilities."""
    n, is_mallows = profile.n_items, options.family == "mallows"
    if not is_mallows and k > 1 and n <= 2 * k - 1:
        raise NotIdentifiedError(
            f"A mixture of {counted(k, 'Plackett-Luce distribution')} is not identified by "
            f"rankings of {counted(n, 'item')}: that takes {2 * k} or more. Fit fewer components, "
            "or family='mallows'."
        )
    free = k * (1 if is_mallows else n - 1) + k - 1 + options.noise
    # Rankings of the same items that end at the same place have so many outcomes.
    observed = profile.ranks != UNRANKED
    kinds = np.unique(np.column_stack([observed, (profile.ranks >= 0).sum(axis=1)]), axis=0)
    sizes = kinds[:, :-1].sum(axis=1)
    known = lgamma(free + 2.0)
    outcomes = sum(
        min(np.exp(min(lgamma(s + 1.0) - lgamma(s - min(t, s - 1) + 1.0), known)), free + 1.0) - 1.0
        for s, t in zip(sizes.tolist(), kinds[:, -1].tolist(), strict=True)
        if s
    )
    if profile.is_strict and free > round(outcomes):
        raise NotIdentifiedError(
            f"A mixture of {free} free parameters is not identified by rankings that can come out "
            f"in {counted(round(outcomes) + 1, 'way')}. Fit fewer components."
        )


def best_climb(
    family: Family, number: int, options: MixtureOptions, rng: RNGLike, n_jobs: int | None
) -> tuple[Climb, Floats]:
    """Return the best of all climbs, its components by weight, and the values that all reached."""
    streams = as_generator(rng).spawn(options.n_starts)
    starts = [begin(family, number, stream, noise=options.noise) for stream in streams]
    climbs: list[Climb] = Parallel(n_jobs=n_jobs)(
        delayed(searched)(family, start, CLIMB_STEPS) for start in starts
    )
    heights = np.array([climb.height for climb in climbs])
    best = searched(family, climbs[int(heights.argmax())], CLIMB_STEPS, CLOSE)
    order = [*np.argsort(-best.weights[:number], kind="stable"), *range(number, len(best.parts))]
    parts = tuple(best.parts[k] for k in order)
    return replace(best, parts=parts, weights=best.weights[order]), heights


def estimates_of(
    family: Family, best: Climb, number: int
) -> tuple[tuple[str, ...], Floats, Floats]:
    """Return names, estimates and covariance: weights, then the parameters of each component."""
    data, weights = family.data, best.weights
    joint = log_parts(family, best)
    shares = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    names = [f"weight {k + 1}" for k in range(number)] + ["weight of noise"] * (
        len(weights) - number
    )
    own = [family.parameters(part) for part in best.parts[:number]]
    # Log odds of weights, and worths of a component, are known up to a constant.
    tables, moves = [shares - weights], [np.diag(weights) - np.outer(weights, weights)]
    for k, part in enumerate(best.parts[:number]):
        is_mallows, width = isinstance(family, MallowsFamily), len(own[k])
        labels = ["theta"] if is_mallows else list(map(str, data.profile.items))
        names += [f"{label} {k + 1}" if is_mallows else f"{k + 1}: {label}" for label in labels]
        found = family.scores(part) * shares[:, [k]]
        at_bound = isinstance(family, MallowsFamily) and own[k][0] >= family.max_theta
        tables.append(np.full_like(found, np.nan) if at_bound else found)
        moves.append(np.eye(width) - (0.0 if is_mallows else 1.0 / width))
    table = np.hstack(tables)
    known = ~np.isnan(table[0])
    information = table[:, known].T @ (table[:, known] * data.weights[:, None])
    if isinstance(family, PlackettLuceFamily):
        information[np.diag_indices(len(information))] += family.ridge * (
            np.arange(len(known)) >= len(weights)
        )
    scale = 1.0 / np.sqrt(np.maximum(np.diag(information), 1e-300))
    around = np.outer(scale, scale)
    inverse = np.linalg.pinv(information * around, rcond=1e-9, hermitian=True) * around
    move = scipy.linalg.block_diag(*moves)[np.ix_(known, known)]
    covariance = np.full((len(known),) * 2, np.nan)
    covariance[np.ix_(known, known)] = move @ inverse @ move.T
    return tuple(names), np.concatenate([weights, *own]), covariance
