"""Columns: labels as codes, numbers, and the forms of numbers in text."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from math import inf, isfinite, nan
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rankagg._typing import Floats, Positions
from rankagg._validation import (
    EXACT_LIMIT,
    ascii_number,
    check_choice,
    check_flag,
    is_exact_float,
    whole_number,
)
from rankagg.core import counted
from rankagg.exceptions import DataWarning, InvalidInputError, shown

#: Numbers of cells that are not plain numbers, by their kind and, if missing, their text.
OddCells = Mapping[tuple[str, str], int]

#: Words for a missing number in any case; Arrow needs a list of the usual cases.
MISSING_WORDS = frozenset({"", "na", "n/a", "nan", "NaN", "null", "none"})
MISSING_TEXTS = [case(w) for w in MISSING_WORDS for case in (str, str.upper, str.capitalize)]

#: Negative numbers that usually mean a missing one.
MISSING_CODES = (-1, -9, -99, -999, -9999)
# A percentage is parsed with this exponent, and so rounded once.
HUNDREDTH = "e-2"
# A number with a point is none if decimals have a comma, as it may separate thousands.
NO_NUMBER = "?"

UNSIGNED = r"(?:[0-9]+(?:{s}[0-9]*)?|{s}[0-9]+)"
EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
PLUS_MINUS = r"(?:±|\+/?-|\\pm)"
# A value with its error: "1.2 ± 0.3", "1.2 (0.3)"; a percent sign of either holds for the value.
WITH_ERROR = (
    rf"([+-]?{UNSIGNED}{EXPONENT}) ?%? *"
    rf"(?:{PLUS_MINUS} *{UNSIGNED}{EXPONENT} ?%?"
    rf"|\( *{PLUS_MINUS}? *{UNSIGNED}{EXPONENT} ?%? *\) ?%?)"
)
#: Words for places, by their number.
ORDINALS = dict(
    zip(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"],
        map(str, range(1, 9)),
        strict=True,
    )
)
OF_PLACES = "choice|place|preference|rank|position|priority"
# "1st", "2nd choice", "rank 4", "First choice"; after a suffix of another language any word may
# follow, as in "3. Wahl".
ORDINAL = re.compile(
    rf"(?:#|(?:rank|place) )?([0-9]{{1,3}})(?:(?:st|nd|rd|th)?(?: (?:{OF_PLACES}))?"
    rf"|(?:er|re|nde|ème|e|[.ºª°])(?: [^\W\d_]+)?)|({'|'.join(ORDINALS)}) (?:{OF_PLACES})",
    re.IGNORECASE,
)
#: A label of a row that sums up others.
SUMMARY = re.compile(
    r"\W*((grand|overall|macro|micro|weighted)\W)?(total|sum|average|avg|mean|median|overall|std"
    r"|stdev|std\W* dev|standard deviation|gesamt|summe|durchschnitt|mittelwert|moyenne|promedio"
    r"|média)s?(\W+(std|sd|se|score|rank|\(.*\)|of .*))?\W*",
    re.IGNORECASE,
)
# So few cells are parsed one by one as fast as by Arrow.
FEW_CELLS = 256
# Shorter names, and shorter words in names, often differ in a letter.
FEWEST_LETTERS, FEWEST_IN_WORD = 5, 3


class Numbers(NamedTuple):
    """Numbers of one column or several."""

    # NaN is missing.
    values: Floats
    odd: OddCells = MappingProxyType({})

    def warn(self, name: str, words_given: Iterable[str]) -> None:
        """Warn how many cells were ignored or reinterpreted, and of missing words without cells."""
        words = Counter({text: n for (kind, text), n in self.odd.items() if kind == "missing"})
        unused = [word for word in sorted(words_given) if word not in words]
        warned = [f"no cell holds {shown(word)}, given as missing." for word in unused]
        if words:
            each = [f"{shown(word)} ({n})" for word, n in words.most_common()]
            listed = " or ".join(each) if len(words) > 1 else shown(next(iter(words)))
            warned.append(f"{counted(words.total(), 'cell')} with {listed} read as missing.")
        if errors := self.odd.get(("errors", ""), 0):
            number = counted(errors, "number")
            warned.append(f"{number} with an error behind: the errors were left out.")
        with_sign, without = (self.odd.get((x, ""), 0) for x in ("percent", "bare"))
        if with_sign and without:
            warned.append(
                f"{with_sign} of {counted(with_sign + without, 'number')} have a percent sign and "
                "were divided by 100, the others were not."
            )
        for sentence in warned:
            warnings.warn(f"{name}: {sentence}", DataWarning, stacklevel=3)


class Coded(NamedTuple):
    """A column of labels: a code for each row, and distinct labels by first occurrence."""

    codes: Positions
    labels: list[Any]

    @classmethod
    def of(cls, labels: Iterable[Any]) -> Coded:
        """Give every label a code."""
        first: dict[Any, int] = {}
        codes = [first.setdefault(label, len(first)) for label in labels]
        return cls(np.array(codes, dtype=np.intp), list(first))

    @classmethod
    def of_arrow(cls, cells: Any, check: Callable[[int], None] | None = None) -> Coded | None:
        """Return a column of text, integers or booleans; None for other types.

        The label of an empty cell is None. `check` gets the number of labels before each becomes a
        Python object.
        """
        column = _as_array(cells)
        if isinstance(column, list):
            return None
        kind = column.type
        if pa.types.is_dictionary(kind):
            # The dictionary may have labels that do not occur, in any order.
            kind, column = kind.value_type, column.cast(kind.value_type)
        if not (_is_string(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
            return None
        encoded = pc.dictionary_encode(column).unify_dictionaries()
        chunks = [chunk for chunk in encoded.chunks if len(chunk)]
        if check is not None:
            check(len(chunks[-1].dictionary))
        labels = chunks[-1].dictionary.to_pylist()
        indices = [pc.fill_null(chunk.indices, len(labels)) for chunk in chunks]
        codes = np.concatenate([index.to_numpy(zero_copy_only=False) for index in indices])
        if column.null_count:
            labels.append(None)
        return cls(codes.astype(np.intp, copy=False), labels)

    def merged(self, labels: Iterable[Any]) -> Coded:
        """Return the column with other labels; rows of equal ones get one code."""
        again = Coded.of(labels)
        return Coded(again.codes[self.codes], again.labels)

    def with_gaps(self) -> Coded:
        """Return the column with the code -1 instead of an empty label."""
        if "" not in self.labels:
            return self
        at = self.labels.index("")
        codes = np.where(self.codes == at, -1, self.codes - (self.codes > at))
        return Coded(codes, [*self.labels[:at], *self.labels[at + 1 :]])

    def take(self, rows: NDArray[Any]) -> Coded:
        """Return the labels of some rows."""
        again = Coded.of(self.codes[rows].tolist())
        return Coded(again.codes, [self.labels[code] for code in again.labels])


def names_of(columns: Any) -> list[Any]:
    """Return a list of one name or several."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        return [columns]
    return list(columns)


