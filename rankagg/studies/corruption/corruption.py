"""Scores of systems whose true order is known, some tasks corrupted: which rules find it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import pandas as pd

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
from rankagg.core.results.result import plain_rows
from rankagg.core.scores.table import ScoreTable
from rankagg.distances.kendall import kendall_distance
from rankagg.distributions.latent_scores import LatentScores
from rankagg.exceptions import RankaggError
from rankagg.studies.cell_result import CellResult
from rankagg.studies.checks import check_rules, several
from rankagg.studies.journal import FLAG, MISSING, NUMBER, TEXT, Kinds, Layout, Row
from rankagg.studies.study import Cell, Study

__all__ = ["EXACT", "PRINTED", "CorruptedCell", "CorruptionResult", "CorruptionStudy", "Drawing"]

#: The rules of the paper, and the exact one on each of its two levels.
PRINTED: tuple[Aggregator, ...] = (Mean(), Borda(), TwoLevel(Borda(), Borda()))
EXACT: tuple[Aggregator, ...] = (Kemeny(), TwoLevel(Borda(), Kemeny()))
#: Of the distances of repetitions.
QUANTILES = (0.05, 0.5, 0.95)
# Steps and factors beyond it leave nothing of the noise.
LARGEST = 1e9
FIELDS: dict[str, Kinds] = {
    "method": TEXT,
    "distance": NUMBER + MISSING,
    "top1": NUMBER + MISSING,
    "unproved": FLAG,
    "runtime": NUMBER + MISSING,
    "error": TEXT + MISSING,
}


@dataclass(frozen=True)
class Drawing(Cell):
    """Noise and a true order, the same whatever is corrupted afterwards.

    Attributes
    ----------
    n_systems, n_tasks, n_instances : int
        The size.
    step : float
        How far apart neighbors of the true order are, in units of the noise's scale.
    repetition : int
        Its number among its like.
    """

    n_systems: int
    n_tasks: int
    n_instances: int
    step: float
    repetition: int

    @property
    def key(self) -> tuple[int, int, int, float, int]:
        """What tells it apart, as plain data."""
        return self.n_systems, self.n_tasks, self.n_instances, self.step, self.repetition

    def heights(self, seed: int) -> Floats:
        """Return for every system how many are not above it in the true order, 1 to N.

        Systems stand in random order, so that no rule gains from how it treats equals.
        """
        return self.generator(seed, "order").permutation(self.n_systems) + np.float64(1)

    def truth(self, seed: int) -> Permutation:
        """Return the true order."""
        return Permutation.from_order(np.argsort(-self.heights(seed)).tolist())

    def table(self, n_reversed: int, seed: int) -> ScoreTable:
        """Draw the scores; on the first tasks the true order is reversed.

        Parameters
        ----------
        n_reversed : int
            On so many tasks locations are minus the heights, whatever the step.
        seed : int
            Of all random numbers.

        Returns
        -------
        ScoreTable
        """
        heights = self.heights(seed)[:, None]
        is_reversed = np.arange(self.n_tasks) < n_reversed
        scores = LatentScores(np.where(is_reversed, -heights, self.step * heights))
        return scores.sample(self.n_tasks, self.n_instances, rng=self.generator(seed, "noise"))


class CorruptedCell(Cell):
    """One table of a study, and what is corrupted in it. A subclass is a frozen dataclass."""

    step: float
    repetition: int

    @abstractmethod
    def table(self, drawing: Drawing, seed: int) -> ScoreTable:
        """Return the corrupted scores."""


AnyCell = TypeVar("AnyCell", bound=CorruptedCell)
AnyResult = TypeVar("AnyResult", bound="CorruptionResult")


@dataclass(frozen=True)
class AgainstTruth(Generic[AnyCell]):
    """What is tried on every cell: whether each rule finds the true order.

    Attributes
    ----------
    rules : tuple of Aggregator
        The rules.
    sizes : tuple of int
        Numbers of systems, tasks and instances.
    time_limit : float or None
        Seconds for a rule that searches.
    seed : int
        Of all random numbers.
    """

    rules: tuple[Aggregator, ...]
    sizes: tuple[int, int, int]
    time_limit: float | None
    seed: int

    def run(self, cell: AnyCell) -> list[Row]:
        """Draw the scores of a cell and aggregate them with every rule.

        Raises
        ------
        KeyboardInterrupt
            If the user stopped a search, which by itself would return what it has.
        """
        drawing = Drawing(*self.sizes, cell.step, cell.repetition)
        evidence = Evidence(cell.table(drawing, self.seed))
        truth = drawing.truth(self.seed)
        return [self._row(rule, evidence, truth, cell) for rule in self.rules]

    def _row(self, rule: Aggregator, evidence: Evidence, truth: Permutation, cell: AnyCell) -> Row:
        rng = cell.generator(self.seed, repr(rule))
        row: Row = dict.fromkeys(FIELDS) | {"method": rule.name, "unproved": False}
        try:
            result = rule.aggregate(evidence, rng=rng, deadline=Deadline.after(self.time_limit))
        except RankaggError as error:
            return {**row, "error": str(error)}
        if result.interrupted:
            raise KeyboardInterrupt
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


@dataclass(frozen=True, kw_only=True)
class CorruptionStudy(Study[AnyCell, AnyResult]):
    """A grid of corrupted tables; a subclass says what is corrupted, and by how much.

    Its parameters are described where they are used.
    """

    #: The name of its journals.
    _schema: ClassVar[str]

    aggregators: Sequence[Aggregator]
    steps: Sequence[float]
    n_systems: int = 20
    n_tasks: int = 20
    n_instances: int = 20
    n_repetitions: int = 100
    seed: int = 0
    time_limit: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        owner = f"of {type(self).__name__}"
        rules = several(self.aggregators, f"aggregators {owner}")
        check_rules(rules)
        object.__setattr__(self, "aggregators", rules)
        self._set_numbers("steps")
        check_integer(self.n_systems, f"n_systems {owner}", low=2)
        for name in ("n_tasks", "n_instances", "n_repetitions"):
            check_integer(getattr(self, name), f"{name} {owner}", low=1)
        if self.time_limit is not None:
            check_number(self.time_limit, f"time_limit {owner}", low=0)

    def _set_numbers(self, name: str) -> None:
        """Make several different positive numbers of what was given."""
        parameter = f"{name} of {type(self).__name__}"
        numbers = tuple(
            check_number(value, parameter, low=0, high=LARGEST, open_low=True)
            for value in several(getattr(self, name), parameter)
        )
        object.__setattr__(self, name, several(numbers, parameter))

    @property
    def _sizes(self) -> tuple[int, int, int]:
        return int(self.n_systems), int(self.n_tasks), int(self.n_instances)

    def _trial(self) -> AgainstTruth[AnyCell]:
        return AgainstTruth(
            rules=tuple(self.aggregators),
            sizes=self._sizes,
            time_limit=self.time_limit,
            seed=self.seed,
        )

    def _layout_of(self, *cell: Kinds) -> Layout:
        """Return what a journal holds, given the kinds of the values of a key."""
        trial = {
            "rules": [repr(rule) for rule in self.aggregators],
            "sizes": self._sizes,
            "time_limit": self.time_limit,
            "seed": self.seed,
        }
        return Layout(
            schema=self._schema,
            trial=trial,
            cell=cell,
            fields=FIELDS,
            label="method",
            labels=tuple(rule.name for rule in self.aggregators),
        )


class CorruptionResult(CellResult):
    """How far from the true order rules ended in every cell of a study.

    Attributes
    ----------
    study : CorruptionStudy
        What was asked.
    """

    #: What the values of a key are, without the repetition.
    _grid: ClassVar[list[str]]

    study: CorruptionStudy[Any, Any]

    _row = "row"

    @cached_property
    def _frame(self) -> pd.DataFrame:
        frame = self._table_of([*self._grid, "repetition"])
        numbers = ["distance", "top1", "runtime"]
        frame[numbers] = frame[numbers].astype(np.float64)
        return frame

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
        groups = self._frame.groupby([*self._grid, "method"], sort=False)
        distance = groups["distance"]
        table = {
            "cells": groups.size(),
            "failed": distance.agg(lambda values: int(values.isna().sum())),
            "unproved": groups["unproved"].sum(),
            "mean_distance": distance.mean(),
            "se_distance": distance.sem(),
            **{f"distance_{q:g}": distance.quantile(q) for q in QUANTILES},
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

    def _content(self) -> dict[str, Any]:
        study = self.study
        results = self.by_method().drop(columns="median_runtime").reset_index()
        return {
            "seed": study.seed,
            "time_limit": study.time_limit,
            "systems": study.n_systems,
            "tasks": study.n_tasks,
            "instances": study.n_instances,
            "cells": self.n_cells,
            "failed": self.n_failed,
            "unproved": self.n_unproved,
            "results": plain_rows(results),
        }

    def _facts(self) -> Iterable[str]:
        study = self.study
        yield (
            f"{counted(len(study.aggregators), 'rule')} on {counted(self.n_cells, 'table')} of "
            f"{counted(study.n_systems, 'system')}, {counted(study.n_tasks, 'task')}, "
            f"{counted(study.n_instances, 'instance')}; seed {study.seed}"
        )
        yield from self._warnings()

    def _warnings(self) -> list[str]:
        """Return sentences about what is not known."""
        found = []
        if self.n_failed:
            found.append(f"rules could not rank the data {counted(self.n_failed, 'time')}")
        if self.n_unproved:
            found.append(f"an optimum was not proved {counted(self.n_unproved, 'time')}")
        return found
