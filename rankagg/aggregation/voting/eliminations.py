"""Rules that take items out round by round, and what they do where a round is tied."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from rankagg._typing import Unranked
from rankagg._validation import check_choice, check_integer
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.evidence import Data, Evidence
from rankagg.aggregation.voting.ranked import by_places, too_many_outcomes
from rankagg.core.items import ItemSet, counted, listed
from rankagg.core.rankings.partial import Permutation, as_ranking
from rankagg.exceptions import InvalidInputError, TiedRankingError

__all__ = ["Elimination", "Round", "TieBreaking"]

TieBreaking: TypeAlias = Literal["together", "parallel", "order", "refuse"]

# Sets of remaining items that are looked at under "parallel".
MOST_SETS = 5_000


class Round(NamedTuple):
    """What a round decides: which items tie for going out, or which one stands first.

    Attributes
    ----------
    tied : tuple of int
        The positions of the items, ascending.
    first : bool
        Whether the one item stands above all that remain, instead of below.
    """

    tied: tuple[int, ...]
    first: bool = False


class _State(NamedTuple):
    """The items that remain, ascending, and the number of those placed above them."""

    inside: tuple[int, ...]
    above: int = 0


Count: TypeAlias = Callable[[tuple[int, ...]], Round]


@dataclass(frozen=True, kw_only=True)
class Elimination(Aggregator):
    """A rule that ranks items by the round in which they go out, the last one first."""

    needs: ClassVar[Needs] = "rankings"
    tie_breaking: TieBreaking = "together"
    unranked: Unranked | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        parameter = f"tie_breaking of {type(self).__name__}"
        check_choice(self.tie_breaking, get_args(TieBreaking), parameter)

    @property
    def is_strict(self) -> bool:
        """Whether the consensus never ties items: where ties are broken or refused."""
        return self.tie_breaking in ("order", "refuse")

    @abstractmethod
    def _count(self, evidence: Evidence) -> Count:
        """Return the function that decides a round among some items."""

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

        Raises
        ------
        InvalidInputError
            If there are more than `limit`.
        """
        most = check_integer(limit, "limit", low=1)
        evidence = Evidence.of(data)
        rounds = _Rounds(self._count(evidence))
        found: list[Permutation] = []
        stack = [(_State(tuple(range(len(evidence.items)))), [0] * len(evidence.items))]
        while stack:
            state, ranks = stack.pop()
            if not state.inside:
                if len(found) == most:
                    raise too_many_outcomes(most)
                found.append(Permutation(np.array(ranks, dtype=np.int32), evidence.items))
                continue
            for item, place, after in reversed(rounds.branches(state)):
                placed = ranks.copy()
                placed[item] = place
                stack.append((after, placed))
        return tuple(found)

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        rounds = _Rounds(self._count(evidence))
        if self.tie_breaking == "parallel":
            return self._in_parallel(rounds, evidence.items)
        return self._one_by_one(rounds, evidence.items)

    def _one_by_one(self, rounds: _Rounds, items: ItemSet) -> Outcome:
        ranks = np.zeros(len(items), dtype=np.int32)
        state = _State(tuple(range(len(items))))
        broken = []
        while state.inside:
            tied, first = rounds.decide(state)
            if len(tied) > 1:
                broken.append(listed(items.at(np.array(tied))))
                if self.tie_breaking == "refuse":
                    left = counted(len(state.inside), "item")
                    raise TiedRankingError(
                        f"{self.name} breaks no tie: with {left} left, {broken[-1]} tie for "
                        "going out. Choose another `tie_breaking`."
                    )
                if self.tie_breaking == "order":
                    tied = tied[-1:]
            ranks[list(tied)] = state.above if first else _place(state, len(tied))
            state = _after(state, tied, first)
        way = "out together" if self.tie_breaking == "together" else "the last of the items out"
        notes = [f"tied for going out, {way}: {names}" for names in broken]
        return Outcome(ranking=as_ranking(ranks, items), notes=tuple(notes))

    def _in_parallel(self, rounds: _Rounds, items: ItemSet) -> Outcome:
        best = [len(items)] * len(items)
        start = _State(tuple(range(len(items))))
        seen, stack = {start}, [start]
        while stack:
            for item, place, after in rounds.branches(stack.pop()):
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
        winners = [position for position, place in enumerate(best) if place == 0]
        notes: tuple[str, ...] = ()
        if len(winners) > 1:
            names = listed(items.at(np.array(winners)))
            notes = (f"each wins by some way of breaking ties: {names}",)
        return Outcome(ranking=as_ranking(by_places(best), items), notes=notes)


class _Rounds:
    """Rounds that are decided once for every set of remaining items."""

    def __init__(self, count: Count) -> None:
        self._count = count
        self._known: dict[tuple[int, ...], Round] = {}

    def decide(self, state: _State) -> Round:
        """Return what the round among the remaining items decides."""
        if len(state.inside) == 1:
            return Round(state.inside)
        if state.inside not in self._known:
            self._known[state.inside] = self._count(state.inside)
        return self._known[state.inside]

    def branches(self, state: _State) -> list[tuple[int, int, _State]]:
        """Return what can happen: an item, the place that it gets, and what remains."""
        tied, first = self.decide(state)
        place = state.above if first else _place(state, 1)
        return [(item, place, _after(state, (item,), first)) for item in tied]


def _place(state: _State, n_out: int) -> int:
    """Return the place of so many items that go out."""
    return state.above + len(state.inside) - n_out


def _after(state: _State, gone: tuple[int, ...], first: bool) -> _State:
    rest = tuple(item for item in state.inside if item not in gone)
    return _State(rest, state.above + first)
