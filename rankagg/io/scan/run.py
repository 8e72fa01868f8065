"""Counting all parts of a scan, and adding them up whatever the order in which they come."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from joblib import Parallel, delayed, effective_n_jobs
from tqdm import tqdm

from rankagg._typing import Label
from rankagg.core.items import counted
from rankagg.exceptions import (
    DataWarning,
    InvalidInputError,
    WorkerError,
)
from rankagg.io.cluster import RETRIES, cluster_failures_told
from rankagg.io.journal import JournalFile
from rankagg.io.scan.batches import ScanPart, rows_about
from rankagg.io.scan.count import (
    KeyRuns,
    PartCounts,
    Tally,
    check_groups_fit,
    check_parts_apart,
    count_part,
)
from rankagg.io.scan.layout import ScanLayout

if TYPE_CHECKING:
    from distributed import Client

SCAN_SCHEMA, SCAN_VERSION = "rankagg.scan", 2


class ScanJournal:
    """Finished parts of a scan; see `JournalFile`."""

    def __init__(self, path: str | PathLike[str], scan: dict[str, Any]) -> None:
        self._file = JournalFile(
            path,
            {"schema": SCAN_SCHEMA, "version": SCAN_VERSION, **scan},
            work="scan",
            same="unchanged files",
            again="its part is counted again",
        )

    def add_to(self, totals: Totals, layout: ScanLayout) -> None:
        """Add the finished parts, and make the file ready to go on."""
        seen: dict[int, int] = {}
        for line, found in self._file.read():
            try:
                counts = PartCounts.from_dict(found["part"])
            except (ValueError, KeyError, TypeError, RecursionError):
                self._file.refuse(line, "changed since it was written, or of another scan")
            if counts.number in seen:
                self._file.refuse(line, f"the part of line {seen[counts.number]} again")
            seen[counts.number] = line
            totals.add(counts, layout)

    def append(self, counts: PartCounts) -> None:
        """Add a finished part; raises `OutputError` where that cannot be written."""
        self._file.append([{"part": counts.to_dict()}])


# Parts that wait or run for each thread of the cluster: workers hold no more results than these.
AHEAD = 4


def count_on_cluster(
    client: Client, layout: ScanLayout, parts: Sequence[ScanPart]
) -> Iterator[PartCounts]:
    """Count parts as tasks, and yield the sums of each as it is done.

    A task is named by its file and row groups. What a lost worker did is done again by another;
    what is done is dropped on the cluster as soon as it is here.
    """
    from distributed import as_completed  # noqa: PLC0415

    files = {part.file: part.file.absolute() for part in parts}
    placed = [replace(part, file=files[part.file]) for part in parts]
    # Another one for each run: what failed once is not what a later run finds of that name.
    scan = uuid4().hex
    threads = sum(client.nthreads().values())
    waiting = iter(placed)

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
            warnings.warn(f"{empty} {were} {told}", DataWarning, stacklevel=4)
        return scored


def _part_name(part: ScanPart) -> str:
    if part.groups is None:
        return str(part.file.path)
    first, last = part.groups[0], part.groups[-1]
    groups = f"row group {first}" if first == last else f"row groups {first} to {last}"
    return f"{part.file.path}, {groups}"


def run_parts(
    layout: ScanLayout,
    parts: Sequence[ScanPart],
    *,
    n_jobs: int | None,
    progress: bool | None,
    journal: ScanJournal | None,
    client: Client | None = None,
) -> Totals:
    """Count all parts that the journal does not hold; see `ScoreScan.summarize`."""
    totals = Totals()
    if journal is not None:
        journal.add_to(totals, layout)
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
                journal.append(counts)
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
        for counts in pool(delayed(count_part)(layout, part) for part in parts):
            bar.update(sizes.get(counts.number, 0))
            yield counts
    except BrokenProcessPool:
        raise WorkerError(
            "A process of the scan was killed, perhaps for want of memory. Finished parts are in "
            "the journal, if there is one; try fewer `n_jobs`."
        ) from None
