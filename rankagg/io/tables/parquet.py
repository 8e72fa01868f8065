"""Tables in Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from rankagg.exceptions import DataFormatError
from rankagg.io.tables.arrow_table import ArrowTable, arrow_table
from rankagg.io.tables.size import check_bytes

__all__ = ["read_parquet"]


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
