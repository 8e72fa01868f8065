"""What scores of systems on tasks have, whether they are held or added up."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from rankagg._typing import Floats, Label
from rankagg.core.items import ItemSet
from rankagg.core.value import Value

__all__ = ["ScoredTasks"]


class ScoredTasks(Value):
    """Systems and tasks, each task with a direction and a weight."""

    systems: ItemSet
    tasks: ItemSet
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

    @property
    def n_systems(self) -> int:
        """The number of systems."""
        return len(self.systems)

    @property
    def n_tasks(self) -> int:
        """The number of tasks."""
        return len(self.tasks)
