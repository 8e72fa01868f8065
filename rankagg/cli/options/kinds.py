"""Kinds of data that files hold: the options of each, and how it is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path
from shlex import join
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

import rankagg as ra
from rankagg._typing import Label
from rankagg.cli.options.typed import Number, Whole, flag, labels_of, option, split, weights_of
from rankagg.cli.options.wording import option_of, option_words, options_named
from rankagg.core import counted, listing
from rankagg.exceptions import InvalidInputError
from rankagg.io.abif import blt_of
from rankagg.io.preflib import title_of
from rankagg.io.tables.columns import names_of

if TYPE_CHECKING:
    from rankagg.aggregation import Data
    from rankagg.io.table_readings import FileReading


Summed = TypeVar("Summed", "ra.ScoreTable", "ra.ScoreSummary")
DIRECTIONS = [
    flag("--lower-is-better", help="Scores: lower is better on every task."),
    option("--lower TASK...", help="Lower is better on TASK, and higher on the others."),
]
OF_TASKS = [
    option(
        "--weight TASK=NUMBER...",
        help="Weight of a task, default 1; comparisons: the column of weights.",
    ),
    option(
        "--group NEW=TASK,TASK...",
        help="Average tasks (sub-metrics, languages) into a new one first.",
    ),
    option(
        "--family TASK=NAME...",
        help="Tasks of one family depend on each other; families are independent.",
    ),
    option(
        "--tolerance",
        type=Number(0),
        help="Neighboring scores that differ by at most this much are tied; default 0.",
    ),
]
NUMBERS = [
    option(
        "--decimal .|,",
        help="Scores, ballots: what stands before decimals; default: a point.",
    ),
    flag("--percent", help="Scores: 86.1% is 0.861; all of a column, or none."),
    option("--na TEXT...", "missing", help="Scores, ballots: a further word for a missing number."),
    option(
        "--errors refuse|drop|repair",
        help="Scores: drop: read 1.2 ± 0.3 or 1.2 (0.3) without the error. PrefLib: repair what "
        "contradicts itself, and say so. Default: refuse.",
    ),
]
# Words in headings of scores of which lower is better.
OF_LOWER = {
    *("loss", "error", "err", "perplexity", "ppl", "wer", "cer", "ter", "rmse", "mae", "mse"),
    *("latency", "time", "seconds", "cost", "rank"),
}
SAYS_LOWER = re.compile(r"[↓⬇]|lower is better", re.IGNORECASE)
ONLY = option(
    "--only TASK...", help="Scores: a task to take, by name or pattern (mmlu*); no others."
)
DROP = option(
    "--drop COLUMN...", help="A column of the table, or an item of a PrefLib file, to leave out."
)
OF_EVALUATIONS = [
    option(
        "--metric [TASK=]METRIC...",
        help="Evaluations: the metric of all tasks, or of one; of several the first that a task "
        "has.",
    ),
    option(
        "--by task|instance",
        help="Evaluations: scores of tasks, or of instances (default where all have them).",
    ),
    option(
        "--runs mean|first|last",
        help="Evaluations: what becomes of several scores of a system on a task.",
    ),
    option(
        "--higher METRIC...",
        help="Evaluations: higher (with --lower: lower) is better in METRIC, where the files do "
        "not state its direction.",
    ),
]
OF_PREFLIB = ("errors", "drop", "unranked")
#: What tables are, as far as they do not say it by signs of their own.
TABLES = ("scores", "ballots", "cast-votes", "comparisons", "lists")
#: Parameters of the readers that are called otherwise here.
READER_NAMES = {
    "source": "FILE",
    "paths": "FILE",
    "higher_is_better": "--higher or --lower",
    "task_weights": "--weight",
    "task_families": "--family",
    "groups": "--group",
    "task and score": "--task and --score",
    "ballot, rank and item": "--ballot, --rank and --item",
    "first, second, outcome, weight, cluster, side and covariates": "the columns named",
}
#: What elections are counted from.
ELECTIONS = ("ballots", "cast-votes", "preflib", "abif")


class Typed(SimpleNamespace):
    """What was typed, by the names of options, which are those of the readers' parameters."""

    def given(self, *names: str) -> dict[str, Any]:
        """Return the values of these options, those that were given."""
        return {name: value for name in names if (value := getattr(self, name))}


