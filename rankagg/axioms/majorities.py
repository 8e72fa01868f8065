"""Axioms about single profiles: what majorities, or all, agree on binds the outcome."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from rankagg.axioms.ballots import Ballots, items_in, size
from rankagg.axioms.base import Axiom, Case, named
from rankagg.axioms.outcomes import Outcomes, Winners

__all__ = ["CondorcetLoser", "CondorcetWinner", "Majority", "Pareto", "Smith", "smith_set"]


def votes_for(ballots: Ballots, first: int, second: int) -> int:
    """Return how many ballots have the first item above the second."""
    return sum(count for order, count in ballots if order.index(first) < order.index(second))


def beats(ballots: Ballots, first: int, second: int) -> bool:
    """Say whether more than half of the ballots have the first item above the second."""
    return 2 * votes_for(ballots, first, second) > size(ballots)


def smith_set(ballots: Ballots) -> Winners:
    """Return the least set of items that each beat every item outside of it."""
    items = items_in(ballots)
    unbeaten = {
        other: [one for one in items if one != other and not beats(ballots, other, one)]
        for other in items
    }
    # Whoever an inside item does not beat is inside; the least such set is the answer.
    closed = []
    for start in items:
        inside, open_ends = {start}, [start]
        while open_ends:
            for item in unbeaten[open_ends.pop()]:
                if item not in inside:
                    inside.add(item)
                    open_ends.append(item)
        closed.append(frozenset(inside))
    return min(closed, key=len)


@dataclass(frozen=True, kw_only=True)
class _Single(Axiom):
    """An axiom about one profile."""

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        return (Case((ballots,), items) for items in self._bound(ballots))

    def _fits(self, case: Case) -> bool:
        return case.items in self._bound(case.ballots[0])

    @abstractmethod
    def _bound(self, ballots: Ballots) -> list[tuple[int, ...]]:
        """Return the items about which the axiom says something."""


@dataclass(frozen=True, kw_only=True)
class CondorcetWinner(_Single):
    """An item that beats every other by a majority wins alone."""

    name: ClassVar[str] = "condorcet winner"
    definition: ClassVar[str] = (
        "An item that more than half of the ballots have above each other one wins alone."
    )
    source: ClassVar[str] = "Condorcet (1785); Fishburn (1977), https://doi.org/10.1137/0133030"

    def _bound(self, ballots: Ballots) -> list[tuple[int, ...]]:
        items = items_in(ballots)
        return [(x,) for x in items if all(x == y or beats(ballots, x, y) for y in items)]

    def _fails(self, case: Case, outcomes: Outcomes) -> bool:
        return outcomes.winners(case.ballots[0]) != frozenset(case.items)

    def _sentence(self, case: Case, outcomes: Outcomes) -> str:
        return (
            f"{named(case.items, outcomes.labels)} beats every other item by a majority, and "
            f"{_win(outcomes.winners(case.ballots[0]), outcomes)}."
        )


@dataclass(frozen=True, kw_only=True)
class CondorcetLoser(_Single):
    """An item that every other beats by a majority does not win."""

    name: ClassVar[str] = "condorcet loser"
    definition: ClassVar[str] = (
        "An item that more than half of the ballots have below each other one does not win, not "
        "even tied."
    )
    source: ClassVar[str] = "Fishburn (1977), https://doi.org/10.1137/0133030"

    def _bound(self, ballots: Ballots) -> list[tuple[int, ...]]:
        items = items_in(ballots)
        if len(items) == 1:
            return []
        return [(x,) for x in items if all(x == y or beats(ballots, y, x) for y in items)]

    def _fails(self, case: Case, outcomes: Outcomes) -> bool:
        return case.items[0] in outcomes.winners(case.ballots[0])

    def _sentence(self, case: Case, outcomes: Outcomes) -> str:
        return (
            f"Every other item beats {named(case.items, outcomes.labels)} by a majority, and "
            f"{_win(outcomes.winners(case.ballots[0]), outcomes)}."
        )


@dataclass(frozen=True, kw_only=True)
class Smith(_Single):
    """Winners are in the Smith set."""

    name: ClassVar[str] = "smith"
    definition: ClassVar[str] = (
        "All winners are in the Smith set: the least set whose items each beat every item outside "
        "by a majority."
    )
    source: ClassVar[str] = "Smith (1973), https://doi.org/10.2307/1914033"

    def _bound(self, ballots: Ballots) -> list[tuple[int, ...]]:
        return [tuple(sorted(smith_set(ballots)))]

    def _fails(self, case: Case, outcomes: Outcomes) -> bool:
        return not outcomes.winners(case.ballots[0]) <= set(case.items)

    def _sentence(self, case: Case, outcomes: Outcomes) -> str:
        return (
            f"The Smith set is {named(case.items, outcomes.labels)}, and "
            f"{_win(outcomes.winners(case.ballots[0]), outcomes)}."
        )


@dataclass(frozen=True, kw_only=True)
class Majority(_Single):
    """An item that a majority has first wins alone."""

    name: ClassVar[str] = "majority"
    definition: ClassVar[str] = "An item that more than half of the ballots have first wins alone."
    source: ClassVar[str] = "Fishburn (1977), https://doi.org/10.1137/0133030"

    def _bound(self, ballots: Ballots) -> list[tuple[int, ...]]:
        total = size(ballots)
        return [
            (x,)
            for x in items_in(ballots)
            if 2 * sum(count for order, count in ballots if order[0] == x) > total
        ]

    def _fails(self, case: Case, outcomes: Outcomes) -> bool:
        return outcomes.winners(case.ballots[0]) != frozenset(case.items)

    def _sentence(self, case: Case, outcomes: Outcomes) -> str:
        return (
            f"More than half of the ballots have {named(case.items, outcomes.labels)} first, and "
            f"{_win(outcomes.winners(case.ballots[0]), outcomes)}."
        )


@dataclass(frozen=True, kw_only=True)
class Pareto(_Single):
    """An item that all have below another one does not win."""

    name: ClassVar[str] = "pareto"
    definition: ClassVar[str] = (
        "An item that every ballot has below one and the same other item does not win, not even "
        "tied."
    )
    source: ClassVar[str] = "Fishburn (1977), https://doi.org/10.1137/0133030"

    def _bound(self, ballots: Ballots) -> list[tuple[int, ...]]:
        items = items_in(ballots)
        return [
            (x, y)
            for x in items
            for y in items
            if x != y and votes_for(ballots, x, y) == size(ballots)
        ]

    def _fails(self, case: Case, outcomes: Outcomes) -> bool:
        return case.items[1] in outcomes.winners(case.ballots[0])

    def _sentence(self, case: Case, outcomes: Outcomes) -> str:
        upper, lower = (outcomes.labels[item] for item in case.items)
        won = _win(outcomes.winners(case.ballots[0]), outcomes)
        return f"Every ballot has {upper} above {lower}, and {won}."


def _win(winners: Winners, outcomes: Outcomes) -> str:
    return f"{named(winners, outcomes.labels)} {'wins' if len(winners) == 1 else 'win'}"
