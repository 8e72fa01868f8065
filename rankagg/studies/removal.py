"""Mechanisms of missing scores, to be applied to tables or in a study."""

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
    """Return how many of the items every ranking loses."""
    return int(np.floor(share * n_items + 0.5))


@dataclass(frozen=True, kw_only=True)
class ScoreRemoval(Named, ABC):
    """A mechanism of missing scores: how readily each entry of a table goes, against the others.

    An entry is what a system scored on a task, or a single score. As many go as are asked for, one
    after another, each next one with a chance in proportion to the odds of those that are left. A
    new mechanism is a frozen dataclass that implements `_log_odds`. What it says of itself decides
    random numbers, so its fields must tell all that it depends on.

    Notes
    -----
    The entries with the largest log odds plus Gumbel noise are drawn so. Where all log odds are
    equal, a set of entries is drawn uniformly.

    References
    ----------
    Efraimidis and Spirakis (2006), https://doi.org/10.1016/j.ipl.2005.11.003, draw so by a random
    key for each entry; Rubin (1976), https://doi.org/10.1093/biomet/63.3.581, says what missing at
    random is.
    """

    @abstractmethod
    def _log_odds(self, scores: pd.DataFrame, rng: Generator) -> ArrayLike:
        """Return how readily entries go: the logarithms of their odds, up to a common number.

        Scores are those of systems (rows) on tasks, or on instances with their task as a label
        (columns). Higher is better; NaN where there is none. What is returned has that shape, or
        one that NumPy broadcasts to it: inf for before all others, -inf for never.
        """

    def remove(
        self, table: ScoreTable, proportion: float, *, whole_tasks: bool = True, rng: RNGLike = None
    ) -> ScoreTable:
        """Return the table without a proportion of its entries.

        Parameters
        ----------
        table : ScoreTable
            The table. What is missing from the start does not count.
        proportion : float
            Of the entries, rounded to whole ones, in [0, 1).
        whole_tasks : bool, default True
            An entry is all that a system scored on a task; else it is a single score.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator.

        Returns
        -------
        ScoreTable
            With all systems. Tasks that keep no score are left out.
        """
        share = check_number(proportion, "proportion", low=0, high=1, open_high=True)
        whole = check_flag(whole_tasks, "whole_tasks")
        scores, generator = _scores_of(table, whole), as_generator(rng)
        there = np.flatnonzero(~np.isnan(scores.to_numpy()))
        lost = n_removed(len(there), share)
        told = np.asarray(self._log_odds(scores, generator), dtype=np.float64)
        odds = np.broadcast_to(told, scores.shape).flat[there]
        check_entries(odds, ~np.isnan(odds), f"log odds of {type(self).__name__}", "no NaN")
        may = min(int((odds > -np.inf).sum()), len(there) - 1)
        if lost > may:
            allowed = f"one that leaves some of {counted(len(there), 'entry')}; {may} may go"
            raise InvalidInputError("proportion", allowed, proportion)
        gone = np.zeros(scores.shape, dtype=np.bool_)
        gone.flat[there[_drawn(odds, lost, generator)]] = True
        return _without_scores(table, gone[:, table.unit_tasks] if whole else gone)


def _scores_of(table: ScoreTable, whole_tasks: bool) -> pd.DataFrame:
    """Return what the systems scored on tasks, or their single scores; higher is better."""
    values = table.task_scores(signed=True) if whole_tasks else table.values * table.signs
    labels = table.tasks if whole_tasks else table.tasks.at(table.unit_tasks)
    systems, columns = (pd.Index(list(of), dtype=object) for of in (table.systems, labels))
    return pd.DataFrame(values, systems, columns)


def _drawn(odds: Floats, number: int, rng: Generator) -> Positions:
    """Draw positions without replacement, each next one in proportion to the odds of the rest."""
    if (odds == odds[0]).all():
        return rng.choice(len(odds), number, replace=False)
    noise = rng.gumbel(size=len(odds))
    # The noise alone decides between infinite odds.
    return np.lexsort((noise, odds + noise))[len(odds) - number :]


def _without_scores(table: ScoreTable, gone: Bools) -> ScoreTable:
    """Return a table without some of its single scores, and without tasks that keep none."""
    left = np.where(gone, np.nan, table.values)
    scored = np.bincount(table.unit_tasks, ~np.isnan(left).all(axis=0)) > 0
    kept = table if scored.all() else table.drop(tasks=table.tasks.where(~scored))
    return kept.with_values(left[:, scored[table.unit_tasks]])


