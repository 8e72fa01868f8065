"""Options: what may be typed, and those that say what data are, named as parameters of readers.

All that is typed is checked before any work, and what is out of range is refused in one sentence.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankagg.exceptions import InvalidInputError, OutputError, nearest, shown
from rankagg.io.output_files import check_target

if TYPE_CHECKING:
    from rankagg._typing import Label
    from rankagg.core import ItemSet

# Names of which a message lists all.
_MOST_NAMES = 12

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
        from rankagg._validation import ascii_number

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
        from rankagg._validation import ascii_number

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


def names_in(option: str, text: str | None, items: ItemSet, noun: str = "item") -> list[Label]:
    """Return the labels in a text with commas between."""
    # Quotation marks hold together a name that has a comma.
    rows = csv.reader([text or ""], skipinitialspace=True)
    return labels_of(option, [name.strip() for row in rows for name in row], items, noun)


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


def judges() -> Option:
    """Return --judges, which is None if it is not given."""
    text = "Estimate the reliability of each judge, the --cluster."
    return flag("--judges", default=None, help=text)


def resamples(about: str, low: int = 1, **settings: Any) -> Option:
    """Return --resamples: how often is drawn at random, as `n_resamples`."""
    kind = Whole(low, 10**6)
    names = ("--resamples", "n_resamples")
    return Option(*names, group="Computation", type=kind, help=about, **settings)


def jobs() -> Option:
    """Return --jobs: how many processes share the work, as `n_jobs`."""
    about = "Processes; -1 for all cores."
    kind = Whole(-1, 1024)
    return Option("--jobs", "n_jobs", group="Computation", type=kind, default=1, help=about)


# -- options of data ------------------------------------------------------------------------------


def _formats() -> list[str]:
    from rankagg.kinds import KINDS

    return ["auto", *(kind.name for kind in KINDS.values() if kind.has_commands)]


DIRECTIONS = [
    flag("--lower-is-better", help="Scores: lower is better on every task."),
    several("--lower", "TASK", "Lower is better on TASK alone."),
]
#: Options that some kinds take, and others do not, named as parameters.
OPTIONS = [
    *DIRECTIONS,
    *grouped(
        "Input",
        choice(
            "--unranked",
            ["uniform", "ignore", "last"],
            "What a ranking says of items that it does not rank: the average over compatible "
            "permutations (the default for scores), nothing, or that they are last (the default "
            "for ballots and lists).",
        ),
        several(
            "--drop", "COLUMN", "A column of the table, or an item of a PrefLib file, to leave out."
        ),
        several(
            "--weight",
            "TASK=NUMBER",
            "Weight of a task, default 1; ballots, comparisons: the column of weights.",
        ),
        choice(
            "--decimal", [".", ","], "Scores, ballots: the decimal separator; default: a point."
        ),
        flag("--percent", help="Scores: 86.1% is 0.861; all of a column, or none."),
        several("--na", "TEXT", "Scores, ballots: a further word for a missing number.", "missing"),
        choice(
            "--errors",
            ["refuse", "drop", "repair"],
            "Scores: drop: read 1.2 ± 0.3 or 1.2 (0.3) without the error. PrefLib: repair "
            "what contradicts itself, and say so. Default: refuse.",
        ),
    ),
    *grouped(
        "Scores",
        column("system", "Column of systems; default: the first."),
        column("instance", "Column of instances of the tasks."),
        column("task", "Column of tasks, in the long form or where each system has a column."),
        column("score", "Long form: column of scores."),
        several("--only", "TASK", "A task to take, by name or pattern (mmlu*); no others."),
        several(
            "--group",
            "NEW=TASK,TASK",
            "Average tasks (sub-metrics, languages) into a new one first.",
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
            "Cast votes: a column of choices, in order of preference; default: those that "
            "share names of candidates, in the order that their headings state.",
            "choices",
        ),
        column("ranking", "Lists, long form: column of lists; needs --item and --rank too."),
        column("item", "Lists: column of items."),
        column("rank", "Lists, long form: column of ranks."),
        choice(
            "--overvotes",
            ["end", "skip"],
            "Cast votes: an overvote ends its ballot (the default), or the next choice moves up.",
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
            "Cast votes: write-ins are items (the default), or one item, or taken off.",
        ),
    ),
    *grouped(
        "Battles",
        column("first", "Column of the items on the first side; needs --format comparisons."),
        column("second", "Column of the items on the second side."),
        several(
            "--outcome",
            "COLUMN",
            "Column of the winner, by side (left, model_a, 1, A>B, ...) or by name, or a tie; "
            "or the columns of both sides, with --outcome-is; or three of 1 and 0: the first won, "
            "the second won, a tie.",
        ),
        choice(
            "--outcome-is",
            ["side", "winner", "points", "wins"],
            "What outcomes are: sides, where words are names too, or names; points of both "
            "sides, of which more win; or numbers of wins of both sides.",
        ),
        several("--drop-outcome", "WORD", "Leave out rows with this outcome, such as error."),
        column("cluster", "Column of what they have in common, the judge or the prompt."),
        column("side", "Column of the side with the advantage, or that of --first."),
        several(
            "--covariate",
            "COLUMN",
            "Column of numbers that speak for the first side.",
            "covariates",
        ),
    ),
]
NAMES = tuple(str(one.name) for one in OPTIONS)
TIE_ORDER = Option(
    "--tie-order",
    metavar="NAME,...",
    help="What decides ties: an order of those who tie, the most favored first, such as a lot "
    "that was drawn.",
)
#: What says what the data are, but for FILE.
DATA_OPTIONS = [
    Option("--dataset", metavar="NAME", help="Bundled data, of `rankagg list datasets`."),
    Option(
        "--format",
        metavar="FORMAT",
        type=OneOf(_formats),
        default="auto",
        help="What FILE holds, of `rankagg list formats`.",
    ),
    *OPTIONS,
]
