"""Confidence: which pairs of systems are decided on drawn tables, how surely, and how wrongly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Any, ClassVar, TypeAlias, cast, get_args

import numpy as np
import pandas as pd
from scipy.stats import hypergeom

from rankagg._typing import Floats, RNGLike
from rankagg._validation import check_kind, check_number
from rankagg.core import ROWS, ScoreTable, counted
from rankagg.cultures import DataSource, checked
from rankagg.exceptions import RankaggError
from rankagg.inference.units import Unit
from rankagg.studies.pair_methods import (
    IntervalMethod,
    Judged,
    PairMethod,
    PrintedRadius,
    RankedTable,
    Ties,
)
from rankagg.studies.removal import MECHANISM, RANDOM_REMOVAL, GapCell, ScoreRemoval
from rankagg.studies.sources import LatentModel, gap_notes, n_removed, tables_of
from rankagg.studies.study import ROUNDING, Curve, Fields, Row, Study, StudyResult, several_of

#: The grid of figure 4, and equal systems.
FIGURE_4 = tuple(
    LatentModel(step=step, n_systems=10, n_tasks=1, n_instances=number)
    for number in (100, 500)
    for step in (0.0, 0.01, 0.142, 0.273, 0.405, 0.537, 0.668, 0.8)
)
#: For tables with one ranking for each instance.
ONE_RANKING_EACH: tuple[PairMethod, ...] = (
    PrintedRadius(radius="figure 4"),
    PrintedRadius(radius="equation 4"),
    IntervalMethod(),
    IntervalMethod(method="clopper-pearson"),
    IntervalMethod(method="wilson"),
    IntervalMethod(simultaneous="bonferroni", anytime=True),
    IntervalMethod(simultaneous="bonferroni"),
    IntervalMethod(simultaneous="bonferroni", method="clopper-pearson"),
    IntervalMethod(holm=True),
    IntervalMethod(holm=True, method="clopper-pearson"),
)
#: For tables with several, which are not independent; and what taking them for it does.
SEVERAL_RANKINGS: tuple[PairMethod, ...] = tuple(
    method
    for unit in get_args(Unit)[:2]
    for method in (
        PrintedRadius(radius="equation 4", unit=unit),
        IntervalMethod(unit=unit),
        IntervalMethod(unit=unit, simultaneous="bonferroni"),
        IntervalMethod(unit=unit, holm=True),
    )
)


@dataclass(frozen=True)
class JudgedCell(GapCell):
    """One table of the grid."""

    # Where its scores come from.
    model: DataSource
    # The proportion of single scores that is removed.
    proportion: float = checked(check_number, low=0, high=1, open_high=True)
    removal: ScoreRemoval = checked(check_kind, **MECHANISM)
    # Its number among its like.
    repetition: int = 0

    def complete(self, seed: int) -> ScoreTable:
        """Return the scores before any is removed."""
        return cast("ScoreTable", self.model.sample(rng=self.generator(seed, "data")))

    def left(self, table: ScoreTable, seed: int) -> ScoreTable:
        """Return what is left of the scores."""
        rng = self.generator(seed, "missing")
        return self.removal.remove(table, self.proportion, whole_tasks=False, rng=rng)

    def judge(self, seed: int, ranked: RankedTable, method: PairMethod, alpha: float) -> Judged:
        """Return what a method says of the table."""
        return method._judge(ranked, alpha, self.generator(seed, f"{method!r} {alpha!r}"))


#: True proportions, row above column, by model, unit and what a tie counts.
Truths: TypeAlias = Mapping[tuple[str, Unit, Ties], pd.DataFrame]


def _imputed_proportions(shares: Floats, n_rankings: int, n_lost: int) -> Floats:
    """Return the expected proportions of compatible permutations with row above column.

    Of all single scores so many are lost, each set of them with the same probability.

    Notes
    -----
    A ranking keeps k of its n items with hypergeometric probability, and each k of them alike. A
    missing item is before the one at rank r of k, from 0, in a share (r + 1)/(k + 1).
    """
    n = len(shares)
    if n_lost == 0 or n < 2:
        return shares
    k = np.arange(n + 1, dtype=np.float64)
    weight = hypergeom(n_rankings * n, n_rankings * n - n_lost, n).pmf(k)
    both, one = k * (k - 1) / (n * (n - 1)), k * (n - k) / (n * (n - 1))
    neither = 1.0 - both - 2.0 * one
    # The mean over others of how likely one is above the column's item, without the row's.
    above = shares - np.diag(np.diag(shares))
    others = (above.sum(axis=0)[None, :] - above) / max(n - 2, 1)
    # Only the column's item is there: 1 + (k - 1) others of it are before it, on average.
    constant, slope = weight @ (one / (k + 1)), weight @ (one * np.maximum(k - 1, 0) / (k + 1))
    column_only = constant + slope * others
    row_only = weight @ one - column_only.T
    result: Floats = (weight @ both) * shares + (weight @ neither) / 2 + column_only + row_only
    np.fill_diagonal(result, 0.5)
    return result


class ConfidenceResult(StudyResult):
    """How many pairs methods decided, how many wrongly, and how often their intervals covered.

    Made by `ConfidenceStudy.run`; `plot` draws a `rankagg.plotting.study_plot`.

    Attributes
    ----------
    study : ConfidenceStudy
        The study.
    """

    study: ConfidenceStudy

    _schema = "rankagg.confidence_result"
    _row = "method"
    _curves = MappingProxyType(
        {
            "decided": Curve(
                "share of pairs decided",
                deviation="se_decided",
                times=2,
                band="two standard errors either way",
            ),
            "any_wrong": Curve(
                "share of tables\nwith a wrong decision",
                dotted="alpha",
                dotted_is="what alpha promises",
            ),
            "coverage": Curve(
                "share of intervals\nthat hold the truth",
                dotted="promised",
                dotted_is="what alpha promises",
            ),
            "covers_all": Curve(
                "share of tables where\nall intervals hold the truth",
                dotted="promised",
                dotted_is="what alpha promises",
            ),
            "width": Curve("mean width of the intervals"),
        }
    )
    _usual_x = ("step", "proportion")
    _counts = ("tables", "table")
    _stated = MappingProxyType({"tables": "n_cells", "failed": "n_failed", "methods": "_names"})

    def to_frame(self) -> pd.DataFrame:
        """Return one row per table, level and method.

        Returns
        -------
        pandas.DataFrame
            model, proportion, removal (where that is not completely at random throughout),
            repetition: the table; method; alpha; pairs: how many there are; comparisons: mean
            number of units that compare a pair; width: mean width of the intervals, which end at 0
            and 1; decided: pairs that are; wrong: those of them whose true proportion is on the
            other side of 1/2, or equal to it; covered: intervals that hold the true proportion of
            the units that compare the two; covered_imputed: those that hold the expected proportion
            of compatible permutations, which is known where scores go completely at random. What
            is not known, and intervals of a method that has none, are missing. error: what a method
            said that could not judge the table.
        """
        return self._frame.copy()

    @property
    def _points(self) -> list[str]:
        return [*self._grid, "alpha"]

    @property
    def _by(self) -> list[str]:
        return [*self._points, "method"]

    def _drawn(self) -> pd.DataFrame:
        table = self._results()
        return table.assign(promised=1 - table["alpha"])

    def by_method(self) -> pd.DataFrame:
        """Return what the repetitions say of every method at every level.

        Returns
        -------
        pandas.DataFrame
            Index: model, proportion, removal as in `to_frame`, alpha, method. tables; failed: those
            that the method could not judge; comparisons: mean number of units that compare a pair;
            width: mean width; decided: mean share of pairs, with its standard error se_decided;
            wrong: share of the decided pairs; any_wrong: share of the tables with a wrong decision;
            coverage: share of the intervals that hold the true proportion; covers_all: share of the
            tables where all of them do; coverage_imputed and covers_all_imputed: likewise for the
            expected proportion of compatible permutations.
        """
        counts = "decided", "wrong", "covered", "covered_imputed"
        frame = self._frame.astype(dict.fromkeys(counts, np.float64))
        pairs = frame["pairs"]
        frame["decided_share"] = frame["decided"] / pairs
        frame["any_wrong"] = _flag(frame["wrong"], frame["wrong"] > 0)
        kinds = {"": "covered", "_imputed": "covered_imputed"}
        for suffix, name in kinds.items():
            frame[f"all{suffix}"] = _flag(frame[name], frame[name] == pairs)
            frame[f"share{suffix}"] = frame[name] / pairs
        groups = frame.groupby(self._by, sort=False)
        decided = groups["decided"].sum()
        table = {
            "tables": groups.size(),
            "failed": groups.size() - groups["decided"].count(),
            "comparisons": groups["comparisons"].mean(),
            "width": groups["width"].mean(),
            "decided": groups["decided_share"].mean(),
            "se_decided": groups["decided_share"].sem(),
            "wrong": groups["wrong"].sum(min_count=1) / decided.where(decided > 0),
            "any_wrong": groups["any_wrong"].mean(),
            **{
                f"{name}{suffix}": groups[f"{column}{suffix}"].mean()
                for suffix in kinds
                for name, column in (("coverage", "share"), ("covers_all", "all"))
            },
        }
        return pd.DataFrame(table)

    def _judged(
        self, cell: JudgedCell, alpha: float, method: PairMethod
    ) -> tuple[RankedTable, Judged]:
        """Return a table, and what a method says of its pairs."""
        seed = self.study._seed
        ranked = RankedTable.of(cell.left(cell.complete(seed), seed))
        return ranked, cell.judge(seed, ranked, method, alpha)

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(method.name for method in self.study.ways)

    def _table(self) -> pd.DataFrame:
        table = self._results()
        shown = [*self._by, "width", "decided", "wrong", "any_wrong", "coverage", "covers_all"]
        if self.study.proportions != (0.0,):
            shown.append("coverage_imputed")
        # What is known of no model is left out.
        return table[[name for name in shown if name in self._by or table[name].notna().any()]]

    def _printed(self, table: pd.DataFrame) -> str:
        """Return for every table and level what each method does."""
        lines, case_of = [], self._by[:-1]
        for _, part in table.groupby(case_of, sort=False):
            first = part.to_dict("records")[0]
            shown = part.drop(columns=case_of).set_index("method").rename_axis(None)
            text = shown.to_string(na_rep="-", float_format=self._number.format)
            lines += ["", f"{_where(first)}, alpha {first['alpha']:g}:", text]
        return "\n".join(lines)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        failed = self._times("methods could not judge the table", self.n_failed)
        return (*gap_notes(self.study._sources), *failed)

    def _facts(self) -> Iterable[str]:
        study = self.study
        yield (
            f"{counted(len(study.ways), 'method')} on {counted(self.n_cells, 'table')}, "
            f"{counted(len(study.alphas), 'level')}, seed {study.rng}"
        )
        if any(study.proportions):
            how = "; ".join(removal.name for removal in study.removals)
            yield f"a proportion of single scores removed: {how}"
        yield (
            "decided: mean share of pairs; wrong: share of these; any_wrong, covers_all: shares of "
            "tables"
        )
        if self._frame["wrong"].isna().all():
            yield "true proportions are not known"
        yield from self.notes

    def _below(self, rows: int | None = ROWS) -> Iterable[str]:
        """Say of every method whether it held its level where that is hardest."""
        table = self._results().dropna(subset="any_wrong")
        beyond = (table["any_wrong"] - table["alpha"]).sort_values(ascending=False, kind="stable")
        worst = table.loc[beyond.index].drop_duplicates("method")
        lines = [
            f"{row['method']}: wrong decisions in {100 * row['any_wrong']:.1f} % of the tables at "
            f"alpha {row['alpha']:g} ({_where(row)}), at worst"
            for row in worst.sort_index().to_dict("records")
        ]
        return lines[:rows]


def _where(row: Mapping[Any, Any]) -> str:
    """Say which tables a row is about."""
    removed = f"{100 * row['proportion']:g} % removed" if row["proportion"] else ""
    return ", ".join(filter(None, (row["model"], removed, row.get("removal"))))


def _flag(known: pd.Series[float], is_true: pd.Series[bool]) -> pd.Series[float]:
    """Return 1 or 0; NaN where nothing is known."""
    return is_true.astype(np.float64).where(known.notna())


@dataclass(frozen=True, kw_only=True)
class ConfidenceStudy(Study[JudgedCell, ConfidenceResult]):
    """How many pairs of systems are decided, how many wrongly, and how often intervals cover.

    From every table a proportion of the single scores is removed, and every method decides the
    pairs of systems on what is left. Where the true proportions are known its decisions and its
    intervals are held against them. The random numbers of a table depend on the seed and on its
    cell of the grid alone.

    Parameters
    ----------
    data : DataSource, ScoreTable or a list of them, optional
        Where scores come from: `LatentModel` for scores that are drawn, a table as it is,
        `ResampledData` for one whose instances are drawn anew, so that the truth is known, or
        your own. By default figure 4: 10 systems with steps 0, 0.01, 0.142, ..., 0.8, compared 100
        and 500 times.
    methods : sequence of PairMethod, optional
        `IntervalMethod`, `PrintedRadius` or your own. By default the radii of figure 4 and equation
        4, Hoeffding's, Wilson's and Clopper and Pearson's intervals for each pair and for all, and
        Holm's procedure; where an instance has several rankings, Hoeffding's for rankings and
        for instances.
    alphas : sequence of float, default (0.01, 0.1)
        Probabilities of error.
    proportions : sequence of float, default (0,)
        Proportions of the single scores that are removed, in [0, 1).
    removals : sequence of ScoreRemoval, default (RandomRemoval(),)
        Which scores go: `RandomRemoval`, `RemovalBySystem`, `RemovalByTask`, `RemovalByScore`,
        `RemovalByAge`, `RemovalOfBlocks` or your own.
    n_repetitions : int, default 100
        Tables for each combination.
    rng : int, numpy.random.Generator or None, optional
        A seed of all random numbers; by default, and from a generator, one is drawn and kept.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, two data, methods or removals are alike, or a
        proportion leaves no score, or more than may go.

    References
    ----------
    Himmi et al. (2023), "Towards more robust NLP system evaluation: handling missing scores in
    benchmarks", https://doi.org/10.48550/arXiv.2305.10284, sections 2.3, 3.3 and 4.4, figures 4,
    6 and 11.

    Examples
    --------
    >>> from rankagg import studies
    >>> study = studies.ConfidenceStudy(
    ...     data=studies.LatentModel(step=0.4, n_systems=10, n_tasks=1, n_instances=500),
    ...     methods=[studies.PrintedRadius(radius="figure 4"), studies.IntervalMethod(holm=True)],
    ...     alphas=[0.01],
    ...     n_repetitions=20,
    ...     rng=0,
    ... )
    >>> study.run().by_method()[["decided", "any_wrong"]].round(2).reset_index(drop=True)
       decided  any_wrong
    0     0.80        0.0
    1     0.94        0.0
    """

    _cell = JudgedCell
    _found = ConfidenceResult
    _fields: ClassVar[Fields] = {
        "method": "str",
        "alpha": "float64",
        "pairs": "int64",
        "comparisons": "float64",
        "width": "float64",
        "decided": "Int64",
        "wrong": "Int64",
        "covered": "Int64",
        "covered_imputed": "Int64",
        "error": "str",
    }

    data: Any = FIGURE_4
    methods: Sequence[PairMethod] | None = None
    alphas: Sequence[float] = (0.01, 0.1)
    proportions: Sequence[float] = (0.0,)
    removals: Sequence[ScoreRemoval] = (RANDOM_REMOVAL,)
    n_repetitions: int = 100
    rng: RNGLike = None

    def __post_init__(self) -> None:
        super().__post_init__()
        owner = "of ConfidenceStudy"
        inside = {"low": 0, "high": 1, "open_low": True, "open_high": True}
        levels = several_of(check_number, self.alphas, f"alphas {owner}", **inside)
        self._set("alphas", levels)
        tables = tables_of(self._sources)
        for table, removal in product(tables, self.removals):
            removal.remove(table, max(self.proportions), whole_tasks=False, rng=0)
        if self.methods is None:
            # Whether an instance has several rankings.
            shared = any(
                table.instances is not None and len(set(table.instances)) < table.n_units
                for table in tables
            )
            self._set("methods", SEVERAL_RANKINGS if shared else ONE_RANKING_EACH)
        kind = {"kind": PairMethod, "example": "`IntervalMethod()`"}
        self._set("methods", several_of(check_kind, self.methods, f"methods {owner}", **kind))

    @property
    def ways(self) -> tuple[PairMethod, ...]:
        """The methods, also where none were stated."""
        assert self.methods is not None, "set on creation"
        return tuple(self.methods)

    def _prepared(self, deadline: object) -> Truths:
        """Return the true proportions that methods estimate, as far as models know them."""
        found = {}
        for model in self.data:
            for unit, ties in dict.fromkeys((method.unit, method.ties) for method in self.ways):
                try:
                    frame = model.true_proportions(unit=unit, ties=ties)
                except RankaggError:
                    # So will every method of that kind, and its row says why.
                    continue
                if frame is not None:
                    found[model.identity, unit, ties] = frame
        return found

    def _try(self, cell: JudgedCell, prepared: Truths) -> list[Row]:
        """Draw a table, remove scores, and decide its pairs with every method."""
        complete = cell.complete(self._seed)
        ranked = RankedTable.of(cell.left(complete, self._seed))
        lost = n_removed(complete.values.size, cell.proportion)
        labels, known = list(ranked.profile.items), {}
        # Of other mechanisms nothing is expected.
        is_known = cell.removal == RANDOM_REMOVAL or not lost
        for method in self.ways:
            true, halves = (
                None if frame is None else frame.loc[labels, labels].to_numpy(np.float64)
                for frame in (
                    prepared.get((cell.model.identity, method.unit, ties))
                    for ties in (method.ties, "half")
                )
            )
            imputed = None
            if halves is not None and not complete.n_missing and is_known:
                imputed = _imputed_proportions(halves, complete.n_units, lost)
            known[method] = {"covered": true, "covered_imputed": imputed}
        return [
            self._row(cell, ranked, method, alpha, known[method])
            for alpha in self.alphas
            for method in self.ways
        ]

    def _row(
        self,
        cell: JudgedCell,
        ranked: RankedTable,
        method: PairMethod,
        alpha: float,
        known: Mapping[str, Floats | None],
    ) -> Row:
        """Hold what a method says against the proportions that are known."""
        upper = np.triu_indices(ranked.profile.n_items, k=1)
        row: Row = dict.fromkeys(self._fields)
        row |= {"method": method.name, "alpha": alpha, "pairs": len(upper[0])}
        try:
            row["comparisons"] = ranked.comparisons(method.unit)
            judged = cell.judge(self._seed, ranked, method, alpha)
        except RankaggError as error:
            # The study goes on, and counts it.
            return {**row, "error": str(error)}
        row["decided"] = int(judged.above.sum())
        true = known["covered"]
        if true is not None:
            row["wrong"] = int((judged.above & (true <= 0.5 + ROUNDING)).sum())
        if judged.lower is None or judged.upper is None:
            return row
        row["width"] = float((judged.upper - judged.lower)[upper].mean())
        for name, values in known.items():
            if values is not None:
                inside = (judged.lower <= values + ROUNDING) & (values <= judged.upper + ROUNDING)
                row[name] = int(inside[upper].sum())
        return row
