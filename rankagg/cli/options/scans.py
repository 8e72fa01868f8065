"""Options of scans, and the sums that they find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import rankagg as ra
from rankagg.cli.options.data_options import Typed
from rankagg.cli.options.typed import (
    SCHEDULER,
    Option,
    choice,
    flag,
    jobs,
    labels_of,
    weights_of,
    workers,
)
from rankagg.cli.options.wording import options_named

if TYPE_CHECKING:
    from rankagg._typing import Directions, Label
    from rankagg.io.scan.scan_scores import ScoreScan


#: How files are gone through.
SCAN_OPTIONS = [
    Option(
        "--systems",
        metavar="A,B,C",
        help="Wide form: columns of systems; default: all not named otherwise. Long form: all "
        "systems.",
    ),
    choice(
        "--scattered",
        ["refuse", "sort"],
        "Long files in which rows of one instance lie apart; sort: on disk first, with DuckDB.",
        default="refuse",
    ),
    jobs("Processes of this machine"),
    SCHEDULER,
    flag(
        "--progress", help="Show a bar with the rate even where the standard error is no terminal."
    ),
]


def summed(sources: tuple[str, ...], typed: Typed) -> tuple[ra.ScoreSummary, tuple[str, ...]]:
    """Go through score files, and return the sums and the lines that tell of them."""
    from rankagg.cli.options.inputs import tell_scores
    from rankagg.cli.options.kinds import DASH
    from rankagg.core import counted

    if DASH in sources:
        raise click.UsageError(
            "The standard input cannot be gone through more than once, as scans do: save it."
        )
    for name in ("lower", "weight"):
        if getattr(typed, name) and typed.task is None:
            raise click.UsageError(f"--{name} needs --task: the column of tasks.")
    if typed.n_groups is not None and typed.instance is None:
        raise click.UsageError("--groups needs --instance: the column by whose labels they go.")
    if typed.lower_is_better and typed.lower:
        raise click.UsageError("--lower-is-better covers every task; leave --lower out.")
    phrases = {"address": "--scheduler", "higher_is_better": "--lower", "source": "SOURCES"}
    with options_named(phrases):
        scan = _scan(sources, typed, higher_is_better=not typed.lower_is_better)
        weights: dict[Label, float] = {}
        if typed.lower or typed.weight:
            tasks = scan.find_tasks()
            weights = weights_of("--weight", typed.weight, tasks, "task")
            lower = labels_of("--lower", typed.lower, tasks, "task")
            if lower:
                directions = {task: task not in lower for task in tasks}
                scan = _scan(sources, typed, higher_is_better=directions)
        summary = _summarize(scan, typed)
        if weights:
            summary = summary.with_task_weights(weights)
    more = f" and {counted(len(sources) - 1, 'more source')}" if len(sources) > 1 else ""
    shown = f"{sources[0]}{more}, {counted(len(scan.files), 'file')}"
    told = Typed(source=shown, files=(), drop=(), tolerance=None)
    lines = tell_scores(summary, told)
    if summary.n_groups is not None:
        lines = (*lines, f"groups: {summary.n_groups}, by the labels of instances")
    return summary, lines


def _summarize(scan: ScoreScan, typed: Typed) -> ra.ScoreSummary:
    progress = True if typed.progress else None
    with workers(typed.scheduler, typed.n_jobs) as shared:
        return scan.summarize(**shared, progress=progress, n_groups=typed.n_groups)


def _scan(sources: tuple[str, ...], typed: Typed, *, higher_is_better: Directions) -> ScoreScan:
    systems = typed.systems
    return ra.io.scan_scores(
        sources,
        higher_is_better=higher_is_better,
        systems=None if systems is None else [name.strip() for name in systems.split(",")],
        scattered=typed.scattered,
        system=typed.system,
        task=typed.task,
        instance=typed.instance,
        score=typed.score,
    )
