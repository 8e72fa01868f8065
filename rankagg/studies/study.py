"""Studies: a grid of cells with their own random numbers, a trial on each, and results."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from copy import copy
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import product
from operator import itemgetter
from os import PathLike
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar, cast

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, effective_n_jobs
from tqdm import tqdm

from rankagg._typing import Floats, Generator, RNGLike
from rankagg._validation import as_generator, check_alpha, check_flag, check_integer, check_number
from rankagg.aggregation import Aggregator, Consensus, Deadline, Evidence, check_rule, deadline_of
from rankagg.core import ROWS, Result, ScoreTable, counted, plain_rows
from rankagg.cultures import DataSource
from rankagg.exceptions import (
    Described,
    InvalidInputError,
    OutOfTimeError,
    RankaggError,
    WorkerError,
)
from rankagg.studies.journal import JournalFile
from rankagg.studies.measures import Cell, Measures
from rankagg.studies.sources import ObservedData, as_sources

# Costs and shares are sums of fractions; smaller differences are rounding error.
ROUNDING = 1e-9
# Drawn seeds are below this, so that every program can read them.
SEEDS = 2**31

# The values of a dimension.
DIFFERENT = "a list of one or more different values"
# Columns printed with four decimals, to distinguish a mean ratio from 1.
RATIOS = ("mean_ratio", "mean_ratio_high", "max_ratio")
#: The pandas name of each statistic in column names.
STATISTICS = {"mean": "mean", "se": "sem", "std": "std", "max": "max", "median": "median"}

#: The result of one method on one data set, as plain data.
Row = dict[str, Any]


AnyCell = TypeVar("AnyCell", bound=Cell)


@dataclass(frozen=True, kw_only=True)
class Study(ABC, Generic[AnyCell]):
    """A grid of cells, a trial on each, and its measures.

    A new study is a frozen dataclass. It defines its cells, the columns of a row and its measures,
    and implements `_try`. This class provides data, grid, checks, seeds, workers, journals, tables,
    plots and pages.
    """

    _cell: ClassVar[type[Cell]]
    _measures: ClassVar[Measures] = Measures()

    n_repetitions: int
    rng: RNGLike

    def __post_init__(self) -> None:
        owner = f"of {type(self).__name__}"
        if isinstance(self.rng, Generator | np.random.SeedSequence | None):
            self._set("rng", int(as_generator(self.rng).integers(SEEDS)))
        self._set("rng", check_integer(self.rng, f"rng {owner}", low=0))
        check_integer(self.n_repetitions, f"n_repetitions {owner}", low=1)
        if (limit := getattr(self, "time_limit", None)) is not None:
            check_number(limit, f"time_limit {owner}", low=0)
        for one, name in self._dimensions.items():
            given, parameter = getattr(self, name), f"{name} {owner}"
            if one.name == "model":
                remedy = "`ObservedData(label=..., data=...)` gives data another name."
                self._set(name, _different(as_sources(given, parameter), parameter, remedy))
            else:
                self._set_checked(name, one.metadata["check"])
        if hasattr(self, "n_items"):
            for source in self._sources:
                if source.most_items is not None and max(self.n_items) > source.most_items:
                    allowed = f"at most {source.most_items}, the items of {source.name}"
                    raise InvalidInputError("n_items", allowed, max(self.n_items))
        if hasattr(self, "rules"):
            self._set_checked("rules", check_rule)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _set_checked(self, name: str, check: Callable[..., Any], **bounds: Any) -> None:
        """Set one or more different values of a parameter, each checked."""
        parameter = f"{name} of {type(self).__name__}"
        given = getattr(self, name)
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InvalidInputError(parameter, DIFFERENT, given)
        checked = tuple(check(value, parameter=parameter, **bounds) for value in given)
        self._set(name, _different(checked, parameter))

    @property
    def _seed(self) -> int:
        """The seed, drawn if none was given."""
        assert isinstance(self.rng, int), "set on creation"
        return self.rng

    @property
    def _dimensions(self) -> dict[Any, str]:
        """The fields of a cell, and the study's attributes with their values."""
        *dimensions, _ = fields(cast("Any", self._cell))
        return {
            one: "data" if one.name == "model" else one.name + "s" * (not hasattr(self, one.name))
            for one in dimensions
        }

    @property
    def _sources(self) -> tuple[DataSource, ...]:
        """The data sources."""
        data = getattr(self, "data", ())
        return data if isinstance(data, tuple) else ()

    def _tables(self) -> list[ScoreTable]:
        """Return a table of each source; refuse sources without scores."""
        tables = []
        for source in self._sources:
            table = source.sample(rng=0) if source.gives == "scores" else None
            if not isinstance(table, ScoreTable) or table.n_systems < 2:
                raise InvalidInputError("data", "sources of scores of two or more systems", source)
            tables.append(table)
        return tables

    @property
    def _settings(self) -> dict[str, Any]:
        """The parameters other than the cell that rows depend on, as plain data."""
        grid = {*self._dimensions.values(), "n_repetitions"}
        named = (one.name for one in fields(self) if one.name not in grid)
        return {name: _plain(getattr(self, name)) for name in named}

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        """The texts of the rules that seed their random numbers."""
        return tuple(map(repr, getattr(self, "rules", ())))

    # -- hooks of studies ---------------------------------------------------------------------

    @property
    @abstractmethod
    def _fields(self) -> Mapping[str, str]:
        """The columns of a row, and their types; "method" identifies the method."""

    @abstractmethod
    def _try(self, cell: AnyCell, prepared: Any) -> list[Row]:
        """Return the rows of a cell as plain data; runs in a worker, without the grid."""

    def _prepared(self, deadline: Deadline) -> Any:
        """Return data for all cells, computed once."""
        return None

    def _is_drawn(self, cell: AnyCell) -> bool:
        """Return whether another repetition of a cell would be another data set."""
        return True

    @property
    def _compared(self) -> tuple[Any, ...]:
        """The rules or methods."""
        return tuple(getattr(self, "rules", ()))

    def _measured(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return rows with further columns for `_measures`."""
        return frame

    def _completed(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the table of statistics with further columns."""
        return table

    def _table(self, result: StudyResult) -> pd.DataFrame:
        """Return the printed table."""
        table = result.by_method()
        counts = [name for name in ("failed", "unproved") if name in table and table[name].any()]
        columns = [name for name in self._measures.printed if table[name].notna().any()]
        return table[[*counts, *columns]].reset_index()

    def _headline(self, result: StudyResult) -> str:
        """Return the main result in one sentence."""
        return ""

    def _about(self, result: StudyResult) -> Iterable[str]:
        """Return an explanation of the numbers."""
        return ()

    def _notes(self, frame: pd.DataFrame) -> Iterable[str]:
        """Return notes in addition to those on failures and missing proofs."""
        return ()

    def _below(self, frame: pd.DataFrame) -> Iterable[str]:
        """Return sentences for the end of the text."""
        return ()

    @property
    def _gaps(self) -> list[str]:
        """Notes on tables with missing scores from the start."""
        observed = [source for source in self._sources if isinstance(source, ObservedData)]
        gaps = [(one.name, getattr(one.data, "n_missing", 0)) for one in observed]
        return [f"{name}: {counted(n, 'score')} missing from the start" for name, n in gaps if n]

    # -- the grid, and its run ----------------------------------------------------------------

    def cells(self) -> Iterator[AnyCell]:
        """Iterate over the data sets of the grid, in the order of the results."""
        grid = {one.name: getattr(self, name) for one, name in self._dimensions.items()}
        grid["repetition"] = range(self.n_repetitions)
        for model in grid.pop("model", [None]):
            values = dict(grid)
            if model is not None:
                sizes = zip(("n_items", "n_rankings"), model.own_sizes, strict=True)
                own = {name: [size] for name, size in sizes if name in grid and size is not None}
                values = {"model": [model]} | grid | own
            for place in product(*values.values()):
                cell = cast("AnyCell", self._cell(*place))
                if place[-1] == 0 or self._is_drawn(cell):
                    yield cell

    def run(
        self,
        *,
        n_jobs: int | None = None,
        journal: str | PathLike[str] | None = None,
        progress: bool | None = None,
        time_limit: float | None = None,
    ) -> StudyResult:
        """Run the trial on all cells that are not in the journal.

        Parameters
        ----------
        n_jobs : int, optional
            Workers for joblib, -1 for one per core. By default the setting of
            `joblib.parallel_config`, which also chooses the backend (processes, threads, Dask), or
            1.
        journal : path, optional
            A file that records every finished cell. A study that was stopped, or whose grid has
            grown, continues from it.
        progress : bool, optional
            Whether to show a progress bar on the standard error; by default only on a terminal.
        time_limit : float, optional
            Seconds after which no further cell starts.

        Returns
        -------
        StudyResult
            The result, which does not depend on the number of workers.

        Raises
        ------
        OutOfTimeError
            If not all cells were done in time, or `WorkerError` if a worker was killed; finished
            cells are in the journal.
        """
        deadline = deadline_of(time_limit)
        cells = list(self.cells())
        book = None if journal is None else self._journal(journal)
        results = {} if book is None else book.read(stacklevel=3)
        left = [cell for cell in cells if cell.key not in results]
        hidden = None if progress is None else not check_flag(progress, "progress")
        bar = tqdm(total=len(cells), initial=len(cells) - len(left), unit="cell", disable=hidden)
        prepared, worker = self._prepared(deadline), self._without_grid()
        with bar, Parallel(n_jobs=n_jobs) as pool:
            workers = effective_n_jobs(n_jobs)
            # Small batches, so that an interrupted study loses little.
            size = 1 if workers == 1 else 16 * workers
            for batch in (left[at : at + size] for at in range(0, len(left), size)):
                try:
                    deadline.seconds_left()
                    rows = pool(delayed(worker._try)(cell, prepared) for cell in batch)
                except OutOfTimeError:
                    raise OutOfTimeError(
                        f"{len(results)} of {counted(len(cells), 'data set')} were done in time; "
                        "the journal keeps them, if there is one."
                    ) from None
                except BrokenProcessPool:
                    raise WorkerError(
                        "A process of the study was killed, perhaps for lack of memory. "
                        "Finished data sets are in the journal, if there is one; try fewer "
                        "`n_jobs`."
                    ) from None
                done = dict(zip([cell.key for cell in batch], rows, strict=True))
                if book is not None:
                    book.append({"cell": key, "rows": rows} for key, rows in done.items())
                results |= done
                bar.update(len(batch))
        return StudyResult(study=self, _frame=self._frame(cells, results))

    def _journal(self, path: str | PathLike[str]) -> JournalFile:
        head = {"schema": "rankagg.study", "version": 1, "study": type(self).__name__}
        return JournalFile(path, {**head, "columns": list(self._fields), **self._settings})

    @property
    def _grid(self) -> list[str]:
        """The dimensions of the grid that tables show."""
        dimensions = self._dimensions.items()
        return [one.name for one, name in dimensions if getattr(self, name) != (one.default,)]

    def _frame(self, cells: list[AnyCell], results: Mapping[Any, list[Row]]) -> pd.DataFrame:
        """Return a line for each row of each cell: the cell, then the row."""
        lines = [(cell, row) for cell in cells for row in results[cell.key]]
        columns: dict[str, Any] = {}
        for name in (*self._grid, "repetition"):
            values = [getattr(cell, name) for cell, _ in lines]
            named = [getattr(value, "name", value) for value in values]
            # Keep the types of labels if some cells have none.
            columns[name] = pd.Series(named, dtype=object) if None in named else named
        for name in lines[0][1]:
            kind: Any = self._fields[name]
            columns[name] = pd.array([row[name] for _, row in lines], kind)
        return pd.DataFrame(columns)

    def _without_grid(self) -> Study[AnyCell]:
        """Return a copy for workers without data, which cells carry."""
        light = copy(self)
        if "data" in self._dimensions.values():
            light._set("data", ())
        return light

    def _aggregate(
        self, rule: Aggregator, evidence: Evidence, rng: RNGLike, deadline: Deadline | None = None
    ) -> Consensus:
        """Return a consensus; an interrupted rule stops the study."""
        consensus = rule.aggregate(evidence, rng=rng, deadline=deadline)
        if consensus.interrupted:
            raise KeyboardInterrupt
        return consensus

    def _attempt(
        self, rule: Aggregator, evidence: Evidence, rng: RNGLike
    ) -> Consensus | RankaggError:
        """Return the consensus or the error of a rule; the study continues."""
        try:
            return self._aggregate(rule, evidence, rng)
        except RankaggError as error:
            return error

    def _attempts(self, evidence: Evidence, cell: AnyCell) -> list[Consensus | RankaggError]:
        """Return the consensus or the error of every rule."""
        return [
            self._attempt(rule, evidence, cell.generator(self._seed, text))
            for rule, text in zip(getattr(self, "rules", ()), self._texts, strict=True)
        ]


class StudyResult(Result):
    """The result of a study: a row for each draw and rule, and statistics over repetitions.

    Returned by the `run` of every study; `plot` draws a `rankagg.plotting.study_plot`.

    Attributes
    ----------
    study : ApproximationStudy, ConfidenceStudy, ...
        The study.
    """

    study: Study[Any]
    _frame: pd.DataFrame = field(compare=False)

    _schema = "rankagg.study_result"
    _row = "row"
    _plot = "study_plot"
    _named_rows = False
    _formats = MappingProxyType({"scale": "{:zg}".format} | dict.fromkeys(RATIOS, "{:z.4f}".format))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per draw and rule, with the columns described in the study's class.

        Returns
        -------
        pandas.DataFrame
        """
        return self._frame.copy()

    def by_method(
        self, *, alpha: float = 0.05, quantiles: Sequence[float] = (0.05, 0.25, 0.5, 0.75, 0.95)
    ) -> pd.DataFrame:
        """Return statistics over repetitions for every rule at every point of the grid.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of the Wilson intervals for shares.
        quantiles : sequence of float
            The quantiles, in [0, 1], if the study has some.

        Returns
        -------
        pandas.DataFrame
            Index: the dimensions of the grid and the rule. cells: data sets; failed: those that
            the rule could not rank; unproved: those without a proved optimum. Then the statistics
            described in the study's class, over the remaining data sets: mean_x with its standard
            error se_x, x_q for the quantile q of x, and ends x_low and x_high of intervals. A
            single data set has no interval.
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
            is_of_column = how in STATISTICS and column in frame
            values = groups[column].agg(STATISTICS[how]) if is_of_column else groups[name].mean()
            table[name] = values.astype(np.float64)
        if column := measures.quantiles:
            table |= {f"{column}_{q:g}": groups[column].quantile(q) for q in levels}
        return self.study._completed(pd.DataFrame(table))

    @property
    def measures(self) -> Measures:
        """The statistics of the study, and how they are printed and drawn."""
        return self.study._measures

    @property
    def _intervals(self) -> Mapping[str, tuple[str, str]]:  # type: ignore[override]
        shares = self.measures.shares.items()
        ends = {name: (f"{column}_low", f"{column}_high") for name, column in shares}
        return {name: pair for name, pair in ends.items() if pair[0] in self.measures.printed}

    @property
    def _by(self) -> list[str]:
        """The index of `by_method`."""
        measures = self.measures
        columns = *self.study._grid, *measures.points, *measures.lines
        return [name for name in dict.fromkeys(columns) if name not in measures.over]

    def headline(self) -> str:
        """Return the main result in one sentence; empty for studies without one."""
        return self.study._headline(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the reader."""
        notes, failed, unproved = [*self.study._gaps], self.n_failed, self.n_unproved
        if failed:
            notes.append(
                f"{self.measures.compared}s failed {counted(failed, 'time')}, as `error` says"
            )
        if unproved:
            notes.append(f"optima of {counted(unproved, self.measures.noun)} are not proved")
        return (*notes, *self.study._notes(self._frame))

    @property
    def n_cells(self) -> int:
        """The number of drawn data sets."""
        return len(self._frame.drop_duplicates(self._key_columns))

    @property
    def n_failed(self) -> int:
        """The number of failures to rank or judge the data."""
        return int(self._frame["error"].count()) if "error" in self._frame else 0

    @property
    def n_unproved(self) -> int:
        """The number of data sets whose optimum was searched but not proved."""
        if "proved" not in self._frame:
            return 0
        unproved = ~self._frame["proved"].fillna(True)
        return len(self._frame[unproved].drop_duplicates(self._key_columns))

    @property
    def _key_columns(self) -> list[str]:
        return [*self.study._grid, "repetition"]

    def to_html(self, *, title: str = "", source: Iterable[str] = (), **options: Any) -> str:
        """Return one self-contained page: figure, table, question, methods, versions.

        Parameters
        ----------
        title : str
            The heading; by default the kind of the study.
        source : iterable of str
            Notes on the source of the data, a line each.
        **options
            Options of the plot.

        Returns
        -------
        str
        """
        # Imported by name, as studies must not depend on pages.
        page = importlib.import_module("rankagg.report.drawn_pages")
        return str(page.study_page(self, title, source, **options))

    def _table(self) -> pd.DataFrame:
        return self.study._table(self)

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
        return {
            "study": type(self.study).__name__,
            "rng": self.study.rng,
            **self._plain("n_cells", "n_failed", "n_unproved", "headline", "notes"),
            "results": plain_rows(self.by_method().reset_index()),
        }

    def _key(self) -> tuple[Hashable, ...]:
        # Compare all digits, but no run times.
        timeless = self._frame.drop(columns=["runtime", "exact_runtime"], errors="ignore")
        return self.study, timeless.to_json(double_precision=15)


def _wilson(flags: Any, alpha: float) -> list[Floats]:
    """Return the share of a flag in each group, without missing ones, and its Wilson interval."""
    from statsmodels.stats.proportion import proportion_confint  # noqa: PLC0415

    counts = flags.count().to_numpy()
    hits, tried = flags.sum().to_numpy(np.float64), np.maximum(counts, 1)
    low, high = proportion_confint(hits, tried, alpha=alpha, method="wilson")
    least = zip((hits / tried, low, high), (1, 2, 2), strict=True)
    return [np.where(counts >= number, share, np.nan) for share, number in least]


def _plain(value: Any) -> Any:
    """Return the value of a parameter as plain data that identify it."""
    if isinstance(value, ScoreTable):
        return ObservedData(label="", data=value).identity
    if isinstance(value, Mapping):
        return [[repr(key), _plain(one)] for key, one in value.items()]
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def _different(given: tuple[Any, ...], parameter: str, remedy: str = "") -> tuple[Any, ...]:
    """Return one or more different values; named ones must differ in their names."""
    times = Counter(str(getattr(value, "name", repr(value))) for value in given)
    name, most = max(times.items(), key=itemgetter(1), default=("none", 0))
    if most != 1:
        got = Described(f"{name} {counted(most, 'time')}" if most else "none")
        raise InvalidInputError(parameter, DIFFERENT, got, remedy)
    return given
