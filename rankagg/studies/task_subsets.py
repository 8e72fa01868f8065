"""Task subsets: how near every rule on random subsets of tasks stays to itself on all tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from types import MappingProxyType
from typing import ClassVar, TypeAlias

import numpy as np
import pandas as pd

from rankagg._typing import Positions, RNGLike, Tolerance
from rankagg._validation import check_integer, check_number
from rankagg.aggregation import Aggregator, Borda, Consensus, Mean
from rankagg.analysis.comparison.agreement import agreement_of
from rankagg.analysis.robustness.leave_out import Parts, draw_subset
from rankagg.core import UNRANKED, PartialRanking, ScoreTable, as_tolerance, counted, listed
from rankagg.cultures import checked
from rankagg.exceptions import Described, InvalidInputError, RankaggError
from rankagg.studies.study import (
    ROUNDING,
    Cell,
    Curve,
    Row,
    Study,
    StudyResult,
    check_table,
    finished,
)


class TaskSubsetResult(StudyResult):
    """How near each rule's consensus on random subsets of tasks is to its own on all tasks.

    Made by `TaskSubsetStudy.run`; `plot` draws a `rankagg.plotting.study_plot`.

    Attributes
    ----------
    study : TaskSubsetStudy
        The study.
    """

    study: TaskSubsetStudy

    _schema = "rankagg.task_subset_result"
    _row = "row"
    _summed = "by_size"
    _curves = MappingProxyType(
        {
            "mean": Curve(
                "tau-b with the same rule's\nconsensus on all tasks",
                deviation="std",
                band="one standard deviation either way",
                least=-1.0,
            ),
            "top1": Curve("chance of the same first system"),
        }
    )
    _counts = ("subsets", "subset")
    _stated = MappingProxyType(
        {"tasks": "study.data.n_tasks", "repetitions": "study.n_repetitions"}
        | {"headline": "headline", "notes": "notes"}
    )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per subset and rule.

        Returns
        -------
        pandas.DataFrame
            size, repetition: the subset; method; tau: tau-b of its consensus on the subset with
            its consensus on all tasks, missing where one of them ties all systems; distance
            between them in pairs, half for a tie in one; top1: the chance of the same first
            system; n_ranked: how many systems both rank; proved: False where an exact rule did
            not prove one of them, whose numbers are then missing; error: what a rule said that
            could not rank the subset.
        """
        return self._frame.copy()

    @property
    def methods(self) -> tuple[str, ...]:
        """The names of the rules."""
        return tuple(rule.name for rule in self.study.rules)

    def by_size(self, quantiles: Sequence[float] = (0.05, 0.5, 0.95)) -> pd.DataFrame:
        """Return mean and spread of tau for every size, the rules side by side.

        Parameters
        ----------
        quantiles : sequence of float, default (0.05, 0.5, 0.95)
            Of tau.

        Returns
        -------
        pandas.DataFrame
            Index: size, method. subsets: how many were drawn; defined: those with a tau; failed:
            those that the rule could not rank; unproved: those where an exact rule proved nothing
            in time; mean and std (with n - 1) of tau, and a column for each quantile; top1: the
            mean chance of the same first system.
        """
        levels = [check_number(level, "quantiles", low=0, high=1) for level in quantiles]
        groups = self._groups("method")
        tau = groups["tau"]
        table = {
            "subsets": groups.size(),
            "defined": tau.count(),
            "failed": groups["error"].count(),
            "unproved": groups["proved"].agg(lambda proved: int((~proved).sum())),
            "mean": tau.mean(),
            "std": tau.std(),
            **{f"tau_{level:g}": tau.quantile(level) for level in levels},
            "top1": groups["top1"].mean(),
        }
        return pd.DataFrame(table)

    def headline(self) -> str:
        """Return in one sentence whose correlation is higher on how many sizes."""
        means = self.by_size()["mean"].unstack("method")[list(self.methods)]
        best = means.max(axis=1)
        known = best.notna()
        if len(self.methods) == 1 or not known.any():
            return f"mean tau of {listed(self.methods)} with what it says of all tasks"
        leads = means.ge(best - ROUNDING, axis=0)[known]
        alone = leads[leads.sum(axis=1) == 1]
        parts = [f"{name} at {int(alone[name].sum())}" for name in self.methods]
        shared = len(leads) - len(alone)
        return (
            f"of {counted(len(leads), 'size')} of subsets, the highest mean tau with all tasks: "
            f"{', '.join(parts)}" + f", several at {shared}" * bool(shared)
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        frame = self._frame
        failed, unproved = int(frame["error"].notna().sum()), int((~frame["proved"]).sum())
        undefined = int(frame["tau"].isna().sum()) - failed - unproved
        partly = int((frame["n_ranked"] < self.study.data.n_systems).sum()) - failed
        rows = f"of {counted(len(frame), 'consensus')} of subsets"
        said = [
            (failed, "could not be made: the rule refused the data"),
            (unproved, "or those of all tasks are not proved optimal, and have no tau"),
            (undefined, "have no tau: one of the two ties all systems that both rank"),
            (partly, "rank only some of the systems; tau is over those"),
        ]
        return tuple(f"{number} {rows} {what}" for number, what in said if number)

    def _table(self) -> pd.DataFrame:
        return self._results().drop(columns=["subsets", "defined", "failed", "unproved"])

    def _facts(self) -> list[str]:
        study = self.study
        return [
            f"{counted(len(study.rules), 'rule')} on random subsets of "
            f"{counted(study.data.n_tasks, 'task')}, {study.n_repetitions} of each size, "
            f"seed {study.rng}",
            self.headline(),
            *(f"note: {note}" for note in self.notes),
        ]


#: What a rule says of all tasks, and False where an exact rule did not prove that in time.
Whole: TypeAlias = tuple[PartialRanking, bool]


@dataclass(frozen=True)
class _SubsetCell(Cell):
    """One random subset of tasks."""

    # How many tasks it has.
    size: int = checked(check_integer, low=1)
    # Its number among those of that size.
    repetition: int = 0

    def tasks(self, n_tasks: int, seed: int) -> Positions:
        """Return the positions of its tasks among so many."""
        return draw_subset(n_tasks, self.size, self.generator(seed, "tasks"))


@dataclass(frozen=True, kw_only=True)
class TaskSubsetStudy(Study[_SubsetCell, TaskSubsetResult]):
    """How near each rule's consensus on random subsets of tasks is to its own on all tasks.

    For every size, `n_repetitions` subsets are drawn, independently and each with equal chance;
    every rule aggregates the same subsets. A rule whose correlation is higher and spreads less
    depends less on which tasks a benchmark happens to have. `stability` looks at one rule, at what
    single tasks do, and at different subsets, all where they are few.

    Parameters
    ----------
    data : ScoreTable
        The scores. Instances stay with their task.
    rules : sequence of Aggregator, default (Mean(), Borda())
        The rules.
    sizes : sequence of int, optional
        How many tasks subsets have; by default every number from 1 to all but one.
    n_repetitions : int, default 100
        Subsets of each size.
    rng : int, numpy.random.Generator or None, optional
        A seed of all random numbers; by default, and from a generator, one is drawn and kept.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, two rules are alike, or there are fewer than two tasks.

    References
    ----------
    Colombo et al. (2022), "What are the best systems? New perspectives on NLP benchmarking",
    https://doi.org/10.48550/arXiv.2202.03799, section 5.2, figures 5, 8 and 9.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.datasets.load("xtreme_human")
    >>> result = ra.studies.TaskSubsetStudy(data=table, n_repetitions=20, rng=0).run()
    >>> result.by_size()[["subsets", "mean", "std"]].round(2)
                 subsets  mean   std
    size method
    1    Mean         20  0.84  0.14
         Borda        20  0.70  0.13
    2    Mean         20  0.78  0.17
         Borda        20  0.80  0.08
    3    Mean         20  0.97  0.08
         Borda        20  0.95  0.07
    """

    _cell = _SubsetCell
    _found = TaskSubsetResult
    _fields: ClassVar[Mapping[str, str]] = dict.fromkeys(("tau", "distance", "top1"), "float64") | {
        "method": "str",
        "n_ranked": "int64",
        "proved": "bool",
        "error": "str",
    }

    data: ScoreTable
    rules: Sequence[Aggregator] = (Mean(), Borda())
    sizes: Sequence[int] | None = None
    n_repetitions: int = 100
    rng: RNGLike = None
    tolerance: Tolerance = field(default=0.0, hash=False)

    def __post_init__(self) -> None:
        owner = "of TaskSubsetStudy"
        check_table(self.data, "TaskSubsetStudy")
        total = self.data.n_tasks
        if total < 2:
            found = Described(counted(total, "task"))
            raise InvalidInputError(f"data {owner}", "a table with at least two tasks", found)
        if self.sizes is None:
            self._set("sizes", range(1, total))
        super().__post_init__()
        for size in self.sizes or ():
            check_integer(size, f"sizes {owner}", low=1, high=total)
        self._set("tolerance", as_tolerance(self.tolerance, self.data.tasks))

    def _prepared(self, deadline: object) -> tuple[Parts, list[Whole]]:
        """Return the tasks, and what every rule says of all of them."""
        parts = Parts(data=self.data, tolerance=self.tolerance, over="tasks")
        total = self.data.n_tasks
        evidence, everything, wholes = parts.part(np.arange(total)), _SubsetCell(total, 0), []
        for rule, text in zip(self.rules, self._texts, strict=True):
            rng = everything.generator(self._seed, text)
            found = finished(rule.aggregate(evidence, rng=rng))
            wholes.append((found.ranking, found.is_proved is not False))
        return parts, wholes

    def _try(self, cell: _SubsetCell, prepared: tuple[Parts, list[Whole]]) -> list[Row]:
        """Draw a subset and aggregate it with every rule."""
        parts, wholes = prepared
        results = self._results(parts.part(cell.tasks(len(parts.units), self._seed)), cell)
        return [self._row(*one) for one in zip(self.rules, results, wholes, strict=True)]

    def _row(self, rule: Aggregator, found: Consensus | RankaggError, all_tasks: Whole) -> Row:
        whole, whole_is_proved = all_tasks
        unknown: Row = {"method": rule.name, "tau": None, "distance": None, "top1": None}
        if isinstance(found, RankaggError):
            return {**unknown, "n_ranked": 0, "proved": True, "error": str(found)}
        proved = whole_is_proved and found.is_proved is not False
        common = (found.ranking.ranks != UNRANKED) & (whole.ranks != UNRANKED)
        row = {**unknown, "n_ranked": int(common.sum()), "proved": proved, "error": None}
        if proved:
            known = agreement_of(whole, found.ranking)
            row |= {name: None if isnan(value) else value for name, value in known.items()}
        return row
