"""Commands: a function that returns an answer, what is typed, and what is printed and written.

Options that belong together reach the function as one value. All that is typed is checked before
any work, and what is out of range is refused in one sentence.
"""

from __future__ import annotations

import inspect
import json
import logging
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import click

from rankagg._validation import ascii_number
from rankagg.cli.wording import DONE
from rankagg.exceptions import InvalidInputError, OutputError, nearest, shown, visible, visible_json
from rankagg.io.output_files import check_target, guard_frame, write_file, write_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rankagg._typing import Label
    from rankagg.core import ItemSet

# Names of which a message lists all.
_MOST_NAMES = 12
# Notes in a context of click that all options are to be explained.
_ALL = "rankagg.help_all"
# Letters of the names of options in a line of help.
_NAMES_WIDTH = 58
_PICTURES = (".pdf", ".png", ".svg")

# -- types of what is typed -----------------------------------------------------------------------


class OneOf(click.Choice):  # type: ignore[type-arg]
    """One of some names, which may be found when they are needed; else the nearest is suggested."""

    def __init__(self, choices: Iterable[str] | Callable[[], Iterable[str]]) -> None:
        self._find = choices if callable(choices) else lambda: choices
        self.case_sensitive = True

    @property
    def choices(self) -> Sequence[str]:  # type: ignore[override]
        """All names."""
        return tuple(self._find())

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """Return the names, in one line."""
        return f"Choose from {', '.join(self.choices)}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name, or name the option and what was meant."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            from rankagg.core import listed

            names, message = self.choices, error.message
            if len(names) > _MOST_NAMES:
                message = f"{shown(value)} is none of the {len(names)} names ({listed(names)})."
            self.fail(f"{message} {nearest(value, names)}".rstrip(), param, ctx)


@dataclass(frozen=True)
class Number(click.ParamType):  # type: ignore[type-arg]
    """A finite number in a range."""

    low: float = -inf
    high: float = inf
    open_low: bool = False
    open_high: bool = False
    name: str = "float"

    def read(self, text: str) -> float:
        """Return the number that a text states; raise `ValueError` where it states none."""
        return float(ascii_number(text))

    @property
    def allowed(self) -> str:
        """What a value must be."""
        if self.low == -inf:
            return "a finite number"
        low = f"a number above {self.low:g}" if self.open_low else f"a number of {self.low:g}"
        if self.high == inf:
            return f"{low} or more"
        return f"{low} {'and below' if self.open_high else 'to'} {self.high:g}"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number, or name the option."""
        try:
            number = self.read(str(value))
        except ValueError:
            number = inf
        above = number > self.low if self.open_low else number >= self.low
        below = number < self.high if self.open_high else number <= self.high
        if not (above and below and isfinite(number)):
            self.fail(f"must be {self.allowed}. Got {shown(str(value))}.", param, ctx)
        return number


@dataclass(frozen=True)
class Whole(Number):
    """A whole number in a range."""

    name: str = "integer"

    def read(self, text: str) -> int:
        """Return the whole number that a text states."""
        return int(ascii_number(text))

    @property
    def allowed(self) -> str:
        """What a value must be."""
        return f"a whole number from {self.low} to {self.high}"


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


FILE = _OutputFile()
#: Seconds of a time limit.
TIME = Number(0, 1e9, name="seconds")
PROBABILITY = Number(0, 1, open_low=True, open_high=True)

# -- names that data have -------------------------------------------------------------------------


def labels_of(option: str, names: Iterable[str], items: ItemSet, noun: str) -> list[Label]:
    """Return the labels that are written so; numbers in a file are numbers."""
    from rankagg.core import counted, listed, raw_text

    known = {raw_text(label): label for label in items}
    found = []
    for name in names:
        if name not in known:
            allowed = f"one of the {counted(len(items), noun)} ({listed(items.labels)})"
            raise InvalidInputError(option, allowed, name, nearest(name, items))
        found.append(known[name])
    return found


def two_items(pair: Sequence[str], items: ItemSet) -> tuple[Label, Label]:
    """Return the items of --pair."""
    first, second = labels_of("--pair", pair, items, "item")
    if first == second:
        raise InvalidInputError("--pair", "two different items", first)
    return first, second


def split(option: str, texts: Iterable[str], form: str, *, last: bool = True) -> dict[str, str]:
    """Return names and values of texts NAME=VALUE, each name once; the last "=" or the first."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.rpartition("=") if last else text.partition("=")
        if not sign or not name:
            raise InvalidInputError(option, form, text)
        if name in found:
            raise InvalidInputError(option, f"{form}, each name once", text)
        found[name] = value
    return found


