"""Searches for the fewest removals that change sums, majorities, or the exact consensus.

Sums (Borda, mean scores) are exact by sorting, majorities (Copeland) by an integer program.

For the exact Kemeny consensus, units that oppose moving a rival up are removed in steps, and each
remainder is solved again: an upper bound. If few smaller choices remain, all are tried. A lower
bound is the fewest removals that reverse the majorities that keep all rivals in parts below the
tops. Deciding whether a number of removals suffices is hard in general: Bartholdi, Tovey and Trick
(1992), doi:10.1016/0895-7177(92)90085-Y, for deleting voters. The fewest changes of ballots are the
margin of victory of Magrino, Rivest, Shen and Wagner (2011) and Xia (2012),
doi:10.1145/2229012.2229086.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from rankagg._typing import Integers, Integers64, Positions, Ranks
from rankagg.aggregation import Borda, Copeland, Deadline, Mean
from rankagg.aggregation.kemeny.pulp_programs import IntegerProgram
from rankagg.analysis.removal.removal_units import (
    Bracket,
    Question,
    RemovalClasses,
    Searched,
    fewest,
    first_taken,
)
from rankagg.core import ScoreTable, exact
from rankagg.core.graphs import strong_parts
from rankagg.exceptions import InvalidInputError, OutOfTimeError

# Programs of more numbers take too long.
PROGRAM_NUMBERS = 100_000
# Up to this number of choices, all are tried.
SUBSETS = 2_000


def search(
    searched: Searched, question: Question, bracket: Bracket, deadline: Deadline
) -> tuple[str, ...]:
    """Narrow the bracket until the deadline; return notes on it."""
    units, rule = searched.units, searched.units.rule
    try:
        if not question.rivals:
            bracket.raise_to(bracket.total)
        elif isinstance(rule, Mean):
            _search_means(units.evidence.scores, question, bracket, deadline)
        elif isinstance(rule, Borda):
            _search_sums(units.points, units.counts, question, bracket, deadline)
        elif isinstance(rule, Copeland):
            _search_majorities(units, rule, question, bracket, deadline)
        else:
            _search_orders(searched, question, bracket, deadline)
    except OutOfTimeError:
        if bracket.solves != 0:
            return ("the time limit has passed before the least number was proved",)
    if bracket.is_closed():
        return ()
    return ("too large, or too near to a tie, for a proof of the least number",)


def _chosen(number: int, gains: Integers, counts: Integers64) -> Integers64:
    """Return the units of each class among a number of largest gains."""
    order = np.argsort(-gains, kind="stable")
    copies, taken = counts[order], np.empty_like(counts)
    taken[order] = np.clip(number - np.cumsum(copies) + copies, 0, copies)
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
        self.counts = exact.count_cells(self._class, counts, len(numbers)).astype(np.int64)

    def spread(self, removed: Integers64) -> Integers64:
        """Return the removed units of each given class, given those of each merged one."""
        return first_taken(self._class, self._given, removed)


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
    bounds = np.max([fewest(targets[top], ahead[top], counts) for top in tops], axis=0)

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
    """Return a bound on the fewest units that reach all targets, and such units if found.

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


def _search_majorities(
    units: RemovalClasses, rule: Copeland, question: Question, bracket: Bracket, deadline: Deadline
) -> None:
    """Find the fewest removals that put a rival above all present firsts."""
    alpha = exact.as_fraction(rule.draw_points)
    if alpha.denominator > 1000:
        allowed = "a fraction with a denominator up to 1000"
        remedy = "Removals are counted in whole numbers."
        raise InvalidInputError("draw_points of Copeland", allowed, rule.draw_points, remedy)
    tops = [_Line(units, top) for top in question.tops]

    def least(rival: int) -> int:
        deadline.seconds_left()
        line = _Line(units, rival)
        return max(_least_changes(top, line, alpha, question)[0] for top in tops)

    bounds = np.array([least(rival) for rival in question.rivals], dtype=np.int64)

    def solve(rival: int) -> int:
        lines = [*tops, _Line(units, rival)]
        _by_steps(lines, alpha, question, bracket, deadline)
        # The bound of this rival may be reached by now.
        if bounds[question.rivals.index(rival)] >= bracket.upper:
            return bracket.upper
        return _solve_majorities(lines, alpha, question, bracket, deadline)

    _each_rival(bracket, question.rivals, bounds, solve)


class _Step(NamedTuple):
    """A change of one pair of an item that speaks for the rival."""

    # Fewest removals for this change alone.
    number: int
    # Change of the score of the item.
    worth: Fraction
    # The item, its pair, and the new state of the pair.
    item: int
    pair: int
    state: int


