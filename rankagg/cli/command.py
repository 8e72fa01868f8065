"""Commands: a function that returns an answer, what is printed of it, and errors that name options.

Options that belong together reach the function as one value.
"""

from __future__ import annotations

import inspect
import json
import logging
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import click
from click.core import ParameterSource

from rankagg.cli.options import FILE, Option, Whole, choice, flag, grouped
from rankagg.exceptions import (
    DataFormatError,
    InformationLostError,
    InvalidInputError,
    NotIdentifiedError,
    visible,
    visible_json,
)
from rankagg.io.output_files import guard_frame, write_file, write_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DONE, FAILED, BAD_INPUT, UNPROVED, GATE, INTERRUPTED = 0, 1, 2, 3, 4, 130
# A parameter as sentences of the package write it: `unit='task'`, method="max-t", `unit=`, `unit`.
_GIVEN = re.compile(r"""`?(?<![-\w])([a-z_]+)=(?:(['"])(.*?)\2|([A-Za-z0-9.]+))`?|`([a-z_]+)=?`""")
_ARGUMENT = re.compile(r"`[a-z_]+=`")
# Notes in a context of click that all options are to be explained.
_ALL = "rankagg.help_all"
# Letters of the names of options in a line of help.
_NAMES_WIDTH = 58
_PICTURES = (".pdf", ".png", ".svg")


@dataclass(frozen=True)
class Options:
    """Options that reach a command as one value."""

    # The parameter of the command.
    name: str
    options: Sequence[click.Parameter]
    # Returns the value, given those of the options.
    make: Callable[..., Any]


def output(
    rows: str = "",
    *,
    as_json: bool = True,
    table: bool = False,
    pasted: bool = False,
    plot: str = "",
) -> Options:
    """Return the options of what is printed: of how many `rows`, in which ways, and what plot."""
    options: list[click.Parameter] = []
    if as_json:
        options.append(flag("--json", "as_json", help="Print JSON instead of text."))
    if table:
        options.append(Option("--csv", type=FILE, help="Also write the table as a CSV file."))
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
        about = (
            "Print the table alone, for a paper or a page; the input goes to the standard error."
        )
        options += grouped("Output", choice("--as", ["latex", "markdown"], about, "pasted"))
    return Options("output", options, _output)


def _output(*, rows: int | None = 0, everything: bool = False, **values: Any) -> Output:
    if values.get("as_json") and values.get("pasted"):
        raise click.UsageError("--as and --json exclude each other.")
    return Output(rows=None if everything else rows, **values)


