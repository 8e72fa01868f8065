"""Fewest removals that change a result: sums, majorities, and the exact consensus.

Sums (Borda, mean scores) are exact, by sorting.

For Copeland and Kemeny, units that vote against moving a rival up are removed in batches, and the
rest is aggregated again each time: an upper bound. If few smaller choices are left, all are tried.
At least as many removals are needed as reverse the majorities that keep all rivals below the tops.
Deciding whether a number suffices is hard in general: Bartholdi, Tovey and Trick (1992),
doi:10.1016/0895-7177(92)90085-Y, for deleting voters; the fewest changes of ballots are the margin
of victory of Magrino, Rivest, Shen and Wagner (2011) and Xia (2012), doi:10.1145/2229012.2229086.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import accumulate

import numpy as np

from rankagg._typing import Bools, Integers, Integers64, Positions, Ranks
from rankagg.aggregation import Borda, Deadline, Mean
from rankagg.aggregation.kemeny.pulp_programs import IntegerProgram
from rankagg.analysis.removal.removal_units import (
    Bracket,
    Question,
    RemovalClasses,
    Searched,
    fewest,
)
from rankagg.core import ScoreTable, exact
from rankagg.core.graphs import strong_parts
from rankagg.exceptions import OutOfTimeError

# Programs of more numbers take too long.
PROGRAM_NUMBERS = 100_000
# Up to this number of choices, all are tried.
SUBSETS = 2_000


def search(
    searched: Searched, question: Question, bracket: Bracket, deadline: Deadline
) -> tuple[str, ...]:
    """Narrow the bracket as far as there is time; return notes on it."""
    units, rule = searched.units, searched.units.rule
    try:
        if not question.rivals:
            bracket.raise_to(bracket.total)
        elif isinstance(rule, Mean):
            _search_means(units.evidence.scores, question, bracket, deadline)
        elif isinstance(rule, Borda):
            _search_sums(units.points, units.counts, question, bracket, deadline)
        else:
            _search_orders(searched, question, bracket, deadline)
    except OutOfTimeError:
        if bracket.solves != 0:
            return ("the time limit has passed before the least number was proved",)
    if bracket.is_closed():
        return ()
    return ("too large, or too near to a tie, for a proof of the least number",)


def _chosen(number: int, gains: Integers, counts: Integers64) -> Integers64:
    """Return how many units of each class are among a number of largest gains."""
    left = number
    taken = np.zeros(len(counts), dtype=np.int64)
    for k in np.argsort(-gains, kind="stable").tolist():
        taken[k] = min(left, int(counts[k]))
        left -= int(taken[k])
        if not left:
            break
    return taken


class _Merged:
    """Classes of units with equal gains for one question."""

    def __init__(self, gains: Integers, counts: Integers64) -> None:
        # Rows may hold Python integers, whose order NumPy does not know.
        rows = list(map(tuple, gains.tolist()))
        numbers = {row: number for number, row in enumerate(sorted(set(rows)))}
        self._class = np.array([numbers[row] for row in rows], dtype=np.intp)
        self.gains = gains[np.unique(self._class, return_index=True)[1]]
        self._given = counts
        self.counts = np.zeros(len(numbers), dtype=np.int64)
        np.add.at(self.counts, self._class, counts)

    def spread(self, removed: Integers64) -> Integers64:
        """Return the removed units of each given class, from those of each merged one."""
        left = removed.copy()
        taken = np.zeros(len(self._given), dtype=np.int64)
        for k in np.flatnonzero(removed[self._class]).tolist():
            taken[k] = min(int(self._given[k]), int(left[self._class[k]]))
            left[self._class[k]] -= taken[k]
        return taken


def _each_rival(
    bracket: Bracket,
    rivals: tuple[int, ...],
    bounds: Integers64,
    solve: Callable[[int], int],
) -> None:
    """Find the fewest removals over all rivals, smallest bounds first."""
    known = bounds.copy()
    try:
        for at in np.argsort(bounds, kind="stable").tolist():
            if known[at] >= bracket.upper:
                break
            known[at] = max(known[at], solve(rivals[at]))
    finally:
        bracket.raise_to(int(known.min(initial=bracket.total)))


def _search_sums(
    points: Integers,
    counts: Integers64,
    question: Question,
    bracket: Bracket,
    deadline: Deadline,
) -> None:
    """Find the fewest removals where an item's score is the sum of its points.

    Against one winner, the largest differences of points are removed first (`fewest`), for each
    rival. A rival of several tied winners must pass all of them at once: an integer program with
    one row for each.
    """
    tops, rivals = list(question.tops), np.array(question.rivals, dtype=np.intp)
    ahead = {top: points[:, [top]] - points[:, rivals] for top in tops}
    targets = {
        top: exact.integer_product(counts, gains) + int(question.strict)
        for top, gains in ahead.items()
    }
    needed = np.stack([fewest(targets[top], ahead[top], counts) for top in tops])
    bounds = needed.max(axis=0)

    def solve(rival: int) -> int:
        at = question.rivals.index(rival)
        gains = np.stack([ahead[top][:, at] for top in tops], axis=1)
        # Items that are equal everywhere are one.
        if len({tuple(column) for column in gains.T.tolist()}) == 1:
            bracket.offer(_chosen(int(bounds[at]), gains[:, 0], counts))
            return int(bounds[at])
        wanted = [int(targets[top][at]) for top in tops]
        bound, removed = _reach_targets(gains, wanted, counts, bracket.upper, deadline)
        if removed is not None and (removed.astype(object) @ gains >= wanted).all():
            bracket.offer(removed)
        return bound

    _each_rival(bracket, question.rivals, bounds, solve)


def _reach_targets(
    gains: Integers,
    targets: list[int],
    counts: Integers64,
    below: int,
    deadline: Deadline,
) -> tuple[int, Integers64 | None]:
    """Return a bound on the fewest units whose gains reach all targets, and such units if found.

    Only solutions of fewer than `below` units count.
    """
    merged = _Merged(gains, counts)
    if merged.gains.size > PROGRAM_NUMBERS:
        return 0, None
    program = IntegerProgram()
    columns = program.columns(merged.counts.tolist(), cost=1).tolist()
    for k, target in enumerate(targets):
        program.at_least(dict(zip(columns, merged.gains[:, k].tolist(), strict=True)), target)
    optimum = program.solve(deadline, below=below)
    return optimum.bound, None if optimum.values is None else merged.spread(optimum.values)


def _search_means(
    table: ScoreTable, question: Question, bracket: Bracket, deadline: Deadline
) -> None:
    """Find the fewest tasks whose removal puts a rival's mean above those of all winners."""
    values = table.task_scores(signed=True).T
    # Scores are read as exact decimal fractions.
    numbers, _ = exact.as_votes(np.ones(values.size, dtype=np.int64), values.ravel())
    ones = np.ones(len(values), dtype=np.int64)
    weights, _ = exact.as_votes(ones, table.weight_vector)
    scores = weights.astype(object)[:, None] * numbers.astype(object).reshape(values.shape)
    _search_sums(exact.fit(scores), ones, question, bracket, deadline)


