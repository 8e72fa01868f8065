"""Scores in files of any size, added up in one pass without ever being held."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pyarrow as pa

from rankagg._typing import Directions, Label, TaskWeights
from rankagg._validation import check_choice, check_flag
from rankagg.core import ItemSet, ScoreSummary, Value, check_groups, check_room, counted
from rankagg.exceptions import DataFormatError, InvalidInputError, RankaggError
from rankagg.io.cluster import check_client
from rankagg.io.scan.batches import (
    ScanFile,
    ScanPart,
    batches,
    columns_of,
    label_codes,
    labels_of,
    scan_files,
    scan_parts,
    scores_into,
)
from rankagg.io.scan.count import ONE_TASK, ScanLayout, check_weights, count_parts, layout_of
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
                for batch in batches(part, layout.types, SORTED_ROWS):
                    scores_into(np.empty(batch.n_rows), batch, names["score"])
                    columns = [
                        batch.columns[name].cast(kinds[role])
                        if role == "score"
                        else labels_of(batch, name, kinds[role])
                        for role, name in names.items()
                    ]
                    yield pa.RecordBatch.from_arrays(columns, schema=schema)
        except RankaggError as error:  # DuckDB would tell it in words of its own
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
            said = " ".join(str(error).split())
            raise DataFormatError(f"the rows cannot be sorted in {folder}: {said}") from None
    file = ScanFile(target)
    return file, replace(
        layout,
        types=columns_of(file),
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
    r"""Look at files of scores that are too large for `read_scores`; no row is read yet.

    Two forms are told apart by the columns that are named:

    * wide (neither `system` nor `score`): one row per task and instance, one column per system;
    * long (`system` and `score`): one row per score, the rows of one instance together.

    Parameters
    ----------
    source : path or iterable of paths
        Files, patterns such as ``"data/*.parquet"``, and folders. Parquet (``.parquet``, ``.pq``),
        CSV and TSV (``.csv``, ``.tsv``), text also packed, as ``.csv.gz``. Folders may name
        columns: ``task=x/part-0.parquet``.
    higher_is_better : bool, mapping or Series from task to bool
        Which direction is better, for all tasks or for each; there is no default.
    systems : iterable of str, optional
        In the wide form the columns of the systems, by default all that are not named otherwise.
        In the long form all systems; by default they are found by reading their column first.
    system, score : str, optional
        Columns of the long form.
    task : str, optional
        The column of tasks; without it all rows are of one task, "scores".
    instance : str, optional
        The column that tells the instances of a task apart; none may occur twice.
    task_weights : mapping or Series from task to float, optional
        Positive weights; tasks not named weigh 1.
    scattered : {"refuse", "sort"}, default "refuse"
        What to do about a long file in which rows of one instance lie apart: refuse it, or sort
        it on disk first, with DuckDB (the extra ``big``), in the folder for temporary files.

    Returns
    -------
    ScoreScan

    Raises
    ------
    DataFormatError
        If a file cannot be read, or has other columns or types than the first.

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
    files = scan_files(source)
    layout = layout_of(
        files,
        higher_is_better=higher_is_better,
        systems=systems,
        system=system,
        task=task,
        instance=instance,
        score=score,
    )
    if scattered == "sort" and (not layout.is_long or instance is None):
        raise InvalidInputError(
            "scattered", "'refuse' unless `system`, `score` and `instance` are named", scattered
        )
    return ScoreScan(files, layout, check_weights(task_weights), scattered)