class _Line:
    """The majorities of one item against all others."""

    def __init__(self, units: RemovalClasses, item: int) -> None:
        others = np.delete(np.arange(len(units.items)), item)
        self.item = item
        self.counts = units.counts
        self.leads = units.leads(item, others)
        self.compared = units.compared(item, others)
        self.margins = exact.integer_product(self.counts, self.leads)
        self.comparisons = exact.integer_product(self.counts, self.compared)

    def states(self, removed: Integers64 | int = 0) -> list[int]:
        """Return 1 for each pair won after a removal, -1 for one lost, 0 for a draw."""
        left = self.counts - removed
        margins = exact.integer_product(left, self.leads)
        is_compared = exact.integer_product(left, self.compared) > 0
        states: list[int] = np.where(is_compared, np.sign(margins), 0).tolist()
        return states

    def score(self, alpha: Fraction, removed: Integers64 | int = 0) -> Fraction:
        """Return the score of the item after a removal."""
        states = self.states(removed)
        return states.count(1) + alpha * states.count(0)

    def steps(self, alpha: Fraction, sign: int) -> list[_Step]:
        """Return the changes of pairs that raise the score (sign 1) or lower it (sign -1)."""
        worth = {-1: Fraction(0), 0: alpha, 1: Fraction(1)}
        behind = -sign * self.margins
        even = fewest(behind, -sign * self.leads, self.counts)
        past = fewest(behind + 1, -sign * self.leads, self.counts)
        # A pair that no remaining ballot compares is even, too.
        gone = np.minimum(self.comparisons, int(self.counts.sum())).astype(np.int64)
        steps = []
        for k, state in enumerate(self.states()):
            now = worth[state]
            first = max(sign * (worth[0] - now), Fraction(0))
            second = max(sign * (worth[sign] - now), first)
            if state != sign:
                # Units of several ballots may hold all comparisons of a pair.
                is_single = self.compared.max(initial=0) <= 1
                vanish = int(gone[k]) if is_single else int(self.comparisons[k] > 0)
                least = min(int(even[k]), vanish, int(past[k]))
                steps.append(_Step(least, first, self.item, k, 0))
                steps.append(_Step(int(past[k]), second - first, self.item, k, sign))
        return steps


def _least_changes(
    top: _Line, rival: _Line, alpha: Fraction, question: Question
) -> tuple[int, list[_Step]]:
    """Bound the removals that a rival needs, as if each pair had a removal of its own."""
    gap = top.score(alpha) - rival.score(alpha)
    total = int(top.counts.sum())
    steps = sorted(rival.steps(alpha, 1) + top.steps(alpha, -1), key=lambda step: step.number)
    taken = []
    for step in steps:
        if gap < 0 or (gap == 0 and not question.strict):
            break
        if step.worth:
            taken.append(step)
            gap -= step.worth
    if gap > 0 or (gap == 0 and question.strict):
        return total, []
    return min(max((step.number for step in taken), default=0), total), taken


def _by_steps(
    lines: list[_Line], alpha: Fraction, question: Question, bracket: Bracket, deadline: Deadline
) -> None:
    """Offer the fewest removals that make the cheapest changes together and worsen no pair."""
    *tops, rival = lines
    wanted = {(line.item, k): s for line in lines for k, s in enumerate(line.states())}
    for top in tops:
        for step in _least_changes(top, rival, alpha, question)[1]:
            wanted[step.item, step.pair] = step.state
    gains, targets = [], []
    for line in lines:
        sign = 1 if line is rival else -1
        for k, margin in enumerate(line.margins.tolist()):
            state = sign * wanted[line.item, k]
            if state >= 0:  # lost pairs need no votes
                gains.append(-sign * line.leads[:, k])
                targets.append(state - sign * int(margin))
    if gains:
        stacked = np.stack(gains, axis=1)
        removed = _reach_targets(stacked, targets, rival.counts, bracket.upper, deadline)[1]
        if removed is not None:
            _offer(lines, removed, alpha, question, bracket)


def _offer(
    lines: list[_Line],
    removed: Integers64,
    alpha: Fraction,
    question: Question,
    bracket: Bracket,
) -> None:
    """Offer a removal if it is sufficient."""
    *tops, rival = lines
    mine = rival.score(alpha, removed)
    theirs = max(line.score(alpha, removed) for line in tops)
    if mine > theirs or (mine == theirs and not question.strict):
        bracket.offer(removed)


