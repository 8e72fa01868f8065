"""Spatial cultures: voters rank candidates by how near they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankagg._typing import Floats, Ranks
from rankagg._validation import check_choice, check_integer
from rankagg.distributions.cultures.culture import Culture, ranks_of_orders

__all__ = ["EuclideanCulture"]

# Distances that are held at a time.
BATCH = 2**22


@dataclass(frozen=True, kw_only=True)
class EuclideanCulture(Culture):
    """Voters and candidates are points, and every voter ranks the candidates by their distance.

    All points are drawn independently from one distribution; the candidates' are the same for all
    rankings of a profile. In one dimension the profiles are single-peaked and single-crossing.

    Parameters
    ----------
    n_dimensions : int, default 2
        Of the space, at least 1.
    points : {"uniform", "gaussian"}, default "uniform"
        Where points lie: uniformly in the unit cube, or with independent standard normal
        coordinates.

    References
    ----------
    Enelow and Hinich (1984), "The spatial theory of voting", Cambridge University Press; Boehmer,
    Faliszewski, Janeczko, Kaczmarczyk, Lisowski, Pierczyński, Rey, Stolicki, Szufa and Wąs (2024),
    https://doi.org/10.48550/arXiv.2402.11765, for how cultures are used.

    Examples
    --------
    >>> import rankagg as ra
    >>> profile = ra.EuclideanCulture(n_dimensions=1).draw(5, 100, rng=0)
    >>> ra.single_peaked_axis(profile) is not None
    True
    """

    n_dimensions: int = 2
    points: Literal["uniform", "gaussian"] = "uniform"

    def __post_init__(self) -> None:
        check_integer(self.n_dimensions, "n_dimensions of EuclideanCulture", low=1)
        check_choice(self.points, ("uniform", "gaussian"), "points of EuclideanCulture")

    def _ranks(self, n_items: int, n_rankings: int, rng: np.random.Generator) -> Ranks:
        candidates = self._some(n_items, rng)
        ranks = np.empty((n_rankings, n_items), dtype=np.int32)
        size = max(1, BATCH // max(n_items, int(self.n_dimensions)))
        for start in range(0, n_rankings, size):
            voters = self._some(min(size, n_rankings - start), rng)
            # The squared distance but for the voter's own square.
            distances = (candidates**2).sum(axis=1) - 2.0 * voters @ candidates.T
            ranks[start : start + size] = ranks_of_orders(np.argsort(distances, axis=1))
        return ranks

    def _some(self, number: int, rng: np.random.Generator) -> Floats:
        shape = (number, int(self.n_dimensions))
        return rng.random(shape) if self.points == "uniform" else rng.standard_normal(shape)
