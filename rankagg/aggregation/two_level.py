"""Aggregation on two levels, and default rules for data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from rankagg._typing import Bools, Floats, Generator, Label, Positions, Ranks, RNGLike
from rankagg._validation import as_generator, check_choice
from rankagg.aggregation.base import (
    Aggregator,
    Needs,
    ReadsUnranked,
    SearchingRule,
    check_rule,
    ranks_by_scores,
    scores_by_group,
)
from rankagg.aggregation.condorcet import Copeland
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Data, Evidence
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.means import Mean
from rankagg.aggregation.outcome import Consensus, Outcome
from rankagg.aggregation.positional import Borda
from rankagg.core import Profile, ScoreSummary, ScoreTable, canonical_profile, exact, places


@dataclass(frozen=True)
class TwoLevel(SearchingRule):
    """Rule that applies `inner` to the rankings of each task, then `outer` to the consensuses.

    `TwoLevel(Borda(), Borda())` is the two-level Borda of the papers. One level weights a task by
    its number of instances; two levels weight tasks by their weight alone.

    Parameters
    ----------
    inner : Aggregator
        The rule inside each task (each group of a profile).
    outer : Aggregator
        The rule over the tasks' rankings; it sees rankings, not scores.
    absent : {"ranked", "unranked"}, default "ranked"
        Whether a system without any score in a task has the rank there that the inner rule gives
        it (the middle, under "uniform"), or none.

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

    command_names: ClassVar = {"two-level-borda": {"inner": Borda(), "outer": Borda()}}
    inner: Aggregator
    outer: Aggregator
    absent: Literal["ranked", "unranked"] = "ranked"

    def __post_init__(self) -> None:
        for parameter in ("inner", "outer"):
            check_rule(getattr(self, parameter), f"{parameter} of TwoLevel")
        check_choice(self.absent, ("ranked", "unranked"), "absent of TwoLevel")

    @property
    def needs(self) -> Needs:
        """Scores if the inner rule needs them, else rankings."""
        return "scores" if self.inner.needs == "scores" else "rankings"

    @property
    def reads_unranked(self) -> ReadsUnranked:
        """The way of both rules if they agree or the outer rule sees no gaps, else "by policy"."""
        leaves_out = self.absent == "unranked" or self.inner.reads_unranked == "as observed"
        alike = not leaves_out or self.inner.reads_unranked == self.outer.reads_unranked
        return self.inner.reads_unranked if alike else "by policy"

    @property
    def name(self) -> str:
        """The two rules' names, and `absent` if it is not the default."""
        absent = "" if self.absent == "ranked" else f", absent={self.absent!r}"
        return f"TwoLevel({self.inner.name}, {self.outer.name}{absent})"

    def _aggregate_within(self, evidence: Evidence, rng: Generator, deadline: Deadline) -> Outcome:
        tasks, inside = self._tasks(evidence, rng, deadline)
        over = self.outer.aggregate(tasks, rng=rng, deadline=deadline)
        return Outcome(
            scores=over.scores,
            ranking=over.ranking,
            notes=(*over.notes, *inside.notes),
            interrupted=inside.interrupted or over.interrupted,
        )

    def task_profile(self, evidence: Evidence, *, rng: RNGLike = None) -> Profile:
        """Return the rankings of the tasks, which are the data of the outer rule.

        Parameters
        ----------
        evidence : Evidence
            Rankings in groups, or scores.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator for an inner rule that draws random numbers.

        Returns
        -------
        Profile
            One ranking per task, in a group of its own.
        """
        return self._tasks(evidence, as_generator(rng), Deadline())[0]

    def _tasks(
        self, evidence: Evidence, rng: Generator, deadline: Deadline
    ) -> tuple[Profile, _Inside]:
        """Return the rankings of the tasks as a profile, and the results of the inner rule."""
        seen: Bools | None = None
        inside: _Inside | None = None
        if (summary := evidence.summary) is not None:
            parts = {task: Evidence(part) for task, part in summary.by_task().items()}
            policy, weights, groups = summary.unranked, summary.weight_vector, list(parts)
            if self.absent == "unranked":
                seen = np.stack([tally.observed > 0 for tally in summary.tallies.values()])
        else:
            profile, numbers = evidence.profile.sorted_by_group()
            starts = exact.starts_of(numbers)
            assert profile.groups is not None, "it was sorted by them"
            groups = [profile.groups[start] for start in starts.tolist()]
            policy, weights = profile.unranked, _mean_weights(profile, starts)
            if self.absent == "unranked":
                seen = np.logical_or.reduceat(profile.observed, starts, axis=0)
            scores = scores_by_group(self.inner, profile, numbers)
            if scores is not None:
                inside = _Inside(ranks_by_scores(scores))
            parts = {} if inside else self._parts(evidence)
        inside = inside or self._each(parts, rng, deadline)
        ranks = inside.ranks
        if seen is not None:
            ranks = places.close_gaps(np.where(seen, ranks, places.UNRANKED))
        tasks = canonical_profile(evidence.items, ranks, weights=weights, groups=groups)
        return tasks.with_unranked(policy), inside

    def _parts(self, evidence: Evidence) -> dict[Label, Evidence]:
        """Return the data of the inner rule for each task."""
        groups = evidence.profile.by_group()
        if self.inner.needs != "scores" or not evidence.has_scores:
            return {group: Evidence(profile) for group, profile in groups.items()}
        return {
            group: Evidence(
                evidence.scores.drop(tasks=[task for task in groups if task != group]),
                evidence.tolerance_for(group),
            )
            for group in groups
        }

    def _each(self, tasks: dict[Label, Evidence], rng: Generator, deadline: Deadline) -> _Inside:
        """Rank the items within each task."""
        ranks, notes = [], []
        interrupted = False
        for number, (group, inside) in enumerate(tasks.items()):
            share = deadline.share(len(tasks) + 1 - number)
            consensus = self.inner.aggregate(inside, rng=rng, deadline=share)
            interrupted = interrupted or consensus.interrupted
            ranks.append(consensus.ranking.ranks)
            notes += [f"{group}: {note}" for note in _important_notes(consensus)]
        return _Inside(np.stack(ranks), notes, interrupted)


