"""The optimal weak orders of one group of items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.weak.known import Known, closed, learn, nothing
from rankagg.aggregation.kemeny.weak.nodes import Branch, Fixing, Leaf
from rankagg.aggregation.kemeny.weak.problem import WeakProblem
from rankagg.aggregation.kemeny.weak.proof import arrays_of, leaf_bound
from rankagg.aggregation.kemeny.weak.relaxation import Relaxation
from rankagg.aggregation.kemeny.weak.search import WeakSearch

__all__ = ["Group"]

Levels = NDArray[np.intp]


@dataclass
class _Warm:
    """What one search leaves to the next: the rows of the relaxation, and a proof."""

    relaxation: Relaxation | None = None
    leaf: Leaf | None = None


@dataclass(frozen=True, eq=False)
class Group:
    """A group of items that every optimum keeps together.

    Attributes
    ----------
    part : ndarray of int
        Positions of its items.
    problem : WeakProblem
        Of them alone.
    levels : ndarray of int
        An optimal weak order of them: the number of each one's bucket.
    deadline : Deadline
        Raises `OutOfTimeError` once it has passed.
    limit : int
        Of a group with more optima, the ranks are bounded and not found.
    """

    part: NDArray[np.intp]
    problem: WeakProblem
    levels: Levels
    deadline: Deadline
    limit: int
    _warm: _Warm = field(default_factory=_Warm)

    def until(self, deadline: Deadline) -> Group:
        """Return the same with another deadline; what was found stays."""
        other = replace(self, deadline=deadline)
        for name in ("is_unique", "possible", "leaders", "ranks"):
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other

    @cached_property
    def cost(self) -> int:
        """What an optimum costs."""
        return self.problem.cost(self.levels)

    def _within(self, known: Known) -> Levels | None:
        """Return an optimum that respects what is known; None where there is none."""
        warm = self._warm
        if warm.leaf is None:
            warm.leaf = self._proof()
        if leaf_bound(self.problem, *arrays_of(warm.leaf), known) > self.cost:
            return None
        search = WeakSearch(self.problem, self.deadline, known=known, relaxation=warm.relaxation)
        search.run(kicks=False, until=self.cost + 1)
        warm.relaxation = search.relaxation or warm.relaxation
        return search.levels if search.upper <= self.cost else None

    def _proof(self) -> Leaf:
        """Return weighted rows that bound this group well."""
        search = WeakSearch(self.problem, self.deadline)
        search.run()
        self._warm.relaxation = search.relaxation
        root = search.nodes[0]
        if isinstance(root, Branch):
            root = search.nodes[root.not_below]
        if isinstance(root, Fixing):
            root = root.leaf
        return root if isinstance(root, Leaf) else Leaf()

    # -- one by one ---------------------------------------------------------------------------

    def optima(self) -> Iterator[Levels]:
        """Yield every optimum once.

        Each one found divides what is left by the first statement in which another differs.
        """
        stack = [(nothing(self.problem.n), self.levels)]
        while stack:
            known, levels = stack.pop()
            yield levels
            for i, j in np.argwhere(~np.eye(self.problem.n, dtype=bool)).tolist():
                if known.not_below[i, j] or known.above[j, i]:
                    continue
                self.deadline.seconds_left()
                is_below = bool(levels[i] > levels[j])
                other = learn(known, i, j, below=not is_below)
                found = None if other is None else self._within(other)
                if other is not None and found is not None:
                    stack.append((other, found))
                same = learn(known, i, j, below=is_below)
                assert same is not None, "a weak order respects what it is made of"
                known = same

    @cached_property
    def is_unique(self) -> bool:
        """Whether there is one only."""
        return len(list(islice(self.optima(), 2))) == 1

    # -- all at once --------------------------------------------------------------------------

    @cached_property
    def possible(self) -> tuple[Bools, Bools]:
        """Which statements hold in some optimum: row not below column; row below column."""
        n = self.problem.n
        not_below = self.levels[:, None] <= self.levels[None, :]
        below = ~not_below
        for i, j in np.argwhere(~np.eye(n, dtype=bool)).tolist():
            for is_below, seen in ((False, not_below), (True, below)):
                if seen[i, j]:
                    continue
                self.deadline.seconds_left()
                forced = learn(nothing(n), i, j, below=is_below)
                assert forced is not None, "nothing is contradicted"
                found = self._within(forced)
                if found is not None:
                    here = found[:, None] <= found[None, :]
                    not_below |= here
                    below |= ~here
        return not_below, below

    @cached_property
    def leaders(self) -> Bools:
        """Which items stand first, perhaps tied, in some optimum."""
        n = self.problem.n
        leads: Bools = self.levels == self.levels.min()
        for i in np.flatnonzero(~leads).tolist():
            self.deadline.seconds_left()
            over = np.zeros((n, n), dtype=bool)
            over[i] = True
            forced = closed(over, np.zeros((n, n), dtype=bool))
            assert forced is not None, "somebody is first"
            found = self._within(forced)
            if found is not None:
                leads |= found == found.min()
        return leads

    @cached_property
    def ranks(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """How many items stand above each one, at least and at most, among the optima."""
        found = list(islice(self.optima(), self.limit + 1))
        if len(found) <= self.limit:
            above = [(levels[None, :] < levels[:, None]).sum(axis=1) for levels in found]
            return np.min(above, axis=0), np.max(above, axis=0)
        not_below, below = self.possible
        low = (~not_below).sum(axis=1)
        return np.where(self.leaders, 0, np.maximum(low, 1)), below.sum(axis=1)
