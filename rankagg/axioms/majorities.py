"""Axioms about items: what majorities and all ballots bind, and items that leave."""

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
    """Return how many ballots have the first item above the second."""
    return sum(count for order, count in ballots if order.index(first) < order.index(second))


def _beats(ballots: Ballots, first: int, second: int) -> bool:
    """Say whether more than half of the ballots have the first item above the second."""
    return 2 * _votes_for(ballots, first, second) > ballots.size


def _smith_set(ballots: Ballots) -> Winners:
    """Return the least set of items that each beat every item outside of it."""
    items = ballots.items
    unbeaten = {
        other: [one for one in items if one != other and not _beats(ballots, other, one)]
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

    #: What holds of the items.
    _what: ClassVar[str]

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        return (Case((ballots,), items) for items in self._bound(ballots))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        winners = outcomes.winners(case.ballots[0])
        if self._allows(winners, case.items):
            return None
        each = [outcomes.listed([item]) for item in case.items]
        what = self._what.format(*each, items=outcomes.listed(case.items))
        won = "wins" if len(winners) == 1 else "win"
        return f"{what}, and {outcomes.listed(winners)} {won}."

    @abstractmethod
    def _bound(self, ballots: Ballots) -> list[tuple[int, ...]]:
        """Return the items about which the axiom says something."""

    def _allows(self, winners: Winners, items: tuple[int, ...]) -> bool:
        return winners == frozenset(items)


@dataclass(frozen=True, kw_only=True)
class CondorcetWinner(_Single):
    """An item that beats every other by a majority wins alone."""

    name = "condorcet winner"
    definition = "An item that more than half of the ballots have above each other one wins alone."
    source = "Condorcet (1785); Fishburn (1977), https://doi.org/10.1137/0133030"
    _what = "{} beats every other item by a majority"

    def _bound(self, ballots: Ballots) -> list[tuple[int, ...]]:
        items = ballots.items
        return [(x,) for x in items if all(x == y or _beats(ballots, x, y) for y in items)]


@dataclass(frozen=True, kw_only=True)
class CondorcetLoser(_Single):
    """An item that every other beats by a majority does not win."""

    name = "condorcet loser"
    definition = (
        "An item that more than half of the ballots have below each other one does not win, not "
        "even tied."
    )
    source = "Fishburn (1977), https://doi.org/10.1137/0133030"
    _what = "Every other item beats {} by a majority"

    def _bound(self, ballots: Ballots) -> list[tuple[int, ...]]:
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
        "All winners are in the Smith set: the least set whose items each beat every item outside "
        "by a majority."
    )
    source = "Smith (1973), https://doi.org/10.2307/1914033"
    _what = "The Smith set is {items}"

    def _bound(self, ballots: Ballots) -> list[tuple[int, ...]]:
        return [tuple(sorted(_smith_set(ballots)))]

    def _allows(self, winners: Winners, items: tuple[int, ...]) -> bool:
        return winners <= set(items)


@dataclass(frozen=True, kw_only=True)
class Majority(_Single):
    """An item that a majority has first wins alone."""

    name = "majority"
    definition = "An item that more than half of the ballots have first wins alone."
    source = "Fishburn (1977), https://doi.org/10.1137/0133030"
    _what = "More than half of the ballots have {} first"

    def _bound(self, ballots: Ballots) -> list[tuple[int, ...]]:
        firsts: Counter[int] = Counter()
        for order, count in ballots:
            firsts[order[0]] += count
        return [(x,) for x, count in firsts.items() if 2 * count > ballots.size]


@dataclass(frozen=True, kw_only=True)
class Pareto(_Single):
    """An item that all have below another one does not win."""

    name = "pareto"
    definition = (
        "An item that every ballot has below one and the same other item does not win, not even "
        "tied."
    )
    source = "Fishburn (1977), https://doi.org/10.1137/0133030"
    _what = "Every ballot has {} above {}"

    def _bound(self, ballots: Ballots) -> list[tuple[int, ...]]:
        pairs = permutations(ballots.items, 2)
        return [pair for pair in pairs if _votes_for(ballots, *pair) == ballots.size]

    def _allows(self, winners: Winners, items: tuple[int, ...]) -> bool:
        return items[1] not in winners


def _are_clones(ballots: Ballots, inside: Order) -> bool:
    """Say whether on every ballot no other item stands between some."""
    for order, _ in ballots:
        places = [order.index(item) for item in inside]
        if max(places) - min(places) >= len(inside):
            return False
    return True


def _clone_sets(ballots: Ballots) -> Iterator[Order]:
    """Yield the sets of clones, small ones first: they are side by side on the first ballot too."""
    order, _ = ballots[0]
    for number in range(2, len(order)):
        for side_by_side in sorted(
            tuple(sorted(order[at : at + number])) for at in range(len(order) - number + 1)
        ):
            if _are_clones(ballots, side_by_side):
                yield side_by_side


@dataclass(frozen=True, kw_only=True)
class CloneIndependence(Axiom):
    """It does not matter how many clones of an item there are."""

    name = "clone independence"
    definition = (
        "Clones are items, at least two and not all, between which no ballot has another. When one "
        "of them leaves, each item that is no clone wins, alone or tied, if and only if it did, "
        "and some clone wins if and only if some did."
    )
    source = "Tideman (1987), https://doi.org/10.1007/BF00433944"
    fewest_items = 3

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        for clones in _clone_sets(ballots):
            for leaves in clones:
                # The first item is the one that leaves.
                rest = tuple(item for item in clones if item != leaves)
                yield Case((ballots, ballots.without(leaves)), (leaves, *rest))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        before, after = map(outcomes.winners, case.ballots)
        clones = frozenset(case.items)
        if before - clones == after - clones and bool(before & clones) == bool(after & clones):
            return None
        return (
            f"{outcomes.listed(clones)} are clones; without {outcomes.listed(case.items[:1])} "
            f"the choice is {outcomes.listed(after)} in place of {outcomes.listed(before)}."
        )


@dataclass(frozen=True, kw_only=True)
class WinnerIndependence(Axiom):
    """Who does not win can leave without consequence."""

    name = "independence of irrelevant alternatives (winners)"
    definition = "When an item that does not win, not even tied, leaves, the same items win."
    source = "Ray (1973), Econometrica 41(5)"
    fewest_items = 3

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        items = ballots.items
        if len(items) > 1:
            for item in items:
                if item not in outcomes.winners(ballots):
                    yield Case((ballots, ballots.without(item)), (item,))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        before, after = map(outcomes.winners, case.ballots)
        if case.items[0] in before or before == after:
            return None
        return (
            f"{outcomes.listed(case.items)} does not win; without it the choice is "
            f"{outcomes.listed(after)} in place of {outcomes.listed(before)}."
        )
