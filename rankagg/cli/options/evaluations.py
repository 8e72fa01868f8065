"""The table of scores that options choose from a frame of evaluation logs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import click
import pandas as pd

import rankagg as ra
from rankagg.core import counted, listed
from rankagg.exceptions import InvalidInputError, nearest

# What tells the cells of a table apart.
CELL = ["system", "task", "instance"]


def score_table(
    frame: pd.DataFrame,
    *,
    metric: Sequence[str],
    by: Literal["task", "instance"] | None,
    runs: Literal["mean", "first", "last"] | None,
    higher: Sequence[str],
    lower: Sequence[str],
    lower_is_better: bool,
) -> tuple[ra.ScoreTable, list[str]]:
    """Return the table of one metric for each task, and notes on what was chosen."""
    if lower_is_better and (lower or higher):
        raise click.UsageError(
            "--lower-is-better covers every metric whose direction the files do not state; leave "
            "--lower and --higher out."
        )
    if twice := sorted(set(lower) & set(higher)):
        raise click.UsageError(f"{twice[0]!r} is given by --lower and by --higher.")
    given = {**dict.fromkeys(higher, True), **dict.fromkeys(lower, False)}
    files, systems, tasks = (frame[name].nunique() for name in ("source", "system", "task"))
    notes = [
        f"read: {counted(len(frame), 'score')} of {counted(systems, 'system')} on "
        f"{counted(tasks, 'task')} in {counted(files, 'file')}"
    ]
    of_tasks, wanted = _metrics_typed(metric, frame)
    rows, told = _level(frame, by, {*of_tasks.values(), *wanted})
    notes += told
    chosen = _chosen_metrics(rows, of_tasks, wanted)
    left_out = [task for task in rows["task"].unique() if task not in chosen]
    rows = rows[rows["metric"] == rows["task"].map(chosen)]
    for name, part in rows.groupby("metric", sort=False):
        notes.append(f"metric: {name} of {listed(list(part['task'].unique()))}")
    if left_out:
        notes.append(f"left out: tasks without that metric: {listed(left_out)}")
    better, told = _directions(rows, False if lower_is_better else given)
    notes += told
    again = rows[rows.duplicated(CELL)]
    if len(again):
        first = again.iloc[0]
        where = f"{counted(len(again), 'further score')}, such as of {first['system']} on "
        if runs is None:
            allowed = "mean, first or last, as a system has several scores on a task or instance"
            remedy = f"There are {where}{first['task']}."
            raise InvalidInputError("--runs", allowed, None, remedy)
        notes.append(f"runs: the {runs} of several scores; there are {where}{first['task']}")
        rows = rows.groupby(CELL, sort=False, dropna=False)["score"].agg(runs).reset_index()
    instance = None if rows["instance"].isna().all() else "instance"
    table = ra.read_scores(
        rows.reset_index(drop=True),
        system="system",
        task="task",
        instance=instance,
        score="score",
        higher_is_better=better,
    )
    return table, notes


def _metrics_typed(typed: Sequence[str], frame: pd.DataFrame) -> tuple[dict[str, str], list[str]]:
    """Return metrics of single tasks, TASK=METRIC, and those of all others."""
    of_tasks: dict[str, str] = {}
    wanted: list[str] = []
    metrics, tasks = frame["metric"].unique(), frame["task"].unique()
    for text in typed:
        task = next((task for task in tasks if text.startswith(f"{task}=")), None)
        name = text if task is None or text in metrics else text.removeprefix(f"{task}=")
        if name not in metrics:
            allowed = f"one of {listed(list(metrics))}"
            raise InvalidInputError("--metric", allowed, name, nearest(name, metrics))
        if name == text:
            wanted.append(name)
        else:
            of_tasks[str(task)] = name
    return of_tasks, wanted


def _level(frame: pd.DataFrame, by: str | None, names: set[str]) -> tuple[pd.DataFrame, list[str]]:
    """Return the scores of whole tasks or of samples, of these where all tasks have them."""
    told = []
    if by is None:
        named = frame[frame["metric"].isin(names)] if names else frame
        has_samples = named.groupby(["system", "task"])["instance"].count() > 0
        by = "instance" if has_samples.all() else "task"
        if by == "task" and has_samples.any():
            pairs = counted(len(has_samples), "pair")
            told = [
                f"scores: of whole tasks; those of instances are there for {has_samples.sum()} of "
                f"{pairs} of a system and a task"
            ]
    rows = frame[frame["instance"].notna() == (by == "instance")]
    if rows.empty:
        raise InvalidInputError("--by", "another, as the files have no such scores", by)
    return rows, told


def _chosen_metrics(
    rows: pd.DataFrame, of_tasks: dict[str, str], wanted: list[str]
) -> dict[str, str]:
    """Return the metric of each task: its own, else the first wanted one that it has."""
    chosen: dict[str, str] = {}
    undecided = []
    for label, part in rows.groupby("task", sort=False):
        task, has = str(label), list(part["metric"].unique())
        names = [of_tasks[task]] if task in of_tasks else wanted or has
        fits = [name for name in names if name in has]
        if task in of_tasks and not fits:
            raise InvalidInputError("--metric", f"one of {listed(has)} for {task}", of_tasks[task])
        if fits:
            chosen[task] = fits[0]
        if names is has and len(has) > 1:
            undecided.append(f"{task} has {listed(has)}")
    if undecided:
        allowed = "one of those that a task has, where it has several"
        remedy = f"{'; '.join(undecided[:3])}. Name one, or several in the order of preference."
        raise InvalidInputError("--metric", allowed, None, remedy)
    return chosen


def _directions(
    rows: pd.DataFrame, given: bool | dict[str, bool]
) -> tuple[dict[Any, bool], list[str]]:
    """Return the direction of each task: what the files state, else what is given."""
    if isinstance(given, dict):
        known = rows["metric"].unique()
        for name in given:
            if name not in known:
                remedy = nearest(name, known)
                allowed = f"metrics that are taken, which are {listed(list(known))}"
                raise InvalidInputError("--higher or --lower", allowed, name, remedy)
    better: dict[Any, bool] = {}
    unstated: dict[bool, list[str]] = {True: [], False: []}
    for task, part in rows.groupby("task", sort=False):
        metric = str(part["metric"].iloc[0])
        stated = part["higher_is_better"].dropna()
        answer = given.get(metric) if isinstance(given, dict) else given
        if len(stated):
            better[task] = bool(stated.iloc[0])
            if isinstance(given, dict) and answer not in (None, better[task]):
                raise click.UsageError(f"The files state the other direction of {metric}.")
        elif answer is None:
            raise click.UsageError(
                f"No file states whether higher is better in {metric} of task {task}; name the "
                "metric in --higher or --lower."
            )
        else:
            better[task] = answer
            unstated[answer].append(metric)
    words = {True: "higher", False: "lower"}
    told = [
        f"direction given, not stated in the files: {words[side]} is better in "
        f"{listed(list(dict.fromkeys(names)))}"
        for side, names in unstated.items()
        if names
    ]
    return better, told
