"""Approximation: how near rules come to the proved Kemeny optimum, over a grid of drawn data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import inf
from types import MappingProxyType
from typing import Any

import pandas as pd

from rankagg._typing import RNGLike
from rankagg._validation import check_alpha, check_flag, check_integer, check_number
from rankagg.aggregation import Aggregator, Consensus, Deadline, Evidence
from rankagg.aggregation.kemeny import Kemeny
from rankagg.core import UNRANKED, counted
from rankagg.cultures import DataSource, checked
from rankagg.distances import kendall_distance
from rankagg.exceptions import BlockTooLargeError, InvalidInputError, OutOfTimeError, RankaggError
from rankagg.studies.sources import averaged, n_removed, without_entries
from rankagg.studies.study import (
    ROUNDING,
    Cell,
    Curve,
    Row,
    Study,
    StudyResult,
    finished,
    in_words,
    wilson,
)


class ApproximationResult(StudyResult):
    """How near rules came to the optimum in every cell of a study.

    Made by `ApproximationStudy.run`; `plot` draws a `rankagg.plotting.study_plot`.

    Attributes
    ----------
    study : ApproximationStudy
        The study.
    """

    study: ApproximationStudy

    _schema = "rankagg.study_result"
    _row = "rule"
    # A mean ratio is told from 1 where not all results are optimal.
    _number = "{:z.4f}"
    _curves = MappingProxyType(
        {
            "mean_ratio": Curve(
                "mean cost, in multiples\nof the optimum",
                deviation="se_ratio",
                times=2,
                band="two standard errors either way",
                least=1.0,
                most=None,
            ),
            "hit_rate": Curve(
                "share of optimal results", "hit_low", "hit_high", band="95 % Wilson intervals"
            ),
            "mean_distance": Curve("pairs in another order\nthan one optimum", most=None),
        }
    )
    _intervals = MappingProxyType({"hit_rate": ("hit_low", "hit_high")})
    _stated = MappingProxyType(
        {"time_limit": "study.time_limit", "cells": "n_cells", "unproved": "n_unproved"}
    )

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
            undercut, the optimum where `proved`; ratio of the cost to the optimum, both without
            half of the votes on pairs that a ranking leaves out, which every ranking contradicts;
            it is missing where that optimum is 0 and the cost is not, is the true ratio where
            proved, and else the low end of an interval with the high end ratio_high; hit: whether
            the result is optimal, missing where that is not known, and a tied result only where
            every way to break its ties is optimal;
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
        return int((~self._cells["proved"]).sum())

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
            proved optimum; failed: those that the rule could not rank; hit_rate, of the
            cells where it is known, with hit_low and hit_high where these are several; no_ratio:
            those where the optimum is 0 and the cost is not; of the others mean_ratio
            with its standard error se_ratio, and max_ratio; mean_ratio_high: what the mean ratio
            may be at most, given what is not proved; mean_distance; median_runtime and
            median_exact_runtime, in seconds.
        """
        check_alpha(alpha)
        groups = self._groups("method")
        rate, low, high = wilson(groups, "hit", alpha)
        table = {
            "cells": groups.size(),
            "unproved": groups["proved"].agg(lambda proved: int((~proved).sum())),
            "failed": groups["cost"].agg(lambda cost: int(cost.isna().sum())),
            "hit_rate": rate,
            "hit_low": low,
            "hit_high": high,
            "no_ratio": _without_ratio(groups),
            "mean_ratio": groups["ratio"].mean(),
            "se_ratio": groups["ratio"].sem(),
            "max_ratio": groups["ratio"].max(),
            "mean_ratio_high": groups["ratio_high"].mean(),
            "mean_distance": groups["distance"].mean(),
            "median_runtime": groups["runtime"].median(),
            "median_exact_runtime": groups["exact_runtime"].median(),
        }
        return pd.DataFrame(table)

    def _table(self) -> pd.DataFrame:
        # Others may be as good: a rule can be optimal and far from the one that was found.
        return self._results().rename(columns={"mean_distance": "distance_to_one_optimum"})

    def _to_paste(self) -> pd.DataFrame:
        table = self._table()
        table["model"] = table["model"].mask(table["model"] == table["model"].shift(), "")
        grid = [name for name in self._grid if name != "missing" or table[name].any()]
        counts = [name for name in ("unproved", "failed", "no_ratio") if table[name].any()]
        hits, ratios = ["hit_rate", "hit_low", "hit_high"], ["mean_ratio", "max_ratio"]
        return table[[*grid, "method", *counts, *hits, *ratios, "distance_to_one_optimum"]]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        unproved = f"{self.n_unproved} of {self.n_cells} optima are not proved"
        lines = [f"{unproved}: the ratios to them are lower ends"] * bool(self.n_unproved)
        lines += self._times("rules could not rank the data", self.n_failed)
        without = int(_without_ratio(self._frame))
        return (*lines, *self._times("no ratio, as only the optimum costs 0,", without))

    def _facts(self) -> list[str]:
        lines = [
            f"{counted(len(self.study.rules), 'rule')} on "
            f"{counted(self.n_cells, 'data set')}, seed {self.study.rng}",
            f"optimum proved in {self.n_cells - self.n_unproved} of {self.n_cells}",
        ]
        if self.n_unproved:
            lines.append("ratios of the others are lower ends; mean_ratio_high is the upper end")
        return lines + self._times("rules could not rank the data", self.n_failed)

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
        for cell, part in table.groupby(self._grid, sort=False):
            lines += ["", _heading(self._grid, cell), _part_text(part.set_index("method"))]
        return "\n".join(lines)


