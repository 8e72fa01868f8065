"""Sorting a long file on disk by DuckDB, so that the rows of one instance stand together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rankagg.exceptions import DataFormatError, InvalidInputError, RankaggError
from rankagg.io.scan.arrow import Part, batches, columns_of
from rankagg.io.scan.columns import scores_into
from rankagg.io.scan.layout import Layout
from rankagg.io.scan.sources import ScanFile

__all__ = ["sorted_files"]

BATCH_ROWS = 2**17
MEMORY = "400MB"
ROLES = ("system", "task", "instance", "score")


def sorted_files(
    layout: Layout, parts: Sequence[Part], folder: Path
) -> tuple[tuple[ScanFile, ...], Layout]:
    """Write the rows of all parts into one Parquet file, by task and instance."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        import duckdb  # noqa: PLC0415
    except ImportError:
        raise InvalidInputError(
            "scattered", "'refuse' where DuckDB is not installed", "sort",
            "pip install 'rankagg[big]'",
        ) from None  # fmt: skip
    names = {role: getattr(layout, role) for role in ROLES if getattr(layout, role) is not None}
    kinds = {role: _plain(layout.types[name]) for role, name in names.items()}
    schema = pa.schema(list(kinds.items()))

    wrong: list[RankaggError] = []

    def rows() -> Iterator[Any]:
        try:
            yield from checked()
        except RankaggError as error:  # DuckDB would tell it in words of its own
            wrong.append(error)
            raise

    def checked() -> Iterator[Any]:
        for part in parts:
            for batch in batches(part, layout.types, BATCH_ROWS):
                scores_into(np.empty(batch.n_rows), batch, names["score"])
                columns = [batch.columns[names[role]].cast(kinds[role]) for role in names]
                yield pa.RecordBatch.from_arrays(columns, schema=schema)

    target = folder / "sorted.parquet"
    keys = ", ".join(role for role in ("task", "instance") if role in names)
    with duckdb.connect() as connection:
        connection.execute(f"SET memory_limit = '{MEMORY}'")
        connection.execute("SET temp_directory = ?", [str(folder / "spill")])
        connection.register("rows", pa.RecordBatchReader.from_batches(schema, rows()))
        copy = f"COPY (FROM rows ORDER BY {keys}) TO ? (FORMAT parquet)"
        try:
            connection.execute(copy, [str(target)])
        except (duckdb.Error, RankaggError) as error:
            if wrong:
                raise wrong[0] from None
            said = " ".join(str(error).split())
            raise DataFormatError(f"the rows cannot be sorted in {folder}: {said}") from None
    file = ScanFile(target, "parquet")
    return (file,), replace(
        layout,
        types=columns_of(file),
        system="system",
        score="score",
        task=None if layout.task is None else "task",
        instance=None if layout.instance is None else "instance",
    )


def _plain(kind: Any) -> Any:
    from pyarrow import types  # noqa: PLC0415

    return kind.value_type if types.is_dictionary(kind) else kind
