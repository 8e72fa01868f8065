"""Data of commands: the options that say what they are, what is read, and the lines about it.

Which options mean something for a kind of data follows from the signature of its reader.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import Parameter, signature
from pathlib import Path
from shlex import join
from tempfile import TemporaryDirectory
from time import monotonic
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

import rankagg as ra
from rankagg.cli.command import Options, option_of, option_words, options_named
from rankagg.cli.notes import comparisons_noted, directions_noted, lists_noted
from rankagg.cli.options import DATA_OPTIONS, DIRECTIONS, NAMES, labels_of, split
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError, visible

if TYPE_CHECKING:
    from rankagg._typing import Label
    from rankagg.aggregation import Data, Evidence
    from rankagg.core import ItemSet
    from rankagg.io.table_readings import FileReading
    from rankagg.kinds import DataKind

#: What stands for the standard input, and what messages call it.
DASH, NAME = "-", "standard input"
_ONCE = "The standard input can be read once only: give one `-`."
# So many tasks are named.
_TASKS_NAMED = 40
# So many bytes say whether a stream holds JSON Lines, and so many are read at a time.
_BEGIN, _PIECE = 2**12, 2**20
# Parameters of the readers that are called otherwise here.
_READER_NAMES = {
    "source": "FILE",
    "higher_is_better": "--lower",
    "task_weights": "--weight",
}
# Options that say how numbers are written.
_OF_NUMBERS = {"missing", "errors", "percent", "decimal"}
# Options of what was read, by its type.
_OF_DATA = {
    "ScoreTable": ("weight", "groups", "tolerance", "drop", "unranked"),
    "ScoreSummary": ("weight", "unranked"),
    "Profile": ("drop", "unranked"),
    "CastVotes": ("drop",),
}

# -- options --------------------------------------------------------------------------------------


def data(*more: click.Option, whole: bool = False, ballots: bool = False) -> Options:
    """Return the options of data as `given`: sums of scores too, unless they must be `whole`.

    What holds no `ballots` is refused where these are needed; `more` are options of one command.
    """
    files = click.Argument(["files"], metavar="[FILE]...", nargs=-1, type=click.Path())
    read = partial(_read_input, whole=whole, ballots=ballots)
    return Options("given", [files, *DATA_OPTIONS, *more], read)


def two_tables() -> Options:
    """Return the options of a table of scores as `given`, and of the one before, read alike."""
    files = [click.Argument([name], type=click.Path()) for name in ("old", "new")]
    options = [one for one in DATA_OPTIONS if one.name != "dataset"]

    def read(*, old: str, new: str, **values: Any) -> Input:
        return _read_input(files=(new,), before=old, dataset=None, **values)

    return Options("given", [*files, *options], read)


# -- what was read --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Input:
    """What was read, and how."""

    # Of any kind that the command takes.
    data: Any
    tolerance: float
    # What the reader of the output must know, the direction of scores first.
    lines: tuple[str, ...]
    # Of the file or data set.
    name: str
    # The kind of its page, and its column of clusters; empty where the type of the data says it.
    page: str = ""
    cluster: str = ""
    # What the file says that it is about, or its name.
    title: str = ""
    # Cast votes before they were ballots.
    cast: Any = None
    # When reading began, by the clock of `time.monotonic`.
    began: float = 0.0
    # The version before.
    before: ra.ScoreTable | None = None
    # The comparisons of each category, where a column of these is named.
    categories: dict[Label, ra.Comparisons] = field(default_factory=dict)

    def need(self, types: Any, what: str, remedy: str = "") -> None:
        """Refuse data of other types than these."""
        if not isinstance(self.data, types):
            raise click.UsageError(f"{what}; these data do not hold them.{remedy}")

    def refuse_sums(self) -> None:
        """Refuse what scores add up to."""
        if isinstance(self.data, ra.ScoreSummary):
            command = click.get_current_context().info_name
            raise click.UsageError(
                f"{self.name} holds what scores add up to, and {command} needs the scores "
                "themselves: give it the file of these."
            )

    def refuse_pairs(self, what: str, verb: str = "hold them") -> None:
        """Refuse results of pairs, which do not hold more."""
        if self.holds_pairs:
            these = "comparisons do" if isinstance(self.data, ra.Comparisons) else "a matrix does"
            raise click.UsageError(f"{what}; {these} not {verb}.")

    @property
    def seats(self) -> int:
        """How many the file says are elected; 0 where it does not say."""
        return 0 if self.cast is None else int(self.cast.seats)

    @property
    def evidence(self) -> Evidence:
        """What rules take: the data, with the tolerance of scores."""
        from rankagg.aggregation import Evidence

        return Evidence(self.data, self.tolerance)

    @property
    def holds_pairs(self) -> bool:
        """Whether these are results of pairs, which hold no rankings."""
        return isinstance(self.data, ra.PairwiseMatrix | ra.Comparisons)


class _Typed(SimpleNamespace):
    """What was typed, by the names of options, which are those of the readers' parameters."""

    # Whether this is one of two tables of scores that are read alike.
    has_other = False

    def given(self, *names: str) -> dict[str, Any]:
        """Return the values of these options, those that were given."""
        return {name: value for name in names if (value := getattr(self, name, None))}

    def present(self, names: Iterable[str], tasks: ItemSet) -> list[str]:
        """Return names of tasks; of two tables read alike, those that are in this one."""
        from rankagg.core import raw_text

        known = set(map(raw_text, tasks))
        return [name for name in names if name in known or not self.has_other]


