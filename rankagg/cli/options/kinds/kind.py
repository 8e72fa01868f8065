"""What the command line knows of a kind of data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import click

from rankagg.aggregation.evidence import Data

__all__ = ["Found", "Kind", "Option", "Values"]

#: Adds an option to a command.
Option: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
#: What was typed, by the names of options.
Values: TypeAlias = dict[str, Any]


class Found(NamedTuple):
    """Data that were read, and what the reader of the output must know of them besides."""

    data: Data
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kind:
    """A kind of data."""

    # The word for `--format`.
    name: str
    # What such data are, in messages.
    meaning: str
    # Reads the data that options name.
    read: Callable[[Values], Found]
    # The options with a meaning for it; all others are refused.
    takes: tuple[str, ...]
    # Says whether a text is of this kind.
    looks_so: Callable[[str], bool] | None = None

    def check(self, values: Mapping[str, Any], options: Iterable[str]) -> None:
        """Raise where one of these options is given that has no meaning here."""
        for option in options:
            if option not in self.takes and values[option]:
                typed = option.replace("_", "-")
                raise click.UsageError(f"--{typed} has no meaning for {self.meaning}.")


def check_one(files: Sequence[str]) -> None:
    """Raise where there are several files."""
    if len(files) > 1:
        raise click.UsageError(
            f"Give one FILE, not {len(files)}: several are read together where they hold "
            "evaluations (--format evaluations)."
        )
