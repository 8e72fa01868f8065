"""Rules on pairwise majorities: Copeland, Minimax, Schulze, ranked pairs, Black."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankagg._typing import Bools, Generator, Integers, Positions
from rankagg._validation import check_number
from rankagg.aggregation.base import Aggregator, Needs, SearchingRule
from rankagg.aggregation.deadline import NEVER, Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.outcome import Outcome
from rankagg.aggregation.positional import TURNED_POINTS, Borda
from rankagg.core import (
    ItemSet,
    PairwiseMatrix,
    PartialRanking,
    as_ranking,
    exact,
    listed,
    quantity,
    sentence,
)
from rankagg.core.graphs import strong_parts

# D loses to each of A, B and C by one ballot, and each of these to another by three.
CYCLE_ABOVE_A_LOSER = "2 DABC, 1 DBCA, 1 DCAB, 1 ABCD, 2 BCAD, 2 CABD"


@dataclass(frozen=True, kw_only=True)
class Copeland(Aggregator):
    """Copeland's rule: one point for every majority win, and some points for a draw.

    Parameters
    ----------
    draw_points : float, default 0.5
        Points for a pair without a majority, 0 to 1. A pair that no ranking compares is a draw
        under every policy; a note reports the number of these.

    References
    ----------
    Copeland (1951); the parameter is alpha of Faliszewski et al. (2009), doi:10.1613/jair.2697.

    Examples
    --------
    >>> from rankagg import Copeland, Profile
    >>> cycle = Profile.from_orders(["ABC", "BCA", "CAB"])
    >>> Copeland().aggregate(cycle).scores
    array([1., 1., 1.])
    """

    needs: ClassVar[Needs] = "votes"
    command_names: ClassVar = {"copeland": {}}
    keeps: ClassVar = {
        "condorcet winner": "Fishburn (1977)",
        "condorcet loser": "Felsenthal (2012)",
        "smith": "Fishburn (1977)",
        "majority": "Felsenthal (2012)",
        "pareto": "Felsenthal (2012)",
        "monotonicity": "Felsenthal (2012)",
        "reversal symmetry": TURNED_POINTS,
    }
    counterexamples: ClassVar = {"participation": "2 ABCD, 1 BCDA, 1 CDAB"}
    draw_points: float = 0.5

    def __post_init__(self) -> None:
        check_number(self.draw_points, "draw_points of Copeland", low=0, high=1)

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        votes = evidence.votes
        beats = (votes.scaled_wins > votes.scaled_wins.T) & (votes.scaled_comparisons > 0)
        draws = ~(beats | beats.T)
        np.fill_diagonal(draws, False)
        scores = beats.sum(axis=1) + self.draw_points * draws.sum(axis=1)
        return Outcome(scores=scores.astype(np.float64), notes=_draws_unseen(votes))


@dataclass(frozen=True, kw_only=True)
class PairwiseMajority(Aggregator):
    """Paired comparison: an item is above those that it beats by a majority.

    Majorities need not form a ranking. Items on a cycle of weak majorities (no majority against
    any step) are tied, in one bucket of the condensation. Notes report whether their majorities
    contradict each other.

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
    command_names: ClassVar = {"majority": {}}

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        votes = evidence.votes
        holds = votes.scaled_wins >= votes.scaled_wins.T
        component = strong_parts(holds)
        # Between components every majority has the same direction, so they are ordered: each has
        # more items weakly below it than the next.
        reach = np.array([holds[component == c].sum(axis=1).max() for c in component])
        ranking = PartialRanking.from_scores(reach, items=votes.items, higher_is_better=True)
        notes = []
        for bucket in ranking.buckets:
            inside = votes.items.indices(bucket)
            if not holds[np.ix_(inside, inside)].all():
                notes.append(_contradiction(votes, inside, listed(bucket)))
        return Outcome(ranking=as_ranking(ranking.ranks, votes.items), notes=tuple(notes))


