"""The data drawn again and aggregated anew, and the ranks that each result leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Tolerance
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.resampling import resample_kemeny
from rankagg.aggregation.result import Consensus
from rankagg.core.profiles.profile import Profile
from rankagg.core.rankings import places
from rankagg.core.rankings.partial import PartialRanking
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.core.scores.checks import tolerance_within
from rankagg.core.scores.table import ScoreTable
from rankagg.exceptions import InvalidInputError

__all__ = ["Redraw", "Span", "span_of"]


@dataclass(frozen=True, eq=False)
class Span:
    """The ranks that one result leaves every item, from 1; 0 for an item without any.

    Attributes
    ----------
    best, worst : ndarray of int, shape (n,)
        The first and the last.
    can_win : ndarray of bool, shape (n,)
        Whether the item is first, perhaps tied, or in some optimum.
    is_proved : bool
        False where an exact rule did not prove its result.
    """

    best: NDArray[np.intp]
    worst: NDArray[np.intp]
    can_win: NDArray[np.bool_]
    is_proved: bool = True


@dataclass(frozen=True, eq=False)
class Redraw:
    """The data with other frequencies of their rankings, aggregated again.

    A task that is drawn several times weighs several times as much; other units are repeated.

    Attributes
    ----------
    data : Profile or ScoreTable
        As given.
    profile : Profile
        Their rankings.
    rule : Aggregator
        What aggregates.
    tolerance : float, mapping or Series from task to float
        Scores that differ by no more are tied.
    draws_tasks : bool
        Whether whole tasks are drawn.
    """

    data: Profile | ScoreTable
    profile: Profile
    rule: Aggregator
    tolerance: Tolerance
    draws_tasks: bool

    def whole(self) -> Evidence:
        """Return the data as they are."""
        return Evidence(self.data, self.tolerance)

    def spans(self, rows: NDArray[np.int64]) -> list[Span]:
        """Return the ranks of every item in each resample."""
        if isinstance(self.rule, Kemeny):
            base = Profile._trusted(
                self.profile.items, self.profile.ranks, weights=self.profile.weights
            )
            return [span_of(c) for c in resample_kemeny(base, rows, self.rule)]
        return [self._span(counts) for counts in rows]

    def _span(self, counts: NDArray[np.int64]) -> Span:
        evidence = self._evidence(counts)
        if evidence is None:
            nowhere = np.zeros(self.profile.n_items, dtype=np.intp)
            return Span(nowhere, nowhere, nowhere > 0)
        return span_of(self.rule.aggregate(evidence))

    def _evidence(self, counts: NDArray[np.int64]) -> Evidence | None:
        """Return a resample; None where no score was drawn at all."""
        if self.rule.needs == "scores" and isinstance(self.data, ScoreTable):
            table = self._table(self.data, counts)
            if table is None:
                return None
            steps = tolerance_within(self.tolerance, self.data.tasks, table.tasks)
            return Evidence(table, steps)
        kept = np.flatnonzero(counts)
        profile = self.profile[kept]
        times = counts[kept]
        if self.draws_tasks:
            own = profile.counts
            copies = {"counts": own, "weights": profile.weights * (times / own)}
        else:
            copies = {"counts": times, "weights": profile.weights}
        return Evidence(
            Profile._trusted(profile.items, profile.ranks, groups=profile.groups, **copies)
        )

    def _table(self, table: ScoreTable, counts: NDArray[np.int64]) -> ScoreTable | None:
        scored = ~table.missing.all(axis=0)
        times = np.where(scored, np.minimum(counts, 1) if self.draws_tasks else counts, 0)
        columns = np.repeat(np.arange(table.n_units), times)
        if not len(columns):
            return None
        tasks = [table.tasks[int(table.unit_tasks[u])] for u in columns]
        drawn = {task: float(counts[u]) for task, u in zip(tasks, columns, strict=True)}
        return ScoreTable(
            table.values[:, columns],
            systems=table.systems,
            tasks=tasks,
            instances=None if table.instances is None else range(len(columns)),
            higher_is_better={task: table.higher_is_better[task] for task in drawn},
            task_weights={
                task: table.task_weights[task] * (times if self.draws_tasks else 1.0)
                for task, times in drawn.items()
            },
        )


def span_of(consensus: Consensus) -> Span:
    """Return the ranks that a result leaves."""
    certificate = consensus.certificate
    if certificate is None or certificate.status != "optimal":
        return _span_of_ranking(consensus.ranking, is_proved=certificate is None)
    optima = consensus.optima
    if optima is None:
        is_held = getattr(consensus.aggregator, "constraints", None) is not None
        raise InvalidInputError(
            "aggregator", "a rule whose set of optima is known", consensus.aggregator,
            "Leave out `top` and `quotas` of the constraints." if is_held else "",
        )  # fmt: skip
    best, worst = optima.rank_ranges()
    return Span(best, worst, best == 1)


def _span_of_ranking(ranking: PartialRanking, *, is_proved: bool) -> Span:
    ranks = ranking.ranks[None, :]
    listed = int((ranks >= 0).sum())
    start = np.where(ranks == UNLISTED, listed, ranks)[0]
    size = 2 * (places.mid_ranks(ranks)[0] - start) + 1
    ranked = ranking.ranks != UNRANKED
    best = np.where(ranked, start + 1, 0)
    worst = np.where(ranked, start + size, 0).astype(np.intp)
    return Span(best, worst, best == 1, is_proved)
