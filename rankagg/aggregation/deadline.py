"""When to stop: one point in time that is set once and handed on to everything that takes long."""

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
    """A point in time, for several rules that share one budget; never by default.

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
        """Return the deadline in so many seconds; never for None.

        Parameters
        ----------
        seconds : float or None
            From now.
        """
        return cls() if seconds is None else cls(monotonic() + seconds)

    @property
    def is_over(self) -> bool:
        """Whether it has passed."""
        return self.at <= monotonic()

    def seconds_left(self) -> float:
        """Return what is left; raises `OutOfTimeError` where that is nothing."""
        left = self.at - monotonic()
        if left <= 0:
            raise OutOfTimeError
        return left

    @property
    def time_limit(self) -> float | None:
        """What is left as a time limit: seconds, or None where there is no end."""
        return None if self.at == inf else max(self.at - monotonic(), 0.0)

    def sooner(self, seconds: float | None) -> Deadline:
        """Return this one, or the one in so many seconds where that comes first.

        Parameters
        ----------
        seconds : float or None
            From now; None is never.
        """
        return Deadline(min(self.at, Deadline.after(seconds).at))

    def later(self, seconds: float) -> Deadline:
        """Return the one so many seconds after this one.

        Parameters
        ----------
        seconds : float
            How many.
        """
        return Deadline(self.at + seconds)

    def share(self, parts: float) -> Deadline:
        """Return when a fair share of what is left is used up, for one of some equal parts.

        Parameters
        ----------
        parts : float
            How many parts have to share what is left.
        """
        now = monotonic()
        return Deadline(now + max(self.at - now, 0.0) / parts)


#: Without an end.
NEVER = Deadline()


def time_limit_of(time_limit: object, owner: str = "") -> float | None:
    """Return a time limit in seconds, or None; anything else raises `InvalidInputError`."""
    if time_limit is None:
        return None
    return check_number(time_limit, f"time_limit{owner}", low=0)


@dataclass
class _Stop:
    """Why a block stopped early, if it did."""

    out_of_time: bool = False
    by_user: bool = False


@contextmanager
def until_stopped() -> Iterator[_Stop]:
    """Run a block until the deadline has passed or the user interrupts; both end it quietly."""
    stop = _Stop()
    try:
        yield stop
    except OutOfTimeError:
        stop.out_of_time = True
    except KeyboardInterrupt:
        stop.by_user = True
