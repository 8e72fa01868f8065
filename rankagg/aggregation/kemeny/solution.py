"""What a backend returns for one part, and the deadline it works against."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankagg.aggregation.kemeny.nodes import Node
from rankagg.aggregation.kemeny.problem import Problem

__all__ = [
    "Backend",
    "Deadline",
    "OutOfTimeError",
    "Report",
    "Solution",
    "Task",
    "silent",
    "until_stopped",
]


class OutOfTimeError(Exception):
    """The deadline has passed."""


@dataclass(frozen=True)
class Deadline:
    """A point in time of `time.monotonic`; infinite by default."""

    at: float = inf

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Return the deadline in so many seconds; none for None."""
        return cls() if seconds is None else cls(monotonic() + seconds)

    def seconds_left(self) -> float:
        """Return what is left; raises `OutOfTimeError` where that is nothing."""
        left = self.at - monotonic()
        if left <= 0:
            raise OutOfTimeError
        return left


@dataclass
class Stop:
    """Why a backend stopped early, if it did."""

    by_user: bool = False


@contextmanager
def until_stopped() -> Iterator[Stop]:
    """Run a block until the deadline has passed or the user interrupts; both end it quietly."""
    stop = Stop()
    with suppress(OutOfTimeError):
        try:
            yield stop
        except KeyboardInterrupt:
            stop.by_user = True


@dataclass(frozen=True, eq=False)
class Solution:
    """An order of one part, and the cases that bound what any order costs.

    Attributes
    ----------
    order : ndarray of int, shape (n,)
        Positions within the part, best first.
    nodes : tuple of Leaf, Branch or Enumeration
        The tree of cases, over positions within the part.
    interrupted : bool
        True where the user stopped it.
    notes : tuple of str
        What the reader of the result must know.
    """

    order: NDArray[np.intp]
    nodes: tuple[Node, ...]
    interrupted: bool = False
    notes: tuple[str, ...] = ()


#: Called with the lower and the upper bound of a part, in the units of `Problem.costs`.
Report: TypeAlias = Callable[[int, int], None]


def silent(lower: int, upper: int) -> None:
    """Report nothing."""


@dataclass(frozen=True, eq=False)
class Task:
    """What a backend is asked: one part, and what may help or hinder.

    Attributes
    ----------
    problem : Problem
        A part of at least two items.
    deadline : Deadline
        When to stop with what is there.
    report : callable
        Told the bounds as they change.
    start : ndarray of int, shape (n,), or None
        An order that is likely to be good, as positions within the part.
    """

    problem: Problem
    deadline: Deadline = field(default_factory=Deadline)
    report: Report = silent
    start: NDArray[np.intp] | None = None


#: Solves one part.
Backend: TypeAlias = Callable[[Task], Solution]
