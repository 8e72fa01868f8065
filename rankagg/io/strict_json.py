"""JSON read strictly: no key twice, nothing converted, and the place of whatever is wrong."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any, NamedTuple, NoReturn

from rankagg.core import shortened
from rankagg.exceptions import DataFormatError, shown

#: Integers have at most a thousand digits.
LARGEST_INTEGER = 10**1000 - 1
MOST_DIGITS = 1000

FRACTION = re.compile(r"(0|[1-9][0-9]{0,999})(/[1-9][0-9]{0,999})?")

# What stands for half of a character where the other half is not beside it: written, and read.
ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")
HALF_CHARACTER = re.compile("[\ud800-\udfff]")

# A sample of a log has these members, and of what else it holds only these are kept.
OF_SAMPLES = frozenset({"id", "epoch", "scores", "error", "invalidation"})


class RepeatedKeyError(ValueError):
    """A key that stands twice in one object."""


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raises where a key is there twice."""
    content = dict(pairs)
    if len(content) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise RepeatedKeyError(f"the key {shown(key)} twice in one object")
    return content


def kept(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, of a sample of a log only what is read of it."""
    content = distinct(pairs)
    if "epoch" in content and "target" in content and "input" in content and "id" in content:
        return {key: content[key] for key in OF_SAMPLES & content.keys()}
    return content


def _integer(digits: str) -> int:
    length = len(digits.removeprefix("-"))
    if length > MOST_DIGITS:
        raise OverflowError(f"an integer of {length} digits; at most {MOST_DIGITS} are read")
    return int(digits)


def _no_number(word: str) -> NoReturn:
    raise OverflowError(f"the number {word[:60]}; only integers are read")


INTEGERS_ONLY = json.JSONDecoder(
    object_pairs_hook=distinct,
    parse_int=_integer,
    parse_float=_no_number,
    parse_constant=_no_number,
)
LENIENT = json.JSONDecoder(object_pairs_hook=kept)


def parse_json(text: str, name: str, decoder: json.JSONDecoder = INTEGERS_ONLY) -> Any:
    """Return the content of a JSON text, by default of one that holds no number but integers."""
    try:
        content = decoder.decode(text)
    except json.JSONDecodeError as error:
        raise DataFormatError(
            f"{name} is not JSON: {error.msg} in line {error.lineno}, column {error.colno}.",
            ""
            if decoder is INTEGERS_ONLY
            else "It may be cut off: write it again, or leave it out.",
        ) from None
    except (RepeatedKeyError, OverflowError) as error:
        raise DataFormatError(f"{name} has {error}.") from None
    except RecursionError:
        raise DataFormatError(f"{name} is nested too deep to be read.") from None
    except ValueError:  # Python's own limit
        raise DataFormatError(f"{name} has an integer of thousands of digits.") from None
    if decoder is INTEGERS_ONLY:
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


def fields_of_lines(source: str, lines: Iterable[tuple[int, str]]) -> Iterator[Field]:
    """Yield the objects in lines."""
    for number, line in lines:
        name = f"{source}, line {number}"
        field = Field(parse_json(line, name, LENIENT), "", name)
        field.content()
        yield field


class Field(NamedTuple):
    """A value and where it stands, to be asked for what it must be."""

    value: Any
    # Where: "proofs[0].nodes[3].threshold", for instance; "" for the whole.
    path: str = ""
    # The file, with the line where it has lines; "" where whoever reads it says which.
    name: str = ""

    def _refused(self, sentence: str, remedy: str = "") -> DataFormatError:
        return DataFormatError(f"{self.name}: {sentence}" if self.name else sentence, remedy)

    def refuse(self, allowed: str, remedy: str = "") -> NoReturn:
        """Raise, saying what must stand here."""
        place = f"`{shortened(self.path, 160)}`" if self.path else "it"
        value, size = self.value, f"a {type(self.value).__name__} of {{}}".format
        got = size(len(value)) if isinstance(value, dict | list | tuple) else shown(value)
        raise self._refused(f"{place} must be {allowed}. Got {got}.", remedy)

    def _at(self, key: str) -> Field:
        return Field(self.value[key], f"{self.path}.{key}" if self.path else key, self.name)

    # -- objects and lists --------------------------------------------------------------------

    def content(self) -> dict[str, Any]:
        """Return the members of an object."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        return self.value

    def has(self, key: str) -> bool:
        """Say whether this is an object with a key."""
        return isinstance(self.value, dict) and key in self.value

    def get(self, key: str, remedy: str = "") -> Field:
        """Return a member that must be there."""
        if key not in self.content():
            path = shortened(f"{self.path}.{key}" if self.path else key, 160)
            raise self._refused(f"`{path}` is missing.", remedy)
        return self._at(key)

    def find(self, *keys: str) -> Field | None:
        """Return what is below some keys, one after another; None where it is absent or null."""
        found = self
        for key in keys:
            if found.content().get(key) is None:
                return None
            found = found._at(key)
        return found

    def find_text(self, *keys: str) -> str:
        """Return the text below some keys, "" where it is absent or null."""
        found = self.find(*keys)
        return "" if found is None else found.text()

    def find_elements(self, *keys: str) -> list[Field]:
        """Return the elements of a list below some keys, none where it is absent or null."""
        found = self.find(*keys)
        return [] if found is None else found.elements()

    def find_integer(self, *keys: str) -> int | None:
        """Return the whole number below some keys; None where there is anything else."""
        found = self.find(*keys)
        return found.value if found is not None and type(found.value) is int else None

    def items(self) -> Iterator[tuple[str, Field]]:
        """Yield names and members of an object."""
        for key in self.content():
            member = self._at(key)
            if not key.isascii() and HALF_CHARACTER.search(key):
                member.refuse("a member whose name is of whole characters")
            yield key, member

    def members(self, *keys: str) -> list[Field]:
        """Return the members of an object that has exactly these keys, in their order."""
        found = [self.get(key) for key in keys]
        for key in self.content():
            if key not in keys:
                where = f" of `{self.path}`" if self.path else ""
                known = ", ".join(keys)
                raise self._refused(f"{shown(key)} is no key{where}; the keys are {known}.")
        return found

    def elements(self) -> list[Field]:
        """Return the elements of a list."""
        if type(self.value) is not list:
            self.refuse("a list")
        values = enumerate(self.value)
        return [Field(value, f"{self.path}[{at}]", self.name) for at, value in values]

    # -- values -------------------------------------------------------------------------------

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

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            self.refuse("true or false")
        return self.value

    def text(self) -> str:
        """Return a text that is not blank."""
        if not isinstance(self.value, str) or not self.value.strip():
            self.refuse("a text")
        if not self.value.isascii() and HALF_CHARACTER.search(self.value):
            self.refuse("a text of whole characters")
        return self.value

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
        value = math.nan
        with suppress(OverflowError):
            value = float(self.value)
        if value != self.value and not isinstance(self.value, float):
            self.refuse("a number that a 64-bit float holds", "Subtract a common number first.")
        return value
