"""Columns of a table for rules that recognize formats: words of headings, numbers, labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from rankagg._typing import Label
from rankagg.core import raw_text
from rankagg.exceptions import DataFormatError
from rankagg.io.tables.columns import ORDINALS, Coded
from rankagg.io.tables.table import Table

#: Words in headings, by the role of the column.
CALLED = {
    "system": "system model method algorithm name team player approach submission entry llm agent "
    "classifier solver engine product modell baseline architecture backbone encoder network tool "
    "framework technique strategy heuristic optimizer retriever detector alternative candidate "
    "company institution university school",
    "task": "task dataset benchmark",
    "instance": "instance utterance example question prompt query qid sample case",
    "score": "score value accuracy acc result",
    "ballot": "ballot",
    "candidate": "candidate",
    "ranking": "list study source experiment lab voter judge ranker reviewer run",
    "item": "item gene document doc option alternative name team player product",
    "rank": "rank place position",
    "voter": "voter ballot judge juror assessor rater expert respondent reviewer annotator ranking "
    "participant evaluator subject critic ranker user person student",
    "count": "count n votes ballots freq frequency weight multiplicity anzahl stimmen",
    "outcome": "winner won outcome result preference preferred verdict judgment judgement win "
    "label",
    # Neither systems nor scores.
    "other": "metric item topic problem document file fold seed run id no number index year date "
    "time timestamp release released version size std stderr se sd var ci lower upper params "
    "parameters corpus domain language subset category scenario environment precinct county "
    "district ward email address age gender sex country record style",
}
#: Words in headings of numbers that are no benchmark: facts about a system, and summaries.
NO_TASK = (
    "params param parameters parameter size likes downloads price prices cost costs tokens token "
    "year years date day month released release updated timestamp rank ranking place elo rating "
    "ratings average avg mean median overall total sum winrate votes battles popularity license "
    "licence id index age memory vram ram gb flops cutoff stderr std stdev uncertainty wins "
    "losses ties draws err points pts samples lr epoch epochs tstamp rang "
    "platz jahr gesamt durchschnitt mittelwert moyenne promedio ± № win-rate arena-score "
    "final-score weighted-score context-length context-window p-value ci-low ci-high"
)
# Columns of a table of games, beside "W" and "L".
OF_GAMES = "w l t d p f a gp mp pld pos pts pf pa gf ga gd win draw loss won lost drawn played"
# Roles of the rows if each system has a column.
JUDGES = ("voter", "task", "instance", "other")
# Roles of columns that identify ballots.
KEYS = ("voter", "other", "ballot")
# The beginning of a number: signs and markup, such as "$", "~" or "**", and a digit.
NUMBER = re.compile(r"(?:\\[a-zA-Z]+|<[a-zA-Z]+>|[\W_])*[0-9]")
# Between a small letter and a capital or a digit, and at all other signs.
BETWEEN = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|[^\w±№]+|_+|(?<=±)|(?=±)")
FEW_ROWS = 1000
# As many ranks as this are no coincidence.
MANY_RANKS = 12


def _heading_words(name: object) -> list[str]:
    """Return the words of a heading, without "name" or "id" at its end."""
    words = [x.lower() for x in BETWEEN.split(str(name)) if x]
    is_name = len(words) > 1 and words[-1] in ("name", "id")
    return [ORDINALS.get(x, x) for x in (words[:-1] if is_name else words)]


def is_no_name(name: object) -> bool:
    """Return whether a heading is that of an index, as programs write it."""
    return re.fullmatch("[#№]?|Unnamed: [0-9.]+", str(name)) is not None


def _seems_no_task(name: object) -> bool:
    """Return whether the words of a heading suggest that the column is no benchmark."""
    words = [x.lower() for x in BETWEEN.split(str(name)) if x]
    return (
        is_no_name(name)
        or words in ([], ["score"])
        or not set(NO_TASK.split()).isdisjoint([*words, *map("-".join, pairwise(words))])
    )


def is_row_index(table: Table, name: Label) -> bool:
    """Return whether a column without a name holds distinct whole numbers."""
    if not is_no_name(name):
        return False
    values = table.style.numbers_in(table.columns[table.position(name, "only")]).values.tolist()
    return len({x for x in values if x % 1 == 0}) == len(values)


def may_be_scores(table: Table, name: Label) -> bool:
    """Return whether a column holds numbers below a heading that means no systems."""
    words = {word for role in ("system", "other") for word in CALLED[role].split()}
    if is_no_name(name) or not words.isdisjoint(_heading_words(name)):
        return False
    cells = table.columns[table.position(name, "only")][:FEW_ROWS]
    return bool(np.isfinite(table.style.numbers_in(cells).values).all())


def holds_no_numbers(table: Table, name: Label) -> bool:
    """Return whether no cell of a column is a number, and few texts begin like one."""
    column, style = table.columns[table.position(name, "only")], table.style
    if np.isfinite(style.numbers_in(column).values).any():
        return False
    cells = column if isinstance(column, list) else column.to_pylist()
    filled = [x for x in cells if x is not None and not (isinstance(x, float) and np.isnan(x))]
    texts = sorted({x for x in filled if isinstance(x, str)})
    wrong = np.flatnonzero(np.isinf(style.numbers_in(texts).values))
    are_few = 2 * sum(NUMBER.match(texts[at]) is not None for at in wrong) < max(len(wrong), 1)
    return are_few and all(isinstance(x, str | bool | date) for x in filled)


def task_columns(table: Table, among: Iterable[Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """Return tasks, columns with headings of no task, and columns without scores.

    The latter hold no number, or number the rows. A single column of numbers is a task.
    """
    tasks, doubtful, left = list[Any](), list[Any](), list[Any]()
    headings = {str(name).lower() for name in table.header}
    is_league = headings & {"w", "win", "won", "pts"} and headings & {"l", "loss", "lost", "pts"}
    of_games = OF_GAMES.split() if is_league else []
    for name in among:
        if is_row_index(table, name) or holds_no_numbers(table, name):
            left.append(name)
        else:
            is_doubtful = _seems_no_task(name) or str(name).lower() in of_games
            (doubtful if is_doubtful else tasks).append(name)
    if tasks or len(doubtful) > 1:
        return tasks, doubtful, left
    # Reading the columns of words reports their wrong cells.
    return doubtful or left, [], left if doubtful else []


class TableLook:
    """A table, and the kinds of its columns."""

    def __init__(self, table: Table, dropped: Sequence[Label]) -> None:
        kept = [at for at, name in enumerate(table.header) if name not in dropped]
        self.table, self.names = table, [table.header[at] for at in kept]
        self._coded: dict[int, Coded] = {}
        columns = [table.columns[at] for at in kept]
        self.words = [_heading_words(name) for name in self.names]
        # Infinity is no number; most columns of text have one in the first rows.
        style = replace(table.style, ordinals=True)
        heads = [style.numbers_in(column[:FEW_ROWS]).values for column in columns]
        self.values = [
            head if np.isinf(head).any() else style.numbers_in(column).values
            for head, column in zip(heads, columns, strict=True)
        ]
        finite = [bool(np.isfinite(x).any() and not np.isinf(x).any()) for x in self.values]
        self.numeric = [at for at, is_number in enumerate(finite) if is_number]
        self.texts = [at for at, is_number in enumerate(finite) if not is_number]
        # Ranks such as "2nd" are no scores.
        style = replace(style, ordinals=False)
        plain = {at: style.numbers_in(columns[at][:FEW_ROWS]).values for at in self.numeric}
        self.ordinals = {at for at, values in plain.items() if np.isinf(values).any()}

    @property
    def has_no_headings(self) -> bool:
        """Whether the headings are names that also occur in cells."""
        return not self.numeric and set(map(str, self.names)) <= self.texts_of(*self.texts)

    def called(self, *roles: str, among: Iterable[int] | None = None) -> list[int]:
        """Return the columns with headings that end in a word for one of these roles."""
        words = {word for role in roles for word in CALLED[role].split()}
        chosen = range(len(self.names)) if among is None else among
        ends = ((at, x) for at in chosen for x in self.words[at][-1:])
        return [at for at, end in ends if end in words or end.removesuffix("s") in words]

    def named(self, **columns: Sequence[int]) -> dict[str, Any]:
        """Return the heading of the first column of each role that has one."""
        return {role: self.names[ats[0]] for role, ats in columns.items() if ats}

    def labels(self, at: int) -> Coded:
        """Return the labels of a column; the code of an empty cell is -1."""
        if at not in self._coded:
            name = self.names[at]
            try:
                self._coded[at] = self.table.coded(name, "source", gaps=True)
            except DataFormatError:  # cells such as dates, which readers may leave out
                texts = ("" if x is None else str(x) for x in self.table.cells(name, "source"))
                self._coded[at] = Coded.of(texts).with_gaps()
        return self._coded[at]

    def texts_of(self, *columns: int) -> set[str]:
        """Return the labels in columns as text."""
        return {raw_text(label) for at in columns for label in self.labels(at).labels}

    def is_key(self, columns: Sequence[int]) -> bool:
        """Return whether columns identify each row, without empty cells."""
        coded = [self.labels(at) for at in columns]
        if prod(len(labels) for _, labels in coded) < self.table.n_rows:
            return False
        codes = np.column_stack([codes for codes, _ in coded])
        return bool((codes >= 0).all()) and not pd.DataFrame(codes).duplicated().any()

    def depends(self, at: int, key: int) -> bool:
        """Return whether a column has several labels, but only one for each label of another."""
        (codes, labels), keys = self.labels(at), self.labels(key)
        pairs = np.unique(keys.codes * (len(labels) + 1) + codes)
        return len(labels) > 1 and len(pairs) == len(keys.labels)

    def counts_rows(self, at: int) -> bool:
        """Return whether a column holds 1, 2 and so on."""
        return np.array_equal(self.values[at], np.arange(1, self.table.n_rows + 1))

    def may_count(self, ballots: Sequence[Label]) -> list[Label]:
        """Return the columns, without those of the ballots, that may hold counts of ballots.

        These have a heading that means a count; or a heading that means no key, and whole numbers
        that differ and do not increase from row to row.
        """
        counts = []
        for at in self.numeric:
            values = self.values[at]
            is_called = bool(self.called("count", among=[at]))
            is_key = self.counts_rows(at) or bool(self.called(*KEYS, among=[at]))
            are_counts = bool((values % 1 == 0).all() and values.min() >= 1)
            is_free = are_counts and not is_key and not (np.diff(values) > 0).all()
            if self.names[at] not in ballots and (values != values[0]).any():
                counts += [self.names[at]] if is_called or is_free else []
        return counts

    def seems_numbers(self, at: int) -> bool:
        """Return whether at least half of the distinct cells of a column begin like numbers."""
        texts = self.texts_of(at) - {""}
        return 2 * sum(map(bool, map(NUMBER.match, texts))) >= max(len(texts), 1)

    def share(self, columns: Sequence[int]) -> bool:
        """Return whether each of these columns shares a label with another one."""
        others = {at: [x for x in columns if x != at] for at in columns}
        return all(self.texts_of(at) & self.texts_of(*others[at]) for at in columns)