#: Data that were read, and what the reader of the output must know of them besides.
Found: TypeAlias = "tuple[Data, tuple[str, ...]]"


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
        for name in typed.given(*KIND_OPTIONS):
            if name not in self.takes:
                raise click.UsageError(f"{option_of(name)} has no meaning for {self.meaning}.")


def _names(options: Iterable[click.Option]) -> tuple[str, ...]:
    return tuple(str(one.name) for one in options)


def _column(name: str, about: str) -> click.Option:
    return option(f"--{name}", metavar="COLUMN", help=about)


# -- scores and sums of scores --------------------------------------------------------------------

OF_TABLES = [
    _column("system", "Column of systems; default: the first."),
    _column("instance", "Column of instances of the tasks."),
    _column("task", "Column of tasks, in the long form or where each system has a column."),
    _column("score", "Long form: column of scores."),
]


def _read_scores(typed: Typed) -> Found:
    from rankagg.io.tables.look import BETWEEN

    if typed.lower_is_better and typed.lower:
        raise click.UsageError("--lower-is-better covers every task; leave --lower out.")

    def read(higher_is_better: bool | dict[Label, bool]) -> ra.ScoreTable:
        columns = typed.given("system", "task", "instance", "score", "only", "drop")
        numbers = typed.given("missing", "percent", "decimal", "errors", "max_bytes")
        return ra.read_scores(typed.file, higher_is_better=higher_is_better, **columns, **numbers)

    table = read(not typed.lower_is_better)
    if typed.lower:
        lower = labels_of("--lower", typed.lower, table.tasks, "task")
        table = read({task: task not in lower for task in table.tasks})
    words = {task: map(str.lower, BETWEEN.split(str(task))) for task in table.tasks}
    seem = [
        task
        for task in table.tasks
        if OF_LOWER.intersection(words[task]) or SAYS_LOWER.search(str(task))
    ]
    unsaid = [task for task in seem if table.higher_is_better[task]]
    if not unsaid:
        return table, ()
    taken = f"higher is taken for better on {listing(unsaid)}"
    return table, (f"note: {taken}; --lower TASK says otherwise",)


def reshaped(table: ra.ScoreTable, typed: Typed) -> ra.ScoreTable:
    """Return a table with the groups and weights of tasks that were asked for."""
    groups: dict[Label, list[Label]] = {}
    for new, members in split("--group", typed.group, "NEW=TASK,TASK", last=False).items():
        names = [member.strip() for member in members.split(",") if member.strip()]
        groups[new] = labels_of("--group", names, table.tasks, "task")
    table = _weighted(table.group_tasks(groups) if groups else table, typed)
    if not typed.family:
        return table
    named = split("--family", typed.family, "TASK=NAME")
    tasks = labels_of("--family", named, table.tasks, "task")
    return table.with_task_families(dict(zip(tasks, named.values(), strict=True)))


def _weighted(table: Summed, typed: Typed) -> Summed:
    weights = weights_of("--weight", typed.weight, table.tasks, "task")
    return table.with_task_weights(weights) if weights else table


def _read_summary(typed: Typed) -> Found:
    from rankagg.io.json_files import read_summary

    return _weighted(read_summary(typed.file, **typed.given("max_bytes")), typed), ()


def _without(data: Data, drop: Sequence[str]) -> Data:
    """Return data without some tasks of scores, or items of ballots."""
    if isinstance(data, ra.ScoreTable):
        return data.drop(tasks=labels_of("--drop", drop, data.tasks, "task"))
    if not drop or not isinstance(data, ra.Profile):
        return data
    out = labels_of("--drop", drop, data.items, "item")
    kept = [label for label in data.items if label not in out]
    if not kept:
        raise InvalidInputError("--drop", "fewer than all items", list(drop))
    return data.restrict(kept)


