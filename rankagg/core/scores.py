"""Tables of scores: systems x units, a unit being one task or one instance of a task."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from types import MappingProxyType
from typing import ClassVar, Literal, Self, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rankagg._typing import (
    Bools,
    Directions,
    Floats,
    Integers64,
    Label,
    Positions,
    TaskFamilies,
    TaskWeights,
    Tolerance,
)
from rankagg._validation import as_frame, as_matrix, check_choice
from rankagg.core import places
from rankagg.core.comparisons import Comparisons
from rankagg.core.exact_sum import mean_by_group, scaled, sum_by_group, weighted_mean
from rankagg.core.items import ItemSet, counted, label_column
from rankagg.core.labels import (
    as_directions,
    as_task_families,
    as_task_weights,
    as_tolerance,
    axis_labels,
    unit_labels,
)
from rankagg.core.profile import Profile, canonical_profile, label_numbers
from rankagg.core.results import Direction, Pastable
from rankagg.core.scored_tasks import ScoredTasks
from rankagg.core.value import array_key, frozen_array
from rankagg.exceptions import Described, InvalidInputError, visible

#: Scores that agree in this many digits differ by rounding only.
NEAR_DIGITS = 7


def _check_axis(labels: Sequence[Label] | ItemSet, size: int, parameter: str, what: str) -> None:
    if len(labels) != size:
        allowed = f"one label per {what} ({size} of them)"
        raise InvalidInputError(parameter, allowed, Described(counted(len(labels), "label")))


def family_numbers(table: ScoreTable) -> Positions:
    """Return the number of the family of each task; a task without one is a family by itself."""
    families = table.task_families
    # A family and another task may have the same name.
    return label_numbers((task in families, families.get(task, task)) for task in table.tasks)


def _tied_pairs(values: Floats) -> int:
    ranks = places.competition_ranks(values)
    scored = ranks >= 0
    # In a bucket of s items the mean rank exceeds the best by (s - 1)/2; s items add s(s - 1)/2.
    return round(float((places.mid_ranks(ranks)[scored] - ranks[scored]).sum()))


class ScoreTable(Pastable, ScoredTasks):
    """Scores of systems on tasks, or on the instances of tasks; cells may be missing.

    One column is one *unit*: a task, or one instance of a task. Tasks may have different numbers
    of instances. Every task has a direction, which the caller states, and a weight.

    Parameters
    ----------
    values : DataFrame or array_like of float, shape (n_systems, n_units)
        Finite scores, NaN where missing. The index of a DataFrame names the systems, its columns
        the tasks; two levels of columns are task and instance, as `to_frame` gives them. A frame of
        polars or Arrow, which has no index, names the systems in its first column.
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
    task_families : mapping or Series from task to str or int, optional
        Tasks that depend on each other, such as variants of one benchmark, have one family.
        Inference takes families, and tasks without one, as independent. Aggregation ignores them.

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
    unranked : {"uniform", "ignore", "last"}
        Policy for systems without a score on a unit; see `Profile.with_unranked`.

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
    unit_tasks: Integers64
    instances: tuple[Label, ...] | None
    _families: dict[Label, Label]

    _row: ClassVar[str] = "system"
    _number: ClassVar[str] = "{:z.4g}"

    def __init__(
        self,
        values: ArrayLike,
        *,
        higher_is_better: Directions,
        systems: Iterable[Label] | None = None,
        tasks: Sequence[Label] | None = None,
        instances: Sequence[Label] | None = None,
        task_weights: TaskWeights | None = None,
        task_families: TaskFamilies | None = None,
    ) -> None:
        values = as_frame(values)
        # Labels first: a wrong table is then reported by its labels.
        rows_of = axis_labels(values, 0, systems, "systems")
        tasks_of, instances_of = unit_labels(values, tasks, instances, rows_of)
        scores = as_matrix(values, "values", nan=True) + 0.0  # one zero, not two
        rows, columns = scores.shape
        if rows == 0 or columns == 0:
            allowed = "a table with at least one system and one task"
            raise InvalidInputError("values", allowed, Described(f"shape {scores.shape}"))
        names = ItemSet(range(rows) if rows_of is None else rows_of)
        _check_axis(names, rows, "systems", "row")
        unit_names = label_column(range(columns) if tasks_of is None else tasks_of, "tasks")
        _check_axis(unit_names, columns, "tasks", "column")
        task_set = ItemSet(dict.fromkeys(unit_names))
        unit_instances = None if instances_of is None else label_column(instances_of, "instances")
        if unit_instances is not None:
            _check_axis(unit_instances, columns, "instances", "column")
        units = list(zip(unit_names, unit_instances or unit_names, strict=True))
        if len(set(units)) < len(units):
            at = int(pd.Series(units).duplicated().argmax())
            remedy = "" if unit_instances else "Name columns of one task by `instances=`."
            unit = units[at] if unit_instances else unit_names[at]
            raise InvalidInputError("tasks", "distinct, or distinct with `instances`", unit, remedy)
        self._set(
            systems=names,
            tasks=task_set,
            values=frozen_array(scores),
            unit_tasks=frozen_array(np.array(task_set.indices(unit_names), dtype=np.int64)),
            instances=unit_instances,
            unranked="uniform",
            _directions=as_directions(higher_is_better, task_set),
            _weights=as_task_weights(task_weights, task_set),
            _families=as_task_families(task_families, task_set),
        )
        self._check_scored()

    def _check_scored(self) -> None:
        scored = self.tasks.at(self.unit_tasks[~np.isnan(self.values).all(axis=0)])
        if unscored := set(self.tasks) - set(scored):
            task = next(task for task in self.tasks if task in unscored)
            allowed = "a table in which every task has a score"
            remedy = "All cells of this task are missing: leave it out."
            raise InvalidInputError("values", allowed, task, remedy)

    def _key(self) -> tuple[Hashable, ...]:
        return (
            self.systems,
            self.tasks,
            self.instances,
            self.unranked,
            array_key(self.unit_tasks),
            array_key(self.values),
            tuple(self._directions.items()),
            tuple(self._weights.items()),
            tuple(self._families.items()),
        )

    @property
    def task_families(self) -> Mapping[Label, Label]:
        """The family of each task that has one."""
        return MappingProxyType(self._families)

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

    # -- rankings and comparisons -------------------------------------------------------------

    def rankings(self, tolerance: Tolerance = 0.0) -> Profile:
        """Rank the systems on every unit by its scores.

        The group of each ranking is its task, which also gives its weight. Systems without a score
        are unranked, by the policy of the table.

        Parameters
        ----------
        tolerance : float, mapping or Series from task to float, default 0
            Neighboring scores are tied if they differ by at most this much; tasks missing in a
            mapping have 0. `near_ties` counts the ties that floating-point noise may have broken.
        """
        steps = as_tolerance(tolerance, self.tasks)
        if not isinstance(steps, Mapping):
            steps = dict.fromkeys(self.tasks, steps)
        by_task = np.array([steps.get(task, 0.0) for task in self.tasks])
        ascending = -(self.values * self.signs).T
        ranked = canonical_profile(
            self.systems,
            places.competition_ranks(ascending, by_task[self.unit_tasks, None]),
            weights=self.weight_vector[self.unit_tasks],
            groups=self._unit_labels,
            clusters=family_numbers(self)[self.unit_tasks].tolist() if self._families else None,
        )
        return ranked.with_unranked(self.unranked)

    def comparisons(self, tolerance: Tolerance = 0.0) -> Comparisons:
        """Compare the systems in pairs on every unit that scores both.

        `BradleyTerry.fit` fits ratings of a table to these comparisons.

        Parameters
        ----------
        tolerance : float, mapping or Series from task to float, default 0
            As for `rankings`.

        Returns
        -------
        Comparisons
            One for each unit and pair. Its cluster is the family of the task, or the task, or, if
            there is a single task without a family, the instance. Its weight is that of the task.
            Pairs without both scores are left out, whatever the policy of the table.

        Examples
        --------
        >>> import rankagg as ra
        >>> scores = [[0.9, 0.5], [0.8, 0.5], [0.7, float("nan")]]
        >>> table = ra.ScoreTable(scores, systems="ABC", tasks="xy", higher_is_better=True)
        >>> table.comparisons().to_frame()
          first second outcome cluster
        0     A      B   first       x
        1     A      C   first       x
        2     B      C   first       x
        3     A      B     tie       y
        """
        rankings = self.rankings(tolerance)
        ranks, families = rankings.ranks, family_numbers(self).tolist()
        named = {k: self._families.get(t, t) for k, t in zip(families, self.tasks, strict=True)}
        # Numbers distinguish a family from another task with the same name.
        labels = list(named.values()) if len(set(named.values())) == len(named) else None
        codes = np.array(families)[self.unit_tasks]
        if self.n_tasks == 1 and self.instances is not None and not self._families:
            codes, labels = np.arange(self.n_units), list(self.instances)
        first, second = np.triu_indices(self.n_systems, k=1)
        unit, pair = np.nonzero((ranks[:, first] >= 0) & (ranks[:, second] >= 0))
        one, other = first[pair], second[pair]
        weights = rankings.weights
        return Comparisons(
            self.systems,
            one,
            other,
            np.sign(ranks[unit, other] - ranks[unit, one]),
            weights=None if (weights == 1).all() else weights[unit],
            clusters=codes[unit],
            cluster_labels=labels,
        )

    def scaled_means(self, signed: bool) -> tuple[Floats, Floats, int]:  # noqa: D102
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
        """
        left_out = [list(tasks), list(systems)]
        gone = set(self.tasks.indices(left_out[0], parameter="tasks", noun="task"))
        gone_systems = set(self.systems.indices(left_out[1], parameter="systems", noun="system"))
        rows = [i for i in range(self.n_systems) if i not in gone_systems]
        columns = [u for u, task in enumerate(self.unit_tasks.tolist()) if task not in gone]
        if not rows or not columns:
            kind, given = ("systems", left_out[1]) if not rows else ("tasks", left_out[0])
            raise InvalidInputError(kind, "only some of the table's labels", given)
        kept = [task for at, task in enumerate(self.tasks) if at not in gone]
        return ScoreTable(
            self.values[np.ix_(rows, columns)],
            systems=self.systems.at(rows),
            tasks=self.tasks.at(self.unit_tasks[columns]),
            instances=None if self.instances is None else [self.instances[u] for u in columns],
            higher_is_better={task: self._directions[task] for task in kept},
            task_weights={task: self._weights[task] for task in kept},
            task_families={task: self._families[task] for task in kept if task in self._families},
        ).with_unranked(self.unranked)

    def group_tasks(self, groups: Mapping[Label, Sequence[Label]]) -> ScoreTable:
        """Average sub-metrics or languages into tasks.

        A cell is missing if a score of one of its members is missing, as means over different
        members are not comparable. At instance level each instance is averaged.

        Parameters
        ----------
        groups : mapping from str or int to sequence of tasks
            New task -> the tasks to average, all of one direction. Other tasks are kept. The weight
            of a new task is 1, and its family that of the members that have one, which must be the
            same.

        Examples
        --------
        >>> from rankagg import ScoreTable
        >>> table = ScoreTable([[90., 80., 70.]], systems=["A"], tasks=["m", "mm", "rte"],
        ...                    higher_is_better=True)
        >>> table.group_tasks({"mnli": ["m", "mm"]}).to_frame()
           mnli   rte
        A  85.0  70.0
        """
        target = self._targets(groups)
        units: dict[tuple[Label, Label | None], list[int]] = {}
        for u, task in enumerate(self._unit_labels):
            instance = None if self.instances is None else self.instances[u]
            units.setdefault((target[task], instance), []).append(u)
        order = list(dict.fromkeys(target.values()))
        keys = sorted(units, key=lambda key: order.index(key[0]))
        first = {new: old for old, new in reversed(target.items())}
        means = np.full((self.n_systems, len(keys)), np.nan)
        for at, key in enumerate(keys):
            members = self.values[:, units[key]]
            known = ~np.isnan(members).any(axis=1)
            means[known, at] = weighted_mean(members[known], np.ones_like(members[known]))
        return ScoreTable(
            means,
            systems=self.systems,
            tasks=[task for task, _ in keys],
            instances=None if self.instances is None else [cast(Label, i) for _, i in keys],
            higher_is_better={task: self._directions[first[task]] for task in order},
            task_weights={task: 1.0 if task in groups else self._weights[task] for task in order},
            task_families={target[task]: family for task, family in self._families.items()},
        ).with_unranked(self.unranked)

    def _targets(self, groups: Mapping[Label, Sequence[Label]]) -> dict[Label, Label]:
        """Return the new task of every task."""
        target = {task: task for task in self.tasks}
        taken: set[Label] = set()
        for new, members in groups.items():
            self.tasks.indices(members, parameter="groups", noun="task")
            families = {self._families[task] for task in members if task in self._families}
            if len({self._directions[task] for task in members}) != 1 or len(families) > 1:
                allowed = "lists of one or more tasks of the same direction and at most one family"
                raise InvalidInputError("groups", allowed, list(members))
            if new in target and new not in members:
                allowed = "names that are no task outside their group"
                raise InvalidInputError("groups", allowed, new)
            for task in members:
                if task in taken:
                    raise InvalidInputError("groups", "lists that share no task", task)
                taken.add(task)
                target[task] = new
        return target

    def relative_to(self, system: Label) -> ScoreTable:
        """Divide every score by that of a reference system on the same unit.

        Parameters
        ----------
        system : str or int
            The reference, with a positive score on every unit; its own scores become 1.
        """
        (at,) = self.systems.indices([system], parameter="system", noun="system")
        reference = self.values[at]
        bad = ~(reference > 0)
        if bad.any():
            unit = int(np.argmax(bad))
            value = Described(f"{reference[unit]:g} on task {self._unit_labels[unit]!r}")
            allowed = "a system with a positive score on every unit"
            remedy = "Leave such tasks out with `.drop(tasks=...)`."
            raise InvalidInputError("system", allowed, value, remedy)
        with np.errstate(over="ignore"):
            ratios: Floats = self.values / reference
        if np.isinf(ratios).any():
            row, unit = np.argwhere(np.isinf(ratios))[0]
            score, task = self.values[row, unit], self._unit_labels[unit]
            value = Described(f"{reference[unit]:g} with {score:g} on {task!r}")
            allowed = "a system with scores whose ratios to others are floats"
            raise InvalidInputError("system", allowed, value)
        return self.with_values(ratios)

    def with_task_families(self, task_families: TaskFamilies) -> ScoreTable:
        """Return the table with other families of tasks.

        Parameters
        ----------
        task_families : mapping or Series from task to str or int
            See the class.
        """
        return self._with(_families=as_task_families(task_families, self.tasks))

    def with_values(self, values: ArrayLike) -> ScoreTable:
        """Return the table with other scores of the same systems on the same units.

        Parameters
        ----------
        values : array_like of float, shape (n_systems, n_units)
            See the class.
        """
        scores = as_matrix(values, "values", nan=True) + 0.0
        if scores.shape != self.values.shape:
            shape = Described(f"shape {scores.shape}")
            raise InvalidInputError("values", f"of shape {self.values.shape}", shape)
        return self._with(values=frozen_array(scores))

    def _with(self, **attributes: object) -> Self:
        table = super()._with(**attributes)
        table._check_scored()
        return table

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
        # Scores are divided by a power of two, so that squares of large ones do not overflow.
        shift = max(int(np.frexp(np.nanmax(np.abs(self.values)))[1]) - 400, 0)
        labels = np.array(self.systems.labels, dtype=object)
        units = np.array(self._unit_labels, dtype=object)
        columns = {"system": labels.repeat(self.n_units), "task": np.tile(units, self.n_systems)}
        long = pd.DataFrame({**columns, "score": np.ldexp(self.values, -shift).ravel()})
        grouped = long.groupby(["system", "task"] if by == "cell" else [by], sort=False)
        groups = np.asarray(grouped.ngroup(), dtype=np.int64)
        scores = grouped["score"]
        result = scores.agg(["count"])
        result.insert(1, "missing", scores.size() - result["count"])
        cells = self.values.reshape(1, -1)
        present = ~np.isnan(cells)
        result["mean"] = mean_by_group(cells, present, groups, len(result))[0]
        result["sum"] = sum_by_group(np.where(present, cells, 0.0), groups, len(result))[0]
        with np.errstate(over="ignore"):
            result["variance"] = np.ldexp(scores.var(), 2 * shift)
        result["std"] = np.ldexp(scores.std(), shift)
        return result

    def near_ties(self) -> int:
        """Count pairs of different scores of a unit that agree in seven significant digits.

        Such differences are usually floating-point noise that breaks a tie; a `tolerance` in
        `rankings` restores it.
        """
        distinct, where = np.unique(self.values, return_inverse=True)
        digits = np.array([float(f"{score:.{NEAR_DIGITS - 1}e}") for score in distinct.tolist()])
        return _tied_pairs(digits[where].reshape(self.values.shape).T) - _tied_pairs(self.values.T)

    @property
    def _unit_labels(self) -> list[Label]:
        return list(self.tasks.at(self.unit_tasks.tolist()))

    def to_frame(self) -> pd.DataFrame:
        """Return the scores as a DataFrame: systems x tasks, or x (task, instance)."""
        labels = self._unit_labels
        columns = (
            pd.Index(labels)
            if self.instances is None
            else pd.MultiIndex.from_arrays([labels, self.instances], names=["task", "instance"])
        )
        return pd.DataFrame(self.values, index=list(self.systems.labels), columns=columns)

    def _to_paste(self) -> pd.DataFrame:
        index = pd.Index(list(self.systems.labels), name="system")
        return pd.DataFrame(self.task_scores(), index=index, columns=pd.Index(list(self.tasks)))

    @property
    def _best(self) -> Mapping[Label, Direction]:  # type: ignore[override]
        return {task: "highest" if up else "lowest" for task, up in self.higher_is_better.items()}

    def __repr__(self) -> str:
        units = f", {counted(self.n_units, 'instance')}" if self.is_instance_level else ""
        return (
            f"<ScoreTable of {counted(self.n_systems, 'system')} x "
            f"{counted(self.n_tasks, 'task')}{units}, "
            f"{self.n_missing} of {counted(self.values.size, 'score')} missing>"
        )

    def _repr_html_(self) -> str:
        return visible(self.to_frame().to_html(na_rep="", escape=True, max_rows=20, max_cols=20))
