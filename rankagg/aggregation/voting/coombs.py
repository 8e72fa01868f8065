"""Coombs: the most last places go out."""

from __future__ import annotations

from dataclasses import dataclass

from rankagg._validation import check_flag
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.voting.eliminations import Count, Elimination, Round
from rankagg.aggregation.voting.lowest import lowest
from rankagg.aggregation.voting.remaining import Ballots

__all__ = ["Coombs"]


@dataclass(frozen=True, kw_only=True)
class Coombs(Elimination):
    """Coombs' rule: in each round the item with the most last places goes out.

    An item with more than half of the first places stands first among those that remain, and the
    rounds go on among the others. Every round counts the ballots as rankings of the items that
    remain.

    Parameters
    ----------
    majority : bool, default True
        Whether more than half of the first places decide; False goes by last places alone, which
        can choose another winner.
    tie_breaking : {"together", "parallel", "order", "refuse"}, default "together"
        As for `InstantRunoff`.
    unranked : {"uniform", "ignore", "last"}, optional
        By default "uniform". As for `InstantRunoff`, with last places.

    Notes
    -----
    Items tied for a place share it evenly; unlisted items share the last place. A ballot that
    ranks none of the remaining items counts for no majority.

    References
    ----------
    Coombs (1964), A Theory of Data; Grofman and Feld (2004), "If you like the alternative
    vote (a.k.a. the instant runoff), then you ought to know about the Coombs rule", Electoral
    Studies 23(4), 641-659.

    Examples
    --------
    >>> from rankagg import Coombs, Profile
    >>> ballots = Profile.from_orders(["ABC", "BCA", "CBA"], counts=[4, 2, 3])
    >>> Coombs().aggregate(ballots)
    <Consensus by Coombs: B > C > A>
    """

    majority: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flag(self.majority, "majority of Coombs")

    def _count(self, evidence: Evidence) -> Count:
        assert self.policy is not None, "the rule has one"
        ballots = Ballots.of(evidence.profile, self.policy)

        def decide(inside: tuple[int, ...]) -> Round:
            if self.majority:
                firsts, whole = ballots.ends(list(inside), plain=True)
                for item, votes in zip(inside, firsts.tolist(), strict=True):
                    if 2 * votes > whole:
                        return Round((item,), first=True)
            return Round(lowest(inside, -ballots.ends(list(inside), last=True).points))

        return decide
