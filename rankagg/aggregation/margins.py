"""Rules that weigh majorities by their margins: Minimax and Schulze."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankagg._typing import Bools, Floats, Integers, Unranked
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.evidence import Evidence
from rankagg.core.items import ItemSet, listed

__all__ = ["Minimax", "Schulze", "strongest_paths", "wins_less_losses"]


@dataclass(frozen=True, kw_only=True)
class Minimax(Aggregator):
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

    needs: ClassVar[Needs] = "votes"
    unranked: Unranked | None = None

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        votes = evidence.votes(self._stated_policy)
        margins = votes.scaled_wins - votes.scaled_wins.T
        defeats = np.sort(np.maximum(-margins, 0), axis=1)[:, ::-1]
        keys = [tuple(row) for row in defeats.tolist()]
        ordered = sorted(set(keys))
        scores = [len(ordered) - ordered.index(key) for key in keys]
        return Outcome(scores=np.array(scores, dtype=np.float64))


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
        return wins_less_losses(beats, votes.items, "no item beats them")


def strongest_paths(margins: Integers) -> Bools:
    """Say of row and column whether the best path from row is the stronger of the two."""
    strength = np.maximum(margins, 0)
    for k in range(len(strength)):
        through = np.minimum(strength[:, [k]], strength[[k], :])
        strength = np.maximum(strength, through)
    beats: Bools = strength > strength.T
    return beats


def wins_less_losses(beats: Bools, items: ItemSet, why: str) -> Outcome:
    """Rank by how many an item beats less how many beat it; name winners that are not first."""
    scores: Floats = (beats.sum(axis=1) - beats.sum(axis=0)).astype(np.float64)
    also = ~beats.any(axis=0) & (scores < scores.max())
    notes = (f"winners too, as {why}: {listed(items.where(also))}",) if also.any() else ()
    return Outcome(scores=scores, notes=notes)
