"""A simulated test that rankings are not concentrated around any center."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Generator, Ranks
from rankagg.aggregation import Deadline
from rankagg.aggregation.kemeny import Kemeny
from rankagg.core import UNRANKED, Profile, places
from rankagg.distributions.base import Uniform
from rankagg.distributions.mallows.displacements import DISTANCES
from rankagg.distributions.mallows.distance_centers import Completed, likely_center
from rankagg.distributions.mallows.model_distances import DistanceName
from rankagg.distributions.simulated_test import SimulatedTest, simulated_test


def simulate_uniformity(
    profile: Profile, n_resamples: int, rng: Generator, distance: DistanceName = "kendall"
) -> SimulatedTest:
    """Compare the distance to the best center with that in samples without a center."""
    rows = uncompressed(profile)
    observed = _least_distance(rows, distance)
    uniform = Uniform(rows.items)

    def least() -> float:
        ranks = masked(uniform.sample(len(rows), rng=rng).ranks, rows.ranks, rows.ranks)
        return _least_distance(rows._replace(ranks=ranks), distance)

    drawn = np.array([least() for _ in range(n_resamples)])
    as_small = int((drawn <= observed * (1 + 1e-12)).sum())
    hypothesis, measure = "all permutations are equally likely", "mean distance to the center"
    return simulated_test(hypothesis, measure, observed, drawn, as_small)


def uncompressed(profile: Profile) -> Profile:
    """Return the profile with a row of its own for every copy of a ranking."""
    rows = np.repeat(np.arange(len(profile)), profile.counts)
    return profile._replace(ranks=profile.ranks[rows], rows=rows, counts=np.ones_like(rows))


def _least_distance(profile: Profile, distance: DistanceName) -> float:
    if distance != "kendall":
        data = Completed.of(DISTANCES[distance], profile.items, profile.ranks, profile.weights)
        found = likely_center(data, Deadline())
        shares = (data.weights / np.bincount(data.owners))[data.owners]
        return float(shares @ data.distances(found.center) / shares.sum())
    return Kemeny().aggregate(profile.direct_pairwise()).cost / profile.total_weight


def masked(drawn: Ranks, ranks: Ranks, codes: NDArray[Any]) -> NDArray[Any]:
    """Give draws, shape (..., m, n), the ties and gaps that codes tell of m rankings.

    The observed items of a row, sorted by their drawn places, get the row's sorted codes.
    """
    by_place = np.argsort(places.comparable(ranks), axis=1)
    order = np.argsort(np.where(ranks != UNRANKED, drawn, ranks.shape[1]), axis=-1)
    result = np.empty(drawn.shape, dtype=codes.dtype)
    sorted_codes = np.take_along_axis(codes, by_place, axis=1)
    np.put_along_axis(result, order, np.broadcast_to(sorted_codes, drawn.shape), axis=-1)
    return result
