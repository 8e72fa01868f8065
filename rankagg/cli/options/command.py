"""Commands: a function that returns an answer, and the one place that prints, draws and writes it.

`Options` that belong together reach the function as one value.
"""

from __future__ import annotations

import inspect
import json
import logging
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import click

from rankagg.cli.exit_codes import DONE
from rankagg.cli.options.typed import Option, Whole, choice, flag, grouped
from rankagg.exceptions import OutputError, visible, visible_json
from rankagg.io.output_files import check_target, guard_frame, write_file, write_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class _OutputFile(click.Path):
    """A file that can be written."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or name the option."""
        try:
            return check_target(value)
        except OutputError as error:
            self.fail(str(error), param, ctx)


class _OutputFolder(click.Path):
    """A folder that can be written into, or made."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)
        self.name = "folder"

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


FILE, FOLDER = _OutputFile(), _OutputFolder()
# Notes in a context of click that all options are to be explained.
ALL = "rankagg.help_all"
# Letters of the names of options in a line of help.
NAMES_WIDTH = 58


@dataclass(frozen=True)
class Options:
    """Options that reach a command as one value."""

    # The parameter of the command.
    name: str
    options: Sequence[click.Parameter]
    # Returns the value, given those of the options.
    make: Callable[..., Any]


@dataclass(frozen=True)
class Output:
    """How an answer is printed, and where its picture goes."""

    as_json: bool = False
    # The markup of the table alone, "latex" or "markdown".
    pasted: str | None = None
    # How many rows are printed: none is all; there is nothing to limit where it is 0.
    rows: int | None = 0
    plot: Path | None = None

    @property
    def is_text(self) -> bool:
        """Whether text is printed, neither JSON nor a table to paste."""
        return not self.as_json and self.pasted is None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a command found and how it ends; a function of what is shown is called if it is."""

    # What has `to_dict` and `summary`, and can be pasted.
    result: Any = None
    # What tells of the input, by default of `given`; None where there is none.
    lines: Iterable[str] | None = None
    # Plain data, by default of the result.
    data: Callable[[], dict[str, Any]] | None = None
    # The text of so many rows, by default of the result.
    text: Callable[[int | None], str] | None = None
    # What is said besides on the standard error.
    beside: Iterable[str] = ()
    plot: Callable[[], Axes] | None = None
    # What else is written: paths that may be None, and what writes them.
    files: Iterable[tuple[Path | None, Callable[[Path], object]]] = ()
    code: int = DONE