SCORES = TypedKind(
    "scores",
    "a table of scores; `--format` says what else it is",
    _read_scores,
    (*_names([*OF_TABLES, ONLY, *DIRECTIONS, *OF_TASKS, *NUMBERS, DROP]), "unranked"),
)
# -- what evaluation tools wrote ------------------------------------------------------------------


def seem_evaluations(files: Sequence[str]) -> bool:
    """Say whether files are folders, patterns, or called as only evaluations are, or several."""
    from rankagg.io.evaluations.read_evaluations import ENDINGS, ending_of

    endings = {ending_of(path) for path in map(Path, files) if not _is_many(path)}
    if len(files) > 1 or not endings:
        return endings <= ENDINGS
    return endings == {".eval"}


def _is_many(path: Path) -> bool:
    try:
        return path.is_dir() or (has_magic(str(path)) and not path.exists())
    except (OSError, ValueError):  # no path: what opens it says why
        return False


def _read_evaluations(typed: Typed) -> Found:
    from rankagg.cli.options.evaluations import score_table

    if typed.lower_is_better and (typed.lower or typed.higher):
        raise click.UsageError(
            "--lower-is-better covers every metric whose direction the files do not state; leave "
            "--lower and --higher out."
        )
    twice = set(typed.lower) & set(typed.higher)
    if twice:
        raise click.UsageError(f"{sorted(twice)[0]!r} is given by --lower and by --higher.")
    given = {**dict.fromkeys(typed.higher, True), **dict.fromkeys(typed.lower, False)}
    table, notes = score_table(
        ra.read_evaluations(typed.files, **typed.given("max_bytes")),
        metric=typed.metric,
        by=typed.by,
        runs=typed.runs,
        higher_is_better=False if typed.lower_is_better else given,
    )
    return _without(table, typed.drop), notes


EVALUATIONS = TypedKind(
    "evaluations",
    "evaluations, which name systems, tasks and instances themselves",
    _read_evaluations,
    (*_names([*OF_EVALUATIONS, *DIRECTIONS, *OF_TASKS, DROP]), "unranked"),
)

# -- ballots and cast votes -----------------------------------------------------------------------

OF_BALLOTS = [
    _column("count", "Ballots: column of counts; needs --format ballots or cast-votes."),
]
OF_CAST_VOTES = [
    option(
        "--choice COLUMN...",
        "choices",
        help="Cast votes: a column of choices, in order of preference; default: those that share "
        "names of candidates, in the order that their headings state.",
    ),
    _column("ballot", "Cast votes, long form: column of ballots."),
    _column("rank", "Cast votes and lists, long form: column of ranks."),
    _column("item", "Cast votes and lists: column of candidates, or of other items."),
    option(
        "--overvotes end|skip",
        help="Cast votes: an overvote ends its ballot (the default), or the next choice moves up.",
    ),
    option(
        "--skipped close|end|end-after-two",
        help="Cast votes: later choices move up (default), or the ballot ends at the first skipped "
        "choice, or at two in a row.",
    ),
    option(
        "--write-ins keep|pool|drop",
        help="Cast votes: write-ins are items (the default), or one item, or taken off.",
    ),
    option(
        "--alias SPELLING=NAME...",
        help="Cast votes: another spelling of a candidate, which is read as NAME.",
    ),
    option(
        "--spelling KIND=TEXT...",
        "spellings",
        help="Cast votes: how undervote, overvote or write-in are written, instead of the usual "
        "spellings.",
    ),
]
CAST = (*_names([*OF_CAST_VOTES, *OF_BALLOTS, DROP]), "unranked")


def _read_ballots(typed: Typed) -> Found:
    given = typed.given("count", "drop", "unranked", "decimal", "missing", "max_bytes")
    return ra.read_ballots(typed.file, **given), ()


def _read_preflib(typed: Typed) -> Found:
    found = ra.read_preflib(typed.file, **typed.given("unranked", "errors", "max_bytes"))
    typed.title = title_of(typed.file, **typed.given("max_bytes"))
    return _without(found, typed.drop), ()


