"""Score tables from CSV and TSV files and DataFrames."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Label
from rankagg.core.items import counted, listed
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError, nearest, shown
from rankagg.io.rounding import warn_of_ties
from rankagg.io.size import check_size
from rankagg.io.table import TextTable, names_of, read_table
from rankagg.io.text import Source

__all__ = ["read_scores"]

Codes: TypeAlias = NDArray[np.intp]


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
        If the file is not such a table, or a whole number is beyond what a 64-bit float holds;
        the message names row and column.
    InvalidInputError
        If a named column or task does not exist, or the table has no valid scores.

    Warns
    -----
    DataWarning
        If a task's instance has no score of any system: it is left out. If scores of one task
        differ only beyond the digits of a 64-bit float: they are tied.

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


@dataclass
class _Entries:
    """Scores one by one: codes of system, task and instance, the value, and what it lost."""

    systems: dict[Any, int]
    tasks: dict[Any, int]
    instances: dict[Any, int]
    at_system: Codes
    at_task: Codes
    at_instance: Codes
    values: Floats
    lost: dict[int, object]

    def place(self, entry: int) -> str:
        """Name system and instance of a score."""
        where = f"system {shown(list(self.systems)[self.at_system[entry]])}"
        if not self.instances:
            return where
        return f"{where}, instance {shown(list(self.instances)[self.at_instance[entry]])}"

    def task(self, entry: int) -> str:
        """Name the task of a score."""
        return shown(list(self.tasks)[self.at_task[entry]])


def _coded(labels: Iterable[Any]) -> tuple[dict[Any, int], Codes]:
    """Return a code for every label, in the order in which they first occur, and the codes."""
    codes: dict[Any, int] = {}
    return codes, np.array([codes.setdefault(label, len(codes)) for label in labels], dtype=np.intp)


def _instances(table: TextTable, instance: Any | None) -> tuple[dict[Any, int], Codes]:
    if instance is None:
        return {}, np.zeros(len(table.rows), dtype=np.intp)
    return _coded(table.labels(instance, "instance"))


def _wide(table: TextTable, system: Any, instance: Any | None, drop: Iterable[Any]) -> _Entries:
    systems, at_system = _coded(table.labels(system, "system"))
    instances, at_instance = _instances(table, instance)
    tasks = _without([name for name in table.header if name not in (system, instance)], drop)
    if not tasks:
        raise DataFormatError(f"{table.name} has no task columns besides {shown(system)}.")
    columns = [table.measured(name, "task") for name in tasks]
    rows = len(table.rows)
    return _Entries(
        systems,
        {task: code for code, task in enumerate(tasks)},
        instances,
        np.tile(at_system, len(tasks)),
        np.repeat(np.arange(len(tasks)), rows),
        np.tile(at_instance, len(tasks)),
        np.concatenate([column.values for column in columns]),
        {
            rows * code + row: number
            for code, column in enumerate(columns)
            for row, number in column.lost.items()
        },
    )


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
    labels = table.labels(system, "system")
    task_of = table.labels(task, "task")
    instance_of = None if instance is None else table.labels(instance, "instance")
    column = table.measured(score, "score")
    kept = set(_without(list(dict.fromkeys(task_of)), drop))
    if not kept:
        raise DataFormatError(f"{table.name} has no tasks left.")
    chosen = [row for row, name in enumerate(task_of) if name in kept]
    systems, at_system = _coded(labels[row] for row in chosen)
    tasks, at_task = _coded(task_of[row] for row in chosen)
    instances, at_instance = (
        ({}, np.zeros(len(chosen), dtype=np.intp))
        if instance_of is None
        else _coded(instance_of[row] for row in chosen)
    )
    return _Entries(
        systems,
        tasks,
        instances,
        at_system,
        at_task,
        at_instance,
        column.values[chosen],
        {at: column.lost[row] for at, row in enumerate(chosen) if row in column.lost},
    )


def _without(tasks: list[Any], drop: Iterable[Any]) -> list[Any]:
    known, gone = set(tasks), names_of(drop)
    for name in gone:
        if not isinstance(name, Hashable) or name not in known:
            allowed = f"tasks of the table ({listed(tasks)})"
            raise InvalidInputError("drop", allowed, name, nearest(name, tasks))
    left_out = set(gone)
    return [name for name in tasks if name not in left_out]


def _build(
    name: str,
    entries: _Entries,
    higher_is_better: bool | Mapping[Label, bool],
    task_weights: Mapping[Label, float] | None,
) -> ScoreTable:
    # A unit is a task, or a task's instance: by tasks, then in the order of the file.
    width = max(len(entries.instances), 1)
    found, first, unit = np.unique(
        entries.at_task * width + entries.at_instance, return_index=True, return_inverse=True
    )
    order = np.lexsort((first, found // width))
    at_column = np.argsort(order)[unit.ravel()]
    _check_once(name, entries, entries.at_system * len(found) + at_column)
    units = found[order]
    check_size(name, (len(entries.systems), "systems"), (len(units), "units"), len(at_column))
    warn_of_ties(
        name, entries.values, entries.lost, at_column,
        lambda entry: f"{entries.place(entry)}, task {entries.task(entry)}",
        stacklevel=3,
    )  # fmt: skip
    values = np.full((len(entries.systems), len(units)), np.nan)
    values[entries.at_system, at_column] = entries.values
    task_names, instance_names = list(entries.tasks), list(entries.instances)
    tasks = [task_names[code] for code in (units // width).tolist()]
    if not instance_names:
        kept, instances = np.arange(len(units)), None
    else:
        kept = _scored_units(name, tasks, values)
        instances = [instance_names[code] for code in (units[kept] % width).tolist()]
    return ScoreTable(
        values[:, kept],
        systems=list(entries.systems),
        tasks=[tasks[unit] for unit in kept.tolist()],
        instances=instances,
        higher_is_better=higher_is_better,
        task_weights=task_weights,
    )


def _check_once(name: str, entries: _Entries, cells: Codes) -> None:
    _, first, counts = np.unique(cells, return_index=True, return_counts=True)
    if (counts == 1).all():
        return
    at = int(first[np.argmax(counts > 1)])
    raise DataFormatError(
        f"{name} has two scores for {entries.place(at)}, task {entries.task(at)}; each may occur "
        "once."
        + ("" if entries.instances else " `instance=` names the column that tells them apart.")
    )


def _scored_units(name: str, tasks: list[Any], values: Floats) -> Codes:
    empty = cast(Bools, np.isnan(values).all(axis=0))
    scored = {task for task, gone in zip(tasks, empty, strict=True) if not gone}
    for task in tasks:
        if task not in scored:
            raise InvalidInputError(
                "source", "a table in which every task has a score", task,
                "All cells of this task are missing: leave it out with `drop`.",
            )  # fmt: skip
    if empty.any():
        warnings.warn(
            f"{name}: {int(empty.sum())} of {counted(len(tasks), 'instance')} (of one task each) "
            "have no score of any system and were left out.",
            DataWarning,
            stacklevel=4,
        )
    return np.flatnonzero(~empty)
