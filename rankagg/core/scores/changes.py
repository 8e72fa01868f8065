"""Tables made of a score table, and its summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Floats, Label
from rankagg.core.arithmetic.exact_sum import mean_by_group, sum_by_group, weighted_mean
from rankagg.core.items import ItemSet
from rankagg.core.rankings import places
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["Scored", "count_near_ties", "describe_scores", "grouped", "ratios_to", "without"]


class Scored(Protocol):
    """A score table, as far as others are made of it; see `ScoreTable`."""

    systems: ItemSet
    tasks: ItemSet
    values: Floats
    unit_tasks: NDArray[np.int64]
    instances: tuple[Label, ...] | None

    @property
    def higher_is_better(self) -> Mapping[Label, bool]: ...  # noqa: D102

    @property
    def task_weights(self) -> Mapping[Label, float]: ...  # noqa: D102


def without(table: Scored, tasks: list[Label], systems: list[Label]) -> dict[str, Any]:
    """Return what a table without some tasks and systems is made of; see `ScoreTable.drop`."""
    gone_tasks = set(table.tasks.indices(tasks, parameter="tasks", noun="task"))
    gone_systems = set(table.systems.indices(systems, parameter="systems", noun="system"))
    rows = [i for i in range(len(table.systems)) if i not in gone_systems]
    columns = [
        u for u in range(table.values.shape[1]) if int(table.unit_tasks[u]) not in gone_tasks
    ]
    if not rows or not columns:
        kind, given = ("systems", systems) if not rows else ("tasks", tasks)
        raise InvalidInputError(kind, "only some of the table's labels", given)
    kept = [task for task in table.tasks if table.tasks.index(task) not in gone_tasks]
    return dict(
        values=table.values[np.ix_(rows, columns)],
        systems=[table.systems[i] for i in rows],
        tasks=[table.tasks[int(table.unit_tasks[u])] for u in columns],
        instances=None if table.instances is None else [table.instances[u] for u in columns],
        higher_is_better={task: table.higher_is_better[task] for task in kept},
        task_weights={task: table.task_weights[task] for task in kept},
    )


def grouped(table: Scored, groups: Mapping[Label, Sequence[Label]]) -> dict[str, Any]:
    """Return what a table with tasks averaged is made of; see `ScoreTable.group_tasks`."""
    target = _targets(table, groups)
    units: dict[tuple[Label, Label | None], list[int]] = {}
    for u in range(table.values.shape[1]):
        task = target[table.tasks[int(table.unit_tasks[u])]]
        instance = None if table.instances is None else table.instances[u]
        units.setdefault((task, instance), []).append(u)
    order = list(dict.fromkeys(target.values()))
    keys = sorted(units, key=lambda key: order.index(key[0]))
    first = {new: old for old, new in reversed(target.items())}
    return dict(
        values=np.column_stack([_plain_means(table.values[:, units[key]]) for key in keys]),
        systems=table.systems,
        tasks=[task for task, _ in keys],
        instances=None if table.instances is None else [cast(Label, i) for _, i in keys],
        higher_is_better={task: table.higher_is_better[first[task]] for task in order},
        task_weights={task: 1.0 if task in groups else table.task_weights[task] for task in order},
    )


def _targets(table: Scored, groups: Mapping[Label, Sequence[Label]]) -> dict[Label, Label]:
    target: dict[Label, Label] = {task: task for task in table.tasks}
    taken: set[Label] = set()
    for new, members in groups.items():
        table.tasks.indices(members)
        if not members or len({table.higher_is_better[task] for task in members}) > 1:
            allowed = "lists of one or more tasks of the same direction"
            raise InvalidInputError("groups", allowed, list(members))
        if new in target and new not in members:
            allowed = "names that are no task outside their group"
            raise InvalidInputError("groups", allowed, new)
        for task in members:
            if task in taken:
                raise InvalidInputError("groups", "lists that share no task", task)
            taken.add(task)
            target[task] = new
    return target


def ratios_to(table: Scored, system: Label) -> Floats:
    """Return every score divided by that of a system; see `ScoreTable.relative_to`."""
    (at,) = table.systems.indices([system], parameter="system", noun="system")
    reference = table.values[at]
    bad = ~(reference > 0)
    if bad.any():
        task = table.tasks[int(table.unit_tasks[int(np.argmax(bad))])]
        value = Described(f"{reference[int(np.argmax(bad))]:g} on task {task!r}")
        raise InvalidInputError(
            "system", "a system with a positive score on every unit", value,
            "Leave such tasks out with `.drop(tasks=...)`.",
        )  # fmt: skip
    with np.errstate(over="ignore"):
        ratios: Floats = table.values / reference
    if np.isinf(ratios).any():
        row, unit = np.argwhere(np.isinf(ratios))[0]
        task = table.tasks[int(table.unit_tasks[unit])]
        value = Described(f"{reference[unit]:g} beside {table.values[row, unit]:g} on {task!r}")
        raise InvalidInputError(
            "system", "a system with scores whose ratios to others are floats", value
        )
    return ratios


def _plain_means(values: Floats) -> Floats:
    """Average each row; NaN where one is missing."""
    known = ~np.isnan(values).any(axis=1)
    means = np.full(len(values), np.nan)
    means[known] = weighted_mean(values[known], np.ones_like(values[known]))
    return means


# Scores above 2**HIGH have no squares that are floats and add up.
HIGH = 400


def describe_scores(
    values: Floats, systems: ItemSet, units: Sequence[Label], by: Literal["system", "task", "cell"]
) -> pd.DataFrame:
    """Summarize the scores that are present; see `ScoreTable.describe`."""
    n, m = values.shape
    # A power of two changes no digit.
    shift = max(int(np.frexp(np.nanmax(np.abs(values)))[1]) - HIGH, 0)
    long = pd.DataFrame(
        {
            "system": np.repeat(np.array(systems.labels, dtype=object), m),
            "task": np.tile(np.array(units, dtype=object), n),
            "score": np.ldexp(values, -shift).ravel(),
        }
    )
    grouped = long.groupby(["system", "task"] if by == "cell" else [by], sort=False)
    groups: NDArray[np.int64] = np.asarray(grouped.ngroup(), dtype=np.int64)
    scores = grouped["score"]
    result = scores.agg(["count"])
    result.insert(1, "missing", scores.size() - result["count"])
    cells = values.reshape(1, -1)
    present = ~np.isnan(cells)
    result["mean"] = mean_by_group(cells, present, groups, len(result))[0]
    result["sum"] = sum_by_group(np.where(present, cells, 0.0), groups, len(result))[0]
    with np.errstate(over="ignore"):
        result["variance"] = np.ldexp(scores.var(), 2 * shift)
    result["std"] = np.ldexp(scores.std(), shift)
    return result


def count_near_ties(values: Floats, digits: int) -> int:
    """Count pairs that differ, but not in their first digits; see `ScoreTable.near_ties`."""
    codes = np.unique(_significant(values, digits), return_inverse=True)[1]
    rounded = np.where(np.isnan(values), np.nan, codes.reshape(values.shape))
    return _tied_pairs(rounded.T) - _tied_pairs(values.T)


def _significant(values: Floats, digits: int) -> NDArray[np.int64]:
    """Return numbers that are equal where values agree in their first digits; 0 for missing."""
    known = np.nan_to_num(values)
    size = np.abs(known)
    with np.errstate(divide="ignore"):
        exponent = np.floor(np.log10(size))
    exponent = np.where(size > 0, exponent, 0.0)
    # In two steps, as the power of ten for the least floats is none.
    power = digits - 1 - exponent
    half = np.trunc(power / 2)
    leading = np.rint(size * 10.0**half * 10.0 ** (power - half)).astype(np.int64)
    # What is rounded up to the next power of ten starts anew there.
    full = leading == 10**digits
    leading = np.where(full, 10 ** (digits - 1), leading)
    place = exponent.astype(np.int64) + full + 330  # floats reach from 1e-324 to 1e308
    code = np.where(leading > 0, place * 10**digits + leading, 0)
    return code * np.sign(known).astype(np.int64)


def _tied_pairs(values: Floats) -> int:
    ranks = places.competition_ranks(values)
    scored = ranks >= 0
    # In a bucket of s items the mean rank exceeds the best by (s - 1)/2; s items add s(s - 1)/2.
    return round(float((places.mid_ranks(ranks)[scored] - ranks[scored]).sum()))
