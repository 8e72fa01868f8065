"""PrefLib files (soc, soi, toc, toi): a header `# KEY: value`, then ballots `3: 1,{2,3}`.

The type says whether ballots are Strict or have Ties, and whether Orders are Complete or
Incomplete (https://preflib.github.io/PrefLib-Jekyll/format).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from itertools import count as numbers_from
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from rankagg._typing import Integers64, Ranks, Unranked
from rankagg._validation import EXACT_LIMIT, check_choice, check_unranked
from rankagg.core import UNRANKED, ItemSet, Profile, canonical_profile, counted, listed, raw_text
from rankagg.core.places import strict_ranks
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError, shown
from rankagg.io.tables.sources import (
    MAX_BYTES,
    Source,
    check_filled,
    check_plain_table,
    first_lines,
    read_text,
    text_lines,
)

# Measured: bytes of memory for a byte of text.
PER_BYTE = 64
REPAIR = "`errors='repair'` reads the file and reports each change."

# All ballots of most files are strict.
STRICT_ORDER = r"[0-9]{1,9}(?: *, *[0-9]{1,9})*"
STRICT_BALLOTS = re.compile(rf"(?:0*[1-9][0-9]{{0,14}}: *{STRICT_ORDER} *(?:\r?\n|$))+")
TOKEN = re.compile(r"\s*(?:\{([^{}]*)\}|([0-9]+))\s*(?:,|$)")
TYPES = ("soc", "soi", "toc", "toi")
NO_BALLOTS = " {} holds votes between pairs and no ballots: give them to PairwiseMatrix.from_wins."
OTHER_TYPES = {
    **{kind: NO_BALLOTS.format(kind) for kind in ("pwg", "wmg", "mjg", "tog", "wmd")},
    "cat": " cat holds categories and no ballots: make a CSV table of ranks for read_ballots.",
}
HEADER_KEY = re.compile(r"[A-Z][A-Z0-9 _-]*")
HEAD = re.compile(r"(?:(?:#[^\r\n]*)?(?:\r\n|\r|\n))*")
ALTERNATIVE_NAME = re.compile(r"ALTERNATIVE NAME ([0-9]{1,15})")
FIRST_OLD_NAME = re.compile(r"\s*1\s*,")
# Most unnamed alternatives, unless ballots list more.
UNNAMED = 10_000


class _Ballot(NamedTuple):
    """A line of a file: its voters, and its alternatives in tied groups, best first."""

    line: int
    voters: int
    buckets: list[list[int]]


def _whole_number(text: str, *, low: int = 1) -> int | None:
    """Return a whole number from `low` to below 2**53; None for any other text."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > 20:
        return None
    number = int(digits)
    return number if low <= number < EXACT_LIMIT else None


def _parse_ballot(name: str, number: int, line: str) -> _Ballot:
    """Return the ballot in a line."""
    before, colon, order = line.partition(":")
    count = _whole_number(before)
    if count is None or not colon:
        raise DataFormatError(
            f"{name}, line {number}: a ballot must read 'count: 1,2,{{3,4}}', its count "
            f"a positive whole number below 2**53. Got {shown(line.strip())}."
        )
    return _Ballot(number, count, _buckets_in(name, number, order.strip()))


def _strict_ballots(
    name: str, text: str, n: int, max_bytes: int
) -> tuple[Integers64, Ranks] | None:
    """Return counts and ranks if all lines are right and strict; else None."""
    if STRICT_BALLOTS.fullmatch(text) is None:
        return None
    lengths = np.array([line.count(",") + 1 for line in text.splitlines()])
    sizes = {"ballots": len(lengths), "alternatives": n}
    check_filled(name, sizes, int(lengths.sum()), max_bytes)
    cells = text.rstrip().replace(":", ",").replace("\n", ",")
    numbers = np.fromstring(cells, dtype=np.int64, sep=",")
    starts = np.cumsum(lengths + 1) - lengths - 1
    order = np.delete(numbers, starts) - 1
    is_known = order.min() >= 0 and order.max() < n
    ranks = strict_ranks(order, lengths, n) if is_known else None
    return None if ranks is None else (numbers[starts], ranks)


