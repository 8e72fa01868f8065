"""Instances of a real table drawn anew: a population whose proportions are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._validation import check_integer
from rankagg.core.scores.table import ScoreTable
from rankagg.exceptions import InvalidInputError
from rankagg.inference.intervals.pairwise import PairwiseIntervals
from rankagg.inference.units import Unit
from rankagg.studies.scores.score_models import ScoreModel
from rankagg.studies.scores.table_digest import table_digest

__all__ = ["ResampledTableModel"]


@dataclass(frozen=True, kw_only=True)
class ResampledTableModel(ScoreModel):
    """Instances of a table drawn with replacement, each with all of its scores.

    The table is taken for the whole population, so that the true proportions are known. Without
    instances, tasks are drawn.

    Parameters
    ----------
    label : str
        What to call it in tables.
    table : ScoreTable
        The scores. The same instance of several tasks, such as metrics, is drawn as one.
    n_instances : int or None, optional
        How many are drawn; as many as the table has by default.

    Attributes
    ----------
    digest : str
        Tells tables apart that have the same label.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.datasets.load("superglue_human")
    >>> model = ra.ResampledTableModel(label="SuperGLUE", table=table, n_instances=50)
    >>> model.draw(rng=0)
    <ScoreTable of 6 systems x 50 tasks, 0 of 300 scores missing>
    """

    label: str
    table: ScoreTable = field(repr=False)
    n_instances: int | None = None
    digest: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        owner = "of ResampledTableModel"
        if not isinstance(self.label, str):
            raise InvalidInputError(f"label {owner}", "a text", self.label)
        if not isinstance(self.table, ScoreTable):
            raise InvalidInputError(
                f"table {owner}", "a ScoreTable", self.table, "`read_scores` makes one."
            )
        if self.n_instances is not None:
            check_integer(self.n_instances, f"n_instances {owner}", low=1)
        object.__setattr__(self, "digest", table_digest(self.table))

    @property
    def name(self) -> str:
        """The label, with the number of instances where it is not that of the table."""
        noun = "tasks" if self.table.instances is None else "instances"
        return self.label + (f", {self.n_instances} {noun}" if self.n_instances else "")

    @property
    def identity(self) -> str:
        """The name and the digest."""
        return f"{self.name}, drawn from {self.digest}"

    def _draw(self, rng: np.random.Generator) -> ScoreTable:
        table = self.table
        groups = self._columns()
        chosen = rng.integers(len(groups), size=self.n_instances or len(groups))
        drawn = [groups[number] for number in chosen.tolist()]
        columns = np.concatenate(drawn)
        number = np.repeat(np.arange(len(drawn)), [len(group) for group in drawn]).tolist()
        if table.instances is None:
            weights = [
                table.task_weights[table.tasks[t]] for t in table.unit_tasks[columns].tolist()
            ]
            return ScoreTable(
                (table.values * table.signs)[:, columns], systems=table.systems, tasks=number,
                higher_is_better=True, task_weights=dict(zip(number, weights, strict=True)),
            )  # fmt: skip
        tasks = [table.tasks[t] for t in table.unit_tasks[columns].tolist()]
        kept = dict.fromkeys(tasks)
        return ScoreTable(
            table.values[:, columns], systems=table.systems, tasks=tasks, instances=number,
            higher_is_better={task: table.higher_is_better[task] for task in kept},
            task_weights={task: table.task_weights[task] for task in kept},
        )  # fmt: skip

    def _columns(self) -> list[NDArray[np.intp]]:
        """Return the columns of each instance, or each column where there is none."""
        instances = self.table.instances
        if instances is None:
            return list(np.arange(self.table.values.shape[1])[:, None])
        codes, _ = pd.factorize(np.array(list(instances), dtype=object))
        order = np.argsort(codes, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)

    def true_proportions(
        self, *, unit: Unit = "ranking", ties: Literal["half", "exclude"] = "half"
    ) -> pd.DataFrame | None:
        """Return the proportions in the table; 1/2 where it compares nothing.

        Parameters
        ----------
        unit : {"ranking", "instance", "task"}, default "ranking"
            What a proportion is of, as for `PairwiseIntervals.from_data`.
        ties : {"half", "exclude"}, default "half"
            What a tie counts.

        Returns
        -------
        DataFrame
        """
        intervals = PairwiseIntervals.from_data(
            self.table, unit=unit, ties=ties, method="wilson" if ties == "exclude" else "hoeffding"
        )
        shares = np.where(np.isnan(intervals.estimate), 0.5, intervals.estimate)
        labels = list(intervals.items)
        return pd.DataFrame(shares, index=labels, columns=labels)
