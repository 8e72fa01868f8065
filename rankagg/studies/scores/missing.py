"""Taking entries out of scores and rankings, at random."""

from __future__ import annotations

import numpy as np

from rankagg._typing import Bools
from rankagg.core.profiles.profile import Profile
from rankagg.core.scores.table import ScoreTable

__all__ = ["entries_of", "n_removed", "without_entries", "without_proportion"]


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


def entries_of(table: ScoreTable, *, whole_tasks: bool) -> Bools:
    """Mark what may be removed: the systems' tasks with a score, or their single scores."""
    if not whole_tasks:
        return ~table.missing
    present = np.zeros((table.n_tasks, table.n_systems), dtype=np.bool_)
    np.logical_or.at(present, table.unit_tasks, ~table.missing.T)
    return present.T


def without_proportion(
    table: ScoreTable, proportion: float, *, whole_tasks: bool, rng: np.random.Generator
) -> ScoreTable:
    """Return a table that has lost a proportion of all its entries at random.

    Tasks that keep no score are left out; some must keep one.
    """
    present = entries_of(table, whole_tasks=whole_tasks)
    places = np.flatnonzero(present)
    lost = n_removed(len(places), proportion)
    if lost == 0:
        return table
    gone = np.zeros(present.shape, dtype=np.bool_)
    gone.flat[rng.choice(places, lost, replace=False)] = True
    values = np.where(gone[:, table.unit_tasks] if whole_tasks else gone, np.nan, table.values)
    scored = np.zeros(table.n_tasks, dtype=np.bool_)
    scored[table.unit_tasks[~np.isnan(values).all(axis=0)]] = True
    units = np.flatnonzero(scored[table.unit_tasks])
    kept = table.tasks.where(scored)
    return ScoreTable(
        values[:, units],
        systems=table.systems,
        tasks=[table.tasks[t] for t in table.unit_tasks[units].tolist()],
        instances=None if table.instances is None else [table.instances[u] for u in units],
        higher_is_better={task: table.higher_is_better[task] for task in kept},
        task_weights={task: table.task_weights[task] for task in kept},
    )
