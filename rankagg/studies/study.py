"""What every study is: cells that are their own seed, a journal, workers, a bar of progress."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from tqdm import tqdm

from rankagg._validation import check_flag, check_integer
from rankagg.aggregation.deadline import Deadline, time_limit_of
from rankagg.core.items import counted
from rankagg.exceptions import OutOfTimeError, WorkerError
from rankagg.io.cluster import RETRIES, check_client, cluster_failures_told
from rankagg.studies.journal import Journal, Layout, Row

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Cell", "Rows", "Study", "Trial"]

T = TypeVar("T")

# Cells that one worker gets at a time: few enough that an interrupted study loses little.
BATCH = 16


class Cell(ABC):
    """One data set of a study.

    Its random numbers depend on the seed and on itself alone: not on the other cells, nor on who
    computes it. A subclass is a frozen dataclass.
    """

    @property
    @abstractmethod
    def key(self) -> tuple[Any, ...]:
        """What tells it apart, as plain data: texts, integers, numbers."""

    def generator(self, seed: int, purpose: str) -> np.random.Generator:
        """Return the random numbers for one purpose."""
        digest = sha256(repr((*self.key, purpose)).encode()).digest()
        words = np.frombuffer(digest, dtype="<u4").tolist()
        return np.random.default_rng(np.random.SeedSequence([seed, *words]))


AnyCell = TypeVar("AnyCell", bound=Cell)
AnyResult = TypeVar("AnyResult")
#: What was found in each cell.
Rows: TypeAlias = Mapping[AnyCell, list[Row]]


class Trial(Protocol[AnyCell]):  # type: ignore[misc]
    """What is tried on every cell, by some worker."""

    def run(self, cell: AnyCell) -> list[Row]:
        """Return what was found, as plain data."""


@dataclass(frozen=True, kw_only=True)
class Study(ABC, Generic[AnyCell, AnyResult]):
    """A grid of cells, and a trial that is run on each.

    A new study is a frozen dataclass with a `seed`. It says which cells there are, what is tried
    on them, what a journal holds of it, and what the rows of all cells become.
    """

    seed: int

    def __post_init__(self) -> None:
        check_integer(self.seed, f"seed of {type(self).__name__}", low=0)

    @abstractmethod
    def cells(self) -> Iterator[AnyCell]:
        """Iterate over the data sets of the grid, in the order of the results."""

    @abstractmethod
    def _trial(self) -> Trial[AnyCell]:
        """Return what is tried; it goes to workers, and holds what they need."""

    def _trial_until(self, deadline: Deadline) -> Trial[AnyCell]:
        """Return what is tried; a trial that may search long overrides this, and ends then."""
        return self._trial()

    @abstractmethod
    def _layout(self) -> Layout:
        """Return what a journal holds."""

    @abstractmethod
    def _result(self, rows: Rows[AnyCell]) -> AnyResult:
        """Return what the rows of all cells become."""

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
        cells = list(self.cells())
        book = None if journal is None else Journal(Path(journal), self._layout())
        done: dict[tuple[Any, ...], list[Row]] = {} if book is None else book.read()
        left = [cell for cell in cells if cell.key not in done]
        bar = tqdm(
            total=len(cells), initial=len(cells) - len(left), unit="cell",
            disable=None if progress is None else not check_flag(progress, "progress"),
        )  # fmt: skip
        trial = self._trial_until(deadline)
        with bar, _on(client), Parallel(n_jobs=n_jobs) as pool:
            workers = effective_n_jobs(n_jobs)
            size = 1 if workers == 1 else BATCH * workers
            for batch in _batches(left, size):
                try:
                    deadline.seconds_left()
                    rows = pool(delayed(trial.run)(cell) for cell in batch)
                except OutOfTimeError:
                    raise OutOfTimeError(
                        f"{len(done)} of {counted(len(cells), 'data set')} were done in time; the "
                        "journal keeps them, if there is one."
                    ) from None
                except BrokenProcessPool:
                    raise WorkerError(
                        "A process of the study was killed, perhaps for want of memory. Finished "
                        "data sets are in the journal, if there is one; try fewer `n_jobs`."
                    ) from None
                results = list(zip(batch, rows, strict=True))
                if book is not None:
                    book.append((cell.key, found) for cell, found in results)
                done.update((cell.key, found) for cell, found in results)
                bar.update(len(batch))
        return self._result({cell: done[cell.key] for cell in cells})


@contextmanager
def _on(client: Client | None) -> Iterator[None]:
    """Let joblib use the cluster of a client, where there is one."""
    if client is None:
        yield
        return
    options = {"client": check_client(client), "retries": RETRIES}
    with cluster_failures_told("data sets"), parallel_config("dask", n_jobs=-1, **options):
        yield


def _batches(values: Iterable[T], size: int) -> Iterator[list[T]]:
    left = iter(values)
    while batch := list(islice(left, size)):
        yield batch