def _read_input(*, before: str | None = None, **values: Any) -> Input:
    """Read what the options name, and a table before, if there is one, by the same options."""
    if before is None:
        return _read_one(**values)
    from rankagg.core import ItemSet

    if before == DASH in values["files"]:
        raise click.UsageError(_ONCE)
    given, old = (
        _read_one(**{**values, **source, "has_other": True})
        for source in ({}, {"files": (before,), "dataset": None})
    )
    tasks = ItemSet(dict.fromkeys([*given.data.tasks, *old.data.tasks]))
    labels_of("--lower", values["lower"], tasks, "task")
    labels_of("--weight", split("--weight", values["weight"], "TASK=NUMBER"), tasks, "task")
    lines = (f"before: {line}" for line in old.lines if line not in given.lines)
    return replace(given, before=old.data, lines=(*given.lines, *lines))


def _read_one(*, whole: bool = False, ballots: bool = False, **values: Any) -> Input:
    """Read what the options name: where needed, ballots alone, or no sums."""
    from rankagg.io.cast_votes import CastVotes
    from rankagg.kinds import KINDS

    began, typed = monotonic(), _Typed(**values)
    files, dataset = typed.files, typed.dataset
    if (not files) == (dataset is None):
        raise click.UsageError(
            "Give either FILE or --dataset NAME; `rankagg list datasets` lists names."
        )
    formats = [
        kind.name
        for kind in KINDS.values()
        if (kind.holds_ballots if ballots else kind.has_commands)
        and (not typed.has_other or kind.returns == "ScoreTable")
    ]
    with buffered(files) as paths:
        typed.files, typed.file = paths, paths[0] if paths else dataset
        if dataset:
            name, typed.source = dataset, f"data set {dataset}"
        elif DASH in files:
            name = typed.source = NAME
        else:
            more = f" and {len(files) - 1} more" if len(files) > 1 else ""
            path = Path(files[0])
            name, typed.source = (path.name or path.resolve().name) + more, files[0] + more
        kind, noted = _kind(typed, formats)
        _check_options(kind, typed)
        with options_named(_READER_NAMES), _warnings_noted() as notes:
            try:
                found, lines = _read(kind, typed)
                categories = _categories(kind, typed, found)
            except DataFormatError:
                # What is refused may be of another kind.
                for line in noted:
                    click.echo(visible(line), err=True)
                raise
            cast = found if isinstance(found, CastVotes) else None
            if cast is not None:
                found, lines = cast.profile, cast.lines()
            if typed.unranked and not isinstance(found, ra.Comparisons):
                found = found.with_unranked(typed.unranked)
            title = kind.stated_title(typed.file) if cast is None else cast.title
    given = Input(
        data=found,
        tolerance=typed.tolerance or 0.0,
        lines=(*_input_lines(found, kind, typed), *lines, *noted, *notes),
        name=name,
        page=kind.page,
        cluster=typed.cluster or "",
        title=title or name,
        cast=cast,
        began=began,
        categories=categories,
    )
    if whole:
        given.refuse_sums()
    return given


