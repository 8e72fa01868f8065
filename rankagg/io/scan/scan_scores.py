"""Scores in files of any size, added up in one pass in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pyarrow as pa

from rankagg._typing import Directions, Label, TaskWeights
from rankagg._validation import check_choice, check_flag, check_number
from rankagg.core import ItemSet, ScoreSummary, Value, counted, listed, named_values
from rankagg.exceptions import DataFormatError, InvalidInputError, RankaggError, nearest, shown
from rankagg.io.output_files import unguard
from rankagg.io.scan.batches import ScanFile, ScanPart, Types
from rankagg.io.scan.count import ONE_TASK, ScanLayout, count_parts
from rankagg.io.tables.look import is_no_name
from rankagg.io.tables.sources import Sources

if TYPE_CHECKING:
    from distributed import Client

Scattered = Literal["refuse", "sort"]
SORTED_ROWS = 2**17
SORTING_MEMORY = "400MB"
ROLES = ("system", "task", "instance", "score")
LABEL_ROWS = 2**18


def _sorted_file(
    layout: ScanLayout, parts: list[ScanPart], folder: Path
) -> tuple[ScanFile, ScanLayout]:
    """Write the rows of all parts into one Parquet file, by task and instance."""
    try:
        import duckdb  # noqa: PLC0415
    except ImportError:
        allowed = "'refuse' where DuckDB is not installed"
        remedy = "pip install 'rankagg[big]'"
        raise InvalidInputError("scattered", allowed, "sort", remedy) from None
    names = {role: getattr(layout, role) for role in ROLES if getattr(layout, role) is not None}
    kinds = {role: layout.types[name] for role, name in names.items()}
    for role, kind in kinds.items():
        kinds[role] = kind.value_type if pa.types.is_dictionary(kind) else kind
    schema = pa.schema(list(kinds.items()))

    wrong: list[RankaggError] = []

    def rows() -> Iterator[Any]:
        try:
            for part in parts:
                for batch in part.batches(layout.types, SORTED_ROWS):
                    batch.scores_into(np.empty(batch.n_rows), names["score"])
                    columns = [
                        batch.columns[name].cast(kinds[role])
                        if role == "score"
                        else batch.labels(name, kinds[role])
                        for role, name in names.items()
                    ]
                    yield pa.RecordBatch.from_arrays(columns, schema=schema)
        except RankaggError as error:  # DuckDB replaces it by an error of its own
            wrong.append(error)
            raise

    target = folder / "sorted.parquet"
    keys = ", ".join(role for role in ("task", "instance") if role in names)
    with duckdb.connect() as connection:
        connection.execute(f"SET memory_limit = '{SORTING_MEMORY}'")
        connection.execute("SET temp_directory = ?", [str(folder / "spill")])
        connection.register("rows", pa.RecordBatchReader.from_batches(schema, rows()))
        copy = f"COPY (FROM rows ORDER BY {keys}) TO ? (FORMAT parquet)"
        try:
            connection.execute(copy, [str(target)])
        except (duckdb.Error, RankaggError) as error:
            if wrong:
                raise wrong[0] from None
            reason = " ".join(str(error).split())
            raise DataFormatError(f"the rows cannot be sorted in {folder}: {reason}") from None
    file = ScanFile(target)
    return file, replace(
        layout,
        types=file.columns(),
        system="system",
        score="score",
        task=None if layout.task is None else "task",
        instance="instance",
        sorted_from=(layout, parts),
    )


def scan_scores(
    source: Sources,
    *,
    higher_is_better: Directions,
    systems: Iterable[str] | None = None,
    system: str | None = None,
    task: str | None = None,
    instance: str | None = None,
    score: str | None = None,
    task_weights: TaskWeights | None = None,
    scattered: Scattered = "refuse",
) -> ScoreScan:
    r"""Open files of scores that are too large for `read_scores`, without reading their rows.

    The named columns choose one of two forms:

    * wide (neither `system` nor `score`): one row per task and instance, one column per system;
    * long (`system` and `score`): one row per score, the rows of one instance together.

    Parameters
    ----------
    source : path or iterable of paths
        Files, patterns such as ``"data/*.parquet"``, and folders. Parquet (``.parquet``, ``.pq``),
        CSV and TSV (``.csv``, ``.tsv``), text also compressed, such as ``.csv.gz``. Folders may
        name columns: ``task=x/part-0.parquet``.
    higher_is_better : bool, mapping or Series from task to bool
        Which direction is better, for all tasks or for each; there is no default.
    systems : iterable of str, optional
        In the wide form the columns of the systems, by default all columns without another
        parameter. In the long form all systems; by default their column is read first.
    system, score : str, optional
        Columns of the long form.
    task : str, optional
        The column of tasks; without it all rows belong to one task, "scores".
    instance : str, optional
        The column of instances; none may occur twice in a task.
    task_weights : mapping or Series from task to float, optional
        Positive weights; tasks not named weigh 1.
    scattered : {"refuse", "sort"}, default "refuse"
        Treatment of a long file in which rows of one instance are not consecutive: refuse it, or
        first sort it on disk with DuckDB (the extra ``big``), in the folder for temporary files.

    Returns
    -------
    ScoreScan

    Raises
    ------
    DataFormatError
        If a file cannot be read, or differs from the first in its columns or types.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import rankagg as ra
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "scores.csv"
    ...     _ = path.write_text("task,id,A,B\nx,1,3,1\nx,2,3,2\ny,1,0,9\n")
    ...     scan = ra.io.scan_scores(path, higher_is_better=True, task="task", instance="id")
    ...     summary = scan.summarize()
    >>> summary
    <ScoreSummary of 2 systems x 2 tasks, 3 instances, 0 of 6 scores missing>
    >>> ra.Borda().aggregate(summary)
    <Consensus by Borda: A > B>
    """
    check_choice(scattered, get_args(Scattered), "scattered")
    files = ScanFile.all_at(source)
    named = {"system": system, "task": task, "instance": instance, "score": score}
    layout = _layout_of(files, higher_is_better, systems, named)
    if scattered == "sort" and (not layout.is_long or instance is None):
        raise InvalidInputError(
            "scattered", "'refuse' unless `system`, `score` and `instance` are named", scattered
        )
    return ScoreScan(files, layout, _check_weights(task_weights), scattered)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreScan(Value):
    """Files of scores and the roles of their columns, as returned by `scan_scores`.

    It holds no scores; `summarize` reads them once.

    Attributes
    ----------
    files : tuple of path
        The files, in the order in which they are read.
    """

    _files: tuple[ScanFile, ...]
    _layout: ScanLayout
    _weights: dict[Label, float]
    _scattered: str

    def _key(self) -> tuple[Any, ...]:
        layout = self._layout
        systems = None if layout.systems is None else layout.systems.labels
        columns = layout.columns, layout.system, layout.task, layout.instance, layout.score
        better = layout.higher_is_better
        directions = frozenset(better.items()) if isinstance(better, Mapping) else better
        weights = tuple(self._weights.items())
        return self._files, systems, columns, directions, weights, self._scattered

    @property
    def files(self) -> tuple[Any, ...]:
        """The files, in the order in which they are read."""
        return tuple(file.path for file in self._files)

    def find_tasks(self) -> ItemSet:
        """Return the tasks, in the order in which they first occur; only their column is read.

        Returns
        -------
        ItemSet
        """
        task = self._layout.task
        if task is None:
            return ItemSet([ONE_TASK])
        return _labels_of(task, self._layout, ScanPart.of(self._files, whole=self._layout.is_long))

    def summarize(self, *, n_jobs: int | None = None, client: Client | None = None) -> ScoreSummary:
        """Add up all scores: one pass, in memory that does not grow with the rows.

        Parameters
        ----------
        n_jobs : int, optional
            Workers for joblib, -1 for one per core. By default that of `joblib.parallel_config`, or
            1. Row groups of a Parquet file are counted in parallel, here and on a cluster; other
            files, and those of the long form, one by one.
        client : distributed.Client, optional
            Client of a Dask cluster (the extra ``big``), instead of `n_jobs`. Its workers must see
            the files under the same paths; only sums are transferred.

        Returns
        -------
        ScoreSummary
            Identical to the last bit for any order, parts and number of workers.

        Raises
        ------
        DataFormatError
            If a file is damaged or has changed, has scores that are not finite, an instance twice,
            or rows of one instance that are not consecutive.
        WorkerError
            If a worker was killed, or the cluster was lost.

        Warns
        -----
        DataWarning
            If instances without any score are left out.

        Notes
        -----
        The memory holds one batch of rows, the sums of every task (see `ScoreSummary`), and 8 bytes
        for each instance to detect repeated ones, if there is a column of them. Consecutive whole
        numbers take none.
        """
        if client is not None and (n_jobs is not None or not hasattr(client, "map")):
            allowed = "a distributed.Client, without `n_jobs`"
            raise InvalidInputError("client", allowed, client)
        layout = self._layout
        parts = ScanPart.of(self._files, whole=layout.is_long)
        if layout.systems is None:
            assert layout.system is not None, "the long form names it"
            layout = replace(layout, systems=_labels_of(layout.system, layout, parts))
        with TemporaryDirectory(prefix="rankagg-") as folder:
            if self._scattered == "sort":
                file, layout = _sorted_file(layout, parts, Path(folder))
                parts = ScanPart.of([file], whole=True)
            tallies = count_parts(layout, parts, n_jobs, client)
        assert layout.systems is not None, "read above"
        return ScoreSummary(
            layout.systems,
            tallies,
            higher_is_better=layout.higher_is_better,
            task_weights=self._weights,
        )

    def __repr__(self) -> str:
        form = "long" if self._layout.is_long else "wide"
        known = self._layout.systems
        systems = "" if known is None else f", {counted(len(known), 'system')}"
        return f"<ScoreScan of {counted(len(self._files), f'{form} file')}{systems}>"


def _labels_of(column: str, layout: ScanLayout, parts: list[ScanPart]) -> ItemSet:
    """Return the labels of a column, in the order in which they first occur."""
    known: dict[Label, int] = {}
    for part in parts:
        for batch in part.batches({column: layout.types[column]}, LABEL_ROWS):
            if batch.n_rows:
                batch.codes(column, known)
    if not known:
        raise InvalidInputError("source", "files with a score", "none")
    return ItemSet(known)


# -- columns ---------------------------------------------------------------------------------------


def _layout_of(
    files: Sequence[ScanFile],
    higher_is_better: Directions,
    systems: Iterable[str] | None,
    named: dict[str, str | None],
) -> ScanLayout:
    """Check the columns of all files, and return their roles; see `scan_scores`."""
    system, task, instance, score = named.values()
    better = named_values(higher_is_better, "higher_is_better")
    if isinstance(better, Mapping):
        for name, flag in better.items():
            check_flag(flag, f"higher_is_better[{name!r}]")
    else:
        check_flag(better, "higher_is_better", "A mapping states one for each task.")
    if (system is None) != (score is None):
        allowed, given = (
            "given together (long form) or not",
            "score" if system is None else "system",
        )
        raise InvalidInputError("system and score", allowed, given)
    taken = [column for column in named.values() if column is not None]
    if len(set(taken)) < len(taken):
        raise InvalidInputError(", ".join(named), "different columns", taken)
    first, *others = [{**x.columns(), **dict.fromkeys(dict(x.constants))} for x in files]
    for file, columns in zip(files[1:], others, strict=True):
        _check_same(files[0], first, file, columns)
        # A column of nulls only, as in empty files, has no type of its own.
        first = {x: columns[x] if kind == pa.null() else kind for x, kind in first.items()}
    for parameter, column in named.items():
        if column is not None and column not in first:
            allowed = f"a column of {files[0].path.name} ({listed(list(first))})"
            raise InvalidInputError(parameter, allowed, column, nearest(column, first))
    chosen, wide = None if systems is None else [*systems], list[str]()
    if score is None:
        wide = _system_columns(files[0], first, chosen, taken)
        chosen = list(map(unguard, wide))
    known = None if chosen is None else ItemSet(chosen)
    numbers = wide if score is None else [score]
    labels = [column for column in (system, task, instance) if column is not None]
    types = _types(files[0], first, numbers, labels)
    return ScanLayout(known, tuple(wide), system, score, task, instance, types, better)


def _check_weights(task_weights: TaskWeights | None) -> dict[Label, float]:
    """Return positive weights."""
    weights = {} if task_weights is None else named_values(task_weights, "task_weights")
    if not isinstance(weights, Mapping):
        raise InvalidInputError("task_weights", "a mapping from task to number", weights)
    return {
        task: check_number(weight, f"task_weights[{task!r}]", low=0, open_low=True)
        for task, weight in weights.items()
    }


def _check_same(one: ScanFile, first: Types, file: ScanFile, columns: Types) -> None:
    for here, there, where in ((first, columns, file), (columns, first, one)):
        lacking = [name for name in here if name not in there]
        if lacking:
            other = one if where is file else file
            raise DataFormatError(
                f"{where.path} has no column {shown(lacking[0])}, which {other.path} has: all "
                "files of a scan must have the same columns."
            )
    for name, kind in columns.items():
        kinds = {kind, first[name]} - {None, pa.null()}
        if file.is_parquet and one.is_parquet and len(kinds) > 1:
            raise DataFormatError(
                f"{file.path} holds {kind} in the column {shown(name)}, and {one.path} holds "
                f"{first[name]}: write all files of a scan with the same types."
            )


def _system_columns(
    file: ScanFile, first: Types, chosen: list[str] | None, taken: list[str]
) -> list[str]:
    if chosen is None:
        own = [name for name in first if name not in taken]
        columns = [name for name in own if name not in dict(file.constants)]
        if unnamed := [name for name in columns if is_no_name(name)]:
            allowed = "given where a column has no name, as it may number the rows"
            raise InvalidInputError("systems", allowed, unnamed[0])
    else:
        columns = chosen
        for name in columns:
            if name not in first or name in taken:
                allowed = f"columns of {file.path.name} with scores ({listed(list(first))})"
                raise InvalidInputError("systems", allowed, name, nearest(name, first))
    if not columns:
        allowed = "files with a column for each system"
        remedy = "Name `system=` and `score=` where a row holds one score."
        raise InvalidInputError("source", allowed, str(file.path), remedy)
    return columns


def _types(file: ScanFile, first: Types, numbers: list[str], labels: list[str]) -> Types:
    result: Types = {}
    for name in numbers:
        kind = first[name]
        is_number = kind is None or (
            pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind)
        )
        if not is_number or name in dict(file.constants):
            raise DataFormatError(
                f"{file.path} holds {kind} in the column {shown(name)}, where scores should be.",
                "Name the columns of scores with `systems=`, or `system=` and `score=` where a row "
                "holds one score.",
            )
        result[name] = kind if file.is_parquet else pa.float64()
    for name in labels:
        kind = first[name]
        value = kind.value_type if kind is not None and pa.types.is_dictionary(kind) else kind
        if kind is not None and file.is_parquet and not _is_label(value):
            raise DataFormatError(
                f"{file.path} holds {kind} in the column {shown(name)}, where labels should be: "
                "write them as text or whole numbers."
            )
        result[name] = kind if kind is not None and file.is_parquet else pa.string()
    return result


def _is_label(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind)) or str(kind) in ("string", "large_string", "string_view")
