"""Corrupted scores: how many tasks a rule bears, and what rescaling one does."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from rankagg import _pandas as pd
from rankagg._typing import Floats
from rankagg._validation import check_flag, check_integer, check_number
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.aggregation.two_level import TwoLevel
from rankagg.core.items import counted
from rankagg.core.rankings.partial import Permutation
from rankagg.core.results import plain_rows
from rankagg.core.scores import ScoreTable
from rankagg.distances.kendall import kendall_distance
from rankagg.distributions.latent_scores import LatentScores, rescale_tasks
from rankagg.exceptions import RankaggError
from rankagg.studies.journal import FLAG, MISSING, NUMBER, TEXT, Kinds, Row
from rankagg.studies.study import (
    AnyCell,
    AnyResult,
    Cell,
    Study,
    StudyResult,
    consensus_of,
    dimension,
)

#: The rules of the paper, and the exact one on each of its two levels.
PAPER_RULES: tuple[Aggregator, ...] = (Mean(), Borda(), TwoLevel(Borda(), Borda()))
EXACT_RULES: tuple[Aggregator, ...] = (Kemeny(), TwoLevel(Borda(), Kemeny()))
#: The normalized distance beyond which the paper calls an order lost.
LOST = 0.75
# Beyond 1e9 nothing of the noise is left.
POSITIVE = MappingProxyType({"low": 0, "high": 1e9, "open_low": True})


@dataclass(frozen=True)
class Drawing(Cell):
    """Noise and a true order, the same whatever is corrupted afterwards."""

    n_systems: int
    n_tasks: int
    n_instances: int
    # How far apart neighbors of the true order are, in units of the noise's scale.
    step: float
    # Its number among its like.
    repetition: int

    def heights(self, seed: int) -> Floats:
        """Return for every system how many are not above it in the true order, 1 to N.

        Systems stand in random order, so that no rule gains from how it treats equals.
        """
        return self.generator(seed, "order").permutation(self.n_systems) + np.float64(1)

    def truth(self, seed: int) -> Permutation:
        """Return the true order."""
        return Permutation.from_order(np.argsort(-self.heights(seed)).tolist())

    def table(self, n_reversed: int, seed: int) -> ScoreTable:
        """Draw the scores; on the first tasks the true order is reversed."""
        heights = self.heights(seed)[:, None]
        is_reversed = np.arange(self.n_tasks) < n_reversed
        scores = LatentScores(np.where(is_reversed, -heights, self.step * heights))
        return scores.sample(self.n_tasks, self.n_instances, rng=self.generator(seed, "noise"))


class CorruptionResult(StudyResult):
    """How far from the true order rules ended in every cell of a study."""

    study: CorruptionStudy[Any, Any]

    _row = "row"
    _stated = MappingProxyType(
        {
            "time_limit": "study.time_limit",
            "systems": "study.n_systems",
            "tasks": "study.n_tasks",
            "instances": "study.n_instances",
            "cells": "n_cells",
            "failed": "n_failed",
            "unproved": "n_unproved",
        }
    )

    def to_frame(self, *, runtime: bool = True) -> pd.DataFrame:
        """Return one row per cell and rule.

        Parameters
        ----------
        runtime : bool, default True
            Whether to give the column that differs from run to run.

        Returns
        -------
        pandas.DataFrame
            The columns of the grid and repetition: the cell; method; distance: normalized Kendall
            distance to the true order, 0 to 1, a tied pair counting half; top1: whether the
            truly first system is first, 1/m where m systems share that place; unproved: whether a
            search for an exact optimum ended without proof; runtime in seconds; error: what a
            rule said that could not rank the data, whose numbers are then missing.
        """
        if check_flag(runtime, "runtime"):
            return self._frame.copy()
        return self._frame.drop(columns="runtime")

    def by_method(self) -> pd.DataFrame:
        """Return what the repetitions say of every rule at every point of the grid.

        Returns
        -------
        pandas.DataFrame
            Index: the columns of the grid, method. cells; failed: those that the rule could not
            rank; unproved: those without a proof that a rule searched for; mean_distance to the
            true order with its standard error se_distance, and quantiles distance_0.05,
            distance_0.5, distance_0.95 over the repetitions; top1: the share of repetitions with
            the truly first system first, with se_top1; median_runtime in seconds.
        """
        groups = self._groups("method")
        distance = groups["distance"]
        table = {
            "cells": groups.size(),
            "failed": distance.agg(lambda values: int(values.isna().sum())),
            "unproved": groups["unproved"].sum(),
            "mean_distance": distance.mean(),
            "se_distance": distance.sem(),
            **{f"distance_{q:g}": distance.quantile(q) for q in (0.05, 0.5, 0.95)},
            "top1": groups["top1"].mean(),
            "se_top1": groups["top1"].sem(),
            "median_runtime": groups["runtime"].median(),
        }
        return pd.DataFrame(table)

    @property
    def n_unproved(self) -> int:
        """How often a search for an exact optimum ended without proof."""
        return int(self._frame["unproved"].sum())

    @property
    def n_failed(self) -> int:
        """How often a rule could not rank a table."""
        return int(self._frame["distance"].isna().sum())

    def _results(self) -> pd.DataFrame:
        return super()._results().drop(columns="median_runtime")

    def _facts(self) -> Iterable[str]:
        study = self.study
        yield (
            f"{counted(len(study.aggregators), 'rule')} on {counted(self.n_cells, 'table')} of "
            f"{counted(study.n_systems, 'system')}, {counted(study.n_tasks, 'task')}, "
            f"{counted(study.n_instances, 'instance')}; seed {study.seed}"
        )
        yield from self.notes

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        failed = self._times("rules could not rank the data", self.n_failed)
        return (*failed, *self._times("an optimum was not proved", self.n_unproved))


@dataclass(frozen=True, kw_only=True)
class CorruptionStudy(Study[AnyCell, AnyResult]):
    """A grid of corrupted tables; a subclass says what is corrupted, and by how much.

    Its parameters are described where they are used.
    """

    aggregators: Sequence[Aggregator]
    steps: Sequence[float]
    n_systems: int = 20
    n_tasks: int = 20
    n_instances: int = 20
    n_repetitions: int = 100
    seed: int = 0
    time_limit: float | None = None
    _fields: ClassVar[Mapping[str, Kinds]] = {
        "method": TEXT,
        "distance": NUMBER + MISSING,
        "top1": NUMBER + MISSING,
        "unproved": FLAG,
        "runtime": NUMBER + MISSING,
        "error": TEXT + MISSING,
    }

    def __post_init__(self) -> None:
        for name, low in (("n_systems", 2), ("n_tasks", 1), ("n_instances", 1)):
            check_integer(getattr(self, name), f"{name} of {type(self).__name__}", low=low)
        super().__post_init__()

    @abstractmethod
    def _corrupted(self, cell: Any, drawing: Drawing) -> ScoreTable:
        """Return the corrupted scores."""

    @property
    def _sizes(self) -> tuple[int, int, int]:
        return int(self.n_systems), int(self.n_tasks), int(self.n_instances)

    def _told(self) -> dict[str, Any]:
        return {
            "rules": [repr(rule) for rule in self.aggregators],
            "sizes": self._sizes,
            "time_limit": self.time_limit,
        }

    def _try(self, cell: Any, prepared: None) -> list[Row]:
        """Draw the scores of a cell, and say of every rule whether it finds the true order."""
        drawing = Drawing(*self._sizes, cell.step, cell.repetition)
        evidence = Evidence(self._corrupted(cell, drawing))
        truth = drawing.truth(self.seed)
        return [self._row(rule, evidence, truth, cell) for rule in self.aggregators]

    def _row(self, rule: Aggregator, evidence: Evidence, truth: Permutation, cell: Cell) -> Row:
        rng = cell.generator(self.seed, repr(rule))
        row: Row = dict.fromkeys(self._fields) | {"method": rule.name, "unproved": False}
        result = consensus_of(rule, evidence, rng, Deadline.after(self.time_limit))
        if isinstance(result, RankaggError):
            return {**row, "error": str(result)}
        first = result.buckets[0]
        return {
            **row,
            # Both as if ties were broken at random.
            "distance": kendall_distance(truth, result.ranking, p=0.5, normalized=True),
            "top1": 1 / len(first) if truth.order[0] in first else 0.0,
            # A rule of two levels has no certificate, but says so too.
            "unproved": any("not proved" in note for note in result.notes),
            "runtime": result.runtime,
        }


class ManipulationResult(CorruptionResult):
    """How far from the true order rules end as more and more tasks are corrupted.

    Made by `ManipulationStudy.run`; `plot` draws a `rankagg.plotting.manipulation_plot`.

    Attributes
    ----------
    study : ManipulationStudy
        What was asked.
    """

    _schema = "rankagg.manipulation_result"
    _plot = "manipulation_plot"

    study: ManipulationStudy

    def breakdown(self, threshold: float = LOST) -> pd.DataFrame:
        """Return the breakdown points: the fewest corrupted tasks that make a rule wrong.

        Parameters
        ----------
        threshold : float, default 0.75
            A rule is wrong where its mean distance to the true order is greater, from 0 to below
            1. With 0.5 it is nearer to the opposite.

        Returns
        -------
        pandas.DataFrame
            One row per step and method. n_corrupted: the breakdown point, missing where no number
            of the study reaches it; mean_distance there, with its standard error se_distance.
        """
        check_number(threshold, "threshold", low=0, high=1, open_high=True)
        table = self.by_method().reset_index()
        beyond = table[table["mean_distance"] > threshold]
        keys = ["step", "method"]
        first = beyond.sort_values("n_corrupted", kind="stable").groupby(keys).head(1)
        all_keys = table[keys].drop_duplicates()
        columns = [*keys, "n_corrupted", "mean_distance", "se_distance"]
        points = all_keys.merge(first[columns], how="left", on=keys)
        return points.astype({"n_corrupted": "Int64"})

    def _table(self) -> pd.DataFrame:
        return self.breakdown()

    def _facts(self) -> Iterable[str]:
        yield from super()._facts()
        yield f"corrupted tasks from which the mean distance to the true order is above {LOST}:"

    def _content(self) -> dict[str, Any]:
        breakdown = plain_rows(self.breakdown())
        return super()._content() | {"threshold": LOST, "breakdown": breakdown}


@dataclass(frozen=True)
class ManipulationCell(Cell):
    """One table with corrupted tasks."""

    # How far apart the systems are.
    step: float = dimension(**POSITIVE)
    # On so many tasks the true order is reversed.
    n_corrupted: int = dimension(low=0)
    # Its number among its like.
    repetition: int = 0


@dataclass(frozen=True, kw_only=True)
class ManipulationStudy(CorruptionStudy[ManipulationCell, ManipulationResult]):
    """How many corrupted tasks rules bear.

    The score of the n-th of N systems on every instance of a task is `step` n plus Gumbel noise;
    on a corrupted task it is -n plus noise, so that the true order is reversed there. For each step
    and number of corrupted tasks `n_repetitions` tables are drawn, and every rule is held
    against the true order. Tables that differ in nothing but the number of corrupted tasks share
    their noise.

    Parameters
    ----------
    aggregators : sequence of Aggregator, optional
        The rules. By default the mean, Borda's rule on all instances (one level) and first within
        tasks (two levels), and in both of these places the exact Kemeny rule.
    steps : sequence of float, default (0.05, 0.1, 0.3)
        How far apart the systems are: positive, in units of the noise's scale.
    n_corrupted : sequence of int, optional
        Numbers of corrupted tasks; by default all from 0 to `n_tasks`.
    n_systems, n_tasks, n_instances : int, default 20
        The size of the tables; instances are those of each task.
    n_repetitions : int, default 100
        Tables for each combination.
    seed : int, default 0
        Of all random numbers.
    time_limit : float, optional
        Seconds for a rule that searches, on one table; none by default. What is not proved in time
        is counted.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, or two rules are alike.

    References
    ----------
    Colombo et al. (2022), section 4.2 and figure 3, https://doi.org/10.48550/arXiv.2202.03799.
    Their dispersion is the step.

    Examples
    --------
    >>> import rankagg as ra
    >>> study = ra.studies.ManipulationStudy(steps=[0.3], n_corrupted=[4, 8, 12], n_repetitions=2)
    >>> study.run().breakdown()[["method", "n_corrupted"]]
                         method  n_corrupted
    0                      Mean            8
    1                     Borda           12
    2    TwoLevel(Borda, Borda)           12
    3                    Kemeny           12
    4   TwoLevel(Borda, Kemeny)           12
    """

    _schema: ClassVar[str] = "rankagg.manipulation_study"
    _cell = ManipulationCell
    _found = ManipulationResult

    aggregators: Sequence[Aggregator] = PAPER_RULES + EXACT_RULES
    steps: Sequence[float] = (0.05, 0.1, 0.3)
    n_corrupted: Sequence[int] | None = None

    def __post_init__(self) -> None:
        if self.n_corrupted is None:
            most = check_integer(self.n_tasks, "n_tasks of ManipulationStudy", low=1)
            self._set("n_corrupted", range(most + 1))
        super().__post_init__()
        for number in self.n_corrupted or ():
            name = "n_corrupted of ManipulationStudy"
            check_integer(number, name, low=0, high=self.n_tasks)

    def _corrupted(self, cell: ManipulationCell, drawing: Drawing) -> ScoreTable:
        return drawing.table(cell.n_corrupted, self.seed)


class ScalingResult(CorruptionResult):
    """How far from the true order rules end when one task is rescaled.

    Made by `ScalingStudy.run`; `plot` draws a `rankagg.plotting.scaling_plot`.

    Attributes
    ----------
    study : ScalingStudy
        What was asked.
    """

    _schema = "rankagg.scaling_result"
    _plot = "scaling_plot"

    study: ScalingStudy

    def _table(self) -> pd.DataFrame:
        """Return the mean distances, a column for each factor."""
        means = self.by_method()["mean_distance"].unstack("factor", sort=False)
        return means.reset_index().rename_axis(columns=None)

    def _facts(self) -> Iterable[str]:
        yield from super()._facts()
        yield "mean distance to the true order, by the factor of one task:"


@dataclass(frozen=True)
class ScalingCell(Cell):
    """One table with a rescaled task."""

    # Whether the true order is reversed on that task.
    reversed: bool = dimension()
    # How far apart the systems are.
    step: float = dimension(**POSITIVE)
    # What the scores of that task are multiplied with.
    factor: float = dimension(**POSITIVE)
    # Its number among its like.
    repetition: int = 0


@dataclass(frozen=True, kw_only=True)
class ScalingStudy(CorruptionStudy[ScalingCell, ScalingResult]):
    """What becomes of rules when the scores of one task are multiplied.

    Scores are those of `ManipulationStudy`. Those of one task are multiplied with a factor: as
    they are, or after the true order was reversed on that task. A factor changes no
    ranking, so rules on rankings give the same whatever it is; in the mean the task gains weight.
    Tables that differ in nothing but the factor share their noise.

    Parameters
    ----------
    aggregators : sequence of Aggregator, optional
        The rules. By default the mean, and Borda's rule on all instances (one level) and first
        within tasks (two levels).
    steps : sequence of float, default (0.05, 0.1, 0.3)
        How far apart the systems are: positive, in units of the noise's scale.
    factors : sequence of float, default (1, 2, ..., 10)
        What the scores of the task are multiplied with; positive.
    reversed : sequence of bool, default (False, True)
        Whether the true order is reversed on that task.
    n_systems, n_tasks, n_instances : int, default 20
        The size of the tables; instances are those of each task.
    n_repetitions : int, default 100
        Tables for each combination.
    seed : int, default 0
        Of all random numbers.
    time_limit : float, optional
        Seconds for a rule that searches, on one table; none by default. What is not proved in time
        is counted.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, or two rules are alike.

    References
    ----------
    Colombo et al. (2022), section 4.3 and figure 7, https://doi.org/10.48550/arXiv.2202.03799.
    Their text has positive factors alone; their figure comes from a task that is reversed as well.

    Examples
    --------
    >>> import rankagg as ra
    >>> study = ra.studies.ScalingStudy(steps=[0.05], factors=[1, 2, 10], n_repetitions=3)
    >>> print(study.run().summary())
    3 rules on 18 tables of 20 systems, 20 tasks, 20 instances; seed 0
    mean distance to the true order, by the factor of one task:
     reversed  step                 method   1.0   2.0  10.0
        False 0.050                   Mean 0.058 0.063 0.086
        False 0.050                  Borda 0.056 0.056 0.056
        False 0.050 TwoLevel(Borda, Borda) 0.060 0.060 0.060
         True 0.050                   Mean 0.519 0.947 0.996
         True 0.050                  Borda 0.068 0.068 0.068
         True 0.050 TwoLevel(Borda, Borda) 0.054 0.054 0.054
    """

    _schema: ClassVar[str] = "rankagg.scaling_study"
    _cell = ScalingCell
    _found = ScalingResult

    aggregators: Sequence[Aggregator] = PAPER_RULES
    steps: Sequence[float] = (0.05, 0.1, 0.3)
    factors: Sequence[float] = tuple(range(1, 11))
    reversed: Sequence[bool] = (False, True)

    def _corrupted(self, cell: ScalingCell, drawing: Drawing) -> ScoreTable:
        drawn = drawing.table(int(cell.reversed), self.seed)
        return rescale_tasks(drawn, {drawn.tasks[0]: cell.factor})
