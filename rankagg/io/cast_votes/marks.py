"""What the cells of cast votes say: an item, a write-in, nothing, or too much."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Label
from rankagg.exceptions import InvalidInputError, nearest
from rankagg.io.tables.columns import Coded, names_of

__all__ = ["BLANK", "DROPPED", "OVERVOTE", "SPELLINGS", "Marks", "Spellings", "marks_of"]

#: Codes of choices that name no item, or a write-in that is taken off.
BLANK: Final = -1
OVERVOTE: Final = -2
DROPPED: Final = -3

#: How election offices write what is no name of a candidate.
SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "undervote": ("undervote", "under vote", "undervotes", "blank", "skipped", "no vote", "-"),
    "overvote": ("overvote", "over vote", "overvotes", "overvoted"),
    "write-in": ("UWI", "write in", "writein", "write ins", "undeclared write in"),
}
ALLOWED = "a mapping from 'undervote', 'overvote' or 'write-in' to spellings"

# Capitals, and what stands between words, make no difference.
BETWEEN = re.compile(r"[\W_]+")


def _words(text: object) -> str:
    plain = str(text).strip().casefold()
    return BETWEEN.sub(" ", plain).strip() or plain


@dataclass(frozen=True)
class Spellings:
    """How undervotes, overvotes and write-ins are written: words in small letters.

    Attributes
    ----------
    undervote, overvote, write_in : frozenset of str
        The spellings of each.
    """

    undervote: frozenset[str]
    overvote: frozenset[str]
    write_in: frozenset[str]

    @classmethod
    def of(cls, given: object) -> Spellings:
        """Return the usual spellings, but for the kinds of which others are given."""
        chosen = {} if given is None else given
        if not isinstance(chosen, Mapping):
            raise InvalidInputError("spellings", ALLOWED, given)
        for kind in chosen:
            if kind not in SPELLINGS:
                raise InvalidInputError("spellings", ALLOWED, kind, nearest(kind, SPELLINGS))
        kinds = [_spelled(chosen.get(kind, usual)) for kind, usual in SPELLINGS.items()]
        for word in sorted(frozenset().union(*kinds)):
            if sum(word in words for words in kinds) > 1:
                raise InvalidInputError("spellings", "different for each kind", word)
        return cls(*kinds)

    def is_write_in(self, words: str) -> bool:
        """Say whether words are those of a write-in, alone or with a name or number behind."""
        return any(words == one or words.startswith(f"{one} ") for one in self.write_in)


def _spelled(texts: Any) -> frozenset[str]:
    found = names_of(texts)
    for text in found:
        if isinstance(text, bool) or not isinstance(text, str | int) or not _words(text):
            raise InvalidInputError("spellings", "words", text, "Empty cells are undervotes.")
    return frozenset(map(_words, found))


@dataclass(frozen=True, eq=False)
class Marks:
    """Marks as numbers.

    Attributes
    ----------
    codes : ndarray of int
        The item that is marked, or `BLANK` or `OVERVOTE`.
    items : list of str or int
        The items, write-ins among them.
    is_write_in : ndarray of bool, shape (n_items,)
        Which of the items are write-ins.
    special : dict from str to ndarray of bool
        Which cells hold a spelling that is no name of an item, as it is written; "" where empty.
    """

    codes: NDArray[np.intp]
    items: list[Label]
    is_write_in: Bools
    special: dict[str, Bools]


def marks_of(coded: Coded, spellings: Spellings) -> Marks:
    """Return what the labels of a column say."""
    new = np.full(len(coded.labels) + 1, BLANK, dtype=np.intp)  # the last is for code -1
    items: list[Any] = []
    written: list[bool] = []
    special = {"": coded.codes == -1}
    for at, label in enumerate(coded.labels):
        words = _words(label)
        if words in spellings.overvote:
            new[at] = OVERVOTE
        elif words not in spellings.undervote:
            new[at] = len(items)
            items.append(label)
            written.append(spellings.is_write_in(words))
        if new[at] < 0 or written[-1]:
            special[str(label)] = coded.codes == at
    return Marks(new[coded.codes], items, np.array(written, dtype=np.bool_), special)
