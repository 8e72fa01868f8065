"""Agreement of rankings with each other, of a rule with all exact optima, and of tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Label, Positions, Ranks, Tolerance
from rankagg._validation import check_integer, table_remedy
from rankagg.aggregation import Borda, Deadline
from rankagg.aggregation.kemeny import Optima
from rankagg.core import (
    UNRANKED,
    ItemSet,
    PartialRanking,
    Profile,
    Result,
    ScoreTable,
    counted,
    places,
    plain_rows,
    quantity,
    sentence,
)
from rankagg.distances import kendall_distance, kendall_tau, top_k_agreement
from rankagg.distances.top_weighted import overlaps
from rankagg.exceptions import InvalidInputError, OutOfTimeError, TooLargeError
from rankagg.inference.rank_tests import average_ranks

if TYPE_CHECKING:
    from rankagg.aggregation.kemeny.tied_optima import TiedOptima

Rankings = Mapping[str, PartialRanking]
#: Printed for results that were not computed within the time limit.
LATE = "not computed in time"


def agreement_of(first: PartialRanking, second: PartialRanking) -> dict[str, float]:
    """Return how alike two rankings of the same items are."""
    if not ((first.ranks != UNRANKED) & (second.ranks != UNRANKED)).any():
        return {"distance": nan, "tau": nan, "top1": nan}
    return {
        "distance": kendall_distance(first, second, tie_cost=0.5),
        "tau": kendall_tau(first, second),
        "top1": top_k_agreement(first, second, 1),
    }


def overlap_curves(
    rankings: Rankings, reference: PartialRanking, *, from_top: bool = True
) -> pd.DataFrame:
    """Return the expected overlap of the first k of each ranking with the reference's, by k."""
    depths = range(1, min(r.n_observed for r in (reference, *rankings.values())) + 1)
    curves = {}
    for name, ranking in rankings.items():
        shares = overlaps(ranking, reference, from_top=from_top)
        check_integer(len(depths), "k", low=1, high=len(shares))  # ranked by both
        curves[name] = shares[: len(depths)]
    return pd.DataFrame(curves, index=pd.Index(depths, name="k"))


def flow_slots(ranks: Ranks) -> Floats:
    """Return the heights of items by column; ties keep the order of the column before.

    Ties in the first column follow the second one, so that lines out of a tie do not cross.
    """
    slots = np.empty(ranks.shape)
    n = ranks.shape[1]
    before = np.where(ranks[-1] >= 0, ranks[-1], n).astype(np.float64)
    for column in (*range(len(ranks) - 1, -1, -1), *range(len(ranks))):
        listed = np.where(ranks[column] >= 0, ranks[column], n)
        order = np.lexsort((np.arange(n), before, listed))
        slots[column, order] = np.arange(n)
        before = slots[column].copy()
    slots[ranks < 0] += 1  # an empty one between ranked and unranked items
    return slots


@dataclass(frozen=True, eq=False)
class Alternatives:
    """Number, winners and ranks of all optima; None if not computed in time."""

    # The optima, under the deadline.
    optima: Optima | TiedOptima
    # Whether there is only one.
    is_unique: bool | None
    # The items that are first in some optimum.
    winners: tuple[Label, ...] | None
    # The best and the worst rank of every item.
    ranks: tuple[Positions, Positions] | None
    # Number of optima; None also where a block is too large to be counted.
    count: int | None
    # Reason why they were not counted, if any.
    too_large: str
    # Number of added rankings that can overturn the consensus; None also for a single item, several
    # optima, or optima that may tie items.
    radius: int | None
    # Whether everything was computed in time.
    is_complete: bool

    @classmethod
    def of(
        cls, optima: Optima | TiedOptima, deadline: Deadline, *, radius: bool = False
    ) -> Alternatives:
        """Compute as much as the deadline allows."""
        every = optima.within(deadline.time_limit)
        late = []

        def in_time(compute: Callable[[], Any]) -> Any:
            try:
                return compute()
            except OutOfTimeError:
                late.append(True)
                return None

        unique = in_time(lambda: every.is_unique)
        winners, ranks = in_time(every.winners), in_time(every.rank_ranges)
        count, too_large = None, ""
        try:
            count = in_time(every.count)
        except TooLargeError as error:
            too_large = str(error)
        added = None
        if radius and unique and isinstance(every, Optima):
            added = in_time(lambda: every.addition_radius)
        return cls(every, unique, winners, ranks, count, too_large, added, not late)

    def summary(self) -> str:
        """Return the number of optima and their differences as text."""
        if self.is_unique is None:
            return f"{LATE} whether there are others"
        if self.is_unique or self.count is not None or self.too_large:
            return self.optima.summary()
        return f"more than one; {LATE} how many"


