"""Systems and scored tasks: the base class of score tables and summaries."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Self

import numpy as np

from rankagg._typing import Floats, Label, TaskWeights, Unranked
from rankagg._validation import check_unranked
from rankagg.core.exact_sum import restored
from rankagg.core.items import ItemSet
from rankagg.core.labels import as_task_weights
from rankagg.core.value import Value


class ScoredTasks(Value):
    """Systems and tasks, each task with a direction and a weight."""

    systems: ItemSet
    tasks: ItemSet
    unranked: Unranked
    _directions: dict[Label, bool]
    _weights: dict[Label, float]

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

    def with_unranked(self, unranked: Unranked) -> Self:
        """Return the scores with another policy for missing ones.

        Parameters
        ----------
        unranked : {"uniform", "ignore", "last"}
            Policy for systems without a score on a task or an instance; see `Profile`.
        """
        return self._with(unranked=check_unranked(unranked))

    def with_task_weights(self, task_weights: TaskWeights) -> Self:
        """Return the scores with other task weights; tasks not named weigh 1.

        Parameters
        ----------
        task_weights : mapping or Series from task to float
            Weights from 1e-100 to 1e100.
        """
        return self._with(_weights=as_task_weights(task_weights, self.tasks))

    @abstractmethod
    def scaled_means(self, signed: bool) -> tuple[Floats, Floats, int]:
        """Return the means of tasks times a power of two, so that none is out of range.

        Also return the means of the absolute scores, times the same power, and its exponent.

        Parameters
        ----------
        signed : bool
            As for `task_scores`.
        """

    def task_scores(self, *, signed: bool = False) -> Floats:
        """Average the instances of each task that are present, shape (n_systems, n_tasks).

        NaN without any. Sums are rounded once, so that the order of instances changes no bit.

        Parameters
        ----------
        signed : bool, default False
            Negate tasks where lower is better, so that higher is better throughout.
        """
        means, _, shift = self.scaled_means(signed)
        return restored(means, shift)

    @property
    def n_systems(self) -> int:
        """The number of systems."""
        return len(self.systems)

    @property
    def n_tasks(self) -> int:
        """The number of tasks."""
        return len(self.tasks)