def _buckets_in(name: str, number: int, order: str) -> list[list[int]]:
    buckets = []
    position = 0
    while position < len(order):
        token = TOKEN.match(order, position)
        parts = (token[1] or token[2] or "").split(",") if token else []
        members = [member for part in parts if (member := _whole_number(part, low=0)) is not None]
        if token is None or len(members) < len(parts):
            raise DataFormatError(
                f"{name}, line {number}: alternatives must be numbers, ties in braces. "
                f"Got {shown(order[position:])}; the line may be cut off."
            )
        buckets.append(members)
        position = token.end()
    if not order or order.endswith(","):
        raise DataFormatError(f"{name}, line {number} ends in the middle of a ballot.")
    return buckets


def _counts_and_ranks(
    name: str, n: int, ballots: list[_Ballot], max_bytes: int
) -> tuple[Integers64, Ranks]:
    """Return the counts of ballots, and the ranks of n alternatives."""
    filled = sum(len(bucket) for ballot in ballots for bucket in ballot.buckets)
    check_filled(name, {"ballots": len(ballots), "alternatives": n}, filled, max_bytes)
    ranks = np.empty((len(ballots), n), dtype=np.int32)
    for row, ballot in enumerate(ballots):
        places, above = [UNRANKED] * n, 0
        for bucket in ballot.buckets:
            for alternative in bucket:
                is_known = 1 <= alternative <= n
                if not is_known or places[alternative - 1] != UNRANKED:
                    what = "occurs twice" if is_known else f"is not among the {n} of the header"
                    raise DataFormatError(
                        f"{name}, line {ballot.line}: alternative {alternative} {what}.",
                        REPAIR if is_known or alternative == 0 else "",
                    )
                places[alternative - 1] = above
            above += len(bucket)
        ranks[row] = places
    return np.array([ballot.voters for ballot in ballots]), ranks


class _Contents(NamedTuple):
    """The header, the names of alternatives by number, and the ballots."""

    header: dict[str, str]
    names: dict[int, str]
    ballots: list[_Ballot]


def looks_like_preflib(text: str) -> bool:
    """Return whether a text has a PrefLib header."""
    start = _first_two_lines(text)
    return bool(start and _key_and_value(start[0])) or _is_old(text)


def title_of(source: Source, max_bytes: int = MAX_BYTES) -> str:
    """Return the title in the header of a file; empty if it has none."""
    _, text = read_text(source, max_bytes)
    entries = map(_key_and_value, text_lines(HEAD.match(text)[0]))  # type: ignore[index]
    return dict(filter(None, entries)).get("TITLE", "")


def _first_two_lines(text: str) -> list[str]:
    """Return the first two lines that are not blank."""
    return [line.lstrip() for line in first_lines(text) if line.strip()][:2]


def _is_old(text: str) -> bool:
    start = _first_two_lines(text)
    if len(start) < 2 or not start[0].strip().isdecimal():
        return False
    return FIRST_OLD_NAME.match(start[1]) is not None


def _key_and_value(line: str) -> tuple[str, str] | None:
    key, colon, value = line[1:].partition(":")
    is_entry = line.startswith("#") and colon and HEADER_KEY.fullmatch(key.strip())
    return (key.strip(), value.strip()) if is_entry else None


def _parse(name: str, text: str) -> _Contents:
    contents = _Contents({}, {}, [])
    for number, line in enumerate(text_lines(text), start=1):
        if line.startswith("#"):
            entry = _key_and_value(line)
            if entry is not None:  # else a comment
                _add_header_entry(name, number, contents, *entry)
        elif line.strip():
            contents.ballots.append(_parse_ballot(name, number, line))
    return contents


def _add_header_entry(name: str, number: int, contents: _Contents, key: str, value: str) -> None:
    alternative = ALTERNATIVE_NAME.fullmatch(key)
    if alternative is None:
        if key.startswith("ALTERNATIVE NAME"):
            raise DataFormatError(f"{name}, line {number}: {shown(key)} must end with a number.")
        if contents.header.setdefault(key, value) != value:
            raise DataFormatError(f"{name}, line {number}: {key} is stated twice.")
        if key == "DATA TYPE" and value and (kind := value.lower()) not in TYPES:
            allowed, remedy = ", ".join(TYPES), OTHER_TYPES.get(kind, "")
            raise DataFormatError(
                f"{name}: DATA TYPE must be one of {allowed}. Got {shown(kind)}.{remedy}"
            )
        return
    which = int(alternative[1])
    if which in contents.names:
        raise DataFormatError(f"{name}, line {number}: alternative {which} is named twice.")
    contents.names[which] = value


