"""Data drawn again and aggregated anew: rankings, comparisons, and what scores add up to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers, Label, Tolerance
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.resampling import resample_kemeny
from rankagg.aggregation.result import Consensus
from rankagg.core.arithmetic import exact
from rankagg.core.comparisons import Comparisons
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.profile import Profile
from rankagg.core.rankings import places
from rankagg.core.rankings.partial import PartialRanking
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.core.score_summary import ScoreSummary
from rankagg.core.scores import ScoreTable, tolerance_within
from rankagg.core.task_tally import TaskTally
from rankagg.exceptions import InformationLostError, InvalidInputError
from rankagg.inference.intervals.bootstrap import resample_counts
from rankagg.inference.ranks.comparison_units import ComparisonUnit
from rankagg.inference.summed_units import WITH_GROUPS
from rankagg.inference.units import Unit

__all__ = ["Redraw", "RedrawComparisons", "RedrawSums", "Span", "span_of"]


@dataclass(frozen=True, eq=False)
class Span:
    """The ranks that one result leaves every item, from 1; 0 for an item without any."""

    # Shape (n,). The first and the last.
    best: NDArray[np.intp]
    worst: NDArray[np.intp]
    # Shape (n,). Whether the item is first, perhaps tied, or in some optimum.
    can_win: NDArray[np.bool_]
    # False where an exact rule did not prove its result.
    is_proved: bool = True


@dataclass(frozen=True, eq=False)
class Redraw:
    """The data with other frequencies of their rankings, aggregated again.

    A task that is drawn several times weighs several times as much; other units are repeated.
    """

    data: Profile | ScoreTable
    profile: Profile
    rule: Aggregator
    # Scores that differ by no more are tied.
    tolerance: Tolerance
    # Whether whole tasks are drawn.
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


@dataclass(frozen=True, eq=False)
class RedrawComparisons:
    """Sums of equal comparisons, and with which others they are drawn."""

    data: Comparisons
    rule: Aggregator
    # Shape (r,). The winner times n and the loser of each sum; with n * n more where they tied.
    cells: NDArray[np.intp]
    # Shape (r,). What each sum is drawn with.
    owners: NDArray[np.intp]
    # Shape (r,). What it counts if that is drawn once, times `denominator`.
    votes: Integers
    # How likely each owner is drawn.
    shares: NDArray[np.float64]
    # How many draws make a resample.
    size: int
    denominator: int

    @classmethod
    def of(cls, data: Comparisons, rule: Aggregator, unit: ComparisonUnit) -> RedrawComparisons:
        """Prepare to draw comparisons or clusters."""
        n, m = data.n_items, len(data)
        forward = data.outcomes >= 0
        above = np.where(forward, data.first, data.second)
        below = np.where(forward, data.second, data.first)
        cells = above * n + below + np.where(data.outcomes == 0, n * n, 0)
        distinct = np.ones(1) if data.weights is None else np.unique(data.weights)
        # What a weight is read as does not depend on which ones are drawn.
        importance = exact.as_rational(distinct)
        kind = np.zeros(m, dtype=np.intp)
        if data.weights is not None:
            kind = np.searchsorted(distinct, data.weights)
        key = cells * len(distinct) + kind
        if unit == "comparison" or data.clusters is None:
            found, times = np.unique(key, return_counts=True)
            owners, shares, size = np.arange(len(found)), times / m, m
            times = np.ones(len(found), dtype=np.int64)
        else:
            present, members = np.unique(data.clusters, return_inverse=True)
            width = 2 * n * n * len(distinct)
            together, times = np.unique(members * width + key, return_counts=True)
            owners, found = together // width, together % width
            size = len(present)
            shares = np.full(size, 1.0 / size)
        return cls(
            data=data,
            rule=rule,
            cells=found // len(distinct),
            owners=owners,
            votes=exact.multiply(times, importance.numerators[found % len(distinct)]),
            shares=shares,
            size=size,
            denominator=importance.denominator,
        )

    def whole(self) -> Evidence:
        """Return the comparisons as they are."""
        return Evidence(self.data)

    def draw(self, times: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw how often each owner occurs in each resample, shape (times, owners)."""
        return rng.multinomial(self.size, self.shares, size=times)

    def spans(self, rows: NDArray[np.int64]) -> list[Span]:
        """Return the ranks of every item in each resample."""
        return [span_of(self.rule.aggregate(self.resampled(counts))) for counts in rows]

    def resampled(self, counts: NDArray[np.int64]) -> PairwiseMatrix:
        """Return the votes of a resample."""
        n = self.data.n_items
        weights = exact.multiply(counts[self.owners], self.votes)
        both = exact.count_cells(self.cells, weights, 2 * n * n).reshape(2, n, n)
        won, tied = both[0], exact.combine(both[1], 1, both[1].T, 1)
        against = exact.combine(won, 1, won.T, 1)
        return PairwiseMatrix(
            items=self.data.items,
            scaled_wins=won,
            scaled_ties=tied,
            scaled_comparisons=exact.combine(against, 1, tied, 1),
            denominator=self.denominator,
        )


