"""Batches of columns from files of any size, by Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rankagg._numbers import EXACT_LIMIT
from rankagg._typing import Floats, Integers64, Label
from rankagg.core import keys_of_labels, keys_of_texts
from rankagg.exceptions import DataFormatError, InvalidInputError, shown
from rankagg.io.output_files import unguard
from rankagg.io.tables.columns import MISSING_TEXTS
from rankagg.io.tables.sources import Sources, files_at

Kind: TypeAlias = Literal["parquet", "csv", "json"]

SCAN_KINDS: dict[str, Kind] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
}
PACKED = (".gz", ".bz2", ".zst", ".lz4")
# Bytes of text that are parsed in one go, and rows of Parquet that are a part by themselves.
TEXT_BLOCK = 2**22
PART_ROWS = 2**20
# What fits in 64 bits for sure, written as numbers are, and what may be longer.
SHORT_NUMBER, LONG_NUMBER = r"^(0|-?[1-9][0-9]{0,17})$", r"^-?[1-9][0-9]{18,}$"

Codes = Integers64
#: What tells instances apart: whole numbers as they are, also of text; other text by its hash.
Keys = NDArray[np.uint64]

#: A column's Arrow type, or None where the file does not say and what is asked for counts.
Types = dict[str, Any]


@dataclass(frozen=True)
class ScanFile:
    """A file, and what its path says of all of its rows."""

    path: Path
    kind: Kind
    # Columns that its folders name, as in `task=x/part-0.parquet`.
    constants: tuple[tuple[str, str], ...] = ()
    # Its size and the time of its last change when the scan was made.
    state: tuple[int, int] | None = None

    def require_unchanged(self) -> None:
        """Raise where the file has changed since the scan was made."""
        if self.state is not None and _state(self.path) != self.state:
            raise DataFormatError(f"{self.path} has changed since the scan began: scan it again.")

    def absolute(self) -> ScanFile:
        """Return the file by its absolute path."""
        return replace(self, path=self.path.absolute())


def _state(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise DataFormatError(f"{path}: {error.strerror or error}.") from None
    return found.st_size, found.st_mtime_ns


def scan_files(source: Sources) -> tuple[ScanFile, ...]:
    """Return the files that paths, patterns and folders stand for."""
    given = [source] if isinstance(source, str | PathLike) else list(source)
    files: list[ScanFile] = []
    for path in given:
        found, is_named = files_at(path, (".", "_"))
        if not found:
            allowed = "a folder with files, or a pattern that some file matches"
            raise InvalidInputError("source", allowed, str(path))
        if is_named and not found[0][0].is_file():
            allowed = "a file, a pattern or a folder"
            raise InvalidInputError("source", allowed, str(path), "There is none.")
        for file, folders in found:
            named = [folder.partition("=") for folder in folders if "=" in folder]
            constants = tuple((name, value) for name, _, value in named)
            files.append(ScanFile(file, _kind_of(file), constants, _state(file)))
    if not files:
        raise InvalidInputError("source", "one file at least", given)
    seen: set[Path] = set()
    names = {name for name, _ in files[0].constants}
    for one in files:
        real = one.path.resolve()
        if real in seen:
            raise InvalidInputError("source", "each file once", str(one.path), "It is twice.")
        seen.add(real)
        if {name for name, _ in one.constants} != names:
            allowed = f"files in folders that all name {sorted(names)}, as the first does"
            raise InvalidInputError("source", allowed, str(one.path))
    return tuple(files)


def _kind_of(path: Path) -> Kind:
    name = path.name.lower()
    ending = Path(name.removesuffix(next((p for p in PACKED if name.endswith(p)), ""))).suffix
    kind = SCAN_KINDS.get(ending)
    if kind is None or (kind == "parquet" and not name.endswith(ending)):
        known, packed = ", ".join(SCAN_KINDS), ", ".join(PACKED)
        allowed = f"files that end in {known} (text also packed: {packed})"
        remedy = f"Leave {shown(path.name)} out with a pattern, or rename it."
        raise InvalidInputError("source", allowed, str(path), remedy)
    return kind


@dataclass(frozen=True)
class ScanPart:
    """A piece of the data that is counted by itself."""

    file: ScanFile
    # The row groups of a Parquet file; None for the whole of another one.
    groups: tuple[int, ...] | None = None
    # Its rows, where that is known.
    n_rows: int | None = None


@dataclass(frozen=True)
class Batch:
    """Some rows that follow each other in a file."""

    # The columns that were asked for.
    columns: dict[str, Any]
    n_rows: int
    file: ScanFile
    # The row group of a Parquet file, and how many rows are before the first, in it or the file.
    group: int | None
    start: int

    def row(self, number: int) -> str:
        """Return file, row group and row, counted from 1 below the header."""
        group = "" if self.group is None else f", row group {self.group}"
        return f"{self.file.path.name}{group}, row {self.start + number + 1}"

    def error(self, row: int, name: str, what: str) -> DataFormatError:
        """Return what is raised for a cell."""
        return DataFormatError(f"{self.row(row)}, column {shown(name)} {what}.")


def columns_of(file: ScanFile) -> Types:
    """Return the columns of a file and their types; None for those of text."""
    with _arrow_errors(file.path):
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


def scan_parts(files: Sequence[ScanFile], *, whole: bool) -> list[ScanPart]:
    """Return the pieces of files: Parquet files by row groups, unless they are to stay whole."""
    parts: list[ScanPart] = []
    for file in files:
        file.require_unchanged()
        if file.kind != "parquet":
            parts.append(ScanPart(file))
            continue
        with _arrow_errors(file.path), _opened(file) as opened:
            about = opened.metadata
            sizes = [about.row_group(group).num_rows for group in range(about.num_row_groups)]
        start = 0
        for stop in range(1, len(sizes) + 1):
            rows = sum(sizes[start:stop])
            is_full = not whole and rows + sum(sizes[stop : stop + 1]) > PART_ROWS
            if is_full or stop == len(sizes):
                parts.append(ScanPart(file, tuple(range(start, stop)), rows))
                start = stop
    return parts


def batches(part: ScanPart, types: Types, size: int) -> Iterator[Batch]:
    """Go through the rows of a part."""
    part.file.require_unchanged()
    reader = {"parquet": _parquet_batches, "csv": _csv_batches, "json": _json_batches}[
        part.file.kind
    ]
    own = {name: kind for name, kind in types.items() if name not in dict(part.file.constants)}
    for group, start, batch in reader(part, own, size):
        columns = {name: batch.column(name) for name in own}
        for name, value in part.file.constants:
            if name in types:
                columns[name] = pa.repeat(value, batch.num_rows)
        yield Batch(columns, batch.num_rows, part.file, group, start)


# -- Parquet --------------------------------------------------------------------------------------


def _opened(file: ScanFile, types: Types | None = None) -> Any:
    """Open a Parquet file; text is read as the dictionary that it is stored with."""
    from pyarrow import parquet  # noqa: PLC0415

    texts = [name for name, kind in (types or {}).items() if pa.types.is_string(kind)]
    return parquet.ParquetFile(
        file.path,
        read_dictionary=texts,
        page_checksum_verification=True,
        pre_buffer=False,
        buffer_size=2**20,
    )


def _parquet_batches(part: ScanPart, types: Types, size: int) -> Iterator[tuple[int, int, Any]]:
    assert part.groups is not None, "the parts of a Parquet file are row groups"
    with _arrow_errors(part.file.path), _opened(part.file, types) as opened:
        for group in part.groups:
            start = 0
            reading = opened.iter_batches(
                batch_size=size, row_groups=[group], columns=list(types), use_threads=False
            )
            for batch in _stepwise(reading, part.file.path, f", row group {group}"):
                yield group, start, batch
                start += batch.num_rows


# -- text -----------------------------------------------------------------------------------------


def _csv_batches(part: ScanPart, types: Types, size: int) -> Iterator[tuple[None, int, Any]]:
    path = part.file.path
    coded = pa.dictionary(pa.int32(), pa.string())
    kinds = {name: coded if kind == pa.string() else kind for name, kind in types.items()}
    with _arrow_errors(path):
        reader = _csv_reader(
            path,
            column_types=kinds,
            include_columns=list(types),
            null_values=MISSING_TEXTS,
            strings_can_be_null=True,
        )
    start = 0
    for batch in _stepwise(reader, path, ""):
        yield None, start, batch
        start += batch.num_rows


def _csv_reader(path: Path, **conversion: Any) -> Any:
    from pyarrow import csv  # noqa: PLC0415

    header = _first_lines(path).partition(b"\n")[0]
    delimiter = max("\t,;", key=lambda mark: header.count(mark.encode()))
    return csv.open_csv(
        path,
        csv.ReadOptions(use_threads=False, block_size=TEXT_BLOCK),
        csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        csv.ConvertOptions(**conversion),
    )


def _json_batches(part: ScanPart, types: Types, size: int) -> Iterator[tuple[None, int, Any]]:
    from pyarrow import json  # noqa: PLC0415

    path = part.file.path
    options = json.ParseOptions(
        explicit_schema=pa.schema(list(types.items())), unexpected_field_behavior="infer"
    )
    with _arrow_errors(path):
        known = set(_schema(part.file)[0])
    start = 0
    for block in _whole_lines(path):
        with _arrow_errors(path, f", after row {start}"):
            reading = json.ReadOptions(use_threads=False, block_size=len(block) + 1)
            table = json.read_json(BytesIO(block), reading, options).combine_chunks()
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
    with _arrow_errors(path), pa.input_stream(str(path), compression="detect") as stream:
        rest = b""
        while read := stream.read(TEXT_BLOCK):
            block, end, left = (rest + read).rpartition(b"\n")
            rest = left
            if end and block.strip():
                yield block
        if rest.strip():
            yield rest


def _first_lines(path: Path) -> bytes:
    with pa.input_stream(str(path), compression="detect") as stream:
        start: bytes = stream.read(2**20)
    return start


def _schema(file: ScanFile) -> tuple[list[str], list[Any]]:
    if file.kind == "parquet":
        with _opened(file) as opened:
            schema = opened.schema_arrow
            return list(schema.names), list(schema.types)
    start = _first_lines(file.path)
    if not start.strip():
        raise DataFormatError(f"{file.path} is empty.")
    if file.kind == "csv":
        names = list(_csv_reader(file.path).schema.names)
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
        with _arrow_errors(path, f"{where}, after row {done}"):
            batch = next(iterator, None)
        if batch is None:
            return
        done += batch.num_rows
        yield batch


@contextmanager
def _arrow_errors(path: Path, where: str = "") -> Iterator[None]:
    """Turn Arrow's errors, and those of the file system, into ours."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        said = " ".join(str(error).split())
        raise DataFormatError(f"{path}{where} cannot be read: {said}") from None


