"""How columns are told: labels as codes, numbers, and the ways in which text writes them."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Positions
from rankagg._validation import check_choice, check_flag
from rankagg.core import counted
from rankagg.exceptions import DataWarning, InvalidInputError, shown

#: What was met beside plain numbers: a kind, the text where that matters, and how often.
Said = Mapping[tuple[str, str], int]

#: Words for a missing number, in any case, and in the usual ones: Arrow knows each in one alone.
MISSING_WORDS = frozenset({"", "na", "n/a", "nan", "NaN", "null", "none"})
MISSING_TEXTS = [case(w) for w in MISSING_WORDS for case in (str, str.upper, str.capitalize)]

# Read as one number, what has a percent sign is rounded once.
HUNDREDTH = "e-2"
# Where decimals have a comma, a point might part thousands: nothing is guessed.
NO_NUMBER = "?"

UNSIGNED = r"(?:[0-9]+(?:{s}[0-9]*)?|{s}[0-9]+)"
EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
# A value with its error: "1.2 ± 0.3", "1.2 (0.3)"; a percent sign of one is one of the value.
WITH_ERROR = (
    rf"([+-]?{UNSIGNED}{EXPONENT}) ?%? *"
    rf"(?:(?:±|\+/?-|\\pm) *{UNSIGNED}{EXPONENT} ?%?|\( *{UNSIGNED}{EXPONENT} ?%? *\) ?%?)"
)
# "1st", as forms and results of races write ranks.
ORDINAL = re.compile(r"([0-9]+)(?:st|nd|rd|th)(?: (?:choice|place|preference))?", re.IGNORECASE)


class Numbers(NamedTuple):
    """Numbers of one column or several."""

    # NaN is missing.
    values: Floats
    # What was met beside plain numbers, and how often.
    said: Said = MappingProxyType({})


class Coded(NamedTuple):
    """A column of labels: distinct ones in the order in which they first occur, and their codes."""

    codes: Positions
    labels: list[Any]

    @classmethod
    def of(cls, labels: Iterable[Any]) -> Coded:
        """Give every label a code."""
        first: dict[Any, int] = {}
        codes = [first.setdefault(label, len(first)) for label in labels]
        return cls(np.array(codes, dtype=np.intp), list(first))

    def merged(self, labels: Iterable[Any]) -> Coded:
        """Return the column with other labels for the distinct ones, which may now be equal."""
        again = Coded.of(labels)
        if len(again.labels) == len(self.labels):
            return Coded(self.codes, again.labels)
        return Coded(again.codes[self.codes], again.labels)

    def with_gaps(self) -> Coded:
        """Return the column with the code -1, and no label, for the empty text."""
        if "" not in self.labels:
            return self
        at = self.labels.index("")
        codes = np.where(self.codes == at, -1, self.codes - (self.codes > at))
        return Coded(codes, [*self.labels[:at], *self.labels[at + 1 :]])

    def chosen(self, rows: NDArray[Any]) -> Coded:
        """Return the labels of some rows."""
        found = Coded.of(self.codes[rows].tolist())
        return Coded(found.codes, [self.labels[code] for code in found.labels])


def names_of(columns: Any) -> list[Any]:
    """Return names of columns as a list, one name alone among them."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        return [columns]
    return list(columns)


@dataclass(frozen=True)
class NumberStyle:
    """How numbers are written in text."""

    # What stands before decimals.
    decimal: str = "."
    # Whether a percent sign divides by 100.
    percent: bool = False
    # Further words for a missing number.
    missing: frozenset[str] = frozenset()
    # What is done about "1.2 ± 0.3".
    errors: str = "refuse"
    # Whether "2nd" and "2nd choice" are 2.
    ordinals: bool = False

    @classmethod
    def of(
        cls, decimal: object, missing: Any, percent: object = False, errors: object = "refuse"
    ) -> NumberStyle:
        """Return a style; raises where an option is none."""
        allowed = "words for a missing number, such as ['-', 'n/a']"
        if not isinstance(missing, Iterable):
            raise InvalidInputError("missing", allowed, missing)
        words = names_of(missing)
        for word in words:
            if not isinstance(word, str) or not word.strip():
                raise InvalidInputError("missing", allowed, word, "Empty cells are missing.")
        return cls(
            check_choice(decimal, (".", ","), "decimal"),
            check_flag(percent, "percent"),
            frozenset(word.strip() for word in words),
            check_choice(errors, ("refuse", "drop"), "errors"),
        )

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """What a number with an error is, and one with a percent sign."""
        sign = re.escape(self.decimal)
        percent = rf"([+-]?{UNSIGNED}) ?%"
        return tuple(re.compile(one.replace("{s}", sign)) for one in (WITH_ERROR, percent))  # type: ignore[return-value]

    def restated(self, cell: str, said: Counter[tuple[str, str]], times: int = 1) -> str:
        """Return a text as Python writes numbers, and count what it was."""
        text = cell.strip()
        if text in self.missing:
            said["missing", text] += times
            return ""
        with_error, with_percent = self._patterns
        if self.errors == "drop" and (found := with_error.fullmatch(text)):
            text = found[1] + "%" * ("%" in text)
            said["errors", ""] += times
        if self.percent and (found := with_percent.fullmatch(text)):
            text = found[1] + HUNDREDTH
            said["percent", ""] += times
        if self.ordinals and (found := ORDINAL.fullmatch(text)):
            return found[1]
        if self.decimal == ",":
            text = NO_NUMBER if "." in text else text.replace(",", ".")
        return text


USUAL = NumberStyle()
RANKS = NumberStyle(ordinals=True)


def warn_of_likeness(name: str, labels: Iterable[Any], *, stacklevel: int) -> None:
    """Warn of labels that differ in case and blanks alone: one thing may be spelled in two ways."""
    first: dict[str, Any] = {}
    texts = (label for label in labels if isinstance(label, str))
    plain = ((" ".join(text.casefold().split()), text) for text in texts)
    pairs = [(other, x) for key, x in plain if (other := first.setdefault(key, x)) != x]
    if pairs:
        one, other = map(shown, pairs[0])
        more = f" (and {counted(len(pairs) - 1, 'more such pair')})" if len(pairs) > 1 else ""
        told = (
            f"{name}: {one} and {other} are read as two, though only case or blanks differ{more}."
        )
        warnings.warn(told, DataWarning, stacklevel=stacklevel + 2)


def warn_of_style(name: str, said: Said, *, stacklevel: int) -> None:
    """Warn of what was read over, or otherwise than it stands there, with numbers."""
    words = Counter({text: n for (kind, text), n in said.items() if kind == "missing"})
    told = []
    if words:
        each = [f"{shown(word)} ({n})" for word, n in words.most_common()]
        listed = " or ".join(each) if len(words) > 1 else shown(next(iter(words)))
        told.append(f"{counted(words.total(), 'cell')} with {listed} read as missing.")
    if errors := said.get(("errors", ""), 0):
        number = counted(errors, "number")
        told.append(f"{number} with an error behind: the errors were left out.")
    with_sign, without = said.get(("percent", ""), 0), said.get(("bare", ""), 0)
    if with_sign and without:
        told.append(
            f"{with_sign} of {counted(with_sign + without, 'number')} have a percent sign and were "
            "divided by 100, the others were not."
        )
    for sentence in told:
        warnings.warn(f"{name}: {sentence}", DataWarning, stacklevel=stacklevel + 2)