def task_agreement(data: ScoreTable, *, tolerance: Tolerance = 0.0) -> TaskAgreement:
    """Measure the agreement of the tasks of a table on the order of its systems.

    Parameters
    ----------
    data : ScoreTable
        The scores; instances of a task are averaged first.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.

    Notes
    -----
    Two tasks are compared on the systems that both have. Without gaps, Kendall's W is that of
    `friedman`, corrected for ties. With gaps it is (1 + (T - 1) r)/T, and at least 0, where r is
    the mean of Spearman's correlations of all pairs of T tasks. Both are equal if nothing is
    missing or tied.

    References
    ----------
    Kendall and Babington Smith (1939), https://doi.org/10.1214/aoms/1177732186; Kendall (1945),
    "The treatment of ties in ranking problems", https://doi.org/10.1093/biomet/33.3.239, for tau-b.

    Examples
    --------
    >>> import rankagg as ra
    >>> found = ra.analysis.task_agreement(ra.datasets.load("superglue_human"))
    >>> found
    <TaskAgreement of 10 tasks on 6 systems: W = 0.518, mean tau 0.419>
    >>> found.to_frame().head(3).round(2)
             with_rest  mean_tau  n_systems
    task
    MultiRC       0.07      0.10          6
    BoolQ         0.33      0.22          6
    AX-g          0.33      0.20          6
    """
    if not isinstance(data, ScoreTable):
        raise InvalidInputError("data", "a ScoreTable, which has tasks", data, table_remedy(data))
    if data.n_tasks < 2 or data.n_systems < 2:
        raise InvalidInputError("data", "a table of two tasks and two systems or more", data)
    table = averaged_tasks(data)
    profile = table.rankings(tolerance)
    rows = [np.arange(len(profile)) != task for task in range(len(profile))]
    others = [Borda().aggregate(profile[rest]).ranking for rest in rows]
    present = (profile.ranks >= 0).astype(np.intp)
    gaps = int(present.size - present.sum())
    lacking = quantity(gaps, "cells missing", noun="score", of=present.size)
    notes = (sentence("{} missing: tasks are compared on the systems of both", lacking),)
    w = _concordance(profile)
    if not gaps:
        w = average_ranks(places.mid_ranks(profile.ranks) + 1.0, profile.counts)[1]
    return TaskAgreement(
        tasks=table.tasks,
        n_systems=table.n_systems,
        tau=_tau(profile.ranks),
        _n_common=present @ present.T,
        with_rest=np.array([kendall_tau(*pair) for pair in zip(profile, others, strict=True)]),
        kendall_w=w,
        notes=notes if gaps else (),
    )


def averaged_tasks(table: ScoreTable) -> ScoreTable:
    """Return a table with the mean of the instances of every task."""
    if not table.is_instance_level:
        return table
    return ScoreTable(
        table.task_scores(),
        systems=table.systems,
        tasks=list(table.tasks),
        higher_is_better=table.higher_is_better,
        task_weights=table.task_weights,
    )


def _tau(ranks: Ranks) -> Floats:
    """Return tau-b of every two rankings on the items of both; NaN if one ties them all.

    Each item is compared with the later ones in turn, so that memory is proportional to the ranks.
    """
    present = ranks >= 0
    agreement, untied = np.zeros((2, len(ranks), len(ranks)))
    for item in range(ranks.shape[1] - 1):
        compared = (present[:, item, None] & present[:, item + 1 :]).astype(np.float64)
        signs = np.sign(ranks[:, item + 1 :] - ranks[:, item, None]) * compared
        agreement += signs @ signs.T
        untied += signs**2 @ compared.T  # pairs that both compare and the first does not tie
    with np.errstate(invalid="ignore", divide="ignore"):
        return agreement / np.sqrt(untied * untied.T)


