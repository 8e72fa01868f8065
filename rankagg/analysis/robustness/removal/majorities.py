"""The fewest removals under Copeland's rule: an integer program for every rival."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers
from rankagg.aggregation.condorcet import Copeland
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.integer_program import IntegerProgram
from rankagg.analysis.robustness.removal.bracket import Bracket, Question
from rankagg.analysis.robustness.removal.fewest import fewest
from rankagg.analysis.robustness.removal.rivals import Merged, each_rival
from rankagg.analysis.robustness.removal.units import Units
from rankagg.core import exact
from rankagg.exceptions import InvalidInputError

__all__ = ["search_majorities"]

LARGEST = 1000


def search_majorities(
    units: Units, rule: Copeland, question: Question, bracket: Bracket, deadline: Deadline
) -> None:
    """Find the fewest removals that put a rival above all present firsts.

    Parameters
    ----------
    units : Units
        What may go.
    rule : Copeland
        The rule, or the outer one of two.
    question, bracket, deadline
        What to change, what is known, and when to stop.
    """
    alpha = exact.as_fraction(rule.alpha)
    if alpha.denominator > LARGEST:
        raise InvalidInputError(
            "alpha of Copeland", f"a fraction with a denominator up to {LARGEST}", rule.alpha,
            "Removals are counted in whole numbers.",
        )  # fmt: skip
    tops = [_Line(units, top) for top in question.tops]

    def least(rival: int) -> int:
        deadline.seconds_left()
        line = _Line(units, rival)
        return max(_least(top, line, alpha, question) for top in tops)

    bounds = np.array([least(rival) for rival in question.rivals], dtype=np.int64)
    each_rival(
        bracket,
        question.rivals,
        bounds,
        lambda rival: _solve([*tops, _Line(units, rival)], alpha, question, bracket, deadline),
    )


class _Line:
    """The majorities of one item against all others.

    Attributes
    ----------
    item : int
        Its position.
    leads : ndarray of int, shape (k, n - 1)
        What one unit of each class puts it ahead of each other.
    compared : ndarray of int, shape (k, n - 1)
        How many ballots of one unit compare the two.
    margins, comparisons : ndarray of int, shape (n - 1,)
        The sums over all units.
    """

    def __init__(self, units: Units, item: int) -> None:
        others = np.delete(np.arange(len(units.items)), item)
        self.item = item
        self.counts = units.counts
        self.leads = units.leads(item, others)
        self.compared = units.compared(item, others)
        self.margins, self.comparisons = self.sums(np.zeros(len(self.counts), dtype=np.int64))

    def sums(self, removed: NDArray[np.int64]) -> tuple[Integers, Integers]:
        """Return the margins and the comparisons that are left."""
        left = (self.counts - removed).astype(object)
        return left @ self.leads.astype(object), left @ self.compared.astype(object)

    def score(self, removed: NDArray[np.int64], alpha: Fraction) -> Fraction:
        """Return what the rule gives the item."""
        margins, comparisons = self.sums(removed)
        seen: Bools = (comparisons > 0).astype(bool)
        wins = int(((margins > 0).astype(bool) & seen).sum())
        losses = int(((margins < 0).astype(bool) & seen).sum())
        return wins + alpha * (len(margins) - wins - losses)

    def steps(self, alpha: Fraction, sign: int) -> list[tuple[int, Fraction]]:
        """Return what each pair can add to the score (sign 1) or take from it (sign -1).

        One entry for each step of a pair: with how many removals it can be had at least, taken
        by itself, and what it is worth.
        """
        worth = {-1: Fraction(0), 0: alpha, 1: Fraction(1)}
        behind = -sign * self.margins
        even = fewest(behind, -sign * self.leads, self.counts)
        past = fewest(behind + 1, -sign * self.leads, self.counts)
        # A pair that no ballot compares any longer is even, too.
        gone = np.minimum(self.comparisons, int(self.counts.sum())).astype(np.int64)
        found = []
        for k, margin in enumerate(self.margins.tolist()):
            state = ((margin > 0) - (margin < 0)) * int(self.comparisons[k] > 0)
            now = worth[state]
            first = max(sign * (worth[0] - now), Fraction(0))
            second = max(sign * (worth[sign] - now), first)
            if state != sign:
                # Units of several ballots may hold all comparisons of a pair.
                vanish = int(gone[k]) if self._single else int(self.comparisons[k] > 0)
                found.append((min(int(even[k]), vanish, int(past[k])), first))
                found.append((int(past[k]), second - first))
        return found

    @property
    def _single(self) -> bool:
        return int(self.compared.max(initial=0)) <= 1


def _least(top: _Line, rival: _Line, alpha: Fraction, question: Question) -> int:
    """Bound the removals that a rival needs: every pair may have its own best removal."""
    nothing = np.zeros(len(top.counts), dtype=np.int64)
    gap = top.score(nothing, alpha) - rival.score(nothing, alpha)
    total = int(top.counts.sum())
    steps = sorted(rival.steps(alpha, 1) + top.steps(alpha, -1), key=lambda step: step[0])
    needed = 0
    for number, worth in steps:
        if gap < 0 or (gap == 0 and not question.strict):
            break
        needed = number
        gap -= worth
    reached = gap < 0 or (gap == 0 and not question.strict)
    return min(needed, total) if reached else total


def _solve(
    lines: list[_Line], alpha: Fraction, question: Question, bracket: Bracket, deadline: Deadline
) -> int:
    """Find the fewest removals that put the last item above the others; return a bound.

    For every pair of one of the items there is a column for "ahead" and one for "behind", and one
    for "compared" where ballots leave the two open but still say something of them:

        margin - lead x removed <= most x (ahead + 1 - compared),
        margin - lead x removed >= least x (behind + 1 - compared),
        margin - lead x removed >= 1 where ahead, <= -1 where behind.
    """
    *tops, rival = lines
    gains = np.concatenate(
        [array for line in lines for array in (line.leads, line.compared)], axis=1
    )
    merged = Merged(gains, rival.counts)
    program = IntegerProgram()
    removed = program.columns(merged.counts.tolist(), cost=1)
    width = rival.leads.shape[1]
    scores = []
    for number in range(len(lines)):
        at = 2 * width * number
        states = [
            _pair(program, removed, merged, at + k, at + width + k) for k in range(width)
        ]  # fmt: skip
        # The score of an item in `alpha.denominator`ths: ahead + alpha (1 - ahead - behind).
        score: dict[int, int] = {}
        for ahead, behind in states:
            score[ahead] = alpha.denominator - alpha.numerator
            score[behind] = -alpha.numerator
        scores.append(score)
    for score in scores[:-1]:
        row = {column: -number for column, number in score.items()}
        program.at_least({**row, **scores[-1]}, int(question.strict))
    optimum = program.solve(deadline, below=bracket.upper)
    if optimum.values is not None:
        taken = merged.spread(optimum.values[removed])
        mine = rival.score(taken, alpha)
        theirs = max(line.score(taken, alpha) for line in tops)
        if mine > theirs or (mine == theirs and not question.strict):
            bracket.offer(taken)
    return optimum.bound


def _pair(
    program: IntegerProgram, removed: NDArray[np.intp], merged: Merged, lead: int, seen: int
) -> tuple[int, int]:
    """Add the columns and rows of a pair; return the columns of "ahead" and "behind"."""
    leads, counts = merged.gains[:, lead].tolist(), merged.counts.tolist()
    compared = merged.gains[:, seen].tolist()
    margin = sum(a * c for a, c in zip(leads, counts, strict=True))
    most = sum(max(a, 0) * c for a, c in zip(leads, counts, strict=True))
    least = sum(min(a, 0) * c for a, c in zip(leads, counts, strict=True))
    ahead, behind = program.columns([int(most > 0), int(least < 0)]).tolist()
    left = dict(zip(removed.tolist(), (-a for a in leads), strict=True))  # margin + this is left
    negative = {k: -v for k, v in left.items()}
    open_pair = any(a and not c for a, c in zip(leads, compared, strict=True))
    either: dict[int, int] = {}
    spare = 0
    if open_pair:
        (is_seen,) = program.columns([1]).tolist()
        votes = sum(a * c for a, c in zip(compared, counts, strict=True))
        gone = dict(zip(removed.tolist(), compared, strict=True))
        # What is left of the comparisons is at least 1 where seen, and 0 where not.
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
