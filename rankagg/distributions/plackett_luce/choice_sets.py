"""Sets of alternatives, as linear maps: what a likelihood asks of them.

Few items make few different sets, so equal ones are merged and kept as a table. Many items make
different sets, but those of one ranking are nested: each is the one before it less what was
chosen. Sums over nested sets are running sums, and nothing but the order need be kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats

__all__ = ["Chain", "ChainSets", "ChoiceSets", "MergedSets"]

# Entries of dense tables, sets by items, that are held at one time.
DENSE = 2_000_000
# Running sums, rankings by items, that are compared in one go.
TOGETHER = 100_000
# Log worths that differ by no more have exponentials whose squares and quotients are floats, with
# room for weights. Others are taken set by set, less the largest of the set.
SPREAD = 150.0


class ChoiceSets(ABC):
    """s sets of n items."""

    # -- what a likelihood asks of them, for log worths of any size ----------------------------

    def log_sums(self, logs: Floats) -> Floats:
        """Return for each set the log of the sum of exp(logs) of its items, shape (s,)."""
        if is_narrow(logs):
            top = float(logs.max())
            result: Floats = np.log(self.sums(np.exp(logs - top))) + top
            return result
        parts = [np.zeros(0), *(own for _, own in self._far(logs))]
        return np.concatenate(parts)

    def expected(self, logs: Floats, weights: Floats) -> Floats:
        """Return for each item its chance to be chosen, summed over its sets with weights, (n,)."""
        if is_narrow(logs):
            worths = np.exp(logs - logs.max())
            expected: Floats = worths * self.totals(weights / self.sums(worths))
            return expected
        result, done = np.zeros(len(logs)), 0
        for inside, own in self._far(logs):
            upto = done + len(own)
            result += weights[done:upto] @ _chances(inside, logs, own)
            done = upto
        return result

    def moments(self, logs: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Return `expected`, and for two items the summed products of chances, shape (n, n)."""
        if is_narrow(logs):
            worths = np.exp(logs - logs.max())
            sums = self.sums(worths)
            rates = weights / sums
            products: Floats = worths[:, None] * self.both(rates / sums) * worths
            return worths * self.totals(rates), products
        n, done = len(logs), 0
        first, second = np.zeros(n), np.zeros((n, n))
        for inside, own in self._far(logs):
            upto = done + len(own)
            chances = _chances(inside, logs, own)
            shares = chances * weights[done:upto, None]
            first += shares.sum(axis=0)
            second += shares.T @ chances
            done = upto
        return first, second

    def _far(self, logs: Floats) -> Iterator[tuple[Bools, Floats]]:
        """Go through the sets as tables, with the log sum of each."""
        for inside in self.tables():
            own = np.where(inside, logs, -np.inf)
            top = own.max(axis=1)
            yield inside, np.log(np.exp(own - top[:, None]).sum(axis=1)) + top

    # -- linear maps --------------------------------------------------------------------------

    @abstractmethod
    def sums(self, values: Floats) -> Floats:
        """Return for each set the sum of the values of its items, shape (s,)."""

    @abstractmethod
    def totals(self, rates: Floats) -> Floats:
        """Return for each item the sum of the rates of its sets, shape (n,)."""

    @abstractmethod
    def both(self, rates: Floats) -> Floats:
        """Return for each two items the sum of the rates of the sets of both, shape (n, n).

        Rates are not negative.
        """

    @abstractmethod
    def tables(self) -> Iterator[Bools]:
        """Go through the sets, some at a time, as tables of shape (k, n)."""

    @abstractmethod
    def with_ghost(self) -> ChoiceSets:
        """Return the sets of n + 1 items: these, then each item with the new one."""


def is_narrow(logs: Floats) -> bool:
    """Say whether log worths can be exponentiated with one shift for all."""
    return float(np.ptp(logs)) <= SPREAD


def _chances(inside: Bools, logs: Floats, sums: Floats) -> Floats:
    """Return the chance of each item in each set, shape (s, n)."""
    chances: Floats = np.exp(np.where(inside, logs - sums[:, None], -np.inf))
    return chances


