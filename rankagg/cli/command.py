"""Make commands of functions, print their answers, and name options in errors.

Related options reach a function as one value.
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
from shlex import quote
from textwrap import shorten
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import click
from click.core import ParameterSource

from rankagg.cli.options import FILE, Option, Whole, choice, flag, grouped, refuse
from rankagg.exceptions import (
    DataFormatError,
    InformationLostError,
    InvalidInputError,
    NotIdentifiedError,
    TiedRankingError,
    visible,
    visible_json,
)
from rankagg.io.output_files import guard_frame, write_file, write_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DONE, FAILED, BAD_INPUT, UNPROVED, GATE, INTERRUPTED = 0, 1, 2, 3, 4, 130
# A parameter in sentences of the package: `unit='task'`, method="max-t", `unit=`, `unit`.
_GIVEN = re.compile(r"""`?(?<![-\w])([a-z_]+)=(?:(['"])(.*?)\2|([A-Za-z0-9.]+))`?|`([a-z_]+)=?`""")
_ARGUMENT = re.compile(r"`[a-z_]+=`")
# Key in a click context: explain all options.
_ALL = "rankagg.help_all"
# Width of the option names of a group.
_NAMES_WIDTH = 58
_PICTURES = (".pdf", ".png", ".svg")


@dataclass(frozen=True)
class Options:
    """Options that reach a command as one value."""

    # The parameter of the command.
    name: str
    options: Sequence[click.Parameter]
    # Returns the value, given the values of the options.
    make: Callable[..., Any]


def output(
    rows: str = "",
    *,
    as_json: bool = True,
    table: bool = False,
    pasted: bool = False,
    plot: str = "",
) -> Options:
    """Return the output options; `rows` and `plot` are what they print and draw."""
    options: list[click.Parameter] = []
    if as_json:
        options.append(flag("--json", "as_json", help="Print JSON instead of text."))
    if table:
        options.append(Option("--csv", type=FILE, help="Also write the table as a CSV file."))
    if plot:
        about = f"Save a plot of {plot} as .svg, .pdf or .png."
        options.append(Option("--plot", type=FILE, callback=_check_picture, help=about))
    if rows:
        about = f"Most {rows} to print."
        options += grouped(
            "Output",
            Option("--rows", type=Whole(1, 10**18), default=20, help=about),
            flag("--all", "everything", help=f"Print all {rows}."),
        )
    if pasted:
        about = "Print only the table, for a paper or page; lines on the input go to stderr."
        options += grouped("Output", choice("--as", ["latex", "markdown"], about, "pasted"))
    return Options("output", options, _output)


def _output(*, rows: int | None = 0, everything: bool = False, **values: Any) -> Output:
    if values.get("as_json") and values.get("pasted"):
        raise click.UsageError("--as and --json exclude each other: give one.")
    return Output(rows=None if everything else rows, **values)


def _check_picture(ctx: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() not in _PICTURES:
        refuse(option, f"a name that ends in {', '.join(_PICTURES)}", path.name)
    return path


# -- commands -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Output:
    """How to print an answer, and where to write its table and picture."""

    as_json: bool = False
    # Markup of a table printed alone: "latex" or "markdown".
    pasted: str | None = None
    # Most rows to print: None is all; 0 if the command has no such option.
    rows: int | None = 0
    csv: Path | None = None
    plot: Path | None = None

    @property
    def is_text(self) -> bool:
        """Whether text is printed, neither JSON nor a table to paste."""
        return not self.as_json and self.pasted is None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Result and exit code of a command; functions are called only if needed."""

    # An object with `to_dict` and `summary`, and `to_latex` if it can be pasted.
    result: Any = None
    # Lines about the input; by default those of `given`.
    lines: Iterable[str] | None = None
    # Plain data; by default those of the result.
    data: Callable[[], dict[str, Any]] | None = None
    # Text with this many rows; by default the summary of the result.
    text: Callable[[int | None], str] | None = None
    # Lines for the standard error.
    messages: Iterable[str] = ()
    plot: Callable[[], Axes] | None = None
    # Further files: paths, which may be None, and their writers.
    files: Iterable[tuple[Path | None, Callable[[Path], object]]] = ()
    code: int = DONE


