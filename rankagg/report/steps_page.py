"""The steps of a rule as a page that needs nothing else, with a picture of all orders."""

from __future__ import annotations

from typing import Any

from rankagg import __version__
from rankagg.plotting.rankings.permutohedron import MOST_ITEMS, permutohedron_plot
from rankagg.report.figures import Figure, figure_of
from rankagg.report.sections import Inline, environment
from rankagg.teaching.step import Step, plain
from rankagg.teaching.steps import Steps

__all__ = ["steps_page"]

# Signs of a text from which on it may break.
LONG = 24
STYLES = ("tokens.css", "page.css", "figures.css", "tables.css", "steps.css")


def steps_page(steps: Steps) -> str:
    """Return steps as one page of HTML."""
    return (
        environment()
        .get_template("steps.html")
        .render(
            title=steps.title,
            steps=[_shown(step) for step in steps.steps],
            answer=steps.answer,
            picture=_picture(steps),
            style=Inline.read(*STYLES),
            scripts=[],
            version=__version__,
        )
    )


def _shown(step: Step) -> dict[str, Any]:
    """Return a step as text, with the class of each column."""
    kinds = [_kind(step, k) for k in range(len(step.columns))]
    return {
        "heading": step.heading,
        "sentences": step.sentences,
        "head": list(zip(map(plain, step.columns), kinds, strict=True)),
        "rows": [list(zip(map(plain, row), kinds, strict=True)) for row in step.rows],
    }


def _kind(step: Step, column: int) -> str:
    """Return the class of a column: numbers stand at the right, and long texts break."""
    if not step.texts[column]:
        return "number"
    return "long" if max(len(plain(row[column])) for row in step.rows) > LONG else ""


def _picture(steps: Steps) -> Figure | None:
    consensus = steps.consensus
    if consensus is None or len(consensus.items) > MOST_ITEMS:
        return None
    return figure_of(
        lambda: permutohedron_plot(consensus),
        "All orders of the items with their Kemeny costs, the cheapest at the bottom",
        "All orders: a line swaps two neighbors, and the number is the votes that an order "
        "contradicts (its Kemeny cost). A thick frame marks the cheapest, a triangle the answer.",
    )
