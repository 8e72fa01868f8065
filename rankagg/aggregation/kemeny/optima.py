"""Sets of all optimal rankings: their agreement, their number, and the nearest one.

Reporting one optimum as if it were the only one misleads: GLUE's 105 systems have about 1.6e7. The
pairs that all optima share are a partial order. Items that it does not compare, directly or through
others, form consecutive blocks. Every combination of optimal orders of the blocks is optimal, so
the blocks are counted and searched one by one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator
from dataclasses import field
from functools import cached_property
from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import numpy as np
import pandas as pd

from rankagg._typing import Bools, Integers, Label, Positions
from rankagg._validation import check_integer
from rankagg.aggregation.deadline import Deadline, deadline_of
from rankagg.aggregation.kemeny.problem import ENUMERABLE, Problem, SubsetTable
from rankagg.core import (
    ItemSet,
    PartialRanking,
    Permutation,
    Result,
    counted,
    exact,
    permutation_of,
    plain_rows,
)
from rankagg.core.graphs import connected_parts
from rankagg.exceptions import TooLargeError

if TYPE_CHECKING:
    from rankagg.aggregation.kemeny.optimal_relation import Relation

S = TypeVar("S", bound="OptimalSet")
# The ranks within larger blocks are bounds.
RANGED = 14


class OptimalSet(Result):
    """All optimal rankings of a Kemeny problem whose optimum is proved."""

    items: ItemSet
    _deadline: Deadline = field(default_factory=Deadline)

    _prints_table = False
    #: The noun for one optimum.
    _noun: ClassVar[str]

    def within(self: S, time_limit: float | None) -> S:
        """Return the same optima with a time limit for all further computations.

        Parameters
        ----------
        time_limit : float or None
            Seconds from now. Later computations raise `OutOfTimeError`; finished results stay.

        Examples
        --------
        >>> from rankagg import Kemeny, Profile
        >>> exact = Kemeny().aggregate(Profile.from_orders(["ABC", "BCA", "CAB"]))
        >>> exact.optima.within(10).count()
        3
        >>> exact.optima.within(0).count()
        Traceback (most recent call last):
            ...
        rankagg.exceptions.OutOfTimeError: Not computed in time: the time limit has passed.
        """
        return self._until(deadline_of(time_limit))

    def _until(self: S, deadline: Deadline) -> S:
        """Return the same optima with a deadline and all cached results."""
        other = object.__new__(type(self))  # `copy` returns immutable values themselves
        other.__dict__.update(self.__dict__ | {"_deadline": deadline})
        other.__dict__.pop("_tables", None)  # they have the former deadline
        return other

    @property
    @abstractmethod
    def is_unique(self) -> bool:
        """True if there is only one optimum."""

    @property
    @abstractmethod
    def n_undecided_pairs(self) -> int:
        """The number of pairs on whose order the optima differ."""

    @property
    @abstractmethod
    def blocks(self) -> tuple[tuple[Label, ...], ...]:
        """The items in groups, best first; optima differ only within groups."""

    @abstractmethod
    def count(self) -> int:
        """Return the exact number of optima; raise `TooLargeError` if it is too large."""

    @abstractmethod
    def rank_ranges(self) -> tuple[Positions, Positions]:
        """Return the best and the worst rank, from 1, of every item among the optima."""

    def nearest(self, ranking: PartialRanking) -> PartialRanking:
        """Return an optimum with the least Kendall distance to a ranking.

        Pairs tied in one of the two, or without an order in the ranking, count their average cost.

        Parameters
        ----------
        ranking : PartialRanking
            A ranking of the same items.

        Returns
        -------
        PartialRanking
            A `Permutation` if the optima are strict.
        """
        return self._closest(ranking, 1)

    def farthest(self, ranking: PartialRanking) -> PartialRanking:
        """Return an optimum with the largest Kendall distance to a ranking; see `nearest`.

        Parameters
        ----------
        ranking : PartialRanking
            A ranking of the same items.
        """
        return self._closest(ranking, -1)

    @abstractmethod
    def _closest(self, ranking: PartialRanking, sign: Literal[1, -1]) -> PartialRanking:
        """Return an optimum of least distance to a ranking, or of largest distance for sign -1."""

    @abstractmethod
    def _listed(self) -> Positions:
        """Return the positions of the items in the order of one optimum."""

    def _where(self) -> str:
        """Return where the optima differ, as the end of a sentence."""
        return ""

    # -- output -------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item, in the order of one optimum.

        Returns
        -------
        pandas.DataFrame
            block: number of the item's block, from 1; best and worst: its ranks in the optima,
            see `rank_ranges`.
        """
        best, worst = self.rank_ranges()
        order = self._listed()
        number = {item: k for k, block in enumerate(self.blocks, 1) for item in block}
        labels = self.items.at(order)
        block = [number[item] for item in labels]
        columns = {"block": block, "best": best[order], "worst": worst[order]}
        return pd.DataFrame(columns, index=pd.Index(labels, name="item"))

    def _content(self) -> dict[str, Any]:
        try:
            count = self.count()
        except TooLargeError:
            count = None
        return {
            "is_unique": self.is_unique,
            "count": count,
            "n_undecided_pairs": self.n_undecided_pairs,
            "blocks": [list(block) for block in self.blocks],
            "ranks": plain_rows(self.to_frame().reset_index()),
        }

    def _facts(self) -> list[str]:
        if self.is_unique:
            return ["this one only"]
        n = len(self.items)
        pairs = counted(n * (n - 1) // 2, "pair")
        differ = f"differ on {self.n_undecided_pairs} of {pairs}{self._where()}"
        try:
            return [f"{counted(self.count(), self._noun)}, which {differ}"]
        except TooLargeError as error:
            return [f"more than one, which {differ}; not counted: {error}"]

    def __repr__(self) -> str:
        content = "one"
        if not self.is_unique:
            pairs = counted(self.n_undecided_pairs, "pair")
            content = f"{pairs} of {counted(len(self.items), 'item')} undecided"
        return f"<{type(self).__name__}: {content}>"


class Optima(OptimalSet):
    """All optimal rankings of a Kemeny problem whose optimum is proved.

    Returned by `Consensus.optima`; it has no plot. Results are computed on first use and cached.

    Attributes
    ----------
    items : ItemSet
        The items.
    """

    _problem: Problem
    _order: Positions

    _schema = "rankagg.optima"
    _noun = "ranking"

    def _key(self) -> tuple[Hashable, ...]:
        return self.items, self._problem.costs.tobytes(), self._problem.denominator

    # -- agreement of all optima --------------------------------------------------------------

    @cached_property
    def _relation(self) -> Relation:
        # The solver loads late.
        from rankagg.aggregation.kemeny.optimal_relation import Relation  # noqa: PLC0415

        return Relation(self._problem, self._order, self._deadline)

    def relation(self) -> Bools:
        """Return which items are before which in every optimum.

        Returns
        -------
        ndarray of bool, shape (n, n)
            Row before column; a strict partial order.
        """
        return self._relation.always

    @property
    def is_unique(self) -> bool:
        """True if there is only one optimum."""
        return len(self._positions) == len(self.items)

    @property
    def n_undecided_pairs(self) -> int:
        """The number of pairs on whose order the optima differ."""
        n = len(self.items)
        return n * (n - 1) // 2 - int(self.relation().sum())

    @property
    def blocks(self) -> tuple[tuple[Label, ...], ...]:
        """The items in groups, best first; optima differ only within groups."""
        return tuple(self.items.at(sorted(block)) for block in self._positions)

    @cached_property
    def _positions(self) -> list[Positions]:
        always = self.relation()
        block = connected_parts(~(always | always.T))
        firsts = dict.fromkeys(block[self._order].tolist())
        return [self._order[block[self._order] == number] for number in firsts]

    # -- enumeration --------------------------------------------------------------------------

    @cached_property
    def _tables(self) -> list[SubsetTable]:
        self._check_sizes()
        return [
            SubsetTable(self._problem.restrict(block), self._deadline) for block in self._positions
        ]

    def _check_sizes(self) -> None:
        large = max(map(len, self._positions))
        if large > ENUMERABLE:
            raise TooLargeError(
                f"The optima differ within a block of {counted(large, 'item')}; blocks of at most "
                f"{ENUMERABLE} can be counted. At least {self._relation.n_seen} optima exist; "
                "`relation()` and `blocks` are complete."
            )

    def count(self) -> int:
        """Return the exact number of optima.

        Raises
        ------
        TooLargeError
            If a block is too large to be counted; the message gives a lower bound.
        """
        return prod(table.count() for table in self._tables)

    def __iter__(self) -> Iterator[Permutation]:
        """Iterate over all optima; there may be astronomically many, see `first`."""
        blocks = zip(self._positions, self._tables, strict=True)
        choices = [[block[order] for order in table.orders()] for block, table in blocks]
        for chosen in product(*choices):
            yield self._ranking(np.concatenate(chosen))

    def first(self, limit: int) -> list[Permutation]:
        """Return up to `limit` optima.

        Parameters
        ----------
        limit : int
            At least 1.
        """
        return list(islice(self, check_integer(limit, "limit", low=1)))

    def winners(self) -> tuple[Label, ...]:
        """Return the items that are first in some optimum, in the order of the items."""
        best, _ = self.rank_ranges()
        return self.items.where(best == 1)

    def rank_ranges(self) -> tuple[Positions, Positions]:
        """Return the best and the worst rank, from 1, of every item among the optima.

        If optima differ within a block of more than 14 items, its ranks are bounds that follow from
        `relation`, except the first rank, which is always exact.

        Returns
        -------
        best, worst : ndarray of int, shape (n,)
        """
        from rankagg.aggregation.kemeny.optimal_relation import can_lead  # noqa: PLC0415

        always = self.relation()
        best, worst = 1 + always.sum(axis=0), len(always) - always.sum(axis=1)
        for block in self._positions:
            if len(block) == 1:
                continue
            inside = self._problem.restrict(block)
            start = int(best[block].min())
            if len(block) <= RANGED:
                places = SubsetTable(inside, self._deadline).positions()
                best[block] = start + places.argmax(axis=1)
                worst[block] = start + len(block) - 1 - places[:, ::-1].argmax(axis=1)
            else:
                leads = [
                    best[i] == 1 and can_lead(inside, k, self._deadline)
                    for k, i in enumerate(block)
                ]
                best[block] = np.where(leads, 1, np.maximum(best[block], 2))
        return best, worst

    def _closest(self, ranking: PartialRanking, sign: Literal[1, -1]) -> Permutation:
        self.items.require_same(ranking.items, "The optima and a ranking")
        scale = 2 * (ranking.n_observed + 1)
        distance = np.rint(ranking.pairwise_probabilities().T * scale).astype(np.int64)
        self._check_sizes()
        parts = [
            block[self._best_second(block, sign * distance[np.ix_(block, block)])]
            for block in self._positions
        ]
        return self._ranking(np.concatenate(parts))

    def _best_second(self, block: Positions, second: Integers) -> Positions:
        """Return the optimal order of a block that is best by a second cost."""
        # One unit of the first cost outweighs every second cost.
        weight = 2 * int(np.abs(second).sum()) + 1
        costs = exact.combine(self._problem.restrict(block).costs, weight, second, 1)
        return SubsetTable(Problem(exact.fit(costs), 0, 1), self._deadline).order()

    def _ranking(self, order: Positions) -> Permutation:
        return permutation_of(np.argsort(order), self.items)

    # -- robustness --------------------------------------------------------------------------

    @cached_property
    def addition_radius(self) -> int | None:
        """The least number of added complete rankings that can make the ranking non-optimal.

        None for a single item.

        No set of added rankings is worse for a ranking than copies of its own reverse, and more
        copies are worse, so bisection finds their number. It is also a lower bound on the number
        of rankings that would have to be removed.
        """
        if len(self.items) < 2:
            return None
        low, high = 0, 1
        while self._survives(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._survives(middle) else (low, middle)
        return high

    def _survives(self, copies: int) -> bool:
        """Return whether the order stays optimal with copies of its reverse among the votes."""
        from rankagg.aggregation.kemeny.optimal_relation import is_beaten  # noqa: PLC0415

        place = np.argsort(self._order)
        ahead = (place[:, None] < place[None, :]).astype(np.int64)
        problem = self._problem
        costs = exact.combine(problem.costs, 1, ahead, copies * problem.denominator)
        changed = Problem(exact.fit(costs), 0, problem.denominator)
        return not is_beaten(changed, self._order, self._deadline)

    def _listed(self) -> Positions:
        return self._order

    def _where(self) -> str:
        blocks = sum(len(block) > 1 for block in self.blocks)
        return ", in one block" if blocks == 1 else f", in {counted(blocks, 'block')}"
