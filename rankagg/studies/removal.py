"""Mechanisms of missing scores, for tables and studies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rankagg._typing import Bools, Floats, Generator, Positions, RNGLike
from rankagg._validation import as_generator, check_entries, check_flag, check_integer, check_number
from rankagg.core import ScoreTable, counted
from rankagg.cultures import Named, checked
from rankagg.exceptions import InvalidInputError
from rankagg.studies.measures import Cell


def n_removed(n_items: int, share: float) -> int:
    """Return the number of items that every ranking loses."""
    return int(np.floor(share * n_items + 0.5))


@dataclass(frozen=True, kw_only=True)
class ScoreRemoval(Named, ABC):
    """A mechanism of missing scores, given by the odds of each entry of a table to go missing.

    An entry consists of all scores of a system on a task, or of a single score. The requested
    number of entries is removed one by one, each with a probability in proportion to its odds among
    the remaining ones. A new mechanism is a frozen dataclass that implements `_log_odds`. Its repr
    seeds the random numbers, so its fields must contain all that it depends on.

    Notes
    -----
    This is equivalent to taking the entries with the largest log odds plus Gumbel noise. If all log
    odds are equal, a set of entries is drawn uniformly.

    References
    ----------
    Efraimidis and Spirakis (2006), https://doi.org/10.1016/j.ipl.2005.11.003, draw so by a random
    key for each entry; Rubin (1976), https://doi.org/10.1093/biomet/63.3.581, says what missing at
    random is.
    """

    @abstractmethod
    def _log_odds(self, scores: pd.DataFrame, rng: Generator) -> ArrayLike:
        """Return the log odds of entries to be removed, up to a common constant.

        Scores are those of systems (rows) on tasks, or on instances with their task as a label
        (columns). Higher is better; NaN is missing. The result has that shape, or one that NumPy
        broadcasts to it: inf is removed before all others, -inf never.
        """

    def remove(
        self, table: ScoreTable, proportion: float, *, whole_tasks: bool = True, rng: RNGLike = None
    ) -> ScoreTable:
        """Return the table without a proportion of its entries.

        Parameters
        ----------
        table : ScoreTable
            The table. Entries that are missing from the start do not count.
        proportion : float
            Proportion of the entries, rounded to whole ones, in [0, 1).
        whole_tasks : bool, default True
            An entry consists of all scores of a system on a task; else it is a single score.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator.

        Returns
        -------
        ScoreTable
            The table with all systems. Tasks without any score left are left out.
        """
        share = check_number(proportion, "proportion", low=0, high=1, open_high=True)
        whole = check_flag(whole_tasks, "whole_tasks")
        scores, generator = _scores_of(table, whole), as_generator(rng)
        there = np.flatnonzero(~np.isnan(scores.to_numpy()))
        lost = n_removed(len(there), share)
        log_odds = np.asarray(self._log_odds(scores, generator), dtype=np.float64)
        odds = np.broadcast_to(log_odds, scores.shape).flat[there]
        check_entries(odds, ~np.isnan(odds), f"log odds of {type(self).__name__}", "no NaN")
        may = min(int((odds > -np.inf).sum()), len(there) - 1)
        if lost > may:
            allowed = f"one that leaves some of {counted(len(there), 'entry')}; {may} may go"
            raise InvalidInputError("proportion", allowed, proportion)
        gone = np.zeros(scores.shape, dtype=np.bool_)
        gone.flat[there[_drawn(odds, lost, generator)]] = True
        return _without_scores(table, gone[:, table.unit_tasks] if whole else gone)


def _scores_of(table: ScoreTable, whole_tasks: bool) -> pd.DataFrame:
    """Return the systems' scores of tasks, or their single scores; higher is better."""
    values = table.task_scores(signed=True) if whole_tasks else table.values * table.signs
    labels = table.tasks if whole_tasks else table.tasks.at(table.unit_tasks)
    systems, columns = (pd.Index(list(names), dtype=object) for names in (table.systems, labels))
    return pd.DataFrame(values, systems, columns)


def _drawn(odds: Floats, number: int, rng: Generator) -> Positions:
    """Draw positions without replacement, in proportion to the odds of the remaining ones."""
    if (odds == odds[0]).all():
        return rng.choice(len(odds), number, replace=False)
    noise = rng.gumbel(size=len(odds))
    # Only the noise decides between infinite odds.
    return np.lexsort((noise, odds + noise))[len(odds) - number :]


def _without_scores(table: ScoreTable, gone: Bools) -> ScoreTable:
    """Return a table without some single scores, and without tasks that have none left."""
    left = np.where(gone, np.nan, table.values)
    scored = np.bincount(table.unit_tasks, ~np.isnan(left).all(axis=0)) > 0
    kept = table if scored.all() else table.drop(tasks=table.tasks.where(~scored))
    return kept.with_values(left[:, scored[table.unit_tasks]])


class RandomRemoval(ScoreRemoval):
    """Removal completely at random: all entries have equal odds.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.datasets.load("superglue_human")
    >>> ra.studies.RandomRemoval().remove(table, 0.2, rng=0)
    <ScoreTable of 6 systems x 10 tasks, 12 of 60 scores missing>
    """

    _kind = "completely at random"
    _identity = "AtRandom"

    def _log_odds(self, scores: pd.DataFrame, rng: Generator) -> ArrayLike:
        """Return 0."""
        return 0.0


