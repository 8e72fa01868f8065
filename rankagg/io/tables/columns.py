"""How columns are told: labels as codes, numbers, and the ways in which text writes them."""

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
#: Words for places, by their number.
ORDINALS = dict(
    zip(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"],
        map(str, range(1, 9)),
        strict=True,
    )
)
OF_PLACES = "choice|place|preference|rank|position|priority"
# "1st", "2nd choice", "rank 4", "First choice"; with a sign of other languages any word may follow,
# as in "3. Wahl".
ORDINAL = re.compile(
    rf"(?:#|(?:rank|place) )?([0-9]{{1,3}})(?:(?:st|nd|rd|th)?(?: (?:{OF_PLACES}))?"
    rf"|(?:er|re|nde|ème|e|[.ºª°])(?: [^\W\d_]+)?)|({'|'.join(ORDINALS)}) (?:{OF_PLACES})",
    re.IGNORECASE,
)
# So many cells are read one by one as fast as by Arrow.
FEW_CELLS = 256
# Shorter names, and shorter words of names, differ in a letter often.
FEWEST_LETTERS, FEWEST_IN_WORD = 5, 3


class Numbers(NamedTuple):
    """Numbers of one column or several."""

    # NaN is missing.
    values: Floats
    # What was met beside plain numbers, and how often.
    said: Said = MappingProxyType({})

    def warn(self, name: str) -> None:
        """Warn of what was read over, or otherwise than it stands there, with numbers."""
        words = Counter({text: n for (kind, text), n in self.said.items() if kind == "missing"})
        told = []
        if words:
            each = [f"{shown(word)} ({n})" for word, n in words.most_common()]
            listed = " or ".join(each) if len(words) > 1 else shown(next(iter(words)))
            told.append(f"{counted(words.total(), 'cell')} with {listed} read as missing.")
        if errors := self.said.get(("errors", ""), 0):
            number = counted(errors, "number")
            told.append(f"{number} with an error behind: the errors were left out.")
        with_sign, without = self.said.get(("percent", ""), 0), self.said.get(("bare", ""), 0)
        if with_sign and without:
            told.append(
                f"{with_sign} of {counted(with_sign + without, 'number')} have a percent sign and "
                "were divided by 100, the others were not."
            )
        for sentence in told:
            warnings.warn(f"{name}: {sentence}", DataWarning, stacklevel=3)


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

    @classmethod
    def of_arrow(cls, cells: Any, check: Callable[[int], None] | None = None) -> Coded | None:
        """Return distinct labels in their order, None for an empty cell; None for other types.

        How many there are is checked before there is a Python object for each.
        """
        column = _as_array(cells)
        if isinstance(column, list):
            return None
        kind = column.type
        if pa.types.is_dictionary(kind):
            # The dictionary may hold more than occurs, in any order.
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
    # Whether "2nd", "2nd choice" and "Second choice" are 2.
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
            return found[1] or ORDINALS[found[2].lower()]
        if self.decimal == ",":
            text = NO_NUMBER if "." in text else text.replace(",", ".")
        return text

    def numbers_in(self, cells: Any) -> Numbers:
        """Return the numbers in an array or a list: NaN is missing, infinity is no number."""
        said: Counter[tuple[str, str]] = Counter()
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
                plain = [self.restated(x, said, n) if isinstance(x, str) else x for x, n in pairs]
            values = np.array([_number_or_infinity(cell) for cell in plain])[codes]
        if self.percent:
            said["bare", ""] = int(np.count_nonzero(~np.isnan(values))) - said["percent", ""]
        return Numbers(values, said)

    def unheld(self, cell: Any) -> int | None:
        """Return the whole number in a cell that no float holds; None for any other cell."""
        plain = self.restated(cell, Counter()) if isinstance(cell, str) else cell
        return whole_number(plain) if isfinite(_as_number(plain)) else None

    def _at_once(self, cells: Any) -> Floats | None:
        """Return the floats of an array; None where its cells must be looked at one by one."""
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
                # Whole numbers from 2**53 on may be others than their floats.
                held = np.count_nonzero(np.abs(values) < EXACT_LIMIT)
                if held + numbers.null_count == len(values):
                    return values
        return None


USUAL = NumberStyle()
RANKS = NumberStyle(ordinals=True)


def _as_array(cells: Any) -> Any:
    """Return a list of plain cells of one type as an array; anything else as it is."""
    if isinstance(cells, list) and set(map(type, cells)) <= {str, int, float, type(None)}:
        with suppress(pa.ArrowException, OverflowError, ValueError):
            return pa.chunked_array([pa.array(cells)])
    return cells


def _is_string(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _number_or_infinity(cell: Any) -> float:
    """Return the number in a cell; infinity also for a whole number that no float is."""
    value = _as_number(cell)
    return value if is_exact_float(cell, value) else inf


def _as_number(cell: Any) -> float:
    """Return the float that a cell says, NaN for a missing one, infinity for anything else."""
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
    """Warn of labels that differ in case, accents and blanks alone: they may be one thing.

    Where a reader has `alias`, labels that differ in one letter are named too.
    """
    # Labels that differ in how accents are written alone are refused where they become items.
    known = {unicodedata.normalize("NFC", x): x for x in labels if isinstance(x, str)}
    texts = list(known.values())
    found = {"case, accents or blanks differ": _alike(texts, _plain)}
    if has_alias:
        distinct = {_plain(text): text for text in reversed(texts)}
        found["one letter differs"] = _alike([*distinct.values()][::-1], _one_letter_less)
    for how, pairs in found.items():
        if not pairs:
            continue
        one, other = pairs[0]
        more = f" (and {counted(len(pairs) - 1, 'more such pair')})" if len(pairs) > 1 else ""
        remedy = ""
        if has_alias:
            remedy = (
                f"; `alias={{{other!r}: {one!r}}}`, or one spelling in the file, makes them one"
            )
        told = f"{shown(one)} and {shown(other)} are read as two, though only {how}{more}{remedy}."
        warnings.warn(f"{name}: {told}", DataWarning, stacklevel=stacklevel + 2)


def _alike(texts: list[str], keys: Callable[[str], Iterable[Any]]) -> list[tuple[str, str]]:
    """Return the texts that share a key with an earlier one, after that."""
    first: dict[Any, str] = {}
    pairs = []
    for text in texts:
        found = [first.setdefault(key, text) for key in keys(text)]
        pairs += [(other, text) for other in found if other != text][:1]
    return pairs


def _folded(text: str) -> str:
    """Return a text in small letters without accents."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(x for x in letters if not unicodedata.combining(x))


def _plain(text: str) -> tuple[str]:
    """Return a text in small letters without accents and blanks."""
    return ("".join(_folded(text).split()),)


def _one_letter_less(text: str) -> Iterator[tuple[int, str]]:
    """Yield a text of five letters or more, and what it is without each of them and where.

    Two texts share one of these where they differ in a letter. Short words, such as those of
    "Team A", tell things apart, and so do numbers.
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
