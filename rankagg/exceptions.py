"""One tree of errors; each says what was wrong, what is allowed, and what to do."""

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


# Signs that steer a terminal, turn the direction of a text, or that XML cannot hold.
HIDDEN = re.compile(
    "[\0-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
# Letters of a message: it fits on a screen, whatever it names.
MOST_LETTERS = 600


def visible(text: str) -> str:
    r"""Return a text of lines that may leave the program: signs that steer are written \x1b."""
    return HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def on_screen(text: str) -> str:
    """Return a message that may leave the program, cut in the middle where it is longer."""
    told = visible(text)
    left = MOST_LETTERS - 5
    return told if len(told) <= MOST_LETTERS else f"{told[: left // 2]} ... {told[-left // 2 :]}"


def visible_json(text: str) -> str:
    """Return JSON that says the same without such signs."""
    return HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class _Short(Repr):
    """Values in a message: cut where they are long."""

    def repr_int(self, x: int, level: int) -> str:
        """Show an integer; Python writes none of thousands of digits."""
        bits = x.bit_length()
        return super().repr_int(x, level) if bits < 10_000 else f"an integer of {bits} bits"


# What is compared to find out which name was meant: so many names, so many letters; so many letters
# are the start of one.
COMPARED, LONGEST, FEWEST = 10_000, 200, 3

_short = _Short()
_short.maxstring = 60
_short.maxother = 160


def shown(value: object) -> str:
    """Return a value as a message shows it."""
    text = _short.repr(value)
    return " ".join(text.split()) if "\n" in text else text  # tables and arrays have many lines


def nearest(value: object, names: Iterable[object]) -> str:
    """Return a remedy that suggests the name that was probably meant; "" where none is near."""
    if value is None:  # that is no misspelling
        return ""
    # Only what goes wrong needs it.
    from difflib import get_close_matches  # noqa: PLC0415

    # Python does not write integers of thousands of digits; what is shown of them will do.
    texts = ((name if isinstance(name, str) else shown(name), name) for name in names)
    known = {text.casefold(): name for text, name in islice(texts, COMPARED)}
    meant = value if isinstance(value, str) else shown(value)
    typed = meant.casefold()[:LONGEST]
    begun = (name for name in known if len(typed) >= FEWEST and name.startswith(typed))
    inside = [name for name in known if typed in name]
    # Last what is a part of one name alone.
    alone = inside[: len(inside) == 1]
    found = get_close_matches(typed, known, n=1) or [*islice(begun, 1)] or alone
    return f"Did you mean {shown(known[found[0]])}?" if found else ""


class Described(str):
    """A value told in words ("nan in row 3"), shown without quotation marks."""

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
        The name of the parameter, with its owner where that helps.
    allowed : str
        What the parameter must be; completes "must be ...".
    value : object
        The value that was given.
    remedy : str, optional
        What the caller can do about it.

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
    """Two objects speak of different items, or of the same items in another order."""


class TiedRankingError(RankaggError, ValueError):
    """A strict order was asked of a ranking that has ties."""


class InformationLostError(RankaggError, TypeError):
    """A method needs what the given data do not hold: scores, single rankings, a proof."""


class InfeasibleError(RankaggError, ValueError):
    """Constraints that no ranking keeps; the message names some in conflict, none without need."""

    def __init__(self, message: str, conflict: tuple[str, ...] = ()) -> None:
        self.conflict = conflict
        super().__init__(message)

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.args[0], self.conflict)


class DataFormatError(RankaggError, ValueError):
    """A file or table that cannot be read; the message names the place.

    Parameters
    ----------
    sentence : str
        What is wrong where.
    remedy : str, optional
        What the caller can do about it.
    """

    def __init__(self, sentence: str, remedy: str = "") -> None:
        self.sentence = sentence
        self.remedy = remedy
        super().__init__(f"{sentence} {remedy}" if remedy else sentence)

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.sentence, self.remedy)


class DataWarning(UserWarning):
    """Something in the data was left out, and how much of it."""

    def __str__(self) -> str:
        return on_screen(super().__str__())


class SolverError(RankaggError, RuntimeError):
    """A solver failed, in its own words, or is not installed: then how to install it."""


class OutOfTimeError(RankaggError):
    """The time limit passed before the answer was found."""

    def __init__(self, message: str = "Not computed in time: the time limit has passed.") -> None:
        super().__init__(message)


class OutputError(RankaggError, OSError):
    """A file that cannot be written; the former one is untouched."""


class NotIdentifiedError(RankaggError, ValueError):
    """The data do not determine the parameters: the likelihood has no finite maximum."""


class WorkerError(RankaggError, RuntimeError):
    """A process that did a part of the work was killed."""


class TooLargeError(RankaggError):
    """More memory or steps are needed than a limit allows; the message names the limit."""


class VerificationError(RankaggError):
    """A certificate does not prove what it states."""
