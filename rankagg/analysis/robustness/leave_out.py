"""Aggregating data again without some of their tasks or systems."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Ranks
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.optimal.optima import Optima
from rankagg.aggregation.result import Consensus
from rankagg.analysis.robustness.near import Near
from rankagg.analysis.robustness.parts import Parts
from rankagg.core.rankings.places import UNRANKED
from rankagg.core.value import Value, array_key
from rankagg.exceptions import OutOfTimeError

__all__ = ["Found", "Source"]


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


@dataclass(frozen=True, eq=False, kw_only=True)
class Source(Parts):
    """Data that a rule can aggregate without some of their tasks or systems.

    Attributes
    ----------
    rule : Aggregator
        What aggregates.
    near : Near, optional
        What helps it.
    """

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