class _Command(click.Command):
    """A command whose --help fits on a screen; --help-all explains every option."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write all paragraphs, or those up to the examples."""
        text = self.help or ""
        if _ALL not in ctx.meta:
            before, mark, examples = text.partition("\b\n")
            text = before + mark + examples.partition("\n\n")[0]
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the ungrouped options, and one line for each group of options."""
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
            with formatter.section("Further options (see --help-all)"):
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
    help="Show all options in groups and exit.",
)
Part: TypeAlias = click.Parameter | Options


def command(*parts: Part, name: str = "") -> Callable[[Callable[..., Answer]], click.Command]:
    """Make a command of a function whose parameters are options and groups."""
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


# -- output ---------------------------------------------------------------------------------------


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
    """Draw into a file, and name it on the standard error."""
    # Loading matplotlib takes most of a second.
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
        click.echo("warning: no installed font has all letters of the names", err=True)
    click.echo(f"plot: {path}", err=True)


class _Echo(logging.Handler):
    def __init__(self, doing: str) -> None:
        super().__init__()
        self.doing = doing

    def emit(self, record: logging.LogRecord) -> None:
        click.echo(f"{self.doing}: {record.getMessage()}", err=True)


def show_progress(name: str = "rankagg.kemeny", doing: str = "solving") -> None:
    """Print the progress that a logger reports on the standard error."""
    logger = logging.getLogger(name)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    if not any(isinstance(handler, _Echo) for handler in logger.handlers):
        logger.addHandler(_Echo(doing))


def write_json(data: dict[str, Any], path: Path) -> None:
    """Write plain data as a JSON file."""
    write_text(path, _dumps(data) + "\n")


def first_rows(frame: pd.DataFrame, rows: int | None, noun: str, **form: Any) -> str:
    """Return the first rows of a table as text, and the number of further rows."""
    from rankagg.core import counted

    head = frame if rows is None else frame.head(rows)
    text, more = visible(head.to_string(**form)), len(frame) - len(head)
    return f"{text}\n... and {counted(more, f'more {noun}')}" if more else text


def _dumps(data: dict[str, Any]) -> str:
    """Return plain data without NaN as JSON."""
    return visible_json(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))


# -- options in messages --------------------------------------------------------------------------


def _options() -> dict[str, str]:
    """Return the options of the running command as typed, by name."""
    context = click.get_current_context(silent=True)
    params = [] if context is None else context.command.params
    return {str(one.name): one.opts[0] for one in params if isinstance(one, click.Option)}


def option_of(name: str) -> str:
    """Return an option of the running command as typed."""
    return _options()[name]


def typed_option(*names: str) -> str | None:
    """Return the first of some options that the user gave, as typed."""
    source_of = click.get_current_context().get_parameter_source
    return next((option_of(n) for n in names if source_of(n) is not ParameterSource.DEFAULT), None)


def refuse_typed(reason: str, *names: str) -> None:
    """Refuse the first of some options that the user gave."""
    if typed := typed_option(*names):
        raise click.UsageError(f"{typed} {reason}.")


def option_words(text: str) -> str:
    """Return a sentence with options in place of parameters."""
    return _GIVEN.sub(partial(_typed_as, _options()), text)


def _typed_as(options: Mapping[str, str], found: re.Match[str]) -> str:
    """Return the option for a parameter, with its value if it has one."""
    name, _, text, word, bare = found.groups()
    option = options.get(bare or name)
    # A word in capitals is a placeholder, as in first=ITEM of a gate.
    if not option or (word or "").isupper():
        return found.group()
    if word == "None":
        return f"no {option}"
    return option if bare or word == "True" else f"{option} {quote(text or word)}"


def _typed_parameters(name: str, options: Mapping[str, str]) -> str:
    """Return the options for "ballot, rank and item"; empty if one has no option."""
    from rankagg.core import listing

    words = re.findall(r"\w+", name.replace(" and ", " "))
    # Repeated options are lists in the package, with plural names.
    typed = [options.get(one) or options.get(one.removesuffix("s")) for one in words]
    return listing([one for one in typed if one]) if typed and all(typed) else ""


@contextmanager
def options_named(called: Mapping[str, str] | None = None) -> Iterator[None]:
    """Let errors name options instead of parameters; `called` maps other names."""
    options = {**_options(), **(called or {})}
    typed = partial(_GIVEN.sub, partial(_typed_as, options))
    try:
        yield
    except (NotIdentifiedError, InformationLostError, TiedRankingError) as error:
        raise type(error)(typed(str(error))) from None
    except DataFormatError as error:
        # Words from a file stay as they are.
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
            # A remedy without an option does not help here.
            "" if _ARGUMENT.search(remedy) else remedy,
        ) from None
