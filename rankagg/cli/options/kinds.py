"""Options of kinds of data, and the call of a reader that they make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from inspect import Parameter, signature
from shlex import join
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

import click
import pandas as pd

import rankagg as ra
from rankagg._typing import Label
from rankagg.cli.options.evaluations import score_table
from rankagg.cli.options.typed import (
    Number,
    OneOf,
    Option,
    Whole,
    flag,
    grouped,
    labels_of,
    split,
    weights_of,
)
from rankagg.cli.options.wording import option_of, option_words, options_named
from rankagg.core import counted, listing
from rankagg.exceptions import InvalidInputError
from rankagg.io.cast_votes import CastVotes
from rankagg.io.comparisons import outcomes_taken
from rankagg.io.marks import SPELLINGS
from rankagg.io.tables.columns import names_of
from rankagg.io.tables.look import BETWEEN
from rankagg.io.tables.reading import read_table
from rankagg.kinds import KINDS, DataKind

if TYPE_CHECKING:
    from rankagg.aggregation import Data
    from rankagg.io.table_readings import FileReading


Summed = TypeVar("Summed", "ra.ScoreTable", "ra.ScoreSummary")
#: What stands for the standard input, and what messages call it.
DASH, NAME = "-", "standard input"
# Words in headings of scores of which lower is better.
OF_LOWER = {
    *("loss", "error", "err", "perplexity", "ppl", "wer", "cer", "ter", "rmse", "mae", "mse"),
    *("latency", "time", "seconds", "cost", "rank"),
}
SAYS_LOWER = re.compile(r"[↓⬇]|lower is better", re.IGNORECASE)
#: Parameters of the readers that are called otherwise here.
READER_NAMES = {
    "source": "FILE",
    "higher_is_better": "--higher or --lower",
    "task_weights": "--weight",
    "task_families": "--family",
}


class Typed(SimpleNamespace):
    """What was typed, by the names of options, which are those of the readers' parameters."""

    def given(self, *names: str) -> dict[str, Any]:
        """Return the values of these options, those that were given."""
        return {name: value for name in names if (value := getattr(self, name, None))}


# -- options --------------------------------------------------------------------------------------


def _column(name: str, about: str) -> Option:
    return Option(f"--{name}", metavar="COLUMN", help=about)


def _aliases(_: click.Context, asked: click.Parameter, texts: Sequence[str]) -> dict[str, str]:
    return split(asked.opts[0], texts, "SPELLING=NAME")


def _spellings(
    _: click.Context, asked: click.Parameter, texts: Sequence[str]
) -> dict[str, list[str]]:
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
    Option(
        "--lower",
        metavar="TASK",
        multiple=True,
        help="Lower is better on TASK, and higher on the others.",
    ),
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
#: Options of what was read, by its type.
OF_DATA = {
    "ScoreTable": ("weight", "groups", "family", "tolerance", "drop", "unranked"),
    "ScoreSummary": ("weight", "unranked"),
    "Profile": ("drop", "unranked"),
}


def options_of(kind: DataKind) -> set[str]:
    """Return the options with a meaning for a kind: parameters of its reader, and of its data."""
    functions, returns = [kind.read], kind.returns
    if returns == "DataFrame":
        functions, returns = [kind.read, score_table], "ScoreTable"
    taken = {name for function in functions for name in signature(function).parameters}
    taken |= {str(one.name) for one in DIRECTIONS if "higher_is_better" in taken}
    taken |= {"named_by"} if kind.page == "lists" else set()
    return taken.union(OF_DATA.get(returns, ())).intersection(NAMES)


def check_options(kind: DataKind, typed: Typed) -> None:
    """Raise where an option is given that has no meaning for a kind."""
    for name in typed.given(*NAMES):
        if name not in options_of(kind):
            others = " or ".join(one.name for one in KINDS.values() if name in options_of(one))
            told = f"{option_of(name)} has no meaning for {kind.what}; it is for --format {others}."
            raise click.UsageError(told)


# -- reading --------------------------------------------------------------------------------------


