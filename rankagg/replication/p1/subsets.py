"""Figures 5, 8 and 9: how near rules stay to themselves on random subsets of the tasks."""

from __future__ import annotations

from functools import partial

import pandas as pd

from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.aggregation.two_level import TwoLevel
from rankagg.replication.experiment import Bench, Experiment, Found, Picture, Sheet, Values
from rankagg.replication.p1.boards import BOARDS
from rankagg.replication.p1.sizes import instance_tables
from rankagg.replication.panels import bands_of, draw_panels
from rankagg.studies.task_subsets import TaskSubsetResult, TaskSubsetStudy

__all__ = ["EXPERIMENTS"]

REPETITIONS = 100
ON_TASKS: tuple[Aggregator, ...] = (Mean(), Borda())
ON_INSTANCES: tuple[Aggregator, ...] = (*ON_TASKS, TwoLevel(Borda(), Borda()))
TASK_NAMES = {"Mean": "mean", "Borda": "Borda"}
INSTANCE_NAMES = {"Mean": "mean", "Borda": "one level", "TwoLevel(Borda, Borda)": "two levels"}
#: Means and deviations that differ by less are equal.
EQUAL = 1e-9
#: The shares of tasks between which the paper sees the greatest difference.
RANGE = (0.25, 0.75)
UPRIGHT = "tau-b with the same rule on all tasks"


def on_tasks(bench: Bench) -> Found:
    """Draw subsets of the tasks of the three leaderboards."""
    values: Values = {}
    results = {}
    for board, table in bench.tables(*BOARDS).items():
        study = TaskSubsetStudy(
            data=table, aggregators=ON_TASKS, n_repetitions=bench.repetitions(REPETITIONS)
        )
        result = results[board] = bench.run(f"p1-figure-8-{board.lower()}", study)
        lead = _leads(result, "Borda", "mean")
        if board != "SuperGLUE":
            values["Figure 5", f"correlation of Borda against the mean's, {board}"] = _said(
                lead, "higher"
            )
            values["Figure 5", f"where Borda leads most, {board}"] = _where(lead, table.n_tasks)
        ahead, behind = int((lead > EQUAL).sum()), int((lead < -EQUAL).sum())
        nearer = "Borda" if ahead > behind else "mean" if behind > ahead else "neither"
        values |= {
            ("Figure 8", f"nearer to itself at more sizes, {board}"): nearer,
            ("Figure 8", f"sizes of subsets at which Borda is nearer, {board}"): float(ahead),
            ("Figure 8", f"sizes of subsets, {board}"): float(len(lead)),
        }
    caption = (
        "Mean correlation of a rule on some tasks with itself on all, in a band of one standard "
        "deviation either way. Figures 5 (a, f) and 8 of the paper draw the same."
    )
    return _found(values, results, TASK_NAMES, name="p1-figure-8", drawn="tasks", caption=caption)


def on_instances(bench: Bench) -> Found:
    """Draw subsets of the metrics of the tables of instances that are public."""
    values: Values = {}
    results = {}
    for name, table in instance_tables(bench).items():
        study = TaskSubsetStudy(
            data=table, aggregators=ON_INSTANCES, n_repetitions=bench.repetitions(REPETITIONS)
        )
        result = results[name] = bench.run(f"p1-figure-9-{name.lower()}", study)
        for rule in ON_INSTANCES[1:]:
            said = INSTANCE_NAMES[rule.name]
            values |= {
                ("Figure 9", f"correlation of {said} against the mean's, {name}"): _said(
                    _leads(result, rule.name, "mean"), "higher"
                ),
                ("Figure 9", f"spread of {said} against the mean's, {name}"): _said(
                    -_leads(result, rule.name, "std"), "lower"
                ),
            }
    caption = (
        "Mean correlation of a procedure on some metrics with itself on all, in a band of one "
        "standard deviation either way, on the data sets of Figures 5 and 9 that are public."
    )
    return _found(
        values, results, INSTANCE_NAMES, name="p1-figure-9", drawn="metrics", caption=caption
    )


def _leads(result: TaskSubsetResult, rule: str, column: str) -> pd.Series[float]:
    """Return by how much a rule is above the mean, for every size."""
    table = result.by_size()[column].unstack("method")
    return table[rule] - table["Mean"]


def _said(lead: pd.Series[float], word: str) -> str:
    """Return a claim where it holds for every size, and else for how many it does."""
    holds = int((lead > EQUAL).sum())
    return word if holds == len(lead) else f"{word} at {holds} of {len(lead)} sizes"


def _where(lead: pd.Series[float], n_tasks: int) -> str:
    low, high = RANGE
    share = float(lead.index[int(lead.argmax())]) / n_tasks
    if low <= share <= high:
        return f"{low:.0%} to {high:.0%} of tasks"
    return f"{share:.0%} of tasks"


def _found(
    values: Values,
    results: dict[str, TaskSubsetResult],
    names: dict[str, str],
    *,
    name: str,
    drawn: str,
    caption: str,
) -> Found:
    if not results:
        return Found(values)
    frames = {title: result.by_size() for title, result in results.items()}
    sheet = pd.concat(frames, names=["data"]).reset_index().drop(columns=["failed", "unproved"])
    panels = {
        title: bands_of(frame.swaplevel(), names, "mean", "std", -1.0)
        for title, frame in frames.items()
    }
    draw = partial(draw_panels, panels, f"{drawn} drawn at random", UPRIGHT)
    return Found(
        values,
        sheets=(Sheet(name, "Correlation with all tasks, by the size of subsets.", sheet),),
        pictures=(Picture(name, caption, draw),),
        sentences=tuple(f"{title}: {result.headline()}." for title, result in results.items()),
    )


EXPERIMENTS = (
    Experiment("p1-figure-8", "random subsets of tasks", ("Figure 5", "Figure 8"), on_tasks),
    Experiment("p1-figure-9", "random subsets of metrics", ("Figure 9",), on_instances),
)
