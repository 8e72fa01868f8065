"""Who wins, where a rule returns a ranking."""

from __future__ import annotations

from rankagg._typing import Label
from rankagg.aggregation.locking import locked_paths
from rankagg.aggregation.margins import Schulze, strongest_paths
from rankagg.aggregation.ranked_pairs import RankedPairs
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
    locks = isinstance(rule, RankedPairs) and rule.tie_breaking == "together"
    if isinstance(rule, Schulze) or locks:
        votes = consensus.pairwise
        beats = locked_paths if locks else strongest_paths
        return votes.items.where(~beats(votes.scaled_wins - votes.scaled_wins.T).any(axis=0))
    buckets = consensus.ranking.buckets
    if not buckets:
        raise InvalidInputError("aggregator", "a rule that ranks some item", rule)
    return buckets[0]
