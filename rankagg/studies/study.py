"""Studies: a grid of cells that are their own seed, what is tried on each, and what is found."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass, field, fields
from functools import cached_property
from hashlib import sha256
from itertools import product
from operator import attrgetter, itemgetter
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, cast

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from tqdm import tqdm

from rankagg._typing import Floats, Generator, RNGLike
from rankagg._validation import as_generator, check_flag, check_integer, check_number
from rankagg.aggregation import (
    Aggregator,
    Consensus,
    Deadline,
    Evidence,
    check_rule,
    time_limit_of,
)
from rankagg.core import Result, ScoreTable, counted, plain_rows, plain_value
from rankagg.cultures import DataSource
from rankagg.exceptions import (
    Described,
    InvalidInputError,
    OutOfTimeError,
    RankaggError,
    WorkerError,
)
from rankagg.io.cluster import RETRIES, check_client, cluster_failures_told
from rankagg.io.journal import JournalFile
from rankagg.studies.sources import as_sources, check_most_items, listed_values, table_digest

if TYPE_CHECKING:
    from distributed import Client
    from pandas.core.groupby import DataFrameGroupBy

    Groups: TypeAlias = DataFrameGroupBy[tuple[Hashable, ...], Literal[True]]

# Costs and shares are sums of fractions; what differs by no more is equal.
ROUNDING = 1e-9
# Seeds that are drawn are below that: every program reads them as they are.
SEEDS = 2**31


class Cell:
    """One data set of a study.

    Its random numbers depend on the seed and on itself alone: not on the other cells, nor on who
    computes it. A subclass is a frozen dataclass. Each of its fields but the last, the repetition,
    is a dimension of the grid, whose values the study has under that name or its plural. One with
    a default is not told where it is the only value.
    """

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """What tells it apart, as plain data: texts, integers, numbers."""
        kind = "identity_of_sizes" if hasattr(self, "n_items") else "identity"
        values = (getattr(self, one.name) for one in fields(cast("Any", self)))
        return tuple(getattr(value, kind, value) for value in values)

    def generator(self, seed: int, purpose: str) -> Generator:
        """Return the random numbers for one purpose."""
        digest = sha256(repr((*self.key, purpose)).encode()).digest()
        words = np.frombuffer(digest, dtype="<u4").tolist()
        return np.random.default_rng(np.random.SeedSequence([seed, *words]))


AnyCell = TypeVar("AnyCell", bound=Cell)
AnyResult = TypeVar("AnyResult")
#: What was found of one data set by one method, as plain data; and what tells the data set apart.
Row: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[Any, ...]
#: Columns of frames, and their types for pandas.
Fields: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Study(ABC, Generic[AnyCell, AnyResult]):
    """A grid of cells, and what is tried on each.

    A new study is a frozen dataclass. It states its cells and the columns of a row, and implements
    `_try`; data, grid, checks, seeds, workers, journals and clusters follow.
    """

    #: The classes of its cells and of its result.
    _cell: ClassVar[type[Cell]]
    _found: ClassVar[type[StudyResult]]

    n_repetitions: int
    rng: RNGLike

    def __post_init__(self) -> None:
        owner = f"of {type(self).__name__}"
        if isinstance(self.rng, Generator | np.random.SeedSequence | None):
            self._set("rng", int(as_generator(self.rng).integers(SEEDS)))
        self._set("rng", check_integer(self.rng, f"rng {owner}", low=0))
        check_integer(self.n_repetitions, f"n_repetitions {owner}", low=1)
        if getattr(self, "time_limit", None) is not None:
            check_number(getattr(self, "time_limit"), f"time_limit {owner}", low=0)  # noqa: B009
        for one, name in self._dimensions.items():
            self._set(name, _checked(one, getattr(self, name), f"{name} {owner}"))
        if hasattr(self, "n_items"):
            check_most_items(self._sources, self.n_items)
        if hasattr(self, "rules"):
            rules = _check_rules(self.rules, f"rules {owner}")
            self._set("rules", several(rules, f"rules {owner}"))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def _seed(self) -> int:
        """The seed, which was drawn where none was stated."""
        assert isinstance(self.rng, int), "set on creation"
        return self.rng

    @property
    def _dimensions(self) -> dict[Any, str]:
        """The fields of a cell, and where the study has their values."""
        *dimensions, _ = fields(cast("Any", self._cell))
        return {
            one: "data" if one.name == "model" else one.name + "s" * (not hasattr(self, one.name))
            for one in dimensions
        }

    @property
    def _sources(self) -> tuple[DataSource, ...]:
        """What data are drawn from."""
        return tuple(getattr(self, "data", ()))

    @property
    def _settings(self) -> dict[str, Any]:
        """What rows depend on beside the cell, as plain data."""
        grid = {*self._dimensions.values(), "n_repetitions"}
        named = (one.name for one in fields(self) if one.name not in grid)
        return {name: _plain(getattr(self, name)) for name in named}

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        """What random numbers know the rules by."""
        return tuple(map(repr, getattr(self, "rules", ())))

    def _results(
        self, evidence: Evidence, cell: AnyCell, purpose: str = ""
    ) -> list[Consensus | RankaggError]:
        """Return what every rule makes of data, or the error that it ended with."""
        return [
            consensus_of(rule, evidence, cell.generator(self._seed, purpose + text))
            for rule, text in zip(getattr(self, "rules", ()), self._texts, strict=True)
        ]

    @property
    @abstractmethod
    def _fields(self) -> Fields:
        """The columns of a row, and their types; "method" says whose the row is."""

    def _prepared(self, deadline: Deadline) -> Any:
        """Return what is computed once, before any cell."""
        return None

    @abstractmethod
    def _try(self, cell: AnyCell, prepared: Any) -> list[Row]:
        """Return the rows of a cell as plain data; a worker does it, who has no grid."""

    def _is_drawn(self, cell: AnyCell) -> bool:
        """Say whether another repetition of a cell would be another data set."""
        return True

    def cells(self) -> Iterator[AnyCell]:
        """Iterate over the data sets of the grid, in the order of the results."""
        grid = {one.name: getattr(self, name) for one, name in self._dimensions.items()}
        grid["repetition"] = range(self.n_repetitions)
        for model in grid.pop("model", [None]):
            values = dict(grid)
            if model is not None:
                sizes = zip(("n_items", "n_rankings"), model.own_sizes, strict=True)
                own = {name: [size] for name, size in sizes if size is not None}
                values = {"model": [model]} | grid | {n: own[n] for n in own if n in grid}
            for place in product(*values.values()):
                cell = cast("AnyCell", self._cell(*place))
                if place[-1] == 0 or self._is_drawn(cell):
                    yield cell

    def _journal(self, path: str | PathLike[str]) -> JournalFile:
        """Return what finished cells are noted in."""
        head = {"study": type(self).__name__, "columns": list(self._fields)}
        return JournalFile(
            path,
            {"schema": "rankagg.study", "version": 1, **head, **self._settings},
            work="study",
            same="rules, seed and limits",
            again="its data set is computed again",
        )

    def run(
        self,
        *,
        n_jobs: int | None = None,
        journal: str | PathLike[str] | None = None,
        progress: bool | None = None,
        client: Client | None = None,
        time_limit: float | None = None,
    ) -> AnyResult:
        """Run the trial on what the journal does not hold already.

        Parameters
        ----------
        n_jobs : int, optional
            Workers for joblib, -1 for one a core. By default what `joblib.parallel_config` says,
            which also chooses the backend (processes, threads, Dask), and else one.
        journal : path, optional
            A file that every finished cell is noted in. A study that was stopped, or whose grid
            has grown, goes on from it.
        progress : bool, optional
            Whether to show a bar on the standard error; by default on a terminal only.
        client : distributed.Client, optional
            Of a cluster of Dask (the extra ``big``) that does the work, by default on all of its
            threads. What a lost worker did is done again by another.
        time_limit : float, optional
            Seconds after which no further cell is begun.

        Returns
        -------
        Result
            What the study's class says; the same whatever the number of workers.

        Raises
        ------
        InvalidInputError
            If the journal is one of another study, or the client is none.
        DataFormatError
            If a line of the journal is not what was written; the message says which.
        OutputError
            If the journal cannot be written.
        WorkerError
            If a worker was killed, or the cluster was lost.
        OutOfTimeError
            If not all cells were done in time; those that were are in the journal.
        """
        deadline = Deadline.after(time_limit_of(time_limit))
        cells, found = list(self.cells()), dict[Key, list[Row]]()
        book = None if journal is None else self._journal(journal)
        with nullcontext() if book is None else book.locked():
            for _, noted in () if book is None else book.read(stacklevel=3):
                found[tuple(noted["cell"])] = noted["rows"]
            left = [cell for cell in cells if cell.key not in found]
            hidden = None if progress is None else not check_flag(progress, "progress")
            bar = tqdm(
                total=len(cells), initial=len(cells) - len(left), unit="cell", disable=hidden
            )
            prepared, worker = self._prepared(deadline), self._without_grid()
            with bar, _on(client), Parallel(n_jobs=n_jobs) as pool:
                workers = effective_n_jobs(n_jobs)
                # Few enough that an interrupted study loses little.
                size = 1 if workers == 1 else 16 * workers
                for batch in (left[at : at + size] for at in range(0, len(left), size)):
                    try:
                        deadline.seconds_left()
                        rows = pool(delayed(worker._try)(cell, prepared) for cell in batch)
                    except OutOfTimeError:
                        raise OutOfTimeError(
                            f"{len(found)} of {counted(len(cells), 'data set')} were done in time; "
                            "the journal keeps them, if there is one."
                        ) from None
                    except BrokenProcessPool:
                        raise WorkerError(
                            "A process of the study was killed, perhaps for want of memory. "
                            "Finished data sets are in the journal, if there is one; try fewer "
                            "`n_jobs`."
                        ) from None
                    done = dict(zip([cell.key for cell in batch], rows, strict=True))
                    if book is not None:
                        book.append({"cell": key, "rows": rows} for key, rows in done.items())
                    found |= done
                    bar.update(len(batch))
        return self._result(self._frame(cells, found))

    @property
    def _grid(self) -> list[str]:
        """The dimensions of the grid that tables have."""
        dimensions = self._dimensions.items()
        return [one.name for one, name in dimensions if getattr(self, name) != (one.default,)]

    def _frame(self, cells: list[AnyCell], found: Mapping[Key, list[Row]]) -> pd.DataFrame:
        """Return a line for each row of each cell: the cell, then the row."""
        lines = [(cell, row) for cell in cells for row in found[cell.key]]
        columns: dict[str, Any] = {}
        for name in (*self._grid, "repetition"):
            values = [getattr(cell, name) for cell, _ in lines]
            named = [getattr(value, "name", value) for value in values]
            # Labels stay what they are where there is none for some cells.
            columns[name] = pd.Series(named, dtype=object) if None in named else named
        for name in lines[0][1]:
            kind: Any = self._fields[name]
            columns[name] = pd.array([row[name] for _, row in lines], kind)
        return pd.DataFrame(columns)

    def _result(self, frame: pd.DataFrame) -> AnyResult:
        """Return what the rows of all cells become."""
        return cast("AnyResult", self._found(study=self, _frame=frame))

    def _without_grid(self) -> Study[AnyCell, AnyResult]:
        """Return what goes to workers: data go with their cells alone."""
        light = copy(self)
        if "data" in self._dimensions.values():
            light._set("data", ())
        return light


def _plain(value: Any) -> Any:
    """Return the value of a parameter as plain data, which tell it from any other."""
    if isinstance(value, ScoreTable):
        return table_digest(value)
    if isinstance(value, Mapping):
        return [[repr(key), _plain(one)] for key, one in value.items()]
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


@contextmanager
def _on(client: Client | None) -> Iterator[None]:
    """Let joblib use the cluster of a client, where there is one."""
    if client is None:
        yield
        return
    options = {"client": check_client(client), "retries": RETRIES}
    with cluster_failures_told("data sets"), parallel_config("dask", n_jobs=-1, **options):
        yield


@dataclass(frozen=True)
class Curve:
    """A column of a result's table that `study_plot` draws, with its band."""

    # What stands at the upright axis.
    label: str
    # The columns of the ends of its band; or one of a deviation, and how many of it either way.
    low: str = ""
    high: str = ""
    deviation: str = ""
    times: float = 1.0
    # What the band is.
    band: str = ""
    # The least and the greatest value; None where there is none.
    least: float = 0.0
    most: float | None = 1.0
    # A column that is drawn dotted for comparison, and what it is.
    dotted: str = ""
    dotted_is: str = ""


