"""What is known of a weak order in one case of a search, and all that follows from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankagg._typing import Bools

__all__ = ["Known", "closed", "learn", "nothing"]


class Known(NamedTuple):
    """Two relations, closed under all that follows from them.

    Attributes
    ----------
    not_below : ndarray of bool, shape (n, n)
        The row is above the column or tied with it; transitive, and true on the diagonal.
    above : ndarray of bool, shape (n, n)
        The row is above the column; part of `not_below`, and whatever is not below the row is
        above whatever the column is not below.
    """

    not_below: Bools
    above: Bools

    @property
    def is_whole(self) -> bool:
        """True where a single weak order is left."""
        decided = self.above | self.above.T | (self.not_below & self.not_below.T)
        return bool(decided.all())

    def holds(self, z: Bools) -> bool:
        """Say whether a weak order, as "row is not below column", is as it is known to be."""
        return bool((z >= self.not_below).all() and not (self.above & z.T).any())


def nothing(n: int) -> Known:
    """Return what is known of n items at first."""
    return Known(np.eye(n, dtype=bool), np.zeros((n, n), dtype=bool))


def learn(known: Known, first: int, second: int, *, below: bool) -> Known | None:
    """Add that the first item is below the second, or is not; None if that contradicts.

    Parameters
    ----------
    known : Known
        What is known already.
    first, second : int
        Two items.
    below : bool
        Whether the first is below the second.

    Returns
    -------
    Known or None
    """
    if known.not_below[first, second] if below else known.above[second, first]:
        return None
    # A chain through the new link leads to its upper end and on from its lower end.
    high, low = (second, first) if below else (first, second)
    upward, downward = known.not_below[:, high], known.not_below[low]
    joined = upward[:, None] & downward
    if below:
        strictly = joined
    else:
        strictly = (known.above[:, high][:, None] & downward) | (upward[:, None] & known.above[low])
    return Known(known.not_below | joined, known.above | strictly)


def closed(not_below: Bools, above: Bools) -> Known | None:
    """Return all that follows from two relations; None if they contradict each other."""
    weak = not_below | above | np.eye(len(above), dtype=bool)
    strict = above
    while True:
        steps, strictly = weak.astype(np.float32), strict.astype(np.float32)
        more = weak | (steps @ steps > 0)
        higher = strict | (strictly @ steps > 0) | (steps @ strictly > 0)
        if higher.diagonal().any():
            return None
        if np.array_equal(more, weak) and np.array_equal(higher, strict):
            return Known(weak, strict)
        weak, strict = more | higher, higher
