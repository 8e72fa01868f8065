"""Who wins, where a rule returns a ranking."""

from __future__ import annotations

from rankagg._typing import Label
from rankagg.aggregation.margins import RankedPairs, Schulze, locked_paths, strongest_paths
from rankagg.aggregation.result import Consensus
from rankagg.exceptions import InvalidInputError

__all__ = ["winners_of"]


def winners_of(consensus: Consensus) -> tuple[Label, ...]:
    """Return the winners as the authors of a rule define them.

    Parameters
    ----------
    consensus : Consensus
        What a rule returned.

    Returns
    -------
    tuple of str or int
        The firsts of all optima of an exact rule; of Schulze's rule the items that no other beats
        by its strongest path, and of ranked pairs those to which no locked majority leads, where
        rankings prefer some of them by how many others they beat; else the first bucket.
    """
    optima = consensus.optima
    if optima is not None:
        return optima.winners()
    rule = consensus.aggregator
    if isinstance(rule, Schulze | RankedPairs):
        votes = consensus.pairwise
        beats = strongest_paths if isinstance(rule, Schulze) else locked_paths
        return votes.items.where(~beats(votes.scaled_wins - votes.scaled_wins.T).any(axis=0))
    buckets = consensus.ranking.buckets
    if not buckets:
        raise InvalidInputError("aggregator", "a rule that ranks some item", rule)
    return buckets[0]