def _read_abif(typed: Typed) -> Found:
    found = ra.io.read_abif(typed.file, **typed.given("unranked", "max_bytes"))
    election = blt_of(typed.file, **typed.given("max_bytes"))
    if election is not None:
        typed.seats, typed.title = election.seats, election.title
    return _without(found, typed.drop), ()


def _read_cast_votes(typed: Typed) -> Found:
    given = {**typed.given(*CAST, "max_bytes"), "spellings": _spellings(typed.spellings)}
    given["alias"] = split("--alias", typed.alias, "SPELLING=NAME")
    found = ra.read_cast_votes(typed.file, **given)
    return found.profile, found.lines()


def _spellings(texts: Iterable[str]) -> dict[str, list[str]]:
    from rankagg.io.marks import SPELLINGS

    found: dict[str, list[str]] = {}
    for text in texts:
        kind, sign, spelling = text.partition("=")
        if not sign:
            allowed = f"KIND=TEXT, KIND one of {', '.join(SPELLINGS)}"
            raise InvalidInputError("--spelling", allowed, text)
        found.setdefault(kind, []).extend([spelling] if spelling.strip() else [])
    return found


OF_LISTS = [
    _column("ranking", "Lists, long form: column of lists; needs --item and --rank too."),
    option(
        "--cells items|ranks",
        help="Lists: cells are the items of a list, best first (default), or ranks of the items "
        "of the rows.",
    ),
    option("--named-by", type=Whole(1, 10**6), help="Lists: leave out items that fewer name."),
]


def _read_lists(typed: Typed) -> Found:
    given = typed.given("ranking", "item", "rank", "cells", "drop", "unranked", "max_bytes")
    found = ra.read_rankings(typed.file if len(typed.files) == 1 else typed.files, **given)
    lists, named = len(found), list(found.times_ranked().values())
    both = f"{named.count(lists)} in all of them, {named.count(1)} in one alone"
    told = f"lists: {lists}, which name {counted(found.n_items, 'item')}: {both}"
    if typed.named_by:
        kept = [item for item, times in found.times_ranked().items() if times >= typed.named_by]
        left = counted(found.n_items - len(kept), "item")
        told += f"; left out: {left} that fewer than {counted(typed.named_by, 'list')} name"
        found = found.restrict(kept)
    return found, (told,)


# -- comparisons and votes ------------------------------------------------------------------------

OF_COMPARISONS = [
    option(
        "--first --first-side COLUMN",
        "first",
        help="Comparisons: column of the items on the first side; needs --format comparisons.",
    ),
    option(
        "--second --second-side COLUMN",
        "second",
        help="Comparisons: column of the items on the second side.",
    ),
    option(
        "--outcome COLUMN...",
        help="Comparisons: column of the winner, by side (left, model_a, 1, A>B, ...) or by name, "
        "or a tie; or the columns of both sides, with --outcome-is; or three of 1 and 0: the first "
        "won, the second won, a tie",
    ),
    option(
        "--outcome-is side|winner|points|wins",
        help="Comparisons: what outcomes are: sides, where words are names too, or names; points "
        "of both sides, of which more win; or numbers of wins of both sides.",
    ),
    option(
        "--drop-outcome WORD...",
        help="Comparisons: leave out rows with this outcome, such as error",
    ),
    _column("cluster", "Comparisons: column of what they have in common, the judge or the prompt."),
    _column("side", "Comparisons: column of the side with the advantage, or that of --first."),
    option(
        "--covariate COLUMN...",
        "covariates",
        help="Comparisons: column of numbers that speak for the first side.",
    ),
]


