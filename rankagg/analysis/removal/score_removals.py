"""The fewest removals where scores are averages or sums over units (Borda, mean scores).

Where all scores are there, means are compared by sums, as Borda's points are. Where some are
missing, what a task adds depends on which others are left: a mean is a quotient. Then some number
t stands between the means, and rows "sum <= t x weight" for a top and "sum >= t x weight" for the
rival are linear once t is known. An interval of t gives rows that are looser than those of any t
in it; where what they allow does not do it, the interval is cut between the two means that come
out, which leaves it out of both parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.pulp_programs import IntegerProgram
from rankagg.analysis.removal.removal_units import Bracket, Question, RemovalClasses, chosen, fewest
from rankagg.core.arithmetic import exact
from rankagg.core.scores import ScoreTable


class Merged:
    """Classes of units that are told apart by what counts for one question only."""

    def __init__(self, gains: Integers, counts: NDArray[np.int64]) -> None:
        if gains.dtype == object:
            # Python integers have no order of rows that NumPy knows.
            numbers: dict[tuple[int, ...], int] = {}
            where = [numbers.setdefault(tuple(row), len(numbers)) for row in gains.tolist()]
            self._class = np.array(where, dtype=np.intp)
            first = np.unique(self._class, return_index=True)[1]
        else:
            _, first, inverse = np.unique(gains, axis=0, return_index=True, return_inverse=True)
            self._class = inverse.ravel().astype(np.intp)
        self.gains = gains[first]
        self._given = counts
        self.counts = np.zeros(len(first), dtype=np.int64)
        np.add.at(self.counts, self._class, counts)

    def spread(self, removed: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many units of each given class go, if so many of each merged one do."""
        left = removed.copy()
        taken = np.zeros(len(self._given), dtype=np.int64)
        for k in np.flatnonzero(removed[self._class]).tolist():
            taken[k] = min(int(self._given[k]), int(left[self._class[k]]))
            left[self._class[k]] -= taken[k]
        return taken


def each_rival(
    bracket: Bracket, rivals: tuple[int, ...], bounds: NDArray[np.int64],
    solve: Callable[[int], int],
) -> None:  # fmt: skip
    """Find the fewest removals over all rivals, the most promising first."""
    known = bounds.copy()
    try:
        for at in np.argsort(bounds, kind="stable").tolist():
            if known[at] >= bracket.upper:
                break
            known[at] = max(known[at], solve(rivals[at]))
    finally:
        bracket.raise_to(int(known.min(initial=bracket.total)))


def search_points(
    units: RemovalClasses, question: Question, bracket: Bracket, deadline: Deadline
) -> None:
    """Close the bracket for Borda's rule; see `search_sums`."""
    search_sums(units.points, units.counts, question, bracket, deadline)


def search_sums(
    points: Integers, counts: NDArray[np.int64], question: Question, bracket: Bracket,
    deadline: Deadline,
) -> None:  # fmt: skip
    """Find the fewest removals where an item's score is the sum of its points.

    Against one present first, the largest differences of points go first (`fewest`), for each
    rival. A rival of several, which are level, must get above all of them at once: an integer
    program with one row for each.
    """
    tops, rivals = list(question.tops), np.array(question.rivals, dtype=np.intp)
    ahead = {top: points[:, [top]] - points[:, rivals] for top in tops}
    targets = {top: _total(gains, counts) + int(question.strict) for top, gains in ahead.items()}
    needed = np.stack([fewest(targets[top], ahead[top], counts) for top in tops])
    bounds = needed.max(axis=0)

    def solve(rival: int) -> int:
        at = question.rivals.index(rival)
        gains = np.stack([ahead[top][:, at] for top in tops], axis=1)
        # Items that are equal everywhere are one.
        if len({tuple(column) for column in gains.T.tolist()}) == 1:
            bracket.offer(chosen(int(bounds[at]), gains[:, 0], counts))
            return int(bounds[at])
        return _against_all(
            gains, [int(targets[top][at]) for top in tops], counts, bracket, deadline
        )

    each_rival(bracket, question.rivals, bounds, solve)


def _total(gains: Integers, counts: NDArray[np.int64]) -> Integers:
    """Return the sum of the gains of all units."""
    large = int(np.abs(gains).max(initial=0)) * int(counts.sum()) >= 2**62
    kind = object if large else gains.dtype
    total: Integers = (gains.astype(kind) * counts.astype(kind)[:, None]).sum(axis=0)
    return total


def _against_all(
    gains: Integers, targets: list[int], counts: NDArray[np.int64], bracket: Bracket,
    deadline: Deadline,
) -> int:  # fmt: skip
    """Find the fewest units whose gains reach all targets, and return a bound on their number."""
    merged = Merged(gains, counts)
    program = IntegerProgram()
    columns = program.columns(merged.counts.tolist(), cost=1).tolist()
    for k, target in enumerate(targets):
        program.at_least(dict(zip(columns, merged.gains[:, k].tolist(), strict=True)), target)
    optimum = program.solve(deadline, below=bracket.upper)
    if optimum.values is not None:
        removed = optimum.values
        reached = removed.astype(object) @ merged.gains.astype(object)
        if all(int(r) >= target for r, target in zip(reached, targets, strict=True)):
            bracket.offer(merged.spread(removed))
    return optimum.bound


