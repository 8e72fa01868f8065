"""Ballots in PrefLib's formats: soc, soi, toc and toi.

The type says whether ballots are Strict or have Ties, and whether Orders are Complete or
Incomplete (https://preflib.github.io/PrefLib-Jekyll/format).
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Ranks
from rankagg._validation import check_choice
from rankagg.core.items import ItemSet, counted, listed, written
from rankagg.core.profiles.profile import Profile
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.exceptions import DataFormatError, InvalidInputError, shown
from rankagg.io.output_files import write_text
from rankagg.io.preflib.ballots import as_ranks, whole_number
from rankagg.io.preflib.lines import Contents, looks_like_preflib, parse
from rankagg.io.tables.kinds import check_plain_table
from rankagg.io.tables.text import Source, read_text

__all__ = ["looks_like_preflib", "read_preflib", "write_preflib"]

# Alternatives that a header counts and does not name, and that no ballot needs to list.
UNNAMED = 10_000


def read_preflib(
    source: Source, *, left_out: Literal["unranked", "unlisted"] = "unranked"
) -> Profile:
    """Read ballots in a PrefLib format, of today or from before 2022.

    The type is taken from the content; a file in the old form states it by its extension.

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
        check_plain_table(name, text)
        raise DataFormatError(
            f"{name} is not in a PrefLib format: it must begin with header lines '# KEY: value', "
            "or, from before 2022, with the number of alternatives and a line '1,name'."
        )
    contents = parse(name, text)
    items = _alternatives(name, contents)
    out = UNRANKED if code == "unranked" else UNLISTED
    ranks = as_ranks(name, len(items), contents.ballots, out)
    counts = contents.ballots.counts
    _check_totals(name, contents.header, counts)
    _check_type(name, contents.header, ranks)
    return Profile._trusted(items, ranks, counts=counts)


def _alternatives(name: str, contents: Contents) -> ItemSet:
    header, names, ballots = contents
    stated = _stated(name, header, "NUMBER ALTERNATIVES")
    if stated is None:
        raise DataFormatError(f"{name} does not state NUMBER ALTERNATIVES.")
    if not names:
        known = max(UNNAMED, len(ballots.alternatives))
        if stated > known:
            raise DataFormatError(
                f"{name} states {counted(stated, 'alternative')} and names none; at most {known} "
                "may go without a line '# ALTERNATIVE NAME 1: name'."
            )
        return ItemSet([str(number) for number in range(1, stated + 1)])
    if (len(names), min(names), max(names)) != (stated, 1, stated):
        raise DataFormatError(
            f"{name} states {counted(stated, 'alternative')} and names {len(names)}: "
            f"{listed(sorted(names))}."
        )
    first: dict[str, int] = {}
    for number in range(1, stated + 1):
        if first.setdefault(names[number], number) != number:
            raise DataFormatError(
                f"{name} names two alternatives {shown(names[number])}; names must be distinct."
            )
    return ItemSet(first)


def _check_totals(name: str, header: dict[str, str], counts: NDArray[np.int64]) -> None:
    voters = int(counts.sum(dtype=object))
    for key, found in (("NUMBER VOTERS", voters), ("NUMBER UNIQUE ORDERS", len(counts))):
        stated = _stated(name, header, key)
        if stated is not None and stated != found:
            raise DataFormatError(
                f"{name} states {key} {stated}, its ballots make {found}; the file may be cut off."
            )


def _stated(name: str, header: dict[str, str], key: str) -> int | None:
    value = header.get(key)
    if value is None:
        return None
    number = whole_number(value)
    if number is None:
        raise DataFormatError(
            f"{name}: {key} must be a positive whole number below 2**53. Got {shown(value)}."
        )
    return number


def _check_type(name: str, header: dict[str, str], ranks: Ranks) -> None:
    stated = header.get("DATA TYPE", "").lower()
    if not stated:
        return
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
    for text in (title, *map(written, profile.items)):
        if text != text.strip() or "\n" in text or "\r" in text:
            allowed = "without blanks around them and without line breaks"
            raise InvalidInputError("title and items", allowed, text)
    merged = profile.compress()
    position = {written(label): str(i + 1) for i, label in enumerate(profile.items)}
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
        groups = [[position[written(label)] for label in bucket] for bucket in ranking.buckets]
        if not groups:
            raise InvalidInputError("profile", "free of empty ballots", ranking)
        ballot = ",".join(g[0] if len(g) == 1 else "{" + ",".join(g) + "}" for g in groups)
        lines.append(f"{count}: {ballot}")
    write_text(path, "\n".join(lines) + "\n")
