"""Types of option values, and the options of data, named as parameters of readers.

Values are checked before any work; one out of range is refused in one sentence.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from rankagg.exceptions import InvalidInputError, OutputError, nearest
from rankagg.io.output_files import check_target

if TYPE_CHECKING:
    from rankagg._typing import Label
    from rankagg.core import ItemSet

# Messages list at most this many names.
_MOST_NAMES = 12

# -- types of values ------------------------------------------------------------------------------


def refuse(param: click.Parameter | None, allowed: str, value: Any, remedy: str = "") -> NoReturn:
    """Refuse the value of an option or argument."""
    name = "value" if param is None else param.human_readable_name
    if isinstance(param, click.Option):
        name = param.opts[0]
    raise InvalidInputError(name, allowed, value, remedy)


class OneOf(click.Choice):  # type: ignore[type-arg]
    """One of some names, loaded when needed; an error suggests the nearest."""

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
        """Return the name; an error suggests the nearest."""
        names = self.choices
        if value not in names:
            allowed = ", ".join(map(repr, names))
            if len(names) > _MOST_NAMES:
                from rankagg.core import listed

                allowed = f"{len(names)} names ({listed(names)})"
            refuse(param, f"one of {allowed}", value, nearest(value, names))
        return value


@dataclass(frozen=True)
class Number(click.ParamType):  # type: ignore[type-arg]
    """A finite number in a range."""

    low: float = -inf
    high: float = inf
    open_low: bool = False
    open_high: bool = False
    name: str = "number"

    def read(self, text: str) -> float:
        """Return the number in a text; raise `ValueError` if there is none."""
        from rankagg._validation import ascii_number

        return float(ascii_number(text))

    @property
    def allowed(self) -> str:
        """Allowed values, in words."""
        if self.low == -inf:
            return "a finite number"
        low = f"a number {'above' if self.open_low else 'of at least'} {self.low:g}"
        if self.high == inf:
            return low
        return f"{low} and {'below' if self.open_high else 'at most'} {self.high:g}"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number, or fail with the allowed range."""
        try:
            number = self.read(str(value))
        except ValueError:
            number = inf
        above = number > self.low if self.open_low else number >= self.low
        below = number < self.high if self.open_high else number <= self.high
        if not (above and below and isfinite(number)):
            refuse(param, self.allowed, str(value))
        return number


@dataclass(frozen=True)
class Whole(Number):
    """A whole number in a range."""

    name: str = "n"

    def read(self, text: str) -> int:
        """Return the whole number in a text."""
        from rankagg._validation import ascii_number

        return int(ascii_number(text))

    @property
    def allowed(self) -> str:
        """Allowed values, in words."""
        return f"a whole number from {self.low} to {self.high}"


class _OutputFile(click.Path):
    """A file that can be written."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or fail if it cannot be written."""
        try:
            return check_target(value)
        except OutputError as error:
            self.fail(str(error), param, ctx)


FILE = _OutputFile()
#: Seconds of a time limit.
TIME = Number(0, 1e9, name="seconds")
PROBABILITY = Number(0, 1, open_low=True, open_high=True, name="probability")


# -- names in data --------------------------------------------------------------------------------


def labels_of(option: str, names: Iterable[str], items: ItemSet, noun: str) -> list[Label]:
    """Return the labels with these names; labels of a file may be numbers."""
    from rankagg.core import counted, listed, raw_text

    known = {raw_text(label): label for label in items}
    found = []
    for name in names:
        if name not in known:
            allowed = f"one of the {counted(len(items), noun)} ({listed(items.labels)})"
            raise InvalidInputError(option, allowed, name, nearest(name, items))
        found.append(known[name])
    return found


def names_in(option: str, text: str | None, items: ItemSet, noun: str = "item") -> list[Label]:
    """Return the labels in a comma-separated text; a name with a comma is quoted."""
    rows = csv.reader([text or ""], skipinitialspace=True)
    return labels_of(option, [name.strip() for row in rows for name in row], items, noun)


def two_items(pair: Sequence[str], items: ItemSet) -> tuple[Label, Label]:
    """Return the items of --pair."""
    first, second = labels_of("--pair", pair, items, "item")
    if first == second:
        raise InvalidInputError("--pair", "two different items", first)
    return first, second


def split(option: str, texts: Iterable[str], form: str, *, last: bool = True) -> dict[str, str]:
    """Return names and values of texts NAME=VALUE, split at the last or the first "="."""
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
    """An option, and its group in the help; --help explains options without a group."""

    def __init__(self, *names: str, group: str = "", **settings: Any) -> None:
        super().__init__(names, show_default="default" in settings, **settings)
        self.group = group

    def make_metavar(self, ctx: click.Context) -> str:
        """Return the word for the value, with dots if the option may be repeated."""
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


def seed(of: str = "random numbers") -> Option:
    """Return --seed, as `rng`."""
    most = 2**64 - 1
    return Option(
        "--seed", "rng", group="Computation", type=Whole(0, most), default=0, help=f"Seed of {of}."
    )


def alpha(what: str = "Significance level") -> Option:
    """Return --alpha, a significance level."""
    return Option("--alpha", type=PROBABILITY, default=0.05, help=f"{what}.")


def column(name: str, about: str) -> Option:
    """Return an option that names a column of a file."""
    return Option(f"--{name}", metavar="COLUMN", help=about)


def judges() -> Option:
    """Return --judges, which is None if it is not given."""
    return flag(
        "--judges", default=None, help="Estimate the reliability of each judge (--cluster)."
    )


