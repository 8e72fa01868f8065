"""Counting all parts of a scan, and adding them up whatever the order in which they come."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from uuid import uuid4

from joblib import Parallel, delayed, effective_n_jobs
from tqdm import tqdm

from rankagg._typing import Label
from rankagg.core.items import counted
from rankagg.exceptions import (
    DataFormatError,
    DataWarning,
    Described,
    InvalidInputError,
    OutputError,
    WorkerError,
)
from rankagg.io.cluster import RETRIES, cluster_failures_told
from rankagg.io.output_files import check_target, write_text
from rankagg.io.scan.arrow import Part, rows_about
from rankagg.io.scan.count import (
    KeyRuns,
    PartCounts,
    Tally,
    check_apart,
    check_groups_fit,
    count_part,
)
from rankagg.io.scan.layout import Layout

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["ScanJournal", "Totals", "count_on_cluster", "run_parts"]

SCHEMA, VERSION = "rankagg.scan", 2


class ScanJournal:
    """Finished parts, one JSON object a line with a checksum, under a line that names the scan."""

    def __init__(self, path: str | PathLike[str], scan: dict[str, Any]) -> None:
        self._path = Path(path)
        self._head = json.dumps({"schema": SCHEMA, "version": VERSION, **scan})

    def read(self) -> Iterator[PartCounts]:
        """Go through the finished parts, and make the file ready to go on."""
        check_target(self._path)
        if not self._path.exists() or not self._path.stat().st_size:
            write_text(self._path, self._head + "\n")
            return
        seen: dict[int, int] = {}
        whole = 0
        with self._path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                if number == 1:
                    self._check_head(line)
                    continue
                counts = self._parsed(line, number)
                if counts.number in seen:
                    self._refuse(number, f"the part of line {seen[counts.number]} again")
                seen[counts.number] = number
                yield counts
        if not whole:
            self._check_head(b"")
        if whole < self._path.stat().st_size:
            warnings.warn(
                f"{self._path}: the last line was cut off; its part is counted again",
                DataWarning, stacklevel=4,
            )  # fmt: skip
            with self._path.open("r+b") as file:
                file.truncate(whole)

    def append(self, counts: PartCounts) -> None:
        """Add a finished part; raises `OutputError` where that cannot be written."""
        body = json.dumps(counts.to_dict())
        line = f'{{"check": "{self._checksum(body)}", "part": {body}}}\n'
        try:
            with self._path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(line)
        except OSError as error:
            raise OutputError(
                f"{self._path} cannot be written: {error.strerror or error}. What was noted before "
                "stays; scan again to go on."
            ) from error

    def _checksum(self, body: str) -> str:
        return sha256(f"{self._head}\n{body}".encode()).hexdigest()[:16]

    def _check_head(self, line: bytes) -> None:
        if line.rstrip(b"\n") != self._head.encode():
            raise InvalidInputError(
                "journal", "a new file, or one of a scan of the same unchanged files",
                Described(str(self._path)), "Give another file name, or remove the file.",
            )  # fmt: skip

    def _parsed(self, line: bytes, number: int) -> PartCounts:
        try:
            found = json.loads(line.decode())
            if found["check"] != self._checksum(json.dumps(found["part"])):
                raise ValueError("the checksum is another one")
            return PartCounts.from_dict(found["part"])
        except (ValueError, KeyError, TypeError, RecursionError):
            self._refuse(number, "changed since it was written, or of another scan")

    def _refuse(self, number: int, why: str) -> NoReturn:
        raise DataFormatError(
            f"{self._path}, line {number}: {why}; remove the line, and its part is counted again."
        )


# Parts that wait or run for each thread of the cluster: workers hold no more results than these.
AHEAD = 4


def count_on_cluster(client: Client, layout: Layout, parts: Sequence[Part]) -> Iterator[PartCounts]:
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
            client.submit(count_part, layout, part, key=_key(scan, part), retries=RETRIES)
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


def _key(scan: str, part: Part) -> str:
    groups = "" if part.groups is None else f"-{part.groups[0]}-{part.groups[-1]}"
    return f"count_part-{scan[:16]}-{part.file.path.name}-{part.number}{groups}"


class Totals:
    """The sums so far; tasks are in the order of the data, whichever part came first."""

    def __init__(self) -> None:
        self._tallies: dict[Label, Any] = {}
        self._first: dict[Label, tuple[int, int]] = {}
        self._keys: dict[Label, list[tuple[int, KeyRuns]]] = {}
        self.done: set[int] = set()

    def add(self, counts: PartCounts, layout: Layout | None = None) -> None:
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

    def tallies(self, parts: Sequence[Part]) -> dict[Label, Tally]:
        """Return the sums by task, without tasks that have no score."""
        for task, runs in self._keys.items():
            ordered = sorted(runs, key=lambda pair: pair[0])
            check_apart(task, [(_name(parts[number]), part) for number, part in ordered])
        order = sorted(self._tallies, key=self._first.__getitem__)
        scored = {task: self._tallies[task] for task in order if self._tallies[task].n_units}
        if not scored:
            raise InvalidInputError("sources", "files with a score", "none")
        empty = sum(tally.n_empty for tally in self._tallies.values())
        if empty:
            gone = [task for task in order if task not in scored]
            tasks = f", among them all of {counted(len(gone), 'task')}" if gone else ""
            were = "instance has" if empty == 1 else "instances have"
            warnings.warn(
                f"{empty} {were} no score of any system and {'is' if empty == 1 else 'are'} left "
                f"out{tasks}",
                DataWarning, stacklevel=4,
            )  # fmt: skip
        return scored


def _name(part: Part) -> str:
    if part.groups is None:
        return str(part.file.path)
    first, last = part.groups[0], part.groups[-1]
    groups = f"row group {first}" if first == last else f"row groups {first} to {last}"
    return f"{part.file.path}, {groups}"


def run_parts(
    layout: Layout,
    parts: Sequence[Part],
    *,
    n_jobs: int | None,
    progress: bool | None,
    journal: ScanJournal | None,
    client: Client | None = None,
) -> Totals:
    """Count all parts that the journal does not hold; see `ScoreScan.summarize`."""
    totals = Totals()
    if journal is not None:
        for counts in journal.read():
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
        for counts in _counted(layout, left, n_jobs, client, bar=bar, sizes=known):
            if journal is not None:
                journal.append(counts)
            totals.add(counts, layout)
    assert totals.done == {part.number for part in parts}, "no part may be lost"
    return totals


def _counted(
    layout: Layout,
    parts: Sequence[Part],
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
