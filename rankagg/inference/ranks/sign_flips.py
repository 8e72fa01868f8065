"""Exact tests of many differences at once, by turning whole units round.

If nothing distinguishes two items, a unit's difference is as likely to be x as -x. One sign turns
all differences of a unit together, so their dependence is kept and no price is paid for the number
of pairs. With T units there are 2^T sign vectors, and no p-value is below 2^(1 - T).
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.core.arithmetic.exact_sum import rounding_error
from rankagg.exceptions import InvalidInputError, OutOfTimeError
from rankagg.inference.one_pair import ALWAYS_ALL, SIGNS_HELD, all_signs, drawn_signs
from rankagg.inference.pair_values import Differences
from rankagg.inference.units import Block, Units

# Values that are held for all sign vectors; more are made again for each block of them.
SUMS_HELD = 20_000_000
# Rows from which on items are summed and not pairs, if all are there: fewer suffice where they and
# the pairs are so many together.
LONG_ROWS, SHORT_ROWS, PAIRED_VALUES = 1000, 64, 1_000_000

NO_DEADLINE = Deadline()
LOGGER = logging.getLogger("rankagg.inference")


def sign_flips(
    units: Units, n_vectors: int, rng: np.random.Generator, deadline: Deadline = NO_DEADLINE
) -> SignFlips:
    """Compare the sums of all differences with what they would be under other signs.

    Notes
    -----
    The largest sum over all pairs, without its sign, is compared with those under other signs;
    the pairs that reach the level are decided as observed, and the others are compared again until
    none is (Romano and Wolf 2005). Units must be independent, and the differences of each, taken
    together, symmetric about a center.

    The family-wise error rate among pairs of equal items (whose center is zero) is at most alpha,
    and in the first step that of pairs that differ and are decided the wrong way: with differences
    r e - c, random signs r and c >= 0, the signs s r make of r.e - 1.c at least s.e - 1.c, what
    would be observed if r were s. For later steps no such proof is known, nor any case above alpha.
    It needs sums whose scale does not depend on c, so these are not studentized; a pair that some
    units do not tell of is scaled by the root of the squared weights of those that do.

    References
    ----------
    Fisher (1935), The Design of Experiments; Romano and Wolf (2005), "Exact and approximate
    stepdown methods for multiple hypothesis testing",
    https://doi.org/10.1198/016214504000000539.
    """
    if len(units.stratum_weights) > 1:
        remedy = (
            "Units of a fixed task need not be centered, so their signs cannot be turned; take "
            "'hoeffding' or 'max-t', or `unit='task'` where the tasks are a sample."
        )
        raise InvalidInputError("method", "another one with fixed tasks", "sign-flips", remedy)
    sums = FlippedSums.of(units, deadline)
    exact = sums.fits(max(ALWAYS_ALL, n_vectors))
    kind = PairFlips if sums.is_paired else ItemFlips
    flips = kind(sums, sums.n_signs if exact else n_vectors, is_exact=exact)
    try:
        for block in sums.all_signs() if exact else sums.drawn_signs(n_vectors, rng):
            deadline.seconds_left()
            flips.add(block)
    except OutOfTimeError:
        raise flips.late() from None
    return flips


@dataclass(frozen=True, eq=False)
class FlippedSums:
    """Sums over units, of all pairs or of single numbers whose differences they are."""

    units: Units
    held: Block | None
    is_paired: bool
    n_units: int
    scale: Floats
    least: Floats
    deadline: Deadline

    @classmethod
    def of(cls, units: Units, deadline: Deadline = NO_DEADLINE) -> FlippedSums:
        """Hold the units where they are few; else go through them again and again."""
        n_pairs = len(units.pairs[0])
        if np.issubdtype(units.source.rows.dtype, np.integer):
            units = units.compressed()
        source = units.source
        is_paired, is_long = True, units.n_rows > LONG_ROWS
        is_long |= units.n_rows > SHORT_ROWS and units.n_rows * n_pairs > PAIRED_VALUES
        if isinstance(source, Differences) and source.is_complete:
            centered = _Centered(source.rows, source.scale, source.numbers, source.is_bounded)
            units, is_paired = replace(units, source=centered), False
        is_held = units.n_rows * n_pairs <= SUMS_HELD if is_paired else not is_long
        held = units.all_blocks() if is_held else None
        told, squares = np.zeros(n_pairs), np.zeros(n_pairs)
        sizes = units.sizes
        for block in [held] if held is not None else units.blocks():
            deadline.seconds_left()
            present = ~np.isnan(block.values) if is_paired else np.ones((len(block.values), 1))
            weighted = block.counts * block.weights
            told += weighted @ present
            squares += (weighted * block.weights) @ present
        largest = squares.max(initial=0.0)
        scale = np.sqrt(np.divide(largest, squares, out=np.zeros(n_pairs), where=squares > 0))
        held = None if held is None else _informative(held)
        n_units = units.n_units if held is None else int(held.counts.sum())
        # Of differences in [-1, 1], which are twice those of values, and of two sums.
        least = 4.0 * rounding_error(told * sizes * scale, units.n_rows)
        return cls(units, held, is_paired, n_units, scale, least, deadline)

    def fits(self, n_vectors: int) -> bool:
        """Say whether so many sign vectors are all, but for the opposite ones."""
        return self.held is not None and self.n_signs <= n_vectors

    @property
    def n_signs(self) -> int:
        """How many sign vectors there are, but for the opposite ones."""
        return 1 << min(max(self.n_units - 1, 0), 64)

    def all_signs(self) -> Iterator[Floats]:
        """Go through all sign vectors, but for the opposite ones; the observed one first."""
        assert self.held is not None, "so few units are always held"
        values = _weighted_differences(self.held)
        values = np.repeat(values, self.held.counts.astype(np.intp), axis=0)
        size = max(1, SIGNS_HELD // max(values.shape[1], 1))
        for start in range(0, self.n_signs, size):
            stop = min(start + size, self.n_signs)
            yield all_signs(len(values), start, stop) @ values

    def drawn_signs(self, times: int, rng: np.random.Generator) -> Iterator[Floats]:
        """Draw sign vectors; the first one is that observed."""
        n_items, n_pairs = len(self.units.items), len(self.units.pairs[0])
        is_long = self.held is None and not self.is_paired
        # How many are drawn at a time says which they are.
        size = max(1, SIGNS_HELD // max(n_items if is_long else n_pairs, 1))
        for start in range(0, times, size):
            many = min(size, times - start)
            sums = np.zeros((many, n_pairs if self.is_paired else n_items))
            for block in [self.held] if self.held is not None else self.units.blocks():
                self.deadline.seconds_left()
                values = _weighted_differences(block)
                step = max(1, SIGNS_HELD // len(values))
                for low in range(0, many, step):
                    some = slice(low, min(low + step, many))
                    signs = _summed_signs(block.counts, some.stop - low, rng)
                    if start == low == 0:
                        signs[0] = block.counts
                    sums[some] += signs @ values
            yield sums


class SignFlips(ABC):
    """What sums under other signs say of those observed, of all pairs."""

    #: Shape (n, n). The sum of the differences has row above column.
    ahead: Bools

    def __init__(self, sums: FlippedSums, n_vectors: int, *, is_exact: bool) -> None:
        self.of = sums
        self.n = len(sums.units.items)
        # Sign vectors to go through (the opposite ones say the same), and whether they are all.
        self.n_vectors, self.is_exact = n_vectors, is_exact
        self.done = 0

    def add(self, sums: Floats) -> None:
        """Take the sums of more sign vectors; the first one is that observed."""
        if not self.done:
            self._observe(sums[0])
        self._take(sums)
        before, self.done = self.done, self.done + len(sums)
        if 10 * before // self.n_vectors < 10 * self.done // self.n_vectors:
            LOGGER.info("%d of %d sign vectors", self.done, self.n_vectors)

    def late(self) -> OutOfTimeError:
        """Return what is raised where time runs out."""
        return OutOfTimeError(
            f"Sign flips were not compared in time: {self.done:,} of {self.n_vectors:,} sign "
            "vectors were summed. Raise `time_limit`, or lower `n_resamples`."
        )

    @abstractmethod
    def decided(self, alpha: float) -> tuple[Bools, Bools]:
        """Return which pairs are decided as observed, of all and of the item of the row only."""

    @abstractmethod
    def _observe(self, seen: Floats) -> None: ...

    @abstractmethod
    def _take(self, sums: Floats) -> None: ...


class PairFlips(SignFlips):
    """Counts how often the largest sum of some pairs is as large as those observed."""

    def decided(self, alpha: float) -> tuple[Bools, Bools]:
        """Compare the p-values with alpha, none of them below that of a larger observed sum."""
        (first, second), (together, alone) = self.pairs, np.zeros((2, self.n, self.n), dtype=bool)
        together[first[self.order], second[self.order]] = self._within(self.together, alpha)
        for i, mine in enumerate(self.of_item):
            alone[i, first[mine] + second[mine] - i] = self._within(self.alone[i], alpha)
        return together | together.T, alone

    def _within(self, counts: Floats, alpha: float) -> Bools:
        return np.asarray(np.maximum.accumulate(counts[::-1])[::-1] / self.n_vectors <= alpha)

    def _observe(self, seen: Floats) -> None:
        self.pairs = first, second = self.of.units.pairs
        size = np.abs(seen) * self.of.scale
        self.bar = size - self.of.least
        self.ahead = np.zeros((self.n, self.n), dtype=bool)
        self.ahead[first, second] = (self.bar > 0) & (seen > 0)
        self.ahead[second, first] = (self.bar > 0) & (seen < 0)
        self.order = np.argsort(size, kind="stable")
        # Each item is in n - 1 pairs; those of one stand in the order of all.
        ends = np.stack([first[self.order], second[self.order]], axis=1).ravel()
        by_item = np.argsort(ends, kind="stable") // 2
        self.of_item = self.order[by_item].reshape(self.n, max(self.n - 1, 0))
        self.together = np.zeros(len(seen))
        self.alone = np.zeros(self.of_item.shape)

    def _take(self, sums: Floats) -> None:
        sizes = np.abs(sums) * self.of.scale
        self.together += _n_reaching(sizes[:, self.order], self.bar[self.order])
        for i, mine in enumerate(self.of_item):
            self.alone[i] += _n_reaching(sizes[:, mine], self.bar[mine])


class ItemFlips(SignFlips):
    """Sums of single items, whose differences are those of pairs where every unit tells of all.

    Pairs that are still to be decided differ by no more than some bar, and so the items that one
    of them meets stand side by side in the order of the observed sums. The largest sum of such
    pairs is that to the highest or to the lowest of these items, which takes no look at pairs.
    """

    def decided(self, alpha: float) -> tuple[Bools, Bools]:
        """Step down from the largest observed difference until no more of them are decided."""
        # So many sign vectors may reach what is decided.
        most = int((np.arange(1, self.n_vectors + 1) / self.n_vectors <= alpha).sum())
        at = np.ix_(*[np.argsort(self.order)] * 2)
        return self._stepped(most, joint=True)[at], self._stepped(most, joint=False)[at]

    def _observe(self, seen: Floats) -> None:
        least, (first, second) = np.zeros((self.n, self.n)), self.of.units.pairs
        least[first, second] = least[second, first] = self.of.least
        self.ahead = seen[:, None] - seen > least
        # From here on items stand in the order of their observed sums.
        self.order = np.argsort(seen, kind="stable")
        self.least = least[np.ix_(self.order, self.order)]
        self.sums = np.empty((self.n, self.n_vectors))

    def _take(self, sums: Floats) -> None:
        self.sums[:, self.done : self.done + len(sums)] = sums.T[self.order]

    def _stepped(self, most: int, *, joint: bool) -> Bools:
        gaps = np.abs(self.sums[:, :1] - self.sums[:, 0])
        reach = np.full(self.n, gaps.max()) if joint else gaps.max(axis=1)
        moved = np.arange(self.n)
        while len(moved):
            mine, limit = gaps[moved], reach[moved, None]
            bar = self._reached(moved, mine <= limit, most + 1, joint=joint)[:, None]
            open_ = (mine - self.least[moved] <= bar) & (mine <= limit)
            left = np.where(open_, mine, 0.0).max(axis=1)
            if joint:
                left[:] = left.max()
            reach[moved], moved = left, moved[left < limit[:, 0]]
        return np.asarray(gaps > reach[:, None])

    def _reached(self, items: NDArray[np.intp], near: Bools, times: int, *, joint: bool) -> Floats:
        """Return what the largest sum of each item to those near it, or of all, reaches so often.

        The highest of 2^k items side by side is the higher one of two halves, and the highest of
        any other number that of two such rows that overlap.
        """
        low, many = near.argmax(axis=1), near.sum(axis=1)
        level = np.log2(many).astype(np.intp)
        tops = np.empty((1 if joint else len(items), 0))
        size = max(times, SIGNS_HELD // (8 * self.n))
        for start in range(0, self.n_vectors, size):
            if self.of.deadline.is_over:
                raise self.late()
            high = deep = sums = self.sums[:, start : start + size]
            largest = np.empty((len(items), sums.shape[1]))
            for k in range(level.max() + 1):
                if k:
                    half = 2 ** (k - 1)
                    high = np.maximum(high[:-half], high[half:])
                    deep = np.minimum(deep[:-half], deep[half:])
                mine = np.flatnonzero(level == k)
                own, first = sums[items[mine]], low[mine]
                last = first + many[mine] - 2**k
                above = np.maximum(high[first], high[last]) - own
                largest[mine] = np.maximum(above, own - np.minimum(deep[first], deep[last]))
            if joint:
                largest = largest.max(axis=0, keepdims=True)
            tops = np.concatenate([tops, largest], axis=1)
            if tops.shape[1] > times:
                tops = np.partition(tops, -times, axis=1)[:, -times:]
        return np.asarray(tops.min(axis=1))


class _Centered(Differences):
    """The numbers themselves, less the mean of each row, in shares of the largest difference."""

    def values(self) -> Floats:
        """Return the numbers, shape (m, n)."""
        numbers = self._of(self.rows)
        middle = numbers.mean(axis=1, keepdims=True)
        centered: Floats = (numbers - middle) / (2.0 * self.scale) + 0.5
        return centered


def _informative(block: Block) -> Block:
    """Return the units that tell some items apart; the others do not change any sum."""
    told = (np.nan_to_num(np.abs(block.values - 0.5)) > rounding_error(1.0)).any(axis=1)
    return Block(*(part[told] for part in block))


def _weighted_differences(block: Block) -> Floats:
    """Return differences in [-1, 1] times their weights, nought where there is none."""
    differences = np.nan_to_num(2.0 * block.values - 1.0)
    weighted: Floats = differences * block.weights[:, None]
    return weighted


def _summed_signs(counts: Floats, times: int, rng: np.random.Generator) -> Floats:
    """Draw for each row the sum of as many signs as its count, shape (times, u)."""
    if (counts == 1).all():
        return drawn_signs((times, len(counts)), rng)
    many = counts.astype(np.int64)
    return (2 * rng.binomial(many, 0.5, size=(times, len(many))) - many).astype(np.float64)


def _n_reaching(sizes: Floats, bar: Floats) -> NDArray[np.intp]:
    """Count the sign vectors whose largest sum reaches the bar of each pair.

    Columns are pairs, the smallest observed sum first: those up to a pair compete with it.
    """
    counts: NDArray[np.intp] = (np.maximum.accumulate(sizes, axis=1) >= bar).sum(axis=0)
    return counts
