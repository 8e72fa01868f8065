"""Points for places, summed without rounding: what all positional rules share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import ClassVar

import numpy as np

from rankagg._typing import Integers, Unranked
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.place_sums import place_counts
from rankagg.aggregation.voting.ranked import by_points
from rankagg.core.arithmetic import exact
from rankagg.core.profiles.profile import Profile
from rankagg.core.rankings import places
from rankagg.core.rankings.places import UNRANKED
from rankagg.kernels.rows import row_sums

__all__ = ["PlacePoints", "place_points"]

PlaceWeights = Callable[[int], Sequence[Fraction]]


@dataclass(frozen=True, kw_only=True)
class PlacePoints(Aggregator):
    """A rule that gives points for places; `_weights` says how many."""

    needs: ClassVar[Needs] = "rankings"
    unranked: Unranked | None = None

    @abstractmethod
    def _weights(self, n_items: int) -> Sequence[Fraction]:
        """Return the points of the places of a ranking of so many items, best first."""

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        assert self.policy is not None, "the rule has one"
        points = place_points(evidence.profile, self.policy, self._weights)
        return by_points(points, evidence.items, self._notes(evidence.items))

    def _notes(self, items: Sequence[object]) -> tuple[str, ...]:
        return ()


def place_points(profile: Profile, unranked: Unranked, weights: PlaceWeights) -> list[Fraction]:
    """Return every item's points in all rankings together.

    Items of a bucket share the mean of the places that it covers, unlisted ones that of the places
    below the list.

    Parameters
    ----------
    profile : Profile
        The rankings.
    unranked : {"uniform", "ignore", "last"}
        "uniform": the mean over all compatible permutations; "ignore": the points of a ranking
        of the ranked items alone, less their mean; "last": unranked items are unlisted.
    weights : callable
        The points of the places of a ranking of so many items.

    Returns
    -------
    list of Fraction
    """
    votes, denominator = exact.as_votes(profile.counts, profile.weights)
    ranks = places.unranked_last(profile.ranks) if unranked == "last" else profile.ranks
    sizes = row_sums(ranks != UNRANKED)
    points = [Fraction(0)] * profile.n_items
    wanted = set(np.unique(sizes).tolist())
    for k, given, absent in _given(profile.n_items, unranked, weights, wanted):
        rows = sizes == k
        counts = place_counts(ranks[rows], votes[rows])
        sums = _summed(profile.n_items, counts, given, absent, exact.sum_of(votes[rows]))
        points = [before + more for before, more in zip(points, sums, strict=True)]
    return [number / denominator for number in points]


def _given(
    n: int, unranked: Unranked, weights: PlaceWeights, wanted: set[int]
) -> Iterator[tuple[int, list[Fraction], Fraction]]:
    """Yield for each number k of ranked items what their places and unranked items get."""
    if unranked == "ignore":
        for k in sorted(wanted - {0}):
            given = list(weights(k))
            mean = sum(given, Fraction(0)) / k
            yield k, [number - mean for number in given], Fraction(0)
        return
    given = list(weights(n))
    mean = sum(given, Fraction(0)) / n
    for k in range(n, min(wanted) - 1, -1):
        if k in wanted:
            yield k, given, mean
        # One more unranked item stands above the place r of k - 1 with probability (r + 1)/k.
        given = [
            Fraction(r + 1, k) * given[r + 1] + Fraction(k - r - 1, k) * given[r]
            for r in range(k - 1)
        ]


def _summed(
    n: int, counts: dict[int, Integers], given: list[Fraction], absent: Fraction, whole: int
) -> list[Fraction]:
    """Return the points of every item in rankings that rank equally many items."""
    over = lcm(*(number.denominator for number in [*given, absent]))
    below = [0, *accumulate(number.numerator * (over // number.denominator) for number in given)]
    shared = lcm(*counts)
    seen = np.zeros(n, dtype=object)
    total = np.zeros(n, dtype=object)
    for size, starts in counts.items():
        used = np.flatnonzero(starts.any(axis=0))
        worth = [(below[at + size] - below[at]) * (shared // size) for at in used.tolist()]
        here = starts[:, used].astype(object)
        total = total + here @ np.array(worth, dtype=object)
        seen = seen + here.sum(axis=1)
    return [
        Fraction(int(some), over * shared) + absent * int(whole - ranked)
        for some, ranked in zip(total, seen, strict=True)
    ]
