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
from rankagg.axioms.base import Axiom, Case
from rankagg.axioms.outcomes import Outcomes, side


def swapped(order: Order, upper: int) -> Order:
    """Return an order after the items at two successive ranks changed places."""
    return (*order[:upper], order[upper + 1], order[upper], *order[upper + 2 :])


def changed_ballot(before: Ballots, after: Ballots) -> tuple[Order, Order]:
    """Return which order became which on how many ballots."""
    gone, come = difference(before, after)
    (old,), (new,) = gone, come
    return old, new


@dataclass(frozen=True, kw_only=True)
class _Kept(Axiom):
    """An axiom by which a winner goes on to win after a swap on one ballot.

    Larger changes are made of such swaps, so the axiom is broken by one where it is broken at all.
    """

    #: What happens to the item.
    _what: ClassVar[str]

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        for item in sorted(outcomes.winners(ballots)):
            for order, _ in ballots:
                for upper in self._swaps(order, item):
                    changed = replaced(ballots, order, swapped(order, upper))
                    yield Case((ballots, changed), (item,))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        before, after = case.ballots
        kept = frozenset(case.items)
        if not kept <= outcomes.winners(before) or kept <= outcomes.winners(after):
            return None
        old, new = changed_ballot(before, after)
        change = f"One ballot {outcomes.arrows(old)} becomes {outcomes.arrows(new)}"
        item = outcomes.listed(kept)
        return f"{change}, {self._what.format(item)}, and {item} loses."

    @abstractmethod
    def _swaps(self, order: Order, item: int) -> range:
        """Return the ranks whose item may change places with the next."""


@dataclass(frozen=True, kw_only=True)
class Monotonicity(_Kept):
    """A winner that rises on a ballot goes on to win."""

    name = "monotonicity"
    definition = (
        "An item that wins, alone or tied, wins too, alone or tied, after it rose on ballots on "
        "which the order of the others stayed."
    )
    source = "Fishburn (1977), https://doi.org/10.1137/0133030"
    _what = "which raises {}"

    def _swaps(self, order: Order, item: int) -> range:
        at = order.index(item)
        return range(max(at - 1, 0), at)


@dataclass(frozen=True, kw_only=True)
class LaterNoHarm(_Kept):
    """What a ballot says below a winner does not harm it."""

    name = "later-no-harm"
    definition = (
        "An item that wins, alone or tied, wins too, alone or tied, after the items below it "
        "changed their order on ballots. (Woodall speaks of further items on shortened ballots; "
        "of complete ones it is this.)"
    )
    source = "Woodall (1997), https://doi.org/10.1016/S0166-218X(96)00100-X"
    fewest_items = 3
    _what = "which changes nothing but what is below {}"

    def _swaps(self, order: Order, item: int) -> range:
        return range(order.index(item) + 1, len(order) - 1)


@dataclass(frozen=True, kw_only=True)
class ReversalSymmetry(Axiom):
    """Who wins alone does not win when all ballots are reversed."""

    name = "reversal symmetry"
    definition = (
        "An item that wins alone does not win, not even tied, once every ballot is turned round. "
        "Of one item it says nothing."
    )
    source = "Saari and Barney (2003), The Mathematical Intelligencer 25(4)"

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        winners = outcomes.winners(ballots)
        if len(winners) == 1 and len(items_in(ballots)) > 1:
            yield Case((ballots, turned_round(ballots)), tuple(winners))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        before, after = map(outcomes.winners, case.ballots)
        if before != frozenset(case.items) or not before <= after:
            return None
        item = outcomes.listed(before)
        return f"{item} wins alone, and wins after every ballot is turned round."


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
                yield Case((ballots, without_item(ballots, leaves)), (leaves, *rest))

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
        items = items_in(ballots)
        if len(items) > 1:
            for item in items:
                if item not in outcomes.winners(ballots):
                    yield Case((ballots, without_item(ballots, item)), (item,))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        before, after = map(outcomes.winners, case.ballots)
        if case.items[0] in before or before == after:
            return None
        return (
            f"{outcomes.listed(case.items)} does not win; without it the choice is "
            f"{outcomes.listed(after)} in place of {outcomes.listed(before)}."
        )


@dataclass(frozen=True, kw_only=True)
class RankingIndependence(Axiom):
    """How two items are ranked depends on how the ballots rank these two."""

    name = "independence of irrelevant alternatives (rankings)"
    definition = (
        "The order of two items, or their tie, depends on nothing but which ballots have the one "
        "above the other; under an exact rule it is that in which all optima agree, and open "
        "where they do not."
    )
    source = "Arrow (1951), Social Choice and Individual Values"
    fewest_items = 3
    most_items = 6

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        pairs = list(combinations(items_in(ballots), 2))
        for order, _ in ballots:
            for other in permutations(sorted(order)):
                if other == order:
                    continue
                changed = replaced(ballots, order, other)
                for x, y in pairs:
                    if (order.index(x) < order.index(y)) == (other.index(x) < other.index(y)):
                        yield Case((ballots, changed), (x, y))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        before, after = (side(outcomes.rankings(one), *case.items) for one in case.ballots)
        if before == after:
            return None
        old, new = changed_ballot(*case.ballots)
        first, second = (outcomes.listed([item]) for item in case.items)
        signs = {1: f"{first} > {second}", 0: f"{first} = {second}", -1: f"{second} > {first}"}
        return (
            f"One ballot {outcomes.arrows(old)} becomes {outcomes.arrows(new)}, with {first} and "
            f"{second} in the same order, and {signs[before]} becomes {signs[after]}."
        )