# -- the exact consensus --------------------------------------------------------------------------


def _search_orders(
    searched: Searched, question: Question, bracket: Bracket, deadline: Deadline
) -> None:
    """Find removals that change the consensus, the fewest if all can be tried."""
    bracket.raise_to(_joined_from(searched.units, question, deadline))
    if not bracket.is_closed():
        _approach(searched, question, bracket, deadline)
    counts = searched.units.counts
    if bracket.is_closed() or _n_tries(counts, bracket) > SUBSETS:
        return
    for size in range(bracket.lower, bracket.upper):
        for some in _removals(counts.tolist(), size):
            removed = np.array(some, dtype=np.int64)
            if searched.changes(removed, question, bracket, deadline):
                bracket.offer(removed)
                return
        bracket.raise_to(size + 1)


def _approach(searched: Searched, question: Question, bracket: Bracket, deadline: Deadline) -> None:
    """Remove units that vote against the cheapest move, until the answer changes."""
    counts = searched.units.counts
    removed = np.zeros(len(counts), dtype=np.int64)
    ranks, is_changed = searched.ranks, False
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
        # Half of them: the order may have changed by then.
        removed = removed + _chosen(min(-(-best[0] // 2), room), best[1], left)
        found, is_changed = searched.without(removed, question, bracket, deadline)
        if found[list(question.tops)].min() < found[list(question.rivals)].min():
            ranks = found
    bracket.offer(removed)
    for k in np.flatnonzero(removed).tolist():
        # Units of each class that are not needed are put back.
        needed, spare = int(removed[k]), int(removed[k])
        while spare:
            fewer = removed.copy()
            fewer[k] = max(needed - spare, 0)
            if searched.changes(fewer, question, bracket, deadline):
                removed, needed = fewer, int(fewer[k])
                bracket.offer(removed)
                spare = min(spare, needed)
            else:
                spare //= 2


def _moves(ranks: Ranks, question: Question) -> Iterator[tuple[int, Positions, int]]:
    """Yield an item, others, and 1 or -1: below, or above, all of these it changes the answer.

    A rival moves above all tops, or the top of a pair below it. Rivals that are above them already
    are skipped.
    """
    first = ranks[question.tops[0]] if question.is_pair else 0
    for rival in question.rivals:
        is_between = (ranks >= first) & (ranks <= ranks[rival])
        is_between[rival] = False
        above = np.flatnonzero(is_between)
        if len(above):
            yield rival, above, -1
            if question.is_pair:
                top = question.tops[0]
                yield top, np.append(above[above != top], rival), 1


def _n_tries(counts: Integers64, bracket: Bracket) -> int:
    """Return the number of choices smaller than the best, at most `SUBSETS` + 1."""
    most = bracket.upper - 1
    if most > SUBSETS:
        return SUBSETS + 1
    ways = [1] + [0] * most
    for count in counts.tolist():
        sums = [0, *accumulate(ways)]
        ways = [sums[k + 1] - sums[max(k - count, 0)] for k in range(most + 1)]
    return min(sum(ways[bracket.lower :]), SUBSETS + 1)


def _removals(counts: list[int], size: int) -> Iterator[list[int]]:
    """Yield all ways to choose a number of units from classes."""
    if not counts:
        if not size:
            yield []
        return
    rest = sum(counts[1:])
    for many in range(max(size - rest, 0), min(counts[0], size) + 1):
        yield from ([many, *others] for others in _removals(counts[1:], size - many))


def _joined_from(units: RemovalClasses, question: Question, deadline: Deadline) -> int:
    """Return the smallest removal with which some rival may share a component with the tops.

    If every item of a part beats every item below, and no removal of the size reverses one of
    these majorities, the consensus is that of the part, followed by that of the rest.
    """
    n = len(units.items)
    # Removals after which row has no majority over column any longer.
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
