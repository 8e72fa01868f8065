"""Work for several processes, and what becomes of it when one is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

__all__ = ["LOST", "in_processes"]

T = TypeVar("T")
R = TypeVar("R")

#: What the reader of a result must know where `in_processes` had no results.
LOST = "a process was lost, and its work done again by one"


def in_processes(function: Callable[[T], R], items: Iterable[T], n_jobs: int) -> list[R] | None:
    """Return what a function gives for each item; None where a process has ended before its time.

    Parameters
    ----------
    function : callable
        Of a module, so that it can travel.
    items : iterable
        What it is called with.
    n_jobs : int
        Processes that joblib starts; -1 for all cores.

    Returns
    -------
    list or None
    """
    from joblib import Parallel, delayed  # noqa: PLC0415 - only where it is used

    try:
        results: list[R] = Parallel(n_jobs=n_jobs)(delayed(function)(item) for item in items)
    except BrokenProcessPool:
        return None
    return results
