"""Removals that change the exact Kemeny consensus: all of them where they are few, else a bound.

Items that stay below (or above) whatever is removed are left out first: where every item of a part
beats every item below by so many votes that no removal of the size turns a majority, the exact
consensus of all is that of the part, followed by that of the rest. Units are then removed that
speak against moving a rival up, one lot after the other, and the consensus is found again each
time: an upper bound. Where few choices are left below it, all are tried.

Deciding whether so many removals suffice is hard in general: Bartholdi, Tovey and Trick (1992),
doi:10.1016/0895-7177(92)90085-Y, for deleting voters; the fewest changes of ballots are the margin
of victory of Magrino, Rivest, Shen and Wagner (2011) and Xia (2012), doi:10.1145/2229012.2229086.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from logging import getLogger
from time import monotonic
from typing import cast

import numpy as np

from rankagg._typing import Bools, Integers, Integers64, Positions
from rankagg.aggregation import Deadline
from rankagg.aggregation.kemeny import Kemeny, Optima
from rankagg.analysis.removal.removal_units import (
    Bracket,
    Question,
    RemovalClasses,
    chosen,
    fewest,
)
from rankagg.analysis.removal.score_removals import Merged
from rankagg.core import ItemSet, PairwiseMatrix, exact
from rankagg.core.graphs import strong_parts
from rankagg.exceptions import OutOfTimeError

# So many choices are all tried.
SUBSETS = 2_000
# What is told on the way.
SECONDS_BETWEEN_LINES = 5.0


def search_orders(
    units: RemovalClasses, question: Question, bracket: Bracket, deadline: Deadline
) -> None:
    """Find removals that change the exact consensus, the fewest where all can be tried."""
    thresholds = _thresholds(units, deadline)
    bracket.raise_to(_joined_from(thresholds, question, bracket.total))
    if bracket.is_closed():
        return
    part = _near_tops(thresholds, question, bracket.upper - 1)
    _approach(_Contest(units, question, part, bracket, deadline))
    # The fewer are left to be tried, the fewer items are near.
    part = _near_tops(thresholds, question, bracket.upper - 1)
    contest = _Contest(units, question, part, bracket, deadline)
    if not bracket.is_closed() and _n_tries(contest.merged.counts, bracket) <= SUBSETS:
        _try_all(contest)


@dataclass(frozen=True, eq=False)
class _Contest:
    """A question about some of the items, which stand together whatever is removed."""

    units: RemovalClasses
    question: Question
    # Shape (s,). Positions of the items.
    part: Positions
    bracket: Bracket
    deadline: Deadline

    @cached_property
    def merged(self) -> Merged:
        """Leads of row over column, shape (k, s * s), and how many units have these."""
        leads = [self.units.leads(item, self.part) for item in self.part.tolist()]
        return Merged(cast(Integers, np.concatenate(leads, axis=1)), self.units.counts)

    def leads(self, rows: Positions, columns: Positions) -> Integers:
        """Return the leads of one unit of each class, added up over pairs."""
        cells: Integers = self.merged.gains[:, rows * len(self.part) + columns].astype(object)
        return exact.fit(cells.sum(axis=1))

    def solved(self, removed: Integers64) -> tuple[Positions, Optima]:
        """Return an optimum, and all, without so many units of each merged class.

        Items are positions of `part`.
        """
        self.deadline.seconds_left()
        now, bracket = monotonic(), self.bracket
        if now - bracket.told >= SECONDS_BETWEEN_LINES:
            bracket.told = now
            told = "%d to %d of %d have to go"
            getLogger("rankagg.kemeny").info(told, bracket.lower, bracket.upper, bracket.total)
        sums = exact.integer_product(self.merged.counts - removed, self.merged.gains)
        wins = np.maximum(sums, 0).reshape(len(self.part), -1)
        votes = PairwiseMatrix.from_wins(wins, items=ItemSet(range(len(self.part))))
        found = Kemeny().solve(votes, deadline=self.deadline)
        if found.interrupted:
            raise KeyboardInterrupt  # it stops all of it
        assert found.certificate is not None, "an exact rule has a certificate"
        if found.certificate.status != "optimal":
            raise OutOfTimeError
        assert isinstance(found.optima, Optima), "a strict exact rule knows its optima"
        assert found.ranking is not None, "an exact rule has a ranking"
        return np.array(found.ranking.order), found.optima._until(self.deadline)

    @cached_property
    def _sides(self) -> tuple[list[int], list[int]]:
        """Where the tops and the rivals are in the part."""
        tops, rivals = (
            np.flatnonzero(np.isin(self.part, some)).tolist()
            for some in (self.question.tops, self.question.rivals)
        )
        return tops, rivals

    def is_changed(self, optima: Optima) -> bool:
        """Say whether optima answer the question."""
        tops, rivals = self._sides
        if self.question.is_pair:
            above = optima.relation()
            (top,), (rival,) = tops, rivals
            return bool(above[rival, top] if self.question.strict else not above[top, rival])
        winners = optima.winners()
        if self.question.strict:
            return not set(tops) & set(winners)
        return bool(set(rivals) & set(winners))

    def moves(self, order: Positions) -> Iterator[tuple[Positions, Positions]]:
        """Yield pairs that turn round if a rival is moved above all tops, or a top below it.

        Nothing is yielded for rivals that are above them in the order.
        """
        place = np.argsort(order)
        tops, rivals = self._sides
        for rival in rivals:
            first = int(place[tops[0]]) if self.question.is_pair else 0
            between = order[first : int(place[rival]) + 1]
            if len(between) > 1:
                yield between[:-1], np.full(len(between) - 1, between[-1])
                if self.question.is_pair:
                    yield np.full(len(between) - 1, between[0]), between[1:]

    def keeps(self, order: Positions) -> bool:
        """Say whether a top is first in an order, or above the rival."""
        place = np.argsort(order)
        tops, rivals = self._sides
        return bool(place[tops].min() < place[rivals].min())


def _approach(contest: _Contest) -> None:
    """Remove what speaks against the move that takes the fewest, until the answer is another."""
    counts = contest.merged.counts
    removed = np.zeros(len(counts), dtype=np.int64)
    order, optima = contest.solved(removed)
    while not contest.is_changed(optima):
        left = counts - removed
        best: tuple[int, Integers] | None = None
        for pair in contest.moves(order):
            gains = contest.leads(*pair)
            target = int(exact.integer_product(left, gains)) + int(contest.question.strict)
            number = int(fewest(np.array([max(target, 1)]), gains[:, None], left)[0])
            if best is None or number < best[0]:
                best = number, gains
        room = contest.bracket.upper - 1 - int(removed.sum())
        if best is None or not room:
            return
        # Half of it: the order may be another by then.
        removed = removed + chosen(min(-(-best[0] // 2), room), best[1], left)
        found, optima = contest.solved(removed)
        order = found if contest.keeps(found) else order
    for k in np.flatnonzero(removed).tolist():
        # As many of each class as are not needed are put back.
        needed, spare = int(removed[k]), int(removed[k])
        while spare:
            fewer = removed.copy()
            fewer[k] = max(needed - spare, 0)
            if contest.is_changed(contest.solved(fewer)[1]):
                removed, needed = fewer, int(fewer[k])
                spare = min(spare, needed)
            else:
                spare //= 2
    contest.bracket.offer(contest.merged.spread(removed))


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


def _try_all(contest: _Contest) -> None:
    """Solve without every set of units, the small ones first."""
    counts, bracket = contest.merged.counts.tolist(), contest.bracket
    for size in range(bracket.lower, bracket.upper):
        for some in _removals(counts, size):
            removed = np.array(some, dtype=np.int64)
            if contest.is_changed(contest.solved(removed)[1]):
                bracket.offer(contest.merged.spread(removed))
                return
        bracket.raise_to(size + 1)


# -- what no removal of a size can change ---------------------------------------------------------


def _thresholds(units: RemovalClasses, deadline: Deadline) -> Integers64:
    """Return how many removals it takes that row has no majority over column any longer."""
    n = len(units.items)
    found = np.zeros((n, n), dtype=np.int64)
    for item in range(n):
        deadline.seconds_left()
        others = np.delete(np.arange(n), item)
        leads = units.leads(item, others)
        margins = exact.integer_product(units.counts, leads)
        found[item, others] = fewest(margins, leads, units.counts)
    return found


def _near_tops(thresholds: Integers64, question: Question, size: int) -> Positions:
    """Return the items that may stand with the tops once so many units are removed."""
    # Column may be level with row, or ahead of it.
    behind: Bools = thresholds.T <= size  # noqa: SIM300
    parts = strong_parts(behind)
    return np.flatnonzero(parts == parts[question.tops[0]])


def _joined_from(thresholds: Integers64, question: Question, total: int) -> int:
    """Return with how many removals some rival may stand with the tops."""
    sizes = np.unique(thresholds[thresholds < total]).tolist()

    def has_rivals(size: int) -> bool:
        return bool(np.isin(_near_tops(thresholds, question, size), question.rivals).any())

    at = bisect_left(sizes, True, key=has_rivals)
    return sizes[at] if at < len(sizes) else total
