"""The options that say what data are, and what reads them when a command runs."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from rankagg.cli.options.command import Options
from rankagg.cli.options.typed import (
    PROBABILITY,
    Number,
    OneOf,
    Option,
    Whole,
    flag,
    grouped,
    split,
)
from rankagg.exceptions import InvalidInputError

if TYPE_CHECKING:
    from rankagg.cli.options.inputs import Input


class Typed(SimpleNamespace):
    """What was typed, by the names of options, which are those of the readers' parameters."""

    def given(self, *names: str) -> dict[str, Any]:
        """Return the values of these options, those that were given."""
        return {name: value for name in names if (value := getattr(self, name, None))}


def _column(name: str, about: str) -> Option:
    return Option(f"--{name}", metavar="COLUMN", help=about)


def _aliases(_: click.Context, asked: click.Parameter, texts: Sequence[str]) -> dict[str, str]:
    return split(asked.opts[0], texts, "SPELLING=NAME")


def _spellings(
    _: click.Context, asked: click.Parameter, texts: Sequence[str]
) -> dict[str, list[str]]:
    from rankagg.io.marks import SPELLINGS

    found: dict[str, list[str]] = {}
    for text in texts:
        kind, sign, spelling = text.partition("=")
        if not sign:
            allowed = f"KIND=TEXT, KIND one of {', '.join(SPELLINGS)}"
            raise InvalidInputError(asked.opts[0], allowed, text)
        found.setdefault(kind, []).extend([spelling] if spelling.strip() else [])
    return found


DIRECTIONS = [
    flag("--lower-is-better", help="Scores: lower is better on every task."),
    Option("--lower", metavar="TASK", multiple=True, help="Lower is better on TASK alone."),
]
#: Options that some kinds take, and others do not, named as parameters.
OPTIONS = [
    *DIRECTIONS,
    *grouped(
        "Input",
        Option(
            "--unranked",
            type=OneOf(["uniform", "ignore", "last"]),
            help="What a ranking says of items that it does not rank: the average over compatible "
            "permutations (the default for scores), nothing, or that they are last (the default "
            "for ballots and lists).",
        ),
        Option(
            "--drop",
            metavar="COLUMN",
            multiple=True,
            help="A column of the table, or an item of a PrefLib file, to leave out.",
        ),
        Option(
            "--weight",
            metavar="TASK=NUMBER",
            multiple=True,
            help="Weight of a task, default 1; ballots, comparisons: the column of weights.",
        ),
        Option(
            "--decimal",
            type=OneOf([".", ","]),
            help="Scores, ballots: what stands before decimals; default: a point.",
        ),
        flag("--percent", help="Scores: 86.1% is 0.861; all of a column, or none."),
        Option(
            "--na",
            "missing",
            metavar="TEXT",
            multiple=True,
            help="Scores, ballots: a further word for a missing number.",
        ),
        Option(
            "--errors",
            type=OneOf(["refuse", "drop", "repair"]),
            help="Scores: drop: read 1.2 ± 0.3 or 1.2 (0.3) without the error. PrefLib: repair "
            "what contradicts itself, and say so. Default: refuse.",
        ),
        Option(
            "--max-bytes",
            type=Whole(1, 2**60),
            help="Bytes of memory that reading FILE may take; default: 2**30, one GiB.",
        ),
    ),
    *grouped(
        "Scores",
        _column("system", "Column of systems; default: the first."),
        _column("instance", "Column of instances of the tasks."),
        _column("task", "Column of tasks, in the long form or where each system has a column."),
        _column("score", "Long form: column of scores."),
        Option(
            "--only",
            metavar="TASK",
            multiple=True,
            help="A task to take, by name or pattern (mmlu*); no others.",
        ),
        Option(
            "--group",
            "groups",
            metavar="NEW=TASK,TASK",
            multiple=True,
            help="Average tasks (sub-metrics, languages) into a new one first.",
        ),
        Option(
            "--family",
            metavar="TASK=NAME",
            multiple=True,
            help="Tasks of one family depend on each other; families are independent.",
        ),
        Option(
            "--tolerance",
            type=Number(0),
            help="Neighboring scores that differ by at most this much are tied; default 0.",
        ),
    ),
    *grouped(
        "Evaluations",
        Option(
            "--metric",
            metavar="[TASK=]METRIC",
            multiple=True,
            help="The metric of all tasks, or of one; of several the first that a task has.",
        ),
        Option(
            "--by",
            type=OneOf(["task", "instance"]),
            help="Scores of tasks, or of instances (default where all have them).",
        ),
        Option(
            "--runs",
            type=OneOf(["mean", "first", "last"]),
            help="What becomes of several scores of a system on a task.",
        ),
        Option(
            "--higher",
            metavar="METRIC",
            multiple=True,
            help="Higher (with --lower: lower) is better in METRIC, where the files do not state "
            "its direction.",
        ),
    ),
    *grouped(
        "Ballots",
        _column("count", "Column of counts; needs --format ballots or cast-votes."),
        Option(
            "--choice",
            "choices",
            metavar="COLUMN",
            multiple=True,
            help="Cast votes: a column of choices, in order of preference; default: those that "
            "share names of candidates, in the order that their headings state.",
        ),
        _column("ballot", "Cast votes, long form: column of ballots."),
        _column("rank", "Cast votes and lists, long form: column of ranks."),
        _column("item", "Cast votes and lists: column of candidates, or of other items."),
        Option(
            "--overvotes",
            type=OneOf(["end", "skip"]),
            help="Cast votes: an overvote ends its ballot (the default), or the next choice moves "
            "up.",
        ),
        Option(
            "--skipped",
            type=OneOf(["close", "end", "end-after-two"]),
            help="Cast votes: later choices move up (default), or the ballot ends at the first "
            "skipped choice, or at two in a row.",
        ),
        Option(
            "--write-ins",
            type=OneOf(["keep", "pool", "drop"]),
            help="Cast votes: write-ins are items (the default), or one item, or taken off.",
        ),
        Option(
            "--alias",
            metavar="SPELLING=NAME",
            multiple=True,
            callback=_aliases,
            help="Cast votes: another spelling of a candidate, which is read as NAME.",
        ),
        Option(
            "--spelling",
            "spellings",
            metavar="KIND=TEXT",
            multiple=True,
            callback=_spellings,
            help="Cast votes: how undervote, overvote or write-in are written, instead of the "
            "usual spellings.",
        ),
        _column("ranking", "Lists, long form: column of lists; needs --item and --rank too."),
        Option(
            "--cells",
            type=OneOf(["items", "ranks"]),
            help="Lists: cells are the items of a list, best first (default), or ranks of the "
            "items of the rows.",
        ),
        Option("--named-by", type=Whole(1, 10**6), help="Lists: leave out items that fewer name."),
    ),
    *grouped(
        "Battles",
        Option(
            "--first",
            "--first-side",
            "first",
            metavar="COLUMN",
            help="Column of the items on the first side; needs --format comparisons.",
        ),
        Option(
            "--second",
            "--second-side",
            "second",
            metavar="COLUMN",
            help="Column of the items on the second side.",
        ),
        Option(
            "--outcome",
            metavar="COLUMN",
            multiple=True,
            help="Column of the winner, by side (left, model_a, 1, A>B, ...) or by name, or a tie; "
            "or the columns of both sides, with --outcome-is; or three of 1 and 0: the first won, "
            "the second won, a tie.",
        ),
        Option(
            "--outcome-is",
            type=OneOf(["side", "winner", "points", "wins"]),
            help="What outcomes are: sides, where words are names too, or names; points of both "
            "sides, of which more win; or numbers of wins of both sides.",
        ),
        Option(
            "--drop-outcome",
            metavar="WORD",
            multiple=True,
            help="Leave out rows with this outcome, such as error.",
        ),
        _column("cluster", "Column of what they have in common, the judge or the prompt."),
        _column("side", "Column of the side with the advantage, or that of --first."),
        Option(
            "--covariate",
            "covariates",
            metavar="COLUMN",
            multiple=True,
            help="Column of numbers that speak for the first side.",
        ),
    ),
]

