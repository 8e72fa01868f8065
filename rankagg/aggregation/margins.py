"""Rules that weigh majorities by their margins: Minimax, Schulze, ranked pairs."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Integers, Unranked
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.evidence import Evidence
from rankagg.core.graphs import strong_parts
from rankagg.core.items import listed

__all__ = ["Minimax", "RankedPairs", "Schulze"]


@dataclass(frozen=True, kw_only=True)
class _MarginRule(Aggregator):
    """What the rules share: exact margins in, scores out."""

    needs: ClassVar[Needs] = "votes"
    unranked: Unranked | None = None

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        votes = evidence.votes(self._stated_policy)
        return Outcome(scores=self._scores(votes.scaled_wins - votes.scaled_wins.T))

    @abstractmethod
    def _scores(self, margins: Integers) -> Floats:
        """Return a score per item from the integer margins of row over column."""


@dataclass(frozen=True, kw_only=True)
class Minimax(_MarginRule):
    """Rank by the worst defeat: the smaller its margin, the better.

    Items with equally bad worst defeats are ranked by the next worst ones, and so on; where all
    are equal the items are tied. The scores count down from the number of places.

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items; by default that of the matrix where the data are one, and
        "uniform" otherwise. A pair that no ranking
        compares is no defeat.

    References
    ----------
    Simpson (1969); Kramer (1977), https://doi.org/10.1016/0022-0531(77)90011-4.

    Examples
    --------
    >>> from rankagg import Minimax, Profile
    >>> Minimax().aggregate(Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2]))
    <Consensus by Minimax: A > B > C>
    """

    def _scores(self, margins: Integers) -> Floats:
        defeats = np.sort(np.maximum(-margins, 0), axis=1)[:, ::-1]
        keys = [tuple(row) for row in defeats.tolist()]
        ordered = sorted(set(keys))
        return np.array([len(ordered) - ordered.index(key) for key in keys], dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class Schulze(Aggregator):
    """Rank by strongest paths: a beats b if its best path of majorities to b is the stronger.

    A path is as strong as its weakest majority, by margin. The relation is transitive, but it
    leaves pairs open. The score of an item is how many it beats less how many beat it: no item is
    above one that beats it, and items that the relation leaves open may be tied or not.

    Schulze's winners are the items that nothing beats. The first bucket holds those of them that
    beat most others; where there are more winners, a note names them.

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items; by default that of the matrix where the data are one, and
        "uniform" otherwise.

    References
    ----------
    Schulze (2011), https://doi.org/10.1007/s00355-010-0475-4, with margins for strength.

    Examples
    --------
    >>> from rankagg import Profile, Schulze
    >>> Schulze().aggregate(Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2]))
    <Consensus by Schulze: A > B > C>
    """

    needs: ClassVar[Needs] = "votes"
    unranked: Unranked | None = None

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        votes = evidence.votes(self._stated_policy)
        beats = strongest_paths(votes.scaled_wins - votes.scaled_wins.T)
        scores = _wins_less_losses(beats)
        also = ~beats.any(axis=0) & (scores < scores.max())
        if not also.any():
            return Outcome(scores=scores)
        names = listed(votes.items.where(also))
        return Outcome(scores=scores, notes=(f"winners too, as no item beats them: {names}",))


def strongest_paths(margins: Integers) -> Bools:
    """Say of row and column whether the best path from row is the stronger of the two."""
    strength = np.maximum(margins, 0)
    for k in range(len(strength)):
        through = np.minimum(strength[:, [k]], strength[[k], :])
        strength = np.maximum(strength, through)
    beats: Bools = strength > strength.T
    return beats


@dataclass(frozen=True, kw_only=True)
class RankedPairs(_MarginRule):
    """Lock majorities in, the clearest first, leaving out those that would close a cycle.

    Majorities of equal margin are taken together, and those of them that close a cycle with each
    other are all left out, so that no item has an advantage. That makes the rule independent of
    clones, but not monotonic where margins are equal, as it is with ties broken in every way. The
    score of an item is how many locked paths lead from it less how many lead to it.

    Time grows as n^2 log n for sorting, and n for each pair of items that a lock puts in order:
    n^3 at most.

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items; by default that of the matrix where the data are one, and
        "uniform" otherwise.

    References
    ----------
    Tideman (1987), https://doi.org/10.1007/BF00433944.

    Examples
    --------
    >>> from rankagg import Profile, RankedPairs
    >>> RankedPairs().aggregate(Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2]))
    <Consensus by RankedPairs: A > B > C>
    """

    def _scores(self, margins: Integers) -> Floats:
        return _wins_less_losses(locked_paths(margins))


def locked_paths(margins: Integers) -> Bools:
    """Say of row and column whether locked majorities lead from row to column."""
    above = np.zeros(margins.shape, dtype=bool)  # locked, directly or through others
    rows, columns = np.nonzero(margins > 0)
    ordered = np.argsort(-margins[rows, columns], kind="stable")
    rows, columns = rows[ordered], columns[ordered]
    sizes = margins[rows, columns]
    starts = np.flatnonzero(sizes[1:] != sizes[:-1]) + 1
    for i, j in zip(np.split(rows, starts), np.split(columns, starts), strict=True):
        fresh = ~(above[i, j] | above[j, i])
        if fresh.any():
            _lock(above, i[fresh], j[fresh])
    return above


def _lock(above: Bools, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> None:
    """Lock equal majorities in, but for those that close a cycle with each other."""
    if len(rows) > 1:
        # What is locked is transitive, so items without a fresh majority need not be looked at.
        ends, number = np.unique(np.concatenate([rows, columns]), return_inverse=True)
        i, j = np.split(number, 2)
        arcs = above[np.ix_(ends, ends)]
        arcs[i, j] = True
        part = strong_parts(arcs)
        kept = part[i] != part[j]
        rows, columns = rows[kept], columns[kept]
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        if above[i, j]:
            continue  # through one of the others
        before = ~above[:, j] & above[:, i]
        before[i] = True
        after = above[j].copy()
        after[j] = True
        above[before] |= after


def _wins_less_losses(beats: Bools) -> Floats:
    scores: Floats = (beats.sum(axis=1) - beats.sum(axis=0)).astype(np.float64)
    return scores
