"""ABIF, the Aggregated Ballot Information Format: ballots such as `27:Ann>Bob=Cid`."""

from __future__ import annotations

import re
import warnings
from itertools import groupby

import numpy as np

from rankagg._typing import Unranked
from rankagg._validation import check_unranked
from rankagg.core import UNRANKED, ItemSet, Profile, canonical_profile, counted
from rankagg.exceptions import DataFormatError, DataWarning, nearest, shown
from rankagg.io.tables.columns import warn_of_likeness
from rankagg.io.tables.sources import (
    MAX_BYTES,
    Source,
    check_filled,
    first_lines,
    read_text,
    text_lines,
)

# Measured: bytes of memory for a byte of text.
PER_BYTE = 192
CANDIDATE = re.compile(
    r'=\s*(?:\[([^\]]*)\]|"([^"]*)"|([^:\[\]"]+?))\s*:\s*(?:\[(.*)\]|"(.*)"|(.*))'
)
ABIF_LINE = re.compile(r"\s*[0-9]+\s*[:*]")
# A comment after text that may contain its sign in brackets or quotation marks.
COMMENT = re.compile(r'^((?:[^"\[#]|"[^"]*"|\[[^\]]*\])*)#.*')
# Without its number, which is missing by mistake.
ORDER_LINE = re.compile(r"[^<>,;\t]+>\s*[^<>\s]")
BALLOTS = re.compile(r"(0*[1-9][0-9]{,14})\s*:\s*(.*)")
CHOICE = re.compile(
    r"""\s*(?:\[\s*([^\]\s][^\]]*)\]|"\s*([^"\s][^"]*)"  # a code or a name in marks
            |([^\[\]",=>/\s][^\[\]",=>/]*?))             # or without marks
        \s*(?:/\s*([0-9]+(?:\.[0-9]+)?))?                # its rating
        \s*([>=,]|$)                                     # the sign before the next one""",
    re.VERBOSE,
)


def read_abif(
    source: Source, *, unranked: Unranked = "last", max_bytes: int = MAX_BYTES
) -> Profile:
    r"""Read ballots in ABIF, the Aggregated Ballot Information Format.

    A line ``27:DGM/5>SBJ/2=CNC`` is 27 ballots with DGM above SBJ and CNC, which are tied; the
    order is read, and the ratings are ignored. In ``27:DGM/5, SBJ/2, CNC/2`` ratings make the
    order. Names with signs are in brackets. Lines ``=DGM:[Doña García Márquez]`` give the name of
    a code, ``#`` begins a comment, and lines ``{...}`` are metadata and are skipped.

    Parameters
    ----------
    source : path or text stream
        A UTF-8 file.
    unranked : {"last", "uniform", "ignore"}, default "last"
        Candidates that a ballot does not name are below those that it names, or not observed; see
        `Profile.with_unranked`.
    max_bytes : int, default 2**30
        Bytes of memory that reading may take.

    Returns
    -------
    Profile
        A row for each ballot line. The items are the declared names in their order, or the names
        in the ballots in the order of first occurrence.

    Warns
    -----
    DataWarning
        Of ballots that name nobody, and of nearly equal names.

    References
    ----------
    https://github.com/electorama/abif

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg.io import read_abif
    >>> text = "=A:[Ann Lee]\n=B:[Bob]\n=C:[Cid]\n3:A>B=C\n2:C/5, A/1 # two ballots\n"
    >>> list(read_abif(StringIO(text)))
    [<PartialRanking Ann Lee > Bob = Cid>, <PartialRanking Cid > Ann Lee; unlisted: Bob>]
    """
    check_unranked(unranked)
    name, text = read_text(source, max_bytes, PER_BYTE)
    names: dict[str, str] = {}
    ballots, blank = [], 0
    for number, full in enumerate(text_lines(text), start=1):
        place, line = f"{name}, line {number}", COMMENT.sub(r"\1", full).strip()
        if not line or (line[0] == "{" and line[-1] == "}"):
            continue
        if match := CANDIDATE.fullmatch(line):
            code = (match[1] or match[2] or match[3] or "").strip()
            if code in names:
                raise DataFormatError(f"{place}: {shown(code)} is declared twice.")
            names[code] = (match[4] or match[5] or match[6] or code).strip()
        elif match := BALLOTS.fullmatch(line):
            blank += 0 if match[2] else int(match[1])
            if match[2]:
                ballots.append((place, int(match[1]), _parse_buckets(place, match[2])))
        else:
            raise DataFormatError(
                f"{place}: a line must read '27:Ann>Bob=Cid', '=code:[name]', '{{...}}' or "
                f"'# comment'. Got {shown(full.strip())}."
            )
    if not ballots:
        raise DataFormatError(f"{name} has no ballot that names anyone; the file may be cut off.")
    if blank:
        sentence = f"{name}: {counted(blank, 'ballot')} without any name, in no ranking."
        warnings.warn(sentence, DataWarning, stacklevel=2)
    profile = ballot_profile(name, names, ballots, max_bytes=max_bytes).with_unranked(unranked)
    warn_of_likeness(name, profile.items, stacklevel=1)
    return profile


