"""Elimination rules: instant runoff, Coombs, Baldwin and Nanson."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from rankagg.aggregation.base import Needs
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.outcome import by_places
from rankagg.aggregation.voting.elimination import (
    BallotCounts,
    Count,
    Elimination,
    Inside,
    RoundResult,
    RoundRule,
    Tally,
    lowest_out,
    sums_of_margins,
)
from rankagg.aggregation.voting.rounds import CountedUnit
from rankagg.core import amount

# Eliminations by Borda counts never lose the Smith set.
BORDA_COUNTS_KEEP = {
    "smith": "the last item of the Smith set that remains beats all others that do, so that its "
    "count is above the average; Fishburn (1977)",
    "pareto": "who is above another on all ballots has the higher count, and stays on",
}


@dataclass(frozen=True, kw_only=True)
class InstantRunoff(Elimination):
    """Instant runoff: in each round the item with the fewest first places goes out.

    Also called alternative vote, ranked choice voting and, with one seat, single transferable
    vote. Every round counts the ballots as rankings of the items that remain. The consensus is
    the order of elimination, the last one to remain first.

    Parameters
    ----------
    tie_breaking : {"together", "parallel", "order", "lot", "refuse"}, default "together"
        Where several items tie for going out. "together": all of them go and are tied, so that
        they win together if nothing else remains. "parallel": every way of breaking ties is
        followed, and an item has the best rank that some way gives it; the first ones are all
        possible winners, and `outcomes` lists the rankings. "order": the one that stands last
        in `tie_order` goes, without one the last among the items of the data. "lot": one of them
        is drawn by `rng`. "refuse": `TiedRankingError`.
    tie_order : sequence of str or int, optional
        With "order": the candidates that may tie, the most favored first, such as a lot that was
        drawn.

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

    counted: ClassVar[CountedUnit] = "votes"
    command_names: ClassVar = {"instant-runoff": {}}
    keeps: ClassVar = {
        "condorcet loser": "in the last round of two items it loses",
        "majority": "Felsenthal (2012)",
        "pareto": "who is below another on all ballots has no first place while that remains, and "
        "what has none goes out before what has some",
        "clone independence": "Tideman (1987)",
        "later-no-harm": "Woodall (1997)",
    }
    breaks: ClassVar = {
        "monotonicity": "Smith (1973)",
        "participation": "Fishburn and Brams (1983)",
    }
    counterexamples: ClassVar = {
        "monotonicity": "3 ABC, 3 BAC, 2 CAB, 1 CBA",
        "participation": "2 ABC, 1 BAC, 2 CBA",
        "reversal symmetry": "2 ABC, 2 BCA, 1 CAB",
    }

    def _count(self, evidence: Evidence) -> Count:
        ballots = BallotCounts.of(evidence.profile)
        return lambda inside: lowest_out(inside, ballots.ends(inside)[0])

    def _tally(self, evidence: Evidence) -> Tally:
        ballots = BallotCounts.of(evidence.profile)

        def tally(inside: Inside) -> tuple[list[Fraction], Fraction]:
            # Ballots that list nobody who remains count the same for all.
            exhausted = ballots.exhausted(inside)
            return [got - exhausted / len(inside) for got in ballots.places(inside)], exhausted

        return tally


