"""JSON read strictly: no key twice, nothing converted, and the place of whatever is wrong."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, NoReturn

from rankagg import check_certificate
from rankagg.check_certificate import MOST_DIGITS
from rankagg.exceptions import DataFormatError, shown

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


class Field(check_certificate.Field):
    """A value of a file of the package and where it stands, to be asked for what it must be."""

    def fail(self, sentence: str, remedy: str = "") -> NoReturn:
        """Raise."""
        raise DataFormatError(sentence, remedy)

    def text(self) -> str:
        """Return a text that is not blank."""
        if not isinstance(self.value, str) or not self.value.strip():
            self.refuse("a text")
        return self.value
