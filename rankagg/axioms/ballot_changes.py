"""Axioms about one ballot that changes a little: who won must go on winning."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from rankagg.axioms.ballots import Ballots, Order, difference, items_in, replaced, turned_round
from rankagg.axioms.base import Axiom, Case, arrows, named
from rankagg.axioms.outcomes import Outcomes

__all__ = ["LaterNoHarm", "Monotonicity", "ReversalSymmetry"]


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
