"""The error classes; each message states what is wrong, what is allowed and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from reprlib import Repr

__all__ = [
    "DataFormatError",
    "DataWarning",
    "InfeasibleError",
    "InformationLostError",
    "InvalidInputError",
    "ItemMismatchError",
    "NotIdentifiedError",
    "OutOfTimeError",
    "OutputError",
    "RankaggError",
    "SolverError",
    "TiedRankingError",
    "TooLargeError",
    "VerificationError",
    "WorkerError",
]


# Characters that control a terminal or the direction of text, or that XML forbids.
_SIGNS = "\0-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff"
HIDDEN = re.compile(f"[{_SIGNS}]")
# The same outside the isolates of right-to-left names in sentences, which are harmless.
_NOT_ISOLATED = re.compile(f"(\u2068[^{_SIGNS}]+\u2069)|[{_SIGNS}]")
# Maximum letters of a message, so that it fits on a screen.
MOST_LETTERS = 600


def escaped(text: str) -> str:
    r"""Return a label with control characters escaped, as \x1b."""
    return HIDDEN.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def visible(text: str) -> str:
    """Return a text with control characters escaped, except for isolated names."""
    return _NOT_ISOLATED.sub(lambda match: match[1] or escaped(match[0]), text)


def on_screen(text: str) -> str:
    """Return a message with control characters escaped, and cut in the middle if it is long."""
    line = visible(text)
    left = MOST_LETTERS - 5
    short = f"{line[: left // 2]} ... {line[-left // 2 :]}"
    return line if len(line) <= MOST_LETTERS else visible(short)


def visible_json(text: str) -> str:
    """Return JSON with control characters escaped."""
    return HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class _Short(Repr):
    """Shortened values in messages."""

    def repr_int(self, x: int, level: int) -> str:
        """Return an integer as text; Python refuses thousands of digits."""
        bits = x.bit_length()
        return super().repr_int(x, level) if bits < 10_000 else f"an integer of {bits} bits"


# Suggested names: the most names compared, the most letters, and the fewest letters of a prefix.
COMPARED, LONGEST, FEWEST = 10_000, 200, 3

_short = _Short()
_short.maxstring = 60
_short.maxother = 160


def shown(value: object) -> str:
    """Return a value as text for a message."""
    text = _short.repr(value)
    return " ".join(text.split()) if "\n" in text else text  # tables and arrays have many lines


def nearest(value: object, names: Iterable[object]) -> str:
    """Return a question that suggests the nearest name, or "" if none is near."""
    if value is None:  # not a misspelling
        return ""
    # Imported for errors only.
    from difflib import get_close_matches  # noqa: PLC0415

    # `shown` also shortens integers with thousands of digits.
    texts = ((name if isinstance(name, str) else shown(name), name) for name in names)
    candidates = {text.casefold(): name for text, name in islice(texts, COMPARED)}
    typed = (value if isinstance(value, str) else shown(value)).casefold()[:LONGEST]
    prefixed = (name for name in candidates if len(typed) >= FEWEST and name.startswith(typed))
    containing = [name for name in candidates if typed in name]
    matches = get_close_matches(typed, candidates, n=1) or [*islice(prefixed, 1)]
    if not matches and len(containing) == 1:
        matches = containing
    return f"Did you mean {shown(candidates[matches[0]])}?" if matches else ""


class Described(str):
    """A value described in words ("nan in row 3"), shown without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class RankaggError(Exception):
    """Base class of every error that rankagg raises on purpose."""

    def __str__(self) -> str:
        return on_screen(super().__str__())


class InvalidInputError(RankaggError, ValueError):
    """A value that the called function cannot take.

    Parameters
    ----------
    parameter : str
        The name of the parameter, with its owner if that helps.
    allowed : str
        The allowed values; completes "must be ...".
    value : object
        The given value.
    remedy : str, optional
        What to do about it.

    Examples
    --------
    >>> from rankagg.exceptions import InvalidInputError
    >>> raise InvalidInputError("theta of Mallows", "a number in (0, inf)", -1.0)
    Traceback (most recent call last):
        ...
    rankagg.exceptions.InvalidInputError: `theta of Mallows` must be a number in (0, inf). Got -1.0.
    """

    def __init__(self, parameter: str, allowed: str, value: object, remedy: str = "") -> None:
        self.parameter = parameter
        self.allowed = allowed
        self.value = value
        self.remedy = remedy
        sentence = f"`{parameter}` must be {allowed}. Got {shown(value)}."
        super().__init__(f"{sentence} {remedy}" if remedy else sentence)

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.parameter, self.allowed, self.value, self.remedy)


class ItemMismatchError(RankaggError, ValueError):
    """Two objects have different items, or the same items in another order."""


class TiedRankingError(RankaggError, ValueError):
    """A ranking with ties has no strict order."""


class InformationLostError(RankaggError, TypeError):
    """The data lack what a method needs: scores, single rankings or a proof."""


class InfeasibleError(RankaggError, ValueError):
    """No ranking satisfies the constraints; the message names a minimal conflict."""

    def __init__(self, message: str, conflict: tuple[str, ...] = ()) -> None:
        self.conflict = conflict
        super().__init__(message)

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.args[0], self.conflict)


class DataFormatError(RankaggError, ValueError):
    """A file or table cannot be read; the message names the place.

    Parameters
    ----------
    sentence : str
        What is wrong, and where.
    remedy : str, optional
        What to do about it.
    """

    def __init__(self, sentence: str, remedy: str = "") -> None:
        self.sentence = sentence
        self.remedy = remedy
        super().__init__(f"{sentence} {remedy}" if remedy else sentence)

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.sentence, self.remedy)


class DataWarning(UserWarning):
    """Some of the data was left out or reinterpreted; the message counts it."""

    def __str__(self) -> str:
        return on_screen(super().__str__())


class SolverError(RankaggError, RuntimeError):
    """A solver failed, with its own message, or is not installed."""


class OutOfTimeError(RankaggError):
    """The time limit passed before the answer was found."""

    def __init__(self, message: str = "Not computed in time: the time limit has passed.") -> None:
        super().__init__(message)


class OutputError(RankaggError, OSError):
    """A file cannot be written; the former one is unchanged."""


class NotIdentifiedError(RankaggError, ValueError):
    """The data do not determine the parameters: the likelihood has no finite maximum."""


class WorkerError(RankaggError, RuntimeError):
    """A worker process was killed."""


class TooLargeError(RankaggError):
    """The memory or the steps exceed a limit; the message names it."""


class VerificationError(RankaggError):
    """A certificate does not prove what it states."""
