"""Anonymous profiles of complete strict orders as small values, and what a rule makes of them.

Items are numbers; a profile without some of them keeps the numbers of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, permutations, product
from typing import TypeAlias

import numpy as np

from rankagg._typing import Label
from rankagg.aggregation import Aggregator, Consensus, Schulze, check_rule, strongest_paths
from rankagg.aggregation.ranked_pairs import RankedPairs, locked_paths
from rankagg.core import ItemSet, Profile, listed, shortened
from rankagg.exceptions import Described, InvalidInputError

# How many outcomes are remembered at once; beyond, they are asked for again.
REMEMBERED = 200_000
Order: TypeAlias = tuple[int, ...]
#: Each order once, ascending, with how often it was cast.
Ballots: TypeAlias = tuple[tuple[Order, int], ...]
Winners: TypeAlias = frozenset[int]
Buckets: TypeAlias = tuple[tuple[int, ...], ...]
Rankings: TypeAlias = frozenset[Buckets]


def _counted_ballots(counts: Counter[Order]) -> Ballots:
    """Return what counts of orders are."""
    return tuple(sorted((order, count) for order, count in counts.items() if count))


def tallied(orders: Iterable[Order]) -> Ballots:
    """Return the ballots of orders, equal ones together."""
    return _counted_ballots(Counter(orders))


def size(ballots: Ballots) -> int:
    """Return the number of ballots."""
    return sum(count for _, count in ballots)


def items_in(ballots: Ballots) -> Order:
    """Return the numbers of the items, ascending."""
    return tuple(sorted(ballots[0][0]))


def replaced(ballots: Ballots, old: Order, new: Order) -> Ballots:
    """Return the ballots with one ballot of an order replaced by another order."""
    return _counted_ballots(Counter(dict(fewer(ballots, old))) + Counter([new]))


def fewer(ballots: Ballots, old: Order, copies: int = 1) -> Ballots:
    """Return the ballots without some copies of one order."""
    counts = Counter(dict(ballots))
    counts[old] -= copies
    return _counted_ballots(counts)


def without_item(ballots: Ballots, item: int) -> Ballots:
    """Return the ballots from which an item was struck."""
    counts: Counter[Order] = Counter()
    for order, count in ballots:
        counts[tuple(other for other in order if other != item)] += count
    return _counted_ballots(counts)


def turned_round(ballots: Ballots) -> Ballots:
    """Return the ballots, each from worst to best."""
    return tuple(sorted((order[::-1], count) for order, count in ballots))


def difference(first: Ballots, second: Ballots) -> tuple[Counter[Order], Counter[Order]]:
    """Return which ballots the first has more of, and which the second."""
    one, other = Counter(dict(first)), Counter(dict(second))
    return one - other, other - one


def _relabelled(ballots: Ballots, names: Sequence[int] | dict[int, int]) -> Ballots:
    """Return the ballots after every item i became names[i]."""
    return tuple(
        sorted((tuple([names[item] for item in order]), count) for order, count in ballots)
    )


def _canonical(ballots: Ballots) -> tuple[Ballots, Order]:
    """Return one profile for all that differ in the names of items, and who has which name there.

    One of the orders cast most often becomes 0, 1, 2, ...; of what follows the least is taken.
    """
    most = max(count for _, count in ballots)
    best: Ballots | None = None
    names: Order = ()
    for order, count in ballots:
        if count != most:
            continue
        place = {item: at for at, item in enumerate(order)}
        here = _relabelled(ballots, place)
        if best is None or here < best:
            best, names = here, order
    assert best is not None, "there are ballots"
    return best, names


def ballots_of(profile: Profile, items: ItemSet | None = None) -> Ballots:
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
    return _counted_ballots(counts)


def profile_of(ballots: Ballots, labels: Sequence[Label]) -> Profile:
    """Return the profile of ballots; `labels` has the label of each number."""
    inside = items_in(ballots)
    place = {item: at for at, item in enumerate(inside)}
    ranks = np.empty((len(ballots), len(inside)), dtype=np.int32)
    for row, (order, _) in enumerate(ballots):
        ranks[row, [place[item] for item in order]] = np.arange(len(order))
    return Profile.from_ranks(
        ranks, items=[labels[item] for item in inside], counts=[count for _, count in ballots]
    )


def written(ballots: Ballots, labels: Sequence[Label]) -> str:
    """Return the ballots as text, those cast most often first."""
    rows = sorted(ballots, key=lambda row: (-row[1], row[0]))
    return ", ".join(
        f"{count} x {' > '.join(shortened(labels[item]) for item in order)}"
        for order, count in rows
    )


def _winners_of(consensus: Consensus) -> tuple[Label, ...]:
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


class NotNeutralError(Exception):
    """A rule took notice of names, so that profiles cannot stand for each other."""


def _renamed(rankings: Rankings, names: Sequence[int]) -> Rankings:
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
        least, names = _canonical(ballots)
        return _renamed(self._remembered(least, ask, known), names)

    def _remembered(
        self, ballots: Ballots, ask: Callable[[Ballots], Rankings], known: dict[Ballots, Rankings]
    ) -> Rankings:
        if ballots not in known:
            found = ask(ballots)
            for names in self._other_names(ballots):
                if ask(_relabelled(ballots, names)) != _renamed(found, names):
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
        return self._numbered(ballots, [(_winners_of(self._ask(ballots)),)])

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
