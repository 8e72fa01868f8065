"""What a study found: one row per cell and rule, and what follows for every rule."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rankagg._validation import check_alpha, check_flag
from rankagg.core.items import counted
from rankagg.core.results import plain_rows
from rankagg.studies.cell_result import CellResult

if TYPE_CHECKING:
    from rankagg.studies.approximation.approximation import ApproximationStudy

__all__ = ["StudyResult"]

GROUP = ["model", "n_items", "n_rankings", "missing", "method"]


class StudyResult(CellResult):
    """How near rules came to the optimum in every cell of a study.

    Made by `ApproximationStudy.run`; `plot` draws a `rankagg.plotting.ratio_plot`.

    Attributes
    ----------
    study : ApproximationStudy
        What was asked.
    """

    study: ApproximationStudy

    _schema = "rankagg.study_result"
    _plot = "ratio_plot"
    _row = "rule"

    @cached_property
    def _frame(self) -> pd.DataFrame:
        frame = self._table_of([*GROUP[:-1], "repetition"])
        numbers = ["cost", "ratio", "ratio_high", "distance", "runtime"]
        numbers += ["nearest"] if self.study.nearest else []
        frame[numbers] = frame[numbers].astype(np.float64)
        frame["hit"] = frame["hit"].astype("boolean")
        return frame

    def to_frame(self, *, runtime: bool = True) -> pd.DataFrame:
        """Return one row per cell and rule.

        Parameters
        ----------
        runtime : bool, default True
            Whether to give the columns that differ from run to run.

        Returns
        -------
        pandas.DataFrame
            model, n_items, n_rankings, missing, repetition: the cell; method; cost of its result
            in votes; optimum: the least cost that is known; lower_bound: what no ranking can
            undercut, the optimum where `proved`; ratio of the cost to the optimum, which is the
            true ratio where proved, and else the low end of an interval with the high end
            ratio_high; hit: whether the result is optimal, missing where that is not known, and a
            tied result only where every way to break its ties is optimal;
            distance to the optimum that was found, in pairs, half for a tie in one; with
            `nearest`, that to the nearest optimum, NaN where they differ within a block too large
            to search; runtime and exact_runtime in seconds, beyond counting the votes; error:
            what a rule said that could not rank the data, whose other columns are then missing.
        """
        if check_flag(runtime, "runtime"):
            return self._frame.copy()
        return self._frame.drop(columns=["runtime", "exact_runtime"])

    @property
    def n_unproved(self) -> int:
        """The number of data sets whose optimum is not proved."""
        return sum(not rows[0]["proved"] for rows in self._rows.values())

    def by_method(self, *, alpha: float = 0.05) -> pd.DataFrame:
        """Return what the repetitions say of every rule under every model and size.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of the Wilson intervals for hit rates.

        Returns
        -------
        pandas.DataFrame
            Index: model, n_items, n_rankings, missing, method. cells; unproved: those without a
            proved optimum; failed: those that the rule could not rank; hit_rate with hit_low and
            hit_high, of the cells where it is known; mean_ratio with its standard error
            se_ratio, and max_ratio; mean_ratio_high: what the mean ratio may be at most, given
            what is not proved; mean_distance; median_runtime and median_exact_runtime, in
            seconds.
        """
        check_alpha(alpha)
        frame = self._frame
        groups = frame.groupby(GROUP, sort=False)
        known = groups["hit"].count().to_numpy()
        hits = groups["hit"].sum().to_numpy(dtype=np.float64)
        from statsmodels.stats.proportion import proportion_confint  # noqa: PLC0415

        low, high = proportion_confint(hits, np.maximum(known, 1), alpha=alpha, method="wilson")
        seen = known > 0
        table = {
            "cells": groups.size(),
            "unproved": groups["proved"].agg(lambda proved: int((~proved).sum())),
            "failed": groups["cost"].agg(lambda cost: int(cost.isna().sum())),
            "hit_rate": np.where(seen, hits / np.maximum(known, 1), np.nan),
            "hit_low": np.where(seen, low, np.nan),
            "hit_high": np.where(seen, high, np.nan),
            "mean_ratio": groups["ratio"].mean(),
            "se_ratio": groups["ratio"].sem(),
            "max_ratio": groups["ratio"].max(),
            "mean_ratio_high": groups["ratio_high"].mean(),
            "mean_distance": groups["distance"].mean(),
            "median_runtime": groups["runtime"].median(),
            "median_exact_runtime": groups["exact_runtime"].median(),
        }
        return pd.DataFrame(table)

    def _content(self) -> dict[str, Any]:
        return {
            "seed": self.study.seed,
            "time_limit": self.study.time_limit,
            "unranked_policy": self.study.unranked,
            "cells": self.n_cells,
            "unproved": self.n_unproved,
            "results": plain_rows(self._table()),
        }

    def _table(self) -> pd.DataFrame:
        return self.by_method().reset_index()

    def _facts(self) -> list[str]:
        lines = [
            f"{counted(len(self.study.aggregators), 'rule')} on "
            f"{counted(self.n_cells, 'data set')}, "
            f"unranked items: {self.study.unranked}, seed {self.study.seed}",
            f"optimum proved in {self.n_cells - self.n_unproved} of {self.n_cells}",
        ]
        if self.n_unproved:
            lines.append("ratios of the others are lower ends; mean_ratio_high is the upper end")
        failed = int(self._frame["cost"].isna().sum())
        return lines + [f"rules could not rank the data {counted(failed, 'time')}"] * bool(failed)

    def summary(self, *, rows: int | None = None) -> str:
        """Return the study as text: for every model and size, each rule's hits and ratios.

        Parameters
        ----------
        rows : int or None, optional
            How many rules to print at most, over all models and sizes; all by default.

        Returns
        -------
        str
        """
        return self._text(self._facts(), rows)

    def _printed(self, table: pd.DataFrame) -> str:
        """Return for every model and size each rule's hits and ratios."""
        lines = []
        for cell, part in table.groupby(GROUP[:-1], sort=False):
            model, n_items, n_rankings, missing = cell
            gaps = f", {missing:.0%} missing" if missing else ""
            lines += [
                "",
                f"{model}: {counted(n_items, 'item')}, {counted(n_rankings, 'ranking')}{gaps}",
            ]
            lines.append(_text(part.set_index("method")))
        return "\n".join(lines)

    def __repr__(self) -> str:
        rules = len(self.study.aggregators)
        return (
            f"<StudyResult: {counted(rules, 'rule')} on {counted(self.n_cells, 'cell')}, "
            f"{self.n_unproved} unproved>"
        )


def _text(part: pd.DataFrame) -> str:
    columns = ["hit_rate", "mean_ratio", "max_ratio", "mean_distance", "median_runtime"]
    if part["unproved"].any():
        columns.insert(3, "mean_ratio_high")
    if part["failed"].any():
        columns.insert(0, "failed")
    formats = {
        "hit_rate": "{:z.2f}".format,
        "mean_distance": "{:z.2f}".format,
        "median_runtime": "{:z.4f} s".format,
    }
    shown = part[columns].rename_axis(None)
    return shown.to_string(na_rep="-", formatters=formats, float_format="{:z.4f}".format)