# -- options --------------------------------------------------------------------------------------


class Option(click.Option):
    """An option, and the group of options under which help lists it.

    Options without a group are those that most people use: each has its lines in every help.
    """

    def __init__(self, *names: str, group: str = "", **settings: Any) -> None:
        super().__init__(names, show_default="default" in settings, **settings)
        self.group = group

    def make_metavar(self, ctx: click.Context) -> str:
        """Return the word for the value; dots say that the option may be repeated."""
        return super().make_metavar(ctx) + ("..." if self.multiple else "")


def grouped(group: str, *options: Option) -> list[Option]:
    """Return options that help lists in one group."""
    for one in options:
        one.group = group
    return [*options]


def several(name: str, metavar: str, about: str, *dest: str, **settings: Any) -> Option:
    """Return an option that may be repeated."""
    return Option(name, *dest, metavar=metavar, multiple=True, help=about, **settings)


def choice(name: str, words: Sequence[str], about: str, *dest: str, **settings: Any) -> Option:
    """Return an option that takes one of some words."""
    return Option(name, *dest, type=OneOf(words), help=about, **settings)


def flag(*names: str, **settings: Any) -> Option:
    """Return an option without a value."""
    return Option(*names, is_flag=True, **settings)


def seed(about: str = "For the random numbers.") -> Option:
    """Return --seed, which says what is drawn, as `rng`."""
    most = 2**64 - 1
    return Option("--seed", "rng", group="Computation", type=Whole(0, most), default=0, help=about)


def alpha(what: str = "Probability of error") -> Option:
    """Return --alpha, a probability of error."""
    return Option("--alpha", type=PROBABILITY, default=0.05, help=f"{what}.")


def column(name: str, about: str) -> Option:
    """Return an option that names a column of a file."""
    return Option(f"--{name}", metavar="COLUMN", help=about)


def resamples(about: str, low: int = 1, **settings: Any) -> Option:
    """Return --resamples: how often is drawn at random, as `n_resamples`."""
    kind = Whole(low, 10**6)
    names = ("--resamples", "n_resamples")
    return Option(*names, group="Computation", type=kind, help=about, **settings)


def samples(about: str, default: int) -> Option:
    """Return --samples: how many data sets are drawn, as `n_samples`."""
    kind, names = Whole(1, 10**6), ("--samples", "n_samples")
    return Option(*names, group="Computation", type=kind, default=default, help=about)


def jobs() -> Option:
    """Return --jobs: how many processes share the work, as `n_jobs`."""
    about = "Processes; -1 for all cores."
    kind = Whole(-1, 1024)
    return Option("--jobs", "n_jobs", group="Computation", type=kind, default=1, help=about)


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
        table = guard_frame(result.to_frame()).to_csv(index=False, lineterminator="\n")
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


def in_columns(rows: Iterable[Iterable[object]]) -> str:
    """Return rows of values in columns, as wide as each has to be."""
    table = [list(map(str, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)


def first_rows(frame: pd.DataFrame, rows: int | None, noun: str, **form: Any) -> str:
    """Return the first rows of a table as text, and how many more there are."""
    from rankagg.core import counted

    head = frame if rows is None else frame.head(rows)
    text, more = visible(head.to_string(**form)), len(frame) - len(head)
    return f"{text}\n... and {counted(more, f'more {noun}')}" if more else text


def _dumps(data: dict[str, Any]) -> str:
    """Return plain data as JSON; there is no NaN in it."""
    return visible_json(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))
