"""How numbers are written in text, and ties that a file does not hold."""

from __future__ import annotations

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg._validation import check_choice, check_flag
from rankagg.core.items import counted
from rankagg.exceptions import DataWarning, InvalidInputError, shown

__all__ = [
    "HUNDREDTH",
    "NO_NUMBER",
    "USUAL",
    "NumberStyle",
    "Restated",
    "Said",
    "warn_of_style",
    "warn_of_ties",
]

#: What was met beside plain numbers: a kind, the text where that matters, and how often.
Said = Mapping[tuple[str, str], int]

# What is put in place of a number with a percent sign: read as one number, it is rounded once.
HUNDREDTH = r"\1e-2"

# Where decimals have a comma, a point might part thousands: nothing is guessed.
NO_NUMBER = "?"

SIGN = {".": r"\.", ",": ","}
# Where a value has a percent sign, or its error has one; the first group is the value.
ERRORS = (
    (r"^({n}) ?%? *(?:±|\+/?-|\\pm) *{u} ?%$", r"\1%"),
    (r"^({n} ?%?) *(?:±|\+/?-|\\pm) *{u}$", r"\1"),
    (r"^({n}) ?%? *\( *{u} ?% *\)$", r"\1%"),
    (r"^({n}) *\( *{u} *\) ?%$", r"\1%"),
    (r"^({n} ?%?) *\( *{u} *\)$", r"\1"),
)


class Restated(NamedTuple):
    """A text as Python writes numbers, None where it says that one is missing, and what it was."""

    text: str | None
    kinds: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class NumberStyle:
    """How numbers are written."""

    # What stands before decimals.
    decimal: str = "."
    # Whether a percent sign divides by 100.
    percent: bool = False
    # Further words for a missing number.
    missing: frozenset[str] = frozenset()
    # What is done about "1.2 ± 0.3".
    errors: str = "refuse"

    @classmethod
    def of(
        cls, decimal: object, missing: Any, percent: object = False, errors: object = "refuse"
    ) -> NumberStyle:
        """Return a style; raises where an option is none."""
        allowed = "words for a missing number, such as ['-', 'n/a']"
        words = [missing] if isinstance(missing, str) else missing
        if not isinstance(words, Iterable):
            raise InvalidInputError("missing", allowed, missing)
        words = list(words)
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
    def with_errors(self) -> tuple[tuple[str, str], ...]:
        """Patterns of numbers with errors, and what to put in their place."""
        if self.errors == "refuse":
            return ()
        sign = SIGN[self.decimal]
        unsigned = rf"(?:[0-9]+(?:{sign}[0-9]*)?|{sign}[0-9]+)(?:[eE][+-]?[0-9]+)?"
        return tuple(
            (pattern.replace("{n}", f"[+-]?{unsigned}").replace("{u}", unsigned), new)
            for pattern, new in ERRORS
        )

    @cached_property
    def with_percent(self) -> str:
        """The pattern of a number with a percent sign."""
        sign = SIGN[self.decimal]
        return rf"^([+-]?(?:[0-9]+(?:{sign}[0-9]*)?|{sign}[0-9]+)) ?%$"

    def restated(self, cell: str) -> Restated:
        """Return a text as Python writes numbers."""
        text = cell.strip()
        if text in self.missing:
            return Restated(None, (("missing", text),))
        kinds: list[tuple[str, str]] = []
        for pattern, new in self.with_errors:
            value, found = re.subn(pattern, new, text)
            if found:
                text = value
                kinds.append(("errors", ""))
                break
        if self.percent:
            text, found = re.subn(self.with_percent, HUNDREDTH, text)
            if found:
                kinds.append(("percent", ""))
        if self.decimal == ",":
            text = NO_NUMBER if "." in text else text.replace(",", ".")
        return Restated(text, tuple(kinds))


USUAL = NumberStyle()


def warn_of_style(name: str, said: Said, *, stacklevel: int) -> None:
    """Warn of what was read over, or otherwise than it stands there, with numbers."""
    words = Counter({text: n for (kind, text), n in said.items() if kind == "missing"})
    if words:
        several = len(words) > 1
        told = " or ".join(
            f"{shown(word)} ({n})" if several else shown(word) for word, n in words.most_common()
        )
        number = counted(words.total(), "cell")
        _warn(f"{name}: {number} with {told} read as missing.", stacklevel)
    errors = said.get(("errors", ""), 0)
    if errors:
        number = counted(errors, "number")
        _warn(f"{name}: {number} with an error behind: the errors were left out.", stacklevel)
    with_sign, without = said.get(("percent", ""), 0), said.get(("bare", ""), 0)
    if with_sign and without:
        number = counted(with_sign + without, "number")
        _warn(
            f"{name}: {with_sign} of {number} have a percent sign and were divided by 100, the "
            "others were not.",
            stacklevel,
        )


def _warn(message: str, stacklevel: int) -> None:
    warnings.warn(message, DataWarning, stacklevel=stacklevel + 2)


def warn_of_ties(
    name: str,
    values: Floats,
    lost: Mapping[int, object],
    unit: NDArray[np.intp],
    place: Callable[[int], str],
    *,
    stacklevel: int,
) -> None:
    """Warn where numbers that are compared differ, and their floats do not."""
    if not lost:
        return
    rounded = np.unique(values[list(lost)])
    sets: dict[tuple[int, float], dict[object, int]] = defaultdict(dict)
    for entry in np.flatnonzero(np.isin(values, rounded)).tolist():
        value = float(values[entry])
        exact = lost.get(entry, Decimal(repr(value)))
        sets[int(unit[entry]), value].setdefault(exact, entry)
    ties = [numbers for numbers in sets.values() if len(numbers) > 1]
    if ties:
        (first, _), (second, entry), *_ = ties[0].items()
        warnings.warn(
            f"{name}: 64-bit floats hold about 16 digits, and rounding to them tied what differs "
            f"in {len(ties)} of the cases compared; the first is {first} and {second} "
            f"({place(entry)}). Subtract a common number to keep them apart.",
            DataWarning,
            stacklevel=stacklevel + 1,
        )
