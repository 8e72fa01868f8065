"""Taking entries out of drawn data, the same number from every ranking or task."""

from __future__ import annotations

import numpy as np

from rankagg._typing import Bools
from rankagg.core.profile import Profile
from rankagg.core.scores import ScoreTable

__all__ = ["n_removed", "without_entries"]


def n_removed(n_items: int, share: float) -> int:
    """Return how many of the items every ranking loses."""
    return int(np.floor(share * n_items + 0.5))


def without_entries(
    data: ScoreTable | Profile, share: float, rng: np.random.Generator
) -> ScoreTable | Profile:
    """Return the data where each ranking, or task, has lost a share of its items at random."""
    n_items = data.n_systems if isinstance(data, ScoreTable) else data.n_items
    lost = n_removed(n_items, share)
    if lost == 0:
        return data
    if isinstance(data, ScoreTable):
        gone = _drawn(data.n_tasks, n_items, lost, rng)
        return data._with(values=np.where(gone.T[:, data.unit_tasks], np.nan, data.values))
    gone = _drawn(len(data), n_items, lost, rng)
    return Profile.from_ranks(
        np.where(gone | (data.ranks < 0), np.nan, data.ranks),
        items=data.items,
        counts=data.counts,
        weights=data.weights,
        groups=data.groups,
    )


def _drawn(rows: int, columns: int, number: int, rng: np.random.Generator) -> Bools:
    """Mark `number` random columns in every row."""
    chosen: Bools = np.argsort(np.argsort(rng.random((rows, columns)), axis=1), axis=1) < number
    return chosen
