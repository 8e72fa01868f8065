"""Rounds in which items go out, and ways of breaking the ties in them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import lcm
from typing import ClassVar, Literal, NamedTuple, TypeAlias, cast, get_args

import numpy as np

from rankagg._typing import Generator, Integers, Label, Ranks, RNGLike
from rankagg._validation import as_generator, check_choice, check_integer
from rankagg.aggregation.base import Aggregator, Needs, ReadsUnranked
from rankagg.aggregation.evidence import Data, Evidence
from rankagg.aggregation.outcome import Outcome, by_places
from rankagg.aggregation.voting.rounds import (
    BY_DATA,
    BY_GIVEN,
    BY_LOT,
    CountedUnit,
    CountRound,
    ElectionCount,
    ballots_of,
    by_favor,
    checked_tie_order,
)
from rankagg.core import (
    ItemSet,
    PairwiseMatrix,
    Permutation,
    Profile,
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


class RoundResult(NamedTuple):
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

    def without(self, out: Inside, decided: RoundResult) -> _State:
        """Return what remains after some items went out, or one was placed first."""
        gone = set(out)
        rest = tuple(item for item in self.inside if item not in gone)
        return _State(rest, self.above + decided.first)

    def place(self, out: Inside, decided: RoundResult) -> int:
        """Return the place of those who go out: the first that is left, or the last ones."""
        return self.above if decided.first else self.above + len(self.inside) - len(out)


Inside: TypeAlias = tuple[int, ...]
TieBreaking: TypeAlias = Literal["together", "parallel", "order", "lot", "refuse"]
Count: TypeAlias = Callable[[Inside], RoundResult]
# What remains before a round, what that decides, who is taken out, and what to say of ties.
_Taken: TypeAlias = tuple[_State, RoundResult, Inside, list[str]]
# An item that goes out, or stands first, its place, and what remains then.
_Branch: TypeAlias = tuple[int, int, _State]
# What each of some items has of what is counted, and the votes that count for none of them.
Tally: TypeAlias = Callable[[Inside], tuple[list[Fraction], Fraction]]


def lowest_out(inside: Inside, points: Sequence[int]) -> RoundResult:
    """Return the round in which those of the lowest points tie for going out."""
    least = min(points)
    return RoundResult(
        tuple(item for item, got in zip(inside, points, strict=True) if got == least)
    )


@dataclass(frozen=True)
class BallotCounts:
    """Distinct ballots and their votes; unlisted items share the bucket below the listed ones."""

    codes: Ranks
    votes: Integers
    # What one vote is.
    unit: int

    @classmethod
    def of(cls, profile: Profile) -> BallotCounts:
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
        sums, weight = sums_of_margins(votes), votes.exact_weight
        assert weight is not None, "rankings were counted"

        def points(inside: Inside) -> tuple[list[Fraction], Fraction]:
            # Half a vote, and half a margin, for each of the others.
            half = weight * (len(inside) - 1) / 2
            found = sums(inside).tolist()
            return [half + Fraction(net, 2 * votes.denominator) for net in found], Fraction(0)

        return points

    def count(self, data: Data | Evidence, *, rng: RNGLike = None) -> ElectionCount:
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
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator for lots.

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
        ranks, is_over = np.zeros(len(items), dtype=np.int32), False
        for state, decided, out, told in self._taken(decide, items, as_generator(rng)):
            ranks[list(out)] = state.place(out, decided) + decided.above
            if is_over:  # going on ranks those who remain
                continue
            inside, rest = state.inside, state.without(out, decided).inside
            ahead, behind = (out, rest) if decided.first or not rest else (rest, out)
            elected = ahead if decided.first or len(rest) < 2 else ()
            gone = behind if not decided.first or len(rest) < 2 else ()
            got, exhausted = tally(inside)
            counts = tuple(map(dict(zip(inside, got, strict=True)).get, range(len(items))))
            ends = items.at(elected), items.at(gone)
            stages.append(CountRound(counts, exhausted, None, *ends, tie=self._way if told else ""))
            at = stated(len(stages), "rounds noted")
            notes += [said("round {}: {}", at, note) for note in (*told, decided.note) if note]
            is_over = bool(elected)
        has_ties = any(stage.tie for stage in stages)
        return ElectionCount(
            rule=self.name,
            counted=self.counted,
            candidates=items.labels,
            order=items.at(np.argsort(ranks, kind="stable")),
            stages=tuple(stages),
            tied=self._tied(evidence) if has_ties else (),
            notes=(*notes, *evidence.gaps()),
        )

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        ranks = np.zeros(len(evidence.items), dtype=np.int32)
        notes = list[str]()
        taken = self._taken(self._count(evidence), evidence.items, rng)
        for state, decided, out, told in taken:
            ranks[list(out)] = state.place(out, decided) + decided.above
            notes += told
        return Outcome(ranking=as_ranking(ranks, evidence.items), notes=tuple(notes))

    def _taken(self, count: Count, items: ItemSet, rng: Generator) -> Iterator[_Taken]:
        """Take items out round by round."""
        state = _State(tuple(range(len(items))))
        while state.inside:
            decided = count(state.inside) if len(state.inside) > 1 else RoundResult(state.inside)
            out, notes = self._out(decided.tied, state, items, rng)
            yield state, decided, out, notes
            state = state.without(out, decided)

    # How ties are broken.
    _way: ClassVar[str] = "together"

    def _out(
        self, tied: Inside, state: _State, items: ItemSet, rng: Generator
    ) -> tuple[Inside, list[str]]:
        """Return those who go out of those that a round has for that, and what to say of it."""
        return tied, []

    def _tied(self, evidence: Evidence) -> tuple[Label, ...] | None:
        """Return the items that some ways of breaking ties elect, where there are several."""
        return ()


@dataclass(frozen=True, kw_only=True)
class Elimination(RoundRule):
    """A rule by rounds in which one item goes out, and ties are broken if there are some."""

    needs: ClassVar[Needs] = "rankings"
    tie_breaking: TieBreaking = "together"
    tie_order: Sequence[Label] = ()

    def __post_init__(self) -> None:
        name = type(self).__name__
        check_choice(self.tie_breaking, get_args(TieBreaking), f"tie_breaking of {name}")
        found = checked_tie_order(self.tie_order, self.tie_breaking, name)
        object.__setattr__(self, "tie_order", found)

    @property
    def is_strict(self) -> bool:
        """Whether the consensus never ties items: where ties are broken or refused."""
        return self.tie_breaking in ("order", "lot", "refuse")

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

    @property
    def _way(self) -> str:  # type: ignore[override]
        ways = {"order": BY_GIVEN if self.tie_order else BY_DATA, "lot": BY_LOT}
        return ways.get(self.tie_breaking, "together")

    def _out(
        self, tied: Inside, state: _State, items: ItemSet, rng: Generator
    ) -> tuple[Inside, list[str]]:
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
        if self.is_strict:
            is_lot = self.tie_breaking == "lot"
            last = by_favor(tied, items, self.tie_order, type(self).__name__)[-1]
            out = int(rng.choice(tied)) if is_lot else last
            return (out,), [f"{names} tie; {self._way} {items[out]} is eliminated"]
        end = "to the end" if len(tied) == len(state.inside) else "and are eliminated together"
        return tied, [f"{names} tie {end}"]

    def _branches(self, evidence: Evidence) -> Callable[[_State], list[_Branch]]:
        """Return the function that says what can happen: who gets which place, and what remains."""
        count = cache(self._count(evidence))

        def branches(state: _State) -> list[_Branch]:
            decided = count(state.inside) if len(state.inside) > 1 else RoundResult(state.inside)
            return [
                (item, state.place((item,), decided), state.without((item,), decided))
                for item in decided.tied
            ]

        return branches

    def _best_places(self, evidence: Evidence) -> list[int] | None:
        """Return the best place that some way of breaking ties gives; None of too many ways."""
        branches = self._branches(evidence)
        best = [len(evidence.items)] * len(evidence.items)
        start = _State(tuple(range(len(evidence.items))))
        seen, stack = {start}, [start]
        while stack:
            for item, place, after in branches(stack.pop()):
                best[item] = min(best[item], place)
                if after.inside and after not in seen:
                    seen.add(after)
                    stack.append(after)
            if len(seen) > MOST_SETS:
                return None
        return best

    def _tied(self, evidence: Evidence) -> tuple[Label, ...] | None:
        best = self._best_places(evidence) if self.is_strict else []
        if best is None:
            return None
        return evidence.items.at(np.flatnonzero(np.array(best) == 0)) if best.count(0) > 1 else ()

    def _in_parallel(self, evidence: Evidence) -> Outcome:
        items, best = evidence.items, self._best_places(evidence)
        if best is None:
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


def sums_of_margins(votes: PairwiseMatrix) -> Callable[[Inside], Integers]:
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