#: Points of a grid in words, by their column; others are called as they are.
WORDS: Mapping[str, Callable[[Any], str]] = {
    "n_items": lambda number: counted(number, "item"),
    "scope": {
        "tasks": "rules aggregate tasks",
        "instances": "rules aggregate all instances",
        "within": "rules aggregate one task's instances",
    }.__getitem__,
    "n_rankings": lambda number: counted(number, "ranking"),
    "n_corrupted": lambda number: counted(number, "corrupted task") if number else "",
    "missing": lambda share: f"{share:.0%} missing" if share else "",
    "proportion": lambda share: f"{100 * share:g} % removed" if share else "",
    "alpha": lambda alpha: f"alpha {alpha:g}",
    "scale": lambda factor: f"scores of a task times {factor:g}" if factor != 1 else "",
}


def in_words(column: str, value: Any) -> str:
    """Return the value of a dimension in words; nothing where it is the usual one."""
    return WORDS.get(column, str)(value)


class StudyResult(Result):
    """The rows of every cell of a study, what follows from them, and their page."""

    study: Any
    _frame: pd.DataFrame = field(compare=False)

    _plot = "study_plot"
    _named_rows = False
    #: The method that says what the repetitions do.
    _summed: ClassVar[str] = "by_method"
    #: What plain data state beside it: attributes, and methods without arguments, by their keys.
    _stated: ClassVar[Mapping[str, str]] = MappingProxyType({})
    #: What can be drawn, the usual first; the columns that tell lines apart; what is along the
    #: axis where it varies.
    _curves: ClassVar[Mapping[str, Curve]] = MappingProxyType({})
    _lines: ClassVar[tuple[str, ...]] = ("method",)
    _usual_x: ClassVar[tuple[str, ...]] = ()
    #: The column of how many data sets a point is of, and what these are called.
    _counts: ClassVar[tuple[str, str]] = ("cells", "data set")

    def to_frame(self) -> pd.DataFrame:
        """Return one row per data set and method, as the study's class says.

        Returns
        -------
        pandas.DataFrame
        """
        return self._frame.copy()

    def _to_paste(self) -> pd.DataFrame:
        return self._table()

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
        pages = importlib.import_module("rankagg.report.drawn_pages")
        return str(pages.study_page(self, title, source, **options))

    def _results(self) -> pd.DataFrame:
        """Return what the repetitions say, as a table without an index."""
        table: pd.DataFrame = getattr(self, self._summed)()
        return table.reset_index()

    def _drawn(self) -> pd.DataFrame:
        """Return the table that is drawn: a row for each point."""
        return self._results()

    @property
    def _points(self) -> list[str]:
        """The columns that tell points of the same line apart."""
        return [name for name in self._grid if name not in self._lines]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        return ()

    def _content(self) -> dict[str, Any]:
        stated = {key: plain_value(attrgetter(of)(self)) for key, of in self._stated.items()}
        return {"seed": self.study.rng, **stated, "results": plain_rows(self._results())}

    def _key(self) -> tuple[Hashable, ...]:
        # Every digit counts, but how long it took is no part of what was found.
        timeless = self._frame.drop(columns=["runtime", "exact_runtime"], errors="ignore")
        return self.study, timeless.to_json(double_precision=15)

    @property
    def _grid(self) -> list[str]:
        return list(self.study._grid)

    def _groups(self, *more: str) -> Groups:
        """Return the rows by the dimensions of the grid, and more."""
        return self._frame.groupby([*self._grid, *more], sort=False)

    def _times(self, sentence: str, number: int) -> list[str]:
        """Return a sentence with how often it is so; nothing where it never is."""
        return [f"{sentence} {counted(number, 'time')}"] if number else []

    @property
    def _cells(self) -> pd.DataFrame:
        """The first row of each data set."""
        return self._frame.drop_duplicates([*self._grid, "repetition"])

    @property
    def n_failed(self) -> int:
        """How often a rule could not rank the data, or a method judge them."""
        return int(self._frame["error"].count())

    @property
    def n_cells(self) -> int:
        """The number of data sets that were drawn."""
        return len(self._cells)