def read(kind: DataKind, typed: Typed) -> tuple[Data, tuple[str, ...]]:
    """Return the data that options name, and what the reader of the output must know of them."""
    _, *parameters = signature(kind.read).parameters.values()
    given = _arguments(kind, typed, parameters)
    source = typed.files if kind.takes_many and len(typed.files) > 1 else typed.file
    if kind.returns == "Comparisons":
        source = read_table(typed.file, **typed.given("max_bytes"))
    found: Any = kind.read(source, **given)
    notes: Iterable[str] = ()
    if isinstance(found, pd.DataFrame):
        options = {name: getattr(typed, name) for name in [*signature(score_table).parameters][1:]}
        found, notes = score_table(found, **options)
    elif isinstance(found, CastVotes):
        found, notes = found.profile, found.lines()
    elif isinstance(found, ra.Comparisons):
        notes = _comparisons_noted(source, given)
    elif isinstance(found, ra.ScoreTable):
        if typed.lower:
            lower = labels_of("--lower", typed.lower, found.tasks, "task")
            given["higher_is_better"] = {task: task not in lower for task in found.tasks}
            found = kind.read(source, **given)
        notes = _directions_noted(found) if "higher_is_better" in given else ()
    elif kind.page == "lists":
        found, notes = _lists_named(found, typed.named_by)
    elif isinstance(found, ra.ScoreSummary):
        found = _weighted(found, typed)
    if kind.title_and_seats is not None:
        known = kind.title_and_seats(typed.file, **typed.given("max_bytes"))
        typed.title, typed.seats = known
    if typed.drop and all(one.name != "drop" for one in parameters):
        found = _without(found, typed.drop)
    return _reshaped(found, typed), tuple(notes)


