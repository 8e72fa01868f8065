"""Batches of columns from files, by Arrow, which is imported when a file is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from rankagg.exceptions import DataFormatError, Described, InvalidInputError, shown
from rankagg.io.scan.sources import PACKED, ScanFile

__all__ = ["Batch", "Part", "Place", "batches", "columns_of", "parts_of", "rows_about"]

#: A column's Arrow type, or None where the file does not say and what is asked for counts.
Types = dict[str, Any]

MISSING = ("", "NA", "N/A", "na", "n/a", "Na", "NaN", "nan", "NAN", "null", "NULL", "Null",
           "none", "None", "NONE")  # fmt: skip
# Bytes of text that are parsed in one go, and rows of Parquet that are a part by themselves.
TEXT_BLOCK = 2**22
PART_ROWS = 2**20


@dataclass(frozen=True)
class Part:
    """A piece of the data that is counted by itself."""

    # Its position among all.
    number: int
    file: ScanFile
    # The row groups of a Parquet file; None for the whole of another one.
    groups: tuple[int, ...] | None = None
    # Its rows, where that is known.
    n_rows: int | None = None


@dataclass(frozen=True)
class Place:
    """Where rows that follow each other begin."""

    file: ScanFile
    # The row group of a Parquet file.
    group: int | None
    # How many rows stand before the first, in its row group or file.
    start: int

    def row(self, number: int) -> str:
        """Return file, row group and row, counted from 1 below the header."""
        group = "" if self.group is None else f", row group {self.group}"
        return f"{self.file.path.name}{group}, row {self.start + number + 1}"


@dataclass(frozen=True)
class Batch:
    """Some rows that follow each other in a file."""

    # The columns that were asked for.
    columns: dict[str, Any]
    n_rows: int
    begin: Place

    def place(self, row: int) -> str:
        """Return file, row group and row, counted from 1 below the header."""
        return self.begin.row(row)


def columns_of(file: ScanFile) -> Types:
    """Return the columns of a file and their types; None for those of text."""
    with _told(file.path):
        names, types = _schema(file)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataFormatError(f"{file.path} has two columns {shown(twice[0])}: name them apart.")
    clash = sorted(set(names) & {name for name, _ in file.constants})
    if clash:
        raise DataFormatError(
            f"{file.path} has a column {shown(clash[0])}, which its folder names too: "
            "remove one of the two."
        )
    return dict(zip(names, types, strict=True))


def parts_of(files: Sequence[ScanFile], *, whole: bool) -> list[Part]:
    """Return the pieces of files: Parquet files by row groups, unless they are to stay whole."""
    parts: list[Part] = []
    for file in files:
        file.require_unchanged()
        if file.kind != "parquet":
            parts.append(Part(len(parts), file))
            continue
        with _told(file.path), _opened(file) as opened:
            about = opened.metadata
            sizes = [about.row_group(group).num_rows for group in range(about.num_row_groups)]
        start = 0
        for stop in range(1, len(sizes) + 1):
            rows = sum(sizes[start:stop])
            is_full = not whole and rows + sum(sizes[stop : stop + 1]) > PART_ROWS
            if is_full or stop == len(sizes):
                parts.append(Part(len(parts), file, tuple(range(start, stop)), rows))
                start = stop
    return parts


def batches(part: Part, types: Types, size: int) -> Iterator[Batch]:
    """Go through the rows of a part."""
    part.file.require_unchanged()
    reader = {"parquet": _parquet, "csv": _csv, "json": _json}[part.file.kind]
    import pyarrow as pa  # noqa: PLC0415

    own = {name: kind for name, kind in types.items() if name not in dict(part.file.constants)}
    for group, start, batch in reader(part, own, size):
        columns = {name: batch.column(name) for name in own}
        for name, value in part.file.constants:
            if name in types:
                columns[name] = pa.repeat(value, batch.num_rows)
        yield Batch(columns, batch.num_rows, Place(part.file, group, start))


# -- Parquet --------------------------------------------------------------------------------------


def _opened(file: ScanFile, types: Types | None = None) -> Any:
    """Open a Parquet file; text is read as the dictionary that it is stored with."""
    from pyarrow import parquet  # noqa: PLC0415
    from pyarrow import types as kinds  # noqa: PLC0415

    texts = [name for name, kind in (types or {}).items() if kinds.is_string(kind)]
    return parquet.ParquetFile(
        file.path,
        read_dictionary=texts,
        page_checksum_verification=True,
        pre_buffer=False,
        buffer_size=2**20,
    )


def _parquet(part: Part, types: Types, size: int) -> Iterator[tuple[int, int, Any]]:
    assert part.groups is not None, "the parts of a Parquet file are row groups"
    with _told(part.file.path), _opened(part.file, types) as opened:
        for group in part.groups:
            start = 0
            reading = opened.iter_batches(
                batch_size=size, row_groups=[group], columns=list(types), use_threads=False
            )
            for batch in _stepwise(reading, part.file.path, f", row group {group}"):
                yield group, start, batch
                start += batch.num_rows


# -- text -----------------------------------------------------------------------------------------


def _csv(part: Part, types: Types, size: int) -> Iterator[tuple[None, int, Any]]:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import csv  # noqa: PLC0415

    path = part.file.path
    coded = pa.dictionary(pa.int32(), pa.string())
    kinds = {name: coded if kind == pa.string() else kind for name, kind in types.items()}
    with _told(path):
        reader = csv.open_csv(
            path,
            read_options=csv.ReadOptions(use_threads=False, block_size=TEXT_BLOCK),
            parse_options=csv.ParseOptions(delimiter=_delimiter(path), newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types=kinds, include_columns=list(types), null_values=MISSING,
                strings_can_be_null=True,
            ),
        )  # fmt: skip
    start = 0
    for batch in _stepwise(reader, path, ""):
        yield None, start, batch
        start += batch.num_rows


def _json(part: Part, types: Types, size: int) -> Iterator[tuple[None, int, Any]]:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import json  # noqa: PLC0415

    path = part.file.path
    options = json.ParseOptions(
        explicit_schema=pa.schema(list(types.items())), unexpected_field_behavior="infer"
    )
    with _told(path):
        known = set(_schema(part.file)[0])
    start = 0
    for block in _whole_lines(path):
        with _told(path, f", after row {start}"):
            table = json.read_json(
                BytesIO(block), json.ReadOptions(use_threads=False, block_size=len(block) + 1),
                options,
            ).combine_chunks()  # fmt: skip
        more = sorted(set(table.column_names) - known)
        if more:
            raise DataFormatError(
                f"{path}, after row {start}: {shown(more[0])} is there, which the first row lacks: "
                "write all names in the first row, with null for what is missing."
            )
        for batch in table.to_batches(max_chunksize=size):
            yield None, start, batch
            start += batch.num_rows


def _whole_lines(path: Path) -> Iterator[bytes]:
    """Go through a file in blocks that end where a line does."""
    import pyarrow as pa  # noqa: PLC0415

    with _told(path), pa.input_stream(str(path), compression="detect") as stream:
        rest = b""
        while read := stream.read(TEXT_BLOCK):
            block, end, left = (rest + read).rpartition(b"\n")
            rest = left
            if end and block.strip():
                yield block
        if rest.strip():
            yield rest


def _first_lines(path: Path) -> bytes:
    import pyarrow as pa  # noqa: PLC0415

    with pa.input_stream(str(path), compression="detect") as stream:
        start: bytes = stream.read(2**20)
    return start


def rows_about(part: Part) -> int | None:
    """Return about how many rows a part has, to say how long it takes; None for packed text."""
    path = part.file.path
    if part.n_rows is not None:
        return part.n_rows
    if path.name.lower().endswith(PACKED):
        return None
    with _told(path):
        start, size = _first_lines(path), path.stat().st_size
    lines = start.count(b"\n") - (part.file.kind == "csv")
    return max(round(lines * size / max(len(start), 1)), 1)


def _delimiter(path: Path) -> str:
    """Return the most frequent of three delimiters in the first line."""
    line = _first_lines(path).partition(b"\n")[0]
    return max("\t,;", key=lambda mark: line.count(mark.encode()))


def _schema(file: ScanFile) -> tuple[list[str], list[Any]]:
    if file.kind == "parquet":
        with _opened(file) as opened:
            schema = opened.schema_arrow
            return list(schema.names), list(schema.types)
    start = _first_lines(file.path)
    if not start.strip():
        raise DataFormatError(f"{file.path} is empty.")
    if file.kind == "csv":
        from pyarrow import csv  # noqa: PLC0415

        reader = csv.open_csv(
            file.path,
            read_options=csv.ReadOptions(use_threads=False, block_size=TEXT_BLOCK),
            parse_options=csv.ParseOptions(delimiter=_delimiter(file.path)),
        )
        names = list(reader.schema.names)
    else:
        from pyarrow import json  # noqa: PLC0415

        line = next(line for line in start.splitlines() if line.strip())
        names = list(json.read_json(BytesIO(line)).schema.names)
    return names, [None] * len(names)


# -- errors ---------------------------------------------------------------------------------------


def _stepwise(reading: Iterable[Any], path: Path, where: str) -> Iterator[Any]:
    """Go through batches; what Arrow says of a damaged file is said with its place."""
    iterator = iter(reading)
    done = 0
    while True:
        with _told(path, f"{where}, after row {done}"):
            batch = next(iterator, None)
        if batch is None:
            return
        done += batch.num_rows
        yield batch


@contextmanager
def _told(path: Path, where: str = "") -> Iterator[None]:
    """Turn Arrow's errors, and those of the file system, into ours."""
    try:
        import pyarrow as pa  # noqa: PLC0415
    except ImportError:
        raise InvalidInputError(
            "sources", "readable with pyarrow, which is not installed", Described(str(path)),
            "pip install pyarrow",
        ) from None  # fmt: skip
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        said = " ".join(str(error).split())
        raise DataFormatError(f"{path}{where} cannot be read: {said}") from None
