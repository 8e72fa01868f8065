"""Anonymous profiles of complete strict orders as small values, and the outcomes of rules.

Items are numbers; a profile without some items keeps the numbers of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from rankagg._typing import Label
from rankagg.aggregation import Aggregator, Consensus, check_rule
from rankagg.core import ItemSet, Profile, listed, shortened
from rankagg.exceptions import Described, InvalidInputError

# The maximum number of cached outcomes.
CACHE_SIZE = 200_000
Order = tuple[int, ...]
Winners = frozenset[int]
Buckets = tuple[tuple[int, ...], ...]
Rankings = frozenset[Buckets]


class Ballots(tuple[tuple[Order, int], ...]):
    """Distinct orders, ascending, each with its number of ballots."""

    __slots__ = ()

    @classmethod
    def of(cls, orders: Iterable[Order] | Counter[Order]) -> Ballots:
        """Return the ballots of orders, or of counts of orders."""
        return cls(sorted(Counter(orders).items()))

    @classmethod
    def of_profile(cls, profile: Profile, items: ItemSet | None = None) -> Ballots:
        """Return the ballots of a profile of complete strict rankings without weights."""
        if not isinstance(profile, Profile):
            raise InvalidInputError("profile", "a Profile, as of `Profile.from_orders`", profile)
        if not (profile.is_complete and profile.is_strict):
            allowed = "of complete strict rankings, as axioms require"
            remedy = "`Profile.restrict` keeps items that all rankings have."
            raise InvalidInputError("profile", allowed, profile, remedy)
        if (profile.weights != 1).any():
            allowed, remedy = "without weights, as axioms count voters", "Use `counts` for voters."
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
    def reversed(self) -> Ballots:
        """The ballots, each from worst to best."""
        return Ballots(sorted((order[::-1], count) for order, count in self))

    def replace(self, old: Order, new: Order) -> Ballots:
        """Return the ballots with one ballot of an order replaced by another order."""
        return Ballots.of(Counter(dict(self)) - Counter([old]) + Counter([new]))

    def without_ballot(self, order: Order) -> Ballots:
        """Return the ballots without one ballot of an order."""
        return Ballots.of(Counter(dict(self)) - Counter([order]))

    def without_item(self, item: int) -> Ballots:
        """Return the ballots without an item."""
        counts: Counter[Order] = Counter()
        for order, count in self:
            counts[tuple(other for other in order if other != item)] += count
        return Ballots.of(counts)

    def difference(self, other: Ballots) -> tuple[Counter[Order], Counter[Order]]:
        """Return the additional ballots of this value, and those of the other."""
        mine, others = Counter(dict(self)), Counter(dict(other))
        return mine - others, others - mine

    def rename(self, names: Sequence[int] | dict[int, int]) -> Ballots:
        """Return the ballots with every item i replaced by names[i]."""
        rows = ((tuple([names[item] for item in order]), count) for order, count in self)
        return Ballots(sorted(rows))

    def profile(self, labels: Sequence[Label]) -> Profile:
        """Return the profile of ballots; `labels` has the label of each number."""
        items = self.items
        place = {item: at for at, item in enumerate(items)}
        ranks = np.empty((len(self), len(items)), dtype=np.int32)
        for row, (order, _) in enumerate(self):
            ranks[row, [place[item] for item in order]] = np.arange(1, len(order) + 1)
        return Profile.from_ranks(
            ranks, items=[labels[item] for item in items], counts=[count for _, count in self]
        )

    def text(self, labels: Sequence[Label]) -> str:
        """Return the ballots as text, the most frequent first."""
        return ", ".join(
            f"{count} x {' > '.join(shortened(labels[item]) for item in order)}"
            for order, count in sorted(self, key=lambda row: (-row[1], row[0]))
        )


def _canonical(ballots: Ballots) -> tuple[Ballots, Order]:
    """Return one profile for all that differ only in item names, and the original names.

    One of the most frequent orders becomes 0, 1, 2, ...; the least of the results is taken.
    """
    most = max(count for _, count in ballots)
    orders = (order for order, count in ballots if count == most)
    return min((ballots.rename({item: at for at, item in enumerate(o)}), o) for o in orders)


class NotNeutralError(Exception):
    """A rule depends on the names of items, so that each naming must be searched."""


def _rename(rankings: Rankings, names: Sequence[int]) -> Rankings:
    """Return rankings with every item i replaced by names[i]."""
    return frozenset(
        tuple(tuple(sorted([names[item] for item in bucket])) for bucket in ranking)
        for ranking in rankings
    )


class Outcomes:
    """Cached outcomes of one rule, with the seed 0 for random numbers."""

    def __init__(
        self,
        rule: Aggregator,
        labels: Sequence[Label],
        *,
        neutral: bool = False,
        before_call: Callable[[], None] = lambda: None,
    ) -> None:
        self.rule = check_rule(rule)
        self.labels = labels
        self.neutral = neutral
        self.before_call = before_call
        # Winners are cached as the only bucket of a ranking.
        self._winners: dict[Ballots, Rankings] = {}
        self._rankings: dict[Ballots, Rankings] = {}

    def listed(self, items: Iterable[int]) -> str:
        """Return the labels of items for a sentence."""
        return listed([self.labels[item] for item in sorted(items)])

    def order_text(self, order: Order) -> str:
        """Return an order for a sentence."""
        return " > ".join(shortened(self.labels[item]) for item in order)

    def winners(self, ballots: Ballots) -> Winners:
        """Return the winners."""
        ((bucket,),) = self._outcome(ballots, self._compute_winners, self._winners)
        return frozenset(bucket)

    def rankings(self, ballots: Ballots) -> Rankings:
        """Return the ranking, or all optimal rankings of an exact rule."""
        return self._outcome(ballots, self._compute_rankings, self._rankings)

    def _outcome(
        self,
        ballots: Ballots,
        compute: Callable[[Ballots], Rankings],
        cache: dict[Ballots, Rankings],
    ) -> Rankings:
        names: Sequence[int] = ()
        if self.neutral:
            ballots, names = _canonical(ballots)
        if ballots not in cache:
            outcome = compute(ballots)
            # A rule that breaks ties by name does so on at most three ballots.
            if self.neutral and ballots.size <= 3:
                items = ballots.items
                for others in (items[::-1], (*items[1:], items[0])):
                    if compute(ballots.rename(others)) != _rename(outcome, others):
                        raise NotNeutralError
            if len(cache) >= CACHE_SIZE:
                cache.clear()
            cache[ballots] = outcome
        return _rename(cache[ballots], names) if self.neutral else cache[ballots]

    def _compute_winners(self, ballots: Ballots) -> Rankings:
        winners = self._aggregate(ballots).winners
        if not winners:
            raise InvalidInputError("rule", "a rule that ranks some item", self.rule)
        return self._item_numbers(ballots, [(winners,)])

    def _compute_rankings(self, ballots: Ballots) -> Rankings:
        consensus = self._aggregate(ballots)
        rankings = [consensus.ranking] if consensus.optima is None else consensus.optima
        return self._item_numbers(ballots, (one.buckets for one in rankings))

    def _aggregate(self, ballots: Ballots) -> Consensus:
        self.before_call()
        return self.rule.aggregate(ballots.profile(self.labels), rng=0)

    def _item_numbers(
        self, ballots: Ballots, rankings: Iterable[tuple[tuple[Label, ...], ...]]
    ) -> Rankings:
        number = {self.labels[item]: item for item in ballots.items}
        return frozenset(
            tuple(tuple(sorted(number[label] for label in bucket)) for bucket in one)
            for one in rankings
        )