@dataclass(frozen=True, eq=False)
class RedrawSums:
    """Sums of scores with other frequencies of their groups or tasks, aggregated again."""

    # The sums; those of groups unless tasks are drawn.
    summary: ScoreSummary
    rule: Aggregator
    # What is independent: a group stands for its instances in one task, or in all of them.
    unit: Unit
    # Whether groups are drawn within each task.
    fixed_tasks: bool

    def __post_init__(self) -> None:
        if self.unit != "task" and self.summary.n_groups is None:
            raise InformationLostError(
                f"unit={self.unit!r} needs rankings, or groups of instances; this ScoreSummary "
                f"does not hold them. Read the scores with `read_scores`, {WITH_GROUPS}, or draw "
                "tasks with unit='task'."
            )

    def in_order(self) -> RedrawSums:
        """Return the same with one order of tasks, as that in files must change no draw.

        Tasks that are drawn keep theirs: so they are the same as those of a table.
        """
        if self.unit == "task":
            return self
        return replace(self, summary=self.summary.sorted_by_task())

    def whole(self) -> Evidence:
        """Return the sums as they are."""
        return Evidence(self.summary)

    def draw(self, times: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw how often each task, or each group of each task, occurs in each resample."""
        tasks = self.summary.n_tasks
        if self.unit == "task":
            return _drawn(np.zeros(tasks, dtype=np.intp), times, rng)
        n_groups = self.summary.n_groups
        assert n_groups is not None, "it was checked"
        scored = np.zeros((tasks, n_groups), dtype=bool)
        for row, grouped in zip(scored, self.summary.grouped.values(), strict=True):
            row[[group for group, tally in grouped.parts.items() if tally.n_units]] = True
        counts = np.zeros((times, tasks, n_groups), dtype=np.int64)
        if self.unit == "instance":
            some = np.flatnonzero(scored.any(axis=0))
            counts[:, :, some] = _drawn(np.zeros(len(some), dtype=np.intp), times, rng)[:, None, :]
            return counts
        task, group = np.nonzero(scored)
        counts[:, task, group] = _drawn(task if self.fixed_tasks else task * 0, times, rng)
        return counts

    def spans(self, rows: NDArray[np.int64]) -> list[Span]:
        """Return the ranks of every item in each resample."""
        return [self._span(counts) for counts in rows]

    def _span(self, counts: NDArray[np.int64]) -> Span:
        drawn = self._drawn_tasks(counts) if self.unit == "task" else self._drawn_groups(counts)
        if drawn is None:
            nowhere = np.zeros(self.summary.n_systems, dtype=np.intp)
            return Span(nowhere, nowhere, nowhere > 0)
        return span_of(self.rule.aggregate(Evidence(drawn)))

    def _drawn_tasks(self, counts: NDArray[np.int64]) -> ScoreSummary:
        weights = self.summary.task_weights
        times = dict(zip(self.summary.tasks, counts.tolist(), strict=True))
        tallies = {task: self.summary.tallies[task] for task, many in times.items() if many}
        return self._of(tallies, {task: weights[task] * times[task] for task in tallies})

    def _drawn_groups(self, counts: NDArray[np.int64]) -> ScoreSummary | None:
        """Return a resample; None where no score was drawn at all."""
        drawn = {
            task: grouped.drawn(times)
            for (task, grouped), times in zip(self.summary.grouped.items(), counts, strict=True)
        }
        tallies = {task: tally for task, tally in drawn.items() if tally is not None}
        return self._of(tallies, self.summary.task_weights) if tallies else None

    def _of(
        self, tallies: Mapping[Label, TaskTally], weights: Mapping[Label, float]
    ) -> ScoreSummary:
        directions = self.summary.higher_is_better
        return ScoreSummary(
            self.summary.systems,
            tallies,
            higher_is_better={task: directions[task] for task in tallies},
            task_weights={task: weights[task] for task in tallies},
        )


def _drawn(strata: NDArray[np.intp], times: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return resample_counts(np.ones(len(strata)), strata, times, rng)
