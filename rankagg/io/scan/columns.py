"""From columns of Arrow to arrays: scores with NaN where missing, labels as numbers, keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._numbers import EXACT_LIMIT
from rankagg._typing import Floats, Label
from rankagg.core.grouped_tally import keys_of_labels, keys_of_texts
from rankagg.exceptions import DataFormatError, shown
from rankagg.io.scan.arrow import Batch
from rankagg.io.tables.formulas import unguard

__all__ = ["Codes", "Keys", "coded", "keys_of", "scores_into"]

# What fits in 64 bits for sure, written as numbers are, and what may be longer.
SHORT_NUMBER, LONG_NUMBER = r"^(0|-?[1-9][0-9]{0,17})$", r"^-?[1-9][0-9]{18,}$"

Codes = NDArray[np.int64]
#: What tells instances apart: whole numbers as they are, also of text; other text by its hash.
Keys = NDArray[np.uint64]


def scores_into(target: Floats, batch: Batch, name: str) -> None:
    """Write a column of scores, NaN for null, into an array of floats."""
    from pyarrow import compute, types  # noqa: PLC0415

    column = batch.columns[name]
    if column.null_count == len(column):
        target[:] = np.nan
        return
    if types.is_integer(column.type):
        _check_whole(batch, name)
    if column.null_count and types.is_floating(column.type):
        target[:] = compute.fill_null(column, np.nan).to_numpy()
    else:
        target[:] = column.to_numpy(zero_copy_only=False)
    if batch.begin.file.kind != "parquet":
        _check_text(target, batch, name)
    infinite = np.isinf(target)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise DataFormatError(
            f"{batch.place(row)}, column {shown(name)} must be a finite number, or missing. Got "
            f"{target[row]}."
        )


def _check_text(values: Floats, batch: Batch, name: str) -> None:
    """Raise where a text may say more than its float."""
    beyond = (np.abs(values) > EXACT_LIMIT) & (values != np.inf) & (values != -np.inf)
    if beyond.any():
        row = int(np.argmax(beyond))
        raise DataFormatError(
            f"{batch.place(row)}, column {shown(name)} is {values[row]!s}, beyond 2**53, where no "
            "64-bit float holds every whole number of a text: divide the column, or subtract a "
            "common number from it."
        )


def _check_whole(batch: Batch, name: str) -> None:
    """Raise where a whole number is beyond those that all floats hold."""
    from pyarrow import compute  # noqa: PLC0415

    column = batch.columns[name]
    ends = compute.min_max(column).as_py()
    if ends["min"] >= -EXACT_LIMIT and ends["max"] <= EXACT_LIMIT:
        return
    numbers = column.to_pylist()
    row = next(at for at, n in enumerate(numbers) if n is not None and abs(n) > EXACT_LIMIT)
    raise DataFormatError(
        f"{batch.place(row)}, column {shown(name)} is {numbers[row]}, beyond 2**53, where no "
        "64-bit float holds every whole number: subtract a common number from the column."
    )


def coded(batch: Batch, name: str, known: dict[Label, int], *, grow: bool = True) -> Codes:
    """Return the number of the label of each row; labels that are new get the next ones."""
    from pyarrow import types  # noqa: PLC0415

    column = _without_null(batch, name)
    if not types.is_dictionary(column.type):
        column = column.dictionary_encode()
    labels = [_clean(label, batch, name) for label in column.dictionary.to_pylist()]
    indices = column.indices.to_numpy(zero_copy_only=False)
    # In the order of the rows, whatever that of the dictionary.
    first = np.full(len(labels), len(indices))
    first[indices[::-1]] = np.arange(len(indices))[::-1]
    numbers: Codes = np.full(len(labels), -1, dtype=np.int64)
    for at in np.argsort(first)[: np.count_nonzero(first < len(indices))].tolist():
        label = labels[at]
        numbers[at] = known.setdefault(label, len(known)) if grow else known.get(label, -1)
    spread: Codes = numbers[indices]
    return spread


def _clean(label: Any, batch: Batch, name: str) -> Label:
    if isinstance(label, int):
        return label
    text = unguard(str(label).strip()) if batch.begin.file.kind == "csv" else str(label)
    if not text:
        raise DataFormatError(f"{batch.begin.file.path.name} has an empty label in {shown(name)}.")
    return text


def keys_of(batch: Batch, name: str) -> Keys:
    """Return a key for the label of each row: equal labels have equal keys."""
    from pyarrow import types  # noqa: PLC0415

    column = _without_null(batch, name)
    if types.is_integer(column.type):
        numbers: Keys = column.to_numpy().astype(np.int64, copy=False).view(np.uint64)
        return numbers
    if not types.is_dictionary(column.type):
        column = column.dictionary_encode()  # rows of the long form repeat their label
    values = column.dictionary
    if types.is_integer(values.type):
        keys: Keys = values.to_numpy().astype(np.int64, copy=False).view(np.uint64)
    else:
        keys = _keys_of_texts(values, is_csv=batch.begin.file.kind == "csv")
    spread: Keys = keys[column.indices.to_numpy()]
    return spread


def _keys_of_texts(values: Any, *, is_csv: bool) -> Keys:
    """Return what `keys_of_labels` says of texts, as they are read from a file."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import compute  # noqa: PLC0415

    values = compute.fill_null(values.cast(pa.large_string()), "")
    if is_csv:
        values = compute.utf8_trim_whitespace(values)
        if compute.any(compute.starts_with(values, "'")).as_py():
            values = pa.array([unguard(text) for text in values.to_pylist()], pa.large_string())
    short, long = (
        compute.match_substring_regex(values, pattern) for pattern in (SHORT_NUMBER, LONG_NUMBER)
    )
    keys = np.empty(len(values), dtype=np.uint64)

    def put(where: Any, of: Callable[[Any], Keys]) -> None:
        chosen = values.filter(where)
        if len(chosen):
            keys[where.to_numpy(zero_copy_only=False)] = of(chosen)

    put(short, lambda some: some.cast(pa.int64()).to_numpy().view(np.uint64))
    put(long, lambda some: keys_of_labels(some.to_pylist()))
    other = compute.invert(compute.or_(short, long))
    put(other, lambda some: keys_of_texts(some.to_numpy(zero_copy_only=False).astype(object)))
    return keys


def _without_null(batch: Batch, name: str) -> Any:
    column = batch.columns[name]
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise DataFormatError(
            f"{batch.place(row)}, column {shown(name)} is missing; it must hold a label."
        )
    return column
