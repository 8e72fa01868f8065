"""The files of a scan: found, told apart by their kind, and identified."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from glob import glob, has_magic
from os import PathLike
from pathlib import Path
from typing import Literal, TypeAlias

from rankagg.exceptions import DataFormatError, InvalidInputError, shown

__all__ = ["PACKED", "Kind", "ScanFile", "Sources", "find_files"]

Kind: TypeAlias = Literal["parquet", "csv", "json"]
Sources: TypeAlias = str | PathLike[str] | Iterable[str | PathLike[str]]

KINDS: dict[str, Kind] = {
    ".parquet": "parquet", ".pq": "parquet",
    ".csv": "csv", ".tsv": "csv",
    ".jsonl": "json", ".ndjson": "json",
}  # fmt: skip
PACKED = (".gz", ".bz2", ".zst", ".lz4")


@dataclass(frozen=True)
class ScanFile:
    """A file, and what its path says of all of its rows."""

    path: Path
    kind: Kind
    # Columns that its folders name, as in `task=x/part-0.parquet`.
    constants: tuple[tuple[str, str], ...] = ()

    @cached_property
    def identity(self) -> tuple[str, int, int]:
        """The path, the size and the time of the last change."""
        return self._now()

    def require_unchanged(self) -> None:
        """Raise where the file has changed since it was looked at first."""
        if self._now() != self.identity:
            raise DataFormatError(f"{self.path} has changed since the scan began: scan it again.")

    def absolute(self) -> ScanFile:
        """Return the file by its whole path, as it was looked at first."""
        self.require_unchanged()
        found = replace(self, path=self.path.absolute())
        if found.identity[1:] != self.identity[1:]:
            self.require_unchanged()
        return found

    def _now(self) -> tuple[str, int, int]:
        try:
            found = self.path.stat()
        except OSError as error:
            raise DataFormatError(f"{self.path}: {error.strerror or error}.") from None
        return str(self.path), found.st_size, found.st_mtime_ns


def find_files(sources: Sources) -> tuple[ScanFile, ...]:
    """Return the files that paths, patterns and folders stand for."""
    given = [sources] if isinstance(sources, str | PathLike) else list(sources)
    files: list[ScanFile] = []
    for source in given:
        if not isinstance(source, str | PathLike):
            raise InvalidInputError("sources", "paths, patterns or folders", source)
        files += _found(Path(source))
    if not files:
        raise InvalidInputError("sources", "one file at least", given)
    seen: set[Path] = set()
    for file in files:
        real = file.path.resolve()
        if real in seen:
            raise InvalidInputError("sources", "each file once", str(file.path), "It is twice.")
        seen.add(real)
    names = [{name for name, _ in file.constants} for file in files]
    for file, own in zip(files, names, strict=True):
        if own != names[0]:
            raise InvalidInputError(
                "sources", f"files in folders that all name {sorted(names[0])}, as the first does",
                str(file.path),
            )  # fmt: skip
        file.identity  # noqa: B018 - what it is now
    return tuple(files)


def _found(path: Path) -> list[ScanFile]:
    if path.is_dir():
        inside = sorted(p for p in path.rglob("*") if p.is_file() and not _is_hidden(p, path))
        if not inside:
            raise InvalidInputError("sources", "a folder with files", str(path))
        return [_told(p, p.relative_to(path).parts[:-1]) for p in inside]
    if path.is_file():
        return [_told(path, ())]
    if has_magic(str(path)):
        matching = [Path(p) for p in sorted(glob(str(path), recursive=True))]
        files = [p for p in matching if p.is_file()]
        if not files:
            raise InvalidInputError("sources", "a pattern that some file matches", str(path))
        return [_told(p, p.parts[:-1]) for p in files]
    raise InvalidInputError("sources", "a file, a pattern or a folder", str(path), "There is none.")


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)


def _told(path: Path, folders: tuple[str, ...]) -> ScanFile:
    named = [folder.partition("=") for folder in folders if "=" in folder]
    constants = tuple((name, value) for name, _, value in named)
    return ScanFile(path, _kind(path), constants)


def _kind(path: Path) -> Kind:
    name = path.name.lower()
    ending = Path(name.removesuffix(next((p for p in PACKED if name.endswith(p)), ""))).suffix
    kind = KINDS.get(ending)
    if kind is None or (kind == "parquet" and not name.endswith(ending)):
        known = ", ".join(KINDS)
        raise InvalidInputError(
            "sources", f"files that end in {known} (text also packed: {', '.join(PACKED)})",
            str(path), f"Leave {shown(path.name)} out with a pattern, or rename it.",
        )  # fmt: skip
    return kind
