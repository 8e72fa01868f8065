"""Counting all parts of a scan, and adding them up whatever the order in which they come."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any

from joblib import Parallel, delayed, effective_n_jobs
from tqdm import tqdm

from rankagg._typing import Label
from rankagg.core.items import counted
from rankagg.exceptions import DataWarning, InvalidInputError, WorkerError
from rankagg.io.scan.arrow import Part, rows_about
from rankagg.io.scan.count import PartCounts, Tally, check_groups_fit, count_part
from rankagg.io.scan.dask import count_on_cluster
from rankagg.io.scan.journal import ScanJournal
from rankagg.io.scan.keys import KeyRuns, check_apart
from rankagg.io.scan.layout import Layout

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Totals", "run_parts"]


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
        """Return the sums by task, without tasks that have no score.

        Raises
        ------
        DataFormatError
            If an instance is in two parts.
        InvalidInputError
            If there is no score at all.

        Warns
        -----
        DataWarning
            If instances or whole tasks have no score: they are left out.
        """
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
