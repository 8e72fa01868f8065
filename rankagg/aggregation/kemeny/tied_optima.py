"""The exact consensus among weak orders, and the set of all optima among them.

If one relation is the unique cheapest for all pairs across, every optimum respects the groups (see
`weak_proof`). So groups are solved one by one, and every combination of their optima is optimal.
In a group each statement "i is not below j" and its opposite is forced, unless an optimum with it
is known. A search then either finds one or proves that it costs more.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product
from math import prod
from typing import Literal

import numpy as np

from rankagg._typing import Bools, Label, Positions
from rankagg._validation import check_integer
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.certificate import TiedCertificate
from rankagg.aggregation.kemeny.optima import OptimalSet
from rankagg.aggregation.kemeny.parts import Effort, solve_parts
from rankagg.aggregation.kemeny.proof import Weighting
from rankagg.aggregation.kemeny.relaxation import Relaxation
from rankagg.aggregation.kemeny.weak_proof import Known, WeakProblem, WeakProof
from rankagg.aggregation.kemeny.weak_search import WeakSearch, solve_weak_part
from rankagg.aggregation.outcome import Outcome, proved_outcome
from rankagg.check_certificate import Branch, Fixing, Leaf
from rankagg.core import PairwiseMatrix, PartialRanking, as_ranking, counted
from rankagg.distances import kendall_distance
from rankagg.exceptions import TooLargeError

Levels = Positions
#: A group with more optima is not enumerated.
MOST_OPTIMA = 1000


@dataclass
class _Warm:
    """Warm start for the next search: the rows of the relaxation, and a proof."""

    relaxation: Relaxation | None = None
    weighting: Weighting | None = None


@dataclass(frozen=True, eq=False)
class _OptimalGroup:
    """A group of items that every optimum keeps together."""

    # Positions of its items.
    part: Positions
    problem: WeakProblem
    # An optimal weak order: the bucket number of each item.
    levels: Levels
    # Searches raise `OutOfTimeError` once it has passed.
    deadline: Deadline
    _warm: _Warm = field(default_factory=_Warm)

    def until(self, deadline: Deadline) -> _OptimalGroup:
        """Return a copy with another deadline and all cached results."""
        other = copy(self)
        other.__dict__["deadline"] = deadline
        return other

    @cached_property
    def cost(self) -> int:
        """Cost of an optimum."""
        return self.problem.cost(self.levels)

    def _within(self, known: Known) -> Levels | None:
        """Return an optimum that respects the known relations; None if there is none."""
        warm = self._warm
        if warm.weighting is None:
            warm.weighting = Weighting.of(self._proof(), np.arange(self.problem.n))
        if WeakProof.least(self.problem, warm.weighting, known) > self.cost:
            return None
        search = WeakSearch(self.problem, self.deadline, decided=known, relaxation=warm.relaxation)
        search.run(until=self.cost + 1, known=self.cost)
        warm.relaxation = search.relaxation or warm.relaxation
        return search.order if search.upper <= self.cost else None

    def _proof(self) -> Leaf:
        """Return weighted rows that bound this group well."""
        search = WeakSearch(self.problem, self.deadline)
        search.run()
        self._warm.relaxation = search.relaxation
        root = search.nodes[0]
        if isinstance(root, Branch):
            root = search.nodes[root.yes]
        if isinstance(root, Fixing):
            root = root.leaf
        return root if isinstance(root, Leaf) else Leaf()

    # -- one by one ---------------------------------------------------------------------------

    def optima(self) -> Iterator[Levels]:
        """Yield every optimum once.

        Each optimum found splits the remaining ones by the first statement in which they differ.
        """
        stack = [(WeakProof.nothing(self.problem.n), self.levels)]
        while stack:
            known, levels = stack.pop()
            yield levels
            for i, j in np.argwhere(~np.eye(self.problem.n, dtype=bool)).tolist():
                if known.not_below[i, j] or known.above[j, i]:
                    continue
                self.deadline.seconds_left()
                is_below = bool(levels[i] > levels[j])
                other = WeakProof.answered(known, i, j, holds=is_below)
                found = None if other is None else self._within(other)
                if other is not None and found is not None:
                    stack.append((other, found))
                same = WeakProof.answered(known, i, j, holds=not is_below)
                assert same is not None, "a weak order respects its own statements"
                known = same

    @cached_property
    def is_unique(self) -> bool:
        """Whether there is only one optimum."""
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
                forced = WeakProof.answered(WeakProof.nothing(n), i, j, holds=not is_below)
                assert forced is not None, "a single statement is consistent"
                found = self._within(forced)
                if found is not None:
                    here = found[:, None] <= found[None, :]
                    not_below |= here
                    below |= ~here
        return not_below, below

    @cached_property
    def leaders(self) -> Bools:
        """The items that are first, possibly tied, in some optimum."""
        n = self.problem.n
        leads: Bools = self.levels == self.levels.min()
        for i in np.flatnonzero(~leads).tolist():
            self.deadline.seconds_left()
            over = np.zeros((n, n), dtype=bool)
            over[i] = True
            forced = Known.following(over, np.zeros((n, n), dtype=bool))
            assert forced is not None, "any item can be first"
            found = self._within(forced)
            if found is not None:
                leads |= found == found.min()
        return leads

    @cached_property
    def ranks(self) -> tuple[Positions, Positions]:
        """Least and largest number of items above each item among the optima."""
        found = list(islice(self.optima(), MOST_OPTIMA + 1))
        if len(found) <= MOST_OPTIMA:
            above = [_n_above(levels) for levels in found]
            return np.min(above, axis=0), np.max(above, axis=0)
        not_below, below = self.possible
        return np.where(self.leaders, 0, np.maximum((~not_below).sum(axis=1), 1)), below.sum(axis=1)


class TiedOptima(OptimalSet):
    """All optimal weak orders of a Kemeny problem whose optimum is proved.

    Returned by `Consensus.optima`; it has no plot. Results are computed on first use and cached.
    The change of votes that would overturn the optimum is not computed.

    Attributes
    ----------
    items : ItemSet
        The items.
    """

    _problem: WeakProblem
    _levels: Positions

    _schema = "rankagg.tied_optima"
    _noun = "weak order"

    def _until(self, deadline: Deadline) -> TiedOptima:
        other = super()._until(deadline)
        other.__dict__["_groups"] = [group.until(deadline) for group in self._groups]
        return other

    def _key(self) -> tuple[Hashable, ...]:
        problem = self._problem
        return self.items, problem.above.tobytes(), problem.tied.tobytes(), problem.denominator

    @cached_property
    def _groups(self) -> list[_OptimalGroup]:
        return [
            _OptimalGroup(part, self._problem.restrict(part), self._levels[part], self._deadline)
            for part in self._problem.groups(all_optima=True)
        ]

    # -- agreement of all optima --------------------------------------------------------------

    @property
    def is_unique(self) -> bool:
        """True if there is only one optimum."""
        return all(group.is_unique for group in self._groups)

    @cached_property
    def _possible(self) -> tuple[Bools, Bools]:
        """Which statements hold in some optimum: row not below column; row below column."""
        place = np.empty(len(self.items), dtype=np.intp)
        for number, group in enumerate(self._groups):
            place[group.part] = number
        not_below = place[:, None] <= place[None, :]
        below = place[:, None] > place[None, :]
        for group in self._groups:
            inside = np.ix_(group.part, group.part)
            not_below[inside], below[inside] = group.possible
        return not_below, below

    def relation(self) -> Bools:
        """Return which items are strictly above which in every optimum.

        Returns
        -------
        ndarray of bool, shape (n, n)
            Row above column; a strict partial order.
        """
        not_below, _ = self._possible
        return ~not_below.T

    @property
    def n_undecided_pairs(self) -> int:
        """The number of pairs whose relation (above, below or tied) differs among the optima."""
        not_below, below = self._possible
        differs = not_below & below
        return int(np.triu(differs | differs.T, k=1).sum())

    @property
    def blocks(self) -> tuple[tuple[Label, ...], ...]:
        """The items in groups, best first; every optimum puts each group above the next ones."""
        return tuple(self.items.at(sorted(group.part)) for group in self._groups)

    # -- enumeration --------------------------------------------------------------------------

    def count(self) -> int:
        """Return the exact number of optima.

        Raises
        ------
        TooLargeError
            If one group has more than a thousand.
        """
        return prod(map(len, self._enumerated))

    @cached_property
    def _enumerated(self) -> list[list[Positions]]:
        found = []
        for group in self._groups:
            levels = list(islice(group.optima(), MOST_OPTIMA + 1))
            if len(levels) > MOST_OPTIMA:
                raise TooLargeError(
                    f"The optima differ within a group of {counted(len(group.part), 'item')} that "
                    f"has more than {MOST_OPTIMA}, which are not counted. `is_unique` and "
                    "`relation()` do not count."
                )
            found.append(levels)
        return found

    def __iter__(self) -> Iterator[PartialRanking]:
        """Iterate over all optima; see `count`."""
        yield from map(self._ranking, product(*self._enumerated))

    def first(self, limit: int) -> list[PartialRanking]:
        """Return up to `limit` optima.

        Parameters
        ----------
        limit : int
            At least 1.
        """
        times = check_integer(limit, "limit", low=1)
        choices = [list(islice(group.optima(), times)) for group in self._groups]
        return [self._ranking(chosen) for chosen in islice(product(*choices), times)]

    def _ranking(self, chosen: tuple[Positions, ...]) -> PartialRanking:
        ranks = np.zeros(len(self.items), dtype=np.int32)
        start = 0
        for group, levels in zip(self._groups, chosen, strict=True):
            ranks[group.part] = start + _n_above(levels)
            start += len(levels)
        return as_ranking(ranks, self.items)

    def winners(self) -> tuple[Label, ...]:
        """Return the items that are first, possibly tied, in some optimum.

        Returns
        -------
        tuple of str or int
            In the order of the items.
        """
        first = self._groups[0]
        return self.items.at(sorted(first.part[first.leaders]))

    def rank_ranges(self) -> tuple[Positions, Positions]:
        """Return the best and the worst rank, from 1, of every item among the optima.

        The rank is one plus the number of items above. If a group has more than a thousand optima,
        its ranks are bounds that follow from their agreement, except the first rank, which is
        always exact.

        Returns
        -------
        best, worst : ndarray of int, shape (n,)
        """
        best, worst = np.ones((2, len(self.items)), dtype=np.intp)
        start = 1
        for group in self._groups:
            low, high = group.ranks
            best[group.part], worst[group.part] = start + low, start + high
            start += len(group.part)
        return best, worst

    def _closest(self, ranking: PartialRanking, sign: Literal[1, -1]) -> PartialRanking:
        return min(self, key=lambda one: sign * kendall_distance(one, ranking, tie_cost=0.5))

    def _listed(self) -> Positions:
        return np.argsort(self._levels, kind="stable")


def _n_above(levels: Positions) -> Positions:
    """Return the number of items above each item."""
    return np.asarray((levels[None, :] < levels[:, None]).sum(axis=1))


def solve_weak(
    votes: PairwiseMatrix, *, tie_cost: float, consensus_tie_cost: float, effort: Effort
) -> Outcome:
    """Solve the problem of pairwise votes among weak orders."""
    problem, effort = effort.with_problem(
        lambda: WeakProblem.from_pairwise(votes, tie_cost, consensus_tie_cost)
    )
    solved = solve_parts(problem, problem.groups(), solve_weak_part, effort, kind=WeakProof)
    certificate = TiedCertificate.build(
        votes,
        solved.levels,
        solved.proofs,
        tie_cost=tie_cost,
        consensus_tie_cost=consensus_tie_cost,
        problem=problem,
    )
    optima = TiedOptima(items=votes.items, _problem=problem, _levels=solved.levels)
    return proved_outcome(certificate, solved, effort, optima, noun="weak order")
