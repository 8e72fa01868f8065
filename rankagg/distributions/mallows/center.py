"""The center of a Mallows distribution: where the likelihood is greatest, whatever theta is.

Of complete strict rankings it is the exact Kemeny consensus. Of partial or tied rankings the
likelihood is a sum over compatible permutations, and is climbed by expectation-maximization:
expected votes among those permutations, the Kemeny consensus of the expected votes, theta. What
that reaches is a local maximum, so several starts are climbed and neighbors of the result are
tried; it need not be the Kemeny consensus of the data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any, cast

import numpy as np

from rankagg._validation import check_choice
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.positional import Borda
from rankagg.aggregation.result import Consensus
from rankagg.core.items import counted
from rankagg.core.profiles.profile import Profile
from rankagg.core.rankings.partial import Permutation
from rankagg.distributions.mallows.likelihood import LARGE, MallowsData, best_theta, theta_of
from rankagg.distributions.mallows.parameters import as_center
from rankagg.distributions.mallows.saem import Sampled, climb_by_sampling
from rankagg.distributions.mallows.uniformity import one_row_each

__all__ = ["MOST_STEPS", "Found", "find_center", "search_center"]

CLIMB = 1e-9
MOST_STEPS = 500


@dataclass(frozen=True, eq=False)
class Found:
    """A center and how it was found.

    Attributes
    ----------
    center : Permutation
        The center.
    theta : float or None
        Of the same search; infinite where all rankings agree with the center.
    consensus : Consensus or None
        Of Kemeny or Borda.
    n_iterations : int
        Of expectation-maximization.
    converged : bool
        True where that reached its tolerance.
    notes : tuple of str
        What the reader must know.
    sampled : Sampled or None
        Where likelihood and information had to be estimated.
    """

    center: Permutation
    theta: float | None = None
    consensus: Consensus | None = None
    n_iterations: int = 0
    converged: bool = True
    notes: tuple[str, ...] = ()
    sampled: Sampled | None = None


def find_center(profile: Profile, rng: np.random.Generator) -> Found:
    """Return the center of greatest likelihood, even where theta has no finite maximum."""
    return search_center(MallowsData.of(profile), "kemeny", MOST_STEPS, rng)


def search_center(data: MallowsData, center: object, steps: int, rng: np.random.Generator) -> Found:
    """Return the center that is asked for: by name, or given."""
    if not isinstance(center, str):
        middle = as_center(cast(Any, center), items=data.profile.items)
        data.profile.items.require_same(middle.items, "A center and the rankings")
        return Found(middle) if data.is_exact else _climb_by_sampling(data, middle, rng)
    kind = check_choice(center, ("kemeny", "borda"), "center")
    if kind == "borda":
        consensus = Borda().aggregate(data.profile)
        note = "The center is Borda's, and not the maximum of the likelihood."
        middle = strict_order(consensus)
        if not data.is_exact:
            sampled = _climb_by_sampling(data, middle, rng)
            return replace(sampled, consensus=consensus, notes=(note, *sampled.notes))
        return Found(middle, consensus=consensus, notes=(note,))
    if not data.is_exact:
        return _climb_by_sampling(data, None, rng)
    if not data.is_plain:
        return _climb(data, steps)
    consensus = Kemeny().aggregate(data.profile)
    return Found(strict_order(consensus), consensus=consensus, notes=_other_centers(consensus))


def _other_centers(consensus: Consensus) -> tuple[str, ...]:
    certificate = consensus.certificate
    if certificate is None or certificate.status != "optimal":
        return ("The center is not proved to be the Kemeny consensus.",)
    optima = consensus.optima
    if optima is None or optima.is_unique:
        return ()
    return (
        f"Other centers are as likely: {counted(optima.n_undecided_pairs, 'pair')} left open; see "
        "`.consensus.optima`.",
    )


def strict_order(consensus: Consensus) -> Permutation:
    """Return the consensus; ties of Borda are broken in the order of the items."""
    ranks = consensus.ranking.ranks
    return Permutation(np.argsort(np.argsort(ranks, kind="stable")), consensus.items)


def _climb(data: MallowsData, steps: int) -> Found:
    agreed = Kemeny(unranked="ignore").aggregate(data.profile)
    if agreed.cost == 0:
        return Found(strict_order(agreed), inf)
    rules: tuple[Aggregator, ...] = (Kemeny(), Kemeny(unranked="ignore"), Borda())
    starts = {strict_order(rule.aggregate(data.profile)) for rule in rules}
    ordered = sorted(starts, key=lambda start: start.ranks.tolist())
    climbs = [_ascend(data, start, steps) for start in ordered]
    best = max(climbs, key=lambda climb: climb.height)
    total = best.steps
    while (better := _neighbor(data, best)) is not None:
        best = _ascend(data, better, steps)
        total += best.steps
    note = (
        "Partial or tied rankings: a local maximum, by expectation-maximization; what is missing "
        "is taken to be missing at random."
    )
    return Found(best.center, best.theta, None, total, best.converged, (note,))


def _climb_by_sampling(
    data: MallowsData, center: Permutation | None, rng: np.random.Generator
) -> Found:
    rows = one_row_each(data.profile)
    start = strict_order(Borda().aggregate(data.profile)) if center is None else center
    fixed = center is not None
    sampled = climb_by_sampling(rows, start, theta_of, rng, fixed=fixed)
    note = (
        "Sums over compatible permutations are too large: center, theta, likelihood and error are "
        "estimated from drawn completions, and differ from seed to seed."
    )
    return Found(
        sampled.center, sampled.theta, None, sampled.n_iterations, notes=(note,), sampled=sampled
    )


@dataclass(frozen=True, eq=False)
class _Climb:
    center: Permutation
    theta: float
    height: float
    steps: int
    converged: bool


def _ascend(data: MallowsData, center: Permutation, steps: int) -> _Climb:
    """Alternate expected votes with their Kemeny consensus and its theta."""
    theta = 1.0
    height = data.log_likelihood(center, theta)
    for step in range(1, steps + 1):
        votes = data.votes(center, theta)
        consensus = Kemeny().aggregate(votes)
        # Keep the center where it is as good: several may be.
        if consensus.cost < votes.cost(center) * (1.0 - 1e-12):
            center = strict_order(consensus)
        theta = theta_of(votes.cost(center) / data.total, data.profile.n_items)
        if theta > LARGE:
            return _Climb(center, inf, 0.0, step, converged=True)
        reached = data.log_likelihood(center, theta)
        if reached - height <= CLIMB * max(1.0, abs(reached)):
            theta = best_theta(data, center)
            height = data.log_likelihood(center, theta) if theta < inf else 0.0
            return _Climb(center, theta, height, step, converged=True)
        height = reached
    return _Climb(center, theta, height, steps, converged=False)


def _neighbor(data: MallowsData, best: _Climb) -> Permutation | None:
    """Return a center with two neighbors exchanged that is better at the same theta."""
    if best.theta == inf:
        return None
    order = np.argsort(best.center.ranks)
    for k in range(len(order) - 1):
        changed = order.copy()
        changed[[k, k + 1]] = changed[[k + 1, k]]
        center = Permutation(np.argsort(changed), best.center.items)
        gain = data.log_likelihood(center, best.theta) - best.height
        if gain > CLIMB * max(1.0, abs(best.height)):
            return center
    return None
