"""Writing results: JSON, files and pictures, and the options for how much is printed."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import click
import pandas as pd

from rankagg.cli.options.names import OneOf, Whole
from rankagg.core.results import Pastable
from rankagg.exceptions import OutputError, visible_json
from rankagg.io.output_files import check_target, guard_frame, write_file, write_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "FILE",
    "FOLDER",
    "Described",
    "OutputFile",
    "OutputFolder",
    "as_option",
    "echo_json",
    "echo_pasted",
    "echo_result",
    "json_option",
    "plot_option",
    "rows_options",
    "save_plot",
    "write_frame",
    "write_json",
]


class OutputFile(click.Path):
    """A file that can be written."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or name the option."""
        try:
            return check_target(value)
        except OutputError as error:
            self.fail(str(error), param, ctx)


class OutputFolder(click.Path):
    """A folder that can be written into, or made."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or name the option."""
        folder = Path(value)
        try:
            # What is there of its path already decides whether the rest can be made.
            there = next(part for part in (folder, *folder.absolute().parents) if part.exists())
            if not there.is_dir():
                self.fail(f"{folder} cannot be made: {there} is a file.", param, ctx)
            check_target(there / "file")
        except (OutputError, OSError, ValueError) as error:
            self.fail(str(error), param, ctx)
        return folder


FILE = OutputFile()
FOLDER = OutputFolder()


class Described(Protocol):
    """What can be printed as text and as JSON."""

    @property
    def summary(self) -> Callable[..., str]:
        """Return a text; where it may be long, of so many `rows`."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")

as_option = click.option(
    "--as",
    "pasted",
    type=OneOf(["latex", "markdown"]),
    help="Print the table alone, for a paper or a page; the standard error tells of the input.",
)


def rows_options(what: str) -> Callable[..., Any]:
    """Add --rows and --all to a command, which receives `rows`: a number, or None for all."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        limit = click.option(
            "--rows",
            type=Whole(1, 10**18),
            default=20,
            show_default=True,
            help=f"{what.capitalize()} to print at most.",
        )
        unlimited = click.option("--all", "everything", is_flag=True, help=f"Print all {what}.")

        @wraps(command)
        def wrapped(*args: Any, rows: int, everything: bool, **values: Any) -> Any:
            return command(*args, rows=None if everything else rows, **values)

        return limit(unlimited(wrapped))

    return add


def echo_json(data: dict[str, Any]) -> None:
    """Print plain data as JSON; there is no NaN in it."""
    click.echo(_dumps(data))


def echo_result(
    found: Described,
    lines: Iterable[str] | None,
    *,
    as_json: bool,
    pasted: str | None = None,
    **limit: Any,
) -> None:
    """Print what was found: as JSON, as a table to paste, or as text."""
    told = None if lines is None else list(lines)
    if pasted is not None:
        echo_pasted(cast(Pastable, found), pasted, told or (), as_json=as_json, **limit)
    elif as_json:
        echo_json({**found.to_dict(), **({} if told is None else {"input": told})})
    else:
        click.echo("\n".join([*(told or ()), found.summary(**limit)]))


def echo_pasted(
    result: Pastable, pasted: str, lines: Iterable[str], *, as_json: bool, rows: int | None = None
) -> None:
    """Print the table of a result in LaTeX or Markdown, and the lines beside it."""
    if as_json:
        raise click.UsageError("--as and --json exclude each other.")
    for line in lines:
        click.echo(line, err=True)
    text = result.to_latex(rows=rows) if pasted == "latex" else result.to_markdown(rows=rows)
    click.echo(text, nl=False)


def write_json(data: dict[str, Any], path: Path) -> None:
    """Write plain data as a JSON file."""
    write_text(path, _dumps(data) + "\n")


def write_frame(frame: pd.DataFrame, path: Path, *, index: bool = False) -> None:
    """Write a table as a CSV file."""
    write_text(path, guard_frame(frame).to_csv(index=index, lineterminator="\n"))


def _dumps(data: dict[str, Any]) -> str:
    return visible_json(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))


KINDS = (".pdf", ".png", ".svg")


def plot_option(what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --plot, which a command receives as `plot`: a path, or None."""
    return click.option(
        "--plot",
        type=FILE,
        callback=_check_kind,
        metavar="FILE",
        help=f"Draw {what} into a .svg, .pdf or .png file.",
    )


def _check_kind(ctx: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() not in KINDS:
        raise click.BadParameter(f"{path.name!r} must end in {', '.join(KINDS)}.")
    return path


def save_plot(draw: Callable[[], Axes], path: Path | None) -> None:
    """Draw into a file, where one is asked for, and say so on the standard error."""
    if path is None:
        return
    # matplotlib takes most of a second to load, and most calls draw nothing.
    import matplotlib as mpl  # noqa: PLC0415
    import matplotlib.pyplot as plt  # noqa: PLC0415

    from rankagg.plotting.theme import style  # noqa: PLC0415

    mpl.use("Agg")
    with style("paper"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        figure = cast("Figure", draw().figure)
        write_file(path, figure.savefig)
        plt.close("all")
    if any("missing from font" in str(warning.message) for warning in told):
        click.echo("warning: no font at hand has all letters of the names", err=True)
    click.echo(f"plot: {path}", err=True)