def looks_like_abif(text: str) -> bool:
    """Return whether the first lines are ABIF, such as `27:A>B>C`."""
    lines = first_lines(text)
    lines = [line for line in lines if line.strip() and line.lstrip()[0] not in "#{="]
    if lines and all(map(ORDER_LINE.match, lines)):
        return True
    return all(map(ABIF_LINE.match, lines)) and any(set(">=/") & set(line) for line in lines)


def _parse_buckets(place: str, text: str) -> list[list[str]]:
    """Return the codes or names of a ballot in tied groups, best first."""
    choices, at, sign = list[tuple[str, str, str]](), 0, ","
    while sign:
        match = CHOICE.match(text, at)
        if match is None:
            raise DataFormatError(f"{place} needs a name here. Got {shown(text[at:])}.")
        item, at, sign = match[1] or match[2] or match[3] or "", match.end(), match[5]
        choices.append((item.strip(), match[4], sign))
    if all(sign == "," for *_, sign in choices[:-1]) and len(choices) > 1:
        lacking = [item for item, rating, _ in choices if not rating]
        if lacking:
            raise DataFormatError(f"{place}: between commas {shown(lacking[0])} needs a rating.")
        choices.sort(key=lambda choice: -float(choice[1]))
        groups = groupby(choices, lambda choice: float(choice[1]))
        return [[item for item, *_ in tied] for _, tied in groups]
    buckets, before = list[list[str]](), ">"
    for item, _, sign in choices:
        if sign == ",":
            raise DataFormatError(f"{place}: commas cannot be mixed with > and =.")
        buckets += [[]] if before == ">" else []
        buckets[-1].append(item)
        before = sign
    return buckets


def ballot_profile(
    name: str,
    names: dict[str, str],
    ballots: list[tuple[str, int, list[list[str]]]],
    *,
    max_bytes: int,
    weights: list[float] | None = None,
) -> Profile:
    """Return a profile of ballots, each with its place in the file, count and tied groups."""
    labels = {label: label for label in names.values()} | names
    if len(set(names.values())) < len(names):
        raise DataFormatError(f"{name} declares two candidates of one name; names must differ.")
    rows = []
    for place, _, buckets in ballots:
        row: dict[str, int] = {}
        for bucket in buckets:
            above = len(row)
            for choice in bucket:
                if names and choice not in labels:
                    fault = f"{place}: {shown(choice)} is not declared."
                    raise DataFormatError(fault, nearest(choice, labels))
                label = labels.setdefault(choice, choice)
                if label in row:
                    raise DataFormatError(f"{place}: {shown(label)} is named twice.")
                row[label] = above
        rows.append(row)
    items = ItemSet(dict.fromkeys(labels.values()))
    sizes = {"lines of ballots": len(rows), "candidates": len(items)}
    check_filled(name, sizes, sum(map(len, rows)), max_bytes)
    ranks = np.full((len(rows), len(items)), UNRANKED, dtype=np.int32)
    for at, row in enumerate(rows):
        ranks[at, [items.index(label) for label in row]] = list(row.values())
    counts = [count for _, count, _ in ballots]
    return canonical_profile(items, ranks, counts=counts, weights=weights)
