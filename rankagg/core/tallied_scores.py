"""What any number of scores add up to: enough for votes, means and intervals, and small."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Label, Unranked
from rankagg._validation import as_weights, check_unranked
from rankagg.core.exact_sum import exact_mean
from rankagg.core.items import ItemSet, counted
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.score_checks import as_directions, as_task_weights
from rankagg.core.scores import ScoreTable
from rankagg.core.summed_votes import votes_of
from rankagg.core.task_tally import TaskTally
from rankagg.core.value import Value
from rankagg.exceptions import DataFormatError, Described, InvalidInputError, ItemMismatchError

__all__ = ["ScoreSummary"]

SCHEMA, VERSION = "rankagg.score_summary", 1


class ScoreSummary(Value):
    """Sums over the scores of systems on the instances of tasks, without the scores.

    Made by `ScoreScan.summarize`, or `from_scores`. It goes wherever data go: means, Borda's rule
    on one level or two, all rules on votes, exact Kemeny, `compare`, Hoeffding and Bernstein
    intervals. What follows is the same to the last bit as from the scores themselves. What needs
    single rankings raises `InformationLostError`.

    Summaries of two parts of the data add up with `+`; that an instance is in one part only is
    yours to know.

    Parameters
    ----------
    systems : ItemSet
        The systems.
    tallies : mapping from task to TaskTally
        What the scores of each task add up to.
    higher_is_better : bool or mapping from task to bool
        The direction that they were counted with.
    task_weights : mapping from task to float, optional
        Weights from 1e-100 to 1e100; tasks not named weigh 1.

    Attributes
    ----------
    systems : ItemSet
        The systems.
    tasks : ItemSet
        The tasks, in the order in which they first occur. The order is no part of the value.

    Notes
    -----
    A task takes 16 bytes for each two systems, and 16 more for each number of systems, other than
    all of them, that are there together on some instance.

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

    systems: ItemSet
    tasks: ItemSet
    _tallies: dict[Label, TaskTally]
    _directions: dict[Label, bool]
    _weights: dict[Label, float]

    def __init__(
        self,
        systems: ItemSet,
        tallies: Mapping[Label, TaskTally],
        *,
        higher_is_better: bool | Mapping[Label, bool],
        task_weights: Mapping[Label, float] | None = None,
    ) -> None:
        if not tallies:
            raise InvalidInputError("tallies", "those of one task at least", dict(tallies))
        tasks = ItemSet(tallies)
        for task, tally in tallies.items():
            if len(tally) != len(systems) or not tally.n_units:
                allowed = f"of {counted(len(systems), 'system')}, with a score"
                raise InvalidInputError("tallies", allowed, Described(f"those of {task!r}"))
        weights = as_task_weights(task_weights, tasks)
        as_weights(list(weights.values()), len(tasks), "task_weights")  # as for rankings
        self._set(
            systems=systems,
            tasks=tasks,
            _tallies=dict(tallies),
            _directions=as_directions(higher_is_better, tasks),
            _weights=weights,
        )

    @classmethod
    def from_scores(cls, table: ScoreTable) -> Self:
        """Add up the scores of a table.

        Parameters
        ----------
        table : ScoreTable
            The scores; units without any are counted in `n_empty` and left out.

        Returns
        -------
        ScoreSummary
        """
        if not isinstance(table, ScoreTable):
            raise InvalidInputError("table", "a ScoreTable", table)
        tallies = {}
        for number, task in enumerate(table.tasks):
            scores = np.ascontiguousarray(table.values[:, table.unit_tasks == number])
            tallies[task] = TaskTally.of(scores, higher_is_better=table.higher_is_better[task])
        return cls(
            table.systems,
            tallies,
            higher_is_better=table.higher_is_better,
            task_weights=table.task_weights,
        )

    def _key(self) -> tuple[Hashable, ...]:
        tasks = sorted(self.tasks, key=_sortable)
        return self.systems, tuple(
            (task, self._directions[task], self._weights[task], self._tallies[task])
            for task in tasks
        )

    # -- shape --------------------------------------------------------------------------------

    @property
    def higher_is_better(self) -> Mapping[Label, bool]:
        """The direction of each task."""
        return MappingProxyType(self._directions)

    @property
    def task_weights(self) -> Mapping[Label, float]:
        """The weight of each task."""
        return MappingProxyType(self._weights)

    @property
    def weight_vector(self) -> Floats:
        """The weights of the tasks in order, shape (n_tasks,)."""
        return np.array([self._weights[task] for task in self.tasks])

    @property
    def tallies(self) -> Mapping[Label, TaskTally]:
        """What the scores of each task add up to."""
        return MappingProxyType(self._tallies)

    @property
    def n_systems(self) -> int:
        """The number of systems."""
        return len(self.systems)

    @property
    def n_tasks(self) -> int:
        """The number of tasks."""
        return len(self.tasks)

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
        columns = []
        for task, tally in self._tallies.items():
            sign = -1 if signed and not self._directions[task] else 1
            observed = tally.observed.tolist()
            pairs = zip(tally.sums, observed, strict=True)
            columns.append([exact_mean(sign * total, count) for total, count in pairs])
        return np.array(columns, dtype=np.float64).T

    def by_task(self) -> dict[Label, ScoreSummary]:
        """Return the summary of each task.

        Returns
        -------
        dict
            From task to ScoreSummary.
        """
        return {
            task: ScoreSummary(
                self.systems,
                {task: tally},
                higher_is_better=self._directions[task],
                task_weights={task: self._weights[task]},
            )
            for task, tally in self._tallies.items()
        }

    def with_task_weights(self, task_weights: Mapping[Label, float]) -> ScoreSummary:
        """Return the summary with other task weights; tasks not named weigh 1."""
        return ScoreSummary(
            self.systems,
            self._tallies,
            higher_is_better=self._directions,
            task_weights=task_weights,
        )

    # -- sums ---------------------------------------------------------------------------------

    def __add__(self, other: object) -> ScoreSummary:
        if not isinstance(other, ScoreSummary):
            return NotImplemented
        if set(self.systems) != set(other.systems):
            raise ItemMismatchError(
                "Added summaries must be of the same systems; only one has "
                f"{sorted(set(self.systems) ^ set(other.systems), key=_sortable)}."
            )
        for what, mine, theirs in (
            ("higher_is_better", self._directions, other._directions),
            ("task_weights", self._weights, other._weights),
        ):
            for task in mine:
                if theirs.get(task, mine[task]) != mine[task]:
                    raise InvalidInputError(
                        what, f"{mine[task]!r} for {task!r}, as in the other summary", theirs[task]
                    )
        tallies = dict(self._tallies)
        positions = np.array(other.systems.indices(self.systems.labels), dtype=np.int64)
        is_same = bool((positions == np.arange(len(positions))).all())
        for task, tally in other._tallies.items():
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
            "version": VERSION,
            "systems": list(self.systems),
            "tasks": [
                {
                    "task": task,
                    "higher_is_better": self._directions[task],
                    "weight": self._weights[task],
                    "tally": tally.to_dict(),
                }
                for task, tally in self._tallies.items()
            ],
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
        if not isinstance(content, Mapping) or content.get("schema") != SCHEMA:
            raise DataFormatError(f"the plain data are not of the schema {SCHEMA!r}.")
        if content.get("version") != VERSION:
            found = content.get("version")
            raise DataFormatError(f"{SCHEMA}: version {found!r} is not known; {VERSION} is.")
        try:
            parts = content["tasks"]
            if len({part["task"] for part in parts}) < len(parts):
                raise ValueError("a task stands there twice")
            return cls(
                ItemSet(content["systems"]),
                {part["task"]: TaskTally.from_dict(part["tally"]) for part in parts},
                higher_is_better={part["task"]: part["higher_is_better"] for part in parts},
                task_weights={part["task"]: part["weight"] for part in parts},
            )
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            raise DataFormatError(f"{SCHEMA}: not what a summary holds ({error}).") from None

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of systems, directions and sums, as 64 hexadecimal digits.

        The same for the same scores, however they were cut, ordered and stored; weights are no
        part of it.
        """
        order = sorted(range(self.n_systems), key=lambda i: _sortable(self.systems[i]))
        positions = np.array(order, dtype=np.int64)
        digest = sha256(f"{SCHEMA} {VERSION}\n".encode())
        digest.update(json.dumps([self.systems[i] for i in order]).encode())
        for task in sorted(self.tasks, key=_sortable):
            tally = self._tallies[task].reordered(positions).to_dict()
            content = [task, self._directions[task], tally]
            digest.update(f"\n{json.dumps(content)}".encode())
        return digest.hexdigest()

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
        return self.to_frame().to_html(na_rep="", escape=True, max_rows=20, max_cols=20)


def _sortable(label: Label) -> tuple[bool, Label]:
    return isinstance(label, str), label
