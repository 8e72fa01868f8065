"""Score tables from CSV and TSV files and DataFrames."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np
import pandas as pd

from rankagg._typing import Bools, Directions, Floats, Label, Positions, TaskFamilies, TaskWeights
from rankagg.core import ScoreTable, counted, listed, listing
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError, nearest, shown
from rankagg.io.tables import look
from rankagg.io.tables.columns import (
    MISSING_CODES,
    Coded,
    Numbers,
    NumberStyle,
    names_of,
    warn_of_likeness,
)
from rankagg.io.tables.reading import read_table
from rankagg.io.tables.sources import MAX_BYTES, TableSource, check_filled

if TYPE_CHECKING:
    from rankagg.io.tables.table import Table

Codes: TypeAlias = Positions
#: The values of `only` and `drop`.
Chosen: TypeAlias = tuple[Iterable[Any], Iterable[Any]]


def read_scores(
    source: TableSource,
    *,
    higher_is_better: Directions,
    system: Label | None = None,
    task: Label | None = None,
    instance: Label | None = None,
    score: Label | None = None,
    only: Iterable[Label] = (),
    drop: Iterable[Label] = (),
    task_weights: TaskWeights | None = None,
    task_families: TaskFamilies | None = None,
    decimal: Literal[".", ","] = ".",
    percent: bool = False,
    missing: Iterable[str] = (),
    errors: Literal["refuse", "drop"] = "refuse",
    max_bytes: int = MAX_BYTES,
) -> ScoreTable:
    r"""Read scores of systems on tasks, or on the instances of tasks.

    The named columns choose one of three forms, each with or without `instance`:

    * one column per task (name none): one row per system, or per system and instance;
    * one column per system (`task` alone): one row per task, judge or voter;
    * long (`task` and `score`): one row per score.

    Parameters
    ----------
    source : path, text stream or DataFrame
        A UTF-8 text file with a header, its cells separated by commas, tabs or semicolons,
        compressed by gzip or not; Parquet, JSON Lines or Excel, by its ending. An empty cell, or
        NA, NaN, null, none in any case, is a missing score. Or a DataFrame of pandas, whose index
        becomes the first column unless it is a plain range; of polars; or any other with the Arrow
        PyCapsule interface or the interchange protocol.
    higher_is_better : bool, mapping or Series from task to bool
        Which direction is better, for all tasks or for each; there is no default.
    system : str or int, optional
        The column of systems; by default the first one not in `drop`.
    task, instance, score : str or int, optional
        Columns of the other forms.
    only : str, int or iterable of them, optional
        Tasks to take, by name or pattern ("mmlu*"); columns if each system has one. By default all
        columns of numbers. If a heading suggests no benchmark ("Price", "Hub Likes", "Average"),
        `only` must be given; "*" takes all.
    drop : iterable of str or int, optional
        Tasks to leave out; columns if each system has one.
    task_weights : mapping or Series from task to float, optional
        Positive weights; tasks not named weigh 1.
    task_families : mapping or Series from task to str or int, optional
        Tasks that depend on each other, such as variants of one benchmark; see `ScoreTable`.
    decimal : {".", ","}, default "."
        The decimal separator in text. With a comma, no number has a point: signs of thousands are
        refused, as they are ambiguous.
    percent : bool, default False
        Whether text such as "86.1%" is a number: 0.861. All numbers of a column have the sign, or
        none.
    missing : iterable of str, optional
        Additional words for a missing score, with exact capitals; numbers by their value.
    errors : {"refuse", "drop"}, default "refuse"
        Treatment of "1.2 ± 0.3", "1.2 +- 0.3" and "1.2 (0.3)". "drop" reads the value only: files
        do not state whether the second number is a standard error, a deviation, half an interval or
        a rank.
    max_bytes : int, default 2**30
        Bytes of memory that reading may take.

    Returns
    -------
    ScoreTable

    Warns
    -----
    DataWarning
        Of instances without a score, row numbers and columns without numbers that are left out, of
        the numbers of cells read by `missing`, `errors` and `percent`, and of likely mistakes: a
        row of sums, a word in `missing` that no cell holds.

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg import read_scores
    >>> read_scores(StringIO("system,x,y\nA,1,2\nB,3,\n"), higher_is_better=True)
    <ScoreTable of 2 systems x 2 tasks, 1 of 4 scores missing>
    >>> judged = StringIO("judge,A,B\nAnn,7,6\nBo,9,\n")
    >>> read_scores(judged, higher_is_better=True, task="judge").systems
    ItemSet(['A', 'B'])
    """
    style, drop = NumberStyle.of(decimal, missing, percent, errors), names_of(drop)
    table = read_table(source, style=style, max_bytes=max_bytes)
    if task is None and score is not None:
        allowed = "given together (long form), or `task` alone, or none"
        raise InvalidInputError("task and score", allowed, "score")
    if task is not None and score is None and system is not None:
        allowed = "None where each system has a column (`task` without `score`)"
        raise InvalidInputError("system", allowed, system)
    given = {"task": task, "instance": instance, "score": score}
    keys = {role: name for role, name in given.items() if name is not None}
    if task is None or score is not None:
        first = _first_column(table, drop, keys.values()) if system is None else system
        keys = {"system": first} | keys
    entries = _melt(table, keys, (only, drop))
    entries.column.warn(table.name, style.missing)
    _check_codes(table.name, entries)
    warn_of_likeness(table.name, entries.systems, stacklevel=1)
    scores = _build(table, entries, higher_is_better, task_weights)
    return scores if task_families is None else scores.with_task_families(task_families)


def _first_column(table: Table, drop: Sequence[Any], named: Collection[Any]) -> Any:
    """Return the first column not in `drop`; raise if another one seems to hold the systems."""
    # The first column of a frame may have the name None.
    names = [name for name in table.header if name not in drop] or table.header[:1]
    if look.may_be_scores(table, names[0]):
        raise DataFormatError(
            f"{table.name}: its first column, {shown(names[0])}, holds numbers.",
            "Name the column of systems by `system`, or add one; an index of numbers is left out.",
        )
    if look.is_row_index(table, names[0]):
        others = [name for name in names[1:] if name not in named]
        words = [name for name in others if look.holds_no_numbers(table, name)]
        if words:
            raise DataFormatError(
                f"{table.name}: its first column numbers the rows; words are in {listing(words)}.",
                f"Name the column of systems, such as `system={words[0]!r}`.",
            )
    return names[0]


@dataclass(frozen=True)
class _Entries:
    """A list of scores, each of a system on a unit: a task, or an instance of a task.

    Units are in the order of tasks, and within a task in the order of the file.
    """

    systems: list[Any]
    tasks: list[Any]
    instances: list[Any] | None
    unit_tasks: Codes
    unit_instances: Codes
    at_system: Codes
    at_unit: Codes
    column: Numbers

    def place(self, entry: int) -> str:
        """Return the system and instance of a score."""
        where = f"system {shown(self.systems[self.at_system[entry]])}"
        if self.instances is None:
            return where
        instance = self.instances[self.unit_instances[self.at_unit[entry]]]
        return f"{where}, instance {shown(instance)}"

    def task(self, entry: int) -> str:
        """Return the task of a score."""
        return shown(self.tasks[self.unit_tasks[self.at_unit[entry]]])


def _melt(table: Table, keys: Mapping[str, Any], chosen: Chosen) -> _Entries:
    """Return the list of scores in a table; `keys` are the named columns by parameter.

    Without `score`, the headings of the other columns are tasks, or systems if `task` is given.
    """
    named = list(keys.values())
    table.check_columns(**keys)
    labels = {role: table.coded(name, role) for role, name in keys.items() if role != "score"}
    if "score" in keys:
        column = table.stacked([keys["score"]], "score")
        tasks = labels["task"]
        kept = _chosen(tasks.labels, chosen)
        if not kept:
            raise DataFormatError(f"{table.name} has no tasks left.")
        if len(kept) < len(tasks.labels):
            is_kept = np.isin(np.arange(len(tasks.labels)), [tasks.labels.index(x) for x in kept])
            rows = np.flatnonzero(is_kept[tasks.codes])
            labels = {role: part.take(rows) for role, part in labels.items()}
            column = Numbers(column.values[rows], column.odd)
    else:
        role, what = ("system", "columns") if "task" in keys else ("task", "tasks")
        headings = _chosen_columns(table, named, chosen, what)
        if not headings:
            raise DataFormatError(f"{table.name} has no {what} besides {shown(named[0])}.")
        column = table.stacked(headings, role)
        labels = {x: Coded(np.tile(c.codes, len(headings)), c.labels) for x, c in labels.items()}
        labels[role] = Coded(np.repeat(np.arange(len(headings)), table.n_rows), headings)
    systems, tasks = labels["system"], labels["task"]
    instances = labels.get("instance", Coded(np.zeros_like(tasks.codes), [None]))
    width = len(instances.labels)
    # Units in the order in which they first occur, then by tasks.
    at_key, keys_of_units = pd.factorize(tasks.codes * width + instances.codes)
    order = np.argsort(keys_of_units // width, kind="stable")
    position = np.empty_like(order)
    position[order] = np.arange(len(order))
    units = keys_of_units[order]
    return _Entries(
        systems.labels,
        tasks.labels,
        instances.labels if "instance" in labels else None,
        unit_tasks=units // width,
        unit_instances=units % width,
        at_system=systems.codes,
        at_unit=position[at_key],
        column=column,
    )


def _chosen_columns(table: Table, keys: Sequence[Any], chosen: Chosen, what: str) -> list[Any]:
    """Return the columns to take; raise if some may be no tasks."""
    columns = _chosen([name for name in table.header if name not in keys], chosen, what)
    if names_of(chosen[0]):
        return columns
    tasks, doubtful, _ = look.task_columns(table, columns)
    if doubtful:
        rest = f" ({listed(tasks)} are left)" if tasks else ""
        raise DataFormatError(
            f"{table.name}: {listed(doubtful)} may be no {what}.",
            f"Name those to take with `only`{rest}, or take all with `only='*'`.",
        )
    if what == "columns":
        # Reading the numbers of words reports the wrong cell.
        tasks = [name for name in columns if not look.is_no_name(name)]
    if left := [name for name in columns if name not in tasks]:
        sentence = f"{table.name}: left out, without scores: {listing(left)}."
        warnings.warn(sentence, DataWarning, stacklevel=4)
    return tasks


def _chosen(names: list[Any], chosen: Chosen, what: str = "tasks") -> list[Any]:
    """Return the names in `only`, by default all, without those in `drop`."""
    only, drop = map(names_of, chosen)
    kept = {name for one in only for name in _matching("only", one, names, what)}
    dropped = {name for one in drop for name in _matching("drop", one, names, what)}
    return [name for name in names if (not only or name in kept) and name not in dropped]


def _matching(parameter: str, wanted: Any, names: list[Any], what: str) -> list[Any]:
    """Return the wanted name, or all names that match a pattern."""
    if isinstance(wanted, Hashable) and wanted in names:
        return [wanted]
    is_text = isinstance(wanted, str)
    matches = [name for name in names if is_text and fnmatchcase(str(name), wanted)]
    if not matches:
        allowed = f"{what} of the table ({listed(names)})"
        raise InvalidInputError(parameter, allowed, wanted, nearest(wanted, names))
    return matches


def _build(
    table: Table, entries: _Entries, higher_is_better: Directions, task_weights: TaskWeights | None
) -> ScoreTable:
    name, n_systems, n_units = table.name, len(entries.systems), len(entries.unit_tasks)
    sizes = {"systems": n_systems, "units": n_units}
    check_filled(name, sizes, len(entries.at_unit), table.max_bytes)
    _check_once(name, entries)
    values = np.full((n_systems, n_units), np.nan)
    values[entries.at_system, entries.at_unit] = entries.column.values
    unit_tasks, instances = entries.unit_tasks, None
    if entries.instances is not None:
        kept = _scored_units(name, entries, values)
        if len(kept) < n_units:
            values, unit_tasks = values[:, kept], unit_tasks[kept]
        instances = [entries.instances[code] for code in entries.unit_instances[kept].tolist()]
    return ScoreTable(
        values,
        systems=entries.systems,
        tasks=[entries.tasks[code] for code in unit_tasks.tolist()],
        instances=instances,
        higher_is_better=higher_is_better,
        task_weights=task_weights,
    )


def _check_codes(name: str, entries: _Entries) -> None:
    """Raise if all negative scores are a code for missing ones, and others exceed 1."""
    values = entries.column.values
    negative = np.flatnonzero(values < 0)
    codes = {*values[negative].tolist()}
    if len(negative) > len(codes) == 1 and codes <= {*MISSING_CODES} and np.nanmax(values) > 1:
        at, code = int(negative[0]), f"{codes.pop():g}"
        raise DataFormatError(
            f"{name} has {code} for {entries.place(at)}, task {entries.task(at)}: a code for a "
            "missing score, and no other score is negative.",
            f"`missing` with '{code}' reads it as missing; if it is a score, add a number to all "
            "scores of the task.",
        )


def _check_once(name: str, entries: _Entries) -> None:
    cells = entries.at_system * len(entries.unit_tasks) + entries.at_unit
    times = np.bincount(cells)
    if times.max(initial=0) < 2:
        return
    at = int(np.argmax(cells == np.argmax(times > 1)))
    raise DataFormatError(
        f"{name} has two scores for {entries.place(at)}, task {entries.task(at)}; each may occur "
        "once.",
        "Average several runs of an instance first."
        if entries.instances
        else "`instance=` names the column that distinguishes them.",
    )


def _scored_units(name: str, entries: _Entries, values: Floats) -> Codes:
    empty = cast(Bools, np.isnan(values).all(axis=0))
    scored = np.bincount(entries.unit_tasks[~empty], minlength=len(entries.tasks))
    if (scored == 0).any():
        task = entries.tasks[int(np.argmin(scored))]
        allowed = "a table in which every task has a score"
        remedy = "All cells of this task are missing: leave it out with `drop`."
        raise InvalidInputError("source", allowed, task, remedy)
    if empty.any():
        warnings.warn(
            f"{name}: {int(empty.sum())} of {counted(len(empty), 'instance')} (of one task each) "
            "have no score of any system and were left out.",
            DataWarning,
            stacklevel=4,
        )
    return np.flatnonzero(~empty)
