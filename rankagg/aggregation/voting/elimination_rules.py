"""Elimination rules (instant runoff, Coombs, Baldwin, Nanson), and rounds that are tied."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import lcm
from typing import ClassVar, Literal, NamedTuple, TypeAlias, cast, get_args

import numpy as np

from rankagg._typing import Generator, Integers, Ranks
from rankagg._validation import check_choice, check_integer
from rankagg.aggregation.base import Aggregator, Needs, ReadsUnranked
from rankagg.aggregation.evidence import Data, Evidence
from rankagg.aggregation.outcome import Outcome, by_places
from rankagg.aggregation.voting.rounds import CountedUnit, CountRound, ElectionCount, ballots_of
from rankagg.core import (
    ItemSet,
    PairwiseMatrix,
    Permutation,
    Profile,
    amount,
    as_ranking,
    counted,
    exact,
    listed,
    permutation_of,
    places,
    said,
    stated,
)
from rankagg.exceptions import InvalidInputError, TiedRankingError
from rankagg.kernels.counting import row_sums

# Sets of remaining items that are looked at under "parallel".
MOST_SETS = 5_000
# Eliminations by Borda counts never lose the Smith set.
BORDA_COUNTS_KEEP = {
    "smith": "the last item of the Smith set that remains beats all others that do, so that its "
    "count is above the average; Fishburn (1977)",
    "pareto": "who is above another on all ballots has the higher count, and stays on",
}


class _Round(NamedTuple):
    """What a round decides: which items tie for going out, or which one stands first."""

    # The positions of the items, ascending.
    tied: Inside
    # Whether the one item stands above all that remain, instead of below.
    first: bool = False
    # How many of those that go out stand above each, where they are no more than that alike.
    above: Ranks | int = 0
    # What is to be said of it.
    note: str = ""


class _State(NamedTuple):
    """The items that remain, ascending, and the number of those placed above them."""

    inside: Inside
    above: int = 0

    def without(self, out: Inside, decided: _Round) -> _State:
        """Return what remains after some items went out, or one was placed first."""
        gone = set(out)
        rest = tuple(item for item in self.inside if item not in gone)
        return _State(rest, self.above + decided.first)

    def place(self, out: Inside, decided: _Round) -> int:
        """Return the place of those who go out: the first that is left, or the last ones."""
        return self.above if decided.first else self.above + len(self.inside) - len(out)


Inside: TypeAlias = tuple[int, ...]
TieBreaking: TypeAlias = Literal["together", "parallel", "order", "refuse"]
Count: TypeAlias = Callable[[Inside], _Round]
# What remains before a round, what that decides, who is taken out, and what to say of ties.
_Taken: TypeAlias = tuple[_State, _Round, Inside, list[str]]
# An item that goes out, or stands first, its place, and what remains then.
_Branch: TypeAlias = tuple[int, int, _State]
# What each of some items has of what is counted, and the votes that count for none of them.
Tally: TypeAlias = Callable[[Inside], tuple[list[Fraction], Fraction]]


def _lowest(inside: Inside, points: Sequence[int]) -> _Round:
    """Return the round in which those of the lowest points tie for going out."""
    least = min(points)
    return _Round(tuple(item for item, got in zip(inside, points, strict=True) if got == least))


@dataclass(frozen=True)
class _Ballots:
    """Distinct ballots and their votes; unlisted items share the bucket below the listed ones."""

    codes: Ranks
    votes: Integers
    # What one vote is.
    unit: int

    @classmethod
    def of(cls, profile: Profile) -> _Ballots:
        """Return the ballots of a profile without unranked items."""
        votes, unit = exact.as_votes(profile.counts, profile.weights)
        rows, where = np.unique(profile.ranks, axis=0, return_inverse=True)
        merged = exact.count_cells(where.ravel(), votes, len(rows))
        return cls(places.comparable(rows), merged, unit)

    def exhausted(self, inside: Inside) -> Fraction:
        """Return the votes of ballots that list none of some items."""
        lost = (self.codes[:, inside] >= self.codes.shape[1]).all(axis=1)
        return Fraction(exact.sum_of(self.votes[lost]), self.unit)

    def places(self, inside: Inside, *, last: bool = False) -> list[Fraction]:
        """Return the first or the last places that some items have."""
        points, unit = self.ends(inside, last=last)
        return [Fraction(got, unit) for got in points]

    def ends(self, inside: Inside, *, last: bool = False) -> tuple[list[int], int]:
        """Count the first or the last places among some items, and return what one vote is.

        The items of a bucket there share the place.
        """
        codes = self.codes[:, list(inside)]
        edge = codes.max(axis=1) if last else codes.min(axis=1)
        at_end = codes == edge[:, None]
        sizes = row_sums(at_end)
        some = np.unique(sizes).tolist()
        over = lcm(*some)
        total = np.zeros(len(inside), dtype=object)
        for size in some:
            alike = sizes == size
            row, item = np.nonzero(at_end[alike])
            part = exact.count_cells(item, self.votes[alike][row], len(inside))
            total = total + part.astype(object) * (over // size)
        return total.tolist(), over * self.unit


@dataclass(frozen=True, kw_only=True)
class RoundRule(Aggregator):
    """A rule that ranks items by the round in which they go out, the last one first."""

    # What it counts, as `_tally` does.
    counted: ClassVar[CountedUnit] = "points"
    reads_unranked: ClassVar[ReadsUnranked] = "last"

    @abstractmethod
    def _count(self, evidence: Evidence) -> Count:
        """Return the function that decides a round among some items."""

    def _tally(self, evidence: Evidence) -> Tally:
        """Return the function that says what each of some items has of what is counted."""
        votes = evidence.votes
        sums, weight = _sums_of_margins(votes), votes.exact_weight
        assert weight is not None, "rankings were counted"

        def points(inside: Inside) -> tuple[list[Fraction], Fraction]:
            # Half a vote, and half a margin, for each of the others.
            half = weight * (len(inside) - 1) / 2
            found = sums(inside).tolist()
            return [half + Fraction(net, 2 * votes.denominator) for net in found], Fraction(0)

        return points

    def count(self, data: Data | Evidence) -> ElectionCount:
        """Count the ballots round by round: what candidates have, and who is eliminated.

        Instant runoff counts votes, of which a ballot is one for the first candidate on it that
        remains; Coombs' rule last places, Baldwin's and Nanson's Borda points among the candidates
        that remain. Those that a ballot leaves out are below all that it lists. The rounds go on
        until the last one is decided, also where a candidate has more than half of the votes
        before; by Coombs' rule more than half of the first places ends the count.

        Parameters
        ----------
        data : Profile, ScoreTable or Evidence
            The ballots.

        Returns
        -------
        ElectionCount
            Its order is that of `aggregate`.

        Examples
        --------
        >>> from rankagg import Coombs, Profile
        >>> ballots = Profile.from_orders(["ABC", "BCA", "CBA"], counts=[4, 2, 3])
        >>> print(Coombs().count(ballots))
        Coombs elects B in 2 rounds
        each round counts last places
        margin of the last round: 3 last places
           round 1  round 2                outcome
        B        0        3     elected in round 2
        C        4        6  eliminated in round 2
        A        5        -  eliminated in round 1
        """
        if getattr(self, "tie_breaking", None) == "parallel":
            parameter = f"tie_breaking of {type(self).__name__}"
            raise InvalidInputError(
                parameter, "another than 'parallel' to count rounds", "parallel"
            )
        evidence = Evidence.of(ballots_of(data, f"{self.name}.count"))
        items, decide, tally = evidence.items, self._count(evidence), self._tally(evidence)
        stages, notes = list[CountRound](), list[str]()
        for state, decided, out, told in self._taken(decide, items):
            inside, rest = state.inside, state.without(out, decided).inside
            ahead, behind = (out, rest) if decided.first or not rest else (rest, out)
            elected = ahead if decided.first or len(rest) < 2 else ()
            gone = behind if not decided.first or len(rest) < 2 else ()
            got, exhausted = tally(inside)
            counts = tuple(map(dict(zip(inside, got, strict=True)).get, range(len(items))))
            ends = items.at(elected), items.at(gone)
            by_order = getattr(self, "tie_breaking", "") == "order"
            tie = ("by the order of the data" if by_order else "together") if told else ""
            stages.append(CountRound(counts, exhausted, None, *ends, tie=tie))
            at = stated(len(stages), "rounds noted")
            notes += [said("round {}: {}", at, note) for note in (*told, decided.note) if note]
            if elected:
                break
        # Going on ranks those who remain.
        ranks = self.aggregate(evidence).ranking.ranks
        return ElectionCount(
            rule=self.name,
            counted=self.counted,
            candidates=items.labels,
            order=items.at(np.argsort(ranks, kind="stable")),
            stages=tuple(stages),
            notes=(*notes, *evidence.gaps()),
        )

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        ranks = np.zeros(len(evidence.items), dtype=np.int32)
        notes = list[str]()
        for state, decided, out, told in self._taken(self._count(evidence), evidence.items):
            ranks[list(out)] = state.place(out, decided) + decided.above
            notes += told
        return Outcome(ranking=as_ranking(ranks, evidence.items), notes=tuple(notes))

    def _taken(self, count: Count, items: ItemSet) -> Iterator[_Taken]:
        """Take items out round by round."""
        state = _State(tuple(range(len(items))))
        while state.inside:
            decided = count(state.inside) if len(state.inside) > 1 else _Round(state.inside)
            out, notes = self._out(decided.tied, state, items)
            yield state, decided, out, notes
            state = state.without(out, decided)

    def _out(self, tied: Inside, state: _State, items: ItemSet) -> tuple[Inside, list[str]]:
        """Return those who go out of those that a round has for that, and what to say of it."""
        return tied, []


@dataclass(frozen=True, kw_only=True)
class _Elimination(RoundRule):
    """A rule by rounds in which one item goes out, and ties are broken if there are some."""

    needs: ClassVar[Needs] = "rankings"
    tie_breaking: TieBreaking = "together"

    def __post_init__(self) -> None:
        parameter = f"tie_breaking of {type(self).__name__}"
        check_choice(self.tie_breaking, get_args(TieBreaking), parameter)

    @property
    def is_strict(self) -> bool:
        """Whether the consensus never ties items: where ties are broken or refused."""
        return self.tie_breaking in ("order", "refuse")

    def outcomes(self, data: Data | Evidence, *, limit: int = 1000) -> tuple[Permutation, ...]:
        """Return every ranking that some way of breaking ties leads to.

        In each round one of the items that tie for going out goes (parallel universes); the
        parameter `tie_breaking` plays no part.

        Parameters
        ----------
        data : ScoreTable, Profile or Evidence
            As for `aggregate`.
        limit : int, default 1000
            More of them raise.

        Returns
        -------
        tuple of Permutation
            Each once, in the order of the positions of what goes out.
        """
        most = check_integer(limit, "limit", low=1)
        evidence = Evidence.of(data).read_by(self)
        branches = self._branches(evidence)
        found: list[Permutation] = []
        stack = [(_State(tuple(range(len(evidence.items)))), [0] * len(evidence.items))]
        while stack:
            state, ranks = stack.pop()
            if not state.inside:
                if len(found) == most:
                    remedy = "Raise it, or take tie_breaking='parallel' for the best rank of each."
                    allowed = "at least the number of outcomes, which is larger"
                    raise InvalidInputError("limit", allowed, most, remedy)
                found.append(permutation_of(np.array(ranks, dtype=np.int32), evidence.items))
                continue
            for item, place, after in reversed(branches(state)):
                placed = ranks.copy()
                placed[item] = place
                stack.append((after, placed))
        return tuple(found)

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        if self.tie_breaking == "parallel":
            return self._in_parallel(evidence)
        return super()._aggregate(evidence, rng)

    def _out(self, tied: Inside, state: _State, items: ItemSet) -> tuple[Inside, list[str]]:
        """Break the tie as asked for."""
        if len(tied) == 1:
            return tied, []
        names = listed(items.at(tied))
        if self.tie_breaking == "refuse":
            left = counted(len(state.inside), "item")
            raise TiedRankingError(
                f"{self.name} breaks no tie: with {left} left, {names} tie. "
                "Choose another `tie_breaking`."
            )
        if self.tie_breaking == "order":
            out = items[tied[-1]]
            return tied[-1:], [f"{names} tie; by the order of the data {out} is eliminated"]
        end = "to the end" if len(tied) == len(state.inside) else "and are eliminated together"
        return tied, [f"{names} tie {end}"]

    def _branches(self, evidence: Evidence) -> Callable[[_State], list[_Branch]]:
        """Return the function that says what can happen: who gets which place, and what remains."""
        count = cache(self._count(evidence))

        def branches(state: _State) -> list[_Branch]:
            decided = count(state.inside) if len(state.inside) > 1 else _Round(state.inside)
            return [
                (item, state.place((item,), decided), state.without((item,), decided))
                for item in decided.tied
            ]

        return branches

    def _in_parallel(self, evidence: Evidence) -> Outcome:
        items, branches = evidence.items, self._branches(evidence)
        best = [len(items)] * len(items)
        start = _State(tuple(range(len(items))))
        seen, stack = {start}, [start]
        while stack:
            for item, place, after in branches(stack.pop()):
                best[item] = min(best[item], place)
                if after.inside and after not in seen:
                    seen.add(after)
                    stack.append(after)
            if len(seen) > MOST_SETS:
                raise InvalidInputError(
                    f"tie_breaking of {type(self).__name__}",
                    f"another one where ties lead to more than {MOST_SETS} sets of remaining items",
                    self.tie_breaking,
                    "'together' takes tied items out at once.",
                )
        winners = listed(items.at([item for item, place in enumerate(best) if place == 0]))
        note = f"each wins by some way of breaking ties: {winners}"
        notes = (note,) if best.count(0) > 1 else ()
        return Outcome(ranking=as_ranking(by_places(best), items), notes=notes)


@dataclass(frozen=True, kw_only=True)
class InstantRunoff(_Elimination):
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
        ballots = _Ballots.of(evidence.profile)
        return lambda inside: _lowest(inside, ballots.ends(inside)[0])

    def _tally(self, evidence: Evidence) -> Tally:
        ballots = _Ballots.of(evidence.profile)

        def tally(inside: Inside) -> tuple[list[Fraction], Fraction]:
            # Ballots that list nobody who remains count the same for all.
            exhausted = ballots.exhausted(inside)
            return [got - exhausted / len(inside) for got in ballots.places(inside)], exhausted

        return tally


@dataclass(frozen=True, kw_only=True)
class Coombs(_Elimination):
    """Coombs' rule: in each round the item with the most last places goes out.

    An item with more than half of the first places stands first among those that remain, and the
    rounds go on among the others. Every round counts the ballots as rankings of the items that
    remain.

    Parameters
    ----------
    tie_breaking : {"together", "parallel", "order", "refuse"}, default "together"
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
        ballots = _Ballots.of(evidence.profile)

        def decide(inside: Inside) -> _Round:
            firsts, unit = ballots.ends(inside)
            whole = sum(firsts)
            for item, votes in zip(inside, firsts, strict=True):
                if 2 * votes > whole:
                    has, of = (amount(n / unit) for n in (votes, whole))
                    told = f"{evidence.items[item]} has {has} of {of} first places"
                    return _Round((item,), first=True, note=told if len(inside) > 2 else "")
            return _lowest(inside, [-got for got in ballots.ends(inside, last=True)[0]])

        return decide

    def _tally(self, evidence: Evidence) -> Tally:
        ballots = _Ballots.of(evidence.profile)
        return lambda inside: (ballots.places(inside, last=True), Fraction(0))