@dataclass(frozen=True)
class NumberStyle:
    """Forms of numbers in text."""

    # The decimal separator.
    decimal: str = "."
    # Whether a percent sign divides by 100.
    percent: bool = False
    # Additional words for a missing number.
    missing: frozenset[str] = frozenset()
    # "refuse" or "drop" the error in "1.2 ± 0.3".
    errors: str = "refuse"
    # Whether "2nd", "2nd choice" and "Second choice" are 2.
    ordinals: bool = False

    @classmethod
    def of(
        cls, decimal: object, missing: Any, percent: object = False, errors: object = "refuse"
    ) -> NumberStyle:
        """Return a style; raise if an option is wrong."""
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
        """Patterns of a number with an error, and of one with a percent sign."""
        sign = re.escape(self.decimal)
        percent = rf"([+-]?{UNSIGNED}) ?%"
        return tuple(re.compile(one.replace("{s}", sign)) for one in (WITH_ERROR, percent))  # type: ignore[return-value]

    def normalize(self, cell: str, odd: Counter[tuple[str, str]], times: int = 1) -> str:
        """Return a number in Python's form, and count the cell in `odd` by its kind."""
        text = cell.strip()
        if text in self.missing:
            odd["missing", text] += times
            return ""
        with_error, with_percent = self._patterns
        if self.errors == "drop" and (match := with_error.fullmatch(text)):
            text = match[1] + "%" * ("%" in text)
            odd["errors", ""] += times
        if self.percent and (match := with_percent.fullmatch(text)):
            text = match[1] + HUNDREDTH
            odd["percent", ""] += times
        if self.ordinals and (match := ORDINAL.fullmatch(text)):
            return match[1] or ORDINALS[match[2].lower()]
        if self.decimal == ",":
            text = NO_NUMBER if "." in text else text.replace(",", ".")
        return text

    def numbers_in(self, cells: Any) -> Numbers:
        """Return the numbers in an array or a list; NaN is missing, infinity no number."""
        odd: Counter[tuple[str, str]] = Counter()
        if len(cells) > FEW_CELLS:
            cells = _as_array(cells)
        values = None if isinstance(cells, list) else self._at_once(cells)
        if values is None:
            plain = cells if isinstance(cells, list) else cells.to_pylist()
            codes = np.arange(len(plain))
            if not isinstance(cells, list) and _is_string(cells.type):
                codes, plain = Coded.of_arrow(cells) or (codes, plain)
            times = np.bincount(codes).tolist()
            if self != USUAL:
                pairs = zip(plain, times, strict=True)
                plain = [self.normalize(x, odd, n) if isinstance(x, str) else x for x, n in pairs]
            values = np.array([_number_or_infinity(cell) for cell in plain])[codes]
        for word in self.missing:
            number = _as_number(word.replace(self.decimal, "."))
            if isfinite(number) and (is_word := values == number).any():
                odd["missing", word] += int(is_word.sum())
                values = np.where(is_word, nan, values)
        if self.percent:
            odd["bare", ""] = int(np.count_nonzero(~np.isnan(values))) - odd["percent", ""]
        return Numbers(values, odd)

    def reads(self, cell: str) -> bool:
        """Return whether a cell is a number in this style."""
        return isfinite(_as_number(self.normalize(cell, Counter())))

    def inexact_integer(self, cell: Any) -> int | None:
        """Return the integer in a cell if no float equals it, else None."""
        plain = self.normalize(cell, Counter()) if isinstance(cell, str) else cell
        return whole_number(plain) if isfinite(_as_number(plain)) else None

    def _at_once(self, cells: Any) -> Floats | None:
        """Return the numbers of an array; None if cells must be parsed one by one."""
        kind = cells.type
        if pa.types.is_floating(kind) or pa.types.is_null(kind):
            return cast(Floats, pc.cast(cells, pa.float64(), safe=False).to_numpy())
        is_text = _is_string(kind)
        if self not in (USUAL, RANKS) if is_text else not pa.types.is_integer(kind):
            return None
        for has_gaps in (False, True) if is_text else (False,):  # most columns have none
            with suppress(pa.ArrowInvalid):
                numbers = cells
                if has_gaps:
                    missing = pc.is_in(cells, pa.array(MISSING_TEXTS, kind))
                    numbers = pc.if_else(missing, None, cells)
                values: Floats = pc.cast(numbers, pa.float64(), safe=is_text).to_numpy()
                # From 2**53 on, floats may differ from whole numbers.
                exact = np.count_nonzero(np.abs(values) < EXACT_LIMIT)
                if exact + numbers.null_count == len(values):
                    return values
        return None


