"""Centers of Mallows distributions by other distances than Kendall's: proved, or searched for.

The squared Spearman distance is least at the order of the mean ranks, footrule and Hamming
distances at an assignment of items to ranks. Cayley's and Ulam's are hard: all centers of up to 7
items are tried, and of more those near to where a search began. Of rankings with gaps or ties all
that complete them are gone through, and weighted anew until nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np
from scipy.optimize import brentq, linear_sum_assignment

from rankagg._typing import Floats, Generator, Positions, Ranks
from rankagg.aggregation import Deadline
from rankagg.core import ItemSet, PartialRanking, Permutation, counted, permutation_of
from rankagg.distributions.base import all_places, log_compatible
from rankagg.distributions.mallows.model_distances import (
    NOWHERE,
    ModelDistance,
    longest_increasing,
    lowest_of_cycles,
)
from rankagg.exceptions import Described, InvalidInputError

# Rankings that complete those of a profile, in all.
MOST_COMPLETIONS = 50_000
# Items of which all centers are tried; rankings that a search begins at.
MOST_TRIED, STARTS = 7, 10
# Distances to all centers that are kept, since mixtures ask for them again and again.
MOST_DISTANCES = 5_000_000
# Of expectation-maximization, and when it ends.
MOST_STEPS, CLIMB = 500, 1e-10


@dataclass(frozen=True, eq=False)
class Completed:
    """Complete strict rankings, and which ranking of the data each of them completes."""

    distance: ModelDistance
    items: ItemSet
    ranks: Ranks
    owners: Positions
    # Of the rankings of the data.
    weights: Floats

    @classmethod
    def of(
        cls, distance: ModelDistance, items: ItemSet, ranks: Ranks, weights: Floats
    ) -> Completed:
        """Go through what completes each row; refused where it is too much."""
        number = float(np.exp(log_compatible(ranks)).sum())
        if number < len(ranks) + 0.5:
            return cls(distance, items, ranks, np.arange(len(ranks)), weights)
        if number > MOST_COMPLETIONS:
            allowed = (
                f"rankings with {MOST_COMPLETIONS:,} completions at most for {distance.name!r}"
            )
            found = Described(f"about {number:.3g}")
            raise InvalidInputError("data", allowed, found, "The Kendall distance takes any.")
        every = [
            [one.ranks for one in PartialRanking(row, items).compatible_permutations()]
            for row in ranks
        ]
        owners = np.repeat(np.arange(len(ranks)), [len(rows) for rows in every])
        rows = np.array([row for of_one in every for row in of_one], dtype=np.int32)
        return cls(distance, items, rows, owners, weights)

    @property
    def is_plain(self) -> bool:
        """Whether the data are complete and strict."""
        return len(self.owners) == len(self.weights)

    def distances(self, center: Permutation) -> Floats:
        """Return the distance of each complete ranking to a center."""
        return self.distance.of(self.ranks[:, np.argsort(center.ranks)])

    def log_sums(self, center: Permutation, theta: float) -> Floats:
        """Return for each row of the data the log of the sum of exp(-theta d) that completes it."""
        terms = -theta * self.distances(center)
        if self.is_plain:
            return terms
        sums = np.full(len(self.weights), -inf)
        np.logaddexp.at(sums, self.owners, terms)
        return sums

    @cached_property
    def to_every_center(self) -> Floats:
        """The distances of each complete ranking, in columns, to each center of so few items."""
        centers = all_places(len(self.items))
        rows = [self.distance.of(self.ranks[:, np.argsort(center)]) for center in centers]
        return np.array(rows, dtype=np.float64)

    def drawn(self, center: Permutation, theta: float, rng: Generator) -> Ranks:
        """Draw for each row of the data what completes it, by its probability."""
        # The largest of the log weights plus Gumbel noise.
        keys = rng.gumbel(size=len(self.ranks)) - theta * self.distances(center)
        order = np.lexsort((keys, self.owners))
        last = np.append(self.owners[order][1:] != self.owners[order][:-1], True)
        rows: Ranks = self.ranks[order[last]]
        return rows


@dataclass(frozen=True, eq=False)
class _LikelyCenter:
    """A center, its theta, and how sure it is that none is better."""

    center: Permutation
    theta: float
    note: str
    n_iterations: int = 0


def likely_center(
    data: Completed, deadline: Deadline, given: Permutation | None = None
) -> _LikelyCenter:
    """Return the center and theta of greatest likelihood, or theta around a given one."""
    each = (data.weights / np.bincount(data.owners))[data.owners]
    found: _LikelyCenter | None = None
    for step in range(1, MOST_STEPS + 1):
        center, note = (given, "") if given else least_center(data, each, deadline)
        distances = data.distances(center)
        theta = theta_at(data.distance, len(data.items), float(each @ distances / each.sum()))
        settled = found is not None and abs(theta - found.theta) < CLIMB * (1.0 + theta)
        found = _LikelyCenter(center, theta, note, step)
        if settled or data.is_plain or theta == inf:
            break
        # What completes a ranking counts as far as it is likely.
        sums = data.log_sums(center, theta)
        each = data.weights[data.owners] * np.exp(-theta * distances - sums[data.owners])
    assert found is not None, "at least one step is made"
    if data.is_plain:
        return found
    told = "Partial or tied rankings: a local maximum, by expectation-maximization."
    return replace(found, note=f"{told} {found.note}".strip())


def theta_at(distance: ModelDistance, n: int, mean: float, *, agree: float = 1e-12) -> float:
    """Return the theta at which the expected distance is the given one.

    0 where the distance is larger than at any theta, infinite where it is at most `agree`.
    """

    def excess(theta: float) -> float:
        return distance.moments(n, theta).mean - mean

    if mean <= agree:
        return inf
    if excess(0.0) <= 1e-12 * max(n * n, 1):
        return 0.0
    high = 1.0
    while excess(high) > 0:
        high *= 2.0
    return float(brentq(excess, 0.0, high, xtol=1e-14, rtol=1e-14))


def least_center(
    data: Completed, weights: Floats, deadline: Deadline, near: Permutation | None = None
) -> tuple[Permutation, str]:
    """Return a center of the least summed distance, and what is to be said of it.

    Where it is searched for, the search begins at `near`, or at several rankings.
    """
    distance, items, ranks, n = data.distance, data.items, data.ranks, len(data.items)
    if distance.name == "spearman":
        means = weights @ ranks / weights.sum()
        order = np.argsort(means, kind="stable")
        tied = (np.diff(means[order]) <= 1e-9 * n).any()
        note = "Other centers are as likely: some items have equal mean ranks." if tied else ""
        return permutation_of(np.argsort(order), items), note
    if distance.name in ("footrule", "hamming"):
        found, is_only = _assigned(distance.name, ranks, weights)
        return permutation_of(found, items), "" if is_only else "Other centers are as likely."
    deadline.seconds_left()
    if n <= MOST_TRIED:
        centers = all_places(n)
        if len(centers) * len(ranks) <= MOST_DISTANCES:
            costs = data.to_every_center @ weights
        else:
            costs = np.array([_cost(distance, ranks, weights, center) for center in centers])
        ties = int((costs <= costs.min() + 1e-9 * weights.sum()).sum())
        note = f"Other centers are as likely: {ties - 1}." if ties > 1 else ""
        return permutation_of(centers[costs.argmin()], items), note
    if near is not None:
        return permutation_of(_climb(distance, ranks, weights, near.ranks, deadline)[1], items), ""
    starts = {
        tuple(start.tolist())
        for start in (
            *ranks[np.argsort(-weights, kind="stable")[:STARTS]],
            np.argsort(np.argsort(weights @ ranks, kind="stable")),
            _assigned("hamming", ranks, weights)[0],
        )
    }
    climbs = [_climb(distance, ranks, weights, np.array(one), deadline) for one in sorted(starts)]
    best = min(climbs, key=lambda climb: (climb[0], climb[1].tolist()))[1]
    note = f"The center is the best of {counted(len(starts), 'search')}, not proved."
    return permutation_of(best, items), note


def _cost(distance: ModelDistance, ranks: Ranks, weights: Floats, center: Ranks) -> float:
    return float(weights @ distance.of(ranks[:, np.argsort(center)]))


def _assigned(name: str, ranks: Ranks, weights: Floats) -> tuple[Ranks, bool]:
    """Return the ranks that displace the least weight, or the fewest items; whether no others do.

    A hair is added to what was chosen: where the least then has other ranks, it is as good.
    """
    n = ranks.shape[1]
    placed = np.zeros((n, n))
    for row, weight in zip(ranks, weights, strict=True):
        placed[np.arange(n), row] += weight
    far = np.abs(np.arange(n)[:, None] - np.arange(n))
    costs = placed @ (far if name == "footrule" else far > 0)
    chosen = linear_sum_assignment(costs)
    hair = np.zeros((n, n))
    hair[chosen] = 1e-9 * weights.sum()
    _, other = linear_sum_assignment(costs + hair)
    return chosen[1].astype(np.int32), bool((other == chosen[1]).all())


def _climb(
    distance: ModelDistance, ranks: Ranks, weights: Floats, center: Ranks, deadline: Deadline
) -> tuple[float, Ranks]:
    """Go on as long as an exchange of two items (Cayley), or a move of one (Ulam), is better."""
    better = _exchanged if distance.name == "cayley" else _moved
    cost = _cost(distance, ranks, weights, center)
    while True:
        deadline.seconds_left()
        near = better(ranks, weights, center)
        found = _cost(distance, ranks, weights, near)
        if found >= cost - 1e-9 * weights.sum():
            return cost, center
        cost, center = found, near


def _exchanged(ranks: Ranks, weights: Floats, center: Ranks) -> Ranks:
    """Return the center with the best exchange: it splits the cycles that hold both items."""
    order = np.argsort(center)
    lowest = lowest_of_cycles(ranks[:, order])
    together = np.array([weights @ (lowest == lowest[:, [k]]) for k in range(len(order))])
    np.fill_diagonal(together, -inf)
    one, other = np.unravel_index(together.argmax(), together.shape)
    near = center.copy()
    near[order[[one, other]]] = other, one
    return near


def _moved(ranks: Ranks, weights: Floats, center: Ranks) -> Ranks:
    """Return the center after the best move of each item in turn, if that is better."""
    for item in range(len(center)):
        order, source = np.argsort(center), center[item]
        rest, own = np.delete(ranks[:, order], source, axis=1), ranks[:, [item]]
        below = longest_increasing(np.where(rest < own, rest, NOWHERE))
        # The same from behind: what is above falls.
        above = longest_increasing(np.where(rest > own, -rest, NOWHERE)[:, ::-1])[:, ::-1]
        gains = weights @ np.maximum(longest_increasing(rest)[:, [-1]], below + 1 + above)
        target = int(gains.argmax())
        if gains[target] > gains[source] + 1e-9 * weights.sum():
            center = np.argsort(np.insert(np.delete(order, source), target, item)).astype(np.int32)
    return center
