"""Pages of scores of systems on tasks, with means only on one scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

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
    quantity,
    sentence,
)
from rankagg.report.findings import Findings, Kind, QuietColumn
from rankagg.report.sections import UNKNOWN, PageTable, Section, fact, number, page_table

# Effect of missing tasks on win rates, by policy.
MISSING_TASKS = {
    "uniform": "A missing task counts with the expected wins of a random rank.",
    "ignore": "A task counts for two systems if neither lacks it.",
    "last": "A missing task is lost to all systems that have it.",
}


@dataclass(frozen=True)
class ScoresKind(Kind):
    """Table of scores, or its summary."""

    data: ScoreTable | ScoreSummary
    name: ClassVar[str] = "scores"
    holds: ClassVar[Any] = ScoreTable | ScoreSummary
    words: ClassVar[Words] = SCORED

    @property
    def has_instances(self) -> bool:
        """Whether tasks have instances."""
        return isinstance(self.data, ScoreSummary) or self.data.is_instance_level

    @property
    def complete_unit(self) -> str:  # type: ignore[override]
        """Noun for a unit: a task, or an instance of one."""
        return "instance" if self.has_instances else "task"

    def unit_word(self, unit: str) -> str:
        """Return the unit itself: a ranking may be that of an instance."""
        return unit

    @property
    def no_mean(self) -> str:
        """Sentence on why scores have no mean; empty if they have one."""
        lower = [task for task, higher in self.data.higher_is_better.items() if not higher]
        if 0 < len(lower) < self.data.n_tasks:
            text = "No mean score is shown: lower is better on {}, higher on other tasks."
            return sentence(text, listing(lower, len(lower)))
        text = "No mean score is shown: {} has another scale than {}."
        tasks = other_scale(self.data)
        return text.format(*map(named, tasks)) if tasks else ""

    def rules(self) -> list[Aggregator]:
        """Return the default rules, without the mean if scores have none."""
        return [rule for rule in super().rules() if not (self.no_mean and isinstance(rule, Mean))]

    def numbers(self, findings: Findings) -> list[tuple[str, str]]:
        """Return the numbers of tasks and of instances."""
        numbers = [number(self.data.n_tasks, "task", "tasks")]
        if self.has_instances:
            numbers.append(number(self._n_instances(findings), "instance", "instances"))
        return numbers

    def columns(self, findings: Findings) -> tuple[QuietColumn, ...]:
        """Return mean scores, or else win rates."""
        means = self._means(findings)
        if means is not None:
            return (QuietColumn("Mean score", _aligned(means)),)
        (won,) = super().columns(findings)
        return (QuietColumn("Win rate", won.texts),)

    def _means(self, findings: Findings) -> Floats | None:
        """Return mean scores by the rule, or None."""
        by_mean = [c for c in findings.comparison.consensuses if type(c.rule) is Mean]
        if self.no_mean or not by_mean or by_mean[0].scores is None:
            return None
        scores = np.asarray(by_mean[0].scores, dtype=float)
        # The rule negates scores if lower is better.
        return scores if any(self.data.higher_is_better.values()) else -scores

    def caption(self, findings: Findings) -> list[str]:
        """Explain the column of means or win rates."""
        gaps = bool(findings.missing and findings.missing.n_missing)
        if self._means(findings) is None:
            won = "Win rate: share of other systems beaten, over all tasks; a tie is half."
            sentences = [self.no_mean, won, MISSING_TASKS[self.data.unranked] * gaps]
        else:
            lower = not any(self.data.higher_is_better.values())
            means = "Means cover the tasks that a system has, so not all are comparable."
            sentences = ["A lower mean score is better." * lower, means * gaps]
        return [*filter(None, sentences)]

    def shape(self, findings: Findings) -> list[tuple[str, object]]:
        """Return facts on tasks, instances and scores."""
        data: Any = self.data
        facts = [fact("Tasks", data.n_tasks)]
        lower = [task for task, higher in data.higher_is_better.items() if not higher]
        facts.append(("Lower is better on", listing(lower, len(lower)) if lower else "no task"))
        total, missing = data.n_units * data.n_systems, data.n_missing
        if self.has_instances:
            together = quantity(self.data.n_units, "units", ",")
            different = quantity(self._n_instances(findings), "instances", ",")
            facts.append(("Instances", sentence("{}; {} over all tasks", different, together)))
        there = part_of(total - missing, "cells there", total, "cells", form=",")
        gaps = quantity(missing, "cells missing", ",", of=total)
        facts.append(("Scores", sentence("{}; {} missing", there, gaps)))
        if isinstance(data, ScoreSummary):
            if data.n_empty:
                name, empty = fact("Instances without any score", data.n_empty)
                facts.append((name, sentence("{}, left out", empty)))
            facts.append(("Data", "sums of scores, not the scores themselves"))
        weights = [
            sentence("{} {}", task, quantity(w, "task weight", "g"))
            for task, w in data.task_weights.items()
            if w != 1
        ]
        if weights:
            facts.append(("Task weights other than 1", joined(weights, ", ")))
        return facts

    def _n_instances(self, findings: Findings) -> int:
        """Return the number of instances; one shared by tasks counts once, as for decisions."""
        basis = None if findings.ranks is None else findings.ranks.decisions.basis
        return basis.n_units if basis and basis.word == "instance" else self.data.n_units

    def caveat(self, findings: Findings) -> str:
        """Name the dependence of tasks or instances."""
        if findings.unit == "instance":
            return (
                "Scores of one instance on different tasks may depend on each other, so they are "
                "averaged first. The tasks are taken as given."
            )
        if isinstance(self.data, ScoreSummary):
            return (
                "Each instance of each task counts as independent. Scores of one instance on "
                "several tasks or metrics are not: then the true uncertainty is larger."
            )
        return (
            "If only these tasks matter, there is nothing to infer. If tasks resemble each other, "
            "as those of one benchmark do, the true uncertainty is larger."
        )

    def opening(self, findings: Findings) -> list[Section]:
        """Return the scores of each task."""
        many = quantity(self.data.n_tasks, "tasks", ",", "task")
        section = Section("scores", "Scores", is_open=True).headline(many)
        return [section.table(self._table(findings))]

    def _table(self, findings: Findings) -> PageTable:
        values, order = self.data.task_scores(), findings.order
        frame: dict[str, Any] = dict(findings.rows())
        headings, meanings, categories, cells = {}, {}, {}, {}
        for k, task in enumerate(self.data.tasks):
            # Columns need different names, and a task may have the name of another column.
            column, higher = f"task {k}", self.data.higher_is_better[task]
            frame[column] = values[order, k]
            texts, best = _aligned(values[:, k]), (np.nanmax if higher else np.nanmin)(values[:, k])
            cells[column] = {
                "text": [texts[i] for i in order.tolist()],
                "is_best": (values[order, k] == best).tolist(),
            }
            headings[column] = str(task)
            meanings[column] = "" if higher else "lower is better"
            categories[column] = " ".join(str(self.about.categories.get(task, "")).split())
        means = self._means(findings)
        if means is not None:
            # Means over different tasks cannot be compared.
            shown = np.where(np.isnan(values).any(axis=1), np.nan, means)[order]
            frame["Mean"], cells["Mean"] = shown, {"text": _aligned(shown)}
        return page_table(
            pd.DataFrame(frame),
            "Scores by task; the best of each in bold",
            headings=headings,
            meanings=meanings,
            text=["System"],
            cells=cells,
            categories=categories,
        )

    def duels(self, findings: Findings) -> tuple[str, Floats, Floats]:
        """Return wins in tasks or instances, or in votes if these have weights."""
        _, wins, ties = super().duels(findings)
        is_fractional = len(set(self.data.task_weights.values())) > 1 or findings.has_shared_votes
        return "vote" if is_fractional else self.complete_unit, wins, ties


def _aligned(values: Floats) -> list[str]:
    """Format numbers alike, with three to nine digits of the largest, to tell them apart.

    Exponents are for numbers that are very large, very small, or of very different size.
    """
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    forms = [f"z.{digits}e" for digits in range(2, 9)]
    if not largest or 1e-4 <= largest < 1e7:
        decimals = 0 if not largest else max(2 - int(np.floor(np.log10(largest))), 0)
        forms = [*(f"z.{decimals + more}f" for more in range(7)), *forms]
    columns = ([f"{value:{form}}" for value in values] for form in forms)
    different = len({f"{value:{forms[-1]}}" for value in values})
    texts = next(column for column in columns if len({*column}) >= different)
    return [
        text.replace("-", "\N{MINUS SIGN}") if np.isfinite(value) else UNKNOWN
        for text, value in zip(texts, values, strict=True)
    ]