@dataclass(frozen=True, eq=False)
class MergedSets(ChoiceSets):
    """A table of different sets.

    Attributes
    ----------
    inside : ndarray of float, shape (s, n)
        1 for an item of the set.
    """

    inside: Floats

    def sums(self, values: Floats) -> Floats:
        """Return for each set the sum of the values of its items, shape (s,)."""
        return self.inside @ values

    def totals(self, rates: Floats) -> Floats:
        """Return for each item the sum of the rates of its sets, shape (n,)."""
        return rates @ self.inside

    def both(self, rates: Floats) -> Floats:
        """Return for each two items the sum of the rates of the sets of both, shape (n, n)."""
        result: Floats = (self.inside * rates[:, None]).T @ self.inside
        return result

    def tables(self) -> Iterator[Bools]:
        """Go through the sets, some at a time, as tables of shape (k, n)."""
        size = max(1, DENSE // max(self.inside.shape[1], 1))
        for start in range(0, len(self.inside), size):
            yield self.inside[start : start + size] > 0

    def with_ghost(self) -> MergedSets:
        """Return the sets of n + 1 items: these, then each item with the new one."""
        s, n = self.inside.shape
        wider = np.hstack([self.inside, np.zeros((s, 1))])
        return MergedSets(np.vstack([wider, np.hstack([np.eye(n), np.ones((n, 1))])]))


@dataclass(frozen=True, eq=False)
class Chain:
    """The nested sets of rankings of k items each.

    Attributes
    ----------
    order : ndarray of int32, shape (m, k)
        Items, best first.
    starts : ndarray of bool, shape (m, k - 1)
        True where the items from here on are a set that something was chosen from.
    """

    order: NDArray[np.int32]
    starts: Bools


@dataclass(frozen=True, eq=False)
class ChainSets(ChoiceSets):
    """The nested sets of many rankings, one ranking after another.

    `sums` and `totals` take time m k, `both` m n^2 / 2, for m rankings of k of n items.

    Attributes
    ----------
    n : int
        Items.
    chains : tuple of Chain
        Rankings of each length.
    """

    n: int
    chains: tuple[Chain, ...]

    def sums(self, values: Floats) -> Floats:
        """Return for each set the sum of the values of its items, shape (s,)."""
        parts = [np.zeros(0)]
        for chain in self.chains:
            running = np.cumsum(values[chain.order[:, ::-1]], axis=1)[:, ::-1]
            parts.append(running[:, :-1][chain.starts])
        return np.concatenate(parts)

    def totals(self, rates: Floats) -> Floats:
        """Return for each item the sum of the rates of its sets, shape (n,)."""
        result = np.zeros(self.n)
        for chain, running in self._running(rates):
            result += np.bincount(chain.order.ravel(), weights=running.ravel(), minlength=self.n)
        return result

    def both(self, rates: Floats) -> Floats:
        """Return for each two items the sum of the rates of the sets of both, shape (n, n)."""
        result = np.zeros((self.n, self.n))
        for chain, running in self._running(rates):
            # Rates are not negative, so the running sums rise: two items are together in the sets
            # up to the place of the better one, which has the smaller sum.
            size = max(1, TOGETHER // self.n)
            for start in range(0, len(running), size):
                rows = slice(start, start + size)
                reached = np.zeros((len(running[rows]), self.n))
                np.put_along_axis(reached, chain.order[rows], running[rows], axis=1)
                columns = np.ascontiguousarray(reached.T)
                for i, column in enumerate(columns):
                    result[i, i:] += np.minimum(column, columns[i:]).sum(axis=1)
        square: Floats = np.triu(result) + np.triu(result, k=1).T
        return square

    def _running(self, rates: Floats) -> Iterator[tuple[Chain, Floats]]:
        """Yield each chain with the summed rates of the sets that hold each of its places."""
        used = 0
        for chain in self.chains:
            m, k = chain.order.shape
            own = np.zeros((m, k))
            number = int(chain.starts.sum())
            own[:, :-1][chain.starts] = rates[used : used + number]
            used += number
            yield chain, np.cumsum(own, axis=1)

    def tables(self) -> Iterator[Bools]:
        """Go through the sets, some at a time, as tables of shape (k, n)."""
        for chain in self.chains:
            k = chain.order.shape[1]
            size = max(1, DENSE // (self.n * k))
            for start in range(0, len(chain.order), size):
                order = chain.order[start : start + size]
                starts = chain.starts[start : start + size]
                place = np.full((len(order), self.n), -1)
                np.put_along_axis(place, order, np.arange(k)[None, :], axis=1)
                rows, q = np.nonzero(starts)
                yield place[rows] >= q[:, None]

    def with_ghost(self) -> ChainSets:
        """Return the sets of n + 1 items: these, then each item with the new one."""
        items = np.arange(self.n, dtype=np.int32)
        pairs = np.column_stack([items, np.full(self.n, self.n, dtype=np.int32)])
        ghost = Chain(pairs, np.ones((self.n, 1), dtype=bool))
        return ChainSets(self.n + 1, (*self.chains, ghost))