def _spearman(ranks: Ranks) -> Floats:
    """Return Spearman's correlation of every two rankings, with gaps as in `_tau`."""
    present = ranks >= 0
    products, squares = np.zeros((2, len(ranks), len(ranks)))
    for item in range(ranks.shape[1]):
        compared = (present[:, [item]] & present).astype(np.float64)
        signs = np.sign(ranks - ranks[:, [item]]) * compared
        # Twice the distance of the item from the mean place in the row, among the items of both.
        offsets = (signs @ present.T) * present[:, item]
        products += offsets * offsets.T
        squares += offsets**2
    with np.errstate(invalid="ignore"):
        return products / np.sqrt(squares * squares.T)


def _concordance(profile: Profile) -> float:
    """Return W from the mean of Spearman's correlations."""
    n = len(profile)
    mean = pd.Series(_spearman(profile.ranks)[np.triu_indices(n, k=1)]).mean()
    # Correlations on different systems can be lower together than those on the same ones.
    return nan if np.isnan(mean) else max((1 + (n - 1) * float(mean)) / n, 0.0)


class TaskAgreement(Result):
    """Agreement of tasks on the order of systems.

    Made by `task_agreement`; `plot` draws a `rankagg.plotting.task_agreement_plot`. `stability`
    leaves out single tasks, and `TaskSubsetStudy` compares subsets of tasks with all of them.

    Attributes
    ----------
    tasks : ItemSet
        The T tasks.
    n_systems : int
        Number of systems.
    tau : ndarray of float, shape (T, T)
        Kendall's tau-b of two tasks on the systems of both; NaN if one ties all of these, or there
        are fewer than two.
    with_rest : ndarray of float, shape (T,)
        Tau-b of each task with Borda's ranking by all other tasks.
    kendall_w : float
        Kendall's W: 1 if all tasks agree, about 1/T if they are unrelated.
    notes : tuple of str
        Remarks on missing scores.
    """

    tasks: ItemSet
    n_systems: int
    tau: Floats
    with_rest: Floats
    kendall_w: float
    notes: tuple[str, ...]
    # Shape (T, T). Number of systems that two tasks have in common.
    _n_common: Positions

    _schema: ClassVar[str] = "rankagg.task_agreement"
    _plot = "task_agreement_plot"
    _row: ClassVar[str] = "task"

    @property
    def mean_tau(self) -> float:
        """Mean of tau over all pairs of tasks, without undefined ones; NaN if all are."""
        return float(pd.Series(self.tau[np.triu_indices(len(self.tasks), k=1)]).mean())

    def to_frame(self) -> pd.DataFrame:
        """Return one row per task, the one that agrees least with the rest first.

        Returns
        -------
        pandas.DataFrame
            with_rest, mean_tau (with the other tasks), n_systems (of the task).
        """
        others = np.where(np.eye(len(self.tasks), dtype=bool), nan, self.tau)
        columns = {
            "with_rest": self.with_rest,
            "mean_tau": pd.DataFrame(others).mean(axis=1).to_numpy(),
            "n_systems": np.diag(self._n_common),
        }
        frame = pd.DataFrame(columns, index=pd.Index(list(self.tasks), name="task"))
        return frame.sort_values("with_rest", kind="stable")

    def pairs(self) -> pd.DataFrame:
        """Return tau of all pairs of tasks, tasks x tasks."""
        labels = pd.Index(list(self.tasks), name="task")
        return pd.DataFrame(self.tau, index=labels, columns=labels.rename(None))

    def _content(self) -> dict[str, Any]:
        values = self._plain("n_systems", "kendall_w", "mean_tau", "tau", "notes")
        return {**values, "tasks": plain_rows(self.to_frame().reset_index())}

    def _facts(self) -> list[str]:
        text = "{} on {}: Kendall's W {}, mean tau of two tasks {}"
        values = (
            quantity(len(self.tasks), "tasks", noun="task"),
            quantity(self.n_systems, "items", noun="system"),
            quantity(self.kendall_w, "Kendall's W", _rounded),
            quantity(self.mean_tau, "mean tau", _rounded),
        )
        return [sentence(text, *values), *(sentence("note: {}", note) for note in self.notes)]

    def __repr__(self) -> str:
        return (
            f"<TaskAgreement of {counted(len(self.tasks), 'task')} on "
            f"{counted(self.n_systems, 'system')}: W = {_rounded(self.kendall_w)}, "
            f"mean tau {_rounded(self.mean_tau)}>"
        )


def _rounded(value: float) -> str:
    """Return a number as text; rounding errors around zero are 0, without a sign."""
    return "not defined" if np.isnan(value) else f"{round(value, 12):z.3g}"
