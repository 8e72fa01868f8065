"""Tables whose columns are Arrow's, from Parquet too: numbers, all cells at once.

Columns of Arrow as numbers, all cells at once, and what floats do not hold of them.

Whatever is not a plain number that a float holds beyond doubt is looked at by `cells`, once for
every distinct text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from rankagg._numbers import EXACT_LIMIT, SAFE_DIGITS, SAFE_SIZE
from rankagg._typing import Bools, Floats
from rankagg.exceptions import DataFormatError
from rankagg.io.tables.cells import CellTable, as_label, as_number, beyond_float
from rankagg.io.tables.columns import Coded, Column, Table, check_header, check_percent
from rankagg.io.tables.number_style import HUNDREDTH, NO_NUMBER, USUAL, NumberStyle
from rankagg.io.tables.text import check_bytes

__all__ = ["ArrowTable", "arrow_table", "numbers_of", "numbers_of_text", "read_parquet"]

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


# Columns of one type are made numbers together, up to so many cells.
TOGETHER = 2**20

# So many bytes of text need wider offsets in one array.
LARGE = 2**31


@dataclass(frozen=True, eq=False)
class ArrowTable(Table):
    """A header and columns of Arrow."""

    # What to call the table in messages.
    name: str
    # Names of the columns, distinct.
    header: list[Any]
    # The columns, all of one length.
    columns: list[Any]
    # True where the cells come from a text file, in which labels may be guarded against being run
    # as formulas.
    is_text: bool
    # Returns the same table cell by cell, given the names of the columns that are looked at.
    explain: Callable[[Sequence[Any]], CellTable]
    # How numbers are written in text.
    style: NumberStyle = USUAL

    def __post_init__(self) -> None:
        check_header(self.name, self.header, len(self.columns[0]) if self.columns else 0)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0])

    @property
    def lines(self) -> list[int]:
        """The line of each row, for messages."""
        return self.explain(self.header[:1]).lines

    def line(self, row: int) -> int:
        """Return the line of a row, for messages."""
        return self.lines[row]

    @property
    def rows(self) -> list[list[Any]]:
        """The cells one by one, for messages."""
        return self.explain(self.header).rows

    def column(self, name: Any, parameter: str) -> list[Any]:
        """Return the cells of a column, for messages; raises where there is none of that name."""
        self.position(name, parameter)
        return self.explain([name]).column(name, parameter)

    def coded(self, name: Any, parameter: str) -> Coded:
        """Return a column of labels; raises where a cell is empty."""
        column = self.columns[self.position(name, parameter)]
        coded = _encoded(column)
        if coded is not None:
            labels = [as_label(label, self.is_text) for label in coded.labels]
            if "" not in labels:
                return coded.merged(labels)
        return self.explain([name]).coded(name, parameter)

    def coded_or_empty(self, name: Any, parameter: str) -> Coded:
        """Return a column of labels; the code is -1 where a cell is empty."""
        column = self.columns[self.position(name, parameter)]
        coded = None if pa.types.is_floating(column.type) else _encoded(column, has_gaps=True)
        if coded is None:
            return self.explain([name]).coded_or_empty(name, parameter)
        return coded.merged([as_label(label, self.is_text) for label in coded.labels]).with_gaps()

    def stacked(self, names: Sequence[Any], parameter: str) -> Column:
        """Return columns of finite numbers, one column after another; NaN is missing."""
        positions = [self.position(name, parameter) for name in names]
        values = np.empty((len(names), self.n_rows))
        lost: dict[int, object] = {}
        said: Counter[tuple[str, str]] = Counter()
        start = 0
        while start < len(names):
            end = self._end_of_kind(positions, start)
            joined = _joined([self.columns[at] for at in positions[start:end]])
            column = numbers_of(joined, self.style)
            if column is None:
                table = replace(self.explain(names[start:end]), style=self.style)
                column = table.stacked(names[start:end], parameter)
            check_percent(self, names[start], parameter, column.said)
            said.update(column.said)
            values[start:end] = column.values.reshape(end - start, self.n_rows)
            lost |= {start * self.n_rows + at: number for at, number in column.lost.items()}
            start = end
        return Column(values.ravel(), lost, said)

    def _end_of_kind(self, positions: list[int], start: int) -> int:
        """Return how far columns have the type of the first, in as many cells as go together."""
        if self.style.percent:  # which is all of a column, or none
            return start + 1
        kind = self.columns[positions[start]].type
        last = min(len(positions), start + max(1, TOGETHER // self.n_rows))
        end = start + 1
        while end < last and self.columns[positions[end]].type == kind:
            end += 1
        return end


def _joined(columns: list[Any]) -> Any:
    """Return columns, one after another, as one array."""
    chunks = [chunk for column in columns for chunk in column.chunks]
    if pa.types.is_string(chunks[0].type) and sum(chunk.nbytes for chunk in chunks) >= LARGE:
        chunks = [chunk.cast(pa.large_string()) for chunk in chunks]
    return chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)


def _encoded(column: Any, *, has_gaps: bool = False) -> Coded | None:
    """Return distinct labels in their order and the codes; None where a cell is no label.

    Empty cells are none, unless there may be gaps: then their code is -1.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        # The dictionary may hold more than occurs, in any order.
        kind, column = kind.value_type, column.cast(kind.value_type)
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    is_label = is_text or pa.types.is_integer(kind) or pa.types.is_boolean(kind)
    if pa.types.is_null(kind) and has_gaps:
        return Coded(np.full(len(column), -1, dtype=np.intp), [])
    if (column.null_count and not has_gaps) or not (is_label or _is_plain_float(column)):
        return None
    encoded = pc.dictionary_encode(column).unify_dictionaries()
    chunks = [chunk for chunk in encoded.chunks if len(chunk)]
    indices = [pc.fill_null(chunk.indices, -1) for chunk in chunks]
    codes = np.concatenate([index.to_numpy(zero_copy_only=False) for index in indices])
    return Coded(codes.astype(np.intp, copy=False), chunks[-1].dictionary.to_pylist())


