"""Batches of columns from files of any size, by Arrow's datasets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rankagg._typing import Floats, Integers64, Label
from rankagg._validation import EXACT_LIMIT
from rankagg.exceptions import DataFormatError, InvalidInputError, shown
from rankagg.io.output_files import unguard
from rankagg.io.tables.columns import MISSING_TEXTS
from rankagg.io.tables.sources import Sources, files_at

PARQUET, TEXT, PACKED = (".parquet", ".pq"), (".csv", ".tsv"), (".gz", ".bz2", ".zst", ".lz4")
# Bytes of text that are parsed at once, and rows of a Parquet file in a part.
TEXT_BLOCK = 2**22
PART_ROWS = 2**20
# Whole numbers without leading zeros: those that fit into 64 bits, and those of up to 20 digits.
SHORT_NUMBER, LONG_NUMBER = r"^(0|-?[1-9][0-9]{0,17})$", r"^-?[1-9][0-9]{18,19}$"

Codes = Integers64
#: Identifiers of instances: whole numbers, also in text, as they are; other text by its hash.
Keys = NDArray[np.uint64]
#: Columns and their Arrow types.
Types = dict[str, Any]


@dataclass(frozen=True)
class ScanFile:
    """A file, and the labels in its path, which hold for all rows."""

    path: Path
    # Columns from the names of folders, as in `task=x/part-0.parquet`.
    constants: tuple[tuple[str, str], ...] = ()
    # Size and time of the last change at the start of the scan.
    state: tuple[int, int] | None = None

    @property
    def is_parquet(self) -> bool:
        """Whether this is a Parquet file, and not text."""
        return self.path.suffix.lower() in PARQUET

    def require_unchanged(self) -> None:
        """Raise if the file has changed since the scan began."""
        if self.state is not None and _state(self.path) != self.state:
            raise DataFormatError(f"{self.path} has changed since the scan began: scan it again.")

    def fragment(self, types: Types | None = None) -> Any:
        """Return the file as a fragment of Arrow, with text as dictionaries."""
        from pyarrow import csv, dataset, fs  # noqa: PLC0415 - of scans alone

        if self.is_parquet:
            texts = [name for name, kind in (types or {}).items() if pa.types.is_string(kind)]
            form: Any = dataset.ParquetFileFormat(
                read_options=dataset.ParquetReadOptions(dictionary_columns=texts),
                default_fragment_scan_options=dataset.ParquetFragmentScanOptions(
                    page_checksum_verification=True,
                    pre_buffer=False,
                    use_buffered_stream=True,
                    buffer_size=2**20,
                ),
            )
        else:
            with pa.input_stream(str(self.path), compression="detect") as stream:
                header = stream.read(2**20).lstrip().partition(b"\n")[0]
            if not header:
                raise DataFormatError(f"{self.path} is empty.")
            form = dataset.CsvFileFormat(
                csv.ParseOptions(
                    delimiter=max("\t,;", key=lambda mark: header.count(mark.encode())),
                    newlines_in_values=True,
                ),
                # A label may be called NA.
                convert_options=csv.ConvertOptions(
                    null_values=MISSING_TEXTS, strings_can_be_null=False
                ),
                # The first rows determine the types.
                read_options=csv.ReadOptions(
                    use_threads=False, block_size=TEXT_BLOCK if types else len(header) + 2**18
                ),
            )
        return form.make_fragment(str(self.path), fs.LocalFileSystem())

    def columns(self) -> Types:
        """Return the columns and their types, for text by the first rows."""
        with _arrow_errors(self.path):
            schema = self.fragment().physical_schema
        twice = sorted({name for name in schema.names if schema.names.count(name) > 1})
        if twice:
            raise DataFormatError(
                f"{self.path} has two columns {shown(twice[0])}: rename one of them."
            )
        clash = sorted(set(schema.names) & {name for name, _ in self.constants})
        if clash:
            raise DataFormatError(
                f"{self.path} has a column {shown(clash[0])}, as has the name of its folder: "
                "remove one of the two."
            )
        return dict(zip(schema.names, schema.types, strict=True))

    @classmethod
    def all_at(cls, source: Sources) -> tuple[ScanFile, ...]:
        """Return the files of paths, patterns and folders."""
        given = [source] if isinstance(source, str | PathLike) else list(source)
        files: list[ScanFile] = []
        for path in given:
            below, is_named = files_at(path, (".", "_"))
            if not below or (is_named and not below[0][0].is_file()):
                allowed = "a file, a folder with files, or a pattern that some file matches"
                raise InvalidInputError("source", allowed, str(path))
            for file, folders in below:
                name = file.name.lower()
                plain = name.removesuffix(next((p for p in PACKED if name.endswith(p)), ""))
                if not (name.endswith(PARQUET) or plain.endswith(TEXT)):
                    known, packed = ", ".join(PARQUET + TEXT), ", ".join(PACKED)
                    allowed = f"files that end in {known} (text also packed: {packed})"
                    remedy = f"Leave {shown(file.name)} out with a pattern, or write it as Parquet."
                    raise InvalidInputError("source", allowed, str(file), remedy)
                named = [folder.partition("=") for folder in folders if "=" in folder]
                constants = tuple((name, value) for name, _, value in named)
                # Workers may run in another folder.
                files.append(cls(file.absolute(), constants, _state(file)))
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


@dataclass(frozen=True)
class Batch:
    """Consecutive rows of a file."""

    # The requested columns.
    columns: dict[str, Any]
    n_rows: int
    file: ScanFile
    # The row group of a Parquet file, and the number of rows before the first, in it or the file.
    group: int | None
    start: int

    def row(self, number: int) -> str:
        """Return file, row group and row, counted from 1 below the header."""
        group = "" if self.group is None else f", row group {self.group}"
        return f"{self.file.path.name}{group}, row {self.start + number + 1}"

    def error(self, row: int, name: str, what: str) -> DataFormatError:
        """Return the error for a cell."""
        return DataFormatError(f"{self.row(row)}, column {shown(name)} {what}.")

    def scores_into(self, target: Floats, name: str) -> None:
        """Write a column of scores, NaN for null, into an array of floats."""
        column = self.columns[name]
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
            raise self.error(row, name, f"must be a finite number, or missing. Got {target[row]}")
        beyond = np.abs(target) >= EXACT_LIMIT
        if beyond.any() and (not self.file.is_parquet or pa.types.is_integer(column.type)):
            row = int(np.argmax(beyond))
            what = f"is {column[row]}, and floats from 2**53 on do not hold every whole number"
            raise self.error(row, name, f"{what}: divide the column, or subtract a common number")

    def codes(self, name: str, known: dict[Label, int], *, grow: bool = True) -> Codes:
        """Return the number of the label of each row; new labels get the next numbers."""
        codes, values = self._distinct(name)
        labels = values.to_pylist()
        numbers: Codes = np.full(len(labels), -1, dtype=np.int64)
        for at in pc.unique(pa.array(codes)).to_pylist():  # in the order of the rows
            label = labels[at]
            numbers[at] = known.setdefault(label, len(known)) if grow else known.get(label, -1)
        spread: Codes = numbers[codes]
        return spread

    def keys(self, name: str) -> Keys:
        """Return a key for the label of each row; equal labels have equal keys."""
        column = self.columns[name]
        if pa.types.is_integer(column.type) and not column.null_count:
            numbers: Keys = column.to_numpy().astype(np.int64, copy=False).view(np.uint64)
            return numbers
        codes, values = self._distinct(name)
        if pa.types.is_integer(values.type):
            keys: Keys = values.to_numpy().astype(np.int64, copy=False).view(np.uint64)
        else:
            keys = _text_keys(values)
        spread: Keys = keys[codes]
        return spread

    def labels(self, name: str, kind: Any) -> Any:
        """Return a column of labels in an Arrow type."""
        codes, values = self._distinct(name)
        return values.take(pa.array(codes)).cast(kind)

    def _distinct(self, name: str) -> tuple[Any, Any]:
        """Return a number for the label of each row, and the labels; raise for missing ones.

        Texts are stripped, and in CSV the apostrophe that guards a formula is removed.
        """
        column = self.columns[name]
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        values, codes = column.dictionary, column.indices
        missing = codes.is_null() if codes.null_count else None
        if not pa.types.is_integer(values.type):
            values = pc.utf8_trim_whitespace(pc.fill_null(values.cast(pa.large_string()), ""))
            if not self.file.is_parquet and pc.any(pc.starts_with(values, "'")).as_py():
                values = pa.array([unguard(text) for text in values.to_pylist()], pa.large_string())
            blank = pc.equal(values, "")
            if missing is None and pc.any(blank).as_py():
                missing = blank.take(codes)
        if missing is not None and pc.any(missing).as_py():
            row = int(np.argmax(missing.to_numpy(zero_copy_only=False)))
            raise self.error(row, name, "is missing; it must hold a label")
        return codes.to_numpy(), values


@dataclass(frozen=True)
class ScanPart:
    """A part of the data that is counted separately."""

    file: ScanFile
    # The row groups of a Parquet file.
    groups: tuple[int | None, ...] = (None,)
    # Number of its rows, if known.
    n_rows: int | None = None

    @classmethod
    def of(cls, files: Sequence[ScanFile], *, whole: bool) -> list[ScanPart]:
        """Return the parts of files; Parquet files are split by row groups unless `whole`."""
        parts: list[ScanPart] = []
        for file in files:
            file.require_unchanged()
            if not file.is_parquet:
                parts.append(cls(file))
                continue
            with _arrow_errors(file.path):
                sizes = [group.num_rows for group in file.fragment().row_groups]
            start = 0
            for stop in range(1, len(sizes) + 1):
                rows = sum(sizes[start:stop])
                is_full = not whole and rows + sum(sizes[stop : stop + 1]) > PART_ROWS
                if is_full or stop == len(sizes):
                    parts.append(cls(file, tuple(range(start, stop)), rows))
                    start = stop
        return parts

    def batches(self, types: Types, size: int) -> Iterator[Batch]:
        """Yield the rows in batches."""
        self.file.require_unchanged()
        constants = {name: value for name, value in self.file.constants if name in types}
        own = {name: kind for name, kind in types.items() if name not in constants}
        with _arrow_errors(self.file.path):
            fragment = self.file.fragment(own)
        for group in self.groups:
            where, start = "" if group is None else f", row group {group}", 0
            with _arrow_errors(self.file.path, where):
                # One group at a time, so that errors can state the row in it.
                chosen = fragment if group is None else fragment.subset(row_group_ids=[group])
                reading = iter(
                    chosen.to_batches(
                        schema=None if self.file.is_parquet else pa.schema(_coded(own)),
                        columns=list(own),
                        # A block of text has a single dictionary.
                        batch_size=size if self.file.is_parquet else TEXT_BLOCK,
                        use_threads=False,
                        batch_readahead=1,
                    )
                )
            while True:
                with _arrow_errors(self.file.path, f"{where}, after row {start}"):
                    batch = next(reading, None)
                if batch is None:
                    break
                columns = {name: batch.column(name) for name in own}
                columns |= {name: pa.repeat(x, batch.num_rows) for name, x in constants.items()}
                yield Batch(columns, batch.num_rows, self.file, group, start)
                start += batch.num_rows


def _state(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise DataFormatError(f"{path}: {error.strerror or error}.") from None
    return status.st_size, status.st_mtime_ns


def _coded(types: Types) -> list[tuple[str, Any]]:
    """Return types in which text is a dictionary."""
    coded = pa.dictionary(pa.int32(), pa.string())
    return [(name, coded if kind == pa.string() else kind) for name, kind in types.items()]


@contextmanager
def _arrow_errors(path: Path, where: str = "") -> Iterator[None]:
    """Raise errors of Arrow and of the file system as errors of the package."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise DataFormatError(f"{path}{where} cannot be read: {reason}") from None


def _text_keys(values: Any) -> Keys:
    """Return the keys of texts: whole numbers as they are, others by SipHash-2-4 of pandas."""
    short, long = (
        pc.match_substring_regex(values, pattern) for pattern in (SHORT_NUMBER, LONG_NUMBER)
    )
    keys = np.empty(len(values), dtype=np.uint64)
    for where in (short, long, pc.invert(pc.or_(short, long))):
        texts = values.filter(where)
        if not len(texts):
            continue
        if where is short:
            part = texts.cast(pa.int64()).to_numpy().view(np.uint64)
        elif where is long:
            part = np.array([int(x) & (2**64 - 1) for x in texts.to_pylist()], dtype=np.uint64)
        else:
            objects = texts.to_numpy(zero_copy_only=False).astype(object)
            part = pd.util.hash_array(objects, categorize=False)
        keys[where.to_numpy(zero_copy_only=False)] = part
    return keys
