"""Read the data of commands, and describe them in lines.

The signature of a reader decides which options suit its kind of data.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
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
from rankagg.cli.options import DATA_OPTIONS, DIRECTIONS, NAMES, Option, labels_of, split
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError, visible

if TYPE_CHECKING:
    from rankagg._typing import Label
    from rankagg.aggregation import Evidence
    from rankagg.core import ItemSet
    from rankagg.io.table_readings import FileReading
    from rankagg.kinds import DataKind

#: The standard input as an argument, and its name in messages.
DASH, NAME = "-", "standard input"
_ONCE = "The standard input can be read once only: give one `-`."
# Bytes that show whether a stream holds JSON Lines, and bytes read at a time.
_BEGIN, _PIECE = 2**12, 2**20
# Readers, and parameters of readers, with other names here.
_READER_NAMES = {
    "source": "FILE",
    "higher_is_better": "--lower",
    "task_weights": "--weight",
    "read_ballots": "--format ballots",
    "read_cast_votes": "--format cast-votes",
    "read_rankings": "--format lists",
}
# Options that say how numbers are written.
_OF_NUMBERS = {"missing", "errors", "percent", "decimal"}
# Options for data after reading, by type.
_OF_DATA = {
    "ScoreTable": ("weight", "groups", "tolerance", "drop", "unranked"),
    "ScoreSummary": ("weight", "unranked"),
    "Profile": ("drop", "unranked"),
    "CastVotes": ("drop",),
}

# -- options --------------------------------------------------------------------------------------


def data(*more: click.Option, whole: bool = False, ballots: bool = False) -> Options:
    """Return the options of data, as `given`; `more` are options of one command.

    `whole` refuses sums of scores; `ballots` refuses data without ballots.
    """
    files = click.Argument(["files"], metavar="[FILE]...", nargs=-1, type=click.Path())
    read = partial(_read_input, whole=whole, ballots=ballots)
    shared = _but("Scores", "Battles") if ballots else DATA_OPTIONS
    return Options("given", [files, *shared, *more], read)


def two_tables() -> Options:
    """Return the options of two tables of scores, the older as `given.before`."""
    files = [click.Argument([name], type=click.Path()) for name in ("old", "new")]
    options = [one for one in _but("Ballots", "Battles") if one.name != "dataset"]

    def read(*, old: str, new: str, **values: Any) -> Input:
        return _read_input(files=(new,), before=old, dataset=None, **values)

    return Options("given", [*files, *options], read)


def _but(*groups: str) -> list[Option]:
    """Return the options of data without some groups; directions belong to scores."""
    left = DIRECTIONS if "Scores" in groups else []
    return [one for one in DATA_OPTIONS if one.group not in groups and one not in left]


# -- data read ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Input:
    """The data of a command, and how they were read."""

    # Of any kind that the command reads.
    data: Any
    tolerance: float
    # Lines about the data, printed before the answer.
    lines: tuple[str, ...]
    # Name of the file or data set.
    name: str
    # Kind of page and column of clusters; empty if the type of the data decides.
    page: str = ""
    cluster: str = ""
    # Title stated in the file, or its name.
    title: str = ""
    # The cast votes behind the ballots.
    cast: Any = None
    # Start of reading, in seconds of `time.monotonic`.
    began: float = 0.0
    # The older table.
    before: ra.ScoreTable | None = None
    # The comparisons of each category of --category.
    categories: dict[Label, ra.Comparisons] = field(default_factory=dict)

    def need(self, types: Any, needs: str, remedy: str = "") -> None:
        """Refuse data of other types than these."""
        if not isinstance(self.data, types):
            raise click.UsageError(f"{needs}; {self.name} does not hold them.{remedy}")

    def refuse_sums(self, user: str = "", remedy: str = "") -> None:
        """Refuse sums of scores."""
        if isinstance(self.data, ra.ScoreSummary):
            user = user or str(click.get_current_context().info_name)
            raise click.UsageError(
                f"{user} needs the scores, and {self.name} holds only their sums: give the file "
                f"of the scores{remedy}."
            )

    def refuse_pairs(self, needs: str) -> None:
        """Refuse comparisons and matrices, which hold no rankings."""
        if self.holds_pairs:
            these = "comparisons do" if isinstance(self.data, ra.Comparisons) else "a matrix does"
            raise click.UsageError(f"{needs}; {these} not hold them.")

    @property
    def seats(self) -> int:
        """Number of seats that the file states, or 0."""
        return 0 if self.cast is None else int(self.cast.seats)

    @property
    def evidence(self) -> Evidence:
        """The data with the tolerance of scores, as rules take them."""
        from rankagg.aggregation import Evidence

        return Evidence(self.data, self.tolerance)

    @property
    def holds_pairs(self) -> bool:
        """Whether the data are comparisons or a matrix, which hold no rankings."""
        return isinstance(self.data, ra.PairwiseMatrix | ra.Comparisons)


class _Typed(SimpleNamespace):
    """Values of options, named as parameters of readers."""

    # Whether this is one of two tables read with the same options.
    has_other = False

    def given(self, *names: str) -> dict[str, Any]:
        """Return those of these options that have a value."""
        return {name: value for name in names if (value := getattr(self, name, None))}

    def present(self, names: Iterable[str], tasks: ItemSet) -> list[str]:
        """Return names of tasks; of two tables, the names in this one."""
        from rankagg.core import raw_text

        known = set(map(raw_text, tasks))
        return [name for name in names if name in known or not self.has_other]


def _read_input(*, before: str | None = None, **values: Any) -> Input:
    """Read the data, and the table before them, if any, with the same options."""
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
    """Read the data that the options name."""
    from rankagg.cli.notes import input_lines
    from rankagg.io.cast_votes import CastVotes
    from rankagg.kinds import KINDS

    began, typed = monotonic(), _Typed(**{**dict.fromkeys(NAMES), **values})
    files, dataset = typed.files, typed.dataset
    if (not files) == (dataset is None):
        raise click.UsageError(
            "Give either FILE or --dataset NAME; `rankagg list datasets` lists the names."
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
                # The file may be of another kind than the note says.
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
        lines=(*input_lines(found, kind, typed), *lines, *noted, *notes),
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
    """Return the paths of files; the standard input and pipes become files, to be read twice."""
    if files.count(DASH) > 1:
        raise click.UsageError(_ONCE)
    if not any(map(_is_stream, files)):
        yield files
        return
    with TemporaryDirectory(prefix="rankagg-") as folder:
        paths = [_copied(file, folder) if _is_stream(file) else file for file in files]
        yield tuple(map(str, paths))


def _is_stream(file: str) -> bool:
    """Return whether a file can be read only once."""
    with suppress(OSError):
        return file == DASH or Path(file).is_fifo() or Path(file).is_char_device()
    return False


def _copied(file: str, folder: str) -> Path:
    """Return the path of a copy of a stream."""
    from rankagg.io.tables.sources import MAX_BYTES, PER_BYTE, check_memory

    path = Path(folder) / (NAME if file == DASH else Path(file).name)
    try:
        with (
            path.open("wb") as target,
            nullcontext(sys.stdin.buffer) if file == DASH else Path(file).open("rb") as source,
        ):
            while piece := source.read(_PIECE):
                target.write(piece)
                check_memory(file, PER_BYTE * target.tell(), MAX_BYTES)
    except DataFormatError:
        raise
    except (OSError, RuntimeError, ValueError, AttributeError) as error:
        reason = getattr(error, "strerror", None) or "It is closed"
        raise InvalidInputError("FILE", "a readable file", file, f"{reason}.") from None
    # JSON Lines are recognized by their name, which a stream lacks.
    with path.open("rb") as file_again:
        first, *rest = file_again.read(_BEGIN).removeprefix(b"\xef\xbb\xbf").split(b"\n")
    objects = [line.strip() for line in (first, *rest[:1])]
    is_lines = len(rest) > 1 and all(x[:1] == b"{" and x[-1:] == b"}" for x in objects)
    return path.rename(path.with_suffix(".jsonl" if is_lines else ""))


@contextmanager
def _warnings_noted() -> Iterator[list[str]]:
    """Return warnings of readers also as lines about the data."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        yield notes
    for one in {str(warning.message): warning for warning in caught}.values():
        if issubclass(one.category, DataWarning):
            notes.append(f"note: {one.message}")
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


