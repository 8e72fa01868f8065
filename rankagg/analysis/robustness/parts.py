"""Parts of data, and aggregating them again without some of their tasks or systems."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankagg._pandas import table_remedy
from rankagg._typing import Bools, Label, Ranks, Tolerance
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.certificate import Certificate
from rankagg.aggregation.kemeny.optima import Optima
from rankagg.aggregation.kemeny.parts import Warm
from rankagg.aggregation.result import Consensus
from rankagg.core.items import ItemSet
from rankagg.core.profile import Profile
from rankagg.core.rankings.places import UNRANKED
from rankagg.core.score_summary import ScoreSummary
from rankagg.core.scores import ScoreTable, tolerance_within
from rankagg.core.value import Value, array_key
from rankagg.exceptions import InformationLostError, InvalidInputError, OutOfTimeError

__all__ = ["Found", "Near", "Over", "Parts", "Source", "draw_subset"]

Over = Literal["tasks", "systems"]


def draw_subset(n_units: int, size: int, rng: np.random.Generator) -> NDArray[np.intp]:
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
        if self.data.groups is not None:
            return "groups"
        return "rankings" if len(self.data) == self.data.n_rankings else "different rankings"

    def part(self, kept: NDArray[np.intp]) -> Evidence:
        """Return what there is of the units at some positions."""
        left_in = set(kept.tolist())
        gone = [unit for k, unit in enumerate(self.units) if k not in left_in]
        if not gone:
            return Evidence(self.data, self.tolerance)
        if isinstance(self.data, ScoreTable):
            return self._part_of_table(self.data, gone)
        if isinstance(self.data, ScoreSummary):
            return Evidence(_without(self.data, gone), self.tolerance)
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
            # A task that only systems left out were scored on says nothing about the others.
            left = [k for k, system in enumerate(table.systems) if system not in gone]
            seen = {int(t) for t in table.unit_tasks[~table.missing[left].all(axis=0)]}
            empty = [task for k, task in enumerate(table.tasks) if k not in seen]
            part = table.drop(systems=gone, tasks=empty)
        return Evidence(part, tolerance_within(self.tolerance, table.tasks, part.tasks))


def _without(summary: ScoreSummary, gone: list[Label]) -> ScoreSummary:
    """Return a summary without some of its tasks."""
    kept = [task for task in summary.tasks if task not in gone]
    return ScoreSummary(
        summary.systems,
        {task: summary.tallies[task] for task in kept},
        higher_is_better={task: summary.higher_is_better[task] for task in kept},
        task_weights={task: summary.task_weights[task] for task in kept},
    )


@dataclass(frozen=True, eq=False)
class Near:
    """What helps an exact rule with related data, once the consensus of all is known."""

    # A rule that can use it.
    rule: Kemeny
    # Shape (n,). The consensus of all units.
    ranks: Ranks
    # What its proof used, and those of related data that were solved since.
    warm: Warm

    @classmethod
    def of(cls, rule: Aggregator, whole: Consensus, items: ItemSet) -> Near | None:
        """Return what the consensus of all teaches; None where the rule cannot use it."""
        proof = whole.certificate
        if not (isinstance(rule, Kemeny) and rule.can_be_warm and isinstance(proof, Certificate)):
            return None
        warm = Warm.of(len(proof.items), proof.proofs)
        return cls(rule, whole.ranking.reindex(items).ranks, warm)

    def fork(self) -> Near:
        """Return the same, to learn for itself."""
        return replace(self, warm=self.warm.fork())

    def consensus(
        self, evidence: Evidence, inside: NDArray[np.intp], deadline: Deadline
    ) -> Consensus:
        """Aggregate related data, whose systems are those at some positions."""
        policy = evidence.policy(self.rule.unranked)
        outcome = self.rule.solve(
            evidence.votes(policy), start=np.argsort(self.ranks[inside]), deadline=deadline,
            warm=self.warm.within(inside),
        )  # fmt: skip
        assert outcome.ranking is not None, "the rule returns a ranking"
        return Consensus(
            ranking=outcome.ranking,
            scores=None,
            aggregator=self.rule,
            unranked=policy,
            certificate=outcome.certificate,
            _optima=outcome.optima,
            notes=outcome.notes,
            interrupted=outcome.interrupted,
            runtime=0.0,
            _evidence=evidence,
        )


@dataclass(frozen=True, eq=False)
class Found(Value):
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


@dataclass(frozen=True, eq=False, kw_only=True)
class Source(Parts):
    """Data that a rule can aggregate without some of their tasks or systems."""

    rule: Aggregator
    near: Near | None = None

    def beside(self, whole: Consensus) -> Source:
        """Return the same, helped by what is known of all units."""
        return replace(self, near=Near.of(self.rule, whole, self.items))

    def fork(self) -> Source:
        """Return the same, to learn from parts of its own."""
        return self if self.near is None else replace(self, near=self.near.fork())

    def consensus(self, kept: NDArray[np.intp], deadline: Deadline) -> Consensus:
        """Aggregate what is kept."""
        evidence = self.part(kept)
        if self.near is None:
            return self.rule.aggregate(evidence, deadline=deadline)
        inside = np.array(self.items.indices(list(evidence.items)))
        return self.near.consensus(evidence, inside, deadline)

    def found(self, kept: NDArray[np.intp], deadline: Deadline, *, optima: bool) -> Found:
        """Return what is known of the consensus of what is kept."""
        return self.known(self.consensus(kept, deadline), deadline, optima=optima)

    def known(self, consensus: Consensus, deadline: Deadline, *, optima: bool) -> Found:
        """Return what is known of a consensus, of all optima too where they are asked for."""
        if consensus.interrupted:
            raise KeyboardInterrupt  # it stops the whole analysis, not one part of it
        ranks = consensus.ranking.reindex(self.items).ranks
        if consensus.is_proved is False or not optima or not isinstance(consensus.optima, Optima):
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
