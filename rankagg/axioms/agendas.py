"""Axioms about which items stand, and about one ballot that changes a little."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import ClassVar

from rankagg.axioms.ballots import (
    Ballots,
    Order,
    difference,
    items_in,
    replaced,
    turned_round,
    without_item,
)
from rankagg.axioms.base import Axiom, Case, arrows, named
from rankagg.axioms.outcomes import Outcomes, side

__all__ = [
    "CloneIndependence",
    "LaterNoHarm",
    "Monotonicity",
    "RankingIndependence",
    "ReversalSymmetry",
    "WinnerIndependence",
]


def swapped(order: Order, upper: int) -> Order:
    """Return an order after the items at two successive ranks changed places."""
    return (*order[:upper], order[upper + 1], order[upper], *order[upper + 2 :])


def changed_ballot(before: Ballots, after: Ballots) -> tuple[Order, Order, int] | None:
    """Return which order became which on how many ballots; None where more has changed."""
    gone, come = difference(before, after)
    if len(gone) != 1 or len(come) != 1:
        return None
    (old, copies), (new, others) = *gone.items(), *come.items()
    return (old, new, copies) if copies == others else None


@dataclass(frozen=True, kw_only=True)
class _Kept(Axiom):
    """An axiom by which a winner goes on to win after a swap on one ballot.

    Larger changes are made of such swaps, so the axiom is broken by one where it is broken at all.
    """

    fewest_items: ClassVar[int] = 2

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        for item in sorted(outcomes.winners(ballots)):
            for order, _ in ballots:
                for upper in self._swaps(order, item):
                    changed = replaced(ballots, order, swapped(order, upper))
                    yield Case((ballots, changed), (item,))

    def _fits(self, case: Case) -> bool:
        change = changed_ballot(*case.ballots)
        if change is None or change[2] != 1:
            return False
        old, new, _ = change
        return new in [swapped(old, upper) for upper in self._swaps(old, case.items[0])]

    def _fails(self, case: Case, outcomes: Outcomes) -> bool:
        before, after = case.ballots
        item = case.items[0]
        return item in outcomes.winners(before) and item not in outcomes.winners(after)

    def _sentence(self, case: Case, outcomes: Outcomes) -> str:
        change = changed_ballot(*case.ballots)
        assert change is not None, "the case fits"
        old, new = (arrows(order, outcomes.labels) for order in change[:2])
        item = outcomes.labels[case.items[0]]
        return f"One ballot {old} becomes {new}, {self._what.format(item)}, and {item} loses."

    #: What happens to the item.
    _what: ClassVar[str]

    @abstractmethod
    def _swaps(self, order: Order, item: int) -> range:
        """Return the ranks whose item may change places with the next."""


@dataclass(frozen=True, kw_only=True)
class Monotonicity(_Kept):
    """A winner that rises on a ballot goes on to win."""

    name: ClassVar[str] = "monotonicity"
    definition: ClassVar[str] = (
        "An item that wins, alone or tied, wins too, alone or tied, after it rose on ballots on "
        "which the order of the others stayed."
    )
    source: ClassVar[str] = "Fishburn (1977), https://doi.org/10.1137/0133030"
    _what: ClassVar[str] = "which raises {}"

    def _swaps(self, order: Order, item: int) -> range:
        at = order.index(item)
        return range(max(at - 1, 0), at)


@dataclass(frozen=True, kw_only=True)
class LaterNoHarm(_Kept):
    """What a ballot says below a winner does not harm it."""

    name: ClassVar[str] = "later-no-harm"
    definition: ClassVar[str] = (
        "An item that wins, alone or tied, wins too, alone or tied, after the items below it "
        "changed their order on ballots. (Woodall speaks of further items on shortened ballots; "
        "of complete ones it is this.)"
    )
    source: ClassVar[str] = "Woodall (1997), https://doi.org/10.1016/S0166-218X(96)00100-X"
    fewest_items: ClassVar[int] = 3
    _what: ClassVar[str] = "which changes nothing but what is below {}"

    def _swaps(self, order: Order, item: int) -> range:
        return range(order.index(item) + 1, len(order) - 1)


@dataclass(frozen=True, kw_only=True)
class ReversalSymmetry(Axiom):
    """Who wins alone does not win when all ballots are reversed."""

    name: ClassVar[str] = "reversal symmetry"
    definition: ClassVar[str] = (
        "An item that wins alone does not win, not even tied, once every ballot is turned round. "
        "Of one item it says nothing."
    )
    source: ClassVar[str] = "Saari and Barney (2003), The Mathematical Intelligencer 25(4)"

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        winners = outcomes.winners(ballots)
        if len(winners) == 1 and len(items_in(ballots)) > 1:
            yield Case((ballots, turned_round(ballots)), tuple(winners))

    def _fits(self, case: Case) -> bool:
        before, after = case.ballots
        return turned_round(before) == after and len(items_in(before)) > 1

    def _fails(self, case: Case, outcomes: Outcomes) -> bool:
        before, after = map(outcomes.winners, case.ballots)
        return before == frozenset(case.items) and before <= after

    def _sentence(self, case: Case, outcomes: Outcomes) -> str:
        item = named(case.items, outcomes.labels)
        return f"{item} wins alone, and wins after every ballot is turned round."


def are_clones(ballots: Ballots, inside: Order) -> bool:
    """Say whether on every ballot no other item stands between some."""
    for order, _ in ballots:
        places = [order.index(item) for item in inside]
        if max(places) - min(places) >= len(inside):
            return False
    return True


def clone_sets(ballots: Ballots) -> Iterator[Order]:
    """Yield the sets of clones, small ones first: they are side by side on the first ballot too."""
    order, _ = ballots[0]
    for number in range(2, len(order)):
        for side_by_side in sorted(
            tuple(sorted(order[at : at + number])) for at in range(len(order) - number + 1)
        ):
            if are_clones(ballots, side_by_side):
                yield side_by_side


@dataclass(frozen=True, kw_only=True)
class CloneIndependence(Axiom):
    """It does not matter how many clones of an item there are."""

    name: ClassVar[str] = "clone independence"
    definition: ClassVar[str] = (
        "Clones are items, at least two and not all, between which no ballot has another. When one "
        "of them leaves, each item that is no clone wins, alone or tied, if and only if it did, "
        "and some clone wins if and only if some did."
    )
    source: ClassVar[str] = "Tideman (1987), https://doi.org/10.1007/BF00433944"
    fewest_items: ClassVar[int] = 3

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        for clones in clone_sets(ballots):
            for leaves in clones:
                # The first item is the one that leaves.
                rest = tuple(item for item in clones if item != leaves)
                yield Case((ballots, without_item(ballots, leaves)), (leaves, *rest))

    def _fits(self, case: Case) -> bool:
        before, after = case.ballots
        return (
            2 <= len(case.items) < len(items_in(before))
            and are_clones(before, case.items)
            and after == without_item(before, case.items[0])
        )

    def _fails(self, case: Case, outcomes: Outcomes) -> bool:
        before, after = map(outcomes.winners, case.ballots)
        clones = frozenset(case.items)
        return before - clones != after - clones or bool(before & clones) != bool(after & clones)

    def _sentence(self, case: Case, outcomes: Outcomes) -> str:
        before, after = (named(outcomes.winners(one), outcomes.labels) for one in case.ballots)
        return (
            f"{named(case.items, outcomes.labels)} are clones; without "
            f"{named(case.items[:1], outcomes.labels)} the choice is {after} in place of {before}."
        )


@dataclass(frozen=True, kw_only=True)
class WinnerIndependence(Axiom):
    """Who does not win can leave without consequence."""

    name: ClassVar[str] = "independence of irrelevant alternatives (winners)"
    definition: ClassVar[str] = (
        "When an item that does not win, not even tied, leaves, the same items win."
    )
    source: ClassVar[str] = "Ray (1973), Econometrica 41(5)"
    fewest_items: ClassVar[int] = 3

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        items = items_in(ballots)
        if len(items) > 1:
            for item in items:
                if item not in outcomes.winners(ballots):
                    yield Case((ballots, without_item(ballots, item)), (item,))

    def _fits(self, case: Case) -> bool:
        before, after = case.ballots
        return without_item(before, case.items[0]) == after

    def _fails(self, case: Case, outcomes: Outcomes) -> bool:
        before, after = map(outcomes.winners, case.ballots)
        return case.items[0] not in before and before != after

    def _sentence(self, case: Case, outcomes: Outcomes) -> str:
        before, after = (named(outcomes.winners(one), outcomes.labels) for one in case.ballots)
        return (
            f"{named(case.items, outcomes.labels)} does not win; without it the choice is {after} "
            f"in place of {before}."
        )


@dataclass(frozen=True, kw_only=True)
class RankingIndependence(Axiom):
    """How two items are ranked depends on how the ballots rank these two."""

    name: ClassVar[str] = "independence of irrelevant alternatives (rankings)"
    definition: ClassVar[str] = (
        "The order of two items, or their tie, depends on nothing but which ballots have the one "
        "above the other; under an exact rule it is that in which all optima agree, and open "
        "where they do not."
    )
    source: ClassVar[str] = "Arrow (1951), Social Choice and Individual Values"
    fewest_items: ClassVar[int] = 3
    most_items: ClassVar[int | None] = 6

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        pairs = list(combinations(items_in(ballots), 2))
        for order, _ in ballots:
            for other in permutations(sorted(order)):
                if other == order:
                    continue
                changed = replaced(ballots, order, other)
                for pair in pairs:
                    if _order_of(order, pair) == _order_of(other, pair):
                        yield Case((ballots, changed), pair)

    def _fits(self, case: Case) -> bool:
        change = changed_ballot(*case.ballots)
        return (
            change is not None
            and change[2] == 1
            and _order_of(change[0], case.items) == _order_of(change[1], case.items)
        )

    def _fails(self, case: Case, outcomes: Outcomes) -> bool:
        first, second = case.items
        before, after = (side(outcomes.rankings(one), first, second) for one in case.ballots)
        return before != after

    def _sentence(self, case: Case, outcomes: Outcomes) -> str:
        change = changed_ballot(*case.ballots)
        assert change is not None, "the case fits"
        old, new = (arrows(order, outcomes.labels) for order in change[:2])
        first, second = (outcomes.labels[item] for item in case.items)
        signs = {1: f"{first} > {second}", 0: f"{first} = {second}", -1: f"{second} > {first}"}
        before, after = (signs[side(outcomes.rankings(one), *case.items)] for one in case.ballots)
        return (
            f"One ballot {old} becomes {new}, with {first} and {second} in the same order, and "
            f"{before} becomes {after}."
        )


def _order_of(order: Order, pair: tuple[int, ...]) -> bool:
    return order.index(pair[0]) < order.index(pair[1])
