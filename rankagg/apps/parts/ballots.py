"""Ballots as lines of text that one edits by hand, and back."""

from __future__ import annotations

import re

import numpy as np

import rankagg as ra
from rankagg.core.items import counted, shortened
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.exceptions import DataFormatError, InvalidInputError

__all__ = ["ballots_as_text", "profile_of_text"]

# Items that a picture holds, and voters that a count can stand for.
MOST_ITEMS, MOST_VOTERS = 12, 10**9
LINE = re.compile(r"(?:([0-9]{1,10})\s*:)?(.*)", re.DOTALL)
MARKS = re.compile(r"[>=:#\n]")
# What stands between items elsewhere.
OTHER_MARKS = re.compile(r"[,;<|]")


def profile_of_text(text: str) -> ra.Profile:
    r"""Read ballots, one a line: `42: Memphis > Nashville = Knoxville`.

    Examples
    --------
    >>> from rankagg.apps.parts.ballots import profile_of_text
    >>> profile_of_text("2: A > B > C\nB = C > A")
    <Profile of 3 rankings (2 rows) of 3 items, complete, with ties>
    """
    ballots, counts = [], []
    alone: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        plain = line.partition("#")[0].strip()
        if plain:
            count, buckets = _ballot(plain, f"line {number}")
            counts.append(count)
            ballots.append(buckets)
            if sum(map(len, buckets)) == 1 and OTHER_MARKS.search(buckets[0][0]):
                alone.setdefault(buckets[0][0], number)
    # A name may have such a mark, but then some ballot ranks it.
    several = [ballot for ballot in ballots if sum(map(len, ballot)) > 1]
    ranked = {item for ballot in several for bucket in ballot for item in bucket}
    unread = [number for name, number in alone.items() if name not in ranked]
    if unread:
        raise DataFormatError(f"In line {unread[0]} only '>' and '=' part items; write A > B > C.")
    items = list(dict.fromkeys(item for ballot in ballots for bucket in ballot for item in bucket))
    if len(items) < 2:
        raise DataFormatError("There is no ballot that ranks two items; write A > B > C.")
    if len(items) > MOST_ITEMS:
        raise DataFormatError(
            f"There are {counted(len(items), 'item')}; this page holds {MOST_ITEMS} at most."
        )
    observed = ra.Profile(
        [ra.PartialRanking.from_buckets(ballot, items=items) for ballot in ballots], counts=counts
    )
    # What a voter leaves out was not overlooked: it is below.
    ranks = np.where(observed.ranks == UNRANKED, np.int32(UNLISTED), observed.ranks)
    return ra.Profile._trusted(observed.items, ranks, counts=observed.counts)


def _ballot(line: str, where: str) -> tuple[int, list[list[str]]]:
    """Return how often a ballot was cast, and its groups of ties."""
    match = LINE.fullmatch(line)
    assert match is not None, "every text matches"
    count = int(match[1] or 1)
    if not 1 <= count <= MOST_VOTERS:
        raise DataFormatError(
            f"In {where} the number of voters is {count}; from 1 to {MOST_VOTERS:,} are allowed."
        )
    if ":" in match[2]:
        raise DataFormatError(
            f"In {where} what stands before ':' is no number of voters; write 3: A > B > C."
        )
    buckets = [[item.strip() for item in part.split("=")] for part in match[2].split(">")]
    listed = [item for bucket in buckets for item in bucket]
    if not all(listed):
        raise DataFormatError(f"In {where} a name is missing beside '>' or '='.")
    twice = next((item for item in listed if listed.count(item) > 1), None)
    if twice is not None:
        raise DataFormatError(f"In {where} {shortened(twice)} stands twice.")
    return count, buckets


def ballots_as_text(profile: ra.Profile) -> str:
    """Write a profile as lines that `profile_of_text` reads.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.apps.parts.ballots import ballots_as_text
    >>> print(ballots_as_text(ra.datasets.load("borda_fails_condorcet")))
    3: A > B > C
    2: B > C > A
    """
    for item in profile.items:
        if isinstance(item, str) and MARKS.search(item):  # as it is, and not as it is shown
            raise InvalidInputError(
                "profile", "names without > = : #", item, "Rename the item to edit it here."
            )
    if (profile.ranks == UNRANKED).any():
        raise InvalidInputError(
            "profile", "ballots that judge all items", profile, "A line cannot say 'not observed'."
        )
    if (profile.weights != 1).any():
        raise InvalidInputError("profile", "ballots of weight 1", profile)
    lines = []
    for row, count in zip(profile.ranks, profile.counts, strict=True):
        ranks = sorted(set(row[row != UNLISTED]))
        buckets = [
            " = ".join(str(profile.items[k]) for k in (row == rank).nonzero()[0]) for rank in ranks
        ]
        lines.append(f"{count}: {' > '.join(buckets)}")
    return "\n".join(lines)
