"""What is asked of a consensus, and whether what is left after a removal answers it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rankagg._typing import Label
from rankagg.aggregation.condorcet import Copeland
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.optimal.optima import Optima
from rankagg.aggregation.result import Consensus
from rankagg.analysis.robustness.removal.bracket import Bracket, Question
from rankagg.analysis.robustness.removal.units import Units
from rankagg.core.items import listed
from rankagg.core.rankings.places import UNRANKED
from rankagg.exceptions import InvalidInputError, OutOfTimeError, VerificationError

__all__ = ["Asked"]

Pair = tuple[Label, Label]


@dataclass(frozen=True, eq=False)
class Asked:
    """Who is first, or which of two is above, in the consensus of all data.

    Attributes
    ----------
    units : Units
        The data and what may go.
    first : tuple
        Who is first, perhaps tied, or in some optimum.
    pair : tuple of two labels, or None
        The pair that is asked about, the upper item first.
    questions : tuple
        What has to change so that they are level, and so that another is ahead; None for what is
        so already.
    notes : list of str
        What a reader should know; more is added.
    """

    units: Units
    first: tuple[Label, ...]
    pair: Pair | None
    questions: tuple[Question | None, Question]
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
