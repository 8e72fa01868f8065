"""JSON read strictly: no key twice, nothing converted, and the place of whatever is wrong."""

from __future__ import annotations

import json
import re
from collections import Counter
from fractions import Fraction
from typing import Any, NamedTuple, NoReturn

from rankagg.core import shortened
from rankagg.exceptions import DataFormatError, shown

#: Integers have at most a thousand digits.
LARGEST_INTEGER = 10**1000 - 1
MOST_DIGITS = 1000

FRACTION = re.compile(r"(0|[1-9][0-9]{0,999})(/[1-9][0-9]{0,999})?")

# What stands for half of a character where the other half is not beside it.
ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class RepeatedKeyError(ValueError):
    """A key that stands twice in one object."""


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raises where a key is there twice."""
    content = dict(pairs)
    if len(content) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise RepeatedKeyError(f"the key {shown(key)} twice in one object")
    return content


def _integer(digits: str) -> int:
    length = len(digits.removeprefix("-"))
    if length > MOST_DIGITS:
        raise OverflowError(f"an integer of {length} digits; at most {MOST_DIGITS} are read")
    return int(digits)


def _no_number(word: str) -> NoReturn:
    raise OverflowError(f"the number {word[:60]}; only integers are read")


def parse_json(text: str, name: str, decoder: json.JSONDecoder | None = None) -> Any:
    """Return the content of a JSON text, by default of one that holds no number but integers."""
    integers_only = json.JSONDecoder(
        object_pairs_hook=distinct,
        parse_int=_integer,
        parse_float=_no_number,
        parse_constant=_no_number,
    )
    try:
        content = (decoder or integers_only).decode(text)
    except json.JSONDecodeError as error:
        raise DataFormatError(
            f"{name} is not JSON: {error.msg} in line {error.lineno}, column {error.colno}.",
            "It may be cut off: write it again, or leave it out." if decoder else "",
        ) from None
    except (RepeatedKeyError, OverflowError) as error:
        raise DataFormatError(f"{name} has {error}.") from None
    except RecursionError:
        raise DataFormatError(f"{name} is nested too deep to be read.") from None
    except ValueError:  # Python's own limit
        raise DataFormatError(f"{name} has an integer of thousands of digits.") from None
    if decoder is None:
        check_characters(text, content, name)
    return content


def check_characters(text: str, content: object, name: str) -> None:
    """Raise where a text has half of a character, which can be neither printed nor written."""
    if ESCAPED_HALF.search(text) is None:
        return
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):x}"
        raise DataFormatError(f"{name} has half of a character ({half}) in a text.") from None


class Field(NamedTuple):
    """A value and where it stands, to be asked for what it must be."""

    value: Any
    # Where: "proofs[0].nodes[3].threshold", for instance; "" for the whole.
    path: str = ""

    def refuse(self, allowed: str, remedy: str = "") -> NoReturn:
        """Raise, saying what must stand here."""
        place = f"`{shortened(self.path, 160)}`" if self.path else "it"
        value, size = self.value, f"a {type(self.value).__name__} of {{}}".format
        got = size(len(value)) if isinstance(value, dict | list | tuple) else shown(value)
        raise DataFormatError(f"{place} must be {allowed}. Got {got}.", remedy)

    def has(self, key: str) -> bool:
        """Say whether this is an object with a key."""
        return isinstance(self.value, dict) and key in self.value

    def members(self, *keys: str) -> list[Field]:
        """Return the members of an object that has exactly these keys, in their order."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        paths = [f"{self.path}.{key}" if self.path else key for key in keys]
        for key, path in zip(keys, paths, strict=True):
            if key not in self.value:
                raise DataFormatError(f"`{shortened(path, 160)}` is missing.")
        for key in self.value:
            if key not in keys:
                where = f" of `{self.path}`" if self.path else ""
                known = ", ".join(keys)
                raise DataFormatError(f"{shown(key)} is no key{where}; the keys are {known}.")
        return [Field(self.value[key], path) for key, path in zip(keys, paths, strict=True)]

    def elements(self) -> list[Field]:
        """Return the elements of a list."""
        if type(self.value) is not list:
            self.refuse("a list")
        return [Field(value, f"{self.path}[{at}]") for at, value in enumerate(self.value)]

    def integer(self, low: int = 0, high: int = LARGEST_INTEGER) -> int:
        """Return a plain integer from `low` to `high`."""
        if type(self.value) is not int or not low <= self.value <= high:
            limit = (
                f"at most {MOST_DIGITS} digits" if high == LARGEST_INTEGER else f"at most {high}"
            )
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

    def fraction(self) -> Fraction:
        """Return a fraction that is not negative, from "3" or "7/2" in lowest terms."""
        allowed = 'a text such as "3" or "7/2", a fraction in lowest terms'
        if type(self.value) is not str or FRACTION.fullmatch(self.value) is None:
            self.refuse(allowed)
        fraction = Fraction(self.value)
        if str(fraction) != self.value:
            self.refuse(allowed)
        return fraction

    def text(self) -> str:
        """Return a text that is not blank."""
        if not isinstance(self.value, str) or not self.value.strip():
            self.refuse("a text")
        return self.value
