"""Counting: one part of the data in bounded memory, all parts by workers."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from tqdm import tqdm

from rankagg._typing import Floats, Label
from rankagg.core import ItemSet, TaskTally, counted
from rankagg.exceptions import (
    DataFormatError,
    DataWarning,
    InvalidInputError,
    WorkerError,
    nearest,
    shown,
)
from rankagg.io.scan.batches import Batch, Codes, Keys, ScanPart, Types

# Units of a task that are counted without waiting for more; smaller calls are slow.
ENOUGH = 2**14
# Largest numbers of cells that are read at once, and that wait for others of their task.
BATCH_CELLS, WAITING_CELLS = 2**21, 2**22
BATCH_ROWS, LEAST_ROWS = 2**16, 256

# Errors of joblib and Dask, which may not be installed, if workers are lost.
LOST_WORKERS = (
    *("BrokenProcessPool", "TerminatedWorkerError"),
    *("KilledWorker", "CancelledError", "FutureCancelledError", "CommClosedError"),
)
# How often a cluster repeats a failed part.
RETRIES = 3

# The task of all rows, if there is no column of tasks.
ONE_TASK = "scores"
Advance: TypeAlias = Callable[[int], object]


# -- columns ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScanLayout:
    """The meaning of columns."""

    # The systems; None in the long form until they are known.
    systems: ItemSet | None
    # In the wide form the column of each system; empty in the long form.
    columns: tuple[str, ...]
    # Columns of the long form.
    system: str | None
    score: str | None
    # Columns of tasks and instances.
    task: str | None
    instance: str | None
    # Types of all columns that are read.
    types: Types
    # The direction of tasks.
    higher_is_better: bool | Mapping[Label, bool]
    # If rows were sorted: the original layout and parts, for messages.
    sorted_from: tuple[ScanLayout, list[ScanPart]] | None = None

    @property
    def is_long(self) -> bool:
        """Whether a row is one score."""
        return self.score is not None

    def direction(self, task: Label) -> bool:
        """Return whether higher is better in a task."""
        if not isinstance(self.higher_is_better, Mapping):
            return self.higher_is_better
        if task not in self.higher_is_better:
            allowed = "given for every task"
            remedy = nearest(task, self.higher_is_better)
            raise InvalidInputError("higher_is_better", allowed, task, remedy)
        return self.higher_is_better[task]


# -- one part --------------------------------------------------------------------------------------


class _KeyRuns(NamedTuple):
    """Ascending keys, as runs of consecutive ones."""

    # First and last key of each run.
    starts: Keys
    stops: Keys


@dataclass(frozen=True)
class _PartCounts:
    """Sums of a part of the data."""

    n_rows: int
    # Sums by task, in the order in which tasks first occur.
    tallies: dict[Label, TaskTally]
    # The instances, if there is a column of them.
    keys: dict[Label, _KeyRuns]


class _Units(NamedTuple):
    """Complete units: their scores, tasks and keys."""

    scores: Floats
    tasks: Codes
    keys: Keys | None


def _count_part(layout: ScanLayout, part: ScanPart, advance: Advance | None = None) -> _PartCounts:
    """Add up the scores of a part."""
    units = _long_units if layout.is_long else _wide_units
    waiting = _Waiting(layout)
    keys: dict[Label, list[Keys]] = {}
    tasks: dict[Label, int] = {}
    n_rows = 0

    def reading() -> Iterator[Batch]:
        nonlocal n_rows
        for batch in _batches(layout, part):
            n_rows += batch.n_rows
            yield batch
            if advance is not None:
                advance(batch.n_rows)

    for block in units(layout, part, reading(), tasks):
        names = list(tasks)
        for code, at in _units_of_tasks(block.tasks):
            waiting.add(names[code], block.scores[:, at])
            if block.keys is not None:
                keys.setdefault(names[code], []).append(block.keys[at])
    runs = {task: _key_runs(np.concatenate(parts)) for task, parts in keys.items()}
    return _PartCounts(n_rows, waiting.sums(), runs)


def _batches(layout: ScanLayout, part: ScanPart) -> Iterator[Batch]:
    size = max(LEAST_ROWS, min(BATCH_ROWS, BATCH_CELLS // max(len(layout.columns), 1)))
    return (batch for batch in part.batches(layout.types, size) if batch.n_rows)


def _key_runs(keys: Keys) -> _KeyRuns:
    keys = np.sort(keys)
    breaks = np.flatnonzero(np.diff(keys) != 1)
    if 4 * len(breaks) > len(keys):
        return _KeyRuns(keys, keys)
    first = np.concatenate([[0], breaks + 1])
    return _KeyRuns(keys[first], keys[np.append(breaks, len(keys) - 1)])


class _Waiting:
    """Scores of each task that are collected before they are counted."""

    def __init__(self, layout: ScanLayout) -> None:
        self._layout = layout
        self._blocks: dict[Label, list[Floats]] = {}
        self._cells = 0
        self._tallies: dict[Label, TaskTally] = {}

    def add(self, task: Label, scores: Floats) -> None:
        waiting = self._blocks.setdefault(task, [])
        waiting.append(scores)
        self._cells += scores.size
        if sum(block.shape[1] for block in waiting) >= ENOUGH:
            self._count(task)
        if self._cells > WAITING_CELLS:
            self.sums()

    def sums(self) -> dict[Label, TaskTally]:
        """Return the sums of all added scores, with tasks in the order of first occurrence."""
        for task, blocks in self._blocks.items():
            if blocks:
                self._count(task)
        return {task: self._tallies[task] for task in self._blocks}

    def _count(self, task: Label) -> None:
        blocks, self._blocks[task] = self._blocks[task], []
        scores = np.concatenate(blocks, axis=1)
        self._cells -= scores.size
        tally = TaskTally.of(scores, higher_is_better=self._layout.direction(task))
        _add(self._tallies, task, tally)


def _add(tallies: dict[Label, TaskTally], task: Label, tally: TaskTally) -> None:
    """Add a tally of a task."""
    tallies[task] = tallies[task] + tally if task in tallies else tally


def _units_of_tasks(codes: Codes) -> Iterator[tuple[int, Any]]:
    """Yield the number of each task and its units."""
    order = np.argsort(codes, kind="stable")
    kinds, starts = np.unique(codes[order], return_index=True)
    if len(kinds) == 1:
        yield int(kinds[0]), slice(None)
        return
    yield from zip(kinds.tolist(), np.split(order, starts[1:]), strict=True)


def _task_codes(layout: ScanLayout, batch: Batch, tasks: dict[Label, int]) -> Codes:
    before = len(tasks)
    if layout.task is None:
        tasks.setdefault(ONE_TASK, 0)
        codes = np.zeros(batch.n_rows, dtype=np.int64)
    else:
        codes = batch.codes(layout.task, tasks)
    for task in list(tasks)[before:]:
        layout.direction(task)
    return codes


def _wide_units(
    layout: ScanLayout, part: ScanPart, reading: Iterator[Batch], tasks: dict[Label, int]
) -> Iterator[_Units]:
    """Yield the units of the wide form, one per row."""
    for batch in reading:
        scores = np.empty((len(layout.columns), batch.n_rows))
        for target, column in zip(scores, layout.columns, strict=True):
            batch.scores_into(target, column)
        keys = None if layout.instance is None else batch.keys(layout.instance)
        yield _Units(scores, _task_codes(layout, batch, tasks), keys)


class _Rows(NamedTuple):
    """Rows of the long form."""

    systems: Codes
    tasks: Codes
    keys: Keys
    values: Floats

    def at(self, where: slice) -> _Rows:
        columns: Any = self
        return _Rows(*(column[where] for column in columns))

    def then(self, other: _Rows) -> _Rows:
        pairs: Any = zip(self, other, strict=True)
        return _Rows(*(np.concatenate(pair) for pair in pairs))


def _long_units(
    layout: ScanLayout, part: ScanPart, reading: Iterator[Batch], tasks: dict[Label, int]
) -> Iterator[_Units]:
    """Yield the units of the long form; the last of a batch continues in the next."""
    assert layout.systems is not None, "the systems of a long file are found first"
    systems = {label: at for at, label in enumerate(layout.systems)}
    rest: _Rows | None = None
    for batch in reading:
        rows = _long_rows(layout, batch, systems, tasks)
        if rest is not None:
            rows = rest.then(rows)
        new = (rows.keys[1:] != rows.keys[:-1]) | (rows.tasks[1:] != rows.tasks[:-1])
        starts = np.concatenate([[0], np.flatnonzero(new) + 1])
        end = int(starts[-1])
        if end:
            yield _scattered(rows.at(slice(0, end)), starts[:-1], layout, part, list(tasks))
        rest = rows.at(slice(end, None))
    if rest is not None:
        yield _scattered(rest, np.zeros(1, dtype=np.int64), layout, part, list(tasks))


def _long_rows(
    layout: ScanLayout, batch: Batch, systems: dict[Label, int], tasks: dict[Label, int]
) -> _Rows:
    assert layout.system is not None, "it is named"
    assert layout.score is not None, "it is named"
    codes = batch.codes(layout.system, systems, grow=False)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        label = batch.columns[layout.system][row].as_py()
        what = f"is {shown(label)}, which is not among `systems`: name all that occur, or leave "
        raise batch.error(row, layout.system, f"{what}`systems` out")
    values = np.empty(batch.n_rows)
    batch.scores_into(values, layout.score)
    keys = np.zeros(batch.n_rows, dtype=np.uint64)
    if layout.instance is not None:
        keys = batch.keys(layout.instance)
    return _Rows(codes, _task_codes(layout, batch, tasks), keys, values)


def _scattered(
    rows: _Rows, starts: Codes, layout: ScanLayout, part: ScanPart, tasks: list[Label]
) -> _Units:
    """Return scores with a column for each unit."""
    assert layout.systems is not None, "they are known"
    n, m = len(layout.systems), len(starts)
    unit = np.repeat(np.arange(m), np.diff(np.append(starts, len(rows.values))))
    cells = rows.systems * m + unit
    times = np.bincount(cells, minlength=n * m)
    if times.max() > 1:
        again = int(np.argmax(times[cells] > 1))
        system, task = layout.systems[int(rows.systems[again])], tasks[int(rows.tasks[again])]
        unsorted = layout.sorted_from or (layout, [part])
        places = _places(*unsorted, task, int(rows.keys[again]), system)
        raise DataFormatError(
            f"{places[1]} is the second score of {shown(system)} on the same instance: keep one."
        )
    scores = np.full(n * m, np.nan)
    scores[cells] = rows.values
    return _Units(scores.reshape(n, m), rows.tasks[starts], rows.keys[starts])


# -- all parts -------------------------------------------------------------------------------------


def count_parts(
    layout: ScanLayout, parts: Sequence[ScanPart], n_jobs: int | None, client: Any = None
) -> dict[Label, TaskTally]:
    """Return the sums of all parts by task, without tasks that have no score."""
    tallies: dict[Label, TaskTally] = {}
    keys: dict[Label, list[_KeyRuns]] = {}
    sizes = [part.n_rows for part in parts]
    bar = tqdm(
        total=None if None in sizes else sum(size or 0 for size in sizes),
        unit=" rows",
        unit_scale=True,
        disable=None,  # a bar on a terminal only
    )
    with bar:
        for counts in _counted_parts(layout, parts, n_jobs, client, bar):
            for task, tally in counts.tallies.items():
                _add(tallies, task, tally)
            for task, runs in counts.keys.items():
                keys.setdefault(task, []).append(runs)
    for task, runs_of_parts in keys.items():
        _check_apart(layout, parts, task, runs_of_parts)
    scored = {task: tally for task, tally in tallies.items() if tally.n_units}
    if not scored:
        raise InvalidInputError("source", "files with a score", "none")
    _warn_of_empty(tallies, len(tallies) - len(scored))
    return scored


def _counted_parts(
    layout: ScanLayout, parts: Sequence[ScanPart], n_jobs: int | None, client: Any, bar: Any
) -> Iterator[_PartCounts]:
    """Yield the sums of parts in their order."""
    if len(parts) < 2 or (client is None and effective_n_jobs(n_jobs) == 1):
        yield from (_count_part(layout, part, bar.update) for part in parts)
        return
    results: Iterator[_PartCounts]
    try:
        if client is None:
            counting = (delayed(_count_part)(layout, part) for part in parts)
            results = Parallel(n_jobs=n_jobs, return_as="generator")(counting)
        else:
            count = partial(_count_part, layout)
            waiting = deque(client.map(count, parts, pure=False, retries=RETRIES))
            # The cluster forgets a future without a reference.
            results = (waiting.popleft().result() for _ in parts)
        for counts in results:
            bar.update(counts.n_rows)
            yield counts
    except Exception as error:
        if type(error).__name__ not in LOST_WORKERS:
            raise
        raise WorkerError(
            "Workers of the scan were killed or lost, perhaps for lack of memory: try fewer "
            "`n_jobs`, or give the workers more memory."
        ) from None


def _check_apart(
    layout: ScanLayout, parts: Sequence[ScanPart], task: Label, runs: list[_KeyRuns]
) -> None:
    """Raise if an instance of a task occurs twice."""
    starts, stops = (np.concatenate(ends) for ends in zip(*runs, strict=True))
    order = np.argsort(starts, kind="stable")
    clash = np.flatnonzero(stops[order][:-1] >= starts[order][1:])
    if not len(clash):
        return
    places = _places(layout, parts, task, int(starts[order[clash[0] + 1]]))
    both = f"{places[0]} and {places[-1]} are"
    if not layout.is_long:
        raise DataFormatError(
            f"{both} the same instance of task {shown(task)}: remove one of them."
        )
    raise DataFormatError(
        f"{both} of one instance of task {shown(task)}, with others between them: rows of one "
        "instance must be consecutive, in one file.",
        'Sort the file by task and instance, or have it sorted on disk by `scattered="sort"`.',
    )


def _places(
    layout: ScanLayout,
    parts: Sequence[ScanPart],
    task: Label,
    key: int,
    system: Label | None = None,
) -> list[str]:
    """Read the parts again, and return the rows of an instance, for one system or all."""
    places = []
    for part in parts:
        for batch in _batches(layout, part):
            is_one = np.ones(batch.n_rows, dtype=bool)
            for column, label in ((layout.task, task), (layout.system, system)):
                if column is not None and label is not None:
                    is_one &= batch.codes(column, {label: 0}, grow=False) == 0
            if layout.instance is not None:
                is_one &= batch.keys(layout.instance) == np.uint64(key)
            places += [batch.row(row) for row in np.flatnonzero(is_one).tolist()]
    return places


def _warn_of_empty(tallies: Mapping[Label, TaskTally], gone: int) -> None:
    empty = sum(tally.n_empty for tally in tallies.values())
    if empty:
        tasks = f", among them all of {counted(gone, 'task')}" if gone else ""
        were = "instance has" if empty == 1 else "instances have"
        what = f"no score of any system and {'is' if empty == 1 else 'are'} left out{tasks}"
        warnings.warn(f"{empty} {were} {what}", DataWarning, stacklevel=5)
