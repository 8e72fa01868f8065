"""Counting: of one part of the data in bounded memory, and of all, in whatever order they come."""

from __future__ import annotations

import base64
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias
from uuid import uuid4

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from tqdm import tqdm

from rankagg._typing import Floats, Integers64, Label
from rankagg.core import GroupedTally, TaskTally, check_room, counted, groups_of
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError, WorkerError, shown
from rankagg.io.cluster import RETRIES, cluster_failures_told
from rankagg.io.journal import JournalFile
from rankagg.io.scan.batches import (
    Batch,
    Codes,
    Keys,
    Place,
    ScanPart,
    batches,
    keys_of,
    label_codes,
    rows_about,
    scores_into,
)
from rankagg.io.scan.layout import ONE_TASK, ScanLayout

if TYPE_CHECKING:
    from distributed import Client

# Units of a task from which on they are counted without waiting for more.
ENOUGH = 2**14
# Parts that wait or run for each thread of the cluster: workers hold no more results than these.
AHEAD = 4


@dataclass(frozen=True, eq=False)
class KeyRuns:
    """Keys, ascending, those that follow each other as one run."""

    # First and last key of each run.
    starts: NDArray[np.uint64]
    stops: NDArray[np.uint64]

    @classmethod
    def of(cls, keys: NDArray[np.uint64]) -> Self:
        """Return the runs of keys that ascend."""
        breaks = np.flatnonzero(np.diff(keys) != 1)
        if 4 * len(breaks) > len(keys):
            return cls(keys, keys)
        first = np.concatenate([[0], breaks + 1])
        return cls(keys[first], keys[np.append(breaks, len(keys) - 1)])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        same = self.starts is self.stops
        return {
            "starts": _packed_keys(self.starts),
            "stops": None if same else _packed_keys(self.stops),
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """Return what `to_dict` gave."""
        starts = _unpacked(plain["starts"])
        return cls(starts, starts if plain["stops"] is None else _unpacked(plain["stops"]))


def _packed_keys(keys: NDArray[np.uint64]) -> str:
    return base64.b64encode(zlib.compress(keys.tobytes(), 1)).decode()


def _unpacked(text: str) -> NDArray[np.uint64]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint64)


class RowPlaces:
    """Where the rows of a part stand, which are numbered through all of its batches."""

    def __init__(self) -> None:
        self.n_rows = 0
        self._begins: list[Place] = []
        self._starts: list[int] = []

    def add(self, batch: Batch) -> None:
        """Take note of the next batch."""
        self._begins.append(batch.begin)
        self._starts.append(self.n_rows)
        self.n_rows += batch.n_rows

    def row(self, number: int) -> str:
        """Return file, row group and row."""
        at = int(np.searchsorted(self._starts, number, side="right")) - 1
        return self._begins[at].row(number - self._starts[at])


class KeyLedger:
    """The keys of a part by task, and the rows in which they stand."""

    def __init__(
        self, places: RowPlaces, twice: Callable[[Label, str, str], DataFormatError]
    ) -> None:
        self._places = places
        self._twice = twice
        self._keys: dict[Label, list[NDArray[np.uint64]]] = {}
        self._rows: dict[Label, list[Integers64]] = {}

    def add(self, task: Label, keys: NDArray[np.uint64], rows: Integers64) -> None:
        """Note the keys of some units of a task, and the rows in which they begin."""
        self._keys.setdefault(task, []).append(keys)
        self._rows.setdefault(task, []).append(rows)

    def runs(self) -> dict[Label, KeyRuns]:
        """Return the keys of each task; raises where one is twice."""
        return {task: self._run(task) for task in self._keys}

    def _run(self, task: Label) -> KeyRuns:
        keys = np.concatenate(self._keys[task])
        if (keys[1:] > keys[:-1]).all():
            return KeyRuns.of(keys)
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        same = np.flatnonzero(ordered[1:] == ordered[:-1])
        if len(same):
            rows = np.concatenate(self._rows[task])
            pair = order[[same[0], same[0] + 1]]
            raise self._twice(task, *(self._places.row(row) for row in rows[pair].tolist()))
        return KeyRuns.of(ordered)


def check_parts_apart(task: Label, runs: list[tuple[str, KeyRuns]]) -> None:
    """Raise where two parts of the data, named for messages, have a key in common."""
    sizes = [len(part.starts) for _, part in runs]
    owner = np.repeat(np.arange(len(runs)), sizes)
    starts = np.concatenate([part.starts for _, part in runs])
    stops = np.concatenate([part.stops for _, part in runs])
    order = np.argsort(starts, kind="stable")
    clash = np.flatnonzero(stops[order][:-1] >= starts[order][1:])
    if len(clash):
        one, other = (runs[int(owner[order[at]])][0] for at in (clash[0], clash[0] + 1))
        raise DataFormatError(
            f"{one} and {other} hold rows of the same instance of task {shown(task)}: every "
            "instance must be in one place. Remove what is there twice, or put its rows together."
        )


