"""The options of a command that reads data whole, or goes through score files once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from rankagg.cli.options.inputs import KIND_OPTIONS, NAMED, AnyInput, read_input, with_options
from rankagg.cli.options.kinds.evaluations import seem_evaluations
from rankagg.cli.options.scans import add_options, run_options, summed

__all__ = ["stream_options"]

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
