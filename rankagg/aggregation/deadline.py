"""Deadlines: one point in time that is set once and shared by all slow steps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from time import monotonic

from rankagg._validation import check_number
from rankagg.exceptions import OutOfTimeError


@dataclass(frozen=True)
class Deadline:
    """A point in time, for several rules that share a time budget; by default never.

    Attributes
    ----------
    at : float
        Seconds of the clock `time.monotonic`.

    Examples
    --------
    >>> import rankagg as ra
    >>> votes = ra.aggregation.Evidence(ra.datasets.load("tennessee"))
    >>> deadline = ra.aggregation.Deadline.after(10)
    >>> rules = [ra.Kemeny(), ra.Kemeny(tie_cost=0.5)]
    >>> [rule.aggregate(votes, deadline=deadline).is_proved for rule in rules]
    [True, True]
    """

    at: float = inf

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Return the deadline that is some seconds from now; None means never.

        Parameters
        ----------
        seconds : float or None
            Seconds from now.
        """
        return cls() if seconds is None else cls(monotonic() + seconds)

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed."""
        return self.at <= monotonic()

    def seconds_left(self) -> float:
        """Return the seconds left; raises `OutOfTimeError` if there are none."""
        left = self.at - monotonic()
        if left <= 0:
            raise OutOfTimeError
        return left

    @property
    def time_limit(self) -> float | None:
        """The seconds left as a time limit; None without an end."""
        return None if self.at == inf else max(self.at - monotonic(), 0.0)

    def sooner(self, seconds: float | None) -> Deadline:
        """Return the earlier of this deadline and the one some seconds from now.

        Parameters
        ----------
        seconds : float or None
            Seconds from now; None means never.
        """
        return Deadline(min(self.at, Deadline.after(seconds).at))

    def later(self, seconds: float) -> Deadline:
        """Return the deadline some seconds after this one.

        Parameters
        ----------
        seconds : float
            Seconds after this deadline.
        """
        return Deadline(self.at + seconds)

    def share(self, parts: float) -> Deadline:
        """Return the deadline of one of several equal shares of the time left.

        Parameters
        ----------
        parts : float
            The number of shares.
        """
        now = monotonic()
        return Deadline(now + max(self.at - now, 0.0) / parts)


#: The deadline that never passes.
NEVER = Deadline()


def deadline_of(time_limit: object, owner: str = "") -> Deadline:
    """Return the deadline after a time limit in seconds; None means never."""
    if time_limit is None:
        return NEVER
    return Deadline.after(check_number(time_limit, f"time_limit{owner}", low=0))


@dataclass
class _Stop:
    """The reason why a block stopped early, if it did."""

    out_of_time: bool = False
    by_user: bool = False


@contextmanager
def until_stopped() -> Iterator[_Stop]:
    """Run a block until the deadline passes or the user interrupts, without raising."""
    stop = _Stop()
    try:
        yield stop
    except OutOfTimeError:
        stop.out_of_time = True
    except KeyboardInterrupt:
        stop.by_user = True
