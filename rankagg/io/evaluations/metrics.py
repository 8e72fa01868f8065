"""One metric for each task, and its direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankagg._typing import Label
from rankagg._validation import check_flag
from rankagg.core.items import counted, listed, shortened
from rankagg.core.pandas_labels import named_values
from rankagg.exceptions import Described, InvalidInputError, nearest, shown
from rankagg.io.evaluations.collected import Series

__all__ = ["chosen_metrics", "directions"]

# Tasks whose metrics are listed.
LISTED = 3


def chosen_metrics(
    series: Sequence[Series], candidates: list[int], wanted: list[str] | dict[str, str] | None
) -> tuple[list[int], list[str]]:
    """Return the series of one metric for each task, and what to say of it."""
    metrics: dict[str, list[str]] = {}
    for n in candidates:
        names = metrics.setdefault(series[n].task, [])
        if series[n].metric not in names:
            names.append(series[n].metric)
    _check_known(metrics, wanted)
    several = {task: names for task, names in metrics.items() if len(names) > 1}
    if isinstance(wanted, dict):
        open_tasks = {task: names for task, names in several.items() if task not in wanted}
    else:
        open_tasks = several if wanted is None else {}
    if open_tasks:
        raise InvalidInputError(
            "metric",
            "one of those that a task has, where it has several",
            None,
            _choices(open_tasks),
        )
    chosen: dict[str, str] = {}
    for task, names in metrics.items():
        if isinstance(wanted, list):
            found = next((name for name in wanted if name in names), None)
        else:
            found = names[0] if wanted is None else wanted.get(task, names[0])
        if found is not None:
            chosen[task] = found
    told = [] if wanted is None and not several else [f"metric: {_told(chosen)}"]
    lacking = [task for task in metrics if task not in chosen]
    if lacking:
        told.append(
            f"left out: {counted(len(lacking), 'task')} without that metric ({listed(lacking)})"
        )
    kept = [n for n in candidates if chosen.get(series[n].task) == series[n].metric]
    return kept, told


def _choices(tasks: Mapping[str, Sequence[str]]) -> str:
    told = "; ".join(
        f"{shortened(task)} has {listed(names)}" for task, names in list(tasks.items())[:LISTED]
    )
    more = f"; and {counted(len(tasks) - LISTED, 'more task')}" if len(tasks) > LISTED else ""
    return f"{told}{more}. Name one, or several in the order in which they are wanted."


def _check_known(
    metrics: Mapping[str, Sequence[str]], wanted: list[str] | dict[str, str] | None
) -> None:
    if wanted is None:
        return
    known = list(dict.fromkeys(name for names in metrics.values() for name in names))
    if isinstance(wanted, list):
        for name in wanted:
            if name not in known:
                raise InvalidInputError(
                    "metric", f"one of {listed(known)}", name, nearest(name, known)
                )
        return
    for task, name in wanted.items():
        if task not in metrics:
            raise InvalidInputError(
                "metric", f"a mapping from tasks ({listed(list(metrics))})", task,
                nearest(task, metrics),
            )  # fmt: skip
        if name not in metrics[task]:
            raise InvalidInputError(
                "metric", f"one of {listed(metrics[task])} for task {shown(task)}", name,
                nearest(name, metrics[task]),
            )  # fmt: skip


def _told(chosen: Mapping[str, str]) -> str:
    tasks: dict[str, list[Label]] = {}
    for task, name in chosen.items():
        tasks.setdefault(name, []).append(task)
    if len(tasks) == 1:
        return shortened(next(iter(tasks)))
    return "; ".join(f"{shortened(name)} of {listed(members)}" for name, members in tasks.items())


def directions(
    chosen: Sequence[Series], given: bool | Mapping[str, bool] | None
) -> tuple[dict[Label, bool], list[str]]:
    """Return the direction of every task, and which of them were given and not stated."""
    given = named_values(given, "higher_is_better")
    metric_of = {series.task: series.metric for series in chosen}
    stated: dict[str, Series] = {}
    for series in chosen:
        if series.higher_is_better is not None:
            stated.setdefault(series.task, series)
    if isinstance(given, Mapping):
        _check_given(given, metric_of, stated)
    elif given is not None:
        check_flag(given, "higher_is_better", "A mapping from metric to bool states each.")
    found: dict[Label, bool] = {}
    added: dict[bool, dict[str, None]] = {True: {}, False: {}}
    for task, metric in metric_of.items():
        if task in stated:
            found[task] = bool(stated[task].higher_is_better)
            continue
        answer = given.get(metric) if isinstance(given, Mapping) else given
        if answer is None:
            source = next(series.source for series in chosen if series.task == task)
            raise InvalidInputError(
                "higher_is_better", "given for metrics whose direction the files do not state",
                Described(f"none for {shown(metric)} of task {shown(task)} ({source})"),
                "Name the metric in `higher_is_better`.",
            )  # fmt: skip
        found[task] = bool(answer)
        added[found[task]][metric] = None
    told = [
        f"direction given, not stated in the files: {'higher' if higher else 'lower'} is better in "
        f"{listed(list(names))}"
        for higher, names in added.items()
        if names
    ]
    return found, told


def _check_given(
    given: Mapping[str, bool], metric_of: Mapping[str, str], stated: Mapping[str, Series]
) -> None:
    known = list(dict.fromkeys(metric_of.values()))
    for name, answer in given.items():
        if name not in known:
            raise InvalidInputError(
                "higher_is_better", f"a mapping from metrics ({listed(known)})", name,
                nearest(name, known),
            )  # fmt: skip
        check_flag(answer, "higher_is_better")
    for task, series in stated.items():
        name = metric_of[task]
        if name in given and bool(given[name]) != series.higher_is_better:
            raise InvalidInputError(
                "higher_is_better", f"what {series.source} states of {shown(name)}",
                Described(f"{given[name]} for {shown(name)}"),
            )  # fmt: skip
