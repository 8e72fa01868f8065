"""Options of commands that go through score files once, or read them whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from rankagg._typing import Directions, Label
from rankagg.cli.options.inputs import DASH, KIND_OPTIONS, NAMED, AnyInput, read_input, with_options
from rankagg.cli.options.kinds.evaluations import seem_evaluations
from rankagg.cli.options.names import OneOf, jobs_option, labels_of, task_weights
from rankagg.cli.options.output import FILE
from rankagg.cli.options.told import tell_scores
from rankagg.cli.options.wording import options_named
from rankagg.core.items import counted
from rankagg.core.score_summary import ScoreSummary
from rankagg.exceptions import DataFormatError
from rankagg.io.cluster import connected

if TYPE_CHECKING:
    from rankagg.io.scan.scan_scores import ScoreScan

__all__ = ["add_options", "run_options", "stream_options", "summed"]

NAMES = {
    "address": "--scheduler",
    "n_groups": "--groups",
    "higher_is_better": "--lower",
    "instance": "--instance",
    "journal": "--journal",
    "n_jobs": "--jobs",
    "scattered": "--scattered",
    "score": "--score",
    "system": "--system",
    "system and score": "--system and --score",
    "systems": "--systems",
    "task": "--task",
}


#: Remedies that errors of files name, and what they are called here.
REMEDIES = {
    '`scattered="sort"`': "`--scattered sort`",
    "`systems`": "`--systems`",
    "`systems=`": "`--systems`",
}

# What only tables that are held have.
READ_WHOLE = {"dataset": None, "drop": (), "tolerance": None}


def run_options(where: str = "") -> list[Any]:
    """Return the options that say how files are gone through, and `where` they have a meaning."""
    return [
        click.option(
            "--systems",
            metavar="A,B,C",
            help=f"{where}Wide form: the columns of systems; default: all that are not named "
            "otherwise. Long form: all systems.",
        ),
        click.option(
            "--scattered",
            type=OneOf(["refuse", "sort"]),
            default="refuse",
            show_default=True,
            help=f"{where}What to do about long files in which rows of one instance lie apart. "
            "sort: on disk first, with DuckDB.",
        ),
        jobs_option(f"{where}Processes of this machine"),
        click.option(
            "--journal",
            "--resume",
            type=FILE,
            metavar="FILE",
            help=f"{where}Note finished parts here, and go on from it.",
        ),
        click.option(
            "--engine",
            type=OneOf(["local", "dask"]),
            default="local",
            show_default=True,
            help=f"{where}What does the work: this machine, or a cluster of Dask.",
        ),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help=f"{where}Scheduler of the cluster, as tcp://host:8786; needs --engine dask.",
        ),
        click.option(
            "--progress",
            is_flag=True,
            help=f"{where}Show a bar with rate and time left even where the standard error is no "
            "terminal.",
        ),
    ]


def add_options(command: Callable[..., Any], options: list[Any]) -> Callable[..., Any]:
    """Add options to a command, in their order."""
    for option in reversed(options):
        command = option(command)
    return command


def summed(
    sources: tuple[str, ...], values: Mapping[str, Any], called: str
) -> tuple[ScoreSummary, tuple[str, ...]]:
    """Go through score files, and return the sums and the lines that tell of them."""
    if DASH in sources:
        raise click.UsageError(
            "The standard input cannot be gone through more than once, as scans do: save it."
        )
    if (values["engine"] == "dask") != (values["scheduler"] is not None):
        raise click.UsageError("--engine dask and --scheduler ADDRESS need each other.")
    for option in ("lower", "weight"):
        if values[option] and values["task"] is None:
            raise click.UsageError(f"--{option} needs --task: the column of tasks.")
    if values.get("groups") is not None and values["instance"] is None:
        raise click.UsageError("--groups needs --instance: the column by whose labels they go.")
    if values["lower_is_better"] and values["lower"]:
        raise click.UsageError("--lower-is-better covers every task; leave --lower out.")
    with _options_told(), options_named({**NAMES, "sources": called}):
        scan = _scan(sources, values, higher_is_better=not values["lower_is_better"])
        weights: dict[Label, float] = {}
        if values["lower"] or values["weight"]:
            tasks = scan.find_tasks()
            weights = task_weights("--weight", values["weight"], tasks)
            lower = labels_of("--lower", values["lower"], tasks, "task")
            if lower:
                directions = {task: task not in lower for task in tasks}
                scan = _scan(sources, values, higher_is_better=directions)
        summary = _summarize(scan, values)
        if weights:
            summary = summary.with_task_weights(weights)
    more = f" and {counted(len(sources) - 1, 'more source')}" if len(sources) > 1 else ""
    shown = f"{sources[0]}{more}, {counted(len(scan.files), 'file')}"
    lines = tell_scores(summary, {**values, **READ_WHOLE, "file": shown})
    if summary.n_groups is not None:
        lines = (*lines, f"groups: {summary.n_groups}, by the labels of instances")
    return summary, lines


def _summarize(scan: ScoreScan, values: Mapping[str, Any]) -> ScoreSummary:
    progress = True if values["progress"] else None
    if values["scheduler"] is None:
        return scan.summarize(
            n_jobs=values["jobs"], progress=progress, journal=values["journal"],
            n_groups=values.get("groups"),
        )  # fmt: skip
    if values["jobs"] != 1:
        raise click.UsageError("--jobs has no meaning for --engine dask, which has workers.")
    with connected(values["scheduler"]) as client:
        return scan.summarize(
            engine="dask", client=client, progress=progress, journal=values["journal"],
            n_groups=values.get("groups"),
        )  # fmt: skip


@contextmanager
def _options_told() -> Iterator[None]:
    """Let what is said of a file, which quotes what is in it, name options as remedies."""
    try:
        yield
    except DataFormatError as error:
        told = str(error)
        for parameter, option in REMEDIES.items():
            told = told.replace(parameter, option)
        raise DataFormatError(told) from None


def _scan(
    sources: tuple[str, ...],
    values: Mapping[str, Any],
    *,
    higher_is_better: Directions,
) -> ScoreScan:
    # What goes through files in parallel is loaded where there are some.
    from rankagg.io.scan.scan_scores import scan_scores  # noqa: PLC0415

    systems = values["systems"]
    return scan_scores(
        sources,
        higher_is_better=higher_is_better,
        systems=None if systems is None else [name.strip() for name in systems.split(",")],
        scattered=values["scattered"],
        **{name: values[name] for name in ("system", "task", "instance", "score")},
    )


STREAM = click.option(
    "--stream",
    is_flag=True,
    help="FILEs are score files, patterns and folders to add up, of any size and laid out as "
    "`rankagg scan` says; no scores are held.",
)
#: Values of the options of scans.
SCANNED = ("systems", "scattered", "jobs", "journal", "progress", "engine", "scheduler")
#: Values that say what the data are and have a meaning for a scan.
TAKEN = ("system", "instance", "task", "score", "lower", "lower_is_better", "weight")


def stream_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add FILE, --stream and all options to a command, which receives one `AnyInput` for them."""
    names = ("files", "stream", *NAMED[1:], *SCANNED)
    options = [click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path()), STREAM]
    return add_options(
        add_options(with_options(command, _read, names), run_options("With --stream. ")), options
    )


def _read(values: dict[str, Any]) -> AnyInput:
    files: tuple[str, ...] = values.pop("files")
    if values.pop("stream"):
        return _streamed(files, values)
    given = {name: values.pop(name) for name in SCANNED}
    for name, value in given.items():
        if value not in (None, False, 1, "refuse", "local"):
            raise click.UsageError(f"--{name} has no meaning without --stream.")
    if len(files) > 1 and values["format"] == "auto" and not seem_evaluations(files):
        raise click.UsageError(f"Give one FILE, not {len(files)}; --stream adds up several.")
    return read_input(files=files, **values)


def _streamed(files: tuple[str, ...], values: dict[str, Any]) -> AnyInput:
    for name in ("dataset", *KIND_OPTIONS):
        if values[name] and name not in TAKEN:
            raise click.UsageError(f"--{name.replace('_', '-')} has no meaning for --stream.")
    if values["format"] not in ("auto", "scores"):
        raise click.UsageError(f"--format {values['format']} has no meaning for --stream.")
    if not files:
        raise click.UsageError("--stream needs FILE: a path, a pattern or a folder.")
    summary, lines = summed(files, values, "FILE")
    return AnyInput(summary, values["unranked"], 0.0, lines, files[0])
