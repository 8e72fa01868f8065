"""Cast vote records as ballots times choices: a candidate, nothing, an overvote or a write-in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from rankagg._typing import Bools, Label, Positions
from rankagg.core import ItemSet
from rankagg.exceptions import DataFormatError, InvalidInputError, nearest, shown
from rankagg.io.tables.columns import Coded, names_of

#: Codes of choices that name no item, or a write-in that is taken off.
BLANK: Final = -1
OVERVOTE: Final = -2
DROPPED: Final = -3

#: How election offices write what is no name of a candidate.
SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "undervote": (
        *("undervote", "under vote", "undervotes", "undervoted", "blank", "skipped", "skip"),
        *("no vote", "no choice", "no selection", "not ranked", "-"),
    ),
    "overvote": ("overvote", "over vote", "overvotes", "overvoted"),
    "write-in": (
        *("UWI", "write in", "writein", "write ins"),
        *("undeclared write in", "undeclared write ins"),
    ),
}
OWN_SPELLINGS = "a mapping from 'undervote', 'overvote' or 'write-in' to spellings"

# Capitals, and what stands between words, make no difference.
BETWEEN = re.compile(r"[\W_]+")
# A candidate's number, as voting machines write it: "Ann Lee (12)".
NUMBERED = re.compile(r"(.*\S) ?\([0-9]+\)")
# What parts two marks in one cell.
PARTING = re.compile(r"\s*[,;/|&+\n]\s*")


def words_of(text: object) -> str:
    """Return a text in small letters, a blank between words."""
    plain = str(text).strip().casefold()
    return BETWEEN.sub(" ", plain).strip() or plain


@dataclass(frozen=True)
class Spellings:
    """How undervotes, overvotes and write-ins are written: words in small letters."""

    # The spellings of each.
    undervote: frozenset[str]
    overvote: frozenset[str]
    write_in: frozenset[str]

    @classmethod
    def of(cls, given: object) -> Spellings:
        """Return the usual spellings, but for the kinds of which others are given."""
        chosen = {} if given is None else given
        if not isinstance(chosen, Mapping):
            raise InvalidInputError("spellings", OWN_SPELLINGS, given)
        for kind in chosen:
            if kind not in SPELLINGS:
                raise InvalidInputError("spellings", OWN_SPELLINGS, kind, nearest(kind, SPELLINGS))
        kinds = [_spelled(chosen.get(kind, usual)) for kind, usual in SPELLINGS.items()]
        for word in sorted(frozenset().union(*kinds)):
            if sum(word in words for words in kinds) > 1:
                raise InvalidInputError("spellings", "different for each kind", word)
        return cls(*kinds)

    def is_special(self, label: object) -> bool:
        """Say whether a label is that of an undervote, an overvote or a write-in."""
        words = words_of(label)
        return words in self.undervote | self.overvote or self.is_write_in(words)

    def is_write_in(self, words: str) -> bool:
        """Say whether words are those of a write-in, alone or with a name or number behind."""
        return any(words == one or words.startswith(f"{one} ") for one in self.write_in)


def _spelled(texts: Any) -> frozenset[str]:
    found = names_of(texts)
    for text in found:
        if isinstance(text, bool) or not isinstance(text, str | int) or not words_of(text):
            raise InvalidInputError("spellings", "words", text, "Empty cells are undervotes.")
    return frozenset(map(words_of, found))


@dataclass(frozen=True)
class Reading:
    """How the labels of a table are read."""

    name: str
    spellings: Spellings
    alias: Mapping[str, str]
    # All candidates, where they are stated.
    items: ItemSet | None

    def names(self, labels: Iterable[Any]) -> dict[Any, Any]:
        """Return the name that each label is read as; raises where two may be one.

        The number behind a name, as in "Ann (12)", is left out, unless it tells two apart.
        """
        raw = list(labels)
        texts = [x for x in raw if isinstance(x, str) and not self.spellings.is_special(x)]
        plain = {x: found[1] for x in texts if (found := NUMBERED.fullmatch(x))}
        if len({*plain.values()}) < len(plain):
            plain = {}
        self._check_alias([*raw, *plain.values()])
        both = {*plain.values()} & {*raw}
        for label, name in plain.items():
            if name in both and label not in self.alias:
                raise DataFormatError(
                    f"{self.name}: {shown(label)} and {shown(name)} may be one candidate: "
                    f"`alias={{{label!r}: {name!r}}}` (--alias '{label}={name}') reads them as one."
                )
        of = {x: plain.get(x, x) for x in raw}
        return {x: self.alias.get(x, self.alias.get(name, name)) for x, name in of.items()}

    def _check_alias(self, labels: list[Any]) -> None:
        """Raise where another spelling is no label."""
        if not isinstance(self.alias, Mapping):
            raise InvalidInputError("alias", "a mapping from spellings to names", self.alias)
        for spelling, name in self.alias.items():
            if spelling not in labels:
                hint = nearest(spelling, labels)
                raise InvalidInputError("alias", "spellings that occur", spelling, hint)
            if not isinstance(name, str) or not name.strip():
                raise InvalidInputError("alias", "names for spellings", name)

    def overvotes(self, labels: Iterable[Any]) -> set[str]:
        """Return labels of several names, each of which stands alone elsewhere.

        Raises where only a part of a label is a name.
        """
        known = {str(x) for x in labels} | {*map(str, self.items or ())}
        texts = {x for x in labels if isinstance(x, str) and PARTING.search(x)}
        texts -= {*self.alias, *map(str, self.items or ())}
        found = {x for x in texts if not self.spellings.is_special(x)}
        alone = known - found
        joined = set()
        for text in sorted(found):
            parts = PARTING.split(text)
            are_names = [part in alone or self.spellings.is_special(part) for part in parts]
            ends = [text[: one.start()] for one in PARTING.finditer(text)]
            ends += [text[one.end() :] for one in PARTING.finditer(text)]
            if all(are_names):
                joined.add(text)
            elif any(are_names) or known & {*ends}:
                raise DataFormatError(
                    f"{self.name}: {shown(text)} may be one name or two marks, as a part of it is "
                    "a name: state all candidates by `items`, or this as a spelling of an overvote."
                )
        return joined


class Marks(NamedTuple):
    """Marks as numbers."""

    # The item that is marked, or `BLANK` or `OVERVOTE`.
    codes: Positions
    # The items, write-ins among them.
    items: list[Label]
    # Shape (n_items,). Which of the items are write-ins.
    is_write_in: Bools
    # Which cells hold a spelling that is no name of an item, as it is written; "" where empty.
    special: dict[str, Bools]


def marks_of(coded: Coded, reading: Reading) -> Marks:
    """Return what the labels of a column say."""
    names, joined = reading.names(coded.labels), reading.overvotes(coded.labels)
    spellings = reading.spellings
    new = np.full(len(coded.labels) + 1, BLANK, dtype=np.intp)  # the last is for code -1
    items: dict[Any, int] = {}
    written: list[bool] = []
    special = {"": coded.codes == -1}
    for at, label in enumerate(coded.labels):
        words = words_of(label)
        if words in spellings.overvote or label in joined:
            new[at] = OVERVOTE
        elif words not in spellings.undervote:
            new[at] = items.setdefault(names[label], len(items))
            if new[at] == len(written):
                written.append(spellings.is_write_in(words_of(names[label])))
        if new[at] < 0 or written[new[at]]:
            special[str(label)] = coded.codes == at
    return Marks(new[coded.codes], list(items), np.array(written, dtype=np.bool_), special)
