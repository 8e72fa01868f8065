"""BLT, the ballot files that programs for STV read and write."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from rankagg._typing import Integers64, Label, Unranked
from rankagg._validation import check_unranked
from rankagg.core import Profile, raw_text
from rankagg.exceptions import DataFormatError, Described, InvalidInputError, shown
from rankagg.io.abif import PER_BYTE, ballot_profile
from rankagg.io.cast_votes import CastVotes, CleaningStep
from rankagg.io.tables.sources import MAX_BYTES, Source, read_text, text_lines

# Comments, the numbers of candidates and seats, and withdrawn candidates.
_GAP = r"(?:\s|#[^\n]*\n)"
HEAD = re.compile(rf"{_GAP}*+([0-9]+)[ \t]+([0-9]+){_GAP}++((?:-[0-9]+{_GAP}++)*)")
FIRST_BALLOT = re.compile(r"(?:\([^()\n]*\)\s*)?[0-9]+(?:\.[0-9]+)?(?:[ \t]+[-=0-9]+)*[ \t]+0\s")
# A comment after text that may contain its sign in quotation marks.
COMMENT = re.compile(r'^((?:[^"#]|"[^"]*")*)#.*')
# The ID of a ballot, or text between blanks.
WORD = re.compile(r"\([^()]*\)|[^\s()]+")
WEIGHT = re.compile(r"[0-9]{1,15}(?:\.[0-9]+)?")
CHOICE = re.compile(r"-|[0-9]+(?:=[0-9]+)*")
NAMES_IN_A_LINE = re.compile(r'"[^"]*"(?:\s+"[^"]*")+')
EXAMPLE = "'27 1 3=2 0', or '2.5 1 2 0' with its weight"


class _Ballot(NamedTuple):
    # File and line, for messages.
    place: str
    weight: float
    # Candidates by number in tied groups, and the number of skipped places between them.
    buckets: list[list[str]]
    n_skipped: int


class _Election(NamedTuple):
    seats: int
    title: str
    # The names of the candidates by their numbers.
    names: dict[str, str]
    withdrawn: set[str]
    ballots: list[_Ballot]


def looks_like_blt(text: str) -> bool:
    """Return whether a text begins with two numbers and a ballot of BLT."""
    head = HEAD.match(text)
    return head is not None and FIRST_BALLOT.match(text, head.end()) is not None


def is_named_blt(files: Sequence[str]) -> bool:
    """Return whether the name of one file ends in .blt."""
    return len(files) == 1 and str(files[0]).lower().endswith(".blt")


def read_blt(
    source: Source, *, unranked: Unranked = "last", max_bytes: int = MAX_BYTES
) -> CastVotes:
    r"""Read an election in BLT, and count blank and spoilt ballots.

    The file has the numbers of candidates and seats, then ballots ``27 1 3=2 0`` (27 with the first
    candidate above two that are tied; ``-`` is a skipped place), a ``0``, names in the
    order of the numbers, and a title. A ballot may have an ID, ``(a1) 1 3 2 0``, and all may be in
    one line. The first numbers are counts, or weights of the rankings if one has decimals.
    Withdrawn candidates (``-2``, before the ballots) are removed from all ballots. ``#`` begins a
    comment.

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
    CastVotes
        The profile, a row for each line of ballots, with the title and the number of seats.

    Examples
    --------
    >>> from io import StringIO
    >>> import rankagg as ra
    >>> text = '3 1\n-3\n4 1 2 0\n3 2 3 1 0\n1 3 0\n2 0\n0\n"Ann"\n"Bob"\n"Cid"\n"Chair"\n'
    >>> votes = ra.io.read_blt(StringIO(text))
    >>> votes.seats, votes.n_ballots, votes.n_changed, votes.n_blank, votes.n_emptied
    (1, 10, 3, 2, 1)
    >>> votes.profile
    <Profile of 7 rankings (2 rows) of 2 items, complete, strict>
    """
    check_unranked(unranked)
    return read_without((), source, unranked, max_bytes)


def read_without(
    labels: Container[Label], source: Source, unranked: Unranked, max_bytes: int = MAX_BYTES
) -> CastVotes:
    """Read an election with some candidates withdrawn in addition to those of the file."""
    name, text = read_text(source, max_bytes, PER_BYTE)
    seats, title, names, withdrawn, ballots = _parse(name, text)
    withdrawn |= {code for code, label in names.items() if label in labels}
    is_count = all(ballot.weight.is_integer() for ballot in ballots)
    left = [
        [kept for tied in ballot.buckets if (kept := [x for x in tied if x not in withdrawn])]
        for ballot in ballots
    ]
    counts = np.array([int(b.weight) if is_count else 1 for b in ballots], dtype=np.int64)
    rows = [
        (ballot.place, count, buckets)
        for ballot, count, buckets in zip(ballots, counts.tolist(), left, strict=True)
        if buckets
    ]
    if not rows:
        raise DataFormatError(f"{name} has no ballot that names anyone; the file may be cut off.")
    weights = [b.weight for b, buckets in zip(ballots, left, strict=True) if buckets]
    names = {code: label for code, label in names.items() if code not in withdrawn}
    profile = ballot_profile(
        name, names, rows, max_bytes=max_bytes, weights=None if is_count else weights
    )
    named = np.array([sum(map(len, ballot.buckets)) for ballot in ballots])
    n_left = np.array([sum(map(len, buckets)) for buckets in left])
    skipped, gone = np.array([ballot.n_skipped for ballot in ballots]), named - n_left
    return CastVotes(
        profile=profile.with_unranked(unranked),
        n_ballots=int(counts.sum()),
        n_changed=int(counts @ ((n_left > 0) & (skipped + gone > 0))),
        n_blank=int(counts @ (named == 0)),
        n_emptied=int(counts @ ((named > 0) & (n_left == 0))),
        steps=(
            CleaningStep("skipped choice", "close", *_affected(counts, skipped), 0),
            CleaningStep(
                "withdrawn candidate", "drop", *_affected(counts, gone), int(counts @ gone)
            ),
        ),
        seats=seats,
        title=title,
    )


def _affected(counts: Integers64, choices: Integers64) -> tuple[int, int]:
    """Return the number of ballots with such choices, and the number of the choices."""
    return int(counts @ (choices > 0)), int(counts @ choices)


def _parse(name: str, text: str) -> _Election:
    """Parse a text that begins with `HEAD`."""
    head = HEAD.match(text)
    if head is None:
        raise DataFormatError(
            f"{name} is not BLT: it must begin with the numbers of candidates and seats, and "
            f"ballots {EXAMPLE}."
        )
    n, seats = int(head[1]), int(head[2])
    if not seats:
        raise DataFormatError(f"{name} is an election of 0 seats; there must be at least 1.")
    withdrawn = {code[1:] for code in re.sub("#.*", "", head[3]).split()}
    if unknown := sorted(code for code in withdrawn if not 0 < int(code) <= n):
        raise DataFormatError(f"{name} withdraws '-{unknown[0]}', and has candidates 1 to {n}.")
    before = text[: head.end()].count("\n")
    lines = [COMMENT.sub(r"\1", line) for line in text_lines(text[head.end() :])]
    ballots, rest = list[_Ballot](), list[str]()
    for number, line in enumerate(lines):
        place, words = f"{name}, line {before + number + 1}", list[str]()
        for word in WORD.finditer(line):
            if word[0] != "0":
                words.append(word[0])
            elif words:
                ballots.append(_parse_ballot(place, words, line))
                words = []
            else:
                rest = [line[word.end() :], *lines[number + 1 :]]
                break
        if rest:
            break
        if words:
            raise _ballot_error(place, line)
    names = _parse_names(name, rest, n)
    title = names[n].strip() if len(names) > n else ""
    labels = {str(k): label.strip() for k, label in enumerate(names[:n], start=1)}
    return _Election(seats, title, labels, withdrawn, ballots)


def _parse_names(name: str, lines: list[str], n: int) -> list[str]:
    """Return the names of `n` candidates and perhaps a title, each on a line or all in quotes."""
    names = list[str]()
    for line in filter(None, map(str.strip, lines)):
        is_quoted = NAMES_IN_A_LINE.fullmatch(line)
        names += re.findall(r'"([^"]*)"', line) if is_quoted else [line.strip('"')]
    if len(names) < n:
        raise DataFormatError(f"{name} names {len(names)} of {n} candidates; it may be cut off.")
    if len(names) > n + 1:
        raise DataFormatError(
            f"{name} has {len(names)} names, and only {n} candidates and a title.",
            "Correct the number of candidates in its first line, or delete the other names.",
        )
    return names


def _parse_ballot(place: str, words: list[str], line: str) -> _Ballot:
    """Return the ballot in the words before a 0."""
    weight, *choices = words[words[0].startswith("(") :] or [""]
    is_right = WEIGHT.fullmatch(weight) and float(weight) > 0
    if not (is_right and all(map(CHOICE.fullmatch, choices))):
        raise _ballot_error(place, line)
    while choices and choices[-1] == "-":
        choices.pop()
    buckets = [choice.split("=") for choice in choices if choice != "-"]
    return _Ballot(place, float(weight), buckets, choices.count("-"))


def _ballot_error(place: str, line: str) -> DataFormatError:
    return DataFormatError(f"{place}: a ballot must read {EXAMPLE}. Got {shown(line.strip())}.")


def blt_text(profile: Profile, title: str = "", seats: int = 1) -> str:
    """Return ballots in BLT, with a line for each ballot that has a weight."""
    labels = list(map(raw_text, profile.items))
    head, names = f"{len(labels)} {seats}\n", [f'"{text}"' for text in (*labels, title)]
    tail = "\n".join(["0", *names]) + "\n"
    try:
        parsed = _parse("", head + tail)
    except DataFormatError:
        parsed = None
    if parsed is None or [*parsed.names.values(), parsed.title] != [*labels, title]:
        allowed = "that BLT can hold: no blanks or quotation marks around them, and no line breaks"
        raise InvalidInputError("items and title", allowed, [*labels, title])
    numbers = {label: str(k) for k, label in enumerate(profile.items, start=1)}
    is_weighted, lines = bool((profile.weights != 1).any()), list[str]()
    for ranking, count, weight in zip(profile, profile.counts, profile.weights, strict=True):
        first = format(Decimal(repr(float(weight))), "f") if is_weighted else str(count)
        if not WEIGHT.fullmatch(first):
            allowed = "a profile of weights and counts below 10**15, as BLT holds them"
            raise InvalidInputError("profile", allowed, Described(first))
        places = " ".join("=".join(numbers[x] for x in bucket) for bucket in ranking.buckets)
        lines += [f"{first} {places} 0\n"] * (int(count) if is_weighted else 1)
    return "".join([head, *lines, tail])
