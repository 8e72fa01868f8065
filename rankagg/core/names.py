"""Names and numbers in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Decimal
from math import floor, isfinite, log10
from typing import Any, TypeAlias
from unicodedata import bidirectional, category, east_asian_width

from rankagg._typing import Label
from rankagg.core.items import counted, plural
from rankagg.exceptions import escaped

NUMBER_WORDS = [
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
]
# Directions of letters of right-to-left scripts.
RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
# Numbers that are larger, or need more decimals, are written with an exponent.
LONG, MOST_DECIMALS = 1e15, 9


def letters(text: str) -> int:
    """Return the width of a text; Chinese, Japanese and Korean letters count twice."""
    return sum(map(_letter_width, text))


def _cut(text: str, width: int) -> str:
    """Return a text on one line, cut at the end if it is wider than `width` letters."""
    line = "(no name)" if is_blank(text) else escaped(" ".join(text.split()))
    if letters(line) <= width:
        return line
    used, end = 1, 0
    while used + _letter_width(line[end]) <= width:
        used += _letter_width(line[end])
        end += 1
    return f"{line[:end].rstrip()}…"


def is_blank(text: str) -> bool:
    """Return whether a name has only blanks and invisible characters."""
    return all(category(letter)[0] in "ZC" for letter in text)


def _letter_width(letter: str) -> int:
    return 2 if east_asian_width(letter) in "WF" else 1


def named(label: Label, width: int = 60) -> str:
    """Return a name for a sentence; a right-to-left name does not reverse the sentence."""
    return isolated(_cut(str(label), width))


def isolated(text: str) -> str:
    """Return a text that does not reverse the one around it if it is right-to-left."""
    if any(bidirectional(letter) in RIGHT_TO_LEFT for letter in text):
        return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"
    return text


def listing(labels: Sequence[Label], limit: int = 8, width: int = 48) -> str:
    """Return the names of items for a sentence, at most `limit` of them."""
    names = [named(label, width) for label in labels[:limit]]
    if left := len(labels) - len(names):
        more = quantity(left, "names not listed", of=len(labels))
        return sentence("{} and {} more", ", ".join(names), more)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def in_words(number: int, noun: str) -> str:
    """Return a number with its noun; numbers up to twelve are words.

    Examples
    --------
    >>> in_words(1, "task"), in_words(10, "task"), in_words(24, "policy")
    ('one task', 'ten tasks', '24 policies')
    """
    text = NUMBER_WORDS[number] if number < len(NUMBER_WORDS) else f"{number:,}"
    return f"{text} {noun if number == 1 else plural(noun)}"


def amount(value: float) -> str:
    """Return a number of votes: whole numbers in full, others with six digits or one decimal.

    Examples
    --------
    >>> amount(22149700.0), amount(22166520.5), amount(62065.714), amount(1e-5), amount(-0.0)
    ('22,149,700', '22,166,520.5', '62,065.7', '1e-05', '0')
    """
    if not isfinite(value) or abs(value) >= LONG:
        return f"{value:,.6g}"
    if value == round(value):
        return f"{round(value):,}"
    decimals = _decimals(value)
    if decimals > MOST_DECIMALS:
        return f"{value:.6g}"
    return f"{value:,.{decimals}f}".rstrip("0").rstrip(".")


def amount_below(value: float) -> str:
    """Return a lower bound of votes as text, rounded down.

    Examples
    --------
    >>> amount_below(62065.76), amount(62065.76), amount_below(4143397.56), amount_below(8.0)
    ('62,065.7', '62,065.8', '4,143,397.5', '8')
    """
    if value == 0 or abs(value) >= LONG:
        return amount(value)
    step = Decimal(10) ** -_decimals(value)
    return amount(float(Decimal(value).quantize(step, ROUND_FLOOR)))


def _decimals(value: float) -> int:
    return max(5 - floor(log10(abs(value))), 1)


def unsigned(text: str) -> str:
    """Return a printed number without the minus sign of a zero.

    Examples
    --------
    >>> unsigned("-0.000"), unsigned("-0.001"), unsigned("-0 %")
    ('0.000', '-0.001', '0 %')
    """
    is_zero = "0" in text and not any(digit in text for digit in "123456789")
    return text.replace("-", "", 1) if is_zero else text


def percent(share: float) -> str:
    """Return a share in percent with two digits; "0 %" and "100 %" are exact.

    Examples
    --------
    >>> percent(0.0), percent(0.00012), percent(0.123), percent(0.9999)
    ('0 %', 'under 0.1 %', '12 %', 'over 99.9 %')
    """
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    if share < 0.001:
        return "under 0.1 %"
    if share > 0.999:
        return "over 99.9 %"
    digits = 1 if share < 0.1 or share > 0.99 else 0
    return f"{100 * share:.{digits}f} %"


@dataclass(frozen=True)
class Words:
    """Nouns of a kind of data, in the singular."""

    # A ranked object, an observation, and a preference between two objects.
    item: str = "item"
    unit: str = "ranking"
    vote: str = "vote"


# -- sentences that state numbers -----------------------------------------------------------------

#: The print format of a number, or a function that prints it.
Form: TypeAlias = str | Callable[[Any], str]


class _Sentence(str):
    """A text with the numbers that it states; `sentence` keeps them."""

    numbers: tuple[_Quantity, ...]

    def __new__(cls, text: str, numbers: Iterable[_Quantity] = ()) -> _Sentence:
        self = super().__new__(cls, text)
        self.numbers = tuple(numbers)
        return self


@dataclass(frozen=True)
class _Quantity:
    """A number in a sentence."""

    # The unrounded number.
    number: float
    # The counted or measured quantity, as "pairs decided".
    what: str
    of: float | None = None
    # The policy for unranked items, if the number depends on it.
    policy: str | None = None
    # Whether rankings or tasks count by their weights.
    weighted: bool = False
    text: str = field(default="", compare=False)


def quantity(number: float, what: str, form: Form = "", noun: str = "", **of: Any) -> str:
    """Return a number as text, by a format or a function, with an optional noun.

    The other arguments are those of `_Quantity`.

    Examples
    --------
    >>> decided, pairs = quantity(3, "pairs decided", of=10), quantity(10, "pairs", noun="pair")
    >>> text = sentence("{} of {}", decided, pairs)
    >>> text, [(one.number, one.what) for one in text.numbers]
    ('3 of 10 pairs', [(3, 'pairs decided'), (10, 'pairs')])
    """
    text = f"{number:{form}}" if isinstance(form, str) else form(number)
    text = counted(text, noun) if noun else text
    return _Sentence(text, (_Quantity(number, what, text=text, **of),))


def p_text(p_value: float) -> str:
    """Return a p-value as text; one that underflows to zero is "< 1e-300"."""
    return f"{p_value:z.3g}" if p_value != 0 else "< 1e-300"


def sentence(template: str, *parts: object, **named_parts: object) -> str:
    """Return a template with its parts filled in, and with their numbers."""
    text = template.format(*parts, **named_parts)
    return _Sentence(text, _numbers_in((*parts, *named_parts.values())))


def part_of(
    number: float, what: str, total: float, whole: str, noun: str = "", *, form: str = ""
) -> str:
    """Return a number and its total, as "3 of 10 pairs"."""
    return sentence(
        "{} of {}", quantity(number, what, form, of=total), quantity(total, whole, form, noun)
    )


def joined(sentences: Iterable[str], between: str = " ") -> str:
    """Return sentences as one text, with their numbers."""
    parts = list(sentences)
    return _Sentence(between.join(parts), _numbers_in(parts))


def capital(text: str) -> str:
    """Return a text with a capital first letter, and with its numbers."""
    return _Sentence(f"{text[:1].upper()}{text[1:]}", _numbers_in([text]))


def level_of(alpha: float) -> str:
    """Return the confidence level in percent."""
    return quantity(100 * (1 - alpha), "level", "{:g} %".format)


def _numbers_in(parts: Iterable[object]) -> Iterable[_Quantity]:
    return (one for part in parts if isinstance(part, _Sentence) for one in part.numbers)
