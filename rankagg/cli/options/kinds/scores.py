"""Options of scores: the columns of a table, directions, and what is done with tasks."""

from __future__ import annotations

import click

from rankagg import datasets
from rankagg._typing import Label
from rankagg.cli.options.kinds.kind import Found, Kind, Option, Values
from rankagg.cli.options.names import Number, labels_of, split, task_weights
from rankagg.core.scores import ScoreTable
from rankagg.io.json_files import looks_like_summary, read_summary
from rankagg.io.scores import read_scores

__all__ = ["COLUMNS", "NAMES", "OF_TASKS", "SCORES", "SUMMARY", "read_bundled", "reshaped"]

DIRECTIONS: list[Option] = [
    click.option("--lower-is-better", is_flag=True, help="Scores: lower is better on every task."),
    click.option(
        "--lower",
        multiple=True,
        metavar="TASK",
        help="Lower is better on TASK, and higher on the others; may be repeated.",
    ),
]

COLUMNS: list[Option] = [
    click.option("--system", metavar="COLUMN", help="Column of systems; default: the first."),
    click.option("--instance", metavar="COLUMN", help="Column of instances of the tasks."),
    click.option("--task", metavar="COLUMN", help="Long form: column of tasks."),
    click.option("--score", metavar="COLUMN", help="Long form: column of scores."),
]

OF_TASKS: list[Option] = [
    click.option(
        "--weight",
        multiple=True,
        metavar="TASK=NUMBER",
        help="Weight of a task; default 1; may be repeated. Comparisons: the column of weights.",
    ),
    click.option(
        "--group",
        multiple=True,
        metavar="NEW=TASK,TASK",
        help="Average tasks (sub-metrics, languages) into a new one first; may be repeated.",
    ),
    click.option(
        "--tolerance",
        type=Number(0),
        help="Scores next to each other that differ by no more are tied; default 0.",
    ),
]

#: Parameters of the readers, and what they are called here.
NAMES = {
    "task and score": "--task and --score",
    "task_weights": "--weight",
    "groups": "--group",
    "instance": "--instance",
    "score": "--score",
    "system": "--system",
    "task": "--task",
}


def _read(values: Values) -> Found:
    columns = {name: values[name] for name in ("system", "task", "instance", "score", "drop")}
    columns |= {"missing": values["na"], "percent": values["percent"]}
    columns |= {"decimal": values["decimal"] or ".", "errors": values["errors"] or "refuse"}
    if values["lower_is_better"] and values["lower"]:
        raise click.UsageError("--lower-is-better covers every task; leave --lower out.")
    table = read_scores(values["file"], higher_is_better=not values["lower_is_better"], **columns)
    if not values["lower"]:
        return Found(table)
    lower = labels_of("--lower", values["lower"], table.tasks, "task")
    directions = {task: task not in lower for task in table.tasks}
    return Found(read_scores(values["file"], higher_is_better=directions, **columns))


def read_bundled(values: Values) -> Found:
    """Read the scores of a bundled data set."""
    table = datasets.load(values["dataset"])
    if isinstance(table, ScoreTable):
        table = table.drop(tasks=labels_of("--drop", values["drop"], table.tasks, "task"))
    return Found(table)


def reshaped(table: ScoreTable, values: Values) -> ScoreTable:
    """Return a table with the groups and weights of tasks that were asked for."""
    groups: dict[Label, list[Label]] = {}
    for new, members in split("--group", values["group"], "NEW=TASK,TASK", last=False).items():
        names = [member.strip() for member in members.split(",") if member.strip()]
        groups[new] = labels_of("--group", names, table.tasks, "task")
    if groups:
        table = table.group_tasks(groups)
    weights = task_weights("--weight", values["weight"], table.tasks)
    return table.with_task_weights(weights) if weights else table


def _read_summary(values: Values) -> Found:
    summary = read_summary(values["file"])
    weights = task_weights("--weight", values["weight"], summary.tasks)
    return Found(summary.with_task_weights(weights) if weights else summary)


SCORES = Kind(
    "scores",
    "a table of scores; `--format ballots` reads ballots, `--format comparisons` results of pairs",
    _read,
    takes=(
        "system", "instance", "task", "score", "lower", "lower_is_better", "weight", "group",
        "tolerance", "drop", "decimal", "percent", "na", "errors",
    ),
)  # fmt: skip

SUMMARY = Kind(
    "summary",
    "sums of scores, which were counted with directions of their own",
    _read_summary,
    takes=("weight",),
    looks_so=looks_like_summary,
)
