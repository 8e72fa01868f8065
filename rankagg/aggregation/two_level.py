"""Aggregation on two levels: inside each task, then over the tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankagg._typing import Group, Unranked
from rankagg._validation import check_choice
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.result import Consensus
from rankagg.core import exact
from rankagg.core.places import UNRANKED
from rankagg.core.profile import Profile
from rankagg.core.rankings import PartialRanking
from rankagg.exceptions import InvalidInputError

__all__ = ["TwoLevel"]


@dataclass(frozen=True)
class TwoLevel(Aggregator):
    """Apply `inner` to the rankings of each task, then `outer` to the tasks' consensuses.

    `TwoLevel(Borda(), Borda())` is the two-level Borda of the papers. One level weights a task by
    its number of instances; two levels weight tasks by their weight alone.

    Parameters
    ----------
    inner : Aggregator
        The rule inside each task (each group of a profile).
    outer : Aggregator
        The rule over the tasks' rankings; it sees rankings, not scores.
    absent : {"ranked", "unranked"}, default "ranked"
        A system without any score in a task has the rank there that the inner rule gives it
        (the middle, under "uniform"), or none.

    References
    ----------
    Colombo et al. (2022), arXiv:2202.03799; with missing systems Himmi et al. (2023).

    Examples
    --------
    >>> from rankagg import Borda, ScoreTable, TwoLevel
    >>> table = ScoreTable([[3, 3, 3, 0], [1, 1, 1, 9]], systems="AB", higher_is_better=True,
    ...                    tasks=["x", "x", "x", "y"], instances=[0, 1, 2, 0])
    >>> TwoLevel(Borda(), Borda()).aggregate(table)
    <Consensus by TwoLevel(Borda, Borda): A = B>
    """

    inner: Aggregator
    outer: Aggregator
    absent: Literal["ranked", "unranked"] = "ranked"

    def __post_init__(self) -> None:
        for parameter in ("inner", "outer"):
            rule = getattr(self, parameter)
            if not isinstance(rule, Aggregator):
                raise InvalidInputError(f"{parameter} of TwoLevel", "an aggregator", rule)
        check_choice(self.absent, ("ranked", "unranked"), "absent of TwoLevel")
        policies = {self.inner.policy, self.outer.policy} - {None}
        if len(policies) > 1:
            raise InvalidInputError(
                "inner and outer of TwoLevel", "rules with one policy for unranked items",
                sorted(map(str, policies)),
            )  # fmt: skip

    @property
    def needs(self) -> Needs:
        """Scores where the inner rule needs them, else rankings."""
        return "scores" if self.inner.needs == "scores" else "rankings"

    @property
    def policy(self) -> Unranked | None:
        """The policy of the two rules."""
        return self.outer.policy or self.inner.policy

    @property
    def _stated_policy(self) -> Unranked | None:
        return self.policy  # it needs rankings, and so meets no votes that have one

    @property
    def name(self) -> str:
        """The two rules' names, and `absent` where it is not the default."""
        absent = "" if self.absent == "ranked" else f", absent={self.absent!r}"
        return f"TwoLevel({self.inner.name}, {self.outer.name}{absent})"

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        return self._aggregate_within(evidence, rng, Deadline())

    def _aggregate_within(
        self, evidence: Evidence, rng: np.random.Generator, deadline: Deadline
    ) -> Outcome:
        groups = evidence.profile.by_group()
        rankings, weights, notes = [], [], []
        interrupted = False
        for number, (group, profile) in enumerate(groups.items()):
            share = deadline.share(len(groups) + 1 - number)
            consensus = self.inner.aggregate(
                _inside(evidence, group, profile), rng=rng, deadline=share
            )
            interrupted = interrupted or consensus.interrupted
            rankings.append(self._outer_ranking(consensus, profile))
            total = exact.total(profile.counts, profile.weights)
            weights.append(float(total / profile.n_rankings))
            notes += [f"{group}: {note}" for note in _worth_telling(consensus)]
        tasks = Profile(rankings, weights=weights, groups=list(groups))
        over = self.outer.aggregate(tasks, rng=rng, deadline=deadline)
        return Outcome(
            scores=over.scores,
            ranking=over.ranking,
            notes=(*over.notes, *notes),
            interrupted=interrupted or over.interrupted,
        )

    def _outer_ranking(self, consensus: Consensus, profile: Profile) -> PartialRanking:
        if self.absent == "ranked":
            return consensus.ranking
        seen = (profile.ranks != UNRANKED).any(axis=0)
        present = [label for label, here in zip(profile.items, seen, strict=True) if here]
        return consensus.ranking.restrict(present).reindex(profile.items)


def _inside(evidence: Evidence, group: Group, profile: Profile) -> Evidence:
    """Return the evidence of one group: its scores where there are some, else its rankings."""
    if not evidence.has_scores:
        return Evidence(profile)
    others = [task for task in evidence.scores.tasks if task != group]
    return Evidence(evidence.scores.drop(tasks=others), evidence.tolerance_for(group))


def _worth_telling(consensus: Consensus) -> list[str]:
    notes = [note for note in consensus.notes if note.startswith("cyclic")]
    certificate = consensus.certificate
    if certificate is not None and certificate.status != "optimal":
        notes.append("the inner consensus is not proved optimal")
    return notes