class Command(click.Command):
    """A command whose --help fits on a screen, and whose --help-all explains every option."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first sentence and the examples, or all that is said."""
        paragraphs = (self.help or "").split("\n\n")
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text("\n\n".join(paragraphs if ALL in ctx.meta else paragraphs[:2]))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options that most people use, and a line for each further group of options."""
        groups: dict[str, list[tuple[str, str]]] = {"": []}
        for one in self.get_params(ctx):
            record = one.get_help_record(ctx)
            if record is not None and isinstance(one, click.Option):
                groups.setdefault(getattr(one, "group", ""), []).append(record)
        further = []
        for name, records in groups.items():
            if name and ALL not in ctx.meta:
                names = ", ".join(stated.split()[0].strip(",") for stated, _ in records)
                further.append(
                    (name, shorten(names, NAMES_WIDTH, placeholder=" ...", break_on_hyphens=False))
                )
                continue
            with formatter.section(f"{name} options" if name else "Options"):
                formatter.write_dl(records)
        if further:
            with formatter.section("Further options, which --help-all explains"):
                formatter.write_dl(further)


def _help_all(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        ctx.meta[ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()


ALL_HELP = flag(
    "--help-all",
    is_eager=True,
    expose_value=False,
    callback=_help_all,
    help="Show all options, in groups, and exit.",
)


Part: TypeAlias = click.Parameter | Options


def command(*parts: Part, name: str = "") -> Callable[[Callable[..., Answer]], click.Command]:
    """Make a command of a function: what its options and groups give are its parameters."""
    groups = [part for part in parts if isinstance(part, Options)]
    params = [
        one for part in parts for one in (part.options if isinstance(part, Options) else (part,))
    ]

    def make(function: Callable[..., Answer]) -> click.Command:
        takes = inspect.signature(function).parameters

        def run(**values: Any) -> int:
            shown = Output()
            for group in groups:
                names = [str(one.name) for one in group.options if one.expose_value]
                values[group.name] = group.make(**{name: values.pop(name) for name in names})
            if "output" in values:
                shown = values["output"] if "output" in takes else values.pop("output")
            answer = function(**values)
            if answer.lines is None and "given" in values:
                answer = replace(answer, lines=values["given"].lines)
            _finish(answer, shown)
            return answer.code

        return Command(
            name or function.__name__,
            callback=run,
            params=[*params, ALL_HELP],
            help=inspect.getdoc(function),
        )

    return make


def output(
    rows: str = "", *, as_json: bool = True, pasted: bool = False, plot: str = ""
) -> Options:
    """Return the options of what is printed: of how many `rows`, in which ways, and what plot."""
    options: list[click.Parameter] = []
    if as_json:
        options.append(flag("--json", "as_json", help="Print JSON instead of text."))
    if plot:
        about = f"Draw {plot} into a .svg, .pdf or .png file."
        options.append(Option("--plot", type=FILE, callback=_check_picture, help=about))
    if rows:
        about = f"{rows.capitalize()} to print at most."
        options += grouped(
            "Output",
            Option("--rows", type=Whole(1, 10**18), default=20, help=about),
            flag("--all", "everything", help=f"Print all {rows}."),
        )
    if pasted:
        options += grouped(
            "Output",
            choice(
                "--as",
                ["latex", "markdown"],
                "Print the table alone, for a paper or a page; the standard error tells of "
                "the input.",
                "pasted",
            ),
        )
    return Options("output", options, _output)


def _output(*, rows: int | None = 0, everything: bool = False, **values: Any) -> Output:
    if values.get("as_json") and values.get("pasted"):
        raise click.UsageError("--as and --json exclude each other.")
    return Output(rows=None if everything else rows, **values)


def _check_picture(ctx: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    pictures = (".pdf", ".png", ".svg")
    if path is not None and path.suffix.lower() not in pictures:
        raise click.BadParameter(f"{path.name!r} must end in {', '.join(pictures)}.")
    return path


def _finish(answer: Answer, shown: Output) -> None:
    """Print an answer, draw its picture, and write its files."""
    if shown.plot is not None and answer.plot is None:
        raise click.UsageError("--plot: there is no picture of this answer.")
    result, lines = answer.result, None if answer.lines is None else list(answer.lines)
    limit = {} if shown.rows == 0 else {"rows": shown.rows}
    for line in (*((lines or ()) if shown.pasted else ()), *answer.beside):
        click.echo(line, err=True)
    if shown.pasted is not None:
        write = result.to_latex if shown.pasted == "latex" else result.to_markdown
        click.echo(write(rows=shown.rows or None), nl=False)
    elif shown.as_json:
        data = result.to_dict() if answer.data is None else answer.data()
        click.echo(_dumps({**data, **({} if lines is None else {"input": lines})}))
    elif result is not None or answer.text is not None:
        text = result.summary(**limit) if answer.text is None else answer.text(shown.rows)
        click.echo("\n".join([*(lines or ()), text]))
    if shown.plot is not None and answer.plot is not None:
        _draw(answer.plot, shown.plot)
    for path, write_to in answer.files:
        if path is not None:
            write_to(path)


def _draw(draw: Callable[[], Axes], path: Path) -> None:
    """Draw into a file, and say so on the standard error."""
    # matplotlib takes most of a second to load, and most calls draw nothing.
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    from rankagg.plotting import style

    mpl.use("Agg")
    with style("paper"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        figure = cast("Figure", draw().figure)
        write_file(path, figure.savefig)
        plt.close("all")
    if any("missing from font" in str(warning.message) for warning in told):
        click.echo("warning: no font at hand has all letters of the names", err=True)
    click.echo(f"plot: {path}", err=True)


class _Echo(logging.Handler):
    def __init__(self, doing: str) -> None:
        super().__init__()
        self.doing = doing

    def emit(self, record: logging.LogRecord) -> None:
        click.echo(f"{self.doing}: {record.getMessage()}", err=True)


def tell_progress(logger: logging.Logger, doing: str) -> None:
    """Let a long computation tell on the standard error how far it is."""
    logger.setLevel(logging.INFO)
    logger.propagate = False
    if not any(isinstance(handler, _Echo) for handler in logger.handlers):
        logger.addHandler(_Echo(doing))


def write_json(data: dict[str, Any], path: Path) -> None:
    """Write plain data as a JSON file."""
    write_text(path, _dumps(data) + "\n")


def write_frame(frame: pd.DataFrame, path: Path, *, index: bool = False) -> None:
    """Write a table as a CSV file."""
    write_text(path, guard_frame(frame).to_csv(index=index, lineterminator="\n"))


def in_columns(rows: Iterable[Iterable[object]]) -> str:
    """Return rows of values in columns, as wide as each has to be."""
    table = [list(map(str, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)


def rows_told(frame: pd.DataFrame, rows: int | None, noun: str, **form: Any) -> str:
    """Return the first rows of a table as text, and how many more there are."""
    from rankagg.core import counted

    shown = frame if rows is None else frame.head(rows)
    text, more = visible(shown.to_string(**form)), len(frame) - len(shown)
    return f"{text}\n... and {counted(more, f'more {noun}')}" if more else text


def _dumps(data: dict[str, Any]) -> str:
    """Return plain data as JSON; there is no NaN in it."""
    return visible_json(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))
