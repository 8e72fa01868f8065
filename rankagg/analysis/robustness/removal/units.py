"""What may be removed, in classes of equal units, and the data without some of it.

A ballot says the same of two items whatever other ballots there are, under every policy, so the
lead of one item over another is a sum over units, in integers over one denominator.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import lcm
from typing import Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers, Label, Ranks, Tolerance, Unranked
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.result import Consensus
from rankagg.aggregation.two_level import TwoLevel
from rankagg.analysis.robustness.parts import Parts
from rankagg.core.arithmetic import exact
from rankagg.core.items import ItemSet
from rankagg.core.profile import Profile
from rankagg.core.rankings import places
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.core.scores import ScoreTable
from rankagg.kernels.placing import doubled_places

__all__ = ["RemovalUnit", "Units"]

RemovalUnit: TypeAlias = Literal["ranking", "task"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Units:
    """Data of which rankings or tasks may be removed."""

    data: ScoreTable | Profile
    rule: Aggregator
    # Scores that differ by no more are tied.
    tolerance: Tolerance
    # What is removed: single ballots, copies one by one, or whole tasks (groups).
    unit: RemovalUnit

    @cached_property
    def evidence(self) -> Evidence:
        """All data."""
        return Evidence(self.data, self.tolerance)

    @property
    def items(self) -> ItemSet:
        """What is ranked."""
        return self.evidence.items

    @property
    def _parts(self) -> Parts:
        return Parts(data=self.data, tolerance=self.tolerance, over="tasks")

    @property
    def noun(self) -> str:
        """What the units are called, in the plural."""
        return "rankings" if self.unit == "ranking" else self._parts.noun

    @property
    def is_two_level(self) -> bool:
        """Whether the rule ranks inside of tasks first."""
        return isinstance(self.rule, TwoLevel)

    def judged(self, evidence: Evidence, deadline: Deadline) -> Consensus:
        """Aggregate data; by the outer rule of two, which knows all its optima."""
        if isinstance(self.rule, TwoLevel):
            return self.rule.outer.aggregate(self.rule.task_profile(evidence), deadline=deadline)
        return self.rule.aggregate(evidence, deadline=deadline)

    @property
    def is_exact(self) -> bool:
        """Whether the votes of all data are counted without rounding."""
        return self.profile.pairwise(self.policy).is_exact

    # -- classes ------------------------------------------------------------------------------

    @cached_property
    def profile(self) -> Profile:
        """The ballots that the rule, or the outer one of two, counts; tasks in order of groups."""
        if isinstance(self.rule, TwoLevel):
            return self.rule.task_profile(self.evidence)
        profile = self.evidence.profile
        return profile if self.unit == "ranking" else profile._sorted_by_group()[0]

    @property
    def policy(self) -> Unranked:
        """The policy for unranked items."""
        rule = self.rule.outer if isinstance(self.rule, TwoLevel) else self.rule
        return rule.policy or "uniform"

    @cached_property
    def _members(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The class of every row of the profile, and a row of every class to stand for it."""
        profile = self.profile
        if self.unit == "task":
            numbers = profile._sorted_by_group()[1]
            return numbers.astype(np.intp), exact.starts_of(numbers)
        keys = np.column_stack([profile.ranks, profile.weights.view(np.int64)])
        _, first, where = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        return where.ravel().astype(np.intp), first

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many units each class has."""
        members, first = self._members
        if self.unit == "task":
            return np.ones(len(first), dtype=np.int64)
        return exact.count_cells(members, self.profile.counts, len(first)).astype(np.int64)

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The tasks, in the order of their classes."""
        groups = self.profile.groups
        assert groups is not None, "tasks are groups of rankings"
        return tuple(groups[row] for row in self._members[1].tolist())

    @property
    def total(self) -> int:
        """The number of units."""
        return int(self.counts.sum())

    # -- what one unit of each class says -----------------------------------------------------

    @cached_property
    def _ranks(self) -> Ranks:
        """One ballot a row: that of each class of ballots, or all of all tasks."""
        ranks = self.profile.ranks
        rows = ranks if self.unit == "task" else ranks[self._members[1]]
        return places.unranked_last(rows) if self.policy == "last" else rows

    @cached_property
    def _votes(self) -> Integers:
        """What each of these ballots weighs, in integers of one size."""
        weights, counts = self.profile.weights, self.profile.counts
        if self.unit == "ranking":
            weights, counts = weights[self._members[1]], np.ones(len(self.counts), dtype=np.int64)
        votes, _ = exact.as_votes(counts, weights)
        return votes

    @cached_property
    def _sizes(self) -> NDArray[np.int64]:
        """One more than the number of items that a ballot ranks."""
        sizes: NDArray[np.int64] = (self._ranks != UNRANKED).sum(axis=1).astype(np.int64) + 1
        return sizes

    @cached_property
    def _over(self) -> int:
        """The denominator of what ballots say of unranked items; 0 where they say nothing."""
        if self.policy != "uniform" or (self._sizes > self._ranks.shape[1]).all():
            return 0
        return lcm(*np.unique(self._sizes).tolist())

    @cached_property
    def _factors(self) -> Integers:
        """What turns numerators over k + 1 into numerators over one denominator, by ballot."""
        if not self._over:
            return np.ones(len(self._sizes), dtype=np.int64)
        over = np.array(self._over, dtype=object)
        return exact.fit(over // self._sizes.astype(object))

    def leads(self, item: int, others: NDArray[np.intp]) -> Integers:
        """Return by how many votes one unit of each class puts an item ahead."""
        ranks = self._ranks
        shown = places.comparable(ranks)
        mine, theirs = shown[:, [item]], shown[:, others]
        seen, observed = ranks[:, [item]] != UNRANKED, ranks[:, others] != UNRANKED
        lead: Integers = np.where(seen & observed, np.sign(theirs - mine), 0).astype(np.int64)
        if self._over:
            # An item at the doubled place d of k precedes an unranked one by (k + 1 - d)/(k + 1).
            sizes = self._sizes[:, None]
            doubled = doubled_places(ranks).astype(np.int64)
            ahead = np.where(seen & ~observed, sizes - doubled[:, [item]], 0)
            behind = np.where(~seen & observed, sizes - doubled[:, others], 0)
            observed_lead = exact.multiply(lead, np.full(lead.shape, self._over, dtype=object))
            lead = exact.combine(observed_lead, 1, _by_rows(ahead - behind, self._factors), 1)
        return self._by_class(lead)

    def compared(self, item: int, others: NDArray[np.intp]) -> Integers:
        """Return how many ballots of one unit of each class compare an item with each other."""
        ranks = self.profile.ranks if self.unit == "task" else self.profile.ranks[self._members[1]]
        mine, theirs = ranks[:, [item]], ranks[:, others]
        both: Bools = (mine != UNRANKED) & (theirs != UNRANKED)
        both &= (mine != UNLISTED) | (theirs != UNLISTED)
        return self._summed(both.astype(np.int64))

    @cached_property
    def points(self) -> Integers:
        """What one unit of each class gives every item in Borda's rule, shape (k, n).

        Up to one factor, and one number for all items: the doubled points less their mean, which
        are k + 1 - d at the doubled place d of k, times (n + 1)/(k + 1) under "uniform".
        """
        ranks = self._ranks
        doubled = doubled_places(ranks).astype(np.int64)
        given = np.where(doubled > 0, self._sizes[:, None] - doubled, 0)
        return self._by_class(_by_rows(given, self._factors))

    def _by_class(self, values: Integers) -> Integers:
        return self._summed(_by_rows(values, self._votes))

    def _summed(self, values: Integers) -> Integers:
        """Add up the ballots of each task."""
        if self.unit == "ranking":
            return values
        large = int(np.abs(values).max(initial=0)) * len(values) >= exact.INT64_SAFE
        kind = object if large else values.dtype
        return exact.fit(
            np.add.reduceat(values.astype(kind), exact.starts_of(self._members[0]), axis=0)
        )

    # -- the data without some of it ----------------------------------------------------------

    def taken(self, removed: NDArray[np.int64]) -> tuple[tuple[Label, int], ...]:
        """Return what to remove: tasks, or rows of the profile, and how many copies of each."""
        if self.unit == "task":
            return tuple((self.labels[k], 1) for k in np.flatnonzero(removed).tolist())
        rows = self._rows_taken(removed)
        return tuple((row, int(rows[row])) for row in np.flatnonzero(rows).tolist())

    def shown(self, removed: NDArray[np.int64]) -> tuple[str, ...]:
        """Return what the rankings to remove say, in the order of `taken`; nothing of tasks."""
        if self.unit == "task":
            return ()
        rows = np.flatnonzero(self._rows_taken(removed)).tolist()
        return tuple(self.profile[row]._arrows() for row in rows)

    def _rows_taken(self, removed: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many copies of each row go: the first rows of a class before the others."""
        members, counts = self._members[0], self.profile.counts
        order = np.argsort(members, kind="stable")
        starts = exact.starts_of(members[order])
        ends = np.cumsum(counts[order])
        before = ends - counts[order]
        before -= np.repeat(before[starts], np.diff(np.append(starts, len(order))))
        taken = np.empty(len(members), dtype=np.int64)
        taken[order] = np.clip(removed[members[order]] - before, 0, counts[order])
        return taken

    def without(self, removed: NDArray[np.int64]) -> Evidence:
        """Return the data without so many units of each class."""
        if self.unit == "task":
            stays = {self.labels[k] for k in np.flatnonzero(removed == 0).tolist()}
            positions = [k for k, unit in enumerate(self._parts.units) if unit in stays]
            return self._parts.part(np.array(positions, dtype=np.intp))
        profile = self.profile
        left = profile.counts - self._rows_taken(removed)
        kept = np.flatnonzero(left)
        part = profile[kept]
        return Evidence(part._replace(ranks=part.ranks, counts=left[kept]))


def _by_rows(values: Integers, factors: Integers) -> Integers:
    """Return every row times a number of its own, which is not negative."""
    each = cast(Integers, np.broadcast_to(factors[:, None], values.shape))
    products = exact.multiply(np.abs(values), each)
    signed: Integers = np.where(values < 0, -products, products)
    return signed