def resamples(about: str, low: int = 1, **settings: Any) -> Option:
    """Return --resamples, the number of random draws, as `n_resamples`."""
    kind = Whole(low, 10**6)
    names = ("--resamples", "n_resamples")
    return Option(*names, group="Computation", type=kind, help=about, **settings)


def jobs() -> Option:
    """Return --jobs, the number of processes, as `n_jobs`."""
    about, kind = "Number of processes; -1 for all cores.", Whole(-1, 1024)
    return Option("--jobs", "n_jobs", group="Computation", type=kind, default=1, help=about)


# -- options of data ------------------------------------------------------------------------------


def _formats() -> list[str]:
    from rankagg.kinds import KINDS

    return ["auto", *(kind.name for kind in KINDS.values() if kind.has_commands)]


DIRECTIONS = [
    flag("--lower-is-better", help="Scores: lower is better on every task."),
    several("--lower", "TASK", "Scores: lower is better on TASK."),
    flag("--higher-is-better", group="Scores", help="Higher is better, whatever tasks are called."),
]
#: Options that not all kinds of data take, named as parameters of readers.
OPTIONS = [
    *DIRECTIONS,
    *grouped(
        "Input",
        choice(
            "--unranked",
            ["uniform", "ignore", "last"],
            "How to count items that a ranking leaves out: uniform: average over compatible "
            "permutations (default for scores); ignore: no vote; last: below all others (default "
            "for ballots and lists).",
        ),
        several(
            "--drop", "COLUMN", "Column of a table, or item of a PrefLib or BLT file, to leave out."
        ),
        several(
            "--weight",
            "TASK=NUMBER",
            "Scores: weight of a task, default 1. Ballots, comparisons: column of weights.",
        ),
        choice("--decimal", [".", ","], "Scores, ballots: decimal separator; default: a point."),
        flag("--percent", help="Scores: read 86.1% as 0.861, in all cells of a column or none."),
        several("--na", "TEXT", "Scores, ballots: another word for a missing number.", "missing"),
        choice(
            "--errors",
            ["refuse", "drop", "repair"],
            "Scores: drop reads 1.2 ± 0.3 or 1.2 (0.3) as 1.2. PrefLib: repair corrects "
            "contradictions and reports them. Default: refuse.",
        ),
    ),
    *grouped(
        "Scores",
        column("system", "Column of systems; default: the first."),
        column("instance", "Column of instances of the tasks."),
        column("task", "Column of tasks: long form, or wide form with a column per system."),
        column("score", "Long form: column of scores."),
        several("--only", "TASK", "Task to read, by name or pattern (mmlu*); others are left out."),
        several(
            "--group",
            "NEW=TASK,TASK",
            "Average tasks (sub-metrics, languages) into one new task.",
            "groups",
        ),
        Option(
            "--tolerance",
            type=Number(0),
            help="Neighboring scores that differ by at most this much are tied; default 0.",
        ),
    ),
    *grouped(
        "Ballots",
        column("count", "Column of counts; needs --format ballots or cast-votes."),
        several(
            "--choice",
            "COLUMN",
            "Cast votes: column of choices, in order of preference; default: columns that "
            "share candidate names, in the order of their headings.",
            "choices",
        ),
        column("ranking", "Lists, long form: column of lists; needs --item and --rank."),
        column("item", "Lists: column of items."),
        column("rank", "Lists, long form: column of ranks."),
        choice(
            "--overvotes",
            ["end", "skip"],
            "Cast votes: an overvote ends the ballot (default), or the next choice moves up.",
        ),
        choice(
            "--skipped",
            ["close", "end", "end-after-two"],
            "Cast votes: later choices move up (default), or the ballot ends at the first "
            "skipped choice, or at two in a row.",
        ),
        choice(
            "--write-ins",
            ["keep", "pool", "drop"],
            "Cast votes: keep write-ins as items (default), pool them into one, or drop them.",
        ),
    ),
    *grouped(
        "Battles",
        column("first", "Column of the items on the first side; needs --format comparisons."),
        column("second", "Column of the items on the second side."),
        several(
            "--outcome",
            "COLUMN",
            "Column of winners: sides (left, model_a, 1, A>B, ...), names or ties. Or the "
            "columns of both sides, with --outcome-is. Or three columns of 1 and 0: first won, "
            "second won, tie.",
        ),
        choice(
            "--outcome-is",
            ["side", "winner", "points", "wins"],
            "Meaning of outcomes: side or winner (name), if a word could be both; points (more "
            "wins) or wins (counts) of both sides.",
        ),
        several("--drop-outcome", "WORD", "Leave out rows with this outcome, such as error."),
        column("cluster", "Column of what comparisons share, such as the judge or prompt."),
        column("side", "Column of the side with an advantage; it may be that of --first."),
        several(
            "--covariate", "COLUMN", "Column of numbers that favor the first side.", "covariates"
        ),
    ),
]
NAMES = tuple(str(one.name) for one in OPTIONS)
TIE_ORDER = Option(
    "--tie-order",
    metavar="NAME,...",
    help="Order that decides ties, most favored first, such as a drawn lot.",
)
#: All options of data.
DATA_OPTIONS = [
    Option("--dataset", metavar="NAME", help="Bundled data set (`rankagg list datasets`)."),
    Option(
        "--format",
        metavar="FORMAT",
        type=OneOf(_formats),
        default="auto",
        help="Kind of FILE (`rankagg list formats`); auto: by content.",
    ),
    *OPTIONS,
]