def scores_into(target: Floats, batch: Batch, name: str) -> None:
    """Write a column of scores, NaN for null, into an array of floats."""
    column = batch.columns[name]
    if column.null_count == len(column):
        target[:] = np.nan
        return
    if column.null_count and pa.types.is_floating(column.type):
        target[:] = pc.fill_null(column, np.nan).to_numpy()
    else:
        target[:] = column.to_numpy(zero_copy_only=False)
    infinite = np.isinf(target)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise batch.error(row, name, f"must be a finite number, or missing. Got {target[row]}")
    beyond = np.abs(target) >= EXACT_LIMIT
    if beyond.any() and (batch.file.kind != "parquet" or pa.types.is_integer(column.type)):
        row = int(np.argmax(beyond))
        what = f"is {column[row]}, and from 2**53 on floats do not hold every whole number"
        raise batch.error(row, name, f"{what}: divide the column, or subtract a common number")


def label_codes(batch: Batch, name: str, known: dict[Label, int], *, grow: bool = True) -> Codes:
    """Return the number of the label of each row; labels that are new get the next ones."""
    column = _without_null(batch, name)
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    labels = [_clean(label, batch, name) for label in column.dictionary.to_pylist()]
    numbers: Codes = np.full(len(labels), -1, dtype=np.int64)
    for at in pc.unique(column.indices).to_pylist():  # in the order of the rows
        label = labels[at]
        numbers[at] = known.setdefault(label, len(known)) if grow else known.get(label, -1)
    spread: Codes = numbers[column.indices.to_numpy(zero_copy_only=False)]
    return spread


