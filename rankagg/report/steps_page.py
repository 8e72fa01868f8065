"""The page of the steps of a rule."""

from __future__ import annotations

from typing import Any

from rankagg import __version__
from rankagg.plotting.permutohedra import MOST_PERMUTED, permutohedron_plot
from rankagg.report.figures import Figure, figure_of
from rankagg.report.sections import STYLES, Inline, environment
from rankagg.teaching.steps import Step, Steps, plain


def steps_page(steps: Steps) -> str:
    """Return steps as one page of HTML."""
    return (
        environment()
        .get_template("steps.html")
        .render(
            title=steps.title,
            steps=[_as_text(step) for step in steps.steps],
            answer=steps.answer,
            picture=_picture(steps),
            screen=None,
            style=Inline.read(*STYLES[:2], *STYLES[3:5], "steps.css"),
            scripts=[],
            version=__version__,
        )
    )


def _as_text(step: Step) -> dict[str, Any]:
    """Return a step as text; numbers stand at the right, and texts of more than 24 signs break."""
    kinds = ["number"] * len(step.columns)
    for k in range(len(step.columns)):
        if step.texts[k]:
            kinds[k] = "long" if max(len(plain(row[k])) for row in step.rows) > 24 else ""
    return {
        "heading": step.heading,
        "sentences": step.sentences,
        "head": list(zip(map(plain, step.columns), kinds, strict=True)),
        "rows": [list(zip(map(plain, row), kinds, strict=True)) for row in step.rows],
    }


def _picture(steps: Steps) -> Figure | None:
    consensus = steps.consensus
    if consensus is None or len(consensus.items) > MOST_PERMUTED:
        return None
    return figure_of(
        lambda: permutohedron_plot(consensus),
        "All orders of the items with their Kemeny costs, the cheapest at the bottom",
        "All orders: a line swaps two neighbors, and the number is the votes that an order "
        "contradicts (its Kemeny cost). A thick frame marks the cheapest, a triangle the answer.",
    )
