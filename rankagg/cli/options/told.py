"""What is told of the data that were read."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rankagg.aggregation.evidence import Data, PairData
from rankagg.core.comparisons import Comparisons
from rankagg.core.items import counted
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.score_summary import ScoreSummary
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import DataWarning, visible

__all__ = ["pairs_only", "tell_ballots", "tell_scores", "warnings_noted"]


@contextmanager
def warnings_noted() -> Iterator[list[str]]:
    """Let what is warned of while data are read be among the lines that tell of them."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        yield notes
    for one in {str(warning.message): warning for warning in caught}.values():
        if issubclass(one.category, DataWarning):
            notes.append(f"note: {one.message}")
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def tell_scores(table: ScoreTable | ScoreSummary, values: dict[str, Any]) -> tuple[str, ...]:
    """Return what the reader of the output must know: the direction first."""
    lower = [str(task) for task, higher in table.higher_is_better.items() if not higher]
    if not lower:
        direction = "higher is better"
    elif len(lower) == table.n_tasks:
        direction = "lower is better"
    else:
        direction = f"higher is better, but lower is better on {', '.join(lower)}"
    lines = [f"scores: {direction}", *_tell_source(table, values)]
    weights = {task: weight for task, weight in table.task_weights.items() if weight != 1}
    if weights:
        shown = ", ".join(f"{task} {weight:g}" for task, weight in weights.items())
        lines.append(f"task weights other than 1: {shown}")
    if isinstance(table, ScoreSummary) and table.n_empty:
        lines.append(f"left out: {counted(table.n_empty, 'instance')} without any score")
    if values["tolerance"]:
        lines.append(f"tolerance: scores within {values['tolerance']:g} are tied")
    elif isinstance(table, ScoreTable) and (near := table.near_ties()):
        lines.append(
            f"note: {counted(near, 'pair')} of scores differ only beyond 7 significant digits; "
            "--tolerance would tie them"
        )
    return tuple(lines)


def tell_ballots(data: Data, values: dict[str, Any]) -> tuple[str, ...]:
    """Return what the reader of the output must know: what the data are first."""
    if isinstance(data, PairwiseMatrix):
        return ("matrix: row above column", *_tell_source(data, values))
    if isinstance(data, Comparisons):
        return ("comparisons: ties stay ties", *_tell_source(data, values))
    return ("ballots: rank 1 is best", *_tell_source(data, values))


def pairs_only(data: PairData) -> str:
    """Say what does not hold more than results of pairs, for a sentence that says "not"."""
    return "comparisons do" if isinstance(data, Comparisons) else "a matrix does"


def _tell_source(data: Data, values: dict[str, Any]) -> list[str]:
    dataset = values["dataset"]
    source = f"data set {dataset}" if dataset else str(values.get("told") or values["file"])
    if len(values.get("files", ())) > 1:
        source += f" and {len(values['files']) - 1} more"
    lines = [visible(f"read: {source}, {repr(data)[1:-1]}")]
    if values["drop"]:
        lines.append(f"left out: {', '.join(values['drop'])}")
    return lines
