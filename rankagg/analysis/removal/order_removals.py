"""Removals that change the exact Kemeny consensus: all of them where they are few, else a bound.

Units are removed that speak against moving a rival up, one lot after the other, and what is left
is solved again each time: an upper bound. Where few choices are left below it, all are tried. No
fewer removals do it than turn the majorities that keep the rivals in parts below the tops.

Deciding whether so many removals suffice is hard in general: Bartholdi, Tovey and Trick (1992),
doi:10.1016/0895-7177(92)90085-Y, for deleting voters; the fewest changes of ballots are the margin
of victory of Magrino, Rivest, Shen and Wagner (2011) and Xia (2012), doi:10.1145/2229012.2229086.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

import numpy as np

from rankagg._typing import Bools, Integers, Integers64, Positions, Ranks
from rankagg.aggregation import Deadline
from rankagg.analysis.removal.removal_units import (
    Bracket,
    Question,
    RemovalClasses,
    Searched,
    chosen,
    fewest,
)
from rankagg.core import exact
from rankagg.core.graphs import strong_parts

# So many choices are all tried.
SUBSETS = 2_000


def search_orders(
    searched: Searched, question: Question, bracket: Bracket, deadline: Deadline
) -> None:
    """Find removals that change the exact consensus, the fewest where all can be tried."""
    bracket.raise_to(_joined_from(searched.units, question, deadline))
    if not bracket.is_closed():
        _approach(searched, question, bracket, deadline)
    counts = searched.units.counts
    if bracket.is_closed() or _n_tries(counts, bracket) > SUBSETS:
        return
    for size in range(bracket.lower, bracket.upper):
        for some in _removals(counts.tolist(), size):
            removed = np.array(some, dtype=np.int64)
            if searched.without(removed, question, bracket, deadline)[1]:
                bracket.offer(removed)
                return
        bracket.raise_to(size + 1)


def _approach(searched: Searched, question: Question, bracket: Bracket, deadline: Deadline) -> None:
    """Remove what speaks against the move that takes the fewest, until the answer is another."""
    counts = searched.units.counts
    removed = np.zeros(len(counts), dtype=np.int64)
    ranks, is_changed = searched.without(removed, question, bracket, deadline)
    while not is_changed:
        left = counts - removed
        best: tuple[int, Integers] | None = None
        for item, others, sign in _moves(ranks, question):
            gains = exact.fit(searched.units.leads(item, others).astype(object).sum(axis=1) * sign)
            target = int(exact.integer_product(left, gains)) + int(question.strict)
            number = int(fewest(np.array([max(target, 1)]), gains[:, None], left)[0])
            if best is None or number < best[0]:
                best = number, gains
        room = bracket.upper - 1 - int(removed.sum())
        if best is None or not room:
            return
        # Half of it: the order may be another by then.
        removed = removed + chosen(min(-(-best[0] // 2), room), best[1], left)
        found, is_changed = searched.without(removed, question, bracket, deadline)
        if found[list(question.tops)].min() < found[list(question.rivals)].min():
            ranks = found
    for k in np.flatnonzero(removed).tolist():
        # As many of each class as are not needed are put back.
        needed, spare = int(removed[k]), int(removed[k])
        while spare:
            fewer = removed.copy()
            fewer[k] = max(needed - spare, 0)
            if searched.without(fewer, question, bracket, deadline)[1]:
                removed, needed = fewer, int(fewer[k])
                spare = min(spare, needed)
            else:
                spare //= 2
    bracket.offer(removed)


def _moves(ranks: Ranks, question: Question) -> Iterator[tuple[int, Positions, int]]:
    """Yield an item, others, and 1 or -1: moved below, or above, all of them it changes the answer.

    A rival goes above all tops, or the top of a pair below it. Nothing is yielded for rivals that
    are above them already.
    """
    order = np.argsort(ranks)
    first = int(ranks[question.tops[0]]) if question.is_pair else 0
    for rival in question.rivals:
        between = order[first : int(ranks[rival]) + 1]
        if len(between) > 1:
            yield rival, between[:-1], -1
            if question.is_pair:
                yield int(between[0]), between[1:], 1


def _n_tries(counts: Integers64, bracket: Bracket) -> int:
    """Return how many choices of units are smaller than the best, or more than `SUBSETS`."""
    most = bracket.upper - 1
    if most > SUBSETS:
        return SUBSETS + 1
    ways = [1] + [0] * most
    for count in counts.tolist():
        sums = [0, *accumulate(ways)]
        ways = [sums[k + 1] - sums[max(k - count, 0)] for k in range(most + 1)]
    return min(sum(ways[bracket.lower :]), SUBSETS + 1)


def _removals(counts: list[int], size: int) -> Iterator[list[int]]:
    """Yield all ways to choose so many units of classes."""
    if not counts:
        if not size:
            yield []
        return
    rest = sum(counts[1:])
    for many in range(max(size - rest, 0), min(counts[0], size) + 1):
        yield from ([many, *others] for others in _removals(counts[1:], size - many))


def _joined_from(units: RemovalClasses, question: Question, deadline: Deadline) -> int:
    """Return with how many removals some rival may stand in one part with the tops.

    Where every item of a part beats every item below by so many votes that no removal of the size
    turns a majority, the exact consensus of all is that of the part, followed by that of the rest.
    """
    n = len(units.items)
    # How many removals it takes that row has no majority over column any longer.
    needed = np.zeros((n, n), dtype=np.int64)
    for item in range(n):
        deadline.seconds_left()
        others = np.delete(np.arange(n), item)
        leads = units.leads(item, others)
        margins = exact.integer_product(units.counts, leads)
        needed[item, others] = fewest(margins, leads, units.counts)
    sizes = np.unique(needed[needed < units.total]).tolist()

    def has_rivals(size: int) -> bool:
        behind: Bools = needed.T <= size  # noqa: SIM300
        parts = strong_parts(behind)
        return bool((parts[list(question.rivals)] == parts[question.tops[0]]).any())

    at = bisect_left(sizes, True, key=has_rivals)
    return sizes[at] if at < len(sizes) else units.total
