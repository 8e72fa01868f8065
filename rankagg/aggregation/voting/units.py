"""Ballots as whole numbers of the smallest one, for rules that look for some of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers, Ranks
from rankagg.core.arithmetic import exact
from rankagg.core.items import counted
from rankagg.core.profiles.profile import Profile
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["MOST_UNITS", "Units"]

# Rows of a program with sums of this size are far from what the solver takes for equal.
MOST_UNITS = 2**20


@dataclass(frozen=True)
class Units:
    """Different ballots, and how many of the smallest one each weighs.

    Attributes
    ----------
    ranks : ndarray of int32, shape (t, n)
        Places with codes.
    votes : ndarray of int, shape (t,)
        Numbers of the smallest ballot.
    denominator : int
        How many of these make a ballot of weight 1.
    """

    ranks: Ranks
    votes: Integers
    denominator: int

    @classmethod
    def of(cls, profile: Profile) -> Units:
        """Return the ballots of a profile, equal ones together."""
        votes, denominator = exact.as_votes(profile.counts, profile.weights)
        ranks, where = np.unique(profile.ranks, axis=0, return_inverse=True)
        merged = exact.count_cells(where.ravel(), votes, len(ranks))
        (merged,), denominator = exact.reduce_by([merged], denominator)
        return cls(ranks, merged, denominator)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return int(self.ranks.shape[1])

    @property
    def whole(self) -> int:
        """The units of all ballots together."""
        return exact.sum_of(self.votes)

    def merged(self, rows: NDArray[Any]) -> tuple[NDArray[Any], Integers]:
        """Return the different rows, one a ballot, and the units of each."""
        if not rows.shape[1]:
            return rows[:1], np.array([self.whole], dtype=object)
        kinds, where = np.unique(rows, axis=0, return_inverse=True)
        return kinds, exact.count_cells(where.ravel(), self.votes, len(kinds))

    def sums(self, rows: NDArray[Any], votes: Integers) -> list[int]:
        """Return the sum of each column over all units, without overflow."""
        small = self.whole * int(np.abs(rows).max(initial=1)) < exact.INT64_SAFE
        kind = np.int64 if small else object
        sums: list[int] = (votes.astype(kind) @ rows.astype(kind)).tolist()
        return sums

    def check_size(self, rule: str, rows: NDArray[Any], most_cells: int) -> None:
        """Raise where a program of these rows is too large, or its sums are."""
        if rows.size > most_cells:
            raise InvalidInputError(
                f"data of {rule}",
                f"ballots of {counted(most_cells, 'cell')} at most, different ballots times items",
                Described(counted(rows.size, "cell")),
                "The exact winner is hard to compute; Minimax and Borda come near it.",
            )
        largest = int(np.abs(rows).max(initial=1))
        if self.whole * largest > MOST_UNITS:
            raise InvalidInputError(
                f"data of {rule}",
                f"{counted(MOST_UNITS // largest, 'ballot')} of the smallest weight at most",
                Described(counted(self.whole, "ballot")),
                "Whole weights make the fewest, and 'ignore' and 'last' impute no shares; "
                "Minimax and Borda take any number.",
            )