# -- reading by kind ------------------------------------------------------------------------------


def _options_of(kind: DataKind) -> set[str]:
    """Return the options that suit a kind: parameters of its reader, and those of its data."""
    taken = {*signature(kind.read).parameters, *_OF_DATA.get(kind.returns, ())}
    if "higher_is_better" in taken:
        taken |= {str(one.name) for one in DIRECTIONS}
    return taken.intersection(NAMES)


def _check_options(kind: DataKind, typed: _Typed) -> None:
    """Raise if an option does not suit a kind."""
    from rankagg.kinds import KINDS

    for name in typed.given(*NAMES):
        if name not in _options_of(kind):
            *most, last = (one.name for one in KINDS.values() if name in _options_of(one))
            others = f"{', '.join(most)} or {last}" if most else last
            raise click.UsageError(
                f"{option_of(name)} has no meaning for {kind.what}; it is for --format {others}."
            )


def _read(kind: DataKind, typed: _Typed) -> tuple[Any, Iterable[str]]:
    """Return the data, and notes about them."""
    from rankagg.cli.notes import columns_noted, comparisons_noted, lists_noted
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
        notes = _directions_noted(found, typed)
        if typed.score:
            notes += columns_noted(read_table(typed.file), given, "--instance")
    elif kind.page == "lists":
        notes = [lists_noted(found)]
    if typed.drop and all(one.name != "drop" for one in parameters):
        found = _without(found, typed)
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


