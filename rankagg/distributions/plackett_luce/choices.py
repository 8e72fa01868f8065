"""Choices of rankings: chosen items and their alternatives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Integers64, Positions, Ranks
from rankagg.core import UNRANKED, places

# Most entries of a dense table, sets by items, in memory.
TABLE_ENTRIES = 2_000_000
# Most running sums, rankings by items, compared in one call.
TOGETHER = 100_000
# Rankings of fewer than one in this many items are processed place by place.
SHORT = 4
# Most items whose sets fit the bits of an integer, so that equal ones are merged.
BITS = 62
# Most marks in memory.
MARKS_AT_ONCE = 20_000_000


class _ChoiceSets(ABC):
    """s sets of n items."""

    @property
    @abstractmethod
    def n_items(self) -> int:
        """The number of items."""

    def log_sums(self, logs: Floats) -> Floats:
        """Return for each set the log of the sum of exp(logs) of its items, shape (s,)."""
        top = float(logs.max())
        return np.log(self.sums(np.exp(logs - top))) + top

    def moments(self, logs: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Return weighted sums over sets of the choice probabilities, and of their products.

        Shapes (n,) and (n, n).
        """
        # Worths beyond the range of floats end in NaN, which stops a climb.
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            worths = np.exp(logs - logs.max())
            sums = self.sums(worths)
            rates = weights / sums
            return worths * self.totals(rates), worths[:, None] * self.both(rates / sums) * worths

    @abstractmethod
    def sums(self, values: Floats) -> Floats:
        """Return for each set the sum of the values of its items, shape (s,)."""

    @abstractmethod
    def totals(self, rates: Floats) -> Floats:
        """Return for each item the sum of the rates of its sets, shape (n,)."""

    @abstractmethod
    def both(self, rates: Floats) -> Floats:
        """Return for each pair the sum of the rates of the sets with both items, shape (n, n).

        Rates are not negative.
        """

    @abstractmethod
    def members(self) -> Iterator[tuple[Positions, Bools]]:
        """Yield blocks of sets: positions of items, and whether each is in the set.

        Both have a row per set and no more columns than needed; no row repeats an item.
        """

    @abstractmethod
    def with_ghost(self) -> _ChoiceSets:
        """Return the sets of n + 1 items: these, then each item with the new one."""