def wilson(groups: Groups, column: str, alpha: float) -> list[Floats]:
    """Return the share of a flag in each group, where it is known, and its Wilson interval.

    A single data set tells nothing of others, and has no interval.
    """
    from statsmodels.stats.proportion import proportion_confint  # noqa: PLC0415

    known = groups[column].count().to_numpy()
    hits, tried = groups[column].sum().to_numpy(np.float64), np.maximum(known, 1)
    low, high = proportion_confint(hits, tried, alpha=alpha, method="wilson")
    least = zip((hits / tried, low, high), (1, 2, 2), strict=True)
    return [np.where(known >= number, share, np.nan) for share, number in least]


# -- checks, and rules --------------------------------------------------------------------------


def _checked(one: Any, values: object, parameter: str) -> tuple[Any, ...]:
    """Return the values of a dimension, which are within its bounds and different."""
    if one.name == "model":
        remedy = "`ObservedData(label=..., data=...)` gives data another name."
        return several(as_sources(values, parameter), parameter, remedy)
    return several_of(one.metadata["check"], values, parameter)


def several_of(
    check: Callable[..., Any], values: object, parameter: str, **bounds: Any
) -> tuple[Any, ...]:
    """Return one or more different values, each as its check returns it."""
    given = [check(value, parameter=parameter, **bounds) for value in several(values, parameter)]
    return several(given, parameter)


