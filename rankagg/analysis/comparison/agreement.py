"""Agreement of rankings with each other, of a rule with all exact optima, and of tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

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
    said,
    stated,
)
from rankagg.distances import kendall_distance, kendall_tau, top_k_agreement
from rankagg.distances.top_weighted import overlaps
from rankagg.exceptions import InvalidInputError, OutOfTimeError, TooLargeError
from rankagg.inference.rank_tests import average_ranks

if TYPE_CHECKING:
    from rankagg.aggregation.kemeny.tied_optima import TiedOptima

Rankings: TypeAlias = Mapping[str, PartialRanking]
#: What stands in the place of what the time limit, or the user, did not leave time for.
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
    """Return for every k the expected share of the reference's first k among each ranking's."""
    depths = range(1, min(r.n_observed for r in (reference, *rankings.values())) + 1)
    curves = {}
    for name, ranking in rankings.items():
        shares = overlaps(ranking, reference, from_top=from_top)
        check_integer(len(depths), "k", low=1, high=len(shares))  # ranked by both
        curves[name] = shares[: len(depths)]
    return pd.DataFrame(curves, index=pd.Index(depths, name="k"))


def flow_slots(ranks: Ranks) -> Floats:
    """Return a height for every item in every column, ties in the order of the column before.

    The first column looks to the second one, so that lines out of a tie do not cross.
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
    """All optima, in numbers; what there was no time for is None."""

    # The optima, under the deadline.
    optima: Optima | TiedOptima
    # Whether there is one only.
    is_unique: bool | None
    # The items that are first in some optimum.
    winners: tuple[Label, ...] | None
    # The best and the worst rank of every item.
    ranks: tuple[Positions, Positions] | None
    # How many there are; None too where a block is too large to be counted.
    count: int | None
    # Why they were not counted, where that is so.
    too_large: str
    # Added rankings that can overturn the consensus; None too for a single item, where there are
    # several optima, and where they may tie items.
    radius: int | None
    # Whether there was time for all of it.
    is_complete: bool

    @classmethod
    def of(
        cls, optima: Optima | TiedOptima, deadline: Deadline, *, radius: bool = False
    ) -> Alternatives:
        """Find out what there is time for."""
        every = optima.within(deadline.time_limit)
        late: list[bool] = []

        def ask(question: Callable[[], Any]) -> Any:
            try:
                return question()
            except OutOfTimeError:
                late.append(True)
                return None

        unique = ask(lambda: every.is_unique)
        winners, ranks = ask(every.winners), ask(every.rank_ranges)
        count, too_large = None, ""
        try:
            count = ask(every.count)
        except TooLargeError as error:
            too_large = str(error)
        added = None
        if radius and unique and isinstance(every, Optima):
            added = ask(lambda: every.addition_radius)
        return cls(every, unique, winners, ranks, count, too_large, added, not late)

    def summary(self) -> str:
        """Return how many optima there are and where they differ, as text."""
        if self.is_unique is None:
            return f"{LATE} whether there are others"
        if self.is_unique or self.count is not None or self.too_large:
            return self.optima.summary()
        return f"more than one; {LATE} how many"


def task_agreement(data: ScoreTable, *, tolerance: Tolerance = 0.0) -> TaskAgreement:
    """Say how far the tasks of a table order its systems alike.

    Parameters
    ----------
    data : ScoreTable
        The scores; instances of a task are averaged first.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.

    Notes
    -----
    Two tasks are compared on the systems that both have. Kendall's W without gaps is that of
    `friedman`, corrected for ties; with gaps it is (1 + (T - 1) r)/T, r being the average of
    Spearman's correlations of all pairs of T tasks, or 0 where that is below: the same where
    nothing is missing or tied.

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
    lacking = stated(gaps, "cells missing", noun="score", of=present.size)
    notes = (said("{} missing: tasks are compared on what both have", lacking),)
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
    """Return the averages of the instances of every task; a table without instances as it is."""
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
    """Return tau-b of every two rankings on the items of both; NaN where one ties all.

    One item is held against the later ones at a time, so memory grows as the ranks.
    """
    there = ranks >= 0
    alike, untied = np.zeros((2, len(ranks), len(ranks)))
    for item in range(ranks.shape[1] - 1):
        told = (there[:, item, None] & there[:, item + 1 :]).astype(np.float64)
        signs = np.sign(ranks[:, item + 1 :] - ranks[:, item, None]) * told
        alike += signs @ signs.T
        untied += signs**2 @ told.T  # pairs that both compare and the first does not tie
    with np.errstate(invalid="ignore", divide="ignore"):
        return alike / np.sqrt(untied * untied.T)


def _spearman(ranks: Ranks) -> Floats:
    """Return Spearman's correlation of every two rankings, as `_tau` does tau-b."""
    there = ranks >= 0
    alike, spread = np.zeros((2, len(ranks), len(ranks)))
    for item in range(ranks.shape[1]):
        told = (there[:, [item]] & there).astype(np.float64)
        signs = np.sign(ranks - ranks[:, [item]]) * told
        # Twice how far the item is from the mean place of the row's among the items of both.
        offsets = (signs @ there.T) * there[:, item]
        alike += offsets * offsets.T
        spread += offsets**2
    with np.errstate(invalid="ignore"):
        return alike / np.sqrt(spread * spread.T)


