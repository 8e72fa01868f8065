"""Finding the pairs that have the same order in every optimum, before anything is solved."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proofs.nodes import Cut, Exchange, Persistent
from rankagg.aggregation.kemeny.proofs.persistency import (
    Pairs,
    all_by_cut,
    closed,
    may_be_cut,
    passing,
    small_cuts,
)

__all__ = ["Persistence"]

# Equal ones decide most among rankings, single moves among weights that differ a lot.
MULTIPLIERS = ((1, 1), (1, 0), (0, 1), (2, 1), (1, 2))
# Cuts add a tenth where weights differ a lot, and next to nothing among hundreds of items. They are
# tried for some pairs that keep at least this share of their gain when other items are set apart.
CUTS_UP_TO, CUT_SIZE, CUTS_PER_ITEM, PROMISING = 150, 6, 4, 0.5
NEVER = Deadline()
# Entries between two looks at the clock.
BETWEEN_LOOKS = 2**24


class Persistence:
    """What is known of every optimum of a part, and by which lines of a proof.

    Parameters
    ----------
    problem : Problem
        The part.
    deadline : Deadline
        When to look no further.

    Attributes
    ----------
    known : ndarray of bool, shape (n, n)
        Row before column in every optimum, closed under transitivity.
    nodes : list of Exchange or Cut
        A chain: each is the child of the one before it.
    """

    def __init__(self, problem: Problem, deadline: Deadline = NEVER) -> None:
        n = problem.n
        self._problem = problem
        self._deadline = deadline
        self._gains = _small(-problem.margins)
        self.known: Bools = np.zeros((n, n), dtype=bool)
        self.nodes: list[Persistent] = []
        # What was known when pairs were last tried with these multipliers.
        self._tried: dict[tuple[int, int], Bools] = {}
        while self._exchange() or self._cut():
            pass

    def _exchange(self) -> bool:
        """Try all multipliers, and say whether a pair was found."""
        before = len(self.nodes)
        for up, down in MULTIPLIERS:
            pairs = self._pairs_to_try(up, down)
            step = max(BETWEEN_LOOKS // len(self.known), 1)
            for start in range(0, len(pairs), step):
                if self._deadline.is_over:
                    return False
                some = pairs[start : start + step]
                some = some[~self.known[tuple(some.T)]]
                found = some[passing(self._gains, self.known, some, up, down)]
                if len(found):
                    rest = len(self.nodes) + 1
                    self.nodes.append(Exchange(self._add(found), up, down, rest))
        return len(self.nodes) > before

    def _cut(self) -> bool:
        """Try cuts for the most promising pairs, and say whether a pair was found."""
        n = len(self.known)
        if n > CUTS_UP_TO or self._deadline.is_over:
            return False
        before = len(self.nodes)
        pairs = np.argwhere((self._gains > 0) & ~self.known & ~self.known.T)
        share = may_be_cut(self._gains, self.known, pairs)
        first = np.argsort(-share, kind="stable")[: CUTS_PER_ITEM * n]
        pairs = pairs[first[share[first] > PROMISING]]
        cuts, loss = small_cuts(self._gains, self.known, pairs, CUT_SIZE)
        for at in np.flatnonzero(loss < self._gains[tuple(pairs.T)]):
            pair, above = pairs[at : at + 1], np.flatnonzero(cuts[at])
            if not self.known[tuple(pair[0])] and all_by_cut(
                self._problem, self.known, above, pair
            ):
                rest = len(self.nodes) + 1
                self.nodes.append(Cut(tuple(above.tolist()), self._add(pair), rest))
        return len(self.nodes) > before

    def _pairs_to_try(self, up: int, down: int) -> Pairs:
        """Return open pairs for which more is known than when they were tried last."""
        is_open: Bools = (self._gains > 0) & ~self.known & ~self.known.T
        if (up, down) in self._tried:
            new = self.known & ~self._tried[up, down]
            is_open &= np.logical_or.outer(new.any(axis=1), new.any(axis=0))
        self._tried[up, down] = self.known
        return np.argwhere(is_open)

    def _add(self, found: Pairs) -> tuple[tuple[int, int], ...]:
        """Add pairs, and return those from which the others follow."""
        pairs = np.zeros_like(self.known)
        pairs[tuple(found.T)] = True
        more = closed(self.known | pairs)
        assert more is not None, "an optimum has all of these pairs"
        steps = more.astype(np.float32)
        self.known = more
        needed: list[list[int]] = np.argwhere(pairs & ~(steps @ steps > 0)).tolist()
        return tuple((x, y) for x, y in needed)


def _small(gains: Integers) -> NDArray[Any]:
    """Return gains in machine integers: rounded down, if need be, which proves less at most."""
    largest = int(np.abs(gains).max(initial=0)) + 1
    room = 8 * (len(gains) + 1) * (max(map(sum, MULTIPLIERS)) + 1)
    if room * largest < 2**31:
        return gains.astype(np.int32)
    # Whatever is rounded, an exchange that passes passes with the exact gains.
    return (gains >> max((room * largest).bit_length() - 62, 0)).astype(np.int64)
