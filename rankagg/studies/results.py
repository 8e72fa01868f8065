"""What a study found: rows, what the repetitions say, and how it is printed and drawn."""

from __future__ import annotations

import importlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from rankagg._typing import Floats
from rankagg._validation import check_alpha, check_number
from rankagg.core import ROWS, Result, counted, plain_rows

# What is printed with four decimals: a mean ratio is told from 1.
RATIOS = ("mean_ratio", "mean_ratio_high", "max_ratio")
#: What pandas calls the statistics that columns of tables are called by.
STATISTICS = {"mean": "mean", "se": "sem", "std": "std", "max": "max", "median": "median"}


@dataclass(frozen=True)
class Curve:
    """A column of the table that `study_plot` draws, with its band."""

    # What stands at the upright axis.
    label: str
    # The column of a standard error or deviation, which is added and taken away; or the columns of
    # the ends of the band, and what that is.
    around: str = ""
    ends: tuple[str, str] | None = None
    band: str = "95 % Wilson intervals"
    # The least and the greatest value; None where there is none.
    least: float = 0.0
    most: float | None = 1.0
    # A column, or a number, that is drawn dotted for comparison, and what it is.
    dotted: str | float = ""
    dotted_is: str = ""


@dataclass(frozen=True)
class Measures:
    """What the repetitions of a study are summed up to, printed and drawn as."""

    # Shares of a flag, with Wilson intervals, by the column that holds it.
    shares: Mapping[str, str] = field(default_factory=dict)
    # Means of columns, and "mean_x", "se_x", "std_x", "max_x" and "median_x" of a column x.
    statistics: tuple[str, ...] = ()
    # The column whose quantiles are told.
    quantiles: str = ""
    # Dimensions of the grid that are averaged over, as repetitions are.
    over: tuple[str, ...] = ()
    # Columns of the rows that tell points of a line apart, beside those of the grid.
    points: tuple[str, ...] = ()
    # Columns that tell lines of a plot apart.
    lines: tuple[str, ...] = ("method",)
    # The columns that are printed.
    printed: tuple[str, ...] = ()
    # What can be drawn, the usual first, and what is along the axis where it varies.
    curves: Mapping[str, Curve] = field(default_factory=dict)
    usual_x: tuple[str, ...] = ()
    # What data sets, and what is compared on them, are called.
    noun: str = "data set"
    compared: str = "rule"


