"""The set of all optimal weak orders: whether there is one only, and what all agree on.

Where one place is the only cheapest for all pairs across, every optimum keeps to the groups (see
`decomposition`), so groups are looked at one by one, and every choice of optima of the groups is
an optimum of all. In a group each statement "i is not below j" is forced, and its opposite, unless
an optimum with it is known already: a search either finds one or proves that it costs more.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cached_property
from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Label
from rankagg._validation import check_integer
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.optimal.optimal_set import OptimalSet
from rankagg.aggregation.kemeny.weak.decomposition import groups
from rankagg.aggregation.kemeny.weak.problem import WeakProblem
from rankagg.core.items import counted
from rankagg.core.rankings.partial import PartialRanking, as_ranking
from rankagg.distances.kendall import kendall_distance
from rankagg.exceptions import BlockTooLargeError

if TYPE_CHECKING:
    from rankagg.aggregation.kemeny.weak.group import Group

__all__ = ["LIMIT", "WeakOptima"]

#: A group with more optima is not enumerated.
LIMIT = 1000


class WeakOptima(OptimalSet):
    """All optimal weak orders of a Kemeny problem whose optimum is proved.

    Found by `Consensus.optima`; it has no plot. Everything is computed when first asked for, and
    kept. How much would have to change to overturn the optimum is not computed.

    Attributes
    ----------
    items : ItemSet
        The items.
    """

    _problem: WeakProblem
    _levels: NDArray[np.intp]

    _schema = "rankagg.weak_optima"
    _noun = "weak order"

    def _until(self, deadline: Deadline) -> WeakOptima:
        found = WeakOptima(
            items=self.items, _problem=self._problem, _levels=self._levels, _deadline=deadline
        )
        # What is known already takes no time.
        found.__dict__["_groups"] = [group.until(deadline) for group in self._groups]
        return found

    def _key(self) -> tuple[Hashable, ...]:
        problem = self._problem
        return self.items, problem.above.tobytes(), problem.tied.tobytes(), problem.denominator

    @cached_property
    def _groups(self) -> list[Group]:
        # The solver is loaded when something is solved.
        from rankagg.aggregation.kemeny.weak.group import Group  # noqa: PLC0415

        parts = groups(self._problem, all_optima=True)
        return [
            Group(part, self._problem.restrict(part), self._levels[part], self._deadline, LIMIT)
            for part in parts
        ]

    # -- what all optima agree on -------------------------------------------------------------

    @property
    def is_unique(self) -> bool:
        """True where there is one optimum only."""
        return all(group.is_unique for group in self._groups)

    @cached_property
    def _possible(self) -> tuple[Bools, Bools]:
        """Which statements hold in some optimum: row not below column; row below column."""
        n = len(self.items)
        place = np.empty(n, dtype=np.intp)
        for number, group in enumerate(self._groups):
            place[group.part] = number
        not_below = place[:, None] <= place[None, :]
        below = place[:, None] > place[None, :]
        for group in self._groups:
            inside = np.ix_(group.part, group.part)
            not_below[inside], below[inside] = group.possible
        return not_below, below

    def relation(self) -> Bools:
        """Return which items stand above which, not tied, in every optimum.

        Returns
        -------
        ndarray of bool, shape (n, n)
            Row above column; a strict partial order.
        """
        not_below, _ = self._possible
        always: Bools = ~not_below.T
        return always

    @property
    def n_undecided_pairs(self) -> int:
        """The number of pairs that are not placed alike, above, below or tied, in all optima."""
        not_below, below = self._possible
        differs = not_below & below
        return int(np.triu(differs | differs.T, k=1).sum())

    @property
    def blocks(self) -> tuple[tuple[Label, ...], ...]:
        """The items in groups, best first: every optimum puts a group above the next ones."""
        return tuple(self.items.at(sorted(group.part)) for group in self._groups)

    # -- how many, and which ------------------------------------------------------------------

    def count(self) -> int:
        """Return the exact number of optima.

        Raises
        ------
        BlockTooLargeError
            If one group has more than a thousand.
        """
        return prod(len(found) for found in self._enumerated)

    @cached_property
    def _enumerated(self) -> list[list[NDArray[np.intp]]]:
        found = []
        for group in self._groups:
            levels = list(islice(group.optima(), LIMIT + 1))
            if len(levels) > LIMIT:
                raise BlockTooLargeError(
                    f"The optima differ within a group of {counted(len(group.part), 'item')} that "
                    f"has more than {LIMIT}; so many are not counted. `is_unique` and `relation()` "
                    "do without."
                )
            found.append(levels)
        return found

    def __iter__(self) -> Iterator[PartialRanking]:
        """Iterate over all optima; see `count`."""
        for chosen in product(*self._enumerated):
            yield self._ranking(chosen)

    def first(self, limit: int) -> list[PartialRanking]:
        """Return up to `limit` optima.

        Parameters
        ----------
        limit : int
            At least 1.

        Returns
        -------
        list of PartialRanking
        """
        times = check_integer(limit, "limit", low=1)
        choices = [list(islice(group.optima(), times)) for group in self._groups]
        return [self._ranking(chosen) for chosen in islice(product(*choices), times)]

    def _ranking(self, chosen: tuple[NDArray[np.intp], ...]) -> PartialRanking:
        ranks = np.zeros(len(self.items), dtype=np.int32)
        start = 0
        for group, levels in zip(self._groups, chosen, strict=True):
            ranks[group.part] = start + _places(levels)
            start += len(levels)
        return as_ranking(ranks, self.items)

    def winners(self) -> tuple[Label, ...]:
        """Return the items that stand first, perhaps tied, in some optimum.

        Returns
        -------
        tuple of str or int
            In the order of the items.
        """
        first = self._groups[0]
        return self.items.at(sorted(first.part[first.leaders]))

    def rank_ranges(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the best and the worst rank, from 1, of every item among the optima.

        The rank is one more than the number of items above. Where a group has more than a
        thousand optima, its ranks are bounds that follow from what all of them agree on, but for
        the first rank, which is always exact.

        Returns
        -------
        best, worst : ndarray of int, shape (n,)
        """
        n = len(self.items)
        best, worst = np.ones(n, dtype=np.intp), np.ones(n, dtype=np.intp)
        start = 1
        for group in self._groups:
            low, high = group.ranks
            best[group.part], worst[group.part] = start + low, start + high
            start += len(group.part)
        return best, worst

    def nearest(self, ranking: PartialRanking) -> PartialRanking:
        """Return an optimum with the least Kendall distance to a ranking.

        A pair that one of the two ties counts one half.

        Parameters
        ----------
        ranking : PartialRanking
            A ranking of the same items.

        Returns
        -------
        PartialRanking
        """
        return min(self, key=lambda one: kendall_distance(one, ranking, p=0.5))

    def farthest(self, ranking: PartialRanking) -> PartialRanking:
        """Return an optimum with the largest Kendall distance to a ranking; see `nearest`.

        Parameters
        ----------
        ranking : PartialRanking
            A ranking of the same items.

        Returns
        -------
        PartialRanking
        """
        return max(self, key=lambda one: kendall_distance(one, ranking, p=0.5))

    def _listed(self) -> NDArray[np.intp]:
        order: NDArray[np.intp] = np.argsort(self._levels, kind="stable")
        return order


def _places(levels: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return how many items stand above each one."""
    above: NDArray[np.intp] = (levels[None, :] < levels[:, None]).sum(axis=1)
    return above
