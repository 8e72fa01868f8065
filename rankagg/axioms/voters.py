"""Axioms about ballots and voters: a ballot that changes, voters who come, stay away or part."""

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

# How many divisions of one electorate are looked at.
DIVISIONS = 100_000


def _common_side(rankings: Rankings, first: int, second: int) -> int:
    """Return 1 or -1 where every ranking has the first item above or below, and else 0."""
    signs = {_side(ranking, first, second) for ranking in rankings}
    return signs.pop() if len(signs) == 1 else 0


def _side(ranking: Buckets, first: int, second: int) -> int:
    for bucket in ranking:
        if first in bucket:
            return 0 if second in bucket else 1
        if second in bucket:
            return -1
    return 0


def _strict_orders(rankings: Rankings) -> frozenset[Order]:
    """Return the strict orders that break the ties of rankings, in every way."""
    return frozenset(
        tuple(chain.from_iterable(parts))
        for ranking in rankings
        for parts in product(*map(permutations, ranking))
    )


def _swapped(order: Order, upper: int) -> Order:
    """Return an order after the items at two successive ranks changed places."""
    return (*order[:upper], order[upper + 1], order[upper], *order[upper + 2 :])


def _changed_ballot(before: Ballots, after: Ballots) -> tuple[Order, Order]:
    """Return which order became which on how many ballots."""
    gone, come = before.difference(after)
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
                    changed = ballots.replaced(order, _swapped(order, upper))
                    yield Case((ballots, changed), (item,))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        before, after = case.ballots
        kept = frozenset(case.items)
        if not kept <= outcomes.winners(before) or kept <= outcomes.winners(after):
            return None
        old, new = _changed_ballot(before, after)
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
        if len(winners) == 1 and len(ballots.items) > 1:
            yield Case((ballots, ballots.turned_round), tuple(winners))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        before, after = map(outcomes.winners, case.ballots)
        if before != frozenset(case.items) or not before <= after:
            return None
        item = outcomes.listed(before)
        return f"{item} wins alone, and wins after every ballot is turned round."


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
        pairs = list(combinations(ballots.items, 2))
        for order, _ in ballots:
            for other in permutations(sorted(order)):
                if other == order:
                    continue
                changed = ballots.replaced(order, other)
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
            f"One ballot {outcomes.arrows(old)} becomes {outcomes.arrows(new)}, with {first} and "
            f"{second} in the same order, and {signs[before]} becomes {signs[after]}."
        )


def _prefers(order: Order, one: Winners, other: Winners) -> bool:
    """Say whether a voter with an order prefers one set of winners to another (Fishburn).

    What only the one has is better than what both have, and that than what only the other has.
    """
    place = {item: at for at, item in enumerate(order)}
    parts = [[place[item] for item in part] for part in (one - other, one & other, other - one)]
    return one != other and all(
        max(first) < min(second) for first, second in combinations(parts, 2) if first and second
    )


@dataclass(frozen=True, kw_only=True)
class Reinforcement(Axiom):
    """What two electorates both choose is what they choose together."""

    name = "reinforcement"
    definition = (
        "Where two electorates have winners in common, tied ones counted, these and no others win "
        "in both together."
    )
    source = "Young (1975), https://doi.org/10.1137/0128067"

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        number = prod(count + 1 for _, count in ballots)
        if number > DIVISIONS:
            allowed = f"such that it divides into two in at most {DIVISIONS:,} ways"
            ways = Described(counted(number, "way", ","))
            raise InvalidInputError("profile", allowed, ways, "Take fewer ballots.")
        for taken in product(*(range(count + 1) for _, count in ballots)):
            rows = list(zip(ballots, taken, strict=True))
            one = Ballots((order, here) for (order, _), here in rows if here)
            other = Ballots((order, count - here) for (order, count), here in rows if count > here)
            if one and other and (one.size, one) <= (other.size, other):
                yield Case((ballots, one, other))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        one, other = map(outcomes.winners, case.ballots[1:])
        common = one & other
        if not common or (whole := outcomes.winners(case.ballots[0])) == common:
            return None
        return (
            f"The two parts have {outcomes.listed(common)} in common among their winners, and "
            f"together they choose {outcomes.listed(whole)}."
        )


@dataclass(frozen=True, kw_only=True)
class RankingReinforcement(Reinforcement):
    """A ranking that two electorates both choose is what they choose together."""

    name = "reinforcement of rankings"
    definition = (
        "Where two electorates have strict rankings in common, these and no others are those of "
        "both together; a ranking with ties stands for all that break them, and an exact rule has "
        "all its optima."
    )
    source = "Young and Levenglick (1978), https://doi.org/10.1137/0135023"
    most_items = 6

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        whole, one, other = (_strict_orders(outcomes.rankings(part)) for part in case.ballots)
        common = one & other
        if not common or whole == common:
            return None
        added = whole - common
        if min(common) in whole and added:
            more = outcomes.arrows(min(added))
            return f"Together they choose {more} too, which is not common to both parts."
        lost = outcomes.arrows(min(common - whole))
        return f"Both parts choose {lost}, and together they do not."


@dataclass(frozen=True, kw_only=True)
class Participation(Axiom):
    """No voter does better by staying away.

    References
    ----------
    Fishburn and Brams (1983), https://doi.org/10.2307/2689808;
    Moulin (1988), https://doi.org/10.1016/0022-0531(88)90253-0; for sets of winners
    Brandl, Brandt, Geist and Hofbauer (2019), Journal of Artificial Intelligence Research 66.
    """

    name = "participation"
    definition = (
        "No voter prefers the winners without the own ballot to those with it; sets of tied "
        "winners are compared by Fishburn's extension."
    )
    source = "Moulin (1988), https://doi.org/10.1016/0022-0531(88)90253-0"

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        if ballots.size > 1:
            for order, _ in ballots:
                yield Case((ballots, ballots.fewer(order)))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        ((order,), _) = case.ballots[0].difference(case.ballots[1])
        present, absent = map(outcomes.winners, case.ballots)
        if not _prefers(order, absent, present):
            return None
        return (
            f"A voter with {outcomes.arrows(order)} stays away, and gets "
            f"{outcomes.listed(absent)} in place of {outcomes.listed(present)}."
        )


@dataclass(frozen=True, kw_only=True)
class Strategyproofness(Axiom):
    """No single voter does better by casting another ballot.

    References
    ----------
    Gibbard (1973), https://doi.org/10.2307/1914083; Satterthwaite (1975),
    https://doi.org/10.1016/0022-0531(75)90050-2; for sets of winners Gärdenfors (1976),
    https://doi.org/10.1016/0022-0531(76)90016-8.
    """

    name = "strategyproofness"
    definition = (
        "No single voter prefers the winners that there are once the own ballot is another; sets "
        "of tied winners are compared by Fishburn's extension."
    )
    source = "Gibbard (1973), https://doi.org/10.2307/1914083"
    most_items = 6

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        for order, _ in ballots:
            for other in permutations(sorted(order)):
                if other != order:
                    yield Case((ballots, ballots.replaced(order, other)))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        old, new = _changed_ballot(*case.ballots)
        honest, other = map(outcomes.winners, case.ballots)
        if not _prefers(old, other, honest):
            return None
        return (
            f"1 voter with {outcomes.arrows(old)} casts {outcomes.arrows(new)}, and gets "
            f"{outcomes.listed(other)} in place of {outcomes.listed(honest)}."
        )
