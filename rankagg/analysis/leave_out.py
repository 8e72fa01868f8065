"""Aggregating data again without some of their tasks or systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Label, Ranks
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.result import Consensus
from rankagg.core.profile import Profile
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import InvalidInputError

__all__ = ["Over", "Source"]

Over = Literal["tasks", "systems"]


@dataclass(frozen=True, eq=False)
class Source:
    """Data that can be aggregated without some of their tasks or systems.

    Attributes
    ----------
    data : ScoreTable or Profile
        All of them.
    rule : Aggregator
        What aggregates.
    tolerance : float or mapping from task to float
        Scores that differ by no more are tied.
    over : {"tasks", "systems"}
        What may be left out.
    """

    data: ScoreTable | Profile
    rule: Aggregator
    tolerance: float | Mapping[Label, float]
    over: Over

    def __post_init__(self) -> None:
        if not isinstance(self.data, ScoreTable | Profile):
            raise InvalidInputError("data", "a ScoreTable or a Profile", self.data)

    @property
    def items(self) -> Any:
        """The systems."""
        return self.data.systems if isinstance(self.data, ScoreTable) else self.data.items

    @property
    def units(self) -> tuple[Label, ...]:
        """What may be left out."""
        if self.over == "systems":
            return tuple(self.items)
        if isinstance(self.data, ScoreTable):
            return tuple(self.data.tasks)
        if self.data.groups is None:
            return tuple(range(len(self.data)))
        return tuple(dict.fromkeys(self.data.groups))

    def consensus(self, kept: NDArray[np.intp]) -> Consensus:
        """Aggregate what is kept."""
        return self.rule._run(self._part(set(kept.tolist())))

    def ranks(self, kept: NDArray[np.intp]) -> tuple[Ranks, bool]:
        """Return the places of all systems, and whether the rule proved what it had to.

        Systems that were left out are unranked.
        """
        consensus = self.consensus(kept)
        if consensus.interrupted:
            raise KeyboardInterrupt  # it stops the whole analysis, not one part of it
        ranking = consensus.ranking
        ranks = ranking.reindex(self.items).ranks if self.over == "systems" else ranking.ranks
        return ranks, consensus.is_proved is not False

    def _part(self, kept: set[int]) -> Evidence:
        gone = [unit for k, unit in enumerate(self.units) if k not in kept]
        if not gone:
            return Evidence(self.data, self.tolerance)
        if isinstance(self.data, ScoreTable):
            return self._part_of_table(self.data, gone)
        if self.over == "systems":
            left = [item for item in self.data.items if item not in gone]
            return Evidence(self.data.restrict(left))
        groups = range(len(self.data)) if self.data.groups is None else self.data.groups
        rows = [row for row, group in enumerate(groups) if group not in gone]
        return Evidence(self.data[np.array(rows)])

    def _part_of_table(self, table: ScoreTable, gone: list[Label]) -> Evidence:
        if self.over == "tasks":
            part = table.drop(tasks=gone)
        else:
            # A task that only systems left out were scored on says nothing of the others.
            left = [k for k, system in enumerate(table.systems) if system not in gone]
            seen = {int(t) for t in table.unit_tasks[~table.missing[left].all(axis=0)]}
            empty = [task for k, task in enumerate(table.tasks) if k not in seen]
            part = table.drop(systems=gone, tasks=empty)
        if not isinstance(self.tolerance, Mapping):
            return Evidence(part, self.tolerance)
        return Evidence(part, {t: step for t, step in self.tolerance.items() if t in part.tasks})
