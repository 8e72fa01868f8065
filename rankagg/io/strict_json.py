"""JSON that states something: plain integers, known keys, and the path of whatever is wrong.

Nothing is converted. A boolean is no number, a float is no integer, a key that nobody reads is an
error, and so is one that stands twice.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from reprlib import Repr
from typing import Any, NoReturn

from rankagg.exceptions import DataFormatError

__all__ = ["LARGEST_INTEGER", "Field", "check_characters", "parse_json", "shown"]

#: Integers have at most a thousand digits.
LARGEST_INTEGER = 10**1000 - 1
DIGITS = 1000

FRACTION = re.compile(r"(0|[1-9][0-9]{0,999})(/[1-9][0-9]{0,999})?")

# What stands for half of a character where the other half is not beside it.
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

_short = Repr()
_short.maxstring = 60
_short.maxother = 60


def parse_json(text: str, name: str) -> Any:
    """Return the content of a JSON text that holds no number but integers."""

    def integer(digits: str) -> int:
        length = len(digits.removeprefix("-"))
        if length > DIGITS:
            raise DataFormatError(
                f"{name} has an integer of {length} digits; at most {DIGITS} are read."
            )
        return int(digits)

    def no_number(word: str) -> NoReturn:
        raise DataFormatError(f"{name} has the number {word[:60]}; only integers are read.")

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
            raise DataFormatError(f"{name} has the key {_short.repr(twice)} twice in one object.")
        return content

    try:
        content = json.loads(
            text,
            object_pairs_hook=distinct,
            parse_int=integer,
            parse_float=no_number,
            parse_constant=no_number,
        )
    except json.JSONDecodeError as error:
        raise DataFormatError(
            f"{name} is no JSON: {error.msg} in line {error.lineno}, column {error.colno}."
        ) from None
    except RecursionError:
        raise DataFormatError(f"{name} is nested too deep to be read.") from None
    check_characters(text, content, name)
    return content


def check_characters(text: str, content: object, name: str) -> None:
    """Raise where a text has half of a character, which can be neither printed nor written."""
    if SURROGATE.search(text) is None:
        return
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):x}"
        raise DataFormatError(f"{name} has half of a character ({half}) in a text.") from None


def shown(value: object) -> str:
    """Return a value as a message shows it: short, whatever it is."""
    if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, dict | list | tuple):
        return f"a {type(value).__name__} of {len(value)}"
    return _short.repr(value)


@dataclass(frozen=True)
class Field:
    """A value and where it stands, to be asked for what it must be."""

    value: object
    # Where: "proofs[0].nodes[3].threshold", for instance.
    path: str

    def refuse(self, allowed: str, remedy: str = "") -> NoReturn:
        """Raise, saying what must stand here."""
        sentence = f"`{self.path}` must be {allowed}. Got {shown(self.value)}."
        raise DataFormatError(f"{sentence} {remedy}" if remedy else sentence)

    def _below(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def has(self, key: str) -> bool:
        """Say whether this is an object with a key."""
        return type(self.value) is dict and key in self.value

    def members(self, *keys: str) -> list[Field]:
        """Return the members of an object that has exactly these keys, in their order."""
        if type(self.value) is not dict:
            Field(self.value, self.path or "the whole").refuse("an object")
        for key in keys:
            if key not in self.value:
                raise DataFormatError(f"`{self._below(key)}` is missing.")
        for key in self.value:
            if key not in keys:
                where = f" of `{self.path}`" if self.path else ""
                raise DataFormatError(
                    f"{shown(key)} is no key{where}; the keys are {', '.join(keys)}."
                )
        return [Field(self.value[key], self._below(key)) for key in keys]

    def elements(self) -> list[Field]:
        """Return the elements of a list."""
        if type(self.value) is not list:
            self.refuse("a list")
        return [Field(value, f"{self.path}[{at}]") for at, value in enumerate(self.value)]

    def integer(self, low: int = 0, high: int = LARGEST_INTEGER) -> int:
        """Return a plain integer from `low` to `high`."""
        if type(self.value) is not int or not low <= self.value <= high:
            limit = f"at most {DIGITS} digits" if high == LARGEST_INTEGER else f"at most {high}"
            least = "" if low == -LARGEST_INTEGER else f"at least {low} and "
            self.refuse(f"an integer of {least}{limit}")
        return self.value

    def integers(self, low: int = 0, high: int = LARGEST_INTEGER) -> list[int]:
        """Return a list of plain integers from `low` to `high`."""
        if type(self.value) is not list:
            self.refuse("a list")
        values = self.value
        if values and (set(map(type, values)) != {int} or min(values) < low or max(values) > high):
            return [element.integer(low, high) for element in self.elements()]  # which raises
        return list(values)

    def constant(self, known: int | str, remedy: str = "") -> None:
        """Require one integer or one text."""
        if type(self.value) is not type(known) or self.value != known:
            self.refuse(repr(known), remedy)

    def text(self) -> str:
        """Return a text."""
        if type(self.value) is not str:
            self.refuse("a text")
        return self.value

    def fraction(self) -> Fraction:
        """Return a fraction that is not negative, from "3" or "7/2" in lowest terms."""
        allowed = 'a text such as "3" or "7/2", a fraction in lowest terms'
        if type(self.value) is not str or FRACTION.fullmatch(self.value) is None:
            self.refuse(allowed)
        fraction = Fraction(self.value)
        if str(fraction) != self.value:
            self.refuse(allowed)
        return fraction
