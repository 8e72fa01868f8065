"""The options that say what data are, named as the parameters of readers."""

from __future__ import annotations

from rankagg.cli.command import Number, OneOf, Option, choice, column, flag, grouped, several


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
        choice(
            "--cells",
            ["items", "ranks"],
            "Lists: cells are the items of a list, best first (default), or ranks of the "
            "items of the rows.",
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
