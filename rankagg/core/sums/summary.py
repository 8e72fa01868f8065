"""What any number of scores add up to: enough for votes, means and intervals, and small."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import pandas as pd

from rankagg._typing import Directions, Floats, Label, TaskWeights, Unranked
from rankagg._validation import check_unranked
from rankagg.core.arithmetic.exact_sum import HIGH, LEAST, exact_mean, restored
from rankagg.core.items import ItemSet, counted
from rankagg.core.scores.checks import as_directions, as_task_weights
from rankagg.core.scores.scored_tasks import ScoredTasks
from rankagg.core.scores.table import ScoreTable
from rankagg.core.sums.grouped_tally import GroupedTally
from rankagg.core.sums.plain import (
    GROUPED_VERSION,
    SCHEMA,
    VERSION,
    fingerprint_of,
    parsed,
    plain_tasks,
    sortable,
)
from rankagg.core.sums.task_tally import TaskTally
from rankagg.core.sums.unit_groups import check_groups, groups_of, keys_of_labels
from rankagg.core.sums.votes import votes_of
from rankagg.core.votes.pairwise import PairwiseMatrix
from rankagg.exceptions import Described, InvalidInputError, ItemMismatchError, visible

__all__ = ["ScoreSummary"]


class ScoreSummary(ScoredTasks):
    """Sums over the scores of systems on the instances of tasks, without the scores.

    Made by `ScoreScan.summarize`, or `from_scores`. It goes wherever data go: means, Borda's rule,
    all rules on votes, exact Kemeny, `compare`, intervals. What follows is the same to the last bit
    as from the scores themselves. What needs single rankings raises `InformationLostError`.

    Summaries of two parts of the data add up with `+`; that an instance is in one part only is
    yours to know.

    Parameters
    ----------
    systems : ItemSet
        The systems.
    tallies : mapping from task to TaskTally, or to GroupedTally
        What the scores of each task add up to; of all tasks in the same number of groups, or of
        none.
    higher_is_better : bool, mapping or Series from task to bool
        The direction that they were counted with.
    task_weights : mapping or Series from task to float, optional
        Weights from 1e-100 to 1e100; tasks not named weigh 1.

    Attributes
    ----------
    systems : ItemSet
        The systems.
    tasks : ItemSet
        The tasks, in the order in which they first occur. The order is no part of the value.
    n_groups : int or None
        The number of groups that instances are in, which a bootstrap draws; None without.

    Notes
    -----
    A task takes 16 bytes for each two systems, and 16 more for each number of systems, other than
    all of them, that are there together on some instance. With groups every group of a task does.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.ScoreTable([[3, 3, 0], [1, 1, 9]], systems="AB", higher_is_better=True,
    ...                       tasks=["x", "x", "y"], instances=[0, 1, 0])
    >>> summary = ra.ScoreSummary.from_scores(table)
    >>> summary
    <ScoreSummary of 2 systems x 2 tasks, 3 instances, 0 of 6 scores missing>
    >>> ra.Borda().aggregate(summary)
    <Consensus by Borda: A > B>
    >>> summary + summary
    <ScoreSummary of 2 systems x 2 tasks, 6 instances, 0 of 12 scores missing>
    """

    n_groups: int | None
    _tallies: dict[Label, TaskTally]
    _grouped: dict[Label, GroupedTally]

    def __init__(
        self,
        systems: ItemSet,
        tallies: Mapping[Label, TaskTally | GroupedTally],
        *,
        higher_is_better: Directions,
        task_weights: TaskWeights | None = None,
    ) -> None:
        if not tallies:
            raise InvalidInputError("tallies", "those of one task at least", dict(tallies))
        tasks = ItemSet(tallies)
        for task, tally in tallies.items():
            if len(tally) != len(systems) or not tally.n_units:
                allowed = f"of {counted(len(systems), 'system')}, with a score"
                raise InvalidInputError("tallies", allowed, Described(f"those of {task!r}"))
        weights = as_task_weights(task_weights, tasks)
        grouped = {t: tally for t, tally in tallies.items() if isinstance(tally, GroupedTally)}
        numbers = {tally.n_groups for tally in grouped.values()}
        if len(numbers) > 1 or (grouped and len(grouped) < len(tallies)):
            allowed = "all in the same number of groups, or none"
            raise InvalidInputError("tallies", allowed, Described("a mixture"))
        self._set(
            systems=systems,
            tasks=tasks,
            n_groups=min(numbers, default=None),
            _tallies={
                t: tally.total if isinstance(tally, GroupedTally) else tally
                for t, tally in tallies.items()
            },
            _grouped=grouped,
            _directions=as_directions(higher_is_better, tasks),
            _weights=weights,
        )

    @classmethod
    def from_scores(cls, table: ScoreTable, *, n_groups: int | None = None) -> Self:
        """Add up the scores of a table.

        Parameters
        ----------
        table : ScoreTable
            The scores; units without any are counted in `n_empty` and left out.
        n_groups : int, optional
            Add up instances in so many groups; see `ScoreScan.summarize`.

        Returns
        -------
        ScoreSummary
        """
        if not isinstance(table, ScoreTable):
            raise InvalidInputError("table", "a ScoreTable", table)
        number = check_groups(n_groups)
        if number is not None and table.instances is None:
            allowed = "None for a table without instances, by whose labels they are made"
            raise InvalidInputError("n_groups", allowed, number)
        tallies: dict[Label, Any] = {}
        for at, task in enumerate(table.tasks):
            units = np.flatnonzero(table.unit_tasks == at)
            scores, better = np.take(table.values, units, axis=1), table.higher_is_better[task]
            if number is None or table.instances is None:
                tallies[task] = TaskTally.of(scores, higher_is_better=better)
                continue
            keys = keys_of_labels([table.instances[u] for u in units.tolist()])
            codes = groups_of(keys, number)
            tallies[task] = GroupedTally.of(scores, codes, number, higher_is_better=better)
        return cls(
            table.systems,
            tallies,
            higher_is_better=table.higher_is_better,
            task_weights=table.task_weights,
        )

    def _key(self) -> tuple[Hashable, ...]:
        tasks = sorted(self.tasks, key=sortable)
        return self.systems, tuple(
            (task, self._directions[task], self._weights[task], self._held[task]) for task in tasks
        )

    # -- shape --------------------------------------------------------------------------------

    @property
    def tallies(self) -> Mapping[Label, TaskTally]:
        """What the scores of each task add up to."""
        return MappingProxyType(self._tallies)

    @property
    def grouped(self) -> Mapping[Label, GroupedTally]:
        """The same by groups of instances; empty where there are none."""
        return MappingProxyType(self._grouped)

    @property
    def _held(self) -> Mapping[Label, Any]:
        return self._grouped or self._tallies

    @property
    def n_units(self) -> int:
        """The number of instances of all tasks, without those that lack every score."""
        return sum(tally.n_units for tally in self._tallies.values())

    @property
    def n_empty(self) -> int:
        """The number of instances that lack every score; they count nowhere else."""
        return sum(tally.n_empty for tally in self._tallies.values())

    @property
    def n_missing(self) -> int:
        """The number of missing scores of the instances that have some."""
        present = sum(int(tally.observed.sum()) for tally in self._tallies.values())
        return self.n_units * self.n_systems - present

    # -- the way down -------------------------------------------------------------------------

    def pairwise(self, unranked: Unranked = "uniform") -> PairwiseMatrix:
        """Count for every two systems the votes for one above the other; see `Profile.pairwise`.

        Parameters
        ----------
        unranked : {"uniform", "ignore", "last"}, default "uniform"
            What an instance says of a system that it has no score for.

        Returns
        -------
        PairwiseMatrix
        """
        return votes_of(
            self.systems,
            list(self._tallies.values()),
            self.weight_vector,
            check_unranked(unranked),
        )

    def task_scores(self, *, signed: bool = False) -> Floats:
        """Average the instances of each task.

        Parameters
        ----------
        signed : bool, default False
            Negate tasks where lower is better, so that higher is better throughout.

        Returns
        -------
        ndarray of float, shape (n_systems, n_tasks)
            As `ScoreTable.task_scores`, to the last bit.
        """
        means, _, shift = self._task_means(signed)
        return restored(means, shift)

    def _task_means(self, signed: bool) -> tuple[Floats, Floats, int]:
        """Return what a table does; sizes are those of the means, as sums know no others."""
        tallies = self._tallies.values()
        digits = max(abs(total).bit_length() for tally in tallies for total in tally.sums)
        shift = HIGH + LEAST - digits
        columns = []
        for task, tally in self._tallies.items():
            sign = -1 if signed and not self._directions[task] else 1
            observed = tally.observed.tolist()
            pairs = zip(tally.sums, observed, strict=True)
            columns.append([exact_mean(sign * total, count, shift) for total, count in pairs])
        means = np.array(columns, dtype=np.float64).T
        return means, np.abs(means), shift

    def by_task(self) -> dict[Label, ScoreSummary]:
        """Return the summary of each task."""
        return {
            task: ScoreSummary(
                self.systems,
                {task: tally},
                higher_is_better=self._directions[task],
                task_weights={task: self._weights[task]},
            )
            for task, tally in self._held.items()
        }

    def with_task_weights(self, task_weights: TaskWeights) -> ScoreSummary:
        """Return the summary with other task weights; tasks not named weigh 1.

        Parameters
        ----------
        task_weights : mapping or Series from task to float
            Weights from 1e-100 to 1e100.

        Returns
        -------
        ScoreSummary
        """
        return ScoreSummary(
            self.systems,
            self._held,
            higher_is_better=self._directions,
            task_weights=task_weights,
        )

    def sorted_by_task(self) -> ScoreSummary:
        """Return the same summary, the tasks in the order of their labels, numbers first."""
        held = {task: self._held[task] for task in sorted(self.tasks, key=sortable)}
        return ScoreSummary(
            self.systems,
            held,
            higher_is_better=self._directions,
            task_weights=self._weights,
        )

    # -- sums ---------------------------------------------------------------------------------

    def __add__(self, other: object) -> ScoreSummary:
        if not isinstance(other, ScoreSummary):
            return NotImplemented
        if set(self.systems) != set(other.systems):
            raise ItemMismatchError(
                "Added summaries must be of the same systems; only one has "
                f"{sorted(set(self.systems) ^ set(other.systems), key=sortable)}."
            )
        if self.n_groups != other.n_groups:
            allowed = f"{self.n_groups}, as in the other summary"
            remedy = "Add up all parts of the data with the same `n_groups=`."
            raise InvalidInputError("n_groups", allowed, other.n_groups, remedy)
        for what, mine, theirs in (
            ("higher_is_better", self._directions, other._directions),
            ("task_weights", self._weights, other._weights),
        ):
            for task in mine:
                if theirs.get(task, mine[task]) != mine[task]:
                    raise InvalidInputError(
                        what, f"{mine[task]!r} for {task!r}, as in the other summary", theirs[task]
                    )
        tallies = dict(self._held)
        positions = np.array(other.systems.indices(self.systems.labels), dtype=np.int64)
        is_same = bool((positions == np.arange(len(positions))).all())
        for task, tally in other._held.items():
            fitting = tally if is_same else tally.reordered(positions)
            tallies[task] = tallies[task] + fitting if task in tallies else fitting
        return ScoreSummary(
            self.systems,
            tallies,
            higher_is_better={**other._directions, **self._directions},
            task_weights={**other._weights, **self._weights},
        )

    # -- plain data ---------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with `schema` and `version`; `from_dict` reads them."""
        return {
            "schema": SCHEMA,
            "version": VERSION if self.n_groups is None else GROUPED_VERSION,
            "systems": list(self.systems),
            "tasks": plain_tasks(self._tallies, self._grouped, self._directions, self._weights),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return the summary that `to_dict` gave.

        Parameters
        ----------
        content : mapping
            The plain data.

        Returns
        -------
        ScoreSummary

        Raises
        ------
        DataFormatError
            If they are not such data.
        """
        return parsed(content, cls)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of systems, directions and sums, as 64 hexadecimal digits.

        The same for the same scores, however they were cut, ordered and stored; weights and groups
        are no part of it.
        """
        return fingerprint_of(self.systems, self._tallies, self._directions)

    # -- how it looks -------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return the mean scores as a DataFrame, systems x tasks."""
        return pd.DataFrame(
            self.task_scores(), index=list(self.systems.labels), columns=list(self.tasks.labels)
        )

    def __repr__(self) -> str:
        return (
            f"<ScoreSummary of {counted(self.n_systems, 'system')} x "
            f"{counted(self.n_tasks, 'task')}, {counted(self.n_units, 'instance')}, "
            f"{self.n_missing} of {counted(self.n_units * self.n_systems, 'score')} missing>"
        )

    def _repr_html_(self) -> str:
        return visible(self.to_frame().to_html(na_rep="", escape=True, max_rows=20, max_cols=20))
