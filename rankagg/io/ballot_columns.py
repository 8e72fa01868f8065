"""Which columns of a table of ballots are ranks of items, or choices; how marks are written."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from rankagg._typing import Bools, Floats, Label
from rankagg.core import listed
from rankagg.core.places import competition_ranks, mid_ranks, zeros_not_ranked
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError, nearest, shown
from rankagg.io.tables.columns import ORDINALS, names_of
from rankagg.io.tables.look import BETWEEN, CALLED, KEYS, TableLook
from rankagg.io.tables.table import Table

# More than this share of rows must be rankings.
FEWEST_RANKINGS = 0.5
#: Columns called so are items only where nothing else makes rankings.
NO_ITEMS = (*KEYS, "count", "ranking", "rank")
# "1st", "first"; "choice 1", "rank 1".
NTH = re.compile(rf"\b(?:([0-9]{{1,3}})(?:st|nd|rd|th)|({'|'.join(ORDINALS)}))\b")
NUMBER_OF = re.compile(r"\b(?:choice|preference|pref|rank|vote) ?([0-9]{1,3})\b")
ONE_NUMBER = re.compile(r"([0-9]+)")
# Capitals, and signs between words, make no difference.
SIGNS = re.compile(r"[\W_]+")
# A question of a form and an item: "Rank the candidates [Ann]".
IN_BRACKETS = re.compile(r"(.*)\[([^\[\]]*[^\[\]\s][^\[\]]*)\]\s*", re.DOTALL)
LETTERS = re.compile(r"[^\W\d_]+")
# The digits of the last place that a choice has.
DIGITS = 3
# "lab 1" and "judge 2" are lists.
LISTS = frozenset(CALLED["ranking"].split())


#: Usual spellings of marks that are not names.
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


# -- words ---------------------------------------------------------------------------------------


def _words_of(text: object) -> str:
    """Return a text in small letters, a blank between words."""
    plain = str(text).strip().casefold()
    return SIGNS.sub(" ", plain).strip() or plain


@dataclass(frozen=True)
class Spellings:
    """How undervotes, overvotes and write-ins are written."""

    # The kind of each spelling in small letters.
    _kinds: Mapping[str, str]

    @classmethod
    def of(cls, given: object) -> Spellings:
        """Return the usual spellings, except for the kinds of which others are given."""
        chosen = {} if given is None else given
        if not isinstance(chosen, Mapping):
            raise InvalidInputError("spellings", OWN_SPELLINGS, given)
        for kind in chosen:
            if kind not in SPELLINGS:
                raise InvalidInputError("spellings", OWN_SPELLINGS, kind, nearest(kind, SPELLINGS))
        kinds: dict[str, str] = {}
        for kind, usual in SPELLINGS.items():
            for word in _spelled(chosen.get(kind, usual)):
                if kinds.setdefault(word, kind) != kind:
                    raise InvalidInputError("spellings", "different for each kind", word)
        return cls(kinds)

    def kind_of(self, label: object) -> str:
        """Return "undervote", "overvote" or "write-in"; empty for the name of a candidate.

        A name or number may follow "write-in".
        """
        text = _words_of(label)
        written = (word for word, kind in self._kinds.items() if kind == "write-in")
        is_written = text.startswith(tuple(f"{word} " for word in written))
        return self._kinds.get(text, "write-in" if is_written else "")


def _spelled(texts: Any) -> list[str]:
    found = names_of(texts)
    for text in found:
        if isinstance(text, bool) or not isinstance(text, str | int) or not _words_of(text):
            raise InvalidInputError("spellings", "words", text, "Empty cells are undervotes.")
    return sorted(map(_words_of, found))


class _Heading(NamedTuple):
    """A heading with an ordinal."""

    # Its place in the order of preference.
    place: int
    # Whether this is an ordinal, or the number of a choice, and not any number.
    is_ordinal: bool
    # The words around it.
    rest: tuple[str, ...]


def _heading_of(name: object) -> _Heading | None:
    """Return what a heading says of the place of a choice; None where it has no ordinal.

    The ordinal is "1st" or "first", or else "choice 1", or else the only number, but not that of a
    list ("lab 1"); of a heading "Question [1st]" it is in the brackets.
    """
    whole = _plain(str(name))
    part = _plain(_in_brackets(name)[1]) if _in_brackets(name) else whole
    for pattern in (NTH, NUMBER_OF, ONE_NUMBER):
        if found := pattern.findall(part):
            break
    else:
        return None
    texts = ["".join(one) for one in found]
    number = str(ORDINALS.get(texts[0], texts[0]))
    if len(texts) > 1 or len(number) > DIGITS:
        return None
    place = int(number)
    is_ordinal = pattern is not ONE_NUMBER or part == texts[0]
    rest = tuple(LETTERS.findall(pattern.sub(" ", whole)))
    return None if not is_ordinal and LISTS & {*rest} else _Heading(place, is_ordinal, rest)


def _plain(text: str) -> str:
    """Return the words of a text in small letters."""
    return " ".join(filter(None, BETWEEN.split(text))).casefold()


def _in_brackets(heading: object) -> tuple[str, ...]:
    """Return the question and what it is about of a heading; () where it has none."""
    found = IN_BRACKETS.fullmatch(str(heading))
    return (found[1].strip(), found[2].strip()) if found else ()


def are_ranks(rows: Floats) -> Bools:
    """Say which rows are ranks from 1, where ties share the best rank or the mean one."""
    best = competition_ranks(rows)
    ways = [((rows == way + 1) | np.isnan(rows)).all(axis=1) for way in (best, mid_ranks(best))]
    return cast(Bools, ways[0] | ways[1])


# -- columns -------------------------------------------------------------------------------------


class BallotLook(TableLook):
    """A table, and which of its columns are ranks of items, or choices of contests."""

    def __init__(
        self, table: Table, gone: Sequence[Label], spellings: Spellings | None = None
    ) -> None:
        super().__init__(table, gone)
        self.spellings = spellings or Spellings.of(None)
        # What headings say of the place of a choice.
        self.headings = list(map(_heading_of, self.names))

    @staticmethod
    def item_name(heading: Label) -> Label:
        """Return the name of an item, which may be in brackets after a question."""
        found = _in_brackets(heading)
        return found[1] if found else heading

    def rank_columns(self, *, has_counts: bool = False) -> list[Label]:
        """Return the columns of ranks, [] where there are none.

        Two columns or more whose cells are places ("2", "2nd", "2nd choice", 0 or blank), none
        larger than the number of such columns, of which more than half of the rows are rankings.
        Columns without a name, or called voter, id, count and the like, are none, unless each row
        is a ranking with them and few are without. Empty columns are of items that nobody ranks
        where all other columns are ranks, or they are called "Question [Ann]". Ties are rankings
        where ballots have counts.
        """
        found = [at for at in self.numeric if not (self.values[at] % 0.5 > 0).any()]
        found = [at for at in found if np.nanmin(self.values[at]) >= 0 and self.names[at] != ""]
        called = {
            at for at in self.called(*NO_ITEMS, among=found) if not _in_brackets(self.names[at])
        }
        items = self._small([at for at in found if at not in called])
        if self._share_of_rankings(items, ties=has_counts) <= FEWEST_RANKINGS:
            items = self._small(found)
            if self._share_of_rankings(items, ties=has_counts) < 1:
                return []
        blank = [at for at in self.texts if np.isnan(self.values[at]).all()]
        if len(items) + len(blank) < len(self.names):
            blank = [at for at in blank if _in_brackets(self.names[at])]
        return [self.names[at] for at in sorted([*items, *blank])]

    @property
    def questions(self) -> list[str]:
        """The questions in headings of places, such as "Rank them [Ann]"."""
        found = [_in_brackets(self.names[at])[:1] for at in self.numeric]
        return list(dict.fromkeys(one[0] for one in found if one))

    def _small(self, columns: list[int]) -> list[int]:
        """Return the columns without a number that is larger than how many columns there are."""
        while large := {at for at in columns if np.nanmax(self.values[at]) > len(columns)}:
            columns = [at for at in columns if at not in large]
        return columns

    def _share_of_rankings(self, columns: list[int], *, ties: bool) -> float:
        """Return the share of the rows that rank anything that are rankings.

        Those are 1, 2 and so on once each, or (`ties`) ties have the best rank or the mean one.
        Zeros of unclear meaning are left out.
        """
        if len(columns) < 2:
            return 0.0
        rows = np.column_stack([self.values[at] for at in columns])
        not_ranked, has_zeros = zeros_not_ranked(rows), (rows == 0).any()
        if not_ranked is None or not_ranked.any():
            rows = np.where(rows == 0, np.nan, rows)
        elif has_zeros:
            rows = rows + 1
        rows = rows[~np.isnan(rows).all(axis=1)]
        # Zeros and ones are marks.
        if not len(rows) or (has_zeros and np.nanmax(rows) == 1):
            return 0.0
        if not ties:
            rows = np.sort(rows, axis=1)
            fits = (rows == np.arange(1, rows.shape[1] + 1)) | np.isnan(rows)
            return float(fits.all(axis=1).mean())
        return float(are_ranks(rows).mean())

    def found_items(self, *, has_counts: bool) -> list[Label]:
        """Return the columns of ranks; raises where one of the others may belong to the ballots."""
        name, items = self.table.name, self.rank_columns(has_counts=has_counts)
        if len(asked := self.questions) > 1:
            raise DataFormatError(
                f"{name} has ranks of {' and of '.join(map(shown, asked))}: `drop` the columns of "
                "all questions but one."
            )
        if has_counts and len(self.names) == len(self.numeric) == 1:
            items = self.names
        if not items:
            for at in self.texts:
                # What is no place among places is named.
                numbers, filled = np.isfinite(self.values[at]), ~np.isnan(self.values[at])
                if numbers.any() and 2 * numbers.sum() >= filled.sum():
                    self.table.stacked([self.names[at]], "item")
            raise DataFormatError(
                f"{name} has no two columns of ranks: places from 1 on, none larger than the "
                "number of such columns, and 1, 2 and so on in most rows. `read_cast_votes` reads "
                "names of candidates in the order of preference; `Profile.from_ranks` takes any "
                "numbers of which less is better."
            )
        left = [(at, heading) for at, heading in enumerate(self.names) if heading not in items]
        for at, heading in left:
            values = self.values[at][~np.isnan(self.values[at])]
            seem = np.isin(values, np.arange(0, len(items) + 1.5, 0.5))
            is_number = self.counts_rows(at) and len(values) > len(items) + 1
            is_key = is_number or heading == "" or self.called(*KEYS, among=[at])
            is_asked = bool(found := _in_brackets(heading)) and found[0] in asked
            if (2 * seem.sum() > len(values) and not is_key) or is_asked:
                raise DataFormatError(
                    f"{name}: the column {shown(heading)} seems to hold ranks, and not all its "
                    f"cells are places from 1 to {len(items) + 1}; mend them, or `drop` the column."
                )
        if not has_counts:
            self._check_counts(items)
        if left:
            told = f"left out: {', '.join(shown(heading) for _, heading in left)}"
            listing = listed([self.item_name(item) for item in items])
            warnings.warn(f"{name}: ranks of {listing}; {told}.", DataWarning, stacklevel=3)
        return items

    # -- choices ------------------------------------------------------------------------------

    def choice_columns(self) -> list[list[Label]]:
        """Return the columns of choices of each contest, the first choice first; [] for none.

        The headings of a contest are equal but for their ordinals, which are 1, 2 and so on, and
        two of its columns or more share a name. A place that is there again begins another contest.
        Numbers that are no ordinals count only where there are no ordinals.
        """
        groups: dict[tuple[object, ...], list[dict[int, int]]] = {}
        for at, heading in enumerate(self.headings):
            if heading:
                runs = groups.setdefault((heading.is_ordinal, heading.rest), [{}])
                if heading.place in runs[-1]:
                    runs.append({})
                runs[-1][heading.place] = at
        found: dict[object, list[list[Label]]] = {True: [], False: []}
        for (is_ordinal, *_), runs in groups.items():
            if all(self._is_contest(run) for run in runs):
                found[is_ordinal] += [[self.names[run[k]] for k in sorted(run)] for run in runs]
        return found[True] or found[False]

    def _is_contest(self, run: dict[int, int]) -> bool:
        n = len(run)
        if n < 2 or sorted(run) not in (list(range(n)), list(range(1, n + 1))):
            return False
        names = [self._names_in(at) for at in run.values()]
        # Numbers as names cannot be distinguished from other numbers.
        are_names = not {*run.values()} & {*self.numeric}
        return are_names and len(set().union(*names)) < sum(map(len, names))

    def _names_in(self, at: int) -> set[str]:
        """Return the names in a column; none where it holds dates."""
        with suppress(DataFormatError):
            return {one for one in self.texts_of(at) if one and not self.spellings.kind_of(one)}
        return set()

    def further_choices(self, choices: Sequence[Label]) -> list[Label]:
        """Return other columns that may be choices: with an ordinal, or names of the choices.

        Columns that are called a key may have the names of who votes.
        """
        ats = [self.names.index(one) for one in choices]
        known = set().union(*map(self._names_in, ats))
        first, found = self.headings[ats[0]], []
        for at, (name, heading) in enumerate(zip(self.names, self.headings, strict=True)):
            is_like = heading and first and heading.is_ordinal >= first.is_ordinal
            is_key = bool(self.called(*KEYS, among=[at]))
            if name not in choices and (is_like or (not is_key and known & self._names_in(at))):
                found.append(name)
        return found

    def found_choices(self, *, has_counts: bool) -> list[Label]:
        """Return the columns of choices; raises where it is not certain which they are."""
        name, contests = self.table.name, self.choice_columns()
        remedy = "Name the columns of choices by `choices`, the first choice first."
        if not contests:
            raise DataFormatError(
                f"{name} has no two columns with the same names whose headings are alike but for "
                "1st, 2nd or 1, 2 and so on.",
                f"{remedy} `read_ballots` reads ranks.",
            )
        if len(contests) > 1:
            columns = " or ".join(listed(columns) for columns in contests)
            raise DataFormatError(f"{name} holds {len(contests)} contests, {columns}.", remedy)
        (choices,) = contests
        if further := self.further_choices(choices):
            raise DataFormatError(
                f"{name}: {listed(further)} may be a choice, as {listed(choices)} are.", remedy
            )
        if not has_counts:
            self._check_counts(choices)
        return choices

    def _check_counts(self, ballots: Sequence[Label]) -> None:
        """Raise if another column may hold counts of ballots."""
        for heading in self.may_count(ballots):
            raise DataFormatError(
                f"{self.table.name}: the column {shown(heading)} may hold counts of ballots: name "
                "it by `count`, or by `drop` if it does not."
            )
