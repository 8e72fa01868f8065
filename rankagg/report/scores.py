"""Scores of systems on tasks: those of each task, and means only where there is one scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankagg._typing import Floats
from rankagg.aggregation import SCORED, Aggregator, Mean, other_scale
from rankagg.core import (
    ScoreSummary,
    ScoreTable,
    Words,
    joined,
    listing,
    named,
    part_of,
    said,
    stated,
    unsigned,
)
from rankagg.report.findings import Findings, Kind, QuietColumn
from rankagg.report.sections import UNKNOWN, PageTable, Section, fact, number, table_of

# What a task is to the win rate of a system that lacks it.
LACKED = {
    "uniform": "A task that a system lacks counts with the wins to be expected there.",
    "ignore": "Tasks that one of two systems lacks do not count between them.",
    "last": "A task that a system lacks is lost to all who have it.",
}


@dataclass(frozen=True)
class ScoresKind(Kind):
    """A table of scores, or what they add up to."""

    data: ScoreTable | ScoreSummary
    name: ClassVar[str] = "scores"
    holds: ClassVar[Any] = ScoreTable | ScoreSummary
    words: ClassVar[Words] = SCORED

    @property
    def has_instances(self) -> bool:
        """Whether tasks have instances."""
        return isinstance(self.data, ScoreSummary) or self.data.is_instance_level

    @property
    def whole(self) -> str:  # type: ignore[override]
        """A task, or an instance of one."""
        return "instance" if self.has_instances else "task"

    def word_of(self, unit: str) -> str:
        """Return the unit itself: a ranking may be one of an instance."""
        return unit

    @property
    def no_mean(self) -> str:
        """Why scores of different tasks have no mean; empty where they have one."""
        lower = [task for task, higher in self.data.higher_is_better.items() if not higher]
        if 0 < len(lower) < self.data.n_tasks:
            told = "No mean of scores is shown: lower is better on {}, higher on other tasks."
            return said(told, listing(lower, len(lower)))
        told = "No mean of scores is shown: those on {} are on another scale than those on {}."
        tasks = other_scale(self.data)
        return told.format(*map(named, tasks)) if tasks else ""

    def rules(self) -> list[Aggregator]:
        """Return the usual rules, without means where scores have none."""
        rules = super().rules()
        return [rule for rule in rules if not (self.no_mean and isinstance(rule, Mean))]

    def numbers(self, findings: Findings) -> list[tuple[str, str]]:
        """Return tasks, and instances where there are some."""
        told = [number(self.data.n_tasks, "task", "tasks")]
        if self.has_instances:
            told.append(number(self._n_instances(findings), "instance", "instances"))
        return told

    def columns(self, findings: Findings) -> tuple[QuietColumn, ...]:
        """Return means where there are some, else the share of others that a system beats."""
        means = self._means(findings)
        if means is not None:
            return (QuietColumn("Mean score", _aligned(means)),)
        (won,) = super().columns(findings)
        return (QuietColumn("Win rate", won.texts),)

    def _means(self, findings: Findings) -> Floats | None:
        """Return the means by the rule of them; None where scores have none."""
        known = [c for c in findings.comparison.consensuses if type(c.rule) is Mean]
        if self.no_mean or not known or known[0].scores is None:
            return None
        scores = np.asarray(known[0].scores, dtype=float)
        # The rule negates scores of which less is better.
        return scores if any(self.data.higher_is_better.values()) else -scores

    def caption(self, findings: Findings) -> list[str]:
        """Say what the column of numbers is, and what it is not."""
        if self._means(findings) is None:
            won = (
                "Win rate: the share of others that a system beats, over all tasks; a tie is half."
            )
            gaps = findings.missing is not None and findings.missing.n_missing
            missing = LACKED[self.data.unranked] if gaps else ""
            return [text for text in (self.no_mean, won, missing) if text]
        told = []
        if not any(self.data.higher_is_better.values()):
            told.append("A lower mean score is better.")
        if findings.missing is not None and findings.missing.n_missing:
            told.append(
                "Means are over the tasks that a system has, and so are not all comparable."
            )
        return told

    def shape(self, findings: Findings) -> list[tuple[str, object]]:
        """Return tasks, instances and scores."""
        data: Any = self.data
        facts = [fact("Tasks", data.n_tasks)]
        lower = [task for task, higher in data.higher_is_better.items() if not higher]
        facts.append(
            ("A lower score is better", listing(lower, len(lower)) if lower else "nowhere")
        )
        total, missing = data.n_units * data.n_systems, data.n_missing
        if self.has_instances:
            together = stated(self.data.n_units, "units", ",")
            different = stated(self._n_instances(findings), "instances", ",")
            told = said("{}; {} in all tasks together", different, together)
            facts.append(("Instances", told))
        there = part_of(total - missing, "cells there", total, "cells", form=",")
        gaps = stated(missing, "cells missing", ",", of=total)
        facts.append(("Scores", said("{}; {} missing", there, gaps)))
        if isinstance(data, ScoreSummary):
            if data.n_empty:
                name, empty = fact("Instances without any score", data.n_empty)
                facts.append((name, said("{}, left out", empty)))
            facts.append(("Held", "what the scores add up to, not the scores themselves"))
        weights = [
            said("{} {}", task, stated(w, "task weight", "g"))
            for task, w in data.task_weights.items()
            if w != 1
        ]
        if weights:
            facts.append(("Task weights other than 1", joined(weights, ", ")))
        return facts

    def _n_instances(self, findings: Findings) -> int:
        """Return how many there are; those that tasks have in common are one, as for decisions."""
        basis = None if findings.ranks is None else findings.ranks.decisions.basis
        is_told = basis is not None and basis.word == "instance"
        return basis.n_units if basis is not None and is_told else self.data.n_units

    def caveat(self, findings: Findings) -> str:
        """Say what tasks, or instances, have in common."""
        if findings.unit == "instance":
            return (
                "Scores of different tasks on one instance may depend on each other; they are "
                "averaged first. The tasks themselves are taken as given."
            )
        if isinstance(self.data, ScoreSummary):
            return (
                "Every instance of every task counts as independent of the others. Scores of "
                "different tasks on one instance, or several metrics of it, are not: then the true "
                "uncertainty is larger."
            )
        return (
            "If these tasks are all that matters, there is nothing to infer; if tasks resemble "
            "each other, as those of one benchmark do, the true uncertainty is larger."
        )

    def opening(self, findings: Findings) -> list[Section]:
        """Return the scores of each task."""
        many = stated(self.data.n_tasks, "tasks", ",", "task")
        section = Section("scores", "Scores", is_open=True).told(many)
        return [section.table(self._table(findings))]

    def _table(self, findings: Findings) -> PageTable:
        values, order = self.data.task_scores(), findings.order
        frame = findings.rows()
        headings, meanings, categories, cells = {}, {}, {}, {}
        for k, task in enumerate(self.data.tasks):
            # Columns of a frame have different names; a task may be called as another column.
            column, higher = f"task {k}", self.data.higher_is_better[task]
            frame[column] = values[order, k]
            texts, best = _aligned(values[:, k]), (np.nanmax if higher else np.nanmin)(values[:, k])
            cells[column] = {
                "text": [texts[i] for i in order.tolist()],
                "is_best": (values[order, k] == best).tolist(),
            }
            headings[column] = str(task)
            meanings[column] = "" if higher else "lower is better"
            categories[column] = str(self.told.categories.get(task, ""))
        means = self._means(findings)
        if means is not None:
            # Those over other tasks cannot be compared.
            shown = np.where(np.isnan(values).any(axis=1), np.nan, means)[order]
            frame["Mean"], cells["Mean"] = shown, {"text": _aligned(shown)}
        return table_of(
            frame,
            "Scores by task; the best of each in bold",
            headings=headings,
            meanings=meanings,
            text=["System"],
            cells=cells,
            categories=categories,
        )

    def duels(self, findings: Findings) -> tuple[str, Floats, Floats]:
        """Return tasks, or instances, won between two systems; votes where they have weights."""
        _, wins, ties = super().duels(findings)
        is_weighted = len(set(self.data.task_weights.values())) > 1
        whole = not (is_weighted or findings.has_shared_votes)
        return self.whole if whole else "vote", wins, ties


def _aligned(values: Floats) -> list[str]:
    """Write numbers with so many decimals that the largest has three digits that count."""
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max(initial=0.0))
    if largest >= 1e7 or 0 < largest < 1e-4:
        texts = [f"{value:.2e}" for value in values]
    else:
        decimals = 0 if not largest else int(np.clip(2 - np.floor(np.log10(largest)), 0, 6))
        texts = [unsigned(f"{value:.{decimals}f}") for value in values]
    return [
        text.replace("-", "\N{MINUS SIGN}") if np.isfinite(value) else UNKNOWN
        for text, value in zip(texts, values, strict=True)
    ]
