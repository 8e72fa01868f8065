"""Kinds of data that files hold: the options of each, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import click

import rankagg as ra
from rankagg._typing import Label
from rankagg.cli.options.typed import Number, OneOf, flag, labels_of, option, split, task_weights
from rankagg.cli.options.wording import option_of
from rankagg.exceptions import InvalidInputError

if TYPE_CHECKING:
    from rankagg.aggregation.evidence import Data, WholeData

#: What was typed, by the names of options.
Typed: TypeAlias = SimpleNamespace


class Found(NamedTuple):
    """Data that were read, and what the reader of the output must know of them besides."""

    data: Data
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class TypedKind:
    """A kind of data, by the word for `--format`."""

    name: str
    # What such data are, in messages.
    meaning: str
    # Reads the data that options name.
    read: Callable[[Typed], Found]
    # The options with a meaning for it; all others are refused.
    takes: tuple[str, ...] = ()

    def check(self, typed: Typed) -> None:
        """Raise where an option is given that has no meaning here."""
        for name in KIND_OPTIONS:
            if name not in self.takes and getattr(typed, name):
                spelled = name.replace("_", "-")
                raise click.UsageError(f"--{spelled} has no meaning for {self.meaning}.")


def _names(options: Iterable[click.Option]) -> tuple[str, ...]:
    return tuple(str(one.name) for one in options)


def _column(name: str, about: str) -> click.Option:
    return option(f"--{name}", metavar="COLUMN", help=about)


# -- scores and sums of scores --------------------------------------------------------------------

DIRECTIONS = [
    flag("--lower-is-better", help="Scores: lower is better on every task."),
    option(
        "--lower",
        multiple=True,
        metavar="TASK",
        help="Lower is better on TASK, and higher on the others; may be repeated.",
    ),
]
COLUMNS = [
    _column("system", "Column of systems; default: the first."),
    _column("instance", "Column of instances of the tasks."),
    _column("task", "Long form: column of tasks."),
    _column("score", "Long form: column of scores."),
]
OF_TASKS = [
    option(
        "--weight",
        multiple=True,
        metavar="TASK=NUMBER",
        help="Weight of a task; default 1; may be repeated. Comparisons: the column of weights.",
    ),
    option(
        "--group",
        multiple=True,
        metavar="NEW=TASK,TASK",
        help="Average tasks (sub-metrics, languages) into a new one first; may be repeated.",
    ),
    option(
        "--tolerance",
        type=Number(0),
        help="Scores next to each other that differ by no more are tied; default 0.",
    ),
]
NUMBERS = [
    option(
        "--decimal",
        type=OneOf([".", ","]),
        help="Scores, ballots: what stands before decimals; default: a point.",
    ),
    flag("--percent", help="Scores: 86.1% is 0.861; all of a column, or none."),
    option(
        "--na",
        multiple=True,
        metavar="TEXT",
        help="Scores, ballots: a further word for a missing number; may be repeated.",
    ),
    option(
        "--errors",
        type=OneOf(["refuse", "drop"]),
        help="Scores: of 1.2 ± 0.3 or 1.2 (0.3) read the value, and leave the error out; default: "
        "refuse.",
    ),
]
DROP = option(
    "--drop",
    multiple=True,
    metavar="COLUMN",
    help="A column of the table, or an item of a PrefLib file, to leave out; may be repeated.",
)


def _read_scores(typed: Typed) -> Found:
    if typed.lower_is_better and typed.lower:
        raise click.UsageError("--lower-is-better covers every task; leave --lower out.")

    def read(higher_is_better: bool | dict[Label, bool]) -> ra.ScoreTable:
        return ra.read_scores(
            typed.file,
            system=typed.system,
            task=typed.task,
            instance=typed.instance,
            score=typed.score,
            drop=typed.drop,
            missing=typed.na,
            percent=typed.percent,
            decimal=typed.decimal or ".",
            errors=typed.errors or "refuse",
            higher_is_better=higher_is_better,
        )

    table = read(not typed.lower_is_better)
    if not typed.lower:
        return Found(table)
    lower = labels_of("--lower", typed.lower, table.tasks, "task")
    return Found(read({task: task not in lower for task in table.tasks}))


def reshaped(table: ra.ScoreTable, typed: Typed) -> ra.ScoreTable:
    """Return a table with the groups and weights of tasks that were asked for."""
    groups: dict[Label, list[Label]] = {}
    for new, members in split("--group", typed.group, "NEW=TASK,TASK", last=False).items():
        names = [member.strip() for member in members.split(",") if member.strip()]
        groups[new] = labels_of("--group", names, table.tasks, "task")
    if groups:
        table = table.group_tasks(groups)
    weights = task_weights("--weight", typed.weight, table.tasks)
    return table.with_task_weights(weights) if weights else table


def _read_summary(typed: Typed) -> Found:
    from rankagg.io.json_files import read_summary

    summary = read_summary(typed.file)
    weights = task_weights("--weight", typed.weight, summary.tasks)
    return Found(summary.with_task_weights(weights) if weights else summary)


def _without_tasks(table: ra.ScoreTable, drop: Sequence[str]) -> ra.ScoreTable:
    return table.drop(tasks=labels_of("--drop", drop, table.tasks, "task"))


SCORES = TypedKind(
    "scores",
    "a table of scores; `--format ballots` reads ballots, `--format comparisons` results of pairs",
    _read_scores,
    _names([*COLUMNS, *DIRECTIONS, *OF_TASKS, *NUMBERS, DROP]),
)
SUMMARY = TypedKind(
    "summary",
    "sums of scores, which were counted with directions of their own",
    _read_summary,
    ("weight",),
)

# -- what evaluation tools wrote ------------------------------------------------------------------

OF_EVALUATIONS = [
    option(
        "--metric",
        multiple=True,
        metavar="[TASK=]METRIC",
        help="Evaluations: the metric of all tasks, or of one; of several, which may be given, the "
        "first one that a task has.",
    ),
    option(
        "--by",
        type=OneOf(["task", "instance"]),
        help="Evaluations: scores of whole tasks, or of their instances; default: of instances "
        "where all have them.",
    ),
    option(
        "--runs",
        type=OneOf(["mean", "first", "last", "each"]),
        help="Evaluations: what becomes of several runs of one system; each: a system of its own.",
    ),
    flag(
        "--use-groups",
        help="Evaluations: the scores of groups of tasks, and not those of their tasks.",
    ),
    option(
        "--higher",
        multiple=True,
        metavar="METRIC",
        help="Evaluations: higher is better in METRIC, of which the files say nothing; --lower "
        "says the other; both may be repeated.",
    ),
]


def seem_evaluations(files: Sequence[str]) -> bool:
    """Say whether files are folders, patterns, or called as only evaluations are, or several."""
    from rankagg.io.evaluations.read_evaluations import ENDINGS, ending_of, holds_evaluations

    paths = [Path(file) for file in files]
    endings = {ending_of(path) for path in paths if not _is_many(path)}
    if len(files) > 1 or not endings:
        return endings <= ENDINGS
    return endings == {".eval"} or (paths[0].is_file() and holds_evaluations(paths[0]))


def _is_many(path: Path) -> bool:
    try:
        return path.is_dir() or (has_magic(str(path)) and not path.exists())
    except (OSError, ValueError):  # no path: what opens it says why
        return False


def _read_evaluations(typed: Typed) -> Found:
    if typed.lower_is_better and (typed.lower or typed.higher):
        raise click.UsageError(
            "--lower-is-better covers every metric of which the files say nothing; leave --lower "
            "and --higher out."
        )
    twice = set(typed.lower) & set(typed.higher)
    if twice:
        raise click.UsageError(f"{sorted(twice)[0]!r} is given by --lower and by --higher.")
    given = {**dict.fromkeys(typed.higher, True), **dict.fromkeys(typed.lower, False)}
    found = ra.read_evaluations(typed.files)
    chosen = found.select(
        metric=_metric(typed.metric, found),
        by=typed.by,
        runs=typed.runs,
        groups=typed.use_groups,
        higher_is_better=False if typed.lower_is_better else given or None,
    )
    return Found(_without_tasks(chosen.table, typed.drop), chosen.notes)


def _metric(given: Sequence[str], found: ra.Evaluations) -> list[str] | dict[str, str] | None:
    """Return names of metrics, or those of single tasks where TASK= stands before them."""
    of_tasks: dict[str, str] = {}
    for text in given:
        splits = [(text[:at], text[at + 1 :]) for at, sign in enumerate(text) if sign == "="]
        task = next((pair for pair in splits if pair[0] in found.tasks), None)
        if text not in found.metrics and task is not None:
            of_tasks[task[0]] = task[1]
    if of_tasks and len(of_tasks) < len(given):
        raise click.UsageError(
            "--metric names metrics of all tasks, or by TASK=METRIC those of single ones, each "
            "once; not both."
        )
    return of_tasks or list(given) or None


EVALUATIONS = TypedKind(
    "evaluations",
    "evaluations, which name systems, tasks and instances themselves",
    _read_evaluations,
    _names([*OF_EVALUATIONS, *DIRECTIONS, *OF_TASKS, DROP]),
)

# -- ballots and cast votes -----------------------------------------------------------------------

OF_BALLOTS = [
    _column("count", "Ballots: column of counts; needs --format ballots or cast-votes."),
    option(
        "--left-out",
        type=OneOf(["unranked", "unlisted"]),
        help="Ballots: items left out are not observed (the default, but for cast votes), or below "
        "all listed ones.",
    ),
]
OF_CAST_VOTES = [
    option(
        "--choice",
        multiple=True,
        metavar="COLUMN",
        help="Cast votes: a column of choices, the first choice first; to be repeated; default: "
        "all that are not named otherwise.",
    ),
    _column("ballot", "Cast votes, long form: column of ballots."),
    _column("rank", "Cast votes, long form: column of ranks."),
    _column("item", "Cast votes, long form: column of candidates."),
    option(
        "--overvotes",
        type=OneOf(["end", "skip"]),
        help="Cast votes: an overvote ends its ballot (the default), or the next choice moves up.",
    ),
    option(
        "--skipped",
        type=OneOf(["close", "end", "end-after-two"]),
        help="Cast votes: behind a skipped choice later ones move up (the default), or it ends its "
        "ballot, or two in a row do.",
    ),
    option(
        "--write-ins",
        type=OneOf(["keep", "pool", "drop"]),
        help="Cast votes: write-ins are items (the default), or one item, or taken off.",
    ),
    option(
        "--spelling",
        multiple=True,
        metavar="KIND=TEXT",
        help="Cast votes: how an undervote, overvote or write-in is written, in place of the usual "
        "spellings of that kind; may be repeated.",
    ),
]


def _read_ballots(typed: Typed) -> Found:
    profile = ra.read_ballots(
        typed.file,
        count=typed.count,
        drop=typed.drop,
        left_out=_left_out(typed),
        decimal=typed.decimal or ".",
        missing=typed.na,
    )
    return Found(profile)


def _read_preflib(typed: Typed) -> Found:
    profile = ra.read_preflib(typed.file, left_out=_left_out(typed))
    return Found(_without_items(profile, typed.drop))


def _left_out(typed: Typed) -> Literal["unranked", "unlisted"]:
    return "unlisted" if typed.left_out == "unlisted" else "unranked"


def _read_cast_votes(typed: Typed) -> Found:
    found = ra.read_cast_votes(
        typed.file,
        choices=typed.choice or None,
        ballot=typed.ballot,
        rank=typed.rank,
        item=typed.item,
        count=typed.count,
        drop=typed.drop,
        overvotes=typed.overvotes or "end",
        skipped=typed.skipped or "close",
        write_ins=typed.write_ins or "keep",
        spellings=_spellings(typed.spelling),
        left_out=typed.left_out or "unlisted",
    )
    return Found(found.profile, found.lines())


def _spellings(texts: Iterable[str]) -> dict[str, list[str]]:
    from rankagg.io.cast_vote_grid import SPELLINGS

    found: dict[str, list[str]] = {}
    for text in texts:
        kind, sign, spelling = text.partition("=")
        if not sign:
            allowed = f"KIND=TEXT, KIND one of {', '.join(SPELLINGS)}"
            raise InvalidInputError("--spelling", allowed, text)
        found.setdefault(kind, []).extend([spelling] if spelling.strip() else [])
    return found


def _without_items(data: WholeData, drop: Sequence[str]) -> WholeData:
    if not drop or not isinstance(data, ra.Profile):
        return data
    out = labels_of("--drop", drop, data.items, "item")
    kept = [label for label in data.items if label not in out]
    if not kept:
        raise InvalidInputError("--drop", "fewer than all items", list(drop))
    return data.restrict(kept)


BALLOTS = TypedKind(
    "ballots",
    "a table of ballots; `--format cast-votes` reads those of election offices",
    _read_ballots,
    (*_names(OF_BALLOTS), "drop", "decimal", "na"),
)
PREFLIB = TypedKind(
    "preflib",
    "ballots in a PrefLib format",
    _read_preflib,
    ("left_out", "drop"),
)
CAST_VOTES = TypedKind(
    "cast-votes", "cast votes", _read_cast_votes, _names([*OF_CAST_VOTES, *OF_BALLOTS, DROP])
)

# -- comparisons and votes ------------------------------------------------------------------------

OF_COMPARISONS = [
    option(
        "--first",
        "--first-side",
        "first_side",
        metavar="COLUMN",
        help="Comparisons: column of the items on the first side; needs --format comparisons.",
    ),
    option(
        "--second",
        "--second-side",
        "second",
        metavar="COLUMN",
        help="Comparisons: column of the items on the second side.",
    ),
    _column(
        "outcome",
        "Comparisons: column of the winner, by side (left, model_a, 1, ...) or by name, or a tie.",
    ),
    option(
        "--outcome-is",
        type=OneOf(["side", "winner"]),
        help="Comparisons: what outcomes are, where words are sides and names too.",
    ),
    _column("cluster", "Comparisons: column of what they have in common, the judge or the prompt."),
    _column("side", "Comparisons: column of the side with the advantage; default: the first."),
    option(
        "--covariate",
        metavar="COLUMN",
        multiple=True,
        help="Comparisons: column of numbers that speak for the first side; may be repeated.",
    ),
]


def _read_comparisons(typed: Typed) -> Found:
    needed = ("first_side", "second", "outcome")
    missing = [option_of(name) for name in needed if not getattr(typed, name)]
    if missing:
        raise click.UsageError(
            f"--format comparisons needs the columns: give {' and '.join(missing)}."
        )
    if len(typed.weight) > 1:
        raise click.UsageError("--format comparisons takes one --weight COLUMN.")
    comparisons = ra.read_comparisons(
        typed.file,
        first=typed.first_side,
        second=typed.second,
        outcome=typed.outcome,
        outcome_is=typed.outcome_is,
        cluster=typed.cluster,
        side=typed.side,
        weight=typed.weight[0] if typed.weight else None,
        covariates=typed.covariate,
    )
    return Found(comparisons)


COMPARISONS = TypedKind(
    "comparisons",
    "a table of comparisons",
    _read_comparisons,
    ("weight", *_names(OF_COMPARISONS)),
)
MATRIX = TypedKind(
    "matrix",
    "a linear ordering matrix",
    lambda typed: Found(ra.read_matrix(typed.file)),
)
VOTES = TypedKind("votes", "votes as JSON", lambda typed: Found(ra.read_votes(typed.file)))

# -- all kinds ------------------------------------------------------------------------------------


def _read_bundled(typed: Typed) -> Found:
    data = ra.datasets.load(typed.dataset)
    if isinstance(data, ra.ScoreTable):
        return Found(_without_tasks(data, typed.drop))
    return Found(_without_items(data, typed.drop))


# Bundled data sets know their columns and directions.
BUNDLED_SCORES = TypedKind(
    "scores",
    "--dataset, which knows its columns and directions",
    _read_bundled,
    (*_names(OF_TASKS), "drop"),
)
BUNDLED_BALLOTS = TypedKind("ballots", "--dataset with ballots", _read_bundled, ("drop",))

#: In the order in which help lists them.
KINDS = (
    *(SCORES, BALLOTS, CAST_VOTES, COMPARISONS),
    *(PREFLIB, VOTES, SUMMARY, EVALUATIONS, MATRIX),
)
OPTIONS = [
    *(*DIRECTIONS, *OF_EVALUATIONS, *COLUMNS, DROP, *OF_TASKS),
    *(*OF_BALLOTS, *OF_CAST_VOTES, *OF_COMPARISONS, *NUMBERS),
]
#: Options that some kinds take, and others do not.
KIND_OPTIONS = tuple(dict.fromkeys(name for kind in KINDS for name in kind.takes))

#: Parameters of the readers that are called otherwise here.
READER_NAMES = {
    "source": "FILE",
    "paths": "FILE",
    "higher_is_better": "--higher or --lower",
    "missing": "--na",
    "task_weights": "--weight",
    "groups": "--group",
    "choices": "--choice",
    "spellings": "--spelling",
    "covariates": "--covariate",
    "task and score": "--task and --score",
    "ballot, rank and item": "--ballot, --rank and --item",
    "first, second, outcome, weight, cluster, side and covariates": "the columns named",
}


def kind_of_files(form: str, files: Sequence[str]) -> TypedKind | None:
    """Return the kind that --format or the names of files say; None where the content says it."""
    if form == "auto" and seem_evaluations(files):
        return EVALUATIONS
    if form != "evaluations" and len(files) > 1:
        raise click.UsageError(
            f"Give one FILE, not {len(files)}: several are read together where they hold "
            "evaluations (--format evaluations)."
        )
    return next((kind for kind in KINDS if kind.name == form), None)


def kind_of_text(text: str) -> TypedKind:
    """Return the kind that a content says it is of; scores say nothing of themselves."""
    from rankagg.io.evaluations.read_evaluations import looks_like_evaluations
    from rankagg.io.json_files import looks_like_summary, looks_like_votes
    from rankagg.io.matrices import looks_like_matrix
    from rankagg.io.preflib import looks_like_preflib

    signs = (
        *((PREFLIB, looks_like_preflib), (VOTES, looks_like_votes), (SUMMARY, looks_like_summary)),
        *((EVALUATIONS, looks_like_evaluations), (MATRIX, looks_like_matrix)),
    )
    return next((kind for kind, looks_so in signs if looks_so(text)), SCORES)