CUTS = 500


def search_means(
    table: ScoreTable, question: Question, bracket: Bracket, deadline: Deadline
) -> None:
    """Find the fewest tasks whose removal puts a rival's mean above those of all present firsts.

    Who has no score left is not first, and so makes place for the rival; of a pair both keep one,
    since nobody stands above or below who is not ranked. Where the upper item of the pair need not
    stand above the lower any longer, taking all scores of either does it.
    """
    sums = _Sums.of(table)
    present = sums.weights > 0
    counts = np.ones(table.n_tasks, dtype=np.int64)
    asked = [*question.tops, *question.rivals]
    if present[:, asked].all():
        search_sums(sums.scores, counts, question, bracket, deadline)
        return
    if question.is_pair and not question.strict:
        for item in asked:
            bracket.offer(present[:, item])
    each_rival(
        bracket, question.rivals, np.full(len(question.rivals), int(question.strict)),
        lambda rival: _solve(sums, rival, question, bracket, deadline),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Sums:
    """What each task adds to the weighted sum, and to the weight, of every item; shape (m, n)."""

    scores: Integers
    weights: Integers

    @classmethod
    def of(cls, table: ScoreTable) -> _Sums:
        values = table.task_scores(signed=True).T
        present = ~np.isnan(values)
        # Scores are read as the fractions that their authors wrote.
        filled = np.where(present, values, 0.0).ravel()
        numbers, _ = exact.as_votes(np.ones(len(filled), dtype=np.int64), filled)
        weights, _ = exact.as_votes(np.ones(len(values), dtype=np.int64), table.weight_vector)
        each = np.where(present, weights[:, None], 0).astype(object)
        return cls(exact.fit(each * numbers.reshape(values.shape).astype(object)), exact.fit(each))

    def mean(self, item: int, removed: NDArray[np.int64]) -> Fraction | None:
        """Return the mean of an item on a common scale; None without any score."""
        left = removed == 0
        weight = int(self.weights[left, item].astype(object).sum())
        return (
            Fraction(int(self.scores[left, item].astype(object).sum()), weight) if weight else None
        )


def _solve(
    sums: _Sums, rival: int, question: Question, bracket: Bracket, deadline: Deadline
) -> int:
    """Find the fewest tasks for one rival; return a bound on their number."""
    present = sums.weights > 0
    both = zip(sums.scores[present].tolist(), sums.weights[present].tolist(), strict=True)
    ends = [Fraction(score, weight) for score, weight in both]
    # Intervals of t, each with a bound on the tasks that it needs.
    waiting = [(0, min(ends) - 1, max(ends) + 1)]
    for _ in range(CUTS):
        waiting.sort(key=lambda case: case[0])
        bound, low, high = waiting[0]
        if bound >= bracket.upper:
            break
        optimum = _program(sums, rival, question, low, high).solve(deadline, below=bracket.upper)
        bound = max(bound, optimum.bound)
        if optimum.values is None:
            waiting[0] = (bound, low, high)
            continue
        removed = optimum.values[: len(present)]
        mine = sums.mean(rival, removed)
        theirs = [sums.mean(top, removed) for top in question.tops]
        assert mine is not None, "a row keeps a score of the rival"
        most = max((mean for mean in theirs if mean is not None), default=mine - 1)
        if mine > most or (mine == most and not question.strict):
            bracket.offer(removed)
            waiting[0] = (bound, low, high)
            continue
        between = _between(mine, most)
        if not low < between < high:
            break  # the solver is not as exact as that
        waiting[0] = (bound, low, between)
        waiting.append((bound, between, high))
    return min(case[0] for case in waiting)


def _between(low: Fraction, high: Fraction) -> Fraction:
    """Return a fraction of small numbers from `low` to `high`."""
    middle = (low + high) / 2
    size = 1
    while low < high:
        simple = middle.limit_denominator(size)
        if low < simple < high:
            return simple
        size *= 2
    return middle


def _program(
    sums: _Sums, rival: int, question: Question, low: Fraction, high: Fraction
) -> IntegerProgram:
    """Return the rows of an interval of t, open where being level is not enough."""
    program = IntegerProgram()
    columns = program.columns([1] * len(sums.weights), cost=1).tolist()
    open_ends = int(question.strict)
    cases = [(top, high, -1) for top in question.tops] + [(rival, low, 1)]
    for item, end, sign in cases:
        each = [
            sign * (int(score) * end.denominator - int(weight) * end.numerator)
            for score, weight in zip(sums.scores[:, item], sums.weights[:, item], strict=True)
        ]
        present = [columns[k] for k in np.flatnonzero(sums.weights[:, item] > 0).tolist()]
        above = dict(zip(columns, (-e for e in each), strict=True))
        kept = dict.fromkeys(present, -1)
        if item != rival and not question.is_pair:
            (gone,) = program.columns([1], cost=0).tolist()
            above[gone], kept[gone] = open_ends, 1
            program.at_least({**dict.fromkeys(present, 1), gone: -len(present)}, 0)
        program.at_least(above, open_ends - sum(each))
        program.at_least(kept, 1 - len(present))
    return program
