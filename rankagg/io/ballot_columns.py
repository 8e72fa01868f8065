"""Columns of ranks and of choices in a table of ballots, and spellings of marks."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
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
#: Roles of columns that are items only if no other columns make rankings.
NO_ITEMS = (*KEYS, "count", "ranking", "rank")
# "1st", "first"; "choice 1", "rank 1".
NTH = re.compile(rf"\b(?:([0-9]{{1,3}})(?:st|nd|rd|th)|({'|'.join(ORDINALS)}))\b")
NUMBER_OF = re.compile(r"\b(?:choice|preference|pref|rank|vote) ?([0-9]{1,3})\b")
ONE_NUMBER = re.compile(r"([0-9]+)")
# Signs between words, which make no difference.
SIGNS = re.compile(r"[\W_]+")
# A question of a form and an item: "Rank the candidates [Ann]".
IN_BRACKETS = re.compile(r"(.*)\[([^\[\]]*[^\[\]\s][^\[\]]*)\]\s*", re.DOTALL)
LETTERS = re.compile(r"[^\W\d_]+")
# Most digits of the place of a choice.
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
    """Return a text in lower case, with a blank between words."""
    plain = str(text).strip().casefold()
    return SIGNS.sub(" ", plain).strip() or plain


@dataclass(frozen=True)
class Spellings:
    """Spellings of undervotes, overvotes and write-ins."""

    # The kind of each spelling in lower case.
    _kinds: Mapping[str, str]

    @classmethod
    def of(cls, given: object) -> Spellings:
        """Return the given spellings, and the usual ones of the other kinds."""
        chosen = {} if given is None else given
        if not isinstance(chosen, Mapping):
            raise InvalidInputError("spellings", OWN_SPELLINGS, given)
        for kind in chosen:
            if kind not in SPELLINGS:
                raise InvalidInputError("spellings", OWN_SPELLINGS, kind, nearest(kind, SPELLINGS))
        kinds: dict[str, str] = {}
        for kind, usual in SPELLINGS.items():
            for word in _normalized_spellings(chosen.get(kind, usual)):
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


def _normalized_spellings(texts: Any) -> list[str]:
    spellings = names_of(texts)
    for text in spellings:
        if isinstance(text, bool) or not isinstance(text, str | int) or not _words_of(text):
            raise InvalidInputError("spellings", "words", text, "Empty cells are undervotes.")
    return sorted(map(_words_of, spellings))


class _Heading(NamedTuple):
    """A heading with an ordinal."""

    # The place in the order of preference.
    place: int
    # Whether it is an ordinal or the number of a choice, and not just a number.
    is_ordinal: bool
    # The other words.
    rest: tuple[str, ...]


def _heading_of(name: object) -> _Heading | None:
    """Return the place of a choice in a heading; None without an ordinal.

    The ordinal is "1st" or "first", or else "choice 1", or else the only number, but not that of a
    list ("lab 1"). In "Question [1st]" it is in the brackets.
    """
    whole = _plain(str(name))
    part = _plain(_in_brackets(name)[1]) if _in_brackets(name) else whole
    for pattern in (NTH, NUMBER_OF, ONE_NUMBER):
        if ordinals := pattern.findall(part):
            break
    else:
        return None
    texts = ["".join(one) for one in ordinals]
    number = str(ORDINALS.get(texts[0], texts[0]))
    if len(texts) > 1 or len(number) > DIGITS:
        return None
    place = int(number)
    is_ordinal = pattern is not ONE_NUMBER or part == texts[0]
    rest = tuple(LETTERS.findall(pattern.sub(" ", whole)))
    return None if not is_ordinal and LISTS & {*rest} else _Heading(place, is_ordinal, rest)


def _plain(text: str) -> str:
    """Return the words of a text in lower case."""
    return " ".join(filter(None, BETWEEN.split(text))).casefold()


def _in_brackets(heading: object) -> tuple[str, ...]:
    """Return the question of a heading and the text in its brackets; () without brackets."""
    match = IN_BRACKETS.fullmatch(str(heading))
    return (match[1].strip(), match[2].strip()) if match else ()


def are_ranks(rows: Floats) -> Bools:
    """Return which rows are ranks from 1; ties share the best rank or the mean rank."""
    best = competition_ranks(rows)
    ways = [((rows == way + 1) | np.isnan(rows)).all(axis=1) for way in (best, mid_ranks(best))]
    return cast(Bools, ways[0] | ways[1])


# -- columns -------------------------------------------------------------------------------------


class BallotLook(TableLook):
    """A table of ballots, and its columns of ranks or choices."""

    def __init__(
        self, table: Table, dropped: Sequence[Label], spellings: Spellings | None = None
    ) -> None:
        super().__init__(table, dropped)
        self.spellings = spellings or Spellings.of(None)
        self.headings = list(map(_heading_of, self.names))

    @staticmethod
    def item_name(heading: Label) -> Label:
        """Return the name of an item, which may follow a question in brackets."""
        parts = _in_brackets(heading)
        return parts[1] if parts else heading

    def rank_columns(self, *, has_counts: bool = False) -> list[Label]:
        """Return the columns of ranks, [] if there are none.

        These are two columns or more of places ("2", "2nd", "2nd choice", 0 or blank), none larger
        than the number of such columns; more than half of the rows are rankings. Columns without a
        name, or named voter, id, count and the like, are included only if every row is a ranking
        with them, and at most half of the rows without them. Empty columns are items that nobody
        ranks if all other columns are ranks, or if they are named "Question [Ann]". Rows with ties
        are rankings if ballots have counts.
        """
        places = [at for at in self.numeric if not (self.values[at] % 0.5 > 0).any()]
        places = [at for at in places if np.nanmin(self.values[at]) >= 0 and self.names[at] != ""]
        others = {
            at for at in self.called(*NO_ITEMS, among=places) if not _in_brackets(self.names[at])
        }
        items = self._small([at for at in places if at not in others])
        if self._share_of_rankings(items, ties=has_counts) <= FEWEST_RANKINGS:
            items = self._small(places)
            if self._share_of_rankings(items, ties=has_counts) < 1:
                return []
        blank = [at for at in self.texts if np.isnan(self.values[at]).all()]
        if len(items) + len(blank) < len(self.names):
            blank = [at for at in blank if _in_brackets(self.names[at])]
        return [self.names[at] for at in sorted([*items, *blank])]

    @property
    def questions(self) -> list[str]:
        """Questions in headings of places, such as "Rank them [Ann]"."""
        parts = [_in_brackets(self.names[at]) for at in self.numeric]
        return list(dict.fromkeys(one[0] for one in parts if one))

    def _small(self, columns: list[int]) -> list[int]:
        """Remove columns until no number is larger than the number of columns."""
        while large := {at for at in columns if np.nanmax(self.values[at]) > len(columns)}:
            columns = [at for at in columns if at not in large]
        return columns

    def _share_of_rankings(self, columns: list[int], *, ties: bool) -> float:
        """Return the share of rankings among the rows that are not blank.

        Rankings have 1, 2 and so on once each; with `ties`, ties have the best or the mean rank.
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

    def find_items(self, *, has_counts: bool) -> list[Label]:
        """Return the columns of ranks; raise if another column may belong to the ballots."""
        name, items = self.table.name, self.rank_columns(has_counts=has_counts)
        if len(asked := self.questions) > 1:
            raise DataFormatError(
                f"{name} has ranks of {' and of '.join(map(shown, asked))}.",
                "Leave out the columns of all questions but one with `drop`.",
            )
        if has_counts and len(self.names) == len(self.numeric) == 1:
            items = self.names
        if not items:
            for at in self.texts:
                # Raise for the first cell that is no place, if most cells are.
                numbers, filled = np.isfinite(self.values[at]), ~np.isnan(self.values[at])
                if numbers.any() and 2 * numbers.sum() >= filled.sum():
                    self.table.stacked([self.names[at]], "item")
            raise DataFormatError(
                f"{name} has no two columns of ranks: places from 1 on, none larger than the "
                "number of such columns, and 1, 2 and so on in most rows.",
                "`read_rankings` reads ranked lists, `read_cast_votes` names in the order of "
                "preference; in Python, `Profile.from_ranks` takes any numbers.",
            )
        left = [(at, heading) for at, heading in enumerate(self.names) if heading not in items]
        for at, heading in left:
            values = self.values[at][~np.isnan(self.values[at])]
            seem = np.isin(values, np.arange(0, len(items) + 1.5, 0.5))
            is_number = self.counts_rows(at) and len(values) > len(items) + 1
            is_key = is_number or heading == "" or self.called(*KEYS, among=[at])
            is_asked = bool(parts := _in_brackets(heading)) and parts[0] in asked
            if (2 * seem.sum() > len(values) and not is_key) or is_asked:
                raise DataFormatError(
                    f"{name}: the column {shown(heading)} seems to hold ranks, and not all its "
                    f"cells are places from 1 to {len(items) + 1}.",
                    "Correct the column, or leave it out with `drop`.",
                )
        if not has_counts:
            self._check_counts(items)
        if left:
            others = ", ".join(shown(heading) for _, heading in left)
            sentence = f"{name}: ranks of {listed(list(map(self.item_name, items)))}"
            warnings.warn(f"{sentence}; left out: {others}.", DataWarning, stacklevel=3)
        return items

    # -- choices ------------------------------------------------------------------------------

    def choice_columns(self) -> list[list[Label]]:
        """Return the columns of choices of each contest in order of preference; [] without any.

        The headings of a contest differ only in their ordinals, which are 1, 2 and so on, and some
        name occurs in two of its columns. A repeated place begins another contest. Plain numbers
        are used only if there are no ordinals.
        """
        groups: dict[tuple[object, ...], list[dict[int, int]]] = {}
        for at, heading in enumerate(self.headings):
            if heading:
                runs = groups.setdefault((heading.is_ordinal, heading.rest), [{}])
                if heading.place in runs[-1]:
                    runs.append({})
                runs[-1][heading.place] = at
        contests: dict[object, list[list[Label]]] = {True: [], False: []}
        for (is_ordinal, *_), runs in groups.items():
            if all(self._is_contest(run) for run in runs):
                contests[is_ordinal] += [[self.names[run[k]] for k in sorted(run)] for run in runs]
        return contests[True] or contests[False]

    def _is_contest(self, run: dict[int, int]) -> bool:
        n = len(run)
        if n < 2 or sorted(run) not in (list(range(n)), list(range(1, n + 1))):
            return False
        names = [self._names_in(at) for at in run.values()]
        # Numbers as names cannot be distinguished from other numbers.
        are_names = not {*run.values()} & {*self.numeric}
        return are_names and len(set().union(*names)) < sum(map(len, names))

    def _names_in(self, at: int) -> set[str]:
        """Return the names in a column."""
        return {one for one in self.texts_of(at) if one and not self.spellings.kind_of(one)}

    def further_choices(self, choices: Sequence[Label]) -> list[Label]:
        """Return other columns that may be choices: with an ordinal, or with names of the choices.

        Columns named as keys may hold the same names, as those of voters.
        """
        ats = [self.names.index(one) for one in choices]
        names = set().union(*map(self._names_in, ats))
        first, further = self.headings[ats[0]], []
        for at, (name, heading) in enumerate(zip(self.names, self.headings, strict=True)):
            is_like = heading and first and heading.is_ordinal >= first.is_ordinal
            is_key = bool(self.called(*KEYS, among=[at]))
            if name not in choices and (is_like or (not is_key and names & self._names_in(at))):
                further.append(name)
        return further

    def find_choices(self, *, has_counts: bool) -> list[Label]:
        """Return the columns of choices; raise if they are not certain."""
        name, contests = self.table.name, self.choice_columns()
        remedy = "Name the columns of choices by `choices`, the first choice first."
        if not contests:
            raise DataFormatError(
                f"{name} has no two columns with the same names and headings that differ only in "
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
                f"{self.table.name}: the column {shown(heading)} may hold counts of ballots.",
                "Name it by `count`, or leave it out with `drop`.",
            )
