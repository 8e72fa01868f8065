"""Steps of a rule, or of a solution: headings, tables, sentences, and common first steps."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import singledispatch
from html import escape
from textwrap import wrap
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from tabulate import tabulate

from rankagg._typing import Floats, Ranks
from rankagg._validation import check_integer
from rankagg.aggregation import Aggregator, Consensus, Evidence
from rankagg.core import (
    PairwiseMatrix,
    PartialRanking,
    Profile,
    Result,
    as_ranking,
    counted,
    exact,
    html_table,
    letters,
    shortened,
)
from rankagg.exceptions import VerificationError

Cell: TypeAlias = str | int | float

# Most rows that a notebook shows, as in pandas.
SHOWN = 60
# Largest denominator of fractions that are printed as fractions.
READ = 60
# Least number with an exponent.
EXPONENT_FROM = 1e15
# Most characters of a cell: the names of eight items, with about 50 characters each.
LONGEST = 480
# Characters on a line, and between two columns.
WIDTH, GAP = 80, 2
INDENT = "  "
# Least width of a text column; below it the table is divided.
NARROWEST_TEXT = 12
FROM_POINT = re.compile(r"(?<=\d)[.e].*")


def number(value: object) -> int | float:
    """Return a number as it is printed and exported, integers without a decimal point."""
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    exact = value.item() if isinstance(value, np.generic) else value
    assert isinstance(exact, int | float), "tables hold numbers and texts"
    return int(exact) if float(exact).is_integer() else exact


def as_text(value: object) -> str:
    """Return a number as text for a sum or a sentence, with small denominators as fractions."""
    if isinstance(value, Fraction) and value.denominator > 1:
        short = _decimal(float(value))
        return short if Fraction(short) == value or value.denominator > READ else str(value)
    shown = number(value)
    return str(shown) if isinstance(shown, int) else _decimal(shown)


def _decimal(value: float) -> str:
    """Return six digits, or two decimals if there are more digits before the point."""
    integer = f"{abs(value):.0f}" if 1 <= abs(value) < EXPONENT_FROM else ""
    return f"{value:.{max(6, len(integer) + 2)}g}"


def _column_blocks(rows: Sequence[Sequence[str]], texts: Sequence[bool]) -> list[dict[int, int]]:
    """Return blocks of columns that fit a line, with widths; all begin with the first column.

    Texts and heads may wrap, numbers may not.
    """
    columns = []
    for (head, *cells), is_text in zip(zip(*rows, strict=True), texts, strict=True):
        lengths = [letters(cell) for cell in cells]
        if not is_text:  # decimal points are aligned
            behind = [len((FROM_POINT.search(cell) or [""])[0]) for cell in cells]
            before = (n - after for n, after in zip(lengths, behind, strict=True))
            lengths.append(max(before, default=0) + max(behind, default=0))
        # tabulate needs this much more for a head
        columns.append([max(1, letters(head)) + GAP, *lengths])
    natural = [max(lengths) for lengths in columns]
    least = [
        max([min(natural[k], NARROWEST_TEXT), *([] if is_text else columns[k][1:])])
        for k, is_text in enumerate(texts)
    ]
    blocks = [[0]]
    for k in range(1, len(texts)):
        if sum(least[j] + GAP for j in (*blocks[-1], k)) > WIDTH:
            blocks.append([0])
        blocks[-1].append(k)
    parts = []
    for block in blocks:
        # Shrink the widest columns.
        cap = WIDTH
        while sum(max(least[k], min(natural[k], cap)) + GAP for k in block) > WIDTH and cap:
            cap -= 1
        parts.append({k: max(least[k], min(natural[k], cap)) for k in block})
    return parts


def _text_table(rows: Sequence[Sequence[str]], texts: Sequence[bool]) -> list[str]:
    """Return a table as lines, divided into blocks of columns if it is too wide.

    Examples
    --------
    >>> _text_table([["item", "score"], ["A", "1.25"], ["B", "3"]], [True, False])
    ['  item      score', '  A          1.25', '  B          3']
    """
    lines: list[str] = []
    for block in _column_blocks(rows, texts):
        head, *body = ([row[k] for k in block] for row in rows)
        table = tabulate(
            body,
            head,
            tablefmt="plain",
            disable_numparse=True,
            colalign=["left" if texts[k] else "decimal" for k in block] if body else None,
            maxcolwidths=[width if texts[k] else None for k, width in block.items()],
            maxheadercolwidths=[width - GAP for width in block.values()],
        )
        lines += [
            *([""] if lines else []),
            *((INDENT + line).rstrip() for line in table.split("\n")),
        ]
    return lines


def _wrapped(text: str) -> list[str]:
    """Return a sentence wrapped to the line width."""
    return wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False) or [""]


@dataclass(frozen=True)
class Step:
    """One step of `Steps`.

    A part of a result, which prints and exports it.

    Attributes
    ----------
    heading : str
        The topic.
    sentences : tuple of str
        The method and its conclusions.
    columns : tuple of str
        The names of the columns of the table; empty if there is none.
    rows : tuple of tuple
        Rows of texts and numbers; an empty text is an empty cell.
    """

    heading: str
    sentences: tuple[str, ...] = ()
    columns: tuple[Hashable, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return pd.DataFrame(list(self.rows), columns=list(self.columns))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "heading": self.heading,
            "sentences": list(self.sentences),
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
        }

    def lines(self, rows: int | None) -> list[str]:
        """Return the step as lines of text, with a limited number of rows.

        Parameters
        ----------
        rows : int or None
            The number of rows to keep, None for all. A last line states how many are left out.
        """
        kept = self.rows[:rows]
        left = len(self.rows) - len(kept)
        more = [f"... and {counted(left, 'more row')}"] if left else []
        text = [line for sentence in self.sentences for line in _wrapped(sentence)]
        table = _text_table(self._shown(kept), self.texts) if self.columns else []
        return [self.heading, *text, *table, *more]

    @property
    def texts(self) -> tuple[bool, ...]:
        """Whether each column holds texts; the others hold numbers, or are empty.

        A column of numbers may have a word for a missing one.
        """
        return tuple(
            any(row[k] for row in self.rows) and all(isinstance(row[k], str) for row in self.rows)
            for k in range(len(self.columns))
        )

    def _shown(self, rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
        return [[plain(cell) for cell in row] for row in (self.columns, *rows)]

    def html(self) -> str:
        """Return the step as HTML, with escaped labels."""
        text = "".join(f"<p>{escape(line)}</p>" for line in self.sentences)
        head, *shown = self._shown(self.rows[:SHOWN])
        left = len(self.rows) - len(shown)
        more = f"<p>... and {counted(left, 'more row')}</p>" if left else ""
        table = html_table(head, shown, named=False) if head else ""
        return f"<h4>{escape(self.heading)}</h4>{text}{table}{more}"

    def _repr_html_(self) -> str:
        return self.html()


def plain(cell: object) -> str:
    """Return a cell on one line."""
    if isinstance(cell, float):
        return _decimal(cell)
    return shortened(" ".join(str(cell).split()), LONGEST)


class Steps(Result):
    """The derivation of an answer, step by step.

    Returned by `show_steps`. `plot` draws the costs of all orders of at most four items, by
    `permutohedron_plot`.

    Attributes
    ----------
    title : str
        The title.
    steps : tuple of Step
        Headings, sentences and tables.
    answer : str
        The result.
    consensus : Consensus or None
        The rule's own result, with which the steps agree; None if the steps belong to no rule.
    """

    title: str
    steps: tuple[Step, ...]
    answer: str
    consensus: Consensus | None = field(default=None, compare=False)

    _schema = "rankagg.steps"
    _plot = "permutohedron_plot"
    _prints_table = False

    def __getitem__(self, number: int) -> Step:
        """Return a step by its number, from 0."""
        return self.steps[number]

    def __len__(self) -> int:
        return len(self.steps)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per cell of all tables; `steps[k].to_frame()` is a single table.

        Returns
        -------
        pandas.DataFrame
            Columns step (from 1), heading, row (from 1), column, value.
        """
        cells = [
            (number, step.heading, at, column, value)
            for number, step in enumerate(self.steps, start=1)
            for at, row in enumerate(step.rows, start=1)
            for column, value in zip(step.columns, row, strict=True)
        ]
        return pd.DataFrame(cells, columns=["step", "heading", "row", "column", "value"])

    def _facts(self) -> list[str]:
        return [self.title, f"Answer: {self.answer}"]

    def _content(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "steps": [step.to_dict() for step in self.steps],
            "answer": self.answer,
        }

    def _text(self, facts: Iterable[str], rows: int | None) -> str:
        limit = None if rows is None else check_integer(rows, "rows", low=1)
        title, *last = facts
        blocks = [[title]]
        for at, step in enumerate(self.steps, start=1):
            heading, *lines = step.lines(limit)
            blocks.append([f"{at}. {heading}", *lines])
        blocks.append([line for fact in last for line in _wrapped(fact)])
        return "\n\n".join(map("\n".join, blocks))

    def _repr_html_(self) -> str:
        title, *last = (escape(line) for line in self._facts())
        body = "".join(step.html() for step in self.steps)
        return f"<h3>{title}</h3>{body}" + "".join(f"<p><b>{line}</b></p>" for line in last)


