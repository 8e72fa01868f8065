"""Exact tests of many differences at once, by turning whole units round.

If nothing distinguishes two items, a unit's difference is as likely to be x as -x. One sign turns
all differences of a unit together, so their dependence is kept and no price is paid for the number
of pairs. With T units there are 2^T sign vectors, and no p-value is below 2^(1 - T).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.core.arithmetic.exact_sum import rounding_error
from rankagg.exceptions import InvalidInputError
from rankagg.inference.one_pair import ALWAYS_ALL, SIGNS_HELD, all_signs, drawn_signs
from rankagg.inference.pair_values import Differences
from rankagg.inference.units import Block, Units

# Values that are held for all sign vectors; more are made again for each block of them.
SUMS_HELD = 20_000_000
# Rows from which on items are summed and not pairs, if all are there: fewer suffice where they and
# the pairs are so many together.
LONG_ROWS, SHORT_ROWS, PAIRED_VALUES = 1000, 64, 1_000_000

NO_DEADLINE = Deadline()


@dataclass(frozen=True, eq=False)
class SignFlips:
    """P-values of what was observed of every pair, in several families of pairs."""

    # Shape (n, n). The sum of the differences has row above column.
    ahead: Bools
    # Shape (n, n). Adjusted for all pairs. Decide a pair as observed where it is at most alpha.
    together: Floats
    # Shape (n, n). The same for the pairs of the item of the row only.
    alone: Floats
    # Sign vectors that were gone through; the opposite ones say the same.
    n_vectors: int
    # True where these are all there are.
    is_exact: bool


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
    sums = _FlippedSums.of(units, deadline)
    exact = sums.fits(max(ALWAYS_ALL, n_vectors))
    counter = _Counter(units, sums)
    for block in sums.all_signs() if exact else sums.drawn_signs(n_vectors, rng):
        deadline.seconds_left()
        counter.add(block)
    return counter.result(is_exact=exact)


@dataclass(frozen=True, eq=False)
class _FlippedSums:
    """Sums over units, of all pairs or of single numbers whose differences they are."""

    units: Units
    held: Block | None
    is_paired: bool
    n_units: int
    scale: Floats
    least: Floats
    deadline: Deadline

    @classmethod
    def of(cls, units: Units, deadline: Deadline = NO_DEADLINE) -> _FlippedSums:
        """Hold the units where they are few; else go through them again and again."""
        n_pairs = len(units.pairs[0])
        is_paired, held = True, None
        if np.issubdtype(units.source.rows.dtype, np.integer):
            units = units.compressed()
        source = units.source
        is_long = units.n_rows > LONG_ROWS
        is_long |= units.n_rows > SHORT_ROWS and units.n_rows * n_pairs > PAIRED_VALUES
        if is_long and isinstance(source, Differences) and source.is_complete:
            centered = _Centered(source.rows, source.scale, source.numbers, source.is_bounded)
            units, is_paired = replace(units, source=centered), False
        elif units.n_rows * n_pairs <= SUMS_HELD:
            held = units.all_blocks()
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
        return self.held is not None and 2.0 ** min(self.n_units - 1, 64) <= n_vectors

    def all_signs(self) -> Iterator[Floats]:
        """Go through all sign vectors, but for the opposite ones; the observed one first."""
        assert self.held is not None, "so few units are always held"
        values = _weighted_differences(self.held)
        values = np.repeat(values, self.held.counts.astype(np.intp), axis=0)
        free = max(len(values) - 1, 0)
        size = max(1, SIGNS_HELD // max(values.shape[1], 1))
        for start in range(0, 2**free, size):
            stop = min(start + size, 2**free)
            yield all_signs(len(values), start, stop) @ values * self.scale

    def drawn_signs(self, times: int, rng: np.random.Generator) -> Iterator[Floats]:
        """Draw sign vectors; the first one is that observed."""
        first, second = self.units.pairs
        width = len(first) if self.is_paired else len(self.units.items)
        size = max(1, SIGNS_HELD // width)
        for start in range(0, times, size):
            many = min(size, times - start)
            sums = np.zeros((many, width))
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
            if self.is_paired:
                yield sums * self.scale
                continue
            step = max(1, SIGNS_HELD // max(len(first), 1))
            for low in range(0, many, step):
                some = slice(low, low + step)
                yield (sums[some][:, first] - sums[some][:, second]) * self.scale


class _Counter:
    """Counts how often the largest of some sums is as large as those observed."""

    def __init__(self, units: Units, sums: _FlippedSums) -> None:
        self.pairs = units.pairs
        self.n = len(units.items)
        self.least = sums.least
        self.vectors = 0

    def add(self, sums: Floats) -> None:
        """Take the sums of more sign vectors."""
        if not self.vectors:
            self._observe(sums[0])
        self.vectors += len(sums)
        sizes = np.abs(sums)
        self.together += _n_reaching(sizes[:, self.order], self.bar[self.order])
        for i, mine in enumerate(self.of_item):
            self.alone[i] += _n_reaching(sizes[:, mine], self.bar[mine])

    def _observe(self, seen: Floats) -> None:
        first, second = self.pairs
        size = np.abs(seen)
        self.sign = np.where(seen < 0, -1.0, 1.0)
        self.bar = size - self.least
        self.order = np.argsort(size, kind="stable")
        # Each item is in n - 1 pairs; those of one stand in the order of all.
        ends = np.stack([first[self.order], second[self.order]], axis=1).ravel()
        by_item = np.argsort(ends, kind="stable") // 2
        self.of_item = self.order[by_item].reshape(self.n, max(self.n - 1, 0))
        self.together = np.zeros(len(seen))
        self.alone = np.zeros(self.of_item.shape)

    def result(self, *, is_exact: bool) -> SignFlips:
        """Return the p-values."""
        first, second = self.pairs
        ahead = np.zeros((self.n, self.n), dtype=bool)
        together, alone = np.ones((2, self.n, self.n))
        seen = self.bar > 0
        ahead[first, second] = seen & (self.sign > 0)
        ahead[second, first] = seen & (self.sign < 0)
        ordered = _adjusted(self.together, self.vectors)
        together[first[self.order], second[self.order]] = ordered
        together[second[self.order], first[self.order]] = ordered
        for i, mine in enumerate(self.of_item):
            alone[i, first[mine] + second[mine] - i] = _adjusted(self.alone[i], self.vectors)
        return SignFlips(ahead, together, alone, self.vectors, is_exact)


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


def _adjusted(counts: Floats, vectors: int) -> Floats:
    """Return p-values, none below that of a larger observed sum."""
    p_values: Floats = np.maximum.accumulate(counts[::-1])[::-1] / vectors
    return p_values