def _check_picture(ctx: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() not in _PICTURES:
        raise click.BadParameter(f"{path.name!r} must end in {', '.join(_PICTURES)}.")
    return path


# -- commands -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Output:
    """How an answer is printed, and where its table and its picture go."""

    as_json: bool = False
    # The markup of the table alone, "latex" or "markdown".
    pasted: str | None = None
    # How many rows are printed: none is all; there is nothing to limit where it is 0.
    rows: int | None = 0
    csv: Path | None = None
    plot: Path | None = None

    @property
    def is_text(self) -> bool:
        """Whether text is printed, neither JSON nor a table to paste."""
        return not self.as_json and self.pasted is None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a command found and how it ends; a function is called where its value is printed."""

    # What has `to_dict` and `summary`, and can be pasted.
    result: Any = None
    # What tells of the input, by default of `given`; None where there is none.
    lines: Iterable[str] | None = None
    # Plain data, by default of the result.
    data: Callable[[], dict[str, Any]] | None = None
    # The text of so many rows, by default of the result.
    text: Callable[[int | None], str] | None = None
    # What is also said on the standard error.
    messages: Iterable[str] = ()
    plot: Callable[[], Axes] | None = None
    # What else is written: paths that may be None, and what writes them.
    files: Iterable[tuple[Path | None, Callable[[Path], object]]] = ()
    code: int = DONE


class _Command(click.Command):
    """A command whose --help fits on a screen, and whose --help-all explains every option."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first sentence and the examples, or everything."""
        paragraphs = (self.help or "").split("\n\n")
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text("\n\n".join(paragraphs if _ALL in ctx.meta else paragraphs[:2]))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options that most people use, and a line for each further group of options."""
        groups: dict[str, list[tuple[str, str]]] = {"": []}
        for one in self.get_params(ctx):
            record = one.get_help_record(ctx)
            if record is not None and isinstance(one, click.Option):
                groups.setdefault(getattr(one, "group", ""), []).append(record)
        further = []
        for name, records in groups.items():
            if name and _ALL not in ctx.meta:
                names = ", ".join(record.split()[0].strip(",") for record, _ in records)
                short = shorten(names, _NAMES_WIDTH, placeholder=" ...", break_on_hyphens=False)
                further.append((name, short))
                continue
            with formatter.section(f"{name} options" if name else "Options"):
                formatter.write_dl(records)
        if further:
            with formatter.section("Further options, which --help-all explains"):
                formatter.write_dl(further)


def _help_all(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()


_HELP_ALL = flag(
    "--help-all",
    is_eager=True,
    expose_value=False,
    callback=_help_all,
    help="Show all options, in groups, and exit.",
)
Part: TypeAlias = click.Parameter | Options


def command(*parts: Part, name: str = "") -> Callable[[Callable[..., Answer]], click.Command]:
    """Make a command of a function: the values of its options and groups are its parameters."""
    groups = [part for part in parts if isinstance(part, Options)]
    params = [
        one for part in parts for one in (part.options if isinstance(part, Options) else (part,))
    ]

    def make(function: Callable[..., Answer]) -> click.Command:
        takes = inspect.signature(function).parameters

        def run(**values: Any) -> int:
            printed = Output()
            for group in groups:
                names = [str(one.name) for one in group.options]
                values[group.name] = group.make(**{name: values.pop(name) for name in names})
            if "output" in values:
                printed = values["output"] if "output" in takes else values.pop("output")
            answer = function(**values)
            if answer.lines is None and "given" in values:
                answer = replace(answer, lines=values["given"].lines)
            _finish(answer, printed)
            return answer.code

        return _Command(
            name or function.__name__,
            callback=run,
            params=[*params, _HELP_ALL],
            help=inspect.getdoc(function),
        )

    return make


# -- what is printed and written ------------------------------------------------------------------


def _finish(answer: Answer, printed: Output) -> None:
    """Print an answer, draw its picture, and write its files."""
    if printed.plot is not None and answer.plot is None:
        raise click.UsageError("--plot: there is no picture of this answer.")
    result, lines = answer.result, None if answer.lines is None else list(answer.lines)
    limit = {} if printed.rows == 0 else {"rows": printed.rows}
    for line in (*((lines or ()) if printed.pasted else ()), *answer.messages):
        click.echo(line, err=True)
    if printed.pasted is not None:
        write = result.to_latex if printed.pasted == "latex" else result.to_markdown
        click.echo(write(rows=printed.rows or None), nl=False)
    elif printed.as_json:
        data = result.to_dict() if answer.data is None else answer.data()
        click.echo(_dumps({**data, **({} if lines is None else {"input": lines})}))
    elif result is not None or answer.text is not None:
        text = result.summary(**limit) if answer.text is None else answer.text(printed.rows)
        click.echo("\n".join([*(lines or ()), text]))
    if printed.plot is not None and answer.plot is not None:
        _draw(answer.plot, printed.plot)
    if printed.csv is not None:
        frame = result.to_frame()
        frame = frame if frame.index.name is None else frame.reset_index()
        table = guard_frame(frame).to_csv(index=False, lineterminator="\n")
        write_text(printed.csv, table)
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
    with style("paper"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure = cast("Figure", draw().figure)
        write_file(path, figure.savefig)
        plt.close("all")
    if any("missing from font" in str(warning.message) for warning in caught):
        click.echo("warning: no font at hand has all letters of the names", err=True)
    click.echo(f"plot: {path}", err=True)


class _Echo(logging.Handler):
    def __init__(self, doing: str) -> None:
        super().__init__()
        self.doing = doing

    def emit(self, record: logging.LogRecord) -> None:
        click.echo(f"{self.doing}: {record.getMessage()}", err=True)


def show_progress(name: str = "rankagg.kemeny", doing: str = "solving") -> None:
    """Print on the standard error what a logger says of a long computation."""
    logger = logging.getLogger(name)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    if not any(isinstance(handler, _Echo) for handler in logger.handlers):
        logger.addHandler(_Echo(doing))


def write_json(data: dict[str, Any], path: Path) -> None:
    """Write plain data as a JSON file."""
    write_text(path, _dumps(data) + "\n")


def first_rows(frame: pd.DataFrame, rows: int | None, noun: str, **form: Any) -> str:
    """Return the first rows of a table as text, and how many more there are."""
    from rankagg.core import counted

    head = frame if rows is None else frame.head(rows)
    text, more = visible(head.to_string(**form)), len(frame) - len(head)
    return f"{text}\n... and {counted(more, f'more {noun}')}" if more else text


def _dumps(data: dict[str, Any]) -> str:
    """Return plain data as JSON; there is no NaN in it."""
    return visible_json(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))


# -- messages in words of options -----------------------------------------------------------------


def _options() -> dict[str, str]:
    """Return how the options of the command that runs are typed, by their names."""
    context = click.get_current_context(silent=True)
    params = [] if context is None else context.command.params
    return {str(one.name): one.opts[0] for one in params if isinstance(one, click.Option)}


def option_of(name: str) -> str:
    """Return how an option of the command that runs is typed."""
    return _options()[name]


def typed_option(*names: str) -> str | None:
    """Return the first of some options that was typed, as it is typed."""
    source_of = click.get_current_context().get_parameter_source
    return next((option_of(n) for n in names if source_of(n) is not ParameterSource.DEFAULT), None)


def refuse_typed(reason: str, *names: str) -> None:
    """Refuse the first of some options that was typed."""
    if typed := typed_option(*names):
        raise click.UsageError(f"{typed} {reason}.")


def option_words(text: str) -> str:
    """Return a sentence with options for the parameters that it names."""
    return _GIVEN.sub(partial(_typed_as, _options()), text)


def _typed_as(options: Mapping[str, str], found: re.Match[str]) -> str:
    """Return how a parameter is typed, with its value where it has one."""
    name, _, text, word, bare = found.groups()
    option = options.get(bare or name)
    # A word in capitals stands for a value, as in first=ITEM of a gate.
    if not option or (word or "").isupper():
        return found.group()
    if word == "None":
        return f"no {option}"
    return option if bare or word == "True" else f"{option} {text or word}"


def _typed_parameters(name: str, options: Mapping[str, str]) -> str:
    """Return how "ballot, rank and item" are typed; empty where one has no option."""
    from rankagg.core import listing

    words = re.findall(r"\w+", name.replace(" and ", " "))
    # An option that may be repeated is a list in the package.
    typed = [options.get(one) or options.get(one.removesuffix("s")) for one in words]
    return listing([one for one in typed if one]) if typed and all(typed) else ""


@contextmanager
def options_named(called: Mapping[str, str] | None = None) -> Iterator[None]:
    """Let errors name options instead of parameters; `called` are those with other names."""
    options = {**_options(), **(called or {})}
    typed = partial(_GIVEN.sub, partial(_typed_as, options))
    try:
        yield
    except (NotIdentifiedError, InformationLostError) as error:
        raise type(error)(typed(str(error))) from None
    except DataFormatError as error:
        # What is in a file stays as it is.
        raise DataFormatError(error.sentence, typed(error.remedy)) from None
    except InvalidInputError as error:
        remedy = typed(error.remedy)
        # "n_items of ApproximationStudy" is the option for `n_items`.
        name = error.parameter.partition(" of ")[0]
        first, space, rest = typed(error.parameter).partition(" ")
        option = options.get(name) or _typed_parameters(name, options)
        raise InvalidInputError(
            option or f"{options.get(first, first)}{space}{rest}",
            typed(error.allowed),
            error.value,
            # What has no option is no remedy here.
            "" if _ARGUMENT.search(remedy) else remedy,
        ) from None
