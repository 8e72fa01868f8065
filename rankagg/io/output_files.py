"""Write files: check the target, write a temporary file next to it, and rename that.

After any error the former file is unchanged and no partial file is left.
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

#: The path of a file or folder.
Target = str | PathLike[str]
# Wide forms of the four signs count too; a plain number is no formula.
FORMULA = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
PLAIN_NUMBER = re.compile(r"'*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def check_target(target: Target) -> Path:
    """Return the path of a file; raise if it cannot be written, as far as one can tell.

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
    """Return why a file cannot be written, and a remedy; None if no reason is known."""
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
    """Let a function write a temporary file, and move it to the target when it is complete.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_file(Path(folder) / "a.txt", lambda path: path.write_bytes(b"new"))
    ...     (Path(folder) / "a.txt").read_bytes()
    b'new'
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
            temporary = Path(file.name)
        try:
            write(temporary)
            temporary.chmod(_mode(final))
            with temporary.open("r+b") as written:
                os.fsync(written.fileno())
            temporary.replace(final)
        except BaseException:  # also after an interruption
            with suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        why = error.strerror or error
        raise OutputError(f"{path} cannot be written: {why}. Nothing was changed.") from error


def write_text(target: Target, text: str) -> None:
    """Write a text in UTF-8 with line feeds; see `write_file`."""
    # As bytes, so that encoding and line ends do not depend on the platform.
    write_file(target, lambda path: path.write_bytes(text.encode()))


def _real(path: Path) -> Path:
    """Return the target of a link, so that the link is kept."""
    return path.resolve() if path.is_symlink() else path


def _is_special(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


def _mode(path: Path) -> int:
    """Return the permissions of an existing file, or those of a new one."""
    if path.exists():
        return path.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


# -- text that a spreadsheet would run ------------------------------------------------------------
#
# Spreadsheets run a cell that begins with =, +, - or @ as a formula, also after a tab or line end.
# The usual remedy is an apostrophe in front, which they do not show. Readers remove it.


def _is_formula(text: str) -> bool:
    return FORMULA.match(text) is not None and PLAIN_NUMBER.fullmatch(text) is None


def _guard(value: Any) -> Any:
    """Return a value for a CSV file; a formula gets an apostrophe in front."""
    return "'" + value if isinstance(value, str) and _is_formula(value) else value


def unguard(text: str) -> str:
    """Remove the apostrophe that `_guard` added."""
    return text[1:] if text.startswith("'") and _is_formula(text) else text


def guard_frame(frame: DataFrame) -> DataFrame:
    """Return a table without formulas in cells and names of columns and rows."""
    guarded = frame.rename(columns=_guard, index=_guard)
    guarded.index.names = [_guard(name) for name in guarded.index.names]
    for position, dtype in enumerate(guarded.dtypes):
        if dtype.kind not in "iufcb":
            guarded.isetitem(position, guarded.iloc[:, position].map(_guard).array)
    return guarded
