"""Ballots seen as rankings of the items that remain: first and last places, without rounding."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers, Ranks, Unranked
from rankagg.core.arithmetic import exact
from rankagg.core.profiles.profile import Profile
from rankagg.core.rankings import places
from rankagg.kernels.rows import row_sums

__all__ = ["Ballots", "EndPlaces"]


class EndPlaces(NamedTuple):
    """What items have at one end of the ballots.

    Attributes
    ----------
    points : ndarray of int
        First (or last) places of each remaining item, as Python integers.
    whole : int
        What the ballots that rank any of them have to give.
    """

    points: NDArray[np.object_]
    whole: int


@dataclass(frozen=True)
class Ballots:
    """Distinct ballots and their votes; unlisted items share the bucket below the listed ones."""

    codes: Ranks
    votes: Integers
    unranked: Unranked

    @classmethod
    def of(cls, profile: Profile, unranked: Unranked) -> Ballots:
        """Return the ballots of a profile under a policy."""
        ranks = places.unranked_last(profile.ranks) if unranked == "last" else profile.ranks
        votes, _ = exact.as_votes(profile.counts, profile.weights)
        rows, where = np.unique(ranks, axis=0, return_inverse=True)
        merged = exact.count_cells(where.ravel(), votes, len(rows))
        return cls(places.comparable(rows), merged, unranked)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return int(self.codes.shape[1])

    def ends(self, inside: list[int], *, last: bool = False, plain: bool = False) -> EndPlaces:
        """Count the first or the last places among some items.

        A bucket at the end shares the place evenly. "uniform": of s remaining items of which a
        ballot ranks k, the ones at the end get k/s of it, and each unranked one 1/s. "ignore":
        they get all of it, and each of the k ranked items gives 1/k.

        Parameters
        ----------
        inside : list of int
            The positions of the remaining items, ascending.
        last : bool, default False
            Whether to count last places.
        plain : bool, default False
            Whether the ranked items give nothing under "ignore".

        Returns
        -------
        EndPlaces
        """
        codes, s = self.codes[:, inside], len(inside)
        ranked = codes <= self.n_items
        known = row_sums(ranked)
        edge = np.where(ranked, codes, -1).max(axis=1) if last else codes.min(axis=1)
        at_end = (codes == edge[:, None]) & ranked
        sizes = row_sums(at_end)
        if self.unranked == "ignore":
            shared = _by_size(at_end, sizes, self.votes)
            whole = exact.sum_of(self.votes[known > 0])
            given = {} if plain else _by_size(ranked, known, self.votes)
            over = lcm(1, *shared, *given)
            points = _added(shared, over, s) - _added(given, over, s)
            return EndPlaces(points, whole * over)
        shared = {}
        for k in np.unique(known).tolist():
            rows = known == k
            weighed = exact.multiply(self.votes[rows], np.full(int(rows.sum()), k, dtype=np.int64))
            for size, part in _by_size(at_end[rows], sizes[rows], weighed).items():
                shared[size] = exact.combine(shared[size], 1, part, 1) if size in shared else part
        over = lcm(1, *shared)
        absent = _weight_of(~ranked, self.votes).astype(object) * over
        return EndPlaces(_added(shared, over, s) + absent, exact.sum_of(self.votes) * over * s)


def _by_size(cells: Bools, sizes: NDArray[np.int64], votes: Integers) -> dict[int, Integers]:
    """Return per bucket size the weight of the ballots that have each item in such a bucket."""
    return {
        size: _weight_of(cells[sizes == size], votes[sizes == size])
        for size in np.unique(sizes).tolist()
        if size
    }


def _weight_of(cells: Bools, votes: Integers) -> Integers:
    """Return the weight of the rows in which each column is true."""
    row, column = np.nonzero(cells)
    return exact.count_cells(column, votes[row], cells.shape[1])


def _added(shared: dict[int, Integers], over: int, s: int) -> NDArray[np.object_]:
    total = np.zeros(s, dtype=object)
    for size, part in shared.items():
        total = total + part.astype(object) * (over // size)
    return total