def _solve_majorities(
    lines: list[_Line], alpha: Fraction, question: Question, bracket: Bracket, deadline: Deadline
) -> int:
    """Find the fewest removals that put the last item above the others; return a bound, or 0.

    Every pair of one of the items has the columns "ahead" and "behind". It also has "compared" if
    some ballots give a lead without comparing the two:

        margin - lead x removed <= most x (ahead + 1 - compared),
        margin - lead x removed >= least x (behind + 1 - compared),
        margin - lead x removed >= 1 where ahead, <= -1 where behind.
    """
    rival = lines[-1]
    gains = np.concatenate(
        [array for line in lines for array in (line.leads, line.compared)], axis=1
    )
    merged = _Merged(gains, rival.counts)
    if merged.gains.size > PROGRAM_NUMBERS:
        return 0
    program = IntegerProgram()
    removed = program.columns(merged.counts.tolist(), cost=1)
    width = rival.leads.shape[1]
    worth = alpha.denominator - alpha.numerator, -alpha.numerator
    scores = []
    for number in range(len(lines)):
        at = 2 * width * number
        states = [_add_pair(program, removed, merged, at + k, at + width + k) for k in range(width)]
        # The score of an item in `alpha.denominator`ths: ahead + alpha (1 - ahead - behind).
        scores.append({k: part for pair in states for k, part in zip(pair, worth, strict=True)})
    for score in scores[:-1]:
        row = {column: -number for column, number in score.items()}
        program.at_least({**row, **scores[-1]}, int(question.strict))
    optimum = program.solve(deadline, below=bracket.upper)
    if optimum.values is not None:
        _offer(lines, merged.spread(optimum.values[removed]), alpha, question, bracket)
    return optimum.bound


def _add_pair(
    program: IntegerProgram, removed: Positions, merged: _Merged, lead: int, seen: int
) -> tuple[int, int]:
    """Add the columns and rows of a pair; return the columns of "ahead" and "behind"."""
    leads, counts = merged.gains[:, lead].tolist(), merged.counts.tolist()
    compared = merged.gains[:, seen].tolist()
    margin = sum(a * c for a, c in zip(leads, counts, strict=True))
    most = sum(max(a, 0) * c for a, c in zip(leads, counts, strict=True))
    least = sum(min(a, 0) * c for a, c in zip(leads, counts, strict=True))
    ahead, behind = program.columns([int(most > 0), int(least < 0)]).tolist()
    # The remaining margin is `margin` plus this row.
    left = dict(zip(removed.tolist(), (-a for a in leads), strict=True))
    negative = {k: -v for k, v in left.items()}
    either: dict[int, int] = {}
    spare = 0
    if any(a and not c for a, c in zip(leads, compared, strict=True)):
        (is_seen,) = program.columns([1]).tolist()
        votes = sum(a * c for a, c in zip(compared, counts, strict=True))
        gone = dict(zip(removed.tolist(), compared, strict=True))
        # The number of remaining comparisons is at least 1 if "compared" is 1, otherwise 0.
        program.at_least({**{k: -v for k, v in gone.items()}, is_seen: -1}, -votes)
        program.at_least({**gone, is_seen: max(votes, 1)}, votes)
        program.at_least({is_seen: 1, ahead: -1, behind: -1}, 0)
        either, spare = {is_seen: -1}, 1
    else:
        program.at_least({ahead: -1, behind: -1}, -1)

    def factor(size: int) -> dict[int, int]:
        return {k: v * size for k, v in either.items()}

    program.at_least({**negative, ahead: most, **factor(most)}, margin - spare * most)
    program.at_least({**left, behind: -least, **factor(-least)}, -margin + spare * least)
    program.at_least({**left, ahead: least - 1}, least - margin)
    program.at_least({**negative, behind: -most - 1}, margin - most)
    return ahead, behind


# -- the exact consensus --------------------------------------------------------------------------


def _search_orders(
    searched: Searched, question: Question, bracket: Bracket, deadline: Deadline
) -> None:
    """Find removals that change the consensus; the fewest if all can be tried."""
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
        # Only half of them, since the order may change on the way.
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
    """Yield an item, others, and 1 or -1: moving it below or above them changes the answer.

    A rival moves above all tops, or the top of a pair below it. Rivals that are above them already
    are skipped.
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
    """Return the number of removals smaller than the best, at most `SUBSETS` + 1."""
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
    for many in range(max(size - sum(counts[1:]), 0), min(counts[0], size) + 1):
        yield from ([many, *others] for others in _removals(counts[1:], size - many))


def _joined_from(units: RemovalClasses, question: Question, deadline: Deadline) -> int:
    """Return the smallest removal with which some rival may share a component with the tops.

    If every item of a part beats every item below, and no removal of the size reverses one of
    these majorities, the consensus is that of the part, followed by that of the rest.
    """
    n = len(units.items)
    # Fewest removals after which row has no majority over column.
    needed = np.zeros((n, n), dtype=np.int64)
    for item in range(n):
        deadline.seconds_left()
        others = np.delete(np.arange(n), item)
        leads = units.leads(item, others)
        margins = exact.integer_product(units.counts, leads)
        needed[item, others] = fewest(margins, leads, units.counts)
    sizes = np.unique(needed[needed < units.total]).tolist()

    def has_rivals(size: int) -> bool:
        behind = needed.T <= size  # noqa: SIM300
        parts = strong_parts(behind)
        return bool((parts[list(question.rivals)] == parts[question.tops[0]]).any())

    at = bisect_left(sizes, True, key=has_rivals)
    return sizes[at] if at < len(sizes) else units.total