NAMES = tuple(str(one.name) for one in OPTIONS)


def _formats() -> list[str]:
    from rankagg.kinds import KINDS

    return ["auto", *KINDS]


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
ESTIMATE_OPTIONS = [
    Option(
        "--estimates",
        metavar="FILE",
        help="Instead of data a table of items, estimates and standard errors or intervals.",
    ),
    Option(
        "--covariance",
        group="Estimates",
        metavar="FILE",
        help="Instead of standard errors: a column of items, and one for each item.",
    ),
    Option(
        "--ends-alpha",
        group="Estimates",
        type=PROBABILITY,
        help="Of the intervals whose ends are in the table: 0.05 where they are of 95 %.",
    ),
]


def data(*, whole: bool = False, ballots: bool = False, taken: Sequence[str] = ()) -> Options:
    """Return the options of data as `given`: sums of scores too, unless they must be `whole`.

    What holds no `ballots` is refused where these are needed.
    """
    options = list(DATA_OPTIONS)
    for at, one in enumerate(options):
        if set(taken) & set(one.opts):
            # By its other names alone, where a command calls another option so.
            options[at] = copy(one)
            options[at].opts = [name for name in one.opts if name not in taken]
    files = click.Argument(["files"], metavar="[FILE]...", nargs=-1, type=click.Path())
    reader = read_whole if whole else read
    return Options("given", [files, *options], partial(reader, ballots=ballots))


def read_whole(**values: Any) -> Input:
    """Read what the options name, and refuse sums."""
    found = read(**values)
    found.refuse_sums()
    return found


def read(**values: Any) -> Input:
    """Read what the options name."""
    from rankagg.cli.options.inputs import read_input

    return read_input(**values)


def data_or_estimates() -> Options:
    """Return the options of data as `given`, or of estimates."""

    def read_either(**values: Any) -> Input:
        from rankagg.cli.options.estimates import read_estimates

        return read_estimates(**values)

    return Options("given", [*data().options, *ESTIMATE_OPTIONS], read_either)
