"""Options of commands that go through score files once, or read them whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import rankagg as ra
from rankagg._typing import Directions, Label
from rankagg.cli.options.command import FILE, Group
from rankagg.cli.options.inputs import DASH, Input, data, read_input, tell_scores
from rankagg.cli.options.kinds import KIND_OPTIONS, Typed, seem_evaluations
from rankagg.cli.options.typed import flag, jobs, labels_of, option, weights_of
from rankagg.cli.options.wording import option_of, options_named
from rankagg.core.items import counted
from rankagg.io.cluster import connected

if TYPE_CHECKING:
    from rankagg.io.scan.scan_scores import ScoreScan


def scan_options(where: str = "") -> list[click.Option]:
    """Return the options that say how files are gone through, and `where` they have a meaning."""
    return [
        option(
            "--systems A,B,C",
            help=f"{where}Wide form: the columns of systems; default: all that are not named "
            "otherwise. Long form: all systems.",
        ),
        option(
            "--scattered refuse|sort",
            default="refuse",
            help=f"{where}What to do about long files in which rows of one instance lie apart. "
            "sort: on disk first, with DuckDB.",
        ),
        jobs(f"{where}Processes of this machine"),
        option(
            "--journal --resume FILE",
            type=FILE,
            help=f"{where}Note finished parts here, and go on from it.",
        ),
        option(
            "--engine local|dask",
            default="local",
            help=f"{where}What does the work: this machine, or a cluster of Dask.",
        ),
        option(
            "--scheduler ADDRESS",
            help=f"{where}Scheduler of the cluster, as tcp://host:8786; needs --engine dask.",
        ),
        flag(
            "--progress",
            help=f"{where}Show a bar with rate and time left even where the standard error is no "
            "terminal.",
        ),
    ]


def summed(
    sources: tuple[str, ...], typed: Typed, called: str
) -> tuple[ra.ScoreSummary, tuple[str, ...]]:
    """Go through score files, and return the sums and the lines that tell of them."""
    if DASH in sources:
        raise click.UsageError(
            "The standard input cannot be gone through more than once, as scans do: save it."
        )
    if (typed.engine == "dask") != (typed.scheduler is not None):
        raise click.UsageError("--engine dask and --scheduler ADDRESS need each other.")
    for name in ("lower", "weight"):
        if getattr(typed, name) and typed.task is None:
            raise click.UsageError(f"--{name} needs --task: the column of tasks.")
    if typed.n_groups is not None and typed.instance is None:
        raise click.UsageError("--groups needs --instance: the column by whose labels they go.")
    if typed.lower_is_better and typed.lower:
        raise click.UsageError("--lower-is-better covers every task; leave --lower out.")
    phrases = {
        "address": "--scheduler",
        "higher_is_better": "--lower",
        "system and score": "--system and --score",
        "sources": called,
    }
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
    noted: dict[str, Any] = {"journal": typed.journal, "n_groups": typed.n_groups}
    noted["progress"] = True if typed.progress else None
    if typed.scheduler is None:
        return scan.summarize(n_jobs=typed.n_jobs, **noted)
    if typed.n_jobs != 1:
        raise click.UsageError("--jobs has no meaning for --engine dask, which has workers.")
    with connected(typed.scheduler) as client:
        return scan.summarize(engine="dask", client=client, **noted)


def _scan(sources: tuple[str, ...], typed: Typed, *, higher_is_better: Directions) -> ScoreScan:
    systems = typed.systems
    return ra.scan_scores(
        sources,
        higher_is_better=higher_is_better,
        systems=None if systems is None else [name.strip() for name in systems.split(",")],
        scattered=typed.scattered,
        system=typed.system,
        task=typed.task,
        instance=typed.instance,
        score=typed.score,
    )


#: Values that say what the data are and have a meaning for a scan.
TAKEN = ("system", "instance", "task", "score", "lower", "lower_is_better", "weight")
SCAN_OPTIONS = scan_options("With --stream. ")
STREAM = flag(
    "--stream",
    help="FILEs are score files, patterns and folders to add up, of any size and laid out as "
    "`rankagg scan` says; no scores are held.",
)


def streamed_data() -> Group:
    """Return the options of data, and of score files that are added up, as `given`."""
    whole = data()
    files, *options = whole.options
    return Group("given", [files, STREAM, *options, *SCAN_OPTIONS], _data_or_sums)


def _data_or_sums(*, stream: bool, **values: Any) -> Input:
    if stream:
        return _streamed(values)
    for one in SCAN_OPTIONS:
        if values.pop(str(one.name)) not in (None, False, 1, "refuse", "local"):
            raise click.UsageError(f"{one.opts[0]} has no meaning without --stream.")
    n = len(values["files"])
    if n > 1 and values["format"] == "auto" and not seem_evaluations(values["files"]):
        raise click.UsageError(f"Give one FILE, not {n}; --stream adds up several.")
    return read_input(**values)


def _streamed(values: dict[str, Any]) -> Input:
    for name in ("dataset", *KIND_OPTIONS):
        if values[name] and name not in TAKEN:
            raise click.UsageError(f"{option_of(name)} has no meaning for --stream.")
    if values["format"] not in ("auto", "scores"):
        raise click.UsageError(f"--format {values['format']} has no meaning for --stream.")
    if not values["files"]:
        raise click.UsageError("--stream needs FILE: a path, a pattern or a folder.")
    summary, lines = summed(values["files"], Typed(**values, n_groups=None), "FILE")
    return Input(summary, values["unranked"], 0.0, lines, values["files"][0])
