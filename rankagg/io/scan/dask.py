"""Counting the parts of a scan on a cluster of Dask: only sums travel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING
from uuid import uuid4

from rankagg.io.cluster import RETRIES, cluster_failures_told
from rankagg.io.scan.arrow import Part
from rankagg.io.scan.count import PartCounts, count_part
from rankagg.io.scan.layout import Layout

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["count_on_cluster"]

# Parts that wait or run for each thread of the cluster: workers hold no more results than these.
AHEAD = 4


def count_on_cluster(client: Client, layout: Layout, parts: Sequence[Part]) -> Iterator[PartCounts]:
    """Count parts as tasks, and yield the sums of each as it is done.

    A task is named by its file and row groups. What a lost worker did is done again by another;
    what is done is dropped on the cluster as soon as it is here.

    Parameters
    ----------
    client : distributed.Client
        A client of the cluster, whose workers see the files under the same paths.
    layout : Layout
        What the columns mean.
    parts : sequence of Part
        Which rows.

    Yields
    ------
    PartCounts
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
