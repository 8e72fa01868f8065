"""One step: a heading, a table, and what it means in sentences; and how it looks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from rankagg.core.items import counted, shortened
from rankagg.core.results.html import html_table
from rankagg.core.results.markup import latex_text

__all__ = ["Cell", "Step", "number", "plain", "told"]

Cell: TypeAlias = str | int | float

# Rows that a notebook shows, as pandas does.
SHOWN = 60


# Denominators of fractions that one reads more easily than their digits.
READ = 60
# From here on numbers have an exponent.
LARGE = 1e15


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
    whole = f"{abs(value):.0f}" if 1 <= abs(value) < LARGE else ""
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
        """Return the step as lines of text, the table cut to so many rows."""
        kept = self.rows if rows is None else self.rows[:rows]
        left = len(self.rows) - len(kept)
        more = [f"... and {counted(left, 'more row')}"] if left else []
        return [self.heading, *self.sentences, *self._table(kept), *more]

    def _table(self, rows: Sequence[Sequence[Cell]]) -> list[str]:
        if not self.columns:
            return []
        texts = [[plain(cell) for cell in row] for row in (self.columns, *rows)]
        widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
        left = [any(isinstance(row[k], str) and row[k] for row in rows) for k in range(len(widths))]
        return [
            "  " + "  ".join(
                text.ljust(width) if is_text else text.rjust(width)
                for text, width, is_text in zip(line, widths, left, strict=True)
            ).rstrip()
            for line in texts
        ]  # fmt: skip

    def html(self) -> str:
        """Return the step as HTML, with escaped labels."""
        text = "".join(f"<p>{escape(line)}</p>" for line in self.sentences)
        shown = [[plain(cell) for cell in row] for row in self.rows[:SHOWN]]
        left = len(self.rows) - len(shown)
        more = f"<p>... and {counted(left, 'more row')}</p>" if left else ""
        head = [plain(name) for name in self.columns]
        table = html_table(head, shown, named=False) if head else ""
        return f"<h4>{escape(self.heading)}</h4>{text}{table}{more}"

    def _repr_html_(self) -> str:
        return self.html()

    def latex(self) -> str:
        """Return the step as LaTeX; the rules of tables are those of the package booktabs."""
        parts = [rf"\paragraph{{{latex_text(self.heading)}}}", *map(latex_text, self.sentences)]
        if self.columns:
            numbers = [all(not isinstance(row[k], str) for row in self.rows)
                       for k in range(len(self.columns))]  # fmt: skip
            head, *body = (
                " & ".join(latex_text(plain(cell)) for cell in row) + r" \\"
                for row in (self.columns, *self.rows)
            )
            parts += [
                "\n\\begin{center}\n\\begin{tabular}{"
                + "".join("r" if one else "l" for one in numbers) + "}",
                r"\toprule", head, r"\midrule", *body, r"\bottomrule",
                "\\end{tabular}\n\\end{center}",
            ]  # fmt: skip
        return "\n".join(parts)


def plain(cell: object) -> str:
    """Return a cell on one line."""
    if isinstance(cell, float):
        return _decimal(cell)
    return shortened(" ".join(str(cell).split()), 96)