def _contradiction(votes: PairwiseMatrix, inside: list[int], names: str) -> str:
    wins = votes.scaled_wins[np.ix_(inside, inside)]
    if strong_parts(wins > wins.T).max() + 1 < len(inside):
        return f"cyclic: the majorities among {names} contradict each other"
    return f"not transitive: draws among {names} contradict the majorities between them"


def _draws_unseen(votes: PairwiseMatrix) -> tuple[str, ...]:
    pairs = votes.never_compared
    if not pairs:
        return ()
    total = votes.n_items * (votes.n_items - 1) // 2
    number = quantity(len(pairs), "pairs never compared", noun="pair", of=total)
    template = "{} never compared, counted as draws: {}"
    if len(pairs) == 1:
        template = "{} was never compared and counts as a draw: {}"
    return (sentence(template, number, listed([f"{a} - {b}" for a, b in pairs])),)


@dataclass(frozen=True, kw_only=True)
class Minimax(Aggregator):
    """Ranking by the margin of the worst defeat: the smaller, the better.

    Defeats are measured by margins. Items with equal worst defeats are ranked by the next worst
    ones, and so on; if all are equal the items are tied. The first bucket is thus a part of the
    winners of Simpson and Kramer, who tie all items with the smallest worst defeat. The scores
    count down from the number of places.

    References
    ----------
    Simpson (1969); Kramer (1977), https://doi.org/10.1016/0022-0531(77)90011-4.

    Examples
    --------
    >>> from rankagg import Minimax, Profile
    >>> Minimax().aggregate(Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2]))
    <Consensus by Minimax: A > B > C>
    """

    needs: ClassVar[Needs] = "votes"
    command_names: ClassVar = {"minimax": {}}
    keeps: ClassVar = {
        "condorcet winner": "Fishburn (1977)",
        "majority": "Felsenthal (2012)",
        "pareto": "an item below another on all ballots loses by all votes, and some item does not",
        "monotonicity": "an item that rises loses by no more, and no other loses by less",
    }
    breaks: ClassVar = {"condorcet loser": "Felsenthal (2012)", "smith": "Fishburn (1977)"}
    counterexamples: ClassVar = {
        "clone independence": "1 ABCD, 1 BCDA, 1 CDAB",
        "condorcet loser": CYCLE_ABOVE_A_LOSER,
        "participation": (
            "4 CDBA, 3 ABCD, 3 ADCB, 2 BACD, 2 BDCA, 1 ABDC, 1 BDAC, 1 CABD, 1 DBAC, 1 DBCA, 1 DCBA"
        ),
        "reversal symmetry": "3 ADCB, 3 CBDA, 2 DBAC, 1 BADC, 1 BCAD",
        "smith": CYCLE_ABOVE_A_LOSER,
    }

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        votes = evidence.votes
        margins = votes.scaled_wins - votes.scaled_wins.T
        keys = [tuple(row) for row in np.sort(np.maximum(-margins, 0), axis=1)[:, ::-1].tolist()]
        place = {key: number for number, key in enumerate(sorted(set(keys), reverse=True), 1)}
        return Outcome(scores=np.array([place[key] for key in keys], dtype=np.float64))


@dataclass(frozen=True, kw_only=True)
class Schulze(Aggregator):
    """Ranking by strongest paths: a beats b if its path to b is stronger than the path back.

    The strength of a path is its smallest majority, by margin. The relation is transitive, but
    leaves pairs open. The score of an item is the number of items it beats minus the number that
    beat it. So no item is above one that beats it; items without a relation may be tied or not.

    Schulze's winners are the unbeaten items. The first bucket contains those winners that beat the
    most others; a note names the other winners.

    References
    ----------
    Schulze (2011), https://doi.org/10.1007/s00355-010-0475-4, with margins for strength.

    Examples
    --------
    >>> from rankagg import Profile, Schulze
    >>> Schulze().aggregate(Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2]))
    <Consensus by Schulze: A > B > C>
    """

    needs: ClassVar[Needs] = "votes"
    command_names: ClassVar = {"schulze": {}}
    keeps: ClassVar = dict.fromkeys(
        [
            *("condorcet winner", "condorcet loser", "smith", "majority", "pareto"),
            *("monotonicity", "clone independence", "reversal symmetry"),
        ],
        "Schulze (2011)",
    )
    counterexamples: ClassVar = {"participation": "3 DBAC, 2 ADCB, 2 CBAD, 2 CBDA, 1 BADC"}

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        votes = evidence.votes
        strength = widest_paths(votes.scaled_wins - votes.scaled_wins.T)
        return _wins_less_losses(strength > strength.T, votes.items, "no item beats them")


