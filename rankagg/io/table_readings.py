"""Recognize the format of a table by headings and cells, with a rule for each format.

An ambiguous table is never certain: a wrong guess is worse than a question.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankagg._typing import Floats, Label
from rankagg.core import counted, listed, listing
from rankagg.exceptions import shown
from rankagg.io.ballot_columns import BallotLook, are_ranks
from rankagg.io.comparisons import MARKS, TIE_WORDS, WHO, Key, is_tie, key_of
from rankagg.io.tables.columns import SUMMARY, USUAL, names_of
from rankagg.io.tables.look import (
    FEW_ROWS,
    JUDGES,
    MANY_RANKS,
    is_no_name,
    may_be_scores,
    task_columns,
)

if TYPE_CHECKING:
    from rankagg.io.tables.table import Table

#: Roles of columns in tables with one row for each score or rank; the last is of numbers.
LONG = {"scores": ("system", "task", "instance", "score"), "lists": ("ranking", "item", "rank")}

#: Words that distinguish the headings of the two sides, first side first.
SIDES = [
    *(("a", "b"), ("1", "2"), ("left", "right"), ("home", "away"), ("white", "black")),
    *(("model", "baseline"), ("system", "baseline"), ("model", "opponent")),
    *(("player", "opponent"), ("team", "opponent")),
]
#: The same if the first side won in every row.
WON = [
    *(("winner", "loser"), ("winning", "losing"), ("chosen", "rejected")),
    *(("preferred", "rejected"), ("better", "worse")),
]
# With a third such column these are no sides, but items of a list.
THIRD = {"a": "c", "1": "3"}
#: Words in headings of a column of outcomes.
OUTCOMES = {
    *("winner", "winning", "won", "win", "outcome", "result", "preference", "preferred", "verdict"),
    *("judgment", "judgement", "choice"),
}
#: Words in headings of numbers of the two sides.
POINTS = {"goal", "goals", "score", "scores", "point", "points", "pts", "runs"}
WINS = {"win", "wins", "won"}
# Headings of outcomes unless their cells are numbers.
GRADES = (["score"], ["grade"])


class FileReading(NamedTuple):
    """One way to read a file."""

    # The value of `--format`.
    format: str
    # The content, such as "comparisons of model_a and model_b by winner".
    what: str
    # Parameters of the reader; None if they are unknown.
    parameters: Mapping[str, Any] | None = {}
    is_certain: bool = True

    def without(self, columns: list[Label]) -> FileReading:
        """Return the reading without some columns."""
        if not columns or self.parameters is None or self.format == "comparisons":
            return self
        dropped = [*columns, *names_of(self.parameters.get("drop", ()))]
        return self._replace(parameters={**self.parameters, "drop": dropped})


# -- rules -----------------------------------------------------------------------------------------


def _seem_ranks(rows: Floats) -> bool:
    """Return whether rows may be ranks: multiples of 1/2 from 1 or 0 to the number of items."""
    rows = rows[~np.isnan(rows).all(axis=1)]
    if (rows % 0.5 > 0).any():
        return False
    least = np.nanmin(rows, axis=1, keepdims=True)
    # 0 and 1 only are wrong and right answers.
    if not least.any() and (np.nanmax(rows) > 1 or are_ranks(rows + 1.0).all()):
        rows, least = rows + 1.0, least + 1.0
    from_one = least <= np.count_nonzero(rows == least, axis=1, keepdims=True)
    cells = rows[~np.isnan(rows)]
    fits = (cells >= 1) & (cells <= rows.shape[1])
    return bool(from_one.all() and fits.all())


def _seem_places(columns: Floats) -> bool:
    """Return whether a column has every place from 1 on, or all columns have distinct places."""
    ordered = [np.sort(column[~np.isnan(column)]) for column in columns]
    if columns.shape[1] < 3 or not any(x[0] == 1 for x in ordered):
        return False
    are_places = all((x % 1 == 0).all() and (np.diff(x) > 0).all() for x in ordered)
    return are_places or any(np.array_equal(x, np.arange(1, len(x) + 1)) for x in ordered)


def _long_table(look: BallotLook, form: str) -> Iterator[FileReading]:
    """Yield the reading of a table with one row for each score or rank."""
    roles = LONG[form]
    columns_of = {role: look.called(role) for role in roles}
    if form == "scores":
        columns_of = _with_units(look, columns_of)
    columns = [ats[0] for ats in columns_of.values() if len(ats) == 1]
    if len(set(columns)) < len(columns_of) or columns[-1] not in look.numeric:
        return
    names = look.named(**columns_of)
    rest = [name for name in look.names if name not in names.values()]
    what = f"{form}, one {roles[-1]} a row"
    metrics = [at for at, words in enumerate(look.words) if words == ["metric"]]
    if form == "scores" and any(len(look.labels(at).labels) > 1 for at in metrics):
        what += ", once the rows are of one metric, or the tasks tell them apart"
        yield FileReading(form, what, None, False)
        return
    sure = look.is_key(columns[:-1]) and not look.called("count", among=look.numeric)
    sure &= not _are_swapped(look, columns)
    if form == "scores":
        sure &= bool(look.called("score", among=columns[-1:]))
        sure &= len(columns) == 3 or bool(look.called("instance", among=columns[2:3]))
        sure &= not any(look.depends(look.names.index(name), columns[0]) for name in rest)
        what += f" (without {listing(rest)})" if rest else ""
    else:
        once = look.is_key([columns[0], columns[-1]])
        sure &= once and not (look.values[columns[-1]] % 0.5).any()
        if rest:
            what += f"; {listed(rest)} is neither list, item nor rank: split the file by it or "
            yield FileReading(form, f"{what}leave it out with `drop`", None, False)
            return
        if not once:
            what += ", with one rank twice in a list"
    yield FileReading(form, what, names, bool(sure))


def _with_units(look: BallotLook, columns: dict[str, list[int]]) -> dict[str, list[int]]:
    """Return columns with other numbers as scores, and one that identifies rows as instance."""
    system, task, instance, score = columns.values()
    if len(system) == len(task) == 1:
        others = {*system, *task, *instance, *look.called("rank", "count", "other", "voter")}
        score = score or [at for at in look.numeric if at not in others]
        if not instance and len(score) == 1 and not look.is_key([*system, *task]):
            rest = [at for at in range(len(look.names)) if at not in (*system, *task, *score)]
            instance = [at for at in rest if look.is_key([*system, *task, at])][:1]
    units = {"instance": instance} if instance else {}
    return {"system": system, "task": task, **units, "score": score}


def _are_swapped(look: BallotLook, columns: Sequence[int]) -> bool:
    """Return whether systems are numbers, and tasks or instances have names."""
    return columns[0] in look.numeric and any(at in look.texts for at in columns[1:])


def _scores(look: BallotLook) -> Iterator[FileReading]:
    """Yield readings as scores, one a row or with a column for each task or system."""
    is_long = any(any(_long_table(look, form)) for form in LONG)
    if look.ordinals or _are_marks(look):
        return
    yield from _long_table(look, "scores")
    if not is_long:
        yield from _rated(look)
        yield from _wide_scores(look)


def _rated(look: BallotLook) -> Iterator[FileReading]:
    """Yield a reading of numbers for pairs of unknown columns; judges are tasks."""
    texts, numbers = look.texts, look.numeric
    if (len(texts), len(numbers), len(look.names)) != (2, 1, 3) or _sides_of(look) is not None:
        return
    is_key = look.is_key(texts) and not any(look.is_key([at]) for at in texts)
    if is_key and not look.called("rank", "count", among=numbers):
        system, task = sorted(texts, key=look.called("voter").__contains__)
        names = look.named(system=[system], task=[task], score=numbers)
        what = "scores of each {system} by {task}, one a row".format_map(names)
        yield FileReading("scores", what, names, False)


def _wide_scores(look: BallotLook) -> Iterator[FileReading]:
    """Yield readings as scores with a column for each task, or system if rows are judges."""
    systems = [at for at in look.called("system", among=look.texts) if look.is_key([at])]
    instances = look.called("instance", among=range(1, len(look.names)))
    keys = systems[:1] or ([0] if look.is_key([0]) else [0, *instances[:1]])
    first = look.names[keys[0]]
    judges = [] if systems else look.called(*JUDGES, among=keys[:1])
    others = [x for at, x in enumerate(look.names) if at not in keys]
    named, doubtful, words = task_columns(look.table, others)
    weak = [look.names[at] for at in look.called("other", "rank", "count")]
    tasks = [name for name in named if name not in weak] or ([] if doubtful else named)
    is_default = not (keys[0] or may_be_scores(look.table, first))
    system = {} if is_default else look.named(system=keys[:1])
    if systems and not tasks:
        what = f"scores of each {first}, with `only` for tasks among {listed([*doubtful, *named])}"
        yield FileReading("scores", what, system, False)
    odd = [name for name in (*doubtful, *named) if name not in tasks]
    ats = [look.names.index(name) for name in tasks]
    is_named = systems or judges or is_no_name(first)
    written, left = [at for at in ats if at not in look.numeric], [*odd, *words]
    has_numbers = any(at in look.numeric or look.seems_numbers(at) for at in ats)
    is_odd = words or (odd and may_be_scores(look.table, first))
    if not (has_numbers and look.is_key(keys)) or (is_odd and not is_named):
        return
    doubts = _doubts(look, keys, tasks)
    sure = bool(is_named) and not (odd or judges or doubts or tasks[0] in weak)
    sure &= not _are_swapped(look, [*keys, *map(look.names.index, words)])
    may_be_ranks = False
    if not written:
        rows = np.column_stack([look.values[at] for at in ats])
        may_be_ranks = not judges and (_seem_ranks(rows.T) or _seem_places(rows.T))
        sure &= not (may_be_ranks or (_seem_ranks(rows) and bool(are_ranks(rows).all())))
    only = {"only": tasks} if odd or (left and judges) else {}
    without = f" (without {listing(left)})" if left else ""
    if written and (judges or only or not is_named):
        labels = look.labels(written[0]).labels
        cell = labels[int(np.argmax(np.isinf(USUAL.numbers_in(labels).values)))]
        how = f"once `missing`, `errors`, `percent` or `decimal` says what {shown(cell)} is"
        yield FileReading("scores", f"scores of {listing(tasks)}, {how}", None, False)
        return
    if judges and len(keys) == 1:
        what = f"scores of {listed(tasks)} by each {first}{without}"
        yield FileReading("scores", what, {"task": first, **only}, False)
    what = f"scores of each {first or 'row'} on {counted(len(tasks), 'task')}{without}{doubts}"
    names = {**system, **look.named(instance=keys[1:]), **only}
    if may_be_ranks and look.table.n_rows > 1:
        lower = f"{what}, lower is better as in ranks"
        yield FileReading("scores", lower, {**names, "higher_is_better": False}, False)
    yield FileReading("scores", what, names, bool(sure))
    if keys == [0] and look.texts_of(0) == set(map(str, tasks)):
        what = "votes for each row above each column, for `PairwiseMatrix` in Python"
        yield FileReading("matrix", what, None, False)


def _doubts(look: BallotLook, keys: Sequence[int], tasks: Sequence[Label]) -> str:
    """Return what is odd in scores: headings that are numbers or labels, rows without scores."""
    headings, doubts = [str(name) for name in tasks], ""
    if may_be_scores(look.table, look.names[keys[0]]):
        doubts += ", with numbers for names of systems"
    if np.isfinite(USUAL.numbers_in(headings).values).any():
        doubts += ", with numbers in the line of headings"
    if set(map(str.lower, headings)) & set(map(str.lower, look.texts_of(keys[0]))):
        doubts += ", with headings that are labels too"
    numbers = [look.values[at] for at in map(look.names.index, tasks) if at in look.numeric]
    is_empty = np.isnan(numbers).all(axis=0)
    if len(keys) == 1 and len(numbers) == len(tasks) and is_empty.any():
        cells = look.table.cells(look.names[keys[0]], "source")
        doubts += f", with no score of {listing([cells[row] for row in np.flatnonzero(is_empty)])}"
    return doubts


def _ballots(look: BallotLook) -> Iterator[FileReading]:
    """Yield a reading as ballots with a column of ranks for each item."""
    if len(asked := look.questions) > 1:
        what = f"ballots on {listed(asked)}: `drop` the columns of all questions but one"
        yield FileReading("ballots", what, None, False)
        return
    has_counts = bool(look.called("count", among=look.numeric))
    strict = look.rank_columns(has_counts=has_counts)
    # The reader takes ties if other columns are dropped.
    is_voter = bool(look.called("voter", among=[0]))
    names = strict or (look.rank_columns(has_counts=True) if is_voter else [])
    items = [look.names.index(name) for name in names]
    # "name" may be the name of a voter.
    if not items or (look.called("system", among=[0]) and look.words[0] != ["name"]):
        return
    rest = [at for at in range(len(look.names)) if at not in items]
    counts = look.called("count", among=[at for at in rest if at in look.numeric])
    ranks = np.column_stack([look.values[at] for at in items])
    is_unnamed = rest[:1] == [0] and is_no_name(look.names[0])
    many = np.count_nonzero(~np.isnan(ranks)) >= MANY_RANKS
    ranks = ranks[~np.isnan(ranks).all(axis=1)]
    sure: Any = len(items) > 2 and many and _seem_ranks(ranks) and are_ranks(ranks).all()
    sure &= bool(counts or look.called("voter", among=[0]) or not (rest or look.is_key([0])))
    sure &= len(counts) < 2 and not is_unnamed
    sure &= not look.called("other", "rank", "score", "task", among=items)
    sure &= not any("weight" in look.words[at] for at in counts)
    what = f"ballots of {counted(len(items), 'item')}, {listed([look.names[at] for at in items])}"
    drop = {} if strict else {"drop": [look.names[at] for at in rest]}
    yield FileReading("ballots", what, {**look.named(count=counts), **drop}, bool(sure and strict))


def _are_marks(look: BallotLook) -> bool:
    """Return whether each row is a mark on a ballot: a candidate, and its rank."""
    candidates, ranks = look.called("candidate"), look.called("rank", among=look.numeric)
    if len(candidates) != 1 or len(ranks) != 1:
        return False
    return bool(look.called("ballot")) or not look.is_key(candidates)


def _cast_votes(look: BallotLook) -> Iterator[FileReading]:
    """Yield readings as cast votes with a column for each choice."""
    if _are_marks(look):
        what = "cast votes, one mark a row, once each ballot is a row and each rank a column"
        yield FileReading("cast-votes", what, None, False)
    if look.has_no_headings:
        what = "orders, one a row, once a row of headings says 1, 2, 3"
        yield FileReading("cast-votes", what, None, False)
    contests = look.choice_columns()
    for names in contests:
        choices = [look.names.index(name) for name in names]
        further = look.further_choices(names) if len(contests) == 1 else []
        rest = [at for at in range(len(look.names)) if at not in choices]
        counts = look.called("count", among=[at for at in rest if at in look.numeric])
        is_marked = any(
            look.spellings.kind_of(x) in ("undervote", "overvote") for x in look.texts_of(*choices)
        )
        headings = [look.headings[at] for at in choices]
        are_ordinals = all(one is not None and one.is_ordinal for one in headings)
        if not (is_marked or are_ordinals) and (
            look.called("outcome", "rank") or any(map(look.seems_numbers, choices))
        ):
            continue
        what = f"cast votes of {counted(len(choices), 'choice')}, {listed(names)}"
        unclear = [] if counts else look.may_count(names)
        if further or unclear:
            what += f"; `choices` says whether {listed(further)} is a choice too" if further else ""
            what += f"; `count` or `drop` says what {listed(unclear)} is" if unclear else ""
            yield FileReading("cast-votes", what, None, False)
            continue
        sure = len(contests) == 1 and len(counts) < 2 and are_ordinals
        if all(len(look.words[at]) == 1 for at in choices) and not is_marked:
            is_list = all(look.is_key([at]) for at in choices)
            sure &= not (rest or is_list or len(choices) < 3)
        named = {"choices": names} if rest or choices != sorted(choices) else {}
        yield FileReading("cast-votes", what, {**named, **look.named(count=counts)}, sure)


def _lists(look: BallotLook) -> Iterator[FileReading]:
    """Yield readings as ranked lists: one rank a row, one list a column, or ranks of items."""
    yield from _long_table(look, "lists")
    places = [at for at in look.numeric if look.counts_rows(at)]
    if look.numeric and (places != look.numeric or look.texts in ([], [0])):
        ranks = np.array([look.values[at] for at in look.numeric])
        if look.texts == [0] and look.is_key([0]) and _seem_ranks(ranks):
            what = f"ranks of items in {counted(len(ranks), 'list')}, once each row is a list"
            yield FileReading("lists", what, None, False)
        return
    columns = [(codes, len(labels)) for codes, labels in map(look.labels, look.texts)]
    filled = all((codes[:n] >= 0).all() and (codes[n:] < 0).all() for codes, n in columns)
    if filled and all(n for _, n in columns) and (len(columns) == 1 or look.share(look.texts)):
        sure = len(columns) > 2 and _seem_orders(look) and not look.called("outcome")
        sure &= not look.texts_of(*look.texts) & set(map(str, look.names))
        sure &= not any(look.headings) and _sides_of(look) is None
        table = ", or a table once commas, tabs or semicolons separate its cells"
        what = f"{counted(len(columns), 'ranked list')}, one a column{table * (len(columns) == 1)}"
        drop = {"drop": [look.names[at] for at in places]} if places else {}
        yield FileReading("lists", what, drop, sure)


def _seem_orders(look: BallotLook) -> bool:
    """Return whether columns are orders, so that distinct items in each are no coincidence."""
    columns = [look.labels(at).labels for at in look.texts]
    items = {x for column in columns for x in column}
    cells = {(at, x) for column in columns for at, x in enumerate(column)}
    if len(cells) == len(items) or all(column == sorted(column, key=str) for column in columns):
        return False
    # If rows were orders, no row would have an item twice.
    is_column = len(cells) < sum(map(len, columns))
    # Two random cells of a column are equal in one of as many pairs as there are items.
    pairs = sum(len(column) * (len(column) - 1) / 2 for column in columns)
    return max(map(len, columns)) > 3 and pairs >= (3 if is_column else 12) * len(items)


# -- comparisons ----------------------------------------------------------------------------------
#
# Two columns hold the sides, and one, two or three the outcome. Other tables are not recognized.
# The reader refuses unknown cells.


class _Pair(NamedTuple):
    """Two columns with headings that differ only in the word for the side."""

    first: int
    second: int
    words: tuple[str, str]
    # All other words of the two headings.
    rest: frozenset[str]


def _comparisons(look: BallotLook) -> Iterator[FileReading]:
    """Yield a reading as comparisons of two sides with their outcome.

    It is certain unless a column may be a weight. With headings of comparisons and doubtful cells,
    parameters are unknown.
    """
    sides = _sides_of(look)
    outcome = _outcome(look, sides) if sides else None
    if sides is None or outcome is None:
        is_headed = _outcome_columns(look) and any(
            pair.rest <= {*WHO} for pair in _pairs(look, SIDES)
        )
        if is_headed or (sides and _are_of_battles(sides)):
            what = "comparisons whose columns `first`, `second` and `outcome` must name"
            yield FileReading("comparisons", what, None, False)
        return
    columns, meant = outcome
    of_sides = {word for words in SIDES for word in words}
    counts = [at for at in look.called("count", among=look.numeric) if at not in columns]
    counts = [at for at in counts if of_sides.isdisjoint(look.words[at])]
    if len(counts) > 1 or (counts and meant == "wins"):
        return
    names = [look.names[at] for at in columns]
    given: dict[str, Any] = {"first": look.names[sides.first], "second": look.names[sides.second]}
    what = f"comparisons of {given['first']} and {given['second']} by {listing(names)}"
    what += {"points": ", the higher wins", "wins": ", numbers of wins"}.get(meant or "", "")
    given["outcome"] = names if len(names) > 1 else names[0]
    given |= {"outcome_is": meant} if meant else {}
    yield FileReading("comparisons", what, given | look.named(weight=counts), not counts)


def _sides_of(look: BallotLook) -> _Pair | None:
    """Return the only two columns of names with headings that differ in the side; else None.

    Pairs with only words such as model or team in their headings are preferred.
    """
    pairs = [pair for pair in _pairs(look, SIDES) if OUTCOMES.isdisjoint(pair.rest)]
    pairs = [pair for pair in pairs if _hold_names(look, pair)]
    pairs = pairs or [pair for pair in _pairs(look, WON) if _hold_names(look, pair)]
    plain = [pair for pair in pairs if pair.rest <= {*WHO}]
    (one,) = plain if len(plain) == 1 else pairs if len(pairs) == 1 else (None,)
    return one


def _are_of_battles(sides: _Pair) -> bool:
    """Return whether headings mean two sides, and not just a and b, or choices of a ballot."""
    vague = {"a", "b"} if sides.words != ("1", "2") else {"1", "2", "option", "candidate"}
    return sides.rest <= {*WHO} and bool({*sides.words, *sides.rest} - vague)


def _pairs(look: BallotLook, sides: Sequence[tuple[str, str]]) -> Iterator[_Pair]:
    """Yield the pairs of columns with headings that differ only in a word for the side."""
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
                            yield _Pair(first, second, (one, other), frozenset(before + after))


def _hold_names(look: BallotLook, pair: _Pair) -> bool:
    """Return whether columns hold names that meet in several rows, and no numbers or places."""
    columns = pair[:2]
    if {*columns} & {*look.numeric, *look.ordinals} or not all(_keys(look, at) for at in columns):
        return False
    is_often = pair.words not in WON and len(look.texts_of(*columns)) <= look.table.n_rows
    return (is_often or look.share(columns)) and not any(map(look.seems_numbers, columns))


def _keys(look: BallotLook, at: int) -> set[Key]:
    """Return the cells of a column as keys of conventions."""
    return {*map(key_of, look.labels(at).labels)}


def _outcome(look: BallotLook, sides: _Pair) -> tuple[list[int], str | None] | None:
    """Return the columns of outcomes and the parameter `outcome_is`; None if in doubt."""
    others = [at for at in range(len(look.names)) if at not in sides[:2]]
    ties = [at for at in others if any(map(is_tie, look.words[at]))]
    if sides.words in WON:
        has_ties = ties or any(_keys(look, at) & TIE_WORDS.keys() for at in others)
        return None if has_ties else ([sides.first], None)
    grades = [at for at in others if look.words[at] in GRADES and at not in look.numeric]
    outcomes = _outcome_columns(look) or grades
    if outcomes:
        is_certain = len(outcomes) == 1 and _is_clear(look, outcomes[0], sides)
        return (outcomes, None) if is_certain else None
    return _in_numbers(look, sides, ties)


def _outcome_columns(look: BallotLook) -> list[int]:
    """Return the columns with only words for outcomes in their headings."""
    words = [{*x} for x in look.words]
    return [at for at, x in enumerate(words) if OUTCOMES & x and x <= OUTCOMES | {*WHO}]


def _is_clear(look: BallotLook, at: int, sides: _Pair) -> bool:
    """Return whether the cells of a column of outcomes have one meaning.

    A 0 may be the number of the first side, or its loss. An A may mean away.
    """
    keys = _keys(look, at)
    numbers = {key for key in keys if key in MARKS or not isinstance(key, str)}
    is_away = sides.words == ("home", "away") and "a" in keys and "h" not in keys
    return not is_away and (not numbers or (numbers <= {1.0, 1.5, 2.0} and len(numbers) > 1))


def _in_numbers(
    look: BallotLook, sides: _Pair, ties: Sequence[int]
) -> tuple[list[int], str | None] | None:
    """Return the columns of numbers of both sides, if these are outcomes; else None."""
    outcomes: list[tuple[list[int], str | None]] = []
    # Headings of ties with other words may mean something else.
    plain = OUTCOMES | WINS | {*WHO} | TIE_WORDS.keys()
    are_plain = all(plain >= {*look.words[at]} for at in ties)
    for pair in _pairs(look, [sides.words]):
        kind, columns = pair.rest - {*WHO}, [*pair[:2]]
        if len(kind) != 1 or not kind <= OUTCOMES | WINS | POINTS:
            continue
        are_numbers = all(at in look.numeric or look.seems_numbers(at) for at in columns)
        are_marks = all(_keys(look, at) <= MARKS.keys() for at in (*columns, *ties))
        if kind <= POINTS and are_numbers:
            outcomes.append((columns, "points"))
        elif are_plain and are_marks and len(ties) == 1:
            outcomes.append(([*columns, *ties], None))
        # Without a column of ties a row of 0 and 0 may be a tie, or no game.
        elif are_plain and are_numbers and not are_marks and kind <= WINS and len(ties) < 2:
            outcomes.append(([*columns, *ties], "wins"))
    return outcomes[0] if len(outcomes) == 1 else None


# -- all -------------------------------------------------------------------------------------------


def readings_of(table: Table, dropped: list[Label]) -> list[FileReading]:
    """Return the possible readings of a table without some columns."""
    # The reader refuses later rows that are no such scores, or repeat one.
    head = replace(table, columns=[cells[:FEW_ROWS] for cells in table.columns])
    first = BallotLook(head, dropped)
    texts = {*first.texts_of(*first.texts), *(str(x[-1]) for x in table.columns)}
    sums = sorted(filter(SUMMARY.fullmatch, texts))
    for one in _long_table(first, "scores"):
        # Columns left out are compared in all rows.
        is_all = len(one.parameters or ()) == len(table.header) - len(dropped)
        if one.is_certain and is_all and not sums:
            return [one.without(dropped)]
    look = BallotLook(table, dropped)
    rules = _scores, _ballots, _cast_votes, _comparisons, _lists
    readings = [one.without(dropped) for rule in rules for one in rule(look)]
    # Possible comparisons exclude other uncertain readings.
    if any(one.format == "comparisons" for one in readings):
        readings = [one for one in readings if one.format == "comparisons" or one.is_certain]
    if sums and not any(one.format == "comparisons" for one in readings):
        what = f"{{}}, with {listing(sums)} (remove rows that sum up others)"
        readings = [x._replace(what=what.format(x.what), is_certain=False) for x in readings]
    return readings
