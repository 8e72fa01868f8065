"""The kind of data that options and a file say, and the call of its reader."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from inspect import Parameter, signature
from shlex import join
from typing import TYPE_CHECKING, Any, TypeVar

import click
import pandas as pd

import rankagg as ra
from rankagg._typing import Label
from rankagg.cli.options.data_options import DIRECTIONS, NAMES, Typed
from rankagg.cli.options.evaluations import score_table
from rankagg.cli.options.typed import labels_of, split, weights_of
from rankagg.cli.options.wording import option_of, option_words, options_named
from rankagg.core import counted, listing
from rankagg.exceptions import InvalidInputError
from rankagg.io.cast_votes import CastVotes
from rankagg.io.comparisons import outcomes_taken
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


#: Options of what was read, by its type.
OF_DATA = {
    "ScoreTable": ("weight", "groups", "family", "tolerance", "drop", "unranked"),
    "ScoreSummary": ("weight", "unranked"),
    "Profile": ("drop", "unranked"),
}


def _options_of(kind: DataKind) -> set[str]:
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
        if name not in _options_of(kind):
            others = " or ".join(one.name for one in KINDS.values() if name in _options_of(one))
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
    fits = [name for name in tables if set(given) <= _options_of(KINDS[name])]
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