@contextmanager
def buffered(files: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Return the paths of files; the standard input is kept in one, as some kinds need seeking."""
    from rankagg.io.tables.sources import MAX_BYTES, PER_BYTE, check_memory

    if files.count(DASH) > 1:
        raise click.UsageError(_ONCE)
    if DASH not in files:
        yield files
        return
    with TemporaryDirectory(prefix="rankagg-") as folder:
        path = Path(folder) / NAME
        try:
            with path.open("wb") as target:
                while piece := sys.stdin.buffer.read(_PIECE):
                    target.write(piece)
                    check_memory(DASH, PER_BYTE * target.tell(), MAX_BYTES)
        except DataFormatError:
            raise
        except (OSError, RuntimeError, ValueError, AttributeError) as error:
            reason = getattr(error, "strerror", None) or "It is closed"
            raise InvalidInputError("FILE", "a readable file", DASH, f"{reason}.") from None
        # JSON Lines are recognized by the name, which a stream has not.
        with path.open("rb") as file:
            first, *rest = file.read(_BEGIN).removeprefix(b"\xef\xbb\xbf").split(b"\n")
        objects = [line.strip() for line in (first, *rest[:1])]
        is_lines = len(rest) > 1 and all(x[:1] == b"{" and x[-1:] == b"}" for x in objects)
        named = path.rename(path.with_suffix(".jsonl" if is_lines else ""))
        yield tuple(str(named) if file == DASH else file for file in files)


@contextmanager
def _warnings_noted() -> Iterator[list[str]]:
    """Return warnings of readers as lines about the data too."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        yield notes
    for one in {str(warning.message): warning for warning in caught}.values():
        if issubclass(one.category, DataWarning):
            notes.append(f"note: {one.message}")
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def _input_lines(found: Data, kind: DataKind, typed: _Typed) -> list[str]:
    """Return what the reader of the output must know: what the data are first."""
    source = visible(f"read: {typed.source}, {repr(found)[1:-1]}")
    left = [f"left out: {', '.join(typed.drop)}"] if typed.drop else []
    if isinstance(found, ra.ScoreTable | ra.ScoreSummary):
        first, *rest = score_lines(found)
        lines = [first, source, *left, *rest]
        if typed.tolerance:
            lines.append(f"tolerance: scores within {typed.tolerance:g} are tied")
        elif isinstance(found, ra.ScoreTable) and (near := found.near_ties()):
            from rankagg.core import counted

            lines.append(
                f"note: {counted(near, 'pair')} of scores differ only beyond 7 significant "
                "digits; --tolerance would tie them"
            )
        return lines
    first = "ballots: rank 1 is the best"
    if isinstance(found, ra.PairwiseMatrix):
        first = "matrix: row above column"
    elif isinstance(found, ra.Comparisons):
        first = "comparisons: ties stay ties"
    return [*([] if kind.page else [first]), source, *left]


def score_lines(table: ra.ScoreTable | ra.ScoreSummary) -> list[str]:
    """Return the direction of scores, their tasks, weights, and instances without any score."""
    from rankagg.core import counted, listing

    lower = [str(task) for task, higher in table.higher_is_better.items() if not higher]
    direction = "lower is better" if len(lower) == table.n_tasks else "higher is better"
    if 0 < len(lower) < table.n_tasks:
        direction += f", but lower is better on {', '.join(lower)}"
    lines = [f"scores: {direction}", visible(f"tasks: {listing(table.tasks, _TASKS_NAMED)}")]
    weights = {task: weight for task, weight in table.task_weights.items() if weight != 1}
    if weights:
        stated = ", ".join(f"{task} {weight:g}" for task, weight in weights.items())
        lines.append(f"task weights other than 1: {stated}")
    if isinstance(table, ra.ScoreSummary) and table.n_empty:
        lines.append(f"left out: {counted(table.n_empty, 'instance')} without any score")
    return lines


# -- reading by kind ------------------------------------------------------------------------------


def _options_of(kind: DataKind) -> set[str]:
    """Return the options with a meaning for a kind: parameters of its reader, and of its data."""
    taken = {*signature(kind.read).parameters, *_OF_DATA.get(kind.returns, ())}
    if "higher_is_better" in taken:
        taken |= {str(one.name) for one in DIRECTIONS}
    return taken.intersection(NAMES)


def _check_options(kind: DataKind, typed: _Typed) -> None:
    """Raise where an option is given that has no meaning for a kind."""
    from rankagg.kinds import KINDS

    for name in typed.given(*NAMES):
        if name not in _options_of(kind):
            others = " or ".join(one.name for one in KINDS.values() if name in _options_of(one))
            raise click.UsageError(
                f"{option_of(name)} has no meaning for {kind.what}; it is for --format {others}."
            )


def _read(kind: DataKind, typed: _Typed) -> tuple[Any, Iterable[str]]:
    """Return the data that options name, and notes about them."""
    from rankagg.io.tables.reading import read_table

    _, *parameters = signature(kind.read).parameters.values()
    given = _arguments(kind, typed, parameters)
    source: Any = typed.files if kind.takes_many and len(typed.files) > 1 else typed.file
    if kind.returns == "Comparisons":
        source = read_table(typed.file)
    found: Any = kind.read(source, **given)
    notes: Iterable[str] = ()
    if isinstance(found, ra.Comparisons):
        notes = comparisons_noted(source, {**given, **typed.given("category")})
    elif isinstance(found, ra.ScoreTable) and "higher_is_better" in given:
        if typed.lower:
            names = typed.present(typed.lower, found.tasks)
            lower = labels_of("--lower", names, found.tasks, "task")
            given["higher_is_better"] = {task: task not in lower for task in found.tasks}
            found = kind.read(source, **given)
        notes = directions_noted(found)
    elif kind.page == "lists":
        notes = [lists_noted(found)]
    if typed.drop and all(one.name != "drop" for one in parameters):
        found = _without(found, typed.drop)
    if isinstance(found, ra.ScoreTable):
        groups: dict[Label, list[Label]] = {}
        for new, members in split("--group", typed.groups, "NEW=TASK,TASK", last=False).items():
            names = [member.strip() for member in members.split(",") if member.strip()]
            groups[new] = labels_of("--group", names, found.tasks, "task")
        found = found.group_tasks(groups) if groups else found
    if isinstance(found, ra.ScoreTable | ra.ScoreSummary):
        numbers = _named_numbers("--weight", typed.weight, "TASK=NUMBER")
        weights = {name: numbers[name] for name in typed.present(numbers, found.tasks)}
        tasks = labels_of("--weight", weights, found.tasks, "task")
        by_task = dict(zip(tasks, weights.values(), strict=True))
        found = found.with_task_weights(by_task) if weights else found
    return found, notes


def _categories(kind: DataKind, typed: _Typed, found: Any) -> dict[Label, ra.Comparisons]:
    """Return the comparisons of each category in the column that --category names."""
    if not typed.given("category"):
        return {}
    if not isinstance(found, ra.Comparisons):
        raise click.UsageError(f"--category is for comparisons; {typed.source} holds {kind.what}.")
    _, *parameters = signature(kind.read).parameters.values()
    given = {**_arguments(kind, typed, parameters), "cluster": typed.category}
    with options_named({"cluster": "--category"}), warnings.catch_warnings():
        # Read once more, so that each comparison has the category of its row.
        warnings.simplefilter("ignore", DataWarning)
        again = kind.read(typed.file, **given)
    names = enumerate(again.cluster_labels)
    return {name: found.take(again.clusters == k) for k, name in names}


def _arguments(kind: DataKind, typed: _Typed, parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return what the reader is called with, but for the file."""
    from rankagg.io.tables.columns import names_of

    names = [one.name for one in parameters]
    given = typed.given(*names)
    if "higher_is_better" in names:
        if typed.lower_is_better and typed.lower:
            raise click.UsageError("--lower-is-better covers every task; leave --lower out.")
        given["higher_is_better"] = not typed.lower_is_better
    needed = [one.name for one in parameters if one.default is Parameter.empty]
    if lacking := [option_of(name) for name in needed if name not in given]:
        raise click.UsageError(
            f"--format {kind.name} needs the columns: give {' and '.join(lacking)}."
        )
    if "weight" in given:
        if len(typed.weight) > 1:
            raise click.UsageError(f"--format {kind.name} takes one --weight COLUMN.")
        given["weight"] = typed.weight[0]
    if "outcome" in given and len(names_of(typed.outcome)) == 1:
        (given["outcome"],) = names_of(typed.outcome)
    return given


def _named_numbers(option: str, texts: Iterable[str], form: str) -> dict[str, float]:
    """Return names and numbers of texts NAME=NUMBER, each name once."""
    from rankagg._validation import ascii_number

    found = {}
    for name, value in split(option, texts, form).items():
        try:
            found[name] = float(ascii_number(value))
        except ValueError:
            raise InvalidInputError(option, form, f"{name}={value}") from None
    return found


def anchor_of(text: str | None, items: ItemSet, *, is_rated: bool = True) -> dict[Label, float]:
    """Return the item of --anchor with its rating, or 0 without ratings; may be empty."""
    texts = [] if text is None else [text]
    typed = dict.fromkeys(texts, 0.0)
    if is_rated:
        typed = _named_numbers("--anchor", texts, "ITEM=RATING")
    labels = labels_of("--anchor", typed, items, "item")
    return dict(zip(labels, typed.values(), strict=True))


def _without(data: Any, drop: Sequence[str]) -> Any:
    """Return data without some tasks of scores, or items of ballots."""
    if isinstance(data, ra.io.CastVotes):
        return replace(data, profile=_without(data.profile, drop))
    if isinstance(data, ra.ScoreTable):
        return data.drop(tasks=labels_of("--drop", drop, data.tasks, "task"))
    out = labels_of("--drop", drop, data.items, "item")
    kept = [label for label in data.items if label not in out]
    if not kept:
        raise InvalidInputError("--drop", "fewer than all items", list(drop))
    return data.restrict(kept)


# -- which kind -----------------------------------------------------------------------------------


def _bundled_scores(name: str) -> ra.ScoreTable:
    return ra.datasets.load(name)  # type: ignore[return-value]


def _bundled_ballots(name: str) -> ra.Profile:
    return ra.datasets.load(name)  # type: ignore[return-value]


def _kind(typed: _Typed, formats: Sequence[str]) -> tuple[DataKind, tuple[str, ...]]:
    """Return the kind that --format, the names of files or their content say, and a note of it."""
    from rankagg.kinds import KINDS, DataKind

    if typed.dataset:
        with options_named({"name": "--dataset"}):
            name = ra.datasets.info(typed.dataset).kind
        what = "--dataset, which knows its columns and directions"
        kind: DataKind | None = DataKind("scores", what, _bundled_scores)
        if name == "ballots":
            kind = DataKind("ballots", "--dataset with ballots", _bundled_ballots)
    else:
        kind = KINDS.get(typed.format)
        for one in KINDS.values() if kind is None else ():
            if one.recognizes_names is not None and one.recognizes_names(typed.files):
                kind = one
        if len(typed.files) > 1 and not (kind and kind.takes_many):
            raise click.UsageError(
                f"Give one FILE, not {len(typed.files)}: several are read together where they hold "
                "a ranked list each (--format lists)."
            )
    notes: tuple[str, ...] = ()
    if kind is None:
        kind, notes = _recognized(typed, formats)
    if kind.name not in formats:
        if not kind.has_commands:
            raise click.UsageError(
                f"{typed.source} holds {kind.what}, of which scores are chosen in Python: read "
                f"them by `rankagg.{kind.call}`, and give a table of those that you choose."
            )
        raise click.UsageError(_not_read(f"{typed.source} holds {kind.name}", formats))
    return kind, notes


def _not_read(what: str, formats: Iterable[str]) -> str:
    command = click.get_current_context().info_name
    return f"{what}; {command} reads only {', '.join(formats)}."


def _recognized(typed: _Typed, formats: Sequence[str]) -> tuple[DataKind, tuple[str, ...]]:
    """Return the kind that a content says it is of; what it says of columns is as if typed."""
    from rankagg.io.tables.columns import names_of
    from rankagg.kinds import KINDS

    with options_named(_READER_NAMES):
        found = ra.recognize(typed.file, drop=typed.drop)
    first = found.readings[0] if found.readings else None
    if first is not None and not KINDS[first.format].is_table:
        return KINDS[first.format], ()
    given = typed.given(*NAMES)
    tables = [name for name in formats if KINDS[name].is_table]
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
    if not readings and said:
        return KINDS[said], ()
    if not readings and first is not None and first.format not in formats:
        held = f"{typed.source} holds {option_words(first.what)}"
        raise click.UsageError(_not_read(held, formats))
    if not readings:
        columns = "; --first, --second and --outcome name the columns of comparisons"
        raise click.UsageError(
            f"{typed.source} is not recognized; --format says what it holds"
            f"{columns if 'comparisons' in formats else ''}.{_repeated_name(typed.file)}"
        )
    one, *others = readings
    # An election, or the changes of scores, can use nothing else.
    is_limited = typed.has_other or all(KINDS[name].holds_ballots for name in formats)
    is_certain = found.is_certain or (not others and is_limited and not said)
    parameters = one.parameters or {}
    if "drop" in parameters:
        # What was typed is among it.
        given["drop"] = typed.drop = names_of(parameters["drop"])
    left = {name: x for name, x in parameters.items() if name not in given}
    if said == "scores" and {"task", "score"} <= set(given) and set(left) <= {"system"}:
        is_certain = True
    if one.parameters is None and not others and given.keys() & _OF_NUMBERS:
        # The reader refuses cells that the options do not explain.
        return KINDS[one.format], ()
    if one.parameters is None or (not is_certain and (others or left or not said)):
        what = " or ".join(option_words(one.what) for one in readings)
        lines = [f"`{_line(typed, one)}`" for one in readings if one.parameters is not None]
        then = f": type {' or '.join(lines)}" if lines else ""
        raise click.UsageError(f"{typed.source} may hold {what}{then}.")
    for name, value in left.items():
        setattr(typed, name, [value] if name == "weight" else value)
    if not left and (said or one.format == "scores"):
        return KINDS[one.format], ()
    remedy = "(use --format to read it as something else)"
    return KINDS[one.format], (f"note: {typed.source} is read as {one.what} {remedy}",)


def _repeated_name(file: str) -> str:
    """Return a sentence on a column of mostly distinct names that has one twice."""
    from rankagg.io.tables.reading import read_table

    table = read_table(file)
    for column in table.header:
        names = [cell.strip() for cell in table.cells(column, "FILE") if isinstance(cell, str)]
        counts = Counter(name for name in names if name and not name[0].isdigit())
        if counts and len(counts) < counts.total() < 2 * len(counts):
            ((name, _),) = counts.most_common(1)
            return f" {name!r} is in column {column!r} more than once."
    return ""


def _line(typed: _Typed, reading: FileReading) -> str:
    """Return the command that reads a file so."""
    context = click.get_current_context()
    words = ["rankagg", str(context.info_name)]
    # What comes before the file, as a certificate does, or both of two files.
    before = [one for one in context.command.params if isinstance(one, click.Argument)]
    words += [str(context.params[str(one.name)]) for one in before if one.nargs == 1]
    source = DASH if typed.source == NAME else typed.source
    words += [*([] if source in words else [source]), "--format", reading.format]
    for name, value in (reading.parameters or {}).items():
        for one in value if isinstance(value, list) else [value]:
            words += [option_of(name), str(one)]
    return join(words)
