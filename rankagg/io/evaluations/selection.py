"""One table out of many scores: a level, a metric for each task, a direction, and one run."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import islice
from typing import cast

import numpy as np

from rankagg._typing import Label
from rankagg._validation import check_choice, check_flag
from rankagg.core.items import counted, listed, shortened
from rankagg.core.scores.table import ScoreTable
from rankagg.core.value import Value
from rankagg.exceptions import InvalidInputError
from rankagg.io.evaluations.collected import WHOLE_TASK, Scores, Series
from rankagg.io.evaluations.metrics import chosen_metrics, directions
from rankagg.io.evaluations.repetitions import combined, named_apart

__all__ = ["Selection", "select"]

# Settings of one task that are told.
KINDS = 4


class Selection(Value):
    """A table of scores, and what was done to make it of evaluations.

    Made by `Evaluations.select`.

    Attributes
    ----------
    table : ScoreTable
        The scores.
    notes : tuple of str
        What was read, left out, chosen and averaged, a line each.
    """

    table: ScoreTable
    notes: tuple[str, ...]

    def __init__(self, *, table: ScoreTable, notes: Iterable[str]) -> None:
        self._set(table=table, notes=tuple(notes))

    def _key(self) -> tuple[Hashable, ...]:
        return self.table, self.notes

    def __repr__(self) -> str:
        return f"<Selection: {repr(self.table)[1:-1]}>"

    def __str__(self) -> str:
        return "\n".join([repr(self.table)[1:-1], *self.notes])


def select(
    series: Sequence[Series],
    instances: Sequence[Label],
    scores: Scores,
    notes: Sequence[str],
    *,
    metric: str | Iterable[str] | Mapping[str, str] | None,
    by: str | None,
    runs: str | None,
    groups: bool,
    higher_is_better: bool | Mapping[str, bool] | None,
) -> Selection:
    """Return one table, and the notes with what was done; see `Evaluations.table`."""
    if by is not None:
        check_choice(by, ("task", "instance"), "by")
    if runs is not None:
        check_choice(runs, ("mean", "first", "last", "each"), "runs")
    told = list(notes)
    wanted = _wanted(metric)
    is_task = scores.instance == WHOLE_TASK
    of_tasks = _present(series, scores.series[is_task])
    of_instances = _present(series, scores.series[~is_task])
    at_instances, told_level = _level(series, of_tasks, of_instances, by, wanted)
    told += told_level
    candidates = of_instances if at_instances else of_tasks
    candidates, dropped = _without_groups(series, candidates, check_flag(groups, "groups"))
    told += dropped
    kept, told_metrics = chosen_metrics(series, candidates, wanted)
    told += told_metrics
    better, told_directions = directions([series[n] for n in kept], higher_is_better)
    told += told_directions
    told += _settings([series[n] for n in kept])
    rows = np.flatnonzero(np.isin(scores.series, kept) & (is_task != at_instances))
    chosen = Scores(*(column[rows] for column in scores))
    if runs == "each":
        named, chosen, told_runs = named_apart(series, chosen)
    else:
        named, told_runs = list(series), []
    table, told_means = combined(named, instances, chosen, better, runs, at_instances=at_instances)
    return Selection(table=table, notes=[*told, *told_runs, *told_means])


def _wanted(metric: object) -> list[str] | dict[str, str] | None:
    if metric is None or isinstance(metric, str):
        return None if metric is None else [metric]
    if isinstance(metric, Mapping):
        names: list[object] = [*metric, *metric.values()]
        result: list[str] | dict[str, str] = cast("dict[str, str]", dict(metric))
    elif isinstance(metric, Iterable):
        names = list(metric)
        result = cast("list[str]", names)
    else:
        names = [metric]
        result = []
    if not names or not all(isinstance(name, str) for name in names):
        raise InvalidInputError(
            "metric", "a name, several names, or a mapping from task to name", metric
        )
    return result


def _present(series: Sequence[Series], numbers: np.ndarray) -> list[int]:
    counts = np.bincount(numbers, minlength=len(series))
    return np.flatnonzero(counts).tolist()


def _level(
    series: Sequence[Series],
    of_tasks: list[int],
    of_instances: list[int],
    by: str | None,
    wanted: list[str] | dict[str, str] | None,
) -> tuple[bool, list[str]]:
    """Say whether scores of instances are taken, and why where it was not asked for."""
    if by is not None:
        found = of_instances if by == "instance" else of_tasks
        if not found:
            other = "task" if by == "instance" else "instance"
            raise InvalidInputError(
                "by", f"{other!r} for these files", by,
                f"They have no scores of {'instances' if by == 'instance' else 'whole tasks'}.",
            )  # fmt: skip
        return by == "instance", []
    names = None if wanted is None else set(wanted if isinstance(wanted, list) else wanted.values())
    tasks, instances = (
        {(series[n].system, series[n].task) for n in numbers
         if names is None or series[n].metric in names}
        for numbers in (of_tasks, of_instances)
    )  # fmt: skip
    if not instances:
        return not of_tasks, []
    if tasks <= instances:
        return True, []
    pairs = counted(len(tasks), "pair")
    return False, [
        f"scores: of whole tasks; those of instances are there for {len(tasks & instances)} of "
        f"{pairs} of a system and a task"
    ]


def _without_groups(
    series: Sequence[Series], candidates: list[int], groups: bool
) -> tuple[list[int], list[str]]:
    """Leave out groups of tasks, or the tasks of groups, so that nothing counts twice."""
    tasks: dict[str, set[str]] = {}
    inside: dict[str, set[str]] = {}
    for n in candidates:
        tasks.setdefault(series[n].run, set()).add(series[n].task)
        inside.setdefault(series[n].run, set()).update(series[n].group)
    if groups:
        kept = [n for n in candidates if series[n].task not in inside[series[n].run]]
    else:
        kept = [n for n in candidates if tasks[series[n].run].isdisjoint(series[n].group)]
    out = list(dict.fromkeys(series[n].task for n in candidates if n not in set(kept)))
    if not out:
        return kept, []
    what = "tasks of groups" if groups else "groups of tasks that are here themselves"
    return kept, [f"left out: {what}: {listed(out)}"]


def _settings(chosen: Sequence[Series]) -> list[str]:
    """Say where runs of one task had different settings."""
    found: dict[str, dict[str, set[str]]] = {}
    for series in chosen:
        found.setdefault(series.task, {}).setdefault(series.settings, set()).add(series.system)
    different = {task: kinds for task, kinds in found.items() if len(kinds) > 1}
    if not different:
        return []
    task, kinds = next(iter(different.items()))
    told = "; ".join(
        f"{shortened(settings) or 'not stated'} ({counted(len(systems), 'system')})"
        for settings, systems in islice(kinds.items(), KINDS)
    )
    told += "; ..." if len(kinds) > KINDS else ""
    more = (
        f", and so on in {counted(len(different) - 1, 'more task')}"
        if different.keys() - {task}
        else ""
    )
    return [f"settings differ: {shortened(task)}: {told}{more}"]
