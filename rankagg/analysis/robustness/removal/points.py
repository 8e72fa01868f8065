"""The fewest removals where scores are sums over units: Borda's rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.programs.integer_program import IntegerProgram
from rankagg.analysis.robustness.removal.bracket import Bracket, Question
from rankagg.analysis.robustness.removal.fewest import chosen, fewest
from rankagg.analysis.robustness.removal.rivals import Merged, each_rival
from rankagg.analysis.robustness.removal.units import Units

__all__ = ["search_points", "search_sums"]


def search_points(units: Units, question: Question, bracket: Bracket, deadline: Deadline) -> None:
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

    Parameters
    ----------
    points : ndarray of int, shape (k, n)
        What one unit of each class gives every item.
    counts : ndarray of int, shape (k,)
        How many units a class has.
    question, bracket, deadline
        What to change, what is known, and when to stop.
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