def widest_paths(margins: Integers) -> Integers:
    """Return the strength of the strongest path from row to column, 0 if none: O(n^3).

    Arcs are the margins above 0, and the strength of a path is its smallest arc.
    """
    # Each item needs a pass over the matrix; a narrow type keeps it in the cache.
    strength = exact.narrow(np.maximum(margins, 0))
    through = np.empty_like(strength)
    for k in range(len(strength)):
        np.minimum(strength[:, k, None], strength[k], out=through)
        np.maximum(strength, through, out=strength)
    return strength


@dataclass(frozen=True, kw_only=True)
class RankedPairs(SearchingRule):
    """Ranking by locked majorities, largest first, without those that would close a cycle.

    Majorities of equal margin are locked together. Those that close a cycle with each other are all
    left out, so that no item has an advantage. The score of an item is the number of items it
    reaches by locked paths minus the number that reach it. The winners are the items that no locked
    path reaches; a note names winners outside the first bucket. The winners are independent of
    clones, but not monotonic if margins are equal. Time grows as n^2 log n for sorting, plus n for
    each pair of items that a lock orders: at most n^3.

    Tideman's rule instead locks equal majorities one after the other, in every order; if no two are
    equal, both rules agree.

    References
    ----------
    Tideman (1987), https://doi.org/10.1007/BF00433944; Zavist and Tideman (1989),
    https://doi.org/10.1007/BF00303170.

    Examples
    --------
    >>> from rankagg import Profile, RankedPairs
    >>> RankedPairs().aggregate(Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2]))
    <Consensus by RankedPairs: A > B > C>
    """

    needs: ClassVar[Needs] = "votes"
    command_names: ClassVar = {"ranked-pairs": {}}
    keeps: ClassVar = {
        "smith": "no majority leads back into the Smith set, so the majorities out of it lock",
        "majority": "it keeps condorcet winner",
        "pareto": "unanimous pairs have no cycle, and are locked first",
        "clone independence": "a path through clones is one through any of them, so outside of "
        "them the same majorities lock for any number of clones",
        "reversal symmetry": "all arrows are reversed, and from a sole winner some arrow leads",
    }
    counterexamples: ClassVar = {
        "monotonicity": "2 ACBD, 3 BADC, 1 CBAD, 3 DCBA",
        "participation": "3 ADCB, 2 BCAD, 2 DBAC, 1 CBDA, 1 DCBA",
    }

    def _aggregate_within(self, evidence: Evidence, rng: Generator, deadline: Deadline) -> Outcome:
        votes = evidence.votes
        above = _locked_paths(votes.scaled_wins - votes.scaled_wins.T, deadline)
        return _wins_less_losses(above, evidence.items, "no locked path leads to them")


def _locked_paths(margins: Integers, ends: Deadline = NEVER) -> Bools:
    """Return whether locked majorities lead from row to column.

    Majorities of equal margin that close a cycle with each other are left out together.
    """
    above = np.zeros(margins.shape, dtype=bool)
    arcs = np.argwhere(margins > 0)
    arcs = arcs[np.argsort(-margins[tuple(arcs.T)], kind="stable")]
    sizes = margins[tuple(arcs.T)]
    for equal in np.split(arcs, np.flatnonzero(sizes[1:] != sizes[:-1]) + 1):
        i, j = equal.T
        fresh = equal[~(above[i, j] | above[j, i])]
        part = _parts(above, fresh)
        for i, j in fresh[part[fresh[:, 0]] != part[fresh[:, 1]]].tolist():
            if above[i, j]:
                continue  # through one of the others
            ends.seconds_left()
            before = ~above[:, j] & above[:, i]
            before[i] = True
            after = above[j].copy()
            after[j] = True
            above[before] |= after
    return above


