"""ABIF, the Aggregated Ballot Information Format: ballots as `27:Ann>Bob=Cid`, one kind a line."""

from __future__ import annotations

import re
import warnings
from decimal import Decimal
from itertools import groupby
from typing import NamedTuple

import numpy as np

from rankagg._typing import Unranked
from rankagg._validation import check_unranked
from rankagg.core import UNRANKED, ItemSet, Profile, canonical_profile, counted, raw_text
from rankagg.exceptions import (
    DataFormatError,
    DataWarning,
    Described,
    InvalidInputError,
    nearest,
    shown,
)
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
CANDIDATE = re.compile(r'=\s*(?:\[([^\]]*)\]|"([^"]*)"|([^:\[\]"]+?))\s*:\s*(?:\[(.*)\]|(.*))')
# BLT: comments, candidates and seats, who has withdrawn, and the first of the ballots.
BLT = re.compile(
    r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*[0-9]+[ \t]+[0-9]+[ \t\r]*(?:#[^\n]*)?\s+"
    r"(?:-[0-9]+\s+)*"
    r"(?:\([^()\n]*\)\s*)?[0-9]+(?:\.[0-9]+)?(?:[ \t]+[-=0-9]+)*[ \t]+0\s"
)
ABIF_LINE = re.compile(r"\s*[0-9]+\s*[:*]\s*\S")
# Without its number, which the reader asks for.
ORDER_LINE = re.compile(r"[^<>,;\t]+>\s*[^<>\s]")
# A comment behind what may hold its sign in quotes.
COMMENT = re.compile(r'^((?:[^"#]|"[^"]*")*)#.*')
# The id of a ballot, or what stands between blanks.
BLT_WORD = re.compile(r"\([^()]*\)|[^\s()]+")
BLT_WEIGHT = re.compile(r"[0-9]{1,15}(?:\.[0-9]+)?")
BLT_CHOICE = re.compile(r"-|[0-9]+(?:=[0-9]+)*")
NAMES_IN_A_LINE = re.compile(r'"[^"]*"(?:\s+"[^"]*")+')
BALLOTS = re.compile(r"(0*[1-9][0-9]{,14})\s*:\s*(.*)")
CHOICE = re.compile(
    r"""\s*(?:\[\s*([^\]\s][^\]]*)\]|"\s*([^"\s][^"]*)"  # a code or a name with signs
            |([^\[\]",=>/\s][^\[\]",=>/]*?))             # or one without them
        \s*(?:/\s*([0-9]+(?:\.[0-9]+)?))?                # its rating
        \s*([>=,]|$)                                     # what stands before the next one""",
    re.VERBOSE,
)


def read_abif(
    source: Source,
    *,
    unranked: Unranked = "last",
    max_bytes: int = MAX_BYTES,
) -> Profile:
    r"""Read ballots in ABIF, the Aggregated Ballot Information Format, or in BLT.

    A line ``27:DGM/5>SBJ/2=CNC`` is 27 ballots with DGM above SBJ and CNC, which are tied; the
    order is read, and the ratings are not. In ``27:DGM/5, SBJ/2, CNC/2`` they make the order. Names
    with other signs than letters stand in brackets. Lines ``=DGM:[Doña García Márquez]`` say who a
    code is, ``#`` begins a comment, and lines ``{...}`` tell of the election and are skipped.

    BLT, which programs for STV read, is known by its content: the numbers of candidates and
    seats, then ballots ``27 1 3=2 0`` (27 with the first candidate above two that are tied; a
    skipped place ``-`` is left out), a ``0``, names in the order of the numbers, and a title. A
    ballot may have an id, ``(a1) 1 3 2 0``, and all may be in one line. Where some weight has
    decimals, the first numbers are weights of the rankings and no counts. Those who have withdrawn
    (``-2``, before the ballots) are taken off all ballots. ``#`` begins a comment.

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
        A row for each ballot line; the items are the names that are declared, in that order, or
        those in the ballots as they come.

    Warns
    -----
    DataWarning
        How many ballots name nobody; of BLT the seats, and how many candidates have withdrawn.

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
    if BLT.match(text):
        return _read_blt(name, text, max_bytes).with_unranked(unranked)
    names: dict[str, str] = {}
    ballots, blank = [], 0
    for number, whole in enumerate(text_lines(text), start=1):
        place, line = f"{name}, line {number}", whole.partition("#")[0].strip()
        if not line or (line[0] == "{" and line[-1] == "}"):
            continue
        if found := CANDIDATE.fullmatch(line):
            code = (found[1] or found[2] or found[3] or "").strip()
            if code in names:
                raise DataFormatError(f"{place}: {shown(code)} is declared twice.")
            names[code] = (found[4] or found[5] or code).strip()
        elif found := BALLOTS.fullmatch(line):
            blank += 0 if found[2] else int(found[1])
            if found[2]:
                ballots.append((place, int(found[1]), _buckets(place, found[2])))
        else:
            raise DataFormatError(
                f"{place}: a line must read '27:Ann>Bob=Cid', '=code:[name]', '{{...}}' or "
                f"'# comment'. Got {shown(whole.strip())}."
            )
    _check_ballots(name, len(ballots), counted(blank, "ballot") if blank else "")
    return _profile(name, names, ballots, max_bytes=max_bytes).with_unranked(unranked)


class _Blt(NamedTuple):
    """An election in BLT."""

    seats: int
    title: str
    # The names of the candidates by their numbers.
    names: dict[str, str]
    withdrawn: set[str]
    # The line, the weight, and the numbers of a ballot, in tied groups.
    ballots: list[tuple[int, float, list[list[str]]]]

    @classmethod
    def parsed(cls, name: str, text: str) -> _Blt:
        """Parse a text, of which `BLT` matches the beginning."""
        lines = [COMMENT.sub(r"\1", line) for line in text_lines(text)]
        words = [(k, w) for k, line in enumerate(lines) for w in BLT_WORD.findall(line)]
        n, seats = int(words[0][1]), int(words[1][1])
        at, gone = 2, set[str]()
        while at < len(words) and words[at][1][:1] == "-":
            gone.add(words[at][1][1:])
            at += 1
        ballots = []
        while at < len(words) and words[at][1] != "0":
            at, ballot = _blt_ballot(name, lines, words, at)
            ballots.append(ballot)
        # Behind the 0 that ends the ballots.
        last = words[at][0] if at < len(words) else len(lines)
        rest = lines[last:]
        if rest:
            before = sum(k == last for k, _ in words[: at + 1])
            rest[0] = (
                rest[0].split(maxsplit=before)[before:][0] if _has_more(rest[0], before) else ""
            )
        names = list[str]()
        for line in map(str.strip, rest):
            quoted = NAMES_IN_A_LINE.fullmatch(line)
            names += re.findall(r'"([^"]*)"', line) if quoted else [line.strip('"')] if line else []
        if len(names) < n:
            raise DataFormatError(
                f"{name} names {len(names)} of {n} candidates; it may be cut off."
            )
        labels = {str(k): label.strip() for k, label in enumerate(names[:n], start=1)}
        return cls(seats, names[n].strip() if len(names) > n else "", labels, gone, ballots)


def _has_more(line: str, words: int) -> bool:
    return len(line.split(maxsplit=words)) > words


def _blt_ballot(
    name: str, lines: list[str], words: list[tuple[int, str]], at: int
) -> tuple[int, tuple[int, float, list[list[str]]]]:
    """Return where the next ballot begins, and one that begins at a word, all in one line."""
    line = words[at][0]
    start = at + (words[at][1][0] == "(")
    end = start + 1
    while end < len(words) and words[end][0] == line and words[end][1] != "0":
        end += 1
    ballot = [word for _, word in words[start:end]]
    is_whole = end < len(words) and words[end][0] == line and ballot
    is_right = is_whole and BLT_WEIGHT.fullmatch(ballot[0]) and float(ballot[0]) > 0
    if not (is_right and all(map(BLT_CHOICE.fullmatch, ballot[1:]))):
        raise DataFormatError(
            f"{name}, line {line + 1}: a ballot must read '27 1 3=2 0', or '2.5 1 2 0' with its "
            f"weight. Got {shown(lines[line].strip())}."
        )
    buckets = [word.split("=") for word in ballot[1:] if word != "-"]
    return end + 1, (line + 1, float(ballot[0]), buckets)


def blt_text(profile: Profile, title: str = "", seats: int = 1) -> str:
    """Return ballots in BLT; each of a row with a weight is a line of its own."""
    labels = list(map(raw_text, profile.items))
    head, names = f"{len(labels)} {seats}\n", [f'"{text}"' for text in (*labels, title)]
    tail = "\n".join(["0", *names]) + "\n"
    found = _Blt.parsed("", head + tail)
    if [*found.names.values(), found.title] != [*labels, title]:
        allowed = "that BLT can hold: no blanks or quotation marks around them, and no line breaks"
        raise InvalidInputError("items and title", allowed, [*labels, title])
    numbers = {label: str(k) for k, label in enumerate(profile.items, start=1)}
    is_weighted, lines = bool((profile.weights != 1).any()), list[str]()
    for ranking, count, weight in zip(profile, profile.counts, profile.weights, strict=True):
        first = format(Decimal(repr(float(weight))), "f") if is_weighted else str(count)
        if not BLT_WEIGHT.fullmatch(first):
            allowed = "a profile of weights and counts below 10**15, as BLT holds them"
            raise InvalidInputError("profile", allowed, Described(first))
        places = " ".join("=".join(numbers[x] for x in bucket) for bucket in ranking.buckets)
        lines += [f"{first} {places} 0\n"] * (int(count) if is_weighted else 1)
    return "".join([head, *lines, tail])


def title_and_seats(source: Source, max_bytes: int = MAX_BYTES) -> tuple[str, int]:
    """Return what BLT states of an election; an empty title and 0 where it is ABIF."""
    name, text = read_text(source, max_bytes, PER_BYTE)
    found = _Blt.parsed(name, text) if BLT.match(text) else None
    return ("", 0) if found is None else (found.title, found.seats)


def looks_like_abif(text: str) -> bool:
    """Say whether the first lines are those of ABIF, as `27:A>B>C`, or of BLT, as `27 1 2 3 0`."""
    if BLT.match(text):
        return True
    seen = first_lines(text)
    lines = [line for line in seen if line.strip() and line.lstrip()[0] not in "#{="]
    if lines and all(map(ORDER_LINE.match, lines)):
        return True
    return all(map(ABIF_LINE.match, lines)) and any(set(">=/") & set(line) for line in lines)


def _read_blt(name: str, text: str, max_bytes: int) -> Profile:
    """Return the ballots of BLT without those who have withdrawn."""
    found = _Blt.parsed(name, text)
    kept = {code: label for code, label in found.names.items() if code not in found.withdrawn}
    ballots, weights, blank = [], list[float](), 0.0
    for line, weight, buckets in found.ballots:
        left = [[code for code in group if code not in found.withdrawn] for group in buckets]
        left = [group for group in left if group]
        if left:
            ballots.append((f"{name}, line {line}", 1, left))
            weights.append(weight)
        else:
            blank += weight
    about = (
        f"{counted(found.seats, 'seat')}, {counted(len(found.withdrawn), 'candidate')} withdrawn"
    )
    warnings.warn(f"{name}: an election of {about}.", DataWarning, stacklevel=3)
    _check_ballots(name, len(ballots), f"{blank:g} ballot" + "s" * (blank != 1) if blank else "")
    if all(weight.is_integer() for weight in weights):
        counts = list(map(int, weights))
        whole = [
            (place, count, one) for (place, _, one), count in zip(ballots, counts, strict=True)
        ]
        return _profile(name, kept, whole, max_bytes=max_bytes)
    return _profile(name, kept, ballots, max_bytes=max_bytes, weights=weights)


def _check_ballots(name: str, ballots: int, blank: str) -> None:
    if not ballots:
        raise DataFormatError(f"{name} has no ballot that names anyone; the file may be cut off.")
    if blank:
        told = f"{name}: {blank} without any name, in no ranking."
        warnings.warn(told, DataWarning, stacklevel=4)


def _buckets(place: str, text: str) -> list[list[str]]:
    """Return the codes or names of a ballot, in groups that are tied, best first."""
    choices, at, sign = list[tuple[str, str, str]](), 0, ","
    while sign:
        found = CHOICE.match(text, at)
        if found is None:
            raise DataFormatError(f"{place} needs a name here. Got {shown(text[at:])}.")
        item, at, sign = found[1] or found[2] or found[3] or "", found.end(), found[5]
        choices.append((item.strip(), found[4], sign))
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
            raise DataFormatError(f"{place}: commas do not go with > and =.")
        buckets += [[]] if before == ">" else []
        buckets[-1].append(item)
        before = sign
    return buckets


def _profile(
    name: str,
    names: dict[str, str],
    ballots: list[tuple[str, int, list[list[str]]]],
    *,
    max_bytes: int,
    weights: list[float] | None = None,
) -> Profile:
    """Return the ballots as places of the candidates."""
    known = {label: label for label in names.values()} | names
    if len(set(names.values())) < len(names):
        raise DataFormatError(f"{name} declares two candidates of one name; names must differ.")
    rows = []
    for place, _, buckets in ballots:
        row: dict[str, int] = {}
        for bucket in buckets:
            above = len(row)
            for choice in bucket:
                if names and choice not in known:
                    told = f"{place}: {shown(choice)} is not declared."
                    raise DataFormatError(told, nearest(choice, known))
                label = known.setdefault(choice, choice)
                if label in row:
                    raise DataFormatError(f"{place}: {shown(label)} is named twice.")
                row[label] = above
        rows.append(row)
    items = ItemSet(dict.fromkeys(known.values()))
    filled = sum(map(len, rows))
    check_filled(
        name,
        (len(rows), "lines of ballots"),
        (len(items), "candidates"),
        filled,
        max_bytes=max_bytes,
    )
    ranks = np.full((len(rows), len(items)), UNRANKED, dtype=np.int32)
    for at, row in enumerate(rows):
        ranks[at, [items.index(label) for label in row]] = list(row.values())
    counts = [count for _, count, _ in ballots]
    return canonical_profile(items, ranks, counts=counts, weights=weights)