def _heading(grid: Sequence[str], cell: Sequence[Any]) -> str:
    """Return what stands above the rows of a cell."""
    model, *sizes = map(in_words, grid, cell)
    return f"{model}: {', '.join(filter(None, sizes))}"


def _part_text(part: pd.DataFrame) -> str:
    columns = ["hit_rate", "mean_ratio", "max_ratio", "distance_to_one_optimum", "median_runtime"]
    if part["unproved"].any():
        columns.insert(3, "mean_ratio_high")
    for name in ("no_ratio", "failed"):
        if part[name].any():
            columns.insert(0, name)
    formats = {
        "hit_rate": "{:z.2f}".format,
        "distance_to_one_optimum": "{:z.2f}".format,
        "median_runtime": "{:z.4f} s".format,
    }
    shown = part[columns].rename_axis(None)
    return shown.to_string(na_rep="-", formatters=formats, float_format="{:z.4f}".format)


@dataclass(frozen=True)
class _DrawnCell(Cell):
    """One drawn data set of the grid."""

    # What it is drawn from.
    model: DataSource
    n_items: int = checked(check_integer, low=2)
    n_rankings: int = checked(check_integer, low=1)
    # The share of items that each ranking has lost.
    missing: float = checked(check_number, low=0, high=1, open_high=True)
    # Its number among its like.
    repetition: int = 0