@dataclass(frozen=True, kw_only=True)
class Baldwin(_Elimination):
    """Baldwin's rule: in each round the item with the lowest Borda count goes out.

    The count of an item is the sum of its margins over the items that remain, which orders them
    as points do.

    Parameters
    ----------
    tie_breaking : {"together", "parallel", "order", "refuse"}, default "together"
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
        sums = _sums_of_margins(evidence.votes)
        return lambda inside: _lowest(inside, sums(inside).tolist())


def _sums_of_margins(votes: PairwiseMatrix) -> Callable[[Inside], Integers]:
    """Return the function that adds up the margins of each of some items over the others."""
    margins = exact.combine(votes.scaled_wins, 1, votes.scaled_wins.T, -1)
    sums, left = margins.sum(axis=1), set(range(votes.n_items))

    def sums_of(inside: Inside) -> Integers:
        # Rounds differ by few items, whose margins are taken off the sums or added.
        nonlocal sums, left
        now = set(inside)
        sums = sums - margins[:, sorted(left - now)].sum(axis=1)
        sums = sums + margins[:, sorted(now - left)].sum(axis=1)
        left = now
        return cast(Integers, sums[list(inside)])

    return sums_of


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
        sums = _sums_of_margins(evidence.votes)

        def decide(inside: Inside) -> _Round:
            net = dict(zip(inside, sums(inside).tolist(), strict=True))
            out = tuple(item for item in inside if net[item] <= 0)
            return _Round(out, above=by_places([-net[item] for item in out]))

        return decide
