"""What the lines of a PrefLib file say, in the form of today and in that from before 2022.

Today: a header of lines `# KEY: value`, then `count: 1,2,{3,4}` per distinct ballot. Before: the
number of alternatives, lines `number,name`, then voters, sum of counts and number of distinct
ballots in one line, then `count,1,2,{3,4}`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from rankagg.core.items import counted
from rankagg.exceptions import DataFormatError, shown
from rankagg.io.preflib.ballots import Ballots, parse_ballot, whole_number
from rankagg.io.preflib.strict import strict_ballots
from rankagg.io.tables.text import lines_of

__all__ = ["TYPES", "Contents", "check_ballot_type", "looks_like_preflib", "parse"]

TYPES = ("soc", "soi", "toc", "toi")
PAIRS = "{} holds votes between pairs and no ballots: give them to PairwiseMatrix.from_wins"
OTHER_TYPES = {
    **{kind: PAIRS.format(kind) for kind in ("pwg", "wmg", "mjg", "tog", "wmd")},
    "cat": "cat holds categories and no ballots: make a CSV table of ranks for read_ballots",
}

KEY = re.compile(r"[A-Z][A-Z0-9 _-]*")
NAME = re.compile(r"ALTERNATIVE NAME ([0-9]{1,15})")
HEAD = re.compile(r"(?:(?:#[^\r\n]*)?(?:\r\n|\r|\n))*")
FIRST_OLD_NAME = re.compile(r"\s*1\s*,")


class Contents(NamedTuple):
    """The header as it stands, the alternatives by number, and the ballots."""

    header: dict[str, str]
    names: dict[int, str]
    ballots: Ballots


def looks_like_preflib(text: str) -> bool:
    """Say whether a text has a PrefLib header, whatever its file is called."""
    return _is_new(text) or _is_old(text)


def _start(text: str) -> list[str]:
    """Return the first two lines that are not blank, and the rest."""
    return [part for part in re.split(r"[\r\n]+", text.lstrip(), maxsplit=2) if part]


def _is_new(text: str) -> bool:
    start = _start(text)
    return bool(start) and _key_and_value(start[0]) is not None


def _is_old(text: str) -> bool:
    start = _start(text)
    if len(start) < 2 or not start[0].strip().isdecimal():
        return False
    return FIRST_OLD_NAME.match(start[1]) is not None


def _key_and_value(line: str) -> tuple[str, str] | None:
    key, colon, value = line[1:].partition(":")
    known = line.startswith("#") and colon and KEY.fullmatch(key.strip())
    return (key.strip(), value.strip()) if known else None


def parse(name: str, text: str) -> Contents:
    """Return what a text in one of the two forms says."""
    contents = _parse_old(name, text) if _is_old(text) else _parse_new(name, text)
    if not len(contents.ballots):
        raise DataFormatError(f"{name} has a header and no ballots; the file may be cut off.")
    return contents


def check_ballot_type(name: str, stated: str) -> None:
    """Raise unless a stated type is one of ballots."""
    if stated not in TYPES:
        remedy = f" {OTHER_TYPES[stated]}." if stated in OTHER_TYPES else ""
        raise DataFormatError(
            f"{name}: DATA TYPE must be one of {', '.join(TYPES)}. Got {shown(stated)}.{remedy}"
        )


# -- today ----------------------------------------------------------------------------------------


def _parse_new(name: str, text: str) -> Contents:
    contents = Contents({}, {}, Ballots.of([]))
    head, body = _parted(text)
    lines = lines_of(head)
    at_once = strict_ballots(body, ":", len(lines))
    if at_once is None:
        lines = lines_of(text)
    ballots = []
    for number, line in enumerate(lines, start=1):
        if line.startswith("#"):
            found = _key_and_value(line)
            if found is not None:  # else a comment
                _take(name, number, contents, *found)
        elif line.strip():
            ballots.append(parse_ballot(name, number, line, ":"))
    return contents._replace(ballots=Ballots.of(ballots) if at_once is None else at_once)


def _parted(text: str) -> tuple[str, str]:
    """Part a text behind the lines that it begins with, blank ones or beginning with `#`."""
    found = HEAD.match(text)
    end = found.end() if found else 0
    return text[:end], text[end:]


def _take(name: str, number: int, contents: Contents, key: str, value: str) -> None:
    alternative = NAME.fullmatch(key)
    if alternative is None:
        if key.startswith("ALTERNATIVE NAME"):
            raise DataFormatError(f"{name}, line {number}: {shown(key)} must end with a number.")
        if contents.header.setdefault(key, value) != value:
            raise DataFormatError(f"{name}, line {number}: {key} is stated twice.")
        if key == "DATA TYPE" and value:
            check_ballot_type(name, value.lower())
        return
    which = int(alternative[1])
    if which in contents.names:
        raise DataFormatError(f"{name}, line {number}: alternative {which} is named twice.")
    contents.names[which] = value


# -- before 2022 ----------------------------------------------------------------------------------


def _parse_old(name: str, text: str) -> Contents:
    suffix = PurePath(name).suffix[1:].lower()
    if suffix in OTHER_TYPES:
        check_ballot_type(name, suffix)
    lines = [(at, line) for at, line in enumerate(lines_of(text), start=1) if line.strip()]
    n = whole_number(lines[0][1])
    if n is None:
        raise DataFormatError(
            f"{name}, line {lines[0][0]}: the number of alternatives must be a positive whole "
            f"number. Got {shown(lines[0][1].strip())}."
        )
    names: dict[int, str] = {}
    for number, line in lines[1 : n + 1]:
        which, comma, label = line.partition(",")
        if whole_number(which) != len(names) + 1 or not comma:
            raise DataFormatError(
                f"{name}, line {number}: alternative {len(names) + 1} of {n} must stand here as "
                f"'{len(names) + 1},name'. Got {shown(line.strip())}."
            )
        names[len(names) + 1] = label.strip()
    if len(lines) < n + 2:
        raise DataFormatError(
            f"{name} states {counted(n, 'alternative')} and ends after {len(names)} of them; the "
            "file may be cut off."
        )
    header = {"NUMBER ALTERNATIVES": str(n), **_old_totals(name, *lines[n + 1])}
    if suffix in TYPES:
        header["DATA TYPE"] = suffix
    body = lines[n + 2 :]
    at_once = strict_ballots("\n".join(line for _, line in body), ",", 1)
    if at_once is None:
        one_by_one = [parse_ballot(name, number, line, ",") for number, line in body]
        return Contents(header, names, Ballots.of(one_by_one))
    numbers = np.array([number for number, _ in body], dtype=np.int64)
    return Contents(header, names, replace(at_once, lines=numbers))


def _old_totals(name: str, number: int, line: str) -> dict[str, str]:
    totals = [whole_number(part) for part in line.split(",")]
    if len(totals) != 3 or None in totals:
        raise DataFormatError(
            f"{name}, line {number} must hold the number of voters, the sum of the counts and the "
            f"number of distinct ballots, after the names. Got {shown(line.strip())}."
        )
    voters, summed, distinct = totals
    if voters != summed:
        raise DataFormatError(
            f"{name}, line {number} states {counted(voters, 'voter')} and counts that sum to "
            f"{summed}: what was derived from ballots is no ballot. PairwiseMatrix.from_wins takes "
            "votes between pairs."
        )
    return {"NUMBER VOTERS": str(voters), "NUMBER UNIQUE ORDERS": str(distinct)}
