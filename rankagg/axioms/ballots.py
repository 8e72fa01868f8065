"""Anonymous profiles of complete strict orders as small values, and what a rule makes of them.

Items are numbers; a profile without some of them keeps the numbers of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np

from rankagg._typing import Label
from rankagg.aggregation import Aggregator, Consensus, check_rule
from rankagg.core import ItemSet, Profile, listed, shortened
from rankagg.exceptions import Described, InvalidInputError

# How many outcomes are remembered at once; beyond, they are asked for again.
REMEMBERED = 200_000
Order: TypeAlias = tuple[int, ...]
Winners: TypeAlias = frozenset[int]
Buckets: TypeAlias = tuple[tuple[int, ...], ...]
Rankings: TypeAlias = frozenset[Buckets]


class Ballots(tuple[tuple[Order, int], ...]):
    """Each order once, ascending, with how often it was cast."""

    __slots__ = ()

    @classmethod
    def of(cls, orders: Iterable[Order] | Counter[Order]) -> Ballots:
        """Return the ballots of orders, equal ones together, or of counts of them."""
        counts = Counter(orders)
        return cls(sorted((order, count) for order, count in counts.items() if count))

    @classmethod
    def of_profile(cls, profile: Profile, items: ItemSet | None = None) -> Ballots:
        """Return what a profile of complete strict rankings without weights is."""
        if not isinstance(profile, Profile):
            raise InvalidInputError("profile", "a Profile, as of `Profile.from_orders`", profile)
        if not (profile.is_complete and profile.is_strict):
            allowed = "of complete strict rankings, of which axioms speak"
            remedy = "`Profile.restrict` takes items that all rankings have."
            raise InvalidInputError("profile", allowed, profile, remedy)
        if (profile.weights != 1).any():
            allowed, remedy = "without weights, as axioms count voters", "Voters are `counts`."
            raise InvalidInputError("profile", allowed, Described("weights"), remedy)
        numbers = np.arange(profile.n_items)
        if items is not None:
            numbers = np.array(items.indices(profile.items))
        orders = numbers[np.argsort(profile.ranks, axis=1)]
        counts: Counter[Order] = Counter()
        for order, count in zip(orders.tolist(), profile.counts.tolist(), strict=True):
            counts[tuple(order)] += count
        return cls.of(counts)

    @property
    def size(self) -> int:
        """The number of ballots."""
        return sum(count for _, count in self)

    @property
    def items(self) -> Order:
        """The numbers of the items, ascending."""
        return tuple(sorted(self[0][0]))

    @property
    def turned_round(self) -> Ballots:
        """The ballots, each from worst to best."""
        return Ballots(sorted((order[::-1], count) for order, count in self))

    def replaced(self, old: Order, new: Order) -> Ballots:
        """Return the ballots with one ballot of an order replaced by another order."""
        return Ballots.of(Counter(dict(self.fewer(old))) + Counter([new]))

    def fewer(self, old: Order) -> Ballots:
        """Return the ballots without one of an order."""
        counts = Counter(dict(self))
        counts[old] -= 1
        return Ballots.of(counts)

    def without(self, item: int) -> Ballots:
        """Return the ballots from which an item was struck."""
        counts: Counter[Order] = Counter()
        for order, count in self:
            counts[tuple(other for other in order if other != item)] += count
        return Ballots.of(counts)

    def difference(self, other: Ballots) -> tuple[Counter[Order], Counter[Order]]:
        """Return which ballots these have more of, and which the others."""
        mine, others = Counter(dict(self)), Counter(dict(other))
        return mine - others, others - mine

    def renamed(self, names: Sequence[int] | dict[int, int]) -> Ballots:
        """Return the ballots after every item i became names[i]."""
        rows = ((tuple([names[item] for item in order]), count) for order, count in self)
        return Ballots(sorted(rows))

    def profile(self, labels: Sequence[Label]) -> Profile:
        """Return the profile of ballots; `labels` has the label of each number."""
        inside = self.items
        place = {item: at for at, item in enumerate(inside)}
        ranks = np.empty((len(self), len(inside)), dtype=np.int32)
        for row, (order, _) in enumerate(self):
            ranks[row, [place[item] for item in order]] = np.arange(len(order))
        return Profile.from_ranks(
            ranks, items=[labels[item] for item in inside], counts=[count for _, count in self]
        )

    def text(self, labels: Sequence[Label]) -> str:
        """Return the ballots as text, those cast most often first."""
        rows = sorted(self, key=lambda row: (-row[1], row[0]))
        return ", ".join(
            f"{count} x {' > '.join(shortened(labels[item]) for item in order)}"
            for order, count in rows
        )


def _canonical(ballots: Ballots) -> tuple[Ballots, Order]:
    """Return one profile for all that differ in the names of items, and who has which name there.

    One of the orders cast most often becomes 0, 1, 2, ...; of what follows the least is taken.
    """
    most = max(count for _, count in ballots)
    orders = (order for order, count in ballots if count == most)
    return min((ballots.renamed({item: at for at, item in enumerate(o)}), o) for o in orders)


class NotNeutralError(Exception):
    """A rule took notice of names, so that profiles cannot stand for each other."""


def _renamed(rankings: Rankings, names: Sequence[int]) -> Rankings:
    """Return rankings after item i became names[i]."""
    return frozenset(
        tuple(tuple(sorted([names[item] for item in bucket])) for bucket in ranking)
        for ranking in rankings
    )


class Outcomes:
    """The outcomes of one rule; not a value, as it remembers.

    Random numbers come from the seed 0.
    """

    def __init__(
        self,
        rule: Aggregator,
        labels: Sequence[Label],
        *,
        neutral: bool = False,
        before_asking: Callable[[], None] = lambda: None,
    ) -> None:
        self.rule = check_rule(rule)
        self.labels = labels
        self.neutral = neutral
        self.before_asking = before_asking
        # Winners are remembered as the only bucket of a ranking.
        self._winners: dict[Ballots, Rankings] = {}
        self._rankings: dict[Ballots, Rankings] = {}

    def listed(self, items: Iterable[int]) -> str:
        """Return the labels of items in a sentence."""
        return listed([self.labels[item] for item in sorted(items)])

    def arrows(self, order: Order) -> str:
        """Return an order in a sentence."""
        return " > ".join(shortened(self.labels[item]) for item in order)

    def winners(self, ballots: Ballots) -> Winners:
        """Return who wins."""
        ((bucket,),) = self._outcome(ballots, self._ask_winners, self._winners)
        return frozenset(bucket)

    def rankings(self, ballots: Ballots) -> Rankings:
        """Return the ranking, or all optimal ones of an exact rule."""
        return self._outcome(ballots, self._ask_rankings, self._rankings)

    def _outcome(
        self, ballots: Ballots, ask: Callable[[Ballots], Rankings], known: dict[Ballots, Rankings]
    ) -> Rankings:
        if not self.neutral:
            return self._remembered(ballots, ask, known)
        least, names = _canonical(ballots)
        return _renamed(self._remembered(least, ask, known), names)

    def _remembered(
        self, ballots: Ballots, ask: Callable[[Ballots], Rankings], known: dict[Ballots, Rankings]
    ) -> Rankings:
        if ballots not in known:
            found = ask(ballots)
            for names in self._other_names(ballots):
                if ask(ballots.renamed(names)) != _renamed(found, names):
                    raise NotNeutralError
            if len(known) >= REMEMBERED:
                known.clear()
            known[ballots] = found
        return known[ballots]

    def _other_names(self, ballots: Ballots) -> list[Order]:
        """Return the names under which neutrality is tried, with canonical ballots."""
        # Whoever breaks ties by name does so on as few ballots.
        if not self.neutral or ballots.size > 3:
            return []
        items = ballots.items
        return [items[::-1], (*items[1:], items[0])]

    def _ask_winners(self, ballots: Ballots) -> Rankings:
        winners = self._ask(ballots).winners
        if not winners:
            raise InvalidInputError("rule", "a rule that ranks some item", self.rule)
        return self._numbered(ballots, [(winners,)])

    def _ask_rankings(self, ballots: Ballots) -> Rankings:
        consensus = self._ask(ballots)
        rankings = [consensus.ranking] if consensus.optima is None else consensus.optima
        return self._numbered(ballots, (one.buckets for one in rankings))

    def _ask(self, ballots: Ballots) -> Consensus:
        self.before_asking()
        return self.rule.aggregate(ballots.profile(self.labels), rng=0)

    def _numbered(
        self, ballots: Ballots, rankings: Iterable[tuple[tuple[Label, ...], ...]]
    ) -> Rankings:
        number = {self.labels[item]: item for item in ballots.items}
        return frozenset(
            tuple(tuple(sorted(number[label] for label in bucket)) for bucket in one)
            for one in rankings
        )
