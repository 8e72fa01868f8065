"""What a rule makes of ballots: who wins, and which rankings; asked once for each profile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, permutations, product
from typing import TypeAlias

from rankagg._typing import Label
from rankagg.aggregation import Aggregator, Consensus, Schulze, check_rule, strongest_paths
from rankagg.aggregation.ranked_pairs import RankedPairs, locked_paths
from rankagg.axioms.ballots import Ballots, Order, canonical, items_in, profile_of, relabelled, size
from rankagg.core import listed, shortened
from rankagg.exceptions import InvalidInputError

# How many outcomes are remembered at once; beyond, they are asked for again.
REMEMBERED = 200_000


def winners_of(consensus: Consensus) -> tuple[Label, ...]:
    """Return the winners as the authors of a rule define them."""
    optima = consensus.optima
    if optima is not None:
        return optima.winners()
    rule = consensus.rule
    locks = isinstance(rule, RankedPairs) and rule.tie_breaking == "together"
    if isinstance(rule, Schulze) or locks:
        votes = consensus.pairwise
        beats = locked_paths if locks else strongest_paths
        return votes.items.where(~beats(votes.scaled_wins - votes.scaled_wins.T).any(axis=0))
    buckets = consensus.ranking.buckets
    if not buckets:
        raise InvalidInputError("rule", "a rule that ranks some item", rule)
    return buckets[0]


Winners: TypeAlias = frozenset[int]
Buckets: TypeAlias = tuple[tuple[int, ...], ...]
Rankings: TypeAlias = frozenset[Buckets]


class NotNeutralError(Exception):
    """A rule took notice of names, so that profiles cannot stand for each other."""


def renamed(rankings: Rankings, names: Sequence[int]) -> Rankings:
    """Return rankings after item i became names[i]."""
    return frozenset(
        tuple(tuple(sorted([names[item] for item in bucket])) for bucket in ranking)
        for ranking in rankings
    )


def side(rankings: Rankings, first: int, second: int) -> int:
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


def strict_orders(rankings: Rankings) -> frozenset[Order]:
    """Return the strict orders that break the ties of rankings, in every way."""
    return frozenset(
        tuple(chain.from_iterable(parts))
        for ranking in rankings
        for parts in product(*map(permutations, ranking))
    )


def unsteady(rule: Aggregator) -> InvalidInputError:
    """Return the error of a rule that answers the same question in two ways."""
    allowed = "a rule that gives equal ballots the same outcome each time"
    remedy = "Random numbers come from the generator that it is given."
    return InvalidInputError("rule", allowed, rule, remedy)


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
        least, names = canonical(ballots)
        return renamed(self._remembered(least, ask, known), names)

    def _remembered(
        self, ballots: Ballots, ask: Callable[[Ballots], Rankings], known: dict[Ballots, Rankings]
    ) -> Rankings:
        if ballots not in known:
            found = ask(ballots)
            for names in self._other_names(ballots):
                if ask(relabelled(ballots, names)) != renamed(found, names):
                    raise NotNeutralError
            if len(known) >= REMEMBERED:
                known.clear()
            known[ballots] = found
        return known[ballots]

    def _other_names(self, ballots: Ballots) -> list[Order]:
        """Return the names under which neutrality is tried, with canonical ballots."""
        # Whoever breaks ties by name does so on as few ballots.
        if not self.neutral or size(ballots) > 3:
            return []
        items = items_in(ballots)
        return [items[::-1], (*items[1:], items[0])]

    def _ask_winners(self, ballots: Ballots) -> Rankings:
        return self._numbered(ballots, [(winners_of(self._ask(ballots)),)])

    def _ask_rankings(self, ballots: Ballots) -> Rankings:
        consensus = self._ask(ballots)
        rankings = [consensus.ranking] if consensus.optima is None else consensus.optima
        return self._numbered(ballots, (one.buckets for one in rankings))

    def _ask(self, ballots: Ballots) -> Consensus:
        self.before_asking()
        return self.rule.aggregate(profile_of(ballots, self.labels), rng=0)

    def _numbered(
        self, ballots: Ballots, rankings: Iterable[tuple[tuple[Label, ...], ...]]
    ) -> Rankings:
        number = {self.labels[item]: item for item in items_in(ballots)}
        return frozenset(
            tuple(tuple(sorted(number[label] for label in bucket)) for bucket in one)
            for one in rankings
        )
