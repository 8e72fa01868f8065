"""Writing files: checked before the work, written beside the target, and renamed when whole.

Whatever goes wrong, the former file stays what it was and nothing half-written is left behind.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from os import PathLike
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

from rankagg.exceptions import OutputError

if TYPE_CHECKING:
    from pandas import DataFrame

#: A file or folder that a user named.
Target = str | PathLike[str]
# Wide forms of the four signs count too; a plain number is no formula.
FORMULA = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
PLAIN_NUMBER = re.compile(r"'*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def check_target(target: Target) -> Path:
    """Return the path of a file that can be written as far as one can tell before.

    Examples
    --------
    >>> check_target("no-such-folder/page.html")
    Traceback (most recent call last):
        ...
    rankagg.exceptions.OutputError: no-such-folder/page.html cannot be written: there is no \
    folder no-such-folder. Make it first, or give another path.
    """
    path = Path(target)
    try:
        why = "a path has no zero bytes." if "\0" in str(path) else _why_not(path)
    except OSError as error:  # such as a name that is too long
        why = f"{error.strerror or error}."
    if why is not None:
        raise OutputError(f"{str(path)!r}"[1:-1] + f" cannot be written: {why}")
    return path


def _why_not(path: Path) -> str | None:
    """Say why a file cannot be written, and what to do; None where it seems that it can be."""
    folder = _real(path).parent
    if path.is_dir():
        return "it is a folder. Give the path of a file in it."
    if not folder.is_dir():
        return f"there is no folder {folder}. Make it first, or give another path."
    if _is_special(path):
        return None
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"the folder {folder} is read-only for you. Give another path."
    if path.exists() and not os.access(path, os.W_OK):
        return "the file is read-only. Give another path, or allow it."
    return None


def write_file(target: Target, write: Callable[[Path], object]) -> None:
    """Let a function write a file beside the target, and put it in its place when it is whole.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_file(Path(folder) / "a.txt", lambda path: path.write_bytes(b"whole"))
    ...     (Path(folder) / "a.txt").read_bytes()
    b'whole'
    """
    path = check_target(target)
    try:
        if _is_special(path):  # a pipe or a device takes what comes
            write(path)
            return
        final = _real(path)
        with NamedTemporaryFile(
            dir=final.parent, prefix=f".{final.stem[:40]}-", suffix=final.suffix, delete=False
        ) as file:
            beside = Path(file.name)
        try:
            write(beside)
            beside.chmod(_mode(final))
            _flush(beside)
            beside.replace(final)
        except BaseException:  # an interruption too leaves nothing behind
            with suppress(OSError):
                beside.unlink()
            raise
    except OSError as error:
        why = error.strerror or error
        raise OutputError(f"{path} cannot be written: {why}. Nothing was changed.") from error


def write_text(target: Target, text: str) -> None:
    """Write a text in UTF-8 with line feeds; see `write_file`."""
    # As bytes: whatever the platform, UTF-8 and no other line ends.
    write_file(target, lambda path: path.write_bytes(text.encode()))


def _real(path: Path) -> Path:
    """Return where a link leads, so that it stays a link."""
    return path.resolve() if path.is_symlink() else path


def _is_special(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


def _mode(path: Path) -> int:
    """Return the permissions of a file that is there, or those of a new one."""
    if path.exists():
        return path.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _flush(path: Path) -> None:
    """Have the file on the disk before it takes the place of another one."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# -- text that a spreadsheet would run ------------------------------------------------------------
#
# Spreadsheets take a cell that begins with =, +, - or @ for a formula, and a tab or line end before
# it changes nothing. The usual remedy is an apostrophe in front, which they do not show. Reading
# takes it away again, so labels come back as they were.


def _is_formula(text: str) -> bool:
    return FORMULA.match(text) is not None and PLAIN_NUMBER.fullmatch(text) is None


def _guard(value: Any) -> Any:
    """Return a value as it may stand in a CSV file: a formula gets an apostrophe in front."""
    return "'" + value if isinstance(value, str) and _is_formula(value) else value


def unguard(text: str) -> str:
    """Return what `_guard` made a text of."""
    return text[1:] if text.startswith("'") and _is_formula(text) else text


def guard_frame(frame: DataFrame) -> DataFrame:
    """Return a table whose text, names of columns and rows included, holds no formula."""
    guarded = frame.rename(columns=_guard, index=_guard)
    guarded.index.names = [_guard(name) for name in guarded.index.names]
    for position, dtype in enumerate(guarded.dtypes):
        if dtype.kind not in "iufcb":
            guarded.isetitem(position, guarded.iloc[:, position].map(_guard).array)
    return guarded
