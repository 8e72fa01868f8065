"""Which columns of a table are the choices of a contest: their headings and names say it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from rankagg._typing import Label
from rankagg.core import listed
from rankagg.exceptions import DataFormatError
from rankagg.io.marks import Spellings
from rankagg.io.tables.columns import ORDINALS
from rankagg.io.tables.look import BETWEEN as WORDS
from rankagg.io.tables.look import CALLED, KEYS, TableLook, in_brackets, may_be_counts

# "1st", "first"; "choice 1", "rank 1".
NTH = re.compile(rf"\b(?:([0-9]{{1,3}})(?:st|nd|rd|th)|({'|'.join(ORDINALS)}))\b")
NUMBER_OF = re.compile(r"\b(?:choice|preference|pref|rank|vote) ?([0-9]{1,3})\b")
ONE_NUMBER = re.compile(r"([0-9]+)")
LETTERS = re.compile(r"[^\W\d_]+")
LARGEST = 999
# "lab 1" and "judge 2" are lists.
LISTS = frozenset(CALLED["ranking"].split())


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
    place = int(ORDINALS.get(texts[0], texts[0]))
    if len(texts) > 1 or place > LARGEST:
        return None
    is_ordinal = pattern is not ONE_NUMBER or part == texts[0]
    rest = tuple(LETTERS.findall(pattern.sub(" ", whole)))
    return None if not is_ordinal and LISTS & {*rest} else _Heading(place, is_ordinal, rest)


def _plain(text: str) -> str:
    """Return the words of a text in small letters."""
    return " ".join(filter(None, WORDS.split(text))).casefold()


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
    if counts := [] if has_counts else look.may_count(choices):
        raise DataFormatError(may_be_counts(name, counts[0]))
    return choices