class ScoreScan(Value):
    """Files of scores, and what their columns mean; made by `scan_scores`.

    It holds no scores. `summarize` goes through them once.

    Attributes
    ----------
    files : tuple of path
        The files, in the order in which they are read.
    """

    _files: tuple[ScanFile, ...]
    _layout: ScanLayout
    _weights: dict[Label, float]
    _scattered: str

    def __init__(
        self,
        files: tuple[ScanFile, ...],
        layout: ScanLayout,
        task_weights: dict[Label, float],
        scattered: str,
    ) -> None:
        self._set(_files=files, _layout=layout, _weights=task_weights, _scattered=scattered)

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
        return _labels_of(task, self._layout, scan_parts(self._files, whole=self._layout.is_long))

    def summarize(
        self,
        *,
        n_jobs: int | None = None,
        client: Client | None = None,
        progress: bool | None = None,
        n_groups: int | None = None,
    ) -> ScoreSummary:
        """Add up all scores: one pass, in memory that does not grow with the rows.

        Parameters
        ----------
        n_jobs : int, optional
            Workers for joblib, -1 for one a core. By default what `joblib.parallel_config` says,
            and else one. Row groups of a Parquet file are counted side by side, here and on a
            cluster; other files, and those of the long form, one by one.
        client : distributed.Client, optional
            Of a cluster of Dask (the extra ``big``) that does the work; by default this machine.
            Its workers must see the files under the same paths, as on a file system that they
            share; only sums travel. What a lost worker did is done again by another.
        progress : bool, optional
            Whether to show a bar with the rate on the standard error, and the time left for
            Parquet files; by default on a terminal only.
        n_groups : int, optional
            Add up instances in so many groups besides, which a bootstrap draws: 200 are enough.
            The group of an instance follows from its label alone, by a fixed hash; it is the same
            in all tasks, and for 7 and "7". Needs a column of instances.

        Returns
        -------
        ScoreSummary
            The same to the last bit whatever the order, the parts and the number of workers.

        Raises
        ------
        DataFormatError
            If a file is damaged or has changed, or holds something else than finite scores, an
            instance twice, or rows of one instance apart.
        WorkerError
            If a worker was killed, or the cluster was lost.

        Warns
        -----
        DataWarning
            If instances have no score of any system: they are left out.

        Notes
        -----
        Beside one batch of rows it holds the sums of every task, see `ScoreSummary`, and 8 bytes
        for each instance where there is a column of them (whole numbers that follow each other
        take none), by which it knows those that occur twice. With groups a batch is twice as large,
        and there are sums of every task and group.
        """
        if client is not None:
            self._check_cluster(client, n_jobs)
        shown = None if progress is None else check_flag(progress, "progress")
        layout = replace(self._layout, n_groups=self._checked_groups(n_groups))
        parts = scan_parts(self._files, whole=layout.is_long)
        if layout.systems is None:
            assert layout.system is not None, "the long form names it"
            layout = replace(layout, systems=_labels_of(layout.system, layout, parts))
        n = len(layout.systems or ())
        check_room((layout.n_groups or 0) * 16 * n**2, layout.n_groups or 0, 1, n)
        with TemporaryDirectory(prefix="rankagg-") as folder:
            if self._scattered == "sort":
                file, layout = _sorted_file(layout, parts, Path(folder))
                parts = scan_parts([file], whole=True)
            tallies = count_parts(layout, parts, n_jobs=n_jobs, progress=shown, client=client)
        assert layout.systems is not None, "they have been found"
        return ScoreSummary(
            layout.systems,
            tallies,
            higher_is_better=layout.higher_is_better,
            task_weights=self._weights,
        )

    def _checked_groups(self, n_groups: object) -> int | None:
        """Return the number of groups; None for none."""
        number = check_groups(n_groups)
        if number is not None and self._layout.instance is None:
            allowed = "None where no column of instances is named, by whose labels they are made"
            remedy = "Name it with `instance=` of `scan_scores`."
            raise InvalidInputError("n_groups", allowed, number, remedy)
        return number

    def _check_cluster(self, client: Client, n_jobs: int | None) -> None:
        check_client(client)
        if n_jobs is not None:
            raise InvalidInputError(
                "n_jobs", "left out on a cluster, which has workers of its own", n_jobs
            )
        if self._scattered == "sort":
            allowed = "'refuse' on a cluster: what is sorted would lie on this machine only"
            remedy = "Sort the files first, by task and instance."
            raise InvalidInputError("scattered", allowed, self._scattered, remedy)

    def __repr__(self) -> str:
        form = "long" if self._layout.is_long else "wide"
        known = self._layout.systems
        systems = "" if known is None else f", {counted(len(known), 'system')}"
        return f"<ScoreScan of {counted(len(self._files), f'{form} file')}{systems}>"


def _labels_of(column: str, layout: ScanLayout, parts: list[ScanPart]) -> ItemSet:
    """Return the labels of a column, in the order in which they first occur."""
    known: dict[Label, int] = {}
    for part in parts:
        for batch in batches(part, {column: layout.types[column]}, LABEL_ROWS):
            if batch.n_rows:
                label_codes(batch, column, known)
    if not known:
        raise InvalidInputError("source", "files with a score", "none")
    return ItemSet(known)
