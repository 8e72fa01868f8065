"""The options that say what data are."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import click

from rankagg.cli.options.typed import (
    PROBABILITY,
    Number,
    OneOf,
    Option,
    Whole,
    choice,
    flag,
    grouped,
    several,
    split,
)
from rankagg.exceptions import InvalidInputError


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
            "--decimal",
            [".", ","],
            "Scores, ballots: what stands before decimals; default: a point.",
        ),
        flag("--percent", help="Scores: 86.1% is 0.861; all of a column, or none."),
        several("--na", "TEXT", "Scores, ballots: a further word for a missing number.", "missing"),
        choice(
            "--errors",
            ["refuse", "drop", "repair"],
            "Scores: drop: read 1.2 ± 0.3 or 1.2 (0.3) without the error. PrefLib: repair "
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
        several("--only", "TASK", "A task to take, by name or pattern (mmlu*); no others."),
        several(
            "--group",
            "NEW=TASK,TASK",
            "Average tasks (sub-metrics, languages) into a new one first.",
            "groups",
        ),
        several(
            "--family",
            "TASK=NAME",
            "Tasks of one family depend on each other; families are independent.",
        ),
        Option(
            "--tolerance",
            type=Number(0),
            help="Neighboring scores that differ by at most this much are tied; default 0.",
        ),
    ),
    *grouped(
        "Evaluations",
        several(
            "--metric",
            "[TASK=]METRIC",
            "The metric of all tasks, or of one; of several the first that a task has.",
        ),
        choice(
            "--by",
            ["task", "instance"],
            "Scores of tasks, or of instances (default where all have them).",
        ),
        choice(
            "--runs",
            ["mean", "first", "last"],
            "What becomes of several scores of a system on a task.",
        ),
        several(
            "--higher",
            "METRIC",
            "Higher (with --lower: lower) is better in METRIC, where the files do not state "
            "its direction.",
        ),
    ),
    *grouped(
        "Ballots",
        _column("count", "Column of counts; needs --format ballots or cast-votes."),
        several(
            "--choice",
            "COLUMN",
            "Cast votes: a column of choices, in order of preference; default: those that "
            "share names of candidates, in the order that their headings state.",
            "choices",
        ),
        _column("rank", "Lists, long form: column of ranks."),
        _column("item", "Lists: column of items."),
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
        several(
            "--alias",
            "SPELLING=NAME",
            "Cast votes: another spelling of a candidate, which is read as NAME.",
            callback=_aliases,
        ),
        several(
            "--spelling",
            "KIND=TEXT",
            "Cast votes: how undervote, overvote or write-in are written, instead of the "
            "usual spellings.",
            "spellings",
            callback=_spellings,
        ),
        _column("ranking", "Lists, long form: column of lists; needs --item and --rank too."),
        choice(
            "--cells",
            ["items", "ranks"],
            "Lists: cells are the items of a list, best first (default), or ranks of the "
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
        _column("cluster", "Column of what they have in common, the judge or the prompt."),
        _column("side", "Column of the side with the advantage, or that of --first."),
        several(
            "--covariate",
            "COLUMN",
            "Column of numbers that speak for the first side.",
            "covariates",
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