class RandomRemoval(ScoreRemoval):
    """Scores go missing completely at random: any entry as readily as any other.

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


#: The usual mechanism of studies, and what their cells check.
RANDOM_REMOVAL = RandomRemoval()
MECHANISM: Any = {"default": RANDOM_REMOVAL, "kind": ScoreRemoval, "example": "`RandomRemoval()`"}


class GapCell(Cell):
    """A table that loses scores by a mechanism, the last of its dimensions."""

    removal: ScoreRemoval

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells it apart; completely at random is not told, as before there was a choice."""
        model, *rest, removal, repetition = super().key
        told = model if self.removal == RANDOM_REMOVAL else f"{model}, {removal}"
        return (told, *rest, repetition)


@dataclass(frozen=True, kw_only=True)
class _Drawn(ScoreRemoval):
    """Log odds that are drawn for every system, or task."""

    spread: float = checked(check_number, default=1.0, low=0)

    def _each(self, labels: pd.Index[Any], rng: Generator) -> Floats:
        """Return a normal number for each label, the same wherever that stands."""
        numbers, names = pd.factorize(labels)
        return np.asarray(rng.normal(0.0, self.spread, len(names))[numbers])


class RemovalBySystem(_Drawn):
    """Scores go missing at random given the system: some systems lack more than others.

    For every table the log odds of each system are drawn from a normal distribution.

    Parameters
    ----------
    spread : float, default 1
        Its standard deviation, at least 0.
    """

    _kind = "by system"
    _identity = "BySystem"

    def _log_odds(self, scores: pd.DataFrame, rng: Generator) -> ArrayLike:
        """Return a normal number for each system."""
        return self._each(scores.index, rng)[:, None]


class RemovalByTask(_Drawn):
    """Scores go missing at random given the task: some tasks lack more than others.

    For every table the log odds of each task are drawn from a normal distribution.

    Parameters
    ----------
    spread : float, default 1
        Its standard deviation, at least 0.
    """

    _kind = "by task"
    _identity = "ByTask"

    def _log_odds(self, scores: pd.DataFrame, rng: Generator) -> ArrayLike:
        """Return a normal number for each task."""
        return self._each(scores.columns, rng)


@dataclass(frozen=True, kw_only=True)
class _Graded(ScoreRemoval):
    """Log odds that grow with something, from one end to the other by so much."""

    strength: float = checked(check_number, default=2.0)


class RemovalByScore(_Graded):
    """Scores go missing not at random: those that are low, held against the others of the task.

    The log odds grow from the best score of a task to its worst with the share of the others that
    are better, so that no scale matters.

    Parameters
    ----------
    strength : float, default 2
        The log odds of the worst against the best. Where it is negative, high scores go.

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
    """Older systems lack newer tasks: the log odds grow with the age of either against the other.

    Age is the order of the table: the first system and the first task are the oldest, the last
    are the newest.

    Parameters
    ----------
    strength : float, default 2
        The log odds of the newest task against the oldest, and of the oldest system against the
        newest. Where it is negative, newer systems lack older tasks.
    """

    _kind = "by age"
    _identity = "ByAge"

    def _log_odds(self, scores: pd.DataFrame, rng: Generator) -> ArrayLike:
        """Return the strength times how much newer a task is than a system."""
        axes = map(pd.factorize, scores.axes)
        systems, tasks = (np.linspace(0.0, 1.0, len(labels))[numbers] for numbers, labels in axes)
        return self.strength * (tasks - systems[:, None])


@dataclass(frozen=True, kw_only=True)
class RemovalOfBlocks(ScoreRemoval):
    """Rectangles of systems and tasks go missing together, as where a group skips a suite.

    For every table systems and tasks are put into groups at random, and blocks of a group of each
    go one after another in random order, the last of them in part.

    Parameters
    ----------
    n_systems, n_tasks : int, default 2
        How many of each a block has, at least 1. What remains is a smaller group.

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
        """Return numbers that are far apart for different blocks."""
        axes = map(pd.factorize, scores.axes)
        systems, tasks = (rng.permutation(len(labels))[numbers] for numbers, labels in axes)
        blocks = systems[:, None] // self.n_systems * scores.shape[1] + tasks // self.n_tasks
        # No noise comes near to that.
        return np.asarray(1000.0 * rng.permutation(scores.size)[blocks])
