"""The labels that tables and columns of pandas bring along, so that none are lost on the way."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, cast

import pandas as pd

from rankagg._typing import Label
from rankagg.core.items import ItemSet, listed
from rankagg.exceptions import Described, InvalidInputError, nearest

SOME = "A mapping may leave some out."


def axis_labels(
    values: object, axis: int, given: Iterable[Label] | None, parameter: str
) -> Iterable[Label] | None:
    """Return the labels of one axis: those that are given, or else those that pandas has there."""
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
    """Return the labels of a table of items by items; raises where its two sides differ."""
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


def column_labels(values: object) -> tuple[list[Label], list[Label]] | None:
    """Return tasks and instances where a frame has both as two levels of its columns."""
    if not isinstance(values, pd.DataFrame):
        return None
    columns = cast(Any, values).columns
    if columns.nlevels == 1:
        return None
    if columns.nlevels > 2:
        allowed = "columns of one level, or of two (task and instance)"
        got = Described(f"{columns.nlevels} levels")
        remedy = "`droplevel` removes some."
        raise InvalidInputError("tasks", allowed, got, remedy)
    return columns.get_level_values(0).tolist(), columns.get_level_values(1).tolist()


def named_values(given: object, parameter: str, tasks: ItemSet | None = None) -> Any:
    """Return a Series as the mapping that its index makes of it; all else as it is."""
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
        got = Described(f"{twice!r} more than once")
        raise InvalidInputError(parameter, allowed, got)
    if tasks is None:
        return named
    allowed = f"a Series with the tasks of the table as its index ({listed(list(tasks))})"
    for task in named:
        if task not in tasks:
            raise InvalidInputError(parameter, allowed, task, nearest(task, tasks))
    for task in tasks:
        if task not in named:
            raise InvalidInputError(parameter, allowed, Described(f"none for {task!r}"), SOME)
    return named


def _is_plain_range(index: Any) -> bool:
    plain = isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1
    return plain and index.name is None


def names_rows(values: object) -> bool:
    """Return whether a frame that names its columns names its rows too, or neither of them."""
    if not isinstance(values, pd.DataFrame):
        return True
    table: Any = values
    return _is_plain_range(table.columns) or not _is_plain_range(table.index)
