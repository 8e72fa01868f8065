"""How outcomes of comparisons are written: by side, in words or numbers, or by the winner's name.

A table is read in one convention: 0 is a loss of the first side beside 1 and 1/2, and a tie
beside -1. What several conventions read differently is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rankagg.exceptions import nearest, shown

__all__ = ["OUTCOMES", "SIDES", "TIES", "Reading", "Spellings", "is_tie"]

#: Who gave an answer, in "model_a", "Response A", "player 1".
WHO = ("model", "assistant", "response", "answer", "output", "system", "option", "candidate",
       "player", "team", "side")  # fmt: skip
FIRST = ("first", "left", "a", "1st", "home", "white")
SECOND = ("second", "right", "b", "2nd", "away", "black")
WON = ("win", "won", "wins", "true", "yes", "a>b", "[[a]]", "1-0")
LOST = ("loss", "lose", "lost", "loses", "false", "no", "b>a", "[[b]]", "0-1")
TIED = (
    "tie", "ties", "tied", "draw", "drawn", "draws", "equal", "even", "same", "=",
    "a=b", "[[c]]", "neither", "both", "bothbad", "both bad", "bothgood", "both good",
    "tie (bothbad)", "tie (both bad)", "tie (bothgood)", "tie (both good)", "no preference",
    "no winner", "1/2-1/2", "½-½",
)  # fmt: skip
NEUTRAL = ("neutral", "neither", "no side", "both", "none")

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")
BLANKS = re.compile(r"[\s_]+")
HALVES = ("1/2", "½")
# No convention has numbers beyond, and not all of these are floats.
LARGEST = 1e6

Key = str | float


class Convention(NamedTuple):
    """What words or numbers mean: 1, 0 or -1.

    It is in use only where one of `told_by` occurs, unless that is empty.
    """

    meaning: dict[Key, int]
    told_by: frozenset[Key] = frozenset()


def _places() -> dict[Key, int]:
    """Return what words for sides mean, in every usual way to write them."""
    words: dict[Key, int] = dict.fromkeys(FIRST, 1)
    words.update(dict.fromkeys(SECOND, -1))
    for who in WHO:
        for one, other in (("a", "b"), ("1", "2")):
            for blank in ("", " "):
                words |= {f"{who}{blank}{one}": 1, f"{who}{blank}{other}": -1}
    return words


TIES: dict[Key, int] = dict.fromkeys(TIED, 0)
PLACES = _places()
WORDS: dict[Key, int] = {**PLACES, **dict.fromkeys(WON, 1), **dict.fromkeys(LOST, -1)}
CONVENTIONS = (
    Convention(WORDS),
    # What is as short may be an item as well, and is a tie in these alone.
    Convention({"w": 1, "d": 0, "t": 0, "l": -1}, frozenset("wl")),
    Convention({"l": 1, "t": 0, "r": -1}, frozenset("lr")),
    Convention({"w": 1, "d": 0, "b": -1}, frozenset("wb")),
    Convention({1.0: 1, 0.5: 0, 0.0: -1}, frozenset({1.0, 0.5})),
    Convention({1.0: 1, 0.0: 0, -1.0: -1}, frozenset({-1.0})),
    Convention({1.0: 1, "x": 0, 2.0: -1}, frozenset({1.0, 2.0})),
)


class Reading(NamedTuple):
    """What distinct cells mean, or which of them means nothing and why."""

    meanings: list[int]
    wrong: int | None = None
    why: str = ""
    hint: str = ""


class Spellings(NamedTuple):
    """The conventions that a column may keep, and what else it may say."""

    # At least one must know every cell.
    conventions: tuple[Convention, ...]
    # What words mean in all of them.
    always: dict[Key, int]
    allowed: str

    def read(self, labels: Sequence[Any]) -> Reading:
        """Return what distinct cells mean, 1, 0 or -1 each."""
        keys = [key_of(label) for label in labels]
        rest = [key for key in keys if key not in self.always]
        fitting = [
            convention.meaning | self.always
            for convention in self.conventions
            if all(key in convention.meaning for key in rest)
            and (not rest or not convention.told_by or convention.told_by.intersection(rest))
        ]
        if not fitting:
            return self._refused(labels, keys)
        read = np.array([[meaning[key] for key in keys] for meaning in fitting])
        differing = np.flatnonzero(np.ptp(read, axis=0)).tolist()
        if differing:
            return Reading([], differing[0], "which may mean either side")
        return Reading(read[0].tolist())

    def _refused(self, labels: Sequence[Any], keys: Sequence[Key]) -> Reading:
        """Say which cell is to blame where no convention knows all of them."""
        known = {key for convention in self.conventions for key in convention.meaning}
        for at, key in enumerate(keys):
            if key not in self.always and key not in known:
                words = [word for word in (*self.always, *known) if len(str(word)) > 2]
                return Reading([], at, hint=nearest(labels[at], words))
        # Each is known by itself: take the one that fits with the first in no convention.
        at = next(at for at, key in enumerate(keys) if key not in self.always)
        for other in range(at + 1, len(keys)):
            both = {keys[at], keys[other]} - self.always.keys()
            if not any(both <= convention.meaning.keys() for convention in self.conventions):
                why = f"beside {shown(labels[at])}, which no convention has"
                return Reading([], other, why)
        if keys[at] == 0:
            return Reading([], at, "which is a loss beside 1 and a tie beside -1, and neither here")
        many = ", ".join(shown(label) for label in labels[:6])
        return Reading([], at, f"in a column of {many}, which no convention has together")


def key_of(label: Any) -> Key:
    """Return a cell as conventions know it: a number, or a text without case and underscores."""
    if isinstance(label, bool | np.bool_):
        return "true" if label else "false"
    if not isinstance(label, str):
        return float(label) if abs(label) < LARGEST else str(label)
    text = BLANKS.sub(" ", label.strip()).casefold()
    if text in HALVES:
        return 0.5
    return float(text) if NUMBER.fullmatch(text) and len(text) < 20 else text


def is_tie(label: Any) -> bool:
    """Say whether a cell is a word for a tie."""
    return key_of(label) in TIES


OUTCOMES = Spellings(
    CONVENTIONS,
    TIES,
    "'left', 'right' or 'tie', 'model_a', 'model_b' or 'tie', 'win', 'loss' or 'draw', 1, 0 or 0.5 "
    "and the like, or the name of one of the two or a tie",
)

SIDES = Spellings(
    (Convention(PLACES), Convention({1.0: 1, 0.0: 0, -1.0: -1})),
    dict.fromkeys(NEUTRAL, 0),
    "'first', 'second' or 'neutral', or 1, -1 or 0",
)