def _arguments(kind: DataKind, typed: Typed, parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return what the reader is called with, but for the file."""
    names = [one.name for one in parameters]
    given = typed.given(*names)
    if "higher_is_better" in names:
        if typed.lower_is_better and typed.lower:
            raise click.UsageError("--lower-is-better covers every task; leave --lower out.")
        given["higher_is_better"] = not typed.lower_is_better
    needed = [one.name for one in parameters if one.default is Parameter.empty]
    if lacking := [option_of(name) for name in needed if name not in given]:
        told = f"--format {kind.name} needs the columns: give {' and '.join(lacking)}."
        raise click.UsageError(told)
    if "weight" in given:
        if len(typed.weight) > 1:
            raise click.UsageError(f"--format {kind.name} takes one --weight COLUMN.")
        given["weight"] = typed.weight[0]
    if "outcome" in given and len(names_of(typed.outcome)) == 1:
        (given["outcome"],) = names_of(typed.outcome)
    return given


def _directions_noted(table: ra.ScoreTable) -> list[str]:
    """Return a note of tasks on which lower seems better and higher is taken for it."""
    higher = [task for task in table.tasks if table.higher_is_better[task]]
    words = {task: set(map(str.lower, BETWEEN.split(str(task)))) for task in higher}
    seem = [task for task in higher if OF_LOWER & words[task] or SAYS_LOWER.search(str(task))]
    told = f"higher is taken for better on {listing(seem)}" if seem else ""
    return [f"note: {told}; --lower TASK says otherwise"] if seem else []


def _lists_named(data: ra.Profile, named_by: int | None) -> tuple[ra.Profile, list[str]]:
    """Return lists of the items that so many name, and what the lists were."""
    lists, named = len(data), data.times_ranked()
    times = list(named.values())
    both = f"{times.count(lists)} in all of them, {times.count(1)} in one alone"
    told = f"lists: {lists}, which name {counted(data.n_items, 'item')}: {both}"
    if named_by:
        kept = [item for item, number in named.items() if number >= named_by]
        left = counted(data.n_items - len(kept), "item")
        told += f"; left out: {left} that fewer than {counted(named_by, 'list')} name"
        data = data.restrict(kept)
    return data, [told]


def _comparisons_noted(table: Any, given: dict[str, Any]) -> list[str]:
    """Return what outcomes are taken for, and the columns that are left out."""
    taken = {name for value in given.values() for name in names_of(value)}
    left = [name for name in table.header if str(name) not in taken]
    meant, dropped = given.get("outcome_is"), given.get("drop_outcome", ())
    notes = [outcomes_taken(table, given["outcome"], meant, dropped)]
    if left:
        notes.append(f"left out: {listing(left)} (--cluster, --covariate take them)")
    return notes


def _reshaped(data: Data, typed: Typed) -> Data:
    """Return a table with the groups, weights and families of tasks that were asked for."""
    if not isinstance(data, ra.ScoreTable):
        return data
    groups: dict[Label, list[Label]] = {}
    for new, members in split("--group", typed.groups, "NEW=TASK,TASK", last=False).items():
        names = [member.strip() for member in members.split(",") if member.strip()]
        groups[new] = labels_of("--group", names, data.tasks, "task")
    data = _weighted(data.group_tasks(groups) if groups else data, typed)
    named = split("--family", typed.family, "TASK=NAME")
    tasks = labels_of("--family", named, data.tasks, "task")
    families = dict(zip(tasks, named.values(), strict=True))
    return data.with_task_families(families) if families else data


def _weighted(data: Summed, typed: Typed) -> Summed:
    weights = weights_of("--weight", typed.weight, data.tasks, "task")
    return data.with_task_weights(weights) if weights else data


def _without(data: ra.ScoreTable | ra.Profile, drop: Sequence[str]) -> Data:
    """Return data without some tasks of scores, or items of ballots."""
    if isinstance(data, ra.ScoreTable):
        return data.drop(tasks=labels_of("--drop", drop, data.tasks, "task"))
    out = labels_of("--drop", drop, data.items, "item")
    kept = [label for label in data.items if label not in out]
    if not kept:
        raise InvalidInputError("--drop", "fewer than all items", list(drop))
    return data.restrict(kept)


def _bundled_scores(name: str) -> ra.ScoreTable:
    """Return a bundled table."""
    return ra.datasets.load(name)  # type: ignore[return-value]


def _bundled_ballots(name: str) -> ra.Profile:
    """Return bundled ballots."""
    return ra.datasets.load(name)  # type: ignore[return-value]


#: The kinds of bundled data.
BUNDLED = {
    "scores": DataKind(
        "scores", "--dataset, which knows its columns and directions", _bundled_scores
    ),
    "ballots": DataKind("ballots", "--dataset with ballots", _bundled_ballots),
}


# -- which kind -----------------------------------------------------------------------------------


def kind_of(typed: Typed, formats: Sequence[str]) -> tuple[DataKind, tuple[str, ...]]:
    """Return the kind that --format, the names of files or their content say, and a note of it."""
    kind, notes = _stated_kind(typed, formats)
    if kind.name not in formats:
        raise click.UsageError(_not_read(f"{typed.source} holds {kind.name}", formats))
    return kind, notes


def _not_read(what: str, formats: Iterable[str]) -> str:
    command = click.get_current_context().info_name
    return f"{what}; {command} reads only {', '.join(formats)}."


def _stated_kind(typed: Typed, formats: Sequence[str]) -> tuple[DataKind, tuple[str, ...]]:
    if typed.dataset:
        with options_named({"name": "--dataset"}):
            name = ra.datasets.info(typed.dataset).kind
        return BUNDLED[name], ()
    kind = KINDS.get(typed.format)
    for one in KINDS.values() if kind is None else ():
        if one.recognizes_names is not None and one.recognizes_names(typed.files):
            kind = one
    if len(typed.files) > 1 and not (kind and kind.takes_many):
        raise click.UsageError(
            f"Give one FILE, not {len(typed.files)}: several are read together where they hold "
            "evaluations (--format evaluations) or a ranked list each (--format lists)."
        )
    return _recognized(typed, formats) if kind is None else (kind, ())


def _recognized(typed: Typed, formats: Sequence[str]) -> tuple[DataKind, tuple[str, ...]]:
    """Return the kind that a content says it is of; what it says of columns is as if typed."""
    with options_named(READER_NAMES):
        found = ra.recognize(typed.file, drop=typed.drop, **typed.given("max_bytes"))
    first = found.readings[0] if found.readings else None
    if first is not None and KINDS[first.format].readings is None:
        return KINDS[first.format], ()
    given = typed.given(*NAMES)
    tables = [name for name in formats if KINDS[name].readings is not None]
    fits = [name for name in tables if set(given) <= options_of(KINDS[name])]
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
    if not readings:
        if said:
            return KINDS[said], ()
        if first is not None and first.format not in formats:
            held = f"{typed.source} holds {option_words(first.what)}"
            raise click.UsageError(_not_read(held, formats))
        told = f"{typed.source} is not recognized; --format says what it holds"
        columns = "; --first, --second and --outcome name the columns of comparisons"
        raise click.UsageError(f"{told}{columns if 'comparisons' in formats else ''}.")
    one, *others = readings
    # An election can use nothing else.
    is_election = all(KINDS[name].holds_ballots for name in formats)
    is_certain = found.is_certain or (not others and is_election and not said)
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
    kind = KINDS[one.format]
    if not left and (said or one.format == "scores"):
        return kind, ()
    remedy = "(use --format to read it as something else)"
    return kind, (f"note: {typed.source} is read as {one.what} {remedy}",)


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
