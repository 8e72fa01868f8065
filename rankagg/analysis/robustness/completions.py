"""Completions of rankings with gaps, and the consensus of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankagg._typing import Bools, Ranks
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.result import Consensus
from rankagg.analysis.robustness.drawn import drawn_ranks, in_random_order
from rankagg.analysis.robustness.near import Near
from rankagg.core.items import ItemSet
from rankagg.core.profiles.profile import Profile
from rankagg.core.rankings.places import UNRANKED
from rankagg.distributions.base import RankingDistribution

__all__ = ["complete_and_rank", "one_row_each", "rank_again", "time_of"]


def one_row_each(profile: Profile) -> Profile:
    """Return the profile with a row of its own for each copy of an incomplete ranking."""
    gaps = (profile.ranks == UNRANKED).any(axis=1)
    rows = np.repeat(np.arange(len(profile)), np.where(gaps, profile.counts, 1))
    return Profile._trusted(
        profile.items,
        profile.ranks[rows],
        counts=np.where(gaps, 1, profile.counts)[rows],
        weights=profile.weights[rows],
        groups=None if profile.groups is None else [profile.groups[int(row)] for row in rows],
    )


def complete_and_rank(
    profile: Profile,
    rule: Aggregator,
    distribution: RankingDistribution,
    seeds: Sequence[np.random.Generator],
    near: Near | None,
) -> tuple[Ranks, int]:
    """Return the ranks in the consensuses of some completions, each of which teaches the next.

    And for how many of them that was not settled in time.
    """
    gaps = (profile.ranks == UNRANKED).any(axis=1)
    incomplete = profile[np.flatnonzero(gaps)]
    own = None if near is None else near.fork()
    live = None if own is None else own.warm.live
    everything = np.arange(profile.n_items)
    found = []
    for rng in seeds:
        ranks = profile.ranks.copy()
        ranks[gaps] = distribution.complete(incomplete, rng=rng).ranks
        completed = Profile._trusted(
            profile.items, ranks,
            counts=profile.counts, weights=profile.weights, groups=profile.groups,
        )  # fmt: skip
        if own is None:
            consensus = rule.aggregate(in_random_order(completed, rng), rng=rng)
        else:
            consensus = own.consensus(Evidence(completed), everything, Deadline())
        if consensus.interrupted:
            raise KeyboardInterrupt  # it stops the whole analysis, not one completion of it
        found.append(drawn_ranks(consensus, profile.items, rng, time_of(consensus), live=live))
    return np.stack([ranks for ranks, _ in found]), sum(not settled for _, settled in found)


def rank_again(
    consensus: Consensus, items: ItemSet, always: Bools | None, seeds: Sequence[np.random.Generator]
) -> tuple[Ranks, int]:
    """Return what `complete_and_rank` does of completions of what has no gaps."""
    if always is None or 2 * always.sum() == len(always) * (len(always) - 1):
        unsettled = len(seeds) if consensus.is_proved is False else 0
        return np.repeat(consensus.ranking.ranks[None, :], len(seeds), axis=0), unsettled
    found = [drawn_ranks(consensus, items, rng, time_of(consensus), always=always) for rng in seeds]
    return np.stack([ranks for ranks, _ in found]), sum(not settled for _, settled in found)


def time_of(consensus: Consensus) -> Deadline:
    """Return when drawing an optimum ends: it may take as long as the rule."""
    return Deadline().sooner(getattr(consensus.aggregator, "time_limit", None))
