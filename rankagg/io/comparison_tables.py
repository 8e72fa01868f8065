"""Which table is one of comparisons: a few rules, by its headings, and by cells where it must be.

Two columns hold the sides, and one, two or three say who won. What no rule names is not recognized:
then the columns are to be named. Cells are left to the reader, which refuses what it does not know.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rankagg.core import listing
from rankagg.exceptions import DataFormatError
from rankagg.io.comparisons import MARKS, TIE_WORDS, WHO, Key, is_tie, key_of
from rankagg.io.tables.look import TableLook

#: Words in which the headings of the two sides differ, that of the first side first.
SIDES = [
    *(("a", "b"), ("1", "2"), ("left", "right"), ("home", "away"), ("white", "black")),
    *(("model", "baseline"), ("system", "baseline"), ("model", "opponent")),
    *(("player", "opponent"), ("team", "opponent")),
]
#: The same, where the first word is that of who won in every row.
WON = [
    *(("winner", "loser"), ("winning", "losing"), ("chosen", "rejected")),
    *(("preferred", "rejected"), ("better", "worse")),
]
# A third such column makes these no sides, but items of a list.
THIRD = {"a": "c", "1": "3"}
#: Words in headings of a column of outcomes.
OUTCOMES = {
    *("winner", "winning", "won", "win", "outcome", "result", "preference", "preferred", "verdict"),
    *("judgment", "judgement", "choice"),
}
#: Words in headings of numbers of the two sides.
POINTS = {"goal", "goals", "score", "scores", "point", "points", "pts", "runs"}
WINS = {"win", "wins", "won"}
# Numbers below these are no outcomes.
GRADES = (["score"], ["grade"])


class Pair(NamedTuple):
    """Two columns whose headings differ in one word, which says the side."""

    first: int
    second: int
    words: tuple[str, str]
    # All other words of the two headings.
    rest: frozenset[str]


def comparison_reading(look: TableLook) -> tuple[str, dict[str, Any] | None, bool] | None:
    """Return what `read_comparisons` takes of a table, its parameters, and whether it is certain.

    Only a column that may be a weight is a reason to ask. None for parameters is for headings of
    comparisons whose cells leave doubt, None at all for what is not recognized.
    """
    sides = sides_of(look)
    outcome = _outcome(look, sides) if sides else None
    if sides is None or outcome is None:
        is_headed = _headed(look) and any(pair.rest <= {*WHO} for pair in _pairs(look, SIDES))
        if not is_headed and not (sides and _are_of_battles(sides)):
            return None
        return "comparisons whose columns `first`, `second` and `outcome` must name", None, False
    columns, meant = outcome
    of_sides = {word for words in SIDES for word in words}
    counts = [at for at in look.called("count", among=look.numeric) if at not in columns]
    counts = [at for at in counts if of_sides.isdisjoint(look.words[at])]
    if len(counts) > 1 or (counts and meant == "wins"):
        return None
    names = [look.names[at] for at in columns]
    given: dict[str, Any] = {"first": look.names[sides.first], "second": look.names[sides.second]}
    what = f"comparisons of {given['first']} and {given['second']} by {listing(names)}"
    what += {"points": ", the higher wins", "wins": ", numbers of wins"}.get(meant or "", "")
    given["outcome"] = names if len(names) > 1 else names[0]
    given |= {"outcome_is": meant} if meant else {}
    return what, given | look.named(weight=counts), not counts


def sides_of(look: TableLook) -> Pair | None:
    """Return the two columns of names whose headings differ in the side alone, where one pair does.

    Names meet in several rows. A pair whose headings hold only words such as model or team goes
    before others.
    """
    found = [pair for pair in _pairs(look, SIDES) if OUTCOMES.isdisjoint(pair.rest)]
    found = [pair for pair in found if _hold_names(look, pair)]
    found = found or [pair for pair in _pairs(look, WON) if _hold_names(look, pair)]
    plain = [pair for pair in found if pair.rest <= {*WHO}]
    (one,) = plain if len(plain) == 1 else found if len(found) == 1 else (None,)
    return one


def _are_of_battles(sides: Pair) -> bool:
    """Say whether headings are of two sides, and not just a and b, or choices of a ballot."""
    vague = {"a", "b"} if sides.words != ("1", "2") else {"1", "2", "option", "candidate"}
    return sides.rest <= {*WHO} and bool({*sides.words, *sides.rest} - vague)


def _pairs(look: TableLook, sides: Sequence[tuple[str, str]]) -> Iterator[Pair]:
    """Yield the pairs of columns whose headings differ in a word of the two sides alone."""
    columns = defaultdict(list)
    for at, words in enumerate(look.words):
        columns[tuple(words)].append(at)
    for words in look.words:
        for at, word in enumerate(words):
            before, after = words[:at], words[at + 1 :]
            for one, other in sides:
                third = (*before, THIRD.get(one, ""), *after)
                if word == one and third not in columns:
                    for first in columns[tuple(words)]:
                        for second in columns.get((*before, other, *after), ()):
                            yield Pair(first, second, (one, other), frozenset(before + after))


def _hold_names(look: TableLook, pair: Pair) -> bool:
    """Say whether columns hold names that meet in several rows, and no numbers or places."""
    columns = pair[:2]
    if {*columns} & {*look.numeric, *look.ordinals} or not all(_keys(look, at) for at in columns):
        return False
    is_often = pair.words not in WON and len(look.texts_of(*columns)) <= look.table.n_rows
    return (is_often or look.share(columns)) and not any(map(look.seems_numbers, columns))


def _keys(look: TableLook, at: int) -> set[Key]:
    """Return what a column says as conventions know it, nothing where its cells are no labels."""
    try:
        return {*map(key_of, look.labels(at).labels)}
    except DataFormatError:
        return set()


def _outcome(look: TableLook, sides: Pair) -> tuple[list[int], str | None] | None:
    """Return the columns that say who won, and the parameter `outcome_is`; None in any doubt."""
    others = [at for at in range(len(look.names)) if at not in sides[:2]]
    ties = [at for at in others if any(map(is_tie, look.words[at]))]
    if sides.words in WON:
        has_ties = ties or any(_keys(look, at) & TIE_WORDS.keys() for at in others)
        return None if has_ties else ([sides.first], None)
    grades = [at for at in others if look.words[at] in GRADES and at not in look.numeric]
    said = _headed(look) or grades
    if said:
        return (said, None) if len(said) == 1 and _is_clear(look, said[0], sides) else None
    return _in_numbers(look, sides, ties)


def _headed(look: TableLook) -> list[int]:
    """Return the columns whose headings say that they hold outcomes, and nothing else."""
    known = [at for at, words in enumerate(look.words) if OUTCOMES & {*words}]
    return [at for at in known if {*look.words[at]} <= OUTCOMES | {*WHO}]


def _is_clear(look: TableLook, at: int, sides: Pair) -> bool:
    """Say whether words and numbers below a heading of outcomes have one meaning.

    A 0 may be the number of the first side, or a loss of it. An A may be away.
    """
    keys = _keys(look, at)
    numbers = {key for key in keys if key in MARKS or not isinstance(key, str)}
    is_away = sides.words == ("home", "away") and "a" in keys and "h" not in keys
    return not is_away and (not numbers or (numbers <= {1.0, 1.5, 2.0} and len(numbers) > 1))


def _in_numbers(
    look: TableLook, sides: Pair, ties: Sequence[int]
) -> tuple[list[int], str | None] | None:
    """Return the numbers of both sides, below headings that say nothing else, if they say it."""
    found: list[tuple[list[int], str | None]] = []
    # What else is said of ties may be that there was one.
    plain = OUTCOMES | WINS | {*WHO} | TIE_WORDS.keys()
    are_plain = all(plain >= {*look.words[at]} for at in ties)
    for pair in _pairs(look, [sides.words]):
        kind, columns = pair.rest - {*WHO}, [*pair[:2]]
        if len(kind) != 1 or not kind <= OUTCOMES | WINS | POINTS:
            continue
        are_numbers = all(at in look.numeric or look.seems_numbers(at) for at in columns)
        are_marks = all(_keys(look, at) <= MARKS.keys() for at in (*columns, *ties))
        if kind <= POINTS and are_numbers:
            found.append((columns, "points"))
        elif are_plain and are_marks and len(ties) == 1:
            found.append(([*columns, *ties], None))
        # Without a column of ties a row of 0 and 0 may be one, or nothing.
        elif are_plain and are_numbers and not are_marks and kind <= WINS and len(ties) < 2:
            found.append(([*columns, *ties], "wins"))
    return found[0] if len(found) == 1 else None