def _is_plain_float(column: Any) -> bool:
    """Say whether a column has floats of which each is equal to itself."""
    is_float = pa.types.is_float32(column.type) or pa.types.is_float64(column.type)
    return is_float and not pc.any(pc.is_nan(column)).as_py()


def arrow_table(name: str, table: Any) -> ArrowTable:
    """Return a table of Arrow under a name for messages."""
    header = [column.strip() for column in table.column_names]

    def explain(names: Sequence[Any]) -> CellTable:
        columns = [table.column(header.index(name)).to_pylist() for name in names]
        rows = [list(row) for row in zip(*columns, strict=True)]
        return CellTable(name, list(names), rows, list(range(1, len(table) + 1)), is_text=False)

    return ArrowTable(name, header, [_plain(c) for c in table.columns], False, explain)


def _plain(column: Any) -> Any:
    """Return a column whose texts are of a kind that all of Arrow works with."""
    kind = column.type
    if pa.types.is_dictionary(kind) and _is_view(kind.value_type):
        chunks = [
            pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(pa.large_string()))
            for chunk in column.chunks
        ]
        return pa.chunked_array(chunks, pa.dictionary(kind.index_type, pa.large_string()))
    return column.cast(pa.large_string()) if _is_view(kind) else column


def _is_view(kind: Any) -> bool:
    # Older versions have no such kind.
    return hasattr(pa.types, "is_string_view") and bool(pa.types.is_string_view(kind))


def read_parquet(path: Path) -> ArrowTable:
    """Return the table in a Parquet file; where pandas wrote it, its index goes first."""
    try:
        # Without checksums a flipped byte of an uncompressed file would go unnoticed; writers put
        # them in if asked to.
        file = parquet.ParquetFile(path, page_checksum_verification=True)
        rows, columns = file.metadata.num_rows, file.metadata.num_columns
        check_bytes(path.name, rows, columns, path.stat().st_size)
        table = file.read()
        table.validate(full=True)
        stated = table.schema.pandas_metadata
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        reason = str(error).split("\n", maxsplit=1)[0].rstrip(".")
        raise DataFormatError(
            f"{path.name} is no Parquet file, or is damaged or cut off: {reason[:300]}."
        ) from None
    return arrow_table(path.name, _with_index(table, stated))


def _with_index(table: Any, stated: Any) -> Any:
    """Put the columns that pandas knows as the index first, as for a frame."""
    known = stated.get("index_columns") if isinstance(stated, dict) else None
    named = [name for name in known if isinstance(name, str)] if isinstance(known, list) else []
    index = [name for name in dict.fromkeys(named) if table.column_names.count(name) == 1]
    if not index:
        return table
    others = [name for name in table.column_names if name not in index]
    unnamed = {f"__index_level_{level}__" for level in range(len(index))}
    if len(index) == 1 and index[0] in unnamed:
        # Whole numbers without a name are numbers of rows, in whatever order they stand.
        if pa.types.is_integer(table.schema.field(index[0]).type):
            return table.select(others)
        names = ["index", *others]
        return table.select([*index, *others]).rename_columns(names)
    return table.select([*index, *others])
