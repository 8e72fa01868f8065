"""The three leaderboards of tasks, as the authors read them and as their files have them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg.core.rankings.partial import PartialRanking, Permutation
from rankagg.core.scores.table import ScoreTable
from rankagg.replication.experiment import Bench

__all__ = ["BOARDS", "FILED", "as_read", "as_read_and_filed", "in_file_order", "rows_of"]

#: What they are called here.
BOARDS = ("GLUE", "SuperGLUE", "XTREME")
#: XTREME with its own tasks, where the authors read others.
FILED = "XTREME of the file"


def as_read(bench: Bench) -> dict[str, ScoreTable]:
    """Return those that are there, XTREME with its columns shifted by one.

    The authors' columns begin with the leaderboard's score, so that it is a task to them and the
    last task, sentence retrieval, is lost.
    """
    tables = bench.tables(*BOARDS, "XTREME Score")
    score = tables.pop("XTREME Score", None)
    file = tables.pop("XTREME", None)
    if score is not None and file is not None:
        score.systems.require_same(file.systems, "The scores and the tasks of XTREME")
        tables["XTREME"] = ScoreTable(
            np.column_stack([score.values, file.values[:, :-1]]),
            systems=file.systems,
            tasks=[*score.tasks, *list(file.tasks)[:-1]],
            higher_is_better=True,
        )
    return tables


def as_read_and_filed(bench: Bench) -> dict[str, ScoreTable]:
    """Return those that are there, and XTREME as its file has it as well."""
    file = bench.tables("XTREME")
    return as_read(bench) | ({FILED: file["XTREME"]} if file else {})


def rows_of(ranking: PartialRanking) -> NDArray[np.intp]:
    """Return the rows of the systems, best first, ties in the order of the file."""
    return np.argsort(ranking.ranks, kind="stable")


def in_file_order(ranking: PartialRanking) -> Permutation:
    """Return a ranking with its ties broken by the order of the file."""
    return Permutation(np.argsort(rows_of(ranking)), ranking.items)
