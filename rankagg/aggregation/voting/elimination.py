"""Base classes of rules that eliminate items in rounds, with ways of breaking ties."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np

from rankagg._typing import Generator, Label, Ranks, RNGLike
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
    Permutation,
    as_ranking,
    counted,
    listed,
    permutation_of,
    quantity,
    sentence,
)
from rankagg.exceptions import InvalidInputError, TiedRankingError

# Most sets of remaining items that "parallel" follows.
MOST_SETS = 5_000
#: The positions of the items that remain, ascending.
Inside = tuple[int, ...]
TieBreaking = Literal["together", "parallel", "order", "lot", "refuse"]


class Round(NamedTuple):
    """Counts and result of a round."""

    # Items tied for elimination, or the one that is ranked first.
    tied: Inside
    # Points of each remaining item, and points of one vote.
    points: Sequence[int]
    unit: int
    # Points of ballots that list no remaining item.
    exhausted: int = 0
    # Whether the item is ranked above all others that remain, instead of below.
    first: bool = False
    # Rank within a tied group of eliminated items.
    above: Ranks | int = 0
    note: str = ""


class _State(NamedTuple):
    """The remaining items, and the number of items ranked above them."""

    inside: Inside
    above: int = 0

    def without(self, out: Inside, decided: Round) -> _State:
        """Return the state after some items are eliminated, or one is ranked first."""
        rest = tuple(item for item in self.inside if item not in {*out})
        return _State(rest, self.above + decided.first)

    def place(self, out: Inside, decided: Round) -> int:
        """Return the rank of these items: the first or the last free one."""
        return self.above if decided.first else self.above + len(self.inside) - len(out)


Counter = Callable[[Inside], Round]
# The state before a round, its result, the removed items, and notes on ties.
_Taken = tuple[_State, Round, Inside, list[str]]
# An item that may be removed, its rank, and the state without it.
_Branch = tuple[int, int, _State]


@dataclass(frozen=True, kw_only=True)
class RoundRule(Aggregator):
    """A rule that ranks items by the round of their elimination, the last one first."""

    _unit: ClassVar[CountedUnit] = "points"
    # How ties are broken.
    _way: ClassVar[str] = "together"
    reads_unranked: ClassVar[ReadsUnranked] = "last"

    @abstractmethod
    def _counter(self, evidence: Evidence) -> Counter:
        """Return the function that counts a round among some items."""

    def count(self, data: Data | Evidence, *, rng: RNGLike = None) -> ElectionCount:
        """Count the ballots round by round: the votes of each candidate, and who is eliminated.

        Instant runoff counts votes: each ballot is one vote for its first remaining candidate.
        Coombs' rule counts last places, Baldwin's and Nanson's rules Borda points among the
        remaining candidates. Candidates that a ballot leaves out are below all that it lists. The
        count ends with the last elimination, even after a majority; by Coombs' rule a majority of
        first places ends it.

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
        name = type(self).__name__
        if getattr(self, "tie_breaking", None) == "parallel":
            allowed = "other than 'parallel' to count rounds"
            raise InvalidInputError(f"tie_breaking of {name}", allowed, "parallel")
        evidence = Evidence.of(ballots_of(data, f"{name}.count"))
        items, stages, notes = evidence.items, list[CountRound](), list[str]()
        ranks, is_over = np.zeros(len(items), dtype=np.int32), False
        for state, decided, out, ties in self._rounds(evidence, as_generator(rng)):
            ranks[list(out)] = state.place(out, decided) + decided.above
            if is_over:  # further rounds only rank the others
                continue
            rest = state.without(out, decided).inside
            if decided.first or not rest:
                elected, eliminated = out, rest if len(rest) < 2 else ()
            else:
                elected, eliminated = rest if len(rest) < 2 else (), out
            votes = (Fraction(got, decided.unit) for got in decided.points)
            votes_of = dict(zip(state.inside, votes, strict=True))
            stage = CountRound(
                tuple(map(votes_of.get, range(len(items)))),
                Fraction(decided.exhausted, decided.unit),
                None,
                items.at(elected),
                items.at(eliminated),
                tie=self._way if ties else "",
            )
            stages.append(stage)
            at = quantity(len(stages), "rounds noted")
            notes += [sentence("round {}: {}", at, note) for note in (*ties, decided.note) if note]
            is_over = bool(elected)
        return ElectionCount(
            rule=str(self),
            counted=self._unit,
            candidates=items.labels,
            order=items.at(np.argsort(ranks, kind="stable")),
            stages=tuple(stages),
            tied=self._tied(evidence) if any(stage.tie for stage in stages) else (),
            notes=(*notes, *evidence.gaps_of_ballots()),
        )

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        ranks, notes = np.zeros(len(evidence.items), dtype=np.int32), list[str]()
        for state, decided, out, ties in self._rounds(evidence, rng):
            ranks[list(out)] = state.place(out, decided) + decided.above
            notes += ties
        return Outcome(ranking=as_ranking(ranks, evidence.items), notes=tuple(notes))

    def _rounds(self, evidence: Evidence, rng: Generator) -> Iterator[_Taken]:
        """Remove items round by round."""
        count, state = self._counter(evidence), _State(tuple(range(len(evidence.items))))
        while state.inside:
            decided = count(state.inside)
            out, notes = self._out(decided.tied, state, evidence.items, rng)
            yield state, decided, out, notes
            state = state.without(out, decided)

    def _out(
        self, tied: Inside, state: _State, items: ItemSet, rng: Generator
    ) -> tuple[Inside, list[str]]:
        """Return the tied items to remove, and notes."""
        return tied, []

    def _tied(self, evidence: Evidence) -> tuple[Label, ...] | None:
        """Return the possible winners by all ways of breaking ties, if there are several."""
        return ()


