"""What every reader of files promises."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from rankagg.exceptions import RankaggError
from rankagg.testing.commands import UNREADABLE

__all__ = ["ReaderContract"]


class ReaderContract:
    r"""Tests of a reader of text: files and streams alike, and faults told in one sentence.

    Subclass it and set `read`, a function of a path or an open text stream, and `text`, what a
    file holds; `broken` are more files that no reader may take.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.readers import ReaderContract
    >>> class TestMatrix(ReaderContract):
    ...     read = ra.io.read_matrix
    ...     text = "2\n0 3\n1 0\n"
    """

    read: ClassVar[Callable[..., Any]]
    text: ClassVar[str]
    broken: ClassVar[tuple[str, ...]] = ()

    def _read(self, source: object) -> Any:
        return type(self).read(source)

    def test_a_file_is_read_as_a_stream_is(self, tmp_path: Path) -> None:
        path = tmp_path / "data.txt"
        path.write_text(self.text, encoding="utf-8")
        assert self._read(path) == self._read(str(path)) == self._read(io.StringIO(self.text))

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["unix", "windows", "old"])
    def test_marks_and_line_ends_do_not_matter(self, tmp_path: Path, end: str) -> None:
        path = tmp_path / "data.txt"
        path.write_bytes(b"\xef\xbb\xbf" + self.text.replace("\n", end).encode())
        assert self._read(path) == self._read(io.StringIO(self.text))

    @pytest.mark.parametrize("kind", [kind for kind in UNREADABLE if kind != "header"])
    def test_what_cannot_be_read_is_named(self, tmp_path: Path, kind: str) -> None:
        path = tmp_path / "data.txt"
        content = UNREADABLE[kind]
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(RankaggError, match=r"data\.txt"):
            self._read(path)

    def test_broken_files_are_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "data.txt"
        for text in self.broken:
            path.write_text(text, encoding="utf-8")
            with pytest.raises(RankaggError, match=r"data\.txt"):
                self._read(path)
