"""The files of evaluations: found, opened, and told apart by what they hold."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import glob, has_magic
from os import PathLike
from pathlib import Path
from typing import IO, cast

from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.tables.text import decoded, opened, read_data

__all__ = ["ENDINGS", "EvaluationFile", "Paths", "ending_of", "find_files"]

Paths = str | PathLike[str] | Iterable[str | PathLike[str]]

LINES, WHOLE = (".jsonl", ".ndjson"), (".json", ".eval")
ENDINGS = frozenset(LINES + WHOLE)
PACKED = ".gz"
ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class EvaluationFile:
    """A file that may hold evaluations."""

    path: Path
    # Whether it was given by its own name, and not by a folder or a pattern.
    is_named: bool

    @property
    def name(self) -> str:
        """The path as it is told."""
        return str(self.path)

    @property
    def ending(self) -> str:
        """What the name ends in, that of what is packed left out."""
        return ending_of(self.path)

    @property
    def has_lines(self) -> bool:
        """Whether it holds one object a line."""
        return self.ending in LINES

    def is_zip(self) -> bool:
        """Say whether it is an archive."""
        return opened(self.path, _start) == ZIP

    def text(self) -> str:
        """Return all of it."""
        _, data = read_data(self.path)
        return decoded(self.name, data)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that are not blank, with their numbers; one is held at a time."""
        stream = opened(self.path, self._open)
        with stream:
            number = 0
            try:
                for number, line in enumerate(stream, start=1):
                    text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                    if text.strip():
                        yield number, text
            except UnicodeDecodeError:
                raise DataFormatError(
                    f"{self.name}, line {number}, is not UTF-8. Save it as UTF-8."
                ) from None
            except (OSError, EOFError, zlib.error) as error:
                raise DataFormatError(
                    f"{self.name} cannot be read beyond line {number}: {error}."
                ) from None

    def _open(self, path: Path) -> IO[bytes]:
        if path.name.lower().endswith(PACKED):
            return cast(IO[bytes], gzip.open(path, "rb"))
        return path.open("rb")


def ending_of(path: Path) -> str:
    """Return what a name ends in, that of what is packed left out."""
    return Path(path.name.lower().removesuffix(PACKED)).suffix


def _start(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(len(ZIP))


def find_files(paths: Paths) -> tuple[list[EvaluationFile], int]:
    """Return the files of paths, patterns and folders, and how many others there are."""
    if not isinstance(paths, str | PathLike) and not isinstance(paths, Iterable):
        raise InvalidInputError("paths", "paths, patterns or folders", paths)
    given = [paths] if isinstance(paths, str | PathLike) else list(paths)
    found: dict[Path, EvaluationFile] = {}
    others = 0
    for path in given:
        if not isinstance(path, str | PathLike):
            raise InvalidInputError("paths", "paths, patterns or folders", path)
        if isinstance(path, PathLike) and not isinstance(path.__fspath__(), str):
            raise InvalidInputError("paths", "paths of text", path)
        files = list(_found(Path(path)))
        kept = [file for file in files if file.is_named or file.ending in ENDINGS]
        others += len(files) - len(kept)
        for file in kept:
            found.setdefault(file.path.resolve(), file)
    if not found:
        raise InvalidInputError(
            "paths", f"files that end in {', '.join(WHOLE + LINES)}, or folders with some",
            given[0] if len(given) == 1 else given,
        )  # fmt: skip
    return list(found.values()), others


def _found(path: Path) -> Iterator[EvaluationFile]:
    try:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.is_file() and not _is_hidden(p, path))
        elif path.exists() or not has_magic(str(path)):
            # What is not there is told when it is opened.
            opened(path, lambda path: path.open("rb").close())
            yield EvaluationFile(path, True)
            return
        else:
            matching = (Path(p) for p in sorted(glob(str(path), recursive=True)))
            inside = [p for p in matching if p.is_file()]
    except (ValueError, OSError) as error:
        raise InvalidInputError("paths", "paths that can be read", str(path), f"{error}.") from None
    yield from (EvaluationFile(p, False) for p in inside)


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)