def _directions_noted(table: ra.ScoreTable, typed: _Typed) -> list[str]:
    """Return a note on doubtful directions; ask unless directions are typed."""
    from rankagg.cli.notes import seem_lower
    from rankagg.core import listing

    higher = [task for task in table.tasks if table.higher_is_better[task]]
    doubtful = seem_lower(higher) or (higher and seem_lower([typed.score or ""]))
    if not doubtful or typed.higher_is_better:
        return []
    if not typed.given("lower", "lower_is_better"):
        lower = [word for task in doubtful for word in ("--lower", str(task))]
        lower = ["--lower-is-better"] if doubtful == [typed.score] else lower
        raise click.UsageError(
            f"{typed.source}: is lower better on {listing(doubtful)}? Then type "
            f"`{_typed_line(*lower)}`; if higher is, `{_typed_line('--higher-is-better')}`."
        )
    return [f"note: higher counts as better on {listing(doubtful)}; --lower TASK reverses this"]


def _categories(kind: DataKind, typed: _Typed, found: Any) -> dict[Label, ra.Comparisons]:
    """Return the comparisons of each category in the column of --category."""
    if not typed.given("category"):
        return {}
    if not isinstance(found, ra.Comparisons):
        raise click.UsageError(f"--category is for comparisons; {typed.source} holds {kind.what}.")
    _, *parameters = signature(kind.read).parameters.values()
    given = {**_arguments(kind, typed, parameters), "cluster": typed.category}
    with options_named({"cluster": "--category"}), warnings.catch_warnings():
        # A second reading gives each comparison the category of its row.
        warnings.simplefilter("ignore", DataWarning)
        again = kind.read(typed.file, **given)
    names = enumerate(again.cluster_labels)
    return {name: found.take(again.clusters == k) for k, name in names}


