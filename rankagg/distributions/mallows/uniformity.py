"""A simulated test that rankings are not concentrated around any center."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Generator, Ranks
from rankagg.aggregation import Deadline
from rankagg.aggregation.kemeny import Kemeny
from rankagg.core import UNRANKED, Profile, Result, counted, p_text, places
from rankagg.distributions.base import Uniform
from rankagg.distributions.mallows.displacements import DISTANCES
from rankagg.distributions.mallows.distance_centers import Completed, likely_center
from rankagg.distributions.mallows.model_distances import DistanceName


class UniformityTest(Result):
    """A simulated test that all permutations are alike.

    Made by `MallowsFit.test_uniform`; it has no plot.

    Attributes
    ----------
    mean_distance : float
        Of the rankings to the center: their Kemeny consensus, or that of another distance.
    expected : float
        The same on average in samples without any concentration.
    p_value : float
        Share of samples (the data among them) with so small a distance or a smaller one.
    n_resamples : int
        Simulated samples.
    """

    mean_distance: float
    expected: float
    p_value: float
    n_resamples: int

    _schema = "rankagg.uniformity_test"
    _prints_table = False

    def to_frame(self) -> pd.DataFrame:
        """Return one row with the attributes as columns."""
        return pd.DataFrame([self._content()])

    def _content(self) -> dict[str, Any]:
        return asdict(self)

    def _facts(self) -> list[str]:
        return [
            f"mean distance {self.mean_distance:.4g} to the center, p {p_text(self.p_value)}",
            f"expected without any concentration: {self.expected:.4g}, from "
            f"{counted(self.n_resamples, 'simulated sample')}",
        ]


def simulate_uniformity(
    profile: Profile, n_resamples: int, rng: Generator, distance: DistanceName = "kendall"
) -> UniformityTest:
    """Compare the distance to the best center with that in samples without a center."""
    rows = uncompressed(profile)
    observed = _least_distance(rows, distance)
    uniform = Uniform(rows.items)

    def draw() -> float:
        ranks = masked(uniform._sample(len(rows), rng), rows.ranks, rows.ranks)
        return _least_distance(rows._replace(ranks=ranks), distance)

    drawn = np.array([draw() for _ in range(n_resamples)])
    as_small = int((drawn <= observed * (1 + 1e-12)).sum())
    return UniformityTest(
        mean_distance=observed,
        expected=float(drawn.mean()),
        p_value=(1 + as_small) / (1 + n_resamples),
        n_resamples=n_resamples,
    )


def uncompressed(profile: Profile) -> Profile:
    """Return the profile with a row of its own for every copy of a ranking."""
    rows = np.repeat(np.arange(len(profile)), profile.counts)
    return Profile._trusted(profile.items, profile.ranks[rows], weights=profile.weights[rows])


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
