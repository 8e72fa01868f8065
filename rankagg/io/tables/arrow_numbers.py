"""Columns of Arrow as numbers, all cells at once, and what floats do not hold of them.

Whatever is not a plain number that a float holds beyond doubt is looked at by `cells`, once for
every distinct text.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankagg._numbers import EXACT_LIMIT, SAFE_DIGITS, SAFE_SIZE
from rankagg._typing import Bools, Floats
from rankagg.io.tables.cells import as_number, beyond_float
from rankagg.io.tables.columns import Column
from rankagg.io.tables.number_style import HUNDREDTH, NO_NUMBER, USUAL, NumberStyle

__all__ = ["numbers_of", "numbers_of_text"]

TOKENS = pa.array(
    ["", "NA", "N/A", "NaN", "nan", "null", "None", "na", "n/a", "NULL", "none", "NONE"]
)
PLAIN = r"^-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"


def numbers_of(column: Any, style: NumberStyle = USUAL) -> Column | None:
    """Return an Arrow array of any type as numbers; None where a cell is none, or may not be."""
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return numbers_of_text(column, style)
    if pa.types.is_null(kind):
        return Column(np.full(len(column), np.nan), {})
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        values = _floats(pc.cast(column, pa.float64(), safe=False))
        # Whole numbers from 2**53 on may be others than their floats.
        limit = np.inf if pa.types.is_floating(kind) else EXACT_LIMIT
        return None if (np.abs(values) >= limit).any() else Column(values, {})
    return None


def numbers_of_text(texts: Any, style: NumberStyle = USUAL) -> Column | None:
    """Return an Arrow array of texts as numbers; None where a cell is neither one nor missing."""
    if style == USUAL:
        return _numbers_of_plain(texts)
    plain, said = _restated(texts, style)
    column = _numbers_of_plain(plain)
    if column is None:
        return None
    bare = int(np.count_nonzero(~np.isnan(column.values))) - said["percent", ""]
    return Column(column.values, column.lost, said | Counter({("bare", ""): bare}))


def _restated(texts: Any, style: NumberStyle) -> tuple[Any, Counter[tuple[str, str]]]:
    """Return texts as Python writes numbers, as `NumberStyle.restated` does, and what they were."""
    rest = pc.utf8_trim_whitespace(texts)
    said: Counter[tuple[str, str]] = Counter()
    if style.missing:
        found = pc.is_in(rest, value_set=pa.array(sorted(style.missing), rest.type))
        for count in pc.value_counts(rest.filter(found)).to_pylist():
            said["missing", count["values"]] += count["counts"]
        rest = pc.if_else(found, None, rest)
    for pattern, new in style.with_errors:  # what is put in is fit by none of them
        found = pc.match_substring_regex(rest, pattern)
        number = pc.sum(found).as_py() or 0
        if number:
            said["errors", ""] += number
            rest = pc.replace_substring_regex(rest, pattern, new)
    if style.percent:
        said["percent", ""] += (
            pc.sum(pc.match_substring_regex(rest, style.with_percent)).as_py() or 0
        )
        rest = pc.replace_substring_regex(rest, style.with_percent, HUNDREDTH)
    if style.decimal == ",":
        with_point = pc.match_substring(rest, ".")
        rest = pc.if_else(with_point, NO_NUMBER, pc.replace_substring(rest, ",", "."))
    return rest, said


def _numbers_of_plain(texts: Any) -> Column | None:
    rest, odd = texts, np.zeros(len(texts), dtype=np.bool_)
    has_empty = pc.min(pc.binary_length(texts)).as_py() == 0
    values = None if has_empty else _parsed(rest)
    if values is None:
        rest = pc.if_else(pc.is_in(rest, value_set=TOKENS.cast(rest.type)), None, rest)
        values = _parsed(rest)
    if values is None:
        plain = pc.fill_null(pc.match_substring_regex(rest, PLAIN), True)
        odd = ~plain.to_numpy(zero_copy_only=False)
        rest = pc.if_else(plain, rest, None)
        values = _parsed(rest)
    if values is None:
        return None
    with np.errstate(invalid="ignore"):
        size = np.abs(values)
        doubtful = odd | (size >= EXACT_LIMIT) | (size <= SAFE_SIZE) | _may_be_rounded(rest, values)
    if np.isnan(values).any():  # nan(1) is none of the words for a missing number
        doubtful |= np.isnan(values) & rest.is_valid().to_numpy(zero_copy_only=False)
    return _settled(texts, values, np.flatnonzero(doubtful))


def _parsed(texts: Any) -> Floats | None:
    try:
        return _floats(pc.cast(texts, pa.float64()))
    except pa.ArrowInvalid:
        return None


def _floats(numbers: Any) -> Floats:
    values: Floats = numbers.to_numpy(zero_copy_only=False)
    return values if values.flags.writeable else values.copy()


def _may_be_rounded(texts: Any, values: Floats) -> Bools:
    """Tell where a text has many digits and is not the shortest way to write its float."""
    lengths = pc.fill_null(pc.binary_length(texts), 0).to_numpy(zero_copy_only=False)
    found: Bools = lengths > SAFE_DIGITS
    if found.any():
        shortest = pc.cast(pa.array(values[found]), texts.type)
        long = texts.filter(pa.array(found))
        found[found] = pc.not_equal(long, shortest).to_numpy(zero_copy_only=False)
    return found


def _settled(texts: Any, values: Floats, rows: Any) -> Column | None:
    """Look at the cells of some rows, once for every distinct text."""
    lost: dict[int, object] = {}
    if not len(rows):
        return Column(values, lost)
    encoded = pc.dictionary_encode(texts.take(pa.array(rows)))
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    numbers = np.empty(len(encoded.dictionary))
    exact: dict[int, object] = {}
    for code, text in enumerate(encoded.dictionary.to_pylist()):
        number = numbers[code] = as_number(text)
        beyond = None if np.isinf(number) else beyond_float(text, number)
        if np.isinf(number) or (beyond is not None and beyond.is_whole):
            return None
        if beyond is not None:
            exact[code] = beyond.number
    values[rows] = numbers[codes]
    if exact:
        of_code = np.isin(codes, list(exact))
        for row, code in zip(rows[of_code].tolist(), codes[of_code].tolist(), strict=True):
            lost[row] = exact[code]
    return Column(values, lost)
