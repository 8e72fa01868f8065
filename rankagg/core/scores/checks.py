"""Checks on the labels, directions and weights of a score table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rankagg._typing import Directions, Label, TaskWeights, Tolerance
from rankagg._validation import as_weights, check_flag, check_number
from rankagg.core.items import ItemSet, counted
from rankagg.core.pandas_labels import axis_labels, column_labels, named_values, names_rows
from rankagg.exceptions import Described, InvalidInputError, nearest

__all__ = [
    "as_directions",
    "as_task_weights",
    "as_tolerance",
    "check_axis",
    "check_known",
    "check_units",
    "tolerance_within",
    "unit_labels",
]

IN_A_COLUMN = (
    "`set_index` makes an index of the column that names them; `read_scores` takes a DataFrame "
    "with the systems in its first column, and long ones."
)


def check_axis(labels: Sequence[Label] | ItemSet, size: int, parameter: str, what: str) -> None:
    """Raise unless there is one label per row or column."""
    if len(labels) != size:
        allowed = f"one label per {what} ({size} of them)"
        raise InvalidInputError(parameter, allowed, Described(counted(len(labels), "label")))


def unit_labels(
    values: object,
    tasks: Iterable[Label] | None,
    instances: Iterable[Label] | None,
    systems: Iterable[Label] | None,
) -> tuple[Iterable[Label] | None, Iterable[Label] | None]:
    """Return the task and the instance of each column, of a DataFrame those that it has."""
    if systems is None and not names_rows(values):
        allowed = "the index of the DataFrame, or given"
        raise InvalidInputError("systems", allowed, Described("a plain range"), IN_A_COLUMN)
    both = column_labels(values)
    if both is None:
        return axis_labels(values, 1, tasks, "tasks"), instances
    for parameter, given in (("tasks", tasks), ("instances", instances)):
        if given is not None:
            allowed = "left out where the columns have two levels, task and instance"
            raise InvalidInputError(parameter, allowed, given)
    return both


def check_units(tasks: Sequence[Label], instances: Sequence[Label] | None) -> None:
    """Raise where two columns are the same unit."""
    units = list(tasks if instances is None else zip(tasks, instances, strict=True))
    if len(set(units)) == len(units):
        return
    first: dict[object, int] = {}
    for position, unit in enumerate(units):
        if first.setdefault(unit, position) != position:
            remedy = "`instances=` tells columns of one task apart." if instances is None else ""
            raise InvalidInputError("tasks", "distinct, or distinct with `instances`", unit, remedy)


def check_known(given: Mapping[Label, object], tasks: ItemSet, parameter: str) -> None:
    """Raise where a mapping names a task that the table does not have."""
    for task in given:
        if task not in tasks:
            known = ", ".join(str(label) for label in tasks[:8])
            allowed = f"a mapping from tasks of the table ({known})"
            raise InvalidInputError(parameter, allowed, task, nearest(task, tasks))


def as_directions(given: Directions, tasks: ItemSet) -> dict[Label, bool]:
    """Return the direction of every task."""
    given = named_values(given, "higher_is_better", tasks)
    if not isinstance(given, Mapping):
        remedy = "A mapping from task to bool states one direction per task."
        return dict.fromkeys(tasks, check_flag(given, "higher_is_better", remedy))
    check_known(given, tasks, "higher_is_better")
    for task in tasks:
        if task not in given:
            raise InvalidInputError(
                "higher_is_better", "given for every task", Described(f"none for {task!r}")
            )
    return {task: check_flag(given[task], "higher_is_better") for task in tasks}


def as_task_weights(given: TaskWeights | None, tasks: ItemSet) -> dict[Label, float]:
    """Return the weight of every task; 1 where none is given."""
    weights = {} if given is None else named_values(given, "task_weights", tasks)
    if not isinstance(weights, Mapping):
        raise InvalidInputError("task_weights", "a mapping from task to number", weights)
    check_known(weights, tasks, "task_weights")
    found = {
        task: check_number(weights.get(task, 1.0), "task_weights", low=0, open_low=True)
        for task in tasks
    }
    as_weights(list(found.values()), len(found), "task_weights")  # as for rankings
    return found


def as_tolerance(given: Tolerance, tasks: ItemSet | None) -> float | Mapping[Label, float]:
    """Return a tolerance of all tasks, or of each that a mapping names."""
    steps = named_values(given, "tolerance", tasks)
    if not isinstance(steps, Mapping):
        return check_number(steps, "tolerance", low=0)
    if tasks is not None:
        check_known(steps, tasks, "tolerance")
    return {task: check_number(step, "tolerance", low=0) for task, step in steps.items()}


def tolerance_within(
    given: Tolerance, tasks: ItemSet, part: ItemSet
) -> float | Mapping[Label, float]:
    """Return a tolerance as far as it is one of some of the tasks."""
    steps = as_tolerance(given, tasks)
    if not isinstance(steps, Mapping):
        return steps
    return {task: step for task, step in steps.items() if task in part}
