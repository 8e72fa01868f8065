"""The options of a command that reads data whole, or goes through score files once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from rankagg.cli.options.cast_votes import CAST_VOTES
from rankagg.cli.options.evaluations import EVALUATION_NAMES, seem_evaluations
from rankagg.cli.options.inputs import NAMED, AnyInput, read_input, with_options
from rankagg.cli.options.scans import add_options, run_options, summed
from rankagg.cli.options.text_numbers import TEXT_NUMBERS

__all__ = ["stream_options"]

STREAM = click.option(
    "--stream",
    is_flag=True,
    help="FILEs are score files, patterns and folders to add up, of any size and laid out as "
    "`rankagg scan` says; no scores are held.",
)
#: Values of the options of scans.
SCANNED = ("systems", "scattered", "jobs", "journal", "progress", "engine", "scheduler")
#: Values that a scan has no meaning for.
WHOLE_ONLY = (
    "dataset", "drop", "group", "tolerance", "count", "left_out", *CAST_VOTES, *EVALUATION_NAMES,
    *TEXT_NUMBERS,
)  # fmt: skip


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
    for name in WHOLE_ONLY:
        if values[name]:
            raise click.UsageError(f"--{name.replace('_', '-')} has no meaning for --stream.")
    if values["format"] not in ("auto", "scores"):
        raise click.UsageError(f"--format {values['format']} has no meaning for --stream.")
    if not files:
        raise click.UsageError("--stream needs FILE: a path, a pattern or a folder.")
    summary, lines = summed(files, values, "FILE")
    return AnyInput(summary, values["unranked"], 0.0, lines, files[0])