# Cells that are read, and that wait for others of their task, at one time.
BATCH_CELLS, WAITING_CELLS = 2**21, 2**22
BATCH_ROWS, LEAST_ROWS = 2**16, 256
# The same for each group of units, of which more wait, as a call takes longer than few units do.
ENOUGH_GROUPED, WAITING_CELLS_GROUPED = 2**10, 2**23

Tally: TypeAlias = TaskTally | GroupedTally


@dataclass(frozen=True)
class PartCounts:
    """What a part of the data adds up to."""

    # The position of the part.
    number: int
    # Sums by task, in the order in which tasks first occur.
    tallies: dict[Label, Tally]
    # The instances, where there is a column of them.
    keys: dict[Label, KeyRuns]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "number": self.number,
            "tallies": [[task, tally.to_dict()] for task, tally in self.tallies.items()],
            "keys": [[task, runs.to_dict()] for task, runs in self.keys.items()],
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> PartCounts:
        """Return what `to_dict` gave."""
        return cls(
            plain["number"],
            {
                task: (GroupedTally if "n_groups" in tally else TaskTally).from_dict(tally)
                for task, tally in plain["tallies"]
            },
            {task: KeyRuns.from_dict(runs) for task, runs in plain["keys"]},
        )


class _Units(NamedTuple):
    """Whole units: their scores, tasks and keys, and the row in which each begins."""

    scores: Floats
    tasks: Codes
    keys: Keys | None
    rows: Codes


class _Waiting:
    """Scores of each task that wait until there are enough of them."""

    def __init__(self, layout: ScanLayout) -> None:
        self._layout = layout
        self._blocks: dict[Label, list[tuple[Floats, Keys | None]]] = {}
        self._cells = 0
        groups = layout.n_groups
        self._enough = ENOUGH if groups is None else ENOUGH_GROUPED * groups
        self._most = WAITING_CELLS if groups is None else WAITING_CELLS_GROUPED
        self._tallies: dict[Label, Tally] = {}

    def add(self, task: Label, scores: Floats, keys: Keys | None) -> None:
        waiting = self._blocks.setdefault(task, [])
        waiting.append((scores, keys))
        self._cells += scores.size
        if sum(block.shape[1] for block, _ in waiting) >= self._enough:
            self._count(task)
        if self._cells > self._most:
            self._flush()

    def sums(self) -> dict[Label, Tally]:
        """Return the sums of all that was added, in the order in which tasks first occurred."""
        self._flush()
        return {task: self._tallies[task] for task in self._blocks}

    def _flush(self) -> None:
        for task in self._blocks:
            self._count(task)

    def _count(self, task: Label) -> None:
        blocks = self._blocks[task]
        if not blocks:
            return
        self._blocks[task] = []
        scores = [block for block, _ in blocks]
        whole = scores[0] if len(scores) == 1 else np.concatenate(scores, axis=1)
        self._cells -= whole.size
        better, number = self._layout.direction(task), self._layout.n_groups
        tally: Any
        if number is None:
            tally = TaskTally.of(whole, higher_is_better=better)
        else:
            groups = groups_of(
                np.concatenate([keys for _, keys in blocks if keys is not None]), number
            )
            tally = GroupedTally.of(whole, groups, number, higher_is_better=better)
        self._tallies[task] = self._tallies[task] + tally if task in self._tallies else tally
        check_groups_fit(self._layout, self._tallies)


def check_groups_fit(layout: ScanLayout, tallies: Mapping[Label, Tally]) -> None:
    """Raise where the sums of groups take too much memory."""
    if layout.n_groups is None:
        return
    assert layout.systems is not None, "the systems of a long file are found first"
    grouped = [tally for tally in tallies.values() if isinstance(tally, GroupedTally)]
    size = sum(tally.n_bytes for tally in grouped)
    check_room(size, layout.n_groups, len(grouped), len(layout.systems))


