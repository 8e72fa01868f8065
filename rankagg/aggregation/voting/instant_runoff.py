"""Instant runoff: the fewest first places go out."""

from __future__ import annotations

from dataclasses import dataclass

from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.voting.eliminations import Count, Elimination, Round
from rankagg.aggregation.voting.lowest import lowest
from rankagg.aggregation.voting.remaining import Ballots

__all__ = ["InstantRunoff"]


@dataclass(frozen=True, kw_only=True)
class InstantRunoff(Elimination):
    """Instant runoff: in each round the item with the fewest first places goes out.

    Also called alternative vote, ranked choice voting and, with one seat, single transferable
    vote. Every round counts the ballots as rankings of the items that remain. The consensus is
    the order of elimination, the last one to remain first.

    Parameters
    ----------
    tie_breaking : {"together", "parallel", "order", "refuse"}, default "together"
        Where several items tie for going out. "together": all of them go and are tied, so that
        they win together if nothing else remains. "parallel": every way of breaking ties is
        followed, and an item has the best rank that some way gives it; the first ones are all
        possible winners, and `outcomes` lists the rankings. "order": the one that stands last
        among the items of the data goes. "refuse": `TiedRankingError`.
    unranked : {"uniform", "ignore", "last"}, optional
        By default "uniform": of s remaining items of which a ballot ranks k, those that it has
        first share k/s of a vote, and each unranked one has 1/s. "ignore": those that it has
        first share a vote, and each of the k ranked items gives 1/k. "last": unranked items are
        unlisted.

    Notes
    -----
    Items tied for first place share the vote evenly. A ballot of whose listed items none remains
    is exhausted: it counts the same for all that remain. Votes are counted in integers.
    Under "parallel" more than 5000 sets of remaining items raise.

    References
    ----------
    Hare (1857), The Machinery of Representation; for parallel universes Conitzer, Rognlie and Xia
    (2009), "Preference functions that score rankings and maximum likelihood estimation" (IJCAI),
    and Wang et al. (2019), "Practical algorithms for multi-stage voting rules with parallel
    universes tiebreaking" (AAAI).

    Examples
    --------
    >>> from rankagg import InstantRunoff, Profile
    >>> ballots = Profile.from_orders(["ABC", "BCA", "CBA"], counts=[4, 2, 3])
    >>> InstantRunoff().aggregate(ballots)
    <Consensus by InstantRunoff: C > A > B>
    >>> level = Profile.from_orders(["ABC", "BCA", "CBA"], counts=[4, 2, 2])
    >>> InstantRunoff(tie_breaking="parallel").aggregate(level).notes
    ('each wins by some way of breaking ties: A, B, C',)
    """

    def _count(self, evidence: Evidence) -> Count:
        assert self.policy is not None, "the rule has one"
        ballots = Ballots.of(evidence.profile, self.policy)
        return lambda inside: Round(lowest(inside, ballots.ends(list(inside)).points))