USUAL = NumberStyle()
RANKS = NumberStyle(ordinals=True)


def _as_array(cells: Any) -> Any:
    """Return a list of plain cells of one type as an array, anything else unchanged."""
    if isinstance(cells, list) and set(map(type, cells)) <= {str, int, float, type(None)}:
        with suppress(pa.ArrowException, OverflowError, ValueError):
            return pa.chunked_array([pa.array(cells)])
    return cells


def _is_string(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _number_or_infinity(cell: Any) -> float:
    """Return the number in a cell; infinity also for an integer that no float equals."""
    cell = cell.replace("\u2212", "-") if isinstance(cell, str) else cell
    value = _as_number(cell)
    return value if is_exact_float(cell, value) else inf


def _as_number(cell: Any) -> float:
    """Return a cell as a float: NaN if it is missing, infinity if it is no number."""
    if cell is None:
        return nan
    is_text = isinstance(cell, str)
    if not is_text and (isinstance(cell, bool | np.bool_) or not isinstance(cell, Real | Decimal)):
        return inf
    try:
        return float(ascii_number(cell) if is_text else cell)
    except (ValueError, OverflowError):
        return nan if is_text and cell.strip().lower() in MISSING_WORDS else inf


def warn_of_likeness(
    name: str, labels: Iterable[Any], *, stacklevel: int, has_alias: bool = False
) -> None:
    """Warn of labels of sums, and of labels that differ only in case, accents and blanks.

    Readers with `alias` also warn of labels that differ in one letter.
    """
    # `ItemSet` refuses labels that differ only in how accents are encoded.
    strings = [x for x in labels if isinstance(x, str)]
    for text in filter(SUMMARY.fullmatch, strings):
        sentence = f"{name}: {shown(text)} is read as one of them, though it may sum up the others."
        warnings.warn(sentence, DataWarning, stacklevel=stacklevel + 2)
    texts = list({unicodedata.normalize("NFC", x): x for x in strings}.values())
    alike = {"case, accents or blanks differ": _alike(texts, _plain)}
    if has_alias:
        distinct = {_plain(text): text for text in reversed(texts)}
        alike["one letter differs"] = _alike([*distinct.values()][::-1], _one_letter_less)
    for how, pairs in alike.items():
        if not pairs:
            continue
        one, other = pairs[0]
        more = f" (and {counted(len(pairs) - 1, 'more such pair')})" if len(pairs) > 1 else ""
        remedy = f"; `alias={{{other!r}: {one!r}}}`, or one spelling in the file, makes them one"
        pair = f"{shown(one)} and {shown(other)}"
        sentence = f"{name}: {pair} are read as two, though only {how}{more}{remedy * has_alias}."
        warnings.warn(sentence, DataWarning, stacklevel=stacklevel + 2)


def _alike(texts: list[str], keys: Callable[[str], Iterable[Any]]) -> list[tuple[str, str]]:
    """Return pairs of texts that share a key, the earlier one first."""
    first: dict[Any, str] = {}
    pairs = []
    for text in texts:
        earlier = [first.setdefault(key, text) for key in keys(text)]
        pairs += [(other, text) for other in earlier if other != text][:1]
    return pairs


def _folded(text: str) -> str:
    """Return a text in small letters without accents."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(x for x in letters if not unicodedata.combining(x))


def _plain(text: str) -> tuple[str]:
    """Return a text in small letters without accents and blanks."""
    return ("".join(_folded(text).split()),)


def _one_letter_less(text: str) -> Iterator[tuple[int, str]]:
    """Yield a text of five letters or more, and the text without each of its letters.

    Two texts that differ in a letter share one of these. Letters of short words, as in "Team A",
    and digits are kept, as they distinguish names.
    """
    words = _folded(text).split()
    plain = " ".join(words)
    if sum(map(str.isalpha, plain)) < FEWEST_LETTERS:
        return
    yield len(plain), plain
    start = 0
    for word in words:
        for at in range(start, start + len(word)) if len(word) >= FEWEST_IN_WORD else ():
            if plain[at].isalpha():
                shorter = plain[:at] + plain[at + 1 :]
                yield at, shorter
                yield len(shorter), shorter
        start += len(word) + 1
