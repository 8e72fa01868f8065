"""Steps of a rule, or of a solution: headings, tables, sentences, and how they look."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from rankagg._validation import check_integer
from rankagg.aggregation.result import Consensus
from rankagg.core.items import counted, shortened
from rankagg.core.results import Result, html_table, latex_text
from rankagg.teaching.tables import (
    Formula,
    latex_paragraph,
    latex_table,
    needs,
    text_paragraph,
    text_table,
)

Cell: TypeAlias = str | int | float

# Rows that a notebook shows, as pandas does.
SHOWN = 60


# Denominators of fractions that one reads more easily than their digits.
READ = 60
# From here on numbers have an exponent.
EXPONENT_FROM = 1e15
# Signs of a cell: the names of eight items, of some 50 signs each.
LONGEST = 480


def number(value: object) -> int | float:
    """Return a number as it is printed and exported: whole ones without a point."""
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    exact = value.item() if isinstance(value, np.generic) else value
    assert isinstance(exact, int | float), "tables hold numbers and texts"
    return int(exact) if float(exact).is_integer() else exact


def told(value: object) -> str:
    """Return a number for a sum or a sentence: whole ones in full, thirds and the like as such."""
    if isinstance(value, Fraction) and value.denominator > 1:
        short = _decimal(float(value))
        return short if Fraction(short) == value or value.denominator > READ else str(value)
    shown = number(value)
    return str(shown) if isinstance(shown, int) else _decimal(shown)


def _decimal(value: float) -> str:
    """Return six digits, or two behind the point of a number with more before it."""
    whole = f"{abs(value):.0f}" if 1 <= abs(value) < EXPONENT_FROM else ""
    return f"{value:.{max(6, len(whole) + 2)}g}"


@dataclass(frozen=True)
class Step:
    """One step of `Steps`.

    A part of a result, which prints and exports it.

    Attributes
    ----------
    heading : str
        What is done.
    sentences : tuple of str
        How it is done, and what follows.
    columns : tuple of str
        The names of the columns of the table; empty where there is none.
    rows : tuple of tuple
        Its rows, of texts and numbers; an empty text is nothing.
    """

    heading: str
    sentences: tuple[str, ...] = ()
    columns: tuple[Hashable, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return the table.

        Returns
        -------
        pandas.DataFrame
        """
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
        """Return the step as lines of text, the table cut to so many rows.

        Parameters
        ----------
        rows : int or None
            How many rows of the table are kept; all where None. How many are left out is said.

        Returns
        -------
        list of str
        """
        kept = self.rows if rows is None else self.rows[:rows]
        left = len(self.rows) - len(kept)
        more = [f"... and {counted(left, 'more row')}"] if left else []
        told = [line for sentence in self.sentences for line in text_paragraph(sentence)]
        table = text_table(self._shown(kept), self.texts) if self.columns else []
        return [self.heading, *told, *table, *more]

    @property
    def texts(self) -> tuple[bool, ...]:
        """Say of each column whether it holds texts; the others hold numbers, or are empty.

        Among numbers a word may say why there is none.
        """
        return tuple(
            any(row[k] for row in self.rows) and all(isinstance(row[k], str) for row in self.rows)
            for k in range(len(self.columns))
        )

    def _shown(self, rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
        return [[plain(cell) for cell in row] for row in (self.columns, *rows)]

    def html(self) -> str:
        """Return the step as HTML, with escaped labels."""
        told = "".join(f"<p>{escape(line)}</p>" for line in self.sentences)
        shown = [[plain(cell) for cell in row] for row in self.rows[:SHOWN]]
        left = len(self.rows) - len(shown)
        more = f"<p>... and {counted(left, 'more row')}</p>" if left else ""
        head = [plain(name) for name in self.columns]
        table = html_table(head, shown, named=False) if head else ""
        return f"<h4>{escape(self.heading)}</h4>{told}{table}{more}"

    def _repr_html_(self) -> str:
        return self.html()

    def latex(self) -> str:
        """Return the step as LaTeX, with tables that fit the class article.

        The rules of tables are those of the package booktabs; columns that break need the package
        array, and long tables longtable.
        """
        parts = [
            rf"\paragraph{{{latex_text(self.heading)}}}",
            *map(latex_paragraph, self.sentences),
        ]
        if self.columns:
            parts.append("\n" + latex_table(self._shown(self.rows), self.texts))
        return "\n".join(parts)


def plain(cell: object) -> str:
    """Return a cell on one line."""
    if isinstance(cell, float):
        return _decimal(cell)
    # Arithmetic is told in full.
    return cell if isinstance(cell, Formula) else shortened(" ".join(str(cell).split()), LONGEST)


class Steps(Result):
    """How an answer is reached, step by step.

    Made by `show_steps`. `plot` draws the costs of all orders of at most four items, by
    `permutohedron_plot`.

    Attributes
    ----------
    title : str
        What is worked out.
    steps : tuple of Step
        Headings, sentences and tables.
    answer : str
        What comes out.
    consensus : Consensus or None
        The rule's own result, with which the steps agree; None where the steps are of no rule.
    """

    title: str
    steps: tuple[Step, ...]
    answer: str
    consensus: Consensus | None = field(default=None, compare=False)

    _schema = "rankagg.steps"
    _plot = "permutohedron_plot"
    _prints_table = False

    def __getitem__(self, number: int) -> Step:
        """Return the step of that number, from 0."""
        return self.steps[number]

    def __len__(self) -> int:
        return len(self.steps)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per cell of all tables; `steps[k].to_frame()` is one of the tables.

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

    def to_latex_sections(self) -> str:
        r"""Return the steps as LaTeX, to be put into a document.

        Returns
        -------
        str
            A `\subsection*` with a `\paragraph` for each step. Labels are escaped. Comments at the
            top say which packages the document has to load, and which signs pdfLaTeX does not set.
        """
        body = "\n\n".join(
            [
                rf"\subsection*{{{latex_text(self.title)}}}",
                # Long names would stand out at the end of a line.
                r"\begingroup\sloppy",
                *(step.latex() for step in self.steps),
                rf"\paragraph{{Answer}} {latex_paragraph(self.answer)}",
                r"\par\endgroup",
            ]
        )
        return "\n".join([*needs(body), body]) + "\n"

    def _answer(self) -> str:
        return f"Answer: {self.answer}"

    def _facts(self) -> list[str]:
        return [self.title, self._answer()]

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
        blocks.append([line for fact in last for line in text_paragraph(fact)])
        return "\n\n".join(map("\n".join, blocks))

    def _repr_html_(self) -> str:
        title, *last = (escape(line) for line in self._facts())
        body = "".join(step.html() for step in self.steps)
        return f"<h3>{title}</h3>{body}" + "".join(f"<p><b>{line}</b></p>" for line in last)