def count_part(
    layout: ScanLayout, part: ScanPart, advance: Callable[[int], object] | None = None
) -> PartCounts:
    """Add up the scores of a part."""
    assert layout.systems is not None, "the systems of a long file are found first"
    size = max(LEAST_ROWS, min(BATCH_ROWS, BATCH_CELLS // max(len(layout.columns), 1)))
    units = _long_units if layout.is_long else _wide_units
    waiting = _Waiting(layout)
    places = RowPlaces()
    ledger = KeyLedger(places, _instance_apart if layout.is_long else _duplicate)
    tasks: dict[Label, int] = {}
    done = 0
    for found in units(layout, batches(part, layout.types, size), tasks, places):
        names = list(tasks)
        for code, at in _units_of_tasks(found.tasks):
            task = names[code]
            keys = None if found.keys is None else found.keys[at]
            waiting.add(task, found.scores[:, at], keys)
            if keys is not None:
                ledger.add(task, keys, found.rows[at])
        if advance is not None:
            advance(places.n_rows - done)
            done = places.n_rows
    return PartCounts(part.number, waiting.sums(), ledger.runs())


def _units_of_tasks(codes: Codes) -> Iterator[tuple[int, Any]]:
    """Yield the number of each task and the units of it: a slice where they stand together."""
    if not len(codes):
        return
    changes = np.flatnonzero(np.diff(codes)) + 1
    starts = np.concatenate([[0], changes])
    order = codes[starts]
    if len(np.unique(order)) == len(order):
        stops = np.append(changes, len(codes))
        for code, start, stop in zip(order.tolist(), starts.tolist(), stops.tolist(), strict=True):
            yield code, slice(start, stop)
        return
    by_task = np.argsort(codes, kind="stable")
    ordered = codes[by_task]
    starts = np.concatenate([[0], np.flatnonzero(np.diff(ordered)) + 1])
    for code, rows in zip(ordered[starts].tolist(), np.split(by_task, starts[1:]), strict=True):
        yield code, rows


def _task_codes(layout: ScanLayout, batch: Batch, tasks: dict[Label, int]) -> Codes:
    before = len(tasks)
    if layout.task is None:
        tasks.setdefault(ONE_TASK, 0)
        codes = np.zeros(batch.n_rows, dtype=np.int64)
    else:
        codes = label_codes(batch, layout.task, tasks)
    for task in list(tasks)[before:]:
        layout.direction(task)
    return codes


def _wide_units(
    layout: ScanLayout, reading: Iterator[Batch], tasks: dict[Label, int], places: RowPlaces
) -> Iterator[_Units]:
    """Yield the units of rows that hold one each."""
    for batch in reading:
        if not batch.n_rows:
            continue
        rows = np.arange(places.n_rows, places.n_rows + batch.n_rows)
        places.add(batch)
        scores = np.empty((len(layout.columns), batch.n_rows))
        for target, column in zip(scores, layout.columns, strict=True):
            scores_into(target, batch, column)
        keys = None if layout.instance is None else keys_of(batch, layout.instance)
        yield _Units(scores, _task_codes(layout, batch, tasks), keys, rows)


class _Rows(NamedTuple):
    """Rows of the long form."""

    systems: Codes
    tasks: Codes
    keys: Keys
    values: Floats
    rows: Codes

    def at(self, where: slice) -> _Rows:
        columns: Any = self
        return _Rows(*(column[where] for column in columns))

    def then(self, other: _Rows) -> _Rows:
        pairs: Any = zip(self, other, strict=True)
        return _Rows(*(np.concatenate(pair) for pair in pairs))


def _long_units(
    layout: ScanLayout, reading: Iterator[Batch], tasks: dict[Label, int], places: RowPlaces
) -> Iterator[_Units]:
    """Yield the units of rows that hold one score each, of which the last may go on."""
    assert layout.systems is not None, "they are known"
    systems = {label: at for at, label in enumerate(layout.systems)}
    rest: _Rows | None = None
    for batch in reading:
        if not batch.n_rows:
            continue
        rows = _long_rows(layout, batch, systems, tasks)
        rows = rows._replace(rows=rows.rows + places.n_rows)
        places.add(batch)
        if rest is not None:
            rows = rest.then(rows)
        new = (rows.keys[1:] != rows.keys[:-1]) | (rows.tasks[1:] != rows.tasks[:-1])
        starts = np.concatenate([[0], np.flatnonzero(new) + 1])
        end = int(starts[-1])
        yield _scattered(rows.at(slice(0, end)), starts[:-1], layout, places)
        rest = rows.at(slice(end, None))
    if rest is not None:
        yield _scattered(rest, np.zeros(1, dtype=np.int64), layout, places)


def _long_rows(
    layout: ScanLayout, batch: Batch, systems: dict[Label, int], tasks: dict[Label, int]
) -> _Rows:
    assert layout.system is not None, "it is named"
    assert layout.score is not None, "it is named"
    codes = label_codes(batch, layout.system, systems, grow=False)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        found = batch.columns[layout.system][row].as_py()
        what = f"is {shown(found)}, which is not among `systems`: name all that occur, or leave "
        raise batch.error(row, layout.system, f"{what}`systems` out")
    values = np.empty(batch.n_rows)
    scores_into(values, batch, layout.score)
    keys = (
        np.zeros(batch.n_rows, dtype=np.uint64)
        if layout.instance is None
        else keys_of(batch, layout.instance)
    )
    numbers = np.arange(batch.n_rows, dtype=np.int64)
    return _Rows(codes, _task_codes(layout, batch, tasks), keys, values, numbers)


def _scattered(rows: _Rows, starts: Codes, layout: ScanLayout, places: RowPlaces) -> _Units:
    """Put scores into a column for each unit."""
    assert layout.systems is not None, "they are known"
    n, m = len(layout.systems), len(starts)
    unit = np.repeat(np.arange(m), np.diff(np.append(starts, len(rows.values))))
    cells = rows.systems * m + unit
    taken = np.zeros(n * m, dtype=bool)
    taken[cells] = True
    if np.count_nonzero(taken) < len(cells):
        order = np.argsort(cells, kind="stable")
        again = order[1:][cells[order][1:] == cells[order][:-1]].min()
        raise DataFormatError(
            f"{places.row(int(rows.rows[again]))} is the second score of "
            f"{shown(layout.systems[int(rows.systems[again])])} on the same instance: keep one."
        )
    scores = np.full(n * m, np.nan)
    scores[cells] = rows.values
    return _Units(scores.reshape(n, m), rows.tasks[starts], rows.keys[starts], rows.rows[starts])


def _duplicate(task: Label, one: str, other: str) -> DataFormatError:
    return DataFormatError(
        f"{one} and {other} are the same instance of task {shown(task)}: remove one of them."
    )


def _instance_apart(task: Label, one: str, other: str) -> DataFormatError:
    return DataFormatError(
        f"{one} and {other} are of one instance of task {shown(task)}, with others between them: "
        "rows of one instance must stand together.",
        'Sort the file by task and instance, or let it be sorted on disk with `scattered="sort"`.',
    )


# -- all parts -------------------------------------------------------------------------------------

SCAN_SCHEMA, SCAN_VERSION = "rankagg.scan", 2


def scan_journal(path: str | PathLike[str], scan: dict[str, Any]) -> JournalFile:
    """Return the journal of finished parts."""
    head = {"schema": SCAN_SCHEMA, "version": SCAN_VERSION, **scan}
    same, again = "unchanged files", "its part is counted again"
    return JournalFile(path, head, work="scan", same=same, again=again)


def _noted(journal: JournalFile) -> Iterator[PartCounts]:
    """Yield the parts in a journal, each of which may be there once."""
    seen: dict[int, int] = {}
    for line, found in journal.read(stacklevel=5):
        try:
            counts = PartCounts.from_dict(found["part"])
        except (ValueError, KeyError, TypeError, RecursionError):
            journal.refuse(line, "changed since it was written, or of another scan")
        if counts.number in seen:
            journal.refuse(line, f"the part of line {seen[counts.number]} again")
        seen[counts.number] = line
        yield counts


def count_on_cluster(
    client: Client, layout: ScanLayout, parts: Sequence[ScanPart]
) -> Iterator[PartCounts]:
    """Count parts as tasks, and yield the sums of each as it is done.

    A task is named by its file and row groups. What a lost worker did is done again by another;
    what is done is dropped on the cluster as soon as it is here.
    """
    from distributed import as_completed  # noqa: PLC0415

    # Another one for each run: what failed once is not what a later run finds of that name.
    scan = uuid4().hex
    threads = sum(client.nthreads().values())
    waiting = iter(_absolute(parts))

    def submitted(count: int) -> list[object]:
        return [
            client.submit(count_part, layout, part, key=_task_key(scan, part), retries=RETRIES)
            for part in islice(waiting, count)
        ]

    with cluster_failures_told("parts"):
        pending = as_completed(submitted(AHEAD * max(threads, 1)), loop=client.loop)
        try:
            for future in pending:
                try:
                    counts = future.result()
                finally:
                    future.release()
                for more in submitted(1):
                    pending.add(more)
                yield counts
        finally:
            # Those that are left where the scan ends early.
            pending.clear()


def _absolute(parts: Sequence[ScanPart]) -> list[ScanPart]:
    """Return parts by the whole paths of their files: workers may stand in another folder."""
    files = {part.file: part.file.absolute() for part in parts}
    return [replace(part, file=files[part.file]) for part in parts]


def _task_key(scan: str, part: ScanPart) -> str:
    groups = "" if part.groups is None else f"-{part.groups[0]}-{part.groups[-1]}"
    return f"count_part-{scan[:16]}-{part.file.path.name}-{part.number}{groups}"


class Totals:
    """The sums so far; tasks are in the order of the data, whichever part came first."""

    def __init__(self) -> None:
        self._tallies: dict[Label, Any] = {}
        self._first: dict[Label, tuple[int, int]] = {}
        self._keys: dict[Label, list[tuple[int, KeyRuns]]] = {}
        self.done: set[int] = set()

    def add(self, counts: PartCounts, layout: ScanLayout | None = None) -> None:
        """Add a part; raises where sums of groups take too much memory for a layout."""
        self.done.add(counts.number)
        for at, (task, tally) in enumerate(counts.tallies.items()):
            place = counts.number, at
            self._first[task] = min(place, self._first.get(task, place))
            self._tallies[task] = self._tallies[task] + tally if task in self._tallies else tally
        for task, runs in counts.keys.items():
            self._keys.setdefault(task, []).append((counts.number, runs))
        if layout is not None:
            check_groups_fit(layout, self._tallies)

    def tallies(self, parts: Sequence[ScanPart]) -> dict[Label, Tally]:
        """Return the sums by task, without tasks that have no score."""
        for task, runs in self._keys.items():
            ordered = sorted(runs, key=lambda pair: pair[0])
            check_parts_apart(task, [(_part_name(parts[number]), part) for number, part in ordered])
        order = sorted(self._tallies, key=self._first.__getitem__)
        scored = {task: self._tallies[task] for task in order if self._tallies[task].n_units}
        if not scored:
            raise InvalidInputError("sources", "files with a score", "none")
        empty = sum(tally.n_empty for tally in self._tallies.values())
        if empty:
            gone = [task for task in order if task not in scored]
            tasks = f", among them all of {counted(len(gone), 'task')}" if gone else ""
            were = "instance has" if empty == 1 else "instances have"
            told = f"no score of any system and {'is' if empty == 1 else 'are'} left out{tasks}"
            warnings.warn(f"{empty} {were} {told}", DataWarning, stacklevel=5)
        return scored


def _part_name(part: ScanPart) -> str:
    if part.groups is None:
        return str(part.file.path)
    first, last = part.groups[0], part.groups[-1]
    groups = f"row group {first}" if first == last else f"row groups {first} to {last}"
    return f"{part.file.path}, {groups}"


def count_parts(
    layout: ScanLayout,
    parts: Sequence[ScanPart],
    *,
    n_jobs: int | None,
    progress: bool | None,
    journal: JournalFile | None,
    client: Client | None = None,
) -> Totals:
    """Count all parts that the journal does not hold; see `ScoreScan.summarize`."""
    totals = Totals()
    for counts in () if journal is None else _noted(journal):
        totals.add(counts, layout)
    left = [part for part in parts if part.number not in totals.done]
    sizes = {part.number: rows_about(part) for part in parts}
    known = {number: size for number, size in sizes.items() if size is not None}
    bar = tqdm(
        total=sum(known.values()) if len(known) == len(sizes) else None,
        initial=sum(known.get(number, 0) for number in totals.done),
        unit=" rows",
        unit_scale=True,
        disable=None if progress is None else not progress,
    )
    with bar:
        for counts in _counted_parts(layout, left, n_jobs, client, bar=bar, sizes=known):
            if journal is not None:
                journal.append([{"part": counts.to_dict()}])
            totals.add(counts, layout)
    assert totals.done == {part.number for part in parts}, "no part may be lost"
    return totals


def _counted_parts(
    layout: ScanLayout,
    parts: Sequence[ScanPart],
    n_jobs: int | None,
    client: Client | None,
    *,
    bar: Any,
    sizes: dict[int, int],
) -> Iterator[PartCounts]:
    if client is not None:
        for counts in count_on_cluster(client, layout, parts):
            bar.update(sizes.get(counts.number, 0))
            yield counts
        return
    if effective_n_jobs(n_jobs) == 1 or len(parts) < 2:
        for part in parts:
            yield count_part(layout, part, bar.update)
        return
    pool = Parallel(n_jobs=n_jobs, return_as="generator", pre_dispatch="2*n_jobs")
    try:
        for counts in pool(delayed(count_part)(layout, part) for part in _absolute(parts)):
            bar.update(sizes.get(counts.number, 0))
            yield counts
    except BrokenProcessPool:
        raise WorkerError(
            "A process of the scan was killed, perhaps for want of memory. Finished parts are in "
            "the journal, if there is one; try fewer `n_jobs`."
        ) from None