@dataclass(frozen=True, kw_only=True)
class Coombs(Elimination):
    """Coombs' rule: in each round the item with the most last places goes out.

    An item with more than half of the first places stands first among those that remain, and the
    rounds go on among the others. Every round counts the ballots as rankings of the items that
    remain.

    Parameters
    ----------
    tie_breaking : {"together", "parallel", "order", "lot", "refuse"}, default "together"
        As for `InstantRunoff`.
    tie_order : sequence of str or int, optional
        As for `InstantRunoff`.

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

    counted: ClassVar[CountedUnit] = "last places"
    command_names: ClassVar = {"coombs": {}}
    keeps: ClassVar = {
        "condorcet loser": "who has a majority of first places beats some item",
        "majority": "Felsenthal (2012)",
        "pareto": "who is above another on all ballots is last on none while that remains",
    }
    counterexamples: ClassVar = {
        "condorcet winner": "3 ABC, 1 ACB, 1 BCA, 2 CAB, 2 CBA",
        "monotonicity": "1 ABCD, 1 ABDC, 1 BCDA, 1 CADB",
        "participation": "2 ABDC, 2 CBAD, 1 DACB, 2 DCAB",
        "reversal symmetry": "1 ABCD, 1 BCAD, 1 CADB, 1 DBCA",
        "smith": "3 ABC, 1 ACB, 1 BCA, 2 CAB, 2 CBA",
    }

    def _count(self, evidence: Evidence) -> Count:
        ballots = BallotCounts.of(evidence.profile)

        def decide(inside: Inside) -> RoundResult:
            firsts, unit = ballots.ends(inside)
            whole = sum(firsts)
            for item, votes in zip(inside, firsts, strict=True):
                if 2 * votes > whole:
                    has, of = (amount(n / unit) for n in (votes, whole))
                    told = f"{evidence.items[item]} has {has} of {of} first places"
                    return RoundResult((item,), first=True, note=told if len(inside) > 2 else "")
            return lowest_out(inside, [-got for got in ballots.ends(inside, last=True)[0]])

        return decide

    def _tally(self, evidence: Evidence) -> Tally:
        ballots = BallotCounts.of(evidence.profile)
        return lambda inside: (ballots.places(inside, last=True), Fraction(0))


@dataclass(frozen=True, kw_only=True)
class Baldwin(Elimination):
    """Baldwin's rule: in each round the item with the lowest Borda count goes out.

    The count of an item is the sum of its margins over the items that remain, which orders them
    as points do.

    Parameters
    ----------
    tie_breaking : {"together", "parallel", "order", "lot", "refuse"}, default "together"
        As for `InstantRunoff`.
    tie_order : sequence of str or int, optional
        As for `InstantRunoff`.

    References
    ----------
    Baldwin (1926), "The technique of the Nanson preferential majority system of election",
    Proceedings of the Royal Society of Victoria 39.

    Examples
    --------
    >>> from rankagg import Baldwin, Profile
    >>> ballots = Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2])
    >>> Baldwin().aggregate(ballots)
    <Consensus by Baldwin: A > B > C>
    """

    needs: ClassVar[Needs] = "votes"
    command_names: ClassVar = {"baldwin": {}}
    keeps: ClassVar = BORDA_COUNTS_KEEP
    counterexamples: ClassVar = {
        "clone independence": "2 ABCD, 1 CDAB, 1 DABC",
        "monotonicity": "2 ABC, 1 BCA, 1 CAB, 1 CBA",
        "participation": "2 ABCD, 1 BCDA, 1 CDAB, 1 DCAB",
        "reversal symmetry": "2 ABC, 2 BCA, 1 CAB",
    }

    def _count(self, evidence: Evidence) -> Count:
        sums = sums_of_margins(evidence.votes)
        return lambda inside: lowest_out(inside, sums(inside).tolist())


@dataclass(frozen=True, kw_only=True)
class Nanson(RoundRule):
    """Nanson's rule: in each round all items at or below the average Borda count go out.

    Items that go out in one round are ranked by their counts in it. Where all that remain have
    the same count, they tie.

    Notes
    -----
    The count of an item is the sum of its margins over the items that remain; the average is 0.
    Some authors let items at the average stay; Niou compares both.

    References
    ----------
    Nanson (1882), "Methods of election", Transactions and Proceedings of the Royal Society of
    Victoria 19; Niou (1987), "A note on Nanson's rule", Public Choice 54.

    Examples
    --------
    >>> from rankagg import Nanson, Profile
    >>> ballots = Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2])
    >>> Nanson().aggregate(ballots)
    <Consensus by Nanson: A > B > C>
    """

    needs: ClassVar[Needs] = "votes"
    command_names: ClassVar = {"nanson": {}}
    keeps: ClassVar = {
        **BORDA_COUNTS_KEEP,
        "reversal symmetry": "who wins alone is above the average at first, and so below it after",
    }
    breaks: ClassVar = {"monotonicity": "Fishburn (1977)"}
    counterexamples: ClassVar = {
        "monotonicity": "1 ABDC, 1 BCAD, 2 CDBA, 1 DBCA",
        "participation": "1 ACBD, 2 BDAC, 2 DABC",
    }

    def _count(self, evidence: Evidence) -> Count:
        sums = sums_of_margins(evidence.votes)

        def decide(inside: Inside) -> RoundResult:
            net = dict(zip(inside, sums(inside).tolist(), strict=True))
            out = tuple(item for item in inside if net[item] <= 0)
            return RoundResult(out, above=by_places([-net[item] for item in out]))

        return decide