def several(values: object, parameter: str, remedy: str = "") -> tuple[Any, ...]:
    """Return one or more different values; those with a name differ in it."""
    given = listed_values(values, parameter)
    times = Counter(str(getattr(value, "name", repr(value))) for value in given)
    name, most = max(times.items(), key=itemgetter(1), default=("none", 0))
    if most != 1:
        found = Described(f"{name} {counted(most, 'time')}" if most else "none")
        raise InvalidInputError(parameter, "a list of one or more different values", found, remedy)
    return given


def _check_rules(rules: object, parameter: str) -> tuple[Aggregator, ...]:
    """Return rules, and refuse what is none."""
    return tuple(check_rule(rule, "rules") for rule in listed_values(rules, parameter))


def check_table(data: object, owner: str) -> None:
    """Refuse what is no table of scores."""
    if not isinstance(data, ScoreTable):
        allowed = "a ScoreTable"
        raise InvalidInputError(f"data of {owner}", allowed, data, "`read_scores` reads one.")


def consensus_of(
    rule: Aggregator, evidence: Evidence, rng: RNGLike = None, deadline: Deadline | None = None
) -> Consensus | RankaggError:
    """Return the consensus, or the error that a rule ended with; a study goes on."""
    try:
        return finished(rule.aggregate(evidence, rng=rng, deadline=deadline))
    except RankaggError as error:
        return error


def finished(result: Consensus) -> Consensus:
    """Return a consensus whose rule was not interrupted; a study that was stops."""
    if result.interrupted:
        raise KeyboardInterrupt
    return result