def distinct_rankings(profile: Profile) -> tuple[Ranks, list[Fraction]]:
    """Return the distinct rankings, as ranks, and their weights, the heaviest first."""
    ranks, which = np.unique(profile.ranks, axis=0, return_inverse=True)
    votes, denominator = exact.as_votes(profile.counts, profile.weights)
    weights = [Fraction(0)] * len(ranks)
    for row, vote in zip(which.ravel().tolist(), votes.tolist(), strict=True):
        weights[row] += Fraction(vote, denominator)
    order = sorted(range(len(ranks)), key=lambda row: -weights[row])
    return ranks[order], [weights[row] for row in order]


def rankings_step(evidence: Evidence) -> tuple[Step, ...]:
    """Return the rankings as a step; no step if the data do not hold them."""
    if not evidence.has_rankings:
        return ()
    profile = evidence.profile
    ranks, weights = distinct_rankings(profile)
    text = ["Every task ranks the systems by their scores."] if evidence.has_scores else []
    rows = [
        (number(weight), as_ranking(row, profile.items).to_text())
        for row, weight in zip(ranks, weights, strict=True)
    ]
    total = counted(as_text(sum(weights, Fraction(0))), "ranking")
    text.append(f"{total} of {counted(profile.n_items, 'item')}, equal ones together.")
    return (Step("The rankings", tuple(text), ("count", "ranking"), tuple(rows)),)


