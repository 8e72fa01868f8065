"""Axioms about changed ballots, absent voters and divided electorates."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, permutations, product
from math import prod
from typing import ClassVar

from rankagg.axioms.ballots import Ballots, Buckets, Order, Outcomes, Rankings, Winners
from rankagg.axioms.base import Axiom, Case
from rankagg.core import counted
from rankagg.exceptions import Described, InvalidInputError

# The maximum number of divisions of an electorate.
DIVISIONS = 100_000


def _common_side(rankings: Rankings, first: int, second: int) -> int:
    """Return 1 or -1 if every ranking has the first item above or below, otherwise 0."""
    signs = {_side(ranking, first, second) for ranking in rankings}
    return signs.pop() if len(signs) == 1 else 0


def _side(ranking: Buckets, first: int, second: int) -> int:
    for bucket in ranking:
        if first in bucket or second in bucket:
            return (first in bucket) - (second in bucket)
    return 0


def _strict_orders(rankings: Rankings) -> frozenset[Order]:
    """Return the strict orders that break the ties of rankings in every way."""
    return frozenset(
        tuple(chain.from_iterable(parts))
        for ranking in rankings
        for parts in product(*map(permutations, ranking))
    )


def _swap(order: Order, upper: int) -> Order:
    """Return an order with the items at the ranks `upper` and `upper` + 1 exchanged."""
    return (*order[:upper], order[upper + 1], order[upper], *order[upper + 2 :])


def _each_change(ballots: Ballots) -> Iterator[tuple[Order, Order, Ballots]]:
    """Yield the old and the new order of every changed ballot, and the ballots with it."""
    for old, _ in ballots:
        for new in permutations(sorted(old)):
            if new != old:
                yield old, new, ballots.replace(old, new)


def _changed_ballot(before: Ballots, after: Ballots) -> tuple[Order, Order]:
    """Return the old and the new order of the changed ballot."""
    (old,), (new,) = before.difference(after)
    return old, new


@dataclass(frozen=True, kw_only=True)
class _WinnerKept(Axiom):
    """An axiom by which a winner still wins after a swap on one ballot.

    Larger changes consist of such swaps, so if the axiom is broken, a single swap breaks it.
    """

    #: The effect of the swap on the item, as a clause.
    _clause: ClassVar[str]

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        for item in sorted(outcomes.winners(ballots)):
            for order, _ in ballots:
                for upper in self._swaps(order, item):
                    yield Case((ballots, ballots.replace(order, _swap(order, upper))), (item,))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        before, after = case.ballots
        kept = frozenset(case.items)
        if not kept <= outcomes.winners(before) or kept <= outcomes.winners(after):
            return None
        old, new = _changed_ballot(before, after)
        change = f"One ballot {outcomes.order_text(old)} becomes {outcomes.order_text(new)}"
        item = outcomes.listed(kept)
        return f"{change}, {self._clause.format(item)}, and {item} loses."

    @abstractmethod
    def _swaps(self, order: Order, item: int) -> range:
        """Return the ranks whose item may be exchanged with the next."""


@dataclass(frozen=True, kw_only=True)
class Monotonicity(_WinnerKept):
    """A winner that rises on a ballot still wins."""

    name = "monotonicity"
    definition = (
        "An item that wins, alone or tied, still wins, alone or tied, after it rises on ballots "
        "that keep the order of the other items."
    )
    source = "Fishburn (1977), https://doi.org/10.1137/0133030"
    _clause = "which raises {}"

    def _swaps(self, order: Order, item: int) -> range:
        at = order.index(item)
        return range(max(at - 1, 0), at)


@dataclass(frozen=True, kw_only=True)
class LaterNoHarm(_WinnerKept):
    """The order of items below a winner does not harm it."""

    name = "later-no-harm"
    definition = (
        "An item that wins, alone or tied, still wins, alone or tied, after the order of the items "
        "below it changes on ballots. (Woodall defines it for further items on truncated ballots; "
        "this is its form for complete ballots.)"
    )
    source = "Woodall (1997), https://doi.org/10.1016/S0166-218X(96)00100-X"
    fewest_items = 3
    _clause = "which changes only the order below {}"

    def _swaps(self, order: Order, item: int) -> range:
        return range(order.index(item) + 1, len(order) - 1)


@dataclass(frozen=True, kw_only=True)
class ReversalSymmetry(Axiom):
    """A sole winner does not win if all ballots are reversed."""

    name = "reversal symmetry"
    definition = (
        "With two or more items, an item that wins alone does not win, not even tied, if every "
        "ballot is reversed."
    )
    source = "Saari and Barney (2003), The Mathematical Intelligencer 25(4)"

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        winners = outcomes.winners(ballots)
        if len(winners) == 1 and len(ballots.items) > 1:
            yield Case((ballots, ballots.reversed), tuple(winners))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        before, after = map(outcomes.winners, case.ballots)
        if before != frozenset(case.items) or not before <= after:
            return None
        item = outcomes.listed(before)
        return f"{item} wins alone, and still wins after every ballot is reversed."


@dataclass(frozen=True, kw_only=True)
class RankingIndependence(Axiom):
    """The order of two items depends only on their order on the ballots."""

    name = "independence of irrelevant alternatives (rankings)"
    definition = (
        "The order of two items, or their tie, depends only on which ballots rank the one above "
        "the other. For an exact rule it is the order in which all optima agree; if they differ, "
        "it is open."
    )
    source = "Arrow (1951), Social Choice and Individual Values"
    fewest_items = 3
    most_items = 6

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        pairs = list(combinations(ballots.items, 2))
        for order, other, changed in _each_change(ballots):
            for x, y in pairs:
                if (order.index(x) < order.index(y)) == (other.index(x) < other.index(y)):
                    yield Case((ballots, changed), (x, y))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        before, after = (_common_side(outcomes.rankings(one), *case.items) for one in case.ballots)
        if before == after:
            return None
        old, new = _changed_ballot(*case.ballots)
        first, second = (outcomes.listed([item]) for item in case.items)
        signs = {1: f"{first} > {second}", 0: f"{first} = {second}", -1: f"{second} > {first}"}
        return (
            f"One ballot {outcomes.order_text(old)} becomes {outcomes.order_text(new)}, with "
            f"{first} and {second} in the same order, and {signs[before]} becomes {signs[after]}."
        )


def _prefers(order: Order, one: Winners, other: Winners) -> bool:
    """Return whether a voter with an order prefers one set of winners to another (Fishburn).

    Items in the one set only are better than common items, and these than items in the other only.
    """
    place = {item: at for at, item in enumerate(order)}
    parts = [[place[item] for item in part] for part in (one - other, one & other, other - one)]
    return one != other and all(
        max(first) < min(second) for first, second in combinations(parts, 2) if first and second
    )


@dataclass(frozen=True, kw_only=True)
class Reinforcement(Axiom):
    """The common winners of two electorates win in their union."""

    name = "reinforcement"
    definition = (
        "If two electorates have common winners, including tied ones, these and no others win in "
        "their union."
    )
    source = "Young (1975), https://doi.org/10.1137/0128067"

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        number = prod(count + 1 for _, count in ballots)
        if number > DIVISIONS:
            allowed = f"such that it divides into two in at most {DIVISIONS:,} ways"
            value = Described(counted(number, "way", ","))
            raise InvalidInputError("profile", allowed, value, "Take fewer ballots.")
        for taken in product(*(range(count + 1) for _, count in ballots)):
            rows = list(zip(ballots, taken, strict=True))
            one = Ballots((order, here) for (order, _), here in rows if here)
            other = Ballots((order, count - here) for (order, count), here in rows if count > here)
            if one and other and (one.size, one) <= (other.size, other):
                yield Case((ballots, one, other))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        one, other = map(outcomes.winners, case.ballots[1:])
        common = one & other
        if not common or (together := outcomes.winners(case.ballots[0])) == common:
            return None
        return (
            f"The common winners of the two parts are {outcomes.listed(common)}, and together "
            f"they choose {outcomes.listed(together)}."
        )


@dataclass(frozen=True, kw_only=True)
class RankingReinforcement(Reinforcement):
    """The common rankings of two electorates are the rankings of their union."""

    name = "reinforcement of rankings"
    definition = (
        "If two electorates have common strict rankings, these and no others are the rankings of "
        "their union. A ranking with ties counts as all strict ones that break them, and an exact "
        "rule has all its optima."
    )
    source = "Young and Levenglick (1978), https://doi.org/10.1137/0135023"
    most_items = 6

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        together, one, other = (_strict_orders(outcomes.rankings(part)) for part in case.ballots)
        common = one & other
        if not common or together == common:
            return None
        added = together - common
        if min(common) in together and added:
            more = outcomes.order_text(min(added))
            return f"Together they choose {more} too, which is not common to both parts."
        lost = outcomes.order_text(min(common - together))
        return f"Both parts choose {lost}, and together they do not."


@dataclass(frozen=True, kw_only=True)
class Participation(Axiom):
    """No voter gains by abstaining.

    References
    ----------
    Fishburn and Brams (1983), https://doi.org/10.2307/2689808;
    Moulin (1988), https://doi.org/10.1016/0022-0531(88)90253-0; for sets of winners
    Brandl, Brandt, Geist and Hofbauer (2019), Journal of Artificial Intelligence Research 66.
    """

    name = "participation"
    definition = (
        "No voter prefers the winners without their ballot to those with it; sets of tied winners "
        "are compared by Fishburn's extension."
    )
    source = "Moulin (1988), https://doi.org/10.1016/0022-0531(88)90253-0"

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        if ballots.size > 1:
            for order, _ in ballots:
                yield Case((ballots, ballots.without_ballot(order)))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        ((order,), _) = case.ballots[0].difference(case.ballots[1])
        present, absent = map(outcomes.winners, case.ballots)
        if not _prefers(order, absent, present):
            return None
        return (
            f"A voter with {outcomes.order_text(order)} abstains, and gets "
            f"{outcomes.listed(absent)} instead of {outcomes.listed(present)}."
        )


@dataclass(frozen=True, kw_only=True)
class Strategyproofness(Axiom):
    """No single voter gains by casting another ballot.

    References
    ----------
    Gibbard (1973), https://doi.org/10.2307/1914083; Satterthwaite (1975),
    https://doi.org/10.1016/0022-0531(75)90050-2; for sets of winners Gärdenfors (1976),
    https://doi.org/10.1016/0022-0531(76)90016-8.
    """

    name = "strategyproofness"
    definition = (
        "No single voter prefers the winners after a change of their own ballot; sets of tied "
        "winners are compared by Fishburn's extension."
    )
    source = "Gibbard (1973), https://doi.org/10.2307/1914083"
    most_items = 6

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        return (Case((ballots, changed)) for *_, changed in _each_change(ballots))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        old, new = _changed_ballot(*case.ballots)
        honest, other = map(outcomes.winners, case.ballots)
        if not _prefers(old, other, honest):
            return None
        return (
            f"1 voter with {outcomes.order_text(old)} casts {outcomes.order_text(new)}, and gets "
            f"{outcomes.listed(other)} instead of {outcomes.listed(honest)}."
        )
