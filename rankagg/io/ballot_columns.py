"""Which columns of a table of ballots are ranks of items, or choices of a contest."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple, cast

import numpy as np

from rankagg._typing import Bools, Floats, Label
from rankagg.core import listed
from rankagg.core.places import competition_ranks, mid_ranks, zeros_not_ranked
from rankagg.exceptions import DataFormatError, DataWarning, shown
from rankagg.io.marks import Spellings
from rankagg.io.tables.columns import ORDINALS
from rankagg.io.tables.look import BETWEEN, CALLED, KEYS, TableLook, in_brackets

# More than this share of rows must be rankings.
FEWEST_RANKINGS = 0.5
#: Columns called so are items only where nothing else makes rankings.
NO_ITEMS = (*KEYS, "count", "ranking", "rank")
# "1st", "first"; "choice 1", "rank 1".
NTH = re.compile(rf"\b(?:([0-9]{{1,3}})(?:st|nd|rd|th)|({'|'.join(ORDINALS)}))\b")
NUMBER_OF = re.compile(r"\b(?:choice|preference|pref|rank|vote) ?([0-9]{1,3})\b")
ONE_NUMBER = re.compile(r"([0-9]+)")
LETTERS = re.compile(r"[^\W\d_]+")
# The digits of the last place that a choice has.
DIGITS = 3
# "lab 1" and "judge 2" are lists.
LISTS = frozenset(CALLED["ranking"].split())


# -- ranks ----------------------------------------------------------------------------------------


def rank_columns(look: TableLook, *, has_counts: bool = False) -> list[Label]:
    """Return the columns of ranks, [] where there are none.

    Two columns or more whose cells are places ("2", "2nd", "2nd choice", 0 or blank), none larger
    than the number of such columns, of which more than half of the rows are rankings. Columns
    without a name, or called voter, id, count and the like, are none, unless each row is a ranking
    with them and few are without. Empty columns are of items that nobody ranks where all other
    columns are ranks, or they are called "Question [Ann]". Ties are rankings where ballots have
    counts.
    """
    found = [at for at in look.numeric if not (look.values[at] % 0.5 > 0).any()]
    found = [at for at in found if np.nanmin(look.values[at]) >= 0 and look.names[at] != ""]
    called = {at for at in look.called(*NO_ITEMS, among=found) if not in_brackets(look.names[at])}
    items = _small(look, [at for at in found if at not in called])
    if _share_of_rankings(look, items, ties=has_counts) <= FEWEST_RANKINGS:
        items = _small(look, found)
        if _share_of_rankings(look, items, ties=has_counts) < 1:
            return []
    blank = [at for at in look.texts if np.isnan(look.values[at]).all()]
    if len(items) + len(blank) < len(look.names):
        blank = [at for at in blank if in_brackets(look.names[at])]
    return [look.names[at] for at in sorted([*items, *blank])]


def questions_of(look: TableLook) -> list[str]:
    """Return the questions in headings of places, such as "Rank them [Ann]"."""
    found = [in_brackets(look.names[at])[:1] for at in look.numeric]
    return list(dict.fromkeys(one[0] for one in found if one))


def _small(look: TableLook, columns: list[int]) -> list[int]:
    """Return the columns without a number that is larger than how many columns there are."""
    while large := {at for at in columns if np.nanmax(look.values[at]) > len(columns)}:
        columns = [at for at in columns if at not in large]
    return columns


def _share_of_rankings(look: TableLook, columns: list[int], *, ties: bool) -> float:
    """Return the share of the rows that rank anything that are rankings.

    Those are 1, 2 and so on once each, or (`ties`) ties have the best rank or the mean one. Zeros
    of unclear meaning are left out.
    """
    if len(columns) < 2:
        return 0.0
    rows = np.column_stack([look.values[at] for at in columns])
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


def are_ranks(rows: Floats) -> Bools:
    """Say which rows are ranks from 1, where ties share the best rank or the mean one."""
    best = competition_ranks(rows)
    ways = [((rows == way + 1) | np.isnan(rows)).all(axis=1) for way in (best, mid_ranks(best))]
    return cast(Bools, ways[0] | ways[1])


def found_items(look: TableLook, *, has_counts: bool) -> list[Label]:
    """Return the columns of ranks; raises where one of the others may belong to the ballots."""
    name, items = look.table.name, rank_columns(look, has_counts=has_counts)
    if len(asked := questions_of(look)) > 1:
        raise DataFormatError(
            f"{name} has ranks of {' and of '.join(map(shown, asked))}: `drop` the columns of all "
            "questions but one."
        )
    if has_counts and len(look.names) == len(look.numeric) == 1:
        items = look.names
    if not items:
        for at in look.texts:
            # What is no place among places is named.
            numbers = np.isfinite(look.values[at])
            if numbers.any() and 2 * numbers.sum() >= np.count_nonzero(~np.isnan(look.values[at])):
                look.table.stacked([look.names[at]], "item")
        raise DataFormatError(
            f"{name} has no two columns of ranks: places from 1 on, none larger than the number of "
            "such columns, and 1, 2 and so on in most rows. `read_cast_votes` reads names of "
            "candidates in the order of preference; `Profile.from_ranks` takes any numbers of "
            "which less is better."
        )
    left = [(at, heading) for at, heading in enumerate(look.names) if heading not in items]
    for at, heading in left:
        values = look.values[at][~np.isnan(look.values[at])]
        seem = np.isin(values, np.arange(0, len(items) + 1.5, 0.5))
        is_number = look.counts_rows(at) and len(values) > len(items) + 1
        is_key = is_number or heading == "" or look.called(*KEYS, among=[at])
        is_asked = bool(found := in_brackets(heading)) and found[0] in asked
        if (2 * seem.sum() > len(values) and not is_key) or is_asked:
            raise DataFormatError(
                f"{name}: the column {shown(heading)} seems to hold ranks, and not all its cells "
                f"are places from 1 to {len(items) + 1}; mend them, or `drop` the column."
            )
    if not has_counts:
        _check_counts(look, items)
    if left:
        told = f"left out: {', '.join(shown(heading) for _, heading in left)}"
        listing = listed([in_brackets(item)[1] if in_brackets(item) else item for item in items])
        warnings.warn(f"{name}: ranks of {listing}; {told}.", DataWarning, stacklevel=3)
    return items


def _check_counts(look: TableLook, ballots: Sequence[Label]) -> None:
    """Raise where another column than these may hold how often each ballot occurs."""
    for heading in look.may_count(ballots):
        raise DataFormatError(
            f"{look.table.name}: the column {shown(heading)} may hold how often each ballot "
            "occurs: name it by `count`, or by `drop` if it does not."
        )


# -- choices --------------------------------------------------------------------------------------


class _Heading(NamedTuple):
    """A heading with an ordinal."""

    # Its place in the order of preference.
    place: int
    # Whether this is an ordinal, or the number of a choice, and not any number.
    is_ordinal: bool
    # The words around it.
    rest: tuple[str, ...]


def heading_of(name: object) -> _Heading | None:
    """Return what a heading says of the place of a choice; None where it has no ordinal.

    The ordinal is "1st" or "first", or else "choice 1", or else the only number, but not that of a
    list ("lab 1"); of a heading "Question [1st]" it stands in the brackets.
    """
    whole = _plain(str(name))
    part = _plain(in_brackets(name)[1]) if in_brackets(name) else whole
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


def choice_columns(look: TableLook, spellings: Spellings | None = None) -> list[list[Label]]:
    """Return the columns of choices of each contest, the first choice first; [] for none.

    The headings of a contest are equal but for their ordinals, which are 1, 2 and so on, and two of
    its columns or more share a name. A place that stands there again begins another contest.
    Numbers that are no ordinals count only where there are no ordinals.
    """
    groups: dict[tuple[object, ...], list[dict[int, int]]] = {}
    for at, name in enumerate(look.names):
        if heading := heading_of(name):
            runs = groups.setdefault((heading.is_ordinal, heading.rest), [{}])
            if heading.place in runs[-1]:
                runs.append({})
            runs[-1][heading.place] = at
    found: dict[object, list[list[Label]]] = {True: [], False: []}
    for (is_ordinal, *_), runs in groups.items():
        if all(_is_contest(look, run, spellings or Spellings.of(None)) for run in runs):
            found[is_ordinal] += [[look.names[run[k]] for k in sorted(run)] for run in runs]
    return found[True] or found[False]


def _is_contest(look: TableLook, run: dict[int, int], spellings: Spellings) -> bool:
    n = len(run)
    if n < 2 or sorted(run) not in (list(range(n)), list(range(1, n + 1))):
        return False
    names = [_names_in(look, at, spellings) for at in run.values()]
    # Candidates called by numbers are not told from other numbers.
    are_names = not {*run.values()} & {*look.numeric}
    return are_names and len(set().union(*names)) < sum(map(len, names))


def _names_in(look: TableLook, at: int, spellings: Spellings) -> set[str]:
    """Return the names in a column; none where it holds dates."""
    with suppress(DataFormatError):
        return {one for one in look.texts_of(at) if one and not spellings.is_special(one)}
    return set()


def further_choices(
    look: TableLook, choices: Sequence[Label], spellings: Spellings | None = None
) -> list[Label]:
    """Return other columns that may be choices too: with an ordinal, or with names of the choices.

    Columns that are called a key may have the names of who votes.
    """
    words = spellings or Spellings.of(None)
    known = set().union(*(_names_in(look, look.names.index(one), words) for one in choices))
    first, found = heading_of(choices[0]), []
    for at, name in enumerate(look.names):
        heading = heading_of(name)
        is_like = heading and first and heading.is_ordinal >= first.is_ordinal
        is_key = bool(look.called(*KEYS, among=[at]))
        if name not in choices and (is_like or (not is_key and known & _names_in(look, at, words))):
            found.append(name)
    return found


def found_choices(look: TableLook, spellings: Spellings, *, has_counts: bool) -> list[Label]:
    """Return the columns of choices; raises where it is not certain which they are."""
    name, contests = look.table.name, choice_columns(look, spellings)
    remedy = "name the columns of choices by `choices`, the first choice first"
    if not contests:
        raise DataFormatError(
            f"{name} has no two columns with the same names whose headings are alike but for 1st, "
            f"2nd or 1, 2 and so on: {remedy}. `read_ballots` reads ranks."
        )
    if len(contests) > 1:
        columns = " or ".join(listed(columns) for columns in contests)
        raise DataFormatError(f"{name} holds {len(contests)} contests, {columns}: {remedy}.")
    (choices,) = contests
    if further := further_choices(look, choices, spellings):
        raise DataFormatError(
            f"{name}: {listed(further)} may be a choice beside {listed(choices)}: {remedy}."
        )
    if not has_counts:
        _check_counts(look, choices)
    return choices
