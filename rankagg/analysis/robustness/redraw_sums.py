"""What scores add up to, drawn again by groups of instances or by tasks, and aggregated anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Label
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.evidence import Evidence
from rankagg.analysis.robustness.redraw import Span, span_of
from rankagg.core.sums.summary import ScoreSummary
from rankagg.core.sums.task_tally import TaskTally
from rankagg.exceptions import InformationLostError
from rankagg.inference.intervals.bootstrap import resample_counts
from rankagg.inference.summed_units import WITH_GROUPS
from rankagg.inference.units import Unit

__all__ = ["RedrawSums"]


@dataclass(frozen=True, eq=False)
class RedrawSums:
    """Sums of scores with other frequencies of their groups or tasks, aggregated again.

    Attributes
    ----------
    summary : ScoreSummary
        The sums; those of groups unless tasks are drawn.
    rule : Aggregator
        What aggregates.
    unit : {"ranking", "instance", "task"}
        What is independent: a group stands for its instances in one task, or in all of them.
    fixed_tasks : bool
        Whether groups are drawn within each task.
    """

    summary: ScoreSummary
    rule: Aggregator
    unit: Unit
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
        """Draw how often each task, or each group of each task, occurs in each resample.

        Returns
        -------
        ndarray of int64, shape (times, n_tasks) or (times, n_tasks, n_groups)
        """
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
