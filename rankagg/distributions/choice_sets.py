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


class ChoiceSets(ABC):
    """s sets of n items."""

    @abstractmethod
    def sums(self, values: Floats) -> Floats:
        """Return for each set the sum of the values of its items, shape (s,)."""

    @abstractmethod
    def totals(self, rates: Floats) -> Floats:
        """Return for each item the sum of the rates of its sets, shape (n,)."""

    @abstractmethod
    def both(self, rates: Floats) -> Floats:
        """Return for each two items the sum of the rates of the sets of both, shape (n, n)."""

    @abstractmethod
    def tables(self) -> Iterator[Bools]:
        """Go through the sets, some at a time, as tables of shape (k, n)."""

    @abstractmethod
    def with_ghost(self) -> ChoiceSets:
        """Return the sets of n + 1 items: these, then each item with the new one."""


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
        result = np.zeros(self.n * self.n)
        for chain, running in self._running(rates):
            k = chain.order.shape[1]
            # Two items are both in the sets up to the place of the better one.
            for p in range(k):
                first = chain.order[:, p].astype(np.int64) * self.n
                for q in range(p, k):
                    weights = running[:, p] * (0.5 if p == q else 1.0)
                    cells = first + chain.order[:, q]
                    result += np.bincount(cells, weights=weights, minlength=self.n * self.n)
        square = result.reshape(self.n, self.n)
        return square + square.T

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
