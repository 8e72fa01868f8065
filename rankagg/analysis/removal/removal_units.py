"""Removable units in classes of equal ones, and the data without some of them.

Under every policy the votes of a ballot do not depend on other ballots, so the lead of one item
over another is a sum over units, in integers over one denominator.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from logging import getLogger
from math import lcm
from time import monotonic
from typing import Any, Literal, cast

import numpy as np

from rankagg._typing import Integers, Integers64, Label, Positions, Ranks, Tolerance
from rankagg.aggregation import (
    Aggregator,
    Borda,
    Consensus,
    Copeland,
    Deadline,
    Evidence,
    ranking_points,
)
from rankagg.aggregation.kemeny import Kemeny, Optima
from rankagg.analysis.robustness.perturbation import Parts
from rankagg.core import (
    UNLISTED,
    UNRANKED,
    ItemSet,
    Profile,
    ScoreTable,
    canonical_profile,
    exact,
    listed,
    places,
)
from rankagg.exceptions import InvalidInputError, OutOfTimeError, VerificationError
from rankagg.kernels.counting import doubled_places

RemovalUnit = Literal["ranking", "task"]

# Seconds between progress lines of a long search.
SECONDS_BETWEEN_LINES = 5.0


@dataclass(frozen=True, eq=False, kw_only=True)
class RemovalClasses:
    """Data from which rankings or tasks may be removed."""

    data: ScoreTable | Profile
    rule: Aggregator
    tolerance: Tolerance
    # The removed unit: single copies of ballots, or tasks (groups).
    unit: RemovalUnit

    @cached_property
    def evidence(self) -> Evidence:
        """The complete data."""
        return Evidence(self.data, self.tolerance)

    @property
    def items(self) -> ItemSet:
        """The ranked items."""
        return self.evidence.items

    @property
    def _parts(self) -> Parts:
        return Parts(data=self.data, tolerance=self.tolerance, unit="task")

    @property
    def noun(self) -> str:
        """Plural name of the units."""
        return "rankings" if self.unit == "ranking" else self._parts.noun

    @property
    def is_exact(self) -> bool:
        """Whether all votes are counted without rounding."""
        return self.profile.pairwise().is_exact

    # -- classes ------------------------------------------------------------------------------

    @cached_property
    def profile(self) -> Profile:
        """The ballots that the rule counts; tasks in order of groups."""
        profile = self.evidence.profile
        return profile if self.unit == "ranking" else profile.sorted_by_group()[0]

    @cached_property
    def _members(self) -> tuple[Positions, Positions]:
        """The class of every row of the profile, and one row of every class."""
        profile = self.profile
        if self.unit == "task":
            numbers = profile.sorted_by_group()[1]
            return numbers.astype(np.intp), exact.starts_of(numbers)
        keys = np.column_stack([profile.ranks, profile.weights.view(np.int64)])
        _, first, where = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        return where.ravel().astype(np.intp), first

    @cached_property
    def counts(self) -> Integers64:
        """Number of units of each class."""
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

    # -- votes of one unit of each class ------------------------------------------------------

    @cached_property
    def _ranks(self) -> Ranks:
        """Ballots in rows: one of each class of ballots, or all ballots of all tasks."""
        ranks = self.profile.ranks
        return ranks if self.unit == "task" else ranks[self._members[1]]

    @cached_property
    def _votes(self) -> Integers:
        """Weights of these ballots, as integers."""
        weights, counts = self.profile.weights, self.profile.counts
        if self.unit == "ranking":
            weights, counts = weights[self._members[1]], np.ones(len(self.counts), dtype=np.int64)
        votes, _ = exact.as_votes(counts, weights)
        return votes

    @cached_property
    def _sizes(self) -> Integers64:
        """One more than the number of items that a ballot ranks."""
        return np.asarray((self._ranks != UNRANKED).sum(axis=1) + 1, dtype=np.int64)

    @cached_property
    def _over(self) -> int:
        """Common denominator of votes on unranked items; 0 where there are none."""
        if self.profile.unranked == "ignore" or (self._sizes > self._ranks.shape[1]).all():
            return 0
        return lcm(*np.unique(self._sizes).tolist())

    @cached_property
    def _factors(self) -> Integers:
        """Factors of each ballot that convert numerators over k + 1 to the common denominator."""
        if not self._over:
            return np.ones(len(self._sizes), dtype=np.int64)
        return exact.fit(self._over // self._sizes.astype(object))

    def leads(self, item: int, others: Positions) -> Integers:
        """Return the lead of an item over others, in votes, of one unit of each class."""
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
        return self._summed(_by_rows(lead, self._votes))

    def compared(self, item: int, others: Positions) -> Integers:
        """Return how many ballots of one unit of each class compare an item with each other."""
        mine, theirs = self._ranks[:, [item]], self._ranks[:, others]
        both = (mine != UNRANKED) & (theirs != UNRANKED)
        both &= (mine != UNLISTED) | (theirs != UNLISTED)
        return self._summed(both.astype(np.int64))

    @cached_property
    def points(self) -> Integers:
        """Borda points from one unit of each class, up to a factor and a constant, (k, n)."""
        profile = self.profile
        ranked = canonical_profile(profile.items, self._ranks, unranked=profile.unranked)
        given = ranking_points(Borda(), ranked)
        assert given is not None, "Borda adds up points"
        return self._summed(_by_rows(given, self._votes))

    def _summed(self, values: Integers) -> Integers:
        """Add up the ballots of each task."""
        if self.unit == "ranking":
            return values
        large = int(np.abs(values).max(initial=0)) * len(values) >= exact.INT64_SAFE
        kind = object if large else values.dtype
        return exact.fit(
            np.add.reduceat(values.astype(kind), exact.starts_of(self._members[0]), axis=0)
        )

    # -- the data without some units ----------------------------------------------------------

    def taken(self, removed: Integers64) -> tuple[tuple[Label, int], ...]:
        """Return the removed tasks, or rows of the profile, with the copies of each."""
        if self.unit == "task":
            return tuple((self.labels[k], 1) for k in np.flatnonzero(removed).tolist())
        rows = self._rows_taken(removed)
        return tuple((row, int(rows[row])) for row in np.flatnonzero(rows).tolist())

    def shown(self, removed: Integers64) -> tuple[str, ...]:
        """Return the removed rankings as text, in the order of `taken`; nothing for tasks."""
        if self.unit == "task":
            return ()
        rows = np.flatnonzero(self._rows_taken(removed)).tolist()
        return tuple(self.profile[row].to_text() for row in rows)

    def _rows_taken(self, removed: Integers64) -> Integers64:
        """Return the removed copies of each row of the profile."""
        return first_taken(self._members[0], self.profile.counts, removed)

    def without(self, removed: Integers64) -> Evidence:
        """Return the data without some units of each class."""
        if self.unit == "task":
            return self._parts.without({self.labels[k] for k in np.flatnonzero(removed).tolist()})
        profile = self.profile
        left = profile.counts - self._rows_taken(removed)
        kept = np.flatnonzero(left)
        part = profile[kept]
        return Evidence(part._replace(ranks=part.ranks, counts=left[kept]))


def first_taken(members: Positions, counts: Integers64, removed: Integers64) -> Integers64:
    """Return the removed copies of each row; the first rows of a class are removed first."""
    order = np.argsort(members, kind="stable")
    starts = exact.starts_of(members[order])
    copies, taken = counts[order], np.empty_like(counts)
    before = np.cumsum(copies) - copies
    before -= np.repeat(before[starts], np.diff(np.append(starts, len(order))))
    taken[order] = np.clip(removed[members[order]] - before, 0, copies)
    return taken


def _by_rows(values: Integers, factors: Integers) -> Integers:
    """Return every row times its own nonnegative factor."""
    each = cast(Integers, np.broadcast_to(factors[:, None], values.shape))
    products = exact.multiply(np.abs(values), each)
    return np.where(values < 0, -products, products)


@dataclass(frozen=True)
class Question:
    """The change that a removal must cause."""

    # Positions of the current winners, or of the upper item of a pair.
    tops: tuple[int, ...]
    # The others, or the lower item of the pair; one of them must overtake all of `tops`.
    rivals: tuple[int, ...]
    # Whether a tie with them is insufficient.
    strict: bool
    # Whether the question is the order of two items, not the first place.
    is_pair: bool


@dataclass
class Bracket:
    """A lower bound, and the smallest removal found."""

    # Number of units; one of them has to stay, so removing all is no answer.
    total: int
    # Proved lower bound.
    lower: int = 0
    # Shape (k,). Removed units of each class; None if nothing was found.
    removed: Integers64 | None = None
    # The winners without them.
    first: tuple[Label, ...] = ()
    # Number of problems that may still be solved; None for no limit.
    solves: int | None = None
    logged: float = field(default_factory=monotonic)

    @property
    def upper(self) -> int:
        """The size of the best removal; all units if there is none."""
        return self.total if self.removed is None else int(self.removed.sum())

    def is_closed(self) -> bool:
        """Whether the smallest removal is proved."""
        return self.lower >= self.upper

    def count_solve(self) -> None:
        """Take one solve off the budget, and log progress at times."""
        if self.solves is not None:
            if not self.solves:
                raise OutOfTimeError
            self.solves -= 1
        now = monotonic()
        if now - self.logged >= SECONDS_BETWEEN_LINES:
            self.logged = now
            line = "between %d and %d of %d units must be removed"
            getLogger("rankagg.kemeny").info(line, self.lower, self.upper, self.total)

    def offer(self, removed: Integers | Any) -> None:
        """Keep a sufficient removal if it is the smallest so far."""
        chosen = np.asarray(removed, dtype=np.int64)
        if int(chosen.sum()) < self.upper:
            self.removed = chosen

    def raise_to(self, bound: int) -> None:
        """Raise the proved lower bound."""
        self.lower = max(self.lower, min(bound, self.upper))


def fewest(targets: Integers, gains: Integers, counts: Integers64) -> Integers64:
    """Return the smallest number of units whose gains reach each of several targets.

    Gains add up, so the set of the largest gains is best among all sets of one size.
    """
    total = int(counts.sum())
    order = np.argsort(-gains, axis=0, kind="stable")
    sorted_gains = np.maximum(np.take_along_axis(gains, order, axis=0), 0)
    copies = counts[order]
    reached: Any = np.cumsum(exact.multiply(sorted_gains, copies), axis=0)
    used = np.cumsum(copies, axis=0)
    results = np.full(len(targets), total, dtype=np.int64)
    results[targets <= 0] = 0
    open_targets = np.flatnonzero((targets > 0) & (reached[-1] >= targets))
    if len(open_targets):
        row = (reached[:, open_targets] >= targets[open_targets]).argmax(axis=0)
        last = row, open_targets
        # Units of the last class that are not needed.
        spare = (reached[last] - targets[open_targets]) // sorted_gains[last]
        results[open_targets] = (used[last] - spare).astype(np.int64)
    return results


Pair = tuple[Label, Label]


@dataclass(frozen=True, eq=False)
class Searched:
    """The winners, or the order of a pair, in the consensus of all data."""

    # The data and the removable units.
    units: RemovalClasses
    # Shape (n,). The ranks in the consensus of all data.
    ranks: Ranks
    # The winners: first, perhaps tied, or in some optimum.
    first: tuple[Label, ...]
    # The pair in question, the upper item first.
    pair: Pair | None
    # The changes to a tie, and to another winner or the reverse order; None if it already holds.
    questions: tuple[Question | None, Question]
    # Remarks; the search adds more.
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls, units: RemovalClasses, whole: Consensus, pair: Pair | None, deadline: Deadline
    ) -> Searched:
        """Read the consensus of all data; raise `OutOfTimeError` if it is not proved."""
        first = _leaders(whole, deadline)
        if pair is None:
            tops = tuple(units.items.indices(list(first)))
            ranked = np.flatnonzero(whole.ranking.ranks != UNRANKED).tolist()
            rivals = tuple(k for k in ranked if k not in tops)
            is_level = len(first) > 1
        else:
            upper, lower = units.items.indices(list(pair))
            if (whole.ranking.ranks[[upper, lower]] == UNRANKED).any():
                raise InvalidInputError("pair", "two items that the consensus ranks", pair)
            if _is_above(whole, pair[::-1], deadline):
                pair, upper, lower = pair[::-1], lower, upper
            tops, rivals = (upper,), (lower,)
            is_level = not _is_above(whole, pair, deadline)
        level, overtaken = (
            Question(tops, rivals, strict=strict, is_pair=pair is not None)
            for strict in (False, True)
        )
        return cls(
            units, whole.ranking.ranks, first, pair, (None if is_level else level, overtaken)
        )

    def check(self, bracket: Bracket, question: Question | None, deadline: Deadline) -> None:
        """Verify a removal by aggregating the rest, and keep its winners."""
        if question is None:
            bracket.first = self.first
            return
        if bracket.removed is None:
            return
        try:
            left, then, changed = self._left(bracket.removed, question, deadline)
        except OutOfTimeError:
            self.notes.append(f"a removal of {bracket.upper} was found but not checked in time")
            bracket.removed = None
            return
        bracket.first = then
        if changed:
            return
        by_votes = isinstance(left.rule, Kemeny | Copeland)
        if by_votes and left.pairwise.is_exact and self.units.is_exact:
            raise VerificationError(
                f"Without {bracket.upper} of the {self.units.noun} the result is not what the "
                f"search found; first is {listed(then)}."
            )
        self.notes.append(
            "the rule ties scores or rounds votes that differ by less than its precision"
        )

    def without(
        self, removed: Integers64, question: Question, bracket: Bracket, deadline: Deadline
    ) -> tuple[Ranks, bool]:
        """Aggregate without some units: return the ranks, and whether the answer changes."""
        deadline.seconds_left()
        bracket.count_solve()
        left, _, changed = self._left(removed, question, deadline)
        return left.ranking.ranks, changed

    def changes(
        self, removed: Integers64, question: Question, bracket: Bracket, deadline: Deadline
    ) -> bool:
        """Return whether a removal changes the answer; solve only if majorities leave it open."""
        left = self.units.counts - removed
        if not question.is_pair and all(
            (exact.integer_product(left, leads) > 0).all() for leads in self._leads
        ):
            return False  # every optimum keeps the current winners above all others
        return self.without(removed, question, bracket, deadline)[1]

    @cached_property
    def _leads(self) -> list[Integers]:
        """Leads of each current winner over the rivals, of one unit of each class."""
        question = self.questions[1]
        rivals = np.array(question.rivals, dtype=np.intp)
        return [self.units.leads(top, rivals) for top in question.tops]

    def _left(
        self, removed: Integers64, question: Question, deadline: Deadline
    ) -> tuple[Consensus, tuple[Label, ...], bool]:
        """Return the consensus without some units, its winners, and whether the answer changes."""
        left = self.units.rule.aggregate(self.units.without(removed), deadline=deadline)
        then = _leaders(left, deadline)
        if self.pair is not None:
            ahead = self.pair[::-1] if question.strict else self.pair
            return left, then, _is_above(left, ahead, deadline) == question.strict
        if question.strict:
            return left, then, not set(self.first) & set(then)
        return left, then, then != self.first


def _leaders(consensus: Consensus, deadline: Deadline) -> tuple[Label, ...]:
    """Return the winners; of an exact rule, those of some optimum."""
    if consensus.interrupted:
        raise KeyboardInterrupt  # stop the complete search
    if consensus.is_proved is None:
        return consensus.buckets[0] if consensus.buckets else ()
    if not consensus.is_proved:
        raise OutOfTimeError
    return _all_optima(consensus, deadline).winners()


def _is_above(consensus: Consensus, pair: Pair, deadline: Deadline) -> bool:
    """Return whether the first of two items is above the second, in all optima."""
    upper, lower = consensus.items.indices(list(pair))
    if consensus.is_proved is None:
        ranks = consensus.ranking.ranks
        return bool(0 <= ranks[upper] < ranks[lower])
    return bool(_all_optima(consensus, deadline).relation()[upper, lower])


def _all_optima(consensus: Consensus, deadline: Deadline) -> Optima:
    assert isinstance(consensus.optima, Optima), "a strict exact rule knows its optima"
    return consensus.optima.within(deadline.time_limit)
