"""Corrupted scores: how far rules are led astray, and how many corrupted tasks they bear."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from types import MappingProxyType
from typing import Any, ClassVar, cast

import numpy as np
import pandas as pd

from rankagg._typing import Generator, RNGLike
from rankagg._validation import check_integer, check_kind, check_number
from rankagg.aggregation import Aggregator, Borda, Consensus, Deadline, Evidence, Mean
from rankagg.aggregation.two_level import TwoLevel
from rankagg.core import PartialRanking, ScoreTable, counted, plain_rows
from rankagg.cultures import DataSource, checked
from rankagg.distances import kendall_distance
from rankagg.exceptions import RankaggError
from rankagg.studies.corruptions import Corruption, ReversedScores
from rankagg.studies.sources import gap_notes, tables_of
from rankagg.studies.study import Cell, Curve, Fields, Row, Study, StudyResult, finished

#: The normalized distance beyond which Colombo et al. (2022) call an order lost.
LOST = 0.75
# A table has so many numbers of corrupted tasks at most.
MOST_COLUMNS = 7


class CorruptionResult(StudyResult):
    """How far rules are led astray by corrupted tasks.

    Made by `CorruptionStudy.run`; `plot` draws a `rankagg.plotting.study_plot`.

    Attributes
    ----------
    study : CorruptionStudy
        The study.
    """

    study: CorruptionStudy

    _schema = "rankagg.corruption_result"
    _row = "row"
    _curves = MappingProxyType(
        {
            "mean_distance": Curve(
                "normalized Kendall distance",
                "distance_0.05",
                "distance_0.95",
                band="5 % to 95 % of tables",
                dotted="threshold",
                dotted_is=f"{LOST:g}, beyond which a rule has broken down",
            ),
            "top1": Curve("chance of the same first system", deviation="se_top1"),
        }
    )
    _stated = MappingProxyType(
        {"cells": "n_cells", "failed": "n_failed", "unproved": "n_unproved"}
        | {"distance_to": "distance_to", "time_limit": "study.time_limit"}
    )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per table and rule.

        Returns
        -------
        pandas.DataFrame
            model, corruption, n_corrupted, repetition: the table; method; distance: normalized
            Kendall distance to the true order, or where none is known to what the rule says of the
            same scores before, 0 to 1, a pair that one of them ties counting half; top1: the
            chance that both have the same system first, ties broken at random; unproved: whether
            a search for an exact optimum ended without proof; error: what a rule said that could
            not rank the data, whose numbers are then missing.
        """
        return self._frame.copy()

    def by_method(self) -> pd.DataFrame:
        """Return what the repetitions say of every rule at every point of the grid.

        Returns
        -------
        pandas.DataFrame
            Index: model, corruption, n_corrupted, method. cells; failed: those that the rule could
            not rank; unproved: those without a proof that a rule searched for; mean_distance with
            its standard error se_distance, and quantiles distance_0.05, distance_0.5,
            distance_0.95 over the repetitions; top1: the mean, with se_top1.
        """
        groups = self._groups("method")
        distance, top1 = groups["distance"], groups["top1"]
        table = {
            "cells": groups.size(),
            "failed": groups["error"].count(),
            "unproved": groups["unproved"].sum(),
            "mean_distance": distance.mean(),
            "se_distance": distance.sem(),
            **{f"distance_{q:g}": distance.quantile(q) for q in (0.05, 0.5, 0.95)},
            "top1": top1.mean(),
            "se_top1": top1.sem(),
        }
        return pd.DataFrame(table)

    def breakdown(self, threshold: float = LOST) -> pd.DataFrame:
        """Return the breakdown points: the fewest corrupted tasks that make a rule wrong.

        Parameters
        ----------
        threshold : float, default 0.75
            A rule is wrong where its mean distance is greater, from 0 to below 1. With 0.5 it is
            nearer to the opposite.

        Returns
        -------
        pandas.DataFrame
            One row per model, corruption and method. n_corrupted: the breakdown point, missing
            where no number of the study reaches it; mean_distance there, with its standard error
            se_distance.
        """
        check_number(threshold, "threshold", low=0, high=1, open_high=True)
        table, keys = self._results(), ["model", "corruption", "method"]
        beyond = table[table["mean_distance"] > threshold].sort_values("n_corrupted", kind="stable")
        columns = [*keys, "n_corrupted", "mean_distance", "se_distance"]
        points = table[keys].drop_duplicates()
        points = points.merge(beyond.drop_duplicates(keys)[columns], how="left", on=keys)
        return points.astype({"n_corrupted": "Int64"})

    def _drawn(self) -> pd.DataFrame:
        return self._results().assign(threshold=LOST)

    @property
    def distance_to(self) -> str:
        """What distances are measured to."""
        own = "what the rule says of the uncorrupted scores"
        known = {model.true_ranking is not None for model in self.study._sources}
        either = f"the true order, or where none is known to {own}"
        return either if len(known) > 1 else "the true order" if True in known else own

    @property
    def n_unproved(self) -> int:
        """How often a search for an exact optimum ended without proof."""
        return int(self._frame["unproved"].sum())

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        failed = self._times("rules could not rank the data", self.n_failed)
        gaps = gap_notes(self.study._sources)
        return (*gaps, *failed, *self._times("an optimum was not proved", self.n_unproved))

    def _table(self) -> pd.DataFrame:
        """Return the mean distances, in columns for some of the numbers of corrupted tasks."""
        numbers = np.sort(self.study.n_corrupted or ())
        at = np.linspace(0, len(numbers) - 1, min(len(numbers), MOST_COLUMNS)).round()
        means = self.by_method()["mean_distance"].unstack("n_corrupted", sort=False)
        table = means[numbers[at.astype(int)]].rename(columns=str).rename_axis(columns=None)
        points = self.breakdown().set_index(list(table.index.names))["n_corrupted"]
        if points.notna().any():
            table["breakdown"] = points
        whole: pd.DataFrame = table.reset_index()
        return whole

    def _facts(self) -> Iterable[str]:
        rules = counted(len(self.study.rules), "rule")
        yield f"{rules} on {counted(self.n_cells, 'table')}, seed {self.study.rng}"
        yield f"normalized Kendall distance to {self.distance_to}"
        yield from self.notes
        yield f"its mean by the number of corrupted tasks; breakdown: first above {LOST}"

    def _content(self) -> dict[str, Any]:
        breakdown = plain_rows(self.breakdown())
        return super()._content() | {"threshold": LOST, "breakdown": breakdown}


