"""Ranked pairs: the clearest majorities first, without those that would close a cycle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from rankagg._typing import Bools, Unranked
from rankagg._validation import check_choice, check_integer
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Data, Evidence
from rankagg.aggregation.locking import TooManyWaysError, locked_in_every_way, locked_paths
from rankagg.aggregation.margins import wins_less_losses
from rankagg.aggregation.voting.ranked import by_places, too_many_outcomes
from rankagg.core.items import listed
from rankagg.core.rankings.partial import Permutation, as_ranking
from rankagg.exceptions import InvalidInputError

__all__ = ["RankedPairs"]

TieBreaking: TypeAlias = Literal["together", "parallel"]


@dataclass(frozen=True, kw_only=True)
class RankedPairs(Aggregator):
    """Lock majorities in, the clearest first, leaving out those that would close a cycle.

    Majorities of equal margin are taken together by default, and those of them that close a cycle
    with each other are all left out, so that no item has an advantage. The score of an item is how
    many locked paths lead from it less how many lead to it. The winners are the items to which none
    leads; a note names those of them that are not in the first bucket. Who wins is independent of
    clones, but not monotonic where margins are equal. Time grows as n^2 log n for sorting,
    and n for each pair of items that a lock puts in order: n^3 at most.

    Tideman's rule takes them one after the other instead, in every order that their margins leave
    open, and pairs without a majority last, either way round: ``tie_breaking="parallel"``. It is
    monotonic, and independent of clones but for rare such ties. Who wins is NP-hard to say (Brill
    and Fischer 2012), and too many ways are refused.

    Parameters
    ----------
    tie_breaking : {"together", "parallel"}, default "together"
        Majorities of equal margin on a cycle are left out together, or taken in every order, and
        an item has the best rank that some order gives it; there are no scores then.
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items; by default that of the matrix where the data are one, and
        "uniform" otherwise.

    References
    ----------
    Tideman (1987), https://doi.org/10.1007/BF00433944; Zavist and Tideman (1989),
    https://doi.org/10.1007/BF00303170; Brill and Fischer (2012), AAAI 26, 1299-1305.

    Examples
    --------
    >>> from rankagg import Profile, RankedPairs
    >>> RankedPairs().aggregate(Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2]))
    <Consensus by RankedPairs: A > B > C>
    >>> cycle = Profile.from_orders(["ABC", "BCA", "CAB"])
    >>> [ranking.order for ranking in RankedPairs().outcomes(cycle)]
    [('A', 'B', 'C'), ('B', 'C', 'A'), ('C', 'A', 'B')]
    """

    needs: ClassVar[Needs] = "votes"
    tie_breaking: TieBreaking = "together"
    unranked: Unranked | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.tie_breaking, get_args(TieBreaking), "tie_breaking of RankedPairs")

    def outcomes(self, data: Data | Evidence, *, limit: int = 1000) -> tuple[Permutation, ...]:
        """Return every ranking that some order of equal majorities leads to.

        The parameter `tie_breaking` plays no part. Items that nothing locked orders come either
        way round.

        Parameters
        ----------
        data : ScoreTable, Profile, PairwiseMatrix or Evidence
            As for `aggregate`.
        limit : int, default 1000
            More of them raise.

        Returns
        -------
        tuple of Permutation
            Each once, in the order of the positions of the items from the first one on.

        Raises
        ------
        InvalidInputError
            If there are more than `limit`, or too many ways to follow.
        """
        most = check_integer(limit, "limit", low=1)
        evidence = Evidence.of(data)
        found: list[tuple[int, ...]] = []
        for above in self._ways(evidence, Deadline()):
            for order in _orders(above):
                if len(found) == most:
                    raise too_many_outcomes(most)
                found.append(order)
        return tuple(
            Permutation(np.argsort(order).astype(np.int32), evidence.items)
            for order in sorted(found)
        )

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        return self._aggregate_within(evidence, rng, Deadline())

    def _aggregate_within(
        self, evidence: Evidence, rng: np.random.Generator, deadline: Deadline
    ) -> Outcome:
        if self.tie_breaking == "together":
            votes = evidence.votes(self._stated_policy)
            above = locked_paths(votes.scaled_wins - votes.scaled_wins.T, deadline)
            return wins_less_losses(above, evidence.items, "no locked path leads to them")
        # Any item can be ranked right after those above it.
        best = np.min([above.sum(axis=0) for above in self._ways(evidence, deadline)], axis=0)
        winners = best == 0
        notes: tuple[str, ...] = ()
        if winners.sum() > 1:
            names = listed(evidence.items.where(winners))
            notes = (f"each wins by some order of equal majorities: {names}",)
        ranking = as_ranking(by_places(best.tolist()), evidence.items)
        return Outcome(ranking=ranking, notes=notes)

    def _ways(self, evidence: Evidence, deadline: Deadline) -> Iterator[Bools]:
        votes = evidence.votes(self._stated_policy)
        try:
            yield from locked_in_every_way(votes.scaled_wins - votes.scaled_wins.T, deadline)
        except TooManyWaysError:
            raise InvalidInputError(
                "tie_breaking of RankedPairs",
                "another one where equal majorities close so many cycles",
                "parallel",
                "'together' leaves all of them out at once.",
            ) from None


def _orders(above: Bools) -> Iterator[tuple[int, ...]]:
    """Yield the strict orders that contradict nothing that is locked."""
    stack: list[tuple[int, ...]] = [()]
    while stack:
        order = stack.pop()
        if len(order) == len(above):
            yield order
            continue
        left = np.ones(len(above), dtype=bool)
        left[list(order)] = False
        free = left & ~above[left].any(axis=0)
        stack += [(*order, item) for item in np.flatnonzero(free)[::-1].tolist()]
