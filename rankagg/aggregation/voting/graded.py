"""Rules for graded ballots: STAR and majority judgment."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from math import lcm
from typing import Any, ClassVar

import numpy as np

from rankagg._typing import Floats, Generator, Integers, Positions
from rankagg.aggregation.base import Aggregator, Needs, ReadsUnranked
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.means import Mean
from rankagg.aggregation.outcome import Outcome
from rankagg.core import UNRANKED, ItemSet, as_ranking, exact, listed

# Ascending grades of a candidate, and the number of voters who gave each or a lower one.
Grades = tuple[list[float], list[int]]


@dataclass(frozen=True, kw_only=True)
class STAR(Aggregator):
    """Score, then automatic runoff (STAR): a majority between the two highest mean scores.

    The columns of the table are the voters, and their scores are summed. The two candidates with
    the highest sums meet in a runoff: more voters score the winner above the other. All others are
    ranked by their sums. A task weight is the number of voters of a column.

    Notes
    -----
    If several candidates share the highest or second highest sum, all of them are in the runoff,
    ranked by wins minus losses, with a note. A tied runoff is decided by the sums. A missing score
    counts neither in the mean nor in runoffs: enter the lowest score if a blank means that.

    References
    ----------
    Wolk, Quinn and Ogren (2023), https://doi.org/10.1007/s10602-022-09389-3.

    Examples
    --------
    >>> import rankagg as ra
    >>> scores = [[5, 5, 5, 0, 0], [4, 4, 4, 5, 5], [0, 1, 0, 3, 2]]
    >>> ballots = ra.ScoreTable(scores, systems=["Ann", "Bob", "Cid"], higher_is_better=True)
    >>> ra.Mean().aggregate(ballots).ranking, ra.STAR().aggregate(ballots).ranking
    (<Permutation Bob > Ann > Cid>, <Permutation Ann > Bob > Cid>)
    """

    needs: ClassVar[Needs] = "scores"
    reads_unranked: ClassVar[ReadsUnranked] = "as observed"
    command_names: ClassVar = {"star": {}}

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        table = evidence.means
        first = Mean().aggregate(table)
        ranks = first.ranking.ranks.copy()
        finalists = np.flatnonzero((ranks >= 0) & (ranks <= np.sort(ranks[ranks >= 0])[:2].max()))
        votes = exact.as_rational(table.weight_vector).numerators
        leads = _leads(table.task_scores(signed=True)[finalists], votes)
        # By the leads of the runoff, and where these are equal by the sums.
        order = np.lexsort((ranks[finalists], -leads))
        keys = list(zip(-leads[order], ranks[finalists][order], strict=True))
        ranks[finalists[order]] = [keys.index(key) for key in keys]
        return Outcome(
            first.scores,
            as_ranking(ranks, table.systems),
            notes=(*first.notes, *_runoff_notes(table.systems, finalists, leads)),
        )


def _leads(scores: Floats, votes: Integers) -> Any:
    """Return wins minus losses of each row against the others, by the votes of the columns."""
    above = (scores[:, None, :] > scores[None, :, :]) @ votes.astype(object)
    return np.sign(above - above.T).sum(axis=1).astype(int)


def _runoff_notes(systems: ItemSet, finalists: Positions, leads: Any) -> Iterator[str]:
    if len(finalists) > 2:
        yield f"equal sums put more than two in the runoff: {listed(systems.at(finalists))}"
    if len(finalists) == 2 and not leads.any():
        yield "the runoff is tied, and the sums decide"


@dataclass(frozen=True, kw_only=True)
class MajorityJudgment(Aggregator):
    """Majority judgment: rank by median grades, with ties broken by the grades next to them.

    The columns of the table are the voters. Their scores are grades, and only the order of grades
    counts. The majority grade is the median, the lower one of two. If several candidates have the
    same, one vote for that grade is removed from each until their medians differ; candidates with
    the same grades tie. A task weight is the number of voters of a column.

    Notes
    -----
    Medians of different numbers of voters are compared by shares, as if each candidate's voters
    were repeated up to one common number. A voter who leaves a candidate out does not count for it:
    enter the lowest grade if a blank means that. Scores are the majority grades.

    References
    ----------
    Balinski and Laraki (2007), https://doi.org/10.1073/pnas.0702634104.

    Examples
    --------
    >>> import rankagg as ra
    >>> grades = [[4, 4, 3, 1, 0], [3, 3, 3, 3, 2], [4, 3, 2, 2, 2]]
    >>> ballots = ra.ScoreTable(grades, systems=["Ann", "Bob", "Cid"], higher_is_better=True)
    >>> ra.MajorityJudgment().aggregate(ballots).ranking
    <Permutation Bob > Ann > Cid>
    """

    needs: ClassVar[Needs] = "scores"
    reads_unranked: ClassVar[ReadsUnranked] = "as observed"
    command_names: ClassVar = {"majority-judgment": {}}

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        table = evidence.means
        votes = exact.as_rational(table.weight_vector).numerators
        scores = table.task_scores(signed=True)
        graded = np.flatnonzero(~np.isnan(scores).all(axis=1))
        rows = _middle_out([_grades(scores[item], votes) for item in graded])
        ordered = sorted(rows)
        ranks = np.full(table.n_systems, UNRANKED)
        ranks[graded] = [len(rows) - bisect_right(ordered, row) for row in rows]
        medians = np.full(table.n_systems, np.nan)
        medians[graded] = [row[0] for row in rows]
        return Outcome(medians, as_ranking(ranks, table.systems))


def _grades(scores: Floats, votes: Integers) -> Grades:
    """Return the distinct grades, and the numbers of votes for each or a lower one."""
    given = ~np.isnan(scores)
    grades, which = np.unique(scores[given], return_inverse=True)
    counts = exact.count_cells(which, votes[given], len(grades))
    return grades.tolist(), list(accumulate(map(int, counts)))


def _middle_out(candidates: list[Grades]) -> list[tuple[float, ...]]:
    """Return the grades of each candidate in the order of their removal, the median first.

    Repeated removal of the median visits the grades from the middle to both ends, the lower side
    first. Steps are common to all candidates: at the end of each some grade changes.
    """
    total = lcm(*(counts[-1] for _, counts in candidates))
    # Twice the distance from the middle, below 0 on the lower side, where a grade ends.
    ends = [
        [2 * n * (total // counts[-1]) - total for n in counts[:-1]] for _, counts in candidates
    ]
    steps = sorted({0, *(abs(end) for each in ends for end in each)})
    return [
        tuple(
            grade
            for step in steps
            for grade in (grades[bisect_left(each, -step)], grades[bisect_right(each, step)])
        )
        for (grades, _), each in zip(candidates, ends, strict=True)
    ]
