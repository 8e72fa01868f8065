"""What is known of all optima of an exact consensus, as far as there was time to find it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Label
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.aggregator import Slater
from rankagg.aggregation.kemeny.optima import Optima
from rankagg.aggregation.kemeny.placed_rules import PlacedRule
from rankagg.aggregation.result import Consensus
from rankagg.exceptions import BlockTooLargeError, OutOfTimeError

if TYPE_CHECKING:
    from rankagg.aggregation.kemeny.weak_optima import WeakOptima

__all__ = ["LATE", "Alternatives", "is_yardstick"]

T = TypeVar("T")

#: What stands in the place of what the time limit, or the user, did not leave time for.
LATE = "not computed in time"


@dataclass(frozen=True, eq=False)
class Alternatives:
    """All optima, in numbers; what there was no time for is None."""

    # The optima, under the deadline.
    optima: Optima | WeakOptima
    # Whether there is one only.
    is_unique: bool | None
    # The items that are first in some optimum.
    winners: tuple[Label, ...] | None
    # The best and the worst rank of every item.
    ranks: tuple[NDArray[np.intp], NDArray[np.intp]] | None
    # How many there are; None too where a block is too large to be counted.
    count: int | None
    # Why they were not counted, where that is so.
    too_large: str
    # Added rankings that can overturn the consensus; None too for a single item, where there are
    # several optima, and where they may tie items.
    radius: int | None
    # Whether there was time for all of it.
    is_complete: bool

    @classmethod
    def of(
        cls, optima: Optima | WeakOptima, deadline: Deadline, *, radius: bool = False
    ) -> Alternatives:
        """Find out what there is time for."""
        every = optima._until(deadline)
        late: list[str] = []

        def ask(question: Callable[[], T], name: str) -> T | None:
            try:
                return question()
            except OutOfTimeError:
                late.append(name)
                return None

        unique = ask(lambda: every.is_unique, "is_unique")
        winners = ask(every.winners, "winners")
        ranks = ask(every.rank_ranges, "ranks")
        count, too_large = None, ""
        try:
            count = ask(every.count, "count")
        except BlockTooLargeError as error:
            too_large = str(error)
        added = None
        if radius and unique and isinstance(every, Optima):
            added = ask(lambda: every.addition_radius, "radius")
        return cls(every, unique, winners, ranks, count, too_large, added, not late)

    def summary(self) -> str:
        """Return how many optima there are and where they differ, as text."""
        if self.is_unique is None:
            return f"{LATE} whether there are others"
        if self.is_unique or self.count is not None or self.too_large:
            return self.optima.summary()
        return f"more than one; {LATE} how many"


def is_yardstick(consensus: Consensus) -> bool:
    """Say whether a consensus is that of the exact rule: of all rankings, by all votes."""
    rule = consensus.aggregator
    is_held = getattr(rule, "constraints", None) is not None
    is_other = is_held or isinstance(rule, Slater | PlacedRule)
    return consensus.certificate is not None and not is_other
