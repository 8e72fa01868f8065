"""Which columns hold what: settled, for every file, before a row is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from rankagg._typing import Directions, Label, TaskWeights
from rankagg._validation import check_flag, check_number
from rankagg.core import ItemSet, listed, named_values
from rankagg.exceptions import DataFormatError, InvalidInputError, nearest, shown
from rankagg.io.output_files import unguard
from rankagg.io.scan.batches import ScanFile, ScanPart, Types, columns_of

# The task of all rows, where no column tells tasks apart.
ONE_TASK = "scores"


@dataclass(frozen=True)
class ScanLayout:
    """The meaning of columns."""

    # The systems; None in the long form as long as they are not known.
    systems: ItemSet | None
    # In the wide form the column of each system; empty in the long form.
    columns: tuple[str, ...]
    # Columns of the long form.
    system: str | None
    score: str | None
    # Columns that say whose row it is.
    task: str | None
    instance: str | None
    # All columns that are read, and their types.
    types: Types
    # The direction of tasks.
    higher_is_better: bool | Mapping[Label, bool]
    # In how many groups instances are added up.
    n_groups: int | None = None
    # Where rows were sorted first: the layout and the parts before, which errors name.
    sorted_from: tuple[ScanLayout, list[ScanPart]] | None = None

    @property
    def is_long(self) -> bool:
        """True where a row is one score."""
        return self.score is not None

    def direction(self, task: Label) -> bool:
        """Return whether higher is better in a task."""
        if not isinstance(self.higher_is_better, Mapping):
            return self.higher_is_better
        if task not in self.higher_is_better:
            allowed = "given for every task"
            remedy = nearest(task, self.higher_is_better)
            raise InvalidInputError("higher_is_better", allowed, task, remedy)
        return self.higher_is_better[task]


def layout_of(
    files: Sequence[ScanFile],
    *,
    higher_is_better: Directions,
    systems: Iterable[str] | None,
    system: str | None,
    task: str | None,
    instance: str | None,
    score: str | None,
) -> ScanLayout:
    """Check the columns of all files, and return what they mean; see `scan_scores`."""
    better = named_values(higher_is_better, "higher_is_better")
    if isinstance(better, Mapping):
        for name, flag in better.items():
            check_flag(flag, f"higher_is_better[{name!r}]")
    else:
        check_flag(better, "higher_is_better", "A mapping states one for each task.")
    if (system is None) != (score is None):
        given = "system" if score is None else "score"
        raise InvalidInputError(
            "system and score", "given together (long form) or not at all (wide form)", given
        )
    named = {"system": system, "task": task, "instance": instance, "score": score}
    taken = [column for column in named.values() if column is not None]
    if len(set(taken)) < len(taken):
        raise InvalidInputError(", ".join(named), "different columns", taken)
    found = [{**columns_of(file), **dict.fromkeys(dict(file.constants))} for file in files]
    first = found[0]
    for file, columns in zip(files[1:], found[1:], strict=True):
        _check_same(files[0], first, file, columns)
        # A column of nulls alone, as empty files have them, has no type of its own.
        first = {name: columns[name] if _is_null(kind) else kind for name, kind in first.items()}
    for parameter, column in named.items():
        if column is not None and column not in first:
            allowed = f"a column of {files[0].path.name} ({listed(list(first))})"
            raise InvalidInputError(parameter, allowed, column, nearest(column, first))
    chosen = None if systems is None else [*systems]
    if score is not None:
        wide: list[str] = []
        known = None if chosen is None else ItemSet(chosen)
    else:
        wide = _system_columns(files[0], first, chosen, taken)
        known = ItemSet(unguard(column) for column in wide)
    numbers = wide if score is None else [score]
    labels = [column for column in (system, task, instance) if column is not None]
    types = _types(files[0], first, numbers, labels)
    return ScanLayout(known, tuple(wide), system, score, task, instance, types, better)


def check_weights(task_weights: TaskWeights | None) -> dict[Label, float]:
    """Return positive weights."""
    weights = {} if task_weights is None else named_values(task_weights, "task_weights")
    if not isinstance(weights, Mapping):
        raise InvalidInputError("task_weights", "a mapping from task to number", weights)
    return {
        task: check_number(weight, f"task_weights[{task!r}]", low=0, open_low=True)
        for task, weight in weights.items()
    }


def _is_null(kind: Any) -> bool:
    return kind is not None and bool(pa.types.is_null(kind))


def _check_same(one: ScanFile, first: Types, file: ScanFile, columns: Types) -> None:
    for here, there, where in ((first, columns, file), (columns, first, one)):
        lacking = [name for name in here if name not in there]
        if lacking:
            other = one if where is file else file
            raise DataFormatError(
                f"{where.path} has no column {shown(lacking[0])}, which {other.path} has: all "
                "files of a scan must have the same columns."
            )
    for name, kind in columns.items():
        if _is_null(kind) or _is_null(first[name]):
            continue
        if (
            file.is_parquet
            and one.is_parquet
            and None not in (kind, first[name])
            and kind != first[name]
        ):
            raise DataFormatError(
                f"{file.path} holds {kind} in the column {shown(name)}, and {one.path} holds "
                f"{first[name]}: write all files of a scan with the same types."
            )


def _system_columns(
    file: ScanFile, first: Types, chosen: list[str] | None, taken: list[str]
) -> list[str]:
    if chosen is None:
        own = [name for name in first if name not in taken]
        columns = [name for name in own if name not in dict(file.constants)]
    else:
        columns = chosen
        for name in columns:
            if name not in first or name in taken:
                allowed = f"columns of {file.path.name} with scores ({listed(list(first))})"
                raise InvalidInputError("systems", allowed, name, nearest(name, first))
    if not columns:
        allowed = "files with a column for each system"
        remedy = "Name `system=` and `score=` where a row holds one score."
        raise InvalidInputError("source", allowed, str(file.path), remedy)
    return columns


def _types(file: ScanFile, first: Types, numbers: list[str], labels: list[str]) -> Types:
    result: Types = {}
    for name in numbers:
        kind = first[name]
        is_number = kind is None or (
            pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind)
        )
        if not is_number or name in dict(file.constants):
            raise DataFormatError(
                f"{file.path} holds {kind} in the column {shown(name)}, where scores should be.",
                "Name the columns of scores with `systems=`, or `system=` and `score=` where a row "
                "holds one score.",
            )
        result[name] = kind if file.is_parquet else pa.float64()
    for name in labels:
        kind = first[name]
        value = kind.value_type if kind is not None and pa.types.is_dictionary(kind) else kind
        if kind is not None and file.is_parquet and not _is_label(value):
            raise DataFormatError(
                f"{file.path} holds {kind} in the column {shown(name)}, where labels should be: "
                "write them as text or whole numbers."
            )
        result[name] = kind if kind is not None and file.is_parquet else pa.string()
    return result


def _is_label(kind: Any) -> bool:
    if pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return True
    is_view = getattr(pa.types, "is_string_view", None)  # of later versions of Arrow
    return bool(is_view is not None and is_view(kind))
