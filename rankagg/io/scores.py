"""Score tables from CSV and TSV files and DataFrames."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Label
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError
from rankagg.io.text import Source, TextTable, read_table

__all__ = ["read_scores"]


def read_scores(
    source: Source | pd.DataFrame,
    *,
    higher_is_better: bool | Mapping[Label, bool],
    system: Label | None = None,
    task: Label | None = None,
    instance: Label | None = None,
    score: Label | None = None,
    drop: Iterable[Label] = (),
    task_weights: Mapping[Label, float] | None = None,
) -> ScoreTable:
    r"""Read scores of systems on tasks, or on the instances of tasks.

    Three forms are told apart by the columns that are named:

    * task level (name none): one row per system, one column per task;
    * instance level, wide (`instance`): one row per system and instance, one column per task;
    * long (`task` and `score`, with `instance` or without): one row per score.

    Parameters
    ----------
    source : path, text stream or pandas.DataFrame
        A UTF-8 text file with a header, its cells separated by commas, tabs or semicolons. An
        empty cell, or NA, NaN, null, none in any case, is a missing score. A DataFrame's index,
        unless it is a plain range, becomes its first column.
    higher_is_better : bool or mapping from task to bool
        Which direction is better, for all tasks or for each; there is no default.
    system : str or int, optional
        The column of systems; the first by default.
    task, instance, score : str or int, optional
        Columns of the other forms.
    drop : iterable of str or int, optional
        Tasks to leave out.
    task_weights : mapping from task to float, optional
        Positive weights; tasks not named weigh 1.

    Returns
    -------
    ScoreTable

    Raises
    ------
    DataFormatError
        If the file is not such a table; the message names row and column.
    InvalidInputError
        If a named column or task does not exist, or the table has no valid scores.

    Warns
    -----
    DataWarning
        If a task's instance has no score of any system: it is left out.

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg import read_scores
    >>> read_scores(StringIO("system,x,y\nA,1,2\nB,3,\n"), higher_is_better=True)
    <ScoreTable of 2 systems x 2 tasks, 1 of 4 scores missing>
    """
    table = read_table(source)
    system_column = table.header[0] if system is None else system
    if (task is None) != (score is None):
        given = "task" if score is None else "score"
        raise InvalidInputError("task and score", "given together (long form) or not at all", given)
    if instance is not None and instance == system_column:
        raise InvalidInputError("system and instance", "different columns", instance)
    if task is not None:
        entries = _long(table, system_column, task=task, instance=instance, score=score, drop=drop)
    else:
        entries = _wide(table, system_column, instance, drop)
    return _build(table.name, entries, higher_is_better, task_weights)


class _Entries:
    """Scores one by one: positions of system, task and instance, and the value."""

    def __init__(self, tasks: Sequence[Any], has_instances: bool) -> None:
        self.tasks = list(tasks)
        self.has_instances = has_instances
        self.systems: list[Any] = []
        self.task_of: list[Any] = []
        self.instances: list[Any] = []
        self.values: list[Floats] = []

    def add(self, systems: list[Any], task: Any, instances: list[Any], values: Floats) -> None:
        self.systems += systems
        self.task_of += task if isinstance(task, list) else [task] * len(systems)
        self.instances += instances
        self.values.append(values)


def _wide(table: TextTable, system: Any, instance: Any | None, drop: Iterable[Any]) -> _Entries:
    systems = table.labels(system, "system")
    instances = [None] * len(systems) if instance is None else table.labels(instance, "instance")
    candidates = [name for name in table.header if name not in (system, instance)]
    tasks = _without(candidates, drop)
    entries = _Entries(tasks, instance is not None)
    for name in tasks:
        entries.add(systems, name, instances, table.numbers(name, "task"))
    if not tasks:
        raise DataFormatError(f"{table.name} has no task columns besides {system!r}.")
    return entries


def _long(
    table: TextTable,
    system: Any,
    *,
    task: Any,
    instance: Any | None,
    score: Any,
    drop: Iterable[Any],
) -> _Entries:
    named = [name for name in (system, task, instance, score) if name is not None]
    if len(set(named)) < len(named):
        raise InvalidInputError("system, task, instance and score", "different columns", named)
    systems = table.labels(system, "system")
    task_of = table.labels(task, "task")
    instances = [None] * len(systems) if instance is None else table.labels(instance, "instance")
    values = table.numbers(score, "score")
    kept = set(_without(list(dict.fromkeys(task_of)), drop))
    if not kept:
        raise DataFormatError(f"{table.name} has no tasks left.")
    chosen = [i for i, name in enumerate(task_of) if name in kept]
    entries = _Entries(
        [name for name in dict.fromkeys(task_of) if name in kept], instance is not None
    )
    entries.add(
        [systems[i] for i in chosen],
        [task_of[i] for i in chosen],
        [instances[i] for i in chosen],
        values[chosen],
    )
    return entries


def _without(tasks: list[Any], drop: Iterable[Any]) -> list[Any]:
    gone = [drop] if isinstance(drop, str) else list(drop)
    for name in gone:
        if name not in tasks:
            known = ", ".join(map(str, tasks))
            raise InvalidInputError("drop", f"tasks of the table ({known})", name)
    return [name for name in tasks if name not in gone]


def _build(
    name: str,
    entries: _Entries,
    higher_is_better: bool | Mapping[Label, bool],
    task_weights: Mapping[Label, float] | None,
) -> ScoreTable:
    systems = list(dict.fromkeys(entries.systems))
    task_order = {task: position for position, task in enumerate(entries.tasks)}
    keys = dict.fromkeys(zip(entries.task_of, entries.instances, strict=True))
    units = sorted(keys, key=lambda unit: task_order[unit[0]])
    rows = {label: i for i, label in enumerate(systems)}
    columns = {unit: u for u, unit in enumerate(units)}
    at_row = np.array([rows[label] for label in entries.systems])
    at_column = np.array([columns[u] for u in zip(entries.task_of, entries.instances, strict=True)])
    _check_once(name, entries, at_row * len(units) + at_column)
    values = np.full((len(systems), len(units)), np.nan)
    values[at_row, at_column] = np.concatenate(entries.values)
    kept = _scored_units(name, units, values) if entries.has_instances else list(range(len(units)))
    return ScoreTable(
        values[:, kept],
        systems=systems,
        tasks=[units[u][0] for u in kept],
        instances=[units[u][1] for u in kept] if entries.has_instances else None,
        higher_is_better=higher_is_better,
        task_weights=task_weights,
    )


def _check_once(name: str, entries: _Entries, cells: np.ndarray[Any, np.dtype[np.intp]]) -> None:
    _, first, counts = np.unique(cells, return_index=True, return_counts=True)
    if (counts == 1).all():
        return
    at = int(first[np.argmax(counts > 1)])
    where = f"system {entries.systems[at]!r}"
    if entries.has_instances:
        where += f", instance {entries.instances[at]!r}"
    raise DataFormatError(
        f"{name} has two scores for {where}, task {entries.task_of[at]!r}; each may occur once. "
        + ("" if entries.has_instances else "`instance=` names the column that tells them apart.")
    )


def _scored_units(name: str, units: list[Any], values: Floats) -> list[int]:
    empty = np.isnan(values).all(axis=0)
    tasks = {units[u][0] for u in np.flatnonzero(~empty)}
    for task, _ in units:
        if task not in tasks:
            raise InvalidInputError(
                "source", "a table in which every task has a score", task,
                "All cells of this task are missing: leave it out with `drop`.",
            )  # fmt: skip
    if empty.any():
        warnings.warn(
            f"{name}: {int(empty.sum())} of {len(units)} instances (of one task each) have no "
            "score of any system and were left out.",
            DataWarning,
            stacklevel=4,
        )
    return [int(u) for u in np.flatnonzero(~empty)]
