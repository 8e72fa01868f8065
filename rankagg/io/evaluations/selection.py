"""One table out of many scores: a level, a metric for each task, a direction, and one run."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import cast

import numpy as np

from rankagg._typing import Floats, Integers64, Label
from rankagg._validation import check_choice, check_flag
from rankagg.core import ScoreTable, Value, counted, listed, mean_by_group, named_values, shortened
from rankagg.exceptions import Described, InvalidInputError, nearest, shown
from rankagg.io.evaluations.collected import WHOLE_TASK, Scores, Series
from rankagg.io.tables.columns import Coded
from rankagg.io.tables.sources import check_filled

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
            _metrics_to_choose(open_tasks),
        )
    chosen: dict[str, str] = {}
    for task, names in metrics.items():
        if isinstance(wanted, list):
            found = next((name for name in wanted if name in names), None)
        else:
            found = names[0] if wanted is None else wanted.get(task, names[0])
        if found is not None:
            chosen[task] = found
    told = [] if wanted is None and not several else [f"metric: {_metrics_told(chosen)}"]
    lacking = [task for task in metrics if task not in chosen]
    if lacking:
        told.append(
            f"left out: {counted(len(lacking), 'task')} without that metric ({listed(lacking)})"
        )
    kept = [n for n in candidates if chosen.get(series[n].task) == series[n].metric]
    return kept, told


def _metrics_to_choose(tasks: Mapping[str, Sequence[str]]) -> str:
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
            allowed = f"a mapping from tasks ({listed(list(metrics))})"
            remedy = nearest(task, metrics)
            raise InvalidInputError("metric", allowed, task, remedy)
        if name not in metrics[task]:
            allowed = f"one of {listed(metrics[task])} for task {shown(task)}"
            remedy = nearest(name, metrics[task])
            raise InvalidInputError("metric", allowed, name, remedy)


def _metrics_told(chosen: Mapping[str, str]) -> str:
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
            allowed = "given for metrics whose direction the files do not state"
            got = Described(f"none for {shown(metric)} of task {shown(task)} ({source})")
            remedy = "Name the metric in `higher_is_better`."
            raise InvalidInputError("higher_is_better", allowed, got, remedy)
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
            allowed = f"a mapping from metrics ({listed(known)})"
            remedy = nearest(name, known)
            raise InvalidInputError("higher_is_better", allowed, name, remedy)
        check_flag(answer, "higher_is_better")
    for task, series in stated.items():
        name = metric_of[task]
        if name in given and bool(given[name]) != series.higher_is_better:
            allowed = f"what {series.source} states of {shown(name)}"
            got = Described(f"{given[name]} for {shown(name)}")
            raise InvalidInputError("higher_is_better", allowed, got)


Codes = Integers64


Runs = dict[tuple[str, str], set[tuple[str, int]]]


def _runs_of(series: Sequence[Series], pairs: Sequence[tuple[int, int]]) -> Runs:
    """Return run and epoch of series and epochs, for each system and task."""
    found: Runs = {}
    for number, epoch in pairs:
        one = series[number]
        found.setdefault((one.system, one.task), set()).add((one.run, epoch))
    return found


def _series_and_epochs(scores: Scores) -> list[tuple[int, int]]:
    pairs = np.unique(np.stack([scores.series, scores.epoch]), axis=1)
    return list(zip(*pairs.tolist(), strict=True))


def named_apart(series: Sequence[Series], scores: Scores) -> tuple[list[Series], Scores, list[str]]:
    """Return series and scores with a system for each run, where a system has several on a task."""
    pairs = _series_and_epochs(scores)
    runs = _runs_of(series, pairs)
    repeated = {system for (system, _), found in runs.items() if len(found) > 1}
    if not repeated:
        return list(series), scores, []
    epochs: dict[str, set[int]] = {}
    for (system, _), found in runs.items():
        epochs.setdefault(system, set()).update(epoch for _, epoch in found)
    named: list[Series] = []
    for number, epoch in pairs:
        one = series[number]
        if one.system in repeated:
            told = f", epoch {epoch}" if len(epochs[one.system]) > 1 else ""
            one = replace(one, system=f"{one.system} [{one.run}{told}]")
        named.append(one)
    numbers = {pair: at for at, pair in enumerate(pairs)}
    keys = zip(scores.series.tolist(), scores.epoch.tolist(), strict=True)
    apart = np.array([numbers[key] for key in keys])
    told = f"runs: each run of {listed(sorted(repeated))} is a system of its own"
    return named, scores._replace(series=apart, epoch=np.zeros_like(scores.epoch)), [told]


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
    used, at_used = np.unique(scores.series, return_inverse=True)
    of_systems = Coded.of(series[n].system for n in used.tolist())
    of_tasks = Coded.of(series[n].task for n in used.tolist())
    systems, tasks = of_systems.labels, of_tasks.labels
    at_system, at_task = (coded.codes[at_used.reshape(-1)] for coded in (of_systems, of_tasks))
    # Units in the order of tasks, and in that of the files within a task.
    width = len(instances) + 1
    keys, unit = np.unique(at_task * width + (scores.instance - WHOLE_TASK), return_inverse=True)
    unit = unit.reshape(-1)
    units = [
        (tasks[int(key) // width], instances[int(key) % width - 1] if at_instances else None)
        for key in keys
    ]
    _check_same_questions(scores, unit, units)
    check_filled("what was read", (len(systems), "systems"), (len(keys), "units"), len(unit))
    cell = at_system * len(keys) + unit
    order = np.lexsort((scores.epoch, scores.series, cell))
    turn = _turns_in_cells(cell[order])
    told = _several_runs(series, scores, cell, runs) if turn.max(initial=0) > 0 else []
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


def _turns_in_cells(cells: Codes) -> Codes:
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
    check_filled("what was read", (rows, "systems"), (columns * depth, "scores"), len(cells))
    deep = np.full((rows, columns * depth), np.nan)
    deep.reshape(-1)[cells * depth + turn] = scores
    groups = np.repeat(np.arange(columns), depth)
    return mean_by_group(deep, ~np.isnan(deep), groups, columns)


def _several_runs(
    series: Sequence[Series], scores: Scores, cell: Codes, runs: str | None
) -> list[str]:
    """Say which systems have several runs on a task; raises where nothing says what to do."""
    repeated = np.bincount(cell)[cell] > 1
    chosen = Scores(*(column[repeated] for column in scores))
    found = _runs_of(series, _series_and_epochs(chosen))
    told = [
        f"{counted(len(runs_), 'run')} of {shortened(system)} on {shortened(task)}"
        for (system, task), runs_ in list(found.items())[:LISTED]
    ]
    if len(found) > LISTED:
        told.append(f"so on for {counted(len(found) - LISTED, 'more pair')} of system and task")
    listing = ", ".join(told)
    if runs is None:
        allowed = "'mean', 'first', 'last' or 'each' where a system has several runs on a task"
        remedy = f"There are {listing}."
        raise InvalidInputError("runs", allowed, None, remedy)
    return [f"runs: the {runs} of {listing}"]


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
    allowed = "'task' where one instance is another question in some files than in others"
    also = f" and {more} more" if more else ""
    got = Described(f"instance {shown(instance)} of task {shown(task)}{also}")
    remedy = "Their checksums differ; files of one version of the task can be read by instance."
    raise InvalidInputError("by", allowed, got, remedy)


# Settings of one task that are told.
SETTINGS_TOLD = 4


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


def selected(
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
    told += _settings_told([series[n] for n in kept])
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
            allowed = f"{other!r} for these files"
            remedy = f"They have no scores of {'instances' if by == 'instance' else 'whole tasks'}."
            raise InvalidInputError("by", allowed, by, remedy)
        return by == "instance", []
    names = None if wanted is None else set(wanted if isinstance(wanted, list) else wanted.values())
    tasks, instances = (
        {(one.system, one.task) for one in some if names is None or one.metric in names}
        for some in ([series[n] for n in numbers] for numbers in (of_tasks, of_instances))
    )
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


def _settings_told(chosen: Sequence[Series]) -> list[str]:
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
        for settings, systems in islice(kinds.items(), SETTINGS_TOLD)
    )
    told += "; ..." if len(kinds) > SETTINGS_TOLD else ""
    others = counted(len(different) - 1, "more task")
    more = f", and so on in {others}" if len(different) > 1 else ""
    return [f"settings differ: {shortened(task)}: {told}{more}"]
