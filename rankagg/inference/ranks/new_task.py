"""Prediction intervals for the ranks of systems on a new task like those of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Integers, Integers64, Tolerance
from rankagg._validation import check_alpha
from rankagg.core import (
    ItemSet,
    Result,
    ScoreTable,
    counted,
    family_numbers,
    level_of,
    listed,
    places,
    plain_rows,
)
from rankagg.exceptions import InvalidInputError


class NewTaskRanks(Result):
    """Prediction intervals for the ranks of systems on one more task.

    Made by `new_task_ranks`.

    `plot` draws a `rankagg.plotting.new_task_plot`.

    Parameters
    ----------
    items : ItemSet
        The systems.
    best, worst : ndarray of int, shape (n,)
        The ends, from 1; both 0 for a system without any score.
    n_tasks : ndarray of int, shape (n,)
        The number of tasks that each system was scored on; those of one family count as one.
    alpha : float
        The probability of error for each system by itself.
    """

    items: ItemSet
    best: Integers64
    worst: Integers64
    n_tasks: Integers64
    alpha: float

    _schema: ClassVar[str] = "rankagg.new_task_ranks"
    _plot: ClassVar[str | None] = "new_task_plot"
    _row: ClassVar[str] = "system"

    @property
    def n_needed(self) -> int:
        """The least number of tasks with which an interval can exclude a rank."""
        return int(np.ceil(2 / self.alpha)) - 1

    def _facts(self) -> Iterator[str]:
        systems, level = counted(len(self.items), "system"), level_of(self.alpha)
        yield f"Ranks of {systems} on one more task, level {level} for each"
        yield "This assumes that the task, or its family, is an independent draw like the others."
        if few := self.items.where((self.n_tasks < self.n_needed) & (self.n_tasks > 0)):
            yield (
                f"scored on fewer than {counted(self.n_needed, 'independent task')}, so that "
                f"every rank is possible at this level: {listed(few)}"
            )
        if none := self.items.where(self.n_tasks == 0):
            yield f"without any score, so left out: {listed(none)}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per system with a score.

        Returns
        -------
        pandas.DataFrame
            With "best", "worst" and "n_tasks", indexed by system.
        """
        columns = {"best": self.best, "worst": self.worst, "n_tasks": self.n_tasks}
        frame = pd.DataFrame(columns, index=pd.Index(self.items.labels, name="system"))
        return frame[self.n_tasks > 0]

    def _content(self) -> Mapping[str, Any]:
        return {"alpha": self.alpha, "systems": plain_rows(self.to_frame().reset_index())}


def new_task_ranks(
    table: ScoreTable, *, alpha: float = 0.05, tolerance: Tolerance = 0.0
) -> NewTaskRanks:
    """Predict the ranks of each system on one more task from its ranks on known tasks.

    An interval of `rank_intervals` is for the rank by all tasks, and narrows with their number. The
    ranks on a single new task vary as from task to task. After T exchangeable tasks the new rank is
    between the k-th lowest and the k-th highest of the known ones with a probability of at least
    1 - alpha, where k = floor((T + 1) alpha / 2). If k is 0, every rank is possible.

    With families of tasks, T is the number of exchangeable families, and the new task is drawn at
    random from a new family. Then a rank weighs 1/m if m tasks of the family have ranks, and ranks
    are left out at either end while their weights sum to at most (T + 1) alpha / 2 - 1.

    Parameters
    ----------
    table : ScoreTable
        Scores; instances are averaged within their task. Its `task_families` are independent.
    alpha : float, default 0.05
        The probability of error for each system by itself, not for all together.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by at most this much are tied.

    Returns
    -------
    NewTaskRanks
        Tied systems may have any order, and a system without a score any rank, on the known tasks
        and on the new one.

    Raises
    ------
    InvalidInputError
        If the data are no ScoreTable, or `alpha` is no probability.

    References
    ----------
    Conformal prediction by order statistics: Lei et al. (2018),
    https://doi.org/10.1080/01621459.2017.1307116; of families: Lee, Barber and Willett (2023),
    "Distribution-free inference with hierarchical data", https://arxiv.org/abs/2306.06342.

    Examples
    --------
    >>> import numpy as np
    >>> import rankagg as ra
    >>> scores = np.random.default_rng(0).normal([[2], [1], [0]], 0.7, (3, 40))
    >>> table = ra.ScoreTable(scores, systems="ABC", higher_is_better=True)
    >>> ra.inference.new_task_ranks(table, alpha=0.1).to_frame()
            best  worst  n_tasks
    system
    A          1      2       40
    B          1      3       40
    C          2      3       40
    """
    if not isinstance(table, ScoreTable):
        raise InvalidInputError("table", "a ScoreTable, whose tasks are drawn alike", table)
    level = check_alpha(alpha)
    low, high = _possible_ranks(table, tolerance)
    families = family_numbers(table)
    n, n_tasks = table.n_systems, np.zeros(table.n_systems, dtype=int)
    best, worst = np.ones(n, dtype=int), np.full(n, n)
    for i in range(n):
        scored = np.flatnonzero(low[i])
        _, family, sizes = np.unique(families[scored], return_inverse=True, return_counts=True)
        n_tasks[i] = len(sizes)
        left_out = (len(sizes) + 1) * level / 2 - 1 + 1e-9
        if len(sizes) and left_out >= 0:
            best[i] = _end(low[i, scored], 1 / sizes[family], left_out)
            worst[i] = -_end(-high[i, scored], 1 / sizes[family], left_out)
    best[n_tasks == 0] = worst[n_tasks == 0] = 0
    return NewTaskRanks(items=table.systems, best=best, worst=worst, n_tasks=n_tasks, alpha=level)


def _end(ranks: Integers, weights: Floats, left_out: float) -> int:
    """Return the lowest rank without the lowest ranks of a summed weight."""
    order = np.argsort(ranks)
    return int(ranks[order][np.searchsorted(np.cumsum(weights[order]), left_out, side="right")])


def _possible_ranks(table: ScoreTable, tolerance: Tolerance) -> tuple[Integers, Integers]:
    """Return the best and the worst rank of each system on each task, 0 without a score."""
    ways = table.higher_is_better
    means = ScoreTable(table.task_scores(), higher_is_better=ways, tasks=table.tasks)
    ranks = means.rankings(tolerance).ranks
    scored = ranks >= 0
    above = np.where(scored, ranks, 0)
    # The mean rank of s tied items is (s - 1)/2 below the best one.
    tied = np.where(scored, np.rint(2 * (places.mid_ranks(ranks) - ranks)), 0).astype(int)
    missing = (~scored).sum(axis=1, keepdims=True)
    low = np.where(scored, above + 1, 0)
    return low.T, np.where(scored, low + tied + missing, 0).T
