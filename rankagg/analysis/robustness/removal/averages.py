"""The fewest tasks whose removal changes an order by mean scores.

Where all scores are there, means are compared by sums, as Borda's points are. Where some are
missing, what a task adds depends on which others are left: a mean is a quotient. Then some number
t stands between the means, and rows "sum <= t x weight" for a top and "sum >= t x weight" for the
rival are linear once t is known. An interval of t gives rows that are looser than those of any t
in it; where what they allow does not do it, the interval is cut between the two means that come
out, which leaves it out of both parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.programs.integer_program import IntegerProgram
from rankagg.analysis.robustness.removal.bracket import Bracket, Question
from rankagg.analysis.robustness.removal.points import search_sums
from rankagg.analysis.robustness.removal.rivals import each_rival
from rankagg.core.arithmetic import exact
from rankagg.core.scores.table import ScoreTable

__all__ = ["search_means"]

CUTS = 500


def search_means(
    table: ScoreTable, question: Question, bracket: Bracket, deadline: Deadline
) -> None:
    """Find the fewest tasks whose removal puts a rival's mean above those of all present firsts.

    Who has no score left is not first, and so makes place for the rival; of a pair both keep one,
    since nobody stands above or below who is not ranked. Where the upper item of the pair need not
    stand above the lower any longer, taking all scores of either does it.

    Parameters
    ----------
    table : ScoreTable
        The scores.
    question, bracket, deadline
        What to change, what is known, and when to stop.
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