def _clean(label: Any, batch: Batch, name: str) -> Label:
    if isinstance(label, int):
        return label
    text = str(label).strip()
    if batch.file.kind == "csv":
        text = unguard(text)
    if not text:
        raise DataFormatError(f"{batch.file.path.name} has an empty label in {shown(name)}.")
    return text


def keys_of(batch: Batch, name: str) -> Keys:
    """Return a key for the label of each row: equal labels have equal keys."""
    column = _without_null(batch, name)
    if pa.types.is_integer(column.type):
        numbers: Keys = column.to_numpy().astype(np.int64, copy=False).view(np.uint64)
        return numbers
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()  # rows of the long form repeat their label
    values = column.dictionary
    if pa.types.is_integer(values.type):
        keys: Keys = values.to_numpy().astype(np.int64, copy=False).view(np.uint64)
    else:
        keys = _keys_of_texts(values, is_csv=batch.file.kind == "csv")
    spread: Keys = keys[column.indices.to_numpy()]
    return spread


def _keys_of_texts(values: Any, *, is_csv: bool) -> Keys:
    """Return what `keys_of_labels` says of texts, as they are read from a file."""
    values = pc.fill_null(values.cast(pa.large_string()), "")
    values = _clean_texts(values, is_csv=is_csv)
    short, long = (
        pc.match_substring_regex(values, pattern) for pattern in (SHORT_NUMBER, LONG_NUMBER)
    )
    keys = np.empty(len(values), dtype=np.uint64)

    def put(where: Any, of: Callable[[Any], Keys]) -> None:
        chosen = values.filter(where)
        if len(chosen):
            keys[where.to_numpy(zero_copy_only=False)] = of(chosen)

    put(short, lambda some: some.cast(pa.int64()).to_numpy().view(np.uint64))
    put(long, lambda some: keys_of_labels(some.to_pylist()))
    other = pc.invert(pc.or_(short, long))
    put(other, lambda some: keys_of_texts(some.to_numpy(zero_copy_only=False).astype(object)))
    return keys


def labels_of(batch: Batch, name: str, kind: Any) -> Any:
    """Return a column of labels in an Arrow type, texts as they are read from its file."""
    column = _without_null(batch, name).cast(kind)
    if pa.types.is_integer(kind):
        return column
    return _clean_texts(column, is_csv=batch.file.kind == "csv").cast(kind)


def _clean_texts(values: Any, *, is_csv: bool) -> Any:
    """Return texts without blanks around them, and those of CSV without what guards formulas."""
    values = pc.utf8_trim_whitespace(values)
    if is_csv and pc.any(pc.starts_with(values, "'")).as_py():
        values = pa.array([unguard(text) for text in values.to_pylist()], pa.large_string())
    return values


def _without_null(batch: Batch, name: str) -> Any:
    column = batch.columns[name]
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise batch.error(row, name, "is missing; it must hold a label")
    return column