def _concordance(profile: Profile) -> float:
    """Return W from the average of Spearman's correlations."""
    correlations, n = _spearman(profile.ranks), len(profile)
    known = correlations[np.triu_indices(n, k=1)]
    known = known[~np.isnan(known)]
    # Correlations on different systems can be lower together than those on the same ones.
    return max((1 + (n - 1) * float(known.mean())) / n, 0.0) if len(known) else nan


class TaskAgreement(Result):
    """How far tasks order systems alike.

    Made by `task_agreement`; `plot` draws a `rankagg.plotting.task_agreement_plot`. What leaving a
    task out changes says `stability`, and how near subsets of tasks come to all of them
    `TaskSubsetStudy`.

    Attributes
    ----------
    tasks : ItemSet
        The T tasks.
    n_systems : int
        How many systems there are.
    tau : ndarray of float, shape (T, T)
        Kendall's tau-b of two tasks on the systems of both; NaN where one ties all of these, or
        there are less than two.
    with_rest : ndarray of float, shape (T,)
        Tau-b of each task with Borda's ranking by all other tasks.
    kendall_w : float
        Kendall's W: 1 where all tasks agree, 1/T about where they have nothing to do with each
        other.
    notes : tuple of str
        What the reader must know.
    """

    tasks: ItemSet
    n_systems: int
    tau: Floats
    with_rest: Floats
    kendall_w: float
    notes: tuple[str, ...]
    # Shape (T, T). The systems of both.
    _n_common: Positions

    _schema: ClassVar[str] = "rankagg.task_agreement"
    _plot = "task_agreement_plot"
    _row: ClassVar[str] = "task"

    @property
    def mean_tau(self) -> float:
        """The average of tau over all pairs of tasks that have one; NaN where none has."""
        pairs = self.tau[np.triu_indices(len(self.tasks), k=1)]
        known = pairs[~np.isnan(pairs)]
        return float(known.mean()) if len(known) else float("nan")

    def to_frame(self) -> pd.DataFrame:
        """Return one row per task, the one that agrees least with the rest first.

        Returns
        -------
        pandas.DataFrame
            with_rest, mean_tau (with the other tasks), n_systems (that it has).
        """
        off = ~np.eye(len(self.tasks), dtype=bool) & ~np.isnan(self.tau)
        with np.errstate(invalid="ignore"):
            mean = np.where(off, self.tau, 0.0).sum(axis=1) / off.sum(axis=1)
        columns = {"with_rest": self.with_rest, "mean_tau": mean}
        columns["n_systems"] = np.diag(self._n_common)
        frame = pd.DataFrame(columns, index=pd.Index(list(self.tasks), name="task"))
        return frame.sort_values("with_rest", kind="stable")

    def pairs(self) -> pd.DataFrame:
        """Return tau of every two tasks, tasks by tasks."""
        labels = pd.Index(list(self.tasks), name="task")
        return pd.DataFrame(self.tau, index=labels, columns=labels.rename(None))

    def _content(self) -> dict[str, Any]:
        found = self._plain("n_systems", "kendall_w", "mean_tau", "tau", "notes")
        return {**found, "tasks": plain_rows(self.to_frame().reset_index())}

    def _facts(self) -> list[str]:
        told = "{} on {}: Kendall's W {}, mean tau of two tasks {}"
        found = (
            stated(len(self.tasks), "tasks", noun="task"),
            stated(self.n_systems, "items", noun="system"),
            stated(self.kendall_w, "Kendall's W", _agreement_told),
            stated(self.mean_tau, "mean tau", _agreement_told),
        )
        return [said(told, *found), *(said("note: {}", note) for note in self.notes)]

    def __repr__(self) -> str:
        return (
            f"<TaskAgreement of {counted(len(self.tasks), 'task')} on "
            f"{counted(self.n_systems, 'system')}: W = {_agreement_told(self.kendall_w)}, "
            f"mean tau {_agreement_told(self.mean_tau)}>"
        )


def _agreement_told(value: float) -> str:
    """Return a number as text; what rounding leaves of nothing is zero, without a sign."""
    if np.isnan(value):
        return "not defined"
    return f"{round(value, 12):z.3g}"
