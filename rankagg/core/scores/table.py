"""Tables of scores: systems x units, a unit being one task or one instance of a task."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Literal, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Bools, Directions, Floats, Label, Ranks, TaskWeights, Tolerance
from rankagg._validation import as_matrix, check_choice, check_integer
from rankagg.core.arithmetic.exact_sum import mean_by_group, restored, scaled
from rankagg.core.items import ItemSet, counted, label_column
from rankagg.core.pandas_labels import axis_labels
from rankagg.core.profiles.profile import Profile
from rankagg.core.rankings import places
from rankagg.core.results.pasted import Decimals, Direction, Look, Pastable, Pasted, pasted
from rankagg.core.scores import changes
from rankagg.core.scores.changes import count_near_ties, describe_scores
from rankagg.core.scores.checks import (
    as_directions,
    as_task_weights,
    as_tolerance,
    check_axis,
    check_units,
    unit_labels,
)
from rankagg.core.scores.scored_tasks import ScoredTasks
from rankagg.core.value import array_key, frozen_array
from rankagg.exceptions import Described, InvalidInputError, visible

__all__ = ["ScoreTable"]


class ScoreTable(Pastable, ScoredTasks):
    """Scores of systems on tasks, or on the instances of tasks; cells may be missing.

    One column is one *unit*: a task, or one instance of a task. Tasks may have different numbers
    of instances. Every task has a direction, which the caller states, and a weight.

    Parameters
    ----------
    values : DataFrame or array_like of float, shape (n_systems, n_units)
        Finite scores, NaN where missing. The index of a DataFrame names the systems, its columns
        the tasks; two levels of columns are task and instance, as `to_frame` gives them.
    higher_is_better : bool, mapping or Series from task to bool
        Which direction is better, for all tasks or for each; there is no default.
    systems : iterable of str or int, optional
        The systems of the rows; those of a DataFrame, or else 0, 1, ... by default.
    tasks : sequence of str or int, length n_units, optional
        The task of each column; a task that occurs twice has instances. Default: those
        of a DataFrame, or else 0, 1, ...
    instances : sequence of str or int, length n_units, optional
        The instance of each column; None where the columns are whole tasks.
    task_weights : mapping or Series from task to float, optional
        Weights from 1e-100 to 1e100, for all tasks or for some (the others weigh 1). A Series, here
        and for directions and tolerances, is aligned by its index, which names every task.

    Attributes
    ----------
    systems : ItemSet
        The systems, in the order of the rows.
    tasks : ItemSet
        The tasks, in the order of their first columns.
    values : ndarray of float64, shape (n_systems, n_units)
        The scores as given.
    unit_tasks : ndarray of int64, shape (n_units,)
        Position of each column's task in `tasks`.
    instances : tuple or None
        The instance of each column.

    Examples
    --------
    >>> from rankagg import ScoreTable
    >>> table = ScoreTable([[.9, .5], [.8, .7]], systems="AB", tasks=["x", "y"],
    ...                    higher_is_better={"x": True, "y": False})
    >>> table
    <ScoreTable of 2 systems x 2 tasks, 0 of 4 scores missing>
    >>> table.rankings()[1]
    <Permutation A > B>
    >>> ScoreTable(table.to_frame(), higher_is_better=dict(table.higher_is_better)) == table
    True
    """

    values: Floats
    unit_tasks: NDArray[np.int64]
    instances: tuple[Label, ...] | None

    def __init__(
        self,
        values: ArrayLike,
        *,
        higher_is_better: Directions,
        systems: Iterable[Label] | None = None,
        tasks: Sequence[Label] | None = None,
        instances: Sequence[Label] | None = None,
        task_weights: TaskWeights | None = None,
    ) -> None:
        # Labels first: where they are no labels, numbers are none either.
        rows_of = axis_labels(values, 0, systems, "systems")
        tasks_of, instances_of = unit_labels(values, tasks, instances, rows_of)
        scores = as_matrix(values, "values", nan=True) + 0.0  # one zero, not two
        rows, columns = scores.shape
        if rows == 0 or columns == 0:
            allowed = "a table with at least one system and one task"
            raise InvalidInputError("values", allowed, Described(f"shape {scores.shape}"))
        names = ItemSet(range(rows) if rows_of is None else rows_of)
        check_axis(names, rows, "systems", "row")
        unit_names = label_column(range(columns) if tasks_of is None else tasks_of, "tasks")
        check_axis(unit_names, columns, "tasks", "column")
        task_set = ItemSet(dict.fromkeys(unit_names))
        unit_instances = None if instances_of is None else label_column(instances_of, "instances")
        if unit_instances is not None:
            check_axis(unit_instances, columns, "instances", "column")
        check_units(unit_names, unit_instances)
        unit_tasks = np.array(task_set.indices(unit_names), dtype=np.int64)
        self._set(
            systems=names,
            tasks=task_set,
            values=frozen_array(scores),
            unit_tasks=frozen_array(unit_tasks),
            instances=unit_instances,
            _directions=as_directions(higher_is_better, task_set),
            _weights=as_task_weights(task_weights, task_set),
        )
        self._check_tasks_scored()

    def _check_tasks_scored(self) -> None:
        scored = np.zeros(self.n_tasks, dtype=np.bool_)
        scored[self.unit_tasks[~np.isnan(self.values).all(axis=0)]] = True
        if not scored.all():
            raise InvalidInputError(
                "values", "a table in which every task has a score",
                self.tasks[int(np.argmin(scored))],
                "All cells of this task are missing: leave it out.",
            )  # fmt: skip

    def _key(self) -> tuple[Hashable, ...]:
        return (
            self.systems,
            self.tasks,
            self.instances,
            array_key(self.unit_tasks),
            array_key(self.values),
            tuple(self._directions.items()),
            tuple(self._weights.items()),
        )

    # -- shape --------------------------------------------------------------------------------

    @property
    def n_units(self) -> int:
        """The number of columns: tasks, or instances of all tasks together."""
        return len(self.unit_tasks)

    @property
    def is_instance_level(self) -> bool:
        """True where columns are instances of tasks."""
        return self.instances is not None

    @cached_property
    def missing(self) -> Bools:
        """True where a score is missing, shape (n_systems, n_units)."""
        return cast(Bools, frozen_array(np.isnan(self.values)))

    @property
    def n_missing(self) -> int:
        """The number of missing scores."""
        return int(self.missing.sum())

    @cached_property
    def signs(self) -> Floats:
        """+1 for a column where higher is better, -1 otherwise, shape (n_units,)."""
        signs = np.array([1.0 if self.higher_is_better[task] else -1.0 for task in self.tasks])
        return cast(Floats, frozen_array(signs[self.unit_tasks]))

    # -- the way down -------------------------------------------------------------------------

    def rankings(self, tolerance: Tolerance = 0.0) -> Profile:
        """Rank the systems on every unit by its scores.

        Parameters
        ----------
        tolerance : float, mapping or Series from task to float, default 0
            Two scores next to each other in sorted order are tied where they differ by no more;
            tasks that a mapping does not name get 0. `near_ties` counts what floating-point
            noise may have broken.

        Returns
        -------
        Profile
            One ranking a unit, its group the task and its weight the task's weight; systems
            without a score are unranked.
        """
        return Profile._trusted(
            self.systems,
            self._places(self._tolerances(tolerance)),
            weights=self.weight_vector[self.unit_tasks],
            groups=[self.tasks.labels[t] for t in self.unit_tasks.tolist()],
        )

    def _places(self, tolerances: Floats) -> Ranks:
        ascending = -(self.values * self.signs).T
        return places.competition_ranks(ascending, tolerances[self.unit_tasks, None])

    def _tolerances(self, tolerance: Tolerance) -> Floats:
        steps = as_tolerance(tolerance, self.tasks)
        if not isinstance(steps, Mapping):
            return np.full(self.n_tasks, steps)
        return np.array([steps.get(task, 0.0) for task in self.tasks])

    def task_scores(self, *, signed: bool = False) -> Floats:
        """Average the instances of each task.

        Parameters
        ----------
        signed : bool, default False
            Negate tasks where lower is better, so that higher is better throughout.

        Returns
        -------
        ndarray of float, shape (n_systems, n_tasks)
            Means over the instances that are present; NaN where none is. Sums are rounded once, so
            that the order of the instances changes no bit.
        """
        means, _, shift = self._task_means(signed)
        return restored(means, shift)

    def _task_means(self, signed: bool) -> tuple[Floats, Floats, int]:
        """Return means, those of the scores without their signs, and by which 2**shift both are."""
        values, shift = scaled(self.values)
        averaged = partial(
            mean_by_group, present=~self.missing, groups=self.unit_tasks, n_groups=self.n_tasks
        )
        means = averaged(values * self.signs + 0.0 if signed else values)  # one zero, not two
        mixed = self.is_instance_level and bool((values < 0).any())
        return means, averaged(np.abs(values)) if mixed else np.abs(means), shift

    # -- other tables -------------------------------------------------------------------------

    def drop(self, *, tasks: Iterable[Label] = (), systems: Iterable[Label] = ()) -> ScoreTable:
        """Return the table without some tasks and systems.

        Parameters
        ----------
        tasks, systems : iterable of str or int
            Labels to leave out.

        Returns
        -------
        ScoreTable
        """
        return ScoreTable(**changes.without(self, list(tasks), list(systems)))

    def group_tasks(self, groups: Mapping[Label, Sequence[Label]]) -> ScoreTable:
        """Average sub-metrics (or languages) into tasks before anything is compared.

        Parameters
        ----------
        groups : mapping from str or int to sequence of tasks
            New task -> the tasks that are averaged into it, all of one direction. Tasks in no
            group stay. The weight of a new task is 1.

        Returns
        -------
        ScoreTable
            A cell is missing where one of its members is: means over different members would not
            be comparable. At instance level, members are averaged instance by instance.

        Examples
        --------
        >>> from rankagg import ScoreTable
        >>> table = ScoreTable([[90., 80., 70.]], systems=["A"], tasks=["m", "mm", "rte"],
        ...                    higher_is_better=True)
        >>> table.group_tasks({"mnli": ["m", "mm"]}).to_frame()
           mnli   rte
        A  85.0  70.0
        """
        return ScoreTable(**changes.grouped(self, groups))

    def relative_to(self, system: Label) -> ScoreTable:
        """Divide every score by that of a reference system on the same unit.

        Parameters
        ----------
        system : str or int
            The reference; its own scores become 1.

        Returns
        -------
        ScoreTable

        Raises
        ------
        InvalidInputError
            If the reference has a missing or non-positive score; the message names the task.
        """
        return self._with(values=changes.ratios_to(self, system))

    def with_task_weights(self, task_weights: TaskWeights) -> ScoreTable:
        """Return the table with other task weights; tasks not named weigh 1.

        Parameters
        ----------
        task_weights : mapping or Series from task to float
            Weights from 1e-100 to 1e100.

        Returns
        -------
        ScoreTable
        """
        return self._with(task_weights=task_weights)

    def _with(
        self, *, values: Floats | None = None, task_weights: TaskWeights | None = None
    ) -> ScoreTable:
        return ScoreTable(
            self.values if values is None else values,
            systems=self.systems,
            tasks=[self.tasks[int(t)] for t in self.unit_tasks],
            instances=self.instances,
            higher_is_better=self.higher_is_better,
            task_weights=self.task_weights if task_weights is None else task_weights,
        )

    # -- descriptions -------------------------------------------------------------------------

    def describe(self, by: Literal["system", "task", "cell"] = "system") -> pd.DataFrame:
        """Summarize the scores that are present.

        Parameters
        ----------
        by : {"system", "task", "cell"}, default "system"
            One row per system, per task, or per system and task.

        Returns
        -------
        pandas.DataFrame
            Columns count, missing, mean, sum, variance and std (both with n - 1); infinite where
            the number is larger than any float.
        """
        check_choice(by, ("system", "task", "cell"), "by")
        return describe_scores(self.values, self.systems, self._unit_labels, by)

    def near_ties(self, digits: int = 7) -> int:
        """Count pairs of scores that differ, but not within `digits` significant digits.

        Such differences are usually floating-point noise that breaks a real tie; a `tolerance`
        in `rankings` mends it.

        Parameters
        ----------
        digits : int, default 7
            Significant digits that count, 1 to 15.

        Returns
        -------
        int
            Pairs of systems, summed over units.
        """
        return count_near_ties(self.values, check_integer(digits, "digits", low=1, high=15))

    @property
    def _unit_labels(self) -> list[Label]:
        return [self.tasks[t] for t in self.unit_tasks.tolist()]

    def to_frame(self) -> pd.DataFrame:
        """Return the scores as a DataFrame: systems x tasks, or x (task, instance)."""
        labels = [self.tasks[int(t)] for t in self.unit_tasks]
        columns = (
            pd.Index(labels)
            if self.instances is None
            else pd.MultiIndex.from_arrays([labels, self.instances], names=["task", "instance"])
        )
        return pd.DataFrame(self.values, index=list(self.systems.labels), columns=columns)

    def _pasted(self, decimals: Decimals | None, best: bool, rows: int | None) -> Pasted:
        index = pd.Index(list(self.systems.labels), name="system")
        frame = pd.DataFrame(self.task_scores(), index=index, columns=pd.Index(list(self.tasks)))
        ways: Mapping[Label, Direction] = {
            task: "highest" if up else "lowest" for task, up in self.higher_is_better.items()
        }
        look = Look("{:z.4g}", {}, ways, {})
        return pasted(frame, look, decimals=decimals, best=best, rows=rows)

    def __repr__(self) -> str:
        units = f", {counted(self.n_units, 'instance')}" if self.is_instance_level else ""
        return (
            f"<ScoreTable of {counted(self.n_systems, 'system')} x "
            f"{counted(self.n_tasks, 'task')}{units}, "
            f"{self.n_missing} of {counted(self.values.size, 'score')} missing>"
        )

    def _repr_html_(self) -> str:
        return visible(self.to_frame().to_html(na_rep="", escape=True, max_rows=20, max_cols=20))