def _parts(above: Bools, arcs: Positions) -> Positions:
    """Return the number of each item's part; two items share one if paths lead both ways."""
    part = np.arange(len(above), dtype=np.intp)
    if len(arcs) > 1:
        # Locked paths are transitive, so items without a new majority can be ignored.
        ends, number = np.unique(arcs, return_inverse=True)
        i, j = number.reshape(arcs.shape).T
        graph = above[np.ix_(ends, ends)]
        graph[i, j] = True
        part[ends] = len(above) + strong_parts(graph)
    return part


def _wins_less_losses(beats: Bools, items: ItemSet, why: str) -> Outcome:
    """Rank by wins minus losses; name winners outside the first bucket."""
    scores = (beats.sum(axis=1) - beats.sum(axis=0)).astype(np.float64)
    unbeaten = ~beats.any(axis=0)
    also = unbeaten & (scores < scores.max())
    notes = (f"also winners, as {why}: {listed(items.where(also))}",) if also.any() else ()
    return Outcome(scores=scores, notes=notes, winners=items.where(unbeaten))


@dataclass(frozen=True, kw_only=True)
class Black(Aggregator):
    """Black's rule: a Condorcet winner first, all others by Borda points.

    Notes
    -----
    Scores are those of `Borda`. If a Condorcet winner does not lead by more than a millionth of the
    points, its score is raised to the highest score plus 1, or plus a millionth of it if that is
    more; a note reports this.

    References
    ----------
    Black (1958), The Theory of Committees and Elections,
    https://doi.org/10.1007/978-94-009-4225-7 (reprint).

    Examples
    --------
    >>> from rankagg import Black, Profile
    >>> consensus = Black().aggregate(Profile.from_orders(["ABC", "BCA"], counts=[3, 2]))
    >>> consensus.order, consensus.notes
    (('A', 'B', 'C'), ('the Condorcet winner A is ranked first; it has 6 points, the most are 7',))
    """

    needs: ClassVar[Needs] = "votes"
    command_names: ClassVar = {"black": {}}
    keeps: ClassVar = {
        "condorcet winner": "Fishburn (1977)",
        "condorcet loser": "Felsenthal (2012)",
        "pareto": "Felsenthal (2012)",
        "monotonicity": "Felsenthal (2012)",
        "reversal symmetry": (
            f"a Condorcet winner becomes the Condorcet loser; else {TURNED_POINTS}"
        ),
    }
    breaks: ClassVar = {"smith": "Fishburn (1977)"}
    counterexamples: ClassVar = {
        "participation": "2 ABCD, 1 BCDA, 1 CABD",
        "reinforcement": "2 ABC, 1 BAC, 1 BCA, 1 CAB",
        "reinforcement of rankings": "2 ABC, 1 BAC, 1 BCA, 1 CAB",
        "smith": "3 CBDA, 4 ADCB, 1 DACB",
    }

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        outcome = Borda()._aggregate(evidence, rng)
        assert outcome.scores is not None, "points are scores"
        wins = evidence.votes.scaled_wins
        winner = np.flatnonzero((wins > wins.T).sum(axis=1) == len(wins) - 1)
        points, most = outcome.scores.copy(), outcome.scores.max()
        if not len(winner):
            return replace(outcome, notes=("no Condorcet winner: by Borda points",))
        room = abs(most) / 2**20  # more than scores that count as tied differ by
        if (points + room >= points[winner]).sum() == 1:
            return outcome
        name, own = evidence.items[int(winner[0])], points[winner[0]]
        points[winner] = most + max(1.0, room)
        note = f"the Condorcet winner {name} is ranked first; it has {own:g} points, the most are"
        return Outcome(scores=points, notes=(f"{note} {most:g}",))
