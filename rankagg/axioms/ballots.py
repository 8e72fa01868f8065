"""Anonymous profiles of complete strict orders, as small values that can be changed and compared.

Items are numbers; a profile without some of them keeps the numbers of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from rankagg._typing import Label
from rankagg.core import ItemSet, Profile, shortened
from rankagg.exceptions import Described, InvalidInputError

Order: TypeAlias = tuple[int, ...]
#: Each order once, ascending, with how often it was cast.
Ballots: TypeAlias = tuple[tuple[Order, int], ...]


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


def relabelled(ballots: Ballots, names: Sequence[int] | dict[int, int]) -> Ballots:
    """Return the ballots after every item i became names[i]."""
    return tuple(
        sorted((tuple([names[item] for item in order]), count) for order, count in ballots)
    )


def canonical(ballots: Ballots) -> tuple[Ballots, Order]:
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
        here = relabelled(ballots, place)
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
