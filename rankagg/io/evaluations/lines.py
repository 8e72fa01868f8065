"""Lines of JSON, one object each, of which one is held at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from rankagg.io.evaluations.parts import Part, parse

__all__ = ["parts_of_lines"]


def parts_of_lines(
    source: str, lines: Iterable[tuple[int, str]], needed: Sequence[str]
) -> Iterator[Part]:
    """Yield the objects in lines.

    Parameters
    ----------
    source : str
        The file.
    lines : iterable of (int, str)
        Its lines and their numbers.
    needed : sequence of str
        Names of what will be read: a line that has one of them twice is looked at closely.

    Yields
    ------
    Part

    Raises
    ------
    DataFormatError
        If a line is no object, or has a key twice.
    """
    quoted = [f'"{key}"' for key in needed]
    for number, line in lines:
        name = f"{source}, line {number}"
        # The decoder without a hook is several times as fast; it cannot see a key that is there
        # twice, unless neither its name nor an escaped one is.
        if "\\u00" in line or any(line.count(key) > 1 for key in quoted):
            content = parse(name, line)
        else:
            try:
                content = json.loads(line)
            except (ValueError, RecursionError):
                content = parse(name, line)  # which says why
        part = Part(content, name)
        part.content()
        yield part