def _read_comparisons(typed: Typed) -> Found:
    from rankagg.io.comparisons import outcomes_taken
    from rankagg.io.tables.sources import read_table

    needed = ("first", "second", "outcome")
    lacking = [option_of(name) for name in needed if not getattr(typed, name)]
    if lacking:
        raise click.UsageError(
            f"--format comparisons needs the columns: give {' and '.join(lacking)}."
        )
    if len(typed.weight) > 1:
        raise click.UsageError("--format comparisons takes one --weight COLUMN.")
    weight = typed.weight[0] if typed.weight else None
    columns = typed.given(*_names(OF_COMPARISONS))
    outcome = names_of(typed.outcome)
    columns["outcome"] = outcome if len(outcome) > 1 else outcome[0]
    table = read_table(typed.file, **typed.given("max_bytes"))
    taken = {weight, *outcome, *typed.covariates}
    taken.update(x for x in columns.values() if isinstance(x, str))
    left = [name for name in table.header if str(name) not in taken]
    found = ra.read_comparisons(table, weight=weight, **columns)
    notes = [outcomes_taken(table, outcome, typed.outcome_is, typed.drop_outcome)]
    if left:
        notes.append(f"left out: {listing(left)} (--cluster, --covariate take them)")
    return found, tuple(notes)


# -- all kinds ------------------------------------------------------------------------------------


def bundled(kind: str) -> TypedKind:
    """Return the kind of a bundled data set, which knows its columns and directions."""
    takes: tuple[str, ...] = ("drop", "unranked")
    meaning = "--dataset with ballots"
    if kind == "scores":
        meaning = "--dataset, which knows its columns and directions"
        takes = (*_names(OF_TASKS), "drop", "unranked")

    def read(typed: Typed) -> Found:
        return _without(ra.datasets.load(typed.dataset), typed.drop), ()

    return TypedKind(kind, meaning, read, takes)


#: By the words for `--format`, in the order in which help lists them.
DATA_FORMATS = {
    kind.name: kind
    for kind in (
        SCORES,
        TypedKind(
            "ballots",
            "a table of ballots; `--format cast-votes` reads those of election offices",
            _read_ballots,
            (*_names(OF_BALLOTS), "drop", "decimal", "missing", "unranked"),
        ),
        TypedKind("cast-votes", "cast votes", _read_cast_votes, CAST),
        TypedKind("abif", "ballots in ABIF", _read_abif, ("unranked", "drop")),
        TypedKind(
            "comparisons",
            "a table of comparisons",
            _read_comparisons,
            ("weight", *_names(OF_COMPARISONS)),
        ),
        TypedKind(
            "lists",
            "ranked lists",
            _read_lists,
            ("ranking", "item", "rank", "cells", "named_by", "drop", "unranked"),
        ),
        TypedKind("preflib", "ballots in a PrefLib format", _read_preflib, OF_PREFLIB),
        TypedKind(
            "votes",
            "votes as JSON",
            lambda typed: (ra.io.read_votes(typed.file, **typed.given("max_bytes")), ()),
        ),
        TypedKind(
            "summary",
            "sums of scores, which were counted with directions of their own",
            _read_summary,
            ("weight", "unranked"),
        ),
        EVALUATIONS,
        TypedKind(
            "matrix",
            "a linear ordering matrix",
            lambda typed: (ra.io.read_matrix(typed.file, **typed.given("max_bytes")), ()),
        ),
    )
}
OPTIONS = [
    *(*DIRECTIONS, *OF_EVALUATIONS, *OF_TABLES, ONLY, DROP, *OF_TASKS),
    *(*OF_BALLOTS, *OF_CAST_VOTES, *OF_LISTS, *OF_COMPARISONS, *NUMBERS),
]
#: Options that some kinds take, and others do not.
KIND_OPTIONS = tuple(dict.fromkeys(name for kind in DATA_FORMATS.values() for name in kind.takes))

#: What stands for the standard input, and what messages call it.
DASH, NAME = "-", "standard input"


def kind_of(typed: Typed, formats: Sequence[str]) -> tuple[TypedKind, tuple[str, ...]]:
    """Return the kind that --format, the names of files or their content say, and a note of it."""
    kind, notes = _stated_kind(typed, formats)
    if kind.name not in formats:
        raise click.UsageError(_not_read(f"{typed.source} holds {kind.name}", formats))
    return kind, notes


def _not_read(what: str, formats: Sequence[str]) -> str:
    command = click.get_current_context().info_name
    return f"{what}; {command} reads only {', '.join(formats)}."


