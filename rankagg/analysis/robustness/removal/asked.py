"""Questions about a consensus, and bounds of the fewest removals while they are sought."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers, Label
from rankagg.aggregation.condorcet import Copeland
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.optima import Optima
from rankagg.aggregation.result import Consensus
from rankagg.analysis.robustness.removal.units import Units
from rankagg.core.items import listed
from rankagg.core.rankings.places import UNRANKED
from rankagg.exceptions import InvalidInputError, OutOfTimeError, VerificationError

__all__ = ["Asked", "Bracket", "Question", "chosen", "fewest"]


@dataclass(frozen=True)
class Question:
    """What a removal has to change."""

    # Positions of the present firsts, or of the upper item of a pair.
    tops: tuple[int, ...]
    # The others, or the lower item of the pair: one of them has to get above all of `tops`.
    rivals: tuple[int, ...]
    # Whether being level with them is not enough.
    strict: bool
    # Whether it is about two items, wherever they stand.
    is_pair: bool


@dataclass
class Bracket:
    """A lower bound, and the best removal that was found."""

    # The number of units: one of them has to stay, so as many removals are no answer.
    total: int
    # Proved: no fewer removals do it.
    lower: int = 0
    # Shape (k,). How many of each class to remove; None where nothing was found.
    removed: NDArray[np.int64] | None = None
    # Who is first without them.
    first: tuple[Label, ...] = ()

    @property
    def upper(self) -> int:
        """The size of the best removal; all units where there is none."""
        return self.total if self.removed is None else int(self.removed.sum())

    def is_closed(self) -> bool:
        """Whether nothing is left to be found."""
        return self.lower >= self.upper

    def offer(self, removed: Integers | Any) -> None:
        """Take a removal that does it, where it is the smallest so far."""
        chosen = np.asarray(removed, dtype=np.int64)
        if int(chosen.sum()) < self.upper:
            self.removed = chosen

    def raise_to(self, bound: int) -> None:
        """Take a proved lower bound."""
        self.lower = max(self.lower, min(bound, self.upper))


def fewest(targets: Integers, gains: Integers, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many units must go at least for each of several targets.

    The gains of the units that go add up, whatever else goes, so the largest first is best: of
    all sets of one size, that of the largest gains has the largest sum.
    """
    total = int(counts.sum())
    order = np.argsort(-gains, axis=0, kind="stable")
    sorted_gains = np.maximum(np.take_along_axis(gains, order, axis=0), 0)
    copies = counts[order]
    # Python integers where a sum might not fit.
    bound = int(sorted_gains.max(initial=0)) * total
    kind = np.int64 if gains.dtype != object and bound < 2**62 else object
    reached = np.cumsum(sorted_gains.astype(kind) * copies.astype(kind), axis=0, dtype=kind)
    used = np.cumsum(copies, axis=0)
    results = np.full(len(targets), total, dtype=np.int64)
    results[targets <= 0] = 0
    open_targets = np.flatnonzero((targets > 0) & (reached[-1] >= targets))
    if len(open_targets):
        row = (reached[:, open_targets] >= targets[open_targets]).argmax(axis=0)
        gain = sorted_gains[row, open_targets]
        before = used[row, open_targets] - copies[row, open_targets]
        missing = targets[open_targets] - (
            reached[row, open_targets] - gain * copies[row, open_targets]
        )
        results[open_targets] = (before + -(-missing // gain)).astype(np.int64)
    return results


def chosen(number: int, gains: Integers, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many units of each class the so many largest gains take."""
    left = number
    taken = np.zeros(len(counts), dtype=np.int64)
    for k in np.argsort(-gains, kind="stable").tolist():
        taken[k] = min(left, int(counts[k]))
        left -= int(taken[k])
        if not left:
            break
    return taken


Pair = tuple[Label, Label]


@dataclass(frozen=True, eq=False)
class Asked:
    """Who is first, or which of two is above, in the consensus of all data."""

    # The data and what may go.
    units: Units
    # Who is first, perhaps tied, or in some optimum.
    first: tuple[Label, ...]
    # The pair that is asked about, the upper item first.
    pair: Pair | None
    # What has to change so that they are level, and so that another is ahead; None for what is so
    # already.
    questions: tuple[Question | None, Question]
    # What a reader should know; more is added.
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, units: Units, whole: Consensus, pair: Pair | None, deadline: Deadline) -> Asked:
        """Look at the consensus of all data; raises `OutOfTimeError` where it is not proved."""
        first = _leaders(whole, deadline)
        if pair is None:
            tops = tuple(units.items.indices(list(first)))
            ranked = np.flatnonzero(whole.ranking.ranks != UNRANKED).tolist()
            rivals = tuple(k for k in ranked if k not in tops)
            is_level = len(first) > 1
        else:
            pair = _upper_first(whole, pair, deadline)
            upper, lower = units.items.indices(list(pair))
            tops, rivals = (upper,), (lower,)
            is_level = not _is_above(whole, pair, deadline)
        level, overtaken = (
            Question(tops, rivals, strict=strict, is_pair=pair is not None)
            for strict in (False, True)
        )
        return cls(units, first, pair, (None if is_level else level, overtaken))

    def check(self, bracket: Bracket, question: Question | None, deadline: Deadline) -> None:
        """Aggregate what a removal leaves, and note who is first then."""
        if question is None:
            bracket.first = self.first
            return
        if bracket.removed is None:
            return
        try:
            left = self.units.judged(self.units.without(bracket.removed), deadline)
            then = _leaders(left, deadline)
            changed = self._is_changed(left, question, then, deadline)
        except OutOfTimeError:
            self.notes.append(f"a removal of {bracket.upper} was found, and not checked in time")
            bracket.removed = None
            return
        bracket.first = then
        if changed:
            return
        by_votes = isinstance(left.aggregator, Kemeny | Copeland)
        if by_votes and left.pairwise.is_exact and self.units.is_exact:
            raise VerificationError(
                f"Without {bracket.upper} of the {self.units.noun} the result is not what the "
                f"search found; first is {listed(then)}."
            )
        self.notes.append(
            "the rule ties scores, or rounds votes, that differ by less than it can tell"
        )

    def _is_changed(
        self, left: Consensus, question: Question, then: tuple[Label, ...], deadline: Deadline
    ) -> bool:
        if self.pair is not None:
            if question.strict:
                return _is_above(left, (self.pair[1], self.pair[0]), deadline)
            return not _is_above(left, self.pair, deadline)
        return not set(self.first) & set(then) if question.strict else then != self.first


def _upper_first(whole: Consensus, pair: Pair, deadline: Deadline) -> Pair:
    ranks = whole.ranking.ranks[whole.items.indices(list(pair))]
    if (ranks == UNRANKED).any():
        raise InvalidInputError("pair", "two items that the consensus ranks", pair)
    turned = pair[1], pair[0]
    return turned if _is_above(whole, turned, deadline) else pair


def _leaders(consensus: Consensus, deadline: Deadline) -> tuple[Label, ...]:
    """Return who is first, in some optimum of an exact rule."""
    if consensus.interrupted:
        raise KeyboardInterrupt  # it stops all of it, not one part
    if consensus.is_proved is None:
        return consensus.buckets[0] if consensus.buckets else ()
    if not consensus.is_proved:
        raise OutOfTimeError
    assert isinstance(consensus.optima, Optima), "a strict exact rule knows its optima"
    return consensus.optima._until(deadline).winners()


def _is_above(consensus: Consensus, pair: Pair, deadline: Deadline) -> bool:
    """Say whether the first of two items is above the second, in all optima of an exact rule."""
    upper, lower = consensus.items.indices(list(pair))
    if consensus.is_proved is None:
        ranks = consensus.ranking.ranks
        return bool(0 <= ranks[upper] < ranks[lower])
    assert isinstance(consensus.optima, Optima), "a strict exact rule knows its optima"
    return bool(consensus.optima._until(deadline).relation()[upper, lower])
