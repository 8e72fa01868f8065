"""Where items are missing, drawn task by task."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rankagg._typing import Label
from rankagg.analysis.missing import MissingReport

__all__ = ["gaps_of"]

# Tasks that are drawn, side by side.
TASKS = 200


def gaps_of(
    report: MissingReport, items: Sequence[Label]
) -> list[tuple[tuple[float, float, str], ...]]:
    """Return for every item where it is missing; nothing where there are no tasks, or too many.

    Parameters
    ----------
    report : MissingReport
        What is missing.
    items : sequence of labels
        The rows.

    Returns
    -------
    list of tuple
        Rectangles as in `rankagg.report.tables.Cell`: all of a task, or part of it.
    """
    if report.missing_by_task is None or not 0 < len(report.tasks or ()) <= TASKS:
        return []
    some, every = report.missing_by_task > 0, report.absent
    looks = [
        ["all" if every[i, t] else "part" if some[i, t] else "" for t in range(some.shape[1])]
        for i in report.items.indices(items)
    ]
    return [_runs(row) for row in looks]


def _runs(looks: Sequence[str]) -> tuple[tuple[float, float, str], ...]:
    """Join neighbors that look alike."""
    width, start, found = 100 / len(looks), 0, []
    for look, run in groupby(looks):
        end = start + len(list(run))
        if look:
            found.append((start * width, end * width, look))
        start = end
    return tuple(found)