def read_preflib(
    source: Source,
    *,
    unranked: Unranked = "last",
    errors: Literal["refuse", "repair"] = "refuse",
    max_bytes: int = MAX_BYTES,
) -> Profile:
    """Read ballots in a PrefLib format; the type is taken from the content.

    Parameters
    ----------
    source : path or text stream
        A file in the format soc, soi, toc or toi.
    unranked : {"last", "uniform", "ignore"}, default "last"
        Alternatives that a ballot leaves out are below all that it lists, or not observed; see
        `Profile.with_unranked`.
    errors : {"refuse", "repair"}, default "refuse"
        Treatment of a file that contradicts itself. "repair": repeated alternatives keep their
        first place on a ballot, numbers from 0 are read as numbers from 1, alternatives of one
        name get numbers ("Ann", "Ann (2)"), and totals and type are taken from the ballots.
    max_bytes : int, default 2**30
        Bytes of memory that reading may take.

    Returns
    -------
    Profile
        One row per distinct ballot with its count; the items are the alternatives' names.
    """
    repairs = check_choice(errors, ("refuse", "repair"), "errors") == "repair"
    check_unranked(unranked)
    name, text = read_text(source, max_bytes, PER_BYTE)
    if not looks_like_preflib(text):
        check_plain_table(name, text)
        raise DataFormatError(
            f"{name} is not in a PrefLib format: it must begin with header lines '# KEY: value'."
        )
    if _is_old(text):
        raise DataFormatError(
            f"{name} is in PrefLib's form from before 2022, without a header: preflib.org has all "
            "of its files in today's form."
        )
    head, strict, faults = HEAD.match(text)[0], None, list[str]()  # type: ignore[index]
    contents = _parse(name, head)
    if contents.names and not repairs:
        strict = _strict_ballots(name, text[len(head) :], len(contents.names), max_bytes)
    if strict is None:
        contents = _parse(name, text)
        if not contents.ballots:
            raise DataFormatError(f"{name} has a header and no ballots; the file may be cut off.")
    if repairs:
        contents = _repaired(contents, faults)
    items = _item_set(name, contents)
    counts, ranks = strict or _counts_and_ranks(name, len(items), contents.ballots, max_bytes)
    faults += _contradictions(name, contents.header, counts, ranks)
    if faults and not repairs:
        raise DataFormatError(f"{name} {faults[0]}.", REPAIR)
    if faults:
        sentence = f"{name} was repaired: it {'; it '.join(faults)}."
        warnings.warn(sentence, DataWarning, stacklevel=2)
    return canonical_profile(items, ranks, counts=counts).with_unranked(unranked)


def _repaired(contents: _Contents, faults: list[str]) -> _Contents:
    """Return repaired contents, and add a clause for each fault."""
    header, names, ballots = contents
    from_zero = min(names, default=1) == 0
    if from_zero:
        names = {number + 1: label for number, label in names.items()}
    numbers = {x for ballot in ballots for bucket in ballot.buckets for x in bucket}
    n = _header_number("", header, "NUMBER ALTERNATIVES") or 0
    if from_zero or (0 in numbers and max(numbers) < n):
        faults.append("numbers its alternatives from 0")
        ballots = [
            ballot._replace(buckets=[[x + 1 for x in bucket] for bucket in ballot.buckets])
            for ballot in ballots
        ]
    once = list(map(_without_repeats, ballots))
    n_lines = sum(new != old for new, old in zip(once, ballots, strict=True))
    if n_lines:
        lines = counted(n_lines, "line")
        faults.append(f"lists an alternative again in {lines}, where its first place counts")
    distinct = _distinct_names(names)
    if changed := [label for number, label in distinct.items() if label != names[number]]:
        faults.append(f"names alternatives alike, which are numbered apart: {listed(changed)}")
    return _Contents(header, distinct, once)


def _without_repeats(ballot: _Ballot) -> _Ballot:
    """Return a ballot without alternatives that it lists again."""
    seen, buckets = set[int](), list[list[int]]()
    for bucket in ballot.buckets:
        new = [x for x in dict.fromkeys(bucket) if x not in seen]
        seen.update(new)
        buckets += [new] * bool(new)
    return ballot._replace(buckets=buckets)


def _distinct_names(names: dict[int, str]) -> dict[int, str]:
    """Return distinct names: "(2)" is appended to the second occurrence of a name."""
    distinct: dict[int, str] = {}
    taken = set(names.values())
    seen = set[str]()
    for number in sorted(names):
        label = names[number]
        if label in seen:
            label = next(x for k in numbers_from(2) if (x := f"{label} ({k})") not in taken)
            taken.add(label)
        seen.add(label)
        distinct[number] = label
    return distinct


