"""JSON as evaluation tools write it: lines of objects, and parts that know where they stand."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

from rankagg.core.items import shortened
from rankagg.exceptions import DataFormatError, shown

__all__ = ["Part", "parse", "parts_of_lines"]

# A sample of a log has these members, and of what else it holds only these are kept.
SAMPLE = frozenset({"id", "epoch", "scores", "error", "invalidation"})

# What stands for half of a character where the other half is not beside it.
SURROGATE = re.compile("[\ud800-\udfff]")

FLOATS_END = 2**53


def parse(name: str, text: str) -> Any:
    """Return the content of a JSON text, of samples of a log only what is read of them."""
    try:
        return json.loads(text, object_pairs_hook=_distinct)
    except _TwiceError as twice:
        raise DataFormatError(
            f"{name} has the key {shown(twice.key)} twice in one object."
        ) from None
    except json.JSONDecodeError as error:
        raise DataFormatError(
            f"{name} is no JSON: {error.msg} in line {error.lineno}, column {error.colno}. It may "
            "be cut off: write it again, or leave it out."
        ) from None
    except RecursionError:
        raise DataFormatError(f"{name} is nested too deep to be read.") from None
    except ValueError:  # Python's own limit
        raise DataFormatError(f"{name} has an integer of thousands of digits.") from None


class _TwiceError(Exception):
    """A key that stands twice in one object."""

    def __init__(self, key: str) -> None:
        self.key = key


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise _TwiceError(key)
    if "epoch" in content and "target" in content and "input" in content and "id" in content:
        return {key: content[key] for key in SAMPLE & content.keys()}
    return content


class Part(NamedTuple):
    """A value and where it stands, to be asked for what it must be."""

    value: Any
    # The file, with the line where it has lines.
    name: str
    # Where in it: names of members, and numbers of elements as in "[0]".
    path: tuple[str, ...] = ()

    def refuse(self, allowed: str, remedy: str = "") -> NoReturn:
        """Raise, saying what must stand here."""
        where = f"`{_told(self.path)}`" if self.path else "it"
        sentence = f"{self.name}: {where} must be {allowed}. Got {shown(self.value)}."
        raise DataFormatError(f"{sentence} {remedy}" if remedy else sentence)

    def get(self, key: str, remedy: str = "") -> Part:
        """Return a member that must be there."""
        if key not in self.content():
            sentence = f"{self.name}: `{_told((*self.path, key))}` is missing."
            raise DataFormatError(f"{sentence} {remedy}" if remedy else sentence)
        return Part(self.value[key], self.name, (*self.path, key))

    def find(self, key: str) -> Part | None:
        """Return a member; None where it is absent or null."""
        value = self.content().get(key)
        return None if value is None else Part(value, self.name, (*self.path, key))

    def content(self) -> dict[str, Any]:
        """Return the members of an object."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        content: dict[str, Any] = self.value
        return content

    def members(self) -> Iterator[tuple[str, Part]]:
        """Yield names and members of an object."""
        for key, value in self.content().items():
            yield key, Part(value, self.name, (*self.path, key))

    def elements(self) -> list[Part]:
        """Return the elements of a list."""
        if not isinstance(self.value, list):
            self.refuse("a list")
        return [
            Part(value, self.name, (*self.path, f"[{at}]")) for at, value in enumerate(self.value)
        ]

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            self.refuse("true or false")
        return self.value

    def text(self) -> str:
        """Return a text that is not blank."""
        if not isinstance(self.value, str) or not self.value.strip():
            self.refuse("a text")
        if not self.value.isascii() and SURROGATE.search(self.value):
            self.refuse("a text of whole characters")
        text: str = self.value
        return text

    def label(self) -> str | int:
        """Return a text that is not blank, or a whole number."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return self.value
        if not isinstance(self.value, str):
            self.refuse("a text or a whole number")
        return self.text()

    def number(self) -> float:
        """Return a number; NaN and infinities are some."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self.refuse("a number")
        return self.measured()

    def measured(self) -> float:
        """Return a number or truth value as a float."""
        value = self.value
        if isinstance(value, float):
            return value
        if abs(value) > FLOATS_END and not _is_float(value):
            self.refuse("a number that a 64-bit float holds", "Subtract a common number first.")
        return float(value)


def _told(path: Sequence[str]) -> str:
    return ".".join(shortened(key) for key in path).replace(".[", "[")


def _is_float(value: int) -> bool:
    try:
        return float(value) == value and math.isfinite(float(value))
    except OverflowError:
        return False


def parts_of_lines(
    source: str, lines: Iterable[tuple[int, str]], needed: Sequence[str]
) -> Iterator[Part]:
    """Yield the objects in lines."""
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
