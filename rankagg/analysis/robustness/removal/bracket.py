"""What is known of the fewest removals while they are looked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers, Label

__all__ = ["Bracket", "Question"]


@dataclass(frozen=True)
class Question:
    """What a removal has to change.

    Attributes
    ----------
    tops : tuple of int
        Positions of the present firsts, or of the upper item of a pair.
    rivals : tuple of int
        The others, or the lower item of the pair: one of them has to get above all of `tops`.
    strict : bool
        Whether being level with them is not enough.
    is_pair : bool
        Whether it is about two items, wherever they stand.
    """

    tops: tuple[int, ...]
    rivals: tuple[int, ...]
    strict: bool
    is_pair: bool


@dataclass
class Bracket:
    """A lower bound, and the best removal that was found.

    Attributes
    ----------
    total : int
        The number of units: one of them has to stay, so as many removals are no answer.
    lower : int
        Proved: no fewer removals do it.
    removed : ndarray of int, shape (k,), or None
        How many of each class to remove; None where nothing was found.
    first : tuple
        Who is first without them.
    """

    total: int
    lower: int = 0
    removed: NDArray[np.int64] | None = None
    first: tuple[Label, ...] = ()

    @property
    def upper(self) -> int:
        """The size of the best removal; all units where there is none."""
        return self.total if self.removed is None else int(self.removed.sum())

    def is_closed(self) -> bool:
        """Whether nothing is left to be found."""
        return self.lower >= self.upper

    def offer(self, removed: Integers | Any) -> None:
        """Take a removal that does it, where it is the smallest so far."""
        chosen = np.asarray(removed, dtype=np.int64)
        if int(chosen.sum()) < self.upper:
            self.removed = chosen

    def raise_to(self, bound: int) -> None:
        """Take a proved lower bound."""
        self.lower = max(self.lower, min(bound, self.upper))
