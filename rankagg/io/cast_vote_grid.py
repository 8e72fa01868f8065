"""The table of a cast vote record as one row per ballot and one column per choice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

import numpy as np

from rankagg._numbers import EXACT_LIMIT
from rankagg._typing import Bools, Floats, Integers64, Label, Positions
from rankagg.core import ItemSet, listed
from rankagg.core.graphs import connected_parts
from rankagg.exceptions import DataFormatError, InvalidInputError, nearest, shown
from rankagg.io.tables.columns import OF_PLACES, ORDINALS, Coded, names_of, with_alias
from rankagg.io.tables.look import BETWEEN as WORDS
from rankagg.io.tables.look import TableLook, may_be_counts
from rankagg.io.tables.sources import PER_CELL, check_filled

if TYPE_CHECKING:
    from rankagg.io.tables.table import Table

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


@dataclass(frozen=True, eq=False)
class Marks:
    """Marks as numbers."""

    # The item that is marked, or `BLANK` or `OVERVOTE`.
    codes: Positions
    # The items, write-ins among them.
    items: list[Label]
    # Shape (n_items,). Which of the items are write-ins.
    is_write_in: Bools
    # Which cells hold a spelling that is no name of an item, as it is written; "" where empty.
    special: dict[str, Bools]


# A candidate's number, as voting machines write it: "Ann Lee (12)".
NUMBERED = re.compile(r"(.*\S) ?\(([0-9]+)\)")
# What parts two marks in one cell.
PARTING = re.compile(r"\s*[,;/|&+\n]\s*")


def _without_numbers(labels: Iterable[Any], spellings: Spellings) -> dict[Any, Any]:
    """Return names without the number of the candidate, where each name has one of its own.

    All names have a number, or some occur without theirs too.
    """
    names = [label for label in labels if not spellings.is_special(label)]
    found = {x: NUMBERED.fullmatch(x) for x in names if isinstance(x, str)}
    parts = {x: (one[1], one[2]) for x, one in found.items() if one}
    bases = {base for base, _ in parts.values()}
    is_regular = len(bases) == len(set(parts.values())) == len({n for _, n in parts.values()})
    if is_regular and (len(parts) == len(names) or bases & {*names}):
        return {label: base for label, (base, _) in parts.items()}
    return {}


def _joined(text: str, is_name: Callable[[str], bool]) -> bool | None:
    """Say whether a text holds several names; None where only some of its parts are names."""
    signs = list(PARTING.finditer(text))
    starts, ends = [0, *(x.end() for x in signs)], [*(x.start() for x in signs), len(text)]
    # Whether the parts up to each one are whole names, which may hold such signs themselves.
    whole = [True] + [False] * len(ends)
    for end, stop in enumerate(ends):
        whole[end + 1] = any(
            whole[at] and end - at < len(ends) - 1 and is_name(text[start:stop])
            for at, start in enumerate(starts[: end + 1])
        )
    if whole[-1]:
        return True
    some = any(map(is_name, (text[a:b] for a, b in zip(starts, ends, strict=True))))
    return None if some and set(",;\n") & set(text) else False


class Names:
    """What labels mean: names of candidates, or several of them in one cell."""

    def __init__(
        self,
        labels: Iterable[Any],
        spellings: Spellings,
        alias: Mapping[str, str] | None = None,
        items: ItemSet | None = None,
    ) -> None:
        raw = list(labels)
        plain = _without_numbers(raw, spellings)
        stripped = [plain.get(label, label) for label in raw]
        read = dict(zip([*raw, *stripped], with_alias(alias, [*raw, *stripped]), strict=True))
        self.of = {x: read[x] if x in (alias or {}) else read[plain.get(x, x)] for x in raw}
        parted = {x for x in raw if isinstance(x, str) and PARTING.search(x)}
        known = {str(self.of[x]) for x in raw} - parted | {str(x) for x in raw if x not in parted}
        stated = {*map(str, items or ())}
        # The longer a label, the more names may be in it.
        self.joined, self.unclear = set[str](), list[str]()

        def is_name(text: str) -> bool:
            return text in known or text in stated or spellings.is_special(text)

        for text in sorted(parted, key=len):
            if is_name(text) or text in (alias or {}):
                continue
            found = _joined(text, is_name)
            if found:
                self.joined.add(text)
            else:
                known.add(text)
                self.unclear += [text] if found is None else []


def marks_of(coded: Coded, spellings: Spellings, names: Names) -> Marks:
    """Return what the labels of a column say."""
    new = np.full(len(coded.labels) + 1, BLANK, dtype=np.intp)  # the last is for code -1
    items: dict[Any, int] = {}
    written: list[bool] = []
    special = {"": coded.codes == -1}
    for at, label in enumerate(coded.labels):
        words = words_of(label)
        if words in spellings.overvote or label in names.joined:
            new[at] = OVERVOTE
        elif words not in spellings.undervote:
            new[at] = items.setdefault(names.of[label], len(items))
            if new[at] == len(written):
                written.append(spellings.is_write_in(words_of(names.of[label])))
        if new[at] < 0 or written[new[at]]:
            special[str(label)] = coded.codes == at
    return Marks(new[coded.codes], list(items), np.array(written, dtype=np.bool_), special)


# -- columns of choices ---------------------------------------------------------------------------

# Words for 1 to 5 in headings of some languages; those of English are `ORDINALS`.
ORDINAL_WORDS = [
    re.compile(rf"{german}(?:e[mnrs]?|wahl|stimme|wunsch)?|{others}")
    for german, others in (
        ("erst", "premi(?:er|ère)|primer[ao]?|prim[ao]|primeir[ao]|eerste"),
        ("zweit", "deuxième|second[aeo]|segund[ao]|tweede"),
        ("dritt", "troisième|tercer[ao]?|terz[ao]|terceir[ao]|derde"),
        ("viert", "quatrième|cuart[ao]|quart[ao]|vierde"),
        ("fünft", "cinquième|quint[ao]|vijfde"),
    )
]
NTH = re.compile(r"([0-9]{1,3})(?:st|nd|rd|th|er|re|ère|nde|ème|e|[ºª°])", re.IGNORECASE)
CHOICE_WORD = re.compile(rf"(?:{OF_PLACES}|pref|vote|stimme)s?", re.IGNORECASE)
QUESTION = re.compile(r"q?[0-9]+[a-z]?", re.IGNORECASE)
OTHERS = ("voter", "other", "count")
# Each is compared with each other.
MOST_CHOICES = 300
# So many ballots may have different first choices by chance.
FEW_BALLOTS = 2


class Heading(NamedTuple):
    """A heading of a column of choices."""

    # Its place in the order of preference; None where none is stated.
    place: int | None
    # Whether this is an ordinal, or a number with a word for a choice, and no other number.
    is_sure: bool
    # The words around it.
    rest: tuple[str, ...]


def heading_of(name: object) -> Heading:
    """Return what a heading says of the place of a choice."""
    words = [word for word in WORDS.split(str(name).casefold()) if word]
    ordinals: dict[int, int] = {}
    beside: dict[int, int] = {}
    other: dict[int, int] = {}
    for at, word in enumerate(words):
        begun = next((k for k, x in enumerate(ORDINAL_WORDS, 1) if x.fullmatch(word)), None)
        place = ORDINALS.get(word) or begun
        if nth := NTH.fullmatch(word):
            place = nth[1]
        near = words[max(at - 1, 0) : at] + words[at + 1 : at + 2]
        if place is not None:
            ordinals[at] = int(place)
        elif word.isdecimal() and len(word) <= 3:
            is_choice = len(words) == 1 or any(map(CHOICE_WORD.fullmatch, near))
            (beside if is_choice else other)[at] = int(word)
    found = ordinals or beside or other
    if not found:
        return Heading(None, False, tuple(words))
    last = max(found)
    rest = [word for at, word in enumerate(words) if at != last]
    if found is not other and rest and last > 0 and QUESTION.fullmatch(rest[0]):
        del rest[0]
    return Heading(found[last], found is not other, tuple(rest))


def choice_columns(look: TableLook, spellings: Spellings | None = None) -> list[list[Label]]:
    """Return the columns of choices of each contest, the first choice first; [] for none.

    Columns of choices share most of their names with each other, or have the same heading but for
    an ordinal. Ordinals in headings give their order, or that of the columns. Contests share no
    names, or state the same places in different words. Where headings of some contests state
    places, columns without are none.
    """
    words = spellings or Spellings.of(None)
    headings = [heading_of(name) for name in look.names]
    names = _names_of_columns(look, headings, words)
    if not 0 < len(names) <= MOST_CHOICES:
        return []
    linked = np.eye(len(names), dtype=np.bool_)
    for (row, one), (column, other) in combinations(enumerate(names), 2):
        common = len(names[one] & names[other])
        is_shared = 2 * common >= min(len(names[one]), len(names[other])) and common
        first, second = headings[one], headings[other]
        is_alike = first.rest == second.rest and first.place != second.place
        linked[row, column] = is_shared or (is_alike and first.is_sure and second.is_sure)
    part = connected_parts(linked | linked.T).tolist()
    parts = [
        [at for at, one in zip(names, part, strict=True) if one == k] for k in dict.fromkeys(part)
    ]
    groups = [one for columns in parts for one in _contests(look, headings, columns)]
    best = max((level for level, _ in groups), default=0)
    return [[look.names[at] for at in columns] for level, columns in groups if level == best]


def _names_of_columns(
    look: TableLook, headings: list[Heading], spellings: Spellings
) -> dict[int, set[str]]:
    """Return the names in columns that may hold choices."""
    labels: dict[int, list[Any]] = {}
    blank = {at for at in look.texts if np.isnan(look.values[at]).all()}
    sure = {at for at, heading in enumerate(headings) if heading.is_sure}
    # Numbers may be candidates only where headings say that they are choices.
    are_numbers = not sure & {*look.texts} - blank
    for at, heading in enumerate(headings):
        is_number = at in look.numeric and not (are_numbers and at not in look.ordinals)
        if is_number or (at not in sure and (at in look.numeric or at in blank)):
            continue
        if heading.place is None and look.called(*OTHERS, among=[at]):
            continue
        with suppress(DataFormatError):  # dates
            labels[at] = look.labels(at).labels
    meant = Names(dict.fromkeys(x for column in labels.values() for x in column), spellings)
    return {
        at: {str(meant.of[x]) for x in column if not (x in meant.joined or spellings.is_special(x))}
        for at, column in labels.items()
    }


def _contests(
    look: TableLook, headings: list[Heading], columns: list[int]
) -> list[tuple[int, list[int]]]:
    """Return the contests of columns that belong together, with 2, 1 or 0 as places are stated."""
    if len(columns) < 2:
        return []
    stated = [at for at in columns if headings[at].place is not None]
    rest = [at for at in columns if headings[at].place is None]
    level = 2 if any(headings[at].is_sure for at in stated) else 1
    if not stated:
        # Who votes may be a candidate: names of which none is twice.
        is_voter = look.is_key(columns[:1]) and look.table.n_rows > FEW_BALLOTS
        return [(0, columns[:1]), (0, columns[1:])] if is_voter else [(0, columns)]
    by_words: dict[tuple[str, ...], list[int]] = {}
    places = [headings[at].place for at in stated]
    for at in stated:
        is_one = len(set(places)) == len(places)
        by_words.setdefault(() if is_one else headings[at].rest, []).append(at)
    found = [sorted(one, key=lambda at: headings[at].place or 0) for one in by_words.values()]
    if (
        len(found) == len(rest) == 1
        and min(p or 0 for p in places) == 2
        and rest[0] + 1 == found[0][0]
    ):
        # "My choice", "second choice", "third choice".
        return [(level, [*rest, *found[0]])]
    return [(level, one) for one in [*found, *([rest] if rest else [])]]


# Ballots offer a few choices; a larger rank is a slip, or no rank.
LARGEST_RANK = 1000


@dataclass(frozen=True, eq=False)
class Grid:
    """Ballots times choices."""

    # What to call the table in messages.
    name: str
    # Shape (n_ballots, n_choices). The label that is marked, or `BLANK` or `OVERVOTE`.
    codes: Positions
    labels: list[Label]
    # Shape (n_labels,). Which of them are write-ins.
    is_write_in: Bools
    # Shape (n_ballots,). How often each ballot occurs.
    counts: Integers64
    # Of each ballot; None where there are none.
    weights: Floats | None
    groups: list[Label] | None
    # Spellings that are no names, and in how many choices they occur.
    spelled: tuple[tuple[str, int], ...]
    # Returns where a label first occurs, for messages.
    place: Callable[[int], str]
    # Columns that were read as choices, and that were not read.
    choices: list[Label]
    left_out: list[Label]

    def apart(self) -> list[Positions]:
        """Return numbers of weights and groups: ballots that differ there are never merged."""
        parts = []
        if self.weights is not None:
            parts.append(np.unique(self.weights, return_inverse=True)[1].ravel())
        if self.groups is not None:
            parts.append(Coded.of(self.groups).codes)
        return parts

    def refuse(self, code: int, items: ItemSet) -> NoReturn:
        """Raise because a label is none of the stated items."""
        label = self.labels[code]
        raise DataFormatError(
            f"{self.place(code)} names {shown(label)}, which is none of the stated "
            f"items ({listed(items.labels)}). {nearest(label, items)}".rstrip()
        )


@dataclass(frozen=True)
class _Ballots:
    """Columns that say something of a ballot as a whole, a value for each row of the table."""

    counts: Integers64
    weights: Floats | None
    groups: list[Label] | None


LONG_COLUMNS = ("ballot", "rank", "item")


def read_grid(
    table: Table,
    spellings: Spellings,
    named: Mapping[str, Label | None],
    choices: Iterable[Label] | None,
    drop: Iterable[Label],
    *,
    alias: Mapping[str, str] | None,
    items: ItemSet | None,
) -> Grid:
    """Return the ballots in a table; `read_cast_votes` says what the columns are that are named."""
    gone, wanted = names_of(drop), None if choices is None else names_of(choices)
    for parameter, columns in (("drop", gone), ("choices", wanted or [])):
        for name in columns:
            table.position(name, parameter)
    long = {word: named[word] for word in LONG_COLUMNS if named[word] is not None}
    if long and len(long) < len(LONG_COLUMNS):
        lacking = next(word for word in LONG_COLUMNS if word not in long)
        allowed = "given together (long form) or not at all"
        remedy = f"`{lacking}` is missing."
        raise InvalidInputError("ballot, rank and item", allowed, None, remedy)
    if long and wanted is not None:
        raise InvalidInputError("choices", "left out in the long form", wanted)
    special = [*gone, *(name for name in named.values() if name is not None)]
    if len({*special, *(wanted or [])}) < len(special) + len(wanted or []):
        raise InvalidInputError("columns", "named once each", [*(wanted or []), *special])
    count, weight, group = (named[word] for word in ("count", "weight", "group"))
    of_rows = _Ballots(
        np.ones(table.n_rows, dtype=np.int64) if count is None else table.counts(count, "count"),
        None if weight is None else table.weights(weight),
        None if group is None else table.labels(group, "group"),
    )

    def names(labels: Iterable[Any]) -> Names:
        return Names(labels, spellings, alias, items)

    if long:
        return _of_marks(table, spellings, of_rows, names, **long)
    if wanted is None:
        look = TableLook(table, special)
        wanted = _found_choices(look, spellings, has_counts=(count, weight) != (None, None))
    if not wanted:
        raise DataFormatError(f"{table.name} has no columns of choices.")
    return _of_choices(table, spellings, of_rows, names, wanted)


def _found_choices(look: TableLook, spellings: Spellings, *, has_counts: bool) -> list[Label]:
    """Return the columns of choices; raises where it is not certain which they are."""
    name, contests = look.table.name, choice_columns(look, spellings)
    if not contests:
        raise DataFormatError(
            f"{name} has no two columns with the same names, as choices of candidates have: name "
            "them by `choices`. `read_ballots` reads ranks."
        )
    if len(contests) > 1:
        columns = " or ".join(listed(columns) for columns in contests)
        raise DataFormatError(
            f"{name} seems to hold {len(contests)} contests: name the columns of one by `choices`, "
            f"in the order of preference: {columns}."
        )
    (choices,) = contests
    headings = [heading_of(one) for one in choices]
    places = [one.place for one in headings if one.is_sure and one.place is not None]
    if (
        places
        and len(places) == len(choices)
        and places not in ([*range(len(places))], [*range(1, len(places) + 1)])
    ):
        raise DataFormatError(
            f"{name} has columns of the choices {listed(places)}, and not of those between or "
            "before: name all columns of choices by `choices`, the first choice first."
        )
    at_choices = [look.names.index(one) for one in choices]
    known = look.texts_of(*at_choices)
    known = {one for one in known if one and not spellings.is_special(one)}
    shared: list[Label] = []
    for at, heading in enumerate(look.names):
        if at in at_choices:
            continue
        with suppress(DataFormatError):  # dates
            if known & look.texts_of(at) and not look.called(*OTHERS, among=[at]):
                shared.append(heading)
        if not has_counts and look.may_count(at, at_choices):
            raise DataFormatError(may_be_counts(name, heading))
    if shared:
        raise DataFormatError(
            f"{name}: {listed(shared)} has names of candidates as the choices {listed(choices)} "
            "have: name the columns of choices by `choices`, the first choice first."
        )
    return choices


def _of_choices(
    table: Table,
    spellings: Spellings,
    ballots: _Ballots,
    names: Callable[[Iterable[Any]], Names],
    choices: list[Any],
) -> Grid:
    columns = [table.coded(name, "choices", gaps=True) for name in choices]
    together: dict[Any, int] = {}
    parts = []
    for column in columns:
        new = [together.setdefault(label, len(together)) for label in column.labels]
        parts.append(np.array([*new, BLANK], dtype=np.intp)[column.codes])
    meant = _clear(table.name, names(together))
    marks = marks_of(Coded(np.concatenate(parts), list(together)), spellings, meant)
    codes = marks.codes.reshape(len(choices), -1).T

    def place(code: int) -> str:
        return table.place(int(np.argmax((codes == code).any(axis=1))))

    counts = np.tile(ballots.counts, len(choices))
    first = np.arange(len(codes))
    grid = _made_grid(table, codes, marks, ballots, first=first, counts=counts, place=place)
    return replace(grid, choices=choices, left_out=[x for x in table.header if x not in choices])


def _clear(name: str, names: Names) -> Names:
    """Refuse labels of which it is not certain whether they are one name."""
    if names.unclear:
        raise DataFormatError(
            f"{name}: {shown(names.unclear[0])} may be one name or two marks, as a part of it is a "
            "name: state all candidates by `items`, or this as a spelling of an overvote."
        )
    return names


def _made_grid(
    table: Table,
    codes: Positions,
    marks: Marks,
    ballots: _Ballots,
    *,
    first: Positions,
    counts: Integers64,
    place: Callable[[int], str],
) -> Grid:
    """Return the grid; `first` is a row of the table for each ballot, `counts` is of the marks."""
    if float(ballots.counts[first].astype(float).sum()) >= EXACT_LIMIT:
        raise DataFormatError(
            f"{table.name} states counts of ballots that add up to 2**53 or more; divide them."
        )
    spelled = [(text, int(counts @ where)) for text, where in marks.special.items()]
    return Grid(
        table.name,
        codes,
        marks.items,
        marks.is_write_in,
        ballots.counts[first],
        None if ballots.weights is None else ballots.weights[first],
        None if ballots.groups is None else [ballots.groups[row] for row in first.tolist()],
        tuple(sorted((one for one in spelled if one[1]), key=lambda one: (-one[1], one[0]))),
        place,
        [],
        [],
    )


def _of_marks(
    table: Table,
    spellings: Spellings,
    ballots: _Ballots,
    names: Callable[[Iterable[Any]], Names],
    *,
    ballot: Any,
    rank: Any,
    item: Any,
) -> Grid:
    voters = table.coded(ballot, "ballot")
    ranks = table.counts(rank, "rank")
    if ranks.max() > LARGEST_RANK:
        row = int(np.argmax(ranks))
        what = f"is {ranks[row]}; ranks are counted from 1 and go up to {LARGEST_RANK}"
        raise table.error(row, rank, what)
    column = table.coded(item, "item", gaps=True)
    marks = marks_of(column, spellings, _clear(table.name, names(column.labels)))
    _, first = np.unique(voters.codes, return_index=True)
    _check_alike(table, voters, first, ballots)
    m, k = len(voters.labels), int(ranks.max())
    marked = np.flatnonzero(marks.codes != BLANK)
    check_filled(
        table.name,
        (m, "ballots"),
        (k, "ranks"),
        len(marked),
        max_bytes=table.max_bytes,
        per_cell=4 * PER_CELL,
    )
    cells = voters.codes[marked] * k + ranks[marked] - 1
    at = marks.codes[marked]
    order = np.lexsort((at, cells))
    same = np.diff(cells[order]) == 0
    doubled = same & (np.diff(at[order]) == 0) & (at[order][1:] >= 0)
    if doubled.any():
        row = int(marked[order[1:][doubled]].min())
        raise DataFormatError(
            f"{table.place(row)} marks {shown(marks.items[marks.codes[row]])} on "
            f"ballot {shown(voters.labels[voters.codes[row]])} at rank {ranks[row]} for the second "
            "time; each mark may occur once."
        )
    codes = np.full(m * k, BLANK, dtype=np.intp)
    codes[cells] = at
    codes[cells[order][1:][same]] = OVERVOTE
    codes[cells[at == OVERVOTE]] = OVERVOTE

    def place(code: int) -> str:
        return table.place(int(np.argmax(marks.codes == code)))

    grid = codes.reshape(m, k)
    return _made_grid(table, grid, marks, ballots, first=first, counts=ballots.counts, place=place)


def _check_alike(table: Table, voters: Coded, first: Positions, ballots: _Ballots) -> None:
    """Raise where the rows of one ballot state different counts, weights or groups."""
    columns = {"count": ballots.counts, "weight": ballots.weights}
    if ballots.groups is not None:
        columns["group"] = Coded.of(ballots.groups).codes
    for what, values in columns.items():
        if values is None:
            continue
        differs = values != values[first][voters.codes]
        if differs.any():
            row = int(np.argmax(differs))
            one = table.place(int(first[voters.codes[row]]))
            raise DataFormatError(
                f"{table.place(row)} states another {what} for ballot "
                f"{shown(voters.labels[voters.codes[row]])} than its first row ({one}); all rows "
                "of a ballot state the same."
            )
