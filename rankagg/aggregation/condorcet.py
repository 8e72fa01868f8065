"""Rules that look at pairwise majorities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankagg._typing import Unranked
from rankagg._validation import check_number
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.evidence import Evidence
from rankagg.core.graphs import strong_parts
from rankagg.core.items import counted, listed
from rankagg.core.rankings.partial import PartialRanking, as_ranking
from rankagg.core.votes.pairwise import PairwiseMatrix

__all__ = ["Copeland", "PairwiseMajority"]


@dataclass(frozen=True, kw_only=True)
class Copeland(Aggregator):
    """Copeland's rule: one point for every item that a majority puts below, `alpha` for a draw.

    Parameters
    ----------
    alpha : float, default 0.5
        Points for a pair without a majority, 0 to 1. A pair that no ranking compares is such a
        pair under every policy; the result says how many there are.
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items; by default that of the matrix where the data are one, and
        "uniform" otherwise.

    References
    ----------
    Copeland (1951); the parameter is that of Faliszewski et al. (2009), doi:10.1613/jair.2697.

    Examples
    --------
    >>> from rankagg import Copeland, Profile
    >>> cycle = Profile.from_orders(["ABC", "BCA", "CAB"])
    >>> Copeland().aggregate(cycle).scores
    array([1., 1., 1.])
    """

    needs: ClassVar[Needs] = "votes"
    alpha: float = 0.5
    unranked: Unranked | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.alpha, "alpha of Copeland", low=0, high=1)

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        votes = evidence.votes(self._stated_policy)
        compared = votes.scaled_comparisons > 0
        beats = (votes.scaled_wins > votes.scaled_wins.T) & compared
        draws = ~(beats | beats.T)
        np.fill_diagonal(draws, False)
        scores = beats.sum(axis=1) + self.alpha * draws.sum(axis=1)
        return Outcome(scores=scores.astype(np.float64), notes=_draws_unseen(votes))


@dataclass(frozen=True, kw_only=True)
class PairwiseMajority(Aggregator):
    """Paired comparison: an item is above those that a majority puts below it.

    Majorities need not make a ranking. Items on a cycle of weak majorities (no majority against
    any step) come back tied, in one bucket of the condensation, and the notes say whether they
    are merely level or contradict each other.

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items; by default that of the matrix where the data are one, and
        "uniform" otherwise.

    References
    ----------
    Condorcet (1785); for systems in benchmarks Peyrard et al. (2021),
    doi:10.18653/v1/2021.acl-long.179.

    Examples
    --------
    >>> from rankagg import PairwiseMajority, Profile
    >>> PairwiseMajority().aggregate(Profile.from_orders(["ABC", "BCA", "CAB"])).notes
    ('cyclic: the majorities among A, B, C contradict each other',)
    """

    needs: ClassVar[Needs] = "votes"
    unranked: Unranked | None = None

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        votes = evidence.votes(self._stated_policy)
        holds = votes.scaled_wins >= votes.scaled_wins.T
        component = strong_parts(holds)
        # Between components every majority points the same way, so they stand in line: each has
        # more items weakly below it than the next.
        reach = np.array([holds[component == c].sum(axis=1).max() for c in component])
        place = np.array([(reach > mine).sum() for mine in reach])
        ranking = PartialRanking.from_ranks(place, items=votes.items)
        notes = []
        for bucket in ranking.buckets:
            inside = votes.items.indices(bucket)
            block = holds[np.ix_(inside, inside)]
            if not block.all():
                notes.append(_contradiction(votes, inside, listed(bucket)))
        return Outcome(
            ranking=as_ranking(ranking.ranks, votes.items),
            notes=tuple(notes),
        )


def _contradiction(votes: PairwiseMatrix, inside: list[int], names: str) -> str:
    wins = votes.scaled_wins[np.ix_(inside, inside)]
    if strong_parts(wins > wins.T).max() + 1 < len(inside):
        return f"cyclic: the majorities among {names} contradict each other"
    return f"not transitive: draws among {names} contradict the majorities between them"


def _draws_unseen(votes: PairwiseMatrix) -> tuple[str, ...]:
    pairs = votes.never_compared
    if not pairs:
        return ()
    shown = listed([f"{a} - {b}" for a, b in pairs])
    if len(pairs) == 1:
        return (f"1 pair was never compared and counts as a draw: {shown}",)
    return (
        f"{counted(len(pairs), 'pair')} never compared, counted as "
        f"{'a draw' if len(pairs) == 1 else 'draws'}: {shown}",
    )