def _item_set(name: str, contents: _Contents) -> ItemSet:
    header, names, ballots = contents
    stated = _header_number(name, header, "NUMBER ALTERNATIVES")
    if stated is None:
        raise DataFormatError(f"{name} does not state NUMBER ALTERNATIVES.")
    if not names:
        most = max(UNNAMED, sum(len(x.buckets) for x in ballots))
        if stated > most:
            raise DataFormatError(
                f"{name} states {counted(stated, 'alternative')} and names none; at most {most} "
                "may go without a line '# ALTERNATIVE NAME 1: name'."
            )
        return ItemSet([str(number) for number in range(1, stated + 1)])
    if (len(names), min(names), max(names)) != (stated, 1, stated):
        raise DataFormatError(
            f"{name} states {counted(stated, 'alternative')} and names {len(names)}: "
            f"{listed(sorted(names))}.",
            "" if min(names) else REPAIR,
        )
    first: dict[str, int] = {}
    for number in range(1, stated + 1):
        if first.setdefault(names[number], number) != number:
            raise DataFormatError(
                f"{name} names two alternatives {shown(names[number])}; names must be distinct.",
                REPAIR,
            )
    return ItemSet(first)


def _contradictions(
    name: str, header: dict[str, str], counts: Integers64, ranks: Ranks
) -> Iterator[str]:
    """Yield the contradictions between the header and the ballots."""
    voters = int(counts.sum(dtype=object))
    for key, number in (("NUMBER VOTERS", voters), ("NUMBER UNIQUE ORDERS", len(counts))):
        stated = _header_number(name, header, key)
        if stated is not None and stated != number:
            yield f"states {key} {stated}, its ballots make {number}; the file may be cut off"
    kind, actual = header.get("DATA TYPE", "").lower(), _preflib_type(ranks)
    if kind and kind[0] == "s" and actual[0] == "t":
        yield f"states DATA TYPE {kind}, strict, and has ties"
    if kind and kind[2] == "c" and actual[2] == "i":
        yield f"states DATA TYPE {kind}, complete, and leaves items out"


def _header_number(name: str, header: dict[str, str], key: str) -> int | None:
    value = header.get(key)
    if value is None:
        return None
    number = _whole_number(value)
    if number is None:
        raise DataFormatError(
            f"{name}: {key} must be a positive whole number below 2**53. Got {shown(value)}."
        )
    return number


def _preflib_type(ranks: Ranks) -> str:
    ordered = np.sort(ranks, axis=1)
    ties = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any()
    return f"{'t' if ties else 's'}o{'i' if (ranks < 0).any() else 'c'}"


def preflib_text(profile: Profile, path: Path, title: str = "") -> str:
    """Return ballots in the PrefLib format that the ending of a path names."""
    for text in (title, *map(raw_text, profile.items)):
        if text != text.strip() or "\n" in text or "\r" in text:
            allowed = "without blanks around them and without line breaks"
            raise InvalidInputError("title and items", allowed, text)
    merged, kind = profile.compress(), path.suffix[1:].lower()
    actual = _preflib_type(merged.ranks)
    if kind[0] + actual[0] == "st" or kind[2] + actual[2] == "ci":
        has = " and ".join(["ties"] * (actual[0] == "t") + ["gaps"] * (actual[2] == "i"))
        allowed = f"a name that ends in .{actual}, as some ballots have {has}"
        raise InvalidInputError("target", allowed, str(path))
    position = {raw_text(label): str(i + 1) for i, label in enumerate(profile.items)}
    lines = [
        f"# FILE NAME: {path.name}",
        f"# TITLE: {title}",
        f"# DATA TYPE: {kind}",
        f"# NUMBER ALTERNATIVES: {profile.n_items}",
        f"# NUMBER VOTERS: {profile.n_rankings}",
        f"# NUMBER UNIQUE ORDERS: {len(merged)}",
        *(f"# ALTERNATIVE NAME {number}: {label}" for label, number in position.items()),
    ]
    for count, ranking in zip(merged.counts, merged, strict=True):
        groups = [[position[raw_text(label)] for label in bucket] for bucket in ranking.buckets]
        ballot = ",".join(g[0] if len(g) == 1 else "{" + ",".join(g) + "}" for g in groups)
        lines.append(f"{count}: {ballot}")
    return "\n".join(lines) + "\n"