class StudyResult(Result):
    """What a study found: a row for each draw and rule, and what the repetitions say.

    Made by the `run` of every study; `plot` draws a `rankagg.plotting.study_plot`.

    Attributes
    ----------
    study : ApproximationStudy, ConfidenceStudy, ...
        The study.
    """

    study: Any
    _frame: pd.DataFrame = field(compare=False)

    _schema = "rankagg.study_result"
    _row = "row"
    _plot = "study_plot"
    _named_rows = False
    _formats = MappingProxyType({"scale": "{:zg}".format} | dict.fromkeys(RATIOS, "{:z.4f}".format))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per draw and rule, with the columns that the study's class names.

        Returns
        -------
        pandas.DataFrame
        """
        return self._frame.copy()

    def by_method(
        self,
        *,
        alpha: float = 0.05,
        quantiles: Sequence[float] = (0.05, 0.25, 0.5, 0.75, 0.95),
    ) -> pd.DataFrame:
        """Return what the repetitions say of every rule at every point of the grid.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of the Wilson intervals for shares.
        quantiles : sequence of float
            Which quantiles to give, in [0, 1], where the study has some.

        Returns
        -------
        pandas.DataFrame
            Index: the dimensions of the grid and the rule. cells: data sets; failed: those that
            the rule could not rank; unproved: those without a proved optimum; and the statistics
            that the study's class names, over the others: mean_x with its standard error se_x, x_q
            for the quantile q of x, and ends x_low and x_high of intervals. A single data set has
            no interval.
        """
        check_alpha(alpha)
        levels = [check_number(q, "quantiles", low=0, high=1) for q in quantiles]
        measures, frame = self.measures, self.study._measured(self._frame)
        groups = frame.groupby(self._by, sort=False)
        table: dict[str, Any] = {"cells": groups.size()}
        if "error" in frame:
            table["failed"] = groups["error"].count()
        if "proved" in frame:
            table["unproved"] = groups["proved"].agg(lambda proved: int((~proved).sum()))
        for name, column in measures.shares.items():
            columns = (name, f"{column}_low", f"{column}_high")
            table |= dict(zip(columns, _wilson(groups[column], alpha), strict=True))
        for name in measures.statistics:
            how, _, column = name.partition("_")
            known = how in STATISTICS and column in frame
            found = groups[column].agg(STATISTICS[how]) if known else groups[name].mean()
            table[name] = found.astype(np.float64)
        if column := measures.quantiles:
            table |= {f"{column}_{q:g}": groups[column].quantile(q) for q in levels}
        completed: pd.DataFrame = self.study._completed(pd.DataFrame(table))
        return completed

    @property
    def measures(self) -> Measures:
        """What the repetitions are summed up to, printed and drawn as."""
        found: Measures = self.study._measures
        return found

    @property
    def _intervals(self) -> Mapping[str, tuple[str, str]]:  # type: ignore[override]
        ends = {name: (f"{of}_low", f"{of}_high") for name, of in self.measures.shares.items()}
        return {name: pair for name, pair in ends.items() if pair[0] in self.measures.printed}

    @property
    def _by(self) -> list[str]:
        """The index of `by_method`."""
        measures = self.measures
        columns = *self.study._grid, *measures.points, *measures.lines
        return [name for name in dict.fromkeys(columns) if name not in measures.over]

    def headline(self) -> str:
        """Return what was found in one sentence; nothing of studies that have none."""
        return str(self.study._headline(self))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        noun, compared = self.measures.noun, self.measures.compared
        said = {
            f"{compared}s failed {counted(self.n_failed, 'time')}, as `error` says": self.n_failed,
            f"optima of {counted(self.n_unproved, noun)} are not proved": self.n_unproved,
        }
        told = (note for note, number in said.items() if number)
        return (*self.study._gaps, *told, *self.study._notes(self._frame))

    @property
    def n_cells(self) -> int:
        """The number of data sets that were drawn."""
        return len(self._cells)

    @property
    def n_failed(self) -> int:
        """How often a rule could not rank the data, or a method judge them."""
        return int(self._frame["error"].count()) if "error" in self._frame else 0

    @property
    def n_unproved(self) -> int:
        """The number of data sets with an optimum that was searched for and is not proved."""
        if "proved" not in self._frame:
            return 0
        unproved = ~self._frame["proved"].fillna(True)
        return len(self._frame[unproved].drop_duplicates(self._key_columns))

    @property
    def _key_columns(self) -> list[str]:
        return [*self.study._grid, "repetition"]

    @property
    def _cells(self) -> pd.DataFrame:
        """The first row of each data set."""
        return self._frame.drop_duplicates(self._key_columns)

    def to_html(self, *, title: str = "", source: Iterable[str] = (), **options: Any) -> str:
        """Return one self-contained page: figure and table, what was asked, methods, versions.

        Parameters
        ----------
        title : str
            The heading; by default the kind of the study.
        source : iterable of str
            What readers should know of where the data come from, a line each.
        **options
            Those of the plot.

        Returns
        -------
        str
        """
        # By name: studies know nothing about pages.
        page = importlib.import_module("rankagg.report.drawn_pages")
        return str(page.study_page(self, title, source, **options))

    def _table(self) -> pd.DataFrame:
        table: pd.DataFrame = self.study._table(self)
        return table

    def _to_paste(self) -> pd.DataFrame:
        return self._table()

    def _below(self, rows: int | None = ROWS) -> Iterable[str]:
        return list(self.study._below(self._frame))[:rows]

    def _facts(self) -> list[str]:
        study, measures = self.study, self.measures
        lead = f"{counted(self.n_cells, measures.noun)}, seed {study.rng}"
        if number := len(study._compared):
            lead = f"{counted(number, measures.compared)} on {lead}"
        notes = (f"note: {note}" for note in self.notes)
        return [lead, *filter(None, [self.headline()]), *study._about(self), *notes]

    def _content(self) -> dict[str, Any]:
        stated = self._plain("n_cells", "n_failed", "n_unproved", "headline", "notes")
        results = plain_rows(self.by_method().reset_index())
        return {"study": type(self.study).__name__, "rng": self.study.rng, **stated} | {
            "results": results
        }

    def _key(self) -> tuple[Hashable, ...]:
        # Every digit counts, but how long it took is no part of what was found.
        timeless = self._frame.drop(columns=["runtime", "exact_runtime"], errors="ignore")
        return self.study, timeless.to_json(double_precision=15)


def _wilson(flags: Any, alpha: float) -> list[Floats]:
    """Return the share of a flag in each group, where it is known, and its Wilson interval."""
    from statsmodels.stats.proportion import proportion_confint  # noqa: PLC0415

    known = flags.count().to_numpy()
    hits, tried = flags.sum().to_numpy(np.float64), np.maximum(known, 1)
    low, high = proportion_confint(hits, tried, alpha=alpha, method="wilson")
    least = zip((hits / tried, low, high), (1, 2, 2), strict=True)
    return [np.where(known >= number, share, np.nan) for share, number in least]