@dataclass(frozen=True)
class _CorruptionCell(Cell):
    """One table with corrupted tasks."""

    # Where its scores come from.
    model: DataSource
    corruption: Corruption = checked(check_kind, kind=Corruption, example="`ReversedScores()`")
    # So many of its tasks are corrupted.
    n_corrupted: int = checked(check_integer, low=0)
    # Its number among its like.
    repetition: int = 0

    @cached_property
    def _alike(self) -> _CorruptionCell:
        return replace(self, corruption=ReversedScores(), n_corrupted=0)

    def shared(self, seed: int, purpose: str) -> Generator:
        """Return the random numbers of all tables that differ in their corruption alone."""
        return self._alike.generator(seed, purpose)


@dataclass(frozen=True, kw_only=True)
class CorruptionStudy(Study[_CorruptionCell, CorruptionResult]):
    """How far rules are led astray when tasks are corrupted.

    In every repetition some tasks are corrupted, and every rule is held against the true order of
    the model, or where none is known against what it says itself of the scores before. Tables that
    differ in their corruption alone share the rest: the scores, the order of the systems, which is
    random, that in which tasks are corrupted, so that those of a smaller number are among those of
    a larger one, and the random numbers of corruptions.

    Parameters
    ----------
    data : DataSource, ScoreTable or a list of them
        Where scores come from: `LatentModel` for scores that are drawn, the table of a
        leaderboard, `ResampledData`, or your own.
    corruptions : sequence of Corruption
        What befalls tasks: `ReversedScores`, `AdversarialScores`, `RescaledScores`, `CopiedScores`,
        `NoisyScores`, or your own.
    n_corrupted : sequence of int, optional
        Numbers of corrupted tasks; by default all from 0 to those that every model has.
    rules : sequence of Aggregator, optional
        The rules. By default the mean, and Borda's rule on all instances (one level) and first
        within tasks (two levels).
    n_repetitions : int, default 100
        Tables for each combination.
    rng : int, numpy.random.Generator or None, optional
        A seed of all random numbers; by default, and from a generator, one is drawn and kept.
    time_limit : float, optional
        Seconds for a rule that searches, on one table; none by default. What is not proved in time
        is counted.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, two rules, data or corruptions are alike, data have
        fewer tasks, or missing scores that a corruption needs.

    References
    ----------
    Colombo et al. (2022), sections 4.2 and 4.3, figures 3 and 7,
    https://doi.org/10.48550/arXiv.2202.03799.

    Examples
    --------
    >>> import rankagg as ra
    >>> study = ra.studies.CorruptionStudy(
    ...     data=ra.datasets.load("superglue_human"),
    ...     corruptions=[ra.studies.ReversedScores(), ra.studies.RescaledScores(factor=100)],
    ...     rules=[ra.Mean(), ra.Borda()],
    ...     n_corrupted=[1],
    ...     n_repetitions=20,
    ...     rng=0,
    ... )
    >>> print(study.run().to_markdown(decimals=2).rstrip())
    | model   | corruption             | method   |    1 |
    |:--------|:-----------------------|:---------|-----:|
    | table 1 | reversed               | Mean     | 0.04 |
    | table 1 | reversed               | Borda    | 0.05 |
    | table 1 | rescaled, factor = 100 | Mean     | 0.12 |
    | table 1 | rescaled, factor = 100 | Borda    | 0.00 |
    """

    _cell = _CorruptionCell
    _found = CorruptionResult
    _fields: ClassVar[Fields] = dict.fromkeys(("distance", "top1"), "float64") | {
        "method": "str",
        "unproved": "bool",
        "error": "str",
    }

    data: Any
    corruptions: Sequence[Corruption]
    n_corrupted: Sequence[int] | None = None
    rules: Sequence[Aggregator] = (Mean(), Borda(), TwoLevel(Borda(), Borda()))
    n_repetitions: int = 100
    rng: RNGLike = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        numbers, owner = self.n_corrupted, "of CorruptionStudy"
        self._set("n_corrupted", (0,) if numbers is None else numbers)
        super().__post_init__()
        tables = tables_of(self._sources)
        fewest = min(table.n_tasks for table in tables)
        if numbers is None:
            self._set("n_corrupted", tuple(range(fewest + 1)))
        most = max(self.n_corrupted or ())
        check_integer(most, f"n_corrupted {owner}", low=0, high=fewest)
        for table, corruption in product(tables, self.corruptions):
            corruption.corrupt(table, table.tasks.at(range(most)), rng=0)

    def _try(self, cell: _CorruptionCell, prepared: None) -> list[Row]:
        """Corrupt tasks of a table, and hold every rule against the truth, or against itself."""
        table = cast("ScoreTable", cell.model.sample(rng=cell.shared(self._seed, "data")))
        before, known, rows = Evidence(table), cell.model.true_ranking, list[Row]()
        # So that no rule gains from how it ties.
        order = cell.shared(self._seed, "systems").permutation(table.n_systems)
        shuffled = table._with(values=table.values[order], systems=table.systems.at(order))
        order = cell.shared(self._seed, "tasks").permutation(table.n_tasks)
        tasks = table.tasks.at(order[: cell.n_corrupted])
        truth = None if known is None else known.reindex(shuffled.systems)

        @cache
        def corrupted(against: PartialRanking) -> Evidence:
            rng = cell.shared(self._seed, "corruption")
            return Evidence(cell.corruption.corrupt(shuffled, tasks, against, rng=rng))

        for rule, text in zip(self.rules, self._texts, strict=True):
            row: Row = dict.fromkeys(self._fields) | {"method": rule.name, "unproved": False}
            rows.append(row)
            try:
                own = (
                    self._says(rule, before, cell.shared(self._seed, text))
                    if truth is None
                    else None
                )
                ranking = own.ranking.reindex(shuffled.systems) if own else truth
                against = cast("PartialRanking", ranking)
                found = self._says(rule, corrupted(against), cell.generator(self._seed, text))
            except RankaggError as error:
                row["error"] = str(error)
                continue
            one, other = set(against.buckets[0]), set(found.buckets[0])
            # Both as if ties were broken at random.
            row["distance"] = kendall_distance(
                against, found.ranking, tie_cost=0.5, normalized=True
            )
            row["top1"] = len(one & other) / (len(one) * len(other))
            # A rule of two levels has no certificate, but says so too.
            notes = found.notes + (own.notes if own else ())
            row["unproved"] = any("not proved" in note for note in notes)
        return rows

    def _says(self, rule: Aggregator, scores: Evidence, rng: Generator) -> Consensus:
        deadline = Deadline.after(self.time_limit)
        return finished(rule.aggregate(scores, rng=rng, deadline=deadline))
