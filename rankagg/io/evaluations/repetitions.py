"""Runs of one system: each a system of its own, or one score made of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Label
from rankagg.core.arithmetic.exact_sum import mean_by_group
from rankagg.core.items import counted, listed, shortened
from rankagg.core.scores.table import ScoreTable
from rankagg.exceptions import Described, InvalidInputError, shown
from rankagg.io.evaluations.collected import WHOLE_TASK, Scores, Series
from rankagg.io.tables.size import check_size

__all__ = ["combined", "named_apart"]

Codes = NDArray[np.int64]
# Pairs of system and task with several runs that are listed.
LISTED = 3


def named_apart(series: Sequence[Series], scores: Scores) -> tuple[list[Series], Scores, list[str]]:
    """Return series and scores with a system for each run, where a system has several on a task."""
    epochs: dict[tuple[str, str], set[tuple[str, int]]] = {}
    pairs = np.unique(np.stack([scores.series, scores.epoch]), axis=1).T.tolist()
    for number, epoch in pairs:
        one = series[number]
        epochs.setdefault((one.system, one.task), set()).add((one.run, epoch))
    repeated = {system for (system, _), found in epochs.items() if len(found) > 1}
    named: list[Series] = []
    numbers: dict[tuple[int, int], int] = {}
    with_epochs = {system for system in repeated if _has_epochs(system, epochs)}
    for number, epoch in pairs:
        one = series[number]
        label = one.system
        if one.system in repeated:
            told = f", epoch {epoch}" if label in with_epochs else ""
            label = f"{label} [{one.run}{told}]"
        numbers[number, epoch] = len(named)
        named.append(replace(one, system=label))
    if not repeated:
        return list(series), scores, []
    keys = zip(scores.series.tolist(), scores.epoch.tolist(), strict=True)
    apart = np.array([numbers[key] for key in keys])
    told = f"runs: each run of {listed(sorted(repeated))} is a system of its own"
    return named, scores._replace(series=apart, epoch=np.zeros_like(scores.epoch)), [told]


def _has_epochs(system: str, epochs: Mapping[tuple[str, str], set[tuple[str, int]]]) -> bool:
    return len({e for (name, _), found in epochs.items() if name == system for _, e in found}) > 1


def combined(
    series: Sequence[Series],
    instances: Sequence[Label],
    scores: Scores,
    better: Mapping[Label, bool],
    runs: str | None,
    *,
    at_instances: bool,
) -> tuple[ScoreTable, list[str]]:
    """Return the table, and which scores are of several runs and what became of them."""
    systems = list(dict.fromkeys(series[n].system for n in np.unique(scores.series).tolist()))
    tasks = list(dict.fromkeys(series[n].task for n in np.unique(scores.series).tolist()))
    at_system = _codes(series, scores, "system", systems)
    at_task = _codes(series, scores, "task", tasks)
    # Units in the order of tasks, and in that of the files within a task.
    width = len(instances) + 1
    keys, unit = np.unique(at_task * width + (scores.instance - WHOLE_TASK), return_inverse=True)
    unit = unit.reshape(-1)
    units = [
        (tasks[int(key) // width], instances[int(key) % width - 1] if at_instances else None)
        for key in keys
    ]
    _check_same_questions(scores, unit, units)
    check_size("what was read", (len(systems), "systems"), (len(keys), "units"), len(unit))
    cell = at_system * len(keys) + unit
    order = np.lexsort((scores.epoch, scores.series, cell))
    turn = _turns(cell[order])
    told = []
    if turn.max(initial=0) > 0:
        told = _told(series, scores, cell, runs)
    size = (len(systems), len(keys))
    values = _reduced(scores.score[order], cell[order], turn, size, runs)
    table = ScoreTable(
        values,
        systems=systems,
        tasks=[task for task, _ in units],
        instances=[cast(Label, instance) for _, instance in units] if at_instances else None,
        higher_is_better={task: better[task] for task in tasks},
    )
    return table, told


def _codes(series: Sequence[Series], scores: Scores, name: str, labels: Sequence[str]) -> Codes:
    at = {label: code for code, label in enumerate(labels)}
    codes = np.array([at.get(getattr(one, name), -1) for one in series], dtype=np.int64)
    return cast(Codes, codes[scores.series])


def _turns(cells: Codes) -> Codes:
    """Return the how-manieth score of its cell each one is, of sorted cells."""
    starts = np.flatnonzero(np.diff(cells, prepend=-1))
    sizes = np.diff(starts, append=len(cells))
    return np.arange(len(cells)) - np.repeat(starts, sizes)


def _reduced(
    scores: Floats, cells: Codes, turn: Codes, size: tuple[int, int], runs: str | None
) -> Floats:
    rows, columns = size
    values = np.full(rows * columns, np.nan)
    if runs != "mean" or turn.max(initial=0) == 0:
        # Of scores for one cell the last one that is written stays.
        at = np.flatnonzero(turn == 0) if runs == "first" else np.arange(len(cells))
        values[cells[at]] = scores[at]
        return values.reshape(size)
    depth = int(turn.max()) + 1
    check_size("what was read", (rows, "systems"), (columns * depth, "scores"), len(cells))
    deep = np.full((rows, columns * depth), np.nan)
    deep.reshape(-1)[cells * depth + turn] = scores
    groups = np.repeat(np.arange(columns), depth)
    return mean_by_group(deep, ~np.isnan(deep), groups, columns)


def _told(series: Sequence[Series], scores: Scores, cell: Codes, runs: str | None) -> list[str]:
    """Say which systems have several runs on a task; raises where nothing says what to do."""
    repeated = np.isin(cell, _repeated(cell))
    keys = np.stack([scores.series[repeated], scores.epoch[repeated]])
    found: dict[tuple[str, str], set[tuple[str, int]]] = {}
    for number, epoch in np.unique(keys, axis=1).T.tolist():
        one = series[number]
        found.setdefault((one.system, one.task), set()).add((one.run, epoch))
    told = [
        f"{counted(len(runs_), 'run')} of {shortened(system)} on {shortened(task)}"
        for (system, task), runs_ in list(found.items())[:LISTED]
    ]
    if len(found) > LISTED:
        told.append(f"so on for {counted(len(found) - LISTED, 'more pair')} of system and task")
    listing = ", ".join(told)
    if runs is None:
        raise InvalidInputError(
            "runs", "'mean', 'first', 'last' or 'each' where a system has several runs on a task",
            None, f"There are {listing}.",
        )  # fmt: skip
    what = {"mean": "the mean of", "first": "the first of", "last": "the last of"}[runs]
    return [f"runs: {what} {listing}"]


def _repeated(cell: Codes) -> Codes:
    cells, counts = np.unique(cell, return_counts=True)
    return cells[counts > 1]


def _check_same_questions(
    scores: Scores, unit: Codes, units: Sequence[tuple[str, Label | None]]
) -> None:
    """Raise where files give one name to different questions, as their checksums tell."""
    known = np.flatnonzero(scores.content)
    order = known[np.lexsort((scores.content[known], unit[known]))]
    same_unit = unit[order][1:] == unit[order][:-1]
    other = scores.content[order][1:] != scores.content[order][:-1]
    different = np.unique(unit[order][:-1][same_unit & other])
    if not len(different):
        return
    task, instance = units[int(different[0])]
    more = len(different) - 1
    raise InvalidInputError(
        "by", "'task' where one instance is another question in some files than in others",
        Described(
            f"instance {shown(instance)} of task {shown(task)}{f' and {more} more' if more else ''}"
        ),
        "Their checksums differ; files of one version of the task can be read by instance.",
    )  # fmt: skip