def _arguments(kind: DataKind, typed: _Typed, parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return the arguments of the reader after the file."""
    from rankagg.core import listing
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
            f"--format {kind.name} needs names of columns: add {listing(lacking)}."
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
    """Return the item of --anchor with its rating, 0 if none is stated; empty without one."""
    texts = [] if text is None else [text]
    typed = dict.fromkeys(texts, 0.0)
    if is_rated:
        typed = _named_numbers("--anchor", texts, "ITEM=RATING")
    labels = labels_of("--anchor", typed, items, "item")
    return dict(zip(labels, typed.values(), strict=True))


def _without(data: Any, typed: _Typed) -> Any:
    """Return data without some tasks or items; candidates of BLT count as withdrawn."""
    from rankagg.io.blt import read_without

    if isinstance(data, ra.io.CastVotes):
        rest = {*_without(data.profile, typed).items}
        return read_without({*data.profile.items} - rest, typed.file, typed.unranked or "last")
    if isinstance(data, ra.ScoreTable):
        return data.drop(tasks=labels_of("--drop", typed.drop, data.tasks, "task"))
    out = labels_of("--drop", typed.drop, data.items, "item")
    kept = [label for label in data.items if label not in out]
    if not kept:
        raise InvalidInputError("--drop", "fewer than all items", list(typed.drop))
    return data.restrict(kept)


# -- kinds of data --------------------------------------------------------------------------------


def _bundled_scores(name: str) -> ra.ScoreTable:
    return ra.datasets.load(name)  # type: ignore[return-value]


def _bundled_ballots(name: str) -> ra.Profile:
    return ra.datasets.load(name)  # type: ignore[return-value]


def _kind(typed: _Typed, formats: Sequence[str]) -> tuple[DataKind, tuple[str, ...]]:
    """Return the kind by --format, names of files or content, and a note if it was detected."""
    from rankagg.kinds import KINDS, DataKind

    if typed.dataset:
        with options_named({"name": "--dataset"}):
            name = ra.datasets.info(typed.dataset).kind
        kind: DataKind | None = DataKind("scores", "scores of known direction", _bundled_scores)
        if name == "ballots":
            kind = DataKind("ballots", "ballots", _bundled_ballots)
    else:
        kind = KINDS.get(typed.format)
        for one in KINDS.values() if kind is None else ():
            if one.recognizes_names is not None and one.recognizes_names(typed.files):
                kind = one
        if len(typed.files) > 1 and not (kind and kind.takes_many):
            raise click.UsageError(
                f"Give one FILE, not {len(typed.files)}; for files with one ranked list each, add "
                "--format lists."
            )
    notes: tuple[str, ...] = ()
    if kind is None:
        kind, notes = _recognized(typed, formats)
    if kind.name not in formats:
        if not kind.has_commands:
            raise click.UsageError(
                f"{typed.source} holds {kind.what}, whose scores must be chosen in Python: read "
                f"them with `rankagg.{kind.call}`, and save the chosen ones as a table."
            )
        raise click.UsageError(_not_read(f"{typed.source} holds {kind.what}", formats))
    return kind, notes


def _not_read(what: str, formats: Sequence[str]) -> str:
    context = click.get_current_context()
    user = "--before" if context.params.get("before") else context.info_name
    takes = "two tables of scores" if [*formats] == ["scores"] else f"only {', '.join(formats)}"
    return f"{what}; {user} reads {takes}."


def _recognized(typed: _Typed, formats: Sequence[str]) -> tuple[DataKind, tuple[str, ...]]:
    """Return the kind by content; the columns that it shows are set as options."""
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
    # Options of only one kind decide the kind.
    chosen = fits[0] if given and len(fits) == 1 else None
    knows_direction = typed.has_other or typed.given("lower", "lower_is_better", "higher_is_better")
    typed_columns = {"system", "task", "instance", "score"} & set(given)
    readings = [
        one
        for one in found.readings
        if one.format in formats
        and chosen in (None, one.format)
        and typed_columns <= set(one.parameters or ())
        and not (knows_direction and "higher_is_better" in (one.parameters or ()))
        # The options name the columns that uncertain comparisons lack.
        and not (chosen == "comparisons" and one.parameters is None)
    ]
    if not readings and chosen:
        return KINDS[chosen], ()
    if not readings and first is not None and first.format not in formats:
        what = f"{typed.source} holds {option_words(first.what)}"
        raise click.UsageError(_not_read(what, formats))
    if not readings:
        columns = ", or name columns of comparisons by --first, --second and --outcome"
        raise click.UsageError(
            f"{typed.source} is of no known kind: state its kind by --format"
            f"{columns if 'comparisons' in formats else ''}.{_repeated_name(typed.file)}"
        )
    one, *others = readings
    # Elections and comparisons of two tables read nothing else.
    is_limited = typed.has_other or all(KINDS[name].holds_ballots for name in formats)
    is_certain = found.is_certain or (not others and is_limited and not chosen)
    parameters = one.parameters or {}
    if "drop" in parameters:
        # These include the columns typed.
        given["drop"] = typed.drop = names_of(parameters["drop"])
    values = [value for name, value in given.items() if name != "outcome_is"]
    taken = [column for value in values for column in names_of(value)]
    left = {name: x for name, x in parameters.items() if name not in given and x not in taken}
    if chosen == "scores" and {"task", "score"} <= set(given) and set(left) <= {"system"}:
        is_certain = True
    if one.parameters is None and not others and given.keys() & _OF_NUMBERS:
        # The reader refuses cells that the options do not explain.
        return KINDS[one.format], ()
    if one.parameters is None or (not is_certain and (others or left or not chosen)):
        what = " or ".join(option_words(one.what) for one in readings)
        lines = [f"`{_line(one)}`" for one in readings if one.parameters is not None]
        then = f": type {' or '.join(lines)}" if lines else ""
        then += "; --only '*' takes all columns" if " --only " in then else ""
        raise click.UsageError(f"{typed.source} may hold {what}{then}.")
    for name, value in left.items():
        setattr(typed, name, [value] if name == "weight" else value)
    if not left and (chosen or one.format == "scores"):
        return KINDS[one.format], ()
    remedy = "(--format overrides this)"
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


def _line(reading: FileReading) -> str:
    """Return the command line as typed, with the options of a reading of the file."""
    from rankagg.io.tables.columns import names_of

    context, words = click.get_current_context(), ["--format", reading.format]
    parameters = {**(reading.parameters or {})}
    words += [] if parameters.pop("higher_is_better", True) else ["--lower-is-better"]
    for name, value in parameters.items():
        # Columns to leave out include those typed.
        left = [one for one in names_of(value) if one not in names_of(context.params[name])]
        words += [word for one in left for word in (option_of(name), str(one))]
    return _typed_line(*words)


def _typed_line(*words: str) -> str:
    """Return the command line as typed, with further words."""
    return join(["rankagg", *click.get_current_context().obj, *words])