#: The default mechanism of studies, and the check of their cells.
RANDOM_REMOVAL = RandomRemoval()
MECHANISM: Any = {"default": RANDOM_REMOVAL, "kind": ScoreRemoval, "example": "`RandomRemoval()`"}


class GapCell(Cell):
    """A table that loses scores by a mechanism, the last dimension of the cell."""

    removal: ScoreRemoval

    @property
    def key(self) -> tuple[Any, ...]:
        """Key of the cell, without the default mechanism, as in journals without a choice."""
        model, *rest, removal, repetition = super().key
        name = model if self.removal == RANDOM_REMOVAL else f"{model}, {removal}"
        return (name, *rest, repetition)


@dataclass(frozen=True, kw_only=True)
class _Drawn(ScoreRemoval):
    """A mechanism with random log odds for every system or task."""

    spread: float = checked(check_number, default=1.0, low=0)

    def _each(self, labels: pd.Index[Any], rng: Generator) -> Floats:
        """Return a normal number for each distinct label."""
        numbers, names = pd.factorize(labels)
        return np.asarray(rng.normal(0.0, self.spread, len(names))[numbers])


class RemovalBySystem(_Drawn):
    """Removal at random given the system: some systems lack more scores than others.

    For every table the log odds of each system are drawn from a normal distribution.

    Parameters
    ----------
    spread : float, default 1
        Standard deviation of the log odds, at least 0.
    """

    _kind = "by system"
    _identity = "BySystem"

    def _log_odds(self, scores: pd.DataFrame, rng: Generator) -> ArrayLike:
        """Return a normal number for each system."""
        return self._each(scores.index, rng)[:, None]


class RemovalByTask(_Drawn):
    """Removal at random given the task: some tasks lack more scores than others.

    For every table the log odds of each task are drawn from a normal distribution.

    Parameters
    ----------
    spread : float, default 1
        Standard deviation of the log odds, at least 0.
    """

    _kind = "by task"
    _identity = "ByTask"

    def _log_odds(self, scores: pd.DataFrame, rng: Generator) -> ArrayLike:
        """Return a normal number for each task."""
        return self._each(scores.columns, rng)


@dataclass(frozen=True, kw_only=True)
class _Graded(ScoreRemoval):
    """A mechanism whose log odds grow by `strength` from one extreme to the other."""

    strength: float = checked(check_number, default=2.0)


class RemovalByScore(_Graded):
    """Removal not at random: scores that are low for their task go first.

    The log odds grow from the best score of a task to its worst with the share of the others that
    are better, so that the scale does not matter.

    Parameters
    ----------
    strength : float, default 2
        The log odds of the worst against the best. If it is negative, high scores go first.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.ScoreTable([[4, 7], [3, 8], [2, 9]], systems="ABC", higher_is_better=True)
    >>> ra.studies.RemovalByScore(strength=100).remove(table, 0.3, rng=0).values.tolist()
    [[4.0, nan], [3.0, 8.0], [nan, 9.0]]
    """

    _kind = "low scores first"
    _identity = "ByScore"

    def _log_odds(self, scores: pd.DataFrame, rng: Generator) -> ArrayLike:
        """Return the strength times the share of the others of the task that are better."""
        better = (scores.rank(ascending=False) - 1) / np.maximum(scores.count() - 1, 1)
        return np.asarray(self.strength * better)


class RemovalByAge(_Graded):
    """Removal by age: older systems lack newer tasks.

    Age is the order of the table: the first system and the first task are the oldest, the last
    are the newest. The log odds grow with the difference in age.

    Parameters
    ----------
    strength : float, default 2
        The log odds of the newest task against the oldest, and of the oldest system against the
        newest. If it is negative, newer systems lack older tasks.
    """

    _kind = "by age"
    _identity = "ByAge"

    def _log_odds(self, scores: pd.DataFrame, rng: Generator) -> ArrayLike:
        """Return the strength times the difference in age between system and task."""
        axes = map(pd.factorize, scores.axes)
        systems, tasks = (np.linspace(0.0, 1.0, len(labels))[numbers] for numbers, labels in axes)
        return self.strength * (tasks - systems[:, None])


@dataclass(frozen=True, kw_only=True)
class RemovalOfBlocks(ScoreRemoval):
    """Removal of blocks of systems and tasks, as if a team skipped a suite of tasks.

    For every table systems and tasks are grouped at random. Blocks of one group of each are removed
    in random order, the last of them in part.

    Parameters
    ----------
    n_systems, n_tasks : int, default 2
        The numbers of systems and tasks in a block, at least 1. The remainder is a smaller group.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.ScoreTable([[4, 7, 1], [3, 8, 2]], systems="AB", higher_is_better=True)
    >>> ra.studies.RemovalOfBlocks(n_systems=1, n_tasks=3).remove(table, 0.5, rng=0).values.tolist()
    [[nan, nan, nan], [3.0, 8.0, 2.0]]
    """

    _kind = "in blocks"
    _identity = "Blocks"
    n_systems: int = checked(check_integer, default=2, low=1)
    n_tasks: int = checked(check_integer, default=2, low=1)

    def _log_odds(self, scores: pd.DataFrame, rng: Generator) -> ArrayLike:
        """Return log odds that are far apart for different blocks."""
        axes = map(pd.factorize, scores.axes)
        systems, tasks = (rng.permutation(len(labels))[numbers] for numbers, labels in axes)
        blocks = systems[:, None] // self.n_systems * scores.shape[1] + tasks // self.n_tasks
        # The noise is much smaller.
        return np.asarray(1000.0 * rng.permutation(scores.size)[blocks])
