"""One consensus of data that lack something, or of which several may be optimal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Ranks
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.certificate import Certificate
from rankagg.aggregation.kemeny.optima import Optima
from rankagg.aggregation.kemeny.warm import Warm
from rankagg.aggregation.result import Consensus
from rankagg.core.items import ItemSet
from rankagg.core.profile import Profile
from rankagg.core.rankings.partial import Permutation
from rankagg.core.rankings.places import UNRANKED
from rankagg.distributions.base import RankingDistribution
from rankagg.exceptions import OutOfTimeError

if TYPE_CHECKING:
    from rankagg.aggregation.kemeny.relaxation import Live

__all__ = [
    "Near",
    "complete_and_rank",
    "drawn_ranks",
    "in_random_order",
    "one_row_each",
    "rank_again",
    "time_of",
]


@dataclass(frozen=True, eq=False)
class Near:
    """What helps an exact rule with related data, once the consensus of all is known."""

    # A rule that can use it.
    rule: Kemeny
    # Shape (n,). The consensus of all units.
    ranks: Ranks
    # What its proof used, and those of related data that were solved since.
    warm: Warm

    @classmethod
    def of(cls, rule: Aggregator, whole: Consensus, items: ItemSet) -> Near | None:
        """Return what the consensus of all teaches; None where the rule cannot use it."""
        proof = whole.certificate
        if not (isinstance(rule, Kemeny) and rule.can_be_warm and isinstance(proof, Certificate)):
            return None
        warm = Warm.of(len(proof.items), proof.proofs)
        return cls(rule, whole.ranking.reindex(items).ranks, warm)

    def fork(self) -> Near:
        """Return the same, to learn for itself."""
        return replace(self, warm=self.warm.fork())

    def consensus(
        self, evidence: Evidence, inside: NDArray[np.intp], deadline: Deadline
    ) -> Consensus:
        """Aggregate related data, whose systems are those at some positions."""
        policy = evidence.policy(self.rule.unranked)
        outcome = self.rule.solve(
            evidence.votes(policy), start=np.argsort(self.ranks[inside]), deadline=deadline,
            warm=self.warm.within(inside),
        )  # fmt: skip
        assert outcome.ranking is not None, "the rule returns a ranking"
        return Consensus(
            ranking=outcome.ranking,
            scores=None,
            aggregator=self.rule,
            unranked=policy,
            certificate=outcome.certificate,
            _optima=outcome.optima,
            notes=outcome.notes,
            interrupted=outcome.interrupted,
            runtime=0.0,
            _evidence=evidence,
        )


def in_random_order(profile: Profile, rng: np.random.Generator) -> Profile:
    """Return the same rankings with the items numbered in a random order.

    A rule that returns one of several rankings may choose it by the numbers of the items; then
    chance chooses them.
    """
    numbers = rng.permutation(profile.n_items)
    return Profile._trusted(
        ItemSet(profile.items.at(numbers)),
        np.ascontiguousarray(profile.ranks[:, numbers]),
        counts=profile.counts,
        weights=profile.weights,
        groups=profile.groups,
    )


def drawn_ranks(
    consensus: Consensus,
    items: ItemSet,
    rng: np.random.Generator,
    deadline: Deadline,
    *,
    always: Bools | None = None,
    live: Live | None = None,
) -> tuple[Ranks, bool]:
    """Return the ranks in one of all optimal consensuses, see `draw_optimum`."""
    found = consensus.ranking.reindex(items).ranks
    proof = consensus.certificate
    if proof is None:
        return found, True
    if proof.status != "optimal":
        return found, False
    every = consensus.optima
    if type(every) is not Optima or not isinstance(proof, Certificate):
        return found, True  # ties have a price, or constraints hold
    # The solver is loaded when something is solved.
    from rankagg.aggregation.kemeny.drawn_optimum import draw_optimum  # noqa: PLC0415
    from rankagg.aggregation.kemeny.optimal_relation import shown_in_all  # noqa: PLC0415

    problem, first = every._problem, np.array(proof.order, dtype=np.intp)
    try:
        if always is None:
            always = shown_in_all(problem, proof, deadline, live)
        order = draw_optimum(problem, first, always, rng, deadline)
    except OutOfTimeError:
        return found, False
    return Permutation(np.argsort(order), every.items).reindex(items).ranks, True


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