@dataclass(frozen=True, kw_only=True)
class Elimination(RoundRule):
    """A rule that eliminates one item in each round, with ties broken by `tie_breaking`."""

    needs: ClassVar[Needs] = "rankings"
    tie_breaking: TieBreaking = "together"
    tie_order: Sequence[Label] = ()

    def __post_init__(self) -> None:
        name = type(self).__name__
        check_choice(self.tie_breaking, get_args(TieBreaking), f"tie_breaking of {name}")
        order = checked_tie_order(self.tie_order, self.tie_breaking, name)
        object.__setattr__(self, "tie_order", order)

    @property
    def is_strict(self) -> bool:
        """Whether the consensus has no ties, as they are broken or refused."""
        return self.tie_breaking in ("order", "lot", "refuse")

    def outcomes(self, data: Data | Evidence, *, limit: int = 1000) -> tuple[Permutation, ...]:
        """Return the rankings by all ways of breaking ties.

        Each item tied for elimination is eliminated in turn (parallel universes); `tie_breaking` is
        ignored.

        Parameters
        ----------
        data : ScoreTable, Profile or Evidence
            As for `aggregate`.
        limit : int, default 1000
            Largest number of rankings; more raise.

        Returns
        -------
        tuple of Permutation
            Distinct rankings, in the order of the positions of the eliminated items.
        """
        most = check_integer(limit, "limit", low=1)
        evidence = Evidence.of(data).read_by(self)
        branches = self._branches(evidence)
        rankings: list[Permutation] = []
        stack = [(_State(tuple(range(len(evidence.items)))), [0] * len(evidence.items))]
        while stack:
            state, ranks = stack.pop()
            if not state.inside:
                if len(rankings) == most:
                    remedy = "Raise it, or take tie_breaking='parallel' for the best rank of each."
                    allowed = "at least the number of outcomes, which is larger"
                    raise InvalidInputError("limit", allowed, most, remedy)
                rankings.append(permutation_of(np.array(ranks, dtype=np.int32), evidence.items))
                continue
            for item, place, after in reversed(branches(state)):
                placed = ranks.copy()
                placed[item] = place
                stack.append((after, placed))
        return tuple(rankings)

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        if self.tie_breaking != "parallel":
            return super()._aggregate(evidence, rng)
        items, best = evidence.items, self._best_places(evidence)
        if best is None:
            raise InvalidInputError(
                f"tie_breaking of {type(self).__name__}",
                f"another one where ties lead to more than {MOST_SETS} sets of remaining items",
                self.tie_breaking,
                "'together' eliminates tied items at once.",
            )
        winners = listed(items.at([item for item, place in enumerate(best) if place == 0]))
        notes = (f"each wins by some way of breaking ties: {winners}",) if best.count(0) > 1 else ()
        return Outcome(ranking=as_ranking(by_places(best), items), notes=notes)

    @property
    def _way(self) -> str:  # type: ignore[override]
        ways = {"order": BY_GIVEN if self.tie_order else BY_DATA, "lot": BY_LOT}
        return ways.get(self.tie_breaking, "together")

    def _out(
        self, tied: Inside, state: _State, items: ItemSet, rng: Generator
    ) -> tuple[Inside, list[str]]:
        """Break a tie by `tie_breaking`."""
        if len(tied) == 1:
            return tied, []
        name, names = type(self).__name__, listed(items.at(tied))
        if self.tie_breaking == "refuse":
            left = counted(len(state.inside), "item")
            raise TiedRankingError(
                f"{name} breaks no tie: with {left} left, {names} tie. "
                "Choose another `tie_breaking`."
            )
        if self.is_strict:
            last = by_favor(tied, items, self.tie_order, name)[-1]
            out = int(rng.choice(tied)) if self.tie_breaking == "lot" else last
            return (out,), [f"{names} tie; {self._way} {items[out]} is eliminated"]
        end = "to the end" if len(tied) == len(state.inside) else "and are eliminated together"
        return tied, [f"{names} tie {end}"]

    def _branches(self, evidence: Evidence) -> Callable[[_State], list[_Branch]]:
        """Return the function that lists the possible results of a round."""
        count = cache(self._counter(evidence))

        def branches(state: _State) -> list[_Branch]:
            decided = count(state.inside)
            return [
                (item, state.place((item,), decided), state.without((item,), decided))
                for item in decided.tied
            ]

        return branches

    def _best_places(self, evidence: Evidence) -> list[int] | None:
        """Return the best rank of each item by all ways of breaking ties; None if too many."""
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
