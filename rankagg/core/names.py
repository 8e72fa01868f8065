"""Names and numbers as sentences use them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Decimal
from math import floor, isfinite, log10
from typing import Any, TypeAlias
from unicodedata import bidirectional, category, east_asian_width

from rankagg._typing import Label
from rankagg.core.items import counted, plural
from rankagg.exceptions import visible

NUMBER_WORDS = [
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
]
# Letters of scripts that run from right to left.
TURNING = frozenset({"R", "AL", "AN"})
# From here on, and where they need more decimals, numbers are written with an exponent.
LONG, MOST_DECIMALS = 1e15, 9


def letters(text: str) -> int:
    """Return how wide a text is, in letters; those of Chinese, Japanese and Korean are two wide."""
    return sum(map(_letter_width, text))


def _cut(text: str, width: int) -> str:
    """Return a text on one line, shortened at its end where it is wider than so many letters."""
    line = "(no name)" if is_blank(text) else visible(" ".join(text.split()))
    if letters(line) <= width:
        return line
    used, end = 1, 0
    while used + _letter_width(line[end]) <= width:
        used += _letter_width(line[end])
        end += 1
    return f"{line[:end].rstrip()}…"


def is_blank(text: str) -> bool:
    """Say whether a name has nothing that can be seen: blanks, and signs without a shape."""
    return all(category(letter)[0] in "ZC" for letter in text)


def _letter_width(letter: str) -> int:
    return 2 if east_asian_width(letter) in "WF" else 1


def named(label: Label, width: int = 60) -> str:
    """Return a name for a sentence, whose direction it does not turn."""
    text = _cut(str(label), width)
    if any(bidirectional(letter) in TURNING for letter in text):
        return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"
    return text


def listing(labels: Sequence[Label], limit: int = 8, width: int = 48) -> str:
    """Name items in a sentence, the first few where there are many."""
    names = [named(label, width) for label in labels[:limit]]
    if left := len(labels) - len(names):
        more = stated(left, "names not listed", of=len(labels))
        return said("{} and {} more", ", ".join(names), more)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def in_words(number: int, noun: str) -> str:
    """Return a number with its noun, small numbers in words.

    Examples
    --------
    >>> in_words(1, "task"), in_words(10, "task"), in_words(24, "policy")
    ('one task', 'ten tasks', '24 policies')
    """
    told = NUMBER_WORDS[number] if number < len(NUMBER_WORDS) else f"{number:,}"
    return f"{told} {noun if number == 1 else plural(noun)}"


def amount(value: float) -> str:
    """Return a number of votes: whole ones in full, others with six digits or one decimal.

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
    """Return a number of votes that is never more than it: what is said to be a lower bound.

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
    """Return a printed number, without the minus of one that is rounded to zero.

    Examples
    --------
    >>> unsigned("-0.000"), unsigned("-0.001"), unsigned("-0 %")
    ('0.000', '-0.001', '0 %')
    """
    is_zero = "0" in text and not any(digit in text for digit in "123456789")
    return text.replace("-", "", 1) if is_zero else text


def percent(share: float) -> str:
    """Return a share with two digits that count, and never as nothing where it is something.

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
    """What sentences about a kind of data call what is in them, each in the singular."""

    # What is ranked, what was observed, and what says which of two items is better.
    item: str = "item"
    unit: str = "ranking"
    vote: str = "vote"


# -- sentences that state numbers -----------------------------------------------------------------

#: How a number is printed: a format, or a function.
Form: TypeAlias = str | Callable[[Any], str]


class _Sentence(str):
    """A text, and the numbers that it states."""

    numbers: tuple[_Stated, ...]

    def __new__(cls, text: str, numbers: Iterable[_Stated] = ()) -> _Sentence:
        """Return the text; formatting it into another by `said` keeps the numbers."""
        self = super().__new__(cls, text)
        self.numbers = tuple(numbers)
        return self


@dataclass(frozen=True)
class _Stated:
    """A number that a sentence states; the sentence is one of its formats."""

    # The number, as it is before it is rounded for print.
    number: float
    # What is counted or measured, as "pairs decided".
    what: str
    of: float | None = None
    # The policy for unranked items, where the number depends on it.
    policy: str | None = None
    # Whether rankings, or tasks, count by their weights and not alike.
    weighted: bool = False
    text: str = field(default="", compare=False)


def stated(number: float, what: str, form: Form = "", noun: str = "", **of: Any) -> str:
    """Return a number as text, by a format or a function, and with a noun.

    The other arguments are those of `_Stated`.

    Examples
    --------
    >>> told = said("{} of {}", stated(3, "pairs decided", of=10), stated(10, "pairs", noun="pair"))
    >>> told, [(one.number, one.what) for one in told.numbers]
    ('3 of 10 pairs', [(3, 'pairs decided'), (10, 'pairs')])
    """
    text = f"{number:{form}}" if isinstance(form, str) else form(number)
    told = counted(text, noun) if noun else text
    return _Sentence(told, (_Stated(number, what, text=told, **of),))


def p_text(p_value: float) -> str:
    """Return a p-value as text; one that no float holds is below 1e-300."""
    return f"{p_value:z.3g}" if p_value != 0 else "< 1e-300"


def said(template: str, *parts: object, **named_parts: object) -> str:
    """Return a template with its parts filled in, which states the numbers of all of them."""
    text = template.format(*parts, **named_parts)
    return _Sentence(text, _numbers_in((*parts, *named_parts.values())))


def part_of(
    number: float, what: str, total: float, whole: str, noun: str = "", *, form: str = ""
) -> str:
    """Return a number and what it is a part of, as "3 of 10 pairs"."""
    return said("{} of {}", stated(number, what, form, of=total), stated(total, whole, form, noun))


def joined(sentences: Iterable[str], between: str = " ") -> str:
    """Return sentences as one text, which states the numbers of all of them."""
    told = list(sentences)
    return _Sentence(between.join(told), _numbers_in(told))


def capital(sentence: str) -> str:
    """Return a sentence that begins with a capital, with its numbers."""
    return _Sentence(f"{sentence[:1].upper()}{sentence[1:]}", _numbers_in([sentence]))


def level_of(alpha: float) -> str:
    """Return the level of confidence, in percent."""
    return stated(100 * (1 - alpha), "level", "{:g} %".format)


def _numbers_in(parts: Iterable[object]) -> Iterable[_Stated]:
    return (one for part in parts if isinstance(part, _Sentence) for one in part.numbers)
