"""Ballots in PrefLib's formats: soc, soi, toc and toi.

A header of lines `# KEY: value`, then one line `count: 1,2,{3,4}` per distinct ballot, best first,
braces around ties. The type says whether ballots are Strict or have Ties, and whether Orders are
Complete or Incomplete (https://preflib.github.io/PrefLib-Jekyll/format).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np

from rankagg._typing import Ranks
from rankagg._validation import check_choice
from rankagg.core.items import ItemSet
from rankagg.core.places import UNLISTED, UNRANKED
from rankagg.core.profile import Profile
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.text import Source, read_text

__all__ = ["looks_like_preflib", "read_preflib", "write_preflib"]

TYPES = ("soc", "soi", "toc", "toi")
HEADER = re.compile(r"#\s*([A-Z][A-Z0-9 _-]*?)\s*:\s*(.*?)\s*$")
NAME = re.compile(r"ALTERNATIVE NAME ([0-9]+)$")
BALLOT = re.compile(r"\s*([0-9]+)\s*:\s*(.*?)\s*$")
TOKEN = re.compile(r"\s*(?:\{([^{}]*)\}|([0-9]+))\s*(?:,|$)")


def looks_like_preflib(text: str) -> bool:
    """Say whether a text has a PrefLib header, whatever its file is called."""
    for line in text.splitlines():
        if line.strip():
            return line.startswith("#") and HEADER.match(line) is not None
    return False


def read_preflib(
    source: Source, *, left_out: Literal["unranked", "unlisted"] = "unranked"
) -> Profile:
    """Read ballots in a PrefLib format; the type is taken from the content.

    Parameters
    ----------
    source : path or text stream
        A file in the format soc, soi, toc or toi.
    left_out : {"unranked", "unlisted"}, default "unranked"
        What an alternative is that a ballot leaves out: not observed, or below all that the
        ballot lists (a top-k list).

    Returns
    -------
    Profile
        One row per distinct ballot with its count; the items are the alternatives' names.

    Raises
    ------
    DataFormatError
        If the file is not of such a format, or header and ballots contradict each other.
    """
    code = check_choice(left_out, ("unranked", "unlisted"), "left_out")
    name, text = read_text(source)
    if not looks_like_preflib(text):
        raise DataFormatError(
            f"{name} is not in a PrefLib format: it must begin with header lines '# KEY: value'."
        )
    header, names, ballots = _parse(name, text)
    items = _alternatives(name, header, names)
    ranks, counts = _ballots(name, items, ballots, UNRANKED if code == "unranked" else UNLISTED)
    _check_totals(name, header, counts)
    _check_type(name, header, ranks)
    return Profile._trusted(items, ranks, counts=counts)


@dataclass(frozen=True)
class _Ballot:
    line: int
    count: int
    groups: list[list[int]]


def _parse(name: str, text: str) -> tuple[dict[str, str], dict[int, str], list[_Ballot]]:
    header: dict[str, str] = {}
    names: dict[int, str] = {}
    ballots: list[_Ballot] = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if line.startswith("#"):
            found = HEADER.match(line)
            if found is None:
                continue  # a comment
            key, value = found.groups()
            alternative = NAME.match(key)
            if alternative is None:
                if header.setdefault(key, value) != value:
                    raise DataFormatError(f"{name}, line {number}: {key} is stated twice.")
                continue
            if int(alternative[1]) in names:
                raise DataFormatError(
                    f"{name}, line {number}: alternative {alternative[1]} is named twice."
                )
            names[int(alternative[1])] = value
        elif line.strip():
            ballots.append(_parse_ballot(name, number, line))
    if not ballots:
        raise DataFormatError(f"{name} has a header and no ballots; the file may be cut off.")
    return header, names, ballots


def _parse_ballot(name: str, number: int, line: str) -> _Ballot:
    found = BALLOT.match(line)
    if found is None or int(found[1]) < 1:
        raise DataFormatError(
            f"{name}, line {number}: a ballot must read 'count: 1,2,{{3,4}}'. Got {line.strip()!r}."
        )
    return _Ballot(number, int(found[1]), list(_groups(name, number, found[2])))


def _groups(name: str, number: int, ballot: str) -> Iterator[list[int]]:
    position = 0
    while position < len(ballot):
        found = TOKEN.match(ballot, position)
        members = found and [part.strip() for part in (found[1] or found[2] or "").split(",")]
        if not found or not members or not all(map(_is_number, members)):
            raise DataFormatError(
                f"{name}, line {number}: alternatives must be numbers, ties in braces. "
                f"Got {ballot[position:].strip()!r}; the line may be cut off."
            )
        yield [int(part) for part in members]
        position = found.end()
    if not ballot or ballot.rstrip().endswith(","):
        raise DataFormatError(f"{name}, line {number} ends in the middle of a ballot.")


def _alternatives(name: str, header: dict[str, str], names: dict[int, str]) -> ItemSet:
    stated = _stated(name, header, "NUMBER ALTERNATIVES")
    if stated is None:
        raise DataFormatError(f"{name} does not state NUMBER ALTERNATIVES.")
    if names and sorted(names) != list(range(1, stated + 1)):
        raise DataFormatError(
            f"{name} states {stated} alternatives and names {len(names)}: "
            f"{', '.join(map(str, sorted(names)))}."
        )
    labels = (
        [names[i] for i in range(1, stated + 1)] if names else [str(i + 1) for i in range(stated)]
    )
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise DataFormatError(f"{name} names two alternatives {twice!r}; names must be distinct.")
    return ItemSet(labels)


def _ballots(
    name: str, items: ItemSet, ballots: list[_Ballot], left_out: int
) -> tuple[Ranks, list[int]]:
    ranks = np.full((len(ballots), len(items)), left_out, dtype=np.int32)
    for row, ballot in zip(ranks, ballots, strict=True):
        seen: set[int] = set()
        for group in ballot.groups:
            place = len(seen)
            for alternative in group:
                if not 1 <= alternative <= len(items):
                    raise DataFormatError(
                        f"{name}, line {ballot.line}: alternative {alternative} is not among the "
                        f"{len(items)} of the header."
                    )
                if alternative in seen:
                    raise DataFormatError(
                        f"{name}, line {ballot.line}: alternative {alternative} occurs twice."
                    )
                seen.add(alternative)
                row[alternative - 1] = place
    return ranks, [ballot.count for ballot in ballots]


def _check_totals(name: str, header: dict[str, str], counts: list[int]) -> None:
    for key, found in (("NUMBER VOTERS", sum(counts)), ("NUMBER UNIQUE ORDERS", len(counts))):
        stated = _stated(name, header, key)
        if stated is not None and stated != found:
            raise DataFormatError(
                f"{name} states {key} {stated}, its ballots make {found}; the file may be cut off."
            )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _stated(name: str, header: dict[str, str], key: str) -> int | None:
    value = header.get(key)
    if value is None:
        return None
    if not _is_number(value) or int(value) < 1:
        raise DataFormatError(f"{name}: {key} must be a positive whole number. Got {value!r}.")
    return int(value)


def _check_type(name: str, header: dict[str, str], ranks: Ranks) -> None:
    stated = header.get("DATA TYPE", "").lower()
    if not stated:
        return
    if stated not in TYPES:
        raise DataFormatError(
            f"{name}: DATA TYPE must be one of {', '.join(TYPES)}. Got {stated!r}."
        )
    found = _type_of(ranks)
    if stated[0] == "s" and found[0] == "t":
        raise DataFormatError(f"{name} states DATA TYPE {stated}, strict, and has ties.")
    if stated[2] == "c" and found[2] == "i":
        raise DataFormatError(f"{name} states DATA TYPE {stated}, complete, and leaves items out.")


def _type_of(ranks: Ranks) -> str:
    ordered = np.sort(ranks, axis=1)
    ties = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any()
    return f"{'t' if ties else 's'}o{'i' if (ranks < 0).any() else 'c'}"


def write_preflib(profile: Profile, target: str | PathLike[str], *, title: str = "") -> None:
    """Write ballots in the PrefLib format that fits them: soc, soi, toc or toi.

    Parameters
    ----------
    profile : Profile
        Rankings with counts. The format holds no weights and no groups, and does not say whether
        what a ballot leaves out is unranked or unlisted (`read_preflib` asks).
    target : path
        The file to write.
    title : str, optional
        The title in the header.

    Raises
    ------
    InvalidInputError
        If the profile has weights, has groups, or mixes unranked and unlisted items.
    """
    path = Path(target)
    if (profile.weights != 1).any() or profile.groups is not None:
        raise InvalidInputError(
            "profile", "free of weights and groups", profile, "PrefLib's formats hold counts only."
        )
    if profile.has_unranked and profile.has_unlisted:
        raise InvalidInputError("profile", "free of unranked or of unlisted items", profile)
    for text in (title, *map(str, profile.items)):
        if text != text.strip() or "\n" in text or "\r" in text:
            allowed = "without blanks around them and without line breaks"
            raise InvalidInputError("title and items", allowed, text)
    merged = profile.compress()
    position = {label: str(i + 1) for i, label in enumerate(profile.items)}
    lines = [
        f"# FILE NAME: {path.name}",
        f"# TITLE: {title}",
        f"# DATA TYPE: {_type_of(merged.ranks)}",
        f"# NUMBER ALTERNATIVES: {profile.n_items}",
        f"# NUMBER VOTERS: {profile.n_rankings}",
        f"# NUMBER UNIQUE ORDERS: {len(merged)}",
        *(f"# ALTERNATIVE NAME {number}: {label}" for label, number in position.items()),
    ]
    for count, ranking in zip(merged.counts, merged, strict=True):
        groups = [[position[label] for label in bucket] for bucket in ranking.buckets]
        if not groups:
            raise InvalidInputError("profile", "free of empty ballots", ranking)
        ballot = ",".join(g[0] if len(g) == 1 else "{" + ",".join(g) + "}" for g in groups)
        lines.append(f"{count}: {ballot}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
