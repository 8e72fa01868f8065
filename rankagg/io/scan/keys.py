"""Which instances a scan has met, so that none counts twice: 8 bytes each, or less."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Label
from rankagg.exceptions import DataFormatError, shown
from rankagg.io.scan.arrow import Batch, Place

__all__ = ["KeyLedger", "KeyRuns", "Places", "check_apart"]


@dataclass(frozen=True, eq=False)
class KeyRuns:
    """Keys, ascending, those that follow each other as one run.

    Attributes
    ----------
    starts, stops : ndarray of uint64
        First and last key of each run.
    """

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
        return {"starts": _packed(self.starts), "stops": None if same else _packed(self.stops)}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """Return what `to_dict` gave."""
        starts = _unpacked(plain["starts"])
        return cls(starts, starts if plain["stops"] is None else _unpacked(plain["stops"]))


def _packed(keys: NDArray[np.uint64]) -> str:
    return base64.b64encode(zlib.compress(keys.tobytes(), 1)).decode()


def _unpacked(text: str) -> NDArray[np.uint64]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint64)


class Places:
    """Where the rows of a part stand, which are numbered through all of its batches.

    Attributes
    ----------
    n_rows : int
        The rows so far.
    """

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
    """The keys of a part by task, and the rows in which they stand.

    Parameters
    ----------
    places : Places
        Where the rows are.
    twice : callable
        From the task and the places of two rows with one key to the error to raise.
    """

    def __init__(self, places: Places, twice: Callable[[Label, str, str], DataFormatError]) -> None:
        self._places = places
        self._twice = twice
        self._keys: dict[Label, list[NDArray[np.uint64]]] = {}
        self._rows: dict[Label, list[NDArray[np.int64]]] = {}

    def add(self, task: Label, keys: NDArray[np.uint64], rows: NDArray[np.int64]) -> None:
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


def check_apart(task: Label, runs: list[tuple[str, KeyRuns]]) -> None:
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