@dataclass(frozen=True, kw_only=True)
class ApproximationStudy(Study[_DrawnCell, ApproximationResult]):
    """How near rules come to the exact Kemeny optimum, over a grid of drawn data sets.

    Every combination of model, size, number of rankings and missing share is drawn
    `n_repetitions` times; each drawn data set is a cell. The random numbers of a cell depend on the
    seed and on the cell alone, and those of a rule on the rule as well: a study gives the same
    costs whatever the number of workers, and a cell stays what it is when the grid grows.

    Parameters
    ----------
    rules : sequence of Aggregator
        The rules to compare with the optimum.
    data : DataSource, distribution, Profile, ScoreTable, path, or a list of them
        What data are drawn from: cultures, `LatentModel`, `ResampledData`, or your own. Profiles,
        tables and files of PrefLib are taken as they are, once unless something is missing; the
        instances of a task are averaged.
    n_items : sequence of int, default (10,)
        Sizes, each at least 2. What has a size of its own keeps it.
    n_rankings : sequence of int, default (10,)
        How many rankings, or tasks, a data set has.
    missing : sequence of float, default (0.0,)
        Shares of items, rounded to whole ones, that every ranking loses at random, in [0, 1).
    n_repetitions : int, default 100
        Data sets for each combination.
    rng : int, numpy.random.Generator or None, optional
        A seed of all random numbers; by default, and from a generator, one is drawn and kept.
    time_limit : float, optional
        Seconds for the exact optimum of one cell, and the nearest of all; none by default. What is
        not proved in time is counted, and its ratio is an interval.
    nearest : bool, default False
        Find the distance to the nearest of all optima too; it can take longer than all the rest.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, two data or two rules are alike, a rule needs scores
        and a model gives rankings, or a model cannot give so many items.

    References
    ----------
    Ali and Meilă (2012), https://doi.org/10.1016/j.mathsocsci.2011.08.008, compare rules with the
    exact consensus in this way.

    Examples
    --------
    >>> import rankagg as ra
    >>> study = ra.studies.ApproximationStudy(
    ...     rules=[ra.Borda(), ra.Copeland()],
    ...     data=ra.cultures.MallowsCulture(phi=0.8),
    ...     n_items=[5, 10],
    ...     n_repetitions=20,
    ...     rng=0,
    ... )
    >>> result = study.run()
    >>> result.by_method()[["cells", "hit_rate", "mean_ratio"]].round(3).reset_index(
    ...     ["n_items", "method"]
    ... ).reset_index(drop=True)
       n_items    method  cells  hit_rate  mean_ratio
    0        5     Borda     20      0.60       1.022
    1        5  Copeland     20      0.85       1.005
    2       10     Borda     20      0.10       1.023
    3       10  Copeland     20      0.45       1.009
    """

    _cell = _DrawnCell
    _found = ApproximationResult

    rules: Sequence[Aggregator]
    data: Any
    n_items: Sequence[int] = (10,)
    n_rankings: Sequence[int] = (10,)
    missing: Sequence[float] = (0.0,)
    n_repetitions: int = 100
    rng: RNGLike = None
    time_limit: float | None = None
    nearest: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flag(self.nearest, "nearest of ApproximationStudy")
        greedy = [rule.name for rule in self.rules if rule.needs == "scores"]
        for model in self._sources:
            if greedy and model.gives != "scores":
                allowed = f"rules without scores, which {model.name} does not give"
                remedy = "Leave them out, or take a LatentModel."
                raise InvalidInputError("rules", allowed, greedy, remedy)
        for share, size in product(self.missing, self.n_items):
            if n_removed(size, share) > size - 2:
                allowed = f"a share that leaves two of {counted(size, 'item')} in a ranking"
                raise InvalidInputError("missing", allowed, share)

    @property
    def _fields(self) -> dict[str, str]:
        numbers = "optimum lower_bound cost ratio ratio_high distance runtime exact_runtime"
        kinds = {"method": "str", "proved": "bool", "hit": "boolean", "error": "str"}
        return kinds | dict.fromkeys([*numbers.split(), *["nearest"] * self.nearest], "float64")

    def _is_drawn(self, cell: _DrawnCell) -> bool:
        return not cell.model.is_fixed or cell.missing > 0

    def _try(self, cell: _DrawnCell, prepared: None) -> list[Row]:
        """Draw the data of a cell and aggregate them with every rule."""
        rng = cell.generator(self._seed, "data")
        data = averaged(cell.model.sample(cell.n_items, cell.n_rankings, rng=rng))
        left = without_entries(data, cell.missing, cell.generator(self._seed, "missing"))
        evidence = Evidence(left)
        votes = evidence.votes
        # For the proof, and for the nearest of all optima after it.
        deadline = Deadline.after(self.time_limit)
        exact = finished(Kemeny().aggregate(evidence, deadline=deadline))
        results = self._results(evidence, cell)
        costs = [votes.cost(r.ranking) if isinstance(r, Consensus) else None for r in results]
        always = _always_contradicted(evidence)
        best = min([exact.cost, *(cost for cost in costs if cost is not None)])
        return [
            {
                "method": rule.name,
                "cost": cost,
                **self._against(exact, best, cost, always),
                **self._distances(exact, result, deadline),
                "runtime": result.runtime if isinstance(result, Consensus) else None,
                "exact_runtime": exact.runtime,
                "error": None if isinstance(result, Consensus) else str(result),
            }
            for rule, result, cost in zip(self.rules, results, costs, strict=True)
        ]

    def _against(self, exact: Consensus, best: float, cost: float | None, always: float) -> Row:
        """Return the optimum, or what encloses it, and what a cost is beside it."""
        assert exact.certificate is not None, "the exact rule gives a certificate"
        proved = exact.certificate.status == "optimal"
        bound = exact.cost if proved else exact.certificate.lower_bound
        row: Row = {"optimum": best, "lower_bound": bound, "proved": proved}
        if cost is None:
            return {**row, "ratio": None, "ratio_high": None, "hit": None}
        above = cost > best + ROUNDING * (1 + best)
        ratio, high = (_over(cost - always, least - always) for least in (best, bound))
        return {
            **row,
            "ratio": ratio,
            "ratio_high": inf if high is None and ratio is not None else high,
            # A ranking as cheap as the cheapest that is known may be optimal, or not.
            "hit": False if above else (True if proved else None),
        }

    def _distances(
        self, exact: Consensus, result: Consensus | RankaggError, deadline: Deadline
    ) -> Row:
        row: Row = {"distance": None}
        if self.nearest:
            row["nearest"] = None
        if not isinstance(result, Consensus):
            return row
        row["distance"] = kendall_distance(result.ranking, exact.ranking, tie_cost=0.5)
        if self.nearest and exact.certificate is not None and not exact.certificate.gap:
            assert exact.optima is not None, "an exact rule knows its optima"
            try:
                nearest = exact.optima._until(deadline).nearest(result.ranking)
            except (BlockTooLargeError, OutOfTimeError):
                return row
            row["nearest"] = kendall_distance(result.ranking, nearest, tie_cost=0.5)
        return row


def _over(cost: float, least: float) -> float | None:
    room = ROUNDING * (1 + abs(least))
    if cost <= least + room:
        return 1.0
    return cost / least if least > room else None


def _always_contradicted(evidence: Evidence) -> float:
    """Return half of the votes on pairs that a ranking leaves out: no ranking can change them."""
    profile = evidence.profile
    if profile.unranked != "uniform":
        return 0.0
    absent = (profile.ranks == UNRANKED).sum(axis=1)
    return float((profile.counts * profile.weights) @ (absent * (absent - 1))) / 4


def _without_ratio(groups: Any) -> Any:
    """Count the results that are not 0 where the optimum is."""
    return groups["cost"].count() - groups["ratio"].count()