class _Inside(NamedTuple):
    """The rankings of the inner rule for all tasks, with notes."""

    ranks: Ranks
    notes: Sequence[str] = ()
    interrupted: bool = False


def _mean_weights(profile: Profile, starts: Positions) -> Floats:
    """Return the mean weight of the rankings of each task."""
    means = profile.weights[starts]
    most = np.maximum.reduceat(profile.weights, starts)
    uneven = np.minimum.reduceat(profile.weights, starts) < most
    stops = np.append(starts[1:], len(profile))
    for task in np.flatnonzero(uneven):
        rows = slice(starts[task], stops[task])
        counts = profile.counts[rows]
        total = exact.total(counts, profile.weights[rows])
        means[task] = float(total / int(counts.sum(dtype=object)))
    return means


def _important_notes(consensus: Consensus) -> list[str]:
    notes = [note for note in consensus.notes if note.startswith("cyclic")]
    certificate = consensus.certificate
    if certificate is not None and certificate.status != "optimal":
        notes.append("the inner consensus is not proved optimal")
    return notes


def default_rules(data: Data) -> list[Aggregator]:
    """Return default rules for data: mean, Borda, two-level Borda, Copeland, exact Kemeny."""
    rules: list[Aggregator] = [Mean()] if isinstance(data, ScoreTable | ScoreSummary) else []
    rules.append(Borda())
    if isinstance(data, ScoreSummary) or (isinstance(data, ScoreTable) and data.is_instance_level):
        rules.append(TwoLevel(Borda(), Borda()))
    return [*rules, Copeland(), Kemeny()]
