"""Axioms about majorities, unanimity, clones and removed items."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import ClassVar

from rankagg.axioms.ballots import Ballots, Order, Outcomes, Winners
from rankagg.axioms.base import Axiom, Case


def _votes_for(ballots: Ballots, first: int, second: int) -> int:
    """Return the number of ballots with the first item above the second."""
    return sum(count for order, count in ballots if order.index(first) < order.index(second))


def _beats(ballots: Ballots, first: int, second: int) -> bool:
    """Return whether more than half of the ballots have the first item above the second."""
    return 2 * _votes_for(ballots, first, second) > ballots.size


def _smith_set(ballots: Ballots) -> Winners:
    """Return the smallest set of items that each beat every item outside of it."""
    items = ballots.items
    unbeaten = {
        other: [one for one in items if one != other and not _beats(ballots, other, one)]
        for other in items
    }
    # The smallest set that contains all items that its members do not beat.
    closures = []
    for start in items:
        inside, pending = {start}, [start]
        while pending:
            new = set(unbeaten[pending.pop()]) - inside
            inside |= new
            pending += new
        closures.append(frozenset(inside))
    return min(closures, key=len)


@dataclass(frozen=True, kw_only=True)
class _Single(Axiom):
    """An axiom about one profile."""

    #: The property of the items, as a clause.
    _clause: ClassVar[str]

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        return (Case((ballots,), items) for items in self._restricted_items(ballots))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        winners = outcomes.winners(case.ballots[0])
        if self._allows(winners, case.items):
            return None
        each = [outcomes.listed([item]) for item in case.items]
        clause = self._clause.format(*each, items=outcomes.listed(case.items))
        verb = "wins" if len(winners) == 1 else "win"
        return f"{clause}, and {outcomes.listed(winners)} {verb}."

    @abstractmethod
    def _restricted_items(self, ballots: Ballots) -> list[tuple[int, ...]]:
        """Return the items that the axiom restricts."""

    def _allows(self, winners: Winners, items: tuple[int, ...]) -> bool:
        return winners == frozenset(items)


@dataclass(frozen=True, kw_only=True)
class CondorcetWinner(_Single):
    """An item that beats every other by a majority wins alone."""

    name = "condorcet winner"
    definition = "An item that beats each other one on more than half of the ballots wins alone."
    source = "Condorcet (1785); Fishburn (1977), https://doi.org/10.1137/0133030"
    _clause = "{} beats every other item by a majority"

    def _restricted_items(self, ballots: Ballots) -> list[tuple[int, ...]]:
        items = ballots.items
        return [(x,) for x in items if all(x == y or _beats(ballots, x, y) for y in items)]


@dataclass(frozen=True, kw_only=True)
class CondorcetLoser(_Single):
    """An item that every other beats by a majority does not win."""

    name = "condorcet loser"
    definition = (
        "An item that each other one beats on more than half of the ballots does not win, not even "
        "tied."
    )
    source = "Fishburn (1977), https://doi.org/10.1137/0133030"
    _clause = "Every other item beats {} by a majority"

    def _restricted_items(self, ballots: Ballots) -> list[tuple[int, ...]]:
        items = ballots.items
        if len(items) == 1:
            return []
        return [(x,) for x in items if all(x == y or _beats(ballots, y, x) for y in items)]

    def _allows(self, winners: Winners, items: tuple[int, ...]) -> bool:
        return items[0] not in winners


@dataclass(frozen=True, kw_only=True)
class Smith(_Single):
    """Winners are in the Smith set."""

    name = "smith"
    definition = (
        "All winners are in the Smith set, the smallest set whose items each beat every item "
        "outside by a majority."
    )
    source = "Smith (1973), https://doi.org/10.2307/1914033"
    _clause = "The Smith set is {items}"

    def _restricted_items(self, ballots: Ballots) -> list[tuple[int, ...]]:
        return [tuple(sorted(_smith_set(ballots)))]

    def _allows(self, winners: Winners, items: tuple[int, ...]) -> bool:
        return winners <= set(items)


@dataclass(frozen=True, kw_only=True)
class Majority(_Single):
    """An item that a majority ranks first wins alone."""

    name = "majority"
    definition = "An item that more than half of the ballots rank first wins alone."
    source = "Fishburn (1977), https://doi.org/10.1137/0133030"
    _clause = "More than half of the ballots have {} first"

    def _restricted_items(self, ballots: Ballots) -> list[tuple[int, ...]]:
        firsts: Counter[int] = Counter()
        for order, count in ballots:
            firsts[order[0]] += count
        return [(x,) for x, count in firsts.items() if 2 * count > ballots.size]


@dataclass(frozen=True, kw_only=True)
class Pareto(_Single):
    """An item that all ballots rank below another one does not win."""

    name = "pareto"
    definition = (
        "An item that every ballot ranks below the same other item does not win, not even tied."
    )
    source = "Fishburn (1977), https://doi.org/10.1137/0133030"
    _clause = "Every ballot has {} above {}"

    def _restricted_items(self, ballots: Ballots) -> list[tuple[int, ...]]:
        pairs = permutations(ballots.items, 2)
        return [pair for pair in pairs if _votes_for(ballots, *pair) == ballots.size]

    def _allows(self, winners: Winners, items: tuple[int, ...]) -> bool:
        return items[1] not in winners


def _are_clones(ballots: Ballots, inside: Order) -> bool:
    """Return whether no ballot ranks another item between these."""
    places = ([order.index(item) for item in inside] for order, _ in ballots)
    return all(max(each) - min(each) < len(inside) for each in places)


def _clone_sets(ballots: Ballots) -> Iterator[Order]:
    """Yield the sets of clones, small ones first."""
    order, _ = ballots[0]
    for number in range(2, len(order)):
        neighbors = (tuple(sorted(order[i : i + number])) for i in range(len(order) - number + 1))
        yield from (items for items in sorted(neighbors) if _are_clones(ballots, items))


@dataclass(frozen=True, kw_only=True)
class CloneIndependence(Axiom):
    """The number of clones of an item does not matter."""

    name = "clone independence"
    definition = (
        "Clones are items, at least two and not all, between which no ballot ranks another item. "
        "If one of them is removed, each item that is no clone wins, alone or tied, if and only if "
        "it did before, and some clone wins if and only if some clone did before."
    )
    source = "Tideman (1987), https://doi.org/10.1007/BF00433944"
    fewest_items = 3

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        for clones in _clone_sets(ballots):
            for removed in clones:
                # The removed item comes first.
                rest = tuple(item for item in clones if item != removed)
                yield Case((ballots, ballots.without_item(removed)), (removed, *rest))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        before, after = map(outcomes.winners, case.ballots)
        clones = frozenset(case.items)
        if before - clones == after - clones and bool(before & clones) == bool(after & clones):
            return None
        return (
            f"{outcomes.listed(clones)} are clones; without "
            f"{outcomes.listed(case.items[:1])} the choice is {outcomes.listed(after)} "
            f"instead of {outcomes.listed(before)}."
        )


@dataclass(frozen=True, kw_only=True)
class WinnerIndependence(Axiom):
    """The removal of an item that does not win changes nothing."""

    name = "independence of irrelevant alternatives (winners)"
    definition = "If an item that does not win, not even tied, is removed, the same items win."
    source = "Ray (1973), Econometrica 41(5)"
    fewest_items = 3

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        items = ballots.items
        if len(items) > 1:
            for item in items:
                if item not in outcomes.winners(ballots):
                    yield Case((ballots, ballots.without_item(item)), (item,))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        before, after = map(outcomes.winners, case.ballots)
        if case.items[0] in before or before == after:
            return None
        return (
            f"{outcomes.listed(case.items)} does not win; without it the choice is "
            f"{outcomes.listed(after)} instead of {outcomes.listed(before)}."
        )
