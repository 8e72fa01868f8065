"""Options for what evaluation tools wrote: which metric, which runs, which direction."""

from __future__ import annotations

from collections.abc import Sequence
from glob import has_magic
from pathlib import Path

import click

from rankagg.cli.options.kinds.kind import Found, Kind, Option, Values
from rankagg.cli.options.names import OneOf, labels_of
from rankagg.io.evaluations.evaluations import Evaluations
from rankagg.io.evaluations.read_evaluations import (
    ENDINGS,
    ending_of,
    holds_evaluations,
    looks_like_evaluations,
    read_evaluations,
)

__all__ = ["EVALUATIONS", "OPTIONS", "seem_evaluations"]

OPTIONS: list[Option] = [
    click.option(
        "--metric",
        multiple=True,
        metavar="[TASK=]METRIC",
        help="Evaluations: the metric of all tasks, or of one; of several, which may be given, the "
        "first one that a task has.",
    ),
    click.option(
        "--by",
        type=OneOf(["task", "instance"]),
        help="Evaluations: scores of whole tasks, or of their instances; default: of instances "
        "where all have them.",
    ),
    click.option(
        "--runs",
        type=OneOf(["mean", "first", "last", "each"]),
        help="Evaluations: what becomes of several runs of one system; each: a system of its own.",
    ),
    click.option(
        "--use-groups",
        is_flag=True,
        help="Evaluations: the scores of groups of tasks, and not those of their tasks.",
    ),
    click.option(
        "--higher",
        multiple=True,
        metavar="METRIC",
        help="Evaluations: higher is better in METRIC, of which the files say nothing; --lower "
        "says the other; both may be repeated.",
    ),
]


def seem_evaluations(files: Sequence[str]) -> bool:
    """Say whether files are folders, patterns, or called as only evaluations are, or several."""
    paths = [Path(file) for file in files]
    endings = {ending_of(path) for path in paths if not _is_many(path)}
    if len(files) > 1 or not endings:
        return endings <= ENDINGS
    return endings == {".eval"} or (paths[0].is_file() and holds_evaluations(paths[0]))


def _is_many(path: Path) -> bool:
    try:
        return path.is_dir() or (has_magic(str(path)) and not path.exists())
    except (OSError, ValueError):  # no path: what opens it says why
        return False


def _read(values: Values) -> Found:
    if values["lower_is_better"] and (values["lower"] or values["higher"]):
        raise click.UsageError(
            "--lower-is-better covers every metric of which the files say nothing; leave --lower "
            "and --higher out."
        )
    twice = set(values["lower"]) & set(values["higher"])
    if twice:
        raise click.UsageError(f"{sorted(twice)[0]!r} is given by --lower and by --higher.")
    given = {**dict.fromkeys(values["higher"], True), **dict.fromkeys(values["lower"], False)}
    found = read_evaluations(values["files"])
    chosen = found.select(
        metric=_metric(values["metric"], found),
        by=values["by"],
        runs=values["runs"],
        groups=values["use_groups"],
        higher_is_better=False if values["lower_is_better"] else given or None,
    )
    table = chosen.table
    out = labels_of("--drop", values["drop"], table.tasks, "task")
    return Found(table.drop(tasks=out), chosen.notes)


def _metric(given: Sequence[str], found: Evaluations) -> list[str] | dict[str, str] | None:
    """Return names of metrics, or those of single tasks where TASK= stands before them."""
    of_tasks: dict[str, str] = {}
    for text in given:
        splits = [(text[:at], text[at + 1 :]) for at, sign in enumerate(text) if sign == "="]
        task = next((pair for pair in splits if pair[0] in found.tasks), None)
        if text not in found.metrics and task is not None:
            of_tasks[task[0]] = task[1]
    if of_tasks and len(of_tasks) < len(given):
        raise click.UsageError(
            "--metric names metrics of all tasks, or by TASK=METRIC those of single ones, each "
            "once; not both."
        )
    return of_tasks or list(given) or None


EVALUATIONS = Kind(
    "evaluations",
    "evaluations, which name systems, tasks and instances themselves",
    _read,
    takes=(
        "metric", "by", "runs", "use_groups", "higher", "lower", "lower_is_better", "weight",
        "group", "tolerance", "drop",
    ),
    looks_so=looks_like_evaluations,
)  # fmt: skip
