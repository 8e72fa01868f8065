"""Aggregating data again without some of their tasks or systems."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Label, Ranks
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.result import Consensus
from rankagg.core.places import UNRANKED
from rankagg.core.profile import Profile
from rankagg.core.scores import ScoreTable
from rankagg.core.value import Value, array_key
from rankagg.exceptions import InvalidInputError, OutOfTimeError

__all__ = ["Found", "Over", "Source"]

Over = Literal["tasks", "systems"]


@dataclass(frozen=True, eq=False)
class Found(Value):
    """What is known of the consensus of some of the units.

    Attributes
    ----------
    ranks : ndarray of int, shape (n,)
        The ranks of all systems; those that were left out are unranked.
    is_proved : bool
        False where an exact rule did not prove it in time.
    always : ndarray of bool, shape (n, n), or None
        Which system stands before which in every optimum of an exact rule; None for other rules,
        where nobody asked, or where that was not found in time.
    leaders : tuple of int
        The positions of those that stand first in some optimum, where `always` is known.
    """

    ranks: Ranks
    is_proved: bool
    always: Bools | None = None
    leaders: tuple[int, ...] = ()

    @classmethod
    def nothing(cls, n: int) -> Found:
        """Return what is known where there was no time at all."""
        return cls(np.full(n, UNRANKED, dtype=np.intp), is_proved=False)

    def _key(self) -> tuple[Hashable, ...]:
        known = None if self.always is None else array_key(self.always)
        return array_key(self.ranks), self.is_proved, known, self.leaders

    @property
    def has_several_optima(self) -> bool:
        """Whether optima were looked at, and there is more than one."""
        ranked = int((self.ranks != UNRANKED).sum())
        return self.always is not None and 2 * self.always.sum() < ranked * (ranked - 1)


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

    @property
    def noun(self) -> str:
        """What the units are called, in the plural."""
        if isinstance(self.data, ScoreTable):
            return self.over
        if self.over == "systems":
            return "items"
        return "rankings" if self.data.groups is None else "groups"

    def consensus(self, kept: NDArray[np.intp], deadline: Deadline) -> Consensus:
        """Aggregate what is kept."""
        return self.rule.aggregate(self._part(set(kept.tolist())), deadline=deadline)

    def found(self, kept: NDArray[np.intp], deadline: Deadline, *, optima: bool) -> Found:
        """Return what is known of the consensus of what is kept."""
        return self.known(self.consensus(kept, deadline), deadline, optima=optima)

    def known(self, consensus: Consensus, deadline: Deadline, *, optima: bool) -> Found:
        """Return what is known of a consensus, of all optima too where they are asked for."""
        if consensus.interrupted:
            raise KeyboardInterrupt  # it stops the whole analysis, not one part of it
        ranks = consensus.ranking.reindex(self.items).ranks
        if consensus.is_proved is False or not optima or consensus.optima is None:
            return Found(ranks, consensus.is_proved is not False)
        inside = np.array(self.items.indices(list(consensus.items)))
        every = consensus.optima._until(deadline)
        always = np.zeros((len(ranks), len(ranks)), dtype=bool)
        try:
            always[np.ix_(inside, inside)] = every.relation()
            leaders = self.items.indices(list(every.winners()))
        except OutOfTimeError:
            return Found(ranks, is_proved=True)
        return Found(ranks, True, always, tuple(leaders))

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