def votes_step(votes: PairwiseMatrix) -> Step:
    """Return the pairwise votes as a step."""
    text = ["A row holds the number of rankings with its item above the item of the column."]
    if votes.unranked is not None and not votes.is_decided:
        text.append(f"Pairs that they leave open count by the policy {votes.unranked!r}.")
    rows = [
        (str(item), *("" if i == j else number(votes.wins[i, j]) for j in range(votes.n_items)))
        for i, item in enumerate(votes.items)
    ]
    return Step("The votes on pairs", tuple(text), ("above", *votes.items), tuple(rows))


def scores_step(heading: str, sentence: str, items: Iterable[object], scores: Floats) -> Step:
    """Return scores as a step, the best first."""
    names = list(items)
    order = np.argsort(-scores, kind="stable")
    rows = [(str(names[i]), "none" if np.isnan(scores[i]) else number(scores[i])) for i in order]
    return Step(heading, (sentence,), ("item", "score"), tuple(rows))


@dataclass(frozen=True)
class Worked:
    """The steps of a rule on some data, and their results."""

    steps: tuple[Step, ...]
    # Shape (n,). The resulting scores.
    scores: Floats | None = None
    # The resulting ranking; None if scores determine it.
    ranking: PartialRanking | None = None
    # The resulting least cost.
    cost: float | None = None

    def check(self, consensus: Consensus) -> None:
        """Raise `VerificationError` if the results differ from those of the rule."""
        agrees = [self.ranking is None or self.ranking == consensus.ranking]
        if self.scores is not None:
            own = consensus.scores
            agrees.append(
                own is not None
                and np.allclose(self.scores, own, rtol=1e-9, atol=1e-9, equal_nan=True)
            )
        if self.cost is not None:
            agrees.append(bool(np.isclose(self.cost, consensus.cost, rtol=1e-9, atol=1e-9)))
        name = consensus.rule.name
        if not all(agrees):
            raise VerificationError(
                f"The steps of {name} differ from the result of the rule; please report the data."
            )


@singledispatch
def work_out(rule: Aggregator, consensus: Consensus, evidence: Evidence) -> Worked:
    """Derive a rule's result by hand from the evidence as the rule reads it.

    The modules of this package register the steps of each rule.
    """
    raise NotImplementedError
