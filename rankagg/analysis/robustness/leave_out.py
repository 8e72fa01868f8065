"""Data without some of their tasks or systems, and what is known of their consensuses."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from rankagg._frames import table_remedy
from rankagg._typing import Bools, Generator, Label, Positions, Ranks, Tolerance
from rankagg.aggregation import Aggregator, Consensus, Deadline, Evidence
from rankagg.aggregation.kemeny import Optima
from rankagg.analysis.robustness.resampling import Near
from rankagg.core import (
    UNRANKED,
    Profile,
    ScoreSummary,
    ScoreTable,
    Value,
    array_key,
    tolerance_within,
)
from rankagg.exceptions import InformationLostError, InvalidInputError, OutOfTimeError

Over = Literal["tasks", "systems"]
#: How many cases are left, the units that this one keeps, and whether all its optima are looked at.
_Case: TypeAlias = tuple[int, Positions, bool]


def draw_subset(n_units: int, size: int, rng: Generator) -> Positions:
    """Return so many of the positions 0, 1, ..., in order, every subset with equal chance."""
    return np.sort(rng.choice(n_units, size, replace=False))


@dataclass(frozen=True, eq=False, kw_only=True)
class Parts:
    """Data of which some tasks or systems can be left out."""

    # All of them; of a summary tasks can be left out.
    data: ScoreTable | ScoreSummary | Profile
    # Scores that differ by no more are tied.
    tolerance: Tolerance
    over: Over

    def __post_init__(self) -> None:
        if not isinstance(self.data, ScoreTable | ScoreSummary | Profile):
            raise InvalidInputError(
                "data", "a ScoreTable or a Profile", self.data, table_remedy(self.data)
            )
        if self.over == "systems" and isinstance(self.data, ScoreSummary):
            raise InformationLostError(
                "over='systems' needs rankings; a ScoreSummary does not hold them. Read the scores "
                "with `read_scores`, or take over='tasks'."
            )

    @property
    def items(self) -> Any:
        """The systems."""
        return self.data.items if isinstance(self.data, Profile) else self.data.systems

    @property
    def units(self) -> tuple[Label, ...]:
        """What may be left out."""
        if self.over == "systems":
            return tuple(self.items)
        if not isinstance(self.data, Profile):
            return tuple(self.data.tasks)
        if self.data.groups is None:
            return tuple(range(len(self.data)))
        return tuple(dict.fromkeys(self.data.groups))

    @property
    def noun(self) -> str:
        """What the units are called, in the plural."""
        if not isinstance(self.data, Profile):
            return self.over
        if self.over == "systems":
            return "items"
        if len(self.units) < len(self.data):
            return "groups"
        return "rankings" if len(self.data) == self.data.n_rankings else "different rankings"

    def part(self, kept: Positions) -> Evidence:
        """Return what there is of the units at some positions."""
        left_in = set(kept.tolist())
        gone = {unit for k, unit in enumerate(self.units) if k not in left_in}
        if not gone:
            return Evidence(self.data, self.tolerance)
        if isinstance(self.data, ScoreTable):
            return self._part_of_table(self.data, gone)
        if isinstance(self.data, ScoreSummary):
            tallies = {t: tally for t, tally in self.data.tallies.items() if t not in gone}
            return Evidence(self.data._with(tallies), self.tolerance)
        if self.over == "systems":
            left = [item for item in self.data.items if item not in gone]
            return Evidence(self.data.restrict(left))
        groups = range(len(self.data)) if self.data.groups is None else self.data.groups
        rows = [row for row, group in enumerate(groups) if group not in gone]
        return Evidence(self.data[np.array(rows)])

    def _part_of_table(self, table: ScoreTable, gone: set[Label]) -> Evidence:
        if self.over == "tasks":
            part = table.drop(tasks=gone)
        else:
            # A task that only systems left out were scored on says nothing of the others.
            left = [k for k, system in enumerate(table.systems) if system not in gone]
            seen = {int(t) for t in table.unit_tasks[~table.missing[left].all(axis=0)]}
            empty = [task for k, task in enumerate(table.tasks) if k not in seen]
            part = table.drop(systems=gone, tasks=empty)
        return Evidence(part, tolerance_within(self.tolerance, table.tasks, part.tasks))


@dataclass(frozen=True, eq=False)
class KnownConsensus(Value):
    """What is known of the consensus of some of the units."""

    # Shape (n,). The ranks of all systems; those that were left out are unranked.
    ranks: Ranks
    # False where an exact rule did not prove it in time.
    is_proved: bool
    # Shape (n, n). Which system stands before which in every optimum of an exact rule; None for
    # other rules, where nobody asked, or where that was not found in time.
    always: Bools | None = None
    # The positions of those that stand first in some optimum, where `always` is known.
    leaders: tuple[int, ...] = ()

    def _key(self) -> tuple[Hashable, ...]:
        known = None if self.always is None else array_key(self.always)
        return array_key(self.ranks), self.is_proved, known, self.leaders

    @property
    def has_several_optima(self) -> bool:
        """Whether optima were looked at, and there is more than one."""
        ranked = int((self.ranks != UNRANKED).sum())
        return self.always is not None and 2 * self.always.sum() < ranked * (ranked - 1)


@dataclass(frozen=True, eq=False, kw_only=True)
class Source(Parts):
    """Data that a rule can aggregate without some of their tasks or systems."""

    rule: Aggregator
    near: Near | None = None

    def consensus(self, kept: Positions, deadline: Deadline) -> Consensus:
        """Aggregate what is kept."""
        evidence = self.part(kept)
        if self.near is None:
            return self.rule.aggregate(evidence, deadline=deadline)
        inside = np.array(self.items.indices(list(evidence.items)))
        return self.near.consensus(evidence, deadline, inside)

    def each(
        self, cases: Sequence[_Case], deadline: Deadline, workers: int
    ) -> list[KnownConsensus]:
        """Return what is known of some cases, each of which learns from those before it."""
        source = replace(self, near=None if self.near is None else self.near.fork())
        found = []
        for left, kept, optima in cases:
            # Shares are set when a case is begun, so what one does not need is for the others.
            ends = deadline.share(max(left / workers, 1))
            found.append(source.found(kept, ends, optima=optima))
        return found

    def found(self, kept: Positions, deadline: Deadline, *, optima: bool) -> KnownConsensus:
        """Return what is known of the consensus of what is kept."""
        return self.known(self.consensus(kept, deadline), deadline, optima=optima)

    def known(self, consensus: Consensus, deadline: Deadline, *, optima: bool) -> KnownConsensus:
        """Return what is known of a consensus, of all optima too where they are asked for."""
        if consensus.interrupted:
            raise KeyboardInterrupt  # it stops the whole analysis, not one part of it
        ranks = consensus.ranking.reindex(self.items).ranks
        if consensus.is_proved is False or not optima or not isinstance(consensus.optima, Optima):
            return KnownConsensus(ranks, consensus.is_proved is not False)
        inside = np.array(self.items.indices(list(consensus.items)))
        every = consensus.optima._until(deadline)
        always = np.zeros((len(ranks), len(ranks)), dtype=bool)
        try:
            always[np.ix_(inside, inside)] = every.relation()
            leaders = self.items.indices(list(every.winners()))
        except OutOfTimeError:
            return KnownConsensus(ranks, is_proved=True)
        return KnownConsensus(ranks, True, always, tuple(leaders))
