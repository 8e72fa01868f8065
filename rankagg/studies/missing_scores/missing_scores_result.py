"""What a study of missing scores found: one row per table and method, and their summaries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from rankagg._validation import check_flag, check_number
from rankagg.core.items import counted
from rankagg.core.results import ROWS, plain_rows
from rankagg.studies.cell_result import CellResult
from rankagg.studies.missing_scores.removal_cells import PAIR_MEASURES, pair_field

if TYPE_CHECKING:
    from rankagg.studies.missing_scores.missing_scores import MissingScoresStudy

__all__ = ["MissingScoresResult"]

CELL: Final = ["model", "scale", "proportion", "repetition"]
GROUP: Final = ["model", "scale", "proportion", "method"]
NUMBERS: Final = [*PAIR_MEASURES, "tau_ranked", "tau_true"]


class MissingScoresResult(CellResult):
    """How near rankings of incomplete scores came to those of the full data.

    Made by `MissingScoresStudy.run`; `plot` draws a `rankagg.plotting.missing_scores_plot`.

    Attributes
    ----------
    study : MissingScoresStudy
        What was asked.
    """

    study: MissingScoresStudy

    _schema = "rankagg.missing_scores_result"
    _plot = "missing_scores_plot"
    _row = "method"
    _formats = MappingProxyType({"scale": "{:zg}"})

    @cached_property
    def _frame(self) -> pd.DataFrame:
        """One row per table and method, with its agreement with every other method."""
        frame = self._table_of(CELL)
        names = {model.identity: model.name for model in self.study.models}
        frame["model"] = frame["model"].map(names)
        pairs = [pair_field(m, other) for other in self.study.methods for m in PAIR_MEASURES]
        frame[[*NUMBERS, *pairs]] = frame[[*NUMBERS, *pairs]].astype(np.float64)
        frame["unranked"] = frame["unranked"].astype("Int64")
        frame["proved"] = frame["proved"].astype("boolean")
        return frame

    def to_frame(self) -> pd.DataFrame:
        """Return one row per table and method.

        Returns
        -------
        pandas.DataFrame
            model, scale, proportion, repetition: the table; method: the rule and its policy. Held
            against the ranking of the full data by the same method: tau, tau-b over all systems,
            those that are left unranked at random places; top1 and top3, the expected share of
            the first and of the first three that are the same; same_top3, the chance that the
            first three are the same set; tau_ranked, tau-b over the systems that both rank.
            tau_true: tau with the true ranking, where there is one. unranked: systems without a
            rank; lost_systems and lost_tasks: those without any score left; proved: whether the
            rankings of an exact rule are proved optimal; error: what a rule said that could not
            rank the table. What is not defined is missing, as tau is where all systems tie.
        """
        pairs = [pair_field(m, other) for other in self.study.methods for m in PAIR_MEASURES]
        return self._frame.drop(columns=pairs)

    def by_method(self, quantiles: Sequence[float] = (0.05, 0.25, 0.5, 0.75, 0.95)) -> pd.DataFrame:
        """Return what the repetitions say of every method at every proportion.

        Parameters
        ----------
        quantiles : sequence of float, default (0.05, 0.25, 0.5, 0.75, 0.95)
            Which quantiles of tau to give, in [0, 1].

        Returns
        -------
        pandas.DataFrame
            Index: model, scale, proportion, method. tables; failed: those that the method could
            not rank; undefined: those it ranked, where tau is not defined; unranked: those in
            which it left systems unranked; mean_tau with its standard error se_tau and a column
            tau_q for each quantile q; mean_tau_ranked, mean_top1, mean_top3 and mean_same_top3;
            mean_tau_true with se_tau_true.
        """
        levels = [check_number(q, "quantiles", low=0, high=1) for q in quantiles]
        groups = self._frame.groupby(GROUP, sort=False)
        tables = groups.size()
        ranked = groups["unranked"].count()
        taus = groups["tau"]
        table = {
            "tables": tables,
            "failed": tables - ranked,
            "undefined": ranked - taus.count(),
            "unranked": groups["unranked"].agg(lambda number: int((number > 0).sum())),
            "mean_tau": taus.mean(),
            "se_tau": taus.sem(),
            **{f"tau_{q:g}": taus.quantile(q) for q in levels},
            "mean_tau_ranked": groups["tau_ranked"].mean(),
            "mean_top1": groups["top1"].mean(),
            "mean_top3": groups["top3"].mean(),
            "mean_same_top3": groups["same_top3"].mean(),
            "mean_tau_true": groups["tau_true"].mean(),
            "se_tau_true": groups["tau_true"].sem(),
        }
        return pd.DataFrame(table)

    def by_pair(self, *, pooled: bool = False) -> pd.DataFrame:
        """Return how much each two methods agree on the same tables.

        Parameters
        ----------
        pooled : bool, default False
            Take the tables of all proportions together, as the papers' tables do.

        Returns
        -------
        pandas.DataFrame
            Index: model, scale, proportion unless pooled, method, other. tables; mean_tau with
            its standard deviation sd_tau, over the tables where it is defined, which `defined`
            counts; mean_top1, mean_top3, mean_same_top3.
        """
        place = ["model", "scale"] if check_flag(pooled, "pooled") else GROUP[:-1]
        methods = self.study.methods
        parts = []
        for number, one in enumerate(methods):
            rows = self._frame[self._frame["method"] == one]
            for other in methods[number + 1 :]:
                fields = {pair_field(measure, other): measure for measure in PAIR_MEASURES}
                part = rows[[*place, *fields]].rename(columns=fields)
                parts.append(part.assign(method=one, other=other))
        columns = [*place, "method", "other", *PAIR_MEASURES]
        together = pd.concat(parts) if parts else pd.DataFrame(columns=columns)
        groups = together.groupby([*place, "method", "other"], sort=False)
        table = {
            "tables": groups.size(),
            "defined": groups["tau"].count(),
            "mean_tau": groups["tau"].mean(),
            "sd_tau": groups["tau"].std(),
            **{f"mean_{measure}": groups[measure].mean() for measure in PAIR_MEASURES[1:]},
        }
        return pd.DataFrame(table)

    def _content(self) -> dict[str, Any]:
        return {
            "seed": self.study.seed,
            "whole_tasks": self.study.whole_tasks,
            "tables": self.n_cells,
            "methods": list(self.study.methods),
            "results": plain_rows(self.by_method().reset_index()),
            "pairs": plain_rows(self.by_pair().reset_index()),
        }

    def _table(self) -> pd.DataFrame:
        means = self._frame.groupby(GROUP, sort=False)["tau"].mean().unstack("proportion")
        methods = list(self.study.methods)
        order = [
            (model.name, scale, method)
            for model in self.study.models
            for scale in self.study.scales
            for method in methods
        ]
        table = means.reindex(order)[list(self.study.proportions)].reset_index()
        table.columns = pd.Index([_column(name) for name in table.columns])
        return table if len(self.study.scales) > 1 else table.drop(columns="scale")

    def _facts(self) -> Iterable[str]:
        study, frame = self.study, self._frame
        tables = frame.drop_duplicates(CELL)
        removed = "all scores of a system on a task" if study.whole_tasks else "single scores"
        lines = [
            f"{counted(len(study.methods), 'method')} on {counted(self.n_cells, 'table')}, "
            f"seed {study.seed}",
            f"a proportion of entries removed at random, {removed} at once"
            if study.whole_tasks
            else f"a proportion of {removed} removed at random",
            "mean tau-b with the ranking of the full data by the same method",
        ]
        for noun in ("system", "task"):
            lost = int((tables[f"lost_{noun}s"] > 0).sum())
            if lost:
                lines.append(
                    f"at least one {noun} lost all its scores in {lost} of "
                    f"{counted(self.n_cells, 'table')}"
                )
        counts = self.by_method()[["unranked", "undefined", "failed"]].sum()
        if counts["unranked"]:
            lines.append(
                f"methods left systems unranked {counted(int(counts['unranked']), 'time')}; tau "
                "takes those for randomly placed"
            )
        if counts["undefined"]:
            lines.append(f"tau is not defined {counted(int(counts['undefined']), 'time')}")
        if counts["failed"]:
            lines.append(
                f"methods could not rank the table {counted(int(counts['failed']), 'time')}"
            )
        unproved = int((frame["proved"] == False).sum())  # noqa: E712
        if unproved:
            lines.append(f"exact rankings are not proved optimal {counted(unproved, 'time')}")
        return lines

    def _below(self, rows: int | None = ROWS) -> Iterable[str]:
        """Say for every model which method stays nearest to its own ranking of the full data."""
        frame = self._frame[self._frame["proportion"] > 0]
        lines = []
        for (model, scale), part in frame.groupby(["model", "scale"], sort=False):
            means = part.groupby("method", sort=False)["tau"].mean().dropna()
            if len(means) < 2:
                continue
            where = f"{model}, scale {scale:g}" if len(self.study.scales) > 1 else f"{model}"
            lines.append(
                f"{where}: over all proportions removed, {means.idxmax()} stays nearest to its "
                f"ranking of the full data (mean tau {means.max():.2f}), {means.idxmin()} farthest "
                f"({means.min():.2f})"
            )
        return lines[:rows]


def _column(name: object) -> str:
    return f"{100 * name:g} %" if isinstance(name, float) else str(name)
