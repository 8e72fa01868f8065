"""What every culture is: a distribution over profiles, for any number of items and rankings."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Ranks, RNGLike
from rankagg.core.items import ItemSet
from rankagg.core.profiles.profile import Profile
from rankagg.distributions.study_model import StudyModel

__all__ = ["Culture", "ranks_of_orders"]


@dataclass(frozen=True, kw_only=True)
class Culture(StudyModel):
    """A distribution over profiles of complete strict rankings, for any number of items.

    Rankings of one profile may depend on one another: they share the candidates' positions, an
    axis, an urn. No item is favored. A new culture is a frozen dataclass that implements `_ranks`;
    it is a model of every study that draws rankings.
    """

    def draw(self, n_items: int, n_rankings: int, *, rng: RNGLike = None) -> Profile:
        """Draw one profile.

        Parameters
        ----------
        n_items : int
            How many items it ranks, at least 2; they are numbered from 0.
        n_rankings : int
            How many rankings it holds.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator (SPEC 7).

        Returns
        -------
        Profile
            Complete and strict, one row a ranking.
        """
        drawn = super().draw(n_items, n_rankings, rng=rng)
        assert isinstance(drawn, Profile)
        return drawn

    def _draw(self, n_items: int, n_rankings: int, rng: np.random.Generator) -> Profile:
        ranks = self._ranks(n_items, n_rankings, rng)
        return Profile._trusted(ItemSet(range(n_items)), ranks)

    @abstractmethod
    def _ranks(self, n_items: int, n_rankings: int, rng: np.random.Generator) -> Ranks:
        """Draw the ranks of one profile, shape (n_rankings, n_items); the sizes are clean."""


def ranks_of_orders(orders: NDArray[np.integer[Any]]) -> Ranks:
    """Return the ranks of items that stand in rows, best first."""
    ranks = np.empty(orders.shape, dtype=np.int32)
    places = np.broadcast_to(np.arange(orders.shape[1], dtype=np.int32), orders.shape)
    np.put_along_axis(ranks, orders, places, axis=1)
    return ranks
