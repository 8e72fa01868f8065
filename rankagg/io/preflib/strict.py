"""Strict ballots of PrefLib's formats, all lines at once."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from rankagg.io.preflib.ballots import Ballots

__all__ = ["strict_ballots"]

LINE, COMMA, ZERO = ord("\n"), ord(","), ord("0")
SPLIT_NUMBER = re.compile(rb"[0-9] +[0-9]")

# Longer counts and alternatives are left to whoever reads line by line.
COUNT_DIGITS, DIGITS = 15, 9


def strict_ballots(text: str, separator: str, first_line: int) -> Ballots | None:
    """Return ballots `count: 1,2,3`; None where anything else stands in a line.

    Parameters
    ----------
    text : str
        The lines, blank ones among them.
    separator : {":", ","}
        What stands between the count and the order.
    first_line : int
        The number of the first line.
    """
    if not text.isascii():
        return None
    data = text.encode().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    data = data.replace(b": ", b":").replace(b", ", b",")
    if data.translate(None, b"0123456789,: \n") or (b" " in data and SPLIT_NUMBER.search(data)):
        return None
    data = data.replace(b" ", b"").rstrip(b"\n") + b"\n"
    blank = len(data) - len(data.lstrip(b"\n"))
    return _parsed(data[blank:], ord(separator), first_line + blank) if len(data) > 1 else None


def _parsed(data: bytes, separator: int, first_line: int) -> Ballots | None:
    characters = np.frombuffer(data, dtype=np.uint8)
    at = np.flatnonzero(characters - np.uint8(ZERO) > 9)
    sign = characters[at]
    digits = np.diff(at, prepend=-1) - 1  # of the number before each sign
    starts = np.append(True, sign[:-1] == LINE)
    blank = starts & (sign == LINE) & (digits == 0)
    line = first_line + np.cumsum(starts) - 1
    if blank.any():
        at, sign, digits, starts, line = (x[~blank] for x in (at, sign, digits, starts, line))
    expected = np.where(starts, separator, COMMA)
    if not ((sign == expected) | (~starts & (sign == LINE))).all() or (digits < 1).any():
        return None
    if digits[starts].max() > COUNT_DIGITS or digits.max(initial=0, where=~starts) > DIGITS:
        return None
    numbers = _numbers(characters, at, digits)
    counts = numbers[starts]
    if (counts < 1).any():
        return None
    return Ballots(
        lines=line[starts],
        counts=counts,
        lengths=np.diff(np.flatnonzero(np.append(starts, True))) - 1,
        alternatives=numbers[~starts],
    )


def _numbers(
    characters: NDArray[np.uint8], ends: NDArray[np.intp], digits: NDArray[np.intp]
) -> NDArray[np.int64]:
    """Return the numbers whose digits stand before `ends`."""
    numbers = (characters[ends - 1] - ZERO).astype(np.int64)
    for place in range(1, int(digits.max())):
        longer = np.flatnonzero(digits > place)
        numbers[longer] += (characters[ends[longer] - 1 - place] - ZERO) * np.int64(10**place)
    return numbers
