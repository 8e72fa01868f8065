"""Types of options that name files and folders to write: refused before the work, not after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankagg.exceptions import OutputError
from rankagg.io.output_files import check_target

__all__ = ["FILE", "FOLDER", "OutputFile", "OutputFolder"]


class OutputFile(click.Path):
    """A file that can be written."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or name the option."""
        try:
            return check_target(value)
        except OutputError as error:
            self.fail(str(error), param, ctx)


class OutputFolder(click.Path):
    """A folder that can be written into, or made."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or name the option."""
        folder = Path(value)
        try:
            # What is there of its path already decides whether the rest can be made.
            there = next(part for part in (folder, *folder.absolute().parents) if part.exists())
            if not there.is_dir():
                self.fail(f"{folder} cannot be made: {there} is a file.", param, ctx)
            check_target(there / "file")
        except (OutputError, OSError, ValueError) as error:
            self.fail(str(error), param, ctx)
        return folder


FILE = OutputFile()
FOLDER = OutputFolder()
