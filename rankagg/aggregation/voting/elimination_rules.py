"""Elimination rules: instant runoff, Coombs, Baldwin and Nanson."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import lcm
from typing import ClassVar

import numpy as np

from rankagg.aggregation.base import Needs
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.outcome import by_places
from rankagg.aggregation.voting.elimination import (
    Counter,
    Elimination,
    Inside,
    Round,
    RoundRule,
)
from rankagg.aggregation.voting.rounds import CountedUnit, distinct_ballots
from rankagg.core import PairwiseMatrix, Profile, amount, exact, places
from rankagg.kernels.counting import row_sums

# Eliminations by Borda counts never lose the Smith set.
BORDA_COUNTS_KEEP = {
    "smith": "the last remaining item of the Smith set beats all other remaining items, so its "
    "count is above the average; Fishburn (1977)",
    "pareto": "an item above another on all ballots has the higher count and remains longer",
}


def _lowest(inside: Inside, points: Sequence[int], unit: int, exhausted: int = 0) -> Round:
    """Return a round in which the items with the fewest points tie for elimination."""
    least = min(points)
    tied = tuple(item for item, got in zip(inside, points, strict=True) if got == least)
    return Round(tied, points, unit, exhausted)


def _end_places(profile: Profile) -> Callable[..., tuple[list[int], int, int]]:
    """Return the function that counts first or last places among some items.

    Items tied at the end of a ballot share the place; unlisted items are tied. The function returns
    the points of each item, the points of one vote, and those of ballots that list none.
    """
    ranks, votes, unit = distinct_ballots(profile.ranks, profile)
    codes = places.comparable(ranks)

    def end_places(inside: Inside, *, last: bool = False) -> tuple[list[int], int, int]:
        here = codes[:, list(inside)]
        edge = here.max(axis=1) if last else here.min(axis=1)
        at_end = here == edge[:, None]
        sizes = row_sums(at_end)
        some = np.unique(sizes).tolist()
        over = lcm(*some)
        total = np.zeros(len(inside), dtype=object)
        for size in some:
            alike = sizes == size
            row, item = np.nonzero(at_end[alike])
            part = exact.count_cells(item, votes[alike][row], len(inside))
            total = total + part.astype(object) * (over // size)
        return total.tolist(), over * unit, exact.sum_of(votes[edge >= codes.shape[1]]) * over

    return end_places


def _borda_points(votes: PairwiseMatrix) -> Callable[[Inside], tuple[list[int], int]]:
    """Return the function that counts the Borda points of remaining items."""
    margins = exact.combine(votes.scaled_wins, 1, votes.scaled_wins.T, -1)
    sums, left = margins.sum(axis=1), set(range(votes.n_items))
    # Half a vote, and half a margin, for each of the others.
    weight = int((votes.exact_weight or 0) * votes.denominator)

    def borda_points(inside: Inside) -> tuple[list[int], int]:
        # Rounds differ by few items, whose margins are subtracted from the sums or added.
        nonlocal sums, left
        now = set(inside)
        sums = sums - margins[:, sorted(left - now)].sum(axis=1)
        sums = sums + margins[:, sorted(now - left)].sum(axis=1)
        left, half = now, weight * (len(inside) - 1)
        return [half + net for net in sums[list(inside)].tolist()], 2 * votes.denominator

    return borda_points


@dataclass(frozen=True, kw_only=True)
class InstantRunoff(Elimination):
    """Instant runoff: in each round the item with the fewest first places is eliminated.

    Also called alternative vote, ranked choice voting and, with one seat, single transferable
    vote. Every round counts the ballots as rankings of the remaining items. The consensus is the
    order of elimination in reverse.

    Parameters
    ----------
    tie_breaking : {"together", "parallel", "order", "lot", "refuse"}, default "together"
        If several items tie for elimination. "together": all are eliminated and tied; if no other
        item remains, they win together. "parallel": each item has its best rank by all ways of
        breaking ties, so that all possible winners are first; `outcomes` lists the rankings.
        "order": the last one in `tie_order` is eliminated, by default the last one in the data.
        "lot": one of them is drawn by `rng`. "refuse": `TiedRankingError`.
    tie_order : sequence of str or int, optional
        With "order": the candidates that may tie, the most favored first, such as a lot drawn in
        public.

    Notes
    -----
    Items tied for first place share the vote evenly. A ballot that lists no remaining item is
    exhausted: it counts equally for all of them. Votes are counted in integers. "parallel" raises
    for more than 5000 sets of remaining items.

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

    _unit: ClassVar[CountedUnit] = "votes"
    command_names: ClassVar = {"instant-runoff": {}}
    keeps: ClassVar = {
        "condorcet loser": "it loses the last round of two items",
        "majority": "Felsenthal (2012)",
        "pareto": "an item below another on all ballots has no first place while that remains, and "
        "items without first places are eliminated first",
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

    def _counter(self, evidence: Evidence) -> Counter:
        end_places = _end_places(evidence.profile)

        def count(inside: Inside) -> Round:
            points, unit, exhausted = end_places(inside)
            # Exhausted ballots count for no item.
            return _lowest(
                inside, [got - exhausted // len(inside) for got in points], unit, exhausted
            )

        return count


@dataclass(frozen=True, kw_only=True)
class Coombs(Elimination):
    """Coombs' rule: in each round the item with the most last places is eliminated.

    An item with more than half of the first places is ranked above all others that remain, and the
    rounds continue among the others. Every round counts the ballots as rankings of the items that
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
    ranks none of the remaining items counts equally for all of them.

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

    _unit: ClassVar[CountedUnit] = "last places"
    command_names: ClassVar = {"coombs": {}}
    keeps: ClassVar = {
        "condorcet loser": "an item with a majority of first places beats some item",
        "majority": "Felsenthal (2012)",
        "pareto": "an item above another on all ballots has no last place while that remains",
    }
    counterexamples: ClassVar = {
        "condorcet winner": "3 ABC, 1 ACB, 1 BCA, 2 CAB, 2 CBA",
        "monotonicity": "1 ABCD, 1 ABDC, 1 BCDA, 1 CADB",
        "participation": "2 ABDC, 2 CBAD, 1 DACB, 2 DCAB",
        "reversal symmetry": "1 ABCD, 1 BCAD, 1 CADB, 1 DBCA",
        "smith": "3 ABC, 1 ACB, 1 BCA, 2 CAB, 2 CBA",
    }

    def _counter(self, evidence: Evidence) -> Counter:
        end_places = _end_places(evidence.profile)

        def count(inside: Inside) -> Round:
            firsts, unit, _ = end_places(inside)
            lasts, last_unit, _ = end_places(inside, last=True)
            most, total = max(firsts), sum(firsts)
            if 2 * most <= total:
                most_last = max(lasts)
                tied = [item for item, got in zip(inside, lasts, strict=True) if got == most_last]
                return Round(tuple(tied), lasts, last_unit)
            first, (has, of) = inside[firsts.index(most)], (amount(n / unit) for n in (most, total))
            note = f"{evidence.items[first]} has {has} of {of} first places"
            note = note if len(inside) > 2 else ""
            return Round((first,), lasts, last_unit, first=True, note=note)

        return count


@dataclass(frozen=True, kw_only=True)
class Baldwin(Elimination):
    """Baldwin's rule: in each round the item with the lowest Borda count is eliminated.

    The count of an item is its sum of margins over the items that remain, which gives the same
    order as Borda points.

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

    def _counter(self, evidence: Evidence) -> Counter:
        points = _borda_points(evidence.votes)
        return lambda inside: _lowest(inside, *points(inside))


@dataclass(frozen=True, kw_only=True)
class Nanson(RoundRule):
    """Nanson's rule: each round eliminates all items at or below the average Borda count.

    Items eliminated in one round are ranked by their counts in it. Equal counts tie.

    Notes
    -----
    The count of an item is its sum of margins over the items that remain; the average is 0.
    Some authors keep items at the average; Niou compares both.

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
        "reversal symmetry": "a sole winner is above the first average, and below after reversal",
    }
    breaks: ClassVar = {"monotonicity": "Fishburn (1977)"}
    counterexamples: ClassVar = {
        "monotonicity": "1 ABDC, 1 BCAD, 2 CDBA, 1 DBCA",
        "participation": "1 ACBD, 2 BDAC, 2 DABC",
    }

    def _counter(self, evidence: Evidence) -> Counter:
        borda_points = _borda_points(evidence.votes)

        def count(inside: Inside) -> Round:
            points, unit = borda_points(inside)
            of, total = dict(zip(inside, points, strict=True)), sum(points)
            out = tuple(item for item in inside if len(inside) * of[item] <= total)
            return Round(out, points, unit, above=by_places([-of[item] for item in out]))

        return count
