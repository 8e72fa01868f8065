"""What random subsets of tasks leave of each rule's consensus."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rankagg._validation import check_number
from rankagg.core.items import counted, listed
from rankagg.core.results import plain_rows
from rankagg.studies.cell_result import CellResult

if TYPE_CHECKING:
    from rankagg.studies.task_subsets.task_subsets import TaskSubsetStudy

__all__ = ["TaskSubsetResult"]

NUMBERS = ["tau", "distance", "top1"]
QUANTILES = (0.05, 0.5, 0.95)
# Means that differ by less are equal.
EQUAL = 1e-9


class TaskSubsetResult(CellResult):
    """How near each rule's consensus on random subsets of tasks is to its own on all tasks.

    Made by `TaskSubsetStudy.run`; `plot` draws a `rankagg.plotting.task_subset_plot`.

    Attributes
    ----------
    study : TaskSubsetStudy
        What was asked.
    """

    study: TaskSubsetStudy

    _schema = "rankagg.task_subset_result"
    _plot = "task_subset_plot"
    _row = "row"

    @cached_property
    def _frame(self) -> pd.DataFrame:
        frame = self._table_of(["size", "repetition"])
        frame[NUMBERS] = frame[NUMBERS].astype(np.float64)
        return frame

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
        return tuple(rule.name for rule in self.study.aggregators)

    def by_size(self, quantiles: Sequence[float] = QUANTILES) -> pd.DataFrame:
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
        groups = self._frame.groupby(["size", "method"], sort=False)
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
        leads = means.ge(best - EQUAL, axis=0)[known]
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

    def _content(self) -> dict[str, Any]:
        return {
            "seed": self.study.seed,
            "tasks": self.study.data.n_tasks,
            "repetitions": self.study.n_repetitions,
            "headline": self.headline(),
            "notes": list(self.notes),
            "results": plain_rows(self.by_size().reset_index()),
        }

    def _table(self) -> pd.DataFrame:
        columns = ["mean", "std", *(f"tau_{level:g}" for level in QUANTILES), "top1"]
        return self.by_size()[columns].reset_index()

    def _facts(self) -> list[str]:
        study = self.study
        return [
            f"{counted(len(study.aggregators), 'rule')} on random subsets of "
            f"{counted(study.data.n_tasks, 'task')}, {study.n_repetitions} of each size, "
            f"seed {study.seed}",
            self.headline(),
            *(f"note: {note}" for note in self.notes),
        ]
