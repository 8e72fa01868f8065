"""The steps of a rule, or of a solution, as one result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from html import escape
from typing import Any

import pandas as pd

from rankagg._validation import check_integer
from rankagg.aggregation.result import Consensus
from rankagg.core.results import Result, latex_text
from rankagg.teaching.step import Step
from rankagg.teaching.tables import text
from rankagg.teaching.tables.latex import needs, paragraph

__all__ = ["Steps"]


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
                rf"\paragraph{{Answer}} {paragraph(self.answer)}",
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
        blocks.append([line for fact in last for line in text.paragraph(fact)])
        return "\n\n".join(map("\n".join, blocks))

    def _repr_html_(self) -> str:
        title, *last = (escape(line) for line in self._facts())
        body = "".join(step.html() for step in self.steps)
        return f"<h3>{title}</h3>{body}" + "".join(f"<p><b>{line}</b></p>" for line in last)
