"""What rules on scores share: some rival has to get above the present first, whichever it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers
from rankagg.analysis.robustness.removal.bracket import Bracket

__all__ = ["Merged", "each_rival"]


class Merged:
    """Classes of units that are told apart by what counts for one question only.

    Parameters
    ----------
    gains : ndarray of int, shape (k, p)
        What counts of one unit of each class.
    counts : ndarray of int, shape (k,)
        How many units a class has.

    Attributes
    ----------
    gains, counts : ndarray of int, shapes (j, p) and (j,)
        The same, with equal classes put together.
    """

    def __init__(self, gains: Integers, counts: NDArray[np.int64]) -> None:
        if gains.dtype == object:
            # Python integers have no order of rows that NumPy knows.
            numbers: dict[tuple[int, ...], int] = {}
            where = [numbers.setdefault(tuple(row), len(numbers)) for row in gains.tolist()]
            self._class = np.array(where, dtype=np.intp)
            first = np.unique(self._class, return_index=True)[1]
        else:
            _, first, inverse = np.unique(gains, axis=0, return_index=True, return_inverse=True)
            self._class = inverse.ravel().astype(np.intp)
        self.gains = gains[first]
        self._given = counts
        self.counts = np.zeros(len(first), dtype=np.int64)
        np.add.at(self.counts, self._class, counts)

    def spread(self, removed: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many units of each given class go, if so many of each merged one do."""
        left = removed.copy()
        taken = np.zeros(len(self._given), dtype=np.int64)
        for k in np.flatnonzero(removed[self._class]).tolist():
            taken[k] = min(int(self._given[k]), int(left[self._class[k]]))
            left[self._class[k]] -= taken[k]
        return taken


def each_rival(
    bracket: Bracket, rivals: tuple[int, ...], bounds: NDArray[np.int64],
    solve: Callable[[int], int],
) -> None:  # fmt: skip
    """Find the fewest removals over all rivals, the most promising first.

    Parameters
    ----------
    bracket : Bracket
        What is known; `solve` offers to it.
    rivals : tuple of int
        Positions.
    bounds : ndarray of int, shape (r,)
        How many removals each of them needs at least.
    solve : callable
        Takes a rival and returns how many it needs at least: the least number, or what is no
        better than the best that is known.
    """
    known = bounds.copy()
    try:
        for at in np.argsort(bounds, kind="stable").tolist():
            if known[at] >= bracket.upper:
                break
            known[at] = max(known[at], solve(rivals[at]))
    finally:
        bracket.raise_to(int(known.min(initial=bracket.total)))
