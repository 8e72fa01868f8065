"""Labels of pandas tables, and parameters with one value per task."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, cast

import pandas as pd

from rankagg._typing import Directions, Label, TaskFamilies, TaskWeights, Tolerance
from rankagg._validation import as_weights, check_flag, check_number
from rankagg.core.items import ItemSet, label_column, listed
from rankagg.exceptions import Described, InvalidInputError, nearest


def axis_labels(
    values: object, axis: int, given: Iterable[Label] | None, parameter: str
) -> Iterable[Label] | None:
    """Return the labels of one axis: the given ones, or else those of pandas."""
    if not isinstance(values, pd.DataFrame) and not (axis == 0 and isinstance(values, pd.Series)):
        return given
    index = cast(Any, values).index if axis == 0 else cast(Any, values).columns
    if _is_plain_range(index):
        return given
    if index.nlevels > 1:
        remedy = "`reset_index` or `map` makes one level of it."
        raise InvalidInputError(parameter, "labels of one level", index[0], remedy)
    own: list[Label] = index.tolist()
    if given is None:
        return own
    stated = list(given)
    if stated != own:
        side = "index" if axis == 0 else "columns"
        allowed = f"left out, or what the {side} of the table {'is' if axis == 0 else 'are'}"
        allowed = f"{allowed} ({listed(own)})"
        remedy = "`set_axis` gives it other labels, and `to_numpy()` has none."
        raise InvalidInputError(parameter, allowed, Described(listed(stated)), remedy)
    return stated


def square_labels(
    values: object, given: Iterable[Label] | None, parameter: str
) -> Iterable[Label] | None:
    """Return the labels of a table of items by items; raise if rows and columns differ."""
    rows, columns = (axis_labels(values, axis, None, parameter) for axis in (0, 1))
    if rows is not None and columns is not None and list(rows) != list(columns):
        allowed = "the same in the index and the columns, in the same order"
        got = Described(f"{listed(list(rows))} and {listed(list(columns))}")
        remedy = "`frame.loc[items, items]` puts both in one order."
        raise InvalidInputError(parameter, allowed, got, remedy)
    if (rows is None) != (columns is None) and isinstance(values, pd.DataFrame):
        side = "index" if rows is None else "columns"
        allowed = "in the index and in the columns"
        remedy = "`set_axis` names them."
        raise InvalidInputError(parameter, allowed, Described(f"none in the {side}"), remedy)
    return axis_labels(values, 0, given, parameter) if rows is not None else given


def named_values(given: object, parameter: str, tasks: ItemSet | None = None) -> Any:
    """Return a Series as a mapping from its index; return other values unchanged."""
    if not isinstance(given, pd.Series):
        return given
    series: Any = given
    labels = series.index.tolist()
    for label in labels:
        if not isinstance(label, Hashable):
            raise InvalidInputError(parameter, "a Series with tasks as its index", label)
    named = dict(zip(labels, series.tolist(), strict=True))
    if len(named) < len(labels):
        twice = labels[int(series.index.duplicated().argmax())]
        allowed = "a Series that names each task once"
        raise InvalidInputError(parameter, allowed, Described(f"{twice!r} more than once"))
    if tasks is None:
        return named
    allowed = f"a Series with the tasks of the table as its index ({listed(list(tasks))})"
    for task in named:
        if task not in tasks:
            raise InvalidInputError(parameter, allowed, task, nearest(task, tasks))
    for task in tasks:
        if task not in named:
            remedy = "A mapping may leave some out."
            raise InvalidInputError(parameter, allowed, Described(f"none for {task!r}"), remedy)
    return named


def _is_plain_range(index: Any) -> bool:
    plain = isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1
    return plain and index.name is None


# -- one value per task ---------------------------------------------------------------------------


def unit_labels(
    values: object,
    tasks: Iterable[Label] | None,
    instances: Iterable[Label] | None,
    systems: Iterable[Label] | None,
) -> tuple[Iterable[Label] | None, Iterable[Label] | None]:
    """Return the task and the instance of each column, by default those of the DataFrame."""
    frame: Any = values if isinstance(values, pd.DataFrame) else None
    columns = None if frame is None else frame.columns
    only_columns = frame is not None and _is_plain_range(frame.index)
    if systems is None and only_columns and not _is_plain_range(columns):
        allowed = "the index of the DataFrame, or given"
        remedy = (
            "`set_index` makes an index of the column that names them; `read_scores` takes a "
            "DataFrame with the systems in its first column, and long ones."
        )
        raise InvalidInputError("systems", allowed, Described("a plain range"), remedy)
    if columns is None or columns.nlevels == 1:
        return axis_labels(values, 1, tasks, "tasks"), instances
    for parameter, given in (("tasks", tasks), ("instances", instances)):
        if given is not None:
            allowed = "left out where the columns have two levels, task and instance"
            raise InvalidInputError(parameter, allowed, given)
    if columns.nlevels > 2:
        allowed = "columns of one level, or of two (task and instance)"
        got = Described(f"{columns.nlevels} levels")
        raise InvalidInputError("tasks", allowed, got, "`droplevel` removes some.")
    return columns.get_level_values(0).tolist(), columns.get_level_values(1).tolist()


def _check_task_names(given: Mapping[Label, object], tasks: ItemSet, parameter: str) -> None:
    """Raise if a mapping names a task that the table does not have."""
    for task in given:
        if task not in tasks:
            first = ", ".join(str(label) for label in tasks[:8])
            allowed = f"a mapping from tasks of the table ({first})"
            raise InvalidInputError(parameter, allowed, task, nearest(task, tasks))


def _by_task(
    given: Any, parameter: str, tasks: ItemSet, noun: str, required: ItemSet | None
) -> Mapping[Label, Any]:
    """Return a mapping from tasks of the table, by default an empty one."""
    values = {} if given is None else named_values(given, parameter, required)
    if not isinstance(values, Mapping):
        raise InvalidInputError(parameter, f"a mapping from task to {noun}", values)
    _check_task_names(values, tasks, parameter)
    return values


def as_directions(given: Directions, tasks: ItemSet) -> dict[Label, bool]:
    """Return the direction of every task."""
    given = named_values(given, "higher_is_better", tasks)
    if not isinstance(given, Mapping):
        remedy = "A mapping from task to bool states one direction per task."
        return dict.fromkeys(tasks, check_flag(given, "higher_is_better", remedy))
    _check_task_names(given, tasks, "higher_is_better")
    for task in tasks:
        if task not in given:
            raise InvalidInputError(
                "higher_is_better", "given for every task", Described(f"none for {task!r}")
            )
    return {task: check_flag(given[task], "higher_is_better") for task in tasks}


def as_task_weights(given: TaskWeights | None, tasks: ItemSet) -> dict[Label, float]:
    """Return the weight of every task, 1 by default."""
    given = _by_task(given, "task_weights", tasks, "number", tasks)
    weights = {
        task: check_number(given.get(task, 1.0), "task_weights", low=0, open_low=True)
        for task in tasks
    }
    as_weights(list(weights.values()), len(weights), "task_weights")  # as for rankings
    return weights


def as_task_families(given: TaskFamilies | None, tasks: ItemSet) -> dict[Label, Label]:
    """Return the family of every task that has one."""
    families = _by_task(given, "task_families", tasks, "family", None)
    members = [task for task in tasks if task in families]
    labels = label_column([families[task] for task in members], "task_families")
    return dict(zip(members, labels, strict=True))


def as_tolerance(
    given: Tolerance, tasks: ItemSet | None, part: ItemSet | None = None
) -> float | Mapping[Label, float]:
    """Return a tolerance, as a number or by task; `part` restricts it to some tasks."""
    if isinstance(given, float) and given == 0:
        return 0.0
    steps = named_values(given, "tolerance", tasks)
    if not isinstance(steps, Mapping):
        return check_number(steps, "tolerance", low=0)
    if tasks is not None:
        _check_task_names(steps, tasks, "tolerance")
    steps = {task: check_number(step, "tolerance", low=0) for task, step in steps.items()}
    return {task: step for task, step in steps.items() if part is None or task in part}