def _stated_kind(typed: Typed, formats: Sequence[str]) -> tuple[TypedKind, tuple[str, ...]]:
    if typed.dataset:
        with options_named({"name": "--dataset"}):
            return bundled(ra.datasets.info(typed.dataset).kind), ()
    form, files = typed.format, typed.files
    if form == "auto" and seem_evaluations(files):
        return EVALUATIONS, ()
    if form not in ("evaluations", "lists") and len(files) > 1:
        raise click.UsageError(
            f"Give one FILE, not {len(files)}: several are read together where they hold "
            "evaluations (--format evaluations) or a ranked list each (--format lists)."
        )
    return (DATA_FORMATS[form], ()) if form != "auto" else _recognized(typed, formats)


def _recognized(typed: Typed, formats: Sequence[str]) -> tuple[TypedKind, tuple[str, ...]]:
    """Return the kind that a content says it is of; what it says of columns is as if typed."""
    with options_named(READER_NAMES):
        found = ra.recognize(typed.file, drop=typed.drop, **typed.given("max_bytes"))
    first = found.readings[0] if found.readings else None
    if first is not None and first.format not in TABLES:
        return DATA_FORMATS[first.format], ()
    given = typed.given(*KIND_OPTIONS)
    known = [name for name in TABLES if name in formats]
    fits = [name for name in known if set(given) <= set(DATA_FORMATS[name].takes)]
    # Options of one kind alone say which it is.
    said = fits[0] if given and len(fits) == 1 else None
    typed_columns = {"system", "task", "instance", "score"} & set(given)
    readings = [
        one
        for one in found.readings
        if one.format in formats
        and said in (None, one.format)
        and typed_columns <= set(one.parameters or ())
        # Typed columns are what comparisons in doubt lack.
        and not (said == "comparisons" and one.parameters is None)
    ]
    remedy = "(use --format to read it as something else)"
    if not readings and said:
        return DATA_FORMATS[said], ()
    if not readings and first is not None and first.format not in formats:
        raise click.UsageError(
            _not_read(f"{typed.source} holds {option_words(first.what)}", formats)
        )
    if not readings:
        told = f"{typed.source} is not recognized; --format says what it holds"
        columns = "; --first, --second and --outcome name the columns of comparisons"
        raise click.UsageError(f"{told}{columns if 'comparisons' in formats else ''}.")
    one, *others = readings
    # An election can use nothing else.
    is_certain = found.is_certain or (len(readings) == 1 and formats == ELECTIONS and not said)
    parameters = one.parameters or {}
    if "drop" in parameters:
        # What was typed is among it.
        given["drop"] = typed.drop = names_of(parameters["drop"])
    left = {name: x for name, x in parameters.items() if name not in given}
    if one.parameters is None or (not is_certain and (others or left or not said)):
        what = " or ".join(option_words(one.what) for one in readings)
        lines = [f"`{_line(typed, one)}`" for one in readings if one.parameters is not None]
        then = f": type {' or '.join(lines)}" if lines else ""
        raise click.UsageError(f"{typed.source} may hold {what}{then}.")
    for name, value in left.items():
        setattr(typed, name, [value] if name == "weight" else value)
    if not left and (said or one.format == "scores"):
        return DATA_FORMATS[one.format], ()
    return DATA_FORMATS[one.format], (f"note: {typed.source} is read as {one.what} {remedy}",)


def _line(typed: Typed, reading: FileReading) -> str:
    """Return the command that reads a file so."""
    context = click.get_current_context()
    words = ["rankagg", str(context.info_name)]
    # What comes before the file, as a certificate does.
    before = [one for one in context.command.params if isinstance(one, click.Argument)]
    words += [str(context.params[str(one.name)]) for one in before if one.nargs == 1]
    words.append(DASH if typed.source == NAME else typed.source)
    words += ["--format", reading.format]
    for name, value in (reading.parameters or {}).items():
        for one in value if isinstance(value, list) else [value]:
            words += [option_of(name), str(one)]
    return join(words)