@dataclass(frozen=True, eq=False)
class _MergedSets(_ChoiceSets):
    """A table of distinct sets."""

    # Shape (s, n). 1 for an item of the set.
    inside: Floats

    def sums(self, values: Floats) -> Floats:
        """Return for each set the sum of the values of its items, shape (s,)."""
        return self.inside @ values

    def totals(self, rates: Floats) -> Floats:
        """Return for each item the sum of the rates of its sets, shape (n,)."""
        return rates @ self.inside

    def both(self, rates: Floats) -> Floats:
        """Return for each pair the sum of the rates of the sets with both items, shape (n, n)."""
        return (self.inside * rates[:, None]).T @ self.inside

    @property
    def n_items(self) -> int:
        """The number of items."""
        return int(self.inside.shape[1])

    def members(self) -> Iterator[tuple[Positions, Bools]]:
        """Yield blocks of sets: all items, and whether each is in the set."""
        size = max(1, TABLE_ENTRIES // max(self.n_items, 1))
        for start in range(0, len(self.inside), size):
            inside = self.inside[start : start + size] > 0
            yield np.broadcast_to(np.arange(self.n_items), inside.shape), inside

    def with_ghost(self) -> _MergedSets:
        """Return the sets of n + 1 items: these, then each item with the new one."""
        s, n = self.inside.shape
        wider = np.hstack([self.inside, np.zeros((s, 1))])
        return _MergedSets(np.vstack([wider, np.hstack([np.eye(n), np.ones((n, 1))])]))


@dataclass(frozen=True, eq=False)
class _Chain:
    """The nested sets of rankings of k items each."""

    # Shape (m, k). Items, best first.
    order: NDArray[np.int32]
    # Shape (m, k - 1). Whether the items from here on are the alternatives of a choice.
    starts: Bools


@dataclass(frozen=True, eq=False)
class _ChainSets(_ChoiceSets):
    """The nested sets of many rankings, one ranking after another.

    For m rankings of k of n items, `sums` and `totals` take time m k, and `both` m n^2 / 2, or
    m k^2 for a small k.
    """

    n: int
    # Rankings of each length.
    chains: tuple[_Chain, ...]

    def sums(self, values: Floats) -> Floats:
        parts = [np.zeros(0)]
        for chain in self.chains:
            running = np.cumsum(values[chain.order[:, ::-1]], axis=1)[:, ::-1]
            parts.append(running[:, :-1][chain.starts])
        return np.concatenate(parts)

    def totals(self, rates: Floats) -> Floats:
        result = np.zeros(self.n)
        for chain, running in self._running(rates):
            result += np.bincount(chain.order.ravel(), weights=running.ravel(), minlength=self.n)
        return result

    def both(self, rates: Floats) -> Floats:
        result = np.zeros((self.n, self.n))
        for chain, running in self._running(rates):
            # The sets up to the place of the better item contain both.
            if SHORT * chain.order.shape[1] < self.n:
                for place, items in enumerate(chain.order.T):
                    both = items[:, None], chain.order[:, place:]
                    np.add.at(result, both, running[:, [place]])
                continue
            # Rates are not negative, so running sums rise: the better item has the smaller one.
            size = max(1, TOGETHER // self.n)
            for start in range(0, len(running), size):
                rows = slice(start, start + size)
                reached = np.zeros((len(running[rows]), self.n))
                np.put_along_axis(reached, chain.order[rows], running[rows], axis=1)
                columns = np.ascontiguousarray(reached.T)
                for i, column in enumerate(columns):
                    result[i, i:] += np.minimum(column, columns[i:]).sum(axis=1)
        square = result + result.T
        np.fill_diagonal(square, result.diagonal())
        return square

    def _running(self, rates: Floats) -> Iterator[tuple[_Chain, Floats]]:
        """Yield each chain with the summed rates of the sets that contain each of its places."""
        used = 0
        for chain in self.chains:
            m, k = chain.order.shape
            own = np.zeros((m, k))
            number = int(chain.starts.sum())
            own[:, :-1][chain.starts] = rates[used : used + number]
            used += number
            yield chain, np.cumsum(own, axis=1)

    @property
    def n_items(self) -> int:
        return self.n

    def members(self) -> Iterator[tuple[Positions, Bools]]:
        """Yield blocks of sets: the items of a ranking, and whether each is in the set."""
        for chain in self.chains:
            k = chain.order.shape[1]
            size = max(1, TABLE_ENTRIES // (self.n * k))
            for start in range(0, len(chain.order), size):
                order = chain.order[start : start + size].astype(np.intp)
                rows, q = np.nonzero(chain.starts[start : start + size])
                yield order[rows], np.arange(k) >= q[:, None]

    def with_ghost(self) -> _ChainSets:
        items = np.arange(self.n, dtype=np.int32)
        pairs = np.column_stack([items, np.full(self.n, self.n, dtype=np.int32)])
        ghost = _Chain(pairs, np.ones((self.n, 1), dtype=bool))
        return _ChainSets(self.n + 1, (*self.chains, ghost))


@dataclass(frozen=True, eq=False)
class Choices:
    """Sufficient statistics of choices."""

    # The sets of alternatives.
    sets: _ChoiceSets
    # Shape (s,). Summed weights of the choices from each.
    weights: Floats
    # Shape (n,). Weight of the choices of each item; divided by d in a bucket of d items.
    won: Floats
    # Weight of the choices of buckets of each size.
    tied: dict[int, float]

    @classmethod
    def of(cls, ranks: Ranks, weights: Floats) -> Choices:
        """Return the choices of weighted rankings; equal sets of at most 62 items are merged."""
        n = ranks.shape[1]
        collected = _Collected(n)
        length = (ranks != UNRANKED).sum(axis=1)
        for k in np.unique(length[length > 1]).tolist():
            rows = np.flatnonzero(length == k)
            size = max(1, MARKS_AT_ONCE // (n * k))
            for start in range(0, len(rows), size):
                part = rows[start : start + size]
                collected.add(ranks[part], weights[part], k)
        return collected.choices()

    @property
    def n_items(self) -> int:
        """The number of items."""
        return int(self.won.shape[0])

    def with_ghost(self, votes: float) -> Choices:
        """Return the choices with a ghost item that wins and loses so many votes to each item."""
        n = self.n_items
        tied = dict(self.tied)
        tied[1] = tied.get(1, 0.0) + 2.0 * votes * n
        return Choices(
            self.sets.with_ghost(),
            np.concatenate([self.weights, np.full(n, 2.0 * votes)]),
            np.append(self.won + votes, votes * n),
            tied,
        )


class _Collected:
    """The choices of rankings of equal length, one length after another."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.won = np.zeros(n)
        self.tied: dict[int, float] = {}
        self.codes: list[Integers64] = []
        self.chains: list[_Chain] = []
        self.weights: list[Floats] = []

    def add(self, ranks: Ranks, weights: Floats, k: int) -> None:
        """Add rankings that observe k items each."""
        place = places.comparable(ranks)
        order = np.argsort(place, axis=1)[:, :k].astype(np.int32)
        sorted_places = np.take_along_axis(place, order, axis=1)
        # A bucket starts where the place changes; unlisted items are never chosen.
        starts = sorted_places[:, : k - 1] < self.n
        starts[:, 1:] &= sorted_places[:, 1 : k - 1] != sorted_places[:, : k - 2]
        for q in range(k - 1):
            rows = np.flatnonzero(starts[:, q])
            bucket = sorted_places[rows, q:] == sorted_places[rows, q : q + 1]
            size = bucket.sum(axis=1)
            shares = np.where(bucket, (weights[rows] / size)[:, None], 0.0)
            chosen = order[rows, q:].ravel()
            self.won += np.bincount(chosen, weights=shares.ravel(), minlength=self.n)
            for d in np.unique(size).tolist():
                self.tied[d] = self.tied.get(d, 0.0) + float(weights[rows][size == d].sum())
        masses = np.broadcast_to(weights[:, None], starts.shape)[starts]
        if self.n > BITS:
            self.chains.append(_Chain(order, starts))
            self.weights.append(masses)
            return
        # The items from each place on, as the bits of a number.
        bits = np.int64(1) << order.astype(np.int64)
        codes = np.cumsum(bits[:, ::-1], axis=1)[:, ::-1][:, : k - 1][starts]
        distinct, where = np.unique(codes, return_inverse=True)
        self.codes.append(distinct)
        merged = np.bincount(where, weights=masses, minlength=len(distinct))
        self.weights.append(merged.astype(np.float64))

    def choices(self) -> Choices:
        """Return the collected choices."""
        weights = np.concatenate([np.zeros(0), *self.weights])
        if self.n > BITS:
            return Choices(_ChainSets(self.n, tuple(self.chains)), weights, self.won, self.tied)
        codes = np.concatenate([np.zeros(0, dtype=np.int64), *self.codes])
        distinct, where = np.unique(codes, return_inverse=True)
        inside = ((distinct[:, None] >> np.arange(self.n)) & 1).astype(np.float64)
        merged = np.bincount(where, weights=weights, minlength=len(distinct)).astype(np.float64)
        return Choices(_MergedSets(inside), merged, self.won, self.tied)
